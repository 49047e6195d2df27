"""How often the time of a cited message, resolved, agrees with the answer to a temporal question; and how long `times` takes.

Run as `python tests/bench/temporal.py DATA.json [--ids]`: DATA is a list of conversations with sessions and questions in
the form of LoCoMo (category 2 asks for a time). A day agrees with a day, a week or weekend with one that overlaps it, a
month and a year with what lies within them. The answer is read here, by rules of its own, so that nothing measures itself.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from strata import moment
from strata.temporal import Resolved, times

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY = timedelta(days=1)
SAME_DAY = re.compile(r"\b(?:today|tonight|just|now|currently)\b", re.IGNORECASE)
Finder = Callable[[str, str], list[Resolved]]


class Gold(NamedTuple):
    """The stretch an answer means and how long a resolved one may be to be as precise."""

    first: date
    last: date
    longest: int


def gold(answer: str) -> Gold | None:
    """The answer as a stretch, None for one that names no time of the calendar (a duration, a place, "yes")."""
    text = re.sub(r"(\d)([A-Za-z])", r"\1 \2", re.sub(r"(?i)(\d)(?:st|nd|rd|th)\b", r"\1", answer)).lower().replace(",", " ").replace("janury", "january").replace(".", " ")
    months = "|".join(MONTHS)
    day = re.search(rf"(?:(\d\d?)\s+({months})[a-z]*|({months})[a-z]*\s+(\d\d?)(?!\d))\s+((?:19|20)\d\d)", text)
    if day:
        base = _date(day[5], day[2] or day[3], day[1] or day[4])
        return _beside(text, base) if base else None
    if month := re.search(rf"\b({months})[a-z]*\s+((?:19|20)\d\d)", text):
        first = date(int(month[2]), MONTHS.index(month[1]) + 1, 1)
        last = (first + DAY * 31).replace(day=1) - DAY
        if part := re.search(r"\b(first|last|early|late|second)\b(?:\s+(week|weekend))?", text):
            third = {"first": 0, "early": 0, "second": 1, "last": 2, "late": 2}[part[1]]
            return Gold(first + DAY * (7 * third), first + DAY * (10 * third + 9), 10) if third < 2 else Gold(last - DAY * 9, last, 10)
        return Gold(first, last, 31)
    if season := re.search(r"(spring|summer|autumn|fall|winter)\D*((?:19|20)\d\d)", text):
        opens = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[season[1]]
        first = date(int(season[2]), opens, 1)
        return Gold(first, first + DAY * 92, 93)
    if year := re.fullmatch(r"\D*((?:19|20)\d\d)\D*", text):
        return Gold(date(int(year[1]), 1, 1), date(int(year[1]), 12, 31), 366)
    return None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), MONTHS.index(month) + 1, int(day))
    except ValueError:
        return None


def _beside(text: str, day: date) -> Gold:
    """A stretch named by its place before or after a day, or the day."""
    count = 2 if re.search(r"\btwo\b", text) else 1
    if re.search(r"\bweekends?\s+(?:before|after|of)\b", text):
        if " before " in text:
            saturday = day - DAY * ((day.weekday() - 6) % 7 or 7) - DAY * (7 * count - 6)
        else:
            saturday = day + DAY * ((5 - day.weekday()) % 7)
        return Gold(saturday, saturday + DAY, 3)
    if re.search(r"\bweeks?\s+(?:before|of)\b", text):
        monday = day - DAY * (day.weekday() + (7 * count if "before" in text else 0))
        return Gold(monday, monday + DAY * 6, 7)
    if weekday := re.search(r"\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*\s+(before|after)\b", text):
        step = -DAY if weekday[2] == "before" else DAY
        while (day := day + step).weekday() != WEEKDAYS.index(weekday[1]):
            pass
    return Gold(day, day, 1)


def agrees(found: Resolved, wanted: Gold) -> bool:
    """Whether a time lies within the answer, or (a week, a season) is about as long and overlaps by more than half."""
    if found.basis == "unknown" or not (found.start or found.end):
        return False
    first = moment.parse(found.start or found.end)
    last = moment.parse(found.end or found.start)
    begin, end = first.opens.date(), (last.closes - timedelta(microseconds=1)).date()
    days, shared = (end - begin).days + 1, (min(end, wanted.last) - max(begin, wanted.first)).days + 1
    return days <= wanted.longest and shared * 2 > days


def as_coarse(found: Resolved, wanted: Gold) -> bool:
    """Whether a time that agrees claims no more than the answer knows: a day is too fine for a week, a month for a year."""
    first, last = moment.parse(found.start or found.end), moment.parse(found.end or found.start)
    return (last.closes - first.opens).days * 2 > wanted.longest or wanted.longest < 4


def said(text: str) -> str:
    """`1:56 pm on 8 May, 2023` as a text of `strata.moment`."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").strftime("%Y-%m-%dT%H:%M")


def measure(conversations: list[dict], find: Finder = times) -> dict[str, list[str]]:
    """The ids of the temporal questions, by what came of each."""
    outcome: dict[str, list[str]] = {name: [] for name in ("agrees", "agrees, too fine", "day of the message", "other time", "no time found", "not a date", "no evidence")}
    for conversation in conversations:
        body = conversation["conversation"]
        messages = {m["dia_id"]: (m["text"], said(body[f"{name}_date_time"])) for name, session in body.items() if isinstance(session, list) for m in session}
        for index, question in enumerate(conversation["qa"]):
            if question["category"] != 2:
                continue
            ident, wanted = f"{conversation['sample_id']}/{index}", gold(str(question.get("answer", "")))
            cited = [messages[ident] for ident in question["evidence"] if ident in messages]
            if wanted is None:
                outcome["not a date"].append(ident)
            elif not cited:
                outcome["no evidence"].append(ident)
            else:
                outcome[_outcome(cited, wanted, find)].append(ident)
    return outcome


def _outcome(cited: list[tuple[str, str]], wanted: Gold, find: Finder) -> str:
    found = [each for text, at in cited for each in find(text, at)]
    good = [each for each in found if agrees(each, wanted)]
    if good:
        return "agrees" if any(as_coarse(each, wanted) for each in good) else "agrees, too fine"
    for text, at in cited:
        day = moment.parse(at).opens.date()
        if wanted.first <= day <= wanted.last and (SAME_DAY.search(text) or not any(each.basis != "unknown" for each in find(text, at))):
            return "day of the message"
    return "other time" if found else "no time found"


def speed(conversations: list[dict]) -> tuple[int, float, float]:
    """Of messages near 200 characters without a time: how many, and the median and 95th percentile of `times` in µs."""
    texts = [m["text"] for c in conversations for session in c["conversation"].values() if isinstance(session, list) for m in session]
    taken = []
    for text in texts:
        if 150 <= len(text) <= 250 and not times(text, "2026-05-20"):
            begin = time.perf_counter()
            times(text, "2026-05-20")
            taken.append((time.perf_counter() - begin) * 1e6)
    return len(taken), statistics.median(taken), sorted(taken)[int(len(taken) * 0.95)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--ids", action="store_true", help="the ids of what did not agree")
    parser.add_argument("--not-held", nargs="*", default=(), metavar="ID", help="questions whose evidence, read by hand, does not hold the answer")
    options = parser.parse_args()
    conversations = json.loads(options.data.read_text("utf-8"))
    outcome = measure(conversations)
    for name, ids in outcome.items():
        print(f"{name:20} {len(ids):4}", *(ids if options.ids and not name.startswith("agrees") else ()))
    asked = sum(map(len, outcome.values()))
    dated = asked - len(outcome["not a date"]) - len(outcome["no evidence"])
    good, own = len(outcome["agrees"]) + len(outcome["agrees, too fine"]), len(outcome["day of the message"])
    held = dated - len(set(options.not_held))
    print(f"by an expression {good}/{dated} = {good / dated:.1%}, with the message's own day {good + own}/{dated} = {(good + own) / dated:.1%} of the dated answers, {(good + own) / asked:.1%} of all {asked}")
    if options.not_held:
        print(f"whose evidence holds the answer: {good + own}/{held} = {(good + own) / held:.1%}; where words say it, without the message's own day: {good}/{held - own} = {good / (held - own):.1%}")
    print("a message without a time: {} of 150-250 characters, median {:.1f} µs, 95% {:.1f} µs".format(*speed(conversations)))


if __name__ == "__main__":
    main()
