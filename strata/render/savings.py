"""What resting records save and what models took, as text for people: each amount with its formula below it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from strata.render.screen import Screen
from strata.render.visible import one_line, width, wrapped

if TYPE_CHECKING:
    from strata.costs import Cost

_INDENT = "    "


def cost(savings: Cost, screen: Screen) -> list[str]:
    """Amounts for each thing to compare with, calls of models where there were any, the settings they rest on, and what is not counted."""
    currency = one_line(savings.prices.currency)
    cells = [(f"  {line.name}", f"{line.tokens:,} tokens", _amount(line.money, currency)) for line in savings.lines]
    amounts = screen.table(cells, ("bold", "", "green"), right=(1, 2))
    told = dict(zip(savings.lines, amounts, strict=True))
    lines = []
    for against, group in groupby(savings.lines, key=lambda line: line.against):
        lines += ["", f"Against {against}"] if lines else [f"Against {against}"]
        for line in group:
            lines += [told[line], *(screen.paint(f"{_INDENT}{piece}", "dim") for piece in _pieces(line.formula, screen, _INDENT))]
    lines += _calls(savings, screen)
    settings = [(f"  cost_{name}", one_line(str(value)) if value else "not known") for name, value in savings.prices._asdict().items()]
    lines += ["", "With the settings", *screen.table(settings, ("cyan", "bold")), ""]
    for note in savings.notes:
        lines += _pieces(note, screen)
    return lines


def _calls(savings: Cost, screen: Screen) -> list[str]:
    """A row for each kind of job and model; a count of tokens that leaves calls out says so."""
    if not savings.spent:
        return []
    rows = [("  job", "model", "calls", "tokens read", "tokens written", "money")]
    for row in savings.spent:
        least = "at least " if row.uncounted else ""
        money = _amount(row.money, one_line(savings.prices.currency))
        rows.append((f"  {one_line(row.kind)}", one_line(row.model), f"{row.calls:,}", f"{least}{row.tokens_in:,}", f"{least}{row.tokens_out:,}", money or "not known"))
    return ["", "Spent on calls of models", *screen.table(rows, ("bold", "cyan", "", "", "", "green"), right=(2, 3, 4, 5))]


def _pieces(text: str, screen: Screen, indent: str = "") -> list[str]:
    return wrapped(text, max(20, screen.columns - width(indent))) if screen.columns else [text]


def _amount(money: float | None, currency: str) -> str:
    if money is None:
        return ""
    return f"less than 0.01 {currency}" if 0 < money < 0.005 else f"{money:,.2f} {currency}"
