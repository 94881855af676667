"""A plan with the hosts of its ranks: laid over a cluster here, or read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from trunkline import __version__, _core
from trunkline.cluster import told_as_bad_input
from trunkline.errors import BadInput
from trunkline.kinds import kind_of
from trunkline.long_links import seats
from trunkline.placement import bounded_placement
from trunkline.registry import find_algorithm
from trunkline.units import format_bytes


class Planned(NamedTuple):
    """A plan with what it is for, and where its ranks sit."""

    file: _core.PlanFile
    placement: list[int]
    """Host index by rank."""
    message_bytes: int | None = None
    """Of the message that it is laid for; None: whatever the size."""

    @property
    def what(self) -> str:
        """Collective and algorithm."""
        return f"{self.file.collective}, {self.file.algorithm}"


def lay_plan(
    network: _core.Cluster,
    collective: str,
    algorithm: str,
    placement: Sequence[int],
    root: int,
    segment: int | None,
    message: int | None = None,
) -> Planned:
    """Lay an algorithm over ranks on a cluster.

    Args:
        network: The cluster.
        collective: Its name.
        algorithm: A name of the registry.
        placement: Host index by rank.
        root: A rank.
        segment: Bytes, for the plan to keep; None: chosen for each message.
        message: Bytes that it is laid for, where its plans depend on the size; None: ``usual_message_bytes``.
    """
    by_size = find_algorithm(collective, algorithm).by_size
    message = _core.usual_message_bytes if message is None else message
    laid = _core.lay(collective, algorithm, network, placement, root, message)
    if kind_of(laid).is_replayed(laid):
        laid.check(collective)
    provenance = f"trunkline plan {__version__}" + (f", for messages of {format_bytes(message)}" if by_size else "")
    made = made_plan(network, collective, algorithm, laid, placement, provenance, segment)
    return made._replace(message_bytes=message) if by_size else made


def made_plan(
    network: _core.Cluster,
    collective: str,
    algorithm: str,
    plan: _core.Plan,
    placement: Sequence[int],
    provenance: str,
    segment: int | None = None,
) -> Planned:
    """A plan with what its file says besides.

    Args:
        network: The cluster.
        collective: Its name.
        algorithm: A name of the registry, or ``custom``.
        plan: Its steps.
        placement: Host index by rank.
        provenance: Who or what made it, one line.
        segment: Bytes, for the plan to keep; None: chosen for each message.
    """
    made = _core.PlanFile()
    made.collective, made.algorithm, made.plan = collective, algorithm, plan
    made.cluster, made.topology_fingerprint = network.name, network.topology_fingerprint
    made.host_of_rank = [network.hosts[host] for host in placement]
    made.provenance, made.segment_bytes = provenance, segment
    return Planned(made, list(placement))


def read_plan_file(file: str) -> _core.PlanFile:
    """A plan of a file.

    Raises:
        BadInput: with everything that is wrong with it.
    """
    with told_as_bad_input():
        return _core.read_plan(file)


def read_plan_set(file: str) -> _core.PlanSet:
    """The plans of a file, or its one plan.

    Raises:
        BadInput: with everything that is wrong with it.
    """
    with told_as_bad_input():
        return _core.read_plans(file)


def read_plan_over(network: _core.Cluster, file: str, placement: Sequence[int]) -> Planned:
    """A plan of a file, whose ranks sit on the hosts that it names.

    Args:
        network: The cluster.
        file: The plan's.
        placement: Host index by rank, where the plan names no hosts; that of its first ranks is taken.

    Raises:
        BadInput: where the file is faulty, or is for another cluster or for more ranks.
    """
    return plan_over(network, read_plan_file(file), Path(file).name, placement)


def plan_for_job(file: str | None, collective: str | None, root: str | None) -> _core.PlanFile | None:
    """Of a file the first plan for that collective, or the first one where none is named; None where no file is.

    Where a root is named as a rank, a plan from there goes first.

    Raises:
        BadInput: where the file is faulty, or has no plan of the collective.
    """
    if file is None:
        return None
    plans = [plan for plan in read_plan_set(file).plans if collective in (None, plan.collective)]
    if not plans:
        raise BadInput(f"{file} has no plan of {collective}")
    from_root = [plan for plan in plans if str(plan.plan.root) == root and plan.collective == plans[0].collective]
    return (from_root or plans)[0]


def placement_for(
    network: _core.Cluster,
    plan: _core.PlanFile | None,
    file: str | None,
    ranks_per_host: int | None,
    *,
    dealt: bool = False,
) -> list[int]:
    """Host index by rank: so many ranks on every host, else those of a plan, else one on every host.

    Args:
        network: The cluster.
        plan: A plan; None: there is none.
        file: Its file, for messages.
        ranks_per_host: As asked for; None: nothing was.
        dealt: Whether hosts go in turn over the sites, as cards are dealt.

    Raises:
        BadInput: where the plan names hosts that the cluster lacks, or does not say where its ranks sit and they are
            not one or more on every host; where hosts are to be dealt and the plan says where they sit, or there are
            no sites.
    """
    if dealt and plan is not None and plan.host_of_rank:
        raise BadInput(f"{file} says where its ranks sit, so --dealt cannot: leave one of them out")
    if dealt:
        return seats(network, ranks_per_host or 1, dealt=True)
    if plan is None or ranks_per_host is not None:
        return bounded_placement(network, ranks_per_host or 1)
    if plan.host_of_rank:
        return [_host(network, host, Path(str(file)).name) for host in plan.host_of_rank]
    each, more = divmod(len(plan.plan), len(network.hosts))
    if more or each == 0:
        raise BadInput(
            f"{file} is for {len(plan.plan)} ranks and names no hosts, and {network.name} has {len(network.hosts)} "
            "hosts: name the plan's hosts in the file"
        )
    return bounded_placement(network, each)


def plan_over(network: _core.Cluster, read: _core.PlanFile, name: str, placement: Sequence[int]) -> Planned:
    """As :func:`read_plan_over`, of a plan that has been read.

    Args:
        network: The cluster.
        read: The plan.
        name: Of its file, for messages.
        placement: As there.

    Raises:
        BadInput: where it is for another cluster or for more ranks.
    """
    if not _core.is_for(read, network):
        raise BadInput(
            f"{name} was laid over cluster {read.cluster} as it was, not over {network.name} as it is now; "
            "name the plan's cluster, or lay it again"
        )
    if read.host_of_rank:
        return Planned(read, [_host(network, host, name) for host in read.host_of_rank])
    ranks = len(read.plan)
    if len(placement) < ranks:
        raise BadInput(
            f"{name} is for {ranks} ranks, and {network.name} has room for {len(placement)} here; "
            "give more with --ranks-per-host"
        )
    return Planned(read, list(placement[:ranks]))


def _host(network: _core.Cluster, host: str, file: str) -> int:
    found = network.find_host(host)
    if found is None:
        raise BadInput(f"{file} has a rank on {host}, which is no host of {network.name}; name the plan's cluster")
    return found
