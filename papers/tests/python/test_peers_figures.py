"""The papers' figures: each can be run, the model finds the papers' segments, stated numbers stand beside ours."""

import pytest
from made_up_peers import peer_cell as cell

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.registry import chosen_algorithms
from trunkline_papers.peers.drivers import FAMILIES
from trunkline_papers.peers.figures import figure, figure_names, parameters
from trunkline_papers.peers.model import best_segment, first_segment, tree_seconds
from trunkline_papers.peers.page import peers_page
from trunkline_papers.peers.tables import beside_table


def test_every_figure_can_be_run():
    assert figure_names() == [*(f"broadcast-{n}" for n in range(8, 19)), "table-3", "table-4"]
    known = {"T(m)", *FAMILIES}
    for name in figure_names():
        shown = figure(name)
        for cluster in shown.clusters:
            load_cluster(cluster)
        assert chosen_algorithms("bcast", shown.algorithms) == list(shown.algorithms)
        assert {stated.what for stated in shown.stated} <= known | set(shown.algorithms)
        assert shown.kind != "bench" or {stated.size for stated in shown.stated} <= set(shown.sizes)
    with pytest.raises(BadInput, match="no 'broadcast-7'; there are: broadcast-8"):
        figure("broadcast-7")


def test_stated_numbers_stand_beside_measured_ones():
    cells = [cell(algorithm="linear", cluster="paper-5", over=1.2)]
    table = beside_table(figure("broadcast-15"), cells)
    columns = [list(column.cells) for column in table.columns]
    assert columns[3] == ["107.3 ms", "409.7 ms"]
    assert columns[6] == ["100.7 ms", ""]
    page = peers_page(cells, [(load_cluster("paper-5"), 2e7)], {}, figure("broadcast-15"), None)
    assert "409.7 ms" in page
    assert "100.7 ms" in page


def test_the_model_gives_the_papers_segments_for_the_line():
    line = _core.lay_trees("bcast", "linear", load_cluster("paper-4"), list(range(32)), 0)[0]
    table3 = figure("table-3")
    for column, rate in ((0, 1e8), (4, 1e9)):
        own = [best_segment(line, size, parameters(rate)) for size in table3.rows]
        theirs = [row[column] for row in table3.rows.values()]
        assert sum(a == b for a, b in zip(own, theirs, strict=True)) >= 8  # of nine; one is a near tie


def test_first_segment_of_a_small_tree():
    tree = _core.Tree(0, [[1, 2], [3], [], []])
    assert first_segment(tree, gap=1.0, latency=0.1) == (2, 2)
    assert tree_seconds(tree, 40, 10, 1.0, 0.1) == pytest.approx(0.2 + 2 + 2 * 3)
