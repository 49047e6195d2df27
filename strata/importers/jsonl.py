"""One message a line, as JSON: `{thread, id, role, speaker, text, at, tools: [{name, arguments, result}], meta}`.

`role` and `text` are required, everything else may be missing. Checked strictly: an unknown field, a
field that appears twice, a wrong type, an unknown role, a time that is no ISO 8601 and NaN are refused
by name, with the line. A message without `id` gets one from its content and from how often the same
content came before it in the file (`h-3f2a90b1c4d5`, `h-3f2a90b1c4d5-2`), so that reading the file again,
or a longer version of it, gives the same ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, BinaryIO

from strata import moment
from strata.errors import Malformed
from strata.importers import Item, Report
from strata.importers.lines import Lines, nests_deeper, payload, rows
from strata.model import ROLES, Message, Problem, ToolCall
from strata.transcript import MAX_DEPTH

FIELDS = ("thread", "id", "role", "speaker", "text", "at", "tools", "meta")
TOOL_FIELDS = ("name", "arguments", "result")
DEFAULT_THREAD = "main"


def read(
    stream: BinaryIO,
    *,
    start: int = 0,
    name: str = "",
    thread: str = "",
    final: bool = False,
    report: Report | None = None,
) -> Iterator[Item | Problem]:
    """Each message as soon as its line is complete; a Problem for each line that is refused."""
    report = Report(end=start) if report is None else report
    lines = Lines(stream, start)
    occurrences: dict[str, int] | None = None if start else {}
    for row in rows(lines, report, name, final):
        if isinstance(row, Problem):
            report.end = lines.offset
            yield row
            continue
        try:
            place, message = parse_line(row.raw, 0, thread)
        except Malformed as fault:
            report.end = row.end
            yield report.problem(name, lines.number, fault.message, fault.remedy)
            continue
        if not message.id:
            if occurrences is None:
                occurrences = _occurrences(stream, start, thread)
            message = message._replace(id=derived_id(place, message, occurrences))
        message = message._replace(tools=tuple(ToolCall(call.name, payload(call.arguments), payload(call.result)) for call in message.tools))
        report.read += 1
        report.end = row.end
        yield Item(place, message, row.end)
    report.end = lines.offset


def parse_line(line: bytes | str, number: int, thread: str = "") -> tuple[str, Message]:
    """The thread and the message of one line; the id is "" where the line has none (see `derived_id`).

    `thread` is for a line that names none. Raises Malformed with the line's `number` and the field.
    """

    def refuse(what: str, remedy: str = "") -> Malformed:
        return Malformed(what, remedy=remedy, line=number or None)

    try:
        value = json.loads(line, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as fault:
        raise refuse(f"not valid JSON: {fault}", "each line must be one JSON object in UTF-8") from None
    if not isinstance(value, dict):
        raise refuse("not a JSON object", "each line must be one JSON object")
    _check_fields(value, FIELDS, "", refuse)
    for field in ("thread", "id", "role", "speaker", "text", "at"):
        if not isinstance(value.get(field, ""), str):
            raise refuse(f"{field} must be a string", f'for example "{field}": "…"')
    if any(0xD800 <= ord(character) < 0xE000 for character in value.get("thread", "")):
        raise refuse("thread holds half a surrogate pair", "a thread needs a name that can be written as UTF-8")
    for field in ("thread", "id"):
        if value.get(field, "") and not value[field].strip():
            raise refuse(f"{field} is nothing but blanks", "give it a name, or leave it out")
    for field in ("role", "text"):
        if field not in value:
            raise refuse(f"{field} is missing", f"a message needs role ({', '.join(ROLES)}) and text")
    if value["role"] not in ROLES:
        raise refuse(f"role {value['role'][:40]!r} is unknown", f"use one of {', '.join(ROLES)}")
    at = value.get("at", "")
    if at and not moment.is_valid(at):
        raise refuse(f"at {at[:40]!r} is not an ISO 8601 date or time", "for example 2026-11-30T11:50:02Z, or leave it out")
    meta = value.get("meta", {})
    if not isinstance(meta, dict):
        raise refuse("meta must be an object", '"meta": {"key": "value"}')
    tools = _tools(value.get("tools", []), refuse)
    if nests_deeper([meta, [[call.arguments, call.result] for call in tools]], MAX_DEPTH):
        raise refuse(f"tools or meta nest deeper than {MAX_DEPTH} levels")
    message = Message(value.get("id", ""), value["role"], value["text"], value.get("speaker", ""), at, tools, meta)
    return value.get("thread", "") or thread or DEFAULT_THREAD, message


def derived_id(thread: str, message: Message, occurrences: dict[str, int]) -> str:
    """An id for a message that has none: from its content, numbered from the second equal one on."""
    content = [thread, message.role, message.speaker, message.text, message.at]
    content += [[call.name, call.arguments, call.result] for call in message.tools] + [message.meta]
    text = json.dumps(content, sort_keys=True)
    key = "h-" + sha256(text.encode("ascii")).hexdigest()[:12]
    occurrences[key] = occurrences.get(key, 0) + 1
    return key if occurrences[key] == 1 else f"{key}-{occurrences[key]}"


def _occurrences(stream: BinaryIO, start: int, thread: str) -> dict[str, int]:
    """How often each content without an id came before `start`."""
    counts: dict[str, int] = {}
    here = stream.tell()
    stream.seek(0)
    lines = Lines(stream, 0)
    for row in rows(lines, Report(), "", False):
        if lines.offset > start:
            break
        if isinstance(row, Problem):
            continue
        try:
            place, message = parse_line(row.raw, 0, thread)
        except Malformed:
            continue  # reported when it was first read
        if not message.id:
            derived_id(place, message, counts)
    stream.seek(here)
    return counts


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice[:40]!r} appears twice")
    return value


def _finite(text: str) -> float:
    """A number that JSON can write again; 1e999 is none."""
    if (number := float(text)) in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is out of range")
    return number


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON number")


def _check_fields(value: dict[str, Any], known: tuple[str, ...], where: str, refuse: Any) -> None:
    unknown = [field for field in value if field not in known]
    if unknown:
        raise refuse(f"unknown field {unknown[0][:40]!r}{where}", f"known are {', '.join(known)}")


def _tools(value: Any, refuse: Any) -> tuple[ToolCall, ...]:
    if not isinstance(value, list):
        raise refuse("tools must be a list", '"tools": [{"name": "bash", "arguments": {…}, "result": "…"}]')
    calls = []
    for number, call in enumerate(value, 1):
        where = f" in tool {number}"
        if not isinstance(call, dict):
            raise refuse(f"tool {number} must be an object")
        _check_fields(call, TOOL_FIELDS, where, refuse)
        if not isinstance(call.get("name"), str) or not call["name"]:
            raise refuse(f"name must be a string{where}")
        calls.append(ToolCall(call["name"], call.get("arguments"), call.get("result")))
    return tuple(calls)
