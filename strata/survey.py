"""What changed in the working tree since a moment, told by `stat` alone.

The small active tier is looked at file by file; of cooled/ and archive/ only the folders, unless
one of them moved or the memory is small. Times are compared with the file system's own clock, so
a file written in the same tick as the last look ("racy", in git's word) is looked at again.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from strata.layout import IGNORED_FOLDERS, LOCAL, ROOT_FILES, SHARED_FOLDERS, TIERS, is_record
from strata.model import Tier

SMALL = 2000  # files below cooled/ and archive/ up to which every one is looked at

Signature = tuple[int, int, int, int]  # mtime_ns, ctime_ns, size, inode


class Survey:
    """`touched`: files that may have changed; `listing`: names in folders that moved (all files of strata's concern);
    `folders`: every folder's mtime_ns and number of files; `gone`: folders that were there before; `skipped`: links
    and repositories that are not followed, with the reason; `blind`: folders that could not be read, so that nothing
    in them is taken for gone."""

    def __init__(self) -> None:
        self.touched: dict[str, Signature] = {}
        self.listing: dict[str, set[str]] = {}
        self.folders: dict[str, tuple[int, int]] = {}
        self.gone: set[str] = set()
        self.skipped: list[tuple[str, str]] = []
        self.blind: set[str] = set()


def signature(place: str | Path) -> Signature | None:
    """The stat of a regular file, or None when there is none (a link is none)."""
    try:
        found = os.lstat(place)
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def clock(root: Path) -> int:
    """Now, in nanoseconds, by the clock that stamps the files of this memory."""
    place = root / LOCAL / "clock"
    if place.parent.is_symlink():
        return time.time_ns() - 2_000_000_000
    try:
        if not place.exists():
            place.touch(mode=0o600)
        os.utime(place)
        return place.stat().st_mtime_ns
    except OSError:
        return time.time_ns() - 2_000_000_000  # not writable: trust less of what is recent


def slack(now: int) -> int:
    """How old (ns) a stamp must be to be trusted: 50 ms, or 2.5 s where stamps have whole seconds only."""
    return 2_500_000_000 if now % 1_000_000_000 == 0 else 50_000_000


def survey(root: Path, since: int, folders: Mapping[str, tuple[int, int]], *, deep: bool = False) -> Survey:
    """Look at the tree; `since` is the clock value (ns) from which on a stamp means "maybe changed".

    `folders` are those of the last look. With `deep`, or when cooled/ and archive/ are small,
    every file is looked at.
    """
    seen = Survey()
    resting = sum(count for name, (_, count) in folders.items() if name.startswith((Tier.COOLED, Tier.ARCHIVE)))
    every = deep or not folders or resting <= SMALL
    for name in ROOT_FILES:
        if (found := signature(root / name)) and max(found[:2]) >= since:
            seen.touched[name] = found
    moved = os.lstat(root).st_mtime_ns
    names = {name for name in ROOT_FILES if signature(root / name)}
    seen.folders[""] = (moved, len(names))
    if folders.get("", (None, 0))[0] != moved or moved >= since:
        seen.listing[""] = names
    for top in (*TIERS, *SHARED_FOLDERS):
        _walk(root, top, since, folders, seen, every or top == Tier.ACTIVE)
    seen.gone = set(folders) - set(seen.folders)
    return seen


def _walk(root: Path, top: str, since: int, known: Mapping[str, tuple[int, int]], seen: Survey, every: bool) -> None:
    """Visit `top` and what lies below; folders that did not move are passed over unless `every` file counts."""
    children: dict[str, list[str]] = {}
    if not every:
        for name in known:
            parent, _, _ = name.rpartition("/")
            children.setdefault(parent, []).append(name)
    shared = top in SHARED_FOLDERS
    pending = [top]
    while pending:
        folder = pending.pop()
        place = f"{root}/{folder}"
        try:
            found = os.lstat(place)
        except OSError:
            continue
        if stat.S_ISLNK(found.st_mode):
            seen.skipped.append((folder, "a symbolic link is not followed"))
            continue
        if not stat.S_ISDIR(found.st_mode):
            continue
        moved = known.get(folder, (None, 0))[0] != found.st_mtime_ns or found.st_mtime_ns >= since
        if not (every or moved):
            seen.folders[folder] = known[folder]
            pending += children.get(folder, ())
            continue
        try:
            with os.scandir(place) as iterator:
                entries = list(iterator)
        except PermissionError:
            seen.blind.add(folder)
            seen.skipped.append((folder, "it cannot be read: permission denied"))
            seen.folders |= {name: value for name, value in known.items() if f"{name}/".startswith(f"{folder}/")}
            continue
        names = {entry.name for entry in entries}
        if ".git" in names:
            seen.skipped.append((folder, "a git repository inside the memory is left alone"))
            continue
        names.clear()
        for entry in entries:  # the loop that every search pays for every active file: keep it short
            name = entry.name
            if name[0] == ".":
                continue
            if (shared or name[-3:] == ".md") and entry.is_file(follow_symlinks=False):
                names.add(name)
                info = entry.stat(follow_symlinks=False)
                if info.st_ctime_ns >= since or info.st_mtime_ns >= since:
                    seen.touched[f"{folder}/{name}"] = (info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino)
            elif entry.is_symlink():
                seen.skipped.append((f"{folder}/{name}", "a symbolic link is not followed"))
            elif name not in IGNORED_FOLDERS and entry.is_dir(follow_symlinks=False):
                pending.append(f"{folder}/{name}")
        seen.folders[folder] = (found.st_mtime_ns, len(names))
        if moved:
            seen.listing[folder] = names


def records(root: Path) -> list[str]:
    """Every record file in the tree, sorted."""
    every = survey(root, 0, {}, deep=True)
    return sorted(path for path in every.touched if is_record(path))
