"""A question as plain text, for those who take no schema; and what somebody said about a failure, short and without secrets."""

from __future__ import annotations

import json
import re

from strata.asking import Question
from strata.redact import redact

REASON = 300  # characters of a program's or a server's own words that a failure repeats


def spelled(question: Question) -> str:
    """The prompt, and below it the JSON Schema of the answer."""
    schema = json.dumps(question.schema, ensure_ascii=False, separators=(",", ":"))
    return f"{question.prompt.rstrip()}\n\nAnswer with one JSON value and nothing else. It has to fit this JSON Schema:\n{schema}\n"


def reason(said: str, *secrets: str) -> str:
    """What was said on one line, shortened; `secrets`, and whatever else looks like one, are taken out before."""
    for secret in filter(None, secrets):
        escaped = "".join(r"\\+" if sign == "\\" else rf"\\*{re.escape(sign)}" for sign in secret)  # as it is, or as JSON or a log spells it
        said = re.sub(escaped, "[key]", said)
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in redact(said)[0]).split())
    return line if len(line) <= REASON else f"{line[: REASON - 1]}…"
