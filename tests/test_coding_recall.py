"""Conversations of coding: what was decided, failed, measured and changed is found again in one memory of them all.

The floors lie below what was measured; `python tests/bench/recall.py` prints the numbers themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from bench.recall import FIXTURE, NEAR, Question, Sample, Score, any_at, by_fts5, by_strata, changed, judged, remembered, samples, share, together


@pytest.fixture(scope="module")
def conversations() -> Sample:
    return together(samples(FIXTURE))


@pytest.fixture(scope="module")
def scores(conversations: Sample, tmp_path_factory: pytest.TempPathFactory) -> list[Score]:
    memory = remembered(conversations, tmp_path_factory.mktemp("coding") / "memory")
    return judged(conversations.questions, by_strata(memory)(conversations.questions))


@pytest.fixture(scope="module")
def fts5(conversations: Sample) -> list[Score]:
    return judged(conversations.questions, by_fts5(conversations)(conversations.questions))


def of(scores: list[Score], fits: Callable[[Question], bool]) -> list[Score]:
    return [score for score in scores if fits(score.question)]


def test_the_questions_are_what_they_claim_to_be(conversations: Sample) -> None:
    ids = [message.id for _, message in conversations.messages]
    order = {key: number for number, key in enumerate((thread, message.id) for thread, message in conversations.messages)}
    categories = Counter(question.category for question in conversations.questions)

    assert len(ids) == len(set(ids)) >= 500
    assert len(conversations.questions) >= 90
    assert categories["changed"] >= 20
    assert set(categories) == {"identifier", "version", "error", "path", "decision", "changed", "tool", "chinese", "mixed", "time", "paraphrase"}
    assert all(bool(question.outdated) == (question.category == "changed") for question in conversations.questions)
    assert all(max(map(order.get, question.outdated)) < min(map(order.get, question.evidence)) for question in conversations.questions if question.outdated)  # type: ignore[type-var]
    assert 0.4 < share(question.held for question in conversations.questions) < 0.6


@pytest.mark.parametrize(("language", "floor"), [("en", 0.75), ("zh", 0.85), ("mixed", 0.70)])
def test_evidence_is_among_the_first_ten_in_each_language(scores: list[Score], language: str, floor: float) -> None:
    assert any_at(of(scores, lambda question: question.language == language), NEAR) >= floor


def test_evidence_is_among_the_first_ten(scores: list[Score]) -> None:
    assert any_at(scores, NEAR) >= 0.78


def test_the_half_that_was_held_back_is_found_too(scores: list[Score]) -> None:
    assert any_at(of(scores, lambda question: question.held), NEAR) >= 0.75


def test_more_is_found_than_by_plain_full_text_search(scores: list[Score], fts5: list[Score]) -> None:
    assert any_at(scores, NEAR) > any_at(fts5, NEAR)
    assert any_at(scores, 1) > any_at(fts5, 1)


def test_the_current_statement_stands_above_the_outdated_one(scores: list[Score], fts5: list[Score]) -> None:
    above = share(score.above for score in changed(scores))

    assert above >= 0.85
    assert above >= share(score.above for score in changed(fts5)) + 0.4


def test_both_statements_are_marked(scores: list[Score]) -> None:
    assert share(score.marked for score in changed(scores)) >= 0.75


def test_of_the_half_held_back_most_are_marked(scores: list[Score]) -> None:
    assert share(score.marked for score in changed(of(scores, lambda question: question.held))) >= 0.65
