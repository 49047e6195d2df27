"""The index as Whoosh sees it: a codec for segments of this package, and the table of contents that lists them.

With it any program that uses Whoosh can open the folder and search it. Strata itself reads the segments directly and
never unpickles a table of contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from whoosh import fields, formats
from whoosh.codec import base
from whoosh.codec.whoosh3 import W3Codec, W3Segment
from whoosh.filedb.filestore import FileStorage
from whoosh.index import TOC
from whoosh.matching import ListMatcher
from whoosh.reading import TermInfo, TermNotFound

from strata.shadow.scoring import IMPACT
from strata.shadow.segment import FIELDS, Segment, key

STORED = ("path", "ref", "kind", "title", "at", "until", "thread", "message", "speaker", "tags", "position", "about", "pinned", "forgotten", "sources")


def schema() -> fields.Schema:
    """The searchable fields. `text` holds the terms of `strata.shadow.terms`, so Whoosh must not analyse queries for it."""
    names = {name: fields.ID() for name in FIELDS} | {name: fields.STORED() for name in STORED if name not in FIELDS}
    return fields.Schema(**names)


def write_contents(folder: Path, generation: int, parts: Iterable[tuple[str, int, Iterable[int]]]) -> None:
    """Write Whoosh's table of contents: for each segment its file name, number of documents and removed documents."""
    codec = SegmentCodec()
    segments = [W3Segment(codec, "MAIN", count, Path(name).stem.removeprefix("MAIN_"), set(dead) or None) for name, count, dead in parts]
    for segment in segments:
        segment._fieldlengths = {}
    TOC(schema(), segments, generation).write(FileStorage(str(folder)), "MAIN")


class SegmentCodec(W3Codec):
    """Reads segments; they are written in bulk by `strata.shadow.batch`, not through a Whoosh writer."""

    def terms_reader(self, storage: FileStorage, segment: W3Segment) -> _Terms:
        return _Terms(_opened(storage, segment))

    def per_document_reader(self, storage: FileStorage, segment: W3Segment) -> _Documents:
        return _Documents(segment, _opened(storage, segment))


def _opened(storage: FileStorage, segment: W3Segment) -> Segment:
    return Segment(Path(storage.folder) / segment.make_filename(".seg"))


class _Terms(base.TermsReader):
    def __init__(self, segment: Segment) -> None:
        self._segment = segment

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return self._segment.extent(key(term[0], "") + term[1]) is not None

    def indexed_field_names(self) -> tuple[str, ...]:
        return FIELDS

    def terms(self) -> Iterator[tuple[str, bytes]]:
        return ((FIELDS[term[1]], term[2:]) for term, _ in self._segment.starting(b""))

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        start = key(fieldname, "")
        return ((fieldname, term[2:]) for term, _ in self._segment.starting(start) if term[2:] >= prefix)

    def items(self) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        return ((term, self.term_info(*term)) for term in self.terms())

    def items_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        return ((term, self.term_info(*term)) for term in self.terms_from(fieldname, prefix))

    def term_info(self, fieldname: str, text: bytes) -> TermInfo:
        documents, weights = self._postings(fieldname, text)
        return TermInfo(sum(weights), len(documents), 1, 1, max(weights), documents[0], documents[-1])

    def doc_frequency(self, fieldname: str, text: bytes) -> int:
        extent = self._segment.extent(key(fieldname, "") + text)
        return self._segment.postings(extent).size if extent else 0

    def matcher(self, fieldname: str, text: bytes, format_: formats.Format, scorer: Any = None) -> ListMatcher:
        documents, weights = self._postings(fieldname, text)
        return ListMatcher(documents, weights, None, format_, scorer, term=(fieldname, text), terminfo=self.term_info(fieldname, text))

    def close(self) -> None:
        self._segment.close()

    def _postings(self, fieldname: str, text: bytes) -> tuple[list[int], list[float]]:
        extent = self._segment.extent(key(fieldname, "") + text)
        if extent is None:
            raise TermNotFound(f"no term {fieldname}:{text!r}")
        found = self._segment.postings(extent)
        return found.documents.tolist(), [IMPACT[code] for code in found.codes]


class _Documents(base.PerDocumentReader):
    def __init__(self, listed: W3Segment, segment: Segment) -> None:
        self._listed = listed
        self._segment = segment

    def doc_count(self) -> int:
        return self._listed.doc_count()

    def doc_count_all(self) -> int:
        return self._listed.doc_count_all()

    def has_deletions(self) -> bool:
        return self._listed.has_deletions()

    def is_deleted(self, docnum: int) -> bool:
        return self._listed.is_deleted(docnum)

    def deleted_docs(self) -> Iterator[int]:
        return iter(self._listed.deleted_docs())

    def stored_fields(self, docnum: int) -> dict[str, Any]:
        return dict(zip(STORED, self._segment.stored(docnum), strict=True))

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        return 1

    def field_length(self, fieldname: str) -> int:
        return self._listed.doc_count_all()

    def min_field_length(self, fieldname: str) -> int:
        return 1

    def max_field_length(self, fieldname: str) -> int:
        return 1

    def close(self) -> None:
        self._segment.close()
