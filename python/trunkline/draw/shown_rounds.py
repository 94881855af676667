"""What a picture of rounds shows: the first rounds of a plan, and what each transfer of them loads."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from trunkline import _core
from trunkline.compat import zip_equal


class Arrival(NamedTuple):
    """Blocks that reach a rank."""

    transfer: _core.Transfer
    sharing: int
    """Transfers of the round on the busiest channel of its path; 0: it stays on its host."""
    contended: bool
    """Whether a channel of its path has no room for them all."""
    between: bool
    """Whether it goes from switch to switch."""


class ShownRound(NamedTuple):
    """One round."""

    arrivals: dict[int, Arrival]
    """By the rank that receives."""
    most: int
    """Transfers on the busiest channel."""
    contended: bool
    """Whether a channel carries more than it has room for."""


def blocks_shown(plan: _core.Plan) -> int:
    """Blocks that the rounds are shown for: those of the plan or, where it takes any number, two periods of rounds."""
    return plan.blocks or plan.period + 1


def blocks_text(transfer: _core.Transfer) -> str:
    """Which blocks go: ``7``, ``4-7``; ``+7`` are added to what the receiver has, ``=7`` take its place.

    Of several rows ``4x2-3/16``: four rows, 16 blocks from one to the next. ``(7)`` is a word, which lets the receiver
    send block 7.
    """
    if not transfer.count:
        return f"({transfer.first})"
    last = f"-{transfer.first + transfer.count - 1}" if transfer.count > 1 else ""
    rows, apart = (f"{transfer.rows}x", f"/{transfer.stride}") if transfer.rows > 1 else ("", "")
    return f"{'+' if transfer.reduces else '=' if transfer.replaces else ''}{rows}{transfer.first}{last}{apart}"


def transfer_in_words(transfer: _core.Transfer) -> str:
    """For people: ``block 7``, ``word for block 7``."""
    if not transfer.count:
        return f"word for block {transfer.first}"
    return f"block{'s' * (transfer.count * transfer.rows > 1)} {blocks_text(transfer)}"


def shown_rounds(
    cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan, most_rounds: int
) -> list[ShownRound]:
    """The first rounds of a plan of rounds.

    Args:
        cluster: What it is laid over.
        placement: Host index by rank.
        plan: It.
        most_rounds: How many, at most.
    """
    names, capacities = cluster.hosts, _core.capacities_of(cluster, placement)

    @cache
    def path(sender: int, receiver: int) -> list[int]:
        return cluster.path(names[sender], names[receiver])

    rounds = []
    for transfers in plan.list_rounds(blocks_shown(plan), most_rounds).rounds:
        paths = [path(placement[transfer.sender], placement[transfer.receiver]) for transfer in transfers]
        data = (way for one, way in zip_equal(transfers, paths) if one.count)  # words take no room
        loads = Counter(channel for way in data for channel in way)
        crowded = {channel for channel, load in loads.items() if load > capacities[channel // 2]}
        arrivals = {
            one.receiver: Arrival(
                one,
                max((loads[channel] for channel in way), default=0),
                not crowded.isdisjoint(way),
                len(way) > 2,
            )
            for one, way in zip_equal(transfers, paths)
        }
        rounds.append(ShownRound(arrivals, max(loads.values(), default=0), bool(crowded)))
    return rounds
