"""How long a search of the memory as it was takes, beside a checkout of that commit and an index of it.

    python tests/bench/believed.py [--sizes 10000]

Upon a generated memory 100 commits are made, each of a changed note and a new one. `first` makes the index of the commit, `second`
finds it in another process's place; `checkout` is `git worktree add` and a rebuild of the index in it.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
from pathlib import Path

from common import by_size, timed
from generate import Words, generate

from strata import Memory

BACK = 100  # commits


def measure(size: int, runs: int, scratch: Path) -> dict[str, float]:
    root = scratch / f"memory-{size}"
    if not root.exists():
        generate(root, size).close()
        words = Words(11)
        with Memory.open(root) as memory:
            for number in range(BACK):
                if number % 2:
                    memory.add(f"notes/new/n{number}", words.text(80))
                else:
                    memory.add("notes/often", words.text(80), replace=True)
    rev, query = f"HEAD~{BACK}", "what did we say about the day"
    with Memory.open(root) as memory:
        memory.search(query)
    first, second, again, now, tree = [], [], [], [], []
    for _ in range(runs):
        shutil.rmtree(root / ".strata/believed", ignore_errors=True)
        with Memory.open(root) as memory:
            first.append(timed(lambda: memory.search(query, believed=rev)))
        with Memory.open(root) as memory:
            second.append(timed(lambda: memory.search(query, believed=rev)))
            again.append(timed(lambda: memory.search(query, believed=rev)))
        with Memory.open(root) as memory:
            now.append(timed(lambda: memory.search(query)))
        place = scratch / "worktree"

        def check_out() -> None:
            subprocess.run(["git", "worktree", "add", "-q", "--detach", str(place), rev], cwd=root, check=True, capture_output=True)
            with Memory.open(place) as memory:
                memory.search(query)

        tree.append(timed(check_out))
        subprocess.run(["git", "worktree", "remove", "--force", str(place)], cwd=root, check=True, capture_output=True)
    rows = {f"first search at {rev}": first, "second, index opened anew": second, "again, index open": again, "search of now, opened anew": now, "git worktree add, index, search": tree}
    return {name: statistics.median(times) for name, times in rows.items()}


if __name__ == "__main__":
    by_size(__doc__, measure, sizes="10000", runs=3, label=36)
