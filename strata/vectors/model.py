"""What an embedding model must offer to serve as a second score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from numpy import float32
from numpy.typing import NDArray


class Model(Protocol):
    """Turns texts into vectors of length 1, rows of an array of shape (texts, dimensions).

    `name` says which weights made a vector, their version included: vectors of different names are never compared.
    Any string is a text, with lone surrogates and zeros too.
    """

    name: str
    dimensions: int

    def passages(self, texts: Sequence[str]) -> NDArray[float32]:
        """What texts say that may answer something."""
        ...

    def questions(self, texts: Sequence[str]) -> NDArray[float32]:
        """What questions ask for."""
        ...
