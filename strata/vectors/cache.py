"""Vectors by the digest of the text they stand for, kept in one file per model."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strata.errors import OutsideMemory, UsageError
from strata.model import Progress
from strata.vectors import SUFFIX, erase
from strata.vectors.model import Model
from strata.vectors.rows import CHUNK, Layout

BATCH = 16  # texts that are embedded, and then kept, at once: what is lost by an interruption
BATCH_CHARACTERS = 2000  # and what they have together, so that a batch of long ones takes no longer
SEARCH_TEXTS = 200  # new texts that one search embeds at most
SEARCH_SECONDS = 2.0  # and for how long


class Vectors:
    """The vectors of one model below `directory`.

    Whatever is not there, torn or another's is unknown, and is made anew when it is asked for. Several processes may
    read and write at once; `lock` gives what a writer holds while it changes the file, which takes milliseconds:
    no text is embedded inside it.
    """

    def __init__(self, directory: Path, model: Model, lock: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        if not model.name or not all(char.isascii() and (char.isalnum() or char in "-_.") for char in model.name) or model.name.startswith("."):
            raise UsageError(f"a model cannot be called {model.name!r}", remedy="use letters, digits, '-', '_' and '.'")
        self.model = model
        self.place = directory / f"{model.name}{SUFFIX}"
        self._layout = Layout(model.name, model.dimensions)
        self._lock = lock
        self._state: tuple[int, ...] | None = None
        self._rows: NDArray[np.void] = np.zeros(0, self._layout.dtype)
        self._digests: NDArray[np.uint64] = np.zeros(0, np.uint64)  # sorted
        self._numbers: NDArray[np.intp] = np.zeros(0, np.intp)  # of the row, for each digest

    # -- reading -----------------------------------------------------------------------------

    def known(self, digests: Iterable[int]) -> set[int]:
        """Those of the digests that have a vector."""
        wanted = list(digests)
        return {digest for digest, number in zip(wanted, self._find(wanted).tolist(), strict=True) if number >= 0}

    def __len__(self) -> int:
        """How many texts have a vector."""
        self._look()
        return len(self._digests)

    def similar(self, question: str, digests: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.float32]:
        """The cosine between the question and each text, in the order of the digests; NaN for one that has no vector yet."""
        numbers = self._find(digests)
        rows, places = np.unique(numbers, return_inverse=True)  # in the order of the file: chunks of it are read without a copy
        cosines = np.full(len(rows), np.nan, np.float32)
        first = int(np.searchsorted(rows, 0))
        if first == len(rows):
            return cosines[places]
        asked = np.zeros(self._layout.dtype["vector"].shape[0], np.float32)
        asked[: self.model.dimensions] = self.model.questions([question])[0]
        for begin in range(first, len(rows), CHUNK):
            part = rows[begin : begin + CHUNK]
            some = self._rows[part[0] : part[-1] + 1] if part[-1] - part[0] == len(part) - 1 else self._rows[part]
            cosines[begin : begin + CHUNK] = (some["vector"].astype(np.float32) @ asked) * some["scale"]
        return cosines[places]

    # -- writing -----------------------------------------------------------------------------

    def add(self, texts: Mapping[int, str], progress: Progress | None = None, *, most: int | None = None, seconds: float | None = None) -> int:
        """Embed the texts that have no vector, in their order; how many got one.

        A text without a letter or a digit gets none: to a model it is a little like everything, and would be found first.
        Each batch is kept before the next begins, so an interrupted call goes on where it stopped. `most` and
        `seconds` bound what one call does (a search passes SEARCH_TEXTS and SEARCH_SECONDS): at least one batch.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        known = self.known(texts)
        missing = list(islice((digest for digest, text in texts.items() if digest not in known and any(map(str.isalnum, text))), most))
        done = 0
        for batch in _batches(missing, texts):
            if done and deadline is not None and time.monotonic() >= deadline:
                break
            self._keep(batch, self.model.passages([texts[digest] for digest in batch]))
            done += len(batch)
            if progress:
                progress(done, len(missing))
        return done

    def retain(self, digests: Iterable[int], *, exactly: bool = False) -> int:
        """Let go of the vectors of texts that are not among `digests`; how many went.

        The file is only written anew when at least half of it is of no use, or when it must hold `exactly` these,
        and other models' files must go: a vector tells something of its text, so what is purged must not stay.
        OSError then says that something did stay.
        """
        with self._lock():
            found = self._find(list(digests))
            kept = np.unique(found[found >= 0])
            gone, dead = len(self._digests) - len(kept), len(self._rows) - len(kept)
            if not exactly and dead * 2 < len(self._rows) or not os.path.lexists(self.place):
                gone = 0
            else:
                rows = self._rows[kept]
                self._forget()  # Windows replaces no file that is mapped
                try:
                    self._layout.replace(self.place, rows)
                except PermissionError:
                    if exactly:
                        raise
                    gone = 0  # Windows, while another process has it open: the next time will do
        if exactly:
            erase(self.place.parent, but=self.place.name)
        return gone

    def _keep(self, digests: Sequence[int], vectors: NDArray[np.float32]) -> None:
        rows = self._layout.encoded(np.array(digests, np.uint64), vectors)
        folder = self.place.parent
        if folder.is_symlink():
            raise OutsideMemory("the folder of vectors is a symbolic link", path=folder.name, remedy="remove the link; the vectors are made anew")
        folder.mkdir(parents=True, exist_ok=True)
        with self._lock():
            if self._layout.owns(self.place):
                self._layout.append(self.place, rows)
            else:
                self._layout.replace(self.place, rows)

    # -- the file ----------------------------------------------------------------------------

    def _find(self, digests: ArrayLike) -> NDArray[np.intp]:
        """The number of the row for each digest; -1 where there is none."""
        self._look()
        wanted = np.asarray(digests, np.uint64)
        if not len(self._digests):
            return np.full(len(wanted), -1, np.intp)
        at = np.minimum(np.searchsorted(self._digests, wanted), len(self._digests) - 1)
        return np.where(self._digests[at] == wanted, self._numbers[at], -1)

    def _look(self) -> None:
        """Map the file anew when it is another one than at the last look."""
        try:
            state = os.lstat(self.place)
            now: tuple[int, ...] | None = (state.st_ino, state.st_dev, state.st_size, state.st_mtime_ns)
        except OSError:
            now = None
        if now == self._state:
            return
        self._forget()
        rows = self._layout.mapped(self.place)
        numbers = np.flatnonzero(self._layout.sound(rows))
        digests, first = np.unique(rows["digest"][numbers], return_index=True)  # two writers may have kept the same text
        self._state, self._rows, self._digests, self._numbers = now, rows, digests, numbers[first]

    def _forget(self) -> None:
        self._state = None
        self._rows = np.zeros(0, self._layout.dtype)
        self._digests = np.zeros(0, np.uint64)
        self._numbers = np.zeros(0, np.intp)


def _batches(digests: Iterable[int], texts: Mapping[int, str]) -> Iterator[list[int]]:
    """The digests in their order, a few at a time."""
    batch: list[int] = []
    characters = 0
    for digest in digests:
        if batch and (len(batch) == BATCH or characters + len(texts[digest]) > BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(digest)
        characters += len(texts[digest])
    if batch:
        yield batch
