"""Session files of Claude Code: `~/.claude/projects/<project>/<session>.jsonl`.

One row a line. A `user` row is what the user typed, or the result of a tool; an `assistant` row is one
part of a message of which all rows share `message.id`. What becomes of them:

* Rows of one assistant message become one message, its texts joined and its tool calls collected. A
  result belongs to the call it answers, never to the user; an error is kept as
  `{"is_error": true, "content": …}`. A result whose call was read earlier becomes a `tool` message.
* The thread is the session id, the message id the `uuid` of the first row, the order that of the file
  (parent links lead through rows that are no messages). A `uuid` that comes again is passed over.
* Sub-agents (`isSidechain`, or a file under `subagents/`) get a thread `<session>/agent-<id>` and are
  marked in meta. What they are told comes from the main agent: role `system`, speaker "main agent".
* A slash command with arguments, which the user typed, is a `system` message. Passed over, by reason:
  thinking, injected rows (`isMeta`, reminders), command output, compaction summaries (what they sum up
  stands further up), API errors, interruptions, and rows that are no messages (snapshots, progress …).
* Images and documents become `[image image/png, 48,213 bytes, sha256 …]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, BinaryIO

from strata import moment
from strata.importers import Item, Report
from strata.importers.drafts import Drafts
from strata.importers.lines import Lines, Row, media_stub, payload, rows, without_blocks
from strata.model import Message, Problem, ToolCall

_ENDS = ("end_turn", "stop_sequence", "max_tokens", "refusal")
_INJECTED = ("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "task-notification")
_NOISE = ("<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "<command-name>", "<command-message>",
          "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>")
_INTERRUPTED = r"\[Request interrupted by user[^\]]*\]"
_SUBAGENT = "sidechain without an id"


def read(
    stream: BinaryIO,
    *,
    start: int = 0,
    name: str = "",
    thread: str = "",
    final: bool = False,
    report: Report | None = None,
) -> Iterator[Item | Problem]:
    """The messages of a session, each when it is complete; see `Drafts.ready` for the end of the file.

    `name` is the path of the file: it tells sub-agents' files, and the session where rows do not.
    """
    report = Report(end=start) if report is None else report
    lines = Lines(stream, start)
    session = _Session(report, PurePath(name.replace("\\", "/")), thread)
    for row in rows(lines, report, name, final):
        if isinstance(row, Problem):
            yield row
            continue
        fault = session.take(row)
        if fault:
            yield report.problem(name, lines.number, fault)
        yield from session.drafts.ready(row.end)
    yield from session.drafts.ready(lines.offset, at_end=True, final=final)


class _Session:
    """What has been seen of a session so far."""

    def __init__(self, report: Report, path: PurePath, thread: str) -> None:
        self.report = report
        self.drafts = Drafts(report)
        self._seen: set[str] = set()
        self._agent = path.stem.removeprefix("agent-") if "subagents" in path.parts or path.stem.startswith("agent-") else ""
        session = path.parent.parent.name if path.parent.name == "subagents" else thread if self._agent else path.stem
        self._fallback = session or thread or "claude-code"

    def take(self, row: Row) -> str:
        """Take in one row; what is wrong with it, or ""."""
        self.drafts.offset = row.end
        value = row.value
        kind = value.get("type")
        if kind == "attachment" and (queued := _queued_prompt(value)) is not None:
            value, kind = queued, "user"
        if kind not in ("user", "assistant"):
            self.report.skip(f"{kind if isinstance(kind, str) and kind else 'untyped'} row")
            return ""
        message, uuid = value.get("message"), value.get("uuid")
        if not isinstance(message, dict) or not isinstance(message.get("content"), str | list):
            return f"a row of type {kind} has no message with content"
        if not isinstance(uuid, str) or not uuid:
            return f"a row of type {kind} has no uuid"
        if uuid in self._seen:
            self.report.skip("repeat")
            return ""
        self._seen.add(uuid)
        parts = message["content"] if isinstance(message["content"], list) else [{"type": "text", "text": message["content"]}]
        parts = [part if isinstance(part, dict) else {"type": "text", "text": part} for part in parts]
        if kind == "user":
            self._user(row, value, uuid, parts)
        else:
            self._assistant(row, value, uuid, parts)
        return ""

    def _thread(self, value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The thread of a row, and the meta that marks a sub-agent's."""
        session = _text(value.get("sessionId")) or self._fallback
        agent = _text(value.get("agentId")) or self._agent
        if not (value.get("isSidechain") or self._agent):
            return session, {}
        return f"{session}/agent-{agent or 'sidechain'}", {"sidechain": True, "session": session, "agent": agent or _SUBAGENT}

    def _user(self, row: Row, value: dict[str, Any], uuid: str, parts: list[dict[str, Any]]) -> None:
        thread, meta = self._thread(value)
        at = _time(value)
        for part in parts:
            if part.get("type") == "tool_result":
                self._result(row, thread, meta, uuid, at, part)
        reason = "compaction summary" if value.get("isCompactSummary") else "injected" if value.get("isMeta") else ""
        said = [part for part in parts if part.get("type") != "tool_result"]
        if not said and not reason:
            return  # nothing but results, and they went to their calls
        if reason:
            self.report.skip(reason)
            return
        text, reason = _said(said)
        if reason == "command" and text:
            self.drafts.add(thread, Message(uuid, "system", text, "", at, (), meta | {"command": True}), row.start)
        elif reason or not text.strip():
            self.report.skip(reason or "nothing said")
        elif meta:
            self.drafts.add(thread, Message(uuid, "system", text, "main agent", at, (), meta), row.start)
        elif value.get("queued"):
            self.drafts.insert(thread, Message(uuid, "user", text, "", at), row.start)
        else:
            self.drafts.add(thread, Message(uuid, "user", text, "", at), row.start)

    def _result(self, row: Row, thread: str, meta: dict[str, Any], uuid: str, at: str, part: dict[str, Any]) -> None:
        content = part.get("content")
        result = payload(content if isinstance(content, str) else "\n".join(_shown(inner) for inner in content) if isinstance(content, list) else content)
        if part.get("is_error"):
            result = {"is_error": True, "content": result}
        call = _text(part.get("tool_use_id"))
        if not self.drafts.result(thread, call, result):
            id = uuid if call in ("", uuid) else f"{uuid}:{call}"
            self.drafts.insert(thread, Message(id, "tool", "", "", at, (ToolCall("unknown", None, result),), meta | {"tool_use_id": call}), row.start)

    def _assistant(self, row: Row, value: dict[str, Any], uuid: str, parts: list[dict[str, Any]]) -> None:
        message = value["message"]
        if value.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
            self.report.skip("API error" if value.get("isApiErrorMessage") else "synthetic")
            return
        thread, meta = self._thread(value)
        key = _text(message.get("id")) or uuid
        draft = self.drafts.current(thread)
        if draft is None or draft.key != key:
            draft = self.drafts.begin(thread, uuid, row.start, key=key, at=_time(value), meta=meta)
        draft.last = row.end
        for part in parts:
            if part.get("type") == "tool_use":
                self.drafts.call(draft, _text(part.get("id")) or f"{uuid}-{len(draft.calls)}", _text(part.get("name")) or "unknown", payload(part.get("input")))
            elif part.get("type") in ("thinking", "redacted_thinking"):
                self.report.skip("thinking")
            else:
                draft.texts.append(_shown(part))
        stop = message.get("stop_reason")
        draft.ended = True if stop in _ENDS else False if stop == "tool_use" and not draft.calls else None


def _said(parts: list[dict[str, Any]]) -> tuple[str, str]:
    """What the user said in these parts, and else why it is not the user's."""
    shown = [_shown(part) for part in parts]
    cleaned = [without_blocks(text, _INJECTED) if "<" in text else text for text in shown]
    text = "\n\n".join(part if part == whole else part.strip() for part, whole in zip(cleaned, shown, strict=True) if part.strip())
    if not text:
        return "", "injected" if any(shown) else ""
    head = text.lstrip()
    if head.startswith(_NOISE):
        name, arguments = (re.search(rf"<command-{tag}>([^<]*)</command-{tag}>", head) for tag in ("name", "args"))
        if name and arguments and arguments[1].strip():
            return f"{name[1].strip()} {arguments[1].strip()}", "command"
        return "", "local command"
    if re.fullmatch(_INTERRUPTED, text.strip()):
        return "", "interruption"
    return text, ""


def _shown(part: Any) -> str:
    """A part of a message as text; an image or a document by its stub."""
    if not isinstance(part, dict):
        return part if isinstance(part, str) else ""
    kind = part.get("type")
    if kind in ("image", "document"):
        source = part.get("source") if isinstance(part.get("source"), dict) else {}
        if source.get("type") == "url":
            return f"[{kind} {_text(source.get('url'))}]"
        return media_stub(kind, _text(source.get("media_type")), source.get("data"))
    if kind == "text":
        return _text(part.get("text"))
    return f"[{kind}]" if isinstance(kind, str) and kind else ""


def _queued_prompt(value: dict[str, Any]) -> dict[str, Any] | None:
    """What the user typed while the agent was working, as a user row."""
    attachment = value.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return None
    if attachment.get("commandMode", "prompt") != "prompt" or not isinstance(attachment.get("prompt"), str | list):
        return None
    return value | {"queued": True, "message": {"role": "user", "content": attachment["prompt"]}}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _time(value: dict[str, Any]) -> str:
    at = _text(value.get("timestamp"))
    return at if moment.is_valid(at) else ""
