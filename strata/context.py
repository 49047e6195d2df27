"""The part of a memory that is about what an agent sees: the context, the levels of blocks, the weight of records."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from strata import layout
from strata.errors import NotFound, UsageError
from strata.model import Kind
from strata.results import Context, Leveled, Shown

if TYPE_CHECKING:
    from strata.config import Config
    from strata.lookup import Lookup
    from strata.store import Store
    from strata.tokens import Counter

_NAMED = 10  # threads that a hint names
MOST = 1_000_000  # tokens of a budget


class Contexts:
    """Mixed into `Memory`."""

    _store: Store
    _lookup: Lookup
    _config_to_read: Callable[[], Config]
    _kept_as: Callable[[str], str]
    _anchored: Callable[[Shown], Shown]

    def context(self, query: str = "", *, thread: str = "", budget: int | None = None, counter: str = "") -> Context:
        """What is worth knowing before answering `query` in `thread`, fenced as background, in at most `budget` tokens.

        The default budget is the setting `context_budget`; `counter` is auto, estimate or o200k_base, by default the setting
        `context_counter`. Without a thread, and where nothing is relevant, pinned or about safety, the text is empty; so it is where not
        even one piece fits. A thread that does not exist (yet) is empty. Nothing is written, and nothing counts as a read.
        """
        config = self._config_to_read()
        budget = config["context_budget"] if budget is None else budget
        if not 1 <= budget <= MOST:
            raise UsageError(f"a budget of {budget} tokens is none", remedy=f"give 1 to {MOST:,}")
        chosen = self._counter(counter)
        from strata.background import Background

        self._store.refresh()
        kept = self._kept_as(thread)
        return Background(self._store, self._lookup, chosen).context(query, kept, self._tail_of(kept), budget)

    def blocks(self, *, thread: str = "", counter: str = "") -> list[Leveled]:
        """The blocks of a thread, or of all, each thread newest first: the level each is shown at now, and why.

        Raises NotFound for a thread that has no message.
        """
        from strata.unfolding import leveled, threads

        self._store.refresh()
        kept = self._kept_as(thread)
        if kept and not self._store.ask(lambda shadow: shadow.message_ids(kept)):
            raise NotFound(f"there is no thread {thread!r}", remedy=self._threads_there())
        chosen = self._counter(counter)
        names = [kept] if kept else threads(self._store)
        return [row for name in names for row in leveled(self._store, name, chosen)]

    def expand(self, block: str, level: int) -> Shown:
        """Open a block at a level from 0 to 5, and keep it there from now on; it fades from there as further blocks follow.

        This is a read, and brings an archived block back. It is committed and durable when it returns, where `show` at a level waits for the
        next write. Raises UsageError for what is no block.
        """
        if layout.split_ref(block)[1]:
            raise UsageError(f"{block} is a message, and levels are for blocks", ref=block, remedy=f"strata expand {layout.split_ref(block)[0]} --level {level}")
        self._lookup.record(block, kinds=(Kind.BLOCK,))
        return self._with_weight(self._anchored(self._lookup.show(block, level=level, at=None)))

    def _with_weight(self, shown: Shown) -> Shown:
        """What `show` gives, with the weight of an event, and of another record that was used or is pinned."""
        if shown.kind not in (Kind.EVENT, Kind.ENTITY, Kind.NOTE):
            return shown
        from strata.document import Document
        from strata.weighing import weights

        document = Document.parse(self._store.files.read(shown.path), shown.path)
        if shown.kind != Kind.EVENT and not document.flag("pinned") and not self._store.accesses.marked(shown.ref):
            return shown
        self._store.refresh()
        weight = weights(self._store, {shown.ref: document})[shown.ref]
        return shown._replace(weight=weight if shown.kind == Kind.EVENT or document.flag("pinned") or weight.uses else None)

    def _threads_there(self) -> str:
        """What helps somebody who named a thread that is not there."""
        known = sorted({found.thread for found in self._store.ask(lambda shadow: list(shadow.entries(kinds=("message",))))})
        if not known:
            return "no thread has a message yet"
        some = ", ".join(ascii(name)[1:-1] if not name.isprintable() else name for name in known[:_NAMED])
        return f"the threads are {some}" if len(known) <= _NAMED else f"some of the {len(known):,} threads are {some}"

    def _counter(self, name: str) -> Counter:
        """The counter that is asked for; the one of the settings gives way, with a warning, where it is not installed."""
        from strata import tokenizer

        if name and name not in tokenizer.CHOICES:
            raise UsageError(f"no counter is called {name!r}", remedy=f"it is {', '.join(tokenizer.CHOICES)}")
        wanted = name or self._config_to_read()["context_counter"]
        try:
            return tokenizer.counter(wanted)
        except UsageError as error:
            if name:
                raise
            self._store.warn(f"{error}; going on with the estimate")
            return tokenizer.counter("auto")

    def _tail_of(self, thread: str) -> str:
        """The file of a thread's tail, "" where there is none."""
        if not thread:
            return ""
        path = layout.tail_path(thread)
        if self._store.files.exists(path):
            return path
        found = self._store.ask(lambda shadow: list(shadow.entries(kinds=("message",), thread=thread)))
        return next((entry.path for entry in found if layout.kind_of(entry.path) == Kind.TAIL), "")
