"""What MPI libraries would run by themselves, simulated."""

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import PIPELINED, own_choice, simulated_algorithms
from trunkline.simulate.engine import Job, simulate
from trunkline.simulate.rows import simulate_all


@pytest.mark.parametrize("collective", ["reduce", "allreduce"])
def test_every_rival_of_a_reduction_runs(collective):
    cluster = load_cluster("paper-1")
    job = Job(collective, cluster, _core.block_placement(cluster, 1), 0, [8200], {})
    rows = simulate_all(job, simulated_algorithms(collective, ["pipelined", "two-tree"]))
    assert len(rows) == len(PIPELINED[collective]) + 1
    assert all(row.seconds_median > row.bound_seconds for row in rows)


@pytest.mark.parametrize(
    ("collective", "size"),
    [
        ("reduce", 8200),
        ("allreduce", 8200),
        ("barrier", 0),
        ("reduce-scatter", 8200),
        ("reduce-scatter-block", 8192),
        ("allgather", 8192),
        ("allgatherv", 8195),
    ],
)
def test_every_collective_of_others_runs_and_is_checked(collective, size):
    """What Trunkline does not run is not offered, but can be simulated all the same."""
    cluster = load_cluster("paper-1")
    job = Job(collective, cluster, _core.block_placement(cluster, 1), 0, [size], {})
    (outcome,) = simulate(job, "native", {"smpi/coll-selector": "ompi"}, {})
    assert outcome.seconds > 0
    assert outcome.message_bytes == size


@pytest.mark.parametrize("name", ["leaf-spine", "paper-1"])
@pytest.mark.parametrize(("mpi", "library"), [("mpich", "mpich"), ("openmpi", "ompi")])
@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce"])
def test_native_is_what_the_named_library_selects(trunkline, name, mpi, library, collective):
    """Where ``auto`` leaves a call to the library, it takes what ``native`` takes, by one name."""
    words = ("--cluster", name, "--mpi", mpi, "--sizes", "64,2KiB,16KiB", "--algorithms", f"auto,native,{library}")
    ran = trunkline("simulate", collective, *words, "--json", "-")
    assert ran.status == 0, ran.error
    rows = {(row["algorithm"], row["message_bytes"]): row for row in ran.data}
    explained = trunkline(
        *("explain", name, "--mpi", mpi, "--collective", collective, *words[4:6], "--no-multicast", "--json", "-")
    ).data
    placement = _core.block_placement(load_cluster(name), 1)
    for one in explained:
        size = one["message_bytes"]
        choice = own_choice(_core.NativeLibrary[mpi], collective, placement, 0, size)
        native = rows.get(("native", size))
        assert (native is None) == (not choice.algorithm)
        auto = rows.get(("auto", size))
        if one["algorithm"] == "native":
            assert (auto is None) == (native is None)
        elif auto is not None:
            assert (auto["ran"], auto["segment_bytes"]) == (one["algorithm"], one["segment_bytes"])
        if native is None:
            assert choice.why_not in " ".join(ran.error.split())
            continue
        assert native["native_algorithm"] == choice.algorithm == rows[library, size]["native_algorithm"]
        assert native["seconds_median"] == rows[library, size]["seconds_median"]
        if one["algorithm"] == "native":
            assert auto["native_algorithm"] == choice.algorithm
            assert auto["seconds_median"] == native["seconds_median"]


@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce"])
@pytest.mark.parametrize("size", [64, 8192, 1 << 20])
def test_several_ranks_of_a_host_go_together_under_mpich(trunkline, collective, size):
    """Its own selection composes most calls by hosts; Open MPI's goes by ranks. What comes out is checked."""
    words = ("--ranks-per-host", "4", "--sizes", str(size), "--algorithms", "auto,native,ompi")
    ran = trunkline("simulate", collective, "--cluster", "paper-1", *words, "--json", "-")
    assert ran.status == 0, ran.error
    rows = {row["algorithm"]: row for row in ran.data}
    by_hosts = (collective, size) != ("bcast", 1 << 20)
    assert rows["native"]["native_algorithm"].endswith(" among hosts") == by_hosts
    assert " among hosts" not in rows["ompi"]["native_algorithm"]
    if rows["auto"]["ran"].startswith("native"):
        assert rows["auto"]["seconds_median"] == rows["native"]["seconds_median"]


def test_what_nobody_knows_has_no_time_but_a_word(trunkline):
    words = ("--mpi", "openmpi", "--sizes", "16KiB", "--algorithms", "native,smpi-ompi")
    ran = trunkline("simulate", "allgather", "--cluster", "paper-1", *words)
    assert ran.status == 0, ran.error
    said = " ".join(ran.error.split())
    assert "native - " in said
    assert "what Open MPI selects for this collective is not known" in said
    choice = own_choice(_core.NativeLibrary.openmpi, "barrier", [0, 1], 0, 0)
    assert (choice.algorithm, choice.why_not) == ("", "no algorithm of a barrier is known here")


@pytest.mark.parametrize("collective", ["allgather", "allgatherv", "reduce-scatter", "reduce-scatter-block"])
def test_shares_go_as_mpich_selects(trunkline, collective):
    words = ("--cluster", "paper-1", "--sizes", "8KiB,1MiB", "--algorithms", "native", "--json", "-")
    ran = trunkline("simulate", collective, *words)
    assert ran.status == 0, ran.error
    names = [row["native_algorithm"] for row in ran.data]
    ours = ["recursive_halving", "pairwise"] if collective.startswith("reduce") else ["recursive_doubling", "ring"]
    assert names == ours


def test_one_default_for_what_messages_cost(trunkline):
    """The library that is named: in predictions, explanations and simulations alike, and said in their titles."""
    for mpi in ("mpich", "openmpi"):
        job = ("leaf-spine", "--mpi", mpi, "--sizes", "64KiB", "--rate", "10Gbit")
        explained = trunkline("explain", *job)
        predicted = trunkline("predict", *job, "--algorithms", "binary,native")
        simulated = trunkline("simulate", "bcast", "--cluster", *job, "--algorithms", "auto")
        for said in (explained.out, predicted.out, simulated.error):
            said = " ".join(said.split())
            assert f"messages cost hosts what was measured under {mpi}" in said
            assert "hosts 10 Gbit/s, trunks 20 Gbit/s" in said
        for said in (explained.out, predicted.out):
            assert "19 of 20 of ours were within 11 % of the true time; " in " ".join(said.split())
