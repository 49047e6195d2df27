"""Mechanical doubts about evidence: what often goes wrong when a batch is believed to be enough, seen from words, dates and scores alone.

Nothing here understands a text. Each doubt has points, by how much more often it was met beside a wrong top hit than
beside a right one (tests/bench/gate.py); where they add up to `STOP`, those with a good part in it are marked to stop for.
They never block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from strata.assessment import Doubt
from strata.timewords import absolute, asks_when, relative

STOP = 0.95  # points
COARSE = 2_000  # characters of a record from which to cite it is to cite too much

_CLOSE = 0.7  # share of the best cited score from which a hit is a rival
_LOOK = 0.3  # points of a long record whose part has the words of the question
_RIVALS = 3  # hits that are compared with it
_ABSENT = 0.15  # points where no word of the question is in the evidence
_MORE = 0.4  # points where a rival has all words of the question and the evidence has none
_PART = 0.2  # points from which a doubt has a good part in a stop
_FEW = 0.34  # share of the question's words that may be absent without a remark
_THIN = 80  # columns of text below which a message says little
_SPREAD = 0.6  # share of the question's words that one part of a long record should have
_JOINING = frozenset("什么怎哪谁吗呢吧嘛啊的了着们是在和与跟我你您他她它这那就都也还又被把让给从向对于之其而几")
_ASKING = frozenset(("时候", "多少"))  # pairs that only ask
_NAMED = 6  # words or refs that a doubt names


class Piece(NamedTuple):
    """A hit as the file has it now, or another message that was cited.

    `terms` are those of its text and of its day; `dated` says that an event tells when it happened; `follows` is the ref of the next
    message of its thread. `status` and `counterpart` as in a Hit. `parts` are the messages of a block, or the paragraphs of a
    long record, where it is cited.
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
    parts: tuple[Piece, ...] = ()


def written(query: str, weights: Mapping[str, float], terms: Callable[[str], Collection[str]]) -> dict[str, str]:
    """The terms of a question that carry meaning, each with the word it was written as.

    Pairs of Chinese characters that ask or only join are left out: they lie across words.
    """
    chunks = [word.strip(".,;:!?\"'()") for word in query.split() if max(word) < "\u2e80"]
    words = [word.removesuffix("'s").removesuffix("’s") for word in re.findall(r"[^\W\u2e80-\U0010ffff]+(?:['’][^\W\u2e80-\U0010ffff]+)*", query)]
    told = {term: word for word in (*reversed(chunks), *reversed(words)) for term in terms(word)}
    meant = {term: told.get(term, term) for term, weight in weights.items() if weight == 1}
    return {term: word for term, word in meant.items() if term not in _ASKING and not any(character in _JOINING for character in term)} or meant


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
    close = [_closest(piece, content) for piece in evidence]
    found = [
        *_outdated(evidence, others),
        *_other_speaker(evidence, named),
        *_coarse(content, evidence),
        *_competing(content, evidence, others),
        *_undated(query, close),
        *_uncovered(content, close, _cited(evidence)),
        *_question(evidence, others),
        *_thin(evidence),
        *_list(query, content, evidence, others),
    ]
    found.sort(key=lambda pair: -pair[0])
    stop = sum(points for points, _ in found) >= STOP
    return tuple(doubt._replace(stop=stop and points >= _PART, points=round(points, 2)) for points, doubt in found)


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


def _closest(piece: Piece, content: Mapping[str, str]) -> Piece:
    """The part of a long piece that has most words of the question; a short one itself."""
    return max(piece.parts, key=lambda part: _has(content, part.terms), default=piece)


def _has(content: Mapping[str, str], terms: Collection[str]) -> float:
    """The share of the question's words that are among these terms."""
    return sum(term in terms for term in content) / max(1, len(content))


def _coarse(content: Mapping[str, str], evidence: Sequence[Piece]) -> Iterator[Pair]:
    """A whole block or a long record is cited, where one part of it would do, or where no part has the question's words."""
    for piece in evidence:
        if not piece.parts:
            continue
        part = _closest(piece, content)
        loose = _has(content, part.terms) < _SPREAD
        size = f"{len(piece.parts)} messages" if piece.kind == "block" else f"{len(piece.text):,} characters"
        advice = f"cite the message, such as {part.ref}" if piece.kind == "block" else "say in fit which passage it is"
        told = f"{piece.ref} is {size}{', and no one part of it has the words of the question' if loose else ''}: {advice}"
        yield STOP if loose else _LOOK, Doubt("coarse", told, tuple(dict.fromkeys((piece.ref, part.ref))))


def _competing(content: Mapping[str, str], evidence: Sequence[Piece], others: Sequence[Piece]) -> Iterator[Pair]:
    """Hits of the same kind that fit about as well as the best and were left aside: the more of the next three, and the closer, the worse.

    Who cites a lower hit has passed over the higher ones, and is not asked again; nor is an outdated statement a rival.
    """
    best = max(evidence, key=lambda piece: piece.score)
    others = [piece for piece in others if piece.kind == best.kind and piece.status != "outdated"]
    if any(piece.score > best.score for piece in others):
        return
    near = sorted(others, key=lambda piece: -piece.score)[:_RIVALS]
    crowd = sum(_share(best.score, piece.score) for piece in near) / _RIVALS
    rivals = [piece.ref for piece in near if _share(best.score, piece.score) >= _CLOSE]
    if crowd >= _CLOSE and rivals:
        more = max(_has(content, piece.terms) for piece in near) - _has(content, best.terms)
        yield max(0.0, crowd + _MORE * more), Doubt("competing", f"{rivals[0]} fits the question about as well as {best.ref}, and is not cited", _refs(*rivals, best.ref))


def _share(one: float, other: float) -> float:
    return min(one, other) / max(one, other) if min(one, other) > 0 else 0.0


def _undated(query: str, evidence: Sequence[Piece]) -> Iterator[Pair]:
    """The question asks when, and nothing cited has a date, or a relative word that the time of its message anchors."""
    if not asks_when().search(query) or any(_tells_when(piece) for piece in evidence):
        return
    if floating := [piece.ref for piece in evidence if relative().search(piece.text) and not piece.at]:
        yield 0.2, Doubt("unanchored", f"{floating[0]} says when only relatively, and when that was said is not known", tuple(floating))
    else:
        yield 0.2, Doubt("undated", "the question asks when, and nothing cited has a date or says one", _cited(evidence))


def _tells_when(piece: Piece) -> bool:
    return piece.dated or bool(absolute().search(piece.text)) or bool(piece.at and relative().search(piece.text))


def _uncovered(content: Mapping[str, str], evidence: Sequence[Piece], cited: tuple[str, ...]) -> Iterator[Pair]:
    """Words of the question that no evidence has."""
    said = {term for piece in evidence for term in piece.terms}
    share = 1 - _has(content, said)
    if share > _FEW:
        yield _ABSENT * share, Doubt("uncovered", f"nothing cited has: {', '.join(_absent(content, said)[:_NAMED])}", cited)


def _absent(content: Mapping[str, str], said: Collection[str]) -> list[str]:
    """The words that are not said, once each; pairs of Chinese characters become the word they lie in, without what is said beside it."""
    found: list[str] = []
    last, growing = "", False
    for term, word in content.items():
        pair = word == term and len(term) == 2 and term[0] > "\u2e7f"
        goes_on = pair and last[-1:] == term[0]
        if term in said:
            if goes_on and growing:
                found[-1] = found[-1][:-1]
            growing = False
        elif goes_on and growing:
            found[-1] += term[1]
        else:
            found.append(word[1:] if goes_on else word)
            growing = pair
        last = term if pair else ""
    return list(dict.fromkeys(filter(None, found)))


def _question(evidence: Sequence[Piece], others: Sequence[Piece]) -> Iterator[Pair]:
    """The cited message asks; what answers it stands after it."""
    waiting = {piece.ref for piece in others}
    cited = {piece.ref for piece in evidence}
    for piece in evidence:
        if piece.kind == "message" and piece.text.rstrip(" \n\"')*_”」").endswith(("?", "？")) and piece.follows not in cited:
            follows = f": the answer may be {piece.follows}" if piece.follows in waiting else ", and what follows it is not cited"
            yield 0, Doubt("question", f"{piece.ref} ends in a question{follows}", _refs(piece.ref, piece.follows))


def _thin(evidence: Sequence[Piece]) -> Iterator[Pair]:
    if all(piece.kind == "message" for piece in evidence) and sum(map(_width, evidence)) < _THIN:
        yield 0.05, Doubt("thin", f"the evidence is {sum(len(piece.text) for piece in evidence)} characters in all", _cited(evidence))


def _width(piece: Piece) -> int:
    """Characters of a text; one of Chinese says about as much as three."""
    return len(piece.text) + 2 * sum(character > "\u2e7f" for character in piece.text)


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
def _asks_list() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:list|name)\s+(?:all|the|every)\b|\b(?:what|which)\s+(?:are|were)\s+(?:all|the|some|\w+'s)\b|\b(?:what|which)\s+(?:\w+\s+){0,3}?\w+[^s\W]s\s+(?:has|have|had|did|does|do|are|were|is|was|can|would)\b"
        r"|\b(?:kinds|types|sorts)\s+of\b|\bhow many\b|哪些|哪几|都有|有什么|列出|几个|几种|多少",
        re.IGNORECASE,
    )
