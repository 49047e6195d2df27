"""The memory as a whole: how it stands, and whether everything holds."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from strata import layout, survey
from strata.adoption import vanished
from strata.capture import without_sealed
from strata.check import check
from strata.config import Config
from strata.document import Document
from strata.errors import Malformed, NotFound, StrataError
from strata.files import blob_id
from strata.head import branch, head, in_progress
from strata.ledger import receipts
from strata.model import AGENT, Drop, Kind, Problem
from strata.results import Status
from strata.tail import Tail, turns

if TYPE_CHECKING:
    from strata.store import Store

_ATTACHED = re.compile(rb'"attachment": "(attachments/[0-9a-f]{64}\.(?:txt|json))"').findall
_ORDER = {"error": 0, "warning": 1, "note": 2}


def status(store: Store) -> Status:
    """See `Memory.status`."""
    index = _index_state(store)  # before anything looks further and so brings it up to date
    seen = survey.survey(store.root, 0, {}, deep=True)
    counts: dict[str, dict[str, tuple[int, int]]] = {tier: {} for tier in layout.TIERS}
    threads: dict[str, int] = {}
    for path, (_, _, size, _) in seen.touched.items():
        if not layout.is_record(path):
            continue
        kind, tier = str(layout.kind_of(path)), layout.tier_of(path)
        files, total = counts[tier].get(kind, (0, 0))
        counts[tier][kind] = (files + 1, total + size)
        if kind == Kind.TAIL:
            tail = _tail(store, path)
            if tail:
                threads[tail.thread] = len(turns(tail.messages))
    log = store.history.log(limit=1)
    return Status(
        path=str(store.root),
        counts=counts,
        threads=dict(sorted(threads.items())),
        uncommitted=tuple(sorted(store.uncommitted(deep=True))),
        skipped=tuple(seen.skipped),
        head=head(store.root) or "",
        branch=branch(store.root),
        commits=store.history.count(),
        last_commit=log[0].at if log else "",
        index=index,
        repository_bytes=_size(store),
        loose_objects=store.history.loose_objects(),
        in_progress=in_progress(store.root),
    )


def _tail(store: Store, path: str) -> Tail | None:
    try:
        return Tail.parse(store.files.read(path), path)
    except (Malformed, NotFound):
        return None  # `doctor` reports it


def _index_state(store: Store) -> str:
    mark = store.mark()
    if mark is None:
        return "missing: the next search builds it"
    return "fresh" if not store.tree.look(mark, deep=True).changes else "behind: the next search catches up"


def _size(store: Store) -> int:
    total = 0
    for folder, _, names in os.walk(store.root / ".git"):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except FileNotFoundError:
                continue  # git packs while we look
    return total


def doctor(store: Store, *, fix: bool) -> list[Problem]:
    """See `Memory.doctor`."""
    if fix:
        store.files.check_local()
        _mend(store)
    with contextlib.suppress(OSError):  # not ours to read: told below
        if store.files.unfinished():
            store.refresh()
    problems = [*_repository(store), *_settings(store), *_leftovers(store)]
    usable = not any(problem.severity == "error" and problem.path in (".git", layout.LOCAL) for problem in problems)
    seen = survey.survey(store.root, 0, {}, deep=True)
    problems += [Problem("warning", path, why, "put real files there; strata looks at nothing else") for path, why in seen.skipped]
    problems += _ledgers(store)
    attached = sorted(path for path in seen.touched if path.startswith("attachments/"))
    problems += _attachments(store, attached)
    paths = sorted(path for path in seen.touched if layout.is_record(path))
    unread = [path for path in paths if not os.access(store.root / path, os.R_OK, effective_ids=os.access in os.supports_effective_ids)]
    problems += [Problem("warning", path, "it cannot be read: permission denied", "give yourself the right to: chmod u+r") for path in unread]
    for problem in check(_noting(store, paths, set(attached), problems)):
        problems.append(_who_changed(store, problem) if problem.message == "the sealed source was changed" else problem)
    if usable:
        problems += _memory_state(store)
    return sorted(problems, key=lambda problem: (_ORDER[problem.severity], problem.path, problem.line or 0))


def _noting(store: Store, paths: list[str], attached: set[str], problems: list[Problem]) -> Iterator[tuple[str, bytes]]:
    """The files as `check` takes them; on the way, payloads that a message names and that are gone."""
    for path in paths:
        if (data := store.tree.bytes_of(path)) is None:
            continue
        for name in sorted(set(_ATTACHED(data))):
            if (place := name.decode()) not in attached:
                problems.append(Problem("error", path, f"{place} is gone, and a message of this file names it", f"restore it: git log --oneline -- {place}"))
        yield path, data


def _ledgers(store: Store) -> Iterator[Problem]:
    """Lines of the ledger that count nothing."""
    for path in store.accesses.ledgers():
        if not store.files.exists(path):
            yield Problem("warning", path, "a ledger belongs here, and this is no file", "move it away")
        for fault in receipts(store.tree.bytes_of(path) or b"")[1]:
            yield Problem("warning", path, f"a line that counts nothing: {fault.why}", f"correct it, or see how it was: git log -p -- {path}", fault.line)


def _attachments(store: Store, paths: list[str]) -> Iterator[Problem]:
    """A payload is evidence like the message it came with: its name says what it holds."""
    for path in paths:
        name = path.rpartition("/")[2].partition(".")[0]
        if len(name) == 64 and hashlib.sha256(store.tree.bytes_of(path) or b"").hexdigest() != name:
            yield Problem("error", path, "it no longer holds what its name says (SHA-256)", f"restore it: git log --oneline -- {path}")


def _mend(store: Store) -> None:
    """What can be put right without losing a byte: unfinished writes, leftovers, permissions, git's index, ours."""
    store.files.make_local()
    if sys.platform != "win32":
        os.chmod(store.files.local, 0o700)
    with store.files.lock(store.lock_timeout):
        store.files.sweep(everywhere=True)
    store.adopt()
    store.rebuild()
    with store.write("mend", AGENT) as plan:
        for path in _needless_twins(store):
            plan.edits.append(Drop(path))
            plan.subject = "Drop what lies in a nearer tier as well, byte for byte"
        for path in [path for path in survey.records(store.root) if layout.kind_of(path) == Kind.TAIL]:
            if (tail := _tail(store, path)) and len((kept := without_sealed(store, tail)).messages) < len(tail.messages):
                document = Document.parse(store.files.read(path), path)
                plan.put(path, kept.dump(document), blob_id(document.data))
                plan.subject = "Drop from tails what is sealed already"


def _needless_twins(store: Store) -> Iterator[str]:
    """Records that lie in a nearer tier as well, the same to the byte, as two Janitors and a merge may leave them."""
    nearest: dict[str, str] = {}
    for path in sorted(survey.records(store.root), key=lambda path: layout.TIERS.index(layout.tier_of(path))):
        near = nearest.setdefault(layout.path_ref(path), path)
        if near != path and store.tree.bytes_of(near) == store.tree.bytes_of(path):
            yield path


def _repository(store: Store) -> Iterator[Problem]:
    try:
        head(store.root)
    except StrataError as error:
        yield Problem("error", ".git", error.message, error.remedy)
        return
    try:
        yield from store.history.check()
        if missing := store.history.missing():
            yield Problem("error", missing[0], f"git has lost the content of {len(missing)} committed file{'s' * (len(missing) != 1)}", "fetch it from a clone: git fetch; or commit the file anew")
    except StrataError as error:
        yield Problem("error", ".git", error.message, error.remedy)


def _settings(store: Store) -> Iterator[Problem]:
    try:
        config = Config(store.files.read(layout.SETTINGS))
    except StrataError as error:
        yield Problem("error", layout.SETTINGS, error.message, error.remedy, error.line)
        return
    for key in config.unknown:
        yield Problem("warning", layout.SETTINGS, f"no setting is called {key!r}", "remove it, or see `strata config list`")


def _leftovers(store: Store) -> Iterator[Problem]:
    try:
        store.files.check_local()
    except StrataError as error:
        yield Problem("error", layout.LOCAL, error.message, error.remedy)
        return
    try:
        unfinished = store.files.unfinished()
    except OSError as error:
        yield Problem("error", layout.LOCAL, f"it cannot be read: {error.strerror}", "work as its owner, or take it over: chown -R")
        return
    if unfinished:
        yield Problem("note", layout.LOCAL, "a write was cut short", "the next command finishes it or takes it back", fixable=True)
    for place in store.files.temporaries():
        path = place.relative_to(store.root).as_posix()
        yield Problem("note", path, "a temporary file that a crash left", "strata doctor --fix removes it", fixable=True)
    if sys.platform != "win32" and store.files.local.is_dir() and stat.S_IMODE(store.files.local.stat().st_mode) & 0o077:
        yield Problem("warning", layout.LOCAL, "others can look into it", "strata doctor --fix, or: chmod 700 .strata", fixable=True)


def _memory_state(store: Store) -> Iterator[Problem]:
    look = store.refresh(deep=True)
    if look and (gone := vanished(look)):
        yield Problem("error", gone.path, gone.message, gone.remedy)
        return
    dirty = sorted(store.uncommitted(deep=True))
    if dirty and not in_progress(store.root):  # else the refusal to write says what to do
        shown = ", ".join(dirty[:3]) + (", …" if len(dirty) > 3 else "")
        yield Problem("note", dirty[0], f"{len(dirty)} file{'s' * (len(dirty) != 1)} edited by hand and not committed yet: {shown}", "the next write commits them in your name", fixable=True)
    mark = store.mark()
    if mark is None:
        yield Problem("note", layout.LOCAL, "there is no usable index", "the next search builds it", fixable=True)


def _who_changed(store: Store, problem: Problem) -> Problem:
    """Name the commit that changed a sealed source, and the one to restore it from."""
    data = store.tree.bytes_of(problem.path) or b""
    wanted = Document.parse(data, problem.path).text("source_sha256")
    culprit = "not committed yet"
    place = problem.path
    for commit in store.history.log(problem.path):
        try:
            body = Document.parse(store.history.read(place, commit.id), place).body
        except NotFound:
            continue  # this commit took the file away from there
        if hashlib.sha256(body).hexdigest() == wanted:
            restore = f"git show {commit.id[:12]}:{place} > {problem.path}"
            return problem._replace(message=f"the sealed source was changed ({culprit})", remedy=f"restore it: {restore}")
        culprit = f"by {commit.author.name} in {commit.id[:12]} on {commit.at[:10]}"
        place = next((old for _, path, old in commit.paths if path == place and old), place)
    return problem._replace(message=f"the sealed source was changed ({culprit})", remedy="no commit holds it as it was sealed; look at its history: git log -p --follow -- " + problem.path)
