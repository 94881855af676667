import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.sources.faults import Faults, Place
from trunkline.sources.network import write_network
from trunkline.sources.rates import given_rates
from trunkline.sources.slurm_conf import read_topology_conf
from trunkline.sources.slurm_job import read_job
from trunkline.sources.slurm_tree import network_of
from trunkline.sources.slurm_yaml import read_topology_yaml

DATA = Path(__file__).parent / "data"
RATES = given_rates("10Gbit", "40Gbit", "2us", "rates")


def imported(text, kind="conf", topology=None):
    """The cluster of a file's text; BadInput with all faults."""
    faults = Faults()
    file = f"topology.{kind}"
    if kind == "conf":
        lines = read_topology_conf(text, file, faults)
    else:
        _, lines = read_topology_yaml(text, file, topology, faults)
    if lines or not faults:
        network = network_of(lines, Place(file), "x", RATES, faults)
    faults.raise_if_any()
    return _core.parse_cluster(write_network(network, "here"), "written")


def job(text):
    faults = Faults()
    network = read_job(text, "job", "x", RATES, faults)
    faults.raise_if_any()
    return _core.parse_cluster(write_network(network, "here"), "written")


def tree_of(cluster):
    """Hosts with their switches, in order; trunks."""
    homes = {host: cluster.switch_of(number) for number, host in enumerate(cluster.hosts)}
    trunks = {(link.a, link.b) for link in cluster.links if link.a not in homes and link.b not in homes}
    return homes, trunks


def test_a_continued_line_goes_on_without_a_blank():
    homes, _ = tree_of(imported("SwitchName=s0 Nodes=n1,\\\nn2\n"))
    assert homes == {"n1": "s0", "n2": "s0"}
    with pytest.raises(BadInput, match="SwitchName has no value"):
        imported("SwitchName=s0\\\nNodes=n1\n")


def test_topology_conf():
    cluster = imported((DATA / "topology.conf").read_text())
    homes, trunks = tree_of(cluster)
    assert list(homes) == [*(f"node{n:03}" for n in range(1, 7)), "gpu1", "gpu2", "node009", "node010", "login"]
    assert [homes[host] for host in ("node001", "gpu2", "node009", "login")] == ["rack1", "rack2", "rack3", "rack4"]
    assert cluster.switches == ["rack1", "rack2", "rack3", "rack4", "row1", "row2", "core"]
    assert trunks == {
        ("row1", "rack1"),
        ("row1", "rack2"),
        ("row2", "rack3"),
        ("row2", "rack4"),
        ("core", "row1"),
        ("core", "row2"),
    }
    rates = {link.rate_bps for link in cluster.links if link.a in homes or link.b in homes}
    assert rates == {1e10}
    assert {link.rate_bps for link in cluster.links} - rates == {4e10}
    assert {link.latency_s for link in cluster.links} == {2e-6}


@pytest.mark.parametrize("speed", ["10k", "0x10", "UNLIMITED", "fast"])
def test_link_speeds_are_not_looked_at(speed):
    """As in Slurm, which gives them no unit and does not use them."""
    assert imported(f"SwitchName=s0 Nodes=n[1-2] LinkSpeed={speed}\n").hosts == ["n1", "n2"]


SHOWN = """\
SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-3]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[4-7]
SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tux[0-8] Switches=s[0-1]
SwitchName=s3 Level=2 LinkSpeed=1 Nodes=tux[0-8] Switches=s2
"""
"""By 'scontrol show topology': nodes of all switches below, and tux8 on s2 itself."""


def test_scontrol_show_topology():
    cluster = imported(SHOWN.replace("SwitchName=s3 Level=2 LinkSpeed=1 Nodes=tux[0-8] Switches=s2\n", ""))
    assert [cluster.switch_of(host) for host in range(9)] == ["s0"] * 4 + ["s1"] * 4 + ["s2"]
    words = ["trunkline", "cluster", "import", "slurm", "-", "--rate", "10Gbit"]
    piped = subprocess.run(words, input=SHOWN, capture_output=True, text=True, check=False)
    assert piped.returncode == 0, piped.stderr
    assert "\nname: cluster\n" in piped.stdout
    assert "  - hosts: tux8\n    switch: s2\n" in piped.stdout


def test_a_core_that_the_file_does_not_have(trunkline, tmp_path):
    file = tmp_path / "topology.conf"
    file.write_text("SwitchName=s0 Nodes=n[1-2]\nSwitchName=s1 Nodes=n[3-4]\n")
    ran = trunkline("cluster", "import", "slurm", file, "--core", "top")
    assert ran.status == 0, ran.error
    assert "switches: top,s[0-1]\n" in ran.out
    assert ran.out.endswith("links:\n  - between: [top, s0]\n  - between: [top, s1]\n")


CORE_CONF = """
SwitchName=Verteiler-Süd Nodes=n[1-2]
SwitchName=leaf2 Nodes=n[3-4]
SwitchName="Core Switch 1" Switches="Verteiler-Süd, leaf2"
"""
CORE_YAML = """
- topology: main
  tree:
    switches:
      - {switch: Verteiler-Süd, nodes: "n[1-2]"}
      - {switch: leaf2, nodes: "n[3-4]"}
      - {switch: Core Switch 1, children: "Verteiler-Süd,leaf2"}
"""


@pytest.mark.parametrize(("file", "text"), [("t.conf", CORE_CONF), ("t.yaml", CORE_YAML)])
def test_names_of_switches_that_a_cluster_file_cannot_hold(trunkline, tmp_path, file, text):
    (tmp_path / file).write_text(text)
    ran = trunkline("cluster", "import", "slurm", tmp_path / file)
    assert ran.status == 0, ran.error
    cluster = _core.parse_cluster(ran.out, "out")
    assert tree_of(cluster) == tree_of(
        _core.parse_cluster(
            "trunkline: cluster/1\nname: t\nswitches: [Verteiler-Sud, leaf2, Core-Switch-1]\n"
            "hosts: [{hosts: 'n[1-2]', switch: Verteiler-Sud}, {hosts: 'n[3-4]', switch: leaf2}]\n"
            "links: [{between: [Core-Switch-1, Verteiler-Sud]}, {between: [Core-Switch-1, leaf2]}]\n"
            "defaults: {rate: 1Gbit, latency: 10us}\n",
            "t",
        )
    )
    assert "'Verteiler-Süd' became Verteiler-Sud, 'Core Switch 1' became Core-Switch-1" in ran.error


@pytest.mark.parametrize("told", ["Verteiler-Süd", "verteiler-süd", "VERTEILER-SUD"])
def test_a_core_that_the_file_has_by_another_spelling_is_that(trunkline, tmp_path, told):
    (tmp_path / "t.conf").write_text("\n".join(CORE_CONF.splitlines()[:3]))
    ran = trunkline("cluster", "import", "slurm", tmp_path / "t.conf", "--core", told)
    assert list(_core.parse_cluster(ran.out, "out").switches) == ["Verteiler-Sud", "leaf2"]


def test_topology_yaml_takes_the_default_or_the_named_tree():
    text = (DATA / "topology.yaml").read_text()
    homes, trunks = tree_of(imported(text, "yaml"))
    assert list(homes) == [f"node{n:02}" for n in range(1, 9)]
    assert trunks == {("core", "rack1"), ("core", "rack2")}
    assert tree_of(imported(text, "yaml", "gpus")) == ({"gpu1": "g0", "gpu2": "g0"}, set())


def test_a_switch_below_two_others_is_a_redundant_network():
    cluster = imported(
        "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=s1 Switches=a,b\nSwitchName=s2 Switches=a,b\n"
    )
    assert len(cluster.links) == 6
    assert len(cluster.unused_links) == 1


CONF_FAULTS = {
    "loop": (
        "SwitchName=a Switches=b\nSwitchName=b Switches=c\nSwitchName=c Switches=a,d\nSwitchName=d Nodes=n1\n",
        ["3:23: a is above itself: a > b > c > a; take a out of c"],
    ),
    "itself": (
        "SwitchName=a Switches=a,b\nSwitchName=b Nodes=n1\n",
        ["1:23: a is above itself: a > a; take a out of a"],
    ),
    "unknown switch": (
        "SwitchName=s0 Nodes=n1\nSwitchName=top Switches=s0,s9\n",
        ["2:25: top has a child s9 that no line describes (did you mean s0?)"],
    ),
    "a node under two switches": (
        "SwitchName=s0 Nodes=n[1-3]\nSwitchName=s1 Nodes=n[2-4]\nSwitchName=t Switches=s[0-1]\n",
        [
            "2:21: node n2 is under s1 and under s0 (first at topology.conf:1:21); "
            "a host has one link, so keep one; and 1 more like it"
        ],
    ),
    "a node twice": (
        "SwitchName=s0 Nodes=n1,n1\n",
        ["1:21: node n1 is twice (first at topology.conf:1:21); a host has one link, so keep one"],
    ),
    "two switches of one name": (
        "SwitchName=s0 Nodes=n1\nSwitchName=s0 Nodes=n2\n",
        ["2:12: switch s0 is described already (at topology.conf:1:12); put all of it in one place"],
    ),
    "a node named as a switch": (
        "SwitchName=s0 Nodes=n1,s0\n",
        ["1:21: host s0 is there already, as a switch (at topology.conf:1:12); a name stands for one node"],
    ),
    "empty range": (
        "SwitchName=s0 Nodes=n[]\n",
        ["1:21: Nodes=n[]: inside [ ] stand numbers and ranges, such as [01-16,20]"],
    ),
    "backwards": ("SwitchName=s0 Nodes=n[3-1]\n", ["1:21: Nodes=n[3-1]: the range 3-1 runs backwards; write 1-3"]),
    "ALL": ("SwitchName=s0 Nodes=ALL\n", ["1:21: Nodes=ALL names nothing; write the names, such as node[01-16]"]),
    "two pieces": (
        "SwitchName=s0 Nodes=n1\nSwitchName=s1 Nodes=n[2-3]\n",
        [
            "1:12: the network is in 2 pieces: no link joins s0 (1 host) to the rest (s1); "
            "add the switch that joins them, with both among its child switches, or name it with --core NAME"
        ],
    ),
    "no hosts": ("SwitchName=s0\n", [" there are no hosts in it; a cluster needs some"]),
    "nothing": ("# nothing\n", [" no switches are in it; Slurm writes them as SwitchName=s0 Nodes=node[01-16]"]),
    "unknown key": (
        "SwitchName=s0 Noodes=n1\n",
        ['1:15: unknown key "Noodes" (did you mean Nodes?); known here are SwitchName, Switches, Nodes, LinkSpeed'],
    ),
    "key twice": ("SwitchName=s0 Nodes=n1 nodes=n2\n", ["1:24: nodes is given twice; keep one"]),
    "no value": (
        "SwitchName=s0 Nodes= \n",
        ["1:15: Nodes has no value; leave it out, or write it without blanks, such as Nodes=node[01-16]"],
    ),
    "value missing before a key": (
        "SwitchName=s0 Nodes= Switches=s1\n",
        ["1:15: Nodes has no value; leave it out, or write it without blanks, such as Nodes=node[01-16]"],
    ),
    "no name": ("Nodes=n1\n", ["1:1: SwitchName is missing; each line describes one switch"]),
    "no pair": ("SwitchName=s0 n1\n", ["1:15: 'n1' is not KEY=VALUE, such as SwitchName=s0 or Nodes=node[01-16]"]),
    "include": ("Include other.conf\n", ["1:1: Include is not followed; import that file, or put its lines here"]),
    "blocks, as scontrol shows them": (
        "BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nAggregatedBlock=b[1-2] BlockIndex=0 BlockSize=4 Nodes=n\n",
        ["1:1: a block topology says nothing of switches; import needs lines of SwitchName; and 1 more like it"],
    ),
    "blanks between hosts": (
        'SwitchName=s0 Nodes="n1 n2"\n',
        ["1:22: Nodes=n1 n2: names are separated by commas, not by blanks"],
    ),
    "a list as name": ("SwitchName=s[0-1] Nodes=n1\n", ["1:12: 's[0-1]' is a list of names; give one"]),
    "block": (
        "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\nBlockSizes=4\n",
        ["1:1: a block topology says nothing of switches; import needs lines of SwitchName; and 2 more like it"],
    ),
    "place on a continued line": (
        "SwitchName=s0 \\\n  Nodes=n1 \\\n    Nodes=n2\n",
        ["3:5: Nodes is given twice; keep one"],
    ),
    "several at once, in order": (
        "SwitchName=a Nodes=n[\nFoo=1\nSwitchName=b Switches=zzz\n",
        [
            "1:20: Nodes=n[: a [ without its ]",
            '2:1: unknown key "Foo"; known here are SwitchName, Switches, Nodes, LinkSpeed',
            "3:23: b has a child zzz that no line describes",
        ],
    ),
}


@pytest.mark.parametrize(("text", "messages"), CONF_FAULTS.values(), ids=CONF_FAULTS)
def test_faults_of_topology_conf(text, messages):
    with pytest.raises(BadInput) as caught:
        imported(text)
    many = f"{len(messages)} faults; nothing is done with a faulty file\n" if len(messages) > 1 else ""
    assert str(caught.value) == many + "\n".join(f"topology.conf:{message}" for message in messages)


YAML_FAULTS = {
    "not YAML": ("- topology: [a\n", None, "2:1: not YAML: expected ',' or ']', but got '<stream end>'"),
    "control character": ("- topology: a\x01\n", None, "1:14: not YAML: special characters are not allowed"),
    "empty": ("# nothing\n", None, " the file is empty"),
    "no list": (
        "topology: a\n",
        None,
        "1:1: topology.yaml is a list of topologies: - topology: NAME, with tree: below it",
    ),
    "no name": ("- flat: true\n", None, "1:3: topology is missing; give the topology its name, such as topology: main"),
    "no topology": ("[]\n", None, " there is no topology in it"),
    "unknown key": (
        "- topology: a\n  treee: {}\n",
        None,
        '2:3: unknown key "treee" (did you mean tree?); known here are topology, cluster_default, tree, block, flat, '
        "ring, torus3d",
    ),
    "block": (
        "- topology: a\n  block: {block_sizes: [4]}\n",
        None,
        "1:13: topology a is not a tree: a block topology says nothing of switches; name a tree with --topology",
    ),
    "flat default": (
        "- topology: a\n  flat: true\n  cluster_default: true\n- topology: b\n  tree: {switches: []}\n",
        None,
        "1:13: topology a is not a tree: a flat topology says nothing of switches; name a tree with --topology",
    ),
    "two kinds": (
        "- topology: a\n  tree: {switches: [{switch: s, nodes: n1}]}\n  flat: true\n",
        None,
        "3:9: topology a has both tree and flat; a topology is of one kind",
    ),
    "no switches": (
        "- topology: a\n  tree: {}\n",
        None,
        "2:9: switches is missing; give a list of - switch: NAME, with nodes or children",
    ),
    "tree of text": ("- topology: a\n  tree: oak\n", None, "2:9: tree must be a mapping of switches"),
    "nameless switch": (
        "- topology: a\n  tree:\n    switches:\n    - nodes: n1\n",
        None,
        "4:7: switch is missing; give the switch its name, such as switch: s0",
    ),
    "nodes as a list": (
        "- topology: a\n  tree:\n    switches:\n    - switch: s\n      nodes: [n1]\n",
        None,
        "5:14: nodes must be a host list, such as nodes: node[01-16]",
    ),
    "unknown child": (
        "- topology: a\n  tree:\n    switches:\n    - {switch: s, nodes: n1}\n    - {switch: t, children: 's,u1'}\n",
        None,
        "5:29: t has a child u1 that no line describes",
    ),
    "a list without end": ("[" * 5000, None, " not a topology: lists and mappings nested without end"),
    "no such topology": (
        "- topology: main\n  tree: {switches: []}\n",
        "mian",
        " has no topology mian (did you mean main?); it has main",
    ),
    "two trees": (
        "- topology: a\n  tree: {switches: []}\n- topology: b\n  tree: {switches: []}\n",
        None,
        " has several trees and no cluster_default; name one with --topology: a, b",
    ),
}


@pytest.mark.parametrize(("text", "topology", "message"), YAML_FAULTS.values(), ids=YAML_FAULTS)
def test_faults_of_topology_yaml(text, topology, message):
    with pytest.raises(BadInput) as caught:
        imported(text, "yaml", topology)
    colon = "" if message.startswith(" has ") else ":"
    assert str(caught.value) == f"topology.yaml{colon}{message}"


def test_lines_of_a_job():
    cluster = job((DATA / "slurm-job.txt").read_text())
    homes, trunks = tree_of(cluster)
    assert homes == {
        "belenos386": "iswi1r4s0",
        "belenos387": "iswi1r4s0",
        "belenos12": "iswi2r1s0",
        "belenos-io1": "ioleaf",
    }
    assert trunks == {
        ("root_switch", "CELL1"),
        ("CELL1", "iswi1r4s0"),
        ("root_switch", "CELL2"),
        ("CELL2", "iswi2r1s0"),
        ("root_switch", "ioleaf"),
    }
    assert [cluster.find_host(name) for name in ("belenos387.example.org", "io-1", "belenos-io1")] == [1, 3, 3]


def test_several_spines_above_a_leaf_are_a_redundant_network():
    cluster = job("n1 spine[1-2].leaf1.n1 switch.switch.node\nn2 spine[1-2].leaf2.n2 switch.switch.node\n")
    assert len(tree_of(cluster)[1]) == 4
    assert len(cluster.unused_links) == 1


JOB_FAULTS = {
    "words": ("n1 s0.n1\n", "job:1:1: 2 words; a line is HOSTNAME ADDRESS PATTERN, such as node12 s0.s4.node12"),
    "no tree": ("n1 n1 node\nn2 n2 node\n", "job:1:4: Slurm knows no switches here (pattern node); it needs"),
    "blocks": ("n1 b1.n1 block.node\n", "job:1:4: the pattern block.node is not of a tree of switches, such as"),
    "parts": (
        "n1 s0.n1 switch.switch.node\n",
        "job:1:4: the address s0.n1 has 2 parts, its pattern switch.switch.node has 3",
    ),
    "dots": (
        "n1 s0.lab.n1 switch.node\n",
        "job:1:4: names of switches in s0.lab.n1 hold dots, so its parts cannot be told",
    ),
    "two leaves": (
        "n1 c.s[0-1].n1 switch.switch.node\n",
        "job:1:4: n1 hangs on several switches (s0, s1); a host has one link, so import topology.conf with one of them",
    ),
    "levels": (
        "n1 c[1-2].a[1-2].s0.n1 switch.switch.switch.node\n",
        "job:1:4: which of a1 or a2 is below which of c1 or c2 cannot be told; import topology.conf",
    ),
    "loop": (
        "n1 a.b.n1 switch.switch.node\nn2 b.a.n2 switch.switch.node\n",
        "job:2:4: b is below no switch, but below a at job:1:4; are the lines of one cluster?",
    ),
    "moved": (
        "n1 a.b.n1 switch.switch.node\nn1 a.c.n1 switch.switch.node\n",
        "job:2:4: n1 hangs on c, but on b at job:1:4; keep one of the lines",
    ),
    "pieces": (
        "n1 a.n1 switch.node\nn2 b.n2 switch.node\n",
        "job:2:4: the network is in 2 pieces: no link joins b (1 host) to the rest (a); the job's nodes have no switch",
    ),
    "two nodes of one host name": (
        "vm s.n1 switch.node\nvm s.n2 switch.node\n",
        "job:2:4: vm, an alias of host n2, stands for another node already (at job:1:4)",
    ),
    "brackets": ("n1 s[.n1 switch.node\n", "job:1:4: s[: a [ without its ]"),
    "empty": ("\n", "job: there are no hosts in it; a cluster needs some"),
    "no switch": ("n1 .n1 switch.node\n", "job:1:4: the address .n1 names no switch above n1"),
}


@pytest.mark.parametrize(("text", "message"), JOB_FAULTS.values(), ids=JOB_FAULTS)
def test_faults_of_job_lines(text, message):
    with pytest.raises(BadInput) as caught:
        job(text)
    assert message in str(caught.value)


@st.composite
def trees(draw):
    """Parents of switches (switch 0 is the root), and hosts with their switches; every switch leads to a host."""
    count = draw(st.integers(1, 12))
    parents = [draw(st.integers(0, n - 1)) for n in range(1, count)]
    homes = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=40))
    return parents, homes


@given(trees(), st.randoms(use_true_random=False))
def test_random_trees_come_back_from_topology_conf(tree, random):
    parents, homes = tree
    lines = []
    for switch in range(len(parents) + 1):
        hosts = [f"n{host:02}" for host, home in enumerate(homes) if home == switch]
        below = [f"s{child}" for child, parent in enumerate(parents, start=1) if parent == switch]
        parts = [f"{random.choice(['SwitchName', 'SWITCHNAME', 'switchname'])}=s{switch}"]
        parts += [f"Nodes={_core.compress_hostlist(hosts)}"] if hosts else []
        parts += [f"Switches={_core.compress_hostlist(below)}"] if below else []
        lines.append(random.choice([" ", " \\\n  ", "\t"]).join(parts))
    random.shuffle(lines)
    found_homes, found_trunks = tree_of(imported("\n".join(lines)))
    assert found_homes == {f"n{host:02}": f"s{home}" for host, home in enumerate(homes)}
    assert found_trunks == {(f"s{parent}", f"s{child}") for child, parent in enumerate(parents, start=1)}


@given(trees())
def test_random_trees_come_back_from_a_jobs_addresses(tree):
    parents, homes = tree

    def path(switch):
        return ([] if switch == 0 else path(parents[switch - 1])) + [f"s{switch}"]

    paths = [path(home) for home in homes]
    levels = max(len(p) for p in paths)
    pattern = "switch." * levels + "node"
    # A shallow leaf has empty levels, as Slurm writes them.
    text = "".join(
        f"n{host} {'.'.join([*p[:-1], *[''] * (levels - len(p)), p[-1]])}.n{host} {pattern}\n"
        for host, p in enumerate(paths)
    )
    found_homes, found_trunks = tree_of(job(text))
    assert found_homes == {f"n{host}": f"s{home}" for host, home in enumerate(homes)}
    used = {switch for p in paths for switch in p}
    assert found_trunks == {
        (f"s{parent}", f"s{child}") for child, parent in enumerate(parents, start=1) if f"s{child}" in used
    }


@given(
    st.sampled_from(["conf", "yaml"]), st.integers(0, 700), st.integers(0, 40), st.sampled_from(["", "[", "=", "s0"])
)
def test_damaged_files_are_read_or_refused(kind, begin, length, instead):
    text = (DATA / f"topology.{kind}").read_text()
    with suppress(BadInput):
        imported(text[:begin] + instead + text[begin + length :], kind)


@given(st.text(max_size=200))
def test_random_text_is_refused(text):
    for kind in ("conf", "yaml"):
        with pytest.raises(BadInput, match=r"topology\."):
            imported(text, kind)


def test_the_command_writes_a_cluster_that_passes_the_check(trunkline, tmp_path):
    file = tmp_path / "rack room.yaml"
    refused = trunkline("cluster", "import", "slurm", DATA / "topology.conf", "-o", file)
    assert refused.status == 2
    assert "the cluster's name: names are separated by commas, not by blanks; give one with --name" in refused.error
    file = tmp_path / "racks.yaml"
    ran = trunkline("cluster", "import", "slurm", DATA / "topology.conf", "-o", file, "--rate", "25Gbit")
    assert (ran.status, ran.out) == (0, "")
    assert "11 hosts on 7 switches" in ran.error
    assert (
        "hosts 25 Gbit/s, trunks 25 Gbit/s, latency 10us; assumed, since --trunk-rate, --latency were not given"
        in ran.error
    )
    assert file.read_text().startswith(
        "# From Slurm's topology.conf.\n# Slurm's topology tells no rates: hosts 25 Gbit/s"
    )
    checked = trunkline("cluster", "check", file)
    assert checked.out.startswith(f"{file}: OK, 11 hosts on 7 switches, 17 links")
    assert "name: racks\n" in file.read_text()


def test_the_command_takes_yaml_and_names_it_after_the_topology(trunkline):
    ran = trunkline("cluster", "import", "slurm", DATA / "topology.yaml", "--topology", "gpus")
    assert ran.status == 0
    assert "\nname: gpus\n" in ran.out
    assert "\ndefaults: {rate: 1Gbit, latency: 10us}\n" in ran.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("slurm", "no-such.conf"), "no-such.conf: cannot be read: No such file or directory"),
        (
            ("slurm", DATA / "topology.conf", "--topology", "x"),
            "--topology is for topology.yaml; topology.conf holds one",
        ),
        (("slurm", DATA / "topology.conf", "--rate", "fast"), "'fast' is not a rate"),
        (
            ("slurm", DATA / "topology.conf", "--latency", "10"),
            "'10' is not a latency; write a number with ns, us, ms or s",
        ),
        (("slurm-job",), "this is not inside a Slurm job (SLURM_JOB_NUM_NODES is not set)"),
        (("slurm-job", "no-such.txt"), "no-such.txt: cannot be read"),
    ],
)
def test_the_command_refuses(refused, tmp_path, words, message):
    assert refused("cluster", "import", *words, cwd=tmp_path).startswith(message)


def test_a_file_that_is_no_text(refused, tmp_path):
    file = tmp_path / "topology.conf"
    file.write_bytes(b"SwitchName=s0\nNodes=\xff\xfe\n")
    assert refused("cluster", "import", "slurm", file) == f"{file}:2:7: not UTF-8 text; is it another kind of file?"


@pytest.fixture
def srun(tmp_path, monkeypatch):
    """A job of two nodes, whose srun runs what it is given once a node, out of order."""
    program = tmp_path / "srun"
    (tmp_path / "hostname").write_text('#!/bin/sh\necho "$HOST.lab"\n')
    (tmp_path / "hostname").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "2")

    def script(body):
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)

    return script


AS_SLURM = """\
test "$2 $3 $4" = "--nodes=2 --ntasks=2 --ntasks-per-node=1" || exit 9
shift 4
for node in 1 0; do
  export HOST=n$node SLURM_NODEID=$node SLURM_TOPOLOGY_ADDR=top.leaf$node.n$node
  SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node "$@"
done"""


def test_inside_a_job_the_command_gathers_the_lines_itself(trunkline, srun):
    srun(AS_SLURM)
    ran = trunkline("cluster", "import", "slurm-job")
    assert ran.status == 0, ran.error
    homes, trunks = tree_of(_core.parse_cluster(ran.out, "out"))
    assert list(homes.items()) == [("n0", "leaf0"), ("n1", "leaf1")]
    assert trunks == {("top", "leaf0"), ("top", "leaf1")}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "echo 'srun: error: nodes busy' >&2; exit 1",
            "srun ended with status 1: srun: error: nodes busy; gather the lines",
        ),
        ("echo hello", "srun brought a line that is not NUMBER HOSTNAME ADDRESS PATTERN: 'hello'"),
    ],
)
def test_what_srun_says_is_passed_on(refused, srun, body, message):
    srun(body)
    assert refused("cluster", "import", "slurm-job").startswith(message)


@pytest.mark.parametrize("kind", ["slurm", "slurm-job", "lldp", "simgrid"])
def test_help_has_an_example(trunkline, kind):
    ran = trunkline("cluster", "import", kind, "--help")
    assert ran.status == 0
    assert "Example: " in ran.out
