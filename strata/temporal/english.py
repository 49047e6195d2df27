"""Single times in English: yesterday, last Friday, two months ago, in 3 weeks, May 5th 2023, next spring, the 90s."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from strata.temporal import spans
from strata.temporal.atoms import Atom, Said, counted, day_of_month, fixed, weekday, yearly
from strata.temporal.spans import DAY, Span
from strata.temporal.tense import COMING, PAST

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)} | {
    "a": 1, "an": 1, "couple": 2, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100,
}  # fmt: skip
ORDINALS = {word: number for number, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)} | {"last": -1, "final": -1}

LONG_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
MONTH = rf"(?:{LONG_MONTH}|(?-i:(?:[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Jj]u[nl]|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec|JAN|FEB|MAR|APR|JU[NL]|AUG|SEPT?|OCT|NOV|DEC)\b\.?))"
LONG_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
WEEKDAY = rf"(?:{LONG_WEEKDAY}\b|(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b\.?)"
YEAR = r"(?P<year>(?:19|20)\d\d|['’]\d\d(?!\w))(?![\d-]|[.,:]\d)"
COUNT = r"(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|(?:a\s+)?couple(?:\s+of)?|a\s+hundred)"
UNIT = "(?P<unit>day|night|week|weekend|fortnight|month|year|decade)"
ORDINAL_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_HOLIDAYS = {"christmas eve": (12, 24), "xmas eve": (12, 24), "boxing day": (12, 26), "christmas": (12, 25), "xmas": (12, 25), "new year's eve": (12, 31), "new year's": (1, 1),
             "halloween": (10, 31), "valentine's": (2, 14), "valentines": (2, 14)}  # fmt: skip
_DAYS_AWAY = {"the day before yesterday": -2, "the day after tomorrow": 2, "the night before last": -2, "yesterday": -1, "last night": -1, "tomorrow": 1}
_AWAY = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1}


def number(words: str) -> int:
    """The count that such words say: `3`, `three`, `a couple of`."""
    said = words.lower().split()
    if said[0].isdigit():
        return int(said[0])
    return _NUMBERS[said[1] if said[0] == "a" and len(said) > 1 else said[0]]


def month(words: str) -> int:
    return _MONTHS.index(words[:3].lower()) + 1


def day_of_week(words: str) -> int:
    return _WEEKDAYS.index(words[:3].lower())


def away(words: str) -> int:
    """What last, this and next mean in units: -1, 0, 1."""
    return _AWAY[words.lower().split()[-1]]


def _day(match: re.Match[str], said: Said) -> Atom:
    words = " ".join(match.group().lower().split())
    return counted(match, lambda today: spans.of_day(today + DAY * _DAYS_AWAY.get(words, 0)))


def _unit(match: re.Match[str], said: Said) -> Atom | None:
    """last week, this past weekend, the next month. With an article, or as "past", it rolls: the last year is the twelve months until now."""
    which, unit = " ".join(match["which"].lower().split()), match["unit"].lower()
    if match["the"] and match["within"] is None and which in ("next", "current", "last", "previous"):
        return None if which != "current" else counted(match, lambda today: spans.stepped(unit, 0, today))
    if match["within"] and not match["the"] and which not in ("past", "this past"):
        return None  # "in last year": the rule finds "last year" itself
    if unit != "weekend" and ("past" in which or match["the"]):
        return counted(match, lambda today: spans.rolling(unit, -1 if which != "next" and "coming" not in which else 1, today))
    return counted(match, lambda today: spans.stepped(unit, away(which), today))


def _plain_unit(match: re.Match[str], said: Said) -> Atom:
    return counted(match, lambda today: spans.stepped(match["unit"].lower(), away(match["which"]), today))


def _the_unit(match: re.Match[str], said: Said) -> Atom:
    return counted(match, lambda today: spans.stepped(match["unit"].lower(), 0, today), weak="of")


def _before_that(match: re.Match[str], said: Said) -> Atom:
    """the week before: counted from the time told just before it, else from the day of saying."""
    return counted(match, lambda day: spans.stepped(match["unit"].lower(), -1, day), weak="anchored")


def _twice_away(match: re.Match[str], said: Said) -> Atom:
    count = -2 if match["way"].lower() == "before last" else 2
    unit = match["unit"].lower()
    if unit[:3] in _WEEKDAYS and unit != "month":
        return counted(match, lambda today: spans.of_day(spans.weekday_before(day_of_week(unit), today) - DAY * 7) if count < 0 else None)
    return counted(match, lambda today: spans.stepped(unit, count, today))


def _ago(match: re.Match[str], said: Said) -> Atom:
    unit, half = match["unit"].lower(), bool(match["half"] or match["more"])
    if match["bound"] or match["fuzzy"]:
        return counted(match, lambda today: None)
    if unit in ("minute", "hour"):
        return counted(match, lambda today: _minutes_ago(said, number(match["count"] or "a") * (60 if unit == "hour" else 1)))
    if unit[:3] in _WEEKDAYS and unit != "month":
        return counted(match, lambda today: spans.of_day(spans.weekday_before(day_of_week(unit), today) - DAY * (7 * number(match["count"]) - 7)))
    if match["halved"]:
        return counted(match, lambda today: spans.stepped("month", -6, today) if unit == "year" else None)
    count = number(match["count"])
    if half:
        return counted(match, lambda today: spans.stepped("month", -12 * count - 6, today) if unit == "year" else None)
    if match["today"]:
        return counted(match, lambda today: _same_day(unit, -count, today))
    return counted(match, lambda today: spans.stepped(unit, -count, today))


def _minutes_ago(said: Said, minutes: int) -> Span | None:
    if said.day is None or said.minutes < 0:
        return None
    return spans.of_day(said.day + DAY * ((said.minutes - minutes) // 1440))


def _same_day(unit: str, count: int, today: date) -> Span | None:
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    if days:
        return spans.of_day(today + DAY * (days * count))
    months = {"month": 1, "year": 12}.get(unit)
    if months is None:
        return None
    first = spans.after_months(today, months * count)
    return spans.of_day(first.replace(day=today.day)) if today.day <= spans.month_end(first.year, first.month).day else None


def _ahead(match: re.Match[str], said: Said) -> Atom | None:
    """in 3 weeks, two days from now. After a past verb "in two days" is how long it took, and no time."""
    unit, count = match["unit"].lower(), number(match["count"])
    atom = counted(match, lambda today: spans.stepped(unit, count, today))
    sure = match.groupdict().get("sure")
    return atom if sure else atom._replace(weak="sure" if match["count"].lower() in ("a", "an") else "ahead")


def _rolling(match: re.Match[str], said: Said) -> Atom:
    sign = 1 if match["which"].lower() in ("next", "coming") else -1
    if match["fuzzy"]:
        return counted(match, lambda today: None)
    return counted(match, lambda today: spans.rolling(match["unit"].lower(), sign * number(match["count"]), today))


def _going_on(match: re.Match[str], said: Said) -> Atom:
    """For 3 years now: since the year three before."""
    return counted(match, lambda today: spans.stepped(match["unit"].lower(), -number(match["count"]), today))._replace(weak="since")


def _weekday(match: re.Match[str], said: Said) -> Atom | None:
    which = " ".join((match["which"] or "").lower().split())
    day = day_of_week(match["weekday"])
    if not which:
        return weekday(match, day, weak="weekday") if match["weekday"][0].isupper() or len(match["weekday"]) > 5 else None
    if "past" in which or which in ("last", "previous"):
        return weekday(match, day, settled_by=PAST)
    if which == "next":
        return counted(match, lambda today: spans.of_day(today + DAY * (7 + day - today.weekday())))
    if which == "this":
        return counted(match, lambda today: spans.of_day(spans.weekday_after(day, today - DAY)))
    return weekday(match, day, settled_by=COMING)


def _weekday_of_week(match: re.Match[str], said: Said) -> Atom:
    weeks = away(match["which"] or match["lead"])
    day = day_of_week(match["weekday"] or match["after"])
    return counted(match, lambda today: spans.of_day(today + DAY * (7 * weeks + day - today.weekday())))


def _date(match: re.Match[str], said: Said) -> Atom | None:
    """5 May, May 5th 2023, May 5-7, the fifth of May."""
    parts, which = match.groupdict(), month(match["month"])
    word = parts["day"].lower()
    first = ORDINALS[word] if word in ORDINALS else int(word)
    last = int(parts.get("last") or first)
    if not 1 <= first <= last <= 31:
        return None
    if which in (3, 5) and not parts["year"] and not match["month"][0].isupper() and not re.search(r"\d(?:st|nd|rd|th)", match.group(), re.IGNORECASE):
        return None  # "may 5 of us come", "march 5 miles"

    def in_year(year: int) -> Span | None:
        begins, ends = date(year, which, first), date(year, which, last)
        return spans.of_day(begins) if first == last else Span(begins, ends, "range")

    return _in_year(match, in_year)


def _month(match: re.Match[str], said: Said) -> Atom | None:
    parts, which = match.groupdict(), month(match["month"])
    lead = " ".join((parts.get("which") or "").lower().split())
    if lead and which in (3, 5) and not match["month"][0].isupper():
        return None  # "this may be", "the last march"
    if lead in ("last", "past", "this past"):
        return counted(match, lambda today: spans.of_month(today.year - (which >= today.month), which))
    if lead in ("next", "this coming", "coming"):
        return counted(match, lambda today: spans.of_month(today.year + (which <= today.month), which))
    if lead == "this":
        return counted(match, lambda today: spans.of_month(today.year, which))
    return _in_year(match, lambda year: spans.of_month(year, which), weak="month")


def _season(match: re.Match[str], said: Said) -> Atom | None:
    season, which = match["season"].lower(), " ".join((match["which"] or "").lower().split())
    if not which:
        return _in_year(match, lambda year: spans.of_season(year, season))
    if "past" in which or which == "last":
        return counted(match, lambda today: max(span for span in _seasons(today, season) if span.last < today))
    if which == "this" and season == "winter":
        return counted(match, lambda today: spans.of_season(today.year - (today.month < 6), season))
    if which == "this":
        return counted(match, lambda today: spans.of_season(today.year, season))
    return counted(match, lambda today: min(span for span in _seasons(today, season) if span.first > today))


def _seasons(today: date, season: str) -> list[Span]:
    return [spans.of_season(today.year + years, season) for years in (-2, -1, 0, 1) if today.year + years > 0]


def _in_year(match: re.Match[str], in_year: Callable[[int], Span | None], weak: str = "") -> Atom:
    """In the year that is written, in last or next year, or in that which fits the tense."""
    parts = match.groupdict()
    if parts.get("year"):
        try:
            return fixed(match, in_year(_year(parts["year"])))
        except ValueError:  # 30 February: a time, but none that exists
            return fixed(match, None)
    if parts.get("of"):
        return counted(match, lambda today: in_year(today.year + away(parts["of"].split()[0])))
    return yearly(match, in_year, weak)


def _year(written: str) -> int:
    """2021, or '21: of this century up to '39."""
    if len(written) == 4:
        return int(written)
    short = int(written[1:])
    return short + (2000 if short < 40 else 1900)


def _holiday(match: re.Match[str], said: Said) -> Atom | None:
    name = " ".join(match["name"].lower().replace("’", "'").split()).removesuffix(" day")
    which, day = _HOLIDAYS.get(name + " day") or _HOLIDAYS[name], (match["which"] or "").lower()

    def in_year(year: int) -> Span:
        return spans.of_day(date(year, *which))

    if day == "last":
        return counted(match, lambda today: max(span for year in (today.year - 1, today.year) if (span := in_year(year)).first < today))
    if day == "next":
        return counted(match, lambda today: min(span for year in (today.year, today.year + 1) if (span := in_year(year)).first > today))
    if day == "this":
        return counted(match, lambda today: in_year(today.year))
    return _in_year(match, in_year, weak="" if " " in name else "holiday")


def _decade(match: re.Match[str], said: Said) -> Atom:
    decade = int(match["short"] or match["long"]) * 10
    return fixed(match, spans.of_decade(decade + 1900 if decade < 100 else decade))


def _day_of_month(match: re.Match[str], said: Said) -> Atom | None:
    day = int(match["day"])
    if not 1 <= day <= 31:
        return None
    if match["of"]:
        months = away(match["of"]) if match["of"].lower() != "the" else 0

        def on_day(today: date) -> Span | None:
            first = spans.after_months(today, months)
            return spans.of_day(first.replace(day=day)) if day <= spans.month_end(first.year, first.month).day else None

        return counted(match, on_day)
    return day_of_month(match, day)
