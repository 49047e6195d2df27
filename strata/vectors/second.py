"""The second score of one question: from the words' scores of some messages to the mixed ones of the best."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strata.vectors.cache import Vectors
from strata.vectors.likeness import likeness
from strata.vectors.mixing import CANDIDATES, mixed
from strata.wording import bare

Place = tuple[int, int]
"""The number of a part, and of a document in it."""


class Columns(NamedTuple):
    """What the index knows of the documents of one part, a number each; only those with a 1 in `wanted` are compared.

    `digests` are those of the passages, as signed numbers; `before` counts the messages before one in its file; `asks`
    is not 0 for one that asks.
    """

    digests: array[int]
    before: array[int]
    asks: bytes
    wanted: bytes


def rescored_places(vectors: Vectors, question: str, names: Iterable[str], parts: Sequence[Columns], lexical: Mapping[Place, float]) -> dict[Place, float]:
    """As `rescored`, for documents of parts: each is named by the number of its part and its own."""
    kept = [np.flatnonzero(np.frombuffer(part.wanted, np.uint8)) for part in parts]
    digests = [np.frombuffer(part.digests, np.int64)[keep].view(np.uint64) for part, keep in zip(parts, kept, strict=True)]
    starts = [np.frombuffer(part.before, np.uint32)[keep] == 0 for part, keep in zip(parts, kept, strict=True)]
    asks = [np.frombuffer(part.asks, np.uint8)[keep] for part, keep in zip(parts, kept, strict=True)]
    bases = np.concatenate([[0], np.cumsum([len(keep) for keep in kept])])
    positions = {}
    for (number, document), score in lexical.items():
        at = int(np.searchsorted(kept[number], document))
        if at < len(kept[number]) and kept[number][at] == document:
            positions[int(bases[number]) + at] = score
    found = rescored(vectors, question, names, positions, np.concatenate(digests), np.cumsum(np.concatenate(starts)), np.concatenate(asks))
    numbers = np.searchsorted(bases, list(found), side="right") - 1 if found else []
    mixed_ = {(int(number), int(kept[number][position - bases[number]])): score for number, (position, score) in zip(numbers, found.items(), strict=True)}
    return {**lexical, **mixed_}


def rescored(
    vectors: Vectors,
    question: str,
    names: Iterable[str],
    lexical: Mapping[int, float],
    digests: Sequence[int] | NDArray[np.uint64],
    runs: ArrayLike,
    asks: ArrayLike,
) -> dict[int, float]:
    """The scores of those that have a lexical one, and of the messages most alike in meaning.

    Keys are positions in `digests`, `runs` and `asks`, which hold every message that may be an answer, in the order of
    its conversation; `names` are those of the speakers, `digests` of the passages (`strata.wording`). Without
    a single vector, or a lexical score, the lexical scores come back as they are.
    """
    if not lexical or not len(digests):
        return dict(lexical)
    alike = likeness(vectors.similar(bare(question, names), digests), runs, asks)
    most = np.argpartition(-alike, min(CANDIDATES, len(alike)) - 1)[:CANDIDATES]
    return mixed(lexical, {position: float(alike[position]) for position in {*lexical, *most.tolist()}})
