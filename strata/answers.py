"""Answers of models and agents, read as what they are: hostile until every part of them was checked.

Nothing is repaired and nothing is half taken: one refusal names every fault of every part with its place, such as
`events[2].quotes[1]`. What passes rests on the block or the cards that the question was about, and on nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from strata import records
from strata.cards import EVENT_TYPES, Event, read_event
from strata.claims import Claim, folded, supplied
from strata.errors import Malformed, Refused, StrataError
from strata.evidence import one_line, unfounded
from strata.happened import dated
from strata.model import Message, Summary
from strata.prompts import MOST_CLAIMS, MOST_EVENTS, events_schema
from strata.supplied import Form, shown, whole

LIMIT = 1_048_576  # bytes of an answer that are read
_TELLING = 8  # letters and digits of a quote that says something
_DEEPEST = 20  # lists and objects within each other; a true answer has four
_MOST_FAULTS = 60  # that a refusal names
_MOST_OF_ONE = 40  # claims that one card takes


def read_json(text: str, limit: int = LIMIT) -> Any:
    """The JSON value of an answer, which may stand in one ```json fence and otherwise alone.

    Raises Malformed, with the line, for anything else: text around it, half a value, NaN, a key that stands twice,
    more than `limit` bytes, lists within lists without end.
    """
    size = len(text) if len(text) > limit else len(text.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise Malformed(f"the answer has more than {limit:,} bytes", remedy="answer shorter")
    plain = text.removeprefix("\ufeff").strip()
    if not plain:
        raise Malformed("the answer is empty", remedy="answer with one JSON object")
    if plain.startswith("```"):
        fence = re.fullmatch(r"```(?:json|JSON)?[ \t]*\r?\n(.*)\n[ \t]*```", plain, re.DOTALL)
        if fence is None:
            raise Malformed("the answer is not one ```json block and nothing else", remedy="answer with the JSON object alone")
        plain = fence[1]
    if _depth(plain) > _DEEPEST:
        raise Malformed("this JSON is nested too deeply", remedy="answer in the form of the schema")
    try:
        return json.loads(plain, parse_int=whole, parse_constant=_no_constant, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise Malformed(f"this is not JSON: {error.msg} (column {error.colno})", line=error.lineno, remedy="answer with one JSON object and nothing around it") from None
    except (ValueError, RecursionError) as error:
        raise Malformed(f"this is not JSON: {error}", remedy="answer with one JSON object and nothing around it") from None


def summary(value: object, messages: Sequence[Message]) -> Summary:
    """Title, tags, summary and key points; raises Refused with every fault."""
    try:
        return records.parse_summary(value, {message.id for message in messages})
    except Malformed as fault:
        raise Refused(fault.message, remedy=fault.remedy, faults=fault.faults) from None


def events(value: object, block_id: str, messages: Sequence[Message], known: Collection[str], made_by: str) -> list[Event]:
    """The cards of `{"events": […]}`, each resting on messages of this block, each with a quote that stands there.

    `known` are the ids a card may supersede or contradict, or it names a card further up in the answer as `events[1]`, which is the `id` of that one here. Words in `original_text` must stand in a cited message;
    where no dates are given they are resolved by its time, and dates that contradict them are refused unless their
    basis is inferred. Raises Refused with every fault of all cards, of their shape and of their evidence.
    """
    given = _list_of(value, "events", MOST_EVENTS)
    found: list[Event] = []
    faults: list[str] = []
    for place, item in enumerate(given, 1):
        event, wrong = _event(item, block_id, messages, {*known, *(f"events[{above}]" for above in range(1, place))}, made_by)
        faults += _placed(f"events[{place}]", wrong)
        if event is not None:
            found.append(event._replace(id=f"events[{place}]"))
    if faults:
        raise Refused(_told(faults), remedy="mend what is named, cite and quote messages of this block alone, and give the whole answer again", ref=block_id, faults=_first(faults))
    return found


def claims(value: object, batch: Mapping[str, Event]) -> dict[str, tuple[Claim, ...]]:
    """For each card of the batch what `{"facts": […]}` says by it; a claim with several events stands with each of them.

    A fact is an object as `strata.claims.supplied` reads it, and `events`, at least one, of the batch. The entity, and
    the one that a relation leads to, must be named by one of these cards. Raises Refused with every fault.
    """
    given = _list_of(value, "facts", MOST_CLAIMS)
    found: dict[str, dict[Claim, None]] = {ref: {} for ref in batch}
    faults: list[str] = []
    for place, item in enumerate(given, 1):
        where = f"facts[{place}]"
        if not isinstance(item, Mapping):
            faults.append(f"{where} is an object, not {shown(item)}")
            continue
        form = Form(where, {"events": item.get("events")}, ("events",))
        cited = dict.fromkeys(form.texts("events", 40, 100))
        faults += _placed(where, form.faults)
        try:
            claim = supplied({key: each for key, each in item.items() if key != "events"}, where)
        except Malformed as fault:
            faults += _placed(where, [fault.message.removeprefix(f"{where}: ")])
            continue
        faults += [f"{where}.events holds {shown(ref)}, which is no card of this batch" for ref in cited if ref not in batch]
        cards = [batch[ref] for ref in cited if ref in batch]
        if not cited and not form.faults:
            faults.append(f"{where}.events names no card")
        faults += [f"{where}.{field} {shown(name)} is not named by these cards" for field, name in _names(claim) if cards and not any(_mentions(card, name) for card in cards)]
        for ref in cited:
            if ref in batch:
                found[ref][claim] = None
    faults += [f"facts hold {len(said)} for {ref}, at most {_MOST_OF_ONE} are allowed" for ref, said in found.items() if len(said) > _MOST_OF_ONE]
    if faults:
        raise Refused(_told(faults), remedy="mend what is named, cite cards of this batch for what they name, and give the whole answer again", faults=_first(faults))
    return {ref: tuple(said) for ref, said in found.items()}


# Events


def _event(item: object, block_id: str, messages: Sequence[Message], known: Collection[str], made_by: str) -> tuple[Event | None, list[str]]:
    """A card, what is wrong in its shape, and what its evidence does not hold."""
    if not isinstance(item, Mapping):
        return None, [f"this is an object, not {shown(item)}"]
    fields = events_schema()["properties"]["events"]["items"]["properties"]
    faults = [f"{shown(name)} is no field of it" for name in item if name not in fields]
    card = {name: each for name, each in item.items() if name in fields}
    card, wrong = dated(card, messages)
    above = {field: _above(card, field) for field in ("supersedes", "conflicts_with")}
    card |= {field: [ref for ref in card[field] if ref not in refs] for field, refs in above.items() if refs}
    try:
        event, form, doubts = read_event(card, block_id, messages, made_by=made_by)
    except StrataError as fault:
        return None, [*faults, fault.message]
    if event.event_type and event.event_type not in EVENT_TYPES:
        form.fault("event_type", f"is one of {', '.join(EVENT_TYPES)}, not {shown(event.event_type)}")
    cited = [message for message in messages if message.id in event.source_messages]
    doubts = [doubt for doubt in doubts if not doubt.startswith("the cited messages do not say")]
    for place, quote in enumerate(event.quotes, 1):
        if unfounded((quote,), cited):
            doubts.append(f"quotes[{place}] {shown(quote)} is not said by the cited messages")
    if not event.quotes and not any(fault.startswith("quotes") for fault in form.faults):
        doubts.append("quotes is empty: a card quotes what it rests on")
    if event.quotes and not any(_tells(quote, cited) for quote in event.quotes):
        doubts.append("quotes hold no more than a word or a sign: quote the words that say it")
    if event.original_text and not said_in(event.original_text, cited):
        doubts.append(f"original_text {shown(event.original_text)} is not said by the cited messages")
    event = event._replace(**{field: (*getattr(event, field), *refs) for field, refs in above.items()})
    event = event._replace(conflicts_with=tuple(ref for ref in event.conflicts_with if ref not in event.supersedes))
    for field in above:
        doubts += [f"{field} holds {shown(ref)}, which is none of the known cards, nor one further up" for ref in getattr(event, field) if ref not in known]
    for place, name in enumerate(event.participants, 1):
        if not _took_part(name, messages, cited):
            doubts.append(f"participants[{place}] {shown(name)} neither speaks in the block nor is named by the cited messages")
    return event, [*faults, *form.faults, *wrong, *doubts]


def _above(card: Mapping[str, object], field: str) -> list[str]:
    """What a field names as a card of the same answer."""
    named = card.get(field)
    return [ref for ref in named if isinstance(ref, str) and re.fullmatch(r"events\[[0-9]{1,4}\]", ref)] if isinstance(named, list) else []


def _tells(quote: str, cited: Sequence[Message]) -> bool:
    """Whether a quote is more than a scrap: eight letters and digits, four that are Chinese or Japanese, or all that a message says."""
    said = [sign for sign in quote if sign.isalnum()]
    wide = sum("\u3040" <= sign <= "\u9fff" for sign in said)
    return len(said) + wide >= _TELLING or any(one_line(message.text) == one_line(quote) for message in cited)


def said_in(words: str, cited: Sequence[Message]) -> bool:
    """Whether a cited message has these words, case and blanks aside."""
    plain = one_line(words).casefold()
    return any(plain in one_line(message.text).casefold() for message in cited)


def _took_part(name: str, messages: Sequence[Message], cited: Sequence[Message]) -> bool:
    if any(folded(name) in (folded(message.speaker), message.role) for message in messages):
        return True
    return any(_stands(part, message.text) for message in cited for part in (name, *name.split()) if len(part) > 1)


# Claims


def _names(claim: Claim) -> list[tuple[str, str]]:
    return [("name", claim.name), *([("value", claim.value)] if claim.target else [])]


def _mentions(event: Event, name: str) -> bool:
    """Whether a card names somebody or something; a person without a name is `user`."""
    if folded(name) == "user" and not event.participants:
        return True
    return any(_stands(name, text) for text in (event.title, event.narrative, *event.quotes, *event.participants))


def _stands(name: str, text: str) -> bool:
    """Whether a name stands in a text as a word of its own, case and blanks aside."""
    name, text = folded(name), folded(text)
    before = r"(?<![a-z0-9_])" if name[:1].isascii() and name[:1].isalnum() else ""
    after = r"(?![a-z0-9_])" if name[-1:].isascii() and name[-1:].isalnum() else ""
    return bool(name) and re.search(f"{before}{re.escape(name)}{after}", text) is not None


# Shapes


def _list_of(value: object, field: str, most: int) -> list[Any]:
    """The one list an answer is made of."""
    if not isinstance(value, Mapping):
        raise Refused(f'the answer is an object {{"{field}": […]}}, not {shown(value)}', remedy="answer in the form of the schema")
    faults = [f"{shown(name)} is no field of it" for name in value if name != field]
    given = value.get(field)
    if not isinstance(given, list):
        faults.append(f"{field} is a list, not {shown(given)}" if field in value else f"{field} is missing")
    elif len(given) > most:
        faults.append(f"{field} has {len(given)} entries, at most {most} are allowed")
    if faults:
        faults = [f"the answer: {fault}" for fault in faults]
        raise Refused(_told(faults), remedy="answer in the form of the schema", faults=faults)
    return given if isinstance(given, list) else []


def _placed(where: str, faults: Sequence[str]) -> list[str]:
    """Faults with their place: those that begin with a field become `events[2].title is …`, others `events[2]: …`."""
    return [f"{where}.{fault}" if re.match(r"[a-z_]+(?:\[\d+\])? ", fault) and fault.split("[")[0].split(" ")[0] in _FIELDS else f"{where}: {fault}" for fault in faults]


_FIELDS = frozenset((*events_schema()["properties"]["events"]["items"]["properties"], *Claim._fields, "events"))


def _told(faults: Sequence[str]) -> str:
    return "; ".join(_first(faults))


def _first(faults: Sequence[str]) -> list[str]:
    """The faults that a refusal names, and how many more there are."""
    more = len(faults) - _MOST_FAULTS
    return [*faults[:_MOST_FAULTS], *([f"and {more} more faults"] if more > 0 else [])]


def _depth(text: str) -> int:
    """How deep lists and objects go, strings aside; texts that are no JSON have a depth too."""
    deepest = depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', text, re.DOTALL):
        sign = match.group()
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > _DEEPEST:
                break
        elif sign in "]}":
            depth -= 1
    return deepest


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {shown(next(key for key in keys if keys.count(key) > 1))} stands twice")
    return found
