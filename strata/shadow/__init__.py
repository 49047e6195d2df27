"""The shadow of a memory: a full-text index of its entries, kept with Whoosh; a cache that can always be built anew."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from strata.model import Entry
from strata.shadow.found import Found, ShadowDamaged

if TYPE_CHECKING:
    from strata.shadow.part import Filter
    from strata.shadow.ranking import Second
    from strata.shadow.snapshot import Snapshot
    from strata.shadow.stamp import Stamp

__all__ = ["Found", "Shadow", "ShadowDamaged"]

_ATTEMPTS = 10  # of a reader whose files a writer has just replaced
_REMEDY = "strata reindex"
_DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError, OverflowError, struct.error)

Answer = TypeVar("Answer")


class Shadow:
    """The index in `directory`, trusted only where it was written with `key`, the secret of this machine.

    Making one opens nothing. Reading never blocks and never waits for a writer; a reader sees the last commit.
    Every reading method raises ShadowDamaged where there is no usable index: build it anew with `rebuild`.
    """

    def __init__(self, directory: Path, key: bytes) -> None:
        self.directory = directory
        self._key = key
        self._snapshot: Snapshot | None = None
        self._seen: tuple[Any, ...] = ()
        self._stamp: Stamp | None = None

    # -- state -------------------------------------------------------------------------------

    def mark(self) -> dict[str, Any] | None:
        """What was stored with the last update; None if there is no usable index: absent, of another version or machine, damaged."""
        stamp = self._current()
        return None if stamp is None else stamp.mark

    def close(self) -> None:
        """Let go of the files; the next call opens them again."""
        if self._snapshot is not None:
            self._snapshot.close()
        self._snapshot, self._stamp, self._seen = None, None, ()

    # -- reading -----------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        kinds: Iterable[str] = (),
        tiers: Iterable[str] = (),
        thread: str = "",
        since: str = "",
        until: str = "",
        forgotten: bool | None = False,
        limit: int = 10,
    ) -> list[Found]:
        """The best `limit` entries that share a term with the query; empty arguments do not restrict.

        Forgotten entries are left out; with `forgotten` only they are looked at, with None all are. `since` and `until` are compared with `at` as `strata.moment.within` does, which raises Malformed.
        Ordered by score, then the newer first, then by ref.
        """
        wanted = _filter(kinds, tiers, thread, since, until, forgotten)
        return self._read(lambda now: now.search(query, wanted, limit))

    def rank(
        self,
        query: str,
        *,
        kinds: Iterable[str] = (),
        tiers: Iterable[str] = (),
        thread: str = "",
        since: str = "",
        until: str = "",
        forgotten: bool | None = False,
        happened_from: str = "",
        happened_to: str = "",
        at: str = "",
        limit: int = 10,
        today: date | None = None,
        explain: bool = False,
        second: Second | None = None,
    ) -> list[Found]:
        """The best `limit` answers to a question by the full ranking (`strata.shadow.ranking`), restricted as in `search`.

        Also gives messages that share no term with the question when those beside them do. `today` is the day that "last week" counts from. With
        `explain` each says why it has its score. With `at` only what was said or happened by then, and entities, and an event counts as superseded
        only by cards from then. `second` mixes another score of messages in. Ordered as in `search`.
        """
        wanted = _filter(kinds, tiers, thread, since, until, forgotten, happened_from, happened_to, at)
        return self._read(lambda now: now.rank(query, wanted, limit, today, explain, second))

    def entries(
        self,
        *,
        kinds: Iterable[str] = (),
        tiers: Iterable[str] = (),
        thread: str = "",
        since: str = "",
        until: str = "",
        forgotten: bool | None = False,
        at: str = "",
    ) -> Iterator[Found]:
        """All entries, restricted as in `rank`: the newest first, those without a time last, then by ref."""
        wanted = _filter(kinds, tiers, thread, since, until, forgotten, at=at)
        found = self._read(lambda now: now.entries(wanted))
        with _damage():
            yield from found

    def find(self, prefix: str) -> list[Found]:
        """The records (no messages) whose ref starts with `prefix`, by ref; forgotten ones too."""
        return self._read(lambda now: now.find(prefix))

    def records_at(self, paths: Iterable[str]) -> dict[str, Found]:
        """For each of these files that holds a record, what is known of it."""
        wanted = list(paths)
        return self._read(lambda now: now.records_at(wanted))

    def citing(self, refs: Iterable[str]) -> list[Found]:
        """The events that cite any of these messages (`blk-…#m3`), or any message of these blocks; no forgotten ones."""
        wanted = list(refs)
        return self._read(lambda now: now.citing(wanted))

    def flagged(self, flag: str) -> list[Found]:
        """The entries that bear one of the flags of `strata.entries`, by ref; no forgotten ones."""
        return self._read(lambda now: now.flagged(flag))

    def turns_since(self, times: Iterable[datetime]) -> list[int]:
        """For each of these times (aware UTC) how many turns of any thread began after it; forgotten ones count, unknown times do not."""
        wanted = list(times)
        return self._read(lambda now: now.turns_since(wanted))

    def telling(self, terms: Iterable[str]) -> dict[str, float]:
        """How telling each of these index terms is, by how few documents have it (idf); one that none has most of all."""
        wanted = list(terms)
        return self._read(lambda now: now.telling(wanted))

    def digests(self) -> list[tuple[int, str]]:
        """Of every message the digest of its passage (`strata.wording`) and its file, newest first."""
        return self._read(lambda now: now.digests())

    def pinned(self) -> set[str]:
        """The files of pinned records, in time that does not grow with what is not pinned."""
        return self._read(lambda now: now.pinned())

    def message_ids(self, thread: str) -> set[str]:
        """The ids of all messages of a thread, sealed or not, forgotten or not."""
        return self._read(lambda now: now.message_ids(thread))

    def has_messages(self, thread: str, ids: Iterable[str]) -> set[str]:
        """Those of `ids` that are messages of the thread; cheap for a few."""
        wanted = list(ids)
        return self._read(lambda now: now.has_messages(thread, wanted))

    def homes(self, thread: str, ids: Iterable[str]) -> dict[str, set[str]]:
        """For each of `ids` that is a message of the thread, the paths of the files that hold it."""
        wanted = list(ids)
        return self._read(lambda now: now.homes(thread, wanted))

    # -- writing -----------------------------------------------------------------------------

    def update(self, changes: Mapping[str, Sequence[Entry] | None], mark: dict[str, Any]) -> None:
        """Replace all entries of each path (None or empty: remove them), commit, and store the mark with the commit.

        After an error nothing has changed. Raises Locked, and ShadowDamaged where there is no usable index.
        """
        from strata.shadow import commit

        batches = commit.batched(changes)
        with commit.locked(self._existing(), commit.WRITING):
            self._read(lambda now: commit.updated(self.directory, self._key, now, changes, batches, mark))

    def remark(self, mark: dict[str, Any]) -> None:
        """Store another mark; the entries stay as they are."""
        from strata.shadow import commit, stamp

        with commit.locked(self._existing(), commit.WRITING):
            found = self._current()
            if found is None:
                raise _absent()
            stamp.save(self.directory, self._key, found._replace(mark=mark))

    def optimize(self) -> None:
        """Merge small segments and drop what was removed, so that searches stay fast; takes seconds at 100,000 entries."""
        from strata.shadow import commit

        with commit.locked(self._existing(), commit.WRITING):
            self._read(lambda now: commit.optimized(self.directory, self._key, now))

    def rebuild(
        self,
        root: Path,
        paths: Sequence[str],
        mark: dict[str, Any],
        *,
        entries: Callable[[str, bytes], list[Entry]],
        progress: Callable[[int, int], None] | None = None,
        processes: int | None = None,
        swapping: AbstractContextManager[None] | None = None,
    ) -> None:
        """Index the files `root/path` anew, beside the index there is, which answers until the new one takes its place.

        `entries` gives the entries of a file; when it is a function at the top of a module and there are many files, `processes` (the number of
        cores by default) share the work. Files that have vanished are left out. `progress` is called with the number of files done and the number
        of all. `swapping` is entered while the new index takes its place.
        """
        from contextlib import nullcontext

        from strata.shadow import rebuild

        rebuild.rebuilt(self.directory, self._key, root, paths, mark, entries, progress, processes, swapping or nullcontext())

    def copy_of(self, source: Path) -> dict[str, Any] | None:
        """Become a copy of the index in another directory, its files shared; the mark of that one, None where there is none. See `copying`."""
        from strata.shadow import copying

        return copying.copied(source, self.directory, self._key)

    def beside(self, directory: Path) -> Shadow:
        """Another index, trusted under the same key."""
        return Shadow(directory, self._key)

    # -- the current stamp and snapshot ------------------------------------------------------

    def _current(self) -> Stamp | None:
        """The stamp, when it is ours and names files that are all there; kept while none of them changes."""
        from strata.shadow import stamp

        if self._seen and stamp.sight(self.directory, self._stamp) == self._seen:
            return self._stamp
        before = stamp.sight(self.directory, None)
        with _damage():
            found = stamp.load(self.directory, self._key)
            while found is not None and not stamp.intact(self.directory, found):  # damaged, or a writer was faster
                again = stamp.load(self.directory, self._key)
                found = None if again == found else again
        after = stamp.sight(self.directory, found) if found is not None else ()
        self._stamp, self._seen = found, after if after[:1] == before else ()
        return found

    def _opened(self) -> Snapshot:
        """The current snapshot; looked for anew when a writer removes its files between the stamp and the opening."""
        from strata.shadow.snapshot import Snapshot

        missing: FileNotFoundError | None = None
        for _ in range(_ATTEMPTS):
            found = self._current()
            if found is None:
                break
            if self._snapshot is not None and self._snapshot.stamp is found:
                return self._snapshot
            try:
                with _damage():
                    self._snapshot = Snapshot(self.directory, found, self._snapshot)
            except FileNotFoundError as error:
                missing, self._seen = error, ()
        raise _absent() from missing

    def _read(self, ask: Callable[[Snapshot], Answer]) -> Answer:
        now = self._opened()
        with _damage():
            return ask(now)

    def _existing(self) -> Path:
        if not self.directory.is_dir():
            raise _absent()
        return self.directory


def _filter(*given: Any, **more: str) -> Filter:
    from strata.shadow.part import checked

    return checked(*given, **more)


def _absent() -> ShadowDamaged:
    return ShadowDamaged("there is no usable index", remedy=_REMEDY)


@contextlib.contextmanager
def _damage() -> Iterator[None]:
    """Whatever goes wrong in the bytes of an index is damage to it."""
    try:
        yield
    except _DAMAGE as error:
        raise ShadowDamaged(f"the index is damaged: {error!r}", remedy=_REMEDY) from error
