"""Predictions beside measurements: verdicts, the paper's figures, the tables and the chart of both."""

import pytest
from rich.console import Console

from trunkline_papers.pipelined.charts import segment_curves
from trunkline_papers.pipelined.model import Point, Verdict
from trunkline_papers.pipelined.model_tables import segments_tables
from trunkline_papers.pipelined.published import paper_network, paper_parameters, paper_pieces, paper_segments


def point(segment, predicted, measured):
    return Point(segment, predicted, measured, measured * 0.98, measured * 1.02, 5)


def verdict(algorithm, size, points, chosen):
    return Verdict(
        collective="bcast",
        cluster="c",
        rate_bps=1e8,
        hosts=32,
        ranks=32,
        mpi="mpich",
        mpi_version="4.0.2",
        algorithm=algorithm,
        message_bytes=size,
        limit_seconds=1e-3,
        chosen=points[chosen],
        best=min(points, key=lambda p: p.seconds_median),
        paper=paper_segments("100Mbit", algorithm, size),
        points=points,
    )


VERDICTS = [
    verdict("linear", 65536, [point(256, 9e-3, 10e-3), point(512, 9.5e-3, 8e-3)], 0),
    verdict("two-tree", 65536, [point(512, 6e-3, 6e-3), point(1024, 7e-3, 6.5e-3)], 0),
]


def test_loss_and_error():
    linear, two_tree = VERDICTS
    assert linear.loss == pytest.approx(0.25)
    assert linear.error == pytest.approx(-0.1)
    assert (two_tree.loss, two_tree.error) == (0.0, 0.0)
    row = linear.as_json()
    assert (row["loss"], row["chosen"]["segment_bytes"], row["best"]["segment_bytes"]) == (linear.loss, 256, 512)


def test_tables_say_what_was_lost_and_what_the_paper_has():
    console = Console(width=100)
    with console.capture() as said:
        console.print(segments_tables(VERDICTS))
    text = said.get()
    line = next(line for line in text.splitlines() if "64 KiB" in line)
    assert " ".join(line.split()) == "64 KiB 256 9.00 ms 10.0 ms -10 % 512 8.00 ms +25 % 256, 512"
    assert "Most lost by the model's segment: +25 % (linear, 64 KiB)" in text


def test_chart_has_both():
    svg = segment_curves(VERDICTS)
    for words in ("linear, predicted", "linear, measured", "two-tree, best segment", "64 KiB by segment"):
        assert words in svg


def test_the_papers_figures():
    assert [paper_network(rate) for rate in (2e7, 1e8, 1e9)] == ["100Mbit", "100Mbit", "1Gbit"]
    assert paper_segments("100Mbit", "binary", 2 << 20) == (4096, 4096)
    assert paper_segments("1Gbit", "linear", 512 << 10) == (4096, 2048)
    assert paper_segments("1Gbit", "two-tree", 8192) is None
    assert paper_segments("1Gbit", "linear", 8191) is None
    assert paper_parameters("100Mbit", 1024) == pytest.approx((89e-6, 678e-6, 250e-6))
    assert paper_pieces("1Gbit", 2 << 20, 256) == pytest.approx(102.07e-3)
    assert paper_pieces("100Mbit", 32 << 10, 0) == pytest.approx(2.99e-3)
    assert paper_pieces("100Mbit", 64 << 10, 256) is None
    for network in ("100Mbit", "1Gbit"):  # L = RTT / 2 - g, as the paper says of its own table
        for size in (256 << k for k in range(8)):
            gap, round_trip, latency = paper_parameters(network, size)
            assert latency == pytest.approx(round_trip / 2 - gap, abs=1.1e-6)


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--algorithms", "native"), "'native' has no segments"),
        (("--algorithms", "linear:512"), "'linear:512' has no segments"),
        (("--segments", "0"), "above zero"),
        (("--algorithms", "linear,binary,two-tree,3-ary"), "too many for one run"),
        (("--json", "-", "--svg", "-"), "only one of --json and --svg"),
    ],
)
def test_refused(papers_refused, words, wrong):
    assert wrong in papers_refused("bench", "model", "--cluster", "paper-1", "--mpi", "mpich", *words)
