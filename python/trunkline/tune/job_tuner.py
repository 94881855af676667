"""Tuning on a job's own nodes: what is worth trying is measured size by size, until the time is up."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from trunkline import _core
from trunkline.bench.job import Outcome, Repetition, keep, program
from trunkline.bench.own_job import OwnJob
from trunkline.compat import pairwise
from trunkline.errors import BadInput, Failed
from trunkline.mpi import Mpi
from trunkline.statistics import NOISY, Median, median_with_interval
from trunkline.tune.candidates import Candidate, Candidates
from trunkline.tune.tuner import NATIVE_UNLESS, Winner, in_one_piece

LEAST = 3
"""Repetitions of a candidate before it may be dropped, and before a size counts."""


def tuner_words(mpi: Mpi, collective: str) -> list[str]:
    """The command that all ranks run: a survey, then whatever rank 0 is told on its standard input."""
    return [
        program(mpi),
        *("--survey", "yes", "--ask", "yes", "--clocks", "own", "--collective", collective),
        *("--least", str(LEAST), "--most", "40", "--width", "0.03", "--race", "1.25"),
    ]


class JobTuner:
    """Rank 0's part of the tuning: use in a ``with`` block of its :class:`OwnJob`.

    Attributes:
        placement: The host of each rank.
        rates: What hosts carry to the next rank's host.
        ranks_per_host: The same on each host that is used; 0: it is not.
        ranks_by_host: Then those of each host, in the order of their first ranks; else empty.
    """

    def __init__(
        self, job: OwnJob, mpi: Mpi, collective: str, cluster: _core.Cluster, knowledge: _core.Knowledge
    ) -> None:
        """Wait for the survey, and lay what may be worth trying.

        Raises:
            BadInput: where a host is not in the cluster, or a rank has not loaded the preload library.
            Failed: where the job ends.
        """
        self._job = job
        self._mpi = mpi
        self._outcome = Outcome()
        self._said: list[str] = []
        ranks = -1
        while len(job.seats) != ranks:
            event = self._next()
            if "ranks" in event:
                ranks = int(str(event["ranks"]))
            else:
                job.take(event)
        bare = [str(seat.rank) for seat in job.seats if not seat.preload]
        if bare:
            raise BadInput(f"ranks {', '.join(bare)} have not loaded the preload library: 'trunkline doctor' says more")
        self.placement = [_index(cluster, seat.host) for seat in job.seats]
        self.rates = [
            _core.TunedRate(cluster.hosts[one], cluster.hosts[following], float(f"{seat.rate_to_next_bps:.3g}"))
            for (one, following), seat in zip(pairwise(self.placement), job.seats)
            if one != following and seat.rate_to_next_bps > 0
        ]
        counts = list(Counter(self.placement).values())  # in the order of their first ranks
        is_even = len(set(counts)) == 1
        self.ranks_per_host = counts[0] if is_even else 0
        self.ranks_by_host = [] if is_even else counts
        self._candidates = Candidates(collective, cluster, knowledge, self.placement)
        self._decider = _core.Decider(knowledge, collective, self.placement, 0)

    def winners(
        self, sizes: Sequence[int], seconds: float, on_progress: Callable[[Repetition], None] = lambda _: None
    ) -> Iterator[Winner]:
        """Sizes in an order in which those measured so far lie apart from each other; none begins after the time."""
        end = time.monotonic() + seconds
        order = spread_out(sizes)
        for number, size in enumerate(order):
            left = end - time.monotonic()
            if left <= 0:
                return
            candidates = self._candidates.of_size(size)
            yield self._winner(size, candidates, left / (len(order) - number) / (len(candidates) + 2), on_progress)

    def _winner(
        self, size: int, candidates: Sequence[Candidate], budget_s: float, on_progress: Callable[[Repetition], None]
    ) -> Winner:
        names = ["native", *(candidate.choice() for candidate in candidates)]
        assert self._job.process.stdin is not None
        self._job.process.stdin.write(f"{size} {budget_s:.3f} {' '.join(names)}\n")
        self._job.process.stdin.flush()
        while "measured" not in (event := self._next()):
            if not self._job.take(event):
                keep(self._outcome, self._mpi.name, event, on_progress)
        predicted = names if self._decider.decide(size).algorithm == "native" else [*names[1:], "native"]
        medians = {name: median_with_interval(self._outcome.seconds[size, name]) for name in predicted}
        best, noise = fastest_or_predicted(medians)
        algorithm, segment = self._outcome.ran[size, best]
        seconds, native = medians[best].value, medians["native"].value
        return Winner(size, algorithm, in_one_piece(size, segment), seconds, native, len(names), noise=noise)

    def _next(self) -> dict[str, object]:
        assert self._job.process.stdout is not None
        for line in self._job.process.stdout:
            if line.startswith("{"):
                event: dict[str, object] = json.loads(line)
                return event
            self._said.append(line)
        raise Failed(f"the job ended under {self._mpi.name}:\n{''.join(self._said).strip()}")


def fastest_or_predicted(medians: Mapping[str, Median]) -> tuple[str, float | None]:
    """The fastest by its times; where those scatter too much to tell, what the model would take of those it may be.

    Args:
        medians: Seconds by name, ``native`` among them, in the order in which the model would take them.

    Returns:
        The name; and where the model decided, the widest interval of those that may be the fastest, as a part of its
        median.
    """
    fastest = min(medians, key=lambda name: medians[name].value)
    rivals = [name for name in medians if medians[name].may_equal(medians[fastest])]
    widest = max(medians[name].width for name in rivals)
    if len(rivals) > 1 and widest > NOISY:
        return rivals[0], widest
    return ("native" if medians[fastest].value * NATIVE_UNLESS > medians["native"].value else fastest), None


def spread_out(sizes: Sequence[int]) -> list[int]:
    """The middle one first, then the middle of each half, and so on: whatever is left out has neighbours."""
    rows = [sorted(set(sizes))]
    order = []
    while rows:
        row = rows.pop(0)
        if row:
            middle = len(row) // 2
            order.append(row[middle])
            rows += [row[:middle], row[middle + 1 :]]
    return order


def _index(cluster: _core.Cluster, host: str) -> int:
    index = cluster.find_host(host)
    if index is None:
        raise BadInput(f"cluster {cluster.name} has no host '{host}': add it there, or set TRUNKLINE_HOST on its ranks")
    return index
