"""A whole transcript into a memory: batch by batch, and on from where the last reading ended.

How far a file was read is remembered in `.strata/`, with the messages it ended on. Losing that costs
nothing but reading the file again: messages are known by their ids.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from strata import importers
from strata.errors import Malformed
from strata.files.durable import write_durably
from strata.model import Message
from strata.results import Appended, Ingested, Redaction
from strata.store import Store

BATCH = 2000  # messages a commit takes at most
REMEMBERED = 500  # files whose reading position is kept, the latest

Append = Callable[[list[tuple[str, Message]]], Appended]


def ingest(
    store: Store,
    append: Append,
    source: Path,
    *,
    format: str,
    thread: str,
    progress: Callable[[int, int], None] | None,
    kept_as: Callable[[str], str],
) -> Ingested:
    """Read what is new in a transcript and hand it to `append`; `kept_as` is the name that a thread or an id is kept under.

    Raises Malformed when not one line of it can be read.
    """
    positions = Positions(store)
    key = _key(source, thread, format)
    start, seen = positions.of(key)
    done = _Tally()
    with importers.open_transcript(source, format=format, thread=thread, start=start, seen=seen) as reader:
        resumed = reader.report.end > 0
        last: dict[str, str] = {}
        for batch in reader.batches(BATCH):
            done.add(batch, append(batch))
            last |= {kept_as(name): kept_as(message.id) for name, message in batch}
            if progress:
                progress(reader.done, reader.size)
        if last and reader.format != "locomo":
            positions.note(key, reader.report.end, reader.fingerprint(), last)
        problems = tuple(reader.problems)
        if problems and not done.read and not resumed:
            raise Malformed(f"not one line could be read as {reader.format}: {problems[0]}", path=str(source), remedy="give the right --format: jsonl, claude-code, codex or locomo")
        return done.result(reader.format, dict(reader.skipped), problems)


class _Tally:
    """What came of the batches so far."""

    def __init__(self) -> None:
        self.read = self.stored = self.repeated = 0
        self.threads: dict[str, None] = {}
        self.sealed: list[str] = []
        self.events: list[str] = []
        self.differing: list[str] = []
        self.secrets: dict[tuple[str, str], int] = {}

    def add(self, batch: list[tuple[str, Message]], done: Appended) -> None:
        self.read += len(batch)
        self.differing += done.differing
        self.stored += done.stored
        self.repeated += done.repeated
        self.sealed += done.sealed
        self.events += done.events
        self.threads |= dict.fromkeys(thread for thread, _ in batch)
        for secret in done.redacted:
            key = (secret.kind, secret.action)
            self.secrets[key] = self.secrets.get(key, 0) + secret.count

    def result(self, format: str, skipped: dict[str, int], problems: tuple[str, ...]) -> Ingested:
        if self.differing:
            problems += (f"{len(self.differing)} known ids came with another text, and the first was kept: {', '.join(self.differing[:5])}",)
        redacted = tuple(Redaction(kind, count, action) for (kind, action), count in sorted(self.secrets.items()))
        return Ingested(format, self.read, self.stored, self.repeated, tuple(self.threads), tuple(self.sealed), skipped, problems, redacted, tuple(self.events))


class Positions:
    """How far each transcript was read, and the last message of each of its threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._place = store.files.local / "transcripts.json"

    def of(self, key: str) -> tuple[int, str]:
        """Where to go on, and what identifies the part before; (0, "") for a file that is new or whose messages are gone."""
        row = self._load().get(key)
        if not row:
            return 0, ""
        end, seen, last = row
        self._store.refresh()
        known = all(self._store.ask(lambda shadow, at=at: shadow.has_messages(at[0], {at[1]})) for at in last.items())
        return (end, seen) if known else (0, "")

    def note(self, key: str, end: int, seen: str, last: dict[str, str]) -> None:
        """Remember how far a transcript was read, and the last message of each of its threads."""
        rows = self._load()
        before = rows.pop(key, [0, "", {}])[2]
        rows[key] = [end, seen, before | last]
        kept = dict(list(rows.items())[-REMEMBERED:])
        try:
            write_durably(self._place, json.dumps(kept).encode())
        except OSError as error:
            self._store.warn(f"the messages are kept, but not how far the transcript was read: {error}")

    def _load(self) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError):
            rows = json.loads(self._place.read_bytes()) if self._place.is_file() else {}
            if isinstance(rows, dict) and all(_is_row(row) for row in rows.values()):
                return rows
        return {}


def _is_row(row: Any) -> bool:
    """End, fingerprint and last messages, as `Positions.note` writes them."""
    if not (isinstance(row, list) and len(row) == 3 and type(row[0]) is int and row[0] >= 0 and isinstance(row[1], str) and isinstance(row[2], dict)):
        return False
    return all(isinstance(message, str) for message in row[2].values())


def _key(source: Path, thread: str, format: str) -> str:
    """A file by its place and by how it is read; hashed, since the name of a path is nobody's business here."""
    what = "\0".join((os.path.realpath(source), thread, format))
    return hashlib.sha256(what.encode("utf-8", "surrogateescape")).hexdigest()
