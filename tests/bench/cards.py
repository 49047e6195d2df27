"""What the extractor without a model makes of conversations: cards per 100 messages, by type and by rule, and how many have a date.

    python tests/bench/cards.py PATH…            # data of the shape that `recall.py` reads
    python tests/bench/cards.py PATH… --list     # and every card, to be read

Messages are taken in blocks of twelve. Where cards of a file were judged by hand (`tests/data/judged_cards.jsonl`), the last
line says how many of them are still made, and how many of these are right in sentence, type and date.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from recall import FIXTURE, samples

from strata.cards import Event
from strata.model import Message
from strata.models.extracting import cards, rule_of

JUDGED = Path(__file__).parents[1] / "data" / "judged_cards.jsonl"
BLOCK = 12  # messages


class Made(NamedTuple):
    """The cards of one block, and how long they took in seconds."""

    conversation: str
    messages: list[Message]
    cards: list[Event]
    seconds: float


def made(path: Path) -> Iterator[Made]:
    """Every block of a file of conversations, with its cards."""
    for sample in samples(path):
        for thread, said in groupby(sample.messages, key=lambda pair: pair[0]):
            messages = [message for _, message in said]
            for begin in range(0, len(messages), BLOCK):
                block = messages[begin : begin + BLOCK]
                started = time.perf_counter()
                found = cards(block, thread)
                yield Made(sample.name, block, found, time.perf_counter() - started)


def key(file: str, conversation: str, card: Event) -> tuple[str, ...]:
    """What a judgement is about, without a word of the conversation."""
    return (file, conversation, card.source_messages[-1], card.event_type, card.happened_start)


def judgements() -> dict[tuple[str, ...], str]:
    rows = map(json.loads, JUDGED.read_text("utf-8").splitlines())
    return {(row["file"], row["conversation"], row["message"], row["type"], row["start"]): row["verdict"] for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[FIXTURE])
    parser.add_argument("--list", action="store_true", help="print every card")
    options = parser.parse_args()
    known = judgements()
    for path in options.paths:
        blocks = list(made(path))
        said = sum(len(block.messages) for block in blocks)
        found = [(block, card) for block in blocks for card in block.cards]
        by_type = Counter(card.event_type for _, card in found)
        by_rule = Counter(rule_of(card, block.messages) for block, card in found)
        print(f"{path.name}: {said} messages, {len(found)} cards, {100 * len(found) / said:.1f} per 100")
        print("  by type: " + ", ".join(f"{name} {100 * number / said:.1f}" for name, number in by_type.most_common()) + " per 100")
        print("  by rule: " + ", ".join(f"{name} {number}" for name, number in by_rule.most_common()))
        print(f"  with a date: {sum(bool(card.happened_start) for _, card in found)}; most in a block: {max(len(block.cards) for block in blocks)}")
        print(f"  a block takes {1000 * statistics.median(block.seconds for block in blocks):.1f} ms (median)")
        verdicts = [known[each] for block, card in found if (each := key(path.name, block.conversation, card)) in known]
        if verdicts:
            print(f"  judged by hand and still made: {len(verdicts)}, of these right: {verdicts.count('right') / len(verdicts):.1%}")
        for block, card in found if options.list else ():
            print(f"    {block.conversation} {' '.join(card.source_messages)} · {card.event_type} · {card.happened_start or '?'} · {card.title}")


if __name__ == "__main__":
    main()
