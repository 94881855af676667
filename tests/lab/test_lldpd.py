"""What real lldpd instances print in network namespaces becomes the network that joins them."""

import os
import shutil
import subprocess
import sys

import pytest
from busy_machine import PATIENCE_S

from trunkline.cluster import load_cluster

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="lldpd changes to its own user, which takes root"),
    pytest.mark.skipif(shutil.which("lldpd") is None, reason="Debian's lldpd is not installed"),
]

HOSTS = {"h0": "leaf0", "h1": "leaf1", "h2": "leaf0", "h3": "leaf1", "io": "spine"}
TRUNKS = [("spine", "leaf0"), ("spine", "leaf1")]

NETWORK = """\
set -e
mount -t tmpfs none /run
mkdir -p /run/netns /run/lldpd
node() { ip netns add $1; }
join() {
  ip link add $2 netns $1 type veth peer name $4 netns $3
  ip -n $1 link set $2 up
  ip -n $3 link set $4 up
}
"""
SPEAK = """\
for n in $nodes; do
  ip netns exec $n unshare --uts sh -c "hostname $n; exec lldpd -d -u /run/$n.sock -I 'eth*,p*'" >/run/$n.log 2>&1 &
done
for n in $nodes; do
  for try in $(seq 1000); do
    lldpcli -u /run/$n.sock configure lldp tx-interval 1 >/dev/null 2>&1 && break
    sleep 0.1
  done
done
for try in $(seq 1000); do
  links=0
  for n in $nodes; do
    links=$((links + $(lldpcli -u /run/$n.sock -f json0 show neighbors | grep -c '"via"' || true)))
  done
  [ $links = $wanted ] && break
  sleep 0.2
done
for n in $nodes; do lldpcli -u /run/$n.sock -f json0 show neighbors details >$folder/$n.json; done
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of all hosts and switches, named after them."""
    folder = tmp_path_factory.mktemp("lldp")
    switches = sorted({switch for ends in TRUNKS for switch in ends})
    lines = [f"nodes='{' '.join([*HOSTS, *switches])}' wanted={2 * (len(HOSTS) + len(TRUNKS))} folder={folder}"]
    lines += [f"node {name}" for name in [*HOSTS, *switches]]
    lines += [f"ip -n {switch} link add br0 type bridge\nip -n {switch} link set br0 up" for switch in switches]
    for number, (a, b) in enumerate([*HOSTS.items(), *TRUNKS]):
        port = "eth0" if a in HOSTS else f"p{number}"
        lines.append(f"join {a} {port} {b} p{number}")
        lines += [f"ip -n {switch} link set p{number} master br0" for switch in (a, b) if switch in switches]
    private = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--ipc", "--uts"]
    ended = subprocess.run(
        [*private, "bash", "-c", NETWORK + "\n".join(lines) + "\n" + SPEAK],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return folder


def imported(folder, names, *options):
    file = folder / "cluster.yaml"
    command = [sys.executable, "-m", "trunkline", "cluster", "import", "lldp", "-o", file, *options]
    ended = subprocess.run(
        [*command, *(folder / f"{name}.json" for name in names)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return load_cluster(str(file))


def told(cluster):
    """Hosts with their switches; trunks."""
    homes = {host: cluster.switch_of(number) for number, host in enumerate(cluster.hosts)}
    return homes, {frozenset((link.a, link.b)) for link in cluster.links if not {link.a, link.b} & homes.keys()}


def test_hosts_and_switches_tell_everything(folder):
    cluster = imported(folder, [*HOSTS, "leaf0", "leaf1", "spine"])
    assert told(cluster) == (HOSTS, {frozenset(ends) for ends in TRUNKS})
    assert {link.rate_bps for link in cluster.links} == {1e10}, "what virtual Ethernet announces"


def test_hosts_tell_everything_but_the_trunks(folder):
    cluster = imported(folder, HOSTS, "--core", "spine", "--rate", "100Mbit")
    assert told(cluster) == (HOSTS, {frozenset(ends) for ends in TRUNKS})
    assert {link.rate_bps for link in cluster.links} == {1e8}
