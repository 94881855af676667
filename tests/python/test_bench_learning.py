"""What `bench learn` tells a job wrongly, and what it makes of a job's figures."""

import json
import re
from dataclasses import replace

import pytest

from trunkline import _core
from trunkline.bench.learning import Learned, read_learned, wrong_text
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.report.chart import learning_picture


def text_of(name):
    return _core.write_cluster(load_cluster(name))


@pytest.mark.parametrize("name", ["paper-4", "cyclic", "four-site"])
def test_swapped_switches_change_places_among_the_links(name):
    right, wrong = text_of(name), wrong_text(text_of(name), "swapped")
    assert right != wrong
    assert _core.parse_cluster(wrong, "").fingerprint != _core.parse_cluster(right, "").fingerprint
    assert wrong_text(wrong, "swapped") == right
    assert right.partition("\nlinks:\n")[0] == wrong.partition("\nlinks:\n")[0]


def test_swapping_needs_three_switches():
    with pytest.raises(BadInput, match="three switches"):
        wrong_text(text_of("two-site"), "swapped")


def test_links_are_said_to_be_ten_times_as_fast():
    network = _core.parse_cluster(wrong_text(text_of("four-site"), "tenfold"), "")
    right = load_cluster("four-site")
    assert [link.rate_bps for link in network.links] == [10 * link.rate_bps for link in right.links]


JOB = Learned(
    *("cyclic", 1e7, "mpich", 4, "bcast", 8, "", "a:1", "b:2", 40),
    ours_ms=[4.0, 3.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0],
    native_ms=[2.0] * 8,
)


def test_figures_of_a_job():
    assert JOB.settled_ms == JOB.best_ms == 1.0
    assert JOB.over_native == 0.5
    assert JOB.lost_ms == pytest.approx(10 * (15 - 16))
    assert JOB.lost_so_far_ms[:3] == [20.0, 30.0, 30.0]
    assert JOB.regret_ms == JOB.regret_so_far_ms[-1] == pytest.approx(10 * (15 - 8))
    assert JOB.allowed_so_far_ms[:2] == pytest.approx([20 + 0.4, 20 + 0.7]), "20 ms, and 1 % of the time"
    assert JOB.as_json()["over_native"] == 0.5


def test_native_calls_may_be_the_best():
    job = replace(JOB, ours_ms=[2.5] * 8)
    assert job.best_ms == 2.0
    assert job.regret_ms == job.lost_ms == pytest.approx(10 * 4)


def test_kept_figures_are_read(tmp_path):
    file = tmp_path / "kept.json"
    file.write_text(json.dumps([JOB.as_json(), replace(JOB, settled_after=None).as_json()]))
    assert read_learned(str(file)) == [JOB, replace(JOB, settled_after=None)]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"native_ms": [2.0]}, "a job has not as many native batches as others, or none"),
        ({"ours_ms": [], "native_ms": []}, "a job has not as many native batches as others, or none"),
        ({"settled_after": "soon"}, "settled_after is 'soon', not a count, or null"),
        ({"mpi": 4}, "mpi is 4, not a text"),
    ],
)
def test_what_is_none_of_them_is_told(changed, words, tmp_path):
    file = tmp_path / "kept.json"
    file.write_text(json.dumps([{**JOB.as_json(), **changed}]))
    with pytest.raises(BadInput) as told:
        read_learned(str(file))
    assert str(told.value) == f"{file}: is not what 'trunkline bench learn --json' writes now: {words}"


def test_a_page_of_kept_figures(tmp_path, trunkline):
    kept, page = tmp_path / "kept.json", tmp_path / "page.html"
    kept.write_text(json.dumps([JOB.as_json(), replace(JOB, settled_after=None, wrong="swapped").as_json()]))
    ran = trunkline("bench", "learn", "--from", kept, "--report", page)
    assert ran.status == 0, ran.error
    assert re.search(r"mpich +8 B +right +a:1 +b:2 +40 calls +2.00 ms +1.00 ms +0.50 +-0.01 s +0.07 s", ran.error)
    text = page.read_text()
    assert text.count("<svg") == 2
    assert "MPI_Bcast of 8 B, mpich, 4 ranks on cyclic at 10 Mbit/s: a:1 was predicted, b:2 was found." in text
    assert "cluster file swapped: a:1 was predicted, not settled, b:2 at the end." in text


def test_the_picture_says_when_all_was_settled():
    assert "settled after 40 calls" in learning_picture(JOB)
    assert "settled" not in learning_picture(replace(JOB, settled_after=None))


def test_without_kept_figures_jobs_need_a_place(refused):
    assert "say where to run jobs: --cluster and --mpi; or --from FILE" in refused("bench", "learn", "--mpi", "mpich")
