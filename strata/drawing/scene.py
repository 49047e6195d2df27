"""A graph laid out on paper: a box for each entity, a line for each relation, and the size of the paper.

Each connected part is arranged by springs, from several beginnings when it is small, and the best of these is taken; the
parts stand side by side, what has no relation below them. What is too large for that stands in rows and columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, sin, sqrt
from typing import NamedTuple

from strata.drawing import Graph, Node, label
from strata.drawing.boxes import Box, parted
from strata.drawing.letters import width, wrapped
from strata.drawing.routes import Line, Route, cleared, lines, routed, size, stretched
from strata.drawing.springs import Place, parts, sprung

NAME_SIZE, NAME_LEADING = 14.0, 17.0  # pixels
MARGIN = 28.0
MOST = 1_500  # nodes of one part that are arranged; 1,000 take about three seconds
_COLUMNS, _LINES = 20, 3  # of a name
_BOLD = 1.07  # bold letters are wider
_ACROSS, _DOWN = 34.0, 30.0  # pixels between two boxes, at least
_SQUEEZED = 0.62  # height of a distance that is 1 wide: labels are wide and low
_MENDS, _SOME = 8, 150  # times that hidden lines are pulled apart and boxes moved aside, in parts of so many nodes
_PARTS_GAP = 56.0


class Scene(NamedTuple):
    """What is painted: boxes and the lines of their names in the order of the nodes, routes, and the size of the paper."""

    boxes: tuple[Box, ...]
    names: tuple[tuple[str, ...], ...]
    routes: tuple[Route, ...]
    width: float
    height: float
    rows_only: bool = False  # too large to be arranged by its relations


def scene(graph: Graph) -> Scene:
    """The layout of an ordered graph."""
    names = [tuple(wrapped(label(node.name) or label(node.id), _COLUMNS, _LINES)) for node in graph.nodes]
    sizes = [_size(lines_of_name) for lines_of_name in names]
    numbers = {node.id: number for number, node in enumerate(graph.nodes)}
    found = lines(graph.edges, numbers)
    neighbours: list[list[int]] = [[] for _ in graph.nodes]
    for source, target in sorted({(line.source, line.target) for line in found} | {(line.target, line.source) for line in found}):
        if source != target:
            neighbours[source].append(target)
    islands = parts(neighbours)
    rows_only = bool(islands) and len(islands[0]) > MOST
    loners = [part[0] for part in islands if len(part) == 1]
    boxes: dict[int, Box] = {}
    blocks = []
    for part in islands:
        if len(part) > 1:
            blocks.append(dict(zip(part, _grid([sizes[node] for node in part]) if rows_only else _arranged(part, neighbours, sizes, found), strict=True)))
    if loners:
        blocks.append(dict(zip(loners, _grid([sizes[node] for node in _by_type(graph.nodes, loners)]), strict=True)))
        blocks[-1] = dict(zip(_by_type(graph.nodes, loners), blocks[-1].values(), strict=True))
    for block, (right, down) in zip(blocks, _packed(blocks), strict=True):
        boxes |= {node: box._replace(x=box.x + right, y=box.y + down) for node, box in block.items()}
    placed = [boxes[number] for number in range(len(graph.nodes))]
    routes, _ = routed(found, placed)
    return _on_paper(placed, names, routes, rows_only)


def _by_type(nodes: Sequence[Node], chosen: Sequence[int]) -> list[int]:
    return sorted(chosen, key=lambda number: (nodes[number].type, number))


def _size(name: Sequence[str]) -> tuple[float, float]:
    """Half the width and height of a box around a name."""
    return max(width(line, NAME_SIZE) for line in name) * _BOLD / 2 + 14, NAME_LEADING * len(name) / 2 + 8


def _arranged(part: list[int], neighbours: Sequence[Sequence[int]], sizes: Sequence[tuple[float, float]], found: Sequence[Line]) -> list[Box]:
    """Boxes for the nodes of one part, in its order."""
    places = {node: place for place, node in enumerate(part)}
    inner = [[places[other] for other in neighbours[node]] for node in part]
    mine = [line._replace(source=places[line.source], target=places[line.target]) for line in found if line.source in places]
    unit = _unit(mine, [sizes[node] for node in part])
    best: tuple[float, list[Box]] | None = None
    for seed in range(_tries(len(part))):
        for turn in (0.0, 0.35, -0.35) if len(part) <= 30 else (0.0,):
            flat = _turned(sprung(inner, seed + 1), turn)
            boxes = [Box(x * unit, y * unit * _SQUEEZED, *sizes[node]) for (x, y), node in zip(flat, part, strict=True)]
            boxes = parted(boxes, _ACROSS, _DOWN)
            for _ in range(_MENDS if len(part) <= _SOME else 1):
                boxes = stretched(mine, boxes)
                boxes = parted(cleared(mine, boxes) if len(part) <= _SOME else boxes, _ACROSS, _DOWN)
            if _tries(len(part)) == 1:
                return boxes
            bad = routed(mine, boxes)[1] + _extent(boxes) / (unit * unit * len(part))
            if best is None or bad < best[0] - 1e-6:
                best = (bad, boxes)
    assert best is not None, "there is at least one try"
    return best[1]


def _tries(count: int) -> int:
    """From how many beginnings a part is arranged."""
    return 3 if count <= 4 else 16 if count <= 16 else 8 if count <= 30 else 4 if count <= 60 else 1


def _unit(found: Sequence[Line], sizes: Sequence[tuple[float, float]]) -> float:
    """How many pixels an edge is long: two half boxes and the label between them, as most of them are."""
    needs = sorted(sizes[line.source][0] + sizes[line.target][0] + 2 * size(line)[0] + 36 for line in found if line.source != line.target)
    return min(max(needs[len(needs) * 3 // 4], 170.0), 330.0) if needs else 200.0


def _turned(places: Sequence[Place], turn: float) -> list[Place]:
    """The same places, turned such that they are wider than high, and by `turn` (radians) more."""
    count = len(places)
    mx, my = sum(x for x, _ in places) / count, sum(y for _, y in places) / count
    xx = sum((x - mx) ** 2 for x, _ in places)
    yy = sum((y - my) ** 2 for _, y in places)
    xy = sum((x - mx) * (y - my) for x, y in places)
    angle = -atan2(2 * xy, xx - yy) / 2 + turn
    c, s = cos(angle), sin(angle)
    return [((x - mx) * c - (y - my) * s, (x - mx) * s + (y - my) * c) for x, y in places]


def _extent(boxes: Sequence[Box]) -> float:
    left, top, right, bottom = _bounds(boxes)
    return (right - left) * (bottom - top)


def _bounds(boxes: Sequence[Box]) -> tuple[float, float, float, float]:
    return (
        min((box.x - box.w for box in boxes), default=0.0),
        min((box.y - box.h for box in boxes), default=0.0),
        max((box.x + box.w for box in boxes), default=0.0),
        max((box.y + box.h for box in boxes), default=0.0),
    )


def _grid(sizes: Sequence[tuple[float, float]]) -> list[Box]:
    """Boxes in rows, from left to right, about one and a half times as wide as high."""
    area = sum((2 * w + _ACROSS) * (2 * h + _DOWN) for w, h in sizes)
    most = max(1.5 * sqrt(area), 600.0)
    boxes, x, y, tallest = [], 0.0, 0.0, 0.0
    for w, h in sizes:
        if x and x + 2 * w > most:
            x, y, tallest = 0.0, y + tallest + _DOWN, 0.0
        boxes.append(Box(x + w, y + h, w, h))
        x += 2 * w + _ACROSS
        tallest = max(tallest, 2 * h)
    return boxes


def _packed(blocks: Sequence[dict[int, Box]]) -> list[tuple[float, float]]:
    """How far to move each block so that all stand in rows, the first on the left."""
    bounds = [_bounds(list(block.values())) for block in blocks]
    area = sum((right - left + _PARTS_GAP) * (bottom - top + _PARTS_GAP) for left, top, right, bottom in bounds)
    most = max(1.25 * sqrt(area), *(right - left for left, _, right, _ in bounds)) if bounds else 0.0
    moves, x, y, tallest = [], 0.0, 0.0, 0.0
    for left, top, right, bottom in bounds:
        if x and x + right - left > most + 1:
            x, y, tallest = 0.0, y + tallest + _PARTS_GAP, 0.0
        moves.append((x - left, y - top))
        x += right - left + _PARTS_GAP
        tallest = max(tallest, bottom - top)
    return moves


def _on_paper(boxes: Sequence[Box], names: Sequence[tuple[str, ...]], routes: Sequence[Route], rows_only: bool) -> Scene:
    """Everything moved to where the paper has its margin, and rounded to tenths, so that the last bits of a sine do not show."""
    corners = [Box(x, y, 0.0, 0.0) for route in routes for x, y in (route.points[0], route.points[2], _peak(route))]
    left, top, right, bottom = _bounds([*boxes, *(route.box for route in routes), *corners])

    def moved(box: Box) -> Box:
        return Box(round(box.x - left + MARGIN, 1), round(box.y - top + MARGIN, 1), round(box.w, 1), round(box.h, 1))

    def point(place: tuple[float, float]) -> tuple[float, float]:
        return round(place[0] - left + MARGIN, 1), round(place[1] - top + MARGIN, 1)

    shown = [Route(route.line, (point(route.points[0]), point(route.points[1]), point(route.points[2])), moved(route.box)) for route in routes]
    return Scene(tuple(map(moved, boxes)), tuple(names), tuple(shown), round(right - left + 2 * MARGIN), round(bottom - top + 2 * MARGIN), rows_only)


def _peak(route: Route) -> tuple[float, float]:
    (x1, y1), (x2, y2), (x3, y3) = route.points
    return (x1 + 2 * x2 + x3) / 4, (y1 + 2 * y2 + y3) / 4


def arrow(route: Route, long: float = 9.0, half: float = 4.2) -> tuple[tuple[float, float], ...]:
    """The corners of the head of an arrow at the end of a route."""
    (_, _), (x2, y2), (x3, y3) = route.points
    far = hypot(x3 - x2, y3 - y2) or 1.0
    ux, uy = (x3 - x2) / far, (y3 - y2) / far
    back = (x3 - ux * long, y3 - uy * long)
    corners = ((x3, y3), (back[0] - uy * half, back[1] + ux * half), (back[0] + uy * half, back[1] - ux * half))
    return tuple((round(x, 1), round(y, 1)) for x, y in corners)
