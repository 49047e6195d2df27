"""Does the gate stop a wrong "sufficient"? For each question an agent cites the top hit as sufficient; the warnings are counted.

    python tests/bench/gate.py                        # the coding conversations of this project
    python tests/bench/gate.py DATA.json … [--stop 0.9] [--limit 10]

DATA is LoCoMo's shape, or a list of {sample_id, messages: [{id, role, text, at}], qa: [{question, category, evidence,
alternatives}]}. The citation is right if it is an evidence message, and whole if it is all of the evidence. A wrong one
is stopped, and a right one disturbed, by a warning that is marked `stop`. `read` is an agent that reads the hits and cites
the first that is evidence, wherever it stands. Adversarial questions are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from strata import Memory, doubts

ADVERSARIAL = 5
NAMES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
PARTS = ("wrong", "right", "whole", "read")
FIXTURE = Path(__file__).parents[1] / "recall" / "coding.json"


def filled(sample: dict[str, Any], place: Path) -> Memory:
    """A memory that holds the conversation of a sample."""
    locomo, source = "conversation" in sample, place / "conversation.json"
    lines = [json.dumps([sample])] if locomo else [json.dumps({"thread": sample["sample_id"], **message}) for message in sample["messages"]]
    source.write_text("\n".join(lines) + "\n", "utf-8")
    memory = Memory.init(place / "memory")
    memory.ingest(source, format="locomo" if locomo else "jsonl")
    return memory


def questions(sample: dict[str, Any]) -> Iterator[tuple[str, str, list[set[str]]]]:
    """Each question with its category and the sets of messages that each answer it."""
    for item in sample["qa"]:
        if "conversation" in sample and item["category"] == ADVERSARIAL:
            continue
        ids = {name for raw in item.get("evidence") or [] for name in (re.findall(r"D\d+:\d+", raw) or [raw])}
        sets = [each for each in (ids, *map(set, item.get("alternatives") or [])) if each]
        if sets:
            category = NAMES[item["category"]] if "conversation" in sample else f"{sample.get('language', '')} {item['category']}".strip()
            yield item["question"], category, sets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", type=Path, default=[FIXTURE])
    parser.add_argument("--stop", type=float, default=doubts.STOP, help="points from which a warning says stop")
    parser.add_argument("--limit", type=int, default=10)
    options = parser.parse_args()
    doubts.STOP = options.stop
    for data in options.data:
        print(f"{data.name}\n")
        measure(data, options.limit)


def measure(data: Path, limit: int) -> None:
    """Print how often the warnings stop a citation, by category, and which warnings there are."""
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    stopped: dict[str, Counter[str]] = defaultdict(Counter)
    codes: dict[str, Counter[str]] = defaultdict(Counter)
    for sample in json.loads(data.read_text("utf-8")):
        with tempfile.TemporaryDirectory() as scratch, filled(sample, Path(scratch)) as memory:
            for question, category, sets in questions(sample):
                batch = memory.ask(question, kinds=["message"], limit=limit)
                if not batch.hits:
                    continue
                top = batch.hits[0]
                first = next((hit for hit in batch.hits if any(hit.message in each for each in sets)), None)
                parts = ["right" if first is top else "wrong"] + ["whole"] * any(each == {top.message} for each in sets)
                for cited, counted in ((top, parts), (first, ["read"])):
                    if cited is None:
                        continue
                    said = memory.assess(batch.id, verdict="sufficient", evidence_refs=[cited.ref])
                    for part in counted:
                        for group in (category, "all"):
                            asked[group][part] += 1
                            stopped[group][part] += any(doubt.stop for doubt in said.warnings)
                        codes[part].update({doubt.code for doubt in said.warnings})
    heads = ("wrong", "stopped", "right", "disturbed", "whole", "disturbed", "read", "disturbed")
    print(f"{'':<20}" + "".join(f"{head:>11}" for head in heads))
    for group in sorted(asked, key=lambda name: (name == "all", name)):
        cells = [cell for part in PARTS for cell in (f"{asked[group][part]}", _share(stopped[group][part], asked[group][part]))]
        print(f"{group[:19]:<20}" + "".join(f"{cell:>11}" for cell in cells))
    print()
    for code in sorted(set().union(*codes.values())):
        print(f"{code:<20}" + "".join(f"{part:>11}{_share(codes[part][code], asked['all'][part]):>11}" for part in PARTS))
    print()


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


if __name__ == "__main__":
    main()
