"""The piece of a text around what a query matched."""

from __future__ import annotations

import re
from functools import lru_cache

from strata.shadow.terms import query_terms, terms

LENGTH = 160  # characters of a snippet
READ = 200_000  # characters of a text that are looked at

_chunks = re.compile(r"\S+").finditer


def snippet(text: str, query: str, length: int = LENGTH) -> str:
    """About `length` characters of `text` where most different words of `query` stand, on one line."""
    marks = spans(text[:READ], query)
    if not marks:
        return _line(text[: length * 2], length)
    best, most = 0, 0
    for index, (start, _, _) in enumerate(marks):
        inside = {word for begin, end, word in marks[index : index + 40] if end <= start + length}
        if len(inside) > most:
            best, most = index, len(inside)
    start = marks[best][0]
    last = max((end for _, end, _ in marks[best : best + 40] if end <= start + length), default=marks[best][1])
    lead = max(0, (length - (last - start)) // 2)
    begin = max(0, start - lead)
    begin = _word_start(text, begin) if begin else 0
    end = min(len(text), max(begin + length, last))
    piece = text[begin:end]
    if end < len(text) and " " in piece[-20:] and text[end : end + 1].strip():
        piece = piece[: piece.rindex(" ")]
    flat = " ".join(piece.split())
    return ("… " if begin else "") + flat + (" …" if begin + len(piece) < len(text.rstrip()) else "")


def spans(text: str, query: str) -> list[tuple[int, int, str]]:
    """Where words of the query stand in the text, in order: start, end, and the term that matched."""
    wanted = _wanted(query)
    if not wanted:
        return []
    begins = _beginnings(query)
    return _spans(text, wanted, begins) or _spans(text, wanted, None)


def _spans(text: str, wanted: frozenset[str], begins: frozenset[str] | None) -> list[tuple[int, int, str]]:
    """As `spans`; with `begins`, only words that share their first letters with a term are analysed, which finds nearly all."""
    found: list[tuple[int, int, str]] = []
    for chunk in _chunks(text):
        word = chunk.group()
        if begins is not None and word.isascii() and word.isalpha() and word[:2].lower() not in begins:
            continue
        here = next((term for term in _terms(word) if term in wanted), None)
        if here is None:
            continue
        inner = word.casefold().find(here) if len(word) > 2 * len(here) else -1
        start = chunk.start() + max(0, inner)
        found.append((start, start + len(here) if inner >= 0 else chunk.end(), here))
        if len(found) >= 400:
            break
    return found


@lru_cache(maxsize=256)
def _wanted(query: str) -> frozenset[str]:
    return frozenset(query_terms(query))


@lru_cache(maxsize=256)
def _beginnings(query: str) -> frozenset[str]:
    return frozenset(word[:2] for word in (*_wanted(query), *query.lower().split()))


@lru_cache(maxsize=20_000)
def _terms(chunk: str) -> tuple[str, ...]:
    return tuple(sorted(set(terms(chunk[:2000])), key=lambda term: -len(term)))


def _word_start(text: str, at: int) -> int:
    space = text.find(" ", at, at + 20)
    return space + 1 if space >= 0 else at


def _line(text: str, length: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[:length].rsplit(" ", 1)[0] + " …"
