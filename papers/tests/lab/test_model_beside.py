import json

import pytest
from busy_machine import measures

pytestmark = pytest.mark.usefixtures("nothing_left")


@measures
def test_the_model_beside_measurements(papers, tmp_path):
    data, drawing = tmp_path / "model.json", tmp_path / "model.svg"
    words = ("--cluster", "paper-1", "--mpi", "mpich", "--rate", "20Mbit", "--sizes", "8KiB", "--segments", "512,4KiB")
    repeated = ("--algorithms", "linear", "--least", "2", "--budget", "0.1", "--json", str(data), "--svg", str(drawing))
    done = papers("bench", "model", *words, *repeated)
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = json.loads(data.read_text())
    measured = {point["segment_bytes"]: point["seconds_median"] for point in row["points"]}
    assert {512, 4096, row["chosen"]["segment_bytes"]} == set(measured)
    assert row["best"]["seconds_median"] == min(measured.values())
    assert measured[4096] > 1.5 * measured[512]  # two segments on a line of 16 hosts are no pipeline
    assert row["paper"] == [256, 256]
    assert drawing.read_text().startswith("<svg")
