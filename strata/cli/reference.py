"""The reference of the command line, as `docs/cli.md` holds it, made from the commands themselves.

    python -m strata.cli.reference > docs/cli.md
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from strata import errors
from strata.cli.group import Command, Group, exit_codes, root
from strata.cli.table import SECTIONS, TABLE

_BAR = "\\|"  # a bar in a cell of a Markdown table

_INTRODUCTION = """\
# Command line

This page is generated from the commands (`python -m strata.cli.reference`); `strata COMMAND --help` shows the same.

## For every command

**Which memory.** `--memory DIR`, before or after the name of the command; else `$STRATA_HOME`; else the nearest of the current
directory and its parents that is a memory; else the default in your data directory (`~/.local/share/strata/memory` on Linux). A place
that is named and is no memory is an error. A git repository that is no memory is never taken for one.

**Output.** A person gets text: in colours and cut to the width of the terminal there, plain and whole in a pipe. `NO_COLOR`,
`FORCE_COLOR` and `TERM=dumb` are respected. Control characters, escape sequences and bidi overrides that stand in stored text are spelled
out (`\\x1b`, `\\u202e`), so that no text can steer your terminal; the files are untouched.

**`--json`.** The bare result on standard output: one object on one line; a list as JSON Lines, one object a line, and nothing at all for
an empty list. An error is one JSON object on standard error with `error`, `message`, `exit_code` and, where known, `remedy`, `ref`,
`path` and `line`. Warnings go to standard error, too.

**Input.** Standard input and files are read as UTF-8, whatever the locale says; a byte order mark is passed over.

**Exit codes.** Each command names those it has.

"""


def reference() -> str:
    """The whole page, in Markdown."""
    return _INTRODUCTION + "\n".join([*_all_exit_codes(), "", *_commands()]).rstrip("\n") + "\n"


def _all_exit_codes() -> Iterator[str]:
    yield "| code | meaning |"
    yield "|---|---|"
    yield "| 0 | Done; also where nothing was found. |"
    yield "| 1 | Failure: the system refused something, or `doctor` found errors or warnings. |"
    for kind in sorted(errors.StrataError.__subclasses__(), key=lambda kind: kind.exit_code):
        if kind.__module__ == errors.__name__:
            yield f"| {kind.exit_code} | {(kind.__doc__ or '').partition(chr(10))[0].strip()} |"
    yield "| 130 | Interrupted (Ctrl-C). |"


def _commands() -> Iterator[str]:
    context = click.Context(root, info_name="strata")
    for section in SECTIONS:
        yield f"## {section}"
        yield ""
        for row in TABLE.values():
            if row.section == section:
                yield from _command(row.name, context)


def _command(name: str, parent: click.Context) -> Iterator[str]:
    found = parent.command.get_command(parent, name) if isinstance(parent.command, click.Group) else None
    if found is None:
        raise LookupError(name)
    context = click.Context(found, info_name=name, parent=parent)
    yield f"### {context.command_path}"
    yield ""
    yield inspect.cleandoc(found.help or "")
    yield ""
    if isinstance(found, Group):
        for below in found.list_commands(context):
            yield from _command(below, context)
    elif isinstance(found, Command):
        yield from _details(found, context)


def _details(command: Command, context: click.Context) -> Iterator[str]:
    yield "```text"
    yield f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}"
    yield "```"
    yield ""
    options = [option for option in command.params if isinstance(option, click.Option) and option.name not in ("memory", "json") and not option.hidden]
    if options:
        yield "| option | meaning |"
        yield "|---|---|"
        yield from (_option(option, context) for option in options)
        yield ""
    yield "```sh"
    yield from command.examples
    yield "```"
    yield ""
    yield f"Exit codes: {', '.join(code for code, _ in exit_codes(command.exits))}."
    yield ""


def _option(option: click.Option, context: click.Context) -> str:
    name = "`, `".join(option.opts)
    if isinstance(option.type, click.Choice):
        name += f" {'|'.join(map(str, option.type.choices))}"
    elif not option.is_flag:
        name += f" {option.metavar or ''}".rstrip()
    default = f" Default: {option.default}." if option.show_default else ""
    cells = (f"`{name}`", f"{option.help}{default}")
    return f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |"


if __name__ == "__main__":
    print(reference(), end="")
