"""The batches that were opened beside one memory: one small file each in `.strata/batches/`, until it expires.

A batch is local and of no use to anything but its own assessment. Its files are read as if anybody had written them.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from strata import moment
from strata.assessment import SUFFICIENT, VERDICTS, Assessment, Seen
from strata.errors import AlreadyExists, Locked, Malformed, NotFound, StrataError, UsageError
from strata.files import Files
from strata.files.durable import sync_folder, write_durably
from strata.files.lock import held
from strata.layout import LOCAL

FOLDER = f"{LOCAL}/batches"
MOST = 500  # batches that are kept
PREFIX = "bat"

_LARGEST = 4_000_000  # bytes of a batch
_AGAIN = "search again: strata search --gate QUERY"


class Kept(NamedTuple):
    """A batch as it is kept: what was asked and seen, what was said of it, what was used.

    `kinds` are those the search was narrowed to. `used` is None until the batch was closed, and () when none was used;
    refs in it count once a ledger holds their receipt. `events` are the records they count for. `options` are the other
    options of the search, and `searched` says what was searched for this question so far; `looked` are the refs that the
    gate said to open, and `opened` what they said then.
    """

    id: str
    query: str
    at: str
    kinds: tuple[str, ...]
    seen: tuple[Seen, ...]
    assessment: Assessment | None = None
    used: tuple[str, ...] | None = None
    events: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    searched: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
    opened: tuple[Seen, ...] = ()

    @property
    def sufficient(self) -> bool:
        """Whether its last assessment allows an answer."""
        return self.assessment is not None and self.assessment.verdict == SUFFICIENT


class Batches:
    """The batches of one memory; `hours` is how long each can be worked with."""

    def __init__(self, files: Files, hours: int, patience: float, warn: Callable[[str], None]) -> None:
        self._files = files
        self._hours = hours
        self._patience = patience
        self._warn = warn

    def held(self) -> AbstractContextManager[None]:
        """Let no other process assess or use a batch meanwhile. Raises Locked; taken before the memory's own lock, never within it."""
        self._make()
        return held(self._files.local / "batches.lock", self._patience)

    def open(self, kept: Kept, now: datetime) -> None:
        """Keep a new batch, durably; raises AlreadyExists where the id is taken. Expired and surplus ones go."""
        self._make()
        self._write(kept, fresh=True)
        place = self._files.place(_path(kept.id))
        when = moment.parse(kept.at).start.timestamp()
        os.utime(place, (when, when))  # so that what is old is known without reading each
        self._sweep(now)

    def read(self, name: str, now: datetime) -> Kept:
        """The batch of exactly this id. Raises NotFound, also for one that expired, and Malformed for a file that is no batch."""
        kept = self._read(name) if is_batch_id(name) else None
        if kept is None:
            shown = name if name.isprintable() and len(name) <= 60 else ascii(name)[:60]
            raise NotFound(f"there is no batch {shown!r}", remedy="`strata unassessed` lists the open ones; an id is given whole")
        if self._expired(moment.parse(kept.at).start, now):
            raise NotFound(f"batch {name} of {kept.at} is older than {self._hours} hours", ref=name, remedy=_AGAIN)
        return kept

    def save(self, kept: Kept) -> None:
        """Replace what is kept of a batch, durably. The lock is held."""
        self._write(kept, fresh=False)

    def all(self, now: datetime) -> Iterator[Kept]:
        """The batches that did not expire, newest first; a file that is none is passed over with a warning."""
        found = []
        for name in self._names():
            try:
                kept = self._read(name)
            except StrataError as problem:
                self._warn(f"passed over: {problem}")
                continue
            if kept is not None and not self._expired(moment.parse(kept.at).start, now):
                found.append(kept)
        found.sort(key=lambda kept: moment.sort_key(kept.at), reverse=True)
        yield from found

    # -- files -------------------------------------------------------------------------------

    def _make(self) -> None:
        """The folder of the batches, readable by its owner alone."""
        self._files.make_local_folder("batches", "batch", "make it writable, or search without --gate")

    def _names(self) -> list[str]:
        try:
            return [name.removesuffix(".json") for name in os.listdir(self._files.local / "batches") if is_batch_id(name.removesuffix(".json"))]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _read(self, name: str) -> Kept | None:
        path = _path(name)
        try:
            if self._files.exists(path) and self._files.place(path).stat().st_size > _LARGEST:
                raise _broken(path)
            data = self._files.read(path)
        except NotFound:
            return None
        try:
            kept = _kept(json.loads(data))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise _broken(path) from error
        if kept.id != name:
            raise _broken(path)
        return kept

    def _write(self, kept: Kept, *, fresh: bool) -> None:
        place, data = self._files.place(_path(kept.id)), _bytes(kept)
        if len(data) > _LARGEST:
            raise UsageError(f"{len(kept.seen):,} hits are too many for one batch", remedy="give a smaller --limit")
        try:
            if not fresh:
                when = place.stat().st_mtime
            write_durably(place, data, fresh=fresh, mode=0o600)
            if not fresh:
                os.utime(place, (when, when))
            sync_folder(place.parent)
        except AlreadyExists:
            raise
        except OSError as error:
            raise StrataError(f"the batch cannot be kept: {error.strerror}", path=_path(kept.id), remedy="see that there is room and permission to write") from error

    def _sweep(self, now: datetime) -> None:
        """Remove what expired, and the oldest beyond the limit; while somebody assesses, the next one does it."""
        try:
            with os.scandir(self._files.local / "batches") as listing:
                ages = sorted((entry.stat(follow_symlinks=False).st_mtime, entry.name) for entry in listing if entry.name.endswith(".json"))
        except OSError:  # another process removes some at this moment
            return
        limit = (now - timedelta(hours=self._hours)).timestamp()
        surplus = len(ages) - MOST
        gone = [name for number, (when, name) in enumerate(ages) if number < surplus or when < limit]
        if not gone:
            return
        with contextlib.suppress(Locked, OSError), held(self._files.local / "batches.lock", 0):
            for name in gone:
                with contextlib.suppress(OSError):  # no file of ours: the others go all the same
                    (self._files.local / "batches" / name).unlink(missing_ok=True)

    def _expired(self, opened: datetime, now: datetime) -> bool:
        return now - opened > timedelta(hours=self._hours)


def is_batch_id(name: str) -> bool:
    """Whether a text has the form of a batch id: `bat-20261130-x2m9ta`."""
    parts = name.split("-")
    return len(parts) == 3 and name.isascii() and parts[0] == PREFIX and len(parts[1]) == 8 and parts[1].isdigit() and 4 <= len(parts[2]) <= 32 and parts[2].isalnum() and name == name.lower()


def receipt_id(kept: Kept) -> str:
    """The id under which the use of a batch is counted: always the same for one batch."""
    import hashlib

    return hashlib.sha256(f"use {kept.id} {kept.at}".encode()).hexdigest()[:16]


def _path(name: str) -> str:
    return f"{FOLDER}/{name}.json"


def _broken(path: str) -> Malformed:
    return Malformed("this is no batch of strata", path=path, remedy=f"remove it, and {_AGAIN}")


def _bytes(kept: Kept) -> bytes:
    value = kept._asdict() | {"seen": [list(seen) for seen in kept.seen], "opened": [list(seen) for seen in kept.opened], "assessment": kept.assessment._asdict() if kept.assessment else None}
    return json.dumps({"format": 1, **value}).encode() + b"\n"


def _kept(value: Any) -> Kept:
    """A batch from JSON; raises ValueError, TypeError or KeyError for anything that is none."""
    if not isinstance(value, dict) or value.get("format") != 1:
        raise ValueError("not of this format")
    at = _text(value["at"])
    if not moment.is_valid(at):
        raise ValueError("at is no time")
    said = value["assessment"]
    return Kept(
        id=_text(value["id"]),
        query=_text(value["query"]),
        at=at,
        kinds=_texts(value["kinds"]),
        seen=tuple(map(_seen, value["seen"])),
        assessment=None if said is None else _assessment(said),
        used=None if value["used"] is None else _texts(value["used"]),
        events=_texts(value["events"]),
        options=tuple(map(_option, value.get("options", []))),
        searched=_texts(value.get("searched", [])),
        looked=_texts(value.get("looked", [])),
        opened=tuple(map(_seen, value.get("opened", []))),
    )


def _option(pair: Any) -> tuple[str, str]:
    name, value = _texts(pair)
    return name, value


def _seen(row: Any) -> Seen:
    if not isinstance(row, list) or len(row) != len(Seen._fields):
        raise TypeError("not a hit")
    seen = Seen(*row)
    _texts(list(seen._replace(score="")))  # type: ignore[arg-type]
    if isinstance(seen.score, bool) or not isinstance(seen.score, int | float):
        raise TypeError("a score is a number")
    if "\0" in os.fsdecode(os.fsencode(seen.path)):  # raises UnicodeEncodeError, a ValueError, for what names no file anywhere
        raise ValueError("no path")
    return seen


def _assessment(value: Mapping[str, Any]) -> Assessment:
    said = Assessment(_text(value["verdict"]), _texts(value["evidence_refs"]), _text(value["fit"]), _text(value["missing"]), _text(value["next_strategy"]))
    if said.verdict not in VERDICTS:
        raise ValueError("no verdict")
    return said


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError("not a list")
    return tuple(map(_text, values))
