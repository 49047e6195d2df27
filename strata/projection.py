"""From event cards to the files of the entities they speak of: with each card as it comes, or all anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from strata import graph, portrait
from strata.cards import Event
from strata.claims import Claim, of_lines
from strata.document import Document
from strata.errors import Malformed, NotFound
from strata.graph import Fact, Group
from strata.model import Progress
from strata.plan import Plan
from strata.portrait import Portrait
from strata.holding import Said, said_on
from strata.world import World

if TYPE_CHECKING:
    from strata.store import Store


def update(plan: Plan, store: Store, fresh: Mapping[str, Event | None] | None = None) -> None:
    """Add to an open plan the edits of the entity files that these cards change.

    `fresh` are new or changed cards by their ids, as they will be after the plan; None for one that is forgotten or gone.
    Without it, they are the cards that the plan writes.
    """
    world = plan.world if isinstance(plan.world, World) else World(plan, store)
    plan.world = world
    fresh = world.follow() | dict(fresh or {})
    versions: dict[str, list[Event]] = {}
    for ref, event in fresh.items():
        versions[ref] = [each for each in (world.before(ref), world.events.get(ref), event) if each]
    world.take(fresh)
    for entity, touched in _touched(world, versions).items():
        _project(world, entity, set(touched), set(versions), {ref for refs in touched.values() for ref in refs})


def held(plan: Plan, store: Store, claim: Claim) -> bool:
    """Whether a claim holds so far, by the file of its entity or by a card of this plan."""
    world, group = World.of(plan, store), graph.group(claim)
    entity = world.entity(claim.entity)
    seen = world.portrait(entity)
    if seen and any(fact.group == group and fact.status in ("current", "disputed") for fact in seen.facts):
        return True
    said = (each for event in world.events.values() if event for each in _claims(event))
    return any(graph.group(each) == group and not each.valid_to and world.entity(each.entity) == entity for each in said)


def renew(plan: Plan, store: Store, ids: Iterable[str]) -> None:
    """Add the edits that make these entities, and all they were merged with or split from, what all cards about them say."""
    world = World.of(plan, store)
    found, pending = set[str](), list(ids)
    while pending:
        if (ref := pending.pop()) not in found:
            found.add(ref)
            seen = world.portrait(ref)
            pending += [other for other in (*seen.merged, *seen.split_into, seen.merged_into, seen.split_from) if other] if seen else []
    for entity in sorted({world.entity(ref) for ref in found}):
        _project(world, entity, None, set())


def rebuild(plan: Plan, store: Store, progress: Progress | None = None) -> int:
    """Add the edits that make every entity file what all event cards say; how many entities there are."""
    from strata.whole import Whole

    world = Whole(plan, store, progress)
    plan.world = world
    everything = world.claims()
    for done, entity in enumerate(entities := sorted(everything.keys() | world.ids()), 1):
        _write(world, entity, everything.get(entity, []))
        if progress:
            progress(world.read + done, world.read + len(entities))
    return len(entities)


def _touched(world: World, versions: Mapping[str, list[Event]]) -> dict[str, dict[Group, set[str]]]:
    """The groups of facts that changed cards have a part in, and those of the cards they supersede or contradict, by entity: each with the ids that were named."""
    every = dict(versions)
    for ref in [old for each in versions.values() for event in each for old in event.supersedes]:
        every.setdefault(ref, [event] if (event := world.event(ref)) else [])
    for ref, each in list(every.items()):
        against = {other for event in each for other in event.conflicts_with} | world.conflicting(ref).keys()
        for other in against - every.keys():
            every[other] = [event] if (event := world.event(other)) else []
    found: dict[str, dict[Group, set[str]]] = {}
    for ref in sorted(every):
        for claim in dict.fromkeys(claim for event in every[ref] for claim in _claims(event)):
            found.setdefault(world.home(claim.entity, ref), {}).setdefault(graph.group(claim), set()).add(claim.entity)
    return found


def _project(world: World, entity: str, groups: set[Group] | None, fresh: set[str], named: Iterable[str] = ()) -> None:
    """Bring the file of an entity up to date: these groups of its facts, or all of them. `named` are ids that lead to it, which no file may say."""
    seen = world.portrait(entity)
    if seen is None and world.file(entity):
        return  # it cannot be read, hence not changed
    if groups is None or seen is None or seen.edited or seen.withdrawn or not seen.facts:
        _write(world, entity, _all_of(world, entity, named))
        return
    refs = {ref for fact in seen.facts if fact.group in groups for ref in fact.events} | fresh
    said = [each for each in _said(world, entity, refs) if graph.group(each.claim) in groups]
    others = [fact for fact in seen.facts if fact.group not in groups]
    _write(world, entity, said, others)


def _all_of(world: World, entity: str, named: Iterable[str]) -> list[Said]:
    """All claims that belong to an entity."""
    members = world.members(entity)
    ids = {ref for member in members for ref in member.ids} | {entity, *named}
    refs = {ref for each in ids for ref in world.about(each)} | {ref for member in members for ref in member.takes}
    return _said(world, entity, refs)


def _said(world: World, entity: str, refs: Iterable[str]) -> list[Said]:
    cards = [(ref, event) for ref in sorted(refs) if (event := world.event(ref))]
    return [Said(ref, event, claim) for ref, event in cards for claim in _claims(event) if world.home(claim.entity, ref) == entity]


def _claims(event: Event) -> list[Claim]:
    return of_lines(event.facts or ())


def _write(world: World, entity: str, said: list[Said], kept: Iterable[Fact] = ()) -> None:
    """Write an entity's file from what was said of it, and the facts that this has no part in."""
    found, seen = world.file(entity), world.portrait(entity)
    if found and seen is None:
        return
    facts = graph.ordered([*kept, *graph.facts(said, world.around({each.ref for each in said}))])
    if seen is None or found is None:
        if facts:
            world.write(entity, portrait.written(None, _new(entity, said)._replace(facts=facts)))
        return
    rescue(world, entity)
    (_, document), seen = world.file(entity) or found, world.portrait(entity) or seen
    if not facts and not seen.facts and portrait.section_of(document) is None and not seen.merged_into:
        return  # a person's own page, of which no event says anything
    if seen.merged_into and world.entity(entity) == entity:
        seen = seen._replace(merged_into="")  # of entities merged in a circle this one stands
    seen = seen._replace(facts=facts, merged=tuple(ref for ref in seen.merged if ref != world.entity(entity)))
    try:
        changed = portrait.written(document, seen)
    except Malformed as problem:
        world.store.warn(str(problem))
        return
    world.write(entity, None if portrait.is_bare(changed, seen) else changed)


def rescue(world: World, entity: str) -> None:
    """Tell apart what somebody changed in the section of an entity, before that is written anew."""
    found, seen = world.file(entity), world.portrait(entity)
    if found and seen and (seen.edited or portrait.unmarked(found[1])):
        world.write(entity, portrait.rescued(found[1], _base(world, found[0], found[1].text("facts_sha256"))))


def _new(entity: str, said: list[Said]) -> Portrait:
    """An entity that has no file yet, named as the first event named it."""
    named = [each for each in said if each.claim.entity == entity] or said
    first = min(named, key=lambda each: (said_on(each.ref, each.event), each.ref, each.claim.name))
    return Portrait(entity, first.claim.type, first.claim.name)


def _base(world: World, path: str, wanted: str) -> str | None:
    """The section of an entity as strata wrote it, from history; None where no commit holds it."""
    for commit in world.store.history.log(path) if wanted else ():
        try:
            section = portrait.section_of(Document.parse(world.store.history.read(path, commit.id), path))
        except NotFound:
            section = None  # this commit took the file away from there
        if section is not None and portrait.digest(section) == wanted:
            return section
        path = next((old for _, now, old in commit.paths if now == path and old), path)
    return None
