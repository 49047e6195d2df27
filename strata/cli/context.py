"""Commands about what an agent sees: context, blocks, expand."""

from __future__ import annotations

from typing import Any

import click

from strata.cli import inputs
from strata.cli.group import command, with_memory
from strata.cli.options import Ref
from strata.errors import Ambiguous, NotAMemory, NotFound, OutsideMemory
from strata.memory import Memory
from strata.render.values import Listing

_COUNTER = click.option("--counter", metavar="NAME", default="", help="Who counts tokens: auto (the estimate), estimate or o200k_base; else the setting context_counter.")


@command("context", examples=("strata context which package manager", "strata context --thread main --budget 300", "strata context --thread main --json -- --frozen-lockfile", "echo 'which package manager' | strata context --stdin"))
@click.argument("query", nargs=-1)
@click.option("--thread", metavar="NAME", default="", help="Also what this thread said last, and its blocks.")
@click.option("--stdin", "piped", is_flag=True, help="Read the question from standard input, as it stands: for a hook.")
@click.option("--budget", metavar="N", type=click.IntRange(1, 1_000_000), help="At most so many tokens; else the setting context_budget.")
@_COUNTER
@with_memory
def context_command(memory: Memory, query: tuple[str, ...], piped: bool, **chosen: Any) -> Any:
    """Print what is worth knowing before an answer, as background for a prompt.

    Pinned records and events of safety, then what is about the question, then the newest of the
    thread and its blocks, each with ref and day. Nothing relevant: nothing is printed (--json says
    why). It is only a look: no access is counted. After -- a question may begin with a dash.
    """
    return memory.context(inputs.prompt(query) if piped else " ".join(query), **chosen)


@command("blocks", examples=("strata blocks --thread main", "strata blocks --json"), exits=(NotAMemory, NotFound))
@click.option("--thread", metavar="NAME", default="", help="Only this thread.")
@_COUNTER
@with_memory
def blocks_command(memory: Memory, **chosen: Any) -> Listing:
    """List blocks with their age and the level at which each is shown now.

    The newest is at 5, verbatim; a block fades to 0, its title, as others follow it in its thread.
    """
    return Listing(memory.blocks(**chosen), empty="There is no block yet: turns become blocks when they are sealed (`strata status`).")


@command("expand", examples=("strata expand blk-2026 --level 4",), exits=(NotAMemory, NotFound, Ambiguous, OutsideMemory))
@click.argument("block", type=Ref())
@click.option("--level", metavar="0-5", type=click.IntRange(0, 5), required=True, help="0 title, 1 summary, 2 key points, 3 condensed, 4 readable, 5 verbatim.")
@with_memory
def expand_command(memory: Memory, block: str, level: int) -> Any:
    """Open a block at a level, and keep it there from now on.

    It fades again from that level, as further blocks follow it. The opening is committed.
    """
    return memory.expand(block, level)
