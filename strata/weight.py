"""How present an event is: what was used lately or often weighs more, and reading alone changes nothing.

    w(t, n) = max(floor, exp(-λ(n) · t))        λ(n) = 0.15 / (1 + 1.5 ln n)

t is the number of turns since the last use, n the number of uses (at least 1). A turn is a message of the user, in any
thread, whose own time is later than the use. So time passes by talking, not by the calendar; importing an old
conversation ages nothing; and two machines that hold the same files agree. What was never used counts from when it was said.

Only receipts of uses count. A pin makes it 1, a superseding event at most 0.1 (a correction outranks a pin), and
what is forgotten weighs 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import NamedTuple

from strata import moment
from strata.layout import split_ref
from strata.ledger import USE, Receipt, once
from strata.results import Weight

FLOORS = {"routine": 0.0, "preference": 0.3, "identity": 0.9, "safety": 1.0}
SUPERSEDED = 0.1
_FADING = 0.15
_HOLD = 1.5


class Uses(NamedTuple):
    """How often a record was used, and when last, as the receipt says it."""

    count: int
    last: str


def curve(turns: int, uses: int, floor: float = 0.0) -> float:
    """The formula above, for whole numbers from 0 on; no use counts as one."""
    return max(floor, exp(-_FADING / (1 + _HOLD * log(max(1, uses))) * turns))


def weigh(
    *, uses: int, turns: int, criticality: str = "routine", pinned: bool = False, superseded_by: Sequence[str] = (), forgotten: bool = False, known: bool = True
) -> Weight:
    """The weight and its reasons, in the order in which they apply.

    `turns` since the last use, or since it was said where `uses` is 0; `known` is false where nobody knows when that was,
    and then no turn counts. A criticality that is none of `FLOORS` is routine.
    """
    floor = FLOORS.get(criticality, 0.0)
    value = curve(turns, uses, floor)
    reasons = [f"used {_times(uses)}" if uses else "never used", _since(turns, uses, known)]
    if floor:
        reasons.append(f"{criticality}: never below {floor:g}")
    if pinned:
        value = 1.0
        reasons.append("pinned: 1")
    if superseded_by:
        value = min(value, SUPERSEDED)
        reasons.append(f"superseded by {', '.join(superseded_by)}: at most {SUPERSEDED:g}")
    if forgotten:
        value = 0.0
        reasons.append("forgotten: 0")
    return Weight(value, uses, turns, floor, tuple(reasons))


def uses(found: Iterable[Receipt]) -> dict[str, Uses]:
    """For each ref that receipts name its uses: each receipt once, and once for a record however many of its messages it names."""
    used: dict[str, Uses] = {}
    for receipt in once(found):
        if receipt.op != USE:
            continue
        for ref in {split_ref(ref)[0] for ref in receipt.refs}:
            before = used.get(ref, Uses(0, ""))
            used[ref] = Uses(before.count + 1, max(before.last, receipt.at, key=_order))
    return used


def _order(at: str) -> tuple[tuple[int, int], str]:
    return moment.sort_key(at), at


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _since(turns: int, uses: int, known: bool) -> str:
    if not known:
        return "no turn counted, since nobody knows when it was said"
    return f"{turns:,} {'turn' if turns == 1 else 'turns'} since {'the last use' if uses else 'it was said'}"
