"""libtrunkline.so: the preload library for whichever MPI library a program has."""

import os
import re
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


@pytest.fixture(scope="session")
def telling(tmp_path_factory):
    """Compiles, for an MPI library, a program that tells how it was started, then broadcasts."""
    folder = tmp_path_factory.mktemp("telling")

    def compiled(mpi: Mpi) -> Path:
        program = folder / f"telling-{mpi.name}"
        if not program.exists():
            (folder / "telling.c").write_text(TELLING)
            subprocess.run([f"mpicc.{mpi.family}", "-o", program, folder / "telling.c"], check=True)
        return program

    return compiled


TELLING = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static int message[1 << 18];
int main(int count, char** arguments) {
  char file[4096] = {0}, name[64] = {0};
  FILE* comm = fopen("/proc/self/comm", "r");
  if (!fgets(name, sizeof name, comm) || readlink("/proc/thread-self/exe", file, sizeof file - 1) < 0) return 1;
  int rank = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(message, 1 << 18, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("runs in %s as %s", file, name);
    for (int i = 0; i < count; ++i) printf("<%s>", arguments[i]);
    printf("\n");
  }
  return MPI_Finalize();
}
"""
LOADER = re.compile(r"interpreter: (\S+?)\]")


def loader_of(program: Path) -> Path:
    headers = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout
    return Path(LOADER.search(headers)[1])


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ([], None),
        (["--library-path", "/nowhere"], None),
        (["--inhibit-cache", "--argv0", "another name"], "another name"),
        (["--preload", "libm.so.6"], None),
    ],
)
def test_a_program_that_the_loader_starts(mpi: Mpi, telling, options: list[str], name: str | None):
    program = telling(mpi)
    loader = loader_of(program)
    if "--inhibit-cache" in options:
        options = [*options, "--library-path", f"{library_folder(mpi, program)}:{loader.resolve().parent}"]
    done = mpi.run(2, loader, *options, program, "a b", "", "--argv0", preload=CHOOSER, settings=FORCED)
    assert f"runs in {loader.resolve()} as " in done.out
    assert f"<{name or program}><a b><><--argv0>\n" in done.out
    assert "of 1MiB from rank 0 on 2 ranks ran linear" in done.err


def library_folder(mpi: Mpi, program: Path) -> Path:
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return Path(re.search(r"libmpi(?:ch)?\.so\S* => (\S+)", said)[1]).parent


@pytest.mark.parametrize("answers", [False, True], ids=["plain", "answers-for-exe"])
def test_what_another_program_runs_stays_with_it(mpi: Mpi, telling, answers: bool):
    """As under valgrind and emulators, which answer for /proc/self/exe."""
    runner = BUILD / "tests" / "runtime" / "runtime-runs-programs"
    preload = f"{BUILD / 'tests' / 'runtime' / 'libruntime-answers-for-exe.so'}:{CHOOSER}" if answers else CHOOSER
    program = telling(mpi)
    done = mpi.run(2, runner, program, "a b", preload=preload, settings=FORCED)
    assert f"runs in {runner} as " in done.out
    assert f"<{program}><a b>\n" in done.out
    said = done.lines("trunkline: ")
    assert len(said) == 1, done.err
    assert said[0] == (
        f"trunkline: warning: {runner} may lose a program that starts again: {program}: its collectives run as they "
        f"are; put {mpi.library} into LD_PRELOAD in place of libtrunkline.so"
    )
    served = mpi.run(2, runner, program, preload=mpi.library, settings=FORCED)  # as it advises
    assert f"runs in {runner} as " in served.out
    assert "ran linear" in served.err


def test_valgrind_is_known_by_its_preloads(mpi: Mpi, telling, tmp_path: Path):
    """Whatever it may answer for one day."""
    (tmp_path / "none.c").write_text("int none;\n")
    preload = tmp_path / "vgpreload_core-amd64-linux.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", preload, tmp_path / "none.c"], check=True)
    done = mpi.run(2, telling(mpi), preload=f"{preload}:{CHOOSER}", settings=FORCED)
    assert "may lose a program that starts again" in done.err
    assert "ran linear" not in done.err


def test_a_program_that_reads_scripts(mpi: Mpi, telling, tmp_path: Path):
    script = tmp_path / "script"
    script.write_text(f"#!{telling(mpi)} -x y\n")
    script.chmod(0o755)
    done = mpi.run(2, script, "a b", preload=CHOOSER, settings=FORCED)
    assert f"<{telling(mpi)}><-x y><{script}><a b>\n" in done.out
    assert "ran linear" in done.err


@pytest.mark.parametrize("how", ["link", "deleted", "other argv0", "relative"])
def test_a_program_by_another_name(mpi: Mpi, telling, tmp_path: Path, how: str):
    """One file may be many programs, by the name that it is called by; or be none any more."""
    copy = Path(shutil.copy(telling(mpi), tmp_path / "file"))
    (tmp_path / "tool").symlink_to(copy)
    script = {
        "link": f"exec {tmp_path / 'tool'}",
        "deleted": "cp file own.$$; exec 3<own.$$; rm own.$$; exec /proc/self/fd/3",
        "other argv0": f"exec -a 'another name' {copy}",
        "relative": "exec ./tool",
    }[how]
    done = mpi.run(2, "bash", "-c", f"cd {tmp_path}; {script}", preload=CHOOSER, settings=FORCED)
    names = {"link": ("tool", tmp_path / "tool"), "deleted": ("3", "/proc/self/fd/3")}
    names |= {"other argv0": ("file", "another name"), "relative": ("tool", "./tool")}
    name, called = names[how]
    assert f" as {name}\n<{called}>\n" in done.out
    assert "ran linear" in done.err


@pytest.mark.parametrize("kind", ["endless", "pipe"])
def test_what_is_no_list_of_libraries_keeps_no_program_waiting(mpi: Mpi, telling, tmp_path: Path, kind: str):
    chooser = copied(tmp_path / "lib")
    file = tmp_path / "lib" / "mpis.json"
    file.symlink_to("/dev/zero") if kind == "endless" else os.mkfifo(file)
    done = mpi.run(1, telling(mpi), preload=chooser, seconds=60)
    assert "there is no preload library for" in done.err


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
