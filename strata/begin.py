"""Where memories are, and how one begins."""

from __future__ import annotations

import json
from pathlib import Path

from strata import layout
from strata.errors import AlreadyExists, NotAMemory
from strata.model import Author, Tier
from strata.store import Store


def is_memory(directory: Path) -> bool:
    """Whether this very directory is a memory: it has its settings file and its own repository."""
    return (directory / layout.SETTINGS).is_file() and (directory / ".git").exists()


def find(start: Path) -> Path | None:
    """The nearest of `start` and its parents that is a memory.

    Raises NotAMemory for one that has lost its repository: to go on to another memory would be worse.
    """
    for folder in (start, *start.parents):
        if is_memory(folder):
            return folder
        if (folder / layout.SETTINGS).is_file() and (folder / Tier.ACTIVE).is_dir():
            begin = f"git -C {shell_word(folder)} init -q -b main"
            raise NotAMemory("this memory has lost its repository (.git)", path=str(folder), remedy=f"restore .git from a copy, or begin a new history: {begin}")
    return None


def begin(store: Store, author: Author) -> str:
    """Make the repository and write the template as its first commit; the commit's id.

    A beginning that was cut short is gone on with. Raises AlreadyExists for a place that holds something else.
    """
    from strata.history import History

    root, files = store.root, template()
    if any(part in (".git", layout.LOCAL) for part in root.parts):
        raise AlreadyExists("a memory cannot lie inside git's or strata's own folders", path=str(root), remedy="give another directory")
    if root.exists() and not root.is_dir():
        raise AlreadyExists("a file is there", path=str(root), remedy="give another directory")
    ours = {".git", layout.LOCAL, *layout.TIERS, *files}
    if root.is_dir() and (any(place.name not in ours for place in root.iterdir()) or (any(root.iterdir()) and not _cut_short(root))):
        raise AlreadyExists("the directory is not empty and not a memory; nothing was changed", path=str(root), remedy="give a new or an empty directory")
    root.mkdir(parents=True, exist_ok=True)
    History.create(root)
    with store.write("init", author) as plan:
        plan.subject = "Begin a memory"
        for path, data in files.items():
            plan.put(path, data)
    for tier in Tier:
        (root / tier).mkdir(exist_ok=True)
    return plan.commit or store.history.head() or ""


def _cut_short(root: Path) -> bool:
    """Whether what is there is the repository of a beginning that never got to its first commit."""
    return (root / ".git").is_dir() and not (root / ".git" / "refs" / "heads" / "main").exists() and (root / layout.LOCAL).is_dir()


def template() -> dict[str, bytes]:
    """The files of a new memory, as they are in the project's `memory-template/`."""
    installed = Path(__file__).parent / "template"
    folder = installed if installed.is_dir() else Path(__file__).parent.parent / "memory-template"
    return {place.relative_to(folder).as_posix(): place.read_bytes() for place in sorted(folder.rglob("*")) if place.is_file()}


def enclosing_repository(root: Path) -> str:
    """The git repository that a directory lies in and does not ignore, or ""."""
    from strata.history import ignores

    outer = next((folder for folder in root.parents if (folder / ".git").exists()), None)
    return str(outer) if outer and not ignores(outer, root) else ""


def shell_word(path: Path) -> str:
    """A path as one writes it in a shell."""
    text = str(path)
    return text if text.replace("/", "").replace("-", "").replace("_", "").replace(".", "").isalnum() else json.dumps(text)
