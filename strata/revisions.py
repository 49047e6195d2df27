"""Which of two statements about the same thing is the current one.

A later statement replaces an earlier one only where it says so itself: it names what it gives up ("from
8080 to 8412", "instead of npm", 不再用), or it announces a change ("upgrade to", "now", 改成) and gives another
value for what the earlier one gave. Both must be statements, not questions, wishes or conditions, and share a
subject with each other and with the query. Anything less is left alone: a missed pair costs a glance, a
wrong one costs trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import product
from typing import NamedTuple

from strata import moment
from strata.changecues import Clause, asks_for_past, clauses, terms, values
from strata.entries import superseded
from strata.model import Entry, Hit
from strata.periods import Periods, periods

LOOKED_AT = 20  # of the best candidates; further down nobody looks for what is current
_READ = 1500  # characters of a text; what follows is tool output more often than a decision
_KINDS = ("message", "event")  # a note or a block holds many statements and has one date


class Statement(NamedTuple):
    """One candidate: what it says, when (ISO 8601, "" unknown), and its order within its thread.

    `supersedes` are refs of statements it is known to replace, whatever their words are.
    """

    ref: str
    text: str
    at: str = ""
    thread: str = ""
    position: int = 0
    supersedes: tuple[str, ...] = ()


class Revision(NamedTuple):
    """The refs of two statements about one thing; the current one replaces the outdated one."""

    current: str
    outdated: str


def revisions(query: str, ranked: Sequence[Statement]) -> list[Revision]:
    """Each outdated statement among the first 20 of `ranked`, best first, with the newest one that replaces it.

    A statement is about what its own words say, and what it was asked right before. Of a chain of changes the last is
    current and every earlier one outdated.
    """
    near = ranked[:LOOKED_AT]
    replaced = _said_outright(near)
    asked = terms(query)
    questions = {(one.thread, one.position): terms(one.text[-_READ:]) for one in near if one.text.rstrip().endswith(("?", "？"))}
    read = [_Read(statement, rank, asked & questions.get((statement.thread, statement.position - 1), frozenset())) for rank, statement in enumerate(near)]
    read = [one for one in read if one.answers or asked & one.terms]
    for later in read:
        earlier = [(strength, -one.rank, one) for one in read if later.changes and (strength := _strength(one, later))]
        earlier.sort(reverse=True)
        for strength, _, one in [each for number, each in enumerate(earlier) if not number or each[2].answers]:
            known = replaced.get(one.ref)
            if known is None or (strength, -later.rank) > known[:2]:
                replaced[one.ref] = (strength, -later.rank, later.ref)
    newer = {outdated: current for outdated, (_, _, current) in replaced.items()}
    found = [Revision(_newest(statement.ref, newer), statement.ref) for statement in near if statement.ref in newer]
    return [revision for revision in found if revision.current not in newer]  # two that supersede each other say nothing


def reranked(ranked: Sequence[Statement], found: Iterable[Revision]) -> list[Statement]:
    """The same statements, where a current one that stood below an outdated one stands directly above it."""
    order = {statement.ref: statement for statement in ranked}
    refs = list(order)
    for current, outdated in found:
        if refs.index(current) > refs.index(outdated):
            refs.remove(current)
            refs.insert(refs.index(outdated), current)
    return [order[ref] for ref in refs]


def revised(query: str, hits: Sequence[tuple[Hit, Entry | None]], today: date | None = None) -> list[Hit]:
    """The hits, best first, with `status` and `counterpart` where one statement replaces another, the current one above.

    A question about the past ("at first", 以前, "in May" when the earlier was said then) keeps its order, and its hits are
    marked all the same. A hit whose entry is None stays where it is. `today` is the day of asking.
    """
    by_ref = {hit.ref: hit for hit, _ in hits}
    ranked = [_statement(hit, entry) for hit, entry in hits]
    found = revisions(query, ranked)
    if not found:
        return [hit for hit, _ in hits]
    order = ranked if asks_for_past(query) else reranked(ranked, _now(found, periods(query, today), ranked))
    for current, outdated in reversed(found):  # a current one that replaces several names the best ranked of them
        by_ref[outdated] = by_ref[outdated]._replace(status="outdated", counterpart=current)
        by_ref[current] = by_ref[current]._replace(status="current", counterpart=outdated)
    return [by_ref[statement.ref] for statement in order]


def _now(found: Iterable[Revision], time: Periods, ranked: Iterable[Statement]) -> list[Revision]:
    """Those of which the current statement is asked for: of the others the question names a time that the outdated one is from."""
    days = {statement.ref: moment.local_day(statement.at) for statement in ranked}
    given = {ref: time.gives(date.fromisoformat(day)) if day else 1.0 for ref, day in days.items()}
    return [pair for pair in found if given[pair.current] >= given[pair.outdated]]


def _statement(hit: Hit, entry: Entry | None) -> Statement:
    if entry is None or entry.kind not in _KINDS:
        return Statement(hit.ref, "")
    return Statement(hit.ref, entry.text, entry.at, entry.thread, entry.position, superseded(entry))


class _Read:
    """A statement cut into clauses, with what follows from them; `answers` are terms of the query that it was asked for right before."""

    def __init__(self, statement: Statement, rank: int, answers: frozenset[str]) -> None:
        self.answers = answers
        self.statement = statement
        self.ref = statement.ref
        self.rank = rank
        self.clauses = [clause for clause in clauses(statement.text[:_READ]) if not clause.open]
        self.changes = [clause for clause in self.clauses if clause.changes]
        self.terms = _union(clause.terms for clause in self.clauses)
        self.given_up = _union(clause.old for clause in self.clauses)
        self.put_in = _union(clause.new for clause in self.clauses)


def _union(parts: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset(term for part in parts for term in part)


def _said_outright(ranked: Sequence[Statement]) -> dict[str, tuple[float, int, str]]:
    known = {statement.ref for statement in ranked}
    return {old: (float("inf"), -rank, statement.ref) for rank, statement in enumerate(ranked) for old in statement.supersedes if old in known}


def _newest(ref: str, newer: dict[str, str]) -> str:
    """The end of the chain of replacements that begins at `ref`."""
    seen = {ref}
    while ref in newer and newer[ref] not in seen:
        ref = newer[ref]
        seen.add(ref)
    return ref


def _strength(earlier: _Read, later: _Read) -> float:
    """How surely `later` replaces `earlier`: the number of terms they share; 0 for not at all."""
    if not _follows(later.statement, earlier.statement):
        return 0.0
    apart = 0 if earlier.statement.thread == later.statement.thread else 1  # across threads one shared term more is asked for
    return max((_between(said, change, earlier, later, apart) for said, change in product(earlier.clauses, later.changes)), default=0.0)


def _between(said: Clause, change: Clause, earlier: _Read, later: _Read, apart: int) -> float:
    """As `_strength`, for one clause of each."""
    asserted = said.sentence - earlier.given_up
    shared = asserted & later.terms
    put_in = change.new or later.put_in
    if put_in and put_in <= earlier.terms:
        return 0.0  # it weighed both, or knew the new one already
    named = change.old & asserted
    if change.old and 2 * len(named) >= len(change.old):
        near, far = asserted & change.terms - named, shared - named  # what else they share, in the clause and in the whole
        again = len(named) > 1 and 4 * len(named) >= 3 * len(change.old) and 2 * len(named) >= len(asserted)  # the same said with a no
        return len(shared) + 1.0 if len(near) > apart or len(far) > 1 + apart or again or earlier.answers & later.terms else 0.0
    if change.old:
        return 0.0
    half = 2 * len(said.terms & shared) >= len(said.terms)
    if len(shared) < 2 + apart and not half:
        return 0.0
    return float(len(shared)) if _other_value(said, change) or half and _other_word(said, change, shared) else 0.0


def _other_value(said: Clause, change: Clause) -> bool:
    """Whether the two give another value of one kind in one place."""
    return any(
        one.text != other.text and one.text not in said.sentence and one.shape == other.shape and (one.around & other.around or one.shape == "version")
        for one, other in product(values(change.text), values(said.text))
    )


def _other_word(said: Clause, change: Clause, shared: frozenset[str]) -> bool:
    """Whether they agree in most words and differ in what the change puts in; for announcements that can mean little else."""
    put_in = change.new or change.terms - said.terms
    common = len(said.terms & (shared if change.new else change.terms))
    alike = common > 2 or 3 * common >= 2 * len(said.terms)
    return change.plain and alike and not put_in <= said.sentence and (bool(change.new) or 2 * common >= len(change.terms))


def _follows(later: Statement, earlier: Statement) -> bool:
    """Whether it was certainly said afterwards."""
    if later.ref == earlier.ref:
        return False
    if later.thread == earlier.thread and later.position != earlier.position:
        return later.position > earlier.position
    ours, theirs = moment.sort_key(later.at), moment.sort_key(earlier.at)
    return theirs[0] >= 0 and ours > theirs and ours[0] > theirs[0]
