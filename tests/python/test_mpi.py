"""The lines that start MPI jobs on a lab, for libraries that need not be there."""

import json

import pytest

from trunkline import mpi as mpis
from trunkline.errors import BadInput
from trunkline.mpi import Mpi
from trunkline.paths import IDLE_SHIM

HOSTS = ["n1", "n2", "n3", "n4"]


@pytest.fixture
def library(tmp_path):
    launcher = tmp_path / "mpiexec"
    launcher.touch()

    def make(name, family, version):
        return Mpi(name, family, version, "mpicc", str(launcher), "libmpi.so")

    return make


def launch(library, **changes):
    job = {
        "hosts": HOSTS,
        "ranks": 4,
        "ranks_per_host": 1,
        "program": ["./a.out", "x"],
        "agent": "/lab/agent",
    } | changes
    return library.launch(**job)


def after(words, option):
    return words[words.index(option) + 1]


@pytest.mark.parametrize(("family", "version"), [("mpich", "4.0.2"), ("mpich", "5.0.2")])
def test_mpich_reaches_hosts_through_the_agent_and_talks_tcp(library, family, version):
    words, _ = launch(library("mpich", family, version))
    assert after(words, "-launcher-exec") == "/lab/agent"
    assert after(words, "-hosts") == "n1:1,n2:1,n3:1,n4:1"
    assert words[-2:] == ["./a.out", "x"]
    settings = dict(zip(words[words.index("-genv") + 1 :: 3], words[words.index("-genv") + 2 :: 3], strict=False))
    if version.startswith("5"):
        assert (settings["MPIR_CVAR_CH4_NETMOD"], settings["FI_PROVIDER"]) == ("ofi", "tcp")
    else:
        assert settings["UCX_NET_DEVICES"] == "eth0"
        assert settings["UCX_TLS"] == "tcp,self"  # shared memory wakes nobody
    assert settings["LD_PRELOAD"] == str(IDLE_SHIM)


def test_hosts_may_have_different_numbers_of_ranks(library):
    words, _ = launch(library("mpich", "mpich", "4.0.2"), ranks_per_host=[2, 1, 3, 1], ranks=5)
    assert after(words, "-hosts") == "n1:2,n2:1,n3:3"
    with pytest.raises(BadInput, match="8 ranks do not fit on 4 hosts with 1 and 2 and 3; at most 7 do"):
        launch(library("mpich", "mpich", "4.0.2"), ranks_per_host=[2, 1, 3, 1], ranks=8)
    with pytest.raises(BadInput, match="equally many ranks on each host, not 1 and 2 and 3"):
        launch(library("intelmpi", "intelmpi", "2021.13"), ranks_per_host=[2, 1, 3, 1], ranks=5)


def test_openmpi_reaches_hosts_through_the_agent_and_talks_tcp(library):
    words, env = launch(library("openmpi", "openmpi", "5.0.11"))
    assert after(words, "plm_rsh_agent") == "/lab/agent"
    assert after(words, "btl") == "tcp,self"
    assert after(words, "btl_tcp_if_include") == "eth0"
    assert after(words, "-H") == "n1:1,n2:1,n3:1,n4:1"
    assert "op" not in words
    assert env["OMPI_ALLOW_RUN_AS_ROOT"] == env["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"


def test_debians_openmpi_does_without_its_faulty_sums(library):
    words, _ = launch(library("openmpi", "openmpi", "4.1.4"))
    assert after(words, "op") == "^avx"


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_preloaded_libraries_come_before_the_idle_shim(library, family):
    words, _ = launch(library(family, family, "4.1.4"), preload=["/lib/one.so"], env={"TRUNKLINE_STRICT": "1"})
    said = " ".join(words)
    assert f"/lib/one.so:{IDLE_SHIM}" in said
    assert "TRUNKLINE_STRICT" in said


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_ranks_fill_hosts_in_order_and_no_host_is_idle(library, family):
    words, _ = launch(library(family, family, "4.1.4"), ranks=5, ranks_per_host=2)
    assert "n1:2,n2:2,n3:2" in words
    assert after(words, "-n") == "5"


@pytest.mark.parametrize("ranks", [0, 9])
def test_ranks_that_do_not_fit_are_refused(library, ranks):
    with pytest.raises(BadInput, match="do not fit on 4 hosts with 2 each; at most 8 do"):
        launch(library("mpich", "mpich", "4.0.2"), ranks=ranks, ranks_per_host=2)


def test_a_launcher_that_is_gone_is_named(library, tmp_path):
    gone = library("mpich", "mpich", "4.0.2")
    (tmp_path / "mpiexec").unlink()
    with pytest.raises(BadInput, match=r"mpiexec is gone.*apt-get install mpich libmpich-dev"):
        launch(gone)


@pytest.fixture
def found(tmp_path, monkeypatch):
    file = tmp_path / "mpis.json"
    monkeypatch.setattr(mpis, "_FOUND", tmp_path)
    monkeypatch.setattr(mpis, "kept_folders", lambda: [tmp_path / "environment", tmp_path / "own"])

    def write(*names, into=file, version="4.0.2"):
        entry = {"family": "mpich", "version": version, "mpicc": "c", "mpiexec": "e", "library": "l"}
        into.parent.mkdir(parents=True, exist_ok=True)
        into.write_text(json.dumps([{"name": name, **entry} for name in names]))

    return write


def test_libraries_are_found_by_name(found):
    found("mpich", "mpich-5.0.2")
    assert list(mpis.find_mpis()) == ["mpich", "mpich-5.0.2"]
    assert mpis.require_mpi("mpich-5.0.2").name == "mpich-5.0.2"


def test_kept_libraries_come_behind_those_of_the_package(found, tmp_path):
    found("mpich")
    found("mpich", into=tmp_path / "own" / "mpich" / "lib" / "mpis.json", version="1")
    found("mpich-4.3.1", into=tmp_path / "own" / "mpich-4.3.1" / "lib" / "mpis.json", version="1")
    found("mpich-4.3.1", into=tmp_path / "environment" / "mpich-4.3.1" / "lib" / "mpis.json", version="4.3.1")
    assert {name: mpi.version for name, mpi in mpis.find_mpis().items()} == {"mpich": "4.0.2", "mpich-4.3.1": "4.3.1"}


def test_packages_bring_a_file_each(found, tmp_path):
    """Such as Debian's trunkline-mpich and trunkline-openmpi, into one folder."""
    found("mpich", into=tmp_path / "mpis-mpich.json")
    found("openmpi", into=tmp_path / "mpis-openmpi.json")
    assert list(mpis.find_mpis()) == ["mpich", "openmpi"]


def test_a_familys_name_stands_for_its_one_library(found):
    found("mpich-4.3.1")
    assert mpis.require_mpi("mpich").name == "mpich-4.3.1"
    found("mpich-4.3.1", "mpich-5.0.2")
    with pytest.raises(BadInput, match=r"'mpich' may be any of mpich-4\.3\.1, mpich-5\.0\.2; name one"):
        mpis.require_mpi("mpich")


def test_a_missing_library_names_its_debian_packages(found):
    found("mpich")
    with pytest.raises(BadInput, match="an MPI library 'openmpi' yet.*apt-get install openmpi-bin libopenmpi-dev"):
        mpis.require_mpi("openmpi")
    with pytest.raises(
        BadInput, match="an MPI library 'mpich-9' yet; there is one for: mpich; .*'trunkline library --b"
    ):
        mpis.require_mpi("mpich-9")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *[("ompi", "openmpi"), ("OpenMPI", "openmpi"), ("open-mpi", "openmpi"), ("open_mpi", "openmpi")],
        *[("ompi-5.0.11", "openmpi-5.0.11"), ("mpcih", "mpich"), ("impi", "intelmpi"), ("opnmpi", "openmpi")],
    ],
)
def test_another_name_for_a_library_is_understood(found, name, meant):
    found("mpich", "openmpi", "intelmpi")
    with pytest.raises(
        BadInput, match=f"there is no MPI library '{name}'; the nearest is {meant}; there is one for: m"
    ):
        mpis.require_mpi(name)


@pytest.mark.parametrize("name", ["mvapich", "mpich-9", "openmpi-6.0", "lam"])
def test_a_library_of_its_own_is_no_slip(found, name):
    found("mpich", "openmpi")
    with pytest.raises(BadInput, match=f"there is no preload library for an MPI library '{name}' yet"):
        mpis.require_mpi(name)


def test_without_any_library_there_is_none(found):
    assert mpis.find_mpis() == {}
    with pytest.raises(BadInput, match="apt-get install mpich"):
        mpis.require_mpi("mpich")


def test_settings_of_the_caller_reach_the_ranks(monkeypatch):
    monkeypatch.setenv("TRUNKLINE_EXPLAIN", "1")
    monkeypatch.setenv("OTHER", "1")
    assert mpis.settings_of()["TRUNKLINE_EXPLAIN"] == "1"
    assert "OTHER" not in mpis.settings_of()


def test_mpi4py_is_told_which_library_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(mpis, "built_for", lambda _: tmp_path)
    debian = Mpi("mpich", "mpich", "4.0.2", "c", "e", "/usr/lib/x/libmpich.so")
    assert debian.settings_of_mpi4py({}) == {"MPI4PY_MPIABI": "mpich"}
    stand_in = tmp_path / "lib" / "mpich-abi"
    stand_in.mkdir(parents=True)
    found = debian.settings_of_mpi4py({"LD_LIBRARY_PATH": "/own", "MPI4PY_MPIABI": "told"})
    assert found == {"MPI4PY_MPIABI": "told", "LD_LIBRARY_PATH": f"{stand_in}:/own"}
    other = Mpi("openmpi-5.0.11", "openmpi", "5.0.11", "c", "e", "/opt/o/lib/libmpi.so")
    assert other.settings_of_mpi4py({}) == {"MPI4PY_MPIABI": "openmpi", "LD_LIBRARY_PATH": "/opt/o/lib"}
    kept = Mpi("openmpi-4.1.4", "openmpi", "4.1.4", "c", "e", "/usr/lib/libmpi.so")
    assert kept.settings_of_mpi4py({}) == {"MPI4PY_MPIABI": "openmpi"}  # the loader looks there by itself
    standard = Mpi("mpiabi-1.0", "mpiabi", "1.0", "c", "e", "/opt/m/lib/libmpi_abi.so")
    assert standard.settings_of_mpi4py({}) == {"MPI4PY_MPIABI": "mpiabi", "LD_LIBRARY_PATH": "/opt/m/lib"}
    intel = Mpi("intelmpi", "intelmpi", "2021", "c", "e", "/opt/i/lib/libmpi.so.12")
    assert intel.settings_of_mpi4py({}) == {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": "/opt/i/lib"}
