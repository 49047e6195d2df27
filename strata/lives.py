"""Since when each record has been as it is: what git says, kept beside the memory, and edits that are not committed yet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from strata.ages import AgeTable
from strata.files.durable import write_cache
from strata.janitor import Life
from strata.model import Progress

if TYPE_CHECKING:
    from strata.store import Store

FEW_COMMITS, FEW_RECORDS = 16, 2000  # a large table is not kept anew for a few commits: they are gone through again in a moment


class Lives:
    """The ages of one memory's records. The table is a cache of git's history: it can be deleted at any time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._table: AgeTable | None = None
        self._saved = -FEW_COMMITS  # commits that the kept table reflects

    @property
    def _place(self) -> Path:
        return self._store.files.local / "ages.json"

    def known(self) -> bool:
        """Whether the ages were worked out before, so that to bring them up to date is quick."""
        return self._table is not None or self._place.exists()

    def table(self, progress: Progress | None = None) -> AgeTable:
        """What git says up to its last commit."""
        if self._table is None:
            self._table = self._load()
        table = self._store.history.ages(self._table, progress)
        behind = len(table.times) - self._saved  # commits; a full walk may also leave fewer
        if not 0 <= behind < (FEW_COMMITS if len(table.records) > FEW_RECORDS else 1):
            self._save(table)
        self._table = table
        return table

    def rows(self, now: int, progress: Progress | None = None, *, settled: bool = False) -> list[Life]:
        """Every record with its times; what was edited and not committed counts as changed now.

        The index is brought up to date, unless all is `settled`, as it is right after a write.
        """
        table = self.table(progress)
        dirty = {} if settled else self._store.uncommitted()
        return list(self._store.history.ages_with(table, dirty, now).rows(now) if dirty else table.rows(now))

    def _load(self) -> AgeTable | None:
        try:
            table = AgeTable.load(self._place.read_bytes())
        except OSError:
            return None
        self._saved = len(table.times) if table else self._saved
        return table

    def _save(self, table: AgeTable) -> None:
        try:
            self._store.files.make_local()
            write_cache(self._place, table.dump())
            self._saved = len(table.times)
        except OSError as error:
            self._store.warn(f"how old the records are will be worked out again the next time: {error}")
