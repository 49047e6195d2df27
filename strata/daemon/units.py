"""How a daemon is described to what starts it when the person logs in: systemd, launchd, the Task Scheduler.

Each is a function of values, so that what is written for another system can be seen on this one.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import PurePath

_AGAIN = 60  # seconds before a daemon that failed is started again: its memory may be mounted by then
_FUTILE = "2 13"  # exit codes after which it is not: called wrongly, and another daemon is there


def name_of(root: PurePath) -> str:
    """A name for the daemon of this memory that no other memory's has: `strata-notes-1f3a9c02`."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in root.name).strip("-")[:40]
    digest = sha256(str(root).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return "-".join(filter(None, ("strata", plain, digest)))


def systemd_unit(name: str, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """A user unit; systemd.service(5), and systemd.syntax(7) for the quotes."""
    program, *words = command
    start = " ".join([_quoted(program), *(_quoted(word).replace("$", "$$") for word in words)])
    kept = "".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in sorted(environment.items()))
    return f"""\
# Written by `strata daemon install`; `strata daemon uninstall` removes it.
[Unit]
Description={name}: tends a memory of strata

[Service]
Type=exec
ExecStart={start}
{kept}Restart=on-failure
RestartSec={_AGAIN}
RestartPreventExitStatus={_FUTILE}

[Install]
WantedBy=default.target
"""


def _quoted(word: str) -> str:
    """A word in double quotes, where a backslash escapes and a per cent sign begins a specifier."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def launchd_plist(label: str, command: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """A launch agent; launchd.plist(5)."""
    import plistlib  # late: only a Mac needs it, and it brings an XML parser

    agent = {
        "Label": label,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": _AGAIN,
        "ProcessType": "Background",
    }
    return plistlib.dumps(agent)


def schtasks_command(name: str, command: Sequence[str], minutes: int) -> str:
    """A command that has the daemon started every few minutes, which does nothing while it runs.

    A task at logon would need an administrator; one by the minute does not, and starts a killed daemon again, too.
    """
    task = subprocess.list2cmdline(command)
    return subprocess.list2cmdline(["schtasks", "/Create", "/F", "/SC", "MINUTE", "/MO", str(minutes), "/TN", name, "/TR", task])
