"""Every command: where it is written, what it does in a line, and under which purpose the help lists it.

The table lets `strata --help` and completion speak of all commands while a call imports only the
module of its own.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One command: `module` is below strata.cli."""

    name: str
    module: str
    section: str
    help: str


SECTIONS = ("Capture", "Write", "Find", "History", "Care", "Start")

TABLE = {
    row.name: row
    for row in (
        Row("append", "capture", "Capture", "Store messages, given as JSON Lines on standard input."),
        Row("ingest", "capture", "Capture", "Read a whole transcript; again and again, as it grows."),
        Row("seal", "capture", "Capture", "Seal complete turns into blocks, without waiting for more."),
        Row("add", "write", "Write", "Write a note."),
        Row("describe", "write", "Write", "Give a block its title, tags, summary and key points."),
        Row("record", "write", "Write", "Keep an event card, with the evidence for it."),
        Row("search", "find", "Find", "Find messages, blocks, events and notes by their words."),
        Row("show", "find", "Find", "Show one record, or one message of it."),
        Row("list", "find", "Find", "List records, newest first."),
        Row("log", "history", "History", "Show the commits of the memory, or of one record."),
        Row("diff", "history", "History", "Show what changed, as a patch."),
        Row("status", "care", "Care", "Show how the memory stands: counts, sizes, history, index."),
        Row("doctor", "care", "Care", "Check that everything holds."),
        Row("reindex", "care", "Care", "Build the search index anew."),
        Row("config", "care", "Care", "Show and change the settings."),
        Row("init", "start", "Start", "Make a memory."),
        Row("demo", "start", "Start", "Take a tour: make a memory, fill it, search it."),
        Row("completion", "start", "Start", "Print the completion script for a shell."),
    )
}
