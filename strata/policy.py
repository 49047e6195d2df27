"""When a record may rest and when it must come back: the rules of the tiers, by path, the longest prefix first.

A rule is set for a prefix of the path below the tier (`notes/projects`), by whole components. Without a
prefix it holds for everything that no longer prefix names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

NEVER = 1 << 40  # days; an age no record reaches
PREFIX = "tiers"
TERMS = ("cool_after", "archive_after", "keep_accesses", "promote_accesses")


class Rule(NamedTuple):
    """What holds for one record: days of rest, and numbers of accesses since it came to rest."""

    cool_after: int = 30
    archive_after: int = 90
    keep_accesses: int = 1
    promote_accesses: int = 3


class Policy:
    """The rules as settings say them: `values` maps `cool_after` and `cool_after.notes/projects` to numbers."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self._rules: dict[str, list[tuple[str, int]]] = {term: [] for term in TERMS}
        for key, value in values.items():
            term, _, prefix = key.partition(".")
            self._rules[term].append((prefix, value))
        for found in self._rules.values():
            found.sort(key=lambda pair: -len(pair[0]))
        self._named = {prefix for found in self._rules.values() for prefix, _ in found}
        self._above = {prefix.rpartition("/")[0] for prefix in self._named}
        self._of: dict[str, Rule] = {}

    def of(self, rest: str) -> Rule:
        """The rule for a record by its path below the tier, with or without `.md`."""
        folder = rest.rpartition("/")[0]
        if folder in self._above and (name := rest.removesuffix(".md")) in self._named:
            return self._find(name)
        rule = self._of.get(folder)
        if rule is None:
            rule = self._of[folder] = self._find(folder)
        return rule

    def _find(self, name: str) -> Rule:
        within = f"{name}/"
        return Rule(*(next((value for prefix, value in self._rules[term] if not prefix or within.startswith(f"{prefix}/")), Rule._field_defaults[term]) for term in TERMS))
