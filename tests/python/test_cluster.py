import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.cluster import bundled_clusters, cluster_file, load_cluster, nearest_first
from trunkline.draw.cluster import draw_cluster
from trunkline.errors import BadInput

TABLE = {"paper-1": (16, 1), "paper-2": (32, 2), "paper-3": (32, 4), "paper-4": (32, 4), "paper-5": (32, 4)}
TABLE |= {"cyclic": (32, 4), "8w": (4, 1), "4w": (8, 1), "now": (30, 1), "blade": (10, 1), "4w+8w": (12, 4)}
TABLE |= {"leaf-spine": (24, 5), "two-site": (5, 2), "four-site": (32, 4)}

REDUNDANT = """\
trunkline: cluster/1
name: redundant
description: a <ring> & more
defaults: {rate: 1Gbit, latency: 5us}
switches: s[0-2]
hosts:
  - hosts: node[01-12]
    switches: s[0-2]
    deal: 1
    aliases:
      node01: [gate.lab]
links:
  - between: [s0, s1]
  - between: [s1, s2]
  - between: [s2, s0]
    rate: 100Mbit
"""

FAULTY = REDUNDANT.replace("1Gbit", "1000").replace("deal: 1", "deel: 1").replace("[s1, s2]", "[s1, s9]")

FAULTS = """\
{file}:4:18: "1000" has no unit; write one of bit, kbit, Mbit, Gbit after the number, such as 100Mbit
{file}:7:5: the key deal is missing; give it, such as deal: 1 (that many hosts at a time go to each switch in turn)
{file}:9:5: unknown key "deel" (did you mean deal?); known here are hosts, switch, switches, deal, rate, latency, \
back, injection, tcp_window, aliases, loss, corrupt, garble, duplicate, reorder, reorder_by, jitter
{file}:14:19: s9 is neither a switch nor a host (did you mean s0?)"""


@pytest.fixture
def redundant(tmp_path):
    file = tmp_path / "redundant.yaml"
    file.write_text(REDUNDANT)
    return file


@pytest.fixture
def faulty(tmp_path):
    file = tmp_path / "faulty.yaml"
    file.write_text(FAULTY)
    return file


def test_list_names_what_is_bundled(trunkline):
    ran = trunkline("cluster", "list")
    assert ran.status == 0
    for name in TABLE:
        assert name in ran.out


def test_list_as_json(trunkline):
    ran = trunkline("cluster", "list", "--json", "-")
    assert {c["cluster"]: (c["hosts"], c["switches"]) for c in ran.data}.items() >= TABLE.items()


@pytest.mark.parametrize("name", TABLE)
def test_bundled_clusters_pass_the_check(trunkline, name):
    ran = trunkline("cluster", "check", name)
    hosts, _ = TABLE[name]
    assert ran.status == 0
    assert ran.out.startswith(f"{name}: OK, {hosts} hosts on ")
    assert ran.out.count("\n") == 1


def test_check_says_everything_that_is_wrong(refused, faulty):
    message = refused("cluster", "check", faulty)
    assert message == "4 faults; nothing is done with a faulty file\n" + FAULTS.format(file=faulty)


def test_check_of_a_faulty_file_as_json(trunkline, faulty):
    ran = trunkline("cluster", "check", faulty, "--json", "-")
    assert ran.status == 2
    assert not ran.data["ok"]
    assert [(f["line"], f["column"]) for f in ran.data["faults"]] == [(4, 18), (7, 5), (9, 5), (14, 19)]


def test_check_names_links_left_unused(trunkline, redundant):
    ran = trunkline("cluster", "check", redundant)
    assert ran.status == 0
    assert ran.out.endswith("left unused by the spanning tree: s2 - s0\n")
    assert trunkline("cluster", "check", redundant, "--json", "-").data["unused_links"] == ["s2 - s0"]


@pytest.mark.parametrize("command", [("cluster", "show"), ("plan",)])
def test_nothing_runs_on_a_faulty_file(refused, faulty, command):
    assert refused(*command, faulty).endswith(FAULTS.format(file=faulty))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("cylic", "there is no bundled cluster 'cylic', and no such file; bundled are: cyclic, "),
        ("no-such.yaml", "no-such.yaml: cannot be read: No such file or directory"),
        ("./cyclic", "cyclic: cannot be read: No such file or directory"),
        (".", ".: is not a regular file"),
        ("", "the cluster's name is empty"),
    ],
)
def test_a_cluster_that_is_not_there(refused, tmp_path, wrong, message):
    assert refused("cluster", "check", wrong, cwd=tmp_path).startswith(message)


def test_a_folder_of_the_same_name_does_not_hide_a_bundled_cluster(trunkline, tmp_path):
    (tmp_path / "cyclic").mkdir()
    assert trunkline("cluster", "check", "cyclic", cwd=tmp_path).status == 0


def test_a_file_without_a_suffix_is_found(redundant, tmp_path, monkeypatch):
    redundant.rename(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    assert load_cluster("mine").name == "redundant"
    assert cluster_file("mine").exists()


def test_show_draws_the_switches_as_a_tree(trunkline, redundant):
    ran = trunkline("cluster", "show", redundant)
    assert ran.status == 0
    assert "s0  4 hosts: node[01,04,07,10]" in ran.out
    assert "└── s2  4 hosts" in ran.out
    assert "Left unused by the spanning tree: s2 - s0 (100 Mbit/s, 5 us)" in ran.out


def test_what_equal_cost_paths_made_one_is_said(trunkline, tmp_path):
    ran = trunkline("cluster", "show", "leaf-spine")
    assert "One switch by equal-cost paths: spine-0+1 for spine-[0-1]" in ran.out
    assert "leaf-0  6 hosts · uplink 2x 10 Gbit/s, 10 us: h[0-5]" in ran.out
    assert "Left unused" not in ran.out
    assert "Links: 10 Gbit/s, 10 us; 2x 10 Gbit/s, 10 us" in ran.out
    merged = [{"name": "spine-0+1", "switches": ["spine-0", "spine-1"]}]
    assert trunkline("cluster", "show", "leaf-spine", "--json", "-").data["merged"] == merged
    checked = trunkline("cluster", "check", "leaf-spine")
    assert checked.out.endswith("; one switch each by equal-cost paths: spine-0+1 for spine-[0-1]\n")
    written = tmp_path / "again.yaml"
    assert trunkline("cluster", "export", "leaf-spine", "--format", "yaml", "-o", written).status == 0
    assert "paths: equal-cost\nswitches: spine-[0-1],leaf-[0-3]\n" in written.read_text()
    assert trunkline("cluster", "check", written, "--json", "-").data["merged"] == merged


def test_show_as_json(trunkline, redundant):
    data = trunkline("cluster", "show", redundant, "--json", "-").data
    assert data["switches"] == ["s0", "s1", "s2"]
    assert data["hosts"][0] == {"name": "node01", "switch": "s0", "aliases": ["gate.lab"]}
    assert data["links"][-1] == {
        "between": ["s2", "s0"],
        "rate_bps": 1e8,
        "width": 1,
        "latency_s": 5e-6,
        "back": {"rate_bps": 1e8, "latency_s": 5e-6},
        "used": False,
    }


def test_show_as_svg(trunkline, redundant, tmp_path):
    file = tmp_path / "new folder" / "x.svg"
    assert trunkline("cluster", "show", redundant, "--svg", file).status == 0
    texts = [text.text for text in ET.parse(file).iter("{http://www.w3.org/2000/svg}text")]
    assert {"redundant", "s0", "s1", "s2", "node01", "node12"} <= set(texts)
    assert any("a <ring> & more" in text for text in texts)


def test_files_that_cannot_be_written_are_named(refused, redundant):
    assert refused("cluster", "show", redundant, "--svg", f"{redundant}/x.svg").startswith("cannot write ")


def test_drawings_have_a_limit():
    yaml = REDUNDANT.replace("node[01-12]", "node[0-2999]").replace("node01:", "node1:")
    with pytest.raises(BadInput, match="3000 hosts; drawings are for up to 2000"):
        draw_cluster(_core.parse_cluster(yaml, "x"))


@pytest.mark.parametrize("command", [("list",), ("check", "cyclic"), ("show", "cyclic")])
def test_help_has_an_example(trunkline, command):
    ran = trunkline("cluster", command[0], "--help")
    assert ran.status == 0
    assert f"Example: trunkline cluster {command[0]}" in ran.out


def test_nearest_first_keeps_every_word():
    assert nearest_first("paper-9", bundled_clusters())[0].startswith("paper-")
    assert sorted(nearest_first("x", bundled_clusters())) == bundled_clusters()


def test_cluster_for_python():
    cluster = load_cluster("paper-3")
    assert (cluster.name, cluster.hosts[:2], cluster.switches) == ("paper-3", ["h0", "h1"], ["s0", "s1", "s2", "s3"])
    assert [cluster.channel_name(c) for c in cluster.path("h8", "h31")] == ["h8->s1", "s1->s0", "s0->s3", "s3->h31"]
    assert cluster.path("h8", "h8") == []
    assert cluster.find_host("h8.cluster.example") == 8
    assert cluster.find_host("h99") is None
    assert cluster.switch_of(8) == "s1"
    for wrong, kind in [
        (lambda: cluster.path("h0", "h99"), KeyError),
        (lambda: cluster.switch_of(32), IndexError),
        (lambda: cluster.channel_name(cluster.channel_count), IndexError),
    ]:
        with pytest.raises(kind):
            wrong()


def test_the_stub_says_what_the_compiled_module_is():
    command = [sys.executable, "-m", "mypy.stubtest", "trunkline._core"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@given(
    st.lists(
        st.tuples(st.sampled_from(["h", "node-", "r1n"]), st.integers(0, 2000), st.integers(1, 4)).map(
            lambda part: f"{part[0]}{part[1]:0{part[2]}}"
        ),
        min_size=1,
        max_size=50,
    )
)
def test_hostlists_round_trip(names):
    assert _core.expand_hostlist(_core.compress_hostlist(names)) == names


@given(st.text(max_size=300))
def test_random_text_is_refused(text):
    with pytest.raises(_core.FaultyFile) as caught:
        _core.parse_cluster(text, "x.yaml")
    assert all(fault.text().startswith("x.yaml:") for fault in caught.value.faults)
    assert str(caught.value) == "\n".join(fault.text() for fault in caught.value.faults)


@given(
    switches=st.integers(1, 6),
    hosts=st.lists(st.integers(0, 5), min_size=1, max_size=20),
    rate=st.floats(1, 1e12),
    latency=st.floats(0, 1),
    width=st.integers(1, 1024),
)
def test_files_round_trip(switches, hosts, rate, latency, width):
    lines = [
        "trunkline: cluster/1",
        "name: x",
        f"defaults: {{rate: {width}x{rate!r}bit, latency: {latency!r}s}}",
        f"switches: s[0-{switches - 1}]",
        "hosts:",
        *(f"  - {{hosts: h{i}, switch: s{home % switches}}}" for i, home in enumerate(hosts)),
        "links:",
        *(f"  - between: [s{i}, s{i // 2}]" for i in range(1, switches)),
    ]
    text = "\n".join(lines if switches > 1 else lines[:-1])
    cluster = _core.parse_cluster(text, "x")
    again = _core.parse_cluster(_core.write_cluster(cluster), "again")
    assert again.fingerprint == cluster.fingerprint
    assert again.links[0].rate_bps == rate
    assert again.links[0].width == width
    assert again.links[0].latency_s == latency


def test_package_core_and_command_are_of_one_version(trunkline):
    expected = f"trunkline {version('trunkline')}\n"
    assert trunkline("--version").out == expected
    for command in ([sys.executable, "-m", "trunkline"], [Path(sys.executable).with_name("trunkline")]):
        assert subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout == expected


def test_where_paths_are_the_shortest_all_links_are_used_and_drawn(trunkline, tmp_path):
    file = tmp_path / "ring.yaml"
    ring = REDUNDANT.replace("name: redundant", "name: redundant\npaths: shortest", 1)
    file.write_text(ring)
    assert "spanning tree" not in trunkline("cluster", "check", "--cluster", file).out
    shown = trunkline("cluster", "show", "--cluster", file, "--svg", tmp_path / "ring.svg").out
    assert "Between any two switches messages take the shortest path." in shown
    assert 'class="unused"' not in (tmp_path / "ring.svg").read_text()
    file.write_text(ring.replace("    rate: 100Mbit\n", "    latency: 50us\n"))  # the way round is shorter
    shown = trunkline("cluster", "check", "--cluster", file).out
    assert "on no shortest path: s2 - s0" in shown
