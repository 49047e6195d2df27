"""The extractor that needs no model: it picks sentences that plainly tell something, and never writes one of its own.

A sentence becomes a card only if a person says it in the first person, or as an instruction, and as a fact: no question,
wish or condition, nothing reported, quoted or joked, no code, no words of a tool. Of an agent only a deed counts, right after
somebody asked for something. It would rather make no card than junk, and understands nothing; English and Chinese only.

Of a message the first 12,000 characters are read, of a block the first 200,000.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from strata import moment
from strata.cards import Event
from strata.changecues import clauses, terms
from strata.evidence import one_line
from strata.model import Message
from strata.models import cues
from strata.models.cues import Rule
from strata.models.prose import cut, sentences, without_openings
from strata.revisions import Statement, revisions
from strata.supplied import UNWRITABLE
from strata.temporal import Resolved, times

MADE_BY = "rules"
MOST = 8  # cards of one block
_READ_OF_MESSAGE, _READ_OF_BLOCK = 12_000, 200_000  # characters
_SENTENCES_OF_MESSAGE = 60
_TITLE, _SPEAKER, _ID = 120, 80, 500  # characters that a card may have of each
_BEGINNING = 40  # characters in which a sentence says that something is not so
_ASKED = 2  # messages back to the request that an agent's deed answers
_HAN = "[\u3400-\u9fff]"
_QUOTED = r"\"[^\"]{1,300}\"|“[^”]{1,300}”|「[^」]{1,300}」|『[^』]{1,300}』|(?<!\w)'[^']{3,300}'(?!\w)|`[^`]{1,200}`"
_GOES_ON = r"\b(?:since|for|now)\b|以来"  # such a time is when something began
_REPLACEABLE = ("decision", "preference", "plan", "correction", "state")


class _Said(NamedTuple):
    """A sentence that may become a card: as written, and as it is searched."""

    text: str
    plain: str
    message: Message
    place: int  # of the message in the block


def cards(messages: Sequence[Message], thread: str) -> list[Event]:
    """The event cards of a block, in the order they were said: mostly none to three, never more than eight.

    The same messages give the same cards. `source_block` is left to the caller, `facts` to `projecting`.
    """
    company = _company(messages)
    found: list[tuple[Rule, Event, int]] = []
    seen: set[str] = set()
    confirmed: set[str] = set()
    for said in _sentences(messages):
        rule = _rule(said, company=company)
        if rule is None or said.plain in seen:
            continue
        made = None if rule is _BY_AGENT and said.message.id in confirmed else _card(rule, said, messages, company=company)
        if made is not None:
            seen.add(said.plain)
            confirmed.update(made.source_messages[1:])
            found.append((rule, made, len(found)))
    best = sorted(found, key=lambda each: (-each[0].confidence, each[2]))[:MOST]
    return [event for _, event, _ in sorted(best, key=lambda each: each[2])]


def rule_of(event: Event, messages: Sequence[Message]) -> str:
    """The name of the rule that made a card of this block, "" for none: how a measurement tells them apart."""
    company = _company(messages)
    for said in _sentences(messages):
        if event.quotes and said.text == event.quotes[-1 if event.event_type == "happening" else 0] and said.message.id in event.source_messages:
            rule = _rule(said, company=company)
            return rule.name if rule else ""
    return ""


def replaced(new: Event, older: Sequence[Event]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of older cards that a new one supersedes, and ids of those it conflicts with, because somebody else said them.

    `older` were said before it. Only where its own words say so ("from 8080 to 8412", "no longer", 改成), by the rules of `strata.revisions`; else both are empty.
    """
    supersedes: list[str] = []
    conflicts: list[str] = []
    if new.event_type not in _REPLACEABLE or not new.quotes:
        return (), ()
    said = new.quotes[0]
    about = terms(said)
    for old in older:
        if not old.id or old.event_type not in _REPLACEABLE or not old.quotes or old.quotes[0] == said:
            continue
        query = _shared(said, about & terms(old.quotes[0]))
        if not query:
            continue
        statements = [_statement("new", new, 1_000), _statement("old", old, 0)]
        if any(revision.outdated == "old" for revision in revisions(query, statements)) or _gives_up(said, old):
            apart = new.participants and old.participants and not set(new.participants) & set(old.participants)
            (conflicts if apart else supersedes).append(old.id)
    return tuple(dict.fromkeys(supersedes))[:20], tuple(dict.fromkeys(conflicts))[:20]


def _gives_up(said: str, old: Event) -> bool:
    """Whether a sentence gives up just what an older decision was for: "npm is out", and "let's use npm"."""
    if old.event_type != "decision":
        return False
    given_up = [clause.old for clause in clauses(said) if clause.changes and clause.plain and any(term.isalpha() for term in clause.old)]
    return any(clause.terms in given_up for clause in clauses(old.quotes[0]) if not clause.open and not clause.old)


def _shared(text: str, common: Iterable[str]) -> str:
    """A question about what two texts have in common, in the words of the first."""
    kept = set(common)
    latin = [word for word in text.split() if not re.search(_HAN, word) and terms(word) & kept]
    return " ".join([*latin, *sorted(term for term in kept if re.match(_HAN, term))])


def _statement(ref: str, event: Event, position: int) -> Statement:
    return Statement(ref, event.quotes[0], event.mentioned_at, event.source_block, position, speaker=event.participants[0] if event.participants else "")


# Sentences


def _company(messages: Sequence[Message]) -> bool:
    """Whether people talk to each other, and not one to an agent."""
    return len({message.speaker for message in messages if message.speaker}) > 1


def _sentences(messages: Sequence[Message]) -> Iterator[_Said]:
    """Every sentence that is prose of a person or an agent, and a statement."""
    budget = _READ_OF_BLOCK
    for place, message in enumerate(messages):
        if message.role not in ("user", "assistant") or budget <= 0 or not _citable(message.id):
            continue
        text = message.text[: min(_READ_OF_MESSAGE, budget)]
        budget -= len(text)
        if re.search(cues.ORDERS, _undisguised(text)):
            continue
        if ">" in text:
            text = "\n".join("" if line.lstrip().startswith(">") else line for line in text.split("\n"))
        if ": " in text and len(set(re.findall(cues.SPEAKER, text))) > 1:
            text = re.sub(f"{cues.SPEAKER}.*", "", text)
        whole = one_line(message.text[: _READ_OF_MESSAGE + 1]) if "\n" in text else ""
        for sentence in sentences(text, _SENTENCES_OF_MESSAGE):
            if len(sentence) > cues.LONGEST_READ or len(sentence) < 4 or (whole and sentence not in whole):  # lines with an empty fence between them were joined
                continue
            plain = _blanked(sentence)
            if not _is_open(plain):
                yield _Said(sentence, plain, message, place)


def _undisguised(text: str) -> str:
    """In lower case and plain letters: without characters that nobody sees, and look-alikes of other scripts as the letters they pose as."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text.lower()).translate(cues.DISGUISES)


def _blanked(sentence: str) -> str:
    """As it is searched: in lower case, with what stands in quotation marks as one mark."""
    plain = sentence.lower().replace("’", "'")
    return re.sub(_QUOTED, lambda found: "`" * len(found[0]), plain)


def _is_open(plain: str) -> bool:
    if re.search(cues.JOKE, plain):
        return True
    if re.search(_HAN, plain):
        return re.search(cues.OPEN_CHINESE, plain) is not None
    return bool(re.search(cues.OPEN, plain) or re.search(cues.HEARSAY, plain) or re.search(cues.GIVEN, plain))


def _citable(ident: str) -> bool:
    return bool(ident.strip()) and len(ident) <= _ID and one_line(ident) == ident and re.search(UNWRITABLE, ident) is None


# Rules


_BY_AGENT = Rule("deed", "happening", "occurred", 0.6, (), cues.DEED)


def _rule(said: _Said, *, company: bool) -> Rule | None:
    """The first rule that a sentence fits."""
    if said.message.role == "assistant":
        return _BY_AGENT if not company and re.search(cues.DEED, said.plain) else None
    chinese = re.search(_HAN, said.plain) is not None
    negated = re.search(cues.NEGATED_CHINESE if chinese else cues.NEGATED, said.plain) is not None
    denied = re.search(cues.NEGATED_CHINESE if chinese else cues.DENIED, said.plain[:_BEGINNING]) is not None
    for rule in cues.CHINESE if chinese else cues.ENGLISH:
        if denied and rule.type == "state":
            continue  # what is not so is no state
        if company and not rule.company or negated and rule.type == "happening" or not _any_in(rule.words, said.plain):
            continue
        if re.search(rule.pattern, said.plain) and (rule.time in ("", "any", "before") or _time(rule, said) is not None):
            return rule
    return None


def _any_in(words: Iterable[str], text: str) -> bool:
    for word in words:  # `any` over a generator takes three times as long
        if word in text:
            return True
    return False


def _time(rule: Rule, said: _Said) -> Resolved | None:
    """The time in the sentence that the card is about, or None."""
    if not rule.time:
        return None
    day = moment.local_day(said.message.at)
    today = moment.parse(day) if day else None
    for found in times(said.text, said.message.at):
        if not (found.start or found.end) or (rule.time == "past" and (rule.status == "ongoing") != bool(re.search(_GOES_ON, found.text.lower()))):
            continue
        if today is None or (rule.time == "any" and rule.type == "happening"):
            return found
        opens, closes = moment.parse(found.start or found.end).opens, moment.parse(found.end or found.start).closes
        if rule.time == "before" and found.stop > said.plain.find("decid"):
            continue
        if opens <= today.opens if rule.time in ("past", "before") else closes > today.opens:
            return found
    return None


# Cards


def _card(rule: Rule, said: _Said, messages: Sequence[Message], *, company: bool) -> Event | None:
    """The card, or None where an agent did something nobody asked for."""
    cited, quotes = [said.message], [said.text]
    if rule is _BY_AGENT:
        request = _request(messages, said.place)
        if request is None:
            return None
        cited.insert(0, request)
    elif rule.type == "decision" and not company and (confirmed := _confirmation(messages, said.place)):
        cited.append(confirmed[0])
        quotes.append(confirmed[1])
    found = _time(rule, said)
    return Event(
        title=_title(said, company=company),
        event_type=rule.type,
        status=rule.status,
        mentioned_at=said.message.at if moment.is_valid(said.message.at) else "",
        happened_start=found.start if found else "",
        happened_end=found.end if found else "",
        precision=found.precision if found else "unknown",
        basis=found.basis if found else "unknown",
        original_text=found.text if found else "",
        participants=tuple(dict.fromkeys(name for message in cited if (name := _speaker(message)))),
        source_block="",
        source_messages=tuple(dict.fromkeys(message.id for message in cited)),
        criticality=rule.criticality,
        confidence=rule.confidence,
        made_by=MADE_BY,
        quotes=tuple(quotes),
    )


def _title(said: _Said, *, company: bool) -> str:
    """The sentence without its courtesies and its full stop, cut to length; with its speaker where several talk."""
    text = without_openings(said.text)
    text = text if len(text) >= 4 else said.text
    speaker = _speaker(said.message) if company else ""
    prefix = f"{speaker}: " if speaker and len(speaker) < _TITLE // 3 else ""
    text = cut(text, _TITLE - len(prefix)).rstrip(" .。,，!！;；:：") or text[: _TITLE - len(prefix)]
    return prefix + (text[:1].upper() if len(text[:1].upper()) == 1 else text[:1]) + text[1:]


def _speaker(message: Message) -> str:
    name = one_line(message.speaker)
    return name if name and len(name) <= _SPEAKER and re.search(UNWRITABLE, name) is None else ""


def _request(messages: Sequence[Message], place: int) -> Message | None:
    """What a user said shortly before, and an agent answers with a deed."""
    for message in reversed(messages[max(0, place - _ASKED) : place]):
        if message.role == "user":
            return message if _citable(message.id) else None
    return None


def _confirmation(messages: Sequence[Message], place: int) -> tuple[Message, str] | None:
    """The agent's answer to a decision that says it is done, and the sentence that says so."""
    if place + 1 >= len(messages) or messages[place + 1].role != "assistant" or not _citable(messages[place + 1].id):
        return None
    answer = messages[place + 1]
    first = next(sentences(answer.text[:2_000], 1), "")
    if first and len(first) <= cues.LONGEST_READ and re.search(cues.CONFIRMED, first.lower()) and first in one_line(answer.text[:4_000]):
        return answer, first
    return None
