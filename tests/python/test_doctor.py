"""What ``trunkline doctor`` makes of what a job says of itself."""

from dataclasses import replace

import pytest

from trunkline import _core
from trunkline.bench.job import PING_PONG, Outcome
from trunkline.bench.own_job import Multicast, OwnJob, Seat, rank_of_job
from trunkline.cluster import load_cluster
from trunkline.doctor.job import Examination
from trunkline.mpi import Mpi

MPI = Mpi("mpich", "mpich", "4.0.2", "mpicc", "mpiexec", "libmpich.so")
CYCLIC = load_cluster("cyclic")  # 100 Mbit/s
GOOD = [Seat(rank, f"h{rank}", "0.1.0 for MPICH", "eth0", 1e6, 95e6 if rank < 3 else 0.0) for rank in range(4)]


def examination(seats: list[Seat], cluster: _core.Cluster | None = CYCLIC, gain: float = 3.0) -> Examination:
    outcome = Outcome()
    for size in (1024, 65536):
        outcome.seconds[size, "native"] = [0.003, 0.003, 0.003]
        outcome.seconds[size, "auto"] = [0.003 / gain] * 3
        outcome.seconds[size, PING_PONG] = [0.0005] * 3
        outcome.ran[size, "auto"] = ("two-tree", 1448) if size > 1024 else ("native", 0)
    return Examination(MPI, "bcast", cluster, seats, outcome)


def test_a_job_that_is_as_it_should_be():
    found = examination(GOOD)
    assert found.complaints() == []
    assert found.verdict() == "Trunkline pays here: up to 3.0 times faster than the MPI library alone."
    assert [len(seats) for seats in found.rates().values()] == [3]
    assert found.ran(65536) == "two-tree, 1448 B"
    assert found.as_json()["sizes"][1] == {
        "message_bytes": 65536,
        "native_seconds": 0.003,
        "auto_seconds": 0.001,
        "limit_seconds": 0.0005,
        "auto_ran": "two-tree, 1448 B",
    }


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({1: {"preload": ""}}, "rank 1 without the preload library, so all run natively"),
        ({1: {"preload": ""}, 2: {"preload": ""}}, "ranks [1-2] without the preload library"),
        ({rank: {"preload": ""} for rank in range(4)}, "no rank has the preload library: start the job with"),
        ({2: {"host": "vm7"}}, "cluster cyclic has no host vm7 (rank 2): add it to the file"),
        (
            {1: {"rate_to_next_bps": 9.4e6}},
            "9.4 Mbit/s were measured where the cluster file says 100 Mbit/s: from rank 1 ",
        ),
        ({3: {"interface": "wlan0"}}, "different interfaces (eth0 on 3, wlan0 on 1 ranks)"),
    ],
)
def test_what_is_wrong_is_named(change, complaint):
    seats = [replace(seat, **change.get(seat.rank, {})) for seat in GOOD]
    said = examination(seats).complaints()
    assert len(said) == 1, said
    assert complaint in said[0]


def test_without_a_cluster_nothing_is_compared():
    found = examination(GOOD, cluster=None)
    assert found.rates() == {}
    assert [text.partition(",")[0] for text in found.complaints()] == ["no cluster is set"]


def test_ranks_of_one_host_have_no_link_between_them():
    assert examination([replace(seat, host="h0") for seat in GOOD]).rates() == {}


def test_whether_it_pays():
    assert examination(GOOD, gain=1.02).verdict().startswith("Trunkline is no faster")
    native = examination(GOOD)
    native.outcome.ran[65536, "auto"] = ("native", 0)
    assert native.verdict() == "Trunkline leaves all of these sizes to the MPI library here."


def test_the_rank_is_what_the_launcher_says():
    assert rank_of_job({}) is None
    assert rank_of_job({"PMI_RANK": "3", "SLURM_PROCID": "0"}) == 3
    assert rank_of_job({"OMPI_COMM_WORLD_RANK": "7"}) == 7


def test_why_a_program_may_gain_less():
    found = examination(GOOD)
    said = found.why_less()
    assert any(one.startswith("1 KiB runs as the MPI library has it: ") for one in said)
    assert any("the first one on a communicator lays a plan" in one for one in said)
    assert any(one.endswith(f"under {MPI.name} {MPI.leaves_native}") for one in said)
    assert said[-1] == _core.planned_words()
    assert found.as_json()["why_less"] == said
    assert examination(GOOD, cluster=None).why_less() == said[-4:]


def test_calls_before_a_group_is_open_are_told():
    found = examination([replace(seat, host=f"h{seat.rank}") for seat in GOOD])
    found.outcome.ran[65536, "auto"] = ("multicast", 1448)
    assert any("64 KiB is multicast after the first " in one for one in found.why_less())


def test_where_the_times_scatter_no_winner_is_named():
    found = examination(GOOD)
    found.outcome.seconds[65536, "auto"] = [0.001, 0.0025, 0.004]
    (said,) = found.complaints()
    assert said.startswith("too noisy to tell native and Trunkline apart")
    assert "64 KiB (120 % wide)" in said
    assert found.verdict().startswith("These nodes are too noisy")
    found.outcome.seconds[65536, "auto"] = [0.0005, 0.001, 0.0015]  # as wide, but below all of native's
    assert found.complaints() == []


def test_what_multicast_does_among_the_nodes_is_told():
    works = Multicast("its group is open, messages of up to 8592B are eager", True, 4, 0, 0, 0)
    found = examination(GOOD)
    found.multicast = works
    assert found.complaints() == []
    assert found.as_json()["multicast"]["works"] is True
    found.multicast = replace(works, words="no group: not every rank hears it", works=False, calls=0)
    (said,) = found.complaints()
    assert said.startswith("multicast does not work between these nodes (no group: not every rank hears it)")
    found.multicast = replace(works, repaired=3)
    (said,) = found.complaints()
    assert said.startswith("of 4 multicasts of a byte, 3 were missed on a rank and repaired")
    found.multicast = replace(works, words="its group is open, no message is eager: a firewall may be between them")
    (said,) = found.complaints()
    assert said.startswith("short multicasts wait for all ranks")


def test_two_hosts_need_no_multicast():
    found = examination([replace(seat, host=f"h{seat.rank % 2}", rate_to_next_bps=0.0) for seat in GOOD])
    found.multicast = Multicast("no group: not every rank hears it", False, 0, 0, 0, 0)
    assert found.complaints() == []


def test_the_job_speaks_of_multicast():
    job = OwnJob(["none"])
    event = {"multicast": "its group is open", "works": True, "calls": 3, "repaired": 1, "strange": 0, "early": 2}
    assert job.take(dict(event))
    assert job.multicast == Multicast("its group is open", True, 3, 1, 0, 2)
