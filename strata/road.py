"""The one command that follows an assessment: use, look again, search elsewhere, or the honest end.

Every step leads to something that was not tried for this question yet, so that who only runs what it is told comes to an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from strata.assessment import SUFFICIENT, Assessment, Doubt

ALL, NARROWED, WORDS = "all", "narrowed", "words"  # searches that are not for one kind: of everything, within filters, with other words

_QUERY = 300  # characters of a query that the next command repeats
_OPENS = {"expand_event": ("event",), "expand_graph_node": ("entity",), "expand_block": ("block", "message")}
_SEARCHES = {"search_events": "event", "expand_event": "event", "search_graph": "entity", "expand_graph_node": "entity"}
_STRATEGY = {"event": "search_events", "entity": "search_graph"}


class Road(NamedTuple):
    """What was done about a question so far: `options` of its search, the kinds `searched` for it, the refs that were `opened`."""

    batch: str
    query: str
    hits: int = 1
    options: tuple[tuple[str, str], ...] = ()
    searched: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


class Step(NamedTuple):
    """A command line; the ref it `opens`; the strategy it follows; whether nothing is left but to say so."""

    command: str
    opens: str = ""
    strategy: str = ""
    end: bool = False


def searched(kinds: Sequence[str], options: Sequence[tuple[str, str]], before: Sequence[str] = (), *, reworded: bool = False) -> tuple[str, ...]:
    """What was searched for a question, after what was searched `before`."""
    now = tuple(kinds) or ((ALL,) if all(name == "--limit" for name, _ in options) else (NARROWED,))
    return tuple(dict.fromkeys((*before, *now, *([WORDS] if reworded else []))))


def next_step(road: Road, stands: Assessment, kinds: Mapping[str, str], warnings: Sequence[Doubt] = ()) -> Step:
    """What to run next; `kinds` are those of the batch's refs, best first."""
    if stands.verdict == SUFFICIENT:
        return _again(road, stands, warnings) or Step(use_command(road.batch, stands.evidence_refs))
    step = _open(road, stands, kinds) or _search(road, stands)
    return step or Step(f"strata use {road.batch} --none", end=True)


def use_command(batch: str, refs: Sequence[str]) -> str:
    """Count this evidence."""
    return f"strata use {batch} --refs {quoted(','.join(refs))}"


def told_as_json(command: str) -> str:
    """The same command, answered as JSON."""
    search = "strata search --gate"
    return f"{search} --json{command[len(search) :]}" if command.startswith(search) else f"{command} --json"


def _again(road: Road, stands: Assessment, warnings: Sequence[Doubt]) -> Step | None:
    """What to look at before believing it: what a warning points to, else another kind of record."""
    stops = [doubt for doubt in warnings if doubt.stop]
    for ref in (ref for doubt in stops for ref in doubt.refs):
        if ref not in stands.evidence_refs and ref not in road.opened:
            return Step(_show(ref), ref)
    return _search(road, stands) if stops else None


def _open(road: Road, stands: Assessment, kinds: Mapping[str, str]) -> Step | None:
    """The record behind what was found, unless it was opened before."""
    wanted = _OPENS.get(stands.next_strategy, ())
    for ref in (*stands.evidence_refs, *kinds):
        if kinds.get(ref) in wanted and (record := ref.partition("#")[0]) not in road.opened:
            return Step(_show(record), record, stands.next_strategy)
    return None


def _show(ref: str) -> str:
    level = " --level 4" if ref.startswith("blk-") and "#" not in ref else ""
    return f"strata show {quoted(ref)}{level} --peek"


def _search(road: Road, stands: Assessment) -> Step | None:
    """The next kind that was not searched; at last everything, in the words of what is missing too."""
    if road.hits or ALL not in road.searched:  # what no kind has, none of them has
        for kind in dict.fromkeys((_SEARCHES.get(stands.next_strategy, "message"), "message", "event")):
            if kind not in road.searched:
                return Step(_command(road, road.query, [("--kind", kind), *road.options]), strategy=_STRATEGY.get(kind, "search_raw_memory"))
    if ALL not in road.searched or (stands.missing and WORDS not in road.searched):
        words = f"{road.query[: _QUERY // 2]} {stands.missing}" if stands.missing else road.query
        return Step(_command(road, words, [option for option in road.options if option[0] == "--limit"]), strategy="search_raw_memory")
    return None


def _command(road: Road, query: str, options: Sequence[tuple[str, str]]) -> str:
    return " ".join(["strata search --gate", *_told((*options, ("--after", road.batch))), "--", quoted(query if len(query) <= _QUERY else query[: _QUERY - 1] + "…")])


def _told(options: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, value in options:
        yield f"{name} {quoted(value)}" if not value.startswith("-") else f"{name}={quoted(value)}"


def quoted(words: str) -> str:
    """A text as one word of a command line."""
    plain = "".join(character for character in words if character.isprintable())
    if plain and plain[0] != "#" and all(character.isalnum() or character in "-_./#,:@+" for character in plain):
        return plain
    return "'" + plain.replace("'", "'\\''") + "'"
