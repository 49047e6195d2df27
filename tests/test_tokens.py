"""Tokens: the estimate is on the safe side of real tokenizers, and the real one says its name."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hostile import fields
from hypothesis import given

from strata import Memory, tokenizer
from strata.errors import UsageError
from strata.tokens import ESTIMATE, estimate

SAMPLES = {
    "english": "We moved the greenhouse to the south side of the house last spring, because the old place had no sun after three in the afternoon.",
    "short": "Rhododendrons, Wolfgang?",
    "code": "def area(width: float, height: float) -> float:\n    \"\"\"Square metres.\"\"\"\n    if width < 0 or height < 0:\n        raise ValueError(f\"negative: {width!r}, {height!r}\")\n    return width * height\n",
    "chinese": "我们上周决定把包管理器换成另一个，因为安装速度快得多。下次会议再讨论锁文件的问题。",
    "japanese": "昨日の会議で、来月から新しい倉庫を使うことに決まりました。",
    "korean": "어제 회의에서 다음 달부터 새 창고를 쓰기로 했습니다.",
    "russian": "Вчера на собрании решили с будущего месяца пользоваться новым складом.",
    "json": '{"id": "r-20419", "ok": true, "sizes": [12, 48, 4096], "path": "/srv/data/2026-11-30/part-0007.bin", "note": null}',
    "emoji": "🎉 done 👍🏽 family 👨‍👩‍👧 flag 🇫🇷 ❤️",
    "hash": "9f2c41d07be83a6655e1c0d4b7a9f83e2d6c5b4a3f2e1d0c 7Qm2xZpW9kLr4TnV",
    "log": "2026-11-30T12:00:00.123Z ERROR [pool-3] c.e.Store - write failed (errno=28): /var/lib/store/seg_00017.tmp",
    "address": "https://docs.example.org/v2/guide/setup.html?lang=en&step=3#proxy-settings",
    "table": "| name | size |\n|------|------|\n| a    | 12   |\n\n\n\t- item\n\t\t- below it\n",
}

# What the tokenizers of five families of models make of these texts; of each text the most.
MOST = {
    "english": 27, "short": 8, "code": 54, "chinese": 42, "japanese": 31, "korean": 29, "russian": 33, "json": 64, "emoji": 33, "hash": 64, "log": 55, "address": 28, "table": 30,
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_no_tokenizer_measured_takes_more_than_the_estimate(name: str) -> None:
    assert MOST[name] <= estimate(SAMPLES[name])


@pytest.mark.parametrize("name, factor", [("english", 1.4), ("code", 1.5), ("json", 1.6), ("log", 1.6), ("chinese", 1.7)])
def test_it_is_not_far_off_where_most_text_is(name: str, factor: float) -> None:
    assert estimate(SAMPLES[name]) <= factor * MOST[name]


@given(fields(1))
def test_any_text_has_an_estimate_within_its_bytes(texts: list[str]) -> None:
    (text,) = texts
    size = len(text.encode("utf-8", "surrogatepass"))

    assert 0 <= estimate(text) <= size + 2


def test_no_text_is_no_token() -> None:
    assert (0, 3) == (estimate(""), estimate("a"))


@given(fields(2))
def test_two_lines_count_for_no_more_together_than_alone(texts: list[str]) -> None:
    first, second = texts

    assert estimate(f"{first}\n{second}") <= estimate(f"{first}\n") + estimate(second)


def test_a_long_text_is_counted_in_time() -> None:
    assert 250_000 < estimate("word " * 250_000) < 500_000
    assert 1_000_000 <= estimate("a1" * 500_000)


def test_auto_never_loads_a_vocabulary(memory: Memory) -> None:
    memory.add("plan", "Ship on Friday.")

    assert ESTIMATE == tokenizer.counter("auto")
    assert ("estimate", "estimate") == (memory.context("ship friday").counter, memory.context("ship friday", counter="auto").counter)


def test_without_the_extra_the_estimate_counts_and_is_named(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer, "is_installed", lambda: False)
    memory.add("plan", "Ship on Friday.")

    assert ESTIMATE == tokenizer.counter("auto")
    assert "estimate" == memory.context("ship friday").counter
    with pytest.raises(UsageError, match="not installed"):
        tokenizer.counter("o200k_base")
    with pytest.raises(UsageError, match="not installed"):
        memory.context("ship friday", counter="o200k_base")


def test_a_setting_that_cannot_be_met_gives_way_with_a_warning(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer, "is_installed", lambda: False)
    memory.config_set("context_counter", "o200k_base")
    memory.add("plan", "Ship on Friday.")

    assert "estimate" == memory.context("ship friday").counter
    assert any("going on with the estimate" in warning for warning in memory.warnings)


def test_a_counter_that_does_not_exist_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError, match="no counter is called 'words'"):
        memory.context("x", counter="words")


def test_looking_for_the_extra_does_not_import_it() -> None:
    code = "import sys; from strata import tokenizer; tokenizer.is_installed(); tokenizer.counter('estimate'); print('splintr' in sys.modules)"

    assert "False\n" == subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(not tokenizer.is_installed(), reason="the extra `tokens` is not installed")
class TestTheExtra:
    def test_it_counts_offline_and_is_named(self) -> None:
        real = tokenizer.counter("o200k_base")

        assert ("o200k_base", 2) == (real.name, real.count("hello world"))
        assert 0 < real.count("half \ud800 of a pair, and a <|endoftext|> that is text")

    @pytest.mark.parametrize("name", SAMPLES)
    def test_the_estimate_is_not_below_it(self, name: str) -> None:
        assert tokenizer.counter("o200k_base").count(SAMPLES[name]) <= estimate(SAMPLES[name])

    def test_a_context_is_within_its_budget_by_it(self, memory: Memory) -> None:
        memory.add("plan", "\n\n".join(SAMPLES.values()))
        given = memory.context("the greenhouse on the south side of the house", budget=150, counter="o200k_base")

        assert 0 < tokenizer.counter("o200k_base").count(given.text) <= given.tokens <= 150
