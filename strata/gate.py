"""The evidence gate: what an assessment may claim, and what follows from it.

An assessment is what an agent says about one batch of hits. It is taken as hostile input: bounded, normalised where its
fields contradict each other, and believed only as far as the batch and the files bear it out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from strata.assessment import ANSWER, PARTIAL, STRATEGIES, SUFFICIENT, VERDICTS, WRONG, Assessment, Doubt, Rejected, Seen
from strata.errors import UsageError
from strata.model import Entry

MOST_REFS = 8
MOST_TOLD = 40  # rejected refs that are named
LONGEST = 160  # characters of `fit` and of `missing`
FIELDS = ("verdict", "evidence_refs", "fit", "missing", "next_strategy")
REF_LENGTH = 500  # characters of a ref that can name anything

_SHOWN = 120  # characters of a rejected ref that are given back
_SHORTEST = "blk-"  # an id cut short has more than its kind
_ALIKE = 0.87  # share of characters of an id that a slip leaves as they are
_NOTHING = frozenset({"", "-", "—", "none", "nothing", "n/a", "na", "null", "no", "无", "没有", "暂无"})


class Claim(NamedTuple):
    """An assessment as it was made: well-formed and bounded, its refs not looked at yet; `notes` say what was made to fit."""

    verdict: str
    refs: tuple[Any, ...]
    fit: str
    missing: str
    next_strategy: str
    notes: tuple[Doubt, ...]


def claim(fields: Mapping[str, Any]) -> Claim:
    """The five fields, bounded. Raises UsageError for an unknown field, verdict or strategy, and for values of the wrong type."""
    if unknown := [str(name) for name in fields if name not in FIELDS]:
        raise UsageError(f"an assessment has no field {_cut(unknown[0], 40)!r}", remedy=f"its fields are {', '.join(FIELDS)}")
    verdict = _choice(fields.get("verdict"), "verdict", VERDICTS)
    if not verdict:
        raise UsageError("the verdict is missing", remedy=f"it is {', '.join(VERDICTS)}")
    notes: list[Doubt] = []
    texts = []
    for name in ("fit", "missing"):
        whole = _line(fields.get(name), name)
        if len(whole) > LONGEST:
            notes.append(Doubt("cut", f"{name} was cut to {LONGEST} characters"))
        texts.append(_cut(whole, LONGEST))
    fit, missing = texts[0], "" if texts[1].casefold().strip(" .。") in _NOTHING else texts[1]
    strategy = _choice(fields.get("next_strategy"), "next_strategy", STRATEGIES)
    if isinstance(fields.get("evidence_refs"), str) and fields["evidence_refs"].strip():
        notes.append(Doubt("listed", "evidence_refs was a text, and was read as a list of refs"))
    return Claim(verdict, _refs(fields.get("evidence_refs")), fit, missing, strategy, tuple(notes))


def sift(refs: Iterable[Any], judge: Callable[[str], str | Rejected]) -> tuple[tuple[str, ...], tuple[Rejected, ...]]:
    """Which refs are evidence, at most eight, and why the others are not.

    `judge` gives the ref under which a plausible one is known now, or why it is none. Of very many that are rejected
    the first are named, and the others counted.
    """
    accepted: dict[str, None] = {}
    given: set[str] = set()
    rejected: list[Rejected] = []
    for item in refs:
        ref = item.strip() if isinstance(item, str) else ""
        if not plausible(ref):
            rejected.append(Rejected(_cut(_shown(item), _SHOWN), "invalid_ref", "this is no ref"))
        elif ref in given:
            rejected.append(Rejected(_cut(ref, _SHOWN), "duplicate"))
        else:
            given.add(ref)
            found = judge(ref)
            if isinstance(found, Rejected):
                rejected.append(found)
            elif found in accepted:
                rejected.append(Rejected(ref, "duplicate", f"it is {found}"))
            elif len(accepted) == MOST_REFS:
                rejected.append(Rejected(ref, "limit_exceeded", f"{MOST_REFS} are the most"))
            else:
                accepted[found] = None
    if len(rejected) > MOST_TOLD:
        more = Rejected("", "limit_exceeded", f"and {len(rejected) - MOST_TOLD:,} more were rejected")
        rejected = [*rejected[:MOST_TOLD], more]
    return tuple(accepted), tuple(rejected)


def settle(made: Claim, accepted: tuple[str, ...], kinds: Mapping[str, str], searched: Sequence[str] = ()) -> tuple[Assessment, tuple[Doubt, ...]]:
    """The assessment that stands, and what was changed to make its fields agree.

    `kinds` are those of the accepted refs; `searched` are the kinds the batch was narrowed to.
    """
    notes = list(made.notes)
    verdict, refs = made.verdict, accepted
    if verdict == SUFFICIENT and (why := _insufficient(made, accepted)):
        notes.append(Doubt("downgraded", f"sufficient became partial: {why}"))
        verdict = PARTIAL
    if verdict == WRONG and made.refs:
        notes.append(Doubt("contradiction", "a wrong batch has no evidence: the refs were left out", accepted))
        refs = ()
    strategy = made.next_strategy
    if verdict == SUFFICIENT:
        strategy = ANSWER
    elif strategy in ("", ANSWER):
        if strategy == ANSWER and made.verdict != SUFFICIENT:
            notes.append(Doubt("contradiction", f"what is {verdict} is not answered yet"))
        strategy = _best(refs, kinds, searched)
    return Assessment(verdict, refs, made.fit, made.missing, strategy), tuple(notes)


def _insufficient(made: Claim, accepted: Sequence[str]) -> str:
    """Why a claim of sufficiency does not stand; "" when it does."""
    if not accepted:
        return "no ref of this batch is accepted as evidence" if made.refs else "no evidence is cited"
    if made.missing:
        return "something is missing, as it says itself"
    if made.next_strategy not in ("", ANSWER):
        return f"next is {made.next_strategy}, not {ANSWER}"
    return ""


def _best(refs: Sequence[str], kinds: Mapping[str, str], searched: Sequence[str]) -> str:
    """Where the missing part is most likely: behind what was found, else in the kind of record that was not searched."""
    deeper = {"event": "expand_event", "entity": "expand_graph_node", "block": "expand_block", "message": "expand_block"}
    for ref in refs:
        if kinds.get(ref) in deeper:
            return deeper[kinds[ref]]
    return "search_events" if "message" in searched and "event" not in searched else "search_raw_memory"


def fitting(ref: str, known: Iterable[str], records: Iterable[str] = ()) -> list[str]:
    """The refs that `ref`, an id cut short, can mean: some of `known`, or its message in one of these records."""
    record, mark, message = ref.partition("#")
    if len(record) <= len(_SHORTEST) or record[:4] not in ("blk-", "evt-", "ent-"):
        return []
    whole = [each for each in known if each.partition("#")[0].startswith(record) and each.partition("#")[1:] == (mark, message)]
    return list(dict.fromkeys([*whole, *(f"{each}#{message}" for each in records if mark and each.startswith(record))]))


def alike(ref: str, known: Iterable[str]) -> str:
    """The known ref that `ref` most likely is with a slip in it; "" when it is like none, or another message of the same record."""
    from difflib import SequenceMatcher

    record, _, message = ref.partition("#")
    shares = [(SequenceMatcher(None, record, each.partition("#")[0]).ratio(), each) for each in known if each.partition("#")[2] == message]
    share, best = max(shares, default=(0.0, ""), key=lambda pair: pair[0])
    return best if share >= _ALIKE else ""


def digest(*said: Entry) -> str:
    """What entries say, as a hash: equal as long as nothing in them changed that could be evidence.

    A message counts by its own words, whatever block it lies in and however that is titled.
    """
    import hashlib

    told = [[each.text, each.at, each.speaker] if each.message else [each.title, each.text, each.at, each.until, each.speaker] for each in said]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def unchanged(seen: Seen, blob: str, said: str) -> bool:
    """Whether what is said now, as a digest, in a file of this blob, is what was seen."""
    return bool(seen.blob) and (blob == seen.blob or said == seen.digest)


def plausible(ref: str) -> bool:
    """Whether a text could be a ref at all: visible characters, not too many."""
    return 0 < len(ref) <= REF_LENGTH and ref.isprintable()


def _choice(value: Any, name: str, choices: Sequence[str]) -> str:
    if value is None:
        return ""
    told = " ".join(value.split()).casefold() if isinstance(value, str) else value
    if told == "" or told in choices:
        return str(told)
    raise UsageError(f"{name} cannot be {_cut(_shown(value), 40)!r}", remedy=f"it is {', '.join(choices)}")


def _line(value: Any, name: str) -> str:
    """A text on one line, without what no file and no terminal can hold."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f"{name} is a text, not {_cut(_shown(value), 40)}", remedy="give one short sentence")
    head = value[: 40 * LONGEST]
    return " ".join("".join(character if character.isprintable() else " " for character in head).split())


def _refs(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(part for part in value.split(",") if part.strip())
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return tuple(value)
    raise UsageError("evidence_refs is a list of refs", remedy='such as ["blk-20261130-7f3akq#m3"]')


def _shown(value: Any) -> str:
    """Any value as visible text."""
    text = value if isinstance(value, str) else repr(value)[: 4 * _SHOWN]
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text[: 4 * _SHOWN])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
