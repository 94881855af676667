"""The drivers of ``trunkline_papers bench peers``: their settings, and what is said where one cannot run."""

import pytest
from made_up import library

from trunkline.bench.job import Limits, timing_words
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.mpi import Mpi
from trunkline.peers.openmpi_algorithms import OPENMPI
from trunkline_papers.peers import drivers as drivers_module
from trunkline_papers.peers.drivers import choose_drivers
from trunkline_papers.peers.intelmpi import IntelMpiDriver
from trunkline_papers.peers.mpich import MpichDriver
from trunkline_papers.peers.openmpi import OpenMpiDriver

DRIVERS = [
    MpichDriver(library()),
    OpenMpiDriver(library("openmpi", "4.1.4")),
    IntelMpiDriver(library("intelmpi", "2021")),
]


class TestSettings:
    def test_mpich_5_has_topology_trees_and_4_calls_its_nonblocking_ones(self, tmp_path):
        cluster = load_cluster("paper-4")
        current = MpichDriver(library("mpich-5.0.2", "5.0.2")).settings("bcast", cluster, tmp_path)
        wave = next(s for s in current if "topology_wave" in s.name)
        assert "31: 0 3 7" in (tmp_path / "coordinates").read_text()
        assert wave.env["MPIR_CVAR_COORDINATES_FILE"] == str(tmp_path / "coordinates")
        old = MpichDriver(library()).settings("bcast", cluster, tmp_path)
        line = next(s for s in old if s.name == "tsp_tree-kary-1:4096")
        assert line.least_bytes == 4097
        assert line.env["MPIR_CVAR_BCAST_INTRA_ALGORITHM"] == "nb"
        assert line.env["MPIR_CVAR_IBCAST_TREE_PIPELINE_CHUNK_SIZE"] == "4096"
        assert not any("topology" in s.name for s in old)

    @pytest.mark.parametrize("collective", OPENMPI)
    @pytest.mark.parametrize(
        "driver",
        DRIVERS,
    )
    def test_names_are_unique_and_the_default_comes_first(self, driver, collective, tmp_path):
        settings = driver.settings(collective, load_cluster("paper-1"), tmp_path)
        names = [setting.name for setting in settings]
        assert names[0] == "default"
        assert len(set(names)) == len(names)

    def test_open_mpi_is_told_algorithm_and_segment(self, tmp_path):
        settings = OpenMpiDriver(library("openmpi", "4.1.4")).settings("bcast", load_cluster("paper-1"), tmp_path)
        pipeline = next(s for s in settings if s.name == "pipeline:8192")
        assert pipeline.env["OMPI_MCA_coll_tuned_bcast_algorithm"] == "3"
        assert pipeline.env["OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize"] == "8192"
        assert pipeline.least_bytes == 8193
        numbers = {s.env.get("OMPI_MCA_coll_tuned_bcast_algorithm") for s in settings}
        assert numbers >= set("123456789")

    def test_intel_mpi_is_told_a_number(self, tmp_path):
        driver = IntelMpiDriver(library("intelmpi", "2021"))
        settings = driver.settings("reduce-scatter", load_cluster("paper-1"), tmp_path)
        assert settings[-1].env == {"I_MPI_ADJUST_REDUCE_SCATTER": "5"}

    def test_a_reduction_has_more_chains_and_the_trees_of_adapt(self, tmp_path):
        settings = OpenMpiDriver(library("openmpi", "4.1.4")).settings("reduce", load_cluster("paper-1"), tmp_path)
        by_name = {setting.name: setting.env for setting in settings}
        assert by_name["chain-8:8192"]["OMPI_MCA_coll_tuned_reduce_algorithm"] == "2"
        assert by_name["adapt-pipeline:8192"]["OMPI_MCA_coll_adapt_reduce_algorithm"] == "4"

    def test_the_timing_program_is_told_what_to_beat(self):
        limits = Limits(give_up=2.0, patience_s=60)
        words = timing_words("bcast", load_cluster("paper-1"), [8192, 65536], ["native"], limits, beat=[0.01, 0.0])
        said = " ".join(words)
        assert "--sizes 8192,65536 --algorithms native" in said
        assert "--beat 0.010000000,0.000000000 --give-up 2.0 --patience 60" in said


class TestChoosing:
    def test_what_is_missing_is_said_and_left_out(self, monkeypatch):
        found = {"openmpi": Mpi("openmpi", "openmpi", "4.1.4", "mpicc", "/nowhere/mpiexec", "l")}
        monkeypatch.setattr(drivers_module, "find_peers", lambda: found)
        with pytest.raises(BadInput, match=r"openmpi: /nowhere/mpiexec is missing.*lam: not found.*make peers"):
            choose_drivers([], "bcast")
        with pytest.raises(BadInput, match="no peer 'horovod'"):
            choose_drivers(["horovod"], "bcast")
