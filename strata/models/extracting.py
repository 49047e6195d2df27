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
from strata.cards import Event, speakers
from strata.evidence import one_line
from strata.model import Message
from strata.models import cues
from strata.models.cues import Rule
from strata.models.prose import cut, sentences, without_openings
from strata.models.replacing import replaced as replaced  # asked for beside `cards`
from strata.supplied import UNWRITABLE
from strata.temporal import Resolved, times

MADE_BY = "rules"
MOST = 24  # cards of one block
_READ_OF_MESSAGE, _READ_OF_BLOCK = 12_000, 200_000  # characters
_SENTENCES_OF_MESSAGE = 60
_TITLE, _ID = 120, 500  # characters that a card may have of each
_BEGINNING = 40  # characters in which a sentence says that something is not so
_ASKED = 2  # messages back to the request that an agent's deed answers
_HAN = "[\u3400-\u9fff]"
_QUOTED = r"\"[^\"]{1,300}\"|“[^”]{1,300}”|「[^」]{1,300}」|『[^』]{1,300}』|(?<!\w)'[^']{3,300}'(?!\w)|`[^`]{1,200}`"
_GOES_ON = r"\b(?:since|for|now)\b|以来"  # such a time is when something began


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
    denied = re.search(cues.NEGATED_CHINESE if chinese else cues.DENIED, said.plain[:_BEGINNING].replace("don't forget", "")) is not None
    for rule in cues.CHINESE if chinese else cues.ENGLISH:
        if denied and rule.type == "state":
            continue  # what is not so is no state
        if company and not rule.company or negated and rule.type == "happening" and rule.name != "ended" or not _any_in(rule.words, said.plain):
            continue
        match = re.search(rule.pattern, said.plain)
        if match is None or (rule.named and not said.text[match.end() - 1 : match.end()].isupper()):
            continue
        if rule.time in ("past", "coming") and _time(rule, said) is None:
            continue
        return None if rule.type == "happening" and rule.time == "any" and _is_ahead(said) else rule
    return None


def _is_ahead(said: _Said) -> bool:
    """Whether a sentence that tells what happened names a time that is still to come, or a year that nobody sees."""
    day = moment.local_day(said.message.at)
    found = times(said.text, said.message.at) if day else ()
    return re.search(r"\bin (?:2[1-9]|[3-9]\d)\d\d\b(?! \w)", said.plain) is not None or any(each.start and moment.parse(each.start).opens >= moment.parse(day).closes for each in found)


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


def _left_open(rule: Rule, said: _Said) -> Resolved | None:
    """The words of a time that cannot be counted from anything, as its message has none: kept, so that they can be read."""
    if not rule.time or moment.local_day(said.message.at):
        return None
    return next((found for found in times(said.text, "") if found.basis == "unknown"), None)


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
    found = _time(rule, said) or _left_open(rule, said)
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
        participants=speakers(cited),
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
    speaker = next(iter(speakers([said.message])), "") if company else ""
    prefix = f"{speaker}: " if speaker and len(speaker) < _TITLE // 3 else ""
    text = cut(text, _TITLE - len(prefix)).rstrip(" .。,，!！;；:：") or text[: _TITLE - len(prefix)]
    return prefix + (text[:1].upper() if len(text[:1].upper()) == 1 else text[:1]) + text[1:]


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
