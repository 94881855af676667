"""Links of the documents, and what is drawn or written from them."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^()\s]+)\)|\b(?:src|srcset|href)=\"([^\"]+)\"")


MADE = {ROOT / "docs/reference/commands.md"}
"""Pages of the site that `make docs` makes; `test_site.py` sees that they are there."""


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE))


def anchors(text):
    """Of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.+?) *$", re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def dead_links(page):
    dead = []
    for found in LINK.finditer(without_code(page.read_text())):
        link = unquote(found[1] or found[2])
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if target.resolve() in MADE:
            continue
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            dead.append(link)
    return dead


PLACE = re.compile(r"`([\w.*-]+(?:/[\w.*-]+)+/?)`")
TOPS = {place.name for place in ROOT.iterdir() if place.is_dir()} - {"build", "out"}
ROOMS = [ROOT / room for room in ("core", "runtime", "python/trunkline")]
SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".py", ".md", ".map", ".yaml", ".cmake", ".txt"}


def lost_places(page):
    """Files and folders that a page names, from the root or from within a part, and that are not there."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    lost = []
    for place in PLACE.findall(text):
        if place.partition("/")[0] not in TOPS and Path(place).suffix not in SUFFIXES:
            continue
        if not any(next(start.glob(place.rstrip("/")), None) for start in (ROOT, *ROOMS)):
            lost.append(place)
    return lost


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page):
    assert dead_links(page) == []


def test_dead_links_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# The `--json` of *it*\n[a](page.md) [b](#the---json-of-it) [c](page.md#it) [d](gone.md) [e](https://x.y/z)\n"
        '<img src="gone.svg"> `[f](code.md)`\n```sh\n# comment\n[g](code.md)\n```\n[h](#comment)\n'
    )
    assert dead_links(page) == ["page.md#it", "gone.md", "gone.svg", "#comment"]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_what_pages_name_is_there(page):
    made_by_the_walk = ["core/algorithms/trees/reverse_linear.hpp"] if page.name == "CONTRIBUTING.md" else []
    assert lost_places(page) == made_by_the_walk


def test_lost_places_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`core/plan/plan.hpp` `core/gone` `plan/gone.hpp` `kinds/*/check.cpp` `tests/` `and/or`\n")
    assert lost_places(page) == ["core/gone", "plan/gone.hpp"]


def test_contributing_names_every_list_that_a_toy_has_a_row_in():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    spec = importlib.util.spec_from_file_location("add_rows", ROOT / "tests" / "toys" / "add_rows.py")
    add_rows = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(add_rows)
    assert [name for name in add_rows.ROWS if f"`{name}`" not in text] == []


def test_the_index_leads_to_every_page():
    assert "(docs/index.md)" in (ROOT / "README.md").read_text()
    text = (ROOT / "docs/index.md").read_text()
    pages = [page for page in (ROOT / "docs").glob("*.md") if page.name != "index.md"]
    assert [page.name for page in pages if f"({page.name})" not in text] == []
    index = (ROOT / "docs/results/README.md").read_text()
    assert [page.name for page in (ROOT / "docs/results").glob("[a-z]*.md") if f"({page.name})" not in index] == []


LONGEST_RESULTS = 150
"""Lines of a page of figures: the newest ones, their command, the machine, and what they do not show."""


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent == ROOT / "docs/results"], ids=lambda page: page.stem
)
def test_pages_of_figures_are_short(page):
    assert len(page.read_text().splitlines()) <= LONGEST_RESULTS, "earlier figures belong to the history"


def test_the_picture_is_the_table():
    subprocess.run([sys.executable, ROOT / "tools" / "picture.py", "--check"], check=True)


VARIABLE = re.compile(r"\bTRUNKLINE_[A-Z_]*[A-Z]\b")


def unknown_variables(text):
    """Names that are neither settings of the library nor options of the build."""
    rows = [line for line in (ROOT / "docs/settings.md").read_text().splitlines() if line.startswith("| `TRUNKLINE_")]
    settings = {name for line in rows for name in VARIABLE.findall(line.split(" | ")[0])}
    build = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")]
    options = {name for file in build for name in VARIABLE.findall(file.read_text())}
    return sorted(set(VARIABLE.findall(text)) - settings - options)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_variables_of_pages_are_there(page):
    """tests/runtime/test_settings.py compares the table of docs/settings.md with the library."""
    assert unknown_variables(page.read_text()) == []


def test_unknown_variables_are_found():
    assert unknown_variables("`TRUNKLINE_STRICT`, TRUNKLINE_PYTHON, `TRUNKLINE_*`, TRUNKLINE_STRIKT") == [
        "TRUNKLINE_STRIKT"
    ]
