"""``trunkline_papers simulate broadcasts``: broadcasts replayed on the hosts of the papers on pipelined broadcasts."""

from dataclasses import replace

import pytest
from test_colours import test_every_colour_of_a_picture_has_one_for_dark_screens as check_colours

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline_papers.peers.figures import figure
from trunkline_papers.peers.model import tree_seconds
from trunkline_papers.pipelined.charts import replayed_curves
from trunkline_papers.pipelined.own_hosts import (
    Hosts,
    Processors,
    Receive,
    Send,
    allgather_programs,
    mpich_programs,
    replay,
    tree_programs,
)
from trunkline_papers.pipelined.replayed import FIGURES, Replayed, line_from

FAST, SLOW = 1e9, 1e8
ONE_SWITCH = load_cluster("paper-1")


def tree(shape, cluster=ONE_SWITCH):
    return _core.lay_trees("bcast", shape, cluster, _core.block_placement(cluster, 1), 0)[0]


@pytest.mark.parametrize("rate", [FAST, SLOW])
@pytest.mark.parametrize("shape", ["linear", "binary"])
@pytest.mark.parametrize("segment", [512, 8192])
def test_ports_alone_are_the_papers_formulas(rate, shape, segment):
    hosts = Hosts(rate, Processors.ports)
    laid = tree(shape)
    seconds = replay(ONE_SWITCH, hosts, tree_programs(laid, 1 << 17, segment))
    formula = tree_seconds(laid, 1 << 17, segment, hosts.gap_s(segment), hosts.latency_s(segment))
    assert seconds == pytest.approx(formula)


def test_table_2_is_met_and_continued():
    hosts = Hosts(FAST, Processors.most)
    assert hosts.gap_s(4096) == pytest.approx(69e-6)
    assert hosts.gap_s(3072) == pytest.approx((39e-6 + 69e-6) / 2)
    assert hosts.gap_s(65536) == pytest.approx(2 * 541e-6)
    assert (hosts.latency_s(1 << 20), hosts.latency_s(8)) == pytest.approx((30e-6, 46e-6))
    assert hosts.handling_s(4096) == hosts.gap_s(4096)
    assert Hosts(SLOW, Processors.most).handling_s(4096) == hosts.gap_s(4096)
    assert Hosts(FAST, Processors.ports).handling_s(4096) == 0


def test_a_relay_receives_and_sends_one_after_the_other():
    hosts = Hosts(FAST, Processors.most)
    gap_s, latency_s = hosts.gap_s(8192), hosts.latency_s(8192)
    pieces = 64
    seconds = replay(ONE_SWITCH, hosts, tree_programs(tree("linear"), pieces * 8192, 8192))
    assert seconds == pytest.approx(15 * (latency_s + gap_s) + (pieces - 1) * 2 * gap_s, rel=0.02)


def test_messages_that_share_a_channel_wait():
    cluster = load_cluster("paper-5")
    hosts = Hosts(SLOW, Processors.ports)
    free, shared = (
        replay(cluster, hosts, tree_programs(tree(shape, cluster), 1 << 20, 2048))
        for shape in ("linear", "unaware-linear")
    )
    assert 3.2 < shared / free < 4  # four flows on a trunk, but for the time to fill the line


def test_a_port_takes_one_message_after_the_other():
    hosts = Hosts(SLOW, Processors.ports)
    programs = [[Receive(1), Receive(2)], [Send(0, 8192)], [Send(0, 8192)], *([] for _ in range(13))]
    assert replay(ONE_SWITCH, hosts, programs) == pytest.approx(hosts.latency_s(8192) + 2 * hosts.gap_s(8192))


@pytest.mark.parametrize("ranks", [2, 3, 7, 16, 32])
def test_an_allgather_ends_and_brings_all_parts(ranks):
    hosts = Hosts(FAST, Processors.most)
    cluster = load_cluster("paper-4")
    for doubling in [False] + [True] * (ranks & (ranks - 1) == 0):
        programs = allgather_programs(ranks, ranks * 1000, doubling=doubling)
        assert replay(cluster, hosts, programs) > 0
        sent = {}
        for rank, steps in enumerate(programs):
            for step in steps:
                if isinstance(step, Send):
                    sent.setdefault((rank, step.to), []).append(step.count)
        for rank, steps in enumerate(programs):
            received = sum(sent[step.source, rank].pop(0) for step in steps if isinstance(step, Receive))
            assert received >= (ranks - 1) * 1000
        assert not any(sent.values())


def test_mpich_changes_where_its_sources_say():
    def sends(ranks, count):
        return sum(isinstance(step, Send) for steps in mpich_programs(ranks, count) for step in steps)

    assert sends(16, 12287) == 15
    assert sends(16, 12288) == 15 + 16 * 4
    assert sends(16, 524288) == 15 + 16 * 15
    assert sends(12, 12288) == 11 + 12 * 11
    assert sends(7, 1 << 20) == 6


def row(algorithm, size, seconds, **other):
    return Replayed("broadcast-17", "paper-1", FAST, "ports alone", algorithm, size, 512, seconds, None, "", **other)


def test_where_the_line_passes():
    rows = [row("binary", size, 2.0) for size in (1, 2, 3)]
    assert line_from([*rows, row("linear", 1, 3), row("linear", 2, 1), row("linear", 3, 1)]) == 2
    assert line_from([*rows, row("linear", 1, 1), row("linear", 2, 3), row("linear", 3, 3)]) is None


def test_figure_12_is_as_in_the_paper(papers):
    """T(m) as in table 4; binary trees up to 16 KiB, lines from 32 KiB on; 3-ary trees never."""
    ran = papers("simulate", "broadcasts", "--figures", "broadcast-12", "--json", "-")
    assert ran.status == 0, ran.error
    assert {row["processors"] for row in ran.data} == {one.value for one in Processors}
    times = {(row["algorithm"], row["message_bytes"]): row["seconds"] for row in ran.data}
    for one in ran.data:
        if one["stated_seconds"]:
            assert one["seconds"] == pytest.approx(one["stated_seconds"], rel=0.04)
    for size in figure("broadcast-12").sizes:
        assert times["3-ary", size] > times["binary", size]
        assert (times["linear", size] < times["binary", size]) is (size >= 32768)
    assert len([one for one in ran.data if one["stated_seconds"]]) == 2 * 4


def test_wrong_figures_are_refused(papers_refused):
    said = papers_refused("simulate", "broadcasts", "--figures", "broadcast-11")
    assert said == f"--figures: 'broadcast-11' is not replayed; there are: {', '.join(FIGURES)}, all"


def test_colours_of_the_picture():
    rows = [row(name, size, size * 1e-8) for name in ("linear", "binary") for size in (1024, 2048)]
    rows.append(replace(rows[0], stated_seconds=1e-5))
    check_colours(lambda: replayed_curves(rows))
