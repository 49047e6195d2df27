"""What the documentation shows is what happens: sessions, examples and tables are run and compared.

`pytest tests/docs --update-docs` writes the pages anew from what the commands print; read the
difference before you keep it.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import inspect
import io
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from launcher import LEDGER, STATE, Fixed
from pages import PAGES, PROJECT, Block, Page, named, session_text

from strata import Memory, __version__, adoption, document, errors, layout, snippet, survey, transcript, yamlread
from strata.config import SETTINGS_TABLE
from strata.importers import lines

HOME = "/home/jo"  # what a page shows for the directory its commands run in
BEGIN = "2026-11-30T09:00:00+00:00"
PERSON = "[user]\n\tname = Jo\n\temail = jo@example.org\n[init]\n\tdefaultBranch = main\n[pull]\n\trebase = false\n"


def pages_with(label: str) -> list[Path]:
    return [path for path in PAGES if Page(path).blocks(label)]


def agree(page: Page, fresh: str, update: bool) -> None:
    """The page says what is so; or, when asked to, is made to."""
    if update and fresh != page.text:
        page.path.write_text(fresh, "utf-8")
    else:
        assert fresh == page.text, "look at the difference; `pytest tests/docs --update-docs` writes the page anew"


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-docs"))


# -- sessions in a shell ----------------------------------------------------------------------


def steady(text: str) -> str:
    """The one thing that differs between machines: how well zlib packs the repository."""
    return re.sub(r"(?m)^(repository  +).*$", r"\g<1>120 kB, 0 loose objects", text)


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[list[Block]], list[str]]:
    """Run the commands of all blocks in one bash, in one home directory; what each printed."""
    home, programs = tmp_path / "jo", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    (home / ".gitconfig").write_text(PERSON, "utf-8")
    (tmp_path / "state").write_text(f"{BEGIN} 0\n", "utf-8")
    command = programs / "strata"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).with_name("launcher.py")}" "$@"\n', "utf-8")
    command.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "LC_", "GIT_", "STRATA_"))}
    environment |= {
        STATE: str(tmp_path / "state"),
        "HOME": str(home),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(PROJECT),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8" if sys.platform == "linux" else "en_US.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": "2026-12-01T18:00:00Z",
        "GIT_COMMITTER_DATE": "2026-12-01T18:00:00Z",
        "GIT_ADVICE": "0",
    }

    def run(blocks: list[Block]) -> list[str]:
        mark = "\x1e"
        script = ["exec 2>&1\n"]
        for block in blocks:
            if block.now:
                script.append(f"echo \"{block.now} $(cut -d' ' -f2 \"${STATE}\")\" > \"${STATE}\"\n")
            script += [f"printf '\\x1e'\n{command.typed}\n" for command in block.commands]
        (tmp_path / "script").write_text("".join(script), "utf-8")
        done = subprocess.run(["bash", str(tmp_path / "script")], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=home, env=environment, timeout=120)
        printed = done.stdout.decode("utf-8", "replace").split(mark)[1:]
        return [steady(text.replace(str(home), HOME)) for text in printed]

    return run


@pytest.mark.skipif(os.name == "nt", reason="the sessions are written for a POSIX shell")
@pytest.mark.parametrize("path", pages_with("console"), ids=named)
def test_a_session_prints_what_the_page_shows(path: Path, shell: Callable[[list[Block]], list[str]], update: bool) -> None:
    page = Page(path)
    blocks = page.sessions()
    commands = [command for block in blocks for command in block.commands]

    printed = shell(blocks)

    assert len(commands) == len(printed), f"the shell stopped at: {commands[len(printed)].typed if len(printed) < len(commands) else '?'}"
    for command, text in zip(commands, printed):
        assert "this is a bug" not in text and "command not found" not in text, f"{command.typed}: {text}"
        command.shown = text if text.endswith("\n") or not text else text + "\n"
    agree(page, page.with_blocks(blocks, session_text), update)


# -- examples in Python -----------------------------------------------------------------------


@pytest.fixture
def fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to work in, where Memory has a clock and ids that a page can show."""
    place = tmp_path / "state"
    place.write_text(f"{BEGIN} 0\n", "utf-8")
    steady = Fixed(place)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr("strata.memory._utc_now", steady.now)
    monkeypatch.setattr("strata.memory._new_id", steady.new_id)
    monkeypatch.setattr("strata.lifecycle._receipt_id", steady.receipt_id)
    monkeypatch.setattr("strata.store.ledger_name", lambda key, root: LEDGER)
    return work


def run_example(example: doctest.Example, scope: dict[str, object]) -> str:
    """What one example prints, a refusal included; any other exception is a mistake of the page or of the code."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(example.source, "<page>", "single"), scope)
        except errors.StrataError as error:
            printed.write("Traceback (most recent call last):\n    ...\n" + "".join(traceback.format_exception_only(error)))
    text = printed.getvalue().replace(str(Path.cwd()), HOME)
    assert "\n\n" not in text, "a blank line would end the output in the page"
    return text


@pytest.mark.parametrize("path", pages_with("python"), ids=named)
def test_an_example_prints_what_the_page_shows(path: Path, fixed: Path, update: bool) -> None:
    page = Page(path)
    scope: dict[str, object] = {"__name__": "__main__"}

    def rendered(block: Block) -> str:
        parts = []
        for part in doctest.DocTestParser().parse(block.content):
            if isinstance(part, str):
                parts.append(part)
                continue
            first, *more = part.source.splitlines()
            parts += [f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in more), run_example(part, scope)]
        return "".join(parts)

    fresh = page.with_blocks(page.blocks("python"), rendered)
    for value in scope.values():
        if isinstance(value, Memory):
            value.close()

    agree(page, fresh, update)


def test_every_verb_of_a_memory_is_described() -> None:
    described = set(re.findall(r"`(?:Memory|memory)\.(\w+)", (PROJECT / "docs/python.md").read_text("utf-8")))
    public = {name for name, _ in inspect.getmembers(Memory) if not name.startswith("_")}

    assert set() == public - described


# -- parts made from the code -----------------------------------------------------------------


def layers_table() -> str:
    """The rows of modules, top to bottom, as the architecture test holds them."""
    source = ast.parse((PROJECT / "tests/test_architecture.py").read_text("utf-8"))
    rows = next(
        node.value
        for node in source.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "ROWS" and node.value
    )
    return "| row | modules |\n|---|---|\n" + "".join(
        f"| {row} | {', '.join(f'`{name}`' for name in names)} |\n" for row, names in ast.literal_eval(rows).items()
    )


def settings_table() -> str:
    return "| setting | default | takes | meaning |\n|---|---|---|---|\n" + "".join(
        f"| `{row.key}` | `{row.default}` | {row.expects} | {row.meaning} |\n" for row in SETTINGS_TABLE.values()
    )


def errors_table() -> str:
    kinds = sorted(errors.StrataError.__subclasses__(), key=lambda kind: kind.exit_code)
    return "| class | exit code | raised for |\n|---|---|---|\n" + "".join(
        f"| `{kind.__name__}` | {kind.exit_code} | {(kind.__doc__ or '').partition(chr(10))[0].strip()} |\n" for kind in kinds if kind.__module__ == "strata.errors"
    )


def template_file(name: str) -> str:
    return f"```text\n{(PROJECT / 'memory-template' / name).read_text('utf-8')}```\n"


GENERATED = {
    ("docs/design.md", "layers"): layers_table,
    ("docs/format.md", "settings"): settings_table,
    ("docs/python.md", "errors"): errors_table,
    ("docs/format.md", "gitignore"): lambda: template_file(".gitignore"),
    ("docs/format.md", "gitattributes"): lambda: template_file(".gitattributes"),
}


@pytest.mark.parametrize("path, name", GENERATED, ids=lambda value: value)
def test_a_table_is_the_one_in_the_code(path: str, name: str, update: bool) -> None:
    page = Page(PROJECT / path)

    agree(page, page.with_generated(name, GENERATED[path, name]()), update)


# -- numbers and names that the pages take from the code --------------------------------------

NUMBERS = {
    ("README.md", f"more than {survey.SMALL:,} files in cooled/ and archive/"),
    ("docs/changelog.md", f"## {__version__}"),
    ("docs/design.md", f"Up to {survey.SMALL:,} files in cooled/ and archive/"),
    ("docs/design.md", f"held more than {adoption.VANISHED_ABOVE} records"),
    ("docs/design.md", f"looks at the first {snippet.READ:,} characters"),
    ("docs/design.md", f"younger than\n  {survey.slack(1) // 1_000_000} milliseconds"),
    ("docs/design.md", f"payloads above {lines.MAX_PAYLOAD // 1024} KB"),
    ("docs/design.md", f"lines above {lines.MAX_LINE // 1024**2} MB"),
    ("docs/format.md", f"more than {document.MAX_HEADER // 1024} KB, deeper than {yamlread.MAX_DEPTH} levels, more than {yamlread.MAX_ALIASES} aliases"),
    ("docs/format.md", f"at most {transcript.MAX_DEPTH} levels deep"),
    ("docs/format.md", f"ASCII, at most {layout.MAX_NAME_BYTES} bytes"),
}


@pytest.mark.parametrize("path, phrase", sorted(NUMBERS))
def test_a_number_is_the_one_in_the_code(path: str, phrase: str) -> None:
    assert phrase in (PROJECT / path).read_text("utf-8")


# -- what the pages speak of is there ---------------------------------------------------------


def anchors(page: Page) -> set[str]:
    """The anchors that a page's headings make, by GitHub's rule."""
    headings = re.findall(r"(?m)^#+ (.+)$", re.sub(r"(?ms)^(`{3,}).*?^\1$", "", page.text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    prose = re.sub(r"(?ms)^(`{3,}).*?^\1", "", Page(path).text)
    links = re.findall(r"\]\(([^)\s]+)\)", prose)
    for link in links:
        if not link.startswith("https://"):
            target, _, anchor = link.partition("#")
            there = path.parent / target if target else path
            assert there.exists(), link
            assert not anchor or anchor in anchors(Page(there)), link


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_files_and_tests_that_are_named_exist(path: Path) -> None:
    for place, _, name in re.findall(r"`((?:strata|tests|memory-template)/[\w./-]+)(::(\w+))?`", Page(path).text):
        assert (PROJECT / place).exists(), place
        assert not name or re.search(rf"(?m)^ *def {name}\(", (PROJECT / place).read_text("utf-8")), name


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_every_fenced_block_has_a_label(path: Path) -> None:
    """A fence without a label would be shown and not run."""
    assert [] == [block.content for block in Page(path).blocks("")]
