"""Many processes assess and use at once: no receipt is lost and none is counted twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from oracle import KEY, assert_sound

from strata import Memory
from strata.ledger import USE, Receipt, receipts

USER = """
import sys
from strata import Memory
from strata.errors import Refused
root, shared = sys.argv[1:]
memory = Memory.open(root, key=b"k" * 32)
ref = "notes/plan"
for number in range(3):
    batch = memory.ask("when do we ship").id
    assert memory.assess(batch, verdict="sufficient", evidence_refs=[ref]).sufficient
    assert memory.use(batch, [ref]).fresh
    memory.show(ref)
fresh = memory.use(shared, [ref]).fresh
try:
    memory.assess(shared, verdict="wrong")
    print("reopened")
except Refused:
    pass
print("fresh" if fresh else "known")
"""


def test_six_processes_lose_no_use_and_count_none_twice(memory: Memory) -> None:
    memory.add("notes/plan", "Ship on Friday.")
    with Memory.open(memory.root, key=KEY) as here:
        shared = here.ask("when do we ship").id
        here.assess(shared, verdict="sufficient", evidence_refs=["notes/plan"])

    running = [
        subprocess.Popen([sys.executable, "-c", USER, str(memory.root), shared], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        for _ in range(6)
    ]
    ended = [(*process.communicate(timeout=120), process.returncode) for process in running]

    assert [("", 0)] * 6 == [(err, code) for _, err, code in ended]
    assert ["fresh\n", *["known\n"] * 5] == sorted(out for out, _, _ in ended)
    counted = [receipt.id for receipt in _receipts(memory.root) if receipt.op == USE]
    assert 6 * 3 + 1 == len(counted) == len(set(counted))
    assert_sound(memory.root)


def _receipts(root: Path) -> list[Receipt]:
    return [receipt for place in (root / "ledger").glob("*.jsonl") for receipt in receipts(place.read_bytes())[0]]
