"""What the commands about entities say and refuse, and by what beginnings of ids events are named: on real files and real git."""

from __future__ import annotations

import pytest
from command import Run, run  # noqa: F401
from oracle import git
from test_entities import ACME, JO, block, card, entities, portrait, state  # noqa: F401

from strata import Memory
from strata.document import Document
from strata.errors import Ambiguous, Malformed, Refused, UsageError


def test_the_commands_say_what_was_done(memory: Memory, block: str, run: Run) -> None:  # noqa: F811
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    memory.record(card(block, state("Johanna", "likes", "tea"), state("Johanna", "likes not", "rain")))

    def said(*words: str) -> str:
        done = run(*words)
        assert 0 == done.code, done.err
        commit = git(memory.root, "rev-parse", "HEAD")[:10]
        return done.out.removesuffix("\n").removesuffix(f" (commit {commit})")

    assert "Merged ent-person-johanna into ent-person-jo, which has 3 facts now" == said("entity", "merge", "Jo", "Johanna")
    assert "Took ent-person-johanna apart from ent-person-jo: 2 facts and 1 fact" == said("entity", "merge", "Jo", "Johanna", "--undo")
    assert "ent-person-jo goes also by Joe, J. now" == said("entity", "alias", "Jo", "--add", "Joe", "--add", "J.")
    assert "ent-person-jo goes also by Joe, J., as before; nothing was written." == said("entity", "alias", "Jo", "--add", "Joe")
    assert "ent-person-jo goes by no other name now" == said("entity", "alias", "Jo", "--remove", "Joe", "--remove", "J.")
    berlin = portrait(memory).facts[0].events[0]
    assert "Split ent-person-jo-two off from ent-person-jo: 1 fact there, 0 facts left" == said("entity", "split", "Jo", berlin, "--name", "Jo Two")
    assert "Nothing to change: 3 entities, just as the event cards say." == said("graph", "rebuild")
    (memory.root / JO).unlink()
    assert said("graph", "rebuild").startswith("Rebuilt: ")
    assert {"did": "named", "ref": "ent-person-johanna", "path": "active/entities/person/johanna.md", "names": ["Hanna"]}.items() <= run("entity", "alias", "Johanna", "--add", "Hanna", "--json").json()[0].items()


def test_two_types_are_made_one_only_when_that_is_said(memory: Memory, block: str) -> None:  # noqa: F811
    memory.record(card(block, state("Jo", "lives in", "Berlin"), {"type": "project", "name": "Heron", "mode": "state", "key": "port", "value": "80"}))
    before = entities(memory)

    with pytest.raises(Refused, match="ent-project-heron is of type project and ent-person-jo of type person") as refusal:
        memory.entity_merge("Jo", "Heron")
    assert "--anyway" in refusal.value.remedy and before == entities(memory)
    memory.entity_merge("Jo", "Heron", anyway=True)
    assert {"lives in", "port"} == {fact.key for fact in portrait(memory).facts}
    memory.entity_merge("Jo", "Heron", undo=True)
    assert {"lives in"} == {fact.key for fact in portrait(memory).facts}


def test_an_event_is_named_by_a_beginning_that_fits_one_event_of_the_entity(memory: Memory, block: str) -> None:  # noqa: F811
    refs = [memory.record(card(block, state("Jo", key, "x"), day=day)).ref for key, day in (("likes", "2026-05-20"), ("has", "2026-06-20"), ("owns", "2026-06-21"))]
    memory.record(card(block, state("Mika", "likes", "x")))

    with pytest.raises(Ambiguous, match="fits 2 events"):
        memory.entity_split("Jo", ["evt-202606"], "Ana")
    with pytest.raises(Refused, match="evt-2025 says nothing"):
        memory.entity_split("Jo", ["evt-2025"], "Ana")
    memory.entity_split("Jo", ["evt-202605"], "Ana")
    assert (refs[0],) == portrait(memory, "active/entities/person/ana.md").takes


def test_cards_are_named_by_a_beginning_and_kept_by_their_id(memory: Memory, block: str) -> None:  # noqa: F811
    old = memory.record(card(block, state("Jo", "lives in", "Berlin"), day="2026-04-02")).ref
    other = memory.record(card(block, state("Jo", "lives in", "Rome"), day="2026-05-02")).ref
    memory.record(card(block, day="2026-05-03"))
    new = memory.record(card(block, state("Jo", "lives in", "Bern"), supersedes=["evt-202604"], conflicts_with=["evt-20260502"]))
    written = Document.parse((memory.root / new.path).read_bytes(), new.path)

    assert ([old], [other]) == (written.list("supersedes"), written.list("conflicts_with"))
    with pytest.raises(Ambiguous):
        memory.record(card(block, supersedes=["evt-202605"]))
    with pytest.raises(Malformed, match="supersedes holds 'evt-1999'"):
        memory.record(card(block, supersedes=["evt-1999"]))


def test_an_alias_needs_a_name_and_tells_those_there_are(memory: Memory, block: str) -> None:  # noqa: F811
    memory.record(card(block, state("Jo", "lives in", "Berlin")))
    memory.entity_alias("Jo", add=["Joe"])

    with pytest.raises(UsageError, match="goes by Jo, Joe"):
        memory.entity_alias("Jo")


def test_what_was_merged_says_where_it_went(memory: Memory, block: str, run: Run) -> None:  # noqa: F811
    memory.record(card(block, state("Jo", "lives in", "Berlin"), state("Johanna", "likes", "tea")))
    memory.entity_merge("Jo", "Johanna")
    stub = run("show", "ent-person-johanna", "--peek")

    assert "It was merged into ent-person-jo" in stub.out and "Nothing is said" not in stub.out
    assert "ent-person-jo" == run("show", "ent-person-johanna", "--peek", "--json").json()[0]["entity"]["merged_into"]


def test_the_name_of_an_entity_is_no_ref_and_leads_to_it(memory: Memory, block: str, run: Run) -> None:  # noqa: F811
    memory.record(card(block, state("Jo", "lives in", "Berlin"), {"type": "person", "name": "Jo", "mode": "relation", "key": "works at", "target": "organization", "value": "Acme"}))

    assert "strata show ent-person-jo)" in run("show", "jo").err
    assert f"strata graph show {ACME})" in run("show", "acme").err
    assert "strata list" in run("show", "nobody").err
    assert 11 == run("show", "jo").code
