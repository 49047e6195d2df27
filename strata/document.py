"""A markdown file with YAML frontmatter as a value that keeps every byte it was made of.

A header stands between a first line `---` and the next line `---`, and is a YAML mapping; anything
else is body. Every scalar is the text that was written: `007`, `no` and `2026-05-20` stay as they
are, a blank, `~` or `null` is "". A header that is broken makes the whole file text, with a
`problem` that says where; such a file is never changed.

A change to one key changes that key's lines and nothing else. What a change would produce is read
back before it is returned, so a header too unusual to edit is refused rather than damaged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from strata import yamlread, yamltext
from strata.errors import Malformed

BOM = b"\xef\xbb\xbf"
MAX_HEADER = 256 * 1024
"""Bytes; a longer header is refused before it is parsed."""

Texts = list[str]  # within the class, `list` is its method

_OPENING = rb"---[ \t]*\r?\n"
_CLOSING = rb"(?m)^---[ \t]*\r?$"


class Document:
    """One file: `data` all its bytes, `header` its keys in order, `body` the bytes below the header.

    `body_line` is the 1-based line the body starts on. `problem` is what is wrong with the header, if
    anything; then `header` is empty and `body` is the whole file. A byte-order mark belongs to neither.
    """

    __slots__ = ("_nodes", "_text", "body", "body_line", "data", "has_header", "header", "path", "problem")

    def __init__(self, data: bytes, path: str) -> None:
        self.data = data
        self.path = path
        self.header: dict[str, Any] = {}
        self.body = data.removeprefix(BOM)
        self.body_line = 1
        self.problem: Malformed | None = None
        self.has_header = False
        self._text = ""  # what stands between the fences
        self._nodes: dict[str, yamlread.Node] = {}

    @classmethod
    def parse(cls, data: bytes, path: str = "") -> Document:
        """The document in these bytes, whatever they are; `path` is for its problem."""
        document = cls(data, path)
        start = len(BOM) if data.startswith(BOM) else 0
        opening = re.compile(_OPENING).match(data, start)
        closing = opening and re.compile(_CLOSING).search(data, opening.end())
        if opening and closing:
            document._read(data[opening.end() : closing.start()], closing.end())
        return document

    @classmethod
    def new(cls, header: Mapping[str, Any], body: bytes, path: str = "") -> Document:
        """A document with these keys in this order and exactly this body.

        Values are texts, numbers, dates, booleans, None (a blank), lists and mappings of these. Raises
        `Malformed` where YAML has no way to write one (half a surrogate pair, a key above 1,000
        characters) and for a header above `MAX_HEADER`.
        """
        bare = cls.parse(body, path)
        if not header and bare.body == body and not (bare.has_header or bare.problem):
            return bare
        text = "".join(line + "\n" for key, value in header.items() for line in yamltext.entry(key, value))
        return cls._checked([b"---\n", text.encode("utf-8"), b"---\n", body], yamltext.plain(header), path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self.data == other.data

    def __hash__(self) -> int:
        return hash(self.data)

    def __repr__(self) -> str:
        return f"Document({self.path!r}, {self.header!r}, {len(self.body)} bytes)"

    # reading

    def text(self, key: str, default: str = "") -> str:
        """The text of a key; `default` where it is missing, blank, a list or a mapping."""
        value = self.header.get(key)
        return value if isinstance(value, str) and value else default

    def list(self, key: str) -> Texts:
        """The texts of a list; a single text is a list of one, a blank or a missing key an empty one."""
        value = self.header.get(key, "")
        if isinstance(value, str):
            return [value] if value else []
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def flag(self, key: str) -> bool:
        """Whether a key says true, yes, on or 1, in any case."""
        return self.text(key).casefold() in ("true", "yes", "on", "1")

    def line_of(self, key: str) -> int | None:
        """The 1-based line of a key."""
        node = self._nodes.get(key)
        return None if node is None else self._line(node.key_start)

    # changing

    def set(self, /, **changes: Any) -> Document:
        """The document with these keys changed; see `with_values`."""
        return self.with_values(changes)

    def with_values(self, changes: Mapping[str, Any]) -> Document:
        """The document with these keys changed; None removes a key, a new one goes to the end of the header.

        Keeps all other bytes, and all bytes where nothing changes. A list stays in the style it had; a
        comment behind a value stays. Raises the document's problem if it has one, and `Malformed` if a
        key cannot be changed alone.
        """
        if self.problem:
            raise self.problem
        document = self
        for key, value in changes.items():
            document = document._with_value(key, value)
        return document

    def with_body(self, body: bytes) -> Document:
        """The document with the same header, byte for byte, above another body."""
        if self.problem:
            raise self.problem
        if not self.has_header:
            return Document.new({}, body, self.path)
        head = self.data[: len(self.data) - len(self.body)]
        return Document.parse(head + (b"" if head.endswith(b"\n") else b"\n") + body, self.path)

    def _read(self, raw: bytes, closing: int) -> None:
        """Take what stands between the fences as the header, if it is one; `closing` is where the second one ends."""
        try:
            if len(raw) > MAX_HEADER:
                raise yamlread.Broken(f"larger than {MAX_HEADER // 1024} KB", 0)
            text = _decoded(raw)
            nodes = yamlread.read(text)
        except yamlread.Broken as broken:
            text = raw[:MAX_HEADER].decode("utf-8", "replace")
            if yamlread.looks_like_header(text):
                self.problem = Malformed(
                    f"the header cannot be read: {broken.message}",
                    path=self.path,
                    line=2 + text.count("\n", 0, broken.position),
                    remedy="correct it by hand; until then the file is plain text",
                )
            return
        if nodes is None:
            return
        below = closing + (self.data[closing : closing + 1] == b"\n")
        self.has_header = True
        self.header = {key: node.value for key, node in nodes.items()}
        self.body = self.data[below:]
        self.body_line = 1 + self.data.count(b"\n", 0, below) + (below == closing)
        self._text, self._nodes = text, nodes

    def _with_value(self, key: str, value: Any) -> Document:
        expected = dict(self.header)
        if value is None:
            expected.pop(key, None)
        else:
            expected[key] = yamltext.plain(value)
        if expected == self.header:
            return self
        head = self.data[: len(self.data) - len(self.body)]
        line_end = _line_end(self.data)
        if not self.has_header:
            text = yamltext.added("", key, value, line_end)
            fence = f"---{line_end}".encode()
            return self._checked([head, fence, text.encode("utf-8"), fence, self.body], expected, self.path)
        try:
            if key in self._nodes:
                text = yamltext.changed(self._text, key, self._nodes[key], value)
            else:
                text = yamltext.added(self._text, key, value, line_end)
        except yamlread.Broken as broken:
            raise Malformed(
                broken.message,
                path=self.path,
                line=self._line(broken.position),
                remedy="write the header one key a line",
            ) from broken
        opening = head.index(b"\n") + 1
        closing = opening + len(self._text.encode("utf-8"))
        parts = [head[:opening], text.encode("utf-8"), head[closing:]]
        return self._checked([*parts, self.body], expected, self.path)

    def _line(self, position: int) -> int:
        """The line of the file for a position in the header's text."""
        return 2 + self._text.count("\n", 0, position)

    @classmethod
    def _checked(cls, parts: Sequence[bytes], expected: dict[str, Any], path: str) -> Document:
        """The document in these parts, if it says what was meant."""
        document = cls.parse(b"".join(parts), path)
        if not document.has_header or list(document.header.items()) != list(expected.items()):
            reason = document.problem.message if document.problem else "the rest would be read differently"
            raise Malformed(f"this cannot be written into the header: {reason}", path=path, remedy="edit it by hand")
        return document


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        position = len(raw[: error.start].decode("utf-8"))
        raise yamlread.Broken("not UTF-8", position) from error


def _line_end(data: bytes) -> str:
    """How the first line ends."""
    return "\r\n" if data[: data.find(b"\n") + 1].endswith(b"\r\n") else "\n"
