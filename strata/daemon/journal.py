"""The log of a daemon: a line for each thing it did, in a file that is turned over at one megabyte."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import TextIO

from strata import moment
from strata.daemon import private
from strata.daemon.private import Place
from strata.daemon.results import LogLine
from strata.redact import redact
from strata.render.visible import one_line

LIMIT = 1_000_000  # bytes
_KEPT = 100  # lines that wait for a disk which is full or away
_PAUSE = 0.25  # seconds between two looks of `follow`


class Journal:
    """Writes the log. A disk that is full or gone stops nothing: the lines wait, the oldest give way."""

    def __init__(self, place: Place, now: Callable[[], datetime], echo: TextIO | None = None) -> None:
        self._place = place
        self._now = now
        self._echo = echo
        self._waiting: list[str] = []
        self._lost = 0

    def say(self, text: str) -> None:
        """Add a line with the time: one line whatever the text holds, and no secret in it."""
        line = f"{moment.stamp(self._now().replace(microsecond=0))} {one_line(redact(text)[0])}\n"
        if self._echo is not None:
            with suppress(OSError, ValueError):  # nobody reads any more: the file does
                self._echo.write(line)
                self._echo.flush()
        self._waiting.append(line)
        self._lost += len(self._waiting[:-_KEPT])
        self._waiting = self._waiting[-_KEPT:]
        with suppress(OSError):  # full or away: the lines wait
            self._write()

    def _write(self) -> None:
        lost = [f"({self._lost} lines could not be written)\n"] if self._lost else []
        data = "".join([*lost, *self._waiting]).encode("utf-8", "backslashreplace")
        self._turn_over(len(data))
        descriptor = private.open_private(self._place.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        self._waiting, self._lost = [], 0

    def _turn_over(self, more: int) -> None:
        """Begin a new file when this one is full; Windows refuses while somebody reads it, and then it grows on."""
        with suppress(FileNotFoundError, PermissionError):
            if os.lstat(self._place.log).st_size + more > LIMIT:
                os.replace(self._place.log, self._place.older_log)


def last(place: Place, number: int) -> list[LogLine]:
    """The last lines of the log, oldest first."""
    return _last(place, number, private.read(place.log).splitlines())


def _last(place: Place, number: int, lines: list[bytes]) -> list[LogLine]:
    if len(lines) < number:
        lines = private.read(place.older_log).splitlines() + lines
    return [_parsed(line) for line in lines[max(0, len(lines) - number) :]]


def follow(place: Place, number: int) -> Iterator[LogLine]:
    """The last lines, and then each that is added, across the turning over of the file; it never ends by itself."""
    known = _identity(place)
    data = private.read(place.log)
    position, (*lines, rest) = len(data), data.split(b"\n")
    yield from _last(place, number, lines)
    while True:
        time.sleep(_PAUSE)
        if (now := _identity(place)) != known:  # turned over, or the first of all; what the old file got last comes first
            if known is not None:
                rest += private.read(place.older_log, position)
            position, known = 0, now
        data = private.read(place.log, position)
        position += len(data)
        *lines, rest = (rest + data).split(b"\n")
        yield from map(_parsed, lines)


def _parsed(line: bytes) -> LogLine:
    at, _, text = line.decode("utf-8", "replace").partition(" ")
    return LogLine(at, text) if moment.is_valid(at) else LogLine("", f"{at} {text}".strip())


def _identity(place: Place) -> tuple[int, int] | None:
    try:
        found = os.lstat(place.log)
    except OSError:
        return None
    return found.st_dev, found.st_ino
