"""Receipts of reads, uses and calls of models: one JSON line each, and what they say together.

    {"id": "5f0c2b9e4d7a1836", "op": "read", "refs": ["notes/plan"], "at": "2026-11-30T12:00:00Z"}

A read is the opening of a record; a use is evidence that helped an answer. Opening a whole block also says at which
`level`, 0 to 5 (see `strata.detail`). A job is one call of a model: its `kind`, the `model`, and the tokens it read and
wrote, where somebody counted them. Its line is that of a reading of nothing, with these keys more:

    {"id": "c41d0e7a92b85f36", "op": "read", "refs": [], "at": "2026-11-30T12:00:00Z", "kind": "extract", "model": "m", "tokens_in": 812}

for a strata that does not know calls takes another `op` for damage: it moves no file of a ledger of nothing else, and
sets waiting lines aside. A receipt id counts once, whichever files it stands in, so the sum over the ledgers of all
machines is the same from every side.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from strata import moment
from strata.layout import record_path, split_ref

READ, USE, JOB = "read", "use", "job"
FOLDER = "ledger"


class Receipt(NamedTuple):
    """One read or use of records, or one call of a model, at a time in ISO 8601; what follows `level` is of calls alone."""

    id: str
    op: str
    refs: tuple[str, ...]
    at: str
    level: int | None = None
    kind: str | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None

    def line(self) -> bytes:
        """The receipt as a line of a ledger."""
        written = self._replace(op=READ, refs=()) if self.op == JOB else self
        said = {key: value for key, value in written._asdict().items() if value is not None}
        return json.dumps(said, ensure_ascii=False, separators=(", ", ": ")).encode("utf-8", "surrogatepass") + b"\n"


class Fault(NamedTuple):
    """A line of a ledger that is no receipt."""

    line: int
    why: str


def receipts(data: bytes) -> tuple[list[Receipt], list[Fault]]:
    """The receipts in the lines of a ledger, and the lines that are none; blank lines are nothing."""
    lines = data.split(b"\n")
    found: list[Receipt] = []
    faults: list[Fault] = []
    for number, value in enumerate(_values(lines), 1):
        if value is _BLANK:
            continue
        receipt = _receipt(value)
        if isinstance(receipt, Receipt):
            found.append(receipt)
        else:
            faults.append(Fault(number, receipt))
    return found, faults


def once(found: Iterable[Receipt]) -> list[Receipt]:
    """Each receipt once, by its id; of several that claim one id the last in an order of their own, wherever they stood."""
    return list({receipt.id: receipt for receipt in sorted(found, key=Receipt.line)}.values())


def accesses(found: Iterable[Receipt]) -> dict[str, list[int]]:
    """For each record ref the times it was read or used, in Unix seconds, rising; each receipt once."""
    seen: set[str] = set()
    times: dict[str, list[int]] = {}
    for receipt in found:
        if receipt.op == JOB or receipt.id in seen:
            continue
        seen.add(receipt.id)
        at = seconds(receipt.at)
        for ref in {split_ref(ref)[0] for ref in receipt.refs}:
            times.setdefault(ref, []).append(at)
    for each in times.values():
        each.sort()
    return times


def seconds(at: str) -> int:
    """A time as Unix seconds; a date is its first instant."""
    return int(moment.parse(at).start.timestamp())


def place(ref: str) -> str:
    """The path below the tier that a ref names, as far as the ref itself says: `events/2026/11/evt-….md`; a note's or entity's own place."""
    path = record_path(ref)
    return path.partition("/")[2] if path else f"{ref}.md"


def name(machine: str, at: str) -> str:
    """The ledger of a machine for the month of a time; small files keep every write cheap."""
    return f"{FOLDER}/{machine}-{at[:7]}.jsonl"


_BLANK = object()


def _values(lines: list[bytes]) -> Iterator[Any]:
    """What each line says; all at once where every line is JSON, which takes a third of the time."""
    filled = [line for line in lines if line.strip()]
    try:
        values = iter(json.loads(b"[" + b",".join(filled) + b"]"))
        one_each = [next(values) if line.strip() else _BLANK for line in lines]
        if next(values, _BLANK) is _BLANK:
            yield from one_each
            return
    except (ValueError, RecursionError, StopIteration):
        pass  # some line is broken: tell which
    for line in lines:
        yield _value(line) if line.strip() else _BLANK


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _receipt(value: Any) -> Receipt | str:
    """The receipt, or why it is none."""
    if not isinstance(value, dict):
        return "this is no JSON object"
    refs, at, level = value.get("refs"), value.get("at"), value.get("level")
    if not (isinstance(value.get("id"), str) and value["id"].isprintable() and value["id"]):
        return "a receipt needs an id of visible characters"
    if value.get("op") not in (READ, USE):
        return "op is read or use"
    if not (isinstance(refs, list) and all(isinstance(ref, str) and ref.isprintable() for ref in refs)):
        return "refs is a list of refs"
    if not (isinstance(at, str) and moment.is_valid(at)):
        return "at is a time in ISO 8601"
    if level is not None and (isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= 5):
        return "level is a whole number from 0 to 5"
    if value["op"] == READ and not refs and "model" in value:
        return _job(value, at)
    return Receipt(value["id"], value["op"], tuple(refs), at, level)


def _job(value: dict[str, Any], at: str) -> Receipt | str:
    kind, model, *tokens = (value.get(name) for name in ("kind", "model", "tokens_in", "tokens_out"))
    if not all(isinstance(said, str) and said and said.isprintable() for said in (kind, model)):
        return "a job needs a kind and a model"
    if any(count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0) for count in tokens):
        return "tokens are whole numbers, 0 or more"
    return Receipt(value["id"], JOB, (), at, None, kind, model, *tokens)
