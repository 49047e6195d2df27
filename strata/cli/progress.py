"""A progress bar on standard error: only for a person at a terminal, only for what takes longer than a second."""

from __future__ import annotations

import sys
import time

from strata.render.screen import is_terminal

_PATIENCE = 1.0  # seconds before the bar appears
_PAUSE = 0.1  # seconds between two drawings
_CELLS = 24


class Progress:
    """Call it with (done, all); leave the `with` block to wipe it away."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._next = time.monotonic() + _PATIENCE if is_terminal(sys.stderr) else float("inf")
        self._drawn = False

    def __call__(self, done: int, everything: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _PAUSE
        self._drawn = True
        share = min(1.0, done / everything) if everything else 1.0
        bar = "#" * round(share * _CELLS)
        sys.stderr.write(f"\r{self._label} [{bar:-<{_CELLS}}] {share:4.0%}")
        sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
