"""The parts of the daemon, each for itself: what it says of itself, its log, its lock, and how systems are told to start it."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest
from command import Run, run  # noqa: F401
from hypothesis import given
from hypothesis import strategies as st

from strata import Memory, __version__
from strata.daemon import control, journal, loop, private, process, service, state, units
from strata.daemon.bell import Bell
from strata.daemon.journal import LIMIT, Journal
from strata.daemon.loop import Daemon
from strata.daemon.presence import is_present, present
from strata.daemon.private import Place
from strata.daemon.results import Ended, LogLine
from strata.daemon.state import ENDED, LONGEST_CYCLE, RESTING, SILENCE, WORKING, State
from strata.daemon.words import fault, outcome, pace
from strata.errors import AlreadyExists, Locked, Malformed, NotAMemory, NotFound, TierVanished, UsageError
from strata.results import Moved, Tended

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The files of a daemon in a directory that stands for a memory."""
    (tmp_path / ".strata").mkdir()
    return Place.of(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What a daemon takes for a memory before it opens it."""
    folder = tmp_path / "memory"
    (folder / ".git").mkdir(parents=True)
    (folder / "strata.yaml").write_text("", "utf-8")
    return folder


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with us."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as sleeping:
        yield sleeping
        sleeping.kill()


# -- what it says of itself --------------------------------------------------------------------


def test_what_it_says_of_itself_is_read_back(place: Place) -> None:
    said = State(token="t", pid=4, live=True, interval=15, beat=1.5, memory="/w/Käse", doing=WORKING)
    state.save(place, said)

    assert said == state.load(place)


@posix
def test_its_files_are_its_owners_alone(place: Place) -> None:
    state.save(place, State())
    Journal(place, lambda: NOON).say("hello")

    assert {0o600} == {stat.S_IMODE(file.stat().st_mode) for file in (place.state, place.log)}


WHOLE = json.dumps(State()._asdict())


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[]", b"null", b"{}", b"[" * 60_000, b"\xff\xfe", WHOLE.replace('"pid": 0', '"pid": "0"').encode(),
        WHOLE.replace('"live": false', '"live": 1').encode(), WHOLE.replace('"pid": 0', '"pid": true').encode(),
        WHOLE.replace('"token": ""', '"token": null').encode(), b" " * 70_000 + WHOLE.encode(),
    ],
)  # fmt: skip
def test_what_no_daemon_wrote_is_taken_for_nothing(place: Place, data: bytes) -> None:
    place.state.write_bytes(WHOLE.encode())
    assert State() == state.load(place)

    place.state.write_bytes(data)
    assert state.load(place) is None


@given(st.floats(0, 1e6), st.floats(-1e6, 1e6))
def test_a_resting_daemon_is_silent_after_two_heartbeats_and_a_working_one_much_later(beat: float, later: float) -> None:
    now = beat + later

    assert (not 0 <= now - beat <= SILENCE) == State(doing=RESTING, beat=beat).is_silent(now)
    assert (not 0 <= now - beat <= LONGEST_CYCLE) == State(doing=WORKING, since=beat, beat=-1).is_silent(now)


def known(root: Path, **changes: Any) -> State:
    """What a daemon that is this very process and in good health would say."""
    seen = process.look(os.getpid())
    healthy = State("token", os.getpid(), seen.birth if seen else "", __version__, str(root), "2026-11-30T12:00:00Z", interval=15.0, beat=time.monotonic())
    return healthy._replace(next_cycle="2026-11-30T12:15:00Z", **changes)


def test_a_daemon_runs_as_long_as_its_lock_is_held_and_never_because_of_what_a_file_says(root: Path) -> None:
    files = Place.of(root)
    assert control.NOT_RUNNING == control.status(root, {}).state

    with present(root):
        assert (control.RUNNING, ("it has not said yet how it stands",)) == (control.status(root, {}).state, control.status(root, {}).notes)
        state.save(files, known(root))
        found = control.status(root, {})
        assert (control.RUNNING, os.getpid(), 15.0, ()) == (found.state, found.pid, found.interval, found.notes)
        assert "running, next cycle 2026-11-30 12:15 UTC" == control.in_words(root, {})

    gone = control.status(root, {})
    assert (control.NOT_RUNNING, 0) == (gone.state, gone.pid)
    assert "killed" in gone.ended
    assert "not running" == control.in_words(root, {})


@pytest.mark.parametrize(
    "changes, status, note",
    [
        ({"beat": 0.0}, control.NOT_RESPONDING, "nothing was heard of it since"),
        ({"beat": 1e12}, control.NOT_RESPONDING, "nothing was heard of it since"),
        ({"doing": WORKING, "since": 0.0}, control.NOT_RESPONDING, "nothing was heard of it since"),
        ({"doing": WORKING, "since": None, "beat": 0.0}, control.RUNNING, "in the middle of a cycle"),
        ({"doing": ENDED}, control.RUNNING, "about to end"),
        ({"version": "0.0.1"}, control.RUNNING, f"it is of strata 0.0.1, this command of {__version__}; strata daemon restart replaces it"),
        ({"memory": "/elsewhere"}, control.RUNNING, "started for /elsewhere"),
        ({"complaint": "going on with a cycle every 20 minutes"}, control.RUNNING, "every 20 minutes"),
    ],
)
def test_what_is_odd_about_a_daemon_is_said(root: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], status: str, note: str) -> None:
    monkeypatch.setattr(time, "monotonic", lambda real=time.monotonic: real() + 1e6)  # a machine that has been up for days
    changes = {name: time.monotonic() if value is None else value for name, value in changes.items()}
    with present(root):
        state.save(Place.of(root), known(root, **changes))
        found = control.status(root, {})

    assert status == found.state
    assert [note] == [note for said in found.notes if note in said]
    assert 1 == len(found.notes)


def test_a_failed_cycle_shows_in_the_line_for_the_whole_memory(root: Path) -> None:
    with present(root):
        state.save(Place.of(root), known(root, error="the disk is full"))
        assert control.in_words(root, {}).endswith("; its last cycle failed: strata daemon status")

        state.save(Place.of(root), known(root, beat=0.0))
        assert "not responding: strata daemon status" == control.in_words(root, {})


# -- the lock ----------------------------------------------------------------------------------


def test_two_daemons_never_tend_one_memory(root: Path) -> None:
    with present(root), pytest.raises(AlreadyExists, match="already"), present(root):
        pass
    with present(root) as again:
        assert again.lasts()


def test_a_place_that_is_no_memory_gets_no_file(tmp_path: Path) -> None:
    (tmp_path / "mount").mkdir()
    for root in (tmp_path / "mount", tmp_path / "gone"):
        with pytest.raises(NotAMemory), present(root):
            pass

    assert [tmp_path / "mount"] == list(tmp_path.rglob("*"))


def test_asking_whether_a_daemon_is_there_makes_no_file(root: Path) -> None:
    assert not is_present(root)
    (root / ".strata").mkdir()
    assert not is_present(root)
    assert [] == os.listdir(root / ".strata")


def test_the_lock_is_lost_with_its_file(root: Path, tmp_path: Path) -> None:
    with present(root) as presence:
        assert presence.lasts()
        root.rename(tmp_path / "moved")
        assert not presence.lasts()
        assert is_present(tmp_path / "moved")
        (tmp_path / "moved").rename(root)
        assert presence.lasts()
        lock = Place.of(root).lock
        lock.rename(lock.with_name("other"))
        assert not presence.lasts()
        lock.touch()
        assert not presence.lasts()


# -- stopping ----------------------------------------------------------------------------------


@posix
def test_only_the_process_that_wrote_its_name_is_ever_signalled(sleeper: subprocess.Popen[bytes]) -> None:
    seen = process.look(sleeper.pid)
    assert seen is not None and seen == process.look(sleeper.pid)
    assert seen.birth != process.look(os.getpid()).birth  # type: ignore[union-attr]
    for birth in ("", "another boot:1", process.look(os.getpid()).birth):  # type: ignore[union-attr]
        assert not process.ask_to_end(sleeper.pid, birth)
    time.sleep(0.1)
    assert sleeper.poll() is None

    assert process.ask_to_end(sleeper.pid, seen.birth)
    assert -15 == sleeper.wait(10)
    assert not process.ask_to_end(sleeper.pid, seen.birth)
    assert process.look(2**31) is None and process.look(0) is None


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps")
def test_where_there_is_no_proc_ps_says_the_same(sleeper: subprocess.Popen[bytes]) -> None:
    seen = process._by_ps(sleeper.pid)

    assert seen is not None and not seen.suspended
    assert re.fullmatch(r"\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}", seen.birth)
    assert seen == process._by_ps(sleeper.pid)
    assert process._by_ps(2**22 + 1) is None


def test_a_number_that_another_process_has_by_now_is_left_alone(root: Path, sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "DOWN", 0.2)
    files = Place.of(root)
    with present(root):
        state.save(files, known(root, pid=sleeper.pid))
        with pytest.raises(Locked, match=f"process {sleeper.pid}\\) does not respond"):
            control.stop(root)

        assert b"token\n" == files.request.read_bytes()
    assert sleeper.poll() is None
    assert 0 == control.stop(root).pid


def test_a_daemon_that_another_one_replaced_has_ended(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Place.of(root)
    monkeypatch.setattr(process, "ask_to_end", lambda pid, birth: state.save(files, known(root, token="new")))
    with present(root):
        state.save(files, known(root, token="old", pid=7))

        assert 7 == control.stop(root).pid


def test_a_daemon_that_has_not_said_its_name_yet_is_asked_all_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "DOWN", 0.2)
    files = Place.of(root)
    with present(root):
        with pytest.raises(Locked):
            control.stop(root)
        assert b"any\n" == files.request.read_bytes()

        monkeypatch.setattr(process, "ask_to_end", lambda pid, birth: state.save(files, known(root, token="late")))
        with pytest.raises(Locked):
            control.stop(root)
        assert b"late\n" == files.request.read_bytes()


# -- the log -----------------------------------------------------------------------------------


def test_a_line_is_one_line_and_holds_no_secret_and_nothing_that_steers_a_terminal(place: Place) -> None:
    Journal(place, lambda: NOON).say(f"a\nb \x1b[2J\u202e {SECRET}")
    (line,) = place.log.read_text("utf-8").splitlines()

    assert line.startswith("2026-11-30T12:00:00Z a b \\x1b[2J\\u202e [redacted:github:")
    assert [LogLine("2026-11-30T12:00:00Z", line.partition(" ")[2])] == journal.last(place, 5)


def test_the_log_is_turned_over_and_one_old_one_is_kept(place: Place) -> None:
    log = Journal(place, lambda: NOON)
    for number in range(24):
        log.say(f"{number} " + "x" * 100_000)

    assert place.log.stat().st_size <= LIMIT and place.older_log.stat().st_size <= LIMIT
    assert [place.log, place.older_log] == sorted(place.log.parent.iterdir())
    assert [str(number) for number in range(12, 24)] == [line.text.split()[0] for line in journal.last(place, 12)]
    assert [] == journal.last(place, 0)


def test_lines_wait_for_a_disk_that_takes_none(place: Place) -> None:
    place.log.mkdir()
    log = Journal(place, lambda: NOON)
    for number in range(103):
        log.say(f"line {number}")
    place.log.rmdir()
    log.say("last")
    lines = [line.text for line in journal.last(place, 200)]

    assert "(4 lines could not be written)" == lines[0]
    assert [*(f"line {number}" for number in range(4, 103)), "last"] == lines[1:]


@posix
def test_nothing_is_written_through_a_link_or_into_a_pipe(place: Place, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine\n")
    place.log.symlink_to(target)
    Journal(place, lambda: NOON).say("hello")
    place.log.with_name("daemon.json.new").symlink_to(target)
    state.save(place, State())
    os.mkfifo(place.request)

    assert "mine\n" == target.read_text()
    assert b"" == private.read(place.request)
    assert [] == journal.last(place, 5)


def test_following_a_log_misses_nothing_when_it_is_turned_over(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Journal(place, lambda: NOON)
    for number in range(3):
        log.say(f"old {number}")
    lines = journal.follow(place, 2)
    assert ["old 1", "old 2"] == [next(lines).text, next(lines).text]

    def meanwhile(seconds: float) -> None:
        monkeypatch.undo()
        log.say("before")
        os.replace(place.log, place.older_log)
        log.say("after")

    monkeypatch.setattr(time, "sleep", meanwhile)
    assert ["before", "after"] == [next(lines).text, next(lines).text]


def test_following_waits_for_the_rest_of_a_line(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.log.write_bytes(b"")
    pieces = iter([b"2026-11-30T12:00:00Z caf\xc3", b"\xa9 is", b" open\n"])

    def meanwhile(seconds: float) -> None:
        with place.log.open("ab") as stream:
            stream.write(next(pieces))

    monkeypatch.setattr(time, "sleep", meanwhile)

    assert LogLine("2026-11-30T12:00:00Z", "café is open") == next(journal.follow(place, 2))


# -- its words ---------------------------------------------------------------------------------


def moved(*steps: str) -> tuple[Moved, ...]:
    return tuple(Moved("notes/a", "active/notes/a.md", "cooled/notes/a.md", step, "idle for 31 days") for step in steps)


@pytest.mark.parametrize(
    "done, live, words",
    [
        (Tended(()), True, "nothing to do"),
        (Tended(moved("migrate", "evict", "migrate")), False, "3 records would move (1 evict, 2 migrate)"),
        (Tended(moved("promote"), commit="0123456789abcdef"), True, "moved 1 record (1 promote) in commit 0123456789"),
        (Tended((), adopted="fedcba9876543210", packed=True), True, "took over edits made by hand in commit fedcba9876; git packed the repository"),
    ],
)
def test_a_cycle_is_told_in_counts_and_commits(done: Tended, live: bool, words: str) -> None:
    assert words == outcome(done, live)


def test_faults_and_intervals_in_words() -> None:
    assert "strata.yaml:3: wrong (mend it)" == fault(Malformed("wrong", path="strata.yaml", line=3, remedy="mend it"))
    assert "/m: no space left on device" == fault(OSError(28, "No space left on device", "/m"))
    assert "odd" == fault(OSError("odd"))
    assert ("every minute", "every 15 minutes", "every 0.5 minutes") == (pace(1), pace(15.0), pace(0.5))


# -- the process it becomes --------------------------------------------------------------------


def test_the_command_imports_this_very_strata_wherever_it_is_run(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('from the current directory')")
    (tmp_path / "lib").mkdir()
    environment = process.environment({**os.environ, "PYTHONPATH": os.path.relpath(tmp_path / "lib")})
    probe = "import click, strata, sys; print(strata.__file__, sys.path)"
    done = subprocess.run([sys.executable, "-P", "-c", probe], cwd=tmp_path, env=environment, capture_output=True, text=True)

    assert done.stdout.startswith(f"{process.strata.__file__} "), done.stderr
    assert str(tmp_path / "lib") in done.stdout
    assert "-P" in process.command(tmp_path, every=None, live=False)


def test_the_command_says_how_to_work() -> None:
    words = process.command(Path("/m"), every=0.5, live=True)

    assert ["--memory", str(Path("/m")), "daemon", "run", "--every", "0.5", "--live"] == words[4:]
    assert "run" == process.command(Path("/m"), every=None, live=False)[-1]


# -- its life, in a time that a test moves -----------------------------------------------------


class Life:
    """A daemon in this very process, whose rests take no time: `events` happen at seconds after its start."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.0
        self.wall = NOON
        self.cycles: list[tuple[float, bool]] = []
        self.events: dict[float, Callable[[], Any]] = {}
        self._root = root
        monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: self.seconds))
        monkeypatch.setattr(Bell, "wait", self._wait)
        monkeypatch.setattr(Memory, "tend", self._tend)

    def _wait(self, seconds: float) -> None:
        assert 0 < seconds <= loop.TICK
        self.seconds += seconds
        for at in [at for at in self.events if at <= self.seconds]:
            self.events.pop(at)()

    def _tend(self, *, live: bool) -> Tended:
        self.cycles.append((self.seconds, live))
        return Tended(())

    def live(self, **options: Any) -> Ended:
        place = Place.of(self._root)
        return Daemon(self._root, Journal(place, lambda: self.wall), token="me", now=lambda: self.wall, **options).run()

    def said(self) -> list[str]:
        return [line.text for line in journal.last(Place.of(self._root), 500)]

    def note(self) -> State:
        return state.load(Place.of(self._root)) or State()


@pytest.fixture
def life(root: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    return Life(root, monkeypatch)


def test_a_cycle_every_fifteen_minutes_whatever_the_clock_on_the_wall_does(life: Life) -> None:
    life.events = {100: lambda: setattr(life, "wall", datetime(1980, 1, 1, tzinfo=UTC)), 1000: lambda: setattr(life, "wall", datetime(2099, 1, 1, tzinfo=UTC))}

    assert Ended(4, "it had its 4 cycles") == life.live(cycles=4)
    assert [(0, False), (900, True), (1800, True), (2700, True)] == life.cycles


def test_the_interval_of_the_settings_is_read_anew_and_the_one_of_the_call_goes_before(life: Life, root: Path) -> None:
    (root / "strata.yaml").write_text("daemon_interval: 2\n", "utf-8")
    life.events = {10: lambda: (root / "strata.yaml").write_text("daemon_interval: 1\n", "utf-8")}
    life.live(cycles=4)
    assert [0, 120, 180, 240] == [at for at, _ in life.cycles]

    life.cycles.clear()
    begun = life.seconds
    life.live(cycles=3, every=10, live=True)
    assert [(begun, True), (begun + 600, True), (begun + 1200, True)] == life.cycles


def test_it_says_that_it_is_alive_every_ten_seconds_and_no_more_often(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[float] = []
    monkeypatch.setattr(state, "save", lambda place, note, real=state.save: (beats.append(note.beat), real(place, note)))
    life.events = {100.5: lambda: Place.of(life._root).request.write_bytes(b"me\n")}
    ended = life.live()

    assert "`strata daemon stop` asked for it" == ended.why
    assert [0, 0, 0, *range(10, 101, 10), 101] == [round(beat) for beat in beats]
    assert (ENDED, ended.why, "") == (life.note().doing, life.note().ended, life.note().next_cycle)


def test_a_request_to_another_run_is_not_its_business(life: Life) -> None:
    life.events = {5: lambda: Place.of(life._root).request.write_bytes(b"somebody\n"), 8: lambda: Place.of(life._root).request.write_bytes(b"me")}

    assert Ended(2, "it had its 2 cycles") == life.live(cycles=2)


def test_a_cycle_that_is_missed_while_the_memory_is_gone_is_made_up_for(life: Life, root: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    life.events = {10: lambda: root.rename(away), 2000.5: lambda: away.rename(root)}
    life.live(cycles=5)

    assert [(0, False), (2001, True), (2901, True)] == [(round(at), live) for at, live in life.cycles]
    assert 1 == sum(line.startswith("skipped: the memory is gone from") for line in life.said())


def test_a_memory_that_is_gone_between_two_cycles_misses_none(life: Life, root: Path, tmp_path: Path) -> None:
    life.events = {10: lambda: root.rename(tmp_path / "away"), 500.5: lambda: (tmp_path / "away").rename(root)}
    life.live(cycles=2)

    assert [0, 900] == [at for at, _ in life.cycles]
    assert not any("skipped" in line for line in life.said())


def test_after_a_week_it_gives_a_memory_up(life: Life, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 7 * 24 * 3600 == loop.PATIENCE
    monkeypatch.setattr(loop, "PATIENCE", 5000)
    life.events = {10: lambda: root.rename(tmp_path / "away")}
    ended = life.live(every=600)
    (tmp_path / "away").rename(root)

    assert "the memory was gone for a week" == ended.why
    assert 5010 < life.seconds < 5020


def test_a_memory_without_its_settings_is_as_good_as_gone(life: Life, root: Path) -> None:
    settings = root / "strata.yaml"
    life.events = {10: lambda: settings.rename(root / "hidden"), 1000.5: lambda: (root / "hidden").rename(settings)}
    life.live(cycles=3)

    assert [0, 1001] == [round(at) for at, _ in life.cycles]


def test_as_long_as_nothing_could_be_shown_nothing_moves(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    faults: list[Exception] = [OSError(28, "No space left on device", "/m"), TierVanished("archive/ is empty", remedy="mount it")]

    def tend(memory: Memory, *, live: bool) -> Tended:
        life.cycles.append((life.seconds, live))
        if faults:
            raise faults.pop(0)
        return Tended((), notes=("a note",))

    monkeypatch.setattr(Memory, "tend", tend)
    life.live(cycles=4)

    assert [False, False, False, True] == [live for _, live in life.cycles]
    assert [
        "failed: /m: no space left on device", "failed: archive/ is empty (mount it)",
        "note: a note", "dry: nothing to do", "note: a note", "nothing to do",
    ] == life.said()[1:-1]  # fmt: skip


def test_a_fault_of_the_program_is_told_before_it_ends(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "tend", lambda memory, live: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        life.live()

    assert "ended: a fault of the program: ZeroDivisionError: division by zero" == life.said()[-1]
    assert "a fault of the program" in life.note().ended
    assert control.NOT_RUNNING == control.status(life._root, {}).state


def test_where_it_cannot_say_how_it_stands_it_says_that_once(life: Life) -> None:
    blocked = Place.of(life._root).state.with_name("daemon.json.new")
    life.events = {50: lambda: (blocked / "x").mkdir(parents=True), 1900: lambda: shutil.rmtree(blocked)}
    life.live(cycles=4)

    assert 1 == sum(line.startswith("its state cannot be written: ") for line in life.said())
    assert (4, ENDED) == (life.note().cycles, life.note().doing)


# -- services ----------------------------------------------------------------------------------


def unquoted(line: str, *, dollars: bool) -> list[str]:
    """The words of a line as systemd reads them: quotes, backslashes, specifiers, and in commands variables."""
    words = []
    for match in re.finditer(r'"((?:[^"\\]|\\.)*)"(?: |$)', line):
        word = re.sub(r"\\(.)", lambda escape: {"\\": "\\", '"': '"'}[escape[1]], match[1])
        word = re.sub(r"%(.)", lambda specifier: {"%": "%"}[specifier[1]], word)
        words.append(re.sub(r"\$(.)", lambda variable: {"$": "$"}[variable[1]], word) if dollars and words else word)
    return words


WORDS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=12) | st.text('\\"%$ \'{}A;#', min_size=1, max_size=8)


@given(WORDS, st.lists(WORDS, max_size=3), WORDS)
def test_systemd_reads_the_words_as_they_are(program: str, words: list[str], value: str) -> None:
    unit = units.systemd_unit("strata-x", [program, *words], {"KEY": value})
    lines = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)

    assert [program, *words] == unquoted(lines["ExecStart"], dollars=True)
    assert [f"KEY={value}"] == unquoted(lines["Environment"], dollars=False)
    assert "Restart=on-failure\n" in unit and "WantedBy=default.target\n" in unit


@given(st.lists(WORDS, min_size=1, max_size=4), WORDS)
def test_launchd_reads_the_words_as_they_are(words: list[str], value: str) -> None:
    agent = plistlib.loads(units.launchd_plist("md.strata.x", words, {"KEY": value}))

    assert (words, {"KEY": value}) == (agent["ProgramArguments"], agent["EnvironmentVariables"])
    assert agent["RunAtLoad"] and {"SuccessfulExit": False} == agent["KeepAlive"]


def test_the_task_scheduler_gets_one_word_for_the_command() -> None:
    command = ["C:\\Program Files\\py.exe", "-m", "strata", "--memory", "C:\\my notes\\", "daemon", "start"]

    assert (
        r'schtasks /Create /F /SC MINUTE /MO 15 /TN strata-x /TR "\"C:\Program Files\py.exe\" -m strata --memory \"C:\my notes\\\\\" daemon start"'
    ) == units.schtasks_command("strata-x", command, 15)


def test_each_memory_has_a_name_of_its_own() -> None:
    roots = ["/w/notes", "/v/notes", "/w/no tes", "/w/新聞", "/w/暫存", "/w/" + "x" * 200, "/", "/w/..", "/w/-", "/w/é%$"]
    names = [units.name_of(PurePosixPath(root)) for root in roots]

    assert len(roots) == len(set(names))
    assert all(re.fullmatch(r"strata(-[A-Za-z0-9-]+)?-[0-9a-f]{8}", name) and len(name) < 60 for name in names)
    assert names[0].startswith("strata-notes-") and names[2].startswith("strata-no-tes-")


@pytest.mark.parametrize(
    "platform, given, folder, manager, enable, disable",
    [
        ("linux", {}, ".config/systemd/user", "systemd", "systemctl --user enable --now strata-", "systemctl --user stop strata-"),
        ("linux", {"XDG_CONFIG_HOME": "{home}/conf"}, "conf/systemd/user", "systemd", "systemctl --user enable --now strata-", "systemctl --user stop strata-"),
        ("linux", {"XDG_CONFIG_HOME": "relative"}, ".config/systemd/user", "systemd", "systemctl --user daemon-reload", "systemctl --user daemon-reload"),
        ("darwin", {}, "Library/LaunchAgents", "launchd", "launchctl bootstrap gui/$(id -u) ", "launchctl bootout gui/$(id -u)/md.strata.strata-"),
    ],
)
def test_a_service_is_one_file_that_is_written_and_removed(
    tmp_path: Path, platform: str, given: dict[str, str], folder: str, manager: str, enable: str, disable: str
) -> None:
    home, root = tmp_path / "home", tmp_path / "my notes"
    given = {name: value.format(home=home) for name, value in given.items()}
    (home / folder).mkdir(parents=True)
    (home / folder / "strata-other.service").write_text("not ours")
    wrote = service.install(root, given, every=5, platform=platform, home=home)
    again = service.install(root, given, live=True, platform=platform, home=home)
    file = Path(wrote.path)

    assert (manager, home / folder) == (wrote.manager, file.parent)
    assert wrote == again
    assert any(command.startswith(enable) for command in wrote.commands)
    assert 2 == len(list(file.parent.iterdir()))
    assert "--live" in file.read_text() and "--every" not in file.read_text()
    assert str(root) in file.read_text()

    gone = service.uninstall(root, given, platform=platform, home=home)
    assert any(command.startswith(disable) for command in gone.commands)
    assert ["strata-other.service"] == os.listdir(file.parent)
    with pytest.raises(NotFound, match="no service is installed"):
        service.uninstall(root, given, platform=platform, home=home)


@posix
def test_uninstalling_takes_systemds_link_along_and_no_other(tmp_path: Path) -> None:
    file = Path(service.install(tmp_path, {}, platform="linux", home=tmp_path).path)
    wants = file.parent / "default.target.wants"
    wants.mkdir()
    (wants / file.name).symlink_to(file)
    (wants / "other.service").symlink_to(tmp_path / "other.service")
    service.uninstall(tmp_path, {}, platform="linux", home=tmp_path)

    assert ["other.service"] == os.listdir(wants)


def test_a_service_knows_where_the_key_of_the_index_lies(tmp_path: Path) -> None:
    wrote = service.install(tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_DATA_HOME": "odd"}, platform="linux", home=tmp_path)
    unit = Path(wrote.path).read_text()

    assert f'Environment="XDG_STATE_HOME={tmp_path / "state"}"\n' in unit
    assert "XDG_DATA_HOME" not in unit


def test_on_windows_nothing_is_written_and_the_task_starts_what_is_not_there(tmp_path: Path) -> None:
    shown = service.install(tmp_path / "m", {}, every=30, platform="win32", home=tmp_path)
    gone = service.uninstall(tmp_path / "m", {}, platform="win32", home=tmp_path)

    assert ("Task Scheduler", "") == (shown.manager, shown.path)
    assert "daemon start --every 30" in shown.commands[0] and "/SC MINUTE /MO 15" in shown.commands[0]
    assert gone.commands[0].startswith("schtasks /Delete /F /TN strata-m-")
    assert [] == list(tmp_path.iterdir())


def test_what_no_system_takes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no service manager of plan9"):
        service.install(tmp_path, {}, platform="plan9", home=tmp_path)
    with pytest.raises(UsageError, match="characters"):
        service.install(tmp_path / "a\nExecStart=evil", {}, platform="linux", home=tmp_path)

    assert [] == list(tmp_path.iterdir())


# -- the commands ------------------------------------------------------------------------------


def test_the_commands_on_a_memory_without_a_daemon(run: Run, memory: Memory) -> None:
    assert (0, "not running\n", "") == run("daemon", "status")
    assert (0, "No daemon is running.\n", "") == run("daemon", "stop")
    assert (0, "Nothing is in the log.\n", "") == run("daemon", "logs")
    assert (0, "", "") == run("daemon", "logs", "--json")
    (status,) = run("daemon", "status", "--json").json()
    assert ("not running", str(memory.root), 0) == (status["state"], status["memory"], status["pid"])
    assert 2 == run("daemon", "start", "--every", "0").code


def test_the_log_and_the_status_as_text_and_as_json(run: Run, memory: Memory) -> None:
    files = Place.of(memory.root)
    with present(memory.root):
        Journal(files, lambda: NOON).say("nothing to do")
        state.save(files, known(memory.root, version="0.0.1", cycles=1, last_cycle="2026-11-30T12:00:01Z", last_result="dry: nothing to do", error="a disk that is full"))
        done = run("daemon", "status")
        log, lines = run("daemon", "logs", "-n", "1"), run("daemon", "logs", "--json")

    assert [
        f"running (process {os.getpid()}, strata 0.0.1, since 2026-11-30 12:00 UTC)",
        "every        15 minutes",
        "last cycle   2026-11-30 12:00 UTC: failed",
        "failed with  a disk that is full",
        "next cycle   2026-11-30 12:15 UTC",
        f"Note: it is of strata 0.0.1, this command of {__version__}; strata daemon restart replaces it",
    ] == done.out.splitlines()
    assert "2026-11-30T12:00:00Z nothing to do\n" == log.out
    assert [{"at": "2026-11-30T12:00:00Z", "text": "nothing to do"}] == lines.json()


def test_install_and_uninstall_from_the_command_line(run: Run, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    wrote = run("daemon", "install", "--every", "60")
    assert 0 == wrote.code
    if sys.platform == "linux":
        (file,) = Path(os.environ["XDG_CONFIG_HOME"], "systemd", "user").iterdir()
        assert f'"--memory" "{memory.root}" "daemon" "run" "--every" "60"\n' in file.read_text()
        assert f"service  {file}" in run("daemon", "status").out
        assert f"systemctl --user enable --now {file.name}" in wrote.out
    if sys.platform != "win32":
        shutil.move(memory.root, memory.root.with_name("away"))  # the service of a memory that is gone can be removed
        assert 0 == run("daemon", "uninstall").code
        assert (11, "") == run("daemon", "uninstall")[:2]
        shutil.move(memory.root.with_name("away"), memory.root)


def test_of_all_commands_only_those_of_the_daemon_know_it(memory: Memory) -> None:
    probe = "import sys; from strata.__main__ import main; main(sys.argv[1:]); sys.exit(any(name.startswith('strata.daemon') for name in sys.modules))"
    environment = {**os.environ, "STRATA_HOME": str(memory.root)}
    for words in (["--help"], ["search", "x"], ["add", "a", "b"]):
        assert 0 == subprocess.run([sys.executable, "-c", probe, *words], env=environment, stdout=subprocess.DEVNULL).returncode
