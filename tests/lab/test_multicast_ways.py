"""Multicasts between hosts by each way on which datagrams reach all of them, IPv6 among them."""

import os

import pytest

from trunkline import _core
from trunkline.lab.impairments import Impairments
from trunkline.lab.session import Lab

WAYS = {"1": "over IPv4", "ipv6": "over IPv6", "broadcast": "by broadcasts over IPv4"}
CALLS = "40"


@pytest.mark.parametrize(("way", "mpi"), [("1", "openmpi"), ("ipv6", "mpich"), ("broadcast", "openmpi")])
def test_multicasts_between_hosts(trunkline, program, way, mpi):
    words = ["lab", "run", "paper-4", "--mpi", mpi, "-n", "8", "--rate", "50Mbit", "--ipv6", "--loss", "1%"]
    settings = {"TRUNKLINE_BCAST": "multicast", "TRUNKLINE_MULTICAST": way, "TRUNKLINE_EXPLAIN": "1"}
    done = trunkline(*words, "--", program("broadcasts", mpi), CALLS, "1", env={**os.environ, **settings})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{CALLS} broadcasts, 0 wrong" in done.stdout
    assert f"its group is open {WAYS[way]}, messages of up to " in done.stderr
    assert "no group" not in done.stderr


@pytest.mark.usefixtures("nothing_left")
def test_hosts_with_ipv6_know_each_other():
    cluster = _core.parse_cluster(
        "trunkline: cluster/1\nname: three\ndefaults: {rate: 100Mbit}\nswitches: s0\n"
        "hosts:\n  - {hosts: 'h[0-2]', switch: s0}\n",
        "three.yaml",
    )
    with Lab(cluster, 1e8, Impairments(ipv6=True)) as lab:
        listed = lab.run(["ip", "-6", "neigh"], host="h1", capture=True).stdout
        entries = {line.split()[0]: line.split()[4:] for line in listed.splitlines()}
        assert entries == {f"fd00::{i + 1}": [f"02:00:00:00:00:0{i}", "PERMANENT"] for i in (0, 2)}
        said = lab.run(["ip", "-6", "-oneline", "address", "show", "dev", "eth0"], host="h1", capture=True).stdout
        assert [line.split()[3] for line in said.splitlines()] == ["fd00::2/64"]
