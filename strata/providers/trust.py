"""What the settings of a memory may run, and where they may send its text: nothing, until somebody on this machine allowed it.

A memory can come from anybody, and a pull can change its settings. So what `strata.yaml` says about models counts only
if exactly these settings were allowed here for the memory at this place. That is remembered in the state directory of
the user, one small file for each allowance, whose name is a hash; the file itself says for people what was allowed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import time
from pathlib import Path

from strata.asking import KINDS
from strata.config import Config
from strata.errors import Refused
from strata.machine import keep, state_home

_BOUND = ("provider", *KINDS, "command", "openai_base_url", "openai_model", "openai_key")
"""The settings that say what runs and who is told what. Another value of one of them has to be allowed anew."""
REMEDY = "look at it, and if you want that: strata jobs allow"


def wants(config: Config) -> str:
    """One line: what would be run, where text would be sent and with whose key; "" when neither happens."""
    told = []
    if kinds := _kinds(config, "command"):
        told.append(f"run `{shlex.join(config['command']) or 'no command'}` to {kinds}")
    if kinds := _kinds(config, "openai"):
        open_way = ", unencrypted" if config["openai_base_url"].lower().startswith("http:") else ""
        told.append(f"send text to {config['openai_base_url']}{open_way} (model {config['openai_model'] or 'not set'}, key in {config['openai_key']}) to {kinds}")
    return "; ".join(map(_visible, told))


def allowed(root: str | os.PathLike[str], config: Config) -> bool:
    """Whether what these settings want may be done for the memory at `root`, on this machine; wanting nothing is always allowed."""
    return not wants(config) or _place(root, config).is_file()


def check(root: str | os.PathLike[str], config: Config) -> None:
    """Raise Refused, with what would have happened, unless it is allowed."""
    if not allowed(root, config):
        raise Refused(f"the settings of this memory would {wants(config)}, which nobody allowed on this machine", remedy=REMEDY)


def allow(root: str | os.PathLike[str], config: Config) -> str:
    """Allow exactly what these settings want; returns what that is. Raises Refused where it cannot be remembered, or where the program lies in the memory."""
    from strata.providers.keys import refuse_secrets

    refuse_secrets(config)
    home = Path(os.path.realpath(root))
    if inside := next((word for word in config["command"] if os.path.isabs(word) and Path(os.path.realpath(word)).is_relative_to(home)), ""):
        raise Refused(f"{_visible(inside)} lies in the memory, where anybody can change it who writes to the memory", remedy="keep the program somewhere else")
    told = {"memory": str(home), "allowed": wants(config), "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    try:
        keep(_place(root, config), json.dumps(told, ensure_ascii=True, indent=1).encode("ascii") + b"\n")
    except OSError as error:
        raise Refused(f"it cannot be remembered that this is allowed: {error.strerror or error}", remedy=f"make {state_home() / 'strata'} a folder that you can write to") from None
    return wants(config)


def set_here(root: str | os.PathLike[str], before: Config, after: Config) -> None:
    """Somebody changed settings on this machine: what is so now is allowed, unless something stood there that nobody here had allowed.

    What is bound may be new, at its default, or allowed already: then all there is came from here.
    """
    if _settings(before) != _settings(after) and (_settings(before) == _settings(Config()) or _place(root, before).is_file()):
        allow(root, after)


def _kinds(config: Config, name: str) -> str:
    return ", ".join(kind for kind in KINDS if config.provider_of(kind) == name)


def _settings(config: Config) -> list[object]:
    return [config[name] for name in _BOUND]


def _place(root: str | os.PathLike[str], config: Config) -> Path:
    bound = json.dumps([os.path.normcase(os.path.realpath(root)), _settings(config)], ensure_ascii=True)
    return state_home() / "strata" / f"allowed-{hashlib.sha256(bound.encode('ascii')).hexdigest()}.json"


def _visible(text: str) -> str:
    """On one line, whatever the settings hold; long ones whole, for what is not seen cannot be allowed."""
    return "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in text)
