"""``trunkline_papers simulate matmul``: speed-ups that can be bounded by hand, the picture, refusals."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from trunkline_papers.matmul.picture import speed_up_curves
from trunkline_papers.matmul.simulated import Multiplied, largest_block

ORDER, RATE = 400, 1e8 / 8
ONE = Multiplied(
    cluster="paper-1",
    cluster_fingerprint="0",
    rate_bps=1e8,
    host_rate_bps=1e8,
    library="mpich",
    host_costs="free",
    host_gflops=0.5,
    order=3200,
    hosts=2,
    message_bytes=40960000,
    algorithm="native",
    ran="binomial",
    seconds=72.5,
    bcast_seconds=7.0,
    alone_seconds=131.072,
    speed_up=1.81,
    trunkline_version="0",
)


def test_speed_ups_are_between_what_links_take_and_the_number_of_hosts(papers, tmp_path):
    file = tmp_path / "speed-up.svg"
    words = ("--order", str(ORDER), "--hosts", "2,4-5", "--algorithms", "native,linear,auto", "--host-gflops", "0.5")
    ran = papers("simulate", "matmul", *words, "--host-costs", "free", "--svg", file, "--json", "-")
    assert ran.status == 0, ran.error
    assert [(row["hosts"], row["algorithm"]) for row in ran.data] == [
        (hosts, name) for hosts in (2, 4, 5) for name in ("native", "linear", "auto")
    ]
    matrix_s = ORDER * ORDER * 8 / RATE
    for row in ran.data:
        alone = 2 * ORDER**3 / 0.5e9
        assert row["alone_seconds"] == pytest.approx(alone)
        assert row["speed_up"] == pytest.approx(alone / row["seconds"])
        # All of B goes through a link, one broadcast after another; then each host multiplies its part.
        assert row["bcast_seconds"] >= matrix_s * 0.99
        assert row["seconds"] == pytest.approx(alone / row["hosts"] + row["bcast_seconds"], rel=0.02)
    by = {(row["hosts"], row["algorithm"]): row for row in ran.data}
    assert by[4, "linear"]["bcast_seconds"] < 1.25 * matrix_s
    # Down a binomial tree each message leaves a host twice.
    assert by[4, "native"]["ran"] == "binomial"
    assert by[4, "native"]["bcast_seconds"] > 2 * matrix_s
    assert by[4, "auto"]["ran"] in ("linear", "two-tree")
    ET.fromstring(file.read_text())
    for name in ("native", "linear", "auto"):
        assert f"curve-{name}" in file.read_text()


def test_the_papers_two_curves(papers):
    """PVM sends a copy to each host, one after another; a multicast goes over each link once."""
    words = ("--order", str(ORDER), "--hosts", "3,5", "--algorithms", "pvm,multicast", "--json", "-")
    ran = papers("simulate", "matmul", *words)
    assert ran.status == 0, ran.error
    by = {(row["hosts"], row["algorithm"]): row for row in ran.data}
    matrix = ORDER * ORDER * 8
    for hosts in (3, 5):
        # 250 ns for a byte to one host: four receivers get 1 MB/s.
        assert by[hosts, "pvm"]["bcast_seconds"] == pytest.approx((hosts - 1) * matrix * 250e-9, rel=0.02)
        assert matrix / RATE < by[hosts, "multicast"]["bcast_seconds"] < 1.35 * matrix / RATE  # its group opens first
        assert by[hosts, "multicast"]["ran"] == "multicast"
    assert by[5, "multicast"]["bcast_seconds"] == pytest.approx(by[3, "multicast"]["bcast_seconds"], rel=0.1)
    said = " ".join(ran.error.split())
    assert "within 20 % of the optimum: 2.4, 4.0; or 20 % of the optimum: 0.6, 1.0" in said
    assert "is not known" in said


def test_what_nobody_knows_is_left_out_with_a_word_why(papers):
    words = ("--order", "1600", "--hosts", "4", "--algorithms", "linear,ompi", "--rates", "1Gbit", "--json", "-")
    ran = papers("simulate", "matmul", *words)
    assert ran.status == 0, ran.error
    assert [row["algorithm"] for row in ran.data] == ["linear"]
    assert "ompi, 5000 KiB: no time, since SimGrid has no chain" in " ".join(ran.error.split())


def test_each_rate_is_a_panel():
    svg = speed_up_curves([ONE, replace(ONE, rate_bps=1e9), replace(ONE, rate_bps=1e10)])
    root = ET.fromstring(svg)
    said = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in said if text and text.startswith("links at")] == [
        "links at 100 Mbit/s",
        "links at 1 Gbit/s",
        "links at 10 Gbit/s",
    ]
    assert float(root.get("width").removesuffix("pt")) * 4 / 3 < 390


def test_the_largest_block_is_rounded_up():
    assert largest_block(3200, 8) == 3200 * 400 * 8
    assert largest_block(10, 3) == 10 * 4 * 8


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--hosts", "1-4"), "--hosts must be from 2 to 16, the hosts of paper-1, not 1"),
        (("--hosts", "8-2"), "--hosts: '8-2' is no range from a smaller number"),
        (("--hosts", "two"), "--hosts: 'two' is not a whole number above zero, nor a range such as 2-8"),
        (("--host-gflops", "0"), "--host-gflops must be above zero, and less than 1e9, not 0"),
        (("--algorithms", "fast"), "there is no algorithm 'fast' of bcast"),
        (("--rates", "fast"), "'fast' is not a rate"),
    ],
)
def test_refusals(papers_refused, words, why):
    assert why in papers_refused("simulate", "matmul", *words)
