"""The life of a daemon: a cycle, a rest, a cycle, until it is asked to end; it outlasts whatever happens to the memory.

Between two cycles it holds nothing of the memory but the lock that says it is alive: no open index, no
repository, no settings. So a memory that comes back after it was unmounted, moved or replaced is met
as it is then, and a daemon that hangs keeps nobody waiting.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from strata import __version__, moment
from strata.begin import is_memory
from strata.config import Config
from strata.daemon import private, state
from strata.daemon.bell import Bell
from strata.daemon.journal import Journal
from strata.daemon.presence import Presence, present
from strata.daemon.private import Place
from strata.daemon.process import installed_version, look
from strata.daemon.results import Ended
from strata.daemon.state import State
from strata.daemon.words import fault, outcome, pace
from strata.errors import AlreadyExists, NotAMemory, StrataError
from strata.memory import Memory

MINUTE = 60.0  # seconds
TICK = 1.0  # seconds of a rest, at most, before it looks whether it was asked to end
PATIENCE = 7 * 24 * 3600.0  # seconds after which it gives up on a memory that is gone


class Daemon:
    """One daemon of one memory; `run` is its life.

    `every` is the interval in minutes (None: as the settings say), `cycles` how many there are at most;
    `options` go to `Memory.open`.
    """

    def __init__(
        self, root: Path, journal: Journal, *, token: str, now: Callable[[], datetime],
        every: float | None = None, live: bool = False, cycles: int | None = None, **options: Any,
    ) -> None:  # fmt: skip
        self._root = root
        self._place = Place.of(root)
        self._journal = journal
        self._bell = Bell()
        self._now = now
        self._most = cycles
        self._options = {"now": now, **options}
        self._due = time.monotonic()
        self._met: tuple[int, int] | None = None  # the directory that it tends
        self._shown: tuple[int, int] | None = None  # the one whose moves a first cycle has shown
        self._mute = False  # whether its state could not be written the last time
        self._why = ""  # it ends, once this says why
        seen = look(os.getpid())
        self._state = State(
            token=token, pid=os.getpid(), birth=seen.birth if seen else "", version=__version__, memory=str(root),
            started=self._stamp(), live=live, every=every or 0.0, interval=every or float(Config()["daemon_interval"]),
        )  # fmt: skip

    def run(self) -> Ended:
        """Live until asked to end, or for so many cycles.

        Raises NotAMemory or AlreadyExists when it cannot begin; after that, nothing that happens to the memory ends it.
        """
        with self._bell:
            with present(self._root) as presence:
                self._journal.say(f"started: process {self._state.pid}, strata {__version__}, the first cycle {'live' if self._state.live else 'dry'}")
                self._serve(presence)
            while not self._why and self._wait_for_memory():
                self._return()
        self._journal.say(f"ended: {self._why}")
        return Ended(self._state.cycles, self._why)

    # -- while the memory is there -------------------------------------------------------------

    def _serve(self, presence: Presence) -> None:
        """Cycle and rest as long as the memory lasts and nobody asks for the end."""
        with suppress(OSError):  # then it stays, and names somebody before us
            self._place.request.unlink(missing_ok=True)
        self._met = _identity(self._root)
        self._note(presence)
        try:
            while presence.lasts() and _is_there(self._root) and not self._asked():
                if time.monotonic() >= self._due:
                    self._cycle(presence)
                else:
                    self._rest(presence)
        except BaseException as error:
            self._why = "it was interrupted" if isinstance(error, KeyboardInterrupt) else f"a fault of the program: {type(error).__name__}: {error}"
            self._journal.say(f"ended: {self._why}")
            raise
        finally:
            if self._why:
                self._note(presence, doing=state.ENDED, ended=self._why, next_cycle="")
                with suppress(OSError):  # gone with the memory
                    self._place.request.unlink(missing_ok=True)

    def _asked(self) -> bool:
        """Whether it is time to end, and why."""
        if os.path.exists(self._place.request) and private.read(self._place.request) in (state.request(self._state.token), state.request("")):
            self._why = "`strata daemon stop` asked for it"
        elif self._bell.rung:
            self._why = f"{self._bell.rung} asked for it"
        elif self._most is not None and self._state.cycles >= self._most:
            self._why = f"it had its {self._most} cycles"
        return bool(self._why)

    def _cycle(self, presence: Presence) -> None:
        """Tend the memory once; what goes wrong is told, and the next cycle goes on."""
        live = self._state.live or (self._shown is not None and self._shown == _identity(self._root))
        began = time.monotonic()
        self._note(presence, doing=state.WORKING, since=began)
        result = error = ""
        try:
            result = ("" if live else "dry: ") + self._tend(live)
        except (StrataError, OSError) as failure:
            error = fault(failure)
        else:
            self._shown = _identity(self._root)
        self._journal.say(f"failed: {error}" if error else result)
        gc.collect()  # the collector is tuned for short commands, and this is rare
        self._due = max(began + self._state.interval * MINUTE, time.monotonic())
        self._note(
            presence, doing=state.RESTING, since=time.monotonic(), cycles=self._state.cycles + 1,
            last_cycle=self._stamp(), last_result=result or self._state.last_result, error=error,
        )  # fmt: skip

    def _tend(self, live: bool) -> str:
        """One cycle; what it came to, in words."""
        if (installed := installed_version()) != __version__:
            message = f"strata {installed or '(none)'} is installed by now, and this daemon is of {__version__}, so it does nothing"
            raise StrataError(message, remedy="strata daemon restart")
        with Memory.open(self._root, **self._options) as memory:
            self._read_interval(memory)
            done = memory.tend(live=live)
            for note in dict.fromkeys([*done.notes, *memory.warnings]):
                self._journal.say(f"note: {note}")
        return outcome(done, live)

    def _read_interval(self, memory: Memory) -> None:
        """The interval as the settings say; the last good one as long as they cannot be read."""
        if self._state.every:
            return
        try:
            interval, complaint = float(memory.config_get("daemon_interval")), ""
        except (StrataError, OSError) as error:
            interval = self._state.interval
            complaint = f"{fault(error)}; going on with a cycle {pace(interval)}"
        if complaint and complaint != self._state.complaint:
            self._journal.say(f"settings: {complaint}")
        elif interval != self._state.interval:
            self._journal.say(f"settings: a cycle {pace(interval)}")
        self._state = self._state._replace(interval=interval, complaint=complaint)

    def _rest(self, presence: Presence) -> None:
        now = time.monotonic()
        if now - self._state.beat >= state.HEARTBEAT:
            self._note(presence)
        self._bell.wait(min(TICK, max(0.0, self._due - now)))

    def _note(self, presence: Presence, **changes: Any) -> None:
        """Say in `daemon.json` how it stands. Where that cannot be written, it is told once and life goes on."""
        now = time.monotonic()
        self._state = self._state._replace(**{"beat": now, "heartbeat": self._stamp(), "next_cycle": self._stamp(self._due - now), **changes})
        if not presence.lasts():
            return  # what lies there now is another's
        try:
            state.save(self._place, self._state)
            self._mute = False
        except OSError as error:
            if not self._mute:
                self._journal.say(f"its state cannot be written: {fault(error)}")
            self._mute = True

    # -- while it is gone ----------------------------------------------------------------------

    def _wait_for_memory(self) -> bool:
        """Wait until a memory is there again; False when it is time to end. A cycle that is missed is made up for."""
        gone, missed = time.monotonic(), False
        while not _is_there(self._root) and not self._asked():
            if not missed and time.monotonic() >= self._due:
                self._journal.say(f"skipped: the memory is gone from {self._root}; it is looked for until it is back")
            if time.monotonic() >= self._due:
                self._state = self._state._replace(cycles=self._state.cycles + 1)
                self._due, missed = time.monotonic() + self._state.interval * MINUTE, True
            if time.monotonic() - gone > PATIENCE:
                self._why = "the memory was gone for a week"
            self._bell.wait(TICK)
        if missed:
            self._due = time.monotonic()
        return not self._why

    def _return(self) -> None:
        """Take up the lock anew, of whatever memory lies there now."""
        try:
            with present(self._root) as presence:
                self._journal.say("the memory is there again" if _identity(self._root) == self._met else "another directory is in its place now")
                self._serve(presence)
        except AlreadyExists:
            self._why = "another daemon tends the memory now"
        except (NotAMemory, OSError):  # gone again in this moment, or not wholly there yet
            self._bell.wait(TICK)

    def _stamp(self, later: float = 0.0) -> str:
        return moment.stamp((self._now() + timedelta(seconds=max(0.0, later))).replace(microsecond=0))


def _is_there(root: Path) -> bool:
    """Whether a memory can be seen at that place; a disk that fails or refuses is one that is gone."""
    try:
        return is_memory(root)
    except OSError:
        return False


def _identity(root: Path) -> tuple[int, int] | None:
    """Which directory it is: the same after a move and back, another one after it was replaced."""
    try:
        found = os.stat(root)
    except OSError:
        return None
    return found.st_dev, found.st_ino
