"""What a message is worth to a question: its own words, and those said around it. Pure arithmetic over a strip.

A strip is a stretch of a conversation in order. Each term of the question has an impact (`strata.shadow.scoring`) on
some of its messages. A message gets, for each term, the mean of the best and of the sum of what it has itself and what
its neighbours lend it; an answer borrows most from the question right before it, which names what the answer does not
repeat. Wider around, what is said in the same passage counts a little. Who has more of the terms gains.

The shares were found by measurement; docs/recall.md has the table.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from math import exp, log
from typing import NamedTuple

BEFORE = 0.6  # share of the message before
ASKED = 1.2  # of one before that asks
BEFORE_THAT = 0.3
AFTER = 0.5
AFTER_THAT = 0.1
REACH = 5  # messages to each side that are the passage around
PASSAGE = 2.1  # the most that a passage gives, for an idf of 1
HALF = 3.9  # the impact in a passage that gives half of that
COVERED = 0.5  # what having all terms adds, as a share
NEAR = 2  # messages to each side that lend to each other
_SPREAD = 7  # so many messages a passage has for each that has a term, on average


class Scale(NamedTuple):
    """How much a term says in a message, and in a passage."""

    own: float
    passage: float


class Worth(NamedTuple):
    """What one message gets: from terms, as a share of all terms that it has or is lent, and from the passage."""

    terms: float
    covered: float
    passage: float

    def total(self, all_terms: float) -> float:
        """The score; `all_terms` is what all terms of the question weigh together."""
        return self.terms * (1 + COVERED * self.covered / all_terms) + self.passage


def scale(weight: float, idf: float, documents: int) -> Scale:
    """For a term with this idf among so many documents. A passage is long, so what is common there says less."""
    documents = max(1, documents)
    containing = max(0.5, (documents + 1) / exp(idf) - 0.5)
    passages = documents * (1 - (1 - min(1.0, containing / documents)) ** _SPREAD)
    return Scale(weight * idf, weight * log(1 + (documents - passages + 0.5) / (passages + 0.5)))


def worths(scales: Iterable[Scale], impacts: Iterable[Sequence[tuple[int, float]]], asks: Container[int], first: int, last: int) -> list[Worth]:
    """For each message from `first` to before `last` of a strip. `impacts` has for each term the places that have it, each with the impact;
    `asks` are the places that ask.
    """
    count = last - first
    terms, covered, passage = [0.0] * count, [0.0] * count, [0.0] * count
    for (own, wide), found in zip(scales, impacts, strict=True):
        if not found:
            continue
        most, lent, around = [0.0] * count, [0.0] * count, [0.0] * count
        for place, impact in found:
            for target, share in shares(place, place in asks):
                if first <= target < last:
                    given = share * impact
                    lent[target - first] += given
                    if given > most[target - first]:
                        most[target - first] = given
            for target in range(max(first, place - REACH), min(last, place + REACH + 1)):
                around[target - first] += impact
        for at in range(count):
            if around[at]:
                terms[at] += own * (most[at] + lent[at]) / 2
                covered[at] += own * min(1.0, most[at])
                passage[at] += wide * PASSAGE * around[at] / (around[at] + HALF)
    return [Worth(*each) for each in zip(terms, covered, passage, strict=True)]


def shares(place: int, asks: bool) -> tuple[tuple[int, float], ...]:
    """To which places a message lends its words, and how much of them."""
    return (place, 1.0), (place + 1, ASKED if asks else BEFORE), (place + 2, BEFORE_THAT), (place - 1, AFTER), (place - 2, AFTER_THAT)
