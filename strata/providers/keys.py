"""Keys of model servers: from an environment variable or the keyring of the system, and never from a file of the memory."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from strata.errors import ModelFailed, Refused
from strata.layout import SETTINGS
from strata.redact import redact

if TYPE_CHECKING:
    from strata.config import Config

SERVICE = "strata"
"""Under which name the keyring holds keys; the user is the address they are for."""
NO_KEY = "none"
"""What a server without keys is sent, since the protocol wants one."""
_LIKE_A_KEY = r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}"  # what servers like OpenAI's make, whatever comes after the prefix
_ASKED = ("command", "openai_base_url", "openai_model", "openai_key")


def refuse_secrets(config: Config) -> None:
    """Raise Refused when one of the settings about models looks like a secret: they are committed, and shown."""
    for name in _ASKED:
        value = config[name]
        texts = [value, *value.split(" ")] if isinstance(value, str) else [*value, " ".join(value)]
        if any(redact(text)[1] or re.search(_LIKE_A_KEY, text) for text in texts) or (name == "openai_key" and _is_no_name(value)) or (name == "openai_base_url" and _has_user(value)):
            raise Refused(
                f"{name} in {SETTINGS} looks like a secret, and settings are committed",
                path=SETTINGS, remedy="take it out, and give the key as an environment variable whose name stands in openai_key; what was committed is known to whoever has a copy: replace that key",
            )  # fmt: skip


def key_for(variable: str, base_url: str, *, local: bool) -> str:
    """The key for an address: what the variable holds, else what the keyring has, else NO_KEY for a server that is `local`.

    Raises ModelFailed where there is none, and for one that no header can carry.
    """
    key = os.environ.get(variable, "").strip() or _from_keyring(base_url)
    if not key:
        if local:
            return NO_KEY
        raise ModelFailed(f"there is no key for {base_url}", again=False, remedy=f"set the environment variable {variable}, or: keyring set {SERVICE} {base_url}")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ModelFailed(f"the key in {variable} holds characters that a key cannot have", again=False, remedy="give the key alone, on one line")
    return key


def _from_keyring(base_url: str) -> str:
    """What the keyring has for the address; nothing where there is no keyring, or none that can be opened."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return ""
    try:
        return (keyring.get_password(SERVICE, base_url) or "").strip()
    except KeyringError:  # none on this machine, or locked: then there is no key, and the remedy names the variable
        return ""


def _is_no_name(text: str) -> bool:
    """Whether this is longer, or mixed more, than the name of a variable is: `K3yQ9zB…`."""
    return len(text) > 64 or (len(text) >= 16 and all(re.search(kind, text) for kind in ("[a-z]", "[A-Z]", "[0-9]")))


def _has_user(address: str) -> bool:
    """Whether a name or a password stands before the host."""
    return "@" in address.partition("://")[2].partition("/")[0]
