"""Which hosts are this machine, and which are near: whom no key is needed for, and no proxy."""

from __future__ import annotations

import ipaddress

_NEAR = (".local", ".lan", ".internal", ".home.arpa", ".localhost")


def is_loopback(host: str) -> bool:
    """Whether what is sent there stays on this machine."""
    number = _number(host)
    return number.is_loopback if number else host == "localhost" or host.endswith(".localhost")


def is_local(host: str) -> bool:
    """Whether this is a machine of one's own network by its name or number: `gpu-box`, `192.168.1.5`."""
    number = _number(host)
    return number.is_private if number else "." not in host or host.endswith(_NEAR)


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
