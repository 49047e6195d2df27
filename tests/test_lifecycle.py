"""Files settle and come back: the Janitor, moves and marks by hand, reads, on real files and real git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import Clock
from oracle import KEY, assert_sound, git
from strata import Memory
from strata.document import Document
from strata.errors import AlreadyExists, Malformed, NotFound, Refused, TierVanished, UsageError
from strata.ledger import Receipt
from strata.model import Message
from strata.results import Run


def where(memory: Memory, ref: str) -> str:
    """The tier a note lies in; exactly one."""
    tiers = [tier for tier in ("active", "cooled", "archive") if (memory.root / tier / f"{ref}.md").exists()]
    assert 1 == len(tiers), tiers
    return tiers[0]


def pairs(run: Run) -> list[tuple[str, str]]:
    return [(move.source, move.target) for move in run.moves]


@pytest.fixture
def settled(memory: Memory, clock: Clock) -> Memory:
    """Three notes of which one is pinned, and a block with its tail; forty days old."""
    memory.add("notes/plan", "Ship the beaver on Friday.\n", title="Plan")
    memory.add("notes/projects/kynd", "The kynd project.\n")
    memory.add("notes/keep", "Always at hand.\n")
    memory.pin("notes/keep")
    memory.append([("main", Message(f"m{number}", "user", f"Turn {number} about otters.")) for number in range(14)])
    clock.time += timedelta(days=40)
    return memory


# -- runs ----------------------------------------------------------------------------------------


def test_a_dry_run_prints_exactly_what_a_run_then_does(settled: Memory) -> None:
    before = git(settled.root, "rev-parse", "HEAD")
    dry = settled.janitor(dry_run=True)

    assert before == git(settled.root, "rev-parse", "HEAD")
    assert dry.moves and dry.dry
    assert dry.moves == settled.janitor().moves
    assert () == settled.janitor().moves
    assert_sound(settled.root)


def test_a_run_is_one_commit_of_the_janitor_with_a_reason_for_each_file(settled: Memory) -> None:
    run = settled.janitor()
    commit = settled.log(limit=1)[0]

    assert run.commit == commit.id
    assert "strata janitor" == commit.author.name
    assert len(run.moves) == sum(key == "Strata-Reason" for key, _ in commit.trailers) == len(commit.paths)
    assert all(status == "R" for status, *_ in commit.paths)
    assert ("Strata-Reason", "notes/plan active -> cooled: idle for 40 days; cools after 30") in commit.trailers


def test_nothing_to_do_makes_no_commit(settled: Memory) -> None:
    settled.janitor()
    before = git(settled.root, "rev-parse", "HEAD")
    for _ in range(5):
        settled.janitor()

    assert before == git(settled.root, "rev-parse", "HEAD")


def test_pinned_records_and_tails_stay(settled: Memory, clock: Clock) -> None:
    clock.time += timedelta(days=1000)
    moved = {path for pair in pairs(settled.janitor()) for path in pair}

    assert "active" == where(settled, "notes/keep")
    assert (settled.root / "active/tails/main.md").exists()
    assert not [path for path in moved if "/tails/" in path]


def test_only_some_steps(settled: Memory, clock: Clock) -> None:
    clock.time += timedelta(days=100)

    assert () == settled.janitor(only=["promote"]).moves
    assert {"migrate"} == {move.step for move in settled.janitor(only=["migrate"]).moves}
    assert "cooled" == where(settled, "notes/plan")
    assert {"evict"} == {move.step for move in settled.janitor(only=["evict"]).moves}
    assert "archive" == where(settled, "notes/plan")
    with pytest.raises(UsageError):
        settled.janitor(only=["tidy"])


def test_a_move_changes_no_byte_and_history_goes_on_across_it(settled: Memory, clock: Clock) -> None:
    settled.add("notes/plan", "Moved to Monday.\n", append=True)
    before = (settled.root / "active/notes/plan.md").read_bytes()
    clock.time += timedelta(days=31)
    settled.janitor()
    clock.time += timedelta(days=100)
    settled.janitor()
    place = settled.root / "archive/notes/plan.md"

    assert before == place.read_bytes()
    assert 4 == len(git(settled.root, "log", "--follow", "--format=%s", "--", "archive/notes/plan.md").splitlines())
    assert ["Janitor", "Janitor", "Append", "Add"] == [commit.subject.split()[0].rstrip(":") for commit in settled.log("notes/plan")]
    settled.rehydrate("notes/plan", "active")
    assert before == (settled.root / "active/notes/plan.md").read_bytes()
    assert_sound(settled.root)


def test_what_was_edited_by_hand_and_not_committed_is_young_in_both_plans(settled: Memory) -> None:
    (settled.root / "active/notes/plan.md").write_text("Rewritten by hand.\n", "utf-8")
    (settled.root / "active/notes/new.md").write_text("New by hand.\n", "utf-8")
    (settled.root / "cooled/notes/projects").mkdir(parents=True)
    (settled.root / "active/notes/projects/kynd.md").rename(settled.root / "cooled/notes/projects/kynd.md")
    dry = settled.janitor(dry_run=True)

    assert dry.moves == settled.janitor().moves
    assert not [move for move in dry.moves if move.ref in ("notes/plan", "notes/new", "notes/projects/kynd")]
    assert_sound(settled.root)


def test_what_is_edited_where_it_rests_comes_back(settled: Memory, clock: Clock) -> None:
    settled.janitor()
    clock.time += timedelta(days=1)
    place = settled.root / "cooled/notes/plan.md"
    place.write_text(place.read_text("utf-8") + "A second thought.\n", "utf-8")
    run = settled.janitor()

    assert [("cooled/notes/plan.md", "active/notes/plan.md")] == pairs(run)
    assert "edited in cooled/" == run.moves[0].reason
    assert () == settled.janitor().moves


def test_bookkeeping_by_hand_or_by_strata_makes_nothing_young(settled: Memory) -> None:
    plan = pairs(settled.janitor(dry_run=True))
    place = settled.root / "active/notes/plan.md"
    place.write_bytes(Document.parse(place.read_bytes()).set(tags=["beaver"], id="plan-of-beavers").data)
    settled.reindex()
    settled.doctor(fix=True)
    settled.pin("notes/plan")
    settled.unpin("notes/plan")
    settled.forget("plan-of-beavers")
    settled.restore("plan-of-beavers")
    for _ in range(50):
        settled.search("beaver")
    settled.list()
    settled.status()

    assert plan == pairs(settled.janitor(dry_run=True))


def test_a_description_makes_no_block_young(settled: Memory, clock: Clock) -> None:
    block = settled.list(kinds=["block"])[0].ref
    settled.describe(block, {"title": "Otters", "tags": [], "summary": "About otters.", "keypoints": []})

    assert block in {move.ref for move in settled.janitor(dry_run=True).moves}


@pytest.mark.parametrize("way", ["clone", "copy", "old revision and back", "touched old", "touched new", "no index", "backup"])
def test_the_plan_does_not_depend_on_what_happened_to_the_files_times(settled: Memory, way: str, tmp_path: Path) -> None:
    plan = settled.janitor(dry_run=True).moves
    settled.close()
    root, other = settled.root, tmp_path / "other"
    if way == "clone":
        git(tmp_path, "clone", "-q", str(root), "other")
    elif way == "copy":
        shutil.copytree(root, other, copy_function=shutil.copy)
    elif way == "backup":
        subprocess.run(["tar", "cf", str(tmp_path / "b.tar"), "-C", str(root), "--exclude", ".strata", "."], check=True)
        other.mkdir()
        subprocess.run(["tar", "xmf", str(tmp_path / "b.tar"), "-C", str(other)], check=True)
    else:
        other = root
        if way == "old revision and back":
            git(root, "checkout", "-q", "HEAD~3")
            git(root, "checkout", "-q", "main")
        elif way.startswith("touched"):
            stamp = settled._now().timestamp() - (400 * 86_400 if way == "touched old" else 0)
            for place in root.rglob("*.md"):
                os.utime(place, (stamp, stamp))
        else:
            shutil.rmtree(root / ".strata")
    again = Memory.open(other, now=settled._now, key=KEY)

    assert plan and plan == again.janitor(dry_run=True).moves
    assert plan == again.janitor().moves
    assert_sound(other)


def test_times_in_any_form_and_in_the_future_do_not_break_a_run(settled: Memory, clock: Clock) -> None:
    (settled.root / "ledger").mkdir()
    odd = ["2026-11-30T12:00:00", "2026-11-30", "2028-02-29T23:59:59+14:00", "2026-03-29T02:30:00+01:00", "9999-12-31T23:59:59Z", "0001-01-01", "2026"]
    lines = [Receipt(f"r{number}", "read", ("notes/plan",), at).line() for number, at in enumerate(odd)]
    (settled.root / "ledger/other-2026-11.jsonl").write_bytes(b"".join(lines))
    git(settled.root, "add", "-A")
    git(settled.root, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "-m", "far", "--date", "2099-01-01T00:00:00+00:00")
    clock.time += timedelta(days=100)

    assert settled.janitor(dry_run=True).moves == settled.janitor().moves
    assert_sound(settled.root)


# -- undo ----------------------------------------------------------------------------------------


def test_undo_moves_back_the_last_run_also_after_other_writes_and_sticks(settled: Memory) -> None:
    run = settled.janitor()
    settled.add("notes/other", "Something else.\n")
    settled.promote("notes/projects/kynd")
    undone = settled.undo_janitor()

    assert {target: source for source, target in pairs(run) if "kynd" not in source} == dict(pairs(undone))
    assert ["cooled/notes/projects/kynd.md: it has moved on since, and stays where it is"] == list(undone.passed_over)
    assert () == settled.janitor().moves
    assert_sound(settled.root)


def test_undo_twice_takes_the_run_before(settled: Memory, clock: Clock) -> None:
    settled.janitor()
    clock.time += timedelta(days=60)
    settled.janitor()
    settled.undo_janitor()
    assert "cooled" == where(settled, "notes/plan")
    settled.undo_janitor()

    assert "active" == where(settled, "notes/plan")
    with pytest.raises(NotFound, match="no run"):
        settled.undo_janitor()


# -- guards --------------------------------------------------------------------------------------


def many(memory: Memory, count: int) -> None:
    folder = memory.root / "active/notes/many"
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"n{number:05d}.md").write_text(f"note number {number}\n", "utf-8")
    memory.add("notes/young", "Here is the last one.\n")


def test_most_of_a_tier_moves_only_with_force(memory: Memory, clock: Clock) -> None:
    many(memory, 30)
    clock.time += timedelta(days=40)
    memory.add("notes/young", "Touched again.\n", append=True)
    dry = memory.janitor(dry_run=True)
    with pytest.raises(TierVanished, match="30 of the 31 records in active/ would move at once"):
        memory.janitor()

    assert 30 == len(dry.moves)
    assert "30 of the 31" in dry.guard
    assert "active" == where(memory, "notes/many/n00001")
    assert dry.moves == memory.janitor(force=True).moves
    assert_sound(memory.root)


@pytest.mark.parametrize("how", ["gone", "empty"])
def test_a_tier_that_vanished_stops_the_run_however_few_it_held(settled: Memory, how: str, clock: Clock) -> None:
    settled.janitor()
    settled.add("notes/fresh", "New, and to be cooled next.\n")
    aside = settled.root.parent / "unmounted"
    (settled.root / "cooled").rename(aside)
    if how == "empty":
        (settled.root / "cooled").mkdir()
    before = git(settled.root, "rev-parse", "HEAD")
    clock.time += timedelta(days=50)
    for call in (settled.janitor, lambda: settled.tend(live=True)):
        with pytest.raises(TierVanished, match="cooled/"):
            call()
    assert before == git(settled.root, "rev-parse", "HEAD")
    assert "cooled/" in settled.janitor(dry_run=True).guard
    run = settled.janitor(force=True)

    assert () == run.moves, "nothing goes to a tier that is not there"
    if how == "empty":
        (settled.root / "cooled").rmdir()
    aside.rename(settled.root / "cooled")
    clock.time += timedelta(days=50)
    settled.janitor()
    assert_sound(settled.root)
    assert "archive" == where(settled, "notes/plan")


def test_a_file_in_the_way_is_passed_over_and_named(settled: Memory) -> None:
    (settled.root / "cooled/notes").mkdir(parents=True)
    (settled.root / "cooled/notes/plan.md").write_text("Another one in the way.\n", "utf-8")
    run = settled.janitor()

    assert any("cooled/notes/plan.md" in note for note in run.passed_over)
    assert b"beaver" in (settled.root / "active/notes/plan.md").read_bytes()
    assert "Another one in the way.\n" == (settled.root / "cooled/notes/plan.md").read_text("utf-8")


def test_what_the_working_tree_does_not_hold_is_left_alone(settled: Memory) -> None:
    git(settled.root, "update-index", "--skip-worktree", "active/notes/plan.md")
    (settled.root / "active/notes/plan.md").unlink()
    run = settled.janitor()

    assert any("active/notes/plan.md" in note for note in run.passed_over)
    assert "active/notes/plan.md" in git(settled.root, "ls-tree", "-r", "--name-only", "HEAD")


def test_files_that_are_no_notes_are_not_moved(settled: Memory, clock: Clock) -> None:
    active = settled.root / "active"
    for name in (".a.md.swp", "a.md~", ".#a.md", "b.md.tmp", "4913", ".DS_Store", "node_modules/x/README.md", ".obsidian/w.json", ".trash/b.md"):
        (active / name).parent.mkdir(parents=True, exist_ok=True)
        (active / name).write_text("leftover\n", "utf-8")
    nested = active / "proj"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "n.md").write_text("nested\n", "utf-8")
    settled.add("notes/after", "x\n")
    clock.time += timedelta(days=400)
    moved = {path for pair in pairs(settled.janitor()) for path in pair}

    assert "archive/notes/plan.md" in moved
    assert (active / "proj/n.md").exists() and (active / "node_modules/x/README.md").exists() and (active / ".trash/b.md").exists()
    assert not [path for path in moved if "proj/" in path or "node_modules" in path or "/." in path]


def test_a_file_that_is_not_utf8_moves_like_any_other(settled: Memory, clock: Clock) -> None:
    data = b"---\nid: old-one\ntitle: M\xfcller\n---\nKrak\xf3w trip\n"
    (settled.root / "active/old.md").write_bytes(data)
    settled.add("notes/after", "x\n")
    clock.time += timedelta(days=50)
    settled.janitor()

    assert data == (settled.root / "cooled/old.md").read_bytes()


# -- reads ---------------------------------------------------------------------------------------


def receipts(memory: Memory) -> list[dict]:
    return [json.loads(line) for place in sorted((memory.root / "ledger").glob("*.jsonl")) for line in place.read_text("utf-8").splitlines()]


def test_opening_counts_and_nothing_else_does(settled: Memory) -> None:
    before = git(settled.root, "rev-parse", "HEAD")
    settled.show("notes/plan", peek=True)
    settled.show("notes/plan", at="HEAD")
    settled.show("tails/main")
    settled.search("beaver")
    settled.list()
    assert {} == settled._store.accesses.times()[0]
    settled.show("notes/plan")
    block = settled.list(kinds=["block"])[0].ref
    settled.show(f"{block}#m3", level=None)

    assert {"notes/plan": 1, block: 1} == {ref: len(times) for ref, times in settled._store.accesses.times()[0].items()}
    assert before == git(settled.root, "rev-parse", "HEAD"), "a read alone makes no commit"
    assert "" == git(settled.root, "status", "--porcelain")
    settled.add("notes/other", "x\n")
    assert [["notes/plan"], [block]] == [row["refs"] for row in receipts(settled)]
    assert not (settled.root / ".strata/reads.jsonl").exists()
    assert "ledger/" in git(settled.root, "show", "--stat", "HEAD")
    assert_sound(settled.root)


def test_a_read_keeps_a_record_young(settled: Memory, clock: Clock) -> None:
    settled.show("notes/plan")
    assert "notes/plan" not in {move.ref for move in settled.janitor(dry_run=True).moves}
    clock.time += timedelta(days=31)

    assert "notes/plan" in {move.ref for move in settled.janitor(dry_run=True).moves}


def test_three_readings_bring_it_back_to_active(settled: Memory) -> None:
    settled.janitor()
    for _ in range(2):
        settled.show("notes/plan")
    assert () == settled.janitor().moves
    settled.show("notes/plan")
    run = settled.janitor()

    assert [("cooled/notes/plan.md", "active/notes/plan.md")] == pairs(run)
    assert "accessed 3 times since it came to cooled/" == run.moves[0].reason


def test_opening_an_archived_record_brings_it_to_cooled_and_says_so(settled: Memory, clock: Clock) -> None:
    settled.archive("notes/plan")
    assert "archive" == settled.show("notes/plan", peek=True).tier
    assert "archive" == where(settled, "notes/plan")
    shown = settled.show("notes/plan")

    assert ("cooled", "archive/notes/plan.md") == (shown.tier, shown.moved)
    assert "cooled" == where(settled, "notes/plan")
    assert "Rehydrate notes/plan" == settled.log(limit=1)[0].subject
    clock.time += timedelta(days=1)
    assert "notes/plan" not in {move.ref for move in settled.janitor().moves}
    assert_sound(settled.root)


def test_an_archived_record_is_shown_also_where_nothing_can_be_written_now(settled: Memory) -> None:
    settled.archive("notes/plan")
    (settled.root / ".git/MERGE_HEAD").write_text(git(settled.root, "rev-parse", "HEAD"), "utf-8")
    shown = settled.show("notes/plan")
    (settled.root / ".git/MERGE_HEAD").unlink()

    assert "beaver" in shown.text
    assert "archive" == shown.tier
    assert any("stays in archive/" in warning for warning in settled.warnings)


def test_concurrent_readers_lose_no_count(settled: Memory) -> None:
    settled.close()
    child = "import sys; from strata import Memory\nmemory = Memory.open(sys.argv[1], key=b'k' * 32)\nfor _ in range(20): memory.show('notes/plan')\nif sys.argv[2] == 'w': memory.add('notes/w' + sys.argv[3], 'x')"
    running = [subprocess.Popen([sys.executable, "-c", child, str(settled.root), "w" if number % 2 else "r", str(number)], stderr=subprocess.PIPE) for number in range(6)]
    for process in running:
        _, errors = process.communicate(timeout=60)
        assert (0, b"") == (process.returncode, errors)

    assert 120 == len(settled._store.accesses.times()[0]["notes/plan"])
    settled.add("notes/last", "x\n")
    assert 120 == len(receipts(settled)) == len({row["id"] for row in receipts(settled)})
    assert_sound(settled.root)


def test_readings_that_were_taken_twice_stand_in_the_ledger_once(settled: Memory) -> None:
    settled.show("notes/plan")
    waiting = (settled.root / ".strata/reads.jsonl").read_bytes()
    settled.add("notes/other", "x\n")
    (settled.root / ".strata/reads.jsonl").write_bytes(waiting)  # as if the process had died before it could forget them
    settled.add("notes/another", "x\n")

    assert 1 == len(receipts(settled))
    assert not (settled.root / ".strata/reads.jsonl").exists()


def test_a_line_that_was_cut_off_costs_no_other(settled: Memory) -> None:
    settled.show("notes/plan")
    place = settled.root / ".strata/reads.jsonl"
    place.write_bytes(place.read_bytes() + b'{"id": "rcp-half')
    settled.show("notes/keep")
    settled.add("notes/other", "x\n")
    settled.add("notes/another", "x\n")

    assert [["notes/plan"], ["notes/keep"]] == [row["refs"] for row in receipts(settled)]
    assert (settled.root / ".strata/reads.refused").exists()
    assert any("set aside" in warning for warning in settled.warnings)
    assert_sound(settled.root)


def test_counts_of_two_clones_add_up_without_a_conflict(settled: Memory, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(settled.root), "other")
    other = Memory.open(tmp_path / "other", now=settled._now, key=KEY)
    for memory, count in ((settled, 3), (other, 4)):
        for _ in range(count):
            memory.show("notes/plan")
        memory.add(f"notes/of-{count}", "x\n")
    for number, refs in enumerate((("notes/plan", "notes/keep"), ("notes/plan",))):
        other._store.accesses.note(Receipt(f"use-{number}", "use", refs, "2027-01-05T10:00:00Z"))
    other.add("notes/used", "x\n")
    identity = ("-c", "user.name=P", "-c", "user.email=p@x")
    git(other.root, *identity, "pull", "-q", "--no-rebase", "origin", "main")
    git(settled.root, *identity, "pull", "-q", "--no-rebase", str(other.root), "main")

    assert {"notes/plan": 9, "notes/keep": 1} == {ref: len(times) for ref, times in other._store.accesses.times()[0].items()}
    assert other._store.accesses.times() == settled._store.accesses.times()
    assert settled.janitor(dry_run=True).moves == other.janitor(dry_run=True).moves
    assert 2 == len(list((other.root / "ledger").glob("*.jsonl")))
    assert_sound(settled.root)


def test_a_ledger_that_cannot_be_read_stops_demotions_and_says_so(settled: Memory) -> None:
    (settled.root / "ledger").mkdir()
    (settled.root / "ledger/broken-2026-11.jsonl").write_bytes(b"\xff\xfe garbage\n")
    run = settled.janitor()

    assert () == run.moves
    assert any("ledger/broken" in note for note in run.passed_over)
    assert [("ledger/broken-2026-11.jsonl", 1)] == [(problem.path, problem.line) for problem in settled.doctor()]


# -- by hand -------------------------------------------------------------------------------------


def test_moves_by_hand_go_where_they_are_sent_and_are_no_ops_there(settled: Memory) -> None:
    assert ["archive/notes/plan.md"] == [move.target for move in settled.archive("notes/plan")]
    assert [] == settled.archive("notes/plan")
    assert ["cooled/notes/plan.md"] == [move.target for move in settled.rehydrate("notes/plan")]
    assert [] == settled.rehydrate("notes/plan")
    assert ["active/notes/plan.md"] == [move.target for move in settled.promote("notes/plan")]
    assert [] == settled.rehydrate("notes/plan"), "it never moves down"
    assert "active" == where(settled, "notes/plan")
    with pytest.raises(UsageError):
        settled.rehydrate("notes/plan", "archive")
    with pytest.raises(UsageError):
        settled.promote([])
    assert_sound(settled.root)


def test_what_was_promoted_by_hand_is_not_cooled_by_the_next_run(settled: Memory, clock: Clock) -> None:
    settled.archive("notes/plan")
    clock.time += timedelta(days=100)
    settled.promote("notes/plan")

    assert "notes/plan" not in {move.ref for move in settled.janitor().moves}


def test_pinned_records_tails_messages_and_strangers_are_refused(settled: Memory) -> None:
    block = settled.list(kinds=["block"])[0].ref
    with pytest.raises(Refused, match="pinned"):
        settled.archive(["notes/plan", "notes/keep"])
    with pytest.raises(UsageError):
        settled.archive("tails/main")
    with pytest.raises(UsageError):
        settled.forget(f"{block}#m1")
    with pytest.raises(NotFound):
        settled.promote("notes/nothing")

    assert "active" == where(settled, "notes/plan"), "all or nothing"


def test_a_pin_is_one_line(settled: Memory) -> None:
    place = settled.root / "active/notes/by-hand.md"
    place.write_bytes(b"---\nid: by-hand\n# reviewed, do not reorder\nzeta: 1\nalpha: 2\n---\ntext\n")
    settled.pin("by-hand")
    assert b"---\nid: by-hand\n# reviewed, do not reorder\nzeta: 1\nalpha: 2\npinned: true\n---\ntext\n" == place.read_bytes()
    assert "" == settled.pin("by-hand")[0].commit
    settled.unpin("by-hand")

    assert b"---\nid: by-hand\n# reviewed, do not reorder\nzeta: 1\nalpha: 2\n---\ntext\n" == place.read_bytes()


def test_a_header_that_cannot_be_read_is_not_rewritten(settled: Memory) -> None:
    place = settled.root / "active/notes/broken.md"
    place.write_bytes(b"---\nid: broken\ntitle: Re: pump: phase 2\n---\nBody.\n")
    with pytest.raises(Malformed):
        settled.pin("notes/broken")

    assert b"---\nid: broken\ntitle: Re: pump: phase 2\n---\nBody.\n" == place.read_bytes()


def test_writing_to_what_rests_brings_it_back_first(settled: Memory) -> None:
    settled.archive("notes/plan")
    settled.add("notes/plan", "And more.\n", append=True)

    assert "active" == where(settled, "notes/plan")
    assert ["Append", "Promote", "Archive", "Add"] == [commit.subject.split()[0] for commit in settled.log("notes/plan")]
    assert 4 == len(git(settled.root, "log", "--follow", "--format=%s", "--", "active/notes/plan.md").splitlines())


def test_a_write_that_is_refused_leaves_it_where_it_rests(settled: Memory) -> None:
    settled.archive("notes/plan")
    with pytest.raises(AlreadyExists):
        settled.add("notes/plan", "Again.\n")

    assert "archive" == where(settled, "notes/plan")


# -- forgetting ----------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", ["active", "cooled", "archive"])
def test_what_was_forgotten_is_nowhere_in_any_tier_until_it_is_restored(settled: Memory, tier: str) -> None:
    block = settled.list(kinds=["block"])[0].ref
    messages = settled.show(block).messages
    settled.record({"title": "Otters were counted", "source_block": block, "source_messages": [messages[0].id], "event_type": "fact", "status": "occurred"})
    event = settled.list(kinds=["event"])[0].ref
    refs = ["notes/plan", block, event]
    if tier != "active":
        settled.archive(refs)
    if tier == "cooled":
        settled.rehydrate(refs)
    before = {path: path.read_bytes() for path in (settled.root / tier).rglob("*.md")}
    marked = settled.forget(refs)

    assert [(ref, tier) for ref in refs] == [(mark.ref, mark.path.partition("/")[0]) for mark in marked]
    assert all(mark.commit for mark in marked)
    assert [] == settled.search("beaver")
    assert not {hit.ref for hit in settled.search("otters") if hit.path.startswith(f"{tier}/blocks") or hit.ref == event}
    assert not set(refs) & {row.ref for row in settled.list()}
    assert sorted(refs) == sorted(row.ref for row in settled.list(forgotten=True))
    assert [] == settled.complete(block)
    for ref in refs:
        with pytest.raises(NotFound, match="forgotten on"):
            settled.show(ref)
    assert 0 == settled.append([("main", message) for message in messages]).stored, "its messages are still known"
    settled.restore(refs)
    assert before == {path: path.read_bytes() for path in (settled.root / tier).rglob("*.md")}
    assert [f"{tier}/notes/plan.md"] == [hit.path for hit in settled.search("beaver")]
    assert_sound(settled.root)


def test_to_forget_takes_an_exact_ref_and_all_or_nothing(settled: Memory) -> None:
    block = settled.list(kinds=["block"])[0].ref
    for refs in ([block[:-1]], ["notes/plan", "notes/nothing"]):
        with pytest.raises(NotFound):
            settled.forget(refs)

    assert [] == settled.list(forgotten=True)
    settled.forget("notes/plan")
    since = Document.parse((settled.root / "active/notes/plan.md").read_bytes()).text("forgotten_at")
    assert "" == settled.forget("notes/plan")[0].commit
    assert since == Document.parse((settled.root / "active/notes/plan.md").read_bytes()).text("forgotten_at")


def test_the_turns_go_on_being_counted_after_the_last_block_was_forgotten(settled: Memory) -> None:
    settled.forget(settled.list(kinds=["block"])[0].ref)
    settled.seal(everything=True)

    assert [13] == [int(Document.parse((settled.root / row.path).read_bytes()).text("first_turn")) for row in settled.list(kinds=["block"])]


def test_forgetting_travels_and_meets_an_edit_elsewhere(settled: Memory, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(settled.root), "other")
    other = Memory.open(tmp_path / "other", now=settled._now, key=KEY)
    settled.forget("notes/plan")
    other.add("notes/plan", "Edited meanwhile.\n", append=True)
    git(other.root, "-c", "user.name=P", "-c", "user.email=p@x", "pull", "-q", "--no-rebase", "origin", "main")

    assert [] == other.search("beaver")
    other.restore("notes/plan")
    assert "Edited meanwhile" in other.show("notes/plan").text


def test_an_earlier_version_comes_back_across_tiers_and_after_deletion(settled: Memory, clock: Clock) -> None:
    first = (settled.root / "active/notes/plan.md").read_bytes()
    settled.add("notes/plan", "Wrong.\n", replace=True)
    commit = settled.log(limit=1)[0].id
    clock.time += timedelta(days=40)
    settled.janitor()
    settled.restore("notes/plan", at=f"{commit}~1")
    assert first == (settled.root / "cooled/notes/plan.md").read_bytes()
    (settled.root / "cooled/notes/plan.md").unlink()
    settled.add("notes/other", "x\n")
    settled.restore("notes/plan", at=f"{commit}~1")

    assert first == (settled.root / "active/notes/plan.md").read_bytes()
    with pytest.raises(NotFound):
        settled.restore("notes/nothing", at="HEAD")
    assert_sound(settled.root)


# -- two versions --------------------------------------------------------------------------------


def test_a_save_at_the_old_place_keeps_both_versions_and_tells(settled: Memory) -> None:
    settled.janitor()
    rested = (settled.root / "cooled/notes/plan.md").read_bytes()
    (settled.root / "active/notes/plan.md").write_bytes(rested + b"Typed while it was moved.\n")
    settled.add("notes/other", "x\n")

    assert "active" == where(settled, "notes/plan")
    assert b"Typed while" in (settled.root / "active/notes/plan.md").read_bytes()
    assert any("was moved to cooled/ while it was open" in warning for warning in settled.warnings)
    history = settled.log("notes/plan")
    assert "R" in [status for status, *_ in history[0].paths]
    assert rested in [subprocess.run(["git", "show", f"{history[1].id}:cooled/notes/plan.md"], cwd=settled.root, capture_output=True).stdout]
    assert ["active/notes/plan.md"] == [hit.path for hit in settled.search("beaver")]
    assert () == tuple(move for move in settled.janitor().moves if move.ref == "notes/plan")
    assert_sound(settled.root)


def test_both_versions_stay_when_both_were_changed(settled: Memory) -> None:
    settled.janitor()
    place = settled.root / "cooled/notes/plan.md"
    place.write_bytes(place.read_bytes() + b"Changed where it rests.\n")
    (settled.root / "active/notes/plan.md").write_bytes(b"Saved at the old place.\n")
    settled.add("notes/other", "x\n")

    assert b"Changed where it rests" in place.read_bytes()
    assert b"Saved at the old place.\n" == (settled.root / "active/notes/plan.md").read_bytes()
    assert [problem.path for problem in settled.doctor() if "lies in" in problem.message]


# -- a long run ----------------------------------------------------------------------------------


def test_killed_anywhere_in_a_run_each_record_is_in_exactly_one_tier(memory: Memory, clock: Clock) -> None:
    many(memory, 2000)
    clock.time += timedelta(days=40)
    root = memory.root
    memory.close()
    child = (
        "import sys, datetime; from strata import Memory\n"
        f"memory = Memory.open(sys.argv[1], key=b'k' * 32, now=lambda: datetime.datetime.fromisoformat({clock.time.isoformat()!r}))\n"
        "print('ready', flush=True); memory.janitor(force=True)"
    )
    for delay in (0.0, 0.05, 0.15, 0.3, 0.5, 0.8, 1.2, 1.6):
        process = subprocess.Popen([sys.executable, "-c", child, str(root)], stdout=subprocess.PIPE)
        assert b"ready\n" == process.stdout.readline()
        stop = threading.Timer(delay, process.kill)
        stop.start()
        process.wait(timeout=60)
        stop.cancel()
        process.stdout.close()
        again = Memory.open(root, now=clock, key=KEY)
        again.search("note number 7")
        places = [place.relative_to(root).as_posix() for tier in ("active", "cooled", "archive") for place in (root / tier / "notes/many").rglob("*.md")]
        assert 2000 == len(places) == len({path.partition("/")[2] for path in places})
        assert "" == git(root, "status", "--porcelain")
        done = places[0].startswith("cooled/")
        again.close()
        if done:
            break
    assert_sound(root)


def test_an_old_run_moved_on_by_hand_is_followed_by_log(settled: Memory, strata: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    settled.janitor()
    settled.close()
    done = strata("log", "notes/plan", "--json", memory=settled.root)

    assert 2 == len(done.stdout.splitlines())
