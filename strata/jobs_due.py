"""What is to be derived, as files and index say it, and what one job needs to be done: its source, its context, its question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from strata import moment, records, transcript
from strata.asking import KINDS, Question
from strata.cards import Event, event_of
from strata.config import Config
from strata.document import Document
from strata.entries import PENDING, UNPROJECTED
from strata.errors import Conflict, Malformed, NotFound, StrataError
from strata.files import blob_id
from strata.jobbox import ATTEMPTS, JobBox, Slip, is_job_id, job_id
from strata.jobsheet import Job
from strata.lookup import Lookup
from strata.model import Kind, Message
from strata.shadow.found import Found
from strata.store import Store

MOST_CARDS = 30  # event cards that one projection is about; the rest makes the next
_NEIGHBOURS = (2, 1)  # blocks before and after whose key points are shown
_LOOKED_BACK = 20  # blocks of the thread whose cards are known to an extraction
_MOST_KNOWN = 40
_MOST_ENTITIES = 8


class Material(NamedTuple):
    """What one job is about, as it was read: `batch` are the event cards of a projection, `known` the cards an extraction may cite.

    `basis` names what was shown, with digests: an answer counts for that alone.
    """

    job: Job
    question: Question
    thread: str
    messages: tuple[Message, ...]
    batch: Mapping[str, Event]
    known: Sequence[Event]
    basis: tuple[tuple[str, str], ...]


def is_finished(job: Job, document: Document) -> bool:
    """Whether a block has what a summary or an extraction is to give it."""
    if job.kind == "summarise":
        return bool(document.text("title"))
    return bool(document.text(records.EXTRACTED_BY)) or document.text("state") != records.PENDING


class Desk:
    """The jobs of one memory, with the settings as they are now."""

    def __init__(self, store: Store, lookup: Lookup, config: Config, box: JobBox, now: Callable[[], datetime]) -> None:
        self._store = store
        self._lookup = lookup
        self._config = config
        self._box = box
        self._now = now

    # -- which jobs there are ----------------------------------------------------------------

    def jobs(self) -> list[Job]:
        """Every job, in the order in which they are to be done: block by block, and of a block summary, events, facts."""
        self._store.refresh()
        slips = self._box.all()
        wanted = {job_id(kind, block) for kind, block in self._pending()} | {name for name, slip in slips.items() if slip.redo and self._has_block(name)}
        found = [self.job(name, slips.get(name, Slip())) for name in wanted]
        order = {kind: place for place, kind in enumerate(KINDS)}
        return sorted((job for job in found if job.by != "off"), key=lambda job: (job.block, order[job.kind]))

    def job(self, name: str, slip: Slip) -> Job:
        """A job with what is kept of it."""
        kind, _, block = name.partition("-")
        state = self.state(slip)
        until = slip.until if state == "claimed" else slip.not_before if state == "waiting" else ""
        return Job(name, kind, block, self._config.provider_of(kind), state, slip.attempts, until, slip.error, slip.redo)

    def state(self, slip: Slip) -> str:
        """due, claimed, waiting or failed."""
        if self._box.is_held(slip, self._now()):
            return "claimed"
        if slip.attempts >= ATTEMPTS:
            return "failed"
        return "waiting" if slip.not_before and moment.parse(slip.not_before).start > self._now() else "due"

    def named(self, name: str) -> Job:
        """The job of exactly this id; raises NotFound."""
        found = next((job for job in self.jobs() if job.id == name), None)
        if found is None:
            raise NotFound(f"there is no job {name if name.isprintable() and len(name) < 100 else ascii(name)[:100]!r}", remedy="`strata jobs list` shows those that are to be done; one that was done is there no more")
        return found

    def _pending(self) -> Iterable[tuple[str, str]]:
        for found in self._store.ask(lambda shadow: shadow.flagged(PENDING)):
            document = self._document(found.path)
            if document is None or not is_job_id(job_id("extract", found.ref)):
                continue
            if not document.text("title"):
                yield "summarise", found.ref
            if not document.text(records.EXTRACTED_BY):
                yield "extract", found.ref
        for block in {_source(found) for found in self._store.ask(lambda shadow: shadow.flagged(UNPROJECTED))}:
            if is_job_id(job_id("project", block)):
                yield "project", block

    def _has_block(self, name: str) -> bool:
        """Whether what somebody wants done anew is there: the block, and of a projection cards that a provider made."""
        kind, _, block = name.partition("-")
        try:
            self._lookup.record(block, kinds=(Kind.BLOCK,), exact=True)
        except StrataError:
            return False
        return kind != "project" or any(event.made_by for event in self.cards_of(block))

    # -- what one of them needs --------------------------------------------------------------

    def material(self, job: Job, basis: Sequence[tuple[str, str]] = ()) -> Material:
        """What the job is about. With `basis`, what somebody was shown: raises Conflict when that is not so any more."""
        from strata import prompts

        if job.kind == "project":
            batch = self._batch(job, [ref for ref, _ in basis])
            cards = {ref: event for ref, (event, _) in batch.items()}
            facts, keys = self._facts(cards.values())
            now = tuple((ref, digest) for ref, (_, digest) in batch.items())
            made = Material(job, prompts.project(cards, facts, keys), "", (), cards, (), now)
        else:
            _, document, messages = self.block(job.block)
            thread = document.text("thread")
            context = self._neighbours(job.block, thread)
            known = self._known(job.block, thread) if job.kind == "extract" else []
            question = prompts.extract(job.block, thread, messages, context, known) if job.kind == "extract" else prompts.summarise(job.block, thread, messages, context)
            made = Material(job, question, thread, messages, {}, known, ((job.block, document.text("source_sha256")),))
        if basis and made.basis != tuple(basis):
            raise Conflict(f"what job {job.id} is about changed since it was taken", ref=job.id, remedy="take it again: strata jobs next")
        return made

    def is_done(self, job: Job) -> bool:
        """Whether somebody did a job since it was listed. Asked once it is claimed, when nobody else can begin it."""
        if job.redo:
            return False
        if job.kind == "project":
            self._store.refresh()
            return not any(_source(found) == job.block for found in self._store.ask(lambda shadow: shadow.flagged(UNPROJECTED)))
        try:
            return is_finished(job, self.block(job.block)[1])
        except StrataError:  # what is wrong with it, the attempt says
            return False

    def block(self, ref: str) -> tuple[str, Document, tuple[Message, ...]]:
        """Path, document and messages of a block."""
        path = self._lookup.record(ref, kinds=(Kind.BLOCK,), exact=True)
        document = Document.parse(self._store.files.read(path), path)
        if document.problem:
            raise document.problem
        if not records.is_intact(document):
            raise Malformed("the messages of this block are not those that were sealed", path=path, remedy="strata doctor says more")
        return path, document, transcript.decode(document.body, path, document.body_line)

    def cards_of(self, block: str) -> list[Event]:
        """Every event card that rests on a block, forgotten ones too: what was forgotten is not made again."""
        found = self._store.ask(lambda shadow: shadow.citing([block]))
        found += [each for each in self._store.ask(lambda shadow: list(shadow.entries(kinds=("event",), forgotten=True))) if _source(each) == block]
        return [event for event in map(self._event, found) if event is not None]

    def card(self, ref: str) -> tuple[str, Document]:
        """Path and document of an event card."""
        path = self._lookup.record(ref, kinds=(Kind.EVENT,), exact=True)
        document = Document.parse(self._store.files.read(path), path)
        if document.problem:
            raise document.problem
        return path, document

    def _batch(self, job: Job, refs: Sequence[str]) -> dict[str, tuple[Event, str]]:
        """The cards of a projection with their digests: those named, else those that wait, and with a wish to redo those a provider made."""
        if not refs:
            waiting = [found.ref for found in self._store.ask(lambda shadow: shadow.flagged(UNPROJECTED)) if _source(found) == job.block]
            again = [event.id for event in self.cards_of(job.block) if event.made_by] if job.redo else []
            refs = list(dict.fromkeys((*waiting, *again)))
        found: dict[str, tuple[Event, str]] = {}
        for ref in refs:
            try:
                path, document = self.card(ref)
                found[ref] = event_of(document, path), blob_id(document.data)
            except StrataError as problem:
                self._store.warn(f"passed over: {problem}")
            if len(found) == MOST_CARDS:
                break
        if not found:
            raise Malformed(f"no event card of {job.block} can be read", ref=job.block, remedy="strata doctor says more")
        return found

    def _neighbours(self, block: str, thread: str) -> list[str]:
        """Key points of the blocks around one, each with its block."""
        around = self._thread(thread)
        place = next((place for place, found in enumerate(around) if found.ref == block), None)
        if place is None:
            return []
        before, after = _NEIGHBOURS
        lines = []
        for found in [*around[max(0, place - before) : place], *around[place + 1 : place + 1 + after]]:
            document = self._document(found.path)
            lines += [f"{found.ref}: {point}" for point in document.list("keypoints")] if document else []
        return lines

    def _known(self, block: str, thread: str) -> list[Event]:
        """Cards of this block and of those before it in its thread, the latest."""
        around = [found.ref for found in self._thread(thread)]
        place = around.index(block) if block in around else len(around)
        wanted = [block, *around[max(0, place - _LOOKED_BACK) : place]]
        found = self._store.ask(lambda shadow: shadow.citing(wanted))
        found.sort(key=lambda each: (_source(each) == block, each.at), reverse=True)
        return [event for event in map(self._event, found[:_MOST_KNOWN]) if event is not None]

    def _facts(self, cards: Iterable[Event]) -> tuple[list[str], list[str]]:
        """What is known of the entities that cards speak of, as lines, and the keys in use there."""
        lines: dict[str, None] = {}
        for event in cards:
            query = " ".join((event.title, *event.participants))
            for hit in self._lookup.search(query, kinds=("entity",), limit=_MOST_ENTITIES):
                document = self._document(hit.path)
                if document:
                    body = document.body.decode("utf-8", "replace")
                    lines |= dict.fromkeys(f"{document.text('type')} {document.text('name')}: {line[2:]}" for line in body.split("\n") if line.startswith("- **"))
        keys = dict.fromkeys(match[1] for line in lines if (match := re.search(r"\*\*(.+?)\*\*", line)))
        return list(lines), list(keys)

    def _thread(self, thread: str) -> list[Found]:
        found = self._store.ask(lambda shadow: list(shadow.entries(kinds=("block",), thread=thread)))
        return sorted(found, key=lambda each: (each.position, each.ref))

    def _event(self, found: Found) -> Event | None:
        document = self._document(found.path)
        try:
            return event_of(document, found.path)._replace(id=found.ref) if document else None
        except Malformed as problem:
            self._store.warn(f"passed over: {problem}")
            return None

    def _document(self, path: str) -> Document | None:
        """A file as a document; None, with a warning, where it cannot be read."""
        try:
            document = Document.parse(self._store.files.read(path), path)
        except StrataError as problem:
            self._store.warn(f"passed over: {problem}")
            return None
        if document.problem:
            self._store.warn(f"passed over: {document.problem}")
            return None
        return document


def _source(found: Found) -> str:
    """The block that an event rests on; "" where it names none."""
    return found.sources[0].partition("#")[0] if found.sources else ""
