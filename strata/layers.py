"""The six levels of a block, from its title to its messages, as pure functions of messages and summary.

    L5  the messages, as they are stored                L2  title, tags, summary and key points
    L4  near verbatim: each tool call becomes one line  L1  title and summary
    L3  condensed by the rules below                    L0  title and tags

L3 leaves out four things and rewrites nothing:

1. messages that are only a greeting, thanks or a farewell;
2. messages that only confirm, unless what they answer asked or proposed something: there the bare
   "yes" is the decision, so it stays;
3. the arguments of tool calls (the name and 160 characters of the result stay);
4. a passage that stood word for word in the block before, if it is code or has 80 characters: a
   pointer to the message that has it takes its place, where that is shorter.

A message that carries tool calls is never left out. No level is larger than the deeper one, in
characters or in UTF-8 bytes: where it would be, or would be empty, it is that deeper one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp

from strata.model import Message, Summary, ToolCall
from strata.smalltalk import SmallTalk, small_talk
from strata.transcript import encode

DEEPEST = 5
_RESULT = 160  # characters of a tool's result that L3 keeps
_NEAR_RESULT = 400  # and L4
_ARGUMENTS = 200  # characters of a tool's arguments in L4
_NAME = 80  # characters of a tool's name
_LONG_PASSAGE = 80
_BEFORE_DROPPING = ((0.7, 0), (0.5, 1), (0.3, 2), (0.15, 3), (0.08, 4))
_ASKS = (
    r"[?？؟]|[吗么呢か까][。.!！]?$|要不要|是否|建议|不如"
    r"|\b(?:shall|should) (?:i|we)\b|\blet['’]?s\b|\blet me know\b|\bplease confirm\b|\b(?:suggest|propose|recommend)"
)


def render(level: int, messages: Sequence[Message], summary: Summary | None) -> str:
    """A block at a level from 0 to 5; without a summary, levels 0 to 2 are L3."""
    if not 0 <= level <= DEEPEST:
        raise ValueError(f"a level is 0 to {DEEPEST}, not {level}")
    shown = _text(messages)
    for depth in range(DEEPEST - 1, level - 1, -1):
        candidate = _candidate(depth, messages, summary)
        if candidate and _smaller(candidate, shown):
            shown = candidate
    return shown


def decayed_level(age: int) -> int:
    """How many levels (0 to 5) a block has lost once `age` ready blocks of its thread follow it."""
    weight = exp(-0.30 * age)
    return next((dropped for above, dropped in _BEFORE_DROPPING if weight > above), DEEPEST)


def _candidate(level: int, messages: Sequence[Message], summary: Summary | None) -> str:
    if level == 4:
        return _near_verbatim(messages)
    if level == 3:
        return _condensed(messages)
    return _described(level, messages, summary) if summary and messages else ""


def _smaller(text: str, than: str) -> bool:
    """Fewer characters, and no more bytes, so the law holds in whichever unit a reader counts."""
    return len(text) < len(than) and _bytes(text) <= _bytes(than)


def _bytes(text: str) -> int:
    """How many bytes a text takes; half a surrogate pair, which no file can hold, counts like a character beside it."""
    return len(text.encode("utf-8", "surrogatepass"))


# L0 to L2


def _described(level: int, messages: Sequence[Message], summary: Summary) -> str:
    first, last = messages[0].id, messages[-1].id
    head = f"{summary.title} ({first})" if first == last else f"{summary.title} ({first} to {last})"
    lines = [head]
    if level != 1 and summary.tags:
        lines.append(f"[{', '.join(summary.tags)}]")
    if level >= 1 and summary.summary:
        lines.append(summary.summary)
    if level == 2:
        lines += [f"- {point}" for point in summary.keypoints]
    # A header edited by hand may hold what no file can (half a surrogate pair); a level is always UTF-8.
    return ("\n".join(lines) + "\n").encode("utf-8", "replace").decode("utf-8")


# L4


def _near_verbatim(messages: Sequence[Message]) -> str:
    return _shown((message, message.text, map(tool_line, message.tools)) for message in messages)


def tool_line(call: ToolCall, brief: Callable[[str, int], str] | None = None) -> str:
    """A tool call as L4 has it, on one line; `brief` makes a text of at most so many characters, by default its beginning."""
    brief, result = brief or _one_line, _payload(call.result)
    size = f" [{len(result)} characters]" if len(result) > _NEAR_RESULT else ""
    return f"> tool {_one_line(call.name, _NAME)} ({brief(_payload(call.arguments), _ARGUMENTS)}): {brief(result, _NEAR_RESULT)}{size}"


def _shown(messages: Iterable[tuple[Message, str, Iterable[str]]]) -> str:
    """Messages with another text and a line for each tool call, written like L5 and escaped like it."""
    return _text(
        [message._replace(text="\n".join(filter(None, (text.strip("\n"), *calls))), tools=(), meta={}) for message, text, calls in messages]
    )


def _text(messages: Sequence[Message]) -> str:
    return encode(messages).decode("utf-8")


def _payload(value: object) -> str:
    """A JSON value as compact text, a string as itself, nothing as nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def _one_line(text: str, limit: int) -> str:
    """The beginning of a text on one line; "…" stands for a rest."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"


# L3


def _condensed(messages: Sequence[Message]) -> str:
    seen: dict[str, str] = {}
    return _shown(
        (message, "\n".join(_without_repeats(message, seen)), map(_condensed_call, message.tools)) for message in _telling(messages)
    )


def _condensed_call(call: ToolCall) -> str:
    return f"> tool {_one_line(call.name, _NAME)}: {_one_line(_payload(call.result), _RESULT)}"


def _telling(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages that say something: rules 1 and 2."""
    names = {message.speaker for message in messages}
    answered = ""
    for message in messages:
        kind = None if message.tools else small_talk(message.text, names)
        if kind is None:
            answered = message.text
        if kind is None or (kind is SmallTalk.CONFIRMATION and _asks(answered)):
            yield message


def _asks(text: str) -> bool:
    """Whether a text asks or proposes something, code aside; in doubt it does, for then more is kept."""
    return any(re.search(_ASKS, line.rstrip().lower()) for code, passage in _passages(text) if not code for line in passage.split("\n"))


def _without_repeats(message: Message, seen: dict[str, str]) -> Iterator[str]:
    """The passages of a message, those that were seen before as pointers: rule 4.

    A passage that is new as a whole may still hold a long line that is not.
    """
    for code, passage in _passages(message.text):
        if code or "\n" not in passage or passage in seen:
            yield _once(passage, code, message.id, seen)
            continue
        seen[passage] = message.id
        for line in passage.split("\n"):
            yield _once(line, False, message.id, seen)


def _once(passage: str, code: bool, message_id: str, seen: dict[str, str]) -> str:
    if not code and len(passage) < _LONG_PASSAGE:
        return passage
    first = seen.setdefault(passage, "")
    if not first:
        seen[passage] = message_id
        return passage
    pointer = "[as above]" if first == message_id else f"[as in {first}]"
    return pointer if _smaller(pointer, passage) else passage


def _passages(text: str) -> Iterator[tuple[bool, str]]:
    """(is code, passage) in order; joined by newlines they are the text again.

    Code is a fenced block with its fences; prose goes from one blank line or fence to the next.
    """
    gathered: list[str] = []
    fence = ""
    for line in text.split("\n"):
        opening = line.lstrip(" ")[:3]
        if fence:
            gathered.append(line)
            if opening == fence and not line.strip(" " + fence[0]):
                yield True, "\n".join(gathered)
                gathered, fence = [], ""
        elif opening in ("```", "~~~"):
            if gathered:
                yield False, "\n".join(gathered)
            gathered, fence = [line], opening
        elif not line.strip():
            if gathered:
                yield False, "\n".join(gathered)
            yield False, line
            gathered = []
        else:
            gathered.append(line)
    if gathered:
        yield bool(fence), "\n".join(gathered)
