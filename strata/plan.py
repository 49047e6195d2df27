"""A write being put together, before anything of it happens."""

from __future__ import annotations

from strata.ledger import Receipt
from strata.model import Edit, Put


class Plan:
    """A write being put together: its edits, the receipts that go into the ledger with it, and what the commit will say."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.uses: list[Receipt] = []
        self.subject = ""
        self.trailers: list[tuple[str, str]] = []
        self.commit: str | None = None
        self.world: object = None  # what `world` knows of it

    def put(self, path: str, data: bytes, base: str | None = "") -> None:
        """Write a file; by default one that must not exist yet."""
        self.edits.append(Put(path, data, base))
