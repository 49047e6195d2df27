"""What the verbs of a memory return: values that `render` prints and a program reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from strata.model import NOTHING, Message

if TYPE_CHECKING:
    from strata.network import EntityShown


class Redaction(NamedTuple):
    """Secrets of one kind that were found in what was captured; `action` is "replaced" or "reported"."""

    kind: str
    count: int
    action: str


class Created(NamedTuple):
    """A memory that `init` made, or found already there (`fresh` is False)."""

    path: str
    fresh: bool
    commit: str
    inside: str = ""  # another repository around it, which should ignore it


class Added(NamedTuple):
    """A note that was written; `blob` names its content, for a later `base`."""

    ref: str
    path: str
    commit: str
    blob: str
    redacted: tuple[Redaction, ...] = ()


class Appended(NamedTuple):
    """Messages that are now durable; `repeated` were known by their id already, `differing` are ids that hold another text.

    `events` are the cards that rules made of the blocks that were sealed.
    """

    stored: int
    repeated: int
    sealed: tuple[str, ...] = ()
    commit: str = ""
    redacted: tuple[Redaction, ...] = ()
    differing: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


class Ingested(NamedTuple):
    """A transcript that was read: counts, what was passed over and why, and lines that could not be read."""

    format: str
    read: int
    stored: int
    repeated: int
    threads: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    skipped: Mapping[str, int] = NOTHING
    problems: tuple[str, ...] = ()
    redacted: tuple[Redaction, ...] = ()
    events: tuple[str, ...] = ()


class Sealed(NamedTuple):
    """A block that was made from the oldest turns of a thread."""

    ref: str
    path: str
    thread: str
    first_turn: int
    last_turn: int
    messages: int
    title: str
    commit: str = ""
    events: tuple[str, ...] = ()


class Written(NamedTuple):
    """A record whose file was written: a description, an event card."""

    ref: str
    path: str
    commit: str
    redacted: tuple[Redaction, ...] = ()


class Moved(NamedTuple):
    """A record that changed its tier, or would: `step` is migrate, evict, promote, rehydrate, archive or undo."""

    ref: str
    source: str
    target: str
    step: str
    reason: str


class Run(NamedTuple):
    """One run of the Janitor: what moved (with `dry`: what would), out of how many records looked at.

    `passed_over` says what could not move and why. `guard` is why this run would be refused without `force`.
    """

    moves: tuple[Moved, ...]
    looked: int
    commit: str = ""
    dry: bool = False
    passed_over: tuple[str, ...] = ()
    guard: str = ""


class Marked(NamedTuple):
    """A record that was pinned, unpinned, forgotten or restored; `commit` is "" where that was so already."""

    ref: str
    path: str
    mark: str
    commit: str = ""


class Tended(NamedTuple):
    """One cycle of upkeep: the run of the Janitor, the commit that took over edits made by hand, and what else was done.

    `refused` is why the Janitor did not run, or would not: that waits for a person.
    """

    moves: tuple[Moved, ...]
    adopted: str = ""
    commit: str = ""
    packed: bool = False
    notes: tuple[str, ...] = ()
    refused: str = ""


class Mapped(NamedTuple):
    """The map of active/ as text, and where it is kept."""

    path: str
    text: str
    records: int


class Weight(NamedTuple):
    """How present a record is, from 0 to 1, by its uses and the turns since the last; `reasons` are in words, in the order in which they apply."""

    value: float
    uses: int
    turns: int
    floor: float
    reasons: tuple[str, ...] = ()


class Leveled(NamedTuple):
    """A block, the level at which it is shown now and why, and the tokens that takes, by the counter it names.

    `age` is the number of ready blocks of its thread that follow it.
    """

    ref: str
    thread: str
    first_turn: int
    last_turn: int
    title: str
    age: int
    level: int
    why: str
    tokens: int
    counter: str
    tier: str = ""


class Item(NamedTuple):
    """One piece of a context: what it is, why it is there (pinned, safety, matched, tail, block), and its text as shown, on lines of its own."""

    ref: str
    kind: str
    at: str
    why: str
    text: str
    speaker: str = ""
    level: int | None = None


class Context(NamedTuple):
    """What an agent is given before it answers: `text` is "" where there is nothing to say.

    `tokens` of at most `budget`, by `counter`, are those of the whole text. `silent` is why there is none: "budget" (not even one
    piece fits), "nothing relevant", or "empty" (nothing was asked, or there is nothing in the memory or the thread); else "".
    """

    text: str
    tokens: int
    budget: int
    counter: str
    items: tuple[Item, ...] = ()
    silent: str = ""


class Shown(NamedTuple):
    """One record (or one message of it) as text at a level, with its header and where it comes from."""

    ref: str
    kind: str
    tier: str
    path: str
    title: str
    text: str
    level: int | None = None
    header: Mapping[str, Any] = NOTHING
    messages: tuple[Message, ...] = ()
    line: int | None = None
    at: str = ""
    blob: str = ""
    moved: str = ""  # the path it was brought back from by being opened
    weight: Weight | None = None  # of an event, and of what was used or pinned
    entity: EntityShown | None = None  # of an entity: its facts
    superseded_by: tuple[str, ...] = ()  # of an event: the cards that take its place
    conflicts_with: tuple[str, ...] = ()  # and those that contradict it, whichever of the two says so


class Row(NamedTuple):
    """One line of a listing."""

    ref: str
    kind: str
    tier: str
    path: str
    title: str
    at: str
    thread: str = ""
    tags: tuple[str, ...] = ()


class Status(NamedTuple):
    """The state of a memory at a glance; `counts` is tier -> kind -> (files, bytes).

    `ages` and `accesses` are numbers of records by range. `next_moves` are step, number of records and day of what is
    due first of each step; the day is "" for what is due now.
    """

    path: str
    counts: dict[str, dict[str, tuple[int, int]]]
    threads: dict[str, int]
    uncommitted: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    head: str
    branch: str
    commits: int
    last_commit: str
    index: str
    repository_bytes: int
    loose_objects: int
    in_progress: str = ""
    ages: tuple[tuple[str, int], ...] = ()
    accesses: tuple[tuple[str, int], ...] = ()
    next_moves: tuple[tuple[str, int, str], ...] = ()
    last_run: str = ""
    last_run_moves: int = 0
    last_run_undone: bool = False
    forgotten: int = 0
    daemon: str = ""
    pending: int = 0  # blocks of which something is still to be derived


class SettingRow(NamedTuple):
    """One setting: its value, its default, what it expects and means."""

    key: str
    value: Any
    default: Any
    expects: str
    meaning: str
