"""``trunkline_papers``: the forms of ``trunkline``, what is refused before anything runs, and where it is not found."""

import os
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
import typer
from test_colours import test_every_colour_of_a_picture_has_one_for_dark_screens as check_colours
from test_command_line import FORMS, OTHER_NAMES, commands_in, faults_of, leaves, shell_lines

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.mpi import find_mpis
from trunkline_papers.cli import app
from trunkline_papers.pipelined.charts import height_curves
from trunkline_papers.pipelined.heights import Heights

ROOT = Path(__file__).resolve().parents[3]
needs_mpich = pytest.mark.skipif("mpich" not in find_mpis(), reason="there is no preload library for MPICH")
BENCH_MODEL = ("bench", "model", "--cluster", "cyclic", "--mpi", "mpich")
WITH_OPTION = {
    "model": BENCH_MODEL,
    "peers": ("bench", "peers", "--cluster", "cyclic", "--sizes", "8KiB"),
    "heights": ("bench", "heights"),
}


@pytest.fixture(scope="module")
def commands():
    return dict(leaves(typer.main.get_command(app)))


def test_every_sub_command_has_one_form_for_one_thing(commands):
    assert len(commands) == 15
    wrong = [
        (" ".join(words), name, one.metavar)
        for words, command in commands.items()
        for one in command.params
        for name in one.opts
        if OTHER_NAMES.match(name) or one.metavar not in FORMS.get(name, {one.metavar})
    ]
    assert wrong == []


PAGES = [*sorted(ROOT.glob("papers/**/*.md")), *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_commands_of_pages_are_in_the_new_form(page, commands):
    text = page.read_text().replace("trunkline ", "-").replace("trunkline_papers ", "trunkline ")
    wrong = [
        (line.strip(), faults)
        for line in shell_lines(text)
        for words in commands_in(line)
        if (faults := faults_of(words, commands))
    ]
    assert wrong == []


def test_no_command_of_papers_is_one_of_trunkline(trunkline, commands):
    for words in commands:
        ran = trunkline(*words, "--help")
        assert (ran.status, ran.out) == (2, ""), words
        assert "has no sub-command" in ran.error
    helps = " ".join(trunkline(*words, "--help").out for words in ((), ("bench",), ("simulate",), ("lab", "run")))
    assert not re.search(r"\b(lam|pvm|pentium|gsum|matmul)", helps, re.IGNORECASE)


def test_it_says_where_it_is_found(papers):
    assert "Found in a checkout of Trunkline alone" in " ".join(papers("--help").out.split())
    assert papers("--version").out == f"trunkline_papers {_core.__version__}\n"


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (WITH_OPTION["peers"], ("--report", "--markdown")),
        (("bench", "heights"), ("--json", "--svg")),
        (("bench", "wave-optimality"), ("--json", "--svg")),
        (BENCH_MODEL, ("--json", "--svg")),
        (("simulate", "matmul"), ("--json", "--svg")),
    ],
)
def test_every_long_command_looks_first(papers_refused, tmp_path, words, options):
    for option in options:
        assert "it is a folder" in papers_refused(*words, option, tmp_path)


@pytest.mark.parametrize("words", WITH_OPTION.values(), ids=WITH_OPTION)
def test_what_trunkline_does_not_run_is_refused_alike(papers_refused, words):
    known = ", ".join(_core.collectives())
    said = papers_refused(*words, "--collective", "bcats")
    assert said == f"there is no collective 'bcats'; the nearest is bcast; there are: {known}"


@pytest.mark.parametrize("words", WITH_OPTION.values(), ids=WITH_OPTION)
def test_help_names_the_choices(papers, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = " ".join(papers(*words[:2], "--help").out.replace("│", " ").split())
    assert f"The collective operation: {', '.join(_core.collectives())}." in text


def test_what_a_run_needs_is_told_before_a_lab_is_up(papers_refused, tmp_path):
    words = ("bench", "model", "--mpi", "mpich", "--rate", "20Mbit", "--cluster")
    assert "none.yaml" in papers_refused(*words, "paper-1", "--measured", tmp_path / "none.yaml")
    assert "random-1x1 has one host" in papers_refused(*words, "random:1x1")
    assert "0 bytes" in papers_refused(*words, "paper-1", "--sizes", "8,0")
    assert "at most 2147483647 bytes" in papers_refused(*words, "paper-1", "--sizes", "2GiB")


@needs_mpich
def test_a_launcher_that_is_gone(papers_refused, monkeypatch, tmp_path):
    gone = {name: replace(mpi, mpiexec=str(tmp_path / "mpiexec")) for name, mpi in find_mpis().items()}
    monkeypatch.setattr("trunkline.mpi.find_mpis", lambda: gone)
    assert "mpiexec is gone: mpich was there when Trunkline was built; " in papers_refused(*BENCH_MODEL, cwd=tmp_path)


@needs_mpich
def test_a_preload_library_that_was_not_built(papers_refused, monkeypatch, tmp_path):
    monkeypatch.setattr("trunkline.mpi.preload_library", lambda name: tmp_path / name)
    assert papers_refused(*BENCH_MODEL).startswith("no preload library was built for mpich; ")


@needs_mpich
def test_tables_of_another_library(papers_refused, measured_tables):
    tables = measured_tables(load_cluster("cyclic"), mpi="openmpi")
    message = papers_refused(*BENCH_MODEL, "--measured", tables)
    assert "was measured under openmpi 4.0.2, which says nothing about mpich; " in message


@needs_mpich
def test_a_comparison_that_cannot_be_kept(papers_refused, tmp_path):
    words = (*WITH_OPTION["peers"], "--peers", "mpich", "--json")
    assert "it is a folder" in papers_refused(*words, tmp_path)
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        assert "permission denied" in papers_refused(*words, tmp_path / "x.json")


def test_a_rate_without_a_value(papers_refused):
    said = papers_refused("simulate", "matmul", "--cluster", "paper-1", "--rate=")
    assert "--rate: its value is empty; give one, or leave --rate out" in said


def test_heights_of_random_clusters(papers, papers_refused):
    """By old names of their options."""
    words = ("bench", "heights", "--sizes", "12,16,64", "--machines-per-switch", "3", "--clusters", "4", "--json", "-")
    rows = papers(*words).data
    assert [row["machines"] for row in rows] == [12, 16, 64]
    assert {row["collective"] for row in rows} == {"bcast"}
    for row in rows:
        assert row["complete_tree_height"] <= row["mean_height_bound"] <= row["mean_height"]
        assert row["mean_height"] <= row["mean_height_algorithm_2"]
    assert rows[0]["optimal"] == 4  # of four clusters, which their names make the same ones every time
    assert rows[0]["mean_optimum"] <= rows[0]["mean_height"]
    assert rows[1]["optimal"] is None
    assert "--sizes: 'x' is not a whole number above zero" in papers_refused("bench", "heights", "--sizes", "x")


def test_colours_of_heights():
    def heights(machines):
        return Heights(**{one.name: 4 for one in fields(Heights)} | {"machines": machines})

    check_colours(lambda: height_curves([heights(16), heights(64)]))


def test_the_module_is_the_command():
    words = [sys.executable, "-m", "trunkline_papers", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"trunkline_papers {_core.__version__}\n"
