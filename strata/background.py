"""What an agent is given before it answers: found, tested for relevance, fitted into a budget of tokens.

First what must not be overlooked: pinned records, and events of safety. Then what is about the question: up to four records (events,
entities, notes) that pass the test, then messages, once one of them passes it with its neighbours. Then the thread's tail, its newest
messages first, and the thread's blocks at the level they have faded to.
Nothing is written, and nothing weighs more for having been here.
"""

from __future__ import annotations

from collections.abc import Iterator

from strata.document import Document
from strata.entries import SAFETY, entries, forgotten_at, text_of
from strata.errors import Malformed
from strata.excerpt import around, asks_for, excerpt, says_nothing, telling_terms
from strata.filling import Piece, fill
from strata.layers import DEEPEST, tool_line
from strata.layout import split_ref
from strata.lookup import Lookup
from strata.model import Hit, Kind, Message
from strata.names import title_of
from strata.page import Page
from strata.relevance import passes
from strata.results import Context, Item
from strata.shadow.terms import terms
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
_SEEN = 600  # characters at most of a record or message that was found, around the words that it was found by
_SEEN_AT_LEAST = 200
_SEEN_PER_TOKEN = 2 / 3  # of the budget: so a log that was pasted leaves room for others
_TAIL_MESSAGES = 60
_NEAR_VERBATIM = 4


Telling = tuple[dict[str, float], float]
"""What each word of a question tells, and what a word would that the memory does not have."""

_UNKNOWN = " "  # no term holds a blank


class Background:
    """One context in the making."""

    def __init__(self, store: Store, lookup: Lookup, counter: Counter) -> None:
        self._store = store
        self._lookup = lookup
        self._counter = counter
        self._length = _SEEN
        self._files: dict[str, tuple[Document, tuple[Message, ...]]] = {}

    def context(self, query: str, thread: str, tail: str, budget: int) -> Context:
        """The context for a question, a thread (whose tail is the file `tail`), or both; the index is asked as it stands."""
        page = Page(budget, self._counter, (ALWAYS, ASKED, TAIL, BLOCKS))
        self._length = max(_SEEN_AT_LEAST, min(_SEEN, int(budget * _SEEN_PER_TOKEN)))
        sources: dict[str, Iterator[Piece]] = {ALWAYS: self._always()}
        if not says_nothing(query):
            sources[ASKED] = self._asked(query, budget)
        if thread:
            sources[TAIL] = self._tail(tail)
            sources[BLOCKS] = self._blocks(thread)
        any_piece = fill(page, sources, SHARES)
        text, tokens = page.text()
        silent = "" if text else "budget" if any_piece else "nothing relevant" if query.strip() and self._holds_anything() else "empty"
        return Context(text, tokens, budget, self._counter.name, page.items, silent)

    def _holds_anything(self) -> bool:
        return self._store.ask(lambda shadow: any(shadow.entries()))

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
        weighed = telling_terms(query)
        found = self._store.ask(lambda shadow: shadow.telling((*weighed, _UNKNOWN)))
        return {term: found[term] * weight for term, weight in weighed.items()}, found[_UNKNOWN]

    def _records(self, query: str, telling: Telling) -> Iterator[Piece]:
        """Up to four records that pass, by score times weight: those superseded or outdated last."""
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
        late = {hit.ref: hit.status == "outdated" or bool(superseded_by(self._store, hit.ref)) for hit in passed}
        passed.sort(key=lambda hit: (late[hit.ref], -hit.score * _factor(weighed[hit.ref].value), hit.ref))
        for hit in passed[:RECORDS]:
            if (piece := self._record(hit.path, hit.ref, "matched", query, hit.counterpart if hit.status == "outdated" else "")) is not None:
                yield piece

    def _record(self, path: str, ref: str, why: str, query: str, newer: str = "") -> Piece | None:
        """A record on one line: ref, day, title, text; None where it is gone or forgotten. `newer` is the ref of what it gave way to."""
        document, _ = self._file(path)
        if not document.data or forgotten_at(document):
            return None
        entry = next((entry for entry in entries(path, document.data) if entry.ref == ref), None)
        if entry is None:
            return None
        title = title_of(document, path)
        body = around(entry.text.strip(), query, self._length)
        late = superseded_by(self._store, ref)
        said = f"{title}: {body}" if body and not body.lstrip("# ").startswith(title) else body or title
        mark = f" (superseded by {', '.join(late)})" if late else _outdated(newer)
        return Piece(Item(ref, entry.kind, entry.at, why, f"{_head(ref, entry.at)}{mark}: {said}", entry.speaker if entry.kind == Kind.EVENT else ""))

    def _messages(self, query: str, telling: Telling, limit: int) -> Iterator[Piece]:
        """The best messages, once one of them passes with its neighbours; where the question was asked before, in its words, only what was answered then."""
        placed = [each for hit in self._lookup.search(query, kinds=("message",), limit=limit) if (each := self._place(hit))]
        found = [each for each in placed if not _same(each[1], query) or self._answer(*each, query)]
        if not any(passes(self._words(*each), *telling) for each in found):
            return
        newer = {hit.ref: hit.counterpart for hit, _, _ in found if hit.status == "outdated"}
        for hit, message, number in found:
            if hit.ref in newer:
                who = message.speaker or message.role
                text = f"{_head(hit.ref, message.at)}{_outdated(newer[hit.ref])}: {who}: {excerpt(message, query, self._length)}"
                yield Piece(Item(hit.ref, "message", message.at, "matched", text, who))  # by itself: below its head it might stand above the current one
                continue
            if (answer := self._answer(hit, message, number, query)) and answer[0] not in newer:
                yield self._message(*answer, query)  # first: where there is room for one of the two, the question is the lesser
            if not _same(message, query):
                yield self._message(hit.ref, message, number, query)

    def _answer(self, hit: Hit, message: Message, number: int, query: str) -> tuple[str, Message, int] | None:
        """What somebody else says next, where a message asks what the question asks: its ref, itself, its number."""
        if not asks_for(message.text, query):
            return None
        who = message.speaker or message.role
        later = self._file(hit.path)[1][number + 1 :]
        found = next((place for place, each in enumerate(later) if each.text.strip() and (each.speaker or each.role) != who), None)
        return None if found is None else (f"{split_ref(hit.ref)[0]}#{later[found].id}", later[found], number + 1 + found)

    def _place(self, hit: Hit) -> tuple[Hit, Message, int] | None:
        """A hit with its message and the number of that in its file; None where it is gone."""
        return next(((hit, message, number) for number, message in enumerate(self._file(hit.path)[1]) if message.id == hit.message), None)

    def _words(self, hit: Hit, message: Message, number: int) -> set[str]:
        """The index terms of a message and of its neighbours."""
        near = self._file(hit.path)[1][max(0, number - 1) : number + 2]
        return {term for each in near for term in terms(f"{each.speaker} {text_of(each)}")}

    def _message(self, ref: str, message: Message, number: int, query: str) -> Piece:
        return _said(ref, message, excerpt(message, query, self._length), number, "matched")

    # -- the thread ------------------------------------------------------------------------------

    def _tail(self, path: str) -> Iterator[Piece]:
        """The thread's messages that are not sealed yet, newest first."""
        document, messages = self._file(path)
        if forgotten_at(document):
            return
        for number in range(len(messages) - 1, max(-1, len(messages) - 1 - _TAIL_MESSAGES), -1):
            message = messages[number]
            whole, ref = "\n".join((message.text.strip(), *map(tool_line, message.tools))), f"{path.partition('/')[2].removesuffix('.md')}#{message.id}"
            piece, brief = (_said(ref, message, text, number, "tail") for text in (whole.strip(), excerpt(message, "", self._length)))
            yield piece if len(brief.item.text) >= len(piece.item.text) else piece._replace(shorter=(brief.item,))

    def _blocks(self, thread: str) -> Iterator[Piece]:
        """The blocks, newest first, each at its level, but its tool calls on one line (level 4); where that does not fit, at a shallower one."""
        for block in unfolded(self._store, thread):
            try:
                texts = {level: block.text(level).strip() for level in range(block.detail.level, -1, -1)}
                deepest = min(block.detail.level, _NEAR_VERBATIM) if texts.get(_NEAR_VERBATIM) != texts.get(DEEPEST) else block.detail.level
            except Malformed:
                continue  # `doctor` names it
            found = block.found
            items = [
                Item(found.ref, found.kind, found.at, "block", f"{_head(found.ref, found.at)} · level {level}: {text}", level=level)
                for level, text in texts.items()
                if level == deepest or (level < deepest and text != texts[level + 1])
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


def _same(message: Message, query: str) -> bool:
    return message.text.strip() == query.strip()


def _outdated(newer: str) -> str:
    return f" (outdated, see {newer})" if newer else ""


def _said(ref: str, message: Message, text: str, number: int, why: str) -> Piece:
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
