"""Entities by id and by name: as the files have them now, or as a commit held them.

Now, an entity is found by the path that follows from its id, and a name by a flag of the index, so that neither depends on how many
there are. In a commit an id is found by its path; a name that says nothing today costs a look at all entities of that commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from strata import layout, portrait
from strata.claims import TYPES, entity_id, folded
from strata.document import Document
from strata.entries import forgotten_at, known_as, leading_to
from strata.errors import Ambiguous, Malformed, NotFound
from strata.model import Kind, Tier

if TYPE_CHECKING:
    from strata.graph import Fact
    from strata.portrait import Portrait
    from strata.store import Store

_HOPS = 20  # merges that are followed, one into the next
_SHOWN = 6  # candidates and near names that an error lists

Seen = tuple[str, "Portrait"]  # path and what its file says


class Gallery:
    """The entities of one memory, `commit` "" for the files as they are."""

    def __init__(self, store: Store, commit: str = "") -> None:
        self._store = store
        self.commit = commit
        self._read: dict[str, Portrait | None] = {}
        self._by_id: dict[str, Seen | None] = {}

    # -- one ---------------------------------------------------------------------------------

    def named(self, name: str) -> tuple[str, Portrait, str]:
        """Path and portrait of the entity that an id, a prefix of one that fits no other, a name or an alias means; any case.

        The third is the id of the one asked for, where that was merged into this one, else "". A type before the name tells
        people and things apart (`person Jo`). Raises NotFound, and Ambiguous with the candidates.
        """
        asked = " ".join(name.split())
        found = dict.fromkeys(self._candidates(asked))
        targets: dict[str, tuple[Seen, str]] = {}
        for ref in found:
            if target := self.target(ref):
                targets.setdefault(target[1].id, (target, ref))
        if len(targets) > 1:
            shown = ", ".join(f"{ref} ({seen[1].name})" for ref, (seen, _) in sorted(targets.items())[:_SHOWN])
            raise Ambiguous(f"{name!r} fits {len(targets)} entities: {shown}", ref=name, remedy="give the id, or the type before the name: person Jo")
        if not targets:
            raise NotFound(f"there is no entity {name!r}{' in that commit' if self.commit else ''}", ref=name, remedy=self._near(asked))
        ((path, seen), ref) = next(iter(targets.values()))
        return path, seen, ref if ref != seen.id and self._is_stub(ref) else ""

    def at_id(self, ref: str) -> Seen | None:
        """The entity that an id leads to, its own or one of those merged into it; a stub as it is."""
        if ref not in self._by_id:
            self._by_id[ref] = self._at_place(ref) or next(iter(self._known_as(ref)), None)
        return self._by_id[ref]

    def target(self, ref: str) -> Seen | None:
        """The entity that an id leads to in the end, however often it was merged; None when it leads nowhere.

        One that has no file, since it is known only from relations of others to it, has the path "".
        """
        for _ in range(_HOPS):
            found = self.at_id(ref)
            if found is None or not found[1].merged_into:
                return found or self._hearsay(ref)
            ref = found[1].merged_into
        return self._ring(ref)

    def leads(self, ref: str) -> str:
        """The id of the entity that an id leads to in the end, itself where it leads nowhere else."""
        for _ in range(_HOPS):
            if (found := self.at_id(ref)) is None:
                break
            ref = found[1].merged_into or found[1].id
            if not found[1].merged_into:
                return ref
        return ring[1].id if (ring := self._ring(ref)) else ref

    # -- many --------------------------------------------------------------------------------

    def all(self, type_: str = "") -> Iterator[Seen]:
        """Every entity, those merged into another left out, by id; one that cannot be read is passed over with a warning."""
        found: dict[str, Seen] = {}
        known: set[str] = set()
        for path in self._paths():
            if seen := self._portrait(path, strict=False):
                known |= ids_of(seen)
                if not seen.merged_into:
                    found[seen.id] = (path, seen)
                elif (ring := self._ring(seen.id)) and ring[1].id == seen.id:
                    found[seen.id] = ring
        for fact in [fact for _, seen in found.values() for fact in seen.facts if fact.other and fact.other not in known]:
            found.setdefault(fact.other, ("", _nameless(fact)))
        for ref in sorted(found):
            if type_ in ("", found[ref][1].type):
                yield found[ref]

    def pointing(self, ref: str, limit: int | None = None) -> list[Seen]:
        """The entities from which a relation leads to this one, or so many of them."""
        refs = [ref, *(seen[1].merged if (seen := self.at_id(ref)) else ())]
        if not self.commit:
            paths = dict.fromkeys(path for each in refs for path in self._bearing(leading_to(each)))
            others = [(path, other) for path in list(paths)[:limit] if (other := self._portrait(path, strict=False))]
            return [(path, other) for path, other in others if not other.merged_into and other.id != ref]
        found = {seen.id: (path, seen) for each in refs for path, seen in self._leading.get(each, ())}
        return [found[each] for each in sorted(found.keys() - {ref})]

    @cached_property
    def _everyone(self) -> list[Seen]:
        return list(self.all())

    @cached_property
    def _leading(self) -> dict[str, list[Seen]]:
        """Of a commit: the entities by the ids that their relations lead to."""
        found: dict[str, list[Seen]] = {}
        for seen in self._everyone:
            for other in dict.fromkeys(fact.other for fact in seen[1].facts if fact.other):
                found.setdefault(other, []).append(seen)
        return found

    # -- inside ------------------------------------------------------------------------------

    def _ring(self, ref: str) -> Seen | None:
        """Of entities that were merged in a circle, as two clones may do, the one that stands for all; None where an id leads into none."""
        passed: dict[str, Seen] = {}
        while (found := self.at_id(ref)) and found[1].merged_into and len(passed) <= _HOPS:
            if found[1].id in passed:
                order = list(passed)
                path, seen = passed[min(order[order.index(found[1].id) :])]
                return path, seen._replace(merged_into="")
            passed[found[1].id] = found
            ref = found[1].merged_into
        return None

    def _candidates(self, asked: str) -> list[str]:
        """Ids that a text may mean, as they are known; a name of several types has several."""
        kind, blank, rest = asked.replace("/", " ", 1).partition(" ")
        ids = [asked.casefold()] if asked.casefold().startswith("ent-") else []
        if blank and kind.casefold() in TYPES:
            ids += [entity_id(kind.casefold(), rest), f"ent-{kind.casefold()}-{rest.casefold()}"]
        if found := [ref for ref in ids if layout.is_id(ref) and self.at_id(ref)]:
            return found[:1]
        if ids and asked.casefold().startswith("ent-"):
            if found := self._beginning(asked.casefold()):
                return found
        meant = [entity_id(type_, asked) for type_ in TYPES]
        named = [found[1].id for ref in meant for found in self._known_as(ref)]
        if self.commit and not named:
            named = [seen.id for _, seen in self._everyone if not ids_of(seen).isdisjoint(meant)]
        return named or [ref for ref in (*ids[:1], *meant) if self._hearsay(ref)]

    def _known_as(self, ref: str) -> list[Seen]:
        """The entities that answer to an id: by their own, by a name or alias it follows from, or by a merge; in a commit those that do today."""
        paths = self._bearing(known_as(ref))
        if not self.commit:
            found = [self._at_place(ref), *((path, seen) for path in paths if (seen := self._portrait(path, strict=False)))]
            return [seen for seen in found if seen]
        if placed := self._at_place(ref):
            return [placed]
        today = [self._at_place(layout.ref_at(path)) for path in paths]
        return [seen for seen in today if seen and ref in ids_of(seen[1])]

    def _hearsay(self, ref: str) -> Seen | None:
        """An entity that has no file: all that is known of it are relations of others."""
        for _, seen in self.pointing(ref, 1):
            for fact in seen.facts:
                if fact.other == ref:
                    return "", _nameless(fact)
        return None

    def _beginning(self, prefix: str) -> list[str]:
        if self.commit:
            return [seen.id for _, seen in self._everyone if seen.id.startswith(prefix)]
        return [item.ref for item in self._store.ask(lambda shadow: shadow.find(prefix)) if item.kind == Kind.ENTITY and not item.forgotten]

    def _at_place(self, ref: str) -> Seen | None:
        for tier in Tier:
            if (path := layout.record_path(ref, tier)) and self._holds(path) and (seen := self._portrait(path)):
                return path, seen
        return None

    def _bearing(self, flag: str) -> list[str]:
        """The files that bear a flag of the index."""
        return [item.path for item in self._store.ask(lambda shadow: shadow.flagged(flag))]

    def _holds(self, path: str) -> bool:
        return bool(self._store.history.blob_id(path, self.commit)) if self.commit else self._store.files.exists(path)

    def _portrait(self, path: str, *, strict: bool = True) -> Portrait | None:
        """What the file says; None for one that is forgotten, that vanished, or (unless `strict`) that cannot be read."""
        if path not in self._read:
            try:
                data = self._store.history.read(path, self.commit) if self.commit else self._store.files.read(path)
                document = Document.parse(data, path)
                if document.problem:
                    raise document.problem
                self._read[path] = None if forgotten_at(document) else portrait.leading(portrait.read(document, path))
            except NotFound:
                self._read[path] = None
            except Malformed as problem:
                if strict:
                    raise
                self._store.warn(str(problem))
                self._read[path] = None
        return self._read[path]

    def _paths(self) -> list[str]:
        if not self.commit:
            return [item.path for item in self._store.ask(lambda shadow: list(shadow.entries(kinds=(Kind.ENTITY,))))]
        return [path for tier in Tier for path, _ in self._store.history.walk(self.commit, f"{tier}/entities") if layout.is_record(path)]

    def _is_stub(self, ref: str) -> bool:
        found = self._at_place(ref)
        return bool(found and found[1].merged_into)

    def _near(self, name: str) -> str:
        """What to try instead of a name that is none."""
        found = [] if self.commit else self._store.ask(lambda shadow: shadow.search(name, kinds=(Kind.ENTITY,), limit=3))
        near = ", ".join(f"{item.title} ({item.ref})" for item in found)
        return f"did you mean {near}?" if near else "`strata graph list` shows those that are there"


def _nameless(fact: Fact) -> Portrait:
    """What a relation says of the entity that it leads to: its type and name."""
    return portrait.Portrait(fact.other, fact.target, fact.value)


def ids_of(seen: Portrait) -> set[str]:
    """The ids by which an entity is known."""
    return {seen.id, *seen.merged, *(entity_id(seen.type, name) for name in (seen.name, *seen.aliases) if folded(name))}
