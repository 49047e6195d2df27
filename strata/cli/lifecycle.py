"""Commands about where records stand: the Janitor, moves by hand, marks."""

from __future__ import annotations

from typing import Any

import click

from strata.cli.group import command, with_memory
from strata.cli.options import Names, Ref
from strata.cli.progress import Progress
from strata.errors import AlreadyExists, Ambiguous, Conflict, Locked, Malformed, NotAMemory, NotFound, Refused, TierVanished, UsageError
from strata.janitor import STEPS
from strata.memory import Memory
from strata.render.values import Listing

_WRITES = (NotAMemory, Conflict, TierVanished, Locked)
_MOVES = (NotFound, Ambiguous, AlreadyExists, *_WRITES)
_MARKS = (NotFound, Ambiguous, Malformed, *_WRITES)


@command(
    "janitor",
    examples=("strata janitor --dry-run", "strata janitor", "strata janitor --only promote,migrate"),
    exits=(NotFound, Malformed, *_WRITES),
)
@click.option("--dry-run", is_flag=True, help="Print the plan, and change nothing.")
@click.option("--only", metavar="STEP", type=Names(STEPS), help="Only these steps: promote (back to active/), migrate (active/ to cooled/), evict (cooled/ to archive/).")
@click.option("--force", is_flag=True, help="Go on although a tier is missing or most of one would move.")
@click.option("--undo", is_flag=True, help="Move back what the last run moved.")
@with_memory
def janitor_command(memory: Memory, dry_run: bool, only: tuple[str, ...] | None, force: bool, undo: bool) -> Any:
    """Let files settle by age and access.

    What was idle for long moves from active/ to cooled/ and on to archive/; what is accessed or
    edited there comes back. The rules are settings: `strata config list`. A run is one commit that
    gives a reason for each file; no byte of a file changes, and nothing is ever deleted.
    """
    if undo:
        if dry_run or only or force:
            raise UsageError("--undo goes with no other option", remedy="strata janitor --undo")
        return memory.undo_janitor()
    with Progress("Reading the history") as progress:
        return memory.janitor(dry_run=dry_run, only=only or (), force=force, progress=progress)


def _refs(function: Any) -> Any:
    return click.argument("refs", nargs=-1, required=True, metavar="REF...", type=Ref())(function)


def _there(tier: str) -> str:
    return f"Nothing moved: it is in {tier}/ already."


@command("promote", examples=("strata promote notes/plan",), exits=_MOVES)
@_refs
@with_memory
def promote_command(memory: Memory, refs: tuple[str, ...]) -> Listing:
    """Bring records back to active/.

    REF is a ref or a prefix that fits no other, as everywhere.
    """
    return Listing(memory.promote(refs), empty=_there("active"))


@command("rehydrate", examples=("strata rehydrate notes/plan", "strata rehydrate notes/plan --to active"), exits=_MOVES)
@_refs
@click.option("--to", metavar="TIER", type=click.Choice(["active", "cooled"]), default="cooled", help="active, to edit it, or cooled, to consult it (the default).")
@with_memory
def rehydrate_command(memory: Memory, refs: tuple[str, ...], to: str) -> Listing:
    """Bring archived records back.

    What lies nearer than that already stays where it is. To open a record with `strata show` does
    the same.
    """
    return Listing(memory.rehydrate(refs, to), empty=f"Nothing moved: it does not lie deeper than {to}/.")


@command("archive", examples=("strata archive notes/plan",), exits=(Refused, *_MOVES))
@_refs
@with_memory
def archive_command(memory: Memory, refs: tuple[str, ...]) -> Listing:
    """Put records into archive/ now, whatever their age.

    `strata rehydrate` and `strata promote` bring them back.
    """
    return Listing(memory.archive(refs), empty=_there("archive"))


@command("pin", examples=("strata pin notes/plan",), exits=_MARKS)
@_refs
@with_memory
def pin_command(memory: Memory, refs: tuple[str, ...]) -> Listing:
    """Pin records: they never move by themselves.

    A pin is the line `pinned: true` in the file's header. It does not make the record younger.
    """
    return Listing(memory.pin(refs), empty="")


@command("unpin", examples=("strata unpin notes/plan",), exits=_MARKS)
@_refs
@with_memory
def unpin_command(memory: Memory, refs: tuple[str, ...]) -> Listing:
    """Take pins away again."""
    return Listing(memory.unpin(refs), empty="")


@command("forget", examples=("strata forget notes/plan",), exits=_MARKS)
@_refs
@with_memory
def forget_command(memory: Memory, refs: tuple[str, ...]) -> Listing:
    """Hide records from search, list and show.

    They stay where they are, with the line `forgotten_at` in their header, so that the wish travels
    with the memory; `strata restore` shows them again. REF must be exact, and all of them exist, or
    nothing is forgotten.
    """
    return Listing(memory.forget(refs), empty="")


@command("restore", examples=("strata restore notes/plan", "strata restore notes/plan --at HEAD~3"), exits=(Refused, *_MARKS))
@_refs
@click.option("--at", metavar="WHEN", help="Make one record what it was then: a revision (HEAD~3, a commit id) or a date.")
@with_memory
def restore_command(memory: Memory, refs: tuple[str, ...], at: str | None) -> Listing:
    """Show forgotten records again, or bring back an earlier version.

    With `--at` a record becomes what it was then, in a commit of its own; one that was deleted
    comes back.
    """
    return Listing(memory.restore(refs, at=at), empty="")
