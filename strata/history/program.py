"""The git program, run on one repository with nothing of the caller's environment that could mislead it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def run(root: Path, *arguments: str, stdin: bytes = b"", timeout: float = 60.0) -> bytes | None:
    """What `git ARGUMENTS` printed; None when there is no git program, or it failed or took too long.

    `GIT_*` variables are dropped (a hook of another repository exports them), hooks are off, no parent
    directory is searched, and git never asks for anything.
    """
    program = shutil.which("git")
    if program is None:
        return None
    environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    place = [f"--git-dir={os.fspath(root / '.git')}", f"--work-tree={os.fspath(root)}"]
    try:
        result = subprocess.run(
            [program, *place, "-c", f"core.hooksPath={os.devnull}", *arguments],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout if result.returncode == 0 else None
