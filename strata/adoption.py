"""What a person or another program left in the tree becomes a commit of their own, before strata writes anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from strata.errors import Conflict, TierVanished
from strata.files import Files, blob_id
from strata.layout import TIERS, is_record, path_ref, tier_of
from strata.model import Drop, Edit, Put, Rename
from strata.tree import Look, Tree

if TYPE_CHECKING:
    from strata.history import History

VANISHED_ABOVE = 20  # records a tier must have held before finding none of them stops a write


class Adoption:
    """Taking over edits made by hand; the lock must be held."""

    def __init__(self, files: Files, tree: Tree, history: Callable[[], History], now: Callable[[], datetime], warn: Callable[[str], None]) -> None:
        self._files = files
        self._tree = tree
        self._history = history
        self._now = now
        self._warn = warn

    def adopt(self, look: Look, leave: Sequence[str] = ()) -> str | None:
        """Commit the dirty files as the person's, and keep git's own index true, even when nothing changed.

        What lies in the tiers of `leave` is not looked at.
        """
        commit = None
        look.dirty = {path: data for path, data in look.dirty.items() if tier_of(path) not in leave}
        if gone := [path for path in look.dirty if look.mark["known"][path][0] == ""]:
            for path in self._history().left_out(gone):  # a sparse checkout: git left them out, the person did not remove them
                del look.dirty[path]
        if look.dirty:
            if gone := vanished(look):
                raise gone
            self._rejoin(look)
            edits, left = self._left_by_hand(look)
            with self._history().holding_index():
                commit = self._commit(edits, list(left))
                self._history().align()
            look.mark["head"] = self._history().head()
            for path, blob in left.items():
                look.mark["known"][path][0] = blob
                look.mark["known"][path][5] = False
                if not blob:
                    del look.mark["known"][path]
            look.moved = True
            look.dirty = {}
        else:
            self._history().align()
        return commit

    def keep_unseen(self, edits: Sequence[Edit]) -> None:
        """The net below every look: what is about to be overwritten and is in no commit is committed first, as the person's."""
        replaced = [edit.path for edit in edits if not isinstance(edit, Rename)]
        written = {edit.target if isinstance(edit, Rename) else edit.path for edit in edits if not isinstance(edit, Drop)}
        unseen: list[Edit] = []
        for path, committed in self._history().blob_ids(sorted(written.union(replaced))).items():
            if committed and path in written and not self._files.exists(path):  # deletions are adopted, so git itself left it out: not there to be extended
                raise Conflict("git left this file out of the working tree (sparse checkout)", path=path, remedy="git sparse-checkout disable, or add its folder")
            if path in replaced and (data := self._tree.bytes_of(path)) is not None and committed != blob_id(data):
                unseen.append(Put(path, data, None))
        if unseen:
            self._commit(unseen, [edit.path for edit in unseen if isinstance(edit, Put)])

    def _rejoin(self, look: Look) -> None:
        """A record that moved while an editor had it open, and was saved at its old place: what was saved is the record.

        The file that rests elsewhere is as it was committed, so git keeps it; it makes way in the same commit, which
        history shows as a move back with an edit. Killed before that commit, the next adoption makes the same one.
        """
        for path in [path for path, data in look.dirty.items() if is_record(path) and look.mark["known"][path][0]]:
            if self._history().blob_id(path):
                continue  # it did not come anew
            tier = tier_of(path)
            for other in TIERS[TIERS.index(tier) + 1 :]:
                twin = f"{other}/{path_ref(path)}.md"
                committed = self._history().blob_id(twin)
                if twin in look.dirty or not committed or committed != self._tree.blob_at(twin):
                    continue
                self._files.apply([Drop(twin)])
                look.dirty[twin] = look.changes[twin] = None
                look.mark["known"][twin] = ["", 0, 0, 0, 0, True]
                self._warn(f"{path_ref(path)} was moved to {other}/ while it was open: what was saved is in {tier}/, and what it said before is in git (strata log {path_ref(path)})")

    def _commit(self, edits: Sequence[Edit], paths: Sequence[str]) -> str | None:
        trailers = [("Strata-Op", "adopt"), *(("Strata-Path", path) for path in paths[:50])]
        history = self._history()
        verb = "Delete" if all(isinstance(edit, Drop) for edit in edits) else "Edit"
        return history.commit(edits, author=history.person(), subject=_adopted(verb, paths), trailers=trailers, at=self._now())

    def _left_by_hand(self, look: Look) -> tuple[list[Edit], dict[str, str]]:
        """The edits that take over what a person left, and the blob each path then has."""
        edits: list[Edit] = []
        left: dict[str, str] = {}
        for path, data in look.dirty.items():
            if data is None and look.mark["known"][path][0]:
                data = self._tree.bytes_of(path)  # it was dirty at an earlier look already, and is read now
            edits.append(Drop(path) if data is None else Put(path, data, None))
            left[path] = "" if data is None else blob_id(data)
        return edits, left


def vanished(look: Look) -> TierVanished | None:
    """The refusal for a tier of which more than 20 records were committed and none is left; None where there is no such tier."""
    missing = [path for path in look.dirty if look.mark["known"][path][0] == ""]
    for tier in TIERS:
        lost = sum(path.startswith(f"{tier}/") for path in missing)
        left = sum(count for folder, (_, count) in look.mark["folders"].items() if f"{folder}/".startswith(f"{tier}/"))
        if lost > VANISHED_ABOVE and not left:
            return TierVanished(
                f"no record is left in {tier}/, but git knows {lost} there; nothing was changed",
                path=tier,
                remedy=f"mount or restore it (git checkout -- {tier}), or, if they are meant to go: git rm -r -q {tier} && git commit",
            )
    return None


def _adopted(verb: str, paths: Sequence[str]) -> str:
    """The subject of an adopting commit: what was done by hand."""
    first = paths[0].rpartition("/")[2]
    return f"{verb} {first} by hand" if len(paths) == 1 else f"{verb} {len(paths)} files by hand, among them {first}"
