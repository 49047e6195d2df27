"""Entries for the tests of the shadow: files that hold their entries as JSON, so that any entry at all can be in one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from strata.model import Entry
from strata.shadow import Shadow

KEY = b"the secret of this machine"


def from_json(path: str, data: bytes) -> list[Entry]:
    """The entries of a file of these tests."""
    return [Entry(**{**row, "path": path, "tags": tuple(row.get("tags", ())), "flags": tuple(row.get("flags", ()))}) for row in json.loads(data)]


def slowly(path: str, data: bytes) -> list[Entry]:
    """As `from_json`, so slow that there is time to kill it."""
    time.sleep(0.01)
    return from_json(path, data)


def broken(path: str, data: bytes) -> list[Entry]:
    """Fails at one file."""
    if path.endswith("bad.md"):
        raise RuntimeError("cannot read this")
    return from_json(path, data)


def write(root: Path, files: dict[str, Sequence[Entry]]) -> list[str]:
    """Put files on the disk and return their paths."""
    for path, entries in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(json.dumps([entry._asdict() for entry in entries]), encoding="utf-8")
    return list(files)


def note(path: str, text: str, **more: object) -> Entry:
    return Entry(path=path, ref=path.partition("/")[2].removesuffix(".md"), kind="note", text=text, **more)  # type: ignore[arg-type]


def message(path: str, number: int, text: str, **more: object) -> Entry:
    return Entry(path=path, ref=f"{path}#m{number}", kind="message", text=text, message=f"m{number}", position=number, **more)  # type: ignore[arg-type]


def shadow(directory: Path, entries: Iterable[Entry] = ()) -> Shadow:
    """A new index with these entries, one update for each path."""
    found = Shadow(directory, KEY)
    found.rebuild(directory, [], {"n": 0}, entries=from_json)
    paths: dict[str, list[Entry]] = {}
    for entry in entries:
        paths.setdefault(entry.path, []).append(entry)
    for path, group in paths.items():
        found.update({path: group}, {"n": 0})
    return found


def refs(found: Iterable[object]) -> list[str]:
    return [entry.ref for entry in found]  # type: ignore[attr-defined]
