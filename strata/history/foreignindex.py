"""Git's index in a form only git itself should change (version 4, split, sparse), through the git program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from strata.history.gitindex import Busy
from strata.history.indexfile import Staged, Unreadable
from strata.history.program import run


class ForeignIndex:
    """What is staged, as `git ls-files` tells it; costs one or two runs of git, so only where GitIndex cannot read."""

    def __init__(self, root: Path) -> None:
        """Raises Unreadable when git is not installed, or cannot read the index either."""
        self._root = root
        output = run(root, "ls-files", "--stage", "-t", "-z")
        if output is None:
            raise Unreadable("the git program is not installed, or cannot read it either")
        self._staged: dict[bytes, Staged] = {}
        self._left_out: set[bytes] = set()
        self.unmerged = ""
        for row in output.split(b"\0")[:-1]:
            facts, _, path = row.partition(b"\t")
            tag, mode, id, stage = facts.split(b" ")
            if tag == b"S":
                self._left_out.add(path)
            if stage == b"0":
                self._staged[path] = int(mode, 8), bytes.fromhex(id.decode())
            else:
                self.unmerged = self.unmerged or path.decode("utf-8", "surrogateescape")

    def get(self, path: bytes) -> Staged | None:
        """What is staged at `path`; None when nothing is."""
        return self._staged.get(path)

    def is_left_out(self, path: bytes) -> bool:
        """Whether the file was taken out of the working tree on purpose (skip-worktree)."""
        return path in self._left_out

    def apply(self, changes: Mapping[bytes, Staged | None]) -> None:
        """Stage each path of `changes` (None: remove it), on disk at once; raises Busy when git refused."""
        rows = []
        for path, staged in changes.items():
            if self._staged.get(path) != staged:
                mode, id = staged or (0, bytes(20))
                rows.append(f"{mode:o} {id.hex()} 0\t".encode() + path + b"\0")
        if rows and run(self._root, "update-index", "-z", "--index-info", stdin=b"".join(rows)) is None:
            raise Busy("git update-index did not succeed")
