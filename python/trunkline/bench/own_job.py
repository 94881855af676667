"""The timing program inside the caller's own job: every rank runs it, and rank 0 reads what it says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

END_S = 30.0
"""Seconds in which a job that is told to end does."""

_RANK_VARIABLES = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID")


@dataclass(frozen=True)
class Seat:
    """What one rank says of itself.

    Attributes:
        host: Its host's name; as ``TRUNKLINE_HOST`` has it, where that is set.
        preload: The preload library's version; empty: it is not loaded.
        interface: The network interface that carried most bytes; empty: none did.
        rate_to_next_bps: Bits per second to the next rank; 0: it is the last one.
    """

    rank: int
    host: str
    preload: str
    interface: str
    interface_bytes: float
    rate_to_next_bps: float


@dataclass(frozen=True)
class Multicast:
    """What was seen of multicast among all ranks: each has sent a byte to all others.

    Attributes:
        words: Whether there is a group, and whether messages are eager; why not.
        works: Datagrams reach all ranks.
        calls: So many bytes were sent.
        repaired: On how many ranks, over all calls, something was asked for or sent again.
        strange: Datagrams that ranks dropped: of somebody else, damaged or forged.
        early: Those that they dropped since too many waited.
    """

    words: str
    works: bool
    calls: int
    repaired: int
    strange: int
    early: int


def rank_of_job(environment: Mapping[str, str] = os.environ) -> int | None:
    """This process's rank, by what launchers set; None: no launcher has started it."""
    found = next((environment[name] for name in _RANK_VARIABLES if name in environment), None)
    return int(found) if found is not None else None


class OwnJob:
    """Rank 0's part of the command that all ranks run, for as long as the ``with`` block takes.

    Attributes:
        process: Its standard output and error come the same way; its standard input is open.
        seats: What the ranks have said of themselves, by rank.
        multicast: What was seen of it; None: the ranks cannot multicast.
    """

    process: subprocess.Popen[str]

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self.seats: list[Seat] = []
        self.multicast: Multicast | None = None

    def __enter__(self) -> OwnJob:
        # The launcher's own connection to this rank is an open file.
        self.process = subprocess.Popen(
            self._words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            close_fds=False,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is not None:
            return
        # The end of its input ends it on all ranks; where one is killed, launchers may leave the others waiting.
        try:
            self.process.communicate(timeout=END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def take(self, event: dict[str, object]) -> bool:
        """Whether it was a rank that spoke of itself, or of multicast."""
        if "multicast" in event:
            self.multicast = Multicast(words=event.pop("multicast"), **event)  # type: ignore[arg-type]
            return True
        if "rank" not in event:
            return False
        self.seats.append(Seat(**event))  # type: ignore[arg-type]
        return True
