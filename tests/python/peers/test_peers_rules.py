"""Rules for an MPI library's own broadcasts, in the words of Open MPI and of MPICH."""

import json
import re
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from trunkline import _core
from trunkline.bench.job import Limits
from trunkline.cluster import load_cluster
from trunkline.errors import Failed
from trunkline.mpi import Mpi, find_mpis
from trunkline.peers.algorithms import own_algorithms
from trunkline.peers.openmpi_algorithms import OPENMPI
from trunkline.peers.rules import winners as measured
from trunkline.peers.rules.check import same_traffic
from trunkline.peers.rules.mpich_json import coordinates, mpich_json, own_table
from trunkline.peers.rules.rule import PeerRule, PeerWinner, openmpi_json, openmpi_text, peer_rules_of
from trunkline.peers.rules.winners import winner_of

RANKS = 32
CYCLIC = load_cluster("cyclic")


def own(family, version, name):
    mpi = Mpi(family, family, version, "mpicc", "mpiexec", "libmpi.so")
    return next(one for one in own_algorithms(mpi, "bcast", 1 << 20, RANKS) if one.name == name)


def winner(size, algorithm):
    return PeerWinner(size, algorithm, 1.0, 2.0, 9)


PIPELINE = own("openmpi", "4.1.4", "pipeline:4096")
CHAIN = own("openmpi", "4.1.4", "chain:1024")
LINE = own("mpich", "4.0.2", "tsp_tree-kary-1:4096")
RING = own("mpich", "4.0.2", "scatter_ring_allgather")
TOPOLOGY = own("mpich", "5.0.2", "pipelined_tree-topology_wave-2:1024")
PIPELINED = own("mpich", "5.0.2", "pipelined_tree-kary-2:1024")


def test_rules_change_between_the_sizes():
    rules = peer_rules_of([winner(8, None), winner(32, None), winner(2048, CHAIN), winner(8192, PIPELINE)])
    assert rules == [PeerRule(0, None), PeerRule(256, CHAIN), PeerRule(4096, PIPELINE)]
    assert peer_rules_of([winner(8, None), winner(9, CHAIN)]) == [PeerRule(0, None), PeerRule(9, CHAIN)]


@dataclass
class Times:
    """What a sweep reads and writes of a cell."""

    seconds_median: float
    algorithm: str = ""
    ran: str = ""
    segment_bytes: int = 0


def cells(times):
    return {one: SimpleNamespace(seconds_median=seconds) for one, seconds in times.items()}


def test_a_rule_asks_for_what_a_file_can():
    won = winner_of(65536, cells({None: 1.0, LINE: 0.5, RING: 0.8, TOPOLOGY: 0.4}))
    assert (won.algorithm, won.seconds, won.default_seconds, won.tried) == (LINE, 0.5, 1.0, 4)
    assert won.beyond == (TOPOLOGY, 0.4)
    assert winner_of(65536, cells({None: 1.0, RING: 0.99})).algorithm is None
    assert winner_of(65536, cells({None: 1.0, RING: 0.9})).beyond is None


def test_an_algorithm_that_fails_is_left_out(monkeypatch, tmp_path):
    tried = []

    def measure(_lab, mpi, _collective, sizes, _names, _limits, _ranks_per_host, _show, hosts, settings):
        (size,) = sizes
        what = (
            settings.get("MPIR_CVAR_BCAST_INTRA_ALGORITHM"),
            settings.get("MPIR_CVAR_IBCAST_TREE_PIPELINE_CHUNK_SIZE"),
        )
        tried.append((size, *what))
        if "binomial" in what or "1024" in what:
            raise Failed("the benchmark ended\nno such algorithm")
        return [Times(1.0)]

    monkeypatch.setattr(measured, "measure", measure)
    job = SimpleNamespace(
        mpi=Mpi("mpich", "mpich", "4.0.2", "", "", ""),
        lab=None,
        ranks=RANKS,
        ranks_per_host=1,
        host_count=None,
        collective="bcast",
    )
    winners = list(measured.sweep(job, [65536, 131072], Limits(patience_s=1), tmp_path))
    assert [winner.algorithm for winner in winners] == [None, None]
    assert "binomial failed at 64 KiB: no such algorithm" in winners[1].failures
    assert "tsp_tree-kary-1:1024 failed at 64 KiB: no such algorithm" in winners[1].failures
    for failing in ("binomial", "1024"):
        assert {size for size, *what in tried if failing in what} == {65536}
    monkeypatch.setattr(measured, "own_settings", lambda *_: {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial"})
    with pytest.raises(Failed):  # what it does by itself must run
        list(measured.sweep(job, [8192], Limits(), tmp_path))


def test_open_mpi_reads_numbers_alone():
    text = openmpi_text(
        "bcast", [PeerRule(0, None), PeerRule(256, CHAIN), PeerRule(4096, PIPELINE)], RANKS, "about 7 things"
    )
    numbers = [int(word) for line in text.splitlines() for word in line.partition("#")[0].split()]
    theirs = [1, 0, 0, 0, 0]
    chain, pipeline = OPENMPI["bcast"].index("chain"), OPENMPI["bcast"].index("pipeline")
    ours = [3, 0, 0, 0, 0, 256, chain, 4, 1024, 4096, pipeline, 0, 4096]
    assert numbers == [1, 7, 3, 0, *theirs, RANKS, *ours, RANKS + 1, *theirs]


def test_open_mpi_6_reads_ranges():
    read = json.loads(
        openmpi_json("bcast", [PeerRule(0, CHAIN), PeerRule(256, None), PeerRule(4096, PIPELINE)], RANKS, 1)
    )
    (communicators,) = read["collectives"]["bcast"]
    assert (communicators["comm_size_min"], communicators["comm_size_max"]) == (RANKS, RANKS)
    assert communicators["comm_rank_distribution"] == "one-per-node"
    found = [
        (rule["msg_size_min"], rule["msg_size_max"], rule["alg"], rule["seg_size"]) for rule in communicators["rules"]
    ]
    assert found == [(0, 255, "chain", 1024), (4096, "inf", "pipeline", 4096)]


def followed(table, collective, ranks, size):
    """What MPICH finds in a table: the first condition of each level that holds leads on."""

    def holds(condition):
        name, sign, value = re.fullmatch(r"(\w+?)(<=|<|=)(\w+)", condition).groups()
        known = {"collective": collective, "comm_type": "intra", "comm_hierarchy": "flat"}
        if value == "any":
            return True
        if name in known:
            return known[name] == value
        if value == "pow2":
            return ranks & (ranks - 1) == 0
        actual = {"comm_size": ranks, "avg_msg_size": size}[name]
        return actual <= int(value) if sign == "<=" else actual < int(value)

    while True:
        key = next((key for key in table if key.startswith("algorithm=")), None)
        if key:
            return key.removeprefix("algorithm="), sorted(table[key])
        table = next(below for condition, below in table.items() if holds(condition))


@pytest.fixture(params=["mpich", "mpich-5.0.2"])
def table(request):
    if request.param not in find_mpis():
        pytest.skip(f"no {request.param} here")
    return own_table(find_mpis()[request.param])


def test_mpich_finds_the_rules_on_these_communicators_alone(table):
    made = json.loads(
        mpich_json(table, "bcast", [PeerRule(0, None), PeerRule(5000, RING), PeerRule(70000, LINE)], {RANKS})
    )
    for ranks in (4, RANKS - 1, RANKS + 1, 4 * RANKS):
        for size in (8, 60000, 1 << 22):
            for collective in ("bcast", "ibcast"):
                assert followed(made, collective, ranks, size) == followed(table, collective, ranks, size)
    assert followed(made, "bcast", RANKS, 4999) == ("MPIR_Bcast_intra_binomial", [])
    assert followed(made, "bcast", RANKS, 5000) == ("MPIR_Bcast_intra_scatter_ring_allgather", [])
    assert followed(made, "bcast", RANKS, 70000) == ("MPIR_Bcast_allcomm_nb", [])
    line = ("MPIR_Ibcast_intra_tsp_tree", ["chunk_size=4096", "k=1", "tree_type=0"])
    assert followed(made, "ibcast", RANKS, 70000) == line
    assert followed(made, "ibcast", RANKS, 60000) == followed(table, "ibcast", RANKS, 60000)
    assert {**made, "collective=bcast": 0, "collective=ibcast": 0} == {
        **table,
        "collective=bcast": 0,
        "collective=ibcast": 0,
    }


def test_mpich_is_told_every_parameter(table):
    made = json.loads(mpich_json(table, "bcast", [PeerRule(0, PIPELINED)], {8, RANKS}))
    name, parameters = followed(made, "bcast", 8, 1)
    assert name == "MPIR_Bcast_intra_pipelined_tree"
    keys = {word.partition("=")[0] for word in parameters}
    assert keys == {"tree_type", "k", "chunk_size", "is_non_blocking", "recv_pre_posted"}


def test_no_file_fills_its_last_page(table):
    rules = [PeerRule(0, None)]
    plain = len(mpich_json(table, "bcast", rules, {RANKS}))
    for extra in range(4096 - plain % 4096 - 20, 4096 - plain % 4096 + 5):  # one of these lengths is a whole page
        assert len(mpich_json({**table, "x": "y" * max(extra, 0)}, "bcast", rules, {RANKS})) % 4096


def test_a_library_without_a_table(tmp_path):
    file = tmp_path / "libmpi.so"
    file.write_bytes(b"\x7fELF nothing")
    with pytest.raises(Failed, match="holds no table"):
        own_table(Mpi("mpich-9", "mpich", "9", "mpicc", "mpiexec", str(file)))


def test_coordinates_count_ports_at_each_switch():
    lines = coordinates(CYCLIC, _core.block_placement(CYCLIC, 2)).splitlines()
    assert len(lines) == 1 + 64  # MPICH skips the first
    assert lines[1:6] == ["0: 0 0 0", "1: 0 0 1", "2: 0 1 0", "3: 0 1 1", "4: 0 2 0"]
    assert lines[9] == "8: 0 0 2"
    assert len({line.partition(":")[2] for line in lines[1:]}) == 64


def test_traffic_tells_algorithms_apart():
    m = 8192
    line, binary, ring = [1.0] * 7 + [0.03], [2.06, 2.09, 2.08, 1.05, 0.03, 0.03, 0.03, 0.03], [1.9] + [1.0] * 7
    for one in (line, binary, ring):
        for other in (line, binary, ring):
            same = same_traffic([a * m * 1.06 for a in one], [b * m for b in other], m)
            assert same == (one is other)
