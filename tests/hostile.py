"""Texts that break formats, for the round trips.

Bytes are drawn, spelled out as pieces and dealt out: Hypothesis draws bytes ten times faster than texts.
"""

from __future__ import annotations

import os

from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("STRATA_EXAMPLES", "5000"))
"""How many examples a round trip is tried with."""

_PIECES = [
    "a", "word", "two words", "x" * 70,
    # line ends, controls, invisible and right-to-left characters, halves of pairs
    "\n", "\n\n", "\r\n", "\r", "\t", " ", "  ", "\0", "\x1b[31m", "\x7f", "\x85", "\x9b", "\u2028", "\u2029", "\u202e", "\u200b", "\u00a0", "\ufeff", "\ufffe",
    "\ud800", "\udfff", "\ud83d\ude00", "שלום", "العربية", "中文", "é", "e\u0301", "\U0001f600", "\U0010ffff",
    # markdown, and what reads like ours
    "---", "---\n", "...", "# ", "## ", "\n## user · m1 · x\n", "## user · m1", "## assistant (Ada) · ", "\\## user · m1", "## tool (", ")", " · ", "·",
    "```", "````", "\n```json tool\n", "```json meta", "\\```json tool", "{}\n```\n", "> ", "<<<<<<< HEAD\n",
    # escapes, theirs and ours
    "\\", "\\\\", "\\u{0}", "\\u{5c}", "\\u{", "u{d800}", "\\u{}", "\\u{1F600}", "\\ud83d", "\\ude00", "\\n", "\\x00", "C:\\users", "\\frac{1}{2}",
    # YAML
    ": ", ":", " #", "#", "- ", "-", "? ", "?", "[", "]", "{", "}", ",", "&a", "*a", "!t", "|", ">", "%", "@", "'", '"', "~", "null", "yes", "No", "1.10",
    "007", "0x1F", "1e5", "10:00", ".5", ".inf", "2026-05-20", "2026-02-30", "2026-05-20T10:00:00Z", "<<", "=", "a: b\n", "key",
]  # fmt: skip


def fields(count: int) -> st.SearchStrategy[list[str]]:
    """So many texts, of pieces and of any characters at all."""
    return st.binary(min_size=2 * count, max_size=8 * count).map(_spelled).map(lambda pieces: ["".join(pieces[start::count]) for start in range(count)])


def _spelled(data: bytes) -> list[str]:
    """Each byte names a piece; a larger one says that the next two are a character."""
    pieces, numbers = [], iter(data)
    for number in numbers:
        if number < len(_PIECES):
            pieces.append(_PIECES[number])
        else:
            pieces.append(chr(next(numbers, 0) << 8 | next(numbers, 0)))
    return pieces


def without_surrogates(text: str) -> str:
    """The text without halves of surrogate pairs, which UTF-8 and YAML cannot hold."""
    return text.encode("utf-8", "ignore").decode("utf-8")
