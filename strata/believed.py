"""The memory as a commit held it, searched and read without a checkout.

Each commit that is asked for gets an index of its own, in `.strata/believed/`: a copy of the index of now, its files shared, to
which what differs between the two is applied from git. So it costs what has changed since, however large the memory is. Texts are
read from git. The last few such indexes are kept; all of them are caches.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from strata.entries import entries
from strata.errors import NotFound, OutsideMemory
from strata.files.lock import held
from strata.layout import LOCAL, is_record
from strata.lookup import Lookup
from strata.model import Entry, Progress
from strata.shadow.found import ShadowDamaged
from strata.tree import FORMAT

if TYPE_CHECKING:
    from strata.history import History
    from strata.results import Shown
    from strata.shadow import Shadow
    from strata.store import Store

FOLDER = "believed"  # in .strata/
KEPT = 4  # commits whose indexes are kept
_SLICE = 2_000  # files whose entries are in memory at once
_MANY = 8  # slices after which small segments are worth merging
_CACHED_FILES = 400
_PATIENCE = 120.0  # seconds that one process waits while another makes the same index

Answer = TypeVar("Answer")


class Believed:
    """The commits of one memory that were asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[str, LookupThen] = {}

    def lookup(self, rev: str, progress: Progress | None = None) -> Lookup:
        """Reading the memory as it was at a revision or date. Raises NotFound for one that is none."""
        commit = self._store.history.resolve(rev)
        if commit not in self._open:
            self._open[commit] = LookupThen(Then(self._store, commit, self._home))
        self._open[commit].then.make_ready(progress)
        return self._open[commit]

    def show(self, ref: str, rev: str, *, level: int | None) -> Shown:
        """One record as it read at a revision or date; found by the name it had then, or the one it has now.

        Only a ref that names neither, such as the beginning of an id, needs the index of that commit.
        """
        try:
            return Lookup(self._store).show(ref, level=level, at=rev)
        except NotFound as unknown:
            try:
                return self.lookup(rev).show(ref, level=level, at=None)._replace(at=self._store.history.resolve(rev))
            except NotFound:
                raise unknown from None

    def close(self) -> None:
        """Let go of open files."""
        for lookup in self._open.values():
            lookup.then.shadow.close()
        self._open.clear()

    @cached_property
    def _home(self) -> Path:
        """Where the indexes lie; where nothing can be written, a folder of this process alone."""
        self._store.files.check_local()
        home = self._store.files.local / FOLDER
        if home.is_symlink():
            raise OutsideMemory("it is a symbolic link", path=f"{LOCAL}/{FOLDER}", remedy=f"remove it: rm {LOCAL}/{FOLDER}")
        try:
            home.mkdir(parents=True, exist_ok=True)
            (home / "lock").touch(mode=0o600)
        except OSError as error:
            import atexit
            import tempfile

            self._store.warn(f"the index of an earlier commit cannot be kept: {error}")
            home = Path(tempfile.mkdtemp(prefix="strata-believed-"))
            atexit.register(shutil.rmtree, home, ignore_errors=True)
        return home


class Committed:
    """The files of one commit, as `Files` has those of the tree."""

    def __init__(self, history: History, commit: str) -> None:
        self._history = history
        self._commit = commit

    def exists(self, path: str) -> bool:
        """Whether the commit has a regular file there."""
        return self._history.blob_id(path, self._commit) is not None

    def read(self, path: str) -> bytes:
        """Its bytes. Raises NotFound."""
        return self._history.read(path, self._commit)


class Then:
    """What a lookup asks of a store, answered as of one commit; its index lies in a folder of `home`, named by the commit."""

    def __init__(self, store: Store, commit: str, home: Path) -> None:
        self.root = store.root
        self.history = store.history
        self.warn = store.warn
        self.files = Committed(store.history, commit)
        self.shadow: Shadow = store.shadow.beside(home / commit)
        self._store = store
        self._commit = commit
        self._home = home
        self._mark = {"format": FORMAT, "believed": commit}

    def refresh(self) -> None:
        """A commit is what it is."""

    def ask(self, question: Callable[[Shadow], Answer]) -> Answer:
        """What the index answers; one that another process swept away, or that is damaged, is made anew and asked again."""
        try:
            return question(self.shadow)
        except ShadowDamaged:
            self.make_ready(anew=True)
            return question(self.shadow)

    def make_ready(self, progress: Progress | None = None, *, anew: bool = False) -> None:
        """Make the index where it is not there yet; one process at a time, and none counts that is not finished.

        Order of effects: a copy with an empty mark, what differs, the mark with the last of it. Killed before that, the next one begins anew.
        """
        if not anew and self._is_ready():
            return
        with held(self._home / "lock", _PATIENCE):
            if anew or not self._is_ready():
                self.shadow.close()
                clear(self.shadow.directory)
                self._make(progress or _ignore)
                sweep(self._home, self._commit)

    def _is_ready(self) -> bool:
        try:
            if self.shadow.mark() != self._mark:
                return False
            os.utime(self.shadow.directory)  # used now, so swept last
        except (OSError, ShadowDamaged):
            return False
        return True

    def _make(self, progress: Progress) -> None:
        self._store.refresh()
        try:
            mark = self.shadow.copy_of(self._store.shadow.directory)
            if mark is not None and (paths := self._differing(mark)) is not None:
                self._apply(paths, progress)
                return
        except ShadowDamaged as damage:
            self._store.warn(f"the index of {self._commit[:10]} is built from git: {damage}")
        clear(self.shadow.directory)
        self.shadow.rebuild(self.root, [], {}, entries=entries)
        self._apply([path for path, _ in self.history.walk(self._commit)], progress)

    def _differing(self, mark: dict[str, Any]) -> list[str] | None:
        """The files of which the index with this mark may not say what the commit says; None where that cannot be told."""
        if mark.get("format") != FORMAT:
            return None
        try:
            found = self.history.changed(mark["head"], self._commit)
        except NotFound:  # what the index reflects was rebased away and collected
            return None
        found |= {path for path, row in mark["known"].items() if row[5]}  # not committed
        for place, _ in self._store.tree.look(mark).skipped:  # in the midst of a merge, or not for us to read
            found |= {place, *(path for path, _ in self.history.walk(self._commit, place))}
        return list(found)

    def _apply(self, paths: Sequence[str], progress: Progress) -> None:
        """Make the index say of these files what the commit says, then mark it as finished."""
        wanted = sorted(filter(is_record, paths))
        slices = [wanted[start : start + _SLICE] for start in range(0, len(wanted), _SLICE)]
        for number, each in enumerate(slices):
            changes = {path: entries(path, self.files.read(path)) if self.files.exists(path) else None for path in each}
            self.shadow.update(changes, {})
            progress(min(len(wanted), (number + 1) * _SLICE), len(wanted))
        if len(slices) > _MANY:
            self.shadow.optimize()
        self.shadow.remark(self._mark)


class LookupThen(Lookup):
    """A lookup whose texts come from git."""

    def __init__(self, then: Then) -> None:
        super().__init__(cast("Store", then))  # of which a lookup only reads, and only what `Then` has
        self.then = then
        self._known: dict[str, dict[str, Entry]] = {}

    def entry(self, path: str, ref: str) -> Entry | None:
        """What the commit says under this ref; None where it has no such thing."""
        if path not in self._known:
            if len(self._known) >= _CACHED_FILES:
                self._known.clear()
            try:
                self._known[path] = {entry.ref: entry for entry in entries(path, self.then.files.read(path))}
            except NotFound:
                return None
        return self._known[path].get(ref)


def sweep(home: Path, last: str) -> None:
    """Remove all but the indexes that were used last, `last` among them. Who still reads another one notices, and makes it again."""
    found = [place for place in home.iterdir() if place.is_dir() and place.name != last]
    for place in sorted(found, key=_used, reverse=True)[KEPT - 1 :]:
        clear(place)


def clear(place: Path) -> None:
    """Remove an index, or whatever else stands where one belongs; what another process holds open (Windows) waits for the next time."""
    if place.is_symlink() or place.is_file():
        place.unlink(missing_ok=True)
    else:
        shutil.rmtree(place, ignore_errors=True)


def _used(place: Path) -> float:
    return place.stat().st_mtime


def _ignore(done: int, total: int) -> None:
    """No progress is shown."""
