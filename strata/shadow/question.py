"""What a question asks for: its terms with their echoes, who is named, which time, and what kind of answer.

Pure. A question is text; nothing in it is an operator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from typing import NamedTuple

from strata.periods import Periods, periods
from strata.shadow import traits
from strata.shadow.related import related
from strata.shadow.terms import is_plain, query_terms, terms

ECHO = 0.45  # of the weight of a term for one that is related to it
_ECHOED = 12  # terms of a question, the first ones, whose echoes are looked up
_LATEST = r"\b(?:latest|newest|most recent(?:ly)?|current(?:ly)?|nowadays|these days|right now|at the moment|still)\b|最新|最近|目前|现在|当前|如今"
_FIRST = r"\b(?:first|earliest|original(?:ly)?|initial(?:ly)?|at first|in the beginning)\b|最早|最初|第一次|起初|一开始"
_BOTH = r"\b(?:both|and)\b|和|与|跟"
_QUESTION = (
    r"[?？]\s*$|^\s*(?:who|whom|whose|what|when|where|why|how|which|is|are|was|were|do|does|did|can|could|would|should|has|have|had|will|list|name|tell)\b"
    "|什么|哪|谁|怎|多少|几|吗|呢|是否|为何"
)
_ASKED = (
    (traits.TIMED, 1.8, "when", r"^\s*(?:when|what (?:date|day|month|year|time)|how long|since when)\b|\bwhen (?:did|was|were|is|does|do|will)\b|什么时候|何时|哪[天年月]|几[号月点]"),
    (traits.NUMBERED, 1.7, "how many", r"^\s*how (?:many|much|often|old|long)\b|\bhow many\b|多少|几[个只本次位岁块条]|多[大久长]"),
    (traits.TITLED, 1.3, "title", r"\b(?:books?|movies?|films?|songs?|games?|titles?|series|bands?|called|names?|named|shows?|albums?|read|watch(?:ed)?)\b|书|电影|歌|游戏|叫什么"),
    (traits.LASTING, 1.4, "how long", r"\bhow long\b|多久|多长时间"),
)  # fmt: skip


_FRAMES = "happen say tell talk mention discuss speak chat ask reply occur go do take place thing event work 说 讲 谈 聊 提 做 干 事 发生 说了 讲了 做了 情 事情"


class Group(NamedTuple):
    """One term of a question with the terms that may stand in for it, each with its strength below 1.

    A `name` is that of a speaker: it says whose words are asked for, and counts in records alone.
    """

    term: str
    weight: float
    echoes: tuple[tuple[str, float], ...] = ()
    name: bool = False


class Question(NamedTuple):
    """A question as the ranking takes it; `wants` are traits of an answer with their factors, and a word for each.

    What does not ask is a few words to look up: then the text with the very words comes before the one that answers it.
    """

    groups: tuple[Group, ...]
    speakers: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()  # their terms
    periods: Periods = Periods()
    wants: tuple[tuple[int, float, str], ...] = ()
    asks: bool = True
    latest: bool = False
    first: bool = False


def understood(text: str, speakers: Mapping[str, frozenset[str]], today: date | None) -> Question:
    """A question read; `speakers` are the names that some message bears, by each of their terms.

    A question for a time, or for what somebody said, has no terms. Of two speakers the first counts, unless both are meant: "what did Jo say to Kim" asks for words of Jo.
    """
    time = periods(text, today, speakers)
    found = query_terms(time.rest)
    named = [term for term in found if term in speakers]
    if all(term in speakers or is_plain(term) for term in found) or (named or time) and all(term in speakers or term in _frames() for term in found):
        found = dict.fromkeys(named, 1.0) if named or time else query_terms(text)
    bare = all(term in speakers for term in found)
    first = named if _says(_BOTH)(text) else named[:1]
    names = frozenset(name for term in first for name in speakers[term])
    asked = [term for term in found if bare or term not in speakers][:_ECHOED]
    echoes = related(asked, terms)
    if bare and (time or named and len(text.split()) > len(named)):
        found = {}
    groups = tuple(Group(term, weight, _echoes(term, found, echoes), name=not bare and term in speakers) for term, weight in found.items())
    wants = tuple((trait, factor, word) for trait, factor, word, pattern in _ASKED if _says(pattern)(text))
    return Question(groups, names, tuple(first), time, wants, bool(_says(_QUESTION)(text)), bool(_says(_LATEST)(text)), bool(_says(_FIRST)(text)))


def _echoes(term: str, found: Mapping[str, float], echoes: Mapping[str, list[str]]) -> tuple[tuple[str, float], ...]:
    """The stand-ins of a term, but for those that are asked for themselves."""
    return tuple((other, ECHO) for other in echoes.get(term, ()) if other not in found)


@cache
def _frames() -> frozenset[str]:
    """What a question about a time or somebody says beside that, and no text needs to have."""
    return frozenset(term for word in _FRAMES.split() for term in terms(word))


@cache
def _says(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern, re.IGNORECASE).search
