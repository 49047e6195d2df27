"""Entities, chains and exports as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from strata.render.screen import Screen
from strata.render.values import Listing
from strata.render.visible import fit, one_line, visible, width
from strata.render.words import SHORT_ID, count, day, listed

if TYPE_CHECKING:
    from strata.network import EntityFound, EntityName, EntityRow, EntityShown, FactShown, Rearranged, Rebuilt, Way

_TYPE = {"person": "blue", "project": "magenta", "organization": "yellow", "tool": "cyan", "place": "green"}
_STATUS = {"disputed": "yellow", "retracted": "red"}
_EVENTS = 2  # that are named with a fact
_FACTS = 4  # that a search shows of an entity
_LEAST = 24  # columns for a value, however narrow the terminal


def entities(listing: Listing, screen: Screen) -> list[str]:
    """One line an entity: its name, type, how many facts are true out of how many, and its id."""
    found: Sequence[EntityRow] = listing.items
    names = [one_line(row.name) + (f" ({listed(row.aliases, 3)})" if row.aliases else "") for row in found]
    facts = [count(row.facts, "fact") if row.now == row.facts else f"{row.now:,} of {count(row.facts, 'fact')}" for row in found]
    cells = [(name, one_line(row.type), said, day(row.updated), one_line(row.ref)) for name, said, row in zip(names, facts, found, strict=True)]
    return screen.table(cells, ("bold", "", "", "dim", "cyan"), right=(2,))


def entity(seen: EntityShown, screen: Screen) -> list[str]:
    """Who it is, then its facts in groups, each with when it holds and the events that say so, then what a person wrote."""
    lines = [f"{screen.paint(one_line(seen.name), 'bold')}  {screen.paint(one_line(seen.type), _TYPE.get(seen.type, ''))}"]
    if seen.aliases:
        lines[0] += screen.paint(f"  also {listed(seen.aliases, 8)}", "dim")
    about = [seen.ref, seen.path, f"updated {day(seen.updated)}" if seen.updated else "", f"as believed at {seen.believed[:SHORT_ID]}" if seen.believed else ""]
    lines.append(screen.paint("  ".join(one_line(part) for part in about if part), "dim"))
    if seen.asked:
        lines.append(screen.paint(f"{one_line(seen.asked)} was merged into it.", "yellow"))
    if seen.merged_into:
        into = one_line(seen.merged_into)
        lines.append(screen.paint(f"It was merged into {into}, and its facts are there: strata show {into}", "yellow"))
    if seen.split_from:
        lines.append(screen.paint(f"It was split off from {one_line(seen.split_from)}.", "dim"))
    if seen.split_into:
        lines.append(screen.paint(f"Split off from it: {listed(seen.split_into)}", "dim"))
    groups = [(f"True at {one_line(seen.at)}" if seen.at else "Now", seen.now), ("Planned", seen.planned), ("Earlier", seen.earlier)]
    room = _room([fact for _, facts in groups for fact in facts], screen)
    for title, facts in groups:
        if facts:
            lines += ["", screen.paint(title, "bold"), *_facts(facts, room, screen)]
    if not seen.merged_into and not any(facts for _, facts in groups):
        lines += ["", f"Nothing is known to have been true of it at {one_line(seen.at)}." if seen.at else "Nothing is said of it itself."]
    if seen.pointing:
        lines += ["", screen.paint("Of others", "bold"), *_pointing(seen, screen)]
    own = _own(seen)
    return [*lines, "", own] if own and not seen.at else lines


def _own(seen: EntityShown) -> str:
    """What a person wrote, without the heading that only names the entity."""
    first, _, rest = seen.own.strip("\n").partition("\n")
    return visible(rest.strip("\n") if first.lstrip("# ").strip() == seen.name else seen.own.strip("\n"))


class _Room(NamedTuple):
    """How wide each column of facts is."""

    keys: int
    values: int
    times: int
    events: int


def _room(facts: Sequence[FactShown], screen: Screen) -> _Room:
    """The columns of facts, the same in all groups; on a narrow terminal values are shorter, then events."""
    keys = max((width(one_line(fact.key)) for fact in facts), default=0)
    values = max((width(_value(fact)) for fact in facts), default=0)
    times = max((width(_when(fact)) for fact in facts), default=0)
    events = max((width(_events(fact.events)) for fact in facts), default=0)
    if screen.columns is not None:
        values = min(values, max(_LEAST, screen.columns - keys - times - events - 8))
        events = min(events, max(0, screen.columns - keys - values - times - 8))
    return _Room(keys, values, times, events)


def _facts(facts: Sequence[FactShown], room: _Room, screen: Screen) -> list[str]:
    lines, before = [], ""
    keys, values, times, events = room
    for fact in facts:
        key, value, when = one_line(fact.key), fit(_value(fact), values), _when(fact)
        cells = [
            screen.paint("" if key == before else key, "dim") + " " * (keys - (0 if key == before else width(key))),
            screen.paint(value, _STATUS.get(fact.status, "")) + " " * (values - width(value)),
            screen.paint(when, _STATUS.get(fact.status, "")) + " " * (times - width(when)),
            screen.paint(fit(_events(fact.events), events) if events else "", "cyan"),
        ]
        lines.append(f"  {'  '.join(cells if times else (cells[0], cells[1], cells[3]))}".rstrip())
        before = key
    return lines


def _pointing(seen: EntityShown, screen: Screen) -> list[str]:
    cells = [(f"  {one_line(other.name)}", one_line(other.fact.key), _when(other.fact), one_line(other.ref)) for other in seen.pointing]
    return screen.table(cells, ("", "dim", "", "cyan"))


def _value(fact: FactShown) -> str:
    """What is said, and of a relation the type of what it leads to."""
    kind = fact.other.removeprefix("ent-").partition("-")[0]
    return one_line(fact.value) + (f" ({one_line(kind)})" if kind else "")


def _when(fact: FactShown) -> str:
    """`since 2026-05`, `2024 to 2026-05`, and what keeps the fact from being plainly true."""
    start, end = one_line(fact.valid_from), one_line(fact.valid_to)
    words = f"{start} to {end}" if start and end else f"since {start}" if start else f"until {end}" if end else f"said {day(fact.said)}" if fact.said else ""
    return f"{words}, {fact.status}".removeprefix(", ") if fact.status in _STATUS else words


def _events(events: Sequence[str]) -> str:
    return " ".join(map(one_line, events[:_EVENTS])) + (f" +{len(events) - _EVENTS}" if len(events) > _EVENTS else "")


def found(listing: Listing, screen: Screen) -> list[str]:
    """An entity a line, and below it the facts that the words of the query are in."""
    lines: list[str] = []
    items: Sequence[EntityFound] = listing.items
    room = _room([fact for item in items for fact in item.facts[:_FACTS]], screen)
    for item in items:
        also = f"  also {listed(item.aliases, 3)}" if item.aliases else ""
        lines.append(f"{screen.paint(one_line(item.name), 'bold')}  {screen.paint(one_line(item.type), _TYPE.get(item.type, ''))}{screen.paint(also, 'dim')}  {screen.paint(one_line(item.ref), 'cyan')}")
        lines += _facts(item.facts[:_FACTS], room, screen)
        if more := len(item.facts) - len(item.facts[:_FACTS]) + item.others:
            lines.append(screen.paint(f"  {count(more, 'more fact')}: strata graph show {one_line(item.ref)}", "dim"))
    return lines


def way(found_way: Way, screen: Screen) -> list[str]:
    """One line a relation, with an arrow as it leads."""
    start, end = (_name(each, screen) for each in (found_way.start, found_way.end))
    if found_way.start.ref == found_way.end.ref:
        return [f"{start} is both ends."]
    if not found_way.steps:
        why = "no chain of relations joins them" if found_way.whole else f"no chain was found among the {found_way.looked:,} entities nearest to them"
        return [f"From {start} to {end}: {why}."]
    lines = [f"From {start} to {end}: {count(len(found_way.steps), 'relation')}", ""]
    cells = []
    for step in found_way.steps:
        key = one_line(step.fact.key)
        arrow = f"-- {key} -->" if step.forward else f"<-- {key} --"
        cells.append((f"  {one_line(step.source.name)}", arrow, one_line(step.target.name), _when(step.fact), _events(step.fact.events)))
    return [*lines, *screen.table(cells, ("bold", "dim", "bold", "", "cyan"))]


def _name(who: EntityName, screen: Screen) -> str:
    return f"{screen.paint(one_line(who.name), 'bold')} ({one_line(who.type)})"


def rearranged(done: Rearranged, screen: Screen) -> list[str]:
    """A sentence: what was done to whom, what they are by it, in which commit."""
    ref, other = (screen.paint(one_line(each), "bold") for each in (done.ref, done.other))
    facts, others = (count(number, "fact") for number in (done.facts, done.other_facts))
    names = f"also by {listed(done.names, 20)}" if done.names else "by no other name"
    said = {
        "merged": f"Merged {other} into {ref}, which has {facts} now",
        "parted": f"Took {other} apart from {ref}: {others} and {facts}",
        "split": f"Split {other} off from {ref}: {others} there, {facts} left",
        "named": f"{ref} goes {names} now",
    }[done.did]
    return [f"{said} {_commit(done.commit, screen)}" if done.commit else f"{said.removesuffix(' now')}, as before; nothing was written."]


def rebuilt(done: Rebuilt, screen: Screen) -> list[str]:
    """How many entities were made anew."""
    entities = count(done.entities, "entity", "entities")
    if done.commit:
        return [f"Rebuilt: {entities} {_commit(done.commit, screen)}"]
    return [f"Nothing to change: {entities}, just as the event cards say."]


def _commit(commit: str, screen: Screen) -> str:
    return screen.paint(f"(commit {commit[:SHORT_ID]})", "dim")
