"""Predictions and choices, as the command gives them."""

import json
from types import SimpleNamespace

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.mpi import find_mpis
from trunkline.planned import lay_plan
from trunkline.predict import Decision, Instead, decide_all, knowledge_of, predict_all
from trunkline.tune.tuner import merged

CYCLIC = load_cluster("cyclic")
PLACEMENT = _core.block_placement(CYCLIC, 1)
MPICH = _core.NativeLibrary.mpich


def test_every_size_has_one_fastest():
    rows = predict_all("bcast", CYCLIC, PLACEMENT, 0, ["native", "linear", "binary", "flat"], [8192, 1 << 20], MPICH)
    assert [row.fastest for row in rows].count(True) == 2
    best = {row.message_bytes: row.algorithm for row in rows if row.fastest}
    assert best == {8192: "binary", 1 << 20: "linear"}


def test_a_fixed_segment_is_kept():
    rows = predict_all("bcast", CYCLIC, PLACEMENT, 0, ["linear", "linear:1408", "linear:1MiB"], [1 << 20], MPICH)
    assert [row.segment_bytes for row in rows][1:] == [1408, 1 << 20]
    # The best segment is a formula's, its time a replay's.
    assert rows[0].seconds <= 1.03 * rows[1].seconds < rows[2].seconds


def test_blocks_are_predicted_too():
    names = ["native", "scatter-ring", "unaware-scatter-ring", "scatter-doubling", "circulant", "circulant:1408"]
    rows = predict_all("bcast", CYCLIC, PLACEMENT, 0, names, [1 << 20], MPICH)
    seconds = {row.algorithm: row.seconds for row in rows}
    wire = (1 << 20) * 8 / 100e6
    assert 1.8 * wire < seconds["scatter-ring"] < 2.5 * wire
    # In rank order eight flows share a trunk, as in the library's own ring.
    assert seconds["unaware-scatter-ring"] > 3 * seconds["scatter-ring"]
    assert seconds["unaware-scatter-ring"] == pytest.approx(seconds["native"], rel=0.1)
    assert seconds["circulant"] <= seconds["circulant:1408"]
    alone = load_cluster("paper-1")
    (row,) = predict_all("bcast", alone, _core.block_placement(alone, 1), 0, ["circulant"], [1 << 20], MPICH)
    assert wire < row.seconds < 1.6 * wire


def test_tables_are_of_one_library(trunkline, refused, measured_tables):
    if "mpich" not in find_mpis():
        pytest.skip("no MPICH here")
    tables = measured_tables(CYCLIC, mpi="openmpi")
    words = ("predict", "cyclic", "--sizes", "8KiB", "--measured", tables)
    assert {row["mpi"] for row in trunkline(*words, "--json", "-").data} == {"openmpi"}
    assert "measured under openmpi 4.0.2, which says nothing about mpich" in refused(*words, "--mpi", "mpich")


@pytest.mark.parametrize("collective", _core.collectives())
def test_predictions_from_tables_are_those_of_the_preload_library(measured_tables, collective):
    tables = _core.read_measurement(str(measured_tables(CYCLIC)))
    knowledge = _core.Knowledge(CYCLIC, MPICH, tables.mpi, tables.mpi_version)
    knowledge.take_measurement(tables, "mpich.yaml")
    decider = _core.Decider(knowledge, collective, PLACEMENT, 0)
    for size in (1024, 8192):
        found = {one.algorithm: one for one in decider.predictions(size)}
        assert "native" in found
        rows = predict_all(collective, CYCLIC, PLACEMENT, 0, list(found), [size], MPICH, tables)
        # A decision has fewer events than this to replay, and takes a long plan's formula.
        assert {(row.algorithm, row.segment_bytes): row.seconds for row in rows} == {
            (one.algorithm, min(one.segment_bytes, size)): pytest.approx(one.seconds, rel=0.05)
            for one in found.values()
        }
        stated = predict_all(collective, CYCLIC, PLACEMENT, 0, list(found), [size], MPICH)
        differ = [row.algorithm for row, other in zip(rows, stated, strict=True) if row.seconds != other.seconds]
        # A tree that is blind to the network takes as long as its fullest channel, whatever messages cost.
        assert {row.algorithm for row in rows} - set(differ) <= {"4-nomial"}


def test_explain_lists_the_time_of_what_runs_and_blames_what_decided(trunkline):
    shared = ("--host-costs", "openmpi,shared=1ns")  # hosts of a lab, where cutting must be surely faster than native
    words = ("explain", "paper-1", "--mpi", "openmpi", "--collective", "reduce", "--sizes", "724B", *shared)
    (row,) = trunkline(*words, "--json", "-").data
    ran = next(one for one in row["predictions"] if one["algorithm"] == row["algorithm"])
    assert ran["segment_bytes"] == row["segment_bytes"]
    assert ran == row["predictions"][0]
    assert "predicted for 705B, which decides for sizes up to 767B: 3-ary " in row["reason"]
    assert row["reason"].endswith("; not cut within a frame, where that is not surely faster")
    # By rank, what would not keep the order is not listed.
    (by_rank,) = trunkline(*words, "--by-rank", "--json", "-").data
    listed, kept = ({one["algorithm"] for one in some["predictions"]} for some in (row, by_rank))
    assert kept < listed
    assert "two-tree" in listed - kept
    assert "two-tree" not in by_rank["reason"]


@pytest.fixture
def naming(tmp_path, measured_tables):
    """Writes a cluster file beside tables of it, or of another cluster, that it names; gives the file."""

    def write(named="mpich.yaml", tables_of=None):
        file = tmp_path / "own.yaml"
        text = _core.write_cluster(CYCLIC).replace("switches:", f"measured: {named}\nswitches:", 1)
        file.write_text(text)
        measured_tables(tables_of or CYCLIC)
        return file

    return write


def test_a_cluster_file_names_its_tables(trunkline, naming, tmp_path):
    file = naming()
    own = load_cluster(str(file))
    assert own.fingerprint == CYCLIC.fingerprint
    for collective in ("bcast", "allreduce"):
        words = ("--collective", collective, "--sizes", "64KiB", "--json", "-")
        named = trunkline("predict", file, *words).data
        assert named == trunkline("predict", "cyclic", *words, "--measured", tmp_path / "mpich.yaml").data
        assert named != trunkline("predict", "cyclic", *words).data
    # Links at another rate are another network.
    words = ("--rate", "20Mbit", "--sizes", "64KiB", "--json", "-")
    assert trunkline("predict", file, *words).data == trunkline("predict", "cyclic", *words).data
    # What is written out elsewhere has no tables beside it.
    assert "measured" not in _core.write_cluster(own)
    assert trunkline("cluster", "check", file).out.startswith(f"{file}: OK")


def test_named_tables_decide_and_are_overridden(naming, measured_tables, monkeypatch):
    own = load_cluster(str(naming()))
    tables = _core.read_named_tables(own)
    knowledge = _core.Knowledge(own, MPICH, "mpich", tables.mpi_version)
    knowledge.take_named_tables()
    decision = _core.Decider(knowledge, "bcast", PLACEMENT, 0).decide(1 << 20)
    assert decision.reason.endswith(" (the cluster file's measured tables)")


@pytest.mark.parametrize(
    ("named", "tables_of", "message"),
    [
        ("none.yaml", None, "none.yaml: cannot be read: No such file or directory; write the file with 'trunkline"),
        ("mpich.yaml", "paper-1", "was measured on paper-1, not on cyclic as it is now; measure again"),
        ("[a, b]", None, "measured must be"),
        ("''", None, "measured"),
    ],
)
def test_faulty_names_of_tables_have_a_place(refused, naming, named, tables_of, message):
    file = naming(named, load_cluster(tables_of) if tables_of else None)
    for command in (("cluster", "check"), ("predict",), ("explain",)):
        said = refused(*command, file)
        assert "own.yaml:5:11: measured" in said
        assert message in said


def test_named_tables_are_of_one_library(naming):
    knowledge = _core.Knowledge(load_cluster(str(naming())), MPICH, "mpich", "9.9")
    with pytest.raises(_core.FaultyFile) as refusal:
        knowledge.take_named_tables()
    (fault,) = refusal.value.faults
    assert (fault.line, fault.column) == (5, 11)
    assert "was measured on cyclic under mpich 4.0.2, which says nothing about mpich 9.9" in fault.message


def test_one_host_has_memory():
    rows = predict_all("bcast", CYCLIC, [3, 3], 0, ["native", "flat"], [1 << 20], MPICH)
    assert [one.algorithm for one in rows] == ["native", "flat"]
    assert 1e-6 < rows[1].seconds < rows[0].seconds < 1e-3
    with pytest.raises(
        BadInput, match="all ranks share one host, and what the library's own call takes there is not known"
    ):
        predict_all("bcast", CYCLIC, [3, 3, 3], 0, ["native"], [8192], MPICH, host_costs="free")
    with pytest.raises(BadInput, match="is not known"):
        predict_all("barrier", CYCLIC, [3, 3, 3], 0, ["native"], [1], MPICH)


@pytest.fixture
def mpich():
    found = find_mpis()
    if "mpich" not in found:
        pytest.skip("no MPICH here")
    return found["mpich"]


def tuned_for(mpi, cluster: _core.Cluster) -> _core.Tuning:
    entry = _core.TuningEntry()
    entry.cluster, entry.cluster_fingerprint, entry.hosts, entry.ranks_per_host = "c", cluster.fingerprint, 32, 1
    entry.mpi, entry.mpi_version = mpi.family, mpi.version
    entry.rules = [_core.TuningRule(0, "native", 0), _core.TuningRule(4096, "3-ary", 281)]
    tuning = _core.Tuning()
    tuning.entries = merged([], [entry])
    return tuning


def test_a_tuning_file_decides(mpich, tmp_path):
    file = tmp_path / "tuning.yaml"
    file.write_text(_core.write_tuning(tuned_for(mpich, CYCLIC)))
    short, long = decide_all("bcast", knowledge_of(CYCLIC, mpich, tuning=str(file)), PLACEMENT, 0, [1000, 1 << 20])
    assert short.algorithm == "native"
    assert (long.algorithm, long.segment_bytes) == ("3-ary", 281)
    assert "measured" in long.reason


def test_a_tuning_file_for_another_network(mpich, tmp_path):
    file = tmp_path / "tuning.yaml"
    file.write_text(_core.write_tuning(tuned_for(mpich, load_cluster("paper-1"))))
    with pytest.raises(BadInput, match="tuning.yaml: nothing in it is for cluster cyclic as it is now with mpich"):
        knowledge_of(CYCLIC, mpich, tuning=str(file))


def test_short_messages_are_native_or_multicast(mpich):
    fast = _core.scaled(CYCLIC, 10e9)
    for cluster, multicasts, chosen in (
        (CYCLIC, False, ["native", "two-tree"]),
        (CYCLIC, True, ["multicast", "multicast"]),
        (fast, True, ["native", "two-tree"]),
    ):
        knowledge = knowledge_of(cluster, mpich, multicasts=multicasts)
        decided = decide_all("bcast", knowledge, PLACEMENT, 0, [8, 1 << 20])
        assert [one.algorithm for one in decided] == chosen


def test_the_settings_of_a_job_count(trunkline, refused, monkeypatch, tmp_path):
    file = tmp_path / "plan.yaml"
    trunkline("plan", "cyclic", "--shape", "binary", "--root", "3", "-o", file)
    monkeypatch.setenv("TRUNKLINE_PLAN", str(file))
    words = ("explain", "cyclic", "--sizes", "64KiB", "--json", "-")
    (fits,) = trunkline(*words, "--root", "3").data
    assert (fits["algorithm"], fits["reason"]) == (
        "TRUNKLINE_PLAN",
        "TRUNKLINE_PLAN fits this communicator and root (binary)",
    )
    (other,) = trunkline(*words).data
    assert other["reason"].startswith("TRUNKLINE_PLAN is for other ranks, hosts or another root; predicted: ")
    assert "was laid over cluster cyclic as it was" in refused("explain", "paper-1")
    monkeypatch.setenv("TRUNKLINE_BCAST", "flat:1000")
    (forced,) = trunkline(*words).data
    assert (forced["algorithm"], forced["segment_bytes"]) == ("flat", 1000)
    assert "no algorithm of bcast is called 'linea' (did you mean linear?)" in refused(*words, "--algorithm", "linea")
    monkeypatch.setenv("TRUNKLINE_BCAST", "linea")
    assert refused(*words).startswith("TRUNKLINE_BCAST, which the environment has as linea: no algorithm of bcast is")


def test_what_runs_without_datagrams_has_its_time():
    times = {"multicast": 1e-3, "two-tree": 1.5e-3, "binary": 2e-3}
    predictions = [SimpleNamespace(algorithm=name, seconds=seconds) for name, seconds in times.items()]
    reason = "predicted: multicast 1 ms, two-tree 1.5 ms, native 9 ms"

    def said(instead):
        return Decision("bcast", 65536, "multicast", 1408, reason, predictions, Instead(instead, 704, 4)).words()

    assert said("binary").endswith("; binary, 704 B (2.00 ms) where datagrams do not reach all ranks")
    assert said("two-tree").endswith("; two-tree, 704 B where datagrams do not reach all ranks"), "it stands there"


@pytest.mark.parametrize("sizes", [(0, 1408), (8192, 0)])
def test_sizes_of_zero_are_refused(sizes):
    for name in ("linear", "circulant"):
        costs = _core.costs_of(CYCLIC, PLACEMENT, _core.lay("bcast", name, CYCLIC, PLACEMENT, 0))
        with pytest.raises(ValueError, match="above zero"):
            costs.seconds(*sizes)


def test_the_commands(trunkline, refused):
    rows = trunkline("predict", "cyclic", "--algorithms", "linear,binary", "--sizes", "8KiB", "--json", "-").data
    assert [row["algorithm"] for row in rows] == ["linear", "binary"]
    assert all(row["seconds_predicted"] > 0 for row in rows)
    said = trunkline("explain", "cyclic", "--sizes", "8,1MiB", "--no-multicast").out
    assert "less than 512 bytes" in said
    assert "two-tree" in said
    assert "0 bytes" in refused("predict", "cyclic", "--sizes", "0")


def test_clusters_with_sites_have_a_bound(trunkline):
    words = ("--algorithms", "by-sites-binary,wave", "--sizes", "8,100000")
    rows = trunkline("predict", "four-site", *words, "--json", "-").data
    cluster = load_cluster("four-site")
    for row in rows:
        bound = _core.least_crossing_s(cluster, list(range(32)), "bcast", 0, row["message_bytes"])
        assert row["seconds_bound"] == bound
        assert row["seconds_predicted"] > bound
        assert row["algorithm"] == "wave" or row["seconds_predicted"] < 1.1 * bound
    assert "Bound: each long link crossed once" in trunkline("predict", "four-site", *words).out
    assert "seconds_bound" not in trunkline("predict", "cyclic", *words, "--json", "-").data[0]


def test_plans_that_depend_on_the_size_are_predicted_by_that_of_each(trunkline):
    words = ("predict", "four-site", "--algorithms", "wave:1MiB", "--host-costs", "free", "--json", "-")
    for size in (8, 8192, 1 << 20):
        (row,) = trunkline(*words, "--sizes", str(size)).data
        cluster, placement = load_cluster("four-site"), list(range(32))
        plan = _core.lay("bcast", "wave", cluster, placement, 0, size)
        costs = _core.costs_of(cluster, placement, plan, "bcast", "free")
        assert row["seconds_predicted"] == costs.seconds(size, size)


def test_the_rate_scales_times(trunkline):
    def linear(*rate):
        words = ("predict", "cyclic", "--algorithms", "linear", "--sizes", "1MiB", *rate, "--json", "-")
        return trunkline(*words).data[0]["seconds_predicted"]

    assert 4.5 < linear("--rate", "20Mbit") / linear() < 5.5


@pytest.mark.parametrize("name", ["auto:512", "native:7", "linear:abc", "linear:0", "linear:"])
def test_a_segment_that_is_none(refused, name):
    assert name.partition(":")[2] in refused("predict", "cyclic", "--algorithms", name)
    assert refused("simulate", "bcast", "--cluster", "cyclic", "--algorithms", name)
    assert refused("bench", "bcast", "--cluster", "cyclic", "--mpi", "mpich", "--algorithms", name)


def test_ranks_of_a_host_are_bounded_in_a_simulation_too(refused):
    words = ("simulate", "bcast", "--cluster", "cyclic", "--algorithms", "linear", "--ranks-per-host", "1000000")
    assert "--ranks-per-host must be from 1 to" in refused(*words)


def test_a_plan_for_a_reduction_has_no_floor():
    def decide(collective, message_bytes, root=0, multicasts=True):
        plan = lay_plan(CYCLIC, collective, "linear", PLACEMENT, 3, None).file
        knowledge = _core.Knowledge(CYCLIC, _core.NativeLibrary.mpich, "mpich", "4.0.2", multicasts=multicasts)
        knowledge.take_plan(plan, "plan.yaml")
        return _core.Decider(knowledge, collective, PLACEMENT, root).decide(message_bytes)

    assert (
        decide("bcast", 4, 3, multicasts=False).reason
        == "less than 512 bytes: left to the MPI library, as no plan for short calls is known to pay"
    )
    assert decide("bcast", 4, 3).algorithm == "multicast"  # as without a file
    assert decide("reduce", 4, 3).algorithm == _core.plan_of_file
    other_root = decide("reduce", 4, 0)
    assert other_root.algorithm == "native"
    assert other_root.reason.startswith("TRUNKLINE_PLAN is for other ranks, hosts or another root; less than 512 bytes")
    for size in (4, 1 << 20):
        assert decide("allreduce", size).algorithm == _core.plan_of_file  # an allreduce has no root of its own


def test_one_order_and_its_cost_are_explained(trunkline, monkeypatch, refused):
    words = ("explain", "cyclic", "--collective", "allreduce", "--sizes", "8,4KiB,1MiB", "--json", "-")
    rows = json.loads(trunkline(*words, "--reproducible").out)
    assert len({row["algorithm"] for row in rows}) == 1
    assert "one order of operands for every size (TRUNKLINE_REPRODUCIBLE); otherwise predicted: " in rows[2]["reason"]
    monkeypatch.setenv("TRUNKLINE_REPRODUCIBLE", "1")
    assert json.loads(trunkline(*words).out) == rows
    monkeypatch.delenv("TRUNKLINE_REPRODUCIBLE")
    assert len({row["algorithm"] for row in json.loads(trunkline(*words).out)}) > 1
    plan = lay_plan(CYCLIC, "allreduce", "two-tree", PLACEMENT, 0, None).file
    knowledge = _core.Knowledge(CYCLIC, _core.NativeLibrary.mpich, "mpich", "4.0.2", True)
    with pytest.raises(ValueError, match=r"plan\.yaml: the order .* depends on the message's length"):
        knowledge.take_plan(plan, "plan.yaml")


def test_operations_that_do_not_commute_are_explained(trunkline):
    words = ("explain", "paper-4", "--collective", "allreduce", "--sizes", "1MiB", "--by-rank", "--json", "-")
    assert json.loads(trunkline(*words).out)[0]["algorithm"] in ("linear", "binary")
    forced = json.loads(trunkline(*words, "--algorithm", "two-tree").out)[0]
    assert forced["algorithm"] == "native"
    assert (
        forced["reason"] == "the operation does not commute, and two-tree would not combine its operands in rank order"
    )


def test_a_narrow_terminal_gets_several_tables(trunkline, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    said = trunkline("predict", "cyclic", "--algorithms", "native,two-tree").out
    assert said.count("two-tree") == said.count("algorithm") == 2
    for size in ("512 B", "128 KiB", "8 MiB"):
        assert size in said


def test_measured_tables_decide(trunkline, refused, mpich, tmp_path):
    fingerprint = trunkline("cluster", "check", "cyclic", "--json", "-").data["fingerprint"]
    points = "".join(
        f"      - {{size: {size}, round_trip: {trip}, gap: {gap}, send: 5us, receive: 5us, spread: 0.01}}\n"
        for size, gap, trip in (("1KiB", "923us", "4ms"), ("32KiB", "27.9ms", "120ms"))
    )
    text = (
        f"trunkline: measurement/1\ndate: '2026-01-01'\ncluster: cyclic\ncluster_fingerprint: '{fingerprint}'\n"
        f"mpi: mpich\nmpi_version: '{mpich.version}'\ndistances:\n"
        f"  - channels: 2\n    between: [h0, h4]\n    eager_limit: 8KiB\n    points:\n{points}"
    )
    file = tmp_path / "net.yaml"
    file.write_text(text)
    words = ("explain", "cyclic", "--sizes", "1MiB")
    ran = trunkline(*words, "--measured", file)
    assert "10 Mbit/s measured, 100 Mbit/s stated" in " ".join(ran.error.split())
    (stated,) = trunkline(*words, "--json", "-").data
    (measured,) = trunkline(*words, "--measured", file, "--json", "-").data
    assert measured["reason"].endswith("(TRUNKLINE_MEASURED)")
    assert measured["predictions"][0]["seconds_predicted"] > 8 * stated["predictions"][0]["seconds_predicted"]
    file.write_text(text.replace("send: 5us", "send: -5us"))
    assert "net.yaml:" in refused(*words, "--measured", file)
    file.write_text(text.replace("mpi: mpich", "mpi: openmpi"))
    assert "which says nothing about mpich" in refused(*words, "--measured", file)


def test_a_rate_beyond_numbers_is_refused(refused, tmp_path):
    file = tmp_path / "slow.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: slow\ndefaults: {rate: 1e-300bit, latency: 10us}\nswitches: [s0]\n"
        "hosts:\n  - {hosts: 'h[0-3]', switch: s0}\n"
    )
    assert "1e-300bit is out of range" in refused("predict", file)
    assert "1e-300bit" in refused("predict", "cyclic", "--rate", "1e-300bit")
    assert "out of range" in refused("predict", "cyclic", "--rate", f"0.{'0' * 299}1bit")


@pytest.mark.parametrize(
    ("mpi", "collective", "ranks_per_host", "size", "algorithm", "by_hosts"),
    [
        ("mpich", "bcast", 1, 8192, "binomial", False),
        ("mpich", "bcast", 1, 65536, "scatter_recursive_doubling_allgather", False),
        ("mpich", "bcast", 1, 1 << 20, "scatter_ring_allgather", False),
        ("mpich", "reduce", 1, 65536, "reduce_scatter_gather", False),
        ("mpich", "allreduce", 1, 8, "recursive_doubling", False),
        ("mpich", "allreduce", 1, 65536, "reduce_scatter_allgather", False),
        ("mpich", "allreduce", 4, 65536, "reduce_scatter_allgather", True),
        ("mpich", "bcast", 4, 8192, "binomial", True),
        ("mpich", "bcast", 4, 1 << 20, "scatter_ring_allgather", False),
        ("mpich", "allgather", 4, 65536, "recursive_doubling", False),
        ("openmpi", "bcast", 1, 65536, "binomial", False),
        ("openmpi", "allreduce", 4, 65536, "recursive_doubling", False),
        ("openmpi", "allgather", 1, 65536, "", False),
    ],
)
def test_what_libraries_select(mpi, collective, ranks_per_host, size, algorithm, by_hosts):
    """On the 16 hosts of paper-1."""
    placement = _core.block_placement(load_cluster("paper-1"), ranks_per_host)
    choice = _core.native_choice(_core.NativeLibrary[mpi], collective, placement, 0, size)
    assert (choice.algorithm, choice.by_hosts) == (algorithm, by_hosts)
    assert bool(choice.unknown) == (not algorithm)


def test_what_runs_in_place_of_a_multicast_is_explained(trunkline, monkeypatch):
    words = ("explain", "cyclic", "--sizes", "8KiB,64KiB,1MiB", "--rate", "10Mbit", "--json", "-")
    rows = json.loads(trunkline(*words).out)
    assert {row["algorithm"] for row in rows} == {"multicast"}
    left_out = json.loads(trunkline(*words, "--no-multicast").out)
    assert [row["instead"]["algorithm"] for row in rows] == [row["algorithm"] for row in left_out]
    calls = [row["instead"]["calls"] for row in rows]
    assert calls[0] > 0
    assert calls == sorted(calls, reverse=True)  # the more a call saves, the sooner a group pays
    monkeypatch.setenv("TRUNKLINE_MULTICAST", "0")
    assert json.loads(trunkline(*words).out) == left_out
    monkeypatch.setenv("TRUNKLINE_MULTICAST", "ipv6")
    assert json.loads(trunkline(*words).out) == rows
    monkeypatch.setenv("TRUNKLINE_MULTICAST", "ipv4")
    assert "TRUNKLINE_MULTICAST=ipv4: must be 0, 1, ipv6 or broadcast" in trunkline(*words).error
    monkeypatch.delenv("TRUNKLINE_MULTICAST")
    said = " ".join(trunkline(*words[:-2]).out.split())
    assert "its root leaves" in said
    assert "its root waits" in said
    forced = json.loads(trunkline(*words, "--algorithm", "multicast").out)
    assert all("instead" not in row for row in forced)


def test_piped_tables_are_no_wider_than_a_page(trunkline, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    for words in (("explain", "cyclic"), ("algorithms",), ("predict", "cyclic")):
        rows = [line for line in trunkline(*words).out.splitlines() if line.startswith(" ")]
        assert max(map(len, rows)) <= 120, words


def test_predicted_times_are_sorted(trunkline):
    lines = trunkline("predict", "cyclic", "--sizes", "8KiB,8MiB", "--algorithms", "flat,two-tree,native,linear").out
    names = [line.split()[0] for line in lines.splitlines() if line.split()[:1] and line.split()[0] in lines]
    assert [name for name in names if name in ("flat", "two-tree", "native", "linear")] == [
        *("two-tree", "linear", "native", "flat")
    ]


def test_what_runs_before_a_multicast_stands_before_it(trunkline, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    words = ("explain", "cyclic", "--sizes", "32KiB")
    (row,) = trunkline(*words, "--json", "-").data
    calls = row["instead"]["calls"]
    said = trunkline(*words).out
    assert f"two-tree, 704 B; from call {calls + 1} on multicast, 1408 B" in said
    assert "Multicasts begin on a communicator once its calls would have saved" in said
    assert "Multicasts begin" not in trunkline(*words, "--no-multicast").out


TIMES = "predicted: linear 474 ms, two-tree 491 ms, binary 600 ms, flat 700 ms, native 800 ms, 8-ary 900 ms"


@pytest.mark.parametrize(
    ("reason", "ran", "said"),
    [
        (
            TIMES,
            "linear",
            "predicted: linear 474 ms, two-tree 491 ms, native 800 ms, 3 more (--json)",
        ),
        (
            TIMES,
            "two-tree",
            "predicted: linear 474 ms, two-tree 491 ms, binary 600 ms, native 800 ms, 2 more (--json); linear counts "
            "as slower, since its predictions were too short (docs/choice.md)",
        ),
        (
            f"{TIMES}; linear counts as 500 ms: lines are late",
            "two-tree",
            "predicted: linear 474 ms, two-tree 491 ms, binary 600 ms, native 800 ms, 2 more (--json); linear counts "
            "as 500 ms: lines are late",
        ),
        (
            f"{TIMES}; nothing is faster than native by 15 %",
            "native",
            "predicted: linear 474 ms, two-tree 491 ms, binary 600 ms, native 800 ms, 8-ary 900 ms, 1 more (--json); "
            "nothing is faster than native by 15 %",
        ),
        ("the root's own wish", "linear", "the root's own wish"),
    ],
)
def test_a_reason_does_not_contradict_what_runs(reason, ran, said):
    assert Decision("bcast", 1, ran, 0 if ran == "native" else 1448, reason, []).words() == said


def test_what_runs_is_predicted_to_be_the_fastest(trunkline):
    """Else a job's reason contradicts itself: it lists a faster one and runs another."""
    for cluster in ("paper-1", "paper-4", "cyclic", "leaf-spine"):
        words = ("explain", "--cluster", cluster, "--no-multicast", "--sizes", "8KiB,64KiB,256KiB,1MiB,4MiB")
        for row in trunkline(*words, "--json", "-").data:
            first = row["reason"].partition("predicted: ")[2].split()[0]
            assert first == row["algorithm"], row["reason"]
