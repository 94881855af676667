# SPDX-License-Identifier: Apache-2.0
"""Runs message_cost.c between two hosts of the lab with an unshaped link: ``python bench/message_cost.py MPI...``.

The lab's own network stands still meanwhile: a kernel bridge joins the two hosts, segmentation offload is on, and the
ranks run without the idle shim, each on a processor of its own. Needs root. Prints a table for each library.
"""

import json
import subprocess
import sys
from pathlib import Path

from unshaped import unshape

from trunkline.cluster import load_cluster
from trunkline.lab.session import Lab
from trunkline.mpi import require_mpi
from trunkline.temporary import temporary_folder

SIZES = [64, 256, 1024, 2048, 4096, 8192, 15888, 32768, 65536, 131072, 262144, 1 << 20, 4 << 20, 16 << 20]
SOURCE = Path(__file__).with_name("message_cost.c")
COLUMNS = ["half_round_trip", "send", "receive", "one_way", "both_ways"]


def measure(name: str, sizes: list[int]) -> list[dict[str, float]]:
    """One row a size."""
    mpi = require_mpi(name)
    cluster = load_cluster(str(SOURCE.with_name("pair.yaml")))
    with temporary_folder("cost") as folder, Lab(cluster) as lab:
        unshape(lab)
        subprocess.run([mpi.mpicc, "-O2", "-o", str(folder / "cost"), str(SOURCE)], check=True)
        pinned = ["sh", "-c", 'exec taskset -c ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} "$0" "$@"', str(folder / "cost")]
        words, env = mpi.launch(
            hosts=lab.cluster.hosts,
            ranks=2,
            ranks_per_host=1,
            program=[*pinned, *map(str, sizes)],
            agent=lab.agent,
            env={"LD_PRELOAD": "libc.so.6"},
        )
        process = lab.popen(words, env=env, stdout=subprocess.PIPE)
        rows = []
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("end"):
                break
            rows.append(json.loads(line))
        return rows


def main() -> None:
    """A table for each library."""
    for name in sys.argv[1:]:
        rows = measure(name, SIZES)
        print(
            f"\n{name}\n\n| size | eager | T(m) | send | receive | one way | both ways | first of two |\n"
            + "|---" * 8
            + "|"
        )
        for row in rows:
            times = " | ".join(f"{row[one] * 1e6:.1f}" for one in COLUMNS)
            print(f"| {row['bytes']} | {'yes' if row['eager'] else 'no'} | {times} | {row['first_of_two']:.2f} |")
        print(json.dumps(rows), file=sys.stderr)


main()
