"""HEAD, branch and unfinished operations, read from files as the real git writes them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from strata.errors import Malformed, NotAMemory
from strata.head import branch, head, in_progress

IDENTITY = ("-c", "user.name=Robin Vale", "-c", "user.email=robin@vale.invalid", "-c", "init.defaultBranch=main")


def git(root: Path, *arguments: str, check: bool = True) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *IDENTITY, "-C", root, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=check, env=environment).stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def commit(root: Path, message: str = "x") -> str:
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


def test_before_the_first_commit_there_is_a_branch_and_no_head(root):
    assert head(root) is None
    assert branch(root) == "main"
    assert in_progress(root) == ""


def test_a_loose_a_packed_and_a_loose_over_packed_reference_are_all_found(root):
    first = commit(root)
    assert head(root) == first
    git(root, "tag", "-a", "-m", "x", "v1")  # packed with a peeled line after it
    git(root, "pack-refs", "--all")
    assert not (root / ".git/refs/heads/main").exists()
    assert head(root) == first
    second = commit(root)
    assert head(root) == second != first


def test_a_branch_with_slashes_and_a_detached_head(root):
    id = commit(root)
    git(root, "switch", "-qc", "topic/deep/ü")
    assert (head(root), branch(root)) == (id, "topic/deep/ü")
    git(root, "switch", "-q", "--detach")
    assert (head(root), branch(root)) == (id, "")


def test_a_symbolic_branch_is_followed_and_a_loop_of_them_ends(root):
    id = commit(root)
    git(root, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(root, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert head(root) == id
    (root / ".git/refs/heads/main").write_text("ref: refs/heads/alias\n", "utf-8")
    assert head(root) is None


def test_a_worktree_has_its_own_head_and_the_references_of_its_repository(root):
    commit(root)
    git(root, "worktree", "add", "-q", "-b", "side", str(root / "tree"))
    git(root, "pack-refs", "--all")
    there = commit(root / "tree")
    git(root, "pack-refs", "--all")

    assert (head(root / "tree"), branch(root / "tree")) == (there, "side")
    assert branch(root) == "main"
    assert head(root) != there


def test_a_relative_gitdir_file_is_followed(root):
    id = commit(root)
    (root / ".git").rename(root / "elsewhere")
    (root / ".git").write_text("gitdir: elsewhere\n", "utf-8")

    assert head(root) == id


@pytest.mark.parametrize("content", [None, "", "gitdir: nowhere\n", "gitdir:\0\n", "\xff"])
def test_no_repository_is_no_memory_and_parents_are_not_searched(root, content):
    place = root / "inner"
    place.mkdir()
    if content is not None:
        (place / ".git").write_text(content, "latin-1")

    for ask in (head, branch, in_progress):
        with pytest.raises(NotAMemory):
            ask(place)


@pytest.mark.parametrize("content", [None, b"", b"ref", b"\xff\xfe", b"0123"])
def test_a_damaged_head_is_reported_with_its_path(root, content):
    (root / ".git/HEAD").unlink()
    if content is not None:
        (root / ".git/HEAD").write_bytes(content)

    with pytest.raises(Malformed) as caught:
        head(root)
    assert caught.value.path == str(root / ".git/HEAD")


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (["merge", "side"], "merge"),
        (["rebase", "side"], "rebase"),
        (["rebase", "--apply", "side"], "rebase"),
        (["cherry-pick", "side"], "cherry-pick"),
        (["revert", "HEAD~1"], "revert"),
        (["bisect", "start"], "bisect"),
        (["am", "x.patch"], "am"),
    ],
)
def test_each_unfinished_operation_is_named(root, command, operation):
    (root / "a").write_text("base\n", "utf-8")
    git(root, "add", "a")
    commit(root)
    git(root, "switch", "-qc", "side")
    (root / "a").write_text("side\n", "utf-8")
    git(root, "commit", "-qam", "side")
    (root / "x.patch").write_text(git(root, "format-patch", "-1", "--stdout") + "\n", "utf-8")
    git(root, "switch", "-q", "main")
    (root / "a").write_text("main\n", "utf-8")
    git(root, "commit", "-qam", "main")
    git(root, *command, check=False)

    assert in_progress(root) == operation


def test_between_two_picks_the_sequence_is_still_unfinished(root):
    (root / ".git/sequencer").mkdir()
    (root / ".git/sequencer/todo").write_text("pick 0123 x\n", "utf-8")
    assert in_progress(root) == "cherry-pick"
    (root / ".git/sequencer/todo").write_text("revert 0123 x\n", "utf-8")
    assert in_progress(root) == "revert"


def test_reading_head_imports_no_pygit2():
    code = "import sys, strata.head; sys.exit('pygit2' in sys.modules or 'subprocess' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], check=False).returncode == 0
