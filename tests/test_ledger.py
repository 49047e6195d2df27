"""Receipts: what they say together does not depend on where and how often they stand."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from strata.asking import Reply
from strata.ledger import Receipt, accesses, name, place, receipts, seconds
from strata.spending import Spent, receipt, spending
from strata.weight import uses

TIMES = st.sampled_from(["2026-11-30T12:00:00Z", "2026-11-30T21:00:00+09:00", "2026-11-30", "2026", "2028-02-29T23:59:59Z", "2026-03-29T02:30:00"])
IDS = st.text("abc", min_size=1, max_size=3)
REFS = st.lists(st.sampled_from(["notes/a", "blk-1", "blk-1#m3", "日本"]), max_size=3).map(tuple)
ACCESSES = st.tuples(IDS, st.sampled_from(["read", "use"]), REFS, TIMES, st.none() | st.integers(0, 5)).map(lambda row: Receipt(*row))
COUNTS = st.none() | st.integers(0, 10**9)
JOBS = st.tuples(IDS, st.just("job"), st.just(()), TIMES, st.none(), st.sampled_from(["extract", "project"]), st.sampled_from(["gpt", "模型"]), COUNTS, COUNTS).map(lambda row: Receipt(*row))
RECEIPTS = ACCESSES | JOBS


@given(st.lists(RECEIPTS))
def test_a_receipt_reads_back_from_its_line(rows: list[Receipt]) -> None:
    assert (rows, []) == receipts(b"".join(row.line() for row in rows))


@given(st.lists(RECEIPTS, unique_by=lambda row: row.id), st.lists(RECEIPTS, unique_by=lambda row: row.id))
def test_the_union_of_two_ledgers_is_the_same_from_both_sides(mine: list[Receipt], theirs: list[Receipt]) -> None:
    theirs = [row for row in theirs if row.id not in {other.id for other in mine}]
    assert accesses([*mine, *theirs]) == accesses([*theirs, *mine]) == accesses([*mine, *theirs, *mine, *theirs])


@given(st.lists(ACCESSES), st.lists(JOBS))
def test_calls_of_models_access_nothing_and_weigh_nothing(rows: list[Receipt], calls: list[Receipt]) -> None:
    assert accesses(rows) == accesses([*calls, *rows])
    assert uses(rows) == uses([*rows, *(call._replace(id=f"job-{call.id}") for call in calls)])


@given(st.lists(RECEIPTS, unique_by=lambda row: row.id), st.lists(RECEIPTS, unique_by=lambda row: row.id))
def test_calls_of_two_machines_add_up_the_same_from_both_sides(mine: list[Receipt], theirs: list[Receipt]) -> None:
    theirs = [row for row in theirs if row.id not in {other.id for other in mine}]
    both = spending([*mine, *theirs], 2.0, 8.0)

    assert both == spending([*theirs, *mine, *mine], 2.0, 8.0)
    assert sum(row.op == "job" for row in (*mine, *theirs)) == sum(row.calls for row in both)
    assert sum(row.tokens_in or 0 for row in (*mine, *theirs)) == sum(row.tokens_in for row in both)


@given(st.lists(JOBS, min_size=1))
def test_a_call_is_written_as_a_reading_of_nothing_which_any_reader_takes_as_one(calls: list[Receipt]) -> None:
    lines = [json.loads(call.line()) for call in calls]
    assert all(("read", []) == (line["op"], line["refs"]) and "level" not in line for line in lines)


def test_a_call_is_priced_where_all_is_known() -> None:
    first = receipt("extract", Reply("…", "gpt", 1_000_000, 500_000), "2026-11-30T12:00:00Z", "r1")
    second = receipt("extract", Reply("…", "gpt", 1_000_000, None), "2026-11-30T12:00:00Z", "r2")

    assert (Spent("extract", "gpt", 1, 0, 1_000_000, 500_000, 6.0),) == spending([first, first], 2.0, 8.0)
    assert (Spent("extract", "gpt", 2, 1, 2_000_000, 500_000, None),) == spending([first, second], 2.0, 8.0)
    assert None is spending([first], 2.0, 0.0)[0].money
    assert ([first, second], []) == receipts(first.line() + second.line())


def test_a_receipt_counts_once_and_once_for_a_record_however_many_of_its_messages_it_cites() -> None:
    row = Receipt("r1", "use", ("blk-1#m1", "blk-1#m2", "notes/a"), "2026-11-30T12:00:00Z")

    assert {"blk-1": [seconds(row.at)], "notes/a": [seconds(row.at)]} == accesses([row, row, row])


def test_broken_lines_are_named_and_the_others_count() -> None:
    good = Receipt("r1", "read", ("notes/a",), "2026-11-30T12:00:00Z").line()
    bad = [b"{half", b'{"id": "x", "op": "read", "refs": [], "at": "2026", "model": "m"}', b'{"id": "x", "op": "read", "refs": [], "at": "2026", "kind": "extract", "model": "m", "tokens_in": -1}', b'{"id": "", "op": "read", "refs": [], "at": "2026"}', b'{"id": "x", "op": "look", "refs": [], "at": "2026"}', b'{"id": "x", "op": "read", "refs": "a", "at": "2026"}',
           b'{"id": "x", "op": "read", "refs": [], "at": "soon"}', b"[1]", b"\xff\xfe", b"<<<<<<< HEAD", b"1,2", b"[" * 100_000]  # fmt: skip
    found, faults = receipts(good + b"".join(line + b"\n" for line in bad) + b"\n  \n" + good)

    assert [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] == [fault.line for fault in faults]
    assert 2 == len(found)
    assert all(fault.why for fault in faults)


@given(st.binary(max_size=300))
def test_no_bytes_break_it(data: bytes) -> None:
    found, faults = receipts(data)
    assert len(found) + len(faults) == sum(bool(line.strip()) for line in data.split(b"\n"))


def test_refs_say_where_their_record_lies_below_the_tier() -> None:
    assert "events/2026/11/evt-20261130-x2m9ta.md" == place("evt-20261130-x2m9ta")
    assert "entities/person/jo.md" == place("ent-person-jo")
    assert "notes/projects/plan.md" == place("notes/projects/plan")


def test_a_ledger_is_of_one_machine_and_one_month() -> None:
    assert "ledger/1a2b-2026-11.jsonl" == name("1a2b", "2026-11-30T12:00:00Z")
