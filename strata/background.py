"""What an agent is given before it answers: found, tested for relevance, fitted into a budget of tokens.

First what must not be overlooked: pinned records, and events of safety. Then what is about the question: up to four records (events,
entities, notes) that pass the test, then messages, once one of them passes it with its neighbours. Then the thread's tail, its newest messages first, and the thread's blocks at the level they
have faded to. Each source has a share of the budget; what it leaves goes to the next, and at the end round once more.
Nothing is written, and nothing weighs more for having been here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from strata import layers
from strata.document import Document
from strata.entries import SAFETY, entries, forgotten_at, text_of
from strata.errors import Malformed
from strata.layout import split_ref
from strata.lookup import Lookup
from strata.model import Hit, Kind, Message
from strata.names import title_of
from strata.page import Page
from strata.relevance import passes
from strata.results import Context, Item
from strata.shadow.terms import query_terms, terms
from strata.snippet import snippet
from strata.store import Store
from strata.tokens import Counter
from strata.transcript import decode
from strata.unfolding import unfolded
from strata.weighing import superseded_by, weights

ALWAYS, ASKED, TAIL, BLOCKS = "Always", "About the question", "Newest in this thread", "Earlier in this thread"
SHARES = {ALWAYS: 0.3, ASKED: 0.6, TAIL: 0.25, BLOCKS: 0.15}
"""Of the budget; a source that is not there leaves its share to the others."""

RECORDS = 4  # events, entities and notes that a question activates
_LOOKED_AT = 12  # of which so many are tested
_PER_MESSAGE = 30  # tokens: at most one message is looked for in so many of the budget
_SEEN = 600  # characters of a record or message that was found, around the words that it was found by
_TAIL_MESSAGES = 60


Telling = tuple[dict[str, float], float]
"""What each word of a question tells, and what a word would that the memory does not have."""

_UNKNOWN = " "  # no term holds a blank


class Piece(NamedTuple):
    """An item on its way to the page; messages of one file and day share a head. `shorter` are to be tried where it does not fit."""

    item: Item
    head: str = ""
    order: int = 0
    shorter: tuple[Item, ...] = ()


class Background:
    """One context in the making."""

    def __init__(self, store: Store, lookup: Lookup, counter: Counter) -> None:
        self._store = store
        self._lookup = lookup
        self._counter = counter
        self._files: dict[str, tuple[Document, tuple[Message, ...]]] = {}

    def context(self, query: str, thread: str, tail: str, budget: int) -> Context:
        """The context for a question, a thread (whose tail is the file `tail`), or both; the index is asked as it stands."""
        page = Page(budget, self._counter, (ALWAYS, ASKED, TAIL, BLOCKS))
        sources: dict[str, Iterator[Piece]] = {ALWAYS: self._always()}
        if query.strip():
            sources[ASKED] = self._asked(query, budget)
        if thread:
            sources[TAIL] = self._tail(tail)
            sources[BLOCKS] = self._blocks(thread)
        _fill(page, sources)
        text, tokens = page.text()
        return Context(text, tokens, budget, self._counter.name, page.items)

    # -- what is always there --------------------------------------------------------------------

    def _always(self) -> Iterator[Piece]:
        """Pinned records and events of safety that no other supersedes, the pinned ones first."""
        pinned = self._store.ask(lambda shadow: shadow.records_at(shadow.pinned()))
        safety = self._store.ask(lambda shadow: shadow.flagged(SAFETY))
        seen = set()
        for why, found in [*(("pinned", each) for _, each in sorted(pinned.items())), *(("safety", each) for each in safety)]:
            if found.ref in seen or superseded_by(self._store, found.ref):
                continue
            seen.add(found.ref)
            if (piece := self._record(found.path, found.ref, why, "")) is not None:
                yield piece

    # -- what is about the question --------------------------------------------------------------

    def _asked(self, query: str, budget: int) -> Iterator[Piece]:
        telling = self._telling(query)
        yield from self._records(query, telling)
        yield from self._messages(query, telling, max(10, budget // _PER_MESSAGE))

    def _telling(self, query: str) -> Telling:
        weighed = query_terms(query)
        found = self._store.ask(lambda shadow: shadow.telling((*weighed, _UNKNOWN)))
        return {term: found[term] * weight for term, weight in weighed.items()}, found[_UNKNOWN]

    def _records(self, query: str, telling: Telling) -> Iterator[Piece]:
        """Up to four records that pass: those superseded last, then by score times weight."""
        kinds = (Kind.EVENT, Kind.ENTITY, Kind.NOTE)
        if not self._store.ask(lambda shadow: any(shadow.entries(kinds=kinds))):
            return  # a search for none of them would cost as much as one for messages
        hits = self._lookup.search(query, kinds=kinds, limit=_LOOKED_AT)
        passed = []
        for hit in hits:
            entry = self._lookup.entry(hit.path, hit.ref)
            if entry and passes(set(terms("\n".join((entry.title, entry.text, entry.speaker, *entry.tags)))), *telling):
                passed.append(hit)
        weighed = weights(self._store, {hit.ref: self._file(hit.path)[0] for hit in passed})
        late = {hit.ref: bool(superseded_by(self._store, hit.ref)) for hit in passed}
        passed.sort(key=lambda hit: (late[hit.ref], -hit.score * _factor(weighed[hit.ref].value), hit.ref))
        for hit in passed[:RECORDS]:
            if (piece := self._record(hit.path, hit.ref, "matched", query)) is not None:
                yield piece

    def _record(self, path: str, ref: str, why: str, query: str) -> Piece | None:
        """A record on one line: ref, day, title, text; None where it is gone or forgotten."""
        document, _ = self._file(path)
        if not document.data or forgotten_at(document):
            return None
        entry = next((entry for entry in entries(path, document.data) if entry.ref == ref), None)
        if entry is None:
            return None
        title = title_of(document, path)
        body = entry.text.strip()
        if len(body) > _SEEN:
            body = snippet(body, query, _SEEN)
        late = superseded_by(self._store, ref)
        said = f"{title}: {body}" if body and not body.lstrip("# ").startswith(title) else body or title
        mark = f" (superseded by {', '.join(late)})" if late else ""
        return Piece(Item(ref, entry.kind, entry.at, why, f"{_head(ref, entry.at)}{mark}: {said}", entry.speaker if entry.kind == Kind.EVENT else ""))

    def _messages(self, query: str, telling: Telling, limit: int) -> Iterator[Piece]:
        """The best messages, once one of them passes with its neighbours."""
        found = [each for hit in self._lookup.search(query, kinds=("message",), limit=limit) if (each := self._place(hit)) and each[1].text.strip() != query.strip()]
        if not any(passes(self._words(*each), *telling) for each in found):
            return
        for hit, message, number in found:
            yield self._message(hit, number, message, query)

    def _place(self, hit: Hit) -> tuple[Hit, Message, int] | None:
        """A hit with its message and the number of that in its file; None where it is gone."""
        return next(((hit, message, number) for number, message in enumerate(self._file(hit.path)[1]) if message.id == hit.message), None)

    def _words(self, hit: Hit, message: Message, number: int) -> set[str]:
        """The index terms of a message and of its neighbours."""
        around = self._file(hit.path)[1][max(0, number - 1) : number + 2]
        return {term for each in around for term in terms(f"{each.speaker} {text_of(each)}")}

    def _message(self, hit: Hit, number: int, message: Message, query: str) -> Piece:
        text = text_of(message).strip()
        text = text if len(text) <= _SEEN else snippet(text, query, _SEEN)
        outdated = f" (outdated, see {hit.counterpart})" if hit.status == "outdated" else ""
        return _said(hit.path, hit.ref, message, f"{text}{outdated}", number, "matched")

    # -- the thread ------------------------------------------------------------------------------

    def _tail(self, path: str) -> Iterator[Piece]:
        """The thread's messages that are not sealed yet, newest first."""
        document, messages = self._file(path)
        if forgotten_at(document):
            return
        for number in range(len(messages) - 1, max(-1, len(messages) - 1 - _TAIL_MESSAGES), -1):
            message = messages[number]
            text = message.text if not message.tools else layers.render(4, (message,), None).partition("\n")[2]
            yield _said(path, f"{path.partition('/')[2].removesuffix('.md')}#{message.id}", message, text.strip(), number, "tail")

    def _blocks(self, thread: str) -> Iterator[Piece]:
        """The blocks, newest first, each at its level; where that does not fit, at a shallower one."""
        for block in unfolded(self._store, thread):
            try:
                texts = {level: block.text(level).strip() for level in range(block.detail.level, -1, -1)}
            except Malformed:
                continue  # `doctor` names it
            found = block.found
            items = [
                Item(found.ref, found.kind, found.at, "block", f"{_head(found.ref, found.at)} · level {level}: {text}", level=level)
                for level, text in texts.items()
                if level == block.detail.level or text != texts[level + 1]
            ]
            yield Piece(items[0], shorter=tuple(items[1:]))

    def _file(self, path: str) -> tuple[Document, tuple[Message, ...]]:
        """A file and the messages in it, none where it holds none or cannot be read."""
        if path not in self._files:
            document = Document.parse(self._store.tree.bytes_of(path) or b"" if path else b"", path)
            try:
                is_transcript = document.text("kind") in (Kind.BLOCK, Kind.TAIL) and not document.problem
                messages = decode(document.body, path, document.body_line) if is_transcript else ()
            except Malformed:
                messages = ()
            self._files[path] = (document, messages)
        return self._files[path]


def _fill(page: Page, sources: dict[str, Iterator[Piece]]) -> None:
    """Give each source its share, what it leaves to the next, and what all leave to each once more."""
    whole = sum(SHARES[section] for section in sources)
    waiting = {section: _Waiting(pieces) for section, pieces in sources.items()}
    budget, room = page.left, 0
    for section, pieces in waiting.items():
        room += int(budget * SHARES[section] / whole)
        room -= _take(page, section, pieces, room)
    page.settle()
    for section, pieces in waiting.items():
        _take(page, section, pieces, page.left, last=True)
        page.settle()


class _Waiting:
    """Pieces of which the next can be looked at before it is taken."""

    def __init__(self, pieces: Iterator[Piece]) -> None:
        self._pieces = pieces
        self._next: Piece | None = None

    def look(self) -> Piece | None:
        """The next piece, or None at the end."""
        if self._next is None:
            self._next = next(self._pieces, None)
        return self._next

    def take(self) -> None:
        """Go on to the one after it."""
        self._next = None


def _take(page: Page, section: str, pieces: _Waiting, room: int, *, last: bool = False) -> int:
    """Put pieces on the page while they fit into the room; the tokens taken. The first may be cut, and the `last` one that fits nowhere else."""
    taken = 0
    while (piece := pieces.look()) is not None:
        if piece.item.ref not in page:
            cost = _put(page, section, piece, room - taken, cut=last or not taken)
            if not cost:
                break
            taken += cost
        pieces.take()
    return taken


def _put(page: Page, section: str, piece: Piece, room: int, *, cut: bool) -> int:
    tries = [(item, False) for item in (piece.item, *piece.shorter)]
    if cut:
        tries.append((tries[-1][0], True))
    return next((cost for item, part in tries if (cost := page.put(section, item, room, head=piece.head, order=piece.order, cut=part))), 0)


def _said(path: str, ref: str, message: Message, text: str, number: int, why: str) -> Piece:
    """A message below the head of its file and day."""
    who = message.speaker or message.role
    item = Item(ref, "message", message.at, why, f"#{message.id} {who}: {text}", who)
    return Piece(item, _head(split_ref(ref)[0], message.at), number)


def _head(ref: str, at: str) -> str:
    """A ref and the day, where it is known."""
    return f"{ref} · {at[:10]}" if at else ref


def _factor(weight: float) -> float:
    """What a weight makes of a score: half of it stays, or recency alone would decide after thirty turns."""
    return 0.5 + 0.5 * weight
