"""Lines of a growing file as JSON rows, in bounded memory.

A line ends with a newline. A last line without one is complete if it parses as a JSON object (no
proper beginning of an object does), else it is still being written and is left for the next time.
"""

from __future__ import annotations

import binascii
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, BinaryIO, NamedTuple

from strata.importers import Report
from strata.model import Problem
from strata.transcript import MAX_DEPTH

MAX_LINE = 64 * 1024 * 1024  # bytes; a longer line is passed over
MAX_PAYLOAD = 256 * 1024  # bytes; a larger tool payload becomes a stub
_SLIM_FROM = 1024 * 1024  # a longer line first loses its long runs of base64
_LONG_RUN = 64 * 1024  # characters of base64 that become a stub there
_CHUNK = 1024 * 1024
_EDGE = 4096  # bytes at either end of what was read that identify it
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Row(NamedTuple):
    """A JSON object, the offsets where its line begins and where the next does, and the line (see `slim`)."""

    value: dict[str, Any]
    start: int
    end: int
    raw: bytes


class Lines:
    """The lines of a stream from an offset on; line numbers count from the start of the file."""

    def __init__(self, stream: BinaryIO, start: int) -> None:
        self.stream = stream
        self.offset = start
        self.count = 0
        self._start = start
        self._before: int | None = None if start else 0
        if start:
            stream.seek(start)

    @property
    def number(self) -> int:
        """The number of the last line read; counts those before `start` only when it is asked for."""
        if self._before is None:
            here = self.stream.tell()
            self.stream.seek(0)
            left, self._before = self._start, 0
            while left and (chunk := self.stream.read(min(left, _CHUNK))):
                left -= len(chunk)
                self._before += chunk.count(b"\n")
            self.stream.seek(here)
        return self._before + self.count

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Each line with its offset; of one that is longer than MAX_LINE only its last piece."""
        while line := self.stream.readline(MAX_LINE + 1):
            start, length = self.offset, len(line)
            while length > MAX_LINE and not line.endswith(b"\n"):
                if not (piece := self.stream.readline(_CHUNK)):
                    break
                line = piece
                length += len(piece)
            self.offset += length
            self.count += 1
            yield start, line


def rows(lines: Lines, report: Report, name: str, final: bool) -> Iterator[Row | Problem]:
    """Each JSON object of the file, and a Problem for each line that is none. Blank lines do not count.

    `report.end` is not moved: what is complete is for the caller to know.
    """
    for start, line in lines:
        value, fault = None, ""
        if lines.offset - start > MAX_LINE:
            fault = f"the line is longer than {MAX_LINE // 1024 // 1024} MB and was passed over"
        elif not line.strip():
            continue
        else:
            slimmed = slim(line)
            try:
                value = json.loads(slimmed)  # which also tolerates a byte-order mark
            except (ValueError, RecursionError) as error:
                fault = f"not valid JSON: {_reason(error)}"
        if fault and not line.endswith(b"\n"):
            lines.offset = start
            if final:
                yield report.problem(name, lines.number, "the last line is incomplete", "it is read once it is complete")
            return
        if isinstance(value, dict):
            yield Row(value, start, lines.offset, slimmed)
        else:
            yield report.problem(name, lines.number, fault or "not a JSON object", "each line must be one JSON object in UTF-8")


def fingerprint(stream: BinaryIO, end: int) -> str:
    """What tells whether the file still begins with what was read up to `end`: a hash of its two edges.

    "" if the file is shorter by now. The stream's position is kept.
    """
    here = stream.tell()
    digest = hashlib.sha256(str(end).encode())
    edge = min(_EDGE, end)
    whole = True
    for at in (0, end - edge):
        stream.seek(at)
        data = stream.read(edge)
        whole = whole and len(data) == edge
        digest.update(data)
    stream.seek(here)
    return digest.hexdigest() if whole else ""


def _reason(fault: Exception) -> str:
    if isinstance(fault, RecursionError):
        return "it nests too deeply"
    if isinstance(fault, UnicodeDecodeError):
        return f"byte {fault.start + 1} is not UTF-8"
    return str(fault)


def slim(line: bytes) -> bytes:
    """A long line without its long runs of base64, each replaced by a stub with size and hash.

    Works on the bytes, so that an image of 40 MB is never parsed. Base64 that JSON had to escape, or
    shorter runs, stay for the readers.
    """
    if len(line) < _SLIM_FROM:
        return line
    pieces, done, at = [], 0, 0
    while at + _LONG_RUN <= len(line):
        window = line[at : at + _LONG_RUN]
        other = len(window.rstrip(_BASE64))  # one past the last byte that is not base64
        if other:
            at += other
            continue
        end = _compiled(rb"[^A-Za-z0-9+/]|\Z").search(line, at).start()
        pieces += [line[done:at], base64_stub(line[at:end]).encode()]
        done = at = min(end + len(line[end : end + 2]) - len(line[end : end + 2].lstrip(b"=")), len(line))
    return b"".join([*pieces, line[done:]]) if pieces else line


def base64_stub(data: bytes) -> str:
    """What stands for base64: how many bytes it encodes, and their SHA-256 (of the text, if it decodes to nothing)."""
    digest, size = hashlib.sha256(), 0
    body = data.rstrip(b"=")
    whole = len(body) // 4 * 4
    try:
        for at in range(0, whole, _CHUNK):
            piece = binascii.a2b_base64(body[at : min(at + _CHUNK, whole)], strict_mode=True)
            digest.update(piece)
            size += len(piece)
        if rest := body[whole:]:
            piece = binascii.a2b_base64(rest + b"=" * (-len(rest) % 4))
            digest.update(piece)
            size += len(piece)
    except binascii.Error:
        return f"[base64, {len(data):,} characters, sha256 {hashlib.sha256(data).hexdigest()}]"
    return f"[base64, {size:,} bytes, sha256 {digest.hexdigest()}]"


def media_stub(kind: str, media_type: str, data: Any) -> str:
    """What stands for an image or a document: `[image image/png, 48,213 bytes, sha256 …]`."""
    label = f"{kind} {media_type}".strip()
    if not isinstance(data, str) or not data:
        return f"[{label}]"
    stub = data if _compiled(r"\[base64, [\d,]+ (?:bytes|characters), sha256 [0-9a-f]{64}\]").fullmatch(data) else ""
    return f"[{label}, " + (stub or base64_stub(data.encode("utf-8", "surrogatepass"))).removeprefix("[base64, ")


def image_url(url: Any) -> str:
    """A stub for a `data:` URL, or the address of a picture."""
    found = _compiled(r"data:([\w.+/-]*)(?:;[\w=-]+)*,").match(url) if isinstance(url, str) else None
    if found:
        return media_stub("image", found[1], url[found.end() :])
    return f"[image {url}]" if isinstance(url, str) and len(url) <= 2000 else "[image]"


def payload(value: Any) -> Any:
    """A tool's arguments or result as it is; a stub if it is too large, its JSON text if it nests too deeply.

    JSON that nests beyond what Python itself can write becomes a stub as well.
    """
    if isinstance(value, str) and len(value) * 4 <= MAX_PAYLOAD:
        return value
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "[payload that nests too deeply]"
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > MAX_PAYLOAD:
        return f"[payload, {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}]"
    return text if nests_deeper(value, MAX_DEPTH) else value


def nests_deeper(value: Any, limit: int) -> bool:
    """Whether lists and objects nest in more than `limit` levels."""
    level = [value]
    for _ in range(limit + 1):
        level = [inner for held in level if isinstance(held, dict | list) for inner in (held.values() if isinstance(held, dict) else held)]
        if not level:
            return False
    return True


def without_blocks(text: str, tags: tuple[str, ...]) -> str:
    """The text without its `<tag>…</tag>` parts; one that is not closed stays."""
    for tag in tags:
        opening, closing, kept, at = f"<{tag}>", f"</{tag}>", [], 0
        while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start)) >= 0:
            kept.append(text[at:start])
            at = end + len(closing)
        text = "".join([*kept, text[at:]])
    return text


@cache
def _compiled(pattern: Any) -> re.Pattern[Any]:
    return re.compile(pattern)
