"""What a time expression means."""

from __future__ import annotations

from typing import NamedTuple


class Resolved(NamedTuple):
    """A time expression of a text and the stretch it means.

    `start` and `end` are texts of `strata.moment`, both included; an `end` of "" means that `start` says
    all (or, after "since", that the end is not known), a `start` of "" that the beginning is not known.
    `precision` is one of `cards.PRECISIONS`; `basis` explicit, relative or unknown (then both times are "").
    `text` are the words as written and `begin`, `stop` their place.
    """

    start: str
    end: str
    precision: str
    basis: str
    text: str
    begin: int
    stop: int
