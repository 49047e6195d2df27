"""Open or make the repository of a memory: exactly that one, or a refusal that says what to do."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pygit2
from pygit2.enums import RepositoryInitFlag, RepositoryOpenFlag

from strata.errors import Malformed, NotAMemory, Refused, StrataError
from strata.head import common_directory, git_directory

_SETTINGS = {
    "core.autocrlf": "false",  # the bytes in history are the bytes on disk
    "core.safecrlf": "false",
    "core.filemode": "false",  # a note copied from a stick is not changed by its mode
    "core.quotepath": "false",  # file names of any language readable in `git status`
    "commit.gpgsign": "false",  # a background commit must not ask for a passphrase
    "tag.gpgsign": "false",
    "gc.autodetach": "true",
    "merge.renames": "true",  # a record edited here and moved by the Janitor there merges
    "merge.directoryrenames": "false",  # a new record never follows others into another tier
    "rerere.enabled": "false",
    "merge.strata.name": "the file of an entity, from both sides",
}
DRIVER = "merge.strata.driver"
"""Where git reads what merges the file of an entity (`strata.joindriver`); `.gitattributes` says for which files."""


def create(root: Path) -> pygit2.Repository:
    """A new repository in `root`: sha1, branch main, no templates or hooks; an existing one is opened."""
    if not os.path.lexists(root / ".git"):
        root.mkdir(parents=True, exist_ok=True)
        try:
            # Without EXTERNAL_TEMPLATE libgit2 ignores init.templateDir, and reads no GIT_* ever.
            pygit2.init_repository(
                os.fspath(root), flags=RepositoryInitFlag.MKPATH | RepositoryInitFlag.NO_REINIT, initial_head="main"
            )
        except (pygit2.GitError, ValueError, OSError) as error:
            raise _refusal(root, str(error)) from error
    repository = open_exactly(root)
    for name, value in {**_SETTINGS, DRIVER: _driver()}.items():
        repository.config[name] = value
    return repository


def settle(root: Path) -> None:
    """Give a clone the settings that `create` gives: git does not carry them along. What somebody set stays as it is."""
    local = pygit2.Config(os.fspath(common_directory(git_directory(root)) / "config"))
    for name, value in _SETTINGS.items():
        if name not in local:
            local[name] = value
    if DRIVER not in local or (local[DRIVER] != _driver() and local[DRIVER].endswith(_CALL)):  # strata may have moved since
        local[DRIVER] = _driver()


_CALL = "-m strata.joindriver %O %A %B %P"


def _driver() -> str:
    """The command for git, which a POSIX shell reads on every system."""
    return f"{shlex.quote(sys.executable.replace(os.sep, '/'))} {_CALL}"


def open_exactly(root: Path) -> pygit2.Repository:
    """The repository whose directory is `root`; no parent is looked at, no `GIT_*` obeyed.

    Raises NotAMemory when there is none, Malformed for a broken configuration file, Refused when it is
    of a kind that strata cannot write.
    """
    git_directory(root)
    try:
        repository = pygit2.Repository(os.fspath(root), RepositoryOpenFlag.NO_SEARCH)
    except (pygit2.GitError, ValueError, OSError) as error:
        raise _refusal(root, str(error)) from error
    if repository.is_bare:
        raise Refused(
            "this git repository is bare: it says that it has no files",
            path=os.fspath(root),
            remedy="git config core.bare false, or clone it",
        )
    return repository


def _refusal(root: Path, reason: str) -> StrataError:
    """What libgit2 could not do, in the words of this project."""
    place = os.fspath(root)
    quoted = shlex.quote(os.fspath(root.absolute()))
    if "not owned by" in reason:
        return Refused(
            "this memory belongs to another user, so git refuses to use it",
            path=place,
            remedy=f"take it over, or trust it: git config --global --add safe.directory {quoted}",
        )
    if match := re.search(r"unknown object format '(\w+)'", reason):
        return Refused(
            f"this git repository names its objects by {match[1]}, which is not supported; reading files still works",
            path=place,
            remedy="make a new memory with strata init, and copy the files into it",
        )
    if match := re.search(r"unsupported extension name extensions\.(\S+)|unsupported repository version (\d+)", reason):
        what = f"extension {match[1]}" if match[1] else f"format version {match[2]}"
        return Refused(
            f"this git repository uses the {what}, which is not supported; reading files still works",
            path=place,
            remedy="git refs migrate --ref-format=files"
            if (match[1] or "").lower() == "refstorage"
            else "make a new memory with strata init, and copy the files into it",
        )
    if match := re.search(r"failed to parse config file: (.*?) \(in (.*?):(\d+)\)", reason):
        return Malformed(
            f"git's configuration is broken: {match[1]}", path=match[2], line=int(match[3]), remedy="correct that line"
        )
    if "not found at" in reason:
        return NotAMemory(
            "the .git in this directory is no complete git repository",
            path=place,
            remedy="restore it, or move .git away and run strata init",
        )
    return Refused(f"git cannot open this repository: {reason}", path=place, remedy="git fsck says more")


def ignores(outer: Path, path: Path) -> bool:
    """Whether the git repository in `outer` ignores a directory below it; one that cannot be opened ignores nothing."""
    try:
        return bool(pygit2.Repository(str(outer)).path_is_ignored(path.relative_to(outer).as_posix() + "/"))
    except pygit2.GitError:
        return False
