"""Single times in Chinese: 前天, 上上周, 下周三, 三天前, 明年三月, 去年夏天, 五月二号, 2023年5月, 月底."""

from __future__ import annotations

import re
from datetime import date

from strata.temporal import spans
from strata.temporal.atoms import Atom, Rule, Said, counted, day_of_month, fixed, weekday, yearly
from strata.temporal.spans import DAY, Span

_DIGITS = {digit: number for number, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_DAYS_AWAY = {"大前": -3, "前": -2, "昨": -1, "今": 0, "当": 0, "明": 1, "后": 2, "大后": 3}
_YEARS_AWAY = {"大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "个月": "month", "月": "month", "年": "year"}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_THIRDS = {"初": 0, "上旬": 0, "中": 1, "中旬": 1, "底": 2, "末": 2, "下旬": 2, "年初": 0, "年中": 1, "年底": 2, "年末": 2}
_NUM = r"(?:\d{1,3}|[一二三四五六七八九十两]{1,3})"
_WEEK = r"(?:周|星期|礼拜)"


def number(text: str) -> int:
    """A count below a thousand: 3, 两, 十二, 二十八."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)


def _year_of(text: str) -> int:
    return int("".join(char if char.isdigit() and char.isascii() else str(_DIGITS[char]) for char in text))


def _steps(words: str) -> int:
    """How many units 上上, 上, 这, 下 and 下下 lie away."""
    return words.count("下") - words.count("上")


def _day(match: re.Match[str], said: Said) -> Atom:
    return counted(match, lambda today: spans.of_day(today + DAY * _DAYS_AWAY[match["which"]]))


def _just_now(match: re.Match[str], said: Said) -> Atom:
    return counted(match, spans.of_day)


def _week(match: re.Match[str], said: Said) -> Atom:
    weeks, day = _steps(match["which"]), match["day"]
    if not day:
        return counted(match, lambda today: spans.stepped("week", weeks, today))
    if day == "末":
        return counted(match, lambda today: spans.stepped("weekend", weeks, today))
    number = min("一二三四五六日天".index(day), 6)
    return counted(match, lambda today: spans.of_day(today + DAY * (7 * weeks + number - today.weekday())))


def _weekday(match: re.Match[str], said: Said) -> Atom:
    return weekday(match, min("一二三四五六日天".index(match["day"]), 6), this_week=True)


def _month(match: re.Match[str], said: Said) -> Atom:
    months, day, part = _steps(match["which"]), match["day"], match["part"]

    def count(today: date) -> Span | None:
        span = spans.stepped("month", months, today)
        return _within(span, day, part)

    return counted(match, count)


def _within(span: Span, day: str | None, part: str | None) -> Span | None:
    """A day or a third of a month; None for a day it does not have."""
    if part:
        return spans.third(span, _THIRDS[part])
    if not day:
        return span
    wanted = number(day)
    return spans.of_day(span.first.replace(day=wanted)) if 1 <= wanted <= span.last.day else None


def _ago(match: re.Match[str], said: Said) -> Atom:
    count, unit, half = match["count"], match["unit"], match["half"]
    sign = -1 if match["way"] == "前" else 1
    if match["fuzzy"]:
        return counted(match, lambda today: None)
    if unit in ("小时", "分钟", "个小时"):
        minutes = number(count) * (1 if unit == "分钟" else 60) if count != "半" else 30
        return counted(match, lambda today: spans.of_day(today + DAY * ((said.minutes + sign * minutes) // 1440)) if said.minutes >= 0 else None)
    name = _UNITS[unit.removeprefix("个") if unit not in _UNITS else unit]
    if count == "半":
        return counted(match, lambda today: spans.stepped("month", 6 * sign, today) if name == "year" else None)
    if half:
        return counted(match, lambda today: spans.stepped("month", (12 * number(count) + 6) * sign, today) if name == "year" else None)
    return counted(match, lambda today: spans.stepped(name, number(count) * sign, today))


def _date(match: re.Match[str], said: Said) -> Atom | None:
    """明年三月, 2023年5月2日, 五月初, 去年夏天, 年底: a year that is written, said or nearest, and what of it."""
    parts = match.groupdict()
    month, day, part, season = parts["month"], parts["day"], parts["part"], parts["season"]
    if month and not 1 <= number(month) <= 12:
        return None
    end = parts["end"]
    if not (parts["year"] or parts["which"] or month):
        return None

    def in_year(year: int) -> Span | None:
        if month:
            return _within(spans.of_month(year, number(month)), day, part)
        if season:
            return spans.of_season(year, _SEASONS[season])
        return spans.third(spans.of_year(year), _THIRDS[end]) if end else spans.of_year(year)

    if parts["year"]:
        year = _year_of(parts["year"])
        return fixed(match, in_year(year) if 1 <= year < 9999 else None)
    if parts["which"]:
        return counted(match, lambda today: in_year(today.year + _YEARS_AWAY[parts["which"]]))
    return yearly(match, in_year)


def _part_of_month(match: re.Match[str], said: Said) -> Atom:
    which = match["which"]
    if which.startswith("年"):
        return counted(match, lambda today: spans.third(spans.of_year(today.year), _THIRDS[which]))
    return counted(match, lambda today: spans.third(spans.stepped("month", 0, today), _THIRDS[which[1:]]))


def _day_number(match: re.Match[str], said: Said) -> Atom | None:
    day = number(match["day"])
    return day_of_month(match, day) if 1 <= day <= 31 else None


def _decade(match: re.Match[str], said: Said) -> Atom:
    tens = number(match["tens"]) if match["tens"].isdigit() else _DIGITS[match["tens"][0]] * 10
    if len(match["tens"]) == 4:
        return fixed(match, spans.of_decade(int(match["tens"])))
    return fixed(match, spans.of_decade(1900 + tens) if tens >= 50 or match["century"] else None)


def _holiday(match: re.Match[str], said: Said) -> Atom:
    which = {"圣诞": (12, 25), "圣诞节": (12, 25), "平安夜": (12, 24), "元旦": (1, 1), "情人节": (2, 14), "国庆节": (10, 1), "国庆": (10, 1), "劳动节": (5, 1)}[match["name"]]

    def in_year(year: int) -> Span:
        return spans.of_day(date(year, *which))

    said_year = match["which"]
    return counted(match, lambda today: in_year(today.year + _YEARS_AWAY[said_year])) if said_year else yearly(match, in_year)


def _fuzzy(match: re.Match[str], said: Said) -> Atom:
    return counted(match, lambda today: None)


_END = r"(?P<part>初|底|末|上旬|中旬|下旬|中(?![国学文间心午]))"
_YEARS = "大前年|前年|去年|今年|本年|明年|后年"

RULES = (
    Rule(("天", "日", "晚", "早", "夜"), r"(?P<which>大前|大后|(?<!目)(?<!之)(?<!以)(?<!当)前|昨|今|明|(?<!之)(?<!以)(?<!然)(?<!最)后)(?:天(?!气|空|然|下(?!午))|晚(?!会)|早|夜|日(?!本|报))(?:早上|上午|中午|下午|晚上|夜里|晚)?", _day),
    Rule(("刚刚", "刚才"), "刚刚|刚才", _just_now),
    Rule(("周", "星期", "礼拜"), rf"(?P<which>上上|下下|上|下|这|本)一?个?{_WEEK}(?P<day>[一二三四五六日天末])?", _week),
    Rule(("周", "星期", "礼拜"), rf"(?<![每上下这本个\d一二三四五六七八九十两]){_WEEK}(?P<day>[一二三四五六日天])(?![年岁月])", _weekday),
    Rule(("月",), rf"(?P<which>上上|下下|上|下|这|本)一?个?月(?!经)(?:(?P<day>{_NUM})[日号]|{_END})?", _month),
    Rule(("前", "后"), rf"(?:(?P<fuzzy>好几|几|十几|好多|多少|若干|数)|(?P<count>{_NUM}|半))(?P<unit>天|日|周|个?星期|个?礼拜|个?月|年|个?小时|分钟)(?P<half>半)?(?:多)?[之以]?(?P<way>前|后)", _ago),
    Rule(("年", "月"), rf"(?:(?P<year>(?:1[5-9]|20)\d\d|[一二][〇零一二三四五六七八九]{{3}})\s*年(?!代|级|轻)(?:的)?|(?P<which>{_YEARS})(?:的)?)?\s*"
         rf"(?:(?<![\d一二三四五六七八九十两个几])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s*月(?:份)?(?:\s*(?P<day>{_NUM})\s*[日号]|{_END})?|(?P<season>[春夏秋冬])[天季]|(?P<end>年初|年中|年底|年末|初|底|末))?(?<!^)(?<=[年月日号初底末旬中天季份])", _date),
    Rule(("月底", "月初", "月末", "月中", "年底", "年初", "年末"), r"(?<![\d一二三四五六七八九十两个份今去明后前本上下这])(?P<which>月初|月底|月末|月中旬?|年底|年末|年初)", _part_of_month),
    Rule(("号",), r"(?<![\d月一二三四五六七八九十第])(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})号(?![码线楼店院门机])", _day_number),
    Rule(("年代",), r"(?P<century>上世纪|二十世纪|20世纪)?(?P<tens>(?:19|20)\d0|[1-9]0|[二三四五六七八九]十)年代", _decade),
    Rule(("圣诞", "平安夜", "元旦", "情人节", "国庆", "劳动节"), rf"(?:(?P<which>{_YEARS})(?:的)?)?(?P<name>圣诞节|圣诞(?!老人|树|礼物|卡)|平安夜|元旦|情人节|国庆节?|劳动节)", _holiday),
    Rule(("最近", "近来", "前几", "前些", "前阵", "改天", "不久", "很久以前", "过几天", "这几天", "这阵", "有一天", "总有一天"),
         "最近|近来|前几[天年周]|前些[天日年时]子?|前阵子|改天|不久(?:之?前|以后|之后|后)?|很久以前|过几天|这几天|这阵子", _fuzzy),
)
