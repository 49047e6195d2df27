"""Likeness of meaning as a second score of search, when the setting `vectors` asks for it: joins the index and the vectors.

A search embeds a few new messages at most, so that it never waits for minutes; `build` embeds all. What has no vector
yet is ranked by its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from strata.entries import entries
from strata.errors import StrataError
from strata.model import Progress
from strata.vectors import opened
from strata.wording import digest, passage

if TYPE_CHECKING:
    from strata.shadow.ranking import Second
    from strata.store import Store
    from strata.vectors.cache import Vectors

FOLDER = "vectors"  # in .strata/


class Meaning:
    """The second score of one memory, by the value of the setting."""

    def __init__(self, store: Store, choice: str) -> None:
        self.choice = choice
        self._store = store
        self._vectors = opened(choice, store.files.local / FOLDER, store.warn, lambda: store.files.lock(store.lock_timeout))

    def second(self) -> Second | None:
        """What the ranking asks for it; None while it is off. New messages get their vectors first, as many as a moment allows."""
        vectors = self._vectors
        if vectors is None:
            return None
        from strata.vectors.cache import SEARCH_SECONDS, SEARCH_TEXTS
        from strata.vectors.second import Columns, rescored_places

        try:
            missing = self._missing(vectors, SEARCH_TEXTS)
            vectors.add(missing, most=SEARCH_TEXTS, seconds=SEARCH_SECONDS)
        except (StrataError, OSError) as error:
            self._store.warn(f"new messages have no vectors yet: {error}")

        def mixed(question: str, names: Sequence[str], parts: Sequence[Any], scores: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
            try:
                return rescored_places(vectors, question, names, [Columns(*part) for part in parts], scores)
            except (StrataError, OSError) as error:
                self._store.warn(f"search goes by words alone, for the vectors cannot be read: {error}")
                return scores

        return mixed

    def build(self, progress: Progress | None = None) -> int:
        """Embed every message that has no vector, and let go of vectors that no message needs; how many were embedded."""
        vectors = self._vectors
        if vectors is None:
            return 0
        done = vectors.add(self._missing(vectors, None), progress)
        vectors.retain(number for number, _ in self._store.ask(lambda shadow: shadow.digests()))
        return done

    def _missing(self, vectors: Vectors, most: int | None) -> Mapping[int, str]:
        """The passages that have no vector, newest first; as many as asked for, or a few more."""
        every = self._store.ask(lambda shadow: shadow.digests())
        known = vectors.known(number for number, _ in every)
        wanted = {number: path for number, path in every if number not in known}
        passages: dict[int, str] = {}
        for path in dict.fromkeys(wanted.values()):
            if most is not None and len(passages) >= most:
                break
            passages |= {number: text for number, text in self._passages(path) if number in wanted}
        return passages

    def _passages(self, path: str) -> Sequence[tuple[int, str]]:
        try:
            found = entries(path, self._store.files.read(path))
        except StrataError as error:
            self._store.warn(str(error))
            return ()
        texts = (passage(entry.speaker, entry.text) for entry in found if entry.kind == "message")
        return [(digest(text), text) for text in texts]
