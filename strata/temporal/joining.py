"""Times of one text put together: late May, the week before 9 June, tomorrow at 5pm, from May to July, since March."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import NamedTuple

from strata import moment
from strata.temporal import clock, spans
from strata.temporal.atoms import Atom, Said
from strata.temporal.english import ORDINALS, WEEKDAY, day_of_week, number
from strata.temporal.result import Resolved
from strata.temporal.spans import DAY, Span
from strata.temporal.tense import COMING, PAST, UNSURE, around

_REACH = 60  # characters before a time in which the words that change it stand


class _Piece(NamedTuple):
    """A time with what stands before it (early, the week before) and the clock beside it."""

    atom: Atom
    begin: int
    stop: int
    changes: tuple[Callable[[Span], Span | None], ...]
    minutes: int
    strong: bool


def joined(text: str, atoms: list[Atom], said: Said, whole: bool = False) -> list[Resolved]:
    """What the atoms of a text mean together; `whole` says that the text is nothing but a time, so a bare "May" is one."""
    pieces: list[_Piece] = []
    for index, atom in enumerate(atoms):
        floor = max((other.stop for other in atoms[:index] if other.weak != "weekday"), default=0)
        piece = _piece(text, atom, max(floor, max((other.stop for other in pieces if other.atom.weak != "weekday"), default=0)))
        while pieces and pieces[-1].stop > piece.begin:  # the Friday in "the Friday before 15 July"
            pieces.pop()
        pieces.append(piece)
    results: list[Resolved] = []
    index = 0
    while index < len(pieces):
        one = pieces[index]
        two = pieces[index + 1] if index + 1 < len(pieces) else None
        begin, lead = _lead(text, one, results[-1].stop if results else 0)
        if two is not None and _connected(text, one, two, lead):
            results.append(_range(text, one, two, begin if lead in ("from", "between") else one.begin, said))
            index += 2
            continue
        index += 1
        single = _single(text, one, begin, lead, said, whole, _anchor(results, said))
        if single is not None:
            results.append(single)
    return results


@cache
def _changing() -> re.Pattern[str]:
    """What stands right before a time and changes it."""
    ordinal = "|".join(ORDINALS)
    return re.compile(
        rf"(?:(?P<third>(?:the\s+)?(?:very\s+)?(?:early|mid|late)(?:\s+in|\s+of)?[\s-]+|(?:the\s+)?(?:very\s+)?(?:beginning|start|middle|end)\s+of\s+(?:the\s+)?)"
        rf"|(?:the\s+)?(?P<nth>{ordinal}|\d(?:st|nd|rd|th))\s+(?P<part>weekend|week|day|{WEEKDAY})\s+(?:of|in)\s+(?:the\s+)?"
        rf"|(?:the\s+)?(?P<of>weekend|week)\s+of\s+(?:the\s+)?"
        rf"|(?:the\s+)?(?P<weekday>{WEEKDAY}|day|night|week|weekend|month|year)\s+(?P<side>before|after)\s+"
        rf"|\b(?P<count>\d{{1,3}}|an?|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?P<unit>day|week|weekend|month|year)s?\s+(?P<way>before|after|from)\s+)\Z",
        re.IGNORECASE,
    )


def _piece(text: str, atom: Atom, floor: int) -> _Piece:
    begin, stop, strong, minutes = atom.begin, atom.stop, not atom.weak, atom.clock
    changes: list[Callable[[Span], Span | None]] = []
    part = clock.daypart(text, stop)
    beside = clock.after(text, part, text[begin:part])
    if beside is not None:
        minutes, stop = beside
    else:
        stop = part
        ahead = clock.before(text, begin)
        if ahead is not None and ahead[1] >= floor:
            minutes, begin = ahead
    if stop != atom.stop or begin != atom.begin:
        strong = strong or atom.weak == "weekday"
    while match := _changing().search(text, max(floor, begin - _REACH), begin):
        if match["third"] and atom.weak in ("weekday", "ahead"):
            break
        changes.append(_change(match))
        begin, strong = match.start(), True
    return _Piece(atom, begin, stop, tuple(changes), minutes, strong)


def _change(match: re.Match[str]) -> Callable[[Span], Span | None]:
    if match["third"]:
        words = match["third"].lower()
        which = 1 if "mid" in words else 2 if "late" in words or "end" in words else 0
        return lambda span: spans.third(span, which)
    if match["nth"]:
        said = match["nth"].lower()
        nth, part = ORDINALS.get(said) or int(said[0]), match["part"].lower()
        unit = part if part in ("week", "weekend", "day") else str(day_of_week(part))
        return lambda span: spans.nth(nth, unit, span)
    if match["of"]:
        return lambda span: spans.stepped(match["of"].lower(), 0, span.first)
    unit = (match["weekday"] or match["unit"]).lower()
    count = number(match["count"] or "one") * (-1 if (match["side"] or match["way"]).lower() == "before" else 1)
    return lambda span: _beside(span, unit, count)


def _beside(span: Span, unit: str, count: int) -> Span:
    """So many days, weeks … before or after a stretch: the weekend after a Friday is the next one to begin."""
    if unit == "weekend":
        day = spans.weekday_before(6, span.first) - DAY if count < 0 else spans.weekday_after(5, span.last)
        return spans.of_weekend(day + DAY * (7 * (count + (1 if count < 0 else -1))))
    if unit in ("day", "night", "week", "month", "year"):
        return spans.stepped(unit, count, span.first if count < 0 else span.last)
    return spans.of_day((spans.weekday_before if count < 0 else spans.weekday_after)(day_of_week(unit), span.first if count < 0 else span.last))


@cache
def _leads() -> re.Pattern[str]:
    return re.compile(
        r"(?:\b(?:ever\s+)?(?P<since>since)|\b(?P<until>until|till|'til|up\s+to)|\b(?P<by>(?:due\s+)?by)|\b(?P<before>before)|\b(?P<after>after)|\b(?P<from>from|starting)|\b(?P<between>between)"
        r"|\b(?P<in>in|at|during|of|on|around|circa|about|back\s+in|throughout|for))\s+(?:the\s+)?\Z|(?P<han>直到|截至|截止到?|到)\Z|(?P<zi>自从?|从)\Z|(?P<zai>[在于])\Z|(?P<jian>在)\Z",
        re.IGNORECASE,
    )


@cache
def _trails() -> re.Pattern[str]:
    return re.compile(r"(?P<since>开始|以来|起(?![床来]))|(?P<before>[之以]前|前(?![天年日晚夜面往])|为止)|(?P<after>[之以]后)")


def _lead(text: str, piece: _Piece, floor: int) -> tuple[int, str]:
    """The word before a time that says how it is meant, and where it stands."""
    match = _leads().search(text, max(floor, piece.begin - 16), piece.begin)
    if match is None:
        return piece.begin, ""
    name = {"han": "until", "zi": "from", "zai": "in", "jian": "in"}.get(match.lastgroup or "", match.lastgroup or "")
    return match.start(), name


@cache
def _links() -> re.Pattern[str]:
    return re.compile(r"\s*(?:(?P<plain>to|through|thru|until|till|up\s+to|[-–—~至到])|(?P<and>and|和|与))\s*(?:the\s+)?", re.IGNORECASE)


def _connected(text: str, one: _Piece, two: _Piece, lead: str) -> bool:
    match = _links().fullmatch(text, one.stop, two.begin)
    if match is None or two.begin - one.stop > 12:
        return False
    return lead == "between" or match["plain"] is not None or (match["and"] in ("和", "与") and text[two.stop : two.stop + 2] == "之间")


def _settled(piece: _Piece, today: date | None, tense: int) -> Span | None:
    """The stretch of a piece, None for unknown or outside the calendar."""
    try:
        span = piece.atom.settle(today, tense)
        for change in piece.changes:
            span = change(span) if span is not None else None
        return spans.held(span) if span is not None else None
    except (ValueError, OverflowError):  # before the year 1, after 9998
        return None


def _range(text: str, one: _Piece, two: _Piece, begin: int, said: Said) -> Resolved:
    tense = around(text, one.begin, two.stop) if said.day else UNSURE
    stop = two.stop
    explicit = one.atom.basis == two.atom.basis == "explicit"
    last = _settled(two, said.day, tense)
    first = _settled(one, said.day, tense)
    if two.atom.basis == "explicit" and one.atom.basis != "explicit" and last is not None:
        first = _settled(one, last.first, PAST)
        explicit = True
    elif first is not None and (last is None or last.last <= first.first):
        last = _settled(two, first.last, COMING)
        explicit = one.atom.basis == "explicit"
    if first is None or last is None or last.last < first.first or first.precision[0] == "=" or last.precision[0] == "=":
        return Resolved("", "", "unknown", "unknown", text[begin:stop], begin, stop)
    start, end = spans.written(first.first, first.unit), spans.written(last.last, last.end_unit or last.unit)
    return Resolved(start, end, "range", "explicit" if explicit else "relative", text[begin:stop], begin, stop)


def _anchor(results: list[Resolved], said: Said) -> tuple[date | None, str]:
    """The day from which "the week before" counts, and its basis: that of the time told last, if it is known to the day."""
    if not results:
        return said.day, "relative"
    start, basis = results[-1].start, results[-1].basis
    return (moment.parse(start).opens.date(), basis) if len(start) >= len("2026-05-20") else (None, "relative")


def _single(text: str, piece: _Piece, begin: int, lead: str, said: Said, whole: bool, anchor: tuple[date | None, str]) -> Resolved | None:
    atom, stop = piece.atom, piece.stop
    trail = _trails().match(text, stop)
    if trail and (trail.lastgroup != "since" or lead in ("from", "since") or trail.group() == "以来"):
        lead, stop = trail.lastgroup or "", trail.end()
    opens = lead in ("since", "after") or lead == "from" and trail is not None
    closes = lead in ("until", "by", "before")
    strong = piece.strong or opens or closes or lead == "in" or whole
    if atom.weak == "weekday" and not strong:
        strong = re.match(r"\s*(?:[.,;:!?)]|$)", text[stop : stop + 4]) is not None and not re.search(r"(?i)\b(?:black|good|casual|every|each|most|cyber|ash|palm|easter|all)\s+\Z", text[:begin])
    if atom.weak == "of" and not piece.changes or not strong and atom.weak in ("month", "year", "weekday", "holiday"):
        return None
    if re.search(r"(?i)(?:\b(?:every|each|most|all)\s+|每个?)\Z", text[max(0, piece.begin - 8) : piece.begin]):
        return None
    if atom.weak == "month" and lead == "by" and re.search(r"(?i)\w(?:ed|en|wn)\s+by\s+\Z", text[: piece.begin]):
        return None  # "painted by April"
    if atom.weak == "month" and lead in ("before", "after", "in") and not piece.changes and text[begin : piece.begin].lower().split()[:1] in (["after"], ["of"], ["for"], ["about"], ["around"], ["on"]) and not whole:
        return None
    tense = PAST if lead == "since" else COMING if lead in ("until", "by") else around(text, begin, stop) if said.day else UNSURE
    if atom.weak in ("ahead", "sure") and not whole and (tense == PAST or atom.weak == "sure" and tense != COMING):
        return None
    day = said.day
    if atom.weak == "anchored":
        day, piece = anchor[0], piece._replace(atom=atom._replace(basis=anchor[1]))
    span = _settled(piece, day, tense)
    shown = begin if opens or closes else piece.begin
    if span is None:
        return Resolved("", "", "unknown", "unknown", text[shown:stop], shown, stop)
    return _resolved(span, piece, lead if opens or closes else atom.weak, text, shown, stop, said)


def _resolved(span: Span, piece: _Piece, lead: str, text: str, begin: int, stop: int, said: Said) -> Resolved:
    basis, words = piece.atom.basis, text[begin:stop]
    start, end = span.written()
    if span.precision[0] == "=":  # an instant as written
        return Resolved(span.precision[1:].upper(), "", "instant", basis, words, begin, stop)
    if lead in ("since", "from"):
        return Resolved(start, "", "range", basis, words, begin, stop)
    if lead in ("until", "by"):
        return Resolved("", end or start, "range", basis, words, begin, stop)
    try:
        if lead == "before":
            last = span.last if span.precision == "range" else span.first - DAY
            return Resolved("", spans.written(last, span.end_unit or span.unit), "range", basis, words, begin, stop)
        if lead == "after":
            return Resolved(spans.written(span.last + DAY, span.end_unit or span.unit), "", "range", basis, words, begin, stop)
    except OverflowError:  # before the year 1
        return Resolved("", "", "unknown", "unknown", words, begin, stop)
    if piece.minutes >= 0 and span.precision == "day":
        return Resolved(f"{start}T{piece.minutes // 60:02}:{piece.minutes % 60:02}{said.offset}", "", "instant", basis, words, begin, stop)
    return Resolved(start, end, span.precision, basis, words, begin, stop)
