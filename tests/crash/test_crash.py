"""Killed at any effect of any verb, a memory is whole after the next command.

The tree is then exactly as it was before the verb or exactly as it is after it; doctor, `git fsck`
and `git status` are clean; and the verb can be run again.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from effects import Dead, dying_at
from oracle import assert_sound, git
from verbs import VERBS, before, committed, opened, prepare, snapshot


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("prepared") / "memory"
    prepare(root)
    return root


def copied(prepared: Path, place: Path, verb: str) -> Path:
    """A copy of the prepared memory, its index built, and what the verb needs beside it."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(prepared.parent, place, symlinks=True)
    root = place / "memory"
    memory = opened(root)
    memory.list()
    memory.close()
    before(verb, root)
    return root


@pytest.mark.parametrize("verb", VERBS)
def test_a_crash_at_any_effect_is_as_if_nothing_or_all_had_happened(verb: str, prepared: Path, tmp_path: Path) -> None:
    root = copied(prepared, tmp_path / "whole", verb)
    start, head = snapshot(root), git(root, "rev-parse", "HEAD").strip()
    memory = opened(root, 100)
    VERBS[verb](memory)
    memory.close()
    end = snapshot(root)
    assert_sound(root)
    between = [committed(root, commit) for commit in git(root, "rev-list", f"{head}..HEAD~1").split()]  # each commit is a whole of its own

    step = 0
    while True:
        step += 1
        root = copied(prepared, tmp_path / "crashed", verb)
        memory = opened(root, 100)
        try:
            with dying_at(step):
                VERBS[verb](memory)
            break  # it ran to its end with fewer effects: every one of them was a place to die
        except Dead:
            memory.close()
        after = opened(root, 200)
        after.search("which colour has the door")
        found = snapshot(root)
        where = f"{verb}, effect {step}"
        assert found in (start, end, *between), f"{where}: half applied: {sorted(set(found.items()) ^ set(start.items()))}"
        if verb in ("adopt and add", "a save at the old place", "use", "job done", "jobs run"):  # what a person left is still theirs to be adopted; of a batch or a job, half of a file
            after.doctor(fix=True)
        assert_sound(root)
        if verb == "use":
            VERBS[verb](after)
            assert snapshot(root).keys() == end.keys() and _uses(root) == 1, f"{where}: the same use again counts once"
            assert_sound(root)
        if verb == "job done":
            assert bool(after.jobs("extract")) == (found == start), f"{where}: what is not written is still to be done"
        if verb == "jobs run":
            VERBS[verb](after)
            assert after.jobs("extract") == [] and _cards(snapshot(root)) == _cards(end), f"{where}: the next run does the rest, and nothing twice"
            assert_sound(root)
        if verb in ("append and seal", "ingest", "append one turn"):
            VERBS[verb](after)
            assert {key: value for key, value in snapshot(root).items() if "/tails/" in key} == {key: value for key, value in end.items() if "/tails/" in key}, where
            assert_sound(root)
        after.close()

    assert step > 5, "a verb that writes has effects"


def _cards(files: dict[str, bytes]) -> list[bytes]:
    """The titles of the event cards."""
    return sorted(line for path, data in files.items() if "/events/" in path for line in data.split(b"\n") if line.startswith(b"title:"))


def _uses(root: Path) -> int:
    """The uses that the ledgers count."""
    lines = [line for place in (root / "ledger").glob("*.jsonl") for line in place.read_text("utf-8").splitlines()]
    return len({line.partition(",")[0] for line in lines if '"op": "use"' in line})


CHILD = """
import os, sys
from pathlib import Path
from effects import dying_at
from verbs import VERBS, opened
root, verb, step = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
memory = opened(root, 100)
with dying_at(step, lambda: os._exit(137)):
    VERBS[verb](memory)
"""


@pytest.mark.parametrize("verb", ["append and seal", "janitor", "adopt and add"])
def test_a_process_that_is_killed_for_real_leaves_a_whole_memory(verb: str, prepared: Path, tmp_path: Path) -> None:
    root = copied(prepared, tmp_path / "whole", verb)
    start = snapshot(root)
    VERBS[verb](opened(root, 100))
    end = snapshot(root)

    step = 1
    while True:
        root = copied(prepared, tmp_path / "crashed", verb)
        done = subprocess.run([sys.executable, "-c", CHILD, str(root), verb, str(step)], cwd=Path(__file__).parent, capture_output=True, text=True)
        if done.returncode == 0:
            break
        assert done.returncode == 137, done.stderr
        after = opened(root, 200)
        after.search("which colour has the door")
        assert snapshot(root) in (start, end), f"{verb}, effect {step}"
        if verb == "adopt and add":
            after.doctor(fix=True)
        assert_sound(root)
        after.close()
        step += 4

    assert step > 5
