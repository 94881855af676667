"""``trunkline_papers bench heights``: topologies, orders and roots that the paper may have meant."""

import json
import random
from pathlib import Path

import pytest

from trunkline import _core
from trunkline.random_cluster import random_cluster
from trunkline_papers.pipelined.drawn import DRAWINGS, ORDERS, ROOTS, draw_cluster
from trunkline_papers.pipelined.heights import measure_heights
from trunkline_papers.verdicts.results import KEPT

PAGE = Path(__file__).resolve().parents[2] / "results" / "heights.md"
ROWS = json.loads((KEPT / "heights-readings.json").read_text())
READ = {(row["drawing"], row["order"], row["root"], row["switches"]): row for row in ROWS if row["machines"] == 1024}


def drawn(machines=40, switches=12, seed=7, **reading):
    return draw_cluster(machines, switches, random.Random(seed), **reading)


def homes(cluster):
    return {name: cluster.switch_of(host) for host, name in enumerate(cluster.hosts)}


def links(cluster):
    return {frozenset((link.a, link.b)) for link in cluster.links if link.a.startswith("s") and link.b.startswith("s")}


def test_the_usual_reading_is_the_product_s_random_cluster():
    one = drawn()
    assert _core.write_cluster(one.cluster) == _core.write_cluster(random_cluster(40, 12, random.Random(7)))


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("root", ROOTS)
def test_orders_are_of_the_same_cluster_and_root(drawing, root):
    first, *others = [drawn(drawing=drawing, order=order, root=root) for order in ORDERS]
    for other in others:
        assert links(other.cluster) == links(first.cluster)
        assert homes(other.cluster) == homes(first.cluster)
        assert other.cluster.hosts[other.root] == first.cluster.hosts[first.root]
    assert len(links(first.cluster)) == 11


def test_a_growing_tree_never_has_two_pieces(monkeypatch):
    """Each link has one end among the switches that are joined already."""
    seen = []
    monkeypatch.setattr("trunkline_papers.pipelined.drawn.cluster_of_links", lambda _, found, __: seen.append(found))
    drawn(drawing="growing")
    joined = {0}
    for a, b in seen[0]:
        assert len(joined & {a, b}) == 1
        joined |= {a, b}
    assert joined == set(range(12))


def branches(one):
    """Of each switch the machines behind each of those that are searched from it, as the line of Algorithm 1 has it."""
    cluster = one.cluster
    tree = _core.lay_trees("bcast", "linear", cluster, _core.block_placement(cluster, 1), one.root)[0]
    line, rank = [], one.root
    while rank is not None:
        line.append(cluster.switch_of(rank))
        rank = next(iter(tree.children[rank]), None)
    near = {}
    for a, b in map(tuple, links(cluster)):
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    found = []

    def behind(switch, above):
        below = {other: behind(other, switch) for other in near.get(switch, set()) - {above}}
        with_machines = [other for other in below if below[other]]
        entered = {other: min(line.index(name) for name in below[other]) for other in with_machines}
        in_order = sorted(with_machines, key=entered.get)
        found.append([sum(name in below[other] for name in line) for other in in_order])
        return {switch}.intersection(line).union(*below.values())

    behind(cluster.switch_of(one.root), None)
    return [counts for counts in found if len(counts) > 1]


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_the_search_takes_the_order_that_was_asked_for(drawing):
    few, many = (
        [counts for seed in range(5) for counts in branches(drawn(drawing=drawing, order=order, seed=seed))]
        for order in ("few-first", "many-first")
    )
    assert all(counts == sorted(counts) for counts in few)
    assert all(counts == sorted(counts, reverse=True) for counts in many)
    assert any(len(set(counts)) > 1 for counts in few)


def test_a_root_in_the_middle_has_no_machine_as_far_as_others_have():
    one = drawn(root="middle")
    cluster = one.cluster
    farthest = [
        max(len(cluster.path(name, other)) for other in cluster.hosts if other != name) for name in cluster.hosts
    ]
    assert farthest[one.root] <= min(farthest) + 1  # switches without machines count for the middle, too


def test_the_page_says_what_is_kept():
    page = PAGE.read_text()
    growing = max(row["ratio_algorithm_2"] for row in ROWS if row["drawing"] == "growing")  # of every size
    assert f"**`growing` reproduces the paper**, with every order and root: at most {growing:.2f}," in page
    for drawing in DRAWINGS:
        for order in ORDERS:
            for root in ROOTS:
                rows = [READ[drawing, order, root, switches] for switches in (128, 64)]
                figures = [f"{row[key]:.2f}" for key in ("ratio_algorithm_2", "ratio_to_complete") for row in rows]
                is_within = "yes" if max(row["ratio_algorithm_2"] for row in rows) <= 2 else "no"
                assert f"| {drawing} | {order} | {root} | {' | '.join(figures)} | {is_within} |" in page


@pytest.mark.parametrize(("drawing", "order"), [("growing", "drawn"), ("pieces", "few-first")])
def test_what_is_kept_is_planned_again(drawing, order):
    (row,) = measure_heights("bcast", [1024], [8], 2, 20, 1, [(drawing, order, "random")])
    kept = READ[drawing, order, "random", 128]
    assert (row.mean_height, row.mean_height_algorithm_2) == (kept["mean_height"], kept["mean_height_algorithm_2"])


def test_readings_by_the_command(papers, papers_refused):
    words = ("bench", "heights", "--hosts", "32", "--hosts-per-switch", "8", "--clusters", "2")
    ran = papers(*words, "--drawings", "all", "--orders", "few-first,drawn", "--json", "-")
    assert [(row["drawing"], row["order"]) for row in ran.data] == [
        ("pieces", "few-first"),
        ("pieces", "drawn"),
        ("growing", "few-first"),
        ("growing", "drawn"),
    ]
    assert "topologies: growing; search: few-first; root: random" in ran.error
    assert "--orders: there is no 'best'; there are: drawn, few-first, many-first, all" in papers_refused(
        *words, "--orders", "best"
    )
