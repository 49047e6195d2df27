"""The full ranking: from a question to the messages and records that answer it.

In two steps. First the plain text search (`strata.shadow.search`) gives candidates by their own terms, exactly the
best of all tiers. Then each candidate message and those beside it are weighed with what was said around them
(`strata.shadow.worth`), and by what the question asks for: whose words, from when, what kind of answer. Blocks and
events are lifted by the messages they hold or cite. All of it is a function of the living entries and the question:
neither tiers nor the parts of the index change an answer.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from heapq import nlargest
from typing import NamedTuple

from strata.model import Reason
from strata.shadow import traits, worth
from strata.shadow.batch import day_of
from strata.shadow.lexicon import Lexicon, speakers
from strata.shadow.part import Filter, Part
from strata.shadow.question import understood
from strata.shadow.search import best
from strata.shadow.strips import Place, Strip, Strips
from strata.shadow.view import View

CANDIDATES = 120  # of the first step, or four for each hit that is asked for; with 50 or 400 the answers are as good
THEN = 0.2  # of the weight of all terms: what a text from the time that is named gets without any of them
SPEAKER = 2.0  # for the words of the speaker who is named
EVERY = 1.3  # for a text that has all terms itself
ASKING = 0.7  # for a text that asks and does not tell
SUPERSEDED = 0.5  # for an event that another supersedes
LIFT = 0.4  # of the worth of its messages that a block gets, and of its own words
BEHIND = 0.95  # of the score of its best message: the most that a block gets beside it
REST = 0.3  # of the block's other good messages, beside its best
CITED = 0.3  # of the best message it cites, for an event
RECENT = 0.3  # the most that a question for the latest, or the first, gives by age
_FAINT = 0.5  # an impact below which a text hardly has a term
_BESIDE = 4  # other messages of a block that count
_AGED = 30  # the best hits, among which age counts

Second = Callable[[str, Sequence[str], Sequence[tuple["array[int]", "array[int]", bytes, bytes]], dict[Place, float]], dict[Place, float]]
"""From a question, the names of speakers, four columns for each part (digest of the passage, messages before it in its
file, whether it asks, whether it is compared) and the scores of messages: their scores with likeness of meaning."""


class Ranked(NamedTuple):
    """One document with its score, and where it is."""

    score: float
    place: Place


class Ranking:
    """One question to the parts of an index."""

    def __init__(self, parts: Sequence[Part], text: str, wanted: Filter, limit: int, today: date | None, second: Second | None = None) -> None:
        self._text = text
        self._second = second
        self._parts = parts
        self._wanted = wanted
        self._view = View(parts, wanted)
        self._limit = limit
        named = speakers(parts, text)
        self._names = {name for names in named.values() for name in names}
        self._question = understood(text, named, today)
        self._lexicon = Lexicon(parts, self._question)
        self._aged: dict[Place, float] = {}  # the factors of a question for the latest, or the first
        self._likened: dict[Place, float] = {}  # what likeness of meaning gave
        self._lifted: dict[Place, float] = {}  # what blocks and events get from messages
        self._strips = Strips(parts, forgotten=wanted.forgotten is not False)
        self._told = [number for number, group in enumerate(self._question.groups) if not group.name]  # groups looked for in what was said

    def best(self) -> list[Ranked]:
        """The best documents that are wanted, and all that tie with the last of them, in no order."""
        if self._limit < 1:
            return []
        messages, others = self._candidates()
        if self._question.groups:
            scores = self._meant(self._messages(messages))
            scores |= self._records(others, scores)
        else:
            scores = {place: self._factor(place) for place in messages + others}
        ranked = self._by_age([Ranked(score, place) for place, score in scores.items() if score > 0 and self._view.is_wanted(place)])
        least = nlargest(self._limit, (each.score for each in ranked))[-1:]
        return [each for each in ranked if each.score >= least[0]]

    def _candidates(self) -> tuple[list[Place], list[Place]]:
        """Messages and records that may be among the best."""
        wanted = self._wanted._replace(kinds=_widened(self._wanted.kinds))
        found = best(self._parts, self._lexicon.rows(), wanted, max(CANDIDATES, 4 * self._limit))
        places = [(number, document) for _, number, document in found]
        return [place for place in places if self._view.kind(place) == "message"], [place for place in places if self._view.kind(place) != "message"]

    # -- messages ----------------------------------------------------------------------------

    def _messages(self, candidates: Iterable[Place]) -> dict[Place, float]:
        """The scores of candidates and of the messages beside them."""
        strips = list(self._strips.around(candidates, worth.NEAR, worth.REACH))
        self._lexicon.read(place for strip in strips for place in strip.places)
        scales = [self._lexicon.scales[number] for number in self._told]
        every = _sum(scales)
        scores: dict[Place, float] = {}
        for strip, impacts, asks in self._laid_out(strips):
            for place, each in zip(strip.places[strip.first : strip.last], worth.worths(scales, impacts, asks, strip.first, strip.last), strict=True):
                if each.terms > 0 and (self._question.asks or len(self._told) > 1 or self._has_own(place)):
                    scores[place] = each.total(every) * self._factor(place)
        if self._question.periods:
            then = (place for place in candidates if place not in scores and self._from_then(place) > 1)
            scores |= {place: THEN * every * self._factor(place) for place in then}
        return scores

    def _meant(self, scores: dict[Place, float]) -> dict[Place, float]:
        """The scores with likeness of meaning, where there is a second score and messages are asked for."""
        if self._second is None or (self._wanted.kinds and not {"message", "block"} & set(self._wanted.kinds)):
            return scores
        columns = [(part.segment.column("digest"), part.segment.column("before"), part.asking, part.messages(self._wanted)) for part in self._parts]
        mixed = self._second(self._text, sorted(self._names), columns, scores)
        self._likened = {place: score - scores.get(place, 0.0) for place, score in mixed.items()}
        return mixed

    def _laid_out(self, strips: Sequence[Strip]) -> Iterator[tuple[Strip, list[list[tuple[int, float]]], set[int]]]:
        """Each strip with the impacts of the groups on it, by place, and the places that ask."""
        at: dict[Place, list[tuple[int, int]]] = {}
        for number, strip in enumerate(strips):
            for place, each in enumerate(strip.places):
                at.setdefault(each, []).append((number, place))
        rows: list[list[list[tuple[int, float]]]] = [[[] for _ in self._told] for _ in strips]
        asking: list[set[int]] = [set() for _ in strips]
        for column, group in enumerate(self._told):
            for part, found in enumerate(self._lexicon.impacts[group]):
                has = self._view.column(part, "traits")
                for document, impact in found.items():
                    for strip, place in at.get((part, document), ()):
                        rows[strip][column].append((place, impact))
                        if self._question.asks and has[document] & traits.ASKS:
                            asking[strip].add(place)
        for row in (row for each in rows for row in each):
            row.sort()  # so that sums do not depend on where a thread lies
        return zip(strips, rows, asking, strict=True)

    def _has_own(self, place: Place) -> bool:
        return any(place[1] in self._lexicon.impacts[number][place[0]] for number in self._told)

    # -- records -----------------------------------------------------------------------------

    def _records(self, candidates: Iterable[Place], said: dict[Place, float]) -> dict[Place, float]:
        """The scores of records: their own words, and the messages that blocks hold and events cite."""
        held: dict[Place, list[float]] = {}
        for (number, document), score in said.items():
            block = document + self._view.column(number, "after")[document] + 1
            if block < self._parts[number].segment.documents and self._view.kind((number, block)) == "block":
                held.setdefault((number, block), []).append(score)
        records = set(candidates)
        if not self._wanted.kinds or "block" in self._wanted.kinds:
            records |= held.keys()
        cited = self._cited(records)
        missing = {place for places in cited.values() for place in places} - said.keys()
        if missing:
            said = said | self._messages(missing)
        self._lexicon.read(records)
        scores = {}
        for place in records:
            kind, own = self._view.kind(place), self._own(place)
            if kind == "block":
                best = nlargest(1 + _BESIDE, held.get(place, ()))
                self._lifted[place] = LIFT * (best[0] + REST * sum(best[1:])) if best else 0.0
                own *= LIFT
                if best and (not self._wanted.kinds or "message" in self._wanted.kinds):  # the message says it, the block only holds it
                    own = min(own, max(0.0, BEHIND * best[0] - self._lifted[place]))
            elif kind == "event":
                self._lifted[place] = CITED * max((said.get(source, 0.0) for source in cited[place]), default=0.0)
            scores[place] = (own + self._lifted.get(place, 0.0)) * (SUPERSEDED if kind == "event" and self._view.is_superseded(place) else 1.0)
        return scores

    def _own(self, place: Place) -> float:
        """What a record is worth by its own words; the names in it count like any term."""
        number, document = place
        impacts = [[(0, found[number][document])] if document in found[number] else [] for found in self._lexicon.impacts]
        (each,) = worth.worths(self._lexicon.scales, impacts, (), 0, 1)
        return each.total(_sum(self._lexicon.scales)) * self._factor(place)

    def _cited(self, candidates: Iterable[Place]) -> dict[Place, list[Place]]:
        """For each event the messages it cites."""
        found = {}
        for place in candidates:
            if self._view.kind(place) == "event":
                found[place] = [source for ref in self._view.stored(place)[-1] if (source := self._view.message(ref))]
        return found

    # -- factors -----------------------------------------------------------------------------

    def _factor(self, place: Place) -> float:
        factor = 1.0
        for _, _, given in self._factors(place):
            factor *= given
        return factor

    def _factors(self, place: Place) -> Iterator[tuple[str, str, float]]:
        """What a document gets for being what the question asks for: signal, detail, factor."""
        number, document = place
        question, has = self._question, self._view.traits(place)
        if question.speakers and self._view.column(number, "speaker")[document] in self._named[number]:
            yield "speaker", self._parts[number].segment.names["speaker"][self._view.column(number, "speaker")[document]], SPEAKER
        if question.periods and (given := self._from_then(place)) != 1.0:
            yield "time", day_of(self._view.column(number, "opens")[document]).isoformat(), given
        if kinds := [(given, word) for trait, given, word in question.wants if has & trait]:
            given, word = max(kinds)
            yield "kind of answer", word, given
        if self._has_all(place):
            yield "has every word", "", EVERY
        if question.asks and has & traits.ASKS:
            yield "only asks", "", ASKING

    def _has_all(self, place: Place) -> bool:
        """Whether a text itself has all that is asked for, of two terms or more."""
        impacts = self._lexicon.impacts
        return len(self._told) > 1 and all(impacts[number][place[0]].get(place[1], 0.0) > _FAINT for number in self._told)

    def _from_then(self, place: Place) -> float:
        """The factor for being from a time that is named."""
        opens = self._view.column(place[0], "opens")[place[1]]
        return self._question.periods.gives(day_of(opens)) if opens >= 0 else 1.0

    @cached_property
    def _named(self) -> list[frozenset[int]]:
        """For each part the numbers of the speakers who are named."""
        return [frozenset(number for number, name in enumerate(part.segment.names["speaker"]) if name in self._question.speakers) for part in self._parts]

    def _by_age(self, ranked: list[Ranked]) -> list[Ranked]:
        """With a question for the latest, or the first, the best of them in favour of the newer or the older."""
        if self._question.latest == self._question.first:
            return ranked
        least = nlargest(_AGED, (each.score for each in ranked))[-1:]
        best = [each for each in ranked if each.score >= least[0]]
        times = sorted({opens for each in best if (opens := self._view.column(each.place[0], "opens")[each.place[1]]) >= 0}, reverse=self._question.first)
        if len(times) < 2:
            return ranked
        among = {time: at / (len(times) - 1) for at, time in enumerate(times)}
        self._aged = {each.place: 1 + RECENT * among.get(self._view.column(each.place[0], "opens")[each.place[1]], 0.0) for each in best}
        return [Ranked(each.score * self._aged.get(each.place, 1.0), each.place) for each in ranked]

    # -- reasons -----------------------------------------------------------------------------

    def matched(self, place: Place) -> tuple[str, ...]:
        """The terms of the question that a document has itself, in the order of the question."""
        return tuple(group.term for group, term in zip(self._question.groups, self._lexicon.having(place), strict=True) if term == group.term)

    def reasons(self, place: Place) -> tuple[Reason, ...]:
        """Why a document has its score: what each term and the passage gave, and the factors."""
        kind = self._view.kind(place)
        is_message = kind == "message"
        strip = self._strips.alone(place, worth.REACH) if is_message else Strip([place], 0, 1)
        self._lexicon.read(strip.places)
        asks = {at for at, each in enumerate(strip.places) if self._view.traits(each) & traits.ASKS} if is_message and self._question.asks else set()
        having = self._lexicon.having(place)
        found: list[Reason] = []
        covered = passage = 0.0
        for number in self._told if is_message else range(len(having)):
            term, said = self._question.groups[number].term, having[number]
            impacts = self._lexicon.impacts[number]
            row = [(at, impacts[part][document]) for at, (part, document) in enumerate(strip.places) if document in impacts[part]]
            own, every = (
                worth.worths([self._lexicon.scales[number]], [places], asks, strip.first, strip.last)[0]
                for places in ([each for each in row if each[0] == strip.first], row)
            )
            if own.terms:
                found.append(Reason("term", term if said == term else f"{term} → {said}", f"+{own.terms:.2f}"))
            if every.terms > own.terms:
                found.append(Reason("said beside", term, f"+{every.terms - own.terms:.2f}"))
            covered += every.covered
            passage += every.passage
        if covered:
            share = covered / _sum(self._lexicon.scales[number] for number in (self._told if is_message else range(len(having))))
            found.append(Reason("has", f"{share:.0%} of what is asked", f"×{1 + worth.COVERED * share:.2f}"))
        if passage:
            found.append(Reason("passage", "", f"+{passage:.2f}"))
        found += [Reason(signal, detail, f"×{given:.2g}") for signal, detail, given in self._factors(place)]
        if likened := self._likened.get(place):
            found.append(Reason("meaning", "", f"{likened:+.2f}"))
        if self._aged.get(place, 1.0) != 1.0:
            found.append(Reason("latest" if self._question.latest else "first", "", f"×{self._aged[place]:.2f}"))
        if kind == "block":
            found.append(Reason("as a block", "", f"×{LIFT:.2g}"))
        if lifted := self._lifted.get(place):
            found.append(Reason("messages", "held" if kind == "block" else "cited", f"+{lifted:.2f}"))
        if kind == "event" and self._view.is_superseded(place):
            found.append(Reason("superseded", "", f"×{SUPERSEDED:.2g}"))
        return tuple(found)


def _sum(scales: Iterable[worth.Scale]) -> float:
    return sum(scale.own for scale in scales) or 1.0


def _widened(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The kinds to look at: blocks and events are found by messages too."""
    return (*kinds, "message") if kinds and "message" not in kinds and {"block", "event"} & set(kinds) else kinds
