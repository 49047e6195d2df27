"""Commands of the daemon: run, start, restart, status, logs, install, uninstall, stop."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from strata.cli.group import Command, Group, with_memory, with_session
from strata.cli.session import Session
from strata.errors import AlreadyExists, Locked, NotAMemory, NotFound, StrataError
from strata.render.screen import Screen
from strata.render.values import Listing, Reply

if TYPE_CHECKING:
    from strata.daemon.results import LogLine
    from strata.memory import Memory

_WEEK = 7 * 24 * 60  # minutes


@click.group("daemon", cls=Group)
def daemon_command() -> None:
    """Tend the memory in the background.

    Every 15 minutes, or as the setting daemon_interval says, a daemon takes over edits made by hand,
    runs the Janitor, and keeps index, map and repository in shape. In its first cycle the Janitor
    only shows what would move, unless --live is given. Commands do not need the daemon and never
    wait for it.
    """


def _command(name: str, *examples: str, exits: tuple[type[StrataError], ...] = (NotAMemory,)) -> Any:
    return daemon_command.command(name, cls=Command, examples=examples, exits=exits)


def _manner(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a daemon works."""
    function = click.option("--live", is_flag=True, help="Move records in the first cycle already.")(function)
    interval = click.FloatRange(0.01, _WEEK)
    return click.option("--every", metavar="MINUTES", type=interval, help="Minutes between two cycles, instead of the setting daemon_interval.")(function)


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--cycles", metavar="N", type=click.IntRange(1), hidden=True, help="End after so many cycles.")(function)


def _reply(result: Any) -> Reply:
    from strata.daemon.text import text

    return Reply(result, text(result, Screen.of(sys.stdout, os.environ)))


@_command("run", "strata daemon run --live 2>> /tmp/strata.log", exits=(NotAMemory, AlreadyExists))
@_manner
@_bounded
@click.option("--detached", metavar="TOKEN", hidden=True, help="The name of this run, from the process that started it.")
@with_session
def daemon_run_command(session: Session, every: float | None, live: bool, cycles: int | None, detached: str | None) -> Reply:
    """Run it in the foreground.

    It tells on standard error what it does, and ends at Ctrl-C or SIGTERM, after the step it is in.
    """
    from strata.daemon.journal import Journal
    from strata.daemon.loop import Daemon
    from strata.daemon.private import Place

    options = {"now": _utc_now, **session.options}
    root = session.chosen()
    journal = Journal(Place.of(root), options["now"], None if detached else sys.stderr)
    ended = Daemon(root, journal, token=detached or os.urandom(8).hex(), every=every, live=live, cycles=cycles, **options).run()
    return Reply(ended, "")


def _utc_now() -> datetime:
    return datetime.now(UTC)


@_command("start", "strata daemon start", "strata daemon start --every 60")
@_manner
@_bounded
@with_memory
def daemon_start_command(memory: Memory, every: float | None, live: bool, cycles: int | None) -> Reply:
    """Start it in the background; one that runs already stays as it is."""
    from strata.daemon import control

    return _reply(control.start(memory.root, os.environ, every=every, live=live, cycles=cycles))


@_command("restart", "strata daemon restart", exits=(NotAMemory, Locked))
@_manner
@_bounded
@with_memory
def daemon_restart_command(memory: Memory, every: float | None, live: bool, cycles: int | None) -> Reply:
    """Replace it by one of this version of strata.

    It goes on as the old one was started, where --every and --live are not given.
    """
    from strata.daemon import control

    return _reply(control.restart(memory.root, os.environ, every=every, live=live, cycles=cycles))


@_command("status", "strata daemon status", "strata daemon status --json")
@with_memory
def daemon_status_command(memory: Memory) -> Reply:
    """Show whether it runs, and how its last cycle went."""
    from strata.daemon import control

    return _reply(control.status(memory.root, os.environ))


@_command("logs", "strata daemon logs", "strata daemon logs -n 100")
@click.option("-n", "--lines", metavar="N", type=click.IntRange(0), default=20, show_default=True, help="How many lines, the newest.")
@click.option("--follow", is_flag=True, help="Go on with each new line, until Ctrl-C.")
@with_session
def daemon_logs_command(session: Session, lines: int, follow: bool) -> Listing:
    """Show its log, oldest line first."""
    from strata.daemon import journal
    from strata.daemon.private import Place

    place = Place.of(session.memory.root)
    if follow:
        _print_each(journal.follow(place, lines), session)
    return Listing(journal.last(place, lines), empty="Nothing is in the log.")


def _print_each(lines: Iterator[LogLine], session: Session) -> None:
    """Print line by line; the end comes from outside: Ctrl-C, or a reader that goes away."""
    from strata.render import jsontext
    from strata.render.text import text

    screen = Screen.of(sys.stdout, os.environ)
    for line in lines:
        click.echo(jsontext.dumps(line) if session.json else text(Listing([line], empty=""), screen), color=screen.colours)


@_command("install", "strata daemon install", "strata daemon install --every 60 --live")
@_manner
@with_memory
def daemon_install_command(memory: Memory, every: float | None, live: bool) -> Reply:
    """Have it started whenever you log in.

    Writes a user unit for systemd, or a launch agent on a Mac, and shows the command that enables it;
    on Windows it shows a command for the Task Scheduler. It starts nothing.
    """
    from strata.daemon import service

    return _reply(service.install(memory.root, os.environ, every=every, live=live))


@_command("uninstall", "strata daemon uninstall", exits=(NotAMemory, NotFound))
@with_session
def daemon_uninstall_command(session: Session) -> Reply:
    """Remove what install wrote, and show how to end what runs of it."""
    from strata.daemon import service

    return _reply(service.uninstall(session.chosen(), os.environ))


@_command("stop", "strata daemon stop", exits=(NotAMemory, Locked))
@with_memory
def daemon_stop_command(memory: Memory) -> Reply:
    """Ask it to end, and wait up to 10 seconds until it has.

    A cycle it is in comes to its end first. It is never killed.
    """
    from strata.daemon import control

    return _reply(control.stop(memory.root))
