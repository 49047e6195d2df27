"""Search across tiers: does stopping early lose anything, what does it save, and what does a large archive cost.

    python tests/bench/tiers.py [CONVERSATIONS.json] [--records 100000] [--active 1000] [--keep DIRECTORY]

The first table needs a file of conversations with questions in the shape of LoCoMo: they are ingested, sealed and
spread over the tiers by age (six tenths in archive/, three in cooled/), and every question is answered twice, by the
search and by scoring every entry. The second compares a memory of RECORDS records, all but ACTIVE of them in archive/,
with one of the same ACTIVE records alone, and both with SQLite FTS5 and a grep for one word of the question. Times are medians in
milliseconds; the two memories are asked in turn, in one process.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from generate import Words  # noqa: E402

from strata import Memory  # noqa: E402
from strata.document import Document  # noqa: E402
from strata.entries import entries  # noqa: E402
from strata.model import Entry, Message, Summary  # noqa: E402
from strata.moment import sort_key  # noqa: E402
from strata.names import new_id  # noqa: E402
from strata.records import seal_block  # noqa: E402
from strata.shadow.postings import Postings  # noqa: E402
from strata.shadow.scoring import IMPACT, MOST_TF, codes, idf, weights  # noqa: E402
from strata.shadow.search import look_up  # noqa: E402
from strata.shadow.segment import Segment  # noqa: E402
from strata.shadow.terms import query_terms  # noqa: E402
from strata.survey import records  # noqa: E402

LIMIT = 10
QUESTIONS = 100  # asked of the made-up memories
GREPS = 5


def git(root: Path, *words: str) -> None:
    identity = ("-c", "gc.auto=0", "-c", "user.name=bench", "-c", "user.email=bench@strata.invalid")
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


# -- counting what is read -------------------------------------------------------------------------


class Watched(Postings):
    """A posting list that counts what is read of it: whole, or the documents that are looked for in it."""

    __slots__ = ("read",)
    documents = property(lambda self: (self.read(self.size), Postings.documents.fget(self))[1])
    codes = property(lambda self: (self.read(0), Postings.codes.fget(self))[1])

    def among(self, wanted: Collection[int]) -> Iterator[tuple[int, int]]:
        self.read(min(len(wanted), self.size))
        return super().among(wanted)


@contextmanager
def watched() -> Iterator[Counter[str]]:
    """The postings read meanwhile, by tier; bit maps count as none."""
    seen: Counter[str] = Counter()
    real = Segment.postings

    def postings(self: Segment, extent: tuple[int, int]) -> Watched:
        found = Watched(self._view[extent[0] : sum(extent)], self.documents)
        found.read = lambda count: seen.update({self.tier: count})
        return found

    Segment.postings = postings  # type: ignore[method-assign, assignment]
    try:
        yield seen
    finally:
        Segment.postings = real  # type: ignore[method-assign]


def archived(memory: Memory, question: str) -> int:
    """How many postings the terms of a question have in archive/."""
    parts = memory._store.shadow._opened().parts
    rows = look_up(parts, query_terms(question))
    return sum(
        part.segment.postings(extent).size for row in rows for part, extent in zip(parts, row.extents, strict=True) if extent and part.segment.tier == "archive"
    )


# -- conversations -----------------------------------------------------------------------------------


class Exhaustive:
    """Every entry of a memory, scored for every question: no tiers, no index, nothing left out."""

    def __init__(self, root: Path) -> None:
        self.entries: list[Entry] = []
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for path in records(root):
            for entry in entries(path, (root / path).read_bytes()):
                found = weights(entry)
                table = codes(found.total())
                for term, tf in found.items():
                    self._postings[term].append((len(self.entries), IMPACT[table[min(tf, MOST_TF)]]))
                self.entries.append(entry)

    def search(self, question: str) -> list[tuple[str, str]]:
        scores: dict[int, float] = defaultdict(float)
        rows = sorted((len(self._postings[term]), term, weight) for term, weight in query_terms(question).items() if term in self._postings)
        for count, term, weight in rows:
            scale = weight * idf(len(self.entries), count)
            for number, impact in self._postings[term]:
                scores[number] += scale * impact
        best = sorted(scores, key=lambda number: (-scores[number], *(-key for key in sort_key(self.entries[number].at)), self.entries[number].ref, self.entries[number].path))
        return [(self.entries[number].ref, self.entries[number].path) for number in best[:LIMIT]]


def aged(source: Path, root: Path) -> Memory:
    """The conversations as sealed blocks, the oldest of each thread in archive/, the newest in active/."""
    memory = Memory.init(root)
    memory.ingest(source, format="locomo")
    memory.seal(everything=True)
    threads: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for path in records(root):
        document = Document.parse((root / path).read_bytes(), path)
        if document.text("kind") == "block":
            threads[document.text("thread")].append((int(document.text("first_turn")), path))
    for blocks in threads.values():
        for at, (_, path) in enumerate(sorted(blocks)):
            tier = "archive" if at < 0.6 * len(blocks) else "cooled" if at < 0.9 * len(blocks) else "active"
            if tier != "active":
                target = root / tier / path.partition("/")[2]
                target.parent.mkdir(parents=True, exist_ok=True)
                git(root, "mv", path, str(target.relative_to(root)))
    git(root, "commit", "-q", "-m", "Age")
    memory.reindex()
    return memory


def conversations(source: Path, scratch: Path) -> None:
    """Print what the cascade finds beside exhaustive search, and what it left unread."""
    memory = aged(source, scratch / "conversations")
    questions = [asked["question"] for sample in json.loads(source.read_bytes()) for asked in sample["qa"]]
    everything = Exhaustive(memory.root)
    shadow = memory._store.shadow
    same, unread, partly, read, every = 0, 0, 0, 0, 0
    tiers: Counter[str] = Counter()
    for question in questions:
        with watched() as seen:
            hits = shadow.search(question, limit=LIMIT)
        total = archived(memory, question)
        same += everything.search(question) == [(hit.ref, hit.path) for hit in hits]
        tiers.update(hit.tier for hit in hits)
        unread += seen["archive"] == 0
        partly += 0 < seen["archive"] < total
        read += min(seen["archive"], total)
        every += total
    counts = Counter(entry.path.partition("/")[0] for entry in everything.entries)
    print(f"{len(questions):,} questions over {len(everything.entries):,} entries: " + ", ".join(f"{counts[tier]:,} in {tier}/" for tier in ("active", "cooled", "archive")))
    print(f"{'the same ten hits as scoring everything':<48}{same / len(questions):>9.1%}")
    print(f"{'hits that lie in archive/':<48}{tiers['archive'] / tiers.total():>9.1%}")
    print(f"{'questions that read nothing in archive/':<48}{unread / len(questions):>9.1%}")
    print(f"{'questions that read a part of its postings':<48}{partly / len(questions):>9.1%}")
    print(f"{'postings read there, of all with the same terms':<48}{read / max(every, 1):>9.1%}")
    memory.close()


# -- a large archive -----------------------------------------------------------------------------------


def made(count: int, active: int) -> Iterator[tuple[str, bytes]]:
    """Events and blocks of about 80 words over 36 months, all but the last `active` in archive/."""
    words = Words()
    for number in range(count):
        tier = "archive" if number < count - active else "active"
        month = number * 36 // count
        folder = f"{2024 + month // 12}/{month % 12 + 1:02d}"
        day = f"{folder.replace('/', '-')}-{1 + number % 28:02d}"
        if number % 10:
            ref = new_id("evt", day, words.bytes)
            header = {"id": ref, "kind": "event", "title": words.text(6)[:-1], "event_type": "fact", "mentioned_at": f"{day}T10:00:00Z", "happened_start": day}
            yield f"{tier}/events/{folder}/{ref}.md", Document.new(header, (words.text(80) + "\n").encode()).data
        else:
            ref = new_id("blk", day, words.bytes)
            messages = [Message(f"m{number * 4 + at}", "user" if at % 2 else "assistant", words.text(20), at=f"{day}T10:0{at}:00Z") for at in range(4)]
            yield f"{tier}/blocks/{folder}/{ref}.md", seal_block(ref, f"t{number % 50}", 1, 2, messages, f"{day}T11:00:00Z", Summary(words.text(6)[:-1])).data


def build(root: Path, count: int, active: int, *, only_active: bool) -> Memory:
    if root.exists():
        return Memory.open(root)
    memory = Memory.init(root)
    for path, data in made(count, active):
        if path.startswith("active") or not only_active:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", f"{count} records")
    memory.reindex()
    return memory


def fts5(root: Path) -> Callable[[str], object]:
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table t using fts5(body, tokenize='porter unicode61')")
    base.executemany("insert into t values (?)", ((f"{entry.title} {entry.text}",) for path in records(root) for entry in entries(path, (root / path).read_bytes())))

    def search(question: str) -> object:
        words = " OR ".join(f'"{word}"' for word in question.split())
        return base.execute(f"select rowid from t where t match ? order by rank limit {LIMIT}", (words,)).fetchall()

    return search


def grep(root: Path) -> Callable[[str], object]:
    command = ["rg", "-lFi"] if shutil.which("rg") else ["grep", "-rlFi"]
    folders = [tier for tier in ("active", "archive") if (root / tier).is_dir()]
    return lambda question: subprocess.run([*command, question.split()[-1], *folders], cwd=root, stdout=subprocess.DEVNULL, check=False)


def command(root: Path) -> Callable[[str], object]:
    environment = {**os.environ, "STRATA_HOME": str(root), "NO_COLOR": "1"}
    return lambda question: subprocess.run([sys.executable, "-m", "strata", "search", question], env=environment, capture_output=True, check=True)


def timed(ask: Callable[[str], object], question: str) -> float:
    begun = time.perf_counter()
    ask(question)
    return (time.perf_counter() - begun) * 1000


def large(count: int, active: int, scratch: Path) -> None:
    """Print the cost of a search in the small memory and in the large one."""
    memories = [build(scratch / "small", count, active, only_active=True), build(scratch / f"large{count}", count, active, only_active=False)]
    words = Words(seed=99)
    questions = [words.question() for _ in range(QUESTIONS)]
    asks: dict[str, tuple[int, list[Callable[[str], object]]]] = {
        "search": (3, [memory.search for memory in memories]),
        "  of it looking at files": (3, [lambda _, memory=memory: memory._store.refresh() for memory in memories]),
        "  of it the index": (3, [memory._store.shadow.search for memory in memories]),
        "FTS5": (1, [fts5(memory.root) for memory in memories]),
    }
    single: dict[str, list[Callable[[str], object]]] = {
        "`strata search`": [command(memory.root) for memory in memories],
        "rg" if shutil.which("rg") else "grep": [grep(memory.root) for memory in memories],
    }
    rows: dict[str, list[list[float]]] = {}
    for name, (repeats, pair) in asks.items():
        for ask in pair:
            ask(questions[0])
        taken: list[list[list[float]]] = [[[] for _ in questions] for _ in pair]
        for _ in range(repeats):
            for at, question in enumerate(questions):
                for column, ask in enumerate(pair):
                    taken[column][at].append(timed(ask, question))
        rows[name] = [[min(times) for times in column] for column in taken]
    for name, pair in single.items():
        few = questions[:: QUESTIONS // GREPS]
        rows[name] = [list(column) for column in zip(*([timed(ask, question) for ask in pair] for question in [few[0], *few]), strict=True)]
    counts = [len(records(memory.root)) for memory in memories]
    print(f"\n{'milliseconds':<28}" + "".join(f"{count:>11,} {'p95':>8}" for count in counts) + f"{'ratio':>8}")
    for name, columns in rows.items():
        shown = "".join(f"{statistics.median(times):>11.2f} {sorted(times)[int(0.95 * len(times))]:>8.2f}" for times in columns)
        print(f"{name:<28}{shown}{statistics.median(columns[1]) / statistics.median(columns[0]):>8.2f}")
    read, every = 0, 0
    for question in questions:
        every += archived(memories[1], question)
        with watched() as seen:
            memories[1]._store.shadow.search(question, limit=LIMIT)
        read += seen["archive"]
    print(f"postings read in archive/, of all with the same terms: {read / max(every, 1):.1%}")
    for memory in memories:
        memory.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conversations", nargs="?", type=Path, help="a file in the shape of LoCoMo")
    parser.add_argument("--records", type=int, default=100_000, help="0 leaves the second table out")
    parser.add_argument("--active", type=int, default=1_000)
    parser.add_argument("--keep", type=Path, help="a directory to keep the made-up memories in and take them from")
    options = parser.parse_args()
    scratch = options.keep or Path(tempfile.mkdtemp(prefix="strata-tiers-"))
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        if options.conversations:
            shutil.rmtree(scratch / "conversations", ignore_errors=True)
            conversations(options.conversations, scratch)
        if options.records:
            large(options.records, options.active, scratch)
    finally:
        shutil.rmtree(scratch / "conversations" if options.keep else scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
