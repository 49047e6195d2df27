"""Many blobs as one git pack with its index.

A commit of thousands of files as loose objects is thousands of files and twice as many fsyncs; as a
pack it is two of each. Formats: gitformat-pack(5), pack version 2 and index version 2.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from pathlib import Path

_BLOB = 3
_LARGE_OFFSET = 1 << 31


def blob_id(data: bytes) -> bytes:
    """The id git gives these bytes, as 20 bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()


def write_blobs(objects: Path, blobs: dict[bytes, bytes]) -> None:
    """Store `blobs` (id -> bytes) durably as one pack in the `objects` directory of a repository.

    The index is renamed into place last: git takes a pack for existing when its index does.
    """
    pack, rows = _pack(blobs)
    name = "pack-" + pack[-20:].hex()
    directory = objects / "pack"
    directory.mkdir(parents=True, exist_ok=True)
    _durable(directory / f"{name}.pack", pack)
    _durable(directory / f"{name}.idx", _index(rows, pack[-20:]))
    sync(directory)


def _pack(blobs: dict[bytes, bytes]) -> tuple[bytes, list[tuple[bytes, int, int]]]:
    """The bytes of the pack, and of each object its id, crc32 and offset, sorted by id."""
    parts = [b"PACK" + struct.pack(">II", 2, len(blobs))]
    offset = len(parts[0])
    rows = []
    for id, data in sorted(blobs.items()):
        part = _header(len(data)) + zlib.compress(data, 1)
        rows.append((id, zlib.crc32(part), offset))
        parts.append(part)
        offset += len(part)
    body = b"".join(parts)
    return body + hashlib.sha1(body, usedforsecurity=False).digest(), rows


def _header(size: int) -> bytes:
    """Type and size of an object: 4 bits of size in the first byte, 7 in each further one."""
    byte, size = _BLOB << 4 | size & 0x0F, size >> 4
    out = bytearray()
    while size:
        out.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    out.append(byte)
    return bytes(out)


def _index(rows: list[tuple[bytes, int, int]], pack_checksum: bytes) -> bytes:
    counts = [0] * 256
    for id, _, _ in rows:
        counts[id[0]] += 1
    for value in range(1, 256):
        counts[value] += counts[value - 1]
    large = [offset for _, _, offset in rows if offset >= _LARGE_OFFSET]
    places = {offset: _LARGE_OFFSET | position for position, offset in enumerate(large)}
    body = b"".join(
        [
            b"\xfftOc" + struct.pack(">I", 2),
            struct.pack(">256I", *counts),
            *(id for id, _, _ in rows),
            struct.pack(f">{len(rows)}I", *(crc for _, crc, _ in rows)),
            struct.pack(f">{len(rows)}I", *(places.get(offset, offset) for _, _, offset in rows)),
            struct.pack(f">{len(large)}Q", *large),
            pack_checksum,
        ]
    )
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def _durable(path: Path, data: bytes) -> None:
    if path.exists():  # same name, same bytes: a pack is named by its checksum
        return
    temporary = path.with_name(f"tmp_{os.getpid()}_{path.name}")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.chmod(0o444)
    os.replace(temporary, path)


def sync(place: Path) -> None:
    """Bring one file, or the names in one folder, to the disk; what is not there (an object that lies in a pack) needs nothing.

    Windows has no such call for folders, and libgit2 syncs files there itself.
    """
    if os.name == "nt":
        return
    try:
        handle = os.open(place, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
