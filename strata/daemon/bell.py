"""Signals that ask for the end: heard at once in the middle of a rest, and never in the middle of a verb."""

from __future__ import annotations

import select
import signal
import socket
from types import FrameType, TracebackType
from typing import Any

_NAMES = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")  # each system has some of them


class Bell:
    """While it is hung up, signals do not end the process but ring. Only for the main thread."""

    def __init__(self) -> None:
        self.rung = ""  # the name of the signal that came
        self._before: dict[int, Any] = {}
        self._descriptor = -1

    def __enter__(self) -> Bell:
        self._ear, self._mouth = socket.socketpair()
        for end in (self._ear, self._mouth):
            end.setblocking(False)
        self._descriptor = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup wants SIGHUP ignored
                self._before[number] = signal.signal(number, self._ring)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._descriptor)
        self._ear.close()
        self._mouth.close()

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self.rung = signal.Signals(number).name
        if number == signal.SIGINT:  # a second Ctrl-C is impatient: it ends the verb, too
            signal.signal(number, signal.default_int_handler)

    def wait(self, seconds: float) -> None:
        """Rest for so long, or until it rings."""
        if self.rung:
            return
        if select.select([self._ear], [], [], seconds)[0]:
            self._ear.recv(64)
