"""Addresses on the emulated cluster: from 198.18.0.0/15, set aside for benchmarks; seen inside its namespaces only."""

from ipaddress import IPv4Address

__all__ = ["MOST_HOSTS", "PREFIX_LENGTH", "ethernet_address", "ip_address"]

PREFIX_LENGTH = 15
MOST_HOSTS = 4096
"""More than a machine can emulate."""


def ip_address(host: int) -> str:
    """The address of the host of this index."""
    return str(IPv4Address("198.18.0.0") + 1 + host)


def ethernet_address(host: int) -> str:
    """The Ethernet address of the host of this index: what the network finds it by."""
    return f"02:00:00:00:{host >> 8:02x}:{host & 255:02x}"
