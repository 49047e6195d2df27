"""What a person or an agent says about a block: its description, and event cards with their evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from strata import records, transcript
from strata.document import Document
from strata.errors import Refused
from strata.files import blob_id
from strata.layout import record_path
from strata.lookup import Lookup
from strata.model import Kind, Message, Put, Tier
from strata.plan import Plan
from strata.redact import redact_value
from strata.results import Redaction
from strata.store import Store

NewId = Callable[[str, str], str]


def clean(given: Mapping[str, Any], mode: str) -> tuple[Mapping[str, Any], tuple[Redaction, ...]]:
    """What was said about a block without its secrets, as `mode` says; what was quoted was cleaned the same way."""
    if mode == "off" or not isinstance(given, Mapping):
        return given, ()
    safe, found = redact_value(dict(given))
    redacted = tuple(Redaction(secret.kind, secret.count, "replaced" if mode == "on" else "reported") for secret in found)
    return (safe if mode == "on" else given), redacted


def describe(plan: Plan, store: Store, lookup: Lookup, block: str, description: Mapping[str, Any]) -> tuple[str, str]:
    """Give a block its L0 to L2; ref and path."""
    path, document, messages = _block(store, lookup, block)
    summary = records.parse_summary(description, {message.id for message in messages})
    ref = document.text("id")
    plan.put(path, records.describe(document, summary).data, blob_id(document.data))
    plan.subject = f"Describe {ref}: {summary.title}"
    plan.trailers.append(("Strata-Record", ref))
    return ref, path


def record(plan: Plan, store: Store, lookup: Lookup, card: Mapping[str, Any], now: datetime, new_id: NewId) -> tuple[str, str]:
    """Keep an event card whose evidence holds; ref and path."""
    source = card.get("source_block") if isinstance(card, Mapping) else None
    if not isinstance(source, str) or not source:
        raise Refused("an event card needs a source_block", remedy="name the block its evidence stands in")
    _, block, messages = _block(store, lookup, source)
    event = records.parse_event(card, block.text("id"), messages)
    for other in (*event.supersedes, *event.conflicts_with):
        lookup.record(other, kinds=(Kind.EVENT,), exact=True)
    day = event.mentioned_at[:10] if len(event.mentioned_at) >= 10 else now.date().isoformat()
    ref = fresh_id("evt", day, plan, store, new_id)
    path = record_path(ref) or ""
    plan.put(path, records.event_document(ref, event).data)
    plan.subject = f"Record {event.title}"
    plan.trailers += [("Strata-Record", ref), ("Strata-Source", f"{block.text('id')}#{','.join(event.source_messages)}")]
    return ref, path


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
