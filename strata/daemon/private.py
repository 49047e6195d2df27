"""The files of a daemon in `.strata/`: where they are, and how they are read and written by their owner alone.

A memory may have come as a copy from anywhere, its `.strata/` included: so links are not followed and
nothing but a regular file is opened. No directory is ever made here; a memory that is gone stays gone.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path
from typing import NamedTuple

from strata.layout import LOCAL

_MOST = 4_000_000  # bytes that are read of any file; the log is turned over at a quarter of that
_TRIES = 5  # Windows refuses to replace a file in the moment another process reads it, and the other way round


class Place(NamedTuple):
    """The files of one memory's daemon."""

    lock: Path
    state: Path
    log: Path
    older_log: Path
    request: Path
    last_words: Path

    @classmethod
    def of(cls, root: Path) -> Place:
        """Those of the memory at `root`."""
        local = root / LOCAL
        return cls(*(local / f"daemon.{name}" for name in ("lock", "json", "log", "log.1", "stop", "err")))


def open_private(place: Path, flags: int) -> int:
    """A descriptor of a regular file with mode 0600; OSError for a link, a folder, a pipe, or where its folder is missing."""
    safe = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(place, flags | safe, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "this is no regular file", str(place))
    return descriptor


def read(place: Path, start: int = 0) -> bytes:
    """The bytes of a file from `start` on, the last of them if they are too many; b"" when there are none that can be read."""
    for attempt in range(_TRIES):
        try:
            with os.fdopen(open_private(place, os.O_RDONLY), "rb") as stream:
                stream.seek(max(start, os.fstat(stream.fileno()).st_size - _MOST))
                return stream.read(_MOST)
        except PermissionError:
            time.sleep(0.01 * attempt)
        except OSError:
            return b""
    return b""


def replace(place: Path, data: bytes) -> None:
    """Put `data` in the place of a file in one step. For one writer at a time; a reader sees the old or the new."""
    fresh = place.with_name(place.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(open_private(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as stream:
        stream.write(data)
    for attempt in range(_TRIES):
        try:
            return os.replace(fresh, place)
        except PermissionError:
            if attempt == _TRIES - 1:
                raise
            time.sleep(0.01 * attempt)
