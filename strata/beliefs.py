"""What two commits believe differently, from the files of entities and events that differ between them and no others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from strata import layout, moment, portrait
from strata.cards import event_of
from strata.claims import folded
from strata.document import Document
from strata.entries import forgotten_at, ref_of
from strata.errors import Malformed, NotFound, StrataError, UsageError
from strata.model import Kind, Tier
from strata.provenance import Beliefs, EventChange, FactChange
from strata.views import fact_shown

if TYPE_CHECKING:
    from strata.graph import Fact
    from strata.portrait import Portrait
    from strata.store import Store

CHANGES = ("added", "changed", "confirmed", "disputed", "settled", "closed", "reopened", "retracted", "withdrawn", "gone", "moved")
"""What can become of a fact: it is new, says something else (its dates, how sure it is), rests on other events than before, is
contradicted, or no longer so; it ended, or did not end after all; it was never true; a person took it out; what it
rested on is gone; it belongs to another entity since a merge or a split."""

Portraits = Mapping[str, "Portrait"]

_TELLING = rb"(?m)^(?:supersedes|conflicts_with):[ \t]*(?:[^\[\s]|\[[^\]]|$)|^forgotten_at:"  # a card that may speak of others, or is hidden


def between(store: Store, span: str | None, entity: str = "") -> Beliefs:
    """What changed from A to B (`A..B`), or with the last commit. See `Reasons.beliefs`."""
    history = store.history
    head = history.head()
    if span is None:
        start, end = _parent(store, head), head
    else:
        old, dots, new = span.partition("..")
        if not dots:
            raise UsageError(f"{span!r} is not a span", remedy="give A..B, two revisions or dates, such as 2026-05..2026-06")
        start, end = _begin(store, old or "HEAD"), history.resolve(new or "HEAD")
    changed = [path for path in history.changed(start, end) if layout.is_record(path)]
    entities = {layout.ref_at(path) for path in changed if layout.kind_of(path) == Kind.ENTITY}
    before, after = (_portraits(store, entities, commit) for commit in (start, end))
    facts = facts_changed(before, after)
    events = _events(store, [path for path in changed if layout.kind_of(path) == Kind.EVENT], start, end)
    if entity:
        ref = _named(store, entity, end, start) if span else _one(store, entity, end, start)
        facts = [each for each in facts if ref in (each.ref, each.source)]
        cited = {event for each in facts for fact in (each.fact, each.before) if fact for event in fact.events}
        events = [each for each in events if {each.ref, each.by} & cited]
    return Beliefs(start or "", end or "", tuple(facts), tuple(events))


def facts_changed(before: Portraits, after: Portraits) -> list[FactChange]:
    """The facts of entities that differ, by entity, those of one in the order of `CHANGES`."""
    found: list[FactChange] = []
    lost: list[tuple[str, Fact]] = []
    fresh: list[tuple[str, Fact]] = []
    for ref in sorted({*before, *after}):
        was, now = ({fact.id: fact for fact in seen[ref].facts} if ref in seen else {} for seen in (before, after))
        pairs = _pairs(was, now)
        name = _name(ref, after, before)
        for old, new in pairs:
            if change := _change(old, new):
                found.append(FactChange(change, ref, name, fact_shown(new), fact_shown(old)))
        kept = [{fact.id for fact in side} for side in zip(*pairs, strict=True)] or [set(), set()]
        lost += [(ref, fact) for id, fact in was.items() if id not in kept[0]]
        fresh += [(ref, fact) for id, fact in now.items() if id not in kept[1]]
    for ref, fact in fresh:
        moved = next((each for each in lost if each[1].id == fact.id and each[0] != ref), None)
        if moved:
            lost.remove(moved)
        change = "moved" if moved else fact.status if fact.status in ("disputed", "retracted") else "added"
        found.append(FactChange(change, ref, _name(ref, after, before), fact_shown(fact), fact_shown(moved[1]) if moved else None, moved[0] if moved else ""))
    for ref, fact in lost:
        by_hand = ref in after and (after[ref].edited or fact.id in after[ref].withdrawn)
        found.append(FactChange("withdrawn" if by_hand else "gone", ref, _name(ref, after, before), fact_shown(fact), fact_shown(fact)))
    return sorted(found, key=lambda each: (each.name.casefold(), each.ref, CHANGES.index(each.change), each.fact.key, each.fact.valid_from or each.fact.said, each.fact.value, each.fact.id))


def _pairs(was: Mapping[str, Fact], now: Mapping[str, Fact]) -> list[tuple[Fact, Fact]]:
    """The facts of one entity that are there on both sides: by id, else saying the same, since an earlier event gives another id."""
    pairs = [(fact, now[id]) for id, fact in was.items() if id in now]
    left = [fact for id, fact in now.items() if id not in was]
    for old in [fact for id, fact in was.items() if id not in now]:
        same = next((new for new in left if new.group == old.group and folded(new.value) == folded(old.value) and set(new.events) & set(old.events)), None)
        if same:
            left.remove(same)
            pairs.append((old, same))
    return pairs


def _change(old: Fact, new: Fact) -> str:
    """What became of a fact that both sides know; "" for nothing."""
    if new.status != old.status:
        match new.status:
            case "closed" | "disputed" | "retracted":
                return new.status
            case "current" if old.status == "disputed":
                return "settled"
            case "current" if old.status == "closed":
                return "reopened"
        return "changed"
    said = ("value", "valid_from", "valid_to", "said", "confidence")
    if any(getattr(old, field) != getattr(new, field) for field in said):
        return "changed"
    return "confirmed" if old.events != new.events else ""


# -- reading both sides --------------------------------------------------------------------------


def _begin(store: Store, text: str) -> str | None:
    """The commit at which a span begins; None, nothing, for a date before the first one."""
    try:
        return store.history.resolve(text)
    except NotFound:
        if not moment.is_valid(text):
            raise
        return None


def _parent(store: Store, commit: str | None) -> str | None:
    try:
        return store.history.resolve(f"{commit}^") if commit else None
    except NotFound:  # the first commit of all
        return None


def _at(store: Store, ref: str, commit: str | None) -> Document | None:
    """The file of a record in a commit, in whichever tier it lay; None for one that was not there."""
    for tier in Tier if commit else ():
        path = layout.record_path(ref, tier)
        if path and store.history.blob_id(path, commit):
            return Document.parse(store.history.read(path, commit), path)
    return None


def _portraits(store: Store, refs: Iterable[str], commit: str | None) -> dict[str, Portrait]:
    """The entities as a commit had them; one that it had forgotten, or that cannot be read, is not there."""
    found = {}
    for ref in refs:
        document = _at(store, ref, commit)
        if document is None:
            continue
        try:
            seen = portrait.read(document, document.path)
        except Malformed as problem:
            store.warn(str(problem))
            continue
        if not forgotten_at(document):
            found[ref] = seen
    return found


def _events(store: Store, paths: Sequence[str], start: str | None, end: str | None) -> list[EventChange]:
    """What became of events by the cards that differ: superseded, contradicted, forgotten, remembered."""
    telling = {ref for path in paths for commit in (start, end) if (ref := _speaks(store, path, commit))}
    found = []
    for ref in sorted(telling):
        was, now = _at(store, ref, start), _at(store, ref, end)
        hidden = [bool(document and forgotten_at(document)) for document in (was, now)]
        if was and now and hidden[0] != hidden[1]:
            found.append(EventChange("forgotten" if hidden[1] else "restored", ref, now.text("title")))
        if now is None or hidden[1]:
            continue
        for change, key in (("superseded", "supersedes"), ("contradicted", "conflicts_with")):
            known = was.list(key) if was and not hidden[0] else []
            found += [EventChange(change, other, _title(store, other, end), ref) for other in now.list(key) if other not in known and other != ref]
    return sorted(found)


def _speaks(store: Store, path: str, commit: str | None) -> str:
    """The ref of a card in a commit that may say something of others, or is hidden; most say nothing, and are not parsed."""
    if not commit or not store.history.blob_id(path, commit):
        return ""
    data = store.history.read(path, commit)
    return ref_of(path, Document.parse(data, path)) if re.search(_TELLING, data) else ""


def _title(store: Store, ref: str, commit: str | None) -> str:
    document = _at(store, ref, commit) if layout.is_id(ref) else None
    try:
        return event_of(document, document.path).title if document else ""
    except Malformed:
        return ""  # `doctor` reports it


def _name(ref: str, *sides: Portraits) -> str:
    return next((side[ref].name for side in sides if ref in side), ref)


def _one(store: Store, name: str, *commits: str | None) -> str:
    """The same where there is no span. Raises UsageError for what is no entity, but one end of a span."""
    try:
        return _named(store, name, *commits)
    except NotFound as missing:
        try:
            store.history.resolve(name)
        except StrataError:
            raise missing from None
        raise UsageError(f"there is no entity {name!r}, and as a revision it is one end of two", ref=name, remedy=f"what changed since: strata diff --beliefs {name}..") from None


def _named(store: Store, name: str, *commits: str | None) -> str:
    """The id of an entity that a name means in the first of the commits that has it."""
    from strata.gallery import Gallery

    missing: NotFound | None = None
    for commit in commits:
        try:
            if commit:
                return Gallery(store, commit).named(name)[1].id
        except NotFound as error:
            missing = missing or error
    raise missing or NotFound(f"there is no entity {name!r}", ref=name)
