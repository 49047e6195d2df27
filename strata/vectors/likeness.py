"""How much more alike than usual each message of a collection is to a question, its neighbours considered."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

BEFORE = 0.4  # what the cosine of the message before adds
ASKED = 0.2  # and more of one that asks: the answer often repeats nothing of it
SECOND = 0.2  # the second before
AFTER = 0.3  # the next
ENOUGH = 0.95  # of the messages must have a vector, or those that have one would win by that


def likeness(cosines: ArrayLike, runs: ArrayLike, asks: ArrayLike) -> NDArray[np.float32]:
    """Standard deviations above the mean, for messages in the order of their conversation.

    The level of cosines differs between models, languages and questions; only their differences within one question
    say something. `runs` has a number per message, the same for neighbours that belong together (one block, one
    session); `asks` says which messages are questions. NaN among the cosines is "not known". All zeros when no two
    cosines differ, and while so few are known that the others would be at a loss.
    """
    given = np.asarray(cosines, np.float32)
    run = np.asarray(runs)
    known = np.isfinite(given)
    if not len(known) or known.mean() < ENOUGH:
        return np.zeros(len(given), np.float32)
    own = np.where(known, given - given[known].mean(), np.float32(0)).astype(np.float32)
    spread = own.copy()
    together = run[1:] == run[:-1]
    spread[1:] += np.where(together, own[:-1] * (BEFORE + ASKED * np.asarray(asks, np.float32)[:-1]), 0)
    spread[:-1] += np.where(together, own[1:] * AFTER, 0)
    spread[2:] += np.where(together[1:] & together[:-1], own[:-2] * SECOND, 0)
    spread -= spread.mean()
    deviation = float(spread.std())
    return spread / np.float32(deviation) if deviation > 1e-6 else np.zeros(len(given), np.float32)
