"""What a text is found by: its words, its odd tokens, and scripts without spaces."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata.shadow.irregular import base_forms, plain_terms, plain_words
from strata.shadow.terms import LONGEST_TERM, MOST_TERMS, SINGLE_WEIGHT, fold, query_terms, stem, terms


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("we prefer C++ over C#", "C++"),
        ("we prefer C++ over C#", "c#"),
        ("use Go or R", "R"),
        ("R&D budget", "R&D"),
        ("the .NET runtime", ".net"),
        ("AT&T's offer", "at&t"),
        ("launch 🚀 party", "🚀"),
        ("family 👨‍👩‍👧 photo", "👩"),
        ("from 🇩🇪 to 🇫🇷", "🇩🇪"),
        ("trip to Zürich", "zurich"),
        ("trip to Zurich", "ZÜRICH"),
        ("trip to Zu\u0308rich", "Zürich"),
        ("die Straße", "strasse"),
        ("Łódź and Ærø", "lodz aero"),
        ("ＦＵＬＬ width", "full"),
        ("foo_bar-baz", "foo_bar-baz"),
        ("foo_bar-baz", "bar"),
        ("getUserName()", "user"),
        ("getUserName()", "getUserName"),
        ("HTTPServer", "server"),
        ("released v1.10.2 today", "v1.10.2"),
        ("released v1.10.2 today", "1.10.2"),
        ("released 1.10.2 today", "10"),
        ("meeting 10:30 at http://shop.example/a?b=c, Re: pump", "10:30"),
        ("meeting 10:30 at http://shop.example/a?b=c, Re: pump", "http://shop.example/a?b=c"),
        ("meeting 10:30 at http://shop.example/a?b=c, Re: pump", "shop.example"),
        ("meeting 10:30 at http://shop.example/a?b=c, Re: pump", "Re: pump"),
        ("edit src/strata/shadow/terms.py now", "terms.py"),
        ("edit src/strata/shadow/terms.py now", "src/strata/shadow/terms.py"),
        ("C:\\Users\\jo\\notes.txt", "notes.txt"),
        ("mail jo@example.org", "jo@example.org"),
        ("mail jo@example.org", "example.org"),
        ("ratio a:b", "a:b"),
        ("set x to 7", "x"),
        ("set x to 7", "7"),
        ("run it with --force", "--force"),
        ("a 50% share", "50%"),
        ("price €5", "€"),
        ("f -> g", "->"),
        ("she went home", "go"),
        ("two children", "child"),
        ("the runners were running", "run"),
        ("it is Dorothea’s", "dorothea"),
        ("don't", "don’t"),
        ("私は日本語を勉強します。東京に住む", "日本語"),
        ("私は日本語を勉強します。東京に住む", "勉強"),
        ("私は日本語を勉強します。東京に住む", "東京"),
        ("私は日本語を勉強します。東京に住む", "語"),
        ("私は日本語を勉強します。東京に住む", "日本語を勉強"),
        ("新しいiPhoneを買う", "iphone"),
        ("カタカナ", "タカ"),
        ("ﾊﾝｶｸ", "ハンカク"),
        ("한국어를 배운다", "한국"),
        ("한국어를 배운다", "어"),
        ("ฉันรักภาษาไทย", "ภาษา"),
        ("ຂ້ອຍຮັກລາວ", "ລາວ"),
        ("ខ្ញុំស្រឡាញ់ខ្មែរ", "ខ្មែរ"),
        ("မြန်မာစာ", "မြန်မာ"),
        ("हिन्दी में", "हिन्दी"),
        ("Ελλάδα", "ελλαδα"),
        ("Москва́", "москва"),
        ("to be or not to be", "to be or not to be"),
    ],
)
def test_every_term_of_the_question_is_in_the_text(text: str, question: str) -> None:
    asked = set(query_terms(question))

    assert asked
    assert asked <= set(terms(text))


def test_a_chunk_is_a_term_as_a_whole_and_in_its_parts() -> None:
    assert {"foo_bar-baz", "foo", "bar", "baz"} <= set(terms("(foo_bar-baz)."))
    assert {"getusernam", "get", "user", "name"} <= set(terms("getUserName"))
    assert {"c++", "c"} == set(terms("C++"))


def test_sentence_marks_and_markdown_leave_plain_words() -> None:
    assert ["hello", "world"] == terms("**Hello**, `world`!")
    assert ["well", "mayb"] == terms("well...maybe")


def test_stop_words_are_stored_and_only_asked_for_when_nothing_else_is_there() -> None:
    assert ["where", "be", "the", "cat"] == terms("Where is the cat?")
    assert ["cat"] == list(query_terms("Where is the cat?"))
    assert ["where", "be", "the"] == list(query_terms("Where is the?"))


def test_marks_alone_are_asked_for_only_when_nothing_else_is_there() -> None:
    assert ["*"] == list(query_terms("*"))
    assert ["cat"] == list(query_terms("* - cat"))


def test_a_single_character_weighs_less_beside_the_pairs_it_is_part_of() -> None:
    assert {"東": SINGLE_WEIGHT, "京": SINGLE_WEIGHT, "東京": 1.0} == query_terms("東京")
    assert {"語": 1.0} == query_terms("語")


def test_marks_that_make_another_letter_stay() -> None:
    assert fold("が") != fold("か")
    assert terms("が") != terms("か")


def test_irregular_forms_lead_to_one_base() -> None:
    forms = base_forms()

    assert all(stem(form) == stem(base) for form, base in forms.items())


@pytest.mark.parametrize("query", ["NOT OR foobar", "NOT", "AND", "foo NOT", '"unbalanced', "(", "[a TO", "foo^^2", "~", "\\", "(" * 3000, "NOT " * 2000, "*", "?"])
def test_a_query_that_looks_like_an_operator_has_terms(query: str) -> None:
    assert query_terms(query)


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_a_blank_query_has_none(query: str) -> None:
    assert {} == query_terms(query)


@given(st.text(st.characters(), max_size=60))
def test_any_text_can_be_found_by_itself(text: str) -> None:
    found = terms(text)

    assert set(query_terms(text)) <= set(found)
    assert all(0 < len(term) <= LONGEST_TERM and not term.isspace() for term in found)
    assert bool(found) == bool(text.split())


@given(st.lists(st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=10), max_size=8))
def test_words_give_the_same_terms_alone_and_in_company(words: list[str]) -> None:
    assert [term for word in words for term in terms(word)] == terms(" ".join(words))


def test_a_long_question_is_bounded() -> None:
    assert MOST_TERMS >= len(query_terms(" ".join(f"w{number}" for number in range(100_000))))


@pytest.mark.parametrize("text", ["x" * 1_000_000, "日本" * 100_000, "a," * 200_000, "(" * 1_000_000, "a'" * 200_000, "aB1" * 200_000, "e\u0301" * 200_000, "…" * 300_000])
def test_a_huge_token_takes_time_in_proportion(text: str) -> None:
    start = time.perf_counter()
    found = terms(text)

    assert 5 > time.perf_counter() - start
    assert all(len(term) <= LONGEST_TERM for term in found)


def test_plain_terms_are_the_stems_of_plain_words():
    assert set(map(stem, plain_words())) <= set(plain_terms())
    assert {term for term in plain_terms() if term not in plain_words()} <= set(map(stem, plain_words()))
