"""What an event card says of persons, projects and organizations, by rule: from its own words, and only what they plainly say.

A card's claims follow from the card alone, so they can be made again at any time; only whether something ends that might have held asks for more. "I" is the one participant of the card, or
`user` where nobody has a name. Values are words of the quotes, in their language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from strata import moment
from strata.cards import Event
from strata.claims import LONGEST_KEY, LONGEST_VALUE, Claim, faults
from strata.models.ending import Held, closing, person_of
from strata.models.values import JOB_ENDS, KIN_CHINESE, NAME_CHINESE, TRIM, cut_short, is_day_of_year, is_place, is_tool, trimmed

KEYS = {"decision": "decided", "plan": "plans"}
_MOST = 12  # claims of one card

_KIN = r"(?P<kin>(?:(?:step|grand|half-?|god)?(?:mother|father|son|daughter|sister|brother)|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|aunt|uncle|cousin|niece|nephew|mom|mum|dad|grandma|grandpa|best friend|friend|boss|colleague|coworker|roommate|neighbou?r|manager|mentor|team ?mate|(?:team|tech) lead|coach|supervisor|flatmate))"
_NAME = r"(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
_ORGANIZATION = r"(?P<name>(?:the )?[A-Z][\w&.'-]*(?: (?:of|and|&|for) (?=[A-Z])| [A-Z][\w&.'-]*){0,5})"
_I = r"(?:^|[,;:.!–—-]\s*|\b(?:and|but|so|because|actually|currently|now|also|hi|hello|hey|ok|okay|yes|no|well|then|btw|by the way|fyi|please|remember|note|context|record|(?:remember|note|mind|forget|aware|know) that),? )"
_ENDS = r"(?=$|[,;.!?。–—(]| - | and (?:i|my|it|we|work|working|have|having|am|love|like|study|studying)\b| but\b| because\b| since\b| for (?:the|a|about|\d)| with (?:my|a)\b| in (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4})\b| (?:last|next|this) | (?:yesterday|today|now|again|too|so|where|which|who|as)\b)"
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
    _Pattern("state", "name", rf"(?i:{_I}(?:my (?:full )?name is|my name['’]s|i['’]?(?:m| am) called|(?:you can |please |just )call me)) (?P<value>[^\W\d_][\w'’-]*(?: (?:(?:de|la|van|von|der|den|da|di|dos|el|al|bin|ben|le) )*[A-Z][\w'’-]*){{0,3}}(?=$|[,;.!–—(-]| [–—-]| (?:and|but|by the way|btw|so|from|though|now|if)\b)|[a-z]+ [a-z]+(?=$|[,;.!]))"),
    _Pattern("state", "*", r"(?i:\bmy (?:main |default |preferred |operating )*(?P<kin>editor|shell|time ?zone|keyboard layout|(?:native )?language|os|system|terminal|laptop) is) (?P<value>(?:(?:an?|the) )?[A-Z][\w.+#/-]*(?: [A-Z\d][\w.+#-]*){0,3})"),
    _Pattern("state", "birthday", rf"(?i:{_I}my birthday(?:['’]s| is) (?:on |in )?(?P<value>(?:the )?[\w ]{{3,30}}?){_ENDS})"),
    _Pattern("state", "lives in", rf"(?i:{_I}(?:i|we) (?:now |currently |still |just )*(?:live in|live near) (?P<value>[^,;.!?]{{2,60}}?){_ENDS})", dated=True),
    _Pattern("state", "lives in", rf"(?i:{_I}i['’]?(?:m| am) (?:now |currently )*(?:living in|based in) (?P<value>[^,;.!?]{{2,60}}?){_ENDS})", dated=True),
    _Pattern("state", "lives in", rf"(?i:{_I}(?:i|we)(?: just| recently| finally|['’]ve| have)* moved(?: back| over)?(?: from [^,;.!?]{{2,40}}?)? to) (?P<value>[A-Z][\w'’-]*(?:,? [A-Z][\w'’-]*){{0,3}})", dated=True),
    _Pattern("state", "is from", rf"(?i:{_I}i['’]?(?:m| am)(?: originally)? from) (?P<value>[A-Z][\w'’-]*(?:,? [A-Z][\w'’-]*){{0,3}})"),
    _Pattern("relation", "works at", rf"(?i:{_I}i(?: now| currently)*(?: work| ['’]?am working|['’]m working) (?:at|for)) {_ORGANIZATION}", "organization", dated=True),
    _Pattern("relation", "works at", rf"(?i:{_I}i['’]?(?:m| am) an? (?:\w+[ -]){{0,3}}(?:engineer|teacher|nurse|developer|designer|student|doctor|lawyer|scientist|programmer|accountant|architect|researcher|photographer|journalist|chef|electrician|plumber) at) {_ORGANIZATION}", "organization"),
    _Pattern("relation", "works at", rf"(?i:{_I}(?:i|i['’]?m|i am) (?:live|living|based|am|moved) [^,;.!?]{{2,50}}? and (?:now |currently )?work(?:ing)? (?:at|for)) {_ORGANIZATION}", "organization", dated=True),
    _Pattern("relation", "works at", rf"(?i:{_I}i(?:['’]ve| have)?(?: just| recently| finally)? (?:started (?:working |a new job |my new job )?(?:at|for)|joined(?=[^.;!?]* as an? ))) {_ORGANIZATION}", "organization", dated=True),
    _Pattern("state", "works as", rf"(?i:{_I}i(?: now| currently)*(?: work|['’]m working| am working) as (?P<value>(?:an?|the) [^,;.!?]{{2,60}}?)(?: (?:at|for) |{_ENDS}))", dated=True),
    _Pattern("state", "works as", rf"(?i:{_I}i['’]?(?:m| am) (?P<value>an? (?:\w+[ -]){{0,3}}(?:engineer|teacher|nurse|developer|designer|student|doctor|lawyer|scientist|programmer|accountant|architect|researcher|freelancer|photographer|journalist|chef|electrician|plumber))\b{JOB_ENDS})"),
    _Pattern("state", "studies", rf"(?i:{_I}i(?: now| currently)*(?: study|['’]m studying| am studying|['’]m majoring in| am majoring in) (?P<value>[^,;.!?]{{2,60}}?)(?: at |{_ENDS}))", dated=True),
    _Pattern("set", "allergic to", rf"(?i:{_I}i['’]?(?:m| am) (?:(?!not\b|never\b|no\b|hardly\b|barely\b)\w+ )?allergic to (?P<value>[^,;.!?]{{2,80}}?)(?=$|[,;.!?–—(]| - | so\b| but\b))"),
    _Pattern("state", "diet", rf"(?i:{_I}i['’]?(?:m| am)(?: an?)?(?: strict)? (?P<value>vegetarian|vegan|pescatarian)\b(?! (?:on|at|during|except|when|for|only|most|in)\b))"),
    _Pattern("set", "intolerant of", rf"(?i:{_I}i['’]?(?:m| am) (?P<value>\w+)[- ]intolerant\b)"),
    _Pattern("set", "dislikes", rf"(?i:{_I}i(?: really| also| just| still| personally| now)* (?:hate|dislike|can['’]t stand|cannot stand|(?:don['’]t|do not|never) (?:really )?(?:like|enjoy|eat|drink)) (?P<value>[^;.!?]{{2,90}}?)(?=$|[;.!?]| - | – | but\b| because\b|, (?:it|which|so|and i|they)\b))"),
    _Pattern("set", "prefers", rf"(?i:{_I}i(?: really| also| just| still| do| absolutely| personally| always| now)* (?:love|enjoy|prefer|adore|like) (?!to be)(?P<value>[^;.!?]{{2,90}}?)(?=$|[;.!?]| - | – |- | but\b| because\b| too\b| as well\b| the most\b|['’]?,? ['’]?cause\b|, (?:it|which|so|and i|they|especially|the)\b))"),
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
    _Pattern("state", "lives in", r"我们?(?:家)?(?:已经|刚刚?|最近|终于|(?:上个?|这个?)(?:周|月)|去年|今年|昨天|前天)*(?:从[^，。？]{1,8})?搬(?:家)?到(?:了(?=[^了]*$))?(?P<value>[^，。！？,的了]{2,10})了?$", dated=True),
    _Pattern("relation", "*", rf"我(?:的)?(?P<kin>{KIN_CHINESE})(?:名?叫做?|的名字(?:是|叫))(?P<name>{NAME_CHINESE})(?:$|[，。！；,.])", "person"),
    _Pattern("state", "is from", r"我来自(?P<value>[^，。！？,的]{2,20})"),
    _Pattern("relation", "works at", r"我(?:现在|目前)?在(?!一|这|那|哪|家(?:里|中)?(?:工作|上班|实习)|外面|公司|单位|网上)(?P<name>[^，。！？,]{2,20}?)(?:工作|上班|实习)$", "organization", dated=True),
    _Pattern("state", "works as", r"我是(?P<value>一?[名个位][^，。！？,]{1,14})$"),
    _Pattern("set", "allergic to", r"我(?:从小)?对(?P<value>[^，。！？,不]{1,12}?)(?:严重)?过敏"),
    _Pattern("state", "diet", r"我(?:也|一直|现在)?(?:是(?:个)?)?(?P<value>吃素|素食(?:者|主义者)?)"),
    _Pattern("set", "dislikes", r"我(?:也|很|最|真的|一直|还|平时|个人|自己|比较)*(?:不(?:太|怎么)?喜欢|讨厌|受不了|不吃|不喝)(?P<value>(?:(?!但|可是|不过(?!敏))[^，。！？,]){1,40})"),
    _Pattern("set", "prefers", r"我(?:也|很|最|特别|非常|真的|一直|比较|超|更|都|还|挺|十分|从小|个人|自己|平时|其实)*(?:喜欢|热爱|偏爱|爱(?=[看吃喝听玩打画唱跳读]))(?:的[^，。！？,]{0,12}?是)?(?P<value>(?:(?!但|可是|不过(?!敏))[^，。！？,]){2,40})"),
)  # fmt: skip
_KIN_IN_ENGLISH = {
    word: key
    for key, words in (
        ("mother", "妈 妈妈 母亲"), ("father", "爸 爸爸 父亲"), ("wife", "老婆 妻子 太太"), ("husband", "老公 丈夫"), ("daughter", "女儿"), ("son", "儿子"), ("brother", "哥 哥哥 弟弟"), ("sister", "姐 姐姐 妹妹"),
        ("girlfriend", "女朋友"), ("boyfriend", "男朋友"), ("fiancée", "未婚妻"), ("fiancé", "未婚夫"), ("colleague", "同事"), ("boss", "老板"), ("roommate", "室友"), ("grandpa", "爷爷 外公"), ("grandma", "奶奶 外婆"),
    )
    for word in words.split()
}  # fmt: skip
_PROJECT = (
    (r"^(?i:the )?(?i:(?:project|service|repo) )?(?P<subject>[\w-]{2,40})(?P<said> (?i:project|service|repo|repository|app|api|cli|backend|frontend))? (?:now )?(?P<verb>uses|runs on|is written in|is built with) (?!an? |his|her|the |my )(?P<tool>[\w.+#-]+(?: [A-Z\d][\w.+#-]*){0,2})", "tool"),
    (r"^(?i:the )?(?P<subject>[\w-]{2,40})(?P<said> (?i:project|service|repo|repository|app|api|cli|backend|frontend))? (?:now )?(?P<verb>listens on) (?P<tool>(?:port )?\d{2,5})\b", ""),
)


def claims(event: Event, held: Held = lambda claim: False) -> tuple[Claim, ...]:
    """The claims of a card, each once; nothing where its words leave room for doubt. `held` says of a claim whether it is known to hold so far.

    What was corrected, cancelled or done by an agent says nothing of persons; the time of a card is taken over where
    a state begins with it ("moved to Lisbon in May") and as the end of a plan.
    """
    person = person_of(event)
    found: list[Claim] = []
    if person and event.status != "cancelled":
        found += _of_type(event, person)
        for quote in event.quotes[:1]:
            found += _first_person(quote, event, person)
        found += closing(event, held)
    if not event.participants and event.event_type in ("state", "decision"):
        for quote in event.quotes[:1]:
            found += _projects(quote, event)
    sound = (claim for claim in found if not faults(claim))
    return tuple(dict.fromkeys(sound))[:_MOST]


def _of_type(event: Event, person: str) -> Iterator[Claim]:
    """A decision was made and a plan is held by whoever said it."""
    key = KEYS.get(event.event_type)
    if key is None:
        return
    title = event.title
    for name in event.participants:
        title = title.removeprefix(f"{name}: ")
    end = (event.happened_end or event.happened_start) if event.event_type == "plan" else ""
    said = moment.local_day(event.mentioned_at)
    since = (event.happened_start or said) if event.event_type == "decision" else "" if end else said
    yield Claim("person", person, "set", key, trimmed(title)[:LONGEST_VALUE].rstrip(), valid_from=since, valid_to=end, confidence=event.confidence)


def _first_person(quote: str, event: Event, person: str) -> Iterator[Claim]:
    """What somebody says of themselves."""
    if event.event_type not in ("state", "preference", "happening", "correction"):
        return
    for each in (*_FIRST_PERSON, *_CHINESE):
        if each.key in ("prefers", "dislikes") and event.event_type != "preference":
            continue
        match = re.search(each.pattern, quote.rstrip(TRIM))
        if match is None:
            continue
        groups = match.groupdict()
        kin = " ".join((groups.get("kin") or "").lower().split())
        key = _KIN_IN_ENGLISH.get(kin, kin) if each.key == "*" else each.key
        value = _value(key, groups.get("value") or groups.get("name") or "", each.target)
        if not value:
            continue
        begin = _begin(event) if each.dated else ""
        yield Claim("person", person, each.mode, key[:LONGEST_KEY], value, each.target, valid_from=begin, confidence=event.confidence)


def _value(key: str, text: str, target: str) -> str:
    """What a value says without what only hangs on it; "" where it points elsewhere or cannot be one of its key."""
    value = cut_short(trimmed(text))
    first = value.lower().split()[:1]
    if not first or first[0] in _NO_VALUE or (target and first[0] in _NO_NAMED):
        return ""
    if (key == "lives in" and not is_place(value)) or (key == "birthday" and not is_day_of_year(value)) or (target == "tool" and not is_tool(value)):
        return ""
    return value


def _begin(event: Event) -> str:
    """When what a card tells began, if it says so."""
    return event.happened_start if event.happened_start and event.status in ("occurred", "ongoing") else ""


def _projects(quote: str, event: Event) -> Iterator[Claim]:
    """What a project uses, if it stands there by its name."""
    for pattern, target in _PROJECT:
        match = re.search(pattern, quote)
        if match is None or match["subject"].lower() in _NO_NAME:
            continue
        tool = _value(match["verb"], match["tool"], target)
        if not tool:
            continue
        mode = "relation" if target else "state"
        yield Claim("project", match["subject"], mode, match["verb"], tool, target, valid_from=moment.local_day(event.mentioned_at), confidence=event.confidence)
