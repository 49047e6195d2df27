"""The part of a memory that gives reasons: what a fact rests on, down to the words, and what changed in what is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata.errors import NotFound
from strata.model import Kind

if TYPE_CHECKING:
    from strata.lookup import Lookup
    from strata.provenance import Beliefs, Link
    from strata.results import Shown
    from strata.store import Store


class Reasons:
    """Mixed into `Memory`."""

    _store: Store
    _lookup: Lookup

    def why(self, ref: str) -> Link:
        """What a fact rests on: the events that say so, the block and the messages of each, with the commits that brought and changed them.

        `ref` is a fact (`ent-person-jo#lives-in-k3f2pa`, a prefix of its id that fits no other, or its key), an event, a block, a message, an entity
        or a note. What is forgotten, superseded, not committed or not to be found is in the chain and says so; so is a fact or
        a record that is gone, as far as history knows it. It is only a look: no access is counted.
        """
        from strata.attribution import Attribution
        from strata.tracing import Tracing

        self._store.refresh()
        tracing = Tracing(self._store, self._lookup)
        attribution = Attribution(self._store, self._lookup, tracing)
        try:
            link = tracing.chain(ref)
        except NotFound:
            if found := attribution.vanished(ref):
                return found
            raise
        return attribution.fact(link) if link.kind == "fact" else attribution.attributed(link)

    def beliefs(self, span: str | None = None, entity: str = "") -> Beliefs:
        """What two commits believe differently: facts that came, changed, ended, were contradicted or taken back, and events that were superseded.

        `span` is `A..B`, each a revision or a date, B left out for now, A also a date before the first commit; without it, what the last commit changed. With `entity`, an id or a
        name, only what concerns that one. Only files that differ between the two are read; edits that are not committed are no part of it.
        """
        from strata.beliefs import between

        return between(self._store, span, entity)

    def _contested(self, record: Shown) -> Shown:
        """An event as it is shown, with what supersedes or contradicts it; the index is asked as it stands."""
        if record.kind != Kind.EVENT:
            return record
        from strata import rivals

        return rivals.shown(self._store.ask, record)
