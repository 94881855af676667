"""Rooms of the command import those below them alone, as docs/architecture.md says."""

import ast
from pathlib import Path

import pytest

import trunkline

ROOT = Path(trunkline.__file__).parent
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "architecture.md"
LAYERS = DOCUMENT.read_text().partition("### Layers of the command")[2].split("```")[1].strip().splitlines()
LAYER = {room: number for number, line in enumerate(reversed(LAYERS)) for room in line.split()}
MODULES = sorted(ROOT.rglob("*.py"))


def room_of(module):
    return module.split(".")[1] if "." in module else ""


def imports_of(source):
    """Our own modules that a source names, wherever it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "trunkline":
            yield from (f"trunkline.{alias.name}" for alias in node.names if not alias.name.startswith("__"))
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.startswith("trunkline."):
            yield node.module
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written out in full"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("trunkline"))


def upward(room, source):
    """Imports that go up, or sideways into another room."""
    return [name for name in imports_of(source) if room_of(name) != room and LAYER[room_of(name)] >= LAYER[room]]


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_go_down(file):
    room = file.relative_to(ROOT).parts[0].removesuffix(".py")
    if room not in ("__init__", "__main__"):
        assert upward(room, file.read_text()) == []


def test_an_upward_import_is_seen():
    assert upward("bench", "def f():\n    from trunkline.report.page import render") == ["trunkline.report.page"]
    assert upward("peers", "from trunkline.cli import tune") == ["trunkline.cli"]
    assert upward("report", "import trunkline.tune.tuner") == ["trunkline.tune.tuner"]
    assert upward("tune", "from trunkline import _core, __version__\nfrom trunkline.tune import tuner") == []


def test_the_document_names_rooms_that_are_there():
    there = {file.relative_to(ROOT).parts[0].removesuffix(".py") for file in MODULES}
    assert set(LAYER) == (there - {"__init__", "__main__"}) | {"_core"}


@pytest.mark.parametrize("word", ["Progress(", "Table("])
def test_one_place_makes_bars_and_tables(word):
    places = [file.name for file in MODULES if any(f"{lead}{word}" in file.read_text() for lead in (" ", "="))]
    assert places == ["terminal.py"]
