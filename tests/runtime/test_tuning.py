"""TRUNKLINE_TUNING: what was measured decides, for the network and the library it was measured on."""

import re
from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, Mpi

from trunkline.cluster import load_cluster
from trunkline.mpi import find_mpis

LINE = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_EXPLAIN": "1"}


def tuning_file(mpi: Mpi, folder: Path, rules: str, collective: str = "bcast", **other: str) -> str:
    values = {
        "cluster_fingerprint": f"'{load_cluster('cyclic').fingerprint:016x}'",
        "mpi": mpi.family,
        "mpi_version": f"'{find_mpis()[mpi.name].version}'",
    } | other
    file = folder / "tuning.yaml"
    file.write_text(
        "trunkline: tuning/1\nentries:\n"
        f"  - collective: {collective}\n"
        "    cluster: cyclic\n    hosts: 4\n    ranks_per_host: 1\n"
        + "".join(f"    {key}: {value}\n" for key, value in values.items())
        + f"    rules: {rules}\n"
    )
    return str(file)


def said(mpi: Mpi, settings: dict[str, str], ranks: int = 4) -> list[str]:
    done = mpi.run(
        ranks,
        mpi.program("runtime-test"),
        *("--groups", "window,sizes", "--choices", "auto"),
        settings=LINE | settings,
        per_rank=[ON_OWN_HOST],
    )
    assert " passed, 0 failed" in done.out
    return done.lines("trunkline: ")


RULES = (
    "[{from: 0B, algorithm: 3-ary, segment: 64B}, {from: 60B, algorithm: native}, "
    "{from: 70B, algorithm: flat, segment: 500B}]"
)


def test_the_rules_decide(mpi: Mpi, tmp_path: Path):
    lines = said(mpi, {"TRUNKLINE_TUNING": tuning_file(mpi, tmp_path, RULES)})
    sizes = {}
    for line in lines:
        found = re.search(r"MPI_Bcast of (\d+)B .* ran (\S+?)(?: with segments of (\d+)B)?[ :]", line)
        if found and "measured fastest" in line:
            sizes[int(found[1])] = found[2].rstrip(":")
    assert sizes
    for size, ran in sizes.items():
        assert ran == ("3-ary" if size < 60 else "native" if size < 70 else "flat"), (size, ran)
    assert len(set(sizes.values())) == 3


@pytest.mark.parametrize(("collective", "call"), [("reduce", "MPI_Reduce"), ("allreduce", "MPI_Allreduce")])
def test_reductions_have_rules_of_their_own(mpi: Mpi, tmp_path: Path, collective: str, call: str):
    """Broadcasts of the same program follow the model."""
    rules = "[{from: 0B, algorithm: native}, {from: 3000B, algorithm: flat, segment: 504B}]"
    settings = LINE | {"TRUNKLINE_TUNING": tuning_file(mpi, tmp_path, rules, collective)}
    words = [mpi.program("runtime-mixed"), "300", "5", "1", "auto"]
    done = mpi.run(4, *words, settings=settings, per_rank=[ON_OWN_HOST])
    found = [re.search(r"(MPI_\w+) of (\d+)B .* ran (\S+?)[ :]", line) for line in done.lines("trunkline: ")]
    told = [one for one in found if one and "measured fastest" in one.string]
    assert {one[1] for one in told} == {call}
    ran = {int(one[2]): one[3].rstrip(":") for one in told}
    assert set(ran.values()) == {"native", "flat"}
    assert all((name == "flat") == (size >= 3000) for size, name in ran.items()), ran


OWN_PLAN = (
    "[{from: 0B, segment: 504B, plan: {shape: custom, ranks: 4, root: 0, sends: {0: [2, 1], 2: [3]}}}, "
    "{from: 3000B, algorithm: native}]"
)


def test_a_rule_holds_a_plan_of_ones_own(mpi: Mpi, tmp_path: Path):
    settings = LINE | {"TRUNKLINE_TUNING": tuning_file(mpi, tmp_path, OWN_PLAN, "allreduce")}
    words = [mpi.program("runtime-mixed"), "300", "5", "1", "auto"]
    done = mpi.run(4, *words, settings=settings, per_rank=[ON_OWN_HOST])
    found = [re.search(r"MPI_Allreduce of (\d+)B .* ran (.*?): (.*?);", line) for line in done.lines("trunkline: ")]
    ran = {int(one[1]): (one[2], one[3]) for one in found if one and "TRUNKLINE_TUNING" in one.string}
    assert {size < 3000 for size in ran} == {True, False}
    for size, (what, why) in ran.items():
        if size >= 3000:
            assert what == "native"
        else:
            assert what.startswith("custom with segments of 504B")
            assert why == "the plan of line 10 (custom) holds from 0B on (TRUNKLINE_TUNING)"


def test_other_numbers_of_ranks_follow_the_model(mpi: Mpi, tmp_path: Path):
    lines = said(mpi, {"TRUNKLINE_TUNING": tuning_file(mpi, tmp_path, RULES)}, ranks=3)
    assert lines
    assert not [line for line in lines if "measured fastest" in line]


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"cluster_fingerprint": "'0123456789abcdef'"}, "nothing in it is for cluster cyclic"),
        ({"mpi_version": "'1.2.3'"}, r"it has: cyclic with \w+ 1\.2\.3"),
    ],
)
def test_a_file_for_another_network_or_library(mpi: Mpi, tmp_path: Path, other: dict[str, str], what: str):
    file = tuning_file(mpi, tmp_path, RULES, **other)
    done = mpi.run(4, mpi.program("runtime-hello"), settings=LINE | {"TRUNKLINE_TUNING": file}, per_rank=[ON_OWN_HOST])
    warnings = done.lines("trunkline: warning: ")
    assert re.search(what, warnings[0])
    assert "runs natively on all ranks" in warnings[1]


def test_a_file_for_the_topology_holds_at_other_rates_and_says_so(mpi: Mpi, tmp_path: Path):
    topology = f"'{load_cluster('cyclic').topology_fingerprint:016x}'"
    for rate, warned in (("941Mbit", True), ("95Mbit", False)):  # the cluster states 100 Mbit/s
        rates = f"[{{from: h0, to: h1, rate: {rate}}}]"
        elsewhere = {"cluster_fingerprint": "'0123456789abcdef'", "topology_fingerprint": topology}
        file = tuning_file(mpi, tmp_path, RULES, **elsewhere, measured_rates=rates)
        lines = said(mpi, {"TRUNKLINE_TUNING": file})
        assert [line for line in lines if "measured fastest" in line]
        told = [line for line in lines if "tuning file was measured at other rates" in line]
        assert len(told) == warned
        assert sum("h0 - h1, 941 Mbit/s measured, 100 Mbit/s stated" in line for line in lines) == warned


def test_a_faulty_file(mpi: Mpi, tmp_path: Path):
    file = tuning_file(mpi, tmp_path, "[]")
    done = mpi.run(4, mpi.program("runtime-hello"), settings=LINE | {"TRUNKLINE_TUNING": file}, per_rank=[ON_OWN_HOST])
    assert "tuning.yaml:10:12: rules is empty" in done.lines("trunkline: warning: ")[0]
