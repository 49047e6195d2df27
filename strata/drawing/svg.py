"""A graph as a picture: one SVG file without script or anything from outside, for light and dark backgrounds."""

from __future__ import annotations

import re

from strata.drawing import Graph, Node, label
from strata.drawing.boxes import Box
from strata.drawing.colours import DARK, DARK_FILLS, FILLS, LIGHT
from strata.drawing.letters import width
from strata.drawing.routes import LEADING, SIZE, Route
from strata.drawing.scene import MARGIN, NAME_LEADING, NAME_SIZE, Scene, arrow, scene

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif"
_MANY = 1_200  # relations up to which each is labelled where nothing could be arranged
_ILL_FORMED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 has no way to say
_TOO_LARGE = "in rows, since there are too many to be arranged by their relations"


def svg(graph: Graph) -> str:
    """The picture of an ordered graph; the same graph gives the same bytes."""
    found = scene(graph)
    caption = label(graph.caption, 200)
    if found.rows_only:
        caption = f"{caption} · {_TOO_LARGE}" if caption else _TOO_LARGE
    foot, across = _foot(graph, caption, found)
    wide, high = max(found.width, across + 2 * MARGIN), found.height + (34 if foot else 0)
    shift = (wide - found.width) / 2
    title = f"Graph: {caption}" if caption else "Graph"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}" role="img" aria-label="{_escaped(title)}">',
        f"<title>{_escaped(title)}</title>",
        f"<style>{_style(graph)}</style>",
        f'<rect class="paper" x="0.5" y="0.5" width="{wide - 1:g}" height="{high - 1:g}" rx="10"/>',
        f'<g transform="translate({shift:g} 0)">' if shift else "<g>",
    ]
    labelled = not found.rows_only or len(found.routes) <= _MANY
    lines += [_line(route) for route in found.routes]
    if labelled:
        lines += [_label(route) for route in found.routes if route.line.text]
    lines += [_node(node, box, name) for node, box, name in zip(graph.nodes, found.boxes, found.names, strict=True)]
    return "\n".join([*lines, "</g>", *foot, "</svg>", ""])


def _style(graph: Graph) -> str:
    types = sorted({_class(node.type) for node in graph.nodes})
    return (
        f"text{{font-family:{_FONT};font-size:{SIZE:g}px}}.name{{font-size:{NAME_SIZE:g}px;font-weight:600}}"
        ".line{fill:none;stroke-width:1.4}.past.line{stroke-dasharray:5 4}.disputed.line{stroke-dasharray:2 3}.node rect{stroke-width:1.4}.label{text-anchor:middle}"
        + _colours(LIGHT, FILLS, types)
        + "@media (prefers-color-scheme:dark){"
        + _colours(DARK, DARK_FILLS, types)
        + "}"
    )


def _colours(tones: tuple[str, ...], fills: dict[str, tuple[str, str]], types: list[str]) -> str:
    paper, text, quiet, line, past, disputed = tones
    rules = [
        f".paper{{fill:{paper};stroke:{past};stroke-opacity:.4}}.label,.foot{{fill:{quiet}}}.name{{fill:{text}}}.back{{fill:{paper};fill-opacity:.88}}",
        f".now.line{{stroke:{line}}}.now.head{{fill:{line}}}.past.line{{stroke:{past}}}.past.head{{fill:{past}}}.disputed.line{{stroke:{disputed}}}.disputed.head{{fill:{disputed}}}",
    ]
    rules += [f".{name} rect,rect.{name}{{fill:{fills[name if name != 'other' else ''][0]};stroke:{fills[name if name != 'other' else ''][1]}}}" for name in types]
    return "".join(rules)


def _class(type_: str) -> str:
    return type_ if type_ in FILLS and type_ else "other"


def _line(route: Route) -> str:
    (x1, y1), (x2, y2), (x3, y3) = route.points
    corners = " ".join(f"{x:g},{y:g}" for x, y in arrow(route))
    manner = route.line.manner
    return f'<path class="{manner} line" d="M{x1:g} {y1:g}Q{x2:g} {y2:g} {x3:g} {y3:g}"/><polygon class="{manner} head" points="{corners}"/>'


def _label(route: Route) -> str:
    box = route.box
    first = box.y - LEADING * (len(route.line.text) - 1) / 2 + SIZE * 0.36
    texts = [f'<text class="label" x="{box.x:g}" y="{first + LEADING * number:.1f}">{_escaped(text)}</text>' for number, text in enumerate(route.line.text)]
    return f'<rect class="back" x="{box.x - box.w:.1f}" y="{box.y - box.h:.1f}" width="{2 * box.w:.1f}" height="{2 * box.h:.1f}" rx="4"/>{"".join(texts)}'


def _node(node: Node, box: Box, name: tuple[str, ...]) -> str:
    x, y, w, h = box
    first = y - NAME_LEADING * (len(name) - 1) / 2 + NAME_SIZE * 0.36
    texts = [f'<text class="label name" x="{x:g}" y="{first + NAME_LEADING * number:.1f}">{_escaped(text)}</text>' for number, text in enumerate(name)]
    told = "\n".join([f"{label(node.name)} ({label(node.type)})" if node.type else label(node.name), *(label(fact, 160) for fact in node.facts)])
    rect = f'<rect x="{x - w:.1f}" y="{y - h:.1f}" width="{2 * w:.1f}" height="{2 * h:.1f}" rx="{min(h, 14):g}"/>'
    return f'<g class="node {_class(node.type)}"><title>{_escaped(told)}</title>{rect}{"".join(texts)}</g>'


def _foot(graph: Graph, caption: str, found: Scene) -> tuple[list[str], float]:
    """What the colours and lines mean, and the caption; and how wide that is."""
    x, y = MARGIN, found.height + 6
    lines = []
    for type_ in sorted({node.type for node in graph.nodes}):
        name = label(type_, 20) or "other"
        lines.append(f'<rect class="{_class(type_)}" x="{x:g}" y="{y - 9:g}" width="16" height="11" rx="4"/><text class="foot" x="{x + 22:g}" y="{y:g}">{_escaped(name)}</text>')
        x += 22 + width(name, SIZE) + 18
    for manner, meaning in (("past", "no longer"), ("disputed", "disputed")):
        if any(route.line.manner == manner for route in found.routes):
            lines.append(f'<path class="{manner} line" d="M{x:.1f} {y - 4:g}h24"/><text class="foot" x="{x + 30:.1f}" y="{y:g}">{meaning}</text>')
            x += 30 + width(meaning, SIZE) + 18
    if caption:
        x = max(x + 12, found.width - MARGIN - width(caption, SIZE))
        lines.append(f'<text class="foot" x="{x:.1f}" y="{y:g}">{_escaped(caption)}</text>')
        x += width(caption, SIZE)
    return lines, x - MARGIN


def _escaped(text: str) -> str:
    """Text as it stands in XML, also between quotes."""
    safe = _ILL_FORMED.sub("\ufffd", text)
    return re.sub("[&<>\"']", lambda match: f"&#{ord(match.group())};", safe)
