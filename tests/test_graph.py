"""Facts follow from claims: the laws, and each rule once."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import graph
from strata.cards import Event
from strata.claims import Claim
from strata.graph import Fact, at, facts
from strata.holding import Said


def event(day: str = "2026-05-20", **more: Any) -> Event:
    blank = {"title": "t", "event_type": "", "status": "unknown", "happened_start": "", "happened_end": "", "precision": "unknown", "basis": "unknown", "original_text": "", "participants": (), "source_block": "b", "source_messages": (f"m-{day}",)}
    return Event(**(blank | {"mentioned_at": day} | more))  # type: ignore[arg-type]


def lives(value: str, ref: str, day: str = "2026-05-20", start: str = "", end: str = "", **more: Any) -> Said:
    return Said(ref, event(day, **more), Claim("person", "Jo", "state", "lives in", value, "", start, end))


def likes(value: str, ref: str, day: str = "2026-05-20", start: str = "", end: str = "", **more: Any) -> Said:
    return Said(ref, event(day, **more), Claim("person", "Jo", "set", "likes", value, "", start, end))


def told(*said: Said) -> list[tuple[str, str, str, str]]:
    return [(fact.value, fact.valid_from, fact.valid_to, fact.status) for fact in facts(said)]


DAYS = st.sampled_from(["", "2025", "2026-01", "2026-03-04", "2026-05-20", "2026-05-20T08:00:00+09:00", "2027-02-01"])
REFS = [f"evt-202605{20 + number}-aaaaa{letter}" for number, letter in enumerate("abcdef")]


@st.composite
def histories(draw: st.DrawFn) -> list[Said]:
    """What some cards say, which supersede and contradict each other; several claims may stand in one card."""
    events = {}
    for ref in REFS[: draw(st.integers(1, 6))]:
        others = st.lists(st.sampled_from(REFS), max_size=1).map(tuple)
        events[ref] = event(
            draw(DAYS), status=draw(st.sampled_from(["unknown", "occurred", "planned", "cancelled"])), happened_start=draw(DAYS),
            event_type=draw(st.sampled_from(["", "correction"])), source_messages=draw(st.sampled_from([("m1",), ("m2",), ("m1", "m2")])), made_by=draw(st.sampled_from(["", "rules"])), facts=draw(st.sampled_from([None, ()])), supersedes=draw(others), conflicts_with=draw(others),
        )  # fmt: skip
    found = []
    for ref in draw(st.lists(st.sampled_from(sorted(events)), min_size=1, max_size=9)):
        mode, key, value, target = draw(st.sampled_from([("state", "lives in", "Berlin", ""), ("state", "lives in", "Bern", ""), ("state", "Lives in", "berlin", ""), ("set", "likes", "tea", ""), ("set", "likes", "cake", ""), ("relation", "knows", "Ana", "person")]))
        start, end = draw(DAYS), draw(DAYS)
        found.append(Said(ref, events[ref], Claim("person", "Jo", mode, key, value, target, start, end, draw(st.sampled_from([None, 0.5, 1.0])))))
    return found


@settings(max_examples=300)
@given(histories(), st.randoms())
def test_neither_the_order_of_cards_nor_saying_them_twice_matters(said: list[Said], chance: random.Random) -> None:
    whole = facts(said)
    mixed = said * 2
    chance.shuffle(mixed)

    assert whole == facts(mixed)
    assert {(ref, claim.value.casefold()) for ref, _, claim in said} == {(ref, fact.value.casefold()) for fact in whole for ref in fact.events}, "no card is lost, none invented"


@settings(max_examples=300)
@given(histories())
def test_folding_in_steps_gives_the_same_as_all_at_once(said: list[Said]) -> None:
    events = {each.ref: each.event for each in said}
    groups = {graph.group(each.claim) for each in said}
    found: tuple[Fact, ...] = ()
    for name in sorted(groups):
        part = facts([each for each in said if graph.group(each.claim) == name], events)
        found = graph.ordered([*(fact for fact in found if fact.group != name), *part])

    assert facts(said) == found


@settings(max_examples=300)
@given(histories(), DAYS.filter(bool))
def test_ids_are_unique_and_two_states_that_follow_each_other_do_not_hold_at_an_instant(said: list[Said], day: str) -> None:
    found = facts(said)

    assert len(found) == len({fact.id for fact in found})
    assert set(at(found, day)) <= set(found)
    assert not [fact for fact in at(found, day) if fact.status == "retracted"]


def test_the_next_state_closes_the_one_before_whichever_was_told_first() -> None:
    early, late = lives("Berlin", REFS[0], "2026-05-20"), lives("Bern", REFS[1], "2026-05-21", "2024")

    assert [("Bern", "2024", "2026-05-20", "closed"), ("Berlin", "", "", "current")] == told(early, late)


def test_two_states_of_one_day_go_by_the_hour_they_were_told() -> None:
    first, second = lives("Berlin", REFS[1], "2026-05-20T09:00:00Z"), lives("Bern", REFS[0], "2026-05-20T10:00:00Z")

    assert [("Berlin", "closed"), ("Bern", "current")] == [(fact.value, fact.status) for fact in facts([second, first])]
    assert ["Bern"] == [fact.value for fact in at(facts([first, second]), "2026-05-20")]


def test_equal_states_one_after_another_are_one_fact_with_both_cards_until_something_comes_between() -> None:
    january, march = lives("Berlin", REFS[0], "2026-01-01"), lives("berlin", REFS[1], "2026-03-01")

    assert [("Berlin", "", "", "current")] == told(january, march)
    assert [REFS[0], REFS[1]] == list(facts([january, march])[0].events)
    assert ["Berlin", "Bern", "berlin"] == [fact.value for fact in facts([january, march, lives("Bern", REFS[2], "2026-02-01")])]


def test_a_set_gathers_and_an_end_that_is_stated_closes() -> None:
    assert {("tea", "current"), ("cake", "current")} == {(fact.value, fact.status) for fact in facts([likes("tea", REFS[0]), likes("cake", REFS[1])])}
    assert [("tea", "2024", "2025", "closed")] == told(likes("tea", REFS[0], start="2024", end="2025"))
    assert [("tea", "", "2027", "current")] == told(likes("tea", REFS[0], end="2027")), "the end lay ahead when it was told"
    assert 2 == len(told(likes("tea", REFS[0], start="2020", end="2021"), likes("tea", REFS[1], start="2025")))


def test_what_supersedes_closes_and_what_corrects_takes_back() -> None:
    newer = {"supersedes": (REFS[0],)}

    assert [("tea", "", "2026-06-01", "closed")] == [row for row in told(likes("tea", REFS[0]), likes("cake", REFS[1], "2026-06-01", **newer)) if row[0] == "tea"]
    assert [("tea", "retracted")] == [(row[0], row[3]) for row in told(likes("tea", REFS[0]), likes("cake", REFS[1], "2026-06-01", event_type="correction", **newer)) if row[0] == "tea"]
    assert ["current"] == [fact.status for fact in facts([likes("tea", REFS[0]), likes("tea", REFS[1], "2026-06-01", **newer)])], "the newer card says it too"
    assert [("tea", "", "2026-05-25", "closed")] == [tuple(row) for row in _told_by(likes("tea", REFS[0]), {REFS[1]: event("2026-06-01", status="occurred", happened_start="2026-05-25", **newer)})]


def _told_by(said: Said, others: dict[str, Event]) -> list[tuple[str, str, str, str]]:
    return [(fact.value, fact.valid_from, fact.valid_to, fact.status) for fact in facts([said], others)]


def test_a_cancelled_card_says_nothing_that_is_true() -> None:
    assert [("Berlin", "", "", "current"), ("Bern", "", "", "retracted")] == sorted(told(lives("Berlin", REFS[0]), lives("Bern", REFS[1], "2026-05-21", status="cancelled")), key=lambda row: row[3])


@pytest.mark.parametrize("who", [0, 1])
def test_cards_that_contradict_each_other_are_both_disputed_and_neither_follows_on_the_other(who: int) -> None:
    says = [{"conflicts_with": (REFS[1 - number],)} if number == who else {} for number in (0, 1)]
    pair = [lives("Berlin", REFS[0], "2026-05-20", **says[0]), lives("Bern", REFS[1], "2026-05-21", **says[1])]

    assert [("Berlin", "", "", "disputed"), ("Bern", "", "", "disputed")] == told(*pair)
    assert ["closed", "closed", "current"] == [fact.status for fact in facts([*pair, lives("Oslo", REFS[2], "2026-06-01")])]


def test_a_plan_closes_nothing_and_comes_true_when_it_is_told() -> None:
    plan = lives("Bern", REFS[1], "2026-05-20", status="planned", happened_start="2026-09")
    now = lives("Berlin", REFS[0], "2026-01-01")

    assert [("Berlin", "", "", "current"), ("Bern", "2026-09", "", "planned")] == told(now, plan)
    assert ["Berlin"] == [fact.value for fact in at(facts([now, plan]), "2026-08")]
    assert ["Berlin", "Bern"] == [fact.value for fact in at(facts([now, plan]), "2026-09-10")]
    came = facts([now, plan, lives("Bern", REFS[2], "2026-09-05")])
    assert [("Berlin", "closed"), ("Bern", "current")] == [(fact.value, fact.status) for fact in came]
    assert (REFS[1], REFS[2]) == came[1].events
    assert () == at(facts([lives("Bern", REFS[1], status="planned")]), "2030"), "planned for nobody knows when"


def test_at_a_date_what_was_true_on_it_counts() -> None:
    found = facts([lives("Berlin", REFS[0], start="2024"), lives("Bern", REFS[1], start="2026-05-10"), likes("tea", REFS[2], end="2026-05")])
    values = {day: [fact.value for fact in at(found, day)] for day in ("2023", "2024", "2026-05-09", "2026-05-10", "2026-05", "2026", "2026-06")}

    assert [] == values["2023"]
    assert ["Berlin"] == values["2024"] == values["2026-05-09"]
    assert ["Bern"] == values["2026-05-10"], "on the day of the change the new one"
    assert ["Berlin", "Bern", "tea"] == sorted(values["2026"]), "at some time of that year"
    assert ["tea"] == [fact.value for fact in at(facts([likes("tea", REFS[2], "2026-05-20", end="2026-05")]), "2026-05-31")], "the month it ends with is in it"
    assert ["Bern"] == values["2026-06"]
    assert [] == [fact.value for fact in at(facts([likes("tea", REFS[0], "2026-05-20")]), "2026-05-19")], "from the day it was told"


def test_the_id_of_a_fact_stays_while_more_cards_say_it() -> None:
    one, two = facts([likes("tea", REFS[0])])[0], facts([likes("tea", REFS[0]), likes("Tea", REFS[1], "2026-05-22", end="2026-07")])[0]

    assert one.id == two.id and one.id.startswith("likes-")


def test_a_card_made_anew_of_the_same_messages_takes_back_what_it_does_not_say_again() -> None:
    anew = {"supersedes": (REFS[0],), "source_messages": ("m1",)}
    old = {"source_messages": ("m1", "m2")}

    assert [("cake", "current"), ("tea", "retracted")] == [(row[0], row[3]) for row in told(likes("tea", REFS[0], **old), likes("cake", REFS[1], **anew))]
    same = facts([likes("tea", REFS[0], **old), likes("Tea", REFS[1], **anew)])
    assert [("current", (REFS[0], REFS[1]))] == [(fact.status, fact.events) for fact in same], "said again it is the same fact, by its old id"
    assert same[0].id == facts([likes("tea", REFS[0], **old)])[0].id
    wider = {"supersedes": (REFS[0],), "source_messages": ("m1", "m2", "m9")}
    assert [("tea", "closed")] == [(row[0], row[3]) for row in told(likes("tea", REFS[0], **old), likes("cake", REFS[1], **wider)) if row[0] == "tea"], "a later message changed it"


def test_a_card_of_a_provider_supersedes_facts_only_once_it_says_what_it_means() -> None:
    newer = {"supersedes": (REFS[0],), "made_by": "openai:some"}
    old = lives("Berlin", REFS[0])

    assert [("Berlin", "", "", "current")] == _told_by(old, {REFS[1]: event("2026-06-01", facts=None, **newer)})
    assert [("Berlin", "", "2026-06-01", "closed")] == _told_by(old, {REFS[1]: event("2026-06-01", facts=(), **newer)})
    assert [("Berlin", "", "2026-06-01", "closed")] == _told_by(old, {REFS[1]: event("2026-06-01", supersedes=(REFS[0],))}), "what a person records counts at once"


def test_an_end_that_is_told_afterwards_ends_the_fact_that_was_told_before_also_when_its_card_supersedes() -> None:
    old, end = likes("tea", REFS[0], "2026-01-10"), likes("tea", REFS[1], "2026-05-11", end="2026-04")

    assert [("tea", "", "2026-04", "closed")] == told(old, end)
    assert [("tea", "", "2026-04", "closed")] == told(old, likes("tea", REFS[1], "2026-05-11", end="2026-04", supersedes=(REFS[0],), status="occurred", happened_start="2026-04"))
    assert [("tea", "", "2026-04", "closed"), ("tea", "", "", "current")] == sorted(told(old, end, likes("tea", REFS[2], "2026-06-01")), key=lambda row: row[3])


def test_a_move_of_last_month_comes_after_what_was_said_in_that_month() -> None:
    rome = lives("Rome", REFS[0], "2026-02-20")

    assert [("Rome", "", "2026-02", "closed"), ("Lisbon", "2026-02", "", "current")] == sorted(told(rome, lives("Lisbon", REFS[1], "2026-03-05", start="2026-02")), key=lambda row: row[3])
    assert ["Lisbon"] == [fact.value for fact in facts([rome, lives("Lisbon", REFS[1], "2026-06-05", start="2026")]) if fact.status == "current"]
    assert ["Rome"] == [fact.value for fact in facts([rome, lives("Lisbon", REFS[1], "2026-03-05", start="2025")]) if fact.status == "current"], "where somebody lived before"


def test_an_end_long_before_it_was_said_ends_nothing() -> None:
    works = likes("tea", REFS[0], "2026-01-10")

    assert ["current"] == [fact.status for fact in facts([works, likes("tea", REFS[1], "2026-02-12", end="2019")]) if REFS[0] in fact.events]
    assert ["closed"] == [fact.status for fact in facts([works, likes("tea", REFS[1], "2026-02-12", end="2025-12")]) if REFS[0] in fact.events], "people are not exact"
