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


SECTIONS = ("Capture", "Write", "Derive", "Find", "Graph", "History", "Tiers", "Care", "Start")

TABLE = {
    row.name: row
    for row in (
        Row("append", "capture", "Capture", "Store messages, given as JSON Lines on standard input."),
        Row("ingest", "capture", "Capture", "Read a whole transcript; again and again, as it grows."),
        Row("seal", "capture", "Capture", "Seal complete turns into blocks, without waiting for more."),
        Row("add", "write", "Write", "Write a note."),
        Row("describe", "write", "Write", "Give a block its title, tags, summary and key points."),
        Row("record", "write", "Write", "Keep an event card, with the evidence for it."),
        Row("jobs", "jobs", "Derive", "See and do what is to be derived from what was said."),
        Row("search", "find", "Find", "Find messages, blocks, events and notes by their words."),
        Row("assess", "gate", "Find", "Say how well a batch answers its question."),
        Row("use", "gate", "Find", "Count the evidence that helped an answer."),
        Row("unassessed", "gate", "Find", "List the batches that were left open: not assessed, or sufficient and not used."),
        Row("show", "find", "Find", "Show one record, or one message of it."),
        Row("list", "find", "Find", "List records, newest first."),
        Row("context", "context", "Find", "Print what is worth knowing before an answer, as background for a prompt."),
        Row("blocks", "context", "Find", "List blocks with their age and the level at which each is shown now."),
        Row("expand", "context", "Find", "Open a block at a level, and keep it there from now on."),
        Row("map", "lifecycle_views", "Find", "Print the map of active/, and refresh index.md."),
        Row("graph", "graph", "Graph", "Show who and what the memory knows, and how they are related."),
        Row("entity", "entity", "Graph", "Say which entities are one, which are two, and by what names they go."),
        Row("log", "history", "History", "Show the commits of the memory, or of one record."),
        Row("diff", "history", "History", "Show what changed, as a patch."),
        Row("why", "why", "History", "Show what a fact or a record rests on, and who brought it."),
        Row("janitor", "lifecycle", "Tiers", "Let files settle by age and access."),
        Row("promote", "lifecycle", "Tiers", "Bring records back to active/."),
        Row("rehydrate", "lifecycle", "Tiers", "Bring archived records back."),
        Row("archive", "lifecycle", "Tiers", "Put records into archive/ now, whatever their age."),
        Row("pin", "lifecycle", "Tiers", "Pin records: they never move by themselves."),
        Row("unpin", "lifecycle", "Tiers", "Take pins away again."),
        Row("forget", "lifecycle", "Tiers", "Hide records from search, list and show."),
        Row("restore", "lifecycle", "Tiers", "Show forgotten records again, or bring back an earlier version."),
        Row("cost", "lifecycle_views", "Tiers", "Show what resting records save and models took, in tokens and money."),
        Row("status", "care", "Care", "Show how the memory stands: counts, ages, what moves next, history, index, daemon."),
        Row("doctor", "care", "Care", "Check that everything holds."),
        Row("reindex", "care", "Care", "Build the search index anew."),
        Row("config", "care", "Care", "Show and change the settings."),
        Row("daemon", "daemon", "Care", "Tend the memory in the background."),
        Row("init", "start", "Start", "Make a memory."),
        Row("demo", "start", "Start", "Take a tour: make a memory, fill it, search it."),
        Row("completion", "start", "Start", "Print the completion script for a shell."),
    )
}
