"""The lines of a drawing: which relations share one, how it bends, where its label stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import hypot
from typing import NamedTuple

from strata.drawing import NOW, Edge, label
from strata.drawing.boxes import Box, Cells
from strata.drawing.letters import width, wrapped

SIZE, LEADING = 11.5, 14.0  # of labels, in pixels
_BEND = 46.0  # how far two lines between the same nodes keep away from each other
_COLUMNS, _LINES, _MOST = 26, 2, 4  # of one label; labels of one line
_SPOTS = (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74)
_GAP = 5.0  # between an arrow and what it points at
_STUB = 38.0  # of a line that shows beside its label, at least
_ASIDE = 24.0  # that a box moves out of the way of a line, at once
_CAREFUL = 400  # lines up to which a label keeps off the other lines as well


class Line(NamedTuple):
    """One line from node to node, as numbers; `manner` is now, past or disputed. `bend` is how far its middle lies beside the straight way."""

    source: int
    target: int
    manner: str
    text: tuple[str, ...]
    bend: float = 0.0


class Route(NamedTuple):
    """A line on paper: begin, control point and end of a quadratic curve, and the middle of its label."""

    line: Line
    points: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
    box: Box


def lines(edges: Iterable[Edge], numbers: dict[str, int]) -> list[Line]:
    """The lines for these relations: one for those that go the same way and are drawn the same."""
    groups: dict[tuple[int, int, str], list[str]] = defaultdict(list)
    for edge in edges:
        manner = "now" if edge.status == NOW else "disputed" if edge.status == "disputed" else "past"
        groups[numbers[edge.source], numbers[edge.target], manner].append(label(edge.label))
    between: dict[tuple[int, int], list[Line]] = defaultdict(list)
    for (source, target, manner), texts in groups.items():
        between[min(source, target), max(source, target)].append(Line(source, target, manner, _text(texts)))
    return [line for pair, found in sorted(between.items()) for line in (_bent(found) if pair[0] != pair[1] else _stacked(found))]


def _text(texts: Sequence[str]) -> tuple[str, ...]:
    unlike = sorted(dict.fromkeys(texts))
    kept = [piece for text in unlike[:_MOST] for piece in wrapped(text, _COLUMNS, _LINES)]
    return (*kept, f"+{len(unlike) - _MOST} more") if len(unlike) > _MOST else tuple(kept)


def _bent(found: list[Line]) -> list[Line]:
    """Several lines between two nodes, side by side: each bends to a side of its own, seen from the lower number."""
    middle = (len(found) - 1) / 2
    return [line._replace(bend=_BEND * (place - middle) * (1 if line.source < line.target else -1)) for place, line in enumerate(found)]


def _stacked(found: list[Line]) -> list[Line]:
    """Several loops at one node, each higher than the one before."""
    return [line._replace(bend=38.0 + 26.0 * place) for place, line in enumerate(found)]


def size(line: Line) -> tuple[float, float]:
    """Half of what the label of a line takes, across and down."""
    return max((width(text, SIZE) for text in line.text), default=0.0) / 2 + 4, LEADING * len(line.text) / 2 + 1


def routed(found: Sequence[Line], boxes: Sequence[Box]) -> tuple[list[Route], float]:
    """Each line on paper, and how bad that looks: labels on nodes or labels, lines across nodes, labels or lines."""
    curves = [_curve(line, boxes) for line in found]
    nodes = Cells(boxes)
    bad, chords = 0.0, []
    careful = len(found) <= _CAREFUL
    for line, curve in zip(found, curves, strict=True):
        pieces = _pieces(curve)
        chords.append(pieces)
        if careful:
            ends = (line.source, line.target)
            bad += 6 * sum(any(boxes[number].is_crossed(*piece, 4) for piece in pieces) for number in range(len(boxes)) if number not in ends)
    routes: dict[int, Route] = {}
    labels = Cells()
    for number in sorted(range(len(found)), key=lambda number: (_length(curves[number]), number)):
        line, curve = found[number], curves[number]
        w, h = size(line)
        best: tuple[float, Box] | None = None
        for spot in _SPOTS:
            x, y = _on(curve, spot)
            box = Box(x, y, w, h)
            cost = 2.0 * abs(spot - 0.5) + _covered(box, nodes, 8.0) + _covered(box, labels, 8.0)
            if careful:
                cost += 0.7 * sum(any(box.is_crossed(*piece) for piece in pieces) for other, pieces in enumerate(chords) if other != number)
            if best is None or cost < best[0] - 1e-6:
                best = (cost, box)
        assert best is not None, "there are spots"
        bad += best[0] + (3.0 if _bare(line, curve, (w, h)) < _STUB / 2 else 0.0)
        labels.add(best[1])
        routes[number] = Route(line, curve, best[1])
    if careful:
        bad += 3 * _crossings(found, chords)
    return [routes[number] for number in range(len(found))], bad


def stretched(found: Sequence[Line], boxes: Sequence[Box]) -> list[Box]:
    """The boxes with ends pulled apart where a label would hide all of its line."""
    moved = list(boxes)
    for line in found:
        missing = _STUB - _bare(line, _curve(line, moved), size(line))
        if missing > 0.1 and line.source != line.target:
            one, two = moved[line.source], moved[line.target]
            dx, dy = two.x - one.x, two.y - one.y
            far = hypot(dx, dy) or 1.0
            step = missing / 2 / far
            moved[line.source] = one._replace(x=one.x - dx * step, y=one.y - dy * step)
            moved[line.target] = two._replace(x=two.x + dx * step, y=two.y + dy * step)
    return moved


def cleared(found: Sequence[Line], boxes: Sequence[Box]) -> list[Box]:
    """The boxes with those moved aside, a little, that a line between two others runs through."""
    moved = list(boxes)
    for line in found:
        if line.source == line.target:
            continue
        x1, y1, x2, y2 = *moved[line.source][:2], *moved[line.target][:2]
        far = hypot(x2 - x1, y2 - y1) or 1.0
        ux, uy = -(y2 - y1) / far, (x2 - x1) / far
        for number, box in enumerate(moved):
            if number not in (line.source, line.target) and box.is_crossed(x1, y1, x2, y2, 6):
                beside = (box.x - x1) * ux + (box.y - y1) * uy
                missing = abs(ux) * box.w + abs(uy) * box.h + 8 - abs(beside)
                step = min(max(missing, 0.0), _ASIDE) * (1 if beside >= 0 else -1)
                moved[number] = box._replace(x=box.x + ux * step, y=box.y + uy * step)
    return moved


def _bare(line: Line, curve: tuple[tuple[float, float], ...], half: tuple[float, float]) -> float:
    """How much of a line shows beside its label."""
    dx, dy = curve[2][0] - curve[0][0], curve[2][1] - curve[0][1]
    far = hypot(dx, dy)
    if not far or line.source == line.target:
        return far
    hidden = 2 * min(half[0] * far / abs(dx) if dx else 9e9, half[1] * far / abs(dy) if dy else 9e9)
    return far - hidden


def _covered(box: Box, others: Cells, weight: float) -> float:
    """What it costs to lie on others: more, the more of the box they cover."""
    area = 4 * box.w * box.h or 1.0
    return sum(weight * (0.3 + shared / area) for number in others.near(box) if (shared := box.shared(others.box(number))) > 0)


def _curve(line: Line, boxes: Sequence[Box]) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    one, two = boxes[line.source], boxes[line.target]
    if line.source == line.target:
        top = one.y - one.h
        return (one.x - 16, top), (one.x, top - 2 * line.bend), (one.x + 16, top - _GAP)
    dx, dy = two.x - one.x, two.y - one.y
    far = hypot(dx, dy) or 1.0
    x, y = (one.x + two.x) / 2 - dy / far * 2 * line.bend, (one.y + two.y) / 2 + dx / far * 2 * line.bend
    return one.edge_towards(x, y, 1), (x, y), two.edge_towards(x, y, _GAP)


def _on(curve: tuple[tuple[float, float], ...], spot: float) -> tuple[float, float]:
    (x1, y1), (x2, y2), (x3, y3) = curve
    a, b, c = (1 - spot) ** 2, 2 * spot * (1 - spot), spot**2
    return a * x1 + b * x2 + c * x3, a * y1 + b * y2 + c * y3


def _pieces(curve: tuple[tuple[float, float], ...]) -> list[tuple[float, float, float, float]]:
    (x1, y1), (x2, y2), (x3, y3) = curve
    if abs((x2 - x1) * (y3 - y1) - (y2 - y1) * (x3 - x1)) < 1.0:
        return [(x1, y1, x3, y3)]
    points = [_on(curve, part / 4) for part in range(5)]
    return [(*points[at], *points[at + 1]) for at in range(4)]


def _length(curve: tuple[tuple[float, float], ...]) -> float:
    return hypot(curve[2][0] - curve[0][0], curve[2][1] - curve[0][1])


def _crossings(found: Sequence[Line], chords: Sequence[list[tuple[float, float, float, float]]]) -> int:
    """How many pairs of lines that share no node cross, each taken as straight."""
    ends = [(*pieces[0][:2], *pieces[-1][2:]) for pieces in chords]
    total = 0
    for a in range(len(found)):
        nodes = {found[a].source, found[a].target}
        for b in range(a):
            if found[b].source not in nodes and found[b].target not in nodes and _cross(ends[a], ends[b]):
                total += 1
    return total


def _cross(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    ax, ay, bx, by = one
    cx, cy, dx, dy = two
    first = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    second = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    third = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    fourth = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    return first * second < 0 and third * fourth < 0
