"""Processes, as far as a daemon needs them: when one began, whether it is suspended, how it is woken, how one is started that outlives us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import strata


class Seen(NamedTuple):
    """What the kernel says of a process: when it began, which no other process of that number shares, and whether it is suspended."""

    birth: str
    suspended: bool


def look(pid: int) -> Seen | None:
    """The process of that number as it is now; None when there is none, and on Windows, where nothing is asked of it."""
    if pid <= 0 or sys.platform == "win32":
        return None
    return _in_proc(pid) if sys.platform == "linux" else _by_ps(pid)


def _in_proc(pid: int) -> Seen | None:
    """From /proc/PID/stat: the state is the third field, the start in clock ticks since the boot the 22nd (proc(5))."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        if fields[0] in (b"Z", b"X"):  # it ended, and only waits to be noticed
            return None
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return Seen(f"{boot}:{int(fields[19])}", fields[0] in (b"T", b"t"))
    except (OSError, ValueError, IndexError):
        return None


def _by_ps(pid: int) -> Seen | None:
    """From `ps`, which Macs and the BSDs have; its start time has whole seconds."""
    try:
        done = subprocess.run(
            ["ps", "-o", "lstart=", "-o", "stat=", "-p", str(pid)],
            capture_output=True, env={**os.environ, "LC_ALL": "C", "TZ": "UTC"}, timeout=5, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    *began, state = done.stdout.decode("utf-8", "replace").split() or [""]
    return Seen(" ".join(began), state.startswith("T")) if began and not state.startswith("Z") else None


def ask_to_end(pid: int, birth: str) -> bool:
    """Send SIGTERM to the process of that number if it is the one that began at `birth`; whether it was sent.

    On Windows, where a signal would kill, nothing is sent.
    """
    seen = look(pid)
    if seen is None or not birth or seen.birth != birth:
        return False
    try:
        os.kill(pid, signal.SIGTERM)
    except OSError:  # it ended in this moment, or belongs to somebody else
        return False
    return True


def command(root: Path, *, every: float | None, live: bool) -> list[str]:
    """The words that run the daemon of a memory. With -P, what lies in the current directory is never imported."""
    interval = ["--every", f"{every:g}"] if every else []
    return [sys.executable, "-P", "-m", "strata", "--memory", str(root), "daemon", "run", *interval, *(["--live"] if live else [])]


def import_path() -> str:
    """The directory that must be on PYTHONPATH for this very strata to be found; "" where it is installed."""
    import sysconfig

    place = Path(strata.__file__).resolve().parents[1]
    installed = {Path(found).resolve() for name in ("purelib", "platlib") if (found := sysconfig.get_path(name))}
    return "" if place in installed or "site-packages" in place.parts else str(place)


def installed_version() -> str:
    """The version of the strata that lies on disk by now; "" when it is gone. After an upgrade it is not the one that runs here."""
    try:
        text = Path(strata.__file__).read_text("utf-8")
    except OSError:
        return ""
    return text.partition('__version__ = "')[2].partition('"')[0]


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """`given` for a process that runs elsewhere: paths for imports are absolute, and lead to this very strata."""
    paths = [import_path(), *map(os.path.abspath, filter(None, given.get("PYTHONPATH", "").split(os.pathsep)))]
    chosen = os.pathsep.join(dict.fromkeys(filter(None, paths)))
    return {name: value for name, value in given.items() if name != "PYTHONPATH"} | ({"PYTHONPATH": chosen} if chosen else {})


def start(words: Sequence[str], given: Mapping[str, str], complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a process that outlives this one: no terminal, its own session, at home in no directory that could be unmounted."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints,
        cwd=Path(sys.executable).anchor or None, env=environment(given), start_new_session=True, creationflags=flags,
    )  # fmt: skip


def let_go(process: subprocess.Popen[bytes]) -> None:
    """Say that nobody will wait for it, so that its object does not complain that it still runs."""
    process.returncode = 0
