"""When a question asks for a time, and when a text says one: words of English and Chinese."""

from __future__ import annotations

import re
from functools import cache

_NAMES = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")


def day_words(at: str) -> str:
    """The words in which a question may name the day of a time: `2 2nd May 2023 5月2日 5月2号`; "" where no day is known."""
    year, _, rest = at[:10].partition("-")
    month, _, day = rest.partition("-")
    if not (len(year) == 4 and month.isdecimal() and day.isdecimal() and 1 <= int(month) <= len(_NAMES)):
        return ""
    number = int(day)
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number} {number}{ending} {_NAMES[int(month) - 1]} {year} {int(month)}月{number}日 {int(month)}月{number}号"


@cache
def asks_when() -> re.Pattern[str]:
    """A question for a time."""
    return re.compile(r"\b(?:when|(?:what|which|on what|in what)\s+(?:date|day|month|year|week|time)|how long ago|since when)\b|什么时候|什么时间|何时|几号|几月|几点|几时|哪天|哪一天|哪年|哪一年|哪个月|日期", re.IGNORECASE)


_WEEK = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"


@cache
def absolute() -> re.Pattern[str]:
    """A time of day, a weekday that returns, a day, a month or a year, that stands by itself."""
    return re.compile(
        rf"\b(?:19|20)\d\d\b|\b(?:{_MONTHS})\.?\s+\d{{1,2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTHS})\b|\bin\s+(?:{_MONTHS})\b"
        rf"|(?<![\d/])\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?(?![\d/])|(?<![\d:])\d{{1,2}}:[0-5]\d(?!\d)|\b\d{{1,2}}\s*[ap]\.?m\b|o['’]clock|\b(?:noon|midnight)\b"
        rf"|\b(?:{_WEEK})s\b|\b(?:every|each)\s+(?:{_WEEK})\b"
        r"|\d{1,2}\s*月|[一二三四五六七八九十]+月|\d+\s*[日号]|[一二三四五六七八九十]+[日号]|[〇零一二三四五六七八九]{4}年|每(?:周|星期|礼拜)[一二三四五六日天末]"
        r"|\d{1,2}\s*[点时]|(?:午|早上|晚上|凌晨)[一二三四五六七八九十两]+点|[二三四五六七八九十两]+点(?:半|整|钟)",
        re.IGNORECASE,
    )


@cache
def relative() -> re.Pattern[str]:
    """A word that means a time only beside the time at which it was said."""
    return re.compile(
        r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|past|previous|coming)\s+(?:\w+\s+)?(?:night|week|weekend|month|year|summer|winter|spring|fall|autumn|morning|evening|\w+day|few)"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|just|recently|lately|since|for\s+(?:\w+\s+)?(?:days|weeks|months|years)|now|the other day|this\s+\w+)\b"
        r"|昨|今|明天|明年|前天|后天|去年|前年|上周|上个|下周|下个|本周|这周|周[一二三四五六日天末]|星期|礼拜|[天日周月年时][以之]?前|最近|刚|现在|以前|天前|年前|月前|早上|晚上",
        re.IGNORECASE,
    )
