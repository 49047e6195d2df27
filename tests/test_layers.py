"""The levels of a block: what each leaves out, what none may lose, and that each is no larger than the deeper one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import layers
from strata.model import Message, Summary, ToolCall
from strata.smalltalk import SmallTalk, small_talk
from strata.transcript import decode, encode

PARAGRAPH = "The deployment failed because the certificate of the staging host had expired two days before anybody looked."
CODE = "```python\nfor row in rows:\n    print(row)\n```"


def talk(*texts: str, roles: tuple[str, str] = ("user", "assistant")) -> list[Message]:
    return [Message(f"m{number}", roles[(number - 1) % 2], text) for number, text in enumerate(texts, 1)]


def kept(level: int, messages: list[Message]) -> list[Message]:
    return list(decode(layers.render(level, messages, None).encode()))


def test_the_deepest_level_is_the_stored_transcript() -> None:
    messages = [Message("m1", "user", "## user · m9\nnot a heading", at="2026-11-30T11:50:02Z"), Message("m2", "tool", "", tools=(ToolCall("ls", {"a": 1}, "x"),))]

    assert encode(messages).decode() == layers.render(5, messages, None)


def test_near_verbatim_keeps_every_text_and_makes_a_tool_call_one_line() -> None:
    call = ToolCall("read_file", {"path": "a.py", "lines": [1, 2]}, "first\nsecond\n" + "x" * 9_000)
    messages = [Message("m1", "user", "hi", meta={"client": "x"}), Message("m2", "assistant", "Reading it.", tools=(call,))]

    first, second = kept(4, messages)

    assert ("hi", {}) == (first.text, first.meta)
    text, line = second.text.split("\n")
    assert "Reading it." == text
    assert line.startswith('> tool read_file ({"path": "a.py", "lines": [1, 2]}): first second xxx')
    assert line.endswith("… [9013 characters]")
    assert len(line) < 700


def test_condensed_keeps_name_and_160_characters_of_the_result_and_no_arguments() -> None:
    call = ToolCall("read_file", {"path": "secret-argument"}, "y" * 500)

    (message,) = kept(3, [Message("m1", "assistant", "", tools=(call,))])

    assert f"> tool read_file: {'y' * 159}…" == message.text


def test_condensed_leaves_out_messages_that_only_keep_company() -> None:
    messages = talk("Hello!", "Hi there 👋", "The port is 8080.", "Thanks!", "你好", "您好！", "谢谢", "再见。", "Gracias, adiós", "merci")

    assert ["m3"] == [message.id for message in kept(3, messages)]


def test_a_bare_confirmation_goes_unless_it_answers() -> None:
    messages = talk("The port is 8080.", "Okay, got it.", "Shall I delete the table?", "Yes.", "要不要部署到生产环境", "好的", "I propose to use pnpm", "Sounds good!")

    assert ["m1", "m3", "m4", "m5", "m6", "m7", "m8"] == [message.id for message in kept(3, messages)]


def test_small_talk_between_question_and_answer_does_not_hide_the_question() -> None:
    messages = talk("Delete the table?", "hello", "yes", "", "Noted in the log.", "ok")

    assert ["m1", "m3", "m4", "m5"] == [message.id for message in kept(3, messages)]


def test_a_question_mark_in_code_asks_nothing() -> None:
    messages = talk("```js\nconst a = b ? c : d\n```\nThat is the line in question, and it is fine as it stands today.", "ok")

    assert ["m1"] == [message.id for message in kept(3, messages)]


@pytest.mark.parametrize("text", ["No.", "no thanks", "Yes, but not on Mondays", "ok 8080", "Thanks for the port number", "不要", "不好", "👎", "y/n", "Hello world", "", "好的，但是周三"])
def test_whatever_says_more_than_a_phrase_stays(text: str) -> None:
    assert small_talk(text) is None
    assert ["m1", "m2"] == [message.id for message in kept(3, talk("The port is 8080.", text))]


def test_those_present_may_be_addressed_by_name() -> None:
    assert SmallTalk.COURTESY is small_talk("Hey Bea! Thanks, Dorothea.", ["Beatrix", "Dorothea"])
    assert SmallTalk.CONFIRMATION is small_talk("Absolutely, Bea", ["Beatrix"])
    assert small_talk("Hey Bea!", ["Dorothea"]) is None
    assert small_talk("Hi me", ["Beatrix"]) is None


def test_a_message_with_a_tool_call_is_never_left_out() -> None:
    messages = [Message("m1", "user", "Run the tests."), Message("m2", "assistant", "ok", tools=(ToolCall("pytest", None, "3 failed"),))]

    assert "ok\n> tool pytest: 3 failed" == kept(3, messages)[1].text


@pytest.mark.parametrize("passage", [PARAGRAPH, CODE, "First line\n" + PARAGRAPH + "\nlast line"])
def test_an_exact_repeat_points_to_the_first(passage: str) -> None:
    messages = talk(f"See this:\n\n{passage}", f"You pasted:\n\n{passage}\n\nI read it.")

    first, second = kept(3, messages)

    assert messages[0].text == first.text
    assert "You pasted:\n\n[as in m1]\n\nI read it." == second.text


def test_a_long_line_repeats_within_another_paragraph() -> None:
    messages = talk(f"{PARAGRAPH} {PARAGRAPH[::-1]}\n{PARAGRAPH}", f"Before\n{PARAGRAPH}\nafter\n\n{PARAGRAPH}")

    assert ["Before\n[as in m1]\nafter\n\n[as in m1]"] == [message.text for message in kept(3, messages)[1:]]
    assert ["[as above]"] == [kept(3, talk(f"{PARAGRAPH}\n\n{PARAGRAPH}"))[0].text.split("\n")[-1]]


def test_short_or_merely_similar_passages_stay() -> None:
    messages = talk(f"Port 8080 it is.\n\n{PARAGRAPH}", f"Port 8080 it is.\n\n{PARAGRAPH.upper()}", PARAGRAPH + "!")

    assert messages == kept(3, messages)


def test_the_upper_levels_say_what_the_summary_says() -> None:
    messages = talk(*[f"{PARAGRAPH} {number}" for number in range(12)])
    summary = Summary("Expired certificate", ("staging", "tls"), "The certificate had expired.", ("expired two days before (m1)",))

    assert "Expired certificate (m1 to m12)\n[staging, tls]\n" == layers.render(0, messages, summary)
    assert "Expired certificate (m1 to m12)\nThe certificate had expired.\n" == layers.render(1, messages, summary)
    assert "Expired certificate (m1 to m12)\n[staging, tls]\nThe certificate had expired.\n- expired two days before (m1)\n" == layers.render(2, messages, summary)


def test_without_a_summary_the_upper_levels_are_the_condensed_one() -> None:
    messages = talk("hi", PARAGRAPH)

    assert {layers.render(3, messages, None)} == {layers.render(level, messages, None) for level in (0, 1, 2)}


def test_a_level_that_would_be_larger_or_empty_is_the_deeper_one() -> None:
    greetings = talk("hi", "hello")
    long = Summary("t" * 120, ("tag",) * 12, "s" * 600, ("k" * 290 + " (m1)",))

    assert {encode(greetings).decode()} == {layers.render(level, greetings, long) for level in range(6)}


def test_only_six_levels_exist() -> None:
    for level in (-1, 6):
        with pytest.raises(ValueError, match="0 to 5"):
            layers.render(level, [], None)


def test_detail_decays_with_the_blocks_that_follow() -> None:
    # w = exp(-0.30 · age): 1, .74 | .55 | .41, .30 | .22, .17 | .12, .09 | .07
    assert [0, 0, 1, 2, 2, 3, 3, 4, 4, 5, 5] == [layers.decayed_level(age) for age in range(11)]


def test_a_hostile_text_is_condensed_in_linear_time() -> None:
    messages = talk("吗" + " " * 1_000_000 + "x", "ok", "```\n" * 50_000, "yes", "? " * 200_000, "好")

    assert "m5" in layers.render(3, messages, None)


words = st.sampled_from(["hi", "yes", "ok 👍", "Shall I?", PARAGRAPH, CODE, "好的", "要不要", "## user · m1", "", "\ud800", "\x1b[2J", "\u2028", "é" * 100, "```", "🎉" * 50])
texts = st.lists(words | st.text(max_size=30), max_size=5).map("\n".join) | st.lists(words, max_size=3).map("\n\n".join)
payloads = st.none() | st.text(max_size=300) | st.dictionaries(st.text(max_size=5), st.integers() | words, max_size=3)
blocks = st.lists(
    st.builds(
        Message,
        st.text(min_size=1, max_size=4).filter(lambda ident: "\n" not in ident),
        st.sampled_from(["user", "assistant", "tool"]),
        texts,
        speaker=st.sampled_from(["", "Bea"]),
        at=st.just(""),
        tools=st.lists(st.builds(ToolCall, st.text(max_size=5), payloads, payloads), max_size=2).map(tuple),
        meta=st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=1),
    ),
    max_size=6,
)
summaries = st.none() | st.builds(Summary, st.text(max_size=40), st.lists(st.text(max_size=9)).map(tuple), st.text(max_size=60), st.lists(words).map(tuple))


@settings(deadline=None)
@given(blocks, summaries)
def test_no_level_is_larger_than_the_deeper_one(messages: list[Message], summary: Summary | None) -> None:
    shown = [layers.render(level, messages, summary) for level in range(6)]

    for level in range(5):
        assert len(shown[level]) <= len(shown[level + 1])
        assert len(shown[level].encode()) <= len(shown[level + 1].encode())
    assert bool(messages) is all(shown)


@settings(deadline=None)
@given(blocks)
def test_condensing_invents_no_line(messages: list[Message]) -> None:
    said = {line for message in messages for line in message.text.split("\n")}
    condensed = layers._condensed(messages)

    for message in decode(condensed.encode()) if condensed else ():
        for line in message.text.split("\n"):
            assert line in said or line.startswith(("> tool", "[as in ", "[as above]"))


@settings(deadline=None)
@given(texts)
def test_passages_joined_are_the_text_again(text: str) -> None:
    assert text == "\n".join(passage for _, passage in layers._passages(text))
