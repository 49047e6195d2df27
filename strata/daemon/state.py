"""What a daemon says of itself in `.strata/daemon.json`, for `strata daemon status` to read.

It is a note and no proof: it may be left from a daemon that was killed, or lag behind one that hangs.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from strata.daemon import private
from strata.daemon.private import Place

HEARTBEAT = 10.0  # seconds between two notes of a daemon that rests
SILENCE = 2 * HEARTBEAT  # seconds after which one that holds the lock and rests does not respond
LONGEST_CYCLE = 900.0  # seconds that a cycle may last before it counts as hanging

RESTING, WORKING, ENDED = "resting", "working", "ended"
_LONGEST = 65_536  # bytes of a note; ours has some hundred


class State(NamedTuple):
    """Times are ISO 8601 in UTC; `beat` and `since` are seconds of the monotonic clock, which no one sets back.

    `token` names this run of the daemon; `birth` is what the kernel says of the beginning of its
    process, so that another one with the same number is told apart. `every` is the interval it was
    told (0: as the settings say), `interval` the one it keeps, both in minutes.
    """

    token: str = ""
    pid: int = 0
    birth: str = ""
    version: str = ""
    memory: str = ""
    started: str = ""
    live: bool = False
    every: float = 0.0
    interval: float = 0.0
    doing: str = RESTING
    since: float = 0.0
    beat: float = 0.0
    heartbeat: str = ""
    cycles: int = 0
    last_cycle: str = ""
    last_result: str = ""
    next_cycle: str = ""
    error: str = ""
    complaint: str = ""
    ended: str = ""

    def is_silent(self, now: float) -> bool:
        """Whether it should have been heard of by `now`, a time of the monotonic clock.

        Times after `now` are of another boot of the machine, and count as silence.
        """
        last, longest = (self.since, LONGEST_CYCLE) if self.doing == WORKING else (self.beat, SILENCE)
        return not 0 <= now - last <= longest


def request(token: str) -> bytes:
    """What a file that asks the daemon with this token to end holds; "" stands for whichever there is."""
    return f"{token or 'any'}\n".encode()


def load(place: Place) -> State | None:
    """The note as it is; None when there is none, or one that no daemon wrote."""
    data = private.read(place.state)
    try:
        raw = json.loads(data) if len(data) <= _LONGEST else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or not set(State._fields) <= raw.keys():
        return None
    values = {name: raw[name] for name in State._fields}
    for name, default in State._field_defaults.items():
        if isinstance(default, float) and type(values[name]) is int:
            continue
        if type(values[name]) is not type(default):
            return None
    return State(**values)


def save(place: Place, state: State) -> None:
    """Write the note; OSError when it cannot be (a full disk, a memory that is gone)."""
    private.replace(place.state, json.dumps(state._asdict(), indent=1).encode())
