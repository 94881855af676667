"""Multicasts under SimGrid: times that can be worked out by hand, loss, and what cannot be simulated."""

import json
import math

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.paths import CLUSTERS

RATE = 1e8 / 8
LATENCY_S = 10e-6
PAYLOAD = 1432
OVERHEAD = 106
"""Ethernet's, IPv4's, UDP's and our own, of each datagram."""
EXACT = 1e-4
COSTS = {"send": 1.0e-6, "send_byte": 0.08e-9, "receive": 0.7e-6, "receive_byte": 0.06e-9}
"""Of a datagram, as core/model/transfer/host_costs.cpp has it."""
SEALED = 40
"""Bytes of a datagram besides its payload."""


@pytest.fixture
def switch(tmp_path):
    """A cluster file of so many hosts on one switch."""

    def make(hosts, defaults="", of_switch=""):
        file = tmp_path / f"switch-{hosts}{len(defaults)}{len(of_switch)}.yaml"
        file.write_text(
            f"trunkline: cluster/1\nname: switch\ndefaults: {{rate: 100Mbit, latency: 10us{defaults}}}\n"
            f"switches: [{{switches: s0{of_switch}}}]\nhosts:\n  - {{hosts: 'h[0-{hosts - 1}]', switch: s0}}\n"
        )
        return file

    return make


@pytest.fixture
def seconds(trunkline, tmp_path):
    """By size what multicasts of rank 0 take."""

    def run(cluster, sizes, *words, costs="free"):
        out = tmp_path / "rows.json"
        ran = trunkline(
            *("simulate", "bcast", "--cluster", cluster, "--sizes", ",".join(map(str, sizes)), "--json", out),
            *("--algorithms", "multicast", "--host-costs", costs, *words),
        )
        assert ran.status == 0, ran.error
        rows = json.loads(out.read_text())
        assert {row["ran"] for row in rows} == {"multicast"}
        return {row["message_bytes"]: row["seconds_median"] for row in rows}

    return run


def wires(size):
    """Bytes on the wire of each datagram of a message."""
    return [min(PAYLOAD, size - at) + OVERHEAD for at in range(0, size, PAYLOAD)]


def data_seconds(size):
    """From one host over a switch: all of them on the first link, the last one on the second, or the longest before."""
    first = second = 0.0
    for wire in wires(size):
        first += wire / RATE
        second = max(first, second) + wire / RATE
    return second + 2 * LATENCY_S


def done_seconds(levels=1):
    """Until a rank with so many levels of the confirm tree below it, and itself, has left.

    From level to level an MPI message of 8 bytes says so: the datagram that says the same stands behind it at the port.
    The rank leaves once its own one has come, when simulated sends end.
    """
    return levels * 2 * ((8 + 40 + 90) / RATE + LATENCY_S)


@pytest.mark.parametrize("hosts", [2, 3, 9])
def test_short_ones_take_as_long_to_any_number_of_hosts(switch, seconds, hosts):
    took = seconds(switch(hosts), [8, 1432, 1433, 8192])
    assert took == {size: pytest.approx(data_seconds(size), rel=EXACT) for size in took}


@pytest.mark.parametrize("size", [8593, 65536, 1 << 20])
def test_longer_ones_are_confirmed(switch, seconds, size):
    took = seconds(switch(2), [size])
    assert took[size] == pytest.approx(data_seconds(size) + done_seconds(), rel=EXACT)


def test_each_level_of_the_confirm_tree_adds_a_datagram(switch, seconds):
    """Of 6 hosts the root's 4 children are done, the one with a child after that one; and there are reports."""
    took = seconds(switch(6), [20000])[20000]
    least = data_seconds(20000) + done_seconds(2)
    assert least * (1 - EXACT) <= took <= least + 5 * (8 + OVERHEAD) / RATE


def test_what_datagrams_cost_hosts_counts(switch, seconds):
    def costs(way):
        return COSTS[way] + COSTS[f"{way}_byte"] * (8 + SEALED)

    took = seconds(switch(5), [8], costs="mpich")[8]
    assert took == pytest.approx(data_seconds(8) + costs("send") + costs("receive"), rel=EXACT)


def test_what_datagrams_were_said_to_cost_counts(switch, seconds):
    costs = "free,datagram-send=3us,datagram-send-byte=2ns,datagram-receive=5us"
    took = seconds(switch(5), [8], costs=costs)[8]
    assert took == pytest.approx(data_seconds(8) + 3e-6 + 2e-9 * (8 + SEALED) + 5e-6, rel=EXACT)


def test_what_datagrams_were_measured_to_cost_counts(switch, trunkline, tmp_path, measured_tables):
    file = switch(5)
    tables = measured_tables(load_cluster(str(file)))
    points = "".join(
        f"    - {{size: {size}B, send: {size + 92}us, receive: 7us, spread: 0.01}}\n" for size in (8, 1432)
    )
    tables.write_text(tables.read_text() + f"datagrams:\n  between: [h0, h4]\n  points:\n{points}")
    out = tmp_path / "rows.json"
    words = ("--sizes", "8", "--algorithms", "multicast", "--measured", tables, "--json", out)
    ran = trunkline("simulate", "bcast", "--cluster", file, *words)
    assert ran.status == 0, ran.error
    (row,) = json.loads(out.read_text())
    # 92 us and 1 us a byte; its own simulation has no messages in it.
    assert row["seconds_median"] == pytest.approx(data_seconds(8) + 92e-6 + 1e-6 * (8 + SEALED) + 7e-6, rel=EXACT)


def test_ranks_of_one_host_hear_it_too(switch, seconds):
    took = seconds(switch(2), [8, 65536], "--ranks-per-host", "4")
    assert took[8] == pytest.approx(data_seconds(8), rel=EXACT)
    assert data_seconds(65536) < took[65536] < data_seconds(65536) + 4 * done_seconds()


def test_to_be_done_costs_no_messages(switch, seconds):
    """Each would take 25 us of two processors, of which one or the other is on the way."""
    took = seconds(switch(6), [20000], costs="mpich")[20000]
    assert took < data_seconds(20000) + done_seconds(2) + 35e-6


def test_further_ranks_of_a_host_cost_it_more(switch, seconds):
    alone, together = (seconds(switch(2), [8], "--ranks-per-host", ranks, costs="mpich")[8] for ranks in ("1", "4"))
    assert together - alone == pytest.approx(3 * 0.13e-6, rel=1e-2)


def test_groups_of_many_ranks_open_on_fast_links(trunkline):
    """Answers of all ranks to the first probe, 383 at once, would not fit into a buffer."""
    words = ("--cluster", "leaf-spine", "--ranks-per-host", "16", "--rate", "10Gbit", "--host-costs", "mpich")
    sizes = ("--sizes", "8KiB,64KiB", "--algorithms", "multicast,4-ary", "--json", "-")
    took = {
        (one["algorithm"], one["message_bytes"]): one["seconds_median"]
        for one in trunkline("simulate", "bcast", *words, *sizes).data
    }
    for size in (8192, 65536):
        assert took["multicast", size] < 0.6 * took["4-ary", size]


def test_what_is_lost_is_sent_again(switch, seconds):
    """Every byte is checked by the ranks themselves. The same frames are lost each time."""
    lossy = switch(8, ", loss: 5%")
    sizes = [8, 8192, 65536, 1 << 20]
    first = seconds(lossy, sizes)
    assert seconds(lossy, sizes) == first
    assert all(first[size] >= data_seconds(size) * (1 - EXACT) for size in sizes)
    assert first[1 << 20] > 1.05 * data_seconds(1 << 20)
    assert first[1 << 20] < 3 * data_seconds(1 << 20)


def test_what_all_ranks_lack_is_not_sent_to_each(trunkline, tmp_path):
    """What the root's link loses all 31 ask for: repaired one by one it took ten times as long as the message."""
    lossy = tmp_path / "lossy.yaml"
    lossy.write_text((CLUSTERS / "paper-4.yaml").read_text().replace("latency: 10us", "latency: 10us, loss: 1%"))
    assert "loss" in lossy.read_text()
    out = tmp_path / "rows.json"
    words = ("--sizes", "8KiB", "--algorithms", "multicast", "--rate", "10Mbit", "--json", out)
    ran = trunkline("simulate", "bcast", "--cluster", lossy, *words, "--calls", "40")
    assert ran.status == 0, ran.error
    (row,) = json.loads(out.read_text())
    assert row["repetitions"] == 40
    assert row["seconds_median"] < 1.25 * 12.04e-3  # where nothing is lost


def test_many_sizes_have_no_meeting_among_them(switch, seconds):
    sizes = list(range(8, 8 + 20))
    took = seconds(switch(3), sizes)
    assert took == {size: pytest.approx(data_seconds(size), rel=EXACT) for size in sizes}


def test_full_buffers_lose_what_comes(switch, seconds):
    """At 100 Gbit/s a rank that takes in a datagram cannot keep up with the wire: it still gets every byte."""
    fast = seconds(switch(4), [1 << 20], "--rate", "100Gbit", costs="mpich")[1 << 20]
    datagrams = math.ceil((1 << 20) / PAYLOAD)
    assert fast > datagrams * COSTS["send"]


def test_snooping_is_refused(trunkline, switch):
    snooping = switch(3, of_switch=", igmp: querier")
    ran = trunkline("simulate", "bcast", "--cluster", snooping, "--sizes", "8", "--algorithms", "multicast")
    assert ran.status != 0
    assert "switches that snoop IGMP are not simulated" in " ".join(ran.error.split())


def test_nobody_asks_for_what_waits_behind_others(trunkline):
    """Links side by side take two ranks' datagrams different ways, and slow ones are milliseconds apart."""
    words = ("--rate", "10Mbit", "--sizes", "384KiB", "--algorithms", "multicast", "--json", "-")
    ran = trunkline("simulate", "allgather", "--cluster", "leaf-spine", *words)
    assert ran.status == 0, ran.error
    [row] = ran.data
    assert row["seconds_median"] < row["limit_seconds"]


def test_messages_and_datagrams_share_the_root_s_port(trunkline, tmp_path):
    """It sends the message twice, to its site and to the other one, and nothing is lost for that."""
    file = tmp_path / "two.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: two\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: s[0-1]\n"
        "hosts:\n  - {hosts: 'h[0-3]', switch: s0}\n  - {hosts: 'h[4-7]', switch: s1}\n"
        "links:\n  - {between: [s0, s1], latency: 300us}\n"
    )
    out = tmp_path / "rows.json"
    ran = trunkline(
        *("simulate", "bcast", "--cluster", file, "--sizes", "1MiB", "--json", out),
        *("--algorithms", "by-sites-multicast:8KiB", "--host-costs", "mpich"),
    )
    assert ran.status == 0, ran.error
    [row] = json.loads(out.read_text())
    assert 2.0 < row["seconds_median"] / row["limit_seconds"] < 2.2


def test_groups_take_as_long_as_predicted(trunkline, tmp_path):
    """Over long links: messages to each site, datagrams inside; without what nobody predicts, losses and late ranks."""
    out = tmp_path / "rows.json"
    ran = trunkline(
        *("simulate", "bcast", "--cluster", "four-site", "--sizes", "1000,8KiB", "--json", out),
        *("--algorithms", "by-sites-multicast", "--host-costs", "free"),
    )
    assert ran.status == 0, ran.error
    rows = json.loads(out.read_text())
    assert {row["ran"] for row in rows} == {"by-sites-multicast"}
    cluster = load_cluster("four-site")
    plan = _core.lay("bcast", "by-sites-multicast", cluster, list(range(32)), 0)
    costs = _core.costs_of(cluster, list(range(32)), plan, host_costs="free")
    for row in rows:
        size = row["message_bytes"]
        predicted = costs.seconds(size, costs.best_segment(size))
        assert row["seconds_median"] == pytest.approx(predicted, rel=0.05), row
