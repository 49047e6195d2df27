"""Make a memory of any size for the benchmarks: events, notes and blocks, spread over months and tiers.

    python tests/bench/generate.py DIRECTORY RECORDS

The records are spread over 36 months; the oldest six tenths lie in archive/, the next three in cooled/. Seven of ten are event cards and two are
notes, of about 80 words; one of ten is a block of four messages of 20 words. The words follow a
Zipf curve, from a fixed seed.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from strata import Memory
from strata.document import Document
from strata.model import Message
from strata.names import new_id
from strata.records import seal_block
from strata.model import Summary

COMMON = (
    "the of and to a in is it you that he was for on are with as his they be at one have this from or had by not but what some we can out other were all there "
    "when up use your how said an each she which do their time if will way about many then them would so these her thing look more day could go come did my no "
    "most who over know water than call first people may down side been now find"
).split()
VOCABULARY = 30_000


class Words:
    """A source of words: common ones often, each of the others more seldom than the one before."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        made = random.Random(1)
        rare = ["".join(made.choice("bcdfghklmnprstvw") + made.choice("aeiou") for _ in range(made.randint(2, 4))) for _ in range(VOCABULARY)]
        self._words = COMMON + rare
        self._weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(self._words))))

    def text(self, count: int) -> str:
        """`count` words in sentences."""
        words = self._random.choices(self._words, cum_weights=self._weights, k=count)
        return ". ".join(" ".join(words[at : at + 12]) for at in range(0, count, 12)) + "."

    def question(self) -> str:
        """Three to eight words, as a person asks: some common, some telling."""
        words = self._random.choices(COMMON, k=self._random.randint(1, 3))
        words += [self._words[min(int(self._random.paretovariate(0.4) * 60), len(self._words) - 1)] for _ in range(self._random.randint(2, 5))]
        return " ".join(words)

    def bytes(self, count: int) -> bytes:
        return self._random.randbytes(count)

    def choice(self, options: tuple[str, ...]) -> str:
        return self._random.choice(options)


def files(count: int, words: Words) -> Iterator[tuple[str, bytes]]:
    """`count` record files as (path, bytes)."""
    for number in range(count):
        tier = "archive" if number < 0.6 * count else "cooled" if number < 0.9 * count else "active"
        month = 1 + number * 36 // count
        year, day = 2024 + (month - 1) // 12, f"{2024 + (month - 1) // 12}-{(month - 1) % 12 + 1:02d}-{1 + number % 28:02d}"
        folder = f"{year}/{(month - 1) % 12 + 1:02d}"
        kind = number % 10
        if kind < 7:
            ref = new_id("evt", day, words.bytes)
            header = {"id": ref, "kind": "event", "title": words.text(6)[:-1], "event_type": "fact", "status": "occurred", "mentioned_at": f"{day}T10:00:00Z", "happened_start": day}
            yield f"{tier}/events/{folder}/{ref}.md", Document.new(header, (words.text(80) + "\n").encode()).data
        elif kind < 9:
            header = {"title": words.text(5)[:-1], "created_at": f"{day}T10:00:00Z"}
            yield f"{tier}/notes/{folder}/n{number:06d}.md", Document.new(header, (words.text(80) + "\n").encode()).data
        else:
            ref = new_id("blk", day, words.bytes)
            messages = [Message(f"m{n}", "user" if n % 2 else "assistant", words.text(20), at=f"{day}T10:0{n}:00Z") for n in range(1, 5)]
            summary = Summary(words.text(6)[:-1], ("tag",), words.text(10))
            yield f"{tier}/blocks/{folder}/{ref}.md", seal_block(ref, f"t{number % 50}", 1, 2, messages, f"{day}T11:00:00Z", summary).data


def generate(directory: Path, count: int) -> Memory:
    """A committed memory of `count` records; its index is not built yet."""
    memory = Memory.init(directory)
    words = Words()
    made = []
    for path, data in files(count, words):
        place = directory / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        made.append(path)
    for command in (["add", "-A"], ["-c", "gc.auto=0", "-c", "user.name=bench", "-c", "user.email=bench@strata.invalid", "commit", "-q", "-m", f"{count} records"], ["gc", "-q"]):
        subprocess.run(["git", *command], cwd=directory, check=True, capture_output=True)
    return memory


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    generate(Path(sys.argv[1]), int(sys.argv[2])).close()
