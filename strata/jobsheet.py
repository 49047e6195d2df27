"""Jobs as people and programs see them: what is to be derived of which block, by whom, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

STATES = ("due", "claimed", "waiting", "failed")


class Job(NamedTuple):
    """Work for a summariser, extractor or projector. `id` is `<kind>-<block id>`.

    `by` is the provider that the settings name for it. `state` is due, claimed (somebody does it now, until `until`),
    waiting (it failed, and is tried again from `until` on) or failed (three times; `error` says why). `redo` is true
    where somebody asked for what was done already.
    """

    id: str
    kind: str
    block: str
    by: str
    state: str
    attempts: int = 0
    until: str = ""
    error: str = ""
    redo: bool = False


class JobSheet(NamedTuple):
    """All that is needed to do one job: the prompt says it, `schema` is the JSON Schema of the answer. `until` is how long it is kept for whoever took it."""

    id: str
    kind: str
    block: str
    prompt: str
    schema: Mapping[str, Any]
    until: str = ""


class Done(NamedTuple):
    """What became of one job. `outcome` is done, refused, failed, changed (meanwhile; it is due again) or stopped.

    `refs` are the records that were written, or changed; `calls` is how often a model was asked.
    """

    id: str
    outcome: str
    refs: tuple[str, ...] = ()
    by: str = ""
    error: str = ""
    calls: int = 0
    commit: str = ""


class Answered(NamedTuple):
    """An answer that was taken: `refs` are all records that it wrote or changed, none where there was nothing to say.

    `ref` and `path` are the first of them, else the block that was asked about.
    """

    ref: str
    path: str
    commit: str
    refs: tuple[str, ...] = ()


class Allowance(NamedTuple):
    """What the settings of a memory want to run or send to, in words; `fresh` unless it was allowed before. "" wants nothing."""

    wants: str
    fresh: bool
