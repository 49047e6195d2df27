"""Who is alive: a daemon holds a kernel lock, and nothing but its own end or the loss of the file lets that go.

A process id says little: its process may be long gone, or be another one by now. The lock is free in
the moment its holder ends, killed or not, so there is nothing stale to clean up.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from strata.begin import is_memory
from strata.daemon.private import Place
from strata.errors import AlreadyExists, Locked, NotAMemory
from strata.files import Files
from strata.files.lock import held

PATIENCE = 1.0  # seconds; whoever asks for the state of things holds the lock for a moment, too
_GLANCE = 0.02  # seconds; for the same reason


class Presence:
    """The lock of a memory's daemon, held by this process."""

    def __init__(self, lock: Path) -> None:
        self._lock = lock
        self._held = os.stat(lock)

    def lasts(self) -> bool:
        """Whether the lock file at that place is still the one we hold; not when the memory was moved, unmounted or replaced."""
        try:
            return os.path.samestat(self._held, os.stat(self._lock))
        except OSError:
            return False


@contextlib.contextmanager
def present(root: Path) -> Iterator[Presence]:
    """Be the daemon of the memory at `root`.

    Raises NotAMemory when there is none (nothing is made there then), AlreadyExists when another daemon is it.
    """
    if not is_memory(root):
        raise NotAMemory("there is no memory for a daemon to tend", path=str(root), remedy="is it mounted? or make one with: strata init")
    Files(root).make_local()
    lock = Place.of(root).lock
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(held(lock, PATIENCE))
        except Locked:
            raise AlreadyExists("a daemon tends this memory already", path=str(root), remedy="see: strata daemon status") from None
        yield Presence(lock)


def is_present(root: Path) -> bool:
    """Whether a daemon of the memory at `root` is alive; raises OSError where that cannot be told."""
    lock = Place.of(root).lock
    if not lock.exists():
        return False
    try:
        with held(lock, _GLANCE):
            return False
    except Locked:
        return True
    except FileNotFoundError:  # the folder vanished in this moment
        return False
