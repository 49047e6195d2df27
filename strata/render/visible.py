"""Text as a terminal shows it: how wide it is, cut and wrapped to what fits; what must not reach one is spelled out by `strata.steering`."""

from __future__ import annotations

import re
import unicodedata

from strata.steering import hidden, one_line, visible

__all__ = ["fit", "json_escaped", "one_line", "visible", "width", "wrapped"]


def json_escaped(text: str) -> str:
    """A JSON text with the same characters as JSON escapes, so that it is safe to look at and means the same."""
    return text if text.isprintable() else hidden().sub(_json_escape, text)


def width(text: str) -> int:
    """Columns that `text` takes in a terminal: wide East Asian characters two, combining marks none (UAX #11)."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def fit(text: str, columns: int) -> str:
    """`text` cut to so many columns, with an ellipsis where something was left out."""
    if width(text) <= columns:
        return text
    kept, used = [], 1
    for character in text:
        used += _columns(character)
        if used > columns:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def wrapped(text: str, columns: int) -> list[str]:
    """`text` broken at blanks into lines of at most so many columns; a longer word, or text without blanks, breaks anywhere."""
    lines, line, used = [], "", 0
    for word in text.split(" "):
        size = width(word)
        if line and used + 1 + size <= columns:
            line, used = f"{line} {word}", used + 1 + size
            continue
        if line:
            lines.append(line)
        while size > columns:
            piece = fit(word, columns + 1)[:-1] or word[0]
            lines.append(piece)
            word = word[len(piece) :]
            size = width(word)
        line, used = word, size
    return [*lines, line] if line or not lines else lines


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _json_escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
