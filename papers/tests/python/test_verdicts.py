"""Verdicts: one on each figure, table and number of the list, our figures from files or pages, and the pages."""

import importlib
import json
import re
from pathlib import Path

import pytest
import yaml

from trunkline.errors import BadInput
from trunkline_papers.figures import every_figure
from trunkline_papers.verdicts import rows as lists
from trunkline_papers.verdicts.page import first_page, page_of
from trunkline_papers.verdicts.results import KEPT, Results
from trunkline_papers.verdicts.rows import ALIKE, NOT_MEASURED, Paper, papers

ROOT = Path(__file__).resolve().parents[3]
STATED = {"allreduce": (21, 5), "pipelined-journal": (18, 4), "pipelined-conference": (12, 1), "multicast": (5, 0)}
"""Figures and tables, counted in the papers."""
ROWS = {paper: list(paper.rows(Results())) for paper in papers()}
EVERY = [row for found in ROWS.values() for row in found]
names = [f"{row.paper_name}, {row.of}" for row in EVERY]


def test_the_papers_have_so_many_figures_and_tables():
    found = {paper.name: (paper.figures, paper.tables) for paper in papers()}
    assert found == {**STATED, "grid": (4, 0)}


@pytest.mark.parametrize("paper", papers(), ids=[paper.name for paper in papers()])
def test_there_is_one_verdict_on_each_thing_of_the_list(paper):
    assert sorted(paper.written) == sorted(paper.stated)
    assert len(set(paper.numbers)) == len(paper.numbers)
    assert [row.of for row in ROWS[paper]] == paper.stated


NUMBERS_OF_THE_REFERENCE = {
    "allreduce": (
        "1.49",
        "1.20",
        "1.37",
        "1.18",
        "2.44",
        "1.07",
        "1.10",
        "1.05",
        "1.23",
        "1.17",
        "1.08",
        "1.46",
        "1193",
    ),
    "pipelined-journal": ("7.8", "8.7", "24.3", "27.8", "47.2", "57.4", "87.4"),
    "pipelined-conference": ("107.3", "409.7"),
    "grid": ("7.3", "1.6", "1 + 5 Delta", "2 + 3 Delta"),
}


@pytest.mark.parametrize("name", NUMBERS_OF_THE_REFERENCE)
def test_what_the_papers_state_is_named(name):
    said = " ".join(f"{row.claim} {row.paper}" for row in EVERY if row.paper_name == name)
    assert [number for number in NUMBERS_OF_THE_REFERENCE[name] if number not in said] == []


UNITS = "KiB|MiB|B|MB|bytes|hosts|machines|switches|receivers|threads|processors|Mbit/s|GFLOP/s"
LABELS = re.compile(
    r"\{[^}]*\}|`[^`]*`|\d+-ary|Algorithm \d|threads? \d+|\w*[A-Za-z]\d\w*(?:-\d)?|"
    rf"(?<![\d.])\d[\d.]*(?: \d{{3}})*(?:,? (?:{UNITS})\b)"
)
"""Of what is a name or a size, and no result."""


@pytest.mark.parametrize("row", EVERY, ids=names)
def test_our_figures_are_from_files_or_stand_on_a_page(row):
    """Each number that no file gave is on a page that the row names."""
    written = next(paper for paper in papers() if paper.name == row.paper_name).written[row.of]
    typed = LABELS.sub(" ", written["ours"])
    pages = " ".join([row.claim, row.paper, *((ROOT / "papers" / page).read_text() for page in row.pages)])
    lost = [
        number for number in re.findall(r"\d+(?:\.\d+)?", typed) if not re.search(rf"(?<![\d.]){number}(?![\d])", pages)
    ]
    assert lost == [] or row.verdict == NOT_MEASURED, f"{row.ours}: not on {row.pages}: {lost}"


@pytest.mark.parametrize("row", EVERY, ids=names)
def test_a_verdict_that_differs_says_why(row):
    assert row.claim
    assert row.ours
    assert row.verdict == ALIKE or row.because
    assert row.verdict == NOT_MEASURED or row.how or row.pages or row.ours.startswith("as in the journal")


def test_files_are_those_that_make_papers_writes():
    made = {word for one in every_figure() for word in one.words if word.endswith(".json")}
    for file in KEPT.glob("*.json"):
        assert f"{{out}}/{file.name}" in made
    used = set(re.findall(r"json: ([\w+-]+)", "".join(file.read_text() for file in lists.FOLDER.glob("*.yaml"))))
    used |= set(re.findall(r'"(threads-[\w+-]+): ', "".join(file.read_text() for file in lists.FOLDER.glob("*.yaml"))))
    assert {file.stem for file in KEPT.glob("*.json")} == used


def test_pages_are_what_the_command_writes():
    assert lists.FOLDER.with_suffix(".md").read_text() == first_page(ROWS), "trunkline_papers verdicts --pages"
    for paper, found in ROWS.items():
        page = lists.FOLDER / f"{paper.name}.md"
        assert page.read_text() == page_of(paper, found), "trunkline_papers verdicts --pages"
        assert len(page.read_text().splitlines()) < 150


def a_paper(**verdict):
    given = {"claim": "c", "ours": "o", "verdict": ALIKE, **verdict}
    return Paper("p", "P", 1, 0, (), {"figure 1": {key: value for key, value in given.items() if value is not None}})


def test_a_number_makes_the_verdict(tmp_path):
    (tmp_path / "mine.json").write_text(json.dumps([{"kind": "a", "gain": 1.2, "us": 3}, {"kind": "b", "gain": 2.0}]))
    source = {"json": "mine", "where": {"kind": "a"}, "key": "gain"}
    results = Results(tmp_path)
    said = {"verdict": None, "ours": "{x:.2f}", "values": {"x": source}, "because": "of {x:.1f}"}
    (row,) = a_paper(number=1.49, **said).rows(results)
    assert (row.verdict, row.ours, row.because, results.made) == ("less", "1.20", "of 1.2", {"mine"})
    (row,) = a_paper(number=1.2, **said).rows(results)
    assert row.verdict == ALIKE
    assert results.value({**source, "times": 10, "over": {"json": "mine", "where": {"kind": "b"}, "key": "gain"}}) == 6
    with pytest.raises(BadInput, match="has no number 'loss'"):
        results.value({**source, "key": "loss"})
    with pytest.raises(BadInput, match="2 lines have {}, where one is meant"):
        results.value({"json": "mine", "key": "gain"})
    with pytest.raises(BadInput, match=r"none\.json is missing; 'trunkline_papers figures --only none' makes it"):
        results.value("none: x")


@pytest.mark.parametrize(
    ("verdict", "message"),
    [
        ({"verdict": "fine"}, "'fine' is no verdict; there are: as in the paper, more, less, differs, not measured"),
        ({"verdict": "less"}, "figure 1: it does not say why it is 'less'; give 'because'"),
        ({"figures": {}}, "there is no key 'figures'; there are: because, claim,"),
    ],
)
def test_a_faulty_verdict_is_told(verdict, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        list(a_paper(**verdict).rows(Results()))


def test_the_command(papers, papers_refused, tmp_path, monkeypatch):
    file = tmp_path / "threads-blade.json"
    file.write_text((KEPT / file.name).read_text().replace('"here": 0.98', '"here": 0.68'))
    ran = papers("verdicts", "--only", "allreduce", "--folder", tmp_path, "--json", "-")
    by_name = {row["of"]: row for row in ran.data}
    assert by_name["gain of Blade"]["ours"].startswith("0.68 over the quad tree")
    assert f"From {tmp_path}: threads-blade. All else is as kept." in " ".join(ran.error.split())
    assert papers_refused("verdicts", "--only", "nine").startswith(
        "--only: there is no paper 'nine'; there are: allreduce,"
    )
    assert papers_refused("verdicts", "--pages", "--only", "grid").startswith("--pages: pages have all papers")


def test_pages_are_written_where_the_list_is(monkeypatch, tmp_path):
    command = importlib.import_module("trunkline_papers.cli.verdicts")  # the function of its name hides it
    monkeypatch.setattr(command, "FOLDER", tmp_path / "verdicts")
    (tmp_path / "verdicts").mkdir()
    command._write_pages(ROWS)
    assert (tmp_path / "verdicts.md").read_text() == first_page(ROWS)
    written = sorted(file.stem for file in (tmp_path / "verdicts").iterdir())
    assert written == sorted(yaml.safe_load((lists.FOLDER / "papers.yaml").read_text()))
