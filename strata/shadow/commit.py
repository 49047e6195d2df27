"""Changes to the index: what each commit writes, in which order, and which segments it merges."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

from whoosh.util.filelock import FileLock, try_for

from strata.errors import Locked
from strata.model import Entry
from strata.shadow import stamp as stamps
from strata.shadow.batch import Batch
from strata.shadow.segment import MOST_DOCUMENTS
from strata.shadow.snapshot import Snapshot
from strata.shadow.stamp import Part, Stamp

WRITING = "writing.lock"
REBUILDING = "rebuilding.lock"

_FANOUT = 8  # segments of one size class are merged when there are this many
_MOST_MERGED = 4096  # documents that one update merges at most: about a quarter of a second
_LARGE = 16_384  # documents of a segment that `optimize` leaves alone
_PATIENCE = 30.0  # seconds


@contextlib.contextmanager
def locked(directory: Path, name: str, patience: float = _PATIENCE) -> Iterator[None]:
    """Hold a lock of the kernel, which dies with its process. Raises Locked."""
    lock = FileLock(str(directory / name))
    if not try_for(lock.acquire, timeout=patience, delay=0.02):
        raise Locked("another process is writing the index", remedy="try again when it has finished")
    try:
        yield
    finally:
        lock.release()


def batched(changes: Mapping[str, Sequence[Entry] | None]) -> list[Batch]:
    """The new entries, in batches that fit a segment; at least one, of which the last may be empty."""
    batches = [Batch()]
    for entries in changes.values():
        for entry in entries or ():
            if batches[-1].full:
                batches.append(Batch())
            batches[-1].add(entry)
    return batches


def updated(directory: Path, key: bytes, now: Snapshot, paths: Iterable[str], batches: list[Batch], mark: dict[str, Any]) -> Stamp:
    """Replace the entries of the paths by those of the batches, commit, and return the new stamp. The lock is held."""
    dead = [set(part.dead) for part in now.stamp.parts]
    for path in paths:
        for gone, documents in zip(dead, now.documents(path), strict=True):
            gone.update(documents)
    listed = [(part, gone) for part, gone in zip(now.stamp.parts, dead, strict=True) if len(gone) < part.documents]
    merged = _to_merge(len(batches[-1]), listed)
    segments = {named.name: part.segment for named, part in zip(now.stamp.parts, now.parts, strict=True)}
    for part, gone in merged:
        batches[-1].absorb(segments[part.name], gone)
    kept = [Part(part.name, part.documents, tuple(sorted(gone)), part.signature) for part, gone in listed if (part, gone) not in merged]
    home = directory / now.stamp.live
    sweep(directory, now.stamp)
    kept += [written(home, each) for each in batches if len(each)]
    return _committed(directory, key, now.stamp, kept, mark)


def optimized(directory: Path, key: bytes, now: Snapshot) -> Stamp:
    """Merge small segments and drop removed documents, in memory that does not grow with the index. The lock is held."""
    home = directory / now.stamp.live
    pairs = sorted(zip(now.stamp.parts, now.parts, strict=True), key=lambda pair: pair[1].living)
    kept = [named for named, part in pairs if part.living >= _LARGE and len(part.dead) * 10 < part.living]
    rest = [(named, part) for named, part in pairs if named not in kept]
    if len(rest) < 2 and not any(part.dead for _, part in rest):
        return now.stamp
    sweep(directory, now.stamp)
    batch = Batch()
    for _, part in rest:
        if batch.full or len(batch) + part.living > MOST_DOCUMENTS:
            kept.append(written(home, batch))
            batch = Batch()
        batch.absorb(part.segment, part.dead)
    if len(batch):
        kept.append(written(home, batch))
    return _committed(directory, key, now.stamp, kept, now.stamp.mark)


def written(home: Path, batch: Batch) -> Part:
    """Write a batch as a new segment."""
    name = f"MAIN_{token_hex(8)}.seg"
    batch.write(home / name)
    return Part(name, len(batch), (), stamps.signature(home / name))


def contents(home: Path, generation: int, parts: Sequence[Part]) -> str:
    """Write the table of contents durably and return its digest."""
    from strata.shadow.codec import write_contents

    write_contents(home, generation, [(part.name, part.documents, part.dead) for part in parts])
    with open(home / stamps.toc_name(generation), "r+b") as file:
        data = file.read()
        os.fsync(file.fileno())
    return stamps.digest(data)


def sweep(directory: Path, stamp: Stamp) -> None:
    """Remove files of the live folder that the stamp does not name. One that is held open (Windows) waits for the next sweep."""
    named = {part.name for part in stamp.parts} | {stamps.toc_name(stamp.generation)}
    for name in os.listdir(directory / stamp.live):
        if name not in named:
            with contextlib.suppress(PermissionError, FileNotFoundError, IsADirectoryError):
                os.unlink(directory / stamp.live / name)


def _committed(directory: Path, key: bytes, before: Stamp, parts: Sequence[Part], mark: dict[str, Any]) -> Stamp:
    generation = before.generation + 1
    code = contents(directory / before.live, generation, parts)
    after = Stamp(before.live, generation, tuple(parts), mark, code)
    stamps.save(directory, key, after)
    sweep(directory, after)
    return after


def _to_merge(count: int, parts: list[tuple[Part, set[int]]]) -> list[tuple[Part, set[int]]]:
    """Which segments to merge with `count` new documents: eight of a size make one of the next, up to a bound.

    So each document is rewritten a few times in its life, and n updates of one entry leave n / 512 segments
    and a dozen small ones, until `optimize`.
    """
    chosen: list[tuple[Part, set[int]]] = []
    rest = sorted(parts, key=lambda pair: _living(*pair))
    size = _FANOUT
    while size <= _MOST_MERGED:
        alike = [pair for pair in rest if size <= _living(*pair) * _FANOUT < size * _FANOUT]
        total = count + sum(_living(*pair) for pair in alike)
        if count < size and len(alike) >= _FANOUT - 1 and total <= _MOST_MERGED:
            chosen += alike
            rest = [pair for pair in rest if pair not in alike]
            count = total
        size *= _FANOUT
    wasteful = [pair for pair in rest if len(pair[1]) > _living(*pair) and pair[0].documents <= _MOST_MERGED]
    return chosen + wasteful[:1]


def _living(part: Part, gone: set[int]) -> int:
    return part.documents - len(gone)
