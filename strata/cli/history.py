"""Commands that look back: log, diff."""

from __future__ import annotations

from typing import Any

import click

from strata.cli.group import command, with_memory
from strata.cli.options import Ref
from strata.errors import Ambiguous, NotAMemory, NotFound, OutsideMemory, StrataError, UsageError
from strata.memory import Memory
from strata.render.values import Listing, Patch


@command("log", examples=("strata log", "strata log notes/plan --limit 5"), exits=(NotAMemory, NotFound, Ambiguous, OutsideMemory))
@click.argument("ref", required=False, type=Ref())
@click.option("--limit", metavar="N", type=click.IntRange(1), help="At most so many.")
@with_memory
def log_command(memory: Memory, ref: str | None, limit: int | None) -> Listing:
    """Show the commits of the memory, or of one record.

    Newest first. The history of a record follows it through tiers and renames, and goes on to be
    there when the record is gone.
    """
    return Listing(memory.log(ref, limit=limit), empty="There are no commits yet.")


@command(
    "diff",
    examples=("strata diff", "strata diff notes/plan", "strata diff HEAD~2..HEAD", "strata diff notes/plan HEAD~1..HEAD", "strata diff --beliefs HEAD~2..HEAD"),
    exits=(NotAMemory, NotFound, Ambiguous, OutsideMemory),
)
@click.argument("ref", required=False, type=Ref())
@click.argument("span", required=False, metavar="[A..B]")
@click.option("--beliefs", is_flag=True, help="Not the patch, but facts that came, ended, were contradicted or taken back, and events superseded.")
@with_memory
def diff_command(memory: Memory, ref: str | None, span: str | None, beliefs: bool) -> Any:
    """Show what changed, as a patch.

    In one record or everywhere, from A to B: each a revision (HEAD~3, a commit id) or a date.
    Without a span it is what is not committed yet, else what the last commit changed. With
    --beliefs REF is an entity, and edits that are not committed are left out.
    """
    if beliefs:
        if ref and span is None and ".." in ref:
            ref, span = None, ref
        return memory.beliefs(span, ref or "")
    if ref and span is None and ".." in ref and not _is_record(memory, ref):
        ref, span = None, ref
    return Patch(memory.diff(ref, span))


def _is_record(memory: Memory, text: str) -> bool:
    try:
        memory.show(text)
    except UsageError:
        return True
    except StrataError:
        return False
    return True
