"""The level of a block: it fades with the blocks that follow, and opening it anchors it there from then on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from command import Run, run  # noqa: F401
from conftest import Clock
from hypothesis import given
from hypothesis import strategies as st
from oracle import KEY, assert_sound

from strata import Memory
from strata.detail import Anchor, anchors, shown_at
from strata.errors import NotFound, UsageError
from strata.ledger import Receipt, receipts
from strata.model import Message

TIMES = ["2026-11-30T12:00:00Z", "2026-11-30T21:00:00+09:00", "2026-12-01", "2026-11-30T12:00:00.5Z"]
OPENINGS = st.lists(
    st.builds(Receipt, st.text("abc", min_size=1, max_size=2), st.sampled_from(["read", "use"]), st.sampled_from([("blk-1",), ("blk-2",), ("blk-1", "blk-2")]), st.sampled_from(TIMES), st.none() | st.integers(0, 5), st.none(), st.none(), st.none(), st.none()),
    max_size=8,
)  # fmt: skip


# -- the rule ----------------------------------------------------------------------------------


@pytest.mark.parametrize("age, level", [(0, 5), (1, 5), (2, 4), (3, 3), (4, 3), (5, 2), (6, 2), (7, 1), (8, 1), (9, 0), (500, 0)])
def test_a_block_fades_with_the_ready_blocks_that_follow_it(age: int, level: int) -> None:
    assert level == shown_at(age).level


@given(st.integers(0, 50), st.integers(0, 5), st.integers(0, 50))
def test_an_anchor_counts_from_when_it_was_set(age: int, level: int, since: int) -> None:
    found = shown_at(age, Anchor(level, TIMES[0]), since).level

    assert found == max(0, level - (5 - shown_at(since).level))
    assert level == shown_at(age, Anchor(level, TIMES[0]), 0).level


@given(st.integers(0, 50), st.integers(0, 5))
def test_a_pending_block_never_fades(age: int, level: int) -> None:
    assert (5, "pending") == shown_at(age, Anchor(level, TIMES[0]), age, pending=True)


@given(OPENINGS, st.randoms(use_true_random=False))
def test_the_order_of_openings_does_not_matter(rows: list[Receipt], random) -> None:  # type: ignore[no-untyped-def]
    again = [*rows, *rows]
    random.shuffle(again)

    assert anchors(rows) == anchors(again)


def test_the_latest_opening_counts_and_the_deepest_of_one_moment() -> None:
    rows = [Receipt("a", "read", ("blk-1",), TIMES[0], 2), Receipt("b", "read", ("blk-1",), "2026-11-30T11:00:00Z", 5), Receipt("c", "read", ("blk-1",), TIMES[0], 4)]

    assert {"blk-1": Anchor(4, TIMES[0])} == anchors(rows)


def test_a_read_without_a_level_and_a_use_anchor_nothing() -> None:
    assert {} == anchors([Receipt("a", "read", ("blk-1",), TIMES[0]), Receipt("b", "use", ("blk-1",), TIMES[0], 3)])


@given(OPENINGS)
def test_a_level_reads_back_from_a_ledger(rows: list[Receipt]) -> None:
    assert (rows, []) == receipts(b"".join(row.line() for row in rows))


def test_a_ledger_without_levels_reads_as_ever_and_a_level_that_is_none_is_a_fault() -> None:
    old = b'{"id": "a", "op": "read", "refs": ["blk-1"], "at": "2026"}\n'
    wrong = [b'{"id": "a", "op": "read", "refs": ["blk-1"], "at": "2026", "level": %s}\n' % level for level in (b"6", b"-1", b"true", b'"3"', b"2.5")]

    assert Receipt("a", "read", ("blk-1",), "2026") == receipts(old)[0][0]
    assert old == receipts(old)[0][0].line()
    assert [1, 2, 3, 4, 5] == [fault.line for fault in receipts(b"".join(wrong))[1]]


# -- a real memory -----------------------------------------------------------------------------


def grow(memory: Memory, blocks: int, *, thread: str = "main", start: int = 0) -> None:
    """So many more blocks of two turns."""
    numbers = range(start, start + 4 * blocks)
    memory.append([(thread, Message(f"m{number}", ("user", "assistant")[number % 2], f"{thread}: the kettle stands on shelf {number}")) for number in numbers])
    memory.seal(thread, everything=True)


@pytest.fixture
def small(memory: Memory) -> Memory:
    memory.config_set("block_turns", "2")
    return memory


def levels(memory: Memory, thread: str = "main") -> list[int]:
    return [row.level for row in memory.blocks(thread=thread)]


def test_blocks_are_listed_newest_first_with_age_level_and_tokens(small: Memory) -> None:
    grow(small, 4)
    rows = small.blocks(thread="main")

    assert [(7, 8), (5, 6), (3, 4), (1, 2)] == [(row.first_turn, row.last_turn) for row in rows]
    assert [0, 1, 2, 3] == [row.age for row in rows]
    assert [5, 5, 4, 3] == [row.level for row in rows]
    assert ["the newest", "1 block since", "2 blocks since", "3 blocks since"] == [row.why for row in rows]
    assert all(row.tokens > 0 and row.counter for row in rows)


def test_threads_age_apart(small: Memory) -> None:
    grow(small, 1)
    grow(small, 12, thread="other", start=100)

    assert [5] == levels(small)
    assert 0 == levels(small, "other")[-1]
    assert 13 == len(small.blocks())


def test_opening_anchors_from_now_and_fades_again(small: Memory, clock: Clock) -> None:
    grow(small, 10)
    oldest = small.blocks(thread="main")[-1].ref
    before = levels(small)[-1]
    small.expand(oldest, 4)
    opened = levels(small)[-1]
    clock.time += timedelta(minutes=1)
    grow(small, 2, start=100)
    row = small.blocks(thread="main")[-1]

    assert (0, 4, 3) == (before, opened, row.level)
    assert "opened at level 4 on 2026-11-30, 2 blocks since" == row.why
    assert_sound(small.root)


def test_show_anchors_like_expand_and_peeking_or_one_message_does_not(small: Memory) -> None:
    grow(small, 10)
    oldest = small.blocks(thread="main")[-1].ref
    small.show(oldest, level=3, peek=True)
    small.show(f"{oldest}#m0")
    looked = levels(small)[-1]
    small.show(oldest, level=3)
    shown = levels(small)[-1]
    small.show(oldest)

    assert (0, 3, 5) == (looked, shown, levels(small)[-1])


def test_opening_at_a_shallower_level_lowers_it(small: Memory) -> None:
    grow(small, 1)
    small.expand(small.blocks(thread="main")[0].ref, 1)

    assert [1] == levels(small)


def test_an_anchor_is_committed_at_once_and_outlives_all_that_is_not_committed(small: Memory) -> None:
    import shutil

    grow(small, 10)
    oldest = small.blocks(thread="main")[-1].ref
    small.show(oldest, level=2)
    small.expand(oldest, 4)
    small.close()
    shutil.rmtree(small.root / ".strata")
    again = Memory.open(small.root, key=KEY)
    commit = again.log(limit=1)[0]

    assert 4 == levels(again)[-1]
    assert f"Expand {oldest} at level 4" == commit.subject
    assert (("Strata-Op", "expand"), ("Strata-Record", oldest)) == commit.trailers
    assert_sound(small.root)


def test_expanding_an_archived_block_brings_it_back_in_the_same_commit(small: Memory) -> None:
    grow(small, 3)
    oldest = small.blocks(thread="main")[-1].ref
    small.archive(oldest)
    before = len(small.log())
    shown = small.expand(oldest, 3)
    names = [name for name, _ in small.log(limit=1)[0].trailers]

    assert ("cooled", "archive", 1) == (shown.tier, shown.moved.partition("/")[0], len(small.log()) - before)
    assert 3 == levels(small)[-1]
    assert 1 == names.count("Strata-Record")
    assert_sound(small.root)


def test_showing_at_a_level_writes_nothing_that_is_committed(small: Memory) -> None:
    grow(small, 3)
    before = len(small.log())
    small.show(small.blocks(thread="main")[-1].ref, level=3)

    assert before == len(small.log())


def test_an_anchor_travels_with_the_ledger(small: Memory, tmp_path) -> None:  # type: ignore[no-untyped-def]
    import shutil

    grow(small, 10)
    oldest = small.blocks(thread="main")[-1].ref
    small.expand(oldest, 4)
    shutil.copytree(small.root, tmp_path / "copy", ignore=shutil.ignore_patterns(".strata"))

    assert 4 == levels(Memory.open(tmp_path / "copy", key=KEY))[-1]


def test_pending_blocks_stand_at_their_deepest_and_age_nobody(small: Memory) -> None:
    small.config_set("summarise", "off")
    grow(small, 12)
    pending = small.blocks(thread="main")
    small.describe(pending[0].ref, {"title": "Kettles"})

    assert {(5, 0, "pending")} == {(row.level, row.age, row.why) for row in pending}
    assert [0] + [1] * 11 == [row.age for row in small.blocks(thread="main")]


def test_forgotten_blocks_are_not_listed_and_age_nobody(small: Memory) -> None:
    grow(small, 4)
    small.forget(small.blocks(thread="main")[0].ref)

    assert [0, 1, 2] == [row.age for row in small.blocks(thread="main")]


@pytest.mark.parametrize("damage", ["---\nid: [\n---\n", "---\nkind: block\nthread: main\nstate: ready\n---\nno message at all\n"])
def test_a_block_that_cannot_be_read_is_passed_over(small: Memory, damage: str) -> None:
    grow(small, 2)
    path = small.root / small.show(small.blocks(thread="main")[0].ref, peek=True).path
    path.write_text(damage, "utf-8")

    assert 1 == len(small.blocks(thread="main"))
    assert 1 == len([item for item in small.context(thread="main").items if item.kind == "block"])


def test_what_is_no_block_and_what_is_no_thread_is_refused(small: Memory) -> None:
    grow(small, 1)
    ref = small.blocks(thread="main")[0].ref
    small.add("plan", "A plan.")

    with pytest.raises(UsageError, match="is a note, not a block"):
        small.expand("notes/plan", 2)
    with pytest.raises(UsageError, match="levels are for blocks"):
        small.expand(f"{ref}#m0", 2)
    with pytest.raises(UsageError, match="no level 9"):
        small.expand(ref, 9)
    with pytest.raises(NotFound, match="no thread 'nowhere'") as caught:
        small.blocks(thread="nowhere")
    assert "the threads are main" == caught.value.remedy


def test_the_hint_names_threads_that_have_no_unsealed_turn_and_few_of_many(small: Memory) -> None:
    with pytest.raises(NotFound) as none:
        small.blocks(thread="nowhere")
    for number in range(12):
        grow(small, 1, thread=f"t{number:02}")
    with pytest.raises(NotFound) as many:
        small.blocks(thread="nowhere")

    assert "no thread has a message yet" == none.value.remedy
    assert "some of the 12 threads are " + ", ".join(f"t{number:02}" for number in range(10)) == many.value.remedy


def test_the_commands_list_and_lift(run: Run, small: Memory) -> None:  # noqa: F811
    grow(small, 10)
    oldest = small.blocks(thread="main")[-1].ref
    lifted = run("expand", oldest, "--level", "2")
    listed = run("blocks", "--thread", "main")
    program = run("blocks", "--json").json()

    assert (0, 0) == (lifted.code, listed.code)
    assert "level 2" in lifted.out
    assert "opened at level 2" in listed.out
    assert "L2" in listed.out
    assert "Tokens by" in listed.out.splitlines()[-1]
    assert {"ref", "thread", "age", "level", "why", "tokens", "counter"} <= set(program[0])
    assert 2 == run("expand", oldest).code


def test_without_blocks_the_list_says_what_makes_them(run: Run) -> None:  # noqa: F811
    assert "There is no block yet" in run("blocks").out
