"""Entries turned into a segment: inverted in memory, then written in one go."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from strata import moment
from strata.entries import HAPPENED
from strata.errors import Malformed
from strata.model import Entry
from strata.periods import date_terms
from strata.shadow import traits
from strata.shadow.scoring import MOST_TF, PIVOT, codes, weights
from strata.shadow.segment import (
    COLUMNS,
    FORGOTTEN,
    MOST_DOCUMENTS,
    NAMES,
    PINNED,
    Segment,
    chain_key,
    flag_key,
    key,
    message_key,
    source_key,
    write,
)
from strata.wording import digest, passage

_MOST_POSTINGS = 2_400_000  # about 90 MB in memory
_FAR = 2**63 - 1
_TICK = timedelta(microseconds=1)
_MINUTE = timedelta(minutes=1)
_MICROS_OF_A_DAY = 86_400_000_000
TURNS = 10_000  # the position of a message is its file's first turn times this, and its place in the file
DATED = codes(PIVOT)[1]  # the impact of the day of a text, whatever its length


class Batch:
    """Documents of one tier, to be written as one segment."""

    def __init__(self, tier: str) -> None:
        self.tier = tier
        self._text: defaultdict[str, array[int]] = defaultdict(_numbers)
        self._keys: defaultdict[bytes, array[int]] = defaultdict(_numbers)
        self._stored: list[bytes] = []
        self._columns = {name: array(code) for name, code in COLUMNS.items() if name != "stored"}
        self._names: dict[str, dict[str, int]] = {name: {} for name in NAMES}
        self._postings = 0

    def __len__(self) -> int:
        return len(self._stored)

    @property
    def full(self) -> bool:
        """Whether it is time to write; no document more fits when there are 65,535."""
        return self._postings >= _MOST_POSTINGS or len(self._stored) >= MOST_DOCUMENTS

    def add(self, entry: Entry) -> None:
        """Take in one entry; on an error the batch is unusable."""
        row = [entry.path, entry.ref, entry.kind, entry.title, entry.at, entry.until, entry.thread, entry.message, entry.speaker]
        if not all(isinstance(value, str) for value in (*row, entry.about)):
            raise TypeError(f"an entry of {entry.path} has a field that is no text: {row}")
        number = len(self._stored) << 8
        found = weights(entry)
        table = codes(found.total())
        text = self._text
        for term, tf in found.items():
            text[term].append(number | table[tf if tf < MOST_TF else MOST_TF])
        opens, closes, offset = _stretch(entry.at)
        happened = HAPPENED in entry.flags
        if happened and entry.until != entry.at:
            closes = max(closes, _stretch(entry.until)[1])
        for term in _days(opens):
            text[term].append(number | DATED)
        self._keys[key("path", entry.path)].append(number | 1)
        if entry.kind == "message":
            self._keys[message_key(entry.thread, entry.message)].append(number | 1)
            if not entry.before:
                self._keys[chain_key(entry.thread, entry.position // TURNS)].append(number | 1)
            if entry.next_turn:
                self._keys[chain_key(entry.thread, entry.next_turn, ends=True)].append(number | 1)
        else:
            self._keys[key("ref", entry.ref)].append(number | 1)
            if entry.pinned:
                self._keys[PINNED].append(number | 1)
        for ref in entry.sources:
            self._keys[source_key(ref)].append(number | 1)
        if entry.forgotten:
            self._keys[FORGOTTEN].append(number | 1)
        for flag in dict.fromkeys(entry.flags):
            self._keys[flag_key(flag)].append(number | 1)
        self._postings += len(found) + 2
        more = (entry.tags, entry.position, entry.about, int(entry.pinned), int(entry.forgotten), entry.sources)
        self._stored.append(json.dumps([*row, *more], separators=(",", ":")).encode())
        named = {"kind": entry.kind, "thread": entry.thread, "speaker": entry.speaker if entry.kind == "message" else ""}
        for name, value in named.items():
            self._columns[name].append(self._names[name].setdefault(value, len(self._names[name])))
        position = max(-_FAR, min(entry.position, _FAR))
        values = {"position": position, "opens": opens, "closes": closes, "offset": offset, "before": entry.before, "after": entry.after, "next": min(entry.next_turn, _FAR)}
        values |= {"traits": traits.traits(entry.text) | happened * traits.HAPPENED, "digest": signed(digest(passage(entry.speaker, entry.text))) if entry.kind == "message" else 0}
        for name, value in values.items():
            self._columns[name].append(value)

    def absorb(self, segment: Segment, dead: Iterable[int]) -> None:
        """Take in the documents of a segment but the dead ones."""
        gone = set(dead)
        base = len(self._stored)
        kept = [document for document in range(segment.documents) if document not in gone]
        number = dict(zip(kept, range(base, base + len(kept)), strict=True))
        for term, extent in segment.starting(b""):
            found = segment.postings(extent)
            moved = [number[document] << 8 | code for document, code in zip(found.documents, found.codes, strict=True) if document in number]
            if moved:
                into = self._text[term[2:].decode("utf-8", "surrogatepass")] if term.startswith(_TEXT) else self._keys[term]
                into.extend(moved)
                self._postings += len(moved)
        self._stored += map(segment.blob, kept)
        for name, column in self._columns.items():
            values = segment.column(name)
            if name in NAMES:
                names = self._names[name]
                code = [names.setdefault(value, len(names)) for value in segment.names[name]]
                column.extend(code[values[document]] for document in kept)
            else:
                column.extend(values[document] for document in kept)

    def write(self, path: Path) -> None:
        """Write the segment, durably."""
        postings = sorted(self._keys.items())
        postings += sorted((key("text", term), found) for term, found in self._text.items())
        write(path, self.tier, postings, self._stored, self._columns, {name: list(codes) for name, codes in self._names.items()})


def signed(number: int) -> int:
    """A number of 64 bits as a column keeps it."""
    return number - (1 << 64) if number >> 63 else number


_TEXT = key("text", "")


def _numbers() -> array[int]:
    return array("I")


@lru_cache(maxsize=4096)
def _days(opens: int) -> tuple[str, ...]:
    """The terms of the day of a time."""
    return date_terms(day_of(opens)) if opens >= 0 else ()


def day_of(opens: int) -> date:
    """The day of a time in microseconds since year 1."""
    return date.fromordinal(opens // _MICROS_OF_A_DAY + 1)


@lru_cache(maxsize=4096)
def _stretch(at: str) -> tuple[int, int, int]:
    """When a time opens and closes on its writer's clock (microseconds since year 1), and that clock's offset in minutes.

    (-1, -1, 0) for an unknown time.
    """
    try:
        found = moment.parse(at)
    except Malformed:
        return -1, -1, 0
    offset = found.offset // _MINUTE if found.offset else 0
    return (found.opens - datetime.min) // _TICK, (found.closes - datetime.min) // _TICK, offset
