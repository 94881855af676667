"""``trunkline measure --pairs`` on a lab, and the cluster file that follows.

Bounds are those that a busy machine keeps.
"""

import json
import os
import subprocess
from pathlib import Path

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


UNLIKE = """\
trunkline: cluster/1
name: unlike
defaults: {rate: 20Mbit, latency: 50us}
switches: [near, far]
hosts:
  - {hosts: "a[0-1]", switch: near}
  - {hosts: "b[0-1]", switch: far}
links:
  - {between: [near, far], latency: 20ms, back: {latency: 5ms}}
"""
ALIKE = UNLIKE.replace("20ms, back: {latency: 5ms}", "12500us")
MORE_S = 7.5e-3
"""There takes so much longer than half of a round trip."""


@pytest.fixture
def clusters(tmp_path):
    """As the network is, and as somebody thinks that it is who knows no directions."""
    files = tmp_path / "unlike.yaml", tmp_path / "alike.yaml"
    for file, text in zip(files, (UNLIKE, ALIKE), strict=True):
        file.write_text(text)
    return tuple(map(str, files))


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_clocks_tell_ways_there_and_back_apart(trunkline, tmp_path, clusters, mpi):
    """Hosts of a lab have one clock."""
    file, told = tmp_path / "pairs.json", tmp_path / "told.json"
    words = ("measure", "--pairs", "-o", str(file), "--budget", "0.1", "--sizes", "2KiB")
    done = trunkline("lab", "run", clusters[0], "--rate", "20Mbit", "--mpi", mpi, "--", "trunkline", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "one way there, back" in done.stderr
    pairs = load_pairs(str(file), load_cluster(clusters[0])).pairs
    assert len(pairs) == 6
    for pair in pairs:
        is_far = (pair.hosts[0] < 2) != (pair.hosts[1] < 2)
        assert pair.one_way is not None, pair
        # How early frames may be delivered is the lab's error, and no clock's.
        assert abs(pair.one_way.more_s - (MORE_S if is_far else 0.0)) <= pair.one_way.error_s + EARLY_S
        assert all(seconds > -EARLY_S for seconds in pair.one_way.seconds)
        assert sum(pair.one_way.seconds) / 2 <= pair.latency_s * 1.2 + EARLY_S
    done = trunkline(
        "cluster", "fit", clusters[1], "--pairs", str(file), "-o", str(tmp_path / "f"), "--json", str(told)
    )
    assert done.returncode == 0, done.stderr
    assert "near - far: " in done.stderr
    assert "back, by clocks; half of the difference is off by" in done.stderr
    long_link = load_cluster(str(tmp_path / "f")).links[-1]
    assert (long_link.latency_s - long_link.back_latency_s) / 2 == pytest.approx(MORE_S, abs=EARLY_S)
    of_long = next(link for link in json.loads(told.read_text())["links"] if link["between"] == ["near", "far"])
    assert of_long["difference_known_seconds"] < MORE_S


def test_clocks_that_say_nothing_are_told(trunkline, tmp_path, clusters):
    """Each host has a clock of its own: one is kept, one is not, one is ahead of what it says, and one jumps."""
    fake, file = tmp_path / "fake.so", tmp_path / "pairs.json"
    source = Path(__file__).parent / "faked_clock.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(fake), str(source), "-ldl"], check=True)
    clocks = "a0 0 3000 1 0,a1 0 3000 0 0,b0 2500 3000 1 0,b1 0 3000 1 5"
    # Without the lab's own preloaded library MPICH 4.0 hangs in MPI_Finalize now and then.
    program = f"LD_PRELOAD={fake}:$LD_PRELOAD exec trunkline measure --pairs -o {file} --budget 0.05 --sizes 2KiB"
    done = trunkline(
        *("lab", "run", clusters[0], "--rate", "20Mbit", "--mpi", "mpich", "--", "sh", "-c", program),
        env=os.environ | {"FAKED_CLOCKS": clocks},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cluster = load_cluster(clusters[0])
    pairs = {pair.hosts: pair for pair in load_pairs(str(file), cluster).pairs}
    reasons = {hosts: pair.unknown for hosts, pair in pairs.items()}
    assert reasons == {
        (0, 1): "the clock of a1 is not synchronized",
        (2, 3): "the clock of b1 was set meanwhile",
        (0, 2): "",
        (0, 3): "the clocks of a0 and b1 are further apart than their systems say",
        (1, 2): "the clock of a1 is not synchronized",
        (1, 3): "the clock of a1 is not synchronized",
    }
    known = pairs[0, 2].one_way
    assert known.error_s >= 6e-3
    assert abs(known.more_s - MORE_S) <= known.error_s
    assert known.more_s == pytest.approx(MORE_S + 2.5e-3, abs=2e-3)
    assert "what differs does not show" in " ".join(done.stderr.split())
    for reason in filter(None, reasons.values()):
        assert reason in done.stderr
    done = trunkline("cluster", "fit", clusters[1], "--pairs", str(file), "-o", str(tmp_path / "f"))
    assert done.returncode == 0, done.stderr
    assert "not known of 3 pairs: the clock of a1 is not synchronized" in done.stderr
    assert "not known of 1 pairs: the clock of b1 was set meanwhile" in done.stderr


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
