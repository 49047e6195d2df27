"""Two versions of one entity's file as one, for git's merge: what either side knows, and what a person wrote on either."""

from __future__ import annotations

from difflib import ndiff

from strata.document import Document
from strata.errors import Conflict
from strata.graph import Fact
from strata.portrait import Portrait, read, written

_GATHERED = ("aliases", "merged", "split_into", "takes", "withdrawn")


def joined(base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes:
    """The file with the facts, names and texts of both sides, without what one of them took away; which state holds now, a projection of the cards says later.

    Raises Malformed for a side that is no entity, and Conflict where somebody edited the section of facts, or both led it elsewhere.
    """
    mine, other = Document.parse(ours, path), Document.parse(theirs, path)
    a, b = read(mine, path), read(other, path)
    first = read(Document.parse(base, path), path) if base.strip() else Portrait(a.id, a.type, a.name)
    led = _changed(first.merged_into, a.merged_into, b.merged_into)
    if a.edited or b.edited or led is None:
        raise Conflict("both sides say something that only a person can join", path=path, remedy="edit it, git add it, then: strata graph rebuild")
    before = first.own
    lists = {key: _both(getattr(first, key), getattr(a, key), getattr(b, key)) for key in _GATHERED}
    split = _changed(first.split_from, a.split_from, b.split_from)
    merged = a._replace(facts=_facts(first, a, b), merged_into=led, split_from=a.split_from if split is None else split, **lists)
    if a.own == before:
        return written(other, merged).data
    document = written(mine, merged)
    if b.own in (before, a.own):
        return document.data
    added = [line[2:] for line in ndiff((before or a.own).splitlines(), b.own.splitlines()) if line.startswith("+ ") and line[2:] not in a.own.splitlines()]
    body = document.body if document.body.endswith(b"\n") else document.body + b"\n"
    return document.with_body(body + "".join(f"{line}\n" for line in added).encode("utf-8", "surrogateescape")).data


def _facts(first: Portrait, a: Portrait, b: Portrait) -> tuple[Fact, ...]:
    """The facts of both, each once, on the events that neither took away; one that has none left is gone."""
    sides = [{fact.id: fact for fact in side.facts} for side in (first, a, b)]
    found = []
    for ref, fact in (sides[2] | sides[1]).items():
        events = _both(*(side[ref].events if ref in side else () for side in sides))
        if events:
            found.append(fact._replace(events=tuple(sorted(events))))
    return tuple(found)


def _both(first: tuple[str, ...], one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What either has, without what the first version had and one of them took away."""
    gone = {each for each in first if each not in one or each not in other}
    return tuple(each for each in dict.fromkeys((*one, *other)) if each not in gone)


def _changed(first: str, one: str, other: str) -> str | None:
    """What the side that changed a text says; None where both did, each its own way."""
    if one == other or other == first:
        return one
    return other if one == first else None
