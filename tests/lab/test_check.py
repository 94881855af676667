"""The lab measured by its own check."""

import json

import pytest
from busy_machine import measures

pytestmark = pytest.mark.usefixtures("nothing_left")


@measures
def test_check_measures_times_that_the_wire_explains(trunkline):
    done = trunkline("lab", "check", "paper-1", "--rate", "25Mbit", "--json", "-")
    assert done.returncode in (0, 1), done.stderr
    result = json.loads(done.stdout)
    assert result["holds"] == (done.returncode == 0) == (not result["reasons"])
    assert (result["cluster"], result["rate_bps"]) == ("paper-1", 25e6)
    assert [row["message_bytes"] for row in result["ping_pong"]][-1] == 4 << 20
    # Other work on the machine makes it later, never sooner.
    for row in result["ping_pong"]:
        assert row["seconds"] > 0.97 * row["wire_seconds"]
    for row in result["relay"]:
        assert row["seconds"] > 0.97 * row["theory_seconds"]
    assert result["ping_pong"][-1]["seconds"] < 1.2 * result["ping_pong"][-1]["wire_seconds"]


def test_a_rate_beyond_the_machine_is_not_true(trunkline):
    done = trunkline("lab", "check", "paper-1", "--rate", "20Gbit", "--json", "-")
    assert done.returncode == 1
    assert json.loads(done.stdout)["reasons"]
    assert "Not true enough" in done.stderr


def test_a_cluster_without_a_network_to_measure(trunkline, tmp_path):
    alone = tmp_path / "alone.yaml"
    alone.write_text(
        "trunkline: cluster/1\nname: alone\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: s0\n"
        "hosts:\n  - {hosts: x0, switch: s0}\n"
    )
    done = trunkline("lab", "check", str(alone), "--rate", "20Mbit")
    assert done.returncode in (1, 2)
    assert "one host alone has no network to measure" in done.stderr
