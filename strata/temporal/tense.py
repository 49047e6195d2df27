"""Whether the clause around a time tells of what was or of what will be, by the verb form that stands nearest."""

from __future__ import annotations

import re
from functools import cache

PAST, COMING, UNSURE = -1, 1, 0
_STOPS = ".!?;\n。！？；…"
_NEAR = 90  # characters on each side


@cache
def _coming() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:will|won['’]t|shall|\w+['’]ll|gonna|going\s+to|plan(?:ning|s)?(?:\s+(?:to|on|for))?|planned\s+for|(?:re)?scheduled|booked\s+for|due|upcoming|see\s+you|let['’]?s"
        r"|can['’]?t\s+wait|(?:look|count)ing\s+forward|hop(?:e|ing)\s+to|want(?:s|ing)?\s+to|need(?:s)?\s+to|have\s+to|must|should|supposed\s+to|would\s+like"
        r"|remind|deadline|(?:[’']m|[’']re|[’']s|\bam|\bare|\bis)\s+(?:\w+\s+)?(?!nothing|something|anything|everything|morning|evening|amazing|interesting|exciting)\w+ing|free|available|until|by)\b"
        r"|[要会将]|打算|准备|计划|希望|等到|记得|约",
        re.IGNORECASE,
    )


@cache
def _past() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:was|were|wasn['’]t|weren['’]t|did|didn['’]t|had|[a-z]+['’]d|went|got|came|saw|met|took|made|gave|won|lost|found|left|told|said|felt|began|bought|thought|ran|ate|read|drove|flew"
        r"|wrote|spoke|broke|fell|held|heard|kept|knew|led|paid|sent|sold|sang|sat|slept|spent|stood|swam|taught|threw|understood|woke|wore|built|brought|caught|chose|drew|drank|grew|hit|hurt"
        r"|became|forgot|hung|rode|rose|shot|stole|began|dealt|fought|hid|beat|bit|blew"
        r"|(?!need\b|indeed\b|speed\b|(?:un)?excited\b|tired\b|interested\b|supposed\b|(?:re)?scheduled\b|planned\b|booked\b|hundred\b|proceed\b|succeed\b|exceed\b|breed\b|sacred\b|naked\b|wicked\b)[a-z]{2,}ed)\b"
        r"|[了过]|[刚曾]",
        re.IGNORECASE,
    )


def around(text: str, begin: int, stop: int) -> int:
    """PAST, COMING or UNSURE, for the clause that holds the words from `begin` to `stop`."""
    left, right = begin, stop
    while left > 0 and begin - left < _NEAR and text[left - 1] not in _STOPS:
        left -= 1
    while right < len(text) and right - stop < _NEAR and text[right] not in _STOPS:
        right += 1
    past, coming = (_distance(pattern, text, left, begin, stop, right) for pattern in (_past(), _coming()))
    return UNSURE if past == coming else PAST if past < coming else COMING


def _distance(pattern: re.Pattern[str], text: str, left: int, begin: int, stop: int, right: int) -> int:
    """How far the nearest such verb stands from the words; more than any distance where there is none."""
    before = [begin - match.end() + _commas(text, match.end(), begin) for match in pattern.finditer(text, left, begin)]
    after = [match.start() - stop + _commas(text, stop, match.start()) for match in pattern.finditer(text, stop, right)]
    return min(before + after, default=1000)


def _commas(text: str, begin: int, stop: int) -> int:
    """What the commas between a verb and a time add to their distance."""
    return 20 * sum(text.count(mark, begin, stop) for mark in ",，")
