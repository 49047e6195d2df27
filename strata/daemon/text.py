"""How a daemon stands, and what was done with it, as text for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strata.daemon.results import DaemonStatus, Installed, Started, Stopped, Uninstalled
from strata.render.screen import Screen
from strata.render.visible import one_line
from strata.render.words import minute

_STATES = {"running": "green", "not running": "yellow", "not responding": "red"}


def text(result: Any, screen: Screen) -> str:
    """What people read for one result of a command of the daemon."""
    return "\n".join(_LINES[type(result).__name__](result, screen))


def _started(done: Started, screen: Screen) -> list[str]:
    process = f"process {done.pid}" if done.pid else "its process is not known yet"
    line = f"Started a daemon ({process})." if done.fresh else f"A daemon runs already ({process}); nothing was changed."
    return [line, *_notes(done.notes, screen)]


def _stopped(done: Stopped, screen: Screen) -> list[str]:
    return [f"The daemon ended (process {done.pid})." if done.pid else "No daemon is running."]


def _status(found: DaemonStatus, screen: Screen) -> list[str]:
    process = f" (process {found.pid}, strata {one_line(found.version)}, since {_utc(found.started)})" if found.pid else ""
    rows = [
        ("every", _every(found.interval) if found.pid else ""),
        ("last cycle", f"{_utc(found.last_cycle)}: {one_line(found.last_result) if not found.error else 'failed'}" if found.last_cycle else ""),
        ("failed with", one_line(found.error)),
        ("next cycle", _utc(found.next_cycle)),
        ("ended", one_line(found.ended)),
        ("service", one_line(found.service)),
    ]
    head = screen.paint(found.state, _STATES[found.state]) + process
    return [head, *screen.table([row for row in rows if row[1]], ("dim", "")), *_notes(found.notes, screen)]


def _installed(done: Installed, screen: Screen) -> list[str]:
    wrote = [f"Wrote {screen.paint(one_line(done.path), 'bold')} (for {done.manager})"] if done.path else [f"For the {done.manager}:"]
    return [*wrote, *_commands("Next:" if done.path else "", done.commands), *_notes(done.notes, screen)]


def _uninstalled(done: Uninstalled, screen: Screen) -> list[str]:
    removed = f"Removed {screen.paint(one_line(done.path), 'bold')}" if done.path else f"Nothing was written for the {done.manager}, so nothing was removed."
    return [removed, *_commands("To end what still runs of it:", done.commands)]


def _commands(title: str, commands: tuple[str, ...]) -> list[str]:
    return ["", *([title] if title else []), *(f"  {one_line(command)}" for command in commands)]


def _notes(notes: tuple[str, ...], screen: Screen) -> list[str]:
    return [screen.paint(f"Note: {one_line(note)}", "yellow") for note in notes]


def _every(minutes: float) -> str:
    return "minute" if minutes == 1 else f"{minutes:g} minutes"


def _utc(at: str) -> str:
    return f"{minute(at)} UTC" if at else ""


_LINES: dict[str, Callable[[Any, Screen], list[str]]] = {
    Started.__name__: _started,
    Stopped.__name__: _stopped,
    DaemonStatus.__name__: _status,
    Installed.__name__: _installed,
    Uninstalled.__name__: _uninstalled,
}
