"""The allreduce paper's configurations, and what is said of measured ones."""

from pathlib import Path

import pytest

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.edits.plans import host_tree_of
from trunkline.study.configurations import STUDIES, trees_of

PLANS = Path(__file__).parents[2] / "examples" / "plans"


@pytest.mark.parametrize("study", STUDIES)
def test_configurations_are_the_plans_of_the_examples(study):
    for name, tree in trees_of(study, load_cluster(study)).items():
        file = host_tree_of(_core.read_plan(str(PLANS / f"{name}.yaml")), name)
        if name == "8W+4W":  # the file has the ranks of 8W first, which a job on the cluster's hosts has not
            assert (tree.root_host, sorted(tree.hosts)) == (file.root_host, sorted(file.hosts))
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


def test_other_clusters_are_refused(refused):
    told = refused("bench", "gsum-study", "--cluster", "cyclic", "--mpi", "mpich")
    assert told.startswith("--cluster cyclic: the paper has no such cluster; it has: 8w, 4w, now, blade, 4w+8w")
