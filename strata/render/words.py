"""Small pieces of text for people: counts, sizes, dates, places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from strata.render.visible import one_line

if TYPE_CHECKING:
    from strata.results import Redaction

SHORT_ID = 10  # characters of a commit id that people are shown


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 message`, `1,204 messages`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(number: int) -> str:
    """Bytes in units of a thousand: `812 B`, `4.1 kB`, `23 MB`."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 9.95 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:,.1f} TB"


def day(at: str) -> str:
    """The day of a time, as it was written: `2026-05-20`; "" when unknown."""
    return one_line(at)[:10]


def minute(at: str) -> str:
    """A time to the minute, as it was written: `2026-05-20 08:00`."""
    return one_line(at)[:16].replace("T", " ")


def listed(names: Sequence[str], limit: int = 5) -> str:
    """`a, b and 3 more`."""
    shown = ", ".join(one_line(name) for name in names[:limit])
    return f"{shown} and {len(names) - limit:,} more" if len(names) > limit else shown


def secrets(found: Sequence[Redaction]) -> list[str]:
    """One line for what was found in what was captured, or none."""
    if not found:
        return []
    kinds = ", ".join(f"{one_line(secret.kind)}{f' ×{secret.count:,}' if secret.count > 1 else ''}" for secret in found)
    total = count(sum(secret.count for secret in found), "secret")
    if found[0].action == "replaced":
        return [f"{total} replaced before anything was written: {kinds}"]
    return [f"{total} found and kept, as `redact: report` asks: {kinds}"]
