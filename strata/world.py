"""Event cards and entities as an open plan will leave them, found one by one through paths and flags of the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from strata import layout, portrait
from strata.cards import Event, event_of
from strata.claims import of_lines
from strata.document import Document
from strata.entries import about, conflicting, forgotten_at, known_as, ref_of, superseding
from strata.errors import StrataError
from strata.files import blob_id
from strata.model import Drop, Kind, Put, Tier
from strata.plan import Plan
from strata.portrait import Portrait

if TYPE_CHECKING:
    from strata.store import Store

Seen = tuple[str, Document]  # path, and what its file says


class World:
    """What one plan is about to leave. It is kept with the plan, so that each step of it sees what those before it changed."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self.plan = plan
        self.store = store
        self.events: dict[str, Event | None] = {}  # as they will be, by ref; None for one that is forgotten or gone
        self._about: dict[str, set[str]] = {}  # of these events: who makes a claim about an id, supersedes an event, contradicts one
        self._over: dict[str, set[str]] = {}
        self._against: dict[str, set[str]] = {}
        self._written: dict[str, Seen | None] = {}  # files of entities that the plan writes, by id
        self._files: dict[str, Seen | None] = {}  # those that lie there, as far as they were looked at
        self._portraits: dict[str, Portrait | None] = {}
        self._followed = 0  # edits of the plan that are taken in

    @classmethod
    def of(cls, plan: Plan, store: Store) -> World:
        """The one world of a plan, up to date with its edits."""
        world = plan.world if isinstance(plan.world, World) else cls(plan, store)
        plan.world = world
        world.take(world.follow())
        return world

    def follow(self) -> dict[str, Event | None]:
        """Take in the files of entities that others added to the plan since the last time; the event cards among what they added."""
        fresh: dict[str, Event | None] = {}
        for edit in self.plan.edits[self._followed :]:
            if not isinstance(edit, Put) or not layout.is_record(edit.path):
                continue
            document = Document.parse(edit.data, edit.path)
            if (kind := layout.kind_of(edit.path, document.text("kind"))) == Kind.EVENT:
                fresh[ref_of(edit.path, document)] = card_of(document, edit.path)
            elif kind == Kind.ENTITY:
                self._keep(layout.ref_at(edit.path), (edit.path, document))
        self._followed = len(self.plan.edits)
        return fresh

    def take(self, fresh: Mapping[str, Event | None]) -> None:
        """Let events be as they will be."""
        self.events |= fresh
        for ref, event in fresh.items():
            for claim in of_lines(event.facts or ()) if event else ():
                self._about.setdefault(claim.entity, set()).add(ref)
            for old in event.supersedes if event else ():
                self._over.setdefault(old, set()).add(ref)
            for other in event.conflicts_with if event else ():
                self._against.setdefault(other, set()).add(ref)

    # -- events ------------------------------------------------------------------------------

    def event(self, ref: str) -> Event | None:
        """The card of an event; None for one that is forgotten, gone, or cannot be read."""
        return self.events[ref] if ref in self.events else self.before(ref)

    def before(self, ref: str) -> Event | None:
        """The same as its file is now, whatever the plan will make of it."""
        if not layout.is_id(ref):
            return None
        path = next((path for tier in Tier if (path := layout.record_path(ref, tier) or "") and self.store.files.exists(path)), "")
        if not path:
            path = next((found.path for found in self.store.ask(lambda shadow: shadow.find(ref)) if found.ref == ref), "")
        data = self.store.tree.bytes_of(path) if path else None
        return card_of(Document.parse(data, path), path) if data is not None else None

    def superseding(self, ref: str) -> dict[str, Event]:
        """The events that supersede one."""
        refs = self._flagged(superseding(ref)) | self._over.get(ref, set())
        return {other: event for other in refs if (event := self.event(other)) and ref in event.supersedes}

    def conflicting(self, ref: str) -> dict[str, Event]:
        """The events that contradict one, whichever of the two says so."""
        refs = self._flagged(conflicting(ref)) | self._against.get(ref, set())
        found = {other: event for other in refs if (event := self.event(other)) and ref in event.conflicts_with}
        own = self.event(ref)
        return found | {other: event for other in (own.conflicts_with if own else ()) if (event := self.event(other))}

    def about(self, entity: str) -> set[str]:
        """The refs of events that claim something about an entity by this id, or did."""
        return self._flagged(about(entity)) | self._about.get(entity, set())

    def around(self, refs: Iterable[str]) -> dict[str, Event]:
        """The events that decide how some others stand."""
        found: dict[str, Event] = {}
        for ref in refs:
            found |= self.superseding(ref)
            for other, event in self.conflicting(ref).items():
                found[other] = event
                found |= self.superseding(other)
        return found

    # -- entities ----------------------------------------------------------------------------

    def file(self, ref: str) -> Seen | None:
        """The file of the entity whose own id this is, in whichever tier."""
        if ref in self._written:
            return self._written[ref]
        if ref not in self._files:
            places = (path for tier in Tier if (path := layout.record_path(ref, tier)) and self.store.files.exists(path))
            found = next(((path, data) for path in places if (data := self.store.tree.bytes_of(path)) is not None), None)
            self._files[ref] = (found[0], Document.parse(found[1], found[0])) if found else None
        return self._files[ref]

    def portrait(self, ref: str) -> Portrait | None:
        """What the file of an entity says; None where there is none, or none that can be read."""
        if ref not in self._portraits:
            seen = self.file(ref)
            try:
                self._portraits[ref] = portrait.leading(portrait.read(seen[1], seen[0])) if seen else None
            except StrataError as problem:
                self.store.warn(str(problem))
                self._portraits[ref] = None
        return self._portraits[ref]

    def entity(self, ref: str) -> str:
        """The id of the entity that an id means: through merges and aliases to the one that is left. One that is not there is itself."""
        return portrait.end_of(ref, self._leads)

    def _leads(self, ref: str) -> str:
        if found := self.portrait(ref):
            return found.merged_into or ref
        return min(self.known_as(ref), default=ref)

    def home(self, ref: str, event: str) -> str:
        """The entity to which a claim about an id belongs that this event makes: the one it means, or one split off from that."""
        ref, seen = self.entity(ref), set[str]()
        while ref not in seen:
            seen.add(ref)
            found = self.portrait(ref)
            for part in found.split_into if found else ():
                other = self.portrait(part)
                if other and event in other.takes and self.entity(part) not in seen:
                    ref = self.entity(part)
                    break
        return ref

    def known_as(self, ref: str) -> set[str]:
        """The entities that go by an id which is not their own."""
        found = self.store.ask(lambda shadow: shadow.flagged(known_as(ref)))
        refs = {layout.ref_at(each.path) for each in found} | set(self._written)
        return {other for other in refs if other != ref and self._goes_by(other, ref)}

    def members(self, ref: str) -> list[Portrait]:
        """An entity and all that were merged into it, one through the other."""
        found: dict[str, Portrait] = {}
        pending = [ref]
        while pending:
            each = pending.pop()
            if each not in found and (seen := self.portrait(each)):
                found[each] = seen
                pending += seen.merged
        return list(found.values())

    def write(self, ref: str, document: Document | None) -> None:
        """Add to the plan the edits that make an entity's file this document, in active/; None removes it."""
        before = self.file(ref)
        if (document is None and before is None) or (document and before and document.data == before[1].data):
            return
        target = layout.record_path(ref) or ""
        path = before[0] if before and ref not in self._written else ""  # where it rests now
        mine = next((place for place, edit in enumerate(self.plan.edits) if isinstance(edit, Put) and edit.path == target), None)
        if document is None:
            if mine is not None:
                del self.plan.edits[mine]
            places = [place for tier in Tier if (place := layout.record_path(ref, tier) or "") and self.store.files.exists(place)]
            self.plan.edits += [Drop(place) for place in places if Drop(place) not in self.plan.edits]
        elif mine is not None:
            edit = self.plan.edits[mine]
            self.plan.edits[mine] = Put(target, document.data, edit.base if isinstance(edit, Put) else None)
        else:
            there = self.store.tree.bytes_of(target)
            self.plan.edits = [edit for edit in self.plan.edits if edit != Drop(target)]
            self.plan.put(target, document.data, blob_id(there) if there is not None else "")
            if path and path != target:
                self.plan.edits.append(Drop(path))
        self._followed = len(self.plan.edits)
        self._keep(ref, (target, document) if document else None)

    # -- inside ------------------------------------------------------------------------------

    def _keep(self, ref: str, seen: Seen | None) -> None:
        self._written[ref] = seen
        self._portraits.pop(ref, None)

    def _goes_by(self, entity: str, ref: str) -> bool:
        """Whether an entity has this id besides its own; what is forgotten goes by nothing."""
        seen, found = self.file(entity), self.portrait(entity)
        return bool(seen and found and ref in found.ids and not forgotten_at(seen[1]))

    def _flagged(self, flag: str) -> set[str]:
        return {found.ref for found in self.store.ask(lambda shadow: shadow.flagged(flag))}


def card_of(document: Document, path: str) -> Event | None:
    """The event card in a file; None for one that is forgotten, or cannot be read, which `doctor` reports."""
    if document.problem or forgotten_at(document):
        return None
    try:
        return event_of(document, path)
    except StrataError:
        return None
