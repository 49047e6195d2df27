"""Git's index kept true to the commits that strata makes, with what a person staged left alone.

A commit made from values leaves the index behind: `git status` would show the commit's files as
staged for reversal. Paths that strata committed take HEAD's entry. After a crash, or when another git
held the lock, the note `strata-behind` in the git directory says from which commit to catch up: an
entry that still equals that commit is brought to HEAD, any other is a person's and stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2

from strata.history import trees
from strata.history.gitindex import Busy, GitIndex
from strata.history.indexfile import Staged, Unreadable
from strata.history.objects import Objects
from strata.model import Problem

if TYPE_CHECKING:
    from strata.history.foreignindex import ForeignIndex

_PATIENCE = 1.0  # seconds to wait for another git
_NOTHING = "none"  # noted when there was no commit yet
_NOTE = re.compile(r"[0-9a-f]{40}|none")


class Staging:
    """The index of one repository."""

    def __init__(self, repository: pygit2.Repository, objects: Objects, root: Path, directory: Path) -> None:
        self._repository = repository
        self._objects = objects
        self._root = root
        self._index = GitIndex(directory / "index")
        self._note = directory / "strata-behind"
        self._committed: set[bytes] = set()

    def unmerged(self) -> str:
        """A path that a merge left open; empty when there is none, or when the index cannot be read."""
        try:
            return self._read().unmerged
        except Unreadable:  # `problems` tells; no commit depends on the index
            return ""

    def expect(self, head: str | None, paths: Iterable[bytes]) -> None:
        """Note, before the branch moves, that the index will be behind `head` at `paths`.

        Needs no fsync of its own: on a journaling file system the new name is on disk once the fsync of the
        branch returns. Its content may not be; an empty note then stands for the commit before HEAD.
        """
        if not self._note.exists():
            self._note.write_text((head or _NOTHING) + "\n", "ascii")
        self._committed.update(paths)

    def align(self, head: str, paths: Iterable[bytes], since: str | None) -> bool:
        """Bring `paths`, what was committed here, and what is behind `since` or the note, to `head`'s entries.

        True when the index is true now, or belongs to a merge; False when it could not be written.
        """
        bases = [base for base in (self._noted(head), since) if base and self._is_before(base, head)]
        wanted = self._committed.union(paths)
        if not wanted and not bases and os.path.exists(self._index.path):
            self._settle()
            return True
        tree = self._objects.tree_of(head)
        try:
            aligned = self._write(tree, wanted, bases)
        except (Busy, Unreadable, OSError):  # a full or read-only disk: the commit stands, and the note tells the next call
            return False
        if aligned:
            self._settle()
        return aligned

    def problems(self) -> list[Problem]:
        """What keeps the index from being true, and what helps."""
        found = []
        if (age := self._index.lock_age()) > _PATIENCE and not self._index.lock_is_ours():
            remedy = f"if no git is running, remove it: {self._index.lock_path}"
            found.append(Problem("warning", "", f"another git has held the lock of git's index for {age:.0f} seconds", remedy))
        try:
            if not isinstance(self._read(), GitIndex):
                found.append(Problem("note", "", "git's index has a form that only the git program changes, which takes longer"))
        except Unreadable as error:
            message = f"git's index has a form that needs the git program: {error}"
            found.append(Problem("warning", "", message, "install git; until then `git status` may name files that are committed"))
        return found

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other gits from the index, if it can be had within a second: none of them then commits one that lags."""
        with ExitStack() as stack:
            with suppress(Busy, Unreadable):
                if isinstance(self._read(), GitIndex):  # the other forms are changed by git itself, which takes the lock
                    stack.enter_context(self._index.locked(_PATIENCE))
            yield

    def left_out(self, paths: Iterable[bytes]) -> set[bytes]:
        """Those of `paths` that git was told not to have in the working tree."""
        try:
            index = self._read()
        except Unreadable:
            return set()
        return {path for path in paths if index.is_left_out(path)}

    def _read(self) -> GitIndex | ForeignIndex:
        """The index, through git where it has a form we do not read."""
        try:
            self._index.read()
        except Unreadable:
            return self._foreign()
        return self._index

    def _foreign(self) -> ForeignIndex:
        from strata.history.foreignindex import ForeignIndex  # late: running programs costs 3 ms to import

        return ForeignIndex(self._root)

    def _write(self, tree: bytes, wanted: set[bytes], bases: list[str]) -> bool:
        index = self._read()  # the long part of it before the lock is taken
        if not isinstance(index, GitIndex):
            if not index.unmerged:
                index.apply(self._due(index, tree, wanted, bases))
            return not index.unmerged
        with index.locked(_PATIENCE):
            if not index.read():
                index.fill((path, _staged(now)) for path, _, now in trees.differences(self._objects.listing, None, tree) if now)
                index.write()
            elif index.unmerged:
                return False
            elif index.update(self._due(index, tree, wanted, bases)):
                index.write()
        return True

    def _due(
        self, index: GitIndex | ForeignIndex, tree: bytes, wanted: set[bytes], bases: list[str]
    ) -> dict[bytes, Staged | None]:
        """The entries to change: all of `wanted`, and of each base what still equals it."""
        due = {path: _staged(trees.find(self._objects.listing, tree, path)) for path in wanted}
        for base in bases:
            before = None if base == _NOTHING else self._objects.tree_of(base)
            for path, was, now in trees.differences(self._objects.listing, before, tree):
                if path not in due and index.get(path) == _staged(was):
                    due[path] = _staged(now)
        return due

    def _noted(self, head: str) -> str:
        try:
            note = self._note.read_text("ascii", "replace").strip()
        except FileNotFoundError:
            return ""
        if _NOTE.fullmatch(note):
            return note
        return str(next(iter(self._repository[head].parent_ids), _NOTHING))

    def _is_before(self, base: str, head: str) -> bool:
        """Whether HEAD came forward from `base`; after a reset it did not, and git has dealt with its index itself."""
        if base == _NOTHING:
            return True
        try:
            return base != head and self._repository.descendant_of(head, base)
        except (KeyError, ValueError, pygit2.GitError):  # collected since
            return False

    def _settle(self) -> None:
        self._committed.clear()
        self._note.unlink(missing_ok=True)


def _staged(entry: trees.Entry | None) -> Staged | None:
    """What the index holds for an entry of a tree; only the executable bit of a file's mode counts."""
    if entry is None or entry[0] == trees.TREE:
        return None
    mode = int(entry[0], 8)
    if trees.is_file(entry):
        mode = 0o100755 if mode & 0o100 else 0o100644
    return mode, entry[1]
