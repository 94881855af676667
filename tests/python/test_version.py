"""The version stands in one place, pyproject.toml, and everything else reads it."""

import re
import subprocess
import tomllib
from datetime import date
from pathlib import Path

from trunkline import __version__

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
HISTORY = ("CHANGELOG.md", "CITATION.cff", "docs/", "examples/", "papers/", "tests/fuzz/", "tools/", "share/")
"""Names what was at some time, or other projects; what is generated from the version."""


def test_the_command_has_it(trunkline):
    assert trunkline("--version").out.split() == ["trunkline", VERSION]


def test_so_has_what_was_compiled():
    assert __version__ == VERSION


def test_no_other_file_has_it():
    pattern = re.compile(rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    files = [ROOT / name for name in listed if name and not name.startswith(HISTORY)]
    assert len(files) > 100
    found = [
        str(file.relative_to(ROOT))
        for file in files
        if file.is_file() and pattern.search(file.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == ["pyproject.toml"]


def test_the_documents_name_this_one():
    """Files of a release have it in their names."""
    named = set(re.findall(r"trunkline[-_](\d+\.\d+\.\d+)", (ROOT / "docs" / "install.md").read_text()))
    assert named <= {VERSION}


def test_who_cites_it_and_who_reads_what_changed_find_this_one():
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE).group(1) == VERSION
    released = re.search(r"^date-released: (\d{4})-(\d\d)-(\d\d)$", citation, re.MULTILINE)
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    day = date(*map(int, released.groups()))
    assert f"{VERSION}, {day:%-d %B %Y}" in headings
