"""The working tree as index and history see it: what changed, what nobody committed, and the mark to remember.

The mark is kept with the index. It names the commit and the uncommitted files the index reflects:
`head`, the file system's `clock` at the look, each of the `folders` with its time and number of
files, and what the clock alone cannot vouch for: what is `known` of single files (blob, stat,
whether it is dirty), and a digest of the names in folders that we `settled` ourselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata import survey
from strata.errors import NotFound, StrataError
from strata.files import Files, blob_id
from strata.head import head, in_progress
from strata.layout import is_tracked
from strata.model import Drop, Edit, Put, Rename

if TYPE_CHECKING:
    from strata.history import History

FORMAT = 1  # of the mark; an index with another one is built anew
STALE = 1_000_000_000  # ns after which a newer clock, that vouches for more, is worth remembering


class Look:
    """What a look found: `changes` to index, `dirty` files a person left (None: removed), and the mark that follows."""

    def __init__(self, mark: dict[str, Any], skipped: list[tuple[str, str]]) -> None:
        self.mark = mark
        self.changes: dict[str, bytes | None] = {}
        self.dirty: dict[str, bytes | None] = {}
        self.moved = False
        self.skipped = skipped


class Tree:
    """One memory's working tree; it is only ever read here."""

    def __init__(self, files: Files, history: Callable[[], History]) -> None:
        self._files = files
        self._root = files.root
        self._history = history

    def bytes_of(self, path: str) -> bytes | None:
        """The bytes at `path`, or None when there is no readable regular file."""
        try:
            return self._files.read(path)
        except StrataError:
            return None

    def blob_at(self, path: str) -> str:
        """The blob id of the file at `path`, "" for none."""
        return blob_id(data) if (data := self.bytes_of(path)) is not None else ""

    def outcome(self, edits: Sequence[Edit]) -> dict[str, bytes | None]:
        """What each path that the edits touched holds now; None for nothing."""
        after: dict[str, bytes | None] = {}
        for edit in edits:
            match edit:
                case Put(path, data, _):
                    after[path] = data
                case Rename(source, target):
                    after[source] = None
                    after[target] = self.bytes_of(target)
                case Drop(path):
                    after[path] = None
        return after

    def look(self, mark: dict[str, Any], *, deep: bool = False) -> Look:
        """Compare the tree with what the index reflects by `mark`; with `deep`, file by file in every tier.

        What cannot be read stays as it was, and is named in `skipped`. Raises what git raises when it has
        to be asked and cannot be used.
        """
        before, known = mark["head"], mark["known"]
        trusted = mark["clock"] - survey.slack(mark["clock"])
        clock = survey.clock(self._root)
        now = head(self._root)
        if set_back := clock < mark["clock"]:
            trusted, deep = 0, True  # the clock was set back: no stamp says what is older than the last look
        seen = survey.survey(self._root, trusted, {name: tuple(value) for name, value in mark["folders"].items()}, deep=deep)
        candidates = set(seen.touched) | set(known)
        settled = mark["settled"]
        for folder in [*seen.listing, *seen.gone]:
            names = seen.listing.get(folder, set())
            if _digest(folder, names) != settled.get(folder):
                candidates |= self._names_changed(folder, names, before)
        if now != before:
            candidates |= self._between(before, now)

        look = Look(_mark(now, clock, seen), seen.skipped)
        conflicted = bool(candidates) and bool(in_progress(self._root))
        for path in sorted(candidates):
            if is_tracked(path) and not _below(path, seen.blind):
                self._compare(path, known.get(path), before, trusted, look, conflicted)
        folders_moved = look.mark["folders"] != mark["folders"]
        aged = (seen.listing or seen.touched) and clock - mark["clock"] > STALE
        look.moved = bool(now != before or folders_moved or look.mark["known"].keys() != known.keys() or aged or set_back)
        return look

    def everything(self, commit: str | None) -> tuple[list[str], dict[str, Any]]:
        """Every tracked file in the tree, and the mark of an index that reflects them all."""
        clock = survey.clock(self._root)
        seen = survey.survey(self._root, 0, {}, deep=True)
        mark = _mark(commit, clock, seen)
        tracked = sorted(path for path in seen.touched if is_tracked(path))
        committed = dict(self._history().walk(commit)) if commit else {}
        for path in tracked:
            found = seen.touched[path]
            if (data := self.bytes_of(path)) is None:
                continue
            blob = blob_id(data)
            dirty = committed.get(path) != blob
            if dirty or max(found[:2]) >= clock - survey.slack(clock):
                mark["known"][path] = [blob, *found, dirty]
        gone = (path for path in committed if is_tracked(path) and path not in seen.touched and not _below(path, seen.blind))
        mark["known"] |= {path: ["", 0, 0, 0, 0, True] for path in gone}
        return tracked, mark

    def stirred(self, mark: dict[str, Any]) -> bool:
        """Whether anything in the tree may have changed since the mark, told without git."""
        trusted = mark["clock"] - survey.slack(mark["clock"])
        seen = survey.survey(self._root, trusted, {name: tuple(value) for name, value in mark["folders"].items()})
        known = {path: row[1:5] for path, row in mark["known"].items()}
        return bool(seen.listing or seen.gone or any(known.get(path) != list(found) for path, found in seen.touched.items()))

    def settle(self, look: Look, written: dict[str, bytes | None]) -> None:
        """Take over into `look` what we wrote and committed ourselves, so that the next look passes over it.

        What was moved unread may hold an edit that no look had seen: that is left to be adopted.
        """
        committed = self._history().blob_ids(path for path, data in written.items() if data is not None)
        look.mark["head"] = head(self._root)
        look.moved = True
        for path, data in written.items():
            look.changes[path] = data
            look.mark["known"].pop(path, None)
            if data is not None and (found := survey.signature(self._root / path)):
                blob = blob_id(data)
                look.mark["known"][path] = [blob, *found, blob != committed[path]]
        for folder in _with_parents({path.rpartition("/")[0] for path in written}):
            look.mark["folders"].pop(folder, None)
            if (settled := self._settled(folder)) is not None:
                moved, names = settled
                look.mark["folders"][folder] = [moved, len(names)]
                look.mark["settled"][folder] = _digest(folder, names)

    # -- inside --------------------------------------------------------------------------------

    def _names_changed(self, folder: str, names: set[str], commit: str | None) -> set[str]:
        then = set(self._history().listing(folder, commit)) if commit else set()
        prefix = f"{folder}/" if folder else ""
        return {prefix + name for name in names ^ then}

    def _between(self, before: str | None, now: str | None) -> set[str]:
        try:
            return self._history().changed(before, now)
        except NotFound:  # the commit the index reflects is gone (rebased away and collected): look at everything
            every = survey.survey(self._root, 0, {}, deep=True)
            return set(every.touched) | {path for path, _ in self._history().walk(now)}

    def _compare(self, path: str, row: list[Any] | None, before: str | None, trusted: int, look: Look, conflicted: bool) -> None:
        """Decide for one path: does the index need it, and is it a change nobody committed?"""
        now, clock = look.mark["head"], look.mark["clock"]
        found = survey.signature(self._root / path)
        data: bytes | None = None
        if found is None:
            blob = ""
        elif row and list(found) == row[1:5] and max(found[:2]) < trusted:
            blob = row[0]
        else:
            try:
                data = self._files.read(path)
            except NotFound:
                return  # it vanished between the two looks; the next one sees that
            except StrataError as error:  # a link, or not readable: what the index knows of it stays
                look.skipped.append((path, error.message))
                return
            if conflicted and _is_conflicted(data):
                look.skipped.append((path, "git has not merged it yet"))
                return
            blob = blob_id(data)
        was = row[0] if row else self._committed(path, before)
        if blob != was:
            look.changes[path] = data if data is not None or found is None else self.bytes_of(path)
        settled = row is not None and not row[5] and blob == was and now == before
        dirty = not settled and blob != self._committed(path, now)
        if dirty:
            look.dirty[path] = data if blob else None
        if dirty or (found and max(found[:2]) >= clock - survey.slack(clock)):
            look.mark["known"][path] = [blob, *(found or (0, 0, 0, 0)), dirty]

    def _committed(self, path: str, commit: str | None) -> str:
        return (self._history().blob_id(path, commit) or "") if commit else ""

    def _settled(self, folder: str) -> tuple[int, set[str]] | None:
        """A folder's time and names, if it holds exactly what is committed there; else the next look must see it."""
        place = self._root / folder
        if not place.is_dir() or place.is_symlink():
            return None
        moved = place.stat().st_mtime_ns
        prefix = f"{folder}/" if folder else ""
        names = {name for name in _visible(place) if is_tracked(prefix + name)}
        committed = {name for name in self._history().listing(folder) if is_tracked(prefix + name)}
        return (moved, names) if names == committed else None


def _mark(commit: str | None, clock: int, seen: survey.Survey) -> dict[str, Any]:
    return {"format": FORMAT, "head": commit, "clock": clock, "folders": {name: list(value) for name, value in seen.folders.items()}, "known": {}, "settled": {}}


def _below(path: str, folders: set[str]) -> bool:
    return bool(folders) and any(path.startswith(f"{folder}/") for folder in folders)


def _is_conflicted(data: bytes) -> bool:
    """Whether git left both sides of a conflict in a file, between its marks."""
    return b"<<<<<<< " in data and b"\n=======" in data and b"\n>>>>>>> " in data


def _digest(folder: str, names: set[str]) -> str:
    """Which of strata's files a folder holds, by name."""
    prefix = f"{folder}/" if folder else ""
    return blob_id("\0".join(sorted(name for name in names if is_tracked(prefix + name))).encode("utf-8", "surrogateescape"))


def _visible(folder: Path) -> Iterator[str]:
    for place in folder.iterdir():
        if place.is_file() and not place.is_symlink():
            yield place.name


def _with_parents(folders: set[str]) -> set[str]:
    """The folders and all above them; "" is the memory itself."""
    every: set[str] = set()
    for folder in folders:
        while folder not in every:
            every.add(folder)
            folder = folder.rpartition("/")[0]
    return every
