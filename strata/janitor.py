"""The Janitor's plan: which records move between the tiers, and why; a pure function of records, policy, accesses and clock.

    migrate   active  -> cooled    idle for `cool_after` days
    evict     cooled  -> archive   idle for `archive_after` days, accessed at most `keep_accesses` times since it cooled
    promote   cooled, archive -> active   accessed `promote_accesses` times since it came to rest, or edited there

Idle is the time since the latest of content change, access, and having been lifted toward active. Pinned
records and tails never move. What migrates and is idle for long enough, a lift that it had apart, goes on to
archive/ in the same run, so a plan that was carried out leaves nothing to do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from strata.ages import BELIEVED
from strata.layout import ref_at, tier_of
from strata.model import Move, Tier
from strata.policy import NEVER, Policy, Rule

STEPS = ("promote", "migrate", "evict")
DAY = 86_400  # seconds
MOST_AT_ONCE = 20  # records of a tier that may always move in one run

Life = tuple[str, int, int, int, int]
"""A record: path, last content change, arrival in its tier (Unix seconds), whether it was lifted there, whether it was edited there."""


class Waiting(NamedTuple):
    """When a record will move if nothing happens to it: Unix seconds, step, path."""

    due: int
    step: str
    path: str


class Household:
    """The records of a memory at one moment, and what the policy says of them.

    `accesses` maps a path below the tier to times of reads and uses, rising.
    """

    def __init__(self, lives: Iterable[Life], policy: Policy, accesses: Mapping[str, Sequence[int]], pinned: Collection[str], now: int) -> None:
        self._lives = lives if isinstance(lives, list) else list(lives)
        self._policy = policy
        self._accesses = accesses
        self._pinned = pinned
        self._now = now

    @property
    def size(self) -> int:
        """How many records there are."""
        return len(self._lives)

    def plan(self, only: Collection[str] = STEPS) -> list[Move]:
        """The moves that are due, by path; `only` some of the steps."""
        promote, migrate, evict = (step in only for step in STEPS)
        accesses, now, of = self._accesses, self._now, self._policy.of
        moves = []
        for life in self._lives:  # every run pays for this loop at every record: keep it short
            path, changed, arrived, lifted, edited = life
            if not edited and not accesses and path.startswith("archive/"):
                continue
            tier, _, rest = path.partition("/")
            times = accesses.get(rest, ())
            if tier != Tier.ACTIVE and promote and (edited or (times and self._since(times, arrived) >= of(rest).promote_accesses)):
                if path not in self._pinned:
                    moves.append(Move(path, f"{Tier.ACTIVE}/{rest}", "promote", self._why_promoted(life, times)))
                continue
            if tier == Tier.ARCHIVE:
                continue
            rule = of(rest)
            latest = arrived if lifted and arrived > changed else changed
            idle = now - (self._touched(changed, arrived, lifted, times) if times else latest)
            target = ""
            if tier == Tier.ACTIVE:
                if migrate and idle >= rule.cool_after * DAY:
                    rested = now - self._touched(changed, arrived, 0, times)  # a lift is forgotten where it ends, so the next run would see this
                    target = Tier.ARCHIVE if evict and rested >= rule.archive_after * DAY else Tier.COOLED
            elif evict and idle >= rule.archive_after * DAY and self._since(times, arrived) <= rule.keep_accesses:
                target = Tier.ARCHIVE
            if target and path not in self._pinned:
                moves.append(Move(path, f"{target}/{rest}", "migrate" if tier == Tier.ACTIVE else "evict", _why_demoted(tier, target, idle, rule, self._since(times, arrived))))
        moves.sort()
        return moves

    def waiting(self) -> Iterator[Waiting]:
        """When each record that is not due yet will leave its tier, if nothing happens to it."""
        for path, changed, arrived, lifted, _ in self._lives:
            tier, _, rest = path.partition("/")
            if tier == Tier.ARCHIVE or path in self._pinned:
                continue
            rule, times = self._policy.of(rest), self._accesses.get(rest, ())
            step, days = ("migrate", rule.cool_after) if tier == Tier.ACTIVE else ("evict", rule.archive_after)
            if days == NEVER or (step == "evict" and self._since(times, arrived) > rule.keep_accesses):
                continue
            due = self._touched(changed, arrived, lifted, times) + days * DAY
            if due > self._now:
                yield Waiting(due, step, path)

    def idle(self) -> Iterator[tuple[str, int]]:
        """Each record's path and how many seconds it has been idle."""
        for path, changed, arrived, lifted, _ in self._lives:
            yield path, max(0, self._now - self._touched(changed, arrived, lifted, self._accesses.get(path.partition("/")[2], ())))

    def accessed(self) -> Iterator[tuple[str, int]]:
        """Each record's path and how often it was read or used."""
        for path, *_ in self._lives:
            yield path, len(self._accesses.get(path.partition("/")[2], ()))

    def crowded(self, moves: Sequence[Move]) -> tuple[str, int, int] | None:
        """The first tier of which more than half, and more than twenty records, would move at once: tier, moves, records."""
        for tier in Tier:
            leaving = sum(move.source.startswith(f"{tier}/") for move in moves)
            if leaving > MOST_AT_ONCE:
                there = [life[0][:2] for life in self._lives].count(tier[:2])  # two letters tell the tiers apart
                if leaving * 2 > there:
                    return tier, leaving, there
        return None

    def _touched(self, changed: int, arrived: int, lifted: int, times: Sequence[int]) -> int:
        """The latest thing that makes a record young; accesses stamped in the future do not."""
        latest = arrived if lifted and arrived > changed else changed
        if times:
            believed = bisect_left(times, self._now + BELIEVED)
            if believed and times[believed - 1] > latest:
                return times[believed - 1]
        return latest

    def _since(self, times: Sequence[int], arrived: int) -> int:
        """How many accesses there were since a record came to its tier; not those stamped in the future."""
        return max(0, bisect_left(times, self._now + BELIEVED) - bisect_left(times, arrived)) if times else 0

    def _why_promoted(self, life: Life, times: Sequence[int]) -> str:
        tier = life[0].partition("/")[0]
        return f"edited in {tier}/" if life[4] else f"accessed {self._since(times, life[2])} times since it came to {tier}/"


def told(move: Move) -> str:
    """A move and its reason in a line, as the history keeps it."""
    return f"{ref_at(move.source)} {tier_of(move.source)} -> {tier_of(move.target)}: {move.reason}"


def _why_demoted(tier: str, target: str, idle: int, rule: Rule, accessed: int) -> str:
    days = f"idle for {_plural(idle // DAY, 'day')}"
    cools = f"cools after {rule.cool_after}"
    if tier == Tier.ACTIVE:
        return f"{days}; {cools}" if target == Tier.COOLED else f"{days}; {cools}, archived after {rule.archive_after}"
    return f"{days}, accessed {_plural(accessed, 'time')} since it cooled; archived after {rule.archive_after}"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
