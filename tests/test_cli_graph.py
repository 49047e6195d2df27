"""The graph on the command line: what people read, what programs get, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from command import TALK, Run, files, run  # noqa: F401
from oracle import KEY, git

from strata import Memory
from strata.__main__ import main
from strata.network import EntityName, EntityShown, FactShown, Pointing, Step, Way
from strata.render import network
from strata.render.screen import Screen
from strata.render.visible import width


@pytest.fixture
def told(run: Run) -> Run:  # noqa: F811
    """A memory that knows Jo, Acme, kynd and pnpm."""
    run("append", stdin=TALK)
    run("seal", "--all")
    ref = run("list", "--kind", "block", "--json").json()[0]["ref"]
    for title, fact in (
        ("Jo works at Acme", {"type": "person", "name": "Jo", "mode": "relation", "key": "works at", "target": "organization", "value": "Acme", "valid_from": "2024"}),
        ("Jo lived in Lisbon", {"type": "person", "name": "Jo", "mode": "state", "key": "lives in", "value": "Lisbon", "valid_from": "2020"}),
        ("Jo moved to Berlin", {"type": "person", "name": "Jo", "mode": "state", "key": "lives in", "value": "Berlin", "valid_from": "2026-03"}),
        ("Jo maintains kynd", {"type": "person", "name": "Jo", "mode": "relation", "key": "maintains", "target": "project", "value": "kynd"}),
        ("kynd uses pnpm", {"type": "project", "name": "kynd", "mode": "relation", "key": "uses", "target": "tool", "value": "pnpm"}),
    ):
        card = {"title": title, "source_block": ref, "source_messages": ["m1"], "facts": [fact]}
        assert 0 == run("record", stdin=json.dumps(card)).code
    return run


def test_a_list_has_a_line_for_each(told: Run) -> None:
    done = told("graph", "list", "--type", "person")

    assert ["Jo", "person", "3", "of", "4", "facts"] == done.out.split()[:6]
    assert "ent-person-jo" in done.out
    assert {"Acme", "Jo", "kynd", "pnpm"} <= {row["name"] for row in told("graph", "list", "--json").json()}
    assert ["Jo"] == [row["name"] for row in told("graph", "list", "--type", "PERSON", "--json").json()]


def test_facts_stand_in_groups_with_times_and_events(told: Run) -> None:
    lines = told("graph", "show", "jo").out.splitlines()

    now, earlier = lines.index("Now"), lines.index("Earlier")
    assert lines[0].startswith("Jo  person")
    assert ["lives in", "Berlin", "since 2026-03"] == [part.strip() for part in lines[now + 1].split("  ") if part.strip()][:3]
    assert "2020 to 2026-03" in lines[earlier + 1] and "Lisbon" in lines[earlier + 1]
    assert all("evt-" in line for line in (*lines[now + 1 : now + 4], lines[earlier + 1]))
    assert "Acme (organization)" in told("graph", "show", "jo").out


def test_a_date_and_a_revision_narrow_what_is_shown(told: Run, memory: Memory) -> None:
    then = told("graph", "show", "jo", "--at", "2021").out

    assert "True at 2021" in then and "Lisbon" in then and "Berlin" not in then
    before = git(memory.root, "rev-list", "-1", "--grep=Jo moved to Berlin", "HEAD").strip()
    assert "Berlin" not in told("graph", "show", "jo", "--believed", f"{before}~1").out
    assert "Berlin" in told("graph", "show", "jo", "--believed", "HEAD").out
    assert 11 == told("graph", "show", "jo", "--believed", "nowhere").code
    assert 2 == told("graph", "show", "jo", "--at", "soon").code


def test_names_end_as_they_should(told: Run) -> None:
    assert 11 == told("graph", "show", "nobody").code
    assert 12 == told("graph", "show", "ent-").code
    assert 0 == told("graph", "show", "person jo").code
    assert 2 == told("graph", "list", "--type", "ship").code


def test_search_puts_the_matching_facts_below_their_entity(told: Run) -> None:
    lines = told("graph", "search", "Lisbon").out.splitlines()

    assert lines[0].startswith("Jo  person")
    assert "Lisbon" in lines[1]
    assert "3 more facts: strata graph show ent-person-jo" in lines[2]
    assert "No entity fits 'volcano'" in told("graph", "search", "volcano").out


def test_a_path_shows_which_way_each_relation_leads(told: Run) -> None:
    done = told("graph", "path", "Acme", "pnpm")

    lines = done.out.splitlines()
    assert "From Acme (organization) to pnpm (tool): 3 relations" == lines[0]
    assert ["<-- works at --", "-- maintains -->", "-- uses -->"] == [part for line in lines[2:] for part in map(str.strip, line.split("  ")) if "--" in part]
    assert 3 == len(told("graph", "path", "Acme", "pnpm", "--json").json()[0]["steps"])


@pytest.mark.parametrize("format, beginning", [("dot", 'digraph "strata" {'), ("mermaid", "flowchart LR"), ("json", "{"), ("svg", "<svg ")])
def test_an_export_is_text_for_the_next_program(told: Run, format: str, beginning: str) -> None:
    done = told("graph", "export", "--format", format)

    assert done.out.startswith(beginning)
    assert done.out == told("graph", "export", "--format", format).out
    assert "pnpm" not in told("graph", "export", "--format", format, "--around", "acme").out
    assert "pnpm" in told("graph", "export", "--format", format, "--around", "acme", "--depth", "3").out


def test_an_export_goes_into_a_file(told: Run, tmp_path: Path, memory: Memory) -> None:
    before = files(memory.root)
    target = tmp_path / "graph.svg"
    target.write_text("something older", encoding="utf-8")
    done = told("graph", "export", "--format", "svg", "--output", str(target))

    assert done.out.startswith(f"Wrote {target}: 4 entities, 3 relations (")
    assert "Acme" in "".join(ElementTree.parse(target).getroot().itertext())
    assert [target.name] == [path.name for path in tmp_path.iterdir() if path.is_file()]
    assert before == files(memory.root)
    missing = told("graph", "export", "--format", "svg", "--output", str(tmp_path / "no" / "graph.svg"))
    assert 11 == missing.code and "there is no such folder" in missing.err and not (tmp_path / "no").exists()


def test_json_export_says_how_much_it_holds(told: Run) -> None:
    (made,) = told("graph", "export", "--format", "mermaid", "--json").json()

    assert ("mermaid", 4, 3) == (made["format"], made["entities"], made["relations"])
    assert made["text"].startswith("flowchart LR\n")


def test_where_there_is_nothing_the_list_says_where_it_comes_from(run: Run) -> None:  # noqa: F811
    assert run("graph", "list").out.startswith("No entities yet: they are made from event cards")
    assert "No entity passes these filters.\n" == run("graph", "list", "--type", "tool").out
    assert "" == run("graph", "list", "--json").out


def test_rebuild_makes_the_same_files(told: Run, memory: Memory) -> None:
    before = files(memory.root)

    assert 0 == told("graph", "rebuild").code
    assert {path: data for path, data in before.items() if "/entities/" in path} == {path: data for path, data in files(memory.root).items() if "/entities/" in path}


def test_show_of_an_entity_prints_its_facts(told: Run) -> None:
    done = told("show", "ent-person-jo", "--peek")

    assert "Now" in done.out.splitlines() and "Berlin" in done.out
    assert "<!--" not in done.out
    assert "Berlin" == next(fact["value"] for fact in told("show", "ent-person-jo", "--peek", "--json").json()[0]["entity"]["now"] if fact["key"] == "lives in")


def test_names_complete(told: Run, memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("_STRATA_COMPLETE", "names")
    monkeypatch.setattr("strata.memory.signing_key", lambda: KEY)

    def offered(*words: str) -> list[str]:
        assert 0 == main(words)
        return [line.partition("\t")[0] for line in capsys.readouterr().out.splitlines()]

    assert ["Jo"] == offered("graph", "show", "j")
    assert ["kynd"] == offered("graph", "path", "Jo", "ky")
    assert ["ent-person-jo"] == offered("graph", "export", "--around", "ent-pe")
    assert {"list", "show", "search", "path", "export", "rebuild"} <= set(offered("graph", ""))


# -- text ----------------------------------------------------------------------------------------


def fact(key: str, value: str, **more: Any) -> FactShown:
    return FactShown(id="x-2aaaaa", mode="state", key=key, value=value, status=more.pop("status", "current"), **more)


@pytest.fixture
def jo() -> EntityShown:
    return EntityShown(
        ref="ent-person-jo", type="person", name="Jo\x1b[2J", path="active/entities/person/jo.md", aliases=("Johanna",),
        now=(fact("lives in", "東京", valid_from="2026-05", events=("evt-20260520-x2m9ta",)), fact("prefers", "tea", said="2026-05-20", status="disputed"), fact("prefers", "x" * 150, valid_to="2027")),
        planned=(fact("plans", "a trip", valid_from="2027-04"),),
        earlier=(fact("lives in", "Lisbon", valid_from="2020", valid_to="2026-05", events=("evt-1", "evt-2", "evt-3")), fact("said", "never", status="retracted")),
        pointing=(Pointing("ent-person-mika", "Mika", fact("friend of", "Jo")),),
        own="# Jo\x1b[2J\n\nMet \u202eat the fair.\n",
    )  # fmt: skip


@pytest.mark.parametrize("columns, colours", [(None, False), (80, False), (80, True), (40, True)])
def test_no_text_of_an_entity_steers_the_terminal(jo: EntityShown, columns: int | None, colours: bool) -> None:
    text = "\n".join(network.entity(jo, Screen(columns, colours=colours)))

    assert "\x1b[2J" not in text and "\u202e" not in text
    assert ("\x1b[" in text) == colours
    assert "Met \\u202eat the fair." in text


def test_columns_stand_below_each_other(jo: EntityShown) -> None:
    lines = network.entity(jo, Screen(None))

    rows = [line for line in lines if "since" in line or " to 2026" in line or "until" in line or "disputed" in line]
    places = {width(line[: next(line.index(word) for word in ("since", "2020 to", "until", "said 20") if word in line)]) for line in rows}
    assert 5 == len(rows)
    assert 1 == len(places)
    assert any("evt-1 evt-2 +1" in line for line in lines)
    assert any("retracted" in line for line in lines)
    assert "  lives in" == next(line for line in lines if "東京" in line)[:10]
    assert 1 == sum(line.startswith("  prefers") for line in lines)


def test_a_narrow_terminal_cuts_values_and_not_times(jo: EntityShown) -> None:
    lines = network.entity(jo, Screen(80))

    assert all(width(line) <= 80 for line in lines)
    assert any("…" in line and "until 2027" in line for line in lines)


def test_a_way_that_was_given_up_says_so() -> None:
    ends = EntityName("ent-person-a", "person", "A"), EntityName("ent-person-b", "person", "B")

    assert ["From A (person) to B (person): no chain of relations joins them."] == network.way(Way(*ends, (), 5), Screen(None))
    assert "among the 2,000 entities nearest to them" in network.way(Way(*ends, (), 2000, False), Screen(None))[0]
    assert ["A (person) is both ends."] == network.way(Way(ends[0], ends[0], (), 1), Screen(None))
    assert "1 relation" in network.way(Way(*ends, (Step(ends[0], fact("k", "B"), True, ends[1]),), 2), Screen(None))[0]


def test_the_group_alone_shows_its_help(run: Run) -> None:  # noqa: F811
    done = run("graph")

    assert 0 == done.code
    assert "Show who and what the memory knows" in done.out
