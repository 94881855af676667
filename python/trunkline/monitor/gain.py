"""What calls would gain from plans for the network as it is now, beside plans for the network as it was."""

from collections.abc import Sequence
from dataclasses import dataclass

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.mpi import Mpi
from trunkline.predict import knowledge_of
from trunkline.registry import check_collective
from trunkline.units import format_bytes, parse_bytes


@dataclass(frozen=True)
class Call:
    """A collective of one size, which the job is known to make."""

    collective: str
    message_bytes: int

    def __str__(self) -> str:
        return f"{self.collective} of {format_bytes(self.message_bytes)}"


@dataclass(frozen=True)
class CallGain:
    """Both plans on the network as it is now.

    Attributes:
        old: What runs now, ``native`` or an algorithm.
        old_s: Its predicted time, with the plan that was laid over the network as it was.
        new: What would run.
        new_s: Its predicted time.
    """

    call: Call
    old: str
    old_s: float
    new: str
    new_s: float

    @property
    def ratio(self) -> float:
        """By how much the new plan is faster; 1: it is not."""
        return max(1.0, self.old_s / self.new_s)


def parse_calls(text: str) -> list[Call]:
    """``bcast:8KiB,allreduce:1MiB``.

    Raises:
        BadInput: where one is none.
    """
    calls = []
    for one in text.split(","):
        collective, colon, size = one.strip().partition(":")
        if not colon:
            raise BadInput(f"--calls: '{one}' is no call such as bcast:8KiB")
        message_bytes = parse_bytes(size)
        if message_bytes == 0:
            raise BadInput(f"--calls: {one}: nothing is sent")
        calls.append(Call(check_collective(collective), message_bytes))
    return calls


def gains(
    was: _core.Cluster,
    now: _core.Cluster,
    calls: Sequence[Call],
    placement: Sequence[int],
    mpi: Mpi,
    host_costs: str = "",
    *,
    multicasts: bool = True,
) -> list[CallGain]:
    """Of each call, from rank 0, by the rule of ``auto``.

    Args:
        was: What the job's plans are for.
        now: The same hosts and switches with other rates and latencies.
        calls: What counts.
        placement: Host of each rank.
        mpi: The job's MPI library.
        host_costs: What messages cost hosts, as ``TRUNKLINE_HOST_COSTS`` says it; empty: as measured with that library.
        multicasts: Whether the job's ``auto`` may multicast.
    """
    knowledge = [knowledge_of(one, mpi, host_costs=host_costs, multicasts=multicasts) for one in (was, now)]
    return [_gain(call, (was, now), knowledge, placement) for call in calls]


def _gain(
    call: Call,
    clusters: tuple[_core.Cluster, _core.Cluster],
    knowledge: Sequence[_core.Knowledge],
    placement: Sequence[int],
) -> CallGain:
    of_now = _core.Decider(knowledge[1], call.collective, placement, 0)

    def on_now(cluster: _core.Cluster, decided: _core.Decision) -> float:
        if not decided.segment_bytes:
            predictions = of_now.predictions(call.message_bytes)
            return next(prediction.seconds for prediction in predictions if prediction.algorithm == "native")
        plan = _core.lay(call.collective, decided.algorithm, cluster, placement, 0)
        costs = knowledge[1].costs_of(placement, plan, call.collective)
        return costs.seconds(call.message_bytes, min(decided.segment_bytes, call.message_bytes))

    old = _core.Decider(knowledge[0], call.collective, placement, 0).decide(call.message_bytes)
    new = of_now.decide(call.message_bytes)
    return CallGain(call, old.algorithm, on_now(clusters[0], old), new.algorithm, on_now(clusters[1], new))
