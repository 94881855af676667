"""Drawings of networks with more links than their spanning tree."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.draw.cluster import draw_cluster, lay_out
from trunkline.draw.plan import draw_plan
from trunkline.draw.tiers import switch_tiers

LEAF_SPINE = """\
trunkline: cluster/1
name: leaf-spine
defaults: {rate: 1Gbit, latency: 5us}
switches: ["spine[1-2]", "leaf[1-4]"]
hosts:
  - {hosts: "n[01-24]", switches: "leaf[1-4]", deal: 6}
links:
""" + "".join(f"  - {{between: [leaf{leaf}, spine{spine}]}}\n" for spine in (1, 2) for leaf in (1, 2, 3, 4))


def leaf_spine():
    return _core.parse_cluster(LEAF_SPINE, "x")


def between_switches(cluster):
    return [link for link in cluster.links if {link.a, link.b} <= set(cluster.switches)]


def test_spines_stand_above_leaves():
    layout = lay_out(leaf_spine(), range(24))
    lowest = max(layout.cards[f"spine{n}"].y + layout.cards[f"spine{n}"].height for n in (1, 2))
    assert all(layout.cards[f"leaf{n}"].y > lowest + 50 for n in (1, 2, 3, 4))
    assert switch_tiers(leaf_spine()) == [["leaf1", "leaf2", "leaf3", "leaf4"], ["spine1", "spine2"]]


def test_rates_like_most_of_their_kind_are_said_once():
    fast = LEAF_SPINE.replace("]}", "], rate: 10Gbit}")
    svg = draw_cluster(_core.parse_cluster(fast.replace("spine2], rate: 10Gbit", "spine2], rate: 40Gbit", 1), "x"))
    assert "hosts 1 Gbit/s, 5 us, links between switches 10 Gbit/s, 5 us unless marked" in svg
    assert svg.count("links at 40 Gbit/s, 5 us<") == 2
    assert svg.count(">6 hosts<") == 3


def test_every_link_is_drawn_and_the_unused_ones_in_dashes():
    cluster = leaf_spine()
    placement = _core.block_placement(cluster, 1)
    for svg in (
        draw_cluster(cluster),
        draw_plan(cluster, placement, _core.lay_trees("bcast", "linear", cluster, placement, 0)[0]),
    ):
        assert (svg.count('class="link"'), svg.count('class="unused"')) == (5, 3)
        assert all("stroke-dasharray" in path for path in re.findall('<path class="unused"[^>]*>', svg))
        assert "link left unused by the spanning tree" in svg


@st.composite
def networks(draw):
    """Connected, with switches that have no hosts, and some links more than a tree has."""
    count = draw(st.integers(2, 8))
    pairs = {(draw(st.integers(0, end - 1)), end) for end in range(1, count)}
    every = [(a, b) for b in range(count) for a in range(b)]
    pairs |= set(draw(st.lists(st.sampled_from(every), max_size=8)))
    with_hosts = draw(st.lists(st.integers(0, count - 1), min_size=1, unique=True))
    hosts = "".join(f'  - {{hosts: "n{s}-[1-{draw(st.integers(1, 9))}]", switch: s{s}}}\n' for s in with_hosts)
    links = "".join(f"  - {{between: [s{a}, s{b}]}}\n" for a, b in sorted(pairs))
    head = "trunkline: cluster/1\nname: x\ndefaults: {rate: 1Gbit, latency: 5us}\n"
    return _core.parse_cluster(f'{head}switches: "s[0-{count - 1}]"\nhosts:\n{hosts}links:\n{links}', "x")


def meets(a, b, card):
    """Whether the stretch from ``a`` to ``b`` enters the card (Liang and Barsky)."""
    least, most = 0.0, 1.0
    bounds = (
        (a.x, b.x - a.x, card.x + 0.1, card.right - 0.1),
        (a.y, b.y - a.y, card.y + 0.1, card.y + card.height - 0.1),
    )
    for at, way, low, high in bounds:
        if abs(way) < 1e-9:
            if not low < at < high:
                return False
        else:
            first, last = sorted(((low - at) / way, (high - at) / way))
            least, most = max(least, first), min(most, last)
    return least < most


@given(networks())
def test_no_link_passes_through_another_switch(cluster):
    if not cluster.unused_links:
        return
    layout = lay_out(cluster, range(len(cluster.hosts)), lanes=2)
    drawn = [*layout.trunks, *layout.unused]
    wanted = sorted(sorted((link.a, link.b)) for link in between_switches(cluster))
    assert sorted(sorted((link.first.switch, link.second.switch)) for link in drawn) == wanted
    for link in drawn:
        for forward in (True, False):
            corners = link.line(4, forward)
            ends = (link.first, link.second) if forward else (link.second, link.first)
            for corner, card in zip((corners[0], corners[-1]), ends, strict=True):
                assert card.x - 0.1 <= corner.x <= card.right + 0.1
                assert abs(corner.y - card.bar) <= card.half_bar
            for card in layout.cards.values():
                if card not in ends:
                    assert not any(meets(a, b, card) for a, b in pairwise(corners)), (link, card.switch)
    cards = list(layout.cards.values())
    for number, card in enumerate(cards):
        assert card.x >= 0
        assert all(point.y > 47 for link in drawn for point in link.line(0, True)), "below the title"
        for other in cards[:number]:
            apart = card.right <= other.x or other.right <= card.x
            assert apart or card.y + card.height <= other.y or other.y + other.height <= card.y


@given(networks(), st.sampled_from(["linear", "binary", "unaware-binary"]))
def test_plans_over_any_network_can_be_drawn(cluster, shape):
    placement = _core.block_placement(cluster, 1)
    svg = ET.fromstring(draw_plan(cluster, placement, _core.lay_trees("bcast", shape, cluster, placement, 0)[0]))
    unused = [path for path in svg.iter() if path.get("class") == "unused"]
    assert len(unused) == len(cluster.unused_links)


def test_a_legend_is_never_cut():
    """Of a small picture it is the longest line."""
    text = (
        "trunkline: cluster/1\nname: ring\ndefaults: {rate: 1Gbit, latency: 1us}\nswitches: s[0-2]\n"
        "hosts:\n  - {hosts: 'h[0-5]', switches: 's[0-2]', deal: 1}\n"
        "links:\n  - {between: [s0, s1]}\n  - {between: [s1, s2]}\n  - {between: [s2, s0]}\n"
    )
    ring = _core.parse_cluster(text, "ring")
    placement = _core.block_placement(ring, 1)
    plans = [_core.lay_trees("bcast", name, ring, placement, 0)[0] for name in ("linear", "unaware-linear")]
    for picture in (draw_cluster(ring), *(draw_plan(ring, placement, plan) for plan in plans)):
        width = float(re.search(r'viewBox="0 0 (\d+)', picture)[1])
        words = re.findall(r'<text x="([\d.]+)" y="[\d.]+" font-size="10.5"[^>]*>([^<]+)<', picture)
        assert any("left unused" in one for _, one in words)
        assert max(float(x) + 6.3 * len(one) for x, one in words) <= width
