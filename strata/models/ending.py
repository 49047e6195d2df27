"""What a card says is true no longer: its claims of old, with the day they end where its words leave no doubt that they once held."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from strata import moment
from strata.cards import Event
from strata.claims import Claim
from strata.models.values import cut_short, trimmed

Held = Callable[[Claim], bool]  # whether somebody said it before, and nobody that it ended
UNNAMED = "user"  # the person of a conversation in which nobody has a name
_ORGANIZATION = r"(?P<value>(?:the )?[A-Z][\w&.'-]*(?: (?:of|and|&|for) (?=[A-Z])| [A-Z][\w&.'-]*){0,5})"
_PLACE = r"(?P<value>[A-Z][\w'’-]*(?:,? [A-Z][\w'’-]*){0,3})"
_SINCE_THEN = r"(?=[^.;!?]*\b(?i:any ?more)\b)"  # what makes an end of a plain denial
_AM_NO_LONGER = rf"(?i:\bi['’]?(?:m| am) (?:now )?(?:no longer|not{_SINCE_THEN})(?: an?)?) "
_NO_LONGER = rf"(?i:\bi (?:no longer|(?:don['’]t|do not){_SINCE_THEN}))"
_LEFT = r"(?i:\bi(?:['’]ve| have)?(?: just| recently| finally)? (?:left|quit|resigned from)) "

_FOR_GOOD = (  # what follows where somebody left a firm, and did not only go home
    r"(?= ?(?:$|[.!;]|(?i:for good|last (?:week|month|year|spring|summer|autumn|fall|winter|\w+ember|october|january|february|march|april|may|june|july|august)|in (?:early |late |mid-?)?(?:\d{4}|january|february|march|april|may|june"
    r"|july|august|\w+ember|october)|(?:an?|\d+|two|three|four|five|six|several|some|few) (?:weeks?|months?|years?) ago|at the end of|back in|after (?:an?|\d+|two|three|four|five|six|seven|eight|nine|ten|many) (?:months?|years?)"
    r"|this (?:month|year|spring|summer|autumn|fall|winter)|recently|(?:on|last) (?:mon|tues|wednes|thurs|fri|satur|sun)day(?= ?(?:$|[.!;]))|(?:yesterday|today)(?= ?(?:$|[.!;]))|(?:and|to) (?:join(?:ed)?|start(?:ed)?|found(?:ed)?)\b)| for [A-Z]))"
)

_AWAY = r"(?= (?i:for good|last (?:month|year)|in \d{4}|(?:an?|\d+|two|three|four|five|six|several|some|few) (?:months?|years?) ago)\b(?! (?:for|to|on|with)\b))"  # and not for a weekend


class _End(NamedTuple):
    """`pattern` finds what is over, as its group `value`; `sure` that the words leave no doubt that it once was so."""

    mode: str
    key: str
    pattern: str
    target: str = ""
    sure: bool = True


_ENDS = (
    _End("relation", "works at", rf"(?:{_AM_NO_LONGER}(?i:working (?:at|for))|{_NO_LONGER} (?i:work (?:at|for))) {_ORGANIZATION}", "organization"),
    _End("relation", "works at", rf"(?i:\bi(?:['’]ve| have)?(?: just| recently| finally)? (?:quit|left|resigned from) my job at) {_ORGANIZATION}", "organization"),
    _End("relation", "works at", rf"{_LEFT}{_ORGANIZATION}{_FOR_GOOD}", "organization", sure=False),
    _End("state", "lives in", rf"(?:{_AM_NO_LONGER}(?i:living in|based in)|{_NO_LONGER} (?i:live in)|(?i:\bi(?:['’]ve| have)? moved (?:away|out) (?:from|of))) {_PLACE}"),
    _End("state", "lives in", rf"{_LEFT}{_PLACE}{_AWAY}", sure=False),
    _End("state", "works as", rf"(?:{_AM_NO_LONGER}(?i:working as)|{_NO_LONGER} (?i:work as)) (?P<value>an? [^,;.!?]{{2,60}})"),
    _End("state", "works as", rf"(?i:\bi['’]?(?:m| am) (?:now )?(?:no longer|not{_SINCE_THEN})) (?P<value>an? [^,;.!?]{{2,60}})"),
    _End("state", "studies", rf"(?:{_AM_NO_LONGER}(?i:studying)|{_NO_LONGER} (?i:study)) (?P<value>[^,;.!?]{{2,60}})"),
    _End("state", "diet", rf"{_AM_NO_LONGER}(?P<value>(?i:vegetarian|vegan|pescatarian))\b"),
    _End("set", "allergic to", rf"{_AM_NO_LONGER}(?i:allergic to) (?P<value>[^,;.!?]{{2,80}})"),
    _End("set", "intolerant of", rf"{_AM_NO_LONGER}(?P<value>\w+)(?i:[- ]intolerant)\b"),
    _End("set", "prefers", rf"{_NO_LONGER} (?i:prefer|like|love|enjoy) (?P<value>[^,;.!?]{{2,90}})", sure=False),
    _End("set", "prefers", r"我(?:现在|已经|最近)*(?:不(?:太|怎么|再)?(?:喜欢|爱)|讨厌)(?P<value>[^，。！？]{1,30})了(?=$|[。！!，,.])", sure=False),
    _End("set", "prefers", r"我(?:现在|已经|最近)*不(?:再)?(?P<value>[喝吃玩看][^，。！？]{1,12})了", sure=False),
    _End("relation", "works at", r"我[^，。？从]{0,8}从(?P<value>[^，。？]{2,12})离职", "organization"),
    _End("set", "allergic to", r"我(?:对(?P<value>[^，。？]{1,12})不再过敏)"),
    _End("set", "allergic to", r"我不再对(?P<value>[^，。？]{1,12}?)(?:严重)?过敏"),
    _End("state", "lives in", r"我不再住在(?P<value>[^，。？了]{2,12})"),
    _End("set", "dislikes", r"(?i:\bi no longer (?:hate|dislike)) (?P<value>[^,;.!?]{2,90})", sure=False),
)  # fmt: skip
_CUE = r"(?i)\b(?:no longer|any ?more|left|quit|resigned|moved)\b|离职|不|讨厌"  # one of them stands in whatever these find
_DOUBTED = r"(?i)\b(?:or so|so (?:i|they|he|she) (?:thought|say|says|said)|says (?:my|the|a)|apparently|supposedly|allegedly|kidding|joking|i wish|re-?joined|(?:came|come|went|gone|go|moved|am|i['’]m) back|came home|returned)\b|又回|回来了|开玩笑"  # then it is not over, or not for long
_IN_PART = r"(?i)\s+(?:on (?:\w+days?|weekends?)|at (?:night|weekends?|home)|in the (?:morning|evening|afternoon)s?|as an? |during|when|except|only|part[- ]time|full[- ]time|before|after \d)"
_RATHER = r"(?i:\bi(?: now| really| actually| still)* prefer) (?P<new>[^,;.!?]{2,60}?) (?i:over|to|instead of|rather than) (?P<old>[^,;.!?]{2,60})"
_SWITCHED = (
    r"(?i:\bdrop(?:ped)?) (?P<old>[\w.+#-]+) (?i:and (?:switch|move|migrate)d?) (?P<subject>[\w-]{2,40}) (?i:to) [\w.+#-]+",
    r"(?i:\b(?:switch|move|migrate|port)d?) (?P<subject>[\w-]{2,40}) (?i:from) (?P<old>[\w.+#-]+) (?i:to) [\w.+#-]+",
    r"(?P<subject>[\w-]{2,40})(?i:(?: project| service| app)? (?:now )?(?:uses|runs on)) [\w.+#-]+(?: [\w.+#-]+)? (?i:instead of|and no longer|, not) (?P<old>[\w.+#-]+)",
    r"(?P<subject>[\w-]{2,40})(?i:(?: project| service| app)? (?:has |have )?(?:switched|moved|migrated) from) (?P<old>[\w.+#-]+) (?i:to) [\w.+#-]+",
    r"(?P<subject>[\w-]{2,40})(?i:(?: project| service| app)? (?:no longer|does not|doesn['’]t) (?:uses?|runs? on)) (?P<old>[\w.+#-]+)",
)


def ends(event: Event) -> tuple[Claim, ...]:
    """The claims that a card says hold no longer, each once; what only might have held is among them, so that it ends what somebody said before and nothing else."""
    person = person_of(event)
    quote = event.quotes[0] if event.quotes else ""
    if not quote or event.event_type == "correction" or re.search(_DOUBTED, quote) or event.status in ("planned", "cancelled"):
        return ()
    found = [claim for claim, _ in _over(event, quote, person)] if person else []
    return tuple(dict.fromkeys([*found, *_tools(event, quote)]))


def closing(event: Event, held: Held) -> Iterator[Claim]:
    """Claims with the day on which they end: what was sure to hold, and what only might have where it is known to be `held`.

    No state, as its next one replaces it and an end could hit another.
    """
    person = person_of(event)
    day = event.happened_start or moment.local_day(event.mentioned_at)
    if not person or not event.quotes or not day or re.search(_DOUBTED, event.quotes[0]) or event.event_type not in ("happening", "preference", "state") or event.status in ("planned", "cancelled"):
        return
    for claim, sure in _over(event, event.quotes[0], person):
        if claim.mode != "state" and (sure or held(claim)):
            yield claim._replace(valid_to=event.happened_end or day, confidence=event.confidence)


def person_of(event: Event) -> str:
    """Who says "I": the one participant, `user` where none is named, nobody where there are several."""
    if not event.participants:
        return UNNAMED
    return event.participants[0] if len(event.participants) == 1 else ""


def _over(event: Event, quote: str, person: str) -> Iterator[tuple[Claim, bool]]:
    if re.search(_CUE, quote):
        for each in _ENDS:
            match = re.search(each.pattern, quote)
            value = cut_short(trimmed(match["value"])) if match and not re.match(_IN_PART, quote[match.end("value") :]) else ""
            if value:
                yield Claim("person", person, each.mode, each.key, value, each.target), each.sure
    rather = re.search(_RATHER, quote) if event.event_type == "preference" else None
    if rather:
        new, old = (cut_short(trimmed(rather[name])) for name in ("new", "old"))
        for value in (old, f"{old} over {new}", f"{old} to {new}") if old and new else ():
            yield Claim("person", person, "set", "prefers", value), False


def _tools(event: Event, quote: str) -> Iterator[Claim]:
    """What a project had, in conversations without names."""
    for pattern in _SWITCHED if not event.participants else ():
        match = re.search(pattern, quote)
        if match:
            yield Claim("project", match["subject"], "relation", "uses", trimmed(match["old"]), "tool")
