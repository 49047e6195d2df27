"""Bytes that survive: a temporary file, fsync, an atomic rename, fsync of the folder."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path

from strata.errors import AlreadyExists

TEMP_PREFIX = ".strata-"
TEMP_SUFFIX = ".tmp"


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one of ours, on its way to its real name."""
    return name.startswith(TEMP_PREFIX) and name.endswith(TEMP_SUFFIX)


def write_durably(place: Path, data: bytes, *, fresh: bool = False, mode: int = 0o666) -> None:
    """Replace `place` by `data` in one step; with `fresh`, refuse (AlreadyExists) if something is there.

    The permissions of a file that is replaced are kept; a new one gets `mode`, less what the user masks.
    """
    temp = _temporary(place)
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if fresh:
            _publish(temp, place)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.chmod(temp, stat.S_IMODE(place.stat().st_mode))
            os.replace(temp, place)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise


def write_cache(place: Path, data: bytes) -> None:
    """Replace `place` by `data` in one step, without waiting for the disk: for what is made again when power loss takes it."""
    temp = _temporary(place)
    temp.write_bytes(data)
    os.replace(temp, place)


def _temporary(place: Path) -> Path:
    return place.with_name(f"{TEMP_PREFIX}{os.urandom(8).hex()}{TEMP_SUFFIX}")


def _publish(temp: Path, place: Path) -> None:
    """Give the temporary file its name without ever replacing another (a hard link fails where a rename would not)."""
    try:
        os.link(temp, place)
    except FileExistsError:
        raise AlreadyExists("a file is there already; nothing was overwritten", path=place.name) from None
    except (OSError, AttributeError):  # a file system without hard links
        if os.path.lexists(place):
            raise AlreadyExists("a file is there already; nothing was overwritten", path=place.name) from None
        os.rename(temp, place)
        return
    temp.unlink()


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive power loss; Windows does this with the rename itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
