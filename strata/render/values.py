"""What a command returns where the bare result of its verb does not say enough to be printed.

Programs see the bare result in any case: `--json` prints `items` and `value` and nothing around them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from strata.errors import StrataError


class Listing:
    """Several results, one a line; `empty` is what people read when there are none.

    `query` is what was searched for, to mark it in the text. `note` is what people read below them. `exit_code` is the command's.
    """

    def __init__(self, items: Iterable[Any], *, empty: str, query: str = "", note: str = "", exit_code: int = 0) -> None:
        self.items = list(items)
        self.empty = empty
        self.query = query
        self.note = note
        self.exit_code = exit_code


class Reply:
    """A value for programs and the words for people that say the same."""

    def __init__(self, value: Any, text: str) -> None:
        self.value = value
        self.text = text


class Twofold:
    """A value for programs, and the result that people are shown for it."""

    def __init__(self, value: Any, shown: Any) -> None:
        self.value = value
        self.shown = shown


class Partly:
    """A result, and the error that kept it from being the whole of what was asked."""

    def __init__(self, value: Any, error: StrataError) -> None:
        self.value = value
        self.error = error


class Patch(str):
    """A difference in the unified format."""

    __slots__ = ()
