"""What strata writes is read the same by the library that most tools read frontmatter with."""

from __future__ import annotations

import frontmatter
from hypothesis import given
from hypothesis import strategies as st

from oracle import KEY
from strata import Memory
from strata.document import Document
from strata.model import Message

WORDS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=40).filter(str.strip)
KEYS = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=12).filter(lambda key: key not in ("content", "handler", "y", "n", "yes", "no", "on", "off", "null", "true", "false"))


@given(st.dictionaries(KEYS, WORDS | st.lists(WORDS, max_size=4), min_size=1, max_size=6), WORDS)
def test_headers_read_back_the_same_elsewhere(header: dict[str, str | list[str]], body: str) -> None:
    read = frontmatter.loads(Document.new(header, (body + "\n").encode()).data.decode("utf-8"))

    assert {key: [str(item) for item in value] if isinstance(value, list) else value for key, value in header.items()} == {
        key: [str(item) for item in value] if isinstance(value, list) else str(value) for key, value in read.metadata.items()
    }
    assert body.strip() == read.content


def test_every_file_of_a_memory_is_read_elsewhere(memory: Memory) -> None:
    memory.add("notes/a", "---\nnot: a header\n---\nbody\n", title="Re: a colon", tags=["x, y", "z"])
    memory.append([("main", Message(f"m{number}", "user", f"Which door is number {number}? yes, no, 007: 1.10"))  for number in range(15)])
    block = memory.list(kinds=["block"])[0].ref
    memory.record({"title": "Doors: numbered", "source_block": block, "source_messages": ["m1"], "event_type": "fact", "status": "occurred"})
    for place in (memory.root / "active").rglob("*.md"):
        ours, theirs = Document.parse(place.read_bytes()), frontmatter.load(str(place))

        assert set(ours.header) == set(theirs.metadata)
        assert ours.text("title") == str(theirs.metadata.get("title", ""))
    assert KEY
