"""Where a git repository stands, read from its files alone.

Importing pygit2 costs 50 ms; a search that only asks "did HEAD move?" must not pay it. The layout
is that of gitrepository-layout(5): HEAD, loose refs, packed-refs, and one marker file or directory
per unfinished operation.
"""

from __future__ import annotations

import os
from pathlib import Path

from strata.errors import Malformed, NotAMemory

# A marker in the git directory -> the operation that is unfinished while it exists. Ordered: a rebase
# leaves CHERRY_PICK_HEAD too when it stops.
_MARKERS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)
_SYMBOLIC_DEPTH = 5  # as deep as git follows


def git_directory(root: Path) -> Path:
    """The directory with HEAD and index: `.git`, or where a `.git` file of a worktree points.

    Raises NotAMemory when `root` itself has neither; parents are never looked at.
    """
    dot_git = Path(root) / ".git"
    if dot_git.is_dir():
        return dot_git
    try:
        line = dot_git.read_text("utf-8", "surrogateescape")
    except OSError:
        line = ""
    if line.startswith("gitdir:"):
        target = Path(root) / line.removeprefix("gitdir:").strip()
        if target.is_dir():
            return target
    raise NotAMemory(f"there is no git repository in {root}", remedy=f"strata init {root}", path=str(root))


def head(root: Path) -> str | None:
    """The id of the commit HEAD points to; None before the first commit."""
    directory = git_directory(root)
    value = _head_value(directory)
    if not value.startswith("ref:"):
        return value
    return _resolved(common_directory(directory), value.removeprefix("ref:").strip())


def branch(root: Path) -> str:
    """The branch HEAD is on, `main`; empty when HEAD is detached."""
    value = _head_value(git_directory(root))
    return value.removeprefix("ref:").strip().removeprefix("refs/heads/") if value.startswith("ref:") else ""


def in_progress(root: Path) -> str:
    """The git operation that is unfinished: merge, rebase, cherry-pick, revert, bisect, am; or empty."""
    directory = git_directory(root)
    for marker, operation in _MARKERS:
        if os.path.exists(directory / marker):
            return operation
    try:
        step = (directory / "sequencer" / "todo").read_text("utf-8", "replace")
    except OSError:
        return ""
    return "revert" if step.startswith("revert") else "cherry-pick"


def _head_value(directory: Path) -> str:
    try:
        value = (directory / "HEAD").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        value = ""
    if value.startswith("ref:") or _is_id(value):
        return value
    raise Malformed(
        "git's HEAD file is missing or damaged",
        path=str(directory / "HEAD"),
        remedy="write the line `ref: refs/heads/main` into it",
    )


def common_directory(directory: Path) -> Path:
    """Where refs live: a worktree names the main repository's directory in `commondir`."""
    try:
        return directory / (directory / "commondir").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return directory


def _resolved(directory: Path, ref: str) -> str | None:
    for _ in range(_SYMBOLIC_DEPTH):
        try:
            value = (directory / ref).read_text("utf-8", "surrogateescape").strip()
        except OSError:
            return _packed(directory, ref)
        if not value.startswith("ref:"):
            if _is_id(value):
                return value
            raise Malformed(  # power loss may leave it empty; to take it for "no commit yet" would begin the memory anew
                f"git's file of the branch {ref.removeprefix('refs/heads/')} is damaged",
                path=str(directory / ref),
                remedy=f"the last line of .git/logs/{ref} names its commit: git update-ref {ref} COMMIT",
            )
        ref = value.removeprefix("ref:").strip()
    return None


def _packed(directory: Path, ref: str) -> str | None:
    try:
        lines = (directory / "packed-refs").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    for line in lines:
        commit, _, name = line.partition(" ")
        if name == ref and _is_id(commit):
            return commit
    return None


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and all(character in "0123456789abcdef" for character in text)
