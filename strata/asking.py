"""What is asked of a model and what comes back, whoever answers: one interface for every provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

KINDS = ("summarise", "extract", "project")
"""What a model may be asked for: L0-L2 of a block, its event cards, what its events say of entities."""


class Question(NamedTuple):
    """One self-contained question: `prompt` is all that is to be known, `schema` the JSON Schema of the answer."""

    kind: str
    prompt: str
    schema: Mapping[str, Any]


class Reply(NamedTuple):
    """The text of an answer, not looked at yet; `model` names who gave it, tokens are None where nobody counted."""

    text: str
    model: str
    tokens_in: int | None = None
    tokens_out: int | None = None


class Provider(Protocol):
    """Somebody who answers questions. `name` is kept beside what is derived from the answers: `openai:MODEL`."""

    name: str

    def ask(self, question: Question) -> Reply:
        """The answer; raises ModelFailed. Never called while a lock is held."""
        ...
