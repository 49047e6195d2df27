"""A whole index from files: built in a folder of its own by several processes, then put in place by its stamp.

The workers are plain `python -c` processes that talk over pipes: unlike those of `multiprocessing` they need no
guard in the main module of whoever calls. What a worker cannot do, its parent does.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from secrets import token_hex
from typing import Any

from strata.model import Entry
from strata.shadow import commit
from strata.shadow import stamp as stamps
from strata.shadow.batch import Batch
from strata.shadow.stamp import Part, Stamp

Entries = Callable[[str, bytes], list[Entry]]

_WORTH_A_PROCESS = 2_000  # files; starting one costs as much as some hundred
_REPORT = 100  # files between two reports of progress
_WORKER = "import sys; sys.path[:] = {path!r}; from strata.shadow.rebuild import work; work()"


def rebuilt(
    directory: Path,
    key: bytes,
    root: Path,
    paths: Sequence[str],
    mark: dict[str, Any],
    entries: Entries,
    progress: Callable[[int, int], None] | None,
    processes: int | None,
    swapping: AbstractContextManager[None],
) -> None:
    """See `Shadow.rebuild`. Killed at any point it leaves the old index as it was; the next one clears its folder away."""
    directory.mkdir(parents=True, exist_ok=True)
    with commit.locked(directory, commit.REBUILDING):
        _clear(directory, _live(directory, key))
        live = f"live-{token_hex(6)}"
        home = directory / live
        home.mkdir()
        try:
            parts = _built(home, root, paths, entries, progress or _ignore, processes or os.cpu_count() or 1)
            code = commit.contents(home, 1, parts)
            with swapping, commit.locked(directory, commit.WRITING):
                stamps.save(directory, key, Stamp(live, 1, tuple(parts), mark, code))
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        _clear(directory, live)


def work() -> None:
    """A worker: reads its share as JSON from stdin, writes segments, and reports on stdout."""
    share = json.load(sys.stdin.buffer)
    module, _, name = share["entries"].partition(":")
    entries: Entries = getattr(importlib.import_module(module), name)
    count = 0
    for part in _segments(Path(share["home"]), Path(share["root"]), share["paths"], entries, lambda done: print(done, flush=True)):
        print(json.dumps([part.name, part.documents]), flush=True)
        count += part.documents


def _live(directory: Path, key: bytes) -> str:
    try:
        found = stamps.load(directory, key)
    except (ValueError, KeyError, TypeError):
        found = None
    return found.live if found is not None else ""


def _clear(directory: Path, live: str) -> None:
    """Remove folders that are not the live one. What another process holds open (Windows) waits for the next time."""
    with os.scandir(directory) as entries:
        others = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name != live]
    for place in others:
        shutil.rmtree(place, ignore_errors=True)


def _ignore(done: int, total: int) -> None:
    """No progress is shown."""


def _built(home: Path, root: Path, paths: Sequence[str], entries: Entries, progress: Callable[[int, int], None], processes: int) -> list[Part]:
    counts = [0]

    def report(index: int, done: int) -> None:
        counts[index] = done
        progress(sum(counts), len(paths))

    paths = sorted(paths, key=commit.tier_of)
    name = _import_path(entries)
    shares = min(processes, 1 + len(paths) // _WORTH_A_PROCESS) if name and sys.executable else 1
    if shares < 2:
        return list(_segments(home, root, paths, entries, lambda done: report(0, done)))
    size = -(-len(paths) // shares)
    slices = [paths[start : start + size] for start in range(0, len(paths), size)]
    counts = [0] * len(slices)
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(_Worker(home, root, share, name)) for share in slices[1:]]

        def report_all(done: int) -> None:
            counts[1:] = [worker.done for worker in workers]
            report(0, done)

        parts = list(_segments(home, root, slices[0], entries, report_all))
        for index, (worker, share) in enumerate(zip(workers, slices[1:], strict=True), start=1):
            found = worker.result(lambda done, index=index: report(index, done))
            if found is None:
                found = list(_segments(home, root, share, entries, lambda done, index=index: report(index, done)))
            parts += found
    return parts


def _segments(home: Path, root: Path, paths: Sequence[str], entries: Entries, report: Callable[[int], None]) -> Iterator[Part]:
    """Read the files, tier by tier, and write their entries as segments."""
    batch: Batch | None = None
    for done, path in enumerate(paths, start=1):
        with contextlib.suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError):  # gone meanwhile, or not for us
            for entry in entries(path, (root / path).read_bytes()):
                if batch is None or batch.full or batch.tier != commit.tier_of(path):
                    if batch is not None:
                        yield commit.written(home, batch)
                    batch = Batch(commit.tier_of(path))
                batch.add(entry)
        if done % _REPORT == 0 or done == len(paths):
            report(done)
    if batch is not None:
        yield commit.written(home, batch)


def _import_path(entries: Entries) -> str:
    """Where another process finds the function; "" where it cannot."""
    module, name = getattr(entries, "__module__", ""), getattr(entries, "__qualname__", "")
    return f"{module}:{name}" if module and module != "__main__" and name.isidentifier() else ""


class _Worker:
    """A process that indexes its share of the files."""

    def __init__(self, home: Path, root: Path, paths: Sequence[str], entries: str) -> None:
        self.done = 0
        self._home = home
        self._listed: list[list[Any]] = []
        self._wake = threading.Event()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER.format(path=sys.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        share = json.dumps({"home": str(home), "root": str(root), "paths": list(paths), "entries": entries}).encode()
        self._reader = threading.Thread(target=self._listen, args=(share,), daemon=True)
        self._reader.start()

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves no process behind, whatever happened."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join()

    def result(self, report: Callable[[int], None]) -> list[Part] | None:
        """The segments, once they are there; None when the process failed, in which case it left none that counts."""
        while self._reader.is_alive():
            self._wake.wait(0.2)
            self._wake.clear()
            report(self.done)
        if self._process.wait() != 0:
            return None
        report(self.done)
        return [Part(name, documents, (), stamps.signature(self._home / name)) for name, documents in self._listed]

    def _listen(self, share: bytes) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError, OSError), self._process.stdin as stdin:
            stdin.write(share)
        with self._process.stdout as stdout:
            for line in stdout:
                said = json.loads(line)
                if isinstance(said, int):
                    self.done = said
                else:
                    self._listed.append(said)
                self._wake.set()
        self._wake.set()
