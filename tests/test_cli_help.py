"""Help and reference say what the commands are: complete, up to date, and with examples that work."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
from pathlib import Path

import click
import pytest
from command import TALK, Done, Run, run  # noqa: F401

from strata import Memory, errors
from strata.cli.group import Command, Group, root
from strata.cli.reference import reference
from strata.cli.table import SECTIONS, TABLE

REFERENCE = Path(__file__).parent.parent / "docs" / "cli.md"

# Verbs that have no command of their own, and why; commands that are no verb.
OTHER_VERBS = {
    "open": "every command opens a memory",
    "create": "what init prints",
    "close": "the end of every command",
    "search_many": "search --batch",
    "ask": "search --gate",
    "embed": "reindex --vectors",
    "complete": "what the scripts of `completion` ask",
    "undo_janitor": "janitor --undo",
    "tend": "a cycle of the daemon",
    "believe": "what the first search --believed does",
    "beliefs": "diff --beliefs",
    "complete_entity": "what the scripts of `completion` ask",
    **{"jobs": "jobs list", "next_job": "jobs next", "job": "jobs show", "job_done": "jobs done", "job_fail": "jobs fail"},
    **{"job_retry": "jobs retry", "run_jobs": "jobs run", "redo": "jobs redo", "allow_jobs": "jobs allow"},
}
OTHER_COMMANDS = {"completion", "demo"} | {f"daemon_{name}" for name in ("run", "start", "restart", "status", "logs", "install", "uninstall", "stop")} | {f"jobs_{name}" for name in ("list", "next", "show", "done", "fail", "retry", "run", "redo", "allow")}


def commands() -> dict[str, Command]:
    """Every command by its words, `config get` too."""
    context = click.Context(root, info_name="strata")
    found: dict[str, Command] = {}
    for name in TABLE:
        command = root.get_command(context, name)
        if isinstance(command, Group):
            found |= {f"{name} {below}": inner for below, inner in command.commands.items() if isinstance(inner, Command)}
        elif isinstance(command, Command):
            found[name] = command
    return found


def test_the_reference_is_up_to_date(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-docs"):
        REFERENCE.write_text(reference(), encoding="utf-8", newline="\n")

    assert reference() == REFERENCE.read_text(encoding="utf-8"), "pytest --update-docs rewrites it"


def test_the_table_says_what_the_commands_say() -> None:
    context = click.Context(root, info_name="strata")
    for name, row in TABLE.items():
        command = root.get_command(context, name)

        assert command is not None
        assert (name, row.help) == (command.name, inspect.cleandoc(command.help or "").partition("\n")[0])
        assert row.section in SECTIONS


def test_commands_and_verbs_are_the_same_less_a_written_list() -> None:
    verbs = {name for name, member in inspect.getmembers(Memory) if callable(member) and not name.startswith("_")}

    assert {name.replace(" ", "_") for name in commands()} - OTHER_COMMANDS == verbs - OTHER_VERBS.keys()


def test_every_option_of_a_verb_is_an_option_of_its_command() -> None:
    renamed = {"everything": "all", "tiers": "tier", "kinds": "kind", "tags": "tag", "source": "file", "ref": "entity"}
    not_on_the_line = {"self", "progress", "messages", "description", "card", "author", "operation", "options", "query", "text"}
    for name, command in commands().items():
        if name.replace(" ", "_") in OTHER_COMMANDS:
            continue
        offered = {word.lstrip("-") for parameter in command.params for word in (*parameter.opts, parameter.name or "")}
        verb = inspect.signature(getattr(Memory, name.replace(" ", "_")))

        wanted = {word for word in set(verb.parameters) - not_on_the_line if not {word, renamed.get(word)} & offered}
        assert (name, set()) == (name, wanted)


def test_every_help_page_has_examples_and_exit_codes() -> None:
    for name, command in commands().items():
        page = command.get_help(click.Context(command, info_name=name))

        assert command.examples and all("strata" in example for example in command.examples)
        assert "Examples:" in page and "Exit codes:" in page
        assert "--json" in page and "--memory" in page
        assert all(option.help for option in command.params if isinstance(option, click.Option))
        assert {0, 2} <= {int(line.split()[0]) for line in page.partition("Exit codes:")[2].splitlines() if line.strip()[:1].isdigit()}


def test_every_error_has_its_own_exit_code_in_the_reference() -> None:
    shared = (errors.ModelFailed,)  # a failure, which is code 1
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.StrataError) and kind not in shared]

    assert len({kind.exit_code for kind in kinds}) == len(kinds)
    assert all(f"| {kind.exit_code} |" in reference() for kind in kinds)


def test_the_examples_work(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in the order of the reference, in one memory, as a person would type them."""
    session = home / ".claude" / "projects" / "my-project" / "session.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("session.jsonl").write_text(TALK, encoding="utf-8")

    for name, command in commands().items():
        for example in command.examples:
            if "/tmp" not in example and example != "strata init":
                done = typed(run, of_this_memory(run, example))

                assert (example, 0, "") == (example, done.code, done.err)


def of_this_memory(run: Run, example: str) -> str:
    """An example about a batch with a batch and a hit that there are; one that is used was found sufficient."""
    if example.startswith("strata jobs") and "blk-" in example:
        return re.sub(r"blk-\w+-\w+", pending_block(run), example)
    if example.startswith("strata entity") or "ent-person-jo" in example:
        return re.sub(r"evt-\w+-\w+", two_persons(run), example)
    if "bat-" not in example:
        return example
    (found,) = run("search", "--gate", "pnpm", "--json").json()
    batch, ref = found["batch"], found["hits"][0]["ref"]
    if example.startswith("strata use"):
        run("assess", batch, "--verdict", "sufficient", "--refs", ref)
    return re.sub(r"evt-\w+-\w+|blk-\w+-\w+#m3", ref, re.sub(r"bat-\w+-\w+", batch, example))


def pending_block(run: Run) -> str:
    """A block in which an agent is to look for events; its answer, that there are none, lies in answer.json."""
    Path("answer.json").write_text('{"events": []}', encoding="utf-8")
    run("config", "set", "extract", "agent")
    run("append", "--thread", "waiting", stdin='{"role": "user", "text": "The tests are green.", "at": "2025-12-01T09:00:00Z"}')
    (block,) = run("seal", "--all", "--thread", "waiting", "--json").json()
    return str(block["ref"])


def two_persons(run: Run) -> str:
    """An event that speaks of Jo and of Joanna."""
    facts = [{"type": "person", "name": name, "mode": "state", "key": "lives in", "value": "Lisbon"} for name in ("Jo", "Joanna")]
    block = pending_block(run)
    message = run("show", block, "--json").json()[0]["messages"][0]["id"]
    card = {"title": "Green tests", "source_block": block, "source_messages": [message], "facts": facts}
    return str(run("record", "--json", stdin=json.dumps(card)).json()[0]["ref"])


def typed(run: Run, line: str) -> Done:
    """Run what a person would type: maybe a pipe or a file into strata, maybe its output into a file."""
    before, _, after = line.rpartition(" | ")
    words = shlex.split(after)
    redirected = next((at for at, word in enumerate(words) if word.startswith(">")), len(words))
    stdin = shlex.split(before)[-1] if before else ""
    if "<" in words:
        stdin = Path(words[words.index("<") + 1]).read_text(encoding="utf-8")
        redirected = min(redirected, words.index("<"))

    assert "strata" == words[0]
    return run(*(os.path.expanduser(word) for word in words[1:redirected]), stdin=stdin)
