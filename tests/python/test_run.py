"""``trunkline run``: what a job's launcher is told. None runs here: programs of their names show what they get."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from trunkline import launchers, preloads
from trunkline import mpi as mpis
from trunkline.cluster import cluster_file
from trunkline.launchers import _is_of
from trunkline.mpi import Mpi, find_mpis
from trunkline.paths import NATIVE, mpi_program, preload_library
from trunkline.preloads import preload_order

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

    def run(*words, options=(), note=""):
        ran = trunkline("run", "--cluster", "cyclic", *options, "--", *words)
        assert (ran.status, ran.error) == (0, note), ran
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
    own = refused(*words, "srun", "--export=A,LD_PRELOAD=/o/a.so", "./a.out")
    assert own.partition("write ")[2].count("LD_PRELOAD") == 1, "it is there already"
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


def preloads_of(words, family):
    """Of each program of a job what is preloaded into it, by the launcher's options."""
    programs, found = " ".join(words).split(" : "), []
    for program in programs:
        given = re.findall(r"-x LD_PRELOAD=(\S+)" if family == "openmpi" else r"-g?env LD_PRELOAD (\S+)", program)
        found.append(given[-1] if given else None)
    return found


def test_libraries_that_the_command_preloads_stay(started, mpi):
    """The library comes first, since it calls MPI by MPI's own second names: others after it see none of its calls."""
    ours = str(preload_library(mpi.name))
    if mpi.family == "openmpi":
        words, _ = started(f"mpiexec-{mpi.name}", "-x", "LD_PRELOAD=/o/libown.so", "-n", "2", "./a.out")
        assert words.count("-x") == len(handed_on(words, "openmpi")[0])
        inherited, _ = started("env", "LD_PRELOAD=libm.so.6", f"mpiexec-{mpi.name}", "-x", "LD_PRELOAD", "./a.out")
        assert preloads_of(inherited, "openmpi") == [f"{ours}:libm.so.6"]
    else:
        words, _ = started(f"mpiexec-{mpi.name}", "-genv", "LD_PRELOAD", "/o/libown.so", "-n", "2", "./a.out")
        assert words.count("LD_PRELOAD") == 1
        local, _ = started(f"mpiexec-{mpi.name}", "-n", "1", "-env", "LD_PRELOAD", "/o/a.so", "./a", ":", "./b")
        assert preloads_of(local, "mpich") == [f"{ours}:/o/a.so", None]
        assert handed_on(local, "mpich")[0]["LD_PRELOAD"] == ours, "it is for all programs"
    assert preloads_of(words, mpi.family) == [f"{ours}:/o/libown.so"]
    words, _ = started(f"mpiexec-{mpi.name}", "-n", "2", "env", "LD_PRELOAD=/o/a.so:/o/b.so", "./a.out")
    assert f"LD_PRELOAD={ours}:/o/a.so:/o/b.so" in words


def test_every_program_of_a_job_is_told(started, mpi):
    ours = str(preload_library(mpi.name))
    words, _ = started(f"mpiexec-{mpi.name}", "-n", "1", "./a", ":", "-n", "2", "./b", ":", "-n", "3", "./c")
    told = preloads_of(words, mpi.family)
    assert told == ([ours] * 3 if mpi.family == "openmpi" else [ours, None, None])
    assert [word for word in words if word in ("./a", "./b", "./c", ":")] == ["./a", ":", "./b", ":", "./c"]


def test_srun_exports_both(started, mpi):
    ours = str(preload_library(mpi.name))
    words, _ = started("srun", "--export=ALL,LD_PRELOAD=/o/a.so", "./a.out", options=("--mpi", mpi.name))
    assert words == [f"--export=ALL,LD_PRELOAD={ours}:/o/a.so", "./a.out"]


def test_a_sanitizer_comes_first(started, mpi, tmp_path):
    """Its programs end at once where another library comes before it."""
    ours = str(preload_library(mpi.name))
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    program = str(tmp_path / "a.out")
    subprocess.run(["gcc", "-fsanitize=address", "-o", program, tmp_path / "a.c"], check=True)
    note = "trunkline: note: a.out is linked to no MPI library; only what it loads or starts by itself is served\n"
    words, _ = started(f"mpiexec-{mpi.name}", "-n", "2", program, note=note)
    sanitizer, own = preloads_of(words, mpi.family)[0].split(":")
    assert Path(sanitizer).name.startswith("libasan.so")
    assert own == ours
    assert preload_order(ours, "/o/libown.so /l/libasan.so.8") == f"/l/libasan.so.8:{ours}:/o/libown.so"
    assert preload_order(ours, f"{ours}:/l/libtsan.so.2", ["/usr/lib/libtsan.so.2"]) == f"/l/libtsan.so.2:{ours}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-configfile", "jobs"), "'-configfile jobs': programs from a file are started without the library; "),
        (("--app", "jobs"), "'--app jobs': programs from a file are started without the library; "),
        (("-configfile=jobs",), "'-configfile=jobs ': programs from a file are started without the library; "),
        (("--tune", "file", "-n", "2", "./a"), "'--tune file': variables in that file are lost beside -x, "),
        (("-n", "2", "env", "-i", "A=1", "./a"), "'env -i A=1' takes the library from the ranks, or its settings: "),
        (("-n", "2", "env", "-iu", "A", "./a"), "'env -iu A' takes the library from the ranks, or its settings: "),
        (("-n", "2", "env", "A=1", "--ignore-env", "./a"), "'env A=1 --ignore-env' takes the library from the ranks, "),
        (("-n", "2", "env", "-u", "LD_PRELOAD", "./a"), "'env -u LD_PRELOAD' takes the library from the ranks, "),
        (("-n", "2", "env", "--unset=LD_PRELOAD", "./a"), "'env --unset=LD_PRELOAD ./a' takes the library from "),
        (("-n", "2", "env", "-S", "LD_PRELOAD=/o/a.so ./a"), "'env -S': write its words one by one"),
        (("-n", "2", "sh", "-c", "LD_PRELOAD=/o/a.so exec ./a"), "'sh' is told 'LD_PRELOAD=/o/a.so', which takes "),
        (("-n", "2", "bash", "-ec", "ulimit -s 9; unset A LD_PRELOAD; ./a"), "'bash' is told 'unset A LD_PRELOAD', wh"),
        (("--mca", "mca_base_env_list", "A=1", "./a"), "Open MPI takes variables by 'mca_base_env_list' or by -x, "),
    ],
)
def test_what_would_leave_ranks_without_it(refused, site, words, message):
    refusal = refused("run", "--cluster", "cyclic", "--", site / f"mpiexec-{next(iter(BUILT))}", *words)
    assert refusal.startswith(message)
    assert "\n" not in refusal


@pytest.mark.parametrize(
    ("line", "dropped"),
    [
        ("export LD_PRELOAD=/o/a.so", "LD_PRELOAD=/o/a.so"),
        ('LD_PRELOAD="" exec "$@"', 'LD_PRELOAD=""'),
        ("unset LD_PRELOAD", "unset LD_PRELOAD"),
        ('exec env -u LD_PRELOAD "$@"', "env -u LD_PRELOAD"),
        ('exec env -i A=1 "$@"', "env -i"),
        ("export LD_PRELOAD=/o/a.so:$LD_PRELOAD", None),
        ("export LD_PRELOAD=/o/a.so${LD_PRELOAD:+:$LD_PRELOAD}", None),
        ("# LD_PRELOAD=/o/a.so", None),
        ('echo "$LD_PRELOAD"  # unset LD_PRELOAD', None),
        ('env -u OTHER A=1 "$@"', None),
    ],
)
@pytest.mark.parametrize("shell", [(), ("bash",)], ids=["by itself", "behind a shell"])
def test_a_script_before_the_program_keeps_what_is_preloaded(
    started, refused, site, tmp_path, mpi, line, dropped, shell
):
    script = tmp_path / "wrap.sh"
    script.write_text(f"#!/bin/sh\nulimit -c 0\n{line}\n" + 'exec "$@"\n')
    script.chmod(0o755)
    words = ("-n", "2", *shell, str(script), "python3", "x.py")
    if dropped is None:
        assert started(f"mpiexec-{mpi.name}", *words)[0][-len(words) :] == list(words)
        return
    refusal = refused("run", "--cluster", "cyclic", "--", site / f"mpiexec-{mpi.name}", *words)
    assert refusal.startswith(f"{script}:3: '{dropped}' takes the library from the ranks; keep what is there: ")
    assert "\n" not in refusal


def test_a_sanitizer_comes_first_behind_a_shell_too(started, mpi, tmp_path):
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    program = str(tmp_path / "a.out")
    subprocess.run(["gcc", "-fsanitize=address", "-o", program, tmp_path / "a.c"], check=True)
    note = "trunkline: note: a.out is linked to no MPI library; only what it loads or starts by itself is served\n"
    words, _ = started(f"mpiexec-{mpi.name}", "-n", "2", "sh", "-c", f"ulimit -c 0; {program} -x", note=note)
    assert Path(preloads_of(words, mpi.family)[0].split(":")[0]).name.startswith("libasan.so")


@pytest.mark.usefixtures("site")
def test_what_stands_before_a_launcher_stands_before_trunkline(refused):
    words = ("run", "--cluster", "cyclic", "--")
    told = refused(*words, "timeout", "60", "mpiexec", "-n", "2", "./a")
    assert told.endswith("as in 'timeout 60 trunkline run --cluster FILE -- mpiexec -n 2 ./a'")
    assert "'nice trunkline run --cluster FILE -- mpirun.openmpi ./a'" in refused(
        *words, "nice", "mpirun.openmpi", "./a"
    )
    told = refused(*words, "bash", "-c", "mpiexec -n 2 ./a")
    assert told.startswith("'bash' starts no ranks itself: give the launcher that it is told to start")


def test_a_programs_own_words_are_its_own(started, refused, site, mpi):
    own = ("-n", "2", "python3", "solver.py", "--app", "x", "-configfile", "y", "mca_base_env_list")
    words, _ = started(f"mpiexec-{mpi.name}", *own)
    assert words[-len(own) :] == list(own)
    second = ("-n", "1", "python3", "a.py", ":", "--app", "jobs")
    assert "'--app jobs'" in refused("run", "--cluster", "cyclic", "--", site / f"mpiexec-{mpi.name}", *second)


def test_a_program_with_its_mpi_library_inside(refused, site, tmp_path):
    (tmp_path / "a.c").write_text("int PMPI_Init(void) { return 0; }\nint main(void) { return PMPI_Init(); }\n")
    program = tmp_path / "a.out"
    subprocess.run(["gcc", "-rdynamic", "-o", program, tmp_path / "a.c"], check=True)
    refusal = refused("run", "--cluster", "cyclic", "--", site / f"mpiexec-{next(iter(BUILT))}", program)
    assert refusal.startswith(f"{program} has its MPI library inside (it is linked statically), ")


@pytest.mark.parametrize("at", range(30))
def test_a_word_in_a_program_is_found_wherever_parts_of_it_end(tmp_path, monkeypatch, at):
    monkeypatch.setattr(preloads, "_PART", 16)
    program = tmp_path / "a.out"
    program.write_bytes(b"x" * at + b"PMPI_Init" + b"y" * 40)
    assert preloads.has_inside(str(program), b"PMPI_Init")
    program.write_bytes(b"x" * at + b"PMPI_Inix" + b"y" * 40)
    assert not preloads.has_inside(str(program), b"PMPI_Init")


def test_the_loader_is_asked_once_for_a_program(started, site, mpi, tmp_path):
    """What it is linked to says which MPI library it has, whether it has any, and which sanitizers."""
    asked = tmp_path / "asked"
    (site / "ldd").write_text(f'#!/bin/sh\necho "$1" >>{asked}\nexec {shutil.which("ldd")} "$1"\n')
    (site / "ldd").chmod(0o755)
    program = tmp_path / "a.out"
    shutil.copy(mpi_program("bench", mpi.name), program)
    started(f"mpiexec-{mpi.name}", "-n", "2", program)
    assert asked.read_text().split().count(str(program)) == 1
    shutil.copy("/bin/true", program)
    os.utime(program, ns=(1, 1))
    note = "trunkline: note: a.out is linked to no MPI library; only what it loads or starts by itself is served\n"
    started(f"mpiexec-{mpi.name}", "-n", "2", program, note=note)
    assert asked.read_text().split().count(str(program)) == 2, "it is another one by now"


def test_a_program_of_no_mpi_is_named(trunkline, site):
    launcher = site / f"mpiexec-{next(iter(BUILT))}"
    said = trunkline("run", "--cluster", "cyclic", "--", launcher, "-n", "2", "hostname").error
    assert said == (
        "trunkline: note: hostname is linked to no MPI library; only what it loads or starts by itself is served\n"
    )
    assert trunkline("run", "--cluster", "cyclic", "--", launcher, "-n", "2", "python3", "x.py").error == ""
