"""What new users stumbled over: each message says what is wrong, and what to do."""

import os
import pty
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trunkline import _core, launchers
from trunkline.cluster import equal_cost_words, load_cluster
from trunkline.errors import BadInput
from trunkline.mpi import find_mpis
from trunkline.paths import NATIVE
from trunkline.trace.folder import find_job
from trunkline.trace.tables import us_text

LEAF_SPINE = """\
SwitchName=leaf1 Nodes=n[1-4]
SwitchName=leaf2 Nodes=n[5-8]
SwitchName=spine1 Switches=leaf[1-2]
SwitchName=spine2 Switches=leaf[1-2]
"""


@pytest.fixture
def topology(tmp_path):
    file = tmp_path / "topology.conf"
    file.write_text(LEAF_SPINE)
    return file


def test_unused_uplinks_come_with_their_remedy(trunkline, topology, tmp_path):
    made = trunkline("cluster", "import", "slurm", topology, "-o", tmp_path / "made.yaml")
    assert "leaves 1 of 12 links unused" in made.error
    assert "write 'paths: equal-cost' into the file: all of them are used then" in made.error
    assert "--paths equal-cost" in made.error
    for verb in ("check", "show"):
        assert "write 'paths: equal-cost' into the file" in trunkline("cluster", verb, tmp_path / "made.yaml").out
    text = (tmp_path / "made.yaml").read_text()
    (tmp_path / "made.yaml").write_text(text.replace("\nname:", "\npaths: equal-cost\nname:"))
    said = trunkline("cluster", "check", tmp_path / "made.yaml").out
    assert "spine1+1 for spine[1-2]" in said
    assert "spanning tree" not in said


def test_an_import_may_say_that_all_paths_are_used(trunkline, topology, tmp_path):
    words = ("cluster", "import", "slurm", topology, "--paths", "equal-cost", "-o", tmp_path / "made.yaml")
    assert "unused" not in trunkline(*words).error
    assert load_cluster(str(tmp_path / "made.yaml")).merged


def test_an_import_may_say_what_waits_at_ports(trunkline, refused, topology, tmp_path):
    words = ("cluster", "import", "slurm", topology, "-o", tmp_path / "made.yaml", "--queue")
    assert "Queues at ports of switches: 12MiB, as given" in trunkline(*words, "12MiB").error
    assert (tmp_path / "made.yaml").read_text().count("queue: 12MiB") >= 1
    assert "a port that holds nothing" in refused(*words, "0")


def test_a_ring_of_switches_has_no_such_remedy():
    text = (
        "trunkline: cluster/1\nname: ring\ndefaults: {rate: 1Gbit, latency: 1us}\nswitches: s[0-2]\n"
        "hosts:\n  - {hosts: a, switch: s0}\n  - {hosts: b, switch: s1}\n  - {hosts: c, switch: s2}\n"
        "links:\n  - {between: [s0, s1]}\n  - {between: [s1, s2]}\n  - {between: [s2, s0]}\n"
    )
    ring = _core.parse_cluster(text, "ring")
    assert ring.unused_links
    assert equal_cost_words(ring) == ""


def test_a_rate_says_what_it_makes_of_the_hosts_links(trunkline):
    said = trunkline("predict", "leaf-spine", "--rate", "10Gbit", "--sizes", "8KiB").error
    assert "--rate 10 Gbit/s is that of the fastest link" in said
    assert "hosts 10 Gbit/s, trunks 20 Gbit/s" in said
    assert trunkline("predict", "cyclic", "--rate", "10Gbit", "--sizes", "8KiB").error == ""


def test_a_picture_of_another_kind_is_refused(refused, tmp_path):
    said = refused("cluster", "show", "cyclic", "--svg", tmp_path / "x.png")
    assert "SVG is what is written, so name it" in said
    assert "x.svg" in said
    assert not (tmp_path / "x.png").exists()


def test_a_folder_that_is_made_is_told(trunkline, tmp_path):
    ran = trunkline("cluster", "show", "cyclic", "--svg", tmp_path / "new" / "x.svg")
    assert f"made the folder {tmp_path}/new" in ran.error
    assert "made" not in trunkline("cluster", "show", "cyclic", "--svg", tmp_path / "new" / "x.svg").error


def test_collectives_are_listed_in_one_order(refused):
    lists = {
        refused("plan", "cyclic", "--collective", word).partition("there are: ")[2] for word in ("bcats", "gatherv")
    }
    assert lists == {", ".join(_core.collectives())}


LINES = ("bcast", "reduce", "scan", "exscan")


@pytest.mark.parametrize("collective", [name for name in _core.collectives() if name not in LINES])
def test_a_plan_without_an_algorithm_is_one_that_would_run(trunkline, collective):
    ran = trunkline("plan", "random:64x8", "--collective", collective, "--json", "-")
    assert ran.status == 0, ran
    assert ran.error.startswith("auto, for 1 MiB: ")
    assert ran.data["shape"] != "linear"


def test_auto_can_be_laid_and_predicted(trunkline):
    laid = trunkline("plan", "cyclic", "--algorithms", "auto", "--sizes", "64KiB", "--json", "-").data
    (chosen,) = trunkline("explain", "cyclic", "--sizes", "64KiB", "--json", "-").data
    assert laid["shape"] == chosen["algorithm"]
    rows = trunkline("predict", "cyclic", "--algorithms", "auto,all", "--sizes", "64KiB", "--json", "-").data
    auto = next(row for row in rows if row["algorithm"] == "auto")
    assert auto["ran"] == chosen["algorithm"]
    assert auto["seconds_predicted"] == next(
        row["seconds_predicted"] for row in rows if row["algorithm"] == chosen["algorithm"]
    )


def test_tables_in_pipes_keep_their_columns(trunkline, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = trunkline("algorithms").out.splitlines()
    row = next(line for line in lines if line.split()[:1] == ["two-tree"])
    assert "two contention-free" in row
    assert "T(m/X)" in row, "description and cost are on the algorithm's own line"


def seen(words, **environment):
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    settings = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    command = [sys.executable, "-m", "trunkline", *words]
    with subprocess.Popen(command, stdout=theirs, env={**settings, "TERM": "xterm", **environment}) as process:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:
            pass  # that is how a terminal ends
        assert process.wait() == 0
    os.close(ours)
    return text.decode()


def test_a_terminal_that_open_mpi_makes_gets_no_colours():
    words = ["plan", "--cluster", "cyclic"]
    assert "\033[" in seen(words)
    assert "\033[" not in seen(words, OMPI_COMM_WORLD_RANK="0")
    assert "\033[" in seen(words, OMPI_COMM_WORLD_RANK="0", FORCE_COLOR="1")


@pytest.mark.parametrize(
    "words",
    [
        ("plan", "--cluster", "cyclic"),
        ("cluster", "show", "cyclic"),
        ("predict", "--cluster", "cyclic", "--sizes", "8KiB"),
        ("doctor", "--pays", "--cluster", "paper-1", "--sizes", "8KiB", "--collective", "bcast"),
        ("library",),
    ],
)
def test_pipes_get_no_colours(trunkline, monkeypatch, words):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    ran = trunkline(*words)
    assert ran.status == 0, ran
    assert "\033" not in ran.out + ran.error


def test_slurm_on_the_lab_says_that_it_needs_root(refused, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = refused("lab", "run", "--cluster", "paper-1", "--slurm", "--", "srun", "true")
    assert said.startswith("--slurm needs root: slurmd gives up")
    assert "sudo env PATH" in said


def test_the_name_that_open_mpi_gives_itself(trunkline):
    old = trunkline("simulate", "gains", "--help").out
    assert "ompi" not in old.replace("openmpi", "")
    rivals = ("simulate", "gains", "--cluster", "paper-1", "--sizes", "12XB", "--algorithms")
    said = [trunkline(*rivals, name).error for name in ("ompi", "openmpi")]
    assert said[0] == said[1] != ""


@pytest.mark.parametrize(
    "about",
    [
        *("UCX? RoCE?", "MPI_THREAD_MULTIPLE", "`han`", "5 of the cluster's 16 nodes", "mpiP or Score-P"),
        *("How wrong may a prediction be?", "latency of 10us right", "Intel MPI?", "conda or Spack", "Apptainer"),
        *("uninstall", "Where does the project live?", "Why did my job not get faster?"),
    ],
)
def test_the_first_questions_have_answers(about):
    page = (Path(__file__).resolve().parents[2] / "docs" / "faq.md").read_text()
    asked = re.findall(r"\*\*(.+?)\*\*", page)
    assert any(about in line for line in asked), asked


def test_a_folder_of_traces_that_may_not_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BadInput, match="cannot be read: permission denied"):
        find_job(str(tmp_path))


def test_long_times_have_a_unit():
    assert [us_text(value) for value in (12.34, 1234.5, 99_999.0, 178_762.4, 2.5e6)] == [
        *("12.3", "1234", "99999", "179 ms", "2.50 s")
    ]


def mpi_program(family):
    program = NATIVE / "libexec" / f"trunkline-bench-{family}"
    if family not in find_mpis() or not program.exists():
        pytest.skip(f"nothing was built for {family}")
    return program


@pytest.mark.parametrize(("linked", "asked"), [("openmpi", "mpich"), ("mpich", "openmpi")])
def test_a_program_of_another_library_is_told_which(refused, linked, asked):
    program = mpi_program(linked)
    mpi_program(asked)
    said = refused("lab", "run", "--cluster", "paper-1", "--mpi", asked, "--rate", "20Mbit", "--", program)
    assert said.startswith(f"{program} is linked to ")
    assert said.endswith(f"so it runs on {linked}, not on {asked}: --mpi {linked}")
    launchers.check_program_mpi(str(program), find_mpis()[linked])


def test_a_program_of_another_version_is_told_which(tmp_path):
    """Debian's MPICH has a name of its own, which no other MPICH has."""
    program = mpi_program("mpich")
    asked = replace(find_mpis()["mpich"], name="mpich-9", library=str(tmp_path / "libmpi.so"))
    with pytest.raises(BadInput, match=r"of mpich; mpich-9 has no library of that name: --mpi mpich, or build it with"):
        launchers.check_program_mpi(str(program), asked)
    (tmp_path / "libmpich.so").touch()
    launchers.check_program_mpi(str(program), asked)


def test_a_source_is_no_program(refused, tmp_path):
    source = tmp_path / "hello.c"
    source.touch()
    said = refused("lab", "run", "--cluster", "paper-1", "--mpi", "mpich", "--rate", "20Mbit", "--", source)
    assert said == f"cannot run '{source}': it may not be executed; compile a source, make a script chmod +x"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plam", "cyclic"), "has no sub-command 'plam'; the nearest is plan; there are: demo, "),
        (
            ("cluster", "import", "foo"),
            "cluster import' has no sub-command 'foo'; there are: slurm, slurm-job, lldp, simgrid",
        ),
        (("trace", "analyze"), "trace' has no sub-command 'analyze'; the nearest is analyse; there are: analyse, "),
    ],
)
def test_a_sub_command_that_is_not_there(refused, words, said):
    assert said in refused(*words)


def test_a_program_without_a_launcher(refused):
    program = mpi_program("mpich")
    said = refused("run", "--cluster", "cyclic", "--", program)
    assert said.startswith(f"{program} is an MPI program, which is one rank where nothing starts several")
    assert said.endswith(f"-- mpiexec -n 32 {program}")


@pytest.mark.parametrize(
    "words",
    [("-n", "2", "./hello"), ("-n2", "./hello"), ("--host", "n1,n2", "--", "./hello"), ("--ntasks=2", "./hello")],
)
def test_a_launchers_options_without_a_launcher(refused, words):
    said = refused("run", "--cluster", "cyclic", *words)
    name = words[0].partition("=")[0]
    assert said.startswith(f"'{name}' is an option of mpiexec or srun, which does not stand before it: write the ")
    job = " ".join(word for word in words if word != "--")
    assert said.endswith(f" run --cluster cyclic -- mpiexec {job}")


def test_another_unknown_option_is_no_launchers(trunkline):
    ran = trunkline("run", "--clster", "cyclic", "--", "mpiexec", "-n", "2", "./hello")
    assert (ran.status, "No such option: --clster" in ran.error) == (2, True)


def test_what_is_planned_is_told_in_the_readme():
    words = _core.planned_words()
    readme = " ".join((Path(__file__).resolve().parents[2] / "README.md").read_text().split())
    for name in _core.collectives():
        assert _core.facts_of(name).mpi_name in words
        assert _core.facts_of(name).mpi_name.removesuffix("_block").removesuffix("v") in readme
    for other in ("non-blocking", "persistent", "MPI_Gather", "MPI_Scatter", "MPI_Alltoall"):
        assert other in words
        assert other.removeprefix("MPI_").lower() in readme.lower()
