"""A search may ask what the memory held at a commit, and what was true at a date, and gets just that."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command import Run, files, run  # noqa: F401
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import KEY, git

from strata import Memory
from strata.believed import FOLDER, KEPT
from strata.errors import NotFound, OutsideMemory, UsageError
from strata.files.lock import held
from strata.model import Hit, Message
from strata.results import Row
from strata.shadow import Shadow
from strata.shadow import stamp as stamps
from strata.validity import last_day

WORDS = ("harbour", "lantern", "pnpm", "violin", "teapot", "meadow")
QUERIES = ("harbour lantern", "which pnpm", "violin", "teapot meadow lantern", "what did we say about the violin")


def refs(hits: list[Hit] | list[Row]) -> list[str]:
    return [hit.ref for hit in hits]


def commits(memory: Memory) -> list[str]:
    return [commit.id for commit in memory.log()]


def folder(memory: Memory) -> Path:
    return memory.root / ".strata" / FOLDER


def indexes(memory: Memory) -> set[str]:
    return {place.name for place in folder(memory).iterdir() if place.is_dir()}


# -- what the memory held: the same as a clone that is checked out there -----------------------------


class Life:
    """A memory to which things happen, each told by a number."""

    def __init__(self, root: Path) -> None:
        self.time = datetime(2026, 5, 1, tzinfo=UTC)
        self.ids = 0
        self.memory = Memory.init(root, now=self.now, new_id=self.new_id, key=KEY)
        self.said = 0

    def now(self) -> datetime:
        self.time += timedelta(hours=7)
        return self.time

    def new_id(self, prefix: str, day: str) -> str:
        self.ids += 1
        return f"{prefix}-{day.replace('-', '')}-{self.ids:06d}"

    def text(self, number: int) -> str:
        return f"The {WORDS[number % 6]} and the {WORDS[number // 6 % 6]} number {number}."

    def happen(self, what: str, number: int) -> None:
        memory, rows = self.memory, self.memory.list()
        one = rows[number % len(rows)] if rows else None
        path = memory.root / one.path if one else None
        match what:
            case "say":
                turn = [Message(f"m{self.said + each}", ("user", "assistant")[each], self.text(number + each), at=f"2026-0{1 + number % 4}-1{each}T10:00:00Z") for each in range(2)]
                self.said += 2
                memory.append([("main", message) for message in turn])
            case "seal":
                memory.seal(everything=True)
            case "note":
                memory.add(f"notes/n{number % 4}", self.text(number), replace=True)
            case "card":
                blocks = [row for row in rows if row.kind == "block"]
                if blocks:
                    block = blocks[number % len(blocks)]
                    message = memory.show(block.ref, peek=True).messages[0].id
                    claim = {"type": "person", "name": "Jo", "mode": "state", "key": "plays", "value": WORDS[number % 6]}
                    memory.record({"title": self.text(number), "source_block": block.ref, "source_messages": [message], "facts": [claim]})
            case "archive" if one and one.tier != "archive":
                memory.archive(one.ref)
            case "forget" if one:
                memory.forget(one.ref)
            case "edit" if path and path.exists():
                path.write_text(path.read_text("utf-8") + f"\nBy hand: {self.text(number)}\n", "utf-8")
            case "drop" if path and one and one.kind == "note":
                path.unlink(missing_ok=True)
            case "commit":
                git(memory.root, "add", "-A")
                git(memory.root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "--allow-empty", "-m", "by hand")


HAPPENINGS = st.lists(st.tuples(st.sampled_from(("say", "say", "seal", "note", "note", "card", "archive", "forget", "edit", "drop", "commit")), st.integers(0, 40)), min_size=6, max_size=16)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(happenings=HAPPENINGS, data=st.data())
def test_what_was_believed_is_what_a_clone_at_that_commit_says(happenings: list[tuple[str, int]], data: st.DataObject) -> None:
    scratch = Path(tempfile.mkdtemp())
    life = Life(scratch / "memory")
    memory = life.memory
    for what, number in happenings:
        life.happen(what, number)
    memory.search("whatever lies in the tree is indexed now")
    for commit in data.draw(st.lists(st.sampled_from(commits(memory)), min_size=1, max_size=2, unique=True)):
        git(scratch, "clone", "-q", str(memory.root), commit)
        git(scratch / commit, "checkout", "-q", "--detach", commit)
        with Memory.open(scratch / commit, key=KEY, now=life.now) as clone:
            expected = [clone.search(query, limit=8) for query in QUERIES]
            narrowed = [clone.search(query, kinds=("message", "note"), since="2026-02", tiers=("active",)) for query in QUERIES]
            asked = [clone.search(query, at="2026-03-05") for query in QUERIES]
            rows, hidden, then = clone.list(), clone.list(forgotten=True), clone.list(at="2026-03-05")

            assert expected == [memory.search(query, believed=commit, limit=8) for query in QUERIES]
            assert narrowed == [memory.search(query, believed=commit, kinds=("message", "note"), since="2026-02", tiers=("active",)) for query in QUERIES]
            assert asked == [memory.search(query, believed=commit, at="2026-03-05") for query in QUERIES]
            assert (rows, hidden, then) == (memory.list(believed=commit), memory.list(believed=commit, forgotten=True), memory.list(believed=commit, at="2026-03-05"))
            for row in rows:
                there, here = clone.show(row.ref, peek=True), memory.show(row.ref, believed=commit)
                assert (there.path, there.text, there.blob, there.messages) == (here.path, here.text, here.blob, here.messages)
                assert commit == here.at
    memory.close()
    shutil.rmtree(scratch)


# -- an index of its own ---------------------------------------------------------------------------


@pytest.fixture
def plans(memory: Memory) -> Memory:
    """A note that said Friday, then Monday, then Tuesday."""
    for day in ("Friday", "Monday", "Tuesday"):
        memory.add("notes/plan", f"The ship leaves on {day}.", replace=True)
    return memory


def test_a_search_reads_texts_and_places_of_then(plans: Memory) -> None:
    plans.archive("notes/plan")

    (hit,) = plans.search("when does the ship leave", believed="HEAD~2")
    assert ("The ship leaves on Monday.", "active/notes/plan.md", "active") == (hit.snippet, hit.path, hit.tier)
    assert [] == plans.search("ship Tuesday", believed="HEAD~2", tiers=("archive",))
    assert "Tuesday" in plans.search("when does the ship leave")[0].snippet


def test_looking_back_changes_nothing(plans: Memory, sound: Callable[[Path], None]) -> None:
    before, head = files(plans.root), plans.log(limit=1)

    plans.search("ship", believed="HEAD~1")
    plans.list(believed="HEAD~1")
    plans.show("notes/plan", believed="HEAD~1")
    assert (before, head) == (files(plans.root), plans.log(limit=1))
    sound(plans.root)


def test_what_is_not_committed_was_not_believed(plans: Memory) -> None:
    place = plans.root / "active/notes/plan.md"
    place.write_text("The ship leaves never.\n", encoding="utf-8")
    (plans.root / "active/notes/new.md").write_text("A second ship.\n", encoding="utf-8")
    assert {"notes/plan", "notes/new"} == set(refs(plans.search("ship")))

    assert ["The ship leaves on Tuesday."] == [hit.snippet for hit in plans.search("ship", believed="HEAD")]
    place.unlink()
    assert ["notes/plan"] == refs(plans.search("ship", believed="HEAD"))
    assert ["notes/new"] == refs(plans.list())


def test_what_a_merge_left_in_conflict_was_not_believed(plans: Memory) -> None:
    git(plans.root, "config", "user.name", "Ada")
    git(plans.root, "config", "user.email", "ada@example.org")
    place = plans.root / "active/notes/plan.md"
    text = place.read_text("utf-8")
    for branch, day in (("other", "Sunday"), ("main", "Saturday")):
        git(plans.root, "switch", "-q", *(["-c"] if branch == "other" else []), branch)
        place.write_text(text.replace("Tuesday", day), "utf-8")
        git(plans.root, "commit", "-q", "-a", "-m", day)
    git(plans.root, "merge", "-q", "other", check=False)
    assert "<<<<<<<" in place.read_text("utf-8")

    assert ["The ship leaves on Saturday."] == [hit.snippet for hit in plans.search("ship", believed="HEAD")]
    assert ["The ship leaves on Sunday."] == [hit.snippet for hit in plans.search("ship", believed="other")]


def test_an_edit_behind_a_link_was_not_believed(plans: Memory, tmp_path: Path) -> None:
    """The index goes on to know what it can no longer look at, an edit that nobody committed among it."""
    place = plans.root / "active/notes"
    (place / "plan.md").write_text("The ship leaves never.\n", encoding="utf-8")
    plans.search("ship")
    place.rename(tmp_path / "notes")
    place.symlink_to(tmp_path / "notes")
    assert plans._store.ask(lambda shadow: shadow.search("never")), "else there is nothing to take back"

    for commit, day in (("HEAD", "Tuesday"), ("HEAD~1", "Monday")):
        assert [f"The ship leaves on {day}."] == [hit.snippet for hit in plans.search("ship", believed=commit)]
        assert [] == plans._believed.lookup(commit).then.ask(lambda shadow: shadow.search("never"))


def test_a_commit_is_asked_for_by_date_too(plans: Memory, clock: Any) -> None:
    clock.time += timedelta(days=10)
    plans.add("notes/plan", "The ship leaves on Sunday.", replace=True)

    assert ["The ship leaves on Tuesday."] == [hit.snippet for hit in plans.search("ship", believed="2026-12-05")]
    with pytest.raises(NotFound):
        plans.search("ship", believed="2019")
    with pytest.raises(NotFound):
        plans.list(believed="nowhere")


def test_the_index_of_a_commit_shares_what_is_the_same_and_is_made_once(memory: Memory) -> None:
    for number in range(40):
        (memory.root / f"active/notes/n{number}.md").parent.mkdir(parents=True, exist_ok=True)
        (memory.root / f"active/notes/n{number}.md").write_text(f"Word {number} of the harbour. " * 200, "utf-8")
    memory.add("notes/last", "The harbour is full.")
    commit = memory.believe("HEAD~1")
    place = folder(memory) / commit
    found = [each for each in place.rglob("*.seg")]

    ours = [each.stat().st_ino for each in (memory.root / ".strata/index").rglob("*.seg")]
    assert [each for each in found if each.stat().st_ino in ours], "what did not change is shared"
    assert 0 == sum(each.stat().st_size for each in found if each.stat().st_ino not in ours), "taking back writes nothing new"
    before = {each: each.stat().st_mtime_ns for each in place.rglob("*") if each.is_file()}
    with Memory.open(memory.root, key=KEY) as other:
        assert 10 == len(other.search("harbour", believed=commit))
    assert before == {each: each.stat().st_mtime_ns for each in place.rglob("*") if each.is_file()}


def test_the_two_indexes_do_not_touch_each_other(plans: Memory) -> None:
    plans.believe("HEAD~1")
    for number in range(12):
        plans.add(f"notes/n{number}", f"Another ship, number {number}.")
    plans.reindex()

    assert ["The ship leaves on Monday."] == [hit.snippet for hit in plans.search("ship", believed="HEAD~13")]
    assert 13 == len(plans.search("ship", limit=20))
    with Memory.open(plans.root, key=KEY) as other:
        assert ["The ship leaves on Monday."] == [hit.snippet for hit in other.search("ship", believed="HEAD~13")]


def test_the_last_few_are_kept_and_who_reads_another_makes_it_again(memory: Memory) -> None:
    for number in range(KEPT + 3):
        memory.add("notes/count", f"The count is {number}.", replace=True)
    every = commits(memory)[: KEPT + 1]
    with Memory.open(memory.root, key=KEY) as reader:
        first = reader.search("count", believed=every[0])
        for at, commit in enumerate(every[1:]):
            os.utime(folder(memory) / every[0], (at, at))  # not used for long
            memory.believe(commit)
        assert set(every[-KEPT:]) == indexes(memory)

        assert first == reader.search("count", believed=every[0])
    assert every[0] in indexes(memory) and KEPT == len(indexes(memory))


def test_one_that_is_not_finished_does_not_count(plans: Memory) -> None:
    commit = commits(plans)[1]
    half = Shadow(folder(plans) / commit, KEY)
    plans.search("ship")
    assert half.copy_of(plans.root / ".strata/index") is not None
    assert half.search("Tuesday")

    assert ["The ship leaves on Monday."] == [hit.snippet for hit in plans.search("ship", believed=commit)]
    assert [] == plans.search("Tuesday", believed=commit)


@pytest.mark.parametrize("harm", ["truncated", "no stamp", "a file", "of another machine"])
def test_a_damaged_one_is_made_again(plans: Memory, harm: str) -> None:
    commit = plans.believe("HEAD~1")
    place = folder(plans) / commit
    plans.close()
    match harm:
        case "truncated":
            for each in place.rglob("*.toc"):
                each.write_bytes(each.read_bytes()[:-9])
        case "no stamp":
            (place / stamps.NAME).unlink()
        case "a file":
            shutil.rmtree(place)
            place.write_text("no folder", encoding="utf-8")
        case "of another machine":
            with Memory.open(plans.root, key=b"o" * 32) as other:
                other.believe(commit)

    assert ["The ship leaves on Monday."] == [hit.snippet for hit in plans.search("ship", believed=commit)]


def test_where_the_index_of_now_is_damaged_that_of_then_is_built_from_git(memory: Memory) -> None:
    for number in range(5):
        memory.add(f"notes/n{number}", f"Lantern {number}.")
    for place in (memory.root / ".strata/index").rglob("*.seg"):
        found = place.stat()
        place.write_bytes(b"\xff" * found.st_size)
        os.utime(place, ns=(found.st_atime_ns, found.st_mtime_ns))
    steps: list[tuple[int, int]] = []
    with Memory.open(memory.root, key=KEY) as other:
        other.believe("HEAD~2", lambda done, every: steps.append((done, every)))

        assert {"notes/n0", "notes/n1", "notes/n2"} == set(refs(other.search("lantern", believed="HEAD~2")))
        assert any("built from git" in warning for warning in other.warnings)
    assert steps and steps[-1][0] == steps[-1][1] > 2


def test_without_hard_links_files_are_copied(plans: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(source: object, target: object) -> None:
        raise PermissionError(1, "this file system has no hard links")

    monkeypatch.setattr(os, "link", link)

    assert ["The ship leaves on Monday."] == [hit.snippet for hit in plans.search("ship", believed="HEAD~1")]
    assert all(1 == each.stat().st_nlink for each in folder(plans).rglob("*.seg"))
    assert [] == plans.warnings, "and it is not built anew for that"


def test_where_nothing_can_be_kept_it_is_made_for_this_process(plans: Memory) -> None:
    folder(plans).write_text("in the way", encoding="utf-8")

    assert ["The ship leaves on Monday."] == [hit.snippet for hit in plans.search("ship", believed="HEAD~1")]
    assert any("cannot be kept" in warning for warning in plans.warnings)


def test_a_link_is_not_followed(plans: Memory, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder(plans).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OutsideMemory):
        plans.search("ship", believed="HEAD~1")
    folder(plans).unlink()
    folder(plans).mkdir()
    commit = commits(plans)[1]
    (folder(plans) / commit).symlink_to(tmp_path / "elsewhere")
    assert ["The ship leaves on Monday."] == [hit.snippet for hit in plans.search("ship", believed=commit)]
    assert [] == list((tmp_path / "elsewhere").iterdir())


def test_processes_that_ask_at_once_all_get_the_answer(plans: Memory, strata: Callable[..., Any]) -> None:
    plans.close()
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda _: strata("search", "ship", "--believed", "HEAD~1", "--json", memory=plans.root), range(3)))

    assert [0, 0, 0] == [each.returncode for each in done]
    assert all("Monday" in each.stdout for each in done)


def test_one_process_at_a_time_makes_an_index(plans: Memory) -> None:
    plans.believe("HEAD")
    with ThreadPoolExecutor(1) as pool, Memory.open(plans.root, key=KEY) as other:
        with held(folder(plans) / "lock", 1):
            waiting = pool.submit(other.believe, "HEAD~1")
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)
            assert 1 == len(indexes(plans))
        assert waiting.result(timeout=20) in indexes(plans)


# -- one record --------------------------------------------------------------------------------------


def test_a_record_is_shown_as_it_read_then_by_old_names_and_new(plans: Memory) -> None:
    git(plans.root, "mv", "active/notes/plan.md", "active/notes/voyage.md")
    git(plans.root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "rename")

    for name in ("notes/plan", "notes/voyage"):
        shown = plans.show(name, believed="HEAD~2")
        assert ("The ship leaves on Monday.", "notes/plan") == (shown.text.strip(), shown.ref)
    assert "Monday" in plans.show("notes/plan", at="HEAD~2").text
    with pytest.raises(NotFound, match="held no 'notes/other'"):
        plans.show("notes/other", believed="HEAD~2")


def test_the_beginning_of_an_id_is_enough_though_the_record_is_gone(memory: Memory) -> None:
    memory.append([("main", Message("m1", "user", "The violin is red.")), ("main", Message("m2", "assistant", "Noted."))])
    (block,) = memory.seal(everything=True)
    git(memory.root, "rm", "-q", block.path)
    git(memory.root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "gone")

    assert "violin" in memory.show(block.ref[:-2], believed="HEAD~1").text
    assert "The violin is red." == memory.show(f"{block.ref[:-2]}#m1", believed="HEAD~1").messages[0].text
    with pytest.raises(NotFound):
        memory.show(block.ref[:-2])


# -- what was true at a date -------------------------------------------------------------------------


def said(memory: Memory, *texts: tuple[str, str]) -> str:
    """A block of messages, each with its time; its ref."""
    known = sum(len(memory.show(row.ref, peek=True).messages) for row in memory.list(kinds=("block",)))
    pairs = [Message(f"m{known + number}", ("user", "assistant")[number % 2], text, at=at) for number, (text, at) in enumerate(texts)]
    memory.append([("main", message) for message in pairs])
    return memory.seal(everything=True)[0].ref


def card(memory: Memory, block: str, title: str, **more: Any) -> str:
    message = memory.show(block, peek=True).messages[0].id
    return memory.record({"title": title, "source_block": block, "source_messages": [message], "facts": []} | more).ref


@pytest.fixture
def diary(memory: Memory) -> dict[str, str]:
    """What was said in March and in June, and cards that tell of January, March and July."""
    march = said(memory, ("The violin is red.", "2026-03-10T10:00:00Z"), ("A red violin, noted.", "2026-03-10T10:01:00Z"))
    june = said(memory, ("The violin is blue.", "2026-06-10T10:00:00Z"), ("A blue violin, noted.", "2026-06-10T10:01:00Z"))
    red = card(memory, march, "The violin is red", mentioned_at="2026-03-10T10:00:00Z")
    blue = card(memory, june, "The violin is blue", mentioned_at="2026-06-10T10:00:00Z", supersedes=[red])
    past = card(memory, june, "The violin was bought", mentioned_at="2026-06-10T10:00:00Z", happened_start="2026-01-20", basis="inferred", precision="day")
    plan = card(memory, march, "The violin goes to a concert", mentioned_at="2026-03-10T10:00:00Z", happened_start="2026-07-01", basis="inferred", precision="day")
    return {"march": march, "june": june, "red": red, "blue": blue, "past": past, "plan": plan}


def test_only_what_was_said_or_happened_by_then_is_found(memory: Memory, diary: dict[str, str]) -> None:
    found = set(refs(memory.search("violin", at="2026-04", limit=50)))

    assert {diary["march"], f"{diary['march']}#m0", f"{diary['march']}#m1", diary["red"], diary["past"]} == found
    assert {diary["past"]} == set(refs(memory.search("violin", at="2026-02", limit=50)))
    assert [diary["past"]] == [item.ref for item in memory._store.ask(lambda shadow: shadow.rank("violin", at="2026-02", limit=50))], "and the index alone knows"
    assert found < set(refs(memory.search("violin", limit=50)))
    assert {diary["march"], diary["red"], diary["past"]} == set(refs(memory.list(at="2026-04")))


@pytest.mark.parametrize("at, there", [("2026-03-09", False), ("2026-03-10", True), ("2026-03", True), ("2026-03-10T09:59:59Z", False), ("2026-03-10T10:00:00Z", True), ("2026", True)])
def test_the_whole_of_a_date_counts(memory: Memory, diary: dict[str, str], at: str, there: bool) -> None:
    assert there is (f"{diary['march']}#m0" in refs(memory.search("violin red", at=at, limit=50)))


def test_a_block_counts_when_its_last_message_was_said(memory: Memory) -> None:
    block = said(memory, ("The meadow is green.", "2026-03-01T10:00:00Z"), ("The meadow is brown.", "2026-08-01T10:00:00Z"))
    memory.describe(block, {"title": "The meadow turned brown", "summary": "The meadow.", "keypoints": ["It is brown (m1)"]})

    assert [f"{block}#m0"] == refs(memory.search("meadow", at="2026-04"))
    assert [] == memory.list(at="2026-04") and [block] == refs(memory.list(at="2026-08"))


def test_what_has_no_time_is_left_out(memory: Memory) -> None:
    (memory.root / "active/notes").mkdir(parents=True, exist_ok=True)
    (memory.root / "active/notes/bare.md").write_text("The teapot is cracked.\n", encoding="utf-8")
    memory.append([("main", Message("m1", "user", "The teapot has no date."))])
    assert 2 == len(memory.search("teapot"))

    assert [] == memory.search("teapot", at="2030")
    assert [] == memory.list(at="2030")


def test_a_card_is_outdated_once_the_newer_one_was_true(memory: Memory, diary: dict[str, str]) -> None:
    def hits(**narrow: str) -> dict[str, Hit]:
        return {hit.ref: hit for hit in memory.search("what colour is the violin", kinds=("event",), **narrow)}

    before, after, now = hits(at="2026-04"), hits(at="2026-07"), hits()
    assert "" == before[diary["red"]].status and diary["blue"] not in before
    assert ("outdated", diary["blue"]) == (after[diary["red"]].status, after[diary["red"]].counterpart) == (now[diary["red"]].status, now[diary["red"]].counterpart)
    assert before[diary["red"]].score == pytest.approx(2 * now[diary["red"]].score), "and weighs in full until then"


def test_relative_words_count_from_that_date(memory: Memory) -> None:
    blocks = {month: said(memory, (f"We tuned the violin for the {name} evening.", f"2026-{month}-10T10:00:00Z"), ("Noted.", f"2026-{month}-10T10:01:00Z")) for month, name in (("02", "first"), ("03", "second"), ("04", "third"))}

    assert f"{blocks['03']}#m2" == memory.search("which violin evening was it last month", at="2026-04-20")[0].ref
    assert f"{blocks['02']}#m0" == memory.search("which violin evening was it last month", at="2026-03-20")[0].ref
    assert ("2026-03-31", "2026-12-31", "2026-03-20") == tuple(last_day(at).isoformat() for at in ("2026-03", "2026", "2026-03-20T10:00:00Z"))


def test_filters_hold_beside_a_date(memory: Memory, diary: dict[str, str]) -> None:
    assert [diary["red"]] == refs(memory.search("violin", at="2026-04", kinds=("event",), since="2026-02"))
    assert [diary["past"]] == refs(memory.search("violin", at="2026-04", until="2026-02"))
    assert [diary["past"]] == refs(memory.search("violin", at="2026-04", happened_from="2026-01", happened_to="2026-12"))
    assert [diary["past"]] == refs(memory.list(at="2026-12", kinds=("event",), until="2026-02"))
    assert 1 == len(memory.search("violin", at="2026-12", limit=1)) == len(memory.list(at="2026-12", limit=1))


@pytest.fixture
def jo(memory: Memory) -> dict[str, str]:
    """Jo lived in Lisbon from 2020 and in Berlin from March 2026; that was told in two commits."""
    block = said(memory, ("We talked about Jo.", "2026-05-20T10:00:00Z"), ("Noted.", "2026-05-20T10:01:00Z"))

    def lives(town: str, since: str) -> str:
        claim = {"type": "person", "name": "Jo", "mode": "state", "key": "lives in", "value": town, "valid_from": since}
        return card(memory, block, f"Jo moved to {town}", mentioned_at="2026-05-20T10:00:00Z", facts=[claim])

    return {"lisbon": lives("Lisbon", "2020"), "berlin": lives("Berlin", "2026-03"), "block": block}


def test_an_entity_is_found_by_what_was_true_of_it_then(memory: Memory, jo: dict[str, str]) -> None:
    (then,) = memory.search("where does Jo live", at="2025", kinds=("entity",))

    assert "Lisbon" in then.snippet and "Berlin" not in then.snippet
    assert [] == memory.search("Berlin", at="2025")
    assert [] == memory.search("Jo", at="2019")
    assert "Berlin" in memory.search("where does Jo live", at="2026-04", kinds=("entity",))[0].snippet
    assert ["ent-person-jo"] == refs(memory.list(at="2025")) and [] == memory.list(at="2019")


def test_what_was_held_to_have_been_true_is_neither_of_the_two(memory: Memory, jo: dict[str, str]) -> None:
    """Before Berlin was told, the memory held that Jo still lived in Lisbon in April."""
    (hit,) = memory.search("where does Jo live", at="2026-04", believed="HEAD~1", kinds=("entity",))

    assert "Lisbon" in hit.snippet
    assert ["Lisbon"] == [fact.value for fact in memory.show("ent-person-jo", at="2026-04", believed="HEAD~1").entity.now]
    assert ["Berlin"] == [fact.value for fact in memory.show("ent-person-jo", at="2026-04").entity.now]
    assert [] == memory.search("Lisbon", at="2019", believed="HEAD")


def test_show_tells_of_an_entity_what_was_true_and_of_the_rest_how_it_read(memory: Memory, jo: dict[str, str]) -> None:
    head = memory.log(limit=1)[0].id
    then = memory.show("ent-person-jo", at="2025-06")
    before = memory.show("ent-person-jo", at="HEAD~1")

    assert (["Lisbon"], "") == ([fact.value for fact in then.entity.now], then.at)
    assert "Berlin" not in before.text and before.at
    assert memory.show(jo["block"], at="2026-11-30").at == head
    assert head == memory.log(limit=1)[0].id
    with pytest.raises(UsageError, match="only of an entity"):
        memory.show(jo["block"], at="2026-11-30", believed="HEAD")
    with pytest.raises(UsageError, match="not a date"):
        memory.show("ent-person-jo", at="HEAD~1", believed="HEAD")


def test_an_entity_that_is_broken_was_nothing(memory: Memory, jo: dict[str, str]) -> None:
    (place,) = memory.root.glob("active/entities/**/*jo.md")
    place.write_text("---\nname: [\n---\nJo lives in Berlin.\n", encoding="utf-8")

    assert [] == memory.search("Jo lives", at="2025", kinds=("entity",)) and [] == memory.list(at="2025", kinds=("entity",))


# -- on the command line -----------------------------------------------------------------------------


def test_both_axes_stand_on_the_command_line(run: Run, plans: Memory) -> None:  # noqa: F811
    assert "Monday" in run("search", "ship", "--believed", "HEAD~1").out
    assert "Monday" in run("search", "ship", "--believed", "HEAD~1", "--at", "2026-12").out
    assert "No hits" in run("search", "ship", "--at", "2026-10").out
    assert ["notes/plan"] == [row["ref"] for row in run("list", "--believed", "HEAD~1", "--json").json()]
    assert "No record passes" in run("list", "--at", "2026-10").out
    assert "Friday" in run("show", "notes/plan", "--believed", "HEAD~2").out
    assert "Friday" in run("show", "notes/plan", "--at", "HEAD~2").out


def test_a_batch_of_questions_may_ask_of_then_but_none_that_is_judged_now(run: Run, plans: Memory) -> None:  # noqa: F811
    answers = run("search", "--batch", "-", "--believed", "HEAD~1", stdin='{"id": "a", "query": "ship"}\n').json()

    assert ["The ship leaves on Monday."] == [hit["snippet"] for hit in answers[0]["hits"]]
    refused = run("search", "ship", "--gate", "--believed", "HEAD~1")
    assert 2 == refused.code and "what the files say now" in refused.err
    with pytest.raises(UsageError, match="earlier commit"):
        plans.ask("ship", believed="HEAD~1")
    assert 0 == run("search", "ship", "--gate", "--at", "2026-12").code
    assert [] != plans.unassessed()


@pytest.mark.parametrize(
    "arguments, code",
    [
        (("search", "ship", "--believed", "nowhere"), 11),
        (("search", "ship", "--believed", ""), 2),
        (("search", "ship", "--at", "HEAD~1"), 2),
        (("list", "--believed", "2019"), 11),
        (("list", "--at", "soon"), 2),
        (("show", "notes/plan", "--believed", "nowhere"), 11),
    ],
)
def test_times_that_are_none_are_refused(run: Run, plans: Memory, arguments: tuple[str, ...], code: int) -> None:  # noqa: F811
    assert code == run(*arguments).code
