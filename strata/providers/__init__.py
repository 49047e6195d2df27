"""Models outside of strata: a program that is run, or a server that is asked, by one interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata.errors import UsageError

if TYPE_CHECKING:
    from strata.asking import Provider
    from strata.config import Config

NAMES = ("command", "openai")
"""The providers that leave this process; all others are strata itself or the agent that calls it."""


def provider(name: str, config: Config) -> Provider:
    """The provider of that name as the settings describe it. Nothing is run or sent before it is asked.

    Raises ModelFailed where a setting is missing or cannot be used, and Refused where one looks like a secret.
    Whether the settings are allowed on this machine is `trust.check`, which comes first.
    """
    from strata.providers.keys import refuse_secrets

    refuse_secrets(config)
    if name == "command":
        from strata.providers.command import Command

        return Command(config)
    if name == "openai":
        from strata.providers.openai import OpenAI

        return OpenAI(config)
    raise UsageError(f"{name!r} is no model outside of strata", remedy=f"these are: {', '.join(NAMES)}")
