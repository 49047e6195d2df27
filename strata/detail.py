"""The level at which a block is shown now: its detail fades as ready blocks follow it, until somebody opens it again.

A block begins at L5. Its age is the number of ready blocks of its thread that follow it, and `layers.decayed_level` says how
many levels that costs. To open a block at level n anchors it there: from then on it is at n, and fades from n by the ready
blocks that were sealed since. An anchor is a receipt, so it travels with the ledger. A pending block does not fade.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from strata import moment
from strata.layers import DEEPEST, decayed_level
from strata.ledger import READ, Receipt


class Anchor(NamedTuple):
    """At which level a block was opened last, and when."""

    level: int
    at: str


class Detail(NamedTuple):
    """A level from 0 to 5, and why it is that."""

    level: int
    why: str


def anchors(found: Iterable[Receipt]) -> dict[str, Anchor]:
    """For each block its anchor: of its openings the latest, and of those of the same moment the deepest."""
    last: dict[str, Anchor] = {}
    for receipt in found:
        if receipt.op != READ or receipt.level is None:
            continue
        for ref in receipt.refs:
            mine = Anchor(receipt.level, receipt.at)
            last[ref] = max(last.get(ref, mine), mine, key=_order)
    return last


def shown_at(age: int, anchor: Anchor | None = None, since: int = 0, *, pending: bool = False) -> Detail:
    """The level of a block that so many ready blocks follow, `since` of them sealed after its anchor."""
    if pending:
        return Detail(DEEPEST, "pending")
    if anchor is None:
        return Detail(DEEPEST - decayed_level(age), f"{_blocks(age)} since" if age else "the newest")
    return Detail(max(0, anchor.level - decayed_level(since)), f"opened at level {anchor.level} on {anchor.at[:10]}, {_blocks(since)} since")


def _order(anchor: Anchor) -> tuple[tuple[int, int], int, str]:
    return moment.sort_key(anchor.at), anchor.level, anchor.at


def _blocks(number: int) -> str:
    return f"{number:,} {'block' if number == 1 else 'blocks'}"
