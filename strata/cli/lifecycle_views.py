"""Commands that show what the tiers come to: map, cost."""

from __future__ import annotations

from typing import Any

from strata.cli.group import command, with_memory
from strata.memory import Memory


@command("map", examples=("strata map", "strata map --json"))
@with_memory
def map_command(memory: Memory) -> Any:
    """Print the map of active/, and refresh index.md.

    One line a record, newest first: a link to its file, what it is about, when it last changed.
    The map is never longer than an agent can read at once: as a memory grows, directories stand
    for what lies below them, with a count.
    """
    return memory.map()


@command("cost", examples=("strata cost", "strata config set cost_sessions_per_day 8", "strata cost --json"))
@with_memory
def cost_command(memory: Memory) -> Any:
    """Show what resting records save and models took, in tokens and money.

    Calls of models for jobs are counted by what they were asked for. Savings are against an agent
    that has the whole memory in its context at each session, and against a model that judges each
    record at each run of the Janitor. Every formula is shown. Prices are yours to set
    (`strata config list`); what is not set is not guessed.
    """
    return memory.cost()
