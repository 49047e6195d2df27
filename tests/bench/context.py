"""Evidence inside a budget of tokens: `strata context` with the question alone, against filling the same budget with SQLite FTS5 hits.

    python tests/bench/context.py DATA.json [--budgets 300,900,2000] [--counter estimate] [--conversations 26,30]

DATA is in LoCoMo's shape, or a list of {sample_id, messages, qa: [{question, evidence, alternatives}]}; one memory for each conversation.
`any`: a message of the evidence is inside; `all`: the whole of it. FTS5 (porter, OR) gets its hits as whole messages until the
next does not fit, once in the same form (`ref · day`, then who and what), and once as bare text, which nobody could cite. `silent` is the
share of questions of the next conversation, about which a memory knows nothing, that get no text.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from strata import Memory
from strata.tokenizer import counter

FOREIGN = 40  # questions of another conversation that each memory is asked


def gold_sets(item: dict[str, Any], known: dict[str, str]) -> list[set[str]]:
    """The sets of message ids each of which answers the question; ids that do not exist are left out."""
    ids = [each for raw in item.get("evidence") or [] for each in (re.findall(r"D\d+:\d+", raw) or [raw])]
    sets = [{each for each in ids if each in known}] + [set(each) for each in item.get("alternatives") or []]
    return [each for each in sets if each]


def texts_of(sample: dict[str, Any]) -> dict[str, str]:
    if "conversation" in sample:
        sessions = (value for key, value in sample["conversation"].items() if re.fullmatch(r"session_\d+", key))
        return {message["dia_id"]: f"{message['speaker']}: {message['text']}" for session in sessions for message in session}
    return {message["id"]: f"{message.get('speaker') or message['role']}: {message['text']}" for message in sample["messages"]}


def memory_of(sample: dict[str, Any], scratch: Path) -> Memory:
    memory, source = Memory.init(scratch / "memory"), scratch / "conversation.json"
    locomo = "conversation" in sample
    lines = json.dumps([sample]) if locomo else "".join(json.dumps({"thread": sample["sample_id"], **message}) + "\n" for message in sample["messages"])
    source.write_text(lines, "utf-8")
    memory.ingest(source, format="locomo" if locomo else "jsonl")
    return memory


class Fts:
    """The baseline: a message a row."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.base = sqlite3.connect(":memory:")
        self.base.execute("create virtual table said using fts5(id unindexed, text, tokenize='porter')")
        self.base.executemany("insert into said values (?, ?)", texts.items())

    def hits(self, question: str) -> list[str]:
        words = re.findall(r"\w+", question)
        query = " OR ".join(f'"{word}"' for word in words)
        return [row[0] for row in self.base.execute("select id from said where said match ? order by rank limit 200", (query,))] if words else []

    def inside(self, question: str, budget: int, count: Any, label: str) -> set[str]:
        left, found = budget, set()
        for hit in self.hits(question):
            left -= count(label.format(hit) + self.texts[hit] + "\n")
            if left < 0:
                break
            found.add(hit)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--budgets", default="300,900,2000")
    parser.add_argument("--counter", default="estimate")
    parser.add_argument("--conversations", default="")
    options = parser.parse_args()
    budgets, count = [int(each) for each in options.budgets.split(",")], counter(options.counter).count
    samples = json.loads(Path(options.data).read_text("utf-8"))
    if options.conversations:
        samples = [sample for sample in samples if sample["sample_id"].split("-", 1)[1] in options.conversations.split(",")]
    rows: dict[tuple[str, int], list[tuple[bool, bool]]] = {}
    silent: dict[int, list[bool]] = {budget: [] for budget in budgets}
    times: list[float] = []
    for number, sample in enumerate(samples):
        texts = texts_of(sample)
        asked = [(item["question"], golds) for item in sample["qa"] if item.get("category") != 5 and (golds := gold_sets(item, texts))]
        other = [item["question"] for item in samples[(number + 1) % len(samples)]["qa"]][:FOREIGN]
        fts = Fts(texts)
        with tempfile.TemporaryDirectory() as scratch, memory_of(sample, Path(scratch)) as memory:
            for budget in budgets:
                for question, golds in asked:
                    begun = time.perf_counter()
                    given = memory.context(question, budget=budget, counter=options.counter)
                    times.append(time.perf_counter() - begun)
                    assert given.tokens <= budget
                    inside = {item.ref.partition("#")[2] for item in given.items}
                    systems = {"strata context": inside, "FTS5, same form": fts.inside(question, budget, count, "blk-20230508-abcdef · 2023-05-08\n  #{} "), "FTS5, bare text": fts.inside(question, budget, count, "")}
                    for name, found in systems.items():
                        rows.setdefault((name, budget), []).append((any(each & found for each in golds), any(each <= found for each in golds)))
                silent[budget] += [not memory.context(question, budget=budget, counter=options.counter).text for question in other]
        print(f"{sample['sample_id']}: {len(asked)} questions", file=sys.stderr)
    print(f"{'tokens by ' + counter(options.counter).name:<24}" + "".join(f"{f'any, {budget:,}':>12}{f'all, {budget:,}':>12}" for budget in budgets))
    for name in dict.fromkeys(name for name, _ in rows):
        print(f"{name:<24}" + "".join(f"{statistics.mean(hit[which] for hit in rows[name, budget]):>12.3f}" for budget in budgets for which in (0, 1)))
    if len(samples) > 1:
        print(f"{'silent on foreign ones':<24}" + "".join(f"{statistics.mean(silent[budget]):>12.3f}{'':>12}" for budget in budgets))
    print(f"{len(times) // len(budgets):,} questions; {1000 * statistics.median(times):.1f} ms a context (median)")


if __name__ == "__main__":
    main()
