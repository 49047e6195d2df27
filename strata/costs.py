"""What resting records save in tokens and money, and what models took, with every formula and nothing that is not known.

There are two things to compare with: an agent that has the whole memory in its context at each session,
and a model that judges each record at each run of the Janitor, which itself asks no model.

A token is estimated as so many bytes of UTF-8. Tokenizers work on bytes, so this serves all scripts
better than characters do, and the size of a file is enough to know. Four is the default: measured with
three public vocabularies, English and Chinese conversations take 2.5 to 4.8 bytes a token, and blocks,
with their ids and times, about 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from strata.errors import UsageError
from strata.layout import kind_of, tier_of
from strata.model import Kind, Tier
from strata.spending import Spent

_DAY = 86_400  # seconds
_MONTH = 30  # days
_MILLION = 1_000_000
CONTEXT = "keeping everything in context at each session"
JUDGE = "having a model judge each record at each run"


class Prices(NamedTuple):
    """What only the user knows; each is the setting `cost_…`. Prices are for a million tokens; 0 is "not known"."""

    bytes_per_token: float = 4.0
    input_price: float = 0.0
    output_price: float = 0.0
    currency: str = "USD"
    sessions_per_day: float = 0.0
    judge_output_tokens: int = 0


class Kept(NamedTuple):
    """A file of a tier: its bytes, and since when it lies there (Unix seconds)."""

    path: str
    size: int
    since: int = 0


class Swept(NamedTuple):
    """A run of the Janitor, as git has it: when (ISO 8601), records looked at (0 where it does not say) and moved."""

    at: str
    looked: int
    moved: int


class CostLine(NamedTuple):
    """One amount: `formula` is how it comes about, with the numbers put in; `money` is None where a price is not known."""

    against: str
    name: str
    tokens: int
    money: float | None
    formula: str


class Cost(NamedTuple):
    """What resting records save, and what calls of models took; `notes` say what is not counted, and which setting would change that."""

    lines: tuple[CostLine, ...]
    prices: Prices
    notes: tuple[str, ...]
    spent: tuple[Spent, ...] = ()


def cost(kept: Iterable[Kept], runs: Sequence[Swept], prices: Prices, now: int, spent: tuple[Spent, ...] = ()) -> Cost:
    """The savings up to `now` (Unix seconds), and what was `spent`. Raises UsageError for a token of no bytes."""
    if not prices.bytes_per_token > 0:
        raise UsageError("a token has more than 0 bytes", remedy="strata config set cost_bytes_per_token 4")
    files = list(kept)
    return Cost((*_context(files, prices, now), *_judge(files, runs, prices)), prices, (*_notes(runs, prices), *_notes_on(spent, prices)), spent)


def _context(files: Sequence[Kept], prices: Prices, now: int) -> list[CostLine]:
    sizes = dict.fromkeys(Tier, 0)
    rested = 0.0  # bytes x days
    for path, size, since in files:
        tier = Tier(tier_of(path))
        sizes[tier] += size
        if tier != Tier.ACTIVE:
            rested += size * max(0, now - since) / _DAY
    active, cooled, archive = sizes.values()
    each, sessions = _number(prices.bytes_per_token), _number(prices.sessions_per_day)

    def line(name: str, amount: float, formula: str) -> CostLine:
        tokens = round(amount / prices.bytes_per_token)
        return CostLine(CONTEXT, name, tokens, _money(tokens, prices.input_price), f"{formula} / {each} bytes a token")

    lines = [
        line("all of it, a session", active + cooled + archive, f"{active + cooled + archive:,} bytes in the three tiers"),
        line("active/ alone, a session", active, f"{active:,} bytes"),
        line("saved, a session", cooled + archive, f"({cooled:,} bytes in cooled/ + {archive:,} in archive/)"),
    ]
    if prices.sessions_per_day:
        resting, often = cooled + archive, prices.sessions_per_day
        lines += [
            line(f"saved, {_MONTH} days", resting * often * _MONTH, f"{resting:,} bytes x {sessions} sessions a day x {_MONTH} days"),
            line("saved so far, at least", rested * often, f"{round(rested):,} (bytes at rest x days) x {sessions} sessions a day"),
        ]
    return lines


def _judge(files: Sequence[Kept], runs: Sequence[Swept], prices: Prices) -> list[CostLine]:
    records = [size for path, size, _ in files if kind_of(path) != Kind.TAIL]
    average = sum(records) / len(records) if records else 0.0
    looked = sum(run.looked for run in runs)
    since = f" since {min(run.at for run in runs)[:10]}" if runs else ""
    read = round(looked * average / prices.bytes_per_token)
    seen = f"{looked:,} records looked at in {len(runs):,} run{'s' * (len(runs) != 1)}{since}"
    paid = _money(read, prices.input_price)
    lines = [CostLine(JUDGE, "to read them", read, paid, f"{seen} x {average:,.0f} bytes a record now / {_number(prices.bytes_per_token)} bytes a token")]
    if prices.judge_output_tokens:
        written = looked * prices.judge_output_tokens
        answers = _money(written, prices.output_price)
        both = paid + answers if paid is not None and answers is not None else None
        lines += [
            CostLine(JUDGE, "to answer", written, answers, f"{looked:,} records looked at x {prices.judge_output_tokens:,} tokens"),
            CostLine(JUDGE, "saved so far", read + written, both, "to read them + to answer"),
        ]
    return lines


def _notes(runs: Sequence[Swept], prices: Prices) -> list[str]:
    notes = ["Tokens are estimated from bytes: cost_bytes_per_token."]
    if prices.input_price:
        notes.append("Money is tokens / 1,000,000 x cost_input_price, and x cost_output_price for answers. Input that a provider has cached may cost less.")
    else:
        notes.append("Money is not shown, since no price is known: set cost_input_price, for a million tokens.")
    if prices.judge_output_tokens and not prices.output_price:
        notes.append("The answers of a model are not priced: set cost_output_price, for a million tokens.")
    if not prices.judge_output_tokens:
        notes.append("The answers of a model are not counted: set cost_judge_output_tokens, for one record.")
    if prices.sessions_per_day:
        notes.append("What was saved so far counts each resting record from its arrival in the tier where it lies now, at its size of now, whoever moved it.")
    else:
        notes.append("Sessions are not added up: set cost_sessions_per_day.")
    if silent := sum(not run.looked for run in runs):
        notes.append(f"{silent:,} of the runs do not say how many records they looked at, and count nothing.")
    notes.append("Runs that had nothing to move leave no commit and are not counted; a model would have judged then, too. Its instructions are not counted either.")
    return notes


def _notes_on(spent: Sequence[Spent], prices: Prices) -> list[str]:
    if not spent:
        return []
    notes = ["Calls of models are those that the ledgers of all machines hold; their tokens are as the server counted them, also where the answer was refused."]
    if silent := sum(row.uncounted for row in spent):
        notes.append(f"{silent:,} {'call says' if silent == 1 else 'calls say'} not how many tokens it took: they count as calls alone, and what they are part of has no price.")
    if not (prices.input_price and prices.output_price):
        notes.append("Calls have no price: set cost_input_price and cost_output_price. There is one price for all models.")
    elif len({row.model for row in spent}) > 1:
        notes.append("There is one price for all models, whatever each of them charges.")
    return notes


def _money(tokens: int, price: float) -> float | None:
    return tokens * price / _MILLION if price else None


def _number(value: float) -> str:
    """`4`, `0.25`, `1,200`."""
    return f"{value:,.6f}".rstrip("0").rstrip(".")
