"""The YAML of a header, read in one pass with the place of every key.

Reading goes through the parser's events rather than its nodes: there is no recursion, depth and
aliases are bounded, scalars stay the text that was written, and each key keeps its place. Positions
are characters of the header's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

MAX_DEPTH = 20
MAX_ALIASES = 100

FORBIDDEN = r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""A character that YAML does not allow, not even in quotes."""


class Broken(Exception):
    """A header that cannot be read or changed: why, and at which position."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class Node:
    """A key of the header: its value, and where key and value stand.

    `style` is "plain", "quoted", "literal" (`|` and `>`), "flow" or "block"; `items` are the places of
    the scalars of a block list, None for any other value.
    """

    __slots__ = ("end", "items", "key_end", "key_start", "start", "style", "value")

    def __init__(self, key_start: int, key_end: int) -> None:
        self.key_start, self.key_end = key_start, key_end
        self.value: Any = ""
        self.start = self.end = key_end
        self.style = "plain"
        self.items: list[tuple[int, int]] | None = None


def read(text: str) -> dict[str, Node] | None:
    """The keys of a header in order, or None if the text is YAML but no mapping. Raises `Broken`."""
    import yaml  # costs 20 ms, which a command that reads no header need not pay

    events = yaml.parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    try:
        return _Reader(text).read(events)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Broken(error.problem or "not YAML", mark.index if mark else 0) from error
    except yaml.reader.ReaderError as error:
        forbidden = re.search(FORBIDDEN, text)
        raise Broken("a character that YAML does not allow", forbidden.start() if forbidden else 0) from error


def looks_like_header(text: str) -> bool:
    """Whether text that is no YAML was meant as a header, rather than prose between two rules.

    It was if its first line is `key: …` with a key of one word. Behind a blank line, or with a key of
    several words, two such lines are needed and no other at the margin.
    """
    margin = re.findall(r"(?m)^(?!-\s|-$|#|<{7}|\|{7}|={7}|>{7})\S.*$", text)
    if margin and not text[:1].isspace() and re.match(r"(?:[\w.-]+|\"[^\"]*\"|'[^']*'):(?:\s|$)", margin[0]):
        return True
    return len(margin) > 1 and all(re.match(r"[\w\"'][^:]{0,60}:(?:\s|$)", line) for line in margin)


class _Reader:
    """Builds values from the parser's events."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.nodes: dict[str, Node] = {}
        self.node: Node | None = None  # of the top-level key whose value is being read
        self.open: list[Any] = []  # collections around the current place
        self.keys: list[str | None] = []  # for each of them, the key that waits for its value
        self.anchors: dict[str, str | None] = {}
        self.aliases = 0

    def read(self, events: Iterable[Any]) -> dict[str, Node] | None:
        documents = 0
        is_mapping = True
        for event in events:
            name = type(event).__name__
            if name == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    raise Broken("a second YAML document", event.start_mark.index)
            elif name == "ScalarEvent":
                if self.open:
                    self._scalar(event)
                else:
                    is_mapping = False  # read on: what looks like one text may break later
            elif name == "AliasEvent":
                self._alias(event)
            elif name == "MappingStartEvent":
                self._collection(event, {})
            elif name == "SequenceStartEvent":
                if not self.open:
                    return None
                self._collection(event, [])
            elif name in ("MappingEndEvent", "SequenceEndEvent"):
                self._end(event)
        return self.nodes if is_mapping else None

    def _scalar(self, event: Any) -> None:
        blank = not event.style and event.tag is None and event.value in ("~", "null")
        value = "" if blank else event.value
        if event.anchor:
            self.anchors[event.anchor] = value
        style = {"": "plain", '"': "quoted", "'": "quoted"}.get(event.style or "", "literal")
        self._place(value, event, style)

    def _alias(self, event: Any) -> None:
        self.aliases += 1
        value = self.anchors.get(event.anchor)
        if value is None:
            raise Broken(f"*{event.anchor} is no text that was named before", event.start_mark.index)
        if self.aliases > MAX_ALIASES:
            raise Broken(f"more than {MAX_ALIASES} aliases", event.start_mark.index)
        self._place(value, event, "quoted")

    def _collection(self, event: Any, value: Any) -> None:
        if len(self.open) == MAX_DEPTH:
            raise Broken(f"nested deeper than {MAX_DEPTH} levels", event.start_mark.index)
        if self.open:
            self._place(value, event, "flow" if event.flow_style else "block")
        if event.anchor:
            self.anchors[event.anchor] = None
        self.open.append(value)
        self.keys.append(None)

    def _end(self, event: Any) -> None:
        self.open.pop()
        self.keys.pop()
        if self.node and self.text[event.start_mark.index : event.end_mark.index] in ("]", "}"):
            self.node.end = event.end_mark.index
        if len(self.open) == 1:
            self.node = None

    def _place(self, value: Any, event: Any, style: str) -> None:
        """Put a value where it belongs: a key, the value of the pending key, or an item."""
        depth, around = len(self.open), self.open[-1]
        start, end = event.start_mark.index, event.end_mark.index
        if style == "literal":
            end = start + len(self.text[start:end].rstrip())
        if isinstance(around, dict) and self.keys[-1] is None:
            self._key(value, start, end)
            return
        if depth == 1 and self.node:
            self.node.value, self.node.start, self.node.style = value, start, style
            self.node.items = [] if style == "block" and isinstance(value, list) else None
        elif depth == 2 and self.node and self.node.items is not None:
            if isinstance(value, str):
                self.node.items.append((start, end))
            else:
                self.node.items = None
        if self.node:
            self.node.end = end
        if isinstance(around, dict):
            around[self.keys[-1]] = value
            self.keys[-1] = None
        else:
            around.append(value)
        if depth == 1 and isinstance(value, str):
            self.node = None

    def _key(self, key: Any, start: int, end: int) -> None:
        around = self.open[-1]
        if not isinstance(key, str):
            raise Broken("a list or a mapping as a key", start)
        if key in around:
            raise Broken(f"the key {key!r} is there twice", start)
        around[key] = ""
        self.keys[-1] = key
        if len(self.open) == 1:
            self.node = self.nodes[key] = Node(start, end)
