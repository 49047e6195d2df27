"""The full ranking over sealed conversations against SQLite FTS5 (porter, OR query, top 10) over the same messages.

    python tests/bench/ranking.py --sizes 1000,10000,100000

Blocks of 12 messages between two people, 20 blocks a thread, spread over the tiers; messages have 35 words on average,
from the vocabulary of `search.py`, and those of a block share some. Half the questions name a speaker, a tenth a month.
Indexing reads the blocks as files, with all signals, by as many processes as are asked for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

from search import QUERIES, Generator, by_size, fts5, times

from strata.entries import entries
from strata.model import Message, Summary
from strata.records import seal_block
from strata.shadow import Shadow

MESSAGES = 12  # of a block
BLOCKS = 20  # of a thread
NAMES = "Ada Ben Cleo Dov Edda Finn Gus Hana Ines Jon".split()
MONTHS = "January February March April June July August September October November December".split()
TODAY = date(2026, 11, 30)


def conversation(generator: Generator, size: int) -> tuple[dict[str, bytes], list[str]]:
    """The files of so many messages, and the texts."""
    pick = generator.random
    files, texts = {}, []
    for number in range(size // MESSAGES + 1):
        thread, place = divmod(number, BLOCKS)
        speakers = pick.sample(NAMES, 2)
        day = date(2020, 1, 1) + timedelta(days=number * 2000 // (size // MESSAGES + 1))
        topic = pick.choices(generator.words, cum_weights=generator.weights, k=6)
        messages = []
        for at in range(MESSAGES):
            words = pick.choices(generator.words, cum_weights=generator.weights, k=pick.randint(8, 56)) + pick.sample(topic, 2)
            pick.shuffle(words)
            text = " ".join(words) + ("?" if pick.random() < 0.25 else ".")
            messages.append(Message(f"m{number * MESSAGES + at}", "user", text, speakers[at % 2], f"{day}T09:{at:02}:00Z"))
            texts.append(text)
        summary = Summary(" ".join(topic), (), messages[0].text)
        block = seal_block(f"blk-{number:06}", f"t{thread}", place * MESSAGES + 1, (place + 1) * MESSAGES, messages, f"{day}T10:00:00Z", summary)
        tier = ("active", "cooled", "archive")[pick.choices((0, 1, 2), (1, 4, 5))[0]]
        files[f"{tier}/blocks/{day:%Y/%m}/blk-{number:06}.md"] = block.data
    return files, texts


def questions(generator: Generator) -> list[str]:
    """Half of them name somebody, a tenth a month."""
    found = []
    for number in range(QUERIES):
        text = generator.question()
        text = f"{generator.random.choice(NAMES)} {text}" if number % 2 else text
        found.append(f"in {generator.random.choice(MONTHS)} 2022 {text}" if number % 10 == 0 else text)
    return found


def indexing(root: Path, processes: int) -> None:
    """Run by a process of its own, so that the other numbers do not hold its memory."""
    paths = sorted(path.relative_to(root).as_posix() for path in root.glob("*/blocks/**/*.md"))
    start = time.perf_counter()
    Shadow(root / ".index", b"bench").rebuild(root, paths, {}, entries=entries, processes=processes)
    print(time.perf_counter() - start)


def measured(size: int, processes: int) -> list[str]:
    generator = Generator(size)
    files, texts = conversation(generator, size)
    asked = questions(generator)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for path, data in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        command = [sys.executable, __file__, "--index", scratch, "--processes", str(processes)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])}
        took = float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
        shadow = Shadow(root / ".index", b"bench")
        start = time.perf_counter()
        shadow.rank(asked[0], kinds=("message",), today=TODAY)
        first = (time.perf_counter() - start) * 1000
        median, late = times(lambda query: shadow.rank(query, kinds=("message",), today=TODAY), asked)
        plain, _ = times(lambda query: shadow.search(query, kinds=("message",)), asked)
        every, _ = times(lambda query: shadow.rank(query, today=TODAY), asked)
        disk = sum(file.stat().st_size for file in (root / ".index").rglob("*") if file.is_file()) / 1e6
        yard, sqlite = fts5(texts)
        yard_median, yard_late = times(sqlite, asked)
    row = [f"{len(texts):,}", f"{len(files):,}", f"{len(texts) / took:,.0f}", f"{len(texts) / yard:,.0f}", f"{disk:.0f}", f"{first:.0f}", f"{plain:.1f}", f"{every:.1f}"]
    return [*row, f"{median:.1f}", f"{late:.1f}", f"{yard_median:.1f}", f"{yard_late:.1f}", f"{median / yard_median:.2f}", f"{late / yard_late:.2f}"]


HEADINGS = ["messages", "blocks", "index/s", "fts5/s", "disk MB", "first", "text only", "all kinds", "median", "p95", "fts5 med", "fts5 p95", "ratio", "p95 ratio"]


if __name__ == "__main__":
    by_size(__doc__, HEADINGS, measured, lambda folder, processes: indexing(Path(folder), processes), "; ratios are to FTS5")
