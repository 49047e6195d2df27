"""The bytes of git's index file: entries and extensions, taken apart and put together.

Format: gitformat-index(5), versions 2 and 3. Each entry is kept as the bytes it came as, so whatever
a person's git noted in it survives.
"""

from __future__ import annotations

import hashlib
import struct

Staged = tuple[int, bytes]  # mode and 20 bytes of id, of a path as the index holds it

_MODE, _ID, _FLAGS, _NAME = 24, 40, 60, 62  # where they start in an entry
_STAGE, _EXTENDED, _INTENT_TO_ADD, _SKIP_WORKTREE = 0x3000, 0x4000, 0x2000, 0x4000
_LONGEST_NOTED = 0xFFF
_KEPT = (b"TREE", b"REUC")  # other optional extensions are caches that git builds again


class Unreadable(Exception):
    """The index has a form that is not handled here: version 4, split, sparse."""


class Damaged(Unreadable):
    """The index is no whole index file of any form."""


def pieces(version: int, count: int, body: bytes, extensions: dict[bytes, bytes]) -> list[bytes]:
    """The bytes of an index file whose `count` entries are joined in `body`, in the pieces to write."""
    made = [
        b"DIRC" + struct.pack(">II", version, count),
        body,
        *(name + struct.pack(">I", len(data)) + data for name, data in extensions.items()),
    ]
    checksum = hashlib.sha1(usedforsecurity=False)
    for piece in made:
        checksum.update(piece)
    return [*made, checksum.digest()]


def render(version: int, entries: list[bytes], extensions: dict[bytes, bytes]) -> bytes:
    """The bytes of an index file."""
    return b"".join(pieces(version, len(entries), b"".join(entries), extensions))


def parse(data: bytes) -> tuple[int, list[bytes], dict[bytes, bytes]]:
    """Version, entries and the extensions worth keeping of an index file."""
    checksum = data[-20:]  # zeros where git was told not to compute it
    if len(data) < 32 or data[:4] != b"DIRC" or checksum not in (bytes(20), _sha1(data[:-20])):
        raise Damaged("it is damaged")
    version, count = struct.unpack_from(">II", data, 4)
    if version < 2:
        raise Damaged("it is damaged")
    if version > 3:
        raise Unreadable(f"it has version {version}")
    entries, position, end, find, nameless = [], 12, len(data) - 20, data.find, False
    for _ in range(count):
        if position + _NAME + 2 > end:
            raise Damaged("it is damaged")
        start = position + (_NAME + 2 if data[position + _FLAGS] & _EXTENDED >> 8 else _NAME)
        name_end = find(b"\0", start, end)
        if name_end < 0:
            raise Damaged("it is damaged")
        nameless = nameless or name_end == start
        following = position + (name_end - position + 8 & ~7)
        entries.append(data[position:following])
        position = following
    extensions = {}
    while position + 8 <= end:
        name, size = data[position : position + 4], int.from_bytes(data[position + 4 : position + 8], "big")
        if name[:1].islower():
            raise Unreadable({b"link": "it is split", b"sdir": "it is sparse"}.get(name, f"it needs {name!r}"))
        if name in _KEPT:
            extensions[name] = data[position + 8 : position + 8 + size]
        position += 8 + size
    if position != end or nameless:  # a split index, refused above, is allowed entries without names
        raise Damaged("it is damaged")
    return version, entries, extensions


def path_of(entry: bytes) -> bytes:
    """The path of an entry."""
    start = _NAME + 2 if entry[_FLAGS] & _EXTENDED >> 8 else _NAME
    return entry[start:].rstrip(b"\0")


def staged_of(entry: bytes) -> Staged:
    """Mode and id of an entry."""
    return int.from_bytes(entry[_MODE : _MODE + 4], "big"), entry[_ID:_FLAGS]


def is_unmerged(entry: bytes) -> bool:
    """Whether an entry is one side of a merge that is open."""
    return bool(entry[_FLAGS] & _STAGE >> 8)


def is_left_out(entry: bytes) -> bool:
    """Whether an entry has the skip-worktree bit."""
    return bool(entry[_FLAGS] & _EXTENDED >> 8 and entry[_NAME] & _SKIP_WORKTREE >> 8)


def entry_of(path: bytes, staged: Staged, before: bytes | None) -> bytes:
    """The bytes of an entry without file times; flags a person set on `before` stay, but for intent-to-add."""
    mode, id = staged
    flags, more = min(len(path), _LONGEST_NOTED), b""
    if before is not None:
        (old,) = struct.unpack_from(">H", before, _FLAGS)
        flags |= old & ~(_LONGEST_NOTED | _STAGE)
        if old & _EXTENDED:
            (extended,) = struct.unpack_from(">H", before, _NAME)
            more = struct.pack(">H", extended & ~_INTENT_TO_ADD)
    head = bytes(_MODE) + struct.pack(">I", mode) + bytes(12) + id + struct.pack(">H", flags) + more + path
    return head + bytes(8 - len(head) % 8)


def without(tree: bytes, directories: list[bytes]) -> bytes:
    """The TREE extension (ids of directories as they are staged) without the ids on the way down `directories`.

    A row is `name NUL entries SP subtrees LF id`; the subtrees follow their parent; entries is -1 and
    the id left out where the id is not known.
    """
    out = bytearray()

    def row(position: int, wanted: list[bytes] | None) -> int:
        end = tree.index(b"\n", position) + 1
        name, _, counts = tree[position : end - 1].partition(b"\0")
        entries, subtrees = counts.split(b" ")
        id = tree[end : end + 20] if not entries.startswith(b"-") else b""
        on_the_way = wanted is not None
        out.extend(name + b"\0-1 " + subtrees + b"\n" if on_the_way else tree[position:end] + id)
        position = end + len(id)
        for _ in range(int(subtrees)):
            child = tree[position : tree.index(b"\0", position)]
            position = row(position, wanted[1:] if wanted and wanted[0] == child else None)
        return position

    if tree:
        row(0, directories)
    return bytes(out)


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
