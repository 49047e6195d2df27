"""Receipts: what they say together does not depend on where and how often they stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from strata.ledger import Receipt, accesses, name, place, receipts, seconds

TIMES = st.sampled_from(["2026-11-30T12:00:00Z", "2026-11-30T21:00:00+09:00", "2026-11-30", "2026", "2028-02-29T23:59:59Z", "2026-03-29T02:30:00"])
RECEIPTS = st.builds(
    Receipt, st.text("abc", min_size=1, max_size=3), st.sampled_from(["read", "use"]), st.lists(st.sampled_from(["notes/a", "blk-1", "blk-1#m3", "日本"]), max_size=3).map(tuple), TIMES, st.none() | st.integers(0, 5)
)


@given(st.lists(RECEIPTS))
def test_a_receipt_reads_back_from_its_line(rows: list[Receipt]) -> None:
    assert (rows, []) == receipts(b"".join(row.line() for row in rows))


@given(st.lists(RECEIPTS, unique_by=lambda row: row.id), st.lists(RECEIPTS, unique_by=lambda row: row.id))
def test_the_union_of_two_ledgers_is_the_same_from_both_sides(mine: list[Receipt], theirs: list[Receipt]) -> None:
    theirs = [row for row in theirs if row.id not in {other.id for other in mine}]
    assert accesses([*mine, *theirs]) == accesses([*theirs, *mine]) == accesses([*mine, *theirs, *mine, *theirs])


def test_a_receipt_counts_once_and_once_for_a_record_however_many_of_its_messages_it_cites() -> None:
    row = Receipt("r1", "use", ("blk-1#m1", "blk-1#m2", "notes/a"), "2026-11-30T12:00:00Z")

    assert {"blk-1": [seconds(row.at)], "notes/a": [seconds(row.at)]} == accesses([row, row, row])


def test_broken_lines_are_named_and_the_others_count() -> None:
    good = Receipt("r1", "read", ("notes/a",), "2026-11-30T12:00:00Z").line()
    bad = [b"{half", b'{"id": "", "op": "read", "refs": [], "at": "2026"}', b'{"id": "x", "op": "look", "refs": [], "at": "2026"}', b'{"id": "x", "op": "read", "refs": "a", "at": "2026"}',
           b'{"id": "x", "op": "read", "refs": [], "at": "soon"}', b"[1]", b"\xff\xfe", b"<<<<<<< HEAD", b"1,2", b"[" * 100_000]  # fmt: skip
    found, faults = receipts(good + b"".join(line + b"\n" for line in bad) + b"\n  \n" + good)

    assert [2, 3, 4, 5, 6, 7, 8, 9, 10, 11] == [fault.line for fault in faults]
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
