"""The patterns of English times: which words to look for and which rule of `english` reads them."""

from __future__ import annotations

import re

from strata.temporal import english
from strata.temporal.atoms import Atom, Rule, Said, counted
from strata.temporal.english import COUNT, LONG_WEEKDAY, MONTH, ORDINAL_DAY, ORDINALS, UNIT, WEEKDAY, YEAR


def _fuzzy(match: re.Match[str], said: Said) -> Atom:
    return counted(match, lambda today: None)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WHICH = r"(?P<which>(?:this\s+)?(?:past|coming)|last|previous|this|next)"
_OF = r"(?:,?\s+(?:(?:of|in)\s+)?(?:" + YEAR + r"|(?P<of>(?:last|this|next)\s+year\b)))"
_DAYS = r"(?:" + WEEKDAY + r",?\s+(?:the\s+)?)?"
_SEASONS = ("spring", "summer", "autumn", "fall", "winter")
_WORD_DAY = "|".join(word for word in ORDINALS if ORDINALS[word] > 0)

RULES = (
    Rule(("yesterday", "today", "tonight", "tomorrow", "night", "this m", "this a", "this e", "just now"),
         r"\b(?:the\s+day\s+before\s+yesterday|the\s+day\s+after\s+tomorrow|yesterday|today(?!['’]s)|tonight|tomorrow|last\s+night|the\s+night\s+before\s+last"
         r"|this\s+(?:morning|afternoon|evening)|just\s+now)\b", english._day),
    Rule((" week", " month", " year", " decade"),
         r"(?:\b(?P<within>in|over|during|for|within|throughout)\s+)?\b(?P<the>the\s+)?(?P<which>(?:this\s+)?(?:past|coming)|last|previous|this|next|current|upcoming)"
         r"\s+(?P<unit>weekend|week|month|year|decade)\b(?!\s+(?:of|old|before\s+last)\b)", english._unit),
    Rule(("last ", "this ", "next "), r"\b(?P<which>last|this|next)\s+(?P<unit>weekend|week|month|year|decade)\b(?!\s+of\b)", english._plain_unit),
    Rule(("the month", "the year", "the week"), r"(?<=\bof )the\s+(?P<unit>week|month|year)\b(?!\s+(?:before|of)\b)", english._the_unit),
    Rule(("before",), r"\b(?:the\s+)(?P<unit>day|night|week|weekend|month|year)\s+before\b(?=\s*(?:[.,;:!?)]|that\b|$))(?:\s+that\b)?", english._before_that),
    Rule(("before last", "after next"), rf"\b(?:the\s+)?(?P<unit>weekend|week|month|year|decade|{LONG_WEEKDAY})\s+(?P<way>before\s+last|after\s+next)\b", english._twice_away),
    Rule((" ago", " back"),
         rf"\b(?:(?P<bound>over|more\s+than|at\s+least|less\s+than|under|up\s+to|well\s+over|just\s+(?:over|under))\s+)?(?:(?P<halved>half\s+an?)|(?P<fuzzy>(?:an?\s+)?(?:few|several|many|some|long))|{COUNT})"
         rf"(?P<half>\s+and\s+a\s+half)?\s+(?P<unit>minute|hour|day|night|weekend|week|fortnight|month|year|decade|while|time|{LONG_WEEKDAY}|moment)s?(?:(?P<more>\s+and\s+a\s+half))?"
         r"\s+(?:ago\b|back(?=\s*(?:[.,;!?)]|$)))(?P<today>\s+today\b)?", english._ago),
    Rule(("in ",), rf"\bin\s+(?:about\s+|around\s+|exactly\s+)?{COUNT}\s+(?:more\s+)?{UNIT}s?\b(?P<sure>['’]s?\s+time\b|\s+from\s+(?:now|today)\b)?(?!\s+(?:of|or)\b|['’])", english._ahead),
    Rule((" from now", " from today"), rf"\b{COUNT}\s+{UNIT}s?\s+(?P<sure>from\s+(?:now|today))\b", english._ahead),
    Rule(("last ", "past ", "next ", "coming "),
         rf"\b(?:(?:in|over|during|for|within|throughout)\s+)?(?:the\s+|these\s+)?(?P<which>last|past|next|coming)\s+(?:(?P<fuzzy>few|several|many)|{COUNT})\s+{UNIT}s?\b", english._rolling),
    Rule((" now",), rf"(?:\bfor\s+)?(?:(?:about|around|almost|nearly)\s+)?\b{COUNT}\s+{UNIT}s?\s+now\b", english._going_on),
    Rule(_WEEKDAYS, rf"(?:\b(?P<which>(?:this\s+)?(?:past|coming)|last|previous|this|next)\s+)?\b(?<!-)(?P<weekday>{WEEKDAY})(?!['’-]\w|\s+(?:of|in)\s+(?:{MONTH}(?!\w)|the\s+(?:month|year)|(?:last|this|next)\s+(?:month|year)))", english._weekday),
    Rule((" week",), rf"\b(?:(?P<weekday>{WEEKDAY})\s+(?:of\s+)?(?P<which>last|this|next)\s+week|(?P<lead>last|this|next)\s+week(?:['’]s)?\s+(?:on\s+)?(?P<after>{WEEKDAY}))\b", english._weekday_of_week),
    Rule(_MONTHS, rf"{_DAYS}\b(?<![\d.,/:-]){ORDINAL_DAY}(?:\s*(?:-|–|—|to|through|and)\s*(?P<last>\d{{1,2}})(?:st|nd|rd|th)?\b)?\s*(?:of\s+|-)?(?P<month>{MONTH})\b{_OF}?", english._date),
    Rule(_MONTHS, rf"\bthe\s+(?P<day>{_WORD_DAY})\s+of\s+(?P<month>{MONTH})\b{_OF}?", english._date),
    Rule(_MONTHS, rf"{_DAYS}\b(?P<month>{MONTH})\s*(?:the\s+)?{ORDINAL_DAY}(?:\s*(?:-|–|—|to|through)\s*(?P<last>\d{{1,2}})(?:st|nd|rd|th)?\b)?(?![:.]\d|\s*(?:%|[ap]\.?m\b|people|men|women|children|times|miles|km|steps|of\s+(?:us|them|the)))"
         rf"{_OF}?", english._date),
    Rule(_MONTHS, rf"\b(?:(?P<which>(?:this\s+)?(?:past|coming)|last|this|next)\s+)?(?P<month>{MONTH})(?!\w){_OF}?(?!['’-]\w)", english._month),
    Rule(_MONTHS, rf"\b(?P<of>(?:last|this|next)\s+year)\s+(?:in\s+)?(?P<month>{MONTH})(?!\w)", english._month),
    Rule(_SEASONS, rf"\b{_WHICH}\s+(?P<season>spring|summer|autumn|fall|winter)\b", english._season),
    Rule(_SEASONS, rf"\b(?P<which>)(?P<season>spring|summer|autumn|fall|winter)\b{_OF}", english._season),
    Rule(("christmas", "xmas", "new year", "halloween", "valentine", "boxing"),
         r"(?:\b(?P<which>last|this|next)\s+)?\b(?P<name>(?:christmas|xmas)\s+(?:eve|day)|boxing\s+day|new\s+year['’]s(?:\s+(?:eve|day))?|christmas|xmas|halloween|valentine['’]?s(?:\s+day)?)\b"
         r"(?!['’])(?:\s+(?:of\s+)?(?P<year>(?:19|20)\d\d)\b)?(?!\s+(?:tree|card|gift|present|part|market|carol|song|dinner|cookie|shop|light|movie|music|deco|sweater|spirit|season|break|holiday|vacation|stocking|resolution|costume|film|time))", english._holiday),
    Rule(("0s", "0's", "0’s"), r"\b(?:the\s+['’‘]?(?P<short>[5-9])0|(?:the\s+)?(?P<long>1[5-9]\d|20\d)0)['’]?s\b(?!\s*(?:degrees|°|f\b))", english._decade),
    Rule(("on the ",),
         r"\bon\s+the\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?:\s+of\s+(?P<of>the|this|next|last)\s+month\b|(?=\s*(?:[.,;:!?)]|$)|\s+(?:and|at|after|before|with|for|we|i|he|she|they|but|so|because|in|to|when|while|from|until|by)\b))", english._day_of_month),
    Rule(("recently", "lately", "the other ", "soon", "a while", "some time ago", "these days", "someday", "long ago", "ages ago", "a moment ago"),
         r"\b(?:recently|lately|the\s+other\s+(?:day|night|week|morning|evening)|(?<!as )soon(?!\s+as)|quite\s+a\s+while\s+(?:ago|back)|a\s+while\s+(?:ago|back)|some\s+time\s+ago|these\s+days|someday|(?:long|ages)\s+ago)\b", _fuzzy),
)
