"""A graph of entities as a drawing: Graphviz dot, Mermaid, JSON and SVG, each from the same value and always with the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from strata.steering import one_line

__all__ = ["FORMATS", "NOW", "Edge", "Graph", "Node", "drawn", "label", "ordered"]

FORMATS = ("dot", "mermaid", "json", "svg")
NOW = "current"  # the status of a relation that holds; any other is drawn as one that does not, or not for certain
_LONGEST = 80  # characters of a name in a drawing


class Node(NamedTuple):
    """One entity. `facts` are lines about it that a reader may look up in the drawing; `extra` goes into JSON alone."""

    id: str
    type: str
    name: str
    facts: tuple[str, ...] = ()
    extra: Mapping[str, Any] = {}


class Edge(NamedTuple):
    """One relation, from the id of one node to that of another."""

    source: str
    target: str
    label: str
    status: str = NOW
    extra: Mapping[str, Any] = {}


class Graph(NamedTuple):
    """What is drawn. `caption` says what one sees, in a sentence without a full stop."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    caption: str = ""


def drawn(graph: Graph, format: str) -> str:
    """The graph as text in one of `FORMATS`, ending in a line end; the order in which nodes and edges are given does not matter.

    An edge to a node that is not there is left out.
    """
    graph = ordered(graph)
    match format:
        case "dot":
            from strata.drawing.dot import dot

            return dot(graph)
        case "mermaid":
            from strata.drawing.mermaid import mermaid

            return mermaid(graph)
        case "json":
            from strata.drawing.nodelink import nodelink

            return nodelink(graph)
        case "svg":
            from strata.drawing.svg import svg

            return svg(graph)
    raise ValueError(f"{format!r} is none of {', '.join(FORMATS)}")


def ordered(graph: Graph) -> Graph:
    """The same graph with each node and edge once, in order."""
    nodes = {node.id: node for node in sorted(graph.nodes, key=_key)}  # of two with one id the later in order
    edges = {_key(edge): edge for edge in graph.edges if edge.source in nodes and edge.target in nodes}
    return Graph(tuple(nodes.values()), tuple(edges[key] for key in sorted(edges)), graph.caption)


def label(text: str, longest: int = _LONGEST) -> str:
    """A text as it may stand in a drawing: one line, nothing that steers, not too long."""
    line = one_line(text)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _key(item: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(part) for part in item)
