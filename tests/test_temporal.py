"""Words of time mean what the speaker's own calendar says, in English and Chinese, and what is open stays unknown."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strata import moment
from strata.cards import parse_event
from strata.model import Message
from strata.temporal import Resolved, resolve, times

CASES = [line.split("\t") for line in (Path(__file__).parent / "temporal_cases.tsv").read_text("utf-8").splitlines() if line and not line.startswith("#")]
DAY = timedelta(days=1)
MESSAGE = Message("m1", "user", "It was so.", at="2026-01-01T00:00Z")
RELATIVE = (
    "yesterday", "the day before yesterday", "tonight", "tomorrow", "last week", "this week", "next week", "last weekend", "this weekend", "next weekend", "the week before last", "last month",
    "next month", "last year", "next year", "last Friday", "this Friday", "next Friday", "last Monday", "two days ago", "three weeks ago", "two months ago", "a year ago", "half a year ago",
    "in 3 weeks", "in two months", "last summer", "this summer", "next summer", "last winter", "this winter", "next winter", "last May", "this May", "next May", "early May", "late May", "since March",
    "5 May", "May", "on the 5th", "on the 31st", "29 February", "last Christmas", "next Christmas", "the end of the month", "for the past three years", "first Monday of next month",
    "昨天", "前天", "大前天", "昨晚", "上周", "上上周", "下周三", "上周末", "周五", "上个月", "下个月5号", "去年", "明年三月", "去年夏天", "三天前", "两个月后", "半年前", "五月二号", "5月底", "月底", "年底",
)  # fmt: skip
PIECES = st.sampled_from([
    *RELATIVE, "from ", " to ", "between ", " and ", "since ", "until ", "by ", "before ", "after ", "early ", "late ", "the end of ", "the week of ", "two days before ", "first weekend of ", " at 5pm", "，",
    "2024-05-06", "5/6/2024", "0001-01-01", "9999-12-31", "2019", "1990s", "June", "Friday", "31 April 2023", "999 years ago", "in 999 months", "will ", "was ", "每", "到", "之前", "以来", "从", ".", " ", "号", "the week before",
])  # fmt: skip
DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=7).map("".join), st.lists(PIECES, max_size=7).map(" ".join))
CLOCKS = st.sampled_from(["", "T00:30", "T00:30Z", "T23:59:59-11:00", "T08:00:00.5+14:00"])
SAID = st.one_of(st.just(""), st.builds(lambda day, at: day.isoformat() + at, DAYS, CLOCKS), st.sampled_from(["2026", "2026-05", "nonsense"]))


@pytest.mark.parametrize("phrase, said_at, start, end, precision, basis", CASES, ids=[f"{case[0]} @ {case[1]}" for case in CASES])
def test_a_phrase_means(phrase: str, said_at: str, start: str, end: str, precision: str, basis: str) -> None:
    got = resolve(phrase, said_at)

    assert (start, end, precision, basis) == got[:4]


@pytest.mark.parametrize("text", [
    "May I ask you something?", "Give me a second.", "Let us march on.", "the 5th element", "Upgrade to 2.2019.1 or 1.5.0", "version 3.11.2025 is out", "v3.11.2025", "lib==3.11.2025", "31.4.2026 or 45.13.2026", "10.1.2026.7", "It costs $2019.", "May is a friend of mine, and so is April.",
    "We may leave", "painted by April", "May 5 people come?", "It took 2000 steps", "Every Friday we dance.", "Black Friday.", "A Christmas tree", "in my 20s", "I read it in two days", "He lives at 5/6 Mill Lane",
    "the last of them", "fall down", "as soon as possible", "以前我喜欢", "每周五都去", "15号线", "90年的", "中国", "今后再说", "",
])  # fmt: skip
def test_what_is_no_time_is_left_out(text: str) -> None:
    assert [] == [each for each in times(text, "2026-05-20T10:00+08:00") if each.basis != "unknown"]


@pytest.mark.parametrize("text, expected", [
    ("I won on Friday!", [("Friday", "2026-05-15", "")]),
    ("On Monday I went, on Friday I will go", [("Monday", "2026-05-18", ""), ("Friday", "2026-05-22", "")]),
    ("See you tomorrow at 3pm.", [("tomorrow at 3pm", "2026-05-21T15:00+08:00", "")]),
    ("See you on Friday.", [("Friday", "2026-05-22", "")]),
    ("We met again on the 25th after the trip", [("on the 25th", "2026-04-25", "")]),
    ("I moved in March, and next month I will move again.", [("March", "2026-03", ""), ("next month", "2026-06", "")]),
    ("She lived there from 2015 to 2018, in Rome since 2019.", [("from 2015 to 2018", "2015", "2018"), ("since 2019", "2019", "")]),
    ("We sailed last week. The week before, it had rained.", [("last week", "2026-05-11", "2026-05-17"), ("The week before", "2026-05-04", "2026-05-10")]),
    ("我上周五去了北京，下个月还要去", [("上周五", "2026-05-15", ""), ("下个月", "2026-06", "")]),
    ("I painted recently", [("recently", "", "")]),
    ("The lease ends on 31.12.2025, the new one begins 1.1.2026.", [("31.12.2025", "2025-12-31", ""), ("1.1.2026", "2026-01-01", "")]),
    ("We paused from 01.02.2026 to 05.02.2026.", [("from 01.02.2026 to 05.02.2026", "2026-02-01", "2026-02-05")]),
    ("Paid on 12.31.2025.", [("12.31.2025", "2025-12-31", "")]),
])  # fmt: skip
def test_a_text_tells_its_times_in_order(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert expected == [(each.text, each.start, each.end) for each in times(text, "2026-05-20T10:00+08:00")]


def fits(each: Resolved) -> None:
    """A card takes the time as it is."""
    card = {"title": "t", "source_messages": [MESSAGE.id], "happened_start": each.start, "happened_end": each.end, "precision": each.precision, "basis": each.basis}
    parse_event(card, "blk-20260101-aaaaaa", [MESSAGE])


@settings(max_examples=400, deadline=None)
@given(TEXTS, SAID)
@example("tomorrow", "9999-12-31")
@example("yesterday", "0001-01-01")
@example("last winter last week 2 years ago next May", "0001-01-01")
def test_any_text_gives_times_in_their_places_that_a_card_takes(text: str, said_at: str) -> None:
    found = times(text, said_at)

    assert all(each.text == text[each.begin : each.stop] and each.begin < each.stop for each in found)
    assert all(one.stop <= two.begin for one, two in zip(found, found[1:], strict=False))
    for each in [*found, resolve(text, said_at)]:
        fits(each)
        assert (each.basis == "unknown") == (not each.start and not each.end)
        assert not (each.basis == "relative" and not moment.local_day(said_at))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(RELATIVE), st.dates(date(10, 1, 1), date(9900, 1, 1)), st.integers(0, 800))
def test_said_later_never_means_earlier(phrase: str, day: date, later: int) -> None:
    one, two = (resolve(phrase, each.isoformat()) for each in (day, day + DAY * later))

    assert one.basis == two.basis == "relative"
    assert moment.sort_key(one.start)[0] <= moment.sort_key(two.start)[0]


@given(st.sampled_from(RELATIVE), st.dates(date(10, 1, 1), date(9900, 1, 1)), CLOCKS)
def test_only_the_day_as_written_counts(phrase: str, day: date, clock: str) -> None:
    assert resolve(phrase, day.isoformat()) == resolve(phrase, day.isoformat() + clock)


@given(st.dates(date(10, 1, 1), date(9900, 1, 1)))
def test_days_and_weeks_by_the_calendar(day: date) -> None:
    assert (day - DAY).isoformat() == resolve("yesterday", day.isoformat()).start
    week = resolve("last week", day.isoformat())
    assert date.fromisoformat(week.start).weekday() == 0 and date.fromisoformat(week.end).weekday() == 6
    assert 1 <= (day - date.fromisoformat(week.end)).days <= 7
    for name in calendar.day_name:
        last = date.fromisoformat(resolve(f"last {name}", day.isoformat()).start)
        assert name == calendar.day_name[last.weekday()] and 1 <= (day - last).days <= 7
