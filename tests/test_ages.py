"""How old records are by their history: on real repositories, made by libgit2 for speed and by the git program for truth."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import Clock
from oracle import git
from strata import Memory
from strata.ages import AgeTable, alike, believed, substance
from strata.document import Document
from strata.errors import NotFound
from strata.history import History
from strata.layout import is_record
from strata.model import Message

DAY = 86_400
MAY = 1_779_278_400  # 2026-05-20T12:00:00Z
NOW = MAY + 200 * DAY
LATER = NOW + 100 * DAY
FAR = 4_070_908_800  # 2099-01-01
NOTE = b"---\ntitle: Plan\ntags: [a]\n---\nShip on Friday.\n"


class Repo:
    """A repository whose commits are made straight from their files; `at` counts days after May."""

    def __init__(self, root: Path) -> None:
        self.history = History.create(root)
        self.root = root
        self._git = pygit2.Repository(root)
        self.files: dict[str, dict[str, bytes]] = {}

    def commit(self, files: Mapping[str, bytes | None], at: float, *parents: str, stamp: int | None = None) -> str:
        """A commit whose files are those of its first parent with these changes (None: removed); HEAD is moved to it."""
        kept = {**(self.files[parents[0]] if parents else {}), **files}
        whole = {path: data for path, data in kept.items() if data is not None}
        index = pygit2.Index()
        for path, data in whole.items():
            index.add(pygit2.IndexEntry(path, self._git.create_blob(data), pygit2.enums.FileMode.BLOB))
        by = pygit2.Signature("Robin", "robin@vale.invalid", MAY + int(at * DAY) if stamp is None else stamp, 0)
        id = str(self._git.create_commit(None, by, by, f"{len(self.files)}", index.write_tree(self._git), list(parents)))
        self.files[id] = whole
        self.head(id)
        return id

    def head(self, id: str) -> None:
        self._git.references.create("refs/heads/main", id, force=True)

    def table(self, before: AgeTable | None = None) -> AgeTable:
        """The ages of HEAD, by eyes that have seen nothing yet."""
        return History(self.root).ages(before)

    def days(self, path: str = "", now: int = NOW) -> Any:
        """For each record (or one): days of its change and of its arrival, lifted, edited."""
        rows = {name: ((changed - MAY) / DAY, (arrived - MAY) / DAY, lifted, edited) for name, changed, arrived, lifted, edited in self.table().rows(now)}
        return rows[path] if path else rows


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "memory")


def rows(root: Path, before: AgeTable | None = None) -> list[tuple[str, int, int, int, int]]:
    return sorted(History(root).ages(before).rows(NOW))


# -- what counts as content ------------------------------------------------------------------------

BLOCK = b"---\nid: blk-20260520-abcdef\nkind: block\nstate: pending\n---\n## user \xc2\xb7 m1\nHello.\n"
NOTE_PATH, BLOCK_PATH = "active/notes/a.md", "active/blocks/2026/05/blk-20260520-abcdef.md"


@pytest.mark.parametrize(
    "path, old, new",
    [
        (NOTE_PATH, NOTE, Document.parse(NOTE).set(pinned=True).data),
        (NOTE_PATH, NOTE, Document.parse(NOTE).set(tags=["a", "b"]).data),
        (NOTE_PATH, NOTE, Document.parse(NOTE).set(tags=None).data),
        (NOTE_PATH, NOTE, Document.parse(NOTE).set(id="note-1").data),
        (NOTE_PATH, NOTE, Document.parse(NOTE).set(forgotten_at="2026-11-30T12:00:00Z").data),
        (NOTE_PATH, b"Ship.\n", Document.parse(b"Ship.\n").set(pinned=True).data),
        (NOTE_PATH, b"---\n- no\n- header\n---\nx\n", b"---\npinned: true\n---\n---\n- no\n- header\n---\nx\n"),
        (NOTE_PATH, NOTE, b"---\ntags: []\n# said in passing\ntitle: 'Plan'\n---\nShip on Friday.\n"),
        (NOTE_PATH, b"---\na: 1\nb: 2\n---\nx\n", b"---\nb: 2\na: 1\n---\nx\n"),
        (NOTE_PATH, b"---\ntitle: a\ntags: [x]\n---", b"---\ntitle: a\ntags: [y]\n---"),
        (NOTE_PATH, NOTE, b"\xef\xbb\xbf" + NOTE),
        (NOTE_PATH, b"\xef\xbb\xbfShip.\n", b"Ship.\n"),
        (BLOCK_PATH, BLOCK, Document.parse(BLOCK).set(state="ready", title="Hello", summary="A greeting.").data),
        ("cooled/free.md", BLOCK, Document.parse(BLOCK).set(state="ready").data),
    ],
    ids=["pin", "tag", "untag", "id", "forget", "pin without header", "pin above rules", "spelling", "order", "no end of line", "mark", "mark of text", "block", "block by header"],
)
def test_bookkeeping_is_no_content(path: str, old: bytes, new: bytes) -> None:
    assert old != new
    assert substance(path, old) == substance(path, new)
    assert alike(path, old, new) and alike(path, new, old)


@pytest.mark.parametrize(
    "path, old, new",
    [
        (NOTE_PATH, NOTE, NOTE + b"Or on Monday.\n"),
        (NOTE_PATH, NOTE, Document.parse(NOTE).set(title="Plan B").data),
        (NOTE_PATH, NOTE, Document.parse(NOTE).set(status="done").data),
        (NOTE_PATH, b"Ship.\n", b"Ship!\n"),
        (NOTE_PATH, b"Ship.\n", b"---\ntitle: Ship\n---\nShip.\n"),
        (NOTE_PATH, b"---\ntitle: [\ntags: a\n---\nx\n", b"---\ntitle: [\ntags: b\n---\nx\n"),
        (NOTE_PATH, b"---\ntitle: [\n---\nx\n", b"\xef\xbb\xbf---\ntitle: [\n---\nx\n"),
        (BLOCK_PATH, BLOCK, BLOCK.replace(b"Hello.", b"Hello!")),
        (NOTE_PATH, b"---\ntitle: a\n---", b"---\ntitle: b\n---"),
        ("cooled/free.md", BLOCK, BLOCK.replace(b"kind: block", b"kind: event")),
    ],
    ids=["body", "title", "another key", "text", "a header", "a broken header", "all of a broken one", "messages", "no end of line", "kind"],
)
def test_anything_else_is_content(path: str, old: bytes, new: bytes) -> None:
    assert substance(path, old) != substance(path, new)
    assert not alike(path, old, new) and not alike(path, new, old)


PIECES = [b"---\n", b"---", b"--- \n", b"---\r\n", b"\n", b"title: a\n", b"title: b\n", b"tags: [x]\n", b"pinned: true\n", b"- item\n", b"text\n", b"key: [\n", b"\xef\xbb\xbf", b"\xff"]
files = st.lists(st.sampled_from(PIECES), max_size=7).map(b"".join)


@settings(max_examples=300)
@given(files, files)
def test_the_short_cut_past_the_yaml_gives_the_same_answer(old: bytes, new: bytes) -> None:
    assert alike(NOTE_PATH, old, new) == (substance(NOTE_PATH, old) == substance(NOTE_PATH, new))


@settings(max_examples=100)
@given(files, st.lists(st.sampled_from(PIECES), max_size=3).map(b"".join), files)
def test_the_short_cut_holds_where_the_beginnings_are_equal(start: bytes, one: bytes, other: bytes) -> None:
    old, new = start + one, start + other

    assert alike(NOTE_PATH, old, new) == (substance(NOTE_PATH, old) == substance(NOTE_PATH, new))


# -- stamps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "times, expected",
    [
        ([], []),
        ([10, 20, 30], [10, 20, 30]),
        ([10, 20, FAR], [10, 20, 20]),
        ([10, FAR, 30], [10, 10, 30]),
        ([10, FAR, FAR + 1, 40], [10, 10, 10, 40]),
        ([FAR, 20, 30], [20, 20, 30]),
        ([FAR, FAR, 30], [30, 30, 30]),
        ([FAR, FAR], [0, 0]),
        ([10, 20, 0], [10, 20, 20]),
        ([10, 0, 30], [10, 10, 30]),
        ([10, 0, 1, 2, 40], [10, 10, 10, 10, 40]),
        ([0, 0, 30], [0, 0, 30]),
        ([10, 5, 20], [10, 10, 20]),
        ([FAR, 0, 30], [0, 0, 30]),
    ],
)
def test_a_stamp_counts_as_far_as_it_can_be_believed(times: list[int], expected: list[int]) -> None:
    assert expected == believed(times, 100)


def test_a_clock_may_be_ahead_by_a_day() -> None:
    assert [5, 100 + DAY] == believed([5, 100 + DAY], 100)
    assert [5, 5] == believed([5, 101 + DAY], 100)


@given(st.lists(st.integers(-10, 10 * DAY)), st.integers(0, 10 * DAY), st.integers(0, 3 * DAY))
def test_times_never_run_backward_and_never_out_of_what_is_believed(times: list[int], now: int, later: int) -> None:
    found = believed(times, now)

    assert sorted(found) == found and len(times) == len(found)
    assert all(time <= now + DAY for time in found)
    assert set(found) <= {*times, 0}
    assert found == believed(times, now + later) or any(time > now + DAY for time in times)


def test_a_wrong_stamp_makes_a_record_neither_young_nor_old(repo: Repo) -> None:
    first = repo.commit({"active/a.md": b"a"}, 0)
    second = repo.commit({"active/b.md": b"b"}, 0, first, stamp=FAR)
    third = repo.commit({"active/c.md": b"c"}, 3, second)
    fourth = repo.commit({"active/d.md": b"d"}, 0, third, stamp=0)
    repo.commit({"active/e.md": b"e"}, 0, fourth, stamp=FAR)

    assert {"a": 0, "b": 0, "c": 3, "d": 3, "e": 3} == {path[7]: changed for path, (changed, *_) in repo.days().items()}
    assert [FAR, 0, FAR] == [repo.table().times[number] for number in (1, 3, 4)], "kept as written: a clock set right later finds them"
    assert FAR == dict(row[:2] for row in repo.table().rows(FAR))["active/e.md"]


# -- the stored table ------------------------------------------------------------------------------

TABLE = AgeTable("ab" * 20, [3, FAR, -1], {"active/a.md": (0, 1, 0, 1), "cooled/\udcff\n\"ü.md": (2, 2, 1, 0)}, ("cd" * 20,))


@pytest.mark.parametrize("table", [TABLE, AgeTable(None, [], {}), AgeTable("ab" * 20, [1], {})], ids=["full", "nothing", "no records"])
def test_a_table_comes_back_as_it_was_stored(table: AgeTable) -> None:
    assert table == AgeTable.load(table.dump())


@pytest.mark.parametrize(
    "change",
    [
        {"format": 0},
        {"format": None},
        {"commit": 7},
        {"boundary": None},
        {"boundary": [1]},
        {"times": None},
        {"times": "123"},
        {"times": [1, 2]},
        {"times": [1, 2, 3.0]},
        {"times": [1, 2, True]},
        {"times": [1, 2, None]},
        {"paths": None},
        {"paths": "ab"},
        {"paths": ["active/a.md", 1]},
        {"paths": ["active/a.md", "active/a.md"]},
        {"paths": ["active/a.md"]},
        {"changed": [0, 3]},
        {"changed": [0, -1]},
        {"changed": [0, "1"]},
        {"changed": [0]},
        {"arrived": [1, 3]},
        {"arrived": {"0": 1}},
        {"lifted": [0, 2]},
        {"lifted": [0, True]},
        {"edited": [-1, 0]},
        {"edited": None},
        {"edited": [1, 0, 0]},
    ],
    ids=str,
)
def test_a_table_of_another_form_is_none(change: dict[str, Any]) -> None:
    fields = json.loads(TABLE.dump())

    assert AgeTable.load(json.dumps(fields).encode()) == TABLE
    assert AgeTable.load(json.dumps({**fields, **change}).encode()) is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe", b"[" * 100_000, b"1" * 5000, b'{"format": 1}', b'"\\'], ids=lambda data: str(data[:12]))
def test_what_is_no_table_is_none(data: bytes) -> None:
    assert AgeTable.load(data) is None


def test_a_table_cut_off_anywhere_is_none() -> None:
    data = TABLE.dump()

    assert all(AgeTable.load(data[:end]) is None for end in range(len(data)))


# -- lives -----------------------------------------------------------------------------------------


def test_nothing_is_there_before_the_first_commit(repo: Repo) -> None:
    assert AgeTable(None, [], {}) == repo.table()
    first = repo.commit({"active/a.md": b"a"}, 0)

    assert AgeTable(first, [MAY], {"active/a.md": (0, 0, 0, 0)}) == repo.table(AgeTable(None, [], {}))


def test_only_records_have_a_life(repo: Repo) -> None:
    others = ["README.md", "ledger/m.jsonl", "attachments/x.md", "active/tails/main.md", "active/a.txt", "active/.a.md", "cooled/node_modules/a.md", "active.md"]
    first = repo.commit({path: b"x" for path in [*others, "active/a.md", "cooled/notes/b.md", "archive/tails.md"]}, 0)
    repo.commit({path: b"y" for path in others}, 1, first)

    assert {"active/a.md": (0, 0, 0, 0), "cooled/notes/b.md": (0, 0, 0, 0), "archive/tails.md": (0, 0, 0, 0)} == repo.days()


def test_a_file_in_the_place_of_a_tier_holds_no_records(repo: Repo) -> None:
    first = repo.commit({"active/a.md": b"a", "cooled": b"no folder"}, 0)
    repo.commit({"cooled": None, "cooled/b.md": b"b"}, 1, first)

    assert {"active/a.md": (0, 0, 0, 0), "cooled/b.md": (1, 1, 0, 0)} == repo.days()


def test_links_and_nested_repositories_have_none(tmp_path: Path, repo: Repo) -> None:
    first = repo.commit({"active/a.md": b"a", "active/b.md": b"b"}, 0)
    index = pygit2.Index()
    of = pygit2.Repository(repo.root)
    index.add(pygit2.IndexEntry("active/a.md", of.create_blob(b"b.md"), pygit2.enums.FileMode.LINK))
    index.add(pygit2.IndexEntry("active/b.md", of.create_blob(b"b"), pygit2.enums.FileMode.BLOB_EXECUTABLE))
    index.add(pygit2.IndexEntry("active/c.md", pygit2.Oid(hex=first), pygit2.enums.FileMode.COMMIT))
    by = pygit2.Signature("Robin", "robin@vale.invalid", MAY + DAY, 0)
    of.create_commit("HEAD", by, by, "link", index.write_tree(of), [first])

    assert {"active/b.md": (0, 0, 0, 0)} == repo.days(), "and to make a file executable changes no content"


def test_an_edit_makes_young_and_bookkeeping_does_not(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE, "active/b.md": NOTE}, 0)
    repo.commit({"active/a.md": NOTE + b"More.\n", "active/b.md": Document.parse(NOTE).set(pinned=True, tags=["x"], id="b").data}, 9, first)

    assert {"active/a.md": (9, 0, 0, 1), "active/b.md": (0, 0, 0, 0)} == repo.days()


def test_a_move_changes_no_content_and_tells_down_from_up(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE}, 0)
    down = repo.commit({"active/a.md": None, "cooled/a.md": NOTE}, 5, first)

    assert {"cooled/a.md": (0, 5, 0, 0)} == repo.days()
    further = repo.commit({"cooled/a.md": None, "archive/a.md": NOTE}, 6, down)
    assert {"archive/a.md": (0, 6, 0, 0)} == repo.days()
    up = repo.commit({"archive/a.md": None, "cooled/a.md": NOTE}, 7, further)
    assert {"cooled/a.md": (0, 7, 1, 0)} == repo.days()
    repo.commit({"cooled/a.md": None, "active/a.md": NOTE}, 8, up)
    assert {"active/a.md": (0, 8, 1, 0)} == repo.days()


def test_an_edit_after_the_arrival_is_told_from_one_before_and_with_it(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE}, 0)
    edited = repo.commit({"active/a.md": NOTE + b"1"}, 1, first)
    moved = repo.commit({"active/a.md": None, "cooled/a.md": NOTE + b"1"}, 5, edited)

    assert (1, 5, 0, 0) == repo.days("cooled/a.md")
    again = repo.commit({"cooled/a.md": NOTE + b"2"}, 6, moved)
    assert (6, 5, 0, 1) == repo.days("cooled/a.md")
    tagged = repo.commit({"cooled/a.md": Document.parse(NOTE + b"2").set(tags=["z"]).data}, 7, again)
    assert (6, 5, 0, 1) == repo.days("cooled/a.md")
    repo.commit({"cooled/a.md": None, "archive/a.md": NOTE + b"3"}, 8, tagged)
    assert (8, 8, 0, 0) == repo.days("archive/a.md")


def test_a_move_that_also_pins_is_a_move(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE}, 0)
    repo.commit({"active/a.md": None, "cooled/a.md": Document.parse(NOTE).set(pinned=True).data}, 5, first)

    assert {"cooled/a.md": (0, 5, 0, 0)} == repo.days()


def test_a_rename_within_its_tier_goes_on_with_the_life_whole(repo: Repo) -> None:
    first = repo.commit({"cooled/notes/a.md": NOTE}, 0)
    up = repo.commit({"cooled/notes/a.md": None, "active/notes/a.md": NOTE}, 2, first)
    edited = repo.commit({"active/notes/a.md": NOTE + b"1"}, 3, up)
    repo.commit({"active/notes/a.md": None, "active/notes/b/c.md": NOTE + b"1"}, 9, edited)

    assert {"active/notes/b/c.md": (3, 2, 1, 1)} == repo.days()


def test_a_rename_into_another_tier_arrives(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE}, 0)
    repo.commit({"active/a.md": None, "archive/b.md": NOTE}, 4, first)

    assert {"archive/b.md": (0, 4, 0, 0)} == repo.days()


def test_a_rename_with_an_edit_is_another_record(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE}, 0)
    repo.commit({"active/a.md": None, "active/b.md": NOTE + b"1"}, 4, first)

    assert {"active/b.md": (4, 4, 0, 0)} == repo.days()


def test_a_copy_begins_a_life_and_leaves_the_other_alone(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE}, 0)
    repo.commit({"active/b.md": NOTE, "cooled/a.md": NOTE}, 4, first)

    assert {"active/a.md": (0, 0, 0, 0), "active/b.md": (4, 4, 0, 0), "cooled/a.md": (4, 4, 0, 0)} == repo.days()


def test_what_comes_back_after_a_deletion_is_new(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE, "active/b.md": b"b"}, 0)
    without = repo.commit({"active/a.md": None}, 4, first)

    assert {"active/b.md": (0, 0, 0, 0)} == repo.days()
    repo.commit({"active/a.md": NOTE}, 6, without)
    assert {"active/a.md": (6, 6, 0, 0), "active/b.md": (0, 0, 0, 0)} == repo.days()


def test_the_place_tells_a_move_before_the_bytes_do(repo: Repo) -> None:
    """The twins are told apart by their paths, the last pair by nothing but the bytes."""
    first = repo.commit({"active/a.md": b"same", "active/x/b.md": b"same"}, 0)
    second = repo.commit({"active/c/d.md": b"same", "active/e.md": b"other"}, 1, first)
    files = {"active/a.md": None, "active/x/b.md": None, "active/c/d.md": None, "active/e.md": None}
    repo.commit({**files, "cooled/a.md": b"same", "active/z/b.md": b"same", "active/q.md": b"same", "cooled/e.md": b"changed"}, 5, second)

    assert {"cooled/a.md": (0, 5, 0, 0), "active/z/b.md": (0, 0, 0, 0), "active/q.md": (1, 1, 0, 0), "cooled/e.md": (5, 5, 0, 0)} == repo.days()


def test_a_record_that_moved_is_not_taken_for_another_with_its_new_bytes(repo: Repo) -> None:
    first = repo.commit({"active/a.md": b"one", "active/b.md": b"two"}, 0)
    repo.commit({"active/a.md": None, "active/b.md": None, "cooled/a.md": b"two", "active/new.md": b"new"}, 5, first)

    assert {"cooled/a.md": (5, 5, 0, 0), "active/new.md": (5, 5, 0, 0)} == repo.days()


def test_of_two_copies_the_one_with_the_same_bytes_is_the_one_that_moved(repo: Repo) -> None:
    first = repo.commit({"active/a.md": b"one"}, 0)
    second = repo.commit({"cooled/a.md": b"two"}, 1, first)
    repo.commit({"active/a.md": None, "cooled/a.md": None, "archive/a.md": b"two"}, 5, second)

    assert {"archive/a.md": (1, 5, 0, 0)} == repo.days()


def test_twins_are_told_apart_by_their_names_and_else_by_their_order(repo: Repo) -> None:
    first = repo.commit({"active/x/a.md": b"same", "active/x/c.md": b"twin"}, 0)
    second = repo.commit({"active/x/b.md": b"same", "active/x/d.md": b"twin"}, 1, first)
    gone = dict.fromkeys(repo.files[second])
    repo.commit({**gone, "active/y/b.md": b"same", "active/z/a.md": b"same", "active/y/e.md": b"twin", "active/y/f.md": b"twin"}, 5, second)

    assert {"active/z/a.md": 0, "active/y/b.md": 1, "active/y/e.md": 0, "active/y/f.md": 1} == {path: days[0] for path, days in repo.days().items()}


def test_a_file_that_becomes_a_folder_and_back(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE}, 0)
    folder = repo.commit({"active/a.md": None, "active/a.md/b.md": b"b"}, 1, first)

    assert {"active/a.md/b.md": (1, 1, 0, 0)} == repo.days()
    repo.commit({"active/a.md": NOTE, "active/a.md/b.md": None}, 2, folder)
    assert {"active/a.md": (2, 2, 0, 0)} == repo.days()


def test_names_that_are_not_utf8_have_a_life_too(repo: Repo, tmp_path: Path) -> None:
    stream = b"commit refs/heads/main\nauthor R <r@v> %d +0000\ncommitter R <r@v> %d +0000\ndata 0\nM 100644 inline \"active/\\377\\n.md\"\ndata 1\nx\n" % (MAY, MAY)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repo.root, input=stream, check=True)
    table = repo.table()

    assert {"active/\udcff\n.md": (0, 0, 0, 0)} == table.records
    assert table == AgeTable.load(table.dump())


# -- merges ----------------------------------------------------------------------------------------


def merged(repo: Repo, base: Mapping[str, bytes], ours: Mapping[str, bytes | None], theirs: Mapping[str, bytes | None], result: Mapping[str, bytes | None]) -> Any:
    """Days of the records after: base on day 0, we on day 1, they on day 2, the merge on day 9; the same whichever side merges."""
    start = repo.commit(base, 0)
    left, right = repo.commit(ours, 1, start), repo.commit(theirs, 2, start)
    found = []
    for parents in ((left, right), (right, left)):
        files = {**dict.fromkeys(repo.files[parents[0]]), **result}
        repo.commit(files, 9, *parents)
        assert {path for path, data in result.items() if data is not None} == repo.table().records.keys()
        found.append(repo.days())
    assert found[0] == found[1]
    return found[0]


def test_a_merge_changes_nothing_that_one_side_had_changed(repo: Repo) -> None:
    base = {"active/a.md": b"a", "active/b.md": b"b", "active/c.md": b"c", "active/d.md": b"d"}
    ours, theirs = {"active/a.md": b"a1", "active/d.md": None, "active/e.md": b"e"}, {"active/b.md": None, "cooled/b.md": b"b", "active/f.md": b"f"}
    found = merged(repo, base, ours, theirs, {"active/a.md": b"a1", "cooled/b.md": b"b", "active/c.md": b"c", "active/e.md": b"e", "active/f.md": b"f"})

    assert (1, 0, 0, 1) == found["active/a.md"]
    assert (0, 2, 0, 0) == found["cooled/b.md"]
    assert (0, 0, 0, 0) == found["active/c.md"]
    assert (1, 1, 0, 0) == found["active/e.md"]
    assert (2, 2, 0, 0) == found["active/f.md"]


def test_a_text_put_together_from_both_sides_is_new_with_the_merge(repo: Repo) -> None:
    found = merged(repo, {"active/a.md": b"1\n2\n"}, {"active/a.md": b"one\n2\n"}, {"active/a.md": b"1\ntwo\n"}, {"active/a.md": b"one\ntwo\n"})

    assert {"active/a.md": (9, 0, 0, 1)} == found


def test_one_sides_text_and_the_others_tags_are_as_old_as_the_text(repo: Repo) -> None:
    edited, tagged = NOTE + b"More.\n", Document.parse(NOTE).set(tags=["x"]).data
    found = merged(repo, {"active/a.md": NOTE}, {"active/a.md": edited}, {"active/a.md": tagged}, {"active/a.md": Document.parse(edited).set(tags=["x"]).data})

    assert {"active/a.md": (1, 0, 0, 1)} == found


def test_the_same_text_on_both_sides_counts_from_the_later(repo: Repo) -> None:
    assert {"active/a.md": (2, 0, 0, 1)} == merged(repo, {"active/a.md": b"1"}, {"active/a.md": b"2"}, {"active/a.md": b"2"}, {"active/a.md": b"2"})


def test_moved_here_and_edited_there_is_edited_where_it_arrived(repo: Repo) -> None:
    found = merged(repo, {"active/a.md": b"1"}, {"active/a.md": b"2"}, {"active/a.md": None, "cooled/a.md": b"1"}, {"cooled/a.md": b"2"})

    assert {"cooled/a.md": (1, 2, 0, 1)} == found


def test_both_moved_it_alike(repo: Repo) -> None:
    move = {"active/a.md": None, "cooled/a.md": b"1"}

    assert {"cooled/a.md": (0, 2, 0, 0)} == merged(repo, {"active/a.md": b"1"}, move, move, {"cooled/a.md": b"1"})


def test_moved_to_two_places_and_settled_in_one(repo: Repo) -> None:
    base = {"cooled/a.md": b"1"}
    up, down = {"cooled/a.md": None, "active/a.md": b"1"}, {"cooled/a.md": None, "archive/a.md": b"1"}

    assert {"active/a.md": (0, 1, 1, 0)} == merged(repo, base, up, down, {"active/a.md": b"1"})


def test_a_move_made_in_the_merge_itself_arrives_with_it(repo: Repo) -> None:
    found = merged(repo, {"active/a.md": b"1"}, {"active/a.md": b"2"}, {"active/b.md": b"b"}, {"cooled/a.md": b"2", "active/b.md": b"b"})

    assert {"cooled/a.md": (1, 9, 0, 0), "active/b.md": (2, 2, 0, 0)} == found


@pytest.mark.parametrize("ours, day, edited", [({"active/b.md": b"b"}, 0, 0), ({"active/a.md": b"2"}, 1, 1)], ids=["untouched", "edited"])
def test_deleted_there_and_kept_here_goes_on_with_its_life(repo: Repo, ours: dict[str, bytes], day: int, edited: int) -> None:
    kept = {"active/a.md": b"1", **ours}

    assert (day, 0, 0, edited) == merged(repo, {"active/a.md": b"1"}, ours, {"active/a.md": None}, kept)["active/a.md"]


def test_deleted_on_one_side_and_untouched_on_the_other_is_gone(repo: Repo) -> None:
    assert ["active/b.md"] == list(merged(repo, {"active/a.md": b"1", "active/b.md": b"b"}, {"active/b.md": b"2"}, {"active/a.md": None}, {"active/b.md": b"2"}))


def test_edited_and_taken_back_on_a_branch_was_touched(repo: Repo) -> None:
    start = repo.commit({"active/a.md": b"1"}, 0)
    left = repo.commit({"active/a.md": b"1"}, 3, repo.commit({"active/a.md": b"2"}, 2, start))
    right = repo.commit({"active/b.md": b"b"}, 1, start)
    for parents in ((left, right), (right, left)):
        repo.commit({"active/b.md": b"b"}, 9, *parents)

        assert {"active/a.md": (3, 0, 0, 1), "active/b.md": (1, 1, 0, 0)} == repo.days()


def test_a_merge_of_three_and_one_of_unrelated_histories(repo: Repo) -> None:
    start = repo.commit({"active/a.md": b"1"}, 0)
    sides = [repo.commit({f"active/{name}.md": name.encode()}, day, start) for day, name in ((1, "b"), (2, "c"), (3, "d"))]
    octopus = repo.commit({"active/c.md": b"c", "active/d.md": b"d"}, 5, *sides)

    assert {"active/a.md": 0, "active/b.md": 1, "active/c.md": 2, "active/d.md": 3} == {path: days[0] for path, days in repo.days().items()}
    other = repo.commit({"cooled/z.md": b"z"}, 4)
    repo.commit({"cooled/z.md": b"z"}, 9, octopus, other)
    assert {"active/a.md": 0, "active/b.md": 1, "active/c.md": 2, "active/d.md": 3, "cooled/z.md": 4} == {path: days[0] for path, days in repo.days().items()}


def test_the_order_of_commits_is_that_of_time_and_never_against_the_history(repo: Repo) -> None:
    start = repo.commit({"active/a.md": b"1"}, 0)
    late = repo.commit({"active/a.md": b"2"}, 8, start)
    early = repo.commit({"active/b.md": b"2"}, 3, start)
    child = repo.commit({"active/b.md": b"3"}, 1, early)
    repo.commit({"active/a.md": b"2"}, 9, child, late)

    assert [0, 3, 1, 8, 9] == [(time - MAY) / DAY for time in repo.table().times]
    assert (3, 3, 0, 1) == repo.days("active/b.md")


# -- carried on or worked out anew -----------------------------------------------------------------

NAMES = [f"{place}{name}.md" for place in ("notes/", "") for name in "abc"]
STEPS = ("put", "edit", "pin", "move", "move and edit", "rename", "drop", "tail", "branch", "merge")
step = st.tuples(st.sampled_from(STEPS), st.integers(0, 99), st.integers(0, 99), st.sampled_from([0, 1, 1, 2, -3, None]))
RANDOM = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def altered(files: Mapping[str, bytes], kind: str, which: int, what: int) -> dict[str, bytes | None]:
    """One change to a tree: what becomes of its files, by two numbers that choose among what there is."""
    records = sorted(path for path in files if "tails" not in path)
    path = records[which % len(records)] if records else ""
    tier = ("active", "cooled", "archive")[what % 3]
    if kind == "tail":
        return {"active/tails/main.md": f"turn {what}".encode()}
    if kind == "put" or not path:
        return {f"{tier}/{NAMES[which % len(NAMES)]}": f"---\ntitle: t{what % 4}\n---\ntext {which % 3}\n".encode()}
    old = files[path]
    edited = old + f"line {what}\n".encode()
    moved = f"{tier}/{path.partition('/')[2]}"
    match kind:
        case "edit":
            return {path: edited}
        case "pin":
            return {path: Document.parse(old).set(pinned=what % 2 == 0).data}
        case "move":
            return {path: None, moved: old}
        case "move and edit":
            return {path: None, moved: edited}
        case "rename":
            return {path: None, f"{path.partition('/')[0]}/{NAMES[what % len(NAMES)]}": old}
        case _:
            return {path: None}


def grown(repo: Repo, steps: Iterable[tuple[str, int, int, int | None]]) -> Iterable[str]:
    """Commits on one or two branches, which are merged now and then; each is HEAD as it comes."""
    heads = [repo.commit({"active/a.md": b"---\ntitle: t\n---\na\n", "cooled/notes/b.md": b"b\n"}, 0)]
    yield heads[0]
    day = 0
    for kind, which, what, passed in steps:
        day += passed or 0
        stamp = None if passed is not None else (FAR, 0)[what % 2]
        at = which % len(heads)
        if kind == "branch" and len(heads) == 1:
            heads.append(heads[0])
            continue
        if kind == "merge" and len(heads) == 2:
            ours, theirs = repo.files[heads[at]], repo.files[heads[1 - at]]
            mixed = {path: (ours, theirs)[(what >> number) % 2].get(path) for number, path in enumerate(sorted({**ours, **theirs}))}
            heads = [repo.commit({**dict.fromkeys(ours), **mixed}, day, heads[at], heads[1 - at], stamp=stamp)]
        else:
            heads[at] = repo.commit(altered(repo.files[heads[at]], kind, which, what), day, heads[at], stamp=stamp)
        yield heads[at % len(heads)]


@RANDOM
@given(st.lists(step, max_size=14))
def test_a_table_carried_on_equals_one_made_at_once(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int, int | None]]) -> None:
    repo = Repo(tmp_path_factory.mktemp("grown") / "memory")
    table: AgeTable | None = None
    for commit in grown(repo, steps):
        table = repo.history.ages(table)

        assert commit == table.commit
        assert {path for path in repo.files[commit] if is_record(path) and "tails" not in path} == table.records.keys()
        assert table == repo.table()
        assert all(changed >= 0 and arrived >= 0 and (edited or changed <= arrived) for changed, arrived, _, edited in table.records.values())


@RANDOM
@given(st.lists(step.filter(lambda row: row[0] not in ("branch", "merge")), max_size=10))
def test_files_not_committed_are_what_they_will_be_when_they_are(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int, int | None]]) -> None:
    repo = Repo(tmp_path_factory.mktemp("grown") / "memory")
    last: tuple[str, AgeTable] | None = None
    for commit in grown(repo, steps):
        table = repo.history.ages()
        if last:
            was, now = repo.files[last[0]], repo.files[commit]
            dirty = {path: now.get(path) for path in was.keys() | now.keys() if was.get(path) != now.get(path)}
            assert table._replace(commit=last[0]) == repo.history.ages_with(last[1], dirty, table.times[-1])
        last = commit, table


class Model:
    """What a person would say of each record after each step of a history without branches."""

    def __init__(self) -> None:
        self.lives: dict[str, list[int]] = {}

    def after(self, number: int, changes: Mapping[str, bytes | None], kind: str) -> None:
        gone = [path for path, data in changes.items() if data is None and path in self.lives]
        fresh = [path for path, data in changes.items() if data is not None and "tails" not in path]
        for path in fresh:
            if gone and path not in self.lives:
                changed, arrived, lifted, edited = self.lives.pop(gone[0])
                tiers = ["active", "cooled", "archive"]
                before, after = (tiers.index(place.partition("/")[0]) for place in (gone[0], path))
                if before != after:
                    arrived, lifted, edited = number, int(after < before), 0
                self.lives[path] = [number if kind == "move and edit" else changed, arrived, lifted, edited]
            elif path not in self.lives:
                self.lives[path] = [number, number, 0, 0]
            elif kind != "pin":
                self.lives[path] = [number, *self.lives[path][1:3], 1]
        for path in gone:
            if path not in fresh:
                self.lives.pop(path, None)


@RANDOM
@given(st.lists(st.tuples(st.sampled_from(STEPS[:8]), st.integers(0, 99), st.integers(0, 99)), max_size=14))
def test_each_life_is_what_a_person_would_say(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]) -> None:
    """Every text is unique here, and no step goes over a file that is there, so that nobody could see it otherwise."""
    repo, model = Repo(tmp_path_factory.mktemp("told") / "memory"), Model()
    commit = repo.commit({"active/tails/main.md": b"turn"}, 0)
    number = 0
    for kind, which, what in steps:
        files = repo.files[commit]
        changes = altered(files, kind, which, what)
        if kind in ("put", "edit", "move and edit") or not model.lives:
            changes = {path: data and data + f"unique {number}\n".encode() for path, data in changes.items()}
        overwrites = any(path in files for path, data in changes.items() if data is not None)
        if overwrites and (kind == "rename" or kind.startswith("move")):
            continue
        if all(files.get(path) == data for path, data in changes.items()):
            continue
        number += 1
        commit = repo.commit(changes, number, commit)
        model.after(number, changes, kind)

    assert {path: tuple(life) for path, life in model.lives.items()} == repo.table().records


def test_only_what_is_new_is_looked_at(repo: Repo) -> None:
    commits = [repo.commit({"active/a.md": b"0"}, 0)]
    for day in range(1, 6):
        commits.append(repo.commit({"active/a.md": b"%d" % day}, day, commits[-1]))
    repo.head(commits[2])
    early = repo.table()
    repo.head(commits[5])
    seen: list[tuple[int, int]] = []

    assert repo.table() == repo.history.ages(early, lambda *counts: seen.append(counts))
    assert [(1, 3), (2, 3), (3, 3)] == seen
    seen.clear()
    repo.history.ages(None, lambda *counts: seen.append(counts))
    assert [(done, 6) for done in range(1, 7)] == seen
    assert repo.history.ages(early) is not early and ({"active/a.md": (2, 0, 0, 1)}, 3) == (early.records, len(early.times)), "the table before stays as it was"


def test_an_up_to_date_table_is_given_back_without_a_look(repo: Repo) -> None:
    repo.commit({"active/a.md": b"0"}, 0)
    table = repo.table()
    shutil.rmtree(repo.root / ".git" / "objects")
    (repo.root / ".git" / "objects").mkdir()

    assert repo.table(table) is table


@pytest.mark.parametrize("strange", [AgeTable("ff" * 20, [1], {"active/x.md": (0, 0, 0, 0)}), AgeTable("?", [], {}), AgeTable(None, [], {})], ids=["unknown", "no id", "empty"])
def test_a_table_of_another_history_is_of_no_use_and_does_no_harm(repo: Repo, strange: AgeTable) -> None:
    repo.commit({"active/a.md": b"1"}, 1, repo.commit({"active/a.md": b"0"}, 0))

    assert repo.table() == repo.table(strange)


def test_a_table_that_lacks_records_is_carried_on_as_well_as_can_be(repo: Repo) -> None:
    first = repo.commit({"active/a.md": b"a", "active/b.md": b"b", "active/c.md": b"c"}, 0)
    hollow = repo.table()._replace(records={})
    repo.commit({"active/a.md": b"1", "active/b.md": None, "active/c.md": None, "cooled/c.md": b"c"}, 1, first)

    assert {"active/a.md": (1, 1, 0, 1), "cooled/c.md": (1, 1, 0, 0)} == repo.table(hollow).records


def test_what_git_lacks_is_named(repo: Repo) -> None:
    first = repo.commit({"active/a.md": NOTE}, 0)
    repo.commit({"active/a.md": Document.parse(NOTE).set(pinned=True).data}, 1, first)
    blob = repo.history.blob_id("active/a.md", first) or ""
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(NotFound) as caught:
        repo.table()
    assert blob == caught.value.ref


# -- with the git program --------------------------------------------------------------------------


class Person:
    """Somebody who uses git at the shell, some days after May."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self._monkeypatch = monkeypatch
        for role in ("AUTHOR", "COMMITTER"):
            monkeypatch.setenv(f"GIT_{role}_NAME", "Robin")
            monkeypatch.setenv(f"GIT_{role}_EMAIL", "robin@vale.invalid")

    def __call__(self, *arguments: str, day: int = 0) -> str:
        for role in ("AUTHOR", "COMMITTER"):
            self._monkeypatch.setenv(f"GIT_{role}_DATE", f"{MAY + day * DAY} +0900")
        return git(self.root, *arguments)

    def save(self, path: str, data: bytes, day: int) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(data)
        self("add", "-A")
        self("commit", "-qm", "save", day=day)

    def move(self, source: str, target: str, day: int) -> None:
        (self.root / target).parent.mkdir(parents=True, exist_ok=True)
        self("mv", source, target)
        self("commit", "-qm", "move", day=day)


LONG = b"".join(b"line %d\n" % number for number in range(30))


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Five commits: two notes, an edit, a pin, a move."""
    root = tmp_path / "memory"
    History.create(root)
    someone = Person(root, monkeypatch)
    someone.save("active/notes/a.md", LONG, 0)
    someone.save("active/notes/b.md", NOTE, 1)
    someone.save("active/notes/a.md", LONG + b"More.\n", 2)
    someone.save("active/notes/b.md", Document.parse(NOTE).set(pinned=True).data, 3)
    someone.move("active/notes/b.md", "cooled/notes/b.md", 4)
    return someone


def at(*days: int) -> list[int]:
    return [MAY + day * DAY for day in days]


def test_files_travel_and_their_ages_with_them(person: Person, tmp_path: Path) -> None:
    expected = [("active/notes/a.md", *at(2, 0), 0, 1), ("cooled/notes/b.md", *at(1, 4), 0, 0)]
    assert expected == rows(person.root)

    git(tmp_path, "clone", "-q", "--no-local", str(person.root), "clone")
    shutil.copytree(person.root, tmp_path / "copy", symlinks=True)
    shutil.make_archive(str(tmp_path / "backup"), "tar", person.root)
    (tmp_path / "restored").mkdir()
    shutil.unpack_archive(tmp_path / "backup.tar", tmp_path / "restored", filter="data")
    for path in person.root.glob("*/notes/*.md"):
        os.utime(path, (0, 0))
    for place in ("memory", "clone", "copy", "restored"):
        assert expected == rows(tmp_path / place)
    git(tmp_path / "clone", "gc", "-q")
    assert expected == rows(tmp_path / "clone")


def test_an_old_revision_and_back(person: Person) -> None:
    table = History(person.root).ages()
    expected = rows(person.root)
    person("checkout", "-q", "HEAD~3")
    old = History(person.root).ages(table)

    assert [("active/notes/a.md", *at(0, 0), 0, 0), ("active/notes/b.md", *at(1, 1), 0, 0)] == sorted(old.rows(NOW))
    person("checkout", "-q", "-")
    assert expected == rows(person.root) == rows(person.root, old) == rows(person.root, table)


def test_a_revert_changes_again_and_a_move_taken_back_is_lifted(person: Person) -> None:
    person("revert", "--no-edit", "HEAD", day=7)
    person("revert", "--no-edit", "HEAD~3", day=8)

    assert [("active/notes/a.md", *at(8, 0), 0, 1), ("active/notes/b.md", *at(1, 7), 1, 0)] == rows(person.root)


def test_git_merges_an_edit_into_where_the_other_side_moved_it(person: Person) -> None:
    table = History(person.root).ages()
    person("switch", "-qc", "side")
    person.move("active/notes/a.md", "cooled/notes/a.md", 6)
    person("switch", "-q", "main")
    person.save("active/notes/a.md", b"First.\n" + LONG + b"More.\n", 7)
    person("merge", "-q", "--no-edit", "side", day=9)

    assert [("cooled/notes/a.md", *at(7, 6), 0, 1), ("cooled/notes/b.md", *at(1, 4), 0, 0)] == rows(person.root) == rows(person.root, table)


def test_git_merges_two_edits_of_one_text(person: Person, tmp_path: Path) -> None:
    person("switch", "-qc", "side")
    person.save("active/notes/a.md", b"First.\n" + LONG + b"More.\n", 6)
    person("switch", "-q", "main")
    person.save("active/notes/a.md", LONG + b"More.\nLast.\n", 7)
    person("merge", "-q", "--no-edit", "side", day=9)

    assert ("active/notes/a.md", *at(9, 0), 0, 1) == rows(person.root)[0]
    git(tmp_path, "clone", "-q", "--no-local", str(person.root), "clone")
    assert rows(person.root) == rows(tmp_path / "clone")


def test_a_rebase_keeps_what_the_author_said_but_never_before_what_it_stands_on(person: Person) -> None:
    person("switch", "-qc", "side", "HEAD~2")
    person.save("active/notes/c.md", b"c", 3)
    person.save("active/notes/d.md", b"d", 6)
    table = History(person.root).ages()
    person("rebase", "-q", "main", day=30)

    assert [("active/notes/c.md", *at(4, 4), 0, 0), ("active/notes/d.md", *at(6, 6), 0, 0)] == [row for row in rows(person.root, table) if row[0][-4] in "cd"]
    assert rows(person.root) == rows(person.root, table)


def test_a_shallow_clone_knows_what_its_first_commit_holds_and_more_once_it_is_deepened(person: Person, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "3", f"file://{person.root}", "clone")
    table = History(tmp_path / "clone").ages()

    assert [("active/notes/a.md", *at(2, 2), 0, 0), ("cooled/notes/b.md", *at(2, 4), 0, 0)] == sorted(table.rows(NOW))
    assert 1 == len(table.boundary)
    git(tmp_path / "clone", "fetch", "-q", "--unshallow")
    assert rows(person.root) == rows(tmp_path / "clone", table)


def test_a_worktree_reads_the_history_it_shares(person: Person, tmp_path: Path) -> None:
    expected = rows(person.root)
    person("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))

    assert expected == rows(tmp_path / "tree")


def test_what_strata_does_to_a_record_itself_is_no_edit(memory: Memory, clock: Clock) -> None:
    """A block keeps its age when it is described, a note when it is pinned; a text that is added to does not."""
    memory.add("notes/plan", "Ship on Friday.\n")
    memory.append([("main", Message(f"m{number}", "user", f"Turn {number}.")) for number in range(14)])
    history = History(memory.root)
    before = {path: row for path, *row in history.ages().rows(LATER)}
    block = next(path for path in before if "/blocks/" in path)
    clock.time += timedelta(days=40)
    memory.describe(Path(block).stem, {"title": "Turns", "tags": ["t"], "summary": "Some turns.", "keypoints": ["there are turns (m0)"]})
    note = memory.root / "active/notes/plan.md"
    note.write_bytes(Document.parse(note.read_bytes()).set(pinned=True, id="plan-1").data)
    memory.add("notes/other", "Something else.\n")

    after = {path: row for path, *row in history.ages().rows(LATER)}
    assert before == {path: row for path, row in after.items() if path in before}
    assert b"state: ready" in (memory.root / block).read_bytes() and b"id: plan-1" in history.read("active/notes/plan.md")
    memory.add("notes/plan", "And on Monday.\n", append=True)
    assert before["active/notes/plan.md"][0] + 40 * DAY <= {path: row for path, *row in history.ages().rows(LATER)}["active/notes/plan.md"][0]
