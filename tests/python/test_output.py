"""What every sub-command does alike: its help, and to say before anything runs whether results can be written."""

import subprocess
import sys
from pathlib import Path

import pytest

from trunkline.cli.output import check_outputs
from trunkline.errors import BadInput


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("bench", "bcast", "--cluster", "cyclic", "--mpi", "mpich"), ("--json", "--report")),
        (("tune", "--cluster", "cyclic", "--mpi", "mpich"), ("--output",)),
        (("tune", "--cluster", "cyclic", "--mpi", "mpich", "-o", "-"), ("--json", "--report")),
        (("simulate", "bcast", "--cluster", "random:1024x64", "--sizes", "16MiB"), ("--json",)),
        (("lab", "check", "cyclic"), ("--json",)),
        (("demo",), ("--json", "--report")),
        (("predict", "cyclic"), ("--json", "--svg")),
        (("plan", "cyclic", "--collective", "bcast", "--shape", "binary"), ("--output", "--json", "--svg")),
        (("cluster", "show", "cyclic"), ("--json", "--svg")),
        (("trace", "analyse", "nowhere"), ("--json", "--html")),
    ],
)
def test_every_long_command_looks_first(refused, tmp_path, words, options):
    for option in options:
        assert "it is a folder" in refused(*words, option, tmp_path)


def test_no_place_to_write():
    for file, reason in (("/", "it is a folder"), ("/dev/null/x/y", "/dev/null is no folder")):
        with pytest.raises(BadInput, match=reason):
            check_outputs({"--json": file})


def test_a_folder_that_may_not_be_looked_into(monkeypatch, tmp_path):
    def exists(path):
        if path.name == "file":
            raise PermissionError(13, "Permission denied")
        return True

    monkeypatch.setattr(Path, "exists", exists)
    with pytest.raises(BadInput, match="cannot write .*file: Permission denied"):
        check_outputs({"--json": str(tmp_path / "file")})


def test_one_result_on_standard_output(refused):
    check_outputs({"--json": "-", "--svg": None})
    message = refused("cluster", "show", "cyclic", "--json", "-", "--svg", "-")
    assert message == "only one of --svg and --json can go to standard output; name a file for the other"


@pytest.mark.parametrize("words", [(), ("plan",), ("lab", "run"), ("cluster", "import", "lldp"), ("simulate", "bcast")])
def test_the_short_word_for_help(trunkline, words):
    short, long = trunkline(*words, "-h"), trunkline(*words, "--help")
    assert (short.status, short.error) == (0, "")
    assert short.out == long.out
    assert "Usage: " in short.out


def test_commands_that_draw_nothing_and_need_no_lab_load_nothing_for_it():
    """Loading both takes longer than most commands do."""
    program = "import sys, trunkline.cli; print(*{'matplotlib', 'pyroute2'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "\n"
