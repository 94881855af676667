"""What a run of ``trunkline_papers bench multicast`` is about, and what of it is still to be measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

from trunkline import _core
from trunkline.bench.job import Limits
from trunkline.cluster import fingerprint_text
from trunkline.lab.impairments import Impairments
from trunkline_papers.peers.driver import Driver
from trunkline_papers.peers.multicast.cells import Key, MulticastCell, MulticastResults
from trunkline_papers.peers.transfer_driver import TransferDriver

__all__ = ["COLLECTIVE", "PAPER_SIZES", "Job", "Loss", "Study", "first_hosts", "jobs"]

COLLECTIVE = "bcast"
PAPER_SIZES = (8, 100, 1000, 60_000, 1_000_000, 10_000_000)
"""Bytes of the paper's messages; the longest one for its own broadcast alone."""


@dataclass(frozen=True)
class Loss:
    """Of frames, on every link in each direction.

    Attributes:
        text: ``1%``; ``0`` for none.
    """

    text: str

    @property
    def share(self) -> float:
        """0 to 1."""
        return float(self.text.removesuffix("%")) / 100

    @property
    def impairments(self) -> Impairments:
        """For a lab."""
        return Impairments({} if self.text == "0" else {"loss": [self.text]})


@dataclass(frozen=True)
class Study:
    """What is compared.

    Attributes:
        cluster: The hosts that take part are its first ones.
        rate_bps: Of its fastest link, whatever the number of receivers.
        receivers: Numbers of them.
        algorithms: Under MPI libraries that Trunkline can be preloaded into, ``native`` among them.
        limits: Of each cell.
    """

    cluster: _core.Cluster
    rate_bps: float
    receivers: Sequence[int]
    losses: Sequence[Loss]
    drivers: Sequence[Driver]
    algorithms: Sequence[str]
    sizes: Sequence[int]
    limits: Limits

    def algorithms_of(self, driver: Driver) -> list[str]:
        """What is timed under a peer."""
        if isinstance(driver, TransferDriver):
            return list(driver.transfer.ways)
        return list(self.algorithms) if driver.preloads else ["native"]

    def asked_for(self, results: MulticastResults) -> list[MulticastCell]:
        """The measured cells that this study is about; a file may hold others."""
        keys = {
            _key(self.network(receivers), receivers, loss, driver, name, size)
            for loss in self.losses
            for receivers in self.receivers
            for driver in self.drivers
            for name in self.algorithms_of(driver)
            for size in self.sizes
        }
        order = [driver.name for driver in self.drivers]
        found = [cell for cell in results.cells if cell.key in keys]
        return sorted(found, key=lambda cell: (cell.loss_share, cell.receivers, order.index(cell.mpi)))

    def network(self, receivers: int) -> _core.Cluster:
        """The root's host and so many others, without loss."""
        return first_hosts(_core.scaled(self.cluster, self.rate_bps), receivers + 1)


@dataclass(frozen=True)
class Job:
    """One peer's program, for some receivers at some loss: the sizes that are missing, and how many cells they are."""

    loss: Loss
    receivers: int
    driver: Driver
    sizes: Sequence[int]
    cells: int


def jobs(study: Study, results: MulticastResults) -> Iterator[Job]:
    """What is still to be done: all peers of a network, then the next number of receivers, then the next loss."""
    for loss in study.losses:
        for receivers in study.receivers:
            network = study.network(receivers)
            for driver in study.drivers:
                names = study.algorithms_of(driver)
                missing = [
                    size
                    for size in study.sizes
                    if any(_key(network, receivers, loss, driver, name, size) not in results for name in names)
                ]
                if missing:
                    yield Job(loss, receivers, driver, missing, len(missing) * len(names))


def _key(network: _core.Cluster, receivers: int, loss: Loss, driver: Driver, algorithm: str, size: int) -> Key:
    rate = max(link.most_bps for link in network.links)
    where = network.name, fingerprint_text(network), rate, receivers, loss.text
    return *where, driver.name, COLLECTIVE, algorithm, size


def first_hosts(cluster: _core.Cluster, count: int) -> _core.Cluster:
    """The same network with its first hosts alone: multicast would reach the others too, and cost this machine time.

    Switches that lead to no host any more go as well.
    """
    network = yaml.safe_load(_core.write_cluster(cluster))
    rest = [
        {key: value for key, value in entry.items() if key not in ("hosts", "switches", "deal")}
        for entry in network["hosts"]
        for _ in _names(entry["hosts"])
    ]
    network["hosts"] = [
        rest[host] | {"hosts": name, "switch": cluster.switch_of(host)}
        for host, name in enumerate(cluster.hosts[:count])
    ]
    used = {entry["switch"] for entry in network["hosts"]}
    links = network.get("links", [])
    stated = network["switches"]
    settings = {} if isinstance(stated, str) else {name: one for one in stated for name in _names(one.pop("switches"))}
    switches = _names(stated) if isinstance(stated, str) else list(settings)
    while ends := [name for name in switches if name not in used and _degree(name, links) <= 1]:
        switches = [name for name in switches if name not in ends]
        links = [link for link in links if not set(ends) & set(link["between"])]
    network["switches"] = [{"switches": name, **settings[name]} for name in switches] if settings else switches
    network["links"] = links
    return _core.parse_cluster(yaml.safe_dump(network, sort_keys=False), cluster.name)


def _names(entry: str | list[str]) -> list[str]:
    parts = [entry] if isinstance(entry, str) else entry
    return [name for part in parts for name in _core.expand_hostlist(part)]


def _degree(switch: str, links: Sequence[dict[str, list[str]]]) -> int:
    return sum(switch in link["between"] for link in links)
