"""The working tree: the only module that writes files of a memory.

Bytes become durable before anything refers to them: a unique hidden temporary file in the same
folder, fsync, an atomic rename, fsync of the folder. A write that touches several files first
leaves its intent in `.strata/`, so that whoever comes next after a crash can finish it or take it
back as a whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from strata.errors import AlreadyExists, Conflict, NotFound, OutsideMemory, StrataError
from strata.files.durable import is_temporary, sync_folder, write_durably
from strata.files.lock import held
from strata.layout import LOCAL, is_tracked
from strata.model import Drop, Edit, Put, Rename


def blob_id(data: bytes) -> str:
    """The name git gives these bytes (SHA-1 of "blob <length>\\0" and the bytes)."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class Files:
    """One memory's directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root = os.fspath(root)
        self.local = root / LOCAL
        self.locked = False  # whether this very object holds the lock

    # -- reading -----------------------------------------------------------------------------

    def read(self, path: str) -> bytes:
        """The bytes at `path`; NotFound when there is no regular file, OutsideMemory through a link."""
        place = self.place(path)
        try:
            descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound("there is no such file", path=path) from None
        except OSError as error:
            if os.path.islink(place):
                raise OutsideMemory("a symbolic link is not followed", path=path, remedy="put the file itself there") from None
            if os.path.isdir(place):  # Windows refuses to open one
                raise NotFound("this is not a regular file", path=path) from None
            raise StrataError(f"cannot be read: {error.strerror}", path=path) from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise NotFound("this is not a regular file", path=path)
        with os.fdopen(descriptor, "rb") as stream:
            return stream.read()

    def exists(self, path: str) -> bool:
        """Whether a regular file (no link) is at `path`."""
        try:
            return stat.S_ISREG(os.lstat(f"{self._root}/{path}").st_mode)
        except (OSError, ValueError):
            return False

    def place(self, path: str) -> Path:
        """Where `path` is on disk; OutsideMemory when a folder on the way is a link or leaves the memory."""
        parts = path.split("/")
        if path.startswith("/") or any(part in ("", ".", "..") for part in parts):
            raise OutsideMemory("the path does not stay inside the memory", path=repr(path))
        at = self._root
        for part in parts[:-1]:
            at = f"{at}/{part}"
            if os.path.islink(at):
                raise OutsideMemory("a folder on the way is a symbolic link", path=path, remedy="strata does not follow links; use a real folder")
        return Path(at, parts[-1])

    def twin(self, path: str) -> str:
        """A file already there whose path differs from `path` only in case, or ""."""
        at = ""
        for part in path.split("/"):
            try:
                names = os.listdir(self.root / at) if at else os.listdir(self.root)
            except OSError:
                return ""
            if part not in names:
                part = next((name for name in names if name.casefold() == part.casefold()), "")
                if not part:
                    return ""
            at = f"{at}/{part}" if at else part
        return at

    # -- the lock ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def lock(self, timeout: float = 30.0) -> Iterator[None]:
        """Hold the memory's one lock; the kernel frees it when the process ends, however it ends.

        Raises Locked after `timeout` seconds. Not re-entrant.
        """
        if self.locked:
            raise RuntimeError("the lock is already held by this Memory")
        self.make_local()
        if (self.local / "lock").is_dir():
            raise StrataError("a folder stands where strata's lock belongs", path=f"{LOCAL}/lock", remedy=f"remove it: rm -r {LOCAL}/lock")
        with held(self.local / "lock", timeout):
            self.locked = True
            try:
                yield
            finally:
                self.locked = False

    def make_local(self) -> None:
        """Create `.strata/`, readable by its owner alone."""
        self.check_local()
        self.local.mkdir(mode=0o700, exist_ok=True)

    def make_local_folder(self, name: str, what: str, remedy: str) -> None:
        """Create a folder below `.strata/`, readable by its owner alone; `what` cannot be kept where that fails."""
        folder, shown = self.local / name, f"{LOCAL}/{name}"
        try:
            self.make_local()
            folder.mkdir(mode=0o700, exist_ok=True)
        except FileExistsError:
            pass  # said below
        except OSError as error:
            raise StrataError(f"no {what} can be kept here: {error.strerror or error}", path=shown, remedy=remedy) from error
        if folder.is_symlink() or not folder.is_dir():
            raise OutsideMemory("it is a link or a file and no folder", path=shown, remedy=f"remove it: rm {shown}; strata makes the folder itself")

    def check_local(self) -> None:
        """Raise OutsideMemory when something else than a folder of ours stands where `.strata/` should be."""
        if self.local.is_symlink() or (self.local.exists() and not self.local.is_dir()):
            raise OutsideMemory("it is a link or a file and no folder", path=LOCAL, remedy=f"remove it: rm {LOCAL}; strata makes the folder itself")

    # -- writing -----------------------------------------------------------------------------

    def apply(self, edits: Sequence[Edit]) -> None:
        """Make the edits durable: puts, then renames, then drops, so that a crash may double but never lose."""
        touched: set[Path] = set()
        for edit in sorted(edits, key=lambda edit: (Put, Rename, Drop).index(type(edit))):
            match edit:
                case Put(path, data, base):
                    touched.add(self._put(path, data, base))
                case Rename(source, target):
                    touched |= self._rename(source, target)
                case Drop(path):
                    self.place(path).unlink(missing_ok=True)
                    touched.add(self.place(path).parent)
        for folder in touched:
            sync_folder(folder)

    def _put(self, path: str, data: bytes, base: str | None) -> Path:
        place = self.place(path)
        self._make_folder(place.parent)
        if place.is_symlink():
            raise OutsideMemory("a symbolic link is not written through", path=path, remedy="remove the link first")
        if base is not None:
            current = blob_id(place.read_bytes()) if place.exists() else ""
            if current != base:
                if base == "":
                    raise AlreadyExists("a file is there already; nothing was overwritten", path=path)
                raise Conflict("the file changed since it was read; nothing was written", path=path, remedy="read it again and repeat the change")
        write_durably(place, data, fresh=base == "")
        return place.parent

    def _rename(self, source: str, target: str) -> set[Path]:
        old, new = self.place(source), self.place(target)
        self._make_folder(new.parent)
        if os.path.lexists(new) and not (os.path.exists(old) and os.path.samefile(old, new)):
            raise AlreadyExists("a move never overwrites", path=target)
        os.rename(old, new)
        return {old.parent, new.parent}

    def _make_folder(self, folder: Path) -> None:
        if folder.is_dir():
            return
        if folder.exists():
            path = folder.relative_to(self.root).as_posix()
            raise Conflict("a file stands where a folder is needed", path=path, remedy="move the file away")
        self._make_folder(folder.parent)
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
        sync_folder(folder.parent)

    # -- intent: what makes several files one step -------------------------------------------

    @property
    def _intent(self) -> Path:
        return self.local / "intent.json"

    def unfinished(self) -> bool:
        """Whether a write was cut short (or is going on in another process)."""
        return self._intent.exists() or bool(self._local_leftovers())

    def _local_leftovers(self) -> list[Path]:
        try:
            return [self.local / name for name in os.listdir(self.local) if is_temporary(name)]
        except FileNotFoundError:
            return []

    def intend(self, edits: Sequence[Edit], commit: dict[str, Any]) -> dict[str, Any]:
        """Say durably what is about to happen: each edit with the blob it will leave, and the commit it belongs to."""
        rows: list[list[str]] = []
        for edit in edits:
            match edit:
                case Put(path, data, _):
                    rows.append(["put", path, blob_id(data)])
                case Rename(source, target):
                    rows.append(["rename", source, target])
                case Drop(path):
                    rows.append(["drop", path])
        self.make_local()
        intent = {"edits": rows, "commit": commit}
        write_durably(self._intent, json.dumps(intent).encode())
        if len(rows) > 1:
            sync_folder(self.local)
        return intent

    def done(self) -> None:
        """Forget the intent: file, commit and index agree."""
        self._intent.unlink(missing_ok=True)

    def intent(self) -> dict[str, Any] | None:
        """The intent a crash left, or None; one that is none of ours is set aside."""
        try:
            value = json.loads(self._intent.read_bytes())
        except FileNotFoundError:
            return None
        except (ValueError, IsADirectoryError):
            value = None
        if _is_intent(value):
            return value
        os.replace(self._intent, self.local / "intent.refused")  # not of ours: kept to be looked at, and never acted on
        return None

    def intended_at(self) -> float:
        """When the intent was written, in seconds."""
        return self._intent.stat().st_mtime if self._intent.exists() else 0.0

    def sweep(self, *, everywhere: bool = False) -> None:
        """Remove the temporary files a crash left: in `.strata/`, or `everywhere`. The lock must be held."""
        for place in list(self.temporaries()) if everywhere else self._local_leftovers():
            place.unlink(missing_ok=True)

    def temporaries(self) -> Iterator[Path]:
        """Temporary files anywhere in the memory: of a write that is going on, or left by a crash."""
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name != ".git"]
            yield from (Path(folder, name) for name in names if is_temporary(name))


def _is_intent(value: Any) -> bool:
    """Whether this is an intent as `intend` writes it, all of its paths inside the memory."""
    if not isinstance(value, dict) or not isinstance(value.get("edits"), list) or not isinstance(value.get("commit"), dict):
        return False
    commit, lengths = value["commit"], {"put": 3, "rename": 3, "drop": 2}
    for row in value["edits"]:
        if not isinstance(row, list) or not all(isinstance(item, str) for item in row) or len(row) != lengths.get(row[0] if row else ""):
            return False
        paths = row[1:2] if row[0] == "put" else row[1:]
        if not all(is_tracked(path) and ".." not in path.split("/") for path in paths):
            return False
    author, trailers = commit.get("author"), commit.get("trailers")
    pairs = [author, *trailers] if isinstance(trailers, list) else [None]
    return isinstance(commit.get("subject"), str) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(item, str) for item in pair) for pair in pairs
    )
