"""How many tokens a text takes, by an estimate that errs on the side of too many.

Every model cuts text in its own way, so a budget is kept by a count that none of them is likely to exceed. The estimate goes
by the shape of the text: a word costs 1 and a fifth for each letter above four; a digit 1, for some models take digits one
by one; letters mixed with digits (a hash, a key) 1 each; a sign 1; a single blank nothing; a character of
another script by how rarely models know it. `docs/context.md` has what it gives against real tokenizers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple


class Counter(NamedTuple):
    """A way to count tokens: its name, as the output states it, and the function."""

    name: str
    count: Callable[[str], int]


_PLAIN_LETTERS = 4  # of a word that is one token
_SPELLED = 5  # further letters to a token
_MIXED = 1  # token for each character of a run of letters and digits
_AROUND = 2  # tokens that a text costs beside what is counted, so that short texts are safe too


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9]+|\s+|[^\x00-\x7f]+|.", re.DOTALL)


def estimate(text: str) -> int:
    """Tokens of a text; 0 for the empty one."""
    return int(sum(map(_cost, _pieces().findall(text)))) + _AROUND if text else 0


def _cost(piece: str) -> float:
    if not piece.isascii():
        return sum(map(_foreign, piece))
    if piece.isalpha():
        return 1 + max(0, len(piece) - _PLAIN_LETTERS) / _SPELLED
    if piece.isdigit():
        return len(piece)
    if piece.isalnum():
        return _MIXED * len(piece)
    if piece.isspace():
        return 0 if piece == " " else 0.5 + 0.5 * piece.count("\n") + len(piece) / 16
    return 1


def _foreign(character: str) -> float:
    """Tokens of a character beyond ASCII: Chinese, Japanese and Korean 1.5, an emoji 4, as many as it has bytes."""
    code = ord(character)
    if code < 0x800:
        return 1.25
    if 0x3000 <= code < 0xE000:
        return 1.5
    if code < 0xFE00:
        return 2
    return 3 if code < 0x10000 else 4


ESTIMATE = Counter("estimate", estimate)
