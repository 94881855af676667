import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.cluster import bundled_clusters, load_cluster
from trunkline.errors import BadInput
from trunkline.sources.faults import Faults
from trunkline.sources.network import write_network
from trunkline.sources.simgrid import read_simgrid
from trunkline.sources.simgrid_export import simgrid_platform
from trunkline.sources.simgrid_units import format_bandwidth, format_latency, parse_bandwidth, parse_latency

DATA = Path(__file__).parent / "data"


def read(text):
    faults = Faults()
    network = read_simgrid(text, "p.xml", None, faults)
    faults.raise_if_any()
    return network


def imported(text):
    return _core.parse_cluster(write_network(read(text), "here"), "written")


def platform(*zone, routing="Floyd", version="4.1"):
    """A platform of one zone; its elements begin at line 3."""
    lines = [f'<platform version="{version}">', f'<zone id="z" routing="{routing}">', *zone, "</zone>", "</platform>"]
    return "\n".join(lines)


def everything(cluster):
    """All that a cluster says."""
    hosts = [(name, cluster.switch_of(number), cluster.aliases(number)) for number, name in enumerate(cluster.hosts)]
    links = [(link.a, link.b, link.rate_bps, link.latency_s, link.width, link.in_tree) for link in cluster.links]
    return cluster.name, cluster.description, cluster.switches, hosts, links, cluster.fingerprint


def latency(cluster, a, b):
    return sum(cluster.links[channel // 2].latency_s for channel in cluster.path(a, b))


def test_clusters_and_the_link_between_them():
    """Latencies are those that SimGrid 3.32 gives for these routes."""
    cluster = imported((DATA / "simgrid-clusters.xml").read_text())
    assert cluster.name == "campus"
    assert cluster.hosts == [*(f"old-{n}.lab" for n in (0, 1, 2, 3, 7)), *(f"new-{n}.lab" for n in range(6))]
    assert cluster.switches == ["switch-old", "new-new_router.lab"]
    assert latency(cluster, "old-0.lab", "new-5.lab") == pytest.approx(0.00038)
    assert latency(cluster, "new-0.lab", "new-1.lab") == pytest.approx(4e-05)
    assert latency(cluster, "old-3.lab", "old-7.lab") == pytest.approx(0.0001)
    assert {link.rate_bps for link in cluster.links} == {1e8, 1e9, 1e10}


def test_zones_of_hosts_and_cabinets():
    cluster = imported((DATA / "simgrid-rooms.xml").read_text())
    assert [(host, cluster.switch_of(n)) for n, host in enumerate(cluster.hosts)] == [
        ("a1", "r1"),
        ("a2", "r1"),
        ("b1", "r2"),
        ("c1", "r2"),
        ("c2", "r2"),
        ("c3", "r2"),
    ]
    assert latency(cluster, "a1", "c2") == pytest.approx(0.001025)
    assert latency(cluster, "b1", "c2") == pytest.approx(1e-05)


def test_what_is_left_out_is_said():
    network = read((DATA / "simgrid-clusters.xml").read_text())
    assert network.notes == [
        "Backbones of clusters became switches without a limit of their own; their latency is half on each link."
    ]
    two = ['<host id="h" speed="1f"/>', '<router id="r"/>', '<route src="h" dst="r"><link_ctn id="l"/></route>']
    network = read(platform('<link id="l" bandwidth="1Gbps" sharing_policy="SHARED" state_file="s"/>', *two))
    assert [note.split()[0] for note in network.notes] == ["SHARED", "Profiles"]
    network = read(platform('<link id="l" bandwidth="1Gbps"/>', *two))
    assert network.notes == ["Links without sharing_policy, shared or not by version of SimGrid, became full duplex."]


def route(source, target, link, direction="NONE", symmetrical="NO"):
    link = f'<link_ctn id="{link}" direction="{direction}"/>'
    return f'<route src="{source}" dst="{target}" symmetrical="{symmetrical}">{link}</route>'


@pytest.mark.parametrize(
    ("joined", "said"),
    [
        (route("h", "s", "l", "UP") + route("s", "h", "l", "DOWN"), None),
        (route("h", "s", "l_UP") + route("s", "h", "l_DOWN"), None),
        (route("h", "s", "l", "UP", "YES"), None),
        ('<host_link id="h" up="l_UP" down="l_DOWN"/>', None),
        (route("h", "s", "l", "UP") + route("s", "h", "l", "UP"), "in the direction UP"),
        (route("h", "s", "l_DOWN") + route("s", "h", "l_DOWN"), "in the direction DOWN"),
        (route("h", "s", "l", "UP") + route("s", "h", "l_UP"), "in the direction UP"),
        (route("h", "s", "l_UP", symmetrical="YES"), "in the direction UP"),
        ('<host_link id="h" up="l_UP" down="l_UP"/>', "in the direction UP"),
        ('<host_link id="h" up="l" down="l"/>', "under one name"),
        (
            '<host_link id="h" up="l_UP" down="l_UP"/><host id="g" speed="1Gf"/>'
            '<link id="m" bandwidth="1Gbps" sharing_policy="SPLITDUPLEX"/><host_link id="g" up="m" down="m"/>',
            "in the direction UP",
        ),
    ],
)
def test_one_direction_both_ways_is_said(joined, said):
    """Both ways share it in SimGrid, though the link is split."""
    nodes = [
        '<host id="h" speed="1Gf"/>',
        '<router id="s"/>',
        '<link id="l" bandwidth="1Gbps" sharing_policy="SPLITDUPLEX"/>',
    ]
    notes = read(platform(*nodes, joined, routing="Cluster" if "host_link" in joined else "Floyd")).notes
    if said is None:
        assert notes == []
        return
    [note] = notes
    assert note.startswith(f"Link l is taken {said} both ways, which share its rate then; it became full duplex")
    assert ("as did 1 more like it" in note) == ("m" in re.findall('link id="(.)"', joined))


def test_a_shared_link_both_ways_is_said_once():
    shared = '<link id="l" bandwidth="1Gbps" sharing_policy="SHARED"/><host_link id="h" up="l" down="l"/>'
    [note] = read(platform('<host id="h" speed="1Gf"/>', '<router id="s"/>', shared, routing="Cluster")).notes
    assert note.startswith("SHARED links")


def test_old_spellings_are_read():
    text = (DATA / "simgrid-rooms.xml").read_text().replace("zoneRoute", "ASroute").replace('"4.1"', '"4"')
    text = re.sub(r"(</?)zone\b", r"\1AS", text)
    assert "<AS id" in text
    assert imported(text).hosts == ["a1", "a2", "b1", "c1", "c2", "c3"]


@pytest.mark.parametrize("name", bundled_clusters())
def test_bundled_clusters_come_back(name):
    cluster = load_cluster(name)
    assert everything(imported(simgrid_platform(cluster))) == everything(cluster)


REDUNDANT = """\
trunkline: cluster/1
name: redundant
description: a <ring> & "more"
defaults: {rate: 1Gbit, latency: 5us}
switches: s[0-2]
hosts:
  - hosts: node[01-12]
    switches: s[0-2]
    deal: 1
    aliases: {node01: [gate.lab, gate]}
links:
  - {between: [s0, s1], rate: 100Mbit}
  - between: [s1, s2]
  - {between: [s2, s0], rate: 333333333bit}
  - {between: [s2, s0], latency: 0.123456789us}
"""


def test_redundant_links_and_aliases_come_back():
    cluster = _core.parse_cluster(REDUNDANT, "x")
    assert everything(imported(simgrid_platform(cluster))) == everything(cluster)


def test_routes_lie_on_the_spanning_tree():
    text = simgrid_platform(_core.parse_cluster(REDUNDANT, "x"))
    assert text.count("<route ") == 12 + 2
    assert text.count("trunkline.between") == 2


def test_shortest_paths_come_back_and_are_routes_of_pairs():
    routed = REDUNDANT.replace("name: redundant", "name: redundant\npaths: shortest", 1)
    cluster = _core.parse_cluster(routed, "x")
    assert cluster.is_routed
    text = simgrid_platform(cluster)
    assert everything(imported(text)) == everything(cluster)
    assert imported(text).is_routed
    hosts = cluster.hosts
    for source, target in ((0, 1), (1, 2), (2, 0)):
        route = next(line for line in text.splitlines() if f'src="{hosts[source]}" dst="{hosts[target]}"' in line)
        assert len(re.findall("<link_ctn ", route)) == len(cluster.path(hosts[source], hosts[target])) == 3
    crowd = routed.replace("node[01-12]", "node[001-401]")
    with pytest.raises(BadInput, match="redundant has 401 hosts and shortest paths: SimGrid then needs a route"):
        simgrid_platform(_core.parse_cluster(crowd.replace("{node01:", "{node001:"), "x"))


def test_injection_times_come_back_and_wrong_ones_are_said():
    text = REDUNDANT.replace("latency: 5us}", "latency: 5us, injection: 1.5ms}", 1).replace(
        "    aliases:", "    injection: 50us\n    aliases:"
    )
    cluster = _core.parse_cluster(text, "x")
    platform = simgrid_platform(cluster)
    again = imported(platform)
    assert everything(again) == everything(cluster)
    assert [again.injection_s(host) for host in range(12)] == [50e-6] * 12
    with pytest.raises(BadInput, match=r"node01: trunkline.injection is '-1'; write seconds, such as 5e-05"):
        imported(platform.replace('value="5e-05"', 'value="-1"'))


def test_tcp_windows_come_back_and_wrong_ones_are_said():
    text = REDUNDANT.replace("    aliases:", "    tcp_window: 64KiB\n    aliases:")
    cluster = _core.parse_cluster(text, "x")
    platform = simgrid_platform(cluster)
    again = imported(platform)
    assert everything(again) == everything(cluster)
    assert [again.tcp_window_bytes(host) for host in range(12)] == [65536] * 12
    with pytest.raises(BadInput, match=r"node01: trunkline.tcp_window is 'much'; write bytes, such as 3145728"):
        imported(platform.replace('value="65536"', 'value="much"'))


WIDE = """\
trunkline: cluster/1
name: wide
defaults: {rate: 1Gbit, latency: 5us}
switches: s[0-2]
hosts:
  - {hosts: "h[0-3]", switch: s0}
  - {hosts: "h[4-7]", switch: s1, rate: 2x1Gbit}
links:
  - {between: [s1, s0], rate: 4x1Gbit}
  - {between: [s1, s2]}
  - {between: [s2, s0], rate: 2x333333333bit}
"""


def test_links_side_by_side_come_back():
    cluster = _core.parse_cluster(WIDE, "x")
    assert everything(imported(simgrid_platform(cluster))) == everything(cluster)


WAYS_BACK = """\
trunkline: cluster/1
name: ways-back
defaults: {rate: 1Gbit, latency: 5us}
switches: s[0-2]
hosts:
  - {hosts: "h[0-3]", switch: s0, back: {rate: 2Gbit}}
  - {hosts: "h[4-7]", switch: s1}
links:
  - {between: [s1, s0], rate: 100Mbit, latency: 1ms, back: {rate: 333333333bit, latency: 0.123456789ms}}
  - {between: [s1, s2], back: {latency: 7us}}
  - {between: [s2, s0], rate: 50Mbit, back: {rate: 5Mbit}}
"""


@pytest.mark.parametrize("trunk", ["100Mbit", "2x100Mbit"])
def test_links_that_differ_by_direction_come_back(trunk):
    cluster = _core.parse_cluster(WAYS_BACK.replace("100Mbit", trunk), "x")
    assert everything(imported(simgrid_platform(cluster))) == everything(cluster)


def test_a_way_back_is_a_link_by_itself():
    text = simgrid_platform(_core.parse_cluster(WAYS_BACK, "x"))
    assert 'id="s1-s0.back" bandwidth="333.333333Mbps" latency="123.456789us"' in text
    there, back = (
        f'<route src="{a}" dst="{b}" symmetrical="NO"><link_ctn id="' for a, b in (("s1", "s0"), ("s0", "s1"))
    )
    assert f'{there}s1-s0"' in text
    assert f'{back}s1-s0.back"' in text
    assert "h4-s1.back" not in text


def test_directions_of_other_platforms_are_taken_as_they_are():
    text = platform(
        H,
        R,
        L,
        L2.replace("1Gbps", "2Gbps"),
        '<route src="r1" dst="h1" symmetrical="NO"><link_ctn id="l1"/></route>',
        '<route src="h1" dst="r1" symmetrical="NO"><link_ctn id="l2"/></route>',
    )
    (link,) = imported(text).links
    assert (link.a, link.rate_bps, link.back_rate_bps) == ("h1", 2e9, 1e9)


def test_a_flow_takes_the_link_that_its_hosts_hash_to():
    text = simgrid_platform(_core.parse_cluster(WIDE, "x"))
    assert 'routing="Full"' in text
    assert text.count("<route ") == 8 * 7
    assert [name for name in ("s1-s0", "s1-s0.2", "s1-s0.3", "s1-s0.4", "s1-s0.5") if f'id="{name}" band' in text] == [
        "s1-s0",
        "s1-s0.2",
        "s1-s0.3",
        "s1-s0.4",
    ]
    taken, own = _core.link_taken(0, 5, 4), _core.link_taken(0, 5, 2)
    trunk, bond = f"s1-s0{f'.{taken + 1}' if taken else ''}", f"h5-s1{f'.{own + 1}' if own else ''}"
    route = next(line for line in text.splitlines() if 'src="h0" dst="h5"' in line)
    assert re.findall(r'id="(.*?)" direction="(.*?)"', route) == [("h0-s0", "UP"), (trunk, "DOWN"), (bond, "DOWN")]


def test_too_many_hosts_for_routes_of_pairs():
    with pytest.raises(BadInput, match=r"wide has 404 hosts and links side by side, such as h400 - s1: SimGrid then"):
        simgrid_platform(_core.parse_cluster(WIDE.replace("h[0-3]", "g[0-399]").replace("h[4-7]", "h[400-403]"), "x"))


def test_a_width_that_is_none():
    text = simgrid_platform(_core.parse_cluster(WIDE, "x")).replace('width" value="4"', 'width" value="0"')
    with pytest.raises(BadInput, match="trunkline.width 0 is no whole number from 1 to 1024"):
        imported(text)


@given(
    parents=st.lists(st.integers(0, 9), max_size=9),
    homes=st.lists(st.integers(0, 9), min_size=1, max_size=20),
    extra=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4),
    rates=st.lists(st.floats(1, 1e12), min_size=1, max_size=4),
    latencies=st.lists(st.floats(0, 1), min_size=1, max_size=4),
    widths=st.lists(st.integers(1, 4), min_size=1, max_size=4),
)
def test_random_clusters_come_back(parents, homes, extra, rates, latencies, widths):
    count = len(parents) + 1
    links = [(child, parent % child) for child, parent in enumerate(parents, start=1)]
    links += [(a % count, b % count) for a, b in extra if a % count != b % count]

    def of(number):
        rate = f"{widths[number % len(widths)]}x{rates[number % len(rates)]!r}bit"
        return f"rate: {rate}, latency: {latencies[number % len(latencies)]!r}s"

    lines = ["trunkline: cluster/1", "name: x-1", f"switches: s[0-{count - 1}]", "hosts:"]
    lines += [f"  - {{hosts: h{n}, switch: s{home % count}, {of(n)}}}" for n, home in enumerate(homes)]
    lines += ["links:"] if links else []
    lines += [f"  - {{between: [s{a}, s{b}], {of(n)}}}" for n, (a, b) in enumerate(links)]
    cluster = _core.parse_cluster("\n".join(lines), "x")
    assert everything(imported(simgrid_platform(cluster))) == everything(cluster)


H = '<host id="h1" speed="1Gf"/>'
R = '<router id="r1"/>'
L = '<link id="l1" bandwidth="1Gbps" latency="1us" sharing_policy="SPLITDUPLEX"/>'
L2 = L.replace("l1", "l2")
HR = '<route src="h1" dst="r1"><link_ctn id="l1" direction="UP"/></route>'
GOOD = [H, R, L, HR]
FAULTS = {
    "not XML": ("<platform", "p.xml:1:1: not XML: unclosed token"),
    "two ends": ("<platform version='4.1'>\n</zone>", "p.xml:2:3: not XML: mismatched tag"),
    "another XML": ("<html/>", 'p.xml:1:1: <html> is not a platform; SimGrid\'s begin with <platform version="4.1">'),
    "old": (platform(version="3"), "p.xml:1:1: platform 3: versions 4 and 4.1 are read; simgrid_update_xml renews"),
    "empty": ('<platform version="4.1"/>', "p.xml:1:1: the platform is empty; it needs a <zone>"),
    "entities": (
        '<!DOCTYPE p [<!ENTITY a "b">]>\n<platform version="4.1"/>',
        "entity declarations are not allowed in a platform",
    ),
    "deep": ('<platform version="4.1">' + "<zone>" * 1000, "elements nested without end"),
    "unknown element": (
        platform("<hots/>"),
        "p.xml:3:1: unknown element <hots> (did you mean host?); known here are <zone>",
    ),
    "routing": (
        platform(routing="Vivaldi"),
        "p.xml:2:1: routing Vivaldi is not one of a network of switches; known here",
    ),
    "no id": (platform("<host/>"), "p.xml:3:1: <host> has no id"),
    "no bandwidth": (platform('<link id="l"/>'), "p.xml:3:1: <link> has no bandwidth"),
    "unit": (
        platform('<link id="l" bandwidth="1Gbyte"/>'),
        "p.xml:3:1: 'Gbyte' is no unit of a bandwidth; write it such as 125MBps or 1Gbps",
    ),
    "number": (
        platform('<link id="l" bandwidth="1Gbps" latency="soon"/>'),
        "p.xml:3:1: 'soon' is no latency; write a number and a unit, such as 50us",
    ),
    "zero": (platform('<link id="l" bandwidth="0Gbps"/>'), "p.xml:3:1: the bandwidth 0Gbps must be above zero"),
    "fat pipe": (
        platform('<link id="l" bandwidth="1Gbps" sharing_policy="FATPIPE"/>'),
        "p.xml:3:1: sharing_policy FATPIPE is not of an Ethernet link; write SPLITDUPLEX and the rate it has",
    ),
    "two links of one name": (platform(L, L), "p.xml:4:1: link l1 is there already (at p.xml:3:1)"),
    "two hosts of one name": (platform(H, H), "p.xml:4:1: host h1 is there already; a name stands for one node"),
    "two routers of one name": (
        platform(*GOOD, R),
        "p.xml:7:1: switch r1 is there already, as a switch (at p.xml:4:1); a name stands for one node",
    ),
    "unknown link": (
        platform(H, R, L, HR.replace("l1", "l7")),
        "p.xml:6:26: there is no link l7 (did you mean l1?)",
    ),
    "unknown end": (
        platform(H, R, L, HR.replace("r1", "r7")),
        "p.xml:6:26: there is no host or router r7 (did you mean r1?)",
    ),
    "several links in a route": (
        platform(H, R, L, L2, '<route src="h1" dst="r1"><link_ctn id="l1"/><link_ctn id="l2"/></route>'),
        "p.xml:7:1: the route h1 - r1 is of 2 links and does not say which switches are between them; write routers",
    ),
    "two hosts": (
        platform(H, H.replace("h1", "h2"), L, HR.replace("r1", "h2")),
        "p.xml:6:26: h1 and h2 are both hosts; hosts hang on a switch, so put a <router> between",
    ),
    "a shared medium": (
        platform(*GOOD, H.replace("h1", "h2"), HR.replace("h1", "h2")),
        "p.xml:8:26: link l1 joins h1 and r1 already; a cable joins two nodes, so give h2 and r1 their own",
    ),
    "a host with two links": (
        platform(*GOOD, R.replace("r1", "r2"), L2, HR.replace("r1", "r2").replace("l1", "l2")),
        "p.xml:3:1: host h1 has 2 links; a host has one, so make a <router> of it if it forwards",
    ),
    "a host without a link": (
        platform(*GOOD, H.replace("h1", "h2")),
        "p.xml:7:1: host h2 has no link; give a route of one link to a router",
    ),
    "one direction": (
        platform(H, R, L, HR.replace(' dst="r1"', ' dst="r1" symmetrical="NO"')),
        'p.xml:6:43: a route from h1 to r1 but none back; leave out symmetrical="NO"',
    ),
    "a faulty way back": (
        platform(H, R, L.replace("/>", '><prop id="trunkline.back" value="0.0 1e-5"/></link>'), HR),
        "p.xml:5:1: trunkline.back '0.0 1e-5' is no rate above zero and latency, in bits a second and seconds",
    ),
    "a second route": (
        platform(*GOOD, HR),
        "p.xml:7:26: a second route from h1 to r1 (first at p.xml:6:26); keep one",
    ),
    "to itself": (
        platform(*GOOD, '<route src="h1" dst="h1"><link_ctn id="l1"/></route>'),
        "p.xml:7:1: a route from h1 to itself; it has no place in a cluster file",
    ),
    "peer": (platform('<peer id="p"/>'), "p.xml:3:1: a <peer> has no switch; write a <host>, a <router> and a <link>"),
    "bypass": (platform('<bypassRoute src="a" dst="b"/>'), "p.xml:3:1: exceptions from routing have no place"),
    "torus": (
        platform('<cluster id="c" topology="TORUS" radical="0-7" bw="1Gbps" lat="1us"/>'),
        "p.xml:3:1: a TORUS cluster does not name its switches; write them as routers and links",
    ),
    "slow backbone": (
        platform('<cluster id="c" radical="0-7" bw="1Gbps" lat="1us" bb_bw="100Mbps" bb_lat="0"/>'),
        "p.xml:3:1: the backbone of c_router is slower than its hosts' links; a switch is not",
    ),
    "radical": (
        platform('<cluster id="c" radical="0-x" bw="1Gbps" lat="1us"/>'),
        "p.xml:3:1: radical 0-x is not numbers and ranges, such as 0-15",
    ),
    "huge radical": (
        platform('<cluster id="c" radical="0-99999999" bw="1Gbps" lat="1us"/>'),
        "p.xml:3:1: radical 0-99999999 is more than 1000000 hosts; is a number mistyped?",
    ),
    "cluster twice": (
        platform(*['<cluster id="c" prefix="n" radical="0-3" bw="1Gbps" lat="1us"/>'] * 2),
        "p.xml:4:1: host n0 of c is there already; a name stands for one node; and 3 more like it",
    ),
    "a cluster's host with a second link": (
        platform(
            '<cluster id="c" prefix="n" radical="0-3" bw="1Gbps" lat="1us" router_id="s"/>',
            R,
            L,
            HR.replace("h1", "n2"),
        ),
        "p.xml:6:26: host n2 of a cluster has a second link here; lead the route to its router s",
    ),
    "host link of nobody": (
        platform(R, '<host_link id="h9" up="l" down="l"/>', routing="Cluster"),
        "p.xml:4:1: there is no host h9 in the platform above",
    ),
    "two pieces": (
        platform(*GOOD, '<cluster id="c" prefix="n" radical="0-3" bw="1Gbps" lat="1us"/>'),
        "p.xml:4:1: the network is in 2 pieces: no link joins r1 (1 host) to the rest (nc_router); "
        "add a route of one link between a router of each",
    ),
    "no hosts": (platform(R), "p.xml: there are no hosts in it; a cluster needs some"),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(text, message):
    with pytest.raises(BadInput) as caught:
        imported(text)
    assert message in str(caught.value)
    assert "p.xml" in str(caught.value)


def test_the_good_platform_that_the_faults_are_made_of():
    assert imported(platform(*GOOD)).hosts == ["h1"]


def test_all_faults_are_said_at_once():
    with pytest.raises(BadInput) as caught:
        imported(platform('<link id="l" bandwidth="x"/>', "<peer/>", "<hots/>"))
    lines = str(caught.value).splitlines()
    assert lines[0] == "3 faults; nothing is done with a faulty file"
    assert [line.split(": ")[0] for line in lines[1:]] == ["p.xml:3:1", "p.xml:4:1", "p.xml:5:1"]


@given(st.integers(0, 1500), st.integers(0, 40), st.sampled_from(["", '"', "<zone/>", "r1", "9"]))
def test_damaged_platforms_are_read_or_refused(begin, length, instead):
    text = (DATA / "simgrid-rooms.xml").read_text()
    with suppress(BadInput):
        imported(text[:begin] + instead + text[begin + length :])


@given(st.text(max_size=200))
def test_random_text_is_refused(text):
    with pytest.raises(BadInput, match=r"p\.xml"):
        imported(text)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("125MBps", 1e9),
        ("1Gbps", 1e9),
        ("10kbps", 1e4),
        ("1KiBps", 8192.0),
        ("41.279125MBps", 330233000.0),
        ("1e6", 8e6),
    ],
)
def test_bandwidths(text, bits):
    assert parse_bandwidth(text) == bits


@pytest.mark.parametrize(
    ("text", "seconds"), [("50us", 5e-5), ("0.3ms", 3e-4), ("0", 0.0), ("2m", 120.0), ("1.5", 1.5)]
)
def test_latencies(text, seconds):
    assert parse_latency(text) == seconds


@given(st.floats(1e-3, 1e15), st.floats(0, 1e3))
def test_quantities_come_back(rate, seconds):
    assert parse_bandwidth(format_bandwidth(rate)) == rate
    assert parse_latency(format_latency(seconds)) == seconds


@pytest.mark.parametrize(
    ("link_us", "backbone_us", "written"), [(200, 200, "300us"), (100, 10, "105us"), (7, 3, "8.5us")]
)
def test_sums_of_latencies_are_as_round_as_their_parts(link_us, backbone_us, written):
    links, backbone = f'bw="1Gbps" lat="{link_us}us"', f'bb_bw="8Gbps" bb_lat="{backbone_us}us"'
    network = read(platform(f'<cluster id="c" prefix="n" radical="0-3" {links} {backbone}/>'))
    assert f"latency: {written}}}\n" in write_network(network, "here")


def test_the_commands(trunkline, tmp_path):
    xml, yaml = tmp_path / "platform.xml", tmp_path / "again.yaml"
    assert trunkline("cluster", "export", "paper-3", "--format", "simgrid", "-o", xml).status == 0
    ran = trunkline("cluster", "import", "simgrid", xml, "-o", yaml)
    assert (ran.status, ran.error) == (0, f"{yaml}: 32 hosts on 4 switches\n")
    assert everything(load_cluster(str(yaml))) == everything(load_cluster("paper-3"))


def test_the_commands_refuse(refused, tmp_path):
    file = tmp_path / "p.xml"
    file.write_text(platform("<hots/>"))
    assert refused("cluster", "import", "simgrid", file).startswith(f"{file}:3:1: unknown element <hots>")
    assert refused("cluster", "export", "no-such").startswith("there is no bundled cluster 'no-such'")


def test_help_of_export_has_an_example(trunkline):
    assert "Example: trunkline cluster export" in trunkline("cluster", "export", "--help").out
