"""The part of a memory that is about its entities: merged, split, known by other names, rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from strata.errors import AlreadyExists, Ambiguous, NotFound, Refused, UsageError
from strata.model import Progress
from strata.plan import Plan

if TYPE_CHECKING:
    from strata.network import Rearranged, Rebuilt
    from strata.portrait import Portrait
    from strata.store import Store
    from strata.world import World

_SHOWN = 6  # candidates that an error lists


class Entities:
    """Mixed into `Memory`."""

    _store: Store
    _write: Callable[..., AbstractContextManager[Plan]]

    def graph_rebuild(self, progress: Progress | None = None) -> Rebuilt:
        """Make every entity file what the event cards say, in one commit; what a person wrote in them stays."""
        from strata import projection
        from strata.network import Rebuilt

        with self._write("project") as plan:
            count = projection.rebuild(plan, self._store, progress)
            plan.subject = f"Rebuild the entities, {count} in all"
        return Rebuilt(count, plan.commit or "")

    def entity_merge(self, into: str, other: str, *, undo: bool = False, anyway: bool = False) -> Rearranged:
        """Make two entities one: the facts of `other` go to `into`, and its file leads there and keeps what a person wrote.

        With `undo` they are two again. Both are named by id, name or alias. Raises NotFound, Ambiguous, and Refused where
        they are one already, with `undo` were not merged, or are of two types, which `anyway` allows.
        """
        from strata import projection

        with self._write("merge") as plan:
            world = self._world(plan)
            target, source = self._entity(world, into), self._entity(world, other, stub=undo)
            if undo and source.merged_into != target.id:
                raise Refused(f"{source.id} was not merged into {target.id}", ref=source.id, remedy="graph show says what an entity was merged from")
            if not undo and source.id == target.id:
                raise Refused(f"{into!r} and {other!r} are one entity already", ref=target.id, remedy="name two entities")
            if not (undo or anyway) and source.type != target.type:
                raise Refused(
                    f"{source.id} is of type {source.type} and {target.id} of type {target.type}",
                    ref=source.id,
                    remedy=f"if they are one, and one of them has the wrong type: strata entity merge {target.id} {source.id} --anyway",
                )
            merged = [ref for ref in target.merged if ref != source.id] + ([] if undo else [source.id])
            withdrawn = target.withdrawn if undo else tuple(dict.fromkeys([*target.withdrawn, *source.withdrawn]))
            self._put(world, target._replace(merged=tuple(merged), withdrawn=withdrawn))
            self._put(world, source._replace(merged_into="" if undo else target.id, facts=()))
            projection.renew(plan, self._store, [target.id, *([source.id] if undo else [])])
            plan.subject = f"Take {source.name} apart from {target.name} again" if undo else f"Merge {source.name} into {target.name}"
            plan.trailers += [("Strata-Record", target.id), ("Strata-Record", source.id)]
            done = _done("parted" if undo else "merged", self._world(plan), target.id, source.id)
        return done._replace(commit=plan.commit or "")

    def entity_split(self, ref: str, events: Sequence[str], name: str, *, type: str = "") -> Rearranged:
        """Give what these events say of one entity to another, which goes by `name`, and is made where it is not there.

        An event is named by its id, or a beginning of it that fits no other event of the entity. Merging the two takes it
        back. Raises Refused for an event that says nothing of the entity.
        """
        from strata import claims, projection
        from strata.portrait import Portrait

        with self._write("split") as plan:
            world = self._world(plan)
            source = self._entity(world, ref)
            if not events:
                raise UsageError("no event is named", remedy="name the events whose claims belong to the other entity")
            cited = {event for fact in source.facts for event in fact.events}
            refs = tuple(dict.fromkeys(_whole(event, cited) for event in events))
            if strangers := [event for event in refs if event not in cited]:
                raise Refused(f"{', '.join(strangers)} says nothing of {source.id}", ref=source.id, remedy="graph show lists the events of each fact")
            probe = claims.Claim(type or source.type, name, "set", "is", "x")
            if faults := claims.faults(probe):
                raise UsageError(f"{name!r} cannot be its name: {'; '.join(faults)}")
            target = world.entity(claims.entity_id(probe.type, name))
            if target == source.id:
                raise Refused(f"{name!r} is {source.id} itself", ref=source.id, remedy="give the other entity a name of its own")
            part = world.portrait(target) or Portrait(target, probe.type, name)
            if part.split_from not in ("", source.id):
                raise Refused(f"{target} was split from {part.split_from} already", ref=target, remedy="give another name")
            self._put(world, part._replace(split_from=source.id, takes=tuple(dict.fromkeys([*part.takes, *refs]))))
            self._put(world, source._replace(split_into=tuple(dict.fromkeys([*source.split_into, target]))))
            projection.renew(plan, self._store, [source.id, target])
            plan.subject = f"Split {name} from {source.name}"
            plan.trailers += [("Strata-Record", source.id), ("Strata-Record", target)]
            done = _done("split", self._world(plan), source.id, target)
        return done._replace(commit=plan.commit or "")

    def entity_alias(self, ref: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Rearranged:
        """Let an entity go by further names, or no longer. Raises AlreadyExists for a name that another entity has: merge the two.

        Raises UsageError, with the names there are, where none is to be added or removed.
        """
        from strata import claims, projection

        with self._write("alias") as plan:
            world = self._world(plan)
            found = self._entity(world, ref)
            if not add and not remove:
                raise UsageError(f"no name is given; {found.id} goes by {', '.join((found.name, *found.aliases))}", remedy=f"strata entity alias {found.id} --add NAME, or --remove NAME")
            touched = {found.id}
            for name in add:
                if faults := claims.faults(claims.Claim(found.type, name, "set", "is", "x")):
                    raise UsageError(f"{name!r} cannot be a name: {'; '.join(faults)}")
                other = world.entity(claims.entity_id(found.type, name))
                if other != found.id and world.file(other):
                    raise AlreadyExists(f"{name!r} is the name of {other}", ref=other, remedy=f"make them one: strata entity merge {found.id} {other}")
            gone = {claims.folded(name) for name in remove}
            if missing := gone - {claims.folded(alias) for alias in found.aliases}:
                raise NotFound(f"{found.id} does not go by {', '.join(sorted(missing))}", ref=found.id, remedy=f"its aliases: {', '.join(found.aliases) or 'none'}")
            kept = {claims.folded(alias): alias for alias in (*found.aliases, *add) if claims.folded(alias) not in gone | {claims.folded(found.name)}}
            touched |= {claims.entity_id(found.type, name) for name in remove}
            self._put(world, found._replace(aliases=tuple(kept.values())))
            projection.renew(plan, self._store, touched)
            plan.subject = f"Name {found.name}: {', '.join([*(f'+{name}' for name in add), *(f'-{name}' for name in remove)]) or 'nothing'}"
            plan.trailers.append(("Strata-Record", found.id))
            done = _done("named", self._world(plan), found.id)
        return done._replace(commit=plan.commit or "")

    # -- inside ------------------------------------------------------------------------------

    def _world(self, plan: Plan) -> World:
        from strata.world import World

        return World.of(plan, self._store)

    def _entity(self, world: World, name: str, *, stub: bool = False) -> Portrait:
        """The entity that somebody names; with `stub` one that was merged is itself, and does not lead on."""
        from strata import projection
        from strata.gallery import Gallery

        path, found, asked = Gallery(self._store).named(name)
        ref = asked if stub and asked else found.id
        projection.rescue(world, ref)
        seen = world.portrait(ref)
        if not path or seen is None:
            raise NotFound(f"{name!r} has no file: it is known from relations of others only", ref=name, remedy="record something about it first")
        return seen

    def _put(self, world: World, changed: Portrait) -> None:
        from strata import portrait

        seen = world.file(changed.id)
        world.write(changed.id, portrait.written(seen[1] if seen else None, changed))


def _whole(event: str, cited: Collection[str]) -> str:
    """The id that a beginning of it means among these; as it is where it fits none. Raises Ambiguous with the candidates."""
    found = sorted(ref for ref in cited if ref.startswith(event)) if event and event not in cited else []
    if len(found) > 1:
        raise Ambiguous(f"{event!r} fits {len(found)} events: {', '.join(found[:_SHOWN])}", ref=event, remedy="give more of the id")
    return found[0] if found else event


def _done(did: str, world: World, ref: str, other: str = "") -> Rearranged:
    """What was done, with what both entities are by it."""
    from strata.network import Rearranged

    seen, file, second = world.portrait(ref), world.file(ref), world.portrait(other) if other else None
    facts, names = (len(seen.facts), seen.aliases) if seen else (0, ())
    return Rearranged(did, ref, file[0] if file else "", other, facts, len(second.facts) if second else 0, names, "")
