"""The file of an entity: what strata knows of it, in a section of its own, and all around it what a person wrote.

    # Jo

    <!-- strata:facts -->
    ## Now

    - **lives in**: Berlin · since 2026-05 · [[evt-20260520-x2m9ta]]
    - *prefers*: short answers · said 2026-05-20 · [[evt-20260520-x2m9ta]]
    - **works at** → [[organization/acme|Acme]] · since 2024 · 0.8 · [[evt-20260520-x2m9ta]]
    <!-- /strata:facts -->

A state is bold, a member of a set is in italics, a relation is an arrow to a link. Below "Now", "Until a day", "Planned" and "Earlier" they stand as of
`updated_at`, the day of the latest event: a day until which something is true may have come since. What somebody changed inside the
section is told by its hash in the header, and is theirs from then on: see `rescued`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from strata import claims, factlines, layout
from strata.document import Document
from strata.errors import Malformed
from strata.factlines import HEADINGS, fact_in, fact_line, facts_in, link
from strata.graph import Fact, ordered
from strata.holding import day_of
from strata.model import Kind
from strata.names import title_of

BEGIN, END = "<!-- strata:facts -->", "<!-- /strata:facts -->"
BY_HAND = "## By hand"

_OURS = ("id", "kind", "type", "name", "aliases", "related", "updated_at", "facts_sha256")  # keys of a file in which nobody else has a part
_MARKS = rf"(?m)^(?:{re.escape(BEGIN)}|{re.escape(END)})[ \t]*(?:\r?\n|\Z)"  # one that has lost the other
_LISTS = ("merged", "split_into", "takes", "withdrawn")
_TEXTS = ("merged_into", "split_from")


class Portrait(NamedTuple):
    """One entity. `merged` are the ids of entities that were merged into it; one that was itself merged has `merged_into`, and no facts.

    `takes` are the events whose claims about `split_from` belong here instead; `split_into` the entities split off from this one.
    `withdrawn` are the ids of facts that a person took out. `own` is all text outside the section of facts.
    `updated_at` is the day of the latest event; `edited` says that somebody changed the section since strata wrote it.
    """

    id: str
    type: str
    name: str
    aliases: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    merged_into: str = ""
    split_from: str = ""
    split_into: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    own: str = ""
    updated_at: str = ""
    edited: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """Its own id, those that its name and aliases give, and those of the entities merged into it, each once."""
        return tuple(dict.fromkeys((self.id, *(claims.entity_id(self.type, name) for name in (self.name, *self.aliases)), *self.merged)))


def read(document: Document, path: str = "") -> Portrait:
    """The entity in a file; one that a person wrote is named by its place. Raises Malformed, with path and line, for a file that is none."""
    if document.problem:
        raise document.problem
    path = path or document.path
    if layout.kind_of(path, document.text("kind")) != Kind.ENTITY:
        raise Malformed("this is no entity", path=path, line=document.line_of("kind") or 1, remedy="name the file of an entity")
    place = layout.ref_at(path)
    ref = place if place.startswith("ent-") else document.text("id")
    before, section, after = _parts(document)
    more: dict[str, Any] = {key: document.text(key) for key in _TEXTS} | {key: tuple(document.list(key)) for key in _LISTS}
    return Portrait(
        id=ref,
        type=document.text("type") or (place.split("-")[1] if place.startswith("ent-") else ""),
        name=document.text("name") or title_of(document, path),
        aliases=tuple(document.list("aliases")),
        facts=facts_in(section or ""),
        own=before + after,
        updated_at=document.text("updated_at"),
        edited=section is not None and digest(section) != document.text("facts_sha256"),
        **more,
    )


def leading(portrait: Portrait) -> Portrait:
    """The entity, merged only where it names another one as what it was merged into; any other text there, or its own id, leads nowhere."""
    ref = portrait.merged_into
    if not ref or (ref != portrait.id and ref.startswith("ent-") and layout.record_path(ref)):
        return portrait
    return portrait._replace(merged_into="")


def end_of(ref: str, step: Callable[[str], str]) -> str:
    """Where an id leads in the end, `step` from one to the next until it stays; of entities merged in a circle, by hand or by two clones, the first by its id."""
    seen: list[str] = []
    while ref not in seen:
        seen.append(ref)
        ref = step(ref)
    return min(seen[seen.index(ref) :])


def written(document: Document | None, portrait: Portrait) -> Document:
    """The file with these facts and these keys, above and below the text it has; None makes a new one.

    Withdrawn facts stay out. Raises Malformed for a header that cannot be changed.
    """
    shown = ordered(fact for fact in portrait.facts if fact.id not in portrait.withdrawn) if not portrait.merged_into else ()
    updated = max((day for fact in shown for ref in fact.events if (day := day_of(ref))), default="")
    section = f"Merged into [[{link(portrait.merged_into)}]].\n" if portrait.merged_into else factlines.section(shown, updated)
    links = dict.fromkeys(f"[[{link(fact.other)}|{fact.value}]]" for fact in shown if fact.other and fact.status != "retracted")
    keys: dict[str, Any] = {key: getattr(portrait, key) for key in (*_TEXTS, *_LISTS)}
    keys |= {"related": tuple(sorted(links)), "updated_at": updated, "facts_sha256": digest(section)}
    header = {"id": portrait.id, "kind": str(Kind.ENTITY), "type": portrait.type, "name": portrait.name, "aliases": portrait.aliases}
    if document is None:
        kept = header | {key: value for key, value in keys.items() if value}
        return Document.new({key: list(value) if isinstance(value, tuple) else value for key, value in kept.items()}, f"# {portrait.name}\n\n{BEGIN}\n{section}{END}\n".encode())
    missing = {key: value for key, value in header.items() if key != "aliases" and not document.text(key)}
    document = document.with_values(missing | _changed(document, {"aliases": portrait.aliases, **keys}))
    before, old, after = _parts(document)
    if old == section and not re.search(_MARKS, before + after):
        return document
    ending = "\r\n" if b"\r\n" in document.data[: document.data.find(b"\n") + 1] else "\n"
    fresh = f"{BEGIN}\n{section}{END}\n".replace("\n", ending)
    before, after = re.sub(_MARKS, "", before), re.sub(_MARKS, "", after)
    if old is None and before:
        before += ending * (1 if before.endswith("\n") else 2)
    return document.with_body((before + fresh + after).encode("utf-8", "surrogateescape"))


def rescued(document: Document, base: str | None) -> Document:
    """The file after what somebody changed in the section was told apart; `base` is the section as strata wrote it, None if nobody knows.

    Lines they added go below "By hand" in their own text, facts they deleted are `withdrawn`, a line they changed is both.
    Without a base only a line that is no fact is theirs, and nothing is withdrawn. Where both marks were deleted the base
    comes back between its marks, in the place of what was left of it.
    """
    before, section, after = _parts(document)
    if section is None:
        return _marked(document, base or "")
    found = [line.rstrip() for line in section.split("\n") if line.strip()]
    if base is None:
        added, gone, kept = [line for line in found if fact_in(line) is None and line not in HEADINGS], [], section
    else:
        old = [line.rstrip() for line in base.split("\n") if line.strip()]
        added, gone, kept = _beyond(found, old), _beyond(old, found), base
    withdrawn = [fact.id for fact in facts_in(base or "") if fact_line(fact) in gone]
    changes: dict[str, Any] = {"facts_sha256": digest(kept)}
    if withdrawn:
        changes["withdrawn"] = list(dict.fromkeys([*document.list("withdrawn"), *withdrawn]))
    ending = "\r\n" if b"\r\n" in document.data[: document.data.find(b"\n") + 1] else "\n"
    fresh = f"{BEGIN}\n{kept}{END}\n".replace("\n", ending)
    body = before + fresh + _with_lines(after, added, ending)
    return document.with_values(changes).with_body(body.encode("utf-8", "surrogateescape"))


def unmarked(document: Document) -> bool:
    """Whether the file had a section of facts whose marks are gone."""
    return bool(document.text("facts_sha256")) and _parts(document)[1] is None


def section_of(document: Document) -> str | None:
    """What stands in the section of facts, with plain line ends; None where there is none."""
    return _parts(document)[1]


def is_bare(document: Document, portrait: Portrait) -> bool:
    """Whether nothing is in the file but what strata made, and no fact is left in it."""
    return portrait.own.strip() in ("", f"# {portrait.name}") and not portrait.facts and not portrait.aliases and set(document.header) <= set(_OURS)


def digest(section: str) -> str:
    """The hash by which a section is known to be as strata wrote it."""
    return hashlib.sha256(section.encode("utf-8", "surrogateescape")).hexdigest()


# -- a file in its parts -------------------------------------------------------------------------


def _parts(document: Document) -> tuple[str, str | None, str]:
    """The text before the section, the section with plain line ends (None: there is none, and all is before), and the text after."""
    body = document.body.decode("utf-8", "surrogateescape")
    begin = None
    for mark in re.finditer(rf"(?m)^(?:({re.escape(BEGIN)})|{re.escape(END)})[ \t]*(?:\r?\n|\Z)", body):
        if mark[1]:
            begin = mark  # of two beginnings the later one: the end of the first is missing
        elif begin:
            return body[: begin.start()], body[begin.end() : mark.start()].replace("\r\n", "\n"), body[mark.end() :]
    return body, None, ""


def _marked(document: Document, base: str) -> Document:
    """The file with a section that has lost its marks where the first of its lines stands, and without these lines; as it is where none is left."""
    ending = "\r\n" if b"\r\n" in document.data[: document.data.find(b"\n") + 1] else "\n"
    lines, old = document.body.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n"), [line for line in base.split("\n") if line.strip()]
    ours = [place for place, line in enumerate(lines) if line.rstrip() in old]
    if not any(fact_in(lines[place]) for place in ours):
        return document
    own = [line for place, line in enumerate(lines) if place not in ours and not (place > ours[0] and fact_in(line))]
    theirs = [line for place, line in enumerate(lines) if place > ours[0] and place not in ours and fact_in(line)]
    own[ours[0] : ours[0]] = [BEGIN, *base.removesuffix("\n").split("\n"), END]
    return document.with_body(_with_lines(ending.join(own), theirs, ending).encode("utf-8", "surrogateescape"))


def _changed(document: Document, keys: dict[str, Any]) -> dict[str, Any]:
    """The keys that say something else than the header does; an empty one that was there goes."""
    changes: dict[str, Any] = {}
    for key, value in keys.items():
        if isinstance(value, tuple):
            if list(value) != document.list(key):
                changes[key] = list(value) if value or key == "aliases" else None
        elif value != document.text(key):
            changes[key] = value or None
    return changes


def _beyond(lines: Sequence[str], others: Iterable[str]) -> list[str]:
    """The lines that the others do not have, each as often as it is there too many."""
    left = Counter(others)
    found = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            found.append(line)
    return found


def _with_lines(text: str, lines: Sequence[str], ending: str) -> str:
    """A text with some more lines below its heading "By hand", which is made where there is none."""
    if not lines:
        return text
    block = "".join(line + ending for line in lines)
    if heading := re.search(rf"(?m)^{BY_HAND}[ \t]*\r?\n(?:[ \t]*\r?\n)?(?:[^\r\n#][^\r\n]*(?:\r?\n|\Z))*", text):
        head, tail = text[: heading.end()], text[heading.end() :]
        return head + ("" if head.endswith("\n") else ending) + block + tail
    gap = "" if not text else "" if text.endswith("\n") else ending
    return f"{text}{gap}{ending}{BY_HAND}{ending}{ending}{block}"
