"""One file as a person opens it: a record as a whole, a block at a level, or one message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strata import layout
from strata.document import Document
from strata.entries import ref_of
from strata.errors import NotFound, UsageError
from strata.files import blob_id
from strata.model import Kind, Message, Summary
from strata.results import Shown
from strata.transcript import decode, lines


def shown(path: str, data: bytes, message: str, level: int | None, commit: str, asked: str) -> Shown:
    """The file, or one message of it, at a level (5 unless told); `commit` is where it was read, `asked` the ref for refusals.

    Raises UsageError for a level of what has none, NotFound for a message that is not there.
    """
    document = Document.parse(data, path)
    kind = layout.kind_of(path, document.text("kind"))
    common: dict[str, Any] = {
        "kind": str(kind),
        "tier": layout.tier_of(path),
        "path": path,
        "header": dict(document.header),
        "at": commit,
        "blob": blob_id(data),
    }
    ref = ref_of(path, document)
    if kind not in (Kind.BLOCK, Kind.TAIL) or document.problem:
        if level is not None or message:
            raise UsageError(f"{asked} is a {kind} and has no messages or levels", ref=ref, remedy="leave --level and #… out")
        from strata.records import title_of

        text = (document.data if document.problem else document.body).decode("utf-8", "replace")
        return Shown(ref, title=document.text("title") or title_of(document, path), text=text, line=document.body_line, **common)
    messages = decode(document.body, path, document.body_line)
    if message:
        return _one_message(ref, document, messages, message, common)
    from strata import layers

    summary = Summary(document.text("title"), tuple(document.list("tags")), document.text("summary"), tuple(document.list("keypoints")))
    text = layers.render(5 if level is None else level, messages, summary)
    title = document.text("title") or f"thread {document.text('thread')}"
    return Shown(ref, title=title, text=text, level=5 if level is None else level, messages=messages, line=document.body_line, **common)


def _one_message(ref: str, document: Document, messages: Sequence[Message], wanted: str, common: dict[str, Any]) -> Shown:
    from strata import layers
    chosen = tuple(message for message in messages if message.id == wanted)
    if not chosen:
        some = ", ".join(message.id for message in messages[:8])
        raise NotFound(f"{ref} has no message {wanted!r}", ref=ref, path=common["path"], remedy=f"its messages are {some}{', …' if len(messages) > 8 else ''}")
    line = lines(document.body, common["path"], document.body_line)[wanted][0]
    text = layers.render(5, chosen, Summary(""))
    return Shown(f"{ref}#{wanted}", title="", text=text, messages=chosen, line=line, **common)
