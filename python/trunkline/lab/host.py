"""One emulated host: a process that holds its namespaces, and what is set up in them."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

from pyroute2 import IPRoute

from trunkline.lab import syscalls
from trunkline.lab.addresses import IPV6_PREFIX_LENGTH, PREFIX_LENGTH, ethernet_address, ip_address, ipv6_address
from trunkline.lab.neighbours import add_neighbours

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
