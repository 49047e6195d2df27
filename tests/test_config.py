"""Settings: one table, one file, one line per change."""

from __future__ import annotations

from pathlib import Path

import pytest

from strata import Memory
from strata.config import SETTINGS_TABLE, Config, template
from strata.errors import Malformed, NotFound, UsageError


def test_the_template_states_every_setting_with_its_default() -> None:
    config = Config(template().encode())

    assert config.values == {key: row.default for key, row in SETTINGS_TABLE.items()}
    assert config.unknown == ()


def test_the_shipped_template_is_made_from_the_table() -> None:
    shipped = Path(__file__).parent.parent / "memory-template" / "strata.yaml"

    assert template() == shipped.read_text("utf-8")


def test_setting_one_value_changes_its_line_and_no_other() -> None:
    before = template().encode().split(b"\n")
    after = Config(template().encode()).with_value("block_turns", "6").split(b"\n")

    assert [(b"block_turns: 12", b"block_turns: 6")] == [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]


@pytest.mark.parametrize("key, value", [("block_turns", "0"), ("block_turns", "many"), ("redact", "maybe"), ("lock_timeout", "-1"), ("thread", " ")])
def test_a_value_that_cannot_be_is_refused(key: str, value: str) -> None:
    with pytest.raises(UsageError) as caught:
        Config(b"").with_value(key, value)

    assert SETTINGS_TABLE[key].expects in caught.value.remedy


def test_an_unknown_setting_is_refused_by_name_and_kept_in_the_file() -> None:
    with pytest.raises(NotFound, match="colour"):
        Config(b"").with_value("colour", "red")

    assert Config(b"colour: red\n").unknown == ("colour",)
    assert b"colour: red" in Config(b"colour: red\n").with_value("block_turns", "3")


@pytest.mark.parametrize("data, line", [(b"# fine\nblock_turns: 3\nredact: [on\n", 3), (b"block_turns: many\n", 1), (b"a: 1\nblock_turns: 0\n", 2), (b"redact: on\nredact: off\n", 2)])
def test_a_file_with_a_mistake_names_its_line(data: bytes, line: int) -> None:
    with pytest.raises(Malformed) as caught:
        Config(data)

    assert (caught.value.path, caught.value.line) == ("strata.yaml", line)


def test_a_setting_is_not_written_over_a_file_that_cannot_be_read(memory: Memory) -> None:
    place = memory.root / "strata.yaml"
    broken = place.read_bytes() + b"redact: [on\n"
    place.write_bytes(broken)

    with pytest.raises(Malformed):
        memory.config_set("block_turns", "3")

    assert broken == place.read_bytes()


def test_get_set_and_list_agree(memory: Memory) -> None:
    memory.config_set("block_turns", "7")

    assert memory.config_get("block_turns") == 7
    assert [row.value for row in memory.config_list() if row.key == "block_turns"] == [7]
    with pytest.raises(NotFound):
        memory.config_get("nonsense")


def test_a_rule_of_the_tiers_is_set_for_a_prefix_and_the_longest_counts(memory: Memory) -> None:
    memory.config_set("tiers.cool_after.notes/projects", "21")
    memory.config_set("tiers.cool_after.notes/projects/kynd", "never")

    assert 21 == memory.config_get("tiers.cool_after.notes/projects")
    assert "never" == memory.config_get("tiers.cool_after.notes/projects/kynd/deeper")
    assert 21 == memory.config_get("tiers.cool_after.notes/projects/other")
    assert 30 == memory.config_get("tiers.cool_after.events")
    assert b"tiers.cool_after.notes/projects: 21\n" in (memory.root / "strata.yaml").read_bytes()
    assert "tiers.cool_after.notes/projects/kynd" in [row.key for row in memory.config_list()]


@pytest.mark.parametrize("key", ["tiers.cool_after.", "tiers.cool_after.../x", "tiers.cool_after./etc", "tiers.cool_after.tails", "tiers.cool_after.cooled/notes", "tiers.warm_after", "tiers.promote_accesses.notes//a"])
def test_a_prefix_that_no_record_can_have_is_no_setting(key: str) -> None:
    with pytest.raises(NotFound):
        Config(b"").with_value(key, "3")


@pytest.mark.parametrize("key, value", [("tiers.cool_after.notes", "0"), ("tiers.cool_after", "-1"), ("tiers.archive_after", "soon"), ("tiers.promote_accesses", "0"), ("tiers.keep_accesses.events", "1.5"), ("tiers.keep_accesses", "never"), ("daemon_interval", "0")])
def test_a_rule_is_checked_like_any_setting(key: str, value: str) -> None:
    with pytest.raises(UsageError):
        Config(b"").with_value(key, value)


def test_rules_may_be_written_as_mappings_by_hand() -> None:
    config = Config(b"tiers:\n  cool_after:\n    notes/projects: 21\n    events: never\n  archive_after: 200\n")

    assert (21, "never", 200, ()) == (config["tiers.cool_after.notes/projects"], config["tiers.cool_after.events"], config["tiers.archive_after"], config.unknown)
    with pytest.raises(Malformed):
        Config(b"tiers:\n  cool_after:\n    notes: soon\n")
