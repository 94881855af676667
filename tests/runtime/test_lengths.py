"""Alltoalls of different lengths: the ranks agree on what they run, and keep to it until they add up anew."""

from conftest import BUILD, ON_OWN_HOST, Mpi
from explained import JSON, explained

from trunkline import _core
from trunkline.cluster import load_cluster

RANKS = 7


def test_they_run_what_the_core_decides_for_the_mean_block(any_mpi: Mpi):
    program = BUILD / "bench" / f"trunkline-bench-{any_mpi.name}"
    words = ["--collective", "alltoallv", "--sizes", "1,65536", "--algorithms", "auto", "--least", "9", "--most", "9"]
    settings = {"TRUNKLINE_CLUSTER": "cyclic"} | JSON
    done = any_mpi.run(RANKS, program, *words, settings=settings, per_rank=[ON_OWN_HOST])
    calls = explained(done.err, collective="alltoallv")
    native = _core.NativeLibrary[any_mpi.family]
    knowledge = _core.Knowledge(load_cluster("cyclic"), native, any_mpi.family, "")
    decider = _core.Decider(knowledge, "alltoallv", list(range(RANKS)), 0)
    means = sorted({call["bytes"] for call in calls})
    assert means[0] == 1
    assert 50_000 < means[-1] < 80_000
    for call in calls:
        assert call["algorithm"] == decider.decide(call["bytes"]).algorithm
    assert calls[-1]["algorithm"] == "ring"
