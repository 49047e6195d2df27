"""A result as text for people: one function for each kind of result."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from strata.render import rows
from strata.render.screen import Screen
from strata.render.values import Listing, Partly, Patch, Reply, Twofold
from strata.render.visible import one_line, visible
from strata.render.words import SHORT_ID, count, listed, secrets

if TYPE_CHECKING:
    from strata.results import Added, Appended, Context, Created, Ingested, Mapped, Run, Shown, Written


def text(value: Any, screen: Screen) -> str:
    """What people read for a result, without a final line end; "" where there is nothing to say."""
    match value:
        case Listing():
            return _listing(value, screen)
        case Partly():
            return text(value.value, screen)
        case Reply():
            return value.text
        case Twofold():
            return text(value.shown, screen)
        case None:
            return ""
        case Patch():
            return rows.patch(value, screen)
        case str():
            return visible(value)
    render = _ONE.get(type(value).__name__)
    return "\n".join(render(value, screen)) if render else visible(json.dumps(value, ensure_ascii=False))


def _listing(listing: Listing, screen: Screen) -> str:
    if not listing.items:
        return visible(listing.empty)
    note = [screen.paint(visible(listing.note), "dim")] if listing.note else []
    return "\n".join([*_MANY[type(listing.items[0]).__name__](listing, screen), *note])


def _created(made: Created, screen: Screen) -> list[str]:
    if not made.fresh:
        return [f"The memory at {one_line(made.path)} is there already; nothing was changed."]
    lines = [f"Made a memory at {screen.paint(one_line(made.path), 'bold')}"]
    if made.inside:
        lines.append(f"It lies inside another git repository, {one_line(made.inside)}: add it to the .gitignore there.")
    return [*lines, "", "Next:", '  strata add notes/plan "Ship on Friday."', "  strata search ship"]


def _added(note: Added, screen: Screen) -> list[str]:
    if not note.commit:
        return [f"{one_line(note.ref)} says just that already; nothing was written."]
    return [_wrote(note.ref, note.path, note.commit, screen), *secrets(note.redacted)]


def _written(record: Written, screen: Screen) -> list[str]:
    if not record.commit:
        return [f"{one_line(record.ref)} says just that already; nothing was written."]
    return [_wrote(record.ref, record.path, record.commit, screen)]


def _wrote(ref: str, path: str, commit: str, screen: Screen) -> str:
    return f"Wrote {screen.paint(one_line(ref), 'bold')} {screen.paint(f'({one_line(path)}, commit {commit[:SHORT_ID]})', 'dim')}"


def _events(refs: Sequence[str]) -> str:
    return f"; {count(len(refs), 'event')}" if refs else ""


def _appended(done: Appended, screen: Screen) -> list[str]:
    other = [screen.paint(f"Another text came under a known id, and the first was kept: {listed(done.differing)}", "yellow")] if done.differing else []
    if not done.stored:
        return [f"Nothing new: {count(done.repeated, 'message')} known already." if done.repeated else "There was nothing to store.", *other]
    known = f", {done.repeated:,} known already" if done.repeated else ""
    lines = [f"Stored {count(done.stored, 'message')}{known} {screen.paint(f'(commit {done.commit[:SHORT_ID]})', 'dim')}".rstrip()]
    if done.sealed:
        lines.append(f"Sealed {count(len(done.sealed), 'block')}: {listed(done.sealed)}{_events(done.events)}")
    return [*lines, *other, *secrets(done.redacted)]


def _ingested(done: Ingested, screen: Screen) -> list[str]:
    known = f", {done.repeated:,} known already" if done.repeated else ""
    where = f" in {count(len(done.threads), 'thread')}: {listed(done.threads)}" if done.threads else ""
    lines = [f"Read {count(done.read, 'message')} ({one_line(done.format)}){where}", f"Stored {done.stored:,}{known}"]
    if done.sealed:
        lines.append(f"Sealed {count(len(done.sealed), 'block')}: {listed(done.sealed, 3)}{_events(done.events)}")
    if done.skipped:
        lines.append("Passed over: " + ", ".join(f"{number:,} {one_line(why)}" for why, number in done.skipped.items()))
    lines += secrets(done.redacted)
    return lines + [screen.paint(f"Not read: {one_line(problem)}", "yellow") for problem in done.problems]


def _shown(record: Shown, screen: Screen) -> list[str]:
    level = f"level {record.level}" if record.level is not None else ""
    commit = f"as of {record.at[:SHORT_ID]}" if record.at else ""
    place = f"{record.path}:{record.line}" if record.line else record.path
    facts = "  ".join(one_line(fact) for fact in (record.kind, record.ref, record.tier, level, commit, place) if fact)
    body = visible(record.text).strip("\n")
    title = one_line(record.title)
    if record.entity is not None:
        return [*_late("network.entity")(record.entity, screen), *_standing(record, screen)]
    lines = [] if title in ("", body.partition("\n")[0].lstrip("# ")) else [screen.paint(title, "bold")]
    lines.append(screen.paint(facts, "dim"))
    lines += _standing(record, screen)
    if record.kind in ("event", "entity"):
        lines += rows.header(record.header, screen)
    return [*lines, "", body] if body else lines


def _standing(record: Shown, screen: Screen) -> list[str]:
    """Where it was brought back from by being opened, what stands against it, and how present it is."""
    lines = [screen.paint(f"It rested in {record.moved.partition('/')[0]}/ and was brought back to {record.tier}/.", "yellow")] if record.moved else []
    for words, refs in (("superseded by", record.superseded_by), ("conflicts with", record.conflicts_with)):
        if refs:
            lines.append(screen.paint(f"{words} {', '.join(map(one_line, refs))}", "yellow"))
    if record.weight is not None:
        lines.append(f"weight {record.weight.value:.2f}: {'; '.join(map(one_line, record.weight.reasons))}")
    return lines


def _run(run: Run, screen: Screen) -> list[str]:
    undone = any(move.step == "undo" for move in run.moves)
    lines = rows.moved(run.moves, screen)
    kinds = [(word, sum(move.step == step for move in run.moves)) for step, word in (("promote", "promoted"), ("migrate", "migrated"), ("evict", "archived"), ("undo", "moved back"))]
    total = ", ".join(f"{number:,} {word}" for word, number in kinds if number)
    if run.dry:
        head = f"A run now would move {count(len(run.moves), 'record')} of {run.looked:,}; nothing was changed." if run.moves else f"A run now would move none of {count(run.looked, 'record')}."
    elif undone or run.moves:
        head = f"{total[:1].upper()}{total[1:]} {screen.paint(f'(commit {run.commit[:SHORT_ID]})', 'dim')}"
    else:
        head = f"Nothing to move: {count(run.looked, 'record')} looked at."
    lines += ["", head] if lines else [head]
    lines += [screen.paint(f"Passed over: {one_line(note)}", "yellow") for note in run.passed_over]
    if run.guard:
        lines.append(screen.paint(f"This run would be refused: {one_line(run.guard)}", "yellow"))
    return lines


def _log(listing: Listing, screen: Screen) -> list[str]:
    return [f"{screen.paint(one_line(line.at), 'dim')} {one_line(line.text)}".lstrip() for line in listing.items]


def _context(given: Context, screen: Screen) -> list[str]:
    return given.text.rstrip("\n").split("\n") if given.text else []  # it is safe to show as it is, and counted so


def _mapped(drawn: Mapped, screen: Screen) -> list[str]:
    return [visible(drawn.text.rstrip("\n"))]


def _late(name: str) -> Callable[[Any, Screen], list[str]]:
    """A function of another module of this package, imported when it is called: each is of use to a few commands alone."""

    def render(value: Any, screen: Screen) -> list[str]:
        module, _, function = name.partition(".")
        found: list[str] = getattr(import_module(f"strata.render.{module}"), function)(value, screen)
        return found

    return render


# By the name of the class: a search need not import the classes of all other results to print its hits.
_ONE: dict[str, Callable[[Any, Screen], list[str]]] = {
    "Created": _created,
    "Added": _added,
    "Written": _written,
    "Appended": _appended,
    "Ingested": _ingested,
    "Shown": _shown,
    "Status": _late("state.status"),
    "Cost": _late("savings.cost"),
    "Mapped": _mapped,
    "Context": _context,
    "Run": _run,
    "Batch": _late("evidence.batch"),
    "Assessed": _late("evidence.assessed"),
    "Used": _late("evidence.used"),
    "JobSheet": _late("jobs.sheet"),
    "Answered": _late("jobs.answered"),
    "EntityShown": _late("network.entity"),
    "Rearranged": _late("network.rearranged"),
    "Rebuilt": _late("network.rebuilt"),
    "Way": _late("network.way"),
    "Link": _late("provenance.why"),
    "Beliefs": _late("provenance.beliefs"),
}

_MANY: dict[str, Callable[[Listing, Screen], list[str]]] = {
    "Hit": rows.hits,
    "Row": rows.records,
    "Sealed": rows.sealed,
    "Commit": rows.commits,
    "Moved": lambda listing, screen: rows.moved(listing.items, screen),
    "Marked": rows.marked,
    "Leveled": rows.leveled,
    "Problem": rows.problems,
    "SettingRow": rows.settings,
    "LogLine": _log,
    "Open": _late("evidence.left_open"),
    "Job": _late("jobs.jobs"),
    "Done": _late("jobs.done"),
    "EntityRow": _late("network.entities"),
    "EntityFound": _late("network.found"),
}
