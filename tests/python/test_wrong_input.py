"""Wrong words and wrong places of every kind: a message that says what, where and what to do, and no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "explain --cluster paper-1 --sizes 99999999999999999999",
            "--sizes: '99999999999999999999' is more than any message",
        ),
        ("predict --cluster paper-1 --sizes 8KiB,99999999999999999999", "--sizes: '99999999999999999999' is more than"),
        ("explain --cluster folder", "folder is a folder; name the cluster file in it; bundled clusters are: "),
        ("monitor --cluster folder --every 60 -- mpiexec", "--cluster: 'folder' is a folder; name the cluster file"),
        (
            "demo --rate 20",
            "--rate: '20' is not a rate; write a number with bit, kbit, Mbit or Gbit, as in 20Mbit, or auto",
        ),
        ("tune --cluster paper-1 --mpi mpich -o - --rate fast", "--rate: 'fast' is not a rate; "),
        ("cluster import slurm nowhere.conf -o folder", "cannot write folder: it is a folder"),
        ("cluster show paper-1 --svg ''", "--svg: its value is empty; give one, or leave --svg out"),
        ("simulate bcast --cluster paper-1 --rate=", "--rate: its value is empty; give one, or leave --rate out"),
        ("simulate gains --cluster paper-1 --rates ''", "--rates: its value is empty"),
        ("cluster import slurm nowhere.conf -o ''", "--output: the file's name is empty"),
        ("cluster export paper-1 --format yaml -o ''", "cannot write: the file's name is empty"),
        ("doctor --collective nosuch", "--collective is for a doctor in a job, or with --pays: leave it out"),
        ("doctor --mpi mpich", "--mpi is for a doctor in a job, or with --pays: leave it out"),
        ("doctor --slurm x --pays --cluster paper-1", "--slurm is for a doctor outside a job and without --pays"),
    ],
)
def test_what_is_wrong_is_said(refused, folder, words, said):
    assert said in refused(*[word.strip("'") for word in words.split()], cwd=folder)


PLAN = "trunkline: plan/1\ncollective: bcast\nshape: binary\nhosts: here\n"


def test_another_kind_of_file_is_said_to_be_one(refused, folder):
    (folder / "plan.yaml").write_text(PLAN)
    said = refused("explain", "--cluster", "plan.yaml", cwd=folder)
    assert said == (
        'plan.yaml:1:12: a cluster file is wanted, and this file says it is "plan/1"; the first line should be '
        '"trunkline: cluster/1"; such a file is given with --plan'
    )


@pytest.mark.parametrize("kind", ["slurm", "slurm-job", "lldp", "simgrid"])
@pytest.mark.parametrize("top", ["", "# hosts\n\n---\n"])
def test_a_cluster_file_is_not_imported(refused, folder, kind, top):
    (folder / "lab.yaml").write_text(f"{top}trunkline: cluster/1\nname: lab\n")
    said = refused("cluster", "import", kind, "lab.yaml", cwd=folder)
    assert said == "lab.yaml is a cluster file already: give it to the others as it is, --cluster lab.yaml"
    (folder / "plan.yaml").write_text(top + PLAN)
    assert "plan.yaml is a plan file of Trunkline's" in refused("cluster", "import", kind, "plan.yaml", cwd=folder)


def test_no_look_is_longer_than_a_day(trunkline, folder):
    ran = trunkline("trace", "top", "folder", "--interval", "1e20", cwd=folder)
    assert ran.status == 2
    assert "--interval" in ran.error


def ended(words, shell):
    """A command with its output where the words of a shell lead it."""
    script = f'exec "$0" -m trunkline "$@" {shell}'
    return subprocess.run(["sh", "-c", script, sys.executable, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", [("--version",), ("algorithms",)])  # more and less than what is kept back
def test_output_that_cannot_be_written(words):
    full = ended(words, ">/dev/full")
    said = "trunkline: cannot write to standard output: No space left on device\n"
    assert (full.returncode, full.stderr) == (2, said)
    closed = ended(words, ">&-")
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, "", "")


@pytest.mark.parametrize("words", [("--version",), ("algorithms",)])
def test_a_pipe_that_nobody_reads(words):
    with subprocess.Popen(
        [sys.executable, "-m", "trunkline", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as command:
        command.stdout.close()
        assert command.stderr.read() == b""
        assert command.wait(60) == 1


def test_closed_standard_error_is_no_fault():
    assert ended(("algorithms",), "2>&-").returncode == 0


SOURCES = {
    "slurm": "topology.conf",
    "slurm-job": "slurm-job.txt",
    "lldp": "lldp/h0.json",
    "simgrid": "simgrid-rooms.xml",
}


@pytest.mark.parametrize("reads", SOURCES)
@pytest.mark.parametrize("given", [*SOURCES, "topology.yaml"])
def test_an_importer_is_given_another_ones_file(trunkline, refused, tmp_path, reads, given):
    file = Path(__file__).with_name("sources") / "data" / SOURCES.get(given, given)
    right = given if given in SOURCES else "slurm"
    words = ("cluster", "import", reads, file, "-o", tmp_path / "out.yaml")
    if reads == right:
        assert trunkline(*words).status == 0
        return
    said = refused(*words)
    assert said.startswith(f"{file} looks like ")
    assert said.endswith(f": 'trunkline cluster import {right}' reads that")


IN_OTHER_FORMS = {
    "lldpcli -f keyvalue": ("lldp.eth0.via=LLDP\nlldp.eth0.chassis.name=sw1\n", "LLDP neighbours, but not as JSON: "),
    "lldpcli": (
        "-" * 79 + "\nLLDP neighbors:\n" + "-" * 79 + "\nInterface:    eth0, via: LLDP\n",
        "LLDP neighbours, but",
    ),
    "lldpcli -f xml": (
        '<?xml version="1.0"?>\n<lldp label="LLDP neighbors">\n</lldp>\n',
        "LLDP neighbours, but not as",
    ),
    "slurm.conf": ("# ours\n\nClusterName=c\nSlurmctldHost=h\nNodeName=n[1-4]\n", "slurm.conf: give topology.conf, "),
}


@pytest.mark.parametrize("reads", SOURCES)
@pytest.mark.parametrize("form", IN_OTHER_FORMS)
def test_an_importer_is_given_what_none_reads(refused, tmp_path, reads, form):
    text, said = IN_OTHER_FORMS[form]
    (tmp_path / "file").write_text(text)
    assert refused("cluster", "import", reads, tmp_path / "file").startswith(f"{tmp_path / 'file'} looks like {said}")
