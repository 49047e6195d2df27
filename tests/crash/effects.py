"""Count the effects a verb has on the disk, and die at the k-th of them.

An effect is anything that changes what another process could see: creating, writing, syncing,
renaming or removing a file or folder, and each object or reference git writes.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pygit2


class Dead(BaseException):
    """The process is gone; nothing catches this."""


OS_EFFECTS = ("replace", "rename", "link", "unlink", "remove", "mkdir", "rmdir", "fsync", "utime", "chmod", "truncate")
GIT_EFFECTS = ("create_blob", "create_commit", "write", "create_reference_direct", "checkout_tree")


@contextmanager
def dying_at(step: int, die: Callable[[], None] | None = None) -> Iterator[list[int]]:
    """Let `step` - 1 effects happen and die at the next, and at each one after it (what cleans up is dead too).

    Yields the count so far, in a list of one. `die` ends the process for real; without it Dead is raised.
    """
    count = [0]

    def effect() -> None:
        count[0] += 1
        if count[0] >= step:
            if die:
                die()
            raise Dead

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            effect()
            return function(*arguments, **named)

        return call

    real_open, real_os_open = builtins.open, os.open

    def opened(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        if any(letter in mode for letter in "wxa+"):
            effect()
        return real_open(file, mode, *rest, **named)

    def os_opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if flags & (os.O_CREAT | os.O_TRUNC):
            effect()
        return real_os_open(path, flags, *rest, **named)

    saved = [(os, name, getattr(os, name)) for name in OS_EFFECTS]
    saved += [(pygit2.Repository, name, getattr(pygit2.Repository, name)) for name in GIT_EFFECTS if hasattr(pygit2.Repository, name)]
    for owner, name, function in saved:
        setattr(owner, name, wrapped(function))
    builtins.open, os.open = opened, os_opened  # type: ignore[assignment]
    try:
        yield count
    finally:
        builtins.open, os.open = real_open, real_os_open  # type: ignore[assignment]
        for owner, name, function in saved:
            setattr(owner, name, function)
