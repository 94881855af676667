"""The lists of the algorithms that MPI libraries bring."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from trunkline.mpi import Mpi, find_mpis
from trunkline.peers.algorithm import in_variables
from trunkline.peers.algorithms import own_algorithms
from trunkline.peers.openmpi_algorithms import OPENMPI


def library(family, version):
    return Mpi(family, family, version, "mpicc", "mpiexec", "libmpi.so")


LIBRARIES = [library("mpich", "4.0.2"), library("mpich", "5.0.2"), library("openmpi", "4.1.4")]


@pytest.mark.parametrize("collective", OPENMPI)
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.version)
def test_every_one_is_another(mpi, collective):
    found = own_algorithms(mpi, collective, 1 << 20, 32)
    few = dict.fromkeys(("barrier", "alltoallv", "gather", "scatter", "scan", "exscan"), 0)
    least = (few | {"bcast": 10, "alltoall": 2}).get(collective, 3)
    assert len({one.name for one in found}) == len(found) > least
    assert len({tuple(sorted(one.environment.items())) for one in found}) == len(found)


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.version)
def test_what_is_no_collective_has_none(mpi):
    assert own_algorithms(mpi, "gatherv", 1 << 20, 32) == []


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


def test_a_number_of_ranks_may_not_be_served():
    def names(ranks):
        return {one.name for one in own_algorithms(LIBRARIES[2], "allgather", 8192, ranks)}

    assert ["two_proc" in names(ranks) for ranks in (2, 4, 5)] == [True, False, False]
    assert ["neighbor" in names(ranks) for ranks in (4, 5)] == [True, False]


@cache
def ompi_info(name):
    words = ("--param", "coll", "tuned", "--level", "9", "--parsable")
    info = Path(find_mpis()[name].mpiexec).with_name("ompi_info")
    return subprocess.run([info, *words], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("collective", OPENMPI)
@pytest.mark.parametrize("name", ["openmpi", "openmpi-5.0.11"])
def test_numbers_are_those_of_the_library(name, collective):
    if name not in find_mpis():
        pytest.skip(f"no {name} here")
    said = ompi_info(name)
    prefix = f":coll_tuned_{in_variables(collective)}_algorithm"
    found = re.findall(rf"{prefix}:enumerator:value:(\d+)[:|]([\w-]+)", said)
    known = [word for word in OPENMPI[collective] if word != "sparbit" or name == "openmpi-5.0.11"]
    assert found == [(str(number), word) for number, word in enumerate(known)]
    variables = {key for one in own_algorithms(find_mpis()[name], collective, 1 << 20, 32) for key in one.environment}
    for variable in variables - {"OMPI_MCA_coll"}:
        assert f":{variable.removeprefix('OMPI_MCA_')}:" in said


@pytest.mark.parametrize("name", ["mpich", "mpich-5.0.2"])
def test_names_and_variables_are_those_of_the_library(name):
    if name not in find_mpis():
        pytest.skip(f"no {name} here")
    mpi = find_mpis()[name]
    path = Path(mpi.library).with_name(Path(mpi.library).resolve().name)
    if script := re.match(rb"INPUT\(([^)]+)\)", path.read_bytes()):
        path = path.with_name(script[1].decode())
    content = path.read_bytes()
    for collective in OPENMPI:
        for one in own_algorithms(mpi, collective, 1 << 20, 32):
            for variable, value in one.environment.items():
                assert variable.encode() + b"\0" in content
                if variable.endswith("ALGORITHM"):
                    assert value.encode() in content
