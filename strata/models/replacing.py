"""Which older cards a new one takes the place of, because its own words give up, end or cancel what they say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from strata import moment
from strata.cards import Event
from strata.changecues import clauses, terms
from strata.claims import Claim, folded
from strata.holding import long_before
from strata.models.choices import choice, undoes
from strata.models.ending import ends
from strata.models.projecting import KEYS, claims
from strata.revisions import Statement, revisions

_HAN = "[\u3400-\u9fff]"
_REPLACEABLE = ("decision", "preference", "plan", "correction", "state")
_FOR = r"(?i)\s(?:for|as)\s"  # behind it stands what something was chosen for
_NOT = r"\b(?:and )?not (?:at |in |to )?"
_SEVERAL = r"(?i)\band\b|,|&|\bor\b"
_DECIDING = terms("decided decision agreed settled")
_GIVING_UP = terms("dropped ditched abandoned retired got rid favour favor migrated moved away replaced finally switch switched move migrate drop port instead let us")
_OCCASIONS = terms(
    "trip flight meeting appointment visit interview call offsite party dinner lunch demo conference concert event plan class course exam session workshop wedding tour holiday vacation talk"
    " flying travelling traveling moving visiting attending hosting meeting planning going cancelled canceled called off longer more after all anymore not with for"
)
_EVENTS = terms("meeting appointment interview call offsite party dinner lunch demo conference concert plan class course exam session workshop wedding talk")  # each of its own, whatever town it is in
_BARE = r"(?i)^(?:(?:ok(?:ay)?|so|then|no|actually|hm+|please|well|right|fine|sorry)[,.!]? )*(?:let['’]?s |let us |we['’]ll |we will |please )?(?P<verb>use|go with|take|make it|call it|pick|choose|switch to|stick with|stick to) (?P<what>[\w.+#/-]+(?: [\w.+#/-]+){0,3}?)"


def may_replace(event: Event) -> bool:
    """A first look that costs little: whether a card's words could give up, end or cancel anything."""
    if event.event_type == "decision" and event.quotes and (chosen := choice(event.quotes[0])) and (chosen.left or chosen.back):
        return True
    return event.status == "cancelled" or any(re.search(_NOT, quote) for quote in event.quotes) or any(clause.changes for quote in event.quotes for clause in clauses(quote)) or bool(ends(event))


def replaced(new: Event, older: Sequence[Event]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of older cards that a new one supersedes, and ids of those it conflicts with, because somebody else said them.

    `older` were said before it. Only where its own words say so ("from 8080 to 8412", "no longer", 改成), by the rules of `strata.revisions`,
    or where it ends just what an older one claims, or cancels the one plan that it can mean; else both are empty.
    """
    if not new.quotes:
        return (), ()
    past = [old for old in older if old.id and old.quotes and old.quotes[0] != new.quotes[0]]
    supersedes = [*_ended(new, past), *_cancelled(new, past), *_instead(new, past), *_put_right(new, past), *_undone(new, past)]
    conflicts: list[str] = []
    said = new.quotes[0]
    about = terms(said)
    for old in past if new.event_type in _REPLACEABLE else ():
        if old.event_type not in _REPLACEABLE:
            continue
        query = _shared(said, about & terms(old.quotes[0]))
        if not query:
            continue
        statements = [_statement("new", new, 1_000), _statement("old", old, 0)]
        if any(revision.outdated == "old" for revision in revisions(query, statements)) or _gives_up(said, old):
            apart = new.participants and old.participants and not set(new.participants) & set(old.participants)
            (conflicts if apart else supersedes).append(old.id)
    return tuple(dict.fromkeys(supersedes))[:20], tuple(dict.fromkeys(conflicts))[:20]


def _ended(new: Event, older: Iterable[Event]) -> list[str]:
    """Cards whose every claim the new one ends."""
    ended = ends(new)
    over = {_of(claim) for claim in ended}
    if not over:
        return []
    found = []
    for old in older:
        if long_before(new.happened_end or new.happened_start, moment.local_day(old.mentioned_at)):
            continue  # it ended once, and was so again when it was said
        said = [_of(claim) for claim in claims(old) if claim.key not in KEYS.values() and not claim.valid_to]
        if said and over.issuperset(said) and not _before(new, old):
            found.append(old.id)
    return found


def _of(claim: Claim) -> tuple[str, ...]:
    """What a claim is about, as it is compared; a project has a tool, in whatever words, and tabs over spaces are tabs."""
    if claim.key == "prefers":
        return (claim.entity, claim.mode, claim.key, re.split(r" (?:over|to|rather than|instead of) ", folded(claim.value))[0], "")
    return (claim.entity, claim.mode, "uses" if claim.type == "project" and claim.target else claim.key, folded(claim.value), claim.target)


def _cancelled(new: Event, older: Iterable[Event]) -> list[str]:
    """The one plan that a cancelled one can mean: all that its words name, but for the occasion, stands in it."""
    if new.event_type != "plan" or new.status != "cancelled":
        return []
    what = terms(new.quotes[0].replace(new.original_text, " ") if new.original_text else new.quotes[0]) - _OCCASIONS
    if not what:
        return []
    named = terms(new.quotes[0]) & _EVENTS
    plans = [old for old in older if old.event_type == "plan" and old.status == "planned" and _same_people(new, old) and not _before(new, old) and _ahead(new, old)]
    found = [old for old in plans if what <= terms(old.quotes[0]) and named <= terms(old.quotes[0]) and _same_time(new, old)]
    return [found[0].id] if len(found) == 1 else []


def _instead(new: Event, older: Sequence[Event]) -> list[str]:
    """The decision right before, in the same talk, where "let's use tabs instead" follows on "let's use 4 spaces"."""
    match = re.match(rf"{_BARE},? instead[.! ]*$", new.quotes[0])
    last = next((old for old in older if old.event_type == "decision" and old.source_block == new.source_block), None)
    if match is None or new.event_type != "decision" or last is None or not _same_people(new, last) or _before(new, last):
        return []
    before = re.match(rf"{_BARE}[.! ]*$", last.quotes[0])
    return [last.id] if before and before["verb"].lower() == match["verb"].lower() and folded(before["what"]) != folded(match["what"]) else []


def _undone(new: Event, older: Iterable[Event]) -> list[str]:
    """Decisions of the same people of which a new one leaves nothing: "use Rust instead of Go" after "let's use Go"."""
    now = choice(new.quotes[0]) if new.event_type in ("decision", "correction") else None
    if now is None or not (now.left or now.back):
        return []
    decided = [old for old in older if old.event_type == "decision" and _same_people(new, old) and not _before(new, old)]
    return [old.id for old in decided if (before := choice(old.quotes[0])) and undoes(now, before)]


def _put_right(new: Event, older: Iterable[Event]) -> list[str]:
    """Cards that claim what the new one says it is not: "I live in Lisbon, not Porto"."""
    said = folded(new.quotes[0])
    if not re.search(_NOT, said):
        return []
    mine = {(claim.entity, claim.mode, claim.key): folded(claim.value) for claim in claims(new)}
    found = []
    for old in older:
        theirs = [(mine.get((claim.entity, claim.mode, claim.key)), folded(claim.value)) for claim in claims(old)]
        if theirs and all(now and now != before and re.search(rf"{_NOT}{re.escape(before)}\b", said) for now, before in theirs) and not _before(new, old):
            found.append(old.id)
    return found


def _same_people(new: Event, old: Event) -> bool:
    return set(new.participants) == set(old.participants)


def _same_time(new: Event, old: Event) -> bool:
    """Whether both can be of one time: False where each names one and they do not meet."""
    if not new.happened_start or not old.happened_start:
        return True
    one, other = ((moment.parse(each.happened_start), moment.parse(each.happened_end or each.happened_start)) for each in (new, old))
    return one[0].opens < other[1].closes and other[0].opens < one[1].closes


def _ahead(new: Event, old: Event) -> bool:
    """Whether a plan still lay ahead when the new card was told."""
    end = old.happened_end or old.happened_start
    return not (end and new.mentioned_at) or moment.parse(end).closes > moment.parse(moment.local_day(new.mentioned_at) or new.mentioned_at).opens


def _before(new: Event, old: Event) -> bool:
    """Whether what is new was said before what is old."""
    return bool(new.mentioned_at and old.mentioned_at) and moment.sort_key(new.mentioned_at) < moment.sort_key(old.mentioned_at)


def _gives_up(said: str, old: Event) -> bool:
    """Whether a sentence gives up just what an older decision was for, "npm is out" after "let's use npm", and is about nothing else than that decision."""
    if old.event_type != "decision":
        return False
    quote = old.quotes[0]
    core, purpose = [*re.split(_FOR, quote, maxsplit=1), ""][:2]
    changes = [clause for clause in clauses(said) if clause.changes and any(term.isalpha() for term in clause.old)]
    beside = terms(said) - _GIVING_UP - frozenset(term for clause in clauses(said) for term in clause.old | clause.new)
    if not beside <= terms(quote) or (beside and re.search(_SEVERAL, purpose)):
        changes = [clause for clause in changes if clause.plain]
    chosen = [*clauses(quote), *clauses(core)] if changes else []
    return any(clause.terms - _DECIDING in [change.old for change in changes] for clause in chosen if not clause.open and not clause.old)


def _shared(text: str, common: Iterable[str]) -> str:
    """A question about what two texts have in common, in the words of the first."""
    kept = set(common)
    latin = [word for word in text.split() if not re.search(_HAN, word) and terms(word) & kept]
    return " ".join([*latin, *sorted(term for term in kept if re.match(_HAN, term))])


def _statement(ref: str, event: Event, position: int) -> Statement:
    return Statement(ref, event.quotes[0], event.mentioned_at, event.source_block, position, speaker=event.participants[0] if event.participants else "")
