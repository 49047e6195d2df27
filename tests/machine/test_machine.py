"""strata, a person with an editor, and git, in any order: nothing acknowledged is lost and the index never lies."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, precondition, rule

from oracle import KEY, assert_sound, git
from strata import Memory
from strata.errors import NotFound
from strata.model import Message
from strata.results import Moved

EXAMPLES = int(os.environ.get("STRATA_MACHINE_EXAMPLES", "25"))


def word(number: int) -> str:
    """A word no other note or message holds."""
    return "zq" + "".join(chr(97 + int(digit)) for digit in f"{number:05d}") + "x"


class MemoryMachine(RuleBasedStateMachine):
    """`notes` maps paths to the word their file holds now, `said` the ids of each thread to theirs; `gone` words are nowhere."""

    files = Bundle("files")

    def __init__(self) -> None:
        super().__init__()
        self.scratch = Path(tempfile.mkdtemp(prefix="strata-machine-"))
        self.root = self.scratch / "memory"
        self.notes: dict[str, str] = {}
        self.said: dict[tuple[str, str], str] = {}
        self.gone: list[str] = []
        self.staged: set[str] = set()
        self.number = 0
        self.days = 0

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=self.days)

    @initialize()
    def begin(self) -> None:
        self.memory = Memory.init(self.root, key=KEY, now=self.now)
        self.memory.config_set("block_turns", "2")

    def fresh(self) -> str:
        self.number += 1
        return word(self.number)

    # -- strata ------------------------------------------------------------------------------

    @rule(target=files)
    def add(self) -> str:
        text = self.fresh()
        added = self.memory.add(f"notes/n{self.number}", f"strata wrote {text}\n")
        self.notes[added.path] = text
        return added.path

    @rule(path=files)
    def append_to(self, path: str) -> None:
        if path in self.notes and path.startswith("active/notes/"):
            text = self.fresh()
            self.memory.add(path, f"{text}\n", append=True)
            self.notes[path] = text

    @rule(thread=st.sampled_from(["main", "Ärger", "家"]), turns=st.integers(1, 4))
    def append(self, thread: str, turns: int) -> None:
        pairs = []
        for _ in range(turns):
            text = self.fresh()
            pairs.append((thread, Message(f"m{self.number}", "user", f"the user said {text}")))
            self.said[thread, f"m{self.number}"] = text
        assert self.memory.append(pairs).stored == turns
        assert self.memory.append(pairs).repeated == turns

    @rule()
    def seal(self) -> None:
        self.memory.seal(everything=True)

    # -- tiers -------------------------------------------------------------------------------

    @rule(days=st.sampled_from([8, 31, 100]))
    def wait(self, days: int) -> None:
        self.days += days

    def moved(self, moves: Iterable[Moved]) -> None:
        for move in moves:
            if move.source in self.notes:
                self.notes[move.target] = self.notes.pop(move.source)

    @rule()
    def janitor(self) -> None:
        dry = self.memory.janitor(dry_run=True)
        run = self.memory.janitor(force=True)
        assert dry.moves == run.moves
        assert () == self.memory.janitor(force=True).moves
        self.moved(run.moves)

    @rule()
    def undo(self) -> None:
        with suppress(NotFound):
            self.moved(self.memory.undo_janitor().moves)

    @rule(path=files, verb=st.sampled_from(["archive", "rehydrate", "promote"]))
    def send(self, path: str, verb: str) -> None:
        if path in self.notes:
            self.moved(getattr(self.memory, verb)(path))

    @rule(path=files)
    def open_note(self, path: str) -> None:
        if path in self.notes:
            shown = self.memory.show(path)
            assert self.notes[path] in shown.text
            if shown.moved:
                self.notes[shown.path] = self.notes.pop(path)

    @rule(path=files)
    def forget(self, path: str) -> None:
        if path in self.notes:
            self.memory.forget(path)
            assert [] == self.memory.search(self.notes[path])
            self.memory.restore(path)

    # -- a person ------------------------------------------------------------------------------

    @rule(target=files, folder=st.sampled_from(["active/notes", "active/loose", "cooled/notes", "archive/notes/deep/er"]))
    def write_by_hand(self, folder: str) -> str:
        text = self.fresh()
        path = f"{folder}/hand{self.number}.md"
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(f"# By hand\n{text}\n", "utf-8")
        self.notes[path] = text
        return path

    @rule(path=files)
    def edit_by_hand(self, path: str) -> None:
        if path in self.notes:
            self.gone.append(self.notes[path])
            self.notes[path] = self.fresh()
            (self.root / path).write_text(f"edited {self.notes[path]}\n", "utf-8")

    @rule(path=consumes(files))
    def remove_by_hand(self, path: str) -> None:
        if path in self.notes:
            self.gone.append(self.notes.pop(path))
            (self.root / path).unlink()
            self.unstage(path)

    @rule(target=files, path=consumes(files), folder=st.sampled_from(["active/notes", "cooled/notes", "archive/notes"]))
    def move_by_hand(self, path: str, folder: str) -> str:
        if path not in self.notes:
            return path
        target = f"{folder}/moved{self.number}-{Path(path).name}"
        self.number += 1
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / path).rename(self.root / target)
        self.notes[target] = self.notes.pop(path)
        self.unstage(path)
        return target

    @rule()
    def commit_by_hand(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "--allow-empty", "-m", "by hand")

    @rule(path=files)
    def stage_by_hand(self, path: str) -> None:
        if path in self.notes:
            git(self.root, "add", "--", path)
            self.staged.add(path)

    def unstage(self, path: str) -> None:
        """A person takes back what they staged of a file that goes: strata would leave it staged."""
        if path in self.staged:
            git(self.root, "reset", "-q", "--", path)
            self.staged.discard(path)

    @rule()
    def look_at_an_old_commit_and_come_back(self) -> None:
        if git(self.root, "status", "--porcelain") == "":
            git(self.root, "checkout", "-q", "HEAD~1", check=False)
            self.memory.search("anything")
            git(self.root, "checkout", "-q", "main")

    # -- the machine -----------------------------------------------------------------------------

    @rule()
    def lose_the_index(self) -> None:
        self.memory.close()
        shutil.rmtree(self.root / ".strata", ignore_errors=True)
        self.memory = Memory.open(self.root, key=KEY, now=self.now)

    @rule()
    def open_anew(self) -> None:
        self.memory.close()
        self.memory = Memory.open(self.root, key=KEY, now=self.now)

    @precondition(lambda self: self.notes or self.said)
    @rule()
    def clone(self) -> None:
        self.memory.add("notes/before-clone", f"{self.fresh()}\n", replace=True)
        self.memory.close()
        git(self.scratch, "clone", "-q", "--no-hardlinks", str(self.root), "clone")
        shutil.rmtree(self.root)
        (self.scratch / "clone").rename(self.root)
        git(self.root, "remote", "remove", "origin")
        self.memory = Memory.open(self.root, key=KEY, now=self.now)

    # -- what always holds -------------------------------------------------------------------------

    @invariant()
    def every_file_is_found_where_it_lies(self) -> None:
        if not hasattr(self, "memory"):
            return
        for path, text in list(self.notes.items())[-4:]:
            assert [path] == [hit.path for hit in self.memory.search(text)]
        for text in self.gone[-3:]:
            assert [] == self.memory.search(text)
        for (thread, message), text in list(self.said.items())[-3:]:
            assert [(thread, message)] == [(hit.thread, hit.message) for hit in self.memory.search(text, kinds=["message"])]

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.add("notes/the-end", "the end\n", replace=True)
            for path, text in self.notes.items():
                assert [path] == [hit.path for hit in self.memory.search(text)]
            for (thread, message), text in self.said.items():
                assert [(thread, message)] == [(hit.thread, hit.message) for hit in self.memory.search(text, kinds=["message"])]
            self.memory.close()
            assert_sound(self.root)
        shutil.rmtree(self.scratch, ignore_errors=True)


MemoryMachine.TestCase.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], print_blob=True
)
TestMemoryMachine = MemoryMachine.TestCase
