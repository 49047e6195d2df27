"""A page of the documentation as text and what a test can hold it to: sessions, examples, generated parts.

    ```console      `$ ` begins a command; a here-document belongs to it, to its last line; the rest is output
    ```python       `>>> ` and `... ` begin code; the rest is what it prints
    <!-- now: … -->              between sessions: the clock moves to this time
    <!-- example: NAME -->       the fenced block below is read by a test
    <!-- generated: NAME --> … <!-- end -->    the lines between come from a test
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).parent.parent.parent
PAGES = sorted([PROJECT / "README.md", *(PROJECT / "docs").glob("*.md")])

_FENCE = re.compile(r"^(`{3,})(\S*)\n(.*?)^\1$\n?", re.MULTILINE | re.DOTALL)
_NOW = re.compile(r"<!-- now: (\S+) -->")
_HERE = re.compile(r"<<'(\w+)'")


@dataclass(slots=True)
class Command:
    """What is typed, perhaps on several lines, and what the page shows as its output."""

    typed: str
    shown: str = ""


@dataclass(slots=True)
class Block:
    """A fenced block: its fence and label, its lines, where it stands; `now` is the time it begins at, if the page says so."""

    fence: str
    label: str
    content: str
    start: int
    end: int
    now: str = ""
    commands: list[Command] = field(default_factory=list)


class Page:
    """One file of the documentation."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text("utf-8")

    def blocks(self, label: str) -> list[Block]:
        """The fenced blocks with this label, in order."""
        found, position = [], 0
        for fence in _FENCE.finditer(self.text):
            times = _NOW.findall(self.text, position, fence.start())
            position = fence.end()
            if fence[2] == label:
                found.append(Block(fence[1], label, fence[3], fence.start(3), fence.end(3), times[-1] if times else ""))
        return found

    def sessions(self) -> list[Block]:
        """The console blocks with their commands."""
        found = self.blocks("console")
        for block in found:
            block.commands = _commands(block.content)
        return found

    def example(self, name: str) -> str:
        """The content of the block that is marked as this example."""
        marker = f"<!-- example: {name} -->"
        fence = _FENCE.search(self.text, self.text.index(marker))
        if fence is None:
            raise LookupError(name)
        return fence[3]

    def generated(self, name: str) -> str:
        """What stands where this part is generated."""
        return self._generated(name)[1]

    def with_generated(self, name: str, content: str) -> str:
        """The page's text with this part written anew."""
        span, _ = self._generated(name)
        return self.text[: span[0]] + content + self.text[span[1] :]

    def _generated(self, name: str) -> tuple[tuple[int, int], str]:
        found = re.search(rf"<!-- generated: {name} -->\n(.*?)<!-- end -->", self.text, re.DOTALL)
        if found is None:
            raise LookupError(name)
        return found.span(1), found[1]

    def with_blocks(self, blocks: list[Block], render: Callable[[Block], str]) -> str:
        """The page's text with these blocks rendered anew."""
        parts, position = [], 0
        for block in blocks:
            fresh = render(block)
            if re.search(rf"(?m)^{block.fence}", fresh):
                raise ValueError(f"{self.path.name}: a block holds its own fence {block.fence}; make the fence longer")
            parts += [self.text[position : block.start], fresh]
            position = block.end
        return "".join([*parts, self.text[position:]])


def named(path: Path) -> str:
    """A page's path within the project."""
    return path.relative_to(PROJECT).as_posix()


def session_text(block: Block) -> str:
    """A console block as it stands in a page."""
    return "".join(f"$ {command.typed}\n{command.shown}" for command in block.commands)


def _commands(content: str) -> list[Command]:
    found: list[Command] = []
    lines = iter(content.splitlines(keepends=True))
    for line in lines:
        if line.startswith("$ "):
            typed = [line[2:]]
            if here := _HERE.search(line):
                for below in lines:
                    typed.append(below)
                    if below.rstrip("\n") == here[1]:
                        break
            found.append(Command("".join(typed).rstrip("\n")))
        else:
            found[-1].shown += line
    return found
