"""The MPI job whose library is tuned in its own words.

What every host puts on its wire in a collective shows which algorithm runs: by who sends how much.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trunkline.errors import Failed
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline.paths import mpi_program
from trunkline.placement import hosts_used, placement_on


@dataclass(frozen=True)
class PeerJob:
    """Which of the library's collectives runs, where and how: on the lab's first hosts, or on all."""

    lab: Lab
    mpi: Mpi
    collective: str
    ranks_per_host: int = 1
    host_count: int | None = None

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts in use."""
        return hosts_used(self.lab.cluster, self.host_count)

    @property
    def ranks(self) -> int:
        """All of them."""
        return len(self.hosts) * self.ranks_per_host

    @property
    def placement(self) -> Sequence[int]:
        """Host of each rank."""
        return placement_on(self.lab.cluster, self.ranks_per_host, self.host_count)


REPETITIONS = 4
_LEAST_SECONDS = 300.0
_PATIENCE = 3.0
"""A job is ended once it has taken so many times what its calls take by themselves."""


def sent_bytes(
    job: PeerJob, sizes: Sequence[int], settings: Mapping[str, str], expected_s: float = 0.0
) -> dict[int, list[float]]:
    """Bytes that leave the host of each rank in one call, by size.

    Args:
        job: The library, and where it runs.
        sizes: Bytes of the message.
        settings: Variables of the ranks.
        expected_s: Seconds of one call at every size, as far as is known.

    Raises:
        Failed: where the job does not end well.
    """
    program = mpi_program("traffic", job.mpi.name)
    argv, env = job.mpi.launch(
        hosts=job.hosts,
        ranks=job.ranks,
        ranks_per_host=job.ranks_per_host,
        program=[str(program), job.collective, str(REPETITIONS), *map(str, sizes)],
        agent=job.lab.agent,
        env=settings,
    )
    # One call more than is counted opens the connections.
    timeout = _LEAST_SECONDS + _PATIENCE * (REPETITIONS + 1) * expected_s
    done = job.lab.run(argv, env=env, capture=True, timeout=timeout)
    if done.returncode != 0:
        said = "\n".join(f"{done.stdout}{done.stderr}".strip().splitlines()[-12:])
        raise Failed(f"{job.mpi.name} ended with status {done.returncode} under {dict(settings)}:\n{said}")
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {row["message_bytes"]: row["sent_bytes"] for row in rows}
