"""The best documents for weighted terms: exact top-k over posting lists, tier by tier.

Parts are taken from active to archive, so that the best of what is near say early how good a hit must be. A part in
which all terms together cannot give that is passed over. In a large one the documents that can reach it are found by
their bit maps (`strata.shadow.sieve`), and only they are scored. In a small one the terms are taken from the rarest to
the most common, and a document is taken up only while this term and the ones to come could lift it that high; lists of
which that is true of no document are only looked up in (MaxScore: Turtle & Flood, "Query evaluation: strategies and
optimizations", 1995). The result is the same as scoring everything. Document frequencies count living documents of
all tiers, so it depends neither on how the index grew nor on where a record rests.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import nlargest
from itertools import compress
from operator import or_
from typing import NamedTuple

from strata.model import Tier
from strata.shadow import postings
from strata.shadow.part import Filter, Part
from strata.shadow.postings import Postings
from strata.shadow.scoring import IMPACT, idf
from strata.shadow.segment import Extent, Segment, key
from strata.shadow.sieve import MOST_LAYERS, Layer, able, members

MOST_SCORED = 64  # terms of a query that are scored: the rarest
_SLACK = 1 - 1e-9  # sums of the same numbers in another order may differ in the last bits
_DESCENT = 0.75  # from one guess at the score to reach to the next
_LOWEST = 1 / 64  # of all that the terms can give: the last guess
_MANY = 8  # times as many candidates as hits are asked for: then the most promising are scored first
_COSTLY = 8  # to score one document alone costs as much as to go through so many postings
_RARE = 16  # a sieve pays when the lists together have more than one posting for so many documents
_NEARNESS = {tier.value: number for number, tier in enumerate(Tier)}

Scored = tuple[float, int, int]  # score, number of the part, document
Scores = dict[int, float]


class Row(NamedTuple):
    """One term of a query, in all parts."""

    text: str
    frequency: int  # living documents that have it; forgotten ones do not count, so that no score tells of them
    extents: list[Extent | None]
    scores: list[float]  # by impact code, rising


class _List(NamedTuple):
    """The posting list of a term in one part."""

    postings: Postings
    scores: list[float]  # by impact code, rising
    bound: float  # the highest score that it can give
    rest: float  # the highest score that all lists after it can give together


def frequency(parts: Iterable[Part], text: str) -> int:
    """How many living documents that are not forgotten have a term."""
    term = key("text", text)
    return sum(part.count(term, extent) for part in parts if (extent := part.segment.extent(term)))


def look_up(parts: Sequence[Part], terms: Mapping[str, float]) -> list[Row]:
    """The terms that occur, rarest first."""
    total = sum(part.shown for part in parts)
    rows = []
    for text, weight in terms.items():
        term = key("text", text)
        extents = [part.segment.extent(term) for part in parts]
        frequency = sum(part.count(term, extent) for part, extent in zip(parts, extents, strict=True) if extent)
        if any(extents):
            scale = weight * idf(total, frequency)
            rows.append(Row(text, frequency, extents, [scale * impact for impact in IMPACT]))
    rows.sort(key=lambda row: (row.frequency, row.text))
    return rows


def best(parts: Sequence[Part], rows: Sequence[Row], wanted: Filter, limit: int) -> list[Scored]:
    """The `limit` best documents and all that tie with the last of them, in no order; of many terms the rarest are scored."""
    found: list[Scored] = []
    least = 0.0  # the score of the last of the best so far, once there are `limit` of them
    for number in sorted(range(len(parts)), key=lambda number: _nearness(parts[number])):
        part = parts[number]
        if not wanted.reaches(part):
            continue
        lists = _lists(part.segment, rows[:MOST_SCORED], number)
        if not lists or lists[0].bound + lists[0].rest < least * _SLACK:
            continue
        known = [score for score, _, _ in found]
        scored = _by_sieve if _is_wide(part, lists) else _by_terms
        scores = scored(part, lists, wanted, limit, known, least)
        found += [(score, number, document) for document, score in scores.items() if score >= least]
        if len(found) >= limit:
            least = _kth([score for score, _, _ in found], limit)
            found = [row for row in found if row[0] >= least]
    return found


def matched(part: Part, rows: Iterable[Row], number: int, document: int) -> set[str]:
    """The terms that a document of a part has; `number` is that of the part."""
    segment = part.segment
    return {row.text for row in rows if (extent := row.extents[number]) and any(segment.postings(extent).among((document,)))}


def _lists(segment: Segment, rows: Sequence[Row], number: int) -> list[_List]:
    """The posting lists of a part, rarest term first."""
    lists, rest = [], 0.0
    for row in reversed(rows):
        if extent := row.extents[number]:
            found = segment.postings(extent)
            bound = row.scores[found.highest]
            lists.append(_List(found, row.scores, bound, rest))
            rest += bound
    return lists[::-1]


def _is_wide(part: Part, lists: Sequence[_List]) -> bool:
    """Whether a part has so many documents with these terms, of so few terms, that a sieve pays."""
    documents = part.segment.documents
    return documents >= postings.LARGE and 1 < len(lists) <= MOST_LAYERS and sum(each.postings.size for each in lists) * _RARE > documents


# Both of the following give the scores of all documents of a part that are among the best, and of some others.
# `known` are the best scores so far, and `least` is the one to reach.


def _by_sieve(part: Part, lists: Sequence[_List], wanted: Filter, limit: int, known: Sequence[float], least: float) -> Scores:
    """The most promising documents first, then those that could still be as good; term by term when they are too many."""
    allowed, most = part.allowed_bits(wanted), lists[0].bound + lists[0].rest
    layers = [Layer(*each.postings.maps(), each.scores[each.postings.calm], each.bound) for each in lists]
    few = sum(each.postings.size for each in lists) // _COSTLY
    scores: Scores = {}
    likely, rest = 0, _reaching(layers, least) & allowed
    if rest.bit_count() > _MANY * limit:
        guess = most
        while likely.bit_count() < limit and guess > max(least, most * _LOWEST):
            guess *= _DESCENT
            likely = able(layers, guess) & allowed
        if likely.bit_count() <= few:
            scores = _exact(part, lists, likely)
            least = _raised(least, limit, known, scores)
            rest = _reaching(layers, least) & allowed & ~likely
    if rest.bit_count() > few:
        return _by_terms(part, lists, wanted, limit, known, least)
    return scores | _exact(part, lists, rest)


def _reaching(layers: Sequence[Layer], least: float) -> int:
    """The documents, as bits, that may reach a score; all when there is none to reach yet."""
    return able(layers, least * _SLACK) if least else reduce(or_, (layer.every for layer in layers))


def _exact(part: Part, lists: Sequence[_List], bits: int) -> Scores:
    """The scores of these documents."""
    documents = members(bits, part.segment.documents)
    scores = dict.fromkeys(documents, 0.0)
    for each in lists:
        for document, code in each.postings.among(documents):
            scores[document] += each.scores[code]
    return scores


def _by_terms(part: Part, lists: Sequence[_List], wanted: Filter, limit: int, known: Sequence[float], least: float) -> Scores:
    """Term by term, from the rarest to the most common."""
    mask = part.allowed(wanted)
    scores: Scores = {}
    for each in lists:
        if limit < len(scores) < each.postings.size:
            least = _raised(least, limit, known, scores)
        floor = least * _SLACK - each.rest  # what a document needs by now, or it cannot reach `least`
        lowest = bisect_left(each.scores, floor)  # the code with which one that is new here has that
        high = each.postings.codes.translate(bytes(lowest) + b"\1" * (256 - lowest)) if lowest <= each.postings.highest else b""
        if high.count(1) * 3 > len(high):
            _add_all(scores, each, mask)
            continue
        if floor > each.bound:
            scores = {document: score for document, score in scores.items() if score >= floor - each.bound}
        for document, code in each.postings.among(scores.keys()):
            scores[document] += each.scores[code]
        if high:
            for document, code in zip(compress(each.postings.documents, high), compress(each.postings.codes, high), strict=True):
                if document not in scores and (mask is None or mask[document]):
                    scores[document] = each.scores[code]
    return scores


def _add_all(scores: Scores, each: _List, mask: bytes | None) -> None:
    """Add a list to the scores, with all its documents that are wanted."""
    documents = each.postings.documents
    found: Iterator[tuple[int, float]] = zip(documents, map(each.scores.__getitem__, each.postings.codes), strict=True)
    if mask is not None:
        found = compress(found, map(mask.__getitem__, documents))
    if not scores:
        scores.update(found)
        return
    for document, score in found:
        scores[document] = scores.get(document, 0.0) + score


def _raised(least: float, limit: int, known: Sequence[float], scores: Scores) -> float:
    """The score to reach, when what has been found so far says more; scores that are not complete say no more than they may."""
    better = [score for score in scores.values() if score > least]
    return max(least, _kth([*known, *better], limit)) if better and len(better) + len(known) >= limit else least


def _kth(scores: Sequence[float], limit: int) -> float:
    """The score of the k-th best, of at least so many."""
    return nlargest(limit, scores)[-1]


def _nearness(part: Part) -> tuple[int, int]:
    """Active parts first, archived ones last; in a tier the small ones first."""
    return _NEARNESS.get(part.segment.tier, len(_NEARNESS)), part.living
