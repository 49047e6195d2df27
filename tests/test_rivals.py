"""An event that another card supersedes or contradicts says so, in `show` and in `search`, in both directions."""

from __future__ import annotations

import pytest
from command import Run, run  # noqa: F401

from strata import Memory
from strata.model import Hit, Message


@pytest.fixture
def block(memory: Memory) -> str:
    """The one block that all cards rest on; nothing is derived from it."""
    memory.config_set("extract", "off")
    memory.append([("main", Message("m1", "user", "We talked about the harbour.", at="2026-05-20T10:00:00Z"))])
    return memory.seal("main", everything=True)[0].ref


def card(memory: Memory, block: str, title: str, **more: object) -> str:
    return memory.record({"title": title, "narrative": title, "source_block": block, "source_messages": ["m1"], **more}).ref


def hit(memory: Memory, query: str, ref: str, **narrow: object) -> Hit:
    return next(hit for hit in memory.search(query, kinds=("event",), **narrow) if hit.ref == ref)  # type: ignore[arg-type]


def test_what_is_superseded_comes_below_the_newest_card_though_no_word_of_that_was_asked_for(memory: Memory, block: str) -> None:
    old = card(memory, block, "Lanterns are lit at dusk")
    middle = card(memory, block, "Something else entirely", supersedes=[old])
    last = card(memory, block, "Yet another matter", supersedes=[middle])

    found = memory.search("lanterns dusk", kinds=("event",))

    assert [(last, "current", old), (old, "outdated", last)] == [(hit.ref, hit.status, hit.counterpart) for hit in found]
    assert [last] == [hit.ref for hit in memory.search("lanterns dusk", kinds=("event",), limit=1)], "what holds, where there is room for one"
    assert [old] == [hit.ref for hit in memory.search("lanterns dusk", since="2026-01", kinds=("event",))], "a query that narrows where to look gets what lies there"
    assert [old] == [hit.ref for hit in memory.search("how were the lanterns at dusk at first", kinds=("event",))][:1], "asked for the past, it comes first"
    assert (middle,) == memory.show(old, peek=True).superseded_by
    assert () == memory.show(last, peek=True).superseded_by


def test_a_contradiction_is_marked_on_both_sides(memory: Memory, block: str) -> None:
    one = card(memory, block, "The ferry leaves at noon")
    two = card(memory, block, "The boat goes in the evening", conflicts_with=[one])

    assert ("disputed", two) == (hit(memory, "ferry noon", one).status, hit(memory, "ferry noon", one).counterpart)
    assert ("disputed", one) == (hit(memory, "boat evening", two).status, hit(memory, "boat evening", two).counterpart)
    assert ((two,), (one,)) == (memory.show(one, peek=True).conflicts_with, memory.show(two, peek=True).conflicts_with)


@pytest.mark.parametrize("settled", ["superseded", "cancelled", "forgotten"])
def test_a_contradiction_counts_as_long_as_both_cards_stand(memory: Memory, block: str, settled: str) -> None:
    one = card(memory, block, "The ferry leaves at noon")
    two = card(memory, block, "The boat goes in the evening", conflicts_with=[one], status="cancelled" if settled == "cancelled" else "occurred")
    if settled == "superseded":
        card(memory, block, "Of the boat we know more", supersedes=[two])
    elif settled == "forgotten":
        memory.forget([two])

    assert ("", "") == (hit(memory, "ferry noon", one).status, hit(memory, "ferry noon", one).counterpart)
    if settled != "forgotten":
        assert "disputed" != hit(memory, "boat evening", two).status


def test_what_a_card_contradicts_may_be_forgotten(memory: Memory, block: str) -> None:
    one = card(memory, block, "The ferry leaves at noon")
    two = card(memory, block, "The boat goes in the evening", conflicts_with=[one])
    memory.forget([one])

    assert "" == hit(memory, "boat evening", two).status
    assert () == memory.show(two, peek=True).conflicts_with


def test_what_is_forgotten_supersedes_nothing(memory: Memory, block: str) -> None:
    old = card(memory, block, "Lanterns are lit at dusk")
    newer = card(memory, block, "Something else entirely", supersedes=[old])
    memory.forget([newer])

    assert "" == hit(memory, "lanterns", old).status
    assert () == memory.show(old, peek=True).superseded_by


def test_two_cards_that_supersede_each_other_say_nothing(memory: Memory, block: str) -> None:
    one = card(memory, block, "Lanterns are lit at dusk")
    two = card(memory, block, "Lamps burn all night", supersedes=[one])
    place = memory.root / memory.show(one, peek=True).path
    place.write_text(place.read_text("utf-8").replace("supersedes: []", f"supersedes: [{two}]"), "utf-8", newline="")

    assert "outdated" not in (hit(memory, "lanterns dusk", one).status, hit(memory, "lamps night", two).status)


def test_a_card_cannot_stand_against_itself_or_against_nothing(memory: Memory, block: str) -> None:
    one = card(memory, block, "Lanterns are lit at dusk")
    place = memory.root / memory.show(one, peek=True).path
    text = place.read_text("utf-8").replace("supersedes: []", f"supersedes: [{one}]").replace("conflicts_with: []", f"conflicts_with: [{one}, evt-20260520-zzzzzz, ../x]")
    place.write_text(text, "utf-8", newline="")

    assert "" == hit(memory, "lanterns", one).status
    assert ((), ()) == (memory.show(one, peek=True).superseded_by, memory.show(one, peek=True).conflicts_with)
    newer = card(memory, block, "Something else entirely", supersedes=[one])
    assert ("outdated", newer) == (hit(memory, "lanterns", one).status, hit(memory, "lanterns", one).counterpart)


def test_at_a_date_only_what_was_said_by_then_stands_against_a_card(memory: Memory, block: str) -> None:
    old = card(memory, block, "Lanterns are lit at dusk", mentioned_at="2026-01-10")
    newer = card(memory, block, "Something else entirely", mentioned_at="2026-04-10", supersedes=[old])

    assert "" == hit(memory, "lanterns dusk", old, at="2026-02").status
    assert newer == hit(memory, "lanterns dusk", old, at="2026-04-10").counterpart
    assert newer == hit(memory, "lanterns dusk", old).counterpart


def test_a_card_that_rules_made_weighs_at_most_a_tenth_once_superseded(memory: Memory) -> None:
    """Though it is about who somebody is, which else never weighs less than nine tenths."""
    memory.append([("main", Message("m1", "user", "I live in Lisbon.", at="2026-05-20T10:00:00Z"))])
    block = memory.seal("main", everything=True)[0].ref
    (made,) = [row.ref for row in memory.list(kinds=("event",))]
    shown = memory.show(made, peek=True)
    assert "rules" == shown.header["made_by"] and shown.weight and shown.weight.value >= 0.9

    newer = card(memory, block, "Jo lives in Berlin", supersedes=[made])

    shown = memory.show(made, peek=True)
    assert (newer,) == shown.superseded_by
    assert shown.weight and shown.weight.value <= 0.1


def test_the_commands_print_the_marks(run: Run, memory: Memory, block: str) -> None:  # noqa: F811
    old = card(memory, block, "The ferry leaves at noon")
    newer = card(memory, block, "The boat goes in the evening", conflicts_with=[old])
    assert f"conflicts with {newer}" in run("show", old, "--peek").out
    assert f"conflicts with {old}" in run("show", newer, "--peek").out
    assert f"disputed, see {newer}" in run("search", "ferry", "--kind", "event").out

    last = card(memory, block, "Something else entirely", supersedes=[old])

    assert f"superseded by {last}" in run("show", old, "--peek").out
    assert f"outdated, see {last}" in run("search", "ferry", "--kind", "event").out
    assert [["current", old], ["outdated", last]] == [[hit["status"], hit["counterpart"]] for hit in run("search", "ferry", "--kind", "event", "--json").json()]


# -- cards whose facts have ended ----------------------------------------------------------------


def says(memory: Memory, block: str, title: str, key: str, value: str, *, type: str = "state", mode: str = "state", day: str = "2026-05-20", who: str = "Jo", **more: object) -> str:
    fact = {"type": "person", "name": who, "mode": mode, "key": key, "value": value} | more
    return card(memory, block, title, event_type=type, mentioned_at=day, facts=[fact])


def test_a_card_whose_fact_was_replaced_is_outdated_and_names_the_one_that_holds(memory: Memory, block: str) -> None:
    old = says(memory, block, "Jo lives in Lisbon", "lives in", "Lisbon", day="2026-01-10")
    assert "" == hit(memory, "lives lisbon", old).status
    new = says(memory, block, "Jo moved to Berlin", "lives in", "Berlin", type="happening", day="2026-05-20")
    tea = says(memory, block, "Jo prefers tea in Lisbon", "prefers", "tea", mode="set", type="preference")

    assert ("outdated", new) == (hit(memory, "lives lisbon", old).status, hit(memory, "lives lisbon", old).counterpart)
    assert "" == hit(memory, "moved berlin", new).status == hit(memory, "tea lisbon", tea).status
    assert "" == hit(memory, "lives lisbon", old, at="2026-03").status, "in March it was so"
    assert "outdated" == hit(memory, "lives lisbon", old, at="2026-06").status
    away = says(memory, block, "Jo moved to Oslo", "lives in", "Oslo", type="happening", day="2026-06-20")
    assert "" == hit(memory, "moved berlin", new).status, "it happened, whatever came after"
    assert away == hit(memory, "lives lisbon", old).counterpart
    memory.entity_alias("Jo", add=["Joanna"])
    last = says(memory, block, "Joanna lives in Ghent", "lives in", "Ghent", day="2026-07-01", who="Joanna")
    assert last == hit(memory, "lives lisbon", old).counterpart, "wherever the facts of that person stand"


def test_a_card_whose_fact_was_ended_by_another_is_outdated_and_one_that_only_ran_out_is_not(memory: Memory, block: str) -> None:
    old = says(memory, block, "Jo likes oysters", "likes", "oysters", mode="set", type="preference", day="2026-01-10")
    trip = says(memory, block, "Jo takes a sabbatical", "plans", "a sabbatical", mode="set", type="plan", day="2026-01-10", valid_to="2026-02")
    gone = says(memory, block, "Jo is through with oysters", "likes", "oysters", mode="set", type="preference", day="2026-05-20", valid_to="2026-05-20")

    assert ("outdated", gone) == (hit(memory, "likes oysters", old).status, hit(memory, "likes oysters", old).counterpart)
    assert "" == hit(memory, "sabbatical", trip).status and "outdated" != hit(memory, "through oysters", gone).status
