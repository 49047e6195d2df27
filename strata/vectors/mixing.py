"""The words' score and the likeness of meaning as one score."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

WEIGHT = 0.15  # of one standard deviation, as a share of the best lexical score
CANDIDATES = 50  # of each kind are enough: more change no figure that was measured

Key = TypeVar("Key", bound=Hashable)
_LEAST = 1e-6  # of the best score is left to a hit whose meaning is far off: it matched, so it stays


def mixed(lexical: Mapping[Key, float], likeness: Mapping[Key, float], weight: float = WEIGHT) -> dict[Key, float]:
    """Scores on the scale of the lexical ones, for the candidates of both kinds.

    `likeness` counts standard deviations above the mean of all messages (`strata.vectors.likeness`); a key that it
    lacks has no vector, so its lexical score stays as it is. A candidate without lexical score needs a likeness above
    0. When no word matches at all the answer is empty: a model always finds something "most alike", and its numbers
    for questions that have an answer and for those that have none overlap.
    """
    best = max(lexical.values(), default=0.0)
    share = weight * best
    scores = {key: max(score + share * likeness.get(key, 0.0), min(score, _LEAST * best)) for key, score in lexical.items()}
    scores |= {key: score for key, deviation in likeness.items() if key not in lexical and (score := share * deviation) > 0}
    return scores
