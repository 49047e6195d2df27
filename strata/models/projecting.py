"""What an event card says of persons, projects and organizations, by rule: from its own words, and only what they plainly say.

A card's claims follow from the card alone, so they can be made again at any time. "I" is the one participant of the card, or
`user` where nobody has a name. Values are words of the quotes, in their language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from strata import moment
from strata.cards import Event
from strata.claims import LONGEST_KEY, LONGEST_VALUE, Claim, faults

UNNAMED = "user"  # the person of a conversation in which nobody has a name
_KEYS = {"decision": "decided", "plan": "plans"}
_MOST = 12  # claims of one card
_TRIM = " \t.,;:!?。，；：！？、…~\"'“”’"

_KIN = r"(?P<kin>(?:(?:step|grand|half-?|god)?(?:mother|father|son|daughter|sister|brother)|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|aunt|uncle|cousin|niece|nephew|mom|mum|dad|grandma|grandpa|best friend|friend|boss|colleague|coworker|roommate|neighbou?r))"
_NAME = r"(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
_ORGANIZATION = r"(?P<name>(?:the )?[A-Z][\w&.'-]*(?: (?:of|and|&|for) (?=[A-Z])| [A-Z][\w&.'-]*){0,5})"
_I = r"(?:^|[,;:.!–—-]\s*|\b(?:and|but|so|because|actually|currently|now|also|hi|hello|hey),? )"
_ENDS = r"(?=$|[,;.!?。–—(]| - | and (?:i|my|it|we|work|have|am|love|like)\b| but\b| because\b| since\b| for (?:the|a|about|\d)| with (?:my|a)\b| in (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4})\b| (?:last|next|this) | (?:yesterday|today|now|again|too|so|where|which|who|as)\b)"
_NO_NAME = frozenset("he she it they we you i who that this everyone everybody nobody somebody someone here there which one mom mum dad god yes no maybe today".split())
_NO_VALUE = frozenset("it its this that them these those you your him her us me he she they everything something anything nothing one ones what how when".split())
_NO_NAMED = frozenset("i the a an my and she he it is was who january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday english".split())


class _Pattern(NamedTuple):
    """Where in a quote a claim stands: its groups `value`, or `name` of the entity a relation leads to."""

    mode: str
    key: str
    pattern: str
    target: str = ""
    dated: bool = False  # the time of the card is when it became true


_FIRST_PERSON = (
    _Pattern("state", "name", rf"(?i:{_I}(?:my (?:full )?name is|my name['’]s|i['’]?(?:m| am) called|(?:you can |please |just )call me)) (?P<value>[^\W\d_][\w'’-]*(?: [A-Z][\w'’-]*){{0,2}})"),
    _Pattern("state", "birthday", rf"(?i:{_I}my birthday(?:['’]s| is) (?:on |in )?(?P<value>(?:the )?[\w ]{{3,30}}?){_ENDS})"),
    _Pattern("state", "lives in", rf"(?i:{_I}(?:i|we) (?:now |currently |still |just )*(?:live in|live near) (?P<value>[^,;.!?]{{2,60}}?){_ENDS})", dated=True),
    _Pattern("state", "lives in", rf"(?i:{_I}i['’]?(?:m| am) (?:now |currently )*(?:living in|based in) (?P<value>[^,;.!?]{{2,60}}?){_ENDS})", dated=True),
    _Pattern("state", "lives in", rf"(?i:{_I}(?:i|we)(?: just| recently| finally|['’]ve| have)* moved to) (?P<value>[A-Z][\w'’-]*(?:,? [A-Z][\w'’-]*){{0,3}})", dated=True),
    _Pattern("state", "is from", rf"(?i:{_I}i['’]?(?:m| am)(?: originally)? from) (?P<value>[A-Z][\w'’-]*(?:,? [A-Z][\w'’-]*){{0,3}})"),
    _Pattern("relation", "works at", rf"(?i:{_I}i(?: now| currently)*(?: work| ['’]?am working|['’]m working) (?:at|for)) {_ORGANIZATION}", "organization", dated=True),
    _Pattern("state", "works as", rf"(?i:{_I}i(?: now| currently)*(?: work|['’]m working| am working) as (?P<value>(?:an?|the) [^,;.!?]{{2,60}}?)(?: (?:at|for) |{_ENDS}))", dated=True),
    _Pattern("state", "works as", rf"(?i:{_I}i['’]?(?:m| am) (?P<value>an? (?:\w+[ -]){{0,3}}(?:engineer|teacher|nurse|developer|designer|student|doctor|lawyer|scientist|programmer|accountant|architect|researcher|freelancer|photographer|journalist|chef|electrician|plumber))\b)"),
    _Pattern("state", "studies", rf"(?i:{_I}i(?: now| currently)*(?: study|['’]m studying| am studying|['’]m majoring in| am majoring in) (?P<value>[^,;.!?]{{2,60}}?)(?: at |{_ENDS}))", dated=True),
    _Pattern("set", "allergic to", rf"(?i:{_I}i['’]?(?:m| am) (?:\w+ )?allergic to (?P<value>[^,;.!?]{{2,80}}?)(?=$|[,;.!?–—(]| - | so\b| but\b))"),
    _Pattern("state", "diet", rf"(?i:{_I}i['’]?(?:m| am)(?: an?)?(?: strict)? (?P<value>vegetarian|vegan|pescatarian)\b)"),
    _Pattern("set", "intolerant of", rf"(?i:{_I}i['’]?(?:m| am) (?P<value>\w+)[- ]intolerant\b)"),
    _Pattern("set", "dislikes", rf"(?i:{_I}i(?: really| also| just| still| personally)* (?:hate|dislike|can['’]t stand|cannot stand|don['’]t (?:really )?(?:like|enjoy|eat|drink)|do not (?:like|enjoy|eat|drink)) (?P<value>[^;.!?]{{2,90}}?)(?=$|[;.!?]| - | – | but\b| because\b|, (?:it|which|so|and i|they)\b))"),
    _Pattern("set", "prefers", rf"(?i:{_I}i(?: really| also| just| still| do| absolutely| personally| always)* (?:love|enjoy|prefer|adore|like) (?!to be)(?P<value>[^;.!?]{{2,90}}?)(?=$|[;.!?]| - | – |- | but\b| because\b| too\b| as well\b| the most\b|['’]?,? ['’]?cause\b|, (?:it|which|so|and i|they|especially|the)\b))"),
    _Pattern("set", "prefers", rf"(?i:{_I}i['’]?(?:m| am) a (?:big |huge |real )?fan of (?P<value>[^;.!?]{{2,90}}?)(?=$|[;.!?]| - | – | but\b|, and))"),
    _Pattern("set", "prefers", rf"(?i:{_I}my (?:all-time |absolute |personal )?favou?rites? (?!one\b)[\w -]{{2,30}}? (?:is|are) (?P<value>[^,;.!?]{{2,90}}?)(?=$|[,;.!?]| - | because\b))"),
    _Pattern("set", "prefers", r"^(?P<value>[\w'’. -]{3,40}?) (?:is|are) my (?:all-time |absolute )?favou?rite\b"),
    _Pattern("relation", "*", rf"(?i:\bmy (?:(?!best friend)\w+ )?{_KIN}),? (?i:(?:is|['’]s name is) (?:called |named )?)?{_NAME}", "person"),
    _Pattern("relation", "*", rf"(?i:\bmy (?:(?!best friend)\w+ )?{_KIN})['’]s name is {_NAME}", "person"),
)  # fmt: skip
_CHINESE = (
    _Pattern("state", "name", r"我(?:叫|的名字(?:是|叫))(?P<value>[^\s，。！？,.了]{2,12})"),
    _Pattern("state", "birthday", r"我(?:的)?生日是(?P<value>[^，。！？,]{2,15})"),
    _Pattern("state", "lives in", r"我(?:现在|目前|一直|们)?住在(?P<value>[^，。！？,的]{2,20})", dated=True),
    _Pattern("state", "is from", r"我来自(?P<value>[^，。！？,的]{2,20})"),
    _Pattern("relation", "works at", r"我(?:现在|目前)?在(?P<name>[^，。！？,一这那家里]{2,20})(?:工作|上班|实习)$", "organization", dated=True),
    _Pattern("state", "works as", r"我是(?P<value>一?[名个位][^，。！？,]{1,14})$"),
    _Pattern("set", "allergic to", r"我(?:从小)?对(?P<value>[^，。！？,]{1,12}?)(?:严重)?过敏"),
    _Pattern("state", "diet", r"我(?:也|一直|现在)?(?:是(?:个)?)?(?P<value>吃素|素食(?:者|主义者)?)"),
    _Pattern("set", "dislikes", r"我(?:也|很|最|真的|一直|还|平时|个人|自己|比较)*(?:不(?:太|怎么)?喜欢|讨厌|受不了|不吃|不喝)(?P<value>(?:(?!但|可是|不过(?!敏))[^，。！？,]){1,40})"),
    _Pattern("set", "prefers", r"我(?:也|很|最|特别|非常|真的|一直|比较|超|更|都|还|挺|十分|从小|个人|自己|平时|其实)*(?:喜欢|热爱|偏爱|爱(?=[看吃喝听玩打画唱跳读]))(?:的[^，。！？,]{0,12}?是)?(?P<value>(?:(?!但|可是|不过(?!敏))[^，。！？,]){2,40})"),
)  # fmt: skip
_PROJECT = (
    (r"^(?i:the )?(?i:(?:project|service|repo) )?(?P<subject>[\w-]{2,40})(?P<said> (?i:project|service|repo|repository|app|api|cli|backend|frontend))? (?:now )?(?P<verb>uses|runs on|is written in|is built with) (?!an? |his|her|the |my )(?P<tool>[\w.+#-]+(?: [A-Z\d][\w.+#-]*){0,2})", "tool"),
    (r"^(?i:the )?(?P<subject>[\w-]{2,40})(?P<said> (?i:project|service|repo|repository|app|api|cli|backend|frontend))? (?:now )?(?P<verb>listens on) (?P<tool>(?:port )?\d{2,5})\b", ""),
)


def claims(event: Event) -> tuple[Claim, ...]:
    """The claims of a card, each once; nothing where its words leave room for doubt.

    What was corrected, cancelled or done by an agent says nothing of persons; the time of a card is taken over where
    a state begins with it ("moved to Lisbon in May") and as the end of a plan.
    """
    person = _person(event)
    found: list[Claim] = []
    if person and event.status != "cancelled":
        found += _of_type(event, person)
        for quote in event.quotes[:1]:
            found += _first_person(quote, event, person)
    if not event.participants and event.event_type in ("state", "decision"):
        for quote in event.quotes[:1]:
            found += _projects(quote, event)
    sound = (claim for claim in found if not faults(claim))
    return tuple(dict.fromkeys(sound))[:_MOST]


def _person(event: Event) -> str:
    """Who says "I": the one participant, `user` where none is named, nobody where there are several."""
    if not event.participants:
        return UNNAMED
    return event.participants[0] if len(event.participants) == 1 else ""


def _of_type(event: Event, person: str) -> Iterator[Claim]:
    """A decision was made and a plan is held by whoever said it."""
    key = _KEYS.get(event.event_type)
    if key is None:
        return
    title = event.title
    for name in event.participants:
        title = title.removeprefix(f"{name}: ")
    end = (event.happened_end or event.happened_start) if event.event_type == "plan" else ""
    said = moment.local_day(event.mentioned_at)
    since = (event.happened_start or said) if event.event_type == "decision" else "" if end else said
    yield Claim("person", person, "set", key, _trimmed(title)[:LONGEST_VALUE].rstrip(), valid_from=since, valid_to=end, confidence=event.confidence)


def _first_person(quote: str, event: Event, person: str) -> Iterator[Claim]:
    """What somebody says of themselves."""
    if event.event_type not in ("state", "preference", "happening", "correction"):
        return
    for each in (*_FIRST_PERSON, *_CHINESE):
        if each.key in ("prefers", "dislikes") and event.event_type != "preference":
            continue
        match = re.search(each.pattern, quote.rstrip(_TRIM))
        if match is None:
            continue
        groups = match.groupdict()
        key = " ".join(groups["kin"].lower().split()) if each.key == "*" else each.key
        value = _trimmed(groups.get("value") or groups.get("name") or "")
        words = value.lower().split()
        if not words or words[0] in _NO_VALUE or (each.target and words[0] in _NO_NAMED):
            continue
        begin = _begin(event) if each.dated else ""
        yield Claim("person", person, each.mode, key[:LONGEST_KEY], value, each.target, valid_from=begin, confidence=event.confidence)


def _begin(event: Event) -> str:
    """When what a card tells began, if it says so."""
    return event.happened_start if event.happened_start and event.status in ("occurred", "ongoing") else ""


def _projects(quote: str, event: Event) -> Iterator[Claim]:
    """What a project uses, if it stands there by its name."""
    for pattern, target in _PROJECT:
        match = re.search(pattern, quote)
        if match is None or match["subject"].lower() in _NO_NAME:
            continue
        mode = "relation" if target else "state"
        yield Claim("project", match["subject"], mode, match["verb"], _trimmed(match["tool"]), target, valid_from=moment.local_day(event.mentioned_at), confidence=event.confidence)


def _trimmed(text: str) -> str:
    return text.strip(_TRIM)
