"""Laws of the Janitor's plan, as properties of values."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from strata.ages import BELIEVED
from strata.janitor import DAY, Household, Life
from strata.model import Move
from strata.policy import NEVER, Policy, Rule

NOW = 1_800_000_000
PLACES = ("notes/a.md", "notes/projects/b.md", "notes/projects/deep/c.md", "notes/gtd/d.md", "entities/person/e.md", "events/2026/11/f.md", "blocks/2026/11/g.md")
TIERS = ("active", "cooled", "archive")
POLICY = Policy({"cool_after": 30, "cool_after.notes/projects": 14, "cool_after.notes/gtd": 7, "cool_after.entities": 60, "archive_after": 90, "keep_accesses": 1, "promote_accesses": 3})

ago = st.integers(-2, 400).map(lambda days: NOW - days * DAY) | st.integers(NOW - 400 * DAY, NOW)
lives = st.fixed_dictionaries({
    "tier": st.sampled_from(TIERS), "changed": ago, "arrived": ago, "lifted": st.booleans(), "edited": st.booleans(),
    "accesses": st.lists(st.integers(0, 200).map(lambda days: NOW - days * DAY), max_size=5).map(sorted), "pinned": st.booleans(),
})  # fmt: skip
worlds = st.dictionaries(st.sampled_from(PLACES), lives, max_size=7)


def household(world: dict, now: int = NOW, policy: Policy = POLICY) -> Household:
    rows: list[Life] = []
    for rest, life in world.items():
        active = life["tier"] == "active"
        rows.append((f"{life['tier']}/{rest}", life["changed"], life["arrived"], int(life["lifted"] and life["tier"] != "archive"), int(life["edited"] and not active)))
    pinned = {f"{life['tier']}/{rest}" for rest, life in world.items() if life["pinned"]}
    return Household(rows, policy, {rest: life["accesses"] for rest, life in world.items()}, pinned, now)


def applied(world: dict, moves: list[Move], now: int = NOW) -> dict:
    """The world after the moves: each record arrived now, lifted if it came nearer."""
    after = dict(world)
    for move in moves:
        (before, _, rest), tier = move.source.partition("/"), move.target.partition("/")[0]
        after[rest] = world[rest] | {"tier": tier, "arrived": now, "lifted": TIERS.index(tier) < TIERS.index(before), "edited": False}
    return after


@given(worlds)
def test_a_plan_that_was_carried_out_leaves_an_empty_plan(world: dict) -> None:
    after = applied(world, household(world).plan())

    assert [] == household(after).plan()


@given(worlds, st.sets(st.sampled_from(["promote", "migrate", "evict"]), min_size=1))
def test_so_does_a_plan_of_some_steps(world: dict, only: set[str]) -> None:
    moves = household(world).plan(only)

    assert {move.step for move in moves} <= only
    assert [] == household(applied(world, moves)).plan(only)


@given(worlds, st.randoms())
def test_the_order_of_the_records_does_not_matter(world: dict, shuffle: random.Random) -> None:
    rows = list(world.items())
    shuffle.shuffle(rows)

    assert household(world).plan() == household(dict(rows)).plan()


@given(worlds, st.integers(0, 1000))
def test_passing_time_never_undoes_a_demotion(world: dict, days: int) -> None:
    later = NOW + days * DAY
    demoted = {move.source: move.target for move in household(world).plan() if move.step != "promote"}
    then = {move.source: move.target for move in household(world, later).plan() if move.step != "promote"}
    after = applied(world, household(world).plan())
    lifted = {move.source for move in household(after, later).plan() if move.step == "promote"}

    assert demoted.keys() <= then.keys()
    assert all(TIERS.index(then[path].partition("/")[0]) >= TIERS.index(target.partition("/")[0]) for path, target in demoted.items())
    assert not lifted & {target for target in demoted.values()}


@given(worlds)
def test_what_is_pinned_never_moves(world: dict) -> None:
    moved = {move.source.partition("/")[2] for move in household(world).plan()}

    assert not moved & {rest for rest, life in world.items() if life["pinned"]}


@given(worlds)
def test_a_move_changes_the_tier_and_nothing_else_and_says_why(world: dict) -> None:
    for move in household(world).plan():
        assert move.source.partition("/")[2] == move.target.partition("/")[2]
        assert move.source.partition("/")[0] != move.target.partition("/")[0]
        assert move.reason


@given(worlds)
def test_what_waits_is_due_exactly_then(world: dict) -> None:
    here = household(world)
    for waiting in here.waiting():
        rest = waiting.path.partition("/")[2]
        early = {move.source for move in household(world, waiting.due - 1).plan()} if waiting.due - 1 >= NOW else set()
        on_time = {move.source for move in household(world, waiting.due).plan()}

        assert waiting.due > NOW
        assert waiting.path in on_time
        assert waiting.path not in early or (world[rest]["edited"] or len(world[rest]["accesses"]) >= 3)


def life(tier: str, idle: float, **more: object) -> dict:
    return {"tier": tier, "changed": NOW - int(idle * DAY), "arrived": NOW - 300 * DAY, "lifted": False, "edited": False, "accesses": [], "pinned": False} | more


def target(rest: str, record: dict) -> str:
    moves = household({rest: record}).plan()
    return moves[0].target.partition("/")[0] if moves else ""


def test_each_place_cools_after_its_own_days() -> None:
    for rest, days in {"notes/a.md": 30, "notes/projects/b.md": 14, "notes/projects/deep/c.md": 14, "notes/gtd/d.md": 7, "entities/person/e.md": 60, "notes/projects-old/x.md": 30}.items():
        assert "cooled" == target(rest, life("active", days))
        assert "" == target(rest, life("active", days - 0.01))


def test_what_was_idle_for_very_long_goes_on_to_the_archive_in_the_same_run() -> None:
    assert "archive" == target("notes/a.md", life("active", 90))
    assert "cooled" == target("notes/a.md", life("active", 89.9))


def test_a_second_access_keeps_it_cooled_and_a_third_brings_it_back() -> None:
    old = [NOW - 200 * DAY]
    assert "archive" == target("notes/a.md", life("cooled", 250, accesses=old))
    assert "" == target("notes/a.md", life("cooled", 250, accesses=old * 2))
    assert "active" == target("notes/a.md", life("cooled", 250, accesses=old * 3))
    assert "active" == target("notes/a.md", life("archive", 250, accesses=old * 3))


def test_accesses_before_it_cooled_do_not_count_again() -> None:
    assert "" == target("notes/a.md", life("cooled", 40, accesses=[NOW - 310 * DAY] * 9))


def test_an_access_makes_it_young_and_a_search_hit_is_none() -> None:
    assert "" == target("notes/a.md", life("active", 200, accesses=[NOW - 5 * DAY]))
    assert "archive" == target("notes/a.md", life("active", 200))


def test_an_edit_where_it_rests_brings_it_back() -> None:
    assert "active" == target("notes/a.md", life("cooled", 1, edited=True))
    assert "active" == target("notes/a.md", life("archive", 1, edited=True))


def test_what_somebody_lifted_is_not_put_back_at_once() -> None:
    assert "" == target("notes/a.md", life("active", 200, arrived=NOW - DAY, lifted=True))
    assert "archive" == target("notes/a.md", life("active", 200, arrived=NOW - 31 * DAY, lifted=True)), "else the run after it would archive it"
    assert "cooled" == target("notes/a.md", life("active", 89, arrived=NOW - 31 * DAY, lifted=True))


def test_an_access_in_the_future_neither_makes_young_nor_counts() -> None:
    ahead = [NOW + BELIEVED + 1] * 5
    assert "archive" == target("notes/a.md", life("active", 200, accesses=ahead))
    assert "" == target("notes/a.md", life("cooled", 40, accesses=ahead))
    assert "" == target("notes/a.md", life("active", 200, accesses=[NOW + BELIEVED - 1]))


def test_never_is_never() -> None:
    policy = Policy({"cool_after.notes": NEVER})
    assert [] == household({"notes/a.md": life("active", 10_000)}, policy=policy).plan()


def test_most_of_a_tier_at_once_is_noticed_and_a_few_are_not() -> None:
    def world(old: int, young: int) -> Household:
        return household({f"notes/n{number}.md": life("active", 40 if number < old else 1) for number in range(old + young)})

    assert ("active", 21, 41) == world(21, 20).crowded(world(21, 20).plan())
    assert world(21, 21).crowded(world(21, 21).plan()) is None
    assert world(20, 0).crowded(world(20, 0).plan()) is None


@given(st.lists(st.tuples(st.sampled_from(["", "notes", "notes/projects", "notes/projects/deep", "notes/projects/b", "entities"]), st.integers(1, 99)), unique_by=lambda row: row[0]), st.sampled_from(PLACES))
def test_the_longest_prefix_of_whole_components_counts(rows: list[tuple[str, int]], rest: str) -> None:
    policy = Policy({f"cool_after.{prefix}".rstrip("."): days for prefix, days in rows})
    name = rest.removesuffix(".md")
    fitting = [(len(prefix), days) for prefix, days in rows if not prefix or f"{name}/".startswith(f"{prefix}/")]

    assert (max(fitting)[1] if fitting else Rule().cool_after) == policy.of(rest).cool_after
