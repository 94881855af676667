"""Unmodified programs on 32 emulated hosts, with Trunkline preloaded."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from busy_machine import PATIENCE_S
from explained import JSON, explained
from interrupted import in_session_of_its_own

from trunkline.launchers import mpi_of_program

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BOTH = ["mpich", "openmpi"]
pytestmark = pytest.mark.usefixtures("nothing_left")


def run(trunkline, *words, rate="100Mbit", env=None, **options):
    return trunkline("lab", "run", "cyclic", "--rate", rate, *words, env={**os.environ, **(env or {})}, **options)


EXPLAINED = JSON | {"TRUNKLINE_HOST_COSTS": "free"}
"""What messages cost is not measured: on a busy machine something else would be run."""


@pytest.mark.parametrize("mpi", [*BOTH, "mpich-5.0.2", "openmpi-5.0.11"])
def test_c_program_on_32_hosts(trunkline, program, mpi):
    done = run(trunkline, "--mpi", mpi, "-n", "32", "--", program("hello", mpi), env=EXPLAINED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hello from 32 ranks" in done.stdout
    assert explained(done.stderr, algorithm="two-tree"), done.stderr


@pytest.mark.parametrize("mpi", BOTH)
def test_fortran_program_on_12_hosts(trunkline, program, mpi):
    done = run(trunkline, "--mpi", mpi, "-n", "12", "--", program("hello-fortran", mpi), env=EXPLAINED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert explained(done.stderr, algorithm="two-tree"), done.stderr


@pytest.mark.parametrize("mpi", BOTH)
def test_mpi4py_program_on_12_hosts(trunkline, mpi):
    """With no settings: mpi4py's module for MPICH asks for libmpi.so.12, which Debian calls libmpich.so.12."""
    words = ("--mpi", mpi, "-n", "12", "--", sys.executable, str(EXAMPLES / "hello_bcast.py"))
    done = run(trunkline, *words, env=EXPLAINED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert explained(done.stderr, algorithm="two-tree"), done.stderr


@pytest.mark.parametrize("mpi", [*BOTH, "mpich-5.0.2", "openmpi-5.0.11"])
def test_mpi4py_program_natively(trunkline, mpi):
    # One rank speaks: launchers may mix what several say.
    said = "print(MPI.Get_library_version().splitlines()[0], MPI.COMM_WORLD.size)"
    script = f"from mpi4py import MPI; MPI.COMM_WORLD.rank or {said}"
    done = run(trunkline, "--mpi", mpi, "-n", "2", "--native", "--", sys.executable, "-c", script)
    assert done.returncode == 0, done.stdout + done.stderr
    family, _, version = mpi.partition("-")
    (line,) = done.stdout.splitlines()
    assert line.replace(" ", "").lower().startswith(family)
    assert version in line
    assert line.endswith(" 2")


@pytest.mark.parametrize("mpi", BOTH)
def test_several_ranks_a_host(trunkline, program, mpi):
    words = ("--mpi", mpi, "--ranks-per-host", "2", "-n", "15", "--", program("hello", mpi))
    done = run(trunkline, *words, env={"TRUNKLINE_EXPLAIN": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hello from 15 ranks" in done.stdout


@pytest.mark.parametrize("mpi", [*BOTH, "mpich-5.0.2", "openmpi-5.0.11"])
def test_ranks_that_leave_right_after_their_last_message(trunkline, program, mpi):
    words = ("--mpi", mpi, "-n", "32", "--native", "--", program("last-messages", mpi))
    done = run(trunkline, *words, rate="20Mbit")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all ranks have left" in done.stdout


@pytest.mark.parametrize("mpi", BOTH)
def test_native_runs_without_the_library(trunkline, program, mpi):
    done = run(
        trunkline, "--mpi", mpi, "-n", "4", "--native", "--", program("hello", mpi), env={"TRUNKLINE_EXPLAIN": "1"}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "trunkline" not in done.stderr


COSTS = re.compile(
    r"cyclic at 100 Mbit/s: (\d+) ranks share a processor, and while all are at work a message costs [0-9.]+ [mu]?s of "
    r"one \(TRUNKLINE_HOST_COSTS=(shared=[0-9.e+]+us,shared-byte=[0-9.e+-]+ns)\)"
)
# MPICH's launcher may die of a broken pipe where a program that does not call MPI ends before all have begun.
SETTING = ("sh", "-c", 'echo "costs: $TRUNKLINE_HOST_COSTS"; sleep 0.3')


@pytest.mark.parametrize("mpi", BOTH)
def test_what_messages_cost_is_measured_said_and_handed_to_the_ranks(trunkline, mpi):
    each = len(os.sched_getaffinity(0))
    done = run(trunkline, "--mpi", mpi, "--ranks-per-host", str(each), "-n", str(2 * each), "--", *SETTING, costs=None)
    assert done.returncode == 0, done.stdout + done.stderr
    said = COSTS.search(done.stderr)
    assert said, done.stderr
    assert said[1] == "2"
    assert set(done.stdout.split("\n")) == {f"costs: {said[2]}", ""}


def test_a_setting_of_the_caller_stands(trunkline):
    done = run(trunkline, "--mpi", "mpich", "-n", "2", "--", *SETTING, env={"TRUNKLINE_HOST_COSTS": "free"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(done.stdout.split("\n")) == {"costs: free", ""}


def test_a_rate_that_no_machine_emulates_is_warned_of_once(trunkline):
    """At 100 Gbit/s two frames take a quarter of a microsecond."""
    done = run(trunkline, "--mpi", "mpich", "-n", "2", "--", "sleep", "0.3", rate="100Gbit", costs=None)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count("is above what is true on this machine now") == 1
    slow = run(trunkline, "--mpi", "mpich", "-n", "2", "--", "sleep", "0.3", rate="10kbit", costs=None)
    assert slow.returncode == 0, slow.stdout + slow.stderr
    assert "is above what is true" not in slow.stderr


@pytest.mark.parametrize("mpi", BOTH)
def test_a_rank_that_dies_ends_the_job(trunkline, mpi):
    script = "import os; from mpi4py.MPI import COMM_WORLD as w; w.rank == 2 and os._exit(3); w.Barrier()"
    words = ("--mpi", mpi, "-n", "4", "--timeout", "20", "--", sys.executable, "-c", script)
    done = run(trunkline, *words, timeout=PATIENCE_S)
    # MPICH's launcher gives the signal by which it ended the others, and now and then hangs: then the limit ends it,
    # within the patience of the test.
    assert done.returncode == 3 if mpi == "openmpi" else done.returncode != 0, done.stderr


def test_time_limit(trunkline, program):
    done = run(trunkline, "--mpi", "mpich", "-n", "4", "--timeout", "2", "--", "sleep", "100")
    assert done.returncode == 1
    assert "has not ended within 2 s" in done.stderr


INTERRUPTED = [((signal.SIGINT,), 130), ((signal.SIGINT, signal.SIGINT), 130), ((signal.SIGTERM,), 143)]


@pytest.mark.parametrize(("numbers", "status"), INTERRUPTED)
def test_interrupted(numbers, status):
    words = ("lab", "run", "cyclic", "--rate", "100Mbit", "--mpi", "mpich", "-n", "4")
    process = in_session_of_its_own(*words, "--", "sh", "-c", "echo up; sleep 100")
    for number in numbers:
        os.killpg(process.pid, number)
    _, error = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status
    assert "Traceback" not in error
    time.sleep(0.5)


@pytest.mark.parametrize("numbers", [(signal.SIGKILL,), (signal.SIGINT, signal.SIGINT)])
def test_ended_while_a_rate_is_looked_for(numbers, tmp_path):
    """Labs come and go then; whatever is up when it ends goes with it."""
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    words = [sys.executable, "-m", "trunkline", "lab", "exec", "paper-1", "--", "true"]
    process = subprocess.Popen(
        words, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    until = time.monotonic() + PATIENCE_S
    while not any(is_child_of(process.pid, entry) for entry in Path("/proc").glob("[0-9]*/stat")):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(2)
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.01)
    _, error = process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (130, -signal.SIGKILL)
    assert "Traceback" not in error


def is_child_of(parent, stat):
    try:
        return int(stat.read_text().rsplit(")")[-1].split()[1]) == parent
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_wrong_library_for_the_program(trunkline, program):
    done = run(trunkline, "--mpi", "mpich", "-n", "2", "--timeout", str(PATIENCE_S), "--", program("hello", "openmpi"))
    assert done.returncode == 2
    assert "so it runs on openmpi, not on mpich: --mpi openmpi" in done.stderr


def test_a_wrong_library_behind_another_program(trunkline, program):
    words = ("-n", "2", "--timeout", str(PATIENCE_S), "--", "env", "A=b", program("hello", "openmpi"))
    done = run(trunkline, "--mpi", "mpich", *words)
    assert done.returncode == 2
    assert "say --mpi openmpi to 'trunkline run' and 'trunkline lab run'" in done.stderr


def test_the_callers_cluster_does_not_reach_the_lab(trunkline):
    words = ("--mpi", "mpich", "-n", "2", "--", "sh", "-c", 'echo "$TRUNKLINE_CLUSTER"')
    done = run(trunkline, *words, env={"TRUNKLINE_CLUSTER": "paper-1"})
    assert done.returncode == 0, done.stderr
    assert len(set(done.stdout.split())) == 1
    assert "paper-1" not in done.stdout
    assert done.stderr.startswith("cyclic: hosts and trunks "), "the rate that it runs at"


def test_what_a_signal_ends_has_a_shells_status(trunkline):
    assert trunkline("lab", "exec", "cyclic", "--rate", "100Mbit", "--", "sh", "-c", "kill -9 $$").returncode == 137


def test_unknown_host_runs_natively_with_one_warning(trunkline, program, tmp_path):
    lab = tmp_path / "four.yaml"
    lab.write_text(
        "trunkline: cluster/1\nname: four\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: s0\n"
        "hosts:\n  - {hosts: 'x[0-3]', switch: s0}\n"
    )
    done = trunkline(
        *("lab", "run", "cyclic", "--rate", "100Mbit", "--mpi", "mpich", "-n", "4", "--"),
        *("env", f"TRUNKLINE_CLUSTER={lab}", program("hello", "mpich")),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("warning: rank") == 1
    assert "host 'h0' is not in cluster four" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cyclic", "--mpi", "lammpi", "--", "true"], "no preload library for an MPI library 'lammpi'"),
        (["cyclic", "--mpi", "mpich", "-n", "33", "--", "true"], "33 ranks do not fit on 32 hosts"),
        (["cyclical", "--mpi", "mpich", "--", "true"], "no bundled cluster 'cyclical'"),
        (["cyclic", "--mpi", "mpich", "--rate", "20", "--", "true"], "not a rate"),
        (["cyclic", "--mpi", "mpich", "--rate", "0Mbit", "--", "true"], "above zero"),
        (["cyclic", "--mpi", "mpich"], "Missing argument"),
    ],
)
def test_wrong_input_is_one_message_and_status_2(trunkline, words, message):
    done = trunkline("lab", "run", *words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_as_an_ordinary_user(program, tmp_path):
    """All of it inside a user namespace; the package must be readable for the user, so it is reached as it is."""
    words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "env", f"HOME={tmp_path}"]
    if subprocess.run([*words, sys.executable, "-c", "import trunkline"], capture_output=True).returncode != 0:
        pytest.skip("the environment of these tests is not readable for other users")
    command = ["lab", "run", "cyclic", "--rate", "100Mbit", "--mpi", "mpich", "-n", "32", "--"]
    done = subprocess.run(
        [*words, sys.executable, "-m", "trunkline", *command, program("hello", "mpich")],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        cwd="/",
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hello from 32 ranks" in done.stdout


def test_modules_of_the_current_folder_are_not_taken_for_pythons_own(tmp_path):
    (tmp_path / "re.py").write_text("raise SystemExit('the wrong one')\n")
    command = Path(sys.executable).with_name("trunkline")
    words = [command, "lab", "exec", "8w", "--rate", "20Mbit", "--", "true"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("mpi", BOTH)
def test_the_library_is_what_the_program_is_linked_to(trunkline, program, mpi):
    assert mpi_of_program(program("hello", mpi)) == mpi
    done = run(trunkline, "-n", "2", "--", program("hello", mpi))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hello from 2 ranks" in done.stdout


def test_what_is_linked_to_no_library_runs_on_the_first():
    assert mpi_of_program(sys.executable) == "mpich"
