"""BM25F in which a posting carries its finished term weight as one byte.

BM25 scores a term in a document as idf * impact, where
    impact = tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / PIVOT))
(Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009). The usual average
length is a constant here, so an impact depends on its document alone: it is computed once, when the
document is written, and never goes stale as the memory grows. One byte on a logarithmic scale keeps it
within 0.8%. Fields add up before saturation (BM25F): a word of the title, the tags or the speaker's
name counts as two of the text.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import log

from strata.model import Entry
from strata.shadow.terms import terms

K1 = 1.6
B = 0.3
PIVOT = 40  # words: the length that is neither favoured nor penalised
MOST_TF = 127  # a term that is more frequent scores no higher

_LONGEST = 64 * PIVOT  # beyond this a document is not penalised any further
_LOW, _HIGH = 0.075, K1 + 1  # bounds of an impact; the low one is below any that can occur
_STEP = log(_HIGH / _LOW) / 254

IMPACT: tuple[float, ...] = (0.0, *(_LOW * (_HIGH / _LOW) ** (step / 254) for step in range(255)))
"""The impact that each code stands for; code 0 is never stored."""


def idf(documents: int, containing: int) -> float:
    """How telling a term is that `containing` of `documents` have; never negative."""
    return log(1 + (documents - containing + 0.5) / (containing + 0.5))


def codes(length: int) -> bytes:
    """The code of an impact for each tf from 0 to 127, in a document of that many words."""
    if length > 256:  # a relative precision of 1/256 keeps the number of tables small
        length = min(length, _LONGEST)
        coarse = max(length.bit_length() - 9, 0)
        length = length >> coarse << coarse
    return _table(length)


def weights(entry: Entry) -> Counter[str]:
    """Each term of an entry with its weighted tf.

    A message's title is that of the record around it and says nothing about the message, so it is left out. What tools
    were given and returned says each word once: a log that repeats a name is no more about it.
    """
    said = len(entry.text) - entry.shown
    found = Counter(terms(entry.text[:said]))
    if entry.shown:
        found.update(dict.fromkeys(terms(entry.text[said:]), 1))
    for text in (entry.speaker,) if entry.kind == "message" else (entry.title, *entry.tags, entry.speaker):
        for term in terms(text):
            found[term] += 2
    return found


@lru_cache(maxsize=2048)
def _table(length: int) -> bytes:
    slowness = K1 * (1 - B + B * length / PIVOT)
    impacts = (tf * (K1 + 1) / (tf + slowness) for tf in range(1, MOST_TF + 1))
    return bytes((0, *(1 + round(log(max(impact, _LOW) / _LOW) / _STEP) for impact in impacts)))
