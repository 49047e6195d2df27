"""What entities cost: made from all event cards, with one more card, and read one by one.

    python tests/bench/graph.py [--sizes 10000:1000,100000:10000] [--runs 15] [--keep DIRECTORY]

Sizes are events:entities. The yardsticks: reading all files with plain Python, and `git add` and `git commit` of the
entity files.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import timed  # noqa: E402

from strata import Memory, portrait  # noqa: E402
from strata.cards import Event, event_document  # noqa: E402
from strata.claims import Claim, line  # noqa: E402
from strata.document import Document  # noqa: E402
from strata.layout import record_path  # noqa: E402
from strata.model import Message  # noqa: E402

KEYS = ("lives in", "works on", "prefers", "drinks", "studies", "plays")
LETTERS = "abcdefghjkmnpqrstuvwxyz"


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=b", "-c", "user.email=b@strata.invalid", "-c", "gc.auto=0", *words], cwd=root, check=True, capture_output=True)


def made(root: Path, events: int, entities: int) -> str:
    """A memory with this many event cards, each with a claim about one of the entities; the block they rest on."""
    with Memory.init(root) as memory:
        memory.append([("main", Message(f"m{number}", "user", f"Turn {number}.", at="2025-01-01T10:00:00Z")) for number in range(4)])
        block = memory.seal("main", everything=True)[0].ref
    chance = random.Random(7)
    for number in range(events):
        day = f"2025-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
        rest, letters = number, ""
        for _ in range(6):
            rest, place = divmod(rest, len(LETTERS))
            letters += LETTERS[place]
        ref = f"evt-{day.replace('-', '')}-{letters}"
        name = f"Person {number % entities}"
        mode = chance.choice(("state", "state", "set", "relation"))
        value, target = (f"Person {chance.randrange(entities)}", "person") if mode == "relation" else (f"value {chance.randrange(50)}", "")
        claim = Claim("person", name, mode, chance.choice(KEYS), value, target)
        event = Event(f"Something about {name}", "happening", "occurred", day, "", "", "unknown", "unknown", "", (name,), block, ("m0",), facts=(line(claim),), made_by="rules")
        path = root / (record_path(ref) or "")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(event_document(ref, event).data)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "cards")
    return block


def measure(events: int, entities: int, runs: int, root: Path) -> dict[str, float]:
    """Seconds of what concerns all, milliseconds of what concerns one."""
    row: dict[str, float] = {}
    block = made(root, events, entities)
    memory = Memory.open(root)
    row["s: index of the cards"] = timed(memory.reindex) / 1000
    row["s: all entities made"] = timed(memory.graph_rebuild) / 1000
    row["s: made again, nothing to do"] = timed(memory.graph_rebuild) / 1000
    row["s: reading all files"] = timed(lambda: [path.read_bytes() for path in root.glob("active/e*/**/*.md")]) / 1000
    copies = root.parent / "yardstick"
    shutil.copytree(root / "active/entities", copies / "entities")
    git(copies, "init", "-q")
    row["s: git add, commit of the entities"] = timed(lambda: (git(copies, "add", "-A"), git(copies, "commit", "-q", "-m", "b"))) / 1000
    shutil.rmtree(copies)
    names = [f"Person {number * 37 % entities}" for number in range(runs)]
    memory.graph_show(names[0])
    row["ms: graph show"] = statistics.median(timed(lambda name=name: memory.graph_show(name)) for name in names)
    paths = [root / f"active/entities/person/{name.lower().replace(' ', '-')}.md" for name in names]
    row["ms: one file read as a portrait"] = statistics.median(timed(lambda path=path: portrait.read(Document.parse(path.read_bytes(), path.relative_to(root).as_posix()))) for path in paths)

    def record(name: str, *, says: bool) -> None:
        facts = [{"type": "person", "name": name, "mode": "state", "key": "lives in", "value": f"Place {time.time_ns()}"}] if says else []
        memory.record({"title": "Moved", "source_block": block, "source_messages": ["m1"], "facts": facts})

    record(names[0], says=True)
    row["ms: record, with a fact"] = statistics.median(timed(lambda name=name: record(name, says=True)) for name in names)
    row["ms: record, without"] = statistics.median(timed(lambda name=name: record(name, says=False)) for name in names)
    memory.close()
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000:1000,100000:10000")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", help="a directory to keep the memories in")
    options = parser.parse_args()
    scratch = Path(options.keep or tempfile.mkdtemp(prefix="strata-bench-"))
    scratch.mkdir(parents=True, exist_ok=True)
    sizes = [tuple(map(int, size.split(":"))) for size in options.sizes.split(",")]
    try:
        columns = [measure(events, entities, options.runs, scratch / f"m{events}") for events, entities in sizes]
    finally:
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"{'events / entities':<38}" + "".join(f"{events:>12,} / {entities:,}" for events, entities in sizes))
    for name in columns[0]:
        print(f"{name:<38}" + "".join(f"{column[name]:>20,.1f}" for column in columns))


if __name__ == "__main__":
    main()
