"""The settings of a memory: one table gives names, defaults, checks, the template and the documentation.

`strata.yaml` is a flat mapping a person edits; changing one setting changes its line and no other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from strata.document import BOM, Document
from strata.errors import Malformed, NotFound, UsageError
from strata.layout import SETTINGS


class Setting(NamedTuple):
    """One row of the table: `parse` turns the text of the file into the value or raises ValueError."""

    key: str
    default: Any
    parse: Callable[[str], Any]
    expects: str
    meaning: str


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return parse


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(text)
        return text

    return parse


def _name(text: str) -> str:
    if not text.strip() or "\n" in text:
        raise ValueError(text)
    return text


SETTINGS_TABLE: dict[str, Setting] = {
    row.key: row
    for row in (
        Setting("thread", "main", _name, "a name", "The thread of messages that name none."),
        Setting("block_turns", 12, _whole(1, 1000), "a whole number from 1 to 1000", "Complete turns after which the oldest are sealed into a block."),
        Setting("summarise", "rules", _one_of("rules", "off"), "rules or off", "Who writes title, tags, summary and key points of a block."),
        Setting("redact", "on", _one_of("on", "report", "off"), "on, report or off", "Secrets: replace them before the first byte is written, only report them, or keep them."),
        Setting("payload_limit", 16384, _whole(256, 1 << 30), "a whole number of bytes, 256 or more", "Tool arguments and results larger than this go to attachments/."),
        Setting("search_limit", 10, _whole(1, 1000), "a whole number from 1 to 1000", "Hits a search shows when --limit is not given."),
        Setting("lock_timeout", 30, _whole(0, 3600), "seconds, from 0 to 3600", "How long a write waits for another process."),
    )
}


class Config:
    """The settings as read from one version of `strata.yaml`."""

    def __init__(self, data: bytes = b"") -> None:
        self._bom, self._opening, self._document = _wrap(data)
        if problem := self._document.problem:
            lines = len(data.splitlines())
            line = min(max(1, (problem.line or 2) - 1 + bool(self._opening)), lines)  # without the fence above; an open bracket is noticed below the last line
            raise Malformed(problem.message, path=SETTINGS, line=line, remedy=f"correct {SETTINGS} by hand; nothing was changed")
        if not self._document.has_header or self._document.body.strip():
            raise Malformed("this is not one mapping of settings", path=SETTINGS, line=1, remedy=f"correct {SETTINGS} by hand; nothing was changed")
        header = self._document.header
        self.values: dict[str, Any] = {row.key: row.default for row in SETTINGS_TABLE.values()}
        self.unknown = tuple(key for key in header if key not in SETTINGS_TABLE)
        for key, text in header.items():
            if key in SETTINGS_TABLE and text != "":
                self.values[key] = _parse(key, text, (self._document.line_of(key) or 2) - 1)

    def __getitem__(self, key: str) -> Any:
        return self.values[_known(key).key]

    def with_value(self, key: str, text: str) -> bytes:
        """The bytes of `strata.yaml` with one setting changed; raises UsageError for a value it cannot take."""
        changed = self._document.set(**{key: _parse(key, text, None)}).data
        return self._bom + self._opening + changed.removeprefix(b"---\n").removesuffix(b"---\n")


def template() -> str:
    """`strata.yaml` as `init` writes it: every setting with its meaning and its default."""
    lines = ["# Settings of this memory. `strata config list` shows them, `strata config set KEY VALUE` changes one."]
    for row in SETTINGS_TABLE.values():
        lines += ["", f"# {row.meaning} ({row.expects})", f"{row.key}: {row.default}"]
    return "\n".join(lines) + "\n"


def _known(key: str) -> Setting:
    if key not in SETTINGS_TABLE:
        raise NotFound(f"no setting is called {key!r}", remedy="the settings are " + ", ".join(SETTINGS_TABLE))
    return SETTINGS_TABLE[key]


def _parse(key: str, text: Any, line: int | None) -> Any:
    row = _known(key)
    try:
        return row.parse(text if isinstance(text, str) else str(text))
    except ValueError:
        message = f"{key} cannot be {text!r}"
        if line is None:
            raise UsageError(message, remedy=f"give {row.expects}") from None
        raise Malformed(message, path=SETTINGS, line=line, remedy=f"give {row.expects}") from None


def _wrap(data: bytes) -> tuple[bytes, bytes, Document]:
    """A settings file as the header of a document; and what stands before it: a byte order mark, a YAML document mark."""
    bom = BOM if data.startswith(BOM) else b""
    data = data.removeprefix(bom)
    opening = next((mark for mark in (b"---\n", b"---\r\n") if data.startswith(mark)), b"")
    data = data.removeprefix(opening)
    ending = b"" if not data or data.endswith(b"\n") else b"\n"
    return bom, opening, Document.parse(b"---\n" + data + ending + b"---\n", SETTINGS)
