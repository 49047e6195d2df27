"""Stretches of the calendar: days, weeks from Monday, weekends, months, seasons and years, counted from a day."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)
_LAST_YEAR = 9998  # the end of 9999 has no day after it, so no card can hold it exactly
_SEASON_BEGINS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


class Span(NamedTuple):
    """From one day through another, and how finely they are known: day, week, month, year or range.

    `unit` and `end_unit` (the same, if "") are what the words counted in; they say how coarsely the ends are written.
    """

    first: date
    last: date
    precision: str
    unit: str = "day"
    end_unit: str = ""

    def written(self) -> tuple[str, str]:
        """The start and the end as texts of `strata.moment`; the end is "" where the start says all."""
        start, end = written(self.first, self.unit), written(self.last, self.end_unit or self.unit)
        return start, "" if self.precision in ("day", "month", "year") else end


def written(day: date, unit: str) -> str:
    """A day as a text that is as coarse as the unit."""
    return day.isoformat()[: {"year": 4, "month": 7}.get(unit, 10)]


def held(span: Span) -> Span:
    """The span itself; raises OverflowError for one that ends after 9998."""
    if span.last.year > _LAST_YEAR:
        raise OverflowError("after the year 9998")
    return span


def of_day(day: date) -> Span:
    return Span(day, day, "day")


def of_week(day: date) -> Span:
    """The week, Monday to Sunday, that holds a day."""
    monday = day - DAY * day.weekday()
    return Span(monday, monday + DAY * 6, "week")


def of_weekend(day: date) -> Span:
    """Saturday and Sunday of the week that holds a day."""
    saturday = day + DAY * (5 - day.weekday())
    return Span(saturday, saturday + DAY, "range")


def of_month(year: int, month: int) -> Span:
    return Span(date(year, month, 1), month_end(year, month), "month", "month")


def of_year(year: int) -> Span:
    return Span(date(year, 1, 1), date(year, 12, 31), "year", "year")


def of_decade(year: int) -> Span:
    return Span(date(year, 1, 1), date(year + 9, 12, 31), "range", "year")


def of_season(year: int, season: str) -> Span:
    """The three months of the season that begins in a year; winter begins in December."""
    month = _SEASON_BEGINS[season]
    later = after_months(date(year, month, 1), 2)
    return Span(date(year, month, 1), month_end(later.year, later.month), "range", "month")


def month_end(year: int, month: int) -> date:
    return (date(year + month // 12, month % 12 + 1, 1) - DAY) if (year, month) < (9999, 12) else date.max


def after_months(day: date, months: int) -> date:
    """The first day of the month so many months after the one that holds a day."""
    number = day.year * 12 + day.month - 1 + months
    return date(number // 12, number % 12 + 1, 1)


def stepped(unit: str, count: int, today: date) -> Span:
    """The day, week, weekend, month, year or decade so many after the one that holds a day.

    A weekend that has begun is "this" one, so the last weekend is the one of the week before.
    """
    match unit:
        case "day" | "night":
            return of_day(today + DAY * count)
        case "week":
            return of_week(today + DAY * (7 * count))
        case "fortnight":
            return of_week(today + DAY * (14 * count))
        case "weekend":
            return of_weekend(today + DAY * (7 * count))
        case "month":
            first = after_months(today, count)
            return of_month(first.year, first.month)
        case "half-year":
            first = after_months(today, 6 * count)
            return of_month(first.year, first.month)
        case "year":
            return of_year(today.year + count)
        case "decade":
            return of_year(today.year + 10 * count)
    raise ValueError(f"{unit} is no unit of the calendar")


def rolling(unit: str, count: int, today: date) -> Span:
    """From so many units back through today, or from today through so many ahead; months and years count whole."""
    days = {"day": 1, "night": 1, "week": 7, "fortnight": 14}.get(unit)
    other = stepped(unit, count, today) if days is None else of_day(today + DAY * (days * count))
    if count < 0:
        return Span(other.first, today, "range", other.unit, "day")
    return Span(today, other.last, "range", "day", other.unit)


def weekday_before(number: int, day: date) -> date:
    """The latest such weekday before a day, never the day itself."""
    return day - DAY * ((day.weekday() - number) % 7 or 7)


def weekday_after(number: int, day: date) -> date:
    """The first such weekday after a day, never the day itself."""
    return day + DAY * ((number - day.weekday()) % 7 or 7)


def third(span: Span, which: int) -> Span:
    """The early, the middle or the late part (0, 1, 2): ten days of a month, four months of a year, one of a season."""
    if span.precision == "month":
        first = span.first + DAY * (10 * which)
        return Span(first, span.last if which == 2 else first + DAY * 9, "range")
    if span.precision == "year":
        year = span.first.year
        return Span(date(year, 4 * which + 1, 1), month_end(year, 4 * which + 4), "range", "month")
    if span.unit == "year":
        year = span.first.year
        begins, ends = ((0, 3), (4, 6), (7, 9))[which]
        return Span(date(year + begins, 1, 1), date(year + ends, 12, 31), "range", "year")
    if span.unit == "month":
        first = after_months(span.first, which)
        return of_month(first.year, first.month)
    return span


def nth(number: int, unit: str, span: Span) -> Span | None:
    """The first, second … or last (-1) week, weekend, day or weekday (as a digit) within a span, None if it has no such."""
    days = (span.last - span.first).days + 1
    if unit == "day":
        offset = days - 1 if number < 0 else number - 1
        return of_day(span.first + DAY * offset) if offset < days else None
    if unit == "week":
        first = span.last - DAY * 6 if number < 0 else span.first + DAY * (7 * number - 7)
        return Span(first, first + DAY * 6, "week") if first + DAY * 6 <= span.last or number == 5 and first <= span.last else None
    wanted = 5 if unit == "weekend" else int(unit)
    if number < 0:
        day = weekday_before(wanted, span.last + DAY)
    else:
        day = weekday_after(wanted, span.first - DAY) + DAY * (7 * number - 7)
    if not span.first <= day <= span.last:
        return None
    return Span(day, day + DAY, "range") if unit == "weekend" else of_day(day)
