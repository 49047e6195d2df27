"""The summariser that needs no model: it picks and cuts, and never writes a sentence of its own.

The title is what was asked, without its courtesies, or else the sentence that carries the most.
Tags are the terms that weigh the most: in how many messages they stand, times how specific they look.
Summary and key points are sentences of the block, word for word (runs of white space become one
space, a long sentence ends early with "…"). What was decided, corrected, dated, counted or named goes
first, and of two versions of one statement the newest. Code, tools, system prompts and small talk are
skipped.

It understands nothing. It knows English and Chinese cue words; other languages get by on frequency
and numbers alone. At most the first 12,000 characters of a message and 200,000 of a block are read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from strata.evidence import one_line
from strata.model import Message, Summary
from strata.models import vocabulary
from strata.models.prose import cut, folded, is_cjk, sentences, terms, without_openings
from strata.smalltalk import small_talk
from strata.supplied import UNWRITABLE

_TITLE, _SUMMARY, _POINT = 80, 300, 300  # characters
_TITLE_CJK = 40  # characters, twice as wide
_TAGS, _TAG, _POINTS = 6, 40, 8
_READ_OF_MESSAGE, _READ_OF_BLOCK = 12_000, 200_000  # characters
_SENTENCES_OF_MESSAGE = 100
_LONGEST_WEIGHED = 600  # characters of one sentence
_CANDIDATES = 40  # sentences that are compared with each other
_WORTH_KEEPING = 0.4  # of the best score, for a key point
_CUES = (
    (vocabulary.DECISION, 1.3),
    (vocabulary.CORRECTION, 1.7),
    (vocabulary.FACT, 1.5),
    (vocabulary.FIGURE, 1.3),
    (vocabulary.REACTION, 0.45),
    (vocabulary.LEANING, 0.75),
)  # what a sentence's score is multiplied by


class _Sentence:
    """One sentence, the terms it is made of, and what it is worth."""

    __slots__ = ("text", "lower", "message", "order", "terms", "telling", "score")

    def __init__(self, text: str, message: Message, order: int) -> None:
        self.text = text
        self.lower = text[:_LONGEST_WEIGHED].lower()
        self.message = message
        self.order = order
        self.terms = terms(text[:_LONGEST_WEIGHED])
        self.telling = frozenset(term.key for term in self.terms if term.key)
        self.score = 0.0


def summarise(messages: Sequence[Message], thread: str = "") -> Summary:
    """Levels L0 to L2 of a block; the same messages give the same summary, everywhere and always.

    `thread` is the title of last resort, for a block in which nobody says anything.
    """
    names = sorted({message.speaker for message in messages if message.speaker})
    said = list(_said(messages, names))
    weights = _weights(said, names)
    for sentence in said:
        sentence.score = _score(sentence, weights)
    points = _points(said)
    title = _title(said, weights, names) or _last_resort(messages, thread)
    return Summary(title, _tags(said, weights), _summary(points), tuple(_cited(point) for point in _in_order(points)))


def _said(messages: Sequence[Message], names: Sequence[str]) -> Iterator[_Sentence]:
    """Every sentence that may be picked: by a person or an agent, and more than small talk."""
    order, budget = 0, _READ_OF_BLOCK
    for message in messages:
        if message.role in ("tool", "system") or budget <= 0:
            continue
        text = message.text[: min(_READ_OF_MESSAGE, budget)]
        budget -= len(text)
        for sentence in sentences(text, _SENTENCES_OF_MESSAGE):
            if small_talk(sentence, names) is None:
                yield _Sentence(sentence, message, order)
                order += 1


# Terms


def _weights(said: Iterable[_Sentence], names: Iterable[str]) -> dict[str, float]:
    """What each term of the block weighs, pairs of neighbours included; the speakers' own names weigh nothing."""
    parts = [part.casefold() for name in names for part in name.split()]
    spoken = {folded(part[:length]) for part in parts for length in range(3, len(part))} | set(map(folded, parts))  # also Bea, for Beatrix
    where: dict[str, set[str]] = {}
    look: dict[str, float] = {}
    for sentence in said:
        previous = ""
        for key, _, look_of_word in sentence.terms:
            if not key or key in spoken:
                previous = ""
                continue
            where.setdefault(key, set()).add(sentence.message.id)
            look[key] = max(look_of_word, look.get(key, 0.0))
            latin = key.isascii()
            if previous and latin:
                pair = f"{previous} {key}"
                where.setdefault(pair, set()).add(sentence.message.id)
                look[pair] = 0.6 * (look[previous] + look_of_word)
            previous = key if latin else ""
    return {
        term: (1 + math.log2(len(found))) * look[term]
        for term, found in where.items()
        if len(found) > 1 or " " not in term
    }


def _tags(said: Iterable[_Sentence], weights: Mapping[str, float]) -> tuple[str, ...]:
    """The heaviest terms, none of them part of another, each as it was written most often."""
    forms: dict[str, Counter[str]] = {}
    for sentence in said:
        for key, written, _ in sentence.terms:
            if key:
                forms.setdefault(key, Counter())[written] += 1
    keys: list[str] = []
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        if len(keys) == _TAGS:
            break
        if len(term) <= _TAG and not any(_overlaps(term, chosen) for chosen in keys):
            keys.append(term)
    tags = (" ".join(min(forms[part].items(), key=lambda it: (-it[1], it[0]))[0] for part in key.split()) for key in keys)
    return tuple(dict.fromkeys(tag for tag in tags if len(tag) <= _TAG))


def _overlaps(term: str, other: str) -> bool:
    if term.isascii() or other.isascii():
        return bool(set(term.split()) & set(other.split()))
    shorter, longer = sorted((term, other), key=len)
    return shorter in longer or any(shorter[i : i + 2] in longer for i in range(len(shorter) - 1))


# Sentences


def _score(sentence: _Sentence, weights: Mapping[str, float]) -> float:
    """How much a sentence tells: the weight of its terms, more for cues of substance, less for reactions."""
    telling = sentence.telling
    if not telling:
        return 0.0
    cjk = is_cjk(sentence.text)
    heaviest = sorted((weights.get(term, 0.0) for term in telling), reverse=True)[:8]
    score = sum(heaviest) / (2 + len(heaviest))
    if len(sentence.lower) < (8 if cjk else 20):
        score *= 0.5
    for cue, factor in _CUES:
        if re.search(cue, sentence.lower):
            score *= factor
    if sentence.text[-1] in "?？":
        score *= 0.4
    if sentence.message.role != "user" and not sentence.message.speaker:
        score *= 0.7
    return score


def _points(said: Iterable[_Sentence]) -> list[_Sentence]:
    """The sentences worth keeping, best first: at most two of a message, none said anew or corrected later."""
    ranked = sorted((sentence for sentence in said if sentence.score > 0), key=lambda it: (-it.score, it.order))[:_CANDIDATES]
    outdated = {old for new in ranked for old in ranked if old.order < new.order and _replaces(new, old)}
    points: list[_Sentence] = []
    for sentence in ranked:
        if len(points) == _POINTS or sentence.score < _WORTH_KEEPING * ranked[0].score:
            break
        of_message = sum(point.message is sentence.message for point in points)
        if sentence not in outdated and of_message < 2 and _citable(sentence.message.id):
            points.append(sentence)
    return points


def _citable(ident: str) -> bool:
    """Whether an id fits into a key point on one line."""
    return len(ident) < _POINT // 2 and ident == one_line(ident) and _writable(ident)


def _replaces(new: _Sentence, old: _Sentence) -> bool:
    """Whether a statement corrects or repeats an earlier one of the same block."""
    ours, theirs = new.telling, old.telling
    common = len(ours & theirs)
    if not common or new.text[-1] in "?？":
        return False
    if common >= 0.75 * len(ours | theirs):
        return True
    corrects = new.message is not old.message and re.search(vocabulary.CORRECTION, new.lower)
    return bool(corrects) and common >= 0.5 * min(len(ours), len(theirs))


def _in_order(points: Iterable[_Sentence]) -> list[_Sentence]:
    return sorted(points, key=lambda point: point.order)


def _cited(point: _Sentence) -> str:
    ref = f" ({point.message.id})"
    return cut(point.text, _POINT - len(ref)) + ref


def _summary(points: Sequence[_Sentence]) -> str:
    """The best sentence, and the next best of another message if both fit; in the order they were said."""
    if not points:
        return ""
    chosen = [points[0]]
    room = _SUMMARY - len(points[0].text) - len("; ")
    others = (point for point in points[1:] if point.message is not points[0].message and len(point.text) <= room)
    chosen += list(others)[:1]
    first, *rest = (point.text for point in _in_order(chosen))
    between = " " if first[-1] in ".!?。！？…" else "; "
    return cut(between.join((first, *rest)), _SUMMARY)


# Title


def _title(said: Sequence[_Sentence], weights: Mapping[str, float], names: Sequence[str]) -> str:
    """The first request with substance; among people talking to each other, the sentence that carries most."""
    if len(names) < 2:
        for sentence in said:
            if sentence.message.role == "user" and _substantial(sentence, weights) and _requests(sentence):
                return _headline(sentence, named=False)
    if not said:
        return ""
    best = max(said, key=lambda sentence: (sentence.score, -sentence.order))
    return _headline(best, named=len(names) > 1)


def _substantial(sentence: _Sentence, weights: Mapping[str, float]) -> bool:
    """Two telling words at least, or one that weighs as much."""
    known = [weights.get(term, 0.0) for term in sentence.telling]
    return len(known) >= 2 or max(known, default=0.0) >= 3


def _requests(sentence: _Sentence) -> bool:
    return bool(re.search(vocabulary.REQUEST, sentence.lower)) and not re.search(vocabulary.COMPANY, sentence.lower)


def _headline(sentence: _Sentence, *, named: bool) -> str:
    """A sentence as a title: without its courtesies and its full stop, cut to length."""
    text = sentence.text
    bare = without_openings(text)
    if len(bare) >= 4:
        text = bare
    cjk = is_cjk(text)
    speaker = one_line(sentence.message.speaker)
    prefix = f"{speaker}: " if named and speaker and len(speaker) < _TITLE // 3 and _writable(speaker) else ""
    text = cut(re.sub(vocabulary.ASIDE, "", text), (_TITLE_CJK if cjk else _TITLE) - len(prefix)).rstrip(" .。,，!！;；:：")
    if text.endswith("?") and re.search(vocabulary.DIRECTIVE, sentence.lower):
        text = text.rstrip("?")
    return prefix + text[:1].upper() + text[1:]


def _last_resort(messages: Sequence[Message], thread: str) -> str:
    """A title for a block of small talk, tool calls or code: its first words, else a tool's name, else its thread."""
    for message in messages:
        words = one_line(message.text[:400])
        if words and _writable(words):
            return cut(words, _TITLE)
    tools = sorted({one_line(call.name) for message in messages for call in message.tools})
    candidates = (", ".join(filter(_writable, tools)), one_line(thread))
    return cut(next((name for name in candidates if name and _writable(name)), "untitled"), _TITLE)


def _writable(text: str) -> bool:
    return re.search(UNWRITABLE, text) is None
