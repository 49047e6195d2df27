"""The four kinds of records as values, read from documents and written to them.

A value holds what the file says, in its own words. Event cards have a module of their own, `cards`,
and names too; both are also reached from here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from strata.cards import Event, event_document, event_of, parse_event
from strata.document import Document
from strata.headers import expect, one_of, whole_number
from strata.model import Kind, Message, Summary
from strata.names import is_id, new_id, slug, title_of
from strata.supplied import Form, shown
from strata.transcript import decode, encode

__all__ = [
    "Block", "Entity", "Event", "Note", "block_of", "describe", "entity_document", "entity_of", "event_document", "event_of",
    "is_id", "is_intact", "new_id", "note_document", "note_of", "parse_event", "parse_summary", "seal_block", "slug",
    "summary_of", "title_of",
]

PENDING, READY = "pending", "ready"
STATES = (PENDING, READY)
SUMMARISED_BY, EXTRACTED_BY = "summarised_by", "extracted_by"
_SUMMARY_FIELDS = ("title", "tags", "summary", "keypoints")


class Block(NamedTuple):
    """A sealed stretch of one thread. Without a summary (`state` pending) its L0-L2 are empty."""

    id: str
    thread: str
    first_turn: int
    last_turn: int
    sealed_at: str
    state: str
    source_sha256: str
    summary: Summary
    messages: tuple[Message, ...]


class Entity(NamedTuple):
    """A person, project, organization, tool or place, by the names it goes by."""

    id: str
    type: str
    name: str
    aliases: tuple[str, ...] = ()
    body: str = ""


class Note(NamedTuple):
    """Free markdown, named by its path below the tier (`notes/projects/kynd`)."""

    path: str
    body: str
    title: str = ""
    tags: tuple[str, ...] = ()
    created_at: str = ""
    pinned: bool = False


# Blocks


def seal_block(
    id: str, thread: str, first_turn: int, last_turn: int, messages: Sequence[Message], sealed_at: str, summary: Summary | None,
    *, summarised_by: str = "", extracted_by: str = "", extracting: bool = False,
) -> Document:
    """A block's document, with the hash of its body; without a summary it is pending, and as long as events are still to be looked for."""
    body = encode(messages)
    header: dict[str, Any] = {
        "id": id,
        "kind": str(Kind.BLOCK),
        "thread": thread,
        "first_turn": first_turn,
        "last_turn": last_turn,
        "sealed_at": sealed_at,
        "state": READY if summary and not extracting else PENDING,
        "source_sha256": hashlib.sha256(body).hexdigest(),
    }
    who = {SUMMARISED_BY: summarised_by, EXTRACTED_BY: extracted_by}
    return Document.new(header | (_described(summary) if summary else {}) | {key: name for key, name in who.items() if name}, body)


def describe(document: Document, summary: Summary, by: str = "", *, extracting: bool = False) -> Document:
    """The block with this summary, made by a provider or "" for a person; its body and its other keys keep every byte.

    It is ready, unless events are still to be looked for (`extracting`).
    """
    waits = extracting and not document.text(EXTRACTED_BY)
    return document.with_values({"state": PENDING if waits else READY, **_described(summary), SUMMARISED_BY: by or None})


def extracted(document: Document, by: str) -> Document:
    """The block after a provider has looked for events in it, whatever it found; ready if it has a summary."""
    return document.with_values({"state": READY if document.text("title") else PENDING, EXTRACTED_BY: by})


def is_intact(document: Document) -> bool:
    """Whether the messages of a block are those that were sealed, byte for byte."""
    return hashlib.sha256(document.body).hexdigest() == document.text("source_sha256")


def summary_of(document: Document) -> Summary:
    """Levels L0 to L2 as the header has them."""
    return Summary(document.text("title"), tuple(document.list("tags")), document.text("summary"), tuple(document.list("keypoints")))


def block_of(document: Document, path: str = "") -> Block:
    """Raises Malformed, with path and line, for what is no block."""
    expect(document, Kind.BLOCK, path)
    return Block(
        id=document.text("id"),
        thread=document.text("thread"),
        first_turn=whole_number(document, "first_turn", path),
        last_turn=whole_number(document, "last_turn", path),
        sealed_at=document.text("sealed_at"),
        state=one_of(document, "state", STATES, path),
        source_sha256=document.text("source_sha256"),
        summary=summary_of(document),
        messages=decode(document.body, path, document.body_line),
    )


def _described(summary: Summary) -> dict[str, Any]:
    return {"title": summary.title, "tags": list(summary.tags), "summary": summary.summary, "keypoints": list(summary.keypoints)}


def parse_summary(value: object, message_ids: Collection[str]) -> Summary:
    """A summary somebody supplied: `{title, tags, summary, keypoints}`, of which only the title must be there.

    At most 120 characters of title, 12 tags of 40, 600 of summary, 20 key points of 300; each key
    point ends in the messages it rests on, `(m3)` or `(m3, m4)`. Raises Malformed with every fault.
    """
    form = Form("summary", value, _SUMMARY_FIELDS)
    summary = Summary(
        title=form.text("title", 120, required=True),
        tags=form.texts("tags", 12, 40),
        summary=form.text("summary", 600, lines=True),
        keypoints=form.texts("keypoints", 20, 300),
    )
    for place, point in enumerate(summary.keypoints, 1):
        unknown = _unknown_refs(point, message_ids)
        if unknown is None:
            form.fault(f"keypoints[{place}]", "does not end in the messages it rests on")
        elif unknown:
            form.fault(f"keypoints[{place}]", f"cites {', '.join(map(shown, unknown))}, not in the block")
    form.check("end each key point in its messages, like (m3) or (m3, m4), and correct the rest")
    return summary


def _unknown_refs(point: str, known: Collection[str]) -> list[str] | None:
    """Which messages a key point cites that do not exist; None where it cites none. An id may itself hold brackets."""
    unknown: list[str] | None = None
    start = len(point)
    while point.endswith(")") and (start := point.rfind("(", 0, start)) > 0:
        inner = point[start + 1 : -1]
        refs = [inner] if inner in known else [ref for part in inner.split(",") if (ref := part.strip())]
        strangers = [ref for ref in refs if ref not in known]
        if refs and not strangers:
            return []
        unknown = (strangers or None) if unknown is None else unknown
    return unknown


# Entities and notes


def entity_document(entity: Entity) -> Document:
    """The entity as a file."""
    header = {"id": entity.id, "kind": str(Kind.ENTITY), "type": entity.type, "name": entity.name, "aliases": list(entity.aliases)}
    return Document.new(header, entity.body.encode("utf-8"))


def entity_of(document: Document, path: str = "") -> Entity:
    """Raises Malformed, with path and line, for what is no entity."""
    expect(document, Kind.ENTITY, path)
    body = document.body.decode("utf-8", "replace")
    return Entity(document.text("id"), document.text("type"), document.text("name"), tuple(document.list("aliases")), body)


def note_document(note: Note) -> Document:
    """The note as a file; its header has only the keys that say something, and is absent if there are none."""
    header = {"title": note.title, "tags": list(note.tags), "created_at": note.created_at, "pinned": note.pinned}
    return Document.new({key: value for key, value in header.items() if value}, note.body.encode("utf-8"))


def note_of(document: Document, path: str) -> Note:
    """Any document is a note: what cannot be read as a header is text, and bytes that are no UTF-8 are replaced."""
    body = document.body.decode("utf-8", "replace")
    return Note(path, body, document.text("title"), tuple(document.list("tags")), document.text("created_at"), document.flag("pinned"))
