"""What is measured when tuning, and what becomes of it."""

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.tune.candidates import MOST, Candidates
from trunkline.tune.tuner import Winner, merged, rules_of


@pytest.mark.parametrize("size", [1, 8, 1000, 8192, 1 << 20, 1 << 24])
def test_candidates_are_few_and_likely(size: int):
    cluster = load_cluster("cyclic")
    found = Candidates(cluster, _core.block_placement(cluster, 1)).of_size(size)
    assert 1 <= len(found) <= MOST
    assert found == sorted(found, key=lambda c: c.predicted_s)
    assert found[-1].predicted_s < 2 * found[0].predicted_s
    assert all(0 < c.segment_bytes <= max(size, 1408) for c in found)
    assert len({c.choice() for c in found}) == len(found)


def test_candidates_know_the_ends():
    cluster = load_cluster("cyclic")
    candidates = Candidates(cluster, _core.block_placement(cluster, 1))
    assert candidates.of_size(1 << 22)[0].algorithm in ("linear", "two-tree")
    assert candidates.of_size(4096)[0].algorithm in ("two-tree", "binary", "3-ary")


def winner(size: int, algorithm: str, segment: int = 0) -> Winner:
    return Winner(size, algorithm, segment, 1.0, 2.0, [])


def test_rules_change_between_the_sizes():
    rules = rules_of(
        [winner(8, "native"), winner(32, "native"), winner(2048, "binary", 281), winner(8192, "binary", 352)]
    )
    found = [(rule.from_bytes, rule.algorithm, rule.segment_bytes) for rule in rules]
    assert found == [(0, "native", 0), (256, "binary", 281), (4096, "binary", 352)]


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
