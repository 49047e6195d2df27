"""An entity as it is shown: its facts sorted by whether they hold on a day, and the graph that several entities make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from strata import graph, moment
from strata.drawing import Edge, Graph, Node
from strata.graph import Fact
from strata.network import EntityName, EntityRow, EntityShown, FactShown, Pointing
from strata.portrait import Portrait

_TOLD = 12  # facts that the drawing of an entity tells


def fact_shown(fact: Fact, other: str = "", day: str = "") -> FactShown:
    """A fact as a value of its own, as of a `day`; `other` is where its relation leads, when that is not the id that the name gives."""
    over = bool(day) and fact.status in ("current", "disputed", "planned") and graph.is_over(fact, day)
    return FactShown(
        id=fact.id,
        mode=fact.mode,
        key=fact.key,
        value=fact.value,
        status="closed" if over else fact.status,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        said=fact.said,
        events=fact.events,
        other=other or fact.other,
        confidence=fact.confidence,
    )


def named(portrait: Portrait) -> EntityName:
    """Who it is."""
    return EntityName(portrait.id, portrait.type, portrait.name)


def row(portrait: Portrait, day: str) -> EntityRow:
    """The line of a list, as of a day."""
    return EntityRow(portrait.id, portrait.type, portrait.name, portrait.aliases, len(graph.at(portrait.facts, day)), len(portrait.facts), portrait.updated_at)


def shown(
    portrait: Portrait, path: str, today: str, *, at: str = "", pointing: Sequence[Pointing] = (), asked: str = "", believed: str = "", others: Mapping[str, str] | None = None
) -> EntityShown:
    """The entity with its facts of today, or with `at` those true then and no others.

    `others` says of ids that relations lead to where they lead now, after merges.
    """
    leads = others or {}
    now = graph.at(portrait.facts, at or today)
    rest = [] if at else [fact for fact in portrait.facts if fact not in now]
    planned = [fact for fact in rest if graph.is_to_come(fact, today) and not graph.is_over(fact, today)]
    earlier = [fact for fact in rest if fact not in planned]

    def told(facts: Iterable[Fact]) -> tuple[FactShown, ...]:
        return tuple(fact_shown(fact, leads.get(fact.other, ""), at or today) for fact in facts)

    return EntityShown(
        ref=portrait.id,
        type=portrait.type,
        name=portrait.name,
        path=path,
        aliases=portrait.aliases,
        now=told(sorted(now, key=_by_key)),
        planned=told(sorted(planned, key=lambda fact: (moment.sort_key(fact.since), _by_key(fact)))),
        earlier=told(sorted(earlier, key=lambda fact: moment.sort_key(fact.valid_to or fact.since), reverse=True)),
        pointing=tuple(pointing),
        own=portrait.own.strip("\n"),
        updated=portrait.updated_at,
        asked=asked,
        merged=portrait.merged,
        merged_into=portrait.merged_into,
        split_from=portrait.split_from,
        split_into=portrait.split_into,
        at=at,
        believed=believed,
    )


def portrait_at(portrait: Portrait, path: str, at: str, *, believed: str = "") -> EntityShown:
    """The entity as it was true on a day, for whoever has its portrait at hand already."""
    return shown(portrait, path, at, at=at, believed=believed)


def is_true(fact: Fact, day: str) -> bool:
    """Whether a relation holds on a day; a state may depend on those beside it, so ask of all of them."""
    return bool(graph.at((fact,), day))


def picture(portraits: Iterable[Portrait], leads: Mapping[str, str], day: str, *, true_only: bool, caption: str = "") -> Graph:
    """The graph that entities make by the relations among them; `leads` says where ids lead, after merges.

    With `true_only` it is what holds on the day, else also what was and what will be, marked.
    """
    nodes, edges = [], []
    for portrait in portraits:
        now = graph.at(portrait.facts, day)
        facts = now if true_only else [fact for fact in portrait.facts if fact.status != "retracted"]
        plain = [fact for fact in facts if not fact.target]
        about = [f"{fact.key}: {fact.value}" for fact in plain[:_TOLD]]
        nodes.append(Node(portrait.id, portrait.type, portrait.name, tuple(about), {"aliases": list(portrait.aliases), "updated": portrait.updated_at}))
        for fact in facts:
            if fact.target:
                status = "disputed" if fact.status == "disputed" else "current" if fact in now else "planned" if graph.is_to_come(fact, day) else "closed"
                extra = {"fact": fact.id, "valid_from": fact.valid_from, "valid_to": fact.valid_to, "events": list(fact.events), "confidence": fact.confidence}
                edges.append(Edge(portrait.id, leads.get(fact.other, fact.other), fact.key, status, extra))
    ids = {node.id for node in nodes}
    edges = [edge for edge in edges if edge.target in ids]
    return Graph(tuple(nodes), tuple(edges), caption)


def _by_key(fact: Fact) -> tuple[str, str, str]:
    return fact.key, fact.since, fact.value
