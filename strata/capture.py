"""From messages to durable turns to sealed blocks, as edits to a memory."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from strata import moment, records
from strata.config import Config
from strata.derive import NewId, fresh_id
from strata.document import Document
from strata.errors import Malformed, NotFound
from strata.files import blob_id
from strata.layout import is_record, kind_of, record_path, tail_path
from strata.model import Drop, Kind, Message, Put, Tier, ToolCall
from strata.plan import Plan
from strata.redact import Found, redact, redact_message
from strata.results import Redaction, Sealed
from strata.ruled import RULES, Ruled
from strata.store import Store
from strata.survey import signature
from strata.tail import Tail, add, cut
from strata.transcript import decode

COMPARED = 500  # repeated messages of a call whose text is compared with what is kept
PREVIEW = 200  # characters of a payload that stay in the transcript when it moves to attachments/


@dataclass(slots=True)
class Capture:
    """One batch of messages on its way into a memory."""

    store: Store
    config: Config
    now: datetime
    new_id: NewId
    stored: int = 0
    repeated: int = 0
    differing: list[str] = field(default_factory=list)
    threads: dict[str, list[Message]] = field(default_factory=dict)
    sealed: list[Sealed] = field(default_factory=list)
    blocks: list[tuple[Sealed, Sequence[Message]]] = field(default_factory=list)
    secrets: dict[str, int] = field(default_factory=dict)

    def take(self, plan: Plan, pairs: Iterable[tuple[str, Message]]) -> None:
        """Put the messages into their threads' tails, seal what is full, and add the edits to `plan`."""
        for thread, message in pairs:
            self.threads.setdefault(self._clean_text(thread), []).append(message._replace(id=self._clean_text(message.id)))
        for thread, messages in self.threads.items():
            self._extend(plan, thread, messages)
        self.derive(plan)

    def seal(self, plan: Plan, thread: str, *, everything: bool) -> None:
        """Seal what is complete in a thread, or all of it."""
        tail, document = self.tail(thread)
        self._cut(plan, without_sealed(self.store, tail), document, everything=everything)

    def derive(self, plan: Plan) -> None:
        """Let the rules make event cards of the blocks that were sealed, and entities of these; once, when all is sealed."""
        rules = self._rules(plan)
        made = [rules.events(block.ref, messages, block.thread) for block, messages in self.blocks]
        self.sealed = [block._replace(events=tuple(events)) for block, events in zip(self.sealed, made, strict=True)]
        rules.finish()

    def _rules(self, plan: Plan) -> Ruled:
        return Ruled(plan, self.store, self.config, self.now, self.new_id)

    def tail(self, thread: str) -> tuple[Tail, Document | None]:
        """A thread's unsealed turns as they are on disk, or an empty tail that goes on where its blocks end."""
        path = self._tail_file(thread)
        try:
            data = self.store.files.read(path)
        except NotFound:
            return Tail(thread, self._next_turn(thread), ()), None
        document = Document.parse(data, path)
        if document.problem:
            raise document.problem
        tail = Tail.parse(data, path)
        if tail.thread != thread:
            raise Malformed(f"this tail says it belongs to thread {tail.thread!r}", path=path, remedy=f"correct its header to thread: {thread}")
        return tail, document

    def _differing(self, thread: str, again: Sequence[Message], here: Sequence[Message]) -> list[str]:
        """Ids that came again with another text than the thread holds: the first stays, and the caller is told."""
        if not again:
            return []
        held = {message.id: message.text for message in reversed(here)}
        homes = self.store.ask(lambda shadow: shadow.homes(thread, [message.id for message in again if message.id not in held]))
        for path in sorted({path for paths in homes.values() for path in paths}):
            document = Document.parse(self.store.files.read(path), path)
            held |= {message.id: message.text for message in decode(document.body, path, document.body_line)}
        return [message.id for message in again if message.id in held and held[message.id] != self._cleaned(message).text]

    def _tail_file(self, thread: str) -> str:
        """Where the thread's tail lies: at its place, or where a person renamed it to."""
        path = tail_path(thread)
        if not self.store.files.exists(path):
            for other in tail_files(self.store.root):
                data = self.store.tree.bytes_of(other)
                if data is not None and Document.parse(data, other).text("thread") == thread:
                    return other
        return path

    def _bring_back(self, plan: Plan, path: str) -> str:
        """A tail that a person moved into cooled/ or archive/ goes on in active/."""
        back = f"{Tier.ACTIVE}/{path.partition('/')[2]}"
        if back != path:
            plan.edits.append(Drop(path))
        return back

    def _next_turn(self, thread: str) -> int:
        last = 0
        for found in self.store.ask(lambda shadow: list(shadow.entries(kinds=("block",), thread=thread, forgotten=None))):
            document = Document.parse(self.store.files.read(found.path), found.path)
            last = max(last, records.block_of(document, found.path).last_turn)
        return last + 1

    def _extend(self, plan: Plan, thread: str, messages: Sequence[Message]) -> None:
        tail, document = self.tail(thread)
        tail = without_sealed(self.store, tail)
        messages = self._named(thread, messages, tail.messages)
        known = self._known(thread, {message.id for message in messages})
        ready: list[Message] = []
        again: list[Message] = []
        seen = known | {message.id for message in tail.messages}
        for message in messages:
            if message.id in seen:
                self.repeated += 1
                again.append(message)
                continue
            seen.add(message.id)
            ready.append(self._attach(plan, self._clean(message)))
        self.differing += self._differing(thread, again[:COMPARED], [*tail.messages, *ready])
        if not ready:
            return
        longer, added = add(tail, ready, known)
        self.stored += len(added)
        self._cut(plan, longer, document, everything=False)

    def _known(self, thread: str, ids: set[str]) -> set[str]:
        """Those of the ids that the thread has, sealed or not."""
        return self.store.ask(lambda shadow: shadow.has_messages(thread, ids))

    def _named(self, thread: str, messages: Sequence[Message], tail: Sequence[Message]) -> Sequence[Message]:
        """The messages with an id each: one that came without gets the next free m1, m2, … of its thread."""
        if all(message.id for message in messages):
            return messages
        taken = {message.id for message in (*messages, *tail)}
        number = max(map(_number, (message.id for message in tail)), default=0)
        number = number or max(map(_number, self.store.ask(lambda shadow: shadow.message_ids(thread))), default=0)
        named = []
        for message in messages:
            while not message.id:
                number += 1
                if f"m{number}" not in taken and not self._known(thread, {f"m{number}"}):
                    message = message._replace(id=f"m{number}")
            named.append(message)
        return named

    def _cut(self, plan: Plan, tail: Tail, document: Document | None, *, everything: bool) -> None:
        """Seal the complete turns of `tail` into blocks and write what remains of it."""
        chunks, rest = cut(tail, self.config["block_turns"], everything=everything)
        for first, last, messages in chunks:
            self._block(plan, tail.thread, first, last, messages)
        found = self._tail_file(tail.thread)
        data = rest.dump(document) if document else rest.dump()
        if document is None or data != document.data:
            path = self._bring_back(plan, found)
            plan.edits.append(Put(path, data, blob_id(document.data) if document and path == found else ""))

    def _block(self, plan: Plan, thread: str, first: int, last: int, messages: Sequence[Message]) -> None:
        day = next((moment.local_day(message.at) for message in messages if message.at), "") or self.now.date().isoformat()
        ref = fresh_id("blk", day, plan, self.store, self.new_id)
        rules = self._rules(plan)
        summary = rules.summary(messages, thread)
        sealed_at = self.now.strftime("%Y-%m-%dT%H:%M:%SZ")
        done = {"summarised_by": RULES if summary else "", "extracted_by": RULES if rules.extracts else "", "extracting": rules.waits_for_events}
        document = records.seal_block(ref, thread, first, last, messages, sealed_at, summary, **done)
        path = record_path(ref)
        plan.put(path, document.data)
        self.sealed.append(Sealed(ref, path, thread, first, last, len(messages), summary.title if summary else ""))
        self.blocks.append((self.sealed[-1], messages))

    # -- what must not be kept as it came ------------------------------------------------------

    def _clean_text(self, name: str) -> str:
        """A thread's name or a message's id; what stands for it is the same each time and for no other, so ids stay ids."""
        if self.config["redact"] == "off":
            return name
        clean, found = clean_name(name)
        for secret in found:
            self.secrets[secret.kind] = self.secrets.get(secret.kind, 0) + secret.count
        return clean if self.config["redact"] == "on" else name

    def _cleaned(self, message: Message) -> Message:
        """A message as it would be kept, without counting what was found in it."""
        return redact_message(message)[0] if self.config["redact"] == "on" else message

    def _clean(self, message: Message) -> Message:
        """Redact, as configured, before a single byte of the message is written."""
        if self.config["redact"] == "off":
            return message
        clean, found = redact_message(message)
        for secret in found:
            self.secrets[secret.kind] = self.secrets.get(secret.kind, 0) + secret.count
        return clean if self.config["redact"] == "on" else message

    @property
    def events(self) -> list[str]:
        """The event cards that were made of what was sealed."""
        return [ref for block in self.sealed for ref in block.events]

    def redactions(self) -> tuple[Redaction, ...]:
        """What was found, by kind."""
        action = "replaced" if self.config["redact"] == "on" else "reported"
        return tuple(Redaction(kind, count, action) for kind, count in sorted(self.secrets.items()))

    def _attach(self, plan: Plan, message: Message) -> Message:
        """Move tool payloads above the limit to attachments/, each named by its SHA-256."""
        if not message.tools:
            return message
        return message._replace(
            tools=tuple(ToolCall(call.name, self._payload(plan, call.arguments), self._payload(plan, call.result)) for call in message.tools),
        )

    def _payload(self, plan: Plan, value: Any) -> Any:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        if len(text) <= self.config["payload_limit"] // 4:  # no character is longer than four bytes
            return value
        data = text.encode("utf-8", "surrogatepass")
        if len(data) <= self.config["payload_limit"]:
            return value
        digest = hashlib.sha256(data).hexdigest()
        path = f"attachments/{digest}.{'txt' if isinstance(value, str) else 'json'}"
        if not self.store.files.exists(path) and not any(isinstance(edit, Put) and edit.path == path for edit in plan.edits):
            plan.put(path, data, None)
        return {"attachment": path, "bytes": len(data), "starts": text[:PREVIEW]}


def clean_name(name: str) -> tuple[str, tuple[Found, ...]]:
    """A thread's name or a message's id without a secret in it, and what was found."""
    _, found = redact(name)
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return (f"redacted-{digest[:16]}" if found else name), found


def tail_files(root: Path) -> list[str]:
    """Every tail, by path."""
    found = []
    for tier in Tier:
        folder = root / tier / "tails"
        names = sorted(os.listdir(folder)) if folder.is_dir() else []
        found += [path for name in names if is_record(path := f"{tier}/tails/{name}") and signature(root / path)]
    return found


def is_tail(path: str) -> bool:
    """Whether the file at `path` is a tail."""
    return kind_of(path) == Kind.TAIL


def without_sealed(store: Store, tail: Tail) -> Tail:
    """The tail less what blocks of its thread hold already, as after a merge that kept both sides of a conflict.

    A message that only shares its id with a sealed one, as two clones may mint the same, says something else and stays.
    """
    if not tail.messages:
        return tail
    homes = store.ask(lambda shadow: shadow.homes(tail.thread, [message.id for message in tail.messages]))
    sealed: set[tuple[str, str, str]] = set()
    for path in sorted({home for found in homes.values() for home in found if not is_tail(home)}):
        document = Document.parse(store.files.read(path), path)
        sealed |= {said_of(message) for message in decode(document.body, path, document.body_line)}
    return replace(tail, messages=tuple(message for message in tail.messages if said_of(message) not in sealed))


def said_of(message: Message) -> tuple[str, str, str]:
    """What tells a message from another with its id."""
    return message.id, message.text, repr(message.tools)


def _number(message_id: str) -> int:
    """The N of an id like m12; 0 for any other."""
    digits = message_id[1:]
    return int(digits) if message_id[:1] == "m" and digits.isascii() and digits.isdecimal() else 0
