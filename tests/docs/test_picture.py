"""The picture on the front page is what `strata graph export` draws of the claims below."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from strata import Memory, claims
from strata.model import Message

PICTURE = Path(__file__).parent.parent.parent / "docs" / "graph.svg"

CLAIMS = """
person Jo · relation · works on · project kiosk · from 2026-01
person Jo · relation · works at · organization Moth Theatre · from 2024
person Jo · relation · lives in · place Lisbon · from 2020 · to 2026-03
person Jo · relation · lives in · place Berlin · from 2026-03
person Mika · relation · sister of · person Jo
person Mika · relation · works on · project kiosk · from 2026-05
person Ada · relation · directs · organization Moth Theatre
project kiosk · relation · stores in · tool SQLite · from 2026-01 · to 2026-10
project kiosk · relation · stores in · tool PostgreSQL · from 2026-10
project kiosk · relation · builds with · tool pnpm · from 2026-10
project kiosk · relation · stands in · place foyer
organization Moth Theatre · relation · owns · place foyer
project lights · relation · talks to · project kiosk
person Ada · relation · works on · project lights
""".strip().splitlines()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> str:
    with Memory.init(tmp_path_factory.mktemp("picture") / "memory", key=b"k" * 32) as memory:
        memory.append([("talk", Message("m1", "user", "All of this is so.", at="2026-11-30T09:00:00Z"))])
        block = memory.seal("talk", everything=True)[0].ref
        facts = [claims.as_object(claim) for claim in claims.of_lines(CLAIMS)]
        memory.record({"title": "How things stand", "source_block": block, "source_messages": ["m1"], "facts": facts})
        return memory.graph_export("svg").text


def words(svg: str) -> list[str]:
    return sorted(" ".join("".join(element.itertext()).split()) for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))


def test_the_picture_is_what_the_graph_gives(drawn: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-docs"):
        PICTURE.write_text(drawn, encoding="utf-8", newline="\n")

    assert words(drawn) == words(PICTURE.read_text(encoding="utf-8")), "pytest --update-docs rewrites it"
    assert re.search(r"!\[[^\]]+\]\(docs/graph\.svg\)", (PICTURE.parent.parent / "README.md").read_text(encoding="utf-8"))
