"""A command imports what it needs and nothing else; counted exactly in `sys.modules`, not timed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from strata import Memory
from strata.cli.table import TABLE

PROBE = """
import json, sys
before = set(sys.modules)
from strata.__main__ import main
code = main(sys.argv[1:])
sys.stderr.write(json.dumps([code, sorted(set(sys.modules) - before)]))
"""
HEAVY = {"difflib", "email", "asyncio", "unittest", "urllib.request", "http", "sqlite3", "pydoc", "logging", "multiprocessing", "concurrent.futures", "xml", "pytest"}
COMMAND_MODULES = {f"strata.cli.{row.module}" for row in TABLE.values()}


def imported(memory: Memory, *arguments: str, stdin: str = "") -> set[str]:
    """The modules a command brought in, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        input=stdin, capture_output=True, text=True, encoding="utf-8", env={**os.environ, "STRATA_HOME": str(memory.root)},
    )  # fmt: skip
    code, names = json.loads(done.stderr.splitlines()[-1])
    assert 0 == code
    return set(names)


def packages(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


@pytest.fixture
def settled(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A memory with something in it whose index is up to date and signed by this machine."""
    memory.add("plan", "Ship on Friday.")
    with Memory.open(memory.root) as here:
        here.reindex()
    time.sleep(0.1)  # the stamps of the files become old enough to be trusted
    with Memory.open(memory.root) as here:
        here.search("ship")
    return memory


def test_help_imports_no_command_and_no_package_but_click(settled: Memory) -> None:
    names = imported(settled, "--help")

    assert set() == names & COMMAND_MODULES
    assert set() == packages(names) & {"pygit2", "whoosh", "yaml", "frontmatter"}
    assert "strata.memory" not in names
    assert set() == names & HEAVY


@pytest.mark.parametrize(
    "arguments, module, absent",
    [
        (["search", "ship"], "find", {"pygit2", "frontmatter"}),
        (["search", "ship", "--json"], "find", {"pygit2", "frontmatter"}),
        (["list"], "find", {"pygit2", "frontmatter"}),
        (["show", "plan"], "find", {"pygit2", "frontmatter"}),
        (["context", "ship"], "context", {"pygit2", "frontmatter", "splintr"}),
        (["blocks"], "context", {"pygit2", "frontmatter", "splintr"}),
        (["add", "other", "text"], "write", {"frontmatter"}),
        (["append"], "capture", {"frontmatter"}),
        (["config", "get", "thread"], "care", {"pygit2", "whoosh"}),
        (["completion", "bash"], "start", {"pygit2", "whoosh", "yaml"}),
    ],
)
def test_a_command_imports_its_own_module_and_what_it_works_with(settled: Memory, arguments: list[str], module: str, absent: set[str]) -> None:
    names = imported(settled, *arguments, stdin='{"id": "m1", "role": "user", "text": "hello"}\n' if arguments == ["append"] else "")

    assert {f"strata.cli.{module}"} == names & COMMAND_MODULES
    assert set() == packages(names) & absent
    assert set() == names & HEAVY
    assert "strata.demo" not in names


def test_importing_strata_is_cheap() -> None:
    done = subprocess.run([sys.executable, "-c", "import sys, strata; print('strata.memory' in sys.modules, 'click' in sys.modules)"], capture_output=True, text=True)

    assert "False False\n" == done.stdout
