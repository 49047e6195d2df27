"""What comes in beside the arguments: texts, JSON and JSON Lines from files and standard input, always UTF-8."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.errors import Malformed, NotFound, StrataError, UsageError

if TYPE_CHECKING:
    from strata.model import Message

_BOM = b"\xef\xbb\xbf"


def waits_for_typing() -> bool:
    """Whether standard input is a terminal: nobody piped anything in."""
    return sys.stdin is None or sys.stdin.isatty()


def read(source: str, *, what: str) -> tuple[bytes, str]:
    """The bytes of a file, or of standard input for "-", without a byte order mark; and the name for messages.

    `what` says in a refusal what was expected. Raises UsageError when a person would have to type it.
    """
    if source == "-":
        if waits_for_typing():
            raise UsageError(f"{what} is read from standard input, and nothing was piped in", remedy="pipe it in, or name a file with --file")
        return sys.stdin.buffer.read().removeprefix(_BOM), ""
    try:
        return Path(source).read_bytes().removeprefix(_BOM), source
    except FileNotFoundError:
        raise NotFound("there is no such file", path=source, remedy=f"{what} was to be read from it") from None
    except IsADirectoryError:
        raise UsageError("this is a directory, not a file", path=source) from None


def text(source: str) -> str:
    """A note's text, exactly; Malformed with the line where it is not UTF-8."""
    data, name = read(source, what="the text")
    return decoded(data, name)


def prompt(arguments: Sequence[str]) -> str:
    """A question from standard input; what is not UTF-8 is left out, since a hook must not fail on what somebody pasted."""
    if arguments:
        raise UsageError("a question is given as arguments or with --stdin, not both", remedy="leave one of them out")
    return read("-", what="the question")[0].decode("utf-8", "ignore")


def decoded(data: bytes, path: str, line: int = 1) -> str:
    """Bytes as text; `line` is the number of their first line."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        raise Malformed(f"byte 0x{data[error.start]:02x} is not UTF-8", path=path, line=at, remedy="save it as UTF-8") from None


def json_object(source: str, *, what: str) -> dict[str, Any]:
    """One JSON object; Malformed for anything else, with the line."""
    data, name = read(source, what=what)
    value = parsed(decoded(data, name), name)
    if not isinstance(value, dict):
        raise Malformed(f"{what} is a JSON object, not {_named(value)}", path=name, remedy='it looks like {"title": "…", …}')
    return value


def parsed(content: str, path: str, line: int = 1) -> Any:
    """A JSON value as RFC 8259 has it (no NaN); `line` is the number of its first line."""
    from strata.supplied import whole

    try:
        return json.loads(content, parse_int=whole, parse_constant=_refuse, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise Malformed(f"this is not JSON: {error.msg} (column {error.colno})", path=path, line=line + error.lineno - 1) from None
    except ValueError as error:
        raise Malformed(f"this is not JSON: {error}", path=path, line=line) from None
    except RecursionError:
        raise Malformed("this JSON is nested too deeply", path=path, line=line) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys each stand once; which of two values was meant is not guessed."""
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice")
    return found


def numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, each with its number from 1."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, line


def messages(data: bytes, thread: str) -> tuple[list[tuple[str, Message]], StrataError | None]:
    """The messages in JSON Lines up to the first line that is none, and what is wrong with that one."""
    from strata.importers.jsonl import parse_line

    found: list[tuple[str, Message]] = []
    for number, line in numbered(data):
        try:
            found.append(parse_line(decoded(line, "", number), number, thread))
        except StrataError as error:
            return found, error
    return found, None


def queries(source: str) -> list[tuple[Any, str]]:
    """The id and query of each line of a batch; Malformed names the first line that is none."""
    data, name = read(source, what="the batch of queries")
    pairs = []
    for number, line in numbered(data):
        value = parsed(decoded(line, name, number), name, number)
        if not isinstance(value, dict) or not isinstance(value.get("query"), str):
            raise Malformed("a line of a batch is a JSON object with an id and a query", path=name, line=number, remedy='such as {"id": "1", "query": "when"}')
        pairs.append((value.get("id"), value["query"]))
    return pairs


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _named(value: Any) -> str:
    return {list: "a list", str: "a string", bool: "a truth value", type(None): "null"}.get(type(value), "a number")
