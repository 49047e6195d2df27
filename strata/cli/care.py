"""Commands that look after a memory: status, doctor, reindex, config."""

from __future__ import annotations

import os
from typing import Any

import click

from strata.cli.group import Command, Group, command, with_memory
from strata.cli.progress import Progress
from strata.errors import Conflict, Locked, NotAMemory, NotFound, StrataError, TierVanished
from strata.memory import Memory
from strata.render.values import Listing, Reply
from strata.render.words import count

_WRITES = (NotAMemory, Conflict, TierVanished, Locked)


@command("status", examples=("strata status", "strata status --json"))
@with_memory
def status_command(memory: Memory) -> Any:
    """Show how the memory stands: counts, ages, what moves next, history, index, daemon."""
    from strata.daemon import control

    return memory.status()._replace(daemon=control.in_words(memory.root, os.environ))


@command("doctor", examples=("strata doctor", "strata doctor --fix"), exits=(StrataError, *_WRITES))
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing a byte.")
@with_memory
def doctor_command(memory: Memory, fix: bool) -> Listing:
    """Check that everything holds.

    Files, history and index agree, and every sealed block is as it was captured: then it says so
    and exits with 0, also when there are notes only.
    """
    problems = memory.doctor(fix=fix)
    return Listing(problems, empty="Everything holds.", exit_code=int(any(problem.severity != "note" for problem in problems)))


@command("reindex", examples=("strata reindex",), exits=(NotAMemory, Locked))
@click.option("--vectors", is_flag=True, help="Only give each message its vector, for the second score of search; goes on where it stopped.")
@with_memory
def reindex_command(memory: Memory, vectors: bool) -> Reply:
    """Build the search index anew.

    The index is a cache of the files, so this is never needed to be right; the old one answers
    until the new one is there.
    """
    if vectors:
        with Progress("Embedding") as progress:
            done = memory.embed(progress)
        return Reply(done, f"Embedded {count(done, 'message')}.")
    with Progress("Indexing") as progress:
        files = memory.reindex(progress)
    return Reply(files, f"Indexed {count(files, 'file')}.")


@click.group("config", cls=Group)
def config_command() -> None:
    """Show and change the settings.

    They are kept in strata.yaml, which may be edited by hand as well.
    """


class _Key(click.ParamType):
    """The name of a setting."""

    name = "key"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from strata.config import SETTINGS_TABLE

        return [CompletionItem(row.key, help=row.meaning) for row in SETTINGS_TABLE.values() if row.key.startswith(incomplete)]


def _setting(name: str, examples: tuple[str, ...], exits: tuple[type[StrataError], ...] = (NotAMemory,)) -> Any:
    return config_command.command(name, cls=Command, examples=examples, exits=exits)


@_setting("list", ("strata config list",))
@with_memory
def config_list_command(memory: Memory) -> Listing:
    """List every setting with its value and meaning."""
    return Listing(memory.config_list(), empty="")


@_setting("get", ("strata config get block_turns",), (NotAMemory, NotFound))
@click.argument("key", type=_Key())
@with_memory
def config_get_command(memory: Memory, key: str) -> Any:
    """Show the value of one setting."""
    value = memory.config_get(key)
    return Reply(value, str(value))


@_setting("set", ("strata config set block_turns 20",), (NotFound, *_WRITES))
@click.argument("key", type=_Key())
@click.argument("value")
@with_memory
def config_set_command(memory: Memory, key: str, value: str) -> Any:
    """Change one setting: its line in strata.yaml and no other."""
    return memory.config_set(key, value)
