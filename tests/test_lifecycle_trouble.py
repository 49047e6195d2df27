"""What once went wrong with tiers: each of these situations stopped a run, lost a word or told a lie."""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import Clock
from oracle import assert_sound, git
from strata import Memory
from strata.document import Document
from strata.errors import AlreadyExists, Conflict, Malformed, NotFound, Refused, TierVanished, UsageError
from strata.model import Message
from strata.render.screen import Screen
from strata.render.text import text


def test_a_record_in_two_tiers_is_named_and_stops_no_other(memory: Memory, clock: Clock) -> None:
    memory.add("notes/a", "one\n")
    (memory.root / "cooled/notes").mkdir(parents=True)
    (memory.root / "cooled/notes/a.md").write_text("two\n", "utf-8")
    memory.add("notes/z", "zz\n")
    clock.time += timedelta(days=200)
    dry = memory.janitor(dry_run=True)
    run = memory.janitor()

    assert dry.moves == run.moves
    assert ["archive/notes/z.md"] == [move.target for move in run.moves]
    assert 2 == sum("keep one of them" in note for note in run.passed_over)
    assert 2 == text(run, Screen()).count("Passed over")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("how", ["file", "link"])
def test_something_else_where_a_folder_belongs_stops_no_other(memory: Memory, clock: Clock, how: str) -> None:
    memory.add("notes/x/b", "one\n")
    memory.add("notes/ok", "k\n")
    (memory.root / "cooled/notes").mkdir(parents=True)
    place = memory.root / "cooled/notes/x"
    if how == "file":
        place.write_text("a file\n", "utf-8")
    else:
        place.symlink_to(memory.root.parent)
    clock.time += timedelta(days=40)
    dry = memory.janitor(dry_run=True)
    run = memory.janitor()

    assert dry.moves == run.moves and dry.passed_over == run.passed_over
    assert ["notes/ok"] == [move.ref for move in run.moves]
    assert ["active/notes/x/b.md: cooled/notes/x is a link or a file where a folder is needed"] == list(run.passed_over)


@pytest.mark.parametrize("left", [("lost+found/",), (".DS_Store", "x.txt")])
def test_a_mount_point_is_empty_whatever_else_lies_in_it(memory: Memory, clock: Clock, left: tuple[str, ...]) -> None:
    for number in range(10):
        memory.add(f"notes/n{number}", f"number {number}\n")
    memory.archive([f"notes/n{number}" for number in range(8)])
    (memory.root / "archive").rename(memory.root.parent / "aside")
    (memory.root / "archive").mkdir()
    for name in left:
        place = memory.root / "archive" / name
        place.mkdir() if name.endswith("/") else place.write_text("x", "utf-8")
    clock.time += timedelta(days=40)
    for call in (memory.janitor, lambda: memory.tend(live=True)):
        with pytest.raises(TierVanished):
            call()

    assert 8 == git(memory.root, "ls-tree", "-r", "--name-only", "HEAD", "archive").count(".md")


def test_the_last_record_of_a_tier_may_be_removed_by_hand(memory: Memory, clock: Clock) -> None:
    memory.add("notes/a", "one\n")
    memory.add("notes/b", "two\n")
    memory.archive("notes/a")
    (memory.root / "archive/notes/a.md").unlink()
    clock.time += timedelta(days=40)

    assert ["notes/b"] == [move.ref for move in memory.janitor().moves]
    assert_sound(memory.root)


def test_a_version_is_never_taken_from_another_record_of_the_same_name(memory: Memory) -> None:
    memory.add("notes/a/plan", "AAA\n")
    then = git(memory.root, "rev-parse", "HEAD").strip()
    memory.add("notes/plan", "BBB\n")
    with pytest.raises(NotFound):
        memory.restore("plan", at=then)

    assert "BBB" in (memory.root / "active/notes/plan.md").read_text("utf-8")


def test_a_record_that_was_renamed_by_hand_is_restored_under_its_name_of_now(memory: Memory) -> None:
    memory.add("notes/old-name", "first\n")
    then = git(memory.root, "rev-parse", "HEAD").strip()
    git(memory.root, "mv", "active/notes/old-name.md", "active/notes/new-name.md")
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "-m", "mv")
    memory.add("notes/new-name", "second\n", replace=True)
    memory.restore("notes/new-name", at=then)

    assert "first" in memory.show("notes/new-name").text
    assert not (memory.root / "active/notes/old-name.md").exists()


def test_each_record_was_forgotten_when_it_was(memory: Memory, clock: Clock) -> None:
    memory.add("notes/a", "one\n")
    memory.add("notes/b", "two\n")
    memory.forget("notes/a")
    clock.time += timedelta(days=100)
    memory.forget(["notes/a", "notes/b"])
    since = [Document.parse((memory.root / f"active/notes/{name}.md").read_bytes()).text("forgotten_at")[:10] for name in "ab"]

    assert ["2026-11-30", "2027-03-10"] == since


def test_a_mistake_in_the_settings_does_not_blind_anybody(memory: Memory, clock: Clock) -> None:
    memory.config_set("tiers.cool_after", "20")
    memory.add("notes/a", "one\n")
    clock.time += timedelta(days=21)
    memory.janitor()
    place = memory.root / "strata.yaml"
    place.write_bytes(place.read_bytes().replace(b"tiers.cool_after: 20", b"tiers.cool_after: thirty"))

    assert memory.status().ages
    assert memory.cost().lines
    tended = memory.tend(live=True)
    assert any("thirty" in note and "going on with the settings of" in note for note in tended.notes)
    assert tended.adopted
    with pytest.raises(Malformed):
        memory.janitor()
    assert ["notes/a"] == [move.ref for move in memory.undo_janitor().moves]
    clock.time += timedelta(days=21)
    assert ["notes/a"] == [move.ref for move in memory.tend(live=True).moves], "by the rules that were good last"


def test_a_setting_that_is_made_twice_is_a_mistake(memory: Memory) -> None:
    place = memory.root / "strata.yaml"
    place.write_bytes(b"tiers.cool_after: 5\ntiers:\n  cool_after: 3\n")

    with pytest.raises(Malformed, match="set twice"):
        memory.config_set("tiers.cool_after", "9")


@pytest.mark.parametrize("value", ["1_0", "\u0663", "\uff13", "+3", " 3", "3.0"])
def test_a_number_is_written_in_plain_digits(memory: Memory, value: str) -> None:
    with pytest.raises(UsageError):
        memory.config_set("tiers.promote_accesses", value)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such name")
def test_a_folder_whose_name_is_no_text_is_reported(memory: Memory) -> None:
    folder = os.fsencode(memory.root) + b"/active/notes/d\xe9ir"
    os.makedirs(folder)
    Path(os.fsdecode(folder + b"/f.md")).write_bytes(b"x\n")

    assert any("check out" in problem.message for problem in memory.doctor())


@pytest.mark.parametrize("name", ["#hash.md", "a#m1.md", "a.md.md"])
def test_a_record_with_an_odd_name_comes_back_when_it_is_opened(memory: Memory, name: str) -> None:
    place = memory.root / "archive/notes" / name
    place.parent.mkdir(parents=True)
    place.write_text("odd\n", "utf-8")
    memory.add("notes/other", "x\n")
    shown = memory.show(f"archive/notes/{name}")

    assert f"cooled/notes/{name}" == shown.path
    assert [] == memory.warnings


def test_a_pin_in_a_header_that_cannot_be_read_still_holds(memory: Memory, clock: Clock) -> None:
    (memory.root / "active/notes").mkdir()
    (memory.root / "active/notes/broken.md").write_text("---\ntitle: [x\npinned: true\n---\nbody\n", "utf-8")
    memory.add("notes/other", "x\n")
    clock.time += timedelta(days=40)

    assert ["notes/other"] == [move.ref for move in memory.janitor().moves]


@pytest.mark.parametrize("what", ["empty", "folder", "link", "pipe"])
def test_a_ledger_that_cannot_be_extended_stops_no_write(memory: Memory, what: str) -> None:
    memory.add("notes/a", "x\n")
    memory.show("notes/a")
    memory.add("notes/b", "y\n")
    [place] = (memory.root / "ledger").iterdir()
    place.unlink()
    if what == "empty":
        place.touch()
    elif what == "folder":
        place.mkdir()
    elif sys.platform == "win32":
        pytest.skip("a POSIX matter")
    elif what == "link":
        place.symlink_to("elsewhere")
    else:
        os.mkfifo(place)
    memory.show("notes/b")
    memory.add("notes/c", "z\n")

    assert 1 == len(memory._store.accesses.times()[0]["notes/b"])
    if what != "empty":
        assert any("readings wait" in warning for warning in memory.warnings)
        assert any(problem.path.startswith("ledger/") for problem in memory.doctor())
        place.rmdir() if what == "folder" else place.unlink()
        memory.add("notes/d", "z\n")
    assert 1 == len(memory._store.accesses.times()[0]["notes/b"])
    assert not (memory.root / ".strata/reads.jsonl").exists()
    assert_sound(memory.root)


@pytest.mark.parametrize("path, header", [("active/events/evt-20260101-abcdef.md", "id: evt-20260101-abcdef\nkind: event"), ("active/notes/x.md", "id: blk-mynote"), ("active/notes/y.md", "id: ent-person-zed"), ("active/notes/z.md", "id: my.custom")])
def test_a_reading_counts_for_a_record_wherever_it_lies(memory: Memory, clock: Clock, path: str, header: str) -> None:
    place = memory.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"---\n{header}\n---\nbody\n", "utf-8")
    memory.add("notes/other", "x\n")
    clock.time += timedelta(days=29)
    memory.show(path)
    clock.time += timedelta(days=5)

    assert ["notes/other"] == [move.ref for move in memory.janitor(dry_run=True).moves]


def test_readings_that_are_none_stop_no_write(memory: Memory) -> None:
    memory.add("notes/a", "x\n")
    (memory.root / ".strata/reads.jsonl").write_text('{"id": "\\ud800", "op": "read", "refs": ["notes/a"], "at": "2026"}\n', "utf-8")
    memory.add("notes/b", "x\n")
    assert any("set aside" in warning for warning in memory.warnings)
    (memory.root / ".strata/reads.jsonl").unlink()
    (memory.root / ".strata/reads.jsonl").mkdir()
    memory.janitor()
    memory.show("notes/a")
    memory.add("notes/c", "x\n")

    assert memory.status().ages


def test_a_dry_run_says_what_would_refuse_the_run(memory: Memory, clock: Clock) -> None:
    memory.add("notes/a", "x\n")
    clock.time += timedelta(days=40)
    git(memory.root, "checkout", "-q", "--detach")

    assert "detached" in memory.janitor(dry_run=True).guard
    with pytest.raises(Conflict, match="detached"):
        memory.janitor()


def test_a_note_added_beside_others_that_went_to_rest_elsewhere_merges(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    for number in range(10):
        memory.add(f"notes/x/n{number}", f"number {number}\n")
    git(tmp_path, "clone", "-q", str(memory.root), "other")
    other = Memory.open(tmp_path / "other", now=clock)
    other.add("notes/x/fresh", "fresh\n")
    clock.time += timedelta(days=40)
    memory.janitor()
    git(other.root, "-c", "user.name=P", "-c", "user.email=p@x", "pull", "-q", "--no-rebase", "origin", "main")

    assert (other.root / "active/notes/x/fresh.md").exists()
    assert (other.root / "cooled/notes/x/n1.md").exists()
    assert "" == git(other.root, "status", "--porcelain")


def test_a_file_at_the_place_where_it_should_go_is_named_with_what_to_do(memory: Memory) -> None:
    memory.add("notes/a", "one\n")
    memory.add("notes/b", "two\n")
    (memory.root / "archive/notes").mkdir(parents=True)
    (memory.root / "archive/notes/b.md").write_text("another\n", "utf-8")
    with pytest.raises(AlreadyExists) as caught:
        memory.archive(["notes/a", "notes/b"])

    assert ("archive/notes/b.md", "keep one of the two") == (caught.value.path, caught.value.remedy)
    assert (memory.root / "active/notes/a.md").exists()


def test_a_version_of_a_block_that_is_not_what_was_sealed_is_refused(memory: Memory) -> None:
    memory.append([("main", Message("m1", "user", "It is blue."))])
    block = memory.seal(everything=True)[0]
    place = memory.root / block.path
    whole = place.read_bytes()
    place.write_bytes(whole.replace(b"blue", b"grey"))
    memory.add("notes/a", "x\n")
    changed = git(memory.root, "rev-parse", "HEAD").strip()
    with pytest.raises(Refused, match="not what was sealed"):
        memory.restore(block.ref, at=changed)
    memory.restore(block.ref, at=block.commit)

    assert whole == place.read_bytes()
    assert_sound(memory.root)


def test_turns_are_counted_on_when_block_and_tail_are_out_of_sight(memory: Memory) -> None:
    memory.append([("main", Message(f"m{number}", "user", "Hello otters.")) for number in range(3)])
    block = memory.seal(everything=True)[0]
    memory.forget(block.ref)
    (memory.root / "active/tails/main.md").unlink()
    memory.append([("main", Message("m9", "user", "Again."))])

    assert b"first_turn: 4\n" in (memory.root / "active/tails/main.md").read_bytes()


def test_a_write_from_an_old_reading_leaves_a_resting_note_where_it_is(memory: Memory) -> None:
    memory.add("notes/a", "one\n")
    memory.archive("notes/a")
    with pytest.raises(Conflict):
        memory.add("notes/a", "two\n", replace=True, base="0" * 40)

    assert (memory.root / "archive/notes/a.md").exists()


def test_an_edit_that_no_look_had_seen_is_adopted_after_the_move(memory: Memory, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strata.survey.SMALL", 0)  # as with thousands of files at rest
    memory.add("notes/a", "one\n")
    clock.time += timedelta(days=40)
    memory.janitor()
    time.sleep(0.1)  # until the stamps of what was moved are old enough to be trusted
    memory.search("one")
    with open(memory.root / "cooled/notes/a.md", "ab") as file:  # in place: no folder moves
        file.write(b"unseen otter\n")
    clock.time += timedelta(days=60)
    memory.janitor()
    memory.add("notes/b", "x\n")

    assert ["archive/notes/a.md"] == [hit.path for hit in memory.search("otter")]
    assert_sound(memory.root)


def test_gits_own_trees_are_right_after_many_moves(memory: Memory, clock: Clock) -> None:
    folder = memory.root / "active/notes/many"
    folder.mkdir(parents=True)
    for number in range(100):
        (folder / f"n{number}.md").write_text(f"number {number}\n", "utf-8")
    git(memory.root, "add", "-A")
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "-m", "many")
    clock.time += timedelta(days=40)
    memory.janitor(force=True)

    assert git(memory.root, "rev-parse", "HEAD^{tree}") == git(memory.root, "write-tree")


def test_an_undo_goes_on_to_the_run_before_when_nothing_of_the_last_can_be_moved_back(memory: Memory, clock: Clock) -> None:
    memory.add("notes/a", "one\n")
    clock.time += timedelta(days=31)
    memory.add("notes/b", "two\n")
    memory.janitor()
    clock.time += timedelta(days=31)
    memory.janitor()
    memory.promote("notes/b")
    undone = memory.undo_janitor()

    assert ["notes/a"] == [move.ref for move in undone.moves]
    assert not memory.status().last_run_undone
    with pytest.raises(NotFound):
        memory.undo_janitor()


def test_the_opening_that_brings_a_record_back_is_its_first_access_there(memory: Memory) -> None:
    for fixed in (True, False):
        name = f"notes/{fixed}"
        memory.add(name, "one\n")
        memory.archive(name)
        now = memory._now()
        here = Memory.open(memory.root, now=(lambda: now) if fixed else memory._now)
        for _ in range(3):
            here.show(name)

        assert [name] == [move.ref for move in here.janitor().moves]


def test_writing_to_a_forgotten_note_says_that_it_stays_hidden(memory: Memory) -> None:
    memory.add("notes/a", "one\n")
    memory.archive("notes/a")
    memory.forget("notes/a")
    memory.add("notes/a", "two\n", append=True)

    assert any("stays hidden" in warning for warning in memory.warnings)
    assert ("Strata-Reason", "notes/a archive -> active: written to") in memory.log("notes/a")[1].trailers


def test_a_refusal_of_the_janitor_is_told_by_whoever_tends(memory: Memory, clock: Clock) -> None:
    folder = memory.root / "active/notes"
    folder.mkdir()
    for number in range(30):
        (folder / f"n{number}.md").write_text(f"number {number}\n", "utf-8")
    memory.doctor(fix=True)
    clock.time += timedelta(days=40)

    assert all("30 of the 30" in memory.tend(live=live).refused for live in (False, True))
    assert 30 == len(list(folder.glob("*.md")))


def test_a_whole_tier_that_is_gone_is_an_error_and_not_an_edit(memory: Memory) -> None:
    for number in range(25):
        memory.add(f"notes/n{number}", f"number {number}\n")
    memory.archive([f"notes/n{number}" for number in range(25)])
    (memory.root / "archive").rename(memory.root.parent / "aside")

    assert [("error", "archive")] == [(problem.severity, problem.path) for problem in memory.doctor()]
    assert "Nothing of it is left" in text(memory.status(), Screen())


def test_what_was_deleted_by_hand_is_called_so(memory: Memory) -> None:
    memory.add("notes/a", "one\n")
    (memory.root / "active/notes/a.md").unlink()
    memory.add("notes/b", "two\n")

    assert "Delete a.md by hand" == memory.log(limit=2)[1].subject


def test_a_version_is_restored_of_the_very_record_that_is_named(memory: Memory) -> None:
    memory.add("notes/plan", "PLAN\n")
    memory.add("notes/planner", "PLANNER one\n")
    then = git(memory.root, "rev-parse", "HEAD").strip()
    memory.add("notes/planner", "PLANNER two\n", replace=True)
    (memory.root / "active/notes/plan.md").unlink()
    memory.add("notes/z", "x\n")
    memory.restore("notes/plan", at=then)

    assert "PLAN\n" in (memory.root / "active/notes/plan.md").read_text("utf-8")
    assert "two" in (memory.root / "active/notes/planner.md").read_text("utf-8")
    with pytest.raises(NotFound):
        memory.restore("notes/pla", at=then)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there the two are one file")
def test_a_name_in_other_letters_is_in_the_way(memory: Memory, clock: Clock) -> None:
    memory.add("notes/plan", "one\n")
    (memory.root / "cooled/notes").mkdir(parents=True)
    (memory.root / "cooled/notes/Plan.md").write_text("two\n", "utf-8")
    memory.add("notes/other", "x\n")
    clock.time += timedelta(days=40)
    run = memory.janitor()

    assert ["notes/other"] == [move.ref for move in run.moves]
    assert "active/notes/plan.md: cooled/notes/Plan.md has its name in other letters; rename one of them" in run.passed_over


def test_a_record_in_two_tiers_byte_for_byte_is_mended(memory: Memory) -> None:
    memory.add("notes/a", "one\n")
    (memory.root / "archive/notes").mkdir(parents=True)
    (memory.root / "archive/notes/a.md").write_bytes((memory.root / "active/notes/a.md").read_bytes())
    (memory.root / "archive/notes/b.md").write_text("resting\n", "utf-8")
    git(memory.root, "add", "-A")
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "-m", "merged by hand")
    assert memory.doctor()
    memory.doctor(fix=True)

    assert not (memory.root / "archive/notes/a.md").exists() and (memory.root / "archive/notes/b.md").exists()
    assert_sound(memory.root)


def test_marks_come_and_go_without_a_trace(memory: Memory) -> None:
    place = memory.root / "active/notes/bare.md"
    place.parent.mkdir()
    place.write_bytes(b"No header here.\n")
    memory.pin("notes/bare")
    memory.forget("notes/bare")
    memory.restore("notes/bare")
    memory.unpin("notes/bare")

    assert b"No header here.\n" == place.read_bytes()
    place.write_bytes(b"---\nforgotten_at: false\n---\nNot forgotten.\n")
    assert "Not forgotten" in memory.show("notes/bare").text
    assert ["notes/bare"] == [row.ref for row in memory.list()]


def test_the_map_is_not_written_over_something_else(memory: Memory) -> None:
    (memory.root / "index.md").unlink()
    (memory.root / "index.md").mkdir()
    memory.add("notes/a", "one\n")

    assert 1 == memory.map().records
    assert any("index.md" in warning for warning in memory.warnings)


def test_a_folder_in_the_place_of_a_ledger_stops_demotions(memory: Memory, clock: Clock) -> None:
    memory.add("notes/a", "one\n")
    (memory.root / "ledger/other-2026-11.jsonl").mkdir(parents=True)
    clock.time += timedelta(days=40)

    assert () == memory.janitor().moves
