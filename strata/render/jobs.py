"""Jobs as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata.render.screen import Screen
from strata.render.values import Listing
from strata.render.visible import fit, one_line
from strata.render.words import SHORT_ID, count, listed, minute

if TYPE_CHECKING:
    from strata.jobsheet import Answered, Done, JobSheet

_STATE = {"due": "", "claimed": "blue", "waiting": "yellow", "failed": "bold red"}
_OUTCOME = {"done": "green", "refused": "yellow", "failed": "yellow", "changed": "dim", "stopped": "bold red"}
_ERROR = 160  # columns of an error in a list
_INDENT = "   "


def jobs(listing: Listing, screen: Screen) -> list[str]:
    """One line a job, and below it what went wrong."""
    cells, errors = [], []
    for job in listing.items:
        until = f"{'until' if job.state == 'claimed' else 'from'} {minute(job.until)}" if job.until else ""
        tries = f"{count(job.attempts, 'attempt')}" if job.attempts else ""
        cells.append((job.id, job.state, f"by {job.by}", until, tries, "redo" if job.redo else ""))
        errors.append(job.error)
    lines: list[str] = []
    for line, job, error in zip(screen.table(cells, ("cyan", "", "dim", "dim", "dim", "dim")), listing.items, errors, strict=True):
        lines.append(line.replace(job.state, screen.paint(job.state, _STATE[job.state]), 1) if screen.colours else line)
        if error:
            lines.append(screen.paint(_INDENT + fit(one_line(error), _ERROR), "yellow"))
    return lines


def sheet(found: JobSheet, screen: Screen) -> list[str]:
    """The prompt with the schema below it, then how to answer: what an agent reads and does."""
    import json

    schema = json.dumps(found.schema, ensure_ascii=False, separators=(",", ":"))
    kept = f" It is kept for you until {found.until}." if found.until else ""
    tail = f"Job {found.id}.{kept} Answer with: strata jobs done {found.id} (the JSON on standard input, or --file)"
    return [*found.prompt.rstrip("\n").split("\n"), "", "The JSON Schema of the answer:", schema, "", screen.paint(tail, "bold")]


def done(listing: Listing, screen: Screen) -> list[str]:
    """One line a job that was tried, and what went wrong."""
    cells = [(item.id, item.outcome, f"by {one_line(item.by)}", _made(item)) for item in listing.items]
    lines: list[str] = []
    for line, item in zip(screen.table(cells, ("cyan", "", "dim", "dim")), listing.items, strict=True):
        lines.append(line.replace(item.outcome, screen.paint(item.outcome, _OUTCOME[item.outcome]), 1) if screen.colours else line)
        if item.error:
            lines.append(screen.paint(_INDENT + fit(one_line(item.error), _ERROR), "yellow"))
    counts = [f"{sum(each.outcome == word for each in listing.items)} {word}" for word in _OUTCOME if any(each.outcome == word for each in listing.items)]
    return [*lines, f"{count(len(listing.items), 'job')}: {', '.join(counts)}"]


def answered(item: Answered, screen: Screen) -> list[str]:
    """What came of an answer, each record on a line of its own where there are several."""
    commit = f"commit {item.commit[:SHORT_ID]}" if item.commit else ""
    if not item.refs:
        return [f"Taken: it says nothing new of {one_line(item.ref)}{f' ({commit})' if commit else ''}"]
    if not commit:
        return [f"Taken: {listed(item.refs)} {'is' if len(item.refs) == 1 else 'are'} as before; nothing was written."]
    if len(item.refs) == 1:
        return [f"Wrote {screen.paint(one_line(item.ref), 'bold')} {screen.paint(f'({one_line(item.path)}, {commit})', 'dim')}"]
    return [f"Wrote {count(len(item.refs), 'record')} ({commit})", *(_INDENT + screen.paint(one_line(ref), "cyan") for ref in item.refs)]


def _made(item: Done) -> str:
    if item.outcome != "done":
        return ""
    if not item.refs:
        return "no new event card" if item.id.startswith("extract-") else "nothing new"
    return f"{listed(item.refs, 3)} (commit {item.commit[:SHORT_ID]})" if item.commit else f"{listed(item.refs, 3)}, as before"
