"""The `strata` command group, and the two things every command below it shares: common options and a help page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from strata import __version__, errors
from strata.cli.session import Session
from strata.cli.table import SECTIONS, TABLE
from strata.render.screen import Screen


def _told(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep a common option in the session; it may stand before or after the name of the command."""
    if value is not None and value is not False:
        setattr(context.ensure_object(Session), {"memory": "place"}.get(parameter.name or "", parameter.name or ""), value)


def _common() -> list[click.Parameter]:
    return [
        click.Option(
            ["--memory"],
            metavar="DIR",
            type=click.Path(readable=False),
            expose_value=False,
            is_eager=True,
            callback=_told,
            help="The memory to use; else $STRATA_HOME, the nearest parent directory that is one, or the default.",
        ),
        click.Option(["--json"], is_flag=True, expose_value=False, is_eager=True, callback=_told, help="Answer as JSON; lists as one object a line."),
    ]


class _Page(click.HelpFormatter):
    """A help page whose headings stand out on a terminal."""

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':{self.current_indent}}{Screen.of(sys.stdout, os.environ).paint(heading, 'bold')}:\n")


class _Context(click.Context):
    formatter_class = _Page


class Command(click.Command):
    """A command whose help ends with examples that work and the exit codes it can have."""

    context_class = _Context

    def __init__(self, *args: Any, examples: Sequence[str] = (), exits: Sequence[type[errors.StrataError]] = (), **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params += _common()
        self.examples = tuple(examples)
        self.exits = tuple(exits)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        with formatter.section("Exit codes"):
            formatter.write_dl(exit_codes(self.exits))


def exit_codes(exits: Sequence[type[errors.StrataError]]) -> list[tuple[str, str]]:
    """What each exit code means, in the words of the errors' docstrings; 0 and 2 belong to every command."""
    meanings = {0: "Done."} | {kind.exit_code: (kind.__doc__ or "").partition("\n")[0].strip() for kind in (errors.UsageError, *exits)}
    if errors.StrataError in exits:
        meanings[1] = "Errors or warnings remain."
    return [(str(code), meanings[code]) for code in sorted(meanings)]


def command(name: str, *, examples: Sequence[str], exits: Sequence[type[errors.StrataError]] = (errors.NotAMemory,)) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command; its docstring is the help, `exits` are the errors it can end with."""
    return click.command(name, cls=Command, examples=examples, exits=exits)


def with_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the session to a command as its first argument."""

    def call(*args: Any, **settings: Any) -> Any:
        return function(click.get_current_context().find_object(Session), *args, **settings)

    call.__doc__ = function.__doc__
    call.__name__ = function.__name__
    return call


def with_memory(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the chosen memory to a command as its first argument."""

    def call(session: Session, *args: Any, **settings: Any) -> Any:
        return function(session.memory, *args, **settings)

    call.__doc__ = function.__doc__
    call.__name__ = function.__name__
    return with_session(call)


class Group(click.Group):
    """Commands below one name; the name alone shows the help."""

    context_class = _Context

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, no_args_is_help=False, **settings)
        self.params += _common()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ([] if ctx.resilient_parsing else ["--help"]))


class Root(Group):
    """The group: it knows all commands by their row in the table and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(TABLE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in TABLE:
            return None
        module = import_module(f"strata.cli.{TABLE[cmd_name].module}")
        found: click.Command = getattr(module, f"{cmd_name}_command")
        return found

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in TABLE and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], TABLE)
            raise errors.UsageError(f"there is no command {args[0]!r}", remedy=f"did you mean {' or '.join(near)}?" if near else "strata --help lists them")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, TABLE))
        for section in SECTIONS:
            with formatter.section(section):
                formatter.write_dl([(f"{row.name:{longest}}", row.help) for row in TABLE.values() if row.section == section])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=row.help) for name, row in TABLE.items() if name.startswith(incomplete)]
        return names or click.Command.shell_complete(self, ctx, incomplete)


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"strata {__version__}")
        context.exit()


@click.command("strata", cls=Root, context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the version.")
def root() -> None:
    """Long-term memory for AI agents that keeps the original evidence, as plain files in git.

    A memory is one directory and one git repository. `strata COMMAND --help` explains a command,
    with examples.
    """
