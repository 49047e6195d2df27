"""The commands of `strata entity`: merge, split, alias."""

from __future__ import annotations

from typing import Any

import click

from strata.claims import TYPES
from strata.cli.group import Command, Group, with_memory
from strata.cli.options import Ref
from strata.errors import AlreadyExists, Ambiguous, Conflict, Locked, NotAMemory, NotFound, Refused
from strata.memory import Memory

_EXITS = (NotAMemory, NotFound, Ambiguous, Refused, Conflict, Locked)


@click.group("entity", cls=Group)
def entity_command() -> None:
    """Say which entities are one, which are two, and by what names they go.

    An entity is named by its id, its name or an alias. Nothing is lost by any of these, and each
    can be taken back.
    """


@entity_command.command(
    "merge", cls=Command, exits=_EXITS, examples=["strata entity merge Joanna Jo", "strata entity merge Joanna Jo --undo"]
)
@click.argument("into", metavar="A")
@click.argument("other", metavar="B")
@click.option("--undo", is_flag=True, help="Make them two again.")
@click.option("--anyway", is_flag=True, help="Also a person and a project, say: where one of them got the wrong type.")
@with_memory
def merge(memory: Memory, into: str, other: str, undo: bool, anyway: bool) -> Any:
    """Make two entities one: the facts of B go to A.

    The file of B stays, leads to A, and keeps what a person wrote in it.
    """
    return memory.entity_merge(into, other, undo=undo, anyway=anyway)


@entity_command.command(
    "split", cls=Command, exits=_EXITS, examples=['strata entity split Jo --name "Jo Smith" evt-20261130-x2m9ta', "strata entity merge Jo 'Jo Smith'"]
)
@click.argument("entity", metavar="NAME")
@click.argument("events", metavar="EVENT...", type=Ref(), nargs=-1, required=True)
@click.option("--name", required=True, metavar="NAME", help="What the other entity is called; it is made where it is not there.")
@click.option("--type", "type_", metavar="TYPE", type=click.Choice(TYPES), default=None, help=f"Its type, if that is another: {', '.join(TYPES)}.")
@with_memory
def split(memory: Memory, entity: str, events: tuple[str, ...], name: str, type_: str | None) -> Any:
    """Give what some events say of one entity to another.

    An event is named by its id, or by a beginning of it that fits no other event of NAME.
    """
    return memory.entity_split(entity, events, name, type=type_ or "")


@entity_command.command(
    "alias", cls=Command, exits=(*_EXITS, AlreadyExists), examples=['strata entity alias Jo --add "Joe B."', 'strata entity alias Jo --remove "Joe B."']
)
@click.argument("entity", metavar="NAME")
@click.option("--add", metavar="NAME", multiple=True, help="A further name it goes by. Can be repeated.")
@click.option("--remove", metavar="NAME", multiple=True, help="A name it no longer goes by. Can be repeated.")
@with_memory
def alias(memory: Memory, entity: str, add: tuple[str, ...], remove: tuple[str, ...]) -> Any:
    """Let an entity go by further names, or no longer."""
    return memory.entity_alias(entity, add=add, remove=remove)
