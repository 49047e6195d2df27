"""The command line: click commands of a few lines that return values, which one place prints."""

from __future__ import annotations
