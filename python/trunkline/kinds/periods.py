"""Rounds of any number of blocks in short: one period of them, from which all others follow."""

from typing import NamedTuple

from trunkline import _core

__all__ = ["Period", "period_of"]


class Period(NamedTuple):
    """What happens in the last period of any message, by round of it.

    In each period before, the same ranks exchange blocks that stand so many in front of these as a period has rounds;
    those in front of the first block do not exist, and in place of those behind the last one that one comes.
    """

    apart: list[int]
    """How many positions further the receiver is."""
    offsets: list[list[int]]
    """By position: the block that is received, counted from the last one of the message. The root's are zero."""

    def transfers(self, blocks: int) -> list[set[tuple[int, int, int]]]:
        """By round: sender and receiver, as positions, and block of every transfer of a message of so many blocks."""
        return [self._round(left, blocks) for left in reversed(range(blocks - 1 + len(self.apart)))]

    def _round(self, left: int, blocks: int) -> set[tuple[int, int, int]]:
        ranks, period = len(self.offsets), len(self.apart)
        before, within = left // period, period - 1 - left % period
        found = set()
        for receiver in range(1, ranks):
            own = self.offsets[receiver]
            block = blocks - 1 + own[within] - before * period
            if block >= 0:
                found.add(((receiver - self.apart[within]) % ranks, receiver, min(block, blocks - 1)))
        return found


def period_of(plan: _core.Plan) -> Period:
    """The period of a plan that takes any number of blocks.

    Raises:
        ValueError: where its rounds do not follow from one period in this way.
    """
    position = {rank: place for place, rank in enumerate(plan.order)}
    ranks, period = len(plan), plan.period
    found = Period([0] * period, [[0] * period for _ in range(ranks)])
    blocks = 4 * period
    middle = plan.list_rounds(blocks).rounds[-2 * period : -period]  # all are sent, none for the last time
    for within, transfers in enumerate(middle):
        for one in transfers:
            sender, receiver = position[one.sender], position[one.receiver]
            found.apart[within] = (receiver - sender) % ranks
            found.offsets[receiver][within] = one.first - (blocks - 1) + period
    for many in {1, period, 3 * period + 1}:
        listed = [
            {
                (position[transfer.sender], position[transfer.receiver], transfer.first)
                for transfer in transfers
                if transfer.count == 1
            }
            for transfers in plan.list_rounds(many).rounds
        ]
        if found.transfers(many) != listed:
            raise ValueError(f"the rounds of {plan.generator} for {many} blocks do not follow from one period")
    return found
