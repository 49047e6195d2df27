"""The life of each record as the commits tell it: when its content changed, and how it came to its tier.

Commits are gone through from the first to HEAD, and of each only what differs from its parents is looked at.
Every branch has lives of its own until a merge joins them, so the answer depends on the graph of commits alone,
and a table that was carried on commit by commit equals one made at once.

A record is its path without the tier: what is gone from one tier and new in another has moved, whatever became of
its content. The same bytes gone from one path and new at another were renamed, and their life goes on. Anything
else that is new begins a life, and what is gone has ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from strata.ages import AgeTable, Life, alike
from strata.history import pack, trees
from strata.history.objects import Objects
from strata.layout import TIERS, is_record, kind_of, tier_of
from strata.model import Kind, Progress

Lives = dict[str, Life]
Blobs = dict[str, bytes]  # path -> blob id
Change = tuple[str, bytes | None, bytes | None]  # path, and the ids of its blobs before and after; None: no regular file
Same = Callable[[str, bytes, bytes], bool]  # whether, at this path, two blobs are the same content


class Fact(NamedTuple):
    """What is needed of one commit: its tree, its author's time in Unix seconds, its parents."""

    tree: bytes
    time: int
    parents: tuple[str, ...]


def ages(objects: Objects, head: str | None, before: AgeTable | None = None, progress: Progress | None = None) -> AgeTable:
    """See `History.ages`."""
    if head is None:
        return AgeTable(None, [], {})
    boundary = _boundary(objects)
    if before and before.boundary != boundary:
        before = None  # deepened or cut off since: the oldest commits are others
    if before and before.commit == head:
        return before
    walk = _Walk(objects)
    chain = walk.chain(before.commit, head) if before and before.commit else None
    if before and before.commit and chain:
        return walk.along(chain, {before.commit: dict(before.records)}, before.times, boundary, progress)
    return walk.along(walk.history(head), {}, [], boundary, progress)


class _Walk:
    """One way through the commits of a repository."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._facts: dict[str, Fact] = {}

    def chain(self, start: str, head: str) -> list[str] | None:
        """The commits after `start` up to `head`, if they stand in a row; None where one has several parents, or none."""
        row = []
        id = head
        while id != start:
            row.append(id)
            parents = self._fact(id).parents
            if len(parents) != 1:
                return None
            id = parents[0]
        return row[::-1]

    def history(self, head: str) -> list[str]:
        """All commits up to `head`, parents before their children, else the earlier first; the same in every clone."""
        children: dict[str, list[str]] = {head: []}
        pending = [head]
        while pending:
            id = pending.pop()
            for parent in self._fact(id).parents:
                if parent not in children:
                    children[parent] = []
                    pending.append(parent)
                children[parent].append(id)
        waits = {id: len(self._fact(id).parents) for id in children}
        ready = [(self._fact(id).time, id) for id, count in waits.items() if not count]
        heapify(ready)
        order = []
        while ready:
            _, id = heappop(ready)
            order.append(id)
            for child in children[id]:
                waits[child] -= 1
                if not waits[child]:
                    heappush(ready, (self._fact(child).time, child))
        return order

    def along(self, order: Sequence[str], lives: dict[str, Lives], times: Sequence[int], boundary: tuple[str, ...], progress: Progress | None) -> AgeTable:
        """The table after these commits; `lives` are those after the commit before them, `times` those so far."""
        times = list(times)
        uses = Counter(parent for id in order for parent in self._fact(id).parents)
        for done, id in enumerate(order, start=1):
            tree, time, parents = self._fact(id)
            number = len(times)
            times.append(time)
            sides = []
            for parent in parents:
                uses[parent] -= 1
                side = dict(lives[parent]) if uses[parent] else lives.pop(parent)
                sides.append(self._after(side, self._fact(parent).tree, tree, number))
            lives[id] = _joined(sides, number) if sides else self._after({}, None, tree, number)
            if progress:
                progress(done, len(order))
        return AgeTable(order[-1], times, lives[order[-1]], boundary)

    def _fact(self, id: str) -> Fact:
        fact = self._facts.get(id)
        if fact is None:
            commit = self._objects.commit(id)
            fact = self._facts[id] = Fact(commit.tree_id.raw, commit.author.time, tuple(map(str, commit.parent_ids)))
        return fact

    def _after(self, lives: Lives, old: bytes | None, new: bytes, number: int) -> Lives:
        """`lives` of the tree `old`, changed into those of `new`, the tree of the commit with this number."""
        return _advanced(lives, self._changes(old, new), number, self._same)

    def _changes(self, old: bytes | None, new: bytes) -> Iterator[Change]:
        """The records that differ between two trees."""
        read = self._objects.listing
        before, after = read(old) if old else {}, read(new)
        for tier in map(str.encode, TIERS):
            ends = (_tree(before.get(tier)), _tree(after.get(tier)))
            if ends[0] != ends[1]:
                for raw, *entries in trees.differences(read, *ends, tier + b"/"):
                    path = trees.decode(raw)
                    if _has_a_life(path):
                        was, now = map(_blob, entries)
                        yield path, was, now

    def _same(self, path: str, old: bytes, new: bytes) -> bool:
        return old == new or alike(path, self._objects.blob(old), self._objects.blob(new))


def with_uncommitted(objects: Objects, table: AgeTable, dirty: Mapping[str, bytes | None], now: int) -> AgeTable:
    """See `History.ages_with`."""
    tree = objects.tree_of(table.commit) if table.commit else None
    texts = {pack.blob_id(data): data for data in dirty.values() if data is not None}

    def changes() -> Iterator[Change]:
        for path, data in sorted(dirty.items()):
            if _has_a_life(path):
                was = _blob(trees.find(objects.listing, tree, trees.encode(path)) if tree else None)
                yield path, was, None if data is None else pack.blob_id(data)

    def same(path: str, old: bytes, new: bytes) -> bool:
        return old == new or alike(path, objects.blob(old), texts[new])

    records = _advanced(dict(table.records), changes(), len(table.times), same)
    return AgeTable(table.commit, [*table.times, now], records, table.boundary)


def _advanced(lives: Lives, changes: Iterable[Change], number: int, same: Same) -> Lives:
    """`lives`, changed into those after the commit with this number, which made these changes.

    A life that a table kept from before lacks counts as begun here: better young than lost.
    """
    begun = (number, number, 0, 0)
    gone: Blobs = {}
    fresh: Blobs = {}
    for path, was, now in changes:
        if was and now:
            _, arrived, lifted, _ = lives.get(path, begun)
            if not same(path, was, now):
                lives[path] = (number, arrived, lifted, 1)
        elif was:
            gone[path] = was
        elif now:
            fresh[path] = now
    origins = _origins(gone, fresh)
    ended = {path: lives.pop(path, begun) for path in gone}
    for path, blob in fresh.items():
        origin = origins.get(path)
        if origin is None:
            lives[path] = begun
        elif tier_of(origin) == tier_of(path):
            lives[path] = ended[origin]
        else:
            changed = ended[origin][0] if same(path, gone[origin], blob) else number
            lives[path] = (changed, number, int(_depth(path) < _depth(origin)), 0)
    return lives


def _joined(sides: Sequence[Lives], number: int) -> Lives:
    """The lives after a merge, from what they would be if each side alone had led to it.

    What one side knew already did not happen in the merge; what happened on two sides counts from the later.
    """
    lives, *others = sides
    for other in others:
        for path, life in lives.items():
            if other[path] is not life:
                lives[path] = _joined_life(life, other[path], number)
    return lives


def _joined_life(mine: Life, theirs: Life, number: int) -> Life:
    def before(ordinal: int) -> int:
        return -1 if ordinal == number else ordinal

    changed = max(mine[0], theirs[0], key=before)
    _, arrived, lifted, edited = max(mine, theirs, key=lambda life: (before(life[1]), life[3]))
    return changed, arrived, lifted, edited


def _origins(gone: Blobs, fresh: Blobs) -> dict[str, str]:
    """For each new path that goes on with a life, where that was before: the best match first, else in order of the paths."""
    found: dict[str, str] = {}
    for key in (_by_place_and_bytes, _by_place, _by_name_and_bytes, _by_bytes):
        if len(found) == min(len(gone), len(fresh)):
            break
        taken = set(found.values())
        left: dict[tuple[str | bytes, ...], list[str]] = {}
        for source in sorted(gone.keys() - taken, reverse=True):
            left.setdefault(key(source, gone[source]), []).append(source)
        for target in sorted(fresh.keys() - found.keys()):
            if sources := left.get(key(target, fresh[target])):
                found[target] = sources.pop()
    return found


def _by_place_and_bytes(path: str, blob: bytes) -> tuple[str | bytes, ...]:
    return path.partition("/")[2], blob


def _by_place(path: str, blob: bytes) -> tuple[str | bytes, ...]:
    return (path.partition("/")[2],)


def _by_name_and_bytes(path: str, blob: bytes) -> tuple[str | bytes, ...]:
    return path.rpartition("/")[2], blob


def _by_bytes(path: str, blob: bytes) -> tuple[str | bytes, ...]:
    return (blob,)


def _has_a_life(path: str) -> bool:
    """Whether it is a record; a tail is none, and never moves."""
    return is_record(path) and kind_of(path) != Kind.TAIL


def _blob(entry: trees.Entry | None) -> bytes | None:
    return entry[1] if entry and trees.is_file(entry) else None


def _tree(entry: trees.Entry | None) -> bytes | None:
    return entry[1] if entry and entry[0] == trees.TREE else None


def _depth(path: str) -> int:
    return TIERS.index(tier_of(path))


def _boundary(objects: Objects) -> tuple[str, ...]:
    """The commits whose parents a shallow clone left out (gitrepository-layout(5), `shallow`)."""
    try:
        return tuple(sorted((objects.directory.parent / "shallow").read_text("ascii").split()))
    except FileNotFoundError:
        return ()
