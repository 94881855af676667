import importlib
import pkgutil

import pytest
from borrowed import borrow

import trunkline_papers
from trunkline_papers.cli import main

theirs, of_papers = borrow("python"), borrow("python", "papers_conftest")
of_papers.main = main
trunkline, refused, measured_tables = theirs.trunkline, theirs.refused, theirs.measured_tables


def pytest_configure():
    """Before children are forked that would import it by themselves."""
    for module in pkgutil.walk_packages(trunkline_papers.__path__, "trunkline_papers."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


papers = of_papers.trunkline
"""Runs ``trunkline_papers`` in a process of its own."""


@pytest.fixture
def papers_refused(papers):
    """Runs a command of papers that must be refused as bad input; gives its one message."""

    def run(*words, **options):
        ended = papers(*words, **options)
        assert (ended.status, ended.out) == (2, ""), ended
        assert ended.error.startswith("trunkline_papers: ")
        return ended.error.removeprefix("trunkline_papers: ").rstrip("\n")

    return run
