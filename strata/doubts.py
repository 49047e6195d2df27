"""Mechanical doubts about evidence: what often goes wrong when a batch is believed to be enough, seen from words, dates and scores alone.

Nothing here understands a text. Each doubt has points, by how much more often it was met beside a wrong top hit than
beside a right one (tests/bench/gate.py); where they add up to `STOP`, those that made up the sum are marked to stop for.
They never block.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from strata.assessment import Doubt

STOP = 0.9  # points

_CLOSE = 0.7  # share of the best cited score from which a hit is a rival
_NAMES = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
_RIVALS = 3  # hits that are compared with it
_ABSENT = 0.25  # points where no word of the question is in the evidence
_FEW = 0.34  # share of the question's words that may be absent without a remark
_THIN = 80  # columns of text below which a message says little
_NAMED = 6  # words or refs that a doubt names


class Piece(NamedTuple):
    """A hit as the file has it now, or another message that was cited.

    `terms` are those of its text and of its day; `dated` says that an event tells when it happened; `follows` is the ref of the next
    message of its thread. `status` and `counterpart` as in a Hit.
    """

    ref: str
    kind: str
    text: str
    at: str = ""
    speaker: str = ""
    score: float = 0.0
    terms: Collection[str] = ()
    dated: bool = False
    follows: str = ""
    status: str = ""
    counterpart: str = ""


def doubts(query: str, asked: Mapping[str, str], pieces: Sequence[Piece], cited: Collection[str]) -> tuple[Doubt, ...]:
    """What speaks against answering `query` from the cited pieces of a batch, the gravest first.

    `asked` are the terms of the query that carry meaning, each with the word it was written as.
    """
    evidence = [piece for piece in pieces if piece.ref in cited]
    others = [piece for piece in pieces if piece.ref not in cited]
    if not evidence:
        return ()
    named = _names(query, pieces)
    content = {term: word for term, word in asked.items() if word.casefold() not in named and term not in named}
    found = [
        *_outdated(evidence, others),
        *_other_speaker(evidence, named),
        *_competing(evidence, others),
        *_undated(query, evidence),
        *_uncovered(content, evidence),
        *_question(evidence, others),
        *_thin(evidence),
        *_list(query, content, evidence, others),
    ]
    found.sort(key=lambda pair: -pair[0])
    stop = sum(points for points, _ in found) >= STOP
    return tuple(doubt._replace(stop=stop and points > 0) for points, doubt in found)


Pair = tuple[float, Doubt]


def _outdated(evidence: Sequence[Piece], others: Sequence[Piece]) -> Iterator[Pair]:
    """What was said later about the same thing is in the batch, or known beside it, and not cited."""
    cited = {piece.ref for piece in evidence}
    for piece in evidence:
        if piece.status == "outdated" and piece.counterpart not in cited:
            yield STOP, Doubt("outdated", f"{piece.ref} is outdated: {piece.counterpart or 'something later'} says what holds now", _refs(piece.ref, piece.counterpart))


def _other_speaker(evidence: Sequence[Piece], named: Collection[str]) -> Iterator[Pair]:
    speakers = {piece.speaker for piece in evidence if piece.kind == "message" and piece.speaker}
    if named and speakers and not any(_words(speaker) & set(named) for speaker in speakers):
        who = ", ".join(sorted(named)[:_NAMED])
        yield STOP, Doubt("other_speaker", f"the question names {who}, and the evidence was said by {', '.join(sorted(speakers)[:_NAMED])}", _cited(evidence))


def _competing(evidence: Sequence[Piece], others: Sequence[Piece]) -> Iterator[Pair]:
    """Hits of the same kind that fit about as well and were left aside: the more of the next three, and the closer, the worse."""
    best = max(evidence, key=lambda piece: piece.score)
    shares = sorted(((_share(best.score, piece.score), piece.ref) for piece in others if piece.kind == best.kind), reverse=True)[:_RIVALS]
    crowd = sum(share for share, _ in shares) / _RIVALS
    rivals = [ref for share, ref in shares if share >= _CLOSE]
    if crowd >= _CLOSE and rivals:
        yield crowd, Doubt("competing", f"{rivals[0]} fits the question about as well as {best.ref}, and is not cited", _refs(*rivals, best.ref))


def _share(one: float, other: float) -> float:
    return min(one, other) / max(one, other) if min(one, other) > 0 else 0.0


def _undated(query: str, evidence: Sequence[Piece]) -> Iterator[Pair]:
    """The question asks when, and nothing cited has a date, or a relative word that the time of its message anchors."""
    if not _asks_when().search(query) or any(_tells_when(piece) for piece in evidence):
        return
    if floating := [piece.ref for piece in evidence if _relative().search(piece.text) and not piece.at]:
        yield 0.2, Doubt("unanchored", f"{floating[0]} says when only relatively, and when that was said is not known", tuple(floating))
    else:
        yield 0.2, Doubt("undated", "the question asks when, and nothing cited has a date or says one", _cited(evidence))


def _tells_when(piece: Piece) -> bool:
    return piece.dated or bool(_absolute().search(piece.text)) or bool(piece.at and _relative().search(piece.text))


def _uncovered(content: Mapping[str, str], evidence: Sequence[Piece]) -> Iterator[Pair]:
    """Words of the question that no evidence has; half of them missing is worth a point."""
    said = {term for piece in evidence for term in piece.terms}
    absent = list(dict.fromkeys(word for term, word in content.items() if term not in said))
    share = sum(term not in said for term in content) / max(1, len(content))
    if share > _FEW:
        yield _ABSENT * share, Doubt("uncovered", f"nothing cited has: {', '.join(absent[:_NAMED])}", _cited(evidence))


def _question(evidence: Sequence[Piece], others: Sequence[Piece]) -> Iterator[Pair]:
    """The cited message asks; what answers it stands after it."""
    waiting = {piece.ref for piece in others}
    cited = {piece.ref for piece in evidence}
    for piece in evidence:
        if piece.kind == "message" and piece.text.rstrip(" \n\"')*_”」").endswith(("?", "？")) and piece.follows not in cited:
            follows = f": the answer may be {piece.follows}" if piece.follows in waiting else ", and what follows it is not cited"
            yield 0, Doubt("question", f"{piece.ref} ends in a question{follows}", _refs(piece.ref, piece.follows))


def _thin(evidence: Sequence[Piece]) -> Iterator[Pair]:
    if all(piece.kind == "message" for piece in evidence) and (columns := sum(map(_width, evidence))) < _THIN:
        yield 0.1, Doubt("thin", f"the evidence is {columns} characters in all", _cited(evidence))


def _width(piece: Piece) -> int:
    """Characters of a text; one of Chinese says about as much as three."""
    return len(piece.text) + 2 * sum(character > "\u2e7f" for character in piece.text)


def day_words(at: str) -> str:
    """The words in which a question may name the day of a time: `2 2nd May 2023 5月2日 5月2号`; "" where no day is known."""
    year, _, rest = at[:10].partition("-")
    month, _, day = rest.partition("-")
    if not (len(year) == 4 and month.isdecimal() and day.isdecimal() and 1 <= int(month) <= len(_NAMES)):
        return ""
    number = int(day)
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number} {number}{ending} {_NAMES[int(month) - 1]} {year} {int(month)}月{number}日 {int(month)}月{number}号"


def _list(query: str, content: Mapping[str, str], evidence: Sequence[Piece], others: Sequence[Piece]) -> Iterator[Pair]:
    """The question asks for several things, and hits that share its words are not cited."""
    if not _asks_list().search(query) or not content:
        return
    further = [piece.ref for piece in others if sum(term in piece.terms for term in content) * 2 >= len(content)]
    if further:
        yield 0, Doubt("partial_list", "the question may ask for several things, and these hits are not cited", tuple(further[:_NAMED]))


def _names(query: str, pieces: Sequence[Piece]) -> frozenset[str]:
    """The speakers of a batch that the question names, in lower case."""
    asked, found = _words(query), set()
    folded = query.casefold()
    for speaker in {piece.speaker for piece in pieces if piece.kind == "message" and piece.speaker}:
        words = _words(speaker)
        found |= words & asked
        found |= {word for word in words if not word.isascii() and len(word) > 1 and word in folded}
    return frozenset(found)


def _words(text: str) -> set[str]:
    return {word.removesuffix("'s").removesuffix("’s") for word in re.findall(r"[\w'’]+", text.casefold())}


def _cited(evidence: Sequence[Piece]) -> tuple[str, ...]:
    return tuple(piece.ref for piece in evidence)


def _refs(*refs: str) -> tuple[str, ...]:
    return tuple(ref for ref in refs if ref)


@cache
def _asks_when() -> re.Pattern[str]:
    return re.compile(r"\b(?:when|(?:what|which|on what|in what)\s+(?:date|day|month|year|week|time)|how long ago|since when)\b|什么时候|什么时间|何时|几号|几月|几点|几时|哪天|哪一天|哪年|哪一年|哪个月|日期", re.IGNORECASE)


@cache
def _asks_list() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:list|name)\s+(?:all|the|every)\b|\b(?:what|which)\s+(?:are|were)\s+(?:all|the|some|\w+'s)\b|\b(?:what|which)\s+(?:\w+\s+){0,3}?\w+[^s\W]s\s+(?:has|have|had|did|does|do|are|were|is|was|can|would)\b"
        r"|\b(?:kinds|types|sorts)\s+of\b|\bhow many\b|哪些|哪几|都有|有什么|列出|几个|几种|多少",
        re.IGNORECASE,
    )


_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"


@cache
def _absolute() -> re.Pattern[str]:
    """A day, a month or a year that stands by itself."""
    return re.compile(rf"\b(?:19|20)\d\d\b|\b(?:{_MONTHS})\.?\s+\d{{1,2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTHS})\b|\bin\s+(?:{_MONTHS})\b|\d{{1,2}}\s*月|[一二三四五六七八九十]+月|\d+\s*[日号]", re.IGNORECASE)


@cache
def _relative() -> re.Pattern[str]:
    """A word that means a time only beside the time at which it was said."""
    return re.compile(
        r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|past|previous|coming)\s+(?:\w+\s+)?(?:night|week|weekend|month|year|summer|winter|spring|fall|autumn|morning|evening|\w+day|few)"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|just|recently|lately|since|for\s+(?:\w+\s+)?(?:days|weeks|months|years)|now|the other day|this\s+\w+)\b"
        r"|昨|今|明天|明年|前天|后天|去年|前年|上周|上个|下周|下个|本周|这周|周[一二三四五六日末]|星期|最近|刚|现在|以前|天前|年前|月前|早上|晚上",
        re.IGNORECASE,
    )
