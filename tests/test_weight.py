"""Weight: a function of uses, turns and the card; looking at a memory never changes it."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from math import exp, log
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from command import Run, run  # noqa: F401
from conftest import Clock
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import KEY, assert_sound
from shadow_entries import message, shadow

from strata import Memory, moment
from strata.ledger import Receipt
from strata.model import Message
from strata.results import Weight
from strata.weight import FLOORS, SUPERSEDED, Uses, curve, uses, weigh

TURNS = st.integers(0, 100_000)
COUNTS = st.integers(0, 100_000)
CARDS = st.fixed_dictionaries(
    {"criticality": st.sampled_from([*FLOORS, "", "odd"]), "pinned": st.booleans(), "superseded_by": st.sampled_from([(), ("evt-a",)]), "forgotten": st.booleans(), "known": st.booleans()}
)
RECEIPTS = st.builds(
    Receipt,
    st.text("abcd", min_size=1, max_size=2),
    st.sampled_from(["read", "use"]),
    st.lists(st.sampled_from(["evt-1", "evt-2", "blk-1#m1", "blk-1#m2"]), max_size=3).map(tuple),
    st.sampled_from(["2026-11-30T12:00:00Z", "2026-11-30T21:00:00+09:00", "2026-11-30", "2026", "2026-12-01T00:00:00Z"]),
    st.none() | st.integers(0, 5),
)


# -- the formula -------------------------------------------------------------------------------


@given(TURNS, COUNTS, CARDS)
def test_a_weight_is_between_nothing_and_one(turns: int, count: int, card: dict) -> None:  # type: ignore[type-arg]
    found = weigh(uses=count, turns=turns, **card)

    assert 0 <= found.value <= 1
    assert found.reasons


@given(TURNS, TURNS, COUNTS, COUNTS, CARDS)
def test_it_never_rises_with_turns_and_never_falls_with_uses(turns: int, more: int, count: int, again: int, card: dict) -> None:  # type: ignore[type-arg]
    here = weigh(uses=count, turns=turns, **card).value

    assert weigh(uses=count, turns=turns + more, **card).value <= here
    assert here <= weigh(uses=count + again, turns=turns, **card).value


@pytest.mark.parametrize("turns, count", list(product((0, 1, 7, 40), (1, 2, 10))))
def test_it_is_the_stated_formula(turns: int, count: int) -> None:
    assert pytest.approx(exp(-0.15 / (1 + 1.5 * log(count)) * turns)) == curve(turns, count)


def test_no_use_counts_as_one() -> None:
    assert curve(9, 1) == curve(9, 0) == weigh(uses=0, turns=9).value


@pytest.mark.parametrize("criticality, least", [("routine", 0.0), ("preference", 0.3), ("identity", 0.9), ("safety", 1.0), ("made up", 0.0)])
def test_what_matters_does_not_sink_below_its_floor(criticality: str, least: float) -> None:
    assert pytest.approx(least, abs=1e-9) == weigh(uses=0, turns=1000, criticality=criticality).value


def test_a_pin_lifts_a_correction_outranks_the_pin_and_forgetting_outranks_all() -> None:
    lifted = weigh(uses=0, turns=1000, pinned=True)
    corrected = weigh(uses=50, turns=0, pinned=True, criticality="safety", superseded_by=("evt-b",))
    forgotten = weigh(uses=50, turns=0, pinned=True, criticality="safety", forgotten=True)

    assert (1.0, SUPERSEDED, 0.0) == (lifted.value, corrected.value, forgotten.value)
    assert "superseded by evt-b: at most 0.1" in corrected.reasons
    assert "forgotten: 0" == forgotten.reasons[-1]


def test_what_is_superseded_and_has_faded_further_is_not_lifted_to_the_most_it_may_be() -> None:
    assert weigh(uses=1, turns=100, superseded_by=("evt-b",)).value < SUPERSEDED / 2


# -- receipts ----------------------------------------------------------------------------------


@given(st.lists(RECEIPTS), st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_of_receipts_matters(rows: list[Receipt], random) -> None:  # type: ignore[no-untyped-def]
    again = [*rows, *rows]
    random.shuffle(again)

    assert uses(rows) == uses(again)


@given(st.lists(RECEIPTS), st.lists(RECEIPTS))
def test_two_ledgers_give_the_same_from_both_sides(mine: list[Receipt], theirs: list[Receipt]) -> None:
    assert uses([*mine, *theirs]) == uses([*theirs, *mine])


def test_reads_count_nothing_and_a_record_counts_once_for_each_receipt() -> None:
    rows = [Receipt("a", "read", ("evt-1",), "2026-12-05"), Receipt("b", "use", ("blk-1#m1", "blk-1#m2"), "2026-12-01"), Receipt("c", "use", ("blk-1",), "2026-11-01")]

    assert {"blk-1": Uses(2, "2026-12-01")} == uses(rows)


# -- a real memory -----------------------------------------------------------------------------


def said(number: int, thread: str = "main", *, at: str = "", role: str = "user") -> tuple[str, Message]:
    return thread, Message(f"{role[0]}{number}", role, f"turn {number} about the boiler and the valve", at=at or f"2026-11-30T11:{number:02}:00Z")


@pytest.fixture
def events(memory: Memory) -> tuple[str, str]:
    """A memory of twelve sealed turns with two events, of its first and its tenth turn."""
    memory.append([said(number) for number in range(13)])
    block = memory.list(kinds=["block"])[0].ref
    cards = [{"title": f"Turn {number}", "source_block": block, "source_messages": [f"u{number}"]} for number in (0, 9)]
    first, second = (memory.record(card).ref for card in cards)
    return first, second


def weight(memory: Memory, ref: str) -> Weight:
    found = memory.show(ref, peek=True).weight
    assert found is not None
    return found


def use(memory: Memory, ref: str, at: str, name: str = "r1", op: str = "use") -> None:
    memory._store.accesses.note(Receipt(name, op, (ref,), at))


def test_turns_count_from_when_it_was_said(memory: Memory, events: tuple[str, str]) -> None:
    assert (12, 3) == tuple(weight(memory, ref).turns for ref in events)
    assert ("never used", "12 turns since it was said") == weight(memory, events[0]).reasons


def test_only_messages_of_the_user_are_turns_in_whichever_thread(memory: Memory, events: tuple[str, str]) -> None:
    memory.append([said(30, role="assistant"), said(31, "other"), said(32, role="tool")])

    assert 13 == weight(memory, events[0]).turns


def test_an_import_of_an_old_conversation_ages_nothing(memory: Memory, events: tuple[str, str]) -> None:
    before = weight(memory, events[0])
    memory.append([said(number, "old", at=f"2019-01-{number + 1:02}T10:00:00Z") for number in range(25)])
    memory.append([("old", Message("x", "user", "a turn of an unknown time"))])

    assert before == weight(memory, events[0])


def test_a_use_begins_the_count_anew_and_makes_it_fade_slower(memory: Memory, events: tuple[str, str]) -> None:
    use(memory, events[0], "2026-11-30T11:08:30Z", "r1")
    once = weight(memory, events[0])
    use(memory, events[0], "2026-11-30T11:05:00Z", "r2")
    twice = weight(memory, events[0])

    assert (1, 4, 2, 4) == (once.uses, once.turns, twice.uses, twice.turns)
    assert once.value < twice.value


def test_times_in_other_zones_are_the_same_moments(memory: Memory, events: tuple[str, str]) -> None:
    use(memory, events[0], "2026-11-30T20:08:30+09:00")
    memory.append([said(40, at="2026-11-30T06:08:00-05:00"), said(41, at="2026-11-30T06:09:00-05:00")])

    assert 5 == weight(memory, events[0]).turns


def test_an_event_whose_time_nobody_knows_is_dated_by_its_id_or_not_at_all(memory: Memory, events: tuple[str, str]) -> None:
    path = memory.root / memory.show(events[0], peek=True).path
    data = path.read_text("utf-8").replace("mentioned_at: 2026-11-30T11:00:00Z", "mentioned_at:")
    path.write_text(data, "utf-8")
    (path.parent / "by-hand.md").write_text(data.replace(events[0], "an-event-by-hand"), "utf-8")

    assert 0 == weight(memory, events[0]).turns  # the whole day of its id has to pass
    memory.append([said(50, at="2026-12-01T10:00:00Z")])
    assert 1 == weight(memory, events[0]).turns
    assert "no turn counted, since nobody knows when it was said" in weight(memory, "an-event-by-hand").reasons


def test_a_later_card_supersedes_until_it_is_forgotten(memory: Memory, events: tuple[str, str]) -> None:
    block = memory.list(kinds=["block"])[0].ref
    later = memory.record({"title": "Not so", "source_block": block, "source_messages": ["u10"], "supersedes": [events[1]]}).ref
    use(memory, events[1], "2026-11-30T11:59:00Z")

    assert SUPERSEDED == weight(memory, events[1]).value
    memory.forget(later)
    assert 1 == weight(memory, events[1]).value


def test_looking_and_searching_never_change_a_weight_or_a_ranking(memory: Memory, events: tuple[str, str], clock: Clock) -> None:
    """Not even a thousand times, though openings are counted as reads and reach the ledger."""
    use(memory, events[0], "2026-11-30T11:08:30Z")
    memory.add("notes/other", "something else")  # the use is in the ledger now
    before = [weight(memory, ref) for ref in events]
    ranking = [(hit.ref, hit.score) for hit in memory.search("turn 9 boiler")]
    for number in range(1000):
        memory._lookup.search("turn 9 boiler", limit=3)
        if number % 50 == 0:
            memory.search("boiler valve")
            memory.context("boiler valve", thread="main")
            memory.show(events[number // 50 % 2])
            memory.blocks()
        clock.time += timedelta(minutes=1)

    assert ranking == [(hit.ref, hit.score) for hit in memory.search("turn 9 boiler")]
    memory.add("notes/last", "what takes the reads into the ledger")
    assert before == [weight(memory, ref) for ref in events]
    assert [ref for ref, _ in ranking] == [hit.ref for hit in memory.search("turn 9 boiler")]
    assert_sound(memory.root)


def test_two_machines_with_the_same_files_agree_and_a_receipt_that_came_twice_counts_once(memory: Memory, events: tuple[str, str]) -> None:
    rows = [Receipt(f"r{number}", "use", (events[number % 2],), f"2026-11-30T11:{number:02}:30Z").line() for number in range(6)]
    (memory.root / "ledger").mkdir()
    (memory.root / "ledger/aaaa-2026-11.jsonl").write_bytes(b"".join(rows[:4]))
    (memory.root / "ledger/bbbb-2026-11.jsonl").write_bytes(b"{broken\n" + b"".join(reversed(rows[2:])))
    mine = [weight(memory, ref) for ref in events]
    (memory.root / "ledger/aaaa-2026-11.jsonl").write_bytes(b"".join(reversed(rows)))
    (memory.root / "ledger/bbbb-2026-11.jsonl").write_bytes(b"".join(rows))

    assert [(3, 8), (3, 7)] == [(found.uses, found.turns) for found in mine]
    assert mine == [weight(Memory.open(memory.root, key=KEY), ref) for ref in events]


def test_a_ledger_that_cannot_be_read_counts_nothing_and_is_named(memory: Memory, events: tuple[str, str]) -> None:
    (memory.root / "ledger/broken-2026-11.jsonl").mkdir(parents=True)
    use(memory, events[0], "2026-11-30T11:08:30Z")

    assert 1 == weight(memory, events[0]).uses
    assert any("a ledger cannot be read" in warning for warning in memory.warnings)


def test_show_says_it_with_its_reasons(run: Run, memory: Memory, events: tuple[str, str]) -> None:  # noqa: F811
    told = run("show", events[0], "--peek")
    program = run("show", events[0], "--peek", "--json").json()[0]["weight"]

    assert "weight 0.17: never used; 12 turns since it was said" in told.out.splitlines()
    assert {"value", "uses", "turns", "floor", "reasons"} == set(program)
    assert (0, 12) == (program["uses"], program["turns"])


def test_a_note_has_a_weight_once_it_is_used_or_pinned(memory: Memory) -> None:
    memory.add("notes/plan", "Ship on Friday.")
    bare = memory.show("notes/plan").weight
    use(memory, "notes/plan", "2026-11-30T12:00:00Z")
    used = weight(memory, "notes/plan")
    memory.add("notes/pinned", "Pinned.")
    memory.pin("notes/pinned")

    assert bare is None
    assert (1, 1.0) == (used.uses, used.value)
    assert "pinned: 1" in weight(memory, "notes/pinned").reasons


def test_turns_that_two_clones_sealed_count_once(memory: Memory, events: tuple[str, str], tmp_path: Path) -> None:
    before = weight(memory, events[0]).turns
    block = next((memory.root / "active/blocks").rglob("*.md"))
    twin = block.with_name("blk-20261130-zzzzzz.md")
    twin.write_bytes(block.read_bytes().replace(block.stem.encode(), twin.stem.encode()))

    assert before == weight(memory, events[0]).turns


def test_a_use_from_the_future_is_not_believed(memory: Memory, events: tuple[str, str]) -> None:
    before = weight(memory, events[0])
    use(memory, events[0], "2099-01-01T00:00:00Z")

    assert before == weight(memory, events[0])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 59), st.booleans()), max_size=30), st.integers(0, 59))
def test_turns_after_a_moment_are_counted_one_by_one(turns: list[tuple[int, bool]], minute: int) -> None:
    at = "2026-11-30T12:{:02}:00Z"
    rows = [message(f"active/blocks/b{number % 3}.md", number, "x", at=at.format(when), flags=("turn",) if user else ()) for number, (when, user) in enumerate(turns)]
    with TemporaryDirectory() as folder:
        index = shadow(Path(folder) / "index", rows)
        counted = index.turns_since([moment.parse(at.format(minute)).start])
        index.close()

    assert [sum(user and when > minute for when, user in turns)] == counted
