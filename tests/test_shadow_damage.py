"""A foreign index is never opened, a damaged one is noticed, and no crash loses more than the last update."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shadow_entries import KEY, broken, from_json, note, refs, shadow, write
from strata.errors import StrataError
from strata.shadow import Shadow, ShadowDamaged
from strata.shadow import stamp as stamps

SETUP = f"""
import os, sys, time
from pathlib import Path
sys.path[:] = {sys.path!r}
from shadow_entries import *
index = Shadow(Path(sys.argv[1]), KEY)
"""


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def started() -> Iterator[Start]:
    """Starts another process that runs some code with the index of its first argument; it ends with the test."""
    with contextlib.ExitStack() as stack:

        def start(code: str, *arguments: object) -> subprocess.Popen[str]:
            command = [sys.executable, "-c", SETUP + textwrap.dedent(code), *map(str, arguments)]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(process.kill)
            return process

        yield start


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of three notes, in three segments, with one removed document."""
    found = shadow(tmp_path / "index", [note(f"active/{name}.md", f"apple {name}") for name in ("aa", "bb", "cc", "dd")])
    found.update({"active/dd.md": None}, {"head": "1"})
    found.close()
    return tmp_path / "index"


def fresh(index: Path, key: bytes = KEY) -> Shadow:
    return Shadow(index, key)


def one(index: Path, pattern: str) -> Path:
    return sorted(index.glob(f"*/{pattern}"))[0]


def test_the_mark_is_that_of_the_last_update(index: Path) -> None:
    assert {"head": "1"} == fresh(index).mark()
    fresh(index).remark({"head": "2"})
    assert {"head": "2"} == fresh(index).mark()
    assert {"aa", "bb", "cc"} == set(refs(fresh(index).search("apple")))


def truncate(to: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, to)


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def scribble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = os.urandom(len(data) - len(data) // 2)
    path.write_bytes(data)


DAMAGE: list[tuple[str, Callable[[Path], None]]] = [
    ("*.toc", truncate(10)),
    ("*.toc", truncate(0)),
    ("*.toc", Path.unlink),
    ("*.toc", scribble),
    ("*.seg", truncate(0)),
    ("*.seg", Path.unlink),
    ("*.seg", halve),
    ("*.seg", scribble),
    ("../stamp", truncate(0)),
    ("../stamp", truncate(70)),
    ("../stamp", Path.unlink),
    ("../stamp", scribble),
]


@pytest.mark.parametrize(("pattern", "damage"), DAMAGE)
@pytest.mark.parametrize("opened", [False, True])
def test_damage_is_noticed_and_healed_by_a_rebuild(tmp_path: Path, index: Path, pattern: str, damage: Callable[[Path], None], opened: bool) -> None:
    found = fresh(index)
    if opened:
        found.search("apple")
    damage(one(index, pattern))

    assert found.mark() is None
    for call in (lambda: found.search("apple"), lambda: list(found.entries()), lambda: found.find(""), lambda: found.message_ids("t"), lambda: found.has_messages("t", ["m"])):
        with pytest.raises(ShadowDamaged):
            call()
    with pytest.raises(ShadowDamaged):
        found.update({"active/x.md": [note("active/x.md", "x")]}, {})
    with pytest.raises(ShadowDamaged):
        found.remark({})
    found.rebuild(tmp_path, write(tmp_path, {"active/new.md": [note("active/new.md", "apple")]}), {"head": "3"}, entries=from_json)
    assert {"head": "3"} == found.mark()
    assert ["new"] == refs(found.search("apple"))


def test_a_damaged_segment_that_looks_the_same_is_an_error_and_no_answer(index: Path) -> None:
    path = one(index, "*.seg")
    before = path.stat()
    with open(path, "r+b") as file:
        file.seek(before.st_size - 200)
        file.write(b"\xff" * 150)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(ShadowDamaged):
        fresh(index).search("apple")


def test_other_files_in_the_folder_do_no_harm(index: Path) -> None:
    (one(index, "*.toc").parent / "MAIN_zz.seg").write_bytes(b"random")
    (index / "other").write_bytes(b"random")

    assert 3 == len(fresh(index).search("apple"))
    fresh(index).update({"active/ee.md": [note("active/ee.md", "apple")]}, {})
    assert 4 == len(fresh(index).search("apple"))


@pytest.mark.parametrize("absent", [True, False])
def test_no_index_has_no_mark(tmp_path: Path, absent: bool) -> None:
    if not absent:
        (tmp_path / "index").mkdir()

    assert fresh(tmp_path / "index").mark() is None
    with pytest.raises(StrataError, match="reindex"):
        fresh(tmp_path / "index").search("x")
    with pytest.raises(StrataError, match="reindex"):
        fresh(tmp_path / "index").update({}, {})


class Payload:
    """Unpickled, it leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.trace),)


def test_the_payload_would_run(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Payload(tmp_path / "trace")))

    assert (tmp_path / "trace").exists()


@pytest.mark.parametrize("key", [KEY, b"the secret of another machine"])
def test_a_pickle_in_a_foreign_index_never_runs(tmp_path: Path, index: Path, key: bytes) -> None:
    evil = pickle.dumps(Payload(tmp_path / "trace"))
    for path in [*index.glob("*/*.toc"), *index.glob("*/*.seg")]:
        path.write_bytes(evil)
    found = Shadow(index, key)

    assert found.mark() is None
    with pytest.raises(ShadowDamaged):
        found.search("apple")
    found.rebuild(tmp_path, [], {}, entries=from_json)
    assert [] == found.search("apple")
    assert not (tmp_path / "trace").exists()


def test_a_foreign_index_with_a_right_stamp_of_its_own_is_not_trusted(tmp_path: Path, index: Path) -> None:
    """Its maker knows the format and has a key, only not ours; every file matches."""
    stamp = stamps.load(index, KEY)
    assert stamp is not None
    stamps.save(index, b"their key", stamp)

    assert Shadow(index, b"their key").mark() is not None
    assert fresh(index).mark() is None


def test_an_index_that_was_copied_or_moved_is_not_trusted(tmp_path: Path, index: Path) -> None:
    shutil.copytree(index, tmp_path / "copy")
    assert fresh(tmp_path / "copy").mark() is None
    os.rename(index, tmp_path / "moved")
    assert fresh(tmp_path / "moved").mark() is None


@pytest.mark.parametrize("change", [("SCHEMA", 10**6), ("_whoosh", (2, 7, 4))])
def test_an_index_of_another_version_is_not_trusted(index: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, object]) -> None:
    monkeypatch.setattr(stamps, *change)

    assert fresh(index).mark() is None


def test_a_segment_holds_no_pickle(index: Path) -> None:
    for path in index.glob("*/*.seg"):
        assert b"\x80\x04\x95" not in path.read_bytes()
        assert b"\x80\x02}" not in path.read_bytes()


def test_an_update_that_fails_changes_nothing_and_blocks_nothing(index: Path) -> None:
    found = fresh(index)
    with pytest.raises(TypeError):
        found.update({"active/aa.md": [note("active/aa.md", "pear")], "active/y.md": [note("active/y.md", "text", title=2026)]}, {"head": "2"})

    assert {"head": "1"} == found.mark()
    assert ["aa"] == refs(found.search("aa"))
    found.update({"active/y.md": [note("active/y.md", "good", title="2026")]}, {"head": "3"})
    assert ["y"] == refs(found.search("2026"))


STEPS = ["strata.shadow.commit.written", "strata.shadow.commit.contents", "strata.shadow.stamp.save", "strata.shadow.stamp.os.replace", "strata.shadow.commit.sweep"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("after", [False, True])
def test_a_crash_loses_at_most_the_update_it_was_in(started: Start, index: Path, step: str, after: bool) -> None:
    """The process ends before or after one step of an update, and everything else is as it was or complete."""
    module, _, name = step.rpartition(".")
    code = f"""
    import importlib, strata.shadow.commit, strata.shadow.stamp
    place = {"strata.shadow.stamp.os" == module!r} and os or importlib.import_module({module!r})
    real = getattr(place, {name!r})
    def crash(*arguments):
        if {after!r}:
            real(*arguments)
        os._exit(9)
    setattr(place, {name!r}, crash)
    index.update({{"active/aa.md": None, "active/ee.md": [note("active/ee.md", "apple ee")]}}, {{"head": "2"}})
    """
    assert 9 == started(code, index).wait()

    found = fresh(index)
    if found.mark() == {"head": "1"}:
        assert {"aa", "bb", "cc"} == set(refs(found.search("apple")))
    else:
        assert {"head": "2"} == found.mark()
        assert {"bb", "cc", "ee"} == set(refs(found.search("apple")))
    found.update({"active/ff.md": [note("active/ff.md", "apple ff")]}, {"head": "3"})
    assert 4 == len(found.search("apple"))
    names = {part.name for part in stamps.load(index, KEY).parts}
    assert names == {path.name for path in index.glob("*/*.seg")}
    assert 1 == len(list(index.glob("*/*.toc")))


def test_a_writer_that_is_killed_leaves_no_lock(started: Start, index: Path) -> None:
    code = """
    from strata.shadow import commit
    with commit.locked(index.directory, commit.WRITING):
        print("locked", flush=True)
        time.sleep(60)
    """
    process = started(code, index)
    assert process.stdout is not None and "locked\n" == process.stdout.readline()
    process.kill()
    process.wait()
    start = time.monotonic()
    fresh(index).update({"active/ee.md": [note("active/ee.md", "apple")]}, {})

    assert 5 > time.monotonic() - start
    assert 4 == len(fresh(index).search("apple"))


def test_readers_never_fail_while_another_process_commits(started: Start, index: Path) -> None:
    code = """
    for number in range(150):
        path = f"active/n{number % 20}.md"
        index.update({path: [note(path, f"apple {number}")]}, {"number": number})
        if number % 40 == 39:
            index.optimize()
    """
    process = started(code, index)
    asked = 0
    kept = fresh(index)
    while process.poll() is None:
        for found in (kept, fresh(index)):
            assert found.mark() is not None
            assert {"aa", "bb", "cc"} <= set(refs(found.search("apple", limit=50)))
            assert 3 == len([entry for entry in found.entries() if len(entry.ref) == 2 and entry.ref[0] == entry.ref[1]])
        asked += 1

    assert 0 == process.returncode
    assert 20 < asked
    assert {"number": 149} == kept.mark()


def test_the_old_index_answers_during_a_rebuild(tmp_path: Path, index: Path) -> None:
    seen: list[tuple[object, list[str]]] = []
    leftover = index / "live-of-a-rebuild-that-was-killed"
    leftover.mkdir()

    def entries(path: str, data: bytes) -> list[object]:
        assert not leftover.exists()
        seen.append((fresh(index).mark(), refs(fresh(index).search("apple"))))
        return from_json(path, data)

    found = fresh(index)
    found.rebuild(tmp_path, write(tmp_path, {f"active/{n}.md": [note(f"active/{n}.md", "pear")] for n in range(3)}), {"head": "new"}, entries=entries)

    assert 3 == len(seen)
    assert all(mark == {"head": "1"} and 3 == len(hits) for mark, hits in seen)
    assert {"head": "new"} == found.mark()
    assert [] == found.search("apple")
    assert 3 == len(found.search("pear"))


def test_a_rebuild_that_fails_leaves_the_old_index(tmp_path: Path, index: Path) -> None:
    paths = write(tmp_path, {f"active/{name}.md": [note(f"active/{name}.md", "pear")] for name in ("good", "bad")})
    with pytest.raises(RuntimeError):
        fresh(index).rebuild(tmp_path, paths, {}, entries=broken)

    assert 3 == len(fresh(index).search("apple"))
    assert 1 == len([path for path in index.iterdir() if path.is_dir()])


def test_a_rebuild_that_is_killed_leaves_the_old_index_and_the_next_one_clears_up(started: Start, tmp_path: Path, index: Path) -> None:
    paths = write(tmp_path, {f"active/{n}.md": [note(f"active/{n}.md", "pear")] for n in range(200)})
    code = """
    index.rebuild(Path(sys.argv[2]), sys.argv[3:], {"head": "new"}, entries=slowly, progress=lambda done, total: print(done, flush=True))
    """
    process = started(code, index, tmp_path, *paths)
    assert process.stdout is not None and "100\n" == process.stdout.readline()
    process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()

    assert {"head": "1"} == fresh(index).mark()
    assert 3 == len(fresh(index).search("apple"))
    assert 2 == len([path for path in index.iterdir() if path.is_dir()])
    fresh(index).rebuild(tmp_path, paths, {"head": "new"}, entries=from_json)
    assert 200 == len(fresh(index).search("pear", limit=1000))
    assert 1 == len([path for path in index.iterdir() if path.is_dir()])


def test_files_that_went_away_are_left_out_of_a_rebuild(tmp_path: Path, index: Path) -> None:
    paths = write(tmp_path, {f"active/{name}.md": [note(f"active/{name}.md", "pear")] for name in "ab"})
    (tmp_path / "active/a.md").unlink()
    fresh(index).rebuild(tmp_path, paths, {}, entries=from_json)

    assert ["b"] == refs(fresh(index).search("pear"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    root = tmp_path_factory.mktemp("many")
    return root, write(root, {f"active/{n // 100}/{n}.md": [note(f"active/{n // 100}/{n}.md", f"pear {n} {n % 7}")] for n in range(2100)})


def test_several_processes_build_the_same_index_as_one(tmp_path: Path, many: tuple[Path, list[str]]) -> None:
    root, paths = many
    alone, shared, seen = fresh(tmp_path / "alone"), fresh(tmp_path / "shared"), []
    alone.rebuild(root, paths, {}, entries=from_json, processes=1)
    shared.rebuild(root, paths, {}, entries=from_json, processes=2, progress=lambda done, total: seen.append((done, total)))

    assert 1 == len(list((tmp_path / "alone").glob("*/*.seg")))
    assert 2 == len(list((tmp_path / "shared").glob("*/*.seg")))
    assert alone.search("pear 77 3", limit=50) == shared.search("pear 77 3", limit=50)
    assert list(alone.entries()) == list(shared.entries())
    assert (2100, 2100) == seen[-1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_what_a_worker_cannot_do_its_parent_does(tmp_path: Path, many: tuple[Path, list[str]]) -> None:
    root, paths = many
    parent = os.getpid()

    def here_only(path: str, data: bytes) -> list[object]:
        assert os.getpid() == parent
        return from_json(path, data)

    here_only.__qualname__ = "not_to_be_found"  # a worker looks for it in vain and ends
    found = fresh(tmp_path / "index")
    found.rebuild(root, paths, {}, entries=here_only, processes=2)

    assert 2100 == len(list(found.entries()))


def test_importing_the_package_imports_no_whoosh() -> None:
    code = "import strata.shadow; assert not any(name.startswith('whoosh') for name in sys.modules)"

    assert 0 == subprocess.run([sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"], check=False).returncode
