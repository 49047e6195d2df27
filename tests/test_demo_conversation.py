"""The bundled demo conversation keeps what the tour and the search tests rely on."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, timedelta, timezone
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import strata.demo

RAW = resources.files(strata.demo).joinpath("conversation.jsonl").read_bytes()
MESSAGES: list[dict[str, Any]] = [json.loads(line) for line in RAW.decode("utf-8").splitlines()]
BY_ID = {message["id"]: message for message in MESSAGES}
QUESTIONS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "demo_questions.json").read_text(encoding="utf-8")
)
KIOSK, HOME = "kiosk", "家和旅行"
BLOCK_TURNS = 12

SUMMER_TIME_ENDS = datetime(2026, 10, 25, 1, tzinfo=timezone.utc)
SUMMER, WINTER, CHENGDU = timedelta(hours=2), timedelta(hours=1), timedelta(hours=8)

TOKEN = re.compile(r"ghp_[A-Za-z0-9]{36}(?![A-Za-z0-9])")
OTHER_SECRETS = re.compile(
    r"-----BEGIN|\bAKIA[0-9A-Z]{16}|\bsk-[\w-]{16,}|\bgh[ousr]_\w{20,}|github_pat_|xox[bap]-"
    r"|://[^\s/:@]+:[^\s/@]+@|(?i:\bbearer\s+\S{12,}|passw(or)?d\s*[:=])"
)
CHINESE = re.compile("[\u4e00-\u9fff]")
FENCE = re.compile(r"```\n.*?\n```", re.DOTALL)


def thread(name: str) -> list[dict[str, Any]]:
    return [message for message in MESSAGES if message["thread"] == name]


def turns(name: str) -> list[list[dict[str, Any]]]:
    grouped: list[list[dict[str, Any]]] = []
    for message in thread(name):
        if message["role"] == "user":
            grouped.append([])
        grouped[-1].append(message)
    return grouped


def moment(message: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(message["at"])


def tool_calls(name: str) -> list[dict[str, Any]]:
    return [call for message in thread(name) for call in message.get("tools", [])]


def test_the_file_is_plain_utf8_json_lines() -> None:
    lines = RAW.decode("utf-8").split("\n")

    assert not RAW.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in RAW
    assert b"\\u4e" not in RAW, "Chinese stays readable, not escaped"
    assert lines[-1] == "", "the last line is complete"
    assert len(lines) - 1 == len(MESSAGES)


def test_every_line_has_the_shape_that_append_takes() -> None:
    required, optional = {"thread", "id", "role", "text", "at"}, {"speaker", "tools", "meta"}
    for message in MESSAGES:
        assert required <= set(message) <= required | optional, message["id"]
        assert message["role"] in ("user", "assistant")
        assert message["text"] == message["text"].strip() != ""
        assert (message["role"] == "user") == ("speaker" in message), message["id"]
        assert isinstance(message.get("meta", {}), dict)
        for call in message.get("tools", []):
            assert {"name", "arguments", "result"} == set(call), message["id"]
            assert message["role"] == "assistant"


@pytest.mark.parametrize(("name", "letter"), [(KIOSK, "k"), (HOME, "h")])
def test_ids_count_up_within_their_thread(name: str, letter: str) -> None:
    assert [f"{letter}{n:03d}" for n in range(1, len(thread(name)) + 1)] == [m["id"] for m in thread(name)]


def test_there_are_two_threads_and_enough_turns_for_blocks_and_a_tail() -> None:
    assert [KIOSK, HOME] == list(dict.fromkeys(message["thread"] for message in MESSAGES))
    assert (44, 28) == (len(turns(KIOSK)), len(turns(HOME)))
    assert (8, 4) == (len(turns(KIOSK)) % BLOCK_TURNS, len(turns(HOME)) % BLOCK_TURNS)


@pytest.mark.parametrize("name", [KIOSK, HOME])
def test_time_only_moves_forward(name: str) -> None:
    moments = [moment(message) for message in thread(name)]

    assert all(earlier < later for earlier, later in zip(moments, moments[1:], strict=False))


def test_offsets_follow_central_europe_through_the_end_of_summer_time() -> None:
    for message in MESSAGES:
        if message.get("speaker") != "Lin":
            expected = SUMMER if moment(message) < SUMMER_TIME_ENDS else WINTER
            assert expected == moment(message).utcoffset(), message["id"]
    assert {SUMMER, WINTER} == {moment(message).utcoffset() for message in thread(KIOSK)}
    assert any(moment(message).date() == SUMMER_TIME_ENDS.date() for message in thread(KIOSK))


def test_lin_writes_from_chengdu() -> None:
    assert {CHENGDU} == {moment(m).utcoffset() for m in MESSAGES if m.get("speaker") == "Lin"}
    assert {"Jo", "Lin"} == {m["speaker"] for m in thread(HOME) if "speaker" in m}


def test_the_kiosk_takes_five_weeks() -> None:
    first, last = moment(thread(KIOSK)[0]), moment(thread(KIOSK)[-1])

    assert (date(2026, 10, 5), date(2026, 11, 9)) == (first.date(), last.date())


def test_exactly_one_fake_token_hides_in_a_tool_result() -> None:
    results = [call["result"] for call in tool_calls(KIOSK) if TOKEN.search(str(call["result"]))]

    assert 1 == len(results) == len(TOKEN.findall(RAW.decode("utf-8")))
    assert "NotARealToken" in results[0]


def test_nothing_else_looks_like_a_secret_or_a_real_machine() -> None:
    text = RAW.decode("utf-8")

    assert not (found := OTHER_SECRETS.search(text)), found
    assert not (found := re.search(r"/(home|root|Users|tmp|work)/", text)), found


def test_the_agent_uses_realistic_tools_with_readable_results() -> None:
    results = "\n".join(str(call["result"]) for call in tool_calls(KIOSK))

    assert {"Bash", "Read", "Edit", "Write", "Grep"} == {call["name"] for call in tool_calls(KIOSK)}
    for shown in ("Traceback (most recent call last)", "1 failed", "UnicodeEncodeError", "ECONNREFUSED", "code: '23505'"):
        assert shown in results


def test_the_same_long_stack_trace_is_pasted_twice_within_one_block() -> None:
    pastes = [
        (number // BLOCK_TURNS, paste)
        for number, turn in enumerate(turns(KIOSK))
        for paste in FENCE.findall(turn[0]["text"])
    ]

    assert 2 == len(pastes)
    assert pastes[0] == pastes[1]
    assert len(pastes[0][1]) > 800
    assert "SQLITE_BUSY" in pastes[0][1]


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        ("k003", "k024", "Let's use npm", "Use pnpm for this project from today on"),
        ("k003", "k040", "one SQLite file", "we move from the SQLite file to PostgreSQL 17"),
        ("h002", "h022", "18 to 24 March 2027", "Lisbon moves from March to May: 1 to 7 May 2027"),
    ],
)
def test_decisions_are_corrected_later(before: str, after: str, old: str, new: str) -> None:
    assert old in BY_ID[before]["text"]
    assert new in BY_ID[after]["text"]
    assert moment(BY_ID[before]) < moment(BY_ID[after])


def test_the_move_to_postgres_gives_its_reason() -> None:
    assert "The reason is that three machines write at the same moment" in BY_ID["k040"]["text"]


def test_a_preference_is_stated_once_and_kept_a_month_later() -> None:
    assert "never force-push to main" in BY_ID["k007"]["text"]
    assert "you ruled that out for main" in BY_ID["k074"]["text"]
    assert timedelta(days=28) < moment(BY_ID["k074"]) - moment(BY_ID["k007"])


@pytest.mark.parametrize(
    ("said_in", "words", "day"),
    [
        ("k017", "last Friday", date(2026, 10, 9)),
        ("k019", "next Tuesday", date(2026, 10, 20)),
        ("k065", "the day after tomorrow", date(2026, 11, 5)),
        ("k080", "Two weeks ago", date(2026, 10, 24)),
        ("k080", "Next Saturday", date(2026, 11, 14)),
        ("h009", "后天", date(2026, 10, 19)),
        ("h011", "tomorrow", date(2026, 10, 19)),
        ("h020", "上周五", date(2026, 10, 23)),
        ("h027", "the day after tomorrow", date(2026, 10, 31)),
        ("h032", "hier soir", date(2026, 10, 31)),
        ("h040", "昨天", date(2026, 11, 7)),
        ("h040", "前天", date(2026, 11, 6)),
        ("h040", "两周以后", date(2026, 11, 22)),
    ],
)
def test_relative_dates_point_to_the_day_the_story_needs(said_in: str, words: str, day: date) -> None:
    """Counted from the sender's own date: days for "tomorrow" and its like, the weekday for a named day."""
    said = moment(BY_ID[said_in]).date()
    days = {"tomorrow": 1, "the day after tomorrow": 2, "后天": 2, "hier soir": -1, "昨天": -1, "前天": -2}
    weeks = {"Two weeks ago": -2, "两周以后": 2}
    friday, tuesday, saturday = 4, 1, 5
    weekdays = {"last Friday": friday, "next Tuesday": tuesday, "Next Saturday": saturday, "上周五": friday}

    assert words in BY_ID[said_in]["text"]
    if words in days:
        assert said + timedelta(days=days[words]) == day
    elif words in weeks:
        assert said + timedelta(weeks=weeks[words]) == day
    else:
        assert weekdays[words] == day.weekday()
        assert 0 < abs((day - said).days) <= 7
        assert (day < said) == (words in ("last Friday", "上周五"))


def test_last_week_and_next_month_are_said_in_chinese() -> None:
    text = "".join(message["text"] for message in thread(HOME))

    assert all(words in text for words in ("上周", "下个月", "下周", "上个周末", "明年"))


@pytest.mark.parametrize(
    ("said_in", "words", "days"),
    [
        ("k020", "Tuesday 20 October", [date(2026, 10, 20)]),
        ("h002", "18 to 24 March 2027, Thursday to Wednesday", [date(2027, 3, 18), date(2027, 3, 24)]),
        ("h022", "1 to 7 May 2027, Saturday to Friday", [date(2027, 5, 1), date(2027, 5, 7)]),
        ("h012", "Monday", [date(2026, 10, 19)]),
    ],
)
def test_weekdays_and_dates_agree(said_in: str, words: str, days: list[date]) -> None:
    assert words in BY_ID[said_in]["text"]
    assert re.findall(r"\w+day", words) == [day.strftime("%A") for day in days]


def test_the_card_terminal_was_never_discussed_before_it_is_asked_about() -> None:
    asked = thread(KIOSK).index(BY_ID["k076"])
    before = json.dumps(thread(KIOSK)[:asked], ensure_ascii=False).lower()

    assert "card terminal" in BY_ID["k076"]["text"]
    assert not re.search(r"\b(cards?|terminals?|credit|debit)\b", before)
    assert BY_ID["k077"]["text"].startswith("Nothing that I can find.")


def test_small_talk_stands_alone() -> None:
    assert {"ok", "thanks!", "👍", "好的 👌", "谢谢!"} <= {message["text"] for message in MESSAGES}


def test_the_home_thread_speaks_several_languages() -> None:
    chinese = [m for m in thread(HOME) if len(CHINESE.findall(m["text"])) > 10 and not re.search("[a-z]{3}", m["text"])]

    assert len(chinese) >= 10
    assert {"user", "assistant"} == {message["role"] for message in chinese}
    assert "ça sentait délicieusement bon" in BY_ID["h032"]["text"]
    assert "uma mesa para três" in BY_ID["h037"]["text"].lower()
    assert all(emoji in RAW.decode("utf-8") for emoji in "🎂🎉😋🐈🦋")


def test_the_peanut_allergy_is_told_by_lin_and_repeated_in_english() -> None:
    assert ("Lin", True) == (BY_ID["h006"]["speaker"], "小满对花生过敏" in BY_ID["h006"]["text"])
    assert "severe peanut allergy" in BY_ID["h007"]["text"]


def test_a_message_holds_headings_and_a_document_holds_a_fence() -> None:
    assert "\n## What runs where\n- " in BY_ID["k083"]["text"]
    assert any(call["arguments"].get("content", "").startswith("---\n") for call in tool_calls(KIOSK))


def test_ten_questions_cover_each_kind_and_point_to_messages_of_their_thread() -> None:
    kinds = [question["kind"] for question in QUESTIONS]

    assert 10 == len(QUESTIONS) == len({question["question"] for question in QUESTIONS})
    assert {
        "words": 3, "inflection": 3, "chinese": 1, "identifier": 1, "error_code": 1, "current_decision": 1,
    } == {kind: kinds.count(kind) for kind in kinds}
    for question in QUESTIONS:
        assert question["expected"], question["question"]
        assert {question["thread"]} == {BY_ID[id]["thread"] for id in question["expected"]}


@pytest.mark.parametrize(
    ("kind", "asked", "answered"),
    [
        ("identifier", "MOTH_SEAT_HOLD_SECONDS", "MOTH_SEAT_HOLD_SECONDS"),
        ("error_code", "KIOSK-4107", "KIOSK-4107"),
        ("chinese", "花生过敏", "花生过敏"),
        ("current_decision", "pnpm", "pnpm"),
        ("inflection", "guests", "guest"),
        ("inflection", "moving", "move"),
        ("inflection", "replaces", "replaced"),
    ],
)
def test_an_expected_message_holds_the_word_that_finds_it(kind: str, asked: str, answered: str) -> None:
    [question] = [q for q in QUESTIONS if q["kind"] == kind and asked in q["question"]]
    texts = [BY_ID[id]["text"] for id in question["expected"]]

    assert any(re.search(rf"\b{answered}\b" if answered.isascii() else answered, text) for text in texts)
    if kind == "inflection":
        assert not any(re.search(rf"\b{asked}\b", text) for text in texts)
