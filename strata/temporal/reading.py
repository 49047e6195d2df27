"""A text in, its times out: finds the single times of both languages and puts them together."""

from __future__ import annotations

from strata import moment
from strata.temporal import chinese, numeric, phrases
from strata.temporal.atoms import Said, apart, found
from strata.temporal.joining import joined
from strata.temporal.result import Resolved


def read(text: str, said_at: str, whole: bool) -> list[Resolved]:
    """The times of a text, in order; `whole` says that it is nothing but a time."""
    lowered = text.lower()
    said = _said(said_at)
    atoms = found(numeric.RULES, text, lowered, said)
    atoms += found(phrases.RULES, text, lowered, said) if any(char.isascii() and char.isalpha() for char in text) else []
    atoms += found(chinese.RULES, text, lowered, said) if not text.isascii() else []
    return joined(text, apart(atoms), said, whole) if atoms else []


def _said(said_at: str) -> Said:
    """The day, the minutes and the offset of a time of saying; all unknown where it names no day."""
    if not moment.local_day(said_at):
        return Said(None)
    known = moment.parse(said_at)
    if known.precision == "day":
        return Said(known.opens.date())
    tail = said_at[11:]
    place = max(tail.find(sign) for sign in "Z+-")
    return Said(known.opens.date(), known.opens.hour * 60 + known.opens.minute, tail[place:] if place >= 0 else "")
