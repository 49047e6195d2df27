"""The file of vectors: a header and rows of one width, each checked by itself.

    header  64 bytes: the format, a digest of the model's name, zeros
    row     the text's digest (8), scale (4), one signed byte per dimension, check (4); little-endian

A vector is its bytes times the scale, which is above 0, so a row of zeros is none. The check is a sum over the row's
32-bit words with odd factors. It guards against accidents; what somebody forges on purpose can change an order of
hits and nothing else, since no row is code.
The file only grows, until it is replaced as a whole: a torn end is filled up to a whole row, never cut off, because
another process may have mapped it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

FORMAT = b"strata vectors 1\n"
HEADER = 64
CHUNK = 2048  # rows that are turned into floats at once: they stay in the processor's cache
_WORD = 4


def header(name: str) -> bytes:
    """The first bytes of the file of a model."""
    return (FORMAT + blake2b(name.encode("utf-8"), digest_size=16).digest()).ljust(HEADER, b"\0")


class Layout:
    """What the file of one model looks like."""

    def __init__(self, name: str, dimensions: int) -> None:
        if dimensions < 1:
            raise ValueError("a vector has at least one dimension")
        padded = -(-dimensions // _WORD) * _WORD
        self.header = header(name)
        self.dimensions = dimensions
        self.dtype = np.dtype([("digest", "<u8"), ("scale", "<f4"), ("vector", "i1", (padded,)), ("check", "<u4")])
        self._words = self.dtype.itemsize // _WORD
        self._factors = (np.arange(1, self._words, dtype=np.uint32) * np.uint32(2654435761)) | np.uint32(1)

    def encoded(self, digests: NDArray[np.uint64], vectors: NDArray[np.float32]) -> NDArray[np.void]:
        """Rows for vectors: the largest number of each becomes 127."""
        finite = np.nan_to_num(vectors.astype(np.float32, copy=False), nan=0.0, posinf=0.0, neginf=0.0)
        largest = np.abs(finite).max(axis=1)
        scale = np.where(largest > 0, largest / 127, np.float32(1)).astype("<f4")
        rows = np.zeros(len(digests), self.dtype)
        rows["digest"] = digests
        rows["scale"] = scale
        rows["vector"][:, : self.dimensions] = np.rint(finite / scale[:, None])
        rows["check"] = self._sums(rows)
        return rows

    def sound(self, rows: NDArray[np.void]) -> NDArray[np.bool_]:
        """Which rows are whole."""
        scale = rows["scale"]
        with np.errstate(invalid="ignore"):
            sound: NDArray[np.bool_] = (rows["check"] == self._sums(rows)) & (scale > 0) & (scale <= 1)
        return sound

    def _sums(self, rows: NDArray[np.void]) -> NDArray[np.uint32]:
        words = np.ndarray((len(rows), self._words), "<u4", buffer=rows)
        sums = np.empty(len(rows), np.uint32)
        for begin in range(0, len(rows), CHUNK):
            sums[begin : begin + CHUNK] = words[begin : begin + CHUNK, :-1] @ self._factors
        return sums

    # -- on disk -----------------------------------------------------------------------------

    def mapped(self, place: Path) -> NDArray[np.void]:
        """The whole rows of the file, mapped; none when it is missing, no regular file, or not this model's."""
        with self._opened(place) as file:
            count = (os.fstat(file.fileno()).st_size - HEADER) // self.dtype.itemsize if file else 0
            return np.memmap(file, self.dtype, "r", HEADER, (count,)) if file and count else np.zeros(0, self.dtype)

    def owns(self, place: Path) -> bool:
        """Whether rows may be added to the file that is there."""
        with self._opened(place) as file:
            return file is not None

    @contextlib.contextmanager
    def _opened(self, place: Path) -> Iterator[BinaryIO | None]:
        """The file behind its header; None unless it is a regular file of this model, reached by no link."""
        try:
            descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            yield None
            return
        with os.fdopen(descriptor, "rb") as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode) and not place.is_symlink()
            yield file if regular and file.read(HEADER) == self.header else None

    def append(self, place: Path, rows: NDArray[np.void]) -> None:
        """Add rows at the end. Whoever calls holds the lock."""
        with open(place, "ab") as file:
            torn = (file.tell() - HEADER) % self.dtype.itemsize
            file.write((b"\0" * (self.dtype.itemsize - torn) if torn else b"") + rows.tobytes())

    def replace(self, place: Path, rows: NDArray[np.void]) -> None:
        """Make a file of exactly these rows. Whoever calls holds the lock; OSError where the old one cannot be replaced."""
        temp = place.with_name(f".strata-{os.urandom(8).hex()}.tmp")
        try:
            with open(temp, "xb") as file:
                file.write(self.header + rows.tobytes())
                file.flush()
                os.fsync(file.fileno())
            os.replace(temp, place)
        except BaseException:
            temp.unlink(missing_ok=True)
            raise
