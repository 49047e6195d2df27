"""Which documents of a large part can reach a score: found without reading a posting list, from bit maps.

Each list bounds what its term gives: nothing where the term is absent, what the calm code gives where it is present,
what the highest code gives where it is strong. A document can reach a score when its bounds add up to it. That is
worked out for all documents at once, with "and" and "or" of numbers that hold one bit for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import ceil
from typing import NamedTuple

MOST_LAYERS = 12  # lists up to which this is fast
_STEPS = 64  # bounds are rounded up to so many parts of the score to reach, so that sums meet again
_SOME = b"\0" + b"\1" * 255


class Layer(NamedTuple):
    """What a list says: its documents and its strong ones as bits, and the most that it gives to either."""

    every: int
    strong: int
    calm: float
    high: float


def able(layers: Sequence[Layer], least: float) -> int:
    """The documents, as bits, that can reach `least`, which is above 0; perhaps a few more, never one less."""
    unit = least / _STEPS
    weights = [(ceil(layer.calm / unit), ceil(layer.high / unit)) for layer in layers]
    rests = [0]
    for _, high in reversed(weights):
        rests.append(rests[-1] + high)
    rests.reverse()
    known: dict[tuple[int, int], int] = {}

    def reaching(number: int, need: int) -> int:
        """Those that can get `need` from this layer and the ones after it; -1 is all of them."""
        if need <= 0:
            return -1
        if need > rests[number]:
            return 0
        found = known.get((number, need))
        if found is None:
            every, strong, _, _ = layers[number]
            calm, high = weights[number]
            found = reaching(number + 1, need) | every & reaching(number + 1, need - calm)
            if strong:
                found |= strong & reaching(number + 1, need - high)
            known[number, need] = found
        return found

    return reaching(0, _STEPS)


def members(bits: int, documents: int) -> list[int]:
    """The documents of such a number, rising; `documents` is how many the part has."""
    data = bits.to_bytes((documents + 7) // 8, "little")
    some = data.translate(_SOME)
    found: list[int] = []
    at = some.find(1)
    while at >= 0:
        found += [at << 3 | bit for bit in _bits(data[at])]
        at = some.find(1, at + 1)
    return found


@cache
def _bits(byte: int) -> tuple[int, ...]:
    return tuple(bit for bit in range(8) if byte >> bit & 1)
