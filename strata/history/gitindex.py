"""Git's own index file, changed entry by entry under git's own lock.

libgit2's Index is not used: it reads before it locks, so it can undo what another git staged in
between, and at 100,000 entries it takes 70 ms to write where this takes 20.

New entries carry no file times: git compares such an entry's content once, at its next `git status`,
and then notes the times itself. Writing them here would mean trusting that nobody edited the file
between our write and our look.
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from strata.history.indexfile import Damaged, Staged, entry_of, is_left_out, is_unmerged, parse, path_of, pieces, staged_of, without

_SLASH = ord("/")
_STALE_LOCK = 60.0  # seconds; no git holds its index lock that long, so it is left over from a crash
_FEW = 4  # changes up to which the joined entries are patched: each copies them once
_OURS = b"strata\n"  # what our lock file says


class Busy(Exception):
    """Another git holds the lock of the index."""


class GitIndex:
    """The index of one repository, kept in memory and read again only when its file changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._signature: tuple[int, ...] | None = None
        self._version = 2
        self._entries: list[bytes] = []
        self._body: bytes | None = b""  # the entries joined; None when they have to be joined again
        self._extensions: dict[bytes, bytes] = {}
        self.unmerged: str = ""
        self._held = False

    @property
    def lock_path(self) -> Path:
        """The file whose existence is the lock, for git and for us."""
        return self.path.with_name(self.path.name + ".lock")

    def read(self) -> bool:
        """Bring this up to the file; False when there is none. Raises Unreadable.

        A damaged file, which power loss may leave, counts as none; it is kept beside as `index.damaged`.
        """
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            self._take([], {}, None)
            return False
        signature = _signature(status)
        if signature != self._signature:
            with open(self.path, "rb") as file:
                signature = _signature(os.fstat(file.fileno()))
                data = file.read()
            try:
                self._version, entries, extensions = parse(data)
            except Damaged:
                self.path.with_name("index.damaged").write_bytes(data)
                self._take([], {}, None)
                return False
            self._take(entries, extensions, signature)
        return True

    def get(self, path: bytes) -> Staged | None:
        """What is staged at `path`; None when nothing is."""
        at = self._position(path)
        if at == len(self._entries) or path_of(self._entries[at]) != path:
            return None
        return staged_of(self._entries[at])

    def is_left_out(self, path: bytes) -> bool:
        """Whether the file was taken out of the working tree on purpose (skip-worktree)."""
        at = self._position(path)
        return at < len(self._entries) and path_of(self._entries[at]) == path and is_left_out(self._entries[at])

    def update(self, changes: Mapping[bytes, Staged | None]) -> bool:
        """Stage each path of `changes` (None: remove it) in memory; whether anything differed."""
        changed = [path for path, staged in changes.items() if self.get(path) != staged]
        changes = {path: changes[path] for path in changed} | self._in_the_way(changes, changed)
        changed = list(changes)
        if changed:
            self._signature = None  # until it is written, what is here is not what the file says
        if len(changed) > 64:  # one sort instead of many insertions
            by_path = {path_of(entry): entry for entry in self._entries}
            self._forget_trees(changed)
            for path in changed:
                staged = changes[path]
                if staged is None:
                    del by_path[path]
                else:
                    by_path[path] = entry_of(path, staged, by_path.get(path))
            self._entries, self._body = [by_path[path] for path in sorted(by_path)], None
        else:
            self._forget_trees(changed)
            for path in changed:
                staged, at = changes[path], self._position(path)
                old = self._entries[at : at + 1] if at < len(self._entries) and path_of(self._entries[at]) == path else []
                new = [] if staged is None else [entry_of(path, staged, old[0] if old else None)]
                self._splice(at, old, new, few=len(changed) <= _FEW)
        return bool(changed)

    def _splice(self, at: int, old: list[bytes], new: list[bytes], *, few: bool) -> None:
        """Put `new` in the place of `old`, in the joined bytes as well where that is less work than joining them again."""
        if few and self._body is not None:
            start = sum(map(len, self._entries[:at]))
            end = start + sum(map(len, old))
            self._body = b"".join((self._body[:start], *new, self._body[end:]))
        else:
            self._body = None
        self._entries[at : at + len(old)] = new

    def fill(self, files: Iterator[tuple[bytes, Staged]]) -> None:
        """Make the index hold exactly `files`."""
        self._take([entry_of(path, staged, None) for path, staged in sorted(files)], {}, None)
        self._version = 2

    @contextmanager
    def locked(self, patience: float) -> Iterator[None]:
        """Hold git's index lock, waiting up to `patience` seconds; raises Busy. May be nested.

        The memory's own lock is held, so a lock of ours was left by a strata that was killed: it is taken
        away. One that another program left is only not waited for; to remove it is for a person to decide.
        """
        if self._held:
            yield
            return
        deadline = time.monotonic() + patience
        while not self._lock():
            if self.lock_is_ours():
                self.lock_path.unlink(missing_ok=True)
            elif self.lock_age() > _STALE_LOCK or time.monotonic() >= deadline:
                raise Busy(str(self.lock_path))
            else:
                time.sleep(0.02)
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self.lock_path.unlink(missing_ok=True)

    def write(self) -> None:
        """Replace the index file; the lock is held.

        Not fsynced, as git does not: the index can be made again from a commit and the working tree.
        """
        temporary = self.path.with_name("index.strata")
        with open(temporary, "wb") as file:
            if self._body is None:
                self._body = b"".join(self._entries)
            for piece in pieces(self._version, len(self._entries), self._body, self._extensions):
                file.write(piece)
            file.flush()
            signature = _signature(os.fstat(file.fileno()))
        try:
            os.replace(temporary, self.path)
        except PermissionError as error:  # Windows, while another program reads the index
            raise Busy(str(error)) from error
        self._signature = signature

    def _lock(self) -> bool:
        """Take the lock with our word in it from its first moment on, so that it can always be told whose it is."""
        mine = self.lock_path.with_name("index.strata-lock")
        try:
            mine.write_bytes(_OURS)
            try:
                os.link(mine, self.lock_path)
            except FileExistsError:
                return False
            except OSError:  # a file system without hard links
                return self._lock_plainly()
            finally:
                mine.unlink(missing_ok=True)
        except PermissionError as error:  # a read-only directory; on Windows also a lock being deleted
            raise Busy(str(error)) from error
        return True

    def _lock_plainly(self) -> bool:
        try:
            handle = os.open(self.lock_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            return False
        os.write(handle, _OURS)
        os.close(handle)
        return True

    def lock_is_ours(self) -> bool:
        """Whether the lock was taken by strata: it is taken away by the next write if its process was killed."""
        try:
            return self.lock_path.read_bytes() == _OURS
        except OSError:
            return False

    def lock_age(self) -> float:
        """Seconds since somebody took the lock; 0 when nobody holds it."""
        try:
            return max(0.0, time.time() - os.stat(self.lock_path).st_mtime)
        except FileNotFoundError:
            return 0.0

    def _take(self, entries: list[bytes], extensions: dict[bytes, bytes], signature: tuple[int, ...] | None) -> None:
        self._entries, self._extensions, self._signature, self._body = entries, extensions, signature, None
        unmerged = next(filter(is_unmerged, entries), None)
        self.unmerged = path_of(unmerged).decode("utf-8", "surrogateescape") if unmerged else ""

    def _position(self, path: bytes) -> int:
        return bisect_left(self._entries, path, key=path_of)

    def _in_the_way(self, changes: Mapping[bytes, Staged | None], changed: list[bytes]) -> dict[bytes, None]:
        """Staged files where a new path needs a directory, and the other way round: git allows no such pair."""
        new = [path for path in changed if changes[path] is not None and self.get(path) is None]
        above = {path[:at] for path in new for at, byte in enumerate(path) if byte == _SLASH}
        way = {path: None for path in above if self.get(path) is not None}
        for path in new:
            at = self._position(path + b"/")
            while at < len(self._entries) and path_of(self._entries[at]).startswith(path + b"/"):
                way[path_of(self._entries[at])] = None
                at += 1
        return way

    def _forget_trees(self, paths: Iterable[bytes]) -> None:
        """The folders of these paths are not as they were staged any more."""
        if b"TREE" in self._extensions:
            for folder in {path.rpartition(b"/")[0] for path in paths}:
                self._extensions[b"TREE"] = without(self._extensions[b"TREE"], folder.split(b"/") if folder else [])


def _signature(status: os.stat_result) -> tuple[int, ...]:
    return status.st_mtime_ns, status.st_size, status.st_ino
