"""A fact can be followed down to the words it rests on, whatever became of them, and every step says who brought it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run, run  # noqa: F401
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import git

from strata import Memory
from strata.errors import Ambiguous, NotFound, UsageError
from strata.history import trees
from strata.model import Message
from strata.provenance import Link

LISBON = "I live in Lisbon."


def block_of(memory: Memory, *texts: str, first: int = 1) -> str:
    """A block of one turn that a person said, appended and sealed by two commits."""
    said = [Message(f"m{number}", "user" if number == first else "assistant", text, at=f"2026-05-20T10:00:{number:02}Z") for number, text in enumerate(texts, first)]
    memory.append([("main", message) for message in said])
    return memory.seal("main", everything=True)[0].ref


def card(memory: Memory, block: str, title: str, *, quote: str = "", value: str = "", message: str = "m1", name: str = "Jo", key: str = "lives in", since: str = "", **more: object) -> str:
    claim = {"type": "person", "name": name, "mode": "state", "key": key, "value": value, "valid_from": since}
    facts = [{field: text for field, text in claim.items() if text}] if value else []
    return memory.record({"title": title, "source_block": block, "source_messages": [message], "quotes": [quote] if quote else [], "facts": facts, **more}).ref


def steps(link: Link) -> list[Link]:
    return [link, *(step for below in link.rests_on for step in steps(below))]


def only(link: Link, kind: str) -> Link:
    (found,) = [step for step in steps(link) if step.kind == kind]
    return found


@pytest.fixture
def quiet(memory: Memory) -> Memory:
    """A memory in which only what a test records becomes an event."""
    memory.config_set("extract", "off")
    return memory


@pytest.fixture
def lisbon(quiet: Memory) -> str:
    """The card that says Jo lives in Lisbon."""
    block = block_of(quiet, f"Hello.\n\nWell, {LISBON}\nIt is warm.", "Noted.")
    return card(quiet, block, "Jo lives in Lisbon", quote=LISBON, value="Lisbon", since="2020")


def test_a_fact_leads_to_its_event_the_block_and_the_line_of_the_words(quiet: Memory, lisbon: str) -> None:
    link = quiet.why("ent-person-jo#lives-in")

    assert ["fact", "event", "block", "message"] == [step.kind for step in steps(link)]
    message = only(link, "message")
    assert LISBON in (quiet.root / message.path).read_text("utf-8").split("\n")[message.line - 1]
    assert [LISBON] == [quote.text for quote in message.quotes]
    assert "**lives in**: Lisbon" in (quiet.root / link.path).read_text("utf-8").split("\n")[link.line - 1]
    assert lisbon == only(link, "event").ref


def test_every_step_names_the_commit_that_brought_it(quiet: Memory, lisbon: str) -> None:
    by_subject = {commit.subject: commit.id for commit in quiet.log()}

    link = quiet.why("ent-person-jo#lives-in")

    brought = {step.kind: step.brought.subject for step in steps(link) if step.brought}
    assert {"fact": "Record Jo lives in Lisbon", "event": "Record Jo lives in Lisbon", "block": "Seal 1 block (main)", "message": "Append 2 messages (main)"} == brought
    assert [("sealed", "Seal 1 block (main)")] == [(touch.what, touch.subject) for touch in only(link, "message").changed]
    assert all(by_subject[step.brought.subject] == step.brought.id and step.brought.author.name and step.brought.at for step in steps(link) if step.brought)
    assert not any(step.uncommitted for step in steps(link))


def test_a_message_that_was_sealed_with_its_commit_came_with_it(quiet: Memory) -> None:
    quiet.config_set("block_turns", "1")
    quiet.append([("main", Message("m1", "user", "One.")), ("main", Message("m2", "user", "Two."))])
    block = quiet.list(kinds=("block",))[0].ref

    message = only(quiet.why(f"{block}#m1"), "message")

    assert message.brought and message.brought.id == quiet.why(block).brought.id  # type: ignore[union-attr]
    assert () == message.changed


@pytest.mark.parametrize("asked", ["lives-in", "lives in", "Lives  IN", "lives-in-"])
def test_a_fact_is_named_by_key_or_the_beginning_of_its_id(quiet: Memory, lisbon: str, asked: str) -> None:
    if asked == "lives-in":
        assert quiet.why(f"Jo#{asked}") == quiet.why(f"ent-person-jo#{asked}")
    assert quiet.why(f"ent-person-jo#{asked}").ref.startswith("ent-person-jo#lives-in-")


def test_of_several_facts_with_a_key_the_true_one_is_meant(quiet: Memory, lisbon: str) -> None:
    block = block_of(quiet, "I moved to Berlin.", first=3)
    card(quiet, block, "Jo moved to Berlin", value="Berlin", since="2026-03", message="m3")

    link = quiet.why("ent-person-jo#lives in")

    assert "lives in: Berlin · since 2026-03" == link.text
    facts = {step.text.split(" ·")[0]: step for step in steps(quiet.why("ent-person-jo"))[1:]}
    assert "closed" == facts["lives in: Lisbon"].status
    assert ["Record Jo moved to Berlin"] == [touch.subject for touch in facts["lives in: Lisbon"].changed]
    assert "Record Jo lives in Lisbon" == facts["lives in: Lisbon"].brought.subject  # type: ignore[union-attr]
    assert facts["lives in: Lisbon"].ref == quiet.why(facts["lives in: Lisbon"].ref).ref


def test_what_fits_several_facts_or_none_is_refused_with_what_there_is(quiet: Memory, lisbon: str) -> None:
    block = block_of(quiet, "I like it.", first=3)
    for value in ("tea", "rain"):
        quiet.record({"title": value, "source_block": block, "source_messages": ["m3"], "facts": [{"type": "person", "name": "Jo", "mode": "set", "key": "likes", "value": value}]})

    with pytest.raises(Ambiguous, match="rain.*tea|tea.*rain"):
        quiet.why("ent-person-jo#likes")
    with pytest.raises(NotFound) as refused:
        quiet.why("ent-person-jo#dreams of")
    assert "likes-" in refused.value.remedy
    for ref in ("evt-20260520-zzzzzz", "ent-person-nobody", "ent-person-nobody#x", "nowhere", "blk-20260520-zzzzzz#m1"):
        with pytest.raises(NotFound):
            quiet.why(ref)


def test_a_note_has_its_commits_and_no_messages(quiet: Memory) -> None:
    quiet.add("plan", "Ship on Friday.")
    quiet.add("plan", "Ship on Monday.", replace=True)

    link = quiet.why("notes/plan")

    assert ("note", "came", ["changed"]) == (link.kind, link.brought.what, [touch.what for touch in link.changed])  # type: ignore[union-attr]
    with pytest.raises(UsageError):
        quiet.why("notes/plan#m1")


def test_what_replaced_an_event_or_contradicts_it_is_named(quiet: Memory, lisbon: str) -> None:
    block = block_of(quiet, "I live in Berlin, and I never saw Lisbon.", first=3)
    newer = card(quiet, block, "Jo lives in Berlin", message="m3", supersedes=[lisbon])
    other = card(quiet, block, "Jo never saw Lisbon", message="m3", conflicts_with=[lisbon])

    assert ((newer,), (other,)) == (quiet.why(lisbon).superseded_by, quiet.why(lisbon).conflicts_with)
    assert (lisbon,) == quiet.why(other).conflicts_with


def test_a_chain_holds_through_every_tier_and_after_a_rename_by_hand(quiet: Memory, lisbon: str) -> None:
    before = quiet.why("ent-person-jo#lives-in")
    block = only(before, "block").ref
    quiet.archive([lisbon, block, "ent-person-jo"])
    (quiet.root / "archive/events/old").mkdir()
    place = quiet.list(kinds=("event",))[0].path
    (quiet.root / place).rename(quiet.root / f"archive/events/old/{lisbon}.md")

    uncommitted = only(quiet.why("ent-person-jo#lives-in"), "event")
    quiet.add("other", "Adopts the rename.")
    after = quiet.why("ent-person-jo#lives-in")

    assert uncommitted.uncommitted and uncommitted.brought == only(before, "event").brought
    assert [step.ref for step in steps(before)] == [step.ref for step in steps(after)]
    assert [step.brought for step in steps(before)] == [step.brought for step in steps(after)]
    assert ["moved", "moved"] == [touch.what for touch in only(after, "event").changed]
    assert only(after, "event").path.startswith("archive/events/old/")
    assert [row.tier for row in quiet.list(kinds=("event", "block", "entity"))] == ["archive"] * 3  # it was only a look


def test_a_forgotten_event_says_so_and_hides_its_words(quiet: Memory, lisbon: str) -> None:
    fact = quiet.why("ent-person-jo#lives-in").ref
    quiet.forget([lisbon])

    link = quiet.why(fact)

    event = only(link, "event")
    assert ("2026-11-30", "", lisbon) == (event.forgotten, event.text, event.ref)
    assert link.missing and "gone" == link.changed[-1].what and "Record Jo lives in Lisbon" == link.brought.subject  # type: ignore[union-attr]
    assert ("", ()) == (link.text, event.rests_on) and "Lisbon" not in (event.missing or "")
    assert fact == quiet.why("Jo#lives-in").ref == quiet.why("person Jo#lives-in").ref, "by the name it had, too"
    assert "2026-11-30" == quiet.why(lisbon).forgotten


def test_a_fact_that_a_person_took_out_says_so(quiet: Memory, lisbon: str) -> None:
    block = block_of(quiet, "I work at Acme.", first=3)
    card(quiet, block, "Jo works", value="Acme", key="works at", message="m3")
    fact = quiet.why("ent-person-jo#lives-in").ref
    place = quiet.root / "active/entities/person/jo.md"
    place.write_text("".join(line for line in place.read_text("utf-8").splitlines(keepends=True) if "Lisbon" not in line), "utf-8", newline="")
    card(quiet, block, "Jo works still", value="Acme", key="works at", message="m3")

    assert "it was taken out by hand" == quiet.why(fact).missing


def test_what_is_not_committed_says_so(quiet: Memory, lisbon: str) -> None:
    event = quiet.root / only(quiet.why(lisbon), "event").path
    event.write_text(event.read_text("utf-8").replace("title: Jo lives", "title: Jo really lives"), "utf-8", newline="")
    fact = quiet.root / "active/entities/person/jo.md"
    fact.write_text(fact.read_text("utf-8").replace("since 2020", "since 2019"), "utf-8", newline="")
    (quiet.root / "active/notes/fresh.md").parent.mkdir(exist_ok=True)
    (quiet.root / "active/notes/fresh.md").write_text("New.\n", "utf-8")

    link = quiet.why("ent-person-jo#lives-in")

    assert link.uncommitted and link.brought and "Jo really lives in Lisbon" == only(link, "event").text
    assert only(link, "event").uncommitted and not only(link, "block").uncommitted
    note = quiet.why("notes/fresh")
    assert note.uncommitted and note.brought is None


def test_missing_evidence_is_named(quiet: Memory, lisbon: str) -> None:
    block = quiet.root / only(quiet.why(lisbon), "block").path
    whole = block.read_text("utf-8")

    block.write_text(whole.replace(LISBON, "I live elsewhere."), "utf-8", newline="")
    assert LISBON in quiet.why(lisbon).missing
    block.write_text(whole.replace("## user · m1", "## user · m9"), "utf-8", newline="")
    assert "no message m1" in only(quiet.why(lisbon), "message").missing
    block.write_text("---\n" + whole, "utf-8", newline="")
    assert only(quiet.why("ent-person-jo#lives-in"), "block").missing
    block.unlink()
    gone = only(quiet.why(lisbon), "block")
    assert "m1" in gone.missing and gone.brought and "Seal 1 block (main)" == gone.brought.subject


def test_a_fact_whose_event_is_gone_says_which(quiet: Memory, lisbon: str) -> None:
    (quiet.root / only(quiet.why(lisbon), "event").path).unlink()

    event = only(quiet.why("ent-person-jo#lives-in"), "event")
    assert lisbon == event.ref and event.missing
    quiet.add("other", "Adopts the loss.")
    assert ["gone"] == [touch.what for touch in quiet.why(lisbon).changed]
    assert quiet.why(lisbon).missing


def test_a_hostile_ref_in_a_file_leads_nowhere(quiet: Memory, lisbon: str) -> None:
    place = quiet.root / "active/entities/person/jo.md"
    place.write_text(place.read_text("utf-8").replace(f"[[{lisbon}]]", "[[../../../etc/passwd]]"), "utf-8", newline="")

    event = only(quiet.why("ent-person-jo#lives-in"), "event")

    assert event.missing and not event.path


def test_a_merged_entity_leads_to_where_its_facts_are(quiet: Memory, lisbon: str) -> None:
    block = block_of(quiet, "Johanna plays.", first=3)
    card(quiet, block, "Johanna plays", value="the cello", key="plays", message="m3", name="Johanna")
    quiet.entity_merge("ent-person-jo", "ent-person-johanna")

    assert quiet.why("Johanna#plays").ref.startswith("ent-person-jo#plays-")
    assert quiet.why("ent-person-johanna#plays").ref.startswith("ent-person-jo#plays-")


def test_a_message_in_the_tail_and_after_it_was_sealed(quiet: Memory) -> None:
    quiet.append([("main", Message("m1", "user", "One."))])
    quiet.append([("main", Message("m2", "assistant", "Two."))])

    second, first = (commit.id for commit in quiet.log(limit=2))

    open_ = only(quiet.why("tails/main#m1"), "message")
    quiet.seal("main", everything=True)
    quiet.append([("main", Message("m3", "user", "Three."))])
    sealed = only(quiet.why("tails/main#m1"), "message")

    assert "Append 1 message (main)" == open_.brought.subject and open_.brought == sealed.brought  # type: ignore[union-attr]
    assert ["sealed"] == [touch.what for touch in sealed.changed] and sealed.ref.startswith("blk-")
    assert [first, second] == [step.brought.id for step in quiet.why(sealed.ref.partition("#")[0]).rests_on if step.brought]


def test_one_walk_says_the_same_as_the_logs_of_each_file(quiet: Memory, lisbon: str) -> None:
    """Through moves, edits and a merge of two branches."""
    block = only(quiet.why(lisbon), "block").ref
    quiet.archive([lisbon])
    quiet.promote([lisbon])
    git(quiet.root, "checkout", "-q", "-b", "side")
    (quiet.root / "active/notes").mkdir(exist_ok=True)
    (quiet.root / "active/notes/side.md").write_text("Side.\n", "utf-8")
    quiet.add("x", "Adopts.")
    git(quiet.root, "checkout", "-q", "main")
    quiet.pin([block])
    git(quiet.root, "-c", "user.name=P", "-c", "user.email=p@example.invalid", "merge", "-q", "--no-edit", "side")

    for ref in (lisbon, block, "ent-person-jo", "notes/side"):
        link = quiet.why(ref)
        assert [commit.id for commit in reversed(quiet.log(ref))] == [link.brought.id, *(touch.id for touch in link.changed)]  # type: ignore[union-attr]


def test_the_command_prints_an_indented_chain_and_json(run: Run, memory: Memory) -> None:  # noqa: F811
    memory.config_set("extract", "off")
    event = card(memory, block_of(memory, LISBON), "Jo lives in Lisbon", quote=LISBON, value="Lisbon")

    done = run("why", "ent-person-jo#lives-in")
    told = run("why", "ent-person-jo#lives-in", "--json")

    assert 0 == done.code
    indents = {line.split()[0]: len(line) - len(line.lstrip()) for line in done.out.splitlines() if line.split()[0] in ("fact", "event", "block", "message")}
    assert {"fact": 0, "event": 2, "block": 4, "message": 6} == indents
    assert f"“{LISBON}”" in done.out
    (value,) = told.json()
    assert event == value["rests_on"][0]["ref"]
    assert json.loads(json.dumps(value)) == value
    assert 2 < run("why", "nowhere").code


NAMES = st.sampled_from((b"a.md", b"b a.md", b"100644 a.md", b"a", b"b.md"))
ROWS = st.dictionaries(NAMES, st.tuples(st.sampled_from((trees.FILE, trees.TREE, b"100755")), st.sampled_from((b"i" * 20, b"x a.md\0" + b"j" * 13, b"j" * 20))))


@settings(max_examples=1000)
@given(ROWS, ROWS, NAMES)
def test_rows_that_are_certainly_the_same_are(old: trees.Listing, new: trees.Listing, name: bytes) -> None:
    if trees.same(trees.render(old), trees.render(new), name):
        assert old.get(name) == new.get(name)


def test_no_escape_reaches_the_terminal(run: Run, memory: Memory) -> None:  # noqa: F811
    memory.config_set("extract", "off")
    event = card(memory, block_of(memory, "Red \x1b[31malert."), "Alert", value="Red")
    place = memory.root / memory.show(event, peek=True).path
    place.write_text(place.read_text("utf-8").replace("status: unknown", 'status: "\\e]0;red\\a"').replace("title: Alert", 'title: "\\e]0;x\\a"'), "utf-8", newline="")
    assert "\x1b" in memory.why(event).status

    assert "\x1b" not in run("why", event).out + run("why", event, "--json").out + run("diff", "--beliefs", "HEAD~1..HEAD").out


def test_a_look_writes_nothing(quiet: Memory, lisbon: str, sound: Callable[[Path], None]) -> None:
    head = git(quiet.root, "rev-parse", "HEAD")

    for ref in (lisbon, "ent-person-jo", "ent-person-jo#lives-in"):
        quiet.why(ref)

    assert head == git(quiet.root, "rev-parse", "HEAD")
    sound(quiet.root)


def test_a_memory_cloned_without_its_beginning_still_answers(quiet: Memory, lisbon: str, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{quiet.root}", "shallow")
    with Memory.open(tmp_path / "shallow") as shallow:
        link = shallow.why("ent-person-jo#lives-in")

    assert ["fact", "event", "block", "message"] == [step.kind for step in steps(link)]
    assert link.brought and not link.uncommitted
