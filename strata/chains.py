"""From one entity to others along relations, whichever way these lead: the shortest chain between two, and all that is near one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata.graph import Fact
from strata.network import Step, Way
from strata.portrait import Portrait
from strata.views import fact_shown, is_true, named

if TYPE_CHECKING:
    from strata.gallery import Gallery

MOST = 2_000  # entities that are read for one chain

_Link = tuple[Fact, bool, Portrait]  # a relation, whether it leads that way, and the entity at its other end
_Trail = dict[str, tuple[str, Fact, bool] | None]  # entity -> the one it was reached from, by which relation, and whether that leads here


def chain(gallery: Gallery, start: Portrait, end: Portrait, day: str) -> Way:
    """The shortest chain, found from both ends; among equally short ones what holds goes before what does not. `day` "" takes all but what was retracted."""
    known = {start.id: start, end.id: end}
    trails: tuple[_Trail, _Trail] = ({start.id: None}, {end.id: None})
    rims = [[start.id], [end.id]]
    met = start.id if start.id == end.id else ""
    while not met and all(rims) and len(known) < MOST:
        side = 0 if len(rims[0]) <= len(rims[1]) else 1
        trail, other = trails[side], trails[1 - side]
        rim = []
        for here in rims[side]:
            for fact, forward, there in _links(gallery, known[here], day):
                if there.id not in trail:
                    known.setdefault(there.id, there)
                    trail[there.id] = (here, fact, forward)
                    rim.append(there.id)
        rims[side] = rim
        met = next((ref for ref in rim if ref in other), "")
    steps = _walked(trails, met, known) if met else ()
    return Way(named(start), named(end), steps, len(known), bool(met) or not all(rims))


def _walked(trails: tuple[_Trail, _Trail], met: str, known: dict[str, Portrait]) -> tuple[Step, ...]:
    """The steps from the start to where the two searches met, and on from there to the end."""
    steps: list[Step] = []
    here = met
    while link := trails[0][here]:
        before, fact, forward = link
        steps.insert(0, Step(named(known[before]), fact_shown(fact, (known[here] if forward else known[before]).id), forward, named(known[here])))
        here = before
    here = met
    while link := trails[1][here]:
        after, fact, forward = link
        steps.append(Step(named(known[here]), fact_shown(fact, (known[here] if forward else known[after]).id), not forward, named(known[after])))
        here = after
    return tuple(steps)


def surroundings(gallery: Gallery, center: Portrait, depth: int, day: str) -> list[Portrait]:
    """The entities at most so many relations away, the center first."""
    found = {center.id: center}
    rim = [center]
    for _ in range(depth):
        reached = {there.id: there for here in rim for _, _, there in _links(gallery, here, day) if there.id not in found}
        found |= reached
        rim = list(reached.values())
    return list(found.values())


def _links(gallery: Gallery, here: Portrait, day: str) -> list[_Link]:
    """The relations of an entity and those of others to it: first what holds, then by name."""
    from strata.gallery import ids_of

    mine = ids_of(here)
    found: list[_Link] = []
    for fact in here.facts:
        if fact.other and _counts(fact, day) and (target := gallery.target(fact.other)) and target[1].id != here.id:
            found.append((fact, True, target[1]))
    for _, seen in gallery.pointing(here.id):
        found += [(fact, False, seen) for fact in seen.facts if fact.other in mine and _counts(fact, day)]
    return sorted(found, key=lambda link: (link[0].status != "current", link[2].id, link[0].key, link[0].id))


def _counts(fact: Fact, day: str) -> bool:
    return is_true(fact, day) if day else fact.status != "retracted"
