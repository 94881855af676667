"""A real Slurm on 32 emulated hosts, and Trunkline in the jobs that it runs."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from busy_machine import PATIENCE_S
from interrupted import in_session_of_its_own

from trunkline.cli.lab_slurm import slurm_environment
from trunkline.cluster import load_cluster
from trunkline.doctor.stated_switches import slurm_places
from trunkline.lab.session import Lab
from trunkline.paths import CHOOSER, SLURM_PLUGIN, preload_library

HERE = Path(__file__).parent
BOTH = {"mpich": "pmi2", "openmpi": "pmix"}
"""Of each MPI library what its ranks talk to Slurm."""
TASKS = 2
CYCLIC = load_cluster("cyclic")
SWITCH = {host: CYCLIC.switch_of(number) for number, host in enumerate(CYCLIC.hosts)}
SETTINGS = {"TRUNKLINE_HOST_COSTS": "free", "TRUNKLINE_BCAST": "linear"}
PLUGSTACK = "run/trunkline/slurm/plugstack.conf"

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="slurmd needs root"),
    pytest.mark.skipif(
        shutil.which("sbatch") is None, reason="Debian's Slurm is not installed (tools/dev-packages.txt)"
    ),
    pytest.mark.skipif(not SLURM_PLUGIN.exists(), reason="libslurm-dev was not there when Trunkline was built"),
]


@pytest.fixture(scope="module")
def slurm():
    """A lab with Slurm: runs a command on its first host, and hands back what it said."""
    with Lab(CYCLIC, 100e6) as lab:
        env = slurm_environment(lab, processors=TASKS, mpi=None, native=False, trace=None, measured=SETTINGS)

        def run(*words, status=0, **settings):
            done = lab.run([str(word) for word in words], env=env | settings, capture=True, timeout=PATIENCE_S)
            assert status is None or done.returncode == status, done.stdout + done.stderr
            return done

        run.lab, run.env = lab, env
        yield run


def start(slurm, mpi, *words, before=(), **settings):
    """srun, up to three times under Open MPI, whose MPI_Init now and then dies there; 4.1.4 without Trunkline too.

    In 5.0.11 a message of a rank that is ahead came before there were communicators.
    """
    for _ in range(3):
        done = slurm(
            *before,
            "srun",
            "--kill-on-bad-exit=1",
            f"--mpi={BOTH[mpi.partition('-')[0]]}",
            *words,
            status=None,
            **settings,
        )
        if done.returncode == 0:
            return done
        died = any(words in done.stdout + done.stderr for words in ("Failing at address: (nil)", "ompi_mpi_init+"))
        assert mpi.startswith("openmpi"), done.stdout + done.stderr
        assert died, done.stdout + done.stderr
        shutil.rmtree(settings.get("TRUNKLINE_TRACE", ""), ignore_errors=True)
    return pytest.fail(done.stdout + done.stderr)


RANK = re.compile(r"rank (\d+) host (\S+) (right|wrong) ran (\S+) library (.*)")


def told(text):
    """Host of each rank, in order; every one of them got the message, by the plan that was asked for."""
    found = [match.groups() for match in map(RANK.fullmatch, text.splitlines()) if match]
    assert [int(rank) for rank, *_ in found] == list(range(len(found))), text
    assert found, text
    assert {(right, ran) for _, _, right, ran, _ in found} == {("right", "linear")}, text
    assert all(" for " in library for *_, library in found), text
    return [host for _, host, *_ in found]


def without(text):
    """As :func:`told`, where no rank has the library."""
    found = [match.groups() for match in map(RANK.fullmatch, text.splitlines()) if match]
    assert found, text
    assert {(right, ran, library) for _, _, right, ran, library in found} == {("right", "without", "none")}, text
    return [host for _, host, *_ in found]


def check_plan(trace, hosts):
    """The line that ran goes over each host and each switch once: it was laid over the very placement of the job."""
    report = trace / "report.json"
    words = [sys.executable, "-m", "trunkline", "trace", "analyse", trace, "--json", report]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(report.read_text())
    assert {int(rank): host for rank, host in said["hosts"].items()} == dict(enumerate(hosts))
    [group] = [one for one in said["groups"] if one["collective"] == "bcast"]
    [tree] = group["trees"]
    edges = [(rank, parent) for rank, parent in enumerate(_parents(tree["parents"])) if parent is not None]
    assert len(edges) == len(hosts) - 1
    between_hosts = [(hosts[a], hosts[b]) for a, b in edges if hosts[a] != hosts[b]]
    between_switches = [(a, b) for a, b in between_hosts if SWITCH[a] != SWITCH[b]]
    assert len(between_hosts) == len(set(hosts)) - 1
    assert len(between_switches) == len({SWITCH[host] for host in hosts}) - 1


def _parents(parents):
    ordered = parents if isinstance(parents, list) else [parents[str(rank)] for rank in range(len(parents))]
    return [None if parent is None or parent < 0 else parent for parent in ordered]


def test_every_host_is_a_node(slurm):
    said = slurm("sinfo", "--noheader", "--Node", "--format=%N %c %t").stdout.split("\n")
    assert sorted(said[:-1]) == sorted(f"{host} {TASKS} idle" for host in CYCLIC.hosts)


def test_the_running_slurm_knows_the_switches(slurm, tmp_path):
    """Its own word, an import inside a job, and its file, each beside the cluster file."""
    said = slurm("scontrol", "show", "topology").stdout
    assert re.search(r"SwitchName=s2 Level=0 .*Nodes=h\[2,6,10,14,18,22,26,30\]", said), said
    file = tmp_path / "cluster.yaml"
    trunkline = (sys.executable, "-m", "trunkline")
    slurm("salloc", "-N32", *trunkline, "cluster", "import", "slurm-job", "-o", file)
    imported = load_cluster(str(file))
    assert {host: imported.switch_of(number) for number, host in enumerate(imported.hosts)} == SWITCH
    assert slurm_places(str(slurm.lab.root / "run/trunkline/slurm/topology.conf")) == SWITCH
    found = slurm(*trunkline, "doctor", "--cluster", "cyclic", status=None).stdout
    assert "the cluster file has 32 hosts below the switches that Slurm's" in " ".join(found.split()), found


@pytest.mark.parametrize("mpi", BOTH)
@pytest.mark.parametrize("way", ["block", "cyclic"])
def test_srun(slurm, ranks, tmp_path, mpi, way):
    words = ("-N4", "-n8", "-w", "h[0,4-6]", "-m", way, ranks / mpi)
    done = start(slurm, mpi, *words, TRUNKLINE_TRACE=str(tmp_path / "trace"))
    order = ["h0", "h4", "h5", "h6"]
    assert told(done.stdout) == (order * 2 if way == "cyclic" else sorted(order * 2))
    assert "trunkline" not in done.stderr
    assert "Your application has invoked" not in done.stderr, "Open MPI has no word to say of names"
    check_plan(tmp_path / "trace", told(done.stdout))


@pytest.mark.parametrize("mpi", ["mpich-5.0.2", "openmpi-5.0.11"])
def test_srun_with_current_releases(slurm, program, mpi):
    """MPICH 5.0.2 died of its own question for a name, which Slurm has none of."""
    own = {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0"} if "mpich" in mpi else {}
    done = start(slurm, mpi, "-n6", program("hello", mpi), TRUNKLINE_EXPLAIN="1", **own)
    assert "hello from 6 ranks" in done.stdout
    assert "on 6 ranks ran linear" in done.stderr


@pytest.mark.parametrize("mpi", BOTH)
@pytest.mark.parametrize("around", ["salloc", "sbatch"])
def test_mpiexec_below_slurm(slurm, ranks, tmp_path, mpi, around):
    """Open MPI's starts the ranks of its own host itself, beside Slurm."""
    job = f"mpiexec.{mpi} {ranks / mpi}"
    if around == "salloc":
        said = slurm("salloc", "-N4", "-n8", *job.split(), TRUNKLINE_TRACE=str(tmp_path / "trace")).stdout
    else:
        words = ("--wait", "-N4", "-n8", "-o", tmp_path / "out", "--wrap", job)
        slurm("sbatch", *words, TRUNKLINE_TRACE=str(tmp_path / "trace"))
        said = (tmp_path / "out").read_text()
    hosts = told(said)
    assert len(hosts) == 8
    assert len(set(hosts)) == 4
    check_plan(tmp_path / "trace", hosts)


def test_five_of_the_nodes(slurm, ranks, tmp_path):
    """Slurm takes them below one switch where it can, since it knows the switches."""
    hosts = told(slurm("srun", "-N5", "-n5", ranks / "mpich", TRUNKLINE_TRACE=str(tmp_path / "trace")).stdout)
    assert len(set(hosts)) == 5
    assert len({SWITCH[host] for host in hosts}) == 1
    check_plan(tmp_path / "trace", hosts)


def test_all_of_the_nodes(slurm, ranks, tmp_path):
    hosts = told(slurm("srun", "-N32", "-n32", ranks / "mpich", TRUNKLINE_TRACE=str(tmp_path / "trace")).stdout)
    assert sorted(hosts) == sorted(CYCLIC.hosts)
    check_plan(tmp_path / "trace", hosts)


def script(tmp_path, *lines):
    file = tmp_path / "job.sh"
    file.write_text("\n".join(["#!/bin/sh", "#SBATCH -N4 -n4", f"#SBATCH -o {tmp_path}/out", *lines]) + "\n")
    return file


def test_steps_of_a_batch_script(slurm, ranks, tmp_path):
    """srun, srun of a script, and two steps at once."""
    one = ranks / "mpich"
    lines = [f"srun {one}", f"srun sh -c 'true; exec {one}'", f"srun -N2 -n2 {one} & srun -N2 -n2 {one} & wait"]
    slurm("sbatch", "--wait", script(tmp_path, *lines))
    said = (tmp_path / "out").read_text()
    found = [match.groups() for match in map(RANK.fullmatch, said.splitlines()) if match]
    assert [ran for _, _, _, ran, _ in found] == ["linear"] * 12, said
    assert "warning" not in said


@pytest.mark.parametrize("mpi", BOTH)
def test_trunkline_run_around_srun(slurm, ranks, mpi):
    """Without the plug-in, as a user does whose administrator has none."""
    trunkline = (sys.executable, "-m", "trunkline", "run", "--cluster", "cyclic", "--")
    assert len(told(start(slurm, mpi, "--trunkline=off", "-n4", ranks / mpi, before=trunkline).stdout)) == 4


def test_trunkline_run_around_mpiexec(slurm, ranks, tmp_path):
    run = f"{sys.executable} -m trunkline run --cluster cyclic --"
    lines = [f"{run} mpiexec.{mpi} {ranks / mpi}" for mpi in BOTH]
    for number, line in enumerate(lines):
        folder = tmp_path / str(number)
        folder.mkdir()
        slurm("sbatch", "--wait", "--trunkline=off", script(folder, line))
        assert len(told((folder / "out").read_text())) == 4


def test_a_job_that_is_requeued(slurm, ranks, tmp_path):
    again = 'if [ "${SLURM_RESTART_COUNT:-0}" = 0 ]; then scontrol requeue $SLURM_JOB_ID; sleep 600; fi'
    file = script(tmp_path, again, f"srun {ranks / 'mpich'}", "echo restarts $SLURM_RESTART_COUNT")
    slurm("sbatch", "--wait", "--requeue", "--open-mode=truncate", file)
    said = (tmp_path / "out").read_text()
    assert "restarts 1" in said
    assert len(told(said)) == 4


def test_a_job_that_is_cancelled_leaves_nothing(slurm, ranks):
    """The next one finds the nodes free, and no rank of the first."""
    number = slurm("sbatch", "--parsable", "-N32", "-n64", "-o", "/dev/null", "--wrap", f"srun {ranks / 'mpich'} 600")
    job = number.stdout.strip()
    _wait(lambda: _ranks_up(slurm, ranks) == 64)
    slurm("scancel", job)
    _wait(lambda: _ranks_up(slurm, ranks) == 0)
    assert len(told(slurm("srun", "-n4", ranks / "mpich").stdout)) == 4


def _ranks_up(slurm, ranks):
    """Those that stand in the sleep behind their broadcast, or anywhere else."""
    said = slurm("pgrep", "--count", "--full", f"^{ranks / 'mpich'}", status=None).stdout
    return int(said or 0)


def _wait(until):
    end = time.monotonic() + PATIENCE_S / 4
    while not until():
        assert time.monotonic() < end
        time.sleep(0.2)


def test_a_slurmd_that_dies(slurm, ranks):
    """The ranks elsewhere go on; later jobs take other nodes, and the node comes back."""
    lab, host = slurm.lab, "h31"
    words = ["srun", "-N2", "-n2", "-w", f"h30,{host}", str(ranks / "mpich"), "3"]
    job = lab.popen(words, env=slurm.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = job.stdout.readline()  # before it, the ranks find each other through Slurm's daemons
    daemon = int((lab.root / f"run/trunkline/slurm/{host}.pid").read_text())
    lab.run(["kill", "-KILL", str(daemon)])
    out, _ = job.communicate(timeout=PATIENCE_S)
    # What the rank there says may be lost: slurmctld ends it where it misses the daemon first.
    assert told(first + out) in (["h30"], ["h30", host])
    slurm("scontrol", "update", f"NodeName={host}", "State=DOWN", "Reason=test")
    assert host not in told(slurm("srun", "-N31", "-n31", ranks / "mpich").stdout)
    lab.run(["sh", "-c", f"slurmd -N {host} -f $SLURM_CONF"], host=host, env=slurm.env)
    slurm("scontrol", "update", f"NodeName={host}", "State=RESUME", status=None)  # unless it has come back itself
    _wait(lambda: slurm("sinfo", "-h", "-n", host, "-o", "%t").stdout.strip() == "idle")
    assert told(slurm("srun", "-N1", "-n2", "-w", host, ranks / "mpich").stdout) == [host] * 2


@pytest.mark.parametrize("way", ["option", "setting", "sbatch", "salloc"])
def test_the_way_out(slurm, ranks, tmp_path, way):
    one = ranks / "mpich"
    if way == "option":
        said = slurm("srun", "-n4", "--trunkline=off", one).stdout
    elif way == "setting":
        said = slurm("srun", "-n4", one, TRUNKLINE_DISABLE="1").stdout
    elif way == "salloc":
        said = slurm("salloc", "-n4", "--trunkline=off", "mpiexec.mpich", one).stdout
    else:
        slurm("sbatch", "--wait", "--trunkline=off", script(tmp_path, f"srun {one}", f"mpiexec.mpich {one}"))
        said = (tmp_path / "out").read_text()
    without(said)


@pytest.fixture
def plugstack(slurm):
    """Another word of the administrator, for one test: slurmstepd and srun read it each time."""
    file = slurm.lab.root / PLUGSTACK
    before = file.read_text()
    yield file.write_text
    file.write_text(before)


def test_off_unless_asked_for(slurm, ranks, plugstack):
    plugstack(f"optional {SLURM_PLUGIN} library={CHOOSER} cluster={Lab.cluster_file} default=off\n")
    without(slurm("srun", "-n4", ranks / "mpich").stdout)
    told(slurm("srun", "-n4", "--trunkline=on", ranks / "mpich").stdout)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"library=/nowhere/libtrunkline.so cluster={Lab.cluster_file}", "a preload library that cannot be read: '/no"),
        (f"library={CHOOSER} cluster=/nowhere.yaml", "a cluster file that cannot be read: '/nowhere.yaml'"),
        ("", "a preload library that cannot be read: 'none'"),
    ],
)
def test_wrong_paths_fail_no_job_and_are_said_once(slurm, ranks, plugstack, words, said):
    plugstack(f"optional {SLURM_PLUGIN} {words}\n")
    done = slurm("srun", "-n4", ranks / "mpich")
    without(done.stdout)
    assert done.stderr.count("trunkline: warning") == 1, done.stderr
    assert said in done.stderr


def test_a_library_that_does_not_load_fails_no_job(slurm, ranks, plugstack, tmp_path):
    broken = tmp_path / "libtrunkline.so"
    broken.write_text("no library\n")
    plugstack(f"optional {SLURM_PLUGIN} library={broken} cluster={Lab.cluster_file}\n")
    without(slurm("srun", "-n2", ranks / "mpich").stdout)


def test_a_wrong_word_is_refused_before_the_job(slurm):
    done = slurm("srun", "--trunkline=a/b", "hostname", status=None)
    assert done.returncode != 0
    assert "--trunkline is on, off, or an MPI library's name" in done.stderr
    assert done.stdout == ""


def test_programs_that_are_not_mpi(slurm, tmp_path):
    """A shell, a static program, one that runs as another user."""
    (tmp_path / "one.c").write_text('#include <stdio.h>\nint main(void) { return puts("static") < 0; }\n')
    subprocess.run(["cc", "-static", "-o", tmp_path / "static", tmp_path / "one.c"], check=True)
    maps = "grep -c -e libmpi -e libtrunkline- /proc/self/maps"
    done = slurm("srun", "-n2", "sh", "-c", f"{maps}; {tmp_path / 'static'}; su --version")
    # The lab's idle shim has a name like a preload library's, and is mapped in several parts.
    assert done.stdout.count("static\n") == 2
    assert done.stdout.count("su from") == 2
    assert "trunkline" not in done.stderr
    mapped = slurm("srun", "-n1", "sh", "-c", "grep -o 'libmpi.*' /proc/self/maps || echo none").stdout
    assert mapped == "none\n"


def test_a_setuid_program_runs_without(slurm, tmp_path):
    """Its loader takes no preload library from elsewhere, and says nothing of it to the job."""
    program = tmp_path / "own"
    shutil.copy("/usr/bin/id", program)
    program.chmod(0o4755)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    tmp_path.chmod(0o755)
    done = slurm("srun", "-n2", program, "--user")
    assert done.stdout.split() in (["65534"] * 2, ["0"] * 2)  # where the folder's file system takes no such bit
    assert "trunkline" not in done.stderr


@pytest.mark.parametrize("mpi", BOTH)
def test_python_names_its_library(slurm, mpi):
    code = (
        "from mpi4py import MPI; w = MPI.COMM_WORLD; w.bcast(b'x' * 300000); import ctypes;"
        "last = ctypes.CDLL(None).trunkline_last; last.restype = ctypes.c_char_p; print(last(b'bcast').decode())"
    )
    own = {"MPI4PY_MPIABI": mpi, "LD_LIBRARY_PATH": str(preload_library(mpi).parent / f"{mpi}-abi")}
    words = ("-n2", f"--trunkline={mpi}", sys.executable, "-c", code)
    assert start(slurm, mpi, *words, **own).stdout.split() == ["linear"] * 2


def test_the_environment_is_not_needed(slurm, ranks):
    """With --export=NONE the plug-in still serves; the lab's idle shim and settings of transports are handed on."""
    kept = ",".join(["LD_PRELOAD", "UCX_NET_DEVICES", "UCX_TLS", "TRUNKLINE_BCAST", "TRUNKLINE_HOST_COSTS"])
    told(slurm("srun", "-n2", f"--export={kept}", ranks / "mpich").stdout)


@pytest.mark.usefixtures("nothing_left")
def test_the_command(trunkline, ranks, tmp_path):
    lines = [f"srun {ranks / 'mpich'}", "exit 7"]
    words = ("--rate", "100Mbit", "--slurm", "--", "sbatch", "--wait", str(script(tmp_path, *lines)))
    done = trunkline("lab", "run", "cyclic", *words, env={**os.environ, **SETTINGS})
    assert done.returncode == 7, done.stdout + done.stderr
    assert "Submitted batch job 1" in done.stdout
    assert len(told((tmp_path / "out").read_text())) == 4


@pytest.mark.usefixtures("nothing_left")
def test_the_command_natively(trunkline, ranks):
    words = ("--rate", "100Mbit", "--slurm", "--native", "--", "srun", "-N2", "-n2", str(ranks / "mpich"))
    done = trunkline("lab", "run", "paper-1", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    without(done.stdout)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_whichever_way_it_ends(number):
    words = ("lab", "run", "paper-1", "--rate", "100Mbit", "--slurm", "--", "srun", "-N16")
    process = in_session_of_its_own(*words, "sh", "-c", "echo up; sleep 900", error=subprocess.DEVNULL)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0


def test_ranks_are_srun_s_to_count(trunkline):
    done = trunkline("lab", "run", "cyclic", "--slurm", "-n", "4", "--", "srun", "true")
    assert done.returncode == 2
    assert "with --slurm say it to sbatch, srun or salloc" in " ".join(done.stderr.split())


def test_what_is_missing_is_named(trunkline, tmp_path):
    done = trunkline("lab", "run", "cyclic", "--slurm", "--", "true", env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "there is no srun, sbatch, sinfo" in said
    assert "apt-get install slurmctld slurmd slurm-client munge" in said
