"""Who is where on the emulated network, told to a host's kernel once for all.

Every host knows every other, so that nobody has to ask; on 256 hosts that is 65 000 entries, and one exchange with the
kernel for each would take minutes. Here a host sends all of its entries at once and waits for one answer.
"""

import os
import socket
import struct
from collections.abc import Callable
from ipaddress import ip_address as parsed

from trunkline.lab.addresses import ethernet_address

_HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence, port
_NEIGHBOUR = struct.Struct("=BxxxiHBB")  # family, interface, state, flags, type
_ATTRIBUTE = struct.Struct("=HH")  # its length and type
_NEW_NEIGHBOUR = 28
_ERROR = 2
_REQUEST, _ACKNOWLEDGE, _CREATE, _REPLACE = 0x1, 0x4, 0x400, 0x100
_PERMANENT = 0x80
_IP, _ETHERNET = 1, 2
_AT_ONCE = 256
"""Entries sent before an answer is awaited, so that no buffer runs over."""


def add_neighbours(interface: int, own: int, hosts: int, address: Callable[[int], str]) -> None:
    """Tell the kernel of this network namespace the Ethernet addresses of all hosts but its own.

    Args:
        interface: Index of the host's port.
        own: Index of the host.
        hosts: How many there are.
        address: That of a host by its index, of IPv4 or IPv6.

    Raises:
        OSError: where the kernel refuses an entry.
    """
    others = [host for host in range(hosts) if host != own]
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        for first in range(0, len(others), _AT_ONCE):
            group = others[first : first + _AT_ONCE]
            kernel.send(b"".join(_entry(interface, host, address(host), last=host == group[-1]) for host in group))
            _await_answer(kernel, address)


def _entry(interface: int, host: int, address: str, *, last: bool) -> bytes:
    ip = parsed(address).packed
    ethernet = bytes.fromhex(ethernet_address(host).replace(":", ""))
    family = socket.AF_INET if len(ip) == 4 else socket.AF_INET6
    body = _NEIGHBOUR.pack(family, interface, _PERMANENT, 0, 0)
    body += _attribute(_IP, ip) + _attribute(_ETHERNET, ethernet)
    flags = _REQUEST | _CREATE | _REPLACE | (_ACKNOWLEDGE if last else 0)
    return _HEADER.pack(_HEADER.size + len(body), _NEW_NEIGHBOUR, flags, host, 0) + body


def _attribute(kind: int, content: bytes) -> bytes:
    return _ATTRIBUTE.pack(_ATTRIBUTE.size + len(content), kind) + content + bytes(-len(content) % 4)


def _await_answer(kernel: socket.socket, address: Callable[[int], str]) -> None:
    """The first answer: that of the last entry, or that of one that was refused."""
    answer = kernel.recv(1 << 16)
    _, kind, _, host, _ = _HEADER.unpack_from(answer)
    (error,) = struct.unpack_from("=i", answer, _HEADER.size)
    if kind != _ERROR or error != 0:
        raise OSError(-error, f"neighbour entry for {address(host)}: {os.strerror(-error)}")
