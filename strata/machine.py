"""What belongs to this machine and not to a memory: where memories live by default, and private files such as the key that signs local indexes.

An index holds pickles, so one that came with a copied or unpacked memory is never opened: only an
index signed with this machine's key is.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

KEY_BYTES = 32


def data_home() -> Path:
    """The user's data directory by the custom of the system."""
    return _folder("XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")


def state_home() -> Path:
    """The user's directory for local state by the custom of the system."""
    return _folder("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA")


def default_memory() -> Path:
    """Where `strata` looks when it is told nothing and no parent directory is a memory."""
    return data_home() / "strata" / "memory"


def signing_key() -> bytes:
    """This machine's secret, made on first use.

    Where no file can be written the key lives as long as the process: indexes are then rebuilt
    each time, never trusted.
    """
    place = state_home() / "strata" / "machine.key"
    try:
        if len(key := place.read_bytes()) == KEY_BYTES:
            return key
    except OSError:
        pass  # absent or unreadable: try to make one below
    import secrets  # half of this module's import time, for the first run only

    key = secrets.token_bytes(KEY_BYTES)
    try:
        keep(place, key)
        return place.read_bytes()  # two processes at once: both go on with the one that won
    except OSError:
        return key


def keep(place: Path, data: bytes) -> None:
    """Write a file of this machine's own in one step, durably and for its owner alone; raises OSError where that cannot be."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temp = place.with_name(f".{place.name}.{os.urandom(6).hex()}")
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temp, place)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise


def ledger_name(key: bytes, root: Path) -> str:
    """What this machine's ledger in the memory at `root` is called: the same each time, another for each copy of the memory."""
    import hashlib

    return hashlib.blake2b(os.fsencode(os.path.realpath(root)), key=key, digest_size=4).hexdigest()


def _folder(variable: str, under_home: str, windows: str) -> Path:
    if (given := os.environ.get(variable, "")) and os.path.isabs(given):
        return Path(given)
    if sys.platform == "win32" and (given := os.environ.get(windows, "")):
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / under_home
