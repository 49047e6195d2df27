"""How numbers are spread over ranges, and the bars that show it in a terminal."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

Spread = tuple[tuple[str, int], ...]
"""Each range by its name, with how many numbers lie in it."""

_AGES = (("< 1", 0), ("1-7", 1), ("7-14", 7), ("14-30", 14), ("30-90", 30), ("90-365", 90), ("> 365", 365))
_ACCESSES = (("0", 0), ("1", 1), ("2", 2), ("3-5", 3), ("> 5", 6))
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")


def by_age(days: Iterable[float]) -> Spread:
    """Idle days over ranges; a whole number belongs to the range that it opens, a time to come to the youngest."""
    return _spread(days, _AGES)


def by_access(numbers: Iterable[int]) -> Spread:
    """Numbers of accesses over ranges."""
    return _spread(numbers, _ACCESSES)


def histogram(title: str, spread: Spread, width: int, *, blocks: bool = True) -> list[str]:
    """A title, and a line for each range: its name, its count, a bar. At most `width` columns where names and counts fit.

    The longest bar takes the room there is. What is not nothing has a bar one can see. Without
    `blocks`, for a screen that lacks these characters, bars are made of `#`.
    """
    names = max((len(name) for name, _ in spread), default=0)
    counts = max((len(f"{count:,}") for _, count in spread), default=0)
    room = max(1, width - names - counts - 6)
    largest = max((count for _, count in spread), default=0)
    return [title, *(f"  {name:<{names}}  {count:>{counts},}  {_bar(count, largest, room, blocks)}".rstrip() for name, count in spread)]


def beside(left: Sequence[str], right: Sequence[str], width: int) -> list[str]:
    """Two blocks of lines as columns, the second one from the column `width` on; none of `left` may be wider."""
    rows = max(len(left), len(right))
    padded = ([*lines, *[""] * (rows - len(lines))] for lines in (left, right))
    return [f"{one:<{width}}{other}".rstrip() for one, other in zip(*padded, strict=True)]


def _spread(numbers: Iterable[float], ranges: Sequence[tuple[str, int]]) -> Spread:
    starts = [start for _, start in ranges[1:]]
    counts = [0] * len(ranges)
    for number in numbers:
        counts[bisect_right(starts, number)] += 1
    return tuple((name, count) for (name, _), count in zip(ranges, counts, strict=True))


def _bar(count: int, largest: int, room: int, blocks: bool) -> str:
    if not count:
        return ""
    if not blocks:
        return "#" * max(1, count * room // largest)
    whole, eighth = divmod(max(1, count * room * 8 // largest), 8)
    return "█" * whole + _EIGHTHS[eighth]
