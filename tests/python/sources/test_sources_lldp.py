import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.sources.faults import Faults, Place
from trunkline.sources.lldp import Hints, network_heard
from trunkline.sources.lldp_json import read_lldp
from trunkline.sources.network import write_network
from trunkline.sources.rates import given_rates

DATA = Path(__file__).parent / "data" / "lldp"
NO_HINTS = Hints()
NO_RATES = given_rates(None, None, None, "rates")
MISSING = (
    "hosts do not hear links between switches: add what a switch prints, --trunk A-B for each link, "
    "or --core NAME for one switch above all"
)


def chassis(name, *capabilities, identity="02:00:00:00:00:01"):
    found = {"id": [{"type": "mac", "value": identity}]}
    if name:
        found["name"] = [{"value": name}]
    found["capability"] = [
        {"type": kind, "enabled": kind in capabilities} for kind in ("Bridge", "Router", "Wlan", "Tel", "Station")
    ]
    return found


def neighbour(interface, name, *capabilities, mau=None, lag=None):
    port = {"id": [{"type": "ifname", "value": "p1"}], "ttl": [{"value": "120"}]}
    if mau:
        port["auto-negotiation"] = [{"supported": True, "enabled": True, "current": [{"value": mau}]}]
    if lag:
        port["aggregation"] = [{"value": lag}]
    return {"name": interface, "via": "LLDP", "rid": "1", "chassis": [chassis(name, *capabilities)], "port": [port]}


def neighbours(*interfaces):
    return {"lldp": [{"interface": list(interfaces)} if interfaces else {}]}


def imported(files, hints=NO_HINTS, rates=NO_RATES):
    """The cluster of files by name; BadInput with all faults."""
    faults = Faults()
    heard, owners = [], []
    for file, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        found, speakers = read_lldp(text, file, Path(file).stem if file.endswith(".json") else None, faults)
        heard += found
        owners += [(speaker, Place(file)) for speaker in speakers]
    faults.raise_if_any()
    network = network_heard(heard, owners, hints, "x", rates, faults)
    faults.raise_if_any()
    return _core.parse_cluster(write_network(network, "here"), "written")


def homes_of(cluster):
    return {host: cluster.switch_of(number) for number, host in enumerate(cluster.hosts)}


def trunks_of(cluster):
    hosts = set(cluster.hosts)
    return [tuple(sorted((link.a, link.b))) for link in cluster.links if not {link.a, link.b} & hosts]


def captured(*names):
    """Files that lldpd 1.0.16 wrote: h0 on s0, h1 on s1, s0 and s1 joined."""
    return {f"{name}.json": (DATA / f"{name}.json").read_text() for name in names}


def test_files_of_hosts_and_switches():
    cluster = imported(captured("h0", "h1", "s0", "s1"))
    assert homes_of(cluster) == {"h0": "s0", "h1": "s1"}
    assert trunks_of(cluster) == [("s0", "s1")]
    rates = {link.a: link.rate_bps for link in cluster.links if link.a in cluster.hosts}
    assert rates == {"h0": 1e10, "h1": 1e9}, "h0's file is of 'details' and tells the rate, h1's is not"


def test_a_told_rate_counts_more_than_an_announced_one():
    cluster = imported(captured("h0", "h1", "s0"), rates=given_rates("100Mbit", None, "1us", "rates"))
    assert {link.rate_bps for link in cluster.links} == {1e8}
    cluster = imported(captured("h0", "s0"), Hints(switches=("s0", "s1")), given_rates(None, "40Gbit", None, "rates"))
    assert sorted(link.rate_bps for link in cluster.links) == [1e10, 4e10]


def test_a_switchs_file_alone_tells_its_hosts():
    assert homes_of(imported(captured("s0", "s1"))) == {"h0": "s0", "h1": "s1"}


def test_the_chassis_in_the_file_names_its_owner():
    files = captured("h0", "h1")
    files["whatever"] = (DATA / "s1-chassis.json").read_text() + (DATA / "s1.json").read_text()
    assert trunks_of(imported(files)) == [("s0", "s1")]


def test_json_lines():
    lines = [{"host": f"n{n}", **neighbours(neighbour("eth0", f"s{n % 2}", "Bridge"))} for n in range(5)]
    cluster = imported({"all.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}, Hints(trunks=("s0-s1",)))
    assert homes_of(cluster) == {f"n{n}": f"s{n % 2}" for n in range(5)}


def test_core_joins_what_has_no_trunk():
    files = {f"n{n}.json": neighbours(neighbour("eth0", f"leaf-{n}", "Bridge", "Router")) for n in range(4)}
    cluster = imported(files, Hints(core="top"))
    assert trunks_of(cluster) == [(f"leaf-{n}", "top") for n in range(4)]
    cluster = imported(files, Hints(core="leaf-0"))
    assert trunks_of(cluster) == [("leaf-0", f"leaf-{n}") for n in range(1, 4)]
    with pytest.raises(
        BadInput, match=r"in 2 pieces: no link joins leaf-0, leaf-1 \(2 hosts\) to the rest \(top, leaf-2, leaf-3\)"
    ):
        imported(files, Hints(core="top", trunks=("leaf-0-leaf-1",)))


def test_parallel_trunks_are_counted_once_from_both_sides():
    files = {
        "n0.json": neighbours(neighbour("eth0", "s0", "Bridge")),
        "s0.json": neighbours(neighbour("p1", "s1", "Bridge"), neighbour("p2", "s1", "Bridge")),
        "s1.json": neighbours(neighbour("p1", "s0", "Bridge"), neighbour("p2", "s0", "Bridge")),
    }
    assert trunks_of(imported(files)) == [("s0", "s1")] * 2


def test_a_rate_that_only_one_end_announces_counts():
    mau = "10GbaseLR - R fiber over 1310 nm optics"
    files = {
        "n1.json": neighbours(neighbour("eth0", "s1", "Bridge")),
        "n2.json": neighbours(neighbour("eth0", "s2", "Bridge")),
        "s1.json": neighbours(
            neighbour("p9", "s2", "Bridge"),
            neighbour("p1", "n1", "Station", mau="100BaseTXFD - 2 pair category 5 UTP, full duplex mode"),
        ),
        "s2.json": neighbours(neighbour("p9", "s1", "Bridge", mau=mau)),
    }
    for order in (files, dict(reversed(files.items()))):
        cluster = imported(order, Hints(switches=("s1", "s2")))
        rates = {frozenset((link.a, link.b)): link.rate_bps for link in cluster.links}
        assert rates[frozenset(("s1", "s2"))] == 10e9
        assert rates[frozenset(("n1", "s1"))] == 1e8


def test_the_rate_of_hosts_says_nothing_about_trunks():
    mau = "10GbaseLR - R fiber over 1310 nm optics"
    hosts = {f"n{k}.json": neighbours(neighbour("eth0", f"s{k}", "Bridge")) for k in (1, 2)}
    files = {**hosts, "s1.json": neighbours(neighbour("p9", "s2", "Bridge", mau=mau))}
    for rates, trunk_bps in ((("1Gbit", None), 10e9), (("1Gbit", "2Gbit"), 2e9)):
        cluster = imported(files, Hints(switches=("s1", "s2")), given_rates(*rates, None, "rates"))
        assert {link.rate_bps for link in cluster.links if {link.a, link.b} == {"s1", "s2"}} == {trunk_bps}


TEN = "10GigBaseT - 10 Gigabit Ethernet over twisted pair"


def hosts_announcing(*maus):
    """Host nK on switch sK, from 1 on, with the type that the switch's port announces."""
    return {
        f"n{k}.json": neighbours(neighbour("eth0", f"s{k}", "Bridge", mau=mau)) for k, mau in enumerate(maus, start=1)
    }


def trunk_rates(cluster):
    switches = set(cluster.switches)
    return {frozenset((link.a, link.b)): link.rate_bps for link in cluster.links if {link.a, link.b} <= switches}


@pytest.mark.parametrize("hints", [Hints(trunks=("s1-s2",)), Hints(core="s1")])
@pytest.mark.parametrize("maus", [(TEN, TEN), (TEN, "1000BaseTFD - Four-pair Category 5 UTP"), (None, TEN)])
def test_trunks_are_as_fast_as_the_fastest_port_that_their_switches_announce(hints, maus):
    assert trunk_rates(imported(hosts_announcing(*maus), hints)) == {frozenset(("s1", "s2")): 10e9}


def test_trunks_of_silent_switches_are_as_fast_as_any_port_that_announces():
    cluster = imported(hosts_announcing(TEN, None, None), Hints(trunks=("s1-s2", "s2-s3")))
    assert trunk_rates(cluster) == {frozenset(("s1", "s2")): 10e9, frozenset(("s2", "s3")): 10e9}


def test_a_told_rate_of_hosts_is_that_of_trunks_which_announce_none():
    told = given_rates("2Gbit", None, None, "rates")
    assert trunk_rates(imported(hosts_announcing(TEN, TEN), Hints(core="s1"), told)) == {frozenset(("s1", "s2")): 2e9}


@pytest.mark.parametrize(
    ("maus", "options", "notes"),
    [
        (
            (TEN, None),
            (),
            [
                "No port announces the rate of n2: 1 Gbit/s is assumed. Give --rate, or print the neighbours with "
                "'details'.",
                "No port announces the rate of top - s1: 10 Gbit/s is assumed, the fastest that a port of their "
                "switches announces. Give --trunk-rate, or change the rate of these links in the file.",
                "No port announces the rate of top - s2: 10 Gbit/s is assumed, the fastest that any port announces. "
                "Give --trunk-rate, or change the rate of these links in the file.",
                "Latency 10us; assumed, since --latency was not given.",
            ],
        ),
        (
            (None, None),
            (),
            [
                "No port announces the rate of n[1-2]: 1 Gbit/s is assumed. Give --rate, or print the neighbours with "
                "'details'.",
                "No port announces the rate of top - s1, top - s2: 1 Gbit/s is assumed, since no port of any switch "
                "announces one. Give --trunk-rate, or change the rate of these links in the file.",
                "Latency 10us; assumed, since --latency was not given.",
            ],
        ),
        (
            (TEN, TEN),
            ("--trunk-rate", "40Gbit", "--latency", "5us"),
            ["Rates as given: trunks 40 Gbit/s.", "Latency 5us."],
        ),
    ],
)
def test_what_is_assumed_is_said_on_the_terminal_and_in_the_file(trunkline, tmp_path, maus, options, notes):
    for file, content in hosts_announcing(*maus).items():
        (tmp_path / file).write_text(json.dumps(content))
    ran = trunkline("cluster", "import", "lldp", "n1.json", "n2.json", "--core", "top", *options, cwd=tmp_path)
    assert ran.status == 0, ran.error
    taken = "Taken for switches: s[1-2]."
    assert ran.error.splitlines()[1:] == [*notes, taken]
    assert ran.out.splitlines()[1 : len(notes) + 2] == [f"# {note}" for note in (*notes, taken)]


def test_parallel_trunks_keep_their_own_rates():
    slow, fast = "1000BaseTFD - Four-pair Category 5 UTP, full duplex mode", "10GbaseLR - R fiber over 1310 nm optics"
    hosts = {f"n{k}.json": neighbours(neighbour("eth0", f"s{k}", "Bridge")) for k in (1, 2)}
    trunks = neighbours(neighbour("p8", "s2", "Bridge", mau=slow), neighbour("p9", "s2", "Bridge", mau=fast))
    cluster = imported({**hosts, "s1.json": trunks}, Hints(switches=("s1", "s2")))
    assert sorted(link.rate_bps for link in cluster.links if {link.a, link.b} == {"s1", "s2"}) == [1e9, 10e9]


@pytest.mark.parametrize(
    "files",
    [
        {"n1.json": neighbours(neighbour("eth0", "s1", "Bridge"), neighbour("eth1", "s1", "Bridge"))},
        {"s1.json": neighbours(neighbour("p1", "n1", "Station"), neighbour("p2", "n1", "Station"))},
    ],
)
def test_two_cables_to_one_switch_are_no_guess(files):
    with pytest.raises(
        BadInput, match=r"n1 has several cables to s1 \(.*\) that are not all announced as one aggregate; a"
    ):
        imported(files, Hints(switches=("s1",)))


def widths(cluster):
    return sorted((link.a, link.b, link.width, link.rate_bps) for link in cluster.links)


def test_aggregated_cables_are_one_link():
    """Of a host, heard from either end, and of a trunk that only one switch tells to be aggregated."""
    trunk = [neighbour(f"p{n}", "s2", "Bridge", mau=TEN, lag="7") for n in range(3)]
    alone = neighbour("p9", "s2", "Bridge", mau=TEN)
    files = {
        "n1.json": neighbours(*(neighbour(f"eth{n}", "s1", "Bridge", mau=TEN, lag="4") for n in range(2))),
        "s1.json": neighbours(*trunk, alone),
        "s2.json": neighbours(
            *(neighbour(f"p{n}", "s1", "Bridge", mau=TEN) for n in range(4)),
            *(neighbour(f"q{n}", "n2", "Station", lag="2") for n in range(2)),
        ),
    }
    for order in (files, dict(reversed(files.items()))):
        cluster = imported(order, Hints(switches=("s1", "s2")))
        assert widths(cluster) == [
            ("n1", "s1", 2, 1e10),
            ("n2", "s2", 2, 1e9),
            ("s1", "s2", 1, 1e10),
            ("s1", "s2", 3, 1e10),
        ]


def test_cables_of_two_aggregates_are_no_guess():
    files = {"n1.json": neighbours(*(neighbour(f"eth{n}", "s1", "Bridge", lag=str(n + 1)) for n in range(2)))}
    with pytest.raises(BadInput, match="n1 has several cables to s1"):
        imported(files)


def test_told_widths():
    rates = given_rates("2x1Gbit", "4x10Gbit", None, "rates")
    cluster = imported(hosts_announcing(TEN, None), Hints(trunks=("s1-s2",)), rates)
    assert widths(cluster) == [("n1", "s1", 2, 1e9), ("n2", "s2", 2, 1e9), ("s1", "s2", 4, 1e10)]


def test_short_and_long_names_are_one_host():
    files = {
        "n0.json": neighbours(neighbour("eth0", "s0.lab", "Bridge")),
        "s0.json": neighbours(neighbour("p1", "n0.lab", "Station")),
    }
    cluster = imported(files)
    assert homes_of(cluster) == {"n0": "s0"}
    assert cluster.find_host("n0.lab") == 0
    far = {f"n{n}.json": neighbours(neighbour("eth0", f"sw.site{n}", "Bridge")) for n in range(2)}
    assert homes_of(imported(far, Hints(core="wan"))) == {"n0": "sw.site0", "n1": "sw.site1"}


def test_a_nameless_switch_is_called_by_its_id():
    nameless = neighbour("eth0", "", "Bridge")
    assert homes_of(imported({"n0.json": neighbours(nameless)})) == {"n0": "02:00:00:00:00:01"}


def test_one_interface_of_several():
    files = {
        f"n{n}.json": neighbours(neighbour("eth0", "admin", "Bridge"), neighbour("ib0", "fast", "Bridge"))
        for n in range(2)
    }
    assert homes_of(imported(files, Hints(interface="ib0"))) == {"n0": "fast", "n1": "fast"}


def test_hosts_that_bridge_for_their_containers():
    files = {
        "n0.json": neighbours(neighbour("eth0", "s0", "Bridge")),
        "s0.json": neighbours(neighbour("p1", "n0", "Bridge", "Station"), neighbour("p2", "n1", "Bridge")),
    }
    with pytest.raises(BadInput, match="there are no hosts in it"):
        imported(files)
    assert homes_of(imported(files, Hints(switches=("s0",)))) == {"n0": "s0", "n1": "s0"}


def via(protocol, heard):
    return {**heard, "via": protocol}


def test_what_is_not_named_is_left_out_with_a_note(trunkline, tmp_path):
    """A management switch that hosts hear too, and all that a switch's file hears besides its hosts."""
    files = {
        "n1.json": neighbours(neighbour("eth0", "sw1", "Bridge"), neighbour("eth1", "admin", "Bridge")),
        "n2.json": neighbours(neighbour("eth0", "sw1", "Bridge"), neighbour("eth0", "vm7", "Station")),
        "sw1.json": neighbours(
            neighbour("p1", "n1", "Bridge", "Station"),
            neighbour("p2", "n2", "Station"),
            neighbour("p3", "phone", "Bridge", "Tel"),
            neighbour("p4", "ups", "Station"),
            neighbour("p5", "admin", "Bridge"),
        ),
    }
    assert homes_of(imported(files, Hints(switches=("sw1",), interface="eth0"))) == {"n1": "sw1", "n2": "sw1"}
    # Without the interface, what hosts hear themselves is no host either; a station that the switch alone hears may be.
    assert homes_of(imported(files, Hints(switches=("sw1",)))) == {"n1": "sw1", "n2": "sw1", "ups": "sw1"}
    for file, content in files.items():
        (tmp_path / file).write_text(json.dumps(content))
    words = [
        "cluster",
        "import",
        "lldp",
        "--switches",
        "sw1",
        "--interface",
        "eth0",
        *(tmp_path / file for file in files),
    ]
    ran = trunkline(*words)
    assert ran.status == 0, ran.error
    assert "Left out, since --switches does not name them and they have no file of their own: " in ran.error
    for name in ("admin", "vm7", "phone", "ups"):
        assert name in ran.error.split("Left out")[1], ran.error
    only_switch = {"sw1.json": files["sw1.json"]}
    hosts = homes_of(imported(only_switch, Hints(switches=("sw1",))))
    assert "phone" not in hosts, "it runs no ranks, as it says itself"
    assert {"n1", "n2"} <= hosts.keys()


def test_bridges_that_are_taken_for_hosts_are_named_and_can_be_left_out(trunkline, tmp_path):
    """Containers' hosts bridge as a management switch does; which is which, a person knows."""
    heard = neighbours(
        neighbour("p1", "n1", "Station"),
        neighbour("p2", "n2", "Bridge", "Station"),
        neighbour("p3", "admin.lab", "Bridge"),
        neighbour("p4", "ups", "Station"),
    )
    file = tmp_path / "sw1.json"
    file.write_text(json.dumps(heard))
    words = ["cluster", "import", "lldp", file, "--switches", "sw1"]
    ran = trunkline(*words)
    assert "4 hosts on 1 switch\n" in ran.error
    assert (
        "Taken for hosts, although they announce themselves as bridge or router, as hosts of containers do: "
        "n2,admin.lab. Leave out those that are no hosts: --leave-out NAMES.\n"
    ) in ran.error
    ran = trunkline(*words, "--leave-out", "admin,ups", "-o", "-")
    assert list(_core.parse_cluster(ran.out, "written").hosts) == ["n1", "n2"]
    assert "as hosts of containers do: n2. Leave" in ran.error
    assert trunkline(*words, "--leave-out", "admni").error.endswith("no file names admni (did you mean admin.lab?)\n")
    assert "--leave-out n[1: a [ without its ]" in trunkline(*words, "--leave-out", "n[1").error


def test_a_switch_that_is_heard_by_two_protocols_is_one():
    heard = neighbours(
        via("CDPv2", neighbour("eth0", "sw1(SSI154300AA)", "Bridge")), neighbour("eth0", "sw1", "Bridge", mau=TEN)
    )
    assert homes_of(imported({"n1.json": heard, "n2.json": heard})) == {"n1": "sw1", "n2": "sw1"}
    by_cdp = neighbours(via("CDPv2", neighbour("eth0", "sw1(SSI154300AA)", "Bridge")))
    assert homes_of(imported({"n1.json": heard, "n2.json": by_cdp})) == {"n1": "sw1", "n2": "sw1"}
    assert homes_of(imported({"n2.json": by_cdp}, Hints(switches=("sw1",)))) == {"n2": "sw1"}
    alone = neighbours(via("CDPv2", neighbour("eth0", "sw9", "Bridge")))
    assert homes_of(imported({"n1.json": alone})) == {"n1": "sw9"}


@pytest.mark.parametrize(
    ("mau", "bps"),
    [
        ("10BaseTFD - UTP MAU, full duplex mode", 1e7),
        ("10Broad36 - broadband DTE MAU", 1e7),
        ("2BaseTL - Voice grade UTP copper", 2e6),
        ("100BaseTXFD - 2 pair category 5 UTP, full duplex mode", 1e8),
        ("1000BaseTFD - Four-pair Category 5 UTP, full duplex mode", 1e9),
        ("1000baseT1 - single balanced pair", 1e9),
        ("2p5GigT - 2.5GIGBASE-T", 2.5e9),
        ("2p5GbaseX - 2.5GBASE-X", 2.5e9),
        ("5GigT - 5GIGBASE-T", 5e9),
        ("10GigBaseSR - R fiber over 850 nm optics", 1e10),
        ("25GbaseCR - 25GBASE-CR", 2.5e10),
        ("40GbaseKR4 - 40GBASE-R PCS/PMA", 4e10),
        ("100GbaseCR10 - 100GBASE-R PCS/PMA", 1e11),
        ("AUI - no internal MAU, view from AUI", 1e9),
        ("FOIRL - FOIRL MAU", 1e9),
    ],
)
def test_types_of_ports(mau, bps):
    """Those without a number tell no rate: the default's."""
    cluster = imported({"n1.json": neighbours(neighbour("eth0", "s0", "Bridge", mau=mau))})
    assert [link.rate_bps for link in cluster.links] == [bps]


@pytest.mark.parametrize("kind", ["D1", "D4", "U3"])
def test_a_port_with_another_rate_each_way_has_the_lower_one(trunkline, tmp_path, kind):
    mau = f"10G1GbasePRX{kind} - One single-mode fiber asymmetric-rate EPON"
    slow = neighbours(neighbour("eth0", "s0", "Bridge", mau=mau))
    (tmp_path / "n1.json").write_text(json.dumps(slow))
    ran = trunkline("cluster", "import", "lldp", tmp_path / "n1.json")
    assert "Ports that announce another rate each way have the lower one: n1 - s0.\n" in ran.error
    assert "No port announces" not in ran.error
    assert [link.rate_bps for link in _core.parse_cluster(ran.out, "written").links] == [1e9]


def test_two_switches_of_one_name_are_said(trunkline, tmp_path):
    """As two from a box are both called "switch"; a stack announces several ids, too."""
    for number, identity in enumerate(("02:00:00:00:00:0A", "02:00:00:00:00:0b", "02:00:00:00:00:0a")):
        heard = neighbour("eth0", "switch", "Bridge")
        heard["chassis"] = [chassis("switch", "Bridge", identity=identity)]
        (tmp_path / f"n{number}.json").write_text(json.dumps(neighbours(heard)))
    said = "switch has 2 chassis ids (02:00:00:00:00:0a, 02:00:00:00:00:0b) and is taken for one switch: right of a"
    assert said in trunkline("cluster", "import", "lldp", *sorted(tmp_path.glob("*.json"))).error
    one_id = trunkline("cluster", "import", "lldp", tmp_path / "n0.json", tmp_path / "n2.json")
    assert "chassis ids" not in one_id.error


HEARS = neighbours(neighbour("eth0", "s0", "Bridge"))
BARE = neighbours(neighbour("eth0", "s0"))
BAD_INTERFACE = neighbours({"via": "LLDP"})
FAULTS = {
    "two pieces": (
        {"n0.json": HEARS, "n1.json": neighbours(neighbour("eth0", "s1", "Bridge"))},
        Hints(),
        f"n1.json:5:5: the network is in 2 pieces: no link joins s1 (1 host) to the rest (s0); {MISSING}",
    ),
    "several switches": (
        {"n0.json": neighbours(neighbour("eth0", "s0", "Bridge"), neighbour("eth1", "s1", "Bridge"))},
        Hints(),
        "n0 hears several switches (s0 on eth0, s1 on eth1); a host has one link, so name its --interface",
    ),
    "no neighbour": (
        {"n0.json": HEARS, "n1.json": neighbours()},
        Hints(),
        "n1.json: n1 hears no switch; does the switch speak LLDP to it?",
    ),
    "not on that interface": ({"n0.json": HEARS}, Hints(interface="eth7"), "n0.json: n0 hears no switch on eth7; does"),
    "no capability": (
        {"n0.json": BARE},
        Hints(),
        "n0.json:5:5: n0 hears s0 on eth0, and neither announces itself as bridge or router; name the switches with",
    ),
    "unheard switch": (
        {"n0.json": HEARS},
        Hints(switches=("s0", "s1")),
        "--switches: nobody hears s1 (did you mean s0?); leave it out",
    ),
    "unknown trunk": (
        {"n0.json": HEARS},
        Hints(trunks=("s0-s9",)),
        "--trunk s0-s9: switches are s0; this is not A-B with two of them",
    ),
    "not JSON": ({"n0.json": '{"lldp": [\n  oops'}, Hints(), "n0.json:2:3: not JSON: Expecting value"),
    "cut off": ({"n0.json": json.dumps(HEARS)[:-9]}, Hints(), "n0.json:1:"),
    "nested": ({"n0.json": "[" * 100000}, Hints(), "n0.json: not LLDP: lists nested without end"),
    "other JSON": (
        {"n0.json": "[1]"},
        Hints(),
        "n0.json:1:1: neither neighbours nor a chassis; print them with: lldpcli -f json0 show neighbors",
    ),
    "json, not json0": (
        {"n0.json": '{\n "lldp": {"interface": {"eth0": {}}}\n}'},
        Hints(),
        "n0.json:2:10: lldp must be a list, as -f json0 prints it; is this from -f json? Use json0",
    ),
    "interface without a name": ({"n0.json": BAD_INTERFACE}, Hints(), "n0.json:5:5: an interface without a name"),
    "no chassis": (
        {"n0.json": neighbours({"name": "eth0", "chassis": [{}]})},
        Hints(),
        "n0.json:5:5: a chassis without name and id; print it with -f json0",
    ),
    "whose": (
        {"all.jsonl": json.dumps(HEARS)},
        Hints(),
        "all.jsonl:1:1: whose neighbours are these? Print show chassis",
    ),
    "whose, twice in a file": (
        {"n0.json": json.dumps(HEARS) + "\n" + json.dumps(HEARS)},
        Hints(),
        "n0.json:2:1: whose neighbours are these? Print show chassis",
    ),
    "host of no name": (
        {"all.jsonl": '{"lldp": [],\n "host": 7}'},
        Hints(),
        'all.jsonl:2:10: host must be a name, such as "host": "node01"',
    ),
    "empty": (
        {"n0.json": ""},
        Hints(),
        "n0.json: there is nothing in it; print it with: lldpcli -f json0 show neighbors",
    ),
}


def test_names_that_a_cluster_file_cannot_hold(trunkline, tmp_path):
    """They are changed, each to a name of its own, and it is said what became what."""
    files = {
        "n0.json": neighbours(neighbour("eth0", "Core Switch 1", "Bridge")),
        "n1.json": neighbours(neighbour("eth0", "Käfer [2]", "Bridge")),
        "n2.json": neighbours(neighbour("eth0", "Core-Switch-1", "Bridge")),
        "n3.json": neighbours(neighbour("eth0", "核心", "Bridge")),
    }
    cluster = imported(files, Hints(core="Top Level"))
    assert homes_of(cluster) == {"n0": "Core-Switch-1-2", "n1": "Kafer-2", "n2": "Core-Switch-1", "n3": "node"}
    assert ("Core-Switch-1", "Top-Level") in trunks_of(cluster)
    for file, content in files.items():
        (tmp_path / file).write_text(json.dumps(content))
    ran = trunkline("cluster", "import", "lldp", "--core", "top", *(tmp_path / file for file in files))
    assert "Renamed, since names hold letters, digits and . _ - : / + @ only: 'Core Switch 1' became" in ran.error
    assert "'Käfer [2]' became Kafer-2" in ran.error


@pytest.mark.parametrize(("files", "hints", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(files, hints, message):
    with pytest.raises(BadInput) as caught:
        imported(files, hints)
    assert message in str(caught.value)


def test_trunks_between_names_with_dashes_that_fit_twice():
    files = {
        f"n{n}.json": neighbours(neighbour("eth0", name, "Bridge")) for n, name in enumerate(["a", "b-c", "a-b", "c"])
    }
    with pytest.raises(BadInput, match="this fits several pairs of them"):
        imported(files, Hints(trunks=("a-b-c",)))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_random_networks(homes, above):
    """A tree of five switches, each of which and each of whose hosts has a file."""
    parents = [above[n - 1] % n for n in range(1, 5)]
    sees = {f"n{host}": [f"s{home}"] for host, home in enumerate(homes)}
    sees |= {f"s{switch}": [] for switch in range(5)}
    for child, parent in enumerate(parents, start=1):
        sees[f"s{child}"].append(f"s{parent}")
        sees[f"s{parent}"].append(f"s{child}")
    files = {
        f"{name}.json": neighbours(*(neighbour(f"p{n}", other, "Bridge") for n, other in enumerate(others)))
        for name, others in sees.items()
    }
    cluster = imported(files)
    assert homes_of(cluster) == {f"n{host}": f"s{home}" for host, home in enumerate(homes)}
    expected = [tuple(sorted((f"s{child}", f"s{parent}"))) for child, parent in enumerate(parents, start=1)]
    assert sorted(trunks_of(cluster)) == sorted(expected)


def parts_of(value, path=()):
    """Paths of everything in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from parts_of(inner, (*path, key))


CAPTURED = json.loads((DATA / "s0.json").read_text())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["value", "name", "type"]), inner),
    max_leaves=4,
)


@example(("lldp", 0, "interface", 1, "chassis", 0, "name"), [{"value": "\x1b"}])
@given(st.sampled_from(list(parts_of(CAPTURED))), JSON)
def test_json_of_another_shape_is_read_or_refused(path, other):
    content = json.loads(json.dumps(CAPTURED))
    if path:
        inner = content
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = other
    else:
        content = other
    with suppress(BadInput):
        imported({"h0.json": (DATA / "h0.json").read_text(), "s0.json": content})


def test_the_command(trunkline, refused, tmp_path):
    hosts = [DATA / "h0.json", DATA / "h1.json"]
    assert MISSING in refused("cluster", "import", "lldp", *hosts)
    file = tmp_path / "two.yaml"
    ran = trunkline("cluster", "import", "lldp", *hosts, "--trunk", "s0-s1", "--trunk-rate", "40Gbit", "-o", file)
    assert ran.status == 0, ran.error
    assert ran.error.startswith(f"{file}: 2 hosts on 2 switches\n")
    assert ran.error.endswith("Taken for switches: s[0-1].\n")
    checked = trunkline("cluster", "check", file)
    assert checked.out.startswith(f"{file}: OK, 2 hosts on 2 switches, 3 links")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give files of neighbours, or hosts to ask with --ssh, and not both"),
        (("x.json", "--ssh", "n1"), "give files of neighbours, or hosts to ask with --ssh, and not both"),
        (("--ssh", "n[1-"), "--ssh n[1-: a [ without its ]"),
        (("x.json",), "x.json: cannot be read: No such file or directory"),
        ((DATA / "h0.json", "--switches", "s[0"), "--switches s[0: a [ without its ]"),
    ],
)
def test_the_command_refuses(refused, tmp_path, words, message):
    assert refused("cluster", "import", "lldp", *words, cwd=tmp_path) == message


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """Hosts h0 and h1 answer as captured; others are not there."""
    program = tmp_path / "ssh"
    program.write_text(
        "#!/bin/sh\n"
        'test "$1 $2 $3 $4 $5" = "-o BatchMode=yes -o ConnectTimeout=10 --" || exit 9\n'
        'test "$7 $8 $9" = "lldpcli -f json0" || exit 9\n'
        f'case $6 in h[01]|root@h[01]) cat "{DATA}/${{6#root@}}.json";; odd) echo hello;; '
        '*) echo "ssh: no such host $6" >&2; exit 255;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("ssh")
def test_hosts_are_asked_over_ssh(trunkline, refused):
    ran = trunkline("cluster", "import", "lldp", "--ssh", "h[0-1]", "--core", "top")
    assert ran.status == 0, ran.error
    assert homes_of(_core.parse_cluster(ran.out, "out")) == {"h0": "s0", "h1": "s1"}
    as_root = trunkline("cluster", "import", "lldp", "--ssh", "root@h[0-1]", "--core", "top")
    assert as_root.out == ran.out, as_root.error
    message = refused("cluster", "import", "lldp", "--ssh", "h[0-2],odd")
    assert message.splitlines() == [
        "2 faults; nothing is done with a faulty file",
        "h2: ssh: no such host h2",
        "odd: lldpcli's answer is not JSON: Expecting value: line 1 column 1 (char 0)",
    ]


@pytest.mark.parametrize("option", ["--switches", "--leave-out", "--trunk", "--core"])
@pytest.mark.parametrize("told", ["Verteiler-Süd", "verteiler-süd", "VERTEILER-SUD"])
def test_options_name_devices_without_blanks_too(trunkline, tmp_path, option, told):
    """An accent alone, and beside a name that needs no change."""
    for host, switch in (("n1", "Verteiler-Süd"), ("n2", "sw2")):
        (tmp_path / f"{host}.json").write_text(json.dumps(neighbours(neighbour("eth0", switch, "Bridge"))))
    words = {
        "--switches": (f"{told},SW2", "--core", "sw2"),
        "--leave-out": (told,),
        "--trunk": (f"{told}-SW2",),
        "--core": (told,),
    }[option]
    files = [tmp_path / "n2.json", *([] if option == "--leave-out" else [tmp_path / "n1.json"])]
    if option == "--leave-out":
        (tmp_path / "n2.json").write_text(
            json.dumps(neighbours(neighbour("eth0", "sw2", "Bridge"), neighbour("eth1", "Verteiler-Süd", "Bridge")))
        )
    ran = trunkline("cluster", "import", "lldp", option, *words, *files)
    assert ran.status == 0, ran.error
    found = ["sw2"] if option == "--leave-out" else ["Verteiler-Sud", "sw2"]
    assert sorted(_core.parse_cluster(ran.out, "out").switches) == found


@pytest.mark.parametrize("told", ["Verteiler Süd 1", "verteiler süd 1", "Verteiler-Sud-1", "VERTEILER-SUD-1"])
def test_switches_are_named_as_they_call_themselves_or_as_they_become(trunkline, tmp_path, told):
    for file in ("n1.json", "n2.json"):
        heard = neighbours(neighbour("eth0", "Verteiler Süd 1", "Bridge"), neighbour("eth0", "admin", "Bridge"))
        (tmp_path / file).write_text(json.dumps(heard))
    ran = trunkline("cluster", "import", "lldp", "--switches", told, tmp_path / "n1.json", tmp_path / "n2.json")
    assert ran.status == 0, ran.error
    assert "'Verteiler Süd 1' became Verteiler-Sud-1" in ran.error
