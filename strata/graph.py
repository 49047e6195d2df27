"""What is true of one entity, as facts that follow from the claims of events, in whatever order these come."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from strata import claims, moment
from strata.cards import Event
from strata.claims import Claim
from strata.names import slug

STATUSES = ("current", "closed", "disputed", "planned", "retracted")

Group = tuple[str, ...]


class Said(NamedTuple):
    """A claim, and the event whose card makes it."""

    ref: str
    event: Event
    claim: Claim


class Fact(NamedTuple):
    """What is true of an entity, was, or was said to be.

    `valid_from` and `valid_to` are times in the forms of `strata.moment`, "" for unknown. `said` is the day from which an unknown
    `valid_from` counts, "" where that is known. `events` are the refs of all cards that say so, sorted. An unknown confidence is None.
    `status`: current; closed (no longer true); disputed (a card that still stands contradicts it); planned (true only from a
    `valid_from` on, and with none on no day); retracted (never true: corrected or cancelled).
    """

    key: str
    mode: str
    value: str
    target: str = ""
    valid_from: str = ""
    valid_to: str = ""
    said: str = ""
    events: tuple[str, ...] = ()
    confidence: float | None = None
    status: str = "current"
    twin: int = 0  # tells facts apart that would have the same id

    @property
    def id(self) -> str:
        """`lives-in-k3f2pa`, unique in its entity; it stays while the fact does, and gets no earlier event."""
        parts = (self.mode, self.key, claims.folded(self.value), self.target, min(self.events, default=""), *([str(self.twin)] if self.twin else []))
        return f"{slug(self.key, 30) or 'fact'}-{claims.mark(chr(0).join(parts))}"

    @property
    def other(self) -> str:
        """The id of the entity that a relation leads to, by its name alone; "" for any other fact."""
        return claims.entity_id(self.target, self.value) if self.target else ""

    @property
    def since(self) -> str:
        """From when on it counts as true: `valid_from`, else the day it was first said."""
        return self.valid_from or self.said

    @property
    def group(self) -> Group:
        """The facts of one group follow from the claims of that group alone."""
        return _group(self.mode, self.key, self.value, self.target)

    def line(self) -> str:
        """The fact on one line of plain text, for a person."""
        times = [f"{word} {time}" for word, time in (("since", self.valid_from), ("said", self.said), ("until", self.valid_to)) if time]
        state = [self.status] if self.status not in ("current", "closed") else []
        return " · ".join([f"{self.key}: {self.value}", *times, *state, ", ".join(self.events)])


def group(claim: Claim) -> Group:
    """The group of the facts that a claim has a part in: its key for a state, and its value too for anything else."""
    return _group(claim.mode, claim.key, claim.value, claim.target)


def facts(said: Iterable[Said], others: Mapping[str, Event] | None = None) -> tuple[Fact, ...]:
    """The facts that follow from what was said of one entity; the order of `said` has no part in it.

    `others` are further events that supersede those of `said` or contradict them, or supersede these again, by their refs.
    """
    once = {(each.ref, each.claim): each for each in said}
    standing = _Standing({each.ref: each.event for each in once.values()} | dict(others or {}))
    groups: dict[Group, list[_Item]] = {}
    for each in once.values():
        groups.setdefault(group(each.claim), []).append(standing.item(each))
    return ordered(fact for key, items in groups.items() for fact in _facts(sorted(items, key=_order), standing, key[0] == "state"))


def ordered(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Facts of one entity in their one order, those told apart that would have the same id."""
    seen: Counter[str] = Counter()
    found = []
    for fact in sorted(facts, key=_place):
        fact = fact._replace(twin=0)
        plain = fact.id
        found.append(fact._replace(twin=seen[plain]))
        seen[plain] += 1
    return tuple(found)


def at(facts: Iterable[Fact], date: str) -> tuple[Fact, ...]:
    """The facts that were true at a date or time; at a month or a year, those true on any day of it.

    The last day (month, year) that a fact names still counts. Only where a state was replaced the next one counts from
    the day of the change on, and no longer the one before.
    """
    known = tuple(facts)
    starts = {(claims.folded(fact.key), fact.since) for fact in known if fact.mode == "state" and fact.status not in ("retracted", "planned")}
    return tuple(fact for fact in known if _holds(fact, date, (claims.folded(fact.key), fact.valid_to) in starts))


def said_on(ref: str, event: Event) -> str:
    """The day an event was told, else the day that its id names; "" for neither."""
    if moment.is_valid(event.mentioned_at):
        return moment.local_day(event.mentioned_at) or event.mentioned_at
    return day_of(ref)


def day_of(ref: str) -> str:
    """The day in an event's id, which is the day it was told; "" where there is none."""
    dated = re.match(r"evt-(\d{4})(\d\d)(\d\d)-", ref)
    return day if dated and moment.is_valid(day := "-".join(dated.groups())) else ""


# -- one claim, as its event and other events let it stand ---------------------------------------


class _Item(NamedTuple):
    """`since` is from when on it counts. `end` is the end it states, `over` when it was superseded: "" at no known time, None never."""

    said: Said
    start: str
    day: str
    over: str | None
    planned: bool
    retracted: bool

    @property
    def since(self) -> str:
        return self.start or self.day

    @property
    def value(self) -> str:
        return claims.folded(self.said.claim.value)

_Run = list[_Item]


class _Standing:
    """How events stand to each other."""

    def __init__(self, events: Mapping[str, Event]) -> None:
        self._over: dict[str, list[tuple[str, Event]]] = {}
        self._against: dict[str, set[str]] = {}
        for ref, event in events.items():
            for old in event.supersedes:
                if old != ref:
                    self._over.setdefault(old, []).append((ref, event))
        settled = {ref for ref, event in events.items() if ref in self._over or event.status == "cancelled"}
        for ref, event in events.items():
            for other in event.conflicts_with:
                if other in events and other != ref and not settled & {ref, other}:
                    self._against.setdefault(ref, set()).add(other)
                    self._against.setdefault(other, set()).add(ref)

    def item(self, said: Said) -> _Item:
        ref, event, claim = said
        day = said_on(ref, event)
        newer = self._over.get(ref, [])
        over = min((_told(*each) for each in newer), key=moment.sort_key, default=None)
        planned = event.status == "planned" and claim.mode != "set"
        start = claim.valid_from or (event.happened_start if planned and moment.is_valid(event.happened_start) else "")
        ahead = bool(start and day) and moment.parse(start).opens >= moment.parse(day).closes
        corrected = any(event.event_type.casefold() == "correction" for _, event in newer)
        too_late = bool(over and start) and _before(over or "", start)
        return _Item(said, start, day, over, planned or ahead, event.status == "cancelled" or corrected or too_late)

    def disputed(self, run: _Run) -> bool:
        return any(item.said.ref in self._against for item in run)

    def at_odds(self, run: _Run, other: _Run) -> bool:
        """Whether two runs contradict each other, so that neither follows on the other."""
        return any(self._against.get(item.said.ref, set()) & {later.said.ref for later in other} for item in run)


def _facts(items: Sequence[_Item], standing: _Standing, is_state: bool) -> list[Fact]:
    """The facts of one group, from its claims in order."""
    retracted: dict[str, _Run] = {}
    for item in items:
        if item.retracted:
            retracted.setdefault(item.value, []).append(item)
    found = [_fact(run, run[-1].said.claim.valid_to, "retracted") for run in retracted.values()]
    live = [item for item in items if not item.retracted]
    plans = [item for item in live if item.planned] if is_state else []
    runs = _runs(item for item in live if not (is_state and item.planned))
    kept: dict[str, _Run] = {}
    for item in plans:
        came = next((run for run in runs if run[0].value == item.value and not _before(run[0].since, item.day)), None)
        if came:
            came.append(item)  # what was planned came true
        else:
            kept.setdefault(item.value, []).append(item)
    found += [_fact(run, *_ending(run, "planned")) for run in kept.values()]
    for place, run in enumerate(runs):
        status = "planned" if all(item.planned for item in run) else "disputed" if standing.disputed(run) else "current"
        end, status = _ending(run, status)
        following = next((later for later in runs[place + 1 :] if not standing.at_odds(run, later)), None) if is_state else None
        if following and not (end and _before(end, following[0].since)):
            end, status = following[0].since, "closed"
        found.append(_fact(run, end, status))
    return found


def _runs(items: Iterable[_Item]) -> list[_Run]:
    """Claims in order, those put together that say the same one after another, without an end in between."""
    runs: list[_Run] = []
    for item in items:
        if runs and runs[-1][0].value == item.value and not _before(_ending(runs[-1], "")[0], item.since):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def _ending(run: _Run, status: str) -> tuple[str, str]:
    """When what some claims say ends by themselves, and the status that follows; an end that lay ahead when it was told leaves the status."""
    stated = next((item for item in reversed(run) if item.said.claim.valid_to), None)
    overs = [item.over for item in run if item.over is not None]
    if len(overs) == len(run):
        over = max(overs, key=moment.sort_key)
        if not (stated and _before(stated.said.claim.valid_to, over)):
            return over, "closed"
    if stated is None:
        return "", status
    end = stated.said.claim.valid_to
    ahead = bool(stated.day) and moment.parse(end).closes > moment.parse(stated.day).closes
    return end, status if ahead and len(overs) < len(run) else "closed"


def _fact(run: _Run, end: str, status: str) -> Fact:
    first = run[0]
    claim = first.said.claim
    sure = [item.said.claim.confidence for item in run if item.said.claim.confidence is not None]
    return Fact(
        key=claim.key,
        mode=claim.mode,
        value=claim.value,
        target=claim.target,
        valid_from=first.start,
        valid_to=end,
        said="" if first.start else first.day,
        events=tuple(sorted({item.said.ref for item in run})),
        confidence=max(sure, default=None),
        status=status,
    )


# -- comparing -----------------------------------------------------------------------------------


def _group(mode: str, key: str, value: str, target: str) -> Group:
    return (mode, claims.folded(key)) if mode == "state" else (mode, claims.folded(key), claims.folded(value), target)


def _order(item: _Item) -> tuple[object, ...]:
    return (moment.sort_key(item.since), moment.sort_key(item.said.event.mentioned_at), item.said.ref, *map(str, item.said.claim))


def _place(fact: Fact) -> tuple[object, ...]:
    return (claims.folded(fact.key), moment.sort_key(fact.since), fact.mode, fact.target, fact.value, fact.events, *map(str, fact))


def _before(time: str, other: str) -> bool:
    """Whether a time is wholly past when another begins; False where either is unknown."""
    return bool(time and other) and moment.parse(time).closes <= moment.parse(other).opens


def _told(ref: str, event: Event) -> str:
    """When what an event supersedes came to its end: when it happened, if that was before it was told, else when it was told."""
    day, happened = said_on(ref, event), event.happened_start
    if event.status in ("occurred", "ongoing") and moment.is_valid(happened) and day and moment.parse(happened).opens < moment.parse(day).closes:
        return happened
    return day


def _holds(fact: Fact, date: str, replaced: bool) -> bool:
    if fact.status == "retracted" or (fact.status == "planned" and not fact.valid_from) or (fact.status == "closed" and not fact.valid_to):
        return False
    if not moment.within(date, fact.since, fact.valid_to):
        return False
    if not (replaced and fact.mode == "state"):
        return True
    then, change = moment.parse(date), moment.parse(fact.valid_to)
    return then.opens < change.opens if change.offset is None else then.start < change.start
