"""A backend of torch.distributed, with DDP and FSDP over it. PyTorch is this Python's, or Debian's (make torch)."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ROOT, Mpi
from test_languages import python_settings

DEBIAN = Path("/usr/lib/python3/dist-packages")
IS_DEBIANS = find_spec("torch") is None
FORCED = {
    "TRUNKLINE_ALLREDUCE": "unaware-linear:2000",
    "TRUNKLINE_BCAST": "unaware-linear:1000",
    "TRUNKLINE_EXPLAIN": "1",
}


@pytest.fixture
def settings(mpi: Mpi, tmp_path: Path) -> dict[str, str]:
    """By which a rank finds PyTorch, with the NumPy that it was built for, and mpi4py finds its MPI library."""
    pytest.importorskip("mpi4py")
    if not IS_DEBIANS:
        return python_settings(mpi, tmp_path) | FORCED
    built_for = DEBIAN / "torch" / f"_C.cpython-{sys.version_info.major}{sys.version_info.minor}-x86_64-linux-gnu.so"
    if not built_for.exists():
        pytest.skip(f"PyTorch is not there for Python {sys.version_info.major}.{sys.version_info.minor}: make torch")
    for name in ("torch", "torchgen", "functorch", "numpy"):
        (tmp_path / name).symlink_to(DEBIAN / name)
    return python_settings(mpi, tmp_path) | FORCED | {"PYTHONPATH": str(tmp_path)}


def test_every_call(mpi: Mpi, settings: dict[str, str]):
    done = mpi.run(3, sys.executable, Path(__file__).parent / "programs" / "torch_calls.py", settings=settings)
    assert done.out == "right\n", done.err
    assert "MPI_Allreduce of 2800B on 3 ranks ran unaware-linear" in done.err  # float32
    assert "MPI_Allreduce of 1400B on 3 ranks ran unaware-linear" in done.err  # halves, by a function of PyTorch
    assert "MPI_Bcast of 1200B from rank 1 on 3 ranks ran unaware-linear" in done.err


def test_a_call_that_fails_is_not_passed_over(mpi: Mpi, settings: dict[str, str]):
    if not IS_DEBIANS:
        pytest.skip("newer PyTorch raises it, as the test above has it")
    program = Path(__file__).parent / "programs" / "torch_calls.py"
    done = mpi.run(3, sys.executable, program, "spoilt", settings=settings, status=None)
    assert done.status != 0
    assert "ValueError: spoilt" in done.err
    assert "a call of PyTorch's failed, which ends the job" in done.err


@pytest.mark.parametrize("sharded", [False, True])
def test_training_goes_the_same_as_over_gloo(mpi: Mpi, settings: dict[str, str], sharded: bool):
    if sharded and IS_DEBIANS:
        pytest.skip("Debian's PyTorch has no fully_shard: pip install torch")
    losses = {}
    for backend in ("trunkline", "gloo"):
        words = [ROOT / "examples" / "train_ddp.py", "--backend", backend, "--steps", "5", *["--sharded"] * sharded]
        done = mpi.run(3, sys.executable, *words, settings=settings)
        losses[backend] = [line for line in done.out.splitlines() if line.startswith("step")]
        assert ("MPI_Allreduce of " in done.err) == (backend == "trunkline")
    assert len(losses["gloo"]) == 5
    assert losses["trunkline"] == losses["gloo"]


def test_ranks_that_are_not_those_of_mpi(mpi: Mpi, settings: dict[str, str]):
    told = "store=dist.HashStore(), rank=0, world_size=2"
    script = f"import torch.distributed as dist, trunkline.torch; dist.init_process_group('trunkline', {told})"
    done = mpi.run(1, sys.executable, "-c", script, settings=settings, status=None)
    assert done.status != 0
    assert "rank 0 of 2 is rank 0 of 1 of the MPI job: start it by mpiexec or srun" in done.err
