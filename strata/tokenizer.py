"""A real tokenizer, where the extra `tokens` is installed: the vocabulary `o200k_base`, which comes with the package."""

from __future__ import annotations

from functools import cache
from importlib import util

from strata.errors import UsageError
from strata.tokens import ESTIMATE, Counter

VOCABULARY = "o200k_base"
CHOICES = ("auto", ESTIMATE.name, VOCABULARY)


def is_installed() -> bool:
    """Whether the extra is there; looked for without importing it."""
    return util.find_spec("splintr") is not None


def counter(name: str) -> Counter:
    """One of `CHOICES`; auto is the estimate, since loading a vocabulary would more than double the time of a context. Raises UsageError where it is not installed."""
    if name in (ESTIMATE.name, "auto"):
        return ESTIMATE
    if not is_installed():
        raise UsageError(f"the tokenizer {VOCABULARY} is not installed", remedy="pip install 'strata-md[tokens]', or set context_counter to estimate")
    return _real()


@cache
def _real() -> Counter:
    from splintr import Tokenizer  # type: ignore[import-not-found]  # here: some 50 ms, and 120 more at the first rare word

    cut = Tokenizer.from_pretrained(VOCABULARY).encode_ordinary
    return Counter(VOCABULARY, lambda text: len(cut(text.encode("utf-8", "replace").decode("utf-8"))))  # it takes no half of a surrogate pair
