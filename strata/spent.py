"""What calls of models took, read from the ledgers of one memory and from what waits to be carried into them."""

from __future__ import annotations

from strata.costs import Prices
from strata.spending import Spent, spending
from strata.store import Store


def spent(store: Store, prices: Prices | None = None) -> tuple[Spent, ...]:
    """A row for each kind of job and model; without prices no money."""
    known = prices or Prices()
    return spending(store.accesses.marked('"model"'), known.input_price, known.output_price)
