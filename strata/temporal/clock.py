"""A time of day beside a day: at 5pm, 17:30, noon, 下午三点半."""

from __future__ import annotations

import re
from functools import cache

_DIGITS = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
_ENGLISH = r"(?:(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?\s*(?P<half>[ap])(?:m\b|\.m\b\.?)|(?P<hour24>[01]?\d|2[0-3]):(?P<minute24>[0-5]\d)(?!\d)|(?P<noon>noon))"


@cache
def _after() -> re.Pattern[str]:
    chinese = r"(?P<part>凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|晚|早)?\s*(?P<han>\d{1,2}|[一二两三四五六七八九十]{1,3})(?:[点时](?:(?P<quarter>半|[一三]刻)|(?P<minutes>[0-5]?\d)分?)?整?|:(?P<colon>[0-5]\d))"
    return re.compile(rf",?\s*(?:(?:at|by|around|from)\s+)?{_ENGLISH}|(?:的)?{chinese}", re.IGNORECASE)


@cache
def _before() -> re.Pattern[str]:
    return re.compile(rf"(?:\bat\s+|\b(?<![\d:]))?{_ENGLISH}\s+(?:on\s+)?\Z", re.IGNORECASE)


@cache
def _part() -> re.Pattern[str]:
    return re.compile(r"\s+(?:early\s+|late\s+)?(?:morning|afternoon|evening|night)\b", re.IGNORECASE)


def after(text: str, stop: int, words: str) -> tuple[int, int] | None:
    """The minutes of a time of day right after a day, and where it ends. 今晚8点 takes the evening from the day's words."""
    match = _after().match(text, stop)
    if match is None:
        return None
    if not match["han"]:
        return _english(match), match.end()
    hour = _han(match["han"])
    minute = {"半": 30, "一刻": 15, "三刻": 45}.get(match["quarter"] or "", int(match["minutes"] or match["colon"] or 0))
    part = match["part"] or words
    if hour < 12 and any(word in part for word in ("下午", "晚", "傍")) or hour < 4 and "中午" in part:
        hour += 12
    elif not match["part"] and not any(word in words for word in "早晚午") and hour < 13 and not match["colon"]:
        return None  # 明天三点: of the night or of the afternoon
    return (hour * 60 + minute, match.end()) if hour < 24 else None


def before(text: str, begin: int) -> tuple[int, int] | None:
    """The minutes of a time of day right before a day, and where it begins."""
    match = _before().search(text, max(0, begin - 24), begin)
    return (_english(match), match.start()) if match else None


def daypart(text: str, stop: int) -> int:
    """Where "morning" or "night" behind a day ends; `stop` itself if there is none."""
    match = _part().match(text, stop)
    return match.end() if match else stop


def _english(match: re.Match[str]) -> int:
    if match["noon"]:
        return 12 * 60
    if match["hour24"]:
        return int(match["hour24"]) * 60 + int(match["minute24"])
    return (int(match["hour"]) % 12 + (12 if match["half"].lower() == "p" else 0)) * 60 + int(match["minute"] or 0)


def _han(text: str) -> int:
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)
