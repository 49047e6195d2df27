"""Who brought each step of a chain, and who changed it since: the commits, found in one walk through history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from strata import factlines, layout, portrait, transcript
from strata.claims import TYPES, entity_id, folded
from strata.document import Document
from strata.errors import Ambiguous, Malformed, NotFound
from strata.files import blob_id
from strata.graph import Fact
from strata.model import NOTHING, Commit, Kind, Message, Tier
from strata.provenance import Link, Touch
from strata.tracing import Tracing, chosen

if TYPE_CHECKING:
    from strata.lookup import Lookup
    from strata.store import Store

_WHAT = {"A": "came", "M": "changed", "R": "moved", "D": "gone"}
_GONE = "it is not there any more"

Version = tuple[Commit, dict[str, None]]  # a commit that changed a file, and the lines that it had from then on


class Attribution:
    """The commits behind the chains of one memory."""

    def __init__(self, store: Store, lookup: Lookup, tracing: Tracing) -> None:
        self._store = store
        self._lookup = lookup
        self._tracing = tracing
        self._head = store.history.head()
        self._commits: dict[str, list[Commit]] = {}  # by the path that was asked for, newest first

    def attributed(self, link: Link) -> Link:
        """The chain, with the commits of every step."""
        self._walk(place for each in _steps(link) for place in self._places(each))
        return self._with(link)

    def vanished(self, ref: str) -> Link | None:
        """What is not there any more, as history knew it last, a record or a fact; None for what never was."""
        name, hash_, asked = ref.partition("#")
        if not layout.is_id(name) or not layout.record_path(name):
            kind, _, rest = name.replace("/", " ", 1).partition(" ")
            ids = [entity_id(kind.casefold(), rest)] if kind.casefold() in TYPES and rest else [entity_id(type_, name) for type_ in TYPES]
            return next((found for each in ids if name.strip() and (found := self.vanished(each + hash_ + asked))), None)
        places = [path for tier in Tier if (path := layout.record_path(name, tier))]
        self._walk(places)
        commits = self._of(places)
        if not commits:
            return None
        kind = layout.kind_of(places[0])
        if kind != Kind.ENTITY:
            return None if asked else self.attributed(Link(kind, name, missing=f"there is no such {kind} now"))
        return self._lost_fact(places, name, asked) if asked else self.attributed(Link(kind, name, missing=_GONE))

    # -- steps -------------------------------------------------------------------------------

    def _with(self, link: Link) -> Link:
        match link.kind:
            case "fact" | "message":
                return link._replace(rests_on=tuple(map(self._with, link.rests_on)))
        commits = self._of(self._places(link))
        touches = [_touch(commit) for commit in reversed(commits)]
        below = tuple(map(self._with, link.rests_on))
        if link.kind == Kind.ENTITY and link.path:
            below = self._facts(below, link.path, list(self._versions(self._places(link))))
        elif link.kind in (Kind.BLOCK, Kind.TAIL):
            below = self._messages(link, below, commits)
        return link._replace(brought=touches[0] if touches else None, changed=tuple(touches[1:]), uncommitted=self._is_uncommitted(link.path), rests_on=below)

    def fact(self, link: Link) -> Link:
        """A fact at the head of a chain, with its own commits and those of all below it."""
        return self._facts([self.attributed(link)], link.path, self._versions(self._places(link)))[0]

    def _facts(self, links: Sequence[Link], path: str, versions: Iterable[Version]) -> tuple[Link, ...]:
        """Facts of one entity, with when the line of each came into its file, and changed there."""
        facts = {fact.id: fact for fact in portrait.read(Document.parse(self._store.files.read(path), path), path).facts}
        return tuple(link._replace(**_life(facts[link.ref.rpartition("#")[2]], versions)) for link in links)

    def _lost_fact(self, places: Sequence[str], name: str, asked: str) -> Link | None:
        """A fact that some version of an entity had, with what became of it."""
        newer: Commit | None = None
        versions = list(self._versions(places))
        for number, (commit, _) in enumerate(versions):
            path = commit.paths[0][1]
            try:
                seen = portrait.read(Document.parse(self._at(commit), path), path)
                fact = chosen(seen, asked)
            except (NotFound, Malformed, Ambiguous):
                newer = commit
                continue
            link = self.attributed(self._tracing.fact("", seen, fact))
            if link.rests_on and all(below.forgotten for below in link.rests_on):
                link = link._replace(text="", forgotten=link.rests_on[0].forgotten)  # that it was there, and none of its words
            told = _life(fact, versions[number:])
            gone = (_touch(newer)._replace(what="gone"),) if newer else ()
            return link._replace(**told | {"changed": (*told["changed"], *gone), "missing": self._why_gone(places, fact) if newer else "", "uncommitted": newer is None})
        return None

    def _why_gone(self, places: Sequence[str], fact: Fact) -> str:
        """Why an entity does not have a fact now, as far as its file says it."""
        there = next((path for path in places if self._store.files.exists(path)), "")
        if there and fact.id in Document.parse(self._store.files.read(there), there).list("withdrawn"):
            return "it was taken out by hand"
        return _GONE

    def _messages(self, block: Link, links: Sequence[Link], commits: Sequence[Commit]) -> tuple[Link, ...]:
        """The messages of a block: each came with a commit to the tail of its thread, or in the one that made the block."""
        made = commits[-1] if commits else None
        sealed = _touch(made)._replace(what="sealed") if made and block.kind == Kind.BLOCK else None
        messages = {link.ref: message for link in links if (message := self._tracing.message(link))}
        thread = Document.parse(self._store.files.read(block.path), block.path).text("thread") if messages else ""
        origins = self._in_tail(layout.tail_path(thread), messages, made if sealed else None) if messages and thread else {}
        found = []
        for link in links:
            if origin := origins.get(link.ref):
                link = link._replace(brought=_touch(origin)._replace(what="came"), changed=(sealed,) if sealed else ())
            elif sealed and not link.missing:
                link = link._replace(brought=sealed._replace(what="came"))
            found.append(link._replace(uncommitted=link.brought is None and not link.missing))
        return tuple(found)

    def _in_tail(self, tail: str, messages: dict[str, Message], sealed: Commit | None) -> dict[str, Commit]:
        """The commits that brought messages into a tail which held them until they were sealed, or holds them still."""
        start = self._head
        if sealed:
            try:
                start = self._store.history.resolve(f"{sealed.id}^")
            except NotFound:  # the first commit of all
                return {}
        pending = {ref: _heading(message) for ref, message in messages.items()}
        found: dict[str, Commit] = {}
        for _, commit in self._store.history.traces([tail], start) if start else ():
            data = self._at(commit)
            pending = {ref: heading for ref, heading in pending.items() if heading in data}
            found |= dict.fromkeys(pending, commit)
            if not pending:
                break
        return found

    # -- history -----------------------------------------------------------------------------

    def _places(self, link: Link) -> list[str]:
        """Under which paths the last commit may know the file of a step."""
        if link.kind == "message":
            return []
        if not link.path:
            name = layout.split_ref(link.ref)[0]
            return [path for tier in Tier if (path := layout.record_path(name, tier))] if layout.is_id(name) else []
        if self._head is None or self._store.history.blob_id(link.path) is not None:
            return [link.path]
        before = self._lookup.past.place(layout.ref_at(link.path), self._head)  # moved by hand, and not committed
        return [before or link.path]

    def _walk(self, paths: Iterable[str]) -> None:
        """Learn the commits of these files."""
        wanted = sorted(set(paths) - self._commits.keys())
        self._commits |= {path: [] for path in wanted}
        for path, commit in self._store.history.traces(wanted) if wanted else ():
            self._commits[path].append(commit)

    def _of(self, places: Sequence[str]) -> list[Commit]:
        """The commits of a file, newest first; of one that is gone, those of the place it had last."""
        return next((found for path in places if (found := self._commits.get(path))), [])

    def _versions(self, places: Sequence[str]) -> Iterator[Version]:
        for commit in self._of(places):
            yield commit, dict.fromkeys(self._at(commit).decode("utf-8", "replace").splitlines())

    def _at(self, commit: Commit) -> bytes:
        """What the file that a commit changed was from then on; nothing where it took it away."""
        status, path, _ = commit.paths[0]
        return b"" if status == "D" else self._store.history.read(path, commit.id)

    def _is_uncommitted(self, path: str) -> bool:
        return bool(path) and self._store.history.blob_id(path) != blob_id(self._store.files.read(path))


def _life(fact: Fact, versions: Iterable[Version]) -> dict[str, Any]:
    """The fields of a link that say when a fact came, when it changed, and whether it is as the newest of these versions has it."""
    line = factlines.fact_line(fact)
    holding: Commit | None = None  # the oldest commit so far in which it stood as it does at this point
    changes: list[Touch] = []
    uncommitted = False
    for commit, lines in versions:
        if line not in lines:
            then = _same(fact, lines)
            if then is None:
                break
            if holding:
                changes.append(_touch(holding)._replace(what="changed"))
            else:
                uncommitted = True
            fact, line = then, factlines.fact_line(then)
        holding = commit
    brought = _touch(holding)._replace(what="came") if holding else None
    return {"brought": brought, "changed": tuple(reversed(changes)), "uncommitted": uncommitted or holding is None}


def _same(fact: Fact, lines: Iterable[str]) -> Fact | None:
    """The same fact in another version of its entity's file; one that an earlier event supports since then goes by another id."""
    near = [found for line in lines if any(ref in line for ref in fact.events) and (found := factlines.fact_in(line))]
    alike = [found for found in near if found.group == fact.group and folded(found.value) == folded(fact.value)]
    mine = fact._replace(twin=0).id
    return next((found for found in alike if found.id == mine), alike[0] if alike else None)


def _steps(link: Link) -> Iterator[Link]:
    yield link
    for below in link.rests_on:
        yield from _steps(below)


def _heading(message: Message) -> bytes:
    """The line a message begins with in a transcript."""
    return transcript.encode([message._replace(text="", tools=(), meta=NOTHING)])


def _touch(commit: Commit) -> Touch:
    return Touch(commit.id, commit.at, commit.author, commit.subject, _WHAT.get(commit.paths[0][0], "changed"))
