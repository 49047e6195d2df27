"""A JSON object that a person or an agent supplies, read field by field, with every fault gathered.

Nothing is repaired. A reader asks for each field; what is missing, too long or of the wrong kind
becomes a fault and an empty value, and one refusal at the end names them all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from strata import moment
from strata.errors import Malformed

# Controls, and halves of surrogate pairs, which no file can hold; tab and line ends are judged apart.
UNWRITABLE = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]"
_LINE_END = r"[\t\n\r\u2028\u2029]"
_SHOWN = 60  # characters of a bad value in a fault
_DIGITS = 40  # of a whole number


class Form:
    """The fields of one object; `what` names it in the refusal, `faults` gathers what is wrong.

    Raises Malformed at once for what is no object; unknown fields are faults from the start.
    """

    def __init__(self, what: str, value: object, fields: Collection[str]) -> None:
        if not isinstance(value, Mapping):
            raise Malformed(f"{what} is a JSON object, not {_kind(value)}", remedy=f"give an object with {', '.join(fields)}")
        self.what = what
        self.value: Mapping[str, Any] = value
        self.faults: list[str] = [f"{shown(name)} is no field of it" for name in value if name not in fields]

    def fault(self, field: str, problem: str) -> None:
        """Note what is wrong with a field."""
        self.faults.append(f"{field} {problem}")

    def text(self, field: str, limit: int, *, required: bool = False, lines: bool = False) -> str:
        """A text of at most `limit` characters; on one line unless `lines`."""
        value = self.value.get(field)
        if value is None or value == "":
            if required:
                self.fault(field, "is missing")
            return ""
        return self._text(field, value, limit, lines) or ""

    def texts(self, field: str, most: int, limit: int, *, lines: bool = False) -> tuple[str, ...]:
        """A list of at most `most` texts, none of them empty."""
        value = self.value.get(field)
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.fault(field, f"is a list of texts, not {_kind(value)}")
            return ()
        if len(value) > most:
            self.fault(field, f"has {len(value)} entries, at most {most} are allowed")
        read = (self._text(f"{field}[{place}]", item, limit, lines) for place, item in enumerate(value[:most], 1))
        return tuple(text for text in read if text is not None)

    def choice(self, field: str, options: Collection[str], default: str) -> str:
        """One of the options."""
        value = self.value.get(field)
        if value is None or value == "":
            return default
        if not isinstance(value, str) or value not in options:
            self.fault(field, f"is one of {', '.join(options)}, not {shown(value)}")
            return default
        return value

    def share(self, field: str) -> float | None:
        """A number from 0 to 1; None where it is not given."""
        value = self.value.get(field)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            self.fault(field, f"is a number from 0 to 1, not {shown(value)}")
            return None
        return float(value)

    def flag(self, field: str) -> bool:
        """true or false; false where it is not given."""
        value = self.value.get(field)
        if value is not None and not isinstance(value, bool):
            self.fault(field, f"is true or false, not {shown(value)}")
            return False
        return bool(value)

    def time(self, field: str) -> str:
        """A time in one of the forms of `moment`, or ""."""
        value = self.value.get(field)
        if value is None or value == "":
            return ""
        if not isinstance(value, str) or not moment.is_valid(value):
            self.fault(field, f"is an ISO 8601 date or time such as 2026-05-20, not {shown(value)}")
            return ""
        return value

    def check(self, remedy: str) -> None:
        """Raise Malformed with every fault, if there are any."""
        if self.faults:
            raise Malformed(f"{self.what}: {'; '.join(self.faults)}", remedy=remedy, faults=self.faults)

    def _text(self, field: str, value: object, limit: int, lines: bool) -> str | None:
        if not isinstance(value, str):
            self.fault(field, f"is a text, not {_kind(value)}")
        elif not value.strip():
            self.fault(field, "is empty")
        elif len(value) > limit:
            self.fault(field, f"has {len(value)} characters, at most {limit} are allowed")
        elif re.search(UNWRITABLE, value):
            self.fault(field, "holds a control character or half a surrogate pair")
        elif not lines and re.search(_LINE_END, value):
            self.fault(field, "is more than one line, or holds a tab")
        else:
            return value
        return None


def whole(text: str) -> int:
    """The number that these digits of a JSON text are, for `json.loads`. Raises ValueError for more digits than any number needs."""
    if len(text) > _DIGITS:
        raise ValueError(f"a number of {len(text):,} digits")
    return int(text)


def shown(value: object) -> str:
    """A value as it may stand in a message: on one line, escaped, shortened."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _kind(value: object) -> str:
    """What JSON calls a value."""
    if value is None:
        return "null"
    names = {bool: "true or false", str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), f"a {type(value).__name__}")
