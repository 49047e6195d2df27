"""The command line does what it says: each verb, from arguments and standard input to result and exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import TALK, Run, files, run  # noqa: F401
from oracle import assert_sound, git

from strata import Memory
from strata.machine import default_memory


def test_a_session_from_capture_to_evidence(run: Run, memory: Memory) -> None:
    assert run("append", stdin=TALK).out.startswith("Stored 2 messages")
    assert "blk-20261130-" in run("seal", "--all").out
    (hit,) = run("search", "pnpm", "--kind", "message", "--json").json()

    shown = run("show", hit["ref"])

    assert hit["message"] == "m2"
    assert "Use pnpm from today on." in shown.out
    assert "· m1 ·" not in shown.out
    assert_sound(memory.root)


def test_add_takes_its_text_from_one_place(run: Run, memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_bytes(b"\xef\xbb\xbffrom a file\n")

    run("add", "a", "from an argument")
    run("add", "b", "--text", "from an option")
    run("add", "c", "--file", str(tmp_path / "text.txt"))
    run("add", "d", stdin="from a pipe\n")
    run("add", "e", "-", stdin="from a dash\n")

    bodies = [run("show", f"notes/{name}", "--json").json()[0]["text"] for name in "abcde"]
    assert bodies == ["from an argument\n", "from an option\n", "from a file\n", "from a pipe\n", "from a dash\n"]


def test_add_refuses_two_texts(run: Run, memory: Memory) -> None:
    before = files(memory.root)

    for arguments in (["a", "b", "--text", "c"], ["a", "b", "--file", "c"], ["a", "--text", "", "--file", "c"]):
        done = run("add", *arguments)

        assert 2 == done.code
        assert "more than once" in done.err
    assert before == files(memory.root)


def test_add_never_overwrites_unasked(run: Run) -> None:
    run("add", "plan", "first")

    again = run("add", "plan", "second")

    assert 13 == again.code
    assert "--append or --replace" in again.err
    assert 0 == run("add", "plan", "second", "--append").code
    assert "first\nsecond\n" == run("show", "plan", "--json").json()[0]["text"]
    assert 0 == run("add", "plan", "third", "--replace").code
    assert "third\n" == run("show", "plan", "--json").json()[0]["text"]


def test_add_with_a_base_refuses_what_changed_since(run: Run) -> None:
    (first,) = run("add", "plan", "first", "--json").json()
    run("add", "plan", "second", "--replace")

    late = run("add", "plan", "third", "--replace", "--base", first["blob"])

    assert 17 == late.code
    assert "second\n" == run("show", "plan", "--json").json()[0]["text"]


def test_a_quick_note_is_named_by_its_words(run: Run) -> None:
    (note,) = run("add", "--text", "Jo prefers tabs.", "--tag", "style", "--tag", "jo", "--json").json()

    (row,) = run("list", "--json").json()

    assert note["ref"].startswith("notes/inbox/")
    assert ["style", "jo"] == row["tags"]


def test_text_that_is_not_utf_8_is_refused_with_its_line(run: Run, memory: Memory) -> None:
    before = files(memory.root)

    done = run("add", "bad", stdin=b"fine\nnot \xff fine\n")

    assert (14, before) == (done.code, files(memory.root))
    assert done.err.startswith("strata: line 2: ")


def test_append_keeps_the_messages_before_a_malformed_line(run: Run) -> None:
    done = run("append", stdin=TALK + "{not json}\n" + TALK.replace("m1", "m3"))

    assert 14 == done.code
    assert done.err.startswith("strata: line 3: ")
    assert "2 messages before it were kept" in done.err
    alone = run("append", stdin="{bad\n")
    assert (14, "") == (alone.code, alone.out) and "line 1" in alone.err
    assert "Stored 2 messages" in done.out
    assert 2 == len(run("search", "package pnpm", "--kind", "message", "--json").json())


def test_append_says_in_json_what_was_stored_and_which_line_failed(run: Run) -> None:
    done = run("append", "--json", stdin=TALK.replace("\n", "\r\n") + "\n[]\n")

    error = json.loads(done.err)
    assert (14, 14) == (done.code, error["exit_code"])
    assert 4 == error["line"]
    assert 2 == done.json()[0]["stored"]


def test_append_is_repeatable_by_id(run: Run) -> None:
    run("append", stdin="\ufeff" + TALK)

    (again,) = run("append", "--json", stdin=TALK).json()

    assert (0, 2) == (again["stored"], again["repeated"])


def test_messages_without_an_id_are_all_kept(run: Run) -> None:
    line = '{"role": "user", "text": "yes"}\n'

    stored = [run("append", "--json", stdin=stdin).json()[0]["stored"] for stdin in (line * 3, line)]

    assert [3, 1] == stored
    assert 4 == len(run("show", "tails/main", "--json").json()[0]["messages"])


@pytest.mark.parametrize("arguments, thread", [(["--thread", "kynd"], "kynd"), ([], "main")])
def test_append_puts_nameless_messages_into_the_thread(run: Run, arguments: list[str], thread: str) -> None:
    run("append", *arguments, stdin=TALK)

    assert {thread} == {hit["thread"] for hit in run("search", "pnpm package", "--json").json()}


def test_ingest_reads_a_growing_file_again(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "talk.jsonl"
    source.write_text(TALK + '{"id": "m3", "role": "user", "te', encoding="utf-8")
    first = run("ingest", str(source), "--format", "jsonl", "--json").json()[0]
    source.write_text(TALK + '{"id": "m3", "role": "user", "text": "Thanks, that is all."}\n', encoding="utf-8")

    second = run("ingest", str(source), "--json").json()[0]

    assert (2, 1) == (first["stored"], second["stored"])


def test_ingest_of_no_file_says_so(run: Run) -> None:
    done = run("ingest", "nowhere.jsonl")

    assert 11 == done.code
    assert "nowhere.jsonl" in done.err


def test_seal_says_why_nothing_was_sealed(run: Run) -> None:
    run("append", stdin=TALK)

    assert "no thread has 12 complete turns" in run("seal").out
    assert "turns 1-1" in run("seal", "--thread", "main", "--all").out
    assert "nothing is waiting" in run("seal", "--all").out
    assert 11 == run("seal", "--thread", "nobody").code


def test_describe_and_record_take_json(run: Run) -> None:
    run("append", stdin=TALK)
    (block,) = run("seal", "--all", "--json").json()
    words = {"title": "Choosing pnpm", "tags": ["tooling"], "summary": "Ada chose pnpm.", "keypoints": ["pnpm from today on (m2)"]}
    card = {"title": "pnpm", "event_type": "decision", "source_block": block["ref"], "source_messages": ["m2"]}

    assert 0 == run("describe", block["ref"], stdin=json.dumps(words)).code
    assert "Choosing pnpm" in run("show", block["ref"], "--level", "0").out
    (event,) = run("record", "--json", stdin=json.dumps(card)).json()
    assert "source_block" in run("show", event["ref"]).out
    assert 16 == run("record", stdin=json.dumps(card | {"source_messages": []})).code


NO_OBJECTS = {"": 1, "{\n 'a': 1}": 2, "[]": None, '"x"': None, "null": None, '{"title": NaN}': 1, "[" * 100_000: 1}


def test_what_is_no_json_object_is_refused_with_its_line(run: Run) -> None:
    for text, line in NO_OBJECTS.items():
        done = run("record", "--json", stdin=text)

        assert (14, line) == (done.code, json.loads(done.err).get("line"))


def test_list_filters_by_kind_tier_and_time(run: Run) -> None:
    run("append", stdin=TALK)
    run("seal", "--all")
    run("add", "plan", "Ship on Friday.")

    def kinds(*arguments: str) -> list[str]:
        return [row["kind"] for row in run("list", "--json", *arguments).json()]

    assert ["note", "block"] == kinds()
    assert ["block"] == kinds("--kind", "block,event")
    assert ["note", "block"] == kinds("--kind", "block", "--kind", "note")
    assert [] == kinds("--tier", "cooled,archive")
    assert ["block"] == kinds("--thread", "main")
    assert ["note"] == kinds("--limit", "1")
    assert [] == kinds("--until", "2025")
    assert ["note", "block"] == kinds("--since", "2026-11-30", "--until", "2026-11-30")


WRONG_CALLS = (
    ["--kind", "message"],
    ["--tier", "hot"],
    ["--kind", ","],
    ["--since", "yesterday"],
    ["--until", "2026-02-30"],
    ["--since", "2026-02", "--until", "2026-01"],
    ["--limit", "0"],
    ["--limit", "many"],
    ["--unknown"],
    ["surplus"],
)


def test_a_wrong_call_is_one_line_and_exit_2(run: Run) -> None:
    for arguments in WRONG_CALLS:
        done = run("list", *arguments)

        assert (2, "", arguments) == (done.code, done.out, arguments)
        assert done.err.startswith("strata: ")
        assert 1 == done.err.count("\n")
        assert 2 == json.loads(run("list", "--json", *arguments).err)["exit_code"]


def test_search_joins_its_words_and_refuses_none(run: Run) -> None:
    run("add", "plan", "Ship on Friday.")

    assert "Ship on Friday." in run("search", "when", "do", "we", "ship").out
    assert [2, 2, 2] == [run("search", *query).code for query in ([], [""], ["  ", " "])]


QUERIES = (
    "C++", "R&D", "to be or not to be", "v1.10.2", "foo_bar-baz", '"unbalanced', "a:b", "*", "中文", "🚀", "NOT", "(", "foo^^2", "~", "\\", "[a TO", "%s {0}", "x" * 5000,
)


def test_no_query_is_an_error(run: Run) -> None:
    ended = {query: run("search", "--", query)[::2] for query in QUERIES}

    assert dict.fromkeys(QUERIES, (0, "")) == ended


def test_a_text_that_begins_with_a_dash_is_explained(run: Run) -> None:
    assert "put -- before a text" in run("add", "list", "- milk").err
    assert 0 == run("add", "list", "--", "- milk").code
    assert "- milk\n" == run("show", "list", "--json").json()[0]["text"]


def test_a_query_that_begins_with_a_dash_is_explained(run: Run) -> None:
    run("add", "plan", "install with --frozen-lockfile")

    assert "put -- before" in run("search", "--frozen-lockfile").err
    assert "notes/plan" in run("search", "--", "--frozen-lockfile").out


def test_a_batch_answers_every_line_in_order(run: Run, tmp_path: Path) -> None:
    run("append", stdin=TALK)
    lines = '{"id": "b", "query": "pnpm"}\n\n{"id": 7, "query": "nothing like it"}\n{"id": null, "query": "\\ud800"}\n{"query": ""}\n'
    (tmp_path / "queries").write_text(lines, encoding="utf-8")

    answers = run("search", "--batch", "-", "--kind", "message", "--limit", "3", stdin=lines)

    assert ["b", 7, None, None] == [answer["id"] for answer in answers.json()]
    assert ["m2"] == [hit["message"] for hit in answers.json()[0]["hits"]]
    assert [] == answers.json()[1]["hits"]
    assert answers.out == run("search", "--json", "--batch", str(tmp_path / "queries"), "--kind", "message", "--limit", "3").out


def test_a_malformed_line_of_a_batch_is_named(run: Run) -> None:
    for line in ("{", "[]", '{"id": "1"}', '{"id": "1", "query": 5}', '"x"'):
        done = run("search", "--batch", "-", stdin='{"id": "1", "query": "x"}\n' + line)

        assert (14, "") == (done.code, done.out)
        assert 2 == json.loads(done.err)["line"]


def test_log_and_diff_follow_a_record(run: Run) -> None:
    run("add", "plan", "first")
    run("add", "other", "else")
    run("add", "plan", "second", "--replace")

    subjects = [commit["subject"] for commit in run("log", "plan", "--json").json()]
    patch = run("diff", "notes/plan", "HEAD~1..HEAD")

    assert ["Replace", "Add"] == [subject.split()[0] for subject in subjects]
    assert 1 == len(run("log", "--limit", "1", "--json").json())
    assert "-first\n+second" in patch.out
    assert patch.out == run("diff", "HEAD~1..HEAD").out
    assert "+else" in run("diff", "other").out
    assert "No differences." == run("diff", "HEAD..HEAD").out.strip()
    assert 11 == run("diff", "nowhere..HEAD").code
    assert 11 == run("show", "plan", "--at", "HEAD~9").code


def test_a_note_with_two_dots_in_its_name_is_no_span(run: Run) -> None:
    run("add", "a..b", "dotted")

    assert "+dotted" in run("diff", "a..b").out


def test_status_and_reindex(run: Run) -> None:
    run("append", stdin=TALK)
    run("add", "plan", "Ship on Friday.")

    (state,) = run("status", "--json").json()

    assert [1, 1] == [state["counts"]["active"][kind][0] for kind in ("note", "tail")]
    assert {"main": 1} == state["threads"]
    assert "fresh" == state["index"]
    assert [2] == run("reindex", "--json").json()
    assert "Indexed 2 files.\n" == run("reindex").out
    assert "notes" in run("status").out


def test_doctor_exits_by_what_it_found(run: Run, memory: Memory) -> None:
    run("append", stdin=TALK)
    run("seal", "--all")
    sound = run("doctor")
    (memory.root / "active" / "notes").mkdir(exist_ok=True)
    (memory.root / "active" / "notes" / "mine.md").write_text("by hand\n", encoding="utf-8")
    noted = run("doctor")
    (block,) = (memory.root / "active" / "blocks").rglob("*.md")
    block.write_text(block.read_text(encoding="utf-8").replace("pnpm from", "npm from"), encoding="utf-8")

    broken = run("doctor", "--json")

    assert (0, "Everything holds.\n") == (sound.code, sound.out)
    assert 0 == noted.code
    assert "note" in noted.out
    assert 1 == broken.code
    assert "error" in {problem["severity"] for problem in broken.json()}


def test_settings_are_shown_and_changed(run: Run) -> None:
    assert [12] == run("config", "get", "block_turns", "--json").json()
    assert 0 == run("config", "set", "block_turns", "20").code
    assert "20\n" == run("config", "get", "block_turns").out
    assert "(default 12)" in run("config", "list").out
    assert 11 == run("config", "get", "colour").code
    assert 2 == run("config", "set", "block_turns", "many").code


OUTSIDE = ("../../x", "/etc/passwd", "..\\x", "a/../../b", "%2e%2e/x", ".git/hooks/x", "~/x")


def test_paths_that_leave_the_memory_are_refused_alike_for_reading_and_writing(run: Run, memory: Memory) -> None:
    before = files(memory.root)

    codes = {path: (run("add", path, "x").code, run("show", path).code) for path in OUTSIDE}

    assert (dict.fromkeys(OUTSIDE, (15, 15)), before) == (codes, files(memory.root))


def test_an_ambiguous_prefix_names_the_candidates(run: Run) -> None:
    for name in ("one", "two"):
        run("append", "--thread", name, stdin=TALK)
    run("seal", "--all")

    done = run("show", "blk-2026")

    assert 12 == done.code
    assert 2 == done.err.count("blk-20261130-")


def test_writes_wait_for_a_merge_to_end(run: Run, memory: Memory) -> None:
    run("add", "plan", "x")
    (memory.root / ".git" / "MERGE_HEAD").write_text(git(memory.root, "rev-parse", "HEAD"), encoding="ascii")

    assert 17 == run("add", "other", "y").code
    assert 0 == run("show", "plan").code


def test_a_held_lock_ends_in_its_own_exit_code(run: Run, memory: Memory) -> None:
    run("config", "set", "lock_timeout", "0")

    with memory._store.files.lock():
        done = run("add", "plan", "x")

    assert 19 == done.code


def test_unknown_commands_are_pointed_at_near_ones(run: Run) -> None:
    assert "did you mean search" in run("serach").err
    assert 2 == run("serach").code
    assert 2 == run("config", "frob").code
    assert "strata --help" in run("xyz").err


class TestWhichMemory:
    """`--memory`, then $STRATA_HOME, then the nearest parent that is one, then the default."""

    @pytest.fixture
    def places(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> dict[str, Path]:
        monkeypatch.delenv("STRATA_HOME")
        monkeypatch.chdir(tmp_path)
        made = {name: tmp_path / name for name in ("named", "home", "parent")} | {"default": default_memory()}
        for place in made.values():
            assert 0 == run("init", str(place)).code
        return made

    def chosen(self, run: Run, *arguments: str) -> Path:
        return Path(run("status", "--json", *arguments).json()[0]["path"])

    def test_in_this_order(self, run: Run, places: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
        assert places["default"] == self.chosen(run)
        (places["parent"] / "deep" / "down").mkdir(parents=True)
        monkeypatch.chdir(places["parent"] / "deep" / "down")
        assert places["parent"] == self.chosen(run)
        monkeypatch.setenv("STRATA_HOME", str(places["home"]))
        assert places["home"] == self.chosen(run)
        assert places["named"] == self.chosen(run, "--memory", str(places["named"]))
        assert places["named"] == Path(run("--memory", str(places["named"]), "--json", "status").json()[0]["path"])

    def test_a_named_place_that_is_none_is_an_error(self, run: Run, places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        inside = places["parent"] / "active"

        wrong = (tmp_path / "nowhere", inside, places["parent"] / "strata.yaml", "~nobody-here/x")
        assert [10] * 4 == [run("--memory", str(place), "list").code for place in wrong]
        assert 2 == run("list", "--memory", "").code
        monkeypatch.setenv("STRATA_HOME", str(inside))
        assert 10 == run("list").code
        assert f"strata init {inside}" in run("list").err

    def test_a_parent_repository_that_is_no_memory_is_passed_over(self, run: Run, places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        project = tmp_path / "project"
        (project / "src").mkdir(parents=True)
        git(project, "init", "--quiet")
        monkeypatch.chdir(project / "src")

        assert places["default"] == self.chosen(run)
        assert ["src"] == [place.name for place in project.iterdir() if place.name != ".git"]

    def test_without_any_the_remedy_is_init(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("STRATA_HOME")
        monkeypatch.chdir(tmp_path)

        done = run("list")

        assert 10 == done.code
        assert "strata init" in done.err

    def test_init_without_a_directory_makes_the_default_and_says_where(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("STRATA_HOME")

        done = run("init")

        assert str(default_memory()) in done.out
        assert "already" in run("init").out
        assert (default_memory() / "strata.yaml").is_file()

    def test_init_refuses_a_full_directory_and_two_directories(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "mine.txt").write_text("x", encoding="utf-8")

        assert 13 == run("init", str(tmp_path / "full")).code
        assert {"mine.txt": b"x"} == files(tmp_path / "full")
        assert 2 == run("init", "a", "--memory", "b").code
        assert 2 == run("init", "").code

    def test_a_removed_working_directory_is_no_crash(self, run: Run, places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        try:
            gone.rmdir()
        except OSError:
            assert os.name == "nt"  # Windows keeps a directory that someone stands in
            return

        assert places["default"] == self.chosen(run)


def test_a_prefix_that_fits_several_names_some_with_their_titles(run: Run, memory: Memory) -> None:  # noqa: F811
    run("append", stdin=TALK)
    run("seal", "--all")
    block = run("list", "--kind", "block", "--json").json()[0]["ref"]
    for number in range(7):
        card = {"title": f"Card {number}, which has a title that goes on and on and on", "source_block": block, "source_messages": ["m1"]}
        assert 0 == run("record", stdin=json.dumps(card)).code
    refs = [row["ref"] for row in run("list", "--kind", "event", "--json").json()]
    run("forget", hidden := min(refs))
    told = run("show", "evt-2026")

    assert 12 == told.code and "'evt-2026' fits 7 records: " in told.err
    assert 4 == told.err.count(", which has a title that goes on…)")
    assert f"{hidden}, " in told.err and ", … (give more of the id)" in told.err
