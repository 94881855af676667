"""What calls took, kept cell by cell, and how far predictions are off."""

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import fingerprint_text, load_cluster
from trunkline.errors import BadInput
from trunkline.evidence.cells import Cell, cells_of, predicted_s, read_cells, write_cells
from trunkline.evidence.spread import FEATURES, Compared, compared, spread_of, spreads

ROOT = Path(__file__).parents[2]
OWN = Cell("bcast", "cyclic", 1e9, 1, "mpich", "", "two-tree", 65536, 1448, 2e-3, "simgrid 3.32")
LIBRARYS = replace(OWN, library="openmpi", algorithm="knomial", segment_bytes=0)


def row(**changed):
    """As ``simulate --json`` writes it."""
    network = _core.scaled(load_cluster("cyclic"), 1e9)
    return {
        "collective": "bcast",
        "cluster": "cyclic",
        "cluster_fingerprint": fingerprint_text(network),
        "rate_bps": 1e9,
        "hosts": 32,
        "ranks": 32,
        "host_costs": "mpich",
        "library": "mpich",
        "mpi": "simgrid",
        "mpi_version": "3.32",
        "algorithm": "two-tree:1448",
        "ran": "two-tree",
        "native_algorithm": "",
        "gave_up": False,
        "segment_bytes": 1448,
        "message_bytes": 65536,
        "seconds_median": 2e-3,
        **changed,
    }


def test_the_core_has_the_table_of_the_evidence():
    subprocess.run([sys.executable, ROOT / "tools" / "accuracy_table.py", "--check"], check=True)


def test_a_row_becomes_a_cell():
    assert list(cells_of([row()], "rows.json")) == [OWN]
    native = {"algorithm": "openmpi", "ran": "native", "native_algorithm": "knomial", "segment_bytes": 0}
    assert list(cells_of([row(**native, library="openmpi")], "rows.json")) == [LIBRARYS]


@pytest.mark.parametrize(
    "changed",
    [{"gave_up": True}, {"algorithm": "auto"}, {"algorithm": "auto", "ran": "native", "segment_bytes": 0}],
    ids=["gave up", "auto", "auto ran native"],
)
def test_what_no_algorithm_took_is_left_out(changed):
    assert list(cells_of([row(**changed)], "rows.json")) == []


def test_rows_of_bench_say_what_their_hosts_cost_by_an_option():
    measured = {key: value for key, value in row().items() if key not in ("host_costs", "library", "gave_up")}
    measured |= {"mpi": "openmpi", "mpi_version": "4.1.4", "algorithm": "native", "ran": "native", "segment_bytes": 0}
    del measured["native_algorithm"]
    with pytest.raises(BadInput, match="--host-costs"):
        list(cells_of([measured], "bench.json"))
    (cell,) = cells_of([measured], "bench.json", "shared=12us")
    assert (cell.library, cell.algorithm, cell.by) == ("openmpi", "native", "openmpi 4.1.4")
    assert cell.host_costs == "shared=12us"


def test_a_generated_cluster_is_found_by_the_name_in_results():
    cluster = load_cluster("random:24x6:3")
    rate = max(link.most_bps for link in cluster.links)
    changed = {"cluster": cluster.name, "cluster_fingerprint": fingerprint_text(cluster), "hosts": 24, "ranks": 24}
    (cell,) = cells_of([row(**changed, rate_bps=rate)], "rows.json")
    assert cell.cluster == "random:24x6:3"
    assert predicted_s(cell) > 0.0


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"cluster_fingerprint": "0"}, "row 1: cyclic names no cluster here, or another one"),
        ({"cluster": "mine"}, "row 1: mine names no cluster here, or another one"),
        ({"algorithm": None}, "row 1 is none of"),
    ],
    ids=["another network", "no such name", "no row"],
)
def test_other_rows_are_refused(changed, told):
    with pytest.raises(BadInput, match=told):
        list(cells_of([row(**changed)], "rows.json"))


def test_a_file_keeps_each_cell_once_and_in_order(tmp_path):
    file = str(tmp_path / "cells.json")
    write_cells(file, [LIBRARYS, OWN, OWN])
    assert read_cells(file) == sorted([OWN, LIBRARYS])
    (tmp_path / "other.json").write_text('[{"collective": "bcast"}]')
    with pytest.raises(BadInput, match="no list of cells"):
        read_cells(str(tmp_path / "other.json"))


def test_19_of_20_are_within_the_spread():
    some = [Compared(replace(OWN, seconds=1.0), 1.0 + 0.01 * off) for off in range(20)]
    found = spread_of("of", "ours", some)
    assert found.most == pytest.approx(0.18)
    assert (found.cells, found.within_15, found.within_30) == (20, 16, 20)
    assert (found.least_ratio, found.most_ratio) == (pytest.approx(1 / 1.19), 1.0)


def test_every_cell_is_in_one_row_of_each_feature():
    rows = compared([OWN, LIBRARYS])
    assert [one.cell for one in rows] == [LIBRARYS, OWN]
    found = spreads(rows)
    assert all(sum(one.cells for one in found if one.feature == feature) == 2 for feature in FEATURES)
    by = {one.value for one in found if one.feature in ("relays", "children", "links", "ranks a host")}
    assert by == {"more", "2 or 3", "alone", "the library's", "1"}


def test_a_prediction_is_what_predict_says(trunkline):
    words = ("--cluster", "cyclic", "--rate", "1Gbit", "--host-costs", "mpich", "--sizes", "64KiB", "--json", "-")
    (own,) = trunkline("predict", *words, "--algorithms", "two-tree:1448").data
    assert predicted_s(OWN) == pytest.approx(own["seconds_predicted"])
    (native,) = trunkline("predict", *words, "--algorithms", "native", "--mpi", "openmpi").data
    assert predicted_s(LIBRARYS) == pytest.approx(native["seconds_predicted"])


def test_cells_are_added_and_shown(trunkline, refused, tmp_path):
    rows, file = tmp_path / "rows.json", tmp_path / "cells.json"
    rows.write_text(json.dumps([row(), row(message_bytes=8192)]))
    added = trunkline("evidence", "add", rows, "--file", file)
    assert (added.status, f"{file}: 2 new cells of 2" in added.error) == (0, True)
    assert "0 new cells of 2" in trunkline("evidence", "add", rows, "--file", file).error
    shown = trunkline("evidence", "show", "--file", file)
    assert "Trunkline's own algorithms" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 120
    data = trunkline("evidence", "show", "--file", file, "--json", "-").data
    assert {(one["of"], one["cells"]) for one in data if one["feature"] == "cluster"} == {("trunkline", 2)}
    file.write_text("[]")
    assert "no cell" in refused("evidence", "show", "--file", file)
    rows.write_text(json.dumps(asdict(OWN)))
    assert "no list of rows" in refused("evidence", "add", rows, "--file", file)
