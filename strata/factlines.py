"""A fact as a line of markdown that can be read back, and the section of such lines that the file of an entity holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from strata import layout, moment
from strata.graph import STATUSES, Fact, is_over, is_to_come, ordered

HEADINGS = ("## Now", "## Until a day", "## Planned", "## Earlier")

_FORESEEN = "foreseen"  # of an end that lay ahead when it was told, so that nothing is closed yet
_ESCAPED = r"[\\`*\[\]<>|$~=]|(?<![^\W_])_|_(?![^\W_])|(?<!\S)#|%(?=%)|(?<=%)%|&(?=#?\w+;)"
_WRITTEN = r"(?:\\.|[^\\·*])+?"
_FACT = (
    rf"- (?:\*\*(?P<state>{_WRITTEN})\*\*: (?P<one>{_WRITTEN})|\*(?P<set>{_WRITTEN})\*: (?P<many>{_WRITTEN})"
    rf"|\*\*(?P<relation>{_WRITTEN})\*\* → \[\[(?P<target>[a-z]+)/[a-z0-9-]+\|(?P<name>[^\]|]+)\]\])(?P<rest>(?: · [^·]+)*)"
)


def fact_line(fact: Fact) -> str:
    """The fact as a line of markdown, from which `fact_in` reads it back."""
    match fact.mode:
        case "relation":
            said = f"**{_escaped(fact.key)}** → [[{link(fact.other)}|{fact.value}]]"
        case "set":
            said = f"*{_escaped(fact.key)}*: {_escaped(fact.value)}"
        case _:
            said = f"**{_escaped(fact.key)}**: {_escaped(fact.value)}"
    times = [f"{word} {time}" for word, time in (("since", fact.valid_from), ("said", fact.said), ("until", fact.valid_to)) if time]
    sure = [repr(fact.confidence)] if fact.confidence is not None else []
    word = _FORESEEN if fact.status == "current" and fact.valid_to else fact.status
    status = [word] if word != ("closed" if fact.valid_to else "current") else []
    return " · ".join([f"- {said}", *times, *sure, *status, ", ".join(f"[[{ref}]]" for ref in fact.events)])


def fact_in(line: str) -> Fact | None:
    """The fact that a line states; None for a line of somebody else."""
    if (match := re.fullmatch(_FACT, line.rstrip())) is None:
        return None
    mode = next(mode for mode in ("state", "set", "relation") if match[mode])
    found: dict[str, Any] = {}
    for part in match["rest"].split(" · ")[1:]:
        word, _, time = part.partition(" ")
        if field := {"since": "valid_from", "said": "said", "until": "valid_to"}.get(word):
            if not moment.is_valid(time):
                return None
            found[field] = time
        elif part == _FORESEEN:
            found["status"] = "current"
        elif part in STATUSES:
            found["status"] = part
        elif part.startswith("[["):
            found["events"] = tuple(re.findall(r"\[\[([^\[\]|]+)\]\]", part))
        elif re.fullmatch(r"\d[\d.e-]*", part):
            found["confidence"] = float(part)
        else:
            return None
    if not found.get("events"):
        return None
    status = {"status": "closed" if "valid_to" in found else "current"} | found
    value = match["name"] or _plain(match["one"] or match["many"])
    return Fact(_plain(match[mode]), mode, value, match["target"] or "", **status)


def facts_in(section: str) -> tuple[Fact, ...]:
    """The facts in a section, in their order."""
    return ordered(fact for line in section.split("\n") if (fact := fact_in(line)) is not None)


def section(facts: Sequence[Fact], day: str) -> str:
    """The facts below their headings, as of the day of the latest event: no file knows what day it is read on, so what ends on a day that is named stands apart."""
    places = [3 if is_over(fact, day) else 2 if is_to_come(fact, day) else 1 if fact.valid_to else 0 for fact in facts]
    parts = []
    for place, heading in enumerate(HEADINGS):
        if lines := [fact_line(fact) for fact, own in zip(facts, places, strict=True) if own == place]:
            parts.append("".join(f"{line}\n" for line in [heading, "", *lines]))
    return "\n".join(parts)


def _escaped(text: str) -> str:
    return re.sub(_ESCAPED, r"\\\g<0>", text).replace("·", "&middot;")


def _plain(text: str) -> str:
    return re.sub(r"\\(.)|&middot;", lambda match: match[1] or "·", text)


def link(ref: str) -> str:
    """What a link to an entity says: its place below `entities/`, without `.md`."""
    return (layout.record_path(ref) or ref).rpartition("entities/")[2].removesuffix(".md")
