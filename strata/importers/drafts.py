"""Messages of agents that are still growing, kept in file order until each is complete.

An agent's message comes in several rows and its tools answer in later ones, while other threads of
the same file go on in between. A draft is complete once its thread has moved on and every call of a
tool has its result, or once the user speaks again.

Complete drafts leave from the front only, and only where the file can be cut cleanly: all rows of what
has left lie before all rows of what stays. There a later read can start, losing and repeating nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from strata.importers import Item, Report
from strata.model import Message, ToolCall


@dataclass(slots=True, eq=False)
class Draft:
    """A message on its way: `key` tells which rows belong to it, `start` is the offset of its first row."""

    thread: str
    id: str
    role: str
    start: int
    last: int  # offset behind its last row, or that of its last result
    key: str = ""
    at: str = ""
    speaker: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    calls: dict[str, list[Any]] = field(default_factory=dict)  # call id -> name, arguments, result
    waiting: set[str] = field(default_factory=set)  # call ids without a result
    open: bool = True  # further rows may belong to it
    ended: bool | None = None  # whether its last row said that the message ends there, if it said anything

    def message(self) -> Message | None:
        """The message, or None if nothing was said and no tool called."""
        text = "\n\n".join(part for part in self.texts if part)
        if not text.strip() and not self.calls:
            return None
        tools = tuple(ToolCall(*call) for call in self.calls.values())
        return Message(self.id, self.role, text, self.speaker, self.at, tools, self.meta)


class Drafts:
    """The drafts of one transcript, in file order."""

    def __init__(self, report: Report) -> None:
        self.offset = 0  # behind the row that is being taken in
        self._report = report
        self._queue: deque[Draft] = deque()
        self._open: dict[str, Draft] = {}  # thread -> the draft that its next row may continue
        self._calls: dict[tuple[str, str], Draft] = {}

    def current(self, thread: str) -> Draft | None:
        """The draft that a row of this thread may continue."""
        return self._open.get(thread)

    def begin(self, thread: str, id: str, start: int, *, key: str = "", at: str = "", meta: dict[str, Any]) -> Draft:
        """A new draft of an agent's message; the one before it in its thread is no longer open."""
        self.close(thread)
        draft = Draft(thread, id, "assistant", start, self.offset, key, at, meta=dict(meta))
        self._queue.append(draft)
        self._open[thread] = draft
        return draft

    def add(self, thread: str, message: Message, start: int) -> None:
        """A message that is complete at once and ends the one before it; the user's also ends every wait for results."""
        if message.role == "user":
            self._give_up()
        self.close(thread)
        self.insert(thread, message, start)

    def insert(self, thread: str, message: Message, start: int) -> None:
        """A complete message that comes in between: the draft before it may go on."""
        calls = {str(number): [call.name, call.arguments, call.result] for number, call in enumerate(message.tools)}
        self._queue.append(
            Draft(thread, message.id, message.role, start, self.offset, "", message.at, message.speaker, message.meta, [message.text], calls, open=False)
        )

    def call(self, draft: Draft, id: str, name: str, arguments: Any) -> None:
        """A tool is called by `draft`, whose result is to come."""
        draft.calls[id] = [name, arguments, None]
        draft.waiting.add(id)
        self._calls[draft.thread, id] = draft

    def result(self, thread: str, id: str, result: Any) -> bool:
        """A tool's result; False if no draft waits for it."""
        draft = self._calls.pop((thread, id), None)
        if draft is None:
            return False
        draft.calls[id][2] = result
        draft.waiting.discard(id)
        draft.last = self.offset
        return True

    def close(self, thread: str) -> None:
        """No further row belongs to the thread's open draft."""
        if draft := self._open.pop(thread, None):
            draft.open = False

    def _give_up(self) -> None:
        """Results that are still missing will not come, in no thread: the user only speaks when the agents rest.

        Should one come nevertheless, the reader keeps it as a message of its own.
        """
        for draft in self._queue:
            draft.open = False
            draft.waiting.clear()
        self._open.clear()
        self._calls.clear()

    def ready(self, offset: int, *, at_end: bool = False, final: bool = False) -> Iterator[Item]:
        """The complete messages at the front; `offset` is how far the file was read.

        At the end of the file an open draft also counts as complete unless it lacks a result or its
        last row announced more; with `final` everything is complete.
        """
        ripe, reach = 0, 0
        queue = self._queue
        while ripe < len(queue):
            draft = queue[ripe]
            if not final and (draft.waiting or (draft.open and not (at_end and draft.ended is not False))):
                break
            ripe, reach = ripe + 1, max(reach, draft.last)
            cut = queue[ripe].start if ripe < len(queue) else offset
            if reach <= cut:
                yield from self._leave(ripe, cut)
                ripe, reach = 0, 0
        self._report.end = queue[0].start if queue else offset

    def _leave(self, count: int, cut: int) -> Iterator[Item]:
        """The first drafts as items; only the last of them ends at the cut."""
        before = self._queue[0].start
        for left in reversed(range(count)):
            draft = self._queue.popleft()
            if self._open.get(draft.thread) is draft:
                del self._open[draft.thread]
            for id in draft.waiting:
                self._calls.pop((draft.thread, id), None)
            self._report.end = before if left else cut
            if message := draft.message():
                self._report.read += 1
                yield Item(draft.thread, message, self._report.end)
            else:
                self._report.skip("nothing said")
