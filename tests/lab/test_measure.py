"""``trunkline measure`` and ``trunkline tune`` on a lab: the tables tell the network's rate, the rules run."""

import os

import pytest
from busy_machine import measures

from trunkline import _core

pytestmark = pytest.mark.usefixtures("nothing_left")
RATE = 20e6


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
@measures
def test_tables_of_a_network(trunkline, tmp_path, mpi):
    file = tmp_path / "net.yaml"
    words = ("measure", "-o", str(file), "--sizes", "1KiB,8KiB", "--noise", "1", "--budget", "0.1")
    done = trunkline("lab", "run", "cyclic", "--rate", "20Mbit", "--mpi", mpi, "-n", "8", "--", "trunkline", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = _core.read_measurement(str(file))
    assert measured.mpi == mpi
    assert [distance.channels for distance in measured.distances] == [2, 3, 4, 5]
    for distance in measured.distances:
        assert 1000 < distance.eager_bytes <= 1 << 20
        short, long = distance.points
        wire = 6 * 1538 * 8 / RATE  # 8 KiB fill six frames
        assert 0.85 * wire < long.gap_s < 1.5 * wire
        # One frame is stored at every switch on the way.
        assert short.round_trip_s / 2 > distance.channels * 1100 * 8 / RATE
    # Nothing passes a line faster than the wire.
    assert all(point.gap_s > point.bytes * 8 / RATE for point in measured.relay)
    # Of a processor, whatever the link: a byte costs something, and a full frame less than it takes on a fast link.
    assert [point.bytes for point in measured.datagrams] == [8, 256, 512, 1024, 1432]
    assert all(5e-8 < point.receive_s < 1e-4 and 5e-8 < point.send_s < 1e-4 for point in measured.datagrams)
    # A sum of doubles, in the cache of a processor.
    assert [point.bytes for point in measured.combining] == [1 << 10, 4 << 10, 16 << 10]
    assert all(5e-12 < point.time_s / point.bytes < 5e-9 for point in measured.combining)
    near, *_, far = measured.distances
    assert near.points[1].latency_s < far.points[1].latency_s


def test_what_is_too_noisy_is_not_written(trunkline, tmp_path):
    file = tmp_path / "net.yaml"
    words = ("measure", "-o", str(file), "--sizes", "1KiB", "--noise", "0")
    done = trunkline(
        "lab", "run", "paper-1", "--rate", "20Mbit", "--mpi", "mpich", "-n", "2", "--", "trunkline", *words
    )
    assert done.returncode == 1
    assert "too noisy to be of use, nothing is written" in done.stderr
    assert "h0 - h1, 1KiB: the median is known to" in done.stderr.replace("1 KiB", "1KiB")
    assert not file.exists()


def test_outside_a_job(trunkline, tmp_path):
    done = trunkline("measure", "-o", str(tmp_path / "net.yaml"), "--cluster", "cyclic")
    assert done.returncode == 2
    assert "start it with mpiexec" in done.stderr


def test_tuning_and_its_use(trunkline, tmp_path):
    file = tmp_path / "tuning.yaml"
    words = ("--cluster", "paper-1", "--mpi", "mpich", "--sizes", "8KiB", "--rate", "20Mbit", "--budget", "0.5")
    done = trunkline("tune", *words, "-o", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    (entry,) = _core.read_tuning(str(file)).entries
    assert (entry.hosts, entry.ranks_per_host, entry.mpi) == (16, 1, "mpich")
    rule = entry.rule_for(8192)
    if rule.segment_bytes == 0:
        pytest.skip("native was fastest on this machine just now")
    bench = ("--cluster", "paper-1", "--mpi", "mpich", "--sizes", "8KiB", "--rate", "20Mbit", "--algorithms", "auto")
    done = trunkline("bench", "bcast", *bench, "--tuning", str(file), "--budget", "0.5", env=dict(os.environ))
    assert done.returncode == 0, done.stdout + done.stderr
    # A multicast runs once its calls have paid for its group, which those of a busy machine may not.
    assert f"{rule.algorithm}, {rule.segment_bytes} B" in done.stderr or rule.algorithm == "multicast"
