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
    """One of `CHOICES`; auto is the tokenizer where it is installed, else the estimate. Raises UsageError where it is asked for and is not."""
    if name == ESTIMATE.name or (name == "auto" and not is_installed()):
        return ESTIMATE
    if not is_installed():
        raise UsageError(f"the tokenizer {VOCABULARY} is not installed", remedy="pip install 'strata-md[tokens]', or set context_counter to estimate")
    return _real()


@cache
def _real() -> Counter:
    from splintr import Tokenizer  # type: ignore[import-not-found]  # here: 40 ms, which only a count by it pays

    cut = Tokenizer.from_pretrained(VOCABULARY).encode_ordinary
    return Counter(VOCABULARY, lambda text: len(cut(text.encode("utf-8", "replace").decode("utf-8"))))  # it takes no half of a surrogate pair
