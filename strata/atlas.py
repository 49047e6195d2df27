"""The map of active/, drawn from what git says of ages and what the index knows of titles, and kept in `index.md`."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from strata import layout, survey
from strata.model import Kind, Tier
from strata.outline import Entered, Outline
from strata.results import Mapped

if TYPE_CHECKING:
    from strata.janitor import Life
    from strata.lives import Lives
    from strata.store import Store

MAP = "index.md"


def drawn(store: Store, lives: Lives, now: datetime, progress: Callable[[int, int], None] | None = None, *, settled: bool = False) -> Mapped:
    """Draw the map of what is in active/ now, and keep it; `settled` as for `Lives.rows`."""
    rows = _rows(store, lives.rows(int(now.timestamp()), progress, settled=settled))
    outline = Outline(rows)
    found = store.ask(lambda shadow: shadow.records_at(outline.wanted))
    text = outline.text({path: (entry.title, entry.about) for path, entry in found.items()})
    _keep(store, text.encode("utf-8", "replace"))
    return Mapped(MAP, text, len(rows))


def _rows(store: Store, lives: list[Life]) -> list[Entered]:
    prefix = f"{Tier.ACTIVE}/"
    forgotten = {entry.path for entry in store.ask(lambda shadow: list(shadow.entries(tiers=(Tier.ACTIVE,), forgotten=True)))}
    rows = [
        Entered(path, str(layout.kind_of(path)), _day(changed))
        for path, changed, *_ in lives
        if path.startswith(prefix) and path not in forgotten
    ]
    tails = store.root / Tier.ACTIVE / "tails"
    for name in sorted(os.listdir(tails)) if tails.is_dir() else ():
        path = f"{prefix}tails/{name}"
        if layout.is_record(path) and (found := survey.signature(store.root / path)):
            rows.append(Entered(path, str(Kind.TAIL), _day(found[0] // 1_000_000_000)))
    return rows


def _day(seconds: int) -> str:
    """The day of a Unix time, in UTC; "" for none."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d") if seconds > 0 else ""


def _keep(store: Store, data: bytes) -> None:
    """Write the map in place. A rename would move the memory's folder, and each search would have to look at it again."""
    place = store.files.place(MAP)
    if place.is_symlink():
        store.warn(f"{MAP} is a link, and is not written through")
        return
    try:
        if place.read_bytes() == data:
            return
    except FileNotFoundError:
        pass  # the first map
    with open(place, "r+b" if place.exists() else "xb") as stream:
        stream.write(data)
        stream.truncate()
