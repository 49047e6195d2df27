"""What a header must say for its kind, or a refusal with path and line."""

from __future__ import annotations

from collections.abc import Collection

from strata.document import Document
from strata.errors import Malformed
from strata.model import Kind
from strata.supplied import shown


def expect(document: Document, kind: Kind, path: str) -> None:
    """Raise Malformed unless the header can be read and names this kind."""
    if document.problem:
        raise document.problem
    one_of(document, "kind", (kind,), path)


def one_of(document: Document, key: str, options: Collection[str], path: str) -> str:
    """The text of a key that must be one of these."""
    text = document.text(key)
    if text not in options:
        raise _wrong(document, key, f"is {' or '.join(options)}", path)
    return text


def whole_number(document: Document, key: str, path: str) -> int:
    """A number of at most nine digits."""
    text = document.text(key)
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise _wrong(document, key, "is a whole number", path)
    return int(text)


def share(document: Document, key: str, path: str) -> float | None:
    """A number from 0 to 1; None where the key is blank or missing."""
    text = document.text(key)
    try:
        value = float(text) if text else None
    except ValueError:
        value = -1.0
    if value is not None and not 0 <= value <= 1:
        raise _wrong(document, key, "is a number from 0 to 1", path)
    return value


def _wrong(document: Document, key: str, rule: str, path: str) -> Malformed:
    place = path or document.path
    return Malformed(f"{key} {rule}, not {shown(document.text(key))}", path=place, line=document.line_of(key) or 1, remedy="correct the header")
