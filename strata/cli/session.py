"""What one call of the command line was told: which memory, and whether a program reads the answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.errors import NotAMemory, UsageError

if TYPE_CHECKING:
    from strata.memory import Memory


class Session:
    """One call. `options` (`now`, `new_id`, `key`, `author`) go to `Memory.open` and `Memory.create`."""

    def __init__(self, **options: Any) -> None:
        self.place: str | None = None
        self.json = False
        self.options = options
        self._memory: Memory | None = None

    @property
    def memory(self) -> Memory:
        """The chosen memory, opened when it is first asked for; raises NotAMemory with what to do."""
        if self._memory is None:
            from strata.memory import Memory

            self._memory = Memory.open(self.chosen(), **self.options)
        return self._memory

    @property
    def warnings(self) -> list[str]:
        """What the memory had to say beside its answers."""
        return self._memory.warnings if self._memory else []

    def close(self) -> None:
        """Let go of open files."""
        if self._memory:
            self._memory.close()

    def chosen(self) -> Path:
        """Where the memory is: `--memory`, else $STRATA_HOME, else the nearest parent that is one, else the default."""
        from strata.begin import find, is_memory
        from strata.machine import default_memory

        if (named := self.named()) is not None:
            return named
        default = default_memory()
        found = find(here) if (here := _here()) else None
        if found is None and not is_memory(default):
            raise NotAMemory(
                f"there is no memory in {here or 'this directory'} or above it, and none at {default}",
                remedy="make one there with: strata init; or name one with --memory DIR or $STRATA_HOME",
            )
        return found or default

    def named(self) -> Path | None:
        """The place that `--memory` or $STRATA_HOME names; None when neither does."""
        if self.place == "":
            raise UsageError("--memory needs a directory, but was given nothing", remedy="is a variable empty?")
        place = self.place or os.environ.get("STRATA_HOME", "")
        return _absolute(place) if place else None

    def place_for_new(self, directory: str | None) -> Path:
        """Where `init` makes a memory: the directory it is given, else the named one, else the default."""
        if directory is not None and self.place is not None:
            raise UsageError("--memory and DIR both say where to make it", remedy="give one of them")
        if directory == "":
            raise UsageError("DIR is empty", remedy="is a variable empty?")
        from strata.machine import default_memory

        return _absolute(directory) if directory else self.named() or default_memory()


def _absolute(place: str) -> Path:
    return Path(os.path.expanduser(place)).absolute()


def _here() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # the directory we stand in was removed
        return None
