"""From a fact, or anything a memory holds, down to the words it rests on: what stands where, before history is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from strata import factlines, layout, portrait, rivals, transcript
from strata.cards import Event, event_of
from strata.claims import folded
from strata.document import Document
from strata.entries import forgotten_at, ref_of
from strata.errors import Ambiguous, Malformed, NotFound, StrataError, UsageError
from strata.gallery import Gallery
from strata.graph import Fact
from strata.model import Kind, Message
from strata.provenance import Link, Quote

if TYPE_CHECKING:
    from strata.lookup import Lookup
    from strata.portrait import Portrait
    from strata.store import Store

_EXCERPT = 160  # characters of a message that is not quoted
_FOLLOWED = 20  # events of one fact, the latest, that are followed; the others are named
_SHOWN = 6  # candidates that an error lists


class Tracing:
    """Chains of one memory as its files are now; nothing of it knows of commits. Of what is forgotten only that is said, and none of its words."""

    def __init__(self, store: Store, lookup: Lookup) -> None:
        self._store = store
        self._lookup = lookup
        self._gallery = Gallery(store)
        self._messages: dict[str, tuple[Document, tuple[Message, ...], dict[str, tuple[int, int]]]] = {}

    def chain(self, ref: str) -> Link:
        """What a ref names, and below it what it rests on. Raises NotFound, Ambiguous with the candidates, UsageError for a name that cannot be."""
        name, hash_, part = ref.partition("#")
        try:
            path = self._lookup.record(ref)
        except NotFound:
            if layout.is_id(name) and name.startswith(("evt-", "blk-")):
                raise
            try:
                path, seen = self.entity(name)
            except NotFound:
                path = ""
            if not path:
                raise
            return self.fact(path, seen, chosen(seen, part)) if hash_ else self._portrayed(path, seen)
        kind = layout.kind_of(path, Document.parse(self._store.files.read(path), path).text("kind"))
        whole, message = (ref, "") if not hash_ or path.endswith(f"{ref.removesuffix('.md')}.md") else (name, part)
        if message and kind not in (Kind.BLOCK, Kind.TAIL, Kind.ENTITY):
            raise UsageError(f"{whole} is a {kind} and has no messages or facts", ref=whole, remedy="leave #… out")
        match kind:
            case Kind.ENTITY:
                path, seen = self.entity(layout.ref_at(path), path)
                shown = message and not forgotten_at(self._document(path))
                return self.fact(path, seen, chosen(seen, message)) if shown else self._portrayed(path, seen)
            case Kind.EVENT:
                return self._event(ref_of(path, self._document(path)), path)
            case Kind.BLOCK | Kind.TAIL:
                return self._said(path, message)
        document = self._document(path)
        title = document.text("title") or layout.path_ref(path)
        forgotten = forgotten_at(document)[:10]
        return Link(Kind.NOTE, ref_of(path, document), "" if forgotten else title, path, at=document.text("created_at"), forgotten=forgotten)

    # -- entities and facts --------------------------------------------------------------------

    def entity(self, name: str, path: str = "") -> tuple[str, Portrait]:
        """The entity that a name means, however often it was merged, also one that is forgotten."""
        if path and forgotten_at(document := self._document(path)):
            return path, portrait.read(document, path)
        path, seen, _ = self._gallery.named(name)
        return path, seen

    def _portrayed(self, path: str, seen: Portrait) -> Link:
        """An entity and its facts, each with the refs of its events."""
        forgotten = forgotten_at(self._document(path))[:10]
        facts = () if forgotten else tuple(self.fact(path, seen, fact, deep=False) for fact in seen.facts)
        return Link(Kind.ENTITY, seen.id, "" if forgotten else seen.name, path, forgotten=forgotten, rests_on=facts)

    def fact(self, path: str, seen: Portrait, fact: Fact, *, deep: bool = True) -> Link:
        """A fact; `deep`, with the events that say so and what these rest on. Without a path its file, or its line, is gone."""
        latest = sorted(fact.events, key=lambda ref: ref[4:12], reverse=True)
        followed = latest[:_FOLLOWED] if deep else []
        below = tuple(self._event(ref) for ref in sorted(followed))
        times = [f"{word} {time}" for word, time in (("since", fact.valid_from), ("said", fact.said), ("until", fact.valid_to)) if time]
        text = " · ".join([f"{fact.key}: {fact.value}", *times])
        line = _line_of(self._document(path), fact) if path else None
        return Link("fact", f"{seen.id}#{fact.id}", text, path, line, status=fact.status, rests_on=below, others=tuple(sorted(set(latest) - set(followed))))

    # -- events, blocks, messages --------------------------------------------------------------

    def _event(self, ref: str, path: str = "") -> Link:
        """A card, with what stands against it, and the messages it rests on."""
        if not path:
            try:
                if not layout.is_id(ref):
                    raise NotFound("that is no event's id", ref=ref)
                path = self._lookup.record(ref, kinds=(Kind.EVENT,), exact=True)
            except (NotFound, UsageError):
                return Link(Kind.EVENT, ref, missing="there is no such event now")
        document = self._document(path)
        try:
            if document.problem:
                raise document.problem
            event = event_of(document, path)
        except Malformed as problem:
            return Link(Kind.EVENT, ref, document.text("title"), path, problem.line, missing=problem.message)
        forgotten = forgotten_at(document)[:10]
        against = rivals.on(self._store.ask, ref, event.conflicts_with)
        if forgotten:
            return Link(Kind.EVENT, ref, "", path, forgotten=forgotten, superseded_by=against.superseded_by)
        block = self._cited(event) if event.source_block else None
        return Link(
            Kind.EVENT,
            ref,
            event.title,
            path,
            document.line_of("title"),
            at=event.happened_start or event.mentioned_at,
            status=event.status,
            superseded_by=against.superseded_by,
            conflicts_with=against.conflicts_with,
            missing=_unquoted(event, block) if block else "it names no block as its source",
            rests_on=(block,) if block else (),
        )

    def _cited(self, event: Event) -> Link:
        """The block of a card, and of its messages those that the card cites."""
        ref = event.source_block
        try:
            if not layout.is_id(ref):
                raise NotFound("that is no block's id", ref=ref)
            path = self._lookup.record(ref, kinds=(Kind.BLOCK,), exact=True)
        except (NotFound, UsageError):
            return Link(Kind.BLOCK, ref, missing=f"there is no such block now, hence no message {', '.join(event.source_messages)}")
        return self._block(path, event.source_messages, event.quotes)

    def _said(self, path: str, message: str) -> Link:
        """A block or a tail with all its messages, or with the one that was named; a tail's may have been sealed into a block since."""
        if not message:
            return self._block(path, None)
        block = self._block(path, (message,))
        if block.kind == Kind.TAIL and all(link.missing for link in block.rests_on):
            thread = self._document(path).text("thread")
            homes = self._store.ask(lambda shadow: shadow.homes(thread, [message])).get(message, set())
            block = self._block(min(homes), (message,)) if homes else block
        found = next((link for link in block.rests_on if not link.missing), None)
        if found is None:
            if block.missing or block.forgotten:
                return block
            raise NotFound(f"{block.ref} has no message {message!r}", ref=block.ref, path=path, remedy=f"`strata show {block.ref}` shows those it has")
        return block._replace(rests_on=(found,))

    def _block(self, path: str, wanted: Sequence[str] | None, quotes: Sequence[str] = ()) -> Link:
        document = self._document(path)
        kind, ref = layout.kind_of(path, document.text("kind")), ref_of(path, document)
        text = document.text("title") or f"thread {document.text('thread')}"
        if since := forgotten_at(document)[:10]:
            return Link(kind, ref, "", path, forgotten=since)
        link = Link(kind, ref, text, path, at=document.text("sealed_at"))
        try:
            if document.problem:
                raise document.problem
            _, messages, lines = self._transcript(path)
        except Malformed as problem:
            return link._replace(missing=f"{problem.message}, hence no message can be read", line=problem.line)
        link = link._replace(at=next((message.at for message in messages if message.at), link.at))
        by_id = {message.id: message for message in reversed(messages)}
        ids = list(by_id)[::-1] if wanted is None else wanted
        return link._replace(rests_on=tuple(_message(ref, path, ident, by_id.get(ident), lines, quotes) for ident in dict.fromkeys(ids)))

    def _transcript(self, path: str) -> tuple[Document, tuple[Message, ...], dict[str, tuple[int, int]]]:
        if path not in self._messages:
            document = self._document(path)
            messages = transcript.decode(document.body, path, document.body_line)
            self._messages[path] = document, messages, transcript.lines(document.body, path, document.body_line)
        return self._messages[path]

    def message(self, link: Link) -> Message | None:
        """The message behind a step of a chain that was made here."""
        try:
            return next((message for message in self._transcript(link.path)[1] if link.ref.endswith(f"#{message.id}")), None) if link.path else None
        except StrataError:
            return None

    def _document(self, path: str) -> Document:
        return Document.parse(self._store.files.read(path), path)


def chosen(seen: Portrait, asked: str) -> Fact:
    """The fact of an entity that an id, a prefix of one that fits no other, or a key means; of several with a key the one that is true.

    Raises NotFound, and Ambiguous with the candidates.
    """
    found = [fact for fact in seen.facts if fact.id == asked] or [fact for fact in seen.facts if folded(fact.key) == folded(asked)]
    found = found or [fact for fact in seen.facts if asked and fact.id.startswith(asked)]
    if len(found) > 1:
        found = [fact for fact in found if fact.status in ("current", "disputed")] if sum(fact.status in ("current", "disputed") for fact in found) == 1 else found
    if not found:
        known = ", ".join(fact.id for fact in seen.facts[:_SHOWN])
        raise NotFound(f"{seen.id} has no fact {asked!r}", ref=seen.id, remedy=f"its facts are {known}{', …' if len(seen.facts) > _SHOWN else ''}" if known else "nothing is said of it itself")
    if len(found) > 1:
        shown = ", ".join(f"{fact.id} ({fact.value})" for fact in found[:_SHOWN])
        raise Ambiguous(f"{asked!r} fits {len(found)} facts of {seen.id}: {shown}", ref=seen.id, remedy="give the whole id of one")
    return found[0]


def _unquoted(event: Event, block: Link) -> str:
    """What a card quotes that none of its messages says now; "" where that is nothing, or none of them can be read."""
    said = {quote.text for link in block.rests_on for quote in link.quotes}
    lost = [f"“{quote}”" for quote in event.quotes if quote not in said]
    return f"no message that it cites says {', '.join(lost)}" if lost and any(not link.missing for link in block.rests_on) else ""


def _message(block: str, path: str, ident: str, message: Message | None, lines: dict[str, tuple[int, int]], quotes: Sequence[str]) -> Link:
    """A message of a block: the line of what is quoted of it, else of its heading."""
    ref = f"{block}#{ident}"
    if message is None:
        return Link("message", ref, path=path, missing=f"{block} has no message {ident} now")
    heading = lines[ident][0]
    found = [Quote(quote, heading + 1 + message.text.count("\n", 0, place)) for quote in quotes if (place := _place(quote, message.text)) is not None]
    words = " ".join(message.text.split())
    text = words if len(words) <= _EXCERPT else words[: _EXCERPT - 1].rstrip() + "…"
    return Link("message", ref, text, path, found[0].line if found else heading, message.at, message.speaker or message.role, quotes=tuple(found))


def _place(quote: str, text: str) -> int | None:
    """Where a quote begins in a text; runs of white space may differ, as in `strata.evidence`."""
    match = re.search(r"\s+".join(map(re.escape, quote.split())), text) if quote.split() else None
    return match.start() if match else None


def _line_of(document: Document, fact: Fact) -> int | None:
    """The line of the file on which a fact stands."""
    wanted = fact._replace(twin=0)
    body = document.body.decode("utf-8", "replace").split("\n")
    return next((document.body_line + number for number, line in enumerate(body) if fact.events[0] in line and factlines.fact_in(line) == wanted), None)
