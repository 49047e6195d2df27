"""From what a verb returned to what is printed: text for people, JSON for programs."""

from __future__ import annotations
