"""Each MPI library loads the file of rules that is written for it, and does what it says."""

import json
from dataclasses import replace

import pytest
from six_hosts import SIX_HOSTS

from trunkline import _core
from trunkline.lab.session import Lab
from trunkline.mpi import find_mpis
from trunkline.peers.algorithms import own_algorithms
from trunkline.peers.rules.check import check_honoured
from trunkline.peers.rules.files import coordinates_file, write_peer_rules
from trunkline.peers.rules.job import PeerJob
from trunkline.peers.rules.rule import PeerWinner, peer_rules_of

pytestmark = pytest.mark.usefixtures("nothing_left")
ASKED = {
    ("openmpi", "bcast"): ("binary_tree:1024", "pipeline:4096"),
    ("openmpi-5.0.11", "bcast"): ("binary_tree:1024", "pipeline:4096"),
    ("mpich", "bcast"): ("tsp_tree-knomial_2-2:1024", "tsp_tree-kary-1:4096"),
    ("mpich-5.0.2", "bcast"): ("binomial", "pipelined_tree-kary-1:4096"),
    ("openmpi", "allreduce"): ("recursive_doubling", "segmented_ring:4096"),
    ("openmpi-5.0.11", "reduce"): ("binomial", "in-order_binary:4096"),
    ("mpich", "reduce"): ("reduce_scatter_gather", "tsp_tree-kary-1:4096"),
    ("mpich", "allreduce"): ("recursive_doubling", "tsp_tree-kary-2:4096"),
    ("mpich-5.0.2", "allreduce"): ("recursive_doubling", "tree-kary-1:4096"),
}


@pytest.mark.parametrize(("name", "collective"), ASKED)
def test_the_library_follows_its_file(tmp_path, name, collective):
    if name not in find_mpis():
        pytest.skip(f"no {name} here")
    mpi = find_mpis()[name]
    known = {one.name: one for one in own_algorithms(mpi, collective, 1 << 20, 6)}
    short, long = (known[word] for word in ASKED[name, collective])
    winners = [PeerWinner(8192, short, 1.0, 2.0, 2), PeerWinner(65536, long, 1.0, 2.0, 2)]
    with Lab(_core.parse_cluster(SIX_HOSTS, "six.yaml")) as lab:
        job = PeerJob(lab, mpi, collective)
        places = coordinates_file(tmp_path, mpi)
        loaded = write_peer_rules(tmp_path, job, peer_rules_of(winners), "a test")
        seen = check_honoured(job, winners, loaded, places)
        # A file that says something else is found out.
        wrong = [replace(winners[0], algorithm=long), winners[1]]
        unlike = check_honoured(job, wrong, loaded, places)
    assert [(one.message_bytes, one.name, one.as_forced) for one in seen] == [
        (8192, short.name, True),
        (65536, long.name, True),
    ]
    assert not seen[1].as_default
    assert [one.as_forced for one in unlike] == [False, True]


def test_tuning_writes_and_checks_them(trunkline, tmp_path):
    file = tmp_path / "six.yaml"
    file.write_text(SIX_HOSTS)
    words = ("--cluster", str(file), "--mpi", "mpich", "--sizes", "16KiB", "--rate", "50Mbit", "--budget", "0.1")
    outputs = (
        "-o",
        str(tmp_path / "t.yaml"),
        "--json",
        str(tmp_path / "t.json"),
        "--peer-rules",
        str(tmp_path / "rules"),
    )
    done = trunkline("tune", *words, *outputs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=" in done.stderr
    assert (tmp_path / "rules" / "mpich-4.0.2.json").exists()
    measured = {row["algorithm"] for row in json.loads((tmp_path / "t.json").read_text())}
    assert {"native", "own:by itself", "own:binomial"} <= measured
