"""What reasons cost: a fact, an event, a block and a message followed to their commits, and two commits compared.

    python tests/bench/why.py [--sizes 1000,10000] [--runs 5] [--keep DIRECTORY]

Every event card comes with a commit of its own, which is the most commits that so many records can have. The yardstick is `git log
--follow` of one file.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import by_size, timed  # noqa: E402

from strata import Memory  # noqa: E402
from strata.cards import Event, event_document  # noqa: E402
from strata.claims import Claim, line  # noqa: E402
from strata.history import History  # noqa: E402
from strata.layout import record_path  # noqa: E402
from strata.model import AGENT, Message, Put  # noqa: E402

LETTERS = "abcdefghjkmnpqrstuvwxyz"
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
SAID = "Everybody likes it."


def made(root: Path, events: int) -> None:
    """A memory with this many event cards, a fifth of them about one person, the others about a tenth as many."""
    with Memory.init(root) as memory:
        memory.append([("main", Message(f"m{number}", "user", f"Turn {number}.\n{SAID}", at="2025-01-01T10:00:00Z")) for number in range(4)])
        block = memory.seal("main", everything=True)[0].ref
    history = History(root)
    for number in range(events):
        at = BEGIN + timedelta(minutes=50 * number)
        rest, letters = number, ""
        for _ in range(6):
            rest, place = divmod(rest, len(LETTERS))
            letters += LETTERS[place]
        ref = f"evt-{at:%Y%m%d}-{letters}"
        name = f"Person {number % (events // 10)}" if number % 5 else "Hot One"
        claim = Claim("person", name, "set" if number % 2 else "state", ("likes", "lives in", "plays")[number % 3], f"value {number % 700}")
        event = Event(f"Something about {name}", "happening", "occurred", f"{at:%Y-%m-%d}", "", "", "unknown", "unknown", "", (name,), block, ("m0",), facts=(line(claim),), quotes=(SAID,))
        history.commit([Put(record_path(ref) or "", event_document(ref, event).data)], author=AGENT, subject=f"Record {number}", at=at)
    subprocess.run(["git", "reset", "--hard", "-q"], cwd=root, check=True)
    with Memory.open(root) as memory:
        memory.graph_rebuild()


def measure(size: int, runs: int, scratch: Path) -> dict[str, float]:
    """Milliseconds, the median of the runs."""
    root = scratch / f"why-{size}"
    if not root.exists():
        made(root, size)
    memory = Memory.open(root)
    row = memory.list(kinds=("event",))[size // 2]
    block = memory.list(kinds=("block",))[0].ref
    plain, hot = (memory.graph_show(name) for name in ("Person 7", "Hot One"))
    many = max((*hot.now, *hot.earlier), key=lambda fact: len(fact.events))
    wanted = {
        "an event": row.ref,
        "a fact": f"{plain.ref}#{(*plain.now, *plain.earlier)[0].id}",
        "a fact of somebody who has many": f"{hot.ref}#{many.id}",
        "somebody with a fifth of all events": hot.ref,
        "a block": block,
        "a message": f"{block}#m2",
    }
    row_of = {f"why {what}": statistics.median(timed(lambda ref=ref: memory.why(ref)) for _ in range(runs)) for what, ref in wanted.items()}
    head = memory.log(limit=2)[1].id
    row_of["beliefs over 100 commits"] = statistics.median(timed(lambda: memory.beliefs(f"{head}~100..{head}")) for _ in range(runs))
    row_of["git log --follow of one card"] = statistics.median(timed(lambda: subprocess.run(["git", "log", "--follow", "--format=%H", row.path], cwd=root, check=True, capture_output=True)) for _ in range(runs))
    return row_of


if __name__ == "__main__":
    by_size(__doc__, measure, sizes="1000,10000", runs=5, label=42)
