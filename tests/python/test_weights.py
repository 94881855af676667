"""``trunkline plan --weights``: broadcasts over weights that a file states, or that were measured between pairs."""

import json
from datetime import UTC, datetime

import pytest

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.weights import load_weights, plan_over_weights, shape_names

TWO_LANS = """trunkline: weights/1
name: two-lans
hosts: [a1, a2, b1, b2, b3]
injection: 7.3ms
weights:
- [none, 0.1ms, 1.6ms, 1.6ms, 1.6ms]
- [0.1ms, none, 1.6ms, 1.6ms, 1.6ms]
- [1.6ms, 1.6ms, none, 0.1ms, 0.1ms]
- [1.6ms, 1.6ms, 0.1ms, none, 0.1ms]
- [1.6ms, 1.6ms, 0.1ms, 0.1ms, none]
"""


@pytest.fixture
def two_lans(tmp_path):
    file = tmp_path / "weights.yaml"
    file.write_text(TWO_LANS)
    return file


def followed(data, weight_s, injection_s):
    """When each rank has the message, by the paper's two conditions alone."""
    has = {data["root"]: 0.0}
    open_ranks = [data["root"]]
    for rank in open_ranks:
        free = has[rank]
        for child in data["children"][str(rank)]:
            free += injection_s(rank, child)
            has[child] = free + weight_s(rank, child)
            open_ranks.append(child)
    return [has[rank] for rank in range(data["ranks"])]


def test_the_issue_s_command(trunkline, two_lans):
    ran = trunkline("plan", "--weights", two_lans, "--algorithm", "wave", "--bytes", "100000", "--json", "-")
    data = ran.data
    assert (data["weights"], data["collective"], data["shape"], data["root"]) == ("two-lans", "bcast", "wave", 0)
    assert (data["ranks"], data["message_bytes"]) == (5, 100_000)
    assert data["hosts"] == ["a1", "a2", "b1", "b2", "b3"]
    expected = followed(data, lambda u, v: 0.1e-3 if (u < 2) == (v < 2) else 1.6e-3, lambda _u, _v: 7.3e-3)
    assert data["arrival_seconds"] == pytest.approx(expected)
    assert data["seconds"] == pytest.approx(max(expected))
    assert "contention_free" not in data


def test_the_optimum_is_what_trying_all_trees_finds(two_lans):
    weights = load_weights(str(two_lans))
    times = {shape: plan_over_weights(weights, shape, "a1", 1).seconds for shape in shape_names()}
    # Who has it sends on: one host has it at 0, two from 7.4 or 8.9 ms on, and each of five needs an injection of 7.3.
    assert times["optimum"] == pytest.approx(min(times.values()))
    assert times["optimum"] == pytest.approx(3 * 7.3e-3 + 2 * 0.1e-3 + 0.0, abs=2e-3)


def test_a_plan_file_names_hosts_and_no_cluster(trunkline, two_lans, tmp_path):
    file = tmp_path / "plan.yaml"
    options = ("--algorithms", "optimum", "--sizes", "100kB", "--root", "b1", "-o", file, "--segment", "16KiB")
    said = trunkline("plan", "--weights", two_lans, *options)
    assert said.status == 0, said.error
    plan = _core.read_plan(str(file))
    assert (plan.algorithm, plan.cluster, plan.plan.root) == ("custom", "", 2)
    assert plan.host_of_rank == ["a1", "a2", "b1", "b2", "b3"]
    assert plan.segment_bytes == 16384
    assert "optimum over two-lans" in plan.provenance
    assert trunkline("generate", file, "-o", tmp_path / "plan.c").status == 0


def test_words_and_picture(trunkline, two_lans, tmp_path):
    svg = tmp_path / "plan.svg"
    said = trunkline("plan", "--weights", two_lans, "--sizes", "100kB", "--svg", svg)
    assert said.out.startswith("bcast, local-search, for 100000 B over two-lans (weights as stated) from rank 0 (a1)")
    assert "All have the message after" in said.out
    assert "0 a1  from the start" in said.out
    assert all(f"{rank} {host}" in said.out for rank, host in enumerate(["a1", "a2", "b1", "b2", "b3"]))
    drawn = svg.read_text()
    assert drawn.count("<rect ") >= 4
    assert all(f">{host}<" in drawn for host in ["a1", "a2", "b1", "b2", "b3"])


def test_a_cluster_of_the_environment_does_not_matter(trunkline, two_lans, monkeypatch):
    monkeypatch.setenv("TRUNKLINE_CLUSTER", "cyclic")
    assert trunkline("plan", "--weights", two_lans, "--sizes", "8", "--json", "-").data["weights"] == "two-lans"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sizes", "8", "--cluster", "cyclic"), "leave --cluster out, or --weights"),
        (("--sizes", "8", "--ranks-per-host", "2"), "leave --ranks-per-host out, or --weights"),
        (("--sizes", "8", "--collective", "allreduce"), "--collective allreduce: weights say how long broadcasts take"),
        (
            ("--sizes", "8", "--algorithms", "wavy"),
            "no tree is laid over weights by 'wavy'; the nearest is wave; there",
        ),
        (("--sizes", "8", "--root", "a7"), "there is no host 'a7' in two-lans; near to it are: a"),
        (("--sizes", "8", "--root", "5"), "there is no rank 5; the ranks are 0 to 4"),
        ((), "two-lans: for messages of which size? say it with --sizes"),
    ],
)
def test_what_is_refused(trunkline, two_lans, options, said):
    ran = trunkline("plan", "--weights", two_lans, *options)
    assert ran.status == 2
    assert said in ran.error


def test_times_of_one_size_are_for_that_size_alone(two_lans):
    two_lans.write_text(TWO_LANS + "bytes: 100kB\n")
    weights = load_weights(str(two_lans))
    assert plan_over_weights(weights, "wave", "0", None).message_bytes == 100_000
    with pytest.raises(BadInput, match="its times are those of messages of 100000 B, not of 8 B"):
        plan_over_weights(weights, "wave", "0", 8)


def test_hosts_that_no_way_leads_to_are_named(two_lans):
    two_lans.write_text(
        "trunkline: weights/1\nname: islands\nhosts: [x, y, z]\ninjection: 1ms\n"
        "weights: [[none, 1ms, none], [1ms, none, none], [1ms, none, none]]\n"
    )
    with pytest.raises(BadInput, match="islands: no ways lead from x to z: state or measure one"):
        plan_over_weights(load_weights(str(two_lans)), "wave", "x", 8)
    assert plan_over_weights(load_weights(str(two_lans)), "wave", "z", 8).seconds == pytest.approx(4e-3)


def test_faults_are_told_with_their_places_all_at_once(trunkline, two_lans):
    two_lans.write_text(TWO_LANS.replace("7.3ms", "7.3").replace("- [0.1ms, none,", "- [0.1ms, far,"))
    ran = trunkline("plan", "--weights", two_lans, "--sizes", "8")
    assert ran.status == 2
    assert f"{two_lans}:4:12: injection of all hosts" in ran.error
    assert f'{two_lans}:7:11: weights from a2 to a2: "far" is no time' in ran.error


def test_a_file_of_another_kind(trunkline, two_lans, tmp_path):
    ran = trunkline("plan", "--cluster", two_lans)
    assert "such a file is given with --weights" in ran.error
    (tmp_path / "c.yaml").write_text("trunkline: cluster/1\nname: c\n")
    ran = trunkline("plan", "--weights", tmp_path / "c.yaml", "--sizes", "8")
    assert "such a file is given with --cluster" in ran.error


def pair(a, b, **more):
    return {
        "hosts": [a, b],
        "latency_s": 1e-3,
        "bandwidth_Bps": [1e6, 2e6],
        "injection_s": [1e-4, 2e-4],
        **more,
    }


def pairs_file(path, *pairs):
    head = {"trunkline": "pairs/1", "cluster": "lab", "date": datetime(2026, 11, 25, tzinfo=UTC).isoformat()}
    path.write_text(json.dumps({**head, "mpi": "mpich", "pairs": pairs}))
    return path


def test_pairs_are_weights_without_switches(trunkline, tmp_path):
    # n10 sends to n2 at 2 MB/s, and n2 to n10 at 1, to n3 at 4: its port takes 4 at least.
    fast = pair("n2", "n3", bandwidth_Bps=[4e6, 5e6])
    file = pairs_file(tmp_path / "pairs.json", fast, pair("n2", "n10"))
    data = trunkline("plan", "--weights", file, "--algorithms", "wave", "--sizes", "10kB", "--json", "-").data
    assert data["hosts"] == ["n2", "n3", "n10"]
    assert data["origin"] == "measured at 2026-11-25T00:00:00+00:00 under mpich"
    injection_s = 1e-4 + 10e3 / 4e6
    weights_s = {1: 0.9e-3, 2: 0.9e-3 + 10e3 / 1e6 - 10e3 / 4e6}
    assert data["injection_seconds"] == pytest.approx([0, injection_s, injection_s])
    assert data["children"]["0"] == [2, 1]  # the slow one first
    assert data["arrival_seconds"][2] == pytest.approx(injection_s + weights_s[2])
    assert data["arrival_seconds"][1] == pytest.approx(2 * injection_s + weights_s[1])


def test_ways_differ_where_clocks_show_it(tmp_path):
    def arrival(root="a", **more):
        file = pairs_file(tmp_path / "pairs.json", pair("a", "b", **more))
        return plan_over_weights(load_weights(str(file)), "wave", root, 1).seconds

    even = arrival()
    assert arrival(one_way_s=[1.5e-3, 0.5e-3], one_way_error_s=1e-4) == pytest.approx(even + 0.5e-3)
    back = arrival(root="b")
    assert arrival(root="b", one_way_s=[1.5e-3, 0.5e-3], one_way_error_s=1e-4) == pytest.approx(back - 0.5e-3)
    assert arrival(one_way_s=[1.5e-3, 0.5e-3], one_way_error_s=6e-4) == pytest.approx(even)


def test_pairs_without_a_rate_are_left_out_and_told(trunkline, tmp_path):
    file = pairs_file(tmp_path / "pairs.json", pair("a", "b"), pair("b", "c", bandwidth_Bps=[0, 1e6]))
    ran = trunkline("plan", "--weights", file, "--sizes", "8", "--root", "c", "--json", "-")
    assert "1 ways have no rate" in ran.error
    assert ran.data["children"] == {"0": [], "1": [0], "2": [1]}
    ran = trunkline("plan", "--weights", file, "--sizes", "8", "--root", "a", "--json", "-")
    assert ran.status == 2
    assert "no ways lead from a to c" in ran.error


def test_faulty_pairs_are_told(trunkline, tmp_path):
    file = pairs_file(tmp_path / "pairs.json", pair("a", "a"), pair("a", "b", latency_s=-1))
    ran = trunkline("plan", "--weights", file, "--sizes", "8")
    assert ran.status == 2
    assert "pair 1 (a - a): it is one host, not two" in ran.error
    assert "pair 2 (a - b): latency_s is negative" in ran.error
