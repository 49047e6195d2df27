"""Commands that write records: add, describe, record."""

from __future__ import annotations

from typing import Any

import click

from strata.cli import inputs
from strata.cli.group import command, with_memory
from strata.cli.options import Ref
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
    TierVanished,
    UsageError,
)
from strata.memory import Memory

_WRITES = (NotAMemory, Conflict, TierVanished, Locked)


@command(
    "add",
    examples=(
        'strata add notes/plan "Ship on Friday."',
        'strata add notes/plan "Moved to Monday." --append',
        'strata add --text "Jo prefers tabs." --tag style',
        "date | strata add notes/today --title Today",
    ),
    exits=(NotFound, AlreadyExists, Malformed, OutsideMemory, *_WRITES),
)
@click.argument("path", required=False, type=Ref())
@click.argument("text", required=False)
@click.option("--text", "words", metavar="TEXT", help="The text; without PATH this is a quick note in notes/inbox/.")
@click.option("--title", metavar="TITLE", default="", help="A title, for the header.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="A tag, for the header; repeat it for several.")
@click.option("--file", "file", metavar="FILE", type=click.Path(), help="Read the text from a file; - is standard input.")
@click.option("--replace", is_flag=True, help="Replace a note that exists.")
@click.option("--append", is_flag=True, help="Add to the end of a note that exists.")
@click.option("--base", metavar="BLOB", help="Refuse if the note is not the one `strata show --json` gave this `blob` for.")
@with_memory
def add_command(memory: Memory, path: str | None, text: str | None, words: str | None, file: str | None, **how: Any) -> Any:
    """Write a note.

    PATH is its name below notes/, with or without .md; the text is TEXT, `--text`, `--file` or
    what comes on standard input. A note that exists is left alone unless `--replace` or
    `--append` is given. Secrets are replaced before anything is written, as the setting `redact`
    says.
    """
    return memory.add(path, _text(path, text, words, file, bool(how["title"])), **how)


def _text(path: str | None, text: str | None, words: str | None, file: str | None, titled: bool) -> str:
    given = [value for value in (text, words, file) if value is not None]
    if len(given) > 1:
        raise UsageError("the text is given more than once", remedy="give one of TEXT, --text and --file")
    if file is None and text != "-" and given:
        return given[0]
    if not given and inputs.waits_for_typing():
        if titled:
            return ""
        remedy = f"did you mean: strata add --text {path!r}" if path and " " in path else "give TEXT, --text, --file, or pipe it in"
        raise UsageError("there is no text to write", remedy=remedy)
    return inputs.text(file or "-")


@command(
    "describe",
    examples=(
        """echo '{"title": "Choosing pnpm", "tags": ["tooling"], "summary": "Jo asked for pnpm.", "keypoints": ["pnpm from now on (m1)"]}' | strata describe blk-2026""",
    ),
    exits=(NotFound, Ambiguous, Malformed, *_WRITES),
)
@click.argument("block", type=Ref())
@click.option("--file", metavar="FILE", type=click.Path(), default="-", help="Read the JSON from a file instead of standard input.")
@with_memory
def describe_command(memory: Memory, block: str, file: str) -> Any:
    """Give a block its title, tags, summary and key points.

    They come as one JSON object with `title`, `tags`, `summary` and `keypoints`; each key point
    ends in the messages it rests on, like `(m3)`. It takes the place of the description there was:
    what is left out is left empty. What does not hold is refused as a whole.
    """
    return memory.describe(block, inputs.json_object(file, what="the description"))


@command(
    "record",
    examples=(
        """echo '{"title": "pnpm from now on", "event_type": "decision", "source_block": "blk-2026", "source_messages": ["m1"], "facts": [{"type": "project", "name": "kynd", "mode": "relation", "key": "uses", "target": "tool", "value": "pnpm"}]}' | strata record""",
    ),
    exits=(NotFound, Malformed, Refused, *_WRITES),
)
@click.option("--file", metavar="FILE", type=click.Path(), default="-", help="Read the JSON from a file instead of standard input.")
@with_memory
def record_command(memory: Memory, file: str) -> Any:
    """Keep an event card, with the evidence for it.

    The card is one JSON object. It names its evidence: `source_block` and, in `source_messages`,
    at least one message of it. Quotes must occur there and dates must parse; else the card is
    refused, with every fault named.

    Fields: title, event_type, status (occurred, planned, cancelled, ongoing, unknown), happened_start
    and happened_end (2026, 2026-05, 2026-05-20 or a time), precision, basis (explicit, relative,
    inferred, unknown), original_text, participants, narrative, quotes, supersedes, conflicts_with,
    criticality (routine, preference, identity, safety), confidence (0 to 1), pinned, facts. A card
    that is superseded or contradicted is named by its id, or a beginning of it that fits no other.

    Each of the facts says something of an entity: type (person, project, organization, tool, place),
    name, mode (state replaces, set gathers, relation leads to another), key, value, and where known
    target (the type of what a relation leads to), valid_from, valid_to, confidence.
    """
    return memory.record(inputs.json_object(file, what="the event card"))
