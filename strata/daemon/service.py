"""The daemon as a service of the person's own session: its file is written and removed here, and nothing is run."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from strata.daemon import process, units
from strata.daemon.results import Installed, Uninstalled
from strata.errors import NotFound, UsageError
from strata.files.durable import write_durably

_KEPT = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")  # a session manager may not know them, and the key of the index lies below the first
_TASK_MINUTES = 15


class Service(NamedTuple):
    """Where a system keeps the service of one memory (None: in no file of ours), and the commands that go with it."""

    manager: str
    place: Path | None
    enable: tuple[str, ...]
    disable: tuple[str, ...]
    restart: str
    note: str = ""


def service(root: Path, given: Mapping[str, str], *, platform: str = sys.platform, home: Path | None = None) -> Service:
    """The service of the memory at `root`, on a system, for a person with that environment and home."""
    home = home or Path.home()
    name = units.name_of(Path(os.path.realpath(root)))
    if platform.startswith("linux"):
        config = Path(given["XDG_CONFIG_HOME"]) if os.path.isabs(given.get("XDG_CONFIG_HOME", "")) else home / ".config"
        unit = f"{name}.service"
        enable = ("systemctl --user daemon-reload", f"systemctl --user enable --now {unit}")
        disable = (f"systemctl --user stop {unit}", "systemctl --user daemon-reload")
        note = "it runs while you are logged in; to have it run always: loginctl enable-linger"
        return Service("systemd", config / "systemd" / "user" / unit, enable, disable, f"systemctl --user restart {unit}", note)
    if platform == "darwin":
        place = home / "Library" / "LaunchAgents" / f"{_label(name)}.plist"
        load = f"launchctl bootstrap gui/$(id -u) {shlex.quote(str(place))}"
        agent = f"gui/$(id -u)/{_label(name)}"
        return Service("launchd", place, (load,), (f"launchctl bootout {agent}",), f"launchctl kickstart -k {agent}")
    if platform == "win32":
        return Service("Task Scheduler", None, (), (f"schtasks /Delete /F /TN {name}", "strata daemon stop"), f"schtasks /Run /TN {name}")
    raise UsageError(f"strata knows no service manager of {platform}", remedy="have yours run: strata daemon run")


def _label(name: str) -> str:
    return f"md.strata.{name}"


def install(root: Path, given: Mapping[str, str], *, every: float | None = None, live: bool = False, platform: str = sys.platform, home: Path | None = None) -> Installed:
    """Write the service of the memory at `root`; one that is there is replaced. Nothing is started."""
    if not str(root).isprintable():
        raise UsageError("the path of the memory has characters that no service manager takes", path=repr(str(root)), remedy="move it to another path")
    found = service(root, given, platform=platform, home=home)
    command = process.command(root, every=every, live=live)
    if found.place is None:
        command[0] = _without_window(command[0])
        command[command.index("run")] = "start"
        task = units.schtasks_command(units.name_of(Path(os.path.realpath(root))), command, _TASK_MINUTES)
        return Installed(found.manager, "", (task,), ("nothing was written",))
    kept = {name: given[name] for name in _KEPT if os.path.isabs(given.get(name, ""))}
    if path := process.import_path():
        kept["PYTHONPATH"] = path
    name = found.place.stem
    content = units.systemd_unit(name, command, kept).encode() if found.manager == "systemd" else units.launchd_plist(name, command, kept)
    found.place.parent.mkdir(parents=True, exist_ok=True)
    write_durably(found.place, content)
    return Installed(found.manager, str(found.place), found.enable, (found.note,) if found.note else ())


def _without_window(program: str) -> str:
    """The Python that opens no console window, where it lies beside the other."""
    silent = Path(program).with_name("pythonw.exe")
    return str(silent) if silent.exists() else program


def installed(root: Path, given: Mapping[str, str]) -> Service | None:
    """The service of the memory at `root` if its file is there."""
    try:
        found = service(root, given)
    except (UsageError, RuntimeError):  # a system without one, a person without a home
        return None
    return found if found.place is not None and found.place.is_file() else None


def uninstall(root: Path, given: Mapping[str, str], *, platform: str = sys.platform, home: Path | None = None) -> Uninstalled:
    """Remove the file of the service, and systemd's link to it; what runs of it goes on until it is stopped.

    The memory itself need not be there any more. Raises NotFound when it is not installed.
    """
    found = service(root, given, platform=platform, home=home)
    if found.place is None:
        return Uninstalled(found.manager, "", found.disable)
    try:
        found.place.unlink()
    except FileNotFoundError:
        raise NotFound("no service is installed for this memory", path=str(found.place), remedy="strata daemon install writes one") from None
    wanted = found.place.parent / "default.target.wants" / found.place.name
    if wanted.is_symlink() and os.path.realpath(wanted) == os.path.realpath(found.place):
        wanted.unlink()
    return Uninstalled(found.manager, str(found.place), found.disable)
