"""The words in which a daemon tells what it did; each is a function of values."""

from __future__ import annotations

from collections import Counter

from strata.errors import StrataError
from strata.render.words import SHORT_ID, count
from strata.results import Tended

STOPPED = "the Janitor stopped"


def outcome(done: Tended, live: bool) -> str:
    """What a cycle came to: counts and commits, nothing of what the records say."""
    parts = []
    if done.moves:
        steps = ", ".join(f"{number:,} {step}" for step, number in sorted(Counter(move.step for move in done.moves).items()))
        moves = count(len(done.moves), "record")
        parts.append(f"moved {moves} ({steps}){_commit(done.commit)}" if live else f"{moves} would move ({steps})")
    if done.refused:
        parts.append(f"{STOPPED if live else 'the Janitor would stop'}: {done.refused}")
    if done.adopted:
        parts.append(f"took over edits made by hand{_commit(done.adopted)}")
    if done.packed:
        parts.append("git packed the repository")
    return "; ".join(parts) or "nothing to do"


def _commit(id: str) -> str:
    return f" in commit {id[:SHORT_ID]}" if id else ""


def fault(error: StrataError | OSError) -> str:
    """What went wrong, where, and what helps."""
    if isinstance(error, StrataError):
        return str(error)
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    return f"{error.filename}: {reason}" if error.filename else reason


def pace(minutes: float) -> str:
    """How often: `every minute`, `every 15 minutes`."""
    return "every minute" if minutes == 1 else f"every {minutes:g} minutes"
