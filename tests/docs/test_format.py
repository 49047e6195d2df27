"""The format is what its page says: each example on it is read by strata, and written again byte for byte."""

from __future__ import annotations

import json
import re

import pytest
from pages import PROJECT, Page

from strata import claims, layout, model, names, portrait, transcript
from strata.document import Document
from strata.records import block_of, event_document, event_of, is_intact, note_document, note_of, parse_event, seal_block
from strata.tail import Tail


@pytest.fixture(scope="module")
def format_page() -> Page:
    return Page(PROJECT / "docs/format.md")


def test_the_transcript_is_the_messages_beside_it(format_page: Page) -> None:
    rows = [json.loads(line) for line in format_page.example("messages").splitlines()]
    messages = tuple(model.Message(**row | {"tools": tuple(model.ToolCall(**tool) for tool in row.get("tools", ()))}) for row in rows)
    written = format_page.example("transcript").encode()

    assert messages == transcript.decode(written)
    assert written == transcript.encode(messages)


def test_the_tail_is_one(format_page: Page) -> None:
    data = format_page.example("tail").encode()
    tail = Tail.parse(data)

    assert ("garden", 13, 1) == (tail.thread, tail.first_turn, len(tail.messages))
    assert data == tail.dump()


def test_the_block_is_one_and_its_hash_is_right(format_page: Page) -> None:
    document = Document.parse(format_page.example("block").encode())
    block = block_of(document)

    assert is_intact(document)
    assert document.data == seal_block(block.id, block.thread, 1, 1, block.messages, block.sealed_at, block.summary).data


def test_the_event_is_one_and_its_evidence_holds(format_page: Page) -> None:
    messages = block_of(Document.parse(format_page.example("block").encode())).messages
    document = Document.parse(format_page.example("event").encode())
    event = event_of(document)
    supplied = {name: value for name, value in event._asdict().items() if name not in ("id", "made_by")}
    supplied["facts"] = [claims.as_object(claim) for claim in claims.of_lines(event.facts or ())]

    assert event == parse_event(supplied, event.source_block, messages)._replace(id=event.id)
    assert document.data == event_document(event.id, event).data


def test_the_entity_and_the_note_are_what_strata_writes(format_page: Page) -> None:
    entity = Document.parse(format_page.example("entity").encode())
    note = Document.parse(format_page.example("note").encode())

    assert entity.data == portrait.written(entity, portrait.read(entity)).data
    assert 4 == len(portrait.read(entity).facts) and not portrait.read(entity).edited
    assert note.data == note_document(note_of(note, "notes/garden/frost")).data


def test_ids_and_the_files_of_tails_follow_their_rules(format_page: Page) -> None:
    ids = format_page.example("ids").split()
    tails = [re.split(r"  +", line) for line in format_page.example("tails").splitlines()]

    assert len(ids) == 3 and all(map(names.is_id, ids))
    assert len(tails) == 3 and [path for _, path in tails] == [layout.tail_path(thread) for thread, _ in tails]
