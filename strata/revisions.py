"""Which of two statements about the same thing is the current one.

A later statement replaces an earlier one only where it says so itself: it names what it gives up ("from
8080 to 8412", "instead of npm", 不再用), or it announces a change ("upgrade to", "now", 改成) and gives another
value for what the earlier one gave. Both must be statements, not questions, wishes or conditions, and share a
subject with each other and with the query. Anything less is left alone: a missed pair costs a glance, a
wrong one costs trust.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import product
from typing import NamedTuple

from strata import moment
from strata.changecues import Clause, asks_for_past, clauses, last_sentence, other_number, other_value, other_word, side_by_side, terms
from strata.entries import superseded
from strata.model import Entry, Hit
from strata.periods import Periods, periods

LOOKED_AT = 20  # of the best candidates; further down nobody looks for what is current
_READ = 1500  # characters of a text; what follows is tool output more often than a decision
_SHORT = 4  # terms of an answer that says little else
_CLOSE = 3  # messages back to what "it" may mean
_NONE: frozenset[str] = frozenset()
_KINDS = ("message", "event")  # a note or a block holds many statements and has one date


class Statement(NamedTuple):
    """One candidate: what it says, when (ISO 8601, "" unknown), and its order within its thread.

    `supersedes` are refs of statements it is known to replace, whatever their words are; `cites` those that it was made from, as a card
    of a message, which neither replace it nor are replaced by it.
    """

    ref: str
    text: str
    at: str = ""
    thread: str = ""
    position: int = 0
    supersedes: tuple[str, ...] = ()
    speaker: str = ""
    cites: tuple[str, ...] = ()


class Revision(NamedTuple):
    """The refs of two statements about one thing; the current one replaces the outdated one."""

    current: str
    outdated: str


def revisions(query: str, ranked: Sequence[Statement]) -> list[Revision]:
    """Each outdated statement among the first 20 of `ranked`, best first, with the newest one that replaces it.

    A statement is about what its own words say, and what it was asked right before; both must be about what `query`
    asks. Of a chain of changes the last is current and every earlier one outdated.
    """
    near = ranked[:LOOKED_AT]
    replaced = _said_outright(near)
    asked = terms(query)
    places = {(one.thread, one.position): one.text[-_READ:] for one in near if one.text}
    read = [_Read(statement, rank, asked, places) for rank, statement in enumerate(near)]
    for later in read:
        earlier = [(strength, -one.rank, one) for one in read if later.changes and (strength := _strength(one, later, asked))]
        earlier.sort(reverse=True, key=lambda each: each[:2])
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
    return Statement(hit.ref, entry.text[: len(entry.text) - entry.shown], entry.at, entry.thread, entry.position, superseded(entry), entry.speaker, entry.sources)


class _Read:
    """A statement cut into clauses, with what follows from them.

    `answers` are terms of the query that it was asked for right before, `around` those that were talked of in the
    statements just before it, `topic` those it is about, and `asks` says that a line of it ends with a question.
    """

    def __init__(self, statement: Statement, rank: int, asked: frozenset[str], places: Mapping[tuple[str, int], str]) -> None:
        self.statement = statement
        self.ref = statement.ref
        self.rank = rank
        self.asks = any(map(_asks, statement.text.splitlines()))
        before = [places.get((statement.thread, statement.position - back), "") for back in range(1, _CLOSE + 1)]
        self.answers = asked & terms(_question(before[0]))
        self.clauses = [clause for clause in clauses(statement.text[:_READ]) if not clause.open] if statement.text else []
        self.changes = [clause for clause in self.clauses if clause.changes]
        self.around = asked & terms("\n".join(before)) if self.changes else _NONE
        self.terms = _union(clause.terms for clause in self.clauses)
        self.given_up = _union(clause.old for clause in self.clauses)
        self.put_in = _union(clause.new for clause in self.clauses)
        self.topic = asked & self.terms | self.answers


def _asks(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _question(text: str) -> str:
    """The last sentence of a text that ends with a question, else nothing."""
    return last_sentence(text) if _asks(text) else ""


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


def _strength(earlier: _Read, later: _Read, asked: frozenset[str]) -> float:
    """How surely `later` replaces `earlier`: the number of terms they share; 0 for not at all."""
    if not _follows(later.statement, earlier.statement) or not _covers(earlier.topic, asked):
        return 0.0
    return max((_between(said, change, earlier, later, asked) for said, change in product(earlier.clauses, later.changes)), default=0.0)


def _covers(topic: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether a statement is about at least half of what is asked."""
    return bool(topic) and 2 * len(topic) >= len(asked)


def _between(said: Clause, change: Clause, earlier: _Read, later: _Read, asked: frozenset[str]) -> float:
    """As `_strength`, for one clause of each."""
    asserted = said.sentence - earlier.given_up
    put_in = change.new or later.put_in
    if said.complains or (put_in and put_in <= earlier.terms):
        return 0.0  # it weighed both, or knew the new one already
    if change.old:
        return _names(said, asserted, change, earlier, later, asked)
    return 0.0 if earlier.asks else _announces(said, asserted, change, earlier, later, asked)


def _names(said: Clause, asserted: frozenset[str], change: Clause, earlier: _Read, later: _Read, asked: frozenset[str]) -> float:
    """As `_strength`, where the later one names what it gives up."""
    named = change.old & asserted
    telling = named if named == change.old else named - asked  # a word of the query alone does not say what goes
    if not telling or 2 * len(named) < len(change.old):
        return 0.0
    if _replies(later.statement, earlier.statement) and (earlier.asks or not (earlier.answers or _has_word(named))):
        return 0.0
    apart = _apart(earlier, later)
    shared = asserted & later.terms
    near, far = asserted & change.terms - named, shared - named  # what else they share, in the clause and in the whole
    again = len(named) > 1 and 4 * len(named) >= 3 * len(change.old) and 2 * len(named) >= len(asserted)  # the same said with a no
    together = len(named) != 2 or side_by_side(named, said.text)  # two words may meet in a sentence by chance
    if _alone(change, later) and not apart and named == change.old and _has_word(named) and together:
        return len(shared) + 0.5
    if not _same_topic(said, change, earlier, later, later.topic, asked):
        return 0.0
    few = 0 if far & asked and named == change.old and _has_word(named) else 1
    if change.new and change.terms - change.old - change.new - earlier.terms and asked & said.sentence - later.terms:
        apart += 1  # it may be about another one of its kind
    elsewhere = len(far) > few + apart and together
    return len(shared) + 1.0 if len(near) > apart or elsewhere or again or earlier.answers & later.terms else 0.0


def _announces(said: Clause, asserted: frozenset[str], change: Clause, earlier: _Read, later: _Read, asked: frozenset[str]) -> float:
    """As `_strength`, where the later one only gives another value or word."""
    apart = _apart(earlier, later)
    topic = later.topic | later.around if change.refers or _alone(change, later) else later.topic
    if not _same_topic(said, change, earlier, later, topic, asked):
        return 0.0
    if not apart and _refers(said, change, earlier, later):
        return len(earlier.topic & topic) + 0.5
    if _replies(later.statement, earlier.statement) and not earlier.answers:
        return 0.0
    if _gives_another(said, change, earlier, asked):
        return len(earlier.topic & topic) + 0.5
    shared = asserted & later.terms
    half = 2 * len(said.terms & shared) >= len(said.terms)
    if len(shared) < 2 + apart and not half:
        return 0.0
    return float(len(shared)) if other_value(said, change) or half and other_word(said, change, shared) else 0.0


def _has_word(named: Iterable[str]) -> bool:
    """Whether it is more than numbers, which are the values of many things."""
    return any(not term[0].isdigit() for term in named)


def _same_topic(said: Clause, change: Clause, earlier: _Read, later: _Read, topic: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether the two sentences, or what they answer, are about the same part of the query."""
    if asked & said.sentence & change.sentence or _covers(asked & said.sentence & later.topic, asked):
        return True
    lent = earlier.answers | (asked & said.sentence if topic != later.topic else _NONE)
    return bool(lent & topic) and _covers(topic, asked)


def _gives_another(said: Clause, change: Clause, earlier: _Read, asked: frozenset[str]) -> bool:
    """Whether both are short answers to the query, with another value or word: "the meeting moved to Thursday"."""
    if not change.new - earlier.terms or len(change.new) > _SHORT or len(said.sentence - asked) > _SHORT:
        return False
    if change.plain and earlier.answers:
        return True
    rest = change.terms - change.new - asked
    if not rest <= said.sentence or not _covers(asked & change.terms, asked):
        return False
    if _covers(asked & said.terms | earlier.answers, asked) and other_number(said, change):
        return True
    return asked <= said.terms & change.terms and (change.plain or len(asked) > 1)


def _alone(change: Clause, later: _Read) -> bool:
    """Whether it says what goes and what comes, and of nothing else."""
    return not change.sentence - later.given_up - later.put_in and len(change.new) <= 4


def _refers(said: Clause, change: Clause, earlier: _Read, later: _Read) -> bool:
    """Whether it changes what was talked of just before: "raise it to 300", "from today on they go there instead"."""
    close = 0 < later.statement.position - earlier.statement.position <= _CLOSE or earlier.topic <= later.around
    if not close or not (change.refers or change.terms <= change.new):
        return False
    if change.new and other_number(said, change):
        return True
    return bool(earlier.answers) and "instead" in change.text and bool(change.terms - earlier.terms)


def _apart(earlier: _Read, later: _Read) -> int:
    """1 for two threads, where one shared term more is asked for."""
    return 0 if earlier.statement.thread == later.statement.thread else 1


def _replies(later: Statement, earlier: Statement) -> bool:
    """Whether somebody else says it right after: a confirmation, an answer, a remark."""
    return later.thread == earlier.thread and later.position == earlier.position + 1 and later.speaker != earlier.speaker


def _follows(later: Statement, earlier: Statement) -> bool:
    """Whether it was certainly said afterwards: what has only a day may be from before or after an hour of that day."""
    if later.ref == earlier.ref or later.ref in earlier.cites or earlier.ref in later.cites:
        return False
    if later.thread == earlier.thread and later.position != earlier.position:
        return later.position > earlier.position
    if not (moment.is_valid(later.at) and moment.is_valid(earlier.at)):
        return False
    ours, theirs = moment.parse(later.at), moment.parse(earlier.at)
    return ours.start > theirs.start if theirs.precision == "instant" else ours.start >= theirs.end
