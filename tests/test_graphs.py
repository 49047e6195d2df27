"""Entities can be listed, shown, searched, joined and drawn: as they are, as they were on a day, as a commit held them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from oracle import KEY, git

from strata import Memory
from strata.errors import Ambiguous, Malformed, NotFound, UsageError
from strata.model import Message
from strata.network import EntityShown

Tell = Callable[..., str]
TYPES = ("person", "project", "organization", "tool", "place")


Clock = Callable[[], datetime]
Mint = Callable[[str, str], str]


def a_block(memory: Memory) -> str:
    """A block whose one turn everything rests on."""
    memory.append([("main", Message("m1", "user", "We talked about everybody.", at="2026-05-20T10:00:00Z")), ("main", Message("m2", "assistant", "Noted.", at="2026-05-20T10:00:05Z"))])
    return memory.seal(everything=True)[0].ref


def told(memory: Memory, block: str, who: str, key: str, value: str, mode: str = "", since: str = "", to: str = "") -> str:
    """Record a card with one claim, such as `"person Jo", "works at", "organization Acme", since="2024"`; the ref of the card."""
    kind, _, name = who.partition(" ")
    target, _, other = value.partition(" ")
    relation = target in TYPES
    claim = {"type": kind, "name": name, "mode": mode or ("relation" if relation else "state"), "key": key, "value": other if relation else value}
    claim |= {"target": target if relation else "", "valid_from": since, "valid_to": to}
    facts = [{field: text for field, text in claim.items() if text}]
    card = {"title": f"{name} {key} {value}", "source_block": block, "source_messages": ["m1"], "mentioned_at": "2026-05-20T10:00:00Z", "facts": facts}
    return memory.record(card).ref


@pytest.fixture(scope="session")
def _village(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A memory that knows a few people and where they are, made once; and its cards by what they say."""
    root = tmp_path_factory.mktemp("village") / "memory"
    with Memory.init(root, key=KEY) as memory:
        block = a_block(memory)
        refs = {
            "lisbon": told(memory, block, "person Jo", "lives in", "Lisbon", since="2020"),
            "berlin": told(memory, block, "person Jo", "lives in", "Berlin", since="2026-03"),
            "acme": told(memory, block, "person Jo", "works at", "organization Acme", since="2024"),
            "tea": told(memory, block, "person Jo", "prefers", "green tea", mode="set"),
            "mika": told(memory, block, "person Mika", "friend of", "person Jo"),
            "tom": told(memory, block, "person Mika", "grandson of", "person Old Tom"),
            "light": told(memory, block, "person Old Tom", "keeps", "place the old lighthouse", since="1990"),
            "kynd": told(memory, block, "project kynd", "uses", "tool pnpm"),
        }
    return root, refs


@pytest.fixture
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, new_id: Mint) -> Iterator[Memory]:
    """A memory of the test's own: the village where the test asks for it, else an empty one."""
    root = tmp_path / "memory"
    if "village" in request.fixturenames:
        shutil.copytree(request.getfixturevalue("_village")[0], root)
    with Memory.init(root, now=clock, new_id=new_id, key=KEY) as made:
        yield made


@pytest.fixture
def village(_village: tuple[Path, dict[str, str]]) -> dict[str, str]:
    return _village[1]


@pytest.fixture
def tell(memory: Memory, village: dict[str, str]) -> Tell:
    """`tell("person Ana", "knows", "person Jo")` in the memory of the test."""
    block = memory.list(kinds=("block",))[0].ref
    return lambda *claim, **times: told(memory, block, *claim, **times)


def said(shown: EntityShown) -> set[tuple[str, str]]:
    return {(fact.key, fact.value) for fact in shown.now}


# -- one entity ----------------------------------------------------------------------------------


def test_an_entity_has_what_is_true_now_and_what_was(memory: Memory, village: dict[str, str]) -> None:
    jo = memory.graph_show("Jo")

    assert {("lives in", "Berlin"), ("works at", "Acme"), ("prefers", "green tea")} == said(jo)
    assert [("lives in", "Lisbon")] == [(fact.key, fact.value) for fact in jo.earlier]
    assert [(village["berlin"],)] == [fact.events for fact in jo.now if fact.key == "lives in"]
    assert [("Mika", "friend of")] == [(other.name, other.fact.key) for other in jo.pointing]


@pytest.mark.parametrize("name", ["Jo", "jo", "JO", " Jo ", " person  Jo", " ent-person-jo", "ent-person-jo", "person Jo", "person/jo", "Person jo"])
def test_an_entity_is_found_by_name_or_id_in_any_case(memory: Memory, village: dict[str, str], name: str) -> None:
    assert "ent-person-jo" == memory.graph_show(name).ref


def test_a_prefix_of_an_id_must_fit_one_only(memory: Memory, village: dict[str, str]) -> None:
    assert "ent-project-kynd" == memory.graph_show("ent-pro").ref
    with pytest.raises(Ambiguous, match="ent-person-jo.*ent-person-mika"):
        memory.graph_show("ent-person")


def test_an_alias_leads_to_the_entity(memory: Memory, village: dict[str, str]) -> None:
    memory.entity_alias("ent-person-jo", add=["Johanna Brandt"])

    assert "ent-person-jo" == memory.graph_show("johanna brandt").ref


def test_one_name_of_several_types_is_ambiguous(memory: Memory, village: dict[str, str], tell: Tell) -> None:
    tell("tool Jo", "written in", "Rust")

    with pytest.raises(Ambiguous, match=r"ent-person-jo \(Jo\), ent-tool-jo \(Jo\)"):
        memory.graph_show("jo")
    assert "ent-tool-jo" == memory.graph_show("tool jo").ref


def test_a_merged_one_leads_to_its_target_and_says_so(memory: Memory, village: dict[str, str], tell: Tell) -> None:
    tell("person Joanna", "plays", "the cello", mode="set")
    memory.entity_merge("ent-person-jo", "ent-person-joanna")

    shown = memory.graph_show("Joanna")

    assert ("ent-person-jo", "ent-person-joanna") == (shown.ref, shown.asked)
    assert ("plays", "the cello") in said(shown)
    assert "" == memory.graph_show("Jo").asked
    assert "ent-person-joanna" not in [row.ref for row in memory.graph_list()]


def test_what_only_relations_lead_to_is_an_entity_too(memory: Memory, village: dict[str, str]) -> None:
    acme = memory.graph_show("acme")

    assert ("ent-organization-acme", "organization", "Acme", ()) == (acme.ref, acme.type, acme.name, acme.now)
    assert [("Jo", "works at")] == [(other.name, other.fact.key) for other in acme.pointing]


def test_a_name_that_is_none_gets_a_hint(memory: Memory, village: dict[str, str]) -> None:
    with pytest.raises(NotFound) as refused:
        memory.graph_show("Mikka")
    assert "graph list" in refused.value.remedy
    with pytest.raises(NotFound) as refused:
        memory.graph_show("lighthouse of Old Tom")
    assert "ent-person-old-tom" in refused.value.remedy


@pytest.mark.parametrize("name", ["", " ", "ent-", "../../etc/passwd", "ent-person-../../x", "a" * 5000, "\x00", "[[x]]", "#m1", "東京", "person", "person "])
def test_odd_names_are_no_entity(memory: Memory, village: dict[str, str], name: str) -> None:
    with pytest.raises((NotFound, Ambiguous)):
        memory.graph_show(name)


# -- two axes ------------------------------------------------------------------------------------


def test_at_a_date_only_what_was_true_then(memory: Memory, village: dict[str, str]) -> None:
    then = memory.graph_show("Jo", at="2025-06")

    assert {("lives in", "Lisbon"), ("works at", "Acme")} == said(then)
    assert ("2025-06", (), ()) == (then.at, then.planned, then.earlier)
    assert set() == said(memory.graph_show("Jo", at="2019"))


def test_believed_shows_what_the_memory_held_then(memory: Memory, village: dict[str, str], tell: Tell) -> None:
    before = git(memory.root, "rev-parse", "HEAD").strip()
    tell("person Jo", "lives in", "Oslo", since="2026-04")

    assert ("lives in", "Oslo") in said(memory.graph_show("Jo"))
    assert ("lives in", "Berlin") in said(memory.graph_show("Jo", believed=before))
    assert before == memory.graph_show("Jo", believed=before).believed
    assert {("lives in", "Lisbon"), ("works at", "Acme")} == said(memory.graph_show("jo", believed=before, at="2025"))


def test_believed_knows_names_that_nobody_has_today(memory: Memory, village: dict[str, str]) -> None:
    memory.entity_alias("ent-person-jo", add=["Johanna"])
    before = git(memory.root, "rev-parse", "HEAD").strip()
    memory.entity_alias("ent-person-jo", remove=["Johanna"])

    assert "ent-person-jo" == memory.graph_show("johanna", believed=before).ref
    with pytest.raises(NotFound):
        memory.graph_show("johanna")


def test_believed_before_an_entity_was_known_there_is_none(memory: Memory, village: dict[str, str]) -> None:
    first = git(memory.root, "rev-list", "--max-parents=0", "HEAD").strip()

    with pytest.raises(NotFound, match="in that commit"):
        memory.graph_show("Jo", believed=first)
    assert [] == memory.graph_list(believed=first)
    assert (0, 0) == memory.graph_export("json", believed=first)[2:4]


def test_believed_reads_what_is_committed_and_not_the_tree(memory: Memory, village: dict[str, str]) -> None:
    path = memory.root / memory.graph_show("Mika").path
    path.write_bytes(path.read_bytes().replace(b"friend of", b"enemy of"))

    assert "friend of" in {fact.key for fact in memory.graph_show("Mika", believed="HEAD").now}


def test_believed_in_a_clone_says_the_same_as_a_checkout(memory: Memory, village: dict[str, str], tell: Tell, tmp_path: Path) -> None:
    before = git(memory.root, "rev-parse", "HEAD").strip()
    tell("person Jo", "lives in", "Oslo", since="2026-04")
    tell("person Ana", "knows", "person Jo")
    git(tmp_path, "clone", "-q", str(memory.root), "then")
    git(tmp_path / "then", "checkout", "-q", before)

    with Memory.open(tmp_path / "then", key=KEY, now=memory._now) as then:
        assert then.graph_list() == memory.graph_list(believed=before)
        assert then.graph_show("Jo")._replace(pointing=()) == memory.graph_show("Jo", believed=before)._replace(believed="")
        there, here = (json.loads(each.text) for each in (then.graph_export("json"), memory.graph_export("json", believed=before)))
        assert (there["nodes"], there["edges"]) == (here["nodes"], here["edges"])


def test_a_date_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(Malformed):
        memory.graph_list(at="yesterday")
    with pytest.raises(NotFound):
        memory.graph_list(believed="no-such-branch")


# -- many ----------------------------------------------------------------------------------------


def test_a_list_counts_what_is_true_and_what_there_is(memory: Memory, village: dict[str, str]) -> None:
    rows = {row.name: row for row in memory.graph_list()}

    assert (3, 4, "person") == (rows["Jo"].now, rows["Jo"].facts, rows["Jo"].type)
    assert "2026-05-20" == rows["Jo"].updated[:10]
    assert ["Acme", "Jo", "kynd", "Mika", "Old Tom", "pnpm", "the old lighthouse"] == list(rows)
    assert ["Jo", "Mika", "Old Tom"] == [row.name for row in memory.graph_list(type="person")]
    assert ["Jo"] == [row.name for row in memory.graph_list(type="person", limit=1)]


def test_a_list_of_a_date_names_those_of_whom_something_was_true(memory: Memory, village: dict[str, str]) -> None:
    assert {("Jo", 1), ("Old Tom", 1)} == {(row.name, row.now) for row in memory.graph_list(at="2021")}


def test_search_finds_entities_and_puts_their_matching_facts_first(memory: Memory, village: dict[str, str]) -> None:
    (jo,) = [item for item in memory.graph_search("who drinks green tea in Lisbon") if item.ref == "ent-person-jo"]

    assert [("prefers", "green tea"), ("lives in", "Lisbon")] == [(fact.key, fact.value) for fact in jo.facts][:2]
    assert 4 == len(jo.facts) + jo.others
    assert "ent-person-old-tom" == memory.graph_search("lighthouse")[0].ref
    assert [] == memory.graph_search("volcano")
    assert 1 == len(memory.graph_search("jo", limit=1))


def test_search_of_a_date_looks_at_what_was_true_then(memory: Memory, village: dict[str, str]) -> None:
    assert [("ent-person-jo", "Lisbon")] == [(item.ref, fact.value) for item in memory.graph_search("lisbon", at="2021") for fact in item.facts]
    assert [] == memory.graph_search("berlin", at="2021")


def test_search_in_a_commit_needs_no_index_of_it(memory: Memory, village: dict[str, str], tell: Tell) -> None:
    before = git(memory.root, "rev-parse", "HEAD").strip()
    tell("person Ana", "collects", "stamps", mode="set")

    assert "ent-person-ana" == memory.graph_search("stamps")[0].ref
    assert [] == memory.graph_search("stamps", believed=before)
    assert "ent-person-old-tom" == memory.graph_search("lighthouse", believed=before)[0].ref


# -- chains --------------------------------------------------------------------------------------


def test_a_chain_runs_along_relations_in_either_direction(memory: Memory, village: dict[str, str]) -> None:
    way = memory.graph_path("the old lighthouse", "acme")

    assert [("the old lighthouse", "keeps", False, "Old Tom"), ("Old Tom", "grandson of", False, "Mika"), ("Mika", "friend of", True, "Jo"), ("Jo", "works at", True, "Acme")] == [
        (step.source.name, step.fact.key, step.forward, step.target.name) for step in way.steps
    ]
    assert (village["mika"],) == way.steps[2].fact.events


def test_a_chain_backwards_is_the_same_chain(memory: Memory, village: dict[str, str]) -> None:
    there, back = memory.graph_path("Old Tom", "Acme"), memory.graph_path("Acme", "Old Tom")

    assert [(step.source, step.fact.key, step.target) for step in there.steps] == [(step.target, step.fact.key, step.source) for step in back.steps[::-1]]


def test_a_chain_found_from_its_end_shows_each_relation_as_it_leads(memory: Memory, village: dict[str, str], tell: Tell) -> None:
    tell("person Jo", "knows", "person Ana")  # more ways lead from Jo than from the lighthouse, so that the search goes on from there

    assert [("Jo", "friend of", False, "Mika"), ("Mika", "grandson of", True, "Old Tom"), ("Old Tom", "keeps", True, "the old lighthouse")] == [
        (step.source.name, step.fact.key, step.forward, step.target.name) for step in memory.graph_path("Jo", "the old lighthouse").steps
    ]


def test_where_no_chain_leads_all_near_was_looked_at(memory: Memory, village: dict[str, str]) -> None:
    way = memory.graph_path("Jo", "kynd")

    assert ((), True) == (way.steps, way.whole)


def test_a_chain_to_itself_has_no_steps(memory: Memory, village: dict[str, str]) -> None:
    way = memory.graph_path("Jo", "ent-person-jo")

    assert ((), way.start) == (way.steps, way.end)


def test_the_shortest_chain_wins(memory: Memory, village: dict[str, str], tell: Tell) -> None:
    tell("person Jo", "visits", "place the old lighthouse")

    assert ["visits"] == [step.fact.key for step in memory.graph_path("Jo", "the old lighthouse").steps]


def test_a_chain_of_a_date_uses_what_was_true_then(memory: Memory, village: dict[str, str]) -> None:
    assert 1 == len(memory.graph_path("Jo", "Acme", at="2025").steps)
    assert () == memory.graph_path("Jo", "Acme", at="2022").steps


def test_a_chain_reads_only_what_is_near(memory: Memory, village: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    from strata import portrait

    read: list[str] = []
    real = portrait.read
    monkeypatch.setattr(portrait, "read", lambda document, path="": (read.append(path), real(document, path))[1])

    memory.graph_path("Old Tom", "Mika")

    assert not any("kynd" in path for path in read)
    assert any("mika" in path for path in read)


# -- export --------------------------------------------------------------------------------------


def test_an_export_draws_all_or_what_is_near(memory: Memory, village: dict[str, str]) -> None:
    def names(**chosen: Any) -> set[str]:
        return {node["name"] for node in json.loads(memory.graph_export("json", **chosen).text)["nodes"]}

    assert {"Jo", "Mika", "Old Tom", "Acme", "the old lighthouse", "kynd", "pnpm"} == names()
    assert {"Mika", "Jo", "Old Tom"} == names(around="mika")
    assert {"Mika"} == names(around="mika", depth=0)
    assert {"Mika", "Jo", "Old Tom", "Acme", "the old lighthouse"} == names(around="mika", depth=2)
    assert {"Jo", "Mika", "Old Tom"} == names(type="person")
    assert {"Acme", "Jo"} == names(around="Acme", type="person")


def test_an_export_of_a_date_draws_what_was_true_then(memory: Memory, village: dict[str, str], tell: Tell) -> None:
    tell("person Jo", "worked at", "organization Blue Lantern", since="2015", to="2018")

    def relations(at: str) -> set[tuple[str, str]]:
        return {(edge["label"], edge["status"]) for edge in json.loads(memory.graph_export("json", around="Jo", at=at).text)["edges"]}

    assert {("worked at", "current")} == relations("2016")
    assert {"worked at", "keeps"} == {edge["label"] for edge in json.loads(memory.graph_export("json", at="2016").text)["edges"]}
    assert {("worked at", "closed"), ("works at", "current"), ("friend of", "current")} == relations("")


def test_an_export_names_events_and_the_caption_counts(memory: Memory, village: dict[str, str]) -> None:
    made = memory.graph_export("json")
    told = json.loads(made.text)

    assert ("7 entities, 5 relations", 7, 5) == (told["caption"], made.entities, made.relations)
    assert [[village["kynd"]]] == [edge["events"] for edge in told["edges"] if edge["label"] == "uses"]


@pytest.mark.parametrize("wrong", [{"format": "gif"}, {"format": "dot", "depth": 11}, {"format": "dot", "depth": -1}])
def test_an_export_that_cannot_be_is_refused(memory: Memory, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        memory.graph_export(**wrong)


# -- files of people -----------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_is_passed_over_with_a_warning(memory: Memory, village: dict[str, str]) -> None:
    (memory.root / "active/entities/person/odd.md").write_bytes(b"---\nname: [unclosed\n---\n")

    assert "Jo" in [row.name for row in memory.graph_list()]
    assert any("odd.md" in warning for warning in memory.warnings)


def test_a_forgotten_entity_is_not_shown(memory: Memory, village: dict[str, str]) -> None:
    memory.forget(["ent-person-mika"])

    assert "Mika" not in [row.name for row in memory.graph_list()]
    with pytest.raises(NotFound):
        memory.graph_show("Mika")


def test_looking_writes_nothing(memory: Memory, village: dict[str, str]) -> None:
    head = git(memory.root, "rev-parse", "HEAD")
    memory.graph_list(at="2025", believed="HEAD")
    memory.graph_show("Jo")
    memory.graph_search("tea")
    memory.graph_path("Jo", "Mika")
    memory.graph_export("svg", around="Jo")

    assert head == git(memory.root, "rev-parse", "HEAD")
    assert "" == git(memory.root, "status", "--porcelain")


def test_show_prints_the_portrait_and_says_it_in_json(memory: Memory, village: dict[str, str]) -> None:
    shown = memory.show("ent-person-jo", peek=True)

    assert shown.entity is not None
    assert {("lives in", "Berlin"), ("works at", "Acme"), ("prefers", "green tea")} == said(shown.entity)
    assert memory.show(village["tea"], peek=True).entity is None


def test_a_record_at_hand_shows_what_was_true_on_a_day(memory: Memory, village: dict[str, str]) -> None:
    then = memory._portrayed(memory.show("ent-person-jo", peek=True), at="2021").entity

    assert then is not None
    assert ({("lives in", "Lisbon")}, "2021", ()) == (said(then), then.at, then.earlier)


def test_an_entity_at_rest_is_found_all_the_same(memory: Memory, village: dict[str, str]) -> None:
    memory.archive(["ent-person-mika"])

    assert memory.graph_show("Mika").path.startswith("archive/")
    assert memory.graph_show("Mika", believed="HEAD").path.startswith("archive/")
    assert memory.graph_show("Mika", believed="HEAD~1").path.startswith("active/")
    assert "archive" == memory.show("ent-person-mika", peek=True).tier


def test_of_files_merged_into_each_other_as_two_clones_may_do_the_first_stands(memory: Memory, village: dict[str, str]) -> None:
    for name, other in (("ann", "bea"), ("bea", "ann")):
        text = f"---\nid: ent-person-{name}\nkind: entity\ntype: person\nname: {name}\nmerged_into: ent-person-{other}\n---\n"
        (memory.root / f"active/entities/person/{name}.md").write_text(text, encoding="utf-8")

    assert {"ent-person-ann"} == {memory.graph_show(name).ref for name in ("ann", "bea", "ent-person-bea")}
    assert ["ann"] == [row.name for row in memory.graph_list() if row.name in ("ann", "bea")]
    assert ["ent-person-ann and ent-person-bea are merged into each other"] == [problem.message for problem in memory.doctor() if "each other" in problem.message]
    memory.graph_rebuild()
    assert [] == [problem for problem in memory.doctor() if "each other" in problem.message]


def test_relations_that_ended_are_shown_after_those_that_hold_and_not_among_those_of_a_day(memory: Memory) -> None:
    block = a_block(memory)
    told(memory, block, "person Jo", "works at", "organization Acme", since="2024", to="2026-04")
    told(memory, block, "person Mika", "works at", "organization Acme", since="2025")

    assert [("Mika", "current"), ("Jo", "closed")] == [(row.name, row.fact.status) for row in memory.graph_show("Acme").pointing]
    assert ["Mika"] == [row.name for row in memory.graph_show("Acme", at="2026-05").pointing]
    assert ["Jo", "Mika"] == sorted(row.name for row in memory.graph_show("Acme", at="2026-03").pointing)


def test_what_was_believed_in_a_month_counts_as_of_its_last_day(memory: Memory) -> None:
    block = a_block(memory)
    told(memory, block, "person Jo", "lives in", "Lisbon", since="2020")
    berlin = {"type": "person", "name": "Jo", "mode": "state", "key": "lives in", "value": "Berlin", "valid_from": "2026-11-10"}
    memory.record({"title": "Jo moved", "source_block": block, "source_messages": ["m1"], "mentioned_at": "2026-11-12", "facts": [berlin]})

    assert ["Berlin"] == [fact.value for fact in memory.graph_show("Jo", believed="2026-11").now]


def test_a_plan_that_ran_out_is_earlier_wherever_it_is_told(memory: Memory) -> None:
    block = a_block(memory)
    told(memory, block, "person Jo", "plans", "a sabbatical", mode="set", to="2026-06")
    shown = memory.graph_show("Jo")
    text = (memory.root / shown.path).read_text(encoding="utf-8")

    assert [("a sabbatical", "closed")] == [(fact.value, fact.status) for fact in shown.earlier] and () == shown.now
    assert ["closed"] == [fact.status for found in memory.graph_search("sabbatical") for fact in found.facts]
    assert "until 2026-06 · foreseen" in text and "## Until a day" in text, "no file knows what day it is read on"
    later = {"title": "Jo lives in Ghent", "source_block": block, "source_messages": ["m1"], "mentioned_at": "2026-08-01"}
    memory.record(later | {"facts": [{"type": "person", "name": "Jo", "mode": "state", "key": "lives in", "value": "Ghent"}]})
    text = (memory.root / shown.path).read_text(encoding="utf-8")
    assert text.index("## Now") < text.index("Ghent") < text.index("## Earlier") < text.index("a sabbatical")


def test_an_entity_that_a_person_wrote_is_one(memory: Memory, village: dict[str, str]) -> None:
    (memory.root / "active/entities/person/zoe.md").write_text("# Zoe\n\nShe keeps bees.\n", encoding="utf-8")

    shown = memory.graph_show("ent-person-zoe")

    assert ("ent-person-zoe", "person", ()) == (shown.ref, shown.type, shown.now)
    assert "She keeps bees." in shown.own
    assert "ent-person-zoe" in {row.ref for row in memory.graph_list()}
