"""The working tree: atomic, contained, never overwriting by accident."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from strata import survey
from strata.errors import AlreadyExists, Conflict, Locked, NotFound, OutsideMemory
from strata.files import Files, blob_id
from strata.files.durable import write_durably
from strata.model import Drop, Put, Rename

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions or links")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def names(root: Path) -> list[str]:
    return sorted(place.relative_to(root).as_posix() for place in root.rglob("*") if place.is_file())


def test_blob_ids_are_those_of_git(tmp_path: Path) -> None:
    data = b"l1\r\nl2\r\n\x00\xff"
    (tmp_path / "x").write_bytes(data)
    done = subprocess.run(["git", "hash-object", "--no-filters", "x"], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == blob_id(data)


def test_edits_are_applied_and_leave_nothing_else(files: Files) -> None:
    files.apply([Put("active/a.md", b"one", ""), Put("active/b.md", b"two", "")])
    files.apply([Put("active/a.md", b"1", blob_id(b"one")), Rename("active/b.md", "cooled/deep/er/b.md"), Put("active/c.md", b"3", "")])
    files.apply([Drop("active/c.md"), Drop("active/never-there.md")])

    assert names(files.root) == ["active/a.md", "cooled/deep/er/b.md"]
    assert files.read("active/a.md") == b"1"


def test_a_new_file_never_replaces_one(files: Files) -> None:
    files.apply([Put("active/a.md", b"theirs", "")])
    with pytest.raises(AlreadyExists):
        files.apply([Put("active/a.md", b"ours", "")])

    assert files.read("active/a.md") == b"theirs"
    assert names(files.root) == ["active/a.md"]


def test_a_write_names_what_it_read(files: Files) -> None:
    files.apply([Put("active/a.md", b"one", "")])
    (files.root / "active/a.md").write_bytes(b"edited")
    with pytest.raises(Conflict):
        files.apply([Put("active/a.md", b"two", blob_id(b"one"))])

    assert files.read("active/a.md") == b"edited"


def test_a_move_never_overwrites(files: Files) -> None:
    files.apply([Put("active/a.md", b"one", ""), Put("cooled/a.md", b"other", "")])
    with pytest.raises(AlreadyExists):
        files.apply([Rename("active/a.md", "cooled/a.md")])

    assert (files.read("active/a.md"), files.read("cooled/a.md")) == (b"one", b"other")


@posix
def test_permissions_of_a_replaced_file_are_kept(files: Files) -> None:
    files.apply([Put("active/a.md", b"one", "")])
    os.chmod(files.root / "active/a.md", 0o640)
    files.apply([Put("active/a.md", b"two", None)])

    assert (files.root / "active/a.md").stat().st_mode & 0o777 == 0o640


@posix
def test_links_are_neither_read_nor_written_through(files: Files, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_text("secret")
    (files.root / "active").mkdir()
    (files.root / "active/file.md").symlink_to(outside / "secret.md")
    (files.root / "active/home").symlink_to(outside)
    (files.root / "archive").symlink_to(outside)

    for path in ("active/file.md", "active/home/secret.md", "archive/secret.md"):
        with pytest.raises(OutsideMemory):
            files.read(path)
        with pytest.raises(OutsideMemory):
            files.apply([Put(path, b"x", None)])
    with pytest.raises(OutsideMemory):
        files.apply([Put("active/home/new.md", b"x", "")])
    assert [place.name for place in outside.iterdir()] == ["secret.md"]
    assert (outside / "secret.md").read_text() == "secret"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "a//b", "", "."])
def test_no_path_leaves_the_memory(files: Files, path: str) -> None:
    with pytest.raises(OutsideMemory):
        files.apply([Put(path, b"x", None)])


@posix
def test_what_is_no_regular_file_is_not_read(files: Files) -> None:
    (files.root / "active").mkdir()
    os.mkfifo(files.root / "active/pipe.md")
    with pytest.raises(NotFound):
        files.read("active/pipe.md")
    with pytest.raises(NotFound):
        files.read("active")


def test_a_name_in_other_letters_is_found(files: Files) -> None:
    files.apply([Put("active/notes/Pump Plan.md", b"x", "")])

    assert files.twin("active/notes/pump plan.md") == "active/notes/Pump Plan.md"
    assert files.twin("active/notes/pump.md") == ""


def test_the_lock_is_between_processes_and_ends_with_its_holder(files: Files) -> None:
    code = (
        "import sys, time; from pathlib import Path; from strata.files import Files\n"
        "with Files(Path(sys.argv[1])).lock():\n    print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(files.root)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(Locked), files.lock(timeout=0.2):
            pass
    finally:
        holder.kill()
        holder.communicate()
    with files.lock(timeout=5):
        held = True

    assert held


def test_what_was_being_written_is_known_until_it_is_done(files: Files) -> None:
    files.intend([Put("active/a.md", b"one", ""), Rename("active/b.md", "cooled/b.md"), Drop("active/c.md")], {"author": ["a", "b"], "subject": "x", "trailers": []})

    assert files.unfinished()
    assert files.intent() == {"edits": [["put", "active/a.md", blob_id(b"one")], ["rename", "active/b.md", "cooled/b.md"], ["drop", "active/c.md"]], "commit": {"author": ["a", "b"], "subject": "x", "trailers": []}}
    files.done()
    assert not files.unfinished() and files.intent() is None


@posix
def test_bytes_are_on_disk_before_they_have_a_name(tmp_path: Path) -> None:
    """The order fsync(file), link or rename, fsync(folder), as the kernel sees it."""
    calls: list[str] = []
    real = {name: getattr(os, name) for name in ("fsync", "replace", "link")}

    def spy(name: str):  # type: ignore[no-untyped-def]
        def call(*arguments: object, **named: object) -> object:
            calls.append(name)
            return real[name](*arguments, **named)

        return call

    for name in real:
        setattr(os, name, spy(name))
    try:
        Files(tmp_path).apply([Put("a.md", b"x", "")])
        Files(tmp_path).apply([Put("a.md", b"y", None)])
    finally:
        for name, function in real.items():
            setattr(os, name, function)

    assert calls == ["fsync", "link", "fsync", "fsync", "replace", "fsync"]


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    place = tmp_path / "a.md"
    place.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_durably(place, "text, not bytes")  # type: ignore[arg-type]

    assert (place.read_bytes(), names(tmp_path)) == (b"old", ["a.md"])


# -- the survey --------------------------------------------------------------------------------


def settle(root: Path) -> tuple[int, dict[str, tuple[int, int]]]:
    """A look that everything now on disk is older than."""
    (root / ".strata").mkdir(exist_ok=True)
    time.sleep(0.08)
    now = survey.clock(root)
    return now - survey.slack(now), survey.survey(root, 0, {}).folders


def test_a_quiet_tree_is_quiet(files: Files) -> None:
    files.apply([Put("active/notes/a.md", b"one", ""), Put("archive/notes/b.md", b"two", "")])
    since, folders = settle(files.root)
    seen = survey.survey(files.root, since, folders)

    assert seen.touched == {}
    assert seen.listing == {}
    assert seen.folders == folders


def test_edits_of_every_sort_are_seen(files: Files) -> None:
    files.apply([Put(f"active/notes/{name}.md", b"same size", "") for name in "abcdef"])
    since, folders = settle(files.root)
    active = files.root / "active/notes"
    old = (active / "a.md").stat()
    with (active / "a.md").open("r+b") as stream:  # in place, same size, and the time put back
        stream.write(b"SAME SIZE")
    os.utime(active / "a.md", ns=(old.st_atime_ns, old.st_mtime_ns))
    (active / "b.md").unlink()
    (active / "c.md").rename(active / "c2.md")
    (active / "new.md").write_bytes(b"x")
    os.replace(active / "e.md", active / "d.md")
    seen = survey.survey(files.root, since, folders)

    assert {"active/notes/a.md", "active/notes/c2.md", "active/notes/new.md", "active/notes/d.md"} <= set(seen.touched)
    assert seen.listing["active/notes"] == {"a.md", "c2.md", "d.md", "f.md", "new.md"}


def test_a_folder_that_went_is_named(files: Files) -> None:
    files.apply([Put("cooled/notes/x/a.md", b"one", "")])
    since, folders = settle(files.root)
    (files.root / "cooled/notes/x/a.md").unlink()
    (files.root / "cooled/notes/x").rmdir()
    seen = survey.survey(files.root, since, folders)

    assert seen.gone == {"cooled/notes/x"}


def test_foreign_repositories_and_hidden_folders_are_passed_over(files: Files) -> None:
    files.apply([Put("active/proj/n.md", b"x", ""), Put("active/proj/.git/HEAD", b"x", ""), Put("active/.trash/b.md", b"x", ""), Put("active/ok.md", b"x", "")])
    seen = survey.survey(files.root, 0, {})

    assert set(seen.touched) == {"active/ok.md"}
    assert [path for path, _ in seen.skipped] == ["active/proj"]


@posix
def test_link_loops_end(files: Files) -> None:
    files.apply([Put("active/ok.md", b"x", "")])
    (files.root / "active/loop").symlink_to(files.root / "active")
    (files.root / "active/self").symlink_to("self")
    seen = survey.survey(files.root, 0, {})

    assert set(seen.touched) == {"active/ok.md"}
    assert sorted(path for path, _ in seen.skipped) == ["active/loop", "active/self"]
