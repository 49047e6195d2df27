"""What the parts of an index say of single documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strata import moment
from strata.entries import superseding
from strata.shadow.part import Filter, Part
from strata.shadow.segment import flag_key, key, message_key
from strata.shadow.strips import Place


class View:
    """Documents by the number of their part and their own; `wanted` is what a search restricts itself to."""

    def __init__(self, parts: Sequence[Part], wanted: Filter) -> None:
        self._parts = parts
        self._wanted = wanted

    def column(self, number: int, name: str) -> Sequence[int]:
        """A column of a part."""
        return self._parts[number].segment.column(name)

    def kind(self, place: Place) -> str:
        """The kind of the entry."""
        segment = self._parts[place[0]].segment
        return segment.names["kind"][segment.column("kind")[place[1]]]

    def traits(self, place: Place) -> int:
        """The traits of the text (`strata.shadow.traits`)."""
        return self._parts[place[0]].segment.column("traits")[place[1]]

    def stored(self, place: Place) -> list[Any]:
        """The stored fields, as `Segment.stored` has them."""
        return self._parts[place[0]].segment.stored(place[1])

    def is_wanted(self, place: Place) -> bool:
        """Whether a search may return it."""
        number, document = place
        part = self._parts[number]
        if not self._wanted.reaches(part):
            return False
        mask = part.allowed(self._wanted)
        return mask is None or bool(mask[document])

    def message(self, ref: str) -> Place | None:
        """Where a message of a block is; None for a forgotten one, unless those are wanted."""
        block, _, id_ = ref.partition("#")
        for number, part in enumerate(self._parts):
            for document in part.documents(key("ref", block)):
                thread = part.segment.names["thread"][part.segment.column("thread")[document]]
                near = [each for each in part.documents(message_key(thread, id_)) if each < document]
                if near and (self._wanted.forgotten is not False or near[-1] not in part.forgotten):
                    return number, near[-1]
        return None

    def is_superseded(self, place: Place) -> bool:
        """Whether another event says that it supersedes this one; two that say so of each other say nothing."""
        own = self.stored(place)[1]
        found = (part.segment.stored(document) for part in self._parts for document in part.documents(flag_key(superseding(own))))
        newer = {stored[1] for stored in found if moment.within(stored[4], until=self._wanted.at)}
        return any(ref != own and not self._supersedes(place, ref) for ref in newer)

    def _supersedes(self, place: Place, ref: str) -> bool:
        number, document = place
        return document in self._parts[number].documents(flag_key(superseding(ref)))
