"""Event cards: what happened, when, and which messages of which block say so.

A card somebody supplies is checked strictly, and a refusal names every fault; a card in a file is
taken as it is, since a person may have edited it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple

from strata import claims, evidence, moment
from strata.document import Document
from strata.errors import Malformed, Refused
from strata.headers import expect, share
from strata.model import Kind, Message
from strata.names import is_id
from strata.supplied import UNWRITABLE, Form, shown

EVENT_TYPES = ("decision", "preference", "plan", "correction", "happening", "state")  # that a provider may give; a person takes any word
STATUSES = ("occurred", "planned", "cancelled", "ongoing", "unknown")
PRECISIONS = ("instant", "day", "week", "month", "year", "range", "unknown")
BASES = ("explicit", "relative", "inferred", "unknown")
CRITICALITIES = ("routine", "preference", "identity", "safety")

_EVENT_FIELDS = (
    "title", "event_type", "status", "mentioned_at", "happened_start", "happened_end", "precision", "basis", "original_text",
    "participants", "source_block", "source_messages", "supersedes", "conflicts_with", "criticality", "confidence", "pinned",
    "made_by", "facts", "narrative", "quotes",
)
_OPTIONAL = ("made_by", "facts")  # keys that a card has only where they say something
_MOST_CLAIMS = 40
_QUOTE = r'> "(.*)"'


class Event(NamedTuple):
    """What happened, by which messages of which block. Unknown dates are "", an unknown confidence None.

    `made_by` is the provider that made the card, "" for a person or an agent that recorded it. `facts` are its claims as
    lines (`strata.claims`), None as long as nobody has said what it means for persons and things.
    """

    title: str
    event_type: str
    status: str
    mentioned_at: str
    happened_start: str
    happened_end: str
    precision: str
    basis: str
    original_text: str
    participants: tuple[str, ...]
    source_block: str
    source_messages: tuple[str, ...]
    supersedes: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    criticality: str = "routine"
    confidence: float | None = None
    pinned: bool = False
    made_by: str = ""
    facts: tuple[str, ...] | None = None
    narrative: str = ""
    quotes: tuple[str, ...] = ()
    id: str = ""


def parse_event(value: object, block_id: str, messages: Sequence[Message], *, made_by: str = "") -> Event:
    """An event card somebody supplied, resting on messages of this block.

    Needs `title` and `source_messages`; `facts` are objects as `strata.claims.supplied` reads them. `mentioned_at` is the time of the earliest cited message
    unless given, `participants` are the people who said the cited ones, `precision` what the dates say. Raises Malformed for a wrong shape, Refused for
    missing or false evidence, each with every fault of both sorts.
    """
    event, form, doubts = read_event(value, block_id, messages, made_by=made_by)
    if form.faults:
        form.faults += doubts
        form.check("correct the fields named")
    if doubts:
        raise Refused(f"event card: {'; '.join(doubts)}", remedy="cite messages of the source block, and quote them word for word", ref=block_id, faults=doubts)
    if "participants" not in form.value:
        event = event._replace(participants=speakers(message for message in messages if message.id in event.source_messages and message.role == "user"))
    return event


def speakers(messages: Iterable[Message]) -> tuple[str, ...]:
    """The names of those who said some messages, each once, as far as they can be a participant's name."""
    names = (evidence.one_line(message.speaker) for message in messages)
    return tuple(dict.fromkeys(name for name in names if 0 < len(name) <= claims.LONGEST_NAME and re.search(UNWRITABLE, name) is None))


def read_event(value: object, block_id: str, messages: Sequence[Message], *, made_by: str = "") -> tuple[Event, Form, list[str]]:
    """The same without a refusal: the card as far as it can be read, the form with what is wrong in shape, and the doubts about its evidence."""
    form = Form("event card", value, _EVENT_FIELDS)
    sources = form.texts("source_messages", 100, 500)
    quotes = tuple(evidence.one_line(quote) for quote in form.texts("quotes", 20, 1_000, lines=True))
    cited = [message for message in messages if message.id in sources]
    start, end = form.time("happened_start"), form.time("happened_end")
    event = Event(
        title=form.text("title", 120, required=True),
        event_type=form.text("event_type", 40),
        status=form.choice("status", STATUSES, "unknown"),
        mentioned_at=form.time("mentioned_at") or _first_said(cited),
        happened_start=start,
        happened_end=end,
        precision=form.choice("precision", PRECISIONS, _precision_of(start, end)),
        basis=form.choice("basis", BASES, "unknown"),
        original_text=form.text("original_text", 300),
        participants=form.texts("participants", 50, 80),
        source_block=block_id,
        source_messages=sources,
        supersedes=form.texts("supersedes", 20, 100),
        conflicts_with=form.texts("conflicts_with", 20, 100),
        criticality=form.choice("criticality", CRITICALITIES, "routine"),
        confidence=form.share("confidence"),
        pinned=form.flag("pinned"),
        made_by=made_by,
        facts=_claims(form),
        narrative=form.text("narrative", 4_000, lines=True),
        quotes=quotes,
    )
    if "made_by" in form.value:
        form.fault("made_by", "is not yours to say")
    claimed = form.text("source_block", 100)
    if claimed and not block_id.startswith(claimed):
        form.fault("source_block", f"is {block_id} here, not {shown(claimed)}")
    for field in ("supersedes", "conflicts_with"):
        for other in getattr(event, field):
            if not (other.startswith("evt-") and is_id(other)):
                form.fault(field, f"holds {shown(other)}, which is no event's id")
    if start and end and moment.parse(end).end <= moment.parse(start).start:
        form.fault("happened_end", "is before happened_start")
    elif not _fits(event.precision, start, end):
        form.fault("precision", f"is {event.precision}, which the dates {shown(start)} to {shown(end)} do not say")

    doubts = [f"no message {shown(ident)} in {block_id}" for ident in evidence.strangers(sources, messages)]
    if not sources and not any(fault.startswith("source_messages") for fault in form.faults):
        doubts.append("source_messages names no evidence")
    doubts += [f"the cited messages do not say {shown(quote)}" for quote in evidence.unfounded(quotes, cited)]
    return event, form, doubts


def event_document(ref: str, event: Event) -> Document:
    """The card as a file: the keys in their fixed order, then the narrative, then a line for each quote."""
    names = _EVENT_FIELDS[: _EVENT_FIELDS.index("narrative")]
    header = {"id": ref, "kind": str(Kind.EVENT)} | {name: getattr(event, name) for name in names}
    header = {name: value for name, value in header.items() if name not in _OPTIONAL or value not in ("", None)}
    lines = [re.sub(r"^(?=\\*>)", r"\\", line) for line in event.narrative.split("\n")] if event.narrative else []
    lines += [f'> "{quote}"' for quote in event.quotes]
    return Document.new(header, "".join(f"{line}\n" for line in lines).encode("utf-8"))


def event_of(document: Document, path: str = "") -> Event:
    """Raises Malformed, with path and line, for what is no event card; what a person wrote is taken as it is."""
    expect(document, Kind.EVENT, path)
    lines = document.body.decode("utf-8", "replace").removesuffix("\n").split("\n")
    quotes: list[str] = []
    while lines and (quote := re.fullmatch(_QUOTE, lines[-1])):
        quotes.insert(0, quote[1])
        lines.pop()
    texts = {name: document.text(name) for name in _EVENT_FIELDS[: _EVENT_FIELDS.index("participants")]}
    lists = {name: tuple(document.list(name)) for name in ("participants", "source_messages", "supersedes", "conflicts_with")}
    return Event(
        **texts,
        **lists,
        source_block=document.text("source_block"),
        criticality=document.text("criticality", "routine"),
        confidence=share(document, "confidence", path),
        pinned=document.flag("pinned"),
        made_by=document.text("made_by"),
        facts=tuple(document.list("facts")) if "facts" in document.header else None,
        narrative="\n".join(re.sub(r"^\\(?=\\*>)", "", line) for line in lines),
        quotes=tuple(quotes),
        id=document.text("id"),
    )


def _claims(form: Form) -> tuple[str, ...] | None:
    """The claims that were supplied with a card, as lines; None where nothing was said of them."""
    given = form.value.get("facts")
    if given is None:
        return None
    if not isinstance(given, list | tuple):
        form.fault("facts", f"is a list of objects, not {shown(given)}")
        return None
    if len(given) > _MOST_CLAIMS:
        form.fault("facts", f"has {len(given)} entries, at most {_MOST_CLAIMS} are allowed")
    found = []
    for place, item in enumerate(given[:_MOST_CLAIMS], 1):
        try:
            found.append(claims.line(claims.supplied(item, f"facts[{place}]")))
        except Malformed as fault:
            form.faults.append(fault.message)
    return tuple(dict.fromkeys(found))


def _first_said(cited: Sequence[Message]) -> str:
    """The earliest time of these messages, as written there; "" if none has one."""
    return min((message.at for message in cited if moment.is_valid(message.at)), key=moment.sort_key, default="")


def _precision_of(start: str, end: str) -> str:
    """What the dates themselves say."""
    if start and end and start != end:
        return "range"
    return moment.parse(start or end).precision if start or end else "unknown"


def _fits(precision: str, start: str, end: str) -> bool:
    """Whether the dates are as coarse, and no coarser, than the precision claims."""
    if not start and not end:
        return precision == "unknown"
    first, last = moment.parse(start or end), moment.parse(end or start)
    opens, span = first.opens, last.closes - first.opens
    match precision:
        case "instant":
            return first.precision == last.precision == "instant"
        case "day":
            return span == timedelta(days=1) and first.precision == "day"
        case "week":
            return span <= timedelta(days=7) and first.precision in ("day", "instant")
        case "month":
            return (opens.day, last.closes.day) == (1, 1) and 28 <= span.days <= 31
        case "year":
            return (opens.month, opens.day) == (1, 1) and 365 <= span.days <= 366
    return precision == "range"
