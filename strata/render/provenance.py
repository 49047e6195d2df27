"""Chains of reasons, and what two commits believe differently, as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from strata.render.screen import Screen
from strata.render.visible import fit, one_line, width
from strata.render.words import SHORT_ID, day, listed, minute

if TYPE_CHECKING:
    from strata.network import FactShown
    from strata.provenance import Beliefs, FactChange, Link, Touch

_STEP = "  "
_CHANGES = 3  # commits that are shown with a step, the latest; the first is always shown
_PLAIN = ("", "current", "occurred", "unknown")  # a status that says nothing of note
_COLOUR = {"added": "green", "reopened": "green", "settled": "green", "disputed": "yellow", "closed": "blue", "retracted": "red", "withdrawn": "red", "gone": "red"}
_LEAST = 24  # columns for a value, however narrow the terminal


def why(link: Link, screen: Screen, depth: int = 0) -> list[str]:
    """The chain, what a step rests on further in than the step: what it says, where, who brought it, and what is to be known of it."""
    indent = _STEP * depth
    inner = indent + _STEP
    about = [day(link.at), one_line(link.speaker), one_line(link.status) if link.status not in _PLAIN else ""]
    head = [screen.paint(link.kind, "bold"), screen.paint(one_line(link.ref), "cyan"), *(screen.paint(part, "dim") for part in about if part)]
    said = [f"“{one_line(quote.text)}”" for quote in link.quotes] or ([one_line(link.text)] if link.text else [])
    lines = [indent + "  ".join(head)]
    lines += [inner + (fit(text, max(20, screen.columns - len(inner))) if screen.columns else text) for text in said]
    if link.path:
        lines.append(inner + screen.paint(one_line(f"{link.path}:{link.line}" if link.line else link.path), "dim"))
    lines += [inner + screen.paint(text, "yellow") for text in _notes(link)]
    lines += [inner + line for line in _commits(link, screen)]
    for below in link.rests_on:
        lines += why(below, screen, depth + 1)
    return lines


def _notes(link: Link) -> list[str]:
    """What is to be known of a step besides what it says."""
    notes = [f"missing: {one_line(link.missing)}"] if link.missing else []
    notes += [f"forgotten on {one_line(link.forgotten)}"] if link.forgotten else []
    notes += [f"superseded by {listed(link.superseded_by)}"] if link.superseded_by else []
    notes += [f"conflicts with {listed(link.conflicts_with)}"] if link.conflicts_with else []
    notes += ["not committed yet" if link.brought is None else "with changes that are not committed yet"] if link.uncommitted else []
    return notes + ([f"{'also ' if link.rests_on else ''}said by {listed(link.others, 3)}"] if link.others else [])


def _commits(link: Link, screen: Screen) -> list[str]:
    """The commit that brought a step, and the latest of those that changed it."""
    if link.brought is None:
        return []
    lines = [_touch(touch, screen) for touch in (link.brought, *link.changed[-_CHANGES:])]
    if (left := len(link.changed) - _CHANGES) > 0:
        lines.insert(1, screen.paint(f"… {left:,} more: strata log {one_line(link.ref.partition('#')[0])}", "dim"))
    return lines


def _touch(touch: Touch, screen: Screen) -> str:
    return "  ".join((f"{touch.what:7}", screen.paint(touch.id[:SHORT_ID], "yellow"), screen.paint(minute(touch.at), "dim"), one_line(touch.author.name), one_line(touch.subject)))


def beliefs(found: Beliefs, screen: Screen) -> list[str]:
    """Both ends, then a line a change: what became of it, of whom, what is said, when it holds, and the events that say so."""
    ends = [end[:SHORT_ID] or "nothing" for end in (found.start, found.end)]
    lines = [screen.paint(f"From {ends[0]} to {ends[1]}", "dim")]
    if not found.facts and not found.events:
        return [*lines, "Nothing that is believed changed."]
    if found.facts:
        lines += ["", *_table([_fact(change) for change in found.facts], screen)]
    if found.events:
        cells = [(f"  {each.change}", one_line(each.ref), f"by {one_line(each.by)}" if each.by else "", one_line(each.title)) for each in found.events]
        lines += ["", *screen.table(cells, ("yellow", "cyan", "cyan", ""))]
    return lines


def _fact(change: FactChange) -> tuple[str, str, str, str, str, str]:
    fact = change.fact
    value = one_line(fact.value) + (f" (from {one_line(change.source)})" if change.source else "")
    before = _when(change.before) if change.change == "changed" and change.before else ""
    when = f"{before} -> {_when(fact)}" if before not in ("", _when(fact)) else _when(fact)
    return change.change, one_line(change.name), one_line(fact.key), value, when, listed(fact.events, 2)


def _table(rows: Sequence[tuple[str, str, str, str, str, str]], screen: Screen) -> list[str]:
    """Aligned columns; on a narrow terminal values are cut first, so that times and events stay."""
    others = sum(max(width(row[at]) for row in rows) + 2 for at in (0, 1, 2, 4, 5))
    room = max(_LEAST, screen.columns - others - 2) if screen.columns is not None else None
    cells = [(f"  {row[0]}", row[1], row[2], fit(row[3], room) if room else row[3], row[4], row[5]) for row in rows]
    lines = screen.table(cells, ("", "bold", "dim", "", "", "cyan"))
    return [line.replace(row[0], screen.paint(row[0], _COLOUR.get(row[0], "")), 1) for line, row in zip(lines, rows, strict=True)]


def _when(fact: FactShown) -> str:
    start, end = one_line(fact.valid_from), one_line(fact.valid_to)
    return f"{start} to {end}" if start and end else f"since {start}" if start else f"until {end}" if end else f"said {day(fact.said)}" if fact.said else ""
