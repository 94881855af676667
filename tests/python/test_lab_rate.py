"""Looking for the highest true rate, and what makes a lab true: all of it on numbers, without a lab."""

import json
import random

import pytest

from trunkline.cluster import load_cluster
from trunkline.lab import rate as rates
from trunkline.lab.accuracy import MOST_BUSY, Accuracy, PingPong, Relay, fit_start_up

NOTHING_LOST = {"overruns": 0, "oversized": 0, "undeliverable": 0}


def accuracy(*, start_up=1e-5, ping_pong=0.0, relay=0.0, busy=0.3, network=None):
    return Accuracy(
        "some",
        2e7,
        2,
        "fifo",
        start_up,
        [PingPong(1024, 1e-3, 1e-3, ping_pong)],
        [Relay(2896, 0.5, 0.5, relay, busy)],
        {**NOTHING_LOST, **(network or {})},
    )


@pytest.mark.parametrize("rungs", range(8))
def test_bisection_finds_the_last_rung_that_holds(rungs):
    ladder = tuple(float(rung) for rung in range(1, 8))
    asked = []

    def holds(rate):
        asked.append(rate)
        return rate <= rungs

    assert rates.highest(ladder, holds) == (float(rungs) if rungs else None)
    assert len(asked) <= 3


def test_the_ladder_rises():
    assert list(rates.LADDER) == sorted(set(rates.LADDER))


def test_the_start_up_is_what_the_wire_does_not_explain():
    wire = [1e-3, 1e-2, 1e-1, 1.0]
    assert fit_start_up([(w + 5e-5, w) for w in wire]) == pytest.approx(5e-5)
    noisy = random.Random(1)
    times = [((w + 5e-5) * noisy.uniform(0.999, 1.001), w) for w in wire]
    assert fit_start_up(times) == pytest.approx(5e-5, rel=0.05)


def test_a_true_lab_has_no_reasons():
    assert accuracy().reasons() == []
    assert accuracy().as_json()["holds"] is True


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ({"start_up": -1e-6}, "sooner than the wire"),
        ({"ping_pong": 0.06}, "T(1 KiB) is +6.0% off"),
        ({"ping_pong": -0.06}, "T(1 KiB) is -6.0% off"),
        ({"relay": 0.11}, "relay in segments of 2896 B is +11.0% off"),
        ({"relay": -0.11}, "-11.0% off"),
        ({"busy": MOST_BUSY + 0.01}, "processors busy"),
        ({"network": {"overruns": 3}}, "3 overruns"),
    ],
)
def test_each_fault_is_a_reason(fault, word):
    reasons = accuracy(**fault).reasons()
    assert len(reasons) == 1
    assert word in reasons[0]
    assert json.loads(json.dumps(accuracy(**fault).as_json()))["holds"] is False


def test_a_cache_that_cannot_be_written_is_said_and_no_error(monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    cluster = load_cluster("paper-1")
    rates.remember_rate(cluster, 2e7)
    assert "cannot keep the rate of paper-1 in /dev/null/trunkline/lab-rates.json: " in capsys.readouterr().err
    monkeypatch.setattr(rates, "find_rate", lambda *_: 3e7)
    assert rates.auto_rate(cluster) == 3e7


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "trunkline" / "lab-rates.json"


@pytest.fixture
def measured(monkeypatch):
    asked = []

    def find(cluster, _on_step):
        asked.append(cluster.name)
        return 2e7

    monkeypatch.setattr(rates, "find_rate", find)
    return asked


def test_a_rate_is_measured_once_for_each_cluster(cache, measured):
    assert rates.auto_rate(load_cluster("cyclic")) == 2e7
    assert rates.auto_rate(load_cluster("cyclic")) == 2e7
    assert rates.auto_rate(load_cluster("paper-1")) == 2e7
    assert measured == ["cyclic", "paper-1"]
    assert len(json.loads(cache.read_text())) == 2


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"a": 1}'])
def test_an_unusable_cache_is_measured_again(cache, measured, content):
    cache.parent.mkdir()
    cache.write_text(content)
    assert rates.auto_rate(load_cluster("cyclic")) == 2e7
    assert measured == ["cyclic"]
    assert rates.auto_rate(load_cluster("cyclic")) == 2e7
    assert measured == ["cyclic"]


def test_a_rate_that_is_no_rung_is_measured_again(cache, measured):
    rates.remember_rate(load_cluster("cyclic"), 12345.0)
    assert rates.auto_rate(load_cluster("cyclic")) == 2e7
    assert measured == ["cyclic"]


def test_another_kernel_is_another_machine(cache, measured, monkeypatch):
    rates.auto_rate(load_cluster("cyclic"))
    monkeypatch.setattr(rates.platform, "release", lambda: "99.0")
    rates.auto_rate(load_cluster("cyclic"))
    assert measured == ["cyclic", "cyclic"]
