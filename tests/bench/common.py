"""What the benchmarks of whole memories share: timing, options, the table."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def timed(action: Callable[[], object]) -> float:
    """The milliseconds an action takes."""
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


def by_size(description: str | None, measure: Callable[[int, int, Path], dict[str, float]], *, sizes: str, runs: int, label: int) -> None:
    """Measure memories of the sizes that are asked for, and print a column for each; `label` is the width of the names."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=sizes)
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--keep", help="a directory to keep the memories in and take them from")
    options = parser.parse_args()
    scratch = Path(options.keep or tempfile.mkdtemp(prefix="strata-bench-"))
    scratch.mkdir(parents=True, exist_ok=True)
    wanted = [int(size) for size in options.sizes.split(",")]
    try:
        columns = [measure(size, options.runs, scratch) for size in wanted]
    finally:
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"{'milliseconds (median)':<{label}}" + "".join(f"{size:>12,}" for size in wanted))
    for name in columns[0]:
        print(f"{name:<{label}}" + "".join(f"{column[name]:>12,.2f}" if column[name] < 100 else f"{column[name]:>12,.0f}" for column in columns))
