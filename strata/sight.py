"""What the files say now under the refs that a batch saw, and whether that is still what was seen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from strata import gate
from strata.assessment import Rejected, Seen
from strata.document import Document
from strata.doubts import COARSE, Piece
from strata.entries import entries
from strata.errors import StrataError
from strata.files import blob_id
from strata.layout import is_record, split_ref
from strata.model import Entry, Hit, Kind, Tier
from strata.timewords import day_words

if TYPE_CHECKING:
    from strata.store import Store

_TAILS = f"{Tier.ACTIVE}/tails/"
_TOLD = 5  # refs that a rejection names


class Sheet:
    """One file as it is now: its blob id, and what it says under each ref."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.blob = blob_id(data)
        self.entries = {entry.ref: entry for entry in entries(path, data)}
        self.messages = sorted((entry for entry in self.entries.values() if entry.message), key=lambda entry: entry.position)
        self._data = data

    def digest(self, entry: Entry) -> str:
        """What an entry says, as a hash; a block says its messages, however it is described."""
        return gate.digest(*(self.messages if entry.kind == Kind.BLOCK else (entry,)))

    def text(self, entry: Entry) -> str:
        """The words of an entry, of a record with its title; those of a block are its messages."""
        if entry.kind == Kind.BLOCK:
            return "\n".join(each.text for each in self.messages)
        return entry.text if entry.message else f"{entry.title}\n{entry.text}"

    def listed(self, key: str) -> list[str]:
        """A list in the header."""
        return Document.parse(self._data, self.path).list(key)

    def says_when(self) -> bool:
        """Whether the header of an event tells when it happened."""
        return bool(Document.parse(self._data, self.path).text("happened_start"))

    def after(self, entry: Entry) -> str:
        """The ref of the message that follows one in this file; "" for the last, and for a record."""
        if not entry.message:
            return ""
        return next((each.ref for each in self.messages if each.position > entry.position), "")


class Place(NamedTuple):
    """Where a ref is now."""

    sheet: Sheet
    entry: Entry


class Sight:
    """A look at the files behind one batch, each read once.

    A ref goes on to count under the name it has now: a message that was in a tail is in a block after sealing.
    """

    def __init__(self, store: Store, seen: Sequence[Seen] = (), opened: Sequence[Seen] = ()) -> None:
        self._store = store
        self._sheets: dict[str, Sheet | None] = {}
        self._places: dict[Seen, Place | None] = {}
        self._seen = {each.ref: each for each in (*seen, *opened)}
        self._opened = frozenset(each.ref for each in opened)
        sealed = ((self._locate(each), each) for each in seen if each.message and each.path.startswith(_TAILS))
        self._renamed = {place.entry.ref: each for place, each in sealed if place is not None}

    # -- opening a batch ---------------------------------------------------------------------

    def seen(self, hits: Iterable[Hit]) -> tuple[Seen, ...]:
        """What a batch keeps of its hits."""
        found = []
        for hit in hits:
            place = self._in(hit.path, hit.ref)
            blob, digest = (place.sheet.blob, place.sheet.digest(place.entry)) if place else ("", "")
            found.append(Seen(hit.ref, hit.kind, hit.path, blob, digest, hit.thread, hit.message, hit.score, hit.status, hit.counterpart))
        return tuple(found)

    def opened(self, ref: str) -> tuple[Seen, ...]:
        """What a batch keeps of a ref that its reader is told to open; nothing where it is known already, or not there."""
        if not ref or ref in self._seen:
            return ()
        record = split_ref(ref)[0]
        paths = [known.path for known in self._store.ask(lambda shadow: shadow.find(record)) if known.ref == record]
        place = next((place for path in (*paths, f"{Tier.ACTIVE}/{record}.md") if (place := self._in(path, ref))), None)
        if place is None:
            return ()
        sheet, entry = place
        return (Seen(ref, entry.kind, sheet.path, sheet.blob, sheet.digest(entry), entry.thread, entry.message),)

    # -- assessing it ------------------------------------------------------------------------

    def judge(self, ref: str) -> str | Rejected:
        """The ref under which this evidence is known now, or why it is none; an id cut short counts where it fits one ref of the batch."""
        seen = self._of(ref)
        if seen is None:
            fitting = gate.fitting(ref, (*self._seen, *self._renamed), self._blocks())
            return self.judge(fitting[0]) if len(fitting) == 1 else Rejected(ref, "not_in_batch", self._why(ref, fitting))
        place = self._locate(seen)
        if place is None:
            return Rejected(ref, "changed", "it is not there any more")
        if place.entry.forgotten:
            return Rejected(ref, "changed", "it was forgotten")
        if not gate.unchanged(seen, place.sheet.blob, place.sheet.digest(place.entry)):
            return Rejected(ref, "changed", "it was edited since" if seen.blob else "it could not be read when it was found")
        if seen.ref == ref or ref in self._renamed:
            return place.entry.ref
        return ref if ref in place.sheet.entries else Rejected(ref, "not_in_batch", f"{seen.ref} has no such message")

    def meant(self, ref: str) -> str:
        """The ref of the batch that was most likely meant by one that is not in it; "" where none is like it."""
        fitting = gate.fitting(ref, (*self._seen, *self._renamed), self._blocks())
        return fitting[0] if fitting else gate.alike(ref, self._seen)

    def _why(self, ref: str, fitting: Sequence[str]) -> str:
        if fitting:
            return f"it fits {len(fitting)} refs of this batch: {', '.join(fitting[:_TOLD])}"
        if meant := gate.alike(ref, self._seen):
            return f"this batch has {meant}"
        within = [each for each in self._seen if each.partition("#")[0] == ref.partition("#")[0]]
        return f"of this record the batch has {', '.join(within[:_TOLD])}" if within else "its search did not find it"

    def _blocks(self) -> list[str]:
        return [each.ref for each in self._seen.values() if each.kind == Kind.BLOCK]

    def kinds(self, more: Iterable[str] = ()) -> dict[str, str]:
        """The kinds of these accepted refs, and of those of the batch, best first."""
        known = self._seen | self._renamed
        return {ref: known[ref].kind if ref in known else "message" for ref in more} | {ref: seen.kind for ref, seen in self._seen.items()}

    def pieces(self, cited: Collection[str], terms: Callable[[str], Collection[str]]) -> list[Piece]:
        """The hits under their present names, best first, and what else is cited, for the rules of doubt."""
        found: dict[str, Piece] = {}
        for seen in self._seen.values():
            if (seen.ref not in self._opened or seen.ref in cited) and (place := self._locate(seen)):
                piece = _parted(place, terms) if place.entry.ref in cited else _piece(place, terms)
                found.setdefault(piece.ref, piece._replace(score=seen.score, status=seen.status, counterpart=seen.counterpart))
        for ref in cited:
            if ref not in found and (block := self._of(ref)) and (place := self._locate(block)) and (entry := place.sheet.entries.get(ref)):
                found[ref] = _piece(place._replace(entry=entry), terms)._replace(score=block.score)
        return list(found.values())

    # -- using it ----------------------------------------------------------------------------

    def sources(self, ref: str) -> tuple[str, ...]:
        """The records that evidence counts for: the events behind it, an event itself, those an entity lists; else its own record."""
        seen = self._of(ref)
        place = self._locate(seen) if seen else None
        if place is None or seen is None:
            return (split_ref(ref)[0],)
        entry = place.sheet.entries.get(ref, place.entry)
        events: Iterable[str] = ()
        if entry.kind == Kind.ENTITY:
            events = (name for name in place.sheet.listed("events") if gate.plausible(name))
        elif entry.message or entry.kind == Kind.BLOCK:
            events = (event.ref for event in self._store.ask(lambda shadow: shadow.citing([entry.ref])))
        return tuple(dict.fromkeys(events)) or (split_ref(entry.ref)[0] if entry.message else entry.ref,)

    # -- files -------------------------------------------------------------------------------

    def _of(self, ref: str) -> Seen | None:
        """The hit a ref belongs to: itself, under an older name, or the block that a message is of."""
        seen = self._seen.get(ref) or self._renamed.get(ref)
        if seen is None:
            record, message = split_ref(ref)
            block = self._seen.get(record) if message else None
            seen = block if block is not None and block.kind == Kind.BLOCK else None
        return seen

    def _locate(self, seen: Seen) -> Place | None:
        if seen not in self._places:
            self._places[seen] = next((place for path, ref in self._trail(seen) if (place := self._in(path, ref))), None)
        return self._places[seen]

    def _trail(self, seen: Seen) -> Iterator[tuple[str, str]]:
        """Where a hit may be: where it was, in another tier, where the index knows its record, in the block that holds its message."""
        yield seen.path, seen.ref
        yield from ((f"{tier}/{seen.path.partition('/')[2]}", seen.ref) for tier in Tier)
        record = split_ref(seen.ref)[0] if seen.message else seen.ref
        for known in self._store.ask(lambda shadow: shadow.find(record)):
            if known.ref == record:
                yield known.path, seen.ref
        if seen.message:
            for path in sorted(self._store.ask(lambda shadow: shadow.homes(seen.thread, [seen.message])).get(seen.message, ())):
                sheet = self._sheet(path)
                yield from ((path, entry.ref) for entry in (sheet.messages if sheet else ()) if entry.message == seen.message)

    def _in(self, path: str, ref: str) -> Place | None:
        sheet = self._sheet(path)
        entry = sheet.entries.get(ref) if sheet else None
        return Place(sheet, entry) if sheet and entry else None

    def _sheet(self, path: str) -> Sheet | None:
        """The record at a path; None where there is none that can be read."""
        if path not in self._sheets:
            try:
                self._sheets[path] = Sheet(path, self._store.files.read(path)) if is_record(path) else None  # a batch may name anything
            except StrataError:  # gone, or not ours to read: nobody can tell what it says
                self._sheets[path] = None
        return self._sheets[path]


def _piece(place: Place, terms: Callable[[str], Collection[str]]) -> Piece:
    sheet, entry = place
    text = sheet.text(entry)
    speaker = entry.speaker if entry.message else ""
    dated = entry.kind == Kind.EVENT and sheet.says_when()
    return Piece(entry.ref, entry.kind, text, entry.at, speaker, terms=frozenset(terms(f"{text} {day_words(entry.at)}")), dated=dated, follows=sheet.after(entry))


def _parted(place: Place, terms: Callable[[str], Collection[str]]) -> Piece:
    """A piece with its parts: the messages of a block, the paragraphs of a long record."""
    whole, messages = _piece(place, terms), place.sheet.messages
    if whole.kind == Kind.BLOCK and len(messages) > 1:
        return whole._replace(parts=tuple(_piece(Place(place.sheet, message), terms) for message in messages))
    if whole.kind != Kind.BLOCK and not place.entry.message and len(whole.text) > COARSE:
        return whole._replace(parts=tuple(whole._replace(text=part, terms=frozenset(terms(part))) for part in whole.text.split("\n\n")))
    return whole
