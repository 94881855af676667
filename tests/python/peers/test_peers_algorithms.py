"""The lists of the algorithms that MPI libraries bring."""

import re
import subprocess
from pathlib import Path

import pytest

from trunkline.mpi import Mpi, find_mpis
from trunkline.peers.algorithms import OPENMPI, own_algorithms


def library(family, version):
    return Mpi(family, family, version, "mpicc", "mpiexec", "libmpi.so")


LIBRARIES = [library("mpich", "4.0.2"), library("mpich", "5.0.2"), library("openmpi", "4.1.4")]


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.version)
def test_every_one_is_another(mpi):
    found = own_algorithms(mpi, "bcast", 1 << 20, 32)
    assert len({one.name for one in found}) == len(found) > 10
    assert len({tuple(sorted(one.environment.items())) for one in found}) == len(found)


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.version)
def test_segments_are_shorter_than_the_message(mpi):
    assert all(one.segment_bytes < 4096 for one in own_algorithms(mpi, "bcast", 4096, 32))
    assert {one.segment_bytes for one in own_algorithms(mpi, "bcast", 1024, 32)} == {0}


def test_trees_that_need_coordinates():
    found = [{one.tree for one in own_algorithms(mpi, "bcast", 8192, 32) if one.needs_coordinates} for mpi in LIBRARIES]
    assert found == [set(), {"topology_aware", "topology_aware_k", "topology_wave"}, set()]


def test_recursive_doubling_needs_a_power_of_two():
    names = [[one.name for one in own_algorithms(LIBRARIES[0], "bcast", 8192, ranks)] for ranks in (32, 21)]
    assert ["scatter_recursive_doubling_allgather" in some for some in names] == [True, False]


@pytest.mark.parametrize("name", ["openmpi", "openmpi-5.0.11"])
def test_numbers_are_those_of_the_library(name):
    if name not in find_mpis():
        pytest.skip(f"no {name} here")
    words = ("--param", "coll", "tuned", "--level", "9", "--parsable")
    info = Path(find_mpis()[name].mpiexec).with_name("ompi_info")
    said = subprocess.run([info, *words], capture_output=True, text=True, check=True).stdout
    found = re.findall(r":coll_tuned_bcast_algorithm:enumerator:value:(\d+)[:|](\w+)", said)
    assert found == [(str(number), word) for number, word in enumerate(OPENMPI["bcast"])]
