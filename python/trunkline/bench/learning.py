"""A job that learns what is fastest, beside native calls of the same job."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any, Optional

from trunkline import _core
from trunkline.bench.cell import check_entry
from trunkline.compat import zip_equal
from trunkline.errors import BadInput, Failed
from trunkline.files import read_json
from trunkline.lab.session import Lab
from trunkline.long_links import seats
from trunkline.mpi import Mpi, preload_of
from trunkline.paths import mpi_program
from trunkline.receipt.file import Receipt, read_receipt

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
        by: What says so; ``simgrid 3.32``.
        noise: Where it is simulated, by how much times scatter; None: not.
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
    settled_after: Optional[int]
    ours_ms: list[float]
    native_ms: list[float]
    by: str = "lab"
    noise: Optional[float] = None

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
    def best_ms(self) -> float:
        """Of a call, all through: native calls, or what ran in the end."""
        return min(self.settled_ms, self.native_call_ms)

    @property
    def lost_ms(self) -> float:
        """By all calls together beside native ones; below 0: saved."""
        return self.lost_so_far_ms[-1]

    @property
    def regret_ms(self) -> float:
        """By all calls together beside as many of the best."""
        return self.regret_so_far_ms[-1]

    @property
    def lost_so_far_ms(self) -> list[float]:
        """After each batch, beside native calls in turns with it."""
        return list(accumulate(CALLS * (ours - native) for ours, native in zip_equal(self.ours_ms, self.native_ms)))

    @property
    def regret_so_far_ms(self) -> list[float]:
        """The same beside the best."""
        return list(accumulate(CALLS * (ours - self.best_ms) for ours in self.ours_ms))

    @property
    def allowed_so_far_ms(self) -> list[float]:
        """What may have been lost beside native calls by then."""
        spent = accumulate(CALLS * ours for ours in self.ours_ms)
        return [1e3 * _core.granted_loss_s + _core.most_lost_share * one for one in spent]

    def as_json(self) -> dict[str, Any]:
        """With what follows from the batches."""
        return {**asdict(self), **{name: getattr(self, name) for name in _DERIVED}}


_DERIVED = ("settled_ms", "over_native", "lost_ms", "best_ms", "regret_ms")
"""In JSON besides the fields."""


def read_learned(file: str) -> list[Learned]:
    """What ``trunkline bench learn --json`` wrote.

    Raises:
        BadInput: where the file cannot be read or holds something else.
    """
    rows = read_json(file)
    try:
        if not isinstance(rows, list) or not rows:
            raise ValueError("there are no jobs in it")
        kept = [{key: row[key] for key in row if key not in _DERIVED} if isinstance(row, dict) else row for row in rows]
        for row in kept:
            check_entry(row, Learned)
            if not row["ours_ms"] or len(row["ours_ms"]) != len(row["native_ms"]):
                raise ValueError("a job has not as many native batches as others, or none")
    except ValueError as error:
        raise BadInput(f"{file}: is not what 'trunkline bench learn --json' writes now: {error}") from error
    return [Learned(**row) for row in kept]


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
        receipt = read_receipt(str(Path(folder, "receipt.json")))
    return _learned(lab, mpi, len(placement), wrong, json.loads(measured), receipt)


def _learned(lab: Lab, mpi: Mpi, ranks: int, wrong: str, measured: dict[str, Any], receipt: Receipt) -> Learned:
    found = next(iter(receipt.trials), None)  # None: nothing was tried
    return Learned(
        cluster=lab.cluster.name,
        rate_bps=lab.rate_bps,
        mpi=mpi.name,
        ranks=ranks,
        collective=measured["collective"],
        message_bytes=measured["bytes"],
        wrong=wrong,
        first=found.first if found else "native",
        runs=found.algorithm if found else "native",
        settled_after=found.settled_after or None if found else None,
        ours_ms=measured["ours_ms"],
        native_ms=measured["native_ms"],
    )
