"""One run of a program that is not trusted to end: bounded in time and output, and nothing of it is left.

The program leads a process group of its own, which is killed when it ends, so that what it started ends with it. A
descendant that makes itself leader of another group escapes that; it can no longer hold anything up.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from threading import Event, Thread
from typing import IO, Any, NamedTuple

_GRACE = 1.0  # seconds after the end of the program in which its output has to end
_STEP = 0.05  # seconds between two looks at whether to go on
_PIECE = 65_536
_ERRORS = 4_096  # bytes of standard error that are kept: the first and the last half


class Ended(NamedTuple):
    """How a run ended: exit code (minus the signal, where one ended it), output, and what there was of standard error.

    `held` says that something kept the output open when the program was gone.
    """

    code: int
    output: bytes
    errors: bytes
    too_long: bool
    too_late: bool
    held: bool


def run(words: Sequence[str], data: bytes, *, timeout: float, limit: int, folder: str) -> Ended:
    """Run a program in `folder` with `data` as its standard input; raises OSError when it cannot be started.

    No more than `limit` bytes of output are read. When this returns, or raises, the program is gone.
    """
    deadline = time.monotonic() + timeout
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, bufsize=0, **_own_group())
    assert process.stdin and process.stdout and process.stderr
    stop, full = Event(), Event()
    output, errors = bytearray(), bytearray()
    reading = Thread(target=_read, args=(process.stdout, output, limit, stop, full), daemon=True)
    others = [Thread(target=_write, args=(process.stdin, data, stop), daemon=True), Thread(target=_skim, args=(process.stderr, errors, stop), daemon=True)]
    too_late = False
    try:
        for thread in (reading, *others):
            thread.start()
        while process.poll() is None and not full.is_set():
            if time.monotonic() > deadline:
                too_late = True
                break
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_STEP)
        if not (too_late or full.is_set()):
            reading.join(max(0.0, min(_GRACE, deadline - time.monotonic())))
        held = reading.is_alive() and not (too_late or full.is_set())
    finally:
        _end(process)
        if sys.platform != "win32":
            stop.set()  # on Windows they end with the pipe, whose other side is gone
        for thread in (reading, *others):
            if thread.ident is not None:
                thread.join(_GRACE)
    return Ended(process.returncode, bytes(output), bytes(errors), full.is_set(), too_late and not full.is_set(), held)


def _own_group() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and all of its group, and wait for it, so that no zombie is left."""
    if sys.platform == "win32":
        if process.poll() is None:  # its children can only be found as long as it runs
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
            process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # all gone; on a Mac, all of them zombies
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(pipe: IO[bytes], into: bytearray, limit: int, stop: Event, full: Event) -> None:
    with pipe:
        while piece := _piece(pipe, min(_PIECE, limit + 1 - len(into)), stop):
            into += piece
            if len(into) > limit:
                full.set()
                return


def _skim(pipe: IO[bytes], into: bytearray, stop: Event) -> None:
    """Read to the end, and keep the beginning and the end: that is where programs say why."""
    with pipe:
        while piece := _piece(pipe, _PIECE, stop):
            into += piece
            if len(into) > _ERRORS:
                del into[_ERRORS // 2 : len(into) - _ERRORS // 2]


def _piece(pipe: IO[bytes], size: int, stop: Event) -> bytes:
    """The next bytes; b"" at the end, and when it is time to stop although somebody still holds the other side."""
    while not _ready(pipe, writing=False):
        if stop.is_set():
            return b""
    return os.read(pipe.fileno(), size)


def _write(pipe: IO[bytes], data: bytes, stop: Event) -> None:
    """Hand over all of `data`, or as much as is wanted."""
    size = _PIECE if sys.platform == "win32" else select.PIPE_BUF  # what a pipe takes at once when it says that it takes something (POSIX)
    with contextlib.suppress(BrokenPipeError, OSError), pipe:  # a program need not read all that it is given
        for start in range(0, len(data), size):
            while not _ready(pipe, writing=True):
                if stop.is_set():
                    return
            os.write(pipe.fileno(), data[start : start + size])


def _ready(pipe: IO[bytes], *, writing: bool) -> bool:
    """Whether a read or a write would not wait; on Windows, where a pipe cannot be asked, it may."""
    if sys.platform == "win32":
        return True
    poll = select.poll()
    poll.register(pipe.fileno(), select.POLLOUT if writing else select.POLLIN)
    return bool(poll.poll(_STEP * 1000))
