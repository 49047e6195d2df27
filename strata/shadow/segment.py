"""One segment of the index: a file that is written once and then only read.

    terms     a Whoosh ordered hash file: field and term -> postings
    stored    per document, a JSON list of the fields of `Found`
    columns   per document, numbers of fixed size for filtering and ordering
    footer    JSON: the tier, where these are, and the names behind the numbers; its length; a tag

A posting list is the highest impact code, all document numbers (two bytes each), all impact codes (one byte
each): it is decoded by three copies. Everything is little-endian. There is no pickle in it: Whoosh keeps one
in its hash files, for which JSON is written here.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from whoosh.filedb.filetables import HashWriter, OrderedHashReader, OrderedHashWriter
from whoosh.filedb.structfile import BufferFile, StructFile
from whoosh.util.numlists import GrowableArray

from strata.shadow.postings import Postings, encoded, little_endian

MOST_DOCUMENTS = 0xFFFF  # a document number has two bytes
FIELDS = ("chain", "flag", "message", "path", "ref", "source", "text")  # in the order of their keys
COLUMNS = {"kind": "H", "thread": "H", "speaker": "H", "position": "q", "opens": "q", "closes": "q", "offset": "h", "before": "I", "after": "I", "next": "q", "traits": "H", "digest": "q", "stored": "I"}
NAMES = ("kind", "thread", "speaker")

Extent = tuple[int, int]
"""Where a posting list lies in its segment, and its length, in bytes."""

_TAG = b"strata1\n"
_FOOTER = struct.Struct("<I")
_PREFIX = {field: struct.pack("!H", number) for number, field in enumerate(FIELDS)}
_LENGTHS = struct.Struct("!ii")  # of a key and its value, in Whoosh's hash files
_POINTER = struct.Struct("!Iq")  # a hash and where its key lies
_TABLE = struct.Struct("!qi")  # one of the 256 hash tables: where it lies, its slots
_SWAP = sys.byteorder == "big"
_CRC32 = 1  # Whoosh's number of the hash function; a quarter of the time of its default, MD5


def key(field: str, text: str) -> bytes:
    """The key of a term; lone surrogates are kept."""
    return _PREFIX[field] + text.encode("utf-8", "surrogatepass")


PINNED = key("flag", "pinned")  # of the records that are, not of their messages
FORGOTTEN = key("flag", "forgotten")


def flag_key(flag: str) -> bytes:
    """The key of the documents that bear a flag of their entry."""
    return key("flag", f"entry {flag}")


def message_key(thread: str, message: str = "") -> bytes:
    """The key of one message of a thread, or what the keys of all of them begin with."""
    encoded = thread.encode("utf-8", "surrogatepass")
    return _PREFIX["message"] + struct.pack("!I", len(encoded)) + encoded + message.encode("utf-8", "surrogatepass")


def chain_key(thread: str, turn: int, *, ends: bool = False) -> bytes:
    """The key of the first message of the file of a thread that begins with a turn; with `ends` of the last one of the file before it."""
    return key("chain", f"{'e' if ends else 's'}{turn} {thread}")


def source_key(ref: str) -> bytes:
    """The key of the events that cite a message (`blk-…#m3`), or what the keys of all of a block (`blk-…`) begin with."""
    return key("source", ref if "#" in ref else f"{ref}#")


def write(
    path: Path, tier: str, postings: Iterable[tuple[bytes, array[int]]], stored: Iterable[bytes], columns: dict[str, array[int]], names: dict[str, list[str]]
) -> None:
    """Write a segment durably. `postings` come in the order of their keys, each number as document << 8 | code."""
    documents = len(columns["kind"])
    with open(path, "wb") as file:
        table = _Terms(StructFile(file))
        for term, packed in postings:
            table.add(term, encoded(packed, documents))
        table.finish()
        footer: dict[str, Any] = {"tier": tier, "documents": documents, "terms": file.tell(), "names": names, "columns": {}}
        offsets, start = array("I"), 0
        for blob in stored:
            offsets.append(start)
            start += file.write(blob)
        footer["stored"] = [footer["terms"], start]
        offsets.append(start)
        columns = {**columns, "stored": offsets}
        for name, numbers in columns.items():
            footer["columns"][name] = [file.tell(), len(numbers)]
            file.write(little_endian(numbers))
        tail = json.dumps(footer).encode()
        file.write(tail + _FOOTER.pack(len(tail)) + _TAG)
        file.flush()
        os.fsync(file.fileno())


class Segment:
    """A segment: documents of one tier, read through a memory map; all their numbers are its own, from 0."""

    def __init__(self, path: Path) -> None:
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        view = self._view = memoryview(self._map)
        if view[-len(_TAG) :] != _TAG:
            raise ValueError(f"{path.name} is not a segment")
        end = len(view) - len(_TAG) - _FOOTER.size
        footer = json.loads(bytes(view[end - _FOOTER.unpack_from(view, end)[0] : end]))
        self.tier: str = footer["tier"]
        self.documents: int = footer["documents"]
        self.names: dict[str, list[str]] = footer["names"]
        self._columns: dict[str, list[int]] = footer["columns"]
        self._loaded: dict[str, array[int]] = {}
        self._blobs: int = footer["stored"][0]
        self._terms = _TermsReader(_Mapped(self._map, view), footer["terms"])
        self._terms.view = view

    def close(self) -> None:
        """Let go of the file (Windows deletes no mapped file)."""
        self._terms.close()
        self._view.release()
        self._map.close()

    def column(self, name: str) -> array[int]:
        """One number per document, of those in `COLUMNS`."""
        if name not in self._loaded:
            start, count = self._columns[name]
            numbers = array(COLUMNS[name])
            numbers.frombytes(self._view[start : start + count * numbers.itemsize])
            if _SWAP:
                numbers.byteswap()
            self._loaded[name] = numbers
        return self._loaded[name]

    def stored(self, document: int) -> list[Any]:
        """The stored fields, in the order of `Found`."""
        return json.loads(self.blob(document))

    def blob(self, document: int) -> bytes:
        """The stored fields as they are in the file."""
        offsets = self.column("stored")
        return bytes(self._view[self._blobs + offsets[document] : self._blobs + offsets[document + 1]])

    def extent(self, term: bytes) -> Extent | None:
        """Where the posting list of a key lies, or None when there is none."""
        return self._terms.extent(term)

    def postings(self, extent: Extent) -> Postings:
        """The posting list there."""
        start, length = extent
        return Postings(self._view[start : start + length], self.documents)

    def starting(self, prefix: bytes) -> Iterator[tuple[bytes, Extent]]:
        """Keys that begin with these bytes, in order, with the extents of their postings."""
        for at, length, start, size_ in self._terms.ranges_from(prefix):
            found = bytes(self._view[at : at + length])
            if not found.startswith(prefix):
                return
            yield found, (start, size_)


class _Terms(OrderedHashWriter):
    """Whoosh's ordered hash file with JSON where it keeps a pickle, in a file that goes on after it."""

    def __init__(self, file: StructFile) -> None:
        HashWriter.__init__(self, file, hashtype=_CRC32)
        self.index = GrowableArray("H")
        self._write, self._at = file.raw_file().write, file.tell()

    def add(self, key: bytes, value: bytes) -> None:
        """As Whoosh does it, with one write in place of three; keys must rise."""
        self.index.append(self._at)
        found = crc32(key)
        self.buckets[found & 255].append((found, self._at))
        self._at += self._write(_LENGTHS.pack(len(key), len(value)) + key + value)

    def _write_hashes(self) -> None:
        for entries in self.buckets:
            slots = 2 * len(entries)
            self.directory.append((self._at, slots))
            table, taken = bytearray(_POINTER.size * slots), set()
            for found, position in entries:
                slot = (found >> 8) % slots
                while slot in taken:
                    slot = (slot + 1) % slots
                taken.add(slot)
                _POINTER.pack_into(table, _POINTER.size * slot, found, position)
            self._at += self._write(table)

    def _write_directory(self) -> None:
        self._write(b"".join(_TABLE.pack(position, slots) for position, slots in self.directory))

    def finish(self) -> None:
        self._write_hashes()
        self._write_directory()
        start = self.dbfile.tell()
        self.dbfile.write_string4(json.dumps([self.index.typecode, len(self.index)]).encode())
        self.index.to_file(self.dbfile)
        self.dbfile.write_int(self.dbfile.tell() - start)


class _TermsReader(OrderedHashReader):
    view: memoryview

    def _read_extras(self) -> None:
        typecode, self.indexlen = json.loads(self.dbfile.read_string4())
        self.indexbase = self.dbfile.tell()
        self.indexsize = struct.calcsize(typecode)
        self._get_pos: Callable[[int], int] = {
            "B": self.dbfile.get_byte, "H": self.dbfile.get_ushort, "i": self.dbfile.get_int, "I": self.dbfile.get_uint, "q": self.dbfile.get_long
        }[typecode]  # fmt: skip

    def extent(self, term: bytes) -> Extent | None:
        """Where the value of a key lies; as Whoosh finds it, in a quarter of the time."""
        view, found = self.view, crc32(term)
        start, slots = self.tables[found & 255]
        for number in range(slots):
            slot = start + (((found >> 8) + number) % slots) * _POINTER.size
            known, position = _POINTER.unpack_from(view, slot)
            if not position:
                return None
            if known == found:
                length, size = _LENGTHS.unpack_from(view, position)
                at = position + _LENGTHS.size
                if length == len(term) and view[at : at + length] == term:
                    return at + length, size
        return None


class _Mapped(BufferFile):
    """Whoosh's buffer file over a memory map, which it would otherwise copy."""

    def __init__(self, file: mmap.mmap, view: memoryview) -> None:
        self.file: BinaryIO | mmap.mmap = file
        self._buf = view
        self._name = None
        self.is_real = False
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True
