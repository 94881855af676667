import html
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from io import StringIO

import pytest
from made_up import cell
from rich.console import Console

from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.registry import chosen_algorithms
from trunkline.report.cells_table import cells_table
from trunkline.report.page import bench_page, demo_page


@pytest.fixture
def cells():
    return [
        cell(cluster, mpi, size, algorithm, seconds, ran, segment)
        for cluster in ("cyclic", "paper-4")
        for mpi in ("mpich", "openmpi")
        for size in (65536, 1 << 20)
        for algorithm, seconds, ran, segment in (("native", 4.8, None, 0), ("auto", 0.48, "linear", 2824))
    ]


def svgs(page):
    return re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)


def embedded(page):
    data = re.search(r"<pre>(.*?)</pre>", page, flags=re.DOTALL)
    return json.loads(html.unescape(data[1]))


HOSTILE = '<img src="http://nowhere.example/" onerror="x()">'


def test_the_demo_page_stands_alone_and_holds_its_data(cells):
    page = demo_page(cells, [load_cluster("cyclic"), load_cluster("paper-4")])
    pictures = svgs(page)
    assert len(pictures) == 4
    for picture in pictures:
        ET.fromstring(picture)
    assert not re.search(r"""(src|href)=["']?https?:""", page)
    assert page.count("<script>") == page.count("<script") == 1, "its own, which tells of what is wider"
    assert embedded(page) == [c.as_json() for c in cells]
    assert "10.0×" in page


def test_the_bench_page_has_a_chart_for_each_cluster_and_mpi(cells):
    page = bench_page(cells)
    assert len(svgs(page)) == 4
    assert embedded(page)[0]["algorithm"] == "native"


def column_heads(page):
    """Of every table: the heads of the columns that a phone shows side by side, and of those that it puts below."""
    tables = [re.findall(r"<th\b([^>]*)>(.*?)</th>", row) for row in re.findall(r"<tr>(<th.*?)</tr>", page)]
    return [
        tuple([text for kind, text in heads if ("more" in kind) is below] for below in (False, True))
        for heads in tables
    ]


def test_what_matters_stands_first_in_the_tables(cells):
    wide = (["MPI, message", "native", "Trunkline", "faster by"], ["T(m)", "over T(m)", "what ran"])
    assert column_heads(demo_page(cells, [load_cluster("cyclic"), load_cluster("paper-4")])) == [wide, wide]
    assert {tuple(shown) for shown, _ in column_heads(bench_page(cells))} == {
        ("algorithm", "message", "median", "over T(m)")
    }


def test_cells_below_the_line_of_a_phone_say_what_they_are(cells):
    page = demo_page(cells, [load_cluster("cyclic"), load_cluster("paper-4")]) + bench_page(cells)
    below = re.findall(r'<td class="more[^>]*>', page)
    assert len(below) == 3 * 8 + 4 * 16
    assert all("data-label=" in cell for cell in below)


def test_the_tables_show_ratios_and_fit_a_terminal(cells):
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(cells_table(cells))
    lines = console.export_text().splitlines()
    assert sum("slowest rank" in line for line in lines) == 2
    row = next(line.split() for line in lines if "auto: linear, 2824 B" in line)
    assert row == ["auto:", "linear,", "2824", "B", "480", "ms", "-1", "+2%", "1.20", "10.00", "7"]


def test_unknown_algorithms_are_named_with_those_that_are_near():
    wanted = ["native", "auto", "linear:4096"]
    assert chosen_algorithms("bcast", wanted) == wanted
    for collective, name, near in (
        ("bcast", "ring", " (did you mean scatter-ring or unaware-scatter-ring?)"),
        ("allreduce", "liner:4096", " (did you mean linear?)"),
        ("bcast", "chain", ""),
    ):
        with pytest.raises(BadInput) as refused:
            chosen_algorithms(collective, ["native", name])
        called = f"no algorithm of {collective} is called '{name.partition(':')[0]}'"
        assert str(refused.value) == f"{called}{near}; 'trunkline algorithms' lists all"


def test_all_is_one_of_each_family_and_what_auto_compares():
    everything = chosen_algorithms("bcast", ["all", "auto", "linear"])
    assert everything[:4] == ["native", "linear", "two-tree", "binary"]
    assert {"3-ary", "unaware-binary", "4-ary", "8-ary", "4-nomial"} < set(everything)
    assert not {"5-ary", "unaware-4-ary"} & set(everything)
    assert everything[-1] == "auto"
    assert len(set(everything)) == len(everything)


def test_both_trees_of_a_plan_say_which_they_are(cells):
    for one in cells:
        one.ran = "two-tree" if one.algorithm == "auto" else one.ran
    pictures = svgs(demo_page(cells, [load_cluster("cyclic"), load_cluster("paper-4")]))
    titles = [title for picture in pictures for title in re.findall("<title>(.*?)</title>", picture)]
    assert len(titles) == len(set(titles)) == 4
    assert titles[1] == "Tree 2 of 2: segments 1, 3, 5, ... · two-tree over cyclic from h0"


@pytest.mark.parametrize(
    ("ran", "way"), [("linear", "along trees"), ("multicast", "by multicast"), ("binomial", "along trees")]
)
def test_the_demo_page_says_what_ran(cells, ran, way):
    for one in cells:
        one.ran = ran if one.algorithm == "auto" else one.ran
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", demo_page(cells, [load_cluster("cyclic")]))
    assert captions
    assert all(f"{ran} over cyclic goes {way}: " in caption for caption in captions)
    contention_free = "no channel carries the transfers of two senders"
    assert all((contention_free in caption) is (ran != "binomial") for caption in captions)


def test_names_are_text_on_the_page():
    page = bench_page([cell(cluster=HOSTILE), cell(cluster=HOSTILE, algorithm="auto", seconds=0.5)])
    assert "<img" not in page
    assert {cell["cluster"] for cell in embedded(page)} == {HOSTILE}


def test_other_collectives_have_their_own_limit():
    """Allreduce on 32 hosts needs 31/16 of T(m): 1.0 s at T = 0.4 s is 2.5 T and 1.29 times that."""
    made = [
        replace(cell(), collective="allreduce"),
        replace(cell(algorithm="auto", seconds=0.8), collective="allreduce"),
    ]
    page = bench_page(made)
    assert "MPI_Allreduce, algorithm against algorithm" in page
    assert "over the limit" in page
    assert "<td>2.50</td><td>1.29</td>" in page
    said = StringIO()
    Console(file=said, width=200).print(cells_table(made))
    assert "limit 1.94 T(m)" in said.getvalue()
    assert re.search(r"2\.50\s+.?\s*1\.29", said.getvalue())
    assert "over limit" in said.getvalue()


def test_a_broadcast_has_no_second_limit():
    said = StringIO()
    Console(file=said, width=200).print(cells_table([cell()]))
    assert "limit" not in said.getvalue()
    assert "over the limit" not in bench_page([cell()])


def test_clusters_with_sites_have_their_bound_beside_each_time():
    made = replace(cell(cluster="two-site", seconds=1.0), bound_seconds=0.8, root=3, dealt=True)
    said = StringIO()
    Console(file=said, width=200).print(cells_table([made]))
    assert re.search(r"800 ms\s+.?\s*1\.25", said.getvalue())
    assert "from rank 3; hosts dealt over sites" in said.getvalue()


def test_of_calls_beside_work_it_is_said_how_much_was_hidden():
    said = io.StringIO()
    alone, beside = (
        replace(cell(seconds=1.0), form="start"),
        replace(cell(seconds=1.2), form="overlap", work_seconds=1.0),
    )
    Console(file=said, width=200).print(cells_table([cell(seconds=0.9), alone, beside]))
    assert "MPI_Bcast, MPI_Ibcast, slowest rank" in said.getvalue()
    line = next(line for line in said.getvalue().splitlines() if "beside work" in line)
    assert " 80% " in line


def test_no_more_is_hidden_than_all_and_no_less_than_nothing():
    said = io.StringIO()
    rows = [replace(cell(seconds=1.0), form="start"), replace(cell(seconds=0.9), form="overlap", work_seconds=1.0)]
    rows += [replace(cell(algorithm="native", ran="native", seconds=1.0), form="start")]
    rows += [replace(cell(algorithm="native", ran="native", seconds=2.5), form="overlap", work_seconds=1.0)]
    Console(file=said, width=200).print(cells_table(rows))
    assert [word for word in said.getvalue().split() if word in ("100%", "0%")] == ["100%", "0%"]
