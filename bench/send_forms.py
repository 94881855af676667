# SPDX-License-Identifier: Apache-2.0
"""Ways to send along a broadcast's tree, on the lab: ``python bench/send_forms.py MPI...``. Needs root.

The grid paper sends with ``MPI_Send``, and discusses ``MPI_Isend``, whose messages lie in somebody's buffers unless the
receiver has said that it is ready. Beside them ``MPI_Bcast`` by Trunkline, which runs the same tree.
"""

import argparse
import subprocess
from pathlib import Path

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import Failed
from trunkline.lab.message_cost import learn_message_cost
from trunkline.lab.session import Lab
from trunkline.long_links import seats
from trunkline.mpi import Mpi, preload_of, require_mpi
from trunkline.units import format_bytes, format_seconds, parse_rate, parse_sizes

PROGRAMS = Path(__file__).parents[1] / "build" / "dev" / "bench"


def tree_words(tree: _core.Tree) -> list[str]:
    """Each rank's children, in the order in which they are sent to, as the program reads them."""
    return [",".join(map(str, children)) or "-" for children in tree.children]


def times_of(lab: Lab, mpi: Mpi, algorithm: str, size: int, calls: int, *, dealt: bool) -> list[list[str]]:
    """Name, seconds until all had the message, and until the root's sends had returned, of each way.

    Raises:
        Failed: where the job does not end well.
    """
    placement = seats(lab.cluster, 1, dealt=dealt)
    tree = _core.lay_trees("bcast", algorithm, lab.cluster, placement, 0, size)[0]
    words, env = mpi.launch(
        hosts=[lab.cluster.hosts[host] for host in placement],
        ranks=len(placement),
        ranks_per_host=1,
        program=[str(PROGRAMS / f"trunkline-send-forms-{mpi.name}"), str(size), str(calls), *tree_words(tree)],
        agent=lab.agent,
        env={
            "TRUNKLINE_CLUSTER": lab.cluster_file,
            "TRUNKLINE_HOST_COSTS": lab.host_costs or "",
            "TRUNKLINE_STRICT": "1",
            "TRUNKLINE_BCAST": algorithm,
        },
        preload=[preload_of(mpi)],
    )
    job = lab.popen(words, env=env, without=("TRUNKLINE_",), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = job.communicate()[0]
    if job.returncode != 0:
        raise Failed(f"{mpi.name}: the job ended with status {job.returncode}:\n{said}")
    return [line.split(";")[1:] for line in said.splitlines() if line.startswith("form;")]


def main() -> None:
    """A row for each library and size, a column for each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpi", nargs="+")
    parser.add_argument("--cluster", default="four-site")
    parser.add_argument("--rate", default="40Mbit")
    parser.add_argument("--algorithm", default="wave")
    parser.add_argument("--sizes", default="8,8KiB,100000,1MiB")
    parser.add_argument("--calls", type=int, default=7)
    parser.add_argument("--dealt", action="store_true")
    given = parser.parse_args()
    with Lab(load_cluster(given.cluster), parse_rate(given.rate)) as lab:
        learn_message_cost(lab)
        for number, (mpi, size) in enumerate((mpi, size) for mpi in given.mpi for size in parse_sizes(given.sizes)):
            rows = times_of(lab, require_mpi(mpi), given.algorithm, size, given.calls, dealt=given.dealt)
            if number == 0:
                print("| MPI | size | " + " | ".join(name for name, *_ in rows) + " |")
                print("|---" * (len(rows) + 2) + "|")
            cells = [f"{format_seconds(float(all_had))}; {format_seconds(float(sent))}" for _, all_had, sent in rows]
            print(f"| {mpi} | {format_bytes(size)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
