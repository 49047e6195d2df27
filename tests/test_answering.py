"""Batches, assessments and uses on a real memory."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from command import TALK, Run, run  # noqa: F401
from oracle import KEY, assert_sound, git

from strata import Memory
from strata.assessment import Batch
from strata.errors import Malformed, NotFound, OutsideMemory, Refused, StrataError, UsageError
from strata.files import blob_id
from strata.ledger import USE, receipts
from strata.model import Message

QUESTION = "when did Ada give the talk"


def said(*texts: str, thread: str = "main", day: str = "2026-06-09") -> list[tuple[str, Message]]:
    return [
        (thread, Message(f"{thread}-{number}", "user" if number % 2 else "assistant", text, speaker="Ada" if number % 2 else "Bo", at=f"{day}T10:{number:02d}:00Z"))
        for number, text in enumerate(texts, 1)
    ]


@pytest.fixture
def talked(memory: Memory) -> Memory:
    """One block: a talk last week, and an event card for it, alone; one tail."""
    memory.config_set("extract", "off")
    memory.append(said("Last week I gave the talk at the library, and many people came to listen to it.", "How nice! What was it about?", "It was about frost in gardens, and how to keep young plants alive in May."))
    block = memory.seal("main", everything=True)[0].ref
    memory.record({"title": "Ada gave a talk", "source_block": block, "source_messages": ["main-1"], "event_type": "activity", "status": "occurred"})
    memory.append(said("The rehearsal of the play is in the old barn, on the second floor.", thread="play"))
    return memory


def ask(memory: Memory, query: str = QUESTION, **narrow: Any) -> tuple[Batch, str]:
    batch = memory.ask(query, **narrow)
    return batch, batch.hits[0].ref


def uses(memory: Memory) -> list[tuple[str, ...]]:
    found = [receipt for place in sorted((memory.root / "ledger").glob("*.jsonl")) for receipt in receipts(place.read_bytes())[0]]
    return [receipt.refs for receipt in found if receipt.op == USE]


def state(root: Path) -> tuple[str, dict[str, bytes]]:
    """HEAD and every byte of the ledger."""
    return git(root, "rev-parse", "HEAD"), {place.name: place.read_bytes() for place in (root / "ledger").glob("*")}


def batch_file(memory: Memory, batch: str) -> Path:
    return memory.root / ".strata" / "batches" / f"{batch}.json"


def reasons(said: Any) -> list[str]:
    return [each.reason for each in said.rejected]


# -- the loop ---------------------------------------------------------------------------------


def test_evidence_is_found_assessed_and_used_for_the_event_behind_it(talked: Memory) -> None:
    event = talked.list(kinds=["event"])[0].ref
    batch, ref = ask(talked, kinds=["message"])

    assessed = talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref], fit="says last week")
    used = talked.use(batch.id, [ref])

    assert assessed.sufficient and f"strata use {batch.id} --refs {ref}" == assessed.next
    assert ((ref,), (event,), True) == (used.refs, used.events, used.fresh)
    assert [(event,)] == uses(talked)
    assert f"Use {event}\n\nStrata-Op: use\nStrata-Record: {event}\n" == git(talked.root, "log", "-1", "--format=%B").rstrip("\n") + "\n"
    assert [] == talked.unassessed()
    assert_sound(talked.root)


def test_an_event_without_a_date_is_partial_and_leads_on(talked: Memory) -> None:
    batch, event = ask(talked, kinds=["event"])

    assessed = talked.assess(batch.id, verdict="partial", evidence_refs=[event], missing="the date")

    assert ("expand_event", f"strata show {event} --peek") == (assessed.accepted.next_strategy, assessed.next)
    assert "undated" in {doubt.code for doubt in assessed.warnings}


def test_a_use_counts_for_the_record_itself_where_no_event_is_behind_it(talked: Memory) -> None:
    talked.add("notes/shed", "The spare key of the shed hangs behind the beehive.")
    for query, record in (("where does the spare key of the shed hang", "notes/shed"), ("what about frost in gardens", ""), (QUESTION, "")):
        batch, ref = ask(talked, query, kinds=["note"] if record else ["message"] if "frost" in query else ["event"])
        talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])

        assert (record or ref.partition("#")[0],) == talked.use(batch.id, [ref]).events


def test_an_entity_counts_for_the_events_it_lists(talked: Memory) -> None:
    event = talked.list(kinds=["event"])[0].ref
    place = talked.root / "active/entities/person/ada.md"
    place.parent.mkdir(parents=True)
    place.write_text(f"---\nid: ent-person-ada\nkind: entity\nname: Ada\nevents: [{event}]\n---\nAda keeps bees and gives talks.\n", "utf-8")
    batch, ref = ask(talked, "who keeps bees", kinds=["entity"])
    talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])

    assert (event,) == talked.use(batch.id, [ref]).events


def test_a_message_of_a_block_in_the_batch_is_evidence_and_not_the_other_way_round(talked: Memory) -> None:
    block = talked.list(kinds=["block"])[0].ref
    of_block, _ = ask(talked, "talk frost gardens", kinds=["block"])
    of_message, message = ask(talked, kinds=["message"], limit=1)

    assert (f"{block}#main-3",) == talked.assess(of_block.id, verdict="partial", evidence_refs=[f"{block}#main-3"]).accepted.evidence_refs
    assert ["not_in_batch"] == reasons(talked.assess(of_block.id, verdict="partial", evidence_refs=[f"{block}#nothing"]))
    assert ["not_in_batch"] == reasons(talked.assess(of_message.id, verdict="partial", evidence_refs=[message.partition("#")[0]]))


def test_assessing_again_replaces_what_was_said_until_it_is_used(talked: Memory) -> None:
    batch, ref = ask(talked)
    talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])
    talked.assess(batch.id, verdict="wrong")

    with pytest.raises(Refused, match="was assessed as wrong"):
        talked.use(batch.id, [ref])
    talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])
    talked.use(batch.id, [ref])
    with pytest.raises(Refused, match="is closed: used were"):
        talked.assess(batch.id, verdict="wrong")


def test_using_twice_counts_once_and_other_evidence_is_refused(talked: Memory) -> None:
    batch = talked.ask(QUESTION)
    refs = [hit.ref for hit in batch.hits[:2]]
    talked.assess(batch.id, verdict="sufficient", evidence_refs=refs)
    first = talked.use(batch.id, refs[:1])
    before = state(talked.root)

    assert first._replace(fresh=False) == talked.use(batch.id, refs[:1])
    for other in (refs, refs[1:], []):
        with pytest.raises(Refused, match=f"used were {refs[0]}") as refused:
            talked.use(batch.id, other)
        assert 16 == refused.value.exit_code
    assert before == state(talked.root)


def test_using_nothing_closes_a_batch_and_counts_nothing(talked: Memory) -> None:
    batch, ref = ask(talked)
    before = state(talked.root)

    assert [batch.id] == [item.batch for item in talked.unassessed()]
    assert talked.use(batch.id, []).fresh and not talked.use(batch.id, []).fresh
    assert [] == talked.unassessed()
    with pytest.raises(Refused, match="none of its evidence was used"):
        talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])
    assert before == state(talked.root)


@pytest.mark.parametrize("refs", [["notes/never"], ["\ud800"], ["a\0b"], [f"notes/{number}" for number in range(10_000)]])
def test_only_accepted_evidence_can_be_used(talked: Memory, refs: list[str]) -> None:
    batch, ref = ask(talked)
    before = state(talked.root)
    with pytest.raises(Refused, match="was not assessed"):
        talked.use(batch.id, [ref])
    talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])

    with pytest.raises(Refused, match="not accepted as evidence") as refused:
        talked.use(batch.id, refs)
    assert str(refused.value).isprintable() and len(str(refused.value)) < 500
    assert before == state(talked.root)


def test_what_waits_is_listed_newest_first(talked: Memory) -> None:
    first, ref = ask(talked)
    second, _ = ask(talked)
    third, _ = ask(talked)
    talked.assess(first.id, verdict="sufficient", evidence_refs=[ref])
    talked.assess(second.id, verdict="partial")

    assert [(third.id, "assess", ()), (first.id, "use", (ref,))] == [(item.batch, item.waits_for, item.refs) for item in talked.unassessed()]


# -- what comes next --------------------------------------------------------------------------


def walk(call: Run, query: str, *options: str, **fields: str) -> list[str]:
    """The commands that somebody runs who does nothing but what comes next."""
    found = call("search", "--gate", "--json", *options, "--", query).json()[0]["batch"]
    commands: list[str] = []
    while len(commands) < 20:
        said = ["--verdict", fields.get("verdict", "partial")] + (["--refs", fields["refs"]] if "refs" in fields else []) + (["--missing", fields["missing"]] if "missing" in fields else [])
        commands.append(call("assess", found, *said, "--json").json()[0]["next"])
        done = call(*shlex.split(commands[-1])[1:])
        assert 0 == done.code, (commands[-1], done.err)
        if commands[-1].startswith("strata use "):
            break
        if commands[-1].startswith("strata search "):
            found = done.json()[0]["batch"]
    return commands


@pytest.mark.parametrize("missing", [{}, {"missing": "its colour"}])
@pytest.mark.parametrize("query", [QUESTION, "zeppelin"])
@pytest.mark.parametrize("options", [(), ("--kind", "message"), ("--thread", "main", "--limit", "2")])
def test_who_only_runs_what_comes_next_ends_at_not_known(run: Run, talked: Memory, query: str, options: tuple[str, ...], missing: dict[str, str]) -> None:  # noqa: F811
    commands = walk(run, query, *options, **missing)

    assert "--none" in commands[-1] and len(commands) <= 5
    assert len(set(commands)) == len(commands)
    assert all("--json" in command for command in commands)
    assert [] == [item for item in talked.unassessed() if item.waits_for == "use"]


def test_evidence_that_is_opened_is_not_opened_for_ever(run: Run, talked: Memory) -> None:  # noqa: F811
    ref = talked.search(QUESTION, kinds=["message"])[0].ref
    before = state(talked.root)

    commands = walk(run, QUESTION, refs=ref)

    assert f"strata show {ref.partition('#')[0]} --level 4 --peek --json" == commands[0]
    assert "--none" in commands[-1]
    assert before == state(talked.root), "looking anchors and counts nothing"


def test_the_end_of_the_road_says_what_was_searched(talked: Memory) -> None:
    batch = talked.ask("zeppelin")

    ended = talked.assess(batch.id, verdict="wrong")

    assert f"strata use {batch.id} --none" == ended.next
    assert ["exhausted"] == [doubt.code for doubt in ended.warnings]


def test_a_message_of_a_block_that_was_opened_counts_as_found(talked: Memory) -> None:
    batch, ref = ask(talked, kinds=["message"], limit=1)
    other = f"{ref.partition('#')[0]}#main-3"
    assert ["not_in_batch"] == reasons(talked.assess(batch.id, verdict="sufficient", evidence_refs=[other]))

    assert "--peek" in talked.assess(batch.id, verdict="partial", evidence_refs=[ref], missing="what about").next
    assert (other,) == talked.assess(batch.id, verdict="sufficient", evidence_refs=[other]).accepted.evidence_refs
    after = talked.ask("zeppelin", after=batch.id)
    assert (other,) == talked.assess(after.id, verdict="sufficient", evidence_refs=[other]).accepted.evidence_refs, "also in what goes on from there"
    assert talked.use(batch.id, [other]).fresh


def test_a_stop_never_leads_to_use_at_once(run: Run, memory: Memory) -> None:  # noqa: F811
    memory.append(said("We use npm for the web app.", "Fine.", "We switched from npm to pnpm for the web app, so use pnpm now.", "Good."))
    memory.seal("main", everything=True)
    batch = memory.ask("package manager of the web app", kinds=["block"])

    assessed = memory.assess(batch.id, verdict="sufficient", evidence_refs=[batch.hits[0].ref])
    shown = run("assess", batch.id, "--verdict", "sufficient", "--refs", batch.hits[0].ref).out

    assert assessed.sufficient and ["coarse"] == [doubt.code for doubt in assessed.warnings if doubt.stop]
    assert f"strata show {batch.hits[0].ref}#" in assessed.next and assessed.next.endswith(" --peek")
    assert "If it is enough all the same: strata use " in shown
    assert "Next: strata search --gate --kind message" in shown
    cited = assessed.next.split()[2]
    assert memory.assess(batch.id, verdict="sufficient", evidence_refs=[cited]).next.startswith("strata use ")


def test_a_search_after_a_batch_that_is_none_is_refused(run: Run, talked: Memory) -> None:  # noqa: F811
    with pytest.raises(NotFound):
        talked.ask(QUESTION, after="bat-20260609-zzzzzz")
    assert 2 == run("search", "--after", "bat-20260609-zzzzzz", "x").code


def test_a_batch_of_an_earlier_version_is_read(talked: Memory) -> None:
    batch, ref = ask(talked)
    place = batch_file(talked, batch.id)
    kept = json.loads(place.read_text("utf-8"))
    place.write_text(json.dumps({name: value for name, value in kept.items() if name not in ("options", "searched", "looked", "opened")}), "utf-8")

    assert talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref]).sufficient


# -- refs that are cut short or mistyped ------------------------------------------------------


def test_an_id_cut_short_is_taken_where_it_fits_one_ref_of_the_batch(talked: Memory) -> None:
    batch, ref = ask(talked, kinds=["message"], limit=1)
    short = f"blk-2026#{ref.partition('#')[2]}"

    assert (ref,) == talked.assess(batch.id, verdict="sufficient", evidence_refs=[short]).accepted.evidence_refs
    assert (ref,) == talked.use(batch.id, [short]).refs
    assert (False, (ref,)) == (talked.use(batch.id, [short]).fresh, talked.use(batch.id, [short]).refs)


def test_an_id_that_fits_several_refs_of_the_batch_is_told_so(memory: Memory) -> None:
    for day in ("2026-06-08", "2026-06-09"):
        memory.append(said("The rehearsal is in the barn.", thread=f"play{day[-1]}", day=day))
        memory.append([(f"play{day[-1]}", Message("same", "user", "The barn has a rehearsal.", at=f"{day}T11:00:00Z"))])
        memory.seal(f"play{day[-1]}", everything=True)
    batch = memory.ask("rehearsal barn", kinds=["message"])
    refs = [hit.ref for hit in batch.hits if hit.message == "same"]

    assessed = memory.assess(batch.id, verdict="sufficient", evidence_refs=["blk-2026#same"])

    assert 2 == len(refs) and all(ref in assessed.rejected[0].detail for ref in refs)
    assert f"strata assess {batch.id} --verdict sufficient --refs {refs[0]}" == assessed.next


def test_a_slip_in_a_ref_leads_to_the_ref_and_not_to_a_new_search(talked: Memory) -> None:
    batch, ref = ask(talked, kinds=["event"])
    slip = ref[:-1] + ("x" if ref[-1] != "x" else "y")

    assessed = talked.assess(batch.id, verdict="sufficient", evidence_refs=[slip])

    assert [("not_in_batch", f"this batch has {ref}")] == [(each.reason, each.detail) for each in assessed.rejected]
    assert f"strata assess {batch.id} --verdict sufficient --refs {ref}" == assessed.next
    foreign = talked.assess(batch.id, verdict="sufficient", evidence_refs=["notes/else"])
    assert "strata search" == foreign.next[:13] and foreign.rejected[0].detail


# -- evidence that changed --------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, detail",
    [
        (lambda memory: memory.add("notes/plan", "Ship on Monday.", replace=True), "edited"),
        (lambda memory: (memory.root / "active/notes/plan.md").write_text("Ship never.\n", "utf-8"), "edited"),
        (lambda memory: memory.forget("notes/plan"), "forgotten"),
        (lambda memory: (memory.root / "active/notes/plan.md").unlink(), "not there"),
    ],
    ids=["replaced", "edited by hand", "forgotten", "deleted"],
)
def test_evidence_that_changed_is_no_evidence(memory: Memory, change: Any, detail: str) -> None:
    memory.add("notes/plan", "Ship on Friday.")
    batch, ref = ask(memory, "when do we ship")
    change(memory)

    assessed = memory.assess(batch.id, verdict="sufficient", evidence_refs=[ref])

    assert ["changed"] == reasons(assessed) and detail in assessed.rejected[0].detail
    assert not assessed.sufficient


def test_a_move_between_tiers_is_no_change(memory: Memory) -> None:
    memory.add("notes/plan", "Ship on Friday.")
    batch, ref = ask(memory, "when do we ship")
    memory.archive("notes/plan")

    assert memory.assess(batch.id, verdict="sufficient", evidence_refs=[ref]).sufficient


def test_a_pin_and_a_description_change_no_evidence(talked: Memory) -> None:
    block = talked.list(kinds=["block"])[0].ref
    batch = talked.ask("talk frost gardens", kinds=["block", "message"])
    talked.describe(block, {"title": "A talk", "summary": "Ada spoke about frost.", "tags": [], "keypoints": []})
    talked.pin(block)

    assert not talked.assess(batch.id, verdict="sufficient", evidence_refs=[hit.ref for hit in batch.hits]).rejected


def test_an_event_whose_date_was_changed_is_not_what_was_seen(talked: Memory) -> None:
    batch, ref = ask(talked, kinds=["event"])
    place = talked.root / batch.hits[0].path
    place.write_text(place.read_text("utf-8").replace("\n---\n", "\nhappened_start: 2020-01-01\n---\n", 1), "utf-8")

    assert ["changed"] == reasons(talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref]))


def test_a_message_that_was_sealed_meanwhile_is_known_by_its_new_name(talked: Memory) -> None:
    batch, old = ask(talked, "where is the rehearsal of the play", kinds=["message"], limit=1)
    block = talked.seal("play", everything=True)[0].ref
    new = f"{block}#play-1"

    assessed = talked.assess(batch.id, verdict="sufficient", evidence_refs=[old, new])

    assert "tails/play#play-1" == old
    assert (new,) == assessed.accepted.evidence_refs
    assert ["duplicate"] == reasons(assessed)
    assert (block,) == talked.use(batch.id, [new]).events


def test_a_message_sealed_between_assessment_and_use_counts_for_its_block(talked: Memory) -> None:
    batch, old = ask(talked, "where is the rehearsal of the play", kinds=["message"], limit=1)
    talked.assess(batch.id, verdict="sufficient", evidence_refs=[old])
    block = talked.seal("play", everything=True)[0].ref

    assert (block,) == talked.use(batch.id, [old]).events


# -- batches ----------------------------------------------------------------------------------


def test_batches_are_private(talked: Memory) -> None:
    batch = talked.ask(QUESTION)

    if os.name != "nt":
        assert 0o600 == stat.S_IMODE(batch_file(talked, batch.id).stat().st_mode)
        assert 0o700 == stat.S_IMODE(batch_file(talked, batch.id).parent.stat().st_mode)
    talked.assess(batch.id, verdict="wrong")
    if os.name != "nt":
        assert 0o600 == stat.S_IMODE(batch_file(talked, batch.id).stat().st_mode)


def test_a_secret_in_a_question_is_not_kept(talked: Memory) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    batch = talked.ask(f"talk {secret}")
    talked.assess(batch.id, verdict="partial", fit=f"it is {secret}", missing=secret)

    assert secret not in batch_file(talked, batch.id).read_text("utf-8")


def test_a_batch_expires_and_goes_when_another_is_opened(talked: Memory, clock: Any) -> None:
    batch, ref = ask(talked)
    clock.time += timedelta(hours=25)

    with pytest.raises(NotFound, match="older than 24 hours"):
        talked.assess(batch.id, verdict="wrong")
    with pytest.raises(NotFound, match="older than 24 hours"):
        talked.use(batch.id, [])
    assert [] == talked.unassessed()
    talked.ask(QUESTION)
    assert not batch_file(talked, batch.id).exists()


def test_how_long_a_batch_lives_is_a_setting(talked: Memory, clock: Any) -> None:
    talked.config_set("batch_hours", "48")
    batch, _ = ask(talked)
    clock.time += timedelta(hours=47)

    assert talked.assess(batch.id, verdict="wrong").accepted.verdict == "wrong"


def test_a_batch_that_was_assessed_does_not_live_longer(talked: Memory, clock: Any) -> None:
    batch, ref = ask(talked)
    clock.time += timedelta(hours=23)
    talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])
    clock.time += timedelta(hours=2)
    talked.ask(QUESTION)

    assert not batch_file(talked, batch.id).exists()


def test_the_oldest_batches_go_beyond_the_limit(talked: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strata.batches.MOST", 3)
    ids = [talked.ask(QUESTION).id for _ in range(5)]

    assert ids[:1:-1] == [item.batch for item in talked.unassessed()]
    assert 3 == len(list((talked.root / ".strata/batches").iterdir()))


def test_deleting_what_is_local_loses_open_batches_and_nothing_else(talked: Memory) -> None:
    import shutil

    batch, ref = ask(talked)
    talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])
    shutil.rmtree(talked.root / ".strata")

    with pytest.raises(NotFound):
        talked.use(batch.id, [ref])
    assert ref == ask(talked)[1]
    assert_sound(talked.root)


@pytest.mark.parametrize("name", ["", "bat", "bat-20261130", "../x", "/etc/passwd", "bat-20261130-aaaaaa/../x", "bat-20261130-aaaaaa\0", "\ud800", "BAT-20261130-AAAAAA", "bat-20261130-aaaaaa", "x" * 10_000, "bat-20261130-*"])
def test_a_batch_that_is_none_is_not_found(talked: Memory, name: str) -> None:
    batch, _ = ask(talked)
    for call in (lambda: talked.assess(name, verdict="wrong"), lambda: talked.use(name, []), lambda: talked.assess(batch.id[:-1], verdict="wrong")):
        with pytest.raises(NotFound) as error:
            call()
        assert str(error.value).isprintable() and len(str(error.value)) < 300


GOOD: dict[str, Any] = {"format": 1, "id": "bat-20261130-aaaaaa", "query": "q", "at": "2026-11-30T12:00:00Z", "kinds": [], "seen": [], "assessment": None, "used": None, "events": []}
HIT = ["notes/plan", "note", "active/notes/plan.md", "b" * 40, "d", "", "", 1.0, "", ""]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b"x" * 5_000_000,
        *(json.dumps(GOOD | part).encode() for part in (
            {"format": 2}, {"id": "bat-20261130-bbbbbb"}, {"at": "soon"}, {"at": 5}, {"query": 1}, {"kinds": "note"}, {"seen": [1]}, {"seen": [HIT[:-1]]}, {"seen": [[None, *HIT[1:]]]},
            {"seen": [[*HIT[:7], "1", "", ""]]}, {"seen": 5}, {"assessment": {"verdict": "sufficient"}}, {"assessment": []}, {"used": "notes/plan"}, {"events": None},
            {"assessment": {"verdict": "yes", "evidence_refs": [], "fit": "", "missing": "", "next_strategy": ""}},
        )),
        json.dumps({key: value for key, value in GOOD.items() if key != "used"}).encode(),
        json.dumps(GOOD | {"query": "x" * 5_000_000}).encode(),
    ],
)  # fmt: skip
def test_a_file_that_is_no_batch_is_named_and_passed_over(talked: Memory, content: bytes) -> None:
    open_one, _ = ask(talked)
    batch_file(talked, GOOD["id"]).write_bytes(content)

    for call in (lambda: talked.assess(GOOD["id"], verdict="wrong"), lambda: talked.use(GOOD["id"], [])):
        with pytest.raises(Malformed, match="no batch of strata"):
            call()
    assert [open_one.id] == [item.batch for item in talked.unassessed()]
    assert any("passed over" in warning for warning in talked.warnings)


def test_a_batch_that_was_tampered_with_leads_to_no_file_outside(talked: Memory, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("the talk", "utf-8")
    talked.ask(QUESTION)
    for path in ("../secret.md", "/etc/passwd", "active/../../secret.md", ".git/config"):
        seen = ["notes/secret", "note", path, "b" * 40, "d", "", "", 1.0, "", ""]
        batch_file(talked, GOOD["id"]).write_text(json.dumps(GOOD | {"seen": [seen]}), "utf-8")

        assert ["changed"] == reasons(talked.assess(GOOD["id"], verdict="sufficient", evidence_refs=["notes/secret"]))
    for path in ("active/notes/a\0b.md", "active/notes/\ud800.md"):
        batch_file(talked, GOOD["id"]).write_text(json.dumps(GOOD | {"seen": [["notes/secret", "note", path, *HIT[3:]]]}), "utf-8")

        with pytest.raises(Malformed):
            talked.assess(GOOD["id"], verdict="sufficient", evidence_refs=["notes/secret"])


def test_only_records_are_evidence(talked: Memory) -> None:
    talked.ask(QUESTION)
    (talked.root / "private").mkdir()
    (talked.root / "private/secret.md").write_text("the talk", "utf-8")
    seen = ["secret", "note", "private/secret.md", blob_id(b"the talk"), "d", "", "", 1.0, "", ""]
    batch_file(talked, GOOD["id"]).write_text(json.dumps(GOOD | {"seen": [seen]}), "utf-8")

    assert ["changed"] == reasons(talked.assess(GOOD["id"], verdict="sufficient", evidence_refs=["secret"]))


def test_a_question_without_end_is_kept_in_part(talked: Memory) -> None:
    batch = talked.ask("talk " * 2_000_000)

    assert 200_000 > batch_file(talked, batch.id).stat().st_size
    assert talked.assess(batch.id, verdict="sufficient", evidence_refs=[batch.hits[0].ref]).sufficient


def test_a_link_or_a_file_where_batches_belong_is_refused(talked: Memory, tmp_path: Path) -> None:
    talked.list()
    place = talked.root / ".strata/batches"
    place.write_text("mine", "utf-8")
    with pytest.raises(OutsideMemory):
        talked.ask(QUESTION)
    assert [] == talked.unassessed()
    place.unlink()
    place.symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(OutsideMemory):
        talked.ask(QUESTION)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not stop this user")
def test_where_nothing_can_be_written_asking_says_so_and_searching_goes_on(talked: Memory) -> None:
    talked.search(QUESTION)
    (talked.root / ".strata").chmod(0o500)
    try:
        with pytest.raises(StrataError, match="no batch can be kept here"):
            talked.ask(QUESTION)
        assert talked.search(QUESTION)
    finally:
        (talked.root / ".strata").chmod(0o700)


def test_a_taken_id_is_never_overwritten(tmp_path: Path, clock: Any) -> None:
    ids = iter(["bat-20261130-aaaaaa", "bat-20261130-aaaaaa", "bat-20261130-bbbbbb"])
    memory = Memory.init(tmp_path / "m", now=clock, new_id=lambda prefix, day: next(ids), key=KEY)

    assert ["bat-20261130-aaaaaa", "bat-20261130-bbbbbb"] == [memory.ask("one").id, memory.ask("two").id]
    assert ["two", "one"] == [item.query for item in memory.unassessed()]


def test_a_ledger_that_cannot_take_the_use_is_an_error_and_the_use_can_be_repeated(talked: Memory) -> None:
    batch, ref = ask(talked)
    talked.assess(batch.id, verdict="sufficient", evidence_refs=[ref])
    talked.use(talked.ask(QUESTION).id, [])
    name = next(iter(talked._store.accesses.ledgers()), f"ledger/{talked._store.accesses._machine}-2026-11.jsonl")
    place = talked.root / name
    place.mkdir(parents=True)
    with pytest.raises(StrataError, match="no file stands where"):
        talked.use(batch.id, [ref])
    place.rmdir()

    assert [(batch.id, "use")] == [(item.batch, item.waits_for) for item in talked.unassessed()]
    assert talked.use(batch.id, [ref]).fresh
    assert 1 == len(uses(talked))


# -- looking never rewards --------------------------------------------------------------------


def test_a_thousand_rounds_without_a_use_leave_everything_as_it_was(talked: Memory) -> None:
    queries = [QUESTION, "frost in gardens", "where is the rehearsal", "什么时候"]
    talked.list()
    before = state(talked.root), [[(hit.ref, hit.score) for hit in talked.search(query)] for query in queries]

    for number in range(1000):
        batch = talked.ask(queries[number % 4], limit=3)
        if number % 10 == 0:
            talked.assess(batch.id, verdict="sufficient", evidence_refs=[hit.ref for hit in batch.hits])

    assert before == (state(talked.root), [[(hit.ref, hit.score) for hit in talked.search(query)] for query in queries])
    assert 500 >= len(list((talked.root / ".strata/batches").iterdir()))
    assert "" == git(talked.root, "status", "--porcelain")


# -- the command line -------------------------------------------------------------------------


def test_the_whole_loop_is_ids_in_json_out(run: Run) -> None:  # noqa: F811
    assert 0 == run("append", stdin=TALK).code
    found = run("search", "--gate", "--json", "--kind", "message", "use", "pnpm").json()[0]
    assert {"batch", "query", "at", "hits"} == set(found)
    ref = next(hit["ref"] for hit in found["hits"] if hit["message"] == "m2")
    fields = {"verdict": "sufficient", "evidence_refs": [ref], "fit": "names it", "missing": "", "next_strategy": "answer"}

    assessed = run("assess", found["batch"], "--json-input", "-", "--json", stdin=json.dumps(fields)).json()[0]
    used = run(*assessed["next"].split()[1:], "--json").json()[0]

    assert assessed["sufficient"] and fields == assessed["accepted"]
    assert {"batch": found["batch"], "refs": [ref], "fresh": True} == {key: used[key] for key in ("batch", "refs", "fresh")}
    assert [] == run("unassessed", "--json").json()


def test_people_are_told_the_batch_and_the_one_next_step(run: Run) -> None:  # noqa: F811
    run("append", stdin=TALK)
    shown = run("search", "--gate", "which package manager").out
    batch = next(word.rstrip(".") for word in shown.split() if word.startswith("bat-"))
    assert f"Batch {batch}. Next: strata assess {batch}" in shown

    assert f"Next: strata search --gate --kind message --after {batch} -- 'which package manager'" in run("assess", batch, "--verdict", "wrong").out
    assert "waits for use" not in run("unassessed").out
    assert f"Closed {batch}" in run("use", batch, "--refs", "").out
    assert "No batch is open." in run("unassessed").out
    assert "--verdict VERDICT --refs REFS\n" in shown and not set("|<>…") & set(shown.partition("Next: ")[2].partition("\n")[0])
    assert "No hits.\n\nBatch " in run("search", "--gate", "zeppelin").out


@pytest.mark.parametrize(
    "arguments, stdin, code",
    [
        (["--verdict", "perhaps"], "", 2),
        ([], "", 2),
        (["--verdict", "wrong", "--json-input", "-"], "{}", 2),
        (["--json-input", "-"], "[]", 14),
        (["--json-input", "-"], "{", 14),
        (["--json-input", "-"], '{"verdict": "wrong", "verdict": "partial"}', 14),
        (["--json-input", "-"], '{"verdict": "wrong", "why": 1}', 2),
        (["--json-input", "-"], '{"verdict": "wrong", "evidence_refs": {}}', 2),
        (["--json-input", "-"], '{"verdict": 1}', 2),
    ],
)
def test_an_assessment_that_is_none_is_refused_and_nothing_is_kept(run: Run, memory: Memory, arguments: list[str], stdin: str, code: int) -> None:  # noqa: F811
    memory.add("notes/plan", "Ship on Friday.")
    batch, _ = ask(memory, "ship")
    kept = batch_file(memory, batch.id).read_bytes()

    done = run("assess", batch.id, *arguments, stdin=stdin)

    assert code == done.code and "bug" not in done.err
    assert kept == batch_file(memory, batch.id).read_bytes()


def test_hostile_refs_from_a_program_get_an_answer(run: Run, memory: Memory) -> None:  # noqa: F811
    memory.add("notes/plan", "Ship on Friday.")
    batch, ref = ask(memory, "ship")
    refs = json.dumps({"verdict": "sufficient", "evidence_refs": [ref, "\ud800", "\0", 5, "../../x", *map(str, range(10_000))]})

    done = run("assess", batch.id, "--json-input", "-", "--json", stdin=refs)

    answer = done.json()[0]
    assert 0 == done.code and answer["sufficient"]
    assert "and 9,964 more were rejected" == answer["rejected"][-1]["detail"]
    assert 30 > len(run("assess", batch.id, "--json-input", "-", stdin=refs).out.splitlines())


def test_using_needs_one_word_on_what(run: Run, memory: Memory) -> None:  # noqa: F811
    memory.add("notes/plan", "Ship on Friday.")
    batch, ref = ask(memory, "ship")

    assert (2, 2) == (run("use", batch.id).code, run("use", batch.id, "--none", "--refs", ref).code)
    assert 16 == run("use", batch.id, "--refs", ref).code
    assert 2 == run("search", "--gate", "--batch", "-").code


def test_a_wrong_field_is_a_usage_error_in_python_too(talked: Memory) -> None:
    batch, _ = ask(talked)

    with pytest.raises(UsageError):
        talked.assess(batch.id, verdict="maybe")


# -- what lies between an assessment and a use --------------------------------------------------


@pytest.mark.parametrize("change", ["edit", "forget", "delete"])
def test_evidence_that_changed_after_it_was_assessed_counts_nothing(talked: Memory, change: str, sound: Callable[[Path], None]) -> None:
    talked.add("notes/port", "The harbour printer listens on port 9100.")
    batch = talked.ask("harbour printer port", kinds=["note"]).id
    assert talked.assess(batch, verdict="sufficient", evidence_refs=["notes/port"]).sufficient
    path = talked.root / "active/notes/port.md"
    if change == "edit":
        path.write_text(path.read_text("utf-8").replace("9100", "1234"), encoding="utf-8")
    elif change == "forget":
        talked.forget("notes/port")
    else:
        path.unlink()
    before = sorted((file.name, file.read_bytes()) for file in (talked.root / "ledger").glob("*"))

    with pytest.raises(Refused, match="no evidence any more"):
        talked.use(batch, ["notes/port"])
    assert before == sorted((file.name, file.read_bytes()) for file in (talked.root / "ledger").glob("*"))
    sound(talked.root)


@pytest.mark.parametrize("ref", ["evt-20200101-abcdef", "notes/a\nb", "../x"])
def test_a_batch_file_that_somebody_edited_counts_nothing_it_did_not_find(talked: Memory, ref: str) -> None:
    talked.add("notes/port", "The harbour printer listens on port 9100.")
    batch = talked.ask("harbour printer port", kinds=["note"]).id
    talked.assess(batch, verdict="sufficient", evidence_refs=["notes/port"])
    place = talked.root / f".strata/batches/{batch}.json"
    kept = json.loads(place.read_text("utf-8"))
    kept["assessment"]["evidence_refs"] = [ref]
    place.write_text(json.dumps(kept), encoding="utf-8")

    with pytest.raises(StrataError):
        talked.use(batch, [ref])
    assert not any(b"use" in file.read_bytes() for file in (talked.root / "ledger").glob("*"))


def test_of_very_many_refs_that_are_rejected_some_are_named(talked: Memory) -> None:
    batch = talked.ask("boiler").id
    rejected = talked.assess(batch, verdict="partial", evidence_refs=[f"notes/n{number}" for number in range(10_000)]).rejected

    assert len(rejected) < 50
    assert "9,9" in rejected[-1].detail


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_lock_that_is_a_link_is_not_followed(talked: Memory, tmp_path: Path) -> None:
    batch = talked.ask("boiler").id
    lock = talked.root / ".strata/batches.lock"
    lock.unlink(missing_ok=True)
    lock.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OutsideMemory):
        talked.assess(batch, verdict="wrong")
    assert not (tmp_path / "elsewhere").exists()
