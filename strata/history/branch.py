"""Moving the branch that HEAD names to a new commit, as a compare and swap."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pygit2

from strata import head as head_file
from strata.errors import Conflict, Locked, NotFound, StrataError
from strata.history.objects import WINDOWS, Objects

_PATIENCE = 1.0  # seconds to wait for another git


@contextmanager
def writing() -> Iterator[None]:
    """Turn what libgit2 or the disk refuse into one sentence."""
    try:
        yield
    except (pygit2.GitError, ValueError, OSError) as error:
        raise StrataError(
            f"git could not write, so nothing was committed: {error}", remedy="look at free space and at the permissions of .git"
        ) from error


@contextmanager
def _synced() -> Iterator[None]:
    """Have libgit2 sync what it writes: here the one reference, before it takes its name. Process-wide in libgit2."""
    pygit2.settings.enable_fsync_gitdir(True)
    try:
        yield
    finally:
        pygit2.settings.enable_fsync_gitdir(WINDOWS)


class Branch:
    """The branch HEAD names, in one repository. `committer` is the email by which strata knows its own commits."""

    def __init__(self, repository: pygit2.Repository, objects: Objects, root: Path, committer: str) -> None:
        self._repository = repository
        self._objects = objects
        self._root = root
        self._committer = committer

    def advance(
        self, head: str | None, author: pygit2.Signature, committer: pygit2.Signature, text: str, tree: bytes, parents: Sequence[str]
    ) -> str:
        """Create the commit and move the branch to it, if HEAD still is at `head`; durable when it returns.

        Raises Conflict when HEAD moved, Locked when another git holds the branch for longer than a second.
        """
        with writing():
            commit = self._objects.write_commit(author, committer, text, tree, [*([head] if head else []), *parents])
            self._objects.make_durable()
        subject = text.partition("\n")[0]
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                with writing(), _synced():
                    self._move(head, commit, subject)
                return commit
            except StrataError as error:
                if head_file.head(self._root) != head:
                    raise Conflict("HEAD moved while this was being written", remedy="try again") from error
                if "lock" not in error.message:
                    raise
                if time.monotonic() >= deadline and not self._unlock():
                    raise Locked(
                        "another git holds the lock of the branch",
                        remedy=f"try again; if no git is running, remove {self._branch_lock()}",
                    ) from error
            time.sleep(0.02)

    def _move(self, head: str | None, commit: str, subject: str) -> None:
        """Let the branch name `commit`, if it still names `head`: libgit2 compares under the lock of the reference."""
        name = f"refs/heads/{head_file.branch(self._root)}"
        if head is None:
            self._repository.create_reference_direct(name, pygit2.Oid(hex=commit), False, message=f"commit (initial): {subject}")
            return
        reference = self._repository.references[name]
        if str(reference.target) != head:
            raise ValueError("the branch moved")
        reference.set_target(pygit2.Oid(hex=commit), f"commit: {subject}")

    def _branch_lock(self) -> Path:
        return self._objects.directory.parent / "refs" / "heads" / f"{head_file.branch(self._root)}.lock"

    def _unlock(self) -> bool:
        """Take away a lock of the branch that a killed strata left: it holds the id of a commit made by strata."""
        lock = self._branch_lock()
        try:
            text = lock.read_text("ascii", "replace").strip()
            ours = not text or self._objects.commit(text).committer.email == self._committer
            if not ours or time.time() - lock.stat().st_mtime < _PATIENCE:
                return False
            lock.unlink()
        except FileNotFoundError:
            return True
        except (NotFound, OSError):
            return False
        return True
