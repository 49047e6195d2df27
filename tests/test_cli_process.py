"""The command as a process among others: pipes, locales, terminals, signals, bugs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from strata import Memory
from strata.__main__ import main

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell or terminal")
Strata = Callable[..., subprocess.CompletedProcess[str]]


def shell(script: str, memory: Memory, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a script with `strata` defined; the exit codes of the last pipe are its last line."""
    words = f'strata() {{ "{sys.executable}" -m strata "$@"; }}\n{script}; echo "${{PIPESTATUS[@]}}"'
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(["bash", "-c", words], capture_output=True, env={**inherited, "STRATA_HOME": str(memory.root), **environment})


def _printed(done: subprocess.CompletedProcess[bytes]) -> tuple[bytes, bytes]:
    return done.stdout, done.stderr


@pytest.fixture
def full(memory: Memory) -> Memory:
    """A memory with more to show than a pipe holds."""
    memory.add("notes/big", "".join(f"line {number} of a long note\n" for number in range(20_000)), title="Big")
    return memory


@POSIX
@pytest.mark.parametrize(
    "script, environment",
    [
        ("strata show notes/big | head -1", {}),
        ("strata show notes/big | head -1", {"PYTHONUNBUFFERED": "1"}),
        ("strata search line | true", {"PYTHONUNBUFFERED": "1"}),
        ("strata --help | true", {}),
    ],
)
def test_a_reader_that_goes_away_is_no_error(full: Memory, script: str, environment: dict[str, str]) -> None:
    done = shell(script, full, **environment)

    assert b"" == done.stderr
    assert done.stdout.split(b"\n")[-2] in (b"0 0", b"141 0")


@POSIX
def test_a_check_keeps_its_exit_code_when_nobody_reads_on(memory: Memory) -> None:
    (memory.root / "strata.yaml").write_text("colour: red\n", encoding="utf-8")

    done = shell("strata doctor | true", memory)

    assert (b"1 0\n", b"") == _printed(done)


@POSIX
def test_a_write_whose_answer_nobody_reads_is_whole(memory: Memory) -> None:
    done = shell("strata add plan 'Ship on Friday.' | true", memory)

    assert b"" == done.stderr
    assert "Ship on Friday.\n" == memory.show("plan").text


@POSIX
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_output_that_is_full_is_said(memory: Memory) -> None:
    for command in ("config list", "--help"):
        done = shell(f"strata {command} > /dev/full", memory)

        assert b"1\n" == done.stdout
        assert done.stderr.startswith(b"strata: no space left")
        assert 1 == done.stderr.count(b"\n")


@POSIX
def test_closed_streams_are_no_crash(memory: Memory) -> None:
    assert b"0\n" == shell("strata add plan x >&- 2>&- <&-", memory).stdout
    assert b"11\n" == shell("strata show nowhere 2>&-", memory).stdout
    assert (b"0\n", b"") == _printed(shell("strata --help >&-", memory))


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_no_encoding_makes_a_command_fail(strata: Strata, memory: Memory, environment: dict[str, str]) -> None:
    written = strata("add", "notes/日本", "✓ done", "--title", "日本 ✓", memory=memory.root, env=environment)
    shown = strata("show", "notes/日本", memory=memory.root, env=environment)
    listed = strata("list", "--json", memory=memory.root, env=environment)

    assert [(0, ""), (0, ""), (0, "")] == [(done.returncode, done.stderr) for done in (written, shown, listed)]
    assert r"\u65e5\u672c \u2713" in shown.stdout.encode("ascii", "backslashreplace").decode()
    assert ["日本 ✓"] == [json.loads(line)["title"] for line in listed.stdout.splitlines()]
    assert ["notes/日本"] == [row.ref for row in memory.list()]


@POSIX
def test_arguments_that_are_not_utf_8_are_refused_before_anything_is_written(memory: Memory) -> None:
    for words in ([b"add", b"plan", b"caf\xe9"], [b"add", b"\xe9", b"x"], [b"search", b"\xff"], [b"\xe9"]):
        done = subprocess.run([sys.executable.encode(), b"-m", b"strata", *words], capture_output=True, env={**os.environ, "STRATA_HOME": str(memory.root)})

        assert (2, b"") == (done.returncode, done.stdout)
        assert b"not UTF-8" in done.stderr
    assert [] == memory.list()


def test_a_result_is_on_standard_output_and_everything_else_is_not(strata: Strata, memory: Memory) -> None:
    memory.add("good", "zebra crossing")
    (memory.root / "active" / "notes" / "bad.md").write_text("---\ntitle: [zebra\n---\nbody\n", encoding="utf-8")
    (memory.root / "active" / "notes" / "plain.md").write_text("zebra without a header\n", encoding="utf-8")

    found = strata("search", "zebra", "--json", memory=memory.root)
    nothing = strata("search", "giraffe", "--json", memory=memory.root)
    error = strata("show", "giraffe", "--json", memory=memory.root)

    assert {"notes/good", "notes/plain"} <= {json.loads(line)["ref"] for line in found.stdout.splitlines()}
    assert (0, "") == (nothing.returncode, nothing.stdout)
    assert (11, "") == (error.returncode, error.stdout)
    assert {"error", "message", "remedy", "ref", "exit_code"} == json.loads(error.stderr).keys()


@POSIX
def test_a_terminal_gets_colours_and_escapes_spelled_out(memory: Memory) -> None:
    import pty

    memory.add("evil", "zebra \x1b[2J\x1b]52;c;eA==\x07 \u202e", title="\x1b[31mred")
    leader, follower = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm", "STRATA_HOME": str(memory.root)}
    process = subprocess.Popen([sys.executable, "-m", "strata", "search", "zebra"], stdin=follower, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    printed = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # Linux says EIO at the end
            break
        if not piece:
            break
        printed += piece
    os.close(leader)

    assert 0 == process.wait()
    assert b"\x1b[1;33mzebra\x1b[0m" in printed
    assert rb"\x1b[2J\x1b]52" in printed
    assert b"\x1b[2J" not in printed
    assert b"\x07" not in printed
    assert "\u202e".encode() not in printed


@POSIX
def test_ctrl_c_ends_in_one_line_and_130(memory: Memory) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "strata", "append"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "STRATA_HOME": str(memory.root)},
    )  # fmt: skip
    time.sleep(1.0)  # until it waits for its input
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert (130, b"", b"strata: interrupted") == (process.returncode, out, err.strip())


def test_a_bug_is_one_line_and_a_traceback_only_on_request(memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(self: Memory) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(Memory, "status", broken)
    monkeypatch.setenv("STRATA_HOME", str(memory.root))

    assert 1 == main(["status"])
    assert "strata: ZeroDivisionError: oops (this is a bug; run with STRATA_DEBUG=1 for the traceback)\n" == capsys.readouterr().err
    monkeypatch.setenv("STRATA_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["status"])


def test_warnings_go_to_standard_error_in_both_forms(memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Memory, "warnings", ["the index lags"])
    monkeypatch.setenv("STRATA_HOME", str(memory.root))

    for arguments, code, expected in (
        (["list"], 0, "strata: the index lags\n"),
        (["list", "--json"], 0, '{"warnings": ["the index lags"]}\n'),
        (["show", "x", "--json"], 11, '"warnings": ["the index lags"]'),
    ):
        assert code == main(arguments)
        assert expected in capsys.readouterr().err


def test_progress_appears_only_for_a_person_and_only_late(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from strata.cli.progress import Progress

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    drawn = {}
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        now[0] = 0.0
        with Progress("Reading") as progress:
            for second in (0.5, 0.9, 1.5, 1.55, 2.0):
                now[0] = second
                progress(int(second * 100), 200)
        drawn[type(stream)] = stream.getvalue()

    assert "" == drawn[io.StringIO]
    assert ["75%", "100%"] == [part.split()[-1] for part in drawn[Terminal].split("\r")[1:3]]
    assert drawn[Terminal].endswith("\r\x1b[K")


def test_python_m_strata_and_the_version(strata: Strata, tmp_path: Path) -> None:
    from strata import __version__

    done = strata("--version", cwd=tmp_path)

    assert (0, f"strata {__version__}\n", "") == (done.returncode, done.stdout, done.stderr)
