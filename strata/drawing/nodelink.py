"""A graph as JSON: nodes and edges, for programs that draw or count.

    {"caption": "3 entities, 2 relations",
     "nodes": [{"id": "ent-person-jo", "type": "person", "name": "Jo", …}],
     "edges": [{"source": "ent-person-jo", "target": "ent-organization-acme", "label": "works at", "status": "current", …}]}
"""

from __future__ import annotations

import json
from typing import Any

from strata.drawing import Edge, Graph, Node
from strata.steering import hidden


def nodelink(graph: Graph) -> str:
    """One object, a node or an edge on a line; what would steer a terminal is escaped, as JSON allows."""
    nodes = ",\n".join(f"    {_dumps(_node(node))}" for node in graph.nodes)
    edges = ",\n".join(f"    {_dumps(_edge(edge))}" for edge in graph.edges)
    rows = [f'  "caption": {_dumps(graph.caption)}', f'  "nodes": [\n{nodes}\n  ]' if nodes else '  "nodes": []', f'  "edges": [\n{edges}\n  ]' if edges else '  "edges": []']
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _node(node: Node) -> dict[str, Any]:
    return {"id": node.id, "type": node.type, "name": node.name, **node.extra, "facts": list(node.facts)}


def _edge(edge: Edge) -> dict[str, Any]:
    return {"source": edge.source, "target": edge.target, "label": edge.label, "status": edge.status, **edge.extra}


def _dumps(value: Any) -> str:
    return hidden().sub(lambda match: "".join(f"\\u{unit:04x}" for unit in _units(match.group())), json.dumps(value, ensure_ascii=False))


def _units(character: str) -> list[int]:
    data = character.encode("utf-16-be", "surrogatepass")
    return [data[at] << 8 | data[at + 1] for at in range(0, len(data), 2)]
