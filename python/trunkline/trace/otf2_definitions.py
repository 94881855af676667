"""What the events of an OTF2 archive refer to: hosts, ranks, regions, communicators, and their names."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.trace.file import UNKNOWN_BYTES, CallKind
from trunkline.trace.folder import Job
from trunkline.trace.otf2_library import UNDEFINED, Archive

# Region roles and numbers of collective operations as OTF2 has them.
_FUNCTION = 1
_BARRIER, _ONE_TO_ALL, _ALL_TO_ONE, _ALL_TO_ALL, _OTHER_COLLECTIVE = 15, 23, 24, 25, 26
_OPERATIONS = {
    "MPI_Barrier": 0,
    "MPI_Bcast": 1,
    "MPI_Gather": 2,
    "MPI_Scatter": 4,
    "MPI_Allgather": 6,
    "MPI_Allgatherv": 7,
    "MPI_Alltoall": 8,
    "MPI_Alltoallv": 9,
    "MPI_Allreduce": 11,
    "MPI_Reduce": 12,
    "MPI_Reduce_scatter": 13,
    "MPI_Scan": 14,
    "MPI_Exscan": 15,
    "MPI_Reduce_scatter_block": 16,
}
_MPI, _PROCESS, _THREAD = 4, 1, 1
_COMM_LOCATIONS, _COMM_GROUP = 4, 5
_WORLD, MESSAGES = 0, 1
"""Communicators: the program's, and that of Trunkline's own messages."""
_NS = 1_000_000_000

EndOfCall = tuple[int, int, int, int, int]
"""Operation, communicator, root, bytes sent, bytes received."""


class Definitions:
    """Collected while events are written, and written when all are known."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._names: dict[str, int] = {"": 0}
        self._regions: dict[tuple[str, str, bool], int] = {}
        self._parts: dict[str, int] = {}
        self._communicators: dict[tuple[int, tuple[int, ...]], int] = {}
        self._rest: list[tuple[Callable[..., int], Sequence[object]]] = []

    def region(self, kind: CallKind) -> int:
        """Of a collective that ran by one algorithm.

        Raises:
            BadInput: where the command, or OTF2, knows no such collective.
        """
        if kind.collective not in _core.collectives():
            raise BadInput(
                f"{self._job.folder}: calls of '{kind.collective}', which this command does not know; "
                "use the command of the release that wrote the trace"
            )
        if _core.facts_of(kind.collective).mpi_name not in _OPERATIONS:
            raise BadInput(f"{self._job.folder}: OTF2 has no operation for calls of '{kind.collective}'; take Perfetto")
        return self._regions.setdefault((kind.collective, kind.algorithm, kind.is_blocking), self._next_region())

    def part(self, name: str) -> int:
        """The region of a part of a call."""
        return self._parts.setdefault(name, self._next_region())

    def _next_region(self) -> int:
        return len(self._regions) + len(self._parts)

    def end_of_call(self, kind: CallKind, rank: int) -> EndOfCall:
        """What OTF2 wants to know of a rank's call; sizes that are not known are 0."""
        communicator, members = self._communicator(kind)
        facts = _core.facts_of(kind.collective)
        root = kind.root if facts.has_root and kind.root >= 0 else UNDEFINED
        is_root = members is not None and root < len(members) and members[root] == rank
        sizes = _sizes(kind, facts, is_root, len(members)) if members else (0, 0)
        return _OPERATIONS[facts.mpi_name], communicator, root, *sizes

    def _communicator(self, kind: CallKind) -> tuple[int, Sequence[int] | None]:
        """Its number, and its members' ranks in MPI_COMM_WORLD where they are known."""
        if kind.plan == 0:
            return (_WORLD, range(self._job.ranks)) if kind.communicator else (UNDEFINED, None)
        if kind.plan not in self._job.plans:
            return UNDEFINED, None
        members = self._job.plans[kind.plan][1]
        known = self._communicators
        return known.setdefault((kind.communicator, tuple(members)), MESSAGES + 1 + len(known)), members

    def write(self, archive: Archive, events: dict[int, int], length: int) -> None:
        """Write all.

        Args:
            archive: Where to.
            events: How many each location has; the location of lane l of a rank is l x ranks + rank.
            length: Of the trace, ns.
        """
        job = self._job
        writer = archive.Archive_GetGlobalDefWriter(archive.handle)
        first = min(job.headers, key=lambda header: header.start_ns + header.clock_offset_ns)
        archive.GlobalDefWriter_WriteClockProperties(writer, _NS, 0, length, max(0, first.wall_ns))
        self._place(archive, events)
        for (collective, algorithm, is_blocking), number in self._regions.items():
            facts = _core.facts_of(collective)
            name, role = facts.mpi_name if is_blocking else facts.nonblocking_name, _role(facts)
            described = (self._name(f"{name} ({algorithm})"), self._name(name), self._name(algorithm))
            self._later(archive.GlobalDefWriter_WriteRegion, number, *described, role, _MPI, 0, UNDEFINED, 0, 0)
        for part, number in self._parts.items():
            described = (self._name(part),) * 2 + (self._name("of a multicast"),)
            self._later(archive.GlobalDefWriter_WriteRegion, number, *described, _FUNCTION, _MPI, 0, UNDEFINED, 0, 0)
        self._group(archive)
        for name, number in self._names.items():
            archive.GlobalDefWriter_WriteString(writer, number, name.encode())
        for function, arguments in self._rest:
            function(writer, *arguments)
        archive.Archive_CloseGlobalDefWriter(archive.handle, writer)

    def _name(self, text: str) -> int:
        return self._names.setdefault(text, len(self._names))

    def _later(self, function: Callable[..., int], *arguments: object) -> None:
        """Once all names are known: they are defined before what has them."""
        self._rest.append((function, arguments))

    def _place(self, archive: Archive, events: dict[int, int]) -> None:
        """The cluster, its hosts, the ranks there, and the lanes of each."""
        job = self._job
        cluster = job.cluster.name if job.cluster is not None else "cluster"
        self._later(
            archive.GlobalDefWriter_WriteSystemTreeNode, 0, self._name(cluster), self._name("machine"), UNDEFINED
        )
        hosts: dict[str, int] = {}
        for rank in range(job.ranks):
            host = job.hosts.get(rank, "unknown host")
            if host not in hosts:
                hosts[host] = len(hosts) + 1
                described = (hosts[host], self._name(host), self._name("node"))
                self._later(archive.GlobalDefWriter_WriteSystemTreeNode, *described, 0)
            name = self._name(f"rank {rank}")
            self._later(archive.GlobalDefWriter_WriteLocationGroup, rank, name, _PROCESS, hosts[host], UNDEFINED)
        for location in sorted(events):
            lane, rank = divmod(location, job.ranks)
            name = self._name(f"rank {rank}" + (f", thread {lane + 1}" if lane else ""))
            self._later(archive.GlobalDefWriter_WriteLocation, location, name, _THREAD, events[location], rank)

    def _group(self, archive: Archive) -> None:
        """Communicators, each with its group of ranks."""
        ranks = range(self._job.ranks)
        self._group_of(archive, 0, "MPI ranks", _COMM_LOCATIONS, ranks)
        named: list[tuple[str, Sequence[int]]] = [("MPI_COMM_WORLD", ranks), ("messages of Trunkline", ranks)]
        named += [(f"communicator {number}", members) for number, members in self._communicators]
        for number, (name, members) in enumerate(named):
            self._group_of(archive, number + 1, name, _COMM_GROUP, members)
            self._later(archive.GlobalDefWriter_WriteComm, number, self._name(name), number + 1, UNDEFINED, 0)

    def _group_of(self, archive: Archive, number: int, name: str, kind: int, members: Sequence[int]) -> None:
        listed = (ctypes.c_uint64 * len(members))(*members)
        described = (number, self._name(name), kind, _MPI, 0, len(members), listed)
        self._later(archive.GlobalDefWriter_WriteGroup, *described)


def _role(facts: _core.CollectiveFacts) -> int:
    """Of a region."""
    if not facts.has_data:
        return _BARRIER
    if facts.makes_prefixes:
        return _OTHER_COLLECTIVE
    if facts.before == _core.Holding.all_at_root:
        return _ONE_TO_ALL
    return _ALL_TO_ONE if facts.after == _core.Holding.all_at_root else _ALL_TO_ALL


def _sizes(kind: CallKind, facts: _core.CollectiveFacts, is_root: bool, ranks: int) -> tuple[int, int]:
    """Bytes that a rank puts into a call, and those that it gets; 0 where ranks' shares differ, and are not known."""
    if kind.bytes == UNKNOWN_BYTES or not facts.has_data:
        return 0, 0
    held = {
        _core.Holding.all: kind.bytes,
        _core.Holding.all_at_root: kind.bytes if is_root else 0,
        _core.Holding.own_block: kind.bytes // ranks if facts.even_shares else 0,
        _core.Holding.own_row: kind.bytes * ranks if facts.even_shares else 0,
        _core.Holding.own_column: kind.bytes * ranks if facts.even_shares else 0,
        _core.Holding.up_to_own: kind.bytes,
        _core.Holding.before_own: kind.bytes,
    }
    has_all_before = is_root and facts.before == _core.Holding.all_at_root and facts.after == _core.Holding.all
    return held[facts.before], 0 if has_all_before else held[facts.after]
