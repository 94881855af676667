"""libtrunkline.so: the preload library for whichever MPI library a program has."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BUILD, ROOT, Mpi

import trunkline

CHOOSER = BUILD / "lib" / "libtrunkline.so"
FORCED = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0", "TRUNKLINE_BCAST": "linear", "TRUNKLINE_EXPLAIN": "1"}
VERSION = trunkline.__version__
pytestmark = pytest.mark.skipif(not CHOOSER.exists(), reason="libtrunkline.so is for x86-64 and 64-bit Arm")


def alone(*command: str | Path, preload: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A process that no launcher starts, with an environment of its own."""
    environment = {"LD_PRELOAD": str(preload), "PATH": "/usr/bin:/bin", **more}
    return subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_program_gets_the_library_of_its_mpi(any_mpi: Mpi):
    done = any_mpi.run(2, any_mpi.program("runtime-hello"), preload=CHOOSER, settings=FORCED)
    assert "hello from 2 ranks" in done.out
    assert "of 1MiB from rank 0 on 2 ranks ran linear" in done.err


def test_behind_a_shell(mpi: Mpi):
    done = mpi.run(2, "sh", "-c", f"true; {mpi.program('runtime-hello')}", preload=CHOOSER, settings=FORCED)
    assert "ran linear" in done.err


def test_what_a_program_starts_is_asked_anew(mpi: Mpi, tmp_path: Path):
    """It may be a program of another MPI library."""
    source = tmp_path / "start.c"
    source.write_text(
        "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        'int main(int c, char** v) { MPI_Init(&c, &v); fputs(getenv("LD_PRELOAD"), stdout); return MPI_Finalize(); }\n'
    )
    subprocess.run([f"mpicc.{mpi.family}", "-o", tmp_path / "start", source], check=True)
    done = mpi.run(1, tmp_path / "start", preload=CHOOSER)
    assert str(CHOOSER) in done.out
    assert "libtrunkline-" not in done.out


def test_arguments_and_names_stay(mpi: Mpi, tmp_path: Path):
    source = tmp_path / "names.c"
    source.write_text(
        "#include <mpi.h>\n#include <stdio.h>\n"
        'int main(int c, char** v) { char n[64] = {0}; FILE* f = fopen("/proc/self/comm", "r");\n'
        "  if (!fgets(n, 64, f)) return 1;\n"
        '  for (int i = 0; i < c; ++i) printf("<%s>", v[i]);\n'
        '  printf("%s", n); MPI_Init(&c, &v); return MPI_Finalize(); }\n'
    )
    subprocess.run([f"mpicc.{mpi.family}", "-o", tmp_path / "names", source], check=True)
    done = mpi.run(1, tmp_path / "names", "a b", "", "*", preload=CHOOSER)
    assert done.out == f"<{tmp_path}/names><a b><><*>names\n"


def test_programs_without_mpi_get_nothing():
    done = alone("sh", "-c", "grep -c 'mpi' /proc/self/maps; echo $LD_PRELOAD", preload=CHOOSER)
    assert done.stdout == f"0\n{CHOOSER}\n"
    assert done.stderr == ""


def test_static_programs_get_nothing(tmp_path: Path):
    (tmp_path / "one.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-static", "-o", tmp_path / "one", tmp_path / "one.c"], check=True)
    done = alone(tmp_path / "one", preload=CHOOSER)
    assert (done.returncode, done.stderr) == (0, "")


def copied(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return Path(shutil.copy(CHOOSER, folder))


def test_an_mpi_library_that_is_not_served_runs_as_it_is(mpi: Mpi, tmp_path: Path):
    done = mpi.run(2, mpi.program("runtime-hello"), preload=copied(tmp_path / "lib"), settings=FORCED)
    assert "hello from 2 ranks" in done.out
    assert len(done.lines("trunkline: ")) == 1, done.err
    assert "there is no preload library for" in done.err


def test_a_preload_library_that_does_not_load_fails_no_program(mpi: Mpi, tmp_path: Path):
    chooser = copied(tmp_path / "lib")
    (tmp_path / "lib" / "mpis.json").write_text((BUILD / "mpis.json").read_text())
    (tmp_path / "lib" / mpi.library.name).write_text("no library\n")
    done = mpi.run(2, mpi.program("runtime-hello"), preload=chooser, settings=FORCED)
    assert "hello from 2 ranks" in done.out
    assert "ran linear" not in done.err


@pytest.mark.parametrize("where", ["environment", "user", "elsewhere"])
def test_libraries_that_the_command_has_built_are_found(mpi: Mpi, tmp_path: Path, where: str):
    """As 'trunkline library --build' keeps them, of this version alone."""
    chooser = copied(tmp_path / "lib" / "python3.11" / "site-packages" / "trunkline" / "lib")
    data = tmp_path / "share" if where != "user" else tmp_path / "data"
    kept = data / "trunkline" / (VERSION if where != "elsewhere" else "0.0.1") / mpi.name / "lib"
    kept.mkdir(parents=True)
    (kept / "mpis-kept.json").write_text((BUILD / "mpis.json").read_text())
    (kept / mpi.library.name).symlink_to(mpi.library)
    settings = FORCED | {"XDG_DATA_HOME": str(tmp_path / "data")}
    done = mpi.run(2, mpi.program("runtime-hello"), preload=chooser, settings=settings)
    assert ("ran linear" in done.err) == (where != "elsewhere"), done.err


def test_python_is_named_the_library(mpi: Mpi):
    """Its MPI library comes when main() runs already."""
    pytest.importorskip("mpi4py")
    settings = FORCED | {"MPI4PY_MPIABI": mpi.family, "LD_LIBRARY_PATH": str(BUILD / "lib" / f"{mpi.name}-abi")}
    program = (sys.executable, ROOT / "examples" / "hello_bcast.py")
    if mpi.family == "openmpi":  # the tests' yields under MPICH want its library from the start
        assert "trunkline" not in mpi.run(2, *program, preload=CHOOSER, settings=settings).err
    assert "ran linear" in mpi.run(2, *program, preload=f"{mpi.library}:{CHOOSER}", settings=settings).err
