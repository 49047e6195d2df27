"""Where text for people goes: how wide it is, and whether colours mean something there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TextIO

from strata.render.visible import fit, width

_CODES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36}


class Screen:
    """A terminal of some width, or a pipe (`columns` is None): there nothing is cut or wrapped.

    `blocks` says whether its encoding has the characters that bars are made of.
    """

    def __init__(self, columns: int | None = None, *, colours: bool = False, blocks: bool = True) -> None:
        self.columns = columns
        self.colours = colours
        self.blocks = blocks

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str]) -> Screen:
        """The screen behind a stream; NO_COLOR, FORCE_COLOR and TERM=dumb are respected."""
        terminal = is_terminal(stream)
        if environment.get("NO_COLOR"):
            colours = False
        elif environment.get("FORCE_COLOR", "0") not in ("", "0"):
            colours = True
        else:
            colours = terminal and environment.get("TERM") != "dumb"
        return cls(_columns(stream, environment) if terminal else None, colours=colours, blocks=_has_blocks(stream))

    def paint(self, text: str, style: str) -> str:
        """`text` in a style such as "bold yellow", where there are colours."""
        if not self.colours or not style or not text:
            return text
        return f"\033[{';'.join(str(_CODES[name]) for name in style.split())}m{text}\033[0m"

    def table(self, rows: Sequence[Sequence[str]], styles: Sequence[str], *, right: Sequence[int] = ()) -> list[str]:
        """Rows in aligned columns, each column in its style; those in `right` are flush right.

        Cells are plain text that is safe to show. Columns that are empty throughout are left out; on
        a terminal the last one is cut to what fits.
        """
        shown = [at for at in range(len(styles)) if any(row[at] for row in rows)]
        widths = {at: max(width(row[at]) for row in rows) for at in shown}
        before = sum(widths[at] + 2 for at in shown[:-1])
        lines = []
        for row in rows:
            cells = []
            for at in shown:
                text = row[at]
                if at == shown[-1] and self.columns is not None:
                    text = fit(text, max(20, self.columns - before))
                gap = " " * (widths[at] - width(row[at]))
                painted = self.paint(text, styles[at])
                cells.append(gap + painted if at in right else painted if at == shown[-1] else painted + gap)
            lines.append("  ".join(cells).rstrip())
        return lines


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at this stream."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _has_blocks(stream: TextIO | None) -> bool:
    if stream is None:  # closed before we began
        return False
    try:
        "█▏".encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _columns(stream: TextIO, environment: Mapping[str, str]) -> int:
    if (given := environment.get("COLUMNS", "")).isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
