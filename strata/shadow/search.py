"""The best documents for weighted terms: exact top-k over posting lists, tier by tier, by MaxScore.

Parts are taken from active to archive, so that the best of what is near say early how good a hit must be. In a part
the terms are taken from the rarest to the most common. A document that is met for the first time cannot have any of
the terms before, so it is taken up only if this term, at the impact it has there, and the highest scores of the terms
to come could lift it among the best (Turtle & Flood, "Query evaluation: strategies and optimizations", 1995). Lists
in which no document can do that are never read: what was taken up is looked up in them. A part in which all terms
together are not enough is passed over. The result is the same as scoring everything. Document frequencies count living
documents of all tiers, so it depends neither on how the index grew nor on where records rest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import compress
from typing import NamedTuple

from strata.model import Tier
from strata.shadow.part import Filter, Part, place
from strata.shadow.scoring import IMPACT, idf
from strata.shadow.segment import Extent, Segment, key, size

MOST_SCORED = 64  # terms of a query that are scored: the rarest
_SLACK = 1 - 1e-9  # sums of the same numbers in another order may differ in the last bits
_NEARNESS = {tier.value: number for number, tier in enumerate(Tier)}

Scored = tuple[float, int, int]  # score, number of the part, document
Scores = dict[int, float]


class _Term(NamedTuple):
    """One term of a query, in all parts."""

    text: str
    count: int
    extents: list[Extent | None]
    scores: list[float]  # by impact code, rising


class _List(NamedTuple):
    """The posting list of a term in one part."""

    extent: Extent
    scores: list[float]
    highest: int  # of its impact codes
    rest: float  # the highest score that all terms to come can give together


def best(parts: Sequence[Part], terms: Mapping[str, float], wanted: Filter, limit: int) -> list[Scored]:
    """The `limit` best documents and all that tie with the last of them, in no order."""
    rows = _looked_up(parts, terms)
    found: list[Scored] = []
    least = 0.0  # the score of the last of the best so far, once there are `limit` of them
    for number in sorted(range(len(parts)), key=lambda number: _nearness(parts[number])):
        part = parts[number]
        if not wanted.reaches(part):
            continue
        lists, most = _lists(part.segment, rows, number)
        if not lists or most < least * _SLACK:
            continue
        known = [score for score, _, _ in found]
        scores = _scored(part.segment, lists, part.allowed(wanted), limit, known, least)
        found += [(score, number, document) for document, score in scores.items()]
        if len(found) > limit:
            least = _kth([score for score, _, _ in found], limit)
            found = [row for row in found if row[0] >= least]
    return found


def matched(part: Part, terms: Mapping[str, float], document: int) -> tuple[str, ...]:
    """The terms of the query that a document has, in the order of the query."""
    segment = part.segment
    extents = ((term, segment.extent(key("text", term))) for term in terms)
    return tuple(term for term, extent in extents if extent and place(segment.numbers(extent), document) >= 0)


def _looked_up(parts: Sequence[Part], terms: Mapping[str, float]) -> list[_Term]:
    """The terms that occur, rarest first; of more than 64 the rarest."""
    total = sum(part.living for part in parts)
    rows = []
    for text, weight in terms.items():
        term = key("text", text)
        extents = [part.segment.extent(term) for part in parts]
        count = sum(part.count(term, extent) for part, extent in zip(parts, extents, strict=True) if extent)
        if count:
            scale = weight * idf(total, count)
            rows.append(_Term(text, count, extents, [scale * impact for impact in IMPACT]))
    rows.sort(key=lambda row: (row.count, row.text))
    return rows[:MOST_SCORED]


def _lists(segment: Segment, rows: Sequence[_Term], number: int) -> tuple[list[_List], float]:
    """The posting lists of a part, rarest term first, and the highest score that a document can have there."""
    lists, rest = [], 0.0
    for row in reversed(rows):
        if extent := row.extents[number]:
            highest = segment.highest(extent)
            lists.append(_List(extent, row.scores, highest, rest))
            rest += row.scores[highest]
    lists.reverse()
    return lists, rest


def _scored(segment: Segment, lists: Sequence[_List], mask: bytes | None, limit: int, known: Sequence[float], least: float) -> Scores:
    """The documents of a part that are or may be among the best, with their scores; `known` are the scores found before."""
    scores: Scores = {}
    for extent, table, highest, rest in lists:
        floor = least * _SLACK - rest  # what a document must have after this list, else it has no chance
        lowest = bisect_left(table, floor)
        if lowest > highest:
            _look_up(scores, segment, extent, table)
        elif lowest < 2:
            _add_all(scores, segment, extent, table, mask)
        else:
            _look_up(scores, segment, extent, table)
            _add_some(scores, segment, extent, table, lowest, mask)
        if len(scores) > limit:
            least = max(least, _kth([*known, *scores.values()], limit))
        floor = least * _SLACK - rest
        if floor > 0.0:
            scores = {document: score for document, score in scores.items() if score >= floor}
    return scores


def _add_all(scores: Scores, segment: Segment, extent: Extent, table: list[float], mask: bytes | None) -> None:
    """Add a list to the scores, with all its documents that are wanted."""
    documents, codes = segment.postings(extent)
    found: Iterator[tuple[int, float]] = zip(documents, map(table.__getitem__, codes), strict=True)
    if mask is not None:
        found = compress(found, map(mask.__getitem__, documents))
    if not scores:
        scores.update(found)
        return
    known = scores.get
    for document, score in found:
        scores[document] = known(document, 0.0) + score


def _add_some(scores: Scores, segment: Segment, extent: Extent, table: list[float], lowest: int, mask: bytes | None) -> None:
    """Take up the documents of a list whose code is `lowest` or higher; those that are known are looked up already."""
    numbers = segment.numbers(extent)
    codes = segment.codes(extent).tobytes()
    high = codes.translate(bytes(lowest) + b"\1" * (256 - lowest))
    at = high.find(1)
    while at >= 0:
        document = numbers[at]
        if document not in scores and (mask is None or mask[document]):
            scores[document] = table[codes[at]]
        at = high.find(1, at + 1)


def _look_up(scores: Scores, segment: Segment, extent: Extent, table: list[float]) -> None:
    """Add a list to the scores of the documents that are known, and to no others."""
    count = size(extent)
    if len(scores) * 8 < count:
        numbers, codes = segment.numbers(extent), segment.codes(extent)
        for document in scores:
            at = bisect_left(numbers, document)
            if at < count and numbers[at] == document:
                scores[document] += table[codes[at]]
    elif scores:
        documents, impacts = segment.postings(extent)
        for document, impact in zip(documents, impacts, strict=True):
            if document in scores:
                scores[document] += table[impact]


def _kth(scores: Sequence[float], limit: int) -> float:
    """The score of the k-th best, of at least so many."""
    return nlargest(limit, scores)[-1]


def _nearness(part: Part) -> tuple[int, int]:
    """Active parts first, archived ones last; in a tier the large ones first."""
    tiers = part.segment.names["tier"]
    return min((_NEARNESS.get(tier, len(_NEARNESS)) for tier in tiers), default=0), -part.living
