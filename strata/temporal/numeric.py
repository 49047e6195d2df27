"""Times written in figures: 2024-05-06, with a clock or without, 2024/05/06, 13/5/2024, 31.12.2025, and bare years."""

from __future__ import annotations

import re
from datetime import date

from strata import moment
from strata.temporal import spans
from strata.temporal.atoms import Atom, Rule, Said, fixed
from strata.temporal.spans import Span

_NOT_YEARS = r"%|px|mah?\b|km\b|k?g\b|mb\b|gb\b|hz\b|ml\b|m\b|ft\b|words|steps|people|meters|metres|miles|dollars|euros|pounds|bucks|points|lines|calories|pages|times|items|users|tokens|percent|元|块|个|人|米|步|字"


def _iso(match: re.Match[str], said: Said) -> Atom:
    year, month, day = (int(part) if part else 0 for part in match.group("year", "month", "day"))
    try:
        span = spans.of_day(date(year, month, day)) if day else spans.of_month(year, month)
    except ValueError:
        span = None
    return fixed(match, span)


def _slashed(match: re.Match[str], said: Said) -> Atom:
    """Day and month in either order: known only where one cannot be a month, or both are the same."""
    first, second, year = (int(part) for part in match.group("first", "second", "year"))
    span: Span | None = None
    if first == second or (first > 12) != (second > 12):
        day, month = (first, second) if first > 12 or first == second else (second, first)
        try:
            span = spans.of_day(date(year, month, day))
        except ValueError:
            span = None
    return fixed(match, span)


def _dotted(match: re.Match[str], said: Said) -> Atom | None:
    """Day, month and year, as the dots say; the other way round only where the second cannot be a month. What is no day is no time: a version, say."""
    first, second, year = (int(part) for part in match.group("first", "second", "year"))
    day, month = (second, first) if second > 12 else (first, second)
    try:
        return fixed(match, spans.of_day(date(year, month, day)))
    except ValueError:
        return None


def _instant(match: re.Match[str], said: Said) -> Atom | None:
    text = match.group()
    if not moment.is_valid(text):
        return fixed(match, None)
    known = moment.parse(text)
    return fixed(match, Span(known.opens.date(), known.opens.date(), f"={text}"))


def _year(match: re.Match[str], said: Said) -> Atom:
    return fixed(match, spans.of_year(int(match["year"])), weak="year")


RULES = (
    Rule(("t0", "t1", "t2"), r"(?<![\w.-])\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:z|[+-]\d\d(?::\d\d)?)?(?![\w:-])", _instant),
    Rule(("-",), r"(?<![\w./-])(?P<year>(?:1[5-9]|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?![-\w/]|\.\d)", _iso),
    Rule(("/",), r"(?<![\w./-])(?P<year>(?:19|20)\d\d)/(?P<month>\d\d?)/(?P<day>\d\d?)(?![\w/-]|\.\d)", _iso),
    Rule(("/",), r"(?<![\w./-])(?P<first>\d\d?)/(?P<second>\d\d?)/(?P<year>(?:19|20)\d\d)(?![\w/-]|\.\d)", _slashed),
    Rule((".19", ".20"), r"(?<![\w.,/:=@<>~^$€£-])(?<!version )(?<!release )(?<!python )(?<!build )(?<!tag )(?P<first>\d\d?)\.(?P<second>\d\d?)\.(?P<year>(?:19|20)\d\d)(?![\w/:-]|\.\w)", _dotted),
    Rule(("19", "20"), rf"(?<![\w.,$€£#/:+-])(?P<year>(?:19|20)\d\d)(?![\w/:]|['’]s|[.,]\d|-\d\d\b|\s*(?:{_NOT_YEARS}))", _year),
)
