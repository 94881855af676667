"""Words of tables: a broadcast has no way up, a barrier no bytes."""

from types import SimpleNamespace

import pytest
from made_trace import Made, kind_bytes

from trunkline.trace.analysis import analyse
from trunkline.trace.as_json import analysis_as_json
from trunkline.trace.folder import find_job
from trunkline.trace.words import PARTS, call_text, parts_of, stage_text


def named(collective, count):
    return SimpleNamespace(group=SimpleNamespace(collective=collective, name=collective, bytes=count))


def test_a_barrier_has_no_bytes():
    assert call_text(named("barrier", 1)) == "barrier"
    assert call_text(named("bcast", 1)) == "bcast, 1 B"
    assert call_text(named("allreduce", (1 << 64) - 1)) == "allreduce, ?"


def test_a_barrier_has_no_bytes_in_json_either(tmp_path):
    for rank in range(2):
        made = Made(rank, 2, kinds=[kind_bytes(collective="barrier", size=1)])
        made.begin(0, 0)
        made.event(2, 4 - rank, 1 - rank)
        made.over(5)
        made.write(tmp_path)
    [group] = analysis_as_json(analyse(find_job(str(tmp_path))))["groups"]
    assert group["bytes"] == 0


def test_where_data_go_one_way_no_row_speaks_of_the_other():
    assert parts_of("allreduce") == parts_of("barrier") == list(PARTS)
    for collective, ways in (
        ("bcast", ["from the root"]),
        ("reduce", ["to the root, with arrival wait", "to the root, no arrival wait"]),
    ):
        rows = dict(parts_of(collective))
        assert list(rows)[: len(ways)] == ways
        assert not [name for name in rows if name.startswith(("up", "down"))]
        assert set(PARTS) - set(rows.items()) == {
            one for one in PARTS if one[1] in ("up", "down_with_arrival_wait", "down")
        }


@pytest.mark.parametrize(
    ("kind", "collective", "words"),
    [
        ("up latency", "bcast", "latency at rank 1 (b)"),
        ("up latency", "allreduce", "up latency at rank 1 (b)"),
        ("down latency", "reduce", "latency at rank 1 (b)"),
        ("departure wait", "bcast", "departure wait at rank 1 (b)"),
        ("up proxy", "bcast", "proxy: rank 1 (b) - 0 (a)"),
        ("up proxy", "barrier", "proxy up: rank 1 (b) - 0 (a)"),
    ],
)
def test_stages_are_named_by_what_the_collective_does(kind, collective, words):
    contributor = 0 if kind.endswith("proxy") else None
    stage = SimpleNamespace(kind=kind, node=1, contributor=contributor, part="proxy", is_down=kind.startswith("down"))
    analysis = SimpleNamespace(job=SimpleNamespace(shown_hosts=["a", "b"]))
    assert stage_text(analysis, stage, collective) == words
