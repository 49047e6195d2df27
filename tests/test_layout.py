"""Refs and paths: where things lie, and what is never addressable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import layout
from strata.errors import OutsideMemory, StrataError, UsageError
from strata.model import Kind


@pytest.mark.parametrize("given_path", ["projects/kynd/plan", "notes/projects/kynd/plan", "notes/projects/kynd/plan.md", "active/notes/projects/kynd/plan", "cooled/projects/kynd/plan.md"])
def test_one_note_has_one_ref_however_it_is_named(given_path: str) -> None:
    assert layout.note_ref(given_path) == "notes/projects/kynd/plan"


@pytest.mark.parametrize(
    "hostile",
    [
        "../../.ssh/authorized_keys", "/etc/passwd", "..\\..\\x", "a/../../b", "%2e%2e/x", "a/%2E%2e/b", "active/../../store-evil/x", "x\x00.md",
        ".git/hooks/post-commit", ".GIT/config", "active/.strata/index", "", "a//b", "./a", "a/./b", "C:/windows/x", "c:evil", "~/x", "notes/.hidden/x", "x\ny", "\ud800",
        "a/...", "a/ /b", "..", "notes/..",
    ],
)  # fmt: skip
def test_what_could_leave_the_memory_is_refused(hostile: str) -> None:
    with pytest.raises(OutsideMemory):
        layout.note_ref(hostile)


@pytest.mark.parametrize("name", ["10:30 call", "CON", "con.txt", "why?", "notes.", "a*b", "lpt1", 'say "hi"', "a|b", "x" * 200, "가" * 40])
def test_names_that_not_every_system_takes_are_refused(name: str) -> None:
    with pytest.raises((UsageError, OutsideMemory)):
        layout.note_ref(name)


@given(st.text(max_size=40))
def test_a_note_ref_is_always_inside_and_stable(text: str) -> None:
    try:
        ref = layout.note_ref(text)
    except StrataError:
        return

    assert ref.startswith("notes/")
    assert layout.is_record(f"active/{ref}.md")
    assert layout.note_ref(ref) == ref
    assert layout.note_ref(f"archive/{ref}.md") == ref


@pytest.mark.parametrize(
    "leftover",
    [
        "active/.a.md.swp", "active/a.md~", "active/.#a.md", "active/a.md.tmp", "active/4913", "active/.DS_Store", "active/node_modules/x/README.md",
        "active/.obsidian/workspace.json", "active/.trash/b.md", "README.md", "notes/a.md", "active/a.md.orig", ".strata/a.md", "active/.strata-0123.tmp",
    ],
)  # fmt: skip
def test_leftovers_of_editors_and_tools_are_no_records(leftover: str) -> None:
    assert not layout.is_record(leftover)


def test_a_folder_says_the_kind_and_elsewhere_the_header() -> None:
    assert layout.kind_of("active/blocks/2026/11/blk-20261130-abcdef.md") == Kind.BLOCK
    assert layout.kind_of("cooled/notes/events/party.md") == Kind.NOTE
    assert layout.kind_of("active/loose.md", "event") == Kind.EVENT
    assert layout.kind_of("active/loose.md", "tail") == Kind.NOTE


def test_the_ref_of_a_record_says_its_place_in_each_tier() -> None:
    assert layout.record_path("blk-20261130-7f3akq") == "active/blocks/2026/11/blk-20261130-7f3akq.md"
    assert layout.record_path("evt-20260105-x2m9ta", "archive") == "archive/events/2026/01/evt-20260105-x2m9ta.md"
    assert layout.record_path("ent-person-dorothea", "cooled") == "cooled/entities/person/dorothea.md"
    assert layout.record_path("ent-../x") is None
    assert layout.record_path("notes/plan") is None


@pytest.mark.parametrize("one, other", [("Main", "main"), ("家", "旅"), ("a b", "a-b"), ("con", "con--x"), ("x" * 80, "x" * 81)])
def test_threads_never_share_a_tail(one: str, other: str) -> None:
    first, second = layout.tail_path(one), layout.tail_path(other)

    assert first.casefold() != second.casefold()
    assert first.isascii() and len(first.rpartition("/")[2]) <= layout.MAX_NAME_BYTES


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_threads_have_different_tails_on_every_file_system(one: str, other: str) -> None:
    assert (layout.tail_path(one).casefold() == layout.tail_path(other).casefold()) == (one == other)


@pytest.mark.parametrize("bad", ["../../x", "", "a/b", "-a", "a..b", "a b", "x" * 200, "a\n"])
def test_an_id_in_a_header_is_only_used_when_it_is_harmless(bad: str) -> None:
    assert not layout.is_id(bad)
