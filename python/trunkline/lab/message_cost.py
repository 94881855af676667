"""What messages cost the processors that a lab's hosts share: measured on each lab, since no two days are alike."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from statistics import median

from trunkline.errors import Failed
from trunkline.lab.accuracy import MOST_BUSY, PROBE
from trunkline.lab.places import FOLDER
from trunkline.lab.session import Lab
from trunkline.terminal import tell
from trunkline.units import format_rate, format_seconds

SHORT_BYTES, LONG_BYTES = 64, 2896
"""A message of one small frame, and one of two full frames: what a message costs, and what its bytes cost."""
WINDOWS = 3
WINDOW_S = 0.1
"""Both sizes in turns, so many times: of what a busy machine does meanwhile the median is left."""
MESSAGES = 4
"""Under way between two hosts: enough for no host to wait, too few for TCP to put many into one frame."""
UNSHAPED_BPS = 1e9
"""Rate of the fastest link meanwhile: processors are to be what messages wait for, not links."""
OF_A_LIBRARY = 3.0
"""What a message costs by way of an MPI library, over one of plain sockets: docs/results/message-cost.md."""
TOLERANCE = 1.2
"""By which two measurements of a second may differ: a rate this much above what is true is worth a warning."""


@dataclass(frozen=True)
class MessageCost:
    """What the machine spends on messages while all hosts are at work, the network's part with it."""

    cluster: str
    rate_bps: float
    hosts: int
    processors: int
    short_s: float
    """Seconds of the machine for each message of a small frame, by plain sockets."""
    long_s: float
    """The same for two full frames."""
    period_s: float
    """On the wire: what a relay through all hosts takes for each further message of two full frames."""

    @property
    def message_s(self) -> float:
        """Seconds of the machine for each message of an MPI library, without its bytes."""
        return OF_A_LIBRARY * self.short_s

    @property
    def byte_s(self) -> float:
        """The same for each byte of it."""
        return max(0.0, self.long_s - self.short_s) / (LONG_BYTES - SHORT_BYTES)

    @property
    def true_bps(self) -> float:
        """Rate of the fastest link up to which a relay leaves enough of the processors to the MPI library."""
        return self.rate_bps * MOST_BUSY * self.period_s / ((self.hosts - 1) * self.long_s)

    @property
    def setting(self) -> str:
        """Value of ``TRUNKLINE_HOST_COSTS``, under any library."""
        return f"shared={self.message_s * 1e6:.3g}us,shared-byte={self.byte_s * 1e9:.3g}ns"

    def text(self, ranks: int) -> str:
        """For people."""
        return (
            f"{self.cluster} at {format_rate(self.rate_bps)}: {ranks / self.processors:.3g} ranks share a processor, "
            f"and while all are at work a message costs {format_seconds(self.message_s * self.processors)} of one "
            f"(TRUNKLINE_HOST_COSTS={self.setting})"
        )

    def warning(self) -> str | None:
        """That the rate is above what this machine emulates truly now; None: it is not."""
        if self.rate_bps <= TOLERANCE * self.true_bps:
            return None
        return (
            f"{self.cluster}: {format_rate(self.rate_bps)} is above what is true on this machine now, about "
            f"{format_rate(float(f'{self.true_bps:.2g}'))}: processors are busy, and times say more of them than of "
            f"links. 'trunkline lab check' looks for the highest true rate; --rate sets another"
        )


def learn_message_cost(lab: Lab) -> MessageCost | None:
    """Measure it, in about a second, and tell the lab; None: one host alone sends nothing.

    Raises:
        Failed: where the probe fails.
    """
    hosts = len(lab.cluster.hosts)
    if hosts < 2:
        return None
    sizes = [str(SHORT_BYTES), str(LONG_BYTES)] * WINDOWS
    words = [str(PROBE), "at-work", lab.cluster_file, "--hosts", str(FOLDER / "hosts")]
    words += ["--rate", str(round(lab.rate_bps)), "--messages", str(MESSAGES), "--seconds", str(WINDOW_S)]
    with lab.unimpaired(), lab.at_rate(max(UNSHAPED_BPS, lab.rate_bps)):
        done = lab.run([*words, *sizes], capture=True)
    if done.returncode != 0:
        raise Failed(f"the lab could not be measured: {done.stderr.strip()}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]

    def seconds_of(size: int) -> float:
        return median(float(row["seconds"]) / float(row["hops"]) for row in rows if row["message_bytes"] == size)

    cost = MessageCost(
        cluster=lab.cluster.name,
        rate_bps=lab.rate_bps,
        hosts=hosts,
        processors=len(os.sched_getaffinity(0)),
        short_s=seconds_of(SHORT_BYTES),
        long_s=seconds_of(LONG_BYTES),
        period_s=next(row["period_s"] for row in rows if row["message_bytes"] == LONG_BYTES),
    )
    lab.host_costs = cost.setting
    return cost


def tell_message_cost(lab: Lab, ranks: int) -> None:
    """Learn it and say it on standard error, with a warning where the lab is not true.

    Args:
        lab: The lab, up and otherwise idle.
        ranks: How many will run on it.

    Raises:
        Failed: as :func:`learn_message_cost`.
    """
    cost = learn_message_cost(lab)
    if cost is None:
        return
    tell(cost.text(ranks))
    if warning := cost.warning():
        tell(f"trunkline: warning: {warning}")
