"""What of a message is prose, cut into sentences and their telling words; English, Chinese, and others as they come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from strata.models.vocabulary import LONGEST_CHINESE_WORD, OPENING, STOP_WORDS, chinese_splitter
from strata.supplied import UNWRITABLE

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Patterns are strings: `re` compiles each at its first use and keeps it, so that importing costs nothing.
_HAN = f"[{_CJK}]+"
_WORD = r"[^\W_][\w'’.+#/@-]*"
_LISTED = r"^[#>*+\-\s]{0,8}(?:[0-9]{1,3}[.)、]\s)?\s{0,4}(?:\[[ xX]\]\s)?"
_SPLIT = r"(?<=[.!?…])\s+(?![a-z])|(?<=[.!?…][\"'”’)\]])\s+|(?<=[。！？；])(?![”’」』）])|(?<=[。！？；][”’」』）])"
_ABBREVIATION = r"(?i)(?:^|[\s(])(?:mr|mrs|ms|dr|st|prof|vs|etc|no|e\.g|i\.e|[A-Z])\.$"
_DATE = r"(?<![\w./-])\d{1,4}([-./])\d\d?\1\d{2,4}(?![\w/-])"  # says as much as words do
_CUT_AT = ",;:，、；：—–("
_LONGEST_UNBROKEN = 60  # characters without a space that no word has, but a key, a path or a hash


class Term(NamedTuple):
    """A telling word: the key that its plural shares, the word as written in lower case, and how specific
    it looks (about 0.5 to 2). An empty key marks where a phrase breaks."""

    key: str
    written: str
    specificity: float


_BREAK = Term("", "", 0.0)


def sentences(text: str, limit: int) -> Iterator[str]:
    """Up to `limit` sentences of a message, white space as single spaces; no code, no dumps, no markup."""
    found = 0
    for line in _prose_lines(text):
        pending = ""
        for piece in re.split(_SPLIT, line):
            pending = f"{pending} {piece}" if pending else piece
            if re.search(_ABBREVIATION, pending[-8:]):
                continue
            sentence, pending = " ".join(pending.split()), ""
            if sentence:
                yield sentence
                found += 1
                if found == limit:
                    return
        if pending.strip():
            yield " ".join(pending.split())
            found += 1
            if found == limit:
                return


def terms(sentence: str) -> list[Term]:
    """The telling words of a sentence in order; function words are breaks."""
    if sentence.isascii():
        return _latin_terms(sentence)
    found: list[Term] = []
    position = 0
    for run in re.finditer(_HAN, sentence):
        found += _latin_terms(sentence[position : run.start()], opening=position == 0)
        found += _han_terms(run[0])
        position = run.end()
    return found + _latin_terms(sentence[position:], opening=position == 0)


def is_cjk(text: str) -> bool:
    """Whether most letters of a text are Chinese or Japanese characters."""
    return 3 * sum(len(run) for run in re.findall(_HAN, text)) > len(text)


def folded(word: str) -> str:
    """A word with its plural ending taken off, so that both forms count as one term; no word a person reads."""
    for ending in ("ies", "ie", "y"):
        if len(word) > 3 and word.endswith(ending):
            return word.removesuffix(ending) + "i"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def without_openings(text: str) -> str:
    """A sentence without the greetings and courtesies it begins with."""
    head, rest = text[:200], text[200:]
    for _ in range(6):
        shorter = re.sub(OPENING, "", head, count=1).lstrip(" ,，.!！")
        if shorter == head:
            break
        head = shorter
    return head + rest


def cut(text: str, limit: int) -> str:
    """A text that fits: to the end of a clause if that keeps half of it, else of a word, with "…"."""
    if len(text) <= limit:
        return text
    half = limit // 2
    place = max(text.rfind(mark, half, limit) for mark in _CUT_AT)
    if place < 0:
        place = text.rfind(" ", half, limit)
    return text[: place if place > 0 else limit - 1].rstrip() + "…"


def _prose_lines(text: str) -> Iterator[str]:
    """Lines of prose without their list and heading marks; a hard-wrapped line is joined to its first half."""
    fenced = False
    waiting = ""
    for raw in text.split("\n"):
        if raw.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        line = raw.strip()
        if fenced or not _is_prose(raw, line):
            if waiting:
                yield waiting
            waiting = ""
            continue
        if waiting and line[0].islower() and waiting[-1] not in ".!?:;。！？：；":
            waiting = f"{waiting} {line}"
            continue
        if waiting:
            yield waiting
        waiting = re.sub(_LISTED, "", line, count=1)
    if waiting:
        yield waiting


def _is_prose(raw: str, line: str) -> bool:
    if not line or raw.startswith(("    ", "\t")) or line[0] in "{}[]<|$@=\\/":
        return False
    if re.search(UNWRITABLE, line) or line.startswith(("Traceback ", "File \"", "at ", "http://", "https://")):
        return False
    beginning = re.sub(_DATE, "", line[:400])
    if 2 * sum(map(str.isalpha, beginning)) < len(beginning):
        return False
    return not line.isascii() or max(map(len, line.split())) <= _LONGEST_UNBROKEN


def _latin_terms(text: str, *, opening: bool = True) -> list[Term]:
    found: list[Term] = []
    end = 0
    for match in re.finditer(_WORD, text):
        written = match[0].rstrip("'’.-/@")
        first, opening = opening, False
        lower = written.lower().replace("’", "'").removesuffix("'s")
        gap = text[end : match.start()]
        end = match.end()
        if gap.strip() or match[0][-1] == ".":
            found.append(_BREAK)
        if lower in STOP_WORDS or (len(lower) < 3 and not _is_named(written)) or lower[0].isdigit():
            found.append(_BREAK)
        else:
            found.append(Term(folded(lower), lower, _specificity(written, first)))
    return found


def _is_named(word: str) -> bool:
    """Two letters count only if they look like a name: Go, UI, C#."""
    return word[0].isupper() and (len(word) > 1 or not word.isalpha())


def _specificity(word: str, first: bool) -> float:
    length = min(1.2, 0.5 + len(word) / 10)
    if any(mark in word for mark in "_/.+#@") or any(map(str.isdigit, word)):
        return 1.8
    if any(map(str.isupper, word[1:])):
        return 1.6
    return length * (1.4 if word[0].isupper() and not first else 1.0)


@cache
def _splitter() -> re.Pattern[str]:
    return chinese_splitter()


def _han_terms(run: str) -> list[Term]:
    """The words between function words, which in Japanese are written in hiragana."""
    found: list[Term] = []
    start = 0
    for match in _splitter().finditer(run):
        if match[1]:
            continue
        found += _han_words(run[start : match.start()])
        start = match.end()
    return found + _han_words(run[start:])


def _han_words(segment: str) -> list[Term]:
    """One word, or the overlapping parts of what is too long for one."""
    if len(segment) < 2:
        return []
    if len(segment) <= LONGEST_CHINESE_WORD:
        parts = [segment]
    else:
        parts = [segment[i : i + size] for size in (2, 3, 4) for i in range(min(len(segment), 200) - size + 1)]
    whole = len(parts) == 1
    return [_BREAK] + [Term(part, part, (0.7 + len(part) / 10) * (1.3 if whole else 0.6)) for part in parts]
