"""What a sentence chooses, what it gives up for that, and what it is about: "use Rust for the parser instead of Go"."""

from __future__ import annotations

import re
from typing import NamedTuple

from strata.claims import folded

_TOOL = r"(?:the )?[\w.+#/-]*[\w+#](?: (?:v?\d[\w.]*|[A-Z][\w.+#-]*)){0,2}"
_FOR = r"(?: (?:for|in|on) (?:the |our |a |this |my )?(?P<about>[^,;.!?]{2,50}?))?"
_END = r"(?=\s*(?:$|[,;.!?—]| because\b| since\b| from (?:now|today)\b| as of\b| and\b| then\b| - ))"
_TAKE = r"(?:us(?:e|ing)|go(?:ing)? with|tak(?:e|ing)|pick(?:ing)?|choos(?:e|ing)|adopt(?:ing)?|stick(?:ing)? (?:with|to)|switch(?:ing)? to|mov(?:e|ing) to)"
_SENTENCES = (
    rf"(?i:\b{_TAKE}) (?P<new>{_TOOL}){_FOR} (?i:instead of|rather than|over|and not|, not) (?P<old>{_TOOL})(?: (?:for|in|on) (?:the |our |a |this |my )?(?P<more>[^,;.!?]{{2,50}}?))?{_END}",
    rf"(?i:\b(?:switch(?:ed|ing)?|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|port(?:ed|ing)?|chang(?:e|ed|ing)))(?: (?:the |our |a |this |my )?(?P<about>[\w -]{{2,40}}?))? (?i:from) (?P<old>{_TOOL}) (?i:(?:back )?to) (?P<new>{_TOOL}){_END}",
    rf"(?i:\breplac(?:e|ed|ing)) (?P<old>{_TOOL}){_FOR} (?i:with|by) (?P<new>{_TOOL}){_END}",
    rf"(?P<new>{_TOOL}) (?i:replaces) (?P<old>{_TOOL}){_FOR}{_END}",
    rf"(?i:\bdrop(?:ped)?) (?P<old>{_TOOL}) (?i:and (?:switch|move|migrate)d?) (?:the |our |a |this |my )?(?P<about>[\w -]{{2,40}}?) (?i:to) (?P<new>{_TOOL})(?i: instead)?{_END}",
    rf"(?i:\b(?:drop(?:ped|ping)?|ditch(?:ed|ing)?|abandon(?:ed|ing)?|no longer (?:use|need|support)s?)) (?P<old>{_TOOL}){_FOR}(?i:,? (?:and|then) (?:use|move to|switch to|go (?:back to|with)) (?P<new>{_TOOL})| in favou?r of (?P<new2>{_TOOL}))?{_END}",
    rf"(?i:\b(?:go|going|move|switch|revert)(?:ing)? back to|\brevert to) (?P<back>{_TOOL}){_FOR}{_END}",
    rf"^(?i:(?:(?:ok(?:ay)?|so|then|right|actually|well|and|please)[,:]? )*(?:(?:let['’]?s|let us|we['’]ll|we will|we(?:['’]re| are)|i['’]ll|we(?:['’]ve| have)? (?:decided|agreed) to|i(?:['’]ve| have)? decided to) )?(?:just |now )?{_TAKE}) (?P<new>{_TOOL}){_FOR}\s*[.!]*$",
)  # fmt: skip
_SEVERAL = r"(?i)\band\b|,|&|\bor\b"
_IDLE = frozenset("the our a an this that my your all every each new old it them these those".split())


class Choice(NamedTuple):
    """Names as they are compared, "" for none: what is `taken`, what is given up (`left`), what is gone `back` to; `about` are the words that say for what."""

    taken: str = ""
    left: str = ""
    back: str = ""
    about: frozenset[str] = frozenset()
    several: bool = False


def choice(sentence: str) -> Choice | None:
    """What a sentence chooses; None where it says so in no plain words."""
    for pattern in _SENTENCES:
        if match := re.search(pattern, sentence):
            found = match.groupdict()
            about = " ".join(filter(None, (found.get("about"), found.get("more"))))
            if re.search(r"(?i)\b(?:for|as|with)\b", about):
                return None  # more than one choice
            words = frozenset(word for word in re.findall(r"[\w+#]+", about.lower()) if word not in _IDLE)
            return Choice(_name(found.get("new") or found.get("new2")), _name(found.get("old")), _name(found.get("back")), words, bool(re.search(_SEVERAL, about)))
    return None


def undoes(new: Choice, old: Choice) -> bool:
    """Whether a later choice leaves nothing of an earlier one: what was taken is given up, or what was given up is gone back to, for the same thing."""
    if not ((new.left and new.left == old.taken) or (new.back and new.back == old.left)) or new.taken and new.taken == old.taken:
        return False
    if not new.about:
        return True  # whatever it was for
    return not old.several and (bool(new.about & old.about) or not old.about and bool(new.back))


def _name(text: str | None) -> str:
    return folded(text or "").removeprefix("the ")
