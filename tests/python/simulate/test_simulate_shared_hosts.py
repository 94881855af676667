"""Hosts with several ranks: predictions beside simulations, and what each rank's processor is kept busy with."""

from typing import Any

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.sources.simgrid_export import rank_host, simgrid_platform

TWO_LEAVES = """\
trunkline: cluster/1
name: two-leaves
defaults: {rate: 10Gbit, latency: 10us}
switches: ["s[0-1]"]
hosts:
  - {hosts: "h[0-7]", switches: "s[0-1]", deal: 4}
links:
  - between: [s0, s1]
"""

_SIZES = "64KiB,1MiB"


@pytest.fixture
def two_leaves(tmp_path):
    file = tmp_path / "two-leaves.yaml"
    file.write_text(TWO_LEAVES)
    return file


def _seconds(rows: list[dict[str, Any]], key: str) -> dict[tuple[str, int], float]:
    return {(row["algorithm"], row["message_bytes"]): row[key] for row in rows}


@pytest.mark.parametrize(
    ("collective", "ranks", "rate", "within"),
    [
        *((one, *case, 0.15) for one in ("bcast", "reduce", "allreduce") for case in ((4, "1Gbit"), (12, "10Gbit"))),
        ("bcast", 4, "100Gbit", 0.2),
        ("reduce", 4, "100Gbit", 0.3),
        ("allreduce", 4, "100Gbit", 0.3),
    ],
)
def test_predictions_are_what_simulations_take(trunkline, two_leaves, ranks, rate, collective, within):
    words = ("--ranks-per-host", ranks, "--rate", rate, "--host-costs", "mpich", "--sizes", _SIZES, "--json", "-")
    names = "linear,two-tree,4-lane-two-tree"
    simulated = trunkline("simulate", collective, "--cluster", two_leaves, *words, "--algorithms", names).data
    predicted = trunkline("predict", two_leaves, "--collective", collective, *words, "--algorithms", names).data
    took = _seconds(simulated, "seconds_median")
    assert took == pytest.approx({key: _seconds(predicted, "seconds_predicted")[key] for key in took}, rel=within)


# Of each the cause that made predictions more than 15 % wrong: ways behind sends, waits in rings, children that come up
# one after another, segments that are sent up at once.
@pytest.mark.parametrize(
    ("collective", "ranks", "rate", "sizes", "names"),
    [
        ("allgather", 4, "10Gbit", "1152,64512", "lane-direct:15888"),
        ("reduce-scatter", 4, "10Gbit", "1152", "lane-direct:15888"),
        ("allgather", 1, "10Gbit", "64512", "ring:15888"),
        ("reduce-scatter", 1, "100Gbit", "64512", "ring:15888"),
        ("reduce", 1, "10Gbit", "1KiB", "4-ary:1056,8-ary:1056"),
        ("reduce", 1, "1Gbit", "64KiB", "binary:2856,3-ary:2856"),
        ("allreduce", 1, "1Gbit", "64KiB", "two-tree:2856,mixed-radix:4304"),
        ("reduce-scatter", 1, "1Gbit", "1152", "native"),
        ("allreduce", 4, "10Gbit", "8,1KiB,8KiB", "4-lane-radix"),
        ("allreduce", 3, "1Gbit", "8,1KiB", "4-lane-radix"),
        ("allreduce", 16, "100Gbit", "8,8KiB", "4-lane-radix,16-lane-radix"),
        ("bcast", 2, "10Gbit", "8,1KiB", "16-lane-tree,64-lane-tree"),
        ("bcast", 2, "1Gbit", "1KiB,8KiB", "64-lane-tree"),
        ("bcast", 4, "10Gbit", "1KiB,8KiB", "4-lane-tree,64-lane-tree"),
        ("reduce", 4, "1Gbit", "1KiB,8KiB", "16-lane-tree"),
        ("reduce", 16, "10Gbit", "8,8KiB", "16-lane-tree,64-lane-tree"),
    ],
)
def test_predictions_on_leaves_and_spines(trunkline, collective, ranks, rate, sizes, names):
    words = ("--ranks-per-host", ranks, "--rate", rate, "--host-costs", "mpich", "--sizes", sizes, "--json", "-")
    simulated = trunkline("simulate", collective, "--cluster", "leaf-spine", *words, "--algorithms", names).data
    predicted = trunkline("predict", "leaf-spine", "--collective", collective, *words, "--algorithms", names).data
    took = _seconds(simulated, "seconds_median")
    assert took == pytest.approx({key: _seconds(predicted, "seconds_predicted")[key] for key in took}, rel=0.15)


@pytest.mark.parametrize("ranks", [1, 4])
def test_blocks_of_all_hosts_at_once_are_predicted_as_simulated(trunkline, two_leaves, ranks):
    words = ("--ranks-per-host", ranks, "--rate", "100Gbit", "--host-costs", "mpich", "--sizes", _SIZES, "--json", "-")
    simulated = trunkline("simulate", "bcast", "--cluster", two_leaves, *words, "--algorithms", "circulant:8472").data
    predicted = trunkline("predict", two_leaves, *words, "--algorithms", "circulant:8472").data
    took = _seconds(simulated, "seconds_median")
    assert took == pytest.approx({key: _seconds(predicted, "seconds_predicted")[key] for key in took}, rel=0.15)


@pytest.mark.parametrize(("collective", "size"), [("allreduce", "8"), ("allreduce", "1KiB"), ("barrier", "1")])
def test_ranks_of_hosts_meet_others_in_short_calls(trunkline, collective, size):
    words = ("--cluster", "leaf-spine", "--ranks-per-host", 4, "--rate", "10Gbit", "--host-costs", "mpich")
    names = "auto,recursive-doubling" if collective == "allreduce" else "auto,8-ary"
    by_auto, other = trunkline(
        "simulate", collective, *words, "--sizes", size, "--algorithms", names, "--json", "-"
    ).data
    assert by_auto["ran"] == "4-lane-radix"
    assert by_auto["seconds_median"] < 0.7 * other["seconds_median"]


@pytest.mark.parametrize("ranks", [2, 4])
def test_mpichs_own_choice_is_predicted_by_hosts(trunkline, two_leaves, ranks):
    words = ("--ranks-per-host", ranks, "--mpi", "mpich", "--host-costs", "mpich", "--sizes", _SIZES, "--json", "-")
    simulated = trunkline("simulate", "allreduce", "--cluster", two_leaves, *words, "--algorithms", "native").data
    predicted = trunkline("predict", two_leaves, "--collective", "allreduce", *words, "--algorithms", "native").data
    assert [row["seconds_median"] for row in simulated] == pytest.approx(
        [row["seconds_predicted"] for row in predicted], rel=0.1
    )


TWO_HOSTS = """\
trunkline: cluster/1
name: two-hosts
defaults: {rate: 100Gbit, latency: 1us}
switches: ["s[0-0]"]
hosts:
  - {hosts: "h[0-1]", switches: "s[0-0]", deal: 2}
"""


@pytest.mark.parametrize("ranks", [2, 4, 16])
@pytest.mark.parametrize(
    ("collective", "names"), [("reduce", "2-lane-two-tree,native"), ("allreduce", "halving-doubling,lane-ring,native")]
)
def test_combining_is_predicted_as_simulated(trunkline, tmp_path, ranks, collective, names):
    file = tmp_path / "two-hosts.yaml"
    file.write_text(TWO_HOSTS)
    words = ("--ranks-per-host", ranks, "--sizes", _SIZES, "--algorithms", names, "--json", "-", "--host-costs")
    simulated = trunkline("simulate", collective, "--cluster", file, *words, "mpich").data
    predicted = trunkline("predict", file, "--collective", collective, *words, "mpich").data
    took = _seconds(simulated, "seconds_median")
    assert took == pytest.approx({key: _seconds(predicted, "seconds_predicted")[key] for key in took}, rel=0.15)


@pytest.mark.parametrize("algorithm", ["lane-ring", "native"])
def test_sums_keep_processors_busy(trunkline, two_leaves, algorithm):
    # Each rank adds up 31 / 32 of the message at least; a little of that meanwhile waits for the network.
    words = ("--ranks-per-host", 4, "--sizes", "1MiB", "--algorithms", algorithm, "--json", "-", "--host-costs")
    (with_sums,) = trunkline("simulate", "allreduce", "--cluster", two_leaves, *words, "mpich,combine-byte=4ns").data
    (without,) = trunkline("simulate", "allreduce", "--cluster", two_leaves, *words, "mpich,combine-byte=0ns").data
    assert with_sums["seconds_median"] > without["seconds_median"] + 0.9 * 31 / 32 * (1 << 20) * 4e-9


def test_lanes_share_what_messages_cost_one_rank(trunkline, two_leaves):
    words = ("--ranks-per-host", 4, "--rate", "100Gbit", "--host-costs", "mpich", "--sizes", "16MiB", "--json", "-")
    names = "two-tree,2-lane-two-tree,4-lane-two-tree"
    rows = trunkline("simulate", "bcast", "--cluster", two_leaves, *words, "--algorithms", names).data
    took = [row["seconds_median"] for row in rows]
    assert took[0] > 1.5 * took[1] > 1.5 * 1.5 * took[2]


def test_where_nothing_is_shared_the_platform_is_the_same():
    cluster = load_cluster("cyclic")
    assert simgrid_platform(cluster, [1] * 32) == simgrid_platform(cluster)


@pytest.mark.parametrize("name", ["cyclic", "leaf-spine"])
def test_each_rank_of_a_shared_host_is_a_host(name):
    cluster = load_cluster(name)
    platform = simgrid_platform(cluster, [3] + [1] * (len(cluster.hosts) - 1))
    own, other = cluster.hosts[:2]
    assert [rank_host(own, place, 3) for place in range(3)] == [f"{own}#0", f"{own}#1", f"{own}#2"]
    assert all(f'<host id="{own}#{place}"' in platform for place in range(3))
    assert f'<router id="{own}"/>' in platform
    assert f'<host id="{other}"' in platform
    assert f'"{other}#' not in platform


def test_dealt_ranks_find_their_hosts(trunkline, two_leaves):
    job = _core.parse_cluster(TWO_LEAVES, "x")
    assert len(job.hosts) == 8
    words = ("--ranks-per-host", 3, "--host-costs", "mpich", "--sizes", "8KiB", "--algorithms", "auto,mpich")
    rows = trunkline("simulate", "bcast", "--cluster", two_leaves, *words, "--root", "h5", "--json", "-").data
    assert [row["ranks"] for row in rows] == [24, 24]
