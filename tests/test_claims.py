"""A claim is a line and a value, and both say the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strata import claims
from strata.claims import Claim, entity_id
from strata.errors import Malformed
from strata.layout import is_portable, record_path
from strata.names import is_id

HOSTILE = st.one_of(st.text(max_size=40), st.text(alphabet="ab ·\\*_[]|:→-#%$&;\n", max_size=30), st.sampled_from(["a · b", "x \\· y", "from 2026", "0.8", "- [[x]]", "to ·", "a\\"]))
TIMES = st.sampled_from(["", "2026", "2026-05", "2026-05-20T08:00:00+09:00", "soon"])


@st.composite
def any_claim(draw: st.DrawFn) -> Claim:
    mode = draw(st.sampled_from(claims.MODES))
    target = draw(st.sampled_from(claims.TYPES)) if mode == "relation" else ""
    sure = draw(st.one_of(st.none(), st.floats(0, 1)))
    return Claim(draw(st.sampled_from(claims.TYPES)), draw(HOSTILE), mode, draw(HOSTILE), draw(HOSTILE), target, draw(TIMES), draw(TIMES), sure)


@settings(max_examples=500)
@given(any_claim())
@example(Claim("person", "Jo", "set", "likes", "a · 0.8", confidence=1e-5))
@example(Claim("person", "Jo", "state", "is", "b\\", confidence=0.1234567890123))
def test_what_is_allowed_is_read_back_from_its_line_and_nothing_else_is(claim: Claim) -> None:
    if claims.faults(claim):
        assert claims.read(claims.line(claim)) != claim
    else:
        assert claim == claims.read(claims.line(claim))
        assert claim == claims.supplied(dict(claims.as_object(claim)))
        assert 1 == len(claims.line(claim).splitlines())


@given(st.text(max_size=80))
def test_any_line_is_a_claim_without_faults_or_none(text: str) -> None:
    found = claims.read(text)

    assert found is None or not claims.faults(found)


@settings(max_examples=300)
@given(st.text(max_size=90), st.sampled_from(claims.TYPES))
@example("con", "person")
@example("東京", "place")
@example("jo-x2m9ta", "person")
def test_an_id_is_a_file_name_everywhere_and_the_same_for_a_name_in_any_case(name: str, type_: str) -> None:
    ref = entity_id(type_, name)
    path = record_path(ref) or ""

    assert is_id(ref) and path.startswith(f"active/entities/{type_}/") and is_portable(path)
    assert ref == entity_id(type_, f"  {name.upper().lower().upper()} ") or name.casefold() != name.upper().lower().upper().casefold()


@pytest.mark.parametrize("one, other", [("Jo-Ann", "jo ann"), ("shop_api", "Shop API"), ("attic-eu", "attic eu")])
def test_names_that_differ_in_case_blanks_and_hyphens_are_one(one: str, other: str) -> None:
    assert entity_id("tool", one) == entity_id("tool", other)


@pytest.mark.parametrize("one, other", [("José", "Jose"), ("C++", "C"), ("東京", "大阪"), ("a" * 70, "a" * 71), ("con", "com"), ("Jo", "Joe")])
def test_names_that_differ_have_different_ids(one: str, other: str) -> None:
    assert entity_id("person", one) != entity_id("person", other)
    assert entity_id("person", one) == entity_id("person", one.upper())


@pytest.mark.parametrize(
    "change, word",
    [
        ({"type": "god"}, "type is one of"), ({"mode": "x"}, "mode is one of"), ({"name": "a|b"}, "which no name has"), ({"value": " "}, "value"), ({"key": "k" * 41}, "at most 40"),
        ({"target": "tool"}, "left out elsewhere"), ({"mode": "relation"}, "target"), ({"valid_from": "soon"}, "valid_from"), ({"valid_from": "2026", "valid_to": "2025"}, "before valid_from"),
        ({"confidence": float("nan")}, "confidence"), ({"more": 1}, "no field"), ({"value": "a\u2028b"}, "value"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_supplied_claim_is_named(change: dict[str, Any], word: str) -> None:
    with pytest.raises(Malformed, match=word):
        claims.supplied({"type": "person", "name": "Jo", "mode": "state", "key": "is", "value": "tall"} | change)


def test_lines_that_state_nothing_are_passed_over() -> None:
    assert [Claim("person", "Jo", "state", "is", "tall")] == claims.of_lines(["person Jo · state · is · tall", "nonsense", "person Jo · state · is · tall · from 2026 · from 2025", "person Jo · state · is"])
