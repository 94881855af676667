"""The allreduce paper's configurations, and what a study refuses."""

from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.edits.plans import host_tree_of
from trunkline_papers.allreduce.configurations import STUDIES, is_the_papers, trees_of

PLANS = Path(__file__).parents[2] / "plans"


@pytest.mark.parametrize("study", STUDIES)
def test_configurations_are_the_plans_of_the_page(study):
    for name, tree in trees_of(study, load_cluster(study)).items():
        file = host_tree_of(_core.read_plan(str(PLANS / f"{name}.yaml")), name)
        if name == "8W+4W":  # the file has the ranks of 8W first, which a job on the cluster's hosts has not
            assert (tree.root_hosts, sorted(tree.hosts)) == (file.root_hosts, sorted(file.hosts))
            assert [tree.hosts[0], tree.hosts[-1]] == ["v0", "w3"]
            assert edges(tree) == edges(file)
        else:
            assert (tree.parent, tree.hosts) == (file.parent, file.hosts)


def edges(tree):
    """Hosts of each rank and its parent, whatever the numbers of ranks are."""
    return sorted((tree.hosts[rank], "" if up is None else tree.hosts[up]) for rank, up in enumerate(tree.parent))


def test_claims_are_about_configurations_before():
    for study in STUDIES.values():
        known = []
        for one in study:
            assert all(claim.over in known for claim in one.claims)
            assert bool(one.claims) == bool(known), "all but the initial one are compared"
            known.append(one.name)


@pytest.mark.parametrize(("name", "each"), [("8w", 8), ("4w", 4), ("now", 2), ("blade", 1)])
def test_only_the_papers_own_clusters_have_its_steps(name, each):
    cluster = load_cluster(name)
    hosts = len(cluster.hosts)
    assert is_the_papers(_core.scaled(cluster, 2e7), [each] * hosts)
    assert not is_the_papers(cluster, [each + 1] * hosts)
    other = _core.parse_cluster(
        f"trunkline: cluster/1\nname: {name}\nswitches: [s]\ndefaults: {{rate: 1Gbit, latency: 1us}}\n"
        f"hosts:\n  - {{hosts: 'x[1-{hosts}]', switch: s}}\n",
        "own.yaml",
    )
    assert not is_the_papers(other, [each] * hosts)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--plans", "first"], "--plans: there is no 'first'; there are: steps, auto, native, and files of plans"),
        (["--plans", "{not_a_plan}"], "{not_a_plan}:1:1: "),
        (["--sizes", "6"], "--sizes: 6 is no multiple of 4 above zero"),
        (["--cluster", "{one_host}"], "lonely has one host"),
        (["--ranks-per-host", "999999"], "--ranks-per-host must be from 1 to "),
        (["--mpi", "nosuch"], "there is no preload library for an MPI library 'nosuch'"),
    ],
)
def test_wrong_words_are_refused(papers_refused, tmp_path, words, message):
    files = {"not_a_plan": tmp_path / "odd.yaml", "one_host": tmp_path / "one.yaml"}
    files["not_a_plan"].write_text("[]\n")
    files["one_host"].write_text(
        "trunkline: cluster/1\nname: lonely\nswitches: [s]\ndefaults: {rate: 1Gbit, latency: 1us}\n"
        "hosts:\n  - {hosts: x, switch: s}\n"
    )
    all_words = ["--cluster", "cyclic", "--mpi", "mpich", *(word.format(**files) for word in words)]
    assert papers_refused("bench", "gsum-study", *all_words).startswith(message.format(**files))
