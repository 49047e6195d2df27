"""What goes wrong around a memory: clocks, modes, half-merged files, lost power, sparse trees. Nothing is lost, and it is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from oracle import KEY, git
from strata import Memory, survey
from strata.errors import Locked, Refused, StrataError, TierVanished
from strata.model import Message, ToolCall

Sound = Callable[[Path], None]
OTHER = 65534 if hasattr(os, "getuid") and os.getuid() == 0 else getattr(os, "getuid", int)()
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


def said(first: int, last: int) -> list[tuple[str, Message]]:
    return [("main", Message(f"m{number}", "user", f"word{number} was said", at="2026-11-30T10:00:00Z")) for number in range(first, last + 1)]


def whole_history(root: Path) -> str:
    return git(root, "log", "-p", "--all", "--format=")


def test_with_the_clock_set_back_edits_are_seen_and_never_overwritten(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add("notes/a", "one")
    memory.search("settle")
    real = survey.clock
    monkeypatch.setattr(survey, "clock", lambda root: real(root) + 3_600_000_000_000)  # an hour ahead …
    time.sleep(0.1)
    memory.add("notes/b", "two")
    memory.search("settle")
    monkeypatch.setattr(survey, "clock", real)  # … and set right again
    (memory.root / "active/notes/a.md").write_text("quaggaword by hand\n")

    assert ["notes/a"] == [hit.ref for hit in memory.search("quaggaword")]
    memory.add("notes/a", "three", replace=True)
    assert "quaggaword by hand" in whole_history(memory.root)


def test_an_edit_that_no_look_saw_is_committed_before_it_is_replaced(memory: Memory, monkeypatch: pytest.MonkeyPatch, sound: Sound) -> None:
    monkeypatch.setattr(survey, "SMALL", 0)  # as in a memory with thousands of resting files
    memory.add("notes/a", "one")
    (memory.root / "cooled/notes").mkdir(parents=True)
    (memory.root / "active/notes/a.md").rename(memory.root / "cooled/notes/a.md")
    memory.add("notes/b", "two")
    time.sleep(0.1)
    memory.search("settle")
    with (memory.root / "cooled/notes/a.md").open("a") as stream:
        stream.write("written in place by a person\n")
    memory.add("notes/a", "three", replace=True)

    assert "written in place by a person" in whole_history(memory.root)
    sound(memory.root)


def test_files_that_git_left_out_of_the_tree_are_not_taken_for_deleted(memory: Memory) -> None:
    (memory.root / "cooled/notes").mkdir(parents=True)
    for number in range(3):
        (memory.root / f"cooled/notes/n{number}.md").write_text(f"rested {number}\n")
    memory.add("notes/a", "one")
    git(memory.root, "status")  # git notes the times of the files, and so dares to take them out
    git(memory.root, "sparse-checkout", "set", "active")
    assert not (memory.root / "cooled/notes/n0.md").exists()
    memory.add("notes/b", "two")

    assert 3 == len(git(memory.root, "ls-tree", "-r", "--name-only", "HEAD", "cooled/").split())
    git(memory.root, "sparse-checkout", "disable")
    assert ["notes/n1"] == [hit.ref for hit in memory.search("rested 1")][:1]


def test_a_tier_with_something_else_in_it_has_vanished_all_the_same(memory: Memory) -> None:
    (memory.root / "archive/notes").mkdir(parents=True)
    for number in range(30):
        (memory.root / f"archive/notes/n{number}.md").write_text(f"archived {number}\n")
    memory.add("notes/a", "one")
    shutil.rmtree(memory.root / "archive")
    (memory.root / "archive/lost+found").mkdir(parents=True)

    with pytest.raises(TierVanished):
        memory.add("notes/b", "two")
    assert 30 == len(git(memory.root, "ls-tree", "-r", "--name-only", "HEAD", "archive/").split())


def test_an_empty_branch_file_is_an_error_and_not_a_new_beginning(memory: Memory) -> None:
    memory.add("notes/a", "alphaword")
    (memory.root / ".git/refs/heads/main").write_bytes(b"")

    assert ["notes/a"] == [hit.ref for hit in memory.search("alphaword")]
    with pytest.raises(StrataError, match="damaged"):
        memory.add("notes/b", "two")
    (problem,) = [problem for problem in memory.doctor() if problem.severity == "error"]
    assert "logs/refs/heads/main" in problem.remedy


@pytest.mark.parametrize("left", [b"", b"x\x9c\x01"])
def test_objects_that_power_loss_left_short_are_written_anew(memory: Memory, left: bytes, sound: Sound) -> None:
    memory.add("notes/a", "one")
    data = (memory.root / "active/notes/a.md").read_bytes().replace(b"one", b"two")
    blob = subprocess.run(["git", "hash-object", "--stdin"], input=data, capture_output=True, check=True).stdout.decode().strip()
    place = memory.root / ".git/objects" / blob[:2] / blob[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(left)
    memory.add("notes/a", "two", replace=True)

    assert data == (memory.root / "active/notes/a.md").read_bytes()
    sound(memory.root)


@posix
@pytest.mark.parametrize("make", [lambda place, other: place.symlink_to(other), lambda place, other: place.write_text("x")])
def test_a_local_folder_that_is_none_is_refused_and_reading_goes_on(memory: Memory, tmp_path: Path, make: Callable[[Path, Path], object]) -> None:
    memory.add("notes/a", "alphaword")
    memory.close()
    other = tmp_path / "other"
    other.mkdir()
    shutil.rmtree(memory.root / ".strata")
    make(memory.root / ".strata", other)
    again = Memory.open(memory.root, key=KEY)

    assert ["notes/a"] == [hit.ref for hit in again.search("alphaword")]
    assert [] == list(other.iterdir())
    assert ["error"] == [problem.severity for problem in again.doctor() if problem.path == ".strata"]
    with pytest.raises(StrataError, match="rm .strata"):
        again.add("notes/b", "two")


@posix
def test_what_cannot_be_read_stays_in_the_memory_and_the_rest_goes_on() -> None:
    """As another user, since root reads everything."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "memory"
        memory = Memory.init(root, key=KEY)
        memory.add("notes/open/a", "alphaword")
        memory.add("notes/secret/b", "betaword")
        memory.add("notes/c", "gammaword")
        os.chmod(scratch, 0o755)
        for folder, folders, names in os.walk(scratch):
            for name in (*folders, *names):
                os.chown(Path(folder, name), OTHER, -1)
        os.chown(scratch, OTHER, -1)
        os.chmod(root / "active/notes/secret", 0)
        os.chmod(root / "active/notes/c.md", 0)
        memory.doctor()
        os.seteuid(OTHER)
        try:
            memory.add("notes/d", "deltaword")
            memory.add("notes/e", "epsilonword")
            found = {hit.ref for hit in memory.search("deltaword alphaword")}
            named = {problem.path for problem in memory.doctor()}
        finally:
            os.seteuid(0 if os.getuid() == 0 else OTHER)
        os.chmod(root / "active/notes/secret", 0o700)
        os.chmod(root / "active/notes/c.md", 0o600)
        listed = {path for path, _ in memory._store.history.walk(None, "active")}

        assert {"notes/d", "notes/open/a"} <= found
        assert {"active/notes/secret", "active/notes/c.md"} <= named
        assert {f"active/notes/{name}.md" for name in ("c", "d", "e", "open/a", "secret/b")} == listed


def test_a_tail_merged_by_keeping_both_halves_is_not_sealed_twice(memory: Memory, tmp_path: Path, sound: Sound) -> None:
    memory.config_set("block_turns", "3")
    memory.append(said(1, 3))
    git(tmp_path, "clone", "-q", str(memory.root), "other")
    other = Memory.open(tmp_path / "other", key=KEY)
    other.append(said(4, 5))
    memory.append([("main", Message("x1", "assistant", "meanwhile here"))])
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "pull", "-q", "--no-rebase", "--no-edit", str(tmp_path / "other"), "main", check=False)
    tail = memory.root / "active/tails/main.md"
    kept = [line for line in tail.read_text().split("\n") if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))]
    tail.write_text("\n".join(kept))
    git(memory.root, "add", "-A")
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "-m", "merged by hand")
    memory.append(said(6, 12))
    memory.seal(everything=True)
    ids = [message.id for row in memory.list(kinds=["block"]) for message in memory.show(row.ref).messages]

    assert sorted(ids) == sorted({*ids})
    assert {f"m{number}" for number in range(1, 13)} | {"x1"} == set(ids)
    sound(memory.root)


def test_two_messages_to_which_two_clones_gave_one_id_are_both_kept(memory: Memory, tmp_path: Path, sound: Sound) -> None:
    memory.append([("main", Message("", "user", "start"))])
    git(tmp_path, "clone", "-q", str(memory.root), "other")
    other = Memory.open(tmp_path / "other", key=KEY)
    other.append([("main", Message("", "user", "the door code is 4711"))])
    other.seal(everything=True)
    memory.append([("main", Message("", "user", "the door is painted green"))])
    tail = (memory.root / "active/tails/main.md").read_bytes()
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", str(tmp_path / "other"), "main", check=False)
    (memory.root / "active/tails/main.md").write_bytes(tail)
    git(memory.root, "add", "-A")
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "-m", "merged by hand")

    def doors() -> set[str]:
        return {hit.snippet for hit in memory.search("door", kinds=["message"])}

    both = {"the door code is 4711", "the door is painted green"}
    assert both == doors()
    memory.doctor(fix=True)
    assert both == doors()
    memory.seal(everything=True)
    assert both == doors()
    assert ["note"] == [problem.severity for problem in memory.doctor()]
    assert "say something else" in memory.doctor()[0].message


def test_doctor_drops_from_a_tail_what_is_sealed(memory: Memory, sound: Sound) -> None:
    memory.append(said(1, 5))
    before = (memory.root / "active/tails/main.md").read_bytes()
    memory.seal(everything=True)
    (memory.root / "active/tails/main.md").write_bytes(before)

    assert ["5 of its messages (m1, m2, m3, m4, m5) are also in"] == [problem.message.rpartition(" ")[0] for problem in memory.doctor() if problem.severity == "error"]
    assert [] == memory.doctor(fix=True)
    assert () == memory.show("tails/main").messages
    sound(memory.root)


def test_during_a_merge_the_last_good_text_is_found(memory: Memory) -> None:
    memory.add("notes/a", "alphaword one\n")
    git(memory.root, "checkout", "-q", "-b", "side")
    memory.add("notes/a", "alphaword sideword\n", replace=True)
    git(memory.root, "checkout", "-q", "main")
    memory.add("notes/a", "alphaword mainword\n", replace=True)
    memory.search("settle")
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "merge", "-q", "side", check=False)

    assert "<<<<<<<" in (memory.root / "active/notes/a.md").read_text()
    assert ["notes/a"] == [hit.ref for hit in memory.search("alphaword")]
    assert (["notes/a"], []) == tuple([hit.ref for hit in memory.search(word)] for word in ("mainword", "sideword"))
    assert "merge" == memory.status().in_progress


@posix
def test_a_changed_mode_is_no_change(memory: Memory, sound: Sound) -> None:
    memory.add("notes/a", "one")
    os.chmod(memory.root / "active/notes/a.md", 0o755)
    memory.add("notes/b", "two")

    sound(memory.root)


def test_a_commit_by_hand_in_the_same_moment_does_not_cost_a_message(memory: Memory, monkeypatch: pytest.MonkeyPatch, sound: Sound) -> None:
    objects = memory._store.history._objects
    real, moved = objects.make_durable, []

    def while_somebody_commits() -> None:
        real()
        if not moved:
            moved.append(git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "by hand").strip())
            git(memory.root, "update-ref", "refs/heads/main", moved[0])

    monkeypatch.setattr(objects, "make_durable", while_somebody_commits)
    done = memory.append(said(1, 1))

    assert (1, 1) == (done.stored, len(moved))
    assert "m1" in [message.id for message in memory.show("tails/main").messages]
    assert "by hand" in git(memory.root, "log", "--format=%s")
    sound(memory.root)


def test_while_a_commit_is_made_no_other_git_commits_an_index_that_lags(memory: Memory, monkeypatch: pytest.MonkeyPatch, sound: Sound) -> None:
    objects = memory._store.history._objects
    real, tries = objects.make_durable, []

    def while_somebody_tries() -> None:
        real()
        done = subprocess.run(["git", "-c", "user.name=P", "-c", "user.email=p@x", "commit", "--allow-empty", "-m", "by hand"], cwd=memory.root, capture_output=True, text=True)
        tries.append(done.returncode)

    monkeypatch.setattr(objects, "make_durable", while_somebody_tries)
    memory.add("notes/a", "one")

    assert tries and all(tries)
    sound(memory.root)


# -- secrets and names ---------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["\\n", "\\t", "\x1b[31m", "\x1b[0m", "%3D", "%20", "my_", '\\"', "=", " "])
def test_a_key_is_seen_whatever_stands_before_it(memory: Memory, before: str) -> None:
    memory.append([("main", Message("m1", "user", f"x{before}{TOKEN} y"))])

    assert TOKEN not in (memory.root / "active/tails/main.md").read_text("utf-8")


def test_a_key_is_nowhere_in_titles_tags_names_cards_and_descriptions(memory: Memory) -> None:
    memory.add(None, f"{TOKEN} in a quick note")
    memory.add("notes/a", "x", title=f"Title {TOKEN}", tags=[TOKEN])
    memory.append([(f"thread {TOKEN}", Message(f"id {TOKEN}", "user", "Hello there, one and all.", speaker=TOKEN))])
    memory.append([(f"thread {TOKEN}", Message(f"id {TOKEN}", "user", "Hello there, one and all."))])
    memory.seal(everything=True)
    block = memory.list(kinds=["block"])[0].ref
    said_by = memory.show(block).messages[0].id
    memory.describe(block, {"title": f"T {TOKEN}", "summary": TOKEN, "tags": [], "keypoints": [f"{TOKEN} ({said_by})"]})
    memory.record({"title": f"E {TOKEN}", "source_block": block, "source_messages": [said_by], "event_type": "fact", "status": "occurred"})
    with pytest.raises(Refused):
        memory.add(f"notes/{TOKEN}", "x")
    with pytest.raises(Refused):
        memory.config_set("thread", TOKEN)

    assert 1 == len(memory.show(block).messages)
    for place in memory.root.rglob("*"):
        assert TOKEN.lower() not in place.name.lower()
        if place.is_file():
            assert TOKEN.encode() not in place.read_bytes(), place
    assert TOKEN.lower() not in (git(memory.root, "cat-file", "--batch-all-objects", "--batch") + git(memory.root, "log")).lower()


def test_appending_keeps_the_tags_that_are_there(memory: Memory) -> None:
    memory.add("notes/a", "one", title="Title", tags=["x", "y"])
    memory.add("notes/a", "two", append=True, tags=["z", "x"])

    assert ["x", "y", "z"] == memory.show("notes/a").header["tags"]
    assert "Title" == memory.show("notes/a").title


def test_names_that_no_record_can_have_are_refused(memory: Memory) -> None:
    for path in ("node_modules/x", "a/__pycache__/b", "a#b"):
        with pytest.raises(StrataError):
            memory.add(path, "x")
    for title, tags in (("two\nlines", ()), (" ", ()), ("", ("",)), ("", (" ",))):
        with pytest.raises(StrataError):
            memory.add(None, "text", title=title, tags=tags)

    assert [] == memory.list(kinds=["note"])


@posix
def test_a_file_with_an_odd_name_can_be_read_by_the_ref_it_is_shown_with(memory: Memory) -> None:
    names = ["a#b", "tab\there", "back\\slash", "new\nline", "quote\"d"]
    for number, name in enumerate(names):
        place = memory.root / "active/notes" / f"{name}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"oddword{number}\n")
    refs = [memory.search(f"oddword{number}")[0].ref for number in range(len(names))]

    assert [f"oddword{number}\n" for number in range(len(names))] == [memory.show(ref).text for ref in refs]
    assert len(names) == sum("not every system" in problem.message for problem in memory.doctor())


# -- transcripts that grow -----------------------------------------------------------------------


def claude_rows() -> list[dict[str, object]]:
    """One answer over several rows, with a call and its result, and a second question."""

    def row(uuid: str, kind: str, message: dict[str, object]) -> dict[str, object]:
        return {"type": kind, "sessionId": "s", "uuid": uuid, "timestamp": "2026-11-30T10:00:00Z", "message": message}

    def part(uuid: str, content: dict[str, object], stop: str | None = None) -> dict[str, object]:
        return row(uuid, "assistant", {"id": "M1", "role": "assistant", "stop_reason": stop, "content": [content]})

    return [
        row("u1", "user", {"role": "user", "content": "Question one?"}),
        part("a1", {"type": "text", "text": "partone"}),
        part("a2", {"type": "text", "text": "parttwo"}),
        part("a3", {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "callthree"}}, "tool_use"),
        row("u2", "user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "resultfour"}]}),
        row("u3", "user", {"role": "user", "content": "Question two?"}),
    ]


def test_an_answer_that_arrives_in_pieces_is_whole_however_often_it_is_read(memory: Memory, tmp_path: Path, sound: Sound) -> None:
    source = tmp_path / "session.jsonl"
    for row in claude_rows():
        with source.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        memory.ingest(source, format="claude-code")
    memory.ingest(source, format="claude-code")
    text = (memory.root / "active/tails/s.md").read_text("utf-8")

    for word in ("Question one?", "partone", "parttwo", "callthree", "resultfour", "Question two?"):
        assert 1 == text.count(word), word
    sound(memory.root)


def test_a_transcript_is_read_anew_when_its_messages_are_gone(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "chat.jsonl"
    source.write_text("".join(json.dumps({"thread": "t", "id": f"m{n}", "role": "user", "text": f"word{n}"}) + "\n" for n in range(5)), "utf-8")
    before = git(memory.root, "rev-parse", "HEAD").strip()
    memory.ingest(source)
    git(memory.root, "reset", "-q", "--hard", before)

    assert 5 == memory.ingest(source).stored


def test_a_file_of_which_nothing_can_be_read_is_an_error(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "notes.txt"
    source.write_text("just prose\nand more\n", "utf-8")

    with pytest.raises(StrataError):
        memory.ingest(source, format="jsonl")


# -- files a person changed in ways nobody foresaw -----------------------------------------------


@pytest.mark.parametrize("start", ["---\n", "\ufeff", "\ufeff---\n", "", "---\r\n"])
def test_settings_may_begin_as_yaml_files_do(memory: Memory, start: str) -> None:
    place = memory.root / "strata.yaml"
    place.write_bytes((start + "block_turns: 5\nredact: off\n").encode())
    memory.config_set("block_turns", "6")

    assert (start + "block_turns: 6\nredact: off\n").encode() == place.read_bytes()
    assert (6, "off") == (memory.config_get("block_turns"), memory.config_get("redact"))


@pytest.mark.parametrize("data", [b"\xff\xfe\n", b"just some prose\n", b"- a\n- b\n", b"block_turns: 5\n---\nblock_turns: 6\n", b"%YAML 1.1\n---\nblock_turns: 5\n"])
def test_settings_that_are_none_are_an_error_and_stay_as_they_are(memory: Memory, data: bytes) -> None:
    place = memory.root / "strata.yaml"
    place.write_bytes(data)

    with pytest.raises(StrataError):
        memory.config_set("block_turns", "6")
    assert data == place.read_bytes()
    assert ["strata.yaml"] == [problem.path for problem in memory.doctor() if problem.severity == "error"]


def test_a_tail_moved_by_hand_goes_on_where_it_ended(memory: Memory, sound: Sound) -> None:
    memory.append(said(1, 3))
    (memory.root / "cooled/tails").mkdir(parents=True)
    (memory.root / "active/tails/main.md").rename(memory.root / "cooled/tails/main.md")
    memory.append(said(3, 4))

    assert ["m1", "m2", "m3", "m4"] == [message.id for message in memory.show("tails/main").messages]
    assert not (memory.root / "cooled/tails/main.md").exists()
    sound(memory.root)


def test_one_bad_tail_stops_no_other_thread(memory: Memory) -> None:
    memory.append([("good", Message("m1", "user", "hello")), ("bad", Message("m1", "user", "hello"))])
    place = memory.root / "active/tails/bad.md"
    place.write_text(place.read_text().replace("first_turn: 1", "first_turn: abc"))

    assert ["good"] == [block.thread for block in memory.seal(everything=True)]
    assert any("bad.md" in warning for warning in memory.warnings)
    assert ["active/tails/bad.md"] == [problem.path for problem in memory.doctor() if problem.severity == "error"]


def test_a_block_with_a_turn_that_is_no_number_is_named(memory: Memory) -> None:
    memory.append(said(1, 3))
    memory.seal(everything=True)
    (memory.root / "active/tails/main.md").unlink()
    place = memory.root / memory.show(memory.list()[0].ref).path
    place.write_text(place.read_text().replace("last_turn: 3", "last_turn: 1.5"))

    with pytest.raises(StrataError, match="last_turn"):
        memory.append(said(4, 4))
    assert any("last_turn" in problem.message for problem in memory.doctor())


@pytest.mark.parametrize("intent", ['{"edits":[["put"]],"commit":null}', '{"edits":[]}', "[]", "nonsense", '{"edits":[["put","../x","00"]],"commit":{"author":["a","b"],"subject":"s","trailers":[]}}', '{"edits":[["drop",".git/config"]],"commit":{"author":["a","b"],"subject":"s","trailers":[]}}'])
def test_an_intent_that_is_not_ours_is_set_aside(memory: Memory, intent: str, sound: Sound) -> None:
    memory.add("notes/a", "alphaword")
    (memory.root / ".strata/intent.json").write_text(intent)

    assert ["notes/a"] == [hit.ref for hit in memory.search("alphaword")]
    memory.add("notes/b", "betaword")
    assert intent == (memory.root / ".strata/intent.refused").read_text()
    sound(memory.root)


@pytest.mark.parametrize("name", ["stamp", "_MAIN_1.toc", "writing.lock", "index"])
def test_a_folder_where_a_file_of_the_index_belongs_does_not_stop_anything(memory: Memory, name: str) -> None:
    memory.add("notes/a", "alphaword")
    memory.close()
    index = memory.root / ".strata/index"
    places = [index] if name == "index" else [*index.rglob(name)] or [index / name]
    for place in places:
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        if name == "index":
            place.write_text("a file")
        else:
            (place / "inside").mkdir(parents=True)
    again = Memory.open(memory.root, key=KEY)

    assert ["notes/a"] == [hit.ref for hit in again.search("alphaword")]
    again.add("notes/b", "betaword")
    assert ["notes/b"] == [hit.ref for hit in again.search("betaword")]


def test_ids_and_threads_with_secrets_in_them_stay_apart(memory: Memory) -> None:
    pairs = [(f"x <private>{n}</private>", Message(f"pg://u:passw0rd{n}@h", "user", f"message {n}")) for n in range(3)]
    pairs += [("main", Message(f"<private>{n}</private>", "user", f"message {n}")) for n in range(3)]

    assert 6 == memory.append(pairs).stored
    assert (0, 6) == (memory.append(pairs).stored, memory.append(pairs).repeated)


def test_one_file_may_be_read_into_two_threads(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "chat.jsonl"
    source.write_text('{"id": "m1", "role": "user", "text": "hello"}\n', "utf-8")

    assert [1, 1] == [memory.ingest(source, thread=thread).stored for thread in ("a", "b")]


def test_appending_below_a_header_without_a_last_line_break_keeps_the_header(memory: Memory) -> None:
    place = memory.root / "active/notes/x.md"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"---\ntitle: x\n---")
    memory.add("notes/x", "T", append=True)

    assert b"---\ntitle: x\n---\nT\n" == place.read_bytes()


def test_an_attachment_that_changed_is_named(memory: Memory) -> None:
    memory.append([("main", Message("m1", "assistant", "", tools=(ToolCall("Read", {}, "x" * 40_000),)))])
    (kept,) = (memory.root / "attachments").iterdir()
    kept.write_text("something else")

    assert [f"attachments/{kept.name}"] == [problem.path for problem in memory.doctor() if problem.severity == "error"]


def test_another_text_under_a_known_id_is_told_and_the_first_kept(memory: Memory) -> None:
    memory.append(said(1, 3))
    memory.seal(everything=True)
    memory.append(said(4, 5))
    other = [("main", Message(f"m{number}", "user", "something else")) for number in (2, 5)]
    done = memory.append([*other, *said(1, 1), ("main", Message("m9", "user", "one")), ("main", Message("m9", "user", "two"))])

    assert (1, 4, ("m2", "m5", "m9")) == (done.stored, done.repeated, done.differing)
    assert "word2 was said" in memory.show(memory.list(kinds=["block"])[0].ref).text


@posix
def test_something_odd_among_the_tails_stops_no_capture(memory: Memory) -> None:
    memory.append([("good", Message("m1", "user", "hello"))])
    tails = memory.root / "active/tails"
    (tails / "folder.md").mkdir()
    os.mkfifo(tails / "pipe.md")
    (tails / "link.md").symlink_to("/etc/passwd")

    assert 1 == memory.append([("new", Message("m1", "user", "hello"))]).stored
    assert ["good", "new"] == [block.thread for block in memory.seal(everything=True)]


@pytest.mark.parametrize("rows", ['{"x": 1}', "[]", "nonsense", '{"KEY": ["a", "b", "t", "a1"]}', '{"KEY": [-5, "", "t", "a1"]}', '{"KEY": [1.5, "", "t", "a1"]}', '{"KEY": [null, "", "t", []]}', None])
def test_reading_positions_that_are_not_ours_are_read_past(memory: Memory, tmp_path: Path, rows: str | None) -> None:
    source = tmp_path / "chat.jsonl"
    source.write_text('{"thread": "t", "id": "a1", "role": "user", "text": "hello"}\n', "utf-8")
    memory.ingest(source)
    place = memory.root / ".strata/transcripts.json"
    key = next(iter(json.loads(place.read_text())))
    place.unlink()
    place.mkdir() if rows is None else place.write_text(rows.replace("KEY", key))

    assert (0, 1) == (memory.ingest(source).stored, len(memory.show("tails/t").messages))


def test_a_secret_in_a_thread_is_not_in_reading_positions_either(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "chat.jsonl"
    source.write_text(json.dumps({"thread": f"th {TOKEN}", "id": f"id {TOKEN}", "role": "user", "text": "hello there"}) + "\n", "utf-8")
    memory.ingest(source)

    assert TOKEN not in (memory.root / ".strata/transcripts.json").read_text()
    assert 0 == memory.ingest(source).read
    assert 1 == len(memory.search("hello", thread=f"th {TOKEN}"))


def test_a_history_begun_anew_is_taken_for_what_it_is(memory: Memory, sound: Sound) -> None:
    memory.add("notes/a", "alphaword")
    memory.close()
    shutil.rmtree(memory.root / ".git")
    git(memory.root, "init", "-q", "-b", "main")
    again = Memory.open(memory.root, key=KEY)
    again.add("notes/b", "betaword")

    assert ["notes/a"] == [hit.ref for hit in again.search("alphaword")]
    assert {"active/notes/a.md", "active/notes/b.md", "strata.yaml"} <= set(git(memory.root, "ls-files").split())
    sound(memory.root)


def test_an_attachment_that_is_gone_is_named(memory: Memory) -> None:
    memory.append([("main", Message("m1", "assistant", "", tools=(ToolCall("Read", {}, "x" * 40_000),)))])
    (kept,) = (memory.root / "attachments").iterdir()
    kept.unlink()
    memory.add("notes/a", "x")

    assert ["active/tails/main.md"] == [problem.path for problem in memory.doctor() if problem.severity == "error"]


def test_a_writer_that_meets_the_swap_of_the_index_loses_nothing_from_search(memory: Memory) -> None:
    memory.append(said(1, 3))
    other = Memory.open(memory.root, key=KEY)
    seen: list[int] = []

    def meanwhile(done: int, total: int) -> None:
        if not seen:
            seen.append(done)
            other.add("notes/zebra", "zebraword")

    memory.reindex(meanwhile)
    other.add("notes/gnu", "gnuword")

    assert (["notes/zebra"], ["notes/gnu"]) == tuple([hit.ref for hit in other.search(word)] for word in ("zebraword", "gnuword"))


def test_the_index_is_not_swapped_under_a_writer(memory: Memory) -> None:
    memory.append(said(1, 3))
    memory.config_set("lock_timeout", "0")
    other = Memory.open(memory.root, key=KEY)
    with ExitStack() as stack:
        with pytest.raises(Locked):
            memory.reindex(lambda done, total: other._store.files.locked or stack.enter_context(other._store.files.lock(5)))

    assert ["m2"] == [hit.message for hit in memory.search("word2", kinds=["message"], limit=1)]


def test_what_git_left_out_is_not_begun_anew(memory: Memory) -> None:
    memory.append(said(1, 1))
    memory.add("notes/a", "old")
    (memory.root / "cooled/notes").mkdir(parents=True)
    (memory.root / "cooled/notes/c.md").write_text("c\n")
    memory.add("notes/b", "x")
    git(memory.root, "status")
    git(memory.root, "sparse-checkout", "set", "cooled")
    assert not (memory.root / "active/tails/main.md").exists()
    for write in (lambda: memory.append(said(2, 2)), lambda: memory.add("notes/a", "new")):
        with pytest.raises(StrataError, match="sparse"):
            write()

    git(memory.root, "sparse-checkout", "disable")
    assert ["m1"] == [message.id for message in memory.show("tails/main").messages]


def test_recovery_leaves_the_temporary_objects_of_another_git_alone(memory: Memory) -> None:
    memory.add("notes/a", "x")
    (memory.root / ".strata/intent.json").write_text('{"edits":[],"commit":{"author":["a","b"],"subject":"s","trailers":[]}}')
    place = memory.root / ".git/objects/ab/tmp_obj_X"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"half")
    (memory.root / ".git/objects/ab/folder").mkdir()
    memory.add("notes/b", "y")

    assert b"half" == place.read_bytes()


def test_a_thread_that_was_lost_comes_back_from_its_transcript(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "chat.jsonl"
    source.write_text("".join(json.dumps({"thread": thread, "id": "m1", "role": "user", "text": thread}) + "\n" for thread in ("one", "two")), "utf-8")
    memory.ingest(source)
    (memory.root / "active/tails/one.md").unlink()
    memory.add("notes/a", "x")

    assert 1 == memory.ingest(source).stored
