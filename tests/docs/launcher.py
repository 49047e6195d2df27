"""The `strata` command with a clock and ids that a document can show.

The state file holds the time of the last call and the number of ids minted so far. Each call is a
minute after the last, each look at the clock within it a second later.
"""

from __future__ import annotations

import hashlib
import os
import sys
from datetime import datetime, timedelta
from pathlib import Path

from strata import lifecycle, store
from strata.__main__ import main
from strata.names import new_id

STATE = "DOCS_STATE"
LEDGER = "4be1d6a0"  # what the ledger of the machine on the page is called


class Fixed:
    """A clock and a source of ids that go on where the last call ended."""

    def __init__(self, place: Path) -> None:
        self._place = place
        time, count = place.read_text("utf-8").split()
        self.time = datetime.fromisoformat(time) + timedelta(minutes=1)
        self.count = int(count)
        self._save(self.time)
        self._now = self.time

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    def new_id(self, prefix: str, day: str) -> str:
        self.count += 1
        self._save(self.time)
        return new_id(prefix, day, lambda size: hashlib.sha256(str(self.count).encode()).digest()[:size])

    def receipt_id(self) -> str:
        """Its own row of ids, by the clock: an opening does not change the ids of the records after it."""
        return hashlib.sha256(self._now.isoformat().encode()).hexdigest()[:16]

    def _save(self, time: datetime) -> None:
        self._place.write_text(f"{time.isoformat()} {self.count}\n", "utf-8")


if __name__ == "__main__":
    fixed = Fixed(Path(os.environ[STATE]))
    lifecycle._receipt_id = fixed.receipt_id
    store.ledger_name = lambda key, root: LEDGER
    sys.exit(main(now=fixed.now, new_id=fixed.new_id))
