"""Commands that read: search, show, list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from strata.cli import inputs
from strata.cli.group import command, with_memory, with_session
from strata.cli.options import RECORD_KINDS, Date, Ref, axes, bounds, filters, happened
from strata.cli.progress import Progress
from strata.cli.session import Session
from strata.errors import Ambiguous, Malformed, NotAMemory, NotFound, OutsideMemory, UsageError
from strata.memory import Memory
from strata.render.values import Listing, Twofold

if TYPE_CHECKING:
    from strata.assessment import Batch


@command(
    "search",
    examples=(
        "strata search which package manager",
        "strata search pnpm --kind message,block --since 2026-01 --limit 5",
        "strata search --gate when did we choose pnpm",
        "strata search where does Jo live --at 2026-03",
        "strata search package manager --believed HEAD~20",
        """echo '{"id": "1", "query": "package manager"}' | strata search --batch -""",
    ),
    exits=(NotAMemory, NotFound, Malformed),
)
@click.argument("query", nargs=-1)
@filters(("message", *RECORD_KINDS))
@click.option("--happened-from", metavar="DATE", type=Date(), default=None, help="Only events that happened then or later.")
@click.option("--happened-to", metavar="DATE", type=Date(), default=None, help="Only events that happened by then.")
@click.option("--at", metavar="DATE", type=Date(), default=None, help="What was true then: only what was said or happened by that date. What has no time is left out.")
@click.option("--believed", metavar="WHEN", default=None, help="What this memory held then: a revision (HEAD~3, a commit id) or a date. Read from git, without a checkout.")
@click.option("--explain", is_flag=True, help="Say for each hit what gave it its score.")
@click.option("--gate", is_flag=True, help="Open a batch, to answer from: `strata assess` judges it, `strata use` counts what helped.")
@click.option("--after", metavar="BATCH", default="", help="With --gate: the batch whose assessment led here; what was searched for it is not proposed again.")
@click.option("--batch", metavar="FILE", type=click.Path(), help="Answer many: JSON Lines {id, query} in, {id, hits} out; - is standard input.")
@with_session
def search_command(session: Session, query: tuple[str, ...], gate: bool, after: str, batch: str | None, **narrow: Any) -> Any:
    """Find messages, blocks, events and notes by their words.

    The query is text: quotes and capitals mean nothing special, and no character is an operator.
    Words that are together need no quotes. Put `--` before a query that begins with a dash. What
    was edited by hand a moment ago is found too. Nothing found is no error.

    --at asks for what was true at a date, --believed for what this memory held at one; both together
    for what it then held to have been true.
    """
    narrow |= bounds(narrow["since"], narrow["until"]) | happened(narrow["happened_from"], narrow["happened_to"]) | axes(narrow["at"], narrow["believed"])
    words = " ".join(query)
    if after and not gate:
        raise UsageError("--after is given without --gate", remedy="add --gate")
    if batch is not None:
        if gate:
            raise UsageError("both --gate and --batch are given", remedy="open one batch a question")
        return _batch(session, batch, words, _ready(session.memory, narrow))
    if not words.strip():
        raise UsageError("the query is empty", remedy="say what to search for: strata search which package manager")
    if gate:
        return _gated(session.memory.ask(words, after=after, **narrow))
    return Listing(session.memory.search(words, **_ready(session.memory, narrow)), empty=_nothing(words, narrow), query=words)


def _ready(memory: Memory, narrow: dict[str, Any]) -> dict[str, Any]:
    """The same, once the index of an earlier commit is there, if one is asked for."""
    if not narrow["believed"]:
        return narrow
    with Progress("Reading the commit") as progress:
        return narrow | {"believed": memory.believe(narrow["believed"], progress)}


def _gated(found: Batch) -> Twofold:
    """An open batch; a program finds its id under `batch`, as in all that follows."""
    return Twofold({"batch": found.id, "query": found.query, "at": found.at, "hits": found.hits}, found)


def _batch(session: Session, source: str, words: str, narrow: dict[str, Any]) -> Listing:
    """The answers to a batch, always as JSON, since only a program asks so."""
    if words:
        raise UsageError("both a query and --batch are given", remedy="give one of them")
    session.json = True
    pairs = inputs.queries(source)
    answers = session.memory.search_many([query for _, query in pairs], **narrow)
    return Listing([{"id": name, "hits": hits} for (name, _), hits in zip(pairs, answers, strict=True)], empty="")


def _nothing(words: str, narrow: dict[str, Any]) -> str:
    narrowed = any(value for name, value in narrow.items() if name not in ("limit", "explain"))
    advice = "try it without the filters" if narrowed else "try fewer or other words, or look around with `strata list`"
    return f"No hits for {words!r}: {advice}."


@command(
    "show",
    examples=("strata show notes/plan", "strata show blk-2026 --level 1", "strata show tails/kynd#m7", "strata show notes/plan --believed HEAD~1", "strata show ent-person-jo --at 2026-03"),
    exits=(NotAMemory, NotFound, Ambiguous, OutsideMemory),
)
@click.argument("ref", type=Ref())
@click.option("--level", metavar="0-5", type=click.IntRange(0, 5), help="For a block: 0 title, 1 summary, 2 key points, 3 condensed, 4 readable, 5 verbatim.")
@click.option("--at", metavar="WHEN", help="Of an entity and a date: the facts true then. Of any other record, and for a revision: the same as --believed.")
@click.option("--believed", metavar="WHEN", help="As the memory held it then: a revision (HEAD~3, a commit id) or a date.")
@click.option("--peek", is_flag=True, help="Only look: count no access, and leave what is archived where it is.")
@with_memory
def show_command(memory: Memory, ref: str, level: int | None, at: str | None, believed: str | None, peek: bool) -> Any:
    """Show one record, or one message of it.

    REF is an id, a prefix of one that fits no other, or a path; `#m3` after it names a message.
    Opening a record counts as an access, and brings it back from archive/ to cooled/.
    """
    return memory.show(ref, level=level, at=at, believed=believed, peek=peek)


@command("list", examples=("strata list", "strata list --kind block --thread main --limit 20", "strata list --tier active,cooled --since 2026-05", "strata list --believed HEAD~1"))
@filters(RECORD_KINDS)
@click.option("--at", metavar="DATE", type=Date(), default=None, help="Only what was said or happened by that date, or by the end of that month or year, and entities of which something was true then. What has no time is left out.")
@click.option("--believed", metavar="WHEN", default=None, help="What this memory held then: a revision (HEAD~3, a commit id) or a date.")
@click.option("--forgotten", is_flag=True, help="Those that were forgotten, and no others.")
@with_memory
def list_command(memory: Memory, since: str | None, until: str | None, at: str | None, believed: str | None, **narrow: Any) -> Listing:
    """List records, newest first."""
    narrow |= bounds(since, until) | axes(at, believed)
    rows = memory.list(**_ready(memory, narrow))
    narrowed = any(value for name, value in narrow.items() if name != "limit")
    if not rows and not narrowed and memory.list(forgotten=True, limit=1):
        return Listing(rows, empty="All records are forgotten: strata list --forgotten")
    return Listing(rows, empty="No record passes these filters." if narrowed else "There are no records yet: `strata add` writes a note, and turns become blocks when they are sealed (`strata status`).")
