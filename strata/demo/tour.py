"""The tour of `strata demo`: a conversation becomes a memory, and a question finds its way back to the message.

Everything it shows is what the command beside it prints; nothing is staged.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from strata.errors import AlreadyExists, Refused, StrataError
from strata.importers.jsonl import parse_line
from strata.memory import Memory
from strata.model import Message
from strata.render.screen import Screen
from strata.render.text import text
from strata.render.values import Listing, Patch, Reply

QUESTION = "do we use pnpm or npm now?"
DECISION = "use pnpm from today on"
CHINESE = "对花生过敏的是谁？"


class Tour:
    """One walk through a new memory; `echo` prints a line or several."""

    def __init__(self, directory: Path, echo: Callable[[str], Any], options: dict[str, Any]) -> None:
        self.directory = directory
        self._options = options
        self.screen = Screen.of(sys.stdout, os.environ)
        self._echo = echo

    def walk(self) -> Memory:
        """From nothing to a memory that answers."""
        self._chapter("A memory is a directory of plain files, and its own git repository")
        memory = self._begin()
        self._chapter("Conversations go in, turn by turn; the oldest turns are sealed into blocks")
        self._capture(memory)
        self._chapter("A question comes back with the messages that answer it")
        self._search(memory)
        self._chapter("From a hit to the message, and to its line in a file you can open")
        self._trace(memory)
        self._chapter("What is concluded needs evidence: a false quote is refused")
        self._conclude(memory)
        self._chapter("What is true now follows from the cards, and every line of it leads back")
        self._now(memory)
        self._chapter("Edit anything by hand: the next search sees it, the next write commits it in your name")
        self._by_hand(memory)
        self._chapter("git log is the audit")
        self._audit(memory)
        return memory

    def _begin(self) -> Memory:
        made = Memory.create(self.directory, **self._options)
        self._show(f"strata init {self.directory.name}", made)
        return Memory.open(self.directory, **self._options)

    def _capture(self, memory: Memory) -> None:
        messages = conversation()
        stored, sealed, secrets = 0, 0, 0
        self._command("strata append < conversation.jsonl")
        for turn in _turns(messages):
            done = memory.append(turn)
            stored += done.stored
            sealed += len(done.sealed)
            secrets += sum(found.count for found in done.redacted)
            for ref in done.sealed:
                self._say(f"after {stored:>3} messages  sealed {ref}  {memory.show(ref, peek=True).title}")
        self._say(f"{stored} messages in two threads, {sealed} blocks; {secrets} secret replaced before it reached the disk.")
        self._show("strata list", Listing(memory.list(), empty=""))

    def _search(self, memory: Memory) -> None:
        self._show(f'strata search "{QUESTION}" --limit 4', Listing(memory.search(QUESTION, limit=4), empty="", query=QUESTION))
        self._show(f'strata search "{CHINESE}" --limit 2', Listing(memory.search(CHINESE, limit=2), empty="", query=CHINESE))

    def _trace(self, memory: Memory) -> None:
        hit = next(hit for hit in memory.search(QUESTION, limit=4) if hit.message)
        shown = memory.show(hit.ref, peek=True)
        self._show(f"strata show '{hit.ref}' --peek", shown)
        first = shown.line or 1
        lines = (self.directory / shown.path).read_text("utf-8").split("\n")
        self._command(f"sed -n {first},{first + 1}p {shown.path}")
        self._say("\n".join(lines[first - 1 : first + 1]))

    def _conclude(self, memory: Memory) -> None:
        found = memory.search(DECISION, kinds=["message"], limit=2)
        self._show(f'strata search "{DECISION}" --kind message --limit 2', Listing(found, empty="", query=DECISION))
        said = ((hit, sentence) for hit in found for sentence in memory.show(hit.ref, peek=True).messages[0].text.split(". "))
        hit, words = next((hit, sentence) for hit, sentence in said if "from today on" in sentence)
        block, _, message = hit.ref.partition("#")
        card = {
            "title": "The kiosk project uses pnpm",
            "event_type": "decision",
            "status": "occurred",
            "happened_start": hit.at[:10],
            "basis": "relative",
            "original_text": "from today on",
            "participants": ["Jo"],
            "source_block": block,
            "source_messages": [message],
            "facts": [{"type": "project", "name": "kiosk", "mode": "state", "key": "package manager", "value": "pnpm", "valid_from": hit.at[:10]}],
        }
        self._command("strata record < card.json        # with a quote nobody said")
        try:
            memory.record({**card, "quotes": ["We will always use npm"]})
        except StrataError as refusal:
            self._say(f"strata: {refusal}")
        else:
            raise Refused("a card with a false quote was taken", remedy="this is a bug: please report it")
        self._show("strata record < card.json        # with what was said", memory.record({**card, "quotes": [words]}))

    def _now(self, memory: Memory) -> None:
        self._show("strata graph list", Listing(memory.graph_list(), empty=""))
        self._show("strata graph show jo", memory.graph_show("jo"))
        self._show('strata why "kiosk#package manager"', memory.why("kiosk#package manager"))

    def _by_hand(self, memory: Memory) -> None:
        note = self.directory / "active" / "notes" / "moth" / "lamp.md"
        note.parent.mkdir(parents=True)
        note.write_text("# The foyer lamp\n\nIts switch is behind the curtain on the LEFT. Do not touch the right one.\n", "utf-8")
        self._command("vim active/notes/moth/lamp.md")
        self._show('strata search "foyer lamp switch" --limit 1', Listing(memory.search("foyer lamp switch", limit=1), empty="", query="foyer lamp switch"))
        self._show("strata add moth/todo …", memory.add("moth/todo", "- oil the wobbly seats\n- move the lamp switch\n", title="To do before opening night"))

    def _audit(self, memory: Memory) -> None:
        self._show("strata log --limit 6", Listing(memory.log(limit=6), empty=""))
        self._command("find . -name '*.md'")
        places = sorted(place.relative_to(self.directory).as_posix() for place in self.directory.rglob("*.md") if ".strata" not in place.parts)
        self._say("\n".join(places))
        problems = memory.doctor()
        self._show("strata doctor", Listing(problems, empty="Everything holds."))

    # -- how it looks --------------------------------------------------------------------------

    def _chapter(self, title: str) -> None:
        self._echo("\n" + self.screen.paint(title, "bold cyan"))

    def _command(self, command: str) -> None:
        self._echo("\n" + self.screen.paint("$ ", "dim") + self.screen.paint(command, "bold"))

    def _say(self, words: str) -> None:
        self._echo(words)

    def _show(self, command: str, value: Any) -> None:
        self._command(command)
        self._echo(value if isinstance(value, Patch) else text(value, self.screen))


def tour(directory: str | os.PathLike[str], echo: Callable[[str], Any], **options: Any) -> Reply:
    """Make a memory in `directory`, show what happens, and say what to type next; `options` as for `Memory.open`.

    Raises AlreadyExists for a place that is there already.
    """
    place = Path(directory).expanduser().absolute()
    if place.exists():
        raise AlreadyExists("something is there already; the tour touches nothing", path=str(place), remedy="give another place: strata demo NEW-DIRECTORY")
    memory = Tour(place, echo, options).walk()
    memory.close()
    strata = "strata" if shutil.which("strata") else sys.argv[0]
    closing = f"""
The memory is in {place}. It is yours to play with; remove the directory when you are done.

    export STRATA_HOME={place}
    {strata} search "why did we move to PostgreSQL"
    {strata} show {memory.list(kinds=["block"])[-1].ref} --level 2
    {strata} status
    git -C {place} log --stat
    {strata} init ~/my-memory        # and then your own"""
    return Reply({"path": str(place), "records": len(memory.list())}, closing)


def conversation() -> list[tuple[str, Message]]:
    """The bundled conversation, in the order in which it was said."""
    rows = (Path(__file__).parent / "conversation.jsonl").read_text("utf-8").splitlines()
    pairs = [parse_line(row, number) for number, row in enumerate(rows, 1)]
    return pairs


def _turns(messages: list[tuple[str, Message]]) -> list[list[tuple[str, Message]]]:
    """A turn is what a user says and all that follows."""
    turns: list[list[tuple[str, Message]]] = []
    for thread, message in messages:
        if message.role == "user" or not turns:
            turns.append([])
        turns[-1].append((thread, message))
    return turns
