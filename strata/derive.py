"""What a person or an agent says about a block: its description, and event cards with their evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from strata import projection, records, transcript
from strata.cards import CRITICALITIES, Event
from strata.claims import folded, line
from strata.document import Document
from strata.errors import NotFound, OutsideMemory, Refused, UsageError
from strata.files import blob_id
from strata.layout import record_path, ref_at
from strata.lookup import Lookup
from strata.model import Kind, Message, Put, Tier
from strata.models import projecting
from strata.names import is_id
from strata.plan import Plan
from strata.redact import redact_value
from strata.results import Redaction
from strata.store import Store

RULES = "rules"
ALIKE = 0.6  # how alike two titles are that say the same (difflib's ratio)
_LOOKED_AT = 50  # cards of the same messages; rules make a few
NewId = Callable[[str, str], str]


def clean(given: Mapping[str, Any], mode: str) -> tuple[Mapping[str, Any], tuple[Redaction, ...]]:
    """What was said about a block without its secrets, as `mode` says; what was quoted was cleaned the same way."""
    if mode == "off" or not isinstance(given, Mapping):
        return given, ()
    safe, found = redact_value(dict(given))
    redacted = tuple(Redaction(secret.kind, secret.count, "replaced" if mode == "on" else "reported") for secret in found)
    return (safe if mode == "on" else given), redacted


def describe(plan: Plan, store: Store, lookup: Lookup, block: str, description: Mapping[str, Any], *, extracting: bool) -> tuple[str, str]:
    """Give a block its L0 to L2; ref and path. With `extracting` one that is pending waits on for its events."""
    path, document, messages = _block(store, lookup, block)
    summary = records.parse_summary(description, {message.id for message in messages})
    ref = document.text("id")
    waits = extracting and document.text("state") == records.PENDING
    plan.put(path, records.describe(document, summary, extracting=waits).data, blob_id(document.data))
    plan.subject = f"Describe {ref}: {summary.title}"
    plan.trailers.append(("Strata-Record", ref))
    return ref, path


def record(plan: Plan, store: Store, lookup: Lookup, card: Mapping[str, Any], now: datetime, new_id: NewId, *, by_rules: bool) -> tuple[str, str]:
    """Keep an event card whose evidence holds; ref and path. With `by_rules` they say what a card without facts means for entities."""
    source = card.get("source_block") if isinstance(card, Mapping) else None
    if not isinstance(source, str) or not source:
        raise Refused("an event card needs a source_block", remedy="name the block its evidence stands in")
    _, block, messages = _block(store, lookup, source)
    card = {**card, **{field: [_whole(lookup, ref) for ref in card[field]] for field in ("supersedes", "conflicts_with") if isinstance(card.get(field), list | tuple)}}
    event = records.parse_event(card, block.text("id"), messages)
    for other in (*event.supersedes, *event.conflicts_with):
        lookup.record(other, kinds=(Kind.EVENT,), exact=True)
    replaced = _of_rules(store, event)
    event = event._replace(supersedes=tuple(dict.fromkeys((*event.supersedes, *(old.id for old in replaced)))))
    if "criticality" not in card:
        event = event._replace(criticality=max((event.criticality, *(old.criticality for old in replaced)), key=_how_critical))
    if by_rules and event.facts is None:
        event = event._replace(facts=tuple(dict.fromkeys(map(line, projecting.claims(event, lambda claim: projection.held(plan, store, claim))))))
    day = event.mentioned_at[:10] if len(event.mentioned_at) >= 10 else now.date().isoformat()
    ref = fresh_id("evt", day, plan, store, new_id)
    path = record_path(ref) or ""
    plan.put(path, records.event_document(ref, event).data)
    plan.subject = f"Record {event.title}"
    plan.trailers += [("Strata-Record", ref), ("Strata-Source", f"{block.text('id')}#{','.join(event.source_messages)}")]
    return ref, path


def _whole(lookup: Lookup, ref: Any) -> Any:
    """The id of the event that a beginning of it means; anything else as it is, to be judged with the rest. Raises Ambiguous with the candidates."""
    if not isinstance(ref, str) or not ref.startswith("evt-") or is_id(ref):
        return ref
    try:
        return ref_at(lookup.record(ref, kinds=(Kind.EVENT,)))
    except (NotFound, OutsideMemory, UsageError):
        return ref


def _how_critical(criticality: str) -> int:
    return CRITICALITIES.index(criticality) if criticality in CRITICALITIES else -1


def _of_rules(store: Store, event: Event) -> list[Event]:
    """The cards that rules made of the same sentence of these messages: what somebody records takes their place."""
    refs = [f"{event.source_block}#{message}" for message in event.source_messages]
    found = []
    for each in store.ask(lambda shadow: shadow.citing(refs))[:_LOOKED_AT]:
        document = Document.parse(store.files.read(each.path), each.path)
        if document.text("made_by") == RULES and _same_sentence(event, made := records.event_of(document, each.path)):
            found.append(made._replace(id=each.ref))
    return found


def _same_sentence(event: Event, made: Event) -> bool:
    """Whether a card quotes the sentence that another was made of, or, where it quotes none, is called much like it."""
    from difflib import SequenceMatcher

    if event.quotes:
        return any(quote in made.quotes[0] or made.quotes[0] in quote for quote in event.quotes) if made.quotes else False
    return SequenceMatcher(None, folded(event.title), folded(made.title), autojunk=False).ratio() >= ALIKE


def fresh_id(prefix: str, day: str, plan: Plan, store: Store, new_id: NewId) -> str:
    """An id that no file in any tier and no edit of this plan has."""
    taken = {edit.path for edit in plan.edits if isinstance(edit, Put)}
    while True:
        ref = new_id(prefix, day)
        places = [record_path(ref, tier) or "" for tier in Tier]
        if not any(place in taken or store.files.exists(place) for place in places):
            return ref


def _block(store: Store, lookup: Lookup, ref: str) -> tuple[str, Document, tuple[Message, ...]]:
    path = lookup.record(ref, kinds=(Kind.BLOCK,))
    document = Document.parse(store.files.read(path), path)
    if document.problem:
        raise document.problem
    return path, document, transcript.decode(document.body, path, document.body_line)
