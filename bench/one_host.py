# SPDX-License-Identifier: Apache-2.0
"""Collectives among ranks of this machine alone, native against ``auto``: ``python bench/one_host.py MPI...``.

Runs the program of one_host.c in pairs of jobs, one without the library and one with it, so that both see the machine
as it is at that time. Prints, for each library, the shortest median of each native collective and size over all pairs,
in microseconds, and how many times as fast ``auto`` is: the median of the ratios of all pairs. ``--ranks 2`` by
default: where there are more ranks than processors, what is measured is above all who waits for a processor. Then
calls of some libraries take milliseconds: ``--calls 41`` makes no more of each.
"""

import argparse
import os
import platform
import subprocess
from pathlib import Path
from statistics import median

from trunkline.mpi import Mpi, require_mpi
from trunkline.temporary import temporary_folder
from trunkline.units import parse_bytes

PROGRAMS = Path(__file__).resolve().parents[1] / "build" / "dev" / "bench"
COLLECTIVES = ["bcast", "reduce", "allreduce", "allgather", "reduce_scatter_block"]
Times = dict[int, list[float]]  # by bytes: microseconds of each collective


def run(mpi: Mpi, chosen: argparse.Namespace, cluster: Path | None) -> Times:
    """One job; with the library where there is a cluster."""
    job = [mpi.mpiexec, "-n", str(chosen.ranks), str(PROGRAMS / f"trunkline-one-host-{mpi.name}")]
    job += [str(chosen.calls), *(str(size) for size in chosen.sizes)]
    words = ["trunkline", "run", "--cluster", str(cluster), "--mpi", mpi.name, "--", *job] if cluster else job
    allowed = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        # More ranks than processors.
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    done = subprocess.run(words, env={**os.environ, **allowed}, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {int(line[0]): [float(word) for word in line[1:]] for line in lines if line and line[0].isdigit()}


def sizes_of(text: str) -> list[int]:
    """In bytes."""
    return [parse_bytes(word) for word in text.split(",")] if text else [2**power for power in range(3, 25)]


def cells(pairs: list[tuple[Times, Times]], size: int) -> list[str]:
    """Of each collective the shortest native time, and the median ratio."""
    of_natives = zip(*(native[size] for native, _ in pairs), strict=True)
    of_autos = zip(*(auto[size] for _, auto in pairs), strict=True)
    return [
        f"{min(natives):.2f}; {median(one / other for one, other in zip(natives, autos, strict=True)):.2f}"
        for natives, autos in zip(of_natives, of_autos, strict=True)
    ]


def main() -> None:
    """A table for each library."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpi", nargs="+")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--calls", type=int, default=1001, help="most of each collective and size")
    parser.add_argument("--sizes", type=sizes_of, default=sizes_of(""), help="8,64KiB,...; all powers of two without")
    chosen = parser.parse_args()
    with temporary_folder("one-host") as folder:
        cluster = folder / "here.yaml"
        cluster.write_text(
            "trunkline: cluster/1\nname: here\ndefaults: {rate: 10Gbit, latency: 10us}\nswitches: s0\n"
            f'hosts:\n  - {{hosts: "{platform.node()}", switch: s0}}\n'
        )
        for name in chosen.mpi:
            mpi = require_mpi(name)
            pairs = [(run(mpi, chosen, None), run(mpi, chosen, cluster)) for _ in range(chosen.pairs)]
            print(f"\n{name}, {chosen.ranks} ranks\n\n| bytes | " + " | ".join(COLLECTIVES) + " |\n" + "|---" * 6 + "|")
            for size in pairs[0][0]:
                print(f"| {size} | " + " | ".join(cells(pairs, size)) + " |")


if __name__ == "__main__":
    main()
