"""How a memory stands as text for people: counts, the spread of ages and accesses, history, upkeep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata.charts import beside, histogram
from strata.render import rows
from strata.render.screen import Screen
from strata.render.visible import one_line
from strata.render.words import SHORT_ID, count, listed, minute, size

if TYPE_CHECKING:
    from strata.results import Status

_WIDE, _NARROW = 80, 40  # columns of a page without an end, and of a chart


def status(state: Status, screen: Screen) -> list[str]:
    """What there is, how old and how much used it is, and facts with their names."""
    lines = [screen.paint(one_line(state.path), "bold"), "", *(rows.counts(state.counts, screen) if any(state.counts.values()) or not state.uncommitted else ["Nothing of it is left in its tiers; see `strata doctor`."]), ""]
    if state.forgotten:
        lines += [f"{count(state.forgotten, 'record')} of them forgotten: strata list --forgotten", ""]
    if threads := {name: turns for name, turns in state.threads.items() if turns}:
        lines += ["Threads with turns that are not sealed yet:"]
        lines += screen.table([(f"  {one_line(name)}", count(turns, "turn")) for name, turns in threads.items()], ("", "dim"))
        lines.append("")
    if charts := _charts(state, screen):
        lines += [*charts, ""]
    return lines + screen.table(_facts(state), ("dim", ""))


def _charts(state: Status, screen: Screen) -> list[str]:
    """Ages and accesses side by side, or one below the other on a narrow terminal."""
    page = screen.columns or _WIDE
    given = [(title, spread) for title, spread in (("Days idle", state.ages), ("Accesses", state.accesses)) if any(number for _, number in spread)]
    charts = [histogram(title, spread, min(page, _NARROW) - 2, blocks=screen.blocks) for title, spread in given]
    if len(charts) == 2 and page >= 2 * _NARROW:
        return beside(*charts, _NARROW)
    return [line for chart in charts for line in ["", *chart]][1:]


def _facts(state: Status) -> list[tuple[str, str]]:
    commit = f"{count(state.commits, 'commit')} on {one_line(state.branch) or 'no branch'}, last {minute(state.last_commit)} ({state.head[:SHORT_ID]})"
    waiting = f"{count(len(state.uncommitted), 'file')}: {listed(state.uncommitted)}" if state.uncommitted else "nothing"
    facts = [
        ("history", commit),
        ("repository", f"{size(state.repository_bytes)}, {count(state.loose_objects, 'loose object')}"),
        ("uncommitted", waiting),
        ("index", one_line(state.index)),
        ("janitor", f"last run {minute(state.last_run)}, {count(state.last_run_moves, 'move')}{', undone' * state.last_run_undone}" if state.last_run else "has not moved anything yet"),
        ("next moves", "; ".join(f"{step} {number:,} {f'on {one_line(day)}' if day else 'now'}" for step, number, day in state.next_moves) or "none in sight"),
    ]
    if state.pending:
        facts.append(("to derive", f"{count(state.pending, 'block')}: strata jobs list"))
    if state.daemon:
        facts.append(("daemon", one_line(state.daemon)))
    if state.in_progress:
        facts.append(("in progress", f"a {one_line(state.in_progress)}; writes wait for its end"))
    return facts + [("passed over", f"{one_line(path)}: {one_line(why)}") for path, why in state.skipped]
