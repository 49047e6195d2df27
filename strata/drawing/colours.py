"""The colours of drawings: one for each type of entity, readable on light and on dark."""

from __future__ import annotations

# type -> fill, stroke; "" is any other
FILLS = {
    "person": ("#dbeafe", "#3b82f6"),
    "project": ("#ede9fe", "#8b5cf6"),
    "organization": ("#fef3c7", "#d97706"),
    "tool": ("#ccfbf1", "#0d9488"),
    "place": ("#dcfce7", "#16a34a"),
    "": ("#f1f5f9", "#94a3b8"),
}

DARK_FILLS = {
    "person": ("#172f5c", "#60a5fa"),
    "project": ("#33255f", "#a78bfa"),
    "organization": ("#4a3208", "#f5b942"),
    "tool": ("#0c3f3b", "#2dd4bf"),
    "place": ("#123f24", "#4ade80"),
    "": ("#27303d", "#8291a7"),
}

# background, text, quiet text, line, line of what is past, line of what is disputed
LIGHT = ("#ffffff", "#0f172a", "#475569", "#64748b", "#a3b0c2", "#dc2626")
DARK = ("#0d1117", "#e6edf3", "#a7b3c2", "#8b98a9", "#566273", "#f87171")
