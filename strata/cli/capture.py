"""Commands that bring conversations in: append, ingest, seal."""

from __future__ import annotations

from typing import Any

import click

from strata.cli import inputs
from strata.cli.group import command, with_memory
from strata.cli.progress import Progress
from strata.errors import Conflict, Locked, Malformed, NotAMemory, NotFound, TierVanished
from strata.memory import Memory
from strata.render.values import Listing, Partly
from strata.render.words import count

_WRITES = (NotAMemory, Conflict, TierVanished, Locked)


@command(
    "append",
    examples=(
        """echo '{"role": "user", "text": "Use pnpm from today on."}' | strata append""",
        """echo '{"id": "m7", "role": "assistant", "speaker": "Ada", "text": "Noted."}' | strata append --thread kynd""",
    ),
    exits=(Malformed, *_WRITES),
)
@click.option("--thread", metavar="NAME", help="The thread of messages that name none; else the setting `thread`.")
@with_memory
def append_command(memory: Memory, thread: str | None) -> Any:
    """Store messages, given as JSON Lines on standard input.

    A line is an object with `role` (user, assistant, system or tool) and `text`, and, as far as
    known, `thread`, `id`, `speaker`, `at` (ISO 8601), `tools` (a list of name, arguments, result)
    and `meta`. All of them are durable when the command returns; one whose id its thread holds
    already is not stored again. A line that cannot be read ends it: the lines before are kept.
    """
    data, _ = inputs.read("-", what="one message a line")
    good, fault = inputs.messages(data, thread or memory.config_get("thread"))
    if fault is not None and not good:
        raise fault
    done = memory.append(good)
    if fault is None:
        return done
    fault.message += f"; {count(len(good), 'message')} before it {'was' if len(good) == 1 else 'were'} kept"
    return Partly(done, fault)


@command(
    "ingest",
    examples=(
        "strata ingest session.jsonl",
        "strata ingest ~/.claude/projects/my-project/session.jsonl --format claude-code --thread my-project",
    ),
    exits=(NotFound, Malformed, *_WRITES),
)
@click.argument("file", type=click.Path())
@click.option(
    "--format",
    type=click.Choice(("auto", "jsonl", "claude-code", "codex", "locomo")),
    default="auto",
    show_default=True,
    help="What wrote the file.",
)
@click.option("--thread", metavar="NAME", default="", help="The thread of messages that name none.")
@with_memory
def ingest_command(memory: Memory, file: str, format: str, thread: str) -> Any:
    """Read a whole transcript; again and again, as it grows.

    Only what is new is stored, so the same file may be read as often as one likes, also while it
    grows: a last line that is half written waits for the next time. Lines that cannot be read are
    reported and do not stop the rest.
    """
    with Progress("Reading") as progress:
        return memory.ingest(file, format=format, thread=thread, progress=progress)


@command(
    "seal",
    examples=("strata seal", "strata seal --thread main --all"),
    exits=(NotFound, *_WRITES),
)
@click.option("--thread", metavar="NAME", help="Only this thread; else each.")
@click.option("--all", "everything", is_flag=True, help="Also turns that are short of the setting `block_turns`.")
@with_memory
def seal_command(memory: Memory, thread: str | None, everything: bool) -> Any:
    """Seal complete turns into blocks, without waiting for more.

    Sealing happens by itself when a thread has as many complete turns as the setting
    `block_turns` says; this is for the rest, at the end of a session say.
    """
    turns = memory.config_get("block_turns")
    left = "nothing is waiting." if everything else f"no thread has {turns} complete turns. `--all` seals what there is."
    return Listing(memory.seal(thread, everything=everything), empty=f"Nothing to seal: {left}")
