"""One lock between processes, kept by the kernel: it is free when its holder ends, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from strata.errors import Locked, OutsideMemory

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextlib.contextmanager
def held(place: Path, timeout: float) -> Iterator[None]:
    """Hold the lock file at `place`; raises Locked after `timeout` seconds, and OutsideMemory for a link, which may lead anywhere."""
    deadline = time.monotonic() + timeout
    while True:
        if place.is_symlink():
            raise OutsideMemory("the lock is a symbolic link", path=place.name, remedy=f"remove it: {place}")
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            _acquire(descriptor, deadline, timeout)
            if not _is_at(descriptor, place):
                continue  # somebody removed the file while we waited: the lock is a new one now
            try:
                yield
            finally:
                _release(descriptor)
            return
        finally:
            os.close(descriptor)


def _is_at(descriptor: int, place: Path) -> bool:
    """Whether the open file still is the one at `place`."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(place))
    except FileNotFoundError:
        return False


def _acquire(descriptor: int, deadline: float, timeout: float) -> None:
    pause = 0.001
    while not _try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise Locked(f"another process has been writing to this memory for {timeout:g} seconds", remedy="try again in a moment")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
