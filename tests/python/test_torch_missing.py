"""``import trunkline.torch`` where what it stands on is not there."""

import subprocess
import sys

import pytest

import trunkline


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("torch", "trunkline.torch needs PyTorch, which this Python does not find ("),
        ("mpi4py", "trunkline.torch needs mpi4py, which this Python does not find ("),
    ],
)
def test_what_is_missing_is_named(tmp_path, gone, said):
    """In a Python of its own, where modules that stand for PyTorch are found and the one in question is not."""
    for name in {"torch", "mpi4py"} - {gone}:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("MPI = None\n")
        for part in ("distributed", "typing"):
            (tmp_path / name / f"{part}.py").write_text("Buffer = None\n")
    script = f"""
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name == {gone!r}:
            raise ModuleNotFoundError("No module named " + name, name=name)
sys.meta_path.insert(0, Gone())
sys.path[:0] = {[str(tmp_path), str(next(iter(trunkline.__path__)) + "/..")]!r}
import trunkline.torch
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    last = ran.stderr.splitlines()[-1]
    assert last.startswith(f"ModuleNotFoundError: {said}"), ran.stderr
    assert last.endswith("(docs/torch.md says which releases ran)")
    assert "During handling" not in ran.stderr, "one cause, once"
