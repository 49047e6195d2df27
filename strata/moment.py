"""Times as text, kept exactly as they were written, and the stretch of time that each text covers.

A text says as much as its writer knew: `2026`, `2026-05`, `2026-05-20`, `2026-05-20T08:00`, with
seconds, a fraction and an offset (`Z`, `+09:00`, `+09`) where known. Nothing is rounded, moved to
another zone or filled up. Three rules serve every caller:

* A time without an offset is read as UTC, on every machine, whatever its `TZ`.
* The day of a time is the day that is written in it: `2026-03-01T23:30-05:00` is on 2026-03-01.
* An unknown time (the empty text, or one that cannot be read) sorts before every known one, so it
  comes last in a newest-first list, and lies within no bounds.

Years run from 0001 to 9999. `24:00` and a second of 60 are refused: neither can be compared exactly.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from strata.errors import Malformed

_REMEDY = "write 2026, 2026-05, 2026-05-20 or 2026-05-20T08:00:00Z"
_LONGEST = 40  # characters; the longest valid text has 35
_EPOCH = datetime(1970, 1, 1)
_TICK = timedelta(microseconds=1)
_SECONDS_BELOW = 10**11  # as seconds the year 5138, as milliseconds March 1973


class Moment(NamedTuple):
    """A time as written, and what follows from it.

    `precision` is year, month, day or instant; `opens` and `closes` are the half-open stretch on the
    writer's own clock (naive); `offset` is that clock's distance from UTC, None where none was written.
    """

    text: str
    precision: str
    opens: datetime
    closes: datetime
    offset: timedelta | None

    @property
    def start(self) -> datetime:
        """The first instant covered, in aware UTC."""
        return _to_utc(self.opens, self.offset)

    @property
    def end(self) -> datetime:
        """The first instant no longer covered, in aware UTC."""
        return _to_utc(self.closes, self.offset)


def parse(text: str, *, field: str = "", path: str = "", line: int | None = None) -> Moment:
    """Read one time; `field`, `path` and `line` only say where in the refusal.

    Raises Malformed for anything but the forms above, and for days and hours that do not exist.
    """
    try:
        return _read(text)
    except ValueError as fault:
        raise Malformed(f"{field or 'time'}: {fault}", remedy=_REMEDY, path=path, line=line) from None


def is_valid(text: str) -> bool:
    """Whether `parse` would read it; the empty text is unknown, hence not valid."""
    try:
        _read(text)
    except ValueError:
        return False
    return True


def sort_key(text: str) -> tuple[int, int]:
    """A key that puts any texts in order of time; it never fails.

    Ordered by the first instant, the wider stretch first (`2026` before `2026-01-01`).
    """
    moment = _known(text)
    if moment is None:
        return (-1, 0)
    start = moment.start.replace(tzinfo=None)
    return ((start - datetime.min) // _TICK, (moment.opens - moment.closes) // _TICK)


def within(text: str, since: str = "", until: str = "") -> bool:
    """Whether a time overlaps the stretch from `since` through all of `until`; "" is no bound.

    A bound with an offset is an instant and is compared as one. A bound without (`2026-03-01`) is
    compared with what is written in `text`, so a day holds whatever was dated that day anywhere.
    Raises Malformed for a bound that cannot be read.
    """
    first = parse(since, field="since") if since else None
    last = parse(until, field="until") if until else None
    if first is None and last is None:
        return True
    moment = _known(text)
    if moment is None:
        return False
    if first is not None:
        late_enough = moment.closes > first.opens if first.offset is None else moment.end > first.start
        if not late_enough:
            return False
    if last is not None:
        return moment.opens < last.closes if last.offset is None else moment.start < last.end
    return True


def local_day(text: str) -> str:
    """The day as written, `2026-05-20`; "" where the text names no day or cannot be read."""
    moment = _known(text)
    return text[:10] if moment is not None and moment.precision in ("day", "instant") else ""


def stamp(value: datetime) -> str:
    """An aware datetime as text in UTC: whole seconds as `2026-05-20T08:00:00Z`, else with the fraction."""
    return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def from_epoch(number: int | float) -> str:
    """A Unix time as text in UTC; its size tells seconds, milliseconds, micro- and nanoseconds apart.

    A size of 10**11 or more is no count of seconds. Milliseconds before March 1973 are therefore
    taken for seconds. Raises Malformed for what is no number or falls outside the years 0001-9999.
    """
    if isinstance(number, bool) or not isinstance(number, int | float) or number != number:
        raise Malformed(f"{number!r} is not a Unix time", remedy=_REMEDY)
    scale = 1
    while abs(number) >= _SECONDS_BELOW * scale and scale < 10**9:
        scale *= 1000
    try:
        micros = round(number * 1_000_000) if scale == 1 else int(number) * 1_000_000 // scale
        value = _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        raise Malformed(f"{number!r} is a Unix time outside the years 0001 to 9999", remedy=_REMEDY) from None
    return stamp(value.replace(tzinfo=UTC))


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2})(?P<clock>T"
        r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,9}))?)?"
        r"(?P<offset>Z|[+-][0-9]{2}(?::[0-9]{2})?)?)?)?)?"
    )


@lru_cache(maxsize=4096)
def _read(text: str) -> Moment:
    """The moment, or ValueError saying what is wrong with the text."""
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    match = _pattern().fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(f"{shown!r} is not an ISO 8601 date or time")
    year, month, day, hour, minute, second = (
        int(part) if part is not None else None
        for part in match.group("year", "month", "day", "hour", "minute", "second")
    )
    micros = int((match["fraction"] or "0").ljust(6, "0")[:6])
    try:
        opens = datetime(year, 1 if month is None else month, 1 if day is None else day,
                         hour or 0, minute or 0, second or 0, micros)
        offset = _offset(match["offset"])
    except ValueError as fault:
        raise ValueError(f"{shown!r} does not exist: {fault}") from None
    if day is None:
        precision, closes = ("year", _next_month(opens, 12)) if month is None else ("month", _next_month(opens, 1))
    elif match["clock"] is None:
        precision, closes = "day", _plus(opens, timedelta(days=1))
    else:
        unit = timedelta(minutes=1) if second is None else timedelta(seconds=1) if match["fraction"] is None else _TICK
        precision, closes = "instant", _plus(opens, unit)
    return Moment(text, precision, opens, closes, offset)


def _offset(text: str | None) -> timedelta | None:
    if text is None:
        return None
    if text == "Z":
        return timedelta(0)
    hours, minutes = int(text[1:3]), int(text[4:6] or "0")
    if hours > 23 or minutes > 59:
        raise ValueError(f"offset {text} must be below 24:00")
    return timedelta(hours=hours, minutes=minutes) * (-1 if text[0] == "-" else 1)


def _next_month(opens: datetime, months: int) -> datetime:
    years, month = divmod(opens.month - 1 + months, 12)
    year = opens.year + years
    return datetime.max if year > 9999 else opens.replace(year=year, month=month + 1)


def _plus(moment: datetime, distance: timedelta) -> datetime:
    """The sum, held at the ends of the calendar: the last second of 9999 has no next one."""
    try:
        return moment + distance
    except OverflowError:
        return datetime.max if distance > timedelta(0) else datetime.min


def _to_utc(wall: datetime, offset: timedelta | None) -> datetime:
    return (_plus(wall, -offset) if offset else wall).replace(tzinfo=UTC)


def _known(text: str) -> Moment | None:
    try:
        return _read(text) if text else None
    except ValueError:
        return None
