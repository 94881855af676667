"""What a browser makes of the pages; skipped where there is none."""

import html
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from made_up import cell, peer_cell

from trunkline.cluster import load_cluster
from trunkline.peers.comparison import BEST
from trunkline.peers.page import peers_page
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


def peers():
    one = [
        peer_cell(),
        peer_cell(algorithm="auto", over=2.0),
        peer_cell(algorithm=BEST, setting="tsp_tree-kary-1:4096"),
    ]
    cells = [replace(each, mpi=mpi) for mpi in LIBRARIES for each in one]
    return peers_page(cells, [(load_cluster("cyclic"), 2e7)], {}, None, None)


@pytest.mark.parametrize("page", [demo, bench, peers])
def test_a_phone_shows_the_columns_that_matter_and_scrolls_down_only(page, tmp_path):
    file = tmp_path / "frame.html"
    file.write_text(FRAME.format(page=html.escape(page())))
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    shown = subprocess.run([*words, file.as_uri()], capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r"wide=(\d+) heads=(\d+) right=([\d.]+) spilt=0 high=(\d+)", shown)
    assert found, shown
    assert int(found[1]) <= 390
    assert int(found[2]) >= 4
    assert float(found[3]) <= 390
    assert int(found[4]) <= 60, "the heads stand on one line, of two lines of words"
