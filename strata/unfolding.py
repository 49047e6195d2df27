"""The blocks of a thread as they are shown now, newest first, each at the level that its age and its openings leave it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from strata import layers, moment
from strata.detail import Anchor, Detail, anchors, shown_at
from strata.document import Document
from strata.errors import Malformed
from strata.layout import tier_of
from strata.records import summary_of
from strata.results import Leveled
from strata.shadow import Found
from strata.store import Store
from strata.tokens import Counter
from strata.transcript import decode


class Unfolded(NamedTuple):
    """A block with its age in ready blocks and its level now."""

    found: Found
    document: Document
    age: int
    detail: Detail

    def text(self, level: int | None = None) -> str:
        """The block at a level, by default its own. Raises Malformed for a body that cannot be read."""
        level = self.detail.level if level is None else level
        messages = decode(self.document.body, self.found.path, self.document.body_line)
        return layers.render(level, messages, summary_of(self.document) if self.document.text("state") == "ready" else None)


def threads(store: Store) -> list[str]:
    """The threads that have blocks, by name."""
    return sorted({found.thread for found in store.ask(lambda shadow: list(shadow.entries(kinds=("block",))))})


def unfolded(store: Store, thread: str) -> Iterator[Unfolded]:
    """The blocks of a thread, newest first, read one by one."""
    found = store.ask(lambda shadow: list(shadow.entries(kinds=("block",), thread=thread)))
    found.sort(key=lambda block: (-block.position, block.ref))
    anchored = anchors(store.accesses.marked('"level"')) if found else {}
    sealed: list[str] = []  # when the ready blocks so far were sealed
    for block in found:
        document = Document.parse(store.tree.bytes_of(block.path) or b"", block.path)
        pending = document.text("state") != "ready"
        anchor = anchored.get(block.ref)
        yield Unfolded(block, document, len(sealed), shown_at(len(sealed), anchor, _after(anchor, sealed), pending=pending))
        if not pending:
            sealed.append(document.text("sealed_at"))


def leveled(store: Store, thread: str, counter: Counter) -> Iterator[Leveled]:
    """The blocks of a thread as lines of a list; those that cannot be read are passed over, `doctor` names them."""
    for block in unfolded(store, thread):
        try:
            tokens = counter.count(block.text())
        except Malformed:
            continue
        yield _line(block, tokens, counter)


def _line(block: Unfolded, tokens: int, counter: Counter) -> Leveled:
    found, header = block.found, block.document
    first, last = (int(turn) if (turn := header.text(key)).isdecimal() else 0 for key in ("first_turn", "last_turn"))
    return Leveled(found.ref, found.thread, first, last, found.title, block.age, block.detail.level, block.detail.why, tokens, counter.name, tier_of(found.path))


def _after(anchor: Anchor | None, sealed: list[str]) -> int:
    return sum(moment.sort_key(at) > moment.sort_key(anchor.at) for at in sealed) if anchor else 0
