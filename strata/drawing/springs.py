"""Places for the nodes of a connected graph such that distances on paper are like distances in the graph.

Stress is brought down pair by pair (Zheng, Pawar, Goodman: Graph Drawing by Stochastic Gradient Descent,
https://arxiv.org/abs/1710.04626). Where it begins, and in which order the pairs come, follows from numbers that are the
same on every machine, so that the same graph always gets the same places.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import exp, log, sqrt

Place = tuple[float, float]
Neighbours = Sequence[Sequence[int]]

_SWEEPS = 30
_FINE = 0.05  # of the last sweep: how much of what is wrong with a pair it still mends
_ALL_PAIRS = 260  # nodes up to which each pair is looked at, and above it each with a few pivots
_PIVOTS = 40


def sprung(neighbours: Neighbours, seed: int) -> list[Place]:
    """A place for each node, edges about 1 long; another `seed` begins elsewhere."""
    count = len(neighbours)
    if count < 2:
        return [(0.0, 0.0)] * count
    numbers = _Numbers(seed)
    spread = sqrt(count)
    xs = [numbers.share() * spread for _ in range(count)]
    ys = [numbers.share() * spread for _ in range(count)]
    pairs = _pairs(neighbours)
    numbers.shuffle(pairs)
    longest = max(distance for _, _, distance in pairs)
    begin = float(longest * longest)
    fall = log(begin / _FINE) / (_SWEEPS - 1)
    for sweep in range(_SWEEPS):
        rate = begin * exp(-fall * sweep)
        for a, b, distance in pairs if sweep % 2 else reversed(pairs):
            share = rate / (distance * distance)
            dx, dy = xs[a] - xs[b], ys[a] - ys[b]
            apart = sqrt(dx * dx + dy * dy) or 1e-9
            step = (share if share < 1.0 else 1.0) * (apart - distance) / (2 * apart)
            dx, dy = dx * step, dy * step
            xs[a] -= dx
            ys[a] -= dy
            xs[b] += dx
            ys[b] += dy
    return list(zip(xs, ys, strict=True))


def hops(neighbours: Neighbours, start: int) -> list[int]:
    """How many edges each node is away from one; -1 where no way leads."""
    found = [-1] * len(neighbours)
    found[start] = 0
    waiting = deque((start,))
    while waiting:
        here = waiting.popleft()
        for other in neighbours[here]:
            if found[other] < 0:
                found[other] = found[here] + 1
                waiting.append(other)
    return found


def parts(neighbours: Neighbours) -> list[list[int]]:
    """The connected parts, the largest first."""
    seen: set[int] = set()
    found = []
    for start in range(len(neighbours)):
        if start not in seen:
            part = [node for node, far in enumerate(hops(neighbours, start)) if far >= 0] if neighbours[start] else [start]
            seen.update(part)
            found.append(part)
    return sorted(found, key=lambda part: (-len(part), part[0]))


def _pairs(neighbours: Neighbours) -> list[tuple[int, int, float]]:
    """The pairs to look at, each with its distance; all of them, or those with pivots that lie far from each other."""
    count = len(neighbours)
    if count <= _ALL_PAIRS:
        return [(a, b, float(far)) for a in range(count) for b, far in enumerate(hops(neighbours, a)[:a])]
    found = {(a, b): 1.0 for a in range(count) for b in neighbours[a] if b < a}
    nearest = [count] * count
    pivot = 0
    for _ in range(_PIVOTS):
        for node, far in enumerate(hops(neighbours, pivot)):
            nearest[node] = min(nearest[node], far)
            if node != pivot:
                found.setdefault((max(node, pivot), min(node, pivot)), float(far))
        pivot = max(range(count), key=lambda node: (nearest[node], -node))
    return [(a, b, far) for (a, b), far in found.items()]


class _Numbers:
    """Numbers that look like chance and are the same everywhere (a linear congruence modulo 2**64, by Knuth)."""

    def __init__(self, seed: int) -> None:
        self._state = seed * 2_654_435_761 + 88_172_645_463_325_252
        for _ in range(4):
            self.share()

    def share(self) -> float:
        self._state = (self._state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) & 0xFFFF_FFFF_FFFF_FFFF
        return (self._state >> 33) / 2**31

    def shuffle(self, items: list[tuple[int, int, float]]) -> None:
        for at in range(len(items) - 1, 0, -1):
            other = int(self.share() * (at + 1))
            items[at], items[other] = items[other], items[at]
