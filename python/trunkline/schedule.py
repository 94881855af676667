"""What a plan does, said once: for each rank its steps, over slices of the message, with what each one waits for."""

from __future__ import annotations

from enum import IntFlag
from typing import NamedTuple


class Does(IntFlag):
    """What a step does; none of these: it sends what has come together at its slice."""

    receive = 1
    aside = 2
    """What arrives is copied to its place once the step's wait is over: the place is still in use before."""
    combine = 4
    """What arrives is combined with what is at its place, once the step's wait is over."""
    own = 8
    """Nothing of the slice has arrived before: the rank's own operand is all there is."""
    mine_first = 16
    """The rank's operand stands before the one that arrives, as on the other rank that combines the same two."""
    theirs_first = 32
    take = 64
    """Of a rank's first step: before it, the rank copies its operand to where operands are combined."""


class Step(NamedTuple):
    """A message that a rank sends or receives, ``times`` times, each time ``stride`` blocks further."""

    queue: int
    """Steps of one queue go one after the other, in order; queues go beside each other."""
    does: Does
    peer: int
    stream: int
    """Messages of different streams between the same two ranks never take each other's place."""
    first: int
    blocks: int
    times: int
    """0: as often as the message has blocks for it, by turns with the other streams."""
    stride: int
    round: int
    """Of the first time, in which the queue counts; the next time is the next round."""
    after: int
    """The queue that must have done so much of the message as this step is about, ``lag`` rounds before; -1: none."""
    lag: int


class Schedule(NamedTuple):
    """Steps by rank, those of a queue in a row, queues in order.

    No wait goes in a circle, whatever the number of messages that a queue has under way, if what is at a lower place
    of the message goes first.
    """

    blocks: int | None
    """That a message is cut into; None: as many as it has segments."""
    turns: int
    """Streams that take the blocks of a message by turns."""
    from_last: bool
    """Blocks count from the last one of the message on, and one beyond it stands for the last one."""
    steps: list[list[Step]]


def with_step(queue: list[Step], step: Step, blocks: int) -> None:
    """Append a step of a single round; as one more time of the last one where it goes on so, round the end."""
    last = queue[-1] if queue else step
    if queue and step.round == last.round + last.times and _likeness(last) == _likeness(step):
        stride = (step.first - last.first - (last.times - 1) * last.stride) % blocks
        stride -= blocks if stride > blocks // 2 else 0
        if last.times == 1 or stride == last.stride:
            queue[-1] = last._replace(times=last.times + 1, stride=stride)
            return
    queue.append(step)


def _likeness(step: Step) -> tuple[int, ...]:
    return step.queue, step.does, step.peer, step.stream, step.blocks, step.after, step.lag
