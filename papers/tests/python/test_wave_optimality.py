"""``trunkline_papers bench wave-optimality``, and what Python sees of weighted graphs."""

import random

import pytest

from trunkline import _core
from trunkline_papers.grid.random_weights import FAMILIES, random_weighted
from trunkline_papers.grid.wave_optimality import BEST, OPTIMUM, grid_experiment, measure_ratios


def test_the_command(papers, tmp_path):
    ran = papers("bench", "wave-optimality", "--graphs", "60", "--json", "-", "--svg", tmp_path / "out.svg")
    assert ran.status == 0
    rows = {(row["family"], row["shape"]): row for row in ran.data}
    assert {family for family, _ in rows} == {"all", *FAMILIES}
    assert {shape for _, shape in rows} == {shape.name for shape in _core.weighted_shapes()} - {OPTIMUM}
    assert [rows["all", BEST]["graphs"], rows["sparse", BEST]["graphs"]] == [60, 20]
    assert all(1 <= row["mean"] <= row["worst"] for row in ran.data)
    assert all(0 <= row["optimal"] <= 1 for row in ran.data)
    assert rows["all", BEST]["mean"] <= 1.03
    assert rows["all", BEST]["worst"] <= 1.15
    assert rows["all", BEST]["mean"] < rows["all", "wave"]["mean"]
    svg = (tmp_path / "out.svg").read_text()
    assert svg.startswith("<svg")
    assert "wave-mended" in svg


def test_a_graph_does_not_depend_on_how_many_there_are():
    assert list(measure_ratios(4, 7)) == list(measure_ratios(9, 7))[:4]
    assert list(measure_ratios(4, 7)) != list(measure_ratios(4, 8))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_vertex_of_a_random_graph_reaches_all(family):
    rng = random.Random(3)
    for _ in range(50):
        graph = random_weighted(family, 7, rng)
        for root in range(len(graph)):
            assert len(_core.lay_weighted("wave", graph, root)) == 7


def test_the_papers_experiment_by_hand():
    two, three = grid_experiment()[:2]
    for name in ("wave", "local-search", OPTIMUM, "binomial"):
        assert two.seconds[name] == pytest.approx(7.3e-3 + 0.1e-3)
        assert three.seconds[name] == pytest.approx(2 * 7.3e-3 + 0.1e-3)  # the far one first
    for row in grid_experiment():
        assert row.seconds[OPTIMUM] <= min(row.seconds.values()) + 1e-12


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([(0, 1, -1.0, 0.0)], "edge 0 -> 1: its weight is negative"),
        ([(0, 1, float("nan"), 0.0)], "edge 0 -> 1: its weight is missing"),
        ([(0, 3, 1.0, 0.0)], "edge 0 -> 3: vertices are 0 to 2"),
    ],
)
def test_faulty_edges(edges, words):
    with pytest.raises(ValueError, match=words):
        _core.WeightedGraph(3, edges)


def test_what_cannot_be_laid():
    graph = _core.WeightedGraph(3, [(0, 1, 1.0, 0.0)])
    assert (len(graph), graph.edges) == (3, 1)
    with pytest.raises(ValueError, match="no path leads from 0 to 2"):
        _core.lay_weighted("wave", graph, 0)
    with pytest.raises(ValueError, match="no shape over weighted graphs is named wav$"):
        _core.lay_weighted("wav", graph, 0)
