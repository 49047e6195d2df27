"""A round of the Janitor: what it looks at, when it stops, how a run is carried out and undone."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from strata import layout
from strata.accesses import by_place
from strata.charts import by_access, by_age
from strata.errors import Conflict, NotFound, TierVanished
from strata.janitor import DAY, STEPS, Household, told
from strata.model import JANITOR, Author, Move, Progress, Rename, Tier
from strata.plan import Plan
from strata.policy import Policy
from strata.results import Moved, Run

if TYPE_CHECKING:
    from strata.lives import Lives
    from strata.lookup import Lookup
    from strata.store import Store

OPERATION, UNDO = "janitor", "undo-janitor"
_PAST = {"migrate": "migrated", "evict": "archived", "promote": "promoted"}


class PastRun(NamedTuple):
    """A run that history knows: its commit, its time, how many records it looked at and moved, whether it was undone."""

    commit: str
    at: str
    looked: int
    moves: int
    undone: bool


class Rounds:
    """The Janitor at work in one memory."""

    def __init__(self, store: Store, lookup: Lookup, lives: Lives, policy: Policy, now: Callable[[], datetime]) -> None:
        self._store = store
        self._lookup = lookup
        self._policy = policy
        self._now = now
        self._lives = lives
        self.notes: list[str] = []  # what a round passes over, and why
        self._broken: list[str] = []  # ledgers that cannot be read

    # -- looking -------------------------------------------------------------------------------

    def household(self, progress: Progress | None = None) -> Household:
        """The records as they are now, edits that nobody committed included; nothing is written but caches."""
        now = int(self._now().timestamp())
        lives = self._lives.rows(now, progress)
        times, broken = self._store.accesses.times()
        pinned = self._store.ask(lambda shadow: shadow.pinned())
        self._broken = broken
        records = self._lives.table().records
        by_rest = by_place(times, lambda rest: any(f"{tier}/{rest}" in records for tier in Tier), self._places)
        return Household(lives, self._policy, by_rest, pinned, now)

    def _places(self, ref: str) -> list[str]:
        return [found.path for found in self._store.ask(lambda shadow: shadow.find(ref)) if found.ref == ref]

    def _due(self, household: Household, only: Collection[str], missing: Collection[str]) -> list[Move]:
        """The plan, less what cannot be carried out, each with a note."""
        if self._broken:
            self.notes.append(f"{', '.join(self._broken)} cannot be read, so nothing is demoted: who knows what was read lately (strata doctor)")
            only = [step for step in only if step == "promote"]
        moves = []
        there = _Names(self._store.root)
        plan = household.plan(only)
        wanted = Counter(move.target for move in plan)
        for move in plan:
            if missing and {layout.tier_of(move.source), layout.tier_of(move.target)} & set(missing):
                continue
            if wanted[move.target] > 1:
                self.notes.append(f"{move.source}: another record would move to {move.target} as well; keep one of them")
            elif blocked := there.blocked(move.source) or there.blocked(move.target):
                self.notes.append(f"{move.source}: {blocked} is a link or a file where a folder is needed")
            elif twin := there.twin(move.target):
                self.notes.append(f"{move.source}: {twin} has its name in other letters; rename one of them")
            elif there.has(move.target):
                self.notes.append(f"{move.source}: a file is at {move.target} already; keep one of them")
            elif not there.has(move.source):
                self.notes.append(f"{move.source}: git knows it, but it is not in the working tree")
            else:
                moves.append(move)
        return moves

    # -- running -------------------------------------------------------------------------------

    def dry(self, only: Collection[str] = STEPS, progress: Progress | None = None) -> Run:
        """The plan as a run now would carry it out, and what would stop that run."""
        guard = ""
        vanished = self._vanished()
        if vanished:
            guard = str(self._says_vanished(vanished))
        household = self.household(progress)
        moves = self._due(household, only, vanished)
        if crowd := household.crowded(moves):
            guard = guard or str(self._says_crowded(*crowd))
        try:
            self._store.history.writable()
        except Conflict as conflict:
            guard = str(conflict)
        return Run(tuple(map(moved, moves)), household.size, "", True, tuple(self.notes), guard)

    def run(self, only: Collection[str] = STEPS, *, force: bool = False, progress: Progress | None = None) -> Run:
        """Carry out the plan as one commit. Raises TierVanished where a tier is gone or most of one would move, unless `force`d."""
        vanished = self._vanished()
        if vanished and not force:
            raise self._says_vanished(vanished)
        if vanished:
            self.notes += [f"{tier}/ is missing and was left alone" for tier in vanished]
        self._lives.table(progress)  # what takes long is done before the lock is held
        with self._store.write(OPERATION, JANITOR, leave=vanished) as plan:
            household = self.household()
            moves = self._due(household, only, vanished)
            if (crowd := household.crowded(moves)) and not force:
                raise self._says_crowded(*crowd)
            _fill(plan, moves)
            plan.trailers.append(("Strata-Looked", str(household.size)))
        return Run(tuple(map(moved, moves)), household.size, plan.commit or "", False, tuple(self.notes))

    def undo(self, author: Author) -> Run:
        """Move back what the last run moved that was not undone yet. Raises NotFound when there is none."""
        with self._store.write(UNDO, author) as plan:
            run, pairs, moves = self._undoable()
            _fill(plan, moves)
            plan.subject = f"Undo the Janitor's run {run[:10]}"
            plan.trailers.append(("Strata-Undoes", run))
        return Run(tuple(map(moved, moves)), len(pairs), plan.commit or "", False, tuple(self.notes))

    def _undoable(self) -> tuple[str, list[tuple[str, str]], list[Move]]:
        """The latest run of which something can be moved back: its commit, what it moved, and the moves back."""
        for run in self.runs():
            if run.undone:
                continue
            pairs = self._store.history.renames(run.commit)
            if moves := self._moves_back(run.commit, pairs):
                return run.commit, pairs, moves
        raise NotFound("there is no run of the Janitor to undo", remedy="strata log shows what was done; git revert takes back any commit")

    def _moves_back(self, run: str, pairs: Sequence[tuple[str, str]]) -> list[Move]:
        self.notes = []
        moves = []
        for source, target in pairs:
            if not self._store.files.exists(target):
                self.notes.append(f"{target}: it has moved on since, and stays where it is")
            elif self._store.files.exists(source):
                self.notes.append(f"{target}: a file is at {source} by now; keep one of them")
            else:
                moves.append(Move(target, source, "undo", f"undoes the run {run[:10]}"))
        return moves

    def outlook(self) -> dict[str, Any]:
        """Ages and accesses of the records, what moves next, and the last run: the part of a status that is about tiers."""
        household = self.household()
        due = [(move.step, "") for move in household.plan()] + [(waiting.step, _day(waiting.due)) for waiting in household.waiting()]
        first = {step: min(day for each, day in due if each == step) for step in dict(due)}
        last = next(self.runs(), None)
        return {
            "ages": by_age(seconds / DAY for _, seconds in household.idle()),
            "accesses": by_access(number for _, number in household.accessed()),
            "next_moves": tuple((step, due.count((step, first[step])), first[step]) for step in STEPS if step in first),
            "last_run": last.at if last else "",
            "last_run_moves": last.moves if last else 0,
            "last_run_undone": last is not None and last.undone,
        }

    def runs(self) -> Iterator[PastRun]:
        """The runs that moved something, the newest first; the others left no commit."""
        undone: set[str] = set()
        for commit, at, trailers in self._store.history.operations():
            named = dict(trailers)
            if named.get("Strata-Op") == UNDO:
                undone.add(named.get("Strata-Undoes", ""))
            elif named.get("Strata-Op") == OPERATION:
                looked = named.get("Strata-Looked", "")
                yield PastRun(commit, at, int(looked) if looked.isdecimal() else 0, sum(key == "Strata-Reason" for key, _ in trailers), commit in undone)

    def check_tiers(self) -> None:
        """Raise TierVanished when a tier is gone."""
        if vanished := self._vanished():
            raise self._says_vanished(vanished)

    # -- stopping ------------------------------------------------------------------------------

    def _vanished(self) -> list[str]:
        """Tiers of which nothing can be seen although git knows records there: not one of the folders in which they lie."""
        found = []
        for tier in Tier:
            known = False
            for path, _ in self._store.history.walk(under=tier):
                known = known or layout.is_record(path)
                if not (self._store.root / tier).is_symlink() and os.path.lexists(self._store.root / "/".join(path.split("/")[:2])):
                    break
            else:
                if known:
                    found.append(str(tier))
        return found

    def _says_vanished(self, tiers: Sequence[str]) -> TierVanished:
        names = " and ".join(f"{tier}/" for tier in tiers)
        back = " ".join(tiers)
        return TierVanished(
            f"git knows records in {names}, but nothing of it can be seen; nothing was moved",
            path=tiers[0],
            remedy=f"mount it, or restore it: git checkout -- {back}; to run without it: strata janitor --force; if it is meant to go: git rm -r -q {back} && git commit",
        )

    def _says_crowded(self, tier: str, leaving: int, there: int) -> TierVanished:
        return TierVanished(
            f"{leaving:,} of the {there:,} records in {tier}/ would move at once; nothing was moved",
            path=tier,
            remedy="see why: strata janitor --dry-run; if it is right: strata janitor --force; else change the rules: strata config set tiers.cool_after 60",
        )


class _Names:
    """What lies in the folders of a memory, each listed once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: dict[str, set[str]] = {}
        self._folded: dict[str, dict[str, str]] = {}
        self._blocked: dict[str, str] = {}

    def has(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        names = self._listed.get(folder)
        if names is None:
            try:
                names = set(os.listdir(self._root / folder))
            except (FileNotFoundError, NotADirectoryError):
                names = set()
            self._listed[folder] = names
        return name in names

    def twin(self, path: str) -> str:
        """A file in the same folder whose name differs only in case, or ""."""
        if self.has(path):
            return ""
        folder, _, name = path.rpartition("/")
        if folder not in self._folded:
            self._folded[folder] = {each.casefold(): each for each in self._listed[folder]}
        found = self._folded[folder].get(name.casefold(), "")
        return f"{folder}/{found}" if found else ""

    def blocked(self, path: str) -> str:
        """The first thing on the way to `path` that is no folder, or ""."""
        folder = path.rpartition("/")[0]
        if folder not in self._blocked:
            parts = folder.split("/")
            above = ("/".join(parts[: at + 1]) for at in range(len(parts)))
            self._blocked[folder] = next((each for each in above if _is_no_folder(self._root / each)), "")
        return self._blocked[folder]


def _is_no_folder(place: Path) -> bool:
    return place.is_symlink() or (place.exists() and not place.is_dir())


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _fill(plan: Plan, moves: Sequence[Move]) -> None:
    """The edits and the message of a run."""
    plan.edits += [Rename(move.source, move.target) for move in moves]
    counts = {step: sum(move.step == step for move in moves) for step in _PAST}
    plan.subject = "Janitor: " + (", ".join(f"{number} {_PAST[step]}" for step, number in counts.items() if number) or "nothing to do")
    plan.trailers += [("Strata-Reason", told(move)) for move in moves]


def moved(move: Move) -> Moved:
    """A move as its verb returns it."""
    return Moved(layout.ref_at(move.source), move.source, move.target, move.step, move.reason)
