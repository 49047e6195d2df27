"""Every way strata refuses, as a tree, each with the exit code a caller sees.

    StrataError               1    failure
    +-- UsageError            2    the call itself is wrong
    +-- NotAMemory           10    no memory at that place
    +-- NotFound             11    no such record, message, revision or setting
    +-- Ambiguous            12    a prefix that fits several
    +-- AlreadyExists        13    something is there; nothing was overwritten
    +-- Malformed            14    a file or an input that cannot be parsed (path, line)
    +-- OutsideMemory        15    a path or a link that leaves the memory
    +-- Refused              16    no evidence, sealed source, not allowed
    +-- Conflict             17    changed since it was read, unmerged, in the middle of a merge
    +-- TierVanished         18    a whole tier is missing, or most of one would move at once
    +-- Locked               19    another process holds the lock for too long
    +-- ModelFailed           1    a model gave no answer that can be used
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class StrataError(Exception):
    """What happened in one sentence, with the place and the remedy as data.

    `message` says what happened; `remedy` what to do about it; `ref`, `path` and `line` where.
    Positions are 1-based lines of the file or of the input. `faults` are the single faults of what was refused as a
    whole, each on its own, where `message` says all of them in one sentence.
    """

    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        ref: str = "",
        path: str = "",
        line: int | None = None,
        faults: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.ref = ref
        self.path = path
        self.line = line
        self.faults = tuple(faults)

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}: " if self.path and self.line else f"{self.path}: " if self.path else ""
        if not self.path and self.line:
            where = f"line {self.line}: "
        return where + self.message + (f" ({self.remedy})" if self.remedy else "")

    def as_dict(self) -> dict[str, Any]:
        """The error as `--json` prints it: only what is known."""
        fields = {
            "error": type(self).__name__,
            "message": self.message,
            "remedy": self.remedy,
            "ref": self.ref,
            "path": self.path,
            "line": self.line,
            "faults": list(self.faults),
            "exit_code": self.exit_code,
        }
        return {key: value for key, value in fields.items() if value not in ("", None, [])}


class UsageError(StrataError):
    """The call itself is wrong: a missing or contradictory argument."""

    exit_code = 2


class NotAMemory(StrataError):
    """There is no memory at that place."""

    exit_code = 10


class NotFound(StrataError):
    """No such record, message, revision or setting."""

    exit_code = 11


class Ambiguous(StrataError):
    """A prefix that fits several records."""

    exit_code = 12


class AlreadyExists(StrataError):
    """Something is there already; nothing was overwritten."""

    exit_code = 13


class Malformed(StrataError):
    """A file or an input that cannot be parsed."""

    exit_code = 14


class OutsideMemory(StrataError):
    """A path or a link that would leave the memory."""

    exit_code = 15


class Refused(StrataError):
    """Not allowed: no evidence, a sealed source, a protected place."""

    exit_code = 16


class Conflict(StrataError):
    """Changed since it was read, unmerged, or the repository is in the middle of something."""

    exit_code = 17


class TierVanished(StrataError):
    """A tier that should hold records is missing, or most of one would move at once."""

    exit_code = 18


class Locked(StrataError):
    """Another process held the lock for longer than we were willing to wait."""

    exit_code = 19


class ModelFailed(StrataError):
    """A model gave no answer that can be used.

    `again` says whether asking again may help, `after` how many seconds the model asked to be left alone. `reply` is
    what was answered, and is to be paid for, although it cannot be used: a Reply of `strata.asking`, or None.
    """

    def __init__(self, message: str, *, again: bool = True, after: float = 0.0, remedy: str = "", reply: Any = None) -> None:
        super().__init__(message, remedy=remedy)
        self.again = again
        self.after = after
        self.reply = reply
