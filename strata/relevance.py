"""Whether what a search found is about the question: a test of shared words, since a score compares within one answer only.

Each word of the question tells as much as it is rare in this memory (its idf); one that the memory does not have tells most of all.
A text passes when the words that it shares with the question hold a good part of what all of them tell, or when two of them are
rare. Stop words are no words here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

SHARE = 0.25
"""Of what all words of the question tell: so much must be shared."""

RARE = 0.4
"""Of what a word tells that the memory does not have: so much a rare word tells."""


def passes(words: Collection[str], telling: Mapping[str, float], most: float) -> bool:
    """Whether a text with these words is about a question whose words tell so much; `most` is what an unknown word tells."""
    shared = [tells for word, tells in telling.items() if word in words]
    return bool(shared) and (sum(shared) >= SHARE * sum(telling.values()) or sum(tells >= RARE * most for tells in shared) >= 2)
