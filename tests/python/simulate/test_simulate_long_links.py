"""Simulations over long, slow and unlike links take what is predicted."""

from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import cluster_file, load_cluster


@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce", "barrier"])
@pytest.mark.parametrize("name", ["two-site", "four-site"])
def test_over_long_links_trees_by_sites_take_what_is_predicted(trunkline, name, collective):
    # Long operands from near and from far meet at a port, which predictions take for no loss (docs/wide-area.md).
    sizes = {"barrier": "1", "bcast": "8,8KiB,1MiB"}.get(collective, "8,8KiB")
    words = ("--sizes", sizes, "--algorithms", "by-sites-binary", "--host-costs", "mpich", "--json", "-")
    simulated = trunkline("simulate", collective, "--cluster", name, *words).data
    predicted = trunkline("predict", name, "--collective", collective, *words).data
    assert [row["seconds_median"] for row in simulated] == pytest.approx(
        [row["seconds_predicted"] for row in predicted], rel=0.15
    )
    bounds = [row["seconds_bound"] for row in predicted]
    assert all(row["seconds_median"] > bound for row, bound in zip(simulated, bounds, strict=True))


def test_an_allreduce_over_long_links_takes_little_more_than_the_longest_way(trunkline):
    """Two roots exchange; one would take twice as long. Lines carry long vectors."""
    words = ("--sizes", "8,8KiB,100000,1MiB", "--algorithms", "auto", "--host-costs", "mpich", "--json", "-")
    simulated = trunkline("simulate", "allreduce", "--cluster", "four-site", *words).data
    assert {row["ran"].partition("-")[0] for row in simulated} == {"by"}
    words = ("--sizes", "8,8KiB,100000,1MiB", "--algorithms", "by-sites-linear", "--host-costs", "mpich", "--json", "-")
    predicted = trunkline("predict", "four-site", "--collective", "allreduce", *words).data
    for row, other in zip(simulated, predicted, strict=True):
        assert row["seconds_median"] < 1.25 * other["seconds_bound"]
        assert row["seconds_median"] < 1.1 * other["seconds_predicted"]


@pytest.mark.parametrize("collective", ["reduce", "allreduce"])
def test_operands_of_several_children_fill_links_of_100_ms(trunkline, collective):
    """Had each child less room than the link holds, a round trip would pass for every few segments."""
    name = "sites:4x3:delay=100ms:rate=100Mbit:host-rate=1Gbit"
    words = ("--sizes", "1MiB,4MiB", "--algorithms", "by-sites-binary")
    simulated, predicted = times_of(trunkline, collective, name, *words)
    assert simulated == pytest.approx(predicted, rel=0.05)
    cluster = load_cluster(name)
    bound_s = _core.least_crossing_s(cluster, _core.block_placement(cluster, 1), collective, 0, 4 << 20)
    assert simulated["by-sites-binary", 4 << 20] < 1.05 * bound_s


def test_ranks_of_a_host_take_no_room_from_long_links(trunkline):
    """Had each of them as much room for operands as a rank far away, a round trip would pass for every few segments."""
    name = "sites:2x2:delay=10ms:rate=1Gbit:host-rate=1Gbit"
    words = ("--sizes", "1MiB", "--ranks-per-host", "16", "--algorithms", "by-sites-linear:5752,by-sites-binary:5752")
    simulated, predicted = times_of(trunkline, "reduce", name, *words)
    assert simulated == pytest.approx(predicted, rel=0.1)


@pytest.mark.parametrize(("collective", "most_of_one"), [("bcast", 0.97), ("reduce", 0.75), ("allreduce", 0.75)])
def test_lanes_over_sites_share_what_messages_cost_one_rank(trunkline, collective, most_of_one):
    """On links of 10 Gbit/s, which one rank does not fill."""
    name = "sites:4x2:delay=10ms:rate=10Gbit:host-rate=10Gbit"
    words = ("--sizes", "1MiB,16MiB", "--ranks-per-host", "4", "--algorithms")
    simulated, predicted = times_of(trunkline, collective, name, *words, "4-lane-by-sites-binary,by-sites-binary")
    lanes, one = "4-lane-by-sites-binary", "by-sites-binary"
    assert simulated[lanes, 1 << 20] == pytest.approx(predicted[lanes, 1 << 20], rel=0.15)
    assert simulated[lanes, 16 << 20] == pytest.approx(predicted[lanes, 16 << 20], rel=0.22)
    assert simulated[lanes, 16 << 20] < most_of_one * simulated[one, 16 << 20]
    words = ("--ranks-per-host", "4", "--collective", collective, "--sizes", "16MiB", "--host-costs", "mpich")
    [auto] = trunkline("predict", name, *words, "--algorithms", "auto", "--json", "-").data
    assert auto["ran"].startswith("4-lane-by-sites")


TWO_SLOW_LINKS = """\
trunkline: cluster/1
name: two-slow-links
defaults: {rate: 100Mbit, latency: 10us}
switches: [here, there, beyond]
hosts:
  - {hosts: "h[0-2]", switches: [here, there, beyond], deal: 1}
links:
  - {between: [here, there], rate: 50Mbit, latency: 10ms}
  - {between: [there, beyond], rate: 50Mbit, latency: 40ms}
"""


@pytest.mark.parametrize("collective", ["bcast", "reduce"])
def test_messages_queue_before_slow_links_behind_a_port(trunkline, tmp_path, collective):
    """One after another: sharing the link, all would come late to the next one."""
    file = tmp_path / "slow.yaml"
    file.write_text(TWO_SLOW_LINKS)
    words = ("--sizes", "1MiB", "--algorithms", "by-sites-linear:5792", "--host-costs", "mpich", "--json", "-")
    [simulated] = trunkline("simulate", collective, "--cluster", file, *words).data
    [predicted] = trunkline("predict", file, "--collective", collective, *words).data
    assert simulated["seconds_median"] == pytest.approx(predicted["seconds_predicted"], rel=0.05)


def times_of(trunkline, collective, cluster, *words):
    """Simulated and predicted, by algorithm and size."""
    words = (*words, "--host-costs", "mpich", "--json", "-")
    simulated = trunkline("simulate", collective, "--cluster", cluster, *words).data
    predicted = trunkline("predict", cluster, "--collective", collective, *words).data
    return (
        {(row["algorithm"], row["message_bytes"]): row[key] for row in rows}
        for rows, key in ((simulated, "seconds_median"), (predicted, "seconds_predicted"))
    )


@pytest.mark.parametrize("collective", ["bcast", "reduce"])
@pytest.mark.parametrize("slow", ["5Mbit", "1Mbit"])
def test_a_slow_link_to_one_site_does_not_hold_up_a_far_one(trunkline, tmp_path, collective, slow):
    """1 ms away is a slow site, 50 ms away another one: the longer of both counts, not their sum."""
    file = tmp_path / "slow.yaml"
    text = cluster_file("four-site").read_text()
    assert "[home, town], rate: 50Mbit" in text
    file.write_text(text.replace("[home, town], rate: 50Mbit", f"[home, town], rate: {slow}"))
    words = ("--sizes", "8KiB,64KiB,256KiB", "--algorithms", "by-sites-binary:4344")
    simulated, predicted = times_of(trunkline, collective, file, *words)
    assert simulated == pytest.approx(predicted, rel=0.08)


UNLIKE_WAYS = """\
trunkline: cluster/1
name: unlike-ways
defaults: {rate: 20Mbit, latency: 50us}
switches: [near, far]
hosts:
  - {hosts: "a[0-3]", switch: near}
  - {hosts: "b[0-3]", switch: far, back: {rate: 10Mbit}}
links:
  - {between: [near, far], latency: 5ms, back: {rate: 4Mbit, latency: 25ms}}
"""


@pytest.mark.parametrize("root", ["a0", "b0"])
@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce"])
def test_directions_take_what_they_take(trunkline, tmp_path, collective, root):
    file = tmp_path / "unlike.yaml"
    file.write_text(UNLIKE_WAYS)
    of_root = ("--root", root) if collective != "allreduce" else ()
    # SimGrid 3.32 ends ("The Impossible Did Happen") where longer ones go both ways over links unlike by direction.
    long = "30000" if collective == "allreduce" else "180000"
    words = ("--sizes", f"8,8KiB,{long}", "--algorithms", "by-sites-linear,linear", *of_root)
    simulated, predicted = times_of(trunkline, collective, file, *words)
    assert simulated == pytest.approx(predicted, rel=0.12)
    there_s, back_s = 5e-3, 25e-3
    ways = {"bcast": (there_s, back_s), "reduce": (back_s, there_s), "allreduce": (back_s, back_s)}[collective]
    assert simulated["linear", 8] == pytest.approx(ways[root == "b0"], rel=0.4)


def test_injection_times_keep_senders_busy(trunkline, tmp_path):
    file = tmp_path / "slow.yaml"
    text = cluster_file("two-site").read_text().replace("latency: 10us}", "latency: 10us, injection: 2ms}")
    file.write_text(text)
    words = ("--sizes", "8", "--algorithms", "flat,by-sites-binary", "--host-costs", "mpich", "--json", "-")
    simulated = trunkline("simulate", "bcast", "--cluster", file, *words).data
    predicted = trunkline("predict", file, *words).data
    assert [row["seconds_median"] for row in simulated] == pytest.approx(
        [row["seconds_predicted"] for row in predicted], rel=0.05
    )
    free = trunkline("predict", "two-site", *words).data
    assert predicted[0]["seconds_predicted"] - free[0]["seconds_predicted"] == pytest.approx(4 * 2e-3, rel=0.05)


def test_tcp_windows_pass_one_a_round_trip(trunkline):
    """One stream where one rank of a host sends to the other host, and as many as lanes where they do by turns."""
    file = Path(__file__).parents[3] / "examples" / "far-64.yaml"
    words = ("--sizes", "8KiB,1MiB", "--ranks-per-host", "4")
    algorithms = "by-sites-binary:14440,2-lane-two-tree:14440,4-lane-two-tree:14440"
    simulated, predicted = times_of(trunkline, "bcast", file, *words, "--algorithms", algorithms)
    # Segments of several trees meet, which formulas do not know.
    assert simulated == pytest.approx(predicted, rel=0.25)
    assert simulated["by-sites-binary:14440", 1 << 20] == pytest.approx(1.55, rel=0.05)  # 16 of 100 ms, less the first
    words = ("--ranks-per-host", "4", "--host-costs", "mpich", "--json", "-")
    [native] = trunkline(
        "simulate", "bcast", "--cluster", file, "--sizes", "1MiB", "--algorithms", "native", *words
    ).data
    assert native["seconds_median"] > 1.5


@pytest.mark.parametrize(
    ("cluster", "ranks_per_host", "shape"),
    [
        ("four-site", 1, "by-sites-linear"),
        ("four-site", 1, "by-sites-binary"),
        ("two-site", 2, "by-sites-linear"),
        ("sites-dealt:4x3:2", 1, "by-sites-3-ary"),
        ("sites:3x1:1", 1, "by-sites-linear"),
    ],
)
def test_shares_cross_long_links_as_predicted(trunkline, cluster, ranks_per_host, shape):
    """Allgathers by sites: short shares and long ones."""
    ranks = len(load_cluster(cluster).hosts) * ranks_per_host
    words = ("--sizes", ",".join(str(ranks * share) for share in (64, 4096, 32768)), "--algorithms", shape)
    words += ("--ranks-per-host", str(ranks_per_host), "--host-costs", "mpich", "--json", "-")
    simulated = trunkline("simulate", "allgather", "--cluster", cluster, *words).data
    predicted = trunkline("predict", cluster, "--collective", "allgather", *words).data
    assert {row["ran"] for row in simulated} == {shape}
    assert [row["seconds_median"] for row in simulated] == pytest.approx(
        [row["seconds_predicted"] for row in predicted], rel=0.15
    )
    assert all(row["seconds_median"] > row["bound_seconds"] for row in simulated)
