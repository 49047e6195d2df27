"""The part of a memory that is about its tiers: the Janitor, moves and marks by hand, the map, upkeep."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from strata import layout
from strata.entries import FORGOTTEN
from strata.errors import Malformed, NotFound, StrataError, TierVanished, UsageError
from strata.janitor import STEPS
from strata.ledger import READ, Receipt
from strata.model import Author, Kind, Progress, Tier
from strata.moment import stamp
from strata.plan import Plan
from strata.results import Mapped, Marked, Moved, Run, Shown, Tended

if TYPE_CHECKING:
    from strata.config import Config
    from strata.costs import Cost
    from strata.lives import Lives
    from strata.lookup import Lookup
    from strata.rounds import Rounds
    from strata.store import Store

SMALL = 100  # files of a memory whose map every write refreshes


class Lifecycle:
    """Mixed into `Memory`."""

    author: Author
    _store: Store
    _lookup: Lookup
    _now: Callable[[], datetime]
    _config: Callable[[], Config]
    _config_to_read: Callable[[], Config]
    _write: Callable[..., AbstractContextManager[Plan]]

    # -- the Janitor -------------------------------------------------------------------------

    def janitor(
        self, *, dry_run: bool = False, only: Sequence[str] = (), force: bool = False, progress: Progress | None = None
    ) -> Run:
        """Move what rested long enough to cooled/ and archive/, and back what is in use; one commit, with a reason for each file.

        `only` some of promote, migrate, evict. With `dry_run` nothing changes, and the plan is the one a run
        would carry out. Raises TierVanished when a tier is missing, or more than half of one (and more than
        20 records) would move, unless `force` is given.
        """
        if wrong := [step for step in only if step not in STEPS]:
            raise UsageError(f"the Janitor does not {' or '.join(wrong)}", remedy=f"its steps are {', '.join(STEPS)}")
        rounds = self._rounds(self._config())
        if dry_run:
            return rounds.dry(only or STEPS, progress)
        done = rounds.run(only or STEPS, force=force, progress=progress)
        self._draw_map()
        return done

    def undo_janitor(self) -> Run:
        """Move back what the last run of the Janitor moved, also after other writes; what moved on since then stays.

        What was lifted that way counts as touched, so the next run does not simply repeat it.
        """
        return self._rounds(self._config_to_read()).undo(self.author)

    def _rounds(self, config: Config) -> Rounds:
        from strata.rounds import Rounds

        self._store.lock_timeout = config["lock_timeout"]
        return Rounds(self._store, self._lookup, self._lives, config.policy, self._now)

    @cached_property
    def _lives(self) -> Lives:
        from strata.lives import Lives

        return Lives(self._store)

    # -- the map and upkeep ------------------------------------------------------------------

    def map(self, progress: Progress | None = None) -> Mapped:
        """What is in active/, one line each as far as an agent can read at once; kept in `index.md`, which git ignores."""
        from strata import atlas

        return atlas.drawn(self._store, self._lives, self._now(), progress)

    def _draw_map(self) -> None:
        """Bring `index.md` up to date after a write, which does not fail because of it."""
        from strata import atlas

        try:
            atlas.drawn(self._store, self._lives, self._now(), settled=True)
        except (StrataError, OSError) as error:
            self._store.warn(f"index.md is not up to date: {error}")

    def _draw_small_map(self) -> None:
        """Keep the map of a small memory up to date at each write: some 4 ms of the 20 that a write takes there."""
        mark = self._store.mark()
        if mark is not None and sum(count for _, count in mark["folders"].values()) <= SMALL and self._lives.known():
            self._draw_map()

    def cost(self) -> Cost:
        """What resting records save in tokens and money, with each formula, and what calls of models took; prices are settings, and what is not set is not guessed."""
        from strata.capture import tail_files
        from strata.costs import Kept, Prices, Swept, cost
        from strata.spent import spent
        from strata.survey import signature

        config, now = self._config_to_read(), int(self._now().timestamp())
        sizes = ((path, arrived, signature(self._store.root / path)) for path, _, arrived, *_ in self._lives.rows(now))
        kept = [Kept(path, found[2], arrived) for path, arrived, found in sizes if found]
        kept += [Kept(path, found[2]) for path in tail_files(self._store.root) if (found := signature(self._store.root / path))]
        runs = [Swept(run.at, run.looked, run.moves) for run in self._rounds(config).runs()]
        prices = Prices(**{name: config[f"cost_{name}"] for name in Prices._fields})
        return cost(kept, runs, prices, now, spent(self._store, prices))

    def tend(self, *, live: bool) -> Tended:
        """One cycle of upkeep, as the daemon does it: take over edits made by hand, run the Janitor (dry unless `live`, never
        with force), bring index and map up to date, merge parts of the index, let git pack.

        What is refused is told in `notes` where the rest can go on; raises what keeps anything from being done.
        """
        notes: list[str] = []
        try:
            config = self._config()
        except Malformed as problem:
            config, commit = self._last_good_config()
            notes.append(f"{problem}; going on with the settings of {commit[:10] or 'the defaults'}")
        rounds = self._rounds(config)
        rounds.check_tiers()
        adopted = self._store.adopt() or ""
        run, refused = Run((), 0), ""
        try:
            run = rounds.run() if live else rounds.dry()
        except TierVanished as error:
            refused = str(error)
        notes += run.passed_over
        self._store.ask(lambda shadow: shadow.optimize())
        packed = self._store.history.maintain()
        self._draw_map()
        return Tended(run.moves, adopted, run.commit, packed, tuple(notes), refused or run.guard)

    def _last_good_config(self) -> tuple[Config, str]:
        """The latest settings in history that can be read, and their commit; the defaults where there are none."""
        from strata.config import Config

        history = self._store.history
        for commit in history.log(layout.SETTINGS):
            try:
                return Config(history.read(layout.SETTINGS, commit.id)), commit.id
            except (Malformed, NotFound):
                continue
        return Config(), ""

    # -- by hand -----------------------------------------------------------------------------

    def promote(self, refs: str | Sequence[str]) -> list[Moved]:
        """Bring records back to active/, to be written; those that are there stay."""
        return self._move(refs, Tier.ACTIVE, "promote")

    def rehydrate(self, refs: str | Sequence[str], to: str = Tier.COOLED) -> list[Moved]:
        """Bring archived records back to cooled/, to be consulted, or with `to` to active/; nothing is ever moved down."""
        if to not in (Tier.ACTIVE, Tier.COOLED):
            raise UsageError(f"nothing is rehydrated to {to!r}", remedy="give active or cooled")
        return self._move(refs, to, "rehydrate")

    def archive(self, refs: str | Sequence[str]) -> list[Moved]:
        """Put records into archive/ at once, whatever their age; raises Refused for a pinned one."""
        return self._move(refs, Tier.ARCHIVE, "archive")

    def _move(self, refs: str | Sequence[str], tier: str, step: str, reason: str = "") -> list[Moved]:
        from strata import rounds, standing

        with self._write(step) as plan:
            moves = standing.move(plan, self._store, standing.records(self._lookup, _several(refs)), tier, step, reason)
        return [rounds.moved(move) for move in moves]

    def pin(self, refs: str | Sequence[str]) -> list[Marked]:
        """Let records never move by themselves, and weigh fully: one line in the header, and the age stays what it is."""
        return self._mark(refs, "pinned", True, "pin")

    def unpin(self, refs: str | Sequence[str]) -> list[Marked]:
        """Take `pinned` away again."""
        return self._mark(refs, "pinned", None, "unpin")

    def forget(self, refs: str | Sequence[str]) -> list[Marked]:
        """Hide records from search, list, show and context, in whichever tier they lie; the files stay, and `restore` shows them again.

        Takes exact refs only. Raises NotFound for one that does not exist, and then nothing is forgotten.
        """
        return self._mark(refs, FORGOTTEN, stamp(self._now()), "forget")

    def restore(self, refs: str | Sequence[str], *, at: str | None = None) -> list[Marked]:
        """Show forgotten records again; with `at`, a revision or a date, make one record what it was then, also when it was deleted since."""
        names = _several(refs)
        if at is None:
            return self._mark(names, FORGOTTEN, None, "restore")
        if len(names) != 1:
            raise UsageError("an earlier version is restored of one record at a time", remedy="give one ref with --at")
        from strata import projection, standing

        with self._write("restore") as plan:
            ref, path = standing.restore_version(plan, self._store, self._lookup, names[0], at)
            if layout.kind_of(path) in (Kind.EVENT, Kind.ENTITY):
                projection.update(plan, self._store)
            if layout.kind_of(path) == Kind.ENTITY:
                projection.renew(plan, self._store, [layout.ref_at(path)])
        return [Marked(ref, path, "restore", plan.commit or "")]

    def _mark(self, refs: str | Sequence[str], key: str, value: Any, verb: str) -> list[Marked]:
        from strata import standing

        with self._write(verb) as plan:
            done = standing.mark(plan, self._store, self._lookup, _several(refs), key, value, verb)
            if key == FORGOTTEN and any(fresh and layout.kind_of(path) == Kind.EVENT for _, path, fresh in done):
                from strata import projection

                projection.update(plan, self._store)
        return [Marked(ref, path, verb, (plan.commit or "") if fresh else "") for ref, path, fresh in done]

    def _opened(self, shown: Shown) -> Shown:
        """Bring a record back from archive/ and count the reading, in this order, so that it counts where the record is now.

        What cannot be done now is said, and the answer stands.
        """
        if shown.tier == Tier.ARCHIVE:
            shown = self._rehydrated(shown)
        self._store.accesses.note(Receipt(_receipt_id(), READ, (layout.split_ref(shown.ref)[0],), stamp(self._now()), shown.level))
        return shown

    def _anchored(self, shown: Shown) -> Shown:
        """Count an opening that somebody wants to last: the block is out of archive/ and the receipt in the ledger when this returns, or it raises."""
        from strata import rounds, standing

        with self._write("expand") as plan:
            lifted = standing.move(plan, self._store, [shown.path], Tier.COOLED, "rehydrate", "opened") if shown.tier == Tier.ARCHIVE else []
            plan.uses.append(Receipt(_receipt_id(), READ, (shown.ref,), stamp(self._now()), shown.level))
            plan.subject = f"Expand {shown.ref} at level {shown.level}"
            plan.trailers = plan.trailers or [("Strata-Record", shown.ref)]
        target = next((rounds.moved(move).target for move in lifted), shown.path)
        return shown._replace(tier=layout.tier_of(target), path=target, moved=shown.path if lifted else "")

    def _rehydrated(self, shown: Shown) -> Shown:
        from strata import rounds, standing

        try:
            with self._write("rehydrate") as plan:
                moves = standing.move(plan, self._store, [shown.path], Tier.COOLED, "rehydrate", "opened")
        except (StrataError, OSError) as error:
            self._store.warn(f"it stays in archive/ for now: {error}")
            return shown
        target = next((rounds.moved(move).target for move in moves), shown.path)
        return shown._replace(tier=layout.tier_of(target), path=target, moved=shown.path if moves else "")


def _receipt_id() -> str:
    return os.urandom(8).hex()


def _several(refs: str | Sequence[str]) -> Sequence[str]:
    names = (refs,) if isinstance(refs, str) else tuple(refs)
    if not names:
        raise UsageError("no record is named", remedy="give one or more refs")
    return names
