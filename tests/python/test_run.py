"""``trunkline run``: what a job's launcher is told. None runs here: programs of their names show what they get."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from trunkline import launchers
from trunkline import mpi as mpis
from trunkline.cluster import cluster_file
from trunkline.launchers import _is_of
from trunkline.mpi import Mpi, find_mpis
from trunkline.paths import NATIVE, preload_library

FILE = str(cluster_file("cyclic").resolve())
BUILT = {name: mpi for name, mpi in find_mpis().items() if preload_library(name).exists()}
SHOWS = """\
#!/usr/bin/python3 -I
import json, os, sys
print(json.dumps({"words": sys.argv[1:], "environment": dict(os.environ)}))
"""


def serve(monkeypatch, found):
    """These are the libraries that there is a preload library for."""
    for module in (mpis, launchers):
        monkeypatch.setattr(module, "find_mpis", lambda: found)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A PATH with srun, sbatch and one launcher of each MPI library, ``mpiexec-NAME``; gives its folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("srun", "sbatch", "elsewhere", *(f"mpiexec-{name}" for name in BUILT)):
        (folder / name).write_text(SHOWS)
        (folder / name).chmod(0o755)
    found = {name: replace(mpi, mpiexec=str(folder / f"mpiexec-{name}")) for name, mpi in BUILT.items()}
    serve(monkeypatch, found)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    for name in ("LD_PRELOAD", "SLURM_EXPORT_ENV", "TRUNKLINE_CLUSTER", "MPI4PY_MPIABI"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def started(trunkline, site):
    """Runs ``trunkline run``; gives the words and the environment of what it started."""

    def run(*words, options=()):
        ran = trunkline("run", "--cluster", "cyclic", *options, "--", *words)
        assert (ran.status, ran.error) == (0, ""), ran
        shown = json.loads(ran.out)
        return shown["words"], shown["environment"]

    return run


def handed_on(words, family):
    """Settings among a launcher's own options, and what is behind them."""
    settings, rest = {}, list(words)
    while rest and rest[0] in ("-x", "-genv"):
        assert rest.pop(0) == ("-x" if family == "openmpi" else "-genv")
        name, value = rest.pop(0).split("=", 1) if family == "openmpi" else (rest.pop(0), rest.pop(0))
        settings[name] = value
    return settings, rest


@pytest.fixture(params=BUILT)
def mpi(request):
    return BUILT[request.param]


def test_mpiexec_is_told_by_its_own_options(started, mpi):
    words, environment = started(f"mpiexec-{mpi.name}", "-n", "4", "./a.out")
    settings, rest = handed_on(words, mpi.family)
    assert rest == ["-n", "4", "./a.out"]
    assert (settings["LD_PRELOAD"], settings["TRUNKLINE_CLUSTER"]) == (str(preload_library(mpi.name)), FILE)
    assert settings["MPI4PY_MPIABI"] == mpi.counts_as
    assert "LD_PRELOAD" not in environment, "the launcher itself runs without it"


def test_mpiexec_behind_env(started, mpi):
    variables = ("TRUNKLINE_EXPLAIN=1", "OTHER=a b", "LD_PRELOAD=libm.so.6")
    words, environment = started("env", "-u", "HOME", *variables, f"mpiexec-{mpi.name}", "-n", "4", "./a.out")
    settings, rest = handed_on(words, mpi.family)
    assert rest == ["-n", "4", "./a.out"]
    assert settings["LD_PRELOAD"] == f"{preload_library(mpi.name)}:libm.so.6"
    assert settings["TRUNKLINE_EXPLAIN"] == "1"
    assert environment["OTHER"] == "a b"
    assert "HOME" not in environment


def test_the_path_that_env_sets_counts(started, site, mpi):
    words, _ = started("env", f"PATH={site}:/usr/bin:/bin", f"mpiexec-{mpi.name}", "./a.out")
    assert handed_on(words, mpi.family)[1] == ["./a.out"]


def test_another_launcher_of_a_named_library(started, refused, mpi):
    words, _ = started("elsewhere", "-n", "4", "./a.out", options=("--mpi", mpi.name))
    settings, rest = handed_on(words, mpi.family)
    assert rest == ["-n", "4", "./a.out"]
    assert settings["LD_PRELOAD"] == str(preload_library(mpi.name))
    message = refused("run", "--cluster", "cyclic", "--", "elsewhere", "./a.out")
    assert f"is the launcher of no MPI library that there is a preload library for ({', '.join(BUILT)}): " in message
    assert "--build --mpicc /path/to/its/mpicc' once. Where it starts programs of one of these" in message
    assert "--mpi NAME" in message
    assert "set LD_PRELOAD=$(trunkline library --mpi NAME) and TRUNKLINE_CLUSTER=FILE" in message


def test_a_program_of_the_standard_abi_gets_the_library_for_it(started, site, monkeypatch):
    """It has the launcher of the library whose other ABI programs of before use."""
    launcher = str(site / "elsewhere")
    both = [Mpi("mpiabi-1.0", "mpiabi", "1.0", "c", launcher, "l"), Mpi("mpich-5", "mpich", "5", "c", launcher, "l")]
    serve(monkeypatch, {mpi.name: mpi for mpi in both})
    monkeypatch.setattr("trunkline.launchers.preload_of", lambda mpi: Path("/kept", mpi.name))
    linked = {Path("/m/lib/libmpi.so.12")}
    monkeypatch.setattr("trunkline.launchers._linked", lambda *_: linked)
    assert handed_on(started("elsewhere", "/bin/true")[0], "mpich")[0]["LD_PRELOAD"] == "/kept/mpich-5"
    linked = {Path("/i/lib/libmpi_abi.so.1")}
    assert handed_on(started("elsewhere", "/bin/true")[0], "mpich")[0]["LD_PRELOAD"] == "/kept/mpiabi-1.0"
    assert [_is_of(Path("/i/lib/libmpi_abi.so.1"), mpi) for mpi in both] == [True, False]  # as srun asks


def test_a_launcher_beside_a_compiler_wrapper_is_told_what_to_build(refused, site):
    (site / "bin").mkdir()
    for name in ("mpirun", "mpicc"):
        (site / "bin" / name).write_text("#!/bin/sh\n")
        (site / "bin" / name).chmod(0o755)
    message = refused("run", "--cluster", "cyclic", "--", site / "bin" / "mpirun", "./a.out")
    assert f"for its own, once: 'trunkline library --build --mpicc {site}/bin/mpicc'. " in message


def test_a_launcher_is_of_its_own_library(refused, site, mpi):
    other = next(name for name in BUILT if name != mpi.name) if len(BUILT) > 1 else pytest.skip("there is one MPI here")
    message = refused("run", "--cluster", "cyclic", "--mpi", other, "--", f"mpiexec-{mpi.name}", "./a.out")
    assert message == f"{site}/mpiexec-{mpi.name} is the launcher of {mpi.name}, not of {other}; leave --mpi out"


def test_a_launcher_that_cannot_be_started(refused, site, mpi):
    (site / "elsewhere").write_text("no program")
    message = refused("run", "--cluster", "cyclic", "--mpi", mpi.name, "--", "elsewhere", "./a.out")
    assert message == f"cannot start {site}/elsewhere: Exec format error"


def test_srun_hands_its_environment_on(started, site, monkeypatch, mpi):
    monkeypatch.setenv("TRUNKLINE_EXPLAIN", "1")
    words, environment = started("srun", "-n", "4", "python3", "x.py", options=("--mpi", mpi.name))
    assert words == ["-n", "4", "python3", "x.py"]
    assert environment["LD_PRELOAD"] == str(preload_library(mpi.name))
    assert environment["TRUNKLINE_CLUSTER"] == FILE
    assert environment["TRUNKLINE_EXPLAIN"] == "1"
    words, behind_env = started("env", "-i", "A=1", site / "srun", "./x", options=("--mpi", mpi.name))
    assert words == ["./x"]
    assert (behind_env["A"], behind_env["LD_PRELOAD"]) == ("1", environment["LD_PRELOAD"])
    assert "HOME" not in behind_env


def test_srun_finds_the_library_that_the_program_is_linked_to(started, mpi):
    program = NATIVE / "libexec" / f"trunkline-bench-{mpi.name}"
    if mpi.family == "intelmpi" or not program.exists():
        pytest.skip("there is no program linked to it")
    _, environment = started("srun", "-n", "4", program, "--option")
    assert environment["LD_PRELOAD"] == str(preload_library(mpi.name))


@pytest.mark.usefixtures("site")
def test_srun_without_a_program_that_tells_the_library(refused):
    message = refused("run", "--cluster", "cyclic", "--", "srun", "-n", "4", "python3", "x.py")
    assert message.startswith(
        "srun starts programs of any MPI library, and none of its words here is a program linked "
    )
    assert f"--mpi NAME ({', '.join(BUILT)}); for another MPI library run 'trunkline library --build " in message


@pytest.mark.usefixtures("site")
def test_srun_with_a_library_that_nothing_was_built_for(refused, monkeypatch, mpi):
    program = NATIVE / "libexec" / f"trunkline-bench-{mpi.name}"
    if mpi.family == "intelmpi" or not program.exists():
        pytest.skip("there is no program linked to it")
    serve(monkeypatch, {})
    message = refused("run", "--cluster", "cyclic", "--", "srun", program)
    assert " is linked to /" in message
    assert "of no MPI library that there is a preload library for (none yet); " in message


def test_srun_that_hands_on_some_of_its_environment(started, refused, monkeypatch, mpi):
    words = ("run", "--cluster", "cyclic", "--mpi", mpi.name, "--")
    for export in (("--export=A,B",), ("--export", "A,B")):
        message = refused(*words, "srun", *export, "./a.out")
        assert "write --export=A,B,LD_PRELOAD,TRUNKLINE_CLUSTER, or --export=ALL" in message
    assert "write --export=LD_PRELOAD,TRUNKLINE_CLUSTER, or" in refused(*words, "srun", "--export=NONE", "./a.out")
    for export in ("--export=A,LD_PRELOAD,TRUNKLINE_CLUSTER", "--export=ALL,X=1"):
        assert started("srun", export, "./a.out", options=("--mpi", mpi.name))[0] == [export, "./a.out"]
    monkeypatch.setenv("SLURM_EXPORT_ENV", "NONE")
    assert "no more of the environment than 'NONE'" in refused(*words, "srun", "./a.out")


@pytest.mark.usefixtures("site")
def test_sbatch_is_told_what_to_write_into_its_script(refused, mpi):
    message = refused("run", "--cluster", "cyclic", "--mpi", mpi.name, "--", "sbatch", "script.sh")
    assert message.splitlines()[1:] == [
        f"  trunkline run --cluster {FILE} --mpi {mpi.name} -- srun ./program",
        "(or mpiexec in place of srun), or above a line with srun",
        f"  export LD_PRELOAD={preload_library(mpi.name)}",
        f"  export TRUNKLINE_CLUSTER={FILE}",
    ]
    unnamed = refused("run", "--cluster", "cyclic", "--", "sbatch", "script.sh")
    assert "  export LD_PRELOAD=$(trunkline library --mpi NAME)\n" in unnamed
    assert unnamed.endswith(f"NAME is the ranks' MPI library: {', '.join(BUILT)}.")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no-such-mpiexec", "x"), "there is no command 'no-such-mpiexec' on PATH; "),
        (
            ("./no-such-program",),
            "cannot start './no-such-program': no such file; a job starts with your MPI library's",
        ),
        ((__file__,), f"cannot start '{__file__}': it may not be executed (chmod +x); "),
        (("env", "A=1"), "there is no launcher behind env; "),
        (("env", "-S", "mpiexec x"), "'trunkline run' does not know env's option '-S'; "),
    ],
)
def test_wrong_words(refused, words, message):
    assert refused("run", "--cluster", "cyclic", "--", *words).startswith(message)
