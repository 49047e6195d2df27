"""What the verbs about entities return: an entity with its facts, a line of a list, a chain from one to another, an export, what was done."""

from __future__ import annotations

from typing import NamedTuple


class FactShown(NamedTuple):
    """One fact of an entity. `other` is the id of the entity that a relation leads to, "" for any other fact.

    `status` is current, closed, disputed, planned or retracted; `said` is the day from which an unknown `valid_from` counts.
    """

    id: str
    mode: str
    key: str
    value: str
    status: str
    valid_from: str = ""
    valid_to: str = ""
    said: str = ""
    events: tuple[str, ...] = ()
    other: str = ""
    confidence: float | None = None


class EntityName(NamedTuple):
    """An entity as it is named elsewhere."""

    ref: str
    type: str
    name: str


class Pointing(NamedTuple):
    """A relation of another entity to the one that is shown."""

    ref: str
    name: str
    fact: FactShown


class EntityRow(NamedTuple):
    """One line of a list of entities: how many facts are true now, how many there are, and the day of the latest event."""

    ref: str
    type: str
    name: str
    aliases: tuple[str, ...]
    now: int
    facts: int
    updated: str


class EntityShown(NamedTuple):
    """One entity: what is true `now` (or was on the day `at`), what is `planned` and what was `earlier`, and what a person wrote of it.

    Of another day there are only the facts true then. `asked` is the id by which it was asked for, where that was merged into this one; one with `merged_into` is no entity any more, and all that is known went there. `pointing` are relations of
    others to it, at most twenty, those that hold first. `believed` is the commit that it is read from, "" for the files as they are.
    """

    ref: str
    type: str
    name: str
    path: str
    aliases: tuple[str, ...] = ()
    now: tuple[FactShown, ...] = ()
    planned: tuple[FactShown, ...] = ()
    earlier: tuple[FactShown, ...] = ()
    pointing: tuple[Pointing, ...] = ()
    own: str = ""
    updated: str = ""
    asked: str = ""
    merged: tuple[str, ...] = ()
    merged_into: str = ""
    split_from: str = ""
    split_into: tuple[str, ...] = ()
    at: str = ""
    believed: str = ""


class EntityFound(NamedTuple):
    """An entity that a search found, and its facts that share a word with the query, the best first, each with whether it is true."""

    ref: str
    type: str
    name: str
    aliases: tuple[str, ...]
    facts: tuple[FactShown, ...]
    others: int  # facts that share none


class Step(NamedTuple):
    """One relation on the way: from `source` to `target` as it is walked; `forward` is False where the relation itself leads back."""

    source: EntityName
    fact: FactShown
    forward: bool
    target: EntityName


class Way(NamedTuple):
    """The shortest chain of relations from one entity to another; no steps where there is none, or none near enough.

    `looked` entities were read for it; `whole` is False where the search gave up before it had seen all.
    """

    start: EntityName
    end: EntityName
    steps: tuple[Step, ...]
    looked: int
    whole: bool = True


class Rearranged(NamedTuple):
    """What was done to an entity: `did` is merged, parted, split or named.

    `other` is the entity that was merged into `ref`, parted from it, or split off. Each with how many facts it has now; `names` are
    the further names of `ref`. `path` is its file, `commit` "" where all was so already.
    """

    did: str
    ref: str
    path: str
    other: str
    facts: int
    other_facts: int
    names: tuple[str, ...]
    commit: str


class Rebuilt(NamedTuple):
    """How many entities there are now that all were made anew; `commit` is "" where no file changed by it."""

    entities: int
    commit: str


class Exported(NamedTuple):
    """A graph in another format."""

    format: str
    text: str
    entities: int
    relations: int
    caption: str
