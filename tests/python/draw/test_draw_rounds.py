"""Pictures of plans of rounds, and what ``trunkline plan`` says of them."""

import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.draw.colours import CONTENDED, HOST, LINK, SOFT
from trunkline.draw.rounds import MOST_RANKS, MOST_ROUNDS
from trunkline.draw.shown_rounds import blocks_shown
from trunkline.kinds import kind_of

NAME = "{http://www.w3.org/2000/svg}"
BY_HAND = """\
trunkline: plan/1
collective: bcast
shape: custom
ranks: 4
root: 0
rounds:
  blocks: 2
  transfers:
    - [{from: 0, to: 1, blocks: 0}]
    - [{from: 0, to: 2, blocks: 0-1}, {from: 1, to: 3, blocks: 0}]
    - [{from: 0, to: 1, blocks: 1}, {from: 2, to: 3, blocks: 1}]
"""


def laid(cluster, name, ranks_per_host=1, root=0):
    placement = _core.block_placement(cluster, ranks_per_host)
    return placement, _core.lay("bcast", name, cluster, placement, root)


def cells_of(svg):
    """By row and round: what the cell's title says, its two lines, and its colour."""
    drawn = ET.fromstring(svg)
    labels = {}
    for text in drawn.findall(f"{NAME}text"):
        if label := re.fullmatch(r"(\d+)  \S+", text.text):
            labels[round(float(text.get("y")))] = int(label[1])
    found = {}
    for group in drawn.findall(f"{NAME}g"):
        title, box = group.find(f"{NAME}title").text, group.find(f"{NAME}rect")
        row = labels[round(float(box.get("y")) - 1 + 16)]
        lines = [text.text for text in group.findall(f"{NAME}text")]
        found[row, int(re.match(r"round (\d+):", title)[1])] = (title, lines, box.get("fill"))
    return found


@pytest.mark.parametrize("name", ["scatter-ring", "scatter-doubling", "circulant"])
@pytest.mark.parametrize(("where", "each"), [("cyclic", 1), ("paper-3", 2)])
def test_every_transfer_of_the_first_rounds_is_in_the_row_of_its_receiver(name, where, each):
    cluster = load_cluster(where)
    placement, plan = laid(cluster, name, each, 3)
    cells = cells_of(kind_of(plan).draw(cluster, placement, plan, "x"))
    order = sorted({rank for rank, _ in cells} | {3})
    assert len(order) == min(MOST_RANKS, len(plan))
    wanted = {}
    for number, transfers in enumerate(plan.list_rounds(blocks_shown(plan)).rounds[:MOST_ROUNDS]):
        paths = [cluster.path(*(cluster.hosts[placement[r]] for r in (t.sender, t.receiver))) for t in transfers]
        loads = Counter(channel for path in paths for channel in path)
        for one, path in zip(transfers, paths, strict=True):
            if one.receiver not in order:
                continue
            blocks = f"{one.first}" if one.count == 1 else f"{one.first}-{one.first + one.count - 1}"
            colour = LINK if len(path) > 2 else HOST if path else SOFT
            shared = max((loads[channel] for channel in path), default=0)
            title = f"round {number}: block{'s' * (one.count > 1)} {blocks} from rank {one.sender} on "
            title += cluster.hosts[placement[one.sender]]
            title += f"; {shared} transfers share a channel" if shared > 1 else ""
            wanted[one.receiver, number] = (title, [blocks, str(one.sender)], CONTENDED if shared > 1 else colour)
    assert cells == wanted


def test_signs_before_blocks_are_explained():
    cluster = load_cluster("leaf-spine")
    placement = _core.block_placement(cluster, 3)
    drawn = {name: _core.lay("allreduce", name, cluster, placement, 0) for name in ("ring", "4-lane-radix")}
    svgs = {name: kind_of(plan).draw(cluster, placement, plan, "x") for name, plan in drawn.items()}
    assert ">=0</text>" in svgs["4-lane-radix"]
    assert ">+0</text>" in svgs["4-lane-radix"]
    meaning = "=: a sum that takes the place of what the rank has of it"
    assert meaning in svgs["4-lane-radix"]
    assert meaning not in svgs["ring"]
    assert all("+: added to what the rank has of it" in svg for svg in svgs.values())


def test_the_root_and_its_switch_come_first():
    cluster = load_cluster("cyclic")
    placement, plan = laid(cluster, "circulant", root=5)
    words = re.findall(r">(s\d|\d+  h\d+)<", kind_of(plan).draw(cluster, placement, plan, "x"))
    assert words[:4] == ["s1", "5  h5", "1  h1", "9  h9"]
    assert [word for word in words if word.startswith("s")] == ["s1", "s0", "s2", "s3"]


def test_what_it_says_of_all(trunkline, tmp_path):
    file = tmp_path / "plan.svg"
    assert trunkline("plan", "cyclic", "--algorithm", "circulant", "--root", "h5", "--svg", file).status == 0
    svg = file.read_text()
    assert "<title>bcast, circulant, over cyclic from h5</title>" in svg
    assert ">32 ranks on 32 hosts · here 6 blocks in 10 rounds<" in svg
    assert ">any number of blocks goes in this way<" in svg
    assert ">up to 16 transfers share a channel in one round<" in svg
    assert "not drawn" not in svg
    assert int(re.search(r'width="(\d+)"', svg)[1]) <= 480, "for a phone, almost at its whole size"
    assert trunkline("plan", "cyclic", "--algorithm", "scatter-ring", "--svg", file).status == 0
    svg = file.read_text()
    assert ">32 ranks on 32 hosts · 32 blocks in 36 rounds<" in svg
    assert ">contention-free in each round<" in svg
    assert ">... 16 more rounds are not drawn<" in svg
    assert CONTENDED not in svg


def test_many_ranks_are_cut_off_and_counted():
    cluster = load_cluster("random:96x8")
    placement, plan = laid(cluster, "scatter-ring")
    svg = kind_of(plan).draw(cluster, placement, plan, "x")
    assert ">... 32 more ranks are not drawn<" in svg
    assert len({rank for rank, _ in cells_of(svg)} | {0}) == MOST_RANKS


@given(st.integers(1, 40), st.integers(1, 3), st.sampled_from(["scatter-ring", "scatter-doubling", "circulant"]))
@settings(max_examples=20)
def test_any_number_of_ranks_can_be_drawn(hosts, each, name):
    cluster = load_cluster(f"random:{hosts}x{min(hosts, 4)}")
    placement, plan = laid(cluster, name, each)
    ET.fromstring(kind_of(plan).draw(cluster, placement, plan, "x"))


def test_a_plan_by_hand_is_shown_over_a_cluster(trunkline, tmp_path):
    plan, svg = tmp_path / "plan.yaml", tmp_path / "plan.svg"
    plan.write_text(BY_HAND)
    ran = trunkline("plan", "paper-4", "--ranks-per-host", 2, "--plan", plan, "--svg", svg)
    assert ran.out.splitlines() == [
        "bcast, custom over paper-4 from rank 0 (h0): 4 ranks, 2 blocks in 3 rounds",
        "Contention: 2 senders share each of h0->s0, s0->h1.",
        "",
        "round 0: 0 -> 1: block 0",
        "round 1: 0 -> 2: blocks 0-1, 1 -> 3: block 0",
        "round 2: 0 -> 1: block 1, 2 -> 3: block 1",
    ]
    assert "bcast, custom, over paper-4 from h0" in svg.read_text()
    assert cells_of(svg.read_text())[2, 1][1:] == (["0-1", "0"], CONTENDED)
    data = trunkline("plan", "cyclic", "--plan", plan, "--json", "-").data
    assert (data["hosts"], data["blocks"], len(data["rounds"])) == (["h0", "h1", "h2", "h3"], 2, 3)


def test_a_plan_of_a_file_sits_on_its_own_hosts(trunkline, tmp_path):
    """Of trees too, and written again as it was."""
    plan = tmp_path / "plan.yaml"
    for name in ("scatter-doubling", "two-tree"):
        words = ("--algorithm", name, "--root", "h7", "--ranks-per-host", 2, "--segment", "2856")
        laid_here = trunkline("plan", "cyclic", *words, "-o", plan, "--json", "-").data
        assert trunkline("plan", "cyclic", "--plan", plan, "--json", "-").data == laid_here
        assert trunkline("plan", "cyclic", "--plan", plan, "-o", "-").out.rstrip() == plan.read_text().rstrip()


@pytest.mark.parametrize(
    ("change", "words", "message"),
    [
        ("", ["cyclic", "--root", "h5"], "--plan {file} says itself what --root would say; leave that out, or change "),
        (
            "",
            ["cyclic", "--algorithm", "flat", "--collective", "bcast"],
            "--plan {file} says itself what --collective ",
        ),
        ("", ["random:3x1"], "plan.yaml is for 4 ranks, and random-3x1 has room for 3 here; give more with "),
        ("hosts: 'h[0-3]'\n", ["cyclic", "--ranks-per-host", "1"], "--plan {file} says itself what --ranks-per-host "),
        ("hosts: 'x[0-3]'\n", ["cyclic"], "plan.yaml has a rank on x0, which is no host of cyclic; name the plan's "),
        (
            "cluster: other\ncluster_fingerprint: '0123456789abcdef'\n",
            ["cyclic"],
            "plan.yaml was laid over cluster other as it was, not over cyclic as it is now; name the plan's cluster, ",
        ),
        ("route: 0\n", ["cyclic"], "{file}:6:1: "),
    ],
)
def test_plans_that_do_not_fit(refused, tmp_path, change, words, message):
    file = tmp_path / "plan.yaml"
    file.write_text(BY_HAND.replace("rounds:", change + "rounds:"))
    assert refused("plan", *words, "--plan", file).startswith(message.format(file=file))
