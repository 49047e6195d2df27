"""Whether event cards and the files of entities say the same of each other: what `doctor` tells of the graph."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from strata import claims, layout, portrait
from strata.document import Document
from strata.entries import forgotten_at, ref_of
from strata.model import Problem
from strata.portrait import Portrait
from strata.supplied import shown

_REBUILD = "strata graph rebuild"


class Agreement:
    """What was seen of the cards and the entities of one memory."""

    def __init__(self) -> None:
        self._entities: list[tuple[str, Portrait]] = []
        self._forgotten: set[str] = set()
        self._told: dict[str, dict[str, str]] = {}  # entity as the claims name it -> the cards that speak of it, each with its path

    def card(self, path: str, document: Document) -> Iterator[Problem]:
        """Take in an event card; the claims of it that state nothing, each with its line."""
        lines: list[str] = []
        for text in document.list("facts"):
            if (claim := claims.read(text)) is None:
                lines = lines or document.data.decode("utf-8", "replace").split("\n")
                line = next((number for number, each in enumerate(lines, 1) if text in each), document.line_of("facts"))
                yield Problem("warning", path, f"a claim that cannot be read, so it says nothing: {shown(text)}", "write it as: person Jo · state · lives in · Berlin · from 2026-05", line)
            elif not forgotten_at(document):
                self._told.setdefault(claim.entity, {})[ref_of(path, document)] = path

    def entity(self, path: str, document: Document) -> Iterator[Problem]:
        """Take in the file of an entity; what its header says against its place."""
        seen, place = portrait.read(document, path), layout.ref_at(path)
        self._entities.append((path, seen))
        if forgotten_at(document):
            self._forgotten.add(seen.id)
        if not place.startswith("ent-"):
            return
        if (claimed := document.text("id")) and claimed != place:
            yield Problem("warning", path, f"its header gives the id {shown(claimed)}; by its place it is {place}", "correct the header", document.line_of("id"))
        if (type_ := document.text("type")) and type_ != place.split("-")[1]:
            yield Problem("warning", path, f"its header gives the type {shown(type_)}; by its place it is a {place.split('-')[1]}", "correct the header", document.line_of("type"))

    def problems(self, known: Collection[str]) -> Iterator[Problem]:
        """Whether entities rest on events and lead to entities that are there (`known` are the ids of those), and say what the cards say of them."""
        known = {*known, *(seen.id for _, seen in self._entities)}
        for path, seen in self._entities:
            gone = sorted({ref for fact in seen.facts for ref in fact.events if ref not in known})
            if gone:
                yield Problem("error", path, f"its facts cite {few(gone)}, which {'is' if len(gone) == 1 else 'are'} not in this memory", f"restore the events, or make the facts anew: {_REBUILD}")
            for key, refs in (("merged_into", [seen.merged_into]), ("merged", seen.merged), ("split_from", [seen.split_from]), ("split_into", seen.split_into)):
                if lost := [ref for ref in refs if ref and ref not in known]:
                    yield Problem("error", path, f"{key} names {few(lost)}, which is not in this memory", f"correct the header, then: {_REBUILD}")
            if seen.edited:
                yield Problem("note", path, "somebody changed its section of facts", f"the next write to it, or {_REBUILD}, keeps what they wrote apart")
        yield from self._circles()
        yield from self._unsaid()

    def _circles(self) -> Iterator[Problem]:
        """Entities that were merged into each other, as two clones may do; each circle once, where the one that stands for all has its file."""
        into = {seen.id: portrait.leading(seen).merged_into for _, seen in self._entities}
        for path, seen in self._entities:
            ring, ref = [seen.id], into[seen.id]
            while ref in into and ref not in ring:
                ring.append(ref)
                ref = into[ref]
            if ref == seen.id == min(ring):
                yield Problem("warning", path, f"{' and '.join(ring)} are merged into each other", f"{_REBUILD} lets {seen.id} stand")

    def _unsaid(self) -> Iterator[Problem]:
        """Cards that speak of an entity whose file does not cite them; one from which a person took facts, or that was split, is let be."""
        homes = {ref: (path, seen) for path, seen in self._entities for ref in seen.ids[1:]} | {seen.id: (path, seen) for path, seen in self._entities}
        lacking: dict[str, set[str]] = {}
        for entity, cards in self._told.items():
            home = homes.get(portrait.end_of(entity, lambda ref: _next(homes[ref][1]) if ref in homes else ref))
            if home is None:
                path = min(cards.values())
                yield Problem("warning", path, f"{entity} has no file, though {len(cards)} {'card speaks' if len(cards) == 1 else 'cards speak'} of it", _REBUILD)
                continue
            path, seen = home
            if seen.id in self._forgotten or seen.edited or seen.withdrawn or seen.split_into or seen.takes:
                continue
            cited = {ref for fact in seen.facts for ref in fact.events}
            lacking.setdefault(path, set()).update(ref for ref in cards if ref not in cited)
        for path, refs in sorted(lacking.items()):
            if refs:
                yield Problem("warning", path, f"its facts lack what {few(sorted(refs))} {'says' if len(refs) == 1 else 'say'} of it", f"make them anew: {_REBUILD}")


def _next(seen: Portrait) -> str:
    return portrait.leading(seen).merged_into or seen.id


def few(names: list[str]) -> str:
    """A few names of many."""
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
