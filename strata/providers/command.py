"""Provider `command`: any program that reads a prompt on standard input and writes its answer on standard output."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING

from strata.asking import Question, Reply
from strata.errors import ModelFailed, UsageError
from strata.providers.process import Ended, run
from strata.providers.wording import reason, spelled

if TYPE_CHECKING:
    from strata.config import Config

_SET = "strata config set command 'PROGRAM ARGUMENT …'"


def refuse_relative(words: Sequence[str]) -> None:
    """Raise UsageError for a program by a path that is not whole: the command runs in an empty folder, where it would lead nowhere."""
    if not words or not os.path.dirname(words[0]) or os.path.isabs(words[0]):
        return
    whole = shlex.join([os.path.abspath(os.path.expanduser(words[0])), *words[1:]])
    raise UsageError(f"{reason(words[0])} says no whole path, and the command runs in an empty folder", remedy=f"strata config set command {shlex.quote(whole)}")


class Command:
    """The program of setting `command`, run anew for each question, in an empty folder, with the environment of this process."""

    def __init__(self, config: Config) -> None:
        self._words: tuple[str, ...] = config["command"]
        self._timeout: int = config["command_timeout"]
        self._limit: int = config["answer_limit"]
        if not self._words or not self._words[0]:
            raise ModelFailed("no command is set", again=False, remedy=_SET)
        self._program = os.path.basename(self._words[0])
        self.name = f"command:{self._program}"

    def ask(self, question: Question) -> Reply:
        """What the program wrote; raises ModelFailed for one that cannot be run, fails, takes too long or writes too much."""
        program = self._found()
        with tempfile.TemporaryDirectory(prefix="strata-ask-", ignore_cleanup_errors=True) as empty:
            try:
                ended = run([program, *self._words[1:]], spelled(question).encode("utf-8", "replace"), timeout=self._timeout, limit=self._limit, folder=empty)
            except OSError as error:
                raise ModelFailed(f"{self._program} cannot be run: {error.strerror or error}", again=False, remedy=f"see whether it runs by hand; {_SET}") from None
        return Reply(self._answer(ended), self._program)

    def _found(self) -> str:
        """The place of the program: a bare name is looked up in PATH, and nothing else is relative to where we happen to be."""
        name = self._words[0]
        if os.path.isabs(name):
            return name
        if os.path.dirname(name):
            raise ModelFailed(f"{reason(name)} says no whole path, and the command runs in an empty folder", again=False, remedy="give the whole path of the program, or a name that PATH has")
        if (found := shutil.which(name)) is None:
            raise ModelFailed(f"there is no program {reason(name)} in PATH", again=False, remedy=f"install it, or {_SET}")
        return os.path.abspath(found)

    def _answer(self, ended: Ended) -> str:
        said = reason(ended.errors.decode("utf-8", "replace"))
        because = f": {said}" if said else ""
        if ended.too_long:
            raise ModelFailed(f"{self._program} wrote more than {self._limit:,} bytes, and was stopped", remedy="answer_limit is a setting")
        if ended.too_late:
            raise ModelFailed(f"{self._program} took longer than {self._timeout} seconds, and was stopped{because}", remedy="command_timeout is a setting")
        if ended.code:
            how = f"ended with exit code {ended.code}" if ended.code > 0 else f"was ended by signal {-ended.code}"
            raise ModelFailed(f"{self._program} {how}{because}", remedy="see what it says when it is run by hand")
        if ended.held:
            raise ModelFailed(f"{self._program} ended, and left a process behind that kept its output open; that was stopped", remedy="the command has to wait for what it starts")
        try:
            text = ended.output.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ModelFailed(f"the answer of {self._program} is not UTF-8") from None
        if not text.strip():
            raise ModelFailed(f"{self._program} answered nothing{because}", remedy="it has to read the prompt on standard input and write JSON on standard output")
        return text
