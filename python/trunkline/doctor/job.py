"""What a job really has, and whether Trunkline pays there: hosts, preload, rates, and one collective at a few sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from trunkline import _core
from trunkline.bench.job import PING_PONG, Outcome, Repetition, follow, program
from trunkline.bench.own_job import Multicast, OwnJob, Seat
from trunkline.mpi import Mpi
from trunkline.predict import decide_all, knowledge_of
from trunkline.statistics import NOISY, Median, median_with_interval
from trunkline.units import format_bytes, format_rate

MULTICAST_HOSTS = 3
"""With fewer a multicast brings nothing."""

TRUE_WITHIN = 0.25
"""Part of a stated rate that a measured one may be off by: headers and acknowledgements take some of it."""


@dataclass
class Examination:
    """All that a job was seen to have, and what is wrong with it."""

    mpi: Mpi
    collective: str
    cluster: _core.Cluster | None
    seats: list[Seat] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)
    multicast: Multicast | None = None
    """None: the ranks cannot multicast."""

    def sizes(self) -> list[int]:
        """Bytes, ascending."""
        return sorted({size for size, _ in self.outcome.seconds})

    def median(self, size: int, algorithm: str) -> Median:
        """Of ``native``, ``auto`` or the ping-pong."""
        return median_with_interval(self.outcome.seconds[size, algorithm])

    def ran(self, size: int) -> str:
        """What ``auto`` was at that size."""
        algorithm, segment = self.outcome.ran[size, "auto"]
        return f"{algorithm}, {segment} B" if segment else "native"

    def stated_bps(self, seat: Seat) -> float | None:
        """The cluster file's rate between a rank and the next one; None where it says none: one host, or none known."""
        following = next((other for other in self.seats if other.rank == seat.rank + 1), None)
        if self.cluster is None or following is None:
            return None
        ends = [self.cluster.find_host(one.host) for one in (seat, following)]
        if None in ends or ends[0] == ends[1]:
            return None
        names = [self.cluster.hosts[int(index or 0)] for index in ends]
        return min(self.cluster.channel_bps(channel) for channel in self.cluster.path(*names))

    def rates(self) -> dict[tuple[float, float], list[Seat]]:
        """By stated and measured rate, the latter within a quarter: ranks, each with the path to the next one."""
        groups: dict[tuple[float, float], list[Seat]] = {}
        for seat in self.seats:
            stated = self.stated_bps(seat)
            if stated is None or seat.rate_to_next_bps <= 0:
                continue
            near = next((k for k in groups if k[0] == stated and 0.8 < seat.rate_to_next_bps / k[1] < 1.25), None)
            groups.setdefault(near or (stated, float(f"{seat.rate_to_next_bps:.3g}")), []).append(seat)
        return groups

    def complaints(self) -> list[str]:
        """What is wrong, each with what to do; empty: nothing."""
        said = []
        bare = [seat for seat in self.seats if not seat.preload]
        if len(bare) == len(self.seats):
            said.append(
                "no rank has the preload library: start the job with 'trunkline run --cluster FILE -- ...', or set "
                "LD_PRELOAD=$(trunkline library --mpi NAME) for the ranks"
            )
        elif bare:
            said.append(
                f"{_ranks(bare)} without the preload library, so all run natively: have the launcher hand LD_PRELOAD "
                "on to all ranks"
            )
        if self.cluster is None:
            said.append(
                "no cluster is set, so Trunkline changes nothing: describe the switches in a file "
                "(docs/cluster-files.md, 'trunkline cluster import') and set TRUNKLINE_CLUSTER"
            )
        else:
            strange = [seat for seat in self.seats if self.cluster.find_host(seat.host) is None]
            if strange:
                said.append(
                    f"cluster {self.cluster.name} has no host {', '.join(sorted({seat.host for seat in strange}))} "
                    f"({_ranks(strange)}): add it to the file, or say which host it is with TRUNKLINE_HOST"
                )
        for (stated, measured), seats in self.rates().items():
            if abs(measured / stated - 1) > TRUE_WITHIN:
                said.append(
                    f"{format_rate(measured)} were measured where the cluster file says {format_rate(stated)}: from "
                    f"{_ranks(seats)} to the next one each; correct the file's rates, or look at the links"
                )
        if noisy := self.noisy():
            text = ", ".join(f"{format_bytes(size)} ({100 * width:.0f} % wide)" for size, width in noisy.items())
            said.append(
                "too noisy to tell native and Trunkline apart, by the 95 % intervals of their medians: "
                f"{text}; repeat with more --budget, or on nodes without other jobs"
            )
        interfaces = Counter(seat.interface for seat in self.seats if seat.interface not in ("", "lo"))
        if len(interfaces) > 1:
            text = ", ".join(f"{name} on {count}" for name, count in interfaces.most_common())
            said.append(f"the traffic goes over different interfaces ({text} ranks): tell the MPI library which to use")
        return said + self._multicast_complaints()

    def _multicast_complaints(self) -> list[str]:
        seen = self.multicast
        hosts = {seat.host for seat in self.seats}
        if seen is None or len(hosts) < MULTICAST_HOSTS:
            return []
        if not seen.works:
            return [
                f"multicast does not work between these nodes ({seen.words}), so broadcasts go without it: let the "
                "switches and firewalls pass UDP to 239.255.0.0/16, and one switch be an IGMP querier; or say "
                "TRUNKLINE_MULTICAST=broadcast where no other hosts would be woken, or TRUNKLINE_MULTICAST=0"
            ]
        said = []
        if "no message is eager" in seen.words:
            said.append(f"short multicasts wait for all ranks: {seen.words}")
        if seen.repaired:
            said.append(
                f"of {seen.calls} multicasts of a byte, {seen.repaired} were missed on a rank and repaired: datagrams "
                "get lost, or do not reach all nodes from all others; look at the switches' counters"
            )
        return said

    def noisy(self) -> dict[int, float]:
        """Sizes whose times scatter too much to tell which is faster: the wider interval, as a part of its median."""
        pairs = {size: (self.median(size, "native"), self.median(size, "auto")) for size in self._accelerated()}
        widest = {size: max(one.width for one in pair) for size, pair in pairs.items()}
        return {size: widest[size] for size, (a, b) in pairs.items() if a.may_equal(b) and widest[size] > NOISY}

    def _accelerated(self) -> list[int]:
        return [size for size in self.sizes() if self.outcome.ran[size, "auto"][1] > 0]

    def verdict(self) -> str:
        """Whether it pays, in one sentence."""
        gains = {size: self.median(size, "native").value / self.median(size, "auto").value for size in self.sizes()}
        run = self._accelerated()
        if run and set(run) == set(self.noisy()):
            return "These nodes are too noisy to say whether Trunkline pays; it follows the model."
        run = [size for size in run if size not in self.noisy()]
        if not run:
            return "Trunkline leaves all of these sizes to the MPI library here."
        best = max(run, key=lambda size: gains[size])
        if gains[best] < 1.05:
            return "Trunkline is no faster than the MPI library here; it may be left out."
        return f"Trunkline pays here: up to {gains[best]:.1f} times faster than the MPI library alone."

    def _placement(self) -> list[int] | None:
        """The host of each rank; None: the cluster is not known, or has not all of them."""
        if self.cluster is None:
            return None
        hosts = [self.cluster.find_host(seat.host) for seat in sorted(self.seats, key=lambda one: one.rank)]
        known = [host for host in hosts if host is not None]
        return known if len(known) == len(hosts) and len(set(known)) > 1 else None

    def why_less(self) -> list[str]:
        """Why a program may gain less than the table shows, and what runs natively why."""
        said = []
        placement = self._placement()
        if self.cluster is not None and placement is not None:
            knowledge = knowledge_of(self.cluster, self.mpi)
            for one in decide_all(self.collective, knowledge, placement, 0, self.sizes()):
                size = format_bytes(one.message_bytes)
                if self.outcome.ran[one.message_bytes, "auto"][1] == 0:
                    reason = one.reason if one.segment_bytes == 0 else "TRUNKLINE_EXPLAIN=1 in the job says why"
                    said.append(f"{size} runs as the MPI library has it: {reason}")
                elif (
                    one.instead is not None
                    and one.instead.calls
                    and self.ran(one.message_bytes).startswith("multicast")
                ):
                    calls = "call" if one.instead.calls == 1 else f"{one.instead.calls} calls"
                    said.append(
                        f"{size} is multicast after the first {calls} on a communicator; before: {one.instead.ran}"
                    )
        return [
            *said,
            "the table has medians of later calls: the first one on a communicator lays a plan and opens connections, "
            "so a program that makes few calls on each gains less",
            "the table's ranks begin together: where a program's ranks come late, others wait, and no plan helps; "
            "TRUNKLINE_TRACE=FOLDER, then 'trunkline trace analyse FOLDER', tells waiting from the network",
            "of collectives that do not block (MPI_Ibcast) the first ones on a communicator are native, before one "
            f"that blocks, and under {self.mpi.name} {self.mpi.leaves_native}",
            _core.planned_words(),
        ]

    def as_json(self) -> dict[str, object]:
        """One object with everything."""
        return {
            "mpi": self.mpi.name,
            "mpi_version": self.mpi.version,
            "collective": self.collective,
            "cluster": self.cluster.name if self.cluster else None,
            "ranks": [vars(seat) | {"stated_rate_to_next_bps": self.stated_bps(seat)} for seat in self.seats],
            "sizes": [
                {
                    "message_bytes": size,
                    "native_seconds": self.median(size, "native").value,
                    "auto_seconds": self.median(size, "auto").value,
                    "limit_seconds": self.median(size, PING_PONG).value,
                    "auto_ran": self.ran(size),
                }
                for size in self.sizes()
            ],
            "multicast": vars(self.multicast) if self.multicast else None,
            "complaints": self.complaints(),
            "why_less": self.why_less(),
            "verdict": self.verdict(),
        }


def _ranks(seats: Sequence[Seat]) -> str:
    text = _core.compress_hostlist([f"rank{seat.rank}" for seat in seats]).replace("rank[", "ranks [")
    return text.replace("rank", "rank ", 1) if len(seats) == 1 else text


def doctor_words(mpi: Mpi, collective: str, sizes: Sequence[int], budget_s: float) -> list[str]:
    """The command that all ranks run: a survey, then native and ``auto`` by turns."""
    return [
        program(mpi),
        *("--survey", "yes", "--clocks", "own", "--collective", collective),
        *("--sizes", ",".join(map(str, sizes)), "--algorithms", "native,auto"),
        *("--least", "3", "--most", "40", "--budget", str(budget_s), "--width", "0.05"),
    ]


def examine(
    mpi: Mpi,
    collective: str,
    cluster: _core.Cluster | None,
    words: Sequence[str],
    on_progress: Callable[[Repetition], None] = lambda _: None,
) -> Examination:
    """Run rank 0's part of the command, and take down what it says.

    Raises:
        Failed: where the job does not end well.
    """
    with OwnJob(words) as job:
        outcome = follow(job.process, mpi.name, on_progress, job.take)
    return Examination(mpi, collective, cluster, job.seats, outcome, job.multicast)
