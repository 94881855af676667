"""``trunkline simulate``: times that can be worked out by hand, refusals, and what comes out as JSON."""

import json
import math
import re

import pytest

from trunkline import _core
from trunkline.bench.cell import hidden_share
from trunkline.cluster import fingerprint_text, load_cluster
from trunkline.errors import BadInput
from trunkline.peers.simulated import PIPELINED, SELECTORS, UNNAMED, simulated_algorithms
from trunkline.simulate.engine import Job, _lines, simulate

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


def test_auto_says_from_which_call_on_a_job_would_multicast(trunkline):
    """Its own few calls open no group."""
    words = ("simulate", "bcast", "--cluster", "cyclic", "--rate", "1Gbit", "--sizes", "64KiB", "--algorithms")
    (planned,) = trunkline("explain", "cyclic", "--rate", "1Gbit", "--sizes", "64KiB", "--json", "-").data
    call = planned["instead"]["calls"] + 1
    assert call > 1
    assert f"In a job it multicasts 64 KiB from call {call} on, " in trunkline(*words, "auto").error
    assert "multicasts" not in trunkline(*words, "linear").error


def test_times_repeat_exactly(trunkline):
    first, second = (simulated(trunkline, "random:48x6:3", "64KiB", "auto,mpich") for _ in range(2))
    assert [row["seconds_median"] for row in first.values()] == [row["seconds_median"] for row in second.values()]


def test_bound_and_ranks_of_a_host(trunkline, switch):
    row = simulated(trunkline, switch(4), "64KiB", "two-tree", "--ranks-per-host", "2", "--root", "h1")[
        "two-tree", 65536
    ]
    assert (row["hosts"], row["ranks"], row["mpi"]) == (4, 8, "simgrid")
    data_s = 65536 / RATE * 1538 / 1448
    assert data_s + HOP_S <= row["bound_seconds"] <= data_s + HOP_S + 2 * STORED_S
    assert row["bound_seconds"] < row["seconds_median"]


@pytest.mark.parametrize("collective", ["bcast", "allreduce", "reduce"])
def test_no_algorithm_is_below_the_bound(trunkline, collective):
    """One hop to all others is less than a binary tree's levels, which were taken for a bound."""
    words = (
        "--cluster",
        "paper-1",
        "--rate",
        "10Gbit",
        "--sizes",
        "8,1KiB,64KiB",
        "--algorithms",
        "auto,flat,8-ary,mpich",
    )
    rows = trunkline("simulate", collective, *words, "--host-costs", "free", "--json", "-").data
    assert len(rows) == 12
    assert min(row["seconds_median"] / row["bound_seconds"] for row in rows) >= 1.0


def test_hosts_dealt_over_sites(trunkline, refused, tmp_path):
    blocks, dealt = (
        simulated(trunkline, "two-site", "64KiB", "unaware-linear", *words) for words in ((), ("--dealt",))
    )
    assert dealt["unaware-linear", 65536]["seconds_median"] > 1.1 * blocks["unaware-linear", 65536]["seconds_median"]
    words = ("--cluster", "two-site", "--sizes", "64KiB", "--algorithms", "unaware-linear")
    file = tmp_path / "times.json"
    seconds = []
    for more in ((), ("--dealt",)):
        assert trunkline("predict", *words, *more, "--json", file).status == 0
        seconds.append(json.loads(file.read_text())[0]["seconds_predicted"])
    assert seconds[1] > 1.1 * seconds[0]
    assert "cyclic has no sites that --dealt" in refused("predict", "--cluster", "cyclic", "--dealt")
    plan = tmp_path / "plan.yaml"
    wanted = ("--collective", "bcast", "--algorithm", "wave", "--bytes", "100000", "-o", plan)
    assert trunkline("plan", "two-site", *wanted).status == 0
    assert "says where its ranks sit, so --dealt cannot" in refused("predict", *words, "--plan", plan, "--dealt")


def test_what_messages_cost_their_hosts_is_added_at_every_hop(trunkline, switch, refused):
    """Known costs, of which predictions know too; Open MPI announces 128 KiB first: there and back."""
    for size, rendezvous_s in ((4096, 0.0), (131072, 2 * 15e-6 + 2 * HOP_S)):
        name = f"linear:{size}"
        free = simulated(trunkline, switch(3), str(size), name)[name, size]["seconds_median"]
        costly = simulated(trunkline, switch(3), str(size), name, "--host-costs", "openmpi")[name, size]
        hop_s = 12e-6 + 0.2e-9 * size + 12.5e-6 + 0.4e-9 * wire_bytes(size) + rendezvous_s
        assert costly["seconds_median"] - free == pytest.approx(2 * hop_s, rel=0.02)
    assert "there are: free, mpich" in refused("simulate", "bcast", "--cluster", "cyclic", "--host-costs", "lam")
    by_arrival = refused("simulate", "bcast", "--cluster", "cyclic", "--by-arrival")
    assert "ranks of a host combine allreduces so, and nothing else" in by_arrival


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
    elsewhere = (
        "the lab ran bcast from rank 0 with hosts in order, and simulated would be one from rank 3 with hosts in"
    )
    assert elsewhere in refused(*words, "--compare", file, "--root", "3")
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{**one, "root": 3} for one in lab]))
    assert "the lab ran bcast from rank 3" in refused(*words, "--compare", other)
    assert trunkline(*words, "--compare", other, "--root", "3").status == 0
    other.write_text(json.dumps([{**one, "collective": "reduce"} for one in lab]))
    assert "no algorithm and size of bcast" in refused(*words, "--compare", other)
    assert "no algorithm and size" in refused(*words[:-1], "binary", "--compare", file)
    for wrong in ({"limit_seconds": 0}, {"seconds_median": None}, {"ranks": "32"}):
        file.write_text(json.dumps([cell | lab[0] | wrong]))
        assert f"{next(iter(wrong))} is " in refused(*words, "--compare", file)


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
    with pytest.raises(BadInput, match="no algorithm of bcast is called 'nosuch'.*mvapich2"):
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


def test_the_table_says_what_auto_chose(trunkline, switch):
    words = ("--host-costs", "free", "--sizes", "64,64KiB", "--algorithms", "auto,mpich,smpi-mpich")
    ran = trunkline("simulate", "bcast", "--cluster", switch(8), *words)
    assert ran.status == 0, ran.error
    said = " ".join(ran.error.split())
    assert "switch, 8 ranks, hosts 100 Mbit/s, mpich; messages cost hosts nothing: simulated MPI_Bcast" in said
    assert re.search(r"64 B 51.0 us auto: native, (binomial )?153 us ", said), "its name may stand in a row of its own"
    assert re.search(r"64 KiB \S+ ms auto: two-tree, (\d+ B )?\S+ ms [\d. ]+ ms ", said)
    assert re.search(r"auto: two-tree, .*?\b\d+ B ", said), "the segment, perhaps in a row of its own"
    assert "smpi-mpich: " not in said


@pytest.mark.parametrize(("collective", "relays"), [("bcast", True), ("allreduce", True), ("alltoall", False)])
def test_work_hides_what_tests_let_go_on(trunkline, switch, collective, relays):
    """A call beside work that takes as long or longer, and tests it often, seldom and never; buffers are checked."""
    hidden = {}
    for every in ("100ns", "100us", "5ms", "never"):
        words = ("--host-costs", "free", "--overlap", "20ms", "--test-every", every)
        ran = trunkline(
            *("simulate", collective, "--cluster", switch(8), "--sizes", "32KiB", "--algorithms", "auto,native"),
            *("--json", "-", *words),
        )
        assert ran.status == 0, ran.error
        ours, native = ran.data
        assert ours["ran"] != "native"
        assert ours["work_seconds"] == 0.02
        assert native["work_seconds"] is native["overlapped_seconds"] is None
        assert ours["overlapped_seconds"] >= 0.02
        hidden[every] = hidden_share(ours["seconds_median"], ours["overlapped_seconds"], 0.02)
    assert hidden["100us"] > 0.95
    assert hidden["100ns"] > 0.95, "as often as may be, and not never"
    assert hidden["100us"] + 0.01 >= hidden["5ms"] >= hidden["never"]
    assert (hidden["never"] < 0.5) == relays, (
        "a rank that does not look hands on nothing; blocks that go straight need no look"
    )
