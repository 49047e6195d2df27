"""The stamp beside the index: which files make it up, what it reflects, and proof that this machine wrote it.

A Whoosh index holds pickles, and opening a stranger's would run a stranger's code. So an index is opened only
when the stamp's HMAC-SHA256 under the machine's key is right over: the format (schema, Whoosh, Python), the
resolved place, the table of contents byte for byte, and name, size, mtime and inode of every segment. The
caller's mark rides along under the same HMAC.

Order of a commit: segments, table of contents, stamp, removal of what the stamp no longer names. A crash before
the stamp leaves the old stamp with all its files, so it loses that commit and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from whoosh import __version__ as _whoosh

SCHEMA = 6  # counts changes of the terms, the scoring or the files
NAME = "stamp"

Signature = tuple[int, int, int]  # size, mtime in nanoseconds, inode


class Part(NamedTuple):
    """A segment as the stamp names it; `dead` are the numbers of its removed documents, rising."""

    name: str
    documents: int
    dead: tuple[int, ...]
    signature: Signature


class Stamp(NamedTuple):
    """What a stamp says; `live` is the folder that holds the index, `generation` its table of contents."""

    live: str
    generation: int
    parts: tuple[Part, ...]
    mark: dict[str, Any]
    contents: str  # SHA-256 of the table of contents


def toc_name(generation: int) -> str:
    """Whoosh's name for a table of contents."""
    return f"_MAIN_{generation}.toc"


def signature(path: Path) -> Signature:
    """What tells a file from a changed or another one. Raises OSError."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ino


def digest(data: bytes) -> str:
    """The SHA-256 of a table of contents."""
    return hashlib.sha256(data).hexdigest()


def load(directory: Path, key: bytes) -> Stamp | None:
    """The stamp, or None where there is none of this machine, this place and this format.

    That the files are the ones it names is for `intact` to say. Raises OSError other than "no such file".
    """
    try:
        data = (directory / NAME).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    code, _, body = data.partition(b"\n")
    if not hmac.compare_digest(code, _code(key, body)):
        return None
    found = json.loads(body)
    if found["format"] != _format() or found["place"] != _place(directory):
        return None
    parts = tuple(Part(name, documents, tuple(dead), tuple(signed)) for name, documents, dead, signed in found["parts"])
    return Stamp(found["live"], found["generation"], parts, found["mark"], found["contents"])


def save(directory: Path, key: bytes, stamp: Stamp) -> None:
    """Put the stamp in place, durably and at once."""
    fields = {
        "format": _format(),
        "place": _place(directory),
        "live": stamp.live,
        "generation": stamp.generation,
        "parts": [[part.name, part.documents, part.dead, part.signature] for part in stamp.parts],
        "mark": stamp.mark,
        "contents": stamp.contents,
    }
    body = json.dumps(fields).encode()
    temporary = directory / f"{NAME}.{os.urandom(4).hex()}"
    try:
        with open(temporary, "xb") as file:
            file.write(_code(key, body) + b"\n" + body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, directory / NAME)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sight(directory: Path, stamp: Stamp | None) -> tuple[Signature, ...]:
    """The signatures of all files of the index, to see that none has changed; () when one is missing."""
    paths = [directory / NAME]
    if stamp is not None:
        home = directory / stamp.live
        paths += [home / toc_name(stamp.generation), *(home / part.name for part in stamp.parts)]
    try:
        return tuple(map(signature, paths))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def intact(directory: Path, stamp: Stamp) -> bool:
    """Whether the files of the index are the ones that the stamp names."""
    home = directory / stamp.live
    try:
        contents = (home / toc_name(stamp.generation)).read_bytes()
        return digest(contents) == stamp.contents and all(signature(home / part.name) == part.signature for part in stamp.parts)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _code(key: bytes, body: bytes) -> bytes:
    return hmac.new(key, body, hashlib.sha256).hexdigest().encode()


def _format() -> list[int]:
    return [SCHEMA, *_whoosh[:3], *sys.version_info[:2]]


def _place(directory: Path) -> str:
    return os.path.realpath(directory)
