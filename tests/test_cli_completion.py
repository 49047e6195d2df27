"""Completion in a shell: what it offers, that its scripts work, and that it never disturbs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from oracle import KEY

from strata import Memory
from strata.__main__ import main
from strata.cli.completion import SCRIPTS

BASH = shutil.which("bash")


@pytest.fixture
def offered(memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """`offered("show", "no")`: the candidates for the last word."""
    monkeypatch.setenv("_STRATA_COMPLETE", "names")
    monkeypatch.setenv("STRATA_HOME", str(memory.root))
    monkeypatch.setattr("strata.memory.signing_key", lambda: KEY)

    def offered(*words: str) -> list[str]:
        assert 0 == main(words)
        printed = capsys.readouterr()
        assert "" == printed.err
        return [line.partition("\t")[0] for line in printed.out.splitlines()]

    return offered


def test_commands_options_and_names(offered) -> None:  # type: ignore[no-untyped-def]
    assert ["show", "status"] == sorted(set(offered("s")) - {"seal", "search"})
    assert ["get", "list", "set"] == sorted(offered("config", ""))
    assert ["block_turns"] == offered("config", "set", "bl")
    assert ["--until"] == offered("search", "--u")
    assert ["block,event", "block,entity"] == offered("list", "--kind", "block,e")
    assert ["cooled"] == offered("search", "--tier", "co")
    assert ["claude-code", "codex"] == offered("ingest", "--format", "c")
    assert ["bash", "zsh", "fish"] == offered("completion", "")


def test_refs_with_their_titles(offered, memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    memory.add("plan", "x", title="The plan\x1b[2J")
    memory.add("place", "y")

    assert ["notes/place", "notes/plan"] == sorted(offered("show", "notes/pl"))
    assert ["notes/plan"] == offered("--memory", str(memory.root), "log", "notes/plan")
    main(["show", "notes/plan"])
    assert "notes/plan\tThe plan\\x1b[2J\n" == capsys.readouterr().out


@pytest.mark.parametrize("words", [[], [""], ["nonsense", "x"], ["show", "\x00"], ["show", "../.."], ["--memory", "/nowhere", "show", ""], ["show", "--level", "9", "-"], ["\udce9"]])
def test_odd_input_offers_something_or_nothing_and_never_complains(offered, words: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert isinstance(offered(*words), list)


def test_without_a_memory_it_is_quiet(offered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.delenv("STRATA_HOME")
    monkeypatch.chdir(tmp_path)

    assert [] == offered("show", "")


@pytest.mark.parametrize("shell, check", [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_a_script_is_printed_as_it_is_and_its_shell_can_parse_it(shell: str, check: list[str], capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    assert 0 == main(["completion", shell])
    script = capsysbinary.readouterr().out

    assert SCRIPTS[shell].encode() == script
    if program := shutil.which(shell):
        (tmp_path / "script").write_bytes(script)
        assert 0 == subprocess.run([program, *check, str(tmp_path / "script")], capture_output=True).returncode


@pytest.mark.skipif(BASH is None or os.name == "nt", reason="needs bash")
def test_bash_completes_words_and_refs_with_blanks(memory: Memory, tmp_path: Path) -> None:
    memory.add("plan one", "x")
    memory.add("plan-two", "y")
    with Memory.open(memory.root) as here:
        here.reindex()  # by the key of this machine
    command = tmp_path / "bin" / "strata"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m strata "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    script = """
        source <(strata completion bash)
        offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _strata_completion strata; printf '%s\\n' "${COMPREPLY[@]}"; }
        offer strata sho; offer strata show notes/pl; offer strata show nothing
        complete -p strata
    """

    environment = {**os.environ, "STRATA_HOME": str(memory.root), "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([str(BASH), "-c", script], capture_output=True, text=True, env=environment)

    assert ["show", "notes/plan\\ one", "notes/plan-two", "", "complete -F _strata_completion strata"] == done.stdout.splitlines()
    assert "" == done.stderr
