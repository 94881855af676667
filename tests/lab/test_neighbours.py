"""Hosts know each other's addresses, however many there are."""

import pytest

from trunkline import _core
from trunkline.lab.session import Lab

CLUSTER = """\
trunkline: cluster/1
name: many
defaults: {rate: 100Mbit, latency: 10us}
switches: s0
hosts:
  - {hosts: 'node-[001-300].rack.example', switch: s0}
"""


@pytest.mark.usefixtures("nothing_left")
def test_hundreds_of_hosts_with_names_of_their_own():
    with Lab(_core.parse_cluster(CLUSTER, "many.yaml"), 1e8) as lab:
        listed = lab.run(["ip", "neigh"], host="node-007.rack.example", capture=True)
        entries = {line.split()[0]: line.split()[4:] for line in listed.stdout.splitlines()}
        assert len(entries) == 299
        assert "198.18.0.7" not in entries  # its own
        assert entries["198.18.1.44"] == ["02:00:00:00:01:2b", "PERMANENT"]
        name = lab.run(["hostname"], host="node-300.rack.example", capture=True)
        assert name.stdout == "node-300.rack.example\n"
