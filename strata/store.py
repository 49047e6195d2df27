"""The one write path, and the look that keeps index and history up with the working tree.

A write is: lock, recover, adopt what a person left, apply the edits, commit, index. A read only
looks, and refreshes the index when the tree moved. The mark kept with the index says which commit
and which uncommitted files the index reflects.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata import survey
from strata.entries import entries
from strata.errors import Locked, NotFound, OutsideMemory, TierVanished
from strata.files import Files, blob_id
from strata.head import head
from strata.layout import TIERS, is_record, is_tracked
from strata.model import Author, Drop, Edit, Entry, Put, Rename

if TYPE_CHECKING:
    from strata.history import History
    from strata.shadow import Shadow

VANISHED_ABOVE = 20  # records a tier must have held before finding it empty stops a write
LOOK_PATIENCE = 1.0  # seconds a read waits for a writer before it answers from the index as it is

Trailers = Sequence[tuple[str, str]]


@dataclass(slots=True)
class Look:
    """What a look at the tree found: `changes` to index, `dirty` files a person left, and the mark that follows."""

    mark: dict[str, Any]
    changes: dict[str, bytes | None] = field(default_factory=dict)
    dirty: dict[str, bytes | None] = field(default_factory=dict)
    moved: bool = False
    skipped: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """A write being put together: its edits and what the commit will say."""

    edits: list[Edit] = field(default_factory=list)
    subject: str = ""
    trailers: list[tuple[str, str]] = field(default_factory=list)
    commit: str | None = None

    def put(self, path: str, data: bytes, base: str | None = "") -> None:
        self.edits.append(Put(path, data, base))


class Store:
    """Files, history and shadow of one memory, kept in step."""

    def __init__(self, root: Path, key: bytes, now: Callable[[], datetime], *, lock_timeout: float = 30.0) -> None:
        self.root = root
        self.files = Files(root)
        self.lock_timeout = lock_timeout
        self.warnings: list[str] = []
        self._key = key
        self._now = now

    @cached_property
    def history(self) -> History:
        """Git, imported when it is first needed (it costs more than everything else together)."""
        from strata.history import History

        return History(self.root)

    @cached_property
    def shadow(self) -> Shadow:
        """The index, imported when it is first needed."""
        from strata.shadow import Shadow

        return Shadow(self.files.local / "index", self._key)

    # -- reading -----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Bring the index up to the working tree, as every search does first.

        A writer that holds the lock for longer than a second is not waited for: the answer then
        comes from the index as it is, with a warning.
        """
        if not self.files.unfinished():
            try:
                if (mark := self.shadow.mark()) is not None and not self._stale(mark):
                    return
            except PermissionError as error:
                self.warn(f"{error.filename} cannot be read; answering from the index")
                return
        try:
            with self.files.lock(LOOK_PATIENCE if self.shadow.mark() is not None else self.lock_timeout):
                self._recover()
                self._catch_up()
        except Locked:
            self.warn("another process is writing; the index may lag behind it")
        except (PermissionError, OutsideMemory) as error:
            self.warn(f"the index cannot be brought up to date: {error}")

    def _stale(self, mark: dict[str, Any]) -> bool:
        look = self._look(mark)
        return bool(look.changes) or look.moved

    def _catch_up(self) -> None:
        """Index what changed; rebuild when there is no index to start from. The lock is held."""
        mark = self.shadow.mark()
        if mark is None:
            self._rebuild()
            return
        look = self._look(mark)
        self._index(look)

    def _index(self, look: Look) -> None:
        changes = {path: _entries(path, data) for path, data in look.changes.items() if is_record(path)}
        if changes:
            self.shadow.update(changes, look.mark)
        elif look.moved:
            self.shadow.remark(look.mark)

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Build the index anew beside the old one, which answers until the new one takes its place; returns the number of files."""
        with self.files.lock(self.lock_timeout):
            self._recover()
            return self._rebuild(progress)

    def _rebuild(self, progress: Callable[[int, int], None] | None = None) -> int:
        self.files.make_local()
        clock = survey.clock(self.root)
        commit = head(self.root)
        seen = survey.survey(self.root, 0, {}, deep=True)
        tracked = {path: found for path, found in seen.touched.items() if is_tracked(path)}
        known: dict[str, list[Any]] = {}
        committed = dict(self.history.walk(commit)) if commit else {}
        for path, found in tracked.items():
            with contextlib.suppress(NotFound):
                blob = blob_id(self.files.read(path))
                dirty = committed.get(path) != blob
                if dirty or max(found[:2]) >= clock - survey.slack(clock):
                    known[path] = [blob, *found, dirty]
        known |= {path: ["", 0, 0, 0, 0, True] for path in committed if is_tracked(path) and path not in tracked}
        mark = {"head": commit, "clock": clock, "folders": _folders(seen), "known": known}
        paths = sorted(path for path in tracked if is_record(path))
        self.shadow.rebuild(self.root, paths, mark, entries=entries, progress=progress)
        return len(paths)

    def behind(self, mark: dict[str, Any]) -> bool:
        """Whether the tree holds something that the index with this mark does not reflect."""
        return bool(self._look(mark, deep=True).changes)

    def dirty(self) -> set[str]:
        """Files that differ from what is committed."""
        mark = self.shadow.mark()
        if mark is None:
            self.refresh()
            mark = self.shadow.mark()
        return set(self._look(mark, deep=True).dirty) if mark else set()

    def bytes_of(self, path: str) -> bytes | None:
        """The bytes at `path`, or None when there is no readable regular file."""
        try:
            return self.files.read(path)
        except (NotFound, OutsideMemory):
            return None

    # -- looking -----------------------------------------------------------------------------

    def _look(self, mark: dict[str, Any], *, deep: bool = False) -> Look:
        """Compare the tree with what the index reflects. Pure but for reading."""
        before, known = mark["head"], mark["known"]
        trusted = mark["clock"] - survey.slack(mark["clock"])
        clock = survey.clock(self.root)
        now = head(self.root)
        seen = survey.survey(self.root, trusted, {name: tuple(value) for name, value in mark["folders"].items()}, deep=deep)
        candidates = set(seen.touched) | set(known)
        for folder in [*seen.listing, *seen.gone]:
            candidates |= self._names_changed(folder, seen.listing.get(folder, set()), before)
        if now != before:
            candidates |= self._between(before, now)

        look = Look({"head": now, "clock": clock, "folders": _folders(seen), "known": {}}, skipped=seen.skipped)
        for path in sorted(candidates):
            if is_tracked(path):
                self._compare(path, known.get(path), before, now, trusted, clock, look)
        look.moved = (
            now != before or look.mark["folders"] != mark["folders"] or look.mark["known"].keys() != known.keys() or len(seen.touched) > 8
        )
        return look

    def _names_changed(self, folder: str, names: set[str], commit: str | None) -> set[str]:
        then = set(self.history.listing(folder, commit)) if commit else set()
        prefix = f"{folder}/" if folder else ""
        return {prefix + name for name in names ^ then}

    def _between(self, before: str | None, now: str | None) -> set[str]:
        try:
            return self.history.changed(before, now)
        except NotFound:  # the commit the index reflects is gone (rebased away and collected): look at everything
            every = survey.survey(self.root, 0, {}, deep=True)
            return set(every.touched) | {path for path, _ in self.history.walk(now)}

    def _compare(self, path: str, row: list[Any] | None, before: str | None, now: str | None, trusted: int, clock: int, look: Look) -> None:
        """Decide for one path: does the index need it, and is it a change nobody committed?"""
        found = survey.signature(self.root / path)
        was = row[0] if row else None
        data: bytes | None = None
        if found is None:
            blob = ""
        elif row and list(found) == row[1:5] and max(found[:2]) < trusted:
            blob = row[0]
        else:
            try:
                data = self.files.read(path)
            except OutsideMemory as error:
                look.skipped.append((path, error.message))
                return
            except NotFound:
                return  # it vanished between the two looks; the next one sees that
            blob = blob_id(data)
        if was is None:
            was = self.history.blob_id(path, before) or "" if before else ""
        if blob != was:
            look.changes[path] = data if found is not None and data is not None else self.bytes_of(path) if found else None
        settled = row is not None and not row[5] and blob == was and now == before
        dirty = not settled and blob != ((self.history.blob_id(path, now) or "") if now else "")
        if dirty:
            look.dirty[path] = None if not blob else data
        if dirty or (found and max(found[:2]) >= clock - survey.slack(clock)):
            look.mark["known"][path] = [blob, *(found or (0, 0, 0, 0)), dirty]

    # -- writing -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def write(self, operation: str, author: Author) -> Iterator[Plan]:
        """The one write path: lock, recover, adopt, plan, apply, commit, index.

        The caller fills the plan it is handed; an exception there changes nothing but what was
        adopted. After the block, `plan.commit` is the commit made, or None when nothing changed.
        """
        with self.files.lock(self.lock_timeout):
            self._recover()
            self.history.writable()
            mark = self.shadow.mark()
            if mark is None:
                self._rebuild()
                mark = self.shadow.mark()
            look = self._look(mark)
            self._adopt(look)
            if look.changes:  # what a person or a pull brought is known before the plan asks the index
                self._index(look)
                look.changes = {}
            plan = Plan()
            try:
                yield plan
            except BaseException:
                self._index(look)
                raise
            edits = [edit for edit in plan.edits if not self._already(edit)]
            if edits:
                trailers = [("Strata-Op", operation), *plan.trailers]
                plan.commit = self._carry_out(edits, author, plan.subject, trailers, look)
            self._index(look)
            self.files.done()
        self.history.maintain()

    def adopt(self) -> str | None:
        """Commit what a person or another program left in the tree, as theirs; the commit, or None when there is nothing."""
        with self.files.lock(self.lock_timeout):
            self._recover()
            self.history.writable()
            if self.shadow.mark() is None:
                self._rebuild()
            look = self._look(self.shadow.mark(), deep=True)
            commit = self._adopt(look)
            self._index(look)
            return commit

    def _adopt(self, look: Look) -> str | None:
        """Commit the dirty files as the person's, and keep git's own index true, even when nothing changed."""
        commit = None
        if look.dirty:
            self._guard_tiers(look)
            edits: list[Edit] = []
            for path, data in look.dirty.items():
                if look.mark["known"][path][0] == "":
                    edits.append(Drop(path))
                elif (data := data if data is not None else self.bytes_of(path)) is not None:
                    edits.append(Put(path, data, None))
                    look.mark["known"][path][0] = blob_id(data)
            trailers = [("Strata-Op", "adopt"), *(("Strata-Path", path) for path in list(look.dirty)[:50])]
            commit = self.history.commit(
                edits, author=self.history.person(), subject=_adopted(list(look.dirty)), trailers=trailers, at=self._now()
            )
            for path in look.dirty:
                row = look.mark["known"][path]
                row[5] = False
                if row[0] == "":
                    del look.mark["known"][path]
            look.mark["head"] = self.history.head()
            look.moved = True
            look.dirty = {}
        self._align()
        return commit

    def _align(self) -> None:
        """git's own index follows the commits strata made, so that `git status` tells the truth."""
        self.history.align()

    def _guard_tiers(self, look: Look) -> None:
        missing = [path for path in look.dirty if look.mark["known"][path][0] == ""]
        for tier in TIERS:
            lost = sum(path.startswith(f"{tier}/") for path in missing)
            folder = self.root / tier
            if lost > VANISHED_ABOVE and not (folder.is_dir() and any(folder.iterdir())):
                raise TierVanished(
                    f"{tier}/ is gone or empty, but git knows {lost} records there; nothing was changed",
                    path=tier,
                    remedy=f"mount or restore it (git checkout -- {tier}), or, if they are meant to go: git rm -r -q {tier} && git commit",
                )

    def _already(self, edit: Edit) -> bool:
        """Whether a put would change nothing."""
        return isinstance(edit, Put) and self.files.exists(edit.path) and self.bytes_of(edit.path) == edit.data

    def _carry_out(self, edits: Sequence[Edit], author: Author, subject: str, trailers: Trailers, look: Look) -> str | None:
        """Apply, commit, and note in `look` what the index has to take over."""
        who = {"author": [author.name, author.email], "subject": subject, "trailers": [list(pair) for pair in trailers]}
        self.files.intend(edits, who)
        try:
            self.files.apply(edits)
        except BaseException:
            self._roll_back()
            raise
        commit = self.history.commit(edits, author=author, subject=subject, trailers=trailers, at=self._now())
        look.mark["head"] = self.history.head()
        self._align()
        look.moved = True
        for path, data in _outcome(edits, self.bytes_of).items():
            look.changes[path] = data
            look.mark["known"].pop(path, None)
            if data is not None and (found := survey.signature(self.root / path)):
                look.mark["known"][path] = [blob_id(data), *found, False]
        self._settle_folders({path.rpartition("/")[0] for path in look.changes}, look)
        return commit

    def _settle_folders(self, folders: set[str], look: Look) -> None:
        """Take over the new time of each folder we wrote in, if it holds exactly what is committed there."""
        pending, every = list(folders), set()
        while pending:
            if (folder := pending.pop()) and folder not in every:
                every.add(folder)
                pending.append(folder.rpartition("/")[0])
        for folder in every:
            place = self.root / folder
            look.mark["folders"].pop(folder, None)
            if not place.is_dir() or place.is_symlink():
                continue
            moved = place.stat().st_mtime_ns
            names = {name for name in _visible(place) if is_tracked(f"{folder}/{name}")}
            if names == {name for name in self.history.listing(folder) if is_tracked(f"{folder}/{name}")}:
                look.mark["folders"][folder] = [moved, len(names)]

    # -- after a crash -----------------------------------------------------------------------

    def _recover(self) -> None:
        """Finish or take back a write that was cut short, before anything else is done. The lock is held."""
        self.files.sweep()
        intent = self.files.intent()
        if intent is None:
            self.files.done()
            return
        if self._complete(intent["edits"]):
            who = intent["commit"]
            edits = [edit for row in intent["edits"] if (edit := self._replay(row))]
            self.history.writable()
            self.history.commit(
                edits, author=Author(*who["author"]), subject=who["subject"], trailers=[tuple(pair) for pair in who["trailers"]], at=self._now()
            )
        else:
            self._roll_back()
        mark = self.shadow.mark()
        if mark is not None:
            look = self._look(mark)
            self._align()
            self._index(look)
        self.files.sweep(everywhere=True)
        self.files.done()

    def _complete(self, rows: Sequence[Sequence[str]]) -> bool:
        """Whether every edit of an intent reached the disk."""
        later = {row[1] for row in rows if row[0] in ("rename", "drop")}
        for row in rows:
            match row:
                case ["put", path, blob]:
                    if path not in later and self._blob_at(path) != blob:
                        return False
                case ["rename", source, target]:
                    if self.files.exists(source) or not self.files.exists(target):
                        return False
                case ["drop", path]:
                    if self.files.exists(path):
                        return False
        return True

    def _replay(self, row: Sequence[str]) -> Edit | None:
        match row:
            case ["put", path, _]:
                return Put(path, data, None) if (data := self.bytes_of(path)) is not None else None
            case ["rename", source, target]:
                return Rename(source, target) if self.history.blob_id(source) else None
            case ["drop", path]:
                return Drop(path)
        return None

    def _roll_back(self) -> None:
        """Take back what a half-done write left, touching nothing that a person changed since."""
        intent = self.files.intent()
        rows = intent["edits"] if intent else []
        back: list[Edit] = []
        for row in rows:
            committed = self.history.blob_id(row[1])
            match row:
                case ["put", path, blob] if self._blob_at(path) == blob and committed != blob:
                    back.append(Put(path, self.history.read(path), None) if committed else Drop(path))
                case ["rename", source, target] if self.files.exists(target) and not self.files.exists(source):
                    back.append(Rename(target, source))
                case ["drop", path] if committed and not self.files.exists(path):
                    back.append(Put(path, self.history.read(path), ""))
        self.files.apply(back)
        self.files.done()

    def _blob_at(self, path: str) -> str:
        return blob_id(data) if (data := self.bytes_of(path)) is not None else ""

    def warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)


def _entries(path: str, data: bytes | None) -> list[Entry] | None:
    return None if data is None else entries(path, data)


def _folders(seen: survey.Survey) -> dict[str, list[int]]:
    return {name: list(value) for name, value in seen.folders.items()}


def _visible(folder: Path) -> Iterator[str]:
    for place in folder.iterdir():
        if not place.name.startswith(".") and place.is_file() and not place.is_symlink():
            yield place.name


def _outcome(edits: Sequence[Edit], read: Callable[[str], bytes | None]) -> dict[str, bytes | None]:
    """What each touched path holds afterwards; None for nothing."""
    after: dict[str, bytes | None] = {}
    for edit in edits:
        match edit:
            case Put(path, data, _):
                after[path] = data
            case Rename(source, target):
                after[source] = None
                after[target] = read(target)
            case Drop(path):
                after[path] = None
    return after


def _adopted(paths: Sequence[str]) -> str:
    """The subject of an adopting commit: what was edited by hand."""
    first = paths[0].rpartition("/")[2]
    return f"Edit {first} by hand" if len(paths) == 1 else f"Edit {len(paths)} files by hand, among them {first}"
