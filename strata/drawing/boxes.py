"""Rectangles on paper: which of them touch, how to part them, where a line leaves one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_ROUNDS = 500
_PATIENCE = 12  # rounds after which the paper has to grow
_GROWTH = 1.08
_CELL = 160.0


class Box(NamedTuple):
    """A rectangle by its centre and half its size."""

    x: float
    y: float
    w: float
    h: float

    def touches(self, other: Box, gap: float = 0.0) -> bool:
        """Whether less than `gap` is between the two."""
        return abs(self.x - other.x) < self.w + other.w + gap and abs(self.y - other.y) < self.h + other.h + gap

    def shared(self, other: Box) -> float:
        """The area that both cover."""
        across = min(self.x + self.w, other.x + other.w) - max(self.x - self.w, other.x - other.w)
        down = min(self.y + self.h, other.y + other.h) - max(self.y - self.h, other.y - other.h)
        return across * down if across > 0 and down > 0 else 0.0

    def edge_towards(self, x: float, y: float, gap: float = 0.0) -> tuple[float, float]:
        """Where the line from the centre to a point leaves the rectangle, `gap` outside of it; the point itself when it is inside."""
        dx, dy = x - self.x, y - self.y
        share = min((self.w + gap) / abs(dx) if dx else 9e9, (self.h + gap) / abs(dy) if dy else 9e9)
        return (self.x + dx * share, self.y + dy * share) if share < 1 else (x, y)

    def is_crossed(self, x1: float, y1: float, x2: float, y2: float, gap: float = 0.0) -> bool:
        """Whether a line from one point to another runs through it, by the slabs of its sides."""
        begin, end = 0.0, 1.0
        for start, way, low, high in ((x1, x2 - x1, self.x - self.w - gap, self.x + self.w + gap), (y1, y2 - y1, self.y - self.h - gap, self.y + self.h + gap)):
            if not way:
                if not low < start < high:
                    return False
                continue
            near, far = sorted(((low - start) / way, (high - start) / way))
            begin, end = max(begin, near), min(end, far)
            if begin >= end:
                return False
        return True


class Cells:
    """Boxes by the squares of the paper that they lie on, so that those nearby are found without a look at all."""

    def __init__(self, boxes: Sequence[Box] = (), gap: float = 0.0) -> None:
        self._cells: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._boxes: list[Box] = []
        self._gap = gap
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        for cell in self._on(box):
            self._cells[cell].append(len(self._boxes))
        self._boxes.append(box)

    def box(self, number: int) -> Box:
        return self._boxes[number]

    def near(self, box: Box) -> list[int]:
        """The numbers, in order, of boxes that may touch it."""
        return sorted({number for cell in self._on(box) for number in self._cells.get(cell, ())})

    def _on(self, box: Box) -> Iterator[tuple[int, int]]:
        w, h = box.w + self._gap, box.h + self._gap
        for column in range(int((box.x - w) // _CELL), int((box.x + w) // _CELL) + 1):
            for row in range(int((box.y - h) // _CELL), int((box.y + h) // _CELL) + 1):
                yield column, row


def parted(boxes: Sequence[Box], across: float, down: float) -> list[Box]:
    """The same boxes, moved until at least so much is between any two; where they stand too close for that, all move apart."""
    found = list(boxes)
    padded = [Box(box.x, box.y, box.w + across / 2, box.h + down / 2) for box in found]
    for number in range(1, _ROUNDS):
        if not number % _PATIENCE:
            padded = [box._replace(x=box.x * _GROWTH, y=box.y * _GROWTH) for box in padded]
        moved = False
        cells = Cells(padded)
        for a in range(len(padded)):
            for b in cells.near(padded[a]):
                if b > a and padded[a].touches(padded[b]):
                    _push(padded, a, b)
                    moved = True
        if not moved:
            break
    return [box._replace(x=pad.x, y=pad.y) for box, pad in zip(found, padded, strict=True)]


def _push(boxes: list[Box], a: int, b: int) -> None:
    """Part two along the axis that takes the shorter way; the first of two on one spot goes left."""
    one, two = boxes[a], boxes[b]
    over_x = one.w + two.w - abs(one.x - two.x)
    over_y = one.h + two.h - abs(one.y - two.y)
    if over_x < over_y:
        step = (over_x / 2 + 0.5) * (-1 if one.x <= two.x else 1)
        boxes[a], boxes[b] = one._replace(x=one.x + step), two._replace(x=two.x - step)
    else:
        step = (over_y / 2 + 0.5) * (-1 if one.y <= two.y else 1)
        boxes[a], boxes[b] = one._replace(y=one.y + step), two._replace(y=two.y - step)
