"""The study of one's own cluster: steps that traces suggest are tried and kept where they gain, and what is told."""

import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_run import write_run
from test_trace_suggest import TWO_ROOMS

from trunkline import _core
from trunkline.hierarchy import Hierarchy, hierarchical_plan
from trunkline.trace.analysis import analyse
from trunkline.trace.folder import find_job
from trunkline.trace.suggest import Suggestion
from trunkline_papers.allreduce.gsum import GsumJob
from trunkline_papers.allreduce.own import other_entries, steps_from, with_claims
from trunkline_papers.allreduce.page import study_page
from trunkline_papers.allreduce.study import study_gsum


class MadeJob(GsumJob):
    """Jobs that never were: to combine an operand, or to send one message, takes longer than the ways."""

    def __init__(self, cluster, ranks_on, noise=()):
        lab = SimpleNamespace(cluster=cluster, rate_bps=1e8, host_costs="")
        super().__init__(lab, SimpleNamespace(name="mpich", version="4.0.2"), ranks_on, [4], 10)
        self.__dict__.update(noise=iter(noise), ran=[])

    def run(self, plan, trace=None, more=None, *, chooses=False):
        self.ran.append(plan.stem if plan else "auto" if chooses else "native")
        if plan is None and not chooses:
            return {4: 1e-3}
        if chooses:
            plan_file = hierarchical_plan(self.lab.cluster, "allreduce", Hierarchy(2, 2, 0), self.placement, 0).file
        else:
            plan_file = _core.read_plan(str(plan))
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) if trace is None else trace
            hosts = plan_file.host_of_rank
            write_run(
                place,
                plan_file,
                self.lab.cluster,
                link_us=lambda a, b: 2.0 if hosts[a] == hosts[b] else 20.0,
                step_us=lambda rank: 30.0,
            )
            [group] = analyse(find_job(str(place))).groups
        return {4: group.imbalance.inside * 1e-6 * next(self.noise, 1.0)}


@pytest.fixture
def rooms():
    return _core.parse_cluster(TWO_ROOMS.replace("0-7", "0-3"), "two-rooms.yaml")


def studied(job, folder, words=("steps", "auto", "native"), tries=8, turns=2):
    stepped = steps_from(job, turns, tries, folder)
    entries = [*stepped.entries, *other_entries([word for word in words if word != "steps"], ["initial"])]
    return stepped, study_gsum(job, with_claims(entries, job), turns, folder, traced=stepped.traced)


def test_steps_of_ones_own_cluster_gain_until_none_does(rooms, tmp_path):
    """Eight ranks on each of 8 hosts, all served by one rank: more levels gain."""
    job = MadeJob(rooms, [8] * 8)
    stepped, study = studied(job, tmp_path)
    names = [one.name for one in study.studied]
    assert names[:2] == ["initial", "step-1"]
    assert names[-2:] == ["auto", "native"]
    kept = [one for one in study.studied if one.configuration.pointed.endswith(": kept")]
    assert kept, stepped.ended
    for one in kept:
        [over] = [found for found in one.compared if found.claim.over == one.configuration.step.partition(",")[0]]
        assert over.here.value > 1.0
        assert over.claim.times is None
    last = kept[-1]
    advice = last.advice(4)
    assert stepped.ended.startswith(f"after {last.name}: ")
    assert not [one for one in advice.steps if isinstance(one, Suggestion)] or "tried" in stepped.ended
    assert kept[0].configuration.step.removeprefix("initial, ") == study.studied[0].advice(4).steps[0].words


def test_a_step_that_is_no_gain_is_told_and_left(rooms, tmp_path):
    """Its jobs come second in each pair, and take three times as long as they would."""
    job = MadeJob(rooms, [8] * 8, noise=[1.0, *([1.0, 3.0] * 2 * 3)])
    stepped = steps_from(job, 2, 8, tmp_path)
    tried = stepped.entries[1:]
    assert 1 <= len(tried) <= 3
    assert all(one.configuration.step.startswith("initial, ") for one in tried)
    assert all(one.configuration.pointed.endswith("2 pairs of jobs: not kept") for one in tried)
    assert stepped.ended == "after initial: no step that was tried is faster beyond doubt"
    assert job.ran.count("initial") == 1 + 2 * len(tried), "traced once, and once in each pair"


def test_no_more_steps_than_asked_for(rooms, tmp_path):
    stepped = steps_from(MadeJob(rooms, [8] * 8), 1, 1, tmp_path)
    assert [one.name for one in stepped.entries] == ["initial", "step-1"]
    assert stepped.ended == "after step-1: --tries 1"


def test_what_is_told_of_ones_own_study(rooms, tmp_path):
    job = MadeJob(rooms, [2] * 8)
    mine = tmp_path / "auto.yaml"
    mine.write_text(_core.write_plan(hierarchical_plan(rooms, "allreduce", Hierarchy(0, 4, 1), job.placement, 0).file))
    _, study = studied(job, tmp_path, ("steps", "auto", str(mine), "native"), tries=1)
    told = study.as_json()
    by_name = {one["configuration"]: one for one in told["configurations"]}
    assert {"initial", "auto", "auto-2", "native"} <= set(by_name), "a file's name gives way to a word"
    assert by_name["auto-2"]["step"] == str(mine)
    [own, native] = by_name["auto-2"]["claims"]
    assert (own["over"], native["over"], native["times_faster_in_paper"]) == ("initial", "native", None)
    assert native["times_faster"] == pytest.approx(1e-3 / by_name["auto-2"]["sizes"][0]["seconds_median"])
    [size] = by_name["native"]["sizes"]
    assert (size["ran"], by_name["native"]["claims"]) == ("native", [])
    assert "slowest_us" not in size
    page = study_page(study)
    assert "the paper" not in page.partition("<h2>")[0].replace("as the allreduce paper did", "")
    assert page.count("<figure") == 2 + len(study.studied)
    assert f"No more steps {study.ended}" in page or not study.ended
