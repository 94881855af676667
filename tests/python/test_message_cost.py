"""What a lab says of what messages cost on it, on numbers: no lab."""

from dataclasses import replace

import pytest

from trunkline import _core
from trunkline.lab.message_cost import LONG_BYTES, OF_A_LIBRARY, SHORT_BYTES, MessageCost

GOOD_DAY = MessageCost("paper-4", 20e6, 32, 2, short_s=8e-6, long_s=13e-6, period_s=1.266e-3)


def test_the_setting_is_one_that_ranks_can_read():
    assert _core.host_costs_from(GOOD_DAY.setting) == "mpich"
    assert GOOD_DAY.setting == f"shared={OF_A_LIBRARY * 8:.3g}us,shared-byte={5e3 / (LONG_BYTES - SHORT_BYTES):.3g}ns"


def test_bytes_never_cost_less_than_nothing():
    assert replace(GOOD_DAY, long_s=7e-6).byte_s == 0.0


def test_ranks_that_share_a_processor_are_told():
    assert "16 ranks share a processor" in GOOD_DAY.text(32)
    assert "32 ranks share a processor" in GOOD_DAY.text(64)
    assert GOOD_DAY.setting in GOOD_DAY.text(32)


def test_a_rate_above_what_is_true_is_told_and_no_other():
    assert GOOD_DAY.warning() is None
    slower = replace(GOOD_DAY, long_s=2 * GOOD_DAY.long_s)
    assert slower.true_bps == pytest.approx(GOOD_DAY.true_bps / 2)
    assert "20 Mbit/s is above what is true on this machine now, about 10 Mbit/s" in str(slower.warning())
    # At another rate the same machine allows the same.
    at_10 = replace(slower, rate_bps=10e6, period_s=2 * slower.period_s)
    assert at_10.true_bps == pytest.approx(slower.true_bps)
    assert at_10.warning() is None


def test_predictions_follow_it(trunkline, refused):
    words = (
        "predict",
        "paper-4",
        "--rate",
        "20Mbit",
        "--mpi",
        "mpich",
        "--sizes",
        "64KiB",
        "--algorithms",
        "linear:281",
    )
    own, shared = (
        trunkline(*words, "--host-costs", costs, "--json", "-").data[0]["seconds_predicted"]
        for costs in ("mpich", "mpich,shared=15us")
    )
    assert shared > 1.5 * own
    assert "'shard=4us' says no cost" in refused(*words, "--host-costs", "mpich,shard=4us")
