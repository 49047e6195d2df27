"""Text from a memory as it may be shown: what would steer a terminal or turn the reading order is spelled out.

Stored text is data. An escape sequence could clear the screen, fake a line or fill the clipboard, a
lone carriage return could overwrite what stands before it, a bidi override could make a path read
as another (the "Trojan Source" trick, CVE-2021-42574). All of it is printed as `\\x1b` or `\\u202e`.
"""

from __future__ import annotations

import re
from functools import cache


def visible(text: str) -> str:
    """`text` with every hidden steering character spelled out; tabs and line ends stay, CRLF as LF."""
    if text.isprintable():
        return text
    return hidden().sub(_spelled, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`visible` text on one line: runs of white space become one blank."""
    return " ".join(visible(text).split())


@cache
def hidden() -> re.Pattern[str]:
    """Controls but tab and line feed, bidi controls, invisible formatting, tags and lone surrogates.

    The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji are written with them.
    """
    return re.compile(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
    )


def _spelled(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x0D:
        return "\\r"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
