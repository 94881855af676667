"""Wrong input is told before a rate is looked for, which takes minutes, and before a lab is up."""

import sys
from dataclasses import replace

import pytest

from trunkline.cluster import load_cluster
from trunkline.lab import rate
from trunkline.mpi import find_mpis

needs_mpich = pytest.mark.skipif("mpich" not in find_mpis(), reason="there is no MPICH here")


@pytest.fixture(autouse=True)
def no_rate(monkeypatch):
    """Nothing may look for a rate; the command runs in a child of ours, and so finds this too."""

    def look(*_):
        raise AssertionError("it looked for a rate")

    monkeypatch.setattr(rate, "auto_rate", look)


@pytest.mark.parametrize("name", ["02:00:00:00:00:01", "rack/h1", "me@h1", "-h1", "..", "h" * 65])
def test_names_that_no_host_of_a_lab_can_have(refused, tmp_path, name):
    """A launcher would take what is behind a colon for a number of ranks; every host has a file of its name."""
    file = tmp_path / "odd.yaml"
    file.write_text(
        "trunkline: cluster/1\nname: odd\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: s0\n"
        f"hosts: [{{hosts: [h0, '{name}'], switch: s0}}]\n"
    )
    message = refused("lab", "exec", file, "--rate", "20Mbit", "--", "true")
    assert message.startswith(f"the lab cannot have a host '{name}': ")


WIDE = (
    "trunkline: cluster/1\nname: wide\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0, s1]\n"
    "hosts: [{hosts: 'h[0-1]', switch: s0}, {hosts: h2, switch: s1}]\nlinks: [{between: [s0, s1], rate: 4Mbit}]\n"
)


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ((), "200 Mbit/s, the most that is tried, 1 MiB takes 11.1 s"),
        (("--rate", "50Mbit"), "50 Mbit/s, 1 MiB takes 44.5 s"),
    ],
)
def test_links_of_very_different_rates(trunkline, monkeypatch, tmp_path, given, at):
    (tmp_path / "wide.yaml").write_text(WIDE)
    monkeypatch.setattr(rate, "auto_rate", lambda *_: 5e6)
    monkeypatch.setattr("trunkline.lab.session.check_obstacles", lambda: sys.exit(7))
    ran = trunkline("lab", "exec", "wide.yaml", *given, "--", "true", cwd=tmp_path)
    assert ran.status == 7
    assert " ".join(ran.error.split()) == (
        "trunkline: warning: links of wide have from 4 Mbit/s to 1 Gbit/s, and the lab keeps the proportions: with the "
        f"fastest at {at} over s0 - s1 alone. --rate sets the fastest link; a copy of the file can bring "
        "others nearer to it"
    )
    assert rate.slow_link(load_cluster("cyclic"), None) is None


NO_HOST = "there is no host 'h99' on cyclic; there are: h[0-31]"
NO_PROGRAM = "cannot run 'no-such-program': no such program on PATH; aliases and built-in words need a shell: -- sh -c "
NO_FILE = "cannot run './a.out': no such file; "


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("exec", "cyclic", "--host", "h99", "--", "true"), NO_HOST),
        (("exec", "cyclic", "--host", "h9", "--", "no-such-program"), NO_PROGRAM),
        (("shell", "cyclic", "--host", "h99"), NO_HOST),
        (("exec", "cyclic", "--", "./a.out"), NO_FILE),
        pytest.param(("run", "cyclic", "--mpi", "mpich", "--", "./a.out"), NO_FILE, marks=needs_mpich),
        pytest.param(
            ("run", "cyclic", "--mpi", "mpich", "-n", "33", "--", "true"),
            "33 ranks do not fit on 32 hosts with 1 each; ",
            marks=needs_mpich,
        ),
    ],
)
def test_of_the_lab(refused, tmp_path, words, message):
    assert refused("lab", *words, cwd=tmp_path).startswith(message)


BENCHES = [
    ("bench", "bcast", "--cluster", "cyclic", "--mpi", "mpich"),
    ("tune", "--cluster", "cyclic", "--mpi", "mpich", "-o", "t.yaml"),
]


@needs_mpich
@pytest.mark.parametrize("words", BENCHES)
def test_a_launcher_that_is_gone(refused, monkeypatch, tmp_path, words):
    gone = {name: replace(mpi, mpiexec=str(tmp_path / "mpiexec")) for name, mpi in find_mpis().items()}
    monkeypatch.setattr("trunkline.mpi.find_mpis", lambda: gone)
    assert "mpiexec is gone: mpich was there when Trunkline was built; " in refused(*words, cwd=tmp_path)


@needs_mpich
@pytest.mark.parametrize("words", BENCHES)
def test_a_preload_library_that_was_not_built(refused, monkeypatch, tmp_path, words):
    monkeypatch.setattr("trunkline.mpi.preload_library", lambda name: tmp_path / name)
    said = refused(*words, cwd=tmp_path)
    assert said.startswith(
        "no preload library was built for mpich; now that it is installed, run 'trunkline library --b"
    )


@needs_mpich
@pytest.mark.parametrize("words", BENCHES[1:])
def test_tables_of_another_library(refused, measured_tables, tmp_path, words):
    tables = measured_tables(load_cluster("cyclic"), mpi="openmpi")
    message = refused(*words, "--measured", tables, cwd=tmp_path)
    assert "was measured under openmpi 4.0.2, which says nothing about mpich; " in message
