"""TRUNKLINE_MEASURED: tables of ``trunkline measure`` decide, for the network and the library they were measured on."""

from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, Mpi, Outcome
from explained import JSON, explained

from trunkline.cluster import load_cluster
from trunkline.mpi import find_mpis
from trunkline.paths import CLUSTERS

WIRE = {"1KiB": 1154, "8KiB": 8772, "32KiB": 34878}
"""Bytes on the wire."""


def tables(library: Mpi, folder: Path, rate_bps: float, **other: str) -> str:
    """Of hosts two and three links apart, on links of that rate; hosts take 5 us."""
    values = {
        "cluster": "cyclic",
        "cluster_fingerprint": f"'{load_cluster('cyclic').fingerprint:016x}'",
        "mpi": library.family,
        "mpi_version": f"'{find_mpis()[library.name].version}'",
    } | other
    text = "trunkline: measurement/1\ndate: '2026-01-01'\n" + "".join(f"{k}: {v}\n" for k, v in values.items())
    text += "distances:\n"
    for channels, to in ((2, "h4"), (3, "h1")):
        text += f"  - channels: {channels}\n    between: [h0, {to}]\n    eager_limit: 16KiB\n    points:\n"
        for size, wire in WIRE.items():
            us = wire * 8e6 / rate_bps
            trip = 2 * (us * channels + 30)
            text += f"      - {{size: {size}, round_trip: {trip:.4g}us, gap: {us:.4g}us, send: 5us, receive: 5us, "
            text += "spread: 0.01}\n"
    file = folder / "net.yaml"
    file.write_text(text)
    return str(file)


def run(mpi: Mpi, settings: dict[str, str]) -> Outcome:
    done = mpi.run(
        4,
        mpi.program("runtime-test"),
        *("--groups", "window", "--choices", "auto"),
        settings={"TRUNKLINE_CLUSTER": "cyclic"} | JSON | settings,
        per_rank=[ON_OWN_HOST],
    )
    assert " passed, 0 failed" in done.out
    return done


def decide(done: Outcome, tables: str = "TRUNKLINE_MEASURED") -> bool:
    """Whether these tables decide."""
    return any(call["reason"].endswith(f"({tables})") for call in explained(done.err, chosen_by="prediction"))


def test_tables_decide_and_contradictions_are_told_once(any_mpi: Mpi, tmp_path: Path):
    """A tenth of the stated rate: all that is predicted takes ten times as long."""
    done = run(any_mpi, {"TRUNKLINE_MEASURED": tables(any_mpi, tmp_path, 1e7)})
    assert done.warnings() == [
        "measured rates are not those of the cluster file; decisions follow the measured ones:\n"
        "  h0 - h4, 2 links apart: 10 Mbit/s measured, 100 Mbit/s stated",
    ]
    assert decide(done)


def test_tables_that_agree_say_nothing(mpi: Mpi, tmp_path: Path):
    done = run(mpi, {"TRUNKLINE_MEASURED": tables(mpi, tmp_path, 1e8)})
    assert not done.warnings()
    assert decide(done)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"cluster_fingerprint": "'0123456789abcdef'"}, "not on cyclic as it is now: measure again"),
        ({"mpi_version": "'1.0'"}, "which says nothing about"),
        ({"mpi": "lam"}, "was measured on cyclic under lam"),
        ({"date": "", "distances": "[]"}, "net.yaml:"),
    ],
)
def test_tables_for_others_are_one_warning_and_native(mpi: Mpi, tmp_path: Path, other: dict[str, str], message: str):
    done = run(mpi, {"TRUNKLINE_MEASURED": tables(mpi, tmp_path, 1e8, **other)})
    [warning] = done.warnings()
    assert message in warning
    assert not explained(done.err)


def test_other_tables_on_one_rank_are_found(mpi: Mpi, tmp_path: Path):
    mine, theirs = tmp_path / "a", tmp_path / "b"
    mine.mkdir()
    theirs.mkdir()
    first, other = tables(mpi, mine, 1e8), tables(mpi, theirs, 9e7)
    script = f'test "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = 1 && export TRUNKLINE_MEASURED={other}; exec "$@"'
    done = mpi.run(
        2,
        mpi.program("runtime-hello"),
        settings={"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_MEASURED": first},
        per_rank=[ON_OWN_HOST, "sh", "-c", script, "sh"],
    )
    assert (
        "of costs (TRUNKLINE_HOST_COSTS, TRUNKLINE_MEASURED or the tables that the cluster file names) than rank 0"
        in done.err
    )


def test_the_cluster_file_names_its_tables(mpi: Mpi, tmp_path: Path):
    tables(mpi, tmp_path, 1e8)
    text = (CLUSTERS / "cyclic.yaml").read_text().replace("switches:", "measured: net.yaml\nswitches:", 1)
    file = tmp_path / "own.yaml"
    file.write_text(text)
    done = run(mpi, {"TRUNKLINE_CLUSTER": str(file)})
    assert not done.warnings()
    assert decide(done, "the cluster file's measured tables")
    other = tmp_path / "other"
    other.mkdir()
    done = run(mpi, {"TRUNKLINE_CLUSTER": str(file), "TRUNKLINE_MEASURED": tables(mpi, other, 1e8)})
    assert decide(done)
    assert not decide(done, "the cluster file's measured tables")
    (tmp_path / "net.yaml").unlink()
    [warning] = run(mpi, {"TRUNKLINE_CLUSTER": str(file)}).warnings()
    assert "own.yaml:7:11: measured: " in warning
    assert "net.yaml: cannot be read" in warning
