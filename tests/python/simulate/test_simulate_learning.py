"""``trunkline bench learn --simulate``: a job's trials over times that SimGrid says."""

import json
from dataclasses import replace

import pytest

from trunkline import _core
from trunkline.bench.learning import CALLS, wrong_text
from trunkline.cluster import load_cluster
from trunkline.simulate.engine import Job
from trunkline.simulate.learning import simulated_learning

CLUSTER = load_cluster("cyclic")
JOB = Job("allreduce", CLUSTER, _core.block_placement(CLUSTER, 1), 0, [65536], {}, "mpich")


def told(wrong):
    return _core.parse_cluster(wrong_text(_core.write_cluster(CLUSTER), wrong), "")


class TestRehearsal:
    """The trials themselves are tested in tests/core/learn."""

    def arms(self):
        knowledge = _core.Knowledge(CLUSTER, _core.NativeLibrary.mpich, "", "", host_costs="mpich", multicasts=False)
        return _core.Decider(knowledge, "allreduce", JOB.placement, 0).arms(65536)

    def test_native_and_others_are_arms(self):
        arms = self.arms()
        assert 3 <= len(arms) <= 5
        assert [arm.segment_bytes == 0 for arm in arms].count(True) == 1
        assert all(arm.seconds > 0 for arm in arms)

    def test_the_one_that_is_faster_is_found(self):
        arms = self.arms()
        last = len(arms) - 1
        found = _core.rehearse(arms, [[1e-3 if arm == last else 3e-3] * 400 for arm in range(len(arms))])
        assert found.runs == last
        assert 20 < found.settled_after < 200
        assert found.ran[:10] == [0] * 10, "a program of ten calls sees no trial"
        assert found.ran[-1] == last
        assert len(found.ran) == 400

    def test_times_of_each_are_needed(self):
        with pytest.raises(ValueError, match="as many times are needed of each algorithm"):
            _core.rehearse(self.arms(), [[1.0], [1.0, 2.0]])


def test_without_noise_times_are_simgrids(tmp_path, trunkline):
    (one,) = simulated_learning(JOB, "mpich", 30, 0.0)
    rows = trunkline(
        *("simulate", "allreduce", "--cluster", "cyclic", "--sizes", "64KiB", "--host-costs", "mpich"),
        *("--algorithms", f"mpich,{one.runs}", "--json", "-"),
    ).data
    native, ran = (1e3 * row["seconds_median"] for row in rows)
    assert one.native_ms == pytest.approx([native] * 30)
    assert one.settled_ms == pytest.approx(ran)
    assert one.noise is None
    assert one.by.startswith("simgrid 3.")
    assert one.settled_after < 200
    assert len(one.ours_ms) * CALLS == 300
    assert one.lost_ms < 0 < one.regret_ms


def test_noise_is_the_same_each_time_and_is_stated():
    (first,), (again,) = (simulated_learning(JOB, "mpich", 6, 0.2) for _ in range(2))
    assert first == again
    assert first.noise == 0.2
    assert len(set(first.native_ms)) == 6


def test_plans_are_laid_on_what_ranks_are_told():
    """And take what they take on the network that is there: links between other switches than the file says."""
    seen = [
        one.best_ms
        for told_of in (None, told("swapped"))
        for one in simulated_learning(replace(JOB, told=told_of), "mpich", 30, 0.0)
    ]
    assert seen[1] > 1.2 * seen[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--noise", "0.2"), "--noise is for --simulate"),
        (("--simulate", "--wrong", "upside"), "--wrong: 'upside' is none of swapped, tenfold"),
    ],
)
def test_what_cannot_be_meant(refused, words, said):
    assert said in refused("bench", "learn", "--cluster", "cyclic", "--mpi", "mpich", *words)


def test_the_command(tmp_path, trunkline):
    kept = tmp_path / "kept.json"
    words = ("--cluster", "paper-1", "--mpi", "mpich", "--sizes", "8,8KiB", "--batches", "8", "--hosts", "8")
    ran = trunkline("bench", "learn", "--simulate", *words, "--json", kept)
    assert ran.status == 0, ran.error
    short, long = json.loads(kept.read_text())
    assert (short["runs"], short["settled_after"]) == ("native", None), "what is too short is not tried"
    assert (long["ranks"], long["noise"], len(long["ours_ms"])) == (8, 0.1, 8)
    assert trunkline("bench", "learn", "--from", kept).status == 0
