"""What `why` and `diff --beliefs` return: the chain from a fact to the words it rests on, and what two commits believe differently."""

from __future__ import annotations

from typing import NamedTuple

from strata.model import Author
from strata.network import FactShown


class Touch(NamedTuple):
    """A commit that changed a record: `what` is came, changed, moved, sealed (of a message: into its block) or gone."""

    id: str
    at: str
    author: Author
    subject: str
    what: str


class Quote(NamedTuple):
    """Words that a card quotes, and the line of the file on which they stand."""

    text: str
    line: int


class Link(NamedTuple):
    """One step of a chain: a fact, event, block, message, entity, note or tail; `rests_on` are the steps below it.

    `text` is what it says, in short. `brought` is the commit that brought it, None where none is known; `changed` are those
    that changed it since, oldest first. `uncommitted` says that its file differs from the last commit, or is not in it.
    `missing` says what of it cannot be found. `forgotten` is since when it is hidden, "" for what is not. `others` are refs
    of further events behind a fact that are not followed here.
    """

    kind: str
    ref: str
    text: str = ""
    path: str = ""
    line: int | None = None
    at: str = ""
    speaker: str = ""
    status: str = ""
    brought: Touch | None = None
    changed: tuple[Touch, ...] = ()
    uncommitted: bool = False
    forgotten: str = ""
    missing: str = ""
    superseded_by: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    others: tuple[str, ...] = ()
    rests_on: tuple[Link, ...] = ()


class FactChange(NamedTuple):
    """A fact that two commits know differently. `change` is one of `beliefs.CHANGES`.

    `fact` is as the later commit has it; where it is no longer there, as the earlier one had it. `before` is what the earlier
    one had, None for a fact that is new. `source` is the entity that it was moved from, by a merge or a split.
    """

    change: str
    ref: str
    name: str
    fact: FactShown
    before: FactShown | None = None
    source: str = ""


class EventChange(NamedTuple):
    """An event that came to stand differently: superseded or contradicted `by` another, forgotten, or remembered again."""

    change: str
    ref: str
    title: str
    by: str = ""


class Beliefs(NamedTuple):
    """What changed from one commit to another, "" for the time before the first."""

    start: str
    end: str
    facts: tuple[FactChange, ...]
    events: tuple[EventChange, ...]
