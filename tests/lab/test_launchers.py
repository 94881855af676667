"""``trunkline run`` before mpiexec as people start it by ssh, or in a job of PBS. No PBS is here: its node file is.

The lab's remote shell stands for ssh, which takes the same words.
"""

import re
import sys
from pathlib import Path

import pytest
from busy_machine import PATIENCE_S

from trunkline.cluster import load_cluster
from trunkline.lab.session import Lab
from trunkline.mpi import find_mpis
from trunkline.paths import IDLE_SHIM, preload_library

HERE = Path(__file__).parent
FAMILIES = ("mpich", "openmpi")
HOSTS = ("h0", "h1", "h4", "h5")
RANKS = 8


@pytest.fixture(scope="module")
def lab():
    with Lab(load_cluster("cyclic"), 100e6) as lab:
        yield lab


def started(lab, mpi, words, program, **settings):
    """Host of each rank of a job; each of them got the message, by the plan that was asked for."""
    found = find_mpis()[mpi]
    remote = {
        "mpich": {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": Lab.agent},
        "openmpi": {"OMPI_MCA_plm_rsh_agent": Lab.agent},
    }[mpi]
    ours = {"LD_PRELOAD": str(IDLE_SHIM), "TRUNKLINE_HOST_COSTS": "free", "TRUNKLINE_BCAST": "linear"}
    env = {**found.lab_settings(), **remote, **ours, **settings}
    run = (sys.executable, "-m", "trunkline", "run", "--cluster", "cyclic", "--")
    done = lab.run([*run, found.mpiexec, *words, str(program)], env=env, capture=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "trunkline" not in done.stderr, done.stderr
    lines = re.findall(r"rank (\d+) host (\S+) (.*) library (.*)", done.stdout)
    assert [int(rank) for rank, *_ in lines] == list(range(RANKS)), done.stdout + done.stderr
    assert {told for _, _, told, _ in lines} == {"right ran linear"}, done.stdout
    return [host for _, host, *_ in lines]


WAYS = {
    ("ssh", "mpich"): ("-hosts", ",".join(HOSTS), "-ppn", "2", "-n", str(RANKS)),
    ("ssh", "openmpi"): ("--host", ",".join(f"{host}:2" for host in HOSTS)),
    ("pbs", "mpich"): ("-n", str(RANKS)),
    ("pbs", "openmpi"): ("--hostfile", "$PBS_NODEFILE"),
}
"""As docs/slurm.md has them."""


@pytest.mark.parametrize(("by", "mpi"), WAYS)
def test_a_job_lands_where_it_should(lab, ranks, tmp_path, by, mpi):
    if not preload_library(mpi).exists():
        pytest.skip(f"there is no preload library for {mpi}")
    file = tmp_path / "nodes"
    file.write_text("".join(f"{host}\n" * 2 for host in HOSTS))  # PBS has a line for each processor
    words = [str(file) if word == "$PBS_NODEFILE" else word for word in WAYS[by, mpi]]
    settings = {"PBS_NODEFILE": str(file), "PBS_ENVIRONMENT": "PBS_BATCH"} if by == "pbs" else {}
    assert started(lab, mpi, words, ranks / mpi, **settings) == [host for host in HOSTS for _ in range(2)]


def test_these_are_the_words_of_the_document():
    page = (HERE.parents[1] / "docs" / "slurm.md").read_text()
    for (by, mpi), words in WAYS.items():
        part = page.partition(f"\n## {'PBS' if by == 'pbs' else 'Plain ssh'}\n")[2]
        assert f"mpiexec {words[0]} " in part.partition("\n## ")[0], (by, mpi)
