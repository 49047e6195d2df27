"""The part of a memory that is about answering: a search that opens a batch, its assessment, and the use of its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from strata.errors import AlreadyExists, Refused
from strata.moment import stamp

if TYPE_CHECKING:
    from strata.assessment import Assessed, Batch, Open, Used
    from strata.batches import Batches, Kept
    from strata.config import Config
    from strata.model import Hit
    from strata.plan import Plan
    from strata.store import Store

_LONGEST = 20_000  # characters of a question that are kept, and that a search reads
_TRIES = 20  # ids that are minted for one batch before giving up


class Answering:
    """Mixed into `Memory`."""

    _store: Store
    _now: Callable[[], datetime]
    _new_id: Callable[[str, str], str]
    _config_to_read: Callable[[], Config]
    _write: Callable[..., AbstractContextManager[Plan]]
    search: Callable[..., list[Hit]]

    def ask(self, query: str, **narrow: Any) -> Batch:
        """Search as `search` does, to answer from what is found: the hits become a batch that can be assessed.

        The batch is kept beside the memory, for `batch_hours`; nothing of the memory itself is written.
        """
        from strata.assessment import Batch
        from strata.batches import PREFIX, Kept
        from strata.sight import Sight

        hits = tuple(self.search(query, **narrow))
        seen = Sight(self._store).seen(hits)
        now = self._now()
        batches, at = self._batches(), stamp(now)
        for tries in range(_TRIES):
            kept = Kept(self._new_id(PREFIX, at[:10]), self._clean(query[:_LONGEST]), at, tuple(map(str, narrow.get("kinds") or ())), seen)
            try:
                batches.open(kept, now)
                break
            except AlreadyExists:
                if tries + 1 == _TRIES:
                    raise
        return Batch(kept.id, query, at, hits)

    def assess(
        self,
        batch: str,
        *,
        verdict: str,
        evidence_refs: Sequence[str] | str = (),
        fit: str = "",
        missing: str = "",
        next_strategy: str = "",
    ) -> Assessed:
        """Say how well a batch answers its question, and learn what of that stands and what to do next.

        `verdict` is sufficient, partial or wrong; `evidence_refs` at most eight refs of the batch; `fit` and `missing` at
        most 160 characters each; `next_strategy` answer, search_events, expand_event, search_graph, expand_graph_node,
        search_raw_memory or expand_block. Sufficient stands only with a ref of this batch that says what it said then.
        Assessing again replaces what was said before. Raises NotFound for a batch that is not there or expired, UsageError
        for fields that are none, Refused once evidence of the batch was used.
        """
        from strata import gate
        from strata.assessment import SUFFICIENT, Assessed
        from strata.sight import Sight

        fields = {"verdict": verdict, "evidence_refs": evidence_refs, "fit": fit, "missing": missing, "next_strategy": next_strategy}
        claim = gate.claim(fields)
        self._store.refresh()
        batches = self._batches()
        batches.read(batch, self._now())  # before a lock file is made for one that is not there
        with batches.held():
            kept = batches.read(batch, self._now())
            if self._closed(kept):
                raise _closed(kept)
            sight = Sight(self._store, kept.seen)
            accepted, rejected = gate.sift(claim.refs, sight.judge)
            kinds = sight.kinds(accepted)
            stands, notes = gate.settle(claim, accepted, kinds, kept.kinds)
            stands = stands._replace(fit=self._clean(stands.fit), missing=self._clean(stands.missing))
            batches.save(kept._replace(assessment=stands))
        warnings = (*notes, *self._doubts(kept, sight, stands.evidence_refs))
        return Assessed(batch, stands.verdict == SUFFICIENT, stands, rejected, warnings, gate.next_command(batch, kept.query, stands, kinds))

    def _doubts(self, kept: Kept, sight: Any, cited: Sequence[str]) -> Iterable[Any]:
        """What speaks against the cited evidence, seen from words, dates and scores."""
        from strata.doubts import doubts
        from strata.shadow.terms import query_terms, terms

        if not cited:
            return ()
        words = (word.strip(".,;:!?\"'()") for word in reversed(kept.query.split()) if max(word, default="") < "\u2e80")  # the words of Chinese are their terms
        written = {term: word for word in words for term in terms(word)}
        asked = {term: written.get(term, term) for term, weight in query_terms(kept.query).items() if weight == 1}
        return doubts(kept.query, asked, sight.pieces(cited, terms), cited)

    def use(self, batch: str, refs: Iterable[str] | str) -> Used:
        """Count evidence that helped an answer: refs of the batch's sufficient assessment; none closes the batch and counts nothing.

        It is committed and durable when this returns. The same again counts nothing and gives the same answer; other refs
        are Refused, and so are refs that were not accepted as evidence. What is counted are the events behind the evidence.
        """
        from strata.assessment import Used
        from strata.batches import receipt_id
        from strata.ledger import USE, Receipt

        named = tuple(dict.fromkeys(ref.strip() for ref in (refs.split(",") if isinstance(refs, str) else refs) if ref.strip()))
        self._store.refresh()
        batches = self._batches()
        batches.read(batch, self._now())
        with batches.held():
            kept = batches.read(batch, self._now())
            if kept.used == () or (kept.used is None and not named):
                _check_same(kept, named)
                batches.save(kept._replace(used=()))
                return Used(batch, (), (), "", kept.used is None)
            with self._write("use") as plan:  # what a crash left is settled before the ledger is asked
                receipt = receipt_id(kept)
                if kept.used and self._counted(receipt):
                    _check_same(kept, named)
                    return Used(batch, kept.used, kept.events, receipt, False)
                _check_allowed(kept, named)
                events = self._behind(kept, named)
                batches.save(kept._replace(used=named, events=events))  # first: killed after it, the same call counts, and once
                if named:
                    plan.uses.append(Receipt(receipt, USE, events, stamp(self._now())))
                    plan.subject = f"Use {events[0]}" if len(events) == 1 else f"Use {len(events)} records"
                    plan.trailers += [("Strata-Record", ref) for ref in events[:100]]
        return Used(batch, named, events, receipt if named else "", True)

    def _behind(self, kept: Kept, refs: Sequence[str]) -> tuple[str, ...]:
        from strata.sight import Sight

        sight = Sight(self._store, kept.seen)
        return tuple(dict.fromkeys(record for ref in refs for record in sight.sources(ref)))

    def _counted(self, receipt: str) -> bool:
        """Whether a ledger holds this receipt."""
        return any(each.id == receipt for each in self._store.accesses.marked(receipt))

    def _closed(self, kept: Kept) -> bool:
        """Whether the evidence of a batch was used: none of it, or some that a ledger counts."""
        from strata.batches import receipt_id

        return kept.used is not None and (not kept.used or self._counted(receipt_id(kept)))

    def unassessed(self) -> list[Open]:
        """The batches that were left open, newest first: not assessed, or sufficient and not used."""
        from strata.assessment import Open

        found = []
        for kept in self._batches().all(self._now()):
            if self._closed(kept):
                continue
            if kept.assessment is None:
                found.append(Open(kept.id, kept.query, kept.at, len(kept.seen), "assess"))
            elif kept.sufficient:
                found.append(Open(kept.id, kept.query, kept.at, len(kept.seen), "use", kept.assessment.evidence_refs))
        return found

    def _batches(self) -> Batches:
        from strata.batches import Batches

        config = self._config_to_read()
        return Batches(self._store.files, config["batch_hours"], config["lock_timeout"], self._store.warn)

    def _clean(self, text: str) -> str:
        """A text without secrets, as the settings ask."""
        if not text or self._config_to_read()["redact"] != "on":
            return text
        from strata.redact import redact

        return redact(text)[0]


def _check_same(kept: Kept, refs: Sequence[str]) -> None:
    """Raise Refused where a batch is closed with other evidence."""
    if kept.used is not None and set(kept.used) != set(refs):
        raise _closed(kept)


def _closed(kept: Kept) -> Refused:
    told = f"used were {', '.join(kept.used)}" if kept.used else "none of its evidence was used"
    return Refused(f"batch {kept.id} is closed: {told}", ref=kept.id, remedy="search again: strata search --gate QUERY")


def _check_allowed(kept: Kept, refs: Sequence[str]) -> None:
    """Raise Refused for what is no evidence of a sufficient assessment; to use none is allowed of any batch."""
    if not refs:
        return
    if kept.assessment is None or not kept.sufficient:
        state = "was not assessed" if kept.assessment is None else f"was assessed as {kept.assessment.verdict}"
        raise Refused(f"batch {kept.id} {state}, so nothing of it can be used", ref=kept.id, remedy=f"strata assess {kept.id} --verdict sufficient --refs REF,…")
    if strangers := [ref for ref in refs if ref not in kept.assessment.evidence_refs]:
        shown = ascii(strangers[0][:100]) if not strangers[0].isprintable() else repr(strangers[0][:100])
        allowed = ", ".join(kept.assessment.evidence_refs)
        raise Refused(f"{shown}{f' and {len(strangers) - 1} more refs' if strangers[1:] else ''} were not accepted as evidence of batch {kept.id}", ref=kept.id, remedy=f"use some of {allowed}, or none")
