"""Event cards whose facts have ended: what they say of an entity is not true of it any more, though no card names them.

"I live in Lisbon" is outlived by "I moved to Berlin": both are about where somebody lives, and the file of that person knows which one holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from strata import claims, graph, portrait
from strata.cards import event_of
from strata.document import Document
from strata.entries import forgotten_at, known_as
from strata.factlines import fact_in
from strata.graph import Fact
from strata.model import Kind
from strata.shadow.terms import query_terms, terms

if TYPE_CHECKING:
    from strata.shadow import Shadow

Ask = Callable[[Callable[["Shadow"], Any]], Any]
Read = Callable[[str], bytes]
_HOPS = 20  # merges that are followed, one into the next
_LASTING = ("state", "preference", "decision", "plan")  # what happened stays true


class Outlived:
    """For the hits of one search; each file of an entity is read once."""

    def __init__(self, ask: Ask, read: Read, at: str = "") -> None:
        self._ask = ask
        self._read = read
        self._at = at
        self._lines: dict[str, list[str]] = {}

    def by(self, ref: str, card: Document, path: str, query: str = "") -> str:
        """The event that says what holds instead of all that a card claims, or that it ended; "" where something of it still holds, or nobody said so.

        Of several the newest about what `query` asks for. With `at` as of that date, else as the files have it. Raises Malformed for a card that is none.
        """
        event = event_of(card, path)
        if event.event_type not in _LASTING or event.status == "cancelled":
            return ""
        asked = set(query_terms(query)) if query else set()
        newer: list[tuple[bool, str, str]] = []
        for claim in claims.of_lines(event.facts or ()):
            lines = self._of(claim.entity)
            own = [fact for fact in _facts(line for line in lines if f"[[{ref}]]" in line) if graph.group(claim) == fact.group]
            beside = _facts(line for line in lines if line.startswith("- **")) if claim.mode == "state" else own
            beside = [fact for fact in beside if fact.group == graph.group(claim)]
            holding = self._holding(beside)
            if not own or claim.valid_to or any(fact in holding for fact in own):
                return ""
            fits = not asked.isdisjoint(terms(f"{claim.key} {claim.value}"))
            newer += [(fits, other[4:12], other) for fact in (holding or own) for other in fact.events if other != ref and other[4:12] >= ref[4:12]]
        return max(newer, default=(False, "", ""))[2]

    def _holding(self, facts: list[Fact]) -> list[Fact]:
        if self._at:
            return list(graph.at(facts, self._at))
        return [fact for fact in facts if fact.status in ("current", "disputed", "planned")]

    def _of(self, entity: str) -> list[str]:
        """The lines of facts of an entity, wherever it was merged."""
        if entity not in self._lines:
            self._lines[entity] = []
            ref = entity
            for _ in range(_HOPS):
                found = [each for each in self._ask(lambda shadow, ref=ref: [*shadow.find(ref), *shadow.flagged(known_as(ref))]) if each.kind == Kind.ENTITY and not each.forgotten]
                place = next((each.path for each in found if each.ref == ref), found[0].path if found else "")
                document = Document.parse(self._read(place), place) if place else None
                if document is None or document.problem or forgotten_at(document):
                    break
                if not (into := portrait.leading(portrait.read(document, place)).merged_into):
                    self._lines[entity] = (portrait.section_of(document) or "").split("\n")
                    break
                ref = into
        return self._lines[entity]


def _facts(lines: Iterable[str]) -> list[Fact]:
    return [fact for line in lines if (fact := fact_in(line))]
