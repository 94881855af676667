"""What ``trunkline generate`` writes of a set of plans: which plan each call runs, told by what each rank sends."""

from pathlib import Path

import pytest
from conftest import Mpi
from test_generated import SOURCES, STRICT, compile_c, mpicc

from trunkline import _core
from trunkline.generate.sets import c_routines

SET = """\
trunkline: plans/1
plans:
  - {collective: allreduce, below: 64B, segment: 8KiB, shape: custom, ranks: 4, root: 0, line: [0-3]}
  - {collective: allreduce, from: 64B, below: 4KiB, shape: custom, ranks: 4, root: 3, sends: {3: [0, 1, 2]}}
  - {collective: bcast, segment: 8KiB, shape: custom, ranks: 4, root: 2, line: [2, 0-1, 3]}
  - {collective: bcast, segment: 8KiB, shape: custom, ranks: 4, root: 3, sends: {3: [0, 1, 2]}}
  - {collective: bcast, segment: 8KiB, shape: custom, ranks: 3, root: 1, line: [1, 0, 2]}
"""


@pytest.mark.parametrize("standard", ["-std=c99", "-std=c11"])
def test_each_call_runs_its_own_plan(mpi: Mpi, tmp_path: Path, standard: str):
    file = tmp_path / "set.c"
    file.write_text(c_routines(_core.parse_plans(SET, "set.yaml"), "set.yaml"))
    compiler = mpicc(mpi)
    routines = compile_c(compiler, tmp_path / "set.o", [file], standard, *STRICT, "-c")
    program = compile_c(compiler, tmp_path / "switches", [SOURCES / "switches.c", routines])
    said = dict(line.split(": ") for line in mpi.run(4, program, preload=None).out.splitlines())
    line, flat = "1 2 2 1, right", "1 1 1 3, right"
    assert said["allreduce 4 from 0"] == said["allreduce 60 from 0"] == line
    assert said["allreduce 64 from 0"] == flat
    assert said["allreduce 4096 from 0"] == "0 0 0 0, right"  # by MPI's own function
    assert said["bcast 4096 from 2"] == "1 1 1 0, right"
    assert said["bcast 4096 from 3"] == "0 0 0 3, right"
    assert said["bcast 4096 from 1"] == "0 0 0 0, right"  # its plan is for three ranks
