"""A job that learns what is fastest, beside native calls of the same job."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from trunkline import _core
from trunkline.errors import BadInput, Failed
from trunkline.lab.session import Lab
from trunkline.long_links import seats
from trunkline.mpi import Mpi, preload_of
from trunkline.paths import mpi_program

__all__ = ["CALLS", "WRONGS", "Learned", "learn", "wrong_text"]

CALLS = 10
"""Of a batch, as in bench/learning.c."""
WRONGS = ("swapped", "tenfold")
_END_S = 600.0


@dataclass(frozen=True)
class Learned:
    """One collective and size in one job.

    Attributes:
        wrong: What the job's cluster file says wrongly; empty: nothing.
        first: What was predicted to be the fastest, with its segment.
        runs: What ran in the end.
        settled_after: Calls of the job until then; None: it had not settled.
        ours_ms: Milliseconds of a call, by batches of 10.
        native_ms: The same of native calls, in turns with those.
    """

    cluster: str
    rate_bps: float
    mpi: str
    ranks: int
    collective: str
    message_bytes: int
    wrong: str
    first: str
    runs: str
    settled_after: int | None
    ours_ms: list[float]
    native_ms: list[float]

    @property
    def settled_ms(self) -> float:
        """The median of the last quarter of the batches."""
        return median(self.ours_ms[-len(self.ours_ms) // 4 :])

    @property
    def native_call_ms(self) -> float:
        """Of native calls, of all batches."""
        return median(self.native_ms)

    @property
    def over_native(self) -> float:
        """What a call takes at the end, over native calls in turns with those."""
        pairs = zip(self.ours_ms, self.native_ms)
        return median(ours / native for ours, native in list(pairs)[-len(self.ours_ms) // 4 :])

    @property
    def lost_ms(self) -> float:
        """By all calls together beside native ones; below 0: saved."""
        return CALLS * (sum(self.ours_ms) - sum(self.native_ms))

    def as_json(self) -> dict[str, Any]:
        """With what follows from the batches."""
        derived = {"settled_ms": self.settled_ms, "over_native": self.over_native, "lost_ms": self.lost_ms}
        return {**asdict(self), **derived}


def wrong_text(text: str, wrong: str) -> str:
    """A cluster file that says something wrong.

    Args:
        text: As it is written by the command.
        wrong: ``swapped``: the second and the third switch stand in each other's place among the links; ``tenfold``:
            links are ten times as fast.

    Raises:
        BadInput: where there is nothing to swap.
    """
    if wrong == "tenfold":
        network = _core.parse_cluster(text, "")
        return _core.write_cluster(_core.scaled(network, 10 * max(link.rate_bps for link in network.links)))
    head, links, tail = text.partition("\nlinks:\n")
    names = list(dict.fromkeys(name for pair in re.findall(r"between: \[(.*?)\]", tail) for name in pair.split(", ")))
    if len(names) < 3:
        raise BadInput("--wrong swapped needs a cluster of three switches or more")
    swapped = {names[1]: names[2], names[2]: names[1]}
    pairs = re.sub(r"[\w.-]+(?=[,\]])", lambda found: swapped.get(found[0], found[0]), tail)
    return head + links + pairs


def learn(
    lab: Lab,
    mpi: Mpi,
    collective: str,
    message_bytes: int,
    batches: int,
    *,
    ranks_per_host: int = 1,
    hosts: int | None = None,
    wrong: str = "",
) -> Learned:
    """Run one job whose calls learn, in turns with native ones.

    Raises:
        BadInput: where the preload library for this MPI has not been built, or the lab has fewer hosts.
        Failed: where the job does not end well.
    """
    placement = seats(lab.cluster, ranks_per_host, hosts)
    used = [lab.cluster.hosts[host] for host in dict.fromkeys(placement)]
    with tempfile.TemporaryDirectory() as folder:
        file = lab.cluster_file
        if wrong:
            told = Path(folder, "cluster.yaml")
            told.write_text(wrong_text((lab.root / lab.cluster_file.lstrip("/")).read_text(), wrong))
            file = str(told)
        argv, env = mpi.launch(
            hosts=used,
            ranks=len(placement),
            ranks_per_host=ranks_per_host,
            program=[str(mpi_program("learning", mpi.name)), collective, str(message_bytes), str(batches)],
            agent=lab.agent,
            env={
                "TRUNKLINE_CLUSTER": file,
                "TRUNKLINE_STRICT": "1",
                "TRUNKLINE_LEARN": "1",
                "TRUNKLINE_LEARNED": "0",
                "TRUNKLINE_SUMMARY": str(Path(folder, "receipt.json")),
                **({"TRUNKLINE_HOST_COSTS": lab.host_costs} if lab.host_costs else {}),
            },
            preload=[preload_of(mpi)],
        )
        done = lab.run(argv, env=env, without=("TRUNKLINE_",), timeout=_END_S, capture=True)
        measured = next((line for line in done.stdout.splitlines() if line.startswith('{"collective"')), None)
        if done.returncode != 0 or measured is None:
            raise Failed(f"the job of {mpi.name} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
        receipt = json.loads(Path(folder, "receipt.json").read_text())
    return _learned(lab, mpi, len(placement), wrong, json.loads(measured), receipt)


def _learned(lab: Lab, mpi: Mpi, ranks: int, wrong: str, measured: dict[str, Any], receipt: dict[str, Any]) -> Learned:
    nothing: dict[str, Any] = {"first": "native", "algorithm": "native", "settled_after": 0}
    found = receipt["trials"][0] if receipt["trials"] else nothing
    return Learned(
        cluster=lab.cluster.name,
        rate_bps=lab.rate_bps,
        mpi=mpi.name,
        ranks=ranks,
        collective=measured["collective"],
        message_bytes=measured["bytes"],
        wrong=wrong,
        first=found["first"],
        runs=found["algorithm"],
        settled_after=found["settled_after"] or None,
        ours_ms=measured["ours_ms"],
        native_ms=measured["native_ms"],
    )
