"""Commands to begin with: init, demo, completion."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from strata.cli.group import command, with_session
from strata.cli.session import Session
from strata.errors import AlreadyExists
from strata.render.screen import Screen
from strata.render.values import Reply


@command("init", examples=("strata init my-memory", "strata init"), exits=(AlreadyExists,))
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path())
@with_session
def init_command(session: Session, directory: str | None) -> Any:
    """Make a memory.

    In DIR, which must be new or empty; else where `--memory` or $STRATA_HOME says; else at the
    default place in your data directory. A memory that is there already stays as it is.
    """
    from strata.memory import Memory

    return Memory.create(session.place_for_new(directory), **session.options)


@command("demo", examples=("strata demo", "strata demo /tmp/tour"), exits=(AlreadyExists,))
@click.argument("directory", metavar="[DIR]", default="strata-demo", type=click.Path())
@with_session
def demo_command(session: Session, directory: str) -> Any:
    """Take a tour: make a memory, fill it, search it.

    It makes a memory in DIR (./strata-demo), which must not be there yet, and shows what
    happens: from a conversation to blocks, from a question to the message that answers it.
    """
    from strata.demo.tour import tour

    return tour(directory, _quiet if session.json else _echo)


def _echo(words: str) -> None:
    click.echo(words, color=Screen.of(sys.stdout, os.environ).colours)


def _quiet(words: str) -> None:
    """A tour for a program says nothing on the way; it returns where it went."""


@command(
    "completion",
    examples=("strata completion bash >> ~/.bashrc", "strata completion zsh >> ~/.zshrc", "strata completion fish > ~/.config/fish/completions/strata.fish"),
    exits=(),
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion_command(shell: str) -> Reply:
    """Print the completion script for a shell.

    It completes commands, options, names and the refs of what the memory holds.
    """
    from strata.cli.completion import SCRIPTS

    return Reply(SCRIPTS[shell], SCRIPTS[shell].rstrip("\n"))
