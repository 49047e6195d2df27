"""What was derived, as edits of one write: the description of a block, its event cards, what cards say of entities.

Each is called inside an open plan, names the bytes it read, and lets the entity files follow in the same commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from strata import projection, records
from strata.cards import Event, event_document, event_of
from strata.claims import Claim, folded, line
from strata.derive import ALIKE, NewId, fresh_id
from strata.document import Document
from strata.files import blob_id
from strata.layout import record_path
from strata.model import Summary
from strata.plan import Plan
from strata.store import Store


def summarised(plan: Plan, path: str, document: Document, summary: Summary, by: str, *, extracting: bool) -> None:
    """Give the block at `path` its L0 to L2; with `extracting` it waits for its events before it is ready."""
    ref = document.text("id")
    plan.put(path, records.describe(document, summary, by, extracting=extracting).data, blob_id(document.data))
    plan.subject = f"Summarise {ref}: {summary.title}"
    plan.trailers.append(("Strata-Record", ref))


def extracted(plan: Plan, store: Store, path: str, document: Document, events: Sequence[Event], by: str, new_id: NewId, now: datetime) -> list[str]:
    """Keep the cards of a block, and say in it that its events were looked for; the new ids."""
    ref = document.text("id")
    plan.put(path, records.extracted(document, by).data, blob_id(document.data))
    plan.trailers.append(("Strata-Record", ref))
    made = cards(plan, store, events, new_id, now)
    plan.subject = f"Extract {len(made)} event{'s' * (len(made) != 1)} of {ref}"
    projection.update(plan, store, made)
    return list(made)


def cards(plan: Plan, store: Store, events: Iterable[Event], new_id: NewId, now: datetime) -> dict[str, Event]:
    """Add new cards to a plan, each under an id of its own; entity files are for the caller to bring after (`projection.update`).

    A card may supersede or contradict one further up by the `id` that it bears for now.
    """
    made: dict[str, Event] = {}
    called: dict[str, str] = {}
    for event in events:
        event = event._replace(**{field: tuple(called.get(other, other) for other in getattr(event, field)) for field in ("supersedes", "conflicts_with")})
        day = event.mentioned_at[:10] if len(event.mentioned_at) >= 10 else now.date().isoformat()
        ref = fresh_id("evt", day, plan, store, new_id)
        plan.put(record_path(ref) or "", event_document(ref, event).data)
        made[ref] = event._replace(id=ref)
        called |= {event.id: ref} if event.id else {}
    plan.trailers += [("Strata-Record", ref) for ref in made]
    return made


def projected(plan: Plan, store: Store, batch: Mapping[str, tuple[str, Document]], claims: Mapping[str, Sequence[Claim]]) -> list[str]:
    """Write into each card of the batch (path and document by id) what it claims, be it nothing; the ids of the cards."""
    fresh: dict[str, Event] = {}
    for ref, (path, document) in batch.items():
        stated = document.with_values({"facts": [line(claim) for claim in dict.fromkeys(claims.get(ref, ()))]})
        plan.put(path, stated.data, blob_id(document.data))
        fresh[ref] = event_of(stated, path)._replace(id=ref)
    plan.trailers += [("Strata-Record", ref) for ref in fresh]
    total = len({claim for said in claims.values() for claim in said})
    plan.subject = f"Project {total} fact{'s' * (total != 1)} of {len(fresh)} event{'s' * (len(fresh) != 1)}"
    projection.update(plan, store, fresh)
    return list(fresh)


def unsaid(events: Iterable[Event], there: Sequence[Event]) -> list[Event]:
    """Of newly made cards those that say something new beside the cards that are there.

    One with the same source messages, type and dates as another, and a title much like it, is the same and is left
    out. Any other with the same source messages supersedes those cards that a provider made and that nothing confirms.
    """
    made = list(events)
    same = {place: [old.id for old in there if _same(new, old)] for place, new in enumerate(made)}
    confirmed = {ref for found in same.values() for ref in found}
    replaced = {ref for old in there for ref in old.supersedes}
    kept: list[Event] = []
    meant: dict[str, str] = {}  # new cards that are left out, by the id they bear for now: which one says the same
    for place, new in enumerate(made):
        if alike := same[place] or [other.id for other in kept if _same(new, other)]:
            meant[new.id] = alike[0]
            continue
        new = new._replace(**{field: tuple(dict.fromkeys(meant.get(other, other) for other in getattr(new, field))) for field in ("supersedes", "conflicts_with")})
        old = [each.id for each in there if each.made_by and each.id not in (confirmed | replaced) and set(each.source_messages) == set(new.source_messages)]
        kept.append(new._replace(supersedes=tuple(dict.fromkeys((*new.supersedes, *old)))))
    return kept


def _same(new: Event, old: Event) -> bool:
    """Whether two cards of one block say the same."""
    from difflib import SequenceMatcher

    if set(new.source_messages) != set(old.source_messages):
        return False
    if (folded(new.event_type), new.happened_start, new.happened_end) != (folded(old.event_type), old.happened_start, old.happened_end):
        return False
    return SequenceMatcher(None, folded(new.title), folded(old.title), autojunk=False).ratio() >= ALIKE
