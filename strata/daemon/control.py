"""Starting, stopping and looking at a daemon from another process; none of it waits for more than a few seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from strata import __version__
from strata.daemon import private, process, service, state
from strata.daemon.presence import is_present
from strata.daemon.private import Place
from strata.daemon.results import DaemonStatus, Started, Stopped
from strata.daemon.state import ENDED, WORKING, State
from strata.daemon.words import STOPPED, fault
from strata.errors import Locked, StrataError
from strata.files import Files

UP = 5.0  # seconds that a new daemon has to say that it is up
DOWN = 10.0  # seconds that one has to end
_PAUSE = 0.02

RUNNING, NOT_RUNNING, NOT_RESPONDING = "running", "not running", "not responding"


def start(root: Path, given: Mapping[str, str], *, every: float | None = None, live: bool = False, cycles: int | None = None) -> Started:
    """Start a daemon that outlives this process, with the environment `given`; one that is alive already stays as it is.

    Raises StrataError when it is not up within 5 seconds, with what it said.
    """
    place = Place.of(root)
    if is_present(root):
        return _there_already(place)
    Files(root).make_local()
    token = os.urandom(8).hex()
    hidden = ["--detached", token, *(["--cycles", str(cycles)] if cycles is not None else [])]
    with os.fdopen(private.open_private(place.last_words, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as complaints:
        child = process.start([*process.command(root, every=every, live=live), *hidden], given, complaints)
    deadline = time.monotonic() + UP
    while time.monotonic() < deadline:
        known = state.load(place)
        if known is not None and known.token == token:
            process.let_go(child)
            return Started(known.pid, known.version, True)
        if child.poll() is not None:
            if is_present(root):  # somebody else was faster
                return _there_already(place)
            raise StrataError(f"the daemon ended as soon as it was started: {_last_words(place)}", remedy="see: strata daemon logs")
        time.sleep(_PAUSE)
    process.let_go(child)
    raise StrataError(f"the daemon (process {child.pid}) did not say within {UP:g} seconds that it is up", remedy="see: strata daemon status")


def _there_already(place: Place) -> Started:
    known = state.load(place) or State()
    notes = (_other_version(known),) if known.version not in ("", __version__) else ()
    return Started(known.pid, known.version, False, notes)


def _last_words(place: Place) -> str:
    lines = private.read(place.last_words).decode("utf-8", "replace").split("\n")
    return next((line.removeprefix("strata: ") for line in reversed(lines) if line.strip()), "it said nothing")


def stop(root: Path) -> Stopped:
    """Ask the daemon to end, and see that it does; no daemon is fine, too. It is never killed.

    Raises Locked when it has not ended after 10 seconds; the request stays, and is met as soon as it can be.
    """
    place = Place.of(root)
    if not is_present(root):
        return Stopped(0)
    known = state.load(place) or State()
    asked = known.token
    with suppress(OSError):  # a full disk: then the signal has to do, and whether it ended is seen below
        _ask(place, asked)
    process.ask_to_end(known.pid, known.birth)
    deadline = time.monotonic() + DOWN
    while is_present(root):
        now = state.load(place) or known
        if now.token != asked and asked:
            return Stopped(known.pid)  # it ended, and another one came at once
        if now.token != asked:  # it had not introduced itself yet
            asked = now.token
            _ask(place, asked)
        known = now
        if time.monotonic() > deadline:
            raise _still_there(known)
        time.sleep(_PAUSE)
    with suppress(OSError):  # it is for a daemon that is gone, and names it
        place.request.unlink(missing_ok=True)
    return Stopped(known.pid)


def _ask(place: Place, token: str) -> None:
    with os.fdopen(private.open_private(place.request, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as stream:
        stream.write(state.request(token))


def _still_there(known: State) -> Locked:
    who = f"the daemon (process {known.pid})" if known.pid else "the daemon"
    if (seen := _seen(known)) is not None and seen.suspended:
        return Locked(f"{who} does not respond: its process is suspended", remedy=f"it ends as soon as it goes on: kill -CONT {known.pid}")
    if known.doing == WORKING:
        return Locked(f"{who} is still in the middle of a cycle", remedy="it ends after that; see: strata daemon status")
    return Locked(f"{who} does not respond", remedy="it ends as soon as it does; nothing is lost by ending its process")


def restart(root: Path, given: Mapping[str, str], *, every: float | None = None, live: bool = False, cycles: int | None = None) -> Started:
    """Stop the daemon and start one of this version, which keeps what the old one was told unless told anew."""
    before = state.load(Place.of(root)) if is_present(root) else None
    stop(root)
    every = every or (before.every if before else None) or None
    done = start(root, given, every=every, live=live or bool(before and before.live), cycles=cycles)
    if (installed := service.installed(root, given)) is not None:
        return done._replace(notes=(*done.notes, f"it is installed as a service as well; to have it run there instead: strata daemon stop; {installed.restart}"))
    return done


def status(root: Path, given: Mapping[str, str]) -> DaemonStatus:
    """How the daemon of the memory at `root` stands."""
    place = Place.of(root)
    known = state.load(place)
    installed = service.installed(root, given)
    where = str(installed.place) if installed else ""
    if not is_present(root):
        return _absent(root, known, where)
    if known is None:
        return DaemonStatus(RUNNING, str(root), service=where, notes=("it has not said yet how it stands",))
    seen = _seen(known)
    suspended = seen is not None and seen.suspended
    silent = suspended or known.is_silent(time.monotonic())
    return DaemonStatus(
        NOT_RESPONDING if silent else RUNNING, known.memory, known.pid, known.version, known.started, known.interval, known.live, known.cycles,
        known.last_cycle, known.last_result, known.next_cycle, known.error, "", where, tuple(_notes(root, known, silent, suspended)),
    )  # fmt: skip


def _absent(root: Path, known: State | None, where: str) -> DaemonStatus:
    if known is None:
        return DaemonStatus(NOT_RUNNING, str(root), service=where)
    ended = known.ended or "it did not end by itself: it was killed, or the machine went down"
    return DaemonStatus(
        NOT_RUNNING, str(root), version=known.version, last_cycle=known.last_cycle, last_result=known.last_result,
        error=known.error, cycles=known.cycles, ended=ended, service=where,
    )  # fmt: skip


def _notes(root: Path, known: State, silent: bool, suspended: bool) -> list[str]:
    notes = []
    if suspended:
        notes.append(f"its process is suspended; kill -CONT {known.pid} lets it go on. No command waits for it")
    elif silent:
        notes.append(f"nothing was heard of it since {known.heartbeat}. No command waits for it")
    elif known.doing == WORKING:
        notes.append("it is in the middle of a cycle")
    elif known.doing == ENDED:
        notes.append("it is about to end")
    if known.version != __version__:
        notes.append(_other_version(known))
    if known.complaint:
        notes.append(known.complaint)
    if os.path.realpath(known.memory) != os.path.realpath(root):
        notes.append(f"it was started for {known.memory}; the memory was moved since")
    return notes


def _other_version(known: State) -> str:
    return f"it is of strata {known.version}, this command of {__version__}; strata daemon restart replaces it"


def _seen(known: State) -> process.Seen | None:
    """The process of a daemon, if the one with its number is the one that wrote the note."""
    seen = process.look(known.pid)
    return seen if seen is not None and seen.birth == known.birth else None


def in_words(root: Path, given: Mapping[str, str]) -> str:
    """How the daemon stands, in a few words for a line of `strata status`; it never fails."""
    try:
        found = status(root, given)
    except (OSError, StrataError) as error:
        return f"unknown: {fault(error)}"
    if found.state == RUNNING:
        upcoming = f"next cycle {found.next_cycle[:16].replace('T', ' ')} UTC" if found.next_cycle else "beginning"
        return f"{RUNNING}, {upcoming}" + ("; its last cycle failed: strata daemon status" if found.error else "; the Janitor waits for you: strata janitor --dry-run" if STOPPED in found.last_result else "")
    return found.state + (": strata daemon status" if found.state == NOT_RESPONDING else "")
