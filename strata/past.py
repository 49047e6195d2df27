"""Records as history knows them: where they lay, and what changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from strata import layout
from strata.errors import NotFound, UsageError
from strata.model import Tier

if TYPE_CHECKING:
    from strata.store import Store


class Past:
    """Looking up records in commits; `record` finds where one lies now."""

    def __init__(self, store: Store, record: Callable[..., str]) -> None:
        self._store = store
        self._record = record

    def place(self, name: str, commit: str, *, guess: bool = True) -> str | None:
        """The path a record had at a commit, whatever it is called now; None when it was not there.

        To `guess` is to take a prefix for a ref, and a file that has just that name, wherever it lay.
        """
        return self._at(name, commit, guess) or self._followed(name, commit, exact=not guess)

    def path(self, ref: str) -> str:
        """The path under which history knows a record, also when the file is gone now."""
        name, _ = layout.split_ref(ref)
        if name in layout.ROOT_FILES:
            return name
        try:
            return self._record(ref)
        except NotFound:
            commit = self._store.history.head()
            path = self._at(name, commit) or self._last_place(name)
            if path:
                return path
            raise

    def _last_place(self, name: str) -> str | None:
        """Where a record that exists no more was last seen."""
        for commit in self._store.history.log():
            for _, path, old in commit.paths:
                if layout.path_ref(path) in (name, f"notes/{name}") or path == name or layout.record_path(name, layout.tier_of(path) or "active") == path:
                    return path
                if old and (layout.path_ref(old) in (name, f"notes/{name}") or old == name):
                    return old
        return None

    def _at(self, name: str, commit: str | None, guess: bool = True) -> str | None:
        """The path of a record in a past commit."""
        if commit is None:
            return None
        plain = name.removesuffix(".md")
        places = [plain + ".md"] if layout.tier_of(f"{plain}/") else []
        for tier in Tier:
            places += [path for path in (layout.record_path(name, tier), f"{tier}/{plain}.md", f"{tier}/notes/{plain}.md") if path]
        if found := next((path for path in places if self._store.history.blob_id(path, commit)), None):
            return found
        if not guess:
            return None
        wanted = f"{plain}.md"
        return next((path for path, _ in self._store.history.walk(commit) if path.rpartition("/")[2] == wanted), None)

    def _followed(self, name: str, commit: str, *, exact: bool) -> str | None:
        """Where a record that was renamed by hand lay at a past commit."""
        try:
            now = self._record(name, exact=exact)
        except NotFound:
            return None
        for entry in self._store.history.log(now):
            for _, path, old in entry.paths:
                for place in (path, old):
                    if place and self._store.history.blob_id(place, commit):
                        return place
        return None

    def diff(self, ref: str | None, span: str | None) -> str:
        """See `Memory.diff`."""
        history = self._store.history
        if span:
            old, dots, new = span.partition("..")
            if not dots:
                raise UsageError(f"{span!r} is not a span", remedy="give A..B, two revisions or dates, such as HEAD~3..HEAD")
            begin, end = history.resolve(old or "HEAD"), history.resolve(new or "HEAD")
            return history.diff(begin, end, self._within(layout.split_ref(ref)[0], end, begin) if ref else None)
        path = self.path(ref) if ref else None
        if uncommitted := self._uncommitted(path):
            return uncommitted
        commits = history.log(path, limit=1)
        if not commits:
            return ""
        try:
            before = history.resolve(f"{commits[0].id}^")
        except NotFound:  # the first commit of all
            before = None
        return history.diff(before, commits[0].id, path)

    def _within(self, name: str, *commits: str) -> str:
        """The path of a record in the first of the commits that has it, however it is called now."""
        for commit in commits:
            if path := self.place(name, commit):
                return path
        raise NotFound(f"neither end of the span holds {name!r}", ref=name, remedy=f"`strata log {name}` shows when it came and went")

    def _uncommitted(self, path: str | None) -> str:
        """The patch of what is in the tree and not committed."""
        import difflib

        history = self._store.history
        dirty = self._store.uncommitted(deep=True)
        parts = []
        for place in sorted(dirty):
            if path not in (None, place):
                continue
            old = history.read(place) if history.blob_id(place) else b""
            new = self._store.files.read(place) if self._store.files.exists(place) else b""
            before, after = (data.decode("utf-8", "replace").splitlines(keepends=True) for data in (old, new))
            parts += difflib.unified_diff(before, after, f"a/{place}", f"b/{place}")
        return "".join(line if line.endswith("\n") else line + "\n" for line in parts)
