"""How much room text takes in a drawing, as far as that can be known without a font: a little more than usual fonts need."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_NARROW = frozenset("iIjlft.,:;'|!()[]{}/\\-\" ·")
_WIDE = frozenset("mwMWQOGD@%&")


@lru_cache(maxsize=4096)
def width(text: str, size: float) -> float:
    """Pixels that a line takes at a font size in pixels."""
    return size * sum(map(_em, text))


def wrapped(text: str, columns: int, lines: int) -> list[str]:
    """A text in at most so many lines of about so many letters, wide ones (東) counted double; the last ends in … where it goes on."""
    rest, found = text.split(" "), [""]
    while rest:
        word = rest.pop(0)
        line = f"{found[-1]} {word}" if found[-1] else word
        if _columns(line) <= columns:
            found[-1] = line
        elif found[-1]:
            rest.insert(0, word)
            found.append("")
        else:
            head = _head(word, columns)
            found[-1] = head
            found.append("")
            rest.insert(0, word[len(head) :])
        if len(found) > lines:
            return [*found[: lines - 1], f"{_head(found[lines - 1], columns - 1)}…"]
    return found if found[-1] or len(found) == 1 else found[:-1]


def _head(word: str, columns: int) -> str:
    kept = word
    while kept and _columns(kept) > columns:
        kept = kept[:-1]
    return kept or word[:1]


def _columns(text: str) -> int:
    return len(text) if text.isascii() else sum(2 if _em(character) >= 1 else 1 for character in text)


def _em(character: str) -> float:
    if character.isascii():
        return 0.36 if character in _NARROW else 0.86 if character in _WIDE else 0.68 if character.isupper() else 0.58
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    return 1.04 if unicodedata.east_asian_width(character) in "WF" else 0.64
