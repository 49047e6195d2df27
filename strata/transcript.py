r"""Messages as markdown that a person can read and grep, and back again without losing a character.

    ## user · m1 · 2026-11-30T11:50:02Z
    Which package manager do we use?

    ## assistant (Ada) · m2 · 2026-11-30T11:51:00Z
    pnpm, since today.

    ```json tool
    {
      "name": "bash",
      "arguments": {"command": "pnpm install"}
    }
    ```

A heading carries the role, the speaker where there is one, the id, and the time where it is known.
The text follows as it is; then each tool call, then what else came with the message (`json meta`),
as fenced JSON. One newline ends a message, one blank line separates two.

Two escapes keep this reversible. A line of a text that reads like one of our headings or fences gets
a backslash in front. A character that would make the file binary, invalid or dangerous to print
(controls, a carriage return that ends no line, half a surrogate pair) becomes `\u{1b}`: hexadecimal,
lower case. A text that holds just such an escape has its backslash written as `\u{5c}`; every other
backslash stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from strata.errors import Malformed
from strata.model import ROLES, Message, ToolCall

MAX_DEPTH = 200
"""How deep the JSON of a tool call may nest; Python's own parser gives up somewhat below 1,000."""

# Patterns are strings: `re` compiles each at its first use and keeps it, so that importing costs nothing.
_HEADING = rf"## ({'|'.join(ROLES)})(?: \(((?:(?! · ).)*)\))? · (.*)"
_FENCE = r"(`{3,})json (tool|meta)[ \t\r]*$"
_OURS = rf"(?:{_HEADING}|{_FENCE})"
_HEADING_LINE = rf"(?m)^{_HEADING}$"
_FENCE_LINE = rf"(?m)^{_FENCE}"
_TO_ESCAPE = rf"(?m)^(?=\\*{_OURS})"
_ESCAPED = rf"(?m)^\\(?=\\*{_OURS})"

_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff"
_CODES = r"[0-9a-f]|1[0-9a-f]|20|5c|7f|[89][0-9a-f]|b7|d[89a-f][0-9a-f]{2}|"
_CODE = rf"\\u\{{({_CODES})\}}"
_HIDDEN = rf"[{_CONTROL}]|\r(?!\n)|\\(?=u\{{(?:{_CODES})\}})"
# Within a heading also: line breaks, tabs, spaces at either end, and a dot that could be a separator.
_HIDDEN_IN_FIELD = rf"{_HIDDEN}|[\t\n\r]|^ | $|(?<![^ ])·|·(?![^ ])"


def encode(messages: Sequence[Message]) -> bytes:
    """The messages as UTF-8 markdown; `decode` gives back equal ones.

    Joining two transcripts with one newline gives the transcript of both. Raises `Malformed` for a
    role we do not know and for tool calls or meta that JSON cannot hold (NaN, sets, nesting beyond
    `MAX_DEPTH`).
    """
    return "\n".join(_written(message) for message in messages).encode("utf-8")


def decode(data: bytes, path: str = "", first_line: int = 1) -> tuple[Message, ...]:
    """The messages that `encode` wrote, also after an editor touched the file.

    Tolerates a byte-order mark, a missing or added newline at the end, missing blank lines, text after
    a tool call (it joins the message's text) and a file whose line endings were all changed to CRLF.
    Raises `Malformed` with `path` and line for the rest; `first_line` is the line of the file that
    `data` starts on.
    """
    text = _text(data, path, first_line)
    place = _Place(text, path, first_line)
    return tuple(_read(heading, content, place) for heading, content in _split(text, place))


def lines(data: bytes, path: str = "", first_line: int = 1) -> dict[str, tuple[int, int]]:
    """The first (its heading) and last line of each message by its id, 1-based; the first of two equal ids counts."""
    text = _text(data, path, first_line)
    place = _Place(text, path, first_line)
    spans: dict[str, tuple[int, int]] = {}
    line, position = first_line, 0
    for heading, content in _split(text, place):
        line += text.count("\n", position, heading.start())
        position = heading.start()
        ident = _fields(heading, place)[0]
        spans.setdefault(ident, (line, line + content.rstrip("\n").count("\n") + bool(content)))
    return spans


# writing


def _written(message: Message) -> str:
    """One message, ending in a newline."""
    if message.role not in ROLES:
        raise Malformed(
            f"message {message.id!r} has the role {message.role!r}",
            remedy=f"use one of {', '.join(ROLES)}; a name goes into speaker",
        )
    speaker = f" ({_field(message.speaker)})" if message.speaker else ""
    at = f" · {_field(message.at)}" if message.at else ""
    heading = f"## {message.role}{speaker} · {_field(message.id)}{at}\n"
    parts = [_safe(message.text)] if message.text else []
    parts += [_fenced("tool", _call(tool), message) for tool in message.tools]
    if message.meta:
        parts.append(_fenced("meta", message.meta, message))
    return heading + "\n\n".join(parts) + "\n" if parts else heading


def _field(value: str) -> str:
    return re.sub(_HIDDEN_IN_FIELD, _visible, value) if value else r"\u{}"


def _safe(text: str) -> str:
    return re.sub(_TO_ESCAPE, r"\\", re.sub(_HIDDEN, _visible, text))


def _visible(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"


def _call(tool: ToolCall) -> dict[str, Any]:
    fields = {"name": tool.name, "arguments": tool.arguments, "result": tool.result}
    return {key: value for key, value in fields.items() if value is not None}


def _fenced(label: str, value: dict[str, Any], message: Message) -> str:
    """A JSON object in a fence that is longer than any run of backticks inside."""
    try:
        body = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    except (TypeError, ValueError, RecursionError) as error:
        raise Malformed(f"the {label} of message {message.id!r} is not JSON: {error}") from error
    if "\n" + "  " * (MAX_DEPTH + 1) in body:  # a newline within a string is written as \n
        raise Malformed(f"the {label} of message {message.id!r} nests deeper than {MAX_DEPTH} levels")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", body)), default=0))
    return f"{fence}json {label}\n{_json_safe(body)}\n{fence}"


def _json_safe(body: str) -> str:
    r"""JSON whose strings hold neither controls nor our escape.

    JSON's own escapes do it, save for two surrogates side by side: JSON would read them as one
    character, so they take ours.
    """
    body = body.replace(r"\\u{", r"\u005cu{")
    return re.sub(rf"[\ud800-\udbff][\udc00-\udfff]|[{_CONTROL}]", _json_escape, body)


def _json_escape(match: re.Match[str]) -> str:
    if len(match[0]) == 1:
        return f"\\u{ord(match[0]):04x}"
    return "".join(f"\\u{{{ord(half):x}}}" for half in match[0])


# reading


class _Place:
    """Where we are in a file, for the errors."""

    def __init__(self, text: str, path: str, first_line: int) -> None:
        self.text, self.path, self.first_line = text, path, first_line

    def malformed(self, message: str, position: int, remedy: str = "") -> Malformed:
        line = self.first_line + self.text.count("\n", 0, position)
        return Malformed(message, path=self.path, line=line, remedy=remedy)


def _text(data: bytes, path: str, first_line: int) -> str:
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise Malformed("the transcript is not UTF-8", path=path, line=line, remedy="save it as UTF-8") from error
    # We end headings in a bare newline, so a CRLF there means that an editor changed every line.
    first = re.search(_HEADING_LINE, text)
    return text.replace("\r\n", "\n") if first and first[0].endswith("\r") else text


def _split(text: str, place: _Place) -> Iterator[tuple[re.Match[str], str]]:
    """Each heading and what stands below it, without the newline that separates it from the next."""
    headings = list(re.finditer(_HEADING_LINE, text))
    start = headings[0].start() if headings else len(text)
    if before := text[:start].strip():
        raise place.malformed(
            "text before the first message",
            text.index(before),
            remedy="put it below a heading such as `## user · m1`",
        )
    for heading, following in zip(headings, [*headings[1:], None]):
        end = following.start() - 1 if following else len(text)
        yield heading, text[heading.end() + 1 : end]


def _read(heading: re.Match[str], content: str, place: _Place) -> Message:
    ident, at = _fields(heading, place)
    below = heading.end() + 1
    fences = list(_fences(content, below, place))
    tools = tuple(_tool(value, below + start, place) for start, _, label, value in fences if label == "tool")
    meta = {key: item for *_, label, value in fences if label == "meta" for key, item in value.items()}
    if fences:
        ends = [end for _, end, _, _ in fences]
        text = content[: fences[0][0]].removesuffix("\n").removesuffix("\n")
        gaps = zip(ends, [start for start, *_ in fences[1:]] + [len(content)])
        later = [passage for start, end in gaps if (passage := content[start:end].strip("\n"))]
        text = "\n\n".join([text, *later] if text else later)
    else:
        text = content.removesuffix("\n")
    text = _unescaped(re.sub(_ESCAPED, "", text))
    return Message(ident, heading[1], text, _unescaped(heading[2] or ""), at, tools, meta)


def _fences(content: str, below: int, place: _Place) -> Iterator[tuple[int, int, str, dict[str, Any]]]:
    """Each JSON fence of one message: where it starts and ends in `content`, its label and its value."""
    end = 0
    while fence := re.compile(_FENCE_LINE).search(content, end):
        closing = content.find("\n" + fence[1], fence.end())
        end = content.find("\n", closing + 1)
        end = len(content) if end < 0 else end
        if closing < 0 or content[closing:end].strip() != fence[1]:
            raise place.malformed(
                "a JSON fence that is not closed", below + fence.start(), remedy=f"close it with {fence[1]}"
            )
        value = _json(content[fence.end() + 1 : closing], below + fence.start(), place)
        yield fence.start(), end, fence[2], value


def _fields(heading: re.Match[str], place: _Place) -> tuple[str, str]:
    """Id and time. A space at either end is an editor's: ours would be escaped."""
    ident, *rest = (field.strip(" \t\r") for field in heading[3].split(" · "))
    if not ident or len(rest) > 1:
        raise place.malformed(
            "this heading is not `## role (speaker) · id · time`",
            heading.start(),
            remedy="correct it, or put a backslash in front if it belongs to the text",
        )
    return _unescaped(ident), _unescaped(rest[0]) if rest else ""


def _json(body: str, start: int, place: _Place) -> dict[str, Any]:
    try:
        value = json.loads(_unescaped(body), parse_constant=_refuse)
    except json.JSONDecodeError as error:
        line = place.first_line + place.text.count("\n", 0, start) + error.lineno
        raise Malformed(f"not JSON: {error.msg}", path=place.path, line=line) from error
    except (ValueError, RecursionError) as error:
        raise place.malformed(f"not JSON: {error}", start) from error
    if not isinstance(value, dict):
        raise place.malformed("the JSON in this fence is no object", start)
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _tool(value: dict[str, Any], start: int, place: _Place) -> ToolCall:
    name = value.get("name")
    if not isinstance(name, str):
        raise place.malformed("a tool call without a name", start)
    return ToolCall(name, value.get("arguments"), value.get("result"))


def _unescaped(text: str) -> str:
    if r"\u{" not in text:
        return text
    return re.sub(_CODE, lambda match: chr(int(match[1], 16)) if match[1] else "", text)
