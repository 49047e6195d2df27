"""The single times of a text before they are joined: what stands fixed, and what still needs the nearest year or week."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from typing import NamedTuple

from strata.temporal import spans
from strata.temporal.spans import DAY, Span
from strata.temporal.tense import COMING, PAST, UNSURE


class Said(NamedTuple):
    """When a text was said: the day on the speaker's own clock (None: unknown), the hour, and the offset as written."""

    day: date | None
    minutes: int = -1
    offset: str = ""


class Atom(NamedTuple):
    """One time, at its place in the text.

    `settle` gives its stretch from the day of saying and the tense, or None for what stays unknown.
    A weak one (a bare "May", "2019" or "Friday") counts only beside a word that makes it a time.
    `clock` is a time of day in minutes, `basis` explicit or relative.
    """

    begin: int
    stop: int
    settle: Callable[[date | None, int], Span | None]
    basis: str = "relative"
    weak: str = ""
    clock: int = -1


class Rule(NamedTuple):
    """What to look for: words of which one must be in the text (in small letters), a pattern, and who takes a match."""

    hints: tuple[str, ...]
    pattern: str
    take: Callable[[re.Match[str], Said], Atom | None]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def found(rules: Iterable[Rule], text: str, lowered: str, said: Said) -> list[Atom]:
    """The times that rules find, overlaps too."""
    atoms = []
    for rule in rules:
        if any(hint in lowered for hint in rule.hints):
            for match in compiled(rule.pattern).finditer(text):
                atom = rule.take(match, said)
                if atom is not None:
                    atoms.append(atom)
    return atoms


def apart(atoms: list[Atom]) -> list[Atom]:
    """Those that do not overlap, in order; of two that do the longer, then the first found."""
    chosen: list[Atom] = []
    for atom in sorted(atoms, key=lambda atom: atom.begin - atom.stop):
        if all(atom.stop <= other.begin or atom.begin >= other.stop for other in chosen):
            chosen.append(atom)
    return sorted(chosen, key=lambda atom: atom.begin)


def fixed(match: re.Match[str], span: Span | None, basis: str = "explicit", weak: str = "", clock: int = -1) -> Atom:
    """A time that is what it is, whatever the day; None for one that cannot be known."""
    return Atom(match.start(), match.end(), lambda _today, _tense: span, basis, weak, clock)


def counted(match: re.Match[str], count: Callable[[date], Span | None], *, weak: str = "", clock: int = -1) -> Atom:
    """A time counted from the day of saying; unknown where that is."""
    return Atom(match.start(), match.end(), lambda today, _tense: count(today) if today else None, "relative", weak, clock)


def yearly(match: re.Match[str], in_year: Callable[[int], Span | None], weak: str = "", clock: int = -1) -> Atom:
    """A time that returns each year: the latest after a past verb, the next before a coming one, else the nearest."""
    return Atom(match.start(), match.end(), lambda today, tense: nearest(in_year, today, tense), "relative", weak, clock)


def nearest(in_year: Callable[[int], Span | None], today: date | None, tense: int) -> Span | None:
    """The stretch of the year that fits the tense best; one that holds the day itself fits any."""
    if today is None:
        return None
    options = [span for year in range(max(today.year - 8, 1), today.year + 9) if (span := _attempt(in_year, year)) is not None]
    if tense == PAST:
        return max((span for span in options if span.first <= today), default=None)
    if tense == COMING:
        return min((span for span in options if span.last >= today), default=None)
    return min(options, key=lambda span: (_gap(span, today), span.first), default=None)


def weekday(match: re.Match[str], number: int, weak: str = "", clock: int = -1, settled_by: int = UNSURE, this_week: bool = False) -> Atom:
    """A bare weekday: the latest after a past verb, the next before a coming one; else unknown, or that of this week."""

    def settle(today: date | None, tense: int) -> Span | None:
        tense = settled_by or tense
        if today is None or tense == UNSURE and not this_week:
            return None
        if tense == UNSURE:
            return spans.of_day(today + DAY * (number - today.weekday()))
        return spans.of_day(spans.weekday_before(number, today) if tense == PAST else spans.weekday_after(number, today))

    return Atom(match.start(), match.end(), settle, "relative", weak, clock)


def day_of_month(match: re.Match[str], number: int, weak: str = "") -> Atom:
    """A day of which only the number is said, in the month that fits the tense."""

    def settle(today: date | None, tense: int) -> Span | None:
        if today is None:
            return None
        options = []
        for months in range(-3, 4):
            first = spans.after_months(today, months)
            if number <= spans.month_end(first.year, first.month).day:
                options.append(first.replace(day=number))
        if tense == PAST:
            options = [day for day in options if day <= today][-1:]
        elif tense == COMING:
            options = [day for day in options if day >= today][:1]
        return spans.of_day(min(options, key=lambda day: abs(day - today))) if options else None

    return Atom(match.start(), match.end(), settle, "relative", weak)


def _attempt(in_year: Callable[[int], Span | None], year: int) -> Span | None:
    try:
        return in_year(year)
    except ValueError:  # 29 February of a common year
        return None


def _gap(span: Span, today: date) -> int:
    return max((span.first - today).days, (today - span.last).days, 0)
