"""Git's merge of two clones does not bring back what one of them took away."""

from __future__ import annotations

from pathlib import Path

from oracle import git
from strata import Memory
from test_breaks_derived import block, fact, likes, say  # noqa: F401


def test_what_one_clone_took_away_stays_away(memory: Memory, block: str, tmp_path: Path) -> None:  # noqa: F811
    secret = say(memory, block, fact("Bob", "cake"), fact("Robert", "rum"))
    say(memory, block, fact("Bob", "tea"))
    memory.entity_alias("bob", add=["Bobby"])
    memory.entity_merge("bob", "robert")
    git(tmp_path, "clone", "-q", str(memory.root), "clone")
    with Memory.open(tmp_path / "clone") as other:
        say(other, block, fact("Bob", "gin"))
    memory.forget(secret)
    memory.entity_alias("bob", remove=["Bobby"])
    memory.entity_merge("bob", "robert", undo=True)
    git(memory.root, "-c", "user.name=Ana", "-c", "user.email=ana@example.com", "pull", "-q", "--no-rebase", "--no-edit", str(tmp_path / "clone"), "main")

    assert {"tea", "gin"} == likes(memory, "bob")
    assert () == memory.graph_show("bob").aliases
    text = (memory.root / "active/entities/person/bob.md").read_text("utf-8")
    assert "cake" not in text and "merged:" not in text
