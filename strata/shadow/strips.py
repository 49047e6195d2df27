"""Candidate messages in the conversation they stand in, across the files and tiers over which a thread is spread.

A strip is a run of messages that may be answers, with the passage around it. Most lies in one file, where messages
are neighbours by their numbers; at its edges the thread is followed into the next file by a key of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from strata.shadow.batch import TURNS
from strata.shadow.part import Part
from strata.shadow.segment import chain_key

Place = tuple[int, int]
"""Number of a part, and of a document in it."""


class Strip(NamedTuple):
    """Messages in order; those from `first` to before `last` may be answers."""

    places: list[Place]
    first: int
    last: int


class Strips:
    """Cuts strips from threads. A file that is forgotten is followed into only with `forgotten`."""

    def __init__(self, parts: Sequence[Part], *, forgotten: bool) -> None:
        self._parts = parts
        self._hidden = [frozenset[int]() if forgotten else frozenset(part.forgotten) for part in parts]
        self._joints: dict[bytes, Place | None] = {}

    def around(self, candidates: Iterable[Place], near: int, reach: int) -> Iterator[Strip]:
        """Strips in which the candidates and `near` messages to each side of them may be answers, and `reach` around those are passage."""
        targets: list[set[int]] = [set() for _ in self._parts]
        for number, document in candidates:
            before, after = self._edges(number, document)
            targets[number].update(range(document - min(before, near), document + min(after, near) + 1))
            beyond = self._back(number, document - before, near - before) + self._on(number, document + after, near - after)
            for other, neighbour in beyond:
                targets[other].add(neighbour)
        for number, documents in enumerate(targets):
            for first, last in self._runs(number, sorted(documents)):
                yield self._strip(number, first, last, reach)

    def alone(self, place: Place, reach: int) -> Strip:
        """The strip of one message."""
        return self._strip(*place, place[1], reach)

    def _runs(self, number: int, documents: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The first and last of messages that follow each other in a file."""
        before = self._parts[number].segment.column("before")
        run: list[int] = []
        for document in documents:
            if run and (document != run[-1] + 1 or not before[document]):
                yield run[0], run[-1]
                run = []
            run.append(document)
        if run:
            yield run[0], run[-1]

    def _strip(self, number: int, first: int, last: int, reach: int) -> Strip:
        before, after = self._edges(number, first)[0], self._edges(number, last)[1]
        back, on = min(before, reach), min(after, reach)
        places = [(number, document) for document in range(first - back, last + on + 1)]
        if back < reach:
            earlier = self._back(number, first - before, reach - back)
            places, back = earlier + places, back + len(earlier)
        if on < reach:
            places += self._on(number, last + after, reach - on)
        return Strip(places, back, back + last - first + 1)

    def _edges(self, number: int, document: int) -> tuple[int, int]:
        """How many messages of the file come before and after one, as far as they are in its part."""
        segment = self._parts[number].segment
        return min(segment.column("before")[document], document), min(segment.column("after")[document], segment.documents - 1 - document)

    def _back(self, number: int, start: int, count: int) -> list[Place]:
        """Up to so many messages right before the file that starts there, in order."""
        found: list[Place] = []
        seen = set()
        while count > 0 and (number, start) not in seen:
            seen.add((number, start))
            segment = self._parts[number].segment
            turn = segment.column("position")[start] // TURNS
            joint = self._joint(chain_key(self._thread(number, start), turn, ends=True))
            if joint is None:
                break
            number, last = joint
            start = last - self._edges(number, last)[0]
            first = max(start, last - count + 1)
            found[:0] = [(number, document) for document in range(first, last + 1)]
            count -= last - first + 1
        return found

    def _on(self, number: int, last: int, count: int) -> list[Place]:
        """Up to so many messages right after the file that ends there, in order."""
        found: list[Place] = []
        seen = set()
        while count > 0 and (number, last) not in seen:
            seen.add((number, last))
            turn = self._parts[number].segment.column("next")[last]
            joint = self._joint(chain_key(self._thread(number, last), turn)) if turn else None
            if joint is None:
                break
            number, start = joint
            last = start + self._edges(number, start)[1]
            end = min(last, start + count - 1)
            found += [(number, document) for document in range(start, end + 1)]
            count -= end - start + 1
        return found

    def _thread(self, number: int, document: int) -> str:
        segment = self._parts[number].segment
        return segment.names["thread"][segment.column("thread")[document]]

    def _joint(self, key: bytes) -> Place | None:
        """The message of a key; of several, as two clones leave them that sealed the same turns, the one whose file comes first."""
        if key not in self._joints:
            places = [(number, document) for number, part in enumerate(self._parts) for document in part.documents(key) if document not in self._hidden[number]]
            self._joints[key] = min(places, key=lambda place: self._parts[place[0]].segment.stored(place[1])[:2], default=None)
        return self._joints[key]
