"""Addresses on the emulated cluster, seen inside its namespaces only.

From 198.18.0.0/15, set aside for benchmarks, and of private networks of IPv6.
"""

from ipaddress import IPv4Address, IPv6Address

PREFIX_LENGTH = 15
IPV6_PREFIX_LENGTH = 64
MOST_HOSTS = 4096
"""More than a machine can emulate."""


def ip_address(host: int) -> str:
    """The address of the host of this index."""
    return str(IPv4Address("198.18.0.0") + 1 + host)


def ipv6_address(host: int) -> str:
    """The IPv6 address of the host of this index, where it has one."""
    return str(IPv6Address("fd00::") + 1 + host)


def ethernet_address(host: int) -> str:
    """The Ethernet address of the host of this index: what the network finds it by."""
    return f"02:00:00:00:{host >> 8:02x}:{host & 255:02x}"
