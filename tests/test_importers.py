"""Transcripts of other programs: what becomes a message, and reading on where an earlier reading ended."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import importers
from strata.errors import Malformed, NotFound, UsageError
from strata.importers import Item, Report, detect, lines, open_transcript, reader
from strata.importers.jsonl import parse_line
from strata.importers.locomo import when
from strata.model import Message, Problem, ToolCall

FOLDER = Path(__file__).parent / "transcripts"
CLAUDE = FOLDER / "claude" / "s1.jsonl"
SUBAGENT = FOLDER / "claude" / "s1" / "subagents" / "agent-9c01.jsonl"
CODEX = next((FOLDER / "codex").glob("rollout-*.jsonl"))
CODEX_OLDER = FOLDER / "codex" / "older.jsonl"
DIALOGUE = FOLDER / "dialogue.json"
SESSION = "5f0c3c1e-8d0b-4a56-9a53-0f6d1c2b7a10"
CODEX_SESSION = "0199c0de-1111-7222-8333-444455556666"
LINE_FILES = ((CLAUDE, "claude-code"), (SUBAGENT, "claude-code"), (CODEX, "codex"), (CODEX_OLDER, "codex"))


def items(data: bytes | Path, format: str, name: str = "", **more) -> tuple[list[Item], Report]:
    """All items of a transcript given as bytes or as a file, and the report."""
    if isinstance(data, Path):
        data, name = data.read_bytes(), str(data)
    report = Report(end=more.get("start", 0))
    found = list(reader(format)(io.BytesIO(data), name=name, report=report, **more))
    return [each for each in found if isinstance(each, Item)], report


def jsonl(*rows: object) -> bytes:
    """Rows as JSON Lines; a string is a line as it is."""
    return "".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows).encode()


def image(data: str) -> dict:
    """An image part as Claude Code writes it."""
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def user(uuid: str, content: object, **more) -> dict:
    """A user row of Claude Code."""
    return {"type": "user", "uuid": uuid, "sessionId": "s", "message": {"role": "user", "content": content}} | more


def assistant(uuid: str, content: object, message: str, **more) -> dict:
    """An assistant row of Claude Code."""
    return {"type": "assistant", "uuid": uuid, "sessionId": "s", "message": {"id": message, "role": "assistant", "content": content} | more}


def texts(found: list[Item]) -> list[tuple[str, str]]:
    """Role and text of each item."""
    return [(item.message.role, item.message.text) for item in found]


# -- claude code -------------------------------------------------------------------------------


def test_a_session_becomes_what_was_said_and_done():
    found, report = items(CLAUDE, "claude-code")
    stub = "[image image/png, 8 bytes, sha256 " + hashlib.sha256(base64.b64decode("iVBORw0KGgo=")).hexdigest() + "]"
    main = [item.message for item in found if item.thread == SESSION]

    assert [(m.id, m.role, m.text) for m in main] == [
        ("u-1", "user", "Wie heißt der Paketmanager hier? 🎒"),
        ("a-1", "assistant", "I look at the lock files."),
        ("a-5", "assistant", "It is pnpm."),
        ("u-2", "user", f"Danke!\n\n{stub}"),
        ("a-6", "assistant", "Gern."),
        ("u-cmd", "system", "/review the login page"),
        ("u-3", "user", "Ask an agent to count the files."),
        ("a-7", "assistant", ""),
        ("a-8", "assistant", "There are 42."),
        ("u-4", "user", "Good. Bye."),
    ]
    assert main[1].tools == (
        ToolCall("Bash", {"command": "ls *lock*"}, "pnpm-lock.yaml"),
        ToolCall("Read", {"file_path": "package.json"}, {"is_error": True, "content": f"no such file\n{stub}"}),
    )
    assert main[7].tools == (ToolCall("Task", {"prompt": "Count the files."}, "42 files."),)
    assert main[0].at == "2026-11-30T09:00:10.000Z"
    assert report.read == len(found) == 13
    assert report.problems == []
    assert report.skipped == {
        "file-history-snapshot row": 1, "injected": 1, "local command": 2, "attachment row": 1, "thinking": 1,
        "system row": 1, "compaction summary": 1, "repeat": 2, "API error": 1, "interruption": 1,
    }  # fmt: skip


def test_sidechains_have_their_own_thread_and_nothing_in_them_is_the_users():
    side = [item for item in items(CLAUDE, "claude-code")[0] if item.thread != SESSION]
    apart, _ = items(SUBAGENT, "claude-code")

    assert {item.thread for item in side} == {f"{SESSION}/agent-7f3a"}
    assert texts(side) == [("system", "Count the files."), ("assistant", ""), ("assistant", "42 files.")]
    assert side[1].message.tools == (ToolCall("Bash", {"command": "ls | wc -l"}, "42"),)
    assert {item.thread for item in apart} == {f"{SESSION}/agent-9c01"}
    assert texts(apart) == [("system", "Find the login page."), ("assistant", "It is src/login.tsx.")]
    for item in side + apart:
        assert item.message.meta["sidechain"] is True
        assert item.message.meta["session"] == SESSION
        assert item.message.role != "user"


def test_a_file_below_subagents_is_a_sidechain_even_if_its_rows_do_not_say_so():
    found, _ = items(jsonl(user("g", "Do it.", sessionId=None)), "claude-code", name="p/s9/subagents/agent-ab.jsonl")

    assert [(item.thread, item.message.role) for item in found] == [("s9/agent-ab", "system")]


def test_order_is_that_of_the_file_and_parents_may_be_any_rows():
    data = jsonl(user("b", "first", parentUuid="z"), {"type": "attachment", "uuid": "x"}, user("a", "second", parentUuid="x"), user("z", "third", parentUuid=None))

    assert [text for _, text in texts(items(data, "claude-code")[0])] == ["first", "second", "third"]


def test_copies_after_a_compaction_count_once():
    turns = [user(letter, f"turn {letter}", timestamp="2026-01-01T00:00:00Z") for letter in "abcdefghij"]
    marker = {"type": "system", "subtype": "compact_boundary", "uuid": "m"}
    found, report = items(jsonl(*turns, marker, *turns[:6], user("k", "turn k"), user("l", "turn l")), "claude-code")

    assert [item.message.id for item in found] == list("abcdefghijkl")
    assert report.skipped["repeat"] == 6


def test_an_answer_waits_for_the_results_of_its_tools():
    rows = [
        user("u", "go"),
        assistant("a", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}], "m1"),
        assistant("b", [{"type": "tool_use", "id": "t2", "name": "Read", "input": {}}], "m1"),
        user("r2", [{"type": "tool_result", "tool_use_id": "t2", "content": "two"}]),
    ]
    before, report = items(jsonl(*rows), "claude-code")
    result = user("r1", [{"type": "tool_result", "tool_use_id": "t1", "content": "one"}])
    after, _ = items(jsonl(*rows, result), "claude-code", start=report.end)

    assert texts(before) == [("user", "go")]
    assert [item.message.tools for item in after] == [(ToolCall("Bash", {}, "one"), ToolCall("Read", {}, "two"))]


def test_what_the_user_says_next_ends_the_wait_and_a_late_result_is_kept_as_a_tool_message():
    rows = [
        user("u", "go"),
        assistant("a", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}], "m1"),
        user("v", "stop"),
        user("r", [{"type": "tool_result", "tool_use_id": "t1", "content": "late"}]),
    ]
    found, _ = items(jsonl(*rows), "claude-code")

    assert [item.message.role for item in found] == ["user", "assistant", "user", "tool"]
    assert found[1].message.tools == (ToolCall("Bash", {}, None),)
    assert found[3].message.tools == (ToolCall("unknown", None, "late"),)
    assert found[3].message.meta == {"tool_use_id": "t1"}


def test_an_agent_that_was_cut_off_does_not_hold_back_the_conversation():
    stray = assistant("s", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}], "ms") | {"isSidechain": True, "agentId": "x"}

    assert texts(items(jsonl(user("u", "go"), stray, user("v", "on")), "claude-code")[0]) == [("user", "go"), ("assistant", ""), ("user", "on")]


def test_an_announced_tool_call_is_waited_for_unless_nothing_more_will_come():
    data = jsonl(user("u", "go"), assistant("a", [{"type": "text", "text": "I look."}], "m", stop_reason="tool_use"))

    assert texts(items(data, "claude-code")[0]) == [("user", "go")]
    assert texts(items(data, "claude-code", final=True)[0]) == [("user", "go"), ("assistant", "I look.")]


def test_what_the_user_types_while_the_agent_works_is_kept():
    queued = {"type": "attachment", "uuid": "q", "sessionId": "s", "attachment": {"type": "queued_command", "prompt": "also the docs", "commandMode": "prompt"}}
    call = assistant("a", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}], "m")
    result = user("r", [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}])
    found, _ = items(jsonl(user("u", "go"), call, queued, result), "claude-code")

    assert texts(found) == [("user", "go"), ("assistant", ""), ("user", "also the docs")]
    assert found[1].message.tools[0].result == "ok"


@pytest.mark.parametrize("row", ["{\"type\": \"user\"", "[1]", '{"type": "user", "uuid": "x"}', '{"type": "user", "message": {"content": "x"}}', "\x00"])
def test_a_line_that_cannot_be_read_is_named_and_the_rest_is_read(row):
    found, report = items(jsonl(user("a", "one"), row, user("b", "two")), "claude-code")

    assert [text for _, text in texts(found)] == ["one", "two"]
    assert [problem.line for problem in report.problems] == [2]


# -- codex ---------------------------------------------------------------------------------------


def test_a_rollout_becomes_what_was_said_and_done():
    found, report = items(CODEX, "codex")
    messages = [item.message for item in found]

    assert {item.thread for item in found} == {CODEX_SESSION}
    assert [(m.role, m.text) for m in messages] == [
        ("user", "Run the tests, please."),
        ("assistant", "I run them."),
        ("assistant", "All three pass."),
        ("user", "Now lint."),
        ("assistant", ""),
        ("assistant", "Clean."),
    ]
    assert messages[1].tools == (
        ToolCall("shell", {"command": ["pnpm", "test"]}, {"output": "3 passed", "metadata": {"exit_code": 0}}),
        ToolCall("apply_patch", "*** Begin Patch", "done"),
    )
    assert messages[4].tools[0].name == "local_shell"
    assert messages[4].tools[0].result.startswith("clean\n[image image/png, 8 bytes, sha256 ")
    assert messages[0].at == "2026-11-30T10:00:03.000Z"
    assert len({m.id for m in messages}) == len(messages)
    assert report.skipped == {"session_meta row": 1, "instructions": 1, "injected": 2, "event_msg row": 2, "turn_context row": 1, "thinking": 1, "compacted row": 1}


def test_rows_of_older_rollouts_stand_at_the_top_level_and_equal_ones_stay_two():
    found, _ = items(CODEX_OLDER, "codex")

    assert {item.thread for item in found} == {CODEX_SESSION}
    assert texts(found) == [("user", "yes"), ("assistant", ""), ("assistant", "done"), ("user", "yes")]
    assert found[1].message.tools == (ToolCall("shell", {"command": ["ls"]}, "a b"),)
    assert found[0].message.id != found[3].message.id


def test_what_a_fork_repeats_of_another_session_belongs_to_the_fork():
    said = {"type": "message", "role": "user", "content": "hi"}
    metas = [{"type": "session_meta", "payload": {"id": id}} for id in ("fork", "origin")]

    assert [item.thread for item in items(jsonl(*metas, said), "codex")[0]] == ["fork"]


def test_the_session_of_a_codex_sub_agent_is_not_the_users():
    meta = {"type": "session_meta", "payload": {"id": "c", "source": {"subagent": "review"}}}
    said = {"type": "response_item", "timestamp": "2026-01-01T00:00:00Z", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Review."}]}}
    message = items(jsonl(meta, said), "codex")[0][0].message

    assert (message.role, message.speaker, message.meta) == ("system", "main agent", {"sidechain": True})


# -- dialogues -------------------------------------------------------------------------------------


def test_a_dialogue_keeps_speakers_ids_times_and_captions():
    found, report = items(DIALOGUE, "locomo")

    assert {item.thread for item in found} == {"talk-1"}
    assert [item.message for item in found] == [
        Message("D1:1", "user", "Look!\n[image: a bowl]", "Ada", "2025-05-08T13:56", (), {"img_url": ["http://pic.invalid/1.jpg"], "query": "bowl"}),
        Message("D1:2", "user", "Nice.", "Bo", "2025-05-08T13:56"),
        Message("D2:1", "user", "[image: a red kite]", "Ada", ""),
        Message("D10:1", "user", "Late again.", "Bo", "2026-03-01T00:05"),
    ]
    assert [problem.message for problem in report.problems] == ["talk-1: turn 2 of session_2 has no dia_id", "talk-1: turn 3 of session_2 has a text that is no text"]
    assert report.skipped == {"date without a session": 1}
    assert report.end == found[-1].end == DIALOGUE.stat().st_size
    assert {item.end for item in found[:-1]} == {0}


def test_one_conversation_alone_is_a_document_too():
    sample = json.loads(DIALOGUE.read_text(encoding="utf-8"))[0]

    assert len(items(json.dumps(sample).encode(), "locomo")[0]) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56"),
        ("12:00 am on 1 January, 2024", "2024-01-01T00:00"),
        ("12:30 pm on 29 February, 2024", "2024-02-29T12:30"),
        ("12:30 pm on 29 February, 2023", ""),
        ("13:30 pm on 1 May, 2023", ""),
        ("0:30 am on 1 May, 2023", ""),
        ("8 May, 2023", ""),
        ("1:56 pm on 8 Mai, 2023", ""),
        (None, ""),
    ],
)
def test_the_time_of_a_session_is_read_to_the_minute_or_unknown(text, expected):
    assert when(text) == expected


def test_a_document_that_is_no_json_is_refused_with_its_line():
    with pytest.raises(Malformed) as refusal:
        items(b'[\n{"sample_id": }\n]', "locomo", name="talk.json")

    assert (refusal.value.path, refusal.value.line) == ("talk.json", 2)


# -- one message a line ----------------------------------------------------------------------------


def test_a_line_holds_everything_a_message_has():
    line = '{"thread": "t", "id": "m1", "role": "user", "speaker": "Jo", "text": "hé", "at": "2026-05", "tools": [{"name": "b", "arguments": {"x": 1}}], "meta": {"k": []}}'

    assert parse_line(line, 1) == ("t", Message("m1", "user", "hé", "Jo", "2026-05", (ToolCall("b", {"x": 1}),), {"k": []}))
    assert parse_line(b'{"role": "tool", "text": ""}', 1, "d") == ("d", Message("", "tool", ""))
    assert parse_line('{"role": "tool", "text": ""}', 1)[0] == "main"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('{"role": "user", "text": "a", "txt": "b"}', "unknown field 'txt'"),
        ('{"role": "user"}', "text is missing"),
        ('{"text": "a"}', "role is missing"),
        ('{"role": "bot", "text": "a"}', "role 'bot'"),
        ('{"role": "user", "text": 7}', "text must be a string"),
        ('{"role": "user", "text": null}', "text must be a string"),
        ('{"role": "user", "text": "a", "id": 5}', "id must be a string"),
        ('{"role": "user", "text": "a", "at": "05/06/2024"}', "at '05/06/2024'"),
        ('{"role": "user", "text": "a", "at": "2026-02-30"}', "at '2026-02-30'"),
        ('{"role": "user", "text": "a", "meta": []}', "meta must be an object"),
        ('{"role": "user", "text": "a", "tools": {}}', "tools must be a list"),
        ('{"role": "user", "text": "a", "tools": [{"arguments": 1}]}', "name must be a string in tool 1"),
        ('{"role": "user", "text": "a", "tools": [{"name": "x", "output": 1}]}', "unknown field 'output' in tool 1"),
        ('{"role": "user", "text": "a", "text": "b"}', "'text' appears twice"),
        ('{"role": "user", "text": "a", "meta": {"x": NaN}}', "NaN"),
        ('{"role": "user", "text": "a", "meta": {"x": ' + "[" * 300 + "]" * 300 + "}}", "deeper"),
        ('{"role": "user", "text": "a", "meta": {"x": ' + "[" * 90000 + "]" * 90000 + "}}", "JSON"),
        ('["user"]', "not a JSON object"),
        ("role: user", "not valid JSON"),
        (b'{"role": "user", "text": "\xff"}', "not valid JSON"),
    ],
)
def test_a_bad_line_is_refused_by_number_and_field(line, named):
    with pytest.raises(Malformed) as refusal:
        parse_line(line, 7)

    assert refusal.value.line == 7
    assert named in refusal.value.message
    assert "\n" not in str(refusal.value)


def test_good_lines_around_a_bad_one_are_read():
    found, report = items(b"\xef\xbb\xbf" + jsonl({"role": "user", "text": "a", "id": "1"}, '{"role": "x"}', "", {"role": "user", "text": "b", "id": "2"}), "jsonl")

    assert [item.message.id for item in found] == ["1", "2"]
    assert [(problem.line, problem.message) for problem in report.problems] == [(2, "text is missing")]


def test_ids_are_derived_so_that_reading_again_or_reading_on_gives_the_same():
    same = {"role": "user", "text": "yes"}
    whole = jsonl(same, {"role": "user", "text": "no"}, same, same)
    found, _ = items(whole, "jsonl")
    ids = [item.message.id for item in found]

    assert len(set(ids)) == 4
    assert [ids[2], ids[3]] == [f"{ids[0]}-2", f"{ids[0]}-3"]
    for number, item in enumerate(found):
        rest, _ = items(whole, "jsonl", start=item.end)
        assert [other.message.id for other in rest] == ids[number + 1 :]


def test_a_problem_after_a_resumption_bears_its_line_in_the_file():
    data = jsonl(*[{"role": "user", "text": "a"}] * 3, "bad")
    third = items(data, "jsonl")[0][2]

    assert [problem.line for problem in items(data, "jsonl", start=third.end)[1].problems] == [4]


# -- growing files -----------------------------------------------------------------------------------


def pieces(found: list[Item]) -> list[tuple[str, str, object]]:
    """Everything that was said and done, message boundaries aside."""
    listed = []
    for item in found:
        listed += [(item.thread, "text", part) for part in item.message.text.split("\n\n") if part]
        listed += [(item.thread, "tool", call) for call in item.message.tools]
    return listed


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_reading_a_file_as_it_grows_loses_and_repeats_nothing(data):
    """Cut anywhere, also within a character, and then read on from where the first reading ended."""
    path, format = data.draw(st.sampled_from(LINE_FILES))
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    first, report = items(whole[:cut], format, name=str(path))
    known = {(item.thread, item.message.id) for item in first}
    rest, later = items(whole, format, name=str(path), start=report.end)
    rest = [item for item in rest if (item.thread, item.message.id) not in known]

    assert sorted(map(repr, pieces(items(path, format)[0]))) == sorted(map(repr, pieces(first + rest)))
    assert report.problems == later.problems == []
    assert report.end <= cut
    assert later.end == len(whole)


@pytest.mark.parametrize(("path", "format"), LINE_FILES)
def test_reading_on_from_any_item_gives_exactly_the_rest(path, format):
    found, _ = items(path, format)
    for number, item in enumerate(found):
        known = {(each.thread, each.message.id) for each in found[: number + 1]}
        rest, _ = items(path, format, start=item.end)
        fresh = [(each.thread, each.message) for each in rest if (each.thread, each.message.id) not in known]

        assert [(each.thread, each.message) for each in found[number + 1 :]] == fresh


@pytest.mark.parametrize(
    ("format", "rows"),
    [
        (
            "claude-code",
            [
                user("u", "go"),
                assistant("a", [{"type": "text", "text": "one"}], "m"),
                user("s", "look", isSidechain=True, agentId="x"),
                assistant("b", [{"type": "text", "text": "two"}], "m"),
                user("v", "on"),
            ],
        ),
        (
            "codex",
            [
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "one"}]},
                {"type": "function_call_output", "call_id": "gone", "output": "x"},
                {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"},
                {"type": "message", "role": "user", "content": "on"},
            ],
        ),
    ],
)
def test_a_message_between_the_rows_of_another_is_no_place_to_cut(format, rows):
    data = jsonl(*rows)
    found, _ = items(data, format)
    first = found[0 if format == "codex" else 1]
    rest, _ = items(data, format, start=first.end)

    assert len(found) == len(rows) - 1
    assert [item.message for item in found] == [item.message for item in found[: len(found) - len(rest)] + rest]


def test_a_whole_reading_leaves_nothing_for_the_next():
    for path, format in LINE_FILES:
        _, report = items(path, format)
        assert items(path, format, start=report.end)[0] == []


def test_the_last_line_waits_until_it_is_whole():
    line = jsonl(user("b", "zwei é"))
    start = jsonl(user("a", "eins"))
    cut = start + line[: line.index("é".encode()) + 1]
    first, report = items(cut, "claude-code")
    _, insisted = items(cut, "claude-code", final=True)
    rest, after = items(start + line, "claude-code", start=report.end)

    assert texts(first) == [("user", "eins")]
    assert report.end == len(start)
    assert report.problems == []
    assert [problem.message for problem in insisted.problems] == ["the last line is incomplete"]
    assert insisted.end == len(start)
    assert texts(rest) == [("user", "zwei é")]
    assert after.end == len(start + line)


@pytest.mark.parametrize(("path", "format"), LINE_FILES)
def test_a_whole_last_line_needs_no_newline(path, format):
    data = path.read_bytes()

    assert [item.message for item in items(data[:-1], format, name=str(path))[0]] == [item.message for item in items(path, format)[0]]


def test_a_file_that_was_truncated_or_replaced_is_read_from_the_beginning(tmp_path):
    path = tmp_path / "s.jsonl"
    rows = [user(f"u{number}", f"turn {number}") for number in range(20)]

    def read(start: int, seen: str) -> tuple[list[str], int, str]:
        with open_transcript(path, start=start, seen=seen) as transcript:
            ids = [message.id for batch in transcript.batches(7) for _, message in batch]
            return ids, transcript.report.end, transcript.fingerprint()

    path.write_bytes(jsonl(*rows[:10]))
    first, end, seen = read(0, "")
    path.write_bytes(jsonl(*rows[:12]))
    grown, end, seen = read(end, seen)
    path.write_bytes(jsonl(*rows[:5]))
    shorter, _, _ = read(end, seen)
    path.write_bytes(jsonl(*rows[8:20]))
    replaced, _, _ = read(end, seen)

    assert first == [f"u{number}" for number in range(10)]
    assert grown == ["u10", "u11"]
    assert shorter == [f"u{number}" for number in range(5)]
    assert replaced == [f"u{number}" for number in range(8, 20)]


# -- size ------------------------------------------------------------------------------------------------


def test_a_huge_image_is_replaced_before_it_is_parsed(tmp_path):
    path = tmp_path / "s.jsonl"
    block = base64.b64encode(bytes(range(256)) * 3)
    count = 60 * 1024 * 1024 // len(block)
    with path.open("wb") as file:
        head, tail = json.dumps(user("a", [{"type": "text", "text": "see"}, image("@")])).encode().split(b"@")
        file.write(head)
        for _ in range(count):
            file.write(block)
        file.write(tail + b"\n" + jsonl(user("b", "next")))
    tracemalloc.start()
    try:
        with open_transcript(path) as transcript:
            messages = [message for batch in transcript.batches(100) for _, message in batch]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    digest = hashlib.sha256(bytes(range(256)) * 3 * count).hexdigest()

    assert [message.text for message in messages] == [f"see\n\n[image image/png, {768 * count:,} bytes, sha256 {digest}]", "next"]
    assert peak < 2.5 * path.stat().st_size


def test_a_line_beyond_the_bound_is_passed_over_and_the_rest_is_read(monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE", 1000)
    data = jsonl(user("a", "one"), user("b", "x" * 2000), user("c", "two"))
    found, report = items(data, "claude-code")
    unfinished, waiting = items(jsonl(user("a", "one")) + b"x" * 5000, "claude-code")

    assert [text for _, text in texts(found)] == ["one", "two"]
    assert [problem.line for problem in report.problems] == [2]
    assert "longer than" in report.problems[0].message
    assert len(unfinished) == 1
    assert waiting.end == len(jsonl(user("a", "one")))


def test_a_large_tool_payload_becomes_a_stub():
    large = "lorem ipsum " * 30_000
    rows = jsonl(
        user("u", "go"),
        assistant("a", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"script": large}}], "m"),
        user("r", [{"type": "tool_result", "tool_use_id": "t", "content": large}]),
    )
    call = items(rows, "claude-code")[0][1].message.tools[0]

    assert call.result == f"[payload, 360,000 bytes, sha256 {hashlib.sha256(large.encode()).hexdigest()}]"
    assert call.arguments.startswith("[payload, 360,014 bytes, sha256 ")


def test_arguments_that_nest_too_deeply_become_text():
    deep = json.loads("[" * 400 + "]" * 400)
    rows = jsonl(user("u", "go"), assistant("a", [{"type": "tool_use", "id": "t", "name": "X", "input": deep}], "m", stop_reason="end_turn"))

    assert items(rows, "claude-code", final=True)[0][1].message.tools[0].arguments == "[" * 400 + "]" * 400


@given(st.binary(max_size=400), st.binary(max_size=50), st.binary(max_size=50))
def test_only_long_runs_of_base64_leave_a_line(data, before, after):
    encoded = base64.b64encode(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_SLIM_FROM", 0)
        patch.setattr(lines, "_LONG_RUN", 100)
        line = b'"' + before.hex(" ").encode() + b'" "' + encoded + b'" "' + after.hex(" ").encode() + b'"'
        slimmed = lines.slim(line)

    expected = lines.base64_stub(encoded).encode() if len(encoded.rstrip(b"=")) >= 100 else encoded
    assert slimmed == line.replace(b'"' + encoded + b'" ', b'"' + expected + b'" ')


# -- finding the format ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "format"),
    [
        (CLAUDE.read_bytes(), "claude-code"),
        (SUBAGENT.read_bytes()[:300], "claude-code"),
        (CODEX.read_bytes(), "codex"),
        (CODEX_OLDER.read_bytes(), "codex"),
        (DIALOGUE.read_bytes(), "locomo"),
        (DIALOGUE.read_bytes()[:40], "locomo"),
        (b'{\n "sample_id": "x", "conversation"', "locomo"),
        (b'{"sample_id": "x", "conversation": {"session_1": [{"text": "a", "role": "x', "locomo"),
        (b'{"role": "user", "text": "a"}\n', "jsonl"),
        (b'\xef\xbb\xbf\n{"thread": "t", "text": "sessionId", "role": "user"}', "jsonl"),
        (b'{"type": "summary", "summary": "x", "leafUuid": "y"}\n', "claude-code"),
        (b"", "jsonl"),
    ],
)
def test_the_format_is_found_by_the_first_bytes(head, format):
    assert detect(head, "x.jsonl") == format


@pytest.mark.parametrize("head", [b"hello", b'{"a": 1}\n', b"\x00\x01", b"5\n"])
def test_what_is_no_transcript_is_refused(head):
    with pytest.raises(Malformed, match="format"):
        detect(head, "notes.txt")


def test_a_transcript_is_opened_by_path_and_read_in_batches():
    with open_transcript(CLAUDE) as transcript:
        batches = list(transcript.batches(4))

        assert [len(batch) for batch in batches] == [4, 4, 4, 1]
        assert batches[0][0][0] == SESSION
        assert transcript.format == "claude-code"
        assert transcript.done == transcript.size == CLAUDE.stat().st_size
        assert transcript.problems == []
        assert transcript.skipped["repeat"] == 2


def test_a_missing_file_and_an_unknown_format_are_refused(tmp_path):
    with pytest.raises(NotFound):
        open_transcript(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="jsonl, claude-code, codex, locomo"):
        open_transcript(CLAUDE, format="csv")


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=300), st.sampled_from(("jsonl", "claude-code", "codex")))
def test_no_bytes_break_a_reader(noise, format):
    found = list(reader(format)(io.BytesIO(jsonl(user("a", "x")) + noise + b"\n"), final=True))

    assert all(isinstance(each, Item | Problem) for each in found)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
    st.sampled_from(("type", "uuid", "message", "content", "payload", "text", "role", "id", "tool_use_id", "source", "data", "timestamp", "output", "call_id")), inner, max_size=4), max_leaves=12)  # fmt: skip
KINDS = st.sampled_from(("user", "assistant", "attachment", "response_item", "message", "function_call", "function_call_output", "tool_use", "tool_result", "image"))


@settings(deadline=None, max_examples=120)
@given(st.lists(st.fixed_dictionaries({"type": KINDS, "uuid": JSON, "message": st.fixed_dictionaries({"content": st.lists(st.fixed_dictionaries({"type": KINDS}, optional={"source": JSON, "text": JSON, "content": JSON, "tool_use_id": JSON}) | JSON)}) | JSON, "payload": st.fixed_dictionaries({"type": KINDS}, optional={"content": JSON, "role": st.just("user"), "output": JSON, "call_id": JSON}) | JSON}), max_size=4), st.sampled_from(("claude-code", "codex")))  # fmt: skip
def test_rows_of_unexpected_shape_are_read_or_named(rows, format):
    for found in reader(format)(io.BytesIO(jsonl(*rows)), final=True):
        if isinstance(found, Item):
            assert isinstance(found.message.text, str)
            assert found.message.id
            assert found.thread


def test_every_format_has_a_reader():
    assert all(callable(reader(format)) for format in importers.FORMATS)
