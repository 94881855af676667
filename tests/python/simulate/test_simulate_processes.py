"""Simulations as processes: how they end, and what many ranks take of memory."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.peers.simulated import simulated_algorithms
from trunkline.simulate import engine
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import simulate_all

PATIENCE_S = 60
"""For what takes no time unless the machine is busy."""


def _started(cluster, folder):
    """A command that simulates a long broadcast, with that folder for its files; and what lists its children."""
    words = ("bcast", "--cluster", cluster, "--sizes", "16MiB", "--algorithms", "linear:512")
    command = subprocess.Popen(
        [sys.executable, "-m", "trunkline", "simulate", *words],
        env=os.environ | {"TMPDIR": str(folder)},
        stderr=subprocess.DEVNULL,
    )
    return command, Path(f"/proc/{command.pid}/task/{command.pid}/children")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_simulation_ends_with_its_command(tmp_path, how):
    command, children = _started("random:512x32", tmp_path)
    while not any("(trunkline-simul)" in _state(pid) for pid in children.read_text().split()):
        assert command.poll() is None
        time.sleep(0.02)
    (child,) = map(int, children.read_text().split())
    os.kill(child, signal.SIGSTOP)  # so that it cannot come to its own end
    time.sleep(0.3)  # the command waits for what it prints
    try:
        command.send_signal(how)
        assert command.wait(PATIENCE_S) == (128 + how if how == signal.SIGTERM else -how)
        end = time.monotonic() + PATIENCE_S
        while (state := _state(child)) and ") Z " not in state:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert how == signal.SIGKILL or not list(tmp_path.iterdir())
    finally:
        if _state(child):
            os.kill(child, signal.SIGKILL)
        command.kill()
        command.wait()


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_ranks_take_their_code_from_one_file(tmp_path):
    """Each has a copy of the library. Of these files nothing is left in memory but their numbers."""
    command, children = _started("paper-2", tmp_path)
    try:
        maps = []
        while len([one for one in maps if "/rank-" in one and " ---p " in one]) < 32:
            assert command.poll() is None
            time.sleep(0.02)
            simulation = [pid for pid in children.read_text().split() if "(trunkline-simul)" in _state(pid)]
            maps = Path(f"/proc/{simulation[0]}/maps").read_text().splitlines() if simulation else []
            # One that is being loaded is still of its file, and the next one where maps were read meanwhile.
            loading = {one.split()[-2] for one in maps if "/rank-" in one and " ---p " not in one}
            assert len(loading) <= 2
        code = [one for one in maps if "libtrunkline-simulated-ranks.so" in one and " r-xp " in one]
        assert len(code) >= 32
        assert len({one.split()[4] for one in code}) == 1
        assert not any(" rw" in one for one in maps if "/rank-" in one)
    finally:
        command.terminate()
        command.wait(PATIENCE_S)


def test_many_ranks_are_told_what_auto_decides(monkeypatch):
    """They run the same as where each decides for itself, and take as long."""
    cluster = load_cluster("four-site")
    job = Job("bcast", cluster, _core.block_placement(cluster, 1), 0, [8, 8192, 65536], {})
    own, told = ([], [])
    for rows, most in ((own, 32), (told, 31)):
        monkeypatch.setattr("trunkline.simulate.rows.MOST_DECIDING", most)
        for row in simulate_all(job, simulated_algorithms("bcast", ["auto"])):
            rows.append((row.message_bytes, row.ran, row.segment_bytes, row.seconds_median))
    assert own == told
    assert len({ran for _, ran, _, _ in own}) > 1


@pytest.mark.parametrize(("ranks", "guarded"), [(2400, True), (7900, True), (8000, False), (12700, False)])
def test_so_many_ranks_that_their_stacks_are_not_guarded(monkeypatch, tmp_path, ranks, guarded):
    assert ("contexts/guard-size" not in job_of(monkeypatch, tmp_path, ranks).own_options) == guarded


def test_more_ranks_than_the_kernel_maps_memory_for(monkeypatch, tmp_path):
    with pytest.raises(
        BadInput, match=r"12800 ranks .* for 12706 of them; as root, 'sysctl -w vm.max_map_count=66000'"
    ):
        job_of(monkeypatch, tmp_path, 12800)


def job_of(monkeypatch, tmp_path, ranks):
    """On a kernel with the usual limit."""
    limit = tmp_path / "max_map_count"
    limit.write_text("65530\n")
    monkeypatch.setattr(engine, "_MOST_MAPS", limit)
    cluster = load_cluster("four-site")
    return Job("bcast", cluster, [rank % 32 for rank in range(ranks)], 0, [8], {})
