"""The three lines that a trace begins with."""

import json

import pytest
from made_pipeline import write_pipeline
from made_trace import Made, kind_bytes
from test_trace_suggest_pipelined import RATE, SEGMENT, SIZE, plan_for, wire_us

from trunkline import _core
from trunkline.trace.analysis import analyse
from trunkline.trace.folder import find_job
from trunkline.trace.summary import summary_lines

TWO_SWITCHES = """\
trunkline: cluster/1
name: two-switches
switches: [s0, s1]
defaults: {rate: 100Mbit, latency: 10us}
hosts:
  - {hosts: "a[0-3]", switch: s0}
  - {hosts: "b[0-3]", switch: s1}
links:
  - {between: [s0, s1]}
"""


def lines_of(folder):
    return dict(line.split(": ", 1) for line in summary_lines(analyse(find_job(str(folder)))))


@pytest.mark.parametrize("collective", ["bcast", "allreduce"])
@pytest.mark.parametrize(
    ("parents", "link", "amount"),
    [
        ([None, 0, 1, 2, 0, 0, 0, 6], "a0 to s0", "1 MiB"),  # four children, and three of them over the trunk
        ([None, 0, 1, 2, 0, 1, 2, 3], "s0 to s1", "1 MiB"),  # each has a child over the trunk
    ],
)
def test_the_busiest_link_has_the_bytes_of_all_edges_over_it(tmp_path, collective, parents, link, amount):
    cluster = _core.parse_cluster(TWO_SWITCHES, "two.yaml")
    write_pipeline(tmp_path, plan_for(cluster, parents, collective), cluster, SIZE, SEGMENT, wire_us)
    said = lines_of(tmp_path)["link"]
    assert said.startswith(
        f"{link} carries most, {amount} a call: at 100 Mbit/s that takes {8e3 * 4 * SIZE / RATE:.1f} ms, "
    )


@pytest.mark.parametrize(
    ("parents", "is_slow", "link"),
    [
        ([None, 0, 1, 2, 0, 4, 5, 6], lambda a, b: {a, b} == {0, 4}, "s0 to s1 or s1 to b0"),
        ([None, 0, 1, 2, 0, 1, 2, 3], lambda a, b: a < 4 <= b, "s0 to s1"),
        ([None, 0, 1, 2, 3, 4, 5, 6], lambda a, b: (a, b) == (5, 6), "b1 to s1 or s1 to b2"),
        ([None, 0, 1, 2, 0, 1, 2, 3], lambda a, b: b == 6, "s1 to b2"),
        ([None, 0, 1, 2, 0, 1, 2, 3], lambda a, b: False, None),
    ],
    ids=["a trunk once", "a trunk of many", "on a line", "a host's link", "none"],
)
def test_a_slow_link_is_named(tmp_path, parents, is_slow, link):
    cluster = _core.parse_cluster(TWO_SWITCHES, "two.yaml")

    def link_us(a, b):
        return wire_us(a, b) * (6 if is_slow(a, b) else 1)

    write_pipeline(tmp_path, plan_for(cluster, parents, "bcast"), cluster, SIZE, SEGMENT, link_us)
    said = lines_of(tmp_path)["link"]
    assert said.startswith(f"{link} is slow: from ") if link else " carries most, " in said, said


def test_where_the_time_went_and_who_was_late(tmp_path, trunkline):
    for rank in range(2):
        made = Made(rank, 2, f"n{rank}", kinds=[kind_bytes(collective="barrier", size=1)])
        for turn in range(4):
            made.begin(1000.0 * turn + 300.0 * rank, turn)
            made.over(1000.0 * turn + 400.0)
        made.write(tmp_path)
    said = lines_of(tmp_path)
    assert "takes 100% of what was traced, 250 us a call and rank; 60% of it is waiting for the last" in said["time"]
    assert said["late"].startswith("rank 1 (n1) comes last in 100% of the calls; the others wait 150 us a call")
    ran = trunkline("trace", "analyse", tmp_path)
    lines = ran.out.splitlines()
    assert [line.partition(":")[0] for line in lines[1:4]] == ["time", "late", "link"]
    assert len(lines) <= 8, ran.out
    assert "Calls, those that take most time first" not in ran.out
    whole = trunkline("trace", "analyse", tmp_path, "--all").out
    assert "Calls, those that take most time first" in whole
    report = tmp_path / "report.json"
    trunkline("trace", "analyse", tmp_path, "--json", report)
    assert json.loads(report.read_text())["groups"][0]["calls"] == 4
