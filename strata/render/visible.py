"""Text from a memory as it may be shown: what would steer a terminal or turn the reading order is spelled out.

Stored text is data. An escape sequence could clear the screen, fake a line or fill the clipboard, a
lone carriage return could overwrite what stands before it, a bidi override could make a path read
as another (the "Trojan Source" trick, CVE-2021-42574). All of it is printed as `\\x1b` or `\\u202e`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache


def visible(text: str) -> str:
    """`text` with every hidden steering character spelled out; tabs and line ends stay, CRLF as LF."""
    if text.isprintable():
        return text
    return _hidden().sub(_spelled, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`visible` text on one line: runs of white space become one blank."""
    return " ".join(visible(text).split())


def json_escaped(text: str) -> str:
    """A JSON text with the same characters as JSON escapes, so that it is safe to look at and means the same."""
    return text if text.isprintable() else _hidden().sub(_json_escape, text)


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


@cache
def _hidden() -> re.Pattern[str]:
    """Controls but tab and line feed, bidi controls, invisible formatting, tags and lone surrogates.

    The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji are written with them.
    """
    return re.compile(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
    )


def _spelled(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x0D:
        return "\\r"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
