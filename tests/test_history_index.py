"""Git's own index stays true to what strata commits, and a person's staged work stays theirs."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pygit2.enums import ConfigLevel

from strata.history import History
from strata.history.gitindex import Busy, GitIndex
from strata.history.indexfile import Unreadable
from strata.model import AGENT, Drop, Put, Rename

NOON = datetime(2026, 5, 20, 12, 0, tzinfo=UTC)
BLOB = pygit2.hash(b"").raw


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home directory of its own, for git and for libgit2, which reads HOME only once per process."""
    place = tmp_path / "home"
    place.mkdir()
    (place / ".gitconfig").write_text("[user]\n\tname = Robin Vale\n\temail = robin@vale.invalid\n[core]\n\tfsync = none\n", "utf-8")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    paths = pygit2.settings.search_path
    levels = {ConfigLevel.SYSTEM: "", ConfigLevel.XDG: str(place / "xdg" / "git"), ConfigLevel.GLOBAL: str(place)}
    before = {level: paths[level] for level in levels}
    for level, path in levels.items():
        paths[level] = path
    pygit2.settings.enable_fsync_gitdir(False)  # half the time of these tests, and no outcome that they could see
    yield place
    pygit2.settings.enable_fsync_gitdir(True)
    for level, path in before.items():
        paths[level] = path


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History.create(tmp_path / "memory")


@pytest.fixture
def root(history: History) -> Path:
    return history.root


def git(root: Path, *arguments: str, stdin: str | None = None) -> str:
    result = subprocess.run(["git", "-C", root, *arguments], input=stdin, capture_output=True, encoding="utf-8", check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def status(root: Path) -> str:
    return git(root, "status", "--porcelain")


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text.encode())


def commit(history: History, **files: str) -> str:
    """Write and commit `files`, without touching git's index."""
    for name, text in files.items():
        write(history.root, f"active/{name}.md", text)
    edits = [Put(f"active/{name}.md", text.encode()) for name, text in files.items()]
    return history.commit(edits, author=AGENT, subject="change", at=NOON)


def save(history: History, **files: str) -> str:
    id = commit(history, **files)
    assert history.align() is True
    return id


# -- a person's staged work ------------------------------------------------------------------


def test_the_status_is_clean_after_every_kind_of_change(history, root):
    save(history, a="a", b="b", c="c")
    assert status(root) == ""
    write(root, "active/a.md", "a2")
    (root / "active/b.md").rename(root / "b.md")
    (root / "active/c.md").unlink()
    edits = [Put("active/a.md", b"a2"), Rename("active/b.md", "b.md"), Drop("active/c.md")]
    history.commit(edits, author=AGENT, subject="x", at=NOON)
    assert status(root) != ""
    history.align()

    assert status(root) == ""
    assert git(root, "ls-files").split() == ["active/a.md", "b.md"]


def test_what_a_person_staged_survives_uncommitted(history, root):
    save(history, a="a", b="b", c="c")
    write(root, "mine.md", "mine")
    write(root, "active/b.md", "my b")
    git(root, "add", "mine.md", "active/b.md")
    git(root, "rm", "-q", "--cached", "active/c.md")
    before = git(root, "ls-files", "--stage", "mine.md", "active/b.md")
    save(history, a="a2", d="d")

    assert git(root, "ls-files", "--stage", "mine.md", "active/b.md") == before
    assert status(root) == "M  active/b.md\nD  active/c.md\nA  mine.md\n?? active/c.md\n"
    assert git(root, "show", "--name-only", "--format=").split() == ["active/a.md", "active/d.md"]


def test_a_path_that_strata_commits_is_no_longer_staged_otherwise(history, root):
    save(history, a="a")
    write(root, "active/a.md", "half way")
    git(root, "add", "active/a.md")
    save(history, a="done")

    assert status(root) == ""


def test_marks_a_person_set_on_an_entry_stay(history, root):
    save(history, a="a", b="b")
    write(root, "active/new.md", "new")
    git(root, "add", "--intent-to-add", "active/new.md")
    git(root, "update-index", "--skip-worktree", "active/a.md")
    git(root, "update-index", "--assume-unchanged", "active/b.md")
    save(history, a="a2", b="b2", c="c")

    assert git(root, "ls-files", "-v") == "S active/a.md\nh active/b.md\nH active/c.md\nH active/new.md\n"
    assert status(root) == " A active/new.md\n"
    save(history, new="new")
    assert status(root) == ""
    assert git(root, "ls-files", "--debug", "active/new.md").rstrip().endswith("flags: 0")


def test_a_staged_file_makes_way_for_a_directory_of_its_name(history, root):
    save(history, a="a")
    write(root, "thing", "file")
    git(root, "add", "thing")
    (root / "thing").unlink()
    write(root, "thing/a.md", "a")
    history.commit([Put("thing/a.md", b"a")], author=AGENT, subject="x", at=NOON)
    history.align()
    assert status(root) == ""
    write(root, "other/b.md", "b")
    git(root, "add", "other/b.md")
    (root / "other/b.md").unlink()
    (root / "other").rmdir()
    write(root, "other", "file")
    history.commit([Put("other", b"file")], author=AGENT, subject="x", at=NOON)
    history.align()

    assert status(root) == ""
    git(root, "write-tree")


# -- crashes and other gits ------------------------------------------------------------------


def test_a_crash_between_commit_and_index_is_healed_by_the_next_call(history, root):
    save(history, a="a", b="b", gone="x")
    write(root, "active/mine.md", "mine")
    write(root, "active/b.md", "my b")
    git(root, "add", "active/mine.md", "active/b.md")
    commit(history, a="a2", c="c")
    (root / "active/gone.md").unlink()
    history.commit([Drop("active/gone.md")], author=AGENT, subject="x", at=NOON)
    assert len(status(root).splitlines()) > 2

    after = History(root)
    assert after.align() is True
    assert status(root) == "M  active/b.md\nA  active/mine.md\n"
    assert not (root / ".git/strata-behind").exists()


def test_what_a_person_stages_after_a_crash_is_not_taken_for_what_it_left(history, root):
    save(history, a="a", b="b")
    commit(history, a="a2", b="b2")
    write(root, "active/a.md", "the person's")
    git(root, "add", "active/a.md")

    assert History(root).align() is True
    assert status(root) == "M  active/a.md\n"


def test_a_crash_after_the_very_first_commit_is_healed(history, root):
    commit(history, a="a")
    git(root, "read-tree", "--empty")
    assert status(root) != ""

    assert History(root).align() is True
    assert status(root) == ""


def test_a_note_that_power_loss_emptied_stands_for_the_commit_before(history, root):
    save(history, a="a")
    commit(history, a="a2")
    (root / ".git/strata-behind").write_bytes(b"")

    assert History(root).align() is True
    assert status(root) == ""


def test_the_caller_may_say_since_when_the_index_is_behind(history, root):
    first = save(history, a="a")
    commit(history, a="a2", b="b")
    (root / ".git/strata-behind").unlink()

    after = History(root)
    assert after.align() is True
    assert status(root) != ""
    assert after.align(since="0123456789" * 4) is True
    assert status(root) != ""
    assert after.align(since=first) is True
    assert status(root) == ""


def test_given_paths_are_aligned_whoever_committed_them(history, root):
    save(history, a="a", b="b")
    write(root, "active/a.md", "staged")
    write(root, "active/b.md", "staged")
    git(root, "add", "-A")
    write(root, "active/a.md", "a")

    assert history.align(["active/a.md", "active/absent.md"]) is True
    assert status(root) == "M  active/b.md\n"


def test_a_soft_reset_keeps_staged_what_it_is_meant_to_keep(history, root):
    save(history, a="a")
    late = save(history, a="a2")
    git(root, "reset", "-q", "--soft", "HEAD~1")

    assert history.align(since=late) is True
    assert status(root) == "M  active/a.md\n"


def test_a_lock_held_by_another_git_delays_the_index_and_not_the_commit(history, root):
    save(history, a="a")
    lock = root / ".git/index.lock"
    lock.write_bytes(b"")
    threading.Timer(0.2, lock.unlink).start()
    save(history, a="a2")
    assert status(root) == ""

    lock.write_bytes(b"")
    id = commit(history, a="a3")
    started = time.monotonic()
    assert history.align() is False
    assert 0.9 < time.monotonic() - started < 3
    assert history.head() == id
    os.utime(lock, (time.time() - 900,) * 2)
    started = time.monotonic()
    assert history.align() is False
    assert time.monotonic() - started < 0.5
    assert any("lock" in problem.message and str(lock) in problem.remedy for problem in history.check())
    lock.unlink()
    assert History(root).align() is True
    assert status(root) == ""


def test_a_lock_that_a_killed_strata_left_is_taken_away(history, root):
    save(history, a="a")
    lock = root / ".git/index.lock"
    lock.write_bytes(b"strata\n")
    os.utime(lock, (time.time() - 10,) * 2)
    save(history, a="a2")

    assert not lock.exists()
    assert status(root) == ""


def test_what_another_git_staged_between_two_writes_is_kept(history, root):
    save(history, a="a")
    for number in range(10):
        write(root, f"mine{number}.md", "mine")
        git(root, "add", f"mine{number}.md")
        save(history, a=f"a{number}")

    assert len(status(root).splitlines()) == 10
    assert all(line.startswith("A  mine") for line in status(root).splitlines())


def test_adds_by_git_while_strata_writes_are_never_lost(history, root):
    save(history, a="a")
    for number in range(15):
        write(root, f"mine{number}.md", "mine")

    def stage() -> None:
        for number in range(15):
            while subprocess.run(["git", "-C", root, "add", f"mine{number}.md"], capture_output=True, check=False).returncode:
                pass

    person = threading.Thread(target=stage)
    person.start()
    number = 0
    while person.is_alive():
        save(history, a=f"a{number}")
        number += 1
    person.join()

    assert number > 1
    assert len([line for line in status(root).splitlines() if line.startswith("A  mine")]) == 15


def test_aligning_what_is_true_writes_nothing(history, root):
    save(history, a="a")
    status(root)  # git notes the file times
    before = (root / ".git/index").stat()
    history.align()
    history.align(["active/a.md"])
    History(root).align(since=history.head())

    assert (root / ".git/index").stat().st_mtime_ns == before.st_mtime_ns
    assert (root / ".git/index").stat().st_ino == before.st_ino


# -- forms of the index ----------------------------------------------------------------------


def test_a_lost_index_is_made_anew(history, root):
    save(history, a="a", b="b")
    os.chmod(root / "active/a.md", 0o755)
    (root / "active/link").symlink_to("a.md")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "modes")
    (root / ".git/index").unlink()

    assert History(root).align() is True
    assert status(root) == ""
    (root / ".git/index").unlink()
    save(history, c="c")
    assert status(root) == ""


@pytest.mark.parametrize("damage", [lambda data: b"DIRC", lambda data: data[:60], lambda data: b"x" * 400, lambda data: data[:-1] + b"?"])
def test_a_damaged_index_stops_no_commit_and_is_made_anew(history, root, damage):
    save(history, a="a", b="b")
    damaged = damage((root / ".git/index").read_bytes())
    (root / ".git/index").write_bytes(damaged)
    fresh = History(root)
    save(fresh, a="a2")

    assert status(root) == ""
    assert fresh.check() == []
    assert (root / ".git/index.damaged").read_bytes() == damaged


FORMS = {
    "version 4": [["update-index", "--index-version", "4"]],
    "split": [["update-index", "--split-index"]],
    "untracked cache": [["update-index", "--untracked-cache"], ["status"]],
    "sparse": [["sparse-checkout", "set", "--cone", "--sparse-index", "active"]],
    "no checksum": [["config", "index.skipHash", "true"], ["update-index", "--force-write-index"]],
    "offsets for threads": [["config", "index.threads", "2"], ["config", "index.recordEndOfIndexEntries", "true"],
                            ["config", "index.recordOffsetTable", "true"], ["update-index", "--force-write-index"]],
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_index_that_git_writes_is_kept_true(history, root, form):
    edits = [Put(f"cooled/{n}.md", b"x") for n in range(3)] + [Put("active/gone.md", b"x")]
    for edit in edits:
        write(root, edit.path, "x")
    history.commit(edits, author=AGENT, subject="x", at=NOON)
    history.align()
    for command in FORMS[form]:
        git(root, *command)
    write(root, "active/mine.md", "mine")
    git(root, "add", "active/mine.md")
    fresh = History(root)
    save(fresh, a="a", b="b")
    (root / "active/gone.md").unlink()
    fresh.commit([Drop("active/gone.md"), Put("active/a.md", b"a2")], author=AGENT, subject="x", at=NOON)
    write(root, "active/a.md", "a2")
    assert History(root).align() is True

    assert status(root) == "A  active/mine.md\n"
    git(root, "fsck", "--strict", "--no-dangling", *(["HEAD"] if form == "sparse" else []))
    assert all(problem.severity == "note" for problem in History(root).check())


def test_the_git_program_runs_without_hooks_and_without_the_callers_variables(history, root, tmp_path, monkeypatch):
    save(history, a="a")
    git(root, "update-index", "--index-version", "4")
    hook = root / ".git/hooks/post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n", "utf-8")
    hook.chmod(0o755)
    with monkeypatch.context() as calling:
        calling.setenv("GIT_INDEX_FILE", str(tmp_path / "their index"))
        calling.setenv("GIT_DIR", str(tmp_path / "nowhere"))
        save(History(root), a="a2")

    assert not (tmp_path / "their index").exists()
    assert not (tmp_path / "ran").exists()
    hook.unlink()
    assert status(root) == ""


def test_without_a_git_program_an_index_of_its_own_form_is_left_behind_and_healed_later(history, root, monkeypatch):
    save(history, a="a")
    git(root, "update-index", "--index-version", "4")
    with monkeypatch.context() as without:
        without.setenv("PATH", "")
        fresh = History(root)
        commit(fresh, a="a2")
        assert fresh.align() is False
        assert [problem.severity for problem in fresh.check()] == ["warning"]

    assert History(root).align() is True
    assert status(root) == ""


def test_the_ids_git_keeps_of_staged_directories_stay_right(history, root):
    names = ["active/2026/01", "active/2026/02", "cooled/x", "cooled"]
    edits = [Put(f"{name}/{n}.md", name.encode()) for name in names for n in range(3)]
    for edit in edits:
        write(root, edit.path, edit.data.decode())
    history.commit(edits, author=AGENT, subject="x", at=NOON)
    history.align()
    git(root, "read-tree", "HEAD")  # writes the TREE extension in full
    stale, kept = (bytes.fromhex(git(root, "rev-parse", f"HEAD:{name}").strip()) for name in ("active/2026/02", "active/2026/01"))
    assert stale in (root / ".git/index").read_bytes()
    write(root, "active/2026/02/3.md", "new")
    history.commit([Put("active/2026/02/3.md", b"new")], author=AGENT, subject="x", at=NOON)
    history.align()

    data = (root / ".git/index").read_bytes()
    assert kept in data
    assert stale not in data
    assert git(root, "write-tree") == git(root, "rev-parse", "HEAD^{tree}")
    git(root, "fsck", "--cache", "--strict")
    assert status(root) == ""


# -- the file itself -------------------------------------------------------------------------

name = st.text("ab.-é", min_size=1, max_size=3).filter(lambda text: text not in (".", "..")).map(lambda text: text + "!")
path = st.lists(name, min_size=1, max_size=3).map("/".join) | st.integers(4080, 4200).map(lambda size: "x" * size)
batch = st.dictionaries(path.map(str.encode), st.none() | st.sampled_from([0o100644, 0o100755]).map(lambda mode: (mode, BLOB)), max_size=90)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(batch, min_size=1, max_size=4))
def test_git_reads_back_whatever_was_staged(batches, tmp_path_factory):
    root = tmp_path_factory.mktemp("index")
    pygit2.init_repository(str(root)).create_blob(b"")
    index, model = GitIndex(root / ".git/index"), {}
    for batch in batches:
        changes = _without_collisions(batch, model)
        for path, staged in changes.items():
            model[path] = staged
        model = {path: staged for path, staged in model.items() if staged is not None}
        with index.locked(1):
            index.read()
            index.update(changes)
            index.write()

    output = subprocess.run(["git", "-C", root, "ls-files", "--stage", "-z"], capture_output=True, check=True).stdout
    expected = [b"%o %s 0\t%s" % (mode, BLOB.hex().encode(), path) for path, (mode, _) in sorted(model.items())]
    assert output.split(b"\0")[:-1] == expected
    assert not (root / ".git/index.lock").exists()
    again = GitIndex(root / ".git/index")
    assert again.read() is True
    assert {path: again.get(path) for path in model} == model
    assert again.get(b"absent") is None


def _without_collisions(batch: dict, model: dict) -> dict:
    """The changes of `batch` that put no file where another needs a directory."""
    kept: dict = {}
    for path, staged in batch.items():
        taken = {*model, *kept}
        if not any(other.startswith(path + b"/") or path.startswith(other + b"/") for other in taken):
            kept[path] = staged
    return kept


def test_a_damaged_file_counts_as_none(tmp_path):
    for body in (b"", b"DIRC", b"DIRC" + bytes(40), b"DIRC\0\0\0\x02\0\0\0\x09", b"DIRC\0\0\0\x02\0\0\0\x01" + bytes(80), b"x" * 100):
        for checksum in (b"", bytes(20), hashlib.sha1(body).digest()):
            (tmp_path / "index").write_bytes(body + checksum)
            assert GitIndex(tmp_path / "index").read() is False


def test_what_is_not_handled_here_is_unreadable(tmp_path):
    for body in (b"DIRC\0\0\0\x04\0\0\0\0", b"DIRC\0\0\0\x02\0\0\0\0link\0\0\0\0", b"DIRC\0\0\0\x02\0\0\0\0sdir\0\0\0\0"):
        (tmp_path / "index").write_bytes(body + hashlib.sha1(body).digest())
        with pytest.raises(Unreadable):
            GitIndex(tmp_path / "index").read()


def test_a_lock_is_given_back_after_an_error_and_never_shared_with_another_program(tmp_path):
    index = GitIndex(tmp_path / "index")
    with pytest.raises(ZeroDivisionError), index.locked(0):
        raise ZeroDivisionError
    assert not index.lock_path.exists()
    index.lock_path.write_bytes(b"DIRC")

    with pytest.raises(Busy), index.locked(0.05):
        raise AssertionError("two held it")
    assert index.lock_path.read_bytes() == b"DIRC"


VICTIM = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from strata.history import History
from strata.model import AGENT, Put
history, number = History(sys.argv[1]), int(sys.argv[2])
print("ready", flush=True)
while True:
    path, data = f"active/{number % 7}.md", b"%d" % number
    (Path(sys.argv[1]) / path).write_bytes(data)
    history.commit([Put(path, data)], author=AGENT, subject="x", at=datetime.now(UTC))
    history.align()
    number += 1
"""


def test_whenever_a_writer_is_killed_the_next_one_finds_a_sound_repository(history, root):
    save(history, a="a")
    for turn in range(8):
        command = [sys.executable, "-c", VICTIM, root, str(turn * 1000)]
        victim = subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE)
        victim.stdout.readline()
        time.sleep(0.02 + 0.013 * turn)
        victim.kill()
        victim.wait()
        victim.stdout.close()
        found = {path: (root / path).read_bytes() for path in (f"active/{number}.md" for number in range(7)) if (root / path).exists()}
        after = History(root)
        after.commit([Put(path, data) for path, data in found.items()], author=AGENT, subject="adopt", at=NOON)
        while not after.align():
            time.sleep(0.2)
        assert status(root) == ""

    git(root, "fsck", "--strict")
    assert git(root, "rev-list", "--merges", "HEAD") == ""
