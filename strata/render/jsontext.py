"""A result as JSON: the bare value on one line, a list as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from strata.render.values import Listing, Partly, Reply, Twofold
from strata.render.visible import json_escaped


def lines(value: Any, *, ascii_only: bool = False) -> Iterator[str]:
    """The lines to print for a result: one for a value, one for each item of a list."""
    match value:
        case Listing():
            for item in value.items:
                yield dumps(item, ascii_only=ascii_only)
        case Partly():
            yield from lines(value.value, ascii_only=ascii_only)
        case Reply() | Twofold():
            yield dumps(value.value, ascii_only=ascii_only)
        case _:
            yield dumps(value, ascii_only=ascii_only)


def dumps(value: Any, *, ascii_only: bool = False) -> str:
    """One line of JSON that a terminal can show without harm; `ascii_only` for an output that knows no UTF-8."""
    return json_escaped(json.dumps(plain(value), ensure_ascii=ascii_only))


def plain(value: Any) -> Any:
    """A result as what JSON knows: named tuples become objects with their fields, tuples lists, enums their text."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if (fields := getattr(type(value), "_fields", None)) is not None:
        return {name: plain(getattr(value, name)) for name in fields}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
