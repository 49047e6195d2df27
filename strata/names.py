"""The names of records: ids that are minted once, slugs for file names, titles for lists."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from strata import moment
from strata.errors import Malformed

if TYPE_CHECKING:
    from strata.document import Document

_LETTERS = "abcdefghjkmnpqrstuvwxyz"  # no i, l, o: they look like 1 and 0
_ALPHABET = _LETTERS + "23456789"
_TAIL = 5  # characters after the first
_ID = rf"(?:blk|evt)-[0-9]{{8}}-[{_ALPHABET}]{{{_TAIL + 1}}}|ent-[a-z]+-[a-z0-9]+(?:-[a-z0-9]+)*"
_UNDECOMPOSED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_TITLE = 80  # characters
_READ_FOR_TITLE = 16_384  # bytes of a body


def new_id(prefix: str, day: str, random: Callable[[int], bytes]) -> str:
    """`blk-20261130-x2m9ta`: a day as `2026-11-30` ("" leaves it out), and six characters out of eight random bytes.

    The first of the six is a letter, so that no part of an id can be read as a number (`2e5`).
    There are about 660 million a day; the caller sees to it that this one is free.
    Raises Malformed for a day that does not exist.
    """
    if day and moment.parse(day, field="day of a new id").precision != "day":
        raise Malformed(f"day of a new id: {day!r} is not one day", remedy="write it as 2026-11-30")
    number = int.from_bytes(random(8), "big")  # 64 bits: the remainders are even to one in 10**10
    number, first = divmod(number, len(_LETTERS))
    characters = [_LETTERS[first]]
    for _ in range(_TAIL):
        number, place = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[place])
    return "-".join(part for part in (prefix, day.replace("-", ""), "".join(characters)) if part)


def is_id(text: str) -> bool:
    """Whether a text has the form of a block's, event's or entity's id."""
    return len(text) <= 100 and re.fullmatch(_ID, text) is not None


def slug(text: str, limit: int = 60) -> str:
    """A text as a part of a file name: `a-z`, `0-9` and single hyphens, at most `limit`, cut between words.

    Accents are dropped; other scripts are not transliterated, so "" is what remains of 日本語.
    """
    folded = text[: 4 * limit].casefold().translate(_UNDECOMPOSED)
    plain = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode("ascii")
    whole = "-".join(re.findall("[a-z0-9]+", plain.replace("'", "")))
    if len(whole) <= limit:
        return whole
    cut = whole[: limit + 1].rfind("-")
    return whole[: cut if cut > limit // 2 else limit].rstrip("-")


def title_of(document: Document, path: str) -> str:
    """What to call a record in a list: its title or name, else its first heading, else its first line, else its file."""
    titled = document.text("title") or document.text("name")
    if titled.strip():
        return " ".join(titled.split())
    text = document.body[:_READ_FOR_TITLE].decode("utf-8", "replace").removeprefix("\ufeff")
    first, fenced = "", False
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if not fenced and (heading := re.match(r"#{1,6}\s+(.+)", bare)):
            return _shortened(heading[1].rstrip("# "))
        if not first and any(map(str.isalnum, bare)):
            first = bare.lstrip("#>*-+ \t")
    return _shortened(first) or path.rpartition("/")[2].removesuffix(".md")


def _shortened(text: str) -> str:
    """A line of at most 80 characters, cut between words where it has any."""
    line = " ".join(text.split())
    if len(line) <= _TITLE:
        return line
    space = line.rfind(" ", _TITLE // 2, _TITLE)
    return line[: space if space > 0 else _TITLE - 1] + "…"
