"""What was true at a date: who had said or done what by then, and what an entity was on that day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import TYPE_CHECKING

from strata import graph, moment, portrait
from strata.document import Document
from strata.errors import Malformed
from strata.model import Entry, Kind

if TYPE_CHECKING:
    from strata.shadow import Found


def last_day(at: str) -> date:
    """The day from which relative words count at a date: the last one of a month or a year. Raises Malformed."""
    return (moment.parse(at, field="at").closes - timedelta(microseconds=1)).date()


def by_then(entry: Entry | Found, at: str) -> bool:
    """Whether a record or message is from a date or earlier; a block by its last message, an event by when it happened, else when it was told.

    What has no time of its own is not: nothing says that it was so then.
    """
    return moment.within(entry.until if entry.kind == Kind.BLOCK else entry.at, until=at)


def true_then(path: str, data: bytes, at: str) -> tuple[str, str] | None:
    """Name and text of the entity in a file by its facts of a date alone; None where nothing was true of it.

    What a person wrote around the facts has no date, so it is left out, and so is a file that cannot be read as an entity.
    """
    try:
        seen = portrait.read(Document.parse(data, path), path)
    except Malformed:
        return None
    facts = graph.at(seen.facts, at)
    if not facts:
        return None
    return seen.name, "\n".join((*seen.aliases, *(f"{fact.key}: {fact.value}" for fact in facts)))


def as_of(entry: Entry, read: Callable[[str], bytes], at: str, query: str) -> Entry | None:
    """The entry as it was true at a date; None where it was not, or where an entity shares no word with the query by what was true."""
    from strata.shadow.terms import query_terms, terms

    if entry.kind != Kind.ENTITY:
        return entry if by_then(entry, at) else None
    if (then := true_then(entry.path, read(entry.path), at)) is None:
        return None
    name, text = then
    if set(query_terms(query)).isdisjoint(terms(f"{name}\n{text}")):
        return None
    return entry._replace(title=name, text=text)
