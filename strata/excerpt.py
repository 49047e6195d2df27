"""What of a stored text is shown in a context: the part around what was asked, and each tool call on one line."""

from __future__ import annotations

import re
from functools import cache

from strata.layers import tool_line
from strata.model import Message
from strata.shadow.terms import is_plain, query_terms, terms
from strata.smalltalk import STEERING, small_talk
from strata.snippet import snippet

_sentences = re.compile(r"[^.!?。！？\n]*[?？]").findall


def around(text: str, query: str, length: int) -> str:
    """The text itself, or of a longer one about `length` characters where most words of the query stand."""
    return text if len(text) <= length else snippet(text, query, length)


def excerpt(message: Message, query: str, length: int) -> str:
    """What a message says, then its tool calls, a line each, those that hold words of the query first; about `length` characters."""
    said = around(message.text.strip(), query, length)
    asked = set(query_terms(query))
    calls = [tool_line(call, lambda text, limit: " ".join(around(text, query, min(limit, length // 2)).split())) for call in message.tools]
    calls.sort(key=lambda line: asked.isdisjoint(terms(line)))  # stable: otherwise in their order
    shown = [said] if said else []
    for number, line in enumerate(calls):
        if shown and sum(map(len, shown)) + len(line) > length:
            shown.append(f"> {len(calls) - number} more tool calls" if len(calls) - number > 1 else "> 1 more tool call")
            break
        shown.append(line)
    return "\n".join(shown)


def asks_for(text: str, query: str) -> bool:
    """Whether a text asks what the query asks: one of its questions shares a word with it."""
    asked = set(query_terms(query))
    return any(not asked.isdisjoint(terms(sentence)) for sentence in _sentences(text))


def telling_terms(query: str) -> dict[str, float]:
    """The terms of a question with their weights, without those that only steer ("please", "tell") where others remain."""
    weighed = query_terms(query)
    return {term: weight for term, weight in weighed.items() if term not in _steering()} or weighed


def says_nothing(query: str) -> bool:
    """Whether a prompt is nothing but small talk, function words and words that steer ("ok", "do it", "what's next?")."""
    return small_talk(query) is not None or all(is_plain(term) or term in _steering() for term in terms(query))


@cache
def _steering() -> frozenset[str]:
    return frozenset(term for phrase in STEERING for term in terms(phrase))
