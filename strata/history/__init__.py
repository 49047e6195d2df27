"""Git as the provenance of a memory: the only part that imports pygit2."""

from __future__ import annotations

from strata.history.opening import ignores
from strata.history.repository import COMMITTER, History

__all__ = ["COMMITTER", "History", "ignores"]
