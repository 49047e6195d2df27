"""A segment with its removed documents, and which of its documents a filter wants."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from itertools import compress
from typing import NamedTuple

from strata import moment
from strata.entries import TURN
from strata.shadow.segment import FORGOTTEN, Extent, Segment, flag_key
from strata.shadow.terms import terms
from strata.shadow.traits import ASKS, HAPPENED

_DIGITS = b"01" + bytes(254)


class Part:
    """A segment with its removed documents, and what was worked out about it."""

    def __init__(self, segment: Segment, dead: Sequence[int]) -> None:
        self.segment = segment
        self.dead = array("H", dead)
        self._counts: dict[bytes, int] = {}
        self._allowed: dict[Filter, bytes | None] = {}
        self._bits: dict[Filter, int] = {}

    @property
    def living(self) -> int:
        """The number of documents that were not removed."""
        return self.segment.documents - len(self.dead)

    @cached_property
    def alive(self) -> bytes:
        """For each document 1, or 0 where it was removed."""
        return self._where(self.dead, others=True)

    @cached_property
    def forgotten(self) -> Sequence[int]:
        """The documents of files that a person wants to see no more."""
        return self.documents(FORGOTTEN)

    @cached_property
    def turns(self) -> set[tuple[int, str, int, int]]:
        """Its turns, those without a time left out: when each began, in microseconds since year 1 in UTC; its thread, place in it, and digest."""
        column, threads = self.segment.column, self.segment.names["thread"]
        opens, offset, thread, position, digest = (column(name) for name in ("opens", "offset", "thread", "position", "digest"))
        known = (document for document in self.documents(flag_key(TURN)) if opens[document] >= 0)
        return {(opens[document] - offset[document] * 60_000_000, threads[thread[document]], position[document], digest[document]) for document in known}

    @cached_property
    def said(self) -> Counter[str]:
        """How many living messages that are not forgotten each speaker said."""
        column = self.segment.column("speaker")
        found = Counter(column)
        found.subtract(column[document] for document in {*self.dead, *self.forgotten})
        return Counter({self.segment.names["speaker"][number]: count for number, count in found.items()})

    @cached_property
    def speakers(self) -> dict[str, list[str]]:
        """By each term of a name the speakers of messages who bear it."""
        found: dict[str, list[str]] = {}
        for name in self.segment.names["speaker"]:
            for term in dict.fromkeys(terms(name)):
                found.setdefault(term, []).append(name)
        return found

    def documents(self, term: bytes) -> list[int]:
        """The living documents of a key."""
        extent = self.segment.extent(term)
        if extent is None:
            return []
        found = self.segment.postings(extent).documents
        return list(compress(found, map(self.alive.__getitem__, found))) if self.dead else list(found)

    def count(self, term: bytes, extent: Extent) -> int:
        """How many living documents that are not forgotten have the term."""
        known = self._counts.get(term)
        if known is None:
            found = self.segment.postings(extent)
            if not self.dead and not self.forgotten:
                return found.size
            known = self._counts[term] = found.size - sum(1 for _ in found.among({*self.dead, *self.forgotten}))
        return known

    @property
    def shown(self) -> int:
        """The number of living documents that are not forgotten."""
        return self.living - len(self.forgotten)

    def allowed(self, wanted: Filter) -> bytes | None:
        """For each document 1 where it is alive and wanted, else 0; None when all are."""
        if wanted not in self._allowed:
            if len(self._allowed) > 8:
                self._allowed.clear()
            self._allowed[wanted] = self._mask(wanted)
        return self._allowed[wanted]

    def allowed_bits(self, wanted: Filter) -> int:
        """The same as the bits of a number; -1 when all are."""
        mask = self.allowed(wanted)
        if mask is None:
            return -1
        if wanted not in self._bits:
            if len(self._bits) > 8:
                self._bits.clear()
            self._bits[wanted] = int(mask.translate(_DIGITS)[::-1], 2)
        return self._bits[wanted]

    @cached_property
    def asking(self) -> bytes:
        """For each document 1 where it asks, else 0."""
        return bytes(has & ASKS for has in self.segment.column("traits"))

    def messages(self, wanted: Filter) -> bytes:
        """For each document 1 where it is a living message that a filter wants, whatever kinds it wants, else 0."""
        mask = self.allowed(wanted._replace(kinds=("message",)))
        return mask if mask is not None else b"\1" * self.segment.documents

    def order(self, document: int) -> tuple[int, int]:
        """A key that puts documents newest first, unknown times last: `moment.sort_key`, negated."""
        column = self.segment.column
        opens, offset = column("opens")[document], column("offset")[document]
        if opens < 0:
            return 1, 0
        return offset * 60_000_000 - opens, column("closes")[document] - opens

    def _mask(self, wanted: Filter) -> bytes | None:
        segment = self.segment
        masks = [self.alive] if self.dead else []
        for name, chosen in wanted.names():
            table = bytes(value in chosen for value in segment.names[name])
            if 0 in table:
                masks.append(bytes(map(table.__getitem__, segment.column(name))))
        if wanted.since or wanted.until:
            masks.append(in_time(segment, wanted.since, wanted.until))
        if wanted.happened_from or wanted.happened_to:
            masks.append(in_time(segment, wanted.happened_from, wanted.happened_to))
            masks.append(bytes(bool(has & HAPPENED) for has in segment.column("traits")))
        if wanted.at:
            entity = bytes(name == "entity" for name in segment.names["kind"])
            masks.append(bytes(map(max, in_time(segment, "", wanted.at), map(entity.__getitem__, segment.column("kind")))))
        if wanted.forgotten is not None and (wanted.forgotten or self.forgotten):
            masks.append(self._where(self.forgotten, others=not wanted.forgotten))
        if not masks:
            return None
        both = int.from_bytes(masks[0])
        for mask in masks[1:]:
            both &= int.from_bytes(mask)
        return both.to_bytes(segment.documents)

    def _where(self, documents: Sequence[int], *, others: bool) -> bytes:
        """For each document whether it is one of these, as 1 or 0; with `others` whether it is none of them."""
        found = bytearray((b"\0", b"\1")[others]) * self.segment.documents
        for document in documents:
            found[document] = not others
        return bytes(found)


class Filter(NamedTuple):
    """Which documents are wanted; an empty field wants all. The bounds are known to be times."""

    kinds: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    thread: str = ""
    since: str = ""
    until: str = ""
    forgotten: bool | None = False  # None: forgotten or not
    happened_from: str = ""
    happened_to: str = ""
    at: str = ""  # what was said or happened by then; of entities all

    def names(self) -> list[tuple[str, tuple[str, ...]]]:
        """What the columns of names have to hold, of those that are restricted."""
        chosen = (("kind", self.kinds), ("thread", (self.thread,) if self.thread else ()))
        return [(name, wanted) for name, wanted in chosen if wanted]

    def reaches(self, part: Part) -> bool:
        """Whether anything in the part can be wanted, told by its tier and its names alone."""
        if self.tiers and part.segment.tier not in self.tiers:
            return False
        return all(not set(wanted).isdisjoint(part.segment.names[name]) for name, wanted in self.names())


def checked(
    kinds: Iterable[str], tiers: Iterable[str], thread: str, since: str, until: str, forgotten: bool | None, happened_from: str = "", happened_to: str = "", at: str = ""
) -> Filter:
    """The filter, its bounds seen to be times. Raises Malformed."""
    for field, bound in (("since", since), ("until", until), ("happened from", happened_from), ("happened to", happened_to), ("at", at)):
        if bound:
            moment.parse(bound, field=field)
    return Filter(tuple(map(str, kinds)), tuple(map(str, tiers)), thread, since, until, forgotten, happened_from, happened_to, at)


def in_time(segment: Segment, since: str, until: str) -> bytes:
    """For each document what `moment.within` says, from numbers: a bound without an offset is compared with the written clock."""
    opens, closes, offsets = (segment.column(name) for name in ("opens", "closes", "offset"))
    found = [start >= 0 for start in opens]
    if since:
        bound = moment.parse(since, field="since")
        least, shift = micros(bound.start if bound.offset is not None else bound.opens), bound.offset is not None
        ends = (end - offset * 60_000_000 for end, offset in zip(closes, offsets, strict=True)) if shift else closes
        found = [known and end > least for known, end in zip(found, ends, strict=True)]
    if until:
        bound = moment.parse(until, field="until")
        most, shift = micros(bound.end if bound.offset is not None else bound.closes), bound.offset is not None
        starts = (start - offset * 60_000_000 for start, offset in zip(opens, offsets, strict=True)) if shift else opens
        found = [known and start < most for known, start in zip(found, starts, strict=True)]
    return bytes(found)


def micros(value: datetime) -> int:
    """A time as the columns count it: microseconds since year 1, on its own clock."""
    return (value.replace(tzinfo=None) - datetime.min) // timedelta(microseconds=1)
