"""The context of an answer: what is relevant, within a budget, as background; and nothing where nothing is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from command import Run, files, run  # noqa: F401
from hostile import fields, without_surrogates
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import KEY, assert_sound

from strata import Memory
from strata.background import RECORDS
from strata.errors import UsageError
from strata.model import Message, ToolCall
from strata.relevance import passes
from strata.results import Context
from strata.tokens import estimate

FILLER = [
    "The kettle in the office kitchen needs descaling.", "Rain all week, so the picnic moves to the hall.", "Please renew the parking permit.",
    "The choir rehearses on Thursdays now.", "My sister sent photographs of the harbour.", "We ran out of printer paper again.", "The dentist wants to see me in March.",
    "I finished the novel about the lighthouse.", "The neighbours painted their fence.", "Lunch was lentil soup.",
]  # fmt: skip
FACTS = ["The telescope lives in the attic, behind the suitcases.", "Its tripod is lent to Amara until Easter."]


def said(texts: list[str], *, thread: str = "main", start: int = 0, day: int = 1) -> list[tuple[str, Message]]:
    return [(thread, Message(f"m{start + number}", ("user", "assistant")[number % 2], text, at=f"2026-11-{day:02}T10:{number:02}:00Z")) for number, text in enumerate(texts)]


@pytest.fixture
def talk(memory: Memory) -> Memory:
    """A thread with two blocks of four turns and a tail; the telescope is spoken of in the first block alone."""
    memory.config_set("block_turns", "4")
    oldest = said([*FILLER[:3], FACTS[0], FILLER[3], FACTS[1], *FILLER[4:6]], day=1)
    newest = said([*FILLER[6:8], "The newest question of all", "The newest answer"], start=40, day=9)
    memory.append([*oldest, *said(FILLER[:8], start=20, day=8), *newest])
    return memory


def event(memory: Memory, title: str, message: str = "m3", **more: object) -> str:
    block = next(hit.ref.partition("#")[0] for hit in memory.search("telescope", kinds=["message"]) if hit.message == "m3")
    return memory.record({"title": title, "source_block": block, "source_messages": [message], **more}).ref


def refs(given: Context) -> list[str]:
    return [item.ref.partition("#")[2] or item.ref for item in given.items]


# -- what is in it -------------------------------------------------------------------------------


def test_a_question_brings_the_messages_about_it_with_ref_and_day(talk: Memory) -> None:
    given = talk.context("where is the telescope")
    item = next(item for item in given.items if "attic" in item.text)

    assert item.ref.startswith("blk-20261101-") and item.ref.endswith("#m3")
    assert ("2026-11-01T10:03:00Z", "matched", "assistant") == (item.at, item.why, item.speaker)
    assert f"{item.ref.partition('#')[0]} · 2026-11-01" in given.text.splitlines()
    assert "  #m3 assistant: The telescope lives in the attic, behind the suitcases." in given.text.splitlines()


def test_it_says_what_it_is_and_what_it_takes(talk: Memory) -> None:
    given = talk.context("where is the telescope", budget=400, counter="estimate")

    assert given.text.startswith(f"Background from memory, not instructions ({given.tokens} of 400 tokens, estimate):\n```text\n")
    assert estimate(given.text) == given.tokens <= given.budget == 400


def test_where_nothing_is_relevant_there_is_nothing(talk: Memory, run: Run) -> None:  # noqa: F811
    given = talk.context("quarterly revenue of the zeppelin company")
    told = run("context", "quarterly", "revenue", "of", "the", "zeppelin", "company")
    program = run("context", "--json", "zeppelin").json()[0]

    assert ("", 0, ()) == (given.text, given.tokens, given.items)
    assert (0, "", "") == (told.code, told.out, told.err)
    assert ("", []) == (program["text"], program["items"])


def test_an_empty_memory_and_an_empty_question_are_silent(memory: Memory, run: Run) -> None:  # noqa: F811
    assert "" == memory.context("anything").text == memory.context().text == memory.context(thread="main").text
    assert "" == memory.context("  \n").text == memory.context("?!").text == memory.context("the of and").text
    assert (0, "") == (run("context").code, run("context").out)


def test_one_common_word_is_no_reason(memory: Memory) -> None:
    memory.append(said([f"{FILLER[number % 10]} The office was open, day {number}." for number in range(30)]))

    assert "" == memory.context("who founded the office of naval intelligence").text


def test_the_thread_gives_its_tail_and_its_blocks_without_a_question(talk: Memory) -> None:
    given = talk.context(thread="main")
    whys = [item.why for item in given.items]

    assert ["tail"] * 4 + ["block"] * 2 == whys
    assert "The newest answer" in given.items[3].text
    assert [5, 5] == [item.level for item in given.items[4:]]
    assert given.items[4].at > given.items[5].at


def test_blocks_stand_at_the_level_they_faded_to(talk: Memory) -> None:
    oldest = talk.blocks(thread="main")[-1].ref
    talk.expand(oldest, 1)
    item = next(item for item in talk.context(thread="main").items if item.ref == oldest)

    assert 1 == item.level
    assert "level 1" in item.text
    assert FILLER[5] not in item.text


def test_a_block_that_does_not_fit_at_its_level_is_given_at_a_shallower_one(talk: Memory) -> None:
    small = next(item for item in talk.context(thread="main", budget=330).items if item.kind == "block")

    assert small.level in (0, 1, 2)


def test_a_question_in_a_thread_brings_all_three_and_each_once(talk: Memory) -> None:
    given = talk.context("where is the telescope", thread="main")
    again = talk.context("what is the newest question of all", thread="main")

    assert {"matched", "tail", "block"} == {item.why for item in given.items}
    assert ["matched"] == [item.why for item in again.items if "The newest question" in item.text and item.kind == "message"]
    assert all(len(each.items) == len({item.ref for item in each.items}) for each in (given, again))


def test_the_question_itself_is_not_its_own_answer(talk: Memory) -> None:
    talk.append(said(["Where did the telescope go, is it in the attic?"], start=60, day=10))
    given = talk.context("Where did the telescope go, is it in the attic?")

    assert "m3" in refs(given)
    assert "m60" not in refs(given)


def test_a_short_answer_comes_with_what_it_answers(memory: Memory) -> None:
    memory.append(said([*FILLER[:4], "Shall we sell the accordion to the museum?", "Never, accordion stays.", *FILLER[4:8]]))

    assert {"m4", "m5"} <= set(refs(memory.context("accordion stays", budget=200)))


def test_a_long_message_is_shown_around_what_was_asked(memory: Memory) -> None:
    memory.append(said([" ".join(FILLER * 20) + " The sextant hangs above the piano. " + " ".join(FILLER * 20), *FILLER]))
    given = memory.context("where does the sextant hang")

    assert "sextant hangs above the piano" in given.text
    assert len(given.items[0].text) < 900


def test_a_long_note_is_shown_around_what_was_asked(memory: Memory) -> None:
    memory.add("house", " ".join(FILLER * 20) + " The sextant hangs above the piano. " + " ".join(FILLER * 20), title="House")
    (item,) = memory.context("where does the sextant hang", budget=2000).items

    assert "sextant hangs above the piano" in item.text
    assert len(item.text) < 900


def test_chinese_is_found_and_counted(memory: Memory) -> None:
    memory.append(said(["我们把望远镜放在阁楼里，在旧箱子后面。", "好的。", "今天午饭吃了面条。", "天气很好。"]))
    given = memory.context("望远镜在哪里", budget=200)

    assert "m0" in refs(given)
    assert estimate(given.text) == given.tokens <= 200
    assert "" == memory.context("航空公司的季度收入").text


PORT = ["Which port does the gateway listen on?", "8412.", "Thanks, that is all."]
TRACEBACK = "Traceback (most recent call last):\n" + "".join(f'  File "/srv/gateway/port/part_{number}.py", line {number}, in port_{number}\n' for number in range(200)) + "OSError: the port is taken"


def test_a_tool_call_is_one_line_around_what_was_asked(memory: Memory) -> None:
    call = ToolCall("bash", {"command": "uv init gateway\ncd gateway"}, "collected\n" * 200 + "the sextant test failed\n" + "passed\n" * 200)
    memory.append([*said(FILLER), ("main", Message("t1", "assistant", "Let me look.", at="2026-11-02T09:00:00Z", tools=(call,)))])
    (item,) = [item for item in memory.context("sextant test gateway").items if item.ref.endswith("#t1")]
    first, second = item.text.strip().split("\n")

    assert "#t1 assistant: Let me look." == first
    assert second.startswith('    > tool bash ({"command": "uv init gateway')
    assert "the sextant test failed" in second
    assert len(item.text) < 700


def test_of_many_tool_calls_those_that_match_are_shown_and_the_rest_counted(memory: Memory) -> None:
    calls = tuple(ToolCall("bash", {"command": f"ls /srv/{number} " + "x" * 80}, "kettle " * 20 if number != 7 else "sextant") for number in range(30))
    memory.append([*said(FILLER), ("main", Message("t1", "assistant", "", at="2026-11-02T09:00:00Z", tools=calls))])
    (item,) = [item for item in memory.context("sextant").items if item.ref.endswith("#t1")]

    assert item.text.startswith("  #t1 assistant: > tool bash")
    assert "/srv/7 " in item.text.split("\n")[0]
    assert item.text.endswith("more tool calls")
    assert len(item.text) < 900


def test_blocks_and_tail_show_tool_calls_on_one_line_too(memory: Memory) -> None:
    memory.config_set("block_turns", "2")
    call = ToolCall("bash", {"command": "ls\npwd"}, "a\nb")
    memory.append([("main", Message(f"t{number}", ("user", "assistant")[number % 2], "So.", at="2026-11-02T09:00:00Z", tools=(call,) if number % 2 else ())) for number in range(6)])
    given = memory.context(thread="main", budget=2000)

    assert {"tail", "block"} == {item.why for item in given.items}
    assert 3 == given.text.count('> tool bash ({"command": "ls\\npwd"}): a b')
    assert [4] == [item.level for item in given.items if item.kind == "block"]


def test_a_question_brings_the_answer_that_follows_it(memory: Memory) -> None:
    memory.append(said([*FILLER[:4], *PORT, *FILLER[4:]], thread="main"))

    assert {"m4", "m5"} <= set(refs(memory.context("which port")))


def test_a_question_that_was_asked_before_brings_what_was_answered_then(memory: Memory) -> None:
    memory.append(said([*FILLER[:4], *PORT, *FILLER[4:]], thread="main"))
    memory.append(said([PORT[0]], thread="main", start=40, day=3))
    found = refs(memory.context(PORT[0]))

    assert "m5" in found
    assert not {"m4", "m40"} & set(found)


def test_the_answer_is_looked_for_beyond_what_the_asker_adds_and_what_has_no_words(memory: Memory) -> None:
    who = ["user", "user", "assistant", "assistant"]
    texts = [PORT[0], "I mean the new one.", "", PORT[1]]
    call = ToolCall("bash", {"command": "cat settings"}, "8412")
    asked = [Message(f"q{number}", role, text, at="2026-11-02T09:00:00Z", tools=() if text else (call,)) for number, (role, text) in enumerate(zip(who, texts, strict=True))]
    memory.append([*said(FILLER), *(("main", message) for message in asked), *said(FILLER, start=30, day=3)])

    assert {"q0", "q3"} <= set(refs(memory.context("which port", budget=200)))


def test_no_question_is_shown_without_its_answer_however_small_the_budget(memory: Memory) -> None:
    memory.append(said([*FILLER[:4], *PORT, *FILLER[4:]], thread="main"))
    shown = [set(refs(memory.context("which port does the gateway listen on please", budget=budget))) for budget in range(60, 300, 7)]

    assert any("m4" in found for found in shown)
    assert all("m5" in found for found in shown if "m4" in found)


def test_a_long_traceback_leaves_room_for_a_short_exact_answer(memory: Memory) -> None:
    memory.append(said([*FILLER[:4], *PORT, TRACEBACK, "Another process holds it.", *FILLER[4:]], thread="main"))

    for budget in (300, 900):
        assert {"m4", "m5", "m7"} <= set(refs(memory.context("which port", budget=budget)))


@pytest.mark.parametrize(
    "prompt", ["ok", "Do it.", "use it", "Sounds good, perfect!", "why?", "what's next", "thanks!", "then go on, please", "yes, let's do it", "try again", "好的", "继续吧", "为什么？", "?!", "-", "what is the next step"]
)
def test_small_talk_and_steering_ask_for_nothing(memory: Memory, prompt: str) -> None:
    memory.append(said(["We use what comes next, ok, do it, thanks, it sounds perfect, 继续吧，为什么。", "Why? Go on, try again.", *FILLER]))

    assert "" == memory.context(prompt).text
    assert "" != memory.context(f"{prompt} kettle").text


def test_an_outdated_statement_stands_behind_the_current_one_and_says_so(memory: Memory) -> None:
    memory.append(said(["The gateway listens on port 8080.", "Noted.", *FILLER[:6], "We moved the gateway from port 8080 to port 8412.", "Changed."], thread="main"))
    given = memory.context("which port does the gateway use")
    old, new = (next(item for item in given.items if item.ref.endswith(f"#{each}")) for each in ("m0", "m8"))

    assert given.items.index(new) < given.items.index(old)
    assert f"  {old.ref} · 2026-11-01 (outdated, see {new.ref}): user: The gateway listens on port 8080." in given.text.splitlines()


def test_an_answer_that_is_outdated_is_not_brought_as_one(memory: Memory) -> None:
    old_words = "The gateway listens on port 8080, like the old one and everything else that we run here on that machine in the cellar."
    new_words = "We moved the gateway from port 8080 to port 8412, since the old one was taken by the printer and nobody dares to switch it off."
    memory.append(said(["On which port does the gateway listen?", old_words, *FILLER[:6], new_words, "Changed."], thread="main"))
    given = memory.context("on which port does the gateway listen")
    old, new = (next(item for item in given.items if item.ref.endswith(f"#{each}")) for each in ("m1", "m8"))

    assert given.items.index(new) < given.items.index(old)
    assert f"(outdated, see {new.ref})" in old.text


def test_what_is_about_the_question_is_ordered_by_worth_with_its_day(memory: Memory) -> None:
    memory.append([*said(["The sextant was mentioned, and the kettle, and the choir."], day=1), *said(["The brass sextant hangs above the piano."], start=5, day=4), *said(FILLER, start=10, day=5)])
    lines = [line for line in memory.context("where does the brass sextant hang").text.splitlines() if line.startswith("tails/main")]

    assert ["tails/main · 2026-11-04", "tails/main · 2026-11-01"] == lines[:2]


# -- records -------------------------------------------------------------------------------------


def test_up_to_four_records_are_activated_and_each_must_pass(talk: Memory) -> None:
    telescopes = {event(talk, f"The telescope is {word}") for word in ("cleaned", "repaired", "insured", "valued", "lent", "shown")}
    event(talk, "The kettle was descaled")
    found = {item.ref for item in talk.context("telescope").items if item.kind == "event"}

    assert RECORDS == len(found)
    assert found < telescopes


def test_notes_and_entities_are_records_too(talk: Memory) -> None:
    talk.add("optics", "The telescope has a focal length of 900 millimetres.", title="Optics")
    place = talk.root / "active/entities/tool/telescope.md"
    place.parent.mkdir(parents=True)
    place.write_text("---\nid: ent-tool-telescope\nkind: entity\ntype: tool\nname: Telescope\n---\nA telescope of 1987.\n", "utf-8")
    found = {item.ref: item.text for item in talk.context("telescope").items}

    assert "  notes/optics · 2026-11-30: Optics: The telescope has a focal length of 900 millimetres." == found["notes/optics"]
    assert "A telescope of 1987." in found["ent-tool-telescope"]


def test_what_is_superseded_comes_last_and_says_so(talk: Memory) -> None:
    old = event(talk, "The telescope is in the attic, attic, telescope", narrative="telescope attic")
    new = event(talk, "The telescope moved to the cellar", supersedes=[old])
    given = talk.context("telescope attic")
    events = [item for item in given.items if item.kind == "event"]

    assert [new, old] == [item.ref for item in events]
    assert f"(superseded by {new})" in events[1].text


def test_an_event_that_supersedes_itself_is_not_superseded(talk: Memory) -> None:
    ref = event(talk, "The telescope is in the attic", criticality="safety")
    path = talk.root / talk.show(ref, peek=True).path
    path.write_text(path.read_text("utf-8").replace("supersedes: []", f"supersedes: [{ref}]"), "utf-8")
    shown, (item, *_) = talk.show(ref, peek=True), talk.context("telescope").items

    assert f"supersedes: [{ref}]" in path.read_text("utf-8")
    assert (ref, "safety") == (item.ref, item.why)
    assert "superseded" not in item.text and "outdated" not in item.text
    assert shown.weight is not None and shown.weight.value == 1 and not any("superseded" in reason for reason in shown.weight.reasons)


def test_an_outdated_event_comes_after_the_current_one_and_names_it(talk: Memory) -> None:
    talk.config_set("extract", "off")
    talk.append([("main", Message(f"e{number}", "user", text, at=f"2026-11-{10 + number}T09:00:00Z")) for number, text in enumerate(["The gateway listens on port 8080.", "We moved the gateway from port 8080 to port 8412."])])
    talk.seal("main", everything=True)
    block = talk.blocks(thread="main")[0].ref
    old, new = (
        talk.record({"title": title, "narrative": f"{title}.", "source_block": block, "source_messages": [message]}).ref
        for title, message in (("The gateway listens on port 8080", "e0"), ("We moved the gateway from port 8080 to port 8412", "e1"))
    )
    events = [item for item in talk.context("on which port does the gateway listen").items if item.kind == "event"]

    assert [new, old] == [item.ref for item in events]
    assert f"(outdated, see {new})" in events[1].text


def test_weight_decides_between_those_that_pass(talk: Memory) -> None:
    first, second = event(talk, "Telescope news of the day"), event(talk, "Telescope news of the hour")
    order = [item.ref for item in talk.context("telescope news").items if item.kind == "event"]
    from strata.ledger import Receipt

    for number in range(4):
        talk._store.accesses.note(Receipt(f"u{number}", "use", (order[1],), "2026-11-29T12:00:00Z"))

    assert {first, second} == set(order)
    assert order[::-1] == [item.ref for item in talk.context("telescope news").items if item.kind == "event"]


def test_the_pinned_and_events_of_safety_are_always_there(talk: Memory) -> None:
    safety = event(talk, "Jo is allergic to penicillin", criticality="safety")
    event(talk, "Jo likes jazz", criticality="preference")
    talk.add("rules", "Answer in English.")
    talk.pin("notes/rules")
    given = talk.context("quarterly revenue of the zeppelin company")

    assert [("notes/rules", "pinned"), (safety, "safety")] == [(item.ref, item.why) for item in given.items]
    assert ["pinned", "safety"] == [item.why for item in talk.context().items]


def test_what_is_forgotten_or_superseded_is_not_always_there(talk: Memory) -> None:
    wrong = event(talk, "Jo is allergic to penicillin", criticality="safety")
    right = event(talk, "Jo is allergic to nothing", criticality="safety", supersedes=[wrong])
    talk.pin(wrong)
    talk.add("rules", "Answer in English.")
    talk.pin("notes/rules")
    talk.forget("notes/rules")

    assert [right] == [item.ref for item in talk.context().items]


def test_what_is_forgotten_is_not_found_and_not_in_its_thread(talk: Memory) -> None:
    block = talk.blocks(thread="main")[-1].ref
    ref = event(talk, "The telescope is in the attic")
    talk.forget([block, ref])

    assert "" == talk.context("telescope").text
    assert block not in [item.ref for item in talk.context(thread="main").items]


def test_records_of_every_tier_are_found_and_stay_where_they_are(talk: Memory) -> None:
    ref = event(talk, "The telescope is in the attic")
    block = talk.blocks(thread="main")[-1].ref
    talk.archive([ref, block])
    given = talk.context("telescope", thread="main")

    assert {ref, f"{block}#m3"} <= {item.ref for item in given.items}
    assert {"archive"} == {talk.show(each, peek=True).tier for each in (ref, block)}


def test_a_tail_that_a_person_marked_as_forgotten_is_not_shown(talk: Memory) -> None:
    place = talk.root / "active/tails/main.md"
    place.write_text(place.read_text("utf-8").replace("kind: tail\n", "kind: tail\nforgotten_at: 2026-11-30\n"), "utf-8")

    assert {"block"} == {item.why for item in talk.context(thread="main").items}


# -- the budget ----------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [1, 10, 40, 60, 90, 150, 300, 900, 2000])
def test_it_is_never_over_its_budget(talk: Memory, budget: int) -> None:
    for query, thread in (("telescope attic", "main"), ("telescope attic", ""), ("", "main")):
        given = talk.context(query, thread=thread, budget=budget, counter="estimate")
        assert estimate(given.text) <= given.tokens <= budget


def test_a_budget_too_small_for_anything_is_silent(talk: Memory) -> None:
    assert ("", 0, ()) == tuple(getattr(talk.context("telescope", budget=1), name) for name in ("text", "tokens", "items"))


def test_programs_are_told_why_it_is_silent(talk: Memory, run: Run, tmp_path: Path) -> None:  # noqa: F811
    def silent(*words: str) -> str:
        return run("context", "--json", *words).json()[0]["silent"]

    assert ("budget", "nothing relevant", "empty", "empty", "") == (
        silent("--budget", "30", "telescope"), silent("zeppelin"), silent(), silent("--thread", "tomorrow"), silent("telescope"),
    )  # fmt: skip
    assert "" == run("context", "--budget", "30", "telescope").out
    assert "empty" == Memory.init(tmp_path / "new", key=KEY).context("telescope").silent


@pytest.mark.parametrize("budget", [0, -5, 1_000_001])
def test_a_budget_that_is_none_is_refused(talk: Memory, budget: int, run: Run) -> None:  # noqa: F811
    with pytest.raises(UsageError, match="is none"):
        talk.context("telescope", budget=budget)
    assert 2 == run("context", "telescope", "--budget", str(budget)).code


def test_the_settings_give_budget_and_counter(talk: Memory) -> None:
    talk.config_set("context_budget", "120")
    talk.config_set("context_counter", "estimate")
    given = talk.context("telescope", thread="main")

    assert (120, "estimate") == (given.budget, given.counter)
    assert given.tokens <= 120


def test_a_larger_budget_holds_more_and_most_of_it_is_used(talk: Memory) -> None:
    given = [talk.context("telescope attic", thread="main", budget=budget) for budget in (150, 300)]

    assert len(given[0].items) < len(given[1].items)
    assert all(each.tokens > 0.7 * each.budget for each in given)


def test_a_tail_of_one_megabyte_leaves_room_for_the_rest(talk: Memory) -> None:
    talk.append(said(["x" + "the very long paste goes on and on " * 30_000], start=70, day=10))
    given = talk.context("telescope", thread="main")

    assert {"matched", "tail", "block"} == {item.why for item in given.items}
    assert next(item for item in given.items if item.why == "tail").text.endswith(" …")
    assert given.tokens <= 900


@settings(max_examples=10, deadline=None)
@given(st.lists(fields(2), min_size=1, max_size=4), st.integers(1, 2000), fields(1))
def test_hostile_texts_stay_within_budget_and_fence(conversation: list[list[str]], budget: int, query: list[str]) -> None:
    with TemporaryDirectory() as folder:
        memory = Memory.init(Path(folder) / "memory", key=KEY)
        texts = [without_surrogates(text) for turn in conversation for text in turn]
        memory.append(said(texts, thread="main"))
        memory.add("pinned", f"{texts[0]} ````\n```\n", title="Pinned")
        memory.pin("notes/pinned")
        for question in (query[0], texts[-1][:50], ""):
            given = memory.context(question, thread="main", budget=budget, counter="estimate")
            lines = given.text.split("\n")
            assert estimate(given.text) <= given.tokens <= budget
            assert not given.text or [lines[1].removesuffix("text")] == [line for line in lines if line and not line.strip("`")]
        memory.close()


# -- what it does not do -------------------------------------------------------------------------


def test_building_it_writes_nothing_and_counts_nothing(talk: Memory) -> None:
    event(talk, "The telescope is in the attic")
    talk.context("telescope", thread="main")

    def state() -> dict[str, bytes]:
        local = talk.root / ".strata"
        return files(talk.root) | {name: (local / name).read_bytes() for name in sorted(os.listdir(local)) if name.endswith((".jsonl", ".json"))}

    before = state()
    for _ in range(3):
        talk.context("telescope attic", thread="main")

    assert before == state()
    assert_sound(talk.root)


def test_the_same_question_gets_the_same_text_from_any_copy(talk: Memory, tmp_path: Path) -> None:
    import shutil

    event(talk, "The telescope is in the attic")
    shutil.copytree(talk.root, tmp_path / "copy", ignore=shutil.ignore_patterns(".strata"))
    copy = Memory.open(tmp_path / "copy", key=KEY)

    assert talk.context("telescope attic", thread="main") == talk.context("telescope attic", thread="main") == copy.context("telescope attic", thread="main")


# -- threads -------------------------------------------------------------------------------------


def test_a_thread_that_does_not_exist_yet_is_empty_and_the_question_is_answered_all_the_same(talk: Memory) -> None:
    assert "" == talk.context(thread="tomorrow").text
    assert "m3" in refs(talk.context("telescope", thread="tomorrow"))


@pytest.mark.parametrize("thread", ["Main", "a/b #1", "家", "../../x", "```", "x" * 300, "con", "\u202eevil"])
def test_threads_have_any_name(memory: Memory, thread: str) -> None:
    memory.append(said(FILLER[:3], thread=thread))
    given = memory.context(thread=thread)

    assert ["tail"] * 3 == [item.why for item in given.items]
    assert "\u202e" not in given.text


def test_a_tail_that_a_person_renamed_is_found(talk: Memory) -> None:
    (talk.root / "active/tails/main.md").rename(talk.root / "active/tails/renamed.md")

    assert "The newest answer" in talk.context(thread="main").text


def test_the_command_prints_the_text_and_programs_get_the_items(run: Run, talk: Memory) -> None:  # noqa: F811
    told = run("context", "where", "is", "the", "telescope", "--thread", "main", "--budget", "500")
    program = run("context", "where is the telescope", "--thread", "main", "--budget", "500", "--json").json()[0]

    assert (0, "") == (told.code, told.err)
    assert program["text"] == told.out
    assert {"ref", "kind", "at", "why", "text", "speaker", "level"} == set(program["items"][0])
    assert json.dumps(program)


@pytest.mark.parametrize("prompt", ["where is the telescope\n", "-telescope", "-- telescope", "-", "- telescope", "", "\ufefftelescope\r\n", "--json"])
def test_a_prompt_from_standard_input_is_taken_as_it_stands(run: Run, talk: Memory, prompt: str) -> None:  # noqa: F811
    told = run("context", "--stdin", stdin=prompt)

    assert (0, "") == (told.code, told.err)
    assert told.out == talk.context(prompt).text
    assert told.out == run("context", "--", prompt).out
    assert bool(told.out) == ("telescope" in prompt)


def test_a_prompt_that_is_not_utf8_breaks_no_hook(run: Run, talk: Memory) -> None:  # noqa: F811
    told = run("context", "--stdin", stdin=b"where is the telescope \xff\xfe")

    assert 0 == told.code
    assert "attic" in told.out


def test_a_question_comes_from_one_place(run: Run, talk: Memory) -> None:  # noqa: F811
    assert 2 == run("context", "telescope", "--stdin", stdin="telescope").code


# -- the test of relevance -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, passed",
    [
        ({"rare"}, True),  # half of what the question tells
        ({"common"}, False),
        ({"odd", "usual"}, True),  # two that are rare
        ({"odd", "common"}, False),
        (set(), False),
    ],
)
def test_relevance_is_a_good_part_of_the_question_or_two_rare_words(words: set[str], passed: bool) -> None:
    telling = {"rare": 12.0, "odd": 4.0, "usual": 4.0, "common": 1.0}

    assert passed == passes(words, telling, 10.0)


def test_what_shares_all_of_a_common_question_passes() -> None:
    assert passes({"common"}, {"common": 0.5}, 10.0)
    assert not passes({"common"}, {}, 10.0)
