"""What `bench learn` tells a job wrongly, and what it makes of a job's figures."""

import pytest

from trunkline import _core
from trunkline.bench.learning import Learned, wrong_text
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput


def text_of(name):
    return _core.write_cluster(load_cluster(name))


@pytest.mark.parametrize("name", ["paper-4", "cyclic", "four-site"])
def test_swapped_switches_change_places_among_the_links(name):
    right, wrong = text_of(name), wrong_text(text_of(name), "swapped")
    assert right != wrong
    assert _core.parse_cluster(wrong, "").fingerprint != _core.parse_cluster(right, "").fingerprint
    assert wrong_text(wrong, "swapped") == right
    assert right.partition("\nlinks:\n")[0] == wrong.partition("\nlinks:\n")[0]


def test_swapping_needs_three_switches():
    with pytest.raises(BadInput, match="three switches"):
        wrong_text(text_of("two-site"), "swapped")


def test_links_are_said_to_be_ten_times_as_fast():
    network = _core.parse_cluster(wrong_text(text_of("four-site"), "tenfold"), "")
    right = load_cluster("four-site")
    assert [link.rate_bps for link in network.links] == [10 * link.rate_bps for link in right.links]


def test_figures_of_a_job():
    ours, native = [4.0, 3.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0], [2.0] * 8
    job = Learned("c", 1e7, "mpich", 4, "bcast", 8, "", "a:1", "b:2", 40, ours, native)
    assert job.settled_ms == 1.0
    assert job.over_native == 0.5
    assert job.lost_ms == pytest.approx(10 * (15 - 16))
    assert job.as_json()["over_native"] == 0.5
