"""Entities follow from event cards, with each card as it comes: on real files and real git."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from command import Run, run  # noqa: F401
from oracle import assert_sound, git
from strata import Memory
from strata.document import Document
from strata.errors import AlreadyExists, NotFound, Refused
from strata.model import Message
from strata.factlines import facts_in
from strata.portrait import Portrait, read

JO, ACME = "active/entities/person/jo.md", "ent-organization-acme"


@pytest.fixture
def block(memory: Memory) -> str:
    """A block that cards may rest on."""
    memory.append([("main", Message(f"m{number}", "user", f"Turn {number}.", at=f"2026-0{number % 9 + 1}-15T10:00:00Z")) for number in range(12)])
    return memory.seal("main", everything=True)[0].ref


def card(block: str, *facts: dict[str, Any], day: str = "2026-05-20", **more: Any) -> dict[str, Any]:
    return {"title": "Something", "source_block": block, "source_messages": ["m1"], "mentioned_at": day, "facts": list(facts)} | more


def state(name: str, key: str, value: str, **more: Any) -> dict[str, Any]:
    return {"type": "person", "name": name, "mode": "state", "key": key, "value": value} | more


def portrait(memory: Memory, path: str = JO) -> Portrait:
    return read(Document.parse((memory.root / path).read_bytes(), path), path)


def known(memory: Memory, path: str = JO) -> list[tuple[str, str, str]]:
    return [(fact.key, fact.value, fact.status) for fact in portrait(memory, path).facts]


def entities(memory: Memory) -> dict[str, bytes]:
    return {path.relative_to(memory.root).as_posix(): path.read_bytes() for path in sorted(memory.root.glob("*/entities/*/*.md"))}


def assert_rebuilt(memory: Memory) -> None:
    """A rebuild finds nothing to do."""
    before = entities(memory)
    memory.graph_rebuild()
    assert before == entities(memory)


# -- cards become facts --------------------------------------------------------------------------


def test_a_recorded_card_is_in_the_entity_in_the_same_commit(memory: Memory, block: str) -> None:
    done = memory.record(card(block, state("Jo", "lives in", "Berlin", valid_from="2026-05")))

    assert [("lives in", "Berlin", "current")] == known(memory)
    assert JO in git(memory.root, "show", "--stat=200", "--format=", done.commit)
    assert f"- **lives in**: Berlin · since 2026-05 · [[{done.ref}]]" in (memory.root / JO).read_text("utf-8")
    assert_rebuilt(memory)
    assert_sound(memory.root)


def test_a_later_card_closes_what_was_true_before(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Lisbon", valid_from="2026-06"), day="2026-07-01"))
    memory.record(card(block, state("jo", "Lives in", "Berlin", valid_from="2025")))

    assert [("Lives in", "Berlin", "closed"), ("lives in", "Lisbon", "current")] == known(memory)
    assert_rebuilt(memory)


def test_a_card_that_corrects_another_takes_its_facts_back(memory: Memory, block: str) -> None:
    old = memory.record(card(block, state("Jo", "lives in", "Berlin")))
    memory.record(card(block, state("Jo", "lives in", "Bern"), supersedes=[old.ref], event_type="correction"))

    assert [("lives in", "Berlin", "retracted"), ("lives in", "Bern", "current")] == known(memory)
    assert_rebuilt(memory)


def test_a_card_that_contradicts_another_leaves_both_disputed(memory: Memory, block: str) -> None:
    old = memory.record(card(block, state("Jo", "lives in", "Berlin")))
    new = memory.record(card(block, state("Jo", "lives in", "Bern"), conflicts_with=[old.ref]))

    assert {"disputed"} == {status for *_, status in known(memory)}

    memory.record(card(block, supersedes=[old.ref], day="2026-06-01"))
    assert [("lives in", "Berlin", "closed"), ("lives in", "Bern", "current")] == known(memory), "the dispute is settled"
    memory.forget(new.ref)
    assert [("lives in", "Berlin", "closed")] == known(memory)
    assert_rebuilt(memory)


def test_forgetting_a_card_takes_what_it_said_out_and_restoring_brings_it_back(memory: Memory, block: str) -> None:
    done = memory.record(card(block, state("Jo", "lives in", "Berlin")))
    before = entities(memory)
    memory.forget(done.ref)

    assert {} == entities(memory), "nothing is left of an entity that nothing is said of"
    memory.restore(done.ref)
    assert before == entities(memory)
    assert_sound(memory.root)


def test_an_entity_that_rests_comes_back_to_be_written(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    memory.archive("ent-person-jo")
    memory.record(card(block, state("Jo", "likes", "tea")))

    assert [JO] == list(entities(memory))
    assert 2 == len(known(memory))
    assert_sound(memory.root)


# -- what a person writes ------------------------------------------------------------------------


def test_what_a_person_changes_in_the_section_is_kept_apart_and_stays(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin"), state("Jo", "likes", "tea")))
    text = (memory.root / JO).read_text("utf-8")
    lines = [line for line in text.split("\n") if "tea" not in line]
    lines.insert(lines.index("## Now") + 2, "- plays the oboe")
    (memory.root / JO).write_text("\n".join(lines) + "\nMy own words.\n", "utf-8")
    memory.record(card(block, state("Jo", "has", "a cat")))

    after = portrait(memory)
    assert {"lives in", "has"} == {fact.key for fact in after.facts}
    assert 1 == len(after.withdrawn) and after.withdrawn[0].startswith("likes-")
    assert "My own words.\n\n## By hand\n\n- plays the oboe\n" in after.own
    assert_rebuilt(memory)
    memory.record(card(block, state("Jo", "has", "two cats", valid_from="2027")))
    memory.record(card(block, state("Jo", "likes", "tea"), day="2026-05-21"))
    assert {"lives in", "has"} == {fact.key for fact in portrait(memory).facts}, "and stays away, whoever says it again"
    assert_rebuilt(memory)
    assert_sound(memory.root)


def test_a_page_that_a_person_wrote_gets_a_section_below_its_text(memory: Memory, block: str) -> None:
    page = memory.root / JO
    page.parent.mkdir(parents=True)
    page.write_bytes(b"---\r\n# mine\r\nid: ent-person-jo\r\nkind: entity\r\ntype: person\r\nname: Jo\r\naliases: [Joanna]\r\n---\r\nJo is kind.\r\n")
    memory.record(card(block, state("Joanna", "lives in", "Berlin")))

    data = page.read_bytes()
    assert data.startswith(b"---\r\n# mine\r\nid: ent-person-jo\r\n") and b"\r\nJo is kind.\r\n" in data
    assert data.count(b"\n") == data.count(b"\r\n")
    assert [("lives in", "Berlin", "current")] == known(memory)
    assert_rebuilt(memory)


# -- merged, split, named ------------------------------------------------------------------------


def test_merging_gives_all_facts_to_one_and_undoing_it_gives_them_back(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    memory.record(card(block, state("Johanna", "likes", "tea")))
    other = "active/entities/person/johanna.md"
    with (memory.root / other).open("a", encoding="utf-8") as page:
        page.write("Mine.\n")
    before = entities(memory)
    memory.entity_merge("Jo", "Johanna")

    assert {"lives in", "likes"} == {fact.key for fact in portrait(memory).facts}
    assert "ent-person-jo" == portrait(memory, other).merged_into and () == portrait(memory, other).facts
    assert "[[person/jo]]" in (memory.root / other).read_text("utf-8") and "Mine." in portrait(memory, other).own
    memory.record(card(block, state("Johanna", "has", "a cat")))
    assert {"lives in", "likes", "has"} == {fact.key for fact in portrait(memory).facts}
    assert_rebuilt(memory)

    memory.entity_merge("Jo", "Johanna", undo=True)
    assert before[JO] == entities(memory)[JO]
    assert {"likes", "has"} == {fact.key for fact in portrait(memory, other).facts}
    assert_rebuilt(memory)
    assert_sound(memory.root)
    with pytest.raises(Refused):
        memory.entity_merge("Jo", "Johanna", undo=True)


def test_splitting_gives_the_facts_of_some_events_to_another_and_merging_takes_it_back(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    away = memory.record(card(block, state("Jo", "likes", "tea")))
    before = portrait(memory).facts
    memory.entity_split("Jo", [away.ref], "Jo Smith")

    assert ["lives in"] == [fact.key for fact in portrait(memory).facts]
    assert ["likes"] == [fact.key for fact in portrait(memory, "active/entities/person/jo-smith.md").facts]
    assert_rebuilt(memory)
    memory.entity_merge("Jo", "Jo Smith")
    assert before == portrait(memory).facts
    assert_rebuilt(memory)
    with pytest.raises(Refused):
        memory.entity_split("Jo", ["evt-20260101-aaaaaa"], "Somebody")
    assert_sound(memory.root)


def test_an_alias_leads_claims_to_the_entity_until_it_is_taken_away(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    memory.entity_alias("Jo", add=["Joe B."])
    memory.record(card(block, state("joe b.", "likes", "tea")))

    assert {"lives in", "likes"} == {fact.key for fact in portrait(memory).facts}
    assert_rebuilt(memory)
    memory.record(card(block, state("Ana", "likes", "cake")))
    with pytest.raises(AlreadyExists):
        memory.entity_alias("Jo", add=["Ana"])
    memory.entity_alias("Jo", remove=["JOE B."])
    assert ["lives in"] == [fact.key for fact in portrait(memory).facts]
    assert 3 == len(entities(memory))
    assert_rebuilt(memory)
    with pytest.raises(NotFound):
        memory.entity_alias("Jo", remove=["Nobody"])


@pytest.mark.parametrize("verb", ["merge", "split", "alias"])
def test_reverting_the_commit_with_git_leads_back(memory: Memory, block: str, verb: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    away = memory.record(card(block, state("Jo", "likes", "tea")))
    memory.record(card(block, state("Johanna", "has", "a cat")))
    before = entities(memory)
    done = {
        "merge": lambda: memory.entity_merge("Jo", "Johanna"),
        "split": lambda: memory.entity_split("Jo", [away.ref], "Jo Smith"),
        "alias": lambda: memory.entity_alias("Jo", add=["J."]),
    }[verb]()
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@strata.invalid", "revert", "--no-edit", done.commit)

    assert before == entities(memory)
    memory.record(card(block, state("Johanna", "likes", "tea")))
    assert 2 == len(known(memory)) == len(known(memory, "active/entities/person/johanna.md"))
    assert_rebuilt(memory)


def test_a_revert_after_more_was_said_is_made_whole_by_a_rebuild(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    memory.record(card(block, state("Johanna", "has", "a cat")))
    done = memory.entity_merge("Jo", "Johanna")
    memory.record(card(block, state("Johanna", "likes", "tea")))
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@strata.invalid", "revert", "--no-edit", "-X", "theirs", done.commit)
    memory.graph_rebuild()

    assert ["lives in"] == [fact.key for fact in portrait(memory).facts]
    assert {"has", "likes"} == {fact.key for fact in portrait(memory, "active/entities/person/johanna.md").facts}
    assert_rebuilt(memory)


# -- step by step is the same as all at once -----------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_a_rebuild_changes_no_byte(memory: Memory, block: str, seed: int) -> None:
    chance = random.Random(seed)
    names, refs, forgotten = ["Jo", "Ana", "Ben", "Joanna"], list[str](), set[str]()
    for _ in range(22):
        step = chance.random()
        if step < 0.6 or not refs:
            facts = [_claim(chance, names) for _ in range(chance.randrange(3))]
            more = {"supersedes": chance.sample(refs, 1) if refs and chance.random() < 0.3 else [], "conflicts_with": chance.sample(refs, 1) if refs and chance.random() < 0.3 else []}
            more |= {"status": chance.choice(["occurred", "planned", "cancelled", "unknown"]), "event_type": chance.choice(["", "correction"])}
            refs.append(memory.record(card(block, *facts, day=f"2026-{chance.randrange(1, 9):02}-10", **more)).ref)
        elif step < 0.75:
            ref = chance.choice(refs)
            (memory.restore if ref in forgotten else memory.forget)(ref)
            forgotten ^= {ref}
        else:
            _rearrange(memory, chance, names)
        if chance.random() < 0.3:
            assert_rebuilt(memory)

    assert_rebuilt(memory)
    assert entities(memory)
    assert_sound(memory.root)


def _claim(chance: random.Random, names: list[str]) -> dict[str, Any]:
    claim = {"type": "person", "name": chance.choice(names)}
    dates = {"valid_from": f"202{chance.randrange(4, 8)}"} if chance.random() < 0.5 else {}
    if chance.random() < 0.6:
        return claim | {"mode": "state", "key": "lives in", "value": chance.choice(["Berlin", "Bern", "Oslo"])} | dates
    if chance.random() < 0.5:
        return claim | {"mode": "set", "key": "likes", "value": chance.choice(["tea", "cake"])}
    return claim | {"mode": "relation", "key": "knows", "value": chance.choice(names), "target": "person"} | dates


def _rearrange(memory: Memory, chance: random.Random, names: list[str]) -> None:
    """A merge, its undoing, a split or an alias, or nothing where that cannot be."""
    first, second = chance.sample(names, 2)
    try:
        match chance.randrange(4):
            case 0:
                memory.entity_merge(first, second)
            case 1:
                memory.entity_merge(first, second, undo=True)
            case 2:
                memory.entity_alias(first, add=["Joanna B"])
            case 3:
                found = memory.graph_show(first)
                path = memory._lookup.record(found.ref)
                facts = facts_in((memory.root / path).read_text("utf-8"))
                memory.entity_split(first, [facts[0].events[0]], f"{first} {chance.randrange(3)}") if facts else None
    except (Refused, NotFound, AlreadyExists):
        return  # it cannot be done now


def test_nothing_of_a_person_gets_lost_in_a_rebuild_without_history(memory: Memory, block: str, tmp_path: Path) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    path = memory.root / JO
    path.write_text(path.read_text("utf-8").replace("## Now\n", "## Now\n\n- whistles\n").replace("facts_sha256: ", "facts_sha256: 0"), "utf-8")
    memory.graph_rebuild()

    assert "- whistles" in portrait(memory).own and [("lives in", "Berlin", "current")] == known(memory)
    assert_rebuilt(memory)


# -- what must hold ------------------------------------------------------------------------------


def test_doctor_names_claims_that_cannot_be_read_and_entities_that_rest_on_nothing(memory: Memory, block: str) -> None:
    done = memory.record(card(block, state("Jo", "lives in", "Berlin"), state("Jo", "likes", "tea")))
    place = memory.root / done.path
    place.write_text(place.read_text("utf-8").replace("person Jo · state · likes · tea", "person Jo · likes tea"), "utf-8")
    (memory.root / JO).write_text((memory.root / JO).read_text("utf-8").replace("## Now", "## Now\n\n- mine").replace("aliases:", "merged: [ent-person-x]\naliases:"), "utf-8")
    found = {(problem.severity, problem.path, problem.message.partition(":")[0], problem.line) for problem in memory.doctor()}
    line = 1 + place.read_text("utf-8").split("\n").index(next(text for text in place.read_text("utf-8").split("\n") if "likes tea" in text))

    assert ("warning", done.path, "a claim that cannot be read, so it says nothing", line) in found
    assert ("error", JO, "merged names ent-person-x, which is not in this memory", None) in found
    assert ("note", JO, "somebody changed its section of facts", None) in found
    place.unlink()
    assert [problem for problem in memory.doctor() if problem.path == JO and done.ref in problem.message and problem.severity == "error"]


def test_the_commands_merge_split_and_rename(memory: Memory, block: str, strata: Any) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    away = memory.record(card(block, state("Jo", "likes", "tea")))
    for words in (["split", "Jo", away.ref, "--name", "Ana"], ["merge", "Jo", "Ana"], ["merge", "Jo", "Ana", "--undo"], ["alias", "Jo", "--add", "Joe"]):
        done = strata("entity", *words, memory=memory.root)
        assert 0 == done.returncode, done.stderr

    assert ("Joe",) == portrait(memory).aliases
    assert ["likes"] == [fact.key for fact in portrait(memory, "active/entities/person/ana.md").facts]
    assert 16 == strata("entity", "merge", "Jo", "joe", memory=memory.root).returncode


def test_doctor_names_files_that_do_not_say_what_the_cards_say(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    older = (memory.root / JO).read_bytes()
    tea = memory.record(card(block, state("Jo", "likes", "tea"), state("Ana", "likes", "tea")))
    assert [] == memory.doctor()

    (memory.root / JO).write_bytes(older)
    (memory.root / "active/entities/person/ana.md").unlink()
    found = {problem.path: problem.message for problem in memory.doctor()}
    assert f"its facts lack what {tea.ref} says of it" == found[JO]
    assert "ent-person-ana has no file, though 1 card speaks of it" == found[tea.path]
    memory.graph_rebuild()
    assert [] == memory.doctor()

    (memory.root / JO).write_bytes((memory.root / JO).read_bytes().replace(b"type: person", b"type: tool").replace(b"id: ent-person-jo", b"id: ent-tool-jo"))
    header = [problem.message for problem in memory.doctor() if problem.path == JO and "header" in problem.message]
    assert ["its header gives the id 'ent-tool-jo'; by its place it is ent-person-jo", "its header gives the type 'tool'; by its place it is a person"] == header


def test_doctor_lets_be_what_a_person_took_out_forgot_or_split(memory: Memory, block: str) -> None:
    memory.record(card(block, state("Jo", "lives in", "Berlin"), state("Jo", "likes", "tea")))
    away = memory.record(card(block, state("Jo", "likes", "jazz")))
    gone = memory.record(card(block, state("Bea", "likes", "jazz")))
    memory.entity_split("Jo", [away.ref], "Other Jo")
    place = memory.root / JO
    place.write_text("".join(line for line in place.read_text("utf-8").splitlines(True) if "tea" not in line), "utf-8")
    memory.graph_rebuild()
    memory.forget([gone.ref])

    assert [] == memory.doctor()


def test_a_record_has_the_speakers_as_participants_and_is_as_critical_as_what_it_replaces(memory: Memory) -> None:
    memory.append([("main", Message("m1", "user", "I am allergic to walnuts.", "Jo", "2026-05-20T10:00:00Z"))])
    block = memory.seal("main", everything=True)[0].ref
    made = memory.record({"title": "Jo is allergic to walnuts", "quotes": ["allergic to walnuts"], "source_block": block, "source_messages": ["m1"]})
    header = memory.show(made.ref, peek=True).header

    assert (["Jo"], "safety", 1) == (header["participants"], header["criticality"], len(header["supersedes"]))
    plain = memory.record({"title": "Jo is allergic to walnuts, mildly", "quotes": ["allergic to walnuts"], "criticality": "routine", "participants": [], "source_block": block, "source_messages": ["m1"]})
    assert ([], "routine") == (memory.show(plain.ref, peek=True).header["participants"], memory.show(plain.ref, peek=True).header["criticality"])
