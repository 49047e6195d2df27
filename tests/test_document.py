"""Frontmatter: what is read, what a change touches, and that no byte is lost."""

from __future__ import annotations

import json
import os
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile import EXAMPLES, fields, without_surrogates
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from strata.document import BOM, MAX_HEADER, Document
from strata.errors import Malformed

CASES = Path(__file__).parent / "documents"

Header = dict[str, Any]


def a_header_and_a_body(texts: list[str]) -> tuple[Header, bytes]:
    """Keys and values by turns; every third value is a list; the first text is the body."""
    body, *texts = map(without_surrogates, texts)
    values = texts[1::2]
    lists = [value if number % 3 else value.split(" ") for number, value in enumerate(values)]
    return dict(zip(texts[::2], lists)), body.encode("utf-8")


documents = fields(5).map(a_header_and_a_body)


def case(name: str, part: str) -> Any:
    file = CASES / f"{name}.{part}"
    return json.loads(file.read_bytes()) if file.exists() else None


@pytest.mark.parametrize("name", sorted(file.name.removesuffix(".in.md") for file in CASES.glob("*.in.md")))
def test_a_change_to_a_file_gives_exactly_the_expected_file(name: str) -> None:
    data = (CASES / f"{name}.in.md").read_bytes()
    changes, problem, expected_header = case(name, "set"), case(name, "problem"), case(name, "header")

    document = Document.parse(data, "active/notes/a.md")

    assert document.data == data
    if expected_header is not None:
        assert list(document.header.items()) == list(expected_header.items())
    if problem is None:
        changed = document.with_values(changes)
        assert changed.data == (CASES / f"{name}.out.md").read_bytes()
        assert changed.body == document.body
        assert changed.with_values(changes).data == changed.data
        return
    with pytest.raises(Malformed) as refusal:
        document.with_values(changes)
    assert refusal.value.path == "active/notes/a.md"
    assert refusal.value.line == problem["line"]
    assert problem["says"] in refusal.value.message
    if expected_header is None:
        assert document.problem is refusal.value
        assert (document.header, document.body) == ({}, data)


def test_the_cases_are_found_and_complete() -> None:
    names = {file.name.removesuffix(".in.md") for file in CASES.glob("*.in.md")}
    assert len(names) > 40
    for name in names:
        assert (CASES / f"{name}.set").exists()
        assert (CASES / f"{name}.out.md").exists() != (CASES / f"{name}.problem").exists()


# laws


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents)
def test_what_is_written_is_read_back(drawn: tuple[Header, bytes]) -> None:
    header, body = drawn

    document = Document.parse(Document.new(header, body).data)

    assert document.header == header
    assert list(document.header) == list(header)
    assert document.body == body
    assert document.problem is None


@settings(max_examples=1000, deadline=None)
@given(fields(4), st.binary(max_size=8))
def test_reading_never_fails_and_keeps_every_byte(texts: list[str], more: bytes) -> None:
    inside = "\n".join(texts).encode("utf-8", "surrogatepass") + more
    for file in (inside, b"---\n" + inside, b"---\n" + inside + b"\n---\n" + inside, b"---\nkey: " + inside + b"\n---\n"):
        document = Document.parse(file)

        assert document.data == file
        assert file.endswith(document.body)
        if not document.has_header:
            assert document.body == file.removeprefix(BOM)


@settings(max_examples=500, deadline=None)
@given(documents, documents, st.integers(0, 5))
def test_a_change_touches_the_lines_of_its_key_alone(drawn: tuple[Header, bytes], other: tuple[Header, bytes], pick: int) -> None:
    header, body = {"first": "1", **drawn[0], "last": "z"}, drawn[1]
    key, new = next(iter(other[0].items()), ("new", None))
    key = [*header, key][pick % (len(header) + 1)]
    document = Document.new(header, body)

    changed = document.with_values({key: new})

    assert changed.header.get(key) == new
    assert changed.body == body
    before, after = (file.data[: len(file.data) - len(body)].split(b"\n") for file in (document, changed))
    start = (document.line_of(key) or len(before) - 1) - 1
    following = [line for other in header if (line := document.line_of(other) or 0) > start + 1]
    rest = before[min(following, default=len(before) - 1) - 1 :]
    assert after[:start] == before[:start]
    assert after[len(after) - len(rest) :] == rest


@settings(max_examples=500, deadline=None)
@given(documents, documents, st.integers(0, 5))
def test_changing_a_key_on_one_line_and_back_restores_the_bytes(drawn: tuple[Header, bytes], other: tuple[Header, bytes], pick: int) -> None:
    header, body = drawn
    assume(header)
    document = Document.new(header, body)
    key = list(header)[pick % len(header)]
    line = document.line_of(key) or 0
    assume(not document.data.split(b"\n")[line].startswith(b"  -"))

    for new in other[0].values():
        assert document.with_values({key: new}).with_values({key: header[key]}).data == document.data


@pytest.mark.parametrize(
    ("written", "new"),
    [
        ("'single'", "other"), ("'it''s'", "no"), ('"double"', "two words"), ('"a: b"', "a"), ("007", "1.11"), ("1.10  # why", "no"), ("  word", "a: b"),
        ("[a, b] # c", ["x: y"]), ("[]", ["long words, with a comma"]), ("2026-05-20", "no"), ("wörter und mehr # c", "null"),
    ],
)  # fmt: skip
def test_changing_a_handwritten_line_and_back_restores_it(written: str, new: Any) -> None:
    data = f"---\na: 1\nkey: {written}\nz: 1\n---\n".encode()
    document = Document.parse(data)

    changed = document.with_values({"key": new})

    assert changed.header["key"] == new
    assert changed.set(key=document.header["key"]).data == data


@pytest.mark.parametrize("written", ["plain", "007", "'single'", '"double"', "|\n  literal", ">-\n  folded", "\n  below", "[a]", "\n  - item", "", "~", "{a: b}", "!!str 1", "two\n  lines"])
@pytest.mark.parametrize("new", ["null", "~", "a\nb", "it's", "1.10", "- a", "\x1b", " ", "'", '"', "\\", "", ["", "a b"], ["null"], [], {"a": "null"}])
def test_any_value_can_take_the_place_of_any_other(written: str, new: Any) -> None:
    document = Document.parse(f"---\na: 1\nkey: {written}\nz: 1  # c\n---\n".encode())

    changed = document.set(key=new)

    assert changed.header == {"a": "1", "key": new, "z": "1"}
    assert changed.data.endswith(b"\nz: 1  # c\n---\n")


@settings(max_examples=500, deadline=None)
@given(fields(6))
def test_other_parsers_read_the_same_texts(texts: list[str]) -> None:
    header = {f"key{number}": without_surrogates(text) for number, text in enumerate(texts)}
    inner = Document.new(header, b"").data.removeprefix(b"---\n").removesuffix(b"---\n")

    for loader in (yaml.CSafeLoader, yaml.SafeLoader):
        read = yaml.load(inner, Loader=loader)
        assert list(read) == list(header)
        for key, text in header.items():
            assert isinstance(read[key], date) or read[key] == (text or None)


def test_the_slower_parser_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [(CASES / name).read_bytes() for name in os.listdir(CASES) if name.endswith(".md")]
    fast = [Document.parse(data) for data in files]
    monkeypatch.delattr(yaml, "CBaseLoader")

    for quick, data in zip(fast, files):
        slow = Document.parse(data)
        assert slow.header == quick.header
        assert bool(slow.problem) == bool(quick.problem)
        assert [slow.line_of(key) for key in slow.header] == [quick.line_of(key) for key in quick.header]


# reading


def test_values_are_asked_for_by_shape() -> None:
    document = Document.parse(b"---\ntitle: T\nblank:\ntags: [a, [b], c]\none: a, b\nmap: {a: b}\npinned: Yes\nfalse: off\n---\n")

    assert document.text("title") == "T"
    assert document.text("blank", "default") == "default"
    assert document.text("tags", "default") == "default"
    assert document.list("tags") == ["a", "c"]
    assert document.list("one") == ["a, b"]
    assert document.list("blank") == document.list("missing") == document.list("map") == []
    assert document.flag("pinned")
    assert not document.flag("false")
    assert not document.flag("missing")


def test_lines_are_those_of_the_file() -> None:
    document = Document.parse(BOM + b"---\r\na: |\r\n  x\r\n\r\n# c\r\nb: 1\r\n---\r\nbody\r\n")

    assert document.line_of("a") == 2
    assert document.line_of("b") == 6
    assert document.line_of("c") is None
    assert document.body_line == 8
    assert Document.parse(b"---\na: 1\n---").body_line == 4
    assert Document.parse(b"text").body_line == 1


def test_another_body_keeps_the_header_byte_for_byte() -> None:
    head = BOM + b"---\r\na:   1 # c\n---"

    assert Document.parse(head).with_body(b"new").data == head + b"\nnew"
    assert Document.parse(head + b"\r\nold").with_body(b"---\nnew").data == head + b"\r\n---\nnew"
    assert Document.parse(b"old").with_body(b"new").data == b"new"
    assert Document.parse(b"old").with_body(b"---\na: 1\n---\n").body == b"---\na: 1\n---\n"


def test_without_keys_there_is_no_header_unless_the_body_needs_one() -> None:
    assert Document.new({}, b"text").data == b"text"
    assert Document.new({}, b"---\na: 1\n---\n").data == b"---\n---\n---\na: 1\n---\n"
    assert Document.new({}, BOM + b"text").body == BOM + b"text"


def test_numbers_dates_and_lists_are_written_as_a_person_would() -> None:
    header = {
        "id": "blk-20261130-7f3akq", "first_turn": 1, "share": 0.9, "pinned": False, "day": date(2026, 5, 20), "at": "2026-11-30T12:00:00Z",
        "blank": "", "none": None, "tags": ["kynd", "tooling"], "messages": ["D3:12", "m3"], "supersedes": [],
        "keypoints": ["the project uses pnpm (m3)", ""], "quote": "\"from today on\"", "many": ["word"] * 30,
    }  # fmt: skip

    lines = Document.new(header, b"").data.decode().splitlines()

    assert lines[:18] == [
        "---", "id: blk-20261130-7f3akq", "first_turn: 1", "share: 0.9", "pinned: false", "day: 2026-05-20", "at: 2026-11-30T12:00:00Z",
        "blank:", "none:", "tags: [kynd, tooling]", "messages: [D3:12, m3]", "supersedes: []", "keypoints:", "  - the project uses pnpm (m3)", '  - ""',
        'quote: "\\"from today on\\""', "many:", "  - word",
    ]  # fmt: skip


# limits


@pytest.mark.parametrize(
    "inside",
    [
        "a: " + "[" * 100_000, "a: " + "{" * 100_000, "a:\n  " + "- " * 100_000,
        "a: &a x\nb: [" + "*a , " * 40_000 + "]", "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]", "a: &a [*a]", "a: *nobody", "a: {[b]: c}", "a: " + "b" * MAX_HEADER,
        "a: " + "x: " * 60_000, "a: '" + "x\n" * 100_000, "a: 1\n--- text", "a: 1\n%YAML 9.9", "a: \t\tb: c: d",
    ],
    ids=lambda inside: inside[:16].encode("unicode_escape").decode(),
)  # fmt: skip
def test_a_hostile_header_is_answered_at_once(inside: str) -> None:
    started = time.perf_counter()

    document = Document.parse(f"---\n{inside}\n---\nbody\n".encode(), "a.md")

    assert time.perf_counter() - started < 1
    assert document.problem is not None
    assert 2 <= (document.problem.line or 0) <= 3 + inside.count("\n")


@pytest.mark.parametrize("inside", ["a: [" + "[], " * 50_000 + "]", "a: '" + "x\n" * 50_000 + "'", "a: |\n" + "  x\n" * 50_000, "".join(f"k{n}: v\n" for n in range(20_000)), "#\n" * 100_000])
def test_a_large_header_is_read_at_once(inside: str) -> None:
    started = time.perf_counter()

    document = Document.parse(f"---\n{inside}\n---\nbody\n".encode())

    assert time.perf_counter() - started < 1
    assert document.has_header
    assert document.set(z="1").body == b"body\n"


@pytest.mark.parametrize("inside", ["[" * 100_000, "- " * 100_000, "? " * 100_000, "word " * 50_000, "*x " * 50_000])
def test_hostile_prose_between_rules_is_no_header(inside: str) -> None:
    document = Document.parse(f"---\n{inside}\n---\nbody\n".encode())

    assert document.problem is None
    assert not document.has_header


def test_deep_but_reasonable_nesting_is_read() -> None:
    document = Document.parse(b"---\na: " + b"[" * 19 + b"x" + b"]" * 19 + b"\n---\n")

    assert document.problem is None
    assert Document.parse(b"---\na: " + b"[" * 20 + b"x" + b"]" * 20 + b"\n---\n").problem is not None


@pytest.mark.parametrize(("header", "says"), [({"a": "\ud800"}, "surrogate"), ({"\udfff": "a"}, "surrogate"), ({"a": object()}, "cannot hold"), ({"k" * 2000: "a"}, "1,000 characters"), ({"a": "x" * MAX_HEADER}, "larger"), ({"a": ["x\ud800"]}, "surrogate")])
def test_what_yaml_cannot_hold_is_refused(header: dict[str, Any], says: str) -> None:
    with pytest.raises(Malformed, match=says):
        Document.new(header, b"")
    with pytest.raises(Malformed, match=says):
        Document.parse(b"---\nz: 1\n---\n").with_values(header)
