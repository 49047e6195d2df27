"""Indexing and search against SQLite FTS5 (porter, OR query, top 10): the same texts and questions in the same run.

    python tests/bench/search.py --sizes 1000,10000,100000

Texts have 80 words on average, from a Zipf vocabulary whose head is common English; questions have three to
eight words, stop words included. One file holds one entry; a tenth of the files are active.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

from strata.model import Entry
from strata.shadow import Shadow

COMMON = """the to and i a of it you in is that for my was on have with be so we this me but at are just do not as what
can they had about been like there all get from your would one out how know when if her more up did were time she has
think good go he an them day really some now see which their than been new love also great by want who our could then
work make thanks too feel people way much even into life always help something back said lot family things into friends
after take being year first over home any other going little because well only us week should where next most never
school house keep two why better friend still long made need through last start find start try place came give hope
project meeting city story music book night money dog garden train phone recipe doctor market river letter camera""".split()
SYLLABLES = [onset + vowel for onset in "b ch d f g k l m n p r s t v w z st tr pl".split() for vowel in ("a", "e", "i", "o", "u", "ai", "en", "or")]
ENDINGS = ["", "", "", "s", "ing", "ed", "er", "ly", "ness", "tion"]
QUESTION = "what when where who how did does is was the a to of in with about my for we you do and".split()
QUERIES = 200


class Generator:
    """Texts and questions that depend on the seed alone."""

    def __init__(self, seed: int, vocabulary: int = 60_000) -> None:
        self.random = random.Random(seed)
        words = dict.fromkeys(COMMON)
        while len(words) < vocabulary:
            stem = "".join(self.random.choice(SYLLABLES) for _ in range(self.random.choice((2, 2, 3, 3, 4))))
            words[stem + self.random.choice(ENDINGS)] = None
        self.words = list(words)
        self.weights = list(accumulate(1 / (rank + 3) for rank in range(len(self.words))))

    def text(self) -> str:
        words = self.random.choices(self.words, cum_weights=self.weights, k=self.random.randint(30, 130))
        for at in range(0, len(words), 12):
            words[at] = words[at].capitalize()
            words[at - 1] += "."
        return " ".join(words)

    def question(self) -> str:
        """Words of a text that somebody might remember, between words that only ask."""
        content = self.random.choices(self.words, cum_weights=self.weights, k=self.random.randint(2, 5))
        asking = self.random.sample(QUESTION, self.random.randint(1, 3))
        words = asking + content
        self.random.shuffle(words)
        return " ".join(words) + "?"


def entries(path: str, data: bytes) -> list[Entry]:
    """One note per file, as plain as can be: the time measured is that of the index."""
    return [Entry(path=path, ref=path[:-3], kind="note", text=data.decode(), at=path[-16:-6])]


def write_files(root: Path, texts: list[str]) -> list[str]:
    paths = []
    for number, text in enumerate(texts):
        tier = "active" if number % 10 == 0 else "cooled" if number % 10 < 5 else "archive"
        path = f"{tier}/notes/{number // 500:04}/{number:07}-2026-{number % 12 + 1:02}-{number % 28 + 1:02}-{number % 7}.md"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def times(run: Callable[[str], object], queries: list[str]) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds."""
    found = []
    for query in queries:
        start = time.perf_counter()
        run(query)
        found.append((time.perf_counter() - start) * 1000)
    found.sort()
    return statistics.median(found), found[int(len(found) * 0.95)]


def fts5(texts: list[str]) -> tuple[float, Callable[[str], object]]:
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table t using fts5(body, tokenize='porter')")
    start = time.perf_counter()
    database.executemany("insert into t(body) values (?)", ((text,) for text in texts))
    database.commit()
    took = time.perf_counter() - start

    def search(query: str) -> object:
        words = " OR ".join(f'"{word}"' for word in query.rstrip("?").split())
        return database.execute("select rowid from t where t match ? order by bm25(t) limit 10", (words,)).fetchall()

    return took, search


def peak(pids: Iterator[int] | list[int]) -> float:
    """The sum of the highest resident sizes of processes in MB; 0 where the system does not tell."""
    total = 0.0
    for pid in pids:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return total / 1024


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def indexing(size: int, processes: int) -> None:
    """Run by a process of its own, so that its memory is that of indexing alone."""
    root = Path(os.environ["STRATA_BENCH"])
    paths = sorted(str(path.relative_to(root).as_posix()) for path in root.glob("*/notes/*/*.md"))[:size]
    highest = 0.0

    def watch(done: int, total: int) -> None:
        nonlocal highest
        highest = max(highest, peak([os.getpid(), *children(os.getpid())]))

    start = time.perf_counter()
    Shadow(root / ".index", b"bench").rebuild(root, paths, {}, entries=_importable(), progress=watch, processes=processes)
    took = time.perf_counter() - start
    print(took, max(highest, peak([os.getpid()])))


def _importable() -> Callable[[str, bytes], list[Entry]]:
    """This module under a name that worker processes can import."""
    sys.path.insert(0, str(Path(__file__).parent))
    import search

    return search.entries


def measured(size: int, processes: int) -> list[str]:
    generator = Generator(size)
    texts = [generator.text() for _ in range(size)]
    queries = [generator.question() for _ in range(QUERIES)]
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        write_files(root, texts)
        command = [sys.executable, __file__, "--index", str(size), "--processes", str(processes)]
        path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "STRATA_BENCH": scratch, "PYTHONPATH": path}
        took, memory = map(float, subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split())
        shadow = Shadow(root / ".index", b"bench")
        start = time.perf_counter()
        shadow.search(queries[0])
        first = (time.perf_counter() - start) * 1000
        median, late = times(shadow.search, queries)
        scoped, _ = times(lambda query: shadow.search(query, tiers=("active",)), queries)
        updates, slowest = times(lambda name: shadow.update({name: entries(name, texts[0].encode())}, {}), [f"active/u{n}.md" for n in range(100)])
        disk = sum(file.stat().st_size for file in (root / ".index").rglob("*") if file.is_file()) / 1e6
        yard, sqlite = fts5(texts)
        yard_median, yard_late = times(sqlite, queries)
    row = [f"{size:,}", f"{size / took:,.0f}", f"{size / yard:,.0f}", f"{memory:.0f}", f"{disk:.1f}", f"{updates:.1f}", f"{slowest:.1f}", f"{first:.1f}"]
    return [*row, f"{median:.2f}", f"{late:.2f}", f"{scoped:.2f}", f"{yard_median:.2f}", f"{yard_late:.2f}"]


HEADINGS = ["entries", "index/s", "fts5/s", "peak MB", "disk MB", "update", "upd p95", "first", "median", "p95", "active", "fts5 med", "fts5 p95"]


def by_size(description: str | None, headings: list[str], measured: Callable[[int, int], list[str]], indexing: Callable[[str, int], None], note: str = "") -> None:
    """Print a row for each size that is asked for; with `--index` be the process that indexes and is measured."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--index", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.index:
        return indexing(arguments.index, arguments.processes)
    print(f"times in ms, {arguments.processes} processes for indexing, {QUERIES} questions{note}")
    print("".join(f"{heading:>10}" for heading in headings))
    for size in map(int, arguments.sizes.split(",")):
        print("".join(f"{cell:>10}" for cell in measured(size, arguments.processes)), flush=True)


if __name__ == "__main__":
    by_size(__doc__, HEADINGS, measured, lambda size, processes: indexing(int(size), processes))
