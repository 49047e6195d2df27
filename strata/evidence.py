"""Whether what is claimed to have been said was said.

Evidence is messages of one block. A quote counts when it stands in the text of a single cited
message, word for word; only runs of white space may differ, since quotes are written on one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from strata.model import Message


def strangers(ids: Iterable[str], messages: Iterable[Message]) -> tuple[str, ...]:
    """Those of the cited ids that no message of the block has, in order, each once."""
    known = {message.id for message in messages}
    return tuple(dict.fromkeys(ident for ident in ids if ident not in known))


def unfounded(quotes: Iterable[str], cited: Sequence[Message]) -> tuple[str, ...]:
    """Those of the quotes that stand in no cited message, in order."""
    texts = [one_line(message.text) for message in cited]
    return tuple(quote for quote in quotes if not any(one_line(quote) in text for text in texts))


def one_line(text: str) -> str:
    """A text with every run of white space as one space, and none around it."""
    return " ".join(text.split())
