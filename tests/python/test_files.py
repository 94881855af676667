"""Files from outside that are not what they should be: every command says so, and none shows a traceback."""

import pytest

# Imported once, not by every command that a test starts.
from trunkline.cli import bench, bench_peers, cluster, lab, plan, predict, simulate, trace, tune  # noqa: F401

BAD = {
    "binary": bytes(range(256)) * 12,
    "empty": b"",
    "cut": b'[{"collective": "bcast", "clus',
    "other": b'{"a": 1}\n',
    "deep": b"[" * 100_000,
}
KINDS = [*BAD, "folder", "loop", "long"]


@pytest.fixture
def bad_file(tmp_path):
    """Makes a file of one kind; gives its name."""

    def make(kind):
        file = tmp_path / "given"
        if kind in BAD:
            file.write_bytes(BAD[kind])
        elif kind == "folder":
            file.mkdir()
        elif kind == "loop":
            file.symlink_to(file)
        return "a" * 300 if kind == "long" else str(file)

    return make


COMMANDS = [
    "cluster check FILE",
    "cluster export FILE --format yaml",
    "cluster import slurm FILE",
    "cluster import lldp FILE",
    "cluster import simgrid FILE",
    "plan FILE",
    "plan lay paper-4 --plan FILE",
    "plan show FILE",
    "plan edit FILE reroot --rank 0 -o -",
    "predict FILE --mpi mpich",
    "predict paper-4 --mpi mpich --measured FILE",
    "explain paper-4 --mpi mpich --tuning FILE",
    "explain paper-4 --mpi mpich --measured FILE",
    "explain paper-4 --mpi mpich --plan FILE",
    "generate FILE -o -",
    "run --cluster FILE -- mpiexec -n 2 true",
    "tune --cluster paper-4 --mpi mpich -o - --merge FILE",
    "bench bcast --cluster paper-4 --mpi mpich --tuning FILE",
    "simulate bcast --cluster paper-4 --compare FILE",
    "simulate gains --cluster FILE",
    "lab run FILE --mpi mpich -- true",
    "trace analyse FILE",
    "trace export FILE --format perfetto -o out",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_file_ends_in_a_traceback(refused, bad_file, tmp_path, command):
    for kind in KINDS:
        place = tmp_path / kind
        place.mkdir()
        file = bad_file(kind)
        assert refused(*[file if word == "FILE" else word for word in command.split()], cwd=place), kind
        if kind != "long":
            given = tmp_path / "given"
            given.rmdir() if kind == "folder" else given.unlink()
