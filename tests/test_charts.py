"""Ages and accesses by range, their bars, and the status of a memory that shows them."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import Memory
from strata.charts import beside, by_access, by_age, histogram
from strata.render.screen import Screen
from strata.render.text import text
from strata.render.visible import width
from strata.results import Status

STATUS = Status("/m", {"active": {"note": (3, 900)}}, {}, (), (), "1" * 40, "main", 1, "2026-11-30T12:00:00Z", "fresh", 1, 1)
AGES = (("< 1", 3), ("1-7", 1204), ("> 365", 0))
ACCESSES = (("0", 7), ("1", 2))


def test_a_day_belongs_to_the_range_that_it_opens() -> None:
    days = [-3, 0, 0.99, 1, 6.9, 7, 14, 29, 30, 89.9, 90, 364, 365, 4000]

    assert (("< 1", 3), ("1-7", 2), ("7-14", 1), ("14-30", 2), ("30-90", 2), ("90-365", 2), ("> 365", 2)) == by_age(days)
    assert (("0", 1), ("1", 1), ("2", 2), ("3-5", 2), ("> 5", 2)) == by_access([0, 1, 2, 2, 3, 5, 6, 900])


@given(st.lists(st.floats(allow_nan=False)), st.lists(st.integers(0)))
def test_every_number_is_counted_once(days: list[float], numbers: list[int]) -> None:
    assert len(days) == sum(count for _, count in by_age(days))
    assert len(numbers) == sum(count for _, count in by_access(numbers))


def test_a_histogram_is_aligned_and_says_the_counts() -> None:
    assert [
        "Days idle",
        "  < 1        3  ▏",
        "  1-7    1,204  ████████████████████",
        "  > 365      0",
    ] == histogram("Days idle", AGES, 36)
    assert ["T", "  a   10  ##########", "  bb   5  #####", "  c    1  #"] == histogram("T", (("a", 10), ("bb", 5), ("c", 1)), 20, blocks=False)
    assert ["T", "  a  0"] == histogram("T", (("a", 0),), 20)
    assert ["T"] == histogram("T", (), 20)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=8), st.integers(24, 120), st.booleans())
def test_bars_fit_and_are_longer_for_larger_counts(counts: list[int], columns: int, blocks: bool) -> None:
    lines = histogram("T", tuple((f"{at}-", count) for at, count in enumerate(counts)), columns, blocks=blocks)
    bars = {count: line.partition(f"{count:,}  ")[2] for line, count in zip(lines[1:], counts, strict=True)}

    assert all(width(line) <= columns for line in lines)
    assert all(bool(bars[count]) == bool(count) for count in counts)
    assert sorted(map(len, bars.values())) == [len(bars[count]) for count in sorted(bars)]
    assert not any(counts) or columns == len(lines[1 + counts.index(max(counts))])


def test_bars_of_eighths_tell_near_counts_apart() -> None:
    bars = [line.split()[-1] for line in histogram("T", tuple((str(at), at) for at in range(1, 17)), 12)[1:]]

    assert ["▌", "█", "█▌", "██"] == [bars[at - 1] for at in (4, 8, 12, 16)]
    assert 16 == len(set(bars))


def test_columns_stand_side_by_side() -> None:
    assert ["a   x", "bb  y", "    z"] == beside(["a", "bb"], ["x", "y", "z"], 4)
    assert ["a   x", "bb"] == beside(["a", "bb"], ["x"], 4)


def test_the_status_shows_both_charts_beside_each_other_where_there_is_room() -> None:
    state = STATUS._replace(ages=AGES, accesses=ACCESSES)
    wide, narrow = text(state, Screen(80)).split("\n"), text(state, Screen(50)).split("\n")

    assert any(line.startswith("Days idle") and line.endswith("Accesses") for line in wide)
    assert any(line.startswith("  1-7    1,204  ██") for line in wide)
    assert narrow.index("Days idle") < narrow.index("Accesses")
    assert "" == narrow[narrow.index("Accesses") - 1]
    assert all(width(line) <= 80 for line in wide)
    assert text(state, Screen()) == text(state, Screen(80))


def test_the_status_draws_no_chart_of_nothing() -> None:
    empty = tuple((name, 0) for name, _ in AGES)

    assert "Days idle" not in text(STATUS._replace(ages=empty), Screen())
    assert "Accesses" in text(STATUS._replace(ages=empty, accesses=ACCESSES), Screen())


def test_the_status_says_what_moves_next_and_when_the_janitor_ran() -> None:
    state = STATUS._replace(
        next_moves=(("promote", 1, ""), ("migrate", 1200, "2026-12-04")), last_run="2026-11-29T08:30:12Z", last_run_moves=14, daemon="running, pid 71"
    )

    assert "janitor      last run 2026-11-29 08:30, 14 moves" in text(state, Screen())
    assert "next moves   promote 1 now; migrate 1,200 on 2026-12-04" in text(state, Screen())
    assert "daemon       running, pid 71" in text(state, Screen())


def test_the_status_of_a_memory_that_nothing_moved_in_says_so() -> None:
    shown = text(STATUS, Screen())

    assert "janitor      has not moved anything yet" in shown
    assert "next moves   none in sight" in shown
    assert "daemon" not in shown


class Terminal(io.TextIOWrapper):
    """A terminal that writes in some encoding."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("encoding, blocks", [("utf-8", True), ("cp437", False), ("ascii", False), ("latin-1", False), ("utf-16", True)])
def test_a_terminal_whose_encoding_lacks_blocks_gets_hashes(encoding: str, blocks: bool) -> None:
    screen = Screen.of(Terminal(io.BytesIO(), encoding), {"COLUMNS": "80"})

    assert blocks == screen.blocks
    assert ("#" in text(STATUS._replace(ages=AGES), screen)) != blocks
    assert Screen.of(io.StringIO(), {}).blocks


def test_the_status_of_a_real_memory_has_its_records_in_the_charts(memory: Memory) -> None:
    memory.add("notes/plan", "Ship on Friday.")
    memory.add("notes/frost", "May 12.")
    state = memory.status()

    assert ("< 1", 2) == state.ages[0]
    assert ("0", 2) == state.accesses[0]
    assert "  < 1     2  ██" in text(state, Screen())
