"""Several processes on one memory: nothing is lost, readers never fail, a killed writer blocks nobody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oracle import KEY, assert_sound, git
from strata import Memory

WRITER = """
import sys
from strata import Memory
from strata.model import Message
root, who, count, mode = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
memory = Memory.open(root, key=b"k" * 32)
for number in range(count):
    if mode == "notes":
        memory.add(f"notes/{who}/n{number}", f"word{who}x{number} of process {who}")
    elif mode == "one note":
        memory.add("notes/shared", f"word{who}x{number}", append=True)
    else:
        memory.append([("shared", Message(f"{who}-{number}", "user", f"word{who}x{number}"))])
print("done")
"""

READER = """
import sys, time
from strata import Memory
memory, end, count = Memory.open(sys.argv[1], key=b"k" * 32), time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < end:
    memory.search("process word"); memory.list(limit=3); count += 1
    if count % 7 == 0:
        memory = Memory.open(sys.argv[1], key=b"k" * 32)
print(count)
"""

HOLDER = """
import sys, time
from pathlib import Path
from strata.files import Files
with Files(Path(sys.argv[1])).lock():
    print("held", flush=True)
    time.sleep(60)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(processes: list[subprocess.Popen[str]]) -> list[str]:
    outputs = [process.communicate(timeout=240) for process in processes]
    assert [err for _, err in outputs if err] == []
    return [out for out, _ in outputs]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Memory.init(tmp_path / "memory", key=KEY)
    return tmp_path / "memory"


def test_eight_processes_write_at_once_and_every_record_is_there(root: Path) -> None:
    before = int(git(root, "rev-list", "--count", "HEAD"))
    reader = start(READER, root, 4)
    finish([start(WRITER, root, f"p{number}", 25, "notes") for number in range(8)])
    (looks,) = finish([reader])
    memory = Memory.open(root, key=KEY)

    assert 200 == len(memory.list(kinds=["note"]))
    assert 200 + before == int(git(root, "rev-list", "--count", "HEAD"))
    assert "" == git(root, "rev-list", "--min-parents=2", "HEAD")
    assert 200 == len(git(root, "ls-tree", "-r", "--name-only", "HEAD", "active/notes").split())
    assert int(looks) > 0
    assert "notes/p3/n7" == memory.search("wordp3x7")[0].ref
    assert_sound(root)


def test_two_processes_append_to_one_note_and_one_thread(root: Path) -> None:
    memory = Memory.open(root, key=KEY)
    memory.add("notes/shared", "start")
    finish([start(WRITER, root, who, 20, mode) for who in ("a", "b") for mode in ("one note", "thread")])
    lines = memory.show("notes/shared").text.split()

    assert [f"worda{'x'}{number}" for number in range(20)] == [line for line in lines if line.startswith("worda")]
    assert [f"wordb{'x'}{number}" for number in range(20)] == [line for line in lines if line.startswith("wordb")]
    said = [message.id for row in memory.list(kinds=["block"]) for message in memory.show(row.ref).messages]
    said += [message.id for message in memory.show("tails/shared").messages]
    assert sorted(f"{who}-{number}" for who in "ab" for number in range(20)) == sorted(said)
    assert_sound(root)


def test_a_writer_killed_with_the_lock_blocks_nobody(root: Path) -> None:
    holder = start(HOLDER, root)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    memory = Memory.open(root, key=KEY)
    begun = time.monotonic()
    memory.search("anything")  # a reader does not wait for the writer
    waited = time.monotonic() - begun
    os.kill(holder.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    holder.communicate()
    memory.add("notes/after", "the lock was free")

    assert waited < 10
    assert ["notes/after"] == [hit.ref for hit in memory.search("lock free")]
    assert_sound(root)


def test_two_processes_change_different_settings(root: Path) -> None:
    code = "import sys; from strata import Memory; Memory.open(sys.argv[1], key=b'k' * 32).config_set(sys.argv[2], sys.argv[3])"
    finish([start(code, root, "block_turns", 7), start(code, root, "search_limit", 23)])
    memory = Memory.open(root, key=KEY)

    assert (7, 23) == (memory.config_get("block_turns"), memory.config_get("search_limit"))
    assert_sound(root)


def test_a_long_lived_memory_sees_what_a_person_committed_meanwhile(root: Path) -> None:
    memory = Memory.open(root, key=KEY)
    memory.add("notes/one", "one")
    (root / "active/notes/ext.md").write_text("committed by hand\n", "utf-8")
    git(root, "add", "active/notes/ext.md")
    git(root, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-qm", "ext")
    (root / "active/notes/staged.md").write_text("only staged\n", "utf-8")
    git(root, "add", "active/notes/staged.md")
    memory.add("notes/two", "two")

    assert "active/notes/ext.md" in git(root, "ls-tree", "-r", "--name-only", "HEAD")
    assert json.loads("[]") == [line for line in git(root, "status", "--porcelain").splitlines() if "ext" in line]
    assert_sound(root)


def test_ids_of_eight_processes_never_meet(root: Path) -> None:
    code = "import secrets, sys; from strata.records import new_id; print(*(new_id('blk', '2026-11-30', secrets.token_bytes) for _ in range(2000)))"
    ids = [ref for out in finish([start(code) for _ in range(4)]) for ref in out.split()]

    assert len(ids) == 8000
    assert len(set(ids)) > 7900, "six characters may meet now and then; creation is exclusive, so a twin is minted anew"
