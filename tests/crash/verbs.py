"""Every verb that writes, on a memory that has something of everything."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pygit2

from strata import Memory
from strata.model import Message, ToolCall

KEY = b"k" * 32
DAYS = 3 * 24 * 60  # minutes
ALPHABET = "abcdefghjkmnpqrstuvwxyz"


def opened(root: Path, start: int = 0) -> Memory:
    """The memory with a clock and ids that are the same in every run."""
    minutes, number = start, start

    def now() -> datetime:
        nonlocal minutes
        minutes += 1
        return datetime(2026, 11, 30, 12, tzinfo=UTC) + timedelta(minutes=minutes)

    def new_id(prefix: str, day: str) -> str:
        nonlocal number
        number += 1
        high, low = divmod(number, len(ALPHABET))
        return f"{prefix}-{day.replace('-', '')}-aaaa{ALPHABET[high]}{ALPHABET[low]}"

    return Memory.open(root, now=now, new_id=new_id, key=KEY)


def turn(number: int, size: int = 1) -> list[tuple[str, Message]]:
    at = f"2026-11-30T10:{number:02d}:00Z"
    words = f"Question {number}: which colour has the door of house {number}? " * size
    call = ToolCall("Read", {"path": f"door-{number}.txt"}, f"blue {number}")
    return [("main", Message(f"q{number}", "user", words, at=at)), ("main", Message(f"a{number}", "assistant", f"It is blue, number {number}.", at=at, tools=(call,)))]


def decision(number: int) -> list[tuple[str, Message]]:
    """A turn of which the rules make an event card, and the card a fact of a person."""
    return [("plans", Message(f"p{number}", "user", f"From now on we use tool{number} instead of hammer{number}.", "Jo", f"2026-11-30T10:{number:02d}:00Z"))]


def prepare(root: Path) -> None:
    """Two blocks, a tail with two turns, notes in two tiers, an event card, a hand-made file; settled and committed."""
    Memory.init(root, key=KEY)
    memory = opened(root)
    memory.config_set("block_turns", "3")
    memory.append([pair for number in range(1, 9) for pair in turn(number)])
    memory.add("notes/plan", "The first plan.\n")
    memory.add("notes/rest", "A note that will rest.\n")
    block = memory.list(kinds=["block"])[0]
    memory.record(card(block.ref, memory.show(block.ref).messages[0].id))
    memory.add("notes/deep", "A note that will rest deeply.\n")
    memory.archive("notes/deep")
    (root / "cooled/notes").mkdir(parents=True)
    (root / "active/notes/rest.md").rename(root / "cooled/notes/rest.md")
    memory.add("notes/last", "The last one.\n")
    memory.close()


def card(block: str, message: str) -> dict[str, object]:
    return {"title": "The door is blue", "source_block": block, "source_messages": [message], "event_type": "fact", "status": "occurred"}


ANSWER = {"events": [{"title": f"The door of house {number} is blue", "source_messages": [f"a{number}"], "quotes": [f"It is blue, number {number}."]} for number in (8, 9)]}


def _first_block(memory: Memory) -> str:
    return memory.list(kinds=["block"])[0].ref


def _by_hand(memory: Memory) -> None:
    memory.add("notes/after-hand", "Written after a person edited.\n")


def _ingest(memory: Memory) -> None:
    source = memory.root.parent / "chat.jsonl"
    memory.ingest(source, format="jsonl")


VERBS: dict[str, Callable[[Memory], object]] = {
    "add": lambda memory: memory.add("notes/new/deep/idea", "An idea.\n", title="Idea"),
    "add without a path": lambda memory: memory.add(None, "A quick thought."),
    "add --append": lambda memory: memory.add("notes/plan", "And more.\n", append=True),
    "add --replace of a cooled note": lambda memory: memory.add("notes/rest", "Rested enough.\n", replace=True),
    "append one turn": lambda memory: memory.append(turn(9)[:1]),
    "append and seal": lambda memory: memory.append([pair for number in range(9, 12) for pair in turn(number)]),
    "append a large payload": lambda memory: memory.append([("tools", Message("t1", "assistant", "Reading.", tools=(ToolCall("Read", {}, "x" * 40_000),)))]),
    "ingest": _ingest,
    "seal all": lambda memory: memory.seal(everything=True),
    "describe": lambda memory: memory.describe(_first_block(memory), {"title": "Doors", "summary": "Doors are blue.", "tags": ["doors"], "keypoints": []}),
    "record": lambda memory: memory.record(card(_first_block(memory), memory.show(_first_block(memory)).messages[0].id)),
    "config set": lambda memory: memory.config_set("search_limit", "20"),
    "janitor": lambda memory: opened(memory.root, DAYS).janitor(),
    "janitor, undone": lambda memory: opened(memory.root, DAYS + 100).undo_janitor(),
    "promote": lambda memory: memory.promote("notes/rest"),
    "open an archived note": lambda memory: memory.show("notes/deep"),
    "forget": lambda memory: memory.forget(["notes/rest", _first_block(memory)]),
    "restore a version": lambda memory: memory.restore("notes/plan", at="HEAD~1"),
    "a save at the old place": lambda memory: memory.add("notes/after-save", "Something else.\n"),
    "use": lambda memory: memory.use(_batch(memory), ["notes/plan"]),
    "expand": lambda memory: memory.expand(_first_block(memory), 3),
    "reindex": lambda memory: memory.reindex(),
    "adopt and add": _by_hand,
    "seal with cards": lambda memory: memory.append([*decision(20), *decision(21), *decision(22), *decision(23)]),
    "entity merge": lambda memory: memory.entity_merge("Jo", "Joanna"),
    "graph rebuild": lambda memory: memory.graph_rebuild(),
    "job done": lambda memory: memory.job_done(memory.jobs("extract")[0].id, json.dumps(ANSWER)),
    "jobs run": lambda memory: memory.run_jobs("extract"),
}


def _batch(memory: Memory) -> str:
    """The one batch that waits for its use."""
    return next(memory.root.glob(".strata/batches/*.json")).stem


def before(verb: str, root: Path) -> None:
    """What must be there before the verb runs."""
    if verb == "use":
        memory = opened(root, 50)
        memory.assess(memory.ask("the first plan", kinds=["note"]).id, verdict="sufficient", evidence_refs=["notes/plan"])
        memory.show("notes/plan")
        memory.close()
    if verb in ("entity merge", "graph rebuild"):
        memory = opened(root, 50)
        fact = {"type": "person", "mode": "state", "key": "lives in", "value": "Lisbon"}
        memory.record(card(_first_block(memory), memory.show(_first_block(memory)).messages[0].id) | {"facts": [fact | {"name": name} for name in ("Jo", "Joanna")]})
        memory.close()
        if verb == "graph rebuild":
            for place in (root / "active/entities").rglob("*.md"):
                place.write_text("".join(line for line in place.read_text("utf-8").splitlines(True) if not line.startswith("updated_at")), "utf-8")
            opened(root, 60).add("notes/without", "The days were deleted by hand.\n")
    if verb in ("job done", "jobs run"):
        memory = opened(root, 50)
        memory.config_set("provider", "agent")
        memory.append([pair for number in range(9, 12) for pair in turn(number)])  # seals a block that waits
        if verb == "jobs run":
            memory.config_set("provider", "rules")
        else:
            memory.next_job("extract")
        memory.close()
    if verb == "ingest":
        rows = [
            {"thread": "chat", "id": message.id, "role": message.role, "text": message.text, "at": message.at}
            for number in range(20, 29)
            for _, message in turn(number)
        ]
        (root.parent / "chat.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    if verb == "restore a version":
        opened(root, 50).add("notes/plan", "Not what it was.\n", replace=True)
    if verb == "janitor":
        opened(root).config_set("tiers.cool_after.notes", "1")
        opened(root).show("notes/plan")
    if verb == "janitor, undone":
        before("janitor", root)
        opened(root, DAYS).janitor()
    if verb == "a save at the old place":
        (root / "active/notes/rest.md").write_text("Saved by an editor that had it open.\n", "utf-8")
    if verb == "adopt and add":
        (root / "active/notes/by-hand.md").write_text("# By hand\nA person wrote this.\n", "utf-8")
        (root / "active/notes/plan.md").write_text("A person's plan.\n", "utf-8")
        (root / "active/notes/last.md").unlink()


def committed(root: Path, commit: str) -> dict[str, bytes]:
    """Every file of a commit."""
    repository = pygit2.Repository(root)
    found: dict[str, bytes] = {}
    pending = [("", repository[commit].tree)]
    while pending:
        prefix, tree = pending.pop()
        for entry in tree:
            if isinstance(entry, pygit2.Tree):
                pending.append((f"{prefix}{entry.name}/", entry))
            else:
                found[f"{prefix}{entry.name}"] = entry.data
    return _counted(found)


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file of the memory but git's, the local ones and the map; of the ledgers, what they count."""
    return _counted({
        path: place.read_bytes()
        for place in sorted(root.rglob("*"))
        if place.is_file() and (path := place.relative_to(root).as_posix()).partition("/")[0] not in (".git", ".strata", "index.md")
    })  # fmt: skip


def _counted(files: dict[str, bytes]) -> dict[str, bytes]:
    """Ledgers are named after the place of the memory and their lines have random ids: what stays is what was read, and when."""
    lines = {json.dumps(row): row for path, data in files.items() if path.startswith("ledger/") for row in map(json.loads, data.splitlines())}
    seen = sorted((row["at"], row["op"], row["refs"]) for row in {row["id"]: row for row in lines.values()}.values())
    return {path: data for path, data in files.items() if not path.startswith("ledger/")} | ({"ledger": json.dumps(seen).encode()} if seen else {})
