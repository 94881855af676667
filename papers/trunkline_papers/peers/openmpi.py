"""Open MPI: every algorithm of coll/tuned and coll/adapt with its segment sizes, chains and radices."""

from collections.abc import Iterator
from pathlib import Path

from trunkline import _core
from trunkline.peers.algorithms import own_algorithms
from trunkline.peers.openmpi_algorithms import OPENMPI
from trunkline_papers.peers.driver import DEFAULT, LARGEST, PreloadDriver, Setting, setting_of

__all__ = ["OpenMpiDriver"]

SEGMENTS = (2832, 8192, 1024, 4096, 16384, 65536)
"""Bytes, likely winners first; 2832 fills two frames beside its header."""
ORDER = (*SEGMENTS[:2], 0, *SEGMENTS[2:])
"""In which settings are tried: those in one piece, with 0, after the best of the others."""
CHAINS = (2, 8)
"""Numbers of chains beside its default, 4; one chain is the pipeline."""
RADICES = (3, 8)
"""Of the K-nomial tree, beside its default, 4."""
ADAPT = {"pipeline": 4, "binary": 3, "chain": 5, "in_order_binomial": 2}
"""Trees of coll/adapt by its numbers."""


class OpenMpiDriver(PreloadDriver):
    """Debian's Open MPI and current ones."""

    def settings(self, collective: str, cluster: _core.Cluster, folder: Path) -> list[Setting]:
        """See :meth:`trunkline_papers.peers.driver.Driver.settings`."""
        del folder
        ranks = len(cluster.hosts)
        every = [setting_of(one, {}) for one in own_algorithms(self.mpi, collective, LARGEST, ranks, SEGMENTS)]
        if collective == "bcast":  # what tune does not try
            every += [*_radices(), *_segmented("binomial"), *_segmented("knomial")]
        if collective in ("bcast", "reduce"):
            every += [*_more_chains(collective), *_adapt(collective)]
        return [DEFAULT, *sorted(every, key=lambda one: ORDER.index(max(0, one.least_bytes - 1)))]


def _tuned(collective: str, name: str, algorithm: str, segment: int, **more: int) -> Setting:
    parameters = {
        "algorithm": OPENMPI[collective].index(algorithm),
        "algorithm_segmentsize": segment,
        **more,
    }
    env = {"OMPI_MCA_coll": "^han", "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
    env |= {f"OMPI_MCA_coll_tuned_{collective}_{key}": str(value) for key, value in parameters.items()}
    return Setting(f"{name}:{segment}" if segment else name, env, segment + 1 if segment else 0)


def _radices() -> Iterator[Setting]:
    for radix in RADICES:
        for segment in (0, *SEGMENTS):
            yield _tuned("bcast", f"knomial-{radix}", "knomial", segment, algorithm_knomial_radix=radix)


def _more_chains(collective: str) -> Iterator[Setting]:
    for chains in CHAINS:
        for segment in SEGMENTS:
            yield _tuned(collective, f"chain-{chains}", "chain", segment, algorithm_chain_fanout=chains)


def _segmented(name: str) -> Iterator[Setting]:
    """What ``tune`` tries in one piece alone."""
    for segment in SEGMENTS:
        yield _tuned("bcast", name, name, segment)


def _adapt(collective: str) -> Iterator[Setting]:
    for name, number in ADAPT.items():
        for segment in SEGMENTS:
            env = {"priority": 90, f"{collective}_algorithm": number, f"{collective}_segment_size": segment}
            variables = {f"OMPI_MCA_coll_adapt_{key}": str(value) for key, value in env.items()}
            yield Setting(f"adapt-{name}:{segment}", variables, segment + 1)
