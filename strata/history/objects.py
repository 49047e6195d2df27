"""Commits, trees and blobs of one repository, found by id or by what a person calls them."""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha1
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType, SortMode

from strata import moment
from strata.errors import Ambiguous, Malformed, NotFound
from strata.head import common_directory, git_directory
from strata.history import pack, trees

WINDOWS = os.name == "nt"
pygit2.settings.enable_fsync_gitdir(WINDOWS)

_OBJECT = re.compile(r"[0-9a-f]{38}(?:[0-9a-f]{24})?").fullmatch  # not the tmp_obj_… of a git at work
_FULL_ID = re.compile(r"[0-9a-f]{40}")
_LOOSE_AT_MOST = 64  # blobs of one commit; more go into a pack: two files and not two each
_CACHED_TREES = 256  # a directory of 500 files takes 0.1 MB
_CACHED_RAW = 64  # and its bytes 0.02 MB


class Objects:
    """The objects of a repository by raw id (20 bytes). A missing or damaged one raises NotFound."""

    def __init__(self, repository: pygit2.Repository, root: Path) -> None:
        self._repository = repository
        self.directory = common_directory(git_directory(root)) / "objects"
        self.listing = lru_cache(_CACHED_TREES)(self._listing)
        self.tree = lru_cache(_CACHED_RAW)(self._tree)
        self.tree_of = lru_cache(_CACHED_TREES)(self._tree_of)
        self._written: list[str] = []

    def blob(self, id: bytes) -> bytes:
        """The bytes of a blob."""
        return self._read(id, ObjectType.BLOB)

    def commit(self, id: str) -> pygit2.Commit:
        """The commit with this full id."""
        try:
            found = self._repository[id]
        except (KeyError, ValueError, pygit2.GitError):
            found = None
        if not isinstance(found, pygit2.Commit):
            raise NotFound("there is no such commit", ref=id)
        return found

    def store(self, blobs: dict[bytes, bytes]) -> None:
        """Write blobs (id -> bytes): few as loose objects, many as one pack."""
        if len(blobs) > _LOOSE_AT_MOST:
            pack.write_blobs(self.directory, blobs)
        else:
            for data in blobs.values():
                self._clear("blob", data)
                self._written.append(str(self._repository.create_blob(data)))

    def write_tree(self, raw: bytes) -> bytes:
        """Write the bytes of a tree; its id."""
        self._clear("tree", raw)
        id = self._repository.write(ObjectType.TREE, raw)
        self._written.append(str(id))
        return id.raw

    def write_commit(self, author: pygit2.Signature, committer: pygit2.Signature, text: str, tree: bytes, parents: Sequence[str]) -> str:
        """Write a commit that nothing refers to yet; its id."""
        arguments = (author, committer, text, pygit2.Oid(raw=tree), list(parents))
        id = str(self._repository.create_commit(None, *arguments))
        place = self.directory / id[:2] / id[2:]
        if place.exists() and not _is_whole(place):  # of the same second, and lost with the power
            place.unlink()
            self._repository.create_commit(None, *arguments)
        self._written.append(id)
        return id

    def drop_broken(self, since: float) -> int:
        """Remove loose objects written after `since` (seconds) that cannot be read; how many there were."""
        folders = [self.directory / f"{number:02x}" for number in range(256)]
        places = [place for folder in folders if folder.is_dir() for place in folder.iterdir() if _OBJECT(place.name)]
        broken = []
        for place in places:
            with contextlib.suppress(FileNotFoundError):  # packed meanwhile
                if place.is_file() and place.stat().st_mtime >= since and not _is_whole(place):
                    broken.append(place)
        for place in broken:
            place.unlink(missing_ok=True)
        return len(broken)

    def _clear(self, kind: str, raw: bytes) -> None:
        """Remove the file of this object where power loss left it empty or short: libgit2 takes any file for the object."""
        whole = f"{kind} {len(raw)}\0".encode() + raw
        id = sha1(whole, usedforsecurity=False).hexdigest()
        place = self.directory / id[:2] / id[2:]
        try:
            if zlib.decompress(place.read_bytes()) == whole:
                return
        except FileNotFoundError:
            return
        except zlib.error:
            pass  # not whole: it is removed below
        place.unlink()

    def make_durable(self) -> None:
        """Have everything written since the last call on disk, so that a reference to it may follow.

        All files are synced after all are written: the first sync takes the others along, and five
        objects cost little more than one. libgit2's own option syncs each by itself, file and folder.
        """
        if WINDOWS:  # its loose objects are read-only and cannot be synced later: libgit2 does it there
            self._written.clear()
            return
        places = [self.directory / id[:2] / id[2:] for id in self._written]
        for place in places:
            pack.sync(place)
        for folder in {self.directory, *(place.parent for place in places)}:
            pack.sync(folder)
        self._written.clear()

    def resolve(self, text: str, head: str | None) -> str:
        """The id of the commit that a branch, tag, date, id prefix or expression (`HEAD~3`) means.

        A date means the last commit before its end: of the day, the month, the instant. A name made of
        nothing but digits of a year is a date, unless a branch or tag has it. Messages are not searched
        (`:/word`), since a crafted pattern can take for ever.
        """
        if _FULL_ID.fullmatch(text):
            return str(self.commit(text).id)
        unknown = NotFound(
            f"no commit is called {text[:80]!a}", remedy="give HEAD~2, a commit id, a branch, a tag or a date like 2026-05-20"
        )
        if not text or not text.isprintable() or len(text) > 200 or ":/" in text or "{/" in text:
            raise unknown
        try:
            if not self._is_name(text) and (found := self._at(text, head)):
                return found
            return str(self._repository.revparse_single(text).peel(pygit2.Commit).id)
        except pygit2.AmbiguousError as error:
            if "too short" in str(error):
                raise unknown from error
            raise Ambiguous(f"several objects have an id that begins with {text!a}", remedy="give more of it") from error
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise unknown from error

    def _is_name(self, text: str) -> bool:
        try:
            return any(self._repository.references.get(f"refs/{kind}/{text}") for kind in ("heads", "tags"))
        except ValueError:  # no valid name of a reference
            return False

    def _at(self, text: str, head: str | None) -> str | None:
        """The last commit before the end of a date; None when `text` is none. Raises NotFound when it is too early."""
        try:
            end = moment.parse(text).end
        except Malformed:
            return None
        for commit in self._repository.walk(head, SortMode.NONE) if head else ():
            if commit.commit_time < end.timestamp():
                return str(commit.id)
        raise NotFound(f"there was no commit yet at {text}", remedy="strata log shows the first one")

    def _listing(self, id: bytes) -> trees.Listing:
        return trees.parse(self._read(id, ObjectType.TREE))

    def _tree(self, id: bytes) -> bytes:
        return self._read(id, ObjectType.TREE)

    def _tree_of(self, commit: str) -> bytes:
        return self.commit(commit).tree_id.raw

    def _read(self, id: bytes, kind: ObjectType) -> bytes:
        try:
            found, data = self._repository.read(pygit2.Oid(raw=id))
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise NotFound("git lacks an object that it needs", ref=id.hex(), remedy="git fsck, then restore from a clone") from error
        if found != kind:
            raise NotFound(f"this git object is no {kind.name.lower()}", ref=id.hex())
        return data


def _is_whole(place: Path) -> bool:
    """Whether the file of a loose object holds what its name says."""
    try:
        return sha1(zlib.decompress(place.read_bytes()), usedforsecurity=False).hexdigest() == place.parent.name + place.name
    except zlib.error:
        return False
