"""The protocol of chat completions: a question as a request, and what a server sent as a reply or as the reason why there is none."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from strata.asking import Question, Reply
from strata.errors import ModelFailed
from strata.providers.wording import reason, spelled

WAYS = ("json_schema", "json_object", "plain")
"""How a server is asked for JSON, from the strictest on; each of them is tried when a server does not know the one before."""
_DAY = 86_400.0  # no server may keep us waiting for longer
_ABOUT_FORMAT = re.compile(r"response_format|json_?schema|json_?object|schema|grammar|structured|guided", re.IGNORECASE)
_MOST_TOKENS = 1 << 53


class Asked(NamedTuple):
    """Who was asked, and with which key ("" for none), for the words of a failure."""

    url: str
    model: str
    variable: str
    key: str


def request(question: Question, model: str, way: int) -> dict[str, Any]:
    """The request as the SDK takes it. Where the server is not given the schema, the prompt says it."""
    if WAYS[way] == "json_schema":
        schema = dict(question.schema)
        form: dict[str, Any] = {"type": "json_schema", "json_schema": {"name": question.kind, "schema": schema, "strict": is_strict(schema)}}
        return {"model": model, "messages": [{"role": "user", "content": question.prompt}], "response_format": form}
    asked = {"model": model, "messages": [{"role": "user", "content": spelled(question)}]}
    return {**asked, "response_format": {"type": "json_object"}} if WAYS[way] == "json_object" else asked


def is_strict(schema: Any) -> bool:
    """Whether every object of a schema closes its properties and requires all of them, without which OpenAI takes no strict schema."""
    if isinstance(schema, Mapping):
        if schema.get("type") == "object" or "properties" in schema:
            if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(schema.get("properties", {})):
                return False
        return all(map(is_strict, schema.values()))
    return all(map(is_strict, schema)) if isinstance(schema, list | tuple) else True


def is_about_format(body: bytes) -> bool:
    """Whether a refusal has to do with the form of the answer that was asked for, or does not say what with."""
    said = _said(body)
    return not said.strip() or bool(_ABOUT_FORMAT.search(said))


def read(status: int, headers: Mapping[str, str], body: bytes, asked: Asked) -> Reply:
    """The reply in what a server sent; raises ModelFailed where there is none that can be used."""
    if status != 200:
        _refuse(status, headers, body, asked)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise ModelFailed(f"{asked.url} answered what is no JSON: {_words(body, asked)}", remedy="see whether openai_base_url is the address of the API; for most servers it ends in /v1") from None
    if isinstance(value, dict) and value.get("error") and not value.get("choices"):  # some routers report a failure like this
        code = value["error"].get("code") if isinstance(value["error"], dict) else None
        _refuse(code if isinstance(code, int) and 400 <= code < 600 else 502, headers, body, asked)
    choice = _first(value.get("choices")) if isinstance(value, dict) else None
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        raise ModelFailed(f"{asked.url} answered JSON that is no chat completion", remedy="see whether openai_base_url is the address of an API like OpenAI's")
    text = message.get("content")
    reply = Reply(text if isinstance(text, str) else "", asked.model, *_usage(value.get("usage")))
    if asked.key and asked.key in reply.text:
        raise ModelFailed(f"the answer of {asked.model} repeats the key", again=False, reply=reply._replace(text=""), remedy=f"do not trust {asked.url}; replace the key")
    ended = choice.get("finish_reason")
    if ended == "length":
        raise ModelFailed(f"the answer of {asked.model} is cut off: it reached its limit of tokens", reply=reply, remedy="let the server allow longer answers, or take a model with a longer context")
    if ended == "content_filter" or (message.get("refusal") and not reply.text):
        raise ModelFailed(f"{asked.model} declined to answer", again=False, reply=reply, remedy="take another model, or answer the job by hand: strata jobs next")
    if not reply.text.strip():
        raise ModelFailed(f"the answer of {asked.model} is empty", reply=reply)
    return reply


def retry_after(headers: Mapping[str, str]) -> float:
    """How many seconds a server wants to be left alone: 0.0 where it does not say, a day at most (RFC 9110, 10.2.3)."""
    said = headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        seconds = _until(said) if said else 0.0
    return min(seconds, _DAY) if math.isfinite(seconds) and seconds > 0 else 0.0


def _until(date: str) -> float:
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        then = parsedate_to_datetime(date)
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _refuse(status: int, headers: Mapping[str, str], body: bytes, asked: Asked) -> NoReturn:
    """Raise what a status means: whether to come again, when, and what to do about it."""
    said = _words(body, asked)
    message = f"{asked.url} answered {status}: {said}" if said else f"{asked.url} answered {status}"
    if status in (401, 403):
        held = f"see the key in {asked.variable}, and what it may be used for" if asked.key else f"set a key: environment variable {asked.variable}"
        raise ModelFailed(message, again=False, remedy=held)
    if status == 404:
        raise ModelFailed(message, again=False, remedy=f"see whether openai_base_url is right (for most servers it ends in /v1), and whether {asked.model} is there")
    if status == 429 and "insufficient_quota" in said + _code(body):
        raise ModelFailed(message, again=False, remedy="the account has no credit left")
    if 300 <= status < 400:
        raise ModelFailed(message, again=False, remedy="redirects are not followed; set openai_base_url to where it leads, if you trust that")
    if status in (408, 409, 425, 429) or status >= 500:
        raise ModelFailed(message, after=retry_after(headers), remedy="it is asked again later")
    raise ModelFailed(message, again=False, remedy="the server does not take the question: see openai_model, and how long a context it has")


def _words(body: bytes, asked: Asked) -> str:
    return reason(_said(body), asked.key)


def _said(body: bytes) -> str:
    """The message of an error as servers word it, or the whole body where it has another form."""
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    error = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(error, dict):
        error = next((error[name] for name in ("message", "detail", "error") if error.get(name)), error)
    return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)


def _code(body: bytes) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    error = value.get("error") if isinstance(value, dict) else None
    return f"{error.get('code')} {error.get('type')}" if isinstance(error, dict) else ""


def _first(choices: Any) -> dict[str, Any] | None:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None


def _usage(usage: Any) -> tuple[int | None, int | None]:
    """Tokens read and written, where the server counted them."""
    if not isinstance(usage, dict):
        return None, None
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS else None
