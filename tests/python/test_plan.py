import json
import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.draw.colours import CONTENDED
from trunkline.draw.plan import draw_plan
from trunkline.draw.ranks import draw_ranks
from trunkline.kinds import kind_of

KEYS = {"cluster", "collective", "shape", "root", "ranks", "hosts", "parent", "children", "height", "max_degree"}
KEYS |= {"contention_free", "max_channel_load", "most_senders", "busiest_channels", "unused_links"}


def senders_by_channel(cluster, hosts, children):
    """Who loads which channel, from the paths alone."""
    loads = {}
    for rank, receivers in children.items():
        for receiver in receivers:
            for channel in cluster.path(hosts[int(rank)], hosts[receiver]):
                loads.setdefault(channel, set()).add(rank)
    return {cluster.channel_name(channel): len(ranks) for channel, ranks in loads.items()}


def test_the_line_over_cyclic_from_h5(trunkline):
    data = trunkline(
        *("plan", "cyclic", "--collective", "bcast", "--shape", "linear", "--root", "h5", "--json", "-")
    ).data
    assert data.keys() == KEYS
    assert (data["cluster"], data["collective"], data["shape"]) == ("cyclic", "bcast", "linear")
    assert (data["root"], data["ranks"], data["height"], data["max_degree"]) == (5, 32, 31, 1)
    assert data["hosts"] == [f"h{rank}" for rank in range(32)]
    assert data["contention_free"] is True
    assert data["max_channel_load"] == 1
    assert data["unused_links"] == []
    assert data["parent"]["5"] is None
    reached = Counter(rank for children in data["children"].values() for rank in children)
    assert reached == Counter(rank for rank in range(32) if rank != 5)
    assert all(data["parent"][str(c)] == int(rank) for rank, children in data["children"].items() for c in children)
    assert set(senders_by_channel(load_cluster("cyclic"), data["hosts"], data["children"]).values()) == {1}


@pytest.mark.parametrize(("cluster", "load"), [("cyclic", 8), ("paper-5", 4), ("paper-2", 1)])
def test_the_line_in_rank_order_and_its_contention(trunkline, cluster, load):
    data = trunkline("plan", cluster, "--shape", "unaware-linear", "--json", "-").data
    assert data["max_channel_load"] == load
    assert data["contention_free"] is (load == 1)
    loads = senders_by_channel(load_cluster(cluster), data["hosts"], data["children"])
    assert max(loads.values()) == load
    for entry in data["busiest_channels"]:
        assert entry == {"channel": entry["channel"], "load": load, "capacity": 1}
        assert loads[entry["channel"]] == load
    if load > 1:
        assert len(data["busiest_channels"]) == min(8, sum(value == load for value in loads.values()))


def test_several_ranks_a_host(trunkline):
    data = trunkline("plan", "paper-4", "--ranks-per-host", 3, "--root", "h9", "--json", "-").data
    assert data["ranks"] == 96
    assert data["root"] == 27
    assert data["hosts"][27:31] == ["h9", "h9", "h9", "h10"]
    assert data["max_channel_load"] == 1
    assert data["children"]["27"] == [24, 28, 29]  # the next host, then its own


def test_root_by_rank_and_by_full_name(trunkline):
    assert trunkline("plan", "cyclic", "--root", 31, "--json", "-").data["root"] == 31
    assert trunkline("plan", "cyclic", "--root", "h31.example", "--json", "-").data["root"] == 31


def test_unused_links_are_named(trunkline, tmp_path):
    file = tmp_path / "ring.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: ring\ndefaults: {rate: 1Gbit}\nswitches: s[0-2]\n"
        "hosts: [{hosts: 'h[0-5]', switches: 's[0-2]', deal: 1}]\n"
        "links: [{between: [s0, s1]}, {between: [s1, s2]}, {between: [s2, s0]}]\n"
    )
    assert trunkline("plan", file, "--json", "-").data["unused_links"] == ["s2 - s0"]
    assert "Link s2 - s0 stays unused" in trunkline("plan", file).out


def test_the_summary_is_readable(trunkline):
    ran = trunkline("plan", "cyclic", "--root", "h5")
    assert ran.status == 0
    assert "bcast, linear over cyclic from rank 5 (h5): 32 ranks, height 31, degree 1\nContention-free: " in ran.out
    assert "\ns1  h5 → h1 → h9 → h13 → h17 → h21 → h25 → h29\ns0  h0 → " in ran.out
    contended = trunkline("plan", "paper-5", "--shape", "unaware-linear").out
    assert "Contention: 4 senders share each of s0->s1, " in contended


@pytest.fixture
def fast_trunk(tmp_path):
    """Two switches of four hosts at 10 Gbit/s; the trunk is three times as fast."""
    file = tmp_path / "trunk.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: trunk\ndefaults: {rate: 10Gbit}\nswitches: s[0-1]\n"
        "hosts: [{hosts: 'h[0-7]', switches: 's[0-1]', deal: 1}]\n"
        "links: [{between: [s0, s1], rate: 30Gbit}]\n"
    )
    return file


def across(pairs):
    """A plan file: rank 0 sends to all that send, and each of them to one below the other switch."""
    sends = {0: [sender for sender, _ in pairs if sender != 0]}
    for sender, receiver in pairs:
        sends.setdefault(sender, []).append(receiver)
    lines = "".join(f"  {rank}: {receivers}\n" for rank, receivers in sends.items())
    return f"trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 8\nroot: 0\nsends:\n{lines}"


def test_a_fast_trunk_has_room_for_several_senders(trunkline, tmp_path, fast_trunk):
    three = [(0, 1), (2, 3), (4, 5), (0, 7), (0, 6)]  # 6 is below s0, too
    (tmp_path / "three.yaml").write_text(across(three))
    ran = trunkline("plan", fast_trunk, "--plan", tmp_path / "three.yaml")
    assert "Contention-free: up to 3 senders share a channel, and each has room for its own." in ran.out
    svg = trunkline("plan", fast_trunk, "--plan", tmp_path / "three.yaml", "--svg", "-").out
    assert "3 of 3 " in svg
    assert "shares a channel" not in svg
    (tmp_path / "four.yaml").write_text(across([(0, 1), (2, 3), (4, 5), (6, 7)]))
    ran = trunkline("plan", fast_trunk, "--plan", tmp_path / "four.yaml")
    assert "Contention: 4 senders share s0->s1, which has room for 3" in ran.out
    data = trunkline("plan", fast_trunk, "--plan", tmp_path / "four.yaml", "--json", "-").data
    assert (data["contention_free"], data["max_channel_load"], data["most_senders"]) == (False, 4, 4)
    assert data["busiest_channels"] == [{"channel": "s0->s1", "load": 4, "capacity": 3}]
    svg = trunkline("plan", fast_trunk, "--plan", tmp_path / "four.yaml", "--svg", "-").out
    assert "4 of 3 " in svg
    assert "up to 4 senders on one channel" in svg


def test_the_plan_file(trunkline, tmp_path):
    file = tmp_path / "plans" / "plan.yaml"
    assert trunkline("plan", "cyclic", "--root", "h5", "--segment", "2832", "-o", file).status == 0
    plan = _core.read_plan(str(file))
    cluster = load_cluster("cyclic")
    assert (plan.collective, plan.algorithm, plan.cluster) == ("bcast", "linear", "cyclic")
    assert (plan.cluster_fingerprint, plan.topology_fingerprint) == (None, cluster.topology_fingerprint)
    assert f'topology_fingerprint: "{cluster.topology_fingerprint:016x}"' in file.read_text()
    checked = trunkline("cluster", "check", "cyclic", "--json", "-").data
    assert checked["topology_fingerprint"] == f"{cluster.topology_fingerprint:016x}"
    assert checked["fingerprint"] == f"{cluster.fingerprint:016x}"
    said = f"fingerprint {cluster.fingerprint:016x} (of the topology alone: {cluster.topology_fingerprint:016x})"
    assert said in trunkline("cluster", "check", "cyclic").out
    assert plan.host_of_rank == cluster.hosts
    assert plan.segment_bytes == 2832
    expected = _core.lay_trees("bcast", "linear", cluster, _core.block_placement(cluster, 1), 5)[0]
    assert [tree.parent for tree in plan.plan.trees] == [expected.parent]
    assert trunkline("plan", "cyclic", "--root", "h5", "--segment", "2832", "-o", "-").out == file.read_text()


def test_a_plan_that_depends_on_the_size_is_laid_for_it(trunkline, tmp_path):
    words = ("plan", "two-site", "--collective", "bcast", "--algorithm", "wave")
    data = trunkline(*words, "--bytes", "100000", "--json", "-").data
    assert (data["shape"], data["message_bytes"], data["ranks"]) == ("wave", 100000, 5)
    cluster = load_cluster("two-site")
    expected = _core.lay_trees("bcast", "wave", cluster, [0, 1, 2, 3, 4], 0, 100000)[0]
    assert data["children"] == {str(rank): children for rank, children in enumerate(expected.children)}
    short = trunkline(*words, "--bytes", "8", "--json", "-").data
    assert short["children"] != data["children"]
    usual = trunkline(*words, "--json", "-").data
    assert usual["message_bytes"] == _core.usual_message_bytes
    file = tmp_path / "wave.yaml"
    assert trunkline(*words, "--bytes", "100kB", "-o", file).status == 0
    assert "for messages of 100000 B" in file.read_text()
    assert trunkline("plan", "show", file, "--json", "-").data["children"] == data["children"]
    assert "bcast, wave, for 100000 B over two-site" in trunkline(*words, "--bytes", "100000").out
    assert "message_bytes" not in trunkline("plan", "two-site", "--json", "-").data


def test_segments_have_the_units_that_sizes_have(trunkline):
    for text, written in (("1MB", "1000000B"), ("64kB", "64000B"), ("1.5KiB", "1536B"), ("4096", "4KiB")):
        assert f"segment: {written}\n" in trunkline("plan", "paper-1", "--segment", text, "-o", "-").out


def test_the_picture(trunkline, tmp_path):
    file = tmp_path / "plan.svg"
    assert trunkline("plan", "cyclic", "--root", "h5", "--svg", file).status == 0
    svg = ET.parse(file).getroot()
    texts = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"bcast, linear, over cyclic from h5", "32 ranks on 32 hosts · height 31 · contention-free", "h31"} <= texts
    assert float(svg.get("width")) <= 1100


def test_the_picture_shows_contention():
    cluster = load_cluster("cyclic")
    placement = _core.block_placement(cluster, 1)
    red = f'stroke="{CONTENDED}"'
    svg = draw_plan(cluster, placement, _core.lay_trees("bcast", "unaware-linear", cluster, placement, 0)[0])
    assert "up to 8 senders on one channel" in svg
    assert svg.count(red) == 31 + 1  # every transfer, and the legend
    assert red not in draw_plan(cluster, placement, _core.lay_trees("bcast", "linear", cluster, placement, 0)[0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--root", "h99"], "there is no host 'h99' in cyclic; near to it are: h9, "),
        (["--root", "32"], "there is no rank 32; the ranks are 0 to 31"),
        (["--root", "-1"], "there is no host '-1' in cyclic; "),
        (["--root", "s0"], "there is no host 's0' in cyclic; "),
        (
            ["--shape", "liner"],
            "no algorithm of bcast is called 'liner' (did you mean linear?); 'trunkline algorithms' lists all",
        ),
        (["--shape", "native"], "native is the MPI library's own algorithm, which has no plan; "),
        (["--collective", "bcats"], "there is no collective 'bcats'; the nearest is bcast; there are: bcast, "),
        (["--ranks-per-host", "0"], "--ranks-per-host must be from 1 to 31250 on 32 hosts, not 0"),
        (["--ranks-per-host", "99999999"], "--ranks-per-host must be from 1 to 31250 on 32 hosts, not 99999999"),
        (["--segment", "4K", "-o", "-"], "--segment: '4K' is not a size (did you mean 4KiB?); "),
        (["--segment", "0", "-o", "-"], "--segment: a segment must be above zero and at most 1GiB, not 0"),
        (["--segment", "2GB", "-o", "-"], "--segment: a segment must be above zero and at most 1GiB, not 2GB"),
        (["--segment", "4KiB"], "--segment 4KiB goes into the plan file: name one with --output FILE"),
        (["--segment", "1MB"], "--segment 1MB goes into the plan file: name one with --output FILE"),
        (
            ["--bytes", "8KiB"],
            "--bytes 8KiB: plans of linear do not depend on the size; those of wave, wave-mended, shortest-paths, ",
        ),
        (["--algorithm", "wave", "--bytes", "8K"], "--bytes: '8K' is not a size (did you mean 8KiB?); "),
        (["--algorithm", "wave", "--bytes", "0"], "--bytes 0: a message has a byte at least"),
        (["--json", "-", "--svg", "-"], "only one of --json and --svg can go to standard output"),
    ],
)
def test_wrong_words_are_refused_with_what_would_be_right(refused, words, message):
    said = refused("plan", "cyclic", *words)
    assert said.startswith(message)
    assert "\n" not in said


def test_help_has_an_example(trunkline):
    ran = trunkline("plan", "--help")
    assert ran.status == 0
    example = "Example: trunkline plan --cluster cyclic --collective bcast --algorithms linear --root h5"
    assert example in " ".join(ran.out.split())


def test_a_tree_that_is_none_is_refused():
    with pytest.raises(_core.InvalidPlan, match="rank 1 is reached a second time, by rank 0"):
        _core.Tree(0, [[1, 1], []])
    with pytest.raises(ValueError, match="no algorithm x for bcast"):
        _core.lay_trees("bcast", "x", None, [0], 0)[0]


def test_plan_files_with_faults(tmp_path):
    with pytest.raises(_core.FaultyFile) as caught:
        _core.parse_plan("trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 2\nroot: 0\nline: [0, 0]\n", "p")
    assert [fault.text() for fault in caught.value.faults] == ["p:6:11: rank 0 sends to itself"]
    with pytest.raises(_core.FaultyFile, match="cannot be read"):
        _core.read_plan(str(tmp_path / "none.yaml"))


@given(st.text(max_size=300))
def test_random_text_is_refused(text):
    with pytest.raises(_core.FaultyFile) as caught:
        _core.parse_plan(text, "x.yaml")
    assert caught.value.faults


@st.composite
def trees(draw):
    ranks = draw(st.integers(1, 40))
    children = [[] for _ in range(ranks)]
    for rank in range(1, ranks):
        children[draw(st.integers(0, rank - 1))].append(rank)
    return _core.Tree(0, children)


@given(trees(), st.sampled_from(["cyclic", "paper-3", "paper-1"]), st.integers(0, 31))
def test_any_tree_can_be_drawn_and_written(tree, name, first):
    cluster = load_cluster(name)
    placement = [(first + rank) % len(cluster.hosts) for rank in range(len(tree))]
    ET.fromstring(draw_plan(cluster, placement, tree))
    plan = _core.PlanFile()
    plan.algorithm, plan.plan = "custom", _core.Plan([tree])
    assert [read.children for read in _core.parse_plan(_core.write_plan(plan), "x").plan.trees] == [tree.children]
    children = {str(rank): receivers for rank, receivers in enumerate(tree.children)}
    loads = senders_by_channel(cluster, [cluster.hosts[host] for host in placement], children)
    assert _core.contention_of(cluster, placement, _core.Plan([tree])).max_channel_load == max(
        loads.values(), default=0
    )


@given(trees(), st.integers(1, 5))
def test_any_tree_of_shared_hosts_is_drawn_by_its_levels(tree, each):
    cluster = load_cluster("8w")
    placement = [rank // each % len(cluster.hosts) for rank in range(len(tree))]
    svg = draw_ranks(cluster, placement, tree, "x")
    dots = re.findall(r'<circle cx="([0-9.]+)" cy="([0-9.]+)" r="4.5"', svg)
    assert len(set(dots)) == len(dots) == len(tree)
    crossing = sum(placement[child] != placement[rank] for rank, below in enumerate(tree.children) for child in below)
    assert f" {crossing} links over the network<" in svg
    plan = _core.Plan([tree])
    ET.fromstring(kind_of(plan).draw(cluster, placement, plan, "x"))


def test_algorithms_say_what_they_are():
    known = {a.name: a for a in _core.algorithms() if a.collective == "bcast"}
    assert {"native", "linear", "unaware-linear"} <= known.keys()
    assert known["linear"].needs_cluster
    assert all(a.description and a.cost for a in known.values())


def test_json_is_the_same_in_a_file(trunkline, tmp_path):
    file = tmp_path / "plan.json"
    trunkline("plan", "paper-1", "--json", file)
    assert json.loads(file.read_text()) == trunkline("plan", "paper-1", "--json", "-").data


def test_two_trees_at_once(trunkline):
    data = trunkline("plan", "cyclic", "--shape", "two-tree", "--root", "h5", "--json", "-").data
    assert (data["contention_free"], data["max_channel_load"], len(data["trees"])) == (True, 1, 2)
    for tree in data["trees"]:
        assert tree["parent"]["5"] is None
        assert tree["max_degree"] <= 2
        assert tree["height"] <= 7
    assert "\nTree 2 of 2: segments 1, 3, 5, ...\n" in trunkline("plan", "cyclic", "--shape", "two-tree").out


def test_each_of_two_trees_has_a_title_of_its_own(trunkline, tmp_path):
    file, plan = tmp_path / "plan.svg", tmp_path / "plan.yaml"
    words = ("plan", "cyclic", "--shape", "two-tree", "--root", "h5")
    assert trunkline(*words, "--svg", file, "-o", plan).status == 0
    assert len(_core.read_plan(str(plan)).plan.trees) == 2
    svg = ET.parse(file).getroot()
    name = "{http://www.w3.org/2000/svg}"
    of_both = "· bcast, two-tree, over cyclic from h5"
    titles = [title.text for title in svg.iter(f"{name}title")]
    assert titles == [f"Tree 1 of 2: segments 0, 2, 4, ... {of_both}", f"Tree 2 of 2: segments 1, 3, 5, ... {of_both}"]
    assert set(titles) <= {text.text for text in svg.iter(f"{name}text")}
    first, second = svg.findall(f"{name}svg")
    assert float(second.get("y")) == float(first.get("height"))
    assert float(svg.get("height")) == float(first.get("height")) + float(second.get("height"))


def test_two_trees_in_a_plan_file(trunkline, tmp_path):
    file = tmp_path / "plan.yaml"
    data = trunkline("plan", "cyclic", "--shape", "two-tree", "--ranks-per-host", 2, "-o", file, "--json", "-").data
    plan = _core.read_plan(str(file))
    assert plan.algorithm == "two-tree"
    assert [[str(parent) for parent in tree.parent] for tree in plan.plan.trees] == [
        [str(parent) for parent in tree["parent"].values()] for tree in data["trees"]
    ]
    assert [tree.children for tree in plan.plan.trees] == [list(tree["children"].values()) for tree in data["trees"]]


def test_the_fingerprint_of_a_topology_knows_no_rates():
    cluster = load_cluster("cyclic")
    faster = _core.scaled(cluster, 1e10)
    assert faster.fingerprint != cluster.fingerprint
    assert faster.topology_fingerprint == cluster.topology_fingerprint
    assert len({load_cluster(f"paper-{n}").topology_fingerprint for n in range(1, 6)}) == 5


@pytest.mark.parametrize("name", ["scatter-ring", "scatter-doubling", "circulant"])
def test_plans_by_rounds_have_a_file_and_a_list(trunkline, tmp_path, name):
    file = tmp_path / "plan.yaml"
    words = ("plan", "cyclic", "--algorithm", name, "--root", "5")
    assert trunkline(*words, "-o", file).status == 0
    read = _core.read_plan(str(file))
    read.plan.check()
    assert (read.algorithm, read.plan.generator, read.plan.root, len(read.plan)) == (name, name, 5, 32)
    data = trunkline(*words, "--json", "-").data
    assert data["contention_free"] == (name == "scatter-ring")
    if name == "circulant":
        assert "rounds" not in data
        return
    got = {5: set(range(data["blocks"]))}
    for transfers in data["rounds"]:
        for one in transfers:
            blocks = set(range(one["first"], one["first"] + one["count"]))
            assert blocks <= got[one["from"]]
            got.setdefault(one["to"], set()).update(blocks)
    assert all(len(got[rank]) == data["blocks"] for rank in range(32))


BY_ROUNDS = [(algorithm.collective, algorithm.name) for algorithm in _core.algorithms() if algorithm.by_rounds]


@pytest.mark.parametrize(("collective", "name"), BY_ROUNDS)
def test_every_plan_of_rounds_is_laid_written_read_and_drawn(trunkline, tmp_path, collective, name):
    file, picture = tmp_path / "plan.yaml", tmp_path / "plan.svg"
    words = ("--collective", collective, "--algorithm", name, "-o", file, "--svg", picture)
    assert trunkline("plan", "paper-1", *words).status == 0
    assert "<svg" in picture.read_text()
    again = trunkline("plan", "paper-1", "--plan", file)
    assert (again.status, again.error) == (0, "")
    explained = trunkline("explain", "paper-1", "--collective", collective, "--plan", file, "--sizes", "1MiB")
    assert "TRUNKLINE_PLAN fits this communicator and root" in " ".join(explained.out.split())


def test_a_plan_of_rounds_is_for_one_collective(trunkline, tmp_path):
    file = tmp_path / "plan.yaml"
    trunkline("plan", "paper-1", "--collective", "allgather", "--algorithm", "ring", "-o", file)
    file.write_text(file.read_text().replace("collective: allgather", "collective: allreduce"))
    refused = trunkline("plan", "paper-1", "--plan", file)
    assert refused.status == 2
    assert "is no generator of rounds for this collective; known for allreduce are allreduce-ring" in refused.error
