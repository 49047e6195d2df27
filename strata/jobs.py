"""The part of a memory that is about jobs: what waits to be derived from what was said, who does it, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from strata.asking import KINDS
from strata.errors import Conflict, Malformed, NotFound, Refused, UsageError
from strata.moment import stamp

if TYPE_CHECKING:
    from pathlib import Path

    from strata.config import Config
    from strata.jobbox import JobBox
    from strata.jobs_due import Desk
    from strata.jobs_run import Runner
    from strata.jobsheet import Allowance, Answered, Done, Job, JobSheet
    from strata.lookup import Lookup
    from strata.model import Progress
    from strata.plan import Plan
    from strata.store import Store


class Jobs:
    """Mixed into `Memory`."""

    root: Path
    _store: Store
    _lookup: Lookup
    _now: Callable[[], datetime]
    _new_id: Callable[[str, str], str]
    _config: Callable[[], Config]
    _write: Callable[..., AbstractContextManager[Plan]]

    def jobs(self, kind: str = "", state: str = "") -> list[Job]:
        """What is to be derived, in the order in which it is to be done; `state` is due, claimed, waiting or failed. Changes nothing."""
        from strata.jobsheet import STATES

        _check_kind(kind)
        if state and state not in STATES:
            raise UsageError(f"{state!r} is no state of a job", remedy=f"the states are {', '.join(STATES)}")
        return [job for job in self._desk().jobs() if kind in ("", job.kind) and state in ("", job.state)]

    def next_job(self, kind: str = "") -> JobSheet | None:
        """Take the next job that is due and that the settings leave to the agent: nobody else gets it for `job_lease` minutes. None when there is none."""
        from strata.jobbox import AGENT, Slip
        from strata.jobsheet import JobSheet

        _check_kind(kind)
        desk, box = self._desk(), self._box()
        until = stamp((self._now() + timedelta(minutes=self._config()["job_lease"])).replace(microsecond=0))
        if not any(job.by == AGENT for job in desk.jobs()):
            return None
        with box.held():
            jobs = desk.jobs()
            box.keep_only({job.id: job for job in jobs})
            for job in jobs:
                if job.by != AGENT or job.state != "due" or kind not in ("", job.kind):
                    continue
                try:
                    material = desk.material(job)
                except (Malformed, NotFound) as problem:
                    self._store.warn(f"passed over: {problem}")
                    continue
                slip = box.read(job.id) or Slip()
                box.write(job.id, slip._replace(holder=AGENT, until=until, batch=material.basis))
                return JobSheet(job.id, job.kind, job.block, material.question.prompt, material.question.schema, until)
        return None

    def job(self, id: str) -> JobSheet:
        """All that is needed to do one job, without taking it. Raises NotFound for one that is not to be done."""
        from strata.jobsheet import JobSheet

        desk = self._desk()
        job = desk.named(id)
        material = desk.material(job)
        return JobSheet(job.id, job.kind, job.block, material.question.prompt, material.question.schema, job.until if job.state == "claimed" else "")

    def job_done(self, id: str, text: str) -> Answered:
        """Take the answer to a job, as its schema has it: checked, and written in one commit when this returns.

        Raises Malformed for what is no JSON, Refused with every fault at once, and nothing is half-applied; that counts as an attempt,
        and the job stays with whoever took it. Raises NotFound for a job that is not to be done, and Conflict where
        what was shown changed since it was taken, or a run is doing it at this moment.
        """
        from strata.jobbox import AGENT, ATTEMPTS, Slip, failed
        from strata.jobsheet import Answered

        desk, box = self._desk(), self._box()
        job = desk.named(id)
        slip = box.read(id) or Slip()
        if slip.holder != AGENT and job.state == "claimed":
            raise Conflict(f"job {id} is being done by a run at this moment", ref=id, remedy="`strata jobs list` shows when it is over")
        material, runner = desk.material(job, slip.batch), self._runner(desk, box)
        try:
            refs, commit = runner.write(material, runner.read(material, text, AGENT), AGENT, "")
        except (Malformed, Refused) as fault:
            with box.held():
                slip = box.read(id) or Slip()
                after = failed(slip, str(fault), self._now())
                claim = {"holder": slip.holder, "until": slip.until, "batch": slip.batch} if after.attempts < ATTEMPTS else {}
                box.write(id, after._replace(**claim))
            raise
        with box.held():
            box.done(id)
        first = refs[0] if refs else job.block
        return Answered(first, self._lookup.record(first), commit, refs)

    def job_fail(self, id: str, reason: str) -> Job:
        """Give a job back that cannot be done; it counts as an attempt, and is tried again later, three times at most."""
        from strata.jobbox import Slip, failed

        if not reason.strip():
            raise UsageError("the reason is missing", remedy="strata jobs fail ID REASON")
        desk, box = self._desk(), self._box()
        desk.named(id)
        with box.held():
            box.write(id, failed(box.read(id) or Slip(), " ".join(reason.split()), self._now()))
        return desk.named(id)

    def job_retry(self, id: str | None = None) -> list[Job]:
        """Make a job due again at once, or all that failed or wait; those that somebody is doing stay as they are."""
        from strata.jobbox import Slip

        desk, box = self._desk(), self._box()
        chosen = [desk.named(id)] if id is not None else [job for job in desk.jobs() if job.state in ("failed", "waiting")]
        if id is not None and chosen[0].state == "claimed":
            raise Conflict(f"somebody is doing job {id}", ref=id, remedy="`strata jobs list` shows until when")
        with box.held():
            for job in chosen:
                box.write(job.id, Slip(redo=(box.read(job.id) or Slip()).redo))
        return [desk.job(job.id, Slip(redo=job.redo)) for job in chosen]

    def run_jobs(self, kind: str = "", limit: int | None = None, progress: Progress | None = None) -> list[Done]:
        """Do the jobs that are due and that a provider other than the agent does, each at most once; what became of each.

        One that fails does not keep the others from being done, but where a provider says that asking again is of no use
        (a wrong key, no such model), its other jobs are left as they are. Raises Refused where the settings want what
        nobody allowed on this machine.
        """
        from strata.jobs_run import BY_ITSELF

        _check_kind(kind)
        box = self._box()
        done: list[Done] = []
        tried: set[str] = set()
        if not self._undertaken(self._desk().jobs(), kind, BY_ITSELF):
            return []
        with box.runner() as token:
            desk = self._desk()
            runner = self._runner(desk, box, token)
            while jobs := [job for job in self._undertaken(desk.jobs(), kind, BY_ITSELF) if job.id not in tried]:
                for place, job in enumerate(jobs):
                    if limit is not None and len(done) >= limit:
                        return done
                    if progress:
                        progress(place, len(jobs))
                    tried.add(job.id)
                    if (result := runner.do(job)) is not None:
                        done.append(result)
        return done

    def redo(self, refs: Iterable[str], kinds: Sequence[str] = ()) -> list[Job]:
        """Ask for the summary, the events or the facts of blocks anew, by whoever the settings name now; all three unless `kinds` says which.

        New cards that say what one there says already are not written; others supersede those a provider made of the same
        messages, never what a person recorded. A description by a person stays, unless summarise is named.
        """
        from strata.document import Document
        from strata.jobbox import Slip, job_id
        from strata.model import Kind
        from strata.records import SUMMARISED_BY

        for kind in kinds:
            _check_kind(kind)
        desk, box, names = self._desk(), self._box(), []
        for ref in refs:
            path = self._lookup.record(ref, kinds=(Kind.BLOCK,))
            document = Document.parse(self._store.files.read(path), path)
            by_hand = bool(document.text("title")) and not document.text(SUMMARISED_BY)
            chosen = kinds or [kind for kind in KINDS if not (kind == "summarise" and by_hand)]
            names += [job_id(kind, document.text("id")) for kind in chosen if self._config().provider_of(kind) != "off"]
        with box.held():
            for name in dict.fromkeys(names):
                slip = box.read(name) or Slip()
                if not box.is_held(slip, self._now()):
                    box.write(name, Slip(redo=True))
        wanted = set(names)
        return [job for job in desk.jobs() if job.id in wanted]

    def allow_jobs(self) -> Allowance:
        """Allow on this machine what the settings of this memory want to run, or where they want to send text; what that is."""
        from strata.jobsheet import Allowance
        from strata.providers import trust

        config = self._config()
        wants = trust.wants(config)
        if not wants or trust.allowed(self.root, config):
            return Allowance(wants, False)
        return Allowance(trust.allow(self.root, config), True)

    # -- parts -------------------------------------------------------------------------------

    def _undertaken(self, jobs: Iterable[Job], kind: str, by: Sequence[str]) -> list[Job]:
        """Those that are due and that a run does; raises Refused for what is not allowed here."""
        found = [job for job in jobs if job.state == "due" and job.by in by and kind in ("", job.kind)]
        if any(job.by != "rules" for job in found):
            from strata.providers import trust

            trust.check(self.root, self._config())
        return found

    def _box(self) -> JobBox:
        from strata.jobbox import JobBox

        return JobBox(self._store.files, self._config()["lock_timeout"], self._store.warn)

    def _desk(self) -> Desk:
        from strata.jobs_due import Desk

        return Desk(self._store, self._lookup, self._config(), self._box(), self._now)

    def _runner(self, desk: Desk, box: JobBox, token: str = "") -> Runner:
        from strata.jobs_run import Runner

        return Runner(self._store, self._config(), desk, box, self._write, self._new_id, self._now, token)


def _check_kind(kind: str) -> None:
    if kind and kind not in KINDS:
        raise UsageError(f"{kind!r} is no kind of job", remedy=f"the kinds are {', '.join(KINDS)}")
