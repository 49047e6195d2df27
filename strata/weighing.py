"""The weight of records as they are now: their headers, the receipts of all ledgers, the turns since."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from strata import moment
from strata.document import Document
from strata.entries import forgotten_at, superseding
from strata.ledger import USE, seconds
from strata.results import Weight
from strata.store import Store
from strata.weight import Uses, uses, weigh

_AHEAD = 86_400  # seconds that the clock of another machine may be ahead; a use stamped later than that is not believed


def weights(store: Store, documents: Mapping[str, Document]) -> dict[str, Weight]:
    """The weight of each of these records, by ref. The index is asked as it stands, so refresh it first."""
    latest = int(store.now().timestamp()) + _AHEAD
    used = uses(receipt for receipt in store.accesses.marked(*documents) if receipt.op == USE and seconds(receipt.at) <= latest) if documents else {}
    since = {ref: found for ref, document in documents.items() if (found := _since(ref, document, used.get(ref)))}
    turns = dict(zip(since, store.ask(lambda shadow: shadow.turns_since(since.values())), strict=True)) if since else {}
    return {
        ref: weigh(
            uses=used[ref].count if ref in used else 0,
            turns=turns.get(ref, 0),
            criticality=document.text("criticality"),
            pinned=document.flag("pinned"),
            superseded_by=superseded_by(store, ref),
            forgotten=bool(forgotten_at(document)),
            known=ref in since,
        )
        for ref, document in documents.items()
    }


def superseded_by(store: Store, ref: str) -> tuple[str, ...]:
    """The events, not forgotten ones, that say they supersede this one."""
    if not ref.startswith("evt-"):
        return ()
    return tuple(dict.fromkeys(found.ref for found in store.ask(lambda shadow: shadow.flagged(superseding(ref))) if found.ref != ref))


def _since(ref: str, document: Document, used: Uses | None) -> datetime | None:
    """From when turns count: the last use, else when it was said or written down, else the day in its id; None when nobody knows."""
    if used:
        return moment.parse(used.last).start
    day = ref[4:12]
    said = (document.text("mentioned_at"), document.text("created_at"), f"{day[:4]}-{day[4:6]}-{day[6:]}")
    known = next((moment.parse(at) for at in said if moment.is_valid(at)), None)
    if known is None:
        return None
    return known.start if known.precision == "instant" else known.end
