"""The page of a trace: all in it, for phones, dark screens and many ranks; a browser looks where there is one."""

import html
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import made_trace
import pytest
from made_run import write_run
from made_trace import ARRIVED, COMPLETE, HANDED_ON, Made, eight_ranks, kind_bytes
from test_trace_suggest import bad_plans, rooms  # noqa: F401

from trunkline import _core
from trunkline.trace.analysis import analyse
from trunkline.trace.axes import in_long_units
from trunkline.trace.drawings import cost_over_switches, cost_tree
from trunkline.trace.folder import find_job
from trunkline.trace.page import trace_page
from trunkline.trace.suggest import advice_for

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FRAME = """<!doctype html><body><iframe srcdoc="{page}" style="border: 0; width: {width}px; height: 844px"></iframe>
<script>onload = () => {{
  const page = document.querySelector("iframe").contentDocument, range = page.querySelector("input");
  const before = page.querySelector(".calls svg").innerHTML;
  range.value = 1; range.dispatchEvent(new Event("input"));
  document.body.textContent = "wide=" + page.documentElement.scrollWidth + " bars=" +
    page.querySelectorAll(".calls svg text").length + " moved=" + (before != page.querySelector(".calls svg").innerHTML)
    + " pictures=" + page.querySelectorAll("figure svg").length;
}}</script>"""


def page_of(folder):
    found = analyse(find_job(str(folder)))
    return trace_page(found, [advice_for(found, one) for one in found.groups])


def test_it_needs_nothing_from_elsewhere(tmp_path):
    eight_ranks(tmp_path)
    page = page_of(tmp_path)
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "prefers-color-scheme: dark" in page
    assert "Timemap" in page
    assert "slowest: rank 7" in page
    assert "rank 6 on d: " in page  # of the tree's tips


def test_what_is_not_in_a_trace_is_told_on_the_page_and_in_the_summary(tmp_path, trunkline):
    eight_ranks(tmp_path)
    assert _core.planned_words() in " ".join(page_of(tmp_path).split())
    assert _core.planned_words() in " ".join(trunkline("trace", "analyse", tmp_path).out.split())


def test_it_tells_suggestions_as_they_are_typed(tmp_path, rooms):  # noqa: F811
    plan, link_us = bad_plans(rooms)["too deep"]
    write_run(tmp_path, plan, rooms, link_us=link_us)
    assert "trunkline plan edit " in page_of(tmp_path)


def test_names_of_hosts_are_no_markup(tmp_path):
    for rank in range(2):
        made = Made(rank, 2, host="<b>x")
        made.begin(0, 0)
        made.event(2, 4 - rank, 1 - rank)
        made.over(5)
        made.write(tmp_path)
    page = page_of(tmp_path)
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page


@pytest.mark.parametrize("name", ["n{}", "a-long-name-{:03}.cluster.example", "{}.of.each.its.own"])
def test_names_in_the_tree_neither_meet_nor_leave_it(tmp_path, name):
    eight_ranks(tmp_path)
    [tree] = analyse(find_job(str(tmp_path))).groups[0].trees
    picture = cost_tree(tree, {rank: name.format(rank) for rank in range(8)}, "Costs")
    assert ".cluster.example" not in re.sub(r"<title>.*?</title>", "", picture), "all have the same domain"
    width = float(re.search(r'width="([\d.]+)"', picture)[1])
    texts = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" font-size="10"[^>]*>([^<]+)</text>', picture)
    assert len(texts) == 8
    by_level = {}
    for x, y, word in texts:
        by_level.setdefault(y, []).append((float(x), float(x) + 6.0 * len(word)))
    for level in by_level.values():
        ends = sorted(level)
        assert ends[-1][1] <= width
        assert all(right < left for (_, right), (left, _) in pairwise(ends))


def test_a_broadcast_has_no_way_to_the_root(tmp_path):
    for rank in range(2):
        made = Made(rank, 2, host=f"h{rank}", kinds=[kind_bytes(collective="bcast")])
        made.begin(0, 0)
        made.event(2, 4 - rank, 1 - rank)
        made.over(200_000)
        made.write(tmp_path)
    page = page_of(tmp_path)
    assert ">from the root<" in page
    assert "down to the root" not in page
    assert "and back" not in page.partition('<div class="card calls"')[0]
    assert "Up latency" not in page
    assert "200 ms" in page, "no six digits of microseconds"
    assert "MPI_Alltoall" in page, "what is not in a trace"


def test_a_thousand_ranks_stay_readable(tmp_path):
    for rank in range(1000):
        made = Made(rank, 1000, host=f"h{rank // 8}")
        for turn in range(2):
            made.begin(100 * turn, turn)
            if rank:
                made.event(100 * turn + 5, HANDED_ON, (rank - 1) // 2)
            for child in (2 * rank + 1, 2 * rank + 2):
                if child < 1000:
                    made.event(100 * turn + 8, ARRIVED, child)
            if rank == 0:
                made.event(100 * turn + 20, COMPLETE)
            else:
                made.event(100 * turn + 30, ARRIVED, (rank - 1) // 2)
            for child in (2 * rank + 1, 2 * rank + 2):
                if child < 1000:
                    made.event(100 * turn + 31 + child % 2, HANDED_ON, child)
            made.over(100 * turn + 40)
        made.write(tmp_path)
    page = page_of(tmp_path)
    assert len(page) < 2_000_000
    assert "64 of 1000 ranks" in page


def test_the_tree_over_the_switches_by_cost(tmp_path, rooms):  # noqa: F811
    """Two ranks on each of two hosts: 0 - 1 and 2 - 3 share one; the link from 0 to 2 costs most."""
    first, other = rooms.hosts[0], rooms.hosts[-1]
    plan = _core.PlanFile()
    plan.collective, plan.algorithm, plan.host_of_rank = "allreduce", "custom", [first, first, other, other]
    plan.plan = _core.Plan([_core.Tree(0, [[1, 2], [], [3], []])])
    write_run(tmp_path, plan, rooms, link_us=lambda a, b: 300.0 if {a, b} == {0, 2} else 10.0)
    found = analyse(find_job(str(tmp_path)))
    [tree] = found.groups[0].trees
    picture = cost_over_switches(tree, found.job, "Costs")
    assert "4 ranks on 2 hosts" in picture
    between = re.findall(r'<g opacity="([\d.]+)"><title>(\S+) and (\S+): ([\d.]+)% of all time', picture)
    within = re.findall(r"<title>(\S+): ([\d.]+)% of all time in it", picture)
    assert [(strength, a, b) for strength, a, b, _ in between] == [("1.00", first, other)]
    assert sorted(host for host, _ in within) == sorted((first, other))
    shares = [float(part) for *_, part in [*between, *within]]
    assert sum(shares) == pytest.approx(100.0, abs=0.2)
    # Ranks 2 and 3 come that way: 300 us up, and 4 us to send and 300 down.
    assert shares[0] == pytest.approx(100 * 2 * 604 / sum(cost.total for cost in tree.costs), abs=0.1)
    assert page_of(tmp_path).count("<figure") == 5
    Path(f"{tmp_path}/{found.job.name}.cluster.yaml").unlink()
    assert page_of(tmp_path).count("<figure") == 4


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look at pages with")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_shows_it(tmp_path, width):
    eight_ranks(tmp_path)
    file = tmp_path / "frame.html"
    file.write_text(FRAME.format(page=html.escape(page_of(tmp_path)), width=width))
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    shown = subprocess.run([*words, file.as_uri()], capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r"wide=(\d+) bars=(\d+) moved=(\w+) pictures=(\d+)", shown)
    assert found, shown
    assert int(found[1]) <= width
    assert (found[2], found[3]) == ("8", "true")
    assert int(found[4]) == 4


def test_axes_of_long_times_have_another_unit():
    name = "µs after the root has begun"
    assert in_long_units(name, [0.0, 5000.0]) == (name, ["0", "5000"])
    assert in_long_units(name, [-50_000.0, 0.0]) == ("ms after the root has begun", ["-50", "0"])
    assert in_long_units(name, [0.0, 2e7]) == ("s after the root has begun", ["0", "20"])
    assert in_long_units("departures before this one", [0.0, 2e7])[1] == ["0", "2e+07"]
    assert in_long_units(name, []) == (name, [])


def test_a_domain_of_all_hosts_is_said_once(tmp_path, trunkline, monkeypatch):
    domain = ".cluster.example.org"
    monkeypatch.setattr(made_trace, "HOSTS", [host + domain for host in made_trace.HOSTS])
    monkeypatch.setattr(made_trace, "CLOCK_US", {host + domain: us for host, us in made_trace.CLOCK_US.items()})
    eight_ranks(tmp_path)
    files = {"--report": tmp_path / "page.html", "--json": tmp_path / "all.json"}
    said = trunkline("trace", "analyse", tmp_path, *(word for option in files.items() for word in option))
    assert said.status == 0, said.error
    for text in (said.out, re.sub(r"<title>.*?</title>", "", files["--report"].read_text())):
        assert text.count(domain) == 0
        assert text.count("in cluster.example.org") == 1
    assert made_trace.HOSTS[1] in files["--json"].read_text(), "data have the whole name"
