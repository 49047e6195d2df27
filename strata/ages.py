"""How old the records of a memory are: which of its commits last changed each, and what those commits say of the time.

Commits are counted in the order of the history; a record holds the numbers of two of them, and the times are
kept once per commit. A clock that was wrong for a while so stays correctable: which times are believed is
decided when they are asked for, and not when they are stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeGuard

from strata.document import BOM, Document
from strata.layout import kind_of
from strata.model import Kind

FORMAT = 1  # counts changes of the stored form, and of the rules by which it is found
BOOKKEEPING = frozenset({"pinned", "tags", "forgotten_at", "id"})
"""Keys of a header that say how a record is kept; to change them does not make it young."""

BELIEVED = 86_400  # seconds a stamp may be ahead of the clock

Life = tuple[int, int, int, int]
"""Number of the commit of the last content change, of the arrival in the present tier; 0 or 1: lifted there, edited there."""


class AgeTable(NamedTuple):
    """What the history up to `commit` says of each record that is there; a cache, which the history can always fill anew.

    `times` are the author times of the commits in their order (Unix seconds, as they were written); `records`
    maps a path to its life. *Lifted* is a record that came from a deeper tier, *edited* one whose content
    changed in a later commit than the one of its arrival. `boundary` names the commits at which a shallow
    clone was cut off.
    """

    commit: str | None
    times: list[int]
    records: dict[str, Life]
    boundary: tuple[str, ...] = ()

    def rows(self, now: int) -> Iterator[tuple[str, int, int, int, int]]:
        """Path, last content change and arrival (Unix seconds), lifted and edited of each record, in no order."""
        when = believed(self.times, now).__getitem__
        changed, arrived, lifted, edited = zip(*self.records.values(), strict=True) if self.records else ((), (), (), ())
        return zip(self.records, map(when, changed), map(when, arrived), lifted, edited, strict=True)

    def dump(self) -> bytes:
        """The table as JSON, for `load`: a column for each part of a life, which reads five times as fast as a row for each record."""
        columns = zip(*self.records.values(), strict=True) if self.records else ((), (), (), ())
        fields = {
            "format": FORMAT,
            "commit": self.commit,
            "boundary": self.boundary,
            "times": self.times,
            "paths": list(self.records),
            **dict(zip(_COLUMNS, columns, strict=True)),
        }
        return json.dumps(fields, separators=(",", ":")).encode("ascii")

    @staticmethod
    def load(data: bytes) -> AgeTable | None:
        """The table in these bytes; None for anything that `dump` did not write in this format.

        Only the form is checked. Whether it is true of a history cannot be seen from it.
        """
        try:
            fields = json.loads(data)
        except (ValueError, RecursionError):
            return None
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            return None
        commit, boundary, times, paths = (fields.get(name) for name in ("commit", "boundary", "times", "paths"))
        columns: list[Any] = [fields.get(name) for name in _COLUMNS]
        if not (commit is None or isinstance(commit, str)) or not _texts(boundary) or not _texts(paths) or not _whole_numbers(times):
            return None
        limits = (len(times), len(times), 2, 2)
        if not all(map(_within, columns, limits)) or any(len(column) != len(paths) for column in columns):
            return None
        records = dict(zip(paths, zip(*columns, strict=True), strict=True))
        return AgeTable(commit, times, records, tuple(boundary)) if len(records) == len(paths) else None


_COLUMNS = ("changed", "arrived", "lifted", "edited")


def believed(times: Sequence[int], now: int) -> list[int]:
    """When each commit was made, as far as its own stamp and those before it can be believed.

    A history does not run backward: a commit is as late as the latest before it. A stamp more than a day ahead
    of `now` is passed over, at the beginning in favour of the first that is not; where there is none, 0.
    """
    limit = now + BELIEVED
    latest = next((time for time in times if time <= limit), 0)
    found = []
    for time in times:
        if latest < time <= limit:
            latest = time
        found.append(latest)
    return found


def substance(path: str, data: bytes) -> bytes:
    """What counts as content of the file at `path`: equal for two versions that differ in bookkeeping alone.

    Of a block it is the messages, since all of its header is derived or bookkeeping; of any other record the body
    and the header, without the keys in `BOOKKEEPING` and however the rest is written. A file whose header cannot be
    read is content from end to end.
    """
    document = Document.parse(data, path)
    if document.problem:
        return data
    is_block = kind_of(path, document.text("kind")) == Kind.BLOCK
    kept = {} if is_block else {key: value for key, value in document.header.items() if key not in BOOKKEEPING}
    return json.dumps(kept, sort_keys=True).encode("ascii") + b"\n" + document.body


def alike(path: str, old: bytes, new: bytes) -> bool:
    """Whether two versions of a file have the same substance."""
    if old == new:
        return True
    return not _same_head(old, new) and substance(path, old) == substance(path, new)


def _same_head(old: bytes, new: bytes) -> bool:
    """Whether both surely begin with the same header, or with none: they differ below it, and no YAML needs reading (0.3 ms)."""
    if old.startswith(b"---\n"):
        end = old.find(b"\n---\n", 3)
        return end > 0 and new.startswith(old[: end + 5])
    return not old.startswith((BOM, b"---")) and not new.startswith((BOM, b"---"))


def _texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and set(map(type, value)) <= {str}


def _whole_numbers(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and set(map(type, value)) <= {int}


def _within(value: Any, limit: int) -> bool:
    """A list of whole numbers from 0 up to but not including `limit`."""
    return _whole_numbers(value) and (not value or (min(value) >= 0 and max(value) < limit))
