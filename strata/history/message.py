"""Commit messages and signatures, made safe on the way in and read leniently on the way out.

Trailers follow git-interpret-trailers(1): the last paragraph, one `Key: value` a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from strata.errors import UsageError
from strata.model import HUMAN, Author

Trailers = Sequence[tuple[str, str]]

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*)\s*:\s*(.*)")
_CRUD = " .,:;<>\"\\'"  # what git itself strips from both ends of a name
_SUBJECT_LIMIT = 100


def compose(subject: str, trailers: Trailers) -> str:
    """The whole message: one subject line of at most 100 characters, then the trailers."""
    line = one_line(subject) or "(no subject)"
    if len(line) > _SUBJECT_LIMIT:
        line = line[: _SUBJECT_LIMIT - 1].rstrip() + "…"
    for key, _ in trailers:
        if not _KEY.fullmatch(key):
            raise UsageError(f"{key!r} cannot be the key of a trailer", remedy="use letters, digits and hyphens")
    rows = [f"{key}: {one_line(value)}".rstrip() + "\n" for key, value in trailers]
    return f"{line}\n" + ("\n" + "".join(rows) if rows else "")


def split(message: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Subject and trailers of any commit's message; a last paragraph that is not all trailers holds none."""
    paragraphs = re.split(r"\n[ \t]*\n", message.strip().replace("\r\n", "\n"))
    subject = " ".join(paragraphs[0].split())
    rows: list[tuple[str, str]] = []
    for line in paragraphs[-1].splitlines() if len(paragraphs) > 1 else ():
        if line[:1] in (" ", "\t") and rows:  # a folded value goes on
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}")
        elif match := _TRAILER.fullmatch(line):
            rows.append((match[1], match[2].strip()))
        else:
            return subject, ()
    return subject, tuple(rows)


def one_line(text: str) -> str:
    """`text` on one line that git stores and a terminal shows as it is: no control characters, no lone surrogates."""
    kept = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(kept.split())


def safe(author: Author) -> Author:
    """`author` in the form git accepts; what nothing is left of is taken from the unnamed user."""
    name, email = (
        one_line(text.translate({ord("<"): None, ord(">"): None})).strip(_CRUD) for text in (author.name, author.email)
    )
    return Author(name or HUMAN.name, email.replace(" ", "") or HUMAN.email)
