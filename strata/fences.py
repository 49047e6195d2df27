"""Text of a memory inside a prompt: as data between two marks that the text cannot close, and within bounds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from strata.layers import tool_line
from strata.model import Message
from strata.steering import one_line, visible

MOST_MESSAGES = 400  # of a block that a prompt shows
MOST_TEXT = 96_000  # characters of all their texts together
MOST_CONTEXT = 8_000  # characters of anything that is context only
_LEAST = 60  # characters that a message keeps, however many there are


def fenced(name: str, lines: Iterable[str]) -> str:
    """Lines as data: each behind a bar, between marks that bear a digest of them, so that no text can end it or pretend to be the prompt."""
    body = "\n".join(f"| {line}" for line in lines) or "| (nothing)"
    mark = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"<<< {name} {mark}\n{body}\n>>> end of {name} {mark}"


def transcript(messages: Sequence[Message]) -> list[str]:
    """The messages as lines: a heading for each with id, role, name and time, then what was said, pushed in, each tool call on one line.

    Beyond the bounds the middle of long texts, then messages in the middle, are left out with a mark that says how much.
    """
    shown = list(messages)
    missing = len(shown) - MOST_MESSAGES
    if missing > 0:
        half = MOST_MESSAGES // 2
        shown = [*shown[:half], *shown[-half:]]
    texts = ["\n".join(filter(None, (visible(message.text).strip("\n"), *map(tool_line, message.tools)))) for message in shown]
    room = _room([len(text) for text in texts], MOST_TEXT)
    lines: list[str] = []
    for place, (message, text) in enumerate(zip(shown, texts, strict=True)):
        if missing > 0 and place == MOST_MESSAGES // 2:
            lines.append(f"[… {missing:,} messages left out …]")
        lines.append(_heading(message))
        lines += [f"    {line}" for line in cut(text, room).split("\n")]
    return lines


def cut(text: str, limit: int) -> str:
    """A text of at most about so many characters: its beginning and its end, and between them a mark that says what is missing."""
    if len(text) <= limit:
        return text
    end = limit // 4
    return f"{text[: limit - end]}\n[… {len(text) - limit:,} characters left out …]\n{text[-end:] if end else ''}"


def bounded(lines: Iterable[str], limit: int = MOST_CONTEXT) -> list[str]:
    """Lines on one line each, as many as fit, and a mark where some do not."""
    kept: list[str] = []
    used = 0
    every = [one_line(line)[:600] for line in lines]
    for place, line in enumerate(every):
        used += len(line) + 1
        if used > limit:
            return [*kept, f"[… {len(every) - place:,} more left out …]"]
        kept.append(line)
    return kept


def as_json(text: str) -> str:
    """A text as JSON writes it, with nothing in it that a reader would not see."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _heading(message: Message) -> str:
    parts = [message.id if message.id.isprintable() else as_json(message.id), message.role, one_line(message.speaker), message.at or "time unknown"]
    return f"[{' · '.join(part for part in parts if part)}]"


def _room(sizes: Sequence[int], everything: int) -> int:
    """The most characters a text may have so that all together have no more than `everything`: the short ones stay whole."""
    left, count = everything, len(sizes)
    for size in sorted(sizes):
        if size * count > left:
            return max(_LEAST, left // count)
        left -= size
        count -= 1
    return max(sizes, default=0)
