"""The YAML of a header, written: values as lines, and a header with one key changed.

Scalars are plain where they can be: quotes come where YAML would break, and where a parser that
guesses types would take a text for a number, a boolean or a null. Dates and times are plain always.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from strata.errors import Malformed
from strata.yamlread import FORBIDDEN, Broken, Node

WIDTH = 100
"""A list that would make a line longer than this is written one item a line."""

MAX_KEY = 1_000
"""Characters of a key as it is written; YAML gives up looking for the colon after 1,024."""

# Patterns are strings: `re` compiles each at its first use and keeps it, so that importing costs nothing.
_KEY = r"[^\W\d][\w./-]*"
_WORD = r"[\w/+.][\w./@+-]*(?::[\w./@+-]+)*"
_UNSAFE = rf"[\t\n\r\x85\u2028\u2029]|{FORBIDDEN}"
_NOT_PLAIN = rf"^[-?:,\[\]{{}}#&*!|>'\"%@`=<~\s]|:(?:\s|$)|\s#|\s$|{_UNSAFE}"
_RETYPED = (
    r"(?i)y|n|yes|no|on|off|true|false|null"
    r"|[-+]?(?:0x[0-9a-f_]+|0b[01_]+|0o[0-7_]+)"
    r"|[-+]?(?:\d[\d_,]*\.?[\d_]*|\.\d[\d_]*)(?:e[-+]?\d+)?"
    r"|[-+]?\d[\d_]*(?::\d+)+(?:\.[\d_]*)?"
    r"|[-+]?\.inf|\.nan"
)
_TIME = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[-+]\d\d:\d\d)?)?"
_ESCAPES = {"\0": r"\0", "\t": r"\t", "\n": r"\n", "\r": r"\r", '"': r"\"", "\\": r"\\"}


def plain(value: Any) -> Any:
    """The value as `read` gives it back: texts, and lists and mappings of texts. Raises `Malformed`."""
    if isinstance(value, str):
        return str.__str__(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise Malformed(f"a header cannot hold {value!r}", remedy="use text, numbers, dates, lists or mappings")


def entry(key: str, value: Any) -> list[str]:
    """The lines that say `key: value`, without line ends."""
    inline, below = _written(value)
    name = key if re.fullmatch(_KEY, key) and not re.fullmatch(_RETYPED, key) else _quoted(key)
    if len(name) > MAX_KEY:
        raise Malformed(f"the key {key[:20]!r}… has more than {MAX_KEY:,} characters", remedy="shorten it")
    return [f"{name}: {inline}" if inline else f"{name}:", *below]


def _written(value: Any) -> tuple[str, list[str]]:
    """What stands beside a key, or the indented lines that stand below it."""
    if isinstance(value, Mapping):
        below = [line for key, item in value.items() for line in entry(str(key), item)]
        return ("", ["  " + line for line in below]) if below else ("{}", [])
    if isinstance(value, (list, tuple)):
        if _is_short(value):
            return _flow(value), []
        return "", ["  " + line for item in value for line in _item(item)]
    return _scalar(value), []


def _item(value: Any) -> list[str]:
    """The lines of one item of a block list."""
    inline, below = _written(value)
    return ["- " + below[0].removeprefix("  "), *below[1:]] if below else ["- " + (inline or '""')]


def _is_short(items: Any) -> bool:
    """Whether a list is a few words that read well on one line."""
    if any(isinstance(item, (list, tuple, Mapping)) for item in items):
        return False
    texts = [plain(item) for item in items]
    return all(re.fullmatch(_WORD, text) for text in texts) and sum(map(len, texts)) + 2 * len(texts) <= WIDTH


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(str(key))}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    text = plain(value)
    return _scalar(value) if re.fullmatch(rf"{_WORD}(?: {_WORD})*", text) else _quoted(text)


def _scalar(value: Any) -> str:
    """A scalar as plain as can be: neither YAML nor a parser that guesses types may read it as something else."""
    text = plain(value)
    if not isinstance(value, str) or not text:
        return text
    if re.fullmatch(_TIME, text):
        return text if _exists(text) else _quoted(text)
    return _quoted(text) if re.search(_NOT_PLAIN, text) or re.fullmatch(_RETYPED, text) else text


def _exists(text: str) -> bool:
    """Whether there is such a date or time; YAML parsers that know dates stumble over the 30th of February."""
    from datetime import datetime

    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _quoted(text: str) -> str:
    return '"' + re.sub(rf"[\"\\]|{_UNSAFE}", _escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character, code = match[0], ord(match[0])
    if 0xD800 <= code <= 0xDFFF:
        raise Malformed("half a surrogate pair cannot be written in a header", remedy="leave the character out")
    return _ESCAPES.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


# changing


def added(text: str, key: str, value: Any, line_end: str) -> str:
    """The header with one more key at its end, indented as the others are; `line_end` is for an empty header."""
    if text.strip() == "{}":
        text = ""
    if text:
        line_end = _line_end(text, len(text) - 1)
    first = re.search(r"(?m)^( *)[^\s#]", text)
    indent = first[1] if first else ""
    return text + "".join(indent + line + line_end for line in entry(key, value))


def changed(text: str, key: str, node: Node, value: Any) -> str:
    """The header with the lines of one key changed, or gone where `value` is None.

    Raises `Broken` where keys share a line. `node` is what `read` found.
    """
    first = text.rfind("\n", 0, node.key_start) + 1
    colon = text.find(":", node.key_end) + 1
    if text[first : node.key_start].strip():
        raise Broken(f"the key {key!r} does not begin a line", node.key_start)
    after = _next_line(text, max(node.end, colon))
    if value is None:
        return text[:first] + text[after:]
    inline, below = _like(node, text[node.start : node.end], value)
    beside = node.style in ("plain", "quoted", "flow")
    if beside and not below:
        gap = text[colon : node.start] or " "
        return text[:colon] + (gap + inline if inline else "") + text[node.end :]
    line_end = _line_end(text, colon)
    comment = text[node.end : after] if beside else _comment(text, colon) + line_end
    head = text[:colon] + (" " + inline if inline else "") + comment
    indent = " " * (node.key_start - first)
    kept = _kept_items(text, node, value, line_end) if below else ""
    return head + (kept or "".join(indent + line + line_end for line in below)) + text[after:]


def _like(node: Node, source: str, value: Any) -> tuple[str, list[str]]:
    """The new value as `_written` gives it, but in the style that the old one has in `source`."""
    if isinstance(value, (list, tuple)) and value:
        if node.style == "flow":
            return _flow(value), []
        if node.style == "block" and isinstance(node.value, list):
            return "", ["  " + line for item in value for line in _item(item)]
    if isinstance(value, str) and value and node.style in ("plain", "quoted"):
        return _requoted(node.value, source, plain(value)), []
    return _written(value)


def _requoted(old: str, source: str, new: str) -> str:
    """The new text with the quotes, or the lack of them, that a person chose for the old one."""
    if source != _scalar(old):
        if source.startswith('"'):
            return _quoted(new)
        if source.startswith("'") and not re.search(_UNSAFE, new):
            return "'" + new.replace("'", "''") + "'"
        if old and new != "null" and not re.search(_NOT_PLAIN, new):
            return new
    return _scalar(new)


def _kept_items(text: str, node: Node, value: Any, line_end: str) -> str:
    """The lines of a block list in which an item that was there before keeps its own, comments below it included.

    "" where the old list is not one scalar a line, so that there is nothing to keep.
    """
    if not node.items or not isinstance(value, (list, tuple)):
        return ""
    starts = [text.rfind("\n", 0, start) + 1 for start, _ in node.items]
    dashes = [re.compile(r"( *)-(?=\s)").match(text, start) for start in starts]
    if not all(dashes):
        return ""
    indent = dashes[0][1]
    ends = [*starts[1:], _next_line(text, node.items[-1][1])]
    known: dict[str, list[str]] = {}
    for item, start, end in zip(node.value, starts, ends):
        known.setdefault(item, []).append(text[start:end])
    found = []
    for item in value:
        old = known.get(plain(item)) if isinstance(item, str) else None
        found.append(old.pop(0) if old else "".join(indent + line + line_end for line in _item(item)))
    return "".join(found)


def _comment(text: str, colon: int) -> str:
    """The comment beside a key whose value stands below it."""
    match = re.compile(r"[ \t]+#[^\r\n]*").match(text, colon)
    return match[0] if match else ""


def _next_line(text: str, position: int) -> int:
    return text.find("\n", position) + 1 or len(text)


def _line_end(text: str, position: int) -> str:
    """How the line around a position ends."""
    return "\r\n" if text[: _next_line(text, position)].endswith("\r\n") else "\n"
