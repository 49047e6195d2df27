"""Rollout files of the Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`.

Rows are `{timestamp, type, payload}`; the payload of a `response_item` is a message, the call of a tool
or its output. In files of older versions these items stand at the top level and the first row holds
the session's id. What becomes of them:

* A `message` of the user or the assistant is a message. Calls of tools belong to the assistant's
  message before them in the same turn (or make one without text), outputs to their calls.
* The thread is the session id. Rows have no ids: a message's id is made from its row, and where rows
  bear no time also from its place in the file, so reading again gives the same ids.
* Of what is sent in the user's name only the user's words are kept: environment context, instructions,
  AGENTS.md and the like are passed over, and so is what an IDE puts before the request.
* A sub-agent's session (`source: {"subagent": …}`) is marked in meta, and what it is told has the role
  `system`. Passed over: reasoning, `event_msg` (it repeats the items), turn contexts, compactions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import PurePath
from typing import Any, BinaryIO

from strata import moment
from strata.importers import Item, Report
from strata.importers.drafts import Draft, Drafts
from strata.importers.lines import Lines, Row, image_url, payload, rows
from strata.model import Message, Problem, ToolCall

_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call", "image_generation_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output", "mcp_tool_call_output")
_WITHOUT_OUTPUT = ("web_search_call", "image_generation_call")
_INJECTED = ("environment_context", "user_instructions", "INSTRUCTIONS", "turn_aborted", "skill", "subagent_notification",
             "user_shell_command", "permissions instructions", "collaboration_mode", "model_switch", "goal_context", "hook_context")
_REQUEST = "## My request for Codex:"


def read(
    stream: BinaryIO,
    *,
    start: int = 0,
    name: str = "",
    thread: str = "",
    final: bool = False,
    report: Report | None = None,
) -> Iterator[Item | Problem]:
    """The messages of a session, each when it is complete; see `Drafts.ready` for the end of the file."""
    report = Report(end=start) if report is None else report
    session = _Session(report, name, thread)
    if start:
        session.begin(_first_rows(stream))
    lines = Lines(stream, start)
    for row in rows(lines, report, name, final):
        if isinstance(row, Problem):
            yield row
            continue
        fault = session.take(row)
        if fault:
            yield report.problem(name, lines.number, fault)
        yield from session.drafts.ready(row.end)
    yield from session.drafts.ready(lines.offset, at_end=True, final=final)


def _first_rows(stream: BinaryIO) -> Iterator[Row]:
    """The first rows of the file, among which the session names itself."""
    stream.seek(0)
    for row in rows(Lines(stream, 0), Report(), "", False):
        if isinstance(row, Row):
            yield row
            return


class _Session:
    """What has been seen of a session so far."""

    def __init__(self, report: Report, name: str, thread: str) -> None:
        self.report = report
        self.drafts = Drafts(report)
        stem = PurePath(name.replace("\\", "/")).stem
        found = re.search(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", stem)
        self._thread = found[0] if found else stem or thread or "codex"
        self._meta: dict[str, Any] = {}
        self._known = False

    def begin(self, first: Iterator[Row]) -> None:
        """Learn the session's id from its first row, before reading on further down."""
        for row in first:
            self._learn(row.value)

    def take(self, row: Row) -> str:
        """Take in one row; what is wrong with it, or ""."""
        self.drafts.offset = row.end
        if self._learn(row.value):
            self.report.skip("session_meta row")
            return ""
        kind, item = row.value.get("type"), row.value.get("payload")
        if kind in ("message", "reasoning", *_CALLS, *_OUTPUTS) and "payload" not in row.value:
            kind, item = "response_item", row.value  # as older versions wrote it
        if kind != "response_item":
            self.report.skip(f"{kind if isinstance(kind, str) and kind else 'untyped'} row")
            return ""
        if not isinstance(item, dict):
            return "a response_item has no payload"
        return self._item(row, item)

    def _learn(self, value: dict[str, Any]) -> bool:
        """Whether this row describes the session; the first one that does counts (a fork repeats others)."""
        wrapped = value.get("type") == "session_meta" and isinstance(value.get("payload"), dict)
        if not wrapped and not ("type" not in value and isinstance(value.get("id"), str)):
            return False
        meta = value["payload"] if wrapped else value
        if not self._known and isinstance(meta.get("id"), str) and meta["id"]:
            self._known, self._thread = True, meta["id"]
            source = meta.get("source")
            if isinstance(source, dict) and "subagent" in source:
                self._meta = {"sidechain": True}
        return True

    def _item(self, row: Row, item: dict[str, Any]) -> str:
        kind = item.get("type")
        if kind == "message":
            return self._message(row, item)
        if kind in _CALLS:
            self._call(row, item)
        elif kind in _OUTPUTS:
            self._output(row, item)
        else:
            self.report.skip("thinking" if kind == "reasoning" else f"{kind} item")
        return ""

    def _message(self, row: Row, item: dict[str, Any]) -> str:
        role, content = item.get("role"), item.get("content")
        if isinstance(content, str):
            content = [{"type": "input_text", "text": content}]
        if not isinstance(content, list):
            return "a message has no content"
        if role == "assistant":
            draft = self._begin(row)
            draft.texts = [_shown(part) for part in content]
        elif role == "user":
            shown = [_shown(part) for part in content]
            text = "\n\n".join(part for part in map(_own_words, shown) if part.strip())
            if not text:
                self.report.skip("injected" if any(shown) else "nothing said")
            elif self._meta:
                self.drafts.add(self._thread, Message(self._id(row), "system", text, "main agent", _time(row.value), (), self._meta), row.start)
            else:
                self.drafts.add(self._thread, Message(self._id(row), "user", text, "", _time(row.value)), row.start)
        else:
            self.report.skip("instructions")
        return ""

    def _call(self, row: Row, item: dict[str, Any]) -> None:
        draft = self.drafts.current(self._thread) or self._begin(row)
        draft.last = row.end
        kind = item["type"]
        arguments = next((item[key] for key in ("arguments", "input", "action") if key in item), None)
        call = _text(item.get("call_id")) or _text(item.get("id")) or self._id(row)
        self.drafts.call(draft, call, _text(item.get("name")) or kind.removesuffix("_call"), payload(_parsed(arguments)))
        if kind in _WITHOUT_OUTPUT:
            self.drafts.result(self._thread, call, None)

    def _output(self, row: Row, item: dict[str, Any]) -> None:
        output = item.get("output", item.get("result"))
        if isinstance(output, list):
            output = "\n".join(_shown(part) for part in output)
        result = payload(_parsed(output))
        call = _text(item.get("call_id"))
        if not self.drafts.result(self._thread, call, result):
            meta = self._meta | {"call_id": call}
            self.drafts.insert(self._thread, Message(self._id(row), "tool", "", "", _time(row.value), (ToolCall("unknown", None, result),), meta), row.start)

    def _begin(self, row: Row) -> Draft:
        return self.drafts.begin(self._thread, self._id(row), row.start, at=_time(row.value), meta=self._meta)

    @staticmethod
    def _id(row: Row) -> str:
        place = b"" if _time(row.value) else str(row.start).encode()
        return "cx-" + sha256(row.raw.strip() + place).hexdigest()[:16]


def _own_words(text: str) -> str:
    """What of a user's message the user wrote."""
    head = text.strip()
    if head.startswith("# AGENTS.md instructions") and "<INSTRUCTIONS>" in head:
        return ""
    if any(head.startswith(f"<{tag}>") and head.endswith(f"</{tag}>") for tag in _INJECTED):
        return ""
    if head.startswith("# Context from my IDE setup:") and _REQUEST in head:
        return head.split(_REQUEST, 1)[1].strip()
    return text


def _parsed(value: Any) -> Any:
    """JSON that came as a string, if it is an object; a command's own output stays the text it is."""
    if not isinstance(value, str) or not value.startswith("{"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _shown(part: Any) -> str:
    """A part of a message as text; an image by its stub."""
    if not isinstance(part, dict):
        return part if isinstance(part, str) else ""
    kind = part.get("type")
    if kind == "input_image":
        return image_url(part.get("image_url"))
    if isinstance(part.get("text"), str):
        return part["text"]
    return f"[{kind}]" if isinstance(kind, str) and kind else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _time(value: dict[str, Any]) -> str:
    at = _text(value.get("timestamp"))
    return at if moment.is_valid(at) else ""
