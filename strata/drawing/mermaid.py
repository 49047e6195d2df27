"""A graph as a Mermaid flowchart, as GitHub and Obsidian show it (https://mermaid.js.org/syntax/flowchart.html)."""

from __future__ import annotations

import re

from strata.drawing import NOW, Graph, label
from strata.drawing.colours import FILLS

_HARMLESS = re.compile(r"[^A-Za-z0-9 .,'/!?$+=\-\u0080-\U0010ffff]")
_LIST = re.compile(r"^(\d+)([.)])|^([-+])")  # what reads as a list in markdown


def mermaid(graph: Graph) -> str:
    """A flowchart from left to right; entities coloured by type, relations that do not hold any more dotted."""
    places = {node.id: f"n{number}" for number, node in enumerate(graph.nodes, 1)}
    lines = ["flowchart LR"]
    lines += [f'  {places[node.id]}["{_text(node.name)}"]' for node in graph.nodes]
    for edge in graph.edges:
        arrow = "-->" if edge.status == NOW else "-.->"
        lines.append(f'  {places[edge.source]} {arrow}|"{_text(edge.label)}"| {places[edge.target]}')
    for type_ in sorted({node.type for node in graph.nodes} & FILLS.keys() - {""}):
        fill, stroke = FILLS[type_]
        lines.append(f"  classDef {type_} fill:{fill},stroke:{stroke},color:#0f172a")
        lines.append(f"  class {','.join(places[node.id] for node in graph.nodes if node.type == type_)} {type_}")
    return "\n".join([*lines, ""])


def _text(text: str) -> str:
    """A label in quotes: what Mermaid or its markdown could read as syntax is the entity of its number."""
    plain = label(text)
    spelled = _HARMLESS.sub(lambda match: f"#{ord(match.group())};", plain)
    return _LIST.sub(lambda match: f"{match[1]}#{ord(match[2])};" if match[1] else f"#{ord(match[3])};", spelled) or " "
