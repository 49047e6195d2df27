"""The rules of the evidence gate: what an assessment may claim, and what is doubted about it."""

from __future__ import annotations

from typing import Any

import pytest
from hostile import fields as texts
from hypothesis import given, settings
from hypothesis import strategies as st

from strata import gate, road
from strata.assessment import ANSWER, STRATEGIES, VERDICTS, Assessment, Doubt, Rejected, Seen
from strata.doubts import COARSE, Piece, doubts, written
from strata.errors import UsageError
from strata.model import Entry
from strata.shadow.terms import query_terms, terms
from strata.timewords import day_words

BATCH = {"evt-20261130-aaaaaa": "event", "blk-20261130-bbbbbb#m1": "message", "blk-20261130-cccccc": "block", "ent-person-jo": "entity"}


def judge(ref: str) -> str | Rejected:
    return ref if ref in BATCH else Rejected(ref, "not_in_batch")


def settled(searched: tuple[str, ...] = (), **fields: Any) -> tuple[Assessment, list[str]]:
    claim = gate.claim(fields)
    accepted, _ = gate.sift(claim.refs, judge)
    stands, notes = gate.settle(claim, accepted, BATCH, searched)
    return stands, [note.code for note in notes]


EVENT, MESSAGE, BLOCK, ENTITY = BATCH


# -- the five fields --------------------------------------------------------------------------


def test_a_sound_claim_stands_as_it_was_made() -> None:
    stands, notes = settled(verdict="sufficient", evidence_refs=[MESSAGE], fit="says last week", next_strategy="answer")

    assert Assessment("sufficient", (MESSAGE,), "says last week", "", "answer") == stands
    assert [] == notes


def test_case_and_blanks_around_a_word_do_not_matter() -> None:
    assert "sufficient" == settled(verdict=" Sufficient ", evidence_refs=f" {MESSAGE} ", next_strategy="ANSWER")[0].verdict


@pytest.mark.parametrize(
    "fields, why",
    [
        ({"evidence_refs": []}, "nothing is cited"),
        ({"evidence_refs": ["blk-20261130-zzzzzz#m1"]}, "the evidence is of another batch"),
        ({"evidence_refs": [MESSAGE], "next_strategy": "search_events"}, "it goes on searching"),
        ({"evidence_refs": [MESSAGE], "missing": "the year"}, "something is missing"),
    ],
)
def test_sufficient_becomes_partial_where_it_is_not_borne_out(fields: dict[str, Any], why: str) -> None:
    stands, notes = settled(verdict="sufficient", **fields)

    assert "partial" == stands.verdict, why
    assert ANSWER != stands.next_strategy
    assert ["downgraded"] == notes


@pytest.mark.parametrize("nothing", ["none", "None.", "-", "n/a", "  ", "无", "没有。"])
def test_saying_that_nothing_is_missing_is_not_missing_something(nothing: str) -> None:
    assert "sufficient" == settled(verdict="sufficient", evidence_refs=[MESSAGE], missing=nothing)[0].verdict


def test_a_wrong_batch_has_no_evidence() -> None:
    stands, notes = settled(verdict="wrong", evidence_refs=[MESSAGE])

    assert ((), ["contradiction"]) == (stands.evidence_refs, notes)


@pytest.mark.parametrize("verdict", ["partial", "wrong"])
def test_what_is_not_sufficient_is_not_answered(verdict: str) -> None:
    stands, notes = settled(verdict=verdict, next_strategy="answer")

    assert ("search_raw_memory", ["contradiction"]) == (stands.next_strategy, notes)


@pytest.mark.parametrize(
    "refs, searched, best",
    [
        ([EVENT], (), "expand_event"),
        ([MESSAGE], (), "expand_block"),
        ([BLOCK], (), "expand_block"),
        ([ENTITY], (), "expand_graph_node"),
        ([], (), "search_raw_memory"),
        ([], ("event",), "search_raw_memory"),
        ([], ("message",), "search_events"),
    ],
)
def test_the_best_strategy_goes_deeper_or_elsewhere(refs: list[str], searched: tuple[str, ...], best: str) -> None:
    assert best == settled(searched, verdict="partial", evidence_refs=refs)[0].next_strategy


def test_a_strategy_of_its_own_is_kept() -> None:
    assert "search_graph" == settled(verdict="partial", evidence_refs=[EVENT], next_strategy="search_graph")[0].next_strategy


def test_texts_are_folded_to_one_line_and_cut() -> None:
    stands, notes = settled(verdict="partial", fit="a\n\n b\0c", missing="x" * 200)

    assert "a b c" == stands.fit
    assert 160 == len(stands.missing)
    assert ["cut"] == notes


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"verdict": ""},
        {"verdict": "perhaps"},
        {"verdict": 1},
        {"verdict": "partial", "next_strategy": "give up"},
        {"verdict": "partial", "fit": ["a"]},
        {"verdict": "partial", "missing": 3},
        {"verdict": "partial", "evidence_refs": 3},
        {"verdict": "partial", "evidence_refs": {"a": 1}},
        {"verdict": "partial", "confidence": 1},
        {"verdict": "\ud800"},
    ],
)
def test_fields_that_are_none_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        gate.claim(fields)


def test_every_rejected_ref_says_why() -> None:
    refs = [EVENT, EVENT, 7, "", "\0", "\ud800", "x" * 501, "../../etc/passwd", None]

    accepted, rejected = gate.sift(refs, judge)

    assert (EVENT,) == accepted
    assert ["duplicate", *["invalid_ref"] * 5, "not_in_batch", "invalid_ref"] == [each.reason for each in rejected]


def test_two_names_of_one_message_are_one_evidence() -> None:
    accepted, rejected = gate.sift(["tails/main#m1", MESSAGE], lambda ref: MESSAGE)

    assert (MESSAGE,) == accepted
    assert ["duplicate"] == [each.reason for each in rejected]


def test_eight_refs_are_the_most() -> None:
    accepted, rejected = gate.sift((f"notes/{number}" for number in range(10_000)), lambda ref: ref)

    assert 8 == len(accepted)
    assert {"limit_exceeded"} == {each.reason for each in rejected}
    assert gate.MOST_TOLD + 1 == len(rejected)
    assert "and 9,952 more were rejected" == rejected[-1].detail


ANYTHING = st.none() | st.integers() | st.text(max_size=200) | texts(1).map(lambda one: one[0])


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(VERDICTS),
    st.lists(st.sampled_from(list(BATCH)) | ANYTHING, max_size=30),
    texts(2),
    st.sampled_from(("", *STRATEGIES)),
)
def test_whatever_is_claimed_what_stands_is_bounded_and_agrees_with_itself(verdict: str, refs: list[Any], said: list[str], strategy: str) -> None:
    claim = gate.claim({"verdict": verdict, "evidence_refs": refs, "fit": said[0], "missing": said[1], "next_strategy": strategy})
    accepted, rejected = gate.sift(claim.refs, judge)
    stands, _ = gate.settle(claim, accepted, BATCH)

    assert len(refs) == len(accepted) + len(rejected)
    assert set(stands.evidence_refs) <= set(BATCH)
    assert len(stands.evidence_refs) <= 8
    assert max(len(stands.fit), len(stands.missing)) <= 160
    assert (stands.fit + stands.missing).isprintable()
    assert (stands.verdict == "sufficient") == (stands.next_strategy == ANSWER)
    assert not (stands.verdict == "sufficient" and (not stands.evidence_refs or stands.missing))
    assert not (stands.verdict == "wrong" and stands.evidence_refs)
    again = gate.claim(stands._asdict())
    assert (stands, ()) == gate.settle(again, gate.sift(again.refs, judge)[0], BATCH), "assessing what stands changes nothing"


# -- the next command -------------------------------------------------------------------------


QUERY = "what's up?"
AGAIN = "-- 'what'\\''s up?'"


@pytest.mark.parametrize(
    "strategy, refs, command",
    [
        ("expand_event", (), f"strata show {EVENT} --peek"),
        ("expand_block", (MESSAGE,), "strata show blk-20261130-bbbbbb --level 4 --peek"),
        ("expand_graph_node", (), "strata show ent-person-jo --peek"),
        ("search_graph", (), f"strata search --gate --kind entity --after B {AGAIN}"),
        ("search_events", (), f"strata search --gate --kind event --after B {AGAIN}"),
        ("search_raw_memory", (), f"strata search --gate --kind message --after B {AGAIN}"),
    ],
)
def test_the_next_step_is_one_command(strategy: str, refs: tuple[str, ...], command: str) -> None:
    assert command == road.next_step(road.Road("B", QUERY), Assessment("partial", refs, next_strategy=strategy), BATCH).command


def test_what_stands_is_used() -> None:
    assert f"strata use B --refs {MESSAGE}" == road.next_step(road.Road("B", QUERY), Assessment("sufficient", (MESSAGE,), next_strategy=ANSWER), BATCH).command


def test_what_cannot_be_expanded_is_searched() -> None:
    step = road.next_step(road.Road("B", "when"), Assessment("partial", next_strategy="expand_event"), {})

    assert "strata search --gate --kind event --after B -- when" == step.command


def test_the_next_search_keeps_what_narrowed_the_first_and_puts_options_before_the_words() -> None:
    step = road.next_step(road.Road("B", "-x --limit 9", options=(("--thread", "my thread"), ("--limit", "3"))), Assessment("wrong"), {})

    assert "strata search --gate --kind message --thread 'my thread' --limit 3 --after B -- '-x --limit 9'" == step.command
    assert "strata search --gate --json --kind message " == road.told_as_json(step.command)[:43]
    assert "strata use B --none --json" == road.told_as_json("strata use B --none")


@pytest.mark.parametrize("missing", ["", "the year"])
@pytest.mark.parametrize("strategy", ["", *STRATEGIES[1:]])
@pytest.mark.parametrize("kinds", [(), ("message",), ("event",), ("block", "note")])
def test_who_only_does_what_comes_next_ends_at_not_known(kinds: tuple[str, ...], strategy: str, missing: str) -> None:
    way, commands = road.Road("B", "when", options=(("--thread", "t"),), searched=road.searched(kinds, (("--thread", "t"),))), []
    for _ in range(20):
        step = road.next_step(way, Assessment("partial", (MESSAGE,), missing=missing, next_strategy=strategy or "expand_block"), BATCH)
        commands.append(step.command)
        if step.end:
            break
        if step.opens:
            way = way._replace(opened=(*way.opened, step.opens))
        else:
            kind = step.command.partition("--kind ")[2].split(" ")[0]
            way = way._replace(searched=road.searched((kind,) if kind else (), (), way.searched, reworded="the year" in step.command), opened=())

    assert "strata use B --none" == commands[-1]
    assert len(commands) <= 12
    assert any(command.endswith("-- 'when the year'" if missing else "-- when") and "--kind" not in command and "--thread" not in command for command in commands)


def test_what_all_kinds_have_no_hit_for_is_not_searched_by_kind() -> None:
    way = road.Road("B", "zeppelin", hits=0, searched=road.searched((), (("--limit", "5"),)))

    assert road.next_step(way, Assessment("wrong", next_strategy="search_raw_memory"), {}).end
    assert "-- 'zeppelin its colour'" in road.next_step(way, Assessment("wrong", missing="its colour"), {}).command
    assert "--kind message" in road.next_step(way._replace(searched=road.searched((), (("--thread", "t"),))), Assessment("wrong"), {}).command, "a thread is not all"


def test_a_stop_leads_to_what_it_points_to_then_elsewhere_and_only_then_to_use() -> None:
    stands = Assessment("sufficient", (MESSAGE,), next_strategy=ANSWER)
    stop = (Doubt("competing", "", ("blk-20261130-dddddd#m2", MESSAGE), stop=True),)
    way = road.Road("B", "when", searched=("all",))

    assert "strata show blk-20261130-dddddd#m2 --peek" == road.next_step(way, stands, BATCH, stop).command
    assert "--kind message" in road.next_step(way._replace(opened=("blk-20261130-dddddd#m2",)), stands, BATCH, stop).command
    assert "strata use B" in road.next_step(way._replace(opened=("blk-20261130-dddddd#m2",), searched=("all", "message", "event")), stands, BATCH, stop).command
    assert "strata use B" in road.next_step(way, stands, BATCH, (stop[0]._replace(stop=False),)).command


@settings(deadline=None)
@given(texts(1))
def test_a_quoted_text_is_one_word_of_a_shell(said: list[str]) -> None:
    import shlex

    assert ["".join(filter(str.isprintable, said[0]))] == shlex.split(road.quoted(said[0]))
    assert not road.quoted(said[0]).startswith("#")


def test_a_message_is_the_same_in_whatever_block_it_lies() -> None:
    said = Entry("active/tails/main.md", "tails/main#m1", "message", "", "Use pnpm.", "2026-11-30", message="m1", speaker="Jo")

    assert gate.digest(said) == gate.digest(said._replace(path="cooled/blocks/x.md", ref="blk-x#m1", title="Tools"))
    assert gate.digest(said) != gate.digest(said._replace(text="Use npm."))
    assert gate.digest(said) != gate.digest(said._replace(at="2026-11-29"))


def test_the_same_file_says_the_same_however_it_is_digested() -> None:
    seen = Seen("notes/a", "note", "active/notes/a.md", "blob", "digest")

    assert gate.unchanged(seen, "blob", "of another version") and gate.unchanged(seen, "moved on", "digest")
    assert not gate.unchanged(seen, "moved on", "and changed")
    assert not gate.unchanged(seen._replace(blob="", digest=""), "", ""), "what could not be read was not seen"


# -- doubts -----------------------------------------------------------------------------------


def piece(ref: str, text: str, score: float = 10.0, **more: Any) -> Piece:
    return Piece(ref, more.pop("kind", "message"), text, more.pop("at", "2026-06-09T10:00:00Z"), score=score, terms=frozenset(terms(text)), **more)


def codes(query: str, cited: list[Piece], others: list[Piece] = []) -> dict[str, bool]:  # noqa: B006
    asked = written(query, query_terms(query), terms)
    return {doubt.code: doubt.stop for doubt in doubts(query, asked, [*cited, *others], [each.ref for each in cited])}


LONG = " The rest of it went on about the weather, the bus and the long way home for a while."


@pytest.mark.parametrize(
    "query, text",
    [
        ("When did Jo give the talk at the school?", "The talk at the school that I gave went so well, everybody there listened to it." + LONG),
        ("What date was the talk?", "The talk was good and everybody there listened to it until the very end of it." + LONG),
        ("你什么时候做的演讲？", "我做的演讲很成功,大家都听得很认真,没有人离开,我觉得非常开心,也谢谢所有的听众。"),
        ("演讲是几号？", "演讲很成功,大家都听得很认真,没有人离开,我觉得非常开心,也谢谢所有帮忙的听众。"),
    ],
)
def test_a_when_question_wants_a_date(query: str, text: str) -> None:
    assert "undated" in codes(query, [piece("a", text)])


@pytest.mark.parametrize(
    "query, text",
    [
        ("When did Jo give the talk?", "I gave the talk last week and it went well."),
        ("When did Jo give the talk?", "I gave the talk on 3 June and it went well."),
        ("When did Jo give the talk?", "I gave the talk in 2021."),
        ("什么时候演讲的？", "我上周做了演讲。"),
        ("什么时候演讲的？", "演讲是6月3日。"),
        ("Who gave the talk?", "Jo gave the talk."),
    ],
)
def test_a_date_or_an_anchored_word_answers_a_when_question(query: str, text: str) -> None:
    assert not {"undated", "unanchored"} & set(codes(query, [piece("a", text)]))


def test_a_relative_word_without_a_time_is_anchored_nowhere() -> None:
    assert "unanchored" in codes("When was the talk?", [piece("a", "I gave the talk last week.", at="")])


def test_an_event_that_tells_when_it_happened_is_dated() -> None:
    assert "undated" in codes("When was the talk?", [piece("a", "The talk", kind="event")])
    assert "undated" not in codes("When was the talk?", [piece("a", "The talk", kind="event", dated=True)])


@pytest.mark.parametrize("query", ["Which books has Ada read?", "What are all the books Ada read?", "What kinds of books does Ada read?", "列出 books", "哪些 books Ada read"])
def test_a_list_question_names_the_hits_that_were_not_cited(query: str) -> None:
    cited, other = piece("a", "Ada read books: Dune." + LONG), piece("b", "Ada read more books: Emma." + LONG, 2.0)

    assert "partial_list" in codes(query, [cited], [other])
    assert "partial_list" not in codes(query, [cited, other])
    assert "partial_list" not in codes("Who wrote the books Ada read?", [cited], [other])


def test_hits_that_fit_as_well_and_are_not_cited_compete() -> None:
    cited = piece("a", "The door of the shed is blue." + LONG)

    def rivals(*scores: float, **more: Any) -> list[Piece]:
        return [piece(f"b{number}", "The door is red." + LONG, score, **more) for number, score in enumerate(scores)]

    assert codes("colour of the door", [cited], rivals(9.9, 9.8, 9.7))["competing"]
    assert not codes("colour of the door", [cited], rivals(8.0, 7.0, 7.0))["competing"], "worth a remark, not worth stopping for"
    assert "competing" not in codes("colour of the door", [cited], rivals(9.9, 5.0, 4.0)), "one rival is the rule"
    assert "competing" not in codes("colour of the door", [cited], rivals(9.9, 9.9, 9.9, kind="event")), "scores of other kinds are not compared"
    assert "competing" not in codes("colour of the door", [cited, *rivals(9.9, 9.8, 9.7)])
    assert "competing" not in codes("colour of the door", [cited._replace(score=0.0)], rivals(0.0, 0.0, 0.0))


def test_a_question_that_names_the_day_of_a_message_is_covered_by_it() -> None:
    words = terms(day_words("2026-05-02T10:00:00Z"))

    assert set(query_terms("on May 2nd, 2026")) <= set(words)
    assert set(query_terms("5月2日")) <= set(words)
    assert set(query_terms("5月2号")) <= set(words)
    assert not set(query_terms("on May 3rd")) <= set(words)
    assert ["", "", ""] == [day_words(at) for at in ("", "2026", "2026-13-01")]


def test_what_is_outdated_stops_unless_the_current_is_cited_too() -> None:
    old = piece("a", "We use npm." + LONG, status="outdated", counterpart="b")
    new = piece("b", "We use pnpm." + LONG, 5.0, status="current", counterpart="a")

    assert codes("what do we use", [old], [new])["outdated"]
    assert "outdated" not in codes("what do we use", [old, new])
    assert "outdated" not in codes("what do we use", [new], [old])


@pytest.mark.parametrize("query, speaker, other", [("What does Marta paint in winter?", "Marta", "Petra"), ("小红冬天画什么？", "小红", "小明")])
def test_evidence_said_by_another_than_the_question_names_stops(query: str, speaker: str, other: str) -> None:
    theirs, ours = piece("a", "In winter I paint trees 冬天画树." + LONG, speaker=other), piece("b", "In winter I paint lakes 冬天画湖." + LONG, 5.0, speaker=speaker)

    assert codes(query, [theirs], [ours])["other_speaker"]
    assert "other_speaker" not in codes(query, [ours], [theirs])
    assert "other_speaker" not in codes(query, [theirs, ours])


def test_a_cited_question_points_to_its_answer() -> None:
    asks, answers = piece("a", "What colour has the door?" + " " * 3, follows="b"), piece("b", "It is blue.", 5.0)
    asked = {term: term for term in query_terms("colour of the door")}

    found = next(doubt for doubt in doubts("colour of the door", asked, [asks, answers], ["a"]) if doubt.code == "question")

    assert ("a", "b") == found.refs
    assert "question" not in codes("colour of the door", [asks, answers])


def test_words_that_nothing_cited_has_are_named() -> None:
    asked = {"giraff": "giraffes", "feed": "feed", "zoo": "zoo"}

    found = next(doubt for doubt in doubts("feed giraffes zoo", asked, [piece("a", "We went to the zoo." + LONG)], ["a"]) if doubt.code == "uncovered")

    assert "giraffes" in found.message and "feed" in found.message and "zoo" not in found.message


def test_good_evidence_raises_no_doubt() -> None:
    assert {} == codes("When did Marta paint the lake?", [piece("a", "I painted the lake last week, with Marta's brushes." + LONG, speaker="Marta")], [piece("b", "Boats." + LONG, 3.0, speaker="Petra")])


def test_nothing_cited_raises_no_doubt() -> None:
    assert () == doubts("when", {}, [piece("a", "x")], [])


@settings(max_examples=100, deadline=None)
@given(texts(4))
def test_no_text_is_too_odd_to_doubt(said: list[str]) -> None:
    pieces = [piece(str(number), text, speaker=said[3][:20]) for number, text in enumerate(said[:3])]
    found = doubts(said[3], {term: term for term in query_terms(said[3])}, pieces, ["0"])

    assert {doubt.code for doubt in found} <= {"outdated", "other_speaker", "competing", "coarse", "undated", "unanchored", "uncovered", "question", "thin", "partial_list"}
    assert all(doubt.points >= 0.2 for doubt in found if doubt.stop)
    assert any(doubt.stop for doubt in found) == (sum(doubt.points for doubt in found) >= 0.95)


def test_only_what_made_the_sum_says_stop() -> None:
    old = piece("a", "Tea.", status="outdated", counterpart="b")

    assert {"outdated": True, "thin": False, "uncovered": False} == codes("which coffee beans", [old], [piece("b", "Coffee." + LONG, 5.0)])


def block(*said: str, ref: str = "blk-1") -> Piece:
    whole = piece(ref, "\n".join(said), kind="block")
    return whole._replace(parts=tuple(piece(f"{ref}#m{number}", text) for number, text in enumerate(said, 1)))


def test_a_whole_block_is_coarse_and_its_message_is_named() -> None:
    talk = block("We keep bees behind the shed.", "The door of the shed is blue.", "Dinner is at eight.")
    asked = written("colour of the shed door", query_terms("colour of the shed door"), terms)

    found = next(doubt for doubt in doubts("colour of the shed door", asked, [talk], ["blk-1"]) if doubt.code == "coarse")

    assert ("blk-1", "blk-1#m2") == found.refs and not found.stop
    assert "3 messages" in found.message and "blk-1#m2" in found.message
    assert "coarse" not in codes("colour of the shed door", [piece("blk-1", "The door of the shed is blue." + LONG, kind="block")]), "one message is no crowd"


def test_a_block_whose_messages_each_have_one_word_of_the_question_stops() -> None:
    talk = block("We painted on Monday.", "The shed leaks.", "A door fell.", "Blue is my colour." + LONG)

    assert codes("which colour has the shed door", [talk])["coarse"]
    assert "uncovered" in codes("which colour has the shed door", [talk]), "no one message has them"
    assert codes("zeppelin pilots", [talk])["coarse"]
    assert "undated" in codes("when did the shed leak", [talk])


def test_a_long_note_is_coarse_and_a_short_one_is_not() -> None:
    long = piece("notes/a", "The shed is blue.\n\n" + "Filler. " * COARSE, kind="note")
    long = long._replace(parts=tuple(long._replace(text=part, terms=frozenset(terms(part))) for part in long.text.split("\n\n")))

    assert {"coarse": False} == codes("the blue shed", [long])
    assert {} == codes("the blue shed", [long._replace(parts=())])


@pytest.mark.parametrize(
    "query, text, shown",
    [
        ("王小明对什么过敏？", "今天下雨了", "nothing cited has: 王小明, 过敏"),
        ("小明喜欢吃什么火锅？", "小明今天去跑步", "nothing cited has: 喜欢吃, 火锅"),
        ("红辣火锅店铺什么", "火锅", "nothing cited has: 红辣, 店铺"),
        ("会议什么时候在几号楼开？", "x", "nothing cited has: 会议, 号楼开"),
        ("我们用pnpm deploying什么", "x", "nothing cited has: pnpm, deploying"),
        ("What are Marta’s favourite running-shoes?", "x", "nothing cited has: Marta, favourite, running"),
    ],
)
def test_absent_words_are_shown_as_they_were_written(query: str, text: str, shown: str) -> None:
    found = next(doubt for doubt in doubts(query, written(query, query_terms(query), terms), [piece("a", text)], ["a"]) if doubt.code == "uncovered")

    assert found.message.startswith(shown)


def test_characters_are_counted_and_a_chinese_one_says_more() -> None:
    def thin(text: str) -> list[str]:
        return [doubt.message for doubt in doubts("x", {}, [piece("a", text)], ["a"]) if doubt.code == "thin"]

    assert ["the evidence is 24 characters in all"] == thin("天" * 24)
    assert ["the evidence is 40 characters in all"] == thin("a" * 40)
    assert [] == thin("天" * 30)


@pytest.mark.parametrize(
    "text",
    ["It meets Fridays at 14:00.", "It meets on Fridays.", "The bus leaves 10:15.", "It is at 5 pm.", "It is on every Monday.", "It is due 11/27.", "At noon.", "会议在十一月二十八日", "二十八日开会", "每周五开会", "下午三点开会", "二〇二六年开会"],
)
def test_a_time_that_stands_by_itself_needs_no_anchor(text: str) -> None:
    assert not {"undated", "unanchored"} & set(codes("When is it? 什么时候开会", [piece("a", text, at="")]))


@pytest.mark.parametrize("text", ["上周五开会", "两天前开会", "三周前开会", "礼拜天开会", "It was on Friday."])
def test_a_weekday_or_a_distance_is_anchored_by_when_it_was_said(text: str) -> None:
    assert not {"undated", "unanchored"} & set(codes("When is it? 什么时候开会", [piece("a", text)]))
    assert "unanchored" in codes("When is it? 什么时候开会", [piece("a", text, at="")])


@pytest.mark.parametrize("text", ["The ratio is 3/4/5/6.", "It has version 1:234.", "我有一点累", "The team was good."])
def test_numbers_that_are_no_time_are_no_date(text: str) -> None:
    assert "undated" in codes("When is it? 什么时候", [piece("a", text)])


def test_who_cites_a_lower_hit_has_passed_over_the_higher_ones() -> None:
    higher, cited, lower = (piece(ref, "The door is red." + LONG, score) for ref, score in (("a", 10.0), ("b", 9.9), ("c", 9.8)))

    assert "competing" in codes("colour of the door", [higher], [cited, lower, piece("d", "Door.", 9.7)])
    assert "competing" not in codes("colour of the door", [cited], [higher, lower, piece("d", "Door.", 9.7)])


def test_an_outdated_statement_is_no_rival() -> None:
    cited, old = piece("a", "The door is red." + LONG), [piece(ref, "The door is blue.", 9.9, status="outdated", counterpart="a") for ref in "bcd"]

    assert "competing" not in codes("colour of the door", [cited], old)


def test_a_rival_with_more_of_the_questions_words_weighs_more() -> None:
    cited = piece("a", "The door is red." + LONG)

    def points(text: str) -> float:
        rivals = [piece(ref, text, 9.0) for ref in "bcd"]
        asked = {term: term for term in query_terms("colour door hinge")}
        return next(doubt.points for doubt in doubts("colour door hinge", asked, [cited, *rivals], ["a"]) if doubt.code == "competing")

    assert points("The colour of door and hinge.") > points("The door.") > points("Rain.")


# -- refs that are cut short or mistyped ------------------------------------------------------


def test_an_id_cut_short_fits_refs_of_its_own_form() -> None:
    known = ["blk-20261130-bbbbbb#m1", "evt-20261130-aaaaaa", "notes/plan"]

    assert [known[0]] == gate.fitting("blk-2026#m1", known)
    assert [known[1]] == gate.fitting("evt-2", known)
    assert [] == gate.fitting("blk-2026", known) == gate.fitting("blk-2026#m", known) == gate.fitting("notes/p", known) == gate.fitting("evt-", known)
    assert ["blk-20261130-cccccc#m7"] == gate.fitting("blk-2026#m7", known, ["blk-20261130-cccccc"])


def test_a_slip_is_like_the_ref_that_was_meant_and_a_neighbour_is_no_slip() -> None:
    known = ["blk-20261130-bkxqwz#m1", "evt-20261130-a7f3kq"]

    assert known[0] == gate.alike("blk-20261130-bkxqwy#m1", known)
    assert known[1] == gate.alike("evt-20261130-a7fkq", known)
    assert "" == gate.alike("blk-20261130-bkxqwz#m2", known) == gate.alike("evt-20261130-zzzzzz", known)


def test_a_text_of_refs_is_taken_and_said() -> None:
    stands, notes = settled(verdict="sufficient", evidence_refs=MESSAGE)

    assert ((MESSAGE,), ["listed"]) == (stands.evidence_refs, notes)
