"""The plans of the allreduce paper: files, pictures and the commands that their page names agree."""

import sys
from pathlib import Path

import pytest

from trunkline import _core

ROOT = Path(__file__).resolve().parents[3]
PLANS = ROOT / "papers" / "plans"
sys.path.insert(0, str(ROOT / "papers" / "tools"))
from example_plans import commands  # noqa: E402


def children(name):
    (tree,) = _core.read_plan(str(PLANS / f"{name}.yaml")).plan.trees
    return tree.children


@pytest.fixture(scope="module")
def made(trunkline, tmp_path_factory):
    folder = tmp_path_factory.mktemp("plans")
    for words in commands():
        ran = trunkline(*words[1:], cwd=folder)
        assert ran.status == 0, ran.error
    return folder


def test_files_are_what_the_commands_make(made):
    names = sorted(file.name for file in made.iterdir())
    assert names == sorted(file.name for file in PLANS.iterdir() if file.suffix != ".md")
    for name in names:
        assert (made / name).read_text() == (PLANS / name).read_text(), (
            f"run papers/tools/example_plans.py: {name} is old"
        )


EVENT_S = 28.2e-9
"""Of docs/results/tracing.md."""


@pytest.mark.parametrize(
    ("cluster", "name", "call_s"),
    [("8w", "binary8W", 2.2e-3), ("4w", "split4W", 4.4e-3), ("now", "binaryNOW", 1.96e-3)],
)
def test_records_of_a_traced_call_are_counted(cluster, name, call_s):
    """A message up and one down each hop has a record on either end; each rank has two besides, and the root one."""
    below = children(name)
    hops = sum(map(len, below))
    records = 2 * len(below) + 4 * hops + 1
    most = records * EVENT_S
    row = f"| `{cluster}`, `{name}` | {len(below)} | {records} | {most * 1e6:.1f} us | {call_s * 1e3:.3g} ms,"
    page = (ROOT / "docs" / "results" / "tracing.md").read_text()
    (line,) = [one for one in page.splitlines() if one.startswith(row)]
    assert line.endswith(f"| {most / call_s:.2%} |".replace("%", " %"))
    assert most < 0.02 * call_s


def test_the_page_shows_each_of_them():
    page = (PLANS / "README.md").read_text()
    for file in PLANS.glob("*.yaml"):
        assert f"({file.name})" in page
        assert f"({file.stem}.svg)" in page


def network_children(name, ranks_per_host):
    """Hosts that each rank combines."""
    return {
        rank: [child // ranks_per_host for child in below if child // ranks_per_host != rank // ranks_per_host]
        for rank, below in enumerate(children(name))
        if any(child // ranks_per_host != rank // ranks_per_host for child in below)
    }


def test_hosts_are_combined_as_in_the_paper():
    assert network_children("nary8W", 8) == {0: [1, 2, 3]}
    assert network_children("binary8W", 8) == {0: [1], 1: [2, 3]}
    assert network_children("nary4W", 4) == {0: [1, 2, 3, 4, 5, 6, 7]}
    assert sorted(map(sorted, network_children("binary4W", 4).values())) == [[1], [2, 3], [4, 5], [6, 7]]
    assert sum(len(hosts) for hosts in network_children("links4W", 4).values()) == 14
    split = network_children("split4W", 4)
    assert {rank: hosts for rank, hosts in split.items() if rank > 3} == {8: [3], 16: [5], 24: [7]}
    assert network_children("split4W-2", 4) == split
    assert sorted(len(below) for below in children("split4W-2")[4::8]) == [3] * 4
    now = network_children("splitNOW", 2)
    assert sorted(len(hosts) for rank, hosts in now.items() if rank > 1) == [1, 3, 3, 3, 3, 3, 3]


def test_joined_plans_keep_both_trees():
    assert children("4W+8W")[32:] == [[child + 32 for child in below] for below in children("binary8W")]
    assert 32 in children("4W+8W")[0]
    assert children("8W+4W")[32:] == [[child + 32 for child in below] for below in children("split4W")]
