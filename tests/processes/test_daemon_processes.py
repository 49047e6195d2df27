"""Daemons as real processes: two never run, nobody waits for one, and one outlasts whatever happens to its memory."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from oracle import assert_sound, git
import strata as package
from strata import Memory, __version__
from strata.daemon import control, journal, process, state
from strata.daemon.presence import is_present, present
from strata.daemon.private import Place
from strata.daemon.state import State
from strata.errors import Locked
from strata.files import Files

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
LONG_AGO = datetime(2024, 1, 1, tzinfo=UTC)
SOON = ("--every", "0.01", "--cycles", "60")  # 0.6 seconds; no daemon of a test lives longer than a minute
OFTEN: dict[str, Any] = {"every": 0.01, "cycles": 60}
Strata = Callable[..., "subprocess.CompletedProcess[str]"]

QUICK = """
import sys
from strata.daemon import loop
loop.MINUTE = float(sys.argv[1])
from strata.__main__ import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def roots(tmp_path: Path) -> Iterator[list[Path]]:
    """The memories whose daemons are ended after the test, whatever became of them."""
    found = [tmp_path / "memory"]
    yield found
    for root in found:
        if root.exists() and is_present(root) and (left := state.load(Place.of(root))) is not None:
            seen = process.look(left.pid)
            if seen is not None and seen.birth == left.birth:
                os.kill(left.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


@pytest.fixture
def root(roots: list[Path]) -> Path:
    """A memory whose one note has been idle for years."""
    memory = Memory.init(roots[0], now=lambda: LONG_AGO)
    memory.add("notes/old", "Nobody opened this for years.")
    return roots[0]


@pytest.fixture
def daemon(strata: Strata, root: Path) -> Strata:
    """Run a command of the daemon in a process of its own."""
    return lambda name, *options, memory=root, **settings: strata("daemon", name, *options, memory=memory, **settings)


def start(root: Path, *, every: float = 1, cycles: int = 2, live: bool = False) -> int:
    """Start a daemon; the second cycle, a minute later, ends it. Its process id."""
    return control.start(root, os.environ, every=every, live=live, cycles=cycles).pid


def until(true: Callable[[], Any], patience: float = 15.0) -> Any:
    """Wait for what must come true; what it then is."""
    deadline = time.monotonic() + patience
    while not (found := true()):
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.02)
    return found


def said(root: Path) -> list[str]:
    return [line.text for line in journal.last(Place.of(root), 500)]


def now(root: Path) -> State:
    return state.load(Place.of(root)) or State()


def until_said(root: Path, words: str, times: int = 1) -> None:
    until(lambda: times <= sum(words in line for line in said(root)))


def test_its_life(root: Path, daemon: Strata) -> None:
    """Started in the background; the first cycle shows what would move, the second moves it; what was edited by hand is adopted."""
    started = daemon("start", *SOON)
    assert (0, "") == (started.returncode, started.stderr)
    assert f"Started a daemon (process {now(root).pid}).\n" == started.stdout
    until_said(root, "moved 1 record")
    (root / "active/notes/byhand.md").write_text("Written with an editor.\n", "utf-8")
    until_said(root, "took over edits made by hand")

    lines = said(root)
    assert ["started:", "dry:", "moved"] == [line.split()[0] for line in lines[:3]]
    assert "dry: 1 record would move" in lines[1]
    assert not (root / "active/notes/old.md").exists()
    assert "active/notes/byhand.md" in git(root, "ls-tree", "-r", "--name-only", "HEAD")
    assert daemon("status").stdout.startswith(f"running (process {now(root).pid}, strata {__version__}, since ")

    again = daemon("start")
    assert (0, f"A daemon runs already (process {now(root).pid}); nothing was changed.\n") == (again.returncode, again.stdout)
    stopped = daemon("stop")
    assert (0, f"The daemon ended (process {now(root).pid}).\n") == (stopped.returncode, stopped.stdout)
    assert "ended: `strata daemon stop` asked for it" == said(root)[-1]
    assert "not running\n" in daemon("status").stdout
    assert not Place.of(root).request.exists()
    assert_sound(root)


@posix
def test_in_the_foreground_it_tells_what_it_does_and_ends_at_a_signal(root: Path) -> None:
    words = [sys.executable, "-m", "strata", "--memory", str(root), "daemon", "run", "--live", "--every", "1", "--cycles", "2"]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    until_said(root, "moved 1 record")
    running.send_signal(signal.SIGHUP)  # as nohup has it ignored
    second = subprocess.run([*words, "--json"], capture_output=True, text=True)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=10)

    assert (0, "") == (running.returncode, out)
    assert ["started:", "moved", "ended:"] == [line.split()[1] for line in err.splitlines()]
    assert said(root) == [line.partition(" ")[2] for line in err.splitlines()]
    assert (13, "AlreadyExists") == (second.returncode, json.loads(second.stderr.splitlines()[-1])["error"])


@posix
def test_a_signal_waits_for_the_end_of_the_step_it_comes_in(root: Path) -> None:
    with Files(root).lock():
        start(root)
        until(lambda: now(root).doing == state.WORKING)
        os.kill(now(root).pid, signal.SIGTERM)
        time.sleep(0.5)
        assert is_present(root)
        assert ("it is in the middle of a cycle",) == control.status(root, {}).notes
    until(lambda: not is_present(root))

    assert "dry: 1 record would move" in said(root)[1]
    assert 1 == now(root).cycles


@posix
def test_an_impatient_person_ends_the_step_too(root: Path) -> None:
    words = [sys.executable, "-m", "strata", "--memory", str(root), "daemon", "run", "--every", "1", "--cycles", "2"]
    with Files(root).lock():
        running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: now(root).doing == state.WORKING)
        running.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)

        assert 130 == running.wait(10)
    assert "it was interrupted" == now(root).ended


@posix
def test_a_killed_predecessor_is_no_problem(root: Path) -> None:
    start(root)
    first = now(root)
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: not is_present(root))
    gone, second = control.status(root, {}), start(root)

    assert (control.NOT_RUNNING, "it did not end by itself: it was killed, or the machine went down") == (gone.state, gone.ended)
    assert first.pid != second == now(root).pid == control.stop(root).pid


def test_a_note_left_behind_with_the_number_of_another_process_is_no_problem(root: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as sleeper:
        seen = process.look(sleeper.pid)
        Files(root).make_local()
        state.save(Place.of(root), State("old", sleeper.pid, seen.birth if seen else "", __version__, str(root), beat=time.monotonic()))
        Place.of(root).request.write_bytes(state.request(""))
        before, stopped, started = control.status(root, {}).state, control.stop(root).pid, start(root)
        until_said(root, "dry:")
        alive = is_present(root)
        control.stop(root)
        untouched = sleeper.poll() is None
        sleeper.kill()

    assert (control.NOT_RUNNING, 0) == (before, stopped)
    assert sleeper.pid != started and alive and untouched


def test_of_two_that_start_at_once_exactly_one_lives(root: Path) -> None:
    words = [sys.executable, "-m", "strata", "--memory", str(root), "daemon", "start", "--every", "1", "--cycles", "2", "--json"]
    starts = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = [json.loads(each.communicate(timeout=30)[0]) for each in starts]
    until_said(root, "dry:")

    assert [0, 0, 0] == [each.returncode for each in starts]
    assert [False, False, True] == sorted(answer["fresh"] for answer in answers)
    assert 1 == sum(line.startswith("started:") for line in said(root))
    assert {now(root).pid} == {answer["pid"] for answer in answers}
    control.stop(root)
    assert not is_present(root)


@posix
def test_a_suspended_daemon_keeps_nobody_waiting(root: Path, daemon: Strata, strata: Strata, monkeypatch: pytest.MonkeyPatch) -> None:
    start(root)
    until_said(root, "dry:")
    until(lambda: now(root).doing == state.RESTING)
    pid = now(root).pid
    os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    codes = [strata(*words, memory=root).returncode for words in (["add", "notes/new", "A zebracomet."], ["search", "zebracomet"], ["list"], ["status"])]
    took = time.monotonic() - begun
    status = daemon("status").stdout
    monkeypatch.setattr(control, "DOWN", 0.3)

    assert [0, 0, 0, 0] == codes
    assert took < 8
    if sys.platform == "linux":
        assert status.startswith("not responding (") and f"kill -CONT {pid}" in status
    with pytest.raises(Locked) as refused:
        control.stop(root)
    assert "does not respond" in refused.value.message and is_present(root)
    if sys.platform == "linux":
        assert f"kill -CONT {pid}" in refused.value.remedy
    os.kill(pid, signal.SIGCONT)
    until(lambda: not is_present(root))  # the request is met late
    assert 1 == now(root).cycles
    assert_sound(root)


def test_what_fails_in_a_cycle_is_told_and_the_next_one_goes_on(root: Path) -> None:
    Memory.open(root).config_set("lock_timeout", "0")
    with Files(root).lock():
        start(root, **OFTEN)
        until_said(root, "failed: another process has been writing", times=2)
        status = control.status(root, {})
    until_said(root, "dry: 1 record would move")

    assert (control.RUNNING, "another process") == (status.state, status.error[:15])
    until(lambda: not now(root).error)
    control.stop(root)


@posix
def test_a_mistake_in_the_settings_leaves_the_last_good_interval(root: Path) -> None:
    Memory.open(root).config_set("daemon_interval", "2")
    good = (root / "strata.yaml").read_text("utf-8")
    running = subprocess.Popen([sys.executable, "-c", QUICK, "0.2", "--memory", str(root), "daemon", "run", *SOON[2:]], stderr=subprocess.DEVNULL)
    until_said(root, "dry:")
    until(lambda: now(root).interval == 2)
    (root / "strata.yaml").write_text(good.replace("daemon_interval: 2", "daemon_interval: often"), "utf-8")
    until_said(root, "going on with a cycle every 2 minutes")
    cycles = now(root).cycles
    until(lambda: now(root).cycles > cycles + 1)
    status = control.status(root, {})
    (root / "strata.yaml").write_text(good.replace("daemon_interval: 2", "daemon_interval: 3"), "utf-8")
    until_said(root, "settings: a cycle every 3 minutes")
    until(lambda: not now(root).complaint)
    running.terminate()

    assert 0 == running.wait(10)
    assert 2 == status.interval
    assert "daemon_interval cannot be 'often'" in status.notes[0] and "going on with a cycle every 2 minutes" in status.notes[0]
    assert 1 == sum(line.startswith("settings: strata.yaml") for line in said(root))


@posix
def test_a_memory_that_is_moved_away_and_back_is_waited_for(root: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    start(root, **OFTEN)
    until_said(root, "moved 1 record")
    root.rename(away)
    until(lambda: not is_present(away))
    cycles = now(away).cycles
    elsewhere = control.status(away, {})
    time.sleep(1.3)
    assert not root.exists()

    away.rename(root)
    until_said(root, "the memory is there again")
    until(lambda: now(root).cycles > cycles)
    assert control.NOT_RUNNING == elsewhere.state
    assert 1 == sum("the memory is gone from" in line for line in said(root))
    assert control.RUNNING == control.status(root, {}).state
    control.stop(root)
    assert_sound(root)


@posix
def test_an_empty_mount_point_stays_empty(root: Path, tmp_path: Path) -> None:
    start(root, **OFTEN)
    until_said(root, "dry:")
    pid = now(root).pid
    root.rename(tmp_path / "away")
    root.mkdir()
    time.sleep(1.3)
    os.kill(pid, signal.SIGTERM)
    until(lambda: process.look(pid) is None)

    assert [] == os.listdir(root)


@posix
def test_another_memory_in_its_place_begins_with_a_dry_cycle(root: Path, roots: list[Path], tmp_path: Path) -> None:
    start(root, **OFTEN)
    until_said(root, "moved 1 record")
    other = tmp_path / "other"
    roots.append(other)
    Memory.init(other, now=lambda: LONG_AGO).add("notes/old", "Nobody opened this either.")
    pid = now(root).pid
    os.kill(pid, signal.SIGSTOP)
    root.rename(tmp_path / "away")
    other.rename(root)
    os.kill(pid, signal.SIGCONT)
    until_said(root, "moved 1 record")

    lines = said(root)
    assert "another directory is in its place now" == lines[0]
    assert lines[1].startswith("dry: 1 record would move")
    assert pid == now(root).pid
    control.stop(root)
    assert_sound(root)


@posix
def test_without_its_local_folder_it_goes_on(root: Path) -> None:
    start(root, **OFTEN)
    until_said(root, "dry:")
    pid = now(root).pid
    shutil.rmtree(root / ".strata", ignore_errors=True)
    shutil.rmtree(root / ".strata", ignore_errors=True)  # it may have written in between
    until(lambda: now(root).pid == pid and is_present(root))
    until_said(root, "the memory is there again")

    assert pid == control.stop(root).pid
    assert not is_present(root)


@posix
def test_when_another_has_taken_over_it_ends(root: Path) -> None:
    start(root)
    until_said(root, "dry:")
    pid = now(root).pid
    os.kill(pid, signal.SIGSTOP)
    shutil.rmtree(root / ".strata")
    with present(root):
        os.kill(pid, signal.SIGCONT)
        until(lambda: process.look(pid) is None)

    assert "ended: another daemon tends the memory now" == said(root)[-1]


@posix
def test_what_another_says_of_itself_is_not_overwritten_by_one_that_lost_its_place(root: Path) -> None:
    with Files(root).lock():
        pid = start(root)
        until(lambda: now(root).doing == state.WORKING)
        (root / ".strata").rename(root.with_name("strata-before"))
        with present(root):
            state.save(Place.of(root), State("another"))
            until(lambda: process.look(pid) is None)

            assert "another" == now(root).token
    assert "another daemon tends the memory now" in said(root)[-1]


def test_it_stops_also_when_nothing_is_known_of_it(root: Path) -> None:
    start(root)
    until_said(root, "dry:")
    until(lambda: now(root).doing == state.RESTING)
    Place.of(root).state.unlink()
    status = control.status(root, {})
    control.stop(root)

    assert (control.RUNNING, ("it has not said yet how it stands",)) == (status.state, status.notes)
    assert not is_present(root)


def test_where_there_is_no_memory_none_starts(daemon: Strata, tmp_path: Path, root: Path) -> None:
    for name in ("start", "run"):
        assert (name, 10) == (name, daemon(name, memory=tmp_path / "none").returncode)
    Place.of(root).log.parent.mkdir(exist_ok=True)
    (Place.of(root).lock).mkdir()
    refused = daemon("start")

    Place.of(root).lock.rmdir()

    assert 1 == refused.returncode and "daemon.lock" in refused.stderr


@posix
def test_after_an_upgrade_the_old_one_rests_until_it_is_replaced(root: Path, daemon: Strata, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(Path(package.__file__).parent, site / "strata", ignore=shutil.ignore_patterns("__pycache__"))
    settings: dict[str, Any] = {"cwd": tmp_path, "env": {"PYTHONPATH": str(site)}}
    daemon("start", *SOON, "--live", **settings)
    until_said(root, "moved 1 record")
    init = site / "strata" / "__init__.py"
    init.write_text(init.read_text("utf-8").replace(f'"{__version__}"', '"99.0.0"'), "utf-8")
    until_said(root, f"failed: strata 99.0.0 is installed by now, and this daemon is of {__version__}, so it does nothing (strata daemon restart)")
    status = daemon("status", **settings).stdout
    again = daemon("start", **settings).stdout
    restarted = daemon("restart", "--cycles", "60", **settings)

    assert f"Note: it is of strata {__version__}, this command of 99.0.0; strata daemon restart replaces it" in status
    assert "strata daemon restart replaces it" in again
    assert (0, "99.0.0") == (restarted.returncode, now(root).version)
    assert (0.01, True) == (now(root).every, now(root).live)
    control.stop(root)
    assert_sound(root)


def test_the_log_can_be_followed(root: Path) -> None:
    words = [sys.executable, "-m", "strata", "--memory", str(root), "daemon", "logs", "--follow", "-n", "0"]
    start(root)
    until_said(root, "dry:")
    follower = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    control.stop(root)
    assert follower.stdout is not None
    line = follower.stdout.readline()
    follower.stdout.close()  # as `| head -1` does
    start(root)
    code = follower.wait(15)
    assert follower.stderr is not None

    assert line.endswith(" ended: `strata daemon stop` asked for it\n")
    assert (0, "") == (code, follower.stderr.read())
    follower.stderr.close()
    control.stop(root)
