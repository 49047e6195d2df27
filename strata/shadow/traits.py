"""What a text has that a question may ask for: a time, a number, a title; and whether it asks something itself.

Found once, when the text is indexed, and kept as the bits of one number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

ASKS = 1  # it ends in a question
TIMED = 2  # it says when: "yesterday", "in May", 上周
NUMBERED = 4  # it has a number, in digits or words
TITLED = 8  # it quotes something, as titles are
LASTING = 16  # it says how long
HAPPENED = 32  # an event whose own time is known

_READ = 4000  # characters of a text that are looked at

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several"
_PATTERNS = (
    (
        TIMED,
        rf"\b(?:yesterday|today|tonight|tomorrow|last|next|this|ago|weeks?|weekend|months?|years?|since|recently|{_DAYS}|{_MONTHS}|\d{{4}})\b"
        "|[昨今明前后]天|[上下这本]个?[周月]|[去今明前]年|周[一二三四五六日末]|星期|\\d[月日号]",
    ),
    (NUMBERED, rf"\d|\b(?:{_COUNTS})\b|[一二两三四五六七八九十百千万几][个只本次条位岁年天月周块元]"),
    (TITLED, "[\"“「『《][^\"”」』》\n]{2,60}[\"”」』》]"),
    (LASTING, r"\b(?:\d+|an?|" + _COUNTS + r") (?:second|minute|hour|day|week|month|year|decade)s?\b|\bsince\b|[\d一二两三四五六七八九十几](?:个?[月年天周]|小时|分钟)"),
)


def traits(text: str) -> int:
    """The traits of a text, from its first 4,000 characters and its last line."""
    found = ASKS if asks(text) else 0
    beginning = text[:_READ]
    for trait, search in _searches():
        if search(beginning):
            found |= trait
    return found


def asks(text: str) -> bool:
    """Whether the last line of a text, remarks in square brackets aside, ends in a question mark."""
    end = text[-_READ:].rstrip()
    while end.endswith("]"):
        line = end.rfind("\n")
        if line < 0 or not end.startswith("[", line + 1):
            break
        end = end[:line].rstrip()
    return end.endswith(("?", "？"))


@cache
def _searches() -> tuple[tuple[int, Callable[[str], object]], ...]:
    return tuple((trait, re.compile(pattern, re.IGNORECASE).search) for trait, pattern in _PATTERNS)
