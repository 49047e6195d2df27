"""Text to index terms, the same way for what is stored and for what is asked.

A text is cut at white space into chunks, and each chunk gives
* its words, accents folded, case folded and stemmed (`Zürich's cafés` gives zurich, 's, cafe);
* the chunk as a whole where it is more than one word: `foo_bar-baz`, `v1.10.2`, `10:30`, `C++`, `R&D`, `.NET`;
* the pieces of a path or URL (`shop.example`), of `getUserName` and of `mp3`;
* for scripts written without spaces, each character and each pair of neighbours: 日本語 gives 日 本 語 日本 本語;
* each emoji or other sign; and a chunk of nothing but marks (`->`) as it stands.

Nothing is dropped here, stop words included: "to be or not to be" stays findable. A question
drops them where other terms remain. Terms have at most 64 characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

from whoosh.lang.porter2 import stem as _porter2

from strata.shadow.irregular import base_forms, plain_terms

LONGEST_TERM = 64  # characters; longer ones are cut, on both sides alike
LONGEST_QUERY = 20_000  # characters of a question that are read
MOST_TERMS = 1_000  # distinct terms of a question that are looked up
PIECE_WEIGHT = 0.3  # of a piece of a joined word, beside the word
SINGLE_WEIGHT = 0.4  # of one character of a script without spaces, beside the pairs it is part of

_CACHED = 50_000
_CONTRACTIONS = frozenset(("s", "m", "d", "t", "re", "ve", "ll"))
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall"}
_LEFT = "\"'()[]{}<>,;:!?*_`|\\=^&"
_RIGHT = _LEFT + ".-/~@$"
_DENSE = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001f1e6-\U0001f1ff\U00020000-\U0003ffff"
)
_LETTERS = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "œ": "oe", "æ": "ae", "þ": "th", "ŧ": "t",
    "’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "−": "-",
}  # fmt: skip

_plain_runs = re.compile("()([a-z0-9]+)()", re.ASCII).finditer  # what `_runs` finds in folded ASCII
_breaks = re.compile(r"[\s…—–]+|\.\.+").split
_segments = re.compile(r"[/\\@?&=,;()<>|\"\[\]{}]+").split
_words = re.compile(r"[A-Za-z0-9]+").findall
_capitals = re.compile(r"\b[A-Z]{2,}\b").findall
_is_joined = re.compile(r"[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]|[A-Z]{2}[a-z]{2}").search
_joined = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+").findall


def terms(text: str) -> list[str]:
    """Every term of the text in order, with repeats."""
    found: list[str] = []
    for chunk in text.split():
        found += _chunks.get(chunk) or _learn(chunk)
    return found


def query_terms(text: str) -> dict[str, float]:
    """The distinct terms of a question, in order, each with its weight.

    Reads the first 20,000 characters and keeps at most 1,000 terms. Stop words and lone marks
    are left out unless nothing else is there; UPS, WHO and IT in capitals are no stop words.
    """
    text = text[:LONGEST_QUERY]
    distinct = dict.fromkeys(terms(text))
    capitals = {term for word in _capitals(text) for term in terms(word)} if not text.isupper() else set()
    kept = [term for term in distinct if term in capitals or not is_plain(term)] or list(distinct)
    within = {character for term in kept if len(term) == 2 and _is_dense(term[0]) for character in term}
    pieces = _pieces(text)
    return {term: SINGLE_WEIGHT if term in within else PIECE_WEIGHT if term in pieces else 1.0 for term in kept[:MOST_TERMS]}


def _pieces(text: str) -> set[str]:
    """The terms that stand in a question only as pieces of a joined word, such as `SQLite` or `getUserName`."""
    pieces: set[str] = set()
    others: set[str] = set()
    for chunk in text.split():
        if chunk.isascii() and _is_joined(chunk):
            inside = {stem(part.lower()) for word in _words(chunk) for part in _parts(word)}
            pieces |= inside
            others.update(term for term in terms(chunk) if term not in inside)
        else:
            others.update(terms(chunk))
    return pieces - others


def stem(word: str) -> str:
    """The stem of a folded word: irregular forms by table, English by the Snowball rules, anything else as it is."""
    known = _stems.get(word)
    if known is None:
        if len(_stems) >= _CACHED:
            _stems.clear()
        base = _bases().get(word, word)
        known = _porter2(base) if 2 < len(base) <= 40 and base.isascii() and base.isalpha() else base[:LONGEST_TERM]
        _stems[word] = known
    return known


def fold(text: str) -> str:
    """Without case, accents, compatibility forms, joiners and direction marks; 日本 and がぎ keep theirs."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().translate(_folding)


class _Folding(dict[int, str | None]):
    """What `str.translate` makes of a character, worked out when it is first met."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        folded: str | None = _LETTERS.get(character, character)
        category = unicodedata.category(character)
        if category == "Cf" or (category == "Mn" and (code < 0x0700 or 0xFE00 <= code <= 0xFE0F)):
            folded = None
        elif len(decomposed := unicodedata.normalize("NFD", character)) > 1 and ord(decomposed[0]) < 0x0530:
            folded = "".join(part for part in decomposed if unicodedata.category(part) != "Mn")
        self[code] = folded
        return folded


_folding = _Folding()
_stems: dict[str, str] = {}
_chunks: dict[str, tuple[str, ...]] = {}


@cache
def _bases() -> dict[str, str]:
    return base_forms()


@cache
def _plain() -> frozenset[str]:
    return frozenset(plain_terms()) | {"'" + ending for ending in _CONTRACTIONS} | {"n't"}


def is_plain(term: str) -> bool:
    """Whether a term says nothing by itself: a stop word, or marks."""
    return term in _plain() or not any(character.isalnum() or unicodedata.category(character) == "So" for character in term)


@cache
def _runs() -> Callable[[str], Iterator[re.Match[str]]]:
    """The runs of any text; compiling it takes 5 ms, which text in ASCII need not pay."""
    return re.compile(rf"([{_DENSE}]+)|((?:[^\W_{_DENSE}]|[\u0900-\u0963\u0966-\u0dff])+)|([^\w\s\x00-\x7f])").finditer


@cache
def _dense() -> re.Pattern[str]:
    return re.compile(f"[{_DENSE}]")


def _is_dense(character: str) -> bool:
    return not character.isascii() and _dense().match(character) is not None


def _learn(chunk: str) -> tuple[str, ...]:
    """The terms of one chunk, remembered unless it is long."""
    core = chunk.lstrip(_LEFT).rstrip(_RIGHT)
    if core.isascii() and core.isalpha() and not _is_joined(core):
        found: tuple[str, ...] = (stem(core.lower()),)
    else:
        pieces = _breaks(chunk if chunk.isascii() else unicodedata.normalize("NFKC", chunk))
        found = tuple(term for piece in pieces if piece for term in _piece(piece)) or (chunk[:LONGEST_TERM],)
    if len(chunk) <= LONGEST_TERM:
        if len(_chunks) >= _CACHED:
            _chunks.clear()
        _chunks[chunk] = found
    return found


def _piece(piece: str) -> list[str]:
    """The terms of a run of characters without a break in it."""
    core = fold(piece).lstrip(_LEFT).rstrip(_RIGHT)
    core, ending = _contraction(core)
    found: list[str] = []
    word, spaced = "", True
    for match in _plain_runs(core) if core.isascii() else _runs()(core):
        dense, word, sign = match.groups()
        if word:
            found.append(stem(word) if len(word) <= LONGEST_TERM else word[:LONGEST_TERM])
        elif dense:
            found += dense
            found += map("".join, zip(dense, dense[1:]))
            spaced = False
        elif unicodedata.category(sign) in ("So", "Sm", "Sc"):
            found.append(sign)
    if spaced and found and word != core:
        found += _wholes(core)
    if piece.isascii() and _is_joined(piece):
        found += [stem(part.lower()) for word in _words(piece) if len(word) <= LONGEST_TERM for part in _parts(word)]
    return found + ending


def _contraction(core: str) -> tuple[str, list[str]]:
    """Split `jo's` into jo and 's, `don't` into do and n't."""
    head, mark, tail = core.rpartition("'")
    if not mark or tail not in _CONTRACTIONS or not head:
        return core, []
    if tail == "t" and head.endswith("n") and head.isalpha():
        return _SHORTENED.get(head[:-1], head[:-1]), ["n't"]
    return head, ["'" + tail]


def _wholes(core: str) -> list[str]:
    """The chunk itself, a version without its v, and the longer pieces of a path or URL."""
    found = [core[:LONGEST_TERM]] if len(core) > 1 else []
    if core[0] == "v" and core[1:2].isdigit():
        found.append(core[1 : LONGEST_TERM + 1])
    segments = _segments(core)
    if len(segments) > 1:
        stripped = (segment.strip(".:-_'@") for segment in segments)
        found += [segment[:LONGEST_TERM] for segment in stripped if segment and not segment.isalnum()]
    return found


def _parts(word: str) -> list[str]:
    parts = _joined(word)
    return parts if len(parts) > 1 else []
