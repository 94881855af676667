"""One emulated host: a process that holds its namespaces, and what is set up in them.

Every host knows every other, so that nobody has to ask; on 256 hosts that is 65 000 entries, and one exchange with the
kernel for each would take minutes. Here a host sends all of its entries at once and waits for one answer.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address as parsed
from ipaddress import ip_network
from pathlib import Path

from pyroute2 import IPRoute

from trunkline.lab import syscalls
from trunkline.lab.places import IPV6_PREFIX_LENGTH, PREFIX_LENGTH, ethernet_address, ip_address, ipv6_address

MTU = 1500
CARRIER_SECONDS = 10
_NO_DISCOVERY = 0x02
"""Of an IPv6 address: the kernel does not ask whether somebody else has it."""


@dataclass(frozen=True)
class Traits:
    """What all hosts of a lab have alike.

    Attributes:
        super_frame: Frames that a kernel hands to the network in one piece, at most.
        tcp_rto_min_ms: TCP waits at least so long before it sends again what got lost; None: as Linux does.
        ipv6: They have an IPv6 address as well.
        tcp_buffer_bytes: So far their TCP buffers grow; None: as on this machine.
    """

    super_frame: int
    tcp_rto_min_ms: int | None = None
    ipv6: bool = False
    tcp_buffer_bytes: int | None = None


def start_host(index: int, name: str, hosts: int, traits: Traits) -> tuple[int, int, int]:
    """Fork the process that holds a host's namespaces.

    Returns:
        Its process id, a descriptor to read one byte from when its namespaces are there and another when the host is
        up, and one to write a byte to when its Ethernet port is there.
    """
    from_host, to_lab = os.pipe()
    from_lab, to_host = os.pipe()
    pid = os.fork()
    if pid:
        os.close(to_lab)
        os.close(from_lab)
        return pid, from_host, to_host
    try:
        os.close(from_host)
        os.close(to_host)
        _enter_namespaces(index, name)
        os.write(to_lab, b"n")
        os.read(from_lab, 1)
        _configure_network(index, hosts, traits)
        os.write(to_lab, b"u")
        os.execv("/bin/sleep", ["trunkline-host", "infinity"])
    except BaseException as error:
        os.write(to_lab, f"!{error}".encode())
    finally:
        os._exit(1)


def _enter_namespaces(index: int, name: str) -> None:
    syscalls.unshare(syscalls.NETWORK | syscalls.UTS | syscalls.IPC | syscalls.MOUNT)
    socket.sethostname(name)
    syscalls.mount_tmpfs("/dev/shm")
    # By its boot id a transport such as UCX tells machines apart: without one of its own, hosts share memory.
    # What it begins with says that it is a lab's: its hosts have one clock (measure/host_clock.cpp).
    boot_id = Path("/dev/shm/.boot_id")
    boot_id.write_text(f"00000000-0000-0000-0000-{index + 1:012x}\n")
    syscalls.bind(str(boot_id), "/proc/sys/kernel/random/boot_id")


def _configure_network(index: int, hosts: int, traits: Traits) -> None:
    settings = {
        "ipv6/conf/all/disable_ipv6": "0" if traits.ipv6 else "1",  # what it asks would be traffic nobody asked for
        "ipv6/conf/eth0/addr_gen_mode": "1",  # no link-local address
        "ipv6/conf/eth0/accept_ra": "0",
        "ipv4/tcp_no_metrics_save": "1",  # a measurement must not depend on the one before
        "ipv4/tcp_slow_start_after_idle": "0",  # as administrators of clusters set it
        "ipv4/conf/all/rp_filter": "0",
    }
    if (most := traits.tcp_buffer_bytes) is not None:
        for name, first in (("tcp_rmem", 131072), ("tcp_wmem", 16384)):  # least, at first (Linux's), and at most
            settings[f"ipv4/{name}"] = f"4096 {min(first, most)} {most}"
    for setting, value in settings.items():
        path = Path("/proc/sys/net") / setting
        if path.exists():
            path.write_text(value)
    rto_min = traits.tcp_rto_min_ms
    with IPRoute() as route:
        loopback, port = (route.link_lookup(ifname=name)[0] for name in ("lo", "eth0"))
        route.link("set", index=loopback, state="up")
        route.link(
            "set", index=port, address=ethernet_address(index), mtu=MTU, gso_max_segs=traits.super_frame, state="up"
        )
        route.addr("add", index=port, address=ip_address(index), prefixlen=PREFIX_LENGTH)
        if traits.ipv6:
            route.addr(
                "add",
                index=port,
                address=ipv6_address(index),
                prefixlen=IPV6_PREFIX_LENGTH,
                family=socket.AF_INET6,
                flags=_NO_DISCOVERY,
            )
        route.route("add", dst="224.0.0.0/4", oif=port)
        # Linux's usual congestion control, whatever this machine prefers: others pace each frame by a timer.
        network = str(ip_network(f"{ip_address(index)}/{PREFIX_LENGTH}", strict=False))
        route.route(
            "replace",
            dst=network,
            oif=port,
            prefsrc=ip_address(index),
            scope="link",
            proto="kernel",
            metrics={"cc_algo": "cubic", **({} if rto_min is None else {"rto_min": rto_min})},
        )
        add_neighbours(port, index, hosts, ip_address)
        if traits.ipv6:
            add_neighbours(port, index, hosts, ipv6_address)
        _wait_until_up(route, port)


def _wait_until_up(route: IPRoute, port: int) -> None:
    """The kernel notices a link's carrier in its own time, and transports such as UCX refuse a port without one."""
    until = time.monotonic() + CARRIER_SECONDS
    while route.get_links(port)[0].get("operstate") != "UP":
        if time.monotonic() > until:
            raise OSError(f"its Ethernet port did not come up within {CARRIER_SECONDS} s")
        time.sleep(0.005)


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
