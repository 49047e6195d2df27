"""Where a record stands, by somebody's word: in which tier, pinned, forgotten, brought back as it once was."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from strata import layout
from strata.document import Document
from strata.entries import FORGOTTEN, forgotten_at, ref_of
from strata.errors import AlreadyExists, Conflict, NotFound, Refused, UsageError
from strata.files import blob_id
from strata.janitor import told
from strata.lookup import Lookup
from strata.model import Kind, Move, Rename
from strata.plan import Plan

if TYPE_CHECKING:
    from strata.store import Store

_SAID = {"promote": "promoted by hand", "rehydrate": "brought back by hand", "archive": "archived by hand"}


def records(lookup: Lookup, refs: Sequence[str], *, exact: bool = False) -> list[str]:
    """The paths of the records that somebody names, each once. Raises UsageError for a message or a tail."""
    return list(dict.fromkeys(_record(lookup, ref, exact=exact) for ref in refs))


def move(plan: Plan, store: Store, paths: Sequence[str], tier: str, step: str, reason: str = "") -> list[Move]:
    """Add the edits that bring records into a tier; those that lie there already stay.

    `rehydrate` only lifts, so what is nearer already stays too. Raises Refused for a pinned record that would
    be archived.
    """
    moves = []
    for path in paths:
        here = layout.tier_of(path)
        if here == tier or (step == "rehydrate" and layout.TIERS.index(here) < layout.TIERS.index(tier)):
            continue
        document = Document.parse(store.files.read(path), path)
        if step == "archive" and document.flag("pinned"):
            raise Refused("it is pinned, and pinned records are not archived", ref=ref_of(path, document), path=path, remedy=f"strata unpin {ref_of(path, document)}")
        target = f"{tier}/{path.partition('/')[2]}"
        if store.files.exists(target):
            raise AlreadyExists("a file is there already; nothing was moved", ref=ref_of(path, document), path=target, remedy="keep one of the two")
        moves.append(Move(path, target, step, reason or _SAID[step]))
        plan.trailers.append(("Strata-Record", ref_of(path, document)))
    plan.edits += [Rename(each.source, each.target) for each in moves]
    plan.subject = f"{step.capitalize()} {_names(plan)}"
    plan.trailers += [("Strata-Reason", told(each)) for each in moves]
    return moves


def mark(plan: Plan, store: Store, lookup: Lookup, refs: Sequence[str], key: str, value: Any, verb: str) -> list[tuple[str, str, bool]]:
    """Add the edits that set one key of the records' headers, or take it away with None: ref, path and whether it changed.

    Raises Malformed for a header that cannot be read; such a file is never rewritten.
    """
    done = []
    for path in records(lookup, refs, exact=key == FORGOTTEN):
        document = Document.parse(store.files.read(path), path)
        if document.problem:
            raise document.problem
        since = forgotten_at(document) if key == FORGOTTEN and value else ""  # forgotten already
        changed = document.set(**{key: since or value})
        if not changed.header and changed.has_header and (bare := Document.parse(changed.body, path)).body == changed.body:
            changed = bare  # the mark was all the header there was
        name = ref_of(path, document)
        if fresh := changed.data != document.data:
            plan.put(path, changed.data, blob_id(document.data))
            plan.trailers.append(("Strata-Record", name))
        done.append((name, path, fresh))
    plan.subject = f"{verb.capitalize()} {_names(plan)}"
    return done


def restore_version(plan: Plan, store: Store, lookup: Lookup, ref: str, rev: str) -> tuple[str, str]:
    """Add the edits that make a record what it was at a revision or date: its ref and path.

    A record that exists no more comes back to the tier it lay in then. Raises NotFound, and Refused for a block
    whose source differs from what was sealed.
    """
    commit = store.history.resolve(rev)
    name, message = layout.split_ref(ref)
    if message:
        raise UsageError("a message cannot be restored alone", ref=ref, remedy=f"name its record: {name}")
    try:
        now = lookup.record(name, exact=True)
    except NotFound:
        now = ""
    then = lookup.past.place(layout.path_ref(now) if now else name, commit, guess=False)
    if then is None or not layout.is_record(then) or layout.kind_of(then) == Kind.TAIL:
        raise NotFound(f"this memory held no record {name!r} at {rev}", ref=name, remedy=f"`strata log {name}` shows when it came")
    data = store.history.read(then, commit)
    document = Document.parse(data, then)
    if layout.kind_of(then) == Kind.BLOCK and hashlib.sha256(document.body).hexdigest() != document.text("source_sha256"):
        raise Refused("the source in that version is not what was sealed", ref=name, path=then, remedy="choose another revision")
    if now:
        plan.put(now, data, blob_id(store.files.read(now)))
    elif twin := store.files.twin(then):
        raise Conflict("another file has its name, or one in other letters", ref=name, path=twin, remedy="move it away")
    else:
        plan.put(then, data)
    plan.subject = f"Restore {name} as of {commit[:10]}"
    plan.trailers += [("Strata-Record", ref_of(then, document)), ("Strata-Restores", commit)]
    return ref_of(then, document), now or then


def _record(lookup: Lookup, ref: str, *, exact: bool) -> str:
    path = lookup.record(ref, exact=exact)
    name, message = layout.split_ref(ref)
    if message:
        raise UsageError(f"{ref} is a message; this is about whole records", ref=ref, remedy=f"name its record: {name}")
    if layout.kind_of(path) == Kind.TAIL:
        raise UsageError("these turns are not sealed yet, and a tail always stays in active/", ref=ref, path=path, remedy="seal them first: strata seal")
    return path


def _names(plan: Plan) -> str:
    names = [value for key, value in plan.trailers if key == "Strata-Record"]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") if names else "nothing"
