"""Parameters that several commands share: refs that complete, names from a list, dates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from strata.cli.session import Session

RECORD_KINDS = ("block", "event", "entity", "note")
TIERS = ("active", "cooled", "archive")


class Ref(click.ParamType):
    """A record or a message; completes to the refs that the memory holds."""

    name = "ref"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        rows = ctx.ensure_object(Session).memory.complete(incomplete)
        return [CompletionItem(row.ref, help=row.title) for row in rows]


class Names(click.ParamType):
    """One or several of a few names, separated by commas; the value is a tuple."""

    name = "names"

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        given = [part.strip().lower() for part in value.split(",") if part.strip()]
        if not given or (wrong := [name for name in given if name not in self.names]):
            self.fail(f"{(wrong[0] if given else value)!r} is none of {', '.join(self.names)}", param, ctx)
        return tuple(given)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(before + comma + name) for name in self.names if name.startswith(last)]


class Date(click.ParamType):
    """A date or time in ISO 8601, kept as it was written."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from strata import moment

        if not moment.is_valid(value):
            self.fail(f"{value!r} is not a date; write 2026, 2026-05, 2026-05-20 or 2026-05-20T08:00:00Z", param, ctx)
        return value


def names(option: str, choices: Sequence[str], help: str) -> Callable[[Any], Any]:
    """An option that takes names, repeated or separated by commas, and gives one flat tuple."""
    return click.option(
        f"--{option}",
        f"{option}s",
        metavar=option.upper(),
        type=Names(choices),
        multiple=True,
        callback=lambda ctx, param, value: tuple(name for group in value for name in group),
        help=f"{help}: {', '.join(choices)}. Several: repeat it, or separate by commas.",
    )


def filters(kinds: Sequence[str]) -> Callable[[Any], Any]:
    """The options that narrow a list or a search: kind, tier, thread, since, until, limit."""

    def add(function: Any) -> Any:
        for option in reversed((
            names("kind", kinds, "Only this kind"),
            names("tier", TIERS, "Only this tier"),
            click.option("--thread", metavar="NAME", default="", help="Only this thread."),
            click.option("--since", metavar="DATE", type=Date(), default=None, help="From this date or time on."),
            click.option("--until", metavar="DATE", type=Date(), default=None, help="Through this date or time, which is included."),
            click.option("--limit", metavar="N", type=click.IntRange(1), help="At most so many."),
        )):  # fmt: skip
            function = option(function)
        return function

    return add


def bounds(since: str | None, until: str | None) -> dict[str, str]:
    """Both bounds as the verbs take them; a span that ends before it begins is refused."""
    return _span("since", since, "until", until)


def happened(start: str | None, end: str | None) -> dict[str, str]:
    """The same for when an event happened."""
    return _span("happened_from", start, "happened_to", end)


def axes(at: str | None, believed: str | None) -> dict[str, str]:
    """The two times of a question: when something was true, and when the memory held it. An empty revision is refused."""
    from strata.errors import UsageError

    if believed is not None and not believed.strip():
        raise UsageError("--believed is empty", remedy="give a revision, such as HEAD~3, or a date")
    return {"at": at or "", "believed": believed or ""}


def _span(first: str, start: str | None, last: str, end: str | None) -> dict[str, str]:
    from strata import moment
    from strata.errors import UsageError

    if start and end and moment.parse(start).opens >= moment.parse(end).closes:
        names = [name.replace("_", "-") for name in (last, first)]
        raise UsageError(f"--{names[0]} {end} is before --{names[1]} {start}", remedy="exchange them")
    return {first: start or "", last: end or ""}
