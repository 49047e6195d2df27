"""Run the command line inside the test's own process, where that is all a claim needs."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from oracle import KEY

from strata import Memory
from strata.__main__ import main


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> list[Any]:
        """Standard output as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Done]


@pytest.fixture
def run(memory: Memory, monkeypatch: pytest.MonkeyPatch, clock: Any, new_id: Any) -> Run:
    """`run("search", "x", stdin="…")` in the memory of the test, with its clock, ids and key."""
    monkeypatch.setenv("STRATA_HOME", str(memory.root))

    def run(*arguments: str, stdin: str | bytes = b"") -> Done:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = main(arguments, now=clock, new_id=new_id, key=KEY)
            for stream in (out, err):
                stream.flush()
        return Done(code, *(stream.buffer.getvalue().decode(stream.encoding) for stream in (out, err)))

    return run


TALK = (
    '{"id": "m1", "role": "user", "text": "Which package manager shall we use?", "at": "2026-11-30T11:50:02Z"}\n'
    '{"id": "m2", "role": "assistant", "speaker": "Ada", "text": "Use pnpm from today on.", "at": "2026-11-30T11:50:30Z"}\n'
)


def files(root: Path) -> dict[str, bytes]:
    """Everything under a directory, but git's and strata's own."""
    return {
        place.relative_to(root).as_posix(): place.read_bytes()
        for place in sorted(root.rglob("*"))
        if place.is_file() and not {".git", ".strata"} & set(place.relative_to(root).parts)
    }
