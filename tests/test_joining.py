"""Two clones that derive of one person merge without a conflict, and their entities follow from the cards of both."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracle import assert_sound, git

from strata import Memory, portrait
from strata.document import Document
from strata.model import Message

WHO = ("-c", "user.name=Jo", "-c", "user.email=jo@example.org")
JO = "active/entities/person/jo.md"


def told(memory: Memory, text: str, fact: dict[str, str], day: str) -> None:
    """A block, and a card of it that says something of Jo."""
    name = f"{memory.root.name}-{day}"
    memory.append([(memory.root.name, Message(name, "user", text, "Jo", f"2026-06-{day}T09:00:00Z"))])
    block = memory.seal(memory.root.name, everything=True)[0].ref
    claim = {"type": "person", "name": "Jo", "mode": "state", "key": "lives in"} | fact
    memory.record({"title": text, "source_block": block, "source_messages": [name], "facts": [claim]})


@pytest.fixture
def clones(tmp_path: Path, clock, new_id) -> tuple[Memory, Memory]:  # type: ignore[no-untyped-def]
    """Two clones of a memory in which Jo has a file."""
    options = {"now": clock, "new_id": new_id, "key": b"k" * 32}
    first = Memory.init(tmp_path / "first", **options)
    told(first, "Jo lives in Lisbon.", {"value": "Lisbon", "valid_from": "2020"}, "01")
    git(tmp_path, "clone", "-q", str(first.root), "second")
    return first, Memory.open(tmp_path / "second", **options)


def apart(first: Memory, second: Memory) -> None:
    """Each hears of another move."""
    told(first, "Jo moved to Berlin.", {"value": "Berlin", "valid_from": "2023"}, "10")
    told(second, "Jo moved to Porto.", {"value": "Porto", "valid_from": "2025"}, "11")


def pull(into: Memory, other: Memory) -> str:
    return git(into.root, *WHO, "pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main", check=False)


def test_a_merge_has_no_conflict_and_the_next_write_lets_the_entity_follow(clones: tuple[Memory, Memory]) -> None:
    first, second = clones
    apart(first, second)
    pull(second, first)

    assert "" == git(second.root, "status", "--porcelain")
    assert {"Berlin", "Lisbon", "Porto"} == {fact.value for fact in portrait.read(Document.parse((second.root / JO).read_bytes(), JO)).facts}
    second.add("notes/after", "Something else.")
    shown = second.graph_show("Jo")
    assert ["Porto"] == [fact.value for fact in shown.now]
    assert {("Lisbon", "2023"), ("Berlin", "2025")} == {(fact.value, fact.valid_to) for fact in shown.earlier}
    assert not (second.root / ".strata/joined").exists()
    before = (second.root / JO).read_bytes()
    second.graph_rebuild()
    assert before == (second.root / JO).read_bytes()
    assert_sound(second.root)


def test_what_a_person_wrote_on_either_side_stays(clones: tuple[Memory, Memory]) -> None:
    first, second = clones
    apart(first, second)
    for memory, line in ((first, "Has a boat.\n"), (second, "Hates boats.\n")):
        place = memory.root / JO
        place.write_text(place.read_text("utf-8") + line, "utf-8")
        memory.add(f"notes/edit-{memory.root.name}", "An edit was made.")
    pull(second, first)
    second.add("notes/after", "Something else.")
    text = (second.root / JO).read_text("utf-8")

    assert "Has a boat." in text and "Hates boats." in text and "<<<<" not in text
    assert_sound(second.root)


def test_text_of_one_side_alone_is_taken(clones: tuple[Memory, Memory]) -> None:
    first, second = clones
    apart(first, second)
    place = first.root / JO
    place.write_text(place.read_text("utf-8") + "Has a boat.\n", "utf-8")
    first.entity_alias("Jo", add=["Johanna"])
    pull(second, first)

    assert "Has a boat." in (second.root / JO).read_text("utf-8")
    assert "ent-person-jo" == second.graph_show("johanna").ref


def test_a_section_that_somebody_edited_is_left_to_them(clones: tuple[Memory, Memory]) -> None:
    first, second = clones
    apart(first, second)
    place = first.root / JO
    place.write_text(place.read_text("utf-8").replace("Berlin", "Bonn"), "utf-8")
    git(first.root, *WHO, "commit", "-qam", "by hand")
    pull(second, first)

    assert f"AA {JO}" in git(second.root, "status", "--porcelain") or f"UU {JO}" in git(second.root, "status", "--porcelain")


def test_a_driver_that_moved_is_renewed_and_one_of_a_person_stays(clones: tuple[Memory, Memory]) -> None:
    first, second = clones
    git(first.root, "config", "merge.strata.driver", "'/old/python' -m strata.joindriver %O %A %B %P")
    git(second.root, "config", "merge.strata.driver", "mine %A %B")
    for memory in clones:
        with Memory.open(memory.root, key=b"k" * 32) as again:
            again.add("notes/x", "x")

    assert "/old/python" not in git(first.root, "config", "merge.strata.driver")
    assert "mine %A %B" == git(second.root, "config", "merge.strata.driver").strip()
