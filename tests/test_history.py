"""Commits, reading and refusing, on real repositories and checked by the real git program."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pygit2.enums import ConfigLevel

from strata.errors import (
    AlreadyExists,
    Ambiguous,
    Conflict,
    Locked,
    Malformed,
    NotAMemory,
    NotFound,
    OutsideMemory,
    Refused,
    StrataError,
    UsageError,
)
from strata.head import head
from strata.history import COMMITTER, History
from strata.model import AGENT, HUMAN, JANITOR, Author, Drop, Put, Rename

NOON = datetime(2026, 5, 20, 12, 0, tzinfo=UTC)
EMPTY_CONFIG = "[user]\n\tname = Robin Vale\n\temail = robin@vale.invalid\n[core]\n\tfsync = none\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home directory of its own, for git and for libgit2, which reads HOME only once per process."""
    place = tmp_path / "home"
    place.mkdir()
    (place / ".gitconfig").write_text(EMPTY_CONFIG, "utf-8")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    levels = (ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL)
    paths = pygit2.settings.search_path
    before = [paths[level] for level in levels]
    for level, path in zip(levels, ("", place / "xdg" / "git", place), strict=True):
        paths[level] = str(path)
    pygit2.settings.enable_fsync_gitdir(False)  # half the time of these tests, and no outcome that they could see
    yield place
    pygit2.settings.enable_fsync_gitdir(True)
    for level, path in zip(levels, before, strict=True):
        paths[level] = path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def history(root: Path) -> History:
    return History.create(root)


def git(root: Path, *arguments: str, check: bool = True, stdin: str | None = None) -> str:
    result = subprocess.run(
        ["git", "-C", root, *arguments], input=stdin, capture_output=True, encoding="utf-8", errors="surrogateescape", check=False
    )
    assert result.returncode == 0 or not check, result.stderr
    return result.stdout


def config(home: Path, text: str) -> None:
    with open(home / ".gitconfig", "a", encoding="utf-8") as file:
        file.write(text)


def save(history: History, edits: list, subject: str = "change", *, author: Author = AGENT, at: datetime = NOON, **more) -> str | None:
    """Carry `edits` out in the working tree as well as in git, as the one write path does."""
    for edit in sorted(edits, key=lambda edit: not isinstance(edit, Drop)):
        match edit:
            case Put(path, data):
                if (history.root / path).is_dir():
                    (history.root / path).rmdir()
                (history.root / path).parent.mkdir(parents=True, exist_ok=True)
                (history.root / path).write_bytes(data)
            case Rename(source, target):
                (history.root / target).parent.mkdir(parents=True, exist_ok=True)
                (history.root / source).rename(history.root / target)
            case Drop(path):
                (history.root / path).unlink(missing_ok=True)
    commit = history.commit(edits, author=author, subject=subject, at=at, **more)
    history.align()
    return commit


def assert_sound(root: Path, status: str = "") -> None:
    """`git status` says `status`, `git fsck` nothing."""
    assert git(root, "status", "--porcelain") == status
    fsck = subprocess.run(["git", "-C", root, "fsck", "--strict", "--no-dangling"], capture_output=True, text=True, check=False)
    assert (fsck.returncode, fsck.stdout + fsck.stderr.replace("notice: HEAD points to an unborn branch (main)\n", "")) == (0, "")


# -- making and opening ----------------------------------------------------------------------


def test_a_new_repository_owes_nothing_to_the_persons_configuration(home, root):
    template = home / "template"
    (template / "hooks").mkdir(parents=True)
    (template / "hooks" / "pre-commit").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    config(home, f"[init]\n\tdefaultBranch = trunk\n\ttemplateDir = {template}\n\tdefaultObjectFormat = sha256\n")
    history = History.create(root)
    save(history, [Put("a.md", b"a")])

    assert git(root, "branch", "--show-current") == "main\n"
    assert not (root / ".git/hooks/pre-commit").exists()
    assert git(root, "rev-parse", "--show-object-format") == "sha1\n"
    assert_sound(root)


def test_creating_twice_keeps_what_is_there(history, root):
    commit = save(history, [Put("a.md", b"a")])

    assert History.create(root).head() == commit


def test_a_new_repository_has_no_head_and_lists_nothing(history):
    assert history.head() is None
    assert history.listing("active") == {}
    assert list(history.walk()) == []
    assert history.log() == []
    assert history.blob_id("a.md") is None
    assert history.align() is True


def test_a_repository_around_the_memory_is_never_used(tmp_path):
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "outer")
    outer = git(tmp_path, "rev-parse", "HEAD")
    inner = tmp_path / "inner"
    inner.mkdir()

    with pytest.raises(NotAMemory, match="no git repository"):
        History(inner)
    (inner / ".git").mkdir()
    with pytest.raises(NotAMemory, match="no complete git repository"):
        History(inner)
    (inner / ".git").rmdir()
    save(History.create(inner), [Put("a.md", b"a")])
    assert git(tmp_path, "rev-parse", "HEAD") == outer
    assert git(tmp_path, "ls-files") == ""


def test_variables_of_a_calling_git_are_ignored(tmp_path, root, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_INDEX_FILE": other / ".git/index",
        "GIT_OBJECT_DIRECTORY": other / ".git/objects",
        "GIT_AUTHOR_NAME": "Nobody",
        "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
        "GIT_CEILING_DIRECTORIES": "/",
    }.items():
        monkeypatch.setenv(name, str(value))
    history = History.create(root)
    save(history, [Put("a.md", b"a")])
    history.maintain()
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)

    assert git(root, "log", "--format=%an %cn %at") == f"{AGENT.name} {COMMITTER.name} {int(NOON.timestamp())}\n"
    assert [path.name for path in (other / ".git/objects").iterdir() if len(path.name) == 2] == []
    assert not (other / ".git/index").exists()
    assert_sound(root)


@pytest.mark.parametrize(
    ("arguments", "settings", "words"),
    [
        (["--object-format=sha256"], {}, "sha256"),
        ([], {"core.repositoryformatversion": "1", "extensions.refstorage": "reftable"}, "extension refstorage"),
        ([], {"core.repositoryformatversion": "1", "extensions.zork": "1"}, "extension zork"),
        ([], {"core.repositoryformatversion": "7"}, "format version 7"),
        ([], {"core.bare": "true"}, "bare"),
    ],
)
def test_a_repository_that_cannot_be_written_is_refused_in_one_sentence(root, arguments, settings, words):
    root.mkdir()
    git(root, "init", "-q", *arguments)
    for name, value in settings.items():
        git(root, "config", name, value)

    with pytest.raises(Refused, match=words) as caught:
        History(root)
    assert caught.value.remedy
    assert "\n" not in str(caught.value)


def test_a_missing_or_hollow_repository_is_no_memory(root):
    with pytest.raises(NotAMemory):
        History(root)
    (root / ".git").mkdir(parents=True)
    with pytest.raises(NotAMemory, match="complete"):
        History(root)
    with pytest.raises(NotAMemory):
        History.create(root)


def test_a_broken_configuration_names_its_file_and_line(history, root, home):
    config(home, "[broken\n")

    with pytest.raises(Malformed) as caught:
        History(root)
    assert caught.value.path == str(home / ".gitconfig")
    assert caught.value.line


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give a directory away")
def test_a_memory_of_another_user_is_refused_until_it_is_trusted(history, root, home):
    os.chown(root, 12345, 12345)
    os.chown(root / ".git", 12345, 12345)

    with pytest.raises(Refused, match="another user") as caught:
        History(root)
    command = caught.value.remedy.partition(": ")[2]
    assert command == f"git config --global --add safe.directory {root}"
    subprocess.run(command.split(), check=True)
    assert History(root).head() is None


# -- committing ------------------------------------------------------------------------------


def test_a_commit_holds_exactly_the_edits_and_says_who_when_and_why(history, root):
    save(history, [Put("active/a.md", b"a\r\n"), Put("active/b.md", b"b")])
    commit = save(
        history,
        [Put("active/a.md", b"a2\r\n"), Rename("active/b.md", "cooled/b.md")],
        "Move b",
        author=JANITOR,
        trailers=[("Strata-Op", "migrate"), ("Strata-Reason", "idle for 30 days")],
    )

    assert git(root, "log", "-1", "--format=%H|%an|%ae|%cn|%aI|%cI|%s") == (
        f"{commit}|{JANITOR.name}|{JANITOR.email}|{COMMITTER.name}|2026-05-20T12:00:00+00:00|2026-05-20T12:00:00+00:00|Move b\n"
    )
    assert git(root, "log", "-1", "--format=%(trailers)") == "Strata-Op: migrate\nStrata-Reason: idle for 30 days\n\n"
    assert git(root, "ls-tree", "-r", "--name-only", "HEAD") == "active/a.md\ncooled/b.md\n"
    assert history.read("active/a.md") == b"a2\r\n"
    assert history.read("active/a.md", "HEAD~1") == b"a\r\n"
    assert_sound(root)


def test_an_unchanged_tree_makes_no_commit(history, root):
    commit = save(history, [Put("a.md", b"a")])

    assert save(history, [Put("a.md", b"a")]) is None
    assert save(history, [Drop("absent.md")]) is None
    assert save(history, []) is None
    assert history.head() == commit
    assert History.create(root.with_name("empty")).commit([], author=AGENT, subject="x", at=NOON) is None


def test_empty_directories_vanish_and_the_last_file_leaves_an_empty_tree(history, root):
    save(history, [Put("active/2026/05/a.md", b"a"), Put("b.md", b"b")])
    save(history, [Drop("active/2026/05/a.md")])

    assert git(root, "ls-tree", "HEAD").split("\t")[1:] == ["b.md\n"]
    save(history, [Drop("b.md")])
    assert list(history.walk()) == []
    assert_sound(root)


def test_puts_come_before_renames_before_drops(history, root):
    save(history, [Put("a.md", b"1"), Put("c.md", b"c")])
    save(history, [Drop("c.md"), Rename("a.md", "b.md"), Put("a.md", b"2")])

    assert dict(history.walk()).keys() == {"b.md"}
    assert history.read("b.md") == b"2"


@pytest.mark.parametrize(
    ("edits", "error"),
    [
        ([Put("new.md", b"x"), Rename("absent.md", "b.md")], NotFound),
        ([Put("new.md", b"x"), Rename("a.md", "d/e.md")], AlreadyExists),
        ([Put("new.md", b"x"), Put("d", b"x")], Conflict),
        ([Put("new.md", b"x"), Put("a.md/b.md", b"x")], Conflict),
        ([Put("../b.md", b"x")], OutsideMemory),
        ([Put("/etc/b.md", b"x")], OutsideMemory),
        ([Put("a//b.md", b"x")], OutsideMemory),
        ([Put("d/.GIT/hooks/pre-commit", b"x")], OutsideMemory),
        ([Put("a\0.md", b"x")], OutsideMemory),
        ([Put("\ud800.md", b"x")], OutsideMemory),
        ([Put("", b"x")], OutsideMemory),
    ],
)
def test_an_impossible_edit_is_refused_and_nothing_committed(history, edits, error):
    commit = save(history, [Put("a.md", b"a"), Put("d/e.md", b"e")])

    with pytest.raises(error):
        history.commit(edits, author=AGENT, subject="x", at=NOON)
    assert history.head() == commit
    assert history.blob_id("new.md") is None


def test_a_time_without_a_zone_is_refused_and_others_are_stored_in_utc(history, root):
    with pytest.raises(UsageError):
        history.commit([Put("a.md", b"a")], author=AGENT, subject="x", at=datetime(2026, 5, 20))
    save(history, [Put("a.md", b"a")], at=NOON.astimezone(timezone(timedelta(hours=9))))
    save(history, [Put("a.md", b"b")], at=datetime(1931, 1, 1, tzinfo=UTC))

    assert git(root, "log", "--format=%aI") == "1970-01-01T00:00:00+00:00\n2026-05-20T12:00:00+00:00\n"
    assert [commit.at for commit in history.log()] == ["1970-01-01T00:00:00Z", "2026-05-20T12:00:00Z"]


@pytest.mark.parametrize(
    ("subject", "stored"),
    [
        ("plain", "plain"),
        ("two\nlines\tand \x1b[31mcolour", "two lines and [31mcolour"),
        ("", "(no subject)"),
        ("x" * 150, "x" * 99 + "…"),
        ("lone \ud800 surrogate, 中文 🙂", "lone surrogate, 中文 🙂"),
        ("# not a comment", "# not a comment"),
    ],
)
def test_a_subject_is_one_short_line(history, root, subject, stored):
    save(history, [Put("a.md", b"a")], subject, trailers=[("Strata-Op", "add")])

    assert git(root, "log", "-1", "--format=%s|%(trailers:key=Strata-Op,valueonly)") == f"{stored}|add\n\n"
    assert history.log()[0].subject == stored


def test_git_and_strata_read_the_same_trailers(history, root):
    trailers = [("Strata-Reason", "first\n\nsecond: x"), ("Strata-Path", "notes/ü: a.md"), ("Strata-Empty", ""), ("Strata-Path", "b")]
    save(history, [Put("a.md", b"a")], trailers=trailers)

    expected = (("Strata-Reason", "first second: x"), ("Strata-Path", "notes/ü: a.md"), ("Strata-Empty", ""), ("Strata-Path", "b"))
    assert history.log()[0].trailers == expected
    message = git(root, "log", "-1", "--format=%B")
    parsed = git(root, "interpret-trailers", "--parse", stdin=message).splitlines()
    assert tuple(tuple(part.strip() for part in line.split(":", 1)) for line in parsed) == expected
    with pytest.raises(UsageError):
        save(history, [Put("a.md", b"b")], trailers=[("bad key", "x")])


@pytest.mark.parametrize(
    ("name", "email", "stored"),
    [
        ("Åse <x> Ole\nsen", "a@b c", "Åse x Ole sen <a@bc>"),
        ("", "", f"{HUMAN.name} <{HUMAN.email}>"),
        ("...", "<>", f"{HUMAN.name} <{HUMAN.email}>"),
        ("\ud800", "a@b", f"{HUMAN.name} <a@b>"),
    ],
)
def test_any_author_is_made_acceptable_to_git(history, root, name, email, stored):
    save(history, [Put("a.md", b"a")], author=Author(name, email))

    assert git(root, "log", "-1", "--format=%an <%ae>") == stored + "\n"
    assert_sound(root)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Author("Robin Vale", "robin@vale.invalid")),
        ("[user]\n\tname = \n\temail = \"<>\"\n", HUMAN),
        ("[user]\n\tname = \"J. <Ö> Doe\"\n", Author("J. Ö Doe", "robin@vale.invalid")),
    ],
)
def test_the_person_is_who_git_says_they_are(home, root, text, expected):
    config(home, text)

    assert History.create(root).person() == expected


def test_the_person_is_unnamed_where_git_knows_no_name_and_the_repository_decides_first(home, root):
    (home / ".gitconfig").write_text("", "utf-8")
    history = History.create(root)
    assert history.person() == HUMAN
    git(root, "config", "user.name", "Local")

    assert History(root).person() == Author("Local", HUMAN.email)


def test_hooks_and_signing_have_no_part_in_a_commit(history, root, home):
    config(home, "[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = /bin/false\n[core]\n\thooksPath = " + str(root / ".git/hooks") + "\n")
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change", "pre-auto-gc"):
        hook = root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch '{root}/{name}.ran'\nexit 1\n", "utf-8")
        hook.chmod(0o755)
    history = History(root)
    save(history, [Put("a.md", b"a")])
    history.maintain()

    assert list(root.glob("*.ran")) == []
    assert "gpgsig" not in git(root, "cat-file", "commit", "HEAD")


@pytest.mark.parametrize("attributes", ["", "* -text\n", "*.md text=auto\n", "*.md filter=upper\n"])
def test_bytes_in_history_are_the_bytes_on_disk_whatever_is_configured(root, home, attributes):
    config(home, "[core]\n\tautocrlf = true\n[filter \"upper\"]\n\tclean = tr a-z A-Z\n")
    history = History.create(root)
    data = b"l1\r\nl2\n\r\n\xff"
    save(history, [Put(".gitattributes", attributes.encode()), Put("a.md", data)])

    assert history.read("a.md") == data
    assert subprocess.run(["git", "-C", root, "cat-file", "blob", "HEAD:a.md"], capture_output=True, check=True).stdout == data
    if attributes in ("", "* -text\n"):
        assert_sound(root)
        save(history, [Put("unix.md", b"l1\nl2\n")])
        (root / "unix.md").unlink()
        git(root, "checkout", "--", "unix.md")
        assert (root / "unix.md").read_bytes() == b"l1\nl2\n"


def test_thousands_of_files_make_one_pack_that_git_accepts(history, root):
    edits = [Put(f"active/{n % 12:02}/{n}.md", b"%d\n" % n * (n % 40)) for n in range(1500)] + [Put("big.bin", os.urandom(300_000))]
    save(history, edits)

    assert len(list((root / ".git/objects/pack").glob("*.pack"))) == 1
    assert int(git(root, "count-objects").split()[0]) < 20
    assert history.read("active/11/1499.md") == b"1499\n" * 19
    git(root, "verify-pack", *map(str, (root / ".git/objects/pack").glob("*.idx")))
    assert_sound(root)


def test_a_rename_keeps_the_entry_without_reading_it(history, root):
    save(history, [Put("active/a.md", b"a")])
    os.chmod(root / "active/a.md", 0o755)
    git(root, "-c", "core.filemode=true", "commit", "-qam", "executable")
    blob = history.blob_id("active/a.md")
    for path in (root / ".git/objects" / blob[:2]).glob(blob[2:]):  # nobody may need the bytes
        path.rename(root.parent / "kept")
    save(history, [Rename("active/a.md", "archive/a.md")])
    (root.parent / "kept").rename(root / ".git/objects" / blob[:2] / blob[2:])

    assert git(root, "ls-tree", "HEAD", "archive/") == f"100755 blob {blob}\tarchive/a.md\n"
    assert_sound(root)


def test_an_executable_file_stays_one_when_it_is_written(history, root):
    save(history, [Put("run.sh", b"a")])
    os.chmod(root / "run.sh", 0o755)
    git(root, "-c", "core.filemode=true", "commit", "-qam", "executable")
    save(history, [Put("run.sh", b"b")])

    assert git(root, "ls-tree", "HEAD").startswith("100755")
    assert_sound(root)


def test_a_commit_takes_in_what_another_git_committed_meanwhile(history, root):
    save(history, [Put("a.md", b"a")])
    (root / "ext.md").write_text("ext", "utf-8")
    git(root, "add", "ext.md")
    git(root, "commit", "-qm", "theirs")
    save(history, [Put("b.md", b"b")])

    assert {path for path, _ in history.walk()} == {"a.md", "b.md", "ext.md"}
    assert_sound(root)


def test_a_branch_that_moves_while_a_commit_is_built_wins(history, root, monkeypatch):
    first = save(history, [Put("a.md", b"a")])
    there = History(root)
    theirs = there.commit([Put("b.md", b"b")], author=AGENT, subject="theirs", at=NOON)
    # The moment between reading HEAD and moving the branch, held still: this History read HEAD before.
    monkeypatch.setattr(history, "head", iter([first, theirs]).__next__)

    with pytest.raises(Conflict, match="moved"):
        history.commit([Put("c.md", b"c")], author=AGENT, subject="ours", at=NOON)
    assert head(root) == theirs


def test_a_branch_lock_of_a_killed_strata_is_taken_away_and_another_gits_is_not(history, root):
    save(history, [Put("a.md", b"a")])
    lock = root / ".git/refs/heads/main.lock"
    for content in (f"{history.head()}\n", ""):
        lock.write_text(content, "ascii")
        os.utime(lock, (time.time() - 5,) * 2)
        assert save(history, [Put("a.md", content.encode())])
        assert not lock.exists()
    git(root, "commit", "-q", "--allow-empty", "-m", "theirs")
    lock.write_text(f"{history.head()}\n", "ascii")
    os.utime(lock, (time.time() - 5,) * 2)

    with pytest.raises(Locked) as caught:
        history.commit([Put("a.md", b"b")], author=AGENT, subject="x", at=NOON)
    assert str(lock) in caught.value.remedy
    threading.Timer(0.2, lock.unlink).start()
    assert save(history, [Put("a.md", b"c")])


def test_a_disk_that_refuses_is_reported_and_nothing_committed(history, root):
    commit = save(history, [Put("a.md", b"a")])
    data = b"refused"
    (root / ".git/objects" / str(pygit2.hash(data))[:2]).write_bytes(b"a file where a directory must be")

    with pytest.raises(StrataError, match="could not write") as caught:
        history.commit([Put("b.md", data)], author=AGENT, subject="x", at=NOON)
    assert caught.value.exit_code == 1
    assert history.head() == commit


WRITER = """
import sys
from datetime import UTC, datetime
from strata.errors import Conflict
from strata.history import History
from strata.model import AGENT, Put
history, number, done = History(sys.argv[1]), sys.argv[2], 0
while done < 15:
    try:
        if history.commit([Put(f"w{number}/{done}.md", b"x")], author=AGENT, subject="w", at=datetime.now(UTC)):
            done += 1
    except Conflict:
        pass
"""


def test_writers_without_any_lock_lose_nothing(history, root):
    save(history, [Put("a.md", b"a")])
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, root, str(n)], cwd=Path(__file__).parents[1]) for n in range(4)]

    assert [writer.wait(60) for writer in writers] == [0] * 4
    assert len(list(history.walk())) == 61
    assert git(root, "rev-list", "--count", "HEAD") == "61\n"
    assert git(root, "rev-list", "--merges", "HEAD") == ""


# -- states in which nothing is written ------------------------------------------------------


def two_branches(history: History, root: Path) -> None:
    """main and side both changed a.md, so that bringing them together conflicts."""
    save(history, [Put("a.md", b"base\n")])
    git(root, "switch", "-qc", "side")
    save(history, [Put("a.md", b"side\n")])
    git(root, "switch", "-q", "main")
    save(history, [Put("a.md", b"main\n")])


@pytest.mark.parametrize(
    ("command", "operation", "abort"),
    [
        (["merge", "side"], "merge", "git merge --abort"),
        (["rebase", "side"], "rebase", "git rebase --abort"),
        (["rebase", "--apply", "side"], "rebase", "git rebase --abort"),
        (["cherry-pick", "side"], "cherry-pick", "git cherry-pick --abort"),
        (["revert", "HEAD~1"], "revert", "git revert --abort"),
        (["bisect", "start"], "bisect", "git bisect reset"),
    ],
)
def test_an_unfinished_operation_is_left_alone_until_it_is_finished(history, root, command, operation, abort):
    two_branches(history, root)
    git(root, *command, check=False)
    before = git(root, "status", "--porcelain"), head(root)

    with pytest.raises(Conflict, match=f"git {operation} is unfinished") as caught:
        history.commit([Put("b.md", b"b")], author=AGENT, subject="x", at=NOON)
    assert abort in caught.value.remedy
    assert [problem.severity for problem in history.check()] == ["warning"]
    history.align(["a.md"])
    assert (git(root, "status", "--porcelain"), head(root)) == before
    git(root, *abort.split()[1:])
    save(history, [Put("b.md", b"b")])
    assert history.check() == []
    assert_sound(root)


def test_a_detached_head_is_no_place_to_commit(history, root):
    save(history, [Put("a.md", b"a")])
    git(root, "switch", "-q", "--detach")

    with pytest.raises(Conflict, match="detached") as caught:
        history.commit([Put("b.md", b"b")], author=AGENT, subject="x", at=NOON)
    assert "git switch main" in caught.value.remedy


def test_a_file_that_a_stash_left_unmerged_stops_the_commit(history, root):
    save(history, [Put("a.md", b"base\n")])
    (root / "a.md").write_bytes(b"stashed\n")
    git(root, "stash")
    save(history, [Put("a.md", b"main\n")])
    git(root, "stash", "pop", check=False)

    with pytest.raises(Conflict, match="not merged") as caught:
        history.commit([Put("b.md", b"b")], author=AGENT, subject="x", at=NOON)
    assert caught.value.path == "a.md"
    assert git(root, "status", "--porcelain") == "UU a.md\n"


# -- what differs, and what a revision means -------------------------------------------------


def test_changed_names_the_paths_that_differ_and_no_others(history, root):
    first = save(history, [Put("active/a.md", b"a"), Put("active/b.md", b"b"), Put("x", b"x")])
    second = save(history, [Put("active/a.md", b"a2"), Rename("active/b.md", "cooled/b.md"), Drop("x"), Put("x/y.md", b"y")])

    third = save(history, [Drop("x/y.md"), Put("x", b"file again")])

    assert history.changed(first, second) == {"active/a.md", "active/b.md", "cooled/b.md", "x", "x/y.md"}
    assert history.changed(second, third) == {"x", "x/y.md"}
    assert history.changed(second, first) == history.changed(first, second)
    assert history.changed(second, second) == set()
    assert history.changed(None, first) == {"active/a.md", "active/b.md", "x"}
    assert history.changed(None, None) == set()
    with pytest.raises(NotFound):
        history.changed("0123456789" * 4, second)


def test_listing_and_walk_hold_regular_files_only(history, root):
    save(history, [Put("active/a.md", b"a"), Put("active/deep/b.md", b"b")])
    (root / "active/link.md").symlink_to("/etc/passwd")
    git(root, "init", "-q", "active/proj")
    git(root / "active/proj", "commit", "-q", "--allow-empty", "-m", "inner")
    git(root, "-c", "advice.addEmbeddedRepo=false", "add", "-A")
    git(root, "commit", "-qm", "link and nested repository")

    assert history.listing("active").keys() == {"a.md"}
    assert history.listing("active/deep") == {"b.md": history.blob_id("active/deep/b.md")}
    assert history.listing("absent") == history.listing("active/a.md") == {}
    assert [path for path, _ in history.walk()] == ["active/a.md", "active/deep/b.md"]
    assert [path for path, _ in history.walk(under="active/deep")] == ["active/deep/b.md"]
    assert history.blob_id("active/link.md") is None
    with pytest.raises(Refused, match="nested"):
        history.commit([Put("active/proj/n.md", b"n")], author=AGENT, subject="x", at=NOON)
    save(history, [Put("active/c.md", b"c")])
    assert_sound(root)


def test_an_uncommitted_nested_repository_is_no_obstacle(history, root):
    git(root.parent, "init", "-q", str(root / "active/proj"))
    (root / "active/proj/n.md").write_text("n", "utf-8")
    save(history, [Put("active/a.md", b"a")])

    assert {path for path, _ in history.walk()} == {"active/a.md"}
    assert_sound(root, "?? active/proj/\n")


HOSTILE = [b"new\nline.md", b'quo"te.md', b"tab\t.md", b"caf\xe9.md", b"a:b.md", b"CON.md", b"back\\slash.md", b"-rf.md", "é中🙂.md".encode()]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names of any bytes exist on Linux only")
def test_file_names_of_any_bytes_pass_unharmed(history, root):
    save(history, [Put("active/a.md", b"a")])
    before = history.head()
    for name in HOSTILE:
        with open(os.path.join(os.fsencode(root), b"active", name), "wb") as file:
            file.write(b"x")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "hostile")
    names = {name.decode("utf-8", "surrogateescape") for name in HOSTILE}

    assert history.changed(before, history.head()) == {f"active/{name}" for name in names}
    assert history.listing("active").keys() == names | {"a.md"}
    assert len(history.log()[0].paths) == len(HOSTILE)
    save(history, [Put(f"active/{name}", b"y") for name in names])
    save(history, [Rename(f"active/{name}", f"cooled/{name}") for name in names])
    assert history.log(limit=1)[0].paths[0][0] == "R"
    assert history.diff("HEAD~2", "HEAD")
    assert_sound(root)


def test_every_way_to_name_a_commit(history, root):
    ids = [save(history, [Put("a.md", b"%d" % day)], at=NOON + timedelta(days=day)) for day in range(4)]
    git(root, "tag", "v1", ids[1])
    git(root, "tag", "-a", "-m", "x", "2026", ids[0])
    git(root, "branch", "side", ids[2])

    expected = {
        "HEAD": 3, "HEAD~2": 1, ids[2]: 2, ids[2][:8]: 2, "main": 3, "side": 2, "v1": 1, "2026": 0, "refs/heads/side": 2, "@": 3,
        "2026-05-20": 0, "2026-05-21": 1, "2026-05-22T11:59:59Z": 1, "2026-05-22T12:00:00Z": 2, "2026-05-22T14:00:00+02:00": 2,
        "2026-05": 3, "2027-01-01": 3, "9999": 3,
    }  # fmt: skip
    assert {text: ids.index(history.resolve(text)) for text in expected} == expected
    with pytest.raises(NotFound, match="no commit yet"):
        history.resolve("2026-05-19")


@pytest.mark.parametrize(
    "text",
    ["", " ", "\0", "HEAD\0", "\ud800", "nope", "HEAD~99", "@{-1}", "@{u}", "HEAD:a.md", ":/change", "HEAD^{/change}", ":0:a.md", "..", "[a", "^", "~",
     "0" * 40, "f" * 41, "-1", "--all", "a" * 100_000, "0000-00-00", "2026-02-30", "2026-13", "../../etc/passwd", "HEAD~" + "9" * 60, "\n"],
)  # fmt: skip
def test_what_names_no_commit_is_not_found(history, text):
    save(history, [Put("a.md", b"a")])

    with pytest.raises(NotFound):
        history.resolve(text)


def test_a_prefix_of_several_ids_is_ambiguous(history):
    first: dict[str, bytes] = {}
    for number in range(100_000):
        data = b"%d" % number
        prefix = str(pygit2.hash(data))[:4]
        if not prefix.isdigit() and first.setdefault(prefix, data) != data:  # four digits would be a year
            break
    save(history, [Put("a.md", first[prefix]), Put("b.md", data)])

    with pytest.raises(Ambiguous):
        history.resolve(prefix)


segment = st.sampled_from(["a", "a.md", "a-b", "A", "b", "é", "active"])
paths = st.lists(segment, min_size=1, max_size=3).map("/".join)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_edits_give_the_files_a_plain_mapping_gives(data, tmp_path_factory):
    """Each commit's files equal a model's, each tree passes git fsck, and `changed` is the difference of the files."""
    history = History.create(tmp_path_factory.mktemp("model"))
    model: dict[str, bytes] = {}
    states: list[tuple[str | None, dict[str, bytes]]] = [(None, {})]
    for _ in range(data.draw(st.integers(1, 3))):
        edits = []
        for path in data.draw(st.lists(paths, max_size=8, unique=True)):
            kind = data.draw(st.sampled_from("put drop rename".split()))
            taken = {*model, *(edit.target if isinstance(edit, Rename) else edit.path for edit in edits)}
            free = not any(other == path or other.startswith(f"{path}/") or path.startswith(f"{other}/") for other in taken)
            touched = {place for edit in edits for place in ([edit.source, edit.target] if isinstance(edit, Rename) else [edit.path])}
            if kind == "put" and (free or path in model) and path not in touched:
                edits.append(Put(path, data.draw(st.binary(max_size=3))))
            elif kind == "drop" and path not in touched:
                edits.append(Drop(path))
            elif kind == "rename" and free and (sources := sorted(model.keys() - touched)):
                edits.append(Rename(data.draw(st.sampled_from(sources)), path))
        for edit in edits:
            match edit:
                case Put(path, content):
                    model[path] = content
                case Rename(source, target):
                    model[target] = model.pop(source)
                case Drop(path):
                    model.pop(path, None)
        history.commit(edits, author=AGENT, subject="x", at=NOON)
        states.append((history.head(), dict(model)))
        assert {path: history.read(path) for path, _ in history.walk()} == model
    for before, old in states:
        for after, new in states:
            differing = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
            assert history.changed(before, after) == differing
    if history.head():
        git(history.root, "fsck", "--strict")


# -- log and diff ----------------------------------------------------------------------------


def test_a_files_log_follows_it_through_the_tiers(history):
    body = "".join(f"line {n}\n" for n in range(5)).encode()
    for edit in range(5):
        save(history, [Put("active/notes/a.md", b"---\nv: %d\n---\n" % edit + body), Put("active/other.md", b"%d" % edit)], f"edit {edit}")
    moved = b"---\nv: moved, with a changed header\ntier: cooled\n---\n" + body
    save(history, [Put("cooled/notes/a.md", moved), Drop("active/notes/a.md")], "cool")
    save(history, [Rename("cooled/notes/a.md", "archive/notes/a.md")], "archive")
    save(history, [Put("active/last.md", b"x")], "unrelated")

    log = history.log("archive/notes/a.md")
    assert [commit.subject for commit in log] == ["archive", "cool", *(f"edit {n}" for n in (4, 3, 2, 1, 0))]
    assert log[0].paths == (("R", "archive/notes/a.md", "cooled/notes/a.md"),)
    assert log[1].paths == (("R", "cooled/notes/a.md", "active/notes/a.md"),)
    assert log[2].paths == (("M", "active/notes/a.md", ""), ("M", "active/other.md", ""))
    assert log[-1].paths[0] == ("A", "active/notes/a.md", "")
    assert [commit.subject for commit in history.log("archive/notes/a.md", follow=False)] == ["archive"]
    assert len(history.log("archive/notes/a.md", limit=2)) == 2
    assert history.log("active/absent.md") == []


def test_a_move_across_tiers_is_one_however_much_of_it_changed(history):
    save(history, [Put("active/a.md", b"one\n"), Put("active/b.md", b"same\n")])
    save(history, [Put("cooled/a.md", b"entirely different\n"), Drop("active/a.md"), Put("notes.md", b"same\n"), Drop("active/b.md")])

    assert history.log(limit=1)[0].paths == (("R", "cooled/a.md", "active/a.md"), ("R", "notes.md", "active/b.md"))


def test_a_rename_by_hand_with_an_edit_is_found_by_likeness(history):
    body = b"".join(b"line %d\n" % n for n in range(30))
    save(history, [Put("active/old name.md", body), Put("active/gone.md", b"gone")])
    save(history, [Put("active/new.md", body + b"one more\n"), Drop("active/old name.md"), Drop("active/gone.md")])

    assert history.log(limit=1)[0].paths == (("D", "active/gone.md", ""), ("R", "active/new.md", "active/old name.md"))


def test_the_log_knows_commits_by_hand_merges_and_odd_messages(history, root):
    two_branches(history, root)
    git(root, "merge", "-q", "-s", "ours", "-m", "Join\n\nSome words: here\nand a line without a key", "side")
    (root / "b.md").write_text("b", "utf-8")
    git(root, "add", "b.md")
    git(root, "commit", "-q", "--date=2026-05-20T08:00:00+09:30", "-m", "By hand\n\nBody.\n\nCo-authored-by: X <x@y>\nFolded: one\n  two")

    by_hand, join, *rest = history.log()
    assert (by_hand.subject, by_hand.at, by_hand.author) == ("By hand", "2026-05-20T08:00:00+09:30", Author("Robin Vale", "robin@vale.invalid"))
    assert by_hand.trailers == (("Co-authored-by", "X <x@y>"), ("Folded", "one two"))
    assert (join.subject, join.trailers, join.paths) == ("Join", (), ())
    assert len(rest) == 3
    assert [commit.subject for commit in history.log(limit=2)] == ["By hand", "Join"]
    assert "Join" not in [commit.subject for commit in history.log("a.md")]


def test_the_log_of_a_shallow_clone_ends_where_its_history_does(history, root, tmp_path):
    for number in range(5):
        save(history, [Put("a.md", b"%d" % number)], f"edit {number}")
    git(tmp_path, "clone", "-q", "--depth=2", root.as_uri(), "shallow")
    clone = History(tmp_path / "shallow")

    assert [commit.subject for commit in clone.log()] == ["edit 4", "edit 3"]
    assert [commit.subject for commit in clone.log("a.md")] == ["edit 4", "edit 3"]
    save(clone, [Put("b.md", b"b")])
    assert len(clone.log()) == 3
    assert_sound(clone.root)


def test_a_diff_is_a_patch_that_git_can_apply(history, root):
    body = b"".join(b"line %d\n" % n for n in range(20))
    first = save(history, [Put("active/a.md", body), Put("active/b.md", b"b\n"), Put("bin", b"\0\1")])
    second = save(history, [Put("cooled/a.md", body + b"more\n"), Drop("active/a.md"), Put("active/b.md", b"b2\n")])

    patch = history.diff(first, second)
    assert "rename from active/a.md\nrename to cooled/a.md\n" in patch
    assert "-b\n+b2\n" in patch
    assert "b2" not in history.diff(first, second, "cooled/a.md")
    assert history.diff(first, second, "cooled/a.md") == history.diff(first, second, "active/a.md")
    assert history.diff(second, second) == history.diff(first, second, "bin") == ""
    assert "+line 3\n" in history.diff(None, first)
    git(root, "apply", "--check", "-R", stdin=patch)


def test_a_worktree_is_a_memory_too(history, root, tmp_path):
    save(history, [Put("a.md", b"a")])
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    there = History(tmp_path / "tree")
    save(there, [Put("b.md", b"b"), *(Put(f"many/{n}.md", b"%d" % n) for n in range(100))])

    assert {path for path, _ in history.walk()} == {"a.md"}
    assert len(list(there.walk())) == 102
    assert_sound(there.root)
    assert_sound(root)


# -- upkeep ----------------------------------------------------------------------------------


def test_loose_objects_are_packed_once_they_are_many(history, root, monkeypatch):
    """The estimate looks at one directory of 256, so the blobs are chosen to lie there."""
    monkeypatch.setattr("strata.history.upkeep._LOOSE_LIMIT", 1000)
    monkeypatch.setattr("strata.history.program.run", _without_detaching(history))
    chosen = [data for data in (b"%d" % n for n in range(3000)) if str(pygit2.hash(data)).startswith("17")]
    for number in range(3):
        save(history, [Put(f"active/{number}.md", chosen[number])])
        history.maintain()
    before = int(git(root, "count-objects").split()[0])
    for number in range(3, 6):
        save(history, [Put(f"active/{number}.md", chosen[number])])
        history.maintain()

    assert before >= 12
    assert int(git(root, "count-objects").split()[0]) < before
    assert len(list((root / ".git/objects/pack").glob("*.pack"))) == 1
    assert len(history.log()) == 6
    assert_sound(root)


def _without_detaching(history: History):
    """The real program, waited for, so that the test can count."""
    from strata.history import program

    run = program.run
    return lambda root, *arguments, **more: run(root, *(a.replace("Detach=true", "Detach=false") for a in arguments), **more)


def test_an_open_history_reads_on_after_another_git_repacked(history, root):
    for number in range(5):
        save(history, [Put("a.md", b"%d" % number)])
    git(root, "gc", "-q", "--prune=now")

    assert history.read("a.md", "HEAD~4") == b"0"
    assert len(history.log("a.md")) == 5
    save(history, [Put("a.md", b"after")])
    git(root, "repack", "-qad")
    assert history.read("a.md") == b"after"
    assert_sound(root)


def test_without_a_git_program_everything_but_maintenance_works(history, root, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("strata.history.upkeep._LOOSE_LIMIT", -1)
    save(history, [Put("a.md", b"a")])
    history.maintain()
    monkeypatch.undo()

    assert git(root, "status", "--porcelain") == ""


def test_a_missing_object_is_named_and_not_a_traceback(history, root):
    commit = save(history, [Put("a.md", b"a")])
    blob = history.blob_id("a.md")
    (root / ".git/objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(NotFound) as caught:
        History(root).read("a.md", commit)
    assert caught.value.ref == blob
