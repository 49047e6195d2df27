"""What a caller may ask for: kinds, tiers, times and limits that exist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from strata import layout, moment
from strata.errors import UsageError
from strata.model import Message

MESSAGE = "message"
RECORDS = ("block", "event", "entity", "note")


def filters(tiers: Sequence[str], kinds: Sequence[str], since: str, until: str, limit: int | None, *more: str, **spans: str) -> dict[str, Any]:
    """Filters as the index takes them; a single name may stand for a list of one, and `spans` are further bounds in time.

    Raises UsageError for what does not exist.
    """
    chosen: dict[str, Any] = {}
    for name, given, known in (("tiers", tiers, layout.TIERS), ("kinds", kinds, (*RECORDS, *more))):
        names = (given,) if isinstance(given, str) else tuple(given)
        if wrong := [item for item in names if item not in known]:
            raise UsageError(f"there are no {name} called {', '.join(map(repr, wrong))}", remedy=f"they are {', '.join(known)}")
        chosen[name] = names
    for name, bound in (("since", since), ("until", until), *spans.items()):
        if bound and not moment.is_valid(bound):
            raise UsageError(f"{name.replace('_', ' ')} cannot be {bound!r}", remedy="give a date or time in ISO 8601, such as 2026-11-30")
        chosen[name] = bound
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} shows nothing", remedy="give 1 or more")
    return chosen


def check_times(messages: Iterable[Message]) -> None:
    """Raise Malformed for the first message whose time is none."""
    for number, message in enumerate(messages, 1):
        if message.at:
            moment.parse(message.at, field=f"the time of message {message.id or number}")
