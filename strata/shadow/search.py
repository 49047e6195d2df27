"""The best documents for weighted terms: exact top-k over posting lists, by MaxScore.

Terms are taken from the rarest to the most common. As soon as all the terms to come could not lift a new document
among the best (the sum of their highest scores is below the k-th best so far), only documents already found are
looked up in them (Turtle & Flood, "Query evaluation: strategies and optimizations", 1995). The result is the same as
scoring everything. Document frequencies count living documents only, so it does not depend on how the index grew.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from heapq import nlargest
from itertools import compress
from typing import NamedTuple

from strata import moment
from strata.shadow.scoring import IMPACT, idf
from strata.shadow.segment import Segment, key, size

MOST_SCORED = 64  # terms of a query that are scored: the rarest
_SLACK = 1 - 1e-9  # sums of the same numbers in another order may differ in the last bits

Scored = tuple[float, int, int]  # score, number of the part, document


class Part:
    """A segment with its removed documents, and what was worked out about it."""

    def __init__(self, segment: Segment, dead: Sequence[int]) -> None:
        self.segment = segment
        self.dead = array("H", dead)
        self._counts: dict[bytes, int] = {}
        self._allowed: dict[Filter, bytes | None] = {}

    @property
    def living(self) -> int:
        """The number of documents that were not removed."""
        return self.segment.documents - len(self.dead)

    @cached_property
    def alive(self) -> bytes:
        """For each document 1, or 0 where it was removed."""
        found = bytearray(b"\1") * self.segment.documents
        for document in self.dead:
            found[document] = 0
        return bytes(found)

    def documents(self, term: bytes) -> list[int]:
        """The living documents of a key."""
        extent = self.segment.extent(term)
        if extent is None:
            return []
        found = self.segment.postings(extent)[0]
        return list(compress(found, map(self.alive.__getitem__, found))) if self.dead else list(found)

    def count(self, term: bytes, extent: tuple[int, int]) -> int:
        """How many living documents have the term."""
        if not self.dead:
            return size(extent)
        known = self._counts.get(term)
        if known is None:
            documents = self.segment.postings(extent)[0]
            if len(self.dead) * 8 < len(documents):
                known = len(documents) - sum(_holds(documents, document) for document in self.dead)
            else:
                known = sum(map(self.alive.__getitem__, documents))
            self._counts[term] = known
        return known

    def allowed(self, wanted: Filter) -> bytes | None:
        """For each document 1 where it is alive and wanted, else 0; None when all are."""
        if wanted not in self._allowed:
            if len(self._allowed) > 8:
                self._allowed.clear()
            self._allowed[wanted] = wanted.apply(self)
        return self._allowed[wanted]

    def order(self, document: int) -> tuple[int, int]:
        """A key that puts documents newest first, unknown times last: `moment.sort_key`, negated."""
        column = self.segment.column
        opens, offset = column("opens")[document], column("offset")[document]
        if opens < 0:
            return 1, 0
        return offset * 60_000_000 - opens, column("closes")[document] - opens


class Filter(NamedTuple):
    """Which documents are wanted; an empty field wants all."""

    kinds: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    thread: str = ""
    since: str = ""
    until: str = ""

    def apply(self, part: Part) -> bytes | None:
        """The bytes of `Part.allowed`; the bounds are known to be times."""
        segment = part.segment
        masks = [part.alive] if part.dead else []
        for name, wanted in (("kind", self.kinds), ("tier", self.tiers), ("thread", (self.thread,) if self.thread else ())):
            if wanted:
                table = bytes(value in wanted for value in segment.names[name])
                masks.append(bytes(map(table.__getitem__, segment.column(name))))
        if self.since or self.until:
            masks.append(self._in_time(segment))
        if not masks:
            return None
        both = int.from_bytes(masks[0])
        for mask in masks[1:]:
            both &= int.from_bytes(mask)
        return both.to_bytes(segment.documents)

    def _in_time(self, segment: Segment) -> bytes:
        """What `moment.within` says, from numbers: a bound without an offset is compared with the written clock."""
        opens, closes, offsets = (segment.column(name) for name in ("opens", "closes", "offset"))
        found = [start >= 0 for start in opens]
        if self.since:
            bound = moment.parse(self.since, field="since")
            least, shift = _micros(bound.start if bound.offset is not None else bound.opens), bound.offset is not None
            ends = (end - offset * 60_000_000 for end, offset in zip(closes, offsets, strict=True)) if shift else closes
            found = [known and end > least for known, end in zip(found, ends, strict=True)]
        if self.until:
            bound = moment.parse(self.until, field="until")
            most, shift = _micros(bound.end if bound.offset is not None else bound.closes), bound.offset is not None
            starts = (start - offset * 60_000_000 for start, offset in zip(opens, offsets, strict=True)) if shift else opens
            found = [known and start < most for known, start in zip(found, starts, strict=True)]
        return bytes(found)


class _Term(NamedTuple):
    """One term of a query, in all parts."""

    text: str
    count: int
    extents: list[tuple[int, int] | None]
    scores: list[float]  # by impact code
    bound: float  # the highest score it can give


def best(parts: Sequence[Part], terms: Mapping[str, float], wanted: Filter, limit: int) -> list[Scored]:
    """The `limit` best documents and all that tie with the last of them, in no order."""
    rows = _looked_up(parts, terms)
    masks = [part.allowed(wanted) for part in parts]
    rest = [0.0]
    for row in reversed(rows):
        rest.append(rest[-1] + row.bound)
    rest.reverse()
    found: list[dict[int, float]] = [{} for _ in parts]
    total, least, closed = 0, 0.0, False
    for number, row in enumerate(rows):
        if not closed and total >= limit and (row.count > total or number == len(rows) - 1):
            least = _kth(found, limit)
        closed = closed or rest[number] < least * _SLACK
        for part, mask, scores, extent in zip(parts, masks, found, row.extents, strict=True):
            if extent is None or (closed and not scores):
                continue
            documents, impacts = part.segment.postings(extent)
            if closed:
                _rescore(scores, documents, impacts, row.scores)
            else:
                _score(scores, documents, impacts, row.scores, mask)
        total = sum(map(len, found))
        if closed and total > limit:
            least = _kth(found, limit)
            floor = least * _SLACK - rest[number + 1]
            found = [{document: score for document, score in scores.items() if score >= floor} for scores in found]
            total = sum(map(len, found))
    if total > limit:
        least = _kth(found, limit)
    return [(score, number, document) for number, scores in enumerate(found) for document, score in scores.items() if score >= least]


def matched(parts: Sequence[Part], terms: Mapping[str, float], number: int, document: int) -> tuple[str, ...]:
    """The terms of the query that a document has, in the order of the query."""
    segment = parts[number].segment
    extents = ((term, segment.extent(key("text", term))) for term in terms)
    return tuple(term for term, extent in extents if extent and _holds(segment.postings(extent)[0], document))


def _looked_up(parts: Sequence[Part], terms: Mapping[str, float]) -> list[_Term]:
    """The terms that occur, rarest first; of more than 64 the rarest."""
    total = sum(part.living for part in parts)
    rows = []
    for text, weight in terms.items():
        term = key("text", text)
        extents = [part.segment.extent(term) for part in parts]
        pairs = [(part, extent) for part, extent in zip(parts, extents, strict=True) if extent]
        count = sum(part.count(term, extent) for part, extent in pairs)
        if count:
            scale = weight * idf(total, count)
            highest = max(part.segment.highest(extent) for part, extent in pairs)
            rows.append(_Term(text, count, extents, [scale * impact for impact in IMPACT], scale * IMPACT[highest]))
    rows.sort(key=lambda row: (row.count, row.text))
    return rows[:MOST_SCORED]


def _score(scores: dict[int, float], documents: array[int], impacts: bytes, table: list[float], mask: bytes | None) -> None:
    found = zip(documents, map(table.__getitem__, impacts), strict=True)
    if mask is not None:
        found = compress(found, map(mask.__getitem__, documents))  # type: ignore[assignment]
    if not scores:
        scores.update(found)
        return
    known = scores.get
    for document, score in found:
        scores[document] = known(document, 0.0) + score


def _rescore(scores: dict[int, float], documents: array[int], impacts: bytes, table: list[float]) -> None:
    """Add to documents already found, and to no others."""
    count = len(documents)
    if len(scores) * 8 < count:
        for document in scores:
            at = bisect_left(documents, document)
            if at < count and documents[at] == document:
                scores[document] += table[impacts[at]]
    else:
        for document, impact in zip(documents, impacts, strict=True):
            if document in scores:
                scores[document] += table[impact]


def _kth(found: list[dict[int, float]], limit: int) -> float:
    """The score of the k-th best so far, a lower bound of the final one; 0 while there are fewer."""
    values = nlargest(limit, (score for scores in found for score in scores.values()))
    return values[-1] if len(values) == limit else 0.0


def _holds(documents: array[int], document: int) -> bool:
    at = bisect_left(documents, document)
    return at < len(documents) and documents[at] == document


def _micros(value: datetime) -> int:
    return (value.replace(tzinfo=None) - datetime.min) // timedelta(microseconds=1)
