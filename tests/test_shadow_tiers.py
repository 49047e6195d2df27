"""Search across tiers: near parts first, and the answer is that of scoring everything."""

from __future__ import annotations

import random
import tempfile
from array import array
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shadow_entries import KEY, from_json, note, refs, shadow, write
from strata import Memory, moment
from strata.model import Entry
from strata.render.screen import Screen
from strata.render.text import text
from strata.render.values import Listing
from strata.shadow import Shadow, commit, postings, sieve
from strata.shadow.postings import Postings, encoded
from strata.shadow.segment import Segment
from strata.shadow.sieve import Layer, able, members
from test_shadow import an_entry, answered, by_hand, words, zipf

TIERS = ("active", "cooled", "archive")


@contextmanager
def sieving(large: int, common: int = 4, long: int = 6, costly: int = 1) -> Iterator[None]:
    """Bit maps and the sieve from `large` documents on, so that a small index goes the way of a large one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "LARGE", large)
        patch.setattr(postings, "COMMON", common)
        patch.setattr(postings, "LONG", long)
        patch.setattr("strata.shadow.search._RARE", 1000)
        patch.setattr("strata.shadow.search._MANY", 2)
        patch.setattr("strata.shadow.search._COSTLY", costly)
        yield


class Watched(Postings):
    """A posting list that tells when it is read."""

    __slots__ = ("tell",)
    documents = property(lambda self: (self.tell(self.size), Postings.documents.fget(self))[1])
    codes = property(lambda self: (self.tell(self.size), Postings.codes.fget(self))[1])

    def among(self, wanted: Collection[int]) -> Iterator[tuple[int, int]]:
        self.tell(len(wanted), looked_up=len(wanted))
        return super().among(wanted)

    def maps(self) -> tuple[int, int]:
        self.tell(0)
        return super().maps()


class Reads(Counter[str]):
    """How many postings are read or looked for, by tier; a bit map counts as none."""

    looked_up = 0

    def tell(self, tier: str, count: int, looked_up: int = 0) -> None:
        self.update({tier: count})
        self.looked_up += looked_up


@contextmanager
def watched() -> Iterator[Reads]:
    """What is read of posting lists meanwhile."""
    read = Reads()

    def postings_of(self: Segment, extent: tuple[int, int]) -> Watched:
        found = Watched(self._view[extent[0] : sum(extent)], self.documents)
        found.tell = partial(read.tell, self.tier)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Segment, "postings", postings_of)
        yield read


@st.composite
def corpora(draw: st.DrawFn) -> list[list[Entry]]:
    """Files of a few entries in any tier; some are forgotten."""
    files = []
    for number in range(draw(st.integers(1, 14))):
        path = f"{draw(st.sampled_from(TIERS))}/notes/{number}.md"
        forgotten = draw(st.integers(0, 5)) == 0
        files.append([draw(an_entry(path, entry))._replace(forgotten=forgotten) for entry in range(draw(st.integers(1, 5)))])
    return files


FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "tiers": st.lists(st.sampled_from(TIERS), min_size=1, max_size=2),
        "kinds": st.lists(st.sampled_from(["message", "note", "block"]), min_size=1, max_size=2),
        "thread": st.sampled_from(["main", "other"]),
        "since": st.just("2026-03-01"),
        "forgotten": st.sampled_from([True, None]),
    },
)


def passes(entry: Entry, wanted: dict[str, object]) -> bool:
    return (
        entry.path.partition("/")[0] in wanted.get("tiers", TIERS)  # type: ignore[operator]
        and (entry.kind in wanted["kinds"] if "kinds" in wanted else True)  # type: ignore[operator]
        and entry.thread == wanted.get("thread", entry.thread)
        and ("since" not in wanted or moment.within(entry.at, "2026-03-01", ""))
        and wanted.get("forgotten", False) in (entry.forgotten, None)
    )


@settings(max_examples=60, deadline=None)
@given(corpora(), words(5), FILTERS, st.integers(1, 6), st.sampled_from([(1, 1), (1, 8), (10, 1), (10**6, 8)]))
def test_any_corpus_any_filter_any_limit_answers_as_scoring_everything(files: list[list[Entry]], query: str, wanted: dict[str, object], limit: int, sieved: tuple[int, int]) -> None:
    entries = [entry for group in files for entry in group]
    with tempfile.TemporaryDirectory() as folder, sieving(sieved[0], costly=sieved[1]):
        found = shadow(Path(folder) / "index")
        for start in range(0, len(files), 5):
            found.update({group[0].path: group for group in files[start : start + 5]}, {})
        everything = by_hand(entries, query, len(entries))
        allowed = {(entry.ref, entry.path) for entry in entries if passes(entry, wanted)}

        assert [row for row in everything if row[1:] in allowed][:limit] == answered(found.search(query, limit=limit, **wanted))  # type: ignore[arg-type]


def aged(count: int) -> list[Entry]:
    """Notes of common and rare words, the first in archive/, the last in active/."""
    tiers = ["archive"] * 6 + ["cooled"] * 3 + ["active"]
    return [note(f"{tiers[10 * number // count]}/notes/{number}.md", zipf(number, 5 + number % 30), title=f"w{number % 90}") for number in range(count)]


@pytest.fixture(scope="module", params=[1, 150, 10**6], ids=["all sieved", "large ones sieved", "none sieved"])
def three(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shadow, list[Entry]]]:
    """1,500 notes in the three tiers, some of them replaced since."""
    entries = aged(1500)
    with sieving(request.param, common=16):
        found = shadow(tmp_path_factory.mktemp("three") / "index")
        for start in range(0, 1500, 250):
            found.update({entry.path: [entry] for entry in entries[start : start + 250]}, {})
        for number in range(0, 1500, 40):
            entries[number] = entries[number]._replace(text=zipf(number + 1, 9))
        found.update({entry.path: [entry] for entry in entries[::40]}, {})
        yield found, entries


@pytest.mark.parametrize("query", ["w0 w50 w90", "w0 w1 w2", "w99", "w7 w8 w9 w10 w60 w98", "w0", "w30 w31", "none w3", " ".join(f"w{number}" for number in range(0, 90, 5))])
@pytest.mark.parametrize("limit", [1, 10, 200])
def test_a_large_part_gives_what_scoring_everything_gives(three: tuple[Shadow, list[Entry]], query: str, limit: int) -> None:
    found, entries = three

    assert by_hand(entries, query, limit) == answered(found.search(query, limit=limit))


@pytest.mark.parametrize("tier", TIERS)
def test_one_tier_alone_scores_as_in_the_whole_and_opens_no_list_of_another(three: tuple[Shadow, list[Entry]], tier: str) -> None:
    found, entries = three
    expected = [row for row in by_hand(entries, "w3 w40 w60", 1500) if row[2].startswith(tier)][:10]
    found.search("w3 w40 w60")  # how many have a term is counted once where some were removed

    with watched() as read:
        assert expected == answered(found.search("w3 w40 w60", tiers=[tier]))
    assert {tier} == set(read)


def test_the_archive_is_passed_over_when_nothing_in_it_can_reach_the_best(tmp_path: Path) -> None:
    entries = [note(f"active/{number}.md", "zebra zebra", title="zebra") for number in range(10)]
    entries += [note(f"archive/{number}.md", "one zebra among so many other words of the savanna") for number in range(500)]
    found = shadow(tmp_path / "index")
    found.update({entry.path: [entry] for entry in entries}, {})
    with watched() as read:
        hits = found.search("zebra", limit=10)

    assert {"active"} == {hit.tier for hit in hits}
    assert {"active"} == set(read)


def test_of_a_large_archive_only_what_can_reach_the_best_is_looked_at(tmp_path: Path) -> None:
    made = random.Random(3)
    texts = [" ".join(made.choices(["oak", "elm", "fir", *(f"w{number}" for number in range(150))], k=20)) for _ in range(3000)]
    with sieving(1000, common=64, long=64):
        found = shadow(tmp_path / "index")
        found.update({f"{tier}/{number}.md": [note(f"{tier}/{number}.md", text)] for number, text in enumerate(texts) for tier in [("active", "archive")[number > 100]]}, {})
        with watched() as read:
            hits = found.search("oak elm fir", limit=5)

    assert 5 == len(hits)
    assert 1000 < sum(word in text for text in texts for word in ("oak ", "elm ", "fir "))
    assert 100 > read["archive"]


def test_words_that_all_have_are_gone_through_not_looked_up_one_by_one(tmp_path: Path) -> None:
    with sieving(100, common=64, long=64, costly=8):
        found = shadow(tmp_path / "index")
        found.update({f"archive/{number}.md": [note(f"archive/{number}.md", "oak elm")] for number in range(300)}, {})
        with watched() as read:
            hits = found.search("oak elm", limit=5)

    assert 2 * len(hits) == read.looked_up, "only whether a hit has a term is"


def test_what_a_filter_leaves_out_is_not_taken_up_however_well_it_fits(tmp_path: Path) -> None:
    long = "grass " * 400
    files = [note(f"active/oak{number}.md", f"{long} oak") for number in range(100)] + [note(f"active/elm{number}.md", f"{long} elm") for number in range(200)]
    files += [note(f"active/event{number}.md", "elm", title="elm")._replace(kind="event") for number in range(10)]
    found = shadow(tmp_path / "index")
    found.update({entry.path: [entry] for entry in files}, {})

    assert {"event"} == {hit.kind for hit in found.search("oak elm", limit=5)}
    assert {"note"} == {hit.kind for hit in found.search("oak elm", limit=5, kinds=["note"])}


def test_a_better_answer_in_the_archive_is_never_lost(tmp_path: Path) -> None:
    entries = [note(f"active/{number}.md", f"a zebra and {number} other words") for number in range(30)]
    found = shadow(tmp_path / "index", [*entries, note("archive/best.md", "zebra stripes", title="zebra stripes")])

    assert "best" == refs(found.search("zebra stripes", limit=5))[0]
    assert "archive" == found.search("zebra stripes", limit=5)[0].tier


def test_a_move_changes_no_score_and_no_order(tmp_path: Path) -> None:
    entries = aged(200)
    before = shadow(tmp_path / "before")
    before.update({entry.path: [entry] for entry in entries}, {})
    after = shadow(tmp_path / "after")
    after.update({(moved := "cooled/" + entry.path.partition("/")[2]): [entry._replace(path=moved)] for entry in entries}, {})

    assert [(hit.ref, hit.score) for hit in before.search("w1 w40 w60", limit=50)] == [(hit.ref, hit.score) for hit in after.search("w1 w40 w60", limit=50)]


MOVES = st.lists(st.lists(st.tuples(st.sampled_from(TIERS), st.integers(0, 9)), max_size=6), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None)
@given(MOVES, st.booleans())
def test_a_segment_holds_one_tier_whatever_moved(history: list[list[tuple[str, int]]], merge: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        found = shadow(root / "index")
        files: dict[str, list[Entry]] = {}
        for step in history:
            changes: dict[str, list[Entry] | None] = {}
            for tier, name in step:
                changes |= {f"{other}/{name}.md": None for other in TIERS}
                changes[f"{tier}/{name}.md"] = [note(f"{tier}/{name}.md", "apple")]
            found.update(changes, {})
            files = {path: entries for path, entries in (files | changes).items() if entries}
        if merge:
            found.optimize()
        fresh = Shadow(root / "fresh", KEY)
        fresh.rebuild(root, write(root, files)[::-1], {}, entries=from_json)

        for index in (found, fresh):
            for part in index._opened().parts:
                assert {part.segment.tier} == {part.segment.stored(number)[0].partition("/")[0] for number in range(part.segment.documents)}
            assert set(files) == {hit.path for hit in index.search("apple", limit=50)}
        assert len(fresh._opened().parts) == len({path.partition("/")[0] for path in files})


def test_many_moves_leave_few_segments_in_each_tier(tmp_path: Path) -> None:
    found = shadow(tmp_path / "index")
    for number in range(120):
        found.update({f"active/{number}.md": [note(f"active/{number}.md", "apple")]}, {})
        if number >= 10:
            old = number - 10
            found.update({f"active/{old}.md": None, f"cooled/{old}.md": [note(f"cooled/{old}.md", "apple")]}, {})

    assert 24 > len(found._opened().parts)
    assert 120 == len(found.search("apple", limit=200))
    found.optimize()
    assert ["active", "cooled"] == sorted(part.segment.tier for part in found._opened().parts)


def test_a_full_batch_takes_in_no_segment_that_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shadow(tmp_path / "index")
    found.update({f"active/{number}.md": [note(f"active/{number}.md", "apple")] for number in range(20)}, {})
    monkeypatch.setattr(commit, "MOST_DOCUMENTS", 30)
    gone = {f"active/{number}.md": None for number in range(11)}
    found.update({**gone, **{f"active/new{number}.md": [note(f"active/new{number}.md", "apple")] for number in range(25)}}, {})

    assert all(30 >= part.segment.documents for part in found._opened().parts)
    assert 34 == len(found.search("apple", limit=100))


# -- posting lists and the sieve ---------------------------------------------------------------


@st.composite
def lists(draw: st.DrawFn, documents: int) -> dict[int, int]:
    """Documents, rising, with their codes."""
    chosen = draw(st.sets(st.integers(0, documents - 1), min_size=1))
    return {document: draw(st.integers(1, 255)) for document in sorted(chosen)}


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 70).flatmap(lambda documents: st.tuples(st.just(documents), lists(documents))), st.sampled_from([1, 40, 10**6]), st.sampled_from([1, 3, 10]), st.sets(st.integers(0, 70)))
def test_a_list_gives_back_what_was_written_in_each_of_its_forms(given_: tuple[int, dict[int, int]], large: int, common: int, asked: set[int]) -> None:
    documents, codes = given_
    with sieving(large, common):
        found = Postings(memoryview(encoded(array("I", [document << 8 | code for document, code in codes.items()]), documents)), documents)
        every, strong = found.maps()

        assert (len(codes), max(codes.values())) == (found.size, found.highest)
        assert list(codes.items()) == list(zip(found.documents, found.codes, strict=True))
        assert {document: codes[document] for document in asked & set(codes)} == dict(found.among(asked))
        assert list(codes) == members(every, documents)
        assert [document for document, code in codes.items() if code > found.calm] == members(strong, documents)
        assert len(codes) >= 6 * strong.bit_count()
        assert len(codes) < 6 or strong.bit_count() or sum(code == found.highest for code in codes.values()) > len(codes) // 6


LAYERS = st.lists(st.tuples(st.integers(0, 2**24 - 1), st.integers(0, 2**24 - 1), st.floats(0.01, 5), st.floats(1, 2)), min_size=1, max_size=7)


@settings(max_examples=200, deadline=None)
@given(LAYERS, st.floats(0.1, 20))
def test_a_sieve_keeps_all_that_can_reach_the_score_and_little_else(rows: list[tuple[int, int, float, float]], least: float) -> None:
    layers = [Layer(every, every & strong, calm, calm * more) for every, strong, calm, more in rows]

    def bound(document: int) -> float:
        return sum(layer.high if layer.strong >> document & 1 else layer.calm for layer in layers if layer.every >> document & 1)

    kept = set(members(able(layers, least), 24))

    assert {document for document in range(24) if bound(document) >= least * (1 + 1e-12)} <= kept
    assert kept <= {document for document in range(24) if bound(document) >= least * (1 - len(layers) / sieve._STEPS)}


def test_a_sieve_keeps_what_reaches_the_score_exactly() -> None:
    assert 0b1011 == able([Layer(0b1011, 0b0010, 1.0, 1.0)], 1.0)
    assert 0b0010 == able([Layer(0b1011, 0b0010, 0.5, 1.0)], 1.0)
    assert 0b0011 == able([Layer(0b1011, 0b0010, 0.5, 0.5), Layer(0b0111, 0b0011, 0.1, 0.5)], 1.0)


def test_what_a_sieve_costs_is_bounded_for_equal_terms() -> None:
    """Twelve lists of one weight: sums that meet again are worked out once."""
    made = random.Random(5)
    layers = [Layer(every := made.getrandbits(2000), every & made.getrandbits(2000), 1.0, 1.6) for _ in range(sieve.MOST_LAYERS)]
    asked: list[int] = []

    class Counting(int):
        def __and__(self, other: int) -> int:
            asked.append(1)
            return int(self) & other

    able([layer._replace(every=Counting(layer.every)) for layer in layers], 9.0)

    assert 12 * 65 >= len(asked)




# -- what a person sees --------------------------------------------------------------------------


def test_hits_in_the_archive_carry_a_preview_and_say_how_to_bring_them_back(memory: Memory) -> None:
    for name in ("oak", "elm", "fir"):
        memory.add(f"notes/{name}", f"The {name} is a tree in the park.")
    for name in ("oak", "elm"):
        place = memory.root / f"archive/notes/{name}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        (memory.root / f"active/notes/{name}.md").rename(place)
    hits = memory.search("tree")
    shown = text(Listing(hits, empty="", query="tree"), Screen())

    assert {"notes/oak": "archive", "notes/elm": "archive", "notes/fir": "active"} == {hit.ref: hit.tier for hit in hits}
    assert all("is a tree in the park" in hit.snippet for hit in hits)
    assert "2 of these rest in archive/: `strata show REF` brings one back, with `--peek` it only looks." == shown.split("\n")[-1]
    assert "1 of these rests in archive/: `strata show REF` brings it back" in text(Listing(memory.search("oak"), empty=""), Screen())
    assert "archive/" not in text(Listing(memory.search("fir"), empty=""), Screen())
