"""What the Janitor costs at growing sizes: planning beside `find`, a run of about a thousand moves beside `git mv` and `git commit`.

    python tests/bench/janitor.py [--sizes 10000,100000] [--runs 7] [--keep DIRECTORY]

Each run is in a process of its own, so that its memory can be measured; times are medians in milliseconds, without
the start of the process (the first plan is a whole command, with nothing known of the history). The yardstick runs right after, on other files of the same repository; without --keep the memory is thrown away.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import by_size, timed  # noqa: E402
from generate import generate  # noqa: E402

MOVED = 1_000  # records a run is to move, about; a quarter of active/ where that is less

CHILD = """
import gc, json, resource, sys, time
from datetime import UTC, datetime, timedelta
from strata import Memory
gc.set_threshold(50_000, 20, 100)  # as the command sets it
now = datetime.now(UTC) + timedelta(days=40)
Memory.open(sys.argv[1], now=lambda: now).janitor(dry_run=True)  # modules are imported, and the ages carried on
memory = Memory.open(sys.argv[1], now=lambda: now)
memory.search("warm up")
begun = time.perf_counter()
run = memory.janitor(dry_run=sys.argv[2] == "dry", force=True)
print(json.dumps([(time.perf_counter() - begun) * 1000, len(run.moves), run.looked, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def janitor(root: Path, how: str) -> list[float]:
    """Milliseconds, moves, records looked at, peak memory in MB."""
    done = subprocess.run([sys.executable, "-c", CHILD, str(root), how], capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout)
    return found


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@strata.invalid", "-c", "gc.auto=0", *words], cwd=root, check=True, capture_output=True)


def find(root: Path) -> float:
    return timed(lambda: subprocess.run(["find", "active", "cooled", "-type", "f", "-printf", "%T@ %p\n"], cwd=root, check=True, capture_output=True))


def measure(count: int, runs: int, scratch: Path) -> dict[str, float]:
    root = scratch / f"m{count}"
    if not root.exists():
        memory = generate(root, count)
        memory.reindex()
        memory.close()
    janitor(root, "dry")  # the index is brought up to date
    (root / ".strata" / "ages.json").unlink(missing_ok=True)
    row: dict[str, float] = {"first plan, from the whole history": timed(lambda: subprocess.run([sys.executable, "-m", "strata", "--memory", str(root), "janitor", "--dry-run"], capture_output=True, check=True))}
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    piles = folders_to_move(root, min(MOVED, count // 40))
    for name, pile in (("all of active/ due", None), ("some due", piles[0])):
        if pile:
            limit_moves(root, pile)
        plans, finds = [], []
        for _ in range(runs):
            plans.append(janitor(root, "dry"))
            finds.append(find(root))
        row[f"plan, {name}"], row[f"records ({name})"], row[f"due ({name})"] = (statistics.median(plan[at] for plan in plans) for at in (0, 2, 1))
        row[f"find active cooled ({name})"] = statistics.median(finds)
        row[f"plan / find ({name})"] = row[f"plan, {name}"] / row[f"find active cooled ({name})"]
    ours, theirs, peaks, moves = [], [], [], []
    for ours_pile, theirs_pile in zip(piles[0::2], piles[1::2], strict=False):
        limit_moves(root, ours_pile)
        janitor(root, "dry")
        found = janitor(root, "live")
        ours.append(found[0])
        moves.append(found[1])
        peaks.append(found[3])
        for folder in theirs_pile:
            (root / "cooled" / folder).mkdir(parents=True, exist_ok=True)
        theirs.append(timed(lambda pile=theirs_pile: move_by_git(root, pile)))  # type: ignore[misc]
    git(root, "reset", "-q", "--hard", head)
    row["moves of a run"], row["run"], row["peak memory of a run, MB"] = statistics.median(moves), statistics.median(ours), max(peaks)
    row["git mv + git commit"] = statistics.median(theirs)
    row["run / git"] = row["run"] / row["git mv + git commit"]
    return row


def folders_to_move(root: Path, wanted: int) -> list[list[str]]:
    """Folders of active/ in piles that each hold about as many records as are wanted."""
    piles: list[list[str]] = [[]]
    total = 0
    for place in sorted([*(root / "active").glob("events/*/*"), *(root / "active").glob("notes/*/*")]):
        piles[-1].append(place.relative_to(root / "active").as_posix())
        total += sum(1 for _ in place.iterdir())
        if total >= wanted * 0.9:
            piles.append([])
            total = 0
    return piles[:-1]


def limit_moves(root: Path, folders: list[str]) -> None:
    """Rules by which only these folders cool."""
    lines = ["tiers.cool_after: never", "tiers.archive_after: never", "tiers.cool_after.entities: never", *(f"tiers.cool_after.{folder}: 1" for folder in folders)]
    (root / "strata.yaml").write_text("".join(line + "\n" for line in lines), "utf-8")


def move_by_git(root: Path, folders: list[str]) -> None:
    for folder in folders:
        git(root, "mv", *sorted(place.relative_to(root).as_posix() for place in (root / "active" / folder).iterdir()), f"cooled/{folder}/")
    git(root, "commit", "-q", "-m", "moved")


def main() -> None:
    os.environ["PYTHONHASHSEED"] = "0"
    by_size(__doc__, measure, sizes="10000,100000", runs=7, label=40)


if __name__ == "__main__":
    main()
