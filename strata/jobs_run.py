"""Doing jobs: ask whoever does them, read the answer as hostile, write what stands in one commit. No lock is held while somebody is asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from strata import answers, deriving, projection
from strata.asking import Provider, Reply
from strata.cards import Event
from strata.config import Config
from strata.derive import NewId, clean
from strata.document import Document
from strata.errors import Conflict, Locked, Malformed, ModelFailed, NotFound, Refused, StrataError
from strata.files import blob_id
from strata.jobbox import JobBox, Slip, failed
from strata.jobs_due import Desk, Material, is_finished
from strata.jobsheet import Done, Job
from strata.moment import stamp
from strata.plan import Plan
from strata.prompts import repaired
from strata.store import Store

BY_ITSELF = ("rules", "command", "openai")
"""The providers whose jobs a run does; those of an agent wait for it."""
Write = Callable[[str], AbstractContextManager[Plan]]


class Runner:
    """Does the jobs of one memory, one after the other. `token` is what it claims them with."""

    def __init__(self, store: Store, config: Config, desk: Desk, box: JobBox, write: Write, new_id: NewId, now: Callable[[], datetime], token: str = "") -> None:
        self._store = store
        self._config = config
        self._desk = desk
        self._box = box
        self._write = write
        self._new_id = new_id
        self._now = now
        self._token = token
        self._stopped: dict[str, str] = {}
        self._providers: dict[str, Provider] = {}

    # -- one job -----------------------------------------------------------------------------

    def do(self, job: Job) -> Done | None:
        """Claim a job, do it, and say what became of it; None where somebody else has it, or it is done by now.

        Whatever ends this, the claim ends with it: an interrupted job is as it was.
        """
        if job.by in self._stopped or not self._claim(job):
            return None
        kept = False
        try:
            if self._desk.is_done(job):
                return None
            done = self._attempt(job)
            self._keep(job, done)
            kept = True
            return done
        finally:
            if not kept:
                self._let_go(job)

    def _attempt(self, job: Job) -> Done:
        try:
            material = self._desk.material(job)
        except Locked:
            raise
        except StrataError as problem:
            return Done(job.id, "failed", by=job.by, error=str(problem))
        if job.by == "rules":
            return self._kept(material, lambda: self._by_rules(material), "rules", "", 0)
        try:
            provider = self._provider(job.by)
        except (ModelFailed, Refused) as problem:
            self._stopped[job.by] = str(problem)
            return Done(job.id, "stopped", by=job.by, error=str(problem))
        question, calls = material.question, 0
        while True:
            calls += 1
            try:
                reply = provider.ask(question)
            except ModelFailed as failure:
                if failure.reply is not None:
                    self._paid(job, failure.reply)
                if not failure.again:
                    self._stopped[job.by] = str(failure)
                    return Done(job.id, "stopped", by=provider.name, error=str(failure), calls=calls)
                self._after = failure.after
                return Done(job.id, "failed", by=provider.name, error=str(failure), calls=calls)
            self._paid(job, reply)
            done = self._kept(material, lambda text=reply.text: self.read(material, text, provider.name), provider.name, reply.model, calls)  # type: ignore[misc]
            if done.outcome != "refused" or calls == 2:
                return done
            question = repaired(material.question, reply.text, done.error)

    def _kept(self, material: Material, read: Callable[[], Any], by: str, model: str, calls: int) -> Done:
        """Read an answer and write what it says; a refusal changes nothing."""
        try:
            value = read()
            refs, commit = self.write(material, value, by, model)
        except (Malformed, Refused) as fault:
            return Done(material.job.id, "refused", by=by, error=str(fault), calls=calls)
        except (Conflict, NotFound) as fault:
            return Done(material.job.id, "changed", by=by, error=str(fault), calls=calls)
        return Done(material.job.id, "done", refs, by, calls=calls, commit=commit)

    # -- answers -----------------------------------------------------------------------------

    def read(self, material: Material, text: str, by: str) -> Any:
        """The answer to a job as values, checked; raises Malformed or Refused with every fault."""
        value = answers.read_json(text, self._config["answer_limit"])
        value, _ = clean(value, self._config["redact"])
        job = material.job
        if job.kind == "summarise":
            return answers.summary(value, material.messages)
        if job.kind == "extract":
            return answers.events(value, job.block, material.messages, {event.id for event in material.known}, by)
        return answers.claims(value, material.batch)

    def _by_rules(self, material: Material) -> Any:
        """What strata's own rules say."""
        job = material.job
        if job.kind == "summarise":
            from strata.models import rules

            return rules.summarise(material.messages, material.thread)
        if job.kind == "extract":
            from strata.models import extracting

            return [_revised(event, job.block, material.known, extracting.replaced) for event in extracting.cards(material.messages, material.thread)]
        from strata.models import projecting

        now = Plan()  # of which nothing is written: what the files say
        return {ref: tuple(projecting.claims(event, lambda claim: projection.held(now, self._store, claim))) for ref, event in material.batch.items()}

    def write(self, material: Material, value: Any, by: str, model: str) -> tuple[tuple[str, ...], str]:
        """Write a checked answer in one commit; the refs it wrote, and the commit. Raises Conflict for what was done, or changed, meanwhile."""
        job = material.job
        with self._write(job.kind) as plan:
            if job.kind == "project":
                refs = tuple(deriving.projected(plan, self._store, self._same_cards(material), value))
            else:
                path, document, _ = self._desk.block(job.block)
                _check_due(job, document, material)
                if job.kind == "summarise":
                    deriving.summarised(plan, path, document, value, by, extracting=self._config.provider_of("extract") != "off")
                    refs = (job.block,)
                else:
                    fresh = deriving.unsaid(value, self._desk.cards_of(job.block))
                    refs = tuple(deriving.extracted(plan, self._store, path, document, fresh, by, self._new_id, self._now()))
            plan.trailers.append(("Strata-Provider", _printable(by)))
            if model:
                plan.trailers.append(("Strata-Model", _printable(model)))
        return refs, plan.commit or ""

    def _same_cards(self, material: Material) -> dict[str, tuple[str, Document]]:
        """The cards of a projection as they are now; raises Conflict unless they are what was shown."""
        found = {ref: self._desk.card(ref) for ref in material.batch}
        for ref, digest in material.basis:
            if blob_id(found[ref][1].data) != digest:
                raise Conflict(f"{ref} changed since it was read", ref=ref, remedy="take the job again: strata jobs next")
        return found

    # -- slips -------------------------------------------------------------------------------

    _after = 0.0  # seconds that the last model asked to be left alone

    def _claim(self, job: Job) -> bool:
        with self._box.held():
            slip = self._box.read(job.id) or Slip()
            if self._desk.state(slip) != "due" or slip.redo != job.redo:
                return False
            self._box.write(job.id, slip._replace(holder=self._token, until="", batch=()))
        return True

    def _keep(self, job: Job, done: Done) -> None:
        """Note what became of an attempt."""
        with self._box.held():
            slip = self._box.read(job.id) or Slip()
            free = slip._replace(holder="", until="", batch=())
            if done.outcome == "done":
                self._box.done(job.id)
            elif done.outcome in ("refused", "failed"):
                self._box.write(job.id, failed(free, done.error, self._now(), self._after))
            else:
                self._box.write(job.id, free._replace(error=done.error if done.outcome == "stopped" else slip.error))
        self._after = 0.0

    def _let_go(self, job: Job) -> None:
        with self._box.held():
            if (slip := self._box.read(job.id)) and slip.holder == self._token:
                self._box.write(job.id, slip._replace(holder="", until="", batch=()))

    # -- models ------------------------------------------------------------------------------

    def _provider(self, name: str) -> Provider:
        if name not in self._providers:
            from strata.providers import provider, trust

            trust.check(self._store.root, self._config)
            self._providers[name] = provider(name, self._config)
        return self._providers[name]

    def _paid(self, job: Job, reply: Reply) -> None:
        """Note a call in the ledger, whatever becomes of its answer."""
        from strata.spending import receipt

        self._store.accesses.note(receipt(job.kind, reply, stamp(self._now()), os.urandom(8).hex()))


def _check_due(job: Job, document: Document, material: Material) -> None:
    """Raise Conflict where the block is not what was asked about, or where it was done meanwhile."""
    if (job.block, document.text("source_sha256")) != material.basis[0]:
        raise Conflict(f"{job.block} changed since it was read", ref=job.block, remedy="take the job again: strata jobs next")
    if is_finished(job, document) and not job.redo:
        raise Conflict(f"job {job.id} was done meanwhile", ref=job.id, remedy="`strata jobs list` shows what is left")


def _revised(event: Event, block: str, known: Sequence[Event], replaced: Callable[[Event, Sequence[Event]], tuple[Sequence[str], Sequence[str]]]) -> Event:
    supersedes, conflicts = replaced(event, known)
    return event._replace(source_block=block, supersedes=tuple(supersedes), conflicts_with=tuple(conflicts))


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:200]
