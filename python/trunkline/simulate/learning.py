"""Jobs that find out what is fastest, on networks that nobody has at hand.

SimGrid says what a call of each algorithm takes, times scatter by a stated noise, and the trials are those of a job.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp
from random import Random

from trunkline import _core
from trunkline.bench.learning import CALLS, Learned
from trunkline.errors import BadInput
from trunkline.peers.simulated import simulated_algorithms
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import LeftOut, Row, simulate_all


def simulated_learning(
    job: Job,
    mpi: str,
    batches: int,
    noise: float,
    *,
    wrong: str = "",
    on_progress: Callable[[str], None] = lambda _words: None,
) -> list[Learned]:
    """What a job would lose and gain that makes batches of calls, each size by itself.

    Args:
        job: Collective, sizes and network; what its ranks are told of that decides what is tried.
        mpi: The library's name.
        batches: Of ten calls that learn; as many of native ones.
        noise: Times scatter by that part of them (the deviation of their logarithm), the same each time.
        wrong: What is wrong with what ranks are told.
        on_progress: Called with each algorithm that is simulated.

    Raises:
        BadInput: where it is not known what the library itself runs.
        Failed: where a simulation ends badly.
    """
    knowledge = _core.Knowledge(
        job.told or job.cluster, job.library, "", "", host_costs=job.host_costs, multicasts=False
    )
    decider = _core.Decider(knowledge, job.collective, job.placement, job.root)
    return [_learned(job, size, decider.arms(size), mpi, batches, noise, wrong, on_progress) for size in job.sizes]


def _name(arm: _core.Prediction) -> str:
    """As a job says it."""
    return f"{arm.algorithm}:{arm.segment_bytes}" if arm.segment_bytes else "native"


def _learned(
    job: Job,
    size: int,
    arms: Sequence[_core.Prediction],
    mpi: str,
    batches: int,
    noise: float,
    wrong: str,
    on_progress: Callable[[str], None],
) -> Learned:
    names = [_name(arm) for arm in arms]
    rows: dict[str, Row] = {}
    for name in dict.fromkeys(["native", *names]):
        on_progress(f"{name}, {size} B")
        rows[name] = _simulated(replace(job, sizes=[size]), name)
    random = Random(size)  # the same each time
    calls = CALLS * batches

    def scattered(name: str) -> list[float]:
        return [rows[name].seconds_median * exp(noise * random.gauss(0.0, 1.0)) for _ in range(calls)]

    seconds = [scattered(name) for name in names]
    found = _core.rehearse(list(arms), seconds)
    ours = [seconds[arm][call] for call, arm in enumerate(found.ran)]
    first = rows["native"]
    return Learned(
        cluster=job.cluster.name,
        rate_bps=first.rate_bps,
        mpi=mpi,
        ranks=len(job.placement),
        collective=job.collective,
        message_bytes=size,
        wrong=wrong,
        first=names[0],
        runs=names[found.runs],
        settled_after=found.settled_after if found.settled_after and len(arms) > 1 else None,
        ours_ms=_batches(ours),
        native_ms=_batches(scattered("native")),
        by=f"{first.mpi} {first.mpi_version}",
        noise=noise or None,
    )


def _batches(seconds: Sequence[float]) -> list[float]:
    """Milliseconds of a call, on average."""
    return [1e3 * sum(seconds[at : at + CALLS]) / CALLS for at in range(0, len(seconds), CALLS)]


def _simulated(job: Job, name: str) -> Row:
    left_out: list[LeftOut] = []
    rows = simulate_all(job, simulated_algorithms(job.collective, [name], job.library), on_left_out=left_out.append)
    if not rows:
        raise BadInput(f"--simulate: {left_out[0].why}, so its native calls cannot be simulated; take another size")
    return rows[0]
