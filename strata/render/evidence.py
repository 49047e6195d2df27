"""Batches, assessments and uses as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata.render import rows
from strata.render.screen import Screen
from strata.render.values import Listing
from strata.render.visible import one_line
from strata.render.words import count, listed, minute
from strata.road import use_command

if TYPE_CHECKING:
    from strata.assessment import Assessed, Batch, Used

_SHOWN = 10  # rejected refs that people are shown


def batch(found: Batch, screen: Screen) -> list[str]:
    """The hits as a search prints them, the id of the batch, and what to run next."""
    lines = rows.hits(Listing(found.hits, empty="", query=found.query), screen) if found.hits else ["No hits."]
    verdict, cited = ("VERDICT", " --refs REFS") if found.hits else ("wrong", "")
    lines += ["", f"Batch {screen.paint(found.id, 'bold')}. Next: strata assess {found.id} --verdict {verdict}{cited}"]
    return [*lines, screen.paint("VERDICT is sufficient, partial or wrong; REFS are the hits that are evidence, with commas between.", "dim")] if found.hits else lines


def assessed(said: Assessed, screen: Screen) -> list[str]:
    """What stands, what is no evidence, what to look at, what to run next."""
    stands = said.accepted
    evidence = f": {listed(stands.evidence_refs, 8)}" if stands.evidence_refs else ""
    lines = [screen.paint(stands.verdict.capitalize(), "bold green" if said.sufficient else "bold yellow") + evidence]
    lines += [f"{name}: {one_line(text)}" for name, text in (("Fits", stands.fit), ("Missing", stands.missing)) if text]
    for refused in said.rejected[:_SHOWN]:
        why = f" ({one_line(refused.detail)})" if refused.detail else ""
        lines.append(screen.paint(f"No evidence: {one_line(refused.ref)}  {refused.reason}{why}", "yellow"))
    if (more := len(said.rejected) - _SHOWN) > 0:
        lines.append(screen.paint(f"No evidence: {count(more, 'more ref')}", "yellow"))
    for doubt in said.warnings:
        lines.append(screen.paint(f"{'Stop' if doubt.stop else 'Note'}: {one_line(doubt.message)}", "bold red" if doubt.stop else "dim"))
    if said.sufficient and not said.next.startswith("strata use "):
        lines.append(screen.paint(f"If it is enough all the same: {one_line(use_command(said.batch, stands.evidence_refs))}", "dim"))
    return [*lines, f"Next: {one_line(said.next)}"]


def used(done: Used, screen: Screen) -> list[str]:
    """What was counted, and for what."""
    if not done.refs:
        return [f"Closed {done.batch}; nothing was counted." if done.fresh else f"{done.batch} is closed already; nothing was counted."]
    if not done.fresh:
        return [f"Counted before: {listed(done.refs, 8)}"]
    behind = f" for {listed(done.events)}" if done.events != done.refs else ""
    return [f"Counted {screen.paint(listed(done.refs, 8), 'bold')}{behind}"]


def left_open(listing: Listing, screen: Screen) -> list[str]:
    """One line a batch."""
    cells = [(item.batch, minute(item.at), f"waits for {item.waits_for}", count(item.hits, "hit"), one_line(item.query)) for item in listing.items]
    return screen.table(cells, ("cyan", "dim", "", "dim", ""))
