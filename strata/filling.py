"""How sources share a page: each has a part of the budget, what it leaves goes to the next, and at the end round once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from strata.page import Page
from strata.results import Item


class Piece(NamedTuple):
    """An item on its way to the page; messages of one file and day share a head. `shorter` are to be tried where it does not fit."""

    item: Item
    head: str = ""
    order: int = 0
    shorter: tuple[Item, ...] = ()


def fill(page: Page, sources: Mapping[str, Iterator[Piece]], shares: Mapping[str, float]) -> bool:
    """Put the pieces of each source into the section of its name; the shares are relative to each other. Whether there was a piece at all."""
    whole = sum(shares[section] for section in sources)
    waiting = {section: _Waiting(pieces) for section, pieces in sources.items()}
    budget, room = page.left, 0
    for section, pieces in waiting.items():
        room += int(budget * shares[section] / whole)
        room -= _take(page, section, pieces, room)
    page.settle()
    for section, pieces in waiting.items():
        _take(page, section, pieces, page.left, last=True)
        page.settle()
    return any(pieces.begun for pieces in waiting.values())


class _Waiting:
    """Pieces of which the next can be looked at before it is taken."""

    def __init__(self, pieces: Iterator[Piece]) -> None:
        self._pieces = pieces
        self._next: Piece | None = None
        self.begun = False

    def look(self) -> Piece | None:
        """The next piece, or None at the end."""
        if self._next is None:
            self._next = next(self._pieces, None)
            self.begun = self.begun or self._next is not None
        return self._next

    def take(self) -> None:
        """Go on to the one after it."""
        self._next = None


def _take(page: Page, section: str, pieces: _Waiting, room: int, *, last: bool = False) -> int:
    """Put pieces on the page while they fit into the room; the tokens taken. The first may be cut, and the `last` one that fits nowhere else."""
    taken = 0
    while (piece := pieces.look()) is not None:
        if piece.item.ref not in page:
            cost = _put(page, section, piece, room - taken, cut=last or not taken)
            if not cost:
                break
            taken += cost
        pieces.take()
    return taken


def _put(page: Page, section: str, piece: Piece, room: int, *, cut: bool) -> int:
    tries = [(item, False) for item in (piece.item, *piece.shorter)]
    if cut:
        tries.append((tries[-1][0], True))
    return next((cost for item, part in tries if (cost := page.put(section, item, room, head=piece.head, order=piece.order, cut=part))), 0)
