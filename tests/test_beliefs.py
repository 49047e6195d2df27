"""What two commits believe differently is told fact by fact, from the files that differ and no others."""

from __future__ import annotations

import pytest
from command import Run, run  # noqa: F401
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import git

from strata import Memory
from strata.beliefs import CHANGES, facts_changed
from strata.errors import NotFound, UsageError
from strata.graph import Fact, ordered
from strata.model import Message
from strata.portrait import Portrait


@pytest.fixture
def block(memory: Memory) -> str:
    """The one block that all cards rest on; nothing is derived from it."""
    memory.config_set("extract", "off")
    memory.append([("main", Message("m1", "user", "We talked about everybody.", at="2026-05-20T10:00:00Z"))])
    return memory.seal("main", everything=True)[0].ref


def told(memory: Memory, block: str, value: str, *, name: str = "Jo", key: str = "lives in", mode: str = "state", since: str = "", **more: object) -> str:
    claim = {"type": "person", "name": name, "mode": mode, "key": key, "value": value, **({"valid_from": since} if since else {})}
    return memory.record({"title": f"{name} {key} {value}", "source_block": block, "source_messages": ["m1"], "facts": [claim], **more}).ref


def changes(memory: Memory, span: str | None = None, entity: str = "") -> list[tuple[str, str, str]]:
    return [(each.change, each.name, each.fact.value) for each in memory.beliefs(span, entity).facts]


def test_a_new_fact_closes_the_one_it_replaces(memory: Memory, block: str) -> None:
    told(memory, block, "Lisbon", since="2020")
    told(memory, block, "Berlin", since="2026-03")

    found = memory.beliefs()

    assert [("added", "Jo", "Berlin"), ("closed", "Jo", "Lisbon")] == changes(memory)
    closed = found.facts[1]
    assert ("", "2026-03") == (closed.before.valid_to, closed.fact.valid_to)  # type: ignore[union-attr]
    assert [("added", "Jo", "Lisbon"), ("added", "Jo", "Berlin")] == changes(memory, "HEAD~2..HEAD")
    assert [("reopened", "Jo", "Lisbon"), ("gone", "Jo", "Berlin")] == changes(memory, "HEAD..HEAD~1")


def test_a_contradiction_disputes_and_a_correction_retracts(memory: Memory, block: str) -> None:
    old = told(memory, block, "Lisbon")
    new = told(memory, block, "Porto", conflicts_with=[old])

    assert [("disputed", "Jo", "Lisbon"), ("disputed", "Jo", "Porto")] == changes(memory)
    assert [("contradicted", old, new)] == [(each.change, each.ref, each.by) for each in memory.beliefs().events]

    last = told(memory, block, "Faro", event_type="correction", supersedes=[old, new])

    assert {("added", "Jo", "Faro"), ("retracted", "Jo", "Lisbon"), ("retracted", "Jo", "Porto")} == set(changes(memory))
    assert {("superseded", old, last), ("superseded", new, last)} == {(each.change, each.ref, each.by) for each in memory.beliefs().events}


def test_a_second_event_confirms_and_a_date_changes(memory: Memory, block: str) -> None:
    told(memory, block, "Lisbon", since="2020")
    told(memory, block, "Lisbon", since="2020")
    assert [("confirmed", "Jo", "Lisbon")] == changes(memory)

    told(memory, block, "Lisbon", since="2018")
    assert [("changed", "Jo", "Lisbon")] == changes(memory)


def test_what_is_forgotten_is_gone_and_comes_back(memory: Memory, block: str) -> None:
    ref = told(memory, block, "Lisbon")
    memory.forget([ref])
    assert [("gone", "Jo", "Lisbon")] == changes(memory)
    assert [("forgotten", ref)] == [(each.change, each.ref) for each in memory.beliefs().events]

    memory.restore([ref])
    assert [("added", "Jo", "Lisbon")] == changes(memory)
    assert [("restored", ref)] == [(each.change, each.ref) for each in memory.beliefs().events]


def test_what_a_person_takes_out_is_withdrawn(memory: Memory, block: str) -> None:
    told(memory, block, "Lisbon")
    told(memory, block, "tea", key="likes", mode="set")
    place = memory.root / "active/entities/person/jo.md"
    place.write_text("".join(line for line in place.read_text("utf-8").splitlines(keepends=True) if "Lisbon" not in line), "utf-8", newline="")
    told(memory, block, "rain", key="likes", mode="set")

    assert {("added", "Jo", "rain"), ("withdrawn", "Jo", "Lisbon")} == set(changes(memory, "HEAD~2..HEAD"))


def test_a_line_that_a_person_deleted_is_withdrawn_before_strata_writes_to_the_file_again(memory: Memory, block: str) -> None:
    told(memory, block, "Lisbon")
    told(memory, block, "tea", key="likes", mode="set")
    place = memory.root / "active/entities/person/jo.md"
    place.write_text("".join(line for line in place.read_text("utf-8").splitlines(keepends=True) if "Lisbon" not in line), "utf-8", newline="")
    memory.add("other", "Adopts the edit.")

    assert [("withdrawn", "Jo", "Lisbon")] == changes(memory, "HEAD~2..HEAD")


def test_a_move_between_tiers_and_an_edit_of_other_text_change_no_belief(memory: Memory, block: str) -> None:
    ref = told(memory, block, "Lisbon")
    memory.archive(["ent-person-jo", ref])
    assert [] == changes(memory) and () == memory.beliefs().events

    place = memory.root / "archive/entities/person/jo.md"
    place.write_text(place.read_text("utf-8") + "\nMy own words.\n", "utf-8", newline="")
    memory.add("other", "Adopts the edit.")
    assert [] == changes(memory, "HEAD~2..HEAD")


def test_a_merge_moves_facts_and_takes_none_away(memory: Memory, block: str) -> None:
    told(memory, block, "Lisbon")
    told(memory, block, "the cello", name="Johanna", key="plays", mode="set")
    memory.entity_merge("ent-person-jo", "ent-person-johanna")

    (moved,) = memory.beliefs().facts
    assert ("moved", "ent-person-jo", "ent-person-johanna", "the cello") == (moved.change, moved.ref, moved.source, moved.fact.value)


def test_only_one_entity_when_one_is_named(memory: Memory, block: str) -> None:
    old = told(memory, block, "Lisbon")
    told(memory, block, "Rome", name="Mika")
    new = told(memory, block, "Berlin", supersedes=[old])

    assert {"Jo"} == {name for _, name, _ in changes(memory, "HEAD~3..HEAD", "Jo")}
    assert {"Jo", "Mika"} == {name for _, name, _ in changes(memory, "HEAD~3..HEAD")}
    assert [new] == [each.by for each in memory.beliefs("HEAD~3..", "ent-person-jo").events]
    assert () == memory.beliefs("HEAD~3..", "mika").events
    with pytest.raises(NotFound):
        memory.beliefs("HEAD~3..HEAD", "nobody")


def test_dates_are_ends_too_and_a_word_is_none(memory: Memory, block: str) -> None:
    told(memory, block, "Lisbon")

    assert memory.beliefs("2026-11-30..HEAD").facts == ()
    with pytest.raises(UsageError):
        memory.beliefs("HEAD")
    with pytest.raises(NotFound):
        memory.beliefs("HEAD..2001")
    assert ("", ["added"]) == (memory.beliefs("2001..HEAD").start, [each.change for each in memory.beliefs("2001..HEAD").facts])
    first = git(memory.root, "rev-list", "--max-parents=0", "HEAD").strip()
    git(memory.root, "checkout", "-q", "--detach", first)
    assert ((), "") == (memory.beliefs().facts, memory.beliefs().start)


def test_a_file_that_cannot_be_read_is_named_and_stops_nothing(memory: Memory, block: str) -> None:
    told(memory, block, "Lisbon")
    (memory.root / "active/entities/person/bad.md").write_text("---\nid: [\n---\n", "utf-8")
    (memory.root / "active/events/2026/05/evt-20260520-zzzzzz.md").write_text("---\nsupersedes: {\n---\n", "utf-8")
    told(memory, block, "Berlin")

    assert ("added", "Jo", "Berlin") in changes(memory, "HEAD~2..HEAD")
    assert any("bad.md" in warning for warning in memory.warnings)


def test_the_command_aligns_what_it_prints(run: Run, memory: Memory, block: str) -> None:  # noqa: F811
    told(memory, block, "Lisbon", since="2020")
    told(memory, block, "Berlin", since="2026-03")

    done = run("diff", "--beliefs", "HEAD~1..HEAD")
    rows = [line for line in done.out.splitlines() if "lives in" in line]

    assert 2 == len(rows) and 1 == len({row.index("lives in") for row in rows})
    assert run("diff", "--beliefs").out == done.out
    assert ["added", "closed"] == [fact["change"] for fact in run("diff", "Jo", "HEAD~1..HEAD", "--beliefs", "--json").json()[0]["facts"]]
    assert "Nothing that is believed changed." in run("diff", "--beliefs", "HEAD..HEAD").out
    for words in (["HEAD..HEAD"], ["Jo", "HEAD..HEAD"]):
        assert [[], []] == [found[key] for found in run("diff", "--beliefs", *words, "--json").json() for key in ("facts", "events")]


def test_a_revision_alone_is_no_entity_and_says_what_is_missing(run: Run, memory: Memory, block: str) -> None:  # noqa: F811
    told(memory, block, "Lisbon")
    alone, nobody = run("diff", "--beliefs", "HEAD~1"), run("diff", "--beliefs", "nobody")

    assert 2 == alone.code and "strata diff --beliefs HEAD~1.." in alone.err
    assert 11 == nobody.code and "there is no entity 'nobody'" in nobody.err
    assert 0 == run("diff", "--beliefs", "HEAD~1..").code


VALUES = st.sampled_from(("Lisbon", "Berlin", "Rome"))
FACTS = st.builds(
    Fact,
    key=st.sampled_from(("lives in", "likes")),
    mode=st.sampled_from(("state", "set")),
    value=VALUES,
    target=st.just(""),
    valid_to=st.sampled_from(("", "2026-05")),
    said=st.just(""),
    confidence=st.sampled_from((None, 0.5)),
    twin=st.just(0),
    valid_from=st.sampled_from(("", "2020", "2026-03")),
    events=st.sampled_from((("evt-20260101-aaaaaa",), ("evt-20260101-aaaaaa", "evt-20260102-bbbbbb"), ("evt-20260102-bbbbbb",))),
    status=st.sampled_from(("current", "closed", "disputed", "planned", "retracted")),
)
SIDES = st.dictionaries(st.sampled_from(("ent-person-jo", "ent-person-mika")), st.lists(FACTS, max_size=4)).map(
    lambda found: {ref: Portrait(ref, "person", ref[11:], facts=ordered(facts)) for ref, facts in found.items()}
)


@settings(max_examples=300)
@given(SIDES)
def test_nothing_changed_between_a_memory_and_itself(side: dict[str, Portrait]) -> None:
    assert [] == facts_changed(side, side)


@settings(max_examples=600)
@given(SIDES, SIDES)
def test_the_changes_make_the_one_side_into_the_other(before: dict[str, Portrait], after: dict[str, Portrait]) -> None:
    found = facts_changed(before, after)

    sides = [{(ref, fact.id) for ref, seen in side.items() for fact in seen.facts} for side in (before, after)]
    taken = {(each.source or each.ref, each.before.id) for each in found if each.before}
    given_ = {(each.ref, each.fact.id) for each in found if each.change not in ("gone", "withdrawn")}
    assert (sides[0] - taken) | given_ == sides[1]
    assert all(each.change in CHANGES for each in found)
