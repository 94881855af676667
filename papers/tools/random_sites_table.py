#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random clusters of several places: what `auto` takes over the bound, and native over `auto`, simulated; for docs.

papers/tools/random_sites_table.py --sites 2,4,8,16 --hosts 1,4,16 --seeds 1,2,3 --collective bcast --sizes 8,1KiB,8KiB
"""

import argparse
from statistics import mean

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import simulated_algorithms
from trunkline.placement import bounded_placement
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import simulate_all
from trunkline.terminal import progress_bar
from trunkline.units import format_bytes, parse_sizes

KINDS = {"sites": "blocks", "sites-dealt": "dealt"}


def main() -> None:
    """Print the table: a row for each number of sites, of hosts a site, and way that hosts are numbered."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", default="2,4,8,16")
    parser.add_argument("--hosts", default="1,4,16")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--collective", default="bcast")
    parser.add_argument("--sizes", default="8,1KiB,8KiB,64KiB,1MiB")
    parser.add_argument("--host-costs", default="mpich")
    given = parser.parse_args()
    sizes = parse_sizes(given.sizes)
    seeds = given.seeds.split(",")
    shapes = [
        (kind, int(sites), int(hosts))
        for sites in given.sites.split(",")
        for hosts in given.hosts.split(",")
        for kind in (KINDS if int(hosts) > 1 else ["sites"])
    ]
    print("| sites | hosts each | ranks | " + " | ".join(map(format_bytes, sizes)) + " |")
    print("|---" * (3 + len(sizes)) + "|", flush=True)
    with progress_bar(len(shapes) * len(seeds)) as bar:
        for kind, sites, hosts in shapes:
            ratios: list[dict[int, tuple[float, float]]] = []
            for seed in seeds:
                name = f"{kind}:{sites}x{hosts}:{seed}"
                bar.show(name, done=True)
                ratios.append(ratios_of(name, given.collective, sizes, given.host_costs))
            cells = [cell([one[size] for one in ratios]) for size in sizes]
            print(f"| {sites} | {hosts} | {KINDS[kind] if hosts > 1 else ''} | {' | '.join(cells)} |", flush=True)


def ratios_of(name: str, collective: str, sizes: list[int], host_costs: str) -> dict[int, tuple[float, float]]:
    """By size: `auto` over the bound, and native over `auto`. Rank 0 is the root."""
    cluster = load_cluster(name)
    placement = bounded_placement(cluster, 1)
    job = Job(collective, cluster, placement, 0, sizes, {}, host_costs)
    rows = simulate_all(job, simulated_algorithms(collective, ["auto", "native"]), 0.0)
    times = {(row.message_bytes, row.algorithm): row.seconds_median for row in rows}
    return {
        size: (
            times[size, "auto"] / _core.least_crossing_s(cluster, placement, collective, 0, size),
            times[size, "native"] / times[size, "auto"],
        )
        for size in sizes
    }


def cell(ratios: list[tuple[float, float]]) -> str:
    """Mean and greatest of the one, least and greatest of the other."""
    of_bound, gains = ([pair[place] for pair in ratios] for place in (0, 1))
    return f"{mean(of_bound):.2f}, {max(of_bound):.2f}; {min(gains):.2f} to {max(gains):.1f}"


if __name__ == "__main__":
    main()
