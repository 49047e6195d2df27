"""What a file contributes to the index: one entry for the record, and one for each message in it.

Pure: the same path and bytes give the same entries, so an index rebuilt anywhere is the same.
"""

from __future__ import annotations

import re

from strata.claims import entity_id, of_lines
from strata.document import Document
from strata.errors import Malformed
from strata.layout import is_id, kind_of, path_ref
from strata.model import Entry, Kind, Message
from strata.transcript import decode

FORGOTTEN = "forgotten_at"  # the key of a header that hides a record
TURN = "turn"  # the flag of a message that begins a turn
HAPPENED = "happened"  # of an event whose own time is known
SAFETY = "safety"  # and of an event that must not be overlooked
PENDING = "pending"  # of a block that is not summarised or not searched for events
UNPROJECTED = "unprojected"  # of an event of which nobody has said what it means for persons and things
_APPARATUS = r"(?m)^<!-- /?strata:facts -->\n?|^## (?:Now|Planned|Earlier)\n\n?| ·(?: \[\[evt-[a-z0-9-]+\]\],?)+$"  # of the section of facts in the file of an entity: what says nothing of it
_TITLE = 100  # characters of a heading that serves as the title
_ABOUT = 120  # characters of a description
_READ = 5000  # characters of a text in which its title and description are looked for


def entries(path: str, data: bytes) -> list[Entry]:
    """The entries of the file at `path`; a file that cannot be parsed is one note made of its text."""
    document = Document.parse(data, path)
    found = _entries(path, document)
    pinned, forgotten = document.flag("pinned"), bool(forgotten_at(document))
    if document.problem and b"pinned: true" in data[:4096]:
        pinned = True  # what cannot be read may be meant so, and rests more safely where it is
    return [entry._replace(pinned=pinned, forgotten=forgotten) for entry in found] if pinned or forgotten else found


def forgotten_at(document: Document) -> str:
    """Since when a record is forgotten; "" for one that is not."""
    since = document.text(FORGOTTEN)
    return "" if since.casefold() in ("false", "no", "off", "0") else since


def superseding(ref: str) -> str:
    """The flag of the events that supersede this one."""
    return f"supersedes {ref}"


def conflicting(ref: str) -> str:
    """The flag of the events that say they conflict with this one."""
    return f"conflicts with {ref}"


def about(entity: str) -> str:
    """The flag of the events that claim something about an entity, by the id that its name gives it (`claims.entity_id`)."""
    return f"about {entity}"


def known_as(entity: str) -> str:
    """The flag of the entity that an id leads to: its own, that of an alias, that of one merged into it."""
    return f"is {entity}"


def leading_to(entity: str) -> str:
    """The flag of the entities from which a relation leads to this one."""
    return f"leads to {entity}"


def superseded(entry: Entry) -> tuple[str, ...]:
    """The events that an entry supersedes."""
    beginning = superseding("")
    return tuple(flag.removeprefix(beginning) for flag in entry.flags if flag.startswith(beginning))


def _entries(path: str, document: Document) -> list[Entry]:
    kind = kind_of(path, document.text("kind"))
    try:
        if kind in (Kind.BLOCK, Kind.TAIL) and not document.problem:
            return _transcript(path, document, kind)
    except Malformed:
        return [_plain(path, document, Kind.NOTE)]  # `doctor` reports it; its words stay findable
    if kind == Kind.EVENT and not document.problem:
        return [_event(path, document)]
    if kind == Kind.ENTITY and not document.problem:
        plain = _plain(path, document, kind)
        said = {"text": _plainly(plain.text), "about": _plainly(plain.about)}
        return [plain._replace(**said, speaker=" ".join(document.list("aliases")), flags=_of_entity(document))]
    return [_plain(path, document, kind)]


def ref_of(path: str, document: Document) -> str:
    """The id its header claims where that is safe to use, else its place."""
    claimed = document.text("id")
    return claimed if is_id(claimed) else path_ref(path)


def text_of(message: Message) -> str:
    """The words of a message that search looks at: what was said, and what its tools were given and returned."""
    if not message.tools:
        return message.text
    parts = [message.text]
    for call in message.tools:
        parts += [call.name, *_words(call.arguments), *_words(call.result)]
    return "\n".join(part for part in parts if part)


def _words(value: object) -> list[str]:
    """Every text and number inside a JSON value, keys included."""
    found: list[str] = []
    pending = [value]
    while pending:
        match pending.pop():
            case str(text):
                found.append(text)
            case bool() | None:
                continue
            case int(number) | float(number):
                found.append(str(number))
            case dict(mapping):
                for key, inner in reversed(mapping.items()):
                    pending += [inner, key]
            case list(items):
                pending += reversed(items)
    return found


def _transcript(path: str, document: Document, kind: Kind) -> list[Entry]:
    messages = decode(document.body, path, document.body_line)
    ref, thread = ref_of(path, document), document.text("thread")
    times = [message.at for message in messages if message.at]
    first = int(turn) if (turn := document.text("first_turn")).isdecimal() else 1
    following = int(turn) + 1 if kind == Kind.BLOCK and (turn := document.text("last_turn")).isdecimal() else 0
    found = [
        Entry(
            path=path,
            ref=f"{ref}#{message.id}",
            kind="message",
            title=document.text("title"),
            text=text_of(message),
            at=message.at,
            until=message.at,
            thread=thread,
            message=message.id,
            speaker=message.speaker,
            position=first * 10_000 + index,
            before=index,
            after=len(messages) - 1 - index,
            next_turn=following if index == len(messages) - 1 else 0,
            flags=(TURN,) if message.role == "user" else (),
            shown=len(text_of(message)) - len(message.text) if message.tools else 0,
        )
        for index, message in enumerate(messages)
    ]
    if kind == Kind.BLOCK:
        about = [document.text("summary"), *document.list("keypoints")]
        found.append(
            Entry(
                path=path,
                ref=ref,
                kind="block",
                title=document.text("title"),
                text="\n".join(part for part in about if part),
                at=times[0] if times else "",
                until=times[-1] if times else "",
                thread=thread,
                tags=tuple(document.list("tags")),
                position=first * 10_000,
                about=_short(document.text("summary")),
                flags=(PENDING,) if document.text("state") == PENDING else (),
            )
        )
    return found


def _event(path: str, document: Document) -> Entry:
    happened = document.text("happened_start")
    text = _decoded(document.body)
    return Entry(
        path=path,
        ref=ref_of(path, document),
        kind="event",
        title=document.text("title"),
        text=text,
        at=happened or document.text("mentioned_at"),
        until=document.text("happened_end") or happened or document.text("mentioned_at"),
        thread=document.text("thread"),
        speaker=" ".join(document.list("participants")),
        sources=tuple(f"{block}#{message}" for message in document.list("source_messages")) if (block := document.text("source_block")) else (),
        flags=_of_event(document),
        tags=tuple(tag for tag in (document.text("event_type"), *document.list("tags")) if tag),
        about=_short(next((line for line in text[:_READ].split("\n") if line.strip()), "")),
    )


def _plainly(text: str) -> str:
    """The file of an entity as a reader would say it: facts without marks, links by the names they show."""
    bare = re.sub(_APPARATUS, "", text)
    return re.sub(r"(?m)^- (\*{1,2})(.+?)\1(:| →) (?:\[\[[^\]|]*\|([^\]]+)\]\])?", r"\2: \4", bare)


def _of_event(document: Document) -> tuple[str, ...]:
    claims = of_lines(document.list("facts"))
    return (
        *((HAPPENED,) if document.text("happened_start") else ()),
        *map(superseding, document.list("supersedes")),
        *map(conflicting, document.list("conflicts_with")),
        *((SAFETY,) if document.text("criticality") == SAFETY else ()),
        *((UNPROJECTED,) if "facts" not in document.header else ()),
        *dict.fromkeys(about(claim.entity) for claim in claims),
    )


def _of_entity(document: Document) -> tuple[str, ...]:
    type_ = document.text("type")
    ids = (document.text("id"), *(entity_id(type_, name) for name in (document.text("name"), *document.list("aliases")) if name), *document.list("merged"))
    links = re.findall(r"\[\[([a-z]+)/([a-z0-9-]+)[|\]]", "\n".join(document.list("related")))
    return (*map(known_as, dict.fromkeys(ids)), *dict.fromkeys(leading_to(f"ent-{kind}-{name}") for kind, name in links))


def _plain(path: str, document: Document, kind: Kind) -> Entry:
    """A note, an entity, or anything that could not be read as what it claims to be."""
    body = document.body if not document.problem else document.data
    text = _decoded(body)
    title = document.text("title") or document.text("name") or heading(text)
    return Entry(
        path=path,
        ref=ref_of(path, document),
        kind=str(kind) if kind not in (Kind.TAIL, Kind.BLOCK, Kind.EVENT) else "note",
        title=title or path_ref(path).rpartition("/")[2],
        text=text,
        at=document.text("created_at") or document.text("updated_at"),
        tags=tuple(document.list("tags")),
        about=_short(prose(text if not document.problem else "", title)),
    )


def heading(text: str) -> str:
    """The first markdown heading, else the first line with words; at most 100 characters, "" for none."""
    first = ""
    for line in text[:_READ].split("\n"):
        words = line.strip()
        if words.startswith("#") and words.strip("# "):
            return words.strip("# ")[:_TITLE]
        if not first and any(char.isalnum() for char in words):
            first = words.lstrip("-*+> ")[:_TITLE]
    return first


def prose(text: str, title: str = "") -> str:
    """The first line of markdown that says something and is neither the title nor a heading, without its marks; "" for none.

    Code, tables and HTML say nothing.
    """
    fence = ""
    for line in text[:_READ].split("\n"):
        words = line.strip()
        if words.startswith(("```", "~~~")):
            fence = "" if words[:3] == fence else fence or words[:3]
        elif not fence and words and words[0] not in "#|<" and any(char.isalnum() for char in words):
            words = words.lstrip("-*+> ")
            said = words.replace("**", "").replace("`", "")
            if title not in (words[:_TITLE], said):
                return said
    return ""


def _short(text: str) -> str:
    """A description on one line, cut between words where one ends near."""
    line = " ".join(text[: 4 * _ABOUT].split())
    if len(line) <= _ABOUT:
        return line
    space = line.rfind(" ", _ABOUT - 30, _ABOUT)
    return line[: space if space > 0 else _ABOUT - 1] + "…"


def _decoded(data: bytes) -> str:
    """Text for the index; bytes that are not UTF-8 are read as Latin-1, so that a search still finds the words."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
