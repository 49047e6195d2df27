"""The `strata` command: arguments in; an answer, errors and an exit code out."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from strata.cli.session import Session

INTERRUPTED = 130
PATIENT = (50_000, 20, 50)  # a short command spends a tenth of its time looking for garbage that its end removes anyway


def main(arguments: Sequence[str] | None = None, **options: Any) -> int:
    """Run one command and return its exit code; `options` (`now`, `new_id`, …) go to the memory.

    This is the outermost loop: whatever happens ends here as one line on standard error.
    """
    if arguments is None and sys.getfilesystemencoding() == "ascii":
        _begin_again_in_utf8()
    if arguments is None:
        gc.set_threshold(*PATIENT)
    try:
        _set_up_streams()
        words = list(sys.argv[1:] if arguments is None else arguments)
        return _complete(words) if "_STRATA_COMPLETE" in os.environ else _run(words, options)
    except KeyboardInterrupt:
        if sys.stderr is not None:  # a terminal has just echoed ^C on the line
            sys.stderr.write("\nstrata: interrupted\n" if sys.stderr.isatty() else "strata: interrupted\n")
        return INTERRUPTED


def run() -> NoReturn:
    """The command itself: `main`, and then out at once.

    What was written is durable and what was printed is flushed, so taking the interpreter apart,
    module by module, would only keep the caller waiting: a tenth of a short command's time.
    """
    code = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # a reader that went away, a stream that was closed
            if stream is not None:
                stream.flush()
    os._exit(code)


def _run(words: Sequence[str], options: dict[str, Any]) -> int:
    import click

    from strata.cli import answer
    from strata.cli.session import Session
    from strata.errors import StrataError

    session = Session(**options)
    session.json = answer.wants_json(words)
    try:
        return _answered(words, session)
    except click.ClickException as error:
        return answer.refuse(answer.usage_error(error), session)
    except StrataError as error:
        return answer.refuse(error, session)
    except BrokenPipeError:
        answer.let_go()
        return 0
    except OSError as error:
        answer.let_go()
        return answer.refuse(answer.system_error(error), session)
    except Exception as error:
        if os.environ.get("STRATA_DEBUG"):
            raise
        return answer.refuse(answer.bug(error), session)
    finally:
        session.close()


def _answered(words: Sequence[str], session: Session) -> int:
    """Call the command that the arguments name and print what it returns."""
    from click.exceptions import Exit

    from strata.cli import answer
    from strata.cli.group import root

    try:
        with root.make_context("strata", _decoded(words), obj=session) as context:
            return answer.give(root.invoke(context), session)
    except Exit as done:  # help and version have printed themselves
        if sys.stdout is not None:
            sys.stdout.flush()
        return done.exit_code


def _complete(words: Sequence[str]) -> int:
    """Answer a shell that completes a line; it must never see an error, whatever is wrong."""
    from strata.cli.completion import candidates

    try:
        sys.stdout.write("".join(f"{line}\n" for line in candidates(_decoded(words))))
        sys.stdout.flush()
    except Exception:
        return 0
    return 0


def _decoded(words: Sequence[str]) -> list[str]:
    """The arguments as text; raises UsageError for bytes that are not UTF-8, before anything is done."""
    from strata.errors import UsageError

    decoded = []
    for number, word in enumerate(words, 1):
        if not word.isascii() and any(0xD800 <= ord(character) < 0xE000 for character in word):
            try:
                word = os.fsencode(word).decode("utf-8")
            except UnicodeError:
                raise UsageError(f"argument {number} is not UTF-8: {word!r}", remedy="nothing was done; give it as UTF-8, or in a file") from None
        decoded.append(word)
    return decoded


def _set_up_streams() -> None:
    """UTF-8 in files and pipes on every system, and a spelled-out escape for what an encoding cannot show.

    A terminal keeps its own encoding, and PYTHONIOENCODING is obeyed.
    """
    asked = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            encoding = None if asked or stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace", newline="\n")


def _begin_again_in_utf8() -> None:
    """In the plain C locale Python cannot name a file in other letters: run once more in its UTF-8 mode (PEP 540)."""
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


if __name__ == "__main__":
    run()
