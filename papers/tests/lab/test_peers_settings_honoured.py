"""A library runs what a setting names: each host sends what that algorithm sends, and not what it sends by itself."""

import pytest
from six_hosts import SIX_HOSTS

from trunkline import _core
from trunkline.lab.session import Lab
from trunkline.mpi import find_mpis
from trunkline.peers.rules.job import PeerJob, sent_bytes
from trunkline_papers.peers.drivers import FAMILIES

pytestmark = pytest.mark.usefixtures("nothing_left")
BYTES = 98304
BY_BLOCKS = [5 / 6] * 6
"""Every host sends five blocks of six."""
DOUBLED = [2.6, 2.6, 1.6, 1.6, 1.6, 1.6]
"""Recursive doubling of six operands: three exchanges of what is needed beyond, and the pairs first."""
SENT = {
    "mpich": {
        "bcast": ("tsp_tree-kary-1", [1, 1, 1, 1, 1, 0]),
        "reduce": ("binomial", [0, 1, 1, 1, 1, 1]),
        "allreduce": ("recursive_doubling", [1, 3, 1, 3, 2, 2]),
        "reduce-scatter": ("recursive_doubling", DOUBLED),
        "reduce-scatter-block": ("recursive_doubling", DOUBLED),
        "allgather": ("tsp_recexch_doubling-2", [1 / 6, 2, 1 / 6, 2, 1 / 2, 1 / 2]),
    },
    "mpich-5.0.2": {
        "bcast": ("tree-kary-1", [1, 1, 1, 1, 1, 0]),
        "reduce": ("binomial", [0, 1, 1, 1, 1, 1]),
        "allreduce": ("ring", [10 / 6] * 6),
        "barrier": ("recexch-2", [1, 3, 1, 3, 2, 2]),
        "reduce-scatter": ("recursive_doubling", DOUBLED),
        "reduce-scatter-block": ("recursive_doubling", DOUBLED),
        "allgather": ("recexch_doubling-2", [1 / 6, 2, 1 / 6, 2, 1 / 2, 1 / 2]),
    },
    "openmpi": {
        "bcast": ("pipeline", [1, 1, 1, 1, 1, 0]),
        "reduce": ("in-order_binary", [1, 1, 1, 1, 1, 1]),
        "allreduce": ("ring", [10 / 6] * 6),
        "barrier": ("bruck", [3] * 6),
        "reduce-scatter": ("ring", BY_BLOCKS),
        "reduce-scatter-block": ("recursive_doubling", DOUBLED),
        "allgather": ("linear", [5, 1 / 6, 1 / 3, 1 / 6, 1 / 3, 1 / 6]),
    },
}
SENT["openmpi-5.0.11"] = SENT["openmpi"]
EMPTY_MESSAGE = 122
"""Bytes of an empty message on the wire with what the network adds, by and large."""


def unlike(sent, expected, unit):
    """How far two lists of what hosts send lie apart, in messages."""
    return max(abs(one / unit - other) for one, other in zip(sent, expected, strict=True))


@pytest.mark.parametrize("name", SENT)
def test_a_setting_is_what_runs(tmp_path, name):
    if name not in find_mpis():
        pytest.skip(f"no {name} here")
    mpi = find_mpis()[name]
    cluster = _core.parse_cluster(SIX_HOSTS, "six.yaml")
    driver = FAMILIES[mpi.family](mpi)
    with Lab(cluster) as lab:
        for collective, (word, expected) in SENT[name].items():
            setting = next(s for s in driver.settings(collective, cluster, tmp_path) if s.name == word)
            job = PeerJob(lab, mpi, collective)
            forced, default = (sent_bytes(job, [BYTES], env)[BYTES] for env in (setting.env, {}))
            unit = BYTES * 1.045
            if collective == "barrier":  # messages are all alike: how much one is on the wire follows from their number
                unit = sum(forced) / sum(expected)
                assert unit < 2 * EMPTY_MESSAGE
            noise = 0.6 if collective == "barrier" else 0.2  # of the network's own, beside messages without data
            assert unlike(forced, expected, unit) < noise, (collective, word, forced)
            assert unlike(default, expected, unit) > noise / 6, (collective, word, default)
