"""Kinds of plans as the command sees them: a toy kind beside the core's own, through the one table."""

import json
import re
from types import SimpleNamespace

import pytest
from toy import Toy

from trunkline import _core
from trunkline.cli.plan_output import put_out
from trunkline.cluster import load_cluster
from trunkline.edits.plans import host_tree_of
from trunkline.errors import BadInput, Failed
from trunkline.generate.routine import c_routine
from trunkline.kinds import KINDS, kind_of
from trunkline.kinds.kind import PlanKind
from trunkline.planned import Planned


class Shout:
    """Its plan, which the core does not know."""

    kind, root, trees = "toy", 1, None

    def __len__(self):
        return 4


@pytest.fixture
def shout(monkeypatch):
    """A plan file of the toy kind, with a row for it."""
    monkeypatch.setitem(KINDS, "toy", Toy())
    quiet = SimpleNamespace(contention_free=True, max_channel_load=1, most_senders=1, busiest=[])
    monkeypatch.setattr(_core, "contention_of", lambda *_: quiet)
    return SimpleNamespace(collective="bcast", algorithm="shout", plan=Shout(), segment_bytes=None, host_of_rank=[])


def test_every_kind_of_the_core_has_a_row():
    assert {one.kind for one in _core.algorithms()} - {"native"} == set(KINDS)


def test_a_toy_kind_is_said_listed_and_drawn(shout, tmp_path, capsys):
    cluster = load_cluster("cyclic")
    planned = Planned(shout, [0, 1, 2, 3])
    put_out(cluster, planned, None, None, None)
    host = cluster.hosts[1]
    assert capsys.readouterr().out.splitlines() == [
        f"bcast, shout over {cluster.name} from rank 1 ({host}): 4 ranks, heard by 3",
        "Contention-free: no channel carries the transfers of two senders in one shout.",
        f"{host} shouts",
    ]
    put_out(cluster, planned, None, str(tmp_path / "plan.json"), str(tmp_path / "plan.svg"))
    said = json.loads((tmp_path / "plan.json").read_text())
    assert (said["shouts"], said["root"], said["ranks"]) == ([1], 1, 4)
    title = f"bcast, shout, over {cluster.name} from {host}"
    assert (tmp_path / "plan.svg").read_text().strip() == f"<svg><title>{title}</title></svg>"


def test_what_is_not_for_a_toy_kind_says_so_in_its_words(shout):
    with pytest.raises(BadInput, match=re.escape("x.yaml goes through the air; plans of trees can be edited")):
        host_tree_of(shout, "x.yaml")
    with pytest.raises(BadInput, match=re.escape("x.yaml is a plan for bcast through the air; C is silent")):
        c_routine(shout, "x.yaml")


def test_an_unknown_kind_is_a_clear_error():
    with pytest.raises(Failed, match="the command knows plans of trees, rounds, multicast, and none of toy; give"):
        kind_of(Shout())


def test_a_kind_without_one_of_its_functions_cannot_be_made():
    class Dumb(Toy):
        show = PlanKind.show

    with pytest.raises(TypeError, match="show"):
        Dumb()
