"""A second index made from one there is: its files are never written again, so they are shared and only signed anew."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Any

from strata.shadow import commit
from strata.shadow import stamp as stamps
from strata.shadow.stamp import Part, Stamp

_ATTEMPTS = 10  # when a writer removes files between the stamp and their copy


def copied(source: Path, target: Path, key: bytes) -> dict[str, Any] | None:
    """Make the index in `target` what the one in `source` is, with an empty mark; the mark of the source, None where there is no index.

    Neither waits for a writer of the source nor holds one up. Killed at any point it leaves a target that is no index, or this one.
    """
    target.mkdir(parents=True, exist_ok=True)
    with commit.locked(target, commit.WRITING):
        for _ in range(_ATTEMPTS):
            found = stamps.load(source, key)
            if found is None or not stamps.intact(source, found):
                continue
            with contextlib.suppress(FileNotFoundError):
                stamps.save(target, key, _shared(source, target, found))
                return found.mark
    return None


def _shared(source: Path, target: Path, found: Stamp) -> Stamp:
    """The stamp of the copy, its files in place. Raises FileNotFoundError where one went meanwhile."""
    home, place = source / found.live, target / found.live
    place.mkdir(exist_ok=True)
    names = [stamps.toc_name(found.generation), *(part.name for part in found.parts)]
    for name in names:
        _share(home / name, place / name)
    parts = tuple(Part(part.name, part.documents, part.dead, stamps.signature(place / part.name)) for part in found.parts)
    return found._replace(parts=parts, mark={})


def _share(source: Path, target: Path) -> None:
    """Let a second name lead to a file, or copy it where the file system has no such names."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)
