"""The one place that prints: a result on standard output, an error on standard error, and the exit code of both."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from strata.errors import StrataError, UsageError
from strata.render.screen import Screen
from strata.render.values import Listing, Partly
from strata.render.visible import one_line

if TYPE_CHECKING:
    from strata.cli.session import Session

_TAKE_WORDS = {"strata search": "a query", "strata add": "a text", "strata config set": "a value"}


def give(value: Any, session: Session) -> int:
    """Print what a command returned; the exit code."""
    if isinstance(value, Partly):
        _print(value.value, session)
        return refuse(value.error, session)
    _warn(session)
    _print(value, session)
    return value.exit_code if isinstance(value, Listing) else 0


def _warn(session: Session) -> None:
    if session.json and session.warnings:
        _complain_as_json({"warnings": session.warnings})
    elif not session.json:
        for warning in session.warnings:
            _complain(f"strata: {one_line(warning)}", "yellow")


def refuse(error: StrataError, session: Session) -> int:
    """Print why a command did not do (all of) what was asked; the exit code."""
    if session.json:
        warnings = {"warnings": session.warnings} if session.warnings else {}
        _complain_as_json(error.as_dict() | warnings)
    else:
        for line in _told(error):
            _complain(line, "red")
    return error.exit_code


def _told(error: StrataError) -> list[str]:
    """An error on one line; what has several faults says so, and names each on a line of its own."""
    if len(error.faults) < 2:
        return [f"strata: {one_line(str(error))}"]
    where = f"{one_line(error.path)}: " if error.path else ""
    remedy = f" ({one_line(error.remedy)})" if error.remedy else ""
    return [f"strata: {where}{len(error.faults)} faults, and nothing was written{remedy}", *(f"  {place}. {one_line(fault)}" for place, fault in enumerate(error.faults, 1))]


def wants_json(words: Sequence[str]) -> bool:
    """Whether `--json` is among the arguments, asked before they are parsed so that a usage error is JSON too."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def usage_error(error: click.ClickException) -> StrataError:
    """What click found wrong with the call, in our words and with our exit code."""
    message = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "strata"
    if isinstance(error, click.NoSuchOption) and command in _TAKE_WORDS:
        return UsageError(_lower(message), remedy=f"put -- before {_TAKE_WORDS[command]} that begins with a dash")
    return UsageError(_lower(message), remedy=f"see {command} --help")


def system_error(error: OSError) -> StrataError:
    """What the operating system refused: no space, no permission, no such file."""
    return StrataError((error.strerror or str(error)).lower(), path=str(error.filename or ""))


def bug(error: Exception) -> StrataError:
    """What nobody foresaw."""
    return StrataError(f"{type(error).__name__}: {error}", remedy="this is a bug; run with STRATA_DEBUG=1 for the traceback")


def _print(value: Any, session: Session) -> None:
    """Write a result; a reader that went away (`| head -1`) is no error."""
    if sys.stdout is None:  # closed by the caller
        return
    try:
        if session.json:
            from strata.render import jsontext

            ascii_only = "utf" not in (sys.stdout.encoding or "utf-8").lower()
            sys.stdout.writelines(f"{line}\n" for line in jsontext.lines(value, ascii_only=ascii_only))
        else:
            from strata.render.text import text

            screen = Screen.of(sys.stdout, os.environ)
            if shown := text(value, screen):
                click.echo(shown, file=sys.stdout, color=screen.colours)
        sys.stdout.flush()
    except OSError as error:
        let_go()
        if error.errno not in (errno.EPIPE, errno.EINVAL):  # Windows says EINVAL for a broken pipe
            raise


def let_go() -> None:
    """Send what is still buffered nowhere, so that the end of the process does not complain about it."""
    if sys.stdout is None:
        return
    try:
        place = sys.stdout.fileno()
    except io.UnsupportedOperation:  # no file, but a stand-in for one
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, place)
    os.close(nowhere)


def _complain(line: str, style: str) -> None:
    if sys.stderr is None:
        return
    screen = Screen.of(sys.stderr, os.environ)
    name, colon, rest = line.partition(":")
    click.echo(screen.paint(name + colon, style) + rest, file=sys.stderr, color=screen.colours)


def _complain_as_json(value: dict[str, Any]) -> None:
    if sys.stderr is None:
        return
    from strata.render.jsontext import dumps

    sys.stderr.write(dumps(value, ascii_only="utf" not in (sys.stderr.encoding or "utf-8").lower()) + "\n")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
