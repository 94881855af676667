# SPDX-License-Identifier: Apache-2.0
"""The grid paper's experiment on the lab: ``python papers/tools/figure_4.py MPI...``. Needs root.

Broadcasts of 100 000 bytes over five workstations on two networks, four of them with two processors, by the number of
processors that take part: each host has one first. The paper's method beside MPI's own broadcast.
"""

import argparse
import subprocess
from collections.abc import Sequence

from trunkline.bench.job import Limits, follow, program, timing_words
from trunkline.cluster import load_cluster
from trunkline.compat import zip_equal
from trunkline.lab.message_cost import learn_message_cost
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi, preload_of, require_mpi
from trunkline.statistics import median_with_interval
from trunkline.units import format_seconds, parse_rate

SIZE = 100_000
PROCESSORS = [2, 2, 2, 2, 1]
LIMITS = Limits(least=5, most=9, budget_s=4.0)


def ranks_by_host(ranks: int) -> list[int]:
    """How many of them each host has, as processors are added: every host's first one, then the second ones."""
    hosts = [host for turn in range(max(PROCESSORS)) for host, most in enumerate(PROCESSORS) if turn < most]
    return [hosts[:ranks].count(host) for host in range(len(PROCESSORS))]


def medians(lab: Lab, mpi: Mpi, ranks: int, algorithms: Sequence[str]) -> list[float]:
    """Seconds of each algorithm, the slowest rank's.

    Raises:
        Failed: where the job does not end well.
    """
    each = ranks_by_host(ranks)
    placement = [host for host, count in enumerate(each) for _ in range(count)]
    words, env = mpi.launch(
        hosts=[name for name, count in zip_equal(lab.cluster.hosts, each) if count],
        ranks=ranks,
        ranks_per_host=[count for count in each if count],
        program=[program(mpi), *timing_words("bcast", lab.cluster, [SIZE], algorithms, LIMITS, placement=placement)],
        agent=lab.agent,
        env={
            "TRUNKLINE_CLUSTER": lab.cluster_file,
            "TRUNKLINE_HOST_COSTS": lab.host_costs or "",
            "TRUNKLINE_STRICT": "1",
        },
        preload=[preload_of(mpi)],
    )
    job = lab.popen(words, env=env, without=("TRUNKLINE_",), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    outcome = follow(job, mpi.name)
    return [median_with_interval(outcome.seconds[SIZE, algorithm]).value for algorithm in algorithms]


def main() -> None:
    """A row for each number of processors, a column for each library and algorithm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpi", nargs="+")
    parser.add_argument("--rate", default="40Mbit")
    parser.add_argument("--algorithms", default="native,wave,local-search,auto")
    given = parser.parse_args()
    algorithms = given.algorithms.split(",")
    columns = [f"{mpi}, {algorithm}" for mpi in given.mpi for algorithm in algorithms]
    print("| processors | " + " | ".join(columns) + " |\n" + "|---" * (1 + len(columns)) + "|")
    with Lab(load_cluster("two-site"), parse_rate(given.rate)) as lab:
        learn_message_cost(lab)
        for ranks in range(2, sum(PROCESSORS) + 1):
            times = [time for mpi in given.mpi for time in medians(lab, require_mpi(mpi), ranks, algorithms)]
            print(f"| {ranks} | " + " | ".join(map(format_seconds, times)) + " |", flush=True)


if __name__ == "__main__":
    main()
