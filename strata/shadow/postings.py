"""A posting list: which documents have a term, and the impact code of each.

Its bytes are a head, all document numbers (two bytes each, rising) and all codes (one byte each), little-endian. The
head is the highest code; in a long list also the calm code, above which lie at most a sixth of the codes: documents
with such a code are its strong ones. Of a term that many documents of a large segment have, two bit maps follow, of
its documents and of its strong ones, for `strata.shadow.sieve`. Which of the three forms a list has, its length says,
modulo three.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import compress

LARGE = 4096  # documents of a segment from which on lists have bit maps
COMMON = 64  # one of so many documents has a term that has them
LONG = 64  # postings from which on some are strong
_STRONG = 6  # of so many, one
_BIT = tuple(1 << bit for bit in range(8))
_SWAP = sys.byteorder == "big"


def encoded(packed: array[int], documents: int) -> bytes:
    """The bytes of a list in a segment of so many documents; each number is document << 8 | code."""
    raw = little_endian(packed)
    numbers = bytearray(2 * len(packed))
    numbers[0::2], numbers[1::2] = raw[1::4], raw[2::4]
    codes = raw[0::4]
    if len(codes) < LONG:
        return bytes((max(codes),)) + numbers + codes
    calm = _calm(codes)
    found = bytes((max(codes), calm)) + numbers + codes
    if documents >= LARGE and len(codes) * COMMON >= documents:
        every = (number >> 8 for number in packed)
        strong = (number >> 8 for number in packed if number & 0xFF > calm)
        found += _map(every, documents) + _map(strong, documents)
        found += bytes(-len(found) % 3)
    return found


def little_endian(numbers: array[int]) -> bytes:
    """The bytes of numbers, as they are stored on every machine."""
    if _SWAP:
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


class Postings:
    """A list where it lies in the file of a segment of so many documents: only what is asked for is read."""

    __slots__ = ("_all", "_codes", "_head", "_view", "size")

    def __init__(self, view: memoryview, documents: int) -> None:
        self._view = view
        self._all = documents
        form = len(view) % 3
        self._head = 1 if form == 1 else 2
        self.size = (len(view) - self._head - 2 * _width(documents) * (form == 0)) // 3
        self._codes = self._head + 2 * self.size

    @property
    def highest(self) -> int:
        """The highest code."""
        return self._view[0]

    @property
    def calm(self) -> int:
        """The highest code of a document that is not strong."""
        return self._view[self._head - 1]

    @property
    def documents(self) -> array[int]:
        """The document numbers, rising."""
        found = array("H")
        found.frombytes(self._view[self._head : self._codes])
        if _SWAP:
            found.byteswap()
        return found

    @property
    def codes(self) -> bytes:
        """The codes, in the order of the documents."""
        return bytes(self._view[self._codes : self._codes + self.size])

    def among(self, wanted: Collection[int]) -> Iterator[tuple[int, int]]:
        """Those of the wanted documents that have the term, each with its code."""
        numbers: Sequence[int]
        if len(wanted) * 8 < self.size and not _SWAP:
            numbers = self._view[self._head : self._codes].cast("H")
        else:
            numbers = self.documents
            wanted = set(wanted).intersection(numbers)
        for document in wanted:
            at = bisect_left(numbers, document)
            if at < self.size and numbers[at] == document:
                yield document, self._view[self._codes + at]

    def maps(self) -> tuple[int, int]:
        """The documents, and the strong ones, as the bits of two numbers."""
        width, calm = _width(self._all), self.calm
        every: bytes | bytearray | memoryview
        strong: bytes | bytearray | memoryview
        if len(self._view) % 3 == 0:
            start = self._codes + self.size
            every, strong = self._view[start : start + width], self._view[start + width : start + 2 * width]
        else:
            documents = self.documents
            every = _map(documents, self._all)
            strong = _map(compress(documents, self.codes.translate(bytes(calm + 1) + b"\1" * (255 - calm))), self._all) if calm < self.highest else b""
        return int.from_bytes(every, "little"), int.from_bytes(strong, "little")


def _calm(codes: bytes) -> int:
    """The lowest code above which there are at most a sixth of them."""
    counts, most = Counter(codes), len(codes) // _STRONG
    total = 0
    for code in sorted(counts, reverse=True):
        total += counts[code]
        if total > most:
            break
    return code


def _map(documents: Iterable[int], every: int) -> bytearray:
    found = bytearray(_width(every))
    for document in documents:
        found[document >> 3] |= _BIT[document & 7]
    return found


def _width(documents: int) -> int:
    """The bytes of a bit map."""
    return (documents + 7) // 8
