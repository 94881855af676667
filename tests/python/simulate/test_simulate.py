"""``trunkline simulate``: times that can be worked out by hand, refusals, and what comes out as JSON."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import cluster_file, fingerprint_text, load_cluster
from trunkline.errors import BadInput
from trunkline.peers.simulated import PIPELINED, SELECTORS, UNNAMED, own_choice, simulated_algorithms
from trunkline.simulate import engine
from trunkline.simulate.calibration import _lines
from trunkline.simulate.engine import Job, simulate
from trunkline.simulate.rows import simulate_all

RATE = 1e8 / 8
HOP_S = 20e-6
"""Two links of 10 us."""
STORED_S = 1538 / RATE
"""The switch stores the first frame."""
EXACT = 1e-4
"""Relative: SimGrid rounds times to a nanosecond, and rates to a part in 1e8."""


def wire_bytes(payload):
    """As core/model/transfer/wire.hpp: 40 bytes of MPI's header, then frames of 1448 bytes with 90 around each."""
    return payload + 40 + math.ceil((payload + 40) / 1448) * 90


def cut(message, segment):
    return [min(segment, message - at) for at in range(0, message, segment)]


def line_seconds(hosts, message, segment):
    """A line on one switch: all segments through the first link, then the longest one through each further host."""
    wire = [wire_bytes(size) / RATE for size in cut(message, segment)]
    return sum(wire) + (hosts - 2) * max(wire) + (hosts - 1) * (HOP_S + STORED_S)


@pytest.fixture
def switch(tmp_path):
    """A cluster file of so many hosts on one switch."""

    def make(hosts, latency="10us"):
        file = tmp_path / f"switch-{hosts}.yaml"
        file.write_text(
            f"trunkline: cluster/1\nname: switch\ndefaults: {{rate: 100Mbit, latency: {latency}}}\nswitches: [s0]\n"
            f"hosts:\n  - {{hosts: 'h[0-{hosts - 1}]', switch: s0}}\n"
        )
        return file

    return make


def simulated(trunkline, cluster, sizes, algorithms, *more):
    """By algorithm and size; hosts cost nothing unless ``more`` says otherwise."""
    if not {"--host-costs", "--measured", "--mpi"} & set(more):
        more = ("--host-costs", "free", *more)
    ran = trunkline(
        "simulate", "bcast", "--cluster", cluster, "--sizes", sizes, "--algorithms", algorithms, "--json", "-", *more
    )
    assert ran.status == 0, ran.error
    return {(row["algorithm"], row["message_bytes"]): row for row in ran.data}


@pytest.mark.parametrize(("hosts", "segment"), [(2, 4304), (3, 15888), (9, 4304), (16, 2856)])
def test_line_takes_what_its_formula_says(trunkline, switch, hosts, segment):
    name = f"linear:{segment}"
    # Where a switch's stored frames let flows of two segments overlap by a microsecond, they share the rate so long.
    exact = EXACT if hosts <= 3 else 0.03
    rows = simulated(trunkline, switch(hosts), "64KiB,1MiB", name)
    for size in (65536, 1 << 20):
        row = rows[name, size]
        assert row["seconds_median"] == pytest.approx(line_seconds(hosts, size, segment), rel=exact)
        assert row["limit_seconds"] == pytest.approx(wire_bytes(size) / RATE + HOP_S + STORED_S, rel=EXACT)
        assert (row["ran"], row["segment_bytes"], row["ranks"]) == ("linear", segment, hosts)


@pytest.mark.parametrize(("segment", "alike"), [(4304, 1.01), (65536, 1.05)])
def test_reduction_up_a_line_takes_what_a_broadcast_down_takes(trunkline, switch, segment, alike):
    # Of a segment at 10 Gbit/s the wire takes less than the way does: only many under way keep the links busy.
    seconds = {}
    for collective in ("bcast", "reduce"):
        words = (
            "--cluster",
            switch(4),
            "--host-costs",
            "free",
            "--rate",
            "10Gbit",
            "--sizes",
            "4MiB",
            "--algorithms",
            f"linear:{segment}",
        )
        ran = trunkline("simulate", collective, *words, "--json", "-")
        assert ran.status == 0, ran.error
        (row,) = ran.data
        seconds[collective] = row["seconds_median"]
    assert seconds["reduce"] < alike * seconds["bcast"]


@pytest.fixture
def bundle(tmp_path):
    """A file of eight hosts, those with even numbers on s0, with so many links between the two switches."""
    file = tmp_path / "bundle.yaml"

    def make(width):
        file.write_text(
            "trunkline: cluster/1\nname: bundle\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: 's[0-1]'\nhosts:\n"
            "  - {hosts: 'h[0-7]', switches: 's[0-1]', deal: 1}\n"
            f"links:\n  - {{between: [s0, s1], rate: {width}x100Mbit}}\n"
        )
        return file

    return make


@pytest.mark.parametrize("width", range(1, 7))
def test_two_flows_over_a_bundle_take_t_or_twice_t_by_their_hash(bundle, width):
    """The line h0 -> h1 -> h2 -> h3 leads from s0 to s1 twice, and once back."""
    job = Job("bcast", load_cluster(str(bundle(width))), range(4), 0, [4 << 20], {})
    (one,) = simulate(job, "unaware-linear:4304", {}, {})
    collide = _core.link_taken(0, 1, width) == _core.link_taken(2, 3, width)
    assert collide == (width != 4)
    assert one.seconds / one.limit_seconds == pytest.approx(2.0 if collide else 1.0, rel=0.06)


def test_a_bundle_never_slows_a_plan_without_contention(bundle):
    for runs in ("linear:4304", "two-tree:4304"):
        seconds = []
        for width in (1, 2, 4):
            job = Job("bcast", load_cluster(str(bundle(width))), range(8), 0, [1 << 20], {})
            (one,) = simulate(job, runs, {}, {})
            seconds.append(one.seconds)
        assert seconds[1:] == pytest.approx(seconds[:1] * 2, rel=EXACT)


def test_flat_sends_through_one_port_in_turn(trunkline, switch):
    row = simulated(trunkline, switch(5), "64KiB", "flat:64KiB")["flat:64KiB", 65536]
    assert row["seconds_median"] == pytest.approx(4 * wire_bytes(65536) / RATE + HOP_S + STORED_S, rel=EXACT)


def test_line_blind_to_the_switches_shares_their_trunks(trunkline):
    rows = simulated(trunkline, "cyclic", "1MiB", "linear:4304,unaware-linear:4304")
    aware, unaware = rows["linear:4304", 1 << 20], rows["unaware-linear:4304", 1 << 20]
    # Eight flows on a trunk of cyclic.
    assert 7 < unaware["seconds_median"] / aware["seconds_median"] < 9


def test_auto_decides_as_the_library_does_and_beats_its_peers(trunkline):
    rows = simulated(trunkline, "cyclic", "1MiB", "auto," + ",".join(SELECTORS))
    auto = rows["auto", 1 << 20]
    predicted = trunkline(
        "explain", "cyclic", "--host-costs", "free", "--sizes", "1MiB", "--no-multicast", "--json", "-"
    ).data[0]
    assert (auto["ran"], auto["segment_bytes"]) == (predicted["algorithm"], predicted["segment_bytes"])
    assert auto["seconds_median"] < 1.25 * auto["limit_seconds"]
    for name in SELECTORS:
        peer = rows[name, 1 << 20]
        assert peer["ran"] == "native"
        assert peer["seconds_median"] > 5 * auto["seconds_median"], name


def test_times_repeat_exactly(trunkline):
    first, second = (simulated(trunkline, "random:48x6:3", "64KiB", "auto,mpich") for _ in range(2))
    assert [row["seconds_median"] for row in first.values()] == [row["seconds_median"] for row in second.values()]


def test_bound_and_ranks_of_a_host(trunkline, switch):
    row = simulated(trunkline, switch(4), "64KiB", "two-tree", "--ranks-per-host", "2", "--root", "h1")[
        "two-tree", 65536
    ]
    assert (row["hosts"], row["ranks"], row["mpi"]) == (4, 8, "simgrid")
    data_s = 65536 / RATE * 1538 / 1448
    assert row["bound_seconds"] == pytest.approx(data_s + 2 * HOP_S)  # four hosts in a binary tree: two levels
    assert row["bound_seconds"] < row["seconds_median"]


def test_what_messages_cost_their_hosts_is_added_at_every_hop(trunkline, switch, refused):
    """Known costs, of which predictions know too; Open MPI announces 128 KiB first: there and back."""
    for size, rendezvous_s in ((4096, 0.0), (131072, 2 * 15e-6 + 2 * HOP_S)):
        name = f"linear:{size}"
        free = simulated(trunkline, switch(3), str(size), name)[name, size]["seconds_median"]
        costly = simulated(trunkline, switch(3), str(size), name, "--host-costs", "openmpi")[name, size]
        hop_s = 12e-6 + 0.2e-9 * size + 12.5e-6 + 0.4e-9 * wire_bytes(size) + rendezvous_s
        assert costly["seconds_median"] - free == pytest.approx(2 * hop_s, rel=0.02)
    assert "there are: free, mpich" in refused("simulate", "bcast", "--cluster", "cyclic", "--host-costs", "lam")


def test_a_processor_takes_in_and_sends_one_segment_after_another(trunkline, switch):
    """At 100 Gbit/s each further segment takes what the middle host of a line spends on it, not what its link does."""
    pair = switch(3)
    words = ("--rate", "100Gbit", "--host-costs", "openmpi")
    rows = [simulated(trunkline, pair, str(count * 4096), "linear:4096B", *words) for count in (1000, 2000)]
    first, second = (next(iter(row.values()))["seconds_median"] for row in rows)
    segment_s = 12e-6 + 0.2e-9 * wire_bytes(4096) + 12.5e-6 + 0.4e-9 * wire_bytes(4096)
    assert (second - first) / 1000 == pytest.approx(segment_s, rel=0.02)


def test_messages_cost_the_libraries_what_they_cost_us(trunkline, switch):
    """Theirs block while they send: one message to one host takes as long, whoever sends it."""
    found = simulated(trunkline, switch(2), "4KiB", "linear:4KiB,native,mpich", "--host-costs", "mpich")
    assert len(found) == 3
    for row in found.values():
        assert row["seconds_median"] == pytest.approx(found["linear:4KiB", 4096]["seconds_median"], rel=0.001)
        assert row["seconds_median"] > row["limit_seconds"] + 12e-6 + 12.5e-6


@pytest.mark.parametrize("host_costs", ["openmpi", "mpich", "mpich-5"])
@pytest.mark.parametrize("rate", ["1Gbit", "100Gbit"])
def test_nothing_is_faster_than_t_whatever_messages_cost(trunkline, switch, host_costs, rate):
    """Segments go through their hosts while others are on the wire; a message in one piece does not."""
    words = ("--host-costs", host_costs, "--rate", rate)
    rows = simulated(trunkline, switch(3), "64KiB,1MiB", "linear:15888,two-tree:4304,auto", *words)
    free = simulated(trunkline, switch(3), "64KiB,1MiB", "linear:15888", "--rate", rate)
    for (_, size), row in rows.items():
        assert row["seconds_median"] > row["limit_seconds"]
        assert row["limit_seconds"] == pytest.approx(free["linear:15888", size]["limit_seconds"], rel=EXACT)


def test_measured_processor_times_slow_the_simulation(trunkline, tmp_path):
    fingerprint = trunkline("cluster", "check", "cyclic", "--json", "-").data["fingerprint"]
    points = [(size, f"send: {us}us") for size, us in (("1KiB", 200), ("8KiB", 900))]
    file = tmp_path / "net.yaml"
    file.write_text(
        f"trunkline: measurement/1\ndate: '2026-01-01'\ncluster: cyclic\ncluster_fingerprint: '{fingerprint}'\n"
        "mpi: mpich\nmpi_version: '4.0.2'\ndistances:\n"
        "  - channels: 2\n    between: [h0, h4]\n    eager_limit: 8KiB\n    points:\n"
        + "".join(
            f"      - {{size: {size}, round_trip: 2ms, gap: 1ms, {send}, receive: 1us, spread: 0.01}}\n"
            for size, send in points
        )
    )
    plain = simulated(trunkline, "cyclic", "64KiB", "linear:8KiB")["linear:8KiB", 65536]
    slow = simulated(trunkline, "cyclic", "64KiB", "linear:8KiB", "--measured", file)["linear:8KiB", 65536]
    # Each of the 31 hops adds at least the 0.9 ms that sending 8 KiB takes.
    assert slow["seconds_median"] > plain["seconds_median"] + 31 * 0.9e-3


def test_lab_and_simulation_side_by_side(trunkline, refused, tmp_path):
    fingerprint = fingerprint_text(_core.scaled(load_cluster("cyclic"), 2e7))
    cell = {"cluster": "cyclic", "cluster_fingerprint": fingerprint, "rate_bps": 2e7, "ranks": 32, "mpi": "mpich"}
    cell |= {"message_bytes": 65536, "collective": "bcast"}
    lab = [
        cell | {"algorithm": "auto", "seconds_median": 0.05, "limit_seconds": 0.03},
        cell | {"algorithm": "native", "seconds_median": 0.5, "limit_seconds": 0.03},
    ]
    file = tmp_path / "bench.json"
    file.write_text(json.dumps(lab))
    words = ("simulate", "bcast", "--cluster", "cyclic", "--sizes", "64KiB", "--algorithms", "auto,mpich")
    ran = trunkline(*words, "--compare", file)
    assert ran.status == 0, ran.error
    assert "Lab and simulation" in ran.error
    assert [line.split()[3] for line in ran.error.split("Lab and simulation")[1].splitlines() if "KiB" in line] == [
        "auto",
        "native",
    ]
    # Told before anything is simulated.
    assert "ran 32 ranks of cyclic" in refused(*words, "--compare", file, "--rate", "30Mbit")
    assert "ran 32 ranks of cyclic" in refused(*words, "--compare", file, "--ranks-per-host", "2")
    twin = tmp_path / "twin.yaml"
    twin.write_text(_core.write_cluster(load_cluster("paper-4")).replace("paper-4", "cyclic"))
    assert "ran 32 ranks of cyclic" in refused("simulate", "bcast", "--cluster", twin, *words[4:], "--compare", file)
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{**one, "collective": "reduce"} for one in lab]))
    assert "no algorithm and size of bcast" in refused(*words, "--compare", other)
    assert "no algorithm and size" in refused(*words[:-1], "binary", "--compare", file)
    for wrong in ({"limit_seconds": 0}, {"seconds_median": None}, {"ranks": "32"}):
        file.write_text(json.dumps([cell | lab[0] | wrong]))
        assert f"{next(iter(wrong))} is " in refused(*words, "--compare", file)


@pytest.mark.parametrize("name", ["random:", "random:8", "random:8x9", "random:0x0", "random:8x2:x", "random:8x2:"])
def test_random_clusters_have_a_form(refused, name):
    assert name in refused("cluster", "show", name)


@pytest.mark.parametrize(
    "name",
    [
        "sites:",
        "sites:4",
        "sites:1x4",
        "sites:2x0",
        "sites-dealt:2x2:",
        "sites:2x60000",
        "sites:2x2:delay=",
        "sites:2x2:delay=5",
        "sites:2x2:delay=0ms",
        "sites:2x2:delay=2ms-1ms",
        "sites:2x2:rate=fast",
        "sites:2x2:rate=1Mbit:rate=2Mbit",
        "sites:2x2:host-rate=1Mbit-2Mbit",
        "sites:2x2:far=1ms",
        "sites:2x2:delay=1ms:1",
    ],
)
def test_random_sites_have_a_form(refused, name):
    assert name in refused("cluster", "show", name)


def test_random_sites(trunkline, refused):
    def shown(name):
        return trunkline("cluster", "show", name, "--json", "-").data

    assert shown("sites:4x3") == shown("sites:4x3:1") != shown("sites:4x3:2")
    homes = {
        kind: [host["switch"] for host in sorted(shown(f"{kind}:4x3:2")["hosts"], key=lambda one: int(one["name"][1:]))]
        for kind in ("sites", "sites-dealt")
    }
    assert homes["sites"] == [f"s{site}" for site in range(4) for _ in range(3)]
    assert homes["sites-dealt"] == [f"s{site}" for site in range(4)] * 3
    assert "is no file" in refused("run", "--cluster", "sites:2x2", "--", "true")


def test_random_sites_with_given_links(trunkline):
    def links(name):
        shown = trunkline("cluster", "show", name, "--json", "-").data["links"]
        long = [link for link in shown if all(end.startswith("s") for end in link["between"])]
        return long, [link for link in shown if link not in long]

    usual, _ = links("sites:5x2:3")
    long, own = links("sites:5x2:3:delay=20ms:rate=1Gbit-10Gbit:host-rate=10Gbit")
    assert [link["between"] for link in long] == [link["between"] for link in usual], "the seed says who is joined"
    assert {link["latency_s"] for link in long} == {0.02}
    assert all(1e9 <= link["rate_bps"] <= 1e10 for link in long)
    assert len({link["rate_bps"] for link in long}) == 4
    assert {link["rate_bps"] for link in own} == {1e10}


def test_random_cluster_is_the_same_every_time(trunkline, tmp_path):
    for seed in ("", ":1"):
        name = f"random:40x5{seed}"
        assert trunkline("cluster", "export", name, "--format", "yaml", "-o", tmp_path / f"c{seed}.yaml").status == 0
    assert (tmp_path / "c.yaml").read_text() == (tmp_path / "c:1.yaml").read_text()
    other = trunkline("cluster", "show", "random:40x5:2", "--json", "-").data
    assert other["hosts"] != trunkline("cluster", "show", "random:40x5", "--json", "-").data["hosts"]
    assert "OK, 40 hosts on 5 switches" in trunkline("cluster", "check", "random:40x5").out


def test_names():
    assert [one.name for one in simulated_algorithms("bcast", ["pipelined", "mpich", "auto"])] == [
        *PIPELINED["bcast"],
        "mpich",
        "auto",
    ]
    for collective in ("reduce", "allreduce"):
        names = [one.name for one in simulated_algorithms(collective, ["pipelined"])]
        assert names == list(PIPELINED[collective])
    with pytest.raises(BadInput, match="no pipelined algorithms of barrier"):
        simulated_algorithms("barrier", ["pipelined"])
    with pytest.raises(BadInput, match="native chooses by itself"):
        simulated_algorithms("bcast", ["native:4096"])
    with pytest.raises(BadInput, match="no algorithm 'nosuch' of bcast.*mvapich2"):
        simulated_algorithms("bcast", ["nosuch"])


def test_refusals(refused, switch, tmp_path):
    words = ("simulate", "bcast", "--algorithms", "linear", "--cluster")
    assert "latency of every link" in refused(*words, switch(2, "0us"))
    assert "0 bytes" in refused(*words, "cyclic", "--sizes", "0")
    assert "at most" in refused(*words, "cyclic", "--sizes", "4GiB")
    assert "cannot be read" in refused(*words, "cyclic", "--compare", tmp_path / "none.json")


def test_tables_become_straight_lines():
    assert _lines([(1024, 1e-4), (2048, 2e-4), (8192, 2e-4)]) == "0:0:9.765625e-08;2048:0.0002:0"
    assert _lines([(1024, 1e-4)]) == "0:0.0001:0"


def test_what_is_far_behind_is_given_up(trunkline):
    words = ("cyclic", "1MiB,8KiB,64KiB", "two-tree,smpi-mpich,smpi-binary", "--race", "10")
    rows = simulated(trunkline, *words)
    best = {size: rows["two-tree", size]["seconds_median"] for size in (1 << 20, 8192, 65536)}
    for (name, size), row in rows.items():
        if name != "two-tree":
            assert row["seconds_median"] <= 10.0001 * best[size]
            assert row["gave_up"] == (row["seconds_median"] > 9.9999 * best[size])
    # Sizes after the one given up are simulated all the same.
    assert [rows["smpi-mpich", size]["gave_up"] for size in (1 << 20, 8192, 65536)] == [True, False, True]
    assert [rows["smpi-binary", size]["gave_up"] for size in (1 << 20, 8192, 65536)] == [False, False, False]
    assert rows["smpi-mpich", 65536]["limit_seconds"] == rows["two-tree", 65536]["limit_seconds"]


def test_every_peer_runs_and_the_second_call_is_timed(trunkline):
    names = [*UNNAMED, *PIPELINED["bcast"]]
    rows = simulated(trunkline, "paper-1", "16KiB,8KiB", ",".join(names))
    again = simulated(trunkline, "paper-1", "8KiB", ",".join(names))
    for name in names:
        assert rows[name, 8192]["seconds_median"] == pytest.approx(again[name, 8192]["seconds_median"], rel=EXACT)
        assert rows[name, 8192]["seconds_median"] > rows[name, 8192]["bound_seconds"]


def test_a_simulation_that_fails_says_how(trunkline):
    # SMPI's flattree_pipeline forgets what is left over of its segments of 8 KiB.
    ran = trunkline("simulate", "bcast", "--cluster", "paper-1", "--sizes", "8193", "--algorithms", "smpi-flat")
    assert ran.status == 1
    assert "wrong byte at 8192 of 8193" in ran.error
    assert "flattree_pipeline" in ran.error


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_simulation_ends_with_its_command(tmp_path, how):
    words = ("bcast", "--cluster", "random:512x32", "--sizes", "16MiB", "--algorithms", "linear:512")
    command = subprocess.Popen(
        [sys.executable, "-m", "trunkline", "simulate", *words],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stderr=subprocess.DEVNULL,
    )
    children = Path(f"/proc/{command.pid}/task/{command.pid}/children")
    while not any("(trunkline-simul)" in _state(pid) for pid in children.read_text().split()):
        assert command.poll() is None
        time.sleep(0.02)
    (child,) = map(int, children.read_text().split())
    os.kill(child, signal.SIGSTOP)  # so that it cannot come to its own end
    time.sleep(0.3)  # the command waits for what it prints
    try:
        command.send_signal(how)
        assert command.wait(10) == (128 + how if how == signal.SIGTERM else -how)
        end = time.monotonic() + 5
        while (state := _state(child)) and ") Z " not in state:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert how == signal.SIGKILL or not list(tmp_path.iterdir())
    finally:
        if _state(child):
            os.kill(child, signal.SIGKILL)
        command.kill()


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_the_table_says_what_auto_chose(trunkline, switch):
    words = ("--host-costs", "free", "--sizes", "64,64KiB", "--algorithms", "auto,mpich,smpi-mpich")
    ran = trunkline("simulate", "bcast", "--cluster", switch(8), *words)
    assert ran.status == 0, ran.error
    said = " ".join(ran.error.split())
    assert "switch, 8 ranks, hosts 100 Mbit/s, mpich; messages cost hosts nothing: simulated MPI_Bcast" in said
    assert re.search(r"64 B 51.0 us auto: native, (binomial )?153 us ", said), "its name may stand in a row of its own"
    assert re.search(r"64 KiB \S+ ms auto: two-tree, \S+ ms [\d. ]+ ms \d+ B ", said), (
        "the segment, in a row of its own"
    )
    assert "smpi-mpich: " not in said


@pytest.mark.parametrize("collective", ["reduce", "allreduce"])
def test_every_rival_of_a_reduction_runs(collective):
    cluster = load_cluster("paper-1")
    job = Job(collective, cluster, _core.block_placement(cluster, 1), 0, [8200], {})
    rows = simulate_all(job, simulated_algorithms(collective, ["pipelined", "two-tree"]))
    assert len(rows) == len(PIPELINED[collective]) + 1
    assert all(row.seconds_median > row.bound_seconds for row in rows)


@pytest.mark.parametrize(
    ("collective", "size"),
    [
        ("reduce", 8200),
        ("allreduce", 8200),
        ("barrier", 0),
        ("reduce-scatter", 8200),
        ("reduce-scatter-block", 8192),
        ("allgather", 8192),
        ("allgatherv", 8195),
    ],
)
def test_every_collective_of_others_runs_and_is_checked(collective, size):
    """What Trunkline does not run is not offered, but can be simulated all the same."""
    cluster = load_cluster("paper-1")
    job = Job(collective, cluster, _core.block_placement(cluster, 1), 0, [size], {})
    (outcome,) = simulate(job, "native", {"smpi/coll-selector": "ompi"}, {})
    assert outcome.seconds > 0
    assert outcome.message_bytes == size


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
    assert simulated == pytest.approx(predicted, rel=0.2)
    assert simulated["by-sites-binary:14440", 1 << 20] == pytest.approx(1.55, rel=0.05)  # 16 of 100 ms, less the first
    words = ("--ranks-per-host", "4", "--host-costs", "mpich", "--json", "-")
    [native] = trunkline(
        "simulate", "bcast", "--cluster", file, "--sizes", "1MiB", "--algorithms", "native", *words
    ).data
    assert native["seconds_median"] > 1.5


@pytest.mark.parametrize("name", ["leaf-spine", "paper-1"])
@pytest.mark.parametrize(("mpi", "library"), [("mpich", "mpich"), ("openmpi", "ompi")])
@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce"])
def test_native_is_what_the_named_library_selects(trunkline, name, mpi, library, collective):
    """Where ``auto`` leaves a call to the library, it takes what ``native`` takes, by one name."""
    words = ("--cluster", name, "--mpi", mpi, "--sizes", "64,2KiB,16KiB", "--algorithms", f"auto,native,{library}")
    ran = trunkline("simulate", collective, *words, "--json", "-")
    assert ran.status == 0, ran.error
    rows = {(row["algorithm"], row["message_bytes"]): row for row in ran.data}
    explained = trunkline(
        *("explain", name, "--mpi", mpi, "--collective", collective, *words[4:6], "--no-multicast", "--json", "-")
    ).data
    placement = _core.block_placement(load_cluster(name), 1)
    for one in explained:
        size = one["message_bytes"]
        choice = own_choice(_core.NativeLibrary[mpi], collective, placement, 0, size)
        native = rows.get(("native", size))
        assert (native is None) == (not choice.algorithm)
        auto = rows.get(("auto", size))
        if one["algorithm"] == "native":
            assert (auto is None) == (native is None)
        elif auto is not None:
            assert (auto["ran"], auto["segment_bytes"]) == (one["algorithm"], one["segment_bytes"])
        if native is None:
            assert choice.why_not in " ".join(ran.error.split())
            continue
        assert native["native_algorithm"] == choice.algorithm == rows[library, size]["native_algorithm"]
        assert native["seconds_median"] == rows[library, size]["seconds_median"]
        if one["algorithm"] == "native":
            assert auto["native_algorithm"] == choice.algorithm
            assert auto["seconds_median"] == native["seconds_median"]


@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce"])
@pytest.mark.parametrize("size", [64, 8192, 1 << 20])
def test_several_ranks_of_a_host_go_together_under_mpich(trunkline, collective, size):
    """Its own selection composes most calls by hosts; Open MPI's goes by ranks. What comes out is checked."""
    words = ("--ranks-per-host", "4", "--sizes", str(size), "--algorithms", "auto,native,ompi")
    ran = trunkline("simulate", collective, "--cluster", "paper-1", *words, "--json", "-")
    assert ran.status == 0, ran.error
    rows = {row["algorithm"]: row for row in ran.data}
    by_hosts = (collective, size) != ("bcast", 1 << 20)
    assert rows["native"]["native_algorithm"].endswith(" among hosts") == by_hosts
    assert " among hosts" not in rows["ompi"]["native_algorithm"]
    if rows["auto"]["ran"].startswith("native"):
        assert rows["auto"]["seconds_median"] == rows["native"]["seconds_median"]


def test_what_nobody_knows_has_no_time_but_a_word(trunkline):
    words = ("--mpi", "openmpi", "--sizes", "16KiB", "--algorithms", "native,smpi-ompi")
    ran = trunkline("simulate", "allgather", "--cluster", "paper-1", *words)
    assert ran.status == 0, ran.error
    said = " ".join(ran.error.split())
    assert "native - " in said
    assert "what Open MPI selects for this collective is not known" in said
    choice = own_choice(_core.NativeLibrary.openmpi, "barrier", [0, 1], 0, 0)
    assert (choice.algorithm, choice.why_not) == ("", "no algorithm of a barrier is known here")


@pytest.mark.parametrize("collective", ["allgather", "allgatherv", "reduce-scatter", "reduce-scatter-block"])
def test_shares_go_as_mpich_selects(trunkline, collective):
    words = ("--cluster", "paper-1", "--sizes", "8KiB,1MiB", "--algorithms", "native", "--json", "-")
    ran = trunkline("simulate", collective, *words)
    assert ran.status == 0, ran.error
    names = [row["native_algorithm"] for row in ran.data]
    ours = ["recursive_halving", "pairwise"] if collective.startswith("reduce") else ["recursive_doubling", "ring"]
    assert names == ours


def test_one_default_for_what_messages_cost(trunkline):
    """The library that is named: in predictions, explanations and simulations alike, and said in their titles."""
    for mpi in ("mpich", "openmpi"):
        job = ("leaf-spine", "--mpi", mpi, "--sizes", "64KiB", "--rate", "10Gbit")
        explained = trunkline("explain", *job)
        predicted = trunkline("predict", *job, "--algorithms", "binary,native")
        simulated = trunkline("simulate", "bcast", "--cluster", *job, "--algorithms", "auto")
        for said in (explained.out, predicted.out, simulated.error):
            said = " ".join(said.split())
            assert f"messages cost hosts what was measured under {mpi}" in said
            assert "hosts 10 Gbit/s, trunks 20 Gbit/s" in said
        for said in (explained.out, predicted.out):
            assert "with one rank a host most predictions are within 20 %" in " ".join(said.split())


def test_ranks_take_their_code_from_one_file(tmp_path):
    """Each has a copy of the library. Of these files nothing is left in memory but their numbers."""
    words = ("bcast", "--cluster", "paper-2", "--sizes", "16MiB", "--algorithms", "linear:512")
    command = subprocess.Popen(
        [sys.executable, "-m", "trunkline", "simulate", *words],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stderr=subprocess.DEVNULL,
    )
    children = Path(f"/proc/{command.pid}/task/{command.pid}/children")
    try:
        maps = []
        while len([one for one in maps if "/rank-" in one and " ---p " in one]) < 32:
            assert command.poll() is None
            time.sleep(0.02)
            simulation = [pid for pid in children.read_text().split() if "(trunkline-simul)" in _state(pid)]
            maps = Path(f"/proc/{simulation[0]}/maps").read_text().splitlines() if simulation else []
            # One that is being loaded is still of its file.
            loading = {one.split()[-2] for one in maps if "/rank-" in one and " ---p " not in one}
            assert len(loading) <= 1
        code = [one for one in maps if "libtrunkline-simulated-ranks.so" in one and " r-xp " in one]
        assert len(code) >= 32
        assert len({one.split()[4] for one in code}) == 1
        assert not any(" rw" in one for one in maps if "/rank-" in one)
    finally:
        command.terminate()
        command.wait(10)


def test_many_ranks_are_told_what_auto_decides(monkeypatch):
    """They run the same as where each decides for itself, and take as long."""
    cluster = load_cluster("four-site")
    job = Job("bcast", cluster, _core.block_placement(cluster, 1), 0, [8, 8192, 65536], {})
    own, told = ([], [])
    for rows, most in ((own, 32), (told, 31)):
        monkeypatch.setattr("trunkline.simulate.rows.MOST_DECIDING", most)
        for row in simulate_all(job, simulated_algorithms("bcast", ["auto"])):
            rows.append((row.message_bytes, row.ran, row.segment_bytes, row.seconds_median))
    assert own == told
    assert len({ran for _, ran, _, _ in own}) > 1


@pytest.mark.parametrize(("ranks", "guarded"), [(2400, True), (7900, True), (8000, False), (12700, False)])
def test_so_many_ranks_that_their_stacks_are_not_guarded(monkeypatch, tmp_path, ranks, guarded):
    assert ("contexts/guard-size" not in job_of(monkeypatch, tmp_path, ranks).own_options) == guarded


def test_more_ranks_than_the_kernel_maps_memory_for(monkeypatch, tmp_path):
    with pytest.raises(
        BadInput, match=r"12800 ranks .* for 12706 of them; as root, 'sysctl -w vm.max_map_count=66000'"
    ):
        job_of(monkeypatch, tmp_path, 12800)


def job_of(monkeypatch, tmp_path, ranks):
    """On a kernel with the usual limit."""
    limit = tmp_path / "max_map_count"
    limit.write_text("65530\n")
    monkeypatch.setattr(engine, "_MOST_MAPS", limit)
    cluster = load_cluster("four-site")
    return Job("bcast", cluster, [rank % 32 for rank in range(ranks)], 0, [8], {})
