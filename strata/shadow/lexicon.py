"""The terms of one question in an index: how telling each is, where it stands, and how much on which document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from strata.shadow import worth
from strata.shadow.part import Part
from strata.shadow.question import Group, Question
from strata.shadow.scoring import IMPACT, idf
from strata.shadow.search import Row, frequency, look_up
from strata.shadow.strips import Place
from strata.shadow.terms import LONGEST_QUERY, terms

ECHOED = 24  # echoes that take part in the first step, the most telling ones
COMMON = 20_000  # postings of echoes that the first step reads at most
_NOBODY = frozenset(("user", "assistant", "system", "tool", "human", "agent", "ai", "bot", "model"))


class Lexicon:
    """What the parts of an index know of the terms of a question."""

    def __init__(self, parts: Sequence[Part], question: Question) -> None:
        self._parts = parts
        self.groups = question.groups
        self._dated = [*question.periods.terms(), *(() if self.groups else question.names)]
        wanted = {term: 1.0 for group in self.groups for term in (group.term, *(echo for echo, _ in group.echoes))}
        self._rows = {row.text: row for row in look_up(parts, wanted | dict.fromkeys(self._dated, 1.0))}
        self._living = sum(part.shown for part in parts)
        self.impacts: list[list[dict[int, float]]] = [[{} for _ in parts] for _ in self.groups]
        """By group and part, of the documents that were read: the highest impact that any term of the group has there."""

    def rows(self) -> list[Row]:
        """The lists for a first choice of documents, rarest first: the terms, the times, and the most telling echoes as far as reading them is cheap."""
        rows = [_scaled(row, group.weight) for group in self.groups if (row := self._rows.get(group.term))]
        rows += [self._rows[term] for term in self._dated if term in self._rows]
        echoes = [(strength, self._rows[echo]) for group in self.groups for echo, strength in self._echoes(group)]
        echoes.sort(key=lambda echo: (-echo[0] * self._idf(echo[1].text), echo[1].text))
        read = 0
        for strength, row in echoes[:ECHOED]:
            read += row.frequency
            if read > COMMON:
                break
            rows.append(_scaled(row, strength))
        return sorted(rows, key=lambda row: (row.frequency, row.text))

    @cached_property
    def scales(self) -> list[worth.Scale]:
        """How much each group says."""
        return [worth.scale(group.weight, self._idf(group.term), self._living) for group in self.groups]

    def read(self, places: Iterable[Place]) -> None:
        """Read the impacts on these documents, beside those that were read before."""
        by_part: list[set[int]] = [set() for _ in self._parts]
        for number, document in places:
            by_part[number].add(document)
        for group, impacts in zip(self.groups, self.impacts, strict=True):
            for term, strength in self._stand_ins(group):
                for number, documents in enumerate(by_part):
                    extent = self._rows[term].extents[number]
                    if extent is None or not documents:
                        continue
                    found = impacts[number]
                    for document, code in self._parts[number].segment.postings(extent).among(documents):
                        impact = IMPACT[code] * strength
                        if impact > found.get(document, 0.0):
                            found[document] = impact

    def having(self, place: Place) -> list[str]:
        """For each group the term that says most on a document, its own before its echoes; "" for none."""
        return [next((term for term, _ in sorted(self._stand_ins(group), key=lambda each: -each[1]) if self._has(term, place)), "") for group in self.groups]

    def _has(self, term: str, place: Place) -> bool:
        number, document = place
        extent = self._rows[term].extents[number]
        return bool(extent and any(self._parts[number].segment.postings(extent).among((document,))))

    def _stand_ins(self, group: Group) -> list[tuple[str, float]]:
        """The terms of a group that the index has, each with its strength, which is 1 for the one that was asked for."""
        own = [(group.term, 1.0)] if group.term in self._rows else []
        return [*own, *((echo, strength / group.weight) for echo, strength in self._echoes(group))]

    def _echoes(self, group: Group) -> Iterator[tuple[str, float]]:
        """The echoes that the index has, each with its weight; a common word says less than the rare one it stands for."""
        own = self._idf(group.term)
        for echo, strength in group.echoes:
            if echo in self._rows:
                yield echo, group.weight * strength * min(1.0, self._idf(echo) / own)

    def _idf(self, term: str) -> float:
        row = self._rows.get(term)
        return idf(self._living, row.frequency if row and row.frequency else 1)


def speakers(parts: Sequence[Part], text: str) -> dict[str, frozenset[str]]:
    """By each term of the text that is a name the speakers who bear it.

    A role is nobody's name. Where others use a word more often than its bearers speak, it is a word: somebody
    called Book Club takes "book" out of no question.
    """
    found: dict[str, frozenset[str]] = {}
    for term in dict.fromkeys(terms(text[:LONGEST_QUERY])):
        names = frozenset(name for part in parts for name in part.speakers.get(term, ()))
        if not names or term in _NOBODY:
            continue
        said = sum(part.said[name] for part in parts for name in names)
        mentioned = frequency(parts, term) - said
        if said > 0 and said >= mentioned:
            found[term] = names
    return found


def _scaled(row: Row, weight: float) -> Row:
    return row if weight == 1.0 else row._replace(scores=[score * weight for score in row.scores])
