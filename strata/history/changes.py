"""What a commit changed and which commits changed a file, across renames.

Git records no renames; they are found again here: the same bytes gone from one path and new at
another; the same path in another tier, even with a changed header; else what libgit2 finds similar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pygit2
from pygit2.enums import DiffFind, DiffOption, SortMode

from strata.history import message, trees
from strata.history.objects import Objects
from strata.model import Author, Commit

_Branches = dict[bytes, tuple[set[int], Any]]  # by name: the numbers of the file, and in turn what is wanted below a directory
Change = tuple[str, str, str]  # status A, M, D or R; path; old path of a rename

_SIMILAR = 50  # percent, git's own default
_TIERS = ("active/", "cooled/", "archive/")


class Changes:
    """Differences between trees of one repository, with renames."""

    def __init__(self, repository: pygit2.Repository, objects: Objects) -> None:
        self._repository = repository
        self._objects = objects

    def log(self, head: str | None, path: bytes | None, limit: int | None, follow: bool) -> Iterator[Commit]:
        """Commits from `head` back, newest first: all, or those that changed the file at `path`.

        Of a merge, what differs from its first parent; a file's log lists a merge only when the file
        differs there from every parent. A shallow clone's log ends where its history does.
        """
        if head is None or limit == 0:
            return
        found = 0
        for commit in self._repository.walk(head, SortMode.NONE):
            if path is not None and not self._touches(commit, path):
                continue
            changes = self._of(commit)
            yield _as_value(commit, changes)
            found += 1
            if found == limit:
                return
            if path is not None and follow:
                path = _earlier(path, changes)

    def traces(self, head: str | None, paths: Sequence[bytes]) -> Iterator[tuple[int, Commit]]:
        """The commits from `head` back that changed any of these files, each with the number of its path in `paths`, newest first.

        A commit's `paths` is the one change of that file. Every file is followed through renames, as `log` does, but in one walk
        that reads a directory only where it changed and a file that is asked for lies below it.
        """
        names = dict(enumerate(paths))
        wanted = _branching(names)
        for commit in self._repository.walk(head, SortMode.NONE) if head else ():
            parents: list[bytes | None] = [parent.tree_id.raw for parent in commit.parents] or [None]
            changed = self._changed(wanted, parents[0], commit.tree_id.raw)
            for parent in parents[1:]:  # of a merge: what differs from every parent
                changed &= self._changed(wanted, parent, commit.tree_id.raw)
            before = dict(names)
            for number in sorted(changed):
                change = self._change(commit, parents[0], names[number])
                names[number] = trees.encode(change[2] or change[1])
                yield number, _as_value(commit, (change,))
            if names != before:
                wanted = _branching(names)

    def _changed(self, wanted: _Branches, old: bytes | None, new: bytes | None) -> set[int]:
        """Which of the files below differ between two trees."""
        if old == new or (old and new and all(not folder and trees.same(self._objects.tree(old), self._objects.tree(new), name) for name, (_, folder) in wanted.items())):
            return set()
        before = self._objects.listing(old) if old else {}
        after = self._objects.listing(new) if new else {}
        found: set[int] = set()
        for name, (files, folder) in wanted.items():
            was, now = before.get(name), after.get(name)
            if was != now:
                found |= files
                if folder:
                    found |= self._changed(folder, was[1] if was and was[0] == trees.TREE else None, now[1] if now and now[0] == trees.TREE else None)
        return found

    def _change(self, commit: pygit2.Commit, parent: bytes | None, path: bytes) -> Change:
        """What a commit did to one file; only where it came or went the others are looked at, for a rename."""
        was, now = (trees.find(self._objects.listing, tree, path) if tree else None for tree in (parent, commit.tree_id.raw))
        name = trees.decode(path)
        if was and now:
            return "M", name, ""
        return next((change for change in self._of(commit) if name == change[1]), ("A" if now else "D", name, ""))

    def operations(self, head: str | None) -> Iterator[tuple[str, str, message.Trailers]]:
        """Id, time and trailers of each commit from `head` back."""
        for commit in self._repository.walk(head, SortMode.NONE) if head else ():
            yield str(commit.id), _when(commit.author.time, commit.author.offset), message.split(commit.raw_message.decode("utf-8", "replace"))[1]

    def of(self, commit: str) -> tuple[Change, ...]:
        """What a commit changed, against its first parent."""
        return self._of(self._objects.commit(commit))

    def patch(self, old: bytes | None, new: bytes | None, path: str | None) -> str:
        """The unified patch between two trees; with `path`, of that file alone, under either of its names."""
        flags = DiffOption.NORMAL
        diff = self._diff(old, new, flags)
        pieces = []
        for number, delta in enumerate(diff.deltas):
            if path is None or path in (_name(delta.old_file), _name(delta.new_file)):
                patch = diff[number]
                pieces.append(patch.data.decode("utf-8", "replace") if patch else "")
        return "".join(pieces)

    def between(self, old: bytes | None, new: bytes | None) -> tuple[Change, ...]:
        """Each changed path between two trees, renames joined, sorted by path."""
        read = self._objects.listing
        gone: dict[bytes, trees.Entry] = {}
        fresh: dict[bytes, trees.Entry] = {}
        changes: list[Change] = []
        for path, was, now in trees.differences(read, old, new):
            if was and now:
                changes.append(("M", trees.decode(path), ""))
            elif was:
                gone[path] = was
            elif now:
                fresh[path] = now
        for source, target in self._renames(gone, fresh, old, new):
            changes.append(("R", trees.decode(target), trees.decode(source)))
            del gone[source], fresh[target]
        changes += [("D", trees.decode(path), "") for path in gone] + [("A", trees.decode(path), "") for path in fresh]
        return tuple(sorted(changes, key=lambda change: change[1]))

    def _renames(
        self, gone: dict[bytes, trees.Entry], fresh: dict[bytes, trees.Entry], old: bytes | None, new: bytes | None
    ) -> list[tuple[bytes, bytes]]:
        left, pairs = dict(gone), {}
        by_id: dict[bytes, list[bytes]] = {}
        for source, entry in gone.items():
            by_id.setdefault(entry[1], []).append(source)
        elsewhere = [(target, _in_tiers(target)) for target in fresh]
        for target, others in elsewhere:
            same = [source for source in by_id.get(fresh[target][1], ()) if source in left]
            source = next((other for other in others if other in left), None) or (min(same) if same else None)
            if source:
                pairs[target] = source
                del left[source]
        rest = [target for target in fresh if target not in pairs]
        if left and rest:
            for delta in self._diff(old, new, DiffOption.NORMAL).deltas:
                source, target = delta.old_file.raw_path, delta.new_file.raw_path
                if source != target and source in left and target in fresh and target not in pairs:
                    pairs[target] = source
                    del left[source]
        return [(source, target) for target, source in pairs.items()]

    def _diff(self, old: bytes | None, new: bytes | None, flags: DiffOption) -> pygit2.Diff:
        before, after = (self._repository[pygit2.Oid(raw=tree or self._objects.write_tree(b""))] for tree in (old, new))
        diff = before.diff_to_tree(after, flags=flags)
        diff.find_similar(DiffFind.FIND_RENAMES, rename_threshold=_SIMILAR)
        return diff

    def _touches(self, commit: pygit2.Commit, path: bytes) -> bool:
        here = self._entry(commit, path)
        parents = commit.parents
        return all(self._entry(parent, path) != here for parent in parents) if parents else here is not None

    def _of(self, commit: pygit2.Commit) -> tuple[Change, ...]:
        parents = commit.parents
        return self.between(parents[0].tree_id.raw if parents else None, commit.tree_id.raw)

    def _entry(self, commit: pygit2.Commit, path: bytes) -> trees.Entry | None:
        return trees.find(self._objects.listing, commit.tree_id.raw, path)


def _earlier(path: bytes, changes: tuple[Change, ...]) -> bytes:
    """What `path` was called before these changes."""
    name = trees.decode(path)
    return next((trees.encode(old) for status, new, old in changes if status == "R" and new == name), path)


def _branching(names: Mapping[int, bytes]) -> _Branches:
    """Numbered paths as nested directories."""
    found: _Branches = {}
    for number, path in names.items():
        *folders, name = path.split(b"/")
        below = found
        for folder in folders:
            below = below.setdefault(folder, (set(), {}))[1]
        below.setdefault(name, (set(), {}))[0].add(number)
    return found


def _in_tiers(path: bytes) -> list[bytes]:
    tier, _, rest = path.partition(b"/")
    own = tier + b"/"
    tiers = [name.encode() for name in _TIERS]
    return [other + rest for other in tiers if other != own] if own in tiers else []


def _name(file: pygit2.DiffFile) -> str:
    return trees.decode(file.raw_path)


def _as_value(commit: pygit2.Commit, changes: tuple[Change, ...]) -> Commit:
    subject, trailers = message.split(commit.raw_message.decode("utf-8", "replace"))
    author = commit.author
    name, email = (raw.decode("utf-8", "replace") for raw in (author.raw_name, author.raw_email))
    return Commit(str(commit.id), _when(author.time, author.offset), Author(name, email), subject, trailers, changes)


def _when(seconds: int, offset_minutes: int) -> str:
    """A commit's time in ISO 8601, at the offset it was made at."""
    zone = timezone(timedelta(minutes=offset_minutes)) if 0 < abs(offset_minutes) < 24 * 60 else UTC
    return (datetime.fromtimestamp(0, zone) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
