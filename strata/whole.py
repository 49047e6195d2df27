"""All event cards and all entities of a memory at once, for building the entities anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata import layout, survey
from strata.cards import Event
from strata.claims import of_lines
from strata.document import Document
from strata.entries import forgotten_at, ref_of
from strata.holding import Said
from strata.model import Kind, Progress
from strata.plan import Plan
from strata.world import World, card_of

if TYPE_CHECKING:
    from strata.store import Store


class Whole(World):
    """A world that was read from the first file to the last, and asks no index."""

    def __init__(self, plan: Plan, store: Store, progress: Progress | None = None) -> None:
        super().__init__(plan, store)
        self._names: dict[str, set[str]] = {}
        paths = survey.records(store.root)
        kinds = {path: layout.kind_of(path) for path in paths}
        cards = [path for path in paths if kinds[path] not in (Kind.BLOCK, Kind.TAIL, Kind.ENTITY)]
        for path in paths:
            if kinds[path] == Kind.ENTITY:
                self._known(layout.ref_at(path))
        for done, path in enumerate(cards, 1):
            self._card(path)
            if progress and done % 100 == 0:
                progress(done, len(cards) + len(self._names))
        self.read = len(cards)

    def ids(self) -> set[str]:
        """The entities that have a file."""
        return {ref for ref in self._portraits if ref.startswith("ent-") and self.file(ref)}

    def claims(self) -> dict[str, list[Said]]:
        """Every claim, by the entity it belongs to."""
        found: dict[str, list[Said]] = {}
        for ref, event in self.events.items():
            if event is None:
                continue
            for claim in of_lines(event.facts or ()):
                found.setdefault(self.home(claim.entity, ref), []).append(Said(ref, event, claim))
        return found

    def known_as(self, ref: str) -> set[str]:
        return {other for other in self._names.get(ref, ()) if other != ref and self._goes_by(other, ref)}

    def before(self, ref: str) -> Event | None:
        return None  # all are in `events`

    def _flagged(self, flag: str) -> set[str]:
        return set()

    def _known(self, ref: str) -> None:
        seen, found = self.file(ref), self.portrait(ref)
        for name in found.ids if seen and found and not forgotten_at(seen[1]) else ():
            self._names.setdefault(name, set()).add(ref)

    def _card(self, path: str) -> None:
        data = self.store.tree.bytes_of(path)
        if data is None or b"event" not in data:
            return
        document = Document.parse(data, path)
        if layout.kind_of(path, document.text("kind")) != Kind.EVENT:
            return
        event = card_of(document, path)
        if event is None:
            return
        self.take({ref_of(path, document): event._replace(narrative="", quotes=(), original_text="")})
