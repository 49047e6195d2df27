"""Stored text inside a line of markdown: shown as it is, on that line, within so many bytes."""

from __future__ import annotations

import re

# Emphasis, code, links, HTML, entities, formulas, and the tags, comments and marks of note-taking programs.
# An underscore within a word and a lone & or # mean nothing, and names are full of them.
_MARKS = r"[\\`*\[\]<$~]|(?<![^\W_])_|_(?![^\W_])|(?<!\S)#(?=\w)|&(?=#?\w+;)|%(?=%)|=(?==)"


def shown(text: str, characters: int, room: int) -> str:
    """A text on one line with its marks escaped, cut to so many characters and bytes; "" where nothing of it fits."""
    line = one_line(text[: 4 * characters])
    escaped = _escaped(line)
    if len(line) <= characters and size(escaped) <= room:
        return escaped
    room -= size("…")
    kept = []
    for piece in re.findall(r"\\?.", _escaped(line[: characters - 1])):
        room -= size(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept).rstrip() + "…" if kept else ""


def one_line(text: str) -> str:
    """A text without line ends, controls, direction marks and what else cannot be seen; the joiners of emoji and scripts stay."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() or char in "\u200c\u200d" else " " for char in text)
    return " ".join(text.split())


def code(path: str) -> str:
    """A path as code, which shows every mark as it is; what cannot be seen is percent-encoded."""
    line = path if path.isprintable() else "".join(char if char.isprintable() else _percent(char) for char in path)
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    return f"{fence}{line}{fence}"


def link_target(path: str) -> str:
    """A path as the target of a link: letters of any script stay, what markdown or an address could misread is percent-encoded."""
    if re.fullmatch(r"[\w./-]*", path):
        return path
    return "".join(char if char.isalnum() or char in "/._-+@," or (char.isprintable() and not char.isascii()) else _percent(char) for char in path)


def size(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8"))


def _escaped(line: str) -> str:
    return re.sub(_MARKS, r"\\\g<0>", line)


def _percent(char: str) -> str:
    """`%2F`; a byte of a file name that is no UTF-8 comes from the system as a lone surrogate, and is that byte again."""
    errors = "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass"
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", errors))
