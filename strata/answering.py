"""The part of a memory that is about answering: a search that opens a batch, its assessment, and the use of its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from strata.errors import AlreadyExists, Refused, UsageError
from strata.moment import stamp

if TYPE_CHECKING:
    from strata.assessment import Assessed, Batch, Open, Rejected, Used
    from strata.batches import Batches, Kept
    from strata.config import Config
    from strata.model import Hit
    from strata.plan import Plan
    from strata.sight import Sight
    from strata.store import Store

_LONGEST = 20_000  # characters of a question that are kept, and that a search reads
_SLIPS = 8  # rejected refs that are compared with those of the batch
_TRIES = 20  # ids that are minted for one batch before giving up


class Answering:
    """Mixed into `Memory`."""

    _store: Store
    _now: Callable[[], datetime]
    _new_id: Callable[[str, str], str]
    _config_to_read: Callable[[], Config]
    _write: Callable[..., AbstractContextManager[Plan]]
    search: Callable[..., list[Hit]]

    def ask(self, query: str, *, after: str = "", **narrow: Any) -> Batch:
        """Search as `search` does, to answer from what is found: the hits become a batch that can be assessed.

        The batch is kept beside the memory, for `batch_hours`; nothing of the memory itself is written. `after` is the
        batch whose assessment led here: what was searched for it is not proposed again. Raises NotFound where it is none.
        """
        from strata.assessment import Batch
        from strata.batches import PREFIX, Kept
        from strata.road import searched
        from strata.sight import Sight

        if narrow.get("believed"):
            raise UsageError("a batch cannot be opened as of an earlier commit", remedy="search there without --gate: evidence is judged by what the files say now")
        before = self._batches().read(after, self._now()) if after else None
        hits = tuple(self.search(query, **narrow))
        seen = Sight(self._store).seen(hits)
        now = self._now()
        batches, at = self._batches(), stamp(now)
        clean, kinds, options = self._clean(query[:_LONGEST]), tuple(map(str, narrow.get("kinds") or ())), _options(narrow)
        tried = searched(kinds, options, before.searched if before else (), reworded=before is not None and before.query != clean)
        looked = before.looked if before else ()
        opened = tuple(each for each in before.opened if each.ref not in {hit.ref for hit in hits}) if before else ()
        for tries in range(_TRIES):
            kept = Kept(self._new_id(PREFIX, at[:10]), clean, at, kinds, seen, options=options, searched=tried, looked=looked, opened=opened)
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
        from strata.assessment import ANSWER, SUFFICIENT, Assessed, Doubt
        from strata.road import Road, next_step
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
            sight = Sight(self._store, kept.seen, kept.opened)
            accepted, rejected = gate.sift(claim.refs, sight.judge)
            kinds = sight.kinds(accepted)
            stands, notes = gate.settle(claim, accepted, kinds, kept.kinds)
            stands = stands._replace(fit=self._clean(stands.fit), missing=self._clean(stands.missing))
            warnings = (*notes, *self._doubts(kept, sight, stands.evidence_refs))
            step = next_step(Road(batch, kept.query, len(kept.seen), kept.options, kept.searched, kept.looked), stands, kinds, warnings)
            if stands.verdict != SUFFICIENT and step.strategy and claim.next_strategy in ("", ANSWER):
                stands = stands._replace(next_strategy=step.strategy)
            kept = kept._replace(assessment=stands)
            if step.opens:
                kept = kept._replace(looked=(*kept.looked, step.opens), opened=(*kept.opened, *sight.opened(step.opens)))
            batches.save(kept)
        if step.end:
            warnings = (*warnings, Doubt("exhausted", f"searched were {', '.join(kept.searched)}: close the batch, and say that it is not known"))
        command = _corrected(batch, claim.verdict, accepted, rejected, sight.meant) or step.command
        return Assessed(batch, stands.verdict == SUFFICIENT, stands, rejected, warnings, command)

    def _doubts(self, kept: Kept, sight: Any, cited: Sequence[str]) -> Iterable[Any]:
        """What speaks against the cited evidence, seen from words, dates and scores."""
        from strata.doubts import doubts, written
        from strata.shadow.terms import query_terms, terms

        if not cited:
            return ()
        asked = written(kept.query, query_terms(kept.query), terms)
        return doubts(kept.query, asked, sight.pieces(cited, terms), cited)

    def use(self, batch: str, refs: Iterable[str] | str) -> Used:
        """Count evidence that helped an answer: refs of the batch's sufficient assessment; none closes the batch and counts nothing.

        It is committed and durable when this returns. The same again counts nothing and gives the same answer; other refs
        are Refused, and so are refs that were not accepted as evidence. What is counted are the events behind the evidence.
        """
        from strata.assessment import Used
        from strata.batches import receipt_id
        from strata.ledger import USE, Receipt
        from strata.sight import Sight

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
                    named = _whole(kept, named)
                    _check_same(kept, named)
                    return Used(batch, kept.used, kept.events, receipt, False)
                named = _whole(kept, named)
                _check_allowed(kept, named)
                sight = Sight(self._store, kept.seen, kept.opened)
                _check_standing(sight, kept.id, named)
                events = tuple(dict.fromkeys(record for ref in named for record in sight.sources(ref)))
                batches.save(kept._replace(used=named, events=events))  # first: killed after it, the same call counts, and once
                if named:
                    plan.uses.append(Receipt(receipt, USE, events, stamp(self._now())))
                    plan.subject = f"Use {events[0]}" if len(events) == 1 else f"Use {len(events)} records"
                    plan.trailers += [("Strata-Record", ref) for ref in events[:100]]
        return Used(batch, named, events, receipt if named else "", True)

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


def _options(narrow: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What narrowed a search, kinds left out, as options of the command line."""
    names = {"tiers": "--tier", "thread": "--thread", "since": "--since", "until": "--until", "happened_from": "--happened-from", "happened_to": "--happened-to", "at": "--at", "limit": "--limit"}
    given = ((option, narrow.get(name)) for name, option in names.items())
    return tuple((option, ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)) for option, value in given if value)


def _corrected(batch: str, verdict: str, accepted: Sequence[str], rejected: Sequence[Rejected], meant: Callable[[str], str]) -> str:
    """The same assessment with the refs that were most likely meant, where slips left it without evidence; else ""."""
    from strata.road import quoted

    if accepted or verdict == "wrong":
        return ""
    found = dict.fromkeys(ref for each in rejected[:_SLIPS] if each.reason == "not_in_batch" and (ref := meant(each.ref)))
    return f"strata assess {batch} --verdict {verdict} --refs {quoted(','.join(found))}" if found else ""


def _whole(kept: Kept, refs: Sequence[str]) -> tuple[str, ...]:
    """The accepted refs that these mean, ids cut short among them; what is none stays as it is."""
    from strata.gate import fitting

    known = kept.assessment.evidence_refs if kept.assessment else ()
    return tuple(dict.fromkeys(found[0] if ref not in known and len(found := fitting(ref, known)) == 1 else ref for ref in refs))


def _check_same(kept: Kept, refs: Sequence[str]) -> None:
    """Raise Refused where a batch is closed with other evidence."""
    if kept.used is not None and set(kept.used) != set(refs):
        raise _closed(kept)


def _closed(kept: Kept) -> Refused:
    told = f"used were {', '.join(kept.used)}" if kept.used else "none of its evidence was used"
    return Refused(f"batch {kept.id} is closed: {told}", ref=kept.id, remedy="search again: strata search --gate QUERY")


def _check_standing(sight: Sight, batch: str, refs: Iterable[str]) -> None:
    """Raise Refused where evidence is not what it was any more: edited, forgotten or gone since it was assessed, or never of this batch."""
    from strata.assessment import Rejected

    for ref in refs:
        if isinstance(found := sight.judge(ref), Rejected):
            raise Refused(f"{ascii(ref[:100])} is no evidence any more: {found.detail or found.reason}; nothing was counted", ref=batch, remedy=f"assess it again: strata assess {batch} --verdict VERDICT --refs REFS")


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
