"""How event cards let a claim stand: on from some day, to come, over, taken back, or against another card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from strata import claims, moment
from strata.cards import Event
from strata.claims import Claim

_TICK, _DAY, _LONG = timedelta(microseconds=1), timedelta(days=1), timedelta(days=62)


class Said(NamedTuple):
    """A claim, and the event whose card makes it."""

    ref: str
    event: Event
    claim: Claim


class Item(NamedTuple):
    """A claim as it stands. `start` is the time from which it says to be true, `day` the one on which it was told; `over` when it was superseded: "" at no
    known time, None never. `restated` says that a card of the same messages superseded it, so that it holds only as far as it is said again.
    """

    said: Said
    start: str
    day: str
    over: str | None
    planned: bool
    retracted: bool
    restated: bool

    @property
    def since(self) -> str:
        """From when on it counts."""
        return self.start or self.day

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in time among others: a month or a year counts from its last day, but no later than it was told.

        "I live in Rome", said on 20 February, is over with "I moved to Lisbon last month", said in March.
        """
        if not self.start or not self.day or (span := moment.parse(self.start)).precision not in ("month", "year"):
            return moment.sort_key(self.since)
        last = min(span.closes, max(moment.parse(self.day).closes, span.opens + _DAY)) - _TICK
        return moment.sort_key(last.isoformat())

    @property
    def ends(self) -> bool:
        """Whether it only tells, afterwards, when something ended."""
        return not self.start and before(self.said.claim.valid_to, self.day)

    @property
    def value(self) -> str:
        return claims.folded(self.said.claim.value)


class Standing:
    """How some events stand to each other.

    A card that a provider made supersedes what others say only once it is known what it says itself: until it is projected, the older ones hold.
    """

    def __init__(self, events: Mapping[str, Event]) -> None:
        self._over: dict[str, list[tuple[str, Event]]] = {}
        self._against: dict[str, set[str]] = {}
        for ref, event in events.items():
            for old in event.supersedes if event.facts is not None or not event.made_by else ():
                if old != ref:
                    self._over.setdefault(old, []).append((ref, event))
        settled = {ref for ref, event in events.items() if ref in self._over or event.status == "cancelled"}
        for ref, event in events.items():
            for other in event.conflicts_with:
                if other in events and other != ref and not settled & {ref, other}:
                    self._against.setdefault(ref, set()).add(other)
                    self._against.setdefault(other, set()).add(ref)

    def item(self, said: Said) -> Item:
        """A claim as these events let it stand."""
        ref, event, claim = said
        day = said_on(ref, event)
        newer = self._over.get(ref, [])
        over = min((_told(*each) for each in newer), key=moment.sort_key, default=None)
        planned = event.status == "planned" and claim.mode != "set"
        start = claim.valid_from or (event.happened_start if planned and moment.is_valid(event.happened_start) else "")
        ahead = bool(start and day) and moment.parse(start).opens >= moment.parse(day).closes
        corrected = any(event.event_type.casefold() == "correction" for _, event in newer)
        too_late = bool(over and start) and before(over or "", start)
        return Item(said, start, day, over, planned or ahead, event.status == "cancelled" or corrected or too_late, any(_same_source(event, other) for _, other in newer))

    def disputed(self, run: Sequence[Item]) -> bool:
        """Whether a card that still stands contradicts one of these."""
        return any(item.said.ref in self._against for item in run)

    def at_odds(self, run: Iterable[Item], other: Iterable[Item]) -> bool:
        """Whether two runs contradict each other, so that neither follows on the other."""
        return any(self._against.get(item.said.ref, set()) & {later.said.ref for later in other} for item in run)


def parted(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """The claims of one group that hold or held, and those that were taken back: a restated one too that no other claim says again."""
    live = [item for item in items if not item.retracted]
    again = {item.value for item in live if not item.restated}
    kept = [item for item in live if not item.restated or item.value in again]
    return kept, [item for item in items if item not in kept]


def said_on(ref: str, event: Event) -> str:
    """The day an event was told, else the day that its id names; "" for neither."""
    if moment.is_valid(event.mentioned_at):
        return moment.local_day(event.mentioned_at) or event.mentioned_at
    return day_of(ref)


def day_of(ref: str) -> str:
    """The day in an event's id, which is the day it was told; "" where there is none."""
    dated = re.match(r"evt-(\d{4})(\d\d)(\d\d)-", ref)
    return day if dated and moment.is_valid(day := "-".join(dated.groups())) else ""


def before(time: str, other: str) -> bool:
    """Whether a time is wholly past when another begins; False where either is unknown."""
    return bool(time and other) and moment.parse(time).closes <= moment.parse(other).opens


def _told(ref: str, event: Event) -> str:
    """When what an event supersedes came to its end: when it happened, if that was before it was told, else when it was told."""
    day, happened = said_on(ref, event), event.happened_start
    if event.status in ("occurred", "ongoing") and moment.is_valid(happened) and day and moment.parse(happened).opens < moment.parse(day).closes:
        return happened
    return day


def long_before(time: str, other: str) -> bool:
    """Whether a time is past by more than people are wrong when they say "last month"."""
    return bool(time and other) and moment.parse(time).closes + _LONG <= moment.parse(other).opens


def _same_source(event: Event, other: Event) -> bool:
    """Whether another card was told when this one was, by nothing but messages that this one rests on too."""
    return (event.source_block, event.mentioned_at) == (other.source_block, other.mentioned_at) and set(other.source_messages) <= set(event.source_messages)
