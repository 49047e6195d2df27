"""What resting records save: every amount is what its formula says, and nothing is guessed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from command import Run, run  # noqa: F401
from conftest import Clock
from hypothesis import given
from hypothesis import strategies as st

from strata import Memory
from strata.asking import Reply
from strata.costs import CONTEXT, JUDGE, Cost, CostLine, Kept, Prices, Swept, cost
from strata.errors import UsageError
from strata.render import jsontext
from strata.render.screen import Screen
from strata.render.text import text
from strata.render.visible import width
from strata.results import Mapped
from strata.spending import Spent, receipt

DAY = 86_400
NOW = 100 * DAY
FILES = [
    Kept("active/notes/a.md", 1000, NOW),
    Kept("active/tails/main.md", 600, NOW),
    Kept("cooled/notes/b.md", 2000, NOW - 10 * DAY),
    Kept("archive/events/2026/01/c.md", 5000, NOW - 50 * DAY),
]
RUNS = [Swept("2026-11-30T12:00:00Z", 40, 2), Swept("2026-10-01T12:00:00Z", 60, 1)]
ALL = Prices(4.0, 3.0, 15.0, "EUR", 8.0, 50)


def line(savings: Cost, against: str, name: str) -> CostLine:
    (found,) = [line for line in savings.lines if line.against == against and line.name.startswith(name)]
    return found


def test_each_amount_is_what_its_formula_says() -> None:
    savings = cost(FILES, RUNS, ALL, NOW)

    assert [
        ("all of it, a session", 2150, "8,600 bytes in the three tiers / 4 bytes a token"),
        ("active/ alone, a session", 400, "1,600 bytes / 4 bytes a token"),
        ("saved, a session", 1750, "(2,000 bytes in cooled/ + 5,000 in archive/) / 4 bytes a token"),
        ("saved, 30 days", 420_000, "7,000 bytes x 8 sessions a day x 30 days / 4 bytes a token"),
        ("saved so far, at least", 540_000, "270,000 (bytes at rest x days) x 8 sessions a day / 4 bytes a token"),
    ] == [(item.name, item.tokens, item.formula) for item in savings.lines if item.against == CONTEXT]
    assert [
        ("to read them", 66_667, "100 records looked at in 2 runs since 2026-10-01 x 2,667 bytes a record now / 4 bytes a token"),
        ("to answer", 5000, "100 records looked at x 50 tokens"),
        ("saved so far", 71_667, "to read them + to answer"),
    ] == [(item.name, item.tokens, item.formula) for item in savings.lines if item.against == JUDGE]


def test_money_is_tokens_at_the_price_of_their_kind() -> None:
    savings = cost(FILES, RUNS, ALL, NOW)

    assert pytest.approx(1750 * 3 / 1e6) == line(savings, CONTEXT, "saved, a session").money
    assert pytest.approx(66_667 * 3 / 1e6) == line(savings, JUDGE, "to read").money
    assert pytest.approx(5000 * 15 / 1e6) == line(savings, JUDGE, "to answer").money
    assert pytest.approx(66_667 * 3 / 1e6 + 5000 * 15 / 1e6) == line(savings, JUDGE, "saved so far").money


def test_what_is_not_known_is_not_guessed_and_the_setting_is_named() -> None:
    savings = cost(FILES, RUNS, Prices(), NOW)
    notes = "\n".join(savings.notes)

    assert {None} == {item.money for item in savings.lines}
    assert ["all of it, a session", "active/ alone, a session", "saved, a session", "to read them"] == [item.name for item in savings.lines]
    assert all(f"set cost_{name}" in notes for name in ("input_price", "judge_output_tokens", "sessions_per_day"))
    assert "set " not in "\n".join(cost(FILES, RUNS, ALL, NOW).notes)


def test_a_sum_has_no_price_when_one_of_its_parts_has_none() -> None:
    savings = cost(FILES, RUNS, ALL._replace(output_price=0.0), NOW)

    assert line(savings, JUDGE, "to read").money is not None
    assert None is line(savings, JUDGE, "to answer").money
    assert None is line(savings, JUDGE, "saved so far").money
    assert any("set cost_output_price" in note for note in savings.notes)


def test_runs_that_do_not_say_what_they_looked_at_count_nothing_and_are_named() -> None:
    savings = cost(FILES, [*RUNS, Swept("2026-09-01T12:00:00Z", 0, 5)], ALL, NOW)

    assert line(cost(FILES, RUNS, ALL, NOW), JUDGE, "to read").tokens == line(savings, JUDGE, "to read").tokens
    assert any(note.startswith("1 of the runs") for note in savings.notes)
    assert any("nothing to move leave no commit" in note for note in savings.notes)


def test_an_empty_memory_saves_nothing() -> None:
    savings = cost([], [], ALL, NOW)

    assert {0} == {item.tokens for item in savings.lines}
    assert "0 records looked at in 0 runs x 0 bytes a record now / 4 bytes a token" == line(savings, JUDGE, "to read").formula


def test_a_record_that_arrives_in_the_future_has_saved_nothing_yet() -> None:
    savings = cost([Kept("cooled/notes/a.md", 4000, NOW + 9 * DAY)], [], ALL, NOW)

    assert 0 == line(savings, CONTEXT, "saved so far").tokens
    assert 1000 == line(savings, CONTEXT, "saved, a session").tokens


def test_a_token_of_no_bytes_is_refused() -> None:
    for wrong in (0, -1, float("nan")):
        with pytest.raises(UsageError):
            cost(FILES, RUNS, Prices(bytes_per_token=wrong), NOW)


paths = st.sampled_from([f"{tier}/{kind}/x.md" for tier in ("active", "cooled", "archive") for kind in ("notes", "events/2026/11", "tails")])
kept = st.lists(st.builds(Kept, paths, st.integers(0, 10**9), st.integers(0, 2 * NOW)))
swept = st.lists(st.builds(Swept, st.just("2026-11-30T12:00:00Z"), st.integers(0, 10**6), st.integers(0, 100)))
prices = st.builds(Prices, st.floats(0.1, 100), st.floats(0, 1e6), st.floats(0, 1e6), st.text(min_size=1), st.floats(0, 1e6), st.integers(0, 10**6))


@given(kept, swept, prices)
def test_the_parts_add_up_whatever_the_prices(files: list[Kept], runs: list[Swept], given: Prices) -> None:
    savings = cost(files, runs, given, NOW)
    whole, active, saved = (line(savings, CONTEXT, name).tokens for name in ("all of it", "active/", "saved, a session"))

    assert abs(whole - active - saved) <= 1
    assert all(item.tokens >= 0 and (item.money is None or item.money >= 0) for item in savings.lines)
    assert bool(given.input_price) == (line(savings, CONTEXT, "saved, a session").money is not None)
    assert given == savings.prices


def test_calls_of_models_are_counted_where_they_wait_and_where_they_are_carried_to(run: Run, memory: Memory) -> None:  # noqa: F811
    memory.config_set("cost_input_price", "3")
    memory.config_set("cost_output_price", "15")
    for number, reply in enumerate((Reply("x", "gpt-9", 1_000_000, 100_000), Reply("x", "gpt-9", 1_000_000, 100_000), Reply("x", "claude", None, None))):
        memory._store.accesses.note(receipt("extract", reply, "2026-11-30T12:00:00Z", f"call-{number}"))
    waiting = memory.cost().spent
    memory.add("notes/plan", "Ship on Friday.")

    assert [Spent("extract", "claude", 1, 1, 0, 0, None), Spent("extract", "gpt-9", 2, 0, 2_000_000, 200_000, 9.0)] == list(waiting) == list(memory.cost().spent)
    assert b'"model": "gpt-9"' in next((memory.root / "ledger").glob("*.jsonl")).read_bytes()
    assert [] == [problem for problem in memory.doctor() if problem.path.startswith("ledger/")]
    shown = run("cost").out
    assert ["extract", "gpt-9", "2", "2,000,000", "200,000", "9.00", "USD"] in [row.split() for row in shown.split("\n")]
    assert "1 call says not how many tokens it took" in shown
    assert 2 == run("cost", "--json").json()[0]["spent"][1]["calls"]


def test_without_calls_nothing_is_said_of_them() -> None:
    assert "calls of models" not in text(cost(FILES, RUNS, ALL, NOW), Screen()).lower()


@given(kept, swept, prices, st.integers(20, 120))
def test_it_can_always_be_shown_and_no_formula_is_cut(files: list[Kept], runs: list[Swept], given: Prices, columns: int) -> None:
    savings = cost(files, runs, given, NOW)
    shown = text(savings, Screen(columns))

    assert all(item.formula.replace(" ", "") in "".join(shown.split()) for item in savings.lines)
    assert all(note.replace(" ", "") in "".join(shown.split()) for note in savings.notes)
    assert [] == [row for row in shown.split("\n") if row.startswith("    ") and width(row) > max(columns, 24)]
    assert 1 == len(list(jsontext.lines(savings)))


def test_people_see_amounts_formulas_and_settings() -> None:
    shown = text(cost(FILES, RUNS, ALL, NOW), Screen()).split("\n")

    assert "Against keeping everything in context at each session" == shown[0]
    at = next(at for at, row in enumerate(shown) if row.startswith("  saved, 30 days"))
    assert shown[at].split() == ["saved,", "30", "days", "420,000", "tokens", "1.26", "EUR"]
    assert "    7,000 bytes x 8 sessions a day x 30 days / 4 bytes a token" == shown[at + 1]
    assert "  cost_input_price          3.0" in shown
    assert any(row.endswith("less than 0.01 EUR") for row in shown)
    assert "  cost_input_price          not known" in text(cost(FILES, RUNS, Prices(), NOW), Screen()).split("\n")


def test_what_is_shown_cannot_steer_a_terminal() -> None:
    assert "\x1b" not in text(cost(FILES, RUNS, ALL._replace(currency="\x1b[2J"), NOW), Screen(80))
    assert "\x1b" not in text(Mapped("index.md", "a\x1b[2Jb\n", 1), Screen(80))


def test_a_memory_counts_what_really_rests_in_it(memory: Memory, clock: Clock) -> None:
    memory.add("notes/old", "o" * 4000)
    clock.time += timedelta(days=40)
    memory.add("notes/new", "n" * 400)
    memory.janitor()
    clock.time += timedelta(days=5)
    memory.config_set("cost_sessions_per_day", "2")
    savings = memory.cost()

    rests = (memory.root / "cooled/notes/old.md").stat().st_size
    assert rests / 4 == pytest.approx(line(savings, CONTEXT, "saved, a session").tokens, abs=1)
    assert rests / 4 * 2 * 5 == pytest.approx(line(savings, CONTEXT, "saved so far").tokens, rel=0.01)
    assert line(savings, JUDGE, "to read").formula.startswith("2 records looked at in 1 run since 2027-01-09 x")


def test_the_commands_show_the_map_and_the_cost(run: Run, memory: Memory) -> None:  # noqa: F811
    memory.add("notes/plan", "Ship on Friday.", title="The [plan]\x1b[2J")
    drawn, savings = run("map"), run("cost")

    assert (0, "") == (drawn.code, drawn.err)
    assert "](active/notes/plan.md) — Ship on Friday. · 2026-11-30\n" in drawn.out
    assert "\x1b" not in drawn.out
    assert drawn.out == (memory.root / "index.md").read_text("utf-8")
    assert (0, "") == (savings.code, savings.err)
    assert savings.out.startswith("Against keeping everything in context")
    (as_json,) = run("cost", "--json").json()
    assert ["lines", "prices", "notes", "spent"] == list(as_json)
    assert 1 == run("map", "--json").json()[0]["records"]
