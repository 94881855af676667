"""What is measured when tuning, and what becomes of it."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from trunkline import _core
from trunkline.bench import measure as measuring
from trunkline.bench.job import Limits, Outcome
from trunkline.bench.measure import measure
from trunkline.cli import tune as tune_command
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline.mpi import Mpi, find_mpis
from trunkline.peers.rules.files import PeerFiles
from trunkline.peers.rules.rule import PeerWinner
from trunkline.predict import load_measurement, measured_knowledge
from trunkline.statistics import Median
from trunkline.tune.candidates import MOST, Candidates
from trunkline.tune.job_tuner import fastest_or_predicted, spread_out
from trunkline.tune.tuner import Winner, entry_of, load_tuning, merged, rules_of


def stated(collective: str, cluster: _core.Cluster, ranks_per_host: int = 1) -> Candidates:
    """Candidates by the rates that the cluster states."""
    knowledge = _core.Knowledge(cluster, _core.NativeLibrary.mpich, "mpich", "4.0.2")
    return Candidates(collective, cluster, knowledge, _core.block_placement(cluster, ranks_per_host))


@pytest.mark.parametrize("size", [1, 8, 1000, 8192, 1 << 20, 1 << 24])
def test_candidates_are_few_and_likely(size: int):
    cluster = load_cluster("cyclic")
    found = stated("bcast", cluster).of_size(size)
    assert 1 <= len(found) <= MOST
    algorithms = [c.algorithm for c in found]
    firsts, others = found[: len(set(algorithms))], found[len(set(algorithms)) :]
    assert len({c.algorithm for c in firsts}) == len(firsts), "an algorithm's second segment before another one's first"
    for part in (firsts, others):
        assert part == sorted(part, key=lambda c: c.predicted_s)
    for other in others:
        assert other.predicted_s >= min(c.predicted_s for c in firsts if c.algorithm == other.algorithm)
    best = min(c.predicted_s for c in found if c.algorithm != "multicast")
    assert all(c.predicted_s < 2 * best for c in found)
    assert all(0 < c.segment_bytes <= max(size, 1408) for c in found)
    assert len({c.choice() for c in found}) == len(found)


def test_candidates_know_the_ends():
    cluster = load_cluster("cyclic")
    candidates = stated("bcast", cluster)

    def first_tree(size: int) -> str:
        return next(c.algorithm for c in candidates.of_size(size) if c.algorithm != "multicast")

    assert first_tree(1 << 22) in ("linear", "two-tree")
    assert first_tree(4096) in ("two-tree", "binary", "3-ary")


@pytest.mark.parametrize("size", [1024, 8192, 1 << 20])
def test_a_multicast_is_tried_once_and_leaves_no_other_out(size: int):
    """Segments mean nothing to it, and nobody knows beforehand whether the network lets it through."""
    found = stated("bcast", load_cluster("paper-4")).of_size(size)
    by_multicast = [c for c in found if c.algorithm == "multicast"]
    trees = [c for c in found if c.algorithm != "multicast"]
    assert len(by_multicast) == 1
    assert by_multicast[0].segment_bytes == 1408
    assert by_multicast[0].predicted_s < trees[0].predicted_s
    assert {"two-tree"} < {c.algorithm for c in trees}


@pytest.mark.parametrize("collective", _core.collectives())
def test_what_auto_compares_is_tuned(collective: str):
    cluster = _core.scaled(load_cluster("cyclic"), 100e9)
    tuned = {
        c.algorithm for size in (1, 512, 8192, 1 << 20, 1 << 26) for c in stated(collective, cluster).of_size(size)
    }
    known = {one.name: one for one in _core.candidates(collective)}
    assert tuned <= set(known)
    assert not any(known[name].role in ("shared hosts", "sites") for name in tuned)
    assert (collective == "bcast") <= ("4-nomial" in tuned)
    slower = _core.scaled(cluster, 1e9)  # where datagrams may pay
    decider = _core.Decider(
        _core.Knowledge(slower, _core.NativeLibrary.mpich, "mpich", "4.0.2"),
        collective,
        _core.block_placement(cluster, 1),
        0,
    )
    compared = {one.algorithm for one in decider.predictions(1 << 26)} - {"native"}
    assert compared == {
        one.name for one in known.values() if one.is_compared and one.role not in ("shared hosts", "sites")
    } - {"mixed-radix"}, "32 ranks are a power of two"


def test_trees_by_sites_are_tuned_where_there_are_sites():
    cluster = load_cluster("four-site")
    tuned = {c.algorithm for size in (512, 8192, 1 << 20) for c in stated("bcast", cluster).of_size(size)}
    assert "by-sites-binary" in tuned


def winner(size: int, algorithm: str, segment: int = 0) -> Winner:
    return Winner(size, algorithm, segment, 1.0, 2.0, 3)


def test_rules_change_between_the_sizes():
    rules = rules_of(
        [winner(8, "native"), winner(32, "native"), winner(2048, "binary", 281), winner(8192, "binary", 352)]
    )
    found = [(rule.from_bytes, rule.algorithm, rule.segment_bytes) for rule in rules]
    assert found == [(0, "native", 0), (256, "binary", 281), (4096, "binary", 352)]


def test_neighbours_keep_their_winners():
    rules = rules_of([winner(8, "native"), winner(9, "linear", 9), winner(10, "binary", 10)])
    assert [rule.from_bytes for rule in rules] == [0, 9, 10]


def entry(hosts: int, algorithm: str) -> _core.TuningEntry:
    made = _core.TuningEntry()
    made.cluster, made.cluster_fingerprint, made.mpi, made.mpi_version = "c", 7, "mpich", "4.0.2"
    made.hosts, made.ranks_per_host = hosts, 1
    made.rules = [_core.TuningRule(0, algorithm, 1408)]
    return made


def test_merging_keeps_other_cases_and_renews_the_same():
    both = merged([entry(4, "linear"), entry(8, "linear")], [entry(8, "binary")])
    assert [(e.hosts, e.rules[0].algorithm) for e in both] == [(4, "linear"), (8, "binary")]
    tuning = _core.Tuning()
    tuning.entries = both
    assert len(_core.parse_tuning(_core.write_tuning(tuning), "f").entries) == 2


def test_an_entry_with_measured_rates_holds_for_the_topology():
    slow, fast = (_core.scaled(load_cluster("cyclic"), rate) for rate in (20e6, 1e9))
    mpi = Mpi("mpich", "mpich", "4.0.2", "mpicc", "mpiexec", "l")
    rates = [_core.TunedRate("h0", "h1", 18.9e6)]

    def held(made: _core.TuningEntry) -> bool:
        tuning = _core.Tuning()
        tuning.entries = [made]
        text = _core.write_tuning(tuning)
        found = _core.parse_tuning(text, "f").holding_on(fast, "mpich", "4.0.2").find("bcast", range(32))
        return found is not None

    on_the_lab = entry_of(slow, mpi, "bcast", 32, 1, [winner(8, "linear", 8)])
    in_a_job = entry_of(slow, mpi, "bcast", 32, 1, [winner(8, "linear", 8)], rates)
    assert [held(on_the_lab), held(in_a_job)] == [False, True]
    assert in_a_job.contradiction(slow) == ""
    assert in_a_job.contradiction(fast) == "bcast: h0 - h1, 18.9 Mbit/s measured, 1 Gbit/s stated"
    # Tuned again after the rates changed: the new entry is for the same case.
    assert len(merged([in_a_job], [entry_of(fast, mpi, "bcast", 32, 1, [winner(8, "linear", 8)], rates)])) == 1
    assert len(merged([on_the_lab], [in_a_job])) == 2


def test_a_folder_that_cannot_be(refused, tmp_path):
    (tmp_path / "file").touch()
    words = (
        "--cluster",
        "paper-1",
        "--mpi",
        "mpich",
        "-o",
        tmp_path / "t.yaml",
        "--peer-rules",
        tmp_path / "file" / "d",
    )
    assert "--peer-rules: cannot make the folder" in refused("tune", *words)


def fake_lab(cluster, rate_bps=2e7):
    lab = SimpleNamespace(cluster=_core.scaled(cluster, rate_bps), rate_bps=rate_bps, agent="agent", cluster_file="c")
    lab.host_costs = ""
    lab.popen = lambda *_, **__: None
    return lab


def test_a_library_that_fails_costs_nothing_else(tmp_path, monkeypatch, capsys):
    tuning = tmp_path / "t.yaml"

    def tune_peer(folder, job, sizes, limits, about, on_progress):
        assert load_tuning(str(tuning)).entries  # written before anything of this can fail
        assert limits.patience_s > 0
        if job.mpi.name == "mpich":
            raise Failed("it broke")
        peer_winner = PeerWinner(8192, None, 1.0, 1.0, 1, failures=["[x] failed at 8 KiB: no [/] reason"])
        return PeerFiles({"NAME": "[value]"}, tmp_path / "c", [peer_winner], [])

    monkeypatch.setattr(tune_command, "Lab", lambda cluster, rate_bps: nullcontext(fake_lab(cluster, rate_bps)))
    monkeypatch.setattr(tune_command, "tell_message_cost", lambda *_: None)
    monkeypatch.setattr(tune_command, "tune_entry", lambda *_, **__: iter([winner(8192, "native")]))
    monkeypatch.setattr(tune_command, "tune_peer", tune_peer)
    with pytest.raises(Failed, match="mpich: it broke"):
        tune_command.tune(
            str(tuning),
            "paper-1",
            "mpich,openmpi",
            sizes="8KiB",
            rate="20Mbit",
            budget=1.0,
            peer_rules=str(tmp_path),
        )
    said = capsys.readouterr().err
    assert "openmpi 4" in said
    assert "load it with NAME='[value]'" in said
    assert "[x] failed at 8 KiB: no [/] reason" in said
    assert [entry.mpi for entry in load_tuning(str(tuning)).entries] == ["mpich", "openmpi"]


def test_a_library_that_hangs_is_a_failure(monkeypatch):
    monkeypatch.setattr(measuring, "follow", lambda *_: Outcome(given_up=8192))
    mpi = find_mpis()["mpich"]
    with pytest.raises(Failed, match="mpich did nothing for 60 s at 8 KiB"):
        measure(fake_lab(load_cluster("paper-1")), mpi, "bcast", [8192], ["native"], Limits(patience_s=60))


def intel_mpi():
    return Mpi("intelmpi", "intelmpi", "2021.18.1", "mpicc", "/nowhere/mpiexec", "libmpi.so")


def test_intel_mpi_counts_as_an_mpich():
    made = entry_of(load_cluster("paper-1"), intel_mpi(), "bcast", 16, 1, [winner(8192, "native")])
    tuning = _core.Tuning()
    tuning.entries = [made]
    (read,) = _core.parse_tuning(_core.write_tuning(tuning), "f").entries
    assert (read.mpi, read.mpi_version) == ("mpich", "2021.18.1")


def test_intel_mpi_is_predicted_as_mpich_and_has_no_rules(trunkline, refused, monkeypatch, tmp_path):
    # Both of them send by libfabric, so their messages cost the same.
    mpich = Mpi("mpich", "mpich", "5.0.2", "mpicc", "/nowhere/mpiexec", "libmpi.so")
    found = {**find_mpis(), "mpich": mpich, "intelmpi": intel_mpi()}
    monkeypatch.setattr("trunkline.mpi.find_mpis", lambda: found)
    for command in ("predict", "explain"):
        words = (command, "cyclic", "--sizes", "64KiB", "--json", "-", "--mpi")
        rows, like = (trunkline(*words, name).data for name in ("intelmpi", "mpich"))
        assert [row | {"mpi": ""} for row in rows] == [row | {"mpi": ""} for row in like]
    words = ("--cluster", "paper-1", "--mpi", "intelmpi", "-o", tmp_path / "t.yaml")
    assert "--peer-rules: intelmpi reads no rules" in refused("tune", *words, "--peer-rules", tmp_path)
    assert "measure with --mpi mpich" in refused("measure", *words)


def test_what_a_run_needs_is_told_before_a_lab_is_up(refused, tmp_path):
    words = ("--mpi", "mpich", "--rate", "20Mbit", "--cluster")
    out = ("-o", tmp_path / "t.yaml")
    assert "none.yaml" in refused("tune", *words, "paper-1", *out, "--measured", tmp_path / "none.yaml")
    for command in (("tune", *out), ("bench", "bcast")):
        assert "random-1x1 has one host" in refused(*command, *words, "random:1x1")
        assert "0 bytes" in refused(*command, *words, "paper-1", "--sizes", "8,0")
        assert "at most 2147483647 bytes" in refused(*command, *words, "paper-1", "--sizes", "2GiB")
        many = ",".join(map(str, range(1, 34)))
        assert "at most 32 sizes" in refused(*command, *words, "paper-1", "--sizes", many)


def test_candidates_follow_measured_tables(measured_tables):
    """All of them, those by blocks too, as the preload library reckons them."""
    cluster = load_cluster("paper-1")
    placement = _core.block_placement(cluster, 1)
    file = measured_tables(cluster)
    tables = load_measurement(str(file), cluster)
    for collective in ("bcast", "allreduce"):
        found = Candidates(collective, cluster, measured_knowledge(cluster, tables), placement).of_size(65536)
        for one in found:
            plan = _core.lay(collective, one.algorithm, cluster, placement, 0)
            by_file = _core.costs_of(cluster, placement, plan, collective).seconds(65536, one.segment_bytes)
            measured = measured_knowledge(cluster, tables).costs_of(placement, plan, collective)
            assert one.predicted_s == measured.seconds(65536, one.segment_bytes) != by_file
    assert {"circulant", "binary"} <= {c.algorithm for c in stated("bcast", cluster).of_size(8192)}
    with pytest.raises(BadInput, match=r"was measured under mpich 4.0.2, which says nothing about openmpi"):
        load_measurement(str(file), cluster, [Mpi("openmpi", "openmpi", "4.1.4", "mpicc", "mpiexec", "l")])


def test_where_results_cannot_go_is_said_before_anything_runs(refused, tmp_path):
    words = ("tune", "--cluster", "paper-1", "--mpi", "mpich")
    assert "it is a folder" in refused(*words, "-o", tmp_path)
    (tmp_path / "file").touch()
    assert "is no folder" in refused(*words, "-o", tmp_path / "file" / "tuning.yaml")
    assert "it is a folder" in refused(*words, "-o", tmp_path / "t.yaml", "--json", tmp_path)
    assert not (tmp_path / "t.yaml").exists()


def test_hierarchical_trees_are_tried_where_ranks_share_hosts():
    cluster = load_cluster("8w")
    for each, tried in ((8, True), (1, False)):
        found = stated("allreduce", cluster, each).of_size(256)
        assert any(one.algorithm.startswith("hierarchical-") for one in found) is tried


def test_sizes_measured_so_far_lie_apart():
    order = spread_out([8, 1024, 4096, 65536, 1 << 20])
    assert order == [4096, 1024, 1 << 20, 8, 65536]
    assert sorted(order) == [8, 1024, 4096, 65536, 1 << 20]


def test_rules_do_not_depend_on_the_order_of_winners():
    winners = [Winner(1 << 20, "linear", 1448, 1.0, 2.0, 3), Winner(8, "native", 0, 1.0, 1.0, 3)]
    assert [rule.algorithm for rule in rules_of(winners)] == ["native", "linear"]
    assert [rule.from_bytes for rule in rules_of(winners)] == [rule.from_bytes for rule in rules_of(winners[::-1])]


def test_outside_a_job_the_library_is_asked_for(refused, tmp_path):
    said = refused("tune", "--cluster", "cyclic", "-o", str(tmp_path / "t.yaml"))
    assert "give --mpi" in said
    assert "the cluster is not known" in refused("tune", "--mpi", "mpich", "-o", str(tmp_path / "t.yaml"))


@pytest.mark.parametrize(
    ("times", "best", "noise"),
    [
        # In the order in which the model would take them; seconds as least, median, greatest.
        ({"linear:1": (8, 10, 12), "flat:1": (5, 9, 13), "native": (19, 20, 21)}, "linear:1", 8 / 9),
        ({"native": (8, 10, 12), "flat:1": (5, 9, 13)}, "native", 8 / 9),
        ({"linear:1": (19, 20, 21), "flat:1": (5, 9, 13), "native": (8, 10, 12)}, "flat:1", 8 / 9),
        ({"linear:1": (9.9, 10, 10.1), "flat:1": (9.4, 9.5, 9.9), "native": (19, 20, 21)}, "flat:1", None),
        ({"flat:1": (5, 9, 13), "native": (19, 20, 21)}, "flat:1", None),
        ({"flat:1": (9.8, 9.9, 10), "native": (9.9, 10, 10.1)}, "native", None),
    ],
)
def test_where_times_scatter_the_model_decides(times, best, noise):
    medians = {name: Median(value, low, high, 9) for name, (low, value, high) in times.items()}
    assert fastest_or_predicted(medians) == (best, pytest.approx(noise) if noise else None)
