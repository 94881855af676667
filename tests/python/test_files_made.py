"""Files made in folders that others may write to: no link that somebody has planted there is followed."""

import ast
import os
import re
import secrets
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from trunkline import _core
from trunkline.build_library import _log_of_failures
from trunkline.cli import trace as trace_command
from trunkline.cli.output import write_whole
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline.files import replace_file
from trunkline.lab import rate as rates
from trunkline.lab import running
from trunkline.mpi import Mpi
from trunkline.peers.rules import files as rules
from trunkline.peers.rules.job import PeerJob
from trunkline.peers.rules.rule import PeerRule

SOURCES = Path(__file__).resolve().parents[2] / "python" / "trunkline"


@pytest.fixture
def shared(tmp_path):
    """A folder in which a stranger plants links to ``victim``."""
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


@pytest.fixture
def victim(tmp_path):
    file = tmp_path / "victim"
    file.write_text("precious")
    yield file
    assert file.read_text() == "precious"


@pytest.fixture
def mask():
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(file):
    return stat.S_IMODE(file.stat().st_mode)


class TestReplacedFile:
    def test_a_new_one_takes_the_shells_mask(self, shared, mask):
        replace_file(shared / "new", "text\n")
        assert (shared / "new").read_text() == "text\n"
        assert mode(shared / "new") == 0o640
        assert [one.name for one in shared.iterdir()] == ["new"]

    def test_an_old_one_keeps_its_mode(self, shared, mask):
        (shared / "old").touch(0o600)
        (shared / "old").chmod(0o604)
        replace_file(shared / "old", "text")
        assert mode(shared / "old") == 0o604

    def test_a_link_is_replaced_and_its_mode_is_not_taken(self, shared, victim, mask):
        victim.chmod(0o666)
        (shared / "file").symlink_to(victim)
        replace_file(shared / "file", "text")
        assert not (shared / "file").is_symlink()
        assert mode(shared / "file") == 0o640

    def test_names_that_are_taken_are_left_alone(self, shared, victim, monkeypatch):
        numbers = iter(["a", "b"])
        monkeypatch.setattr(secrets, "token_hex", lambda _bytes: next(numbers))
        (shared / ".trunkline-a.part").symlink_to(victim)
        replace_file(shared / "file", "text")
        assert sorted(one.name for one in shared.iterdir()) == [".trunkline-a.part", "file"]

    def test_there_is_an_end_to_names(self, shared, victim, monkeypatch):
        monkeypatch.setattr(secrets, "token_hex", lambda _bytes: "a")
        (shared / ".trunkline-a.part").symlink_to(victim)
        with pytest.raises(BadInput, match="cannot write .*file: every name tried"):
            replace_file(shared / "file", "text")

    def test_a_pipe_is_not_replaced(self, shared):
        os.mkfifo(shared / "pipe")
        with pytest.raises(BadInput, match="it is not a regular file"):
            replace_file(shared / "pipe", "text")
        assert stat.S_ISFIFO((shared / "pipe").stat().st_mode)

    def test_a_long_name(self, shared):
        replace_file(shared / ("a" * 255), "text")

    def test_no_folder(self, shared):
        with pytest.raises(BadInput, match="cannot write .*file: No such file"):
            replace_file(shared / "none" / "file", "text")


class TestPlantedLinks:
    """Under the names that each command would have used."""

    def test_tuning_files(self, shared, victim):
        (shared / "tuning.yaml.part").symlink_to(victim)
        (shared / "tuning.yaml").symlink_to(victim)
        write_whole("text", shared / "tuning.yaml")
        assert (shared / "tuning.yaml").read_text() == "text\n"

    def test_rates(self, shared, victim, monkeypatch):
        monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
        (shared / "trunkline").mkdir()
        (shared / "trunkline" / f"lab-rates.json.{os.getpid()}").symlink_to(victim)
        rates.remember_rate(load_cluster("cyclic"), 2e7)
        assert not rates.cache_file().is_symlink()

    def test_rules_of_a_library(self, shared, victim):
        names = ["openmpi-5.rules", "openmpi-5-for-6.json"]
        for name in names:
            (shared / name).symlink_to(victim)
        lab = SimpleNamespace(cluster=load_cluster("paper-4"))
        job = PeerJob(lab, Mpi("openmpi", "openmpi", "5", "", "", ""), "bcast")
        rules.write_peer_rules(shared, job, [PeerRule(0, None)], "about")
        assert not any((shared / name).is_symlink() for name in names)

    def test_the_log_of_a_build(self, shared, victim, tmp_path):
        (tmp_path / "log").write_text("what the compiler said")
        (shared / "failed-build.log").symlink_to(victim)

        def build():
            with _log_of_failures(tmp_path / "log", shared):
                raise Failed(f"see {tmp_path / 'log'}")

        with pytest.raises(Failed, match=re.escape(str(shared / "failed-build.log"))):
            build()
        assert (shared / "failed-build.log").read_text() == "what the compiler said"

    def test_folders_of_confirmations(self, shared, tmp_path):
        (shared / "confirm-1").symlink_to(tmp_path / "nowhere")
        assert trace_command._new_folder(shared) == shared / "confirm-2"
        assert not (tmp_path / "nowhere").exists()


class TestLabsOfOthers:
    """A process that looks like a lab, with files that lead elsewhere."""

    @pytest.fixture
    def looks_like_a_lab(self, tmp_path, monkeypatch):
        process = tmp_path / "proc" / "7"
        kept = process / "root" / running.CLUSTER_FILE.relative_to("/")
        kept.parent.mkdir(parents=True)
        kept.write_text(_core.write_cluster(load_cluster("paper-4")))
        (process / "cmdline").write_bytes(running._INSIDE)
        monkeypatch.setattr(running, "Path", lambda place: tmp_path / "proc" if place == "/proc" else Path(place))

        def of_user(user):
            (process / "status").write_text(f"PPid:\t0\nUid:\t{user}\t{user}\t{user}\t{user}\nNSpid:\t7\t1\n")

        return of_user

    def test_are_left_alone(self, looks_like_a_lab):
        looks_like_a_lab(os.geteuid())
        assert [one.cluster.name for one in running.running_labs()] == ["paper-4"]
        looks_like_a_lab(os.geteuid() + 1)
        assert running.running_labs() == []


PRIVATE = "in a folder that this process has made, as a temporary one or by a mkdir() that fails where it is there"
OWN_SPACE = "within the lab's own file system"
NAMED = "what the user named, as the shell's > does"
MAKERS = {
    "bench/learning.py": PRIVATE,
    "cli/__init__.py": "/dev/null",
    "cli/monitor.py": NAMED,
    "cli/output.py": NAMED,
    "cli/trace.py": NAMED,
    "cmake.py": PRIVATE,
    "files.py": "under a name that no one can know, with O_EXCL and O_NOFOLLOW",
    "lab/host.py": OWN_SPACE,
    "lab/first_process.py": OWN_SPACE,
    "lab/slurm.py": OWN_SPACE,
    "monitor/history.py": "appended to, by O_NOFOLLOW",
    "search_mpis.py": PRIVATE,
    "simulate/engine.py": PRIVATE,
    "trace/suggest.py": PRIVATE,
}
"""Modules that make files, and why no link of another user's is followed there."""


def makes_a_file(node):
    """Whether an expression opens a file for writing, or copies one."""
    if isinstance(node, ast.Attribute) and node.attr == "O_CREAT":
        return True
    if not isinstance(node, ast.Call):
        return False
    is_method = isinstance(node.func, ast.Attribute)  # our own write_text() is a function
    name = node.func.attr if is_method else getattr(node.func, "id", "")
    words = [one.value for one in node.args[:2] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    opens = name == "open" and any(re.fullmatch("[wax]b?[+]?", word) for word in words)
    return opens or (is_method and name in {"write_text", "write_bytes", "touch", "copyfile"})


def test_every_module_that_makes_files_is_known_for_a_reason():
    found = set()
    for file in SOURCES.rglob("*.py"):
        nodes = ast.walk(ast.parse(file.read_text()))
        found |= {file.relative_to(SOURCES).as_posix() for node in nodes if makes_a_file(node)}
    assert found == set(MAKERS)
