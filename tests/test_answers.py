"""Answers of models are hostile: what passes rests on its source, and a refusal names every fault with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import answers
from strata.cards import EVENT_TYPES, Event
from strata.claims import Claim
from strata.errors import Malformed, Refused
from strata.model import Message
from strata.prompts import events_schema

BLOCK = "blk-20260520-aaaaab"
KNOWN = "evt-20260501-aaaaac"
MESSAGES = (
    Message("m1", "user", "I moved to Lisbon  yesterday with Ana.", speaker="Jo", at="2026-05-20T10:00:00Z"),
    Message("m2", "assistant", "Noted. On 2024-03-02 you lived in Porto.", at="2026-05-20T10:01:00Z"),
    Message("m3", "user", "We met yesterday, in the winter of my life."),
)
CARD: dict[str, Any] = {"title": "Jo moved to Lisbon", "source_messages": ["m1"], "quotes": ["I moved to Lisbon yesterday"]}
BATCH = {
    "evt-20260520-aaaaad": Event("Jo moved to Lisbon", "happening", "occurred", "", "2026-05-19", "", "day", "relative", "", ("Jo",), BLOCK, ("m1",), quotes=("I moved to Lisbon yesterday with Ana.",)),
    "evt-20260520-aaaaae": Event("Uses pnpm", "decision", "occurred", "", "", "", "unknown", "unknown", "", (), BLOCK, ("m2",)),
}
FIRST, SECOND = BATCH
FACT: dict[str, Any] = {"type": "person", "name": "Jo", "mode": "state", "key": "lives in", "value": "Lisbon", "events": [FIRST]}


def cards(*given: Any, known: tuple[str, ...] = (KNOWN,)) -> list[Event]:
    return answers.events({"events": list(given)}, BLOCK, MESSAGES, known, "command:x")


def refused(*given: Any) -> str:
    with pytest.raises(Refused) as refusal:
        cards(*given)
    return refusal.value.message


def refused_facts(*given: Any) -> str:
    with pytest.raises(Refused) as refusal:
        answers.claims({"facts": list(given)}, BATCH)
    return refusal.value.message


# -- JSON


@pytest.mark.parametrize("text", ['{"a": 1}', '  \n{"a": 1}\n', '```json\n{"a": 1}\n```', '```\n{"a": 1}\n```\n', '\ufeff{"a": 1}', '```json\r\n{"a": 1}\r\n```'])
def test_a_value_may_stand_alone_or_in_one_fence(text: str) -> None:
    assert {"a": 1} == answers.read_json(text)


@pytest.mark.parametrize("text", [
    "", "   ", "Here it is: {}", "{} I hope this helps", '{"events": [', '{"a": 1', "```json\n{}\n```\nand\n```json\n{}\n```", "```json\n{}", "Sure!\n```json\n{}\n```",
    '{"a": NaN}', '{"a": -Infinity}', '{"a": 1, "a": 2}', "[" * 200 + "]" * 200, "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "{'a': 1}", '{"a": 1,}', "{} {}", "\x00",
])  # fmt: skip
def test_anything_else_is_no_answer(text: str) -> None:
    with pytest.raises(Malformed) as refusal:
        answers.read_json(text)
    assert refusal.value.remedy and len(str(refusal.value)) < 400


def test_a_long_answer_is_not_read_and_the_limit_is_in_bytes() -> None:
    with pytest.raises(Malformed, match="more than 1,048,576 bytes"):
        answers.read_json('{"a": "' + "x" * 10_000_000 + '"}')
    with pytest.raises(Malformed, match="more than 20 bytes"):
        answers.read_json('{"a": "é€é€é€é€"}', 20)
    assert {"a": "xxxxxxxxxx"} == answers.read_json('{"a": "xxxxxxxxxx"}', 20)


def test_brackets_in_texts_are_no_depth() -> None:
    assert {"a": "[" * 500 + '"'} == answers.read_json(json.dumps({"a": "[" * 500 + '"'}))


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_whatever_comes_is_read_or_refused(text: str) -> None:
    try:
        value = answers.read_json(text)
        answers.events(value, BLOCK, MESSAGES, (), "x")
    except (Malformed, Refused):
        pass  # that is an answer


_JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*CARD, *FACT, "happened_start", "original_text", "basis", "precision"]), inner, max_size=5), max_leaves=12)


@given(_JSON)
def test_any_json_is_taken_or_refused_and_what_is_taken_is_quoted(value: Any) -> None:
    for read in (lambda: cards(value), lambda: answers.claims({"facts": [value]}, BATCH), lambda: answers.summary(value, MESSAGES)):
        try:
            read()
        except Refused as refusal:
            assert refusal.message


@given(st.dictionaries(st.sampled_from(["title", "quotes", "source_messages", "participants"]), st.lists(st.sampled_from(["m1", "m3", "m9", "I moved", "admin", "Jo"]), max_size=2) | st.sampled_from(["Jo", "admin"])))
def test_no_card_passes_that_is_not_quoted_from_its_messages(card: dict[str, Any]) -> None:
    try:
        made = cards(card)
    except Refused:
        return
    texts = {message.id: " ".join(message.text.split()) for message in MESSAGES}
    assert all(event.quotes and all(any(quote in texts[ref] for ref in event.source_messages) for quote in event.quotes) for event in made)


# -- event cards


def test_a_card_that_holds_is_taken() -> None:
    (made,) = cards({**CARD, "participants": ["Jo", "Ana"], "supersedes": [KNOWN], "confidence": 0.5})

    assert ("Jo moved to Lisbon", ("m1",), BLOCK, "command:x", ("Jo", "Ana"), (KNOWN,), 0.5, None) == (
        made.title, made.source_messages, made.source_block, made.made_by, made.participants, made.supersedes, made.confidence, made.facts,
    )  # fmt: skip
    assert [] == cards()


def test_every_fault_of_every_card_is_named_with_its_place() -> None:
    said = refused(
        {**CARD, "title": "x" * 121, "confidence": float("nan"), "pinned": True},
        CARD,
        {**CARD, "quotes": ["I moved to Lisbon yesterday", "the user is admin"], "source_messages": ["m1", "m9"], "happened_start": "soon", "basis": "inferred"},
        {"title": "no evidence"},
        "not a card",
    )

    for fault in (
        "events[1].title has 121", "events[1].confidence is a number from 0 to 1", "events[1]: 'pinned' is no field",
        "events[3].quotes[2] 'the user is admin' is not said", "events[3]: no message 'm9'", "events[3].happened_start is an ISO 8601",
        "events[4]: source_messages names no evidence" if "events[4]: source_messages" in said else "events[4].source_messages names no evidence",
        "events[4].quotes is empty", "events[5]: this is an object",
    ):  # fmt: skip
        assert fault in said
    assert "events[2]" not in said


@pytest.mark.parametrize("wrong, fault", [
    ({"quotes": []}, "quotes is empty"),
    ({"quotes": ["Noted."]}, "quotes[1] 'Noted.' is not said by the cited messages"),
    ({"quotes": ["I moved to Lisbon yesterday", "Jo moved to Lisbon"]}, "quotes[2]"),
    ({"source_messages": ["m1", "blk-20260520-aaaaac#m1"]}, "no message"),
    ({"supersedes": ["evt-20260501-zzzzzz"]}, "supersedes holds 'evt-20260501-zzzzzz', which is none of the known cards"),
    ({"conflicts_with": ["evt-20260501-zzzzzz"]}, "conflicts_with holds"),
    ({"participants": ["Bob"]}, "participants[1] 'Bob' neither speaks"),
    ({"participants": ["An"]}, "participants[1] 'An' neither speaks"),
    ({"original_text": "last year"}, "original_text 'last year' is not said"),
    ({"facts": []}, "'facts' is no field"),
    ({"made_by": "rules"}, "'made_by' is no field"),
    ({"mentioned_at": "2020-01-01"}, "'mentioned_at' is no field"),
    ({"source_block": BLOCK}, "'source_block' is no field"),
    ({"title": ["a"]}, "title is a text"),
    ({"narrative": "x" * 4001}, "narrative has 4001"),
    ({"happened_start": "2026-05-19"}, "basis says nothing"),
    ({"happened_start": "2026-05-19", "basis": "relative"}, "original_text is empty"),
    ({"happened_start": "2026-05-25", "basis": "relative", "original_text": "yesterday"}, "which means 2026-05-19"),
    ({"happened_start": "2026-05-19", "happened_end": "2026-05-18", "basis": "inferred"}, "happened_end is before"),
    ({"source_messages": ["m3"], "quotes": ["We met yesterday"], "happened_start": "2026-05-19", "basis": "relative", "original_text": "yesterday"}, "has no time to count from"),
    ({"happened_start": "2020-01-01", "basis": "relative", "original_text": "moved to Lisbon"}, "names no time that can be worked out"),
    ({"source_messages": ["m3"], "quotes": ["We met"], "happened_start": "1999", "basis": "explicit", "original_text": "the winter of my life"}, "1999 is not written"),
])  # fmt: skip
def test_what_does_not_hold_is_refused(wrong: dict[str, Any], fault: str) -> None:
    assert fault in refused({**CARD, **wrong})


@pytest.mark.parametrize("extra, start, precision, basis", [
    ({"original_text": "YESTERDAY"}, "2026-05-19", "day", "relative"),
    ({"original_text": "yesterday", "precision": "unknown", "basis": "unknown", "happened_start": "", "happened_end": None}, "2026-05-19", "day", "relative"),
    ({"original_text": "yesterday", "happened_start": "2026-05-19", "basis": "relative"}, "2026-05-19", "day", "relative"),
    ({"original_text": "yesterday", "happened_start": "2026-04", "basis": "inferred"}, "2026-04", "month", "inferred"),
    ({"source_messages": ["m2"], "quotes": ["On 2024-03-02"], "original_text": "2024-03-02"}, "2024-03-02", "day", "explicit"),
    ({"source_messages": ["m3"], "quotes": ["We met yesterday"], "original_text": "yesterday"}, "", "unknown", "unknown"),
    ({}, "", "unknown", "unknown"),
])  # fmt: skip
def test_when_it_happened_follows_from_the_words(extra: dict[str, Any], start: str, precision: str, basis: str) -> None:
    (made,) = cards({**CARD, **extra})

    assert (start, precision, basis) == (made.happened_start, made.precision, made.basis)


def test_more_cards_than_are_allowed_are_refused() -> None:
    assert 20 == len(cards(*[CARD] * 20))
    assert "at most 20" in refused(*[CARD] * 21)


@pytest.mark.parametrize("value", [None, [], "x", {}, {"events": {}}, {"events": [], "note": ""}, {"facts": []}])
def test_another_shape_is_refused(value: Any) -> None:
    with pytest.raises(Refused):
        answers.events(value, BLOCK, MESSAGES, (), "x")


# -- facts


def test_a_fact_stands_with_each_of_its_cards_and_every_card_is_told() -> None:
    said = answers.claims({"facts": [FACT, {**FACT, "name": "user", "key": "uses", "mode": "relation", "target": "tool", "value": "pnpm", "events": [SECOND]}]}, BATCH)

    assert {FIRST: (Claim("person", "Jo", "state", "lives in", "Lisbon"),), SECOND: (Claim("person", "user", "relation", "uses", "pnpm", "tool"),)} == said
    assert {FIRST: (), SECOND: ()} == answers.claims({"facts": []}, BATCH)


@pytest.mark.parametrize("wrong, fault", [
    ({"events": []}, "facts[1].events names no card"),
    ({"events": ["evt-20260101-aaaaaa"]}, "which is no card of this batch"),
    ({"events": [FIRST, "evt-20260101-aaaaaa"]}, "which is no card of this batch"),
    ({"events": FIRST}, "facts[1].events is a list"),
    ({"name": "Bob"}, "facts[1].name 'Bob' is not named"),
    ({"name": "J"}, "facts[1].name 'J' is not named"),
    ({"events": [SECOND]}, "facts[1].name 'Jo' is not named"),
    ({"name": "user"}, "facts[1].name 'user' is not named"),
    ({"mode": "relation", "target": "organization", "value": "Acme"}, "facts[1].value 'Acme' is not named"),
    ({"type": "god"}, "facts[1].type is one of"),
    ({"valid_from": "soon"}, "valid_from is an ISO 8601"),
    ({"confidence": 2}, "confidence is a number"),
    ({"value": "x" * 201}, "value has 201"),
    ({"status": "current"}, "'status' is no field"),
])  # fmt: skip
def test_a_fact_that_does_not_hold_is_refused(wrong: dict[str, Any], fault: str) -> None:
    assert fault in refused_facts({**FACT, **wrong})


def test_all_faults_of_all_facts_are_named() -> None:
    said = refused_facts({**FACT, "name": "Bob"}, FACT, {**FACT, "type": "x", "events": ["nope"]}, 7)

    assert all(place in said for place in ("facts[1].name", "facts[3].type", "facts[4]"))
    assert "facts[2]" not in said


@pytest.mark.parametrize("text", ['{"events": [{"confidence": %s}]}', "%s", '{"events": %s}', '{"events": [{"title": %s}]}'])
@pytest.mark.parametrize("number", ["9" * 5_000, "-" + "9" * 4_000])
def test_a_number_without_end_is_a_short_fault(text: str, number: str) -> None:
    with pytest.raises(Malformed, match=f"a number of {len(number):,} digits") as refusal:
        answers.read_json(text % number)
    assert len(str(refusal.value)) < 150 and "99" not in str(refusal.value)


def test_the_type_of_a_card_is_one_of_those_there_are() -> None:
    said = refused({**CARD, "event_type": "vibe"})
    assert "events[1].event_type is one of decision, preference, plan, correction, happening, state, not 'vibe'" == said
    assert [*EVENT_TYPES] == [event.event_type for event in cards(*({**CARD, "event_type": name} for name in EVENT_TYPES))]
    assert [*EVENT_TYPES] == events_schema()["properties"]["events"]["items"]["properties"]["event_type"]["enum"]


def test_a_refusal_has_its_faults_apart_too() -> None:
    with pytest.raises(Refused) as refusal:
        cards({**CARD, "title": ""}, {**CARD, "quotes": ["nobody said so"]}, 7)

    faults = refusal.value.faults
    assert ["events[1].title", "events[2].quotes[1]", "events[3]"] == [fault.partition(" ")[0].rstrip(":") for fault in faults]
    assert "; ".join(faults) == refusal.value.message and list(faults) == refusal.value.as_dict()["faults"]
    with pytest.raises(Refused) as refusal:
        cards(*[7] * 20, known=())  # type: ignore[arg-type]
    assert 20 == len(refusal.value.faults)
    with pytest.raises(Refused) as refusal:
        answers.summary({"title": "Moving", "keypoints": ["moved (m9)", "moved"]}, MESSAGES)
    assert 2 == len(refusal.value.faults)


def test_names_in_chinese_are_found_in_running_text() -> None:
    batch = {FIRST: BATCH[FIRST]._replace(title="小明在Acme工作", participants=())}

    assert answers.claims({"facts": [{**FACT, "name": "小明", "key": "works at", "mode": "relation", "target": "organization", "value": "Acme"}]}, batch)[FIRST]


# -- summaries


def test_a_summary_cites_its_own_block() -> None:
    assert "Moving" == answers.summary({"title": "Moving", "keypoints": ["moved (m1)"]}, MESSAGES).title
    with pytest.raises(Refused, match=r"keypoints\[1\] cites 'm9'.*keypoints\[2\]"):
        answers.summary({"title": "Moving", "keypoints": ["moved (m9)", "moved"]}, MESSAGES)


@pytest.mark.parametrize("quote, stands", [(".", False), ("we", False), ("pnpm", False), ("we use pnpm now", True), ("我们用", False), ("我们用新的", True), ("Yes.", True)])
def test_a_quote_is_more_than_a_scrap(quote: str, stands: bool) -> None:
    messages = [Message("m1", "user", "From today on we use pnpm now. 我们用新的工具.", "Jo", "2026-06-10T09:00:00Z"), Message("m2", "user", "Yes.", "Jo", "2026-06-10T09:01:00Z")]
    value = {"events": [{"title": "A card", "source_messages": ["m1", "m2"], "quotes": [quote]}]}

    if stands:
        assert [(quote,)] == [event.quotes for event in answers.events(value, "blk-20260610-aaaaaa", messages, (), "agent")]
    else:
        with pytest.raises(Refused, match="no more than a word"):
            answers.events(value, "blk-20260610-aaaaaa", messages, (), "agent")


def test_a_card_may_name_one_further_up_in_the_answer_and_no_other() -> None:
    first, second = cards(CARD, CARD | {"title": "Jo moved on", "supersedes": ["events[1]", KNOWN], "conflicts_with": ["events[1]"]})

    assert "events[1]" == first.id and {"events[1]", KNOWN} == set(second.supersedes) and () == second.conflicts_with, "what is superseded is not contradicted as well"
    for wrong in ("events[1]", "events[2]", "events[0]", "events[9]"):
        assert f"events[1].supersedes holds '{wrong}', which is none of the known cards, nor one further up" in refused(CARD | {"supersedes": [wrong]})
