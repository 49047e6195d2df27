"""Messages as markdown and back: nothing is lost, and a person can read and grep what is there."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hostile import EXAMPLES, fields
from hypothesis import given, settings
from hypothesis import strategies as st

from strata.errors import Malformed
from strata.model import ROLES, Message, ToolCall
from strata.transcript import MAX_DEPTH, decode, encode, lines


def some_messages(texts: list[str]) -> tuple[Message, ...]:
    """Two messages that hold these texts wherever a message holds text."""
    ident, speaker, at, text, second, name, key, value = texts
    tools = (ToolCall(name, {key: value}, second), ToolCall(name), ToolCall(key, None, [value, {}]))
    return (
        Message(ident, ROLES[len(text) % 4], text, speaker, at, tools[: len(name) % 4], {key: value} if len(key) % 2 else {}),
        Message("m2", ROLES[len(second) % 4], second),
        Message(text, "assistant", "", at, value, tools[1:2]),
    )


@settings(max_examples=EXAMPLES, deadline=None)
@given(fields(8).map(some_messages))
def test_what_is_written_is_read_back(messages: tuple[Message, ...]) -> None:
    data = encode(messages)

    assert decode(data) == messages
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)", data)
    assert not re.search("[\x80-\x9f]", data.decode("utf-8"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | fields(1).map("".join),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(fields(1).map("".join), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(json_values, json_values, st.dictionaries(st.text(), json_values, max_size=2))
def test_any_json_in_tool_calls_and_meta_is_read_back(arguments: Any, result: Any, meta: dict[str, Any]) -> None:
    messages = (Message("m1", "assistant", "```json tool\n{}\n```", tools=(ToolCall("bash", arguments, result),), meta=meta),)

    assert decode(encode(messages)) == messages


@settings(max_examples=300, deadline=None)
@given(fields(8).map(some_messages))
def test_lines_are_where_each_message_stands(messages: tuple[Message, ...]) -> None:
    data = encode(messages)
    rows = data.split(b"\n")

    spans = lines(data, first_line=5)

    assert list(spans) == list(dict.fromkeys(message.id for message in messages))
    for message in messages:
        first, last = spans[message.id]
        assert rows[first - 5].startswith(b"## ")
        assert first <= last <= 5 + len(rows)
    assert messages[0] == decode(b"\n".join(rows[: spans.get("m2", (0, 0))[0] - 5]))[0] or len(spans) < 3


@settings(max_examples=300, deadline=None)
@given(fields(4))
def test_reading_any_bytes_gives_messages_or_says_where_it_fails(texts: list[str]) -> None:
    data = ("## user · m1\n" * (len(texts[0]) % 2) + "\n".join(texts)).encode("utf-8", "surrogatepass")
    for file in (data, encode(some_messages(texts * 2)).replace(b"\n", b"\r\n"), encode(some_messages(texts * 2))[:-40]):
        try:
            messages = decode(file, "active/tails/a.md")
        except Malformed as error:
            assert error.path == "active/tails/a.md"
            assert 1 <= (error.line or 0) <= 1 + file.count(b"\n")
        else:
            assert decode(encode(messages)) == messages


def test_two_transcripts_joined_by_a_newline_are_one() -> None:
    one, two = Message("m1", "user", "a\n\n"), Message("m2", "assistant", "", tools=(ToolCall("x"),))

    assert encode((one,)) + b"\n" + encode((two,)) == encode((one, two))
    assert encode(()) == b""
    assert decode(b"") == ()


# the shape


def test_the_shape_is_the_documented_one() -> None:
    messages = (
        Message("m1", "user", "Which package manager …", at="2026-11-30T11:50:02Z"),
        Message("m2", "assistant", "I look.", "Ada", "2026-11-30T11:51:00Z", (ToolCall("bash", {"command": "ls `x` ```"}, "é\nb"),), {"model": "m"}),
        Message("D3:12", "tool", ""),
    )

    assert encode(messages).decode() == (
        "## user · m1 · 2026-11-30T11:50:02Z\n"
        "Which package manager …\n"
        "\n"
        "## assistant (Ada) · m2 · 2026-11-30T11:51:00Z\n"
        "I look.\n"
        "\n"
        "````json tool\n"
        "{\n"
        '  "name": "bash",\n'
        '  "arguments": {\n'
        '    "command": "ls `x` ```"\n'
        "  },\n"
        '  "result": "é\\nb"\n'
        "}\n"
        "````\n"
        "\n"
        "```json meta\n"
        "{\n"
        '  "model": "m"\n'
        "}\n"
        "```\n"
        "\n"
        "## tool · D3:12\n"
    )
    assert lines(encode(messages + messages)) == lines(encode(messages)) == {"m1": (1, 2), "m2": (4, 21), "D3:12": (23, 23)}


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\n## Results · 2024\n\n## user\n\n## user m1\n\n## User · m1\n\n### user · m1\n\n ## user · m1", "```json\n{}\n```", "```python tool\n```",
        "---\ntitle: x\n---\n", r"C:\users\u{name} \U0001F600 \u{1F600} \u{e9} \u{00} \x00 \d+ \\server", r"\frac{1}{2} \underline{u} \u{} " [:-5],
        "\\# not a title", "a\r\nb\r\n", "tab\tbed", "שלום עולם \u202e", "e\u0301 \u00a0 \u2028 \u2029 \ufeff", "> quote\n- item\n\n    code\n", " leading and trailing \n",
    ],
)  # fmt: skip
def test_ordinary_text_stands_in_the_file_as_it_is(text: str) -> None:
    assert encode([Message("m1", "user", text)]) == f"## user · m1\n{text}\n".encode()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("## user · m1", r"\## user · m1"), (r"\## tool (x) · m1", r"\\## tool (x) · m1"), ("a\n```json tool\nb", "a\n\\```json tool\nb"),
        ("`````json meta ", "\\`````json meta "), ("a\0b", r"a\u{0}b"), ("\x1b[31mred", r"\u{1b}[31mred"), ("a\rb\r", r"a\u{d}b\u{d}"), ("\ud800", r"\u{d800}"),
        (r"\u{0}", r"\u{5c}u{0}"), (r"\\u{5c}", r"\\u{5c}u{5c}"), ("\x85\x9b", r"\u{85}\u{9b}"), (r"\u{}", r"\u{5c}u{}"),
    ],
)  # fmt: skip
def test_what_would_be_misread_is_escaped_visibly(text: str, written: str) -> None:
    assert encode([Message("m1", "user", text)]) == f"## user · m1\n{written}\n".encode()


@pytest.mark.parametrize(
    ("ident", "written"),
    [
        ("D3:12", "D3:12"), ("0b9c2a56-6f0e-4a3e-9d5b-6a7f0b1c2d3e", "0b9c2a56-6f0e-4a3e-9d5b-6a7f0b1c2d3e"), ("two words", "two words"), ("(x)", "(x)"),
        ("a · b", r"a \u{b7} b"), ("Marcel·la", "Marcel·la"), ("a\nb", r"a\u{a}b"), (" a ", r"\u{20}a\u{20}"), ("", r"\u{}"), ("·", r"\u{b7}"), (r"a\b", r"a\b"),
    ],
)  # fmt: skip
def test_foreign_ids_and_names_are_kept(ident: str, written: str) -> None:
    messages = (Message(ident, "user", "x", at=ident), Message("m2", "user", "y", ident))

    assert encode(messages[:1]).decode().partition("\n")[0] == f"## user · {written}" + (f" · {written}" if ident else "")
    assert decode(encode(messages)) == messages
    assert list(lines(encode(messages))) == [ident, "m2"]


def test_json_in_a_fence_is_json_for_every_program() -> None:
    value = "\ud800 \x7f \\u{0} \u2028 ```"
    data = encode([Message("m1", "tool", "", tools=(ToolCall("x", value),))]).decode("utf-8")

    assert "\\ud800 \\u007f \\u005cu{0} \u2028 ```" in data
    assert decode(data.encode())[0].tools[0].arguments == value


def test_git_and_grep_take_it_as_text(tmp_path: Path) -> None:
    def run(*command: str) -> str:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, encoding="utf-8").stdout

    run("git", "init", "-q")
    messages = [Message("m1", "user", "nul \0 half \ud800 bell \a\nuse pnpm, from today on\n", tools=(ToolCall("x", "\0"),))]
    (tmp_path / "a.md").write_bytes(encode(messages))
    run("git", "add", "a.md")

    assert run("git", "diff", "--cached", "--numstat") == "11\t0\ta.md\n"
    assert run("git", "grep", "--cached", "-n", "use pnpm, from today on") == "a.md:3:use pnpm, from today on\n"


# an editor was here


def test_line_ends_changed_by_an_editor_are_changed_back() -> None:
    messages = (Message("m1", "user", "a\n\n## b\n## tool · x", tools=(ToolCall("x", {"a": "b"}),)), Message("m2", "assistant", "c", "Ada", "2026"))

    assert decode(encode(messages).replace(b"\n", b"\r\n")) == messages


def test_small_edits_do_not_stop_reading() -> None:
    def read(data: str) -> list[tuple[str, str, str]]:
        return [(message.id, message.text, message.at) for message in decode(data.encode())]

    assert read("## user · m1\ntext") == [("m1", "text", "")]
    assert read("\ufeff\n\n## user · m1  \ntext\n\n") == [("m1", "text\n", "")]
    assert read("## user · m1\n## user · m2 · 2026\t\nb\n## user · m3\n\n") == [("m1", "", ""), ("m2", "b", "2026"), ("m3", "", "")]
    assert read('## user · m1\na\n```json tool\n{"name": "x"}\n```  \n\n\nmore\n\n```json meta\n{}\n```\nend\n') == [("m1", "a\n\nmore\n\nend", "")]
    assert read('## user · m1\n```json tool\n{"name": "x"}\n```\n\n\n\n') == [("m1", "", "")]
    assert read("## user · m1\na\n## user\nb\n## someone · m2\n") == [("m1", "a\n## user\nb\n## someone · m2", "")]


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        (b"\n\nhello\n## user \xc2\xb7 m1\n", 3, "before the first message"), (b"hello", 1, "before the first message"), (b"## user \xc2\xb7 m1\na\n\xff\n", 3, "not UTF-8"),
        ("## user · m1\n\n## user ·  \n".encode()[:-1], 3, "role"), ("## user · m1 · 2026 · x\n".encode(), 1, "role"),
        ("## user · m1\n```json tool\n{}\n".encode(), 2, "not closed"), ("## user · m1\na\n\n````json tool\n{}\n```\n".encode(), 4, "not closed"),
        ("## user · m1\n```json tool\n{}\n````\n".encode(), 2, "not closed"), ("## user · m1\n```json tool\n{\n  'a'\n}\n```\n".encode(), 4, "not JSON"),
        ("## user · m1\n```json tool\n{}\n```\n".encode(), 2, "without a name"), ("## user · m1\n```json tool\n[]\n```\n".encode(), 2, "no object"),
        ("## user · m1\n```json meta\n{\"a\": NaN}\n```\n".encode(), 2, "NaN"), ("## user · m1\n```json meta\n{\"a\": ".encode() + b"[" * 100_000 + b"\n```\n", 2, "not JSON"),
        ("## user · m1\n```json meta\n{\"a\": ".encode() + b"9" * 5000 + b"}\n```\n", 2, "not JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_line(data: bytes, line: int, says: str) -> None:
    with pytest.raises(Malformed, match=says) as refusal:
        decode(data, "active/tails/a.md", first_line=11)

    assert (refusal.value.path, refusal.value.line) == ("active/tails/a.md", line + 10)


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "message",
    [
        Message("m1", "human", ""), Message("m1", "", ""), Message("m1", "tool", "", tools=(ToolCall("x", float("nan")),)),
        Message("m1", "tool", "", tools=(ToolCall("x", None, [float("inf")]),)), Message("m1", "user", "", meta={"a": {1, 2}}), Message("m1", "user", "", meta={"a": b""}),
        Message("m1", "user", "", meta={"a": deep(MAX_DEPTH)}), Message("m1", "user", "", meta={"a": deep(100_000)}), Message("m1", "user", "", meta={"a": 10**5000}),
    ],
    ids=range(9),
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_before_it_is_written(message: Message) -> None:
    with pytest.raises(Malformed, match="message 'm1'"):
        encode([message])


def test_nesting_up_to_the_limit_is_kept() -> None:
    messages = (Message("m1", "user", "", meta={"a": deep(MAX_DEPTH - 1)}),)

    assert decode(encode(messages)) == messages


@pytest.mark.parametrize(
    ("unit", "megabytes"),
    [("some words to read\n", 10), ("## user · m1\n", 10), ("中文", 10), ("\n", 2), ("\\", 2), ("`", 2), ("\\u{5c}", 1), ("## user (", 1), ("```json tool\n", 1), ("word\r", 1), ("\0", 1)],
)  # fmt: skip
def test_a_huge_text_takes_linear_time(unit: str, megabytes: int) -> None:
    text = unit * (megabytes * 1_000_000 // len(unit.encode()))
    messages = (Message("m1", "user", text), Message("m2", "user", "end"))
    started = time.perf_counter()

    data = encode(messages)

    assert decode(data) == messages
    assert lines(data)["m2"][0] > 2
    assert time.perf_counter() - started < 20  # it is one or two; quadratic time would be hours


def test_many_messages_take_linear_time() -> None:
    messages = tuple(Message(f"m{number}", "tool", "x", tools=(ToolCall("x", number),) * 2) for number in range(5000))
    started = time.perf_counter()

    assert decode(encode(messages)) == messages
    assert len(lines(encode(messages))) == 5000
    assert time.perf_counter() - started < 10
