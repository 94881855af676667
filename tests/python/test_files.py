"""Files from outside that are not what they should be: every command says so, and none shows a traceback."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from trunkline import files, remote_shell

# Imported once, not by every command that a test starts.
from trunkline.cli import bench, cluster, lab, plan, predict, simulate, trace, tune  # noqa: F401
from trunkline.doctor import stated_switches
from trunkline.errors import BadInput
from trunkline.remote_shell import SaysTooMuch, answer_of, ask_all
from trunkline.sources.faults import Faults, Place

BAD = {
    "binary": bytes(range(256)) * 12,
    "empty": b"",
    "cut": b'[{"collective": "bcast", "clus',
    "other": b'{"a": 1}\n',
    "deep": b"[" * 100_000,
}
KINDS = [*BAD, "folder", "loop", "long", "endless", "line", "silent"]


@pytest.fixture
def bad_file(tmp_path, monkeypatch):
    """Makes a file of one kind; gives its name."""
    monkeypatch.setattr(files, "_SILENCE_S", 0.2)

    def make(kind):
        file = tmp_path / "given"
        if kind in BAD:
            file.write_bytes(BAD[kind])
        elif kind == "folder":
            file.mkdir()
        elif kind == "loop":
            file.symlink_to(file)
        elif kind == "endless":
            file.symlink_to("/dev/zero")
        elif kind == "line":
            with file.open("wb") as opened:
                opened.truncate(files.LARGEST_TEXT + 1)
        elif kind == "silent":
            os.mkfifo(file)
        return "a" * 300 if kind == "long" else str(file)

    return make


COMMANDS = [
    "cluster check FILE",
    "cluster export FILE --format yaml",
    "cluster import slurm FILE",
    "cluster import slurm-job FILE",
    "cluster import lldp FILE",
    "cluster import simgrid FILE",
    "cluster fit --cluster two-site --pairs FILE",
    "doctor --slurm FILE --cluster paper-4",
    "doctor --lldp FILE --cluster paper-4",
    "monitor --cluster FILE --pairs FILE --once",
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


@pytest.mark.parametrize("kind", ["slurm", "slurm-job", "lldp"])
def test_input_without_end(kind):
    words = [sys.executable, "-m", "trunkline", "cluster", "import", kind, "-", "--rate", "1Gbit"]
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run(words, stdin=endless, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "standard input: is larger than 64 MiB, more than any such file that Trunkline reads" in done.stderr


class TestPipes:
    """A pipe may stand for a file, as in a shell's <(command)."""

    @pytest.fixture
    def pipe(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        return tmp_path / "pipe"

    def test_is_read_to_its_end(self, pipe):
        text = "x" * 300_000 + "\n"
        writer = threading.Thread(target=pipe.write_text, args=(text,))
        writer.start()
        assert files.read_text(str(pipe)) == text
        writer.join()

    def test_one_without_end_is_refused(self, pipe):
        writer = subprocess.Popen(["sh", "-c", f"exec yes > '{pipe}'"], stderr=subprocess.DEVNULL)
        try:
            with pytest.raises(BadInput, match="is larger than 64 MiB"):
                files.read_text(str(pipe))
        finally:
            writer.kill()
            writer.wait()

    def test_one_that_says_nothing_is_refused(self, pipe, monkeypatch):
        monkeypatch.setattr(files, "_SILENCE_S", 0.2)
        for mode in (os.O_RDWR, os.O_RDONLY | os.O_NONBLOCK):  # with one who could write, and without
            held = os.open(pipe, mode)
            with pytest.raises(BadInput, match=r"nothing has come from this pipe for 0\.2 s, nor has it ended"):
                files.read_text(str(pipe))
            os.close(held)


class TestRegularFiles:
    def test_no_others_are_opened(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        for file in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
            with pytest.raises(BadInput, match="is not a regular file"), files.open_regular(file):
                pass
        with pytest.raises(FileNotFoundError), files.open_regular(tmp_path / "none"):
            pass

    def test_have_a_bound(self, tmp_path):
        (tmp_path / "file").write_text("1234")
        assert files.read_regular_text(tmp_path / "file", 4) == "1234"
        with pytest.raises(BadInput, match="is larger than 0 MiB"):
            files.read_regular_text(tmp_path / "file", 3)


class TestAnswers:
    """Of other programs, on other hosts too."""

    def test_output_error_and_status(self):
        done = answer_of(["sh", "-c", "echo out; echo error >&2; printf '\\377'; exit 3"], 60)
        assert (done.stdout, done.stderr, done.returncode) == ("out\n\N{REPLACEMENT CHARACTER}", "error\n", 3)

    def test_one_without_end(self, monkeypatch):
        monkeypatch.setattr(remote_shell, "LONGEST_ANSWER", 1 << 20)
        for stream in (1, 2):
            with pytest.raises(SaysTooMuch, match="the answer is longer than 1 MiB"):
                answer_of(["sh", "-c", f"exec yes >&{stream}"], 60)

    @pytest.mark.parametrize("script", ["exec sleep 600", "exec >/dev/null 2>&1; exec sleep 600"])
    def test_one_that_does_not_come(self, script):
        with pytest.raises(subprocess.TimeoutExpired):
            answer_of(["sh", "-c", script], 0.2)

    def test_a_host_that_never_stops(self, tmp_path, monkeypatch):
        monkeypatch.setattr(remote_shell, "LONGEST_ANSWER", 1 << 20)
        ssh = tmp_path / "ssh"
        ssh.write_text("#!/bin/sh\nexec yes\n")
        ssh.chmod(0o755)
        assert ask_all(str(ssh), ["h0"], ["lldpcli"]) == ["the answer is longer than 1 MiB"]

    def test_a_daemon_that_never_stops(self, tmp_path, monkeypatch):
        monkeypatch.setattr(remote_shell, "LONGEST_ANSWER", 1 << 20)
        (tmp_path / "lldpcli").write_text("#!/bin/sh\nexec yes\n")
        (tmp_path / "lldpcli").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        assert stated_switches.lldp_here("h0") is None


class TestFaults:
    """How much is told of a file with many faults has a bound."""

    def test_are_not_told_without_end(self):
        faults = Faults()

        def add_for_ever():
            line = 1
            while True:
                faults.add(Place("file", line, 1), f"wrong {line}")
                line += 1

        with pytest.raises(BadInput) as refused:
            add_for_ever()
        lines = str(refused.value).splitlines()
        assert lines[0].startswith("1000 faults")
        assert lines[-2:] == ["file:1000:1: wrong 1000", "file: what comes behind these is not looked at"]

    def test_of_many_kinds_either(self):
        faults = Faults()

        def add_kinds():
            for number in range(10_000):
                faults.add_alike(f"kind {number}", Place("file"), "wrong")

        with pytest.raises(BadInput, match="not looked at"):
            add_kinds()

    def test_with_a_part_of_the_file_are_cut(self, refused, tmp_path):
        (tmp_path / "topology.conf").write_text(f"SwitchName=s0 Nodes={'n,' * 100_000}\n")
        message = refused("cluster", "import", "slurm", "topology.conf", "--rate", "1Gbit", cwd=tmp_path)
        assert len(message) < 2500
        assert message.startswith("topology.conf:1:21: Nodes=n,n,")

    def test_of_a_line_with_many_keys_take_no_longer_than_the_line(self, refused, tmp_path):
        """Each key had the rest of its line copied: a line of 8 MiB took hours."""
        (tmp_path / "topology.conf").write_text("SwitchName=s0 " + "# \\\n" + "Nodes=a\t" * 3 + "b=c " * (2 << 20))
        assert "b" in refused("cluster", "import", "slurm", "topology.conf", "--rate", "1Gbit", cwd=tmp_path)
