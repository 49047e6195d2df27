"""What git calls to merge the file of an entity: `python -m strata.joindriver BASE OURS THEIRS PATH`, which leaves the result in OURS.

It notes in `.strata/joined` which entities it joined, so that the next write lets them follow from the cards of both sides. Exit
code 1 leaves the conflict to the person, as git does it without a driver.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from strata.errors import StrataError
from strata.joining import joined
from strata.layout import LOCAL

NOTE = "joined"


def join(base: Path, ours: Path, theirs: Path, path: str, root: Path) -> int:
    """Merge, and note it below `root`; 0, or 1 where a person has to."""
    try:
        data = joined(base.read_bytes(), ours.read_bytes(), theirs.read_bytes(), path)
    except StrataError as problem:
        sys.stderr.write(f"strata: {problem}\n")
        return 1
    ours.write_bytes(data)
    (root / LOCAL).mkdir(mode=0o700, exist_ok=True)
    with open(root / LOCAL / NOTE, "a", encoding="utf-8") as note:
        note.write(f"{path}\n")
    return 0


def main(words: Sequence[str]) -> int:
    """As git calls it, in the top folder of the memory."""
    base, ours, theirs, path = words
    return join(Path(base), Path(ours), Path(theirs), path, Path.cwd())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
