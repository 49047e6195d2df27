"""The turns of a thread that are not sealed yet.

A turn is a user message and all that follows up to the next one; what stands before the first user
message is a turn of its own. Turns are numbered from 1 through the whole thread, sealed or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from strata import transcript
from strata.document import Document
from strata.errors import Malformed, UsageError
from strata.model import Kind, Message


@dataclass(frozen=True, slots=True)
class Tail:
    """The unsealed messages of one thread; `first_turn` is the number that the next block starts with."""

    thread: str
    first_turn: int = 1
    messages: tuple[Message, ...] = ()

    @classmethod
    def parse(cls, data: bytes, path: str = "") -> Tail:
        """The tail in a file's bytes. Raises `Malformed` with path and line."""
        document = Document.parse(data, path)
        if document.problem:
            raise document.problem
        if document.text("kind") != Kind.TAIL or not document.text("thread"):
            raise Malformed(
                "this is not the tail of a thread",
                path=path,
                line=document.line_of("kind") or 1,
                remedy="its header needs `kind: tail` and `thread: NAME`",
            )
        number = document.text("first_turn")
        if not (number.isascii() and number.isdigit() and 0 < len(number) < 10 and int(number)):
            raise Malformed(
                f"first_turn is {number!r}",
                path=path,
                line=document.line_of("first_turn") or 1,
                remedy="it is a whole number, 1 or more",
            )
        messages = transcript.decode(document.body, path, document.body_line)
        return cls(document.text("thread"), int(number), messages)

    def dump(self, existing: Document | None = None) -> bytes:
        """The bytes of the tail's file; what a person added to the header of the `existing` one stays."""
        values = {"kind": Kind.TAIL, "thread": self.thread, "first_turn": self.first_turn}
        body = transcript.encode(self.messages)
        if existing is None:
            return Document.new(values, body).data
        return existing.with_body(body).with_values(values).data


class Chunk(NamedTuple):
    """Turns cut from a tail, to be sealed as one block; turn numbers are inclusive."""

    first_turn: int
    last_turn: int
    messages: tuple[Message, ...]


def add(tail: Tail, messages: Iterable[Message], known_ids: Collection[str] = ()) -> tuple[Tail, tuple[Message, ...]]:
    """The tail with the messages it did not have, and those messages, in the order they came.

    `known_ids` are those of the thread's sealed blocks. Of several messages with one id the first counts.
    """
    seen = {message.id for message in tail.messages}
    added = []
    for message in messages:
        if message.id not in seen and message.id not in known_ids:
            seen.add(message.id)
            added.append(message)
    return replace(tail, messages=tail.messages + tuple(added)), tuple(added)


def turns(messages: Iterable[Message]) -> list[tuple[Message, ...]]:
    """The messages as turns, in order."""
    found: list[list[Message]] = []
    for message in messages:
        if message.role == "user" or not found:
            found.append([])
        found[-1].append(message)
    return [tuple(turn) for turn in found]


def cut(tail: Tail, block_turns: int, *, everything: bool = False) -> tuple[list[Chunk], Tail]:
    """The chunks of `block_turns` turns that can be sealed now, oldest first, and the tail that is left.

    The last turn may still grow, so it counts only once the next has begun. With `everything` nothing
    is left, and the last chunk may be shorter.
    """
    if block_turns < 1:
        raise UsageError(f"a block of {block_turns} turns", remedy="block_turns is 1 or more")
    found = turns(tail.messages)
    sealable = len(found) if everything else max(0, len(found) - 1) // block_turns * block_turns
    chunks = [
        _chunk(found[start : min(start + block_turns, sealable)], tail.first_turn + start)
        for start in range(0, sealable, block_turns)
    ]
    return chunks, Tail(tail.thread, tail.first_turn + sealable, _joined(found[sealable:]))


def _chunk(found: Sequence[tuple[Message, ...]], first_turn: int) -> Chunk:
    return Chunk(first_turn, first_turn + len(found) - 1, _joined(found))


def _joined(found: Sequence[tuple[Message, ...]]) -> tuple[Message, ...]:
    return tuple(message for turn in found for message in turn)
