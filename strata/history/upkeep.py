"""How a repository stands and what keeps it in good order: counts, what is missing or broken, packing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pygit2

from strata.errors import Conflict, NotFound
from strata.history import trees
from strata.history.objects import Objects
from strata.history.staging import Staging
from strata.model import Problem

_LOOSE_LIMIT, _PACK_LIMIT = 1500, 50  # objects; packs


class Upkeep:
    """Mixed into `History`."""

    root: Path
    head: Callable[[], str | None]
    walk: Callable[..., Iterator[tuple[str, str]]]
    writable: Callable[[], None]
    _repository: pygit2.Repository
    _objects: Objects
    _staging: Staging

    def count(self) -> int:
        """How many commits lead to HEAD."""
        head = self.head()
        return sum(1 for _ in self._repository.walk(head)) if head else 0

    def loose_objects(self) -> int:
        """How many objects are not packed."""
        return sum(len(_names(self._objects.directory / f"{number:02x}")) for number in range(256))

    def knows(self, commit: str) -> bool:
        """Whether a commit with this id is in the repository."""
        try:
            self._objects.commit(commit)
        except NotFound:
            return False
        return True

    def missing(self) -> list[str]:
        """Paths of HEAD whose content is not in the repository. Raises NotFound when HEAD's commit or a tree is not."""
        return [path for path, blob in self.walk() if blob not in self._repository]

    def drop_broken(self, since: float) -> int:
        """Remove loose objects written after `since` (seconds) that no git can read, as power loss leaves them."""
        return self._objects.drop_broken(since)

    def left_out(self, paths: Iterable[str]) -> set[str]:
        """Those of `paths` that git itself keeps out of the working tree (sparse checkout, skip-worktree)."""
        return {trees.decode(path) for path in self._staging.left_out([trees.encode(path) for path in paths])}

    def maintain(self) -> bool:
        """Let git pack the repository when it has many loose objects or packs, and whether it was asked to; without a git program, nothing.

        The count is an estimate from one of 256 directories, as git makes it. Git packs in the background.
        """
        loose = len(_names(self._objects.directory / "17")) * 256
        packs = sum(name.endswith(".pack") for name in _names(self._objects.directory / "pack"))
        if loose > _LOOSE_LIMIT or packs > _PACK_LIMIT:
            from strata.history import program  # late: running programs costs 3 ms to import

            limits = ("-c", f"gc.auto={_LOOSE_LIMIT}", "-c", f"gc.autoPackLimit={_PACK_LIMIT}", "-c", "gc.autoDetach=true")
            return program.run(self.root, *limits, "gc", "--auto", "--quiet") is not None
        return False

    def check(self) -> list[Problem]:
        """What is in the way of writing, or out of step, in git's part of the memory."""
        found = self._staging.problems()
        try:
            self.writable()
        except Conflict as conflict:
            found.append(Problem("warning", conflict.path, conflict.message, conflict.remedy))
        return found


def _names(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)
    except FileNotFoundError:
        return []
