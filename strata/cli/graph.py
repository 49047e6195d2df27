"""Commands of the graph: list, show, search, path, export, rebuild."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from strata.claims import TYPES
from strata.cli.group import Command, Group, with_memory
from strata.cli.options import Date
from strata.cli.progress import Progress
from strata.cli.session import Session
from strata.drawing import FORMATS
from strata.errors import Ambiguous, Conflict, Locked, Malformed, NotAMemory, NotFound, StrataError, TierVanished
from strata.memory import Memory
from strata.network import Exported
from strata.render.values import Listing, Reply
from strata.render.words import size

_LOOKS = (NotAMemory, NotFound, Ambiguous, Malformed)
_NONE = "No entities yet: they are made from event cards that say something of a person, project, organization, tool or place (see `strata record --help`)."


@click.group("graph", cls=Group)
def graph_command() -> None:
    """Show who and what the memory knows, and how they are related.

    Persons, projects, organizations, tools and places are entities. What is true of one follows
    from event cards, each fact with the events that say so: `strata graph show NAME`. Two times
    can be asked for: --at DATE, what was true then, and --believed, what this memory held then.
    """


def _command(name: str, *examples: str, exits: tuple[type[StrataError], ...] = _LOOKS) -> Any:
    return graph_command.command(name, cls=Command, examples=examples, exits=exits)


class EntityName(click.ParamType):
    """An entity by name or id; completes to the names that the memory knows."""

    name = "name"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(word, help=what) for word, what in ctx.ensure_object(Session).memory.complete_entity(incomplete)]


def _or_none(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    """What was not given is the empty text for the verbs."""
    return value or ""


def _times(function: Callable[..., Any]) -> Callable[..., Any]:
    """The two axes of time."""
    function = click.option("--believed", metavar="WHEN", default="", help="As this memory held it then: a revision (HEAD~3, a commit id) or a date.")(function)
    return click.option("--at", metavar="DATE", type=Date(), callback=_or_none, help="What was true on this date, or in this month or year.")(function)


def _type(function: Callable[..., Any]) -> Callable[..., Any]:
    choice = click.Choice(TYPES, case_sensitive=False)
    return click.option("--type", metavar="TYPE", type=choice, callback=_or_none, help=f"Only this type: {', '.join(TYPES)}.")(function)


def _limit(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--limit", metavar="N", type=click.IntRange(1), help="At most so many.")(function)


@_command("list", "strata graph list", "strata graph list --type person", "strata graph list --at 2026-05", exits=(NotAMemory, NotFound, Malformed))
@_type
@_times
@_limit
@with_memory
def graph_list_command(memory: Memory, **chosen: Any) -> Listing:
    """List the entities by name.

    Each with its other names, how many of its facts are true, the day of its latest event, and
    its id.
    """
    narrowed = any(value for name, value in chosen.items() if name != "limit")
    return Listing(memory.graph_list(**chosen), empty="No entity passes these filters." if narrowed else _NONE)


@_command("show", "strata graph show kynd", "strata graph show kynd --at 2026-12", "strata graph show kynd --believed HEAD --json")
@click.argument("name", type=EntityName())
@_times
@with_memory
def graph_show_command(memory: Memory, name: str, **chosen: Any) -> Any:
    """Show what is true of one entity, what was, and what others say of it.

    NAME is a name or an alias, in any case, or an id, or a prefix of one that fits no other. Where
    several have the name, put the type before it: `strata graph show "person Jo"`. An entity that
    was merged leads to the one it was merged into. It is only a look: no access is counted.
    """
    return memory.graph_show(name, **chosen)


@_command("search", "strata graph search pnpm", "strata graph search --at 2026-12 package manager", exits=(NotAMemory, NotFound, Malformed))
@click.argument("query", nargs=-1, required=True)
@_times
@_limit
@with_memory
def graph_search_command(memory: Memory, query: tuple[str, ...], **chosen: Any) -> Listing:
    """Find entities by their names and facts.

    Below each are the facts that share a word with the query.
    """
    words = " ".join(query)
    return Listing(memory.graph_search(words, **chosen), empty=f"No entity fits {words!r}: try other words, or `strata graph list`.", query=words)


@_command("path", "strata graph path kynd pnpm")
@click.argument("a", type=EntityName())
@click.argument("b", type=EntityName())
@_times
@with_memory
def graph_path_command(memory: Memory, a: str, b: str, **chosen: Any) -> Any:
    """Show the shortest chain of relations between two entities.

    A relation counts in both directions; the arrow shows which way it leads.
    """
    return memory.graph_path(a, b, **chosen)


@_command(
    "export",
    "strata graph export --format mermaid",
    "strata graph export --format svg --around kynd --depth 2 --output kynd.svg",
    "strata graph export --format dot | dot -Tpdf > /tmp/graph.pdf",
)
@click.option("--format", metavar="FORMAT", type=click.Choice(FORMATS), required=True, help=f"One of {', '.join(FORMATS)}.")
@click.option("--around", metavar="NAME", type=EntityName(), default="", help="Only this entity and those near it.")
@click.option("--depth", metavar="N", type=click.IntRange(0, 10), default=1, help="With --around: at most so many relations away (1).")
@_type
@_times
@click.option("--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write a file, and replace one that is there; else standard output.")
@with_memory
def graph_export_command(memory: Memory, output: str | None, **chosen: Any) -> Reply:
    """Draw the graph: Graphviz dot, Mermaid, JSON or a picture.

    What is no longer true is drawn dashed; with --at only what was true then is drawn. The picture
    (svg) has all in one file and fits light and dark backgrounds. The same graph gives the same
    bytes again.
    """
    made = memory.graph_export(**chosen)
    return _written(made, output) if output and output != "-" else Reply(made, made.text.removesuffix("\n"))


def _written(made: Exported, output: str) -> Reply:
    from pathlib import Path

    from strata.files.durable import write_durably
    from strata.render.visible import one_line

    data, place = made.text.encode("utf-8"), Path(output).expanduser().absolute()
    if not place.parent.is_dir():
        raise NotFound("there is no such folder to write to", path=str(place.parent), remedy="make it first, or give another --output")
    write_durably(place, data)
    return Reply({"file": output, **made._replace(text="")._asdict()}, f"Wrote {one_line(output)}: {made.caption} ({size(len(data))})")


@_command("rebuild", "strata graph rebuild", exits=(NotAMemory, Conflict, TierVanished, Locked))
@with_memory
def graph_rebuild_command(memory: Memory) -> Any:
    """Make every entity anew from the event cards.

    What cards say is brought to the files of the entities as they come, so this is never needed to
    be right; what a person wrote or changed in these files is kept.
    """
    with Progress("Reading event cards") as progress:
        return memory.graph_rebuild(progress=progress)
