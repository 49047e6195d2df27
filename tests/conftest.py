"""An isolated world for every test: no real home, no global git config, no network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pygit2
import pytest

pytest.register_assert_rewrite("oracle")

from oracle import KEY, assert_sound  # noqa: E402
from strata import Memory  # noqa: E402

START = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-docs", action="store_true", help="rewrite what the documentation shows by what the commands print")


class Clock:
    """A clock that a test moves; each look is one second later, so that an order shows."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


@pytest.fixture(scope="session", autouse=True)
def _no_global_git() -> None:
    """libgit2 reads no configuration of the person who runs the tests."""
    for level in (pygit2.enums.ConfigLevel.SYSTEM, pygit2.enums.ConfigLevel.XDG, pygit2.enums.ConfigLevel.GLOBAL, pygit2.enums.ConfigLevel.PROGRAMDATA):
        pygit2.settings.search_path[level] = ""


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of the test's own, for this process and those it starts."""
    folder = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("GIT_", "STRATA_", "XDG_")):
            monkeypatch.delenv(name)
    for name, value in {
        "HOME": folder,
        "USERPROFILE": folder,
        "LOCALAPPDATA": folder / "local",
        "XDG_CONFIG_HOME": folder / "config",
        "XDG_DATA_HOME": folder / "data",
        "XDG_STATE_HOME": folder / "state",
        "GIT_CONFIG_NOSYSTEM": "1",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
    }.items():
        monkeypatch.setenv(name, str(value))
    return folder


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def new_id() -> Callable[[str, str], str]:
    """Ids in a row: blk-20261130-aaaaab, -aaaaac, …"""
    alphabet, count = "abcdefghjkmnpqrstuvwxyz", 0

    def mint(prefix: str, day: str) -> str:
        nonlocal count
        count += 1
        number, letters = count, ""
        for _ in range(6):
            number, digit = divmod(number, len(alphabet))
            letters = alphabet[digit] + letters
        return f"{prefix}-{day.replace('-', '')}-{letters}"

    return mint


@pytest.fixture
def memory(tmp_path: Path, clock: Clock, new_id: Callable[[str, str], str]) -> Iterator[Memory]:
    """A fresh memory; after the test everything about it must hold."""
    made = Memory.init(tmp_path / "memory", now=clock, new_id=new_id, key=KEY)
    yield made
    made.close()


@pytest.fixture
def sound() -> Callable[[Path], None]:
    """The oracle: after anything that wrote, doctor, `git fsck` and `git status` are clean."""
    return assert_sound


@pytest.fixture
def strata() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command in a process of its own."""

    def run(*arguments: str, stdin: str | bytes | None = None, cwd: Path | None = None, env: dict[str, str] | None = None, memory: Path | None = None):  # type: ignore[no-untyped-def]
        data = stdin.encode("utf-8", "surrogatepass") if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", "strata", *arguments],
            input=data if data is not None else b"",
            capture_output=True,
            cwd=cwd,
            timeout=120,
            env={**os.environ, **({"STRATA_HOME": str(memory)} if memory else {}), **(env or {})},
        )
        out, err = (text.decode("utf-8", "replace").replace("\r\n", "\n") for text in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run
