"""What the cards made without a model mean for persons, projects and organizations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_extracting import HOSTILE, MESSAGES, SAID, SENTENCES

from strata import claims
from strata.cards import Event
from strata.model import Message
from strata.models.extracting import cards
from strata.models.projecting import claims as projected


def lines(text: str, speaker: str = "", at: str = SAID) -> list[str]:
    """The claims of what one message says, as lines without their confidence."""
    made = cards([Message("m1", "user", text, speaker, at)], "main")
    return [claims.line(claim._replace(confidence=None)) for card in made for claim in projected(card)]


# What somebody says, and what follows; "" for nothing.
MEANT = (
    ("I live in Trondheim.", "person user · state · lives in · Trondheim"),
    ("I live in a small house near Bergen, and it rains.", "person user · state · lives in · a small house near Bergen"),
    ("I moved to Lisbon in March.", "person user · state · lives in · Lisbon · from 2026-03"),
    ("I work at Nordwind Optics.", "person user · relation · works at · organization Nordwind Optics"),
    ("I work for Nordwind Optics in Oslo.", "person user · relation · works at · organization Nordwind Optics"),
    ("I work at a bakery.", ""),
    ("I work as a bookbinder.", "person user · state · works as · a bookbinder"),
    ("I'm a software engineer.", "person user · state · works as · a software engineer"),
    ("My name is Ilka.", "person user · state · name · Ilka"),
    ("My birthday is on 4 March.", "person user · state · birthday · 4 March"),
    ("I'm allergic to penicillin and latex.", "person user · set · allergic to · penicillin and latex"),
    ("I'm lactose intolerant.", "person user · set · intolerant of · lactose"),
    ("I'm vegetarian, by the way.", "person user · state · diet · vegetarian"),
    ("I study marine biology at night.", "person user · state · studies · marine biology"),
    ("I prefer tabs over spaces.", "person user · set · prefers · tabs over spaces"),
    ("I love trail running, it clears my head.", "person user · set · prefers · trail running"),
    ("I hate modal dialogs.", "person user · set · dislikes · modal dialogs"),
    ("I don't eat pork.", "person user · set · dislikes · pork"),
    ("My favourite editor is Helix.", "person user · set · prefers · Helix"),
    ("Dark roast is my favorite coffee.", "person user · set · prefers · Dark roast"),
    ("My sister's name is Runa.", "person user · relation · sister · person Runa"),
    ("My best friend is called Ove.", "person user · relation · best friend · person Ove"),
    ("My brother Tarek got married in 2019.", "person user · relation · brother · person Tarek"),
    ("My sister got married in 2019.", ""),
    ("kynd uses pnpm now.", "project kynd · relation · uses · tool pnpm · from 2026-05-20"),
    ("The ledger project runs on Postgres 16.", "project ledger · relation · runs on · tool Postgres 16 · from 2026-05-20"),
    ("Everybody uses pnpm now.", ""),
    ("Let's use pnpm instead of npm.", "person user · set · decided · Let's use pnpm instead of npm · from 2026-05-20"),
    ("Yesterday we decided to drop the beta channel.", "person user · set · decided · Yesterday we decided to drop the beta channel · from 2026-05-19"),
    ("I'm going to visit Porto next month.", "person user · set · plans · I'm going to visit Porto next month · to 2026-06"),
    ("I plan to rewrite the parser.", "person user · set · plans · I plan to rewrite the parser · from 2026-05-20"),
    ("Tomorrow's offsite has been cancelled.", ""),
    ("Yesterday I ran my first half marathon.", ""),
    ("我住在成都。", "person user · state · lives in · 成都"),
    ("我在邮局工作。", "person user · relation · works at · organization 邮局"),
    ("我叫陆遥。", "person user · state · name · 陆遥"),
    ("我对花生过敏。", "person user · set · allergic to · 花生"),
    ("我喜欢爬山和摄影。", "person user · set · prefers · 爬山和摄影"),
    ("我不吃香菜。", "person user · set · dislikes · 香菜"),
    ("我最喜欢的颜色是深绿色。", "person user · set · prefers · 深绿色"),
    # what hangs on a value is no part of it
    ("I'm allergic to nuts by the way.", "person user · set · allergic to · nuts"),
    ("I'm allergic to penicillin, as you know.", "person user · set · allergic to · penicillin"),
    ("I'm allergic to gluten, so please no bread recipes.", "person user · set · allergic to · gluten"),
    ("I don't eat fish any more either.", "person user · set · dislikes · fish"),
    ("I love hiking and next Friday I'm flying to Oslo.", "person user · set · prefers · hiking"),
    ("I love hiking and photography.", "person user · set · prefers · hiking and photography"),
    ("I live in Berlin and next Friday I'm flying to Oslo.", "person user · state · lives in · Berlin"),
    ("I prefer pytest, so please don't write unittest classes.", "person user · set · prefers · pytest"),
    ("my name is ilka, by the way", "person user · state · name · ilka"),
    ("My name is Maria de la Cruz.", "person user · state · name · Maria de la Cruz"),
    ("My name is spelled with two t's.", ""),
    ("I'm a doctor's patient.", ""),
    ("I'm a student council member.", ""),
    ("I'm a nurse at Nordwind Clinic.", "person user · relation · works at · organization Nordwind Clinic|person user · state · works as · a nurse"),
    # no place, no day, no tool
    ("I moved to Linux.", ""),
    ("I moved to VSCode last month.", ""),
    ("I moved from Porto to Berlin in 2024.", "person user · state · lives in · Berlin · from 2024"),
    ("My birthday is on 31 April.", ""),
    ("My birthday is on February 30.", ""),
    ("My birthday is on 29 February.", "person user · state · birthday · 29 February"),
    ("The project uses X.", ""),
    # said behind a request to remember it, or a word of consent
    ("Remember that I'm vegetarian.", "person user · state · diet · vegetarian"),
    ("Don't forget that I'm allergic to latex.", "person user · set · allergic to · latex"),
    ("My timezone is Europe/Oslo.", "person user · state · timezone · Europe/Oslo"),
    ("My mentor's name is Runa.", "person user · relation · mentor · person Runa"),
    ("我搬到杭州了。", "person user · state · lives in · 杭州"),
    ("我上个月搬到了杭州。", "person user · state · lives in · 杭州 · from 2026-04"),
    ("我在阿里巴巴上班。", "person user · relation · works at · organization 阿里巴巴"),
    ("我妈妈叫李秀英。", "person user · relation · mother · person 李秀英"),
    ("我女儿叫朵朵。", "person user · relation · daughter · person 朵朵"),
    ("我对猫不再过敏了。", "person user · set · allergic to · 猫 · to 2026-05-20"),
    ("我上个月从腾讯离职了。", "person user · relation · works at · organization 腾讯 · to 2026-04"),
    # what is over
    ("I no longer work at Nordwind Optics.", "person user · relation · works at · organization Nordwind Optics · to 2026-05-20"),
    ("I quit my job at Nordwind Optics last month.", "person user · relation · works at · organization Nordwind Optics · to 2026-04"),
    ("I'm not allergic to cats anymore.", "person user · set · allergic to · cats · to 2026-05-20"),
    ("I left Nordwind Optics.", ""),
    ("I no longer live in Berlin.", ""),
)  # fmt: skip


@pytest.mark.parametrize("text, expected", MEANT, ids=[text for text, _ in MEANT])
def test_what_is_plainly_said_is_claimed_and_nothing_else(text: str, expected: str) -> None:
    assert [each for each in expected.split("|") if each] == lines(text)


def test_a_named_speaker_is_the_person() -> None:
    assert ["person Runa · state · lives in · Oslo"] == lines("I live in Oslo.", speaker="Runa")


def test_among_several_participants_nobody_says_i() -> None:
    (card,) = cards([Message("m1", "user", "I live in Oslo.", "Runa", SAID)], "main")

    assert () == projected(card._replace(participants=("Runa", "Ove")))
    assert () != projected(card)


def test_the_prefix_of_a_title_is_no_part_of_a_value() -> None:
    said = [Message("m1", "user", "I plan to sail to Skye.", "Runa", SAID), Message("m2", "user", "Oh.", "Ove", SAID)]

    (card,) = cards(said, "talk")

    assert "Runa: I plan to sail to Skye" == card.title
    assert "I plan to sail to Skye" == projected(card)[0].value


def test_a_name_that_no_entity_can_have_claims_nothing() -> None:
    assert [] == lines("I live in Oslo.", speaker="[Runa]")


def test_a_card_of_a_person_without_quotes_claims_its_decision_alone() -> None:
    card = Event("pnpm from now on", "decision", "occurred", SAID, "", "", "unknown", "unknown", "", (), "blk-a", ("m1",))

    assert ["person user · set · decided · pnpm from now on · from 2026-05-20"] == [claims.line(claim) for claim in projected(card)]


@pytest.mark.parametrize("kind, quote", [("state", "It uses pnpm now."), ("state", "Nobody uses pnpm now."), ("preference", "I love it."), ("preference", "I hate them all."), ("state", "I work at The."), ("happening", "I love trail running.")])
def test_words_that_point_elsewhere_are_no_values(kind: str, quote: str) -> None:
    card = Event("so it is", kind, "ongoing", SAID, "", "", "unknown", "unknown", "", (), "blk-a", ("m1",), quotes=(quote,))

    assert () == projected(card)


@given(st.lists(MESSAGES, max_size=4))
def test_every_claim_is_sound_and_survives_its_line(block: list[Message]) -> None:
    for card in cards(block, "main"):
        found = projected(card)
        assert found == projected(card)
        assert [] == [fault for claim in found for fault in claims.faults(claim)]
        assert list(found) == claims.of_lines(map(claims.line, found))


WORDS = st.text(max_size=60) | st.sampled_from([sentence for sentence, _ in SENTENCES] + list(HOSTILE))


@given(title=WORDS, quotes=st.lists(WORDS, max_size=3), kind=st.sampled_from(["decision", "preference", "plan", "correction", "happening", "state", "other", ""]), names=st.lists(st.text(max_size=90), max_size=2), times=st.tuples(*[st.sampled_from(["", "2026", "2026-05-20", SAID, "someday"])] * 3))
def test_a_card_that_a_person_edited_never_breaks_it(title: str, quotes: list[str], kind: str, names: list[str], times: tuple[str, ...]) -> None:
    card = Event(title, kind, "occurred", times[0], times[1], times[2], "unknown", "unknown", "", tuple(names), "blk-a", ("m1",), quotes=tuple(quotes))

    assert [] == [fault for claim in projected(card) for fault in claims.faults(claim)]
