"""The times a question names, as what they give to a text that was said or happened then.

"in May", "on 7 July 2023", "2026-05", "last summer", "after June 3", 上周, 5月7日. They favour and never exclude: people
misremember dates, and an answer often comes days after what it tells of. Relative words count from the day of asking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

IN_TIME = 2.5  # for a text from the month, the week or the season that is named
ON_DAY = 2.0  # again, for one from the very day
SOON_AFTER = 1.5  # for one from the eight days after it
NEXT_MONTH = 1.2
IN_YEAR = 1.2  # where only a year is named
_SOON = 8  # days

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_SEASONS = {"spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "fall": (9, 10, 11), "winter": (12, 1, 2)}
_PLAIN = tuple(month for month in _MONTHS if month not in ("march", "may"))
_LEADS = tuple(f"{word} " for word in ("in", "of", "since", "until", "by", "during", "early", "late", "mid", "last", "this", "before", "after", "on"))
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HAN = "一二三四五六七八九十两"
_HAN_DAYS = "一二三四五六日天"
_DAY = timedelta(days=1)
_HINTS = ("19", "20", *(month[:3] for month in _MONTHS), *_SEASONS, "last ", "past ", "previous ", "this ", "next ", " ago", "yesterday", "today", *"年月周天", "星期")


class Day(NamedTuple):
    """A day that is named; a year of 0 is any."""

    year: int
    month: int
    day: int


class Span(NamedTuple):
    """From one day through another."""

    first: date
    last: date


class Periods(NamedTuple):
    """What a question says about time; `rest` is the question without it."""

    rest: str = ""
    years: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    days: tuple[Day, ...] = ()
    spans: tuple[Span, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.years or self.months or self.days or self.spans)

    def gives(self, day: date) -> float:
        """The factor for what is from that day."""
        factor = 1.0
        if self.months:
            in_year = not self.years or day.year in self.years
            if day.month in self.months and in_year:
                factor *= IN_TIME
            elif (day.month - 2) % 12 + 1 in self.months:
                factor *= NEXT_MONTH
        elif self.years and day.year in self.years:
            factor *= IN_YEAR
        for named in self.days:
            past = _days_after(day, named)
            if past == 0:
                factor *= ON_DAY
            elif 0 < past <= _SOON:
                factor *= SOON_AFTER
        if any(span.first <= day <= span.last for span in self.spans):
            factor *= IN_TIME
        return factor

    def terms(self) -> list[str]:
        """The index terms (`date_terms`) of what is named, for a first choice of candidates."""
        found = [_term(named.year, named.month, named.day) for named in self.days]
        found += [_term(year, month) for month in self.months for year in self.years or (0,)]
        for span in self.spans:
            days = (span.last - span.first).days + 1
            if days <= 31:
                found += [_term(day.year, day.month, day.day) for day in (span.first + _DAY * n for n in range(days))]
            else:
                found += {_term(day.year, day.month): None for day in (span.first + _DAY * n for n in range(0, min(days, 800), 27))}
        return found


def date_terms(day: date) -> tuple[str, ...]:
    """The index terms of a day: itself with and without its year, its month likewise. No text holds such a term."""
    return _term(day.year, day.month, day.day), _term(0, day.month, day.day), _term(day.year, day.month), _term(0, day.month)


def periods(text: str, today: date | None, names: Container[str] = ()) -> Periods:
    """What a question says about time; without `today` relative words say nothing.

    `names` are words that somebody is called, in small letters: April is a person there, unless it is "in April".
    """
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return Periods(text)
    found = _Found(today, names)
    rest = text
    for pattern, take, drop in _patterns():
        rest = pattern.sub(lambda match, take=take, drop=drop: " " if take(found, match) and drop else match.group(), rest)
    return Periods(rest, frozenset(found.years), frozenset(found.months), tuple(found.days), tuple(found.spans))


class _Found:
    """What the patterns have found so far. Each method takes a match and says whether it named a time."""

    def __init__(self, today: date | None, names: Container[str]) -> None:
        self.today = today
        self.names_of_people = names
        self.years: set[int] = set()
        self.months: set[int] = set()
        self.days: list[Day] = []
        self.spans: list[Span] = []

    def numbers(self, match: re.Match[str]) -> bool:
        parts = match.groupdict()
        return self._named(parts["year"], int(parts["month"]), parts["day"])

    def names(self, match: re.Match[str]) -> bool:
        parts = match.groupdict()
        said, sure = parts["month"].lower(), parts.get("year") or f" {match.string[: match.start()].lower()}".endswith(tuple(f" {lead}" for lead in _LEADS))
        if not sure and (said in self.names_of_people or said not in _PLAIN and not parts["month"][0].isupper()):
            return False  # "version 3 may break", "dec 16 to hex"
        month = next(number for number, name in enumerate(_MONTHS, 1) if name.startswith(parts["month"].lower()[:3]))
        return self._named(parts.get("year"), month, parts.get("day"))

    def year(self, match: re.Match[str]) -> bool:
        self.years.add(int(match["year"]))
        return True

    def season(self, match: re.Match[str]) -> bool:
        months = _SEASONS[match["season"].lower()]
        said, year = (match["which"] or "").lower(), int(match["year"] or 0)
        if said and not year and self.today:
            over = said != "this"
            begun = (each for each in range(self.today.year, 0, -1) if (_season(months, each).last if over else _season(months, each).first) < self.today)
            year = next(begun, 0)
        if year:
            self.spans.append(_season(months, year))
        else:
            self.months |= set(months)
        return True

    def relative(self, match: re.Match[str]) -> bool:
        which, unit = match["which"].lower(), match["unit"].lower()
        back = {"last": 1, "past": 1, "previous": 1, "this": 0, "next": -1}[which]
        return self._span(unit, back)

    def ago(self, match: re.Match[str]) -> bool:
        words = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
        units = {"天": "day", "周": "week", "星期": "week", "月": "month", "年": "year"}
        said, unit = match["count"].lower(), match["unit"].lower()
        if said == "半":
            return self._span("month", 6) if unit == "年" else False
        count = words.get(said) or (int(said) if said.isdigit() else _han(said))
        return self._span(units.get(unit, unit), count)

    def weekday(self, match: re.Match[str]) -> bool:
        if self.today is None:
            return False
        said = match["day"].lower()
        wanted = _WEEKDAYS.index(said) if said in _WEEKDAYS else min(_HAN_DAYS.index(said), 6)
        back = (self.today.weekday() - wanted) % 7 or 7
        if said not in _WEEKDAYS:  # 上周五 is of the week before this one
            back = self.today.weekday() - wanted + 7
        return self._span("day", back)

    def han(self, match: re.Match[str]) -> bool:
        month, day = _han(match["month"]), match["day"]
        return self._named(None, month, str(_han(day)) if day else None)

    def near(self, match: re.Match[str]) -> bool:
        back = {"yesterday": 1, "today": 0, "昨天": 1, "前天": 2, "今天": 0}[match.group().lower()]
        return self._span("day", back)

    def chinese(self, match: re.Match[str]) -> bool:
        said = match.group()
        unit = "week" if "周" in said or "星期" in said else "month" if "月" in said else "year"
        back = 2 if said.startswith(("上上", "前")) else 1 if said.startswith(("上", "去")) else 0
        return self._span(unit, back)

    def _named(self, year: str | None, month: int, day: str | None) -> bool:
        if not 1 <= month <= 12 or (day and not 1 <= int(day) <= 31):
            return False
        if year:
            self.years.add(int(year))
        self.months.add(month)
        if day:
            self.days.append(Day(int(year or 0), month, int(day)))
        return True

    def _span(self, unit: str, back: int) -> bool:
        if self.today is None:
            return False
        try:
            self.spans.append(_stretch(unit, back, self.today))
        except (OverflowError, ValueError):  # before the year 1
            return False
        return True


def _season(months: tuple[int, ...], year: int) -> Span:
    """The season that begins in a year."""
    first = date(year, months[0], 1)
    ends = year + (months[-1] < months[0])
    return Span(first, _month_end(date(ends, months[-1], 1)) if ends <= date.max.year else date.max)


def _stretch(unit: str, back: int, today: date) -> Span:
    """The day, week, month or year so many before the one of today."""
    if unit == "day":
        return Span(today - _DAY * back, today - _DAY * back)
    if unit in ("week", "weekend"):
        monday = today - _DAY * (today.weekday() + 7 * back)
        return Span(monday + _DAY * (5 if unit == "weekend" else 0), monday + _DAY * 6)
    if unit == "month":
        number = today.year * 12 + today.month - 1 - back
        first = date(number // 12, number % 12 + 1, 1)
        return Span(first, _month_end(first))
    return Span(date(today.year - back, 1, 1), date(today.year - back, 12, 31))


def _month_end(first: date) -> date:
    year, month = first.year + first.month // 12, first.month % 12 + 1
    return date(year, month, 1) - _DAY if year <= date.max.year else date.max


def _han(text: str) -> int:
    """A number below a hundred in Chinese: 二十八 is 28."""
    tens, ten, ones = text.rpartition("十")
    value = {digit: number for number, digit in enumerate("一二三四五六七八九", 1)} | {"两": 2}
    return (value.get(tens, 1) * 10 if ten else 0) + value.get(ones, 0)


def _days_after(day: date, named: Day) -> int:
    """How many days a day lies after the named one, in its own year where that names none; -1 for a day that does not exist."""
    try:
        return (day - date(named.year or day.year, named.month, named.day)).days
    except ValueError:
        return -1


def _term(year: int, month: int, day: int = 0) -> str:
    return f"\x01{year or ''}-{month:02}" + (f"-{day:02}" if day else "")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Callable[[_Found, re.Match[str]], bool], bool], ...]:
    """What names a time, from the most telling to the least: pattern, who takes it, and whether its words say nothing else."""
    full = "january|february|april|june|july|august|september|october|november|december"
    every = f"{full}|march|may|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\.?"
    year = r"(?P<year>(?:19|20)\d\d)"
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    before = "|".join(rf"(?<=\b{lead})" for lead in _LEADS)
    rows: tuple[tuple[str, Callable[[_Found, re.Match[str]], bool], bool], ...] = (
        (rf"\b{year}-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b(?![-.\w])", _Found.numbers, False),
        (rf"(?<!\d)(?:{year}\s*年\s*)?(?P<month>1[0-2]|0?[1-9])\s*月(?:\s*(?P<day>\d{{1,2}})\s*[日号]|份)?", _Found.numbers, False),
        (rf"{year}\s*年", _Found.year, False),
        (rf"\b{day}\s+(?:of\s+)?(?P<month>{every})\b(?:,?\s+{year}\b)?", _Found.names, True),
        (rf"\b(?P<month>{every})\s+{day}\b(?:,?\s+{year}\b)?", _Found.names, True),
        (rf"\b(?P<month>{every}),?\s+(?:of\s+)?{year}\b", _Found.names, True),
        (rf"\b(?P<month>{full})\b", _Found.names, True),
        (rf"(?:{before})(?P<month>march|may)\b", _Found.names, True),
        (rf"(?:{before}|(?<=\byear )){year}\b(?![-.\w])", _Found.year, True),
        (rf"\b(?:(?P<which>last|this|past)\s+)?(?P<season>spring|summer|autumn|winter)\b(?:\s+(?:of\s+)?{year}\b)?", _Found.season, False),
        (rf"(?:\b(?P<which>last|this|past)\s+|(?<=\bin the )|(?<=\bduring the ))(?P<season>fall)\b(?:\s+(?:of\s+)?{year}\b)?", _Found.season, False),
        (r"\b(?P<which>last|past|previous|this|next)\s+(?P<unit>week|weekend|month|year)\b", _Found.relative, True),
        (r"\blast\s+(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b", _Found.weekday, True),
        (rf"上个?(?:周|星期|礼拜)(?P<day>[{_HAN_DAYS}])", _Found.weekday, True),
        (rf"(?P<count>\d{{1,3}}|[{_HAN}]{{1,2}}|半)个?(?P<unit>天|周|星期|月|年)(?:以)?前", _Found.ago, True),
        (rf"(?<![{_HAN}\d])(?P<month>[{_HAN}]{{1,2}})月(?:(?P<day>[{_HAN}]{{1,3}})[日号]|份)", _Found.han, False),
        (r"\b(?P<count>\d{1,3}|an?|one|two|three|four|five|six)\s+(?P<unit>day|week|month|year)s?\s+ago\b", _Found.ago, True),
        (r"\byesterday\b|\btoday\b|昨天|前天|今天", _Found.near, True),
        (r"上上?个?(?:周|星期|月)|[这本]个?(?:周|星期|月)|[去今前]年", _Found.chinese, True),
    )
    return tuple((re.compile(pattern, re.IGNORECASE), take, drop) for pattern, take, drop in rows)
