"""Where things are within a lab: folders on its hosts, and addresses, which are seen inside its namespaces only.

Addresses are from 198.18.0.0/15, set aside for benchmarks, and of private networks of IPv6.
"""

from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

FOLDER = Path("/run/trunkline")
CLUSTER_FILE = FOLDER / "cluster.yaml"
"""The cluster as it is emulated, its rates included, readable on every host."""
DOOR = FOLDER / "control"
"""The socket on which a running lab takes changes of its links."""
SUPER_FRAME = FOLDER / "super-frame"
"""How many frames the hosts' kernels may hand to the network in one piece."""
TEMPORARY = FOLDER / "tmp"


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
