"""What the index answers, and that the answer depends on the entries alone."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shadow_entries import KEY, from_json, message, note, refs, shadow, write
from strata import moment
from strata.errors import Malformed
from strata.model import Entry
from strata.shadow import Found, Shadow
from strata.shadow.scoring import B, IMPACT, K1, PIVOT, codes, idf, weights
from strata.shadow.terms import query_terms

TIMES = ["", "2025", "2026-03", "2026-03-01", "2026-03-01T09:00", "2026-03-01T09:00:00Z", "2026-03-01T23:30:00-05:00", "2026-03-02T05:00:00+09:00", "soon"]
WORDS = ["alpha", "beta", "gamma", "delta", "going", "went", "the", "of", "日本", "C++", "x"]


def words(most: int = 12) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), max_size=most).map(" ".join)


@st.composite
def an_entry(draw: st.DrawFn, path: str, number: int) -> Entry:
    kind = draw(st.sampled_from(["message", "note", "block", "event"]))
    return Entry(
        path=path,
        ref=f"{draw(st.sampled_from(['a', 'b', 'blk-1']))}{number}",
        kind=kind,
        title=draw(words(2)),
        text=draw(words()),
        at=draw(st.sampled_from(TIMES)),
        thread=draw(st.sampled_from(["", "main", "other"])),
        message=f"m{number}" if kind == "message" else "",
        speaker=draw(st.sampled_from(["", "Jo", "alpha"])),
        tags=draw(st.lists(st.sampled_from(WORDS), max_size=1).map(tuple)),
        position=number,
    )


PATHS = [f"{tier}/notes/{name}.md" for tier in ("active", "cooled", "archive") for name in "ab"]


@st.composite
def a_change(draw: st.DrawFn) -> tuple[str, list[Entry]]:
    path = draw(st.sampled_from(PATHS))
    return path, [draw(an_entry(path, number)) for number in range(draw(st.integers(0, 4)))]


def by_hand(entries: Sequence[Entry], query: str, limit: int) -> list[tuple[float, str, str]]:
    """Every entry scored, none skipped."""
    found = [(entry, weights(entry)) for entry in entries]
    shown = [terms for entry, terms in found if not entry.forgotten]
    counts = Counter(term for terms in shown for term in terms)
    rows = []
    for entry, terms in found:
        table = codes(terms.total())
        score = sum(
            weight * idf(len(shown), counts[term]) * IMPACT[table[min(terms[term], 127)]]
            for term, weight in query_terms(query).items()
            if term in terms
        )
        if score:
            start, width = moment.sort_key(entry.at)
            rows.append((-round(score, 6), -start, -width, entry.ref, entry.path))
    return [(-score, ref, path) for score, _, _, ref, path in sorted(rows)][:limit]


def answered(found: Sequence[Found]) -> list[tuple[float, str, str]]:
    return [(round(hit.score, 6), hit.ref, hit.path) for hit in found]


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(PATHS), st.none()).flatmap(lambda paths: st.tuples(*(an_entries(path) for path in paths))), words(5), st.integers(1, 8))
def test_the_best_by_skipping_are_the_best_by_scoring_everything(groups: tuple[list[Entry], ...], query: str, limit: int) -> None:
    entries = [entry for group in groups for entry in group]
    with tempfile.TemporaryDirectory() as folder:
        found = shadow(Path(folder) / "index", entries).search(query, limit=limit)

        assert by_hand(entries, query, limit) == answered(found)


def an_entries(path: str) -> st.SearchStrategy[list[Entry]]:
    return st.integers(0, 4).flatmap(lambda count: st.tuples(*(an_entry(path, number) for number in range(count)))).map(list)


def zipf(number: int, count: int) -> str:
    """Words of which w0 is in nearly all texts and w99 in few."""
    return " ".join(f"w{int(100 ** (((number * 7919 + place * 104729) % 1009) / 1009)) - 1}" for place in range(count))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Shadow, list[Entry]]:
    """1,500 entries in several segments, with words from rare to everywhere."""
    entries = [note(f"active/notes/{number}.md", zipf(number, 5 + number % 30), at=TIMES[number % len(TIMES)]) for number in range(1500)]
    found = shadow(tmp_path_factory.mktemp("large") / "index")
    for start in range(0, 1500, 300):
        found.update({entry.path: [entry] for entry in entries[start : start + 300]}, {})
    return found, entries


@pytest.mark.parametrize("query", ["w0 w50 w90", "w0 w1 w2", "w99", "w7 w8 w9 w10 w60 w98", "w0", "w30 w31", "none w3", "w0 w1 w2 w3 w4 w5 w6 w7 w80 w97"])
@pytest.mark.parametrize("limit", [1, 10, 100])
def test_skipping_loses_nothing_among_many(large: tuple[Shadow, list[Entry]], query: str, limit: int) -> None:
    found, entries = large

    assert by_hand(entries, query, limit) == answered(found.search(query, limit=limit))


def test_an_impact_in_one_byte_is_bm25_within_a_percent() -> None:
    for length in (1, 5, 40, 100, 256, 257, 1000, 2560):
        for tf in (1, 2, 3, 10, 100):
            exact = tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / PIVOT))

            assert math.isclose(exact, IMPACT[codes(length)[tf]], rel_tol=0.01)


def test_no_impact_is_out_of_the_scale() -> None:
    assert 0 not in codes(10**9)[1:]
    assert codes(2560) == codes(10**9)
    assert 255 >= max(codes(1))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(a_change(), max_size=3), min_size=1, max_size=14), words(4))
def test_any_history_of_updates_answers_as_a_fresh_rebuild(history: list[list[tuple[str, list[Entry]]]], query: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        grown = shadow(root / "grown")
        files: dict[str, list[Entry]] = {}
        for step, changes in enumerate(history):
            grown.update(dict(changes), {"step": step})
            files |= dict(changes)
        if len(history) % 3 == 0:
            grown.optimize()
        fresh = Shadow(root / "fresh", KEY)
        fresh.rebuild(root, write(root, files), {}, entries=from_json)

        assert {"step": len(history) - 1} == grown.mark()
        assert answered(fresh.search(query)) == answered(grown.search(query))
        assert list(fresh.entries()) == list(grown.entries())
        assert list(fresh.entries(tiers=["cooled"], since="2026-03-01")) == list(grown.entries(tiers=["cooled"], since="2026-03-01"))
        assert fresh.find("blk") == grown.find("blk")
        assert fresh.message_ids("main") == grown.message_ids("main")


BOUNDS = ["", "2026", "2026-03-01", "2026-03-02", "2026-03-01T10:00", "2026-03-01T10:00:00Z", "2026-03-02T04:30:00+00:00"]


@pytest.mark.parametrize("since", BOUNDS)
@pytest.mark.parametrize("until", BOUNDS)
def test_bounds_mean_what_moment_says(large: tuple[Shadow, list[Entry]], since: str, until: str) -> None:
    found, entries = large
    expected = sorted(entry.ref for entry in entries if moment.within(entry.at, since, until))

    assert expected == sorted(refs(found.entries(since=since, until=until)))


@pytest.mark.parametrize("bound", ["since", "until"])
def test_a_bound_that_is_no_time_is_refused(tmp_path: Path, bound: str) -> None:
    with pytest.raises(Malformed, match=bound):
        shadow(tmp_path / "index").search("w0", **{bound: "yesterday"})


def test_filters_choose_before_the_limit(tmp_path: Path) -> None:
    entries = [note(f"archive/notes/{number}.md", "pnpm pnpm pnpm") for number in range(50)]
    entries += [note("active/notes/late.md", "a long text about pnpm among other things", at="2026-05-01"), message("active/tails/main.md", 1, "use pnpm please", thread="main")]
    found = shadow(tmp_path / "index", entries)

    assert ["notes/late"] == refs(found.search("pnpm", tiers=["active"], kinds=["note"], limit=1))
    assert ["active/tails/main.md#m1"] == refs(found.search("pnpm", kinds=["message"], limit=1))
    assert ["active/tails/main.md#m1"] == refs(found.search("pnpm", thread="main", limit=1))
    assert ["notes/late"] == refs(found.search("pnpm", since="2026-04", until="2026-05", limit=1))
    assert [] == found.search("pnpm", thread="nowhere")
    assert [] == found.search("pnpm", limit=0)


def test_equal_scores_are_ordered_by_time_then_ref(tmp_path: Path) -> None:
    times = {"d": "", "c": "2026-01-01", "b": "2026-02", "a": "2026-01-01", "e": "2026-02-01T00:00:00+09:00"}
    found = shadow(tmp_path / "index", [note(f"active/{name}.md", "same words", at=at) for name, at in times.items()])

    assert ["b", "e", "a", "c", "d"] == refs(found.search("same"))
    assert ["b", "e", "a", "c", "d"] == refs(found.entries())
    assert ["b", "e", "a"] == refs(found.search("same", limit=3))


def test_a_hit_carries_the_fields_of_its_entry_and_the_terms_that_matched(tmp_path: Path) -> None:
    entry = Entry("active/b.md", "blk-1#m1", "message", "T", "Use pnpm", "2026-01-01", "2026-01-02", "main", "m1", "Jo", ("x",), 7)
    (hit,) = shadow(tmp_path / "index", [entry]).search("pnpm yarn")

    assert ("active/b.md", "blk-1#m1", "message", "T") == (hit.path, hit.ref, hit.kind, hit.title)
    assert ("2026-01-01", "2026-01-02", "main", "m1", "Jo", ("x",), 7) == (hit.at, hit.until, hit.thread, hit.message, hit.speaker, hit.tags, hit.position)
    assert ("pnpm",) == hit.terms
    assert "active" == hit.tier


def test_title_and_tags_outweigh_the_text_and_a_message_does_not_inherit_its_title(tmp_path: Path) -> None:
    entries = [
        note("active/text.md", "zebra in the grass here"),
        note("active/title.md", "in the grass here", title="zebra"),
        note("active/tags.md", "in the grass here now", tags=("zebra",)),
        message("active/tails/t.md", 1, "in the grass here", title="zebra"),
        message("active/tails/t.md", 2, "in the grass here", speaker="Zebra"),
    ]
    found = shadow(tmp_path / "index", entries)

    assert {"title", "tags", "text", "active/tails/t.md#m2"} == set(refs(found.search("zebra")))
    assert "text" == refs(found.search("zebra"))[-1]


def test_records_are_found_by_the_beginning_of_their_ref(tmp_path: Path) -> None:
    entries = [Entry(f"active/{ref}.md", ref, "block") for ref in ("blk-20260101-aaaaaa", "blk-20260101-aabbbb", "blk-20260102-aaaaaa")]
    entries += [message("active/blk-20260101-aaaaaa.md", 1, "hello"), note("active/notes/blue.md", "x")]
    found = shadow(tmp_path / "index", entries)

    assert ["blk-20260101-aaaaaa", "blk-20260101-aabbbb"] == refs(found.find("blk-20260101"))
    assert ["notes/blue"] == refs(found.find("notes/"))
    assert [] == found.find("zzz")
    assert 4 == len(found.find(""))


def test_message_ids_of_a_thread_are_known_wherever_they_lie(tmp_path: Path) -> None:
    entries = [message("active/blocks/b.md", 1, "a", thread="main"), message("active/tails/main.md", 2, "b", thread="main"), message("active/tails/mai.md", 3, "c", thread="mai")]
    found = shadow(tmp_path / "index", entries)

    assert {"m1", "m2"} == found.message_ids("main")
    assert {"m1"} == found.has_messages("main", ["m1", "m3", ""])
    found.update({"active/blocks/b.md": None}, {})
    assert {"m2"} == found.message_ids("main")
    assert set() == found.has_messages("main", ["m1"])


def test_what_is_gone_is_not_found(tmp_path: Path) -> None:
    found = shadow(tmp_path / "index", [note(f"active/{name}.md", "apple") for name in "abc"])
    found.update({"active/a.md": None, "active/b.md": [], "cooled/b.md": [note("cooled/b.md", "apple")]}, {"n": 1})

    assert {"cooled/b.md", "active/c.md"} == {hit.path for hit in found.search("apple")}
    found.update({"active/c.md": None, "cooled/b.md": None}, {"n": 2})
    assert [] == found.search("apple")
    assert [] == list(found.entries())


def test_thousands_of_equal_scores_give_the_first_of_them(tmp_path: Path) -> None:
    found = shadow(tmp_path / "index")
    found.update({"active/x.md": [message("active/x.md", number, "same") for number in range(3000)]}, {})

    assert sorted(f"active/x.md#m{number}" for number in range(3000))[:5] == refs(found.search("same", limit=5))


@pytest.mark.parametrize("query", ["NOT OR foobar", '"unbalanced', "(" * 3000, "NOT " * 2000, "*", "?", "a:b:c", "nosuch:foo", "foo^^2", "[a TO", "\\", "~", "\x00", "\ud800", "x" * 100_000])
def test_no_query_crashes_and_each_finds_the_text_made_of_it(tmp_path: Path, query: str) -> None:
    found = shadow(tmp_path / "index", [note("active/a.md", query), note("active/b.md", "something else")])

    assert ["a"] == refs(found.search(query))


@pytest.mark.parametrize("query", ["", "   "])
def test_a_blank_query_finds_nothing(tmp_path: Path, query: str) -> None:
    assert [] == shadow(tmp_path / "index", [note("active/a.md", "text")]).search(query)


def test_a_question_of_many_words_is_scored_by_its_rarest(tmp_path: Path) -> None:
    entries = [note(f"active/common{number}.md", "common") for number in range(3)]
    words = [f"q{chr(97 + number // 26)}q{chr(97 + number % 26)}q" for number in range(64)]
    entries += [note(f"active/{number}.md", f"{words[number]} {words[number + 1]}") for number in range(63)]
    found = shadow(tmp_path / "index")
    found.update({entry.path: [entry] for entry in entries}, {})
    rare = " ".join(words)

    assert 63 == len(found.search(f"common {rare}", limit=100)) == len(found.search(rare, limit=100))
    assert 66 == len(found.search(f"common {rare.partition(' ')[2]}", limit=100))


def test_texts_of_any_characters_are_kept(tmp_path: Path) -> None:
    odd = "\ud800 \x00 \u202e عربى"
    found = shadow(tmp_path / "index", [note("active/\udcff.md", odd, title=odd, at=odd, thread=odd, speaker=odd, tags=(odd,))])

    assert [odd] == [entry.title for entry in found.search("عربى")]
    assert [odd] == [entry.thread for entry in found.entries(thread=odd)]


def test_a_position_beyond_64_bits_is_kept(tmp_path: Path) -> None:
    found = shadow(tmp_path / "index", [Entry("active/a.md", "a", "note", text="x", position=10**30)])

    assert [10**30] == [entry.position for entry in found.entries()]


def test_updates_leave_few_segments(tmp_path: Path) -> None:
    found = shadow(tmp_path / "index")
    for number in range(150):
        found.update({f"active/{number}.md": [note(f"active/{number}.md", f"number {number}")]}, {})
    before = answered(found.search("number 77"))
    grown = len(list((tmp_path / "index").glob("*/*.seg")))
    found.optimize()

    assert 20 > grown
    assert 1 == len(list((tmp_path / "index").glob("*/*.seg")))
    assert before == answered(found.search("number 77"))
    assert 150 == len(list(found.entries()))


def test_whoosh_itself_reads_the_index(tmp_path: Path) -> None:
    from whoosh.index import open_dir
    from whoosh.query import And, Prefix, Term

    found = shadow(tmp_path / "index", [note("active/a.md", "using pnpm"), note("active/b.md", "pnpm again"), note("active/c.md", "yarn")])
    found.update({"active/a.md": None, "active/d.md": [note("active/d.md", "pnpm and yarn")]}, {})
    (folder,) = {path.parent for path in (tmp_path / "index").glob("*/*.toc")}
    with open_dir(str(folder)).searcher() as searcher:

        def paths(query: object) -> set[str]:
            return {hit["path"] for hit in searcher.search(query)}

        assert {"active/b.md", "active/d.md"} == paths(Term("text", "pnpm"))
        assert {"active/d.md"} == paths(And([Term("text", "pnpm"), Term("text", "yarn")]))
        assert {"active/b.md", "active/c.md", "active/d.md"} == paths(Prefix("path", "active/"))
        assert set() == paths(Term("text", "npm"))
