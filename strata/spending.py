"""What calls of models took in tokens and money, by kind and model; a sum over the ledgers of all machines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from strata.asking import Reply
from strata.ledger import JOB, Receipt, once

_MILLION = 1_000_000


class Spent(NamedTuple):
    """The calls of one model for one kind of job: tokens are those that were counted, in all but `uncounted` of the calls.

    `money` is None where a price, or the tokens of a call, are not known.
    """

    kind: str
    model: str
    calls: int
    uncounted: int
    tokens_in: int
    tokens_out: int
    money: float | None


def receipt(kind: str, reply: Reply, now: str, id: str) -> Receipt:
    """One call of a model as a line of the ledger, whatever became of its answer; `now` in ISO 8601, `id` like that of a read.

    It names no record: a call is neither a read nor a use.
    """
    model = "".join(sign if sign.isprintable() else "?" for sign in reply.model) or "unknown"
    return Receipt(id, JOB, (), now, None, kind, model, reply.tokens_in, reply.tokens_out)


def spending(found: Iterable[Receipt], input_price: float = 0.0, output_price: float = 0.0) -> tuple[Spent, ...]:
    """The calls in these receipts, each once, by kind and model. Prices are for a million tokens; 0 is "not known"."""
    calls: dict[tuple[str, str], list[Receipt]] = {}
    for each in once(found):
        if each.op == JOB:
            calls.setdefault((each.kind or "", each.model or ""), []).append(each)
    return tuple(_spent(kind, model, each, input_price, output_price) for (kind, model), each in sorted(calls.items()))


def _spent(kind: str, model: str, calls: list[Receipt], input_price: float, output_price: float) -> Spent:
    uncounted = sum(each.tokens_in is None or each.tokens_out is None for each in calls)
    read, written = sum(each.tokens_in or 0 for each in calls), sum(each.tokens_out or 0 for each in calls)
    known = bool(input_price and output_price) and not uncounted
    return Spent(kind, model, len(calls), uncounted, read, written, (read * input_price + written * output_price) / _MILLION if known else None)
