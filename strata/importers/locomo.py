"""Conversations in the shape of the LoCoMo benchmark: one JSON document, sessions of dated dialogue.

A document is one conversation or a list of them:

    {"sample_id": …, "conversation": {"speaker_a": …, "speaker_b": …,
     "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [{"speaker", "dia_id", "text", …}], …}}

One thread per conversation, named by `sample_id`. Both are people, so the role is `user` and the name
tells them apart. The time is that of the session, to the minute and without a zone, as it is written;
a date that cannot be read is unknown. The caption of a shared image belongs to what was said and
follows the text; the image's address and query are kept as meta.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from strata import moment
from strata.errors import Malformed
from strata.importers import Item, Report
from strata.model import Message, Problem

MAX_BYTES = 512 * 1024 * 1024
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_TIME = r"\s*(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*"


def read(
    stream: BinaryIO,
    *,
    start: int = 0,
    name: str = "",
    thread: str = "",
    final: bool = False,
    report: Report | None = None,
) -> Iterator[Item | Problem]:
    """Every message, session by session in the order of their numbers.

    The document is read whole, so all but the last item end at 0: an interrupted read starts again,
    and one that starts behind the document gives nothing. Raises Malformed if it is no JSON.
    """
    report = Report(end=start) if report is None else report
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Malformed(f"the document is larger than {MAX_BYTES // 1024 // 1024} MB", path=name, remedy="split it into one conversation a file")
    if start and start >= len(data):
        return
    try:
        document = json.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as fault:
        line = fault.lineno if isinstance(fault, json.JSONDecodeError) else None
        raise Malformed(f"not valid JSON: {fault}", path=name, line=line, remedy="give one conversation or a list of them as JSON") from None
    held: Item | None = None
    for number, sample in enumerate(document if isinstance(document, list) else [document], 1):
        for found in _sample(sample, number, thread, name, report):
            if isinstance(found, Problem):
                yield found
                continue
            if held:
                yield held
            report.read += 1
            held = found
    report.end = len(data)
    if held:
        yield held._replace(end=len(data))


def when(text: Any) -> str:
    """`1:56 pm on 8 May, 2023` as `2023-05-08T13:56`; "" if it is no such time."""
    found = re.fullmatch(_TIME, text.lower()) if isinstance(text, str) else None
    if found is None or found[5] not in _MONTHS or not 1 <= int(found[1]) <= 12:
        return ""
    hour = int(found[1]) % 12 + (12 if found[3] == "p" else 0)
    at = f"{found[6]}-{_MONTHS.index(found[5]) + 1:02}-{int(found[4]):02}T{hour:02}:{found[2]}"
    return at if moment.is_valid(at) else ""


def _sample(sample: Any, number: int, thread: str, name: str, report: Report) -> Iterator[Item | Problem]:
    talk = sample.get("conversation") if isinstance(sample, dict) else None
    if not isinstance(talk, dict):
        yield report.problem(name, None, f"conversation {number} has no `conversation` object")
        return
    sample_id = sample.get("sample_id")
    if isinstance(sample_id, int) and not isinstance(sample_id, bool):
        sample_id = str(sample_id)
    place = sample_id if isinstance(sample_id, str) and sample_id else f"{Path(name).stem or thread or 'locomo'}-{number}"
    numbers = sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_[0-9]{1,6}", key))
    for key in talk:
        dated = re.fullmatch(r"session_([0-9]{1,6})_date_time", key)
        if dated and int(dated[1]) not in numbers:
            report.skip("date without a session")
    for session in numbers:
        turns = talk[f"session_{session}"]
        at = when(talk.get(f"session_{session}_date_time"))
        if not isinstance(turns, list):
            yield report.problem(name, None, f"{place}: session_{session} is no list")
            continue
        for position, turn in enumerate(turns, 1):
            message = _message(turn, at)
            if isinstance(message, str):
                yield report.problem(name, None, f"{place}: turn {position} of session_{session} {message}")
            else:
                yield Item(place, message, 0)


def _message(turn: Any, at: str) -> Message | str:
    """The message of a turn, or what is wrong with it."""
    if not isinstance(turn, dict):
        return "is no object"
    id, speaker, text, caption = (turn.get(key, "") for key in ("dia_id", "speaker", "text", "blip_caption"))
    for key, value in (("dia_id", id), ("speaker", speaker), ("text", text), ("blip_caption", caption)):
        if not isinstance(value, str):
            return f"has a {key} that is no text"
    if not id:
        return "has no dia_id"
    if not text and not caption:
        return "has no text"
    shown = "\n".join(part for part in (text, f"[image: {caption}]" if caption else "") if part)
    meta = {key: turn[key] for key in ("img_url", "query") if key in turn}
    return Message(id, "user", shown, speaker, at, (), meta)
