"""Records survive their files, what is supplied is checked whole, and names are safe."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import evidence, records
from strata.cards import Event
from strata.document import Document
from strata.errors import Malformed, Refused, StrataError
from strata.model import Message, Summary, ToolCall
from strata.transcript import encode

BLOCK = "blk-20261130-7f3akq"
EVENT = "evt-20261130-x2m9ta"
MESSAGES = (
    Message("m1", "user", "Which package manager do we use?", at="2026-11-30T12:50:02+01:00"),
    Message("m2", "assistant", "npm, by the look of it.", at=""),
    Message("m3", "user", "Use pnpm for this\nproject  from today on.", at="2026-11-30T11:52:10Z"),
)
CARD: dict[str, Any] = {
    "title": "The project uses pnpm",
    "event_type": "decision",
    "status": "occurred",
    "happened_start": "2026-11-30",
    "basis": "relative",
    "original_text": "from today on",
    "participants": ["jo"],
    "source_messages": ["m3"],
    "criticality": "preference",
    "confidence": 0.9,
    "narrative": "Jo asked to use pnpm instead of npm.",
    "quotes": ["Use pnpm for this project from today on."],
}


def seal(summary: Summary | None) -> Document:
    return records.seal_block(BLOCK, "main", 1, 2, MESSAGES, "2026-11-30T12:00:00Z", summary)


SUMMARY = Summary("Choosing a package manager", ("kynd", "tooling"), "Jo asked for pnpm; agreed.", ("the project uses pnpm (m3)",))


# Blocks


def test_a_sealed_block_reads_like_the_documented_example() -> None:
    body = encode(MESSAGES)

    header = seal(SUMMARY).data.removesuffix(body).decode()

    assert (
        "---\n"
        "id: blk-20261130-7f3akq\n"
        "kind: block\n"
        "thread: main\n"
        "first_turn: 1\n"
        "last_turn: 2\n"
        "sealed_at: 2026-11-30T12:00:00Z\n"
        "state: ready\n"
        f"source_sha256: {hashlib.sha256(body).hexdigest()}\n"
        "title: Choosing a package manager\n"
        "tags: [kynd, tooling]\n"
        "summary: Jo asked for pnpm; agreed.\n"
        "keypoints:\n"
        "  - the project uses pnpm (m3)\n"
        "---\n"
    ) == header


def test_describing_a_pending_block_makes_the_block_that_was_sealed_with_a_summary() -> None:
    pending = seal(None)

    assert "pending" == pending.text("state") and "title" not in pending.header
    assert seal(SUMMARY).data == records.describe(pending, SUMMARY).data


def test_describing_again_keeps_the_body_and_what_a_person_added() -> None:
    edited = Document.parse(seal(SUMMARY).data.replace(b"thread: main\n", b"thread: main # ours\nmood: good\n"))

    described = records.describe(edited, Summary("Other", (), "", ()))

    assert encode(MESSAGES) == described.body
    assert b"thread: main # ours\nmood: good\n" in described.data
    assert Summary("Other") == records.summary_of(described)


def test_the_hash_tells_whether_the_source_is_as_it_was_sealed() -> None:
    sealed = seal(SUMMARY)

    assert records.is_intact(sealed)
    assert records.is_intact(records.describe(sealed, Summary("Other")))
    assert not records.is_intact(sealed.with_body(sealed.body.replace(b"pnpm", b"yarn")))


def test_a_block_comes_back_as_it_was_sealed() -> None:
    block = records.block_of(Document.parse(seal(SUMMARY).data))

    assert (BLOCK, "main", 1, 2, "2026-11-30T12:00:00Z", "ready") == block[:6]
    assert SUMMARY == block.summary
    assert MESSAGES == block.messages


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [(b"kind: block", b"kind: note", 3), (b"first_turn: 1", b"first_turn: one", 5), (b"state: ready", b"state: done", 8), (b"last_turn: 2", b"last_turn: 9999999999", 6)],
)
def test_a_block_with_a_wrong_header_is_malformed_at_its_line(old: bytes, new: bytes, line: int) -> None:
    with pytest.raises(Malformed) as refusal:
        records.block_of(Document.parse(seal(SUMMARY).data.replace(old, new)), "active/b.md")

    assert ("active/b.md", line) == (refusal.value.path, refusal.value.line)


@settings(deadline=None)
@given(
    st.builds(
        Summary,
        st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=30),
        st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=10), max_size=3).map(tuple),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
        st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30), max_size=3).map(tuple),
    )
)
def test_any_summary_survives_the_header(summary: Summary) -> None:
    assert summary == records.summary_of(Document.parse(seal(summary).data))


# Summaries that somebody supplies


def test_a_good_summary_is_taken_as_it_is() -> None:
    given_json = json.loads('{"title": "T", "tags": ["a"], "summary": "two\\nlines", "keypoints": ["a (m1)", "b (m1, m3)", "c (x) (m2)"]}')

    assert Summary("T", ("a",), "two\nlines", ("a (m1)", "b (m1, m3)", "c (x) (m2)")) == records.parse_summary(given_json, {"m1", "m2", "m3"})
    assert Summary("T") == records.parse_summary({"title": "T"}, ())


def test_the_limits_themselves_are_allowed() -> None:
    full = {"title": "t" * 120, "tags": ["g" * 40] * 12, "summary": "s" * 600, "keypoints": ["k" * 295 + " (m1)"[-5:]] * 20}

    assert 20 == len(records.parse_summary(full, {"m1"}).keypoints)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"title": ""}, "title"),
        ({"title": "  "}, "title"),
        ({"title": None}, "title"),
        ({"title": 7}, "title"),
        ({"title": "t" * 121}, "title"),
        ({"title": "two\nlines"}, "title"),
        ({"title": "bell\x07"}, "title"),
        ({"title": "half \ud83d"}, "title"),
        ({"tags": ["a"] * 13}, "tags"),
        ({"tags": ["a" * 41]}, r"tags\[1\]"),
        ({"tags": ["a", ""]}, r"tags\[2\]"),
        ({"tags": "a, b"}, "tags"),
        ({"summary": "s" * 601}, "summary"),
        ({"summary": ["s"]}, "summary"),
        ({"keypoints": ["a (m1)"] * 21}, "keypoints"),
        ({"keypoints": ["k" * 296 + " (m1)"]}, r"keypoints\[1\]"),
        ({"keypoints": ["no message"]}, r"keypoints\[1\]"),
        ({"keypoints": ["(m1)"]}, r"keypoints\[1\]"),
        ({"keypoints": ["a (m1) and more"]}, r"keypoints\[1\]"),
        ({"keypoints": ["a (m1)", "b (m9)"]}, r"keypoints\[2\] cites 'm9'"),
        ({"keypoints": ["a (m1, m9)"]}, "m9"),
        ({"keypoints": ["a ()"]}, r"keypoints\[1\]"),
        ({"mood": "good"}, "mood"),
    ],
)
def test_a_faulty_summary_is_refused_by_field(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(Malformed, match=fault):
        records.parse_summary({"title": "T"} | change, {"m1"})


def test_every_fault_of_a_summary_is_named_at_once() -> None:
    with pytest.raises(Malformed) as refusal:
        records.parse_summary({"title": "t" * 121, "tags": ["a" * 41], "keypoints": ["x", "y (m9)"], "mood": 1}, {"m1"})

    for field in ("title", "tags[1]", "keypoints[1]", "keypoints[2]", "mood", "m9"):
        assert field in refusal.value.message


@pytest.mark.parametrize("value", [None, [], "title", 3, True])
def test_a_summary_is_an_object(value: object) -> None:
    with pytest.raises(Malformed, match="JSON object"):
        records.parse_summary(value, ())


def test_a_message_id_may_hold_brackets_and_commas() -> None:
    summary = records.parse_summary({"title": "T", "keypoints": ["a (D3:12)", "b (x(1), y)"]}, {"D3:12", "x(1), y"})

    assert 2 == len(summary.keypoints)


# Event cards


def test_an_event_card_reads_like_the_documented_example() -> None:
    card = records.event_document(EVENT, records.parse_event(CARD, BLOCK, MESSAGES))

    assert (
        "---\n"
        "id: evt-20261130-x2m9ta\n"
        "kind: event\n"
        "title: The project uses pnpm\n"
        "event_type: decision\n"
        "status: occurred\n"
        "mentioned_at: 2026-11-30T11:52:10Z\n"
        "happened_start: 2026-11-30\n"
        "happened_end:\n"
        "precision: day\n"
        "basis: relative\n"
        "original_text: from today on\n"
        "participants: [jo]\n"
        "source_block: blk-20261130-7f3akq\n"
        "source_messages: [m3]\n"
        "supersedes: []\n"
        "conflicts_with: []\n"
        "criticality: preference\n"
        "confidence: 0.9\n"
        "pinned: false\n"
        "---\n"
        "Jo asked to use pnpm instead of npm.\n"
        '> "Use pnpm for this project from today on."\n'
    ) == card.data.decode()


def test_a_card_needs_a_title_and_evidence_only_and_guesses_nothing() -> None:
    event = records.parse_event({"title": "T", "source_messages": ["m2"]}, BLOCK, MESSAGES)

    assert ("", "", "", "unknown", "unknown", "unknown", None) == (event.mentioned_at, event.happened_start, event.happened_end, event.precision, event.basis, event.status, event.confidence)
    assert "routine" == event.criticality
    assert b"confidence:\n" in records.event_document(EVENT, event).data


def test_it_was_mentioned_when_the_earliest_cited_message_was_said() -> None:
    event = records.parse_event({"title": "T", "source_messages": ["m3", "m2", "m1"]}, BLOCK, MESSAGES)

    assert "2026-11-30T12:50:02+01:00" == event.mentioned_at
    assert "2026-11" == records.parse_event({"title": "T", "source_messages": ["m3"], "mentioned_at": "2026-11"}, BLOCK, MESSAGES).mentioned_at


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"title": ""}, "title"),
        ({"title": "t" * 121}, "title"),
        ({"event_type": "t" * 41}, "event_type"),
        ({"status": "done"}, "status"),
        ({"basis": "guess"}, "basis"),
        ({"criticality": "high"}, "criticality"),
        ({"precision": "decade"}, "precision"),
        ({"mentioned_at": "yesterday"}, "mentioned_at"),
        ({"happened_start": "2026-02-30"}, "happened_start"),
        ({"happened_start": 2026}, "happened_start"),
        ({"happened_end": "2026-11-29"}, "happened_end is before"),
        ({"happened_start": "2026-11-30T10:00Z", "happened_end": "2026-11-30T10:00:00+01:00"}, "happened_end is before"),
        ({"precision": "instant"}, "precision"),
        ({"precision": "month"}, "precision"),
        ({"precision": "unknown"}, "precision"),
        ({"happened_start": "2026-11", "precision": "day"}, "precision"),
        ({"happened_start": "", "precision": "day"}, "precision"),
        ({"happened_end": "2026-12-30", "precision": "week"}, "precision"),
        ({"original_text": "o" * 301}, "original_text"),
        ({"participants": "jo"}, "participants"),
        ({"participants": [1]}, r"participants\[1\]"),
        ({"source_block": "blk-20261130-zzzzzz"}, "source_block"),
        ({"source_messages": "m3"}, "source_messages"),
        ({"supersedes": ["blk-20261130-7f3akq"]}, "supersedes"),
        ({"conflicts_with": ["evt-1"]}, "conflicts_with"),
        ({"confidence": 1.01}, "confidence"),
        ({"confidence": -0.1}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"confidence": "0.9"}, "confidence"),
        ({"pinned": "yes"}, "pinned"),
        ({"narrative": "n" * 4_001}, "narrative"),
        ({"narrative": "half \udc00"}, "narrative"),
        ({"quotes": "Use pnpm"}, "quotes"),
        ({"quotes": [""]}, r"quotes\[1\]"),
        ({"id": EVENT}, "id"),
    ],
)
def test_a_faulty_card_is_malformed_by_field(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(Malformed, match=fault):
        records.parse_event(CARD | change, BLOCK, MESSAGES)


@pytest.mark.parametrize(
    ("start", "end", "precision"),
    [
        ("2026-11-30T10:00Z", "", "instant"), ("2026-11-30", "2026-11-30", "day"), ("2026-11-23", "", "week"), ("2026-11-23", "2026-11-29", "week"),
        ("2026-11", "", "month"), ("2026-11-01", "2026-11-30", "month"), ("2026", "", "year"), ("2026-01-01", "2026-12-31", "year"),
        ("2026-11-23", "2026-12-24", "range"), ("", "2026-12", "range"), ("2019", "", "range"), ("", "", "unknown"),
    ],
)  # fmt: skip
def test_dates_that_fit_their_precision_are_taken(start: str, end: str, precision: str) -> None:
    event = records.parse_event(CARD | {"happened_start": start, "happened_end": end, "precision": precision}, BLOCK, MESSAGES)

    assert (start, end, precision) == (event.happened_start, event.happened_end, event.precision)


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        ({"source_messages": []}, "no evidence"),
        ({"source_messages": None}, "no evidence"),
        ({"source_messages": ["m9"], "quotes": []}, "m9"),
        ({"quotes": ["Use yarn for this project"]}, "Use yarn"),
        ({"quotes": ["use pnpm for this project"]}, "use pnpm"),
        ({"quotes": ["Which package manager do we use?"]}, "Which package"),
        ({"source_messages": ["m1", "m3"], "quotes": ["do we use? Use pnpm"]}, "do we use"),
    ],
)
def test_a_card_without_true_evidence_is_refused(change: dict[str, Any], doubt: str) -> None:
    with pytest.raises(Refused, match=doubt) as refusal:
        records.parse_event(CARD | change, BLOCK, MESSAGES)

    assert (16, BLOCK) == (refusal.value.exit_code, refusal.value.ref)


def test_every_fault_and_doubt_of_a_card_is_named_at_once() -> None:
    with pytest.raises(Malformed) as refusal:
        records.parse_event(CARD | {"title": "", "confidence": 2, "mood": 1, "source_messages": ["m3", "m9"], "quotes": ["Use yarn"]}, BLOCK, MESSAGES)
    with pytest.raises(Refused) as doubts:
        records.parse_event(CARD | {"source_messages": ["m3", "m8", "m9"], "quotes": ["Use yarn", "Use pnpm"]}, BLOCK, MESSAGES)

    for field in ("title", "confidence", "mood", "m9", "Use yarn"):
        assert field in refusal.value.message
    assert "m8" in doubts.value.message and "m9" in doubts.value.message and "Use yarn" in doubts.value.message
    assert "Use pnpm" not in doubts.value.message


def test_the_source_block_may_be_repeated_or_abbreviated() -> None:
    for claimed in (BLOCK, "blk-20261130-7f"):
        assert BLOCK == records.parse_event(CARD | {"source_block": claimed}, BLOCK, MESSAGES).source_block


def test_an_unpaired_narrative_cannot_pass_for_a_quote() -> None:
    event = records.parse_event(CARD | {"narrative": 'Jo wrote:\n> "Use yarn"', "quotes": []}, BLOCK, MESSAGES)

    read = records.event_of(records.event_document(EVENT, event))

    assert () == read.quotes
    assert event.narrative == read.narrative


line = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20) | st.sampled_from(['> "a"', "> a", "\\> a", "\\\\> a", "", "---", "# h"])


@settings(deadline=None)
@given(st.lists(line, max_size=4).map("\n".join), st.lists(line.map(evidence.one_line).filter(bool), max_size=3).map(tuple), st.none() | st.floats(0, 1))
def test_any_card_survives_its_file(narrative: str, quotes: tuple[str, ...], confidence: float | None) -> None:
    event = records.parse_event({"title": "T", "source_messages": ["m1"]}, BLOCK, MESSAGES)
    event = event._replace(narrative=narrative, quotes=quotes, confidence=confidence, id=EVENT)

    assert event == records.event_of(Document.parse(records.event_document(EVENT, event).data))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["m1", "2026", "x" * 700, "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*CARD, "tags", "summary", "keypoints", "nonsense"]), inner, max_size=4),
    max_leaves=8,
)


@settings(deadline=None)
@given(json_values | st.dictionaries(st.sampled_from([*CARD, "precision", "happened_end", "keypoints"]), json_values, max_size=6))
def test_no_supplied_json_does_anything_but_pass_or_be_refused(value: object) -> None:
    for parse in (lambda: records.parse_summary(value, {"m1"}), lambda: records.parse_event(value, BLOCK, MESSAGES)):
        try:
            parsed = parse()
        except StrataError as refusal:
            assert isinstance(refusal, Malformed | Refused)
            refusal.message.encode("utf-8")
        else:
            assert parsed.title
            if isinstance(parsed, Event):
                assert parsed == records.event_of(records.event_document("", parsed))


@pytest.mark.parametrize(("old", "new"), [(b"kind: event", b"kind: block"), (b"confidence: 0.9", b"confidence: high"), (b"confidence: 0.9", b"confidence: 3")])
def test_a_file_that_is_no_card_is_malformed(old: bytes, new: bytes) -> None:
    data = records.event_document(EVENT, records.parse_event(CARD, BLOCK, MESSAGES)).data

    with pytest.raises(Malformed):
        records.event_of(Document.parse(data.replace(old, new)), "active/e.md")


def test_a_header_that_cannot_be_read_is_malformed_for_every_kind() -> None:
    broken = Document.parse(b"---\nid: a\nkind: [event\n---\nx\n", "active/e.md")

    for read in (records.block_of, records.event_of, records.entity_of):
        with pytest.raises(Malformed) as refusal:
            read(broken, "active/e.md")
        assert refusal.value is broken.problem


# Evidence


def test_a_quote_stands_in_the_text_of_one_message_and_not_in_its_tools() -> None:
    message = Message("m1", "assistant", "Tests\n\n  pass.", tools=(ToolCall("pytest", None, "3 failed"),))

    assert ("3 failed", "tests pass") == evidence.unfounded(["Tests pass.", "3 failed", "tests pass"], [message])
    assert ("a", "b") == evidence.strangers(["a", "m1", "b", "a"], [message])


# Entities and notes


def test_an_entity_and_a_note_come_back() -> None:
    entity = records.Entity("ent-person-dorothea", "person", "Dorothea", ("Doro",), "Lives in Lyon.\n")
    note = records.Note("notes/a", "# Plan\n", "Plan", ("x",), "2026-05-20", True)

    assert entity == records.entity_of(records.entity_document(entity))
    assert note == records.note_of(records.note_document(note), "notes/a")
    assert b"---\nid: ent-person-dorothea\nkind: entity\ntype: person\nname: Dorothea\naliases: [Doro]\n---\nLives in Lyon.\n" == records.entity_document(entity).data
    assert b"just text\n" == records.note_document(records.Note("notes/b", "just text\n")).data


# Names


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"---\ntitle: 'Re: pump'\n---\n# Other\n", "Re: pump"),
        (b"---\nname: Dorothea\n---\n", "Dorothea"),
        (b"---\ntitle: ''\n---\nintro\n\n```\n# no\n```\n## The heading ##\n", "The heading"),
        (b"\n- buy two bags of lime\nmore", "buy two bags of lime"),
        (b"\xef\xbb\xbfplain\n", "plain"),
        (b"***\n---\n\xff\n", "plan"),
        (b"...\n", "plan"),
        (b"", "plan"),
        ("日本語ドキュメント".encode(), "日本語ドキュメント"),
        (b"word " * 40, "word " * 15 + "word…"),
        (b"word  " * 20_000, "word " * 15 + "word…"),
        (b"x" * 100_000, "x" * 79 + "…"),
    ],
)
def test_a_title_is_found_for_any_document(data: bytes, title: str) -> None:
    assert title == records.title_of(Document.parse(data), "active/notes/plan.md")


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Pump plan!", "pump-plan"), ("Trip to Zürich & Łódź", "trip-to-zurich-lodz"), ("日本語 API guide", "api-guide"), ("日本語ドキュメント", ""), ("🎉", ""), ("...", ""),
        ("", ""), ("10:30 call", "10-30-call"), ("a\\b/../c", "a-b-c"), ("Don't", "dont"), ("straße", "strasse"), ("ＡＢＣ", "abc"), ("--x--", "x"), ("\x00.md", "md"),
    ],
)  # fmt: skip
def test_a_slug_is_plain_ascii(text: str, slug: str) -> None:
    assert slug == records.slug(text)


def test_a_long_slug_ends_with_a_word() -> None:
    assert "aaaa-bbbb" == records.slug("aaaa bbbb cccc", limit=12)
    assert "aaaa-bbbb" == records.slug("aaaa bbbb cccc", limit=9)
    assert "a" * 60 == records.slug("a" * 300)
    assert "a" == records.slug("a b", limit=2)


@settings(deadline=None)
@given(st.text(), st.integers(1, 40))
def test_no_slug_leaves_its_alphabet_or_its_limit(text: str, limit: int) -> None:
    slug = records.slug(text, limit)

    assert len(slug) <= limit
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert slug == slug.strip("-") and "--" not in slug


@settings(deadline=None)
@given(st.binary(min_size=8, max_size=8))
def test_an_id_has_no_look_alikes_and_no_part_that_reads_as_a_number(random: bytes) -> None:
    ident = records.new_id("blk", "2026-11-30", lambda size: random[:size])
    six = ident.rpartition("-")[2]

    assert records.is_id(ident)
    assert 6 == len(six) and not set(six) & set("01ilo")
    with pytest.raises(ValueError):
        float(six)
    with pytest.raises(ValueError):
        int(six, 0)
    assert ident == Document.parse(Document.new({"id": ident}, b"").data).text("id")


def test_ids_differ_and_may_leave_the_day_out() -> None:
    assert 2_000 == len({records.new_id("blk", "2026-11-30", os.urandom) for _ in range(2_000)})
    assert ["note", 6] == [part if part == "note" else len(part) for part in records.new_id("note", "", os.urandom).split("-")]


@pytest.mark.parametrize("day", ["2026-02-30", "2026", "20261130", "2026-11-30T10:00"])
def test_an_id_needs_a_day_that_exists(day: str) -> None:
    with pytest.raises(Malformed, match="day"):
        records.new_id("blk", day, os.urandom)


@pytest.mark.parametrize(("text", "is_one"), [(BLOCK, True), (EVENT, True), ("ent-person-dorothea", True), ("ent-person", False), ("../../x", False), ("blk-20261130-7f3ak1", False), ("blk-20261130-7f3akq\n", False), ("BLK-20261130-7f3akq", False), ("blk-2026113-7f3akqq", False), ("", False), ("ent-a-" + "x" * 200, False)])
def test_only_minted_forms_are_ids(text: str, is_one: bool) -> None:
    assert is_one is records.is_id(text)
