"""What must hold of a memory after anything that wrote: doctor, `git fsck` and `git status` are clean."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from strata import Memory

KEY = b"k" * 32


def assert_sound(root: Path) -> None:
    problems = Memory.open(root, key=KEY).doctor()
    assert problems == []
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    assert git(root, "status", "--porcelain") == ""


def git(root: Path, *arguments: str, check: bool = True) -> str:
    """Run the git program in `root`, isolated; returns what it printed."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, encoding="utf-8", errors="surrogateescape",
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"},
    )  # fmt: skip
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout
