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
from strata.shadow.part import Part as Opened
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


def tier_of(path: str) -> str:
    """The first component of a path."""
    return path.partition("/")[0]


def batched(changes: Mapping[str, Sequence[Entry] | None]) -> list[Batch]:
    """The new entries, in batches that fit a segment; of each tier all but the last are full."""
    full: list[Batch] = []
    open_: dict[str, Batch] = {}
    for path, entries in changes.items():
        tier = tier_of(path)
        for entry in entries or ():
            batch = open_.get(tier)
            if batch is None or batch.full:
                full += [batch] if batch else []
                batch = open_[tier] = Batch(tier)
            batch.add(entry)
    return [*full, *open_.values()]


def updated(directory: Path, key: bytes, now: Snapshot, paths: Iterable[str], batches: list[Batch], mark: dict[str, Any]) -> Stamp:
    """Replace the entries of the paths by those of the batches, commit, and return the new stamp. The lock is held."""
    dead = [set(part.dead) for part in now.stamp.parts]
    for path in paths:
        for gone, documents in zip(dead, now.documents(path), strict=True):
            gone.update(documents)
    listed = [(part, gone) for part, gone in zip(now.stamp.parts, dead, strict=True) if len(gone) < part.documents]
    segments = {named.name: part.segment for named, part in zip(now.stamp.parts, now.parts, strict=True)}
    open_ = {batch.tier: batch for batch in batches}
    merged: list[tuple[Part, set[int]]] = []
    for tier in dict.fromkeys([*open_, *(segment.tier for segment in segments.values())]):
        batch = open_.get(tier) or Batch(tier)
        chosen = _to_merge(len(batch), [pair for pair in listed if segments[pair[0].name].tier == tier])
        for part, gone in chosen:
            batch.absorb(segments[part.name], gone)
        batches += [batch] if chosen and tier not in open_ else []
        merged += chosen
    kept = [Part(part.name, part.documents, tuple(sorted(gone)), part.signature) for part, gone in listed if (part, gone) not in merged]
    home = directory / now.stamp.live
    sweep(directory, now.stamp)
    kept += [written(home, each) for each in batches]
    return _committed(directory, key, now.stamp, kept, mark)


def optimized(directory: Path, key: bytes, now: Snapshot) -> Stamp:
    """Merge small segments and drop removed documents, in memory that does not grow with the index. The lock is held."""
    home = directory / now.stamp.live
    kept: list[Part] = []
    rest: dict[str, list[tuple[Part, Opened]]] = {}
    for named, part in sorted(zip(now.stamp.parts, now.parts, strict=True), key=lambda pair: pair[1].living):
        if part.living >= _LARGE and len(part.dead) * 10 < part.living:
            kept.append(named)
        else:
            rest.setdefault(part.segment.tier, []).append((named, part))
    if not any(len(pairs) > 1 or pairs[0][1].dead for pairs in rest.values()):
        return now.stamp
    sweep(directory, now.stamp)
    for tier, pairs in rest.items():
        if len(pairs) == 1 and not pairs[0][1].dead:
            kept.append(pairs[0][0])
            continue
        batch = Batch(tier)
        for _, part in pairs:
            if batch.full or len(batch) + part.living > MOST_DOCUMENTS:
                kept.append(written(home, batch))
                batch = Batch(tier)
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
    wasteful = [pair for pair in rest if len(pair[1]) > _living(*pair) and pair[0].documents <= min(_MOST_MERGED, MOST_DOCUMENTS - count)]
    return chosen + wasteful[:1]


def _living(part: Part, gone: set[int]) -> int:
    return part.documents - len(gone)
