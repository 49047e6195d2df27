"""How a sentence announces a change, in English and Chinese: its clauses, what each gives up, and the values it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

Cues = tuple[tuple[tuple[str, ...], str], ...]  # each: words of which one occurs in what the pattern finds, and the pattern

LONGEST_CLAUSE = 300  # characters; what is longer is no decision, and would keep a pattern busy
_NONE: frozenset[str] = frozenset()
_STOP = frozenset(
    """a an the and or but if so as at by for from in into of off on onto out over per than then that this these those to up with without
    is are was were be been being am do does did done doing has have had having will would can could shall should may might must need
    i we you he she it they me us him her them my our your his its their mine who what which when where why how whose
    all any some no not only just also too very much more most less least own same other another such both each every few many one
    there here now today again still yet already else ever never always ok okay yes please well right fine good let lets s t d ll re ve m don
    use uses used using go goes going get gets got make makes made take takes took put set sets keep keeps kept change changes changed
    switch switches switched move moves moved instead longer anymore replace replaces replaced actually old new like about after before""".split()
)
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
    r"(?:(?:chang|mov|migrat|upgrad|downgrad|rais|reduc|increas|decreas|renam|scal)(?:e|es|ed|ing)|(?:bump|lower|shorten|extend|revert|convert|adjust)(?:s|ed|ing)?|"
    r"switch(?:es|ed|ing)?|went)"
)
_TO = "(?:(?:改|换|调|升|降|迁|搬|移|切)(?:整|级|移|换)?(?:成|为|到|至|用|放|走)|(?:提高|增加|减少|降低|缩短|延长|扩大)(?:到|为|至|成))"
_HANS = tuple("改换调升降迁搬移切提增减缩延扩")  # one of them is in whatever _TO finds

# What gives up something old: the group `old`, for what is in `new`. A pattern is tried where one of its words occurs, as compiling takes longer.
_GIVES_UP: Cues = (
    ((" from ",), rf"\b{_VERB}\b(?:(?!\bto\b).)*?\bfrom\s+(?P<old>.+?)\s+(?:in)?to\b(?P<new>.*)"),
    (("instead of",), r"\binstead of\s+(?P<old>.+)"),
    (("replac",), r"\breplac(?:e|es|ed|ing)\s+(?!by\b)(?P<old>.+?)(?:\s+(?:with|by|in|for)\b(?P<new>.*)|$)"),
    (("drop", "abandon", "scrap", "ditch"), rf"\b(?:drop|dropp|abandon|scrap|ditch)\w*\s+(?P<old>.+?)\s+(?:and\s+{_VERB}|in favou?r of|for)\b(?:.*\bto\b)?(?P<new>.*)"),
    (("从", "由"), rf"[从由](?P<old>.+?)(?:{_TO}|变成)(?P<new>.*)"),
    (("代替", "取代", "而不是", "替换"), r"(?:代替|取代|而不是|替换掉?)(?P<old>.+)"),
)
_ENDS: Cues = (  # as before, but a "not" in it is part of it
    (("replaced", "retired", "deprecated", "obsolete", "dropped", "gone"), r"^(?P<old>.+?)\s+(?:is|are|was|were|has been|have been|gets?)\s+(?:replaced|retired|deprecated|obsolete|dropped|gone)\b"),
    (("no longer",), r"^(?P<old>.+?)\s+(?:is|are)\s+no longer\s+(?:[a-z]+ed|written|sent|done|made|kept|held|built|run)\b"),
    (("no longer", "any more", "anymore"), r"^(?P<old>.*\bno longer\b.*|.*(?:\bnot|n't)\b.*\bany ?more\b.*)$"),
    (("不再", "要再", "别再"), r"(?:不再|不要再|别再)(?:使?用|是)?(?P<old>.+)"),
    (("不用",), r"不用(?P<old>.+)了"),
)  # fmt: skip
_ANNOUNCES: Cues = (((" to ",), rf"\b{_VERB}\b.*?\bto\b(?P<new>.*)"), (("now",), r"\bnow\b"))  # also in everyday talk: only values make it a change
_ANNOUNCES_PLAINLY: Cues = ((("now use",), r"\bnow uses?\b(?P<new>.*)"), (_HANS, rf"{_TO}(?P<new>.*)"))
_ALTOGETHER = r"\b(?:from now on|as of (?:now|today)|henceforth)\b|^\W*(?:correction|actually)\b|以后|^其实|从现在起|更正"  # of a whole sentence
_DENIES: Cues = (
    (("not", "n't", "never", "no need"), rf"\b(?:not|never|no need to|don't|won't|didn't|cannot|can't)\b(?:\s+\w+){{0,2}}\s+(?:{_VERB}|replac\w*|drop\w*)"),
    (("没", "不", "别"), "(?:没有?|不要?|(?:^|[请就])别|不想|不会)(?:改|换|升|降|调|迁)"),
)
_VALUE = r"[0-9]+:[0-9]+|[a-z0-9_~/][\w.~/-]*[0-9][\w./-]*|[0-9]+|[\w~/-]+(?:[./_][\w-]+)+"
_PAST = r"\b(?:at first|the (?:very )?first|original(?:ly)?|initial(?:ly)?|used to|previous(?:ly)?|formerly|earlier|back then|the old|outdated|before\W*$)|以前|原来|最初|之前|当初|第一|原先"


class Clause(NamedTuple):
    """A part of a sentence between commas.

    `sentence` and `terms` are the terms of its sentence and of itself; `old` those it gives up and `new` those it
    puts in their place. `changes` says that it announces a change at all, `plain` that its words can mean little else, and
    `open` that it only asks, wishes or supposes.
    """

    text: str
    terms: frozenset[str]
    sentence: frozenset[str]
    old: frozenset[str] = _NONE
    new: frozenset[str] = _NONE
    changes: bool = False
    plain: bool = False
    open: bool = False


class Value(NamedTuple):
    """A number, version, path or identifier: itself, its kind, and the terms just before and after it."""

    text: str
    shape: str
    around: frozenset[str]


def clauses(text: str) -> list[Clause]:
    """Every clause of the text, in order."""
    return [clause for sentence in _pattern(_SENTENCE).split(text) if sentence.strip() for clause in _clauses(sentence)]


def terms(text: str) -> frozenset[str]:
    """The words of a text that carry its subject, roughly stemmed; Chinese as pairs of neighbours."""
    return frozenset(_terms(text.casefold()))


def values(text: str) -> list[Value]:
    """The values a clause names, in order."""
    folded = text.casefold()
    return [_value(folded, match) for match in _pattern(_VALUE).finditer(folded)]


def asks_for_past(query: str) -> bool:
    """Whether a question wants to know how it was, not how it is."""
    return _pattern(_PAST).search(query.casefold()) is not None


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII if source == _VALUE else 0)


def _clauses(sentence: str) -> Iterator[Clause]:
    folded = sentence.casefold()
    whole = terms(folded)
    undecided = _pattern(_QUESTION).search(folded) is not None or _pattern(_OPEN).search(folded) is not None
    altogether = _pattern(_ALTOGETHER).search(folded) is not None
    for part in _pattern(_CLAUSE).split(folded):
        if not (part := part.strip()):
            continue
        yield Clause(part, terms(part), whole, open=True) if undecided else _decided(part, whole, altogether)


def _decided(part: str, whole: frozenset[str], altogether: bool) -> Clause:
    """A clause that is said as a fact."""
    if len(part) > LONGEST_CLAUSE:
        return Clause(part, terms(part), whole)
    denied = bool(_matches(_DENIES, part))
    giving = [*([] if denied else _matches(_GIVES_UP, part)), *_matches(_ENDS, part)][:1]
    talking, plain = ([], []) if denied else (_matches(_ANNOUNCES, part), _matches(_ANNOUNCES_PLAINLY, part))
    old, new = _group("old", giving), _group("new", [*giving, *talking, *plain])
    return Clause(part, terms(part), whole, old - new or old, new - old, bool(giving or talking or plain or altogether), bool(plain or altogether))


def _matches(cues: Cues, part: str) -> list[re.Match[str]]:
    return [found for words, source in cues if any(word in part for word in words) and (found := _pattern(source).search(part))]


def _group(name: str, matches: list[re.Match[str]]) -> frozenset[str]:
    return terms(" ".join(found.groupdict().get(name) or "" for found in matches))


def _terms(folded: str) -> Iterator[str]:
    for token in _pattern(_TOKEN).findall(folded):
        if "\u3400" <= token[0] <= "\u9fff":
            for run in _pattern(f"{_TO}|[{_STOP_CHINESE}]").split(token):
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
    elif text.replace(".", "").isdecimal():
        shape = "version"
    else:
        shape = "name"
    return Value(text, shape, frozenset(before + after))
