"""The index as it stood at one commit: everything that can be asked of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import cached_property
from itertools import groupby
from pathlib import Path

from strata.shadow.found import Found
from strata.shadow.part import Filter, Part, micros
from strata.shadow.ranking import Ranking, Second
from strata.shadow.scoring import idf
from strata.shadow.search import Row, best, frequency, look_up, matched
from strata.shadow.segment import PINNED, Segment, flag_key, key, message_key, source_key
from strata.shadow.stamp import Stamp
from strata.shadow.terms import query_terms


class Snapshot:
    """The segments that one stamp names. Later commits do not change it, and may remove its files once they are open."""

    def __init__(self, directory: Path, stamp: Stamp, before: Snapshot | None = None) -> None:
        known = {} if before is None or before.stamp.live != stamp.live else before._named()
        self.stamp = stamp
        self.parts: list[Part] = []
        for listed in stamp.parts:
            part = known.get(listed.name)
            if part is None:
                part = Part(Segment(directory / stamp.live / listed.name), listed.dead)
            elif len(part.dead) != len(listed.dead):
                part = Part(part.segment, listed.dead)
            self.parts.append(part)

    def _named(self) -> dict[str, Part]:
        return {listed.name: part for listed, part in zip(self.stamp.parts, self.parts, strict=True)}

    def close(self) -> None:
        """Let go of the files."""
        for part in self.parts:
            part.segment.close()
        self.parts = []

    def search(self, query: str, wanted: Filter, limit: int) -> list[Found]:
        """The best entries: by score, then the newer, then by ref and path."""
        terms = query_terms(query)
        if not terms or limit < 1:
            return []
        rows = look_up(self.parts, terms)
        scored = [(-score, self.parts[number].order(document), number, document) for score, number, document in best(self.parts, rows, wanted, limit)]
        scored.sort(key=_rank)
        if len(scored) > limit:
            last = _rank(scored[limit - 1])
            scored = [row for row in scored if _rank(row) <= last]
        hits = [(*_rank(row), self._found(*row[2:], -row[0]), row[2:]) for row in scored]
        hits.sort(key=lambda hit: (*hit[:2], hit[2].ref, hit[2].path))
        return [found._replace(terms=self._matched(rows, terms, *place)) for *_, found, place in hits[:limit]]

    def rank(self, query: str, wanted: Filter, limit: int, today: date | None, explain: bool, second: Second | None) -> list[Found]:
        """The best entries by the full ranking, ordered as in `search`."""
        ranking = Ranking(self.parts, query, wanted, limit, today, second)
        hits = []
        for score, (number, document) in ranking.best():
            found = self._found(number, document, score)
            hits.append((-score, self.parts[number].order(document), found.ref, found.path, found, (number, document)))
        hits.sort(key=lambda hit: hit[:4])
        return [
            found._replace(terms=ranking.matched(place), why=ranking.reasons(place) if explain else ()) for *_, found, place in hits[:limit]
        ]

    def _matched(self, rows: list[Row], terms: Iterable[str], number: int, document: int) -> tuple[str, ...]:
        """The terms of the query that a document has, in the order of the query."""
        found = matched(self.parts[number], rows, number, document)
        return tuple(term for term in terms if term in found)

    def entries(self, wanted: Filter) -> Iterator[Found]:
        """All entries that are wanted: the newest first, then by ref and path."""
        rows = []
        for number, part in enumerate(self.parts):
            if not wanted.reaches(part):
                continue
            mask = part.allowed(wanted)
            rows += [(part.order(document), number, document) for document in range(part.segment.documents) if mask is None or mask[document]]
        rows.sort()
        for _, same in groupby(rows, key=lambda row: row[0]):
            found = [self._found(number, document) for _, number, document in same]
            found.sort(key=lambda entry: (entry.ref, entry.path))
            yield from found

    def find(self, prefix: str) -> list[Found]:
        """The records whose ref starts with the prefix, by ref and path."""
        found = []
        for number, part in enumerate(self.parts):
            for term, _ in part.segment.starting(key("ref", prefix)):
                found += [self._found(number, document) for document in part.documents(term)]
        return sorted(found, key=lambda entry: (entry.ref, entry.path))

    def citing(self, refs: Iterable[str]) -> list[Found]:
        """The events that cite any of these messages, or any message of these blocks, by ref and path; no forgotten ones."""
        found: dict[tuple[int, int], Found] = {}
        for ref in refs:
            for number, part in enumerate(self.parts):
                for term, _ in part.segment.starting(source_key(ref)):
                    if "#" not in ref or term == source_key(ref):
                        found |= {(number, document): self._found(number, document) for document in part.documents(term)}
        return sorted((event for event in found.values() if not event.forgotten), key=lambda event: (event.ref, event.path))

    def flagged(self, flag: str) -> list[Found]:
        """The entries that bear a flag, by ref and path; no forgotten ones."""
        found = [self._found(number, document) for number, part in enumerate(self.parts) for document in part.documents(flag_key(flag))]
        return sorted((entry for entry in found if not entry.forgotten), key=lambda entry: (entry.ref, entry.path))

    def turns_since(self, times: Iterable[datetime]) -> list[int]:
        """For each of these times how many turns began after it; turns without a time never did."""
        begun = [micros(time) for time in times]
        turns = self._turns if begun else []
        return [len(turns) - bisect_right(turns, time) for time in begun]

    @cached_property
    def _turns(self) -> list[int]:
        """When turns began, rising; one that two clones sealed is one."""
        return sorted(time for time, *_ in set[tuple[int, str, int, int]]().union(*(part.turns for part in self.parts)))

    def telling(self, terms: Iterable[str]) -> dict[str, float]:
        """How telling each of these terms is: its idf."""
        total = sum(part.shown for part in self.parts)
        return {text: idf(total, frequency(self.parts, text)) for text in terms}

    def digests(self) -> list[tuple[int, str]]:
        """Of every message the digest of its passage and its file, newest first."""
        rows = []
        for number, part in enumerate(self.parts):
            digests = part.segment.column("digest")
            rows += [(part.order(document), digests[document] % (1 << 64), number, document) for document, said in enumerate(part.messages(Filter(forgotten=None))) if said]
        rows.sort()
        return [(digest, self._names(number, document)[1]) for _, digest, number, document in rows]

    def pinned(self) -> set[str]:
        """The files of pinned records."""
        return {self._names(number, document)[1] for number, part in enumerate(self.parts) for document in part.documents(PINNED)}

    def message_ids(self, thread: str) -> set[str]:
        """The ids of all messages of a thread."""
        start = message_key(thread)
        return {
            term[len(start) :].decode("utf-8", "surrogatepass")
            for part in self.parts
            for term, _ in part.segment.starting(start)
            if part.documents(term)
        }

    def has_messages(self, thread: str, ids: Iterable[str]) -> set[str]:
        """Those of the ids that are messages of the thread."""
        return {id_ for id_ in ids if any(part.documents(message_key(thread, id_)) for part in self.parts)}

    def homes(self, thread: str, ids: Iterable[str]) -> dict[str, set[str]]:
        """For each of the ids that the thread has, the files it is in."""
        found: dict[str, set[str]] = {}
        for id_ in ids:
            for number, part in enumerate(self.parts):
                for document in part.documents(message_key(thread, id_)):
                    found.setdefault(id_, set()).add(self._found(number, document).path)
        return found

    def documents(self, path: str) -> list[Sequence[int]]:
        """For each part the documents of a file."""
        term = key("path", path)
        return [part.documents(term) for part in self.parts]

    def records_at(self, paths: Iterable[str]) -> dict[str, Found]:
        """The record, no message, of each of these files that has one."""
        found = {}
        for path in paths:
            for number, documents in enumerate(self.documents(path)):
                for entry in (self._found(number, document) for document in documents):
                    if entry.kind != "message":
                        found[path] = entry
        return found

    def _names(self, number: int, document: int) -> tuple[str, str]:
        row = self.parts[number].segment.stored(document)
        return row[1], row[0]

    def _found(self, number: int, document: int, score: float = 0.0, terms: tuple[str, ...] = ()) -> Found:
        *names, tags, position, about, pinned, forgotten, sources = self.parts[number].segment.stored(document)
        return Found(*names, tuple(tags), position, score, terms, about, bool(pinned), bool(forgotten), tuple(sources))


def _rank(row: tuple[float, tuple[int, int], int, int]) -> tuple[float, tuple[int, int]]:
    return row[:2]
