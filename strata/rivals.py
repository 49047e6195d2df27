"""Which event cards stand against one: those that supersede it, and those that contradict it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from strata import moment
from strata.document import Document
from strata.entries import conflicting, superseding
from strata.errors import StrataError
from strata.model import Kind
from strata.outlived import Outlived

if TYPE_CHECKING:
    from strata.model import Hit
    from strata.results import Shown
    from strata.shadow import Found, Shadow

Ask = Callable[[Callable[["Shadow"], Any]], Any]
Read = Callable[[str], bytes]


class Rivals(NamedTuple):
    """The refs of the events that supersede one, and of those that contradict it, whichever of the two says so."""

    superseded_by: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()


def on(ask: Ask, ref: str, own: Iterable[str] = (), at: str = "") -> Rivals:
    """What stands against an event; `own` are the events that its own card says it contradicts. Forgotten ones stand against nothing.

    With `at` only cards that are known to be from this date or earlier count.
    """
    over = _flagged(ask, superseding(ref), at)
    against = [*_flagged(ask, conflicting(ref), at), *(found for other in own for found in _named(ask, other, at))]
    return Rivals(*(tuple(dict.fromkeys(found.ref for found in each if found.ref != ref)) for each in (over, against)))


def standing(ask: Ask, ref: str, at: str = "") -> str:
    """The event at the end of the chain of cards that supersede this one; "" for one that stands, or where they supersede each other."""
    seen, now = {ref}, ref
    while newer := [found.ref for found in _flagged(ask, superseding(now), at) if found.ref != now]:
        now = newer[0]
        if now in seen:
            return ""
        seen.add(now)
    return now if now != ref else ""


def marked(ask: Ask, read: Read, hits: Sequence[Hit], at: str = "", query: str = "") -> list[Hit]:
    """The hits with a status for events that are superseded or say what has ended ("outdated"), or are contradicted ("disputed"), each with its counterpart.

    The counterpart need not be among the hits. A contradiction counts as long as both cards stand: neither is superseded nor
    was it cancelled. What is marked as outdated for another reason stays so. `at` is as for `on`.
    """
    outlived = Outlived(ask, read, at)
    return [_marked(ask, read, outlived, hit, at, query) if hit.kind == Kind.EVENT and hit.status != "outdated" else hit for hit in hits]


def below_current(hits: Sequence[Hit], bring: Callable[[str], Hit | None]) -> list[Hit]:
    """The hits, each outdated event below the card that holds instead; `bring` gives that as a hit where it is none, or None."""
    by_ref = {hit.ref: hit for hit in hits}
    order = [hit.ref for hit in hits]
    for old in hits:
        if old.kind != Kind.EVENT or old.status != "outdated" or not old.counterpart.startswith("evt-"):
            continue
        if old.counterpart not in by_ref:
            if (brought := bring(old.counterpart)) is None:
                continue
            by_ref[old.counterpart] = brought._replace(score=old.score)
        elif order.index(old.counterpart) < order.index(old.ref):
            continue
        else:
            order.remove(old.counterpart)
        now = by_ref[old.counterpart]
        by_ref[now.ref] = now if now.status else now._replace(status="current", counterpart=old.ref)
        order.insert(order.index(old.ref), now.ref)
    return [by_ref[ref] for ref in order]


def shown(ask: Ask, record: Shown) -> Shown:
    """An event as it is shown, with what stands against it."""
    own = record.header.get("conflicts_with")
    found = on(ask, record.ref, map(str, own) if isinstance(own, list | tuple) else ())
    return record._replace(superseded_by=found.superseded_by, conflicts_with=found.conflicts_with)


def _marked(ask: Ask, read: Read, outlived: Outlived, hit: Hit, at: str, query: str) -> Hit:
    if newest := standing(ask, hit.ref, at):
        return hit._replace(status="outdated", counterpart=newest)
    try:
        document = Document.parse(read(hit.path), hit.path)
        against = on(ask, hit.ref, document.list("conflicts_with"), at).conflicts_with
        if against and document.text("status") != "cancelled":
            if other := next((other for other in against if not _settled(ask, read, other, at)), ""):
                return hit._replace(status="disputed", counterpart=other)
        if newer := outlived.by(hit.ref, document, hit.path, query):
            return hit._replace(status="outdated", counterpart=newer)
    except StrataError:
        return hit  # not for us to read: whoever found it has warned
    return hit


def _settled(ask: Ask, read: Read, ref: str, at: str) -> bool:
    """Whether a card no longer speaks against another: it was superseded, or cancelled."""
    if standing(ask, ref, at):
        return True
    found = _named(ask, ref, at)
    return not found or Document.parse(read(found[0].path), found[0].path).text("status") == "cancelled"


def _flagged(ask: Ask, flag: str, at: str) -> list[Found]:
    found = ask(lambda shadow: shadow.flagged(flag))
    return [each for each in found if _by_then(each, at)]


def _named(ask: Ask, ref: str, at: str) -> list[Found]:
    """The event with this id, if there is one that is not forgotten."""
    return [each for each in ask(lambda shadow: shadow.find(ref)) if each.ref == ref and not each.forgotten and _by_then(each, at)]


def _by_then(found: Found, at: str) -> bool:
    return not at or moment.within(found.at, until=at)

