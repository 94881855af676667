"""A kind of plan, an algorithm and a collective that are there for tests alone (tests/toys): a folder and a row each.

They go wherever the real ones go. CONTRIBUTING.md says what is to be added; whatever else had to be would fail here.
"""

import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import BUILD, ON_OWN_HOST, ROOT, Mpi

TOYS = ROOT / "tests" / "toys"
BUILT = BUILD / "tests" / "toys"
COLLECTIVES = ("announce", "bcast")
CLUSTER = """\
trunkline: cluster/1
name: toys
defaults: {rate: 100Mbit, latency: 10us}
switches: [s0, s1]
hosts:
  - {hosts: 'h[0-1]', switch: s0}
  - {hosts: 'h[2-3]', switch: s1}
links:
  - between: [s0, s1]
"""


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    file = tmp_path / "toys.yaml"
    file.write_text(CLUSTER)
    return str(file)


@functools.cache
def server() -> subprocess.Popen[str]:
    """Runs commands, until the tests end."""
    program = [sys.executable, TOYS / "command.py", "serve"]
    return subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ran(words: Sequence[str | Path], status: int = 0) -> tuple[str, str]:
    """What the command that knows the toys printed, and what it said of errors."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("printed", "errors")]
        asked = server()
        assert asked.stdin is not None
        assert asked.stdout is not None
        print(json.dumps([str(word) for word in (*files, *words)]), file=asked.stdin, flush=True)
        ended = asked.stdout.readline().strip()
        printed, errors = (file.read_text() for file in files)
    assert ended == str(status), printed + errors
    return printed, errors


def command(*words: str | Path, status: int = 0) -> str:
    """What people read."""
    return " ".join("".join(ran(words, status)).split())


def data(*words: str | Path) -> list[dict[str, object]]:
    return json.loads(ran([*words, "--json", "-"])[0])


def test_each_list_has_one_more_row():
    known = data("algorithms")
    assert [row["collective"] for row in known if row["name"] == "shout"] == ["bcast", "announce"]
    assert {"linear", "two-tree", "binomial"} <= {row["name"] for row in known if row["collective"] == "announce"}


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_it_is_laid_written_read_and_drawn(cluster: str, collective: str, tmp_path: Path):
    plan = tmp_path / "plan.yaml"
    words = ("--collective", collective, "--algorithm", "shout", "--root", "h2")
    assert "h2 shouts" in command("plan", cluster, *words, "-o", plan, "--svg", tmp_path / "plan.svg")
    assert "shouts: 2" in plan.read_text()
    assert "<svg" in (tmp_path / "plan.svg").read_text()
    assert f"{collective}, shout over toys from rank 2 (h2): 4 ranks, heard by 3" in command(
        "plan", "show", plan, "--cluster", cluster
    )


def test_a_faulty_plan_file_is_refused_where_it_is_wrong(cluster: str, tmp_path: Path):
    plan = tmp_path / "plan.yaml"
    command("plan", cluster, "--collective", "announce", "--algorithm", "shout", "-o", plan)
    text = plan.read_text().replace("shouts: 0", "shouts: 4")
    plan.write_text(text)
    line = text.splitlines().index("shouts: 4") + 1
    assert f"plan.yaml:{line}:9: there is no such rank" in command("plan", "show", plan, status=2)
    plan.write_text(text.replace("collective: announce", "collective: reduce"))
    command("plan", "show", plan, status=2)


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_it_is_predicted_explained_and_chosen(cluster: str, collective: str):
    words = (cluster, "--collective", collective, "--sizes", "64KiB")
    (predicted,) = [row for row in data("predict", *words) if row["algorithm"] == "shout"]
    (explained,) = data("explain", *words)
    assert explained["algorithm"] == "shout"
    assert predicted["seconds_predicted"] == pytest.approx(65536 * 8 / 100e6, rel=0.1)  # heard by all at once


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_it_is_simulated(cluster: str, collective: str):
    words = ("--cluster", cluster, "--sizes", "64KiB", "--algorithms", "auto,shout,linear")
    rows = {row["algorithm"]: row for row in data("simulate", collective, *words)}
    assert rows["auto"]["ran"] == "shout"
    assert (
        rows["auto"]["seconds_median"] == rows["shout"]["seconds_median"] > rows["linear"]["seconds_median"]
    )  # there is no air


def run(settings: dict[str, str], status: int = 0) -> str:
    mpi = Mpi("mpich", ("mpiexec.mpich",))
    library = BUILT / "native" / "lib" / "libtrunkline-mpich.so"
    outcome = mpi.run(
        4, BUILT / "toys-program", settings=settings, per_rank=[ON_OWN_HOST], preload=library, status=status
    )
    assert "0 wrong" in outcome.out
    return outcome.err


def test_it_runs(cluster: str):
    said = run({"TRUNKLINE_CLUSTER": cluster, "TRUNKLINE_EXPLAIN": "1"}).splitlines()
    for root in range(4):
        for name in ("MPI_Announce", "MPI_Bcast"):
            assert any(f"{name} of 64KiB from rank {root} on 4 ranks ran shout" in line for line in said), said


@pytest.mark.parametrize("wish", ["native", "shout", "two-tree:1KiB", "linear"])
def test_a_setting_of_its_own_name_chooses(cluster: str, wish: str):
    said = run({"TRUNKLINE_CLUSTER": cluster, "TRUNKLINE_EXPLAIN": "1", "TRUNKLINE_ANNOUNCE": wish})
    assert f"MPI_Announce of 64KiB from rank 0 on 4 ranks ran {wish.partition(':')[0]}" in said


def test_its_trace_is_read(cluster: str, tmp_path: Path):
    folder = tmp_path / "trace"
    run({"TRUNKLINE_CLUSTER": cluster, "TRUNKLINE_TRACE": str(folder)})
    found = data("trace", "analyse", folder)
    text = json.dumps(found)
    assert '"announce"' in text
    assert '"shout"' in text
    command("trace", "export", folder, "--format", "perfetto", "-o", tmp_path / "perfetto.json")
    refused = command("trace", "export", folder, "--format", "otf2", "-o", tmp_path / "archive", status=2)
    assert "OTF2 has no operation for calls of 'announce'" in refused
