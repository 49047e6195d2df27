"""The part of a memory that is about the graph: entities listed, shown, searched, joined by chains, drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from strata import moment
from strata.errors import Ambiguous, NotFound, UsageError
from strata.head import head
from strata.model import Kind

if TYPE_CHECKING:
    from strata.gallery import Gallery, Seen
    from strata.model import Hit
    from strata.network import EntityFound, EntityRow, EntityShown, Exported, Pointing, Way
    from strata.results import Shown
    from strata.store import Store

_POINTING = 20  # relations of others that are shown with an entity
_FOUND = 10  # entities that a search gives, unless it is told
DEEPEST = 10  # steps around an entity that are drawn


class Graphs:
    """Mixed into `Memory`."""

    _store: Store
    _now: Callable[[], datetime]
    search: Callable[..., list[Hit]]

    def graph_list(self, *, type: str = "", at: str = "", believed: str = "", limit: int | None = None) -> list[EntityRow]:
        """The entities by name: how many of their facts are true, now or on the day `at`, out of how many.

        `believed` is a revision or a date: the entities as this memory held them then, read from git. With `at` those of whom nothing
        was true then are left out.
        """
        from strata.views import row

        gallery, day = self._gallery(at, believed)
        rows = [row(seen, day) for _, seen in gallery.all(type)]
        rows = sorted((row for row in rows if row.now or not at), key=lambda row: (row.name.casefold(), row.ref))
        return rows[:limit]

    def graph_show(self, name: str, *, at: str = "", believed: str = "") -> EntityShown:
        """One entity by id, by a prefix of one that fits no other, by name or by alias, in any case; `person Jo` where several are called Jo.

        `at` is a date: the facts that were true then. `believed` is a revision or a date: what this memory held then. One that was merged leads to
        where it went. Takes no longer where there are more entities. Raises NotFound, Ambiguous with the candidates.
        """
        if not believed and self._settled():
            with suppress(NotFound, Ambiguous):  # what was edited by hand since then may tell more
                return self._one(name, at, *self._gallery(at, "", look=False))
        return self._one(name, at, *self._gallery(at, believed))

    def _one(self, name: str, at: str, gallery: Gallery, day: str) -> EntityShown:
        path, seen, asked = gallery.named(name)
        return self._shown(gallery, (path, seen), day, at, asked)

    def _settled(self) -> bool:
        """Whether the index reflects HEAD: then one entity is shown without a look at all files for edits that are not committed.

        Its own file is read as it is now; only relations of others to it may lag behind an edit by hand.
        """
        mark = self._store.usable_mark()
        return mark is not None and mark["head"] == head(self._store.root) and not self._store.files.unfinished()

    def graph_search(self, query: str, *, at: str = "", believed: str = "", limit: int | None = None) -> list[EntityFound]:
        """The entities that a query finds, each with the facts that share a word with it, the best first; with `at` facts true then only."""
        from strata.matching import matched

        gallery, day = self._gallery(at, believed)
        most = limit if limit is not None else _FOUND
        if gallery.commit:
            seen: Iterable[Seen] = [found for found in gallery.all() if found[0]]
        else:
            hits = self.search(query, kinds=("entity",), limit=4 * most)
            seen = [found for hit in hits if (found := gallery.target(hit.ref))]
        return matched(query, [portrait for _, portrait in seen], day, true_only=bool(at), ranked=not gallery.commit)[:most]

    def graph_path(self, a: str, b: str, *, at: str = "", believed: str = "") -> Way:
        """The shortest chain of relations between two entities, in whichever direction each leads; with `at` of relations true then.

        Only entities near the two are read, at most two thousand.
        """
        from strata.chains import chain

        gallery, day = self._gallery(at, believed)
        return chain(gallery, gallery.named(a)[1], gallery.named(b)[1], day if at else "")

    def graph_export(self, format: str, *, around: str = "", depth: int = 1, type: str = "", at: str = "", believed: str = "") -> Exported:
        """The graph as dot, mermaid, json or svg: of all entities, or of those at most `depth` relations `around` one, or of one `type`.

        Also what is no longer true or only planned, and marked as that; with `at` what was true then, alone.
        """
        from strata.chains import surroundings
        from strata.drawing import FORMATS, drawn
        from strata.gallery import ids_of
        from strata.network import Exported
        from strata.views import picture

        if format not in FORMATS:
            raise UsageError(f"there is no format {format!r}", remedy=f"take one of {', '.join(FORMATS)}")
        if not 0 <= depth <= DEEPEST:
            raise UsageError(f"a depth of {depth} is not possible", remedy=f"from 0, the entity alone, to {DEEPEST}")
        gallery, day = self._gallery(at, believed)
        if around:
            center = gallery.named(around)[1]
            chosen = [seen for seen in surroundings(gallery, center, depth, day if at else "") if type in ("", seen.type) or seen is center]
        else:
            chosen = [seen for _, seen in gallery.all(type)]
        leads = {ref: seen.id for seen in chosen for ref in ids_of(seen)}
        graph = picture(chosen, leads, day, true_only=bool(at))
        caption = _caption(len(graph.nodes), len(graph.edges), at, believed)
        return Exported(format, drawn(graph._replace(caption=caption), format), len(graph.nodes), len(graph.edges), caption)

    def complete_entity(self, prefix: str) -> list[tuple[str, str]]:
        """Names and ids that begin with a text, each with what it is, for completion in a shell; never raises for odd input."""
        if self._store.mark() is None:
            return []
        found = self._store.ask(lambda shadow: list(shadow.entries(kinds=("entity",))))
        begin = prefix.casefold()
        named = [(item.title, item.ref) for item in found if item.title.casefold().startswith(begin)]
        return sorted(named or [(item.ref, item.title) for item in found if item.ref.startswith(begin)])

    def _portrayed(self, record: Shown, at: str = "") -> Shown:
        """A record with its facts when it is an entity: those of today, or those true on the day `at`. A file that cannot be read as one stays text."""
        if record.kind != Kind.ENTITY:
            return record
        from strata.document import Document
        from strata.errors import Malformed
        from strata.portrait import read
        from strata.views import portrait_at, shown

        data = self._store.history.read(record.path, record.at) if record.at else self._store.files.read(record.path)
        try:
            portrait = read(Document.parse(data, record.path), record.path)
        except Malformed as problem:
            self._store.warn(str(problem))
            return record
        if at:
            return record._replace(entity=portrait_at(portrait, record.path, at, believed=record.at))
        return record._replace(entity=shown(portrait, record.path, self._now().date().isoformat(), believed=record.at))

    def _gallery(self, at: str, believed: str, *, look: bool = True) -> tuple[Gallery, str]:
        """Where entities are read, and the day on which facts count as true."""
        from strata.gallery import Gallery

        if at:
            moment.parse(at, field="at")
        if look:
            self._store.refresh()
        commit = self._store.history.resolve(believed) if believed else ""
        return Gallery(self._store, commit), at or (self._day_of(commit, believed) if believed else self._now().date().isoformat())

    def _day_of(self, commit: str, believed: str) -> str:
        """The day of a commit; of a date that was named, the last day of it."""
        if moment.is_valid(believed):
            from strata.validity import last_day

            return believed if moment.parse(believed).precision in ("day", "instant") else last_day(believed).isoformat()
        return next((time[:10] for id, time, _ in self._store.history.operations() if id == commit), "") or self._now().date().isoformat()

    def _shown(self, gallery: Gallery, found: Seen, day: str, at: str, asked: str) -> EntityShown:
        from strata.views import shown

        path, seen = found
        leads = {fact.other: gallery.leads(fact.other) for fact in seen.facts if fact.other}
        return shown(seen, path, day, at=at, pointing=() if gallery.commit else self._pointing(gallery, found, day, bool(at)), asked=asked, believed=gallery.commit, others=leads)

    def _pointing(self, gallery: Gallery, found: Seen, day: str, only_then: bool) -> list[Pointing]:
        """Relations of others to an entity, of as many others as are shown: those that hold on the day, then, unless `only_then`, those that held or will."""
        from strata.gallery import ids_of
        from strata.network import Pointing
        from strata.views import fact_shown, is_true

        mine = ids_of(found[1])
        facts = [(is_true(fact, day), seen, fact) for _, seen in gallery.pointing(found[1].id, _POINTING) for fact in seen.facts if fact.other in mine]
        told = sorted((each for each in facts if each[0] or not (only_then or each[2].status == "retracted")), key=lambda each: not each[0])
        return [Pointing(seen.id, seen.name, fact_shown(fact, found[1].id, day)) for _, seen, fact in told[:_POINTING]]


def _caption(entities: int, relations: int, at: str, believed: str) -> str:
    counts = f"{entities:,} {'entity' if entities == 1 else 'entities'}, {relations:,} {'relation' if relations == 1 else 'relations'}"
    return counts + (f", true at {at}" if at else "") + (f", as believed at {believed}" if believed else "")
