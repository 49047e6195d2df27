"""Readers of transcripts that other programs write, each a stream of messages with their threads.

    jsonl         one message a line, the shape that `strata append` reads
    claude-code   session files of Claude Code
    codex         rollout files of the Codex CLI
    locomo        conversations in the shape of the LoCoMo benchmark (one JSON document)

Each module has `read(stream, *, start, name, thread, final, report)`. It yields an `Item` for a message
that is complete, in file order, and a `Problem` for what it cannot read, and goes on. `start` is a byte
offset where an earlier read ended (`Item.end` or `Report.end`): reading on from there gives exactly the
rest. A last line that is still being written, and a message that may still grow, stay unread; `final`
says that nothing more will come. Line formats hold one line and the unfinished messages in memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

from strata.errors import Malformed, NotFound, UsageError
from strata.model import Message, Problem

FORMATS = ("jsonl", "claude-code", "codex", "locomo")
HEAD = 64 * 1024  # bytes that `detect` looks at
BATCH_BYTES = 16 * 1024 * 1024  # a batch ends here, however few its messages are


class Item(NamedTuple):
    """A complete message; `end` is the offset from which reading on loses and repeats nothing."""

    thread: str
    message: Message
    end: int


@dataclass(slots=True)
class Report:
    """What became of a transcript: messages read, rows passed over by reason, problems, where to read on."""

    read: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    end: int = 0

    def skip(self, reason: str) -> None:
        """Count a row or a part that is no message."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def problem(self, path: str, line: int | None, message: str, remedy: str = "") -> Problem:
        """Note something that could not be read, and give it back to be yielded."""
        found = Problem("error", path, message, remedy, line)
        self.problems.append(found)
        return found


Read = Callable[..., Iterator[Item | Problem]]


def reader(format: str) -> Read:
    """The `read` of one format; raises UsageError for one we do not know."""
    if format not in FORMATS:
        raise UsageError(f"unknown transcript format {format!r}", remedy=f"use auto, {', '.join(FORMATS)}")
    return import_module(f"strata.importers.{format.replace('-', '_')}").read


def detect(head: bytes, name: str = "") -> str:
    """The format of a transcript by its first bytes (64 KB are enough) and its name.

    Raises Malformed when it is none of ours. An empty file passes for jsonl.
    """
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        return "locomo"
    for line in text.split(b"\n"):
        if not line.strip():
            continue
        row = _row(line)
        format = _format_of(row) if row is not None else _format_of_cut(line)
        if format:
            return format
        if row is None:
            break
    if not text:
        return "jsonl"
    if any(key in text for key in (b'"sample_id"', b'"session_1"', b'"speaker_a"')):
        return "locomo"
    if PurePath(name).name.startswith("rollout-"):
        return "codex"
    raise Malformed("this is no transcript in a format that we know", path=name, remedy=f"name it: --format {'|'.join(FORMATS)}")


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _format_of(row: dict[str, Any]) -> str:
    if "conversation" in row or "sample_id" in row:
        return "locomo"
    if "payload" in row or "record_type" in row or ("instructions" in row and "id" in row):
        return "codex"
    if row.keys() & {"sessionId", "parentUuid", "isSidechain", "leafUuid"} or row.get("type") == "file-history-snapshot":
        return "claude-code"
    if row.get("type") in ("message", "function_call", "reasoning"):
        return "codex"
    return "jsonl" if row.keys() & {"text", "role", "speaker"} else ""


def _format_of_cut(line: bytes) -> str:
    """The format of a line of which the head holds only the beginning."""
    if any(key in line for key in (b'"sessionId"', b'"parentUuid"', b'"isSidechain"')):
        return "claude-code"
    if b'"payload"' in line:
        return "codex"
    return "jsonl" if b'"text"' in line and b'"role"' in line and b'"sample_id"' not in line else ""


class Transcript:
    """One transcript file that is open for reading; see `open_transcript`."""

    def __init__(self, stream: BinaryIO, path: Path, format: str, thread: str, start: int, final: bool) -> None:
        self.format = format
        self.size = os.fstat(stream.fileno()).st_size
        self.report = Report(end=start)
        self._stream = stream
        self._items = reader(format)(stream, start=start, name=str(path), thread=thread, final=final, report=self.report)

    @property
    def done(self) -> int:
        """Bytes read so far, of `size`."""
        return min(max(self._stream.tell(), self.report.end), self.size)

    @property
    def skipped(self) -> dict[str, int]:
        """How many rows were passed over, by reason."""
        return self.report.skipped

    @property
    def problems(self) -> list[str]:
        """What could not be read, each with its line."""
        return [f"line {found.line}: {found.message}" if found.line else found.message for found in self.report.problems]

    def fingerprint(self) -> str:
        """What identifies the part that was read, for `open_transcript(seen=…)`."""
        return _fingerprint(self._stream, self.report.end)

    def batches(self, size: int) -> Iterator[list[tuple[str, Message]]]:
        """The messages with their threads, at most `size` at a time."""
        batch: list[tuple[str, Message]] = []
        begun = self._stream.tell()
        for item in self._items:
            if isinstance(item, Problem):
                continue
            batch.append((item.thread, item.message))
            if len(batch) >= size or self._stream.tell() - begun >= BATCH_BYTES:
                yield batch
                batch, begun = [], self._stream.tell()
        if batch:
            yield batch

    def __enter__(self) -> Transcript:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        self._stream.close()


def open_transcript(
    path: Path, *, format: str = "auto", thread: str = "", start: int = 0, seen: str = "", final: bool = False
) -> Transcript:
    """A transcript file, its format found out if it is `auto`; use it in a `with`.

    `thread` is for lines that name none. To read on, give what an earlier reading left: `start` (its
    `report.end`) and `seen` (its `fingerprint()`). If the file was truncated or replaced since, it is
    read from the beginning; ids tell what is known. Raises NotFound, UsageError for an unknown format,
    and Malformed when the format cannot be told.
    """
    if not path.is_file():
        raise NotFound(f"there is no transcript at {path}", path=str(path), remedy="give the path of a file")
    stream = path.open("rb")
    try:
        if format == "auto":
            format = detect(stream.read(HEAD), str(path))
            stream.seek(0)
        if start and (start > os.fstat(stream.fileno()).st_size or (seen and seen != _fingerprint(stream, start))):
            start = 0
        return Transcript(stream, path, format, thread, start, final)
    except BaseException:
        stream.close()
        raise


def _fingerprint(stream: BinaryIO, end: int) -> str:
    from strata.importers.lines import fingerprint

    return fingerprint(stream, end)
