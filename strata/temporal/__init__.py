"""Words of time in English and Chinese, as the stretch of the calendar they mean on the speaker's own clock.

`times` finds them in a text, `resolve` reads a phrase that is nothing else. Relative words count from the day that
is written in the time of saying, whatever its offset. What stays open ("recently", "last week" of a message without
a time, 5/6/2024) is given with the basis `unknown`, so that its words can be kept; what may be no time at all is left out.
"""

from __future__ import annotations

import re
from functools import cache

from strata.temporal.result import Resolved

__all__ = ["Resolved", "resolve", "times"]


# Words and word beginnings of times, in small letters; a text without one of them, without a date in figures and without Han holds none.
_WORDS = frozenset(
    "yesterday today tonight tomorrow ago back now recently lately soon night nights day days week weeks weekend weekends fortnight fortnights month months year years decade decades someday"
    " monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun january february march april may june july august september october november december"
    " jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter christmas xmas halloween valentine valentines boxing morning afternoon evening while time mondays fridays"
    " tuesdays wednesdays thursdays saturdays sundays".split()
)


@cache
def _tokens() -> re.Pattern[str]:
    return re.compile("[a-z]+")


@cache
def _figures() -> re.Pattern[str]:
    return re.compile(r"\d[-/]\d|(?:19|20)\d\d|\d0['’]?s|\d(?:st|nd|rd|th)\b|new year|just now|[年月日天周号晚早前后夜刚改]|星期|礼拜|最近|近来|圣诞|元旦|情人节|国庆|劳动节|不久")


def _may_hold_a_time(text: str) -> bool:
    """A cheap first look: most texts hold no time, and need nothing more."""
    lowered = text.lower()
    if not _WORDS.isdisjoint(_tokens().findall(lowered)):
        return True
    return (not lowered.isascii() or "new year" in lowered or "just now" in lowered or any(digit in lowered for digit in "0123456789")) and _figures().search(lowered) is not None


def times(text: str, said_at: str) -> list[Resolved]:
    """Every time expression of a text, in order, without overlaps; `said_at` is the time of the message, "" if unknown."""
    return _read(text, said_at) if _may_hold_a_time(text) else []


def resolve(phrase: str, said_at: str) -> Resolved:
    """The time that a phrase means as a whole, or one whose basis is unknown."""
    bare = phrase.strip(" \t\n.,;:!?。，！？")
    for each in _read(bare, said_at, whole=True):
        before, after = bare[: each.begin], bare[each.stop :]
        if not after.strip() and _filler().fullmatch(before) and (each.begin == 0 or before[-1:].isspace() or not before.isascii()):
            return each._replace(text=phrase, begin=0, stop=len(phrase)) if each.basis != "unknown" else _unknown(phrase)
    return _unknown(phrase)


def _unknown(phrase: str) -> Resolved:
    return Resolved("", "", "unknown", "unknown", phrase, 0, len(phrase))


@cache
def _filler() -> re.Pattern[str]:
    """Words that may stand before a time and add nothing to it."""
    return re.compile(r"(?:(?:back|in|on|at|of|the|for|during|over|about|around|circa|almost|nearly|approximately|sometime|throughout|在|于|大约|大概)\s*)*", re.IGNORECASE)


def _read(text: str, said_at: str, whole: bool = False) -> list[Resolved]:
    from strata.temporal.reading import read  # its patterns and tables are wanted only where a time is likely

    return read(text, said_at, whole)
