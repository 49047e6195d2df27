"""The one write path: lock, recover, adopt, plan, apply, commit, index; and the refresh before every search."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from strata.accesses import Accesses
from strata.adoption import Adoption
from strata.entries import entries
from strata.errors import Conflict, Locked, Malformed, Refused, StrataError
from strata.files import Files
from strata.head import head
from strata.layout import is_record
from strata.machine import ledger_name
from strata.model import Author, Edit, Progress, Put, Rename
from strata.moment import stamp
from strata.plan import Plan
from strata.recovery import Recovery
from strata.shadow.found import ShadowDamaged
from strata.tree import FORMAT, Look, Tree

if TYPE_CHECKING:
    from strata.history import History
    from strata.shadow import Shadow

HEAD_MOVES = 5  # times that a commit by somebody else, at the same moment, is stepped around
LOOK_PATIENCE = 1.0  # seconds a read waits for a writer before it answers from the index as it is
Answer = TypeVar("Answer")
Trailers = Sequence[tuple[str, str]]
Swapping = Callable[[], AbstractContextManager[None]]


class Store:
    """Files, history and shadow of one memory, kept in step."""

    def __init__(self, root: Path, key: bytes, now: Callable[[], datetime]) -> None:
        self.root = root
        self.files = Files(root)
        self.tree = Tree(self.files, lambda: self.history)
        self.lock_timeout = 30.0
        self.warnings: list[str] = []
        self.accesses = Accesses(self.files, ledger_name(key, root), self.warn)
        self._adoption = Adoption(self.files, self.tree, lambda: self.history, now, self.warn)
        self._recovery = Recovery(self.files, self.tree, lambda: self.history)
        self._key = key
        self.now = now

    @cached_property
    def history(self) -> History:
        """Git, imported when it is first needed (it costs more than everything else together)."""
        from strata.history import History

        return History(self.root)

    @cached_property
    def shadow(self) -> Shadow:
        """The index, imported when it is first needed."""
        from strata.shadow import Shadow

        return Shadow(self.files.local / "index", self._key)

    def mark(self) -> dict[str, Any] | None:
        """What the index reflects; None when there is none that this version can use."""
        try:
            mark = self.shadow.mark()
        except OSError:  # not ours to read, or no file at all
            return None
        return mark if mark is not None and mark.get("format") == FORMAT else None

    def usable_mark(self) -> dict[str, Any] | None:
        """The mark, unless the commit it names is none of this repository (git was begun anew): then all is looked at anew."""
        mark = self.mark()
        if mark and mark["head"] and mark["head"] != head(self.root) and not self.history.knows(mark["head"]):
            return None
        return mark

    def warn(self, text: str) -> None:
        """Note something that went differently than asked."""
        if text not in self.warnings:
            self.warnings.append(text)

    # -- reading -----------------------------------------------------------------------------

    def refresh(self, *, deep: bool = False) -> Look | None:
        """Bring the index up to the working tree, as every search does first; with `deep`, file by file in every tier.

        A writer that holds the lock for longer than a second is not waited for: the answer then
        comes from the index as it is, with a warning. Returns the look that the index now agrees with, if there was one.
        """
        if self.files.locked:
            return None  # inside a write, which has just looked
        try:
            self.files.check_local()
            mark = self.usable_mark()
            if mark is not None and not self.files.unfinished():
                look = self.tree.look(mark, deep=deep)
                if not look.changes and not look.moved:
                    return look
            with self.files.lock(LOOK_PATIENCE if mark is not None else self.lock_timeout):
                self._recover()
                return self._catch_up(deep=deep)
        except Locked:
            self.warn("another process is writing; the index may lag behind it")
        except (Refused, Malformed) as error:
            self.warn(f"git cannot be used, so edits are not told from commits: {error}")
            self._refresh_without_git()
        except (OSError, StrataError) as error:
            self.warn(f"the index cannot be brought up to date: {error}")
            self._refresh_aside()
        return None

    def _refresh_without_git(self) -> None:
        """Files need no git to be searched: index the tree anew whenever it moved."""
        mark = self.mark()
        if mark is None or self.tree.stirred(mark):
            with self.files.lock(self.lock_timeout):
                self._rebuild(commit=None)

    def _refresh_aside(self) -> None:
        """Where nothing can be written and there is no index, build one for this process alone."""
        if self.mark() is None:
            import atexit
            import shutil
            import tempfile

            from strata.shadow import Shadow

            aside = Path(tempfile.mkdtemp(prefix="strata-index-"))
            atexit.register(shutil.rmtree, aside, ignore_errors=True)
            self.__dict__["shadow"] = Shadow(aside, self._key)
            self._rebuild(commit=None)

    def ask(self, question: Callable[[Shadow], Answer]) -> Answer:
        """What the index answers; one that turns out to be damaged is built anew and asked again."""
        try:
            return question(self.shadow)
        except ShadowDamaged:
            if self.files.locked:
                self._rebuild(head(self.root))
            else:
                self.rebuild()
            return question(self.shadow)

    def uncommitted(self, *, deep: bool = False) -> dict[str, bytes | None]:
        """What nobody committed yet, with its bytes (None: removed), with `deep` in every tier; the index is brought up to it."""
        look = self.refresh(deep=deep)
        if look is None and not self.files.locked and (mark := self.mark()) is not None:
            look = self.tree.look(mark, deep=deep)
        if look is None:
            return {}
        return {path: None if not look.mark["known"][path][0] else data or self.tree.bytes_of(path) for path, data in look.dirty.items()}

    def rebuild(self, progress: Progress | None = None) -> int:
        """Build the index anew beside the old one, which answers until the new one takes its place; the number of files.

        Nobody waits for it but in the moment of the swap, which must not meet a writer that began with the
        old one's mark. What was written meanwhile is newer than the new one's, so the next look takes it over.
        """
        with self.files.lock(self.lock_timeout):
            self._recover()
        return self._rebuild(head(self.root), progress, lambda: self.files.lock(self.lock_timeout))

    def _rebuild(self, commit: str | None, progress: Progress | None = None, swapping: Swapping = contextlib.nullcontext) -> int:
        tracked, mark = self.tree.everything(commit)
        paths = [path for path in tracked if is_record(path)]
        try:
            self.shadow.rebuild(self.root, paths, mark, entries=entries, progress=progress, swapping=swapping())
        except (IsADirectoryError, NotADirectoryError, FileExistsError):  # something else stands where a file of the index belongs
            import shutil

            shutil.rmtree(self.shadow.directory, ignore_errors=True)
            self.shadow.rebuild(self.root, paths, mark, entries=entries, progress=progress, swapping=swapping())
        return len(paths)

    def _catch_up(self, *, deep: bool) -> Look | None:
        """Index what changed, or everything when there is no index to start from. The lock is held."""
        mark = self.usable_mark()
        if mark is None:
            self._rebuild(head(self.root))
            return None
        look = self.tree.look(mark, deep=deep)
        self._index(look)
        return look

    def _index(self, look: Look) -> None:
        """Hand what changed to the shadow, and the mark with it."""
        changes = {path: entries(path, data) if data is not None else None for path, data in look.changes.items() if is_record(path)}
        try:
            if changes:
                self.shadow.update(changes, look.mark)
            elif look.moved:
                self.shadow.remark(look.mark)
        except (ShadowDamaged, IsADirectoryError, NotADirectoryError):
            self._rebuild(head(self.root))
        look.changes, look.moved = {}, False

    # -- writing -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def write(self, operation: str, author: Author, *, leave: Sequence[str] = ()) -> Iterator[Plan]:
        """Do one operation: the caller fills the plan it is handed; an exception there changes nothing but what was adopted.

        After the block, `plan.commit` is the commit made, or None when nothing changed. What was read since the
        last write goes into the ledger with it. Nothing is adopted in the tiers of `leave`.
        """
        with self._ready() as look:
            self._adoption.adopt(look, leave)
            self._index(look)  # what a person or a pull brought is known before the plan asks the index
            plan = Plan()
            yield plan
            edits = [edit for edit in plan.edits if not self._already(edit)]
            if edits or plan.uses:
                self._adoption.keep_unseen(edits)
                if carried := self.accesses.carry(stamp(self.now()), plan.uses):
                    edits.append(carried)
            if edits:
                with self.history.holding_index():
                    plan.commit = self._carry_out(edits, author, plan.subject, [("Strata-Op", operation), *plan.trailers])
                    self._align()
                self.accesses.carried()
                self._follow_up(edits, look)
        self.history.maintain()

    def _align(self) -> None:
        """Let git's own index follow a commit that stands; what fails here, the next write makes good."""
        try:
            self.history.align()
        except OSError as error:
            self.warn(f"it is written and committed, but git's own index lags: {error}")

    def _follow_up(self, edits: Sequence[Edit], look: Look) -> None:
        """Bring our index up to a commit that stands; what fails here, the next command makes good."""
        try:
            self.tree.settle(look, self.tree.outcome(edits))
            self._index(look)  # 3. the index may lag, never lead
            self.files.done()
        except (OSError, ShadowDamaged) as error:
            self.warn(f"it is written and committed, but the index lags: {error}")

    def adopt(self) -> str | None:
        """Commit what a person or another program left in the tree, as theirs; the commit, or None when there is nothing."""
        with self._ready(deep=True) as look:
            commit = self._adoption.adopt(look)
            self._index(look)
            return commit

    @contextlib.contextmanager
    def _ready(self, *, deep: bool = False) -> Iterator[Look]:
        """Hold the lock, with nothing unfinished, git able to take a commit, and a look at the tree in hand."""
        with self.files.lock(self.lock_timeout):
            self._recover()
            self.history.writable()
            if self.usable_mark() is None:
                self._rebuild(head(self.root))
            mark = self.mark()
            assert mark is not None, "a rebuild leaves a mark"
            yield self.tree.look(mark, deep=deep)

    def _recover(self) -> None:
        if self.files.unfinished() and self._recovery.resume(self.now()):
            self.history.align()
            if (mark := self.mark()) is not None:
                self._index(self.tree.look(mark))
            self.files.done()

    def _already(self, edit: Edit) -> bool:
        """Whether a put would change nothing."""
        return isinstance(edit, Put) and self.files.exists(edit.path) and self.tree.bytes_of(edit.path) == edit.data

    def _carry_out(self, edits: Sequence[Edit], author: Author, subject: str, trailers: Trailers) -> str | None:
        """Apply and commit."""
        intent = self.files.intend(edits, {"author": [author.name, author.email], "subject": subject, "trailers": [list(pair) for pair in trailers]})
        try:
            self.files.apply(edits)  # 1. the bytes are durable; killed here, the next command finishes it or takes it back
            commit = self._commit(edits, author, subject, trailers)  # 2. provenance refers to them
        except BaseException:
            self._recovery.take_back(intent)
            self.files.done()
            raise
        return commit

    def _commit(self, edits: Sequence[Edit], author: Author, subject: str, trailers: Trailers) -> str | None:
        """Commit, again upon a HEAD that a person's git moved in the same moment, as long as their commit left our paths alone."""
        paths = [path for edit in edits for path in ((edit.source, edit.target) if isinstance(edit, Rename) else (edit.path,))]
        for _ in range(HEAD_MOVES):
            before = self.history.head()
            try:
                return self.history.commit(edits, author=author, subject=subject, trailers=trailers, at=self.now())
            except Conflict:
                now = self.history.head()
                if now == before or any(self.history.blob_id(path, before) != self.history.blob_id(path, now) for path in paths):
                    raise
        return self.history.commit(edits, author=author, subject=subject, trailers=trailers, at=self.now())
