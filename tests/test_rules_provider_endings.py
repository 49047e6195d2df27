"""What a later card ends: the fact it says is over, the plan it cancels, the choice it takes back, and nothing beside it."""

from __future__ import annotations

import pytest

from strata import claims, graph
from strata.cards import Event
from strata.holding import Said
from strata.model import Message
from strata.models.ending import closing, ends
from strata.models.extracting import cards
from strata.models.projecting import claims as projected
from strata.models.replacing import may_replace, replaced

OLD, NEW = "evt-20260520-aaaaaa", "evt-20260620-aaaaaa"


def card(text: str, ident: str, block: str, speaker: str = "") -> Event:
    day = f"2026-{ident[8:10]}-20T10:00:00Z"
    (made,) = cards([Message("m1", "user", text, speaker, day)], "main")
    return made._replace(id=ident, source_block=block)


def facts(old: str, new: str, block: str = "blk-b") -> list[str]:
    """The facts of the earlier card, as the later one leaves them."""
    older, newer = card(old, OLD, "blk-a"), card(new, NEW, block)
    supersedes, _ = replaced(newer, [older])
    newer = newer._replace(supersedes=supersedes)
    events = {each.id: each._replace(facts=tuple(map(claims.line, projected(each)))) for each in (older, newer)}
    said: dict[str, list[Said]] = {}
    for ref, event in events.items():
        for claim in projected(event):
            said.setdefault(claim.entity, []).append(Said(ref, event, claim))
    return [f"{fact.key}: {fact.value} · {fact.status}" for each in said.values() for fact in graph.facts(each, events) if OLD in fact.events]


@pytest.mark.parametrize(
    "old, new",
    [
        ("I work at Brightwater.", "I left Brightwater last month."),
        ("I work at Brightwater.", "I've left Brightwater."),
        ("I work at Brightwater.", "I no longer work at Brightwater."),
        ("I work at Brightwater.", "I quit my job at Brightwater."),
        ("I live in Berlin.", "I left Berlin last month."),
        ("I live in Berlin.", "I don't live in Berlin anymore."),
        ("I'm a nurse.", "I'm no longer a nurse."),
        ("I'm vegetarian.", "I'm no longer vegetarian."),
        ("I'm allergic to cats.", "I am no longer allergic to cats."),
        ("I'm allergic to cats.", "I'm not allergic to cats anymore."),
        ("I love coffee.", "I don't like coffee anymore."),
        ("I prefer tabs.", "I now prefer spaces over tabs."),
        ("I prefer tabs over spaces.", "I prefer spaces over tabs."),
        ("Heron uses Postgres.", "Let's drop Postgres and switch Heron to SQLite instead."),
        ("Heron uses Postgres.", "We decided to switch Heron from Postgres to SQLite."),
        ("Let's use Postgres for Heron.", "Let's drop Postgres and switch Heron to SQLite instead."),
        ("I'm flying to Oslo on 3 July.", "The trip to Oslo is cancelled."),
        ("I'm flying to Oslo on 3 July.", "We are no longer flying to Oslo."),
        ("我在腾讯上班。", "我从腾讯离职了。"),
    ],
)
def test_what_is_said_to_be_over_is_closed(old: str, new: str) -> None:
    assert may_replace(card(new, NEW, "blk-b"))
    assert ["closed"] == [fact.rpartition(" · ")[2] for fact in facts(old, new)]


@pytest.mark.parametrize(
    "old, new",
    [
        ("I work at Brightwater.", "I left Oslo last month."),
        ("I work at Brightwater.", "I'm no longer a nurse."),
        ("I'm allergic to cats and dogs.", "I am no longer allergic to cats."),
        ("I prefer tabs.", "I prefer coffee over tea."),
        ("Heron uses Postgres.", "Let's drop Postgres and switch Robin to SQLite instead."),
        ("Let's use Postgres for Heron and Robin.", "Let's drop Postgres and switch Heron to SQLite instead."),
        ("I'm flying to Bergen on 3 July.", "The trip to Oslo is cancelled."),
        ("I'm flying to Oslo on 3 July.", "The trip is cancelled."),
        ("Let's use 4 spaces.", "Let's use tabs instead."),
    ],
)
def test_what_is_not_named_goes_on(old: str, new: str) -> None:
    assert ["current"] == [fact.rpartition(" · ")[2] for fact in facts(old, new)]


def test_instead_takes_the_place_of_the_decision_right_before_it() -> None:
    assert ["decided: Let's use 4 spaces · closed"] == facts("Let's use 4 spaces.", "Let's use tabs instead.", block="blk-a")
    assert ["decided: Let's call it Heron · current"] == facts("Let's call it Heron.", "Let's use tabs instead.", block="blk-a")


def test_a_cancelled_trip_that_two_plans_can_be_leaves_both() -> None:
    plans = [card(text, ref, "blk-a") for text, ref in (("I'm flying to Oslo on 3 July.", OLD), ("I'm going to visit Oslo in August.", "evt-20260520-bbbbbb"))]

    assert ((), ()) == replaced(card("The trip to Oslo is cancelled.", NEW, "blk-b"), plans)


def test_a_card_that_says_more_than_what_is_over_stays() -> None:
    older = card("I'm a vegan and I don't drink alcohol.", OLD, "blk-a")

    assert 2 == len(projected(older))
    assert ((), ()) == replaced(card("I'm no longer vegan.", NEW, "blk-b"), [older])


def test_a_plain_denial_ends_nothing() -> None:
    denial = card("I left Brightwater.", NEW, "blk-b")._replace(quotes=("I'm not allergic to cats. I don't work at Nordwind, and I left early.",))

    assert () == ends(denial)
    assert [] == list(closing(denial, lambda claim: True))


def test_what_ended_before_it_was_told_is_one_fact() -> None:
    newer = card("I quit my job at Brightwater last month.", NEW, "blk-b")

    assert [("works at", "2026-05")] == [(claim.key, claim.valid_to) for claim in projected(newer)]
    maybe = card("I left Brightwater last month.", NEW, "blk-b")
    assert ((), ["2026-05"]) == (projected(maybe), [claim.valid_to for claim in closing(maybe, lambda claim: claim.value == "Brightwater")])


def test_nobody_ends_what_somebody_else_said() -> None:
    older = card("I work at Brightwater.", OLD, "blk-a", "Runa")

    assert ((), ()) == replaced(card("I left Brightwater last month.", NEW, "blk-b", "Ove"), [older])
    assert ((OLD,), ()) == replaced(card("I left Brightwater last month.", NEW, "blk-b", "Runa"), [older])


def test_the_earlier_ends_nothing_of_the_later() -> None:
    assert ((), ()) == replaced(card("I left Brightwater last month.", OLD, "blk-b"), [card("I work at Brightwater.", NEW, "blk-a")])


@pytest.mark.parametrize("text", ["I'm allergic to cats.", "I prefer tabs.", "Let's use Valkey.", "I left early yesterday."])
def test_most_cards_need_no_second_look(text: str) -> None:
    assert not may_replace(card(text, NEW, "blk-b"))


@pytest.mark.parametrize(("said", "over"), [
    ("I left Brightwater last month.", True), ("I just left Brightwater.", True), ("I've left Brightwater after nine years.", True), ("I left Brightwater for Nordwind.", True), ("I left Brightwater in May.", True),
    ("I left Brightwater early today because of the storm.", False), ("I left Brightwater for lunch.", False), ("I left Brightwater at noon.", False), ("I left Brightwater in a hurry.", False),
    ("I left the Brightwater office at five.", False), ("I left Brightwater's keys on the desk.", False), ("I left Brightwater Labs last year.", False), ("I left Brightwater yesterday, my keys are still there.", False),
])  # fmt: skip
def test_who_leaves_a_firm_for_good_works_there_no_longer_and_who_goes_home_does(said: str, over: bool) -> None:
    older = card("I work at Brightwater.", OLD, "blk-a")
    newer = card("I left Brightwater last month.", NEW, "blk-b")._replace(quotes=(said,))

    assert over == (((OLD,), ()) == replaced(newer, [older])), said


@pytest.mark.parametrize("said", ["I left Porto for the weekend.", "I left Porto yesterday to visit my sister.", "I left Porto last month for a conference.", "I left Porto on Friday."])
def test_who_travels_lives_where_they_lived(said: str) -> None:
    newer = card("I left Brightwater last month.", NEW, "blk-b")._replace(quotes=(said,))
    assert ((), ()) == replaced(newer, [card("I live in Porto.", OLD, "blk-a")])


@pytest.mark.parametrize(("chosen", "said", "over"), [
    ("We decided to use Redis for caching.", "We no longer use Redis.", True), ("Let's use Redis for caching.", "We dropped Redis in favour of Valkey.", True), ("Let's use Redis.", "We replaced Redis with Valkey.", True),
    ("Let's use npm.", "We no longer use npm.", True), ("Let's use Postgres for the ledger service.", "Switch the ledger from Postgres to SQLite.", True), ("Let's use Postgres for the ledger.", "We no longer use Postgres for the ledger.", True),
    ("Let's use Postgres for the ledger.", "Switch the billing from Postgres to SQLite.", False), ("Let's use Redis for queues.", "We no longer use Redis for queues.", True),
    ("Let's use Redis for caching.", "We no longer use Redis for queues.", False), ("Let's use Redis for caching.", "We dropped Valkey.", False), ("Let's use Redis for caching.", "We dropped the old Redis box.", False),
])  # fmt: skip
def test_a_tool_that_is_given_up_ends_the_decision_for_it_whatever_it_was_for(chosen: str, said: str, over: bool) -> None:
    older = card(chosen, OLD, "blk-a")
    newer = card("We no longer use X of all.", NEW, "blk-b")._replace(quotes=(said,)) if not over else card(said, NEW, "blk-b")

    assert over == (OLD in replaced(newer, [older])[0])


@pytest.mark.parametrize("said", ["We dropped the ball.", "We dropped Max at school.", "We moved away from home.", "We replaced it with care.", "We no longer use that."])
def test_what_is_no_tool_is_not_given_up(said: str) -> None:
    assert [] == cards([Message("m1", "user", said, at="2026-05-20T10:00:00Z")], "main")


@pytest.mark.parametrize(("old", "new", "over"), [
    ("I'm allergic to penicillin.", "Correction: I'm allergic to amoxicillin, not penicillin.", True), ("I work at Nordwind.", "Correction: I work at Brightwater, not at Nordwind.", True),
    ("I'm allergic to penicillin.", "Correction: I'm allergic to amoxicillin, not cats.", False), ("I'm allergic to penicillin and to cats.", "Correction: I'm allergic to amoxicillin, not cats.", False),
])  # fmt: skip
def test_what_somebody_puts_right_takes_the_place_of_what_they_said(old: str, new: str, over: bool) -> None:
    assert over == (OLD in replaced(card(new, NEW, "blk-b"), [card(old, OLD, "blk-a")])[0])


@pytest.mark.parametrize(("chosen", "said", "over"), [
    ("Let's use Go for tidepool.", "Let's use Rust for tidepool instead of Go.", True), ("Let's switch tidepool from Go to Rust.", "Let's go back to Go.", True),
    ("Let's use Fastify instead of Express.", "Let's use Express instead of Fastify.", True), ("Let's replace Express with Fastify.", "We go back to Express.", True),
    ("We'll use ratatui for the TUI.", "Drop ratatui, a plain prompt is enough.", True), ("We decided to use MongoDB for Heron.", "We've decided to drop MongoDB and move to Postgres 16, because of backups.", True),
    ("Let's use Go for tidepool.", "Let's use Rust for the importer instead of Go.", False), ("Let's use Go for tidepool.", "Let's use Rust for tidepool instead of Zig.", False),
    ("Let's switch tidepool from Go to Rust.", "Let's go back to Zig.", False), ("We'll use MongoDB for the events and Express for the API.", "We've decided to drop MongoDB and move to Postgres 16, because of backups.", False),
    ("Let's use Postgres.", "Let's use SQLite for the tests instead of Postgres.", False), ("Let's use Rust instead of Go.", "Let's use Rust for tidepool instead of Go.", False),
])  # fmt: skip
def test_a_choice_ends_the_one_of_which_it_leaves_nothing(chosen: str, said: str, over: bool) -> None:
    assert over == (OLD in replaced(card(said, NEW, "blk-b"), [card(chosen, OLD, "blk-a")])[0])
    assert OLD not in replaced(card(said, NEW, "blk-b", "Ove"), [card(chosen, OLD, "blk-a", "Runa")])[0], "somebody else's choice"


def test_what_is_no_longer_preferred_ends_that_preference_and_invents_none() -> None:
    assert ["prefers: tabs over spaces · closed"] == facts("I prefer tabs over spaces.", "I no longer prefer tabs.")
    assert () == projected(card("I no longer prefer tabs.", NEW, "blk-b"))
    assert ["prefers: 喝咖啡 · closed"] == facts("我喜欢喝咖啡。", "我不喜欢喝咖啡了。")
    assert ["喝咖啡"] == [claim.value for claim in projected(card("我不喜欢喝咖啡了。", NEW, "blk-b"))]
    assert ["里斯本"] == [claim.value for claim in projected(card("我现在住在里斯本了。", NEW, "blk-b"))]


@pytest.mark.parametrize(("said", "found"), [
    ("I started at Northwind on Monday.", ["works at Northwind"]), ("I joined Northwind last week as a data engineer.", ["works at Northwind"]), ("I joined Slack last week.", []), ("My manager is Katarzyna.", ["manager Katarzyna"]), ("I live in Leeds and work at Northgate.", ["lives in Leeds", "works at Northgate"]),
])  # fmt: skip
def test_where_and_with_whom_somebody_works(said: str, found: list[str]) -> None:
    (made,) = cards([Message("m1", "user", said, at="2026-05-20T10:00:00Z")], "main")
    assert found == sorted(f"{claim.key} {claim.value}" for claim in projected(made))


@pytest.mark.parametrize("said", ["My manager is angry.", "Drop me a line.", "Drop it.", "Let's go back to work.", "We go back to the drawing board.", "Let's go back to bed."])
def test_what_only_sounds_like_a_choice_or_a_name_makes_no_card(said: str) -> None:
    assert [] == cards([Message("m1", "user", said, at="2026-05-20T10:00:00Z")], "main")


@pytest.mark.parametrize(("old", "new"), [
    ("I work at Brightwater.", "I left Brightwater in 2019 and rejoined in 2021."), ("I work at Brightwater.", "I left Brightwater last month but I came back."), ("I work at Brightwater.", "I left Brightwater in 2019."),
    ("I'm allergic to penicillin.", "I'm no longer allergic to penicillin, or so I thought."), ("I'm allergic to cats.", "I'm not allergic to cats anymore, says my horoscope."),
    ("I'm vegetarian.", "I'm no longer vegetarian on Sundays."), ("I'm vegetarian.", "I'm vegan on Mondays."), ("I work at Brightwater.", "I no longer work at Brightwater on Fridays."),
    ("I work at Brightwater.", "I no longer work at Brightwater as a contractor, I am now employed there."),
    ("I'm flying to Oslo on 3 July.", "The Oslo meeting is cancelled."),
])  # fmt: skip
def test_what_ended_in_part_in_doubt_or_long_ago_goes_on(old: str, new: str) -> None:
    later = cards([Message("m1", "user", new, at="2026-06-20T10:00:00Z")], "main")
    newer = later[0]._replace(id=NEW, source_block="blk-b") if later else card("I left Brightwater last month.", NEW, "blk-b")._replace(quotes=(new,))
    older = card(old, OLD, "blk-a")

    assert ((), ()) == replaced(newer, [older])
    assert not [claim for claim in projected(newer) if claim.key == "diet"]
    events = {each.id: each._replace(facts=tuple(map(claims.line, (*projected(each), *closing(each, lambda claim: True))))) for each in (older, newer)}
    said = [Said(ref, event, claim) for ref, event in events.items() for claim in claims.of_lines(event.facts or ()) if claim.entity == "ent-person-user"]
    assert [fact.status for fact in graph.facts(said, events) if OLD in fact.events] == ["current"]


def test_only_a_plan_that_lies_ahead_is_cancelled() -> None:
    past, ahead = card("I'm flying to Oslo on 3 March 2026.", "evt-20260220-aaaaaa", "blk-a"), card("I'm flying to Oslo on 3 July 2026.", OLD, "blk-a")

    assert ((OLD,), ()) == replaced(card("The trip to Oslo is cancelled.", NEW, "blk-b"), [ahead, past])


@pytest.mark.parametrize("said", ["我上周搬到了三楼。", "我上个月搬到了隔壁办公室。", "我搬到会议室了。"])
def test_a_room_is_nobodys_home(said: str) -> None:
    made = cards([Message("m1", "user", said, at="2026-05-20T10:00:00Z")], "main")
    assert [] == [claim for event in made for claim in projected(event) if claim.key == "lives in"]
