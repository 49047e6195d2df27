"""What must hold of a memory, as a pure function of its files.

`doctor` prints what `check` returns, and the tests use it as their oracle after everything that wrote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from strata import layout
from strata.agreement import Agreement, few
from strata.document import Document
from strata.errors import Malformed
from strata.layout import tail_path
from strata.model import Kind, Problem
from strata.records import block_of
from strata.tail import Tail
from strata.transcript import decode


def check(files: Iterable[tuple[str, bytes]]) -> list[Problem]:
    """Every problem in the given record files, in the order of their paths; each file is looked at once."""
    problems: list[Problem] = []
    homes: dict[str, list[str]] = {}
    folded: dict[str, str] = {}
    homes_of_messages: dict[tuple[str, str], str] = {}
    cited: list[tuple[str, str, str]] = []
    places: dict[str, str] = {}
    agreement = Agreement()
    for path, data in files:
        document = Document.parse(data, path)
        problems += _readable(path, data, document)
        twin = folded.setdefault(path.casefold(), path)
        if twin != path:
            problems.append(Problem("warning", path, f"its name differs from {twin} only in case", "rename one of them: it cannot be checked out on every system"))
        if not layout.is_portable(path):
            problems.append(Problem("warning", path, "not every system can check out a file of this name", 'rename it: no < > : " \\ | ? * #, no control character, no final dot or blank'))
        nearer = places.setdefault(layout.path_ref(path), path)
        if nearer != path:
            problems.append(Problem("error", path, f"this record lies in {nearer} as well", "if an editor saved it where it lay before, the next write makes them one; else compare them, and remove one"))
        if document.problem:
            continue
        if (claimed := document.text("id")) and not layout.is_id(claimed):
            problems.append(Problem("warning", path, f"the id {claimed!r} is not one; the file is found by its path", "give letters, digits, '.', '_' and '-'", document.line_of("id")))
        elif claimed:
            homes.setdefault(claimed, []).append(path)
        kind = layout.kind_of(path, document.text("kind"))
        if kind == Kind.BLOCK:
            problems += _sealed(path, document)
        problems += _shaped(path, document, kind)
        if kind in (Kind.BLOCK, Kind.TAIL):
            problems += _messages(path, document, homes_of_messages)
        if kind == Kind.ENTITY:
            problems += agreement.entity(path, document)
        if kind == Kind.EVENT:
            problems += agreement.card(path, document)
            cited.append((path, document.text("source_block"), " ".join(document.list("source_messages"))))
    for claimed, paths in sorted(homes.items()):
        if len(paths) > 1:
            problems.append(Problem("error", paths[1], f"{len(paths)} files claim the id {claimed}: {', '.join(paths)}", "keep one; give the other a new id or remove it"))
    problems += agreement.problems({layout.path_ref(path).rpartition("/")[2] for path, *_ in cited} | homes.keys())
    for path, block, messages in cited:
        if block not in homes:
            problems.append(Problem("error", path, f"its evidence {block or '(none)'} is not in this memory", f"restore the block: git log --all -- '*{block}.md'"))
        else:
            lost = [message for message in messages.split() if homes_of_messages.get((block, message)) is None]
            if lost:
                problems.append(Problem("error", path, f"{block} does not hold the cited {', '.join(lost)}", "restore the block, or supersede the card"))
    return problems


def _readable(path: str, data: bytes, document: Document) -> Iterator[Problem]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield Problem("warning", path, "it is not valid UTF-8; it is indexed as well as can be and never rewritten", "convert it: iconv -f latin1 -t utf-8", line)
        return
    if document.problem:
        yield Problem("warning", path, document.problem.message, "it is indexed as plain text and never rewritten; correct the header", document.problem.line)


def _shaped(path: str, document: Document, kind: Kind) -> Iterator[Problem]:
    """Whether the header of a block or a tail says what it has to."""
    try:
        if kind == Kind.BLOCK:
            block_of(document, path)
        elif kind == Kind.TAIL and (home := tail_path(Tail.parse(document.data, path).thread)).rpartition("/")[2] != path.rpartition("/")[2]:
            yield Problem("warning", path, f"the tail of this thread should be {home}", "rename it, or correct `thread` in its header")
    except Malformed as error:
        yield Problem("error", path, error.message, error.remedy, error.line)


def _sealed(path: str, document: Document) -> Iterator[Problem]:
    wanted = document.text("source_sha256")
    found = hashlib.sha256(document.body).hexdigest()
    if not wanted:
        yield Problem("error", path, "a block without source_sha256: nobody can tell whether its source changed", f"compare it with its first version: strata log {path}")
    elif wanted != found:
        yield Problem("error", path, "the sealed source was changed", f"strata log {layout.path_ref(path).rpartition('/')[2]} shows by whom", document.body_line)


def _messages(path: str, document: Document, seen: dict[tuple[str, str], str]) -> Iterator[Problem]:
    thread, record = document.text("thread"), document.text("id") or layout.path_ref(path)
    try:
        messages = decode(document.body, path, document.body_line)
    except Malformed as error:
        yield Problem("error", path, f"its messages cannot be read: {error.message}", error.remedy, error.line)
        return
    doubles: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for message in messages:
        seen[(record, message.id)] = path
        said = hashlib.sha256(f"{message.text}\0{message.tools!r}".encode("utf-8", "surrogatepass")).hexdigest()
        home = seen.setdefault(("\0thread", f"{thread}\0{message.id}"), path)
        first = seen.setdefault(("\0said", f"{thread}\0{message.id}"), said)
        if home != path:
            (doubles if first == said else others).setdefault(home, []).append(message.id)
    for home, ids in others.items():
        yield Problem("note", path, f"{len(ids)} of its messages ({few(ids)}) have the id of another in {home} and say something else", "both are kept and found; give messages ids of their own before they are appended in two clones")
    for home, ids in doubles.items():
        in_tail = layout.kind_of(path) == Kind.TAIL or layout.kind_of(home) == Kind.TAIL
        alone = f"both were sealed apart; this one holds nothing more, and may be removed: git rm {path}" if len(ids) == len(messages) else "both were sealed apart; leave both, each has messages of its own"
        remedy = "strata doctor --fix drops them from the tail" if in_tail else alone
        yield Problem("error" if in_tail else "warning", path, f"{len(ids)} of its messages ({few(ids)}) are also in {home}", remedy)
