"""From what a person names or asks to records, messages and hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from strata import layout
from strata.claims import TYPES, entity_id, folded
from strata.document import Document
from strata.entries import entries, forgotten_at, known_as, leading_to
from strata.errors import Ambiguous, NotFound, OutsideMemory, StrataError, UsageError
from strata.model import Entry, Hit, Kind, Tier
from strata.past import Past
from strata.snippet import snippet
from strata.survey import Signature, signature
from strata.transcript import decode

if TYPE_CHECKING:
    from strata.results import Row, Shown
    from strata.shadow import Found
    from strata.shadow.ranking import Second
    from strata.store import Store

CACHED_FILES = 400  # parsed files a Memory keeps
_CANDIDATES = 5  # of an ambiguous prefix that an error names
_TITLE = 40  # characters of the title of one


class Lookup:
    """Reading a memory by ref, by filter and by query."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.past = Past(store, self.record)
        self._parsed: dict[str, tuple[Signature, dict[str, Entry]]] = {}

    # -- by ref --------------------------------------------------------------------------------

    def record(self, ref: str, *, kinds: Sequence[str] = (), exact: bool = False) -> str:
        """The path of the record that `ref` names: an id, a unique prefix of one, or a place.

        Raises NotFound, or Ambiguous with the candidates. `exact` refuses prefixes.
        """
        name, _ = self._split(ref)
        path = self._by_place(name) or self._by_id(name, exact)
        kind = layout.kind_of(path)
        if kinds and kind not in kinds:
            raise UsageError(f"{ref} is a {kind}, not a {' or '.join(kinds)}", ref=ref, path=path)
        return path

    def is_entity(self, ref: str) -> bool:
        """Whether a ref names an entity that is there now."""
        try:
            return layout.kind_of(self.record(ref)) == Kind.ENTITY
        except (NotFound, Ambiguous):
            return False

    def _split(self, ref: str) -> tuple[str, str]:
        """Record and message of a ref; a file made by hand may have a # in its own name."""
        return (ref, "") if "#" in ref and self._by_name(ref) else layout.split_ref(ref)

    def note_path(self, ref: str) -> str | None:
        """The file of a note in whichever tier it lies, or None."""
        return next((path for tier in Tier if self._store.files.exists(path := f"{tier}/{ref}.md")), None)

    def _by_place(self, name: str) -> str | None:
        for tier in Tier:
            if (path := layout.record_path(name, tier)) and self._store.files.exists(path):
                return path
        if found := self._by_name(name):
            return found
        try:
            layout.contained(name or "x")
        except OutsideMemory:
            if "/" in name or "\\" in name or "\0" in name:
                raise
        return None

    def _by_name(self, name: str) -> str | None:
        """The file a name leads to, tier, `notes/` and `.md` given or not; any name a person may have given it."""
        plain = name.removesuffix(".md")
        if not plain or any(part in ("", ".", "..") for part in plain.split("/")) or "\0" in plain:
            return None
        if layout.tier_of(f"{plain}/"):
            places = [f"{plain}.md"]
        else:
            places = [f"{tier}/{folder}{plain}.md" for folder in ("", "notes/") for tier in Tier]
        return next((path for path in places if layout.is_record(path) and self._store.files.exists(path)), None)

    def _by_id(self, name: str, exact: bool) -> str:
        self._store.refresh()
        found = [item for item in self._store.ask(lambda shadow: shadow.find(name)) if self._store.files.exists(item.path)]
        same = [item for item in found if item.ref == name]
        if same:
            found = same
        elif exact or not name:
            found = []
        paths = sorted({item.path for item in found})
        if not paths:
            raise NotFound(f"there is no record {name!r}", ref=name, remedy=("" if exact else self._as_entity(name)) or "`strata list` and `strata search` show what is there")
        if len(paths) > 1:
            shown = ", ".join(item.path if same else _candidate(item) for item in found[:_CANDIDATES]) + (", …" if len(found) > _CANDIDATES else "")
            raise Ambiguous(f"{name!r} fits {len(paths)} records: {shown}", ref=name, remedy="give the path" if same else "give more of the id")
        return paths[0]

    def _as_entity(self, name: str) -> str:
        """How to see the entity that goes by what is no ref; "" where none does."""
        ids = [entity_id(type_, name) for type_ in TYPES] if folded(name) else []
        found = {item.ref for ref in ids for item in self._store.ask(lambda shadow, ref=ref: shadow.flagged(known_as(ref))) if item.kind == Kind.ENTITY}
        found |= {ref for ref in ids if self._by_place(ref)}
        if found:
            return f"{'an entity has' if len(found) == 1 else 'entities have'} that name: {', '.join(f'strata show {ref}' for ref in sorted(found))}"
        told = next((ref for ref in ids if self._store.ask(lambda shadow, ref=ref: shadow.flagged(leading_to(ref)))), "")
        return f"others speak of it: strata graph show {told}" if told else ""

    def starting_with(self, prefix: str) -> list[Row]:
        """Records whose ref starts with `prefix`, from the index as it is; none when there is no index yet."""
        if self._store.mark() is None:
            return []
        return [_row(found) for found in self._store.ask(lambda shadow: shadow.find(prefix)) if not found.forgotten]

    # -- one record ----------------------------------------------------------------------------

    def show(self, ref: str, *, level: int | None, at: str | None) -> Shown:
        """See `Memory.show`."""
        from strata.showing import shown  # late, as is all that only some searches need: start-up counts

        name, message = self._split(ref)
        if level is not None and not 0 <= level <= 5:
            raise UsageError(f"there is no level {level}", remedy="levels go from 0 (title) to 5 (verbatim)")
        if at is None:
            path = self.record(ref)
            data = self._store.files.read(path)
            if message and layout.kind_of(path) == Kind.TAIL:
                path, data = self._since_sealed(path, data, message)
            if since := forgotten_at(Document.parse(data, path)):
                raise NotFound(f"it was forgotten on {since[:10]}", ref=name, remedy=f"show it again with: strata restore {name}")
            commit = ""
        else:
            commit = self._store.history.resolve(at)
            past = self.past.place(name, commit)
            if past is None:
                raise NotFound(f"this memory held no {name!r} at {at}", ref=name, remedy=f"`strata log {name}` shows when it came")
            path, data = past, self._store.history.read(past, commit)
        return shown(path, data, message, level, commit, ref)

    def _since_sealed(self, path: str, data: bytes, message: str) -> tuple[str, bytes]:
        """A message that a ref still looks for in the tail is in a block when it was sealed meanwhile."""
        document = Document.parse(data, path)
        if document.problem or any(said.id == message for said in decode(document.body, path, document.body_line)):
            return path, data
        self._store.refresh()
        thread = document.text("thread")
        for found in self._store.ask(lambda shadow: list(shadow.entries(kinds=("message",), thread=thread, forgotten=None))):
            if found.message == message:
                return found.path, self._store.files.read(found.path)
        return path, data

    # -- many ----------------------------------------------------------------------------------

    def rows(
        self, *, tiers: Sequence[str], kinds: Sequence[str], thread: str, since: str, until: str, forgotten: bool, limit: int | None, at: str = ""
    ) -> list[Row]:
        """The records (never single messages) that pass the filters, newest first; with `at` those true at that date."""
        wanted = tuple(kinds) or ("block", "event", "entity", "note")
        found = self._store.ask(lambda shadow: list(shadow.entries(kinds=wanted, tiers=tuple(tiers), thread=thread, since=since, until=until, forgotten=forgotten, at=at)))
        found.sort(key=lambda item: item.ref)
        found.sort(key=lambda item: item.at, reverse=True)
        return [_row(item) for item in islice((item for item in found if not at or self._was(item, at)), limit)]

    def _was(self, item: Found, at: str) -> bool:
        from strata.validity import by_then, true_then

        return by_then(item, at) if item.kind != Kind.ENTITY else true_then(item.path, self._store.files.read(item.path), at) is not None

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
        forgotten: bool = False,
        limit: int,
        today: date | None = None,
        explain: bool = False,
        second: Second | None = None,
    ) -> list[Hit]:
        """Ranked hits, each checked against the file it points to before it is returned; with `forgotten` only among those, with `at` as true then.

        An outdated statement comes behind the one that replaces it, and both are marked; so are events that other cards supersede or contradict. The card that holds instead
        of an outdated one stands above it also where no word of it was asked for, unless the query narrows where to look.
        """
        from strata.changecues import asks_for_past
        from strata.revisions import LOOKED_AT, revised
        from strata.rivals import below_current, marked

        narrow = {"kinds": tuple(kinds), "tiers": tuple(tiers), "thread": thread, "since": since, "until": until, "forgotten": forgotten}
        narrow |= {"happened_from": happened_from, "happened_to": happened_to, "at": at}
        asked = max(limit, LOOKED_AT)  # a current statement may stand behind the outdated one
        while True:
            found = self._store.ask(lambda shadow: shadow.rank(query, limit=asked, **narrow, today=today, explain=explain, second=second))
            hits = _once(hit for item in found if (hit := self._hit(item, forgotten, at, query)))
            if len(hits) >= limit or len(found) < asked:
                break
            asked *= 2
        texts = {(hit.path, hit.ref): entry.text for hit, entry in hits}
        chosen = [*revised(query, hits[:LOOKED_AT], today), *(hit for hit, _ in hits[LOOKED_AT:])][:limit]
        chosen = marked(self._store.ask, self._store.files.read, chosen, at, query)
        narrowed = tiers or thread or since or until or happened_from or happened_to or forgotten or (kinds and Kind.EVENT not in kinds)
        if not narrowed and not asks_for_past(query):
            chosen = below_current(chosen, lambda ref: self._bring(ref, texts, at, query))[:limit]
        return [hit._replace(snippet=snippet(texts[hit.path, hit.ref], query)) for hit in chosen]

    def _bring(self, ref: str, texts: dict[tuple[str, str], str], at: str, query: str) -> Hit | None:
        """A record as a hit that no search found; its text goes to `texts`."""
        found = next((item for item in self._store.ask(lambda shadow: shadow.find(ref)) if item.ref == ref), None)
        made = self._hit(found, False, at, query) if found else None
        texts |= {(hit.path, hit.ref): entry.text for hit, entry in ([made] if made else [])}
        return made[0] if made else None

    def _hit(self, found: Found, forgotten: bool, at: str, query: str) -> tuple[Hit, Entry] | None:
        """What is found as a hit, yet without a snippet, and what its file says now; None when that is gone."""
        try:
            entry = self.entry(found.path, found.ref)
            entry = self._as_of(entry, at, query) if entry and at else entry
        except StrataError as error:  # there, but not for us to read: what the index knows has to do
            self._store.warn(str(error))
            entry = Entry(
                found.path, found.ref, found.kind, found.title, "", found.at, thread=found.thread, message=found.message, speaker=found.speaker, forgotten=forgotten
            )
        if entry is None or entry.forgotten != forgotten:
            return None
        hit = Hit(
            ref=found.ref,
            kind=found.kind,
            tier=layout.tier_of(found.path),
            path=found.path,
            title=entry.title,
            at=entry.at,
            snippet="",
            score=found.score,
            thread=entry.thread,
            message=entry.message,
            speaker=entry.speaker if found.kind == "message" else "",
            why=found.why,
        )
        return hit, entry

    def _as_of(self, entry: Entry, at: str, query: str) -> Entry | None:
        from strata.validity import as_of

        return as_of(entry, self._store.files.read, at, query)

    def entry(self, path: str, ref: str) -> Entry | None:
        """What the file says now under this ref; None when it is gone."""
        now = signature(self._store.root / path)
        if now is None:
            return None
        kept = self._parsed.get(path)
        if kept is None or kept[0] != now:
            try:
                parsed = {entry.ref: entry for entry in entries(path, self._store.files.read(path))}
            except NotFound:
                return None
            if len(self._parsed) >= CACHED_FILES:
                self._parsed.clear()
            kept = self._parsed[path] = (now, parsed)
        return kept[1].get(ref)


def _once(hits: Iterable[tuple[Hit, Entry]]) -> list[tuple[Hit, Entry]]:
    """Each message once, though two clones may have sealed it apart; two that only share an id are two."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for hit, entry in hits:
        if not hit.message or (hit.thread, hit.message, entry.text) not in seen:
            kept.append((hit, entry))
        seen.add((hit.thread, hit.message, entry.text))
    return kept


def _candidate(found: Found) -> str:
    """A record that a prefix may mean, with the beginning of its title."""
    title = " ".join(found.title.split()) if not found.forgotten else ""
    return found.ref + (f" ({title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + '…'})" if title else "")


def _row(found: Found) -> Row:
    from strata.results import Row

    return Row(found.ref, found.kind, layout.tier_of(found.path), found.path, found.title, found.at, found.thread, tuple(found.tags))
