"""Times keep their text, cover a stated stretch, and sort and filter the same on every machine."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import moment
from strata.errors import Malformed


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "precision", "start", "end"),
    [
        ("2026", "year", utc(2026, 1, 1), utc(2027, 1, 1)),
        ("2026-12", "month", utc(2026, 12, 1), utc(2027, 1, 1)),
        ("2024-02-29", "day", utc(2024, 2, 29), utc(2024, 3, 1)),
        ("2026-05-20T08:00", "instant", utc(2026, 5, 20, 8), utc(2026, 5, 20, 8, 1)),
        ("2026-05-20T08:00:07", "instant", utc(2026, 5, 20, 8, 0, 7), utc(2026, 5, 20, 8, 0, 8)),
        ("2026-05-20T08:00:07Z", "instant", utc(2026, 5, 20, 8, 0, 7), utc(2026, 5, 20, 8, 0, 8)),
        ("2026-03-01T23:30:00-05:00", "instant", utc(2026, 3, 2, 4, 30), utc(2026, 3, 2, 4, 30, 1)),
        ("2026-03-01T10:00+09", "instant", utc(2026, 3, 1, 1), utc(2026, 3, 1, 1, 1)),
        ("2026-05-20T08:00:00.250Z", "instant", utc(2026, 5, 20, 8, 0, 0, 250_000), utc(2026, 5, 20, 8, 0, 0, 250_001)),
        ("0001", "year", utc(1, 1, 1), utc(2, 1, 1)),
        ("9999-12-31", "day", utc(9999, 12, 31), datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_a_time_covers_what_it_leaves_open(text: str, precision: str, start: datetime, end: datetime) -> None:
    read = moment.parse(text)

    assert (text, precision, start, end) == (read.text, read.precision, read.start, read.end)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "last spring", "05/06/2024", "2026-02-30", "2025-02-29", "2026-13", "2026-00", "2026-05-00", "2026-5-20", "26-05-20",
        "20260520", "0000", "10000", "2026-05-20T25:00", "2026-05-20T24:00", "2026-05-20T10:60", "2026-05-20T23:59:60Z", "2026-05-20T10",
        "2026-05-20 10:00", "2026-05-20t10:00", "2026-05-20T10:00z", "2026-05-20T10:00+9", "2026-05-20T10:00+0900", "2026-05-20T10:00+24:00",
        "2026-05-20T10:00+09:60", "2026-05Z", "2026-05-20Z", "2026-05-20\n", "２０２６", "2026-05-20T10:00:00.", "2026-W21", "-2026", "2026" * 1000,
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        moment.parse(text)

    assert not moment.is_valid(text)


def test_a_refusal_says_where_and_what_to_write() -> None:
    with pytest.raises(Malformed) as refusal:
        moment.parse("2026-02-30", field="happened_start", path="active/a.md", line=7)

    assert ("active/a.md", 7) == (refusal.value.path, refusal.value.line)
    assert "happened_start" in refusal.value.message and "2026-02-30" in refusal.value.message
    assert "2026-05-20" in refusal.value.remedy


def test_a_huge_text_is_refused_in_a_short_message() -> None:
    with pytest.raises(Malformed) as refusal:
        moment.parse("9" * 10_000_000)

    assert len(str(refusal.value)) < 300


def test_mixed_precisions_sort_by_their_start_and_the_wider_first() -> None:
    expected = [
        "", "not a time", "2025-12-31T23:59:59Z", "2026", "2026-01", "2026-01-01", "2026-01-01T00:00", "2026-01-01T00:00:00Z",
        "2026-01-01T10:00+09:00", "2026-01-01T02:00Z", "2026-05-20", "2026-05-20T08:00:00Z",
    ]  # fmt: skip

    assert expected == sorted(reversed(expected), key=lambda text: (moment.sort_key(text), text))
    assert moment.sort_key("") == moment.sort_key("not a time") < moment.sort_key("0001-01-01T00:00+14:00")


@pytest.mark.parametrize(
    ("text", "since", "until", "inside"),
    [
        ("2026-05-20", "2026-05-20", "2026-05-20", True),
        ("2026-05-20T08:00:00Z", "2026-05-20", "2026-05-20", True),
        ("2026-05-20T23:59:59.999999Z", "", "2026-05-20", True),
        ("2026-05-21T00:00:00Z", "", "2026-05-20", False),
        ("2026-05-19T23:59:59Z", "2026-05-20", "", False),
        ("2026-05", "2026-05-20", "2026-05-20", True),
        ("2026-05-20", "2026", "2026-05", True),
        ("2026-06-01", "", "2026-05", False),
        ("2026-03-01T23:30:00-05:00", "2026-03-01", "2026-03-01", True),
        ("2026-03-01T23:30:00-05:00", "2026-03-02", "", False),
        ("2026-03-01T23:30:00-05:00", "2026-03-02T04:30:00Z", "", True),
        ("2026-03-01T23:30:00-05:00", "2026-03-02T04:31:00Z", "", False),
        ("2026-03-01T23:30:00-05:00", "", "2026-03-02T04:29:00Z", False),
        ("2026-03-01T23:30:00-05:00", "", "2026-03-02T04:30:00Z", True),
        ("", "2026", "", False),
        ("someday", "", "2026", False),
        ("", "", "", True),
    ],
)
def test_bounds_hold_whole_days_as_written(text: str, since: str, until: str, inside: bool) -> None:
    assert inside is moment.within(text, since, until)


def test_a_bound_that_is_no_time_is_refused() -> None:
    with pytest.raises(Malformed, match="until"):
        moment.within("2026", "", "yesterday")
    with pytest.raises(Malformed, match="since"):
        moment.within("", "2026-02-30")


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone")
@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/Lima", "UTC"])
def test_no_answer_depends_on_the_zone_of_the_machine(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["2026-05-20", "2026-05-20T08:00:00Z", "2026-03-01T23:30:00-05:00", "2026-03-01T23:30"]
    before = [(moment.local_day(text), moment.sort_key(text)) for text in texts]
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    moment._read.cache_clear()
    try:
        after = [(moment.local_day(text), moment.sort_key(text)) for text in texts]
        stamped = moment.stamp(datetime(2026, 5, 20, 10, tzinfo=timezone(timedelta(hours=2))))
    finally:
        monkeypatch.undo()
        time.tzset()

    assert before == after
    assert ["2026-05-20", "2026-05-20", "2026-03-01", "2026-03-01"] == [day for day, _ in after]
    assert "2026-05-20T08:00:00Z" == stamped


def test_only_what_names_a_day_has_one() -> None:
    assert ["", "", "", ""] == [moment.local_day(text) for text in ("2026", "2026-05", "", "2026-02-30")]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1_714_521_600, "2024-05-01T00:00:00Z"),
        (1_714_521_600_000, "2024-05-01T00:00:00Z"),
        (1_714_521_600_250, "2024-05-01T00:00:00.250000Z"),
        (1_714_521_600_000_001, "2024-05-01T00:00:00.000001Z"),
        (1_714_521_600_000_000_000, "2024-05-01T00:00:00Z"),
        (1_714_521_600.5, "2024-05-01T00:00:00.500000Z"),
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
    ],
)
def test_unix_times_in_any_unit(number: int | float, text: str) -> None:
    assert text == moment.from_epoch(number)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300, 10**400, -(10**11) + 1, True, "1714521600", None])
def test_what_is_no_unix_time_is_refused(number: object) -> None:
    with pytest.raises(Malformed):
        moment.from_epoch(number)  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.text(max_size=50) | st.from_regex(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?", fullmatch=True))
def test_any_text_sorts_and_filters_without_an_error(text: str) -> None:
    assert moment.is_valid(text) is (moment.sort_key(text) != (-1, 0))
    assert moment.within(text)
    moment.local_day(text)


@settings(deadline=None)
@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31)), st.sampled_from([4, 7, 10, 16, 19, 26]), st.sampled_from(["", "Z", "+09:00", "-12:30"]))
def test_a_time_lies_within_itself_and_its_own_day(value: datetime, length: int, offset: str) -> None:
    text = value.isoformat(timespec="microseconds")[:length] + (offset if length > 10 else "")
    read = moment.parse(text)

    assert text == read.text
    assert read.start < read.end
    assert moment.within(text, text, text)
    assert moment.within(text, text[:4], text[:4])
    if length >= 10:
        assert text[:10] == moment.local_day(text)
        assert moment.within(text, text[:10], text[:10])


@settings(deadline=None)
@given(st.lists(st.datetimes(timezones=st.timezones()), min_size=2, max_size=8))
def test_sorting_is_by_the_instant(values: list[datetime]) -> None:
    known = [value for value in values if 1 < value.year < 9999]
    texts = [moment.stamp(value) for value in known]
    instants = [moment.parse(text).start for text in texts]

    assert sorted(instants) == [moment.parse(text).start for text in sorted(texts, key=moment.sort_key)]
    assert [value.astimezone(UTC) for value in known] == instants
