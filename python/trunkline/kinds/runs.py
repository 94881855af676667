"""Rounds in short: what a rank sends to another one in rounds that follow each other, as one row."""

from __future__ import annotations

from typing import NamedTuple

from trunkline import _core

__all__ = ["Run", "runs_of"]


class Run(NamedTuple):
    """In ``times`` rounds from ``round`` on: ``blocks`` blocks from ``first`` on, ``step`` blocks further each time.

    After the last block comes the first one.
    """

    round: int
    times: int
    sender: int
    receiver: int
    first: int
    blocks: int
    step: int
    adds: int = 0
    """To what the receiver has: 1; else 0."""


def runs_of(listed: _core.RoundList) -> list[Run]:
    """All transfers of the list, each in one run, by round."""
    runs: list[Run] = []
    latest: dict[tuple[int, int], int] = {}
    for number, transfers in enumerate(listed.rounds):
        for transfer in transfers:
            pair = transfer.sender, transfer.receiver
            longer = _with(runs[latest[pair]], number, transfer, listed.blocks) if pair in latest else None
            if longer is not None:
                runs[latest[pair]] = longer
            else:
                latest[pair] = len(runs)
                runs.append(Run(number, 1, *pair, transfer.first, transfer.count, 0, int(transfer.reduces)))
    return runs


def _with(run: Run, number: int, transfer: _core.Transfer, blocks: int) -> Run | None:
    """The run and the transfer of this round after it; None where it does not go on so."""
    last = run.first + (run.times - 1) * run.step
    step = (transfer.first - last) % blocks
    step -= blocks if step > blocks // 2 else 0
    if number != run.round + run.times or (transfer.count, int(transfer.reduces)) != (run.blocks, run.adds):
        return None
    if run.times > 1 and step != run.step:
        return None
    return run._replace(times=run.times + 1, step=step)
