"""The map of active/, drawn from what git says of ages and what the index knows of titles, and kept in `index.md`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from strata import layout, survey
from strata.document import Document
from strata.filters import RECORDS
from strata.model import Kind, Progress, Tier
from strata.moment import stamp
from strata.outline import Entered, Outline
from strata.results import Mapped

if TYPE_CHECKING:
    from strata.lives import Lives
    from strata.shadow import Found
    from strata.store import Store

MAP = "index.md"
FEW = 500  # records up to which the index is asked for all at once, rather than for those that the map shows


def drawn(store: Store, lives: Lives, now: datetime, progress: Progress | None = None, *, settled: bool = False) -> Mapped:
    """Draw the map of what is in active/ now, and keep it; `settled` as for `Lives.rows`."""
    active = [life for life in lives.rows(int(now.timestamp()), progress, settled=settled) if life[0].startswith(f"{Tier.ACTIVE}/")]
    many = len(active) > FEW
    known = {} if many else _known(store, forgotten=None)
    hidden = {path for path, entry in (_known(store, forgotten=True) if many else known).items() if entry.forgotten}
    rows = [Entered(path, str(layout.kind_of(path)), _time(changed)) for path, changed, *_ in active if path not in hidden]
    rows += _tails(store)
    outline = Outline(rows)
    if many:
        known = store.ask(lambda shadow: shadow.records_at(outline.wanted))
    words = {path: (entry.title, entry.about) for path, entry in known.items()}
    words |= {path: (_thread(store, path), "") for path in outline.wanted if layout.kind_of(path) == Kind.TAIL}
    text = outline.text(words)
    _keep(store, text.encode("utf-8", "replace"))
    return Mapped(MAP, text, len(rows))


def _known(store: Store, *, forgotten: bool | None) -> dict[str, Found]:
    """The records of active/ by path: all, or those that were forgotten."""
    return {entry.path: entry for entry in store.ask(lambda shadow: list(shadow.entries(kinds=RECORDS, tiers=(Tier.ACTIVE,), forgotten=forgotten)))}


def _tails(store: Store) -> Iterator[Entered]:
    """The tails, which change all the time; when, the files themselves know best."""
    folder = f"{Tier.ACTIVE}/tails"
    place = store.root / folder
    for name in sorted(os.listdir(place)) if place.is_dir() else ():
        if layout.is_record(f"{folder}/{name}") and (found := survey.signature(place / name)):
            yield Entered(f"{folder}/{name}", str(Kind.TAIL), _time(found[0] // 1_000_000_000))


def _thread(store: Store, path: str) -> str:
    """The thread whose turns a tail holds."""
    return Document.parse(store.tree.bytes_of(path) or b"", path).text("thread")


def _time(seconds: int) -> str:
    """A Unix time in ISO 8601; "" for none."""
    return stamp(datetime.fromtimestamp(seconds, UTC)) if seconds > 0 else ""


def _keep(store: Store, data: bytes) -> None:
    """Write the map in place. A rename would move the memory's folder, and each search would have to look at it again."""
    place = store.files.place(MAP)
    if os.path.lexists(place) and survey.signature(place) is None:
        store.warn(f"{MAP} is no plain file, and is left as it is")
        return
    try:
        if place.read_bytes() == data:
            return
    except FileNotFoundError:
        pass  # the first map
    with open(place, "r+b" if place.exists() else "xb") as stream:
        stream.write(data)
        stream.truncate()
