"""mpi4py's own tests of collectives that do not block, and of persistent ones, with our plans under them."""

import importlib.metadata
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, Mpi
from test_languages import python_settings

PLANS = {
    "TRUNKLINE_CLUSTER": "cyclic",
    "TRUNKLINE_BCAST": "two-tree:64",
    "TRUNKLINE_REDUCE": "binary:64",
    "TRUNKLINE_ALLREDUCE": "two-tree:64",
    "TRUNKLINE_BARRIER": "binary",
    "TRUNKLINE_ALLGATHER": "ring",
    "TRUNKLINE_ALLGATHERV": "ring",
    "TRUNKLINE_REDUCE_SCATTER": "ring",
    "TRUNKLINE_REDUCE_SCATTER_BLOCK": "ring",
    "TRUNKLINE_ALLTOALL": "phases",
    "TRUNKLINE_GATHER": "binomial",
    "TRUNKLINE_SCATTER": "binomial",
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the version installed; its wheels leave the tests out."""
    folder = tmp_path_factory.mktemp("mpi4py")
    pin = f"mpi4py=={importlib.metadata.version('mpi4py')}"
    words = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", "mpi4py", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", *words, pin], check=True)
    (sdist,) = folder.glob("mpi4py-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (program,) = folder.glob("mpi4py-*/test/main.py")
    return program


def test_nonblocking_and_persistent(any_mpi: Mpi, suite: Path, tmp_path: Path):
    # With threads MPICH lets nothing of ours go on; its collectives are the library's own then.
    settings = python_settings(any_mpi, tmp_path) | PLANS | {"MPI4PY_RC_THREADS": "0", "TRUNKLINE_EXPLAIN": "1"}
    words = [sys.executable, suite, "-i", "test_cco_nb", "-i", "test_cco_pr", "-k", "World"]
    done = any_mpi.run(3, *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert len(re.findall(r"Ran \d+ tests", done.err)) == 3, done.err
    forms = "bcast reduce allreduce barrier allgather allgatherv reduce_scatter reduce_scatter_block alltoall gather"
    for form in (*forms.split(), "scatter"):
        assert re.search(rf"MPI_I{form} (of \w+ )?((from|to) rank \d )?on 3 ranks ran (?!native)", done.err), form
