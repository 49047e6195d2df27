"""What a write, a search and a whole command cost at growing sizes, beside git, SQLite FTS5 and bare imports.

    python tests/bench/write.py [--sizes 1000,10000,100000] [--runs 15] [--keep DIRECTORY]

Each figure is the median (and where two are given, the 95th percentile) in milliseconds. The
yardstick runs in the same process or right after, on the same files.
"""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import by_size, timed  # noqa: E402
from generate import Words, generate  # noqa: E402

from strata import Memory  # noqa: E402
from strata.entries import entries  # noqa: E402
from strata.model import Message  # noqa: E402
from strata.survey import records  # noqa: E402


def median(times: list[float]) -> float:
    return statistics.median(times)


def p95(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(0.95 * len(times)))]


def process(*command: str, home: str, stdin: bytes = b"") -> float:
    environment = {**os.environ, "STRATA_HOME": home, "NO_COLOR": "1"}
    return timed(lambda: subprocess.run(command, input=stdin, env=environment, capture_output=True, check=True))


class Size:
    """One memory of a size, and what was measured on it."""

    def __init__(self, count: int, runs: int, scratch: Path) -> None:
        self.count, self.runs = count, runs
        self.root = scratch / f"m{count}"
        self.words = Words(seed=99)
        self.row: dict[str, float] = {}

    def measure(self) -> dict[str, float]:
        if not self.root.exists():
            generate(self.root, self.count).close()
        memory = Memory.open(self.root)
        seconds = timed(lambda: memory.reindex()) / 1000
        self.row["index records/s"] = self.count / seconds
        children, own = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
        self.row["index MB, parent"], self.row["index MB, largest child"] = own, children
        self._writes(memory)
        self._searches(memory)
        memory.close()
        self._processes()
        return self.row

    def _writes(self, memory: Memory) -> None:
        adds = [timed(lambda: memory.add(f"notes/bench/{time.time_ns()}", self.words.text(80))) for _ in range(self.runs)]
        appends = [timed(lambda: memory.append([("bench", Message(f"b{time.time_ns()}", "user", self.words.text(20)))])) for _ in range(self.runs)]
        self.row["add"], self.row["append"] = median(adds[1:]), median(appends)
        self.row["add, first of a process"] = adds[0]
        gits = []
        for number in range(max(5, self.runs // 2)):
            path = f"active/notes/bench/git{time.time_ns()}-{number}.md"
            (self.root / path).write_text(self.words.text(80))
            run = lambda *words: subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@strata.invalid", *words], cwd=self.root, check=True, capture_output=True)  # noqa: E731
            gits.append(timed(lambda path=path, run=run: (run("add", path), run("commit", "-q", "-m", "bench"))))
        self.row["git add+commit"] = median(gits)
        self.row["add / git"] = self.row["add"] / self.row["git add+commit"]
        memory.search("settle")

    def _searches(self, memory: Memory) -> None:
        texts = []
        for path in records(self.root):
            texts += [f"{entry.title} {entry.text}" for entry in entries(path, (self.root / path).read_bytes()) if entry.kind != "block"]
        base = sqlite3.connect(":memory:")
        base.execute("create virtual table t using fts5(body, tokenize='porter unicode61')")
        base.executemany("insert into t values (?)", ((text,) for text in texts))
        questions = [self.words.question() for _ in range(60)]
        ours, theirs, scans = [], [], []
        for question in questions:
            ours.append(timed(lambda question=question: memory.search(question, limit=10)))
            match = " OR ".join(f'"{word}"' for word in question.split())
            theirs.append(timed(lambda match=match: base.execute("select rowid from t where t match ? order by rank limit 10", (match,)).fetchall()))
            scans.append(timed(lambda: memory._store.refresh()))
        self.row["search"], self.row["search p95"] = median(ours), p95(ours)
        self.row["of it looking at files"] = median(scans)
        self.row["FTS5"], self.row["FTS5 p95"] = median(theirs), p95(theirs)

    def _processes(self) -> None:
        python, home = sys.executable, str(self.root)
        command = [installed] if (installed := shutil.which("strata", path=str(Path(python).parent))) else [python, "-m", "strata"]
        words = {"search": lambda: ["search", "water people thing", "--limit", "10"], "add": lambda: ["add", f"bench/p{time.time_ns()}", self.words.text(80)]}
        for name, arguments in words.items():
            imports = third_party(arguments(), home)
            mine, bare, empty = [], [], []
            for _ in range(self.runs):
                mine.append(process(*command, *arguments(), home=home))
                bare.append(process(python, "-c", imports, home=home))
                empty.append(process(python, "-c", "pass", home=home))
            self.row[f"`strata {name}`"], self.row[f"imports of {name}"] = median(mine), median(bare)
            self.row[f"`strata {name}` / imports"] = median(mine) / median(bare)
            self.row["bare python"] = median(empty)


def third_party(arguments: list[str], home: str) -> str:
    """The import statement for exactly the third-party modules that a command loads."""
    code = (
        "import sys; before = set(sys.modules); import strata.__main__ as m; m.main(sys.argv[1:]); "
        "print('import ' + ', '.join(sorted(n for n in set(sys.modules) - before if n.split('.')[0] in ('click', 'pygit2', 'whoosh', 'yaml', 'frontmatter'))), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], env={**os.environ, "STRATA_HOME": home}, capture_output=True, text=True, check=True)
    return done.stderr.strip().splitlines()[-1]


def main() -> None:
    by_size(__doc__, lambda *how: Size(*how).measure(), sizes="1000,10000,100000", runs=15, label=28)


if __name__ == "__main__":
    main()
