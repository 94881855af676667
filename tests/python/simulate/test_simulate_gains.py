"""``trunkline simulate gains``: the simulator's own times, side by side; the picture; refusals."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from trunkline import _core
from trunkline.cli.simulate_gains import simulated_gains
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import simulated_algorithms
from trunkline.simulate.engine import Job
from trunkline.simulate.gains import Gain, gains_of
from trunkline.simulate.gains_picture import gain_words, gains_picture
from trunkline.simulate.rows import simulate_all

ONE = Gain(
    collective="bcast",
    cluster="cyclic",
    cluster_fingerprint="0",
    hosts=32,
    ranks=32,
    rate_bps=1e9,
    host_rate_bps=1e9,
    long_rate_bps=0.0,
    long_latency_s=0.0,
    library="mpich",
    host_costs="free",
    rival_host_costs="free",
    message_bytes=1024,
    limit_seconds=1e-4,
    bound_seconds=1e-4,
    auto_seconds=2e-4,
    auto_ran="two-tree",
    auto_native_algorithm="",
    segment_bytes=1024,
    rival="mpich",
    rival_algorithm="binomial",
    rival_seconds=4e-4,
    at_least=False,
    gain=2.0,
)


def test_gains_are_what_simulations_of_each_rate_say(trunkline, tmp_path):
    file = tmp_path / "gains.svg"
    words = ("--cluster", "paper-1", "--sizes", "8KiB,64KiB", "--host-costs", "openmpi")
    ran = trunkline(
        "simulate",
        "gains",
        *words,
        "--rates",
        "20Mbit,1Gbit",
        "--rivals",
        "ompi,smpi-line",
        "--svg",
        file,
        "--json",
        "-",
    )
    assert ran.status == 0, ran.error
    assert len(ran.data) == 8
    for rate in ("20Mbit", "1Gbit"):
        alone = trunkline(
            "simulate", "bcast", *words, "--rate", rate, "--algorithms", "auto,ompi,smpi-line", "--json", "-"
        ).data
        times = {(row["algorithm"], row["message_bytes"]): row["seconds_median"] for row in alone}
        own = [row for row in ran.data if row["cluster_fingerprint"] == alone[0]["cluster_fingerprint"]]
        assert len(own) == 4
        for row in own:
            size = row["message_bytes"]
            assert (row["auto_seconds"], row["rival_seconds"]) == (times["auto", size], times[row["rival"], size])
            assert row["gain"] == pytest.approx(times[row["rival"], size] / times["auto", size])
            assert row["host_costs"] == "openmpi"
    picture = file.read_text()
    ET.fromstring(picture)
    for row in ran.data:
        assert f">{gain_words(Gain(**row))}</text>" in picture
    assert "hosts as measured under openmpi" in picture
    said = " ".join(ran.error.split())
    assert "16 ranks, mpich, simulated; messages cost hosts what was measured under openmpi" in said
    assert re.search(r"20 Mbit/s 8 KiB \S+ .* 1 Gbit/s 8 KiB \S+ ", said)
    for row in ran.data:
        assert row["rival_algorithm"] not in ("", "ompi", "native"), "no gain rests on an algorithm without a name"


def test_each_library_has_its_own_host_costs(trunkline):
    """Open MPI's messages cost hosts other times than MPICH's, whose ranks run beside."""
    words = ("--cluster", "paper-1", "--sizes", "64KiB", "--rate", "10Gbit", "--ranks-per-host", "2", "--json", "-")
    [row] = trunkline("simulate", "gains", *words, "--algorithms", "openmpi", "--mpi", "mpich").data
    assert (row["host_costs"], row["rival_host_costs"]) == ("mpich", "openmpi")
    [alone] = trunkline("simulate", "bcast", *words, "--algorithms", "openmpi", "--host-costs", "openmpi").data
    assert row["rival_seconds"] == alone["seconds_median"]
    [asked] = trunkline("simulate", "gains", *words, "--algorithms", "openmpi", "--host-costs", "mpich").data
    assert asked["rival_host_costs"] == "mpich"
    assert asked["rival_seconds"] != row["rival_seconds"]


def test_a_rival_that_was_given_up_is_at_least_so_slow(trunkline):
    ran = trunkline(
        *("simulate", "gains", "--cluster", "cyclic", "--rates", "1Gbit", "--sizes", "64KiB", "--rivals", "mpich"),
        *("--race", "2", "--json", "-"),
    )
    (row,) = ran.data
    assert row["at_least"]
    assert row["gain"] == pytest.approx(2.0, rel=1e-3)
    assert "> 2.0" in ran.error


def test_what_is_done_is_kept_when_a_simulation_is_stopped(monkeypatch):
    cluster = load_cluster("paper-1")
    placement = _core.block_placement(cluster, 1)
    jobs = [Job("bcast", _core.scaled(cluster, rate), placement, 0, [1024], {}) for rate in (1e9, 1e10)]
    kept: list[list[float]] = []

    def stop_in_the_second(job, *rest):
        if job is jobs[1]:
            raise KeyboardInterrupt
        return simulate_all(job, *rest)

    monkeypatch.setattr("trunkline.cli.simulate_gains.simulate_all", stop_in_the_second)
    auto, rivals = simulated_algorithms("bcast", ["auto"])[0], simulated_algorithms("bcast", ["linear"])
    with pytest.raises(KeyboardInterrupt):
        simulated_gains(jobs, auto, rivals, 0.0, [], lambda gains: kept.append([one.rate_bps for one in gains]))
    assert kept == [[1e9]]


def test_a_file_has_all_rates_at_the_end(trunkline, tmp_path):
    file = tmp_path / "gains.json"
    words = ("--cluster", "paper-1", "--sizes", "1KiB", "--rates", "1Gbit,10Gbit", "--host-costs", "free")
    assert trunkline("simulate", "gains", *words, "--rivals", "mpich", "--json", file).status == 0
    assert [one["rate_bps"] for one in json.loads(file.read_text())] == [1e9, 1e10]


def test_refusals(refused):
    words = ("simulate", "gains", "--cluster", "paper-1")
    assert "'fast' is not a rate" in refused(*words, "--rates", "1Gbit,fast")
    assert "--rivals: name one besides auto" in refused(*words, "--rivals", "auto")
    assert "SimGrid does not say which algorithm 'mvapich2' is" in refused(*words, "--rivals", "ompi,mvapich2")
    assert "no costs of messages are called 'lam'" in refused(*words, "--host-costs", "lam")
    assert "only one of --svg and --json" in refused(*words, "--svg", "-", "--json", "-")


@pytest.mark.parametrize(
    ("gain", "at_least", "words"),
    [(0.984, False, "0.98"), (1.04, False, "1.04"), (2.04, False, "2.0"), (18.8, False, "19"), (10.0, True, "> 10")],
)
def test_words_of_a_gain(gain, at_least, words):
    assert gain_words(replace(ONE, gain=gain, at_least=at_least)) == words


def test_where_trunkline_is_slower_the_picture_is_red():
    drawn = {gain: gains_picture([replace(ONE, gain=gain)]) for gain in (0.5, 1.0, 16.0)}
    shades = {gain: re.findall(r'fill="(#\w+)" fill-opacity="([\d.]+)"', text)[1] for gain, text in drawn.items()}
    assert shades == {0.5: ("#d93206", "0.50"), 1.0: ("#0b7285", "0.00"), 16.0: ("#0b7285", "0.50")}


def test_rows_of_several_jobs_are_no_gains(trunkline):
    class Row:
        def __init__(self, ranks):
            self.collective, self.cluster_fingerprint, self.ranks = "bcast", "0", ranks

    with pytest.raises(ValueError, match="several jobs"):
        gains_of([Row(16), Row(32)], job=None)


def test_without_rates_the_files_own_count(trunkline, tmp_path):
    file = tmp_path / "uneven.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: uneven\ndefaults: {rate: 10Gbit, latency: 10us}\nswitches: [s0, s1]\nhosts:\n"
        "  - {hosts: 'h[0-3]', switch: s0}\n  - {hosts: 'h[4-7]', switch: s1}\n"
        "links:\n  - {between: [s0, s1], rate: 25Gbit}\n"
    )
    ran = trunkline("simulate", "gains", "--cluster", file, "--sizes", "8KiB", "--rivals", "native", "--json", "-")
    assert ran.status == 0, ran.error
    (row,) = ran.data
    assert (row["rate_bps"], row["host_rate_bps"], row["host_costs"]) == (25e9, 10e9, "mpich")
    assert "hosts 10 Gbit/s, trunks 25 Gbit/s" in " ".join(ran.error.split())
    scaled = trunkline("simulate", "gains", "--cluster", file, "--sizes", "8KiB", "--rates", "10Gbit")
    assert "hosts 4 Gbit/s, trunks 10 Gbit/s" in " ".join(scaled.error.split())


def test_a_gain_needs_both_times(trunkline):
    """Nobody here knows what Open MPI runs for an allgather: an empty cell, and why."""
    words = ("--collective", "allgather", "--cluster", "paper-1", "--sizes", "16KiB")
    ran = trunkline("simulate", "gains", *words, "--json", "-")
    assert ran.status == 0, ran.error
    assert {row["rival"] for row in ran.data} == {"mpich"}
    assert "openmpi, 16 KiB: no time, since what Open MPI selects" in " ".join(ran.error.split())


def test_gains_over_sites_stand_beside_the_bound(trunkline):
    """Each long link crossed once: of ``two-site``, with other long links and ranks dealt."""
    words = ("simulate", "gains", "--cluster", "two-site", "--sizes", "8KiB", "--json", "-")
    long = ("--long-rate", "20Mbit,100Mbit", "--long-latency", "5ms,20ms")
    ran = trunkline(*words, *long, "--dealt", "--ranks-per-host", 2)
    assert ran.status == 0, ran.error
    # 8192 bytes and the room for a header of 40 go in six frames with 90 bytes more each.
    wire_s = {2e7: 8772 * 8 / 2e7, 1e8: 8772 * 8 / 1e8}
    assert len({row["cluster_fingerprint"] for row in ran.data}) == 4
    for row in ran.data:
        assert (row["long_rate_bps"], row["ranks"], row["hosts"]) in ((2e7, 10, 5), (1e8, 10, 5))
        least_s = row["long_latency_s"] + 2 * 10e-6 + wire_s[row["long_rate_bps"]]
        assert row["bound_seconds"] == pytest.approx(least_s)
        assert row["auto_seconds"] >= row["bound_seconds"]
        assert row["gain"] > 0.999, "auto is slower than what the library would run"
    said = " ".join(ran.error.split())
    assert "10 ranks dealt over sites" in said
    assert "of bound" in said
    assert "sites 20.0 ms apart" in said


def test_long_links_are_there_to_be_changed(refused):
    words = ("simulate", "gains", "--cluster", "cyclic")
    assert "cyclic has no long links" in refused(*words, "--long-rate", "20Mbit")
    assert "cyclic has no sites that --dealt" in refused(*words, "--dealt")
    assert "'20' is not a time" in refused(*words, "--long-latency", "20")


def test_columns_are_named_by_what_differs_between_them():
    slow, far = replace(ONE, cluster_fingerprint="1", long_rate_bps=2e7), replace(ONE, cluster_fingerprint="2")
    drawn = gains_picture([replace(slow, long_latency_s=1e-3), replace(far, long_rate_bps=2e7, long_latency_s=2e-2)])
    assert re.findall(r">([\d.]+ m?s)<", drawn) == ["1.00 ms", "20.0 ms"]
    assert "Across: latency between sites." in drawn
    assert "Mbit<" not in drawn
    drawn = gains_picture([slow, replace(far, rate_bps=2e9, long_rate_bps=4e7)])
    assert re.findall(r">([\d.]+ [MG]bit)<", drawn) == ["20 Mbit", "1 Gbit", "40 Mbit", "2 Gbit"]
