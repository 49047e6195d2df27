"""The provenance of a memory: commits made from values, and what they say.

A commit is built from HEAD's tree and exactly the changed paths, as bytes: no working tree, no
staging, no filters, hooks or signatures have a part in it. The order of effects, and what a crash
after each leaves:

    objects                      nothing visible; git collects them some day
    the note `strata-behind`     the next `align` compares, and finds nothing to do
    the branch moves             the commit stands; git's index is behind, and the note says since when
    git's index (`align`)        true again
    the note is removed          done
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2

from strata import head as head_file
from strata.errors import Conflict, NotFound, UsageError
from strata.history import message, opening, trees
from strata.history.branch import Branch, writing
from strata.history.changes import Changes
from strata.history.objects import Objects
from strata.history.pack import blob_id
from strata.history.staging import Staging
from strata.history.upkeep import Upkeep
from strata.model import HUMAN, Author, Commit, Drop, Edit, Put, Rename

if TYPE_CHECKING:
    from strata.ages import AgeTable

# Who made the commit object; the author is whose change it is. It tells an adopted edit from a commit
# that the same person made by hand.
COMMITTER = Author("strata", "strata@strata.invalid")

_FINISH = {
    "merge": "git merge --continue, or git merge --abort",
    "rebase": "git rebase --continue, or git rebase --abort",
    "cherry-pick": "git cherry-pick --continue, or git cherry-pick --abort",
    "revert": "git revert --continue, or git revert --abort",
    "am": "git am --continue, or git am --abort",
    "bisect": "git bisect reset",
}
_EMPTY_TREE = bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904")


class History(Upkeep):
    """The git repository of one memory."""

    def __init__(self, root: Path) -> None:
        """Open exactly `root`. Raises NotAMemory, Malformed (broken configuration) or Refused (not writable by us)."""
        self.root = Path(root)
        self._repository = opening.open_exactly(self.root)
        self._objects = Objects(self._repository, self.root)
        self._changes = Changes(self._repository, self._objects)
        self._branch = Branch(self._repository, self._objects, self.root, COMMITTER.email)
        self._settled = False
        self._staging = Staging(self._repository, self._objects, self.root, head_file.git_directory(self.root))

    @classmethod
    def create(cls, root: Path) -> History:
        """The repository in `root`, made when there is none, with the settings a memory needs."""
        opening.create(Path(root))
        return cls(root)

    # -- what is there -----------------------------------------------------------------------

    def head(self) -> str | None:
        """The commit HEAD points to; None before the first one."""
        return head_file.head(self.root)

    def changed(self, old: str | None, new: str | None) -> set[str]:
        """The paths whose content differs between two commits (None: nothing there).

        Takes time by the directories that differ, not by the files that exist. Raises NotFound when a
        commit is unknown, as one may be that was rebased away and collected.
        """
        ends = (self._objects.tree_of(commit) if commit else None for commit in (old, new))
        return {trees.decode(path) for path, _, _ in trees.differences(self._objects.listing, *ends)}

    def blob_id(self, path: str, rev: str | None = None) -> str | None:
        """The id of the regular file at `path` in a commit (HEAD); None when there is none."""
        entry = self._entry(path, rev)
        return entry[1].hex() if trees.is_file(entry) else None

    def blob_ids(self, paths: Iterable[str]) -> dict[str, str | None]:
        """The id of the regular file at each path in HEAD."""
        tree = self._tree(None)
        found = {path: trees.find(self._objects.listing, tree, trees.encode(path)) if tree else None for path in paths}
        return {path: entry[1].hex() if trees.is_file(entry) else None for path, entry in found.items()}

    def read(self, path: str, rev: str | None = None) -> bytes:
        """The bytes of the file at `path` in a commit (HEAD). Raises NotFound."""
        entry = self._entry(path, rev)
        if not trees.is_file(entry):
            raise NotFound(f"no such file in {rev or 'the last commit'}", path=path)
        return self._objects.blob(entry[1])

    def listing(self, directory: str, rev: str | None = None) -> dict[str, str]:
        """Name and blob id of the regular files directly in `directory`; empty when it is absent."""
        entry = self._entry(directory.strip("/"), rev)
        rows = self._objects.listing(entry[1]) if entry and entry[0] == trees.TREE else {}
        return {trees.decode(name): row[1].hex() for name, row in rows.items() if trees.is_file(row)}

    def walk(self, rev: str | None = None, under: str = "") -> Iterator[tuple[str, str]]:
        """Path and blob id of every regular file of a commit (HEAD), below `under`, in order."""
        prefix = under.strip("/")
        entry = self._entry(prefix, rev)
        if entry and entry[0] == trees.TREE:
            start = trees.encode(prefix) + b"/" if prefix else b""
            for path, _, row in trees.differences(self._objects.listing, None, entry[1], start):
                if trees.is_file(row):
                    yield trees.decode(path), row[1].hex()

    def resolve(self, text: str) -> str:
        """The commit that `text` means: `HEAD~3`, an id or its beginning, a branch, a tag, or a date.

        A date or time means the last commit before its end, in UTC where it names no zone. Raises NotFound
        for anything else, Ambiguous for a prefix of several ids.
        """
        return self._objects.resolve(text, self.head())

    def log(self, path: str | None = None, *, limit: int | None = None, follow: bool = True) -> list[Commit]:
        """The commits, newest first: all, or those that changed the file at `path`, also under its earlier names."""
        encoded = trees.encode(path) if path else None
        return list(self._changes.log(self.head(), encoded, limit, follow))

    def traces(self, paths: Sequence[str], start: str | None = None) -> Iterator[tuple[str, Commit]]:
        """The commits from `start` (HEAD) back that changed any of these files, newest first, each with the path as it was asked for.

        Each commit's `paths` is what it did to that one file, by the name it had then. One walk for all, and lazily, so that whoever stops pays
        only for what was looked at.
        """
        encoded = [trees.encode(path) for path in paths]
        return ((paths[number], commit) for number, commit in self._changes.traces(start or self.head(), encoded))

    def ages(self, before: AgeTable | None = None, progress: Callable[[int, int], None] | None = None) -> AgeTable:
        """When each record of HEAD last changed and came to its tier; carried on from `before` where the history only went on."""
        from strata.history import lifetimes  # late: 1.5 ms that other commands need not pay

        return lifetimes.ages(self._objects, self.head(), before, progress)

    def ages_with(self, table: AgeTable, dirty: Mapping[str, bytes | None], now: int) -> AgeTable:
        """The table as it would be if these files (None: removed) were committed at `now` (Unix seconds)."""
        from strata.history import lifetimes  # late, as above

        return lifetimes.with_uncommitted(self._objects, table, dirty, now)

    def operations(self) -> Iterator[tuple[str, str, message.Trailers]]:
        """Id, time and trailers of each commit, newest first; what they changed is not looked at."""
        return self._changes.operations(self.head())

    def renames(self, commit: str) -> list[tuple[str, str]]:
        """What a commit moved, as (old path, new path), sorted by the new one."""
        return [(old, path) for status, path, old in self._changes.of(commit) if status == "R"]

    def diff(self, old: str | None, new: str | None, path: str | None = None) -> str:
        """The unified patch from one commit to another (None: nothing there), renames shown as such."""
        ends = (self._tree(commit) if commit else None for commit in (old, new))
        return self._changes.patch(*ends, path)

    def person(self) -> Author:
        """Who the person is to git, by the repository's or their own configuration; HUMAN when it does not say."""
        found = []
        for key, default in (("user.name", HUMAN.name), ("user.email", HUMAN.email)):
            try:
                found.append(self._repository.config[key])
            except (KeyError, ValueError, pygit2.GitError):  # not set, or bytes that are no text
                found.append(default)
        return message.safe(Author(*found))

    # -- writing -----------------------------------------------------------------------------

    def writable(self) -> None:
        """Raise Conflict where a commit by strata would interfere with what a person is in the middle of."""
        if not self._settled:
            opening.settle(self.root)
            self._settled = True
        if operation := head_file.in_progress(self.root):
            raise Conflict(f"a git {operation} is unfinished in this memory", remedy=f"finish it: {_FINISH[operation]}")
        if not head_file.branch(self.root):
            raise Conflict("HEAD is detached: a commit now would belong to no branch", remedy="git switch main, or git switch -c NAME")
        if unmerged := self._staging.unmerged():
            raise Conflict("git has not merged this file yet", path=unmerged, remedy="edit it, then git add it and git commit")

    def commit(
        self,
        edits: Sequence[Edit],
        *,
        author: Author,
        subject: str,
        trailers: message.Trailers = (),
        at: datetime,
        parents: Sequence[str] = (),
    ) -> str | None:
        """Commit `edits` upon HEAD: puts, then renames, then drops. The new id, or None when nothing differs.

        `parents` are further parents, of a merge. Compare and swap, without a lock: when HEAD moved in
        between, nothing is committed and Conflict raised. Durable when it returns.
        """
        if at.tzinfo is None:
            raise UsageError("the time of a commit needs a time zone")
        self.writable()
        head = self.head()
        tree = self._objects.tree_of(head) if head else None
        folder, blobs = trees.Folder(self._objects.listing, tree), {}
        for edit in _in_order(edits):
            match edit:
                case Put(path, data):
                    place, id = trees.encode(path), blob_id(data)
                    folder.put(place, id)
                    if tree is None or trees.find(self._objects.listing, tree, place) != (trees.FILE, id):
                        blobs[id] = data
                case Rename(source, target):
                    folder.rename(trees.encode(source), trees.encode(target))
                case Drop(path):
                    folder.drop(trees.encode(path))
        with writing():
            self._objects.store(blobs)
            new_tree = folder.write(self._objects.write_tree) or self._objects.write_tree(b"")
        if new_tree == (tree or _EMPTY_TREE) and not parents:
            return None
        self._staging.expect(head, [path for edit in edits for path in _touched(edit)])
        signatures = [_signature(message.safe(author), at), _signature(COMMITTER, at)]
        return self._branch.advance(head, *signatures, message.compose(subject, trailers), new_tree, parents)

    def holding_index(self) -> AbstractContextManager[None]:
        """While a commit is made and git's index follows it, no other git commits an index that lags behind."""
        return self._staging.held()

    def align(self, paths: Iterable[str] | None = None, *, since: str | None = None) -> bool:
        """Make git's own index true for `paths`, for what was committed here, and for what a crash left behind.

        `since` is a commit the index was last known true for: entries that still equal it follow HEAD. Whatever
        else differs from HEAD was staged by a person and stays. False when the index could not be written
        (another git holds it): the next call catches up.
        """
        head = self.head()
        return head is None or self._staging.align(head, [trees.encode(path) for path in paths or ()], since)

    # -- inside ------------------------------------------------------------------------------

    def _tree(self, rev: str | None) -> bytes | None:
        """The tree of a commit (HEAD); None before the first one."""
        commit = self.resolve(rev) if rev else self.head()
        return self._objects.tree_of(commit) if commit else None

    def _entry(self, path: str, rev: str | None) -> trees.Entry | None:
        tree = self._tree(rev)
        return trees.find(self._objects.listing, tree, trees.encode(path) if path else b"") if tree else None


def _in_order(edits: Sequence[Edit]) -> list[Edit]:
    """Puts, renames, drops; but first the drops of what nothing else touches, which may make way for a directory."""
    written = {path for edit in edits if not isinstance(edit, Drop) for path in _touched(edit)}
    first = [edit for edit in edits if isinstance(edit, Drop) and trees.encode(edit.path) not in written]
    last = [edit for edit in edits if isinstance(edit, Drop) and trees.encode(edit.path) in written]
    return [*first, *(e for e in edits if isinstance(e, Put)), *(e for e in edits if isinstance(e, Rename)), *last]


def _touched(edit: Edit) -> list[bytes]:
    match edit:
        case Rename(source, target):
            return [trees.encode(source), trees.encode(target)]
        case Put(path) | Drop(path):
            return [trees.encode(path)]


def _signature(author: Author, at: datetime) -> pygit2.Signature:
    """In UTC; git knows no times before 1970."""
    return pygit2.Signature(author.name, author.email, max(0, int(at.timestamp())), 0, "utf-8")
