"""What a commit changed and which commits changed a file, across renames.

Git records no renames; they are found again here: the same bytes gone from one path and new at
another; the same path in another tier, even with a changed header; else what libgit2 finds similar.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pygit2
from pygit2.enums import DiffFind, DiffOption, SortMode

from strata.history import message, trees
from strata.history.objects import Objects
from strata.model import Author, Commit

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
