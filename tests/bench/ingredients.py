"""What each ingredient of the ranking gives: the whole of it, and the whole without one, on the same memories.

    python tests/bench/ingredients.py DATA.json [--apart]

DATA is of the shape that `recall.py` reads; the columns are its columns.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from recall import FIXTURE, by_fts5, by_strata, judged, line, remembered, samples, together

from strata import periods
from strata.shadow import Shadow, question, ranking, worth
from strata.shadow.strips import Strips

NEIGHBOURS = dict(BEFORE=0.0, ASKED=0.0, BEFORE_THAT=0.0, AFTER=0.0, AFTER_THAT=0.0)
WITHOUT: dict[str, list[tuple[Any, dict[str, Any]]]] = {
    "everything": [],
    "- neighbouring messages": [(worth, NEIGHBOURS)],
    "- the passage around": [(worth, {"PASSAGE": 0.0})],
    "- both of these": [(worth, NEIGHBOURS | {"PASSAGE": 0.0})],
    "- following into other files": [(Strips, {"_joint": lambda *_: None})],
    "- an answer borrows more": [(worth, {"ASKED": worth.BEFORE})],
    "- covering all terms": [(worth, {"COVERED": 0.0}), (ranking, {"EVERY": 1.0})],
    "- speakers": [(ranking, {"SPEAKER": 1.0})],
    "- times in the question": [(periods, dict(IN_TIME=1.0, ON_DAY=1.0, SOON_AFTER=1.0, NEXT_MONTH=1.0, IN_YEAR=1.0))],
    "- the kind of answer": [(question, {"_ASKED": ()})],
    "- what only asks is less": [(ranking, {"ASKING": 1.0})],
    "- related words": [(question, {"ECHO": 0.0})],
}


@contextmanager
def changed(settings: list[tuple[Any, dict[str, Any]]]) -> Iterator[None]:
    """The ranking with other weights, for as long as it lasts."""
    with ExitStack() as stack:
        for owner, values in settings:
            stack.enter_context(mock.patch.multiple(owner, **values))
        yield


def plain(shadow: Shadow, query: str, **asked: Any) -> Any:
    """The first step alone: BM25 over the text."""
    for name in ("happened_from", "happened_to", "today", "explain", "second"):
        asked.pop(name, None)
    return shadow.search(query, **asked)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=FIXTURE)
    parser.add_argument("--apart", action="store_true", help="a memory for each conversation")
    options = parser.parse_args()
    parts = list(samples(options.data))
    rows: dict[str, Callable[..., Any]] = {}
    scores: dict[str, list[Any]] = {name: [] for name in ("SQLite FTS5 porter", "text alone", *WITHOUT)}
    for sample in parts if options.apart else [together(parts)]:
        with tempfile.TemporaryDirectory(prefix="strata-ingredients-") as scratch:
            memory = remembered(sample, Path(scratch, "memory"))
            rows = {"SQLite FTS5 porter": by_fts5(sample), "text alone": by_strata(memory)} | dict.fromkeys(WITHOUT, by_strata(memory))
            for name, answers in rows.items():
                settings = [(Shadow, {"rank": plain})] if name == "text alone" else WITHOUT.get(name, [])
                with changed(settings):
                    scores[name] += judged(sample.questions, answers(sample.questions))
    print(f"{'':<28}{'n':>6}" + "".join(f"{'any@' + str(k):>8}" for k in (1, 5, 10, 20)) + f"{'mrr':>8}")
    for name, found in scores.items():
        print(line(name, found))


if __name__ == "__main__":
    main()
