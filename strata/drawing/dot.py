"""A graph in the DOT language of Graphviz (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

import re

from strata.drawing import NOW, Graph, label
from strata.drawing.colours import FILLS


def dot(graph: Graph) -> str:
    """A digraph; entities are boxes filled by type, relations that do not hold any more are dashed."""
    lines = [
        'digraph "strata" {',
        f"  graph [label={_text(label(graph.caption, 200))}, labelloc=b, rankdir=LR, fontname=Helvetica, fontsize=11, pad=0.3, nodesep=0.4, ranksep=0.9];",
        '  node [shape=box, style="rounded,filled", fontname=Helvetica, fontsize=12, color="#94a3b8", fillcolor="#f1f5f9"];',
        '  edge [fontname=Helvetica, fontsize=10, color="#64748b", fontcolor="#475569"];',
    ]
    for node in graph.nodes:
        fill, stroke = FILLS.get(node.type, FILLS[""])
        tooltip = "\n".join([label(node.type), *(label(fact, 160) for fact in node.facts)])
        lines.append(f'  {_id(node.id)} [label={_text(label(node.name))}, tooltip={_text(tooltip)}, fillcolor="{fill}", color="{stroke}"];')
    for edge in graph.edges:
        style = "" if edge.status == NOW else ", style=dashed"
        lines.append(f"  {_id(edge.source)} -> {_id(edge.target)} [label={_text(label(edge.label))}{style}];")
    return "\n".join([*lines, "}", ""])


def _id(text: str) -> str:
    """A name of a node: in quotes, where only the quote itself has to be escaped, and a backslash must not escape it by chance."""
    return '"' + label(text, 200).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _text(text: str) -> str:
    """A label: Graphviz reads escapes (`\\N` is the name of the node) and HTML entities (`&lt;`) in it, so both are spelled out."""
    spelled = re.sub("[&<>]", lambda match: f"&#{ord(match.group())};", text)
    return '"' + spelled.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
