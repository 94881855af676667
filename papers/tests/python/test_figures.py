"""``trunkline_papers figures``: which there are, what is made, what is there already, and what fails."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import test_document_commands

from trunkline import cli
from trunkline_papers.cli import app
from trunkline_papers.figures import Made, every_figure, make_figure
from trunkline_papers.peers.figures import figure_names

EVERY = {one.name: one for one in every_figure()}


def test_every_paper_has_figures():
    assert len({one.paper for one in EVERY.values()}) == 4
    assert len(EVERY) == len(every_figure())
    assert set(figure_names()) < set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_the_parser_takes_every_command(name, monkeypatch):
    one = EVERY[name]
    monkeypatch.setattr(test_document_commands, "cli", SimpleNamespace(app=app) if one.module != "trunkline" else cli)
    assert test_document_commands.fault_of(["trunkline", *one.words]) == ""


def test_what_is_there_is_not_made_again(papers, tmp_path):
    words = ("figures", "--only", "broadcast-10,table-3", "--folder", tmp_path)
    first = papers(*words)
    assert first.status == 0, first.error
    assert "2 made, 0 were there" in first.error
    assert "barrier" in (tmp_path / "broadcast-10.txt").read_text()
    (tmp_path / "table-3.txt").unlink()
    assert "1 made, 1 were there" in papers(*words).error
    listed = papers("figures", "--list", "--folder", tmp_path).error
    assert [line.split()[-1] for line in listed.splitlines() if line.split()[:1] == ["table-3"]] == ["yes"]
    assert "broadcast-12" in listed
    assert "broadcast-12" not in papers("figures", "--list", "--without-lab").error


def test_a_figure_that_fails_is_told_and_made_again(tmp_path):
    one = Made("wrong", "no paper", ["bench", "heights", "--hosts", "x"])
    assert "'x' is not a whole number above zero" in make_figure(one, tmp_path)
    assert not one.said(tmp_path).exists()
    assert [file.name for file in tmp_path.iterdir()] == ["wrong.failed"]


def test_wrong_names_are_refused(papers_refused):
    assert papers_refused("figures", "--only", "heights,nine").startswith(
        "--only: there is no figure 'nine'; there are: heights, "
    )
    assert papers_refused("program", "hello") == "there is no program 'hello'; there are: gsum, lu, matmul"


def test_where_a_program_is(papers, papers_refused, monkeypatch, tmp_path):
    assert Path(papers("program", "gsum", "--mpi", "mpich").out.strip()).name == "trunkline-gsum-mpich"
    monkeypatch.setattr("trunkline_papers.paths.PROGRAMS", tmp_path)
    assert "'make papers-programs' builds it, where there is a BLAS" in papers_refused("program", "matmul")
