"""The verbs, on real files, git and index: what a user is promised, claim by claim."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from oracle import KEY, git
from strata import Memory
from strata.document import Document
from strata.errors import (
    AlreadyExists, Ambiguous, Conflict, Malformed, NotAMemory, NotFound, OutsideMemory, Refused, TierVanished, UsageError,
)  # fmt: skip
from strata.begin import find, is_memory
from strata.model import Message, ToolCall

Sound = Callable[[Path], None]


def said(count: int, thread: str = "main", start: int = 1) -> list[tuple[str, Message]]:
    """`count` turns of two messages; turn N asks about colourN."""
    pairs = []
    for number in range(start, start + count):
        at = f"2026-11-{1 + number % 28:02d}T10:00:00Z"
        pairs.append((thread, Message(f"q{number}", "user", f"Which paint goes with colour{number}?", at=at)))
        pairs.append((thread, Message(f"a{number}", "assistant", f"Paint number {number} goes with it.", at=at)))
    return pairs


# -- making and finding ----------------------------------------------------------------------


def test_init_writes_the_template_and_the_first_commit(tmp_path: Path, sound: Sound) -> None:
    made = Memory.create(tmp_path / "m", key=KEY)

    assert made.fresh and made.commit == git(tmp_path / "m", "rev-parse", "HEAD").strip()
    assert sorted(git(tmp_path / "m", "ls-files").split()) == [".gitattributes", ".gitignore", "README.md", "strata.yaml"]
    sound(tmp_path / "m")


def test_init_again_changes_nothing(tmp_path: Path) -> None:
    first = Memory.create(tmp_path / "m", key=KEY)
    (tmp_path / "m" / "README.md").write_text("mine")
    again = Memory.create(tmp_path / "m", key=KEY)

    assert (again.fresh, again.commit) == (False, first.commit)
    assert (tmp_path / "m" / "README.md").read_text() == "mine"


def test_init_refuses_a_directory_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(AlreadyExists):
        Memory.create(tmp_path, key=KEY)

    assert [place.name for place in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_memory_is_never_looked_for_in_a_git_repository_that_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "shop")
    (tmp_path / "shop" / "src").mkdir()

    assert find(tmp_path / "shop" / "src") is None
    with pytest.raises(NotAMemory):
        Memory.open(tmp_path / "shop")
    made = Memory.create(tmp_path / "shop" / "memory", key=KEY)
    Memory.open(tmp_path / "shop" / "memory", key=KEY).add("notes/private", "private")
    assert made.inside == str(tmp_path / "shop")
    assert "" == git(tmp_path / "shop", "log", "--all", "--oneline", check=False)
    assert "?? memory/\n" == git(tmp_path / "shop", "status", "--porcelain")
    assert find(tmp_path / "shop" / "memory" / "active") == tmp_path / "shop" / "memory"
    (tmp_path / "shop" / ".gitignore").write_text("notes-*/\n", encoding="utf-8")
    assert "" == Memory.create(tmp_path / "shop" / "notes-1", key=KEY).inside, "it is ignored there already"


def test_the_environment_of_a_git_hook_does_not_lead_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sound: Sound) -> None:
    git(tmp_path, "init", "-q", "shop")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "shop" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "shop" / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "shop"))
    memory = Memory.init(tmp_path / "m", key=KEY)
    memory.add("notes/a", "a")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name)

    assert not (tmp_path / "shop" / ".git" / "index").exists()
    assert is_memory(tmp_path / "m")
    sound(tmp_path / "m")


# -- notes -----------------------------------------------------------------------------------


def test_a_note_is_never_overwritten_by_accident(memory: Memory, sound: Sound) -> None:
    memory.add("notes/log", "morning")
    with pytest.raises(AlreadyExists) as caught:
        memory.add("log", "evening")

    assert "--append" in caught.value.remedy
    assert memory.show("notes/log").text == "morning\n"
    memory.add("log", "evening", append=True)
    assert memory.show("notes/log").text == "morning\nevening\n"
    memory.add("log", "night", replace=True)
    assert memory.show("notes/log").text == "night\n"
    sound(memory.root)


def test_a_write_with_a_base_refuses_when_the_note_changed(memory: Memory) -> None:
    memory.add("notes/a", "one")
    read = memory.show("notes/a").blob
    (memory.root / "active/notes/a.md").write_text("edited by hand\n")
    with pytest.raises(Conflict):
        memory.add("notes/a", "two", replace=True, base=read)

    assert (memory.root / "active/notes/a.md").read_text() == "edited by hand\n"
    memory.add("notes/a", "two", replace=True, base=memory.show("notes/a").blob)
    assert memory.show("notes/a").text == "two\n"


@pytest.mark.parametrize("title", ["日本語ドキュメント", "인증 구조", "🎉", "..."])
def test_titles_without_latin_letters_make_visible_files_of_their_own(memory: Memory, title: str) -> None:
    one, two = memory.add(None, "x", title=title), memory.add(None, "y", title=title)

    assert one.path != two.path
    for added in (one, two):
        name = added.path.rpartition("/")[2]
        assert name.isascii() and not name.startswith(".") and name != ".md"
    assert {one.ref, two.ref} <= {hit.ref for hit in memory.search(title)}


def test_titles_that_look_alike_never_share_a_file(memory: Memory, sound: Sound) -> None:
    refs = [memory.add(None, body, title=title).ref for body, title in (("one", "Pump plan!"), ("two", "Pump plan?"), ("three", "pump-plan"))]

    assert len(set(refs)) == 3
    assert ["one\n", "two\n", "three\n"] == [memory.show(ref).text for ref in refs]
    sound(memory.root)


@pytest.mark.parametrize("title", ["긴-한글-제목-" + "가나다라" * 25, "x" * 300, "word " * 80])
def test_a_long_title_is_kept_whole_and_its_file_name_short(memory: Memory, title: str) -> None:
    one, two = memory.add(None, "a", title=title + "1"), memory.add(None, "b", title=title + "2")

    assert one.path != two.path
    assert all(len(part.encode()) <= 100 for part in one.path.split("/"))
    assert memory.show(one.ref).title == title + "1"


def test_titles_stay_as_they_are_and_every_tracked_path_is_portable(memory: Memory) -> None:
    titles = ["10:30 call", "CON", "why?", "notes.", "a\\b", "tab\there", "Re: pump: phase 2", "# not a comment", "- item", "{x}", "yes", "2026-01-01", "'quoted\"", "trailing "]
    refs = [memory.add(None, "x", title=title).ref for title in titles]

    assert titles == [memory.show(ref).title for ref in refs]
    for path in git(memory.root, "ls-files", "-z").split("\0"):
        assert not set('<>:"\\|?*\t\n') & set(path)
        assert all(part[-1:] not in (".", " ") and part.split(".")[0].lower() != "con" for part in path.split("/"))


@pytest.mark.parametrize("body", ["---\nfoo: bar\n---\nreal text\n\n```\n---\nx\n---\n```\n", "---\n\nBuy lime\n\n---\nRest\n", "\ufeffBOM first\n", "l1\r\nl2\r\n", "- a\n- b\n", "\n\n\nblank first\n"])
def test_a_body_comes_back_byte_for_byte_after_any_number_of_saves(memory: Memory, body: str, sound: Sound) -> None:
    memory.add("notes/x", body, title="How to write a header")
    for _ in range(3):
        memory.add("notes/x", body, replace=True, tags=["one"])
        memory.add("notes/x", body, replace=True, tags=["two"])
    data = (memory.root / "active/notes/x.md").read_bytes()

    assert body.encode() == Document.parse(data).body
    assert "foo" not in memory.show("notes/x").header
    sound(memory.root)


def test_replacing_keeps_a_persons_header_byte_for_byte(memory: Memory) -> None:
    header = b"---\r\nid: blk-0002\r\n# reviewed by hand\r\nzeta: 007\r\nalpha: no\r\n---\r\n"
    place = memory.root / "active/notes/x.md"
    place.parent.mkdir(parents=True)
    place.write_bytes(header + b"old\r\n")
    memory.add("notes/x", "new\n", replace=True)

    assert header + b"new\n" == place.read_bytes()


def test_a_note_that_rests_comes_back_to_be_written(memory: Memory, sound: Sound) -> None:
    memory.add("notes/a", "one")
    (memory.root / "archive/notes").mkdir(parents=True)
    (memory.root / "active/notes/a.md").rename(memory.root / "archive/notes/a.md")
    added = memory.add("notes/a", "two", append=True)

    assert added.path == "active/notes/a.md"
    assert not (memory.root / "archive/notes/a.md").exists()
    assert memory.show("notes/a").text == "one\ntwo\n"
    sound(memory.root)


def test_names_that_differ_only_in_case_are_refused(memory: Memory) -> None:
    memory.add("notes/Plan", "one")
    with pytest.raises(AlreadyExists) as caught:
        memory.add("notes/plan", "two")

    assert caught.value.path == "active/notes/Plan.md"


@pytest.mark.parametrize("text", ["a \ud800 b", ""])
def test_a_text_that_cannot_be_written_leaves_everything_as_it_was(memory: Memory, text: str) -> None:
    before = git(memory.root, "rev-parse", "HEAD")
    with pytest.raises((Malformed, UsageError)):
        memory.add("notes/x", text)

    assert before == git(memory.root, "rev-parse", "HEAD")
    assert not (memory.root / "active/notes").exists()


@pytest.mark.parametrize("path", ["../../.ssh/authorized_keys", "/etc/passwd", "a/../../b", ".git/hooks/post-commit", "active/../../store-evil/x"])
def test_reading_and_writing_outside_are_refused_alike(memory: Memory, path: str) -> None:
    with pytest.raises(OutsideMemory):
        memory.add(path, "x")
    with pytest.raises(OutsideMemory):
        memory.show(path)


def test_an_id_in_a_header_cannot_point_outside(memory: Memory) -> None:
    place = memory.root / "active/evil.md"
    place.write_text("---\nid: ../../x\n---\nspoofed words\n")
    (hit,) = memory.search("spoofed words")

    assert hit.ref == "evil"
    assert ["evil.md"] == [problem.path.rpartition("/")[2] for problem in memory.doctor() if problem.severity == "warning"]


# -- conversations ---------------------------------------------------------------------------


def test_turns_are_sealed_by_themselves_and_the_source_is_what_was_said(memory: Memory, sound: Sound) -> None:
    pairs = said(27)
    done = memory.append(pairs)
    blocks = sorted(memory.list(kinds=["block"]), key=lambda row: int(memory.show(row.ref).header["first_turn"]))
    kept = [message for row in blocks for message in memory.show(row.ref).messages]

    assert (done.stored, len(done.sealed)) == (54, 2)
    assert [("1", "12"), ("13", "24")] == [(memory.show(row.ref).header["first_turn"], memory.show(row.ref).header["last_turn"]) for row in blocks]
    assert [message for _, message in pairs[:48]] == kept
    assert [message for _, message in pairs[48:]] == list(memory.show("tails/main").messages)
    assert all(memory.show(row.ref).header["state"] == "ready" for row in blocks)
    sound(memory.root)


def test_the_same_message_is_stored_once_wherever_it_is(memory: Memory) -> None:
    pairs = said(30)
    memory.append(pairs)
    again = memory.append(pairs + pairs)

    assert (again.stored, again.repeated, again.commit) == (0, 120, "")


def test_messages_without_an_id_get_the_next_of_their_thread(memory: Memory) -> None:
    for text in ("yes", "yes", "no"):
        memory.append([("chat", Message("", "user", text)), ("chat", Message("", "assistant", text))])

    assert ["m1", "m2", "m3", "m4", "m5", "m6"] == [message.id for message in memory.show("tails/chat").messages]
    memory.seal(everything=True)
    memory.append([("chat", Message("", "user", "after the seal"))])
    assert ["m7"] == [message.id for message in memory.show("tails/chat").messages]


def test_sealing_all_leaves_no_turn_and_the_next_block_goes_on_counting(memory: Memory, sound: Sound) -> None:
    memory.append(said(5))
    (first,) = memory.seal(everything=True)
    memory.append(said(3, start=6))
    (second,) = memory.seal("main", everything=True)

    assert ((1, 5), (6, 8)) == ((first.first_turn, first.last_turn), (second.first_turn, second.last_turn))
    assert [] == memory.seal(everything=True)
    assert first.commit and first.commit != second.commit
    with pytest.raises(NotFound):
        memory.seal("no such thread")
    sound(memory.root)


def test_a_deleted_tail_does_not_make_turns_count_anew(memory: Memory) -> None:
    memory.append(said(13))
    (memory.root / "active/tails/main.md").unlink()
    memory.append(said(1, start=14))

    assert memory.show("tails/main").header["first_turn"] == "13"


def test_threads_of_any_name_stay_apart(memory: Memory, sound: Sound) -> None:
    names = ["main", "Main", "新聞", "暫存", "a/b", "a-b", "../x", "con", "x" * 300, "with \n newline"]
    memory.append([(name, Message("m1", "user", f"hello from number {number}")) for number, name in enumerate(names)])

    assert sorted(names) == sorted(memory.status().threads)
    assert len(names) == len({hit.path for hit in memory.search("hello from number", kinds=["message"], limit=50)})
    assert ["m1"] == [hit.message for hit in memory.search("hello", thread="暫存")]
    sound(memory.root)


def test_large_tool_payloads_go_to_attachments(memory: Memory, sound: Sound) -> None:
    big = "line of output\n" * 5000
    memory.append([("main", Message("m1", "assistant", "Reading.", tools=(ToolCall("Read", {"path": "x"}, big), ToolCall("Read", {"path": "y"}, big)))), ("main", Message("m2", "user", "ok"))])
    (kept,) = (memory.root / "attachments").iterdir()
    result = memory.show("tails/main").messages[0].tools[0].result

    assert kept.read_text() == big
    assert result["attachment"] == f"attachments/{kept.name}"
    assert result["bytes"] == len(big)
    sound(memory.root)


def test_secrets_never_reach_the_disk(memory: Memory, sound: Sound) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAvX1qk3n4pZ8r\n-----END RSA PRIVATE KEY-----"
    done = memory.append([("main", Message("m1", "user", f"export DEMO_TOKEN={token}", tools=(ToolCall("Bash", {"command": f"echo {token}"}, key),)))])
    added = memory.add("notes/x", f"the token is {token}")
    for place in memory.root.rglob("*"):
        if place.is_file():
            data = place.read_bytes()
            assert token.encode() not in data and b"MIIEowIBAA" not in data, place
    objects = git(memory.root, "cat-file", "--batch-all-objects", "--batch")

    assert token not in objects
    assert sum(found.count for found in done.redacted) >= 3 and added.redacted[0].action == "replaced"
    assert "[redacted:" in memory.show("notes/x").text
    sound(memory.root)


def test_redaction_can_be_turned_to_a_report_or_off(memory: Memory) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory.config_set("redact", "report")
    reported = memory.add("notes/a", f"token {token}")
    memory.config_set("redact", "off")
    silent = memory.add("notes/b", f"token {token}")

    assert [(found.action, found.count) for found in reported.redacted] == [("reported", 1)]
    assert token in memory.show("notes/a").text and token in memory.show("notes/b").text
    assert silent.redacted == ()


def test_an_ingested_file_that_grows_stores_only_what_is_new(memory: Memory, tmp_path: Path, sound: Sound) -> None:
    source = tmp_path / "chat.jsonl"
    rows = [json.dumps({"thread": "t", "id": m.id, "role": m.role, "text": m.text, "at": m.at}) + "\n" for _, m in said(40)]
    source.write_text("".join(rows[:50]) + rows[50][:20])
    first = memory.ingest(source)
    second = memory.ingest(source)
    source.write_text("".join(rows))
    third = memory.ingest(source)

    assert (first.format, first.stored, first.repeated) == ("jsonl", 50, 0)
    assert (second.read, second.stored) == (0, 0)
    assert (third.read, third.stored) == (30, 30)
    (memory.root / ".strata/transcripts.json").unlink()
    fourth = memory.ingest(source)
    assert (fourth.stored, fourth.repeated) == (0, 80)
    sound(memory.root)


# -- descriptions and cards ------------------------------------------------------------------


@pytest.fixture
def block(memory: Memory) -> str:
    memory.append(said(13))
    return memory.list(kinds=["block"])[0].ref


def test_a_description_changes_the_header_and_not_a_byte_of_the_source(memory: Memory, block: str, sound: Sound) -> None:
    before = Document.parse((memory.root / memory.show(block).path).read_bytes())
    memory.describe(block, {"title": "Paints", "tags": ["paint"], "summary": "Paints and colours.", "keypoints": ["Paint 3 goes with colour3 (a3)"]})
    after = Document.parse((memory.root / memory.show(block).path).read_bytes())

    assert before.body == after.body and before.text("source_sha256") == after.text("source_sha256")
    assert memory.show(block, level=0).text.startswith("Paints")
    assert ["Paints"] == [row.title for row in memory.list(kinds=["block"])]
    sound(memory.root)


@pytest.mark.parametrize("wrong", [{}, {"title": ""}, {"title": "x", "keypoints": ["no ref"]}, {"title": "x", "keypoints": ["not there (zz)"]}, {"title": "x", "colour": "red"}, {"title": "x" * 500}, ["title"]])
def test_a_wrong_description_is_refused_whole(memory: Memory, block: str, wrong: object) -> None:
    before = (memory.root / memory.show(block).path).read_bytes()
    with pytest.raises((Malformed, Refused)):
        memory.describe(block, wrong)  # type: ignore[arg-type]

    assert before == (memory.root / memory.show(block).path).read_bytes()


def test_a_card_needs_evidence_that_says_so(memory: Memory, block: str, sound: Sound) -> None:
    card = {"title": "Paint 3 was chosen", "event_type": "decision", "status": "occurred", "source_block": block, "source_messages": ["a3"], "quotes": ["Paint number 3 goes with it."]}
    written = memory.record(card)

    assert [written.ref] == [hit.ref for hit in memory.search("paint chosen", kinds=["event"])]
    assert memory.show(written.ref).header["mentioned_at"] == "2026-11-04T10:00:00Z"
    for broken in ({"quotes": ["Paint 4 was better"]}, {"source_messages": ["zz"]}, {"source_messages": []}, {"source_block": ""}):
        with pytest.raises(Refused):
            memory.record(card | broken)
    with pytest.raises(NotFound):
        memory.record(card | {"source_block": "blk-20200101-nothere"})
    with pytest.raises(Malformed):
        memory.record(card | {"happened_start": "2026-02-30"})
    assert len(memory.list(kinds=["event"])) == 1
    sound(memory.root)


# -- reading back ----------------------------------------------------------------------------


def test_levels_shrink_and_the_deepest_is_what_was_said(memory: Memory, block: str) -> None:
    texts = [memory.show(block, level=level).text for level in range(6)]

    assert [len(text) for text in texts] == sorted(len(text) for text in texts)
    assert "Which paint goes with colour7?" in texts[5]
    with pytest.raises(UsageError):
        memory.show(block, level=6)
    with pytest.raises(UsageError):
        memory.add("notes/n", "x")
        memory.show("notes/n", level=1)


def test_a_unique_prefix_is_enough_to_read_and_an_ambiguous_one_names_the_candidates(memory: Memory, block: str) -> None:
    assert memory.show(block[:-2]).ref == block
    memory.append(said(13, thread="other", start=1))
    with pytest.raises(Ambiguous) as caught:
        memory.show("blk-2026")
    with pytest.raises(NotFound):
        memory.show("blk-19990101-zzzzzz")

    assert block in caught.value.message


def test_a_message_ref_still_leads_there_after_the_seal(memory: Memory) -> None:
    memory.append(said(3))
    before = memory.show("tails/main#q2")
    memory.seal(everything=True)
    after = memory.show("tails/main#q2")

    assert before.messages == after.messages
    assert after.ref.startswith("blk-")
    line = (memory.root / after.path).read_text().split("\n")[(after.line or 0) - 1]
    assert line.startswith("## user · q2 · ")


def test_a_past_state_is_shown_without_touching_the_tree(memory: Memory, sound: Sound) -> None:
    memory.add("notes/a", "first")
    first = git(memory.root, "rev-parse", "HEAD").strip()
    memory.add("notes/a", "second", replace=True)
    (memory.root / "cooled/notes").mkdir(parents=True)
    (memory.root / "active/notes/a.md").rename(memory.root / "cooled/notes/a.md")
    memory.add("notes/b", "other")

    assert memory.show("notes/a", at=first).text == "first\n"
    assert memory.show("notes/a", at="HEAD~1").text == "second\n"
    assert memory.show("notes/a", at="2026-11-30").text == "second\n"
    with pytest.raises(NotFound):
        memory.show("notes/a", at="2020-01-01")
    with pytest.raises(NotFound):
        memory.show("notes/b", at=first)
    sound(memory.root)


def test_history_follows_a_record_across_tiers(memory: Memory) -> None:
    memory.add("notes/a", "one\n" * 20)
    for number in range(4):
        memory.add("notes/a", f"line {number}", append=True)
    for source, target in (("active", "cooled"), ("cooled", "archive")):
        (memory.root / target / "notes").mkdir(parents=True)
        (memory.root / source / "notes/a.md").rename(memory.root / target / "notes/a.md")
        memory.add(None, f"write after moving to {target}")
    commits = memory.log("notes/a")

    assert 7 == len(commits)
    assert "Add notes/a" == commits[-1].subject
    assert "line 3" in memory.diff("notes/a", f"{commits[3].id}..{commits[2].id}")


def test_a_diff_shows_what_is_not_committed_else_the_last_change(memory: Memory) -> None:
    memory.add("notes/a", "one")
    memory.add("notes/a", "two", replace=True)

    assert "-one" in memory.diff("notes/a") and "+two" in memory.diff("notes/a")
    (memory.root / "active/notes/a.md").write_text("three\n")
    assert "+three" in memory.diff() and "-two" in memory.diff()
    with pytest.raises(UsageError):
        memory.diff("notes/a", "HEAD")


def test_hits_say_what_they_are_and_where(memory: Memory) -> None:
    memory.append(said(14))
    memory.add("notes/colour", "A note about colour7.", title="Colours")
    hits = memory.search("colour7")
    message = next(hit for hit in hits if hit.kind == "message")

    assert message.ref == f"{message.ref.partition('#')[0]}#q7" and message.message == "q7" and message.thread == "main"
    assert (message.tier, message.at) == ("active", "2026-11-08T10:00:00Z")
    assert "colour7" in message.snippet
    assert "notes/colour" in [hit.ref for hit in hits]
    assert {"note"} == {hit.kind for hit in memory.search("colour7", kinds=["note"])}
    assert [] == memory.search("colour7", since="2027-01-01")
    assert {"q7", "a7"} == {hit.message for hit in memory.search("colour7", kinds=["message"], since="2026-11-08", until="2026-11-08")}
    assert 1 == len(memory.search("paint", limit=1))
    tail = memory.search("colour14", kinds=["message"])[0]
    assert tail.ref == "tails/main#q14"


def test_no_query_crashes_or_is_silently_emptied(memory: Memory) -> None:
    texts = ["we prefer C++ over C#", "use Go or R", "R&D budget", "launch 🚀 party", "trip to Zürich", "to be or not to be", "v1.10.2 is out", "call foo_bar-baz", "私は日本語を勉強します。東京に住む", "meeting 10:30 at http://shop.example/a?b=c, Re: pump", "a:b"]
    for number, text in enumerate(texts):
        memory.add(f"notes/n{number}", text)
    wanted = {"C++": 0, "c#": 0, "R": 1, "R&D": 2, "🚀": 3, "zurich": 4, "to be or not to be": 5, "v1.10.2": 6, "foo_bar-baz": 7, "日本語": 8, "東京": 8, "語": 8, "10:30": 9, "http://shop.example/a?b=c": 9, "Re: pump": 9, "a:b": 10}
    for query, number in wanted.items():
        assert f"notes/n{number}" in [hit.ref for hit in memory.search(query)][:2], query
    for query in ["NOT OR foobar", "NOT", '"unbalanced', "(", "[a TO", "foo^^2", "~", "\\", "(" * 3000, "NOT " * 2000, "*", "?", "\ud800", "\0", "x" * 100_000, "nosuch:foo", "title:"]:
        memory.search(query)
    assert [] == memory.search("   ")


def test_notes_with_odd_headers_are_read_and_left_as_they_are(memory: Memory) -> None:
    files = {
        "bom.md": b"\xef\xbb\xbf---\nid: blk-0001\ntitle: Router policy\ntags: [net]\n---\nRotate keys every quarter.\n",
        "colon.md": b"---\nid: blk-0005\ntype: event\ntitle: Re: pump: phase 2\n---\nBody about pumping.\n",
        "rule.md": b"---\n\nBuy two bags of lime\n\n---\n\nRest of the note\n",
        "list.md": b"---\n- a\n- b\n---\nlisted words\n",
        "clash.md": b"---\ncontent: hi\ntitle: Clash\n---\nclashing words\n",
        "odd.md": b"---\n1: a\n2026-01-01: b\n---\nodd keyed words\n",
        "twice.md": b"---\nid: blk-0016\ntags: [clay]\ntags: [kiln]\n---\npottery words\n",
        "latin.md": b"---\nid: blk-0026\ntitle: M\xfcller\n---\nKrak\xf3w trip\n",
        "bomb.md": b"---\na: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % ((98 + n, 98 + n) + (97 + n,) * 9) for n in range(8)) + b"---\nbombed words\n",
        "deep.md": b"---\na: " + b"[" * 100_000 + b"\n---\nnested words\n",
    }
    for name, data in files.items():
        (memory.root / "active" / name).write_bytes(data)
    queries = {"Router policy": "blk-0001", "pumping": "colon", "lime": "rule", "listed": "list", "clashing": "clash", "keyed": "odd", "pottery": "twice", "trip": "latin", "bombed": "bomb", "nested": "deep"}
    for query, ref in queries.items():
        assert ref == memory.search(query)[0].ref.removeprefix("blk-0026") or query == "trip", query
    assert memory.show("blk-0001").text == "Rotate keys every quarter.\n"
    memory.add("notes/good", "a good note beside them")

    assert files == {name: (memory.root / "active" / name).read_bytes() for name in files}
    warned = {problem.path.rpartition("/")[2]: problem.line for problem in memory.doctor()}
    assert {"colon.md", "twice.md", "latin.md", "bomb.md", "deep.md"} == set(warned)
    assert (warned["colon.md"], warned["twice.md"], warned["latin.md"]) == (4, 4, 3)
    for name in ("colon", "twice", "bomb"):
        with pytest.raises(Malformed):
            memory.add(name if name != "x" else "", "x", append=True) if (memory.root / f"active/notes/{name}.md").exists() else _append_to(memory, name)


def _append_to(memory: Memory, name: str) -> None:
    """Put the odd file where `add` can reach it, and try to write to it."""
    place = memory.root / "active/notes" / f"{name}.md"
    shutil.copy(memory.root / "active" / f"{name}.md", place)
    memory.add(f"notes/{name}", "more", append=True)


# -- by hand ---------------------------------------------------------------------------------


def test_grep_finds_each_sentence_once(memory: Memory) -> None:
    memory.config_set("summarise", "off")
    memory.append(said(13))
    place = memory.root / "active"
    found = [line for path in place.rglob("*.md") for line in path.read_text("utf-8").split("\n") if "colour7?" in line]

    assert ["Which paint goes with colour7?"] == found


def test_what_a_person_does_is_seen_at_once_and_adopted_as_theirs(memory: Memory, sound: Sound) -> None:
    git(memory.root, "config", "user.name", "Ada")
    git(memory.root, "config", "user.email", "ada@example.org")
    for name in ("edit", "rename", "remove"):
        memory.add(f"notes/{name}", f"{name}word")
    notes = memory.root / "active/notes"
    (notes / "edit.md").write_text("editedword\n")
    (notes / "rename.md").rename(notes / "renamed.md")
    (notes / "remove.md").unlink()
    (notes / "new.md").write_text("newword\n")

    assert [["notes/edit"], ["notes/renamed"], [], ["notes/new"], []] == [[hit.ref for hit in memory.search(word)] for word in ("editedword", "renameword", "removeword", "newword", "editword")]
    memory.add("notes/last", "last")
    adopted = memory.log(limit=2)[1]
    assert (adopted.author.name, adopted.author.email) == ("Ada", "ada@example.org")
    assert {"active/notes/edit.md", "active/notes/renamed.md", "active/notes/remove.md", "active/notes/new.md"} <= {path for row in adopted.paths for path in row[1:]}
    sound(memory.root)


def test_pull_checkout_and_reset_are_followed(memory: Memory, tmp_path: Path, sound: Sound) -> None:
    memory.add("notes/a", "alphaword")
    git(tmp_path, "clone", "-q", str(memory.root), "other")
    other = Memory.open(tmp_path / "other", key=KEY)
    other.add("notes/b", "betaword")
    git(memory.root, "pull", "-q", "--ff-only", str(tmp_path / "other"), "main")

    assert ["notes/b"] == [hit.ref for hit in memory.search("betaword")]
    git(memory.root, "reset", "-q", "--hard", "HEAD~1")
    assert [] == memory.search("betaword")
    git(memory.root, "checkout", "-q", "-b", "try")
    memory.add("notes/c", "gammaword")
    git(memory.root, "checkout", "-q", "main")
    assert [] == memory.search("gammaword")
    git(memory.root, "checkout", "-q", "try")
    assert ["notes/c"] == [hit.ref for hit in memory.search("gammaword")]
    sound(memory.root)


def test_in_the_middle_of_a_merge_or_off_a_branch_nothing_is_written(memory: Memory) -> None:
    memory.add("notes/a", "one")
    git(memory.root, "checkout", "-q", "--detach")
    with pytest.raises(Conflict, match="detached"):
        memory.add("notes/b", "two")
    git(memory.root, "checkout", "-q", "-b", "side", "main~1")
    memory.add("notes/a", "side")
    git(memory.root, "-c", "user.name=P", "-c", "user.email=p@x", "merge", "-q", "main", check=False)
    before = git(memory.root, "status", "--porcelain")
    with pytest.raises(Conflict, match="merge"):
        memory.add("notes/c", "three")

    assert before == git(memory.root, "status", "--porcelain")
    assert "notes/a" in [hit.ref for hit in memory.search("side")]
    git(memory.root, "merge", "--abort")
    memory.add("notes/c", "three")


def test_a_tier_that_vanished_stops_writes_and_loses_nothing(memory: Memory) -> None:
    (memory.root / "archive/notes").mkdir(parents=True)
    for number in range(30):
        (memory.root / f"archive/notes/n{number}.md").write_text(f"archived {number}\n")
    memory.add("notes/a", "one")
    shutil.move(memory.root / "archive", memory.root.parent / "unmounted")
    (memory.root / "archive").mkdir()
    with pytest.raises(TierVanished):
        memory.add("notes/b", "two")
    (memory.root / "archive").rmdir()
    with pytest.raises(TierVanished):
        memory.doctor(fix=True)

    assert 30 == len(git(memory.root, "ls-tree", "-r", "--name-only", "HEAD", "archive/").split())
    shutil.move(memory.root.parent / "unmounted", memory.root / "archive")
    memory.add("notes/b", "two")
    assert 30 == len(memory.list(tiers=["archive"]))


def test_leftovers_links_and_foreign_repositories_are_neither_read_nor_committed(memory: Memory) -> None:
    active = memory.root / "active"
    memory.add("notes/a", "alphaword")
    for name in (".a.md.swp", "a.md~", ".#a.md", "a.md.tmp", ".DS_Store", "node_modules/x/README.md", ".obsidian/workspace.json", ".trash/b.md"):
        (active / name).parent.mkdir(parents=True, exist_ok=True)
        (active / name).write_text("leftoverword\n")
    (active / "proj").mkdir()
    git(active / "proj", "init", "-q")
    (active / "proj/n.md").write_text("leftoverword\n")
    if sys.platform != "win32":
        (active / "passwd.md").symlink_to("/etc/passwd")
        (active / "loop").symlink_to(active)
    added = memory.add("notes/b", "betaword")

    assert [] == memory.search("leftoverword")
    assert added.path == git(memory.root, "show", "--name-only", "--format=", "HEAD").strip()
    assert {"active/notes/a.md", "active/notes/b.md"} == {path for path in git(memory.root, "ls-files").split() if path.startswith("active")}
    assert {"active/proj", "active/passwd.md", "active/loop"} >= {path for path, _ in memory.status().skipped} >= {"active/proj"}


def test_bytes_in_history_are_the_bytes_on_disk(memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".gitconfig").write_text("[core]\n\tautocrlf = true\n[commit]\n\tgpgsign = true\n[user]\n\tsigningkey = none\n")
    memory.add("notes/a", "l1\r\nl2\r\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    done = subprocess.run(["git", "status", "--porcelain"], cwd=memory.root, capture_output=True, text=True)
    blob = subprocess.run(["git", "show", "HEAD:active/notes/a.md"], cwd=memory.root, capture_output=True).stdout

    assert done.stdout == ""
    assert (memory.root / "active/notes/a.md").read_bytes() == blob
    assert b"l1\r\nl2\r\n" in blob


def test_a_changed_source_is_named_with_who_and_how_to_restore(memory: Memory, block: str) -> None:
    place = memory.root / memory.show(block).path
    original = place.read_bytes()
    git(memory.root, "config", "user.name", "Mallory")
    place.write_bytes(original.replace(b"Paint number 3", b"Paint number 9"))
    uncommitted = [problem for problem in memory.doctor() if problem.severity == "error"]
    memory.add("notes/later", "x")
    (problem,) = [problem for problem in memory.doctor() if problem.severity == "error"]

    assert "not committed yet" in uncommitted[0].message
    assert "Mallory" in problem.message and problem.path.endswith(f"{block}.md")
    command = problem.remedy.removeprefix("restore it: ")
    subprocess.run(command, shell=True, cwd=memory.root, check=True)
    assert original == place.read_bytes()


def test_duplicate_ids_are_found_and_reading_by_id_names_both(memory: Memory) -> None:
    for name in ("pump.md", "pump (conflicted copy 2026-03-01).md"):
        (memory.root / "active" / name).write_text("---\nid: pump-1\n---\nabout the pump\n")
    with pytest.raises(Ambiguous) as caught:
        memory.show("pump-1")

    assert "pump.md" in caught.value.message
    assert any("claim the id pump-1" in problem.message for problem in memory.doctor())


# -- the index is a cache ----------------------------------------------------------------------


def answers(memory: Memory) -> list[object]:
    queries = ["paint", "colour7", "which paint goes with colour3", "note", "number"]
    return [memory.list(), *(memory.search(query, limit=30) for query in queries), *(memory.show(row.ref) for row in memory.list())]


def test_without_its_local_folder_a_memory_answers_the_same(memory: Memory) -> None:
    memory.append(said(40))
    for number in range(15):
        memory.add(f"notes/n{number}", f"note number {number} about paint")
    memory.add("notes/n3", "changed", replace=True)
    (memory.root / "cooled/notes").mkdir(parents=True)
    (memory.root / "active/notes/n4.md").rename(memory.root / "cooled/notes/n4.md")
    before = answers(memory)
    memory.reindex()
    rebuilt = answers(memory)
    memory.close()
    shutil.rmtree(memory.root / ".strata")

    assert before == rebuilt
    assert before == answers(Memory.open(memory.root, key=KEY))


def test_while_the_index_is_built_anew_others_write_and_search(memory: Memory, sound: Sound) -> None:
    memory.append(said(40))
    other = Memory.open(memory.root, key=KEY)
    seen: list[object] = []

    def meanwhile(done: int, total: int) -> None:
        if not seen:
            other.add("notes/meanwhile", "quaggaword")
            seen.append([hit.ref for hit in other.search("quaggaword")])
            seen.append([hit.message for hit in other.search("colour7", kinds=["message"], limit=1)])

    memory.reindex(meanwhile)

    assert [["notes/meanwhile"], ["q7"]] == seen
    assert ["notes/meanwhile"] == [hit.ref for hit in memory.search("quaggaword")]
    assert ["q7"] == [hit.message for hit in memory.search("colour7", kinds=["message"], limit=1)]
    sound(memory.root)


def test_an_index_signed_elsewhere_is_not_opened(memory: Memory, tmp_path: Path) -> None:
    memory.add("notes/a", "alphaword")
    memory.close()
    shutil.copytree(memory.root, tmp_path / "copy")
    other = Memory.open(tmp_path / "copy", key=b"z" * 32)

    assert other.status().index.startswith("missing")
    assert ["notes/a"] == [hit.ref for hit in other.search("alphaword")]
    assert other.status().index == "fresh"


def test_a_damaged_index_heals_itself(memory: Memory) -> None:
    memory.add("notes/a", "alphaword")
    memory.close()
    for place in (memory.root / ".strata/index").rglob("*"):
        if place.is_file():
            place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])
    again = Memory.open(memory.root, key=KEY)

    assert ["notes/a"] == [hit.ref for hit in again.search("alphaword")]
    again.add("notes/b", "betaword")
    assert ["notes/b"] == [hit.ref for hit in again.search("betaword")]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_what_is_local_is_for_its_owner_alone(memory: Memory) -> None:
    memory.search("x")

    assert (memory.root / ".strata").stat().st_mode & 0o077 == 0


def test_no_op_runs_make_no_commits(memory: Memory) -> None:
    memory.add("notes/a", "one")
    before = git(memory.root, "rev-parse", "HEAD")
    memory.add("notes/a", "one", replace=True)
    memory.config_set("block_turns", "12")
    memory.seal()
    memory.reindex()
    memory.doctor(fix=True)

    assert before == git(memory.root, "rev-parse", "HEAD")


def test_the_log_reads_as_an_audit(memory: Memory, block: str) -> None:
    memory.describe(block, {"title": "Paints", "summary": "About paint.", "tags": [], "keypoints": []})
    lines = git(memory.root, "log", "--format=%an|%s|%(trailers:key=Strata-Op,valueonly,separator=%x2C)|%(trailers:key=Strata-Record,valueonly,separator=%x2C)").strip().split("\n")

    assert f"strata agent|Describe {block}: Paints|describe|{block}" == lines[0]
    assert f"strata agent|Append 26 messages, seal 1 block (main)|append|{block}" == lines[1]
    assert "strata agent|Begin a memory|init|" == lines[-1]
