"""TRUNKLINE_TUNING: what was measured decides, for the network and the library it was measured on."""

import re
from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, Mpi, Outcome
from explained import JSON, explained

from trunkline.cluster import load_cluster
from trunkline.mpi import find_mpis

LINE = {"TRUNKLINE_CLUSTER": "cyclic"} | JSON


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


def run(mpi: Mpi, settings: dict[str, str], ranks: int = 4) -> Outcome:
    done = mpi.run(
        ranks,
        mpi.program("runtime-test"),
        *("--groups", "window,sizes", "--choices", "auto"),
        settings=LINE | settings,
        per_rank=[ON_OWN_HOST],
    )
    assert " passed, 0 failed" in done.out
    return done


def ran(done: Outcome) -> dict[int, tuple[str, int | None]]:
    """By the size of the message: what ran where the tuning file had decided, and in which segments."""
    calls = explained(done.err, chosen_by="tuning")
    return {call["bytes"]: (call["algorithm"], call.get("segment_bytes")) for call in calls}


RULES = (
    "[{from: 0B, algorithm: 3-ary, segment: 64B}, {from: 60B, algorithm: native}, "
    "{from: 70B, algorithm: flat, segment: 500B}]"
)


def test_the_rules_decide(mpi: Mpi, tmp_path: Path):
    rules = {0: ("3-ary", 64), 60: ("native", None), 70: ("flat", 500)}
    sizes = ran(run(mpi, {"TRUNKLINE_TUNING": tuning_file(mpi, tmp_path, RULES)}))
    assert sizes == {size: rules[max(least for least in rules if least <= size)] for size in sizes}
    assert len(set(sizes.values())) == 3


@pytest.mark.parametrize("collective", ["reduce", "allreduce"])
def test_reductions_have_rules_of_their_own(mpi: Mpi, tmp_path: Path, collective: str):
    """Broadcasts of the same program follow the model."""
    rules = "[{from: 0B, algorithm: native}, {from: 3000B, algorithm: flat, segment: 504B}]"
    settings = LINE | {"TRUNKLINE_TUNING": tuning_file(mpi, tmp_path, rules, collective)}
    words = [mpi.program("runtime-mixed"), "300", "5", "1", "auto"]
    done = mpi.run(4, *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert {call["collective"] for call in explained(done.err, chosen_by="tuning")} == {collective}
    assert {(size >= 3000, *what) for size, what in ran(done).items()} == {(False, "native", None), (True, "flat", 504)}


OWN_PLAN = (
    "[{from: 0B, segment: 504B, plan: {shape: custom, ranks: 4, root: 0, sends: {0: [2, 1], 2: [3]}}}, "
    "{from: 3000B, algorithm: native}]"
)


def test_a_rule_holds_a_plan_of_ones_own(mpi: Mpi, tmp_path: Path):
    settings = LINE | {"TRUNKLINE_TUNING": tuning_file(mpi, tmp_path, OWN_PLAN, "allreduce")}
    words = [mpi.program("runtime-mixed"), "300", "5", "1", "auto"]
    done = mpi.run(4, *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert {(size < 3000, *what) for size, what in ran(done).items()} == {
        (True, "custom", 504),
        (False, "native", None),
    }
    reasons = {call["reason"] for call in explained(done.err, chosen_by="tuning", algorithm="custom")}
    assert reasons == {"the plan of line 10 (custom) holds from 0B on (TRUNKLINE_TUNING)"}


def test_other_numbers_of_ranks_follow_the_model(mpi: Mpi, tmp_path: Path):
    done = run(mpi, {"TRUNKLINE_TUNING": tuning_file(mpi, tmp_path, RULES)}, ranks=3)
    assert explained(done.err)
    assert ran(done) == {}


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
    [warning] = done.warnings()
    assert re.search(what, warning)
    assert "runs natively on all ranks" in warning


def test_a_file_for_the_topology_holds_at_other_rates_and_says_so(mpi: Mpi, tmp_path: Path):
    topology = f"'{load_cluster('cyclic').topology_fingerprint:016x}'"
    for rate, warned in (("941Mbit", True), ("95Mbit", False)):  # the cluster states 100 Mbit/s
        rates = f"[{{from: h0, to: h1, rate: {rate}}}]"
        elsewhere = {"cluster_fingerprint": "'0123456789abcdef'", "topology_fingerprint": topology}
        file = tuning_file(mpi, tmp_path, RULES, **elsewhere, measured_rates=rates)
        done = run(mpi, {"TRUNKLINE_TUNING": file})
        assert ran(done)
        assert len(done.warnings()) == warned
        assert done.err.count("tuning file was measured at other rates") == warned
        assert done.err.count("h0 - h1, 941 Mbit/s measured, 100 Mbit/s stated") == warned


def test_different_files_on_different_ranks_are_found(mpi: Mpi, tmp_path: Path):
    for name, rules in (("a", RULES), ("b", "[{from: 0B, algorithm: native}]")):
        (tmp_path / name).mkdir()
        tuning_file(mpi, tmp_path / name, rules)
    script = f'cd {tmp_path}; case "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" in 0) cd a;; *) cd b;; esac; exec "$@"'
    settings = LINE | {"TRUNKLINE_TUNING": "./tuning.yaml"}
    done = mpi.run(2, mpi.program("runtime-hello"), settings=settings, per_rank=["sh", "-c", script, "sh", ON_OWN_HOST])
    assert "rank 1 on h1 was given another tuning file (TRUNKLINE_TUNING) than rank 0" in done.err, done.err


def test_a_faulty_file(mpi: Mpi, tmp_path: Path):
    file = tuning_file(mpi, tmp_path, "[]")
    done = mpi.run(4, mpi.program("runtime-hello"), settings=LINE | {"TRUNKLINE_TUNING": file}, per_rank=[ON_OWN_HOST])
    assert "tuning.yaml:10:12: rules is empty" in done.warnings()[0]
