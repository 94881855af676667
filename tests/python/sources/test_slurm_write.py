"""A cluster as Slurm's topology.conf, and back."""

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.random_cluster import named_random_cluster
from trunkline.sources.faults import Faults, Place
from trunkline.sources.network import write_network
from trunkline.sources.rates import given_rates
from trunkline.sources.slurm_conf import read_topology_conf
from trunkline.sources.slurm_tree import network_of
from trunkline.sources.slurm_write import topology_conf

BUNDLED = [
    "paper-1",
    "paper-2",
    "paper-3",
    "paper-4",
    "paper-5",
    "cyclic",
    "8w",
    "now",
    "4w+8w",
    "two-site",
    "leaf-spine",
]


def read_back(text):
    faults = Faults()
    lines = read_topology_conf(text, "topology.conf", faults)
    network = network_of(lines, Place("topology.conf"), "x", given_rates("1Gbit", None, None, ""), faults)
    faults.raise_if_any()
    return _core.parse_cluster(write_network(network, "here"), "written")


def homes(cluster):
    return {host: cluster.switch_of(number) for number, host in enumerate(cluster.hosts)}


def hops(cluster, one, other):
    """Switches on the way, those that were cut in two as one."""
    names = (cluster.channel_name(channel).split("->")[1] for channel in cluster.path(one, other))
    return len(dict.fromkeys(name.removesuffix("-up") for name in names if name not in cluster.hosts))


@pytest.mark.parametrize("name", BUNDLED)
def test_slurm_knows_who_is_near(name):
    cluster = load_cluster(name)
    again = read_back(topology_conf(cluster))
    assert homes(again) == {host: switch.replace("+", "_") for host, switch in homes(cluster).items()}
    first = cluster.hosts[0]
    for other in cluster.hosts[1:]:
        assert hops(again, first, other) == hops(cluster, first, other)


@pytest.mark.parametrize("name", BUNDLED)
def test_no_switch_has_nodes_and_switches(name):
    for line in topology_conf(load_cluster(name)).splitlines():
        assert ("Nodes=" in line) != ("Switches=" in line), line


def test_a_line_of_switches():
    assert topology_conf(load_cluster("paper-2")) == (
        "SwitchName=s1 Nodes=h[16-31]\nSwitchName=s0 Nodes=h[0-15]\nSwitchName=s0-up Switches=s0,s1\n"
    )


def test_switches_without_hosts_below_are_left_out():
    """Slurm refuses a switch with nothing below."""
    cluster = _core.parse_cluster(
        "trunkline: cluster/1\nname: x\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0, s1, s2]\n"
        "hosts:\n  - {hosts: 'a[0-1]', switch: s0}\nlinks:\n  - between: [s0, s1]\n  - between: [s1, s2]\n",
        "x",
    )
    assert "s2" not in topology_conf(cluster)


@pytest.mark.parametrize("seed", range(20))
def test_random_clusters_come_back(seed):
    cluster = named_random_cluster(f"random:24x8:{seed}")
    assert homes(read_back(topology_conf(cluster))) == homes(cluster)
