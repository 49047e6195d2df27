"""Which facts of which entities share words with a query."""

from __future__ import annotations

from collections.abc import Sequence

from strata import graph
from strata.network import EntityFound
from strata.portrait import Portrait
from strata.shadow.terms import query_terms, terms
from strata.views import fact_shown

_NAME = 3  # a word of a name counts as much as so many of facts


def matched(query: str, portraits: Sequence[Portrait], day: str, *, true_only: bool, ranked: bool) -> list[EntityFound]:
    """The entities with their facts that share a word with the query, those with more of them first; with `true_only` of the facts true on the `day`.

    `ranked`: they come in the order of a search that read all of their files, and stay in it; those whose facts of that day say nothing are left out.
    """
    asked = set(query_terms(query))
    found: dict[str, tuple[int, EntityFound]] = {}
    for seen in portraits:
        facts = graph.at(seen.facts, day) if true_only else seen.facts
        counted = [(_shared(f"{fact.key} {fact.value}", asked), fact) for fact in facts]
        named = _shared(" ".join((seen.name, seen.type, *seen.aliases)), asked)
        best = sorted((pair for pair in counted if pair[0]), key=lambda pair: (-pair[0], pair[1].status != "current" or graph.is_over(pair[1], day), pair[1].key, pair[1].value))
        if seen.id in found or not (named or best or (ranked and not true_only)):
            continue
        score = _NAME * named + sum(count for count, _ in best)
        shown = tuple(fact_shown(fact, day=day) for _, fact in best)
        found[seen.id] = score, EntityFound(seen.id, seen.type, seen.name, seen.aliases, shown, len(facts) - len(shown))
    entities = list(found.values())
    return [entity for _, entity in (entities if ranked else sorted(entities, key=lambda pair: (-pair[0], pair[1].ref)))]


def _shared(text: str, asked: set[str]) -> int:
    return len(asked & set(terms(text)))
