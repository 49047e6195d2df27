"""Commands about jobs: what waits to be derived from what was said, and who does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from strata.asking import KINDS
from strata.cli import inputs
from strata.cli.group import Command, Group, with_memory, with_session
from strata.cli.progress import Progress
from strata.cli.session import Session
from strata.errors import Ambiguous, Conflict, Locked, Malformed, ModelFailed, NotAMemory, NotFound, Refused, StrataError, UsageError
from strata.jobsheet import STATES, Job
from strata.memory import Memory
from strata.render.values import Listing, Reply

_WRITES = (NotAMemory, Conflict, Locked)


@click.group("jobs", cls=Group)
def jobs_command() -> None:
    """See and do what is to be derived from what was said.

    Each sealed block wants a summary (summarise), event cards (extract), and what these say of
    persons and things (project). Settings say who does that: rules, which need nothing; the agent
    that calls `strata jobs next` and `strata jobs done`; a command, or a model, which `strata jobs
    run` asks.
    """


def _command(name: str, *examples: str, exits: tuple[type[StrataError], ...] = ()) -> Any:
    return jobs_command.command(name, cls=Command, examples=examples, exits=(NotAMemory, *exits))


def _or_any(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    return value or ""


def _kind(function: Any) -> Any:
    return click.option("--kind", metavar="KIND", type=click.Choice(KINDS), callback=_or_any, help=f"Only this kind: {', '.join(KINDS)}.")(function)


class _Id(click.ParamType):
    """The id of a job; completes to those there are."""

    name = "id"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        jobs = ctx.ensure_object(Session).memory.jobs()
        return [CompletionItem(job.id, help=f"{job.state}, by {job.by}") for job in jobs if job.id.startswith(incomplete)]


def _nothing(memory: Memory) -> str:
    """What people read when there is no job: what would make one."""
    config = {kind: memory.config_get(kind) for kind in KINDS}
    who = ", ".join(f"{kind} by {memory.config_get('provider') if by == 'provider' else by}" for kind, by in config.items())
    return f"No jobs. A block that is sealed makes some ({who}); `strata jobs redo BLOCK` asks for one anew."


@_command("list", "strata jobs list", "strata jobs list --state failed")
@_kind
@click.option("--state", metavar="STATE", type=click.Choice(STATES), callback=_or_any, help="Only this state: due, claimed, waiting (tried again later), failed.")
@with_memory
def jobs_list_command(memory: Memory, kind: str, state: str) -> Listing:
    """List the jobs that are to be done, in their order, with what went wrong."""
    found = memory.jobs(kind, state)
    return Listing(found, empty=_nothing(memory) if not (kind or state) else "No such jobs.", note=_for_good(found))


@_command("next", "strata jobs next", "strata jobs next --kind extract --json", exits=(Conflict, Locked))
@_kind
@with_memory
def jobs_next_command(memory: Memory, kind: str) -> Any:
    """Take the next job, and print all that is needed to do it.

    Only jobs of provider agent are given out, each to one agent at a time, for as long as the
    setting job_lease says. Answer with `strata jobs done`, or give it back with `strata jobs fail`.
    With --json nothing to do is null.
    """
    sheet = memory.next_job(kind)
    if sheet is not None:
        return sheet
    left = memory.jobs(kind)
    if not left:
        return Reply(None, _nothing(memory))
    others = f"{len(left)} job{'s' * (len(left) != 1)} left"
    if not any(job.by == "agent" for job in left):
        return Reply(None, f"Nothing for an agent to do; {others} for `strata jobs run`. To do them yourself: strata config set provider agent")
    return Reply(None, f"Nothing to do now: {others}, and `strata jobs list` says what they wait for.")


@_command("show", "strata jobs show extract-blk-20261130-7f3akq", exits=(NotFound, Malformed))
@click.argument("id", type=_Id())
@with_memory
def jobs_show_command(memory: Memory, id: str) -> Any:
    """Print all that is needed to do a job, without taking it."""
    return memory.job(id)


@_command("done", "strata jobs done extract-blk-20261130-7f3akq < answer.json", "strata jobs done extract-blk-20261130-7f3akq --file answer.json", exits=(NotFound, Malformed, Refused, *_WRITES))
@click.argument("id", type=_Id())
@click.option("--file", "source", metavar="FILE", type=click.Path(), default="-", help="Where the answer stands; by default it is read from standard input.")
@with_memory
def jobs_done_command(memory: Memory, id: str, source: str) -> Any:
    """Hand in the answer to a job.

    It is checked against its source and written in one commit. A refusal names every fault at once
    and writes nothing; mend the answer and hand it in again.
    """
    return memory.job_done(id, inputs.decoded(*inputs.read(source, what="the answer")))


@_command("fail", "strata jobs fail extract-blk-20261130-7f3akq 'the source is not in a language I know'", exits=(NotFound, *_WRITES))
@click.argument("id", type=_Id())
@click.argument("reason", nargs=-1, required=True)
@with_memory
def jobs_fail_command(memory: Memory, id: str, reason: tuple[str, ...]) -> Listing:
    """Give a job back that you cannot do.

    It is due again after a minute, then after ten, and failed after three attempts.
    """
    return Listing([memory.job_fail(id, " ".join(reason))], empty="")


@_command("retry", "strata jobs retry extract-blk-20261130-7f3akq", "strata jobs retry --all", exits=(NotFound, *_WRITES))
@click.argument("id", type=_Id(), required=False)
@click.option("--all", "every", is_flag=True, help="All that failed or wait.")
@with_memory
def jobs_retry_command(memory: Memory, id: str | None, every: bool) -> Listing:
    """Make a job due again that failed or waits, with its attempts forgotten."""
    if (id is None) != every:
        raise UsageError("give either a job or --all", remedy="strata jobs list --state failed")
    return Listing(memory.job_retry(id), empty="No job failed, and none waits.")


@_command("run", "strata jobs run", "strata jobs run --kind extract --limit 10", exits=(ModelFailed, Malformed, Refused, *_WRITES))
@_kind
@click.option("--limit", metavar="N", type=click.IntRange(1), help="At most so many.")
@with_memory
def jobs_run_command(memory: Memory, kind: str, limit: int | None) -> Listing:
    """Do the jobs that are due, by rules, a command or a model.

    A job that fails is tried again later, and the others go on. Nothing is locked while a model
    works. The exit code is 1 if some of what was tried is not done.
    """
    with Progress("Deriving") as progress:
        done = memory.run_jobs(kind, limit, progress)
    return Listing(done, empty=_idle(memory) if not done else "", exit_code=int(any(item.outcome != "done" for item in done)))


def _idle(memory: Memory) -> str:
    left = memory.jobs()
    if not left:
        return _nothing(memory)
    told = f"Nothing to do now: {len(left)} job{'s' * (len(left) != 1)} left, and `strata jobs list` says what they wait for."
    return " ".join(filter(None, (told, _for_good(left))))


def _for_good(jobs: Sequence[Job]) -> str:
    """What those that failed wait for; "" where none did."""
    failed = sum(job.state == "failed" for job in jobs)
    return f"{failed} failed, and {'stays' if failed == 1 else 'stay'} so until: strata jobs retry --all" if failed else ""


@_command("redo", "strata jobs redo blk-20261130-7f3akq", "strata jobs redo blk-20261130-7f3akq --kind extract", exits=(NotFound, Ambiguous, *_WRITES))
@click.argument("refs", nargs=-1, required=True, metavar="BLOCK...")
@click.option("--kind", "kinds", metavar="KIND", type=click.Choice(KINDS), multiple=True, help=f"Only this kind, repeatable: {', '.join(KINDS)}.")
@with_memory
def jobs_redo_command(memory: Memory, refs: tuple[str, ...], kinds: tuple[str, ...]) -> Listing:
    """Ask for the summary, events or facts of blocks anew.

    Nothing is edited: new cards supersede those that a provider made of the same messages, and what
    is known already is not written again. What a person recorded stays.
    """
    jobs = memory.redo(refs, kinds)
    ways = dict.fromkeys("strata jobs next" if job.by == "agent" else "strata jobs run" for job in jobs if job.state == "due")
    return Listing(jobs, empty="Nothing to redo: the settings have these kinds off, or there is no card of a provider to project.", note=f"Asked for. To have it done: {' and '.join(ways)}" if ways else "")


@_command("allow", "strata jobs allow", exits=(Refused,))
@with_session
def jobs_allow_command(session: Session) -> Reply:
    """Allow on this machine what the settings of this memory would run or send text to.

    A memory may come from anybody, so nothing that its settings name is run, and nothing is sent,
    before that. Other settings have to be allowed anew.
    """
    allowance = session.memory.allow_jobs()
    if not allowance.wants:
        return Reply(allowance, "The settings of this memory run nothing and send nothing anywhere.")
    return Reply(allowance, f"{'Allowed' if allowance.fresh else 'It was allowed before'}: {allowance.wants}.")
