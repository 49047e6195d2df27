"""When something happened, by the words of the message that says it: what a card states is filled up or held against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from strata import moment
from strata.evidence import one_line
from strata.model import Message
from strata.supplied import shown
from strata.temporal import Resolved, resolve, times

_DATES = ("happened_start", "happened_end")


def dated(card: Mapping[str, Any], messages: Sequence[Message]) -> tuple[dict[str, Any], list[str]]:
    """The card with the dates that its `original_text` says where it has none, and what is wrong with those it has.

    Relative words count from the time of the message that says them. Dates of its own need a basis: `inferred` takes any,
    `relative` what the words mean and nothing else, `explicit` the words, and a year that is written there unless they say it.
    Shapes are not judged here: what is no text is left for others to refuse.
    """
    words, start, end = card.get("original_text"), *(card.get(name) for name in _DATES)
    if any(each is not None and not isinstance(each, str) for each in (words, start, end)):
        return dict(card), []
    home = _home(words or "", card.get("source_messages"), messages)
    meant = _meant(words or "", home.at) if words and home else None
    if not start and not end:
        if meant is None or meant.basis == "unknown" or not (meant.start or meant.end):
            return dict(card), []
        return {**card, "happened_start": meant.start, "happened_end": meant.end, "precision": meant.precision, "basis": meant.basis}, []
    if not all(moment.is_valid(each) for each in (start, end) if each):
        return dict(card), []
    return dict(card), _faults(card.get("basis"), words or "", start or "", end or "", home, meant)


def _faults(basis: object, words: str, start: str, end: str, home: Message | None, meant: Resolved | None) -> list[str]:
    if basis == "inferred":
        return []
    if basis not in ("explicit", "relative"):
        return ["basis says nothing of where happened_start and happened_end come from: explicit, relative or inferred"]
    if not words:
        return [f"original_text is empty, though basis is {basis}: it holds the words that say when"]
    if home is None:
        return []  # refused as words that nobody said
    known = meant is not None and meant.basis != "unknown" and bool(meant.start or meant.end)
    if known and meant is not None:
        if _meet(start, end, meant):
            return []
        said = " to ".join(part for part in (meant.start, meant.end) if part)
        return [f"happened_start {shown(start or end)} contradicts {shown(words)}, said {home.at or 'at an unknown time'}, which means {said}; leave it empty, or say basis inferred"]
    if basis == "relative":
        why = f"{shown(words)} names no time that can be worked out" if home.at else f"the message that says {shown(words)} has no time to count from"
        return [f"basis is relative, but {why}; leave the dates empty, or say basis inferred"]
    year = (start or end)[:4]
    if year in home.text or f"'{year[2:]}" in home.text or f"’{year[2:]}" in home.text:
        return []
    return [f"basis is explicit, but {year} is not written where {shown(words)} stands; leave the dates empty, or say basis inferred"]


def _home(words: str, sources: object, messages: Sequence[Message]) -> Message | None:
    """The first cited message that says the words."""
    plain = one_line(words).casefold()
    cited = sources if isinstance(sources, list | tuple) else ()
    return next((message for message in messages if plain and message.id in cited and plain in one_line(message.text).casefold()), None)


def _meant(words: str, said_at: str) -> Resolved | None:
    """What the words mean as a whole, else the one time in them."""
    at = said_at if moment.is_valid(said_at) else ""
    whole = resolve(words, at)
    if whole.basis != "unknown":
        return whole
    inside = [each for each in times(words, at) if each.basis != "unknown"]
    return inside[0] if len(inside) == 1 else None


def _meet(start: str, end: str, meant: Resolved) -> bool:
    """Whether two stretches have a day in common; an open side goes on without end."""
    opens, closes = moment.parse(start or end).opens, moment.parse(end or start).closes
    after = moment.parse(meant.start).opens if meant.start else None
    until = moment.parse(meant.end or meant.start).closes if meant.end or meant.start else None
    return (after is None or closes > after) and (until is None or opens < until)
