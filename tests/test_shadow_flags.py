"""What a header says of its record is in the index: described, pinned, forgotten."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shadow_entries import KEY, from_json, message, note, refs, shadow, write
from strata import Memory
from strata.entries import entries
from strata.model import Message, Summary
from strata.records import seal_block
from strata.shadow import Shadow

SEALED = seal_block("blk-20261130-aaaaaa", "main", 1, 1, [Message("m1", "user", "Use pnpm")], "2026-11-30T12:00:00Z", Summary("Tools", (), "Jo asked\n  for pnpm.")).data


def about(path: str, text: str) -> str:
    return entries(path, text.encode())[-1].about


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Plan\n\nShip on *Friday*.\n", "Ship on *Friday*."),
        ("# Plan\n\n## Why\n\n- **Because** of `x`\n", "Because of x"),
        ("---\ntitle: Plan\n---\nPlan\n\nShip  on\tFriday.", "Ship on Friday."),
        ("---\ntitle: Ship\n---\nShipping is hard.", "Shipping is hard."),
        ("Ship on Friday.\n\nOr later.", "Or later."),
        ("Ship on Friday.", ""),
        ("x" * 150, ""),
        ("# A\n\n***\n\n```\ncode here\n```\n| a | b |\n<!-- no -->\n> quoted", "quoted"),
        ("# A\n~~~\n```\nstill code\n~~~\ntext", "text"),
        ("# A\n\n" + "word " * 100, "word " * 23 + "word…"),
        ("# A\n\n" + "字" * 300, "字" * 119 + "…"),
        ("", ""),
        ("---\ntitle: [bad\n---\nnever a header", ""),
    ],
)
def test_a_note_is_described_by_its_first_line_of_prose(text: str, expected: str) -> None:
    assert expected == about("active/notes/a.md", text)


def test_blocks_events_and_entities_are_described_and_messages_are_not() -> None:
    messages = entries("active/blocks/2026/11/b.md", SEALED)

    assert ["", "Jo asked for pnpm."] == [entry.about for entry in messages]
    assert "Jo asked to use pnpm." == about("active/events/2026/11/e.md", "---\nkind: event\ntitle: T\n---\n\n  Jo asked to\tuse pnpm.\n> quote")
    assert "Lives in Rome." == about("active/entities/person/jo.md", "---\nname: Jo\n---\n# Jo\n\nLives in Rome.")


@given(st.text(max_size=400))
def test_a_description_is_one_short_line(text: str) -> None:
    said = about("active/notes/a.md", "# T\n\n" + text)

    assert len(said) <= 120
    assert " ".join(said.split()) == said


@pytest.mark.parametrize(
    ("header", "flags"),
    [
        ("pinned: true", (True, False)),
        ("pinned: no", (False, False)),
        ("forgotten_at: 2026-11-30T12:00:00Z", (False, True)),
        ("forgotten_at:", (False, False)),
        ("pinned: yes\nforgotten_at: 2026-11-30", (True, True)),
    ],
)
def test_a_header_marks_every_entry_of_its_file(header: str, flags: tuple[bool, bool]) -> None:
    data = SEALED.replace(b"kind: block\n", f"kind: block\n{header}\n".encode())
    found = entries("active/blocks/2026/11/b.md", data)

    assert 2 == len(found)
    assert {flags} == {(entry.pinned, entry.forgotten) for entry in found}


def test_a_hit_and_a_row_carry_what_the_header_says(tmp_path: Path) -> None:
    found = shadow(tmp_path / "index", [note("active/notes/a.md", "apple", about="All of it.", pinned=True)])

    assert [("All of it.", True, False)] == [(hit.about, hit.pinned, hit.forgotten) for hit in found.search("apple")]
    assert found.search("apple")[0]._replace(score=0.0, terms=()) == next(found.entries())


@pytest.mark.parametrize("field", ["title", "speaker", "about"])
def test_a_field_that_is_no_text_is_refused(tmp_path: Path, field: str) -> None:
    found = shadow(tmp_path / "index")
    with pytest.raises(TypeError, match="no text"):
        found.update({"active/a.md": [note("active/a.md", "apple", **{field: 2026})]}, {})

    assert [] == list(found.entries())


def test_what_is_forgotten_is_hidden_until_asked_for_and_still_known(tmp_path: Path) -> None:
    block = "archive/blocks/b.md"
    found = shadow(tmp_path / "index", [note("active/a.md", "apple"), note("cooled/b.md", "apple", forgotten=True), message(block, 1, "apple", thread="t", forgotten=True)])

    assert ["a"] == refs(found.search("apple")) == refs(found.entries())
    assert {"b", f"{block}#m1"} == set(refs(found.search("apple", forgotten=True))) == set(refs(found.entries(forgotten=True)))
    assert 3 == len(found.search("apple", forgotten=None)) == len(list(found.entries(forgotten=None)))
    assert [f"{block}#m1"] == refs(found.search("apple", forgotten=True, tiers=["archive"]))
    assert ["b"] == refs(found.find("b"))
    assert ({"m1"}, {"m1"}) == (found.message_ids("t"), found.has_messages("t", ["m1"]))
    assert {"m1": {block}} == found.homes("t", ["m1"])
    found.update({"cooled/b.md": [note("cooled/b.md", "apple")]}, {})
    assert ["a", "b"] == refs(found.search("apple"))


def test_pinned_are_the_files_of_pinned_records(tmp_path: Path) -> None:
    found = shadow(tmp_path / "index", [note(f"active/{name}.md", "apple", pinned=name in "ab") for name in "abc"])
    found.update({"active/d.md": [message("active/d.md", number, "x", pinned=True) for number in range(3)]}, {})

    assert {"active/a.md", "active/b.md"} == found.pinned()
    found.update({"active/a.md": [note("active/a.md", "apple")], "active/b.md": None, "archive/b.md": [note("archive/b.md", "apple", pinned=True)]}, {})
    assert {"archive/b.md"} == found.pinned()
    found.optimize()
    assert {"archive/b.md"} == found.pinned()


FLAGS = st.tuples(st.sampled_from("abcdef"), st.sampled_from(["active", "cooled", "archive"]), st.booleans(), st.booleans())


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(FLAGS, max_size=4), min_size=1, max_size=12), st.booleans())
def test_flags_survive_any_history_of_updates(history: list[list[tuple[str, str, bool, bool]]], merge: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        grown = shadow(root / "grown")
        now = {}
        for step in history:
            changes = {f"{tier}/{name}.md": [note(f"{tier}/{name}.md", "apple", pinned=pinned, forgotten=forgotten)] for name, tier, pinned, forgotten in step}
            grown.update(changes, {})
            now |= changes
        if merge:
            grown.optimize()
        fresh = Shadow(root / "fresh", KEY)
        fresh.rebuild(root, write(root, now), {}, entries=from_json)

        for found in (grown, fresh):
            assert {path for path, (entry,) in now.items() if entry.pinned} == found.pinned()
            for forgotten in (True, False):
                expected = {path for path, (entry,) in now.items() if entry.forgotten == forgotten}
                assert expected == {hit.path for hit in found.search("apple", limit=50, forgotten=forgotten)}
                assert expected == {hit.path for hit in found.entries(forgotten=forgotten)}


def test_a_note_marked_by_hand_is_hidden_from_the_next_search(memory: Memory) -> None:
    memory.add("notes/a", "apple pie")
    memory.add("notes/b", "apple cake")
    place = memory.root / "active/notes/a.md"
    place.write_bytes(place.read_bytes().replace(b"---\n", b"---\nforgotten_at: 2026-11-30T12:00:00Z\n", 1))

    assert ["notes/b"] == refs(memory.search("apple"))
    assert ["notes/b"] == refs(memory.list())


def test_a_note_forgotten_behind_the_back_of_the_index_is_not_shown(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a large resting tier an edit in place goes unseen; the hit is checked against its file all the same."""
    monkeypatch.setattr("strata.survey.SMALL", 0)
    place = memory.root / "archive/notes/a.md"
    place.parent.mkdir(parents=True)
    place.write_text("---\npinned: true\n---\napple pie", encoding="utf-8")
    memory.add("notes/b", "apple cake")
    time.sleep(0.1)  # until the look can tell old from new
    memory.search("apple")
    assert {"notes/a", "notes/b"} == set(refs(memory.search("apple")))
    with open(place, "r+", encoding="utf-8") as file:
        file.write("---\nforgotten_at: 2026-11-30\n---\napple pie")

    assert ["notes/a", "notes/b"] == sorted(refs(memory._store.shadow.search("apple")))
    assert ["notes/b"] == refs(memory.search("apple"))
