"""What the evidence gate speaks of: a batch, what was seen in it, an assessment, a doubt, a use."""

from __future__ import annotations

from typing import NamedTuple

from strata.model import Hit

SUFFICIENT, PARTIAL, WRONG = VERDICTS = ("sufficient", "partial", "wrong")
ANSWER = "answer"
STRATEGIES = (ANSWER, "search_events", "expand_event", "search_graph", "expand_graph_node", "search_raw_memory", "expand_block")


class Seen(NamedTuple):
    """A hit as a batch remembers it: the blob id of its file, and a digest of what the file said under this ref (both "" where it could not be read)."""

    ref: str
    kind: str
    path: str
    blob: str
    digest: str
    thread: str = ""
    message: str = ""
    score: float = 0.0
    status: str = ""
    counterpart: str = ""


class Batch(NamedTuple):
    """One retrieval that is meant to be answered from: its id, what was asked, when, and the hits, best first."""

    id: str
    query: str
    at: str
    hits: tuple[Hit, ...]


class Assessment(NamedTuple):
    """How well a batch answers its question: the five fields, normalised and bounded."""

    verdict: str
    evidence_refs: tuple[str, ...] = ()
    fit: str = ""
    missing: str = ""
    next_strategy: str = ""


class Rejected(NamedTuple):
    """A ref that is no evidence: `reason` is invalid_ref, duplicate, not_in_batch, limit_exceeded or changed; `detail` says more."""

    ref: str
    reason: str
    detail: str = ""


class Doubt(NamedTuple):
    """Something an agent should look at before it answers; `stop` marks those that are seldom wrong, for their `points`. It never blocks."""

    code: str
    message: str
    refs: tuple[str, ...] = ()
    stop: bool = False
    points: float = 0.0


class Assessed(NamedTuple):
    """The answer to an assessment: what was accepted, what was not and why, and the one command to run next."""

    batch: str
    sufficient: bool
    accepted: Assessment
    rejected: tuple[Rejected, ...]
    warnings: tuple[Doubt, ...]
    next: str


class Used(NamedTuple):
    """Evidence that helped an answer, counted once: `events` are the records it counts for, `fresh` is False when it was counted before."""

    batch: str
    refs: tuple[str, ...]
    events: tuple[str, ...]
    receipt: str
    fresh: bool


class Open(NamedTuple):
    """A batch that was left open: `waits_for` is assess or use, `refs` are the evidence that was accepted."""

    batch: str
    query: str
    at: str
    hits: int
    waits_for: str
    refs: tuple[str, ...] = ()
