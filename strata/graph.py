"""What is true of one entity, as facts that follow from the claims of events, in whatever order these come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from strata import claims, moment
from strata.cards import Event
from strata.claims import Claim
from strata.holding import Item, Said, Standing, before, long_before, parted
from strata.names import slug

STATUSES = ("current", "closed", "disputed", "planned", "retracted")

Group = tuple[str, ...]
Run = list[Item]


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
    standing = Standing({each.ref: each.event for each in once.values()} | dict(others or {}))
    groups: dict[Group, list[Item]] = {}
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


def is_to_come(fact: Fact, day: str) -> bool:
    """Whether a fact is planned as of a day, or true only from a later day on."""
    later = bool(fact.valid_from) and moment.sort_key(fact.valid_from) > moment.sort_key(day) and not moment.within(fact.valid_from, until=day)
    return (later and fact.status not in ("retracted", "closed")) or (fact.status == "planned" and (later or not fact.valid_from))


def is_over(fact: Fact, day: str) -> bool:
    """Whether a fact no longer holds as of a day, or never did."""
    return fact.status in ("closed", "retracted") or before(fact.valid_to, day)


# -- claims of one group --------------------------------------------------------------------------


def _facts(items: Sequence[Item], standing: Standing, is_state: bool) -> list[Fact]:
    """The facts of one group, from its claims in order."""
    live, taken_back = parted(items)
    retracted: dict[str, Run] = {}
    for item in taken_back:
        retracted.setdefault(item.value, []).append(item)
    found = [_fact(run, run[-1].said.claim.valid_to, "retracted") for run in retracted.values()]
    plans = [item for item in live if item.planned] if is_state else []
    runs = _runs(item for item in live if not (is_state and item.planned))
    kept: dict[str, Run] = {}
    for item in plans:
        came = next((run for run in runs if run[0].value == item.value and not before(run[0].since, item.day)), None)
        if came:
            came.append(item)  # what was planned came true
        else:
            kept.setdefault(item.value, []).append(item)
    found += [_fact(run, *_ending(run, "planned")) for run in kept.values()]
    for place, run in enumerate(runs):
        status = "planned" if all(item.planned for item in run) else "disputed" if standing.disputed(run) else "current"
        end, status = _ending(run, status)
        following = next((later for later in runs[place + 1 :] if not standing.at_odds(run, later)), None) if is_state else None
        if following and not (end and before(end, following[0].since)):
            end, status = following[0].since, "closed"
        found.append(_fact(run, end, status))
    return found


def _runs(items: Iterable[Item]) -> list[Run]:
    """Claims in order, those put together that say the same one after another, without an end in between."""
    runs: list[Run] = []
    for item in items:
        if runs and runs[-1][0].value == item.value and _joins(item, runs[-1]):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def _joins(item: Item, run: Run) -> bool:
    """Whether a claim goes on with others of the same value: before they ended; one that only tells of an end is about them, unless that was long before."""
    if item.ends:
        return not long_before(item.said.claim.valid_to, run[0].since)
    return not before(_ending(run, "")[0], item.since)


def _ending(run: Run, status: str) -> tuple[str, str]:
    """When what some claims say ends by themselves, and the status that follows; an end that lay ahead when it was told leaves the status."""
    stated = next((item for item in reversed(run) if item.said.claim.valid_to), None)
    overs = [item.over for item in run if item.over is not None]
    if len(overs) == len(run):
        over = max(overs, key=moment.sort_key)
        if not (stated and before(stated.said.claim.valid_to, over)):
            return over, "closed"
    if stated is None:
        return "", status
    end = stated.said.claim.valid_to
    ahead = bool(stated.day) and moment.parse(end).closes > moment.parse(stated.day).closes
    return end, status if ahead and len(overs) < len(run) else "closed"


def _fact(run: Run, end: str, status: str) -> Fact:
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


def _order(item: Item) -> tuple[object, ...]:
    return (item.place, moment.sort_key(item.said.event.mentioned_at), item.said.ref, *map(str, item.said.claim))


def _place(fact: Fact) -> tuple[object, ...]:
    return (claims.folded(fact.key), moment.sort_key(fact.since), fact.mode, fact.target, fact.value, fact.events, *map(str, fact))


def _holds(fact: Fact, date: str, replaced: bool) -> bool:
    if fact.status == "retracted" or (fact.status == "planned" and not fact.valid_from) or (fact.status == "closed" and not fact.valid_to):
        return False
    if not moment.within(date, fact.since, fact.valid_to):
        return False
    if not (replaced and fact.mode == "state"):
        return True
    then, change = moment.parse(date), moment.parse(fact.valid_to)
    return then.opens < change.opens if change.offset is None else then.start < change.start
