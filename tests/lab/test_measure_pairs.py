"""``trunkline measure --pairs`` on a lab, and the cluster file that follows.

Bounds are those that a busy machine keeps.
"""

import json

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.pairs.file import load_pairs

pytestmark = pytest.mark.usefixtures("nothing_left")
RATE = 20e6
EARLY_S = 1e-3
"""By so much at most a round trip is shorter than the network says: it delivers some frames a little too early."""


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_pairs_of_two_sites(trunkline, tmp_path, mpi):
    file, fitted, told = tmp_path / "pairs.json", tmp_path / "fitted.yaml", tmp_path / "told.json"
    words = ("measure", "--pairs", "-o", str(file), "--budget", "0.02", "--sizes", "8KiB")
    done = trunkline("lab", "run", "two-site", "--rate", "20Mbit", "--mpi", mpi, "-n", "5", "--", "trunkline", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    content = json.loads(file.read_text())
    assert (content["mpi"], content["message_bytes"]) == (mpi, 8192)
    stated = load_cluster("two-site")
    pairs = load_pairs(str(file), stated).pairs
    assert {tuple(sorted(pair.hosts)) for pair in pairs} == {(a, b) for b in range(5) for a in range(b)}
    for pair, entry in zip(pairs, content["pairs"], strict=True):
        far = (pair.hosts[0] < 2) != (pair.hosts[1] < 2)
        links = 3 if far else 2
        headers = (_core.frame_wire_bytes - _core.frame_payload_bytes) * 8 / RATE
        assert pair.latency_s >= links * headers + (1.6e-3 if far else 20e-6) - EARLY_S / 2
        assert all(0 < injection < 60 for injection in pair.injection_s)
        assert all(spread >= 0 for spread in (entry["latency_spread"], *entry["bandwidth_spread"]))
    # In a round no two pairs share a host, or the link between the sites.
    for number in {entry["round"] for entry in content["pairs"]}:
        hosts = [host for entry in content["pairs"] if entry["round"] == number for host in entry["hosts"]]
        assert len(hosts) == len(set(hosts))
    done = trunkline("cluster", "fit", "two-site", "--pairs", str(file), "-o", str(fitted), "--json", str(told))
    assert done.returncode == 0, done.stderr
    assert "10 pairs of 5 hosts" in " ".join(done.stderr.split())
    assert "# Rates, latencies and injection times: measured at 20" in fitted.read_text()
    assert load_cluster(str(fitted)).topology_fingerprint == stated.topology_fingerprint
    assert len(json.loads(told.read_text())["links"]) == 6
    late = trunkline("cluster", "fit", "two-site", "--pairs", str(file), "--max-age", "0")
    assert late.returncode == 2
    assert "hours ago" in late.stderr


THREE_SITES = """\
trunkline: cluster/1
name: three
defaults: {rate: 20Mbit, latency: 10us}
switches: s[0-2]
hosts:
  - {hosts: "h[0-1]", switch: s0}
  - {hosts: "h[2-3]", switch: s1}
  - {hosts: "h[4-5]", switch: s2}
links:
  - {between: [s0, s1], latency: 1ms}
  - {between: [s0, s2], latency: 10ms}
"""


def test_a_pair_of_the_first_host_has_its_own_figures_in_every_round(trunkline, tmp_path):
    """Others of the same round may come before it."""
    cluster_file, file = tmp_path / "three.yaml", tmp_path / "pairs.json"
    cluster_file.write_text(THREE_SITES)
    words = ("measure", "--pairs", "-o", str(file), "--budget", "0", "--most-pairs", "8")
    done = trunkline("lab", "run", str(cluster_file), "--rate", "20Mbit", "--mpi", "mpich", "--", "trunkline", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    cluster = load_cluster(str(cluster_file))
    content = json.loads(file.read_text())
    rounds = [[entry["hosts"] for entry in content["pairs"] if entry["round"] == number] for number in range(20)]
    assert any("h0" in pair for pairs in rounds for pair in pairs[1:]), "the case is no good any more"
    for pair in load_pairs(str(file), cluster).pairs:
        way = [cluster.links[one // 2] for one in cluster.path(*(cluster.hosts[host] for host in pair.hosts))]
        assert pair.latency_s >= sum(link.latency_s for link in way) - EARLY_S / 2, pair


def test_one_host_has_no_pairs(trunkline, tmp_path):
    words = ("--mpi", "mpich", "-n", "2", "--ranks-per-host", "2", "--rate", "50Mbit")
    done = trunkline(
        "lab", "run", "two-site", *words, "--", "trunkline", "measure", "--pairs", "-o", str(tmp_path / "p")
    )
    assert done.returncode != 0
    assert "all ranks are on one host: start them on two at least" in done.stderr
    assert not (tmp_path / "p").exists()


def test_streams_are_of_one_size(trunkline, tmp_path):
    done = trunkline(
        "measure",
        "--pairs",
        "-o",
        str(tmp_path / "p"),
        "--cluster",
        "two-site",
        "--sizes",
        "1KiB,2KiB",
        "--mpi",
        "mpich",
    )
    assert done.returncode == 2
    assert "--pairs: one size" in done.stderr
