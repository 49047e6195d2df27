"""Reads and uses of records: gathered beside the memory as they happen, and carried into the ledger by the next write.

Looking must not dirty the tree, so a read is one line in `.strata/reads.jsonl`. A write takes those lines
into its own commit. Killed in between, they are taken again, and a receipt counts once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from strata import ledger
from strata.errors import Conflict, Locked, StrataError
from strata.files import Files, blob_id
from strata.files.durable import write_durably
from strata.files.lock import held
from strata.layout import LOCAL
from strata.ledger import Receipt
from strata.model import Put

_PATIENCE = 1.0  # seconds a reader waits for another to finish its line


class Accesses:
    """The reads that wait beside one memory, and its ledgers; `machine` names this machine's own."""

    def __init__(self, files: Files, machine: str, warn: Callable[[str], None]) -> None:
        self._files = files
        self._machine = machine
        self._warn = warn
        self._carried = b""

    @property
    def _place(self) -> Path:
        return self._files.local / "reads.jsonl"

    def note(self, receipt: Receipt) -> None:
        """Remember a read. Where nothing can be written the answer stands, and a warning says that it was not counted."""
        try:
            self._files.make_local()
            with self._held(), open(self._place, "ab+", opener=_private) as stream:
                if stream.tell():
                    stream.seek(-1, os.SEEK_END)
                    cut_off = stream.read(1) != b"\n"  # somebody was killed in the middle of a line
                    stream.write(b"\n" if cut_off else b"")
                stream.write(receipt.line())
        except (OSError, StrataError) as error:
            self._warn(f"this reading was not counted: {error}")

    def waiting(self) -> bytes:
        """The whole lines that no ledger has taken yet."""
        try:
            data = self._place.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return b""
        except OSError as error:
            self._warn(f"readings that wait in {LOCAL}/reads.jsonl cannot be read: {error.strerror}")
            return b""
        return data[: data.rfind(b"\n") + 1]  # the rest is being written, or was cut off

    def carry(self, now: str, uses: Sequence[Receipt] = ()) -> Put | None:
        """The edit that takes the waiting lines, and `uses`, into this machine's ledger; None when there are none. The memory's lock is held.

        Readings that cannot be taken now wait on, with a warning. For uses the reason is raised, since whoever reports one is told that it counts.
        """
        lines, found = self._waiting_whole()
        if not lines and not uses:
            return None
        path = ledger.name(self._machine, now)
        try:
            old, base = b"", ""
            if self._files.exists(path):
                old = self._files.read(path)
                base = blob_id(old)
            elif os.path.lexists(self._files.place(path)):
                raise Conflict("no file stands where this machine's ledger belongs", path=path, remedy="move it away")
        except StrataError as error:
            if uses:
                raise
            self._warn(f"readings wait: {error}")
            return None
        fresh = b"".join(receipt.line() for receipt in (*found, *uses) if f'"{receipt.id}"'.encode() not in old)
        self._carried = lines
        if not fresh:
            self.carried()
            return None
        return Put(path, old + (b"" if not old or old.endswith(b"\n") else b"\n") + fresh, base)

    def _waiting_whole(self) -> tuple[bytes, list[Receipt]]:
        """The waiting lines and what they say; none when they cannot be had, or have to be mended first."""
        try:
            with self._held():
                lines = self.waiting()
        except (Locked, OSError) as error:
            self._warn(f"readings wait for the next write: {error}")
            return b"", []
        found, faults = ledger.receipts(lines)
        if faults:
            self._set_aside(lines, found, len(faults))
            return b"", []
        return lines, found

    def carried(self) -> None:
        """The lines that `carry` took are committed: forget them, and no other."""
        lines, self._carried = self._carried, b""
        if not lines:
            return
        try:
            with self._held():
                data = self._place.read_bytes()
                if data == lines:
                    self._place.unlink()
                elif data.startswith(lines):
                    write_durably(self._place, data[len(lines) :])
        except (OSError, Locked) as error:
            self._warn(f"readings will be taken into the ledger again, and counted once: {error}")

    def times(self) -> tuple[dict[str, list[int]], list[str]]:
        """For each ref the times it was read or used, in Unix seconds; and the ledgers that cannot be read at all."""
        found: list[Receipt] = []
        broken: list[str] = []
        for path in self.ledgers():
            try:
                data = self._files.read(path)
            except StrataError:
                broken.append(path)
                continue
            good, faults = ledger.receipts(data)
            found += good
            if faults and not good:
                broken.append(path)
        found += ledger.receipts(self.waiting())[0]
        return ledger.accesses(found), broken

    def marked(self, *marks: str) -> list[ledger.Receipt]:
        """The receipts, of all ledgers and of those that wait, whose line holds one of these words; a broken ledger counts as far as it can be read.

        Lines are passed over as bytes: at 100,000 receipts that takes a twentieth of parsing them.
        """
        import re

        wanted = re.compile(b"|".join(re.escape(mark.encode("utf-8", "surrogatepass")) for mark in marks))
        found: list[ledger.Receipt] = []
        for data in self._all():
            lines = dict.fromkeys((data.rfind(b"\n", 0, match.start()) + 1, data.find(b"\n", match.end())) for match in wanted.finditer(data))
            found += ledger.receipts(b"\n".join(data[start : None if end < 0 else end] for start, end in lines))[0]
        return found

    def _all(self) -> Iterable[bytes]:
        for path in self.ledgers():
            try:
                yield self._files.read(path)
            except StrataError as error:
                self._warn(f"a ledger cannot be read, so its receipts do not count: {error}")
        yield self.waiting()

    def ledgers(self) -> list[str]:
        """The ledger files of all machines."""
        try:
            names = os.listdir(self._files.root / ledger.FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [f"{ledger.FOLDER}/{name}" for name in sorted(names) if name.endswith(".jsonl") and not name.startswith(".")]

    def _set_aside(self, lines: bytes, found: Iterable[Receipt], faults: int) -> None:
        """Lines that are no receipts are kept to be looked at; those that are go on being counted."""
        try:
            with self._held():
                data = self._place.read_bytes()
                write_durably(self._place.with_name("reads.refused"), data)  # first: killed after it, all is still counted
                write_durably(self._place, b"".join(receipt.line() for receipt in found) + data[len(lines) :])
        except (OSError, Locked) as error:
            self._warn(f"the readings cannot be mended: {error}")
        self._warn(f"{faults} lines of {LOCAL}/reads.jsonl were no readings; the file was set aside as {LOCAL}/reads.refused")

    def _held(self) -> AbstractContextManager[None]:
        return held(self._files.local / "reads.lock", _PATIENCE)


def by_place(times: dict[str, list[int]], known: Callable[[str], bool], find: Callable[[str], Iterable[str]]) -> dict[str, list[int]]:
    """Times by path below the tier. Most refs say their place; where no record is `known` there, `find` gives the paths of the ref."""
    found: dict[str, list[int]] = {}
    for ref, each in times.items():
        said = ledger.place(ref)
        places = {said} if known(said) else {path.partition("/")[2] for path in find(ref)}
        for place in places:
            found[place] = sorted(found[place] + each) if place in found else each
    return found


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
