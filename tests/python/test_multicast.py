"""Plans by multicast, as the command lays, shows, draws, reads and predicts them; and where they are refused."""

import xml.etree.ElementTree as ET

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.draw.colours import HOST, LINK
from trunkline.draw.multicast import MulticastDrawing, crossed_channels
from trunkline.peers.simulated import simulated_algorithms

LAID = ("plan", "cyclic", "--algorithm", "multicast")
TWO_HOSTS = """\
trunkline: cluster/1
name: two
defaults: {rate: 100Mbit, latency: 10us}
switches: [s0]
hosts:
  - {hosts: 'h0', switch: s0}
  - {hosts: 'h1', switch: s0, rate: 20Mbit}
"""


@pytest.fixture
def two_hosts(tmp_path):
    file = tmp_path / "two.yaml"
    file.write_text(TWO_HOSTS)
    return str(file)


def test_it_is_said_in_words(trunkline, two_hosts):
    ran = trunkline("plan", two_hosts, "--algorithm", "multicast", "--root", "h1")
    assert ran.out.splitlines() == [
        "bcast, multicast over two from rank 1 (h1): 2 ranks, confirmed along a tree of height 1, degree 1",
        "Contention-free: no channel carries the transfers of two senders.",
        "Rank 1 sends each datagram once to all, at the pace of 20 Mbit/s: it crosses 2 links, each once.",
        "",
        "Who reports to whom:",
        "1 h1",
        "└── 0 h0",
    ]


def test_it_is_json(trunkline):
    data = trunkline(*LAID, "--root", "h5", "--json", "-").data
    assert (data["shape"], data["root"], data["pace_bps"]) == ("multicast", 5, pytest.approx(100e6))
    confirm = data["confirm"]
    assert confirm["max_degree"] <= 4
    assert confirm["parent"]["5"] is None
    assert sorted(child for children in confirm["children"].values() for child in children) == [
        rank for rank in range(32) if rank != 5
    ]
    assert (data["contention_free"], data["max_channel_load"], data["most_senders"]) == (True, 1, 1)


def test_ranks_of_one_host_have_no_pace(trunkline, tmp_path):
    file = tmp_path / "one.yaml"
    file.write_text(TWO_HOSTS[: TWO_HOSTS.rindex("  - ")])
    words = ("plan", str(file), "--algorithm", "multicast", "--ranks-per-host", "3")
    assert trunkline(*words, "--json", "-").data["pace_bps"] is None
    assert "Rank 0 sends each datagram once to all: it crosses 0 links, each once." in trunkline(*words).out


def test_the_plan_file_is_read_back(trunkline, tmp_path):
    plan = tmp_path / "plan.yaml"
    trunkline(*LAID, "-o", plan)
    read = _core.read_plan(str(plan))
    assert read.plan.kind == "multicast"
    assert read.plan.multicast.root == 0
    assert read.plan.multicast.byte_s == 8 / 100e6
    assert read.plan.trees is None
    assert trunkline(*LAID[:2], "--plan", plan, "--json", "-").data == trunkline(*LAID, "--json", "-").data
    assert _core.write_plan(read) == plan.read_text()
    plan.write_text(plan.read_text().replace("0: [1,", "0: [1, 1,"))
    ran = trunkline("plan", "show", plan, "--cluster", "cyclic")
    assert ran.status == 2
    assert "rank 1 reports a second time" in ran.error


def test_turns_are_said_in_words_and_json(trunkline, two_hosts):
    words = ("plan", two_hosts, "--collective", "allgather", "--algorithm", "multicast", "--ranks-per-host", "2")
    assert trunkline(*words).out.splitlines() == [
        "allgather, multicast over two from rank 0 (h0): 4 ranks, each sends by turn, 4 at once",
        "Contention: 2 senders share each of h0->s0, s0->h0, h1->s0, s0->h1.",
        "Each rank sends its datagrams once to all, at the pace of 20 Mbit/s: they cross 2 links, each once.",
        "",
        "By turn, a row for each stay below a switch; a rank sends once it has what those sent that are 4 or more "
        "before it:",
        "s0  h0 (2 ranks) → h1 (2 ranks)",
    ]
    data = trunkline(*words, "--json", "-").data
    assert (data["order"], data["at_once"], data["pace_bps"]) == ([0, 1, 2, 3], 4, pytest.approx(20e6))
    assert "confirm" not in data


def test_a_reduction_has_trees_for_its_operands(trunkline, tmp_path):
    plan = tmp_path / "plan.yaml"
    words = ("plan", "cyclic", "--collective", "allreduce", "--algorithm", "multicast")
    ran = trunkline(*words, "-o", plan)
    assert "degree 4, operands up 2 trees of height" in ran.out
    assert "Tree 2 of 2: segments 1, 3, 5, ...: whose operands a rank gets:" in ran.out
    data = trunkline(*words, "--json", "-").data
    assert len(data["reduce"]) == 2
    read = _core.read_plan(str(plan))
    assert _core.write_plan(read) == plan.read_text()
    assert [tree.parent for tree in read.plan.multicast.reduce] == [
        [tree["parent"][str(rank)] for rank in range(32)] for tree in data["reduce"]
    ]
    barrier = trunkline("plan", "cyclic", "--collective", "barrier", "--algorithm", "multicast", "--json", "-").data
    assert "reduce" not in barrier


@pytest.mark.parametrize("name", ["cyclic", "leaf-spine", "random:64x6"])
def test_the_picture_of_turns(trunkline, tmp_path, name):
    """A broad line both ways for each trunk and to each host; a dashed arrow from each host to the next one."""
    picture = tmp_path / "plan.svg"
    words = ("plan", name, "--collective", "allgather", "--algorithm", "multicast")
    assert trunkline(*words, "--svg", picture).status == 0
    cluster = load_cluster(name)
    drawn = ET.fromstring(picture.read_text())
    paths = list(drawn.iter("{http://www.w3.org/2000/svg}path"))
    dashed = [path for path in paths if path.get("stroke") == HOST and path.get("stroke-dasharray")]
    assert len(dashed) == len(cluster.hosts) - 1 + 1  # and one in the legend
    placement = _core.block_placement(cluster, 1)
    assert f"over {len(crossed_channels(cluster, placement, 0))} links, each once" in picture.read_text()
    trunks = [
        c
        for c in crossed_channels(cluster, placement, 0)
        if {cluster.links[c // 2].a, cluster.links[c // 2].b} <= set(cluster.switches)
    ]
    heads = [path for path in paths if path.get("fill") == LINK]
    assert len(heads) == 2 * len(trunks) + len(cluster.hosts) + 1


def test_channels_are_crossed_once():
    cluster = load_cluster("cyclic")
    placement = _core.block_placement(cluster, 2)
    crossed = crossed_channels(cluster, placement, 0)
    walked = {c for host in cluster.hosts[1:] for c in cluster.path(cluster.hosts[0], host)}
    assert len(crossed) == len(set(crossed)) == 1 + 31 + 3
    assert set(crossed) == walked


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("name", ["cyclic", "leaf-spine", "paper-2", "random:64x6"])
def test_the_picture(trunkline, tmp_path, name, each):
    """A broad line for each trunk and each host; as many dashed arrows as reports between hosts."""
    picture = tmp_path / "plan.svg"
    words = ("plan", name, "--algorithm", "multicast", "--ranks-per-host", each)
    assert trunkline(*words, "--svg", picture).status == 0
    cluster = load_cluster(name)
    placement = _core.block_placement(cluster, each)
    plan = _core.lay("bcast", "multicast", cluster, placement, 0)
    drawn = ET.fromstring(MulticastDrawing(cluster, placement, plan.multicast.confirm).svg("a title"))
    paths = list(drawn.iter("{http://www.w3.org/2000/svg}path"))
    dashed = [path for path in paths if path.get("stroke") == HOST and path.get("stroke-dasharray")]
    parents = plan.multicast.confirm.parent
    reports = {
        (placement[rank], placement[parent])
        for rank, parent in enumerate(parents)
        if parent is not None and placement[rank] != placement[parent]
    }
    assert len(dashed) == len(reports) + 1  # and one in the legend
    trunks = {
        c
        for c in crossed_channels(cluster, placement, 0)
        if {cluster.links[c // 2].a, cluster.links[c // 2].b} <= set(cluster.switches)
    }
    heads = [path for path in paths if path.get("fill") == LINK]
    assert len(heads) == len(trunks) + len(cluster.hosts) + 1
    assert ("from the root" in picture.read_text()) == (each == 2)


def test_it_is_predicted(trunkline, two_hosts):
    words = ("--sizes", "1432B,14320B", "--host-costs", "free", "--json", "-")
    rows = trunkline("predict", two_hosts, "--algorithms", "multicast", *words).data
    times = [row["seconds_predicted"] for row in rows if row["algorithm"] == "multicast"]
    byte_s = 8 / 20e6
    way_s = 20e-6 + 1538 * 8 / 100e6
    word_s = 20e-6 + 130 * (8 / 20e6 + 8 / 100e6)
    besides = way_s + word_s / 15  # of a meeting each call's part
    assert times == pytest.approx([1538 * byte_s + besides, 10 * 1538 * byte_s + besides + word_s])
    candidates = {one.name: one for one in _core.candidates("bcast")}
    assert candidates["multicast"].is_compared
    assert "multicast" not in {one.name for one in _core.candidates("reduce")}


def test_simulations_take_it():
    names = {one.name for one in simulated_algorithms("bcast", ["all"])}
    assert {"linear", "two-tree", "multicast"} <= names


def test_what_is_for_others_refuses_it(trunkline, tmp_path):
    plan = tmp_path / "plan.yaml"
    trunkline(*LAID, "-o", plan)
    refused = trunkline("generate", plan)
    assert refused.status == 2
    assert "by multicast; routines are generated for trees and rounds, such as two-tree" in " ".join(
        refused.error.split()
    )
    refused = trunkline("plan", "edit", plan, "add-level", "-o", tmp_path / "other.yaml")
    assert refused.status == 2
    assert "goes by multicast; plans of trees can be edited" in " ".join(refused.error.split())
    refused = trunkline("plan", "cyclic", "--collective", "reduce", "--algorithm", "multicast")
    assert refused.status == 2
    assert "multicast" in refused.error


IN_GROUPS = ("plan", "four-site", "--algorithm", "by-sites-multicast")


def test_groups_are_said_in_words(trunkline, tmp_path):
    file = tmp_path / "sites.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: three\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [near, far, small]\n"
        "hosts:\n  - {hosts: 'h[0-2]', switch: near}\n  - {hosts: 'h[3-5]', switch: far}\n"
        "  - {hosts: h6, switch: small}\n"
        "links:\n  - {between: [near, far], rate: 25Mbit, latency: 5ms}\n  - {between: [near, small], latency: 5ms}\n"
    )
    said = trunkline("plan", str(file), "--algorithm", "by-sites-multicast").out.splitlines()
    assert said[0] == (
        "bcast, by-sites-multicast over three from rank 0 (h0): 7 ranks, 2 groups and 1 rank alone, confirmed along a "
        "tree of height 2, degree 4"
    )
    assert "  rank 0 (the root) to 2 others, at the pace of 33.3333 Mbit/s: it crosses 3 links, each once" in said
    assert "  rank 3 (from rank 0) to 2 others, at the pace of 100 Mbit/s: it crosses 3 links, each once" in said
    assert "  rank 6 (from rank 0) alone" in said


def test_groups_are_json_and_read_back(trunkline, tmp_path):
    data = trunkline(*IN_GROUPS, "--root", "h9", "--json", "-").data
    assert data["groups"][0]["ranks"][0] == 9
    assert sorted(sorted(group["ranks"]) for group in data["groups"]) == [
        list(range(first, first + 8)) for first in (0, 8, 16, 24)
    ]
    assert "pace_bps" not in data
    plan = tmp_path / "plan.yaml"
    trunkline(*IN_GROUPS, "--root", "h9", "-o", plan)
    assert trunkline(*IN_GROUPS[:2], "--plan", plan, "--json", "-").data == data
    assert _core.write_plan(_core.read_plan(str(plan))) == plan.read_text()


def test_the_picture_of_groups_has_messages_between_them(trunkline, tmp_path):
    cluster = load_cluster("four-site")
    file = tmp_path / "groups.svg"
    trunkline(*IN_GROUPS, "--svg", file)
    root = ET.fromstring(file.read_text())
    paths = [path for path in root.iter("{http://www.w3.org/2000/svg}path") if "stroke-dasharray" in path.attrib]
    assert paths, "messages are dashed"
    plan = _core.lay("bcast", "by-sites-multicast", cluster, list(range(32)), 0).multicast
    assert plan is not None
    text = "".join(root.itertext())
    assert "datagrams of 4 groups cross 32 links, each once" in text
    assert "messages between groups" in text


SHARES = ("plan", "two-site", "--collective", "allgather", "--algorithm", "by-sites-multicast")


def test_shares_in_groups_are_said_in_words(trunkline):
    said = trunkline(*SHARES).out.splitlines()
    assert said[0] == (
        "allgather, by-sites-multicast over two-site from rank 0 (h0): 5 ranks, each sends by turn in 1 group and 2 "
        "ranks alone, 3 at once"
    )
    assert "  rank 1 alone" in said
    assert "  ranks 2, 3, 4, at the pace of 100 Mbit/s: they cross 3 links, each once" in said


def test_shares_in_groups_are_json_and_read_back(trunkline, tmp_path):
    words = ("plan", "four-site", "--collective", "allgather", "--algorithm", "by-sites-multicast", "--root", "h9")
    data = trunkline(*words, "--json", "-").data
    assert data["order"] == [rank for group in data["groups"] for rank in group["ranks"]]
    assert data["order"][0] == 9
    assert data["at_once"] == 8
    assert "pace_bps" not in data
    assert "confirm" not in data
    plan = tmp_path / "plan.yaml"
    trunkline(*words, "-o", plan)
    assert trunkline("plan", "four-site", "--plan", plan, "--json", "-").data == data
    assert _core.write_plan(_core.read_plan(str(plan))) == plan.read_text()


def test_the_picture_of_shares_in_groups(trunkline, tmp_path):
    """Between the first hosts of four sites messages go both ways."""
    file = tmp_path / "shares.svg"
    trunkline("plan", "four-site", *SHARES[2:], "--svg", file)
    text = "".join(ET.fromstring(file.read_text()).itertext())
    assert "datagrams of 4 groups cross 32 links, each once" in text
    assert "messages between groups" in text


def test_auto_takes_groups_over_long_links_where_they_win(tmp_path):
    """Of 32 hosts on each of two sites a tree inside has five levels; a datagram has one. Long ones go along trees."""
    file = tmp_path / "two.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: two\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [near, far]\n"
        "hosts:\n  - {hosts: 'h[0-31]', switch: near}\n  - {hosts: 'h[32-63]', switch: far}\n"
        "links:\n  - {between: [near, far], latency: 300us}\n"
    )

    def runs(message_bytes, multicasts):
        knowledge = _core.Knowledge(load_cluster(str(file)), _core.NativeLibrary.mpich, "", "", multicasts=multicasts)
        decider = _core.Decider(knowledge, "bcast", list(range(64)), 0)
        return decider.decide(message_bytes).algorithm

    def sums(message_bytes):
        knowledge = _core.Knowledge(load_cluster(str(file)), _core.NativeLibrary.mpich, "", "")
        return _core.Decider(knowledge, "allreduce", list(range(64)), 0).decide(message_bytes).algorithm

    def gathers(message_bytes):
        knowledge = _core.Knowledge(load_cluster(str(file)), _core.NativeLibrary.mpich, "", "", multicasts=True)
        return _core.Decider(knowledge, "allgather", list(range(64)), 0).decide(message_bytes).algorithm

    assert gathers(64 * 64) == "by-sites-multicast"
    assert gathers(64 * 256) == "by-sites-binary"
    assert gathers(64 << 20) == "ring"
    assert sums(256) == "by-sites-multicast"
    assert sums(1 << 20) != "by-sites-multicast"
    assert runs(8192, True) == "by-sites-multicast"
    assert runs(8192, False) == "two-tree"
    assert runs(1 << 20, True) == "two-tree"
