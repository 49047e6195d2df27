"""What one event says of one person, project, organization, tool or place: a claim, as a line of the event's card and as a value.

    person Jo · state · lives in · Berlin · from 2026-05
    person Jo · set · prefers · short answers
    person Jo · relation · works at · organization Acme · from 2024 · to 2026-04 · 0.8

A `state` is replaced by the next one with its key, a `set` gathers, a `relation` leads to another entity. Entities are
told apart by type and name; the id that follows from them is the same everywhere and always.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from strata import moment
from strata.layout import is_portable
from strata.names import slug
from strata.supplied import Form, shown

TYPES = ("person", "project", "organization", "tool", "place")
MODES = ("state", "set", "relation")
LONGEST_NAME, LONGEST_KEY, LONGEST_VALUE = 80, 40, 200  # characters

_FIELDS = ("type", "name", "mode", "key", "value", "target", "valid_from", "valid_to", "confidence")
_BETWEEN = " · "
_DIGITS = "23456789"
_LETTERS = f"abcdefghjkmnpqrstuvwxyz{_DIGITS}"
_LINKING = r"[\[\]|#^<>]|%%"  # what would be a link, a tag or a comment in an editor


class Claim(NamedTuple):
    """One statement. `target` is the type of the entity that `value` names, of a relation, else "".

    `valid_from` and `valid_to` are times in the forms of `strata.moment`, "" for unknown; an unknown confidence is None.
    """

    type: str
    name: str
    mode: str
    key: str
    value: str
    target: str = ""
    valid_from: str = ""
    valid_to: str = ""
    confidence: float | None = None

    @property
    def entity(self) -> str:
        """The id that the entity has by its own name, whatever it was merged into."""
        return entity_id(self.type, self.name)

    @property
    def other(self) -> str:
        """The same of the entity that a relation leads to; "" for any other claim."""
        return entity_id(self.target, self.value) if self.target else ""


def entity_id(type_: str, name: str) -> str:
    """`ent-person-jo`: from type and name alone. Names that differ in more than case, blanks, hyphens and underscores have different ids.

    A name that its slug cannot give back (José, 東京, C++) has a mark of its own behind it, and so has one that some
    system keeps for itself (con).
    """
    plain = slug(name)
    whole = re.sub(r"(?<=[^\W_])[-_ ]+(?=[^\W_])", " ", folded(name))
    if plain and plain.replace("-", " ") == whole and is_portable(f"{plain}.md") and not re.fullmatch(r"[2-9][a-hj-km-np-z2-9]{5}", plain.rpartition("-")[2]):
        return f"ent-{type_}-{plain}"
    return "-".join(part for part in ("ent", type_, plain, mark(whole)) if part)


def folded(name: str) -> str:
    """A name as it is compared: without case, with single blanks, in one form of Unicode."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def line(claim: Claim) -> str:
    """The claim on one line."""
    value = f"{claim.target} {claim.value}" if claim.target else claim.value
    parts = [f"{claim.type} {claim.name}", claim.mode, claim.key, value]
    parts = [_escaped(part) for part in parts]
    parts += [f"from {claim.valid_from}"] if claim.valid_from else []
    parts += [f"to {claim.valid_to}"] if claim.valid_to else []
    parts += [_number(claim.confidence)] if claim.confidence is not None else []
    return _BETWEEN.join(parts)


def read(text: str) -> Claim | None:
    """The claim that a line states; None for a line that is none."""
    parts = [re.sub(r"\\(.)", r"\1", part) for part in text.strip().split(_BETWEEN)]
    if len(parts) < 4:
        return None
    (type_, _, name), mode, key, value = parts[0].partition(" "), parts[1], parts[2], parts[3]
    target = ""
    if mode == "relation":
        target, _, value = value.partition(" ")
    found: dict[str, Any] = {}
    for part in parts[4:]:
        word, _, time = part.partition(" ")
        if word == "from" and "valid_from" not in found:
            found["valid_from"] = time
        elif word == "to" and "valid_to" not in found:
            found["valid_to"] = time
        elif "confidence" not in found and re.fullmatch(r"[0-9](?:\.[0-9]+)?(?:e-[0-9]{1,3})?", part):
            found["confidence"] = float(part)
        else:
            return None
    claim = Claim(type_, name, mode, key, value, target, **found)
    return None if faults(claim) else claim


def of_lines(lines: Iterable[str]) -> list[Claim]:
    """The claims that some lines state; lines that are none say nothing here, `strata doctor` names them."""
    return [claim for text in lines if (claim := read(text)) is not None]


def faults(claim: Claim) -> list[str]:
    """What is wrong with a claim, field by field: one a person or a model supplied is refused for it."""
    found = []
    if claim.type not in TYPES:
        found.append(f"type is one of {', '.join(TYPES)}, not {shown(claim.type)}")
    if claim.mode not in MODES:
        found.append(f"mode is one of {', '.join(MODES)}, not {shown(claim.mode)}")
    if (claim.mode == "relation") != bool(claim.target):
        found.append("target is the type of the entity a relation leads to, and is left out elsewhere")
    elif claim.target and claim.target not in TYPES:
        found.append(f"target is one of {', '.join(TYPES)}, not {shown(claim.target)}")
    for field, text, limit in (("name", claim.name, LONGEST_NAME), ("key", claim.key, LONGEST_KEY), ("value", claim.value, LONGEST_NAME if claim.target else LONGEST_VALUE)):
        if not text.strip() or text != text.strip() or not any(map(str.isalnum, text)):
            found.append(f"{field} is empty, or begins or ends with a blank")
        elif len(text) > limit:
            found.append(f"{field} has {len(text)} characters, at most {limit} are allowed")
        elif any(not char.isprintable() for char in text):
            found.append(f"{field} is more than one line, or holds a character that cannot be printed")
        elif (field == "name" or (field == "value" and claim.target)) and re.search(_LINKING, text):
            found.append(f"{field} holds one of [ ] | # ^ < > %%, which no name has")
    for field, time in (("valid_from", claim.valid_from), ("valid_to", claim.valid_to)):
        if time and not moment.is_valid(time):
            found.append(f"{field} is an ISO 8601 date or time such as 2026-05-20, not {shown(time)}")
    if not any(fault.startswith("valid_") for fault in found) and claim.valid_from and claim.valid_to:
        if moment.parse(claim.valid_to).closes <= moment.parse(claim.valid_from).opens:
            found.append("valid_to is before valid_from")
    if claim.confidence is not None and not 0 <= claim.confidence <= 1:
        found.append("confidence is a number from 0 to 1")
    return found


def supplied(value: object, what: str = "fact") -> Claim:
    """A claim somebody supplied as an object with the fields of `Claim`; raises Malformed with every fault."""
    form = Form(what, value, _FIELDS)
    texts = {field: form.text(field, 300, required=field in ("type", "name", "mode", "key", "value")) for field in _FIELDS[:-1]}
    claim = Claim(**{field: text.strip() for field, text in texts.items()}, confidence=form.share("confidence"))
    if not form.faults:
        form.faults += faults(claim)
    form.check("correct the fields named")
    return claim


def as_object(claim: Claim) -> Mapping[str, Any]:
    """The claim as `supplied` reads it, without what is unknown."""
    return {field: value for field, value in claim._asdict().items() if value not in ("", None)}


def _number(share: float) -> str:
    """A share as short as it can be written without loss."""
    short = f"{share:g}"
    return short if float(short) == share else repr(share)


def _escaped(part: str) -> str:
    return part.replace("\\", "\\\\").replace("·", r"\·")


def mark(text: str) -> str:
    """A digit and five characters that follow from a text."""
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    number, first = divmod(number, len(_DIGITS))
    found = _DIGITS[first]
    for _ in range(5):
        number, place = divmod(number, len(_LETTERS))
        found += _LETTERS[place]
    return found
