"""``trunkline_papers bench wave-optimality`` and ``bench grid``, and what Python sees of weighted graphs."""

import random

import pytest

from trunkline import _core
from trunkline_papers.grid.experiment import BINOMIAL, WITHIN_HOSTS, grid_experiment
from trunkline_papers.grid.random_weights import FAMILIES, random_weighted
from trunkline_papers.grid.wave_optimality import BEST, OPTIMUM, measure_ratios


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


def experiment(within):
    return {(row.processors, row.shape): row for row in grid_experiment(within)}


def test_the_papers_experiment_by_hand():
    rows = experiment("network")
    for name in ("wave", "local-search", OPTIMUM, BINOMIAL):
        assert rows[2, name].seconds == pytest.approx(7.3e-3 + 0.1e-3)
        assert rows[3, name].seconds == pytest.approx(2 * 7.3e-3 + 0.1e-3)  # the far one first
        assert (rows[3, name].sends_in_a_row, rows[3, name].far_in_a_row) == (2, 0)


@pytest.mark.parametrize("within", WITHIN_HOSTS)
def test_sends_and_ways_add_up_to_the_time(within):
    rows = experiment(within)
    for (processors, shape), row in rows.items():
        assert rows[processors, OPTIMUM].seconds <= row.seconds + 1e-12
        assert rows[processors, "local-search"].seconds == pytest.approx(rows[processors, OPTIMUM].seconds)
        if within == "network":
            near_s = row.seconds - row.sends_in_a_row * 7.3e-3 - row.far_in_a_row * 1.6e-3
            assert -1e-9 <= near_s <= 4 * 0.1e-3 + 1e-9, shape
            assert (
                row.sends_in_a_row >= (processors - 1).bit_length()
            )  # one host more has it in each, at most twice as many


def test_the_papers_figure_is_won_where_processors_of_a_host_have_a_short_way_alone():
    def wins(within):
        rows = experiment(within)
        return [p for p in range(2, 10) if rows[p, "wave"].seconds < rows[p, BINOMIAL].seconds - 1e-9]

    assert wins("network") == []
    assert wins("loopback") == wins("memory") == [8, 9]


def test_the_papers_experiment_by_the_command(papers, tmp_path):
    ran = papers("bench", "grid", "--json", "-", "--svg", tmp_path / "grid.svg")
    assert ran.status == 0
    assert {row["within_hosts"] for row in ran.data} == set(WITHIN_HOSTS)
    assert len(ran.data) == 3 * 8 * 5
    assert "(4+3)" in ran.error
    assert "through memory" in (tmp_path / "grid.svg").read_text()


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
