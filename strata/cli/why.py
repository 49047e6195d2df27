"""The command that gives reasons: why."""

from __future__ import annotations

from typing import Any

import click

from strata.cli.group import command, with_memory
from strata.cli.options import Ref
from strata.errors import Ambiguous, Malformed, NotAMemory, NotFound, OutsideMemory
from strata.memory import Memory


@command(
    "why",
    examples=("strata why ent-project-kynd#uses", "strata why evt-2026", "strata why blk-2026 --json", "strata why notes/plan"),
    exits=(NotAMemory, NotFound, Ambiguous, OutsideMemory, Malformed),
)
@click.argument("ref", type=Ref())
@with_memory
def why_command(memory: Memory, ref: str) -> Any:
    """Show what a fact or a record rests on, and who brought it.

    REF is a fact of an entity, as ent-person-jo#lives-in (its key, its id, or a prefix of it that
    fits no other), or an event, a block, a message, an entity, a note. Below a fact stand the
    events that say so, below an event its block and the messages it cites, each with the line of
    the words and the commits that brought and changed it. What was superseded or forgotten, is not
    committed or cannot be found says so. It is only a look: no access is counted.
    """
    return memory.why(ref)
