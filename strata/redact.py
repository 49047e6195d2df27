"""Secrets in a text, found by shapes that hardly anything else has, and replaced by a marker.

`[redacted:github:1f3a9c02]` names the kind and, for keys that a machine made, the first 8 hex digits of
their SHA-256, so that equal secrets can be recognised as equal. What people choose or what may be short
(passwords, assigned values, bearer headers) gets no hash, `[redacted:password]`: 32 bits of an unkeyed
hash are enough to confirm a guess. `<private>…</private>` is dropped whole and leaves `[private]`.

Three layers, in this order: keys that carry a vendor's prefix, judged by prefix, length and alphabet
alone; secrets at a telling place (connection strings, authorization headers, azure fields); and values
assigned to a name like `password` or `API_TOKEN`, which must also look random. Prefixes and lengths
follow what vendors document and scanners such as gitleaks, detect-secrets and trufflehog look for.

Left alone: git hashes, UUIDs, certificates and public keys, publishable keys (`pk_live_`), and
placeholders: anything with `EXAMPLE` or `your-…` in it, a run of x, dots or stars, `<token>`, `$TOKEN`,
`${TOKEN}`, `{token}`, `%s`, and the words in `PLACEHOLDERS`; in a connection string also a password
that equals the user name. A password in a sentence ("my password is …") and a secret cut in two by
message parts are not found.

Redacting twice changes nothing more: markers match no pattern, and square brackets count as part of a
word at the edges of a key. Time grows linearly with the text: each pattern begins with a literal (or
runs only when its literal is there), repeats are bounded or cannot overlap, and nothing is retried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from strata import secret_shapes as shapes
from strata.model import Message, ToolCall


class Found(NamedTuple):
    """How many secrets of one kind were found; never the secret itself."""

    kind: str
    count: int


def redact(text: str) -> tuple[str, tuple[Found, ...]]:
    """The text without its secrets, and what was found, by kind."""
    counts: dict[str, int] = {}
    text = _without_private(text, counts)
    text = _placed(shapes.BLOCKS, text, counts)
    for kind, prefix, rest in shapes.KEYS:
        if prefix in text:
            text = _hashed(_key_pattern(prefix, rest), kind, text, counts)
    text = _placed(shapes.PLACES, text, counts)
    if "://" in text:
        text = _compiled(shapes.CONNECTION).sub(lambda match: _connection(match, counts), text)
    if any(form in text for form in shapes.HEADER_WORDS):
        text = _compiled(shapes.HEADER).sub(lambda match: _header(match, counts), text)
    lowered = text.lower()
    if any(stem in lowered for stem in shapes.STEMS):
        for pattern in (shapes.ASSIGNED, shapes.FLAG):
            text = _compiled(pattern).sub(lambda match: _assigned(match, counts), text)
    return text, _tally(counts)


def redact_value(value: Any) -> tuple[Any, tuple[Found, ...]]:
    """A JSON value without its secrets, whatever its depth; the value itself when there are none.

    Keys are redacted as texts. A string under a key that ends in `password`, `secret`, `token`,
    `api_key` and the like goes as well, unless it is a placeholder (or, but for passwords, a plain word).
    """
    counts: dict[str, int] = {}
    root: list[Any] = [value]
    todo: list[tuple[Any, Any, str]] = [(root, 0, "")]  # container, place in it, name of the value
    while todo:
        container, place, name = todo.pop()
        held = container[place]
        if isinstance(held, str):
            container[place] = _named(name, held, counts)
        elif isinstance(held, dict):
            container[place] = fresh = _clean_keys(held, counts)
            todo.extend((fresh, key, key if isinstance(key, str) else "") for key in reversed(fresh))
        elif isinstance(held, list | tuple):
            container[place] = fresh = list(held)
            todo.extend((fresh, index, name) for index in reversed(range(len(fresh))))
    return (root[0] if counts else value), _tally(counts)


def redact_message(message: Message) -> tuple[Message, tuple[Found, ...]]:
    """A message without secrets in text, speaker, tool calls and meta; its id and time stay as they are."""
    text, found = redact(message.text)
    speaker, in_speaker = redact(message.speaker)
    meta, in_meta = redact_value(message.meta)
    counts = _joined((found, in_speaker, in_meta))
    tools: list[ToolCall] = []
    for call in message.tools:
        (name, *values), in_call = redact_value([call.name, call.arguments, call.result])
        tools.append(ToolCall(name, *values) if in_call else call)
        counts = _joined((_tally(counts), in_call))
    if not counts:
        return message, ()
    return message._replace(text=text, speaker=speaker, tools=tuple(tools), meta=meta), _tally(counts)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _key_pattern(prefix: str, rest: str) -> re.Pattern[str]:
    """Literal first, its left edge looked at afterwards: a search for a literal is ten times as fast."""
    literal = re.escape(prefix)
    joint = "_" if len(prefix) < 4 else ""  # `my_ghp_…` holds a key, `my_sk-…` may be a name
    edges = [rf"(?<![A-Za-z0-9{joint}\]]{literal})", *(f"(?<={edge}{literal})" for edge in shapes.EDGES)]
    return re.compile(rf"{literal}(?:{'|'.join(edges)})(?:{rest})(?![A-Za-z0-9_\[])")


def _placed(places: Iterable[shapes.Place], text: str, counts: dict[str, int]) -> str:
    for kind, literals, pattern in places:
        if any(literal in text for literal in literals):
            text = _hashed(_compiled(pattern), kind, text, counts)
    return text


def _hashed(pattern: re.Pattern[str], kind: str, text: str, counts: dict[str, int]) -> str:
    """The text with each match, or its group `secret`, replaced by a marker with a hash."""
    group = "secret" if "secret" in pattern.groupindex else 0

    def mark(match: re.Match[str]) -> str:
        if _is_filler(match[group]):
            return match[0]
        return _marked(match, kind, counts, group, f":{_digest(match[group])}")

    return pattern.sub(mark, text)


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _tally(counts: dict[str, int]) -> tuple[Found, ...]:
    return tuple(Found(kind, count) for kind, count in sorted(counts.items()))


def _joined(reports: Iterable[tuple[Found, ...]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for kind, count in (found for report in reports for found in report):
        counts[kind] = counts.get(kind, 0) + count
    return counts


def _without_private(text: str, counts: dict[str, int]) -> str:
    """Each outermost `<private>` up to its `</private>`; an opening without an end hides nothing."""
    if "private>" not in text.lower():
        return text
    pieces, depth, start, last_end, done = [], 0, 0, 0, 0
    spans: list[tuple[int, int]] = []
    for tag in _compiled(r"(?i)<(/?)private>").finditer(text):
        if not tag[1]:
            if depth == 0:
                start, last_end = tag.start(), 0
            depth += 1
        elif depth:
            depth, last_end = depth - 1, tag.end()
            if depth == 0:
                spans.append((start, last_end))
    if depth and last_end:
        spans.append((start, last_end))
    for start, end in spans:
        pieces += [text[done:start], "[private]"]
        done = end
    if spans:
        counts["private"] = len(spans)
    return "".join([*pieces, text[done:]])


def _is_filler(secret: str) -> bool:
    """A documentation example: it says so, or it is mostly one run of x."""
    return "EXAMPLE" in secret or "xxxxxxxx" in secret.lower()


def _is_placeholder(value: str) -> bool:
    return value.lower() in shapes.PLACEHOLDERS or _compiled(shapes.PLACEHOLDER).fullmatch(value) is not None


def _connection(match: re.Match[str], counts: dict[str, int]) -> str:
    secret = match["secret"]
    if _is_placeholder(secret) or secret == match["user"]:
        return match[0]
    return _marked(match, "password", counts)


def _header(match: re.Match[str], counts: dict[str, int]) -> str:
    secret = match["secret"]
    telling = _is_mixed(secret) if match["scheme"] else _looks_random(secret, lenient=False)
    if _is_placeholder(secret) or not telling:
        return match[0]
    return _marked(match, "bearer", counts)


def _assigned(match: re.Match[str], counts: dict[str, int]) -> str:
    name, value = match["name"], match["secret"]
    if _is_placeholder(value):
        return match[0]
    is_password = name.lower() in shapes.PASSWORD_NAMES
    in_shell = name.isupper() and match["sign"] == "="
    if in_shell and is_password:
        telling = _is_mixed(value)
    else:
        telling = _looks_random(value, lenient=in_shell or (is_password and bool(match["quote"])))
    if not telling:
        return match[0]
    return _marked(match, "password" if is_password else "secret", counts)


def _marked(match: re.Match[str], kind: str, counts: dict[str, int], group: str | int = "secret", digest: str = "") -> str:
    """The match with its secret replaced by a marker."""
    counts[kind] = counts.get(kind, 0) + 1
    start, end = match.span(group)
    return match[0][: start - match.start()] + f"[redacted:{kind}{digest}]" + match[0][end - match.start() :]


def _is_mixed(value: str) -> bool:
    """Letters and digits: no word of a language."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def _looks_random(value: str, *, lenient: bool) -> bool:
    """No word, identifier, path, URL, date, version or UUID; strictly: 16 characters that hardly repeat."""
    if _compiled(shapes.ORDINARY).fullmatch(value) or _compiled(shapes.NAMELIKE).fullmatch(value):
        return False
    digits = sum(char.isdigit() for char in value)
    marks = sum(char in "!@#$%^&*?~" for char in value)
    if lenient:
        return digits + marks > 0 and any(char.isalpha() for char in value)
    varied = len(set(value)) >= min(10, len(value) // 2)
    return len(value) >= 16 and digits >= 2 and digits < len(value) and varied and not _compiled(shapes.WORDY).fullmatch(value)


def _named(name: str, value: str, counts: dict[str, int]) -> str:
    """A string as the value of a key: redacted by its name, else by its text."""
    plain = "".join(char for char in name.lower() if char.isalnum())
    kind = "password" if plain.endswith(shapes.PASSWORD_NAMES) else "secret" if plain.endswith(shapes.SECRET_NAMES) else ""
    text, found = redact(value)
    telling = kind == "password" or (kind == "secret" and len(value) >= 8 and _looks_random(value, lenient=True))
    if not found and telling and value and " " not in value.strip() and not _is_placeholder(value.strip()):
        text, found = f"[redacted:{kind}]", (Found(kind, 1),)
    counts.update(_joined((_tally(counts), found)))
    return text


def _clean_keys(mapping: dict[Any, Any], counts: dict[str, int]) -> dict[Any, Any]:
    """A copy in the same order; a key that was a secret keeps apart from others of its kind."""
    fresh: dict[Any, Any] = {}
    for key, held in mapping.items():
        name, found = redact(key) if isinstance(key, str) else (key, ())
        counts.update(_joined((_tally(counts), found)))
        while found and name in fresh:
            name += "'"
        fresh[name] = held
    return fresh
