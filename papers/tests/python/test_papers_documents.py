"""Pages of papers: their links, what they name, their length."""

import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest
import test_document_commands
from test_documents import dead_links, lost_places

from trunkline_papers.cli import app

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(ROOT.glob("papers/**/*.md"))
names = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_links_lead_somewhere(page):
    assert dead_links(page) == []


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_what_pages_name_is_there(page):
    assert lost_places(page) == []


WITH_COMMANDS = [*PAGES, *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=[str(page.relative_to(ROOT)) for page in WITH_COMMANDS])
def test_the_parser_takes_every_command_of_papers(page, monkeypatch):
    monkeypatch.delenv("TRUNKLINE_CLUSTER", raising=False)
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(test_document_commands, "cli", SimpleNamespace(app=app))
    commands = test_document_commands.shell_commands(page.read_text())
    own = [["trunkline", *words[1:]] for words in commands if words[0] == "trunkline_papers"]
    wrong = [(shlex.join(words), fault) for words in own if (fault := test_document_commands.fault_of(words))]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_other_commands_of_pages_are_there(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    commands = test_document_commands.shell_commands(page.read_text())
    wrong = [(shlex.join(words), fault) for words in commands if (fault := test_document_commands.fault_of(words))]
    assert wrong == []


def test_the_first_page_leads_to_every_page():
    text = (ROOT / "papers" / "README.md").read_text()
    pages = [*ROOT.glob("papers/*.md"), *ROOT.glob("papers/results/*.md")]
    assert [str(page) for page in pages if f"({page.relative_to(ROOT / 'papers')}" not in text] == [
        str(ROOT / "papers" / "README.md")
    ]
