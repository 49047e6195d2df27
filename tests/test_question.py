"""What a question is understood to ask for: terms and their echoes, names, times, the kind of answer."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import periods
from strata.periods import Day, Periods, Span
from strata.shadow import traits
from strata.shadow.question import Question, understood
from strata.shadow.related import related
from strata.shadow.terms import terms

TODAY = date(2026, 11, 30)  # a Monday


def read(text: str, *speakers: str, today: date | None = TODAY) -> Question:
    names: dict[str, set[str]] = {}
    for name in speakers:
        for term in terms(name):
            names.setdefault(term, set()).add(name)
    return understood(text, {term: frozenset(found) for term, found in names.items()}, today)


def asked(text: str, *speakers: str) -> list[str]:
    return [group.term for group in read(text, *speakers).groups if not group.name]


# -- times -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "years", "months", "days"),
    [
        ("What happened in May 2023?", {2023}, {5}, ()),
        ("on 7 July, 2023", {2023}, {7}, (Day(2023, 7, 7),)),
        ("July 7th", set(), {7}, (Day(0, 7, 7),)),
        ("the 3rd of Sept", set(), {9}, (Day(0, 9, 3),)),
        ("in Jan. 2021", {2021}, {1}, ()),
        ("tag of 2026-05-07", {2026}, {5}, (Day(2026, 5, 7),)),
        ("since 2022", {2022}, set(), ()),
        ("late march", set(), {3}, ()),
        ("2026年5月7日说了什么", {2026}, {5}, (Day(2026, 5, 7),)),
        ("12月", set(), {12}, ()),
        ("十一月二十八日聊了什么", set(), {11}, (Day(0, 11, 28),)),
        ("十月份", set(), {10}, ()),
        ("in the summer of 2022", {2022}, {6, 7, 8}, ()),
    ],
)
def test_dates_are_read(text: str, years: set[int], months: set[int], days: tuple[Day, ...]) -> None:
    found = periods.periods(text, TODAY)

    assert (years, months, days) == (found.years, found.months, found.days)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2026-11-29", "2026-11-29"),
        ("what did we say last week?", "2026-11-23", "2026-11-29"),
        ("this month", "2026-11-01", "2026-11-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("three months ago", "2026-08-01", "2026-08-31"),
        ("10 days ago", "2026-11-20", "2026-11-20"),
        ("last summer", "2026-06-01", "2026-08-31"),
        ("last winter", "2025-12-01", "2026-02-28"),
        ("winter 2022", "2022-12-01", "2023-02-28"),
        ("上周", "2026-11-23", "2026-11-29"),
        ("上上个月", "2026-09-01", "2026-09-30"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("前天", "2026-11-28", "2026-11-28"),
        ("两天前", "2026-11-28", "2026-11-28"),
        ("三个月前", "2026-08-01", "2026-08-31"),
        ("last Friday", "2026-11-27", "2026-11-27"),
        ("last Monday", "2026-11-23", "2026-11-23"),
        ("上周五", "2026-11-27", "2026-11-27"),
        ("上周日", "2026-11-29", "2026-11-29"),
    ],
)
def test_relative_words_count_from_the_day_of_asking(text: str, first: str, last: str) -> None:
    assert (Span(date.fromisoformat(first), date.fromisoformat(last)),) == periods.periods(text, TODAY).spans
    if not any(said in text for said in ("20", "summer", "winter")):
        assert not periods.periods(text, None)


@pytest.mark.parametrize(
    "text",
    [
        "what may Jo pursue?", "when did she march?", "CVE-2023-1234", "port 2024", "did he fall?", "version 2026-13-40", "a sept of six", "13月", "the mayor", "build 2023-05-07.3",
        "next steps", "in 20233", "dec 16 to hex", "version 3 may break", "users may 10 servers", "jan 5 users", "step 2 march",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    found = periods.periods(text, TODAY)

    assert not found and text == found.rest


def test_a_month_leaves_the_words_and_a_number_that_texts_hold_stays() -> None:
    assert ["deploy"] == asked("when did we deploy in May 2023?")
    assert "2026-05-07" in asked("which tag is 2026-05-07?")


@given(st.text(max_size=60) | st.sampled_from(["last winter", "this summer", "last week", "next year", "900 years ago", "next month", "上上周"]), st.dates() | st.sampled_from([date.min, date.max]))
def test_any_text_is_read(text: str, today: date) -> None:
    found = periods.periods(text, today)

    assert found.gives(today) >= 1 and all(term.startswith("\x01") for term in found.terms())


@given(st.dates(), st.dates())
def test_the_terms_of_a_period_are_those_of_its_days(named: date, day: date) -> None:
    exact = Periods("", frozenset((named.year,)), frozenset((named.month,)), (Day(named.year, named.month, named.day),))

    assert set(exact.terms()) & set(periods.date_terms(named))
    assert (exact.gives(day) >= periods.IN_TIME) == ((named.year, named.month) == (day.year, day.month))
    assert (exact.gives(named) == exact.gives(day)) == (named == day) or exact.gives(day) < exact.gives(named)


# -- names -----------------------------------------------------------------------------------


def test_a_speaker_who_is_named_is_no_word_to_look_for() -> None:
    found = read("What did Ada buy for the violin?", "Ada Lovett", "Ben")

    assert frozenset(("Ada Lovett",)) == found.speakers
    assert ["buy", "violin"] == [group.term for group in found.groups if not group.name]
    assert ["ada"] == [group.term for group in found.groups if group.name]


def test_the_first_of_two_speakers_is_meant_unless_both_are() -> None:
    assert {"Ada"} == read("did Ada show Ben the violin", "Ada", "Ben").speakers
    assert {"Ada", "Ben"} == read("did both Ada and Ben play the violin", "Ada", "Ben").speakers


def test_somebody_called_april_is_no_month_unless_it_is_said_so() -> None:
    assert {"April"} == read("what did April say about the boat", "April").speakers
    assert {4} == read("what did we say in April about the boat", "April").periods.months
    assert {4} == read("what did April 2025 cost", "April").periods.months


def test_a_name_alone_is_looked_for() -> None:
    assert ["ada"] == asked("Ada", "Ada")
    assert () == read("what did Ada do in May 2023?", "Ada").groups


# -- what kind of answer ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("When did we move?", "when"), ("what day is the party", "when"), ("我们什么时候搬家", "when"), ("how many dogs?", "how many"), ("多少钱", "how many"), ("what is the movie called?", "title"),
        ("how long did it take?", "how long"), ("花了多久", "how long"),
    ],
)  # fmt: skip
def test_what_is_asked_for(text: str, word: str) -> None:
    assert word in [said for _, _, said in read(text).wants]


@pytest.mark.parametrize("text", ["what port is it", "Is it on?", "用哪个端口", "list the ports"])
def test_a_question_asks(text: str) -> None:
    assert read(text).asks


@pytest.mark.parametrize("text", ["port 8080", "pnpm lockfile", "EADDRINUSE", "端口 8080"])
def test_words_to_look_up_do_not_ask(text: str) -> None:
    assert not read(text).asks


def test_the_latest_and_the_first() -> None:
    assert read("what is the current port").latest and not read("what is the current port").first
    assert read("which port did we use at first").first and read("最早用哪个端口").first and read("最新的端口").latest
    assert not read("what port is it").latest


# -- traits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("I went there yesterday.", traits.TIMED), ("上周去了", traits.TIMED), ("see you on Monday", traits.TIMED), ("three of them", traits.NUMBERED), ("port 8080", traits.NUMBERED), ("有两只猫", traits.NUMBERED),
        ('I read "The Old Mill"', traits.TITLED), ("在看《红楼梦》", traits.TITLED), ("for two weeks", traits.LASTING), ("等了3个月", traits.LASTING), ("Really?", traits.ASKS), ("真的？", traits.ASKS),
        ("Is it?\n[image: a dog]", traits.ASKS), ("Is it?\n[image: a dog]\n[file: x]  \n", traits.ASKS),
    ],
)  # fmt: skip
def test_texts_have_traits(text: str, trait: int) -> None:
    assert traits.traits(text) & trait


@pytest.mark.parametrize("text", ["", "Fine.", "好的", "[image: a dog]", "What? No."])
def test_plain_texts_have_none(text: str) -> None:
    assert 0 == traits.traits(text)


# -- echoes ----------------------------------------------------------------------------------


def test_a_kind_echoes_its_members_and_no_member_the_kind() -> None:
    found = related(["instrument", "cello", "zyx"], terms)

    assert "cello" in found["instrument"] and "instrument" not in found["cello"] and [] == found["zyx"]


def test_words_that_stand_for_each_other_do_so_both_ways() -> None:
    assert "directori" in related(["folder"], terms)["folder"] and "folder" in related(["directori"], terms)["directori"]


def test_words_of_the_question_are_no_echoes_and_echoes_are_fainter() -> None:
    (dog, cat) = read("dog cat pet").groups[:2]

    assert ("dog", "cat") == (dog.term, cat.term)
    assert all(0 < strength < 1 and echo not in ("dog", "cat", "pet") for group in read("dog cat pet").groups for echo, strength in group.echoes)
