"""strata: long-term memory for AI agents that keeps the original evidence, as plain files in git."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Memory", "__version__"]

if TYPE_CHECKING:
    from strata.memory import Memory


def __getattr__(name: str) -> Any:
    """`Memory` is imported when it is first asked for, so that importing a rule stays cheap."""
    if name == "Memory":
        from strata.memory import Memory

        return Memory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
