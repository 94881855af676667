"""One form for every command: ``--collective``, or the collective as the word after it."""

import re
from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import SMALL
from trunkline.registry import chosen_algorithms

WITH_OPTION = {
    "plan": ("plan", "cyclic"),
    "predict": ("predict", "cyclic"),
    "explain": ("explain", "cyclic"),
    "tune": ("tune", "--cluster", "cyclic", "--mpi", "mpich", "-o", "-"),
}


@pytest.mark.parametrize("words", WITH_OPTION.values(), ids=WITH_OPTION)
def test_what_trunkline_does_not_run_is_refused_alike(refused, words):
    known = ", ".join(_core.collectives())
    said = refused(*words, "--collective", "bcats")
    assert said == f"there is no collective 'bcats'; the nearest is bcast; there are: {known}"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gatherv", "--collective: MPI_Gatherv always runs as the MPI library has it; there are: bcast, "),
        ("MPI_Alltoallw", "--collective: MPI_Alltoallw runs as alltoallv does; there are: bcast, "),
        ("MPI_Scatterv", "--collective: MPI_Scatterv always runs as the MPI library has it; there are: bcast, "),
        ("MPI_Reduce_scatter", "there is no collective 'MPI_Reduce_scatter'; it is called reduce-scatter here; "),
        ("quicksort", "there is no collective 'quicksort'; there are: bcast, "),
    ],
)
def test_no_other_collective_is_offered_for_one_that_mpi_has(refused, name, said):
    assert refused("explain", "paper-1", "--collective", name).startswith(said)


@pytest.mark.parametrize("command", ["bench", "simulate"])
def test_the_word_after_the_command(trunkline, command):
    offered = trunkline(command, "--help").out
    for collective in _core.collectives():
        assert f" {collective} " in offered
        assert _core.facts_of(collective).mpi_name in trunkline(command, collective, "--help").out
    ran = trunkline(command, "bcats", "--cluster", "cyclic")
    assert (ran.status, ran.out) == (2, "")
    assert "bcats" in ran.error


@pytest.mark.parametrize("words", WITH_OPTION.values(), ids=WITH_OPTION)
def test_help_names_the_choices(trunkline, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    command = ("plan", "lay") if words[0] == "plan" else words[:1]
    text = " ".join(trunkline(*command, "--help").out.replace("│", " ").split())
    assert f"The collective operation: {', '.join(_core.collectives())}." in text


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "cyclic", "--sizes", "8KiB"),
        ("explain", "cyclic", "--sizes", "8KiB"),
        ("simulate", "bcast", "--cluster", "paper-1", "--sizes", "8KiB", "--algorithms", "linear"),
    ],
    ids=lambda words: words[0],
)
def test_results_name_the_collective(trunkline, words):
    rows = trunkline(*words, "--json", "-").data
    assert {row["collective"] for row in rows} == {"bcast"}


def test_every_collective_has_its_rows():
    assert set(SMALL) <= set(_core.collectives())
    for collective in _core.collectives():
        known = {a.name for a in _core.algorithms() if a.collective == collective}
        candidates = _core.candidates(collective)
        assert any(one.is_compared for one in candidates)
        assert {one.name for one in candidates} <= known


def test_the_name_in_mpi():
    assert _core.facts_of("bcast").mpi_name == "MPI_Bcast"
    with pytest.raises(ValueError, match="no collective is called 'cast'"):
        _core.facts_of("cast")


def test_the_timing_programs_know_the_same_collectives():
    """They are C, and run without the core: their table is held to the core's."""
    text = (Path(__file__).resolve().parents[2] / "bench" / "message.c").read_text()
    rows = re.findall(r'\{"([a-z-]+)", (\w+), (\w+), ([01]), ([01])\}', text)
    words = {_core.Holding.all_at_root: "ALL_AT_ROOT", _core.Holding.all: "ALL", _core.Holding.own_block: "SHARE"}
    words |= {_core.Holding.own_row: "ROW", _core.Holding.own_column: "COLUMN"}
    words |= {_core.Holding.up_to_own: "UP_TO_OWN", _core.Holding.before_own: "BEFORE_OWN"}
    expected = []
    for facts in map(_core.facts_of, _core.collectives()):
        held = [words[end] if facts.has_data else "NOTHING" for end in (facts.before, facts.after)]
        expected.append((facts.name, *held, str(int(facts.reduces and facts.has_data)), str(int(facts.even_shares))))
    assert sorted(rows) == sorted(expected)


class TestLimits:
    """By hand: which share of a message the link of a host must carry, one way."""

    def test_a_message_once(self):
        assert {_core.facts_of(one).limit_in_transfers(32) for one in ("bcast", "reduce", "barrier")} == {1.0}

    def test_what_is_reduced_elsewhere_goes_out_and_comes_back(self):
        assert _core.facts_of("allreduce").limit_in_transfers(32) == 2 * 31 / 32
        assert _core.facts_of("allreduce").limit_in_transfers(2) == 1.0  # two hosts exchange

    def test_all_but_the_own_share(self):
        for one in ("allgather", "allgatherv", "reduce-scatter", "reduce-scatter-block"):
            assert _core.facts_of(one).limit_in_transfers(4) == 3 / 4

    def test_no_plan_is_predicted_faster(self):
        """Rings of blocks will come nearest; trees stay above."""
        cluster = load_cluster("paper-1")
        placement = _core.block_placement(cluster, 1)
        message = 1 << 26
        wire = message * 8 / min(link.rate_bps for link in cluster.links)
        for one in ("bcast", "reduce", "allreduce"):
            for name in ("linear", "two-tree"):
                plan = _core.lay(one, name, cluster, placement, 0)
                seconds = _core.costs_of(cluster, placement, plan, one).seconds(message, 8192)
                assert seconds > wire * _core.facts_of(one).limit_in_transfers(len(cluster.hosts)), (one, name)


@pytest.mark.parametrize("collective", _core.collectives())
def test_bench_takes_all_algorithms_at_once(collective):
    """In three forms: calls that block, calls that are started, and those beside work."""
    header = (Path(__file__).resolve().parents[2] / "bench" / "timing.h").read_text(encoding="utf-8")
    most = int(re.search(r"enum \{ MOST = (\d+) \}", header)[1])
    assert 3 * len(chosen_algorithms(collective, ["all", "auto", "native"])) <= most
