# SPDX-License-Identifier: Apache-2.0
"""The program's own traffic to a rank that waits in a broadcast: ``python bench/requests_beside.py MPI...``.

Runs the program of requests_beside.c natively, and with the library where the rank waits in memory (all ranks on one
host), in messages, and in a multicast (each rank on a host of its own, which is this machine). Prints the mean
milliseconds of a request for each form and size. ``over`` at the end counts the cells above one and a half times
native, or 0.2 ms where that is more, in the best of ``--tries``: what the system does in between is no property of the
library. ``--busy 4`` runs four loops beside.
"""

import argparse
import os
import subprocess
from contextlib import ExitStack
from pathlib import Path

from trunkline.mpi import Mpi, require_mpi
from trunkline.temporary import temporary_folder
from trunkline.units import format_bytes

PROGRAMS = Path(__file__).resolve().parents[1] / "build" / "dev" / "bench"
CLUSTER = """\
trunkline: cluster/1
name: here
defaults: {rate: 100Mbit, latency: 50us}
switches: s0
hosts:
  - {hosts: "h[0-7]", switch: s0}
"""
ON_OWN_HOST = ["sh", "-c", 'TRUNKLINE_HOST=h${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; export TRUNKLINE_HOST; exec "$@"', "sh"]
FORMS = ["send", "ssend", "bsend", "rsend", "put", "probe", "fetch"]
SIZES = {8: 200, 64 * 1024: 100, 1024 * 1024: 40, 16 * 1024 * 1024: 6}
"""Bytes, and how many requests."""
WAYS: dict[str, tuple[dict[str, str], list[str]]] = {
    "memory": ({"TRUNKLINE_HOST": "h0"}, []),
    "messages": ({"TRUNKLINE_BCAST": "binary"}, ON_OWN_HOST),
    "multicast": ({"TRUNKLINE_BCAST": "multicast"}, ON_OWN_HOST),
}
"""How the rank waits: settings, and a wrapper of the program."""


def run(mpi: Mpi, way: str | None, words: list[str], ranks: int, cluster: Path) -> float:
    """The mean milliseconds of a request in one job; natively where there is no way."""
    settings, wrapper = WAYS[way] if way else ({}, [])
    program = [*wrapper, str(PROGRAMS / f"trunkline-requests-beside-{mpi.name}"), *words]
    job = [mpi.mpiexec, "-n", str(ranks), *program]
    line = ["trunkline", "run", "--cluster", str(cluster), "--mpi", mpi.name, "--", *job] if way else job
    allowed = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    done = subprocess.run(line, env={**os.environ, **allowed, **settings}, capture_output=True, text=True, check=True)
    return float(next(text for text in done.stdout.splitlines() if text.startswith("mean ")).split()[1])


def is_over(took: float, native: float) -> bool:
    """Whether the program's own traffic is held up."""
    return took > max(1.5 * native, 0.2)


def row_of(mpi: Mpi, words: list[str], chosen: argparse.Namespace, cluster: Path) -> tuple[list[float], int]:
    """Native and each way, and how many of these are over in all tries."""
    native = run(mpi, None, words, chosen.ranks, cluster)
    took = {way: run(mpi, way, words, chosen.ranks, cluster) for way in WAYS}
    for _ in range(chosen.tries - 1):
        again = [way for way in WAYS if is_over(took[way], native)]
        if again:
            native = max(native, run(mpi, None, words, chosen.ranks, cluster))
        for way in again:
            took[way] = min(took[way], run(mpi, way, words, chosen.ranks, cluster))
    return [native, *took.values()], sum(is_over(one, native) for one in took.values())


def main() -> None:
    """A table for each library."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpi", nargs="+")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--tries", type=int, default=4)
    parser.add_argument("--busy", type=int, default=0, help="loops that run beside")
    chosen = parser.parse_args()
    cells = over = 0
    with temporary_folder("requests-beside") as folder, ExitStack() as loops:
        cluster = folder / "here.yaml"
        cluster.write_text(CLUSTER)
        for _ in range(chosen.busy):
            loop = loops.enter_context(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
            loops.callback(loop.kill)
        for name in chosen.mpi:
            mpi = require_mpi(name)
            print(f"\n{name}, {chosen.ranks} ranks\n\n| form | bytes | native | " + " | ".join(WAYS) + " |")
            print("|---" * (3 + len(WAYS)) + "|")
            for form in FORMS:
                for size, count in SIZES.items() if form != "fetch" else [(8, SIZES[8])]:
                    took, too_long = row_of(mpi, [form, str(size), str(count)], chosen, cluster)
                    cells, over = cells + len(WAYS), over + too_long
                    print(f"| {form} | {format_bytes(size)} | " + " | ".join(f"{one:.4f}" for one in took) + " |")
    print(f"\n{over} of {cells} cells are over")


if __name__ == "__main__":
    main()
