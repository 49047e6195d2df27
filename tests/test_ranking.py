"""The full ranking: what is said around a message counts, whose words and which time are asked for, and nothing else changes an answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import shadow_entries as make
from hypothesis import given, settings
from hypothesis import strategies as st

from strata.entries import HAPPENED, superseding
from strata.model import Entry
from strata.shadow import Found, ranking, worth
from strata.shadow.scoring import weights
from strata.shadow.worth import Scale

TODAY = date(2026, 11, 30)
WORDS = "harbour violin lantern meadow pepper copper drizzle walnut".split()


def thread(name: str, texts: Sequence[str], *, cuts: Sequence[int] = (), tier: str = "active", speakers: Sequence[str] = ("",), at: str = "") -> list[Entry]:
    """Messages of a thread, in files that end before each of the cuts; one message a turn."""
    edges = [0, *(cut for cut in sorted(set(cuts)) if 0 < cut < len(texts)), len(texts)]
    entries = []
    for first, last in zip(edges, edges[1:], strict=False):
        path = f"{tier}/blocks/2026/11/{name}-{first:03}.md"
        for number in range(first, last):
            entries.append(
                Entry(
                    path=path, ref=f"{name}-{first:03}#m{number}", kind="message", text=texts[number], at=at, until=at, thread=name, message=f"m{number}",
                    speaker=speakers[number % len(speakers)], position=(first + 1) * 10_000 + number - first, before=number - first, after=last - 1 - number,
                    next_turn=last + 1 if number == last - 1 else 0,
                )
            )  # fmt: skip
    return entries


def asked(entries: Sequence[Entry], query: str, **narrow: object) -> list[Found]:
    with TemporaryDirectory() as folder:
        shadow = make.shadow(Path(folder) / "index", entries)
        found = shadow.rank(query, today=TODAY, **narrow)  # type: ignore[arg-type]
        shadow.close()
    return found


def scores(found: Sequence[Found]) -> dict[str, float]:
    return {hit.message or hit.ref: round(hit.score, 9) for hit in found}


# -- what is said around ---------------------------------------------------------------------

IMPACTS = st.lists(st.tuples(st.integers(0, 13), st.floats(0.1, 2.6)), max_size=6, unique_by=lambda each: each[0])


def by_definition(scales: Sequence[Scale], impacts: Sequence[Sequence[tuple[int, float]]], asks: set[int], target: int) -> tuple[float, float, float]:
    """What one message is worth, written down the long way: terms, covered, passage."""
    terms = covered = passage = 0.0
    for scale, row in zip(scales, impacts, strict=True):
        at = dict(row)
        lent = [at.get(target, 0.0)]
        lent.append((1.2 if target - 1 in asks else 0.6) * at.get(target - 1, 0.0))
        lent.append(0.3 * at.get(target - 2, 0.0))
        lent.append(0.5 * at.get(target + 1, 0.0))
        lent.append(0.1 * at.get(target + 2, 0.0))
        around = sum(at.get(place, 0.0) for place in range(target - 5, target + 6))
        terms += scale.own * (0.5 * max(lent) + 0.5 * sum(lent))
        covered += scale.own * min(1, max(lent))
        passage += scale.passage * 2.1 * around / (around + 3.9)
    return terms, covered, passage


@given(st.lists(IMPACTS, min_size=1, max_size=4), st.sets(st.integers(0, 13)), st.integers(0, 13), st.data())
def test_a_message_is_worth_what_the_definition_says(impacts: list[list[tuple[int, float]]], asks: set[int], first: int, data: st.DataObject) -> None:
    last = data.draw(st.integers(first + 1, 14))
    scales = [Scale(1.5 + number, 0.5 + number) for number in range(len(impacts))]
    found = worth.worths(scales, impacts, asks, first, last)

    assert last - first == len(found)
    for target, each in enumerate(found, first):
        assert pytest.approx(by_definition(scales, impacts, asks, target)) == tuple(each)


@given(st.floats(0.01, 12), st.integers(1, 100_000))
def test_a_term_says_no_more_in_a_passage_than_in_a_message(idf: float, documents: int) -> None:
    found = worth.scale(1.0, idf, documents)

    assert 0 <= found.passage <= found.own + 1e-9 or idf < 0.7  # an idf below ln 2 is that of a word most messages have


def test_an_answer_is_found_by_the_question_before_it(tmp_path: Path) -> None:
    texts = ["Morning!", "Which lantern did you buy for the harbour?", "The green one.", "Nice.", "Bye"]
    found = asked(thread("t", texts), "which lantern for the harbour?")

    assert ["m2", "m1"] == [hit.message for hit in found[:2]]
    assert () == found[0].terms and {"lantern", "harbour"} <= set(found[1].terms)


def test_words_to_look_up_bring_the_text_that_has_them_first(tmp_path: Path) -> None:
    texts = ["Morning!", "Which lantern did you buy for the harbour?", "The green one.", "Nice.", "Bye"]

    assert "m1" == asked(thread("t", texts), "lantern harbour")[0].message


def test_a_word_that_is_asked_for_alone_brings_no_text_without_it() -> None:
    found = asked(thread("t", ["before", "the lantern", "after"]), "lantern")

    assert ["m1"] == [hit.message for hit in found]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.sampled_from([*WORDS, "so", "then?"]), min_size=1, max_size=6).map(" ".join), min_size=2, max_size=14), st.data())
def test_how_a_thread_is_cut_into_files_and_tiers_changes_no_score(texts: list[str], data: st.DataObject) -> None:
    query = "what about the " + " ".join(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))) + "?"
    cuts = data.draw(st.lists(st.integers(1, 13), max_size=5))
    whole = asked(thread("t", texts), query, limit=50)
    parts = thread("t", texts, cuts=cuts)
    moved = [entry._replace(path=entry.path.replace("active", data.draw(st.sampled_from(["active", "cooled", "archive"])))) for entry in parts if not entry.before]
    tiers = {entry.ref.partition("#")[0]: entry.path for entry in moved}
    spread = [entry._replace(path=tiers[entry.ref.partition("#")[0]]) for entry in parts]

    assert scores(whole) == scores(asked(spread, query, limit=50))


def test_two_threads_do_not_lend_to_each_other() -> None:
    one = thread("a", ["the violin", "yes"])
    found = asked([*one, *thread("b", ["yes", "no"])], "violin lantern", limit=20)

    assert {"a-000#m0", "a-000#m1"} == {hit.ref for hit in found}


def test_what_is_forgotten_lends_nothing() -> None:
    texts = ["the violin", "yes", "no", "well"]
    hidden = [entry._replace(forgotten=entry.before == 0 and entry.message == "m0") for entry in thread("t", texts, cuts=[1])]

    assert [] == asked(hidden, "violin lantern")
    beside = thread("t", ["the violin", "a lantern", "no", "well"], cuts=[1])
    other = [entry._replace(text="quiet") if entry.message == "m0" else entry for entry in beside]
    for hide in (True, False):
        found = [scores(asked([entry._replace(forgotten=hide and entry.message == "m0") for entry in entries], "violin lantern"))["m1"] for entries in (beside, other)]
        assert (found[0] == found[1]) == hide
    assert asked(thread("t", texts, cuts=[1]), "violin lantern")


def test_a_thread_that_leads_back_to_itself_is_followed_once() -> None:
    looped = [entry._replace(next_turn=1) for entry in thread("t", ["the violin", "yes"])]

    assert ["m0", "m1"] == [hit.message for hit in asked(looped, "violin lantern")]


# -- who, when, what -------------------------------------------------------------------------


def test_whose_words_are_asked_for_come_first_and_nobody_is_shut_out() -> None:
    entries = thread("t", ["The violin is mine.", "hm", "The violin is mine.", "ok"], speakers=["Ada", "x", "Ben", "x"])
    found = {hit.message: hit for hit in asked(entries, "whose violin does Ben have?", explain=True)}

    assert found["m2"].score == pytest.approx(2 * found["m0"].score, rel=0.2)
    assert ("speaker", "Ben", "×2") in {tuple(reason) for reason in found["m2"].why}


def test_of_two_who_are_named_the_first_is_asked_for_unless_both_are() -> None:
    entries = thread("t", ["The violin.", "h", "h", "h", "h", "h", "h", "The violin."], speakers=["Ada", "", "", "", "", "", "", "Ben"])
    first = {hit.message: hit.score for hit in asked(entries, "what did Ada tell Ben of the violin?")}
    both = {hit.message: hit.score for hit in asked(entries, "what did Ada and Ben say of the violin?")}

    assert first["m0"] > 1.5 * first["m7"]
    assert both["m0"] == pytest.approx(both["m7"], rel=0.05)


def test_a_role_and_a_name_that_only_events_have_are_words_like_others() -> None:
    entries = [*thread("t", ["the assistant manager of ada", "hm"], speakers=["assistant", ""]), Entry("active/events/e.md", "e", "event", text="x", speaker="ada")]

    assert {"assist", "ada"} <= set(asked(entries, "assistant of ada")[0].terms)


def test_a_month_or_day_that_is_named_favours_what_is_from_then() -> None:
    entries = [*thread("a", ["the violin"], at="2025-05-07T10:00:00Z"), *thread("b", ["the violin"], at="2026-07-01T10:00:00Z")]

    assert "a-000#m0" == asked(entries, "violin in May")[0].ref
    assert "b-000#m0" == asked(entries, "violin in July 2026")[0].ref
    assert "a-000#m0" == asked(entries, "violin on 7 May 2025")[0].ref
    assert 2 == len(asked(entries, "violin in May"))


def test_a_time_alone_finds_what_is_from_then() -> None:
    entries = [*thread("a", ["the violin"], at="2025-05-07T10:00:00Z"), *thread("b", ["the lantern"], at="2026-07-01T10:00:00Z")]

    assert ["a-000#m0"] == [hit.ref for hit in asked(entries, "what was there in May 2025?")]


def test_the_latest_and_the_first_are_told_by_their_times() -> None:
    entries = [*thread("a", ["the violin string"], at="2025-01-01"), *thread("b", ["the violin string"], at="2026-01-01"), *thread("c", ["the violin string"], at="2025-06-01")]

    assert ["b", "c", "a"] == [hit.thread for hit in asked(entries, "the latest violin string")]
    assert ["a", "c", "b"] == [hit.thread for hit in asked(entries, "the very first violin string")]


def test_a_kind_finds_its_members_after_the_word_itself() -> None:
    entries = [*thread("a", ["She plays the cello"]), *thread("b", ["Her instrument is old"]), *thread("c", ["She is old"])]
    found = asked(entries, "what instrument?", explain=True)

    assert ["b", "a"] == [hit.thread for hit in found]
    assert any(reason.signal == "term" and "→ cello" in reason.detail for reason in found[1].why)


# -- records ---------------------------------------------------------------------------------


def block(entries: list[Entry], title: str) -> list[Entry]:
    first = entries[0]
    return [*entries, Entry(first.path, first.ref.partition("#")[0], "block", title=title, text=title, thread=first.thread, position=10_000)]


def test_a_block_is_found_by_what_its_messages_say_and_stays_behind_them() -> None:
    entries = [*block(thread("a", ["the violin is broken", "oh"]), "Repairs"), *block(thread("b", ["nothing", "much"]), "Weather")]

    assert ["a-000"] == [hit.ref for hit in asked(entries, "violin broken", kinds=["block"])]
    assert ["a-000#m0", "a-000"] == [hit.ref for hit in asked(entries, "violin broken") if hit.message != "m1"]
    telling = block(thread("a", ["the violin is broken", "oh"]), "violin broken, violin broken, violin broken")
    assert ["a-000#m0", "a-000"] == [hit.ref for hit in asked(telling, "violin broken") if hit.message != "m1"]


def test_an_event_is_lifted_by_what_it_cites_and_sinks_when_superseded() -> None:
    said = block(thread("a", ["the violin went to the lantern shop", "oh"]), "Repairs")
    cites = Entry("active/events/evt-a.md", "evt-a", "event", title="Violin repaired", sources=("a-000#m0",))
    bare = Entry("active/events/evt-b.md", "evt-b", "event", title="Violin repaired")
    newer = Entry("active/events/evt-c.md", "evt-c", "event", title="Piano", flags=(superseding("evt-a"),))
    before = scores(asked([*said, cites, bare], "violin repaired", kinds=["event"]))
    after = scores(asked([*said, cites, bare, newer], "violin repaired", kinds=["event"]))

    assert before["evt-a"] > before["evt-b"]
    assert after["evt-a"] < after["evt-b"]


def test_only_events_that_are_known_to_have_happened_then_pass_the_filter() -> None:
    entries = [
        Entry("active/events/a.md", "a", "event", title="violin", at="2025-05-01", until="2025-05-09", flags=(HAPPENED,)),
        Entry("active/events/b.md", "b", "event", title="violin", at="2025-05-05"),  # when it was said
        Entry("active/events/c.md", "c", "event", title="violin", at="2025-07-01", until="2025-07-01", flags=(HAPPENED,)),
        *thread("t", ["violin"], at="2025-05-05"),
    ]

    assert ["a"] == [hit.ref for hit in asked(entries, "violin", happened_from="2025-05-08", happened_to="2025-06")]
    assert {"a", "c"} == {hit.ref for hit in asked(entries, "violin", happened_from="2025")}


# -- the answer is a function of the entries and the question --------------------------------


def conversation(seed: int) -> list[Entry]:
    pick = random.Random(seed)
    entries = []
    for number in range(6):
        texts = [" ".join(pick.choices(WORDS + ["ok", "well"], k=pick.randint(1, 7))) + pick.choice(["", "?", "."]) for _ in range(pick.randint(3, 12))]
        entries += thread(f"t{number}", texts, cuts=[4, 8], tier=pick.choice(["active", "cooled", "archive"]), speakers=["Ada", "Ben"], at=f"2026-0{number + 1}-03T10:00:00Z")
    return entries


QUERIES = ("what did Ada say of the violin?", "lantern meadow", "copper in March?", "the latest pepper", "violin harbour walnut drizzle copper?")


@pytest.mark.parametrize("query", QUERIES)
def test_any_order_of_updates_and_any_merging_gives_the_same(tmp_path: Path, query: str) -> None:
    entries = conversation(7)
    paths = list(dict.fromkeys(entry.path for entry in entries))
    expected = [(hit.ref, hit.score) for hit in asked(entries, query, limit=30)]
    shadow = make.shadow(tmp_path / "index")
    random.Random(1).shuffle(paths)
    for path in [*paths, *paths[:5]]:
        shadow.update({path: [entry for entry in entries if entry.path == path]}, {})
    assert expected == [(hit.ref, hit.score) for hit in shadow.rank(query, limit=30, today=TODAY)]
    shadow.optimize()
    assert expected == [(hit.ref, hit.score) for hit in shadow.rank(query, limit=30, today=TODAY)]
    shadow.close()


@pytest.mark.parametrize("query", QUERIES)
def test_a_thousand_questions_change_no_answer(tmp_path: Path, query: str) -> None:
    shadow = make.shadow(tmp_path / "index", conversation(3))
    first = shadow.rank(query, limit=30, today=TODAY)
    for number in range(200):
        shadow.rank(QUERIES[number % 5], today=TODAY)

    assert first == shadow.rank(query, limit=30, today=TODAY)
    shadow.close()


@pytest.mark.parametrize("query", QUERIES)
def test_the_limit_cuts_and_does_not_choose(query: str) -> None:
    entries = conversation(5)
    every = asked(entries, query, limit=40)

    assert len(every) > 5
    assert [hit.ref for hit in every[:5]] == [hit.ref for hit in asked(entries, query, limit=5)]


def test_few_candidates_still_find_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = conversation(5)
    best = asked(entries, QUERIES[4], limit=1)[0].ref
    monkeypatch.setattr(ranking, "CANDIDATES", 8)

    assert best == asked(entries, QUERIES[4], limit=1)[0].ref


@pytest.mark.parametrize("query", QUERIES)
def test_the_reasons_make_up_the_score(query: str) -> None:
    for hit in asked(conversation(2), query, limit=10, explain=True):
        given = {signal: [reason.gave for reason in hit.why if reason.signal == signal] for signal in {reason.signal for reason in hit.why}}
        terms = sum(float(gave) for signal in ("term", "said beside") for gave in given.get(signal, ()))
        score = terms * float(given.get("has", ["×1"])[0][1:]) + float(given.get("passage", ["0"])[0])
        for signal in ("speaker", "time", "kind of answer", "has every word", "only asks"):
            for gave in given.get(signal, ()):
                score *= float(gave[1:])

        aged = 1 + ranking.RECENT if "latest" in query else 1.0
        assert score * 0.97 - 0.1 <= hit.score <= score * 1.03 * aged + 0.1


@pytest.mark.parametrize("query", ["", "   ", "?", "\ud800", "a" * 30_000, "violin " * 5_000, "May", "2026", "Ada", "Ada Ben", "\x012026-05", "\x00", "in in in", "last week", "最新"])
def test_no_question_crashes(query: str) -> None:
    asked(conversation(1), query, explain=True)


def test_a_question_for_what_somebody_said_needs_no_word_of_it() -> None:
    entries = thread("t", ["The violin.", "Hm.", "A lantern.", "Ok."], speakers=["Ada", "Ben"])

    assert {"m0", "m2"} == {hit.message for hit in asked(entries, "what did Ada say?")[:2]}
    assert {"m1", "m3"} == {hit.message for hit in asked(entries, "what did Ben talk about?")[:2]}


def test_what_is_from_the_time_that_is_named_follows_what_has_the_words() -> None:
    entries = [*thread("a", ["the violin"], at="2025-05-07"), *thread("b", ["a lantern"], at="2025-05-09"), *thread("c", ["a lantern"], at="2025-08-09")]

    assert ["a", "b"] == [hit.thread for hit in asked(entries, "violin in May")]
    assert ["b", "a"] == [hit.thread for hit in asked(entries, "was a zeppelin agreed on in May")]
    assert [] == asked(entries, "zeppelin in June")


def test_words_in_capitals_are_no_stop_words_and_pieces_say_less_than_the_whole() -> None:
    entries = [*thread("a", ["The UPS in the rack beeps"]), *thread("b", ["We keep SQLite"]), *thread("c", ["A lite lunch"])]

    assert ["a"] == [hit.thread for hit in asked(entries, "where is the UPS?")]
    assert ["b", "c"] == [hit.thread for hit in asked(entries, "SQLite")]


def test_what_a_tool_prints_says_each_word_once() -> None:
    log = "pnpm pnpm pnpm pnpm lockfile"
    counted = weights(Entry("p", "r", "message", text=f"Switched to pnpm.\n{log}", shown=len(log)))

    assert (2, 1, 1) == (counted["pnpm"], counted["lockfil"], counted["switch"])


def test_a_text_with_every_word_comes_before_one_that_is_lent_some() -> None:
    entries = [*thread("a", ["the violin", "violin violin lantern violin violin"]), *thread("b", ["the violin lantern harbour", "hm"])]
    found = {hit.ref: hit for hit in asked(entries, "violin lantern harbour", explain=True)}

    assert ("has every word", "", "×1.3") in {tuple(reason) for reason in found["b-000#m0"].why}
    assert not any(reason.signal == "has every word" for ref, hit in found.items() if ref != "b-000#m0" for reason in hit.why)


def test_a_kind_of_one_character_finds_its_members() -> None:
    assert ["a"] == [hit.thread for hit in asked(thread("a", ["我家的猫叫团子"]), "宠物叫什么")]


# -- what others can do to it ----------------------------------------------------------------


def test_somebody_called_like_a_word_takes_it_out_of_no_question() -> None:
    ports = [*thread("a", ["The scanner listens on port 7000", "ok"]), *thread("b", ["The fax uses port 5000", "ok"]), *thread("c", ["the scanner is new", "use it", "use that", "use this"])]
    guest = thread("g", ["hello"], speakers=["Scanner"])

    assert "a" == asked(ports, "which port does the scanner use?")[0].thread == asked([*ports, *guest], "which port does the scanner use?")[0].thread


def test_who_is_gone_or_forgotten_is_nobodys_name(tmp_path: Path) -> None:
    entries = thread("a", ["the violin of Ada"])
    shadow = make.shadow(tmp_path / "index", [*entries, *thread("g", ["hm", "hm", "hm"], speakers=["Ada"])])
    assert {"violin"} == set(shadow.rank("what violin does Ada have", today=TODAY)[0].terms) - {"ada"}
    shadow.update({"active/blocks/2026/11/g-000.md": None}, {})
    gone = shadow.rank("what violin does Ada have", today=TODAY)
    shadow.close()

    assert gone == shadow.rank("what violin does Ada have", today=TODAY)
    assert [hit.score for hit in gone] == [hit.score for hit in asked(entries, "what violin does Ada have")]
    hidden = [entry._replace(forgotten=True) for entry in thread("g", ["hm", "hm", "hm"], speakers=["Ada"])]
    assert [hit.terms for hit in gone] == [hit.terms for hit in asked([*entries, *hidden], "what violin does Ada have")]
    shadow.close()


def test_words_of_what_is_forgotten_cannot_be_told_from_scores() -> None:
    live = thread("a", ["the violin stands here", "ok"])
    hidden = [entry._replace(forgotten=True) for entry in thread("h", ["zanzibar zanzibar", "violin"])]

    assert [hit.score for hit in asked([*live, *hidden], "violin zanzibar")] == [hit.score for hit in asked([*live, *hidden], "violin qqqq")]


def test_an_event_is_lifted_by_no_forgotten_message() -> None:
    said = [entry._replace(forgotten=True) for entry in block(thread("a", ["the violin and zanzibar"]), "x")]
    event = Entry("active/events/evt-a.md", "evt-a", "event", title="Violin", sources=("a-000#m0",))

    assert [hit.score for hit in asked([*said, event], "violin zanzibar")] == [hit.score for hit in asked([*said, event], "violin qqqq")]


def test_a_file_that_spans_two_segments_is_ranked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strata.shadow.batch.MOST_DOCUMENTS", 10)
    entries = thread("t", [f"violin {number} well" for number in range(25)])

    assert 25 == len(asked(entries, "violin well", limit=30))


def test_events_that_supersede_themselves_or_each_other_stay_as_they_are() -> None:
    one = Entry("active/events/a.md", "evt-a", "event", title="violin", flags=(superseding("evt-b"), superseding("evt-a")))
    two = Entry("active/events/b.md", "evt-b", "event", title="violin", flags=(superseding("evt-a"),))

    assert scores(asked([one._replace(flags=()), two._replace(flags=())], "violin")) == scores(asked([one, two], "violin"))


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_the_latest_of_many_equals_does_not_depend_on_the_order_of_updates(tmp_path: Path, order: tuple[int, ...]) -> None:
    shadow = make.shadow(tmp_path / "index")
    for number in order:
        for day in range(1, 26):
            shadow.update({(entry := thread(f"t{number}d{day:02}", ["the violin"], at=f"2026-0{number + 1}-{day:02}")[0]).path: [entry]}, {})

    assert ["t3d25", "t3d24", "t3d23"] == [hit.thread for hit in shadow.rank("the latest violin", limit=3, today=TODAY)]
    shadow.close()
