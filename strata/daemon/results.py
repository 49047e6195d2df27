"""What the commands of the daemon return: values that `render` prints and a program reads."""

from __future__ import annotations

from typing import NamedTuple


class Ended(NamedTuple):
    """A daemon that ran in the foreground and came to its end."""

    cycles: int
    why: str


class Started(NamedTuple):
    """A daemon that was started (`fresh`), or was there already; `notes` are things to know."""

    pid: int
    version: str
    fresh: bool
    notes: tuple[str, ...] = ()


class Stopped(NamedTuple):
    """A daemon that ended as it was asked to; `pid` is 0 when there was none."""

    pid: int


class DaemonStatus(NamedTuple):
    """How the daemon of a memory stands: `state` is "running", "not running" or "not responding".

    Times are ISO 8601 in UTC, "" when unknown; `interval` is in minutes; `live` says whether its first
    cycle was for real. `ended` is why the last one is gone, `error` what its last cycle failed with,
    `service` where it is installed, `notes` are things to know and to do.
    """

    state: str
    memory: str
    pid: int = 0
    version: str = ""
    started: str = ""
    interval: float = 0.0
    live: bool = False
    cycles: int = 0
    last_cycle: str = ""
    last_result: str = ""
    next_cycle: str = ""
    error: str = ""
    ended: str = ""
    service: str = ""
    notes: tuple[str, ...] = ()


class LogLine(NamedTuple):
    """One line of the log: when, and what."""

    at: str
    text: str


class Installed(NamedTuple):
    """A service that was written to `path` ("" where nothing was written), and the commands that come next."""

    manager: str
    path: str
    commands: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Uninstalled(NamedTuple):
    """A service whose file was removed, and the commands that end what still runs of it."""

    manager: str
    path: str
    commands: tuple[str, ...]
