"""What people and programs read: safe to show, aligned, and the same facts in both."""

from __future__ import annotations

import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.model import AGENT, Commit, Hit, Problem
from strata.render import jsontext
from strata.render.screen import Screen
from strata.render.text import text
from strata.render.values import Listing, Patch, Reply
from strata.render.visible import fit, one_line, visible, width, wrapped
from strata.render.words import count, listed, size
from strata.results import Added, Appended, Created, Ingested, Redaction, Row, Shown, Status

HOSTILE = "\x1b[2J\x1b[1;1HOK\x1b[8m \x1b]52;c;eA==\x07 x\ry \u202egnp.exe\u2066 \x7f\x85\x9b31m \ud800 \u2028 \U000e0041"
PIPE = Screen()
STEERING = {"Cc", "Cs", "Zl", "Zp"}


def steers(shown: str) -> list[str]:
    """The characters of a text that could steer a terminal or the reading order."""
    bidi = {"\u200e", "\u200f", "\u061c", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}
    return [char for char in shown if char in bidi or (unicodedata.category(char) in STEERING and char not in "\t\n")]


@given(st.text(st.characters(categories=("C", "Z", "L", "M"))) | st.text())
def test_nothing_that_steers_is_ever_shown(hostile: str) -> None:
    assert [] == steers(visible(hostile))
    assert [] == steers(one_line(hostile))
    assert "\n" not in one_line(hostile)
    assert [] == steers(jsontext.dumps(hostile))


@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs"))))
def test_harmless_text_is_shown_as_it_is(harmless: str) -> None:
    assert harmless == visible(harmless)


def test_hidden_characters_are_spelled_out() -> None:
    assert r"\x1b[2J a\rb \u202ec \u2066 \x7f \ud800 \U000e0041" == visible("\x1b[2J a\rb \u202ec \u2066 \x7f \ud800 \U000e0041")
    assert "a\tb\nc\nd" == visible("a\tb\nc\r\nd")
    assert "a b c" == one_line("a\tb\n\n c")
    assert "👩\u200d🚀 می\u200cخواهم" == visible("👩\u200d🚀 می\u200cخواهم")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_means_what_it_was_given(value: object) -> None:
    line = jsontext.dumps(value)

    assert value == json.loads(line)
    assert value == json.loads(jsontext.dumps(value, ascii_only=True))
    assert line.encode("utf-8").count(b"\n") == 0


def hit(**changes: object) -> Hit:
    facts = dict(ref="blk-20261130-aaaaab#m3", kind="message", tier="active", path="active/b.md", title="Choosing", at="2026-11-30T11:50:02Z", snippet="use pnpm now", score=1.5)
    return Hit(**{**facts, "thread": "main", "message": "m3", "speaker": "Jo", **changes})  # type: ignore[arg-type]


def test_lists_are_json_lines_and_an_empty_one_is_nothing() -> None:
    listing = Listing([hit(), hit(message="m4")], empty="nothing", query="pnpm")

    lines = list(jsontext.lines(listing))

    keys = ["ref", "kind", "tier", "path", "title", "at", "snippet", "score", "thread", "message", "speaker", "status", "counterpart", "why"]
    assert [keys, keys] == [list(json.loads(line)) for line in lines]
    assert [] == list(jsontext.lines(Listing([], empty="nothing")))
    assert ["5"] == list(jsontext.lines(Reply(5, "five")))
    assert ['"-a"'] == list(jsontext.lines(Patch("-a")))


@pytest.mark.parametrize(
    "value",
    [
        Listing([hit(title=HOSTILE, snippet=HOSTILE, speaker=HOSTILE, ref=HOSTILE, at=HOSTILE)], empty="", query="x"),
        Listing([Row(HOSTILE, "note", "active", HOSTILE, HOSTILE, HOSTILE)], empty=""),
        Listing([Commit("0" * 40, "2026-11-30T12:00:00Z", AGENT, HOSTILE)], empty=""),
        Listing([Problem("error", HOSTILE, HOSTILE, HOSTILE)], empty=""),
        Listing([], empty=f"No hits for {HOSTILE}"),
        Shown(HOSTILE, "event", "active", HOSTILE, HOSTILE, HOSTILE, header={HOSTILE: HOSTILE, "tags": [HOSTILE]}),
        Added(HOSTILE, HOSTILE, "1" * 40, "", (Redaction(HOSTILE, 2, "replaced"),)),
        Created(HOSTILE, True, "", HOSTILE),
        Ingested("jsonl", 1, 1, 0, (HOSTILE,), (), {HOSTILE: 1}, (HOSTILE,)),
        Status(HOSTILE, {}, {HOSTILE: 1}, (HOSTILE,), ((HOSTILE, HOSTILE),), "", HOSTILE, 1, HOSTILE, HOSTILE, 1, 1, HOSTILE),
        Patch(f"+{HOSTILE}\n-{HOSTILE}\n"),
        HOSTILE,
        {"any": HOSTILE},
    ],
)
def test_stored_text_is_spelled_out_in_every_kind_of_result(value: object) -> None:
    assert [] == steers(text(value, PIPE))
    assert "\x1b" not in text(value, Screen(80))
    assert [] == [line for line in jsontext.lines(value) if steers(line)]


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    rows = [("日本語", "first"), ("e\u0301a", "second"), ("plain", "third")]

    lines = PIPE.table(rows, ("", ""))

    assert {8} == {width(line.rpartition("  ")[0]) + 2 for line in lines}
    assert ["  1  a", "100  b"] == PIPE.table([("1", "a"), ("100", "b")], ("", ""), right=[0])
    assert ["a  c", "b"] == PIPE.table([("a", "", "c"), ("b", "", "")], ("", "", ""))


def test_a_terminal_cuts_and_wraps_where_a_pipe_does_not() -> None:
    long = "word " * 60
    listing = Listing([hit(title=long, snippet=long)], empty="", query="word")
    rows = Listing([Row("notes/a", "note", "active", "a.md", long, "2026-11-30")], empty="")

    assert 2 == len(text(listing, PIPE).split("\n"))
    assert all(width(line) <= 60 for line in text(listing, Screen(60)).split("\n")[1:])
    assert 60 == len(text(rows, Screen(60)).rstrip("…").ljust(60))
    assert text(rows, Screen(60)).endswith("…")
    assert text(rows, PIPE).endswith("word word")


@given(st.text(max_size=80), st.integers(2, 30))
def test_cut_text_fits(words: str, columns: int) -> None:
    assert width(fit(words, columns)) <= columns
    assert all(width(line) <= columns for line in wrapped(one_line(words), columns))
    assert one_line(words).replace(" ", "") == "".join(wrapped(one_line(words), columns)).replace(" ", "")


def test_what_matched_is_marked_in_colour() -> None:
    shown = text(Listing([hit()], empty="", query="PNPM"), Screen(80, colours=True))

    assert "use \x1b[1;33mpnpm\x1b[0m now" in shown
    assert "\x1b" not in text(Listing([hit()], empty="", query="pnpm"), PIPE)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "stream, environment, colours, columns",
    [
        (Terminal(), {}, True, 80),
        (Terminal(), {"COLUMNS": "50"}, True, 50),
        (Terminal(), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, 80),
        (Terminal(), {"NO_COLOR": ""}, True, 80),
        (Terminal(), {"TERM": "dumb"}, False, 80),
        (io.StringIO(), {}, False, None),
        (io.StringIO(), {"FORCE_COLOR": "1", "COLUMNS": "50"}, True, None),
        (io.StringIO(), {"FORCE_COLOR": "0"}, False, None),
    ],
)
def test_colours_and_width_follow_terminal_and_environment(stream: io.StringIO, environment: dict[str, str], colours: bool, columns: int | None) -> None:
    screen = Screen.of(stream, environment)

    assert (colours, columns) == (screen.colours, screen.columns)


def test_numbers_read_well() -> None:
    assert ["1 turn", "1,204 turns", "0 entities"] == [count(1, "turn"), count(1204, "turn"), count(0, "entity", "entities")]
    assert ["999 B", "1.0 kB", "9.9 kB", "10 kB", "1.0 MB", "23 MB"] == [size(n) for n in (999, 1000, 9900, 9999, 1_000_000, 23_000_000)]
    assert ["a, b", "a, b and 1,000 more"] == [listed(["a", "b"]), listed(["a", "b", *["c"] * 1000], 2)]


def test_what_was_found_of_secrets_is_said() -> None:
    done = Appended(2, 0, commit="1" * 40, redacted=(Redaction("github token", 1, "replaced"), Redaction("password", 2, "replaced")))

    assert "3 secrets replaced before anything was written: github token, password ×2" in text(done, PIPE)


def test_a_title_that_opens_the_text_is_not_said_twice() -> None:
    note = Shown("notes/a", "note", "active", "active/notes/a.md", "Ship on Friday.", "# Ship on Friday.\n\nMore.\n")

    assert 1 == text(note, PIPE).count("Ship on Friday.")
