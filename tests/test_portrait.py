"""The file of an entity keeps its facts without loss, and all that a person wrote to the byte."""

from __future__ import annotations


import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strata import claims, portrait
from strata.claims import Claim
from strata.document import BOM, Document
from strata.errors import Malformed
from strata.graph import Fact, ordered
from strata.factlines import fact_in, fact_line
from strata.portrait import BEGIN, END, Portrait

PATH = "active/entities/person/jo.md"
REFS = ["evt-20260520-aaaaab", "evt-20260101-aaaaac", "evt-20261130-aaaaad"]
TEXTS = st.one_of(st.text(max_size=30), st.text(alphabet="ab ·\\*_[]|:→-#%$&;<>!~=^`", max_size=30), st.sampled_from(["&middot;", "a · since 2026", "-->", END, "**x**: y", "[[evt-20260520-aaaaab]]", "\\&middot;", "#tag", "snake_case_name", "$5 and $6"]))
TIMES = st.sampled_from(["", "2026", "2026-05", "2026-05-20T08:00:00+09:00"])


@st.composite
def some_facts(draw: st.DrawFn) -> Fact:
    mode = draw(st.sampled_from(claims.MODES))
    target = draw(st.sampled_from(claims.TYPES)) if mode == "relation" else ""
    key, value = (draw(TEXTS).strip() for _ in range(2))
    claim = Claim("person", "Jo", mode, key, "x" + value, target)
    if claims.faults(claim):
        claim = Claim("person", "Jo", mode, "likes", "tea" if target else "a · *b* [[c]] #d", target)
    start = draw(TIMES)
    events = tuple(sorted(draw(st.sets(st.sampled_from(REFS), min_size=1))))
    sure = draw(st.one_of(st.none(), st.floats(0, 1)))
    return Fact(claim.key, mode, claim.value, target, start, draw(TIMES), "" if start else draw(TIMES), events, sure, draw(st.sampled_from(["current", "closed", "disputed", "planned", "retracted"])))


FACTS = st.lists(some_facts(), max_size=5, unique_by=lambda fact: fact.id).map(ordered)
JO = Portrait("ent-person-jo", "person", "Jo")


def lines_of(document: Document) -> list[str]:
    return (portrait.section_of(document) or "").split("\n")


@settings(max_examples=500)
@given(some_facts())
@example(Fact("is", "state", "a · b", events=("evt-20260520-aaaaab",)))
def test_a_fact_is_read_back_from_its_line(fact: Fact) -> None:
    assert fact == fact_in(fact_line(fact))
    assert 1 == len(fact_line(fact).splitlines())


@settings(max_examples=150, deadline=None)
@given(FACTS, st.text(max_size=40), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.lists(st.sampled_from(REFS), max_size=2, unique=True))
def test_all_is_read_back_from_a_file_and_what_a_person_wrote_stays_to_the_byte(facts: tuple[Fact, ...], own: str, ending: str, bom: bool, takes: list[str]) -> None:
    header = f"---{ending}# mine{ending}kind: entity{ending}type: person{ending}name: Jo # so it is{ending}mood: [a,  b]{ending}---{ending}"
    body = own.encode("utf-8", "surrogatepass") if BEGIN not in own else b""
    page = Document.parse((BOM if bom else b"") + header.encode() + body, PATH)
    meant = portrait.read(page)._replace(facts=facts, takes=tuple(takes), split_from="ent-person-jo-b" if takes else "")
    first = portrait.written(page, meant)
    again = portrait.read(first)

    assert meant._replace(own=again.own, updated_at=again.updated_at) == again
    assert not again.edited
    assert first.data.startswith((BOM if bom else b"") + header.encode().removesuffix(f"---{ending}".encode()))
    assert page.body in first.body
    assert first.data == portrait.written(first, again).data
    emptied = portrait.written(first, again._replace(facts=()))
    assert page.body in emptied.body and () == portrait.read(emptied).facts


@settings(max_examples=120, deadline=None)
@given(FACTS, FACTS, st.data(), st.booleans())
def test_lines_a_person_added_or_deleted_in_the_section_are_theirs(facts: tuple[Fact, ...], later: tuple[Fact, ...], data: st.DataObject, windows: bool) -> None:
    first = portrait.written(None, JO._replace(facts=facts))
    if windows:
        first = Document.parse(first.data.replace(b"\n", b"\r\n"), PATH)
    base = portrait.section_of(first) or ""
    deleted = data.draw(st.sets(st.sampled_from([fact_line(fact) for fact in facts]))) if facts else set()
    added = data.draw(st.lists(st.sampled_from(["- whistles", "plain words", "- **is**: tall", "> a quote", "## Mine"]), max_size=3, unique=True))
    kept = [line for line in base.split("\n") if line not in deleted]
    for line in added:
        kept.insert(data.draw(st.integers(0, max(0, len(kept) - 1))), line)
    ending = "\r\n" if windows else "\n"
    section = ending.join(kept) if kept and kept[-1] == "" else ending.join([*kept, ""])
    text = first.body.decode()
    edited = first.with_body((text[: text.index(BEGIN)] + BEGIN + ending + section + END + ending + "Own words." + ending).encode())
    rescued = portrait.rescued(edited, base)
    seen = portrait.read(rescued)
    written = portrait.written(rescued, seen._replace(facts=ordered({fact.id: fact for fact in (*later, *facts)}.values())))

    assert not seen.edited
    assert all(line in seen.own.splitlines() for line in added)
    assert "Own words." in seen.own
    assert {fact.id for fact in facts if fact_line(fact) in deleted} == set(seen.withdrawn)
    assert not {fact.id for fact in portrait.read(written).facts} & set(seen.withdrawn)
    assert portrait.read(written).own == seen.own
    assert rescued.data == portrait.rescued(rescued, base).data, "once is enough"


def test_a_changed_line_is_taken_out_and_kept_as_the_persons() -> None:
    fact = Fact("lives in", "state", "Berlin", said="2026-05-20", events=(REFS[0],))
    first = portrait.written(None, JO._replace(facts=(fact,)))
    edited = Document.parse(first.data.replace(b"Berlin", b"Berlin, Mitte"), PATH)
    seen = portrait.read(portrait.rescued(edited, portrait.section_of(first)))

    assert portrait.read(edited).edited
    assert (fact.id,) == seen.withdrawn
    assert "## By hand\n\n- **lives in**: Berlin, Mitte · said 2026-05-20" in seen.own


def test_more_lines_by_hand_join_those_that_are_there() -> None:
    first = portrait.written(None, JO)
    text = first.body.decode().replace(END, f"- two\n{END}") + "\n## By hand\n\n- one\n\nMore.\n"
    seen = portrait.read(portrait.rescued(first.with_body(text.encode()), portrait.section_of(first)))

    assert seen.own.endswith("\n## By hand\n\n- one\n- two\n\nMore.\n")


def test_without_a_base_only_what_is_no_fact_is_the_persons() -> None:
    fact = Fact("lives in", "state", "Berlin", said="2026-05-20", events=(REFS[0],))
    first = portrait.written(None, JO._replace(facts=(fact,)))
    seen = portrait.read(portrait.rescued(Document.parse(first.data.replace(END.encode(), b"- mine\n" + END.encode()), PATH), None))

    assert "- mine" in seen.own and "Berlin" not in seen.own and () == seen.withdrawn


def test_the_file_reads_well() -> None:
    facts = ordered([
        Fact("lives in", "state", "Berlin", "", "2024", "2026-05", "", (REFS[0],), None, "closed"),
        Fact("lives in", "state", "Lisbon", "", "2026-05", "", "", (REFS[2],), 0.8),
        Fact("likes", "set", "tea", said="2026-05-20", events=(REFS[0], REFS[2])),
        Fact("works at", "relation", "Acme", "organization", said="2026-05-20", events=(REFS[0],)),
    ])  # fmt: skip
    document = portrait.written(None, JO._replace(aliases=("Joanna",), facts=facts))

    assert 'related: ["[[organization/acme|Acme]]"]' in document.data.decode().replace("\n  - ", " [", 1).replace('"\nupdated', '"]\nupdated')
    assert ["[[organization/acme|Acme]]"] == document.list("related") and "2026-11-30" == document.text("updated_at")
    assert (
        "# Jo\n\n<!-- strata:facts -->\n## Now\n\n"
        "- *likes*: tea · said 2026-05-20 · [[evt-20260520-aaaaab]], [[evt-20261130-aaaaad]]\n"
        "- **lives in**: Lisbon · since 2026-05 · 0.8 · [[evt-20261130-aaaaad]]\n"
        "- **works at** → [[organization/acme|Acme]] · said 2026-05-20 · [[evt-20260520-aaaaab]]\n"
        "\n## Earlier\n\n- **lives in**: Berlin · since 2024 · until 2026-05 · [[evt-20260520-aaaaab]]\n<!-- /strata:facts -->\n"
    ) == document.body.decode()


@pytest.mark.parametrize("data, place", [(b"---\nkind: note\n---\n", "active/notes/a.md"), (b"---\nid: [\n---\n", PATH)])
def test_what_is_no_entity_is_refused(data: bytes, place: str) -> None:
    with pytest.raises(Malformed):
        portrait.read(Document.parse(data, place))


def test_a_page_without_a_header_is_named_by_its_place() -> None:
    seen = portrait.read(Document.parse(b"Jo is kind.\n", PATH))
    written = portrait.written(Document.parse(b"Jo is kind.\n", PATH), seen)

    assert ("ent-person-jo", "person") == (seen.id, seen.type)
    assert b"id: ent-person-jo\nkind: entity\ntype: person\n" in written.data and b"Jo is kind.\n" in written.data


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_section_whose_marks_were_deleted_gets_them_back_and_is_not_there_twice(ending: str) -> None:
    fact = Fact("lives in", "state", "Berlin", events=("evt-20260520-x2m9ta",))
    made = portrait.written(None, Portrait("ent-person-jo", "person", "Jo", facts=(fact,)))
    base = portrait.section_of(made)
    text = made.body.decode().replace(f"{BEGIN}\n", "").replace(f"{END}\n", "") + "\nMy own words.\n"
    torn = Document.parse((made.data[: -len(made.body)].decode() + text).replace("\n", ending).encode(), "active/entities/person/jo.md")

    assert portrait.unmarked(torn) and not portrait.unmarked(made)
    mended = portrait.rescued(torn, base)
    assert base == portrait.section_of(mended)
    assert 1 == mended.data.decode().count("Berlin") and f"My own words.{ending}" in mended.data.decode()
    assert torn == portrait.rescued(torn, None) == portrait.rescued(torn, "## Now\n\n- *other*\n")


def test_a_mark_that_has_lost_the_other_goes_and_a_line_changed_without_marks_is_theirs() -> None:
    facts = (Fact("lives in", "state", "Berlin", events=("evt-20260520-x2m9ta",)), Fact("likes", "set", "tea", events=("evt-20260520-x2m9ta",)))
    made = portrait.written(None, Portrait("ent-person-jo", "person", "Jo", facts=facts))
    path = "active/entities/person/jo.md"
    for torn in (made.data.replace(f"{BEGIN}\n".encode(), b""), made.data.replace(f"{END}\n".encode(), b"") + b"mine\n", made.data + f"{END}\n".encode()):
        again = portrait.written(document := Document.parse(torn, path), portrait.read(document, path)._replace(facts=facts))
        assert (1, 1) == (again.data.count(BEGIN.encode()), again.data.count(END.encode()))

    torn = Document.parse(made.data.replace(f"{BEGIN}\n".encode(), b"").replace(f"{END}\n".encode(), b"").replace(b": tea", b": coffee"), path)
    mended = portrait.rescued(torn, portrait.section_of(made)).data.decode()
    assert mended.index("tea") < mended.index(END) < mended.index("## By hand") < mended.index("coffee")
