"""What a browser makes of the pages; skipped where there is none."""

import html
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import cell, receipt
from test_bench_learning import JOB
from test_colours import rounds_picture

from trunkline import _core
from trunkline.cli.bench_learn import learning_page
from trunkline.cli.doctor_pays import pays_page
from trunkline.cli.receipt import receipt_page
from trunkline.cluster import load_cluster
from trunkline.doctor.pays import pays
from trunkline.receipt.file import read_receipt
from trunkline.report.page import bench_page, demo_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look at pages with")

# The page stands in a frame, since a window of its own cannot be as narrow as a phone.
FRAME = """<!doctype html><body><iframe srcdoc="{page}" style="border: 0; width: 390px; height: 844px"></iframe>
<script>onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  const heads = [...page.querySelectorAll("table.stack th:not(.more)")];
  document.body.textContent = "wide=" + page.documentElement.scrollWidth
    + " heads=" + heads.length + " right=" + Math.max(...heads.map(head => head.getBoundingClientRect().right))
    + " spilt=" + heads.filter(head => head.scrollWidth > head.clientWidth).length
    + " high=" + Math.max(...heads.map(head => head.parentElement.clientHeight));
}}</script>"""

LIBRARIES = ("mpich", "openmpi-5.0.11", "intelmpi")
SLOW = {"native": 10.0, "linear": 0.6, "auto": 0.4}


def demo():
    cells = [
        cell(mpi=mpi, algorithm=name, seconds=SLOW[name], ran="two-tree")
        for mpi in LIBRARIES
        for name in ("native", "auto")
    ]
    return demo_page(cells, [load_cluster("cyclic")])


def bench():
    return bench_page([cell(mpi=mpi, algorithm=name, seconds=SLOW[name]) for mpi in LIBRARIES for name in SLOW])


def helps():
    """The page of ``trunkline doctor --pays``."""
    names = ["bcast", "allreduce"]
    cluster = load_cluster("leaf-spine")
    found = pays(cluster, names, [1e9, 25e9], [1, 8, 32], [1 << 10, 1 << 20], _core.NativeLibrary.mpich)
    return pays_page(found, "leaf-spine, 24 hosts", "hosts 10 Gbit/s", "mpich")


def told():
    """The page of ``trunkline receipt page``."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "receipt.json")
        file.write_text(json.dumps(receipt()))
        return receipt_page(read_receipt(str(file)))


def learns():
    """The page of ``trunkline bench learn``."""
    return learning_page([JOB, replace(JOB, settled_after=None, ours_ms=[2.5] * 8, wrong="swapped")])


PICTURE = """<!doctype html><body>{svg}<script>onload = () => {{
  const boxes = [...document.querySelectorAll("g")].map(cell => [...cell.querySelectorAll("rect, text")])
    .map(shapes => shapes.map(shape => shape.getBoundingClientRect()));
  const out = boxes.filter(([cell, ...words]) => words.some(word => word.left < cell.left || word.right > cell.right
    || word.top < cell.top - 1 || word.bottom > cell.bottom + 1));
  const edge = document.querySelector("svg").getBoundingClientRect().right;
  const wide = [...document.querySelectorAll("text")].filter(word => word.getBoundingClientRect().right > edge);
  document.body.textContent = "cells=" + boxes.length + " spilt=" + out.length + " cut=" + wide.length;
}}</script>"""


def dumped(file, tmp_path):
    """What a script has made of a page."""
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    return subprocess.run([*words, file.as_uri()], capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.mark.parametrize(("name", "each"), [("scatter-ring", 1), ("scatter-doubling", 40), ("circulant", 4)])
def test_the_words_of_rounds_stay_in_their_cells(name, each, tmp_path):
    file = tmp_path / "picture.html"
    file.write_text(PICTURE.format(svg=rounds_picture(name, each)))
    found = re.search(r"cells=(\d+) spilt=(\d+) cut=(\d+)", dumped(file, tmp_path))
    assert int(found[1]) > 100
    assert (found[2], found[3]) == ("0", "0")


@pytest.mark.parametrize("page", [demo, bench, helps, told, learns])
def test_a_phone_shows_the_columns_that_matter_and_scrolls_down_only(page, tmp_path):
    file = tmp_path / "frame.html"
    file.write_text(FRAME.format(page=html.escape(page())))
    shown = dumped(file, tmp_path)
    found = re.search(r"wide=(\d+) heads=(\d+) right=([\d.]+) spilt=0 high=(\d+)", shown)
    assert found, shown
    assert int(found[1]) <= 390
    assert int(found[2]) >= 4
    assert float(found[3]) <= 390
    assert int(found[4]) <= 60, "the heads stand on one line, of two lines of words"


PANELS = """<!doctype html><body><iframe srcdoc="{page}" style="border: 0; width: {width}px; height: 844px"></iframe>
<script>onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  const panels = [...page.querySelectorAll(".panels svg")].map(one => one.getBoundingClientRect());
  const words = [...page.querySelectorAll(".panels text")].map(one => one.getBoundingClientRect());
  const edge = document.querySelector("iframe").clientWidth;
  document.body.textContent = "wide=" + page.documentElement.scrollWidth + " panels=" + panels.length
    + " rows=" + new Set(panels.map(one => Math.round(one.top))).size
    + " cut=" + words.filter(one => one.right > edge || one.left < 0).length
    + " least=" + Math.min(...words.map(one => one.height)).toFixed(1);
}}</script>"""


@pytest.mark.parametrize(("width", "rows"), [(390, 2), (1280, 1)])
def test_panels_of_what_pays_flow(width, rows, tmp_path):
    file = tmp_path / "frame.html"
    file.write_text(PANELS.format(page=html.escape(helps()), width=width))
    shown = dumped(file, tmp_path)
    found = re.search(r"wide=(\d+) panels=(\d+) rows=(\d+) cut=(\d+) least=([\d.]+)", shown)
    assert found, shown
    assert int(found[1]) <= width
    assert (int(found[2]), int(found[3]), int(found[4])) == (2, rows, 0)
    assert float(found[5]) >= 10, "words are not smaller than 10 pixels"
