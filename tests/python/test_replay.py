"""Replayed times beside the simulated ones that are kept, and the script that counts them."""

import importlib.util
from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.evidence.cells import kept_file

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
    rows = replayed.both(replayed.own_cells(kept_file()))
    errors = [abs(row.by_replay) for row in rows]
    assert len(errors) > 1000
    assert sum(error <= replayed.NEAR for error in errors) >= 0.955 * len(errors)
    assert sum(error <= replayed.FAR for error in errors) >= 0.995 * len(errors)
    assert sum(errors) < sum(abs(row.by_formula) for row in rows)
    assert list(replayed.table(rows[:1]))[-1].startswith("| all | 1 | ")


def test_sizes_of_nothing_are_refused():
    cluster = load_cluster("cyclic")
    placement = _core.block_placement(cluster, 1)
    plan = _core.lay("bcast", "binary", cluster, placement, 0)
    with pytest.raises(ValueError, match="above zero"):
        _core.replayed_seconds(cluster, placement, plan, "bcast", 0, 1)
