"""After a crash: a write that was cut short is finished if every byte of it arrived, else taken back as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from strata.files import Files
from strata.model import Author, Drop, Edit, Put, Rename
from strata.tree import Tree

if TYPE_CHECKING:
    from strata.history import History

BEFORE = 5.0  # seconds that a commit may have begun before its intent, by a coarse clock
Row = Sequence[str]


class Recovery:
    """What to do about the intent that a crash left in `.strata/`; the lock must be held."""

    def __init__(self, files: Files, tree: Tree, history: Callable[[], History]) -> None:
        self._files = files
        self._tree = tree
        self._history = history

    def resume(self, now: datetime) -> bool:
        """Finish or take back what was cut short; whether there was anything.

        The intent itself stays until the caller has brought the index up to it and calls `files.done`.
        """
        self._files.sweep()
        intent = self._files.intent()
        if intent is None:
            self._files.done()
            return False
        self._history().drop_broken(self._files.intended_at() - BEFORE)
        if self._arrived(intent["edits"]):
            self._commit(intent, now)
        else:
            self.take_back(intent)
        self._files.sweep(everywhere=True)
        return True

    def take_back(self, intent: dict[str, Any] | None) -> None:
        """Undo what a half-done write left, touching nothing that a person changed since."""
        back: list[Edit] = []
        for row in intent["edits"] if intent else []:
            committed = self._history().blob_id(row[1])
            match row:
                case ["put", path, blob] if self._tree.blob_at(path) == blob and committed != blob:
                    back.append(Put(path, self._history().read(path), None) if committed else Drop(path))
                case ["rename", source, target] if self._files.exists(target) and not self._files.exists(source):
                    back.append(Rename(target, source))
                case ["drop", path] if committed and not self._files.exists(path):
                    back.append(Put(path, self._history().read(path), ""))
        self._files.apply(back)

    def _arrived(self, rows: Sequence[Row]) -> bool:
        """Whether every edit reached the disk."""
        later = {row[1] for row in rows if row[0] in ("rename", "drop")}
        for row in rows:
            match row:
                case ["put", path, blob] if path not in later and self._tree.blob_at(path) != blob:
                    return False
                case ["rename", source, target] if self._files.exists(source) or not self._files.exists(target):
                    return False
                case ["drop", path] if self._files.exists(path):
                    return False
        return True

    def _commit(self, intent: dict[str, Any], now: datetime) -> None:
        who = intent["commit"]
        edits = [edit for row in intent["edits"] if (edit := self._again(row))]
        trailers = [(key, value) for key, value in who["trailers"]]
        self._history().commit(edits, author=Author(*who["author"]), subject=who["subject"], trailers=trailers, at=now)

    def _again(self, row: Row) -> Edit | None:
        """An edit of the intent, for the commit; None when the commit has it already."""
        match row:
            case ["put", path, _]:
                return Put(path, data, None) if (data := self._tree.bytes_of(path)) is not None else None
            case ["rename", source, target]:
                return Rename(source, target) if self._history().blob_id(source) else None
            case ["drop", path]:
                return Drop(path)
        return None
