"""From a text to a note in active/, as edits to a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from strata import layout
from strata.document import Document
from strata.errors import AlreadyExists, Conflict, Malformed, Refused, UsageError
from strata.files import blob_id
from strata.lookup import Lookup
from strata.model import Drop, Put, Tier
from strata.names import slug
from strata.plan import Plan
from strata.redact import redact, redact_value
from strata.results import Redaction
from strata.store import Store


@dataclass(slots=True)
class Note:
    """A note on its way into a memory; `body` is what it will say below its header."""

    body: bytes
    title: str = ""
    tags: Sequence[str] = ()
    replace: bool = False
    append: bool = False
    base: str | None = None

    def write(self, plan: Plan, store: Store, lookup: Lookup, ref: str, created: datetime) -> tuple[str, Document]:
        """Add the edits that leave the note at `ref` in active/; its path and what it will hold.

        Raises AlreadyExists, or Conflict when it is not what `base` says was read.
        """
        found = lookup.note_path(ref)
        target = f"{Tier.ACTIVE}/{ref}.md"
        old = Document.parse(store.files.read(found), found) if found else None
        self.check_base(store, ref, found, target)
        if old and not (self.replace or self.append):
            raise AlreadyExists("the note exists; nothing was overwritten", ref=ref, path=found or "", remedy="use --append or --replace")
        if not old and (twin := store.files.twin(target)):
            raise AlreadyExists("a note with this name in other letters exists", ref=ref, path=twin, remedy="use that name, or another")
        document = self._document(old, created.strftime("%Y-%m-%dT%H:%M:%SZ"))
        if found and found != target:  # it came to rest in the moment since it was brought back to be written
            plan.edits += [Put(target, document.data, ""), Drop(found)]
        else:
            plan.put(target, document.data, blob_id(old.data) if old else "")
        verb = "Append to" if old and self.append else "Replace" if old else "Add"
        plan.subject = f"{verb} {document.text('title') or ref}"
        plan.trailers.append(("Strata-Record", ref))
        return target, document

    def check_base(self, store: Store, ref: str, found: str | None, target: str = "") -> None:
        """Raise Conflict when the note is not what `base` says was read."""
        if self.base is not None and (current := store.tree.blob_at(found) if found else "") != self.base:
            raise Conflict(
                f"the note changed since it was read; it is {current[:12] or 'gone'} now", ref=ref, path=found or target, remedy="read it again and repeat the change"
            )

    def _document(self, old: Document | None, created: str) -> Document:
        """A new note, or the old one's header, byte for byte, above another or a longer body."""
        tags = list(self.tags)
        if old and self.append and tags:
            tags = list(dict.fromkeys([*old.list("tags"), *tags]))
        header = {key: value for key, value in (("title", self.title), ("tags", tags)) if value}
        body = self.body if self.body.endswith(b"\n") else self.body + b"\n"
        if old is None:
            return Document.new({**header, "created_at": created}, body)
        if old.problem:
            raise old.problem
        if self.append:
            gap = b"" if not old.data or old.data.endswith(b"\n") else b"\n"
            return Document.parse(old.data + gap + body).with_values(header)
        kept = old.data[: len(old.data) - len(old.body)]
        return Document.parse(kept + body).with_values(header) if kept else Document.new({**header, "created_at": created}, body)


class Clean(NamedTuple):
    """Body, title and tags as they may be written, and the secrets that were found in them."""

    text: str
    title: str
    tags: tuple[str, ...]
    redacted: tuple[Redaction, ...]


def clean(text: str, title: str, tags: Sequence[str], mode: str) -> Clean:
    """What was given as it may be written: secrets replaced or reported as `mode` says.

    Raises Malformed for what cannot be UTF-8, and UsageError for nothing at all, a title of several
    lines or an empty tag.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Malformed(f"character {error.start + 1} cannot be written as UTF-8 (a lone surrogate)", remedy="give the text as valid UTF-8") from None
    if not text.strip() and not title:
        raise UsageError("there is nothing to write", remedy="give a text, --file or text on standard input")
    if "\n" in title or "\r" in title or (title and not title.strip()):
        raise UsageError("a title is one line with words in it", remedy="put the rest into the text")
    if any(not tag.strip() or "\n" in tag for tag in tags):
        raise UsageError("a tag is a word or a few, not empty", remedy="leave --tag out")
    tags = tuple(dict.fromkeys(tag.strip() for tag in tags))
    if mode == "off":
        return Clean(text, title, tags, ())
    (safe, *rest), found = redact_value([text, title, *tags])
    redacted = tuple(Redaction(secret.kind, secret.count, "replaced" if mode == "on" else "reported") for secret in found)
    return Clean(safe, rest[0], tuple(rest[1:]), redacted) if mode == "on" else Clean(text, title, tags, redacted)


def free_name(words: str, day: str, store: Store, lookup: Lookup, new_id: Callable[[str, str], str]) -> str:
    """A ref in notes/inbox/ that no note has, made from the day and the words where they have Latin letters."""
    stem = slug(words.strip().split("\n")[0], limit=48)
    ref = "notes/inbox/" + "-".join(part for part in (day, stem) if part)
    candidate = ref if stem else f"{ref}-{new_id('note', '').rpartition('-')[2]}"
    while lookup.note_path(candidate) or store.files.twin(f"{Tier.ACTIVE}/{candidate}.md"):
        candidate = f"{ref}-{new_id('note', '').rpartition('-')[2]}"
    return candidate


def named(path: str | None, mode: str) -> str:
    """The ref a person gave, or "" when the note is to be named; refuses a name with a secret in it."""
    if path and mode == "on" and redact(path)[1]:
        raise Refused("the path holds what looks like a secret; nothing was written", remedy="give it another name")
    return layout.note_ref(path) if path else ""
