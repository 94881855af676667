"""``trunkline_papers simulate gsum``: the allreduce paper's gains on its own hosts, beside its numbers."""

import pytest

from trunkline import _core
from trunkline_papers.allreduce.simulated import verdict


def test_the_papers_first_steps_are_gains_here_too(papers, tmp_path):
    file = tmp_path / "tuned.yaml"
    words = ("--plans", "initial,tuned,native,steps,papers/plans/quad8W.yaml", "--tuned-plan", file)
    rows = papers("simulate", "gsum", "--cluster", "8w", *words, "--json", "-").data
    by_plan = {(row["algorithm"], row["message_bytes"]): row for row in rows}
    assert {row["ranks"] for row in rows} == {32}
    assert {row["host_costs"] for row in rows} == {"pentium-pro-200"}
    quad = by_plan["quad8W", 4]
    assert [(one["over"], one["times_faster_in_paper"], one["verdict"]) for one in quad["claims"]] == [
        ("nary8W", 1.17, "as in the paper")
    ]
    assert quad["claims"][0]["times_faster_by_threads"] > 1.15
    # The same plan by three names.
    assert by_plan["initial", 4]["seconds_median"] == by_plan["nary8W", 4]["seconds_median"]
    assert by_plan["papers/plans/quad8W.yaml", 4]["seconds_median"] == pytest.approx(quad["seconds_median"], rel=0.01)
    assert by_plan["papers/plans/quad8W.yaml", 4]["seconds_by_threads"] == pytest.approx(quad["seconds_by_threads"])
    for size in (4, 256):
        tuned = by_plan["tuned", size]
        others = [row["seconds_median"] for (name, at), row in by_plan.items() if at == size and name != "native"]
        assert tuned["seconds_median"] == min(others)
        assert tuned["over_initial"] >= 1.1
        assert by_plan["native", size]["ran"].endswith(" among hosts")
        assert by_plan["native", size]["seconds_by_threads"] is None
    # A call takes the plan of its size.
    assert [plan.collective for plan in _core.read_plans(str(file)).plans].count("allreduce") >= 1
    again = papers("simulate", "gsum", "--cluster", "8w", "--plans", file, "--json", "-").data
    for row in again:
        assert row["seconds_median"] == pytest.approx(by_plan["tuned", row["message_bytes"]]["seconds_median"])


def test_ranks_of_a_host_combine_as_they_come(papers):
    """The sums are right, and reducing takes less where ranks are woken one after another."""
    words = ("simulate", "gsum", "--cluster", "8w", "--plans", "initial", "--sizes", "4", "--json", "-")
    (by_plan,), (by_arrival,) = (papers(*words, *more).data for more in ((), ("--by-arrival",)))
    assert (by_plan["by_arrival"], by_arrival["by_arrival"]) == (False, True)
    assert by_arrival["seconds_median"] < by_plan["seconds_median"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cluster", "8w", "--plans", "first"], "there is no 'first'; there are: initial, tuned, native, steps, and"),
        (["--cluster", "cyclic", "--plans", "steps"], "those are of 8w, 4w, now, blade, 4w+8w"),
        (["--cluster", "8w", "--plans", "steps", "--ranks-per-host", "4"], "with the paper's ranks a host"),
        (["--cluster", "8w", "--plans", "native", "--tuned-plan", "x.yaml"], "nothing is tuned"),
        (["--cluster", "8w", "--sizes", "6"], "6 is no multiple of 4"),
        (["--cluster", "8w", "--host-costs", "pentium"], "there are: free, mpich"),
        (["--cluster", "8w", "--plans", "papers/plans/binary4W.yaml"], "was laid over cluster 4w as it was"),
    ],
)
def test_what_is_wrong_is_said(papers_refused, words, message):
    assert message in " ".join(papers_refused("simulate", "gsum", *words).split())


@pytest.mark.parametrize(
    ("paper", "here", "words"),
    [
        (1.17, 1.20, "as in the paper"),
        (1.49, 1.20, "less than in the paper"),
        (0.67, 0.78, "less than in the paper"),
        (1.37, 2.25, "more than in the paper"),
        (1.07, 0.99, "differs"),
        (1.0, 1.15, "differs"),
        (1.0, 1.02, "as in the paper"),
    ],
)
def test_verdicts(paper, here, words):
    assert verdict(paper, here) == words
