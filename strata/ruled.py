"""What the rules derive from blocks in the very write that seals them: descriptions, event cards, and what these say of entities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice

from strata import deriving, projection
from strata.cards import Event, event_of
from strata.claims import Claim, line
from strata.config import Config
from strata.derive import NewId
from strata.document import Document
from strata.errors import Malformed
from strata.model import Kind, Message, Summary
from strata.plan import Plan
from strata.store import Store

RULES = "rules"
_LOOKED_AT = 8  # earlier cards that a new one may replace
_LATEST = 200  # cards of the same write that it may, which no search finds yet


class Ruled:
    """The work of the rules for one write; blocks come one by one, and `finish` is called once behind the last."""

    def __init__(self, plan: Plan, store: Store, config: Config, now: datetime, new_id: NewId) -> None:
        self._plan = plan
        self._store = store
        self._now = now
        self._new_id = new_id
        self._does = {kind: config.provider_of(kind) for kind in ("summarise", "extract", "project")}
        self._fresh: dict[str, Event] = {}

    @property
    def waits_for_events(self) -> bool:
        """Whether a sealed block stays pending because somebody else is to look for events in it."""
        return self._does["extract"] not in (RULES, "off")

    @property
    def extracts(self) -> bool:
        """Whether the rules look for events themselves."""
        return self._does["extract"] == RULES

    def summary(self, messages: Sequence[Message], thread: str) -> Summary | None:
        """L0 to L2; None where that is not for the rules to make."""
        if self._does["summarise"] != RULES:
            return None
        from strata.models import rules

        return rules.summarise(messages, thread)

    def events(self, block: str, messages: Sequence[Message], thread: str) -> list[str]:
        """Add the cards of a freshly sealed block to the plan, if the rules make them; their ids."""
        if not self.extracts:
            return []
        from strata.models import extracting

        refs: list[str] = []
        for event in extracting.cards(messages, thread):  # one by one: a card may replace one of its own block
            made = deriving.cards(self._plan, self._store, [self._placed(event._replace(source_block=block, made_by=RULES))], self._new_id, self._now)
            self._fresh |= made
            refs += made
        return refs

    def finish(self) -> None:
        """Let the entities follow."""
        if self._fresh:
            projection.update(self._plan, self._store, self._fresh)

    def _placed(self, event: Event) -> Event:
        """A card with what it replaces and what it claims."""
        from strata.models import projecting, replacing

        if replacing.may_replace(event):
            supersedes, conflicts = replacing.replaced(event, self._earlier(event))
            event = event._replace(supersedes=supersedes, conflicts_with=conflicts)
        if self._does["project"] == RULES:
            event = event._replace(facts=tuple(dict.fromkeys(map(line, projecting.claims(event, self._held)))))
        return event

    def _held(self, claim: Claim) -> bool:
        return projection.held(self._plan, self._store, claim)

    def _earlier(self, event: Event) -> list[Event]:
        """Earlier cards about the same, best first: those of this write, then those that search finds."""
        found = self._store.ask(lambda shadow: shadow.rank(event.title, kinds=(Kind.EVENT,), limit=_LOOKED_AT))
        return [*islice(reversed(self._fresh.values()), _LATEST), *self._read(each.path for each in found)]

    def _read(self, paths: Iterable[str]) -> list[Event]:
        cards = []
        for path in paths:
            try:
                cards.append(event_of(Document.parse(self._store.files.read(path), path), path))
            except Malformed as problem:
                self._store.warn(str(problem))
        return cards

