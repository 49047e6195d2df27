"""Runs of jobs as real processes: each job is done once, a killed run leaves nothing behind, and nobody waits for a model."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oracle import assert_sound, git
from strata import Memory
from strata.model import Message

RUN = [sys.executable, "-m", "strata", "jobs", "run", "--kind", "extract", "--json"]
MODEL = """
import json, os, sys, time
folder, pause = {folder!r}, {pause}
prompt = sys.stdin.buffer.read().decode()
open(os.path.join(folder, f"asked-{{os.getpid()}}"), "w").write(prompt)
while pause and not os.path.exists(os.path.join(folder, "go")):
    time.sleep(0.02)
time.sleep(0.05)
print('{{"events": []}}')
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def made(root: Path, tmp_path: Path) -> Callable[..., Memory]:
    """A memory with so many blocks, whose model waits for a file `go` where it is to pause."""

    def make(blocks: int, *, pause: bool) -> Memory:
        folder = tmp_path / "asked"
        folder.mkdir()
        program = tmp_path / "model.py"
        program.write_text(MODEL.format(folder=str(folder), pause=pause), "utf-8")
        memory = Memory.init(root)
        memory.config_set("summarise", "rules")
        memory.config_set("project", "off")
        memory.config_set("command", shlex.join([sys.executable, str(program)]))
        memory.config_set("extract", "command")
        for number in range(blocks):
            memory.append([(f"thread-{number}", Message("m1", "user", f"Block {number} says something.", at="2026-05-20T10:00:00Z"))])
        memory.seal(everything=True)
        return memory

    return make


def asked(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "asked").glob("asked-*"))


def until(true: Callable[[], Any], patience: float = 20.0) -> None:
    deadline = time.monotonic() + patience
    while not true():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.02)


def started(root: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(RUN, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "STRATA_HOME": str(root)})


def test_two_runs_share_the_jobs(made: Any, root: Path, tmp_path: Path) -> None:
    memory = made(6, pause=False)
    runs = [started(root), started(root)]
    answers = [run.communicate(timeout=60) for run in runs]

    assert [0, 0] == [run.returncode for run in runs], answers
    done = [json.loads(line)["id"] for out, _ in answers for line in out.splitlines()]
    assert 6 == len(done) == len(set(done)) == len(asked(tmp_path))
    assert [] == memory.jobs()
    assert 6 == sum(commit.subject.startswith("Extract") for commit in memory.log())
    assert_sound(root)


def test_a_run_that_is_killed_in_a_call_gives_its_job_back(made: Any, root: Path, tmp_path: Path) -> None:
    memory = made(1, pause=True)
    head = git(root, "rev-parse", "HEAD")
    run = started(root)
    until(lambda: asked(tmp_path))
    assert ["claimed"] == [job.state for job in memory.jobs()]
    assert [] == memory.run_jobs("extract"), "nobody else gets it meanwhile"
    os.kill(run.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    run.communicate(timeout=10)

    assert [("due", 0)] == [(job.state, job.attempts) for job in memory.jobs()]
    assert head == git(root, "rev-parse", "HEAD")
    assert_sound(root)
    (tmp_path / "asked" / "go").touch()
    assert ["done"] == [each.outcome for each in memory.run_jobs("extract")]
    assert [] == [place for place in (root / ".strata/jobs").iterdir()]


def test_nobody_waits_for_a_model(made: Any, root: Path, tmp_path: Path) -> None:
    """While the model thinks, others write, seal and take jobs; its answer then stands beside what they wrote."""
    memory = made(1, pause=True)
    run = started(root)
    until(lambda: asked(tmp_path))
    memory.config_set("lock_timeout", "0")
    memory.add("notes/meanwhile", "Written while a model thinks.")
    memory.append([("other", Message("m1", "user", "Captured meanwhile.", at="2026-05-20T11:00:00Z"))])
    later = memory.seal("other", everything=True)[0].ref
    assert {"claimed", "due"} == {job.state for job in memory.jobs()}
    assert [] == memory.jobs("summarise")
    (tmp_path / "asked" / "go").touch()
    out, err = run.communicate(timeout=60)

    outcomes = [json.loads(line)["outcome"] for line in out.splitlines()]
    assert (0, {"done"}) == (run.returncode, set(outcomes)), err
    assert "ready" == memory.show(memory.list(kinds=["block"])[-1].ref, peek=True).header["state"]
    assert later and "Written while a model thinks." in memory.show("notes/meanwhile", peek=True).text
    assert_sound(root)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_run_that_is_interrupted_leaves_its_job_due(made: Any, root: Path, tmp_path: Path) -> None:
    memory = made(2, pause=True)
    run = started(root)
    until(lambda: asked(tmp_path))
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=20)

    assert 130 == run.returncode
    assert [("due", 0), ("due", 0)] == [(job.state, job.attempts) for job in memory.jobs()]
    assert [] == list((root / ".strata/jobs").iterdir())
    assert_sound(root)
