"""Drawings: the same graph gives the same bytes in every format, and no name can break out of its place."""

from __future__ import annotations

import html
import json
import re
from itertools import combinations
from math import dist
from typing import Any
from xml.etree import ElementTree

import pytest
from hostile import fields
from hypothesis import given, settings
from hypothesis import strategies as st

from strata.drawing import FORMATS, Edge, Graph, Node, drawn, label, ordered
from strata.drawing.boxes import Box, parted
from strata.drawing.letters import width, wrapped
from strata.drawing.routes import Line, cleared, routed, stretched
from strata.drawing.scene import MOST, scene
from strata.drawing.springs import parts, sprung
from strata.steering import hidden

TYPES = ("person", "project", "organization", "tool", "place")
SVG = "{http://www.w3.org/2000/svg}"


def node(name: str, type_: str = "person", *facts: str) -> Node:
    return Node(f"ent-{type_}-{name.lower().replace(' ', '-')}", type_, name, facts)


@pytest.fixture(scope="module")
def village() -> Graph:
    """Fifteen entities of all types, with relations that hold, that do not, and that are disputed."""
    names = {
        "person": ("Jo", "Ana Ribeiro", "Mika", "Old Tom", "user"),
        "project": ("kynd", "harbour map"),
        "organization": ("Acme", "Blue Lantern Studio"),
        "tool": ("pnpm", "Postgres 16", "Python 3.12"),
        "place": ("Berlin", "Lisbon", "the old lighthouse"),
    }
    nodes = {name: node(name, type_, "likes: tea") for type_, group in names.items() for name in group}
    told = [
        ("Jo", "works at", "Acme"), ("Jo", "worked at", "Blue Lantern Studio", "closed"), ("Jo", "sister of", "Ana Ribeiro"), ("Ana Ribeiro", "works at", "Blue Lantern Studio"),
        ("Jo", "maintains", "kynd"), ("Mika", "maintains", "kynd"), ("kynd", "uses", "pnpm"), ("kynd", "runs on", "Postgres 16"), ("harbour map", "uses", "Python 3.12"),
        ("harbour map", "runs on", "Postgres 16"), ("Mika", "lives in", "Lisbon"), ("Jo", "lives in", "Berlin"), ("Ana Ribeiro", "lives in", "Lisbon"),
        ("Ana Ribeiro", "started", "harbour map"), ("Old Tom", "keeps", "the old lighthouse"), ("Mika", "grandson of", "Old Tom"), ("Jo", "friend of", "Mika"),
        ("Mika", "friend of", "Jo", "disputed"), ("Acme", "based in", "Berlin"), ("user", "works with", "Jo"),
    ]  # fmt: skip
    edges = [Edge(nodes[source].id, nodes[target].id, key, *status) for source, key, target, *status in told]
    return Graph(tuple(nodes.values()), tuple(edges), "15 entities, 20 relations")


@st.composite
def hostile(draw: st.DrawFn) -> Graph:
    """Names, types, keys, facts and captions of anything at all; ids as a file made by hand may have them."""
    texts = draw(fields(8))
    count = draw(st.integers(1, 5))
    nodes = [Node(f"ent-{number}-{texts[5]}", draw(st.sampled_from([*TYPES, texts[6]])), texts[number % 5], (texts[7],), {"aliases": [texts[4]]}) for number in range(count)]
    pick = st.sampled_from(nodes)
    edges = [Edge(draw(pick).id, draw(pick).id, texts[draw(st.integers(0, 7))], draw(st.sampled_from(["current", "closed", "disputed"]))) for _ in range(draw(st.integers(0, 5)))]
    return Graph(tuple(nodes), tuple(edges), texts[3])


# -- all formats ---------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_the_order_in_which_a_graph_is_told_does_not_matter(village: Graph, format: str) -> None:
    backwards = Graph(village.nodes[::-1], (*village.edges[::-1], village.edges[0]), village.caption)

    assert drawn(village, format) == drawn(backwards, format)


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_graph_is_a_drawing_too(format: str) -> None:
    assert drawn(Graph((), ()), format).endswith("\n")


def test_of_two_nodes_with_one_id_the_same_one_is_drawn_in_any_order() -> None:
    one, two = Node("ent-person-jo", "person", "Jo"), Node("ent-person-jo", "person", "Johanna")

    assert ordered(Graph((one, two), ())) == ordered(Graph((two, one), ()))
    assert 1 == len(ordered(Graph((one, two), ())).nodes)


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="dot, mermaid, json, svg"):
        drawn(Graph((), ()), "gif")


def test_an_edge_to_a_node_that_is_not_there_is_left_out() -> None:
    graph = ordered(Graph((node("Jo"),), (Edge("ent-person-jo", "ent-person-nobody", "knows"),)))

    assert () == graph.edges


@settings(deadline=None, max_examples=60)
@given(hostile())
def test_no_drawing_can_steer_a_terminal(graph: Graph) -> None:
    for format in FORMATS:
        text = drawn(graph, format)

        assert not hidden().search(text)
        assert text == drawn(graph, format)


# -- dot -----------------------------------------------------------------------------------------

_TOKEN = re.compile(r'\s*(?:(?P<arrow>->)|(?P<mark>[{}\[\]=;,])|(?P<word>[A-Za-z_][A-Za-z_0-9]*|-?[0-9.]+)|"(?P<text>(?:[^"\\\n]|\\.)*)")')


def read_dot(text: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Nodes and edges of a digraph, by the grammar of the language as far as it is used; fails on anything else."""
    tokens, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        assert match, f"no DOT at {text[at : at + 40]!r}"
        tokens.append((match.lastgroup, match[match.lastgroup or 0]))
        at = match.end()
    assert [("word", "digraph"), ("text", "strata"), ("mark", "{")] == tokens[:3]
    assert ("mark", "}") == tokens[-1]
    nodes, edges, statement = [], [], []
    for token in tokens[3:-1]:
        if token != ("mark", ";"):
            statement.append(token)
            continue
        opening = statement.index(("mark", "["))
        head, body = statement[:opening], [part for part in statement[opening + 1 : -1] if part != ("mark", ",")]
        assert ("mark", "]") == statement[-1]
        assert all(body[place + 1] == ("mark", "=") for place in range(0, len(body), 3))
        attributes = {body[place][1]: body[place + 2][1] for place in range(0, len(body), 3)}
        kinds = [kind for kind, _ in head]
        if kinds == ["text"]:
            nodes.append({"id": head[0][1], **attributes})
        elif kinds == ["text", "arrow", "text"]:
            edges.append({"source": head[0][1], "target": head[2][1], **attributes})
        else:
            assert head[0] in [("word", "graph"), ("word", "node"), ("word", "edge")]
        statement = []
    assert [] == statement
    return nodes, edges


def dot_label(text: str) -> str:
    """What Graphviz shows for a label: first escapes, then entities."""
    plain = re.sub(r"\\(.)", lambda match: {"n": "\n", "N": "<NAME>", "G": "<GRAPH>", "l": "\n", "r": "\n"}.get(match[1], match[1]), text)
    return html.unescape(plain)


def test_dot_says_what_the_graph_says(village: Graph) -> None:
    nodes, edges = read_dot(drawn(village, "dot"))

    assert {each.name for each in village.nodes} == {each["label"] for each in nodes}
    assert {(each.source, each.label, each.target) for each in village.edges} == {(each["source"], each["label"], each["target"]) for each in edges}
    assert ["worked at"] == [each["label"] for each in edges if each.get("style") == "dashed" and each["label"] != "friend of"]


@settings(deadline=None, max_examples=300)
@given(hostile())
def test_dot_holds_any_name(graph: Graph) -> None:
    nodes, edges = read_dot(drawn(graph, "dot"))
    whole = ordered(graph)

    assert [label(each.name) for each in whole.nodes] == [dot_label(each["label"]) for each in nodes]
    assert [label(each.label) for each in whole.edges] == [dot_label(each["label"]) for each in edges]
    assert {each["source"] for each in edges} | {each["target"] for each in edges} <= {each["id"] for each in nodes}


@pytest.mark.parametrize("ref", ['a"b', "a\\", '\\"', "a -> b", "東京"])
def test_dot_holds_an_id_made_by_hand(ref: str) -> None:
    nodes, edges = read_dot(drawn(Graph((Node(ref, "person", "x"),), (Edge(ref, ref, "knows"),)), "dot"))

    assert (1, 1) == (len(nodes), len(edges))
    assert nodes[0]["id"] == edges[0]["source"] == edges[0]["target"]


@pytest.mark.parametrize("name", ['a "b" c', "ends in \\", "\\N \\G \\L", "<b>bold</b>", "&lt;", "two\nlines", '\\"', "] -> x", "東京"])
def test_dot_shows_a_name_as_it_is(name: str) -> None:
    (only,), _ = read_dot(drawn(Graph((Node("ent-person-x", "person", name),), ()), "dot"))

    assert " ".join(name.split()) == dot_label(only["label"])


# -- mermaid -------------------------------------------------------------------------------------

_MERMAID = re.compile(
    r'  (?P<id>n\d+)\["(?P<name>[^"]+)"\]|  (?P<source>n\d+) (?P<arrow>-->|-\.->)\|"(?P<label>[^"]+)"\| (?P<target>n\d+)'
    r"|  classDef [a-z]+ fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}|  class n\d+(?:,n\d+)* [a-z]+"
)


def read_mermaid(text: str) -> tuple[list[str], list[tuple[str, str, str, str]]]:
    """Names by place and edges of a flowchart, every line in one of the forms that are used."""
    first, *lines = text.removesuffix("\n").split("\n")
    assert "flowchart LR" == first
    names: list[str] = []
    edges = []
    for line in lines:
        match = _MERMAID.fullmatch(line)
        assert match, f"no such line: {line!r}"
        if match["id"]:
            assert f"n{len(names) + 1}" == match["id"]
            names.append(decoded(match["name"]))
        elif match["source"]:
            edges.append((match["source"], match["arrow"], decoded(match["label"]), match["target"]))
    return names, edges


def decoded(text: str) -> str:
    """A label with its entities as characters; nothing else in it may mean something to Mermaid or markdown."""
    assert not re.search(r"[\"`<>&|{}\[\]()\\%;:*_~]", re.sub(r"#\d+;", "", text)) and not re.match(r"\d+[.)]|[-+]", text)
    assert "#" not in re.sub(r"#\d+;", "", text)
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), text)


def test_mermaid_says_what_the_graph_says(village: Graph) -> None:
    names, edges = read_mermaid(drawn(village, "mermaid"))

    told = {(names[int(source[1:]) - 1], text, names[int(target[1:]) - 1]) for source, _, text, target in edges}
    by_id = {each.id: each.name for each in village.nodes}
    assert {each.name for each in village.nodes} == set(names)
    assert {(by_id[each.source], each.label, by_id[each.target]) for each in village.edges} == told
    assert 2 == sum(arrow == "-.->" for _, arrow, _, _ in edges)


@settings(deadline=None, max_examples=300)
@given(hostile())
def test_mermaid_holds_any_name(graph: Graph) -> None:
    names, edges = read_mermaid(drawn(graph, "mermaid"))
    whole = ordered(graph)

    assert [label(each.name) or " " for each in whole.nodes] == names
    assert [label(each.label) or " " for each in whole.edges] == [text for _, _, text, _ in edges]


# -- json ----------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(hostile())
def test_json_keeps_every_text_as_it_is(graph: Graph) -> None:
    graph = joined(graph)
    told = json.loads(drawn(graph, "json"))
    whole = ordered(graph)

    assert [(each.id, each.type, each.name, list(each.facts)) for each in whole.nodes] == [(each["id"], each["type"], each["name"], each["facts"]) for each in told["nodes"]]
    assert [(each.source, each.target, each.label, each.status) for each in whole.edges] == [
        (each["source"], each["target"], each["label"], each["status"]) for each in told["edges"]
    ]
    assert graph.caption == told["caption"]


def joined(value: Any) -> Any:
    """The same with halves of a pair that stand together made one, as every reader of JSON does."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    if isinstance(value, dict):
        return {key: joined(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [joined(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def test_json_carries_what_a_program_may_want() -> None:
    told = json.loads(drawn(Graph((node("Jo")._replace(extra={"aliases": ["Johanna"]}),), (Edge("ent-person-jo", "ent-person-jo", "knows", extra={"events": ["evt-1"]}),)), "json"))

    assert ["Johanna"] == told["nodes"][0]["aliases"]
    assert ["evt-1"] == told["edges"][0]["events"]


# -- svg -----------------------------------------------------------------------------------------


def test_a_caption_with_quotes_stays_in_its_attribute() -> None:
    root = ElementTree.fromstring(drawn(Graph((), (), "\"' x=\"<&>"), "svg"))

    assert "Graph: \"' x=\"<&>" == root.get("aria-label")


def test_the_picture_names_everything_and_needs_nothing(village: Graph) -> None:
    text = drawn(village, "svg")
    root = ElementTree.fromstring(text)

    shown = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    assert {each.name for each in village.nodes} | {each.label for each in village.edges} <= set(shown)
    assert set(TYPES) | {"no longer", "disputed", village.caption} <= set(shown)
    assert "prefers-color-scheme:dark" in text
    assert {f"{SVG}{name}" for name in ("svg", "title", "style", "rect", "g", "path", "polygon", "text")} >= {each.tag for each in root.iter()}
    assert not re.search(r"url\(|href|@import|on[a-z]+=|http", text.replace('xmlns="http://www.w3.org/2000/svg"', ""))


def test_no_box_lies_on_another_and_no_label_on_a_box(village: Graph) -> None:
    found = scene(ordered(village))

    assert not any(one.touches(two, 20) for one, two in combinations(found.boxes, 2))
    assert not any(route.box.shared(box) for route in found.routes for box in found.boxes)
    assert not any(one.box.shared(two.box) for one, two in combinations(found.routes, 2))
    for route in found.routes:
        ends = (route.line.source, route.line.target)
        assert route.line.bend or not any(box.is_crossed(*route.points[0], *route.points[2]) for number, box in enumerate(found.boxes) if number not in ends)
        assert dist(route.points[0], route.points[2]) > 2 * min(route.box.w, route.box.h) + 25
    for box in (*found.boxes, *(route.box for route in found.routes)):
        assert 0 < box.x - box.w and box.x + box.w < found.width
        assert 0 < box.y - box.h and box.y + box.h < found.height


@settings(deadline=None, max_examples=80)
@given(hostile())
def test_the_picture_is_well_formed_with_any_name(graph: Graph) -> None:
    root = ElementTree.fromstring(drawn(graph, "svg"))

    assert len(graph.nodes) == sum(each.get("class", "").startswith("node ") for each in root.iter(f"{SVG}g"))
    assert {f"{SVG}{name}" for name in ("svg", "title", "style", "rect", "g", "path", "polygon", "text")} >= {each.tag for each in root.iter()}
    assert all(set(each.attrib) <= {"class", "x", "y", "width", "height", "rx", "d", "points", "transform", "viewBox", "role", "aria-label"} for each in root.iter())


def test_several_relations_between_two_are_told_apart() -> None:
    edges = (Edge("ent-person-a", "ent-person-b", "one"), Edge("ent-person-a", "ent-person-b", "two"), Edge("ent-person-b", "ent-person-a", "back"), Edge("ent-person-a", "ent-person-a", "self"))
    found = scene(ordered(Graph((node("a"), node("b")), edges)))

    assert {("one", "two"), ("back",), ("self",)} == {route.line.text for route in found.routes}
    there, back = (route.points[1] for route in found.routes if route.line.source != route.line.target)
    assert dist(there, back) > 60
    assert not any(one.box.shared(two.box) for one, two in combinations(found.routes, 2))


def test_some_hundred_nodes_are_arranged_without_overlap() -> None:
    count = 220
    nodes = tuple(Node(f"ent-person-{number:03}", "person", f"Person {number}") for number in range(count))
    edges = tuple(Edge(nodes[number].id, nodes[number // 3].id, "knows") for number in range(1, count))
    found = scene(ordered(Graph(nodes, edges)))

    assert not found.rows_only
    assert not any(one.touches(two) for one, two in combinations(found.boxes, 2))


def test_too_many_stand_in_rows_and_the_picture_says_so() -> None:
    nodes = tuple(Node(f"ent-person-{number:05}", "person", f"P{number}") for number in range(MOST + 1))
    edges = tuple(Edge(nodes[number].id, nodes[number // 2].id, "knows") for number in range(1, len(nodes)))
    text = drawn(Graph(nodes, edges), "svg")

    assert "too many to be arranged" in text
    assert len(nodes) == text.count('class="node person"')


# -- how it is laid out --------------------------------------------------------------------------


def test_springs_give_edges_about_one_length() -> None:
    ring = [[(number - 1) % 8, (number + 1) % 8] for number in range(8)]
    places = sprung(ring, 1)

    lengths = [((places[a][0] - places[b][0]) ** 2 + (places[a][1] - places[b][1]) ** 2) ** 0.5 for a in range(8) for b in ring[a]]
    assert 0.7 < min(lengths) and max(lengths) < 1.3
    assert places == sprung(ring, 1) != sprung(ring, 2)


def test_parts_come_with_the_largest_first() -> None:
    assert [[1, 2, 4], [0, 3], [5]] == parts([[3], [2], [1, 4], [0], [2], []])


def test_many_boxes_on_one_spot_are_parted() -> None:
    boxes = parted([Box(0, 0, 50, 15)] * 300, 10, 10)

    assert not any(one.touches(two) for one, two in combinations(boxes, 2))


def test_a_label_keeps_off_a_box_on_its_line() -> None:
    line = Line(0, 1, "now", ("knows",))
    (route,), bad = routed([line], [Box(0, 0, 30, 15), Box(400, 0, 30, 15), Box(200, 0, 25, 15)])
    (free,), good = routed([line], [Box(0, 0, 30, 15), Box(400, 0, 30, 15)])

    assert not route.box.shared(Box(200, 0, 25, 15))
    assert 190 < free.box.x < 210
    assert bad > good


def test_a_line_is_pulled_longer_than_its_label() -> None:
    line = Line(0, 1, "now", ("a relation with a name",))
    near = [Box(0, 0, 30, 15), Box(120, 0, 30, 15)]
    one, two = stretched([line], near)

    (route,), _ = routed([line], [one, two])
    assert two.x - one.x > 120
    assert dist(route.points[0], route.points[2]) > 2 * route.box.w + 30
    assert [one, two] == stretched([line], [one, two])


@pytest.mark.parametrize("y", [0, 3, -3])
def test_a_box_moves_off_a_line_of_others(y: float) -> None:
    line = Line(0, 1, "now", ("knows",))
    boxes = cleared([line], [Box(0, 0, 30, 15), Box(400, 0, 30, 15), Box(200, y, 25, 15)])

    assert boxes[:2] == [Box(0, 0, 30, 15), Box(400, 0, 30, 15)]
    assert not boxes[2].is_crossed(0, 0, 400, 0)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.floats(-300, 300), st.floats(-300, 300), st.floats(5, 90), st.floats(5, 30)), max_size=25))
def test_parted_boxes_do_not_touch(given_boxes: list[tuple[float, float, float, float]]) -> None:
    boxes = parted([Box(*box) for box in given_boxes], 10, 10)

    assert not any(one.touches(two, 9.9) for one, two in combinations(boxes, 2))
    assert [(box.w, box.h) for box in boxes] == [box[2:] for box in given_boxes]


@pytest.mark.parametrize("line, crossed", [((0, 0, 10, 10), True), ((0, 8, 10, 8), False), ((5, -5, 5, 20), True), ((0, 0, 3, 3), False), ((4.5, 4.5, 5.5, 5.5), True)])
def test_a_box_knows_which_lines_run_through_it(line: tuple[float, float, float, float], crossed: bool) -> None:
    assert crossed == Box(5, 5, 1, 1).is_crossed(*line)


@settings(deadline=None, max_examples=200)
@given(fields(1))
def test_wrapped_text_keeps_its_words_and_its_limits(texts: list[str]) -> None:
    text = label(texts[0])
    lines = wrapped(text, 20, 3)

    assert 1 <= len(lines) <= 3
    assert "".join(lines).replace(" ", "").removesuffix("…") == text.replace(" ", "")[: len("".join(lines).replace(" ", "").removesuffix("…"))]
    assert all(width(line, 10) <= 10 * 0.86 * 24 for line in lines)
