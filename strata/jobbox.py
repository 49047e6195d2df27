"""What is known of jobs beside what files say: attempts, errors, claims and wishes to redo, one small file each in `.strata/jobs/`.

All of it is local and may be lost: a job that is still due begins anew. Files are read as if anybody had written them; one
that is none is set aside. A runner holds a lock file of the kernel for its life, so what it claimed is free when it dies;
what an agent claimed is free when its time is over.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from strata import moment
from strata.asking import KINDS
from strata.errors import Locked, OutsideMemory, StrataError
from strata.files import Files
from strata.files.durable import sync_folder, write_durably
from strata.files.lock import held
from strata.layout import LOCAL
from strata.moment import stamp
from strata.names import is_id

FOLDER = f"{LOCAL}/jobs"
ATTEMPTS = 3
BACK_OFF = (timedelta(minutes=1), timedelta(minutes=10))  # after the first and after the second attempt that failed
AGENT = "agent"  # the holder of a claim that ends by the clock
_LARGEST = 200_000  # bytes of a file
_LONGEST = 4_000  # characters of an error that are kept


class Slip(NamedTuple):
    """What is kept of one job. `holder` claimed it: a runner by its token, an agent until `until`.

    `batch` is what the holder was shown, as pairs of a name and a digest: an answer is for that and nothing else.
    """

    attempts: int = 0
    error: str = ""
    not_before: str = ""
    holder: str = ""
    until: str = ""
    redo: bool = False
    batch: tuple[tuple[str, str], ...] = ()


class JobBox:
    """The slips of one memory."""

    def __init__(self, files: Files, patience: float, warn: Callable[[str], None]) -> None:
        self._files = files
        self._patience = patience
        self._warn = warn

    # -- one process at a time ---------------------------------------------------------------

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Let no other process claim or change a job meanwhile. Raises Locked; taken before the memory's own lock, never within it, and never while a model is asked."""
        self._make()
        with held(self._files.local / "jobs.lock", self._patience):
            yield

    @contextlib.contextmanager
    def runner(self) -> Iterator[str]:
        """A token to claim jobs with, good until this process ends or leaves the block."""
        token = f"run-{os.urandom(8).hex()}"
        self._make()
        place = self._lock_of(token)
        try:
            with held(place, self._patience):
                self._sweep(token)
                yield token
        finally:
            with contextlib.suppress(OSError):  # the next runner sweeps it
                place.unlink(missing_ok=True)

    def is_held(self, slip: Slip, now: datetime) -> bool:
        """Whether somebody has a claim that stands: a runner that lives, an agent whose time is not over."""
        if slip.holder == AGENT:
            return moment.is_valid(slip.until) and moment.parse(slip.until).start > now
        return bool(slip.holder) and self._lives(slip.holder)

    # -- slips -------------------------------------------------------------------------------

    def all(self) -> dict[str, Slip]:
        """Every slip by the id of its job."""
        try:
            names = os.listdir(self._files.local / "jobs")
        except (FileNotFoundError, NotADirectoryError):
            return {}
        found = {name: self.read(name) for each in sorted(names) if is_job_id(name := each.removesuffix(".json")) and each != name}
        return {name: slip for name, slip in found.items() if slip is not None}

    def read(self, job: str) -> Slip | None:
        """What is kept of a job; None for nothing. A file that is no slip counts as none, with a warning."""
        place = self._place(job)
        try:
            if place.is_symlink() or not place.is_file() or place.stat().st_size > _LARGEST:
                if os.path.lexists(place):
                    raise ValueError("no small file")
                return None
            return _slip(json.loads(place.read_bytes()))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            self._set_aside(place, error)
            return None
        except OSError as error:
            self._warn(f"what is known of job {job} cannot be read: {error.strerror or error}")
            return None

    def write(self, job: str, slip: Slip) -> None:
        """Keep a slip, durably; one that says nothing goes. The lock is held."""
        place = self._place(job)
        try:
            if slip == Slip():
                place.unlink(missing_ok=True)
            else:
                write_durably(place, json.dumps({"format": 1, **slip._asdict()}).encode() + b"\n", mode=0o600)
            sync_folder(place.parent)
        except OSError as error:
            raise StrataError(f"the job cannot be kept: {error.strerror or error}", path=f"{FOLDER}/{job}.json", remedy="see that there is room and permission to write") from error

    def done(self, job: str) -> None:
        """Forget a job."""
        self.write(job, Slip())

    def keep_only(self, jobs: Mapping[str, object]) -> None:
        """Forget what is kept of jobs that are no more. The lock is held."""
        for job in self.all():
            if job not in jobs:
                self.done(job)

    # -- files -------------------------------------------------------------------------------

    def _place(self, job: str) -> Path:
        return self._files.local / "jobs" / f"{job}.json"

    def _lock_of(self, token: str) -> Path:
        return self._files.local / "jobs" / f"{token}.lock"

    def _make(self) -> None:
        self._files.make_local_folder("jobs", "job", "make it writable")

    def _lives(self, token: str) -> bool:
        """Whether the runner of this token holds its lock: the kernel knows."""
        place = self._lock_of(token)
        if not _is_token(token) or not place.is_file():
            return False
        try:
            with held(place, 0):
                return False
        except Locked:
            return True
        except (OSError, OutsideMemory):  # gone at this moment, or nothing of ours
            return False

    def _sweep(self, mine: str) -> None:
        """Remove the lock files of runners that died."""
        for name in os.listdir(self._files.local / "jobs"):
            token = name.removesuffix(".lock")
            if name != token and token != mine and _is_token(token) and not self._lives(token):
                with contextlib.suppress(OSError):  # it is of no harm
                    self._lock_of(token).unlink(missing_ok=True)

    def _set_aside(self, place: Path, error: Exception) -> None:
        """Move what is no slip out of the way, so that it is there to be looked at and says nothing any more."""
        try:
            os.replace(place, place.with_name(f"{place.name}.broken"))
            self._warn(f"{FOLDER}/{place.name} is no job of strata, and was set aside as {place.name}.broken ({type(error).__name__})")
        except OSError as problem:
            self._warn(f"{FOLDER}/{place.name} is no job of strata: {problem.strerror or problem}")


def failed(slip: Slip, reason: str, now: datetime, after: float = 0.0) -> Slip:
    """The slip after one more attempt that came to nothing; `after` are seconds that the model asked to be left alone."""
    attempts = slip.attempts + 1
    pause = BACK_OFF[attempts - 1] if attempts < ATTEMPTS else timedelta()
    pause = max(pause, timedelta(seconds=min(after, 86_400)))
    again = stamp((now + pause).replace(microsecond=0)) if attempts < ATTEMPTS else ""
    return Slip(attempts, reason[:_LONGEST], again, redo=slip.redo)


def job_id(kind: str, block: str) -> str:
    """`extract-blk-20261130-7f3akq`."""
    return f"{kind}-{block}"


def is_job_id(text: str) -> bool:
    """Whether a text has the form of a job's id."""
    kind, _, block = text.partition("-")
    return kind in KINDS and block.startswith("blk-") and is_id(block)


def _is_token(text: str) -> bool:
    return text.startswith("run-") and len(text) == 20 and text[4:].isalnum() and text.isascii()


def _slip(value: Any) -> Slip:
    """A slip from JSON; raises ValueError, TypeError or KeyError for anything that is none."""
    if not isinstance(value, dict) or value["format"] != 1:
        raise ValueError("not of this format")
    texts = {name: value[name] for name in ("error", "not_before", "holder", "until")}
    attempts, redo, batch = value["attempts"], value["redo"], value["batch"]
    if not all(isinstance(text, str) for text in texts.values()) or isinstance(attempts, bool) or not isinstance(attempts, int) or not isinstance(redo, bool):
        raise TypeError("no slip")
    if any(time and not moment.is_valid(time) for time in (texts["not_before"], texts["until"])) or not 0 <= attempts <= 1_000:
        raise ValueError("no slip")
    pairs = tuple((name, digest) for name, digest in batch)
    if not all(isinstance(part, str) for pair in pairs for part in pair):
        raise TypeError("no batch")
    return Slip(attempts, **texts, redo=redo, batch=pairs)
