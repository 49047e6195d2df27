"""The nouns of strata: immutable values with no behaviour beyond what their fields imply.

They are named tuples: each class costs a tenth of a frozen dataclass to import, which every command pays.

Times are strings in ISO 8601, kept exactly as they were given (an offset, a bare date and an
unknown precision all carry meaning); the empty string is "unknown". Compare them with
`strata.moment`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple


class Tier(StrEnum):
    """How near a record is: read and write, search and read, found and rehydrated."""

    ACTIVE = "active"
    COOLED = "cooled"
    ARCHIVE = "archive"


class Kind(StrEnum):
    """What a file is. A tail holds turns that are not sealed yet; it is no record."""

    BLOCK = "block"
    EVENT = "event"
    ENTITY = "entity"
    NOTE = "note"
    TAIL = "tail"


NOTHING: Mapping[str, Any] = MappingProxyType({})

ROLES = ("user", "assistant", "system", "tool")


class ToolCall(NamedTuple):
    """One call of a tool by an agent; `arguments` and `result` are any JSON value."""

    name: str
    arguments: Any = None
    result: Any = None


class Message(NamedTuple):
    """One utterance, as it was captured. `id` is unique within its thread.

    `speaker` is a name, where the role alone is not enough; `at` is ISO 8601 or "" when unknown;
    `meta` is any further JSON object that came with it.
    """

    id: str
    role: str
    text: str
    speaker: str = ""
    at: str = ""
    tools: tuple[ToolCall, ...] = ()
    meta: Mapping[str, Any] = NOTHING


class Put(NamedTuple):
    """Write `data` at `path`. `base` is the blob id that was read there ("" for a new file, None for any)."""

    path: str
    data: bytes
    base: str | None = None


class Rename(NamedTuple):
    """Move a file; never overwrites."""

    source: str
    target: str


class Drop(NamedTuple):
    """Remove a file."""

    path: str


Edit = Put | Rename | Drop


class Move(NamedTuple):
    """A record that changes its tier: paths, the Janitor's word for it (migrate, evict, promote, rehydrate, undo), and why."""

    source: str
    target: str
    step: str
    reason: str


class Author(NamedTuple):
    """Who a commit is by."""

    name: str
    email: str


AGENT = Author("strata agent", "agent@strata.invalid")
JANITOR = Author("strata janitor", "janitor@strata.invalid")
IMPORTER = Author("strata importer", "importer@strata.invalid")
HUMAN = Author("strata user", "user@strata.invalid")  # only where git knows no name of the person


class Commit(NamedTuple):
    """One commit, as `log` shows it. `paths` are those it changed, as (status, path, old path)."""

    id: str
    at: str
    author: Author
    subject: str
    trailers: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[str, str, str], ...] = ()


class Summary(NamedTuple):
    """Levels L0 to L2 of a block: title and tags, summary, key points (each ends in its "(m3)" message refs)."""

    title: str
    tags: tuple[str, ...] = ()
    summary: str = ""
    keypoints: tuple[str, ...] = ()


Progress = Callable[[int, int], None]
"""Called with what is done and with all there is, as a long task goes on."""


class Problem(NamedTuple):
    """Something `doctor` found: how bad ("error", "warning", "note"), where, what, and what helps."""

    severity: str
    path: str
    message: str
    remedy: str = ""
    line: int | None = None
    fixable: bool = False


class Entry(NamedTuple):
    """One unit the index knows: a message, a block, an event, an entity or a note.

    `ref` names it for a person and a program (`blk-…`, `blk-…#m3`, `notes/a`, `tails/main#m4`);
    `record` is the ref without the message; `at` is when it was said or happened, else written.
    `about` describes a record in one line of at most 120 characters; a message has none. `pinned` and
    `forgotten` are what the header of its file says.
    """

    path: str
    ref: str
    kind: str  # "message" or a Kind
    title: str = ""
    text: str = ""
    at: str = ""
    until: str = ""
    thread: str = ""
    message: str = ""
    speaker: str = ""
    tags: tuple[str, ...] = ()
    position: int = 0  # order within the thread
    about: str = ""
    pinned: bool = False
    forgotten: bool = False
    before: int = 0  # of a message: how many of its file come before it
    after: int = 0  # and after it
    next_turn: int = 0  # of the last message of a block: the first turn of the one that follows
    sources: tuple[str, ...] = ()  # of an event: refs of the messages it cites
    flags: tuple[str, ...] = ()  # what the index is asked for as it stands: see `strata.entries`
    shown: int = 0  # of a message: how many characters at the end of its text its tools were given and returned


class Reason(NamedTuple):
    """One thing that moved a hit in the ranking: a term or a signal, and what it gave (`+3.1` points, or a factor such as `×2`)."""

    signal: str
    detail: str
    gave: str


class Hit(NamedTuple):
    """One search result. `snippet` is text around the match; `score` compares within one answer only.

    Of two statements about the same thing the later is "current" and the earlier "outdated" in `status`, and
    `counterpart` is the ref of the other; so is an event outdated that a card supersedes, and "disputed" one that a card
    contradicts, whether that is among the hits or not. `why` is given when it is asked for.
    """

    ref: str
    kind: str
    tier: str
    path: str
    title: str
    at: str
    snippet: str
    score: float
    thread: str = ""
    message: str = ""
    speaker: str = ""
    status: str = ""
    counterpart: str = ""
    why: tuple[Reason, ...] = ()
