"""Commands about answering: the batch of a search, its assessment, the use of its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from strata.assessment import STRATEGIES, VERDICTS
from strata.cli import inputs
from strata.cli.group import command, with_memory, with_session
from strata.cli.session import Session
from strata.errors import Conflict, Locked, Malformed, NotAMemory, NotFound, Refused, UsageError
from strata.memory import Memory
from strata.render.values import Listing
from strata.road import told_as_json


class Refs(click.ParamType):
    """Refs separated by commas; the value is a tuple, empty for ""."""

    name = "refs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, tuple) else tuple(part.strip() for part in value.split(",") if part.strip())


def _flat(groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(ref for group in groups for ref in group)


@command(
    "assess",
    examples=(
        'strata assess bat-20261130-7f3akq --verdict partial --refs evt-20261130-x2m9ta --missing "the date"',
        "strata assess bat-20261130-7f3akq --verdict sufficient --refs 'blk-20261130-7f3akq#m3' --fit 'says last week'",
        """echo '{"verdict": "wrong", "missing": "all of it"}' | strata assess bat-20261130-7f3akq --json-input -""",
    ),
    exits=(NotAMemory, NotFound, Malformed, Refused, Locked),
)
@click.argument("batch")
@click.option("--verdict", metavar="WORD", help=f"How well the hits answer the question: {', '.join(VERDICTS)}.")
@click.option("--refs", "evidence_refs", metavar="REFS", type=Refs(), multiple=True, help="The evidence, at most eight refs of the batch, separated by commas.")
@click.option("--fit", metavar="TEXT", help="How the evidence fits, in at most 160 characters.")
@click.option("--missing", metavar="TEXT", help="What is missing, in at most 160 characters.")
@click.option("--next", "next_strategy", metavar="STRATEGY", help=f"What to do next: {', '.join(STRATEGIES)}.")
@click.option("--json-input", metavar="FILE", type=click.Path(), help="The five fields as a JSON object instead; - is standard input.")
@with_session
def assess_command(session: Session, batch: str, evidence_refs: tuple[tuple[str, ...], ...], json_input: str | None, **fields: str | None) -> Any:
    """Say how well a batch answers its question.

    The answer says what of that stands, which refs are no evidence and why, what should be looked at
    first, and the one command to run next. Sufficient stands only with evidence that is of this
    batch and still says what it said. BATCH is the id that `strata search --gate` gave.
    """
    given: dict[str, Any] = {name: value for name, value in fields.items() if value is not None} | ({"evidence_refs": _flat(evidence_refs)} if evidence_refs else {})
    if json_input is not None:
        if given:
            raise UsageError("both fields and --json-input are given", remedy="give one of them")
        given = _fields(inputs.json_object(json_input, what="the assessment"))
    if "verdict" not in given:
        raise UsageError("the verdict is missing", remedy=f"give --verdict {', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}")
    said = session.memory.assess(batch, **given)
    return said._replace(next=told_as_json(said.next)) if session.json else said


def _fields(value: dict[str, Any]) -> dict[str, Any]:
    """The fields of a JSON object; a batch id among them is left to the argument."""
    from strata.gate import FIELDS

    if unknown := [name for name in value if name not in FIELDS]:
        raise UsageError(f"an assessment has no field {ascii(unknown[0][:40])}", remedy=f"its fields are {', '.join(FIELDS)}")
    return value


@command(
    "use",
    examples=("strata use bat-20261130-7f3akq --refs 'blk-20261130-7f3akq#m3'", "strata use bat-20261130-7f3akq --none"),
    exits=(NotAMemory, NotFound, Malformed, Refused, Conflict, Locked),
)
@click.argument("batch")
@click.option("--refs", metavar="REFS", type=Refs(), multiple=True, help="What helped, of the accepted evidence, separated by commas.")
@click.option("--none", is_flag=True, help='Nothing of it helped: close the batch, and count nothing; the same as --refs "".')
@with_memory
def use_command(memory: Memory, batch: str, refs: tuple[tuple[str, ...], ...], none: bool) -> Any:
    """Count the evidence that helped an answer.

    Only this makes a memory weigh more; searching never does. Only refs of a sufficient assessment
    count, for the events behind them. The same again counts nothing.
    """
    if none and _flat(refs):
        raise UsageError("both --refs and --none are given", remedy="give one of them")
    if not none and not refs:
        raise UsageError("nothing says what was used", remedy="give --refs REF,… or --none")
    return memory.use(batch, _flat(refs))


@command("unassessed", examples=("strata unassessed",))
@with_memory
def unassessed_command(memory: Memory) -> Listing:
    """List the batches that were left open: not assessed, or sufficient and not used."""
    return Listing(memory.unassessed(), empty="No batch is open.")
