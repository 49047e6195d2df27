"""What the index gives back, and how it says that it is broken."""

from __future__ import annotations

from typing import NamedTuple

from strata.errors import StrataError
from strata.model import Reason


class ShadowDamaged(StrataError):
    """The index is absent, foreign or damaged; it is a cache, so it is built anew and nobody sees this."""


class Found(NamedTuple):
    """An entry as the index knows it, without its text; `score` and `terms` (those that matched) only from a search."""

    path: str
    ref: str
    kind: str
    title: str = ""
    at: str = ""
    until: str = ""
    thread: str = ""
    message: str = ""
    speaker: str = ""
    tags: tuple[str, ...] = ()
    position: int = 0
    score: float = 0.0
    terms: tuple[str, ...] = ()
    about: str = ""
    pinned: bool = False
    forgotten: bool = False
    sources: tuple[str, ...] = ()
    why: tuple[Reason, ...] = ()

    @property
    def tier(self) -> str:
        """The first component of the path."""
        return self.path.partition("/")[0]
