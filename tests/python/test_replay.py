"""Replayed times beside the simulated ones that are kept, and the script that counts them."""

import importlib.util
import json
from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def replayed():
    """The script."""
    spec = importlib.util.spec_from_file_location("replayed", REPOSITORY / "bench" / "replayed.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Cells were chosen before the replay was written, and none of its numbers was fitted to them. Those beyond 30 % are
# lines and trees over long links, whose bursts it does not know, and one tree of many lanes.
def test_replays_come_near_to_what_was_simulated(replayed):
    compared = [replayed.compared(cell) for cell in replayed.read(replayed.EVIDENCE)]
    errors = [abs(one.by_replay) for one in compared]
    assert len(errors) > 1000
    assert sum(error <= replayed.NEAR for error in errors) >= 0.955 * len(errors)
    assert sum(error <= replayed.FAR for error in errors) >= 0.995 * len(errors)
    assert sum(errors) < sum(abs(one.by_formula) for one in compared)


def test_rows_of_a_simulation_are_cells(replayed, tmp_path):
    row = {
        "cluster": "cyclic",
        "rate_bps": 1e9,
        "ranks": 64,
        "hosts": 32,
        "host_costs": "mpich",
        "collective": "bcast",
        "algorithm": "binary:1408",
        "segment_bytes": 1408,
        "message_bytes": 65536,
        "seconds_median": 0.002,
        "gave_up": False,
        "native_algorithm": "",
    }
    left_out = [{**row, "gave_up": True}, {**row, "algorithm": "auto"}, {**row, "native_algorithm": "binomial"}]
    (cell,) = replayed.cells_of([row, *left_out])
    assert (cell["algorithm"], cell["ranks_per_host"], cell["seconds"]) == ("binary", 2, 0.002)
    file = tmp_path / "cells.json"
    replayed.write(file, [cell, cell])
    assert json.loads(file.read_text()) == [cell]
    assert replayed.read(file) == [cell]
    assert list(replayed.table([replayed.compared(cell)]))[-1].startswith("| all | 1 | ")


def test_sizes_of_nothing_are_refused():
    cluster = load_cluster("cyclic")
    placement = _core.block_placement(cluster, 1)
    plan = _core.lay("bcast", "binary", cluster, placement, 0)
    with pytest.raises(ValueError, match="above zero"):
        _core.replayed_seconds(cluster, placement, plan, "bcast", 0, 1)
