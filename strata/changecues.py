"""How a sentence announces a change, in English and Chinese: its clauses, what each gives up, and the values it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

Cue = tuple[tuple[str, ...], str]  # words of which one occurs in what the pattern finds, and the pattern
Cues = tuple[Cue, ...]

LONGEST_CLAUSE = 300  # characters; what is longer is no decision, and would keep a pattern busy
_NONE: frozenset[str] = frozenset()
_STOP = frozenset(
    """a an the and or but if so as at by for from in into of off on onto out over per than then that this these those to up with without
    is are was were be been being am do does did done doing has have had having will would can could shall should may might must need
    i we you he she it they me us him her them my our your his its their mine who what which when where why how whose
    all any some no not only just also too very much more most less least own same other another such both each every few many one
    there here now today again still yet already else ever never always ok okay yes please well right fine good let lets s t d ll re ve m don
    use uses used using between often go goes going get gets got make makes made take takes took put set sets keep keeps kept change changes changed
    push pushed pushes pushing back cut renamed rename raise raised lower lowered bump bumped taking making putting moving switching changing
    switch switches switched move moves moved instead longer anymore replace replaces replaced actually old new like about after before""".split()
)
_ASKS_CHINESE = "什么|多少|多久|多大|哪里|哪个|哪儿|哪天|时候|怎么|为什么|几点"
_STOP_CHINESE = "的了是吗呢就那先再把从到在用不也还都很我你他她它们这吧和与及或成为换改放有个要能可以上下来去"

_TOKEN = r"[a-z0-9_]+(?:\.[a-z0-9_]+|:[0-9]+)*|[\u3400-\u9fff]+"
_SENTENCE = r"(?<=[.!?…])\s+|(?<=[。！？])|\n+"
_CLAUSE = r"[,;:]\s+|[，；：（）]|\s[–—-]\s"
_QUESTION = r"[?？吗呢]\s*$"
_OPEN = (
    r"\b(?:maybe|perhaps|might|could|would|shall|should we|if|unless|whether|what about|how about|consider\w*|thinking|let me think|wish|hope|want to|"
    r"going to try|possibly|probably|suppose|options?|suggest\w*|propos\w+|plan(?:ning)? to|thought about)\b|也许|可能|或许|要不|考虑|试试|如果|要是|能不能|倾向|打算|想要|建议"
)
_VERB = (
    r"(?:(?:chang|mov|migrat|upgrad|downgrad|rais|reduc|increas|decreas|renam|scal)(?:e|es|ed|ing)|(?:bump|lower|shorten|extend|revert|convert|adjust|push|postpon)(?:s|e|ed|ing)?|"
    r"switch(?:es|ed|ing)?|went|cut)"
)
_TO = "(?:(?:改|换|调|升|降|迁|搬|移|切)(?:整|级|移|换)?(?:成|为|到|至|用|放|走)|(?:提高|增加|减少|降低|缩短|延长|扩大)(?:到|为|至|成))"
_HANS = tuple("改换调升降迁搬移切提增减缩延扩")  # one of them is in whatever _TO finds

# What gives up something old: the group `old`, for what is in `new`. A pattern is tried where one of its words occurs, as compiling takes longer.
_GIVES_UP: Cues = (
    ((" from ",), rf"\b{_VERB}\b(?:(?!\bto\b).)*?\bfrom\s+(?P<old>.+?)\s+(?:in)?to\b(?P<new>.*)"),
    (("instead of", "rather than"), r"\b(?:instead of|rather than)\s+(?P<old>.+)"),
    (("no more",), r"\bno more\s+(?P<old>.+)"),
    (("not ",), r"\bnot\s+(?!only\b|just\b)(?P<old>.+?)\s+but\s+(?P<new>.+)"),
    (("→", "->", "=>"), r"(?P<old>[^→]+?)\s*(?:→|[-=]>)\s*(?P<new>.+)"),
    (("scratch", "forget"), r"^(?:please\s+)?(?:scratch|forget)\s+(?!to\b|it\b)(?:that\s+)?(?:about\s+)?(?P<old>.+)"),
    (("stopped", "stop ", "quit"), r"^(?:(?:we|i)\s+)?(?:have\s+)?(?:stop|stopped|quit)\s+(?P<old>.+)"),
    (("replac",), r"\breplac(?:e|es|ed|ing)\s+(?!by\b)(?P<old>.+?)(?:\s+(?:with|by|in|for)\b(?P<new>.*)|$)"),
    (
        ("drop", "abandon", "scrap", "ditch"),
        rf"\b(?:drop|dropp|abandon|scrap|ditch)\w*\s+(?P<old>.+?)\s+(?:and\s+{_VERB}|in favou?r of|for)\b(?:.*\bto\b)?(?P<new>.*)",
    ),
    (
        ("drop", "abandon", "scrap", "ditch", "rid of"),
        r"^(?:(?:we|i|please|then|so|let's|have|has|had)\s+)*(?:(?:drop|dropp|abandon|scrap|ditch)(?:ed|ped)?|(?:get|got) rid of)\s+(?P<old>.+)",
    ),
    (("从", "由"), rf"[从由](?P<old>.+?)(?:{_TO}|变成)(?P<new>.*)"),
    (("代替", "取代", "而不是", "替换"), r"(?:代替|取代|而不是|替换掉?)(?P<old>.+)"),
)
_ENDS: Cues = (  # as before, but a "not" in it is part of it
    (("replaced", "retired", "deprecated", "obsolete", "dropped", "gone"), r"^(?P<old>.+?)\s+(?:is|are|was|were|has been|have been|gets?)\s+(?:replaced|retired|deprecated|obsolete|dropped|gone)\b(?!\s+and\b)"),
    ((" out", "cancelled", "mistake"), r"^(?P<old>.+?)\s+(?:is|are|was|were)\s+(?:out|cancelled|(?:now\s+)?a mistake)\W*$"),
    (("no longer",), r"^(?P<old>.+?)\s+(?:is|are)\s+no longer\s+(?:[a-z]+ed|written|sent|done|made|kept|held|built|run)\b"),
    (("no longer", "any more", "anymore"), r"^(?P<old>.*\bno longer\b.*|.*(?:\bnot|n't)\b.*\bany ?more\b.*)$"),
    (("不再", "要再", "别再"), r"(?:不再|不要再|别再)(?:使?用|是)?(?P<old>.+)"),
    (("不用", "不住"), r"不[用住](?P<old>.+?)(?:了|\W*$)"),
    (("取消", "作废", "废弃", "弃用", "停用"), r"^(?P<old>.+?)(?:取消|作废|废弃|弃用|停用)了?\W*$"),
)  # fmt: skip
_REST: Cues = ((("not ",), r"^(?:and\s+)?not\s+(?!only\b|just\b|to\b|yet\b|sure\b)(?P<old>\S+(?:\s+\S+){0,3})$"),)  # of a sentence that says "now"
_ANNOUNCES: Cues = (
    ((" to ",), rf"\b{_VERB}\b.*?\bto\b(?P<new>.*)"),
    (("now", "these days"), r"\w.*\b(?:now|these days)\b"),
    (("instead",), r"\binstead\W*$"),
)  # also in everyday talk: only values make it a change
_ANNOUNCES_PLAINLY: Cues = (
    (("now use",), r"\bnow uses?\b(?P<new>.*)"),
    (("after all",), r"\b(?:use|go with|take|be)\s+(?P<new>.+?)\s+after all\b"),
    (("back to",), r"^(?:(?:we|i|let's|then|so|and|are|am|is|go|going|went|switch|switched|move|moved|change|changed)\s+)*back to\b(?P<new>.*)"),
    (("moving to", "switching to"), r"^(?:we|i)(?:'re|'m|\s+are|\s+am)\s+(?:moving|switching)\s+to\b(?P<new>.*)"),
    (_HANS, rf"{_TO}(?P<new>.*)"),
    (("还是用",), r"还是用(?P<new>.*)"),
)
_ALTOGETHER = (  # of a whole sentence
    r"\b(?:from (?:now|today|tomorrow|(?:this|next) (?:week|month)|monday) on|as of (?:now|today)|henceforth)\b|"
    r"^\W*(?:correction|actually|scratch that|change of plan)\b|以后|^其实|从现在起|更正"
)
_DENIES: Cues = (
    (("not", "n't", "never", "no need"), rf"\b(?:not|never|no need to|don't|won't|didn't|cannot|can't)\b(?:\s+\w+){{0,2}}\s+(?:{_VERB}|replac\w*|drop\w*)"),
    (("没", "不", "别"), "(?:没有?|不要?|(?:^|[请就])别|不想|不会)(?:改|换|升|降|调|迁)"),
)
_COMPLAINS = r"\b(?:trouble|problems?|slow|slower|fails|failing|failed|flaky|broken|annoy\w*|driving me mad|worr(?:y|ies)|does(?: not|n't) (?:work|exist))\b|太慢|很慢|报错|失败"
_REFERS = r"\b(?:it|they|them)\b|它"
_FENCE = r"```.*?(?:```|$)"
_VALUE = r"[0-9]+:[0-9]+|[a-z0-9_~/][\w.~/-]*[0-9][\w./-]*|[0-9]+|[\w~/-]+(?:[./_][\w-]+)+"
_PAST = r"\b(?:at first|the (?:very )?first|original(?:ly)?|initial(?:ly)?|used to|previous(?:ly)?|formerly|earlier|back then|the old|outdated|before\W*$)|以前|原来|最初|之前|当初|第一|原先"


class Clause(NamedTuple):
    """A part of a sentence between commas.

    `sentence` and `terms` are the terms of its sentence and of itself; `old` those it gives up and `new` those it
    puts in their place. `changes` says that it announces a change at all, `plain` that its words can mean little else,
    `refers` that it changes what was just talked of ("raise it", "they go"), `open` that it only asks, wishes or supposes, and
    `complains` that its sentence tells of trouble.
    """

    text: str
    terms: frozenset[str]
    sentence: frozenset[str]
    old: frozenset[str] = _NONE
    new: frozenset[str] = _NONE
    changes: bool = False
    plain: bool = False
    refers: bool = False
    open: bool = False
    complains: bool = False


class _Cues(NamedTuple):
    """Of each kind the cues whose words occur in a text: the only ones worth trying in its clauses."""

    gives_up: Sequence[Cue]
    ends: Sequence[Cue]
    rest: Sequence[Cue]
    announces: Sequence[Cue]
    announces_plainly: Sequence[Cue]
    denies: Sequence[Cue]


class Value(NamedTuple):
    """A number, version, path or identifier: itself, its kind, and the terms just before and after it."""

    text: str
    shape: str
    around: frozenset[str]


def clauses(text: str) -> list[Clause]:
    """Every clause of the text, in order."""
    if "```" in text:
        text = re.sub(_FENCE, "\n", text, flags=re.DOTALL)  # a trace or a listing says nothing itself
    if "cratch that" in text:
        text = text.replace("cratch that.", "cratch that,").replace("cratch that!", "cratch that,")  # it is about the next sentence
    folded = text.casefold()
    cues = _Cues(*([cue for cue in kind if _any_in(cue[0], folded)] for kind in (_GIVES_UP, _ENDS, _REST, _ANNOUNCES, _ANNOUNCES_PLAINLY, _DENIES)))
    return [clause for sentence in _pattern(_SENTENCE).split(folded) if sentence.strip() for clause in _clauses(sentence, cues)]


def last_sentence(text: str) -> str:
    return next((sentence for sentence in reversed(_pattern(_SENTENCE).split(text)) if sentence.strip()), "")


def side_by_side(words: frozenset[str], text: str) -> bool:
    """Whether these terms stand in the text with nothing between them."""
    run = list(_terms(text.casefold()))
    return any(words == frozenset(run[at : at + len(words)]) for at in range(len(run)))


def terms(text: str) -> frozenset[str]:
    """The words of a text that carry its subject, roughly stemmed; Chinese as pairs of neighbours."""
    return frozenset(_terms(text.casefold()))


def values(text: str) -> list[Value]:
    """The values a clause names, in order."""
    folded = text.casefold()
    return [_value(folded, match) for match in _pattern(_VALUE).finditer(folded)]


def other_value(said: Clause, change: Clause) -> bool:
    """Whether the two give another value of one kind in one place."""
    return any(
        one.text != other.text and one.text not in said.sentence and one.shape == other.shape and (one.around & other.around or one.shape == "version")
        for one, other in product(values(change.text), values(said.text))
    )


def other_word(said: Clause, change: Clause, shared: frozenset[str]) -> bool:
    """Whether they agree in most words and differ in what the change puts in; for announcements that can mean little else."""
    put_in = change.new or change.terms - said.terms
    common = len(said.terms & (shared if change.new else change.terms))
    alike = common > 2 or 3 * common >= 2 * len(said.terms)
    return (
        change.plain
        and alike
        and not put_in <= said.sentence
        and (change.terms - change.new <= said.sentence if change.new and common < 3 else bool(change.new) or 2 * common >= len(change.terms))
    )


def other_number(said: Clause, change: Clause) -> bool:
    """Whether the two name different numbers, times or versions."""
    return any(one.shape == other.shape != "name" and one.text != other.text for one, other in product(values(change.text), values(said.text)))


def asks_for_past(query: str) -> bool:
    """Whether a question wants to know how it was, not how it is."""
    return _pattern(_PAST).search(query.casefold()) is not None


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII if source == _VALUE else 0)


def _clauses(folded: str, cues: _Cues) -> Iterator[Clause]:
    parts = [(part, frozenset(_terms(part))) for each in _pattern(_CLAUSE).split(folded) if (part := each.strip())]
    whole = frozenset(term for _, own in parts for term in own)
    undecided = _pattern(_QUESTION).search(folded) is not None or _pattern(_OPEN).search(folded) is not None
    altogether = _pattern(_ALTOGETHER).search(folded) is not None
    complains = _pattern(_COMPLAINS).search(folded) is not None
    for part, own in parts:
        clause = Clause(part, own, whole, open=True) if undecided else _decided(part, own, whole, altogether, cues)
        if cues.rest and not clause.changes and not undecided and (altogether or "now" in folded) and (rest := _matches(cues.rest, part)):
            clause = clause._replace(old=_group("old", rest), changes=True)
        yield clause._replace(complains=True) if complains else clause


def _decided(part: str, own: frozenset[str], whole: frozenset[str], altogether: bool, cues: _Cues) -> Clause:
    """A clause that is said as a fact."""
    if len(part) > LONGEST_CLAUSE:
        return Clause(part, own, whole)
    denied = bool(_matches(cues.denies, part))
    giving = [*([] if denied else _matches(cues.gives_up, part)), *_matches(cues.ends, part)][:1]
    talking, plain = ([], []) if denied else (_matches(cues.announces, part), _matches(cues.announces_plainly, part))
    if not (giving or talking or plain or altogether):
        return Clause(part, own, whole)
    old, new = _group("old", giving), _group("new", [*giving, *talking, *plain])
    return Clause(part, own, whole, old - new or old, new - old, True, bool(plain or altogether), _pattern(_REFERS).search(part) is not None)


def _matches(cues: Sequence[Cue], part: str) -> list[re.Match[str]]:
    return [found for words, source in cues if _any_in(words, part) and (found := _pattern(source).search(part))]


def _any_in(words: tuple[str, ...], text: str) -> bool:
    for word in words:  # `any` over a generator takes three times as long
        if word in text:
            return True
    return False


def _group(name: str, matches: list[re.Match[str]]) -> frozenset[str]:
    return terms(" ".join(found.groupdict().get(name) or "" for found in matches))


def _terms(folded: str) -> Iterator[str]:
    for token in _pattern(_TOKEN).findall(folded):
        if "\u3400" <= token[0] <= "\u9fff":
            for run in _pattern(f"{_TO}|{_ASKS_CHINESE}|[{_STOP_CHINESE}]").split(token):
                yield from (run[at : at + 2] for at in range(max(len(run) - 1, 0)))
        elif token not in _STOP:
            yield _stem(token)
            if "_" in token:
                yield from (_stem(part) for part in token.split("_") if part and part not in _STOP)


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """English endings off, so that `records`, `recorded` and `record` meet; never off a short word or a value."""
    if len(word) > 3 and word.isalpha():
        for ending in ("ing", "ed", "es", "s", "e"):
            if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
                return word.removesuffix(ending)
    return word


def _value(folded: str, match: re.Match[str]) -> Value:
    before = list(_terms(folded[max(0, match.start() - 40) : match.start()]))[-1:]
    after = list(_terms(folded[match.end() : match.end() + 30]))[:1]
    text = match[0].rstrip("./-")
    if text.isdecimal():
        shape = "number"
    elif ":" in text and text.replace(":", "").isdecimal():
        shape = "time"
    elif text.replace(".", "").isdecimal():
        shape = "version"
    else:
        shape = "name"
    return Value(text, shape, frozenset(before + after))
