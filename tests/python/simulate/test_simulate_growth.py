"""What a simulation costs for each rank: the same however many there are."""

import re
import subprocess

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import simulated_algorithms
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import simulate_all
from trunkline.sources.simgrid_export import simgrid_platform

COUNTING = r"""
#include <stdio.h>
#include <stdlib.h>
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
static unsigned long long pieces, bytes;
static void count(size_t of) { ++pieces; bytes += of; }
void* malloc(size_t of) { count(of); return __libc_malloc(of); }
void* calloc(size_t many, size_t of) { count(many * of); return __libc_calloc(many, of); }
void* realloc(void* known, size_t of) { count(of); return __libc_realloc(known, of); }
__attribute__((destructor)) static void tell(void) {
  FILE* file = getenv("COUNTED") ? fopen(getenv("COUNTED"), "a") : NULL;
  if (file != NULL) { fprintf(file, "%llu %llu\n", pieces, bytes); fclose(file); }
}
"""
"""Preloaded, it counts the pieces of memory that a process asks for, and their bytes."""


def job_of(name):
    cluster = load_cluster(name)
    return Job("bcast", cluster, _core.block_placement(cluster, 1), 0, [8192], {}, host_costs="mpich")


def seconds_of(job, algorithm="by-sites-binary"):
    (row,) = simulate_all(job, simulated_algorithms("bcast", [algorithm]))
    return row.seconds_median


def counted(monkeypatch, folder, name):
    """Pieces and bytes for each rank."""
    job = job_of(name)
    file = folder / re.sub(r"\W", "-", name)
    with monkeypatch.context() as patched:
        patched.setenv("LD_PRELOAD", str(folder / "counting.so"))
        patched.setenv("COUNTED", str(file))
        seconds_of(job)
    (line,) = file.read_text().splitlines()
    return [int(number) / len(job.placement) for number in line.split()]


def test_a_rank_costs_the_same_among_many(monkeypatch, tmp_path):
    """Neither does each lay and compare plans of all by itself, nor keep what all have; nor does each host search the
    network, of which 16 sites have too many nodes for one zone."""
    source = tmp_path / "counting.c"
    source.write_text(COUNTING)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", tmp_path / "counting.so", source], check=True)
    pieces, held = counted(monkeypatch, tmp_path, "sites:8x8:1")
    more_pieces, more_held = counted(monkeypatch, tmp_path, "sites:16x16:1")
    assert more_pieces < 1.2 * pieces
    assert more_held < 1.3 * held


@pytest.mark.parametrize(
    ("name", "ranks", "most"), [("sites:4x4:1", 1, 5), ("sites:8x3:1", 1, 4), ("sites:3x3:2", 2, 10), ("cyclic", 1, 12)]
)
def test_zones_for_switches_change_no_time(monkeypatch, name, ranks, most):
    cluster = load_cluster(name)
    placement = _core.block_placement(cluster, ranks)
    job = Job("bcast", cluster, placement, 0, [8192], {}, host_costs="mpich")
    in_one = seconds_of(job, "binary")
    assert simgrid_platform(cluster, [ranks] * len(cluster.hosts)).count("<zone ") == 1
    monkeypatch.setattr("trunkline.sources.simgrid_export._MOST_FOR_FLOYD", most)
    assert simgrid_platform(cluster, [ranks] * len(cluster.hosts)).count("<zone ") == 1 + len(cluster.switches)
    assert seconds_of(job, "binary") == in_one


def test_switches_with_too_many_hosts_are_no_zones(monkeypatch):
    monkeypatch.setattr("trunkline.sources.simgrid_export._MOST_FOR_FLOYD", 4)
    assert simgrid_platform(load_cluster("sites:4x4:1"), [1] * 16).count("<zone ") == 1


def test_a_platform_asks_for_all_hosts_a_few_times():
    """Each time the core copies them."""

    class Asked:
        def __init__(self, cluster):
            self.cluster = cluster
            self.times = 0

        def __getattr__(self, name):
            self.times += name == "hosts"
            return getattr(self.cluster, name)

    cluster = Asked(load_cluster("sites:32x32:1"))
    for ranks in (1, 2):
        assert simgrid_platform(cluster, [ranks] * 1024).count("<zone ") == 33
    assert cluster.times < 16
