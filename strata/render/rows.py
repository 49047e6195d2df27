"""Lists of results as text for people: hits, records, blocks, commits, problems, settings, counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from strata.model import Kind
from strata.render.screen import Screen
from strata.render.values import Listing
from strata.render.visible import fit, one_line, visible, width, wrapped
from strata.render.words import SHORT_ID, count, day, listed, minute, size

_INDENT = "   "
_LEAST = 12  # columns that a title needs to be worth showing
_SEVERITY = {"error": "bold red", "warning": "yellow", "note": "dim"}
_STATUS = {"current": "green", "outdated": "yellow", "disputed": "yellow"}
_TIER = {"active": "green", "cooled": "blue", "archive": "dim"}


def hits(listing: Listing, screen: Screen) -> list[str]:
    """Two lines a hit: what it is, and the text around the match; at the end what to do with those that rest in archive/."""
    lines: list[str] = []
    for hit in listing.items:
        facts = [(one_line(hit.ref), "cyan"), (hit.kind, ""), (hit.tier, _TIER.get(hit.tier, "")), (day(hit.at), ""), (one_line(hit.speaker), "")]
        if hit.status:
            facts.append((f"{hit.status}, see {one_line(hit.counterpart)}" if hit.status in ("outdated", "disputed") else hit.status, _STATUS[hit.status]))
        facts = [(words, style) for words, style in facts if words]
        title, style = (f"in: {one_line(hit.title)}", "dim") if hit.message and hit.title else (one_line(hit.title), "bold")
        room = screen.columns - sum(width(words) + 2 for words, _ in facts) if screen.columns else None
        if title and (room is None or room >= _LEAST):
            facts.append((title if room is None else fit(title, room), style))
        lines.append("  ".join(screen.paint(words, style) for words, style in facts))
        snippet = one_line(hit.snippet)
        pieces = wrapped(snippet, max(20, screen.columns - len(_INDENT))) if screen.columns else [snippet]
        lines += [_INDENT + _marked(piece, listing.query, screen) for piece in pieces if piece]
        if hit.why:
            lines += _reasons(hit, screen)
    if resting := sum(hit.tier == "archive" for hit in listing.items):
        rest = "1 of these rests" if resting == 1 else f"{resting:,} of these rest"
        lines.append(screen.paint(f"{rest} in archive/: `strata show REF` brings {'it' if resting == 1 else 'one'} back, with `--peek` it only looks.", "dim"))
    return lines


def _reasons(hit: Any, screen: Screen) -> list[str]:
    """What gave a hit its score: what was added, then the factors."""
    said = [f"{reason.gave} {reason.signal}{f' {one_line(reason.detail)}' if reason.detail else ''}" for reason in hit.why]
    text = f"score {hit.score:.2f}: {', '.join(said)}"
    pieces = wrapped(text, max(20, screen.columns - len(_INDENT))) if screen.columns else [text]
    return [_INDENT + screen.paint(piece, "dim") for piece in pieces]


def _marked(snippet: str, query: str, screen: Screen) -> str:
    """The snippet with what matched in colour."""
    if not screen.colours:
        return snippet
    from strata.snippet import spans

    parts, last = [], 0
    for start, end, _ in spans(snippet, query):
        if start >= last:
            parts += [snippet[last:start], screen.paint(snippet[start:end], "bold yellow")]
            last = end
    return "".join([*parts, snippet[last:]])


def records(listing: Listing, screen: Screen) -> list[str]:
    """One line a record."""
    rows = [(day(row.at), row.kind, row.tier, one_line(row.ref), one_line(row.title)) for row in listing.items]
    return screen.table(rows, ("dim", "", "dim", "cyan", ""))


def moved(moves: Sequence[Any], screen: Screen) -> list[str]:
    """One line a move: what, from where to where, and why."""
    rows = [(one_line(move.ref), move.source.partition("/")[0], "->", move.target.partition("/")[0], one_line(move.reason)) for move in moves]
    return screen.table(rows, ("cyan", "dim", "dim", "", "dim"))


def marked(listing: Listing, screen: Screen) -> list[str]:
    """One line a record: what it is now, or that it was so already."""
    said = {"pin": "Pinned", "unpin": "Unpinned", "forget": "Forgot", "restore": "Restored"}
    was = {"pin": "is pinned already", "unpin": "is not pinned", "forget": "is forgotten already", "restore": "is just that already"}
    lines = []
    for item in listing.items:
        ref = screen.paint(one_line(item.ref), "bold")
        place = screen.paint(f"({one_line(item.path)}, commit {item.commit[:SHORT_ID]})", "dim")
        lines.append(f"{said[item.mark]} {ref} {place}" if item.commit else f"{one_line(item.ref)} {was[item.mark]}; nothing was written.")
    return lines


def leveled(listing: Listing, screen: Screen) -> list[str]:
    """One line a block: where it stands in its thread, the level it is shown at, what that takes, and why."""
    rows = [
        (one_line(block.thread), block.ref, f"turns {block.first_turn:,}-{block.last_turn:,}", f"age {block.age:,}", f"L{block.level}", f"{block.tokens:,} tokens", block.why, one_line(block.title))
        for block in listing.items
    ]
    counter = listing.items[0].counter
    return [*screen.table(rows, ("", "cyan", "dim", "", "bold", "", "dim", ""), right=(3, 5)), screen.paint(f"Tokens by {counter}.", "dim")]


def sealed(listing: Listing, screen: Screen) -> list[str]:
    """One line a block that was made."""
    rows = [
        (block.ref, one_line(block.thread), f"turns {block.first_turn:,}-{block.last_turn:,}", count(block.messages, "message"), count(len(block.events), "event") if block.events else "", one_line(block.title))
        for block in listing.items
    ]
    return screen.table(rows, ("cyan", "", "dim", "dim", "dim", ""))


def commits(listing: Listing, screen: Screen) -> list[str]:
    """One line a commit."""
    rows = [(commit.id[:SHORT_ID], minute(commit.at), one_line(commit.author.name), one_line(commit.subject)) for commit in listing.items]
    return screen.table(rows, ("yellow", "dim", "dim", ""))


def problems(listing: Listing, screen: Screen) -> list[str]:
    """Two lines a problem: where and what, then what helps; a count at the end."""
    lines = []
    for problem in listing.items:
        place = one_line(f"{problem.path}:{problem.line}" if problem.line else problem.path)
        lines.append(f"{screen.paint(problem.severity, _SEVERITY.get(problem.severity, ''))}  {place}: {one_line(problem.message)}")
        if problem.remedy:
            lines.append(screen.paint(_INDENT + one_line(problem.remedy), "dim"))
    kinds = [(name, sum(problem.severity == name for problem in listing.items)) for name in _SEVERITY]
    total = ", ".join(count(number, name) for name, number in kinds if number)
    fixable = sum(problem.fixable for problem in listing.items)
    return [*lines, "", total + (f"; {fixable:,} of them `strata doctor --fix` can mend" if fixable else "")]


def settings(listing: Listing, screen: Screen) -> list[str]:
    """One line a setting; what differs from its default says so."""
    rows = [
        (row.key, one_line(str(row.value)), "" if row.default in (row.value, "") else f"(default {one_line(str(row.default))})", row.meaning)
        for row in listing.items
    ]
    return screen.table(rows, ("cyan", "bold", "yellow", "dim"))


def counts(table: Mapping[str, Mapping[str, tuple[int, int]]], screen: Screen) -> list[str]:
    """Files and bytes of each tier by kind."""
    kinds = [str(kind) for kind in Kind if any(kind in found for found in table.values())]
    if not kinds:
        return ["There is nothing in it yet."]
    rows = [("", *(f"{kind}s" if kind != "entity" else "entities" for kind in kinds), "size")]
    for tier, found in table.items():
        numbers = [f"{found[kind][0]:,}" if kind in found else "–" for kind in kinds]
        rows.append((tier, *numbers, size(sum(total for _, total in found.values())) if found else "–"))
    return screen.table(rows, ("bold", *[""] * len(kinds), "dim"), right=range(1, len(kinds) + 2))


def header(values: Mapping[str, Any], screen: Screen) -> list[str]:
    """The filled keys of a record's header, aligned."""
    rows = []
    for key, value in values.items():
        shown = listed([str(item) for item in value], 20) if isinstance(value, list | tuple) else one_line(str(value))
        if shown and key not in ("id", "kind", "title"):
            rows.append((visible(key), shown))
    return screen.table(rows, ("dim", ""))


def patch(difference: str, screen: Screen) -> str:
    """A patch, its lines coloured by their first character."""
    if not difference:
        return "No differences."
    styles = {"+": "green", "-": "red", "@": "cyan"}
    lines = visible(difference).removesuffix("\n").split("\n")
    return "\n".join(screen.paint(line, "bold" if line.startswith(("+++", "---", "diff ")) else styles.get(line[:1], "")) for line in lines)
