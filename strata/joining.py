"""Two versions of one entity's file as one, for git's merge: what either side knows, and what a person wrote on either."""

from __future__ import annotations

from difflib import ndiff

from strata.document import Document
from strata.errors import Conflict
from strata.graph import Fact
from strata.portrait import Portrait, read, written

_GATHERED = ("aliases", "merged", "split_into", "takes", "withdrawn")


def joined(base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes:
    """The file with the facts, names and texts of both sides; which state holds now, a projection of the cards says later.

    Raises Malformed for a side that is no entity, and Conflict where somebody edited the section of facts, or both led it elsewhere.
    """
    mine, other = Document.parse(ours, path), Document.parse(theirs, path)
    a, b = read(mine, path), read(other, path)
    if a.edited or b.edited or (a.merged_into != b.merged_into and a.merged_into and b.merged_into):
        raise Conflict("both sides say something that only a person can join", path=path, remedy="edit it, git add it, then: strata graph rebuild")
    before = read(Document.parse(base, path), path).own if base.strip() else ""
    merged = a._replace(facts=_facts(a, b), merged_into=a.merged_into or b.merged_into, split_from=a.split_from or b.split_from, **{key: _both(getattr(a, key), getattr(b, key)) for key in _GATHERED})
    if a.own == before:
        return written(other, merged).data
    document = written(mine, merged)
    if b.own in (before, a.own):
        return document.data
    added = [line[2:] for line in ndiff((before or a.own).splitlines(), b.own.splitlines()) if line.startswith("+ ") and line[2:] not in a.own.splitlines()]
    body = document.body if document.body.endswith(b"\n") else document.body + b"\n"
    return document.with_body(body + "".join(f"{line}\n" for line in added).encode("utf-8", "surrogateescape")).data


def _facts(a: Portrait, b: Portrait) -> tuple[Fact, ...]:
    """The facts of both, each once; one that both know rests on the events of both."""
    found: dict[str, Fact] = {}
    for fact in (*a.facts, *b.facts):
        known = found.get(fact.id)
        found[fact.id] = fact if known is None else known._replace(events=_both(known.events, fact.events))
    return tuple(found.values())


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
