"""IGMP snooping and storm control of the lab's switches, as sockets see them."""

import sys
import time

import pytest
from busy_machine import PATIENCE_S
from datagrams import Receivers, send

from trunkline import _core
from trunkline.lab.impairments import Impairments
from trunkline.lab.session import Lab

GROUP = "239.1.2.3"
AGES_S = 3
NETWORK = """
trunkline: cluster/1
name: three-switches
defaults: {rate: 100Mbit, latency: 10us}
switches: s[0-2]
hosts:
  - hosts: h[0-5]
    switches: s[0-2]
    deal: 2
links:
  - between: [s0, s1]
  - between: [s1, s2]
"""


def lab_with(**settings):
    return Lab(Impairments(settings).of(_core.parse_cluster(NETWORK, "three-switches.yaml")))


def to_host(stats, host):
    return sum(channel["frames"] for name, channel in stats["channels"].items() if name.endswith(f"->{host}"))


def test_without_snooping_every_host_is_sent_every_group():
    with lab_with() as lab:
        receivers = Receivers(lab, ["h1"], GROUP)
        lab.reset_stats()
        send(lab, "h0", GROUP, 100)
        assert receivers.end()["h1"].distinct == 100
        assert all(to_host(lab.stats(), f"h{i}") >= 100 for i in range(1, 6))


def test_snooping_prunes_and_memberships_age_out_where_nobody_asks():
    with lab_with(igmp=["snooping"], igmp_ages=[f"{AGES_S}s"]) as lab:
        receivers = Receivers(lab, ["h1", "h4"], GROUP)
        lab.reset_stats()
        send(lab, "h0", GROUP, 100)
        stats = lab.stats()
        assert stats["pruned"] >= 3 * 100 - 20
        assert all(to_host(stats, host) < 20 for host in ("h2", "h3", "h5")), "the hosts' reports are few"
        time.sleep(AGES_S + 1.5)  # hosts say twice what they join, within a second
        lab.reset_stats()
        send(lab, "h0", GROUP, 100)
        assert lab.stats()["unregistered"] == 100
        assert lab.stats()["switches"]["s0"]["unregistered"] == 100
        received = receivers.end()
        assert [received[host].distinct for host in ("h1", "h4")] == [100, 100]
        assert [len(received[host].numbers) for host in ("h1", "h4")] == [100, 100]


def test_a_querier_keeps_memberships_alive():
    with lab_with(igmp=["snooping", "s1=querier"], igmp_ages=[f"{AGES_S}s"]) as lab:
        receivers = Receivers(lab, ["h1", "h4"], GROUP)
        time.sleep(2 * AGES_S + 1)
        lab.reset_stats()
        send(lab, "h0", GROUP, 100)
        send(lab, "h5", GROUP, 100)
        stats = lab.stats()
        assert stats["unregistered"] == 0
        assert all(to_host(stats, host) < 20 for host in ("h2", "h3"))
        received = receivers.end()
        assert [len(received[host].numbers) for host in ("h1", "h4")] == [200, 200]


def test_hosts_that_leave_are_sent_no_more():
    join_and_leave = (
        "import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "m = socket.inet_aton(sys.argv[1]) + socket.inet_aton(socket.gethostbyname(socket.gethostname()));"
        "s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, m);"
        "s.setsockopt(socket.IPPROTO_IP, socket.IP_DROP_MEMBERSHIP, m)"
    )
    with lab_with(igmp=["snooping"]) as lab:
        receivers = Receivers(lab, ["h1"], GROUP)
        assert lab.run([sys.executable, "-c", join_and_leave, GROUP], host="h4", timeout=PATIENCE_S).returncode == 0
        time.sleep(1.5)  # it says so twice
        lab.reset_stats()
        send(lab, "h0", GROUP, 100)
        assert receivers.end()["h1"].distinct == 100
        assert to_host(lab.stats(), "h4") < 20


@pytest.mark.parametrize(("limit", "through"), [("none", 200), ("50/s", 50)])
def test_storm_control_limits_what_a_port_takes_in(limit, through):
    with lab_with(storm_control=["70/s", "s[1-2]=none", f"s0={limit}"]) as lab:
        receivers = Receivers(lab, ["h1", "h4"], GROUP)
        time.sleep(1.5)  # reports count too
        lab.reset_stats()
        send(lab, "h0", GROUP, 200, pause=0)
        received = receivers.end()
        stats = lab.stats()
    assert [received[host].distinct for host in ("h1", "h4")] == [through, through]
    assert stats["storm_dropped"] == 200 - through
    assert stats["channels"]["h0->s0"].get("storm_dropped", 0) == 200 - through


def test_broadcasts_are_limited_and_datagrams_to_one_host_are_not():
    shout = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1);"
        "[s.sendto(b'x' * 100, ('198.19.255.255', 9)) for _ in range(100)]"
    )
    with lab_with(storm_control=["20"]) as lab:
        lab.reset_stats()
        assert lab.run([sys.executable, "-c", shout], host="h0", timeout=PATIENCE_S).returncode == 0
        time.sleep(0.3)
        assert lab.stats()["storm_dropped"] == 80
        receivers = Receivers(lab, ["h4"])
        send(lab, "h0", "h4", 200)
        assert receivers.end()["h4"].distinct == 200
